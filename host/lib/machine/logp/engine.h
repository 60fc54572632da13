// SPDX-License-Identifier: Apache-2.0
// LogP machines in RTL, as engine/engine.h has engines.
#ifndef CRL_LOGP_ENGINE_H
#define CRL_LOGP_ENGINE_H

#include "engine/engine.h"
#include "machine/logp/image.h"

// The processors of a LogP machine and their crossbar.
int crl_rtl_logp_new(struct crl_rtl **out, const struct crl_logp_image *image, enum crl_op op,
                     const struct crl_rtl_options *options, struct crl_diag *diag);
// A word that was read back; `page` is the word of the item.
uint64_t crl_rtl_logp_memory(void *engine, uint32_t processor, uint32_t page, uint32_t addr);

#endif
