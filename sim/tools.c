// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { COMMANDS_MAX = 4, POLL_NANOSECONDS = 20000000, LIBRARY_NAMES_MAX = 256 };

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

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t crl_hash_text(uint64_t hash, const char *text) { return hash_bytes(hash, text, strlen(text) + 1); }

int crl_hash_file(uint64_t *hash, const char *dir, const char *name, struct crl_diag *diag)
{
    CRL_OWNED char *path = crl_text_new("%s/%s", dir, name);
    FILE *file = path ? fopen(path, "rb") : NULL;
    unsigned char block[8192];
    size_t n;
    int error = 0;

    if (!path) return crl_fail_memory(diag);
    *hash = crl_hash_text(*hash, name);
    while (file && (n = fread(block, 1, sizeof block, file)) > 0) *hash = hash_bytes(*hash, block, n);
    if (!file || ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (file) fclose(file);
    return error;
}

bool crl_has_suffix(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);

    return n > m && !strcmp(name + n - m, suffix);
}

int crl_hash_dir(uint64_t *hash, const char *dir, int (*filter)(const struct dirent *), struct crl_diag *diag)
{
    CRL_OWNED struct dirent **list = NULL;
    const int n = scandir(dir, &list, filter, alphasort);
    int error = 0;

    if (n < 0) return crl_fail(diag, CRL_ERR_IO, "cannot read '%s': %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (!error) error = crl_hash_file(hash, dir, list[i]->d_name, diag);
        free(list[i]);
    }
    return error;
}

/* The folders of the RTL, one a family. */
static const char *const rtl_folders[] = {"common", "stream", "slot", "logp", "queue", "online", "board"};
enum { RTL_FOLDERS = sizeof rtl_folders / sizeof *rtl_folders };

static int is_rtl(const struct dirent *entry)
{
    return crl_has_suffix(entry->d_name, ".sv") || crl_has_suffix(entry->d_name, ".svh");
}

int crl_hash_rtl(uint64_t *hash, const char *dir, struct crl_diag *diag)
{
    int error = 0;

    for (int i = 0; i < RTL_FOLDERS && !error; i++) {
        char *path = crl_text_new("%s/%s", dir, rtl_folders[i]);

        error = path ? crl_hash_dir(hash, path, is_rtl, diag) : crl_fail_memory(diag);
        free(path);
    }
    return error;
}

/*
 * Finds a program on PATH and adds its identity. Asking verilator for its version costs 0.1 s at every start of a
 * simulation; name, size and time of the file tell an upgrade as well.
 */
static int hash_tool(uint64_t *hash, const char *name)
{
    const char *path = getenv("PATH");

    if (!path) path = "/usr/bin:/bin";
    while (*path) {
        const size_t n = strcspn(path, ":");
        char *file = crl_text_new("%.*s/%s", (int)n, path, name);
        struct stat st;

        if (!file) return CRL_ERR_MEMORY;
        if (n && !access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode)) {
            const int64_t identity[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};

            *hash = crl_hash_text(*hash, file);
            *hash = hash_bytes(*hash, identity, sizeof identity);
            free(file);
            return 0;
        }
        free(file);
        path += n + (path[n] == ':');
    }
    return CRL_ERR_TOOL;
}

int crl_hash_tools(uint64_t *hash, struct crl_diag *diag)
{
    int error = hash_tool(hash, "verilator");

    if (!error) {
        hash_tool(hash, "verilator_bin"); /* some installations have only the former on PATH */
        error = hash_tool(hash, "g++");
    }
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    return error
               ? crl_fail(diag, error, "verilator and g++ are needed to simulate the RTL; scripts/setup installs them")
               : 0;
}

