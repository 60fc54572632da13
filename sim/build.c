// SPDX-License-Identifier: Apache-2.0
/*
 * The cache of compiled simulators. An entry is named by its parameters and by a hash of all that went into it: RTL,
 * shim, flags, the tools. It is built in a private directory inside the cache and renamed into place when complete,
 * under a lock of its own, so that neither an interrupted build nor two programs at once leave a half-made entry.
 */
#define _GNU_SOURCE
#include "build.h"
#include "tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CRL_SIM_DEFAULT_RTL_DIR
#define CRL_SIM_DEFAULT_RTL_DIR "rtl"
#endif
#ifndef CRL_SIM_DEFAULT_SIM_DIR
#define CRL_SIM_DEFAULT_SIM_DIR "sim"
#endif

enum {
    LOG_TAIL_BYTES = 2000 /* of a failed build's log, shown to the user */
};

/* A build in progress. All strings are owned. */
struct build {
    const struct crl_sim_config *config;
    char *cache, *rtl, *sim;
    char *root;    /* Verilator's own directory; found when something is built */
    char *dir;     /* private directory of what is being built, or NULL */
    int log;       /* open log inside dir, or -1 */
    char *runtime; /* the compiled runtime, which the simulator is linked with */
};

void crl_build_error(const struct crl_sim_config *config, const char *format, ...)
{
    va_list list;

    if (!config->error || !config->error_size) return;
    va_start(list, format);
    vsnprintf(config->error, config->error_size, format, list);
    va_end(list);
}

static void say(const struct build *build, const char *text)
{
    if (build->config->message) build->config->message(build->config->user, text);
}

static int is_cpp(const struct dirent *entry) { return crl_has_suffix(entry->d_name, ".cpp"); }

static int is_shim(const struct dirent *entry) { return !strncmp(entry->d_name, "shim", 4); }

/* Removes what interrupted builds of this entry left. Only its lock holder may. */
static void sweep(const struct build *build, const char *name)
{
    DIR *dir = opendir(build->cache);
    const size_t n = strlen(name);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        char *path;

        if (strncmp(entry->d_name, name, n) || strncmp(entry->d_name + n, ".tmp", 4)) continue;
        path = crl_text_new("%s/%s", build->cache, entry->d_name);
        if (path) crl_remove_tree(path);
        free(path);
    }
    if (dir) closedir(dir);
}

