// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_MEMORY_H
#define CRL_MEMORY_H

#include "base/base.h"
#include <stdint.h>

// Bytes that this process can still use: the least of what the machine has to give, its control group allows and its
// own limits leave. UINT64_MAX where nothing of that is known.
uint64_t crl_memory_available(void);

// Bytes for people, as in "9.5 GiB"; returns `text`.
enum { CRL_MEMORY_TEXT = 32 };
const char *crl_memory_text(double bytes, char text[CRL_MEMORY_TEXT]);

// CRL_ERR_LIMIT, with both numbers, where there is less than `bytes`; `what` wants them, as in "playing 8 nodes in
// RTL".
int crl_memory_expect(uint64_t bytes, const char *what, struct crl_diag *diag);

#endif
