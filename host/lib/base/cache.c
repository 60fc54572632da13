// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // flock, nftw
#include "base/cache.h"
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the folder

// Creates a folder and those above it.
static int make_folders(const char *path)
{
    char copy[CRL_CACHE_PATH];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *at = copy + 1;; at++) {
        const char c = *at;
        if (c && c != '/') continue;
        *at = 0;
        if (mkdir(copy, 0700) && errno != EEXIST) return CRL_ERR_IO;
        *at = c;
        if (!c) return 0;
    }
}

// Whether nobody but this user and root can have written what `status` is of. `what` is the start of the message.
static int trust(const char *what, const char *path, const struct stat *status, struct crl_diag *diag)
{
    const char *folder = "set CARILLON_CACHE to a folder of your own";
    if (status->st_uid != geteuid() && status->st_uid != 0)
        return crl_fail(diag, CRL_ERR_IO,
                        "%s '%.200s' belongs to user %u, not to you, and what lies there would be run: %s", what, path,
                        (unsigned)status->st_uid, folder);
    if (status->st_mode & (S_IWGRP | S_IWOTH))
        return crl_fail(diag, CRL_ERR_IO,
                        "%s '%.200s' of user %u can be written by others (mode %04o), and what lies there would be "
                        "run: empty it and take their right away (chmod go-w), or %s",
                        what, path, (unsigned)status->st_uid, (unsigned)status->st_mode & 07777, folder);
    return 0;
}

int crl_cache_enter(struct crl_cache *cache, const struct crl_context *context, bool create, struct crl_diag *diag)
{
    char path[CRL_CACHE_PATH];
    struct stat status;
    *cache = (struct crl_cache){.context = context, .folder = -1};
    int error = crl_context_cache(context, path, sizeof path);
    if (error == CRL_ERR_LIMIT) return crl_fail(diag, error, "the name of the cache folder is too long");
    if (error) return crl_fail(diag, error, "there is no place for the cache: set CARILLON_CACHE or HOME");
    cache->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder < 0 && create && errno == ENOENT && !make_folders(path))
        cache->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cache->folder < 0 || fstat(cache->folder, &status))
        error = crl_fail(diag, CRL_ERR_IO, "the cache folder '%.200s' cannot be used: %s", path, strerror(errno));
    else error = trust("the cache folder", path, &status, diag);
    // Tools are told names, which must not depend on where a program is.
    char *whole = error ? NULL : realpath(path, NULL);
    if (!error && (!whole || snprintf(cache->path, sizeof cache->path, "%s", whole) >= CRL_CACHE_PATH))
        error = crl_fail(diag, CRL_ERR_IO, "the cache folder '%.200s' cannot be used", path);
    free(whole);
    if (error) crl_cache_leave(cache);
    return error;
}

void crl_cache_leave(struct crl_cache *cache)
{
    if (cache->folder >= 0) close(cache->folder);
    cache->folder = -1;
}

static int fail_writing(const struct crl_cache *cache, struct crl_diag *diag)
{
    return crl_fail(diag, CRL_ERR_IO, "the cache folder '%.200s' cannot be written: %s", cache->path, strerror(errno));
}

// ---- entries

