// SPDX-License-Identifier: Apache-2.0
/*
 * Compiled simulators. An entry of the cache is named by a hash of all that goes into it: RTL, shim, parameters, flags,
 * the tools.
 */
#define _GNU_SOURCE
#include "build.h"
#include "base/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const wave_names[] = {"none", "fst", "vcd"};
static const char headers_suffix[] = ".gch";

/* A build in progress. */
struct build {
    const struct crl_sim_config *config;
    const struct crl_context *context;
    const struct crl_kind *kind;
    struct crl_cache cache;
    char data[PATH_MAX], rtl[PATH_MAX + 8], sim[PATH_MAX + 8];
    char runtime_name[64], headers_name[64], name[64]; /* of the entries */
    char runtime[PATH_MAX + 96];                       /* the compiled runtime, which the simulator is linked with */
    char headers[PATH_MAX + 96];                       /* those that all include, compiled; empty: there are none */
    const char *dir, *entry;                           /* private folder of what is being built, and its name */
    char *root;                                        /* Verilator's own folder; found when something is built */
    int log;                                           /* in dir */
};

static int is_cpp(const struct dirent *entry) { return crl_has_suffix(entry->d_name, ".cpp"); }

static int is_shim(const struct dirent *entry) { return !strncmp(entry->d_name, "shim", 4); }

static bool waves(const struct build *build) { return build->config->wave != CRL_SIM_WAVE_NONE; }

/* ---- commands ---- */

static void add_compiler(const struct build *build, struct crl_args *args)
{
    static const char *const flags[] = {
        "g++", "-std=c++17", "-O2", "-fPIC", "-w", /* of generated code there is nothing to learn */
        /* Several of these objects live in one program: nothing of one may be bound to another's. */
        "-fvisibility=hidden", "-fno-gnu-unique", "-DVM_COVERAGE=0", "-DVM_SC=0", NULL};

    crl_args_list(args, flags);
    crl_args_add(args, "-DVM_TRACE=%d", waves(build));
    crl_args_add(args, "-DVM_TRACE_FST=%d", build->config->wave == CRL_SIM_WAVE_FST);
    crl_args_add(args, "-DVM_TRACE_VCD=%d", build->config->wave == CRL_SIM_WAVE_VCD);
    crl_args_add(args, "-DCRL_WAVE=%d", (int)build->config->wave);
    crl_args_add(args, "-I%s/include", build->root);
    crl_args_add(args, "-I%s/include/vltstd", build->root);
    crl_args_add(args, "-I%s", build->sim);
}

/* The crossbar has a loop over all ports in each port, at which the compiler looks twice as long; whoever plays has no
 * more than so many messages a cycle. */
static void add_haste(const struct build *build, struct crl_args *args)
{
    if (build->config->params.kind == CRL_SIM_LOGP) crl_args_add(args, "-O1");
}

static void add_output(const struct build *build, struct crl_args *args, const char *name, bool compiled)
{
    crl_args_add(args, "-o");
    crl_args_add(args, "%s/%s%s", build->dir, name, compiled ? ".o" : "");
    if (compiled) crl_args_add(args, "-c");
    if (compiled) crl_args_add(args, "%s/%s.cpp", build->dir, name);
}

/* A list of a flat fabric, 16 bits a link, the last first; `more` is added to each. */
static void add_list(const struct build *build, struct crl_args *args, const char *name, const uint32_t *of,
                     uint32_t more)
{
    const size_t links = (size_t)build->config->nodes * build->kind->shape(&build->config->params).ports;
    CRL_OWNED char *const list = malloc(4 * links + 1);

    if (!list) {
        args->failed = true;
        return;
    }
    for (size_t i = 0; i < links; i++)
        snprintf(list + 4 * i, 5, "%04x", (unsigned)((of[links - 1 - i] + more) & 0xffff));
    crl_args_add(args, "-G%s=%zu'h%s", name, 16 * links, list);
}

/* The nodes of a flat fabric, their sources, as crl_links takes them, and latencies of links, as crl_link_pipes does.
 */
static void add_network(const struct build *build, struct crl_args *args)
{
    const struct crl_sim_config *const config = build->config;

    crl_args_add(args, "-GNodes=%u", config->nodes);
    add_list(build, args, "Neighbours", config->source, 0);
    if (config->lag) add_list(build, args, "Latencies", config->lag, 1);
}

