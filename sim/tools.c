// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *crl_text_new(const char *format, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, format);
    if (vasprintf(&text, format, list) < 0) text = NULL;
    va_end(list);
    return text;
}

/* ---- hashing ---- */

/* FNV-1a. The name of an entry carries the parameters too, so the hash only tells versions of the sources apart. */
uint64_t crl_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t crl_hash_text(uint64_t hash, const char *text) { return crl_hash_bytes(hash, text, strlen(text) + 1); }

int crl_hash_file(uint64_t *hash, const char *dir, const char *name)
{
    char *path = crl_text_new("%s/%s", dir, name);
    unsigned char block[8192];
    size_t n;
    FILE *file;
    int result = CRL_SIM_OK;

    if (!path) return CRL_SIM_ERR_MEMORY;
    file = fopen(path, "rb");
    free(path);
    if (!file) return CRL_SIM_ERR_IO;
    *hash = crl_hash_text(*hash, name);
    while ((n = fread(block, 1, sizeof block, file)) > 0) *hash = crl_hash_bytes(*hash, block, n);
    if (ferror(file)) result = CRL_SIM_ERR_IO;
    fclose(file);
    return result;
}

bool crl_has_suffix(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);

    return n > m && !strcmp(name + n - m, suffix);
}

int crl_hash_dir(uint64_t *hash, const char *dir, int (*filter)(const struct dirent *))
{
    struct dirent **list;
    const int n = scandir(dir, &list, filter, alphasort);
    int result = n < 0 ? CRL_SIM_ERR_IO : CRL_SIM_OK;

    for (int i = 0; i < n; i++) {
        if (!result) result = crl_hash_file(hash, dir, list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0) free(list);
    return result;
}

/* The folders of the RTL, one a family. */
static const char *const rtl_folders[] = {"common", "slot", "logp", "queue", "online"};
enum { RTL_FOLDERS = sizeof rtl_folders / sizeof *rtl_folders };

static int is_rtl(const struct dirent *entry)
{
    return crl_has_suffix(entry->d_name, ".sv") || crl_has_suffix(entry->d_name, ".svh");
}

int crl_hash_rtl(uint64_t *hash, const char *dir)
{
    int result = CRL_SIM_OK;

    for (int i = 0; i < RTL_FOLDERS && !result; i++) {
        char *path = crl_text_new("%s/%s", dir, rtl_folders[i]);

        result = path ? crl_hash_dir(hash, path, is_rtl) : CRL_SIM_ERR_MEMORY;
        free(path);
    }
    return result;
}

/*
 * Finds a program on PATH and adds its identity. Asking verilator for its version costs 0.1 s at every start of a
 * simulation; name, size and time of the file tell an upgrade as well.
 */
int crl_hash_tool(uint64_t *hash, const char *name)
{
    const char *path = getenv("PATH");

    if (!path) path = "/usr/bin:/bin";
    while (*path) {
        const size_t n = strcspn(path, ":");
        char *file = crl_text_new("%.*s/%s", (int)n, path, name);
        struct stat st;

        if (!file) return CRL_SIM_ERR_MEMORY;
        if (n && !access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode)) {
            const int64_t identity[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};

            *hash = crl_hash_text(*hash, file);
            *hash = crl_hash_bytes(*hash, identity, sizeof identity);
            free(file);
            return CRL_SIM_OK;
        }
        free(file);
        path += n + (path[n] == ':');
    }
    return CRL_SIM_ERR_TOOL;
}

/* ---- files ---- */

char *crl_cache_dir(void)
{
    const char *dir;

    if ((dir = getenv("CARILLON_CACHE")) && *dir) return crl_text_new("%s", dir);
    if ((dir = getenv("XDG_CACHE_HOME")) && *dir == '/') return crl_text_new("%s/carillon", dir);
    if ((dir = getenv("HOME")) && *dir) return crl_text_new("%s/.cache/carillon", dir);
    return NULL;
}

int crl_make_dirs(const char *path)
{
    char *copy = crl_text_new("%s", path);
    int result = CRL_SIM_OK;

    if (!copy) return CRL_SIM_ERR_MEMORY;
    for (char *at = copy + 1; !result; at++) {
        const char c = *at;

        if (c && c != '/') continue;
        *at = 0;
        if (mkdir(copy, 0777) && errno != EEXIST) result = CRL_SIM_ERR_IO;
        *at = c;
        if (!c) break;
    }
    free(copy);
    return result;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    remove(path);
    return 0;
}

void crl_remove_tree(const char *dir) { nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

int crl_write_file(const char *dir, const char *name, const char *text)
{
    char *path = crl_text_new("%s/%s", dir, name);
    FILE *file = path ? fopen(path, "w") : NULL;
    int result = CRL_SIM_OK;

    free(path);
    if (!file) return CRL_SIM_ERR_IO;
    if (fputs(text, file) < 0) result = CRL_SIM_ERR_IO;
    if (fclose(file)) result = CRL_SIM_ERR_IO;
    return result;
}

/* Moves a finished file into the cache, on disk before it has its name there. */
int crl_publish(const char *from, const char *to)
{
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    int result = CRL_SIM_OK;

    if (fd < 0) return CRL_SIM_ERR_IO;
    if (fsync(fd) || rename(from, to)) result = CRL_SIM_ERR_IO;
    close(fd);
    return result;
}

void crl_args_add(struct crl_args *args, const char *format, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, format);
    if (args->count == CRL_ARGS_MAX || vasprintf(&text, format, list) < 0) args->failed = true;
    else args->item[args->count++] = text;
    va_end(list);
}

void crl_args_add_rtl(struct crl_args *args, const char *dir)
{
    for (int i = 0; i < RTL_FOLDERS; i++) {
        crl_args_add(args, "-y");
        crl_args_add(args, "%s/%s", dir, rtl_folders[i]);
    }
}

void crl_args_free(struct crl_args *args)
{
    for (int i = 0; i < args->count; i++) free(args->item[i]);
    *args = (struct crl_args){0};
}

/* ---- commands ---- */

/* Starts a command with its output going to a descriptor. */
int crl_command_start(struct crl_args *args, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error;

    if (args->failed) return CRL_SIM_ERR_MEMORY;
    if (posix_spawn_file_actions_init(&actions)) return CRL_SIM_ERR_MEMORY;
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!error) error = posix_spawnp(pid, args->item[0], &actions, NULL, args->item, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !error ? CRL_SIM_OK : error == ENOENT ? CRL_SIM_ERR_TOOL : CRL_SIM_ERR_BUILD;
}

int crl_command_wait(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return CRL_SIM_ERR_BUILD;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? CRL_SIM_OK : CRL_SIM_ERR_BUILD;
}

/* Runs commands side by side, waits for all of them, frees their arguments. The first failure is the result. */
int crl_commands_run(int log, struct crl_args *commands, int n)
{
    pid_t pid[4] = {0};
    bool started[4] = {false};
    int result = CRL_SIM_OK;

    for (int i = 0; i < n && !result; i++) {
        for (int a = 0; a < commands[i].count; a++)
            dprintf(log, "%s%c", commands[i].item[a], a + 1 < commands[i].count ? ' ' : '\n');
        result = crl_command_start(&commands[i], log, &pid[i]);
        started[i] = !result;
    }
    for (int i = 0; i < n; i++) {
        if (started[i]) {
            const int status = crl_command_wait(pid[i]);

            if (!result) result = status;
        }
        crl_args_free(&commands[i]);
    }
    return result;
}
