// SPDX-License-Identifier: Apache-2.0
#include "top.h"
#include "base/cache.h"
#include "base/context.h"
#include "tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One build of a design; the strings are owned. */
struct build {
    const char *board, *netlist;
    const char *dir; /* what it is built in */
    char *root, *name;
    char data[PATH_MAX]; /* the folder of the sources */
    char design[64];     /* as board.conf has it, folder/module */
    struct crl_cache cache;
    void (*message)(const char *text);
};

static int is_source(const struct dirent *entry)
{
    return crl_has_suffix(entry->d_name, ".sv") || crl_has_suffix(entry->d_name, ".svh");
}

static int is_cpp(const struct dirent *entry) { return crl_has_suffix(entry->d_name, ".cpp"); }

static bool is_slow(const struct dirent *entry) { return crl_has_suffix(entry->d_name, "Slow.cpp"); }

static int is_shim(const struct dirent *entry) { return !strncmp(entry->d_name, "top", 3); }

/* The design and its parameters: lines `design=folder/module` and `Name=Value` of the board's board.conf. */
static int read_conf(struct build *build, struct crl_args *args, struct crl_diag *diag)
{
    char line[256];
    char *path = crl_text_new("%s/fpga/%s/board.conf", build->data, build->board);
    FILE *file = path ? fopen(path, "r") : NULL;

    free(path);
    if (!file) return crl_fail(diag, CRL_ERR_ARGUMENT, "there is no FPGA design for this board, '%s'", build->board);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, " \t#\r\n")] = 0;
        if (*line >= 'A' && *line <= 'Z' && strchr(line, '=') && !build->netlist) crl_args_add(args, "-G%s", line);
        sscanf(line, "design=%63s", build->design);
    }
    fclose(file);
    crl_args_add(args, "--top-module");
    crl_args_add(args, "%s", strchr(build->design, '/') + 1);
    return 0;
}

static int add_verilator(struct build *build, struct crl_args *args, struct crl_diag *diag)
{
    static const char *const flags[] = {
        "verilator", "--cc",        "-O3",    "--assert",   "--x-assign",
        "fast",      "--x-initial", "unique", "-Wno-fatal", /* the project's lint is elsewhere */
        "--prefix",  "Vcrl_board",  "--Mdir", NULL};
    int result;

    crl_args_list(args, flags);
    crl_args_add(args, "%s/model", build->dir);
    result = read_conf(build, args, diag);
    if (result) return result;
    if (build->netlist) {
        crl_args_add(args, "-DNO_ICE40_DEFAULT_ASSIGNMENTS"); /* of yosys' cells, which Verilator cannot read */
        crl_args_add(args, "%s", build->netlist);
        return 0;
    }
    crl_args_add(args, "-y");
    crl_args_add(args, "%s/fpga/common", build->data);
    crl_args_add(args, "-y");
    crl_args_add(args, "%s/fpga/live", build->data);
    crl_args_add(args, "-y");
    crl_args_add(args, "%s/fpga/cluster", build->data);
    char *rtl = crl_text_new("%s/rtl", build->data);
    if (!rtl) return crl_fail_memory(diag);
    crl_args_add_rtl(args, rtl);
    free(rtl);
    crl_args_add(args, "%s/fpga/%s.sv", build->data, build->design);
    return 0;
}

static int hash_sources(uint64_t *hash, const char *data, struct crl_diag *diag)
{
    CRL_OWNED char *rtl = crl_text_new("%s/rtl", data), *common = crl_text_new("%s/fpga/common", data),
                   *live = crl_text_new("%s/fpga/live", data), *cluster = crl_text_new("%s/fpga/cluster", data);
    int error = rtl && common && live && cluster ? crl_hash_rtl(hash, rtl, diag) : crl_fail_memory(diag);
    if (!error) error = crl_hash_dir(hash, common, is_source, diag);
    if (!error) error = crl_hash_dir(hash, live, is_source, diag);
    if (!error) error = crl_hash_dir(hash, cluster, is_source, diag);
    return error;
}

/* What decides the compiled design: sources, parameters, flags, tools. The directory it is built in does not. */
static int name_build(struct build *build, struct crl_diag *diag)
{
    uint64_t hash = CRL_HASH;
    struct crl_args args = {0};
    int error;

    error = crl_hash_tools(&hash, diag);
    if (!error && crl_context_data(NULL, build->data, sizeof build->data)) error = crl_fail_memory(diag);
    build->dir = "";
    if (!error) error = add_verilator(build, &args, diag);
    if (!error) error = crl_hash_args(&hash, &args, diag);
    crl_args_free(&args);
    if (!error) error = crl_hash_dir(&hash, CRL_VBOARD_DIR, is_shim, diag);
    if (!error && build->netlist) error = crl_hash_file(&hash, *build->netlist == '/' ? "" : ".", build->netlist, diag);
    if (!error && !build->netlist) error = hash_sources(&hash, build->data, diag);
    if (error) return error;
    build->name = crl_text_new("board-%s-%016llx", build->board, (unsigned long long)hash);
    return build->name ? 0 : crl_fail_memory(diag);
}

