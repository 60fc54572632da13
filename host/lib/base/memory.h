// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_MEMORY_H
#define CRL_MEMORY_H

#include <stdint.h>

// Bytes that this process can still use: the least of what the machine has to give, its control group allows and its
// own limits leave. UINT64_MAX where nothing of that is known.
uint64_t crl_memory_available(void);

#endif
