// SPDX-License-Identifier: Apache-2.0
// A directory that is whole or not there.
#define _GNU_SOURCE // nftw, renameat2
#include "emit/emit.h"
#include <errno.h>
#include <fcntl.h>
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

// Whether a directory can be put there. Also found out at the end, by rename; but then all the work is done.
static int check_place(struct crl_folder *folder, bool force, struct crl_diag *diag)
{
    struct stat status;
    if (lstat(folder->path, &status)) return 0;
    if (!S_ISDIR(status.st_mode)) errno = ENOTDIR;
    else if (!rmdir(folder->path)) { // keeps one that holds anything
        mkdir(folder->path, status.st_mode & 0777);
        return 0;
    } else if (errno == EEXIST || errno == ENOTEMPTY) {
        folder->replaces = force;
        return force ? crl_manifest_check(folder->path, diag)
                     : crl_fail(diag, CRL_ERR_IO,
                                "cannot write '%.200s': it is not empty; name another, or let emit --force replace "
                                "what emit wrote",
                                folder->path);
    }
    return refuse(diag, folder->path);
}

int crl_folder_open(struct crl_folder *folder, const char *path, bool force, struct crl_diag *diag)
{
    size_t length = strlen(path);
    memset(folder, 0, sizeof *folder);
    while (length > 1 && path[length - 1] == '/') length--;
    if (!length) return crl_fail(diag, CRL_ERR_ARGUMENT, "the directory has no name");
    if (length > PATH_MAX - 300) return crl_fail(diag, CRL_ERR_IO, "the name '%.80s…' is too long", path);
    folder->path = strndup(path, length);
    if (!folder->path) return crl_fail_memory(diag);
    int error = check_place(folder, force, diag);
    if (error) return error; // nothing to take away
    folder->temp = malloc(length + 8);
    if (!folder->temp) return crl_fail_memory(diag);
    sprintf(folder->temp, "%s.XXXXXX", folder->path);
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

int crl_folder_open_sub(struct crl_folder *sub, struct crl_folder *of, const char *name, struct crl_diag *diag)
{
    *sub = (struct crl_folder){.temp = malloc(strlen(of->temp) + strlen(name) + 2)};
    if (!sub->temp) return crl_fail_memory(diag);
    sprintf(sub->temp, "%s/%s", of->temp, name);
    int error = crl_folder_end_file(of, diag);
    return error ? error : mkdir(sub->temp, 0777) ? refuse(diag, name) : 0;
}

int crl_folder_close_sub(struct crl_folder *sub, int error, struct crl_diag *diag)
{
    struct crl_diag ignored;
    int end = crl_folder_end_file(sub, error ? &ignored : diag);
    free(sub->temp);
    free(sub->name);
    return error ? error : end;
}

static int take_away(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static int write_manifest(struct crl_folder *folder, struct crl_diag *diag)
{
    CRL_OWNED char *text = NULL;
    int error = crl_manifest_of(&text, folder->temp, diag);
    FILE *file = error ? NULL : crl_folder_file(folder, CRL_MANIFEST, diag);
    if (file) fputs(text, file); // a failure stays in the file
    return file ? crl_folder_end_file(folder, diag) : CRL_ERR_IO;
}

// In one step: what was there before is whole until then, and has the other name afterwards. What make built stays.
static int exchange(struct crl_folder *folder, struct crl_diag *diag)
{
    char old[PATH_MAX], new[PATH_MAX];
    int error = crl_manifest_check(folder->path, diag);
    if (error) return error;
    if (renameat2(AT_FDCWD, folder->temp, AT_FDCWD, folder->path, RENAME_EXCHANGE))
        return crl_fail(diag, CRL_ERR_IO, "cannot replace '%.200s' in one step (%s); take it away first", folder->path,
                        strerror(errno));
    snprintf(old, sizeof old, "%s/%s", folder->temp, CRL_FOLDER_BUILD);
    snprintf(new, sizeof new, "%s/%s", folder->path, CRL_FOLDER_BUILD);
    if (!rename(old, new) || errno == ENOENT) return 0;
    refuse(diag, new);
    free(folder->temp); // keeps it
    folder->temp = NULL;
    return CRL_ERR_IO;
}

static int put_in_place(struct crl_folder *folder, struct crl_diag *diag)
{
    int error = write_manifest(folder, diag);
    if (error) return error;
    if (folder->replaces) return exchange(folder, diag);
    return rename(folder->temp, folder->path) ? refuse(diag, folder->path) : 0;
}

int crl_folder_close(struct crl_folder *folder, int error, struct crl_diag *diag)
{
    struct crl_diag ignored;
    int end = crl_folder_end_file(folder, error ? &ignored : diag);
    if (!error) error = end ? end : put_in_place(folder, diag);
    if (folder->temp && (error || folder->replaces)) nftw(folder->temp, take_away, 8, FTW_DEPTH | FTW_PHYS);
    free(folder->path);
    free(folder->temp);
    free(folder->name);
    memset(folder, 0, sizeof *folder);
    return error;
}

int crl_emit_read(char **text, size_t *size, const char *path, struct crl_diag *diag)
{
    FILE *file = fopen(path, "rb"), *memory = open_memstream(text, size);
    char block[4096];
    size_t got;
    bool bad = !file || !memory;
    int reason = errno;
    while (!bad && (got = fread(block, 1, sizeof block, file))) bad = fwrite(block, 1, got, memory) != got;
    if (!bad && ferror(file)) {
        bad = true;
        reason = errno;
    }
    if (memory && fclose(memory)) bad = true;
    if (file) fclose(file);
    if (!bad) return 0;
    free(*text);
    *text = NULL;
    return crl_fail(diag, CRL_ERR_IO, "cannot read '%.200s': %s", path, strerror(reason));
}