int crl_write_file(const char *dir, const char *name, const char *text, struct crl_diag *diag)
{
    CRL_OWNED char *path = crl_text_new("%s/%s", dir, name);
    FILE *file = path ? fopen(path, "w") : NULL;
    bool bad = !file || fputs(text, file) < 0;

    if (file) bad |= fclose(file) != 0;
    if (bad) crl_fail(diag, CRL_ERR_IO, "cannot write '%s/%s': %s", dir, name, strerror(errno));
    return bad ? CRL_ERR_IO : 0;
}

/* ---- commands ---- */

void crl_args_add(struct crl_args *args, const char *format, ...)
{
    va_list list;
    char *text = NULL;

    va_start(list, format);
    if (args->count == CRL_ARGS_MAX || vasprintf(&text, format, list) < 0) args->failed = true;
    else args->item[args->count++] = text;
    va_end(list);
}

void crl_args_list(struct crl_args *args, const char *const *items)
{
    for (; *items; items++) crl_args_add(args, "%s", *items);
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

int crl_hash_args(uint64_t *hash, struct crl_args *args, struct crl_diag *diag)
{
    const bool failed = args->failed;

    for (int i = 0; i < args->count; i++) *hash = crl_hash_text(*hash, args->item[i]);
    crl_args_free(args);
    return failed ? crl_fail_memory(diag) : 0;
}

/* The environment for tools: what they say is read, or shown to users who may have named a locale that is not there. */
static char **plain_environment(void)
{
    static char locale[] = "LC_ALL=C";
    size_t count = 0, kept = 0;

    while (environ[count]) count++;
    char **plain = malloc((count + 2) * sizeof *plain);

    if (!plain) return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7)) plain[kept++] = environ[i];
    plain[kept++] = locale;
    plain[kept] = NULL;
    return plain;
}

/* Starts a command with its output, and what it says of errors, going to descriptors. */
static int start(struct crl_args *args, int output, int errors, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    char **environment = plain_environment();
    int error;

    if (args->failed || !environment || posix_spawn_file_actions_init(&actions)) {
        free(environment);
        return CRL_ERR_MEMORY;
    }
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, errors, 2);
    if (!error) error = posix_spawnp(pid, args->item[0], &actions, NULL, args->item, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return !error ? 0 : error == ENOENT ? CRL_ERR_TOOL : CRL_ERR_BUILD;
}

static int wait_for(pid_t pid, const struct crl_context *context)
{
    const struct timespec tick = {.tv_nsec = POLL_NANOSECONDS};
    const bool watched = context && context->cancelled;
    bool stopped = false;
    int status;

    for (;;) {
        const pid_t ended = waitpid(pid, &status, watched && !stopped ? WNOHANG : 0);

        if (ended == pid) break;
        if (ended < 0 && errno != EINTR) return CRL_ERR_BUILD;
        if (ended == 0 && crl_context_cancelled(context)) stopped = !kill(pid, SIGTERM);
        else if (ended == 0) nanosleep(&tick, NULL);
    }
    if (stopped) return CRL_ERR_INTERRUPTED;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : CRL_ERR_BUILD;
}

int crl_commands_run(int log, struct crl_args *commands, int n, const struct crl_context *context)
{
    pid_t pid[COMMANDS_MAX];
    int started = 0, error = 0;

    for (; started < n && !error; started += !error) {
        for (int a = 0; a < commands[started].count; a++)
            dprintf(log, "%s%c", commands[started].item[a], a + 1 < commands[started].count ? ' ' : '\n');
        error = start(&commands[started], log, log, &pid[started]);
    }
    for (int i = 0; i < started; i++) {
        const int failed = wait_for(pid[i], context);

        if (!error) error = failed;
    }
    for (int i = 0; i < n; i++) crl_args_free(&commands[i]);
    return error;
}

