// SPDX-License-Identifier: Apache-2.0
// One file of Verilog-2005 in the place of the modules: yosys writes it, with what the tables hold.
#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np
#include "emit/emit.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Runs yosys in the folder. What it says goes to standard error, as far as there is anything: warnings are asked for by
// nobody, so it is errors.
static int run(const struct crl_folder *folder, char *script, struct crl_diag *diag)
{
    char *words[] = {"yosys", "-q", "-q", "-p", script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions)) return crl_fail_memory(diag);
    int error = posix_spawn_file_actions_addchdir_np(&actions, folder->temp);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return crl_fail(diag, CRL_ERR_TOOL,
                        "Verilog is written by yosys, which is not there; scripts/setup installs it");
    while (!error && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) error = errno;
    if (error || !WIFEXITED(status) || WEXITSTATUS(status))
        return crl_fail(diag, CRL_ERR_BUILD, "yosys could not write the fabric as Verilog");
    return 0;
}

// Takes away the files of a folder, and the folder.
static void clear(const struct crl_folder *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder->temp, name);
    DIR *all = opendir(path);
    for (struct dirent *file; all && (file = readdir(all));) {
        if (file->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", folder->temp, name, file->d_name);
        unlink(path);
    }
    if (all) closedir(all);
    snprintf(path, sizeof path, "%s/%s", folder->temp, name);
    rmdir(path);
}

int crl_emit_verilog(struct crl_folder *folder, const char *top, struct crl_diag *diag)
{
    char script[512 + 3 * NAME_MAX], path[PATH_MAX];
    int error = crl_folder_end_file(folder, diag);
    if (error) return error;
    snprintf(script, sizeof script,
             "read_verilog -sv -Irtl rtl/*.sv %s.sv; hierarchy -check -top %s; proc; pmuxtree; opt_clean; "
             "write_verilog -noattr %s.v",
             top, top, top);
    error = run(folder, script, diag);
    if (error) return error;
    clear(folder, "rtl");
    clear(folder, "tables");
    snprintf(path, sizeof path, "%s/%s.sv", folder->temp, top);
    unlink(path);
    return 0;
}
