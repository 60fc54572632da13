// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_MODEL_H
#define CRL_MODEL_H

#include "trace/trace.h"

// The cycle model: executes the tables of an image, cycle for cycle, in C.
struct crl_model;
struct crl_faults {
    uint64_t missing, unexpected, parity; // events
    uint32_t node, port, slot;            // of the first
};
// `seed` picks the payloads. The image must stay alive.
int crl_model_new(struct crl_model **out, const struct crl_image *image, const struct crl_problem *problem,
                  uint64_t seed, struct crl_diag *diag);
void crl_model_free(struct crl_model *model);
struct crl_player crl_model_player(struct crl_model *model);
struct crl_faults crl_model_faults(const struct crl_model *model);
// A word of a node's memory, after the run.
uint64_t crl_model_memory(void *model, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);

#endif
