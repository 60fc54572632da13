// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_LOGP_ORACLE_H
#define CRL_LOGP_ORACLE_H

#include "machine/logp/expected.h"

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
