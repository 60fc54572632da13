// SPDX-License-Identifier: Apache-2.0
// The RTL under queue control, as an engine of crl_dynamic_run().
#ifndef CRL_ENGINE_QUEUE_H
#define CRL_ENGINE_QUEUE_H

#include "dynamic/dynamic.h"

struct engine_queue;

// Builds the simulator if need be and loads every node's tables, which are copied. `depth`: packets a node stores, 1 to
// 2^16. Tables for finite buffers are refused. *out is the caller's to free also when this fails.
int engine_queue_new(struct engine_queue **out, const struct crl_queue_tables *tables, uint32_t depth,
                     struct crl_diag *diag);
void engine_queue_free(struct engine_queue *engine);
struct crl_queue_engine engine_queue_engine(struct engine_queue *engine);

#endif
