// SPDX-License-Identifier: Apache-2.0
// What the broadcasts of several items share.
#ifndef CRL_ALGORITHM_LOGP_ITEMS_H
#define CRL_ALGORITHM_LOGP_ITEMS_H

#include "algorithm/logp_blocks.h"

// When the last send of a block-cyclic broadcast without extra delay starts.
uint64_t crl_logp_items_last_send(const struct crl_logp *postal, uint32_t items);
// Adds all messages, item by item and node by node of the tree.
int crl_logp_items_emit(struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem,
                        const struct crl_logp_blocks *blocks, uint64_t step, struct crl_diag *diag);

#endif
