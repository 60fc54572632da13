// SPDX-License-Identifier: Apache-2.0
// The modules that a top needs: a file a module, found by the names that files mention.
#define _XOPEN_SOURCE 700 // scandir's alphasort
#include "emit/emit.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct module {
    char *name, *path; // of the file, without and with its folder
    bool used, read;
};
struct modules {
    struct module *list;
    const char *without; // names with blanks between
    size_t count, capacity;
};

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && !strcmp(name + n - m, end);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

// Every file of the families, which are the folders of `source`.
static int list(struct modules *modules, const char *source, struct crl_diag *diag)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct dirent *family, *file;
    DIR *all = opendir(source), *files;
    int error = 0;
    if (!all) return crl_fail(diag, CRL_ERR_IO, "cannot read '%.200s': %s", source, strerror(errno));
    while (!error && (family = readdir(all))) {
        if (family->d_name[0] == '.' || snprintf(folder, sizeof folder, "%s/%s", source, family->d_name) >= PATH_MAX)
            continue;
        if (!(files = opendir(folder))) continue; // not a folder
        while (!error && (file = readdir(files))) {
            if (!ends_with(file->d_name, ".sv") && !ends_with(file->d_name, ".svh")) continue;
            if (snprintf(path, sizeof path, "%s/%s", folder, file->d_name) >= PATH_MAX) continue;
            error = crl_grow((void **)&modules->list, &modules->capacity, modules->count, sizeof *modules->list);
            if (error) break;
            struct module *m = &modules->list[modules->count++];
            *m = (struct module){.name = strdup(file->d_name), .path = strdup(path)};
            if (!m->name || !m->path) error = CRL_ERR_MEMORY;
        }
        closedir(files);
    }
    closedir(all);
    if (error) return crl_fail_memory(diag);
    qsort(modules->list, modules->count, sizeof *modules->list, by_name);
    return 0;
}

static bool is_among(const char *words, const char *word, size_t length)
{
    for (size_t n; (n = strcspn(words, " ")); words += n + strspn(words + n, " "))
        if (n == length && !strncmp(words, word, n)) return true;
    return false;
}

// Marks the file of a module or of an include, if there is one of that name.
static bool use(struct modules *modules, const char *word, size_t length)
{
    static const char *const kinds[] = {"sv", "svh"};
    char name[256];
    bool known = false;
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%.*s.%s", (int)length, word, kinds[k]);
        struct module key = {.name = name};
        struct module *found =
            modules->count ? bsearch(&key, modules->list, modules->count, sizeof key, by_name) : NULL;
        if (found) known = found->used = !is_among(modules->without, word, length);
    }
    return known;
}

// Copies one file and marks what it mentions.
static int copy(struct crl_folder *folder, struct modules *modules, const struct module *module, struct crl_diag *diag)
{
    char name[300], *text;
    size_t size;
    int error = crl_emit_read(&text, &size, module->path, diag);
    if (error) return error;
    for (const char *c = text; *c;) {
        size_t length = 0;
        if (c[0] == '/' && c[1] == '/') c += strcspn(c, "\n"); // comments mention others, too
        while (isalnum((unsigned char)c[length]) || c[length] == '_') length++;
        if (length > 4 && !strncmp(c, "crl_", 4)) use(modules, c, length);
        c += length ? length : 1;
    }
    snprintf(name, sizeof name, "rtl/%.255s", module->name);
    FILE *file = crl_folder_file(folder, name, diag);
    if (file) fputs(text, file); // a failure stays in the file
    free(text);
    return file ? 0 : CRL_ERR_IO;
}

int crl_emit_rtl(struct crl_folder *folder, const char *source, const char *tops, const char *without, char **names,
                 struct crl_diag *diag)
{
    struct modules modules = {.without = without};
    size_t size;
    *names = NULL;
    int error = list(&modules, source, diag);
    for (size_t length; !error && (length = strcspn(tops, " ")); tops += length + strspn(tops + length, " "))
        if (!use(&modules, tops, length))
            error = crl_fail(diag, CRL_ERR_IO, "the RTL has no module '%.*s'", (int)length, tops);
    for (size_t i = 0; i < modules.count && !error; i++) { // from the start again after each, until nothing is new
        struct module *m = &modules.list[i];
        if (!m->used || m->read) continue;
        m->read = true;
        error = copy(folder, &modules, m, diag);
        i = SIZE_MAX;
    }
    FILE *memory = error ? NULL : open_memstream(names, &size);
    for (size_t i = 0; memory && i < modules.count; i++)
        if (modules.list[i].used) fprintf(memory, "%s%s", ftell(memory) ? " " : "", modules.list[i].name);
    if (!error && (!memory || fclose(memory))) error = crl_fail_memory(diag);
    for (size_t i = 0; i < modules.count; i++) {
        free(modules.list[i].name);
        free(modules.list[i].path);
    }
    free(modules.list);
    return error;
}