/*
 * One file that includes everything: runtime, model, shim. The runtime's messages go to standard error. What runs once
 * ("Slow") comes last and is compiled as it is, which takes a tenth of the time.
 */
static int write_unity(const struct build *build, struct crl_diag *diag)
{
    struct dirent **list;
    char *path = crl_text_new("%s/unity.cpp", build->dir), *dir = crl_text_new("%s/model", build->dir);
    FILE *file = path ? fopen(path, "w") : NULL;
    char *key = crl_library_key_text(build->name);
    const int n = dir ? scandir(dir, &list, is_cpp, alphasort) : -1;
    bool good = file && n > 0 && key;

    CRL_FREE(path, dir);
    if (file) {
        fprintf(file, "#include <cstdio>\n#define VL_PRINTF(...) fprintf(stderr, __VA_ARGS__)\n"
                      "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n"
                      "#include \"Vcrl_board.h\"\n#include \"Vcrl_board___024root.h\"\n");
        for (int i = 0; i < n; i++)
            if (!is_slow(list[i])) fprintf(file, "#include \"%s\"\n", list[i]->d_name);
        fprintf(file, "#include \"top_shim.cpp\"\n#pragma GCC optimize (\"O0\")\n");
        for (int i = 0; i < n; i++)
            if (is_slow(list[i])) fprintf(file, "#include \"%s\"\n", list[i]->d_name);
        if (key) fputs(key, file);
        if (fclose(file)) good = false;
    }
    free(key);
    for (int i = 0; i < n; i++) free(list[i]);
    if (n >= 0) free(list);
    return good ? 0 : crl_fail(diag, CRL_ERR_IO, "cannot write to '%s': %s", build->dir, strerror(errno));
}

static int compile(struct build *build, int log, struct crl_diag *diag)
{
    static const char *const flags[] = {"g++",
                                        "-std=c++17",
                                        "-w", /* of generated code there is nothing to learn */
                                        "-fPIC",
                                        "-shared",
                                        "-fvisibility=hidden",
                                        "-Wl,-Bsymbolic",
                                        "-DVM_COVERAGE=0",
                                        "-DVM_SC=0",
                                        "-DVM_TRACE=0",
                                        "-pthread",
                                        NULL};
    struct crl_args args = {0};
    int result = add_verilator(build, &args, diag);

    if (!result) result = crl_commands_run(log, &args, 1, NULL);
    if (!result) result = crl_verilator_root(log, &build->root);
    if (!result) result = write_unity(build, diag);
    if (result) return result;
    crl_args_list(&args, flags);
    crl_args_add(&args, build->netlist ? "-O1" : "-O2"); /* a netlist is ten times the code */
    crl_args_add(&args, "-I%s/include", build->root);
    crl_args_add(&args, "-I%s/include/vltstd", build->root);
    crl_args_add(&args, "-I%s/model", build->dir);
    crl_args_add(&args, "-I%s", CRL_VBOARD_DIR);
    crl_args_add(&args, "-o");
    crl_args_add(&args, "%s/made", build->dir);
    crl_args_add(&args, "%s/unity.cpp", build->dir);
    return crl_commands_run(log, &args, 1, NULL);
}

static int make(void *user, const char *folder, struct crl_diag *diag)
{
    struct build *build = user;
    struct crl_log log;
    int error = crl_log_open(&log, folder, build->cache.path, build->name, diag);

    build->message("building the FPGA's design (once)");
    build->dir = folder;
    if (!error) error = compile(build, log.file, diag);
    return crl_log_close(&log, error, "the FPGA's design cannot be built", diag);
}

/* The design stays loaded. */
static int load(struct build *build, const struct crl_vtop_ops **ops, struct crl_diag *diag)
{
    struct crl_library library;
    const struct crl_vtop_ops *(*get)(void);
    int file, error;

    error = crl_cache_make(&build->cache, build->name, false, make, build, &file, diag);
    if (!error) error = crl_library_open(&library, file, build->name, diag);
    if (error) return error;
    *(void **)&get = dlsym(library.handle, CRL_VTOP_ENTRY);
    if (!get || get()->abi != CRL_VTOP_ABI)
        return crl_fail(diag, CRL_ERR_LOAD, "the FPGA's compiled design cannot be loaded: wrong version");
    *ops = get();
    return 0;
}

const struct crl_vtop_ops *crl_vtop_load(const char *board, const char *netlist, void (*message)(const char *text),
                                         char *error, size_t error_size)
{
    struct build build = {.board = board, .netlist = netlist, .message = message};
    const struct crl_vtop_ops *ops = NULL;
    struct crl_diag diag = {0};
    int failed;

    failed = name_build(&build, &diag);
    if (!failed) failed = crl_cache_enter(&build.cache, NULL, true, &diag);
    if (!failed) {
        failed = load(&build, &ops, &diag);
        crl_cache_leave(&build.cache);
    }
    if (failed) snprintf(error, error_size, "%s", diag.text);
    CRL_FREE(build.root, build.name);
    return ops;
}