static void add_verilator(const struct build *build, struct crl_args *args, const struct crl_module *module)
{
    static const char *const flags[] = {
        "verilator", "--cc",        "-O3",  "--assert",   "--x-assign",
        "fast",      "--x-initial", "fast", "-Wno-fatal", /* the project's lint is elsewhere */
        NULL};
    const struct crl_values values = build->kind->values(build->config);

    crl_args_list(args, flags);
    if (crl_word_among(module->parameters, "LatencyMax")) {
        /* The crossbar: loops over all ports, in every port. Unrolled they compile for minutes; but a loop that
         * generates ends after 16 times as many turns, and there is one with a turn a port. */
        const uint32_t ports = build->config->params.logp.ports;
        crl_args_add(args, "--unroll-count");
        crl_args_add(args, "%u", ports > 64 ? ports / 16 : 4);
    }
    if (build->config->wave == CRL_SIM_WAVE_FST) crl_args_add(args, "--trace-fst");
    if (build->config->wave == CRL_SIM_WAVE_VCD) crl_args_add(args, "--trace");
    /* What callers of a node owe, in cycles: the harness clocks queue nodes only when something happens to them. */
    if (build->config->params.kind != CRL_SIM_QUEUE || build->config->params.flat)
        crl_args_add(args, "-DCRL_CONTRACTS");
    crl_args_add_rtl(args, build->rtl);
    crl_args_add(args, "--top-module");
    crl_args_add(args, "%s", module->top);
    crl_args_add(args, "--prefix");
    crl_args_add(args, "%s", module->prefix);
    crl_args_add(args, "--Mdir");
    crl_args_add(args, "%s/%s", build->dir, module->prefix);
    for (const struct crl_value *value = values.of; value < values.of + CRL_VALUES_MAX && value->name; value++)
        if (crl_word_among(module->parameters, value->name)) crl_args_add(args, "-G%s=%u", value->name, value->value);
    if (build->config->params.flat) add_network(build, args);
    crl_args_add(args, "%s.sv", module->top);
}

/* ---- what is compiled ---- */

/* Verilator's runtime, with the hooks of shim.cpp in place of printing and ending the program. */
static int make_runtime(struct build *build, struct crl_diag *diag)
{
    struct crl_args commands[2] = {0};
    const int n = waves(build) ? 2 : 1;
    int error;

    crl_context_say(build->context, "compiling the simulator's runtime (once)");
    error = crl_write_file(build->dir, "runtime.cpp", "#include \"shim_runtime.cpp\"\n", diag);
    if (!error) error = crl_write_file(build->dir, "trace.cpp", "#include \"shim_trace.cpp\"\n", diag);
    if (error) return error;
    for (int i = 0; i < n; i++) {
        add_compiler(build, &commands[i]);
        add_output(build, &commands[i], i ? "trace" : "runtime", true);
    }
    error = crl_commands_run(build->log, commands, n, build->context);
    if (error) return error;
    /* One object, so that an entry of the cache is one file. */
    static const char *const flags[] = {"g++", "-r", "-nostdlib", NULL};
    crl_args_list(&commands[0], flags);
    add_output(build, &commands[0], "made", false);
    crl_args_add(&commands[0], "%s/runtime.o", build->dir);
    if (n == 2) crl_args_add(&commands[0], "%s/trace.o", build->dir);
    return crl_commands_run(build->log, commands, 1, build->context);
}

/* The headers that all simulators include, as the compiler reads them quickly: a third of its work is to understand
 * them. They take 60 MB, so that they are made with the product and not in the cache of a user. */
static int make_headers(struct build *build, struct crl_diag *diag)
{
    struct crl_args command = {0};
    int error = crl_write_file(build->dir, "headers.h", "#include \"shim_headers.h\"\n", diag);

    if (error) return error;
    add_compiler(build, &command);
    crl_args_add(&command, "-xc++-header");
    add_output(build, &command, "made", false);
    crl_args_add(&command, "%s/headers.h", build->dir);
    return crl_commands_run(build->log, &command, 1, build->context);
}

/* Adds what Verilator made of a module to the text of one file. */
static int include_module(const struct build *build, const struct crl_module *module, FILE *file)
{
    CRL_OWNED struct dirent **list = NULL;
    char *dir = crl_text_new("%s/%s", build->dir, module->prefix);
    const int n = dir ? scandir(dir, &list, is_cpp, alphasort) : -1;

    free(dir);
    if (n < 0) return CRL_ERR_IO;
    fprintf(file, "#include \"%s.h\"\n#include \"%s___024root.h\"\n", module->prefix, module->prefix);
    /* The one static function of a module with waves has the same name in each. */
    fprintf(file, "#define trace_init %s_trace_init\n", module->prefix);
    for (int i = 0; i < n; i++) {
        fprintf(file, "#include \"%s/%s\"\n", module->prefix, list[i]->d_name);
        free(list[i]);
    }
    /* Newer Verilators want to be included once a unit, for the sake of headers precompiled; here nothing is. */
    fprintf(file, "#undef trace_init\n#undef VL_PCH_INCLUDED\n");
    return 0;
}

