// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_MODEL_H
#define CRL_MODEL_H

#include "trace/trace.h"

// The cycle model: executes the tables of an image, cycle for cycle, in C.
struct crl_model;
struct crl_faults {
    uint64_t missing, unexpected, parity; // events
    uint64_t starved, astray;  // streams: an own word was not there; one was left over, or too many or few were shown
    uint32_t node, port, slot; // of the first
};
// `seed` picks the payloads. The image must stay alive.
int crl_model_new(struct crl_model **out, const struct crl_image *image, const struct crl_problem *problem,
                  uint64_t seed, struct crl_diag *diag);
// Rounds of all words, of an image with streams; 1 unless said. Call it before the first step.
void crl_model_repeat(struct crl_model *model, uint32_t rounds);
void crl_model_free(struct crl_model *model);
struct crl_player crl_model_player(struct crl_model *model);
struct crl_faults crl_model_faults(const struct crl_model *model);
// Memory does not grow with words: the last CRL_MODEL_PAGES words of every packet are kept as the nodes held them.
// Whoever calls this, before the first step, is told when words first…first+count−1 of all packets can be looked at:
// with streams after every CRL_MODEL_PAGES words and after the last, else after each, and only that one is kept.
enum { CRL_MODEL_PAGES = 4 };
void crl_model_hand_over(struct crl_model *model,
                         void (*collected)(void *user, struct crl_model *model, uint32_t first, uint32_t count),
                         void *user);
// Reads what `count` nodes hold of a word that is kept, where a packet must lie at the end.
void crl_model_memory(void *model, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                      uint64_t *words);

#endif
