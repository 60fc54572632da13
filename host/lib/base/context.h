// SPDX-License-Identifier: Apache-2.0
// What a caller decides for all long work: where files are kept, how many threads, who hears of it. Functions take a
// const struct crl_context *, and NULL means the defaults. The environment is read here and nowhere else.
#ifndef CRL_CONTEXT_H
#define CRL_CONTEXT_H

#include "base/base.h"

struct crl_context {
    const char *cache; // folder; NULL: $CARILLON_CACHE, else $XDG_CACHE_HOME/carillon, else $HOME/.cache/carillon
    const char *data;  // folder of rtl/ and sim/, from which simulators are compiled; NULL: $CARILLON_DATA, else
                       // share/carillon of the prefix in which library or program lie, else the source tree
    uint32_t threads;  // 0: all processors

    // All may be NULL. Texts live for the call.
    void (*message)(void *user, const char *text);
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    bool (*cancelled)(void *user); // true: long work ends with CRL_ERR_INTERRUPTED
    void *user;
};

// The folders. CRL_ERR_UNSUPPORTED: nothing says which; CRL_ERR_LIMIT: the name does not fit.
int crl_context_cache(const struct crl_context *context, char *path, size_t size);
int crl_context_data(const struct crl_context *context, char *path, size_t size);
uint32_t crl_context_threads(const struct crl_context *context);
void crl_context_say(const struct crl_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool crl_context_cancelled(const struct crl_context *context);

#endif
