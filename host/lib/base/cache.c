// SPDX-License-Identifier: Apache-2.0
#include "base/cache.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static int join(char *path, size_t size, const char *a, const char *b)
{
    int n = snprintf(path, size, "%s%s", a, b);
    return n >= 0 && (size_t)n < size ? 0 : CRL_ERR_LIMIT;
}

int crl_cache_directory(char *path, size_t size)
{
    const char *own = getenv("CARILLON_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) return join(path, size, own, "");
    // The XDG base directory specification has relative paths ignored.
    if (xdg && *xdg == '/') return join(path, size, xdg, "/carillon");
    if (home && *home) return join(path, size, home, "/.cache/carillon");
    return CRL_ERR_UNSUPPORTED;
}

// "<directory>/<name>"
static int entry_path(char *path, size_t size, const char *name)
{
    assert(*name && !strchr(name, '/'));
    int error = crl_cache_directory(path, size);
    if (error) return error;
    size_t used = strlen(path);
    if (used + 2 > size) return CRL_ERR_LIMIT;
    path[used] = '/';
    return join(path + used + 1, size - used - 1, name, "");
}

// Creates the directories above the file `path`.
static int make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failed = mkdir(path, 0700) && errno != EEXIST;
        *slash = '/';
        if (failed) return CRL_ERR_IO;
    }
    return 0;
}

FILE *crl_cache_open(const char *name)
{
    char path[PATH_BYTES];
    struct stat what;
    if (entry_path(path, sizeof path, name)) return NULL;
    FILE *file = fopen(path, "r");
    if (file && (fstat(fileno(file), &what) || !S_ISREG(what.st_mode))) {
        fclose(file);
        return NULL;
    }
    return file;
}

// Fills and closes the temporary file `fd`.
static int fill(int fd, int (*write)(FILE *file, void *user), void *user)
{
    FILE *file = fdopen(fd, "w");
    if (!file) {
        close(fd);
        return CRL_ERR_IO;
    }
    int error = write(file, user);
    if (!error && (fflush(file) || fsync(fd))) error = CRL_ERR_IO;
    if (fclose(file) && !error) error = CRL_ERR_IO;
    return error;
}

int crl_cache_write(const char *name, int (*write)(FILE *file, void *user), void *user)
{
    char path[PATH_BYTES], temporary[PATH_BYTES];
    int error = entry_path(path, sizeof path, name);
    if (!error) error = join(temporary, sizeof temporary, path, ".XXXXXX");
    if (!error) error = make_directories(path);
    if (error) return error;
    int fd = mkstemp(temporary);
    if (fd < 0) return CRL_ERR_IO;
    error = fill(fd, write, user);
    if (!error && rename(temporary, path)) error = CRL_ERR_IO;
    if (error) unlink(temporary);
    return error;
}
