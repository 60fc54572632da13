// SPDX-License-Identifier: Apache-2.0
// Options as data: one row each, from which refusals here, and parsing, help and completion above, are made.
#include "api/machine.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct carillon_options none = {.size = sizeof none,
                                             .tp = -1,
                                             .seed = 1,
                                             .rounds = 1,
                                             .slots = 10000,
                                             .warmup = UINT64_MAX,
                                             .link = -1,
                                             .alpha = -1};

void carillon_options_init(struct carillon_options *options, size_t size)
{
    memset(options, 0, size);
    memcpy(options, &none, size < sizeof none ? size : sizeof none);
    options->size = size;
}

int crl_options_take(struct carillon_options *own, const struct carillon_options *given, struct crl_diag *diag)
{
    *own = none;
    if (!given) return 0;
    if (!given->size)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "the size of the options is 0: start from carillon_defaults()");
    if (given->size > sizeof *own)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "the options are %zu bytes long, and this library, version %s, knows %zu: the program was "
                        "compiled for a later one",
                        given->size, CARILLON_VERSION, sizeof *own);
    memcpy(own, given, given->size);
    own->size = sizeof *own;
    return 0;
}

#define AT(field) offsetof(struct carillon_options, field)
#define ROW(kind, name, field, value, least, most, help)                                                               \
    {                                                                                                                  \
        name, value, help, CARILLON_##kind, AT(field), least, most                                                     \
    }
#define FLAG(name, field, help)                         ROW(FLAG, name, field, NULL, 0, 0, help)
#define TEXT(name, field, value, help)                  ROW(TEXT, name, field, value, 0, 0, help)
#define LINES(name, field, value, help)                 ROW(LINES, name, field, value, 0, 0, help)
#define REAL(name, field, value, help)                  ROW(REAL, name, field, value, 0, 0, help)
#define NUMBER(name, field, value, least, most, help)   ROW(NUMBER, name, field, value, least, most, help)
#define NUMBER64(name, field, value, least, most, help) ROW(NUMBER64, name, field, value, least, most, help)

