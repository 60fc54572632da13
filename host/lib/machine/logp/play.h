// SPDX-License-Identifier: Apache-2.0
// What plays the tables of LogP machines, and what judges that.
#ifndef CRL_LOGP_PLAY_H
#define CRL_LOGP_PLAY_H

#include "engine/engine.h"
#include "machine/logp/image.h"
#include "trace/trace.h"

// ---------------------------------------------------------------- words, and when they must be there

// Word `word` of an item, value or operand: distinct for distinct (item, word), and random by seed.
uint64_t crl_logp_payload(const struct crl_logp_geometry *geometry, uint32_t item, uint32_t word, uint64_t seed);
// What the words hold that nobody loaded.
uint64_t crl_logp_garbage(const struct crl_logp_geometry *geometry, uint32_t processor, uint32_t addr, uint64_t seed);
// Whether words are wide enough to tell all items apart, or that every value was combined once (32 bits: a double or a
// missing one goes unseen with a chance of 2^−32 a word).
bool crl_logp_payload_fits(const struct crl_logp_image *image);

// The trace that a checked schedule must produce, derived without looking at tables. In traces of a LogP machine the
// port is the destination. Of `image` only the problem and the geometry are looked at; it and the schedule must stay
// alive.
struct crl_logp_expected;
int crl_logp_expected_new(struct crl_logp_expected **out, const struct crl_logp_schedule *schedule,
                          const struct crl_logp_image *image, enum crl_op op, uint64_t seed, struct crl_diag *diag);
void crl_logp_expected_free(struct crl_logp_expected *expected);
struct crl_player crl_logp_expected_player(struct crl_logp_expected *expected);

// ---------------------------------------------------------------- the model

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

// ---------------------------------------------------------------- the RTL

// The processors of a LogP machine and their crossbar.
int crl_rtl_logp_new(struct crl_rtl **out, const struct crl_logp_image *image, enum crl_op op,
                     const struct crl_rtl_options *options, struct crl_diag *diag);
// A word that was read back; `page` is the word of the item.
uint64_t crl_rtl_logp_memory(void *engine, uint32_t processor, uint32_t page, uint32_t addr);

// ---------------------------------------------------------------- the oracle

// Judges what ended up in the memories, knowing nothing of schedules or tables: every item where it must be, once; of
// combinations every value, once. Returns "ok", or one word as crl_oracle does. `where` (may be NULL) says where.
const char *crl_logp_oracle(const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                            uint64_t (*memory)(void *user, uint32_t processor, uint32_t page, uint32_t addr),
                            void *user, struct crl_diag *where);
// The same of words first…first+count−1 alone, for memories that hold no more at a time.
const char *crl_logp_oracle_words(const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                                  uint64_t (*memory)(void *user, uint32_t processor, uint32_t page, uint32_t addr),
                                  void *user, uint32_t first, uint32_t count, struct crl_diag *where);

#endif
