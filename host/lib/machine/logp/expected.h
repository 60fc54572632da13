// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_LOGP_EXPECTED_H
#define CRL_LOGP_EXPECTED_H

#include "machine/logp/image.h"
#include "trace/trace.h"

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

#endif