/* One file that includes everything: the headers are read once, and evaluation can be inlined into the shim's loop. */
static int write_unity(const struct build *build, struct crl_diag *diag)
{
    const struct crl_sim_params *const params = &build->config->params;
    const struct crl_shape shape = build->kind->shape(params);
    char *text = NULL, *key = crl_library_key_text(build->name);
    size_t size;
    FILE *file = open_memstream(&text, &size);
    int error = 0;

    if (!key || !file) {
        free(key);
        if (file) fclose(file);
        free(text);
        return crl_fail_memory(diag);
    }
    fprintf(file, "#define CRL_PORTS %u\n#define CRL_DATA_WIDTH %u\n#define CRL_ROW_BITS %u\n", shape.ports,
            shape.data_width, shape.row_bits);
    fprintf(file, "#define CRL_ROW_NUMBER_BITS %u\n", crl_bits_for(crl_built_depth(shape.table_depth)));
    if (params->flat) fprintf(file, "#define CRL_FLAT %u\n", build->config->nodes);
    if (build->kind->define) build->kind->define(build->config, file);
    for (const struct crl_module *module = crl_kind_modules(build->kind, params); module->top && !error; module++)
        error = include_module(build, module, file);
    fprintf(file, "#include \"shim.cpp\"\n%s", key);
    free(key);
    if (fclose(file) && !error) error = CRL_ERR_MEMORY;
    if (!error) error = crl_write_file(build->dir, "unity.cpp", text, diag);
    else crl_fail(diag, error, "what Verilator made cannot be read: %s", strerror(errno));
    free(text);
    return error;
}

static int make_simulator(struct build *build, struct crl_diag *diag)
{
    const struct crl_module *const module = crl_kind_modules(build->kind, &build->config->params);
    struct crl_args commands[2] = {0};
    char text[200];
    int n, error;

    build->kind->describe(&build->config->params, text, sizeof text);
    crl_context_say(build->context, "building the simulator: %s (once)", text);
    if (build->context && build->context->progress)
        build->context->progress(build->context->user, "building the simulator", 0, 0);
    for (n = 0; module[n].top; n++) add_verilator(build, &commands[n], &module[n]);
    error = crl_commands_run(build->log, commands, n, build->context);
    if (!error) error = write_unity(build, diag);
    if (error) return error;
    add_compiler(build, &commands[0]);
    add_haste(build, &commands[0]);
    if (*build->headers) { /* without the suffix by which the compiler finds them */
        crl_args_add(&commands[0], "-include");
        crl_args_add(&commands[0], "%.*s", (int)(strlen(build->headers) - strlen(headers_suffix)), build->headers);
    }
    crl_args_add(&commands[0], "-I%s", build->dir);
    for (n = 0; module[n].top; n++) crl_args_add(&commands[0], "-I%s/%s", build->dir, module[n].prefix);
    add_output(build, &commands[0], "unity", true);
    error = crl_commands_run(build->log, commands, 1, build->context);
    if (error) return error;
    static const char *const flags[] = {"g++", "-shared", "-Wl,-Bsymbolic", "-pthread", NULL};
    crl_args_list(&commands[0], flags);
    add_output(build, &commands[0], "made", false);
    crl_args_add(&commands[0], "%s/unity.o", build->dir);
    crl_args_add(&commands[0], "%s", build->runtime);
    if (build->config->wave == CRL_SIM_WAVE_FST) crl_args_add(&commands[0], "-lz");
    return crl_commands_run(build->log, commands, 1, build->context);
}

/* ---- the whole ---- */

/* Makes an entry of the cache in a folder. */
static int make(struct build *build, const char *folder, const char *entry,
                int (*work)(struct build *, struct crl_diag *), struct crl_diag *diag)
{
    struct crl_log log;
    int error = crl_log_open(&log, folder, build->cache.path, entry, diag);

    build->dir = folder;
    build->log = log.file;
    if (!error && !build->root) error = crl_verilator_root(log.file, &build->root);
    if (!error) error = work(build, diag);
    return crl_log_close(&log, error, "the simulator cannot be built", diag);
}

static int make_runtime_entry(void *user, const char *folder, struct crl_diag *diag)
{
    struct build *build = user;

    return make(build, folder, build->runtime_name, make_runtime, diag);
}

static int make_headers_entry(void *user, const char *folder, struct crl_diag *diag)
{
    struct build *build = user;

    return make(build, folder, build->headers_name, make_headers, diag);
}

/* Looks for what was made with the product, if of the same tools; installed, or in the checkout's build folder. */
static bool find_made(const struct build *build, const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"runtime", "build/runtime"};

    for (int i = 0; i < 2; i++) {
        snprintf(path, size, "%s/%s/%s", build->data, folders[i], name);
        if (!access(path, R_OK)) return true;
    }
    *path = 0;
    return false;
}