// Opens a file of the folder that nobody else can have written. What is checked is what is open: a name could lead
// elsewhere a moment later.
static int open_own(const struct crl_cache *cache, const char *name, int flags, int *file, struct crl_diag *diag)
{
    char path[2 * CRL_CACHE_PATH];
    struct stat status;
    assert(*name && !strchr(name, '/'));
    snprintf(path, sizeof path, "%s/%s", cache->path, name);
    // Without O_NONBLOCK a pipe of that name would wait for ever.
    *file = openat(cache->folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (*file < 0 && errno == ENOENT) return 0;
    if (*file < 0)
        return crl_fail(diag, CRL_ERR_IO, "'%.200s' cannot be opened: %s; remove it", path,
                        errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    int error = 0;
    if (fstat(*file, &status)) error = crl_fail(diag, CRL_ERR_IO, "'%.200s': %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode)) error = crl_fail(diag, CRL_ERR_IO, "'%.200s' is no file; remove it", path);
    else error = trust("the file", path, &status, diag);
    if (error) {
        close(*file);
        *file = -1;
    }
    return error;
}

static int find(const struct crl_cache *cache, const char *name, int *file, struct crl_diag *diag)
{
    return open_own(cache, name, O_RDONLY, file, diag);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

static void remove_tree(const char *folder) { nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

// Removes what interrupted programs left of an entry. Only its lock holder may.
static void sweep(const struct crl_cache *cache, const char *name)
{
    DIR *folder = opendir(cache->path);
    const size_t n = strlen(name);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[2 * CRL_CACHE_PATH];
        if (strncmp(entry->d_name, name, n) || strncmp(entry->d_name + n, ".tmp", 4)) continue;
        snprintf(path, sizeof path, "%s/%s", cache->path, entry->d_name);
        remove_tree(path);
    }
    if (folder) closedir(folder);
}

// Gives a finished file its name in the folder, on disk before it has it.
static int publish(const struct crl_cache *cache, const char *from, const char *name, struct crl_diag *diag)
{
    const int file = open(from, O_RDONLY | O_CLOEXEC);
    int error = 0;
    // Whatever the tools and the umask made of it: nobody else may write to it.
    if (file < 0 || fchmod(file, 0700) || fsync(file) || renameat(AT_FDCWD, from, cache->folder, name))
        error = fail_writing(cache, diag);
    if (file >= 0) close(file);
    return error;
}

static int take_lock(const struct crl_cache *cache, const char *name, int *lock, struct crl_diag *diag)
{
    char lock_name[512];
    if (snprintf(lock_name, sizeof lock_name, "%s.lock", name) >= (int)sizeof lock_name)
        return crl_fail(diag, CRL_ERR_LIMIT, "the name of an entry is too long");
    int error = open_own(cache, lock_name, O_RDWR | O_CREAT, lock, diag);
    if (error) return error;
    if (!flock(*lock, LOCK_EX | LOCK_NB)) return 0;
    crl_context_say(cache->context, "waiting for another program that makes the same");
    while (flock(*lock, LOCK_EX))
        if (errno != EINTR || crl_context_cancelled(cache->context)) {
            error = fail_writing(cache, diag);
            close(*lock);
            return error;
        }
    return 0;
}

int crl_cache_make(const struct crl_cache *cache, const char *name, bool anew,
                   int (*make)(void *user, const char *folder, struct crl_diag *diag), void *user, int *file,
                   struct crl_diag *diag)
{
    char folder[2 * CRL_CACHE_PATH], made[2 * CRL_CACHE_PATH + 8];
    int lock;
    *file = -1;
    int error = anew ? 0 : find(cache, name, file, diag);
    if (error || *file >= 0) return error;
    error = take_lock(cache, name, &lock, diag);
    if (error) return error;
    if (!anew) error = find(cache, name, file, diag); // another program may have been faster
    if (error || *file >= 0) goto out;
    sweep(cache, name);
    snprintf(folder, sizeof folder, "%s/%s.tmpXXXXXX", cache->path, name);
    if (!mkdtemp(folder)) {
        error = fail_writing(cache, diag);
        goto out;
    }
    snprintf(made, sizeof made, "%s/made", folder);
    error = make(user, folder, diag);
    if (!error) error = publish(cache, made, name, diag);
    remove_tree(folder);
    if (!error) error = find(cache, name, file, diag);
    if (!error && *file < 0) error = fail_writing(cache, diag);
out:
    close(lock);
    return error;
}

// ---- streams

FILE *crl_cache_open(const struct crl_context *context, const char *name)
{
    struct crl_cache cache;
    struct crl_diag diag;
    int file = -1;
    if (crl_cache_enter(&cache, context, false, NULL)) return NULL;
    if (find(&cache, name, &file, &diag)) crl_context_say(context, "%s", diag.text);
    crl_cache_leave(&cache);
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    if (!stream && file >= 0) close(file);
    return stream;
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

int crl_cache_write(const struct crl_context *context, const char *name, int (*write)(FILE *file, void *user),
                    void *user)
{
    char temporary[2 * CRL_CACHE_PATH];
    struct crl_cache cache;
    int error = crl_cache_enter(&cache, context, true, NULL);
    if (error) return error;
    assert(*name && !strchr(name, '/'));
    snprintf(temporary, sizeof temporary, "%s/%s.XXXXXX", cache.path, name);
    int fd = mkstemp(temporary);
    error = fd < 0 ? CRL_ERR_IO : fill(fd, write, user);
    if (!error && renameat(AT_FDCWD, temporary, cache.folder, name)) error = CRL_ERR_IO;
    if (error && fd >= 0) unlink(temporary);
    crl_cache_leave(&cache);
    return error;
}
