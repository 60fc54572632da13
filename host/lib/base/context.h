// SPDX-License-Identifier: Apache-2.0
// What a caller decides for all long work (struct crl_context; NULL means the defaults): where files are kept, how many
// threads, who hears of it. The environment is read here and nowhere else.
#ifndef CRL_CONTEXT_H
#define CRL_CONTEXT_H

#include "base/base.h"

// The folders. CRL_ERR_UNSUPPORTED: nothing says which; CRL_ERR_LIMIT: the name does not fit.
int crl_context_cache(const struct crl_context *context, char *path, size_t size);
int crl_context_data(const struct crl_context *context, char *path, size_t size);
// What happens, and what people should know.
void crl_context_say(const struct crl_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
void crl_say(const struct crl_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool crl_context_cancelled(const struct crl_context *context);
// From now on what ends the program is only noted, and crl_context_cancelled says it; or no longer.
void crl_context_hold(const struct crl_context *context, bool held);

#endif
