// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_LOGP_MODEL_H
#define CRL_LOGP_MODEL_H

#include "machine/logp/expected.h"

struct crl_logp_faults {
    uint64_t missing, unexpected, hold, conflict, outside, parity; // events
    uint32_t processor, row;                                       // of the first
};
// The cycle model: executes the tables of an image, cycle for cycle. The image must stay alive.
struct crl_logp_model;
int crl_logp_model_new(struct crl_logp_model **out, const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                       struct crl_diag *diag);
void crl_logp_model_free(struct crl_logp_model *model);
struct crl_player crl_logp_model_player(struct crl_logp_model *model);
struct crl_logp_faults crl_logp_model_faults(const struct crl_logp_model *model);
// A word of a processor's memory, after the run.
uint64_t crl_logp_model_memory(void *model, uint32_t processor, uint32_t page, uint32_t addr);

#endif
