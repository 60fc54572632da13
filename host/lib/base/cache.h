// SPDX-License-Identifier: Apache-2.0
// A directory of the user's in which results of long searches are kept. It is a convenience: whatever fails here, the
// program searches again, and what is read must be verified.
#ifndef CRL_CACHE_H
#define CRL_CACHE_H

#include "base/base.h"

// The directory: $CARILLON_CACHE, else $XDG_CACHE_HOME/carillon, else $HOME/.cache/carillon. Returns 0;
// CRL_ERR_UNSUPPORTED when none of them is set (then there is no cache); CRL_ERR_LIMIT when the name does not fit.
int crl_cache_directory(char *path, size_t size);

// Opens the entry `name` (a file name without slashes) for reading. NULL when there is no cache or no such entry. The
// caller closes it.
FILE *crl_cache_open(const char *name);

// Writes the entry `name` whole or not at all: `write` fills a temporary file, which then takes the entry's name.
// Creates the directory. Returns 0, CRL_ERR_UNSUPPORTED when there is no cache, CRL_ERR_IO, or what `write` returned.
int crl_cache_write(const char *name, int (*write)(FILE *file, void *user), void *user);

#endif
