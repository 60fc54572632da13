// SPDX-License-Identifier: Apache-2.0
// What an emitted directory is made of, in the words of sha256sum: one that is as it was written may be written again.
#define _DEFAULT_SOURCE // fts
#include "demand/demand.h"
#include "emit/emit.h"
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

static const char title[] = "# Written by carillon emit. 'sha256sum -c SHA256SUMS' finds what has changed since.\n";

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

// A file and the sum of its bytes; what is neither a file nor a folder has none.
static int put_file(FILE *list, const FTSENT *entry, const char *name, struct crl_diag *diag)
{
    char sum[65] = "-", *text = NULL;
    size_t size;
    int error = entry->fts_info == FTS_F ? crl_emit_read(&text, &size, entry->fts_accpath, diag) : 0;
    if (text) crl_sha256(text, size, sum);
    free(text);
    fprintf(list, "%s  %s\n", sum, name);
    return error;
}

// What is in the directory but the list itself, build/, where its Makefile and those of its folders write, and what
// Python keeps beside the module for LiteX.
static int put_all(FILE *list, FTS *walk, size_t prefix, struct crl_diag *diag)
{
    int error = 0;
    for (FTSENT *entry; !error && (entry = fts_read(walk));) {
        const bool top = entry->fts_level == 1;
        if ((entry->fts_level <= 2 && !strcmp(entry->fts_name, CRL_FOLDER_BUILD)) ||
            (top && !strcmp(entry->fts_name, "__pycache__")))
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            error = crl_fail(diag, CRL_ERR_IO, "cannot read '%.200s': %s", entry->fts_path, strerror(entry->fts_errno));
        else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
                 !(top && !strcmp(entry->fts_name, CRL_MANIFEST)))
            error = put_file(list, entry, entry->fts_path + prefix, diag);
    }
    return error;
}

int crl_manifest_of(char **text, const char *path, struct crl_diag *diag)
{
    char *const roots[] = {(char *)path, NULL};
    size_t size;
    FILE *list = open_memstream(text, &size);
    if (!list) return crl_fail_memory(diag);
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    fputs(title, list);
    int error = walk ? put_all(list, walk, strlen(path) + 1, diag)
                     : crl_fail(diag, CRL_ERR_IO, "cannot read '%.200s': %s", path, strerror(errno));
    if (walk) fts_close(walk);
    if (fclose(list) && !error) error = crl_fail_memory(diag);
    return error;
}

static const char *name_in(const char *line)
{
    const char *name = strstr(line, "  ");
    return name ? name + 2 : line;
}

// The first line in which the lists differ names what was changed, added or taken away.
static int say_change(const char *path, const char *was, const char *is, struct crl_diag *diag)
{
    size_t same = 0;
    while (was[same] == is[same]) same++;
    while (same && was[same - 1] != '\n') same--;
    const char *a = name_in(was + same), *b = name_in(is + same), *name = !*b || (*a && strcmp(a, b) < 0) ? a : b;
    return crl_fail(diag, CRL_ERR_IO,
                    "'%.200s' is not as emit wrote it, and --force replaces nothing else: look at '%.*s'", path,
                    (int)strcspn(name, "\n"), name);
}

int crl_manifest_check(const char *path, struct crl_diag *diag)
{
    char name[4096], *was = NULL, *is = NULL;
    size_t size;
    snprintf(name, sizeof name, "%s/%s", path, CRL_MANIFEST);
    if (crl_emit_read(&was, &size, name, diag) || strncmp(was, title, sizeof title - 1)) {
        free(was);
        return crl_fail(diag, CRL_ERR_IO, "'%.200s' was not written by emit, and --force replaces nothing else", path);
    }
    int error = crl_manifest_of(&is, path, diag);
    if (!error && strcmp(was, is)) error = say_change(path, was, is, diag);
    free(was);
    free(is);
    return error;
}
