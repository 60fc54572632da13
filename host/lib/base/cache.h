// SPDX-License-Identifier: Apache-2.0
// A folder of the user's in which what takes long is kept: compiled simulators and found schedules. What lies there is
// run, so others may not have put it there: the folder and every file that is opened belong to the user (or to root)
// and nobody else may write to them. Names of entries say what they hold: whoever finds one under that name can use it.
#ifndef CRL_CACHE_H
#define CRL_CACHE_H

#include "base/context.h"

enum { CRL_CACHE_PATH = 4096 };

// The folder, opened and checked.
struct crl_cache {
    const struct crl_context *context;
    char path[CRL_CACHE_PATH]; // absolute
    int folder;                // descriptor
};

// Opens the folder of a context; `create`: makes it (mode 0700) where there is none. Returns 0; CRL_ERR_UNSUPPORTED
// when nothing says which folder, CRL_ERR_LIMIT, or CRL_ERR_IO, also for a folder that others may write to. On success
// crl_cache_leave() closes it.
int crl_cache_enter(struct crl_cache *cache, const struct crl_context *context, bool create, struct crl_diag *diag);
void crl_cache_leave(struct crl_cache *cache);

// Finds the entry `name` (a file name without slashes) or makes it: make() leaves it as the file `made` in `folder`,
// which is private and goes away afterwards. Of several programs that want one entry, one makes it. `anew`: what is
// there does not serve. *file is the entry, open for reading, the caller's to close. Errors: CRL_ERR_MEMORY,
// CRL_ERR_IO, also where there is one that may not be used or not be read, or what make() returned.
int crl_cache_make(const struct crl_cache *cache, const char *name, bool anew,
                   int (*make)(void *user, const char *folder, struct crl_diag *diag), void *user, int *file,
                   struct crl_diag *diag);

// ---- entries that are read and written as streams. A convenience: whatever fails here, the program searches again,
// and what is read must be verified.

// NULL when there is no cache, no such entry, or one that may not be used. The caller closes it.
FILE *crl_cache_open(const struct crl_context *context, const char *name);
// Writes the entry whole or not at all: `write` fills a temporary file, which then takes the entry's name. Returns 0,
// CRL_ERR_UNSUPPORTED when there is no cache, CRL_ERR_IO, or what `write` returned.
int crl_cache_write(const struct crl_context *context, const char *name, int (*write)(FILE *file, void *user),
                    void *user);

#endif
