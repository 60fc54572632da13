// SPDX-License-Identifier: Apache-2.0
/* Files, hashes and commands: what building a simulator needs of the operating system. */
#ifndef CRL_SIM_TOOLS_H
#define CRL_SIM_TOOLS_H

#include "crl_sim.h"

#include <dirent.h>
#include <sys/types.h>

enum { CRL_ARGS_MAX = 64 }; /* arguments of one command */

/* A formatted string of its own, for free(); NULL without memory. */
char *crl_text_new(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 64-bit FNV hashes, chained: each continues `hash`. Those that read files return CRL_SIM_OK or CRL_SIM_ERR_*. */
uint64_t crl_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t crl_hash_text(uint64_t hash, const char *text);
int crl_hash_file(uint64_t *hash, const char *dir, const char *name);
int crl_hash_dir(uint64_t *hash, const char *dir, int (*filter)(const struct dirent *));
int crl_hash_rtl(uint64_t *hash, const char *dir);
int crl_hash_tool(uint64_t *hash, const char *name);

/* Directory of compiled designs, for free(): what lies there is executed, so none that is shared will do. NULL: none.
 */
char *crl_cache_dir(void);

bool crl_has_suffix(const char *name, const char *suffix);
int crl_make_dirs(const char *path);
void crl_remove_tree(const char *dir);
int crl_write_file(const char *dir, const char *name, const char *text);
int crl_publish(const char *from, const char *to);

/* Arguments of one command; the strings are owned. */
struct crl_args {
    char *item[CRL_ARGS_MAX + 1];
    int count;
    bool failed;
};

void crl_args_add(struct crl_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
void crl_args_add_rtl(struct crl_args *args, const char *dir); /* where Verilator finds modules and includes */
void crl_args_free(struct crl_args *args);
/* Starts a command with its output going to a descriptor; waits for one: CRL_SIM_OK, or CRL_SIM_ERR_TOOL or _BUILD. */
int crl_command_start(struct crl_args *args, int output, pid_t *pid);
int crl_command_wait(pid_t pid);
/* Runs commands side by side with their output going to `log`, and frees their arguments. */
int crl_commands_run(int log, struct crl_args *commands, int n);

#endif