static const struct carillon_option table[] = {
    TEXT("scheme", scheme, "NAME", "the algorithm that plans; 'carillon list' shows the schemes"),
    TEXT("ports", ports, "all|single",
         "a node uses all its links at once, or sends and receives one packet in a slot (default all)"),
    TEXT("link-latency", link_latency, "λ[,λ…]",
         "slots that a packet takes over a link: one number, or one for each dimension (default 1)"),
    TEXT("members", members, "NODES",
         "nodes that have and want packets, as in 0,3,8-11; the others only forward (default: all)"),
    TEXT("switches", switches, "add", "nodes that only forward can add, for all-reduce (default: they cannot)"),
    TEXT("boards", boards, "FILE|AxB",
         "boards with clocks of their own: a file of lines 'NAME: NODES', or a grid on a product; board: the devices "
         "that are these, 'all' or serial numbers, as in LV000001,LV000002"),
    NUMBER("cable-latency", cable_latency, "λ", CRL_CABLE_LATENCY_MIN, CRL_LATENCY_MAX,
           "slots that a packet takes over a link between boards, at least 9 (default: as the network says)"),
    NUMBER("cable-gap", cable_gap, "G", 1, CRL_LATENCY_MAX,
           "slots from one packet to the next on a link between boards (default: as the network says)"),
    FLAG("cable-each", cable_each,
         "each link between boards is a cable of its own (default: all links between two boards share one)"),
    NUMBER("ppm", ppm, "P", 0, 500000, "run: the clocks of boards are up to P ppm faster and slower (default 0)"),
    TEXT("cable", cable, "LO-HI", "run: cycles that a flit takes over a cable (default: as planned)"),
    REAL("cable-errors", cable_errors, "E",
         "run: the chance that a flit of a cable is damaged, lost or doubled, each (default 0)"),
    TEXT("unplug", unplug, "CABLE@ROUND+US",
         "run: a cable carries nothing from a round on, for US µs of 100 cycles (without +US: for good)"),
    TEXT("noise", noise, "CABLE@ROUND+US", "run: a cable carries noise from a round on, as with --unplug"),
    TEXT("reboot", reboot, "BOARD@ROUND", "run: one board alone is reset when it begins a round"),
    TEXT("other-plan", other_plan, "BOARD", "run: one board has another plan than the others"),
    TEXT("without", without, "A-B,C,...", "dead links (in both directions) and dead nodes, as in 0-1,4-5,7"),
    TEXT("spare", spare, "links|cables|nodes|auto",
         "plan, emit: make another plan for each single failure of one of these; run --boards --fail: auto, change "
         "over when a cable is silent"),
    TEXT("fail", fail, "A-B@R",
         "run: a link, or with C@R a node, dies in round R of --rounds; from then on a spare plan is played. With "
         "--boards it is a cable, as in b0-b1@R"),
    TEXT("root", root, "NODE", "the node that has everything at the start, or gets everything (default 0)"),
    NUMBER("items", items, "K", 1, UINT32_MAX - 1,
           "number of items of a k-item or continuous broadcast on a LogP machine"),
    NUMBER("time", time, "T", 1, UINT32_MAX / 2, "time at which the sum must be complete, on a LogP machine"),
    NUMBER64("operands", operands, "N", 1, UINT32_MAX, "number of operands of a summation on a LogP machine"),
    FLAG("full-duplex", full_duplex, "the processors of a LogP machine may send and receive at once"),
    TEXT("active", active, "NODES|random:M",
         "nodes that take part in a partial collective, as in 0,3,8-11; or M of them, by --seed"),
    TEXT("to", to, "NODES|random",
         "destinations of a monotone routing, in increasing order, as many as --active has nodes"),
    TEXT("counts", counts, "LIST|random:K",
         "packets of each node in a line broadcast, as in 3,0,2 for nodes 0 to 2; or K at random nodes, by --seed"),
    NUMBER("dimension", dimension, "D", 1, UINT32_MAX - 1,
           "the dimension along which a line broadcast goes (default 1)"),
    NUMBER("parts", parts, "N", 1, CRL_PARTS_MAX,
           "split each packet into N parts, one of which a link carries in a slot (default 1)"),
    NUMBER("chunks", chunks, "M", 1, UINT32_C(1) << 20,
           "number of chunks of an all-reduce (default: as many as nodes), a reduce or a scan (default 1)"),
    TEXT("demands", demands, "FILE",
         "file of demands: lines 'id,src,dst,packets,release,deadline,period,after' (docs/formats/demands.md)"),
    TEXT("matrix", matrix, "FILE", "file of a traffic matrix: how many packets each host sends to each host"),
    LINES("group", group, "COLLECTIVE@SET",
          "a group of nodes and its collective, may be repeated: all-gather@rows, all-to-all@nodes:0,3-7 "
          "(docs/formats/programs.md)"),
    TEXT("program", program, "FILE",
         "file of the steps of a program, lines 'COLLECTIVE@SET' (docs/formats/programs.md)"),
    TEXT("period", period, "P|least", "repeat the traffic every P slots, or as often as possible"),
    FLAG("nowait", nowait, "no packet waits on its path"),
    TEXT("keep", keep, "FILE", "change this schedule as little as possible, for example after a link has died"),
    NUMBER("slack", slack, "K", 0, UINT32_C(1) << 24,
           "with --keep: how many slots more than the bound the schedule may take (default 0)"),
    REAL("tp", tp, "X", "slots that a step of on-line counting takes, used in the reported time (default: as played)"),
    NUMBER("effort", effort, "SECONDS", 1, 1000000,
           "how long a search for a schedule may take, counted in steps so that the result is the same on every "
           "machine (default: a few seconds)"),
    NUMBER("refute", refute, "K", 1, 1000000,
           "raise the bound if a SAT solver shows that no schedule meets it, with up to K thousand conflicts for each "
           "slot (small networks)"),
    FLAG("relative", relative, "only the rows of node 0, of a schedule that looks the same from every node"),
    NUMBER("lanes", lanes, "K", 1, 32, "number of ports that a router serves in a clock cycle (default: all)"),
    NUMBER("banks", banks, "B", 1, 64, "number of memories in a node (default: the fewest that work)"),
    NUMBER("streams", streams, "L", 1, 32,
           "number of streams of a node in each direction, for its words: 1 to the number of lanes (default: memories "
           "hold the words)"),
    TEXT("op", op, "add|min|max|xor|and|or|fadd|fadd-bf16|fadd-fp16",
         "how sums are computed (default add; fadd: fp32; fadd-bf16, fadd-fp16: 16-bit values, added in fp32); LogP "
         "machines have only the first four"),
    NUMBER("words", words, "M", 1, 65536,
           "number of words in a packet (default 1); in emit a slot takes as many cycles, otherwise the table is "
           "played once for each word"),
    NUMBER("width", width, "W", 1, UINT32_MAX - 1, "bits of a word: 8, 16, 32 or 64 (default 32); emit: 1 to 1024"),
    TEXT("engine", engine, "rtl|model|both|board",
         "what plays the tables (default both, which is RTL and model; dynamic: model)"),
    NUMBER64("seed", seed, "S", 0, UINT64_MAX,
             "number that determines the payloads and all random choices (default 1)"),
    NUMBER("threads", threads, "N", 1, 64, "number of threads that share the routers (default 1)"),
    TEXT("wave", wave, "FILE", "write the waveforms of every node to a .fst or .vcd file"),
    TEXT("serial", serial, "S", "use the board with this serial number; 'carillon board list' shows them"),
    TEXT("board", board, "KIND", "use the board of this kind: icebreaker or hx8k"),
    NUMBER("rounds", rounds, "N", 0, UINT32_MAX,
           "how many times to play, each time with the payloads of the next seed; 0: until 'carillon board reset' "
           "(default 1)"),
    TEXT("rho", rho, "R", "load factor λ(2^d − 1)/d, above 0; a sweep: 0.1,0.2 or 0.05:0.50:0.05"),
    NUMBER64("slots", slots, "N", 1, UINT64_C(1) << 40, "number of slots that are measured (default 10000)"),
    NUMBER64("warmup", warmup, "N", 0, UINT64_C(1) << 40, "number of slots before these (default: a tenth of them)"),
    NUMBER("depth", depth, "Q", 1, UINT32_C(1) << 20,
           "packets that a node can hold (default: any number); with --blocking, or in run, those of each buffer "
           "(default 2, or any)"),
    FLAG("blocking", blocking,
         "finite buffers that block instead of overflowing, and sources that always have a packet"),
    TEXT("latency", latency, "TIME", "latency of a link that takes one slot, for --format simgrid-platform: 1us"),
    TEXT("bandwidth", bandwidth, "RATE", "bandwidth of a link, for --format simgrid-platform: 10Gbps"),
    NUMBER("slot-ns", slot_ns, "N", 1, 1000000000,
           "length of a slot in nanoseconds, for --format tsn-gcl or traffic-csv (default 12336: an Ethernet frame at "
           "1 Gbit/s)"),
    NUMBER("word", word, "BYTES", 1, UINT32_MAX - 1,
           "bytes that a link carries in a slot; with --link and --alpha, to report times and bandwidths"),
    REAL("link", link, "GBPS", "Gbit/s of a link, with --word and --alpha"),
    REAL("alpha", alpha, "NS",
         "nanoseconds that a slot takes in addition to the time for its bytes, with --word and --link"),
    NUMBER("part", part, "K", 1, UINT32_MAX - 1,
           "of a plan with several chunks from node to node, read the K-th chunk (default: the first that breaks a "
           "rule, else 1)"),
    TEXT("stall", stall, "X", "chance that a node does nothing in a slot, with --blocking (default 0)"),
};

