// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_ORACLE_H
#define CRL_ORACLE_H

#include "trace/trace.h"

// Judges what ended up in the memories, knowing nothing of schedules or tables. Returns "ok", or one word: "missing" (a
// node has no place for a packet it must have), "extra" (a place for one it must not have), "overlap" (two in one
// place), "wrong" (not its data). `where` (may be NULL) says where.
const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                       void *user, struct crl_diag *where);
// The same of words first…first+count−1 of every packet alone, for memories that hold no more at a time. Places are
// judged with word 0.
const char *crl_oracle_words(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                             uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                             void *user, uint32_t first, uint32_t count, struct crl_diag *where);

#endif