int crl_verilator_root(int log, char **root)
{
    static const char *const command[] = {"verilator", "--getenv", "VERILATOR_ROOT", NULL};
    struct crl_args args = {0};
    char text[4096];
    size_t size = 0;
    ssize_t n;
    int ends[2];
    pid_t pid;

    *root = NULL;
    if (pipe2(ends, O_CLOEXEC)) return CRL_ERR_MEMORY; /* too many files are open */
    crl_args_list(&args, command);
    int error = start(&args, ends[1], log, &pid); /* warnings are no part of the answer */
    close(ends[1]);
    while (!error && size < sizeof text - 1 && (n = read(ends[0], text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    close(ends[0]);
    if (!error) error = wait_for(pid, NULL);
    crl_args_free(&args);
    if (error) return error;
    text[size] = 0;
    text[strcspn(text, "\r\n")] = 0;
    *root = crl_text_new("%s", text);
    return *root ? 0 : CRL_ERR_MEMORY;
}

static int explain(int error, const char *log, const char *to, const char *what, struct crl_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file;

    if (error == CRL_ERR_TOOL) return crl_fail(diag, error, "%s: a tool is missing; scripts/setup installs it", what);
    if (error == CRL_ERR_INTERRUPTED) return crl_fail(diag, error, "%s: interrupted", what);
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    if (error != CRL_ERR_BUILD) return error;
    if ((file = fopen(log, "r"))) {
        if (getdelim(&text, &size, 0, file) < 0) {
            free(text);
            text = NULL;
        }
        fclose(file);
    }
    rename(log, to);
    /* Of Verilator or of the compiler: the first is what the rest follows from. */
    const char *first = text ? strstr(text, "rror:") : NULL;
    if (text && !first) first = strstr(text, "%Error");
    while (first && first > text && first[-1] != '\n') first--;
    crl_fail(diag, error, "%s; the log is '%.150s'%s%.280s", what, to, first ? ":\n" : "", first ? first : "");
    free(text);
    return error;
}

int crl_log_open(struct crl_log *log, const char *folder, const char *cache, const char *entry, struct crl_diag *diag)
{
    *log = (struct crl_log){-1, crl_text_new("%s/log", folder), crl_text_new("%s/%s.log", cache, entry)};
    if (!log->path || !log->kept) return crl_fail_memory(diag);
    log->file = open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return log->file < 0 ? crl_fail(diag, CRL_ERR_IO, "cannot write '%s': %s", log->path, strerror(errno)) : 0;
}

int crl_log_close(struct crl_log *log, int error, const char *what, struct crl_diag *diag)
{
    if (error && log->file >= 0) error = explain(error, log->path, log->kept, what, diag);
    if (log->file >= 0) close(log->file);
    CRL_FREE(log->path, log->kept);
    return error;
}

/* ---- libraries ---- */

#define KEY_SYMBOL "crl_library_key"

char *crl_library_key_text(const char *key)
{
    return crl_text_new("extern \"C\" __attribute__((visibility(\"default\"))) const char " KEY_SYMBOL "[] = \"%s\";\n",
                        key);
}

/*
 * The dynamic linker knows a library by the names it was loaded under, /proc/self/fd/N here, also when N has become
 * another file since. The library's own name tells; another descriptor is another name.
 */
int crl_library_open(struct crl_library *library, int file, const char *key, struct crl_diag *diag)
{
    const char *why = "it is none of ours";

    for (int tries = 0; tries < LIBRARY_NAMES_MAX; tries++) {
        char name[32];

        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        const char *called = handle ? dlsym(handle, KEY_SYMBOL) : NULL;

        if (called && !strcmp(called, key)) {
            *library = (struct crl_library){handle, file};
            return 0;
        }
        if (!handle) {
            why = dlerror();
            break;
        }
        dlclose(handle);
        const int other = fcntl(file, F_DUPFD_CLOEXEC, file + 1);
        if (other < 0) break;
        close(file);
        file = other;
    }
    close(file);
    return crl_fail(diag, CRL_ERR_LOAD, "the compiled simulator '%s' cannot be loaded: %s", key, why);
}

void crl_library_close(struct crl_library *library)
{
    if (!library->handle) return;
    dlclose(library->handle);
    close(library->file);
    library->handle = NULL;
}
