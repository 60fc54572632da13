// SPDX-License-Identifier: Apache-2.0
// A directory that is whole or not there.
#define _XOPEN_SOURCE 700 // nftw
#include "emit/emit.h"
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct crl_diag *diag, const char *what)
{
    return crl_fail(diag, CRL_ERR_IO, "cannot write '%.200s': %s", what, strerror(errno));
}

int crl_folder_open(struct crl_folder *folder, const char *path, struct crl_diag *diag)
{
    size_t length = strlen(path);
    struct stat status;
    memset(folder, 0, sizeof *folder);
    while (length > 1 && path[length - 1] == '/') length--;
    if (!length) return crl_fail(diag, CRL_ERR_ARGUMENT, "the directory has no name");
    if (length > PATH_MAX - 300) return crl_fail(diag, CRL_ERR_IO, "the name '%.80s…' is too long", path);
    folder->path = strndup(path, length);
    folder->temp = malloc(length + 8);
    if (!folder->path || !folder->temp) return crl_fail_memory(diag);
    sprintf(folder->temp, "%s.XXXXXX", folder->path);
    // Also found out at the end, by rename; but then all the work is done.
    if (!stat(folder->path, &status)) {
        if (!S_ISDIR(status.st_mode)) errno = ENOTDIR;
        else if (rmdir(folder->path)) { // keeps one that holds anything
            if (errno == EEXIST) errno = ENOTEMPTY;
        } else {
            mkdir(folder->path, status.st_mode & 0777);
            errno = 0;
        }
        if (errno) {
            int reason = errno;
            free(folder->temp);
            folder->temp = NULL; // nothing to take away
            errno = reason;
            return refuse(diag, folder->path);
        }
    }
    if (mkdtemp(folder->temp)) {
        mode_t mask = umask(0);
        umask(mask);
        chmod(folder->temp, 0777 & ~mask);
        return 0;
    }
    refuse(diag, folder->path);
    free(folder->temp);
    folder->temp = NULL;
    return CRL_ERR_IO;
}

int crl_folder_end_file(struct crl_folder *folder, struct crl_diag *diag)
{
    if (!folder->file) return 0;
    bool bad = ferror(folder->file);
    if (!bad) bad = fflush(folder->file) || fsync(fileno(folder->file));
    int reason = errno;
    if (fclose(folder->file) && !bad) {
        bad = true;
        reason = errno;
    }
    folder->file = NULL;
    errno = reason;
    return bad ? refuse(diag, folder->name) : 0;
}

FILE *crl_folder_file(struct crl_folder *folder, const char *name, struct crl_diag *diag)
{
    char path[PATH_MAX];
    if (crl_folder_end_file(folder, diag)) return NULL;
    free(folder->name);
    folder->name = strdup(name);
    if (!folder->name) {
        crl_fail_memory(diag);
        return NULL;
    }
    if (snprintf(path, sizeof path, "%s/%s", folder->temp, name) >= (int)sizeof path) {
        crl_fail(diag, CRL_ERR_IO, "the name '%.80s…' is too long", name);
        return NULL;
    }
    for (char *slash = path + strlen(folder->temp) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        bool made = !mkdir(path, 0777) || errno == EEXIST;
        *slash = '/';
        if (!made) {
            refuse(diag, name);
            return NULL;
        }
    }
    folder->file = fopen(path, "wb");
    if (!folder->file) refuse(diag, name);
    return folder->file;
}

static int take_away(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

int crl_folder_close(struct crl_folder *folder, int error, struct crl_diag *diag)
{
    struct crl_diag ignored;
    int end = crl_folder_end_file(folder, error ? &ignored : diag);
    if (!error) error = end;
    if (!error && rename(folder->temp, folder->path)) error = refuse(diag, folder->path);
    if (error && folder->temp) nftw(folder->temp, take_away, 8, FTW_DEPTH | FTW_PHYS);
    free(folder->path);
    free(folder->temp);
    free(folder->name);
    memset(folder, 0, sizeof *folder);
    return error;
}
