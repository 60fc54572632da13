// SPDX-License-Identifier: Apache-2.0
/* Hashes, commands and libraries: what building a simulator needs of the operating system. Internal to sim/. */
#ifndef CRL_SIM_TOOLS_H
#define CRL_SIM_TOOLS_H

#include "base/context.h"

#include <dirent.h>

enum { CRL_ARGS_MAX = 64 }; /* arguments of one command */

/* A formatted string of its own, for free(); NULL without memory. */
char *crl_text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 64-bit FNV hashes, chained: each continues `hash`, which begins as CRL_HASH. Those that read files return 0, or
 * CRL_ERR_IO and the like with the file that cannot be read; a tool that is not on PATH is CRL_ERR_TOOL. */
#define CRL_HASH UINT64_C(14695981039346656037)
uint64_t crl_hash_text(uint64_t hash, const char *text);
int crl_hash_file(uint64_t *hash, const char *dir, const char *name, struct crl_diag *diag);
int crl_hash_dir(uint64_t *hash, const char *dir, int (*filter)(const struct dirent *), struct crl_diag *diag);
int crl_hash_rtl(uint64_t *hash, const char *dir, struct crl_diag *diag);
int crl_hash_tools(uint64_t *hash, struct crl_diag *diag); /* those that simulators are built with */

bool crl_has_suffix(const char *name, const char *suffix);
int crl_write_file(const char *dir, const char *name, const char *text, struct crl_diag *diag);

/* Arguments of one command; the strings are owned. */
struct crl_args {
    char *item[CRL_ARGS_MAX + 1];
    int count;
    bool failed;
};

void crl_args_add(struct crl_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
void crl_args_list(struct crl_args *args, const char *const *items); /* up to NULL */
void crl_args_add_rtl(struct crl_args *args, const char *dir);       /* where Verilator finds modules and includes */
void crl_args_free(struct crl_args *args);
int crl_hash_args(uint64_t *hash, struct crl_args *args, struct crl_diag *diag); /* and frees them */

/*
 * Runs commands side by side with their output going to `log`, and frees their arguments. Tools speak English whatever
 * the locale. Errors: TOOL when there is no such program, BUILD when one fails, MEMORY, INTERRUPTED.
 */
int crl_commands_run(int log, struct crl_args *commands, int n, const struct crl_context *context);
/* Where this Verilator keeps the sources of its runtime, for free(). Errors as above. */
int crl_verilator_root(int log, char **root);

/* What commands say while an entry of the cache is made in `folder`. */
struct crl_log {
    int file;
    char *path, *kept; /* owned */
};
int crl_log_open(struct crl_log *log, const char *folder, const char *cache, const char *entry, struct crl_diag *diag);
/*
 * Passes on why a command failed: for CRL_ERR_BUILD the first errors of the log, which is kept beside the entries. Also
 * after crl_log_open failed. Returns the error.
 */
int crl_log_close(struct crl_log *log, int error, const char *what, struct crl_diag *diag);

/* A compiled simulator that is loaded. */
struct crl_library {
    void *handle;
    int file;
};

/*
 * Loads the open file itself, whatever its name leads to by now, and takes it over. `key` is what the library calls
 * itself in its symbol crl_library_key. Errors: LOAD.
 */
int crl_library_open(struct crl_library *library, int file, const char *key, struct crl_diag *diag);
void crl_library_close(struct crl_library *library);
/* The text to compile into a library, for free(). */
char *crl_library_key_text(const char *key);

#endif
