// SPDX-License-Identifier: Apache-2.0
// The RTL of a LogP machine as a player: loads an image into a simulation of its processors and their crossbar, plays
// it, reads the memories back.
#ifndef CRL_ENGINE_LOGP_H
#define CRL_ENGINE_LOGP_H

#include "lower/logp.h"
#include "model/logp.h"
#include "oracle/logp.h"

struct engine_logp;

// Builds the simulator if need be, and loads every processor's own items through its link. The image must stay alive.
// `wave`: file, ending in .fst or .vcd; NULL: none.
int engine_logp_new(struct engine_logp **out, const struct crl_logp_image *image, enum crl_logp_op op, uint64_t seed,
                    const char *wave, struct crl_diag *diag);
void engine_logp_free(struct engine_logp *engine);
struct crl_player engine_logp_player(struct engine_logp *engine);
// After the last step: lets the pipeline run empty, notes the faults, and reads every memory out over the links.
int engine_logp_finish(struct engine_logp *engine, struct crl_diag *diag);
// Processors with faults; `text` says which came first.
uint64_t engine_logp_faults(const struct engine_logp *engine, char text[160]);
uint64_t engine_logp_memory(void *engine, uint32_t processor, uint32_t page, uint32_t addr);

#endif