const struct carillon_option *carillon_option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static int set_number(const struct carillon_option *option, void *field, const char *value, struct crl_diag *diag)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || number < option->least || number > option->most)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--%s needs a whole number from %llu to %llu, not '%s'", option->name,
                        (unsigned long long)option->least, (unsigned long long)option->most, value);
    if (option->kind == CARILLON_NUMBER64) *(uint64_t *)field = number;
    else *(uint32_t *)field = (uint32_t)number;
    return 0;
}

static int set_real(const struct carillon_option *option, double *field, const char *value, struct crl_diag *diag)
{
    char *end;
    *field = strtod(value, &end);
    if (end == value || *end || !isfinite(*field) || *field < 0)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--%s needs a number from 0 on, not '%s'", option->name, value);
    return 0;
}

// Bytes of an option's field.
static size_t size_of(const struct carillon_option *option)
{
    static const size_t sizes[] = {[CARILLON_FLAG] = sizeof(bool),          [CARILLON_TEXT] = sizeof(const char *),
                                   [CARILLON_LINES] = sizeof(const char *), [CARILLON_NUMBER] = sizeof(uint32_t),
                                   [CARILLON_NUMBER64] = sizeof(uint64_t),  [CARILLON_REAL] = sizeof(double)};
    return sizes[option->kind];
}

