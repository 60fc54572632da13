// SPDX-License-Identifier: Apache-2.0
#include "top.h"
#include "tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One build of a design; the strings are owned. */
struct build {
    const char *board, *netlist;
    char *cache, *dir, *root, *name;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct build *build, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(build->error, build->error_size, format, list);
    va_end(list);
    return CRL_SIM_ERR_BUILD;
}

static int is_source(const struct dirent *entry)
{
    return crl_has_suffix(entry->d_name, ".sv") || crl_has_suffix(entry->d_name, ".svh");
}

static int is_cpp(const struct dirent *entry) { return crl_has_suffix(entry->d_name, ".cpp"); }

static bool is_slow(const struct dirent *entry) { return crl_has_suffix(entry->d_name, "Slow.cpp"); }

static int is_shim(const struct dirent *entry) { return !strncmp(entry->d_name, "top", 3); }

/* The board's parameters of the design: lines `Name=Value` of its board.conf, as Verilator takes them. */
static int add_parameters(const struct build *build, struct crl_args *args)
{
    char line[256];
    char *path = crl_text_new("%s/%s/board.conf", CRL_VBOARD_FPGA_DIR, build->board);
    FILE *file = path ? fopen(path, "r") : NULL;

    free(path);
    if (!file) return refuse(build, "there is no FPGA design for this board, '%s'", build->board);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, " \t#\r\n")] = 0;
        if (*line >= 'A' && *line <= 'Z' && strchr(line, '=')) crl_args_add(args, "-G%s", line);
    }
    fclose(file);
    return CRL_SIM_OK;
}

static int add_verilator(const struct build *build, struct crl_args *args)
{
    int result = CRL_SIM_OK;

    crl_args_add(args, "verilator");
    crl_args_add(args, "--cc");
    crl_args_add(args, "-O3");
    crl_args_add(args, "--assert");
    crl_args_add(args, "--x-assign");
    crl_args_add(args, "fast");
    crl_args_add(args, "--x-initial");
    crl_args_add(args, "fast");
    crl_args_add(args, "-Wno-fatal"); /* the project's lint is elsewhere */
    crl_args_add(args, "--top-module");
    crl_args_add(args, "crl_board");
    crl_args_add(args, "--Mdir");
    crl_args_add(args, "%s/model", build->dir);
    if (build->netlist) {
        crl_args_add(args, "-DNO_ICE40_DEFAULT_ASSIGNMENTS"); /* of yosys' cells, which Verilator cannot read */
        crl_args_add(args, "%s", build->netlist);
        return CRL_SIM_OK;
    }
    crl_args_add(args, "-y");
    crl_args_add(args, "%s/common", CRL_VBOARD_FPGA_DIR);
    crl_args_add_rtl(args, CRL_VBOARD_RTL_DIR);
    result = add_parameters(build, args);
    crl_args_add(args, "%s/common/crl_board.sv", CRL_VBOARD_FPGA_DIR);
    return result;
}

/* What decides the compiled design: sources, parameters, flags, tools. The directory it is built in does not. */
static int name_build(struct build *build)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    struct crl_args args = {0};
    char nowhere[] = "";
    int result;

    if (crl_hash_tool(&hash, "verilator") || crl_hash_tool(&hash, "g++"))
        return refuse(build, "verilator and g++ are needed for the FPGA's design; scripts/setup installs them");
    build->dir = nowhere;
    result = add_verilator(build, &args);
    build->dir = NULL;
    for (int i = 0; i < args.count; i++) hash = crl_hash_text(hash, args.item[i]);
    crl_args_free(&args);
    if (result) return result;
    if (crl_hash_dir(&hash, CRL_VBOARD_DIR, is_shim))
        return refuse(build, "the sources cannot be read, '%s'", CRL_VBOARD_DIR);
    if (build->netlist) {
        if (crl_hash_file(&hash, *build->netlist == '/' ? "" : ".", build->netlist))
            return refuse(build, "the netlist cannot be read, '%s'", build->netlist);
    } else if (crl_hash_rtl(&hash, CRL_VBOARD_RTL_DIR) || crl_hash_dir(&hash, CRL_VBOARD_FPGA_DIR "/common", is_source))
        return refuse(build, "the sources cannot be read, '%s'", CRL_VBOARD_FPGA_DIR);
    build->name = crl_text_new("board-%s-%016llx", build->board, (unsigned long long)hash);
    return build->name ? CRL_SIM_OK : CRL_SIM_ERR_MEMORY;
}

/* Where this Verilator keeps the sources of its runtime. */
static int find_root(struct build *build)
{
    struct crl_args args = {0};
    char *path = crl_text_new("%s/root", build->dir);
    const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    char text[4096];
    ssize_t n;
    pid_t pid;
    int result;

    free(path);
    if (fd < 0) return CRL_SIM_ERR_IO;
    crl_args_add(&args, "verilator");
    crl_args_add(&args, "--getenv");
    crl_args_add(&args, "VERILATOR_ROOT");
    result = crl_command_start(&args, fd, &pid);
    if (!result) result = crl_command_wait(pid);
    crl_args_free(&args);
    n = pread(fd, text, sizeof text - 1, 0);
    close(fd);
    if (result || n <= 0) return CRL_SIM_ERR_TOOL;
    text[n] = 0;
    text[strcspn(text, "\r\n")] = 0;
    build->root = crl_text_new("%s", text);
    return build->root ? CRL_SIM_OK : CRL_SIM_ERR_MEMORY;
}