/* Where this Verilator keeps the sources of its runtime. */
static int find_root(struct build *build)
{
    struct crl_args args = {0};
    char text[PATH_MAX];
    size_t size = 0;
    ssize_t n;
    int ends[2], result;
    pid_t pid;

    if (build->root) return CRL_SIM_OK;
    if (pipe2(ends, O_CLOEXEC)) return CRL_SIM_ERR_IO;
    crl_args_add(&args, "verilator");
    crl_args_add(&args, "--getenv");
    crl_args_add(&args, "VERILATOR_ROOT");
    result = crl_command_start(&args, ends[1], &pid);
    close(ends[1]);
    while (!result && size < sizeof text - 1 && (n = read(ends[0], text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    close(ends[0]);
    if (!result) result = crl_command_wait(pid);
    crl_args_free(&args);
    if (result) return result;
    text[size] = 0;
    text[strcspn(text, "\r\n")] = 0;
    build->root = crl_text_new("%s", text);
    return build->root ? CRL_SIM_OK : CRL_SIM_ERR_MEMORY;
}

/* ---- entries of the cache ---- */

/* Keeps the log of a failed build beside the cache's entries and tells its end. */
static void report_failure(struct build *build, const char *name)
{
    char tail[LOG_TAIL_BYTES + 1], *from, *to, *start = tail;
    ssize_t n;
    off_t size;
    int fd;

    from = crl_text_new("%s/log", build->dir);
    to = crl_text_new("%s/%s.log", build->cache, name);
    fd = from ? open(from, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0 && to) {
        size = lseek(fd, 0, SEEK_END);
        n = pread(fd, tail, LOG_TAIL_BYTES, size > LOG_TAIL_BYTES ? size - LOG_TAIL_BYTES : 0);
        tail[n > 0 ? n : 0] = 0;
        if (size > LOG_TAIL_BYTES && strchr(tail, '\n')) start = strchr(tail, '\n') + 1;
        crl_build_error(build->config, "the simulator cannot be built; log in '%s', which ends:\n%s", to, start);
        rename(from, to);
    }
    if (fd >= 0) close(fd);
    free(from);
    free(to);
}

/*
 * Makes <cache>/<name><suffix> if it is not there: make() leaves it as `suffix` without the dot ("so", "o") in
 * build->dir.
 */
static int entry(struct build *build, const char *name, const char *suffix, bool rebuild,
                 int (*make)(struct build *build), char **path)
{
    char *lock_path, *made = NULL, *log = NULL;
    int lock = -1, result = CRL_SIM_ERR_MEMORY;

    lock_path = crl_text_new("%s/%s.lock", build->cache, name);
    *path = crl_text_new("%s/%s%s", build->cache, name, suffix);
    if (!lock_path || !*path) goto out;
    result = CRL_SIM_OK;
    if (!rebuild && !access(*path, R_OK)) goto out;

    result = CRL_SIM_ERR_IO;
    lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        crl_build_error(build->config, "the cache cannot be written: %s, '%s'", strerror(errno), build->cache);
        goto out;
    }
    if (flock(lock, LOCK_EX | LOCK_NB)) {
        say(build, "waiting for another program that builds the same simulator");
        while (flock(lock, LOCK_EX))
            if (errno != EINTR) goto out;
    }
    result = CRL_SIM_OK;
    if (!rebuild && !access(*path, R_OK)) goto out;

    sweep(build, name);
    result = CRL_SIM_ERR_MEMORY;
    build->dir = crl_text_new("%s/%s.tmpXXXXXX", build->cache, name);
    if (!build->dir) goto out;
    if (!mkdtemp(build->dir)) {
        crl_build_error(build->config, "the cache cannot be written: %s, '%s'", strerror(errno), build->cache);
        free(build->dir);
        build->dir = NULL;
        result = CRL_SIM_ERR_IO;
        goto out;
    }
    log = crl_text_new("%s/log", build->dir);
    made = crl_text_new("%s/%s", build->dir, suffix + 1);
    if (log && made) {
        build->log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        result = build->log < 0 ? CRL_SIM_ERR_IO : find_root(build);
        if (!result) result = make(build);
        if (result == CRL_SIM_ERR_BUILD) report_failure(build, name);
        if (!result) result = crl_publish(made, *path);
        if (build->log >= 0) close(build->log);
        build->log = -1;
    }
    crl_remove_tree(build->dir);
    free(build->dir);
    build->dir = NULL;
out:
    if (lock >= 0) close(lock);
    free(lock_path);
    free(made);
    free(log);
    if (result) {
        free(*path);
        *path = NULL;
    }
    return result;
}

static void add_compiler(const struct build *build, struct crl_args *args)
{
    crl_args_add(args, "g++");
    crl_args_add(args, "-std=c++17");
    crl_args_add(args, "-O2");
    crl_args_add(args, "-w"); /* of generated code there is nothing to learn */
    crl_args_add(args, "-fPIC");
    /* Several of these objects live in one program: nothing of one may be bound to another's. */
    crl_args_add(args, "-fvisibility=hidden");
    crl_args_add(args, "-fno-gnu-unique");
    crl_args_add(args, "-DVM_COVERAGE=0");
    crl_args_add(args, "-DVM_SC=0");
    crl_args_add(args, "-DVM_TRACE=%d", build->config->wave != CRL_SIM_WAVE_NONE);
    crl_args_add(args, "-DVM_TRACE_FST=%d", build->config->wave == CRL_SIM_WAVE_FST);
    crl_args_add(args, "-DVM_TRACE_VCD=%d", build->config->wave == CRL_SIM_WAVE_VCD);
    crl_args_add(args, "-I%s/include", build->root);
    crl_args_add(args, "-I%s/include/vltstd", build->root);
}

/* Verilator's runtime, with the hooks of shim.cpp in place of printing and ending the program. */
static int make_runtime(struct build *build)
{
    static const char *const trace[] = {"", "#include \"verilated_fst_c.cpp\"\n", "#include \"verilated_vcd_c.cpp\"\n"};
    const char *const head = "extern \"C\" int crl_shim_printf(const char* format, ...);\n"
                             "#define VL_PRINTF crl_shim_printf\n"
                             "#define VL_USER_FINISH\n#define VL_USER_STOP\n#define VL_USER_FATAL\n"
                             "#include \"verilated.cpp\"\n#include \"verilated_threads.cpp\"\n";
    struct crl_args commands[3] = {0};
    int n = 1, result;

    say(build, "compiling the simulator's runtime (once)");
    result = crl_write_file(build->dir, "runtime.cpp", head);
    if (!result) result = crl_write_file(build->dir, "trace.cpp", trace[build->config->wave]);
    if (result) return result;
    add_compiler(build, &commands[0]);
    crl_args_add(&commands[0], "-c");
    crl_args_add(&commands[0], "-o");
    crl_args_add(&commands[0], "%s/runtime.o", build->dir);
    crl_args_add(&commands[0], "%s/runtime.cpp", build->dir);
    if (build->config->wave != CRL_SIM_WAVE_NONE) {
        add_compiler(build, &commands[1]);
        crl_args_add(&commands[1], "-c");
        crl_args_add(&commands[1], "-o");
        crl_args_add(&commands[1], "%s/trace.o", build->dir);
        crl_args_add(&commands[1], "%s/trace.cpp", build->dir);
        n = 2;
    }
    result = crl_commands_run(build->log, commands, n);
    if (result) return result;
    /* One object, so that an entry of the cache is one file. */
    crl_args_add(&commands[0], "g++");
    crl_args_add(&commands[0], "-r");
    crl_args_add(&commands[0], "-nostdlib");
    crl_args_add(&commands[0], "-o");
    crl_args_add(&commands[0], "%s/o", build->dir);
    crl_args_add(&commands[0], "%s/runtime.o", build->dir);
    if (n == 2) crl_args_add(&commands[0], "%s/trace.o", build->dir);
    return crl_commands_run(build->log, commands, 1);
}

/* The table is loaded and addressed alike at any depth, so a few depths serve all tables. */
static uint32_t built_depth(uint32_t rows)
{
    uint32_t depth = 256;

    while (depth < rows) depth *= 4;
    return depth;
}

static uint32_t built_words(uint32_t words)
{
    uint32_t built = 1;

    while (built < words) built *= 2;
    return built;
}

/* Places of a store: a power of two, of which few serve all. */
static uint32_t built_places(uint32_t depth)
{
    uint32_t places = 64;

    while (places < depth) places *= 4;
    return places;
}

/* Places of a store that holds all buffers of blocking mode, too, and the largest buffers for which that is so. */
static uint32_t queue_places(const struct crl_sim_queue *q) { return built_places(q->depth); }
static uint32_t queue_units(const struct crl_sim_queue *q)
{
    return q->units ? queue_places(q) / (q->trees * q->classes) : 0;
}

/* The parameters a module knows, as bits. */
enum {
    PORTS = 1 << 0,
    ROUTER = 1 << 1, /* lanes, banks, write crossbar, delay */
    WADDR_FIELD = 1 << 2,
    DATA_WIDTH = 1 << 3,
    ADDRESSES = 1 << 4, /* address width */
    FLAT = 1 << 5,
    PROCESSOR = 1 << 6, /* bits that name one */
    CROSSBAR = 1 << 7,
    QUEUE = 1 << 8,
    DIMS = 1 << 9,
    ONLINE_DEPTH = 1 << 10, /* packets a memory or queue of an on-line router holds */
    ONLINE_SIDES = 1 << 11, /* bits of digits in addresses */
    ONLINE_WAIT = 1 << 12,
    TABLE = 1 << 13, /* table depth, words */
    ROW = 1 << 14,   /* bits of a row */
};

/* Bits of a digit of an on-line router, of at most 4096 nodes: every other side is two or more. */
static uint32_t online_digit(const struct crl_sim_params *p) { return 13 - p->ports / 2; }

/* The verilated modules of each kind of simulator. */
enum kind { KIND_NETWORK, KIND_FLAT, KIND_LOGP, KIND_QUEUE, KIND_ONLINE_BROADCAST, KIND_ONLINE_EXCHANGE };
static const struct module {
    const char *top, *prefix;
    unsigned parameters;
} modules[][3] = {
    [KIND_NETWORK] = {{"crl_router", "Vcrl_router", PORTS | ROUTER | WADDR_FIELD | DATA_WIDTH | ADDRESSES | TABLE},
                      {"crl_sequencer", "Vcrl_sequencer", ROW | TABLE},
                      {0}},
    [KIND_FLAT] = {{"crl_fabric", "Vcrl_flat", PORTS | ROUTER | WADDR_FIELD | DATA_WIDTH | ADDRESSES | TABLE | FLAT},
                   {0}},
    [KIND_LOGP] = {{"crl_logp_node", "Vcrl_logp_node", DATA_WIDTH | ADDRESSES | TABLE | PROCESSOR},
                   {"crl_crossbar", "Vcrl_crossbar", DATA_WIDTH | CROSSBAR},
                   {0}},
    [KIND_QUEUE] = {{"crl_queue_node", "Vcrl_queue_node", PORTS | QUEUE}, {0}},
    [KIND_ONLINE_BROADCAST] = {{"crl_online_node", "Vcrl_online", DIMS | ONLINE_DEPTH | ONLINE_WAIT}, {0}},
    [KIND_ONLINE_EXCHANGE] = {{"crl_online_exchange", "Vcrl_online", DIMS | ONLINE_DEPTH | ONLINE_SIDES}, {0}},
};

static enum kind kind_of(const struct crl_sim_params *p)
{
    if (p->online) return (enum kind)(KIND_ONLINE_BROADCAST + p->online - CRL_SIM_ONLINE_BROADCAST);
    return p->queue.trees ? KIND_QUEUE : p->crossbar ? KIND_LOGP : p->flat ? KIND_FLAT : KIND_NETWORK;
}

/* The sources of a flat fabric as crl_fabric takes them: 16 bits a link, the last first. */
static void add_neighbours(const struct crl_sim_config *config, struct crl_args *args)
{
    const size_t links = (size_t)config->nodes * config->params.ports;
    char *const list = malloc(4 * links + 1);

    if (!list) {
        args->failed = true;
        return;
    }
    for (size_t i = 0; i < links; i++)
        snprintf(list + 4 * i, 5, "%04x", (unsigned)(config->source[links - 1 - i] & 0xffff));
    crl_args_add(args, "-GNeighbours=%zu'h%s", 16 * links, list);
    free(list);
}

static void add_verilator(const struct build *build, struct crl_args *args, const struct module *module)
{
    const struct crl_sim_params *p = &build->config->params;
    const struct {
        unsigned bit;
        const char *name;
        uint32_t value;
    } parameters[] = {
        {PORTS, "Ports", p->ports},
        {ROUTER, "Lanes", p->lanes},
        {ROUTER, "Banks", p->banks},
        {ROUTER, "WriteXbar", p->write_xbar},
        {ROUTER, "Delay", p->delay},
        {WADDR_FIELD, "WaddrField", p->waddr_field},
        {DATA_WIDTH, "DataW", p->data_width},
        {ADDRESSES, "AddrW", p->addr_width},
        {TABLE, "TableDepth", built_depth(p->table_depth)},
        {TABLE, "Words", built_words(p->words)},
        {ROW, "RowW", (uint32_t)crl_sim_row_bits(p)},
        {FLAT, "Nodes", p->flat},
        {FLAT, "SharedTable", build->config->tables == 1},
        {PROCESSOR, "Stages", 0}, /* any latency, and departures where they are */
        {PROCESSOR, "NodeW", (uint32_t)__builtin_ctz(p->crossbar ? p->crossbar : 1)},
        {CROSSBAR, "Ports", p->crossbar},
        {CROSSBAR, "LatencyMax", p->latency_max},
        {QUEUE, "Trees", p->queue.trees},
        {QUEUE, "Classes", p->queue.classes},
        {QUEUE, "Loops", p->queue.loops},
        {QUEUE, "Position", p->queue.position},
        {QUEUE, "Depth", queue_places(&p->queue)},
        {QUEUE, "Units", queue_units(&p->queue)},
        {QUEUE, "Period", p->queue.period},
        {QUEUE, "Counters", 1},
        {DIMS, "Dims", p->ports / 2},
        {DIMS, "DigitW", online_digit(p)},
        {DIMS, "DataW", 32},
        {ONLINE_DEPTH, "Depth", built_places(p->online_depth)},
        {ONLINE_SIDES, "SideBits", p->online_sides},
        {ONLINE_WAIT, "Waiting", built_places(p->online_wait)},
    };

    crl_args_add(args, "verilator");
    crl_args_add(args, "--cc");
    crl_args_add(args, "-O3");
    crl_args_add(args, "--assert");
    crl_args_add(args, "--x-assign");
    crl_args_add(args, "fast");
    crl_args_add(args, "--x-initial");
    crl_args_add(args, "fast");
    if (module->parameters & CROSSBAR) { /* loops over all ports, in every port: unrolled they compile for minutes */
        crl_args_add(args, "--unroll-count");
        crl_args_add(args, "4");
    }
    crl_args_add(args, "-Wno-fatal"); /* the project's lint is elsewhere */
    if (build->config->wave == CRL_SIM_WAVE_FST) crl_args_add(args, "--trace-fst");
    if (build->config->wave == CRL_SIM_WAVE_VCD) crl_args_add(args, "--trace");
    crl_args_add_rtl(args, build->rtl);
    crl_args_add(args, "--top-module");
    crl_args_add(args, "%s", module->top);
    crl_args_add(args, "--prefix");
    crl_args_add(args, "%s", module->prefix);
    crl_args_add(args, "--Mdir");
    crl_args_add(args, "%s/%s", build->dir, module->prefix);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (module->parameters & parameters[i].bit)
            crl_args_add(args, "-G%s=%u", parameters[i].name, parameters[i].value);
    if (module->parameters & FLAT) add_neighbours(build->config, args);
    crl_args_add(args, "%s.sv", module->top);
}

/* One file that includes everything: the headers are read once, and evaluation can be inlined into the shim's loop. */
static int write_unity(const struct build *build, const struct module *module)
{
    const struct crl_sim_params *p = &build->config->params;
    char *path = crl_text_new("%s/unity.cpp", build->dir);
    FILE *file = path ? fopen(path, "w") : NULL;
    int result = CRL_SIM_OK;

    free(path);
    if (!file) return CRL_SIM_ERR_IO;
    fprintf(file, "#define CRL_PORTS %u\n#define CRL_DATA_WIDTH %u\n#define CRL_ROW_BITS %d\n", p->ports, p->data_width,
            crl_sim_row_bits(p));
    fprintf(file, "#define CRL_ROW_NUMBER_BITS %d\n", __builtin_ctz(built_depth(p->table_depth)));
    fprintf(file, "#define CRL_WAVE %d\n#define CRL_FLAT %u\n#define CRL_CROSSBAR %u\n", (int)build->config->wave,
            p->flat, p->crossbar);
    fprintf(file, "#define CRL_QUEUE %d\n#define CRL_ONLINE %u\n", p->queue.trees != 0, p->online);
    if (p->online) fprintf(file, "#define CRL_ONLINE_DIGIT %u\n", online_digit(p));
    for (; module->top && !result; module++) {
        struct dirent **list;
        char *dir = crl_text_new("%s/%s", build->dir, module->prefix);
        const int n = dir ? scandir(dir, &list, is_cpp, alphasort) : -1;

        fprintf(file, "#include \"%s.h\"\n#include \"%s___024root.h\"\n", module->prefix, module->prefix);
        /* The one static function of a module with waves has the same name in each. */
        fprintf(file, "#define trace_init %s_trace_init\n", module->prefix);
        for (int i = 0; i < n; i++) {
            fprintf(file, "#include \"%s\"\n", list[i]->d_name);
            free(list[i]);
        }
        fprintf(file, "#undef trace_init\n");
        if (n >= 0) free(list);
        else result = CRL_SIM_ERR_IO;
        free(dir);
    }
    fprintf(file, "#include \"shim.cpp\"\n");
    if (ferror(file)) result = CRL_SIM_ERR_IO;
    if (fclose(file)) result = CRL_SIM_ERR_IO;
    return result;
}

static int make_simulator(struct build *build)
{
    const struct crl_sim_params *const p = &build->config->params;
    const struct module *const module = modules[kind_of(p)];
    struct crl_args commands[2] = {0};
    char *text;
    int n, result;

    if (p->online) text = crl_text_new("building the simulator: on-line routers, %u ports (once)", p->ports);
    else if (p->queue.trees)
        text = crl_text_new("building the simulator: queue control, %u ports, %u trees, %u classes (once)", p->ports,
                            p->queue.trees, p->queue.classes);
    else if (p->crossbar)
        text = crl_text_new("building the simulator: crossbar of %u ports, latency up to %u, %u-bit words (once)",
                            p->crossbar, p->latency_max, p->data_width);
    else
        text = crl_text_new("building the simulator: %u ports, %u lanes, %u banks, %u-bit words (once)", p->ports,
                            p->lanes, p->banks, p->data_width);
    if (text) say(build, text);
    free(text);

    for (n = 0; module[n].top; n++) add_verilator(build, &commands[n], &module[n]);
    result = crl_commands_run(build->log, commands, n);
    if (!result) result = write_unity(build, module);
    if (result) return result;
    add_compiler(build, &commands[0]);
    crl_args_add(&commands[0], "-I%s", build->sim);
    for (n = 0; module[n].top; n++) crl_args_add(&commands[0], "-I%s/%s", build->dir, module[n].prefix);
    crl_args_add(&commands[0], "-c");
    crl_args_add(&commands[0], "-o");
    crl_args_add(&commands[0], "%s/unity.o", build->dir);
    crl_args_add(&commands[0], "%s/unity.cpp", build->dir);
    result = crl_commands_run(build->log, commands, 1);
    if (result) return result;
    crl_args_add(&commands[0], "g++");
    crl_args_add(&commands[0], "-shared");
    crl_args_add(&commands[0], "-Wl,-Bsymbolic");
    crl_args_add(&commands[0], "-o");
    crl_args_add(&commands[0], "%s/so", build->dir);
    crl_args_add(&commands[0], "%s/unity.o", build->dir);
    crl_args_add(&commands[0], "%s", build->runtime);
    crl_args_add(&commands[0], "-pthread");
    if (build->config->wave == CRL_SIM_WAVE_FST) crl_args_add(&commands[0], "-lz");
    return crl_commands_run(build->log, commands, 1);
}

/* ---- the whole ---- */

static int open_dirs(struct build *build)
{
    const struct crl_sim_config *config = build->config;
    const char *rtl = config->rtl_dir ? config->rtl_dir : CRL_SIM_DEFAULT_RTL_DIR;
    const char *sim = config->sim_dir ? config->sim_dir : CRL_SIM_DEFAULT_SIM_DIR;
    char *cache = config->cache_dir ? crl_text_new("%s", config->cache_dir) : crl_cache_dir();

    if (!cache) {
        crl_build_error(config, "there is no place for the cache: set CARILLON_CACHE or HOME");
        return CRL_SIM_ERR_IO;
    }
    if (crl_make_dirs(cache) || !(build->cache = realpath(cache, NULL)))
        crl_build_error(config, "the cache directory cannot be made: %s, '%s'", strerror(errno), cache);
    free(cache);
    if (!build->cache) return CRL_SIM_ERR_IO;
    if (!(build->rtl = realpath(rtl, NULL))) {
        crl_build_error(config, "the RTL is not there: %s, '%s'", strerror(errno), rtl);
        return CRL_SIM_ERR_IO;
    }
    if (!(build->sim = realpath(sim, NULL))) {
        crl_build_error(config, "the simulator's sources are not there: %s, '%s'", strerror(errno), sim);
        return CRL_SIM_ERR_IO;
    }
    return CRL_SIM_OK;
}

static int hash_args(uint64_t *hash, struct crl_args *args)
{
    const bool failed = args->failed;

    for (int i = 0; i < args->count; i++) *hash = crl_hash_text(*hash, args->item[i]);
    crl_args_free(args);
    return failed ? CRL_SIM_ERR_MEMORY : CRL_SIM_OK;
}

/* Hashes of all that decides what the runtime and the simulator are. Where they are built must not count. */
static int hash_all(const struct build *build, uint64_t *runtime, uint64_t *simulator)
{
    struct build nowhere = *build;
    struct crl_args args = {0};
    char empty[] = "";
    int result;

    nowhere.dir = nowhere.root = nowhere.rtl = nowhere.sim = empty;
    *runtime = UINT64_C(14695981039346656037);
    result = crl_hash_tool(runtime, "verilator");
    if (!result) {
        crl_hash_tool(runtime, "verilator_bin"); /* some installations have only the former on PATH */
        result = crl_hash_tool(runtime, "g++");
    }
    if (result == CRL_SIM_ERR_TOOL)
        crl_build_error(build->config, "verilator and g++ are needed to simulate the RTL; scripts/setup installs them");
    if (result) return result;
    add_compiler(&nowhere, &args);
    result = hash_args(runtime, &args);
    if (!result) result = crl_hash_dir(runtime, build->sim, is_shim);
    *simulator = *runtime;
    for (const struct module *module = modules[kind_of(&build->config->params)]; module->top && !result; module++) {
        add_verilator(&nowhere, &args, module);
        result = hash_args(simulator, &args);
    }
    if (!result) result = crl_hash_rtl(simulator, build->rtl);
    if (result == CRL_SIM_ERR_IO)
        crl_build_error(build->config, "the sources cannot be read: %s, '%s' or '%s'", strerror(errno), build->rtl,
                        build->sim);
    return result;
}

int crl_build_simulator(const struct crl_sim_config *config, bool rebuild, char **path)
{
    static const char *const wave[] = {"none", "fst", "vcd"};
    const struct crl_sim_params *p = &config->params;
    struct build build = {.config = config, .log = -1};
    uint64_t runtime, simulator;
    char *name = NULL, *runtime_name = NULL;
    int result;

    *path = NULL;
    crl_build_error(config, "%s", "");
    result = open_dirs(&build);
    if (!result) result = hash_all(&build, &runtime, &simulator);
    if (result) goto out;
    if (p->online)
        name = crl_text_new("online%u-p%ud%uw%u-%s-%016llx", p->online, p->ports, built_places(p->online_depth),
                            built_places(p->online_wait), wave[config->wave], (unsigned long long)simulator);
    else if (p->queue.trees)
        name = crl_text_new("queue-p%ut%uc%ul%ux%ud%uu%ur%u-%s-%016llx", p->ports, p->queue.trees, p->queue.classes,
                            p->queue.loops, p->queue.position, queue_places(&p->queue), queue_units(&p->queue),
                            p->queue.period, wave[config->wave], (unsigned long long)simulator);
    else if (p->crossbar)
        name = crl_text_new("logp-p%ul%uw%ua%ut%um%u-%s-%016llx", p->crossbar, p->latency_max, p->data_width,
                            p->addr_width, built_depth(p->table_depth), built_words(p->words), wave[config->wave],
                            (unsigned long long)simulator);
    else
        name = crl_text_new("%s-p%uk%ub%ux%ud%uf%uw%ua%ut%um%u-%s-%016llx", p->flat ? "flat" : "network", p->ports,
                            p->lanes, p->banks, p->write_xbar, p->delay, p->waddr_field, p->data_width, p->addr_width,
                            built_depth(p->table_depth), built_words(p->words), wave[config->wave],
                            (unsigned long long)simulator);
    runtime_name = crl_text_new("runtime-%s-%016llx", wave[config->wave], (unsigned long long)runtime);
    result = CRL_SIM_ERR_MEMORY;
    if (!name || !runtime_name) goto out;
    /* The runtime is looked for only when a simulator must be built: one that is there holds it already. */
    *path = crl_text_new("%s/%s.so", build.cache, name);
    if (!*path) goto out;
    result = CRL_SIM_OK;
    if (!rebuild && !access(*path, R_OK)) goto out;
    free(*path);
    *path = NULL;
    result = entry(&build, runtime_name, ".o", rebuild, make_runtime, &build.runtime);
    if (!result) result = entry(&build, name, ".so", rebuild, make_simulator, path);
out:
    if (result == CRL_SIM_ERR_MEMORY) crl_build_error(config, "out of memory");
    else if (result && config->error && config->error_size && !config->error[0])
        crl_build_error(config, "the simulator cannot be built in '%s': %s", build.cache ? build.cache : "",
                        result == CRL_SIM_ERR_TOOL ? "a tool is missing; scripts/setup installs it" : strerror(errno));
    free(build.cache);
    free(build.rtl);
    free(build.sim);
    free(build.root);
    free(build.runtime);
    free(name);
    free(runtime_name);
    return result;
}