int carillon_option_set(const struct carillon_option *option, void *options, const char *value, struct crl_diag *diag)
{
    void *field = (char *)options + option->offset;
    if (option >= table && option < table + sizeof table / sizeof *table &&
        option->offset + size_of(option) > ((const struct carillon_options *)options)->size)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' is not among the options that this program was compiled for",
                        option->name);
    if ((option->kind == CARILLON_FLAG) != !value)
        return crl_fail(diag, CRL_ERR_ARGUMENT, value ? "'--%s' takes no value" : "'--%s' needs a value", option->name);
    if (option->kind == CARILLON_FLAG) *(bool *)field = true;
    else if (option->kind == CARILLON_TEXT || option->kind == CARILLON_LINES) *(const char **)field = value;
    else if (option->kind == CARILLON_REAL) return set_real(option, field, value, diag);
    else return set_number(option, field, value, diag);
    return 0;
}

// Whether an option is other than it is when nobody chose it.
static bool given(const struct carillon_options *options, const struct carillon_option *option)
{
    return memcmp((const char *)options + option->offset, (const char *)&none + option->offset, size_of(option));
}

void crl_option_unset(const struct carillon_option *option, struct carillon_options *options)
{
    memcpy((char *)options + option->offset, (const char *)&none + option->offset, size_of(option));
}

const char *crl_option_given(const struct carillon_options *options, const char *names)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (given(options, &table[i]) && crl_word_among(names, table[i].name)) return table[i].name;
    return NULL;
}

// Those that every problem takes: they choose engines, files and payloads, and are judged where they act.
static const char everywhere[] =
    "scheme seed threads engine wave board serial rounds depth latency bandwidth slot-ns part";

int crl_options_refuse(const struct carillon_problem *problem, struct crl_diag *diag)
{
    const char *takes = problem->machine->takes(problem);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (given(&problem->options, &table[i]) && !crl_word_among(takes, table[i].name) &&
            !crl_word_among(everywhere, table[i].name))
            return table[i].offset == AT(streams) && problem->options.streams == CARILLON_STREAMS_ALL
                       ? crl_fail(diag, CRL_ERR_UNSUPPORTED,
                                  "there is no fabric with streams for %s: take %s of the RTL, with tables by "
                                  "'carillon build' and 'carillon dump'",
                                  crl_title_of(problem), problem->machine->fabric)
                       : crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' means nothing for %s", table[i].name,
                                  crl_title_of(problem));
    return 0;
}

// ---------------------------------------------------------------- engines

static const struct engine_name {
    const char *name;
    uint32_t engines;
} engine_names[] = {{"rtl", CRL_ENGINE_RTL},
                    {"model", CRL_ENGINE_MODEL},
                    {"both", CRL_ENGINE_RTL | CRL_ENGINE_MODEL},
                    {"board", CRL_ENGINE_BOARD}};

uint32_t crl_engines_named(const char *name, uint32_t none, struct crl_diag *diag)
{
    if (!name) return none;
    for (size_t i = 0; i < sizeof engine_names / sizeof *engine_names; i++)
        if (!strcmp(name, engine_names[i].name)) return engine_names[i].engines;
    crl_fail(diag, CRL_ERR_ARGUMENT, "--engine is rtl, model, both or board, not '%s'", name);
    return 0;
}

const char *crl_engines_name(uint32_t engines)
{
    for (size_t i = 0; i < sizeof engine_names / sizeof *engine_names; i++)
        if (engines == engine_names[i].engines) return engine_names[i].name;
    return "none";
}