/* The runtime, where it was not made with the product; when that is being made, the headers, too. */
static int make_constant(struct build *build, int *file, struct crl_diag *diag)
{
    int headers = -1;
    int error = crl_cache_make(&build->cache, build->runtime_name, false, make_runtime_entry, build, file, diag);

    /* By name: the folder and what is in it was checked, and nobody else can change it. */
    snprintf(build->runtime, sizeof build->runtime, "%s/%s", build->cache.path, build->runtime_name);
    if (!error && getenv("CARILLON_HEADERS"))
        error = crl_cache_make(&build->cache, build->headers_name, false, make_headers_entry, build, &headers, diag);
    if (headers >= 0) close(headers);
    return error;
}

static int make_entry(void *user, const char *folder, struct crl_diag *diag)
{
    struct build *build = user;
    int file = -1, error = 0;

    /* They are looked for only when a simulator must be built: one that is there holds the runtime already. */
    if (!find_made(build, build->runtime_name, build->runtime, sizeof build->runtime))
        error = make_constant(build, &file, diag);
    find_made(build, build->headers_name, build->headers, sizeof build->headers);
    if (!error) error = make(build, folder, build->name, make_simulator, diag);
    if (file >= 0) close(file);
    return error;
}

static int find_sources(struct build *build, struct crl_diag *diag)
{
    CRL_OWNED char *whole = NULL;
    int error = crl_context_data(build->context, build->data, sizeof build->data);

    if (error) return crl_fail(diag, error, "the name of the folder of the RTL is too long");
    whole = realpath(build->data, NULL); /* tools run as they are, but a name must not depend on where */
    if (!whole) return crl_fail(diag, CRL_ERR_IO, "the RTL is not there: %s, '%s'", strerror(errno), build->data);
    snprintf(build->rtl, sizeof build->rtl, "%s/rtl", whole);
    snprintf(build->sim, sizeof build->sim, "%s/sim", whole);
    snprintf(build->data, sizeof build->data, "%s", whole);
    return 0;
}

/* Names by all that decides what the runtime and the simulator are. Where they are built must not count. */
static int name_entries(struct build *build, struct crl_diag *diag)
{
    const char *const wave = wave_names[build->config->wave];
    const struct crl_shape shape = build->kind->shape(&build->config->params);
    struct build nowhere = *build;
    struct crl_args args = {0};
    char empty[] = "", bits[16];
    uint64_t hash = CRL_HASH;
    int error;

    nowhere.dir = nowhere.root = empty;
    nowhere.rtl[0] = nowhere.sim[0] = 0;
    error = crl_hash_tools(&hash, diag);
    add_compiler(&nowhere, &args);
    if (!error) error = crl_hash_args(&hash, &args, diag);
    if (!error) error = crl_hash_dir(&hash, build->sim, is_shim, diag);
    snprintf(build->runtime_name, sizeof build->runtime_name, "runtime-%s-%016llx", wave, (unsigned long long)hash);
    snprintf(build->headers_name, sizeof build->headers_name, "headers-%s-%016llx%s", wave, (unsigned long long)hash,
             headers_suffix);
    add_haste(&nowhere, &args);
    for (const struct crl_module *module = crl_kind_modules(build->kind, &build->config->params); module->top && !error;
         module++) {
        add_verilator(&nowhere, &args, module);
        error = crl_hash_args(&hash, &args, diag);
    }
    snprintf(bits, sizeof bits, "%u", shape.row_bits);
    hash = crl_hash_text(hash, bits);
    if (!error) error = crl_hash_rtl(&hash, build->rtl, diag);
    snprintf(build->name, sizeof build->name, "%s%s-%s-%016llx", build->config->params.flat ? "flat-" : "",
             build->kind->name, wave, (unsigned long long)hash);
    crl_args_free(&args);
    return error;
}

int crl_build_simulator(struct crl_library *library, const struct crl_sim_config *config,
                        const struct crl_context *context, struct crl_diag *diag)
{
    struct build build = {
        .config = config, .context = context, .kind = crl_kind(&config->params), .log = -1, .cache.folder = -1};
    int file, error;

    error = find_sources(&build, diag);
    if (!error) error = name_entries(&build, diag);
    if (!error) error = crl_cache_enter(&build.cache, context, true, diag);
    if (error) return error;
    /* One that cannot be loaded is built once more. */
    for (int attempt = 0; attempt < 2; attempt++) {
        error = crl_cache_make(&build.cache, build.name, attempt > 0, make_entry, &build, &file, diag);
        if (!error) error = crl_library_open(library, file, build.name, diag);
        if (error != CRL_ERR_LOAD) break;
    }
    crl_cache_leave(&build.cache);
    free(build.root);
    return error;
}