/*
 * One file that includes everything: runtime, model, shim. The runtime's messages go to standard error. What runs once
 * ("Slow") comes last and is compiled as it is, which takes a tenth of the time.
 */
static int write_unity(const struct build *build)
{
    struct dirent **list;
    char *path = crl_text_new("%s/unity.cpp", build->dir), *dir = crl_text_new("%s/model", build->dir);
    FILE *file = path ? fopen(path, "w") : NULL;
    const int n = dir ? scandir(dir, &list, is_cpp, alphasort) : -1;
    int result = file && n > 0 ? CRL_SIM_OK : CRL_SIM_ERR_IO;

    free(path);
    free(dir);
    if (file) {
        fprintf(file, "#include <cstdio>\n#define VL_PRINTF(...) fprintf(stderr, __VA_ARGS__)\n"
                      "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n"
                      "#include \"Vcrl_board.h\"\n#include \"Vcrl_board___024root.h\"\n");
        for (int i = 0; i < n; i++)
            if (!is_slow(list[i])) fprintf(file, "#include \"%s\"\n", list[i]->d_name);
        fprintf(file, "#include \"top_shim.cpp\"\n#pragma GCC optimize (\"O0\")\n");
        for (int i = 0; i < n; i++)
            if (is_slow(list[i])) fprintf(file, "#include \"%s\"\n", list[i]->d_name);
        if (fclose(file)) result = CRL_SIM_ERR_IO;
    }
    for (int i = 0; i < n; i++) free(list[i]);
    if (n >= 0) free(list);
    return result;
}

static int compile(struct build *build, int log)
{
    struct crl_args args = {0};
    int result = add_verilator(build, &args);

    if (!result) result = crl_commands_run(log, &args, 1);
    if (!result) result = find_root(build);
    if (!result) result = write_unity(build);
    if (result) return result;
    crl_args_add(&args, "g++");
    crl_args_add(&args, "-std=c++17");
    crl_args_add(&args, build->netlist ? "-O1" : "-O2"); /* a netlist is ten times the code */
    crl_args_add(&args, "-w");                           /* of generated code there is nothing to learn */
    crl_args_add(&args, "-fPIC");
    crl_args_add(&args, "-shared");
    crl_args_add(&args, "-fvisibility=hidden");
    crl_args_add(&args, "-Wl,-Bsymbolic");
    crl_args_add(&args, "-DVM_COVERAGE=0");
    crl_args_add(&args, "-DVM_SC=0");
    crl_args_add(&args, "-DVM_TRACE=0");
    crl_args_add(&args, "-I%s/include", build->root);
    crl_args_add(&args, "-I%s/include/vltstd", build->root);
    crl_args_add(&args, "-I%s/model", build->dir);
    crl_args_add(&args, "-I%s", CRL_VBOARD_DIR);
    crl_args_add(&args, "-o");
    crl_args_add(&args, "%s/so", build->dir);
    crl_args_add(&args, "%s/unity.cpp", build->dir);
    crl_args_add(&args, "-pthread");
    return crl_commands_run(log, &args, 1);
}

/* Builds in a directory of its own and renames the result: an interrupted build leaves nothing that is half-made. */
static int make(struct build *build, const char *path)
{
    char *log_path = crl_text_new("%s/%s.log", build->cache, build->name), *made = NULL;
    int result = CRL_SIM_ERR_IO, log = -1;

    build->dir = crl_text_new("%s/%s.tmpXXXXXX", build->cache, build->name);
    if (build->dir && log_path && !crl_make_dirs(build->cache) && mkdtemp(build->dir)) {
        made = crl_text_new("%s/so", build->dir);
        log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (log >= 0) result = compile(build, log);
        if (!result) result = made ? crl_publish(made, path) : CRL_SIM_ERR_MEMORY;
        if (!result) unlink(log_path);
        crl_remove_tree(build->dir);
    }
    if (log >= 0) close(log);
    if (result) refuse(build, "the FPGA's design cannot be built in '%s'; the log is '%s'", build->cache, log_path);
    free(log_path);
    free(made);
    return result;
}

static const struct crl_vtop_ops *load(const struct build *build, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct crl_vtop_ops *(*get)(void);
    const struct crl_vtop_ops *ops;

    if (library && (*(void **)&get = dlsym(library, CRL_VTOP_ENTRY)) && (ops = get())->abi == CRL_VTOP_ABI) return ops;
    refuse(build, "the FPGA's compiled design cannot be loaded: %s", library ? "wrong version" : dlerror());
    return NULL;
}

const struct crl_vtop_ops *crl_vtop_load(const char *board, const char *netlist, void (*message)(const char *text),
                                         char *error, size_t error_size)
{
    struct build build = {.board = board, .netlist = netlist, .error = error, .error_size = error_size};
    const struct crl_vtop_ops *ops = NULL;
    char *path = NULL;
    int result;

    snprintf(error, error_size, "out of memory");
    result = name_build(&build);
    if (!result && !(build.cache = crl_cache_dir()))
        result = refuse(&build, "there is no place for the cache: set CARILLON_CACHE or HOME");
    if (!result && !(path = crl_text_new("%s/%s.so", build.cache, build.name))) result = CRL_SIM_ERR_MEMORY;
    if (!result && access(path, R_OK)) {
        message("building the FPGA's design (once)");
        result = make(&build, path);
    }
    if (!result) ops = load(&build, path);
    free(path);
    free(build.cache);
    free(build.dir);
    free(build.root);
    free(build.name);
    return ops;
}
