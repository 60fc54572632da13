// SPDX-License-Identifier: Apache-2.0
// Options as data: one row each, from which refusals here, and parsing, help and completion above, are made.
#include "form/form.h"
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

static const struct carillon_option table[] = {
    {"scheme", "NAME", "one of several ways to solve it; 'carillon list' shows them", CARILLON_TEXT, AT(scheme), 0, 0},
    {"ports", "all|single", "a node uses all its links at once, or sends and receives one packet a slot (default all)",
     CARILLON_TEXT, AT(ports), 0, 0},
    {"link-latency", "λ[,λ…]", "slots that a packet takes over a link, of all or of each dimension (default 1)",
     CARILLON_TEXT, AT(link_latency), 0, 0},
    {"members", "NODES", "nodes that have and want packets, as in 0,3,8-11; the others only forward (default: all)",
     CARILLON_TEXT, AT(members), 0, 0},
    {"switches", "add", "nodes that only forward can add: of all-reduce (default: they cannot)", CARILLON_TEXT,
     AT(switches), 0, 0},
    {"boards", "FILE|AxB", "boards with clocks of their own: a file of lines 'NAME: NODES', or a grid on a product",
     CARILLON_TEXT, AT(boards), 0, 0},
    {"cable-latency", "λ",
     "slots that a packet takes over a link between boards, from 9 (default: as the network says)", CARILLON_NUMBER,
     AT(cable_latency), CRL_CABLE_LATENCY_MIN, CRL_LATENCY_MAX},
    {"cable-gap", "G", "slots after which a link between boards takes the next packet (default: as the network says)",
     CARILLON_NUMBER, AT(cable_gap), 1, CRL_LATENCY_MAX},
    {"cable-each", NULL, "each link between boards is a cable of its own (default: those of two boards share one)",
     CARILLON_FLAG, AT(cable_each), 0, 0},
    {"ppm", "P", "of run: the clocks of boards are up to P ppm faster and slower (default 0)", CARILLON_NUMBER, AT(ppm),
     0, 500000},
    {"cable", "LO-HI", "of run: cycles that a flit takes over a cable (default: as planned)", CARILLON_TEXT, AT(cable),
     0, 0},
    {"cable-errors", "E", "of run: chance that a flit of a cable is damaged, is lost, is doubled (default 0)",
     CARILLON_REAL, AT(cable_errors), 0, 0},
    {"unplug", "CABLE@ROUND+US",
     "of run: a cable carries nothing from a round on, for so many µs of 100 cycles (without +US: for good)",
     CARILLON_TEXT, AT(unplug), 0, 0},
    {"noise", "CABLE@ROUND+US", "of run: a cable carries noise, likewise", CARILLON_TEXT, AT(noise), 0, 0},
    {"reboot", "BOARD@ROUND", "of run: a board is reset when it begins a round, alone", CARILLON_TEXT, AT(reboot), 0,
     0},
    {"other-plan", "BOARD", "of run: a board has another plan than the others", CARILLON_TEXT, AT(other_plan), 0, 0},
    {"without", "A-B,C,...", "dead links, each both ways, and dead nodes, as in 0-1,4-5,7", CARILLON_TEXT, AT(without),
     0, 0},
    {"spare", "links|cables|nodes", "of plan: another plan for each single failure of one of these", CARILLON_TEXT,
     AT(spare), 0, 0},
    {"fail", "A-B@R", "of run: a link, or a node C@R, dies in round R of --rounds; a spare plan is played from then on",
     CARILLON_TEXT, AT(fail), 0, 0},
    {"root", "NODE", "the node that has, or gets, everything (default 0)", CARILLON_TEXT, AT(root), 0, 0},
    {"items", "K", "items of a k-item or continuous broadcast on a LogP machine", CARILLON_NUMBER, AT(items), 1,
     UINT32_MAX - 1},
    {"time", "T", "when the sum must be there, on a LogP machine", CARILLON_NUMBER, AT(time), 1, UINT32_MAX / 2},
    {"operands", "N", "how many numbers a summation adds, on a LogP machine", CARILLON_NUMBER64, AT(operands), 1,
     UINT32_MAX},
    {"full-duplex", NULL, "the processors of a LogP machine may send and receive at once", CARILLON_FLAG,
     AT(full_duplex), 0, 0},
    {"active", "NODES|random:M",
     "nodes that take part in a partial collective, as in 0,3,8-11; or M of them, by --seed", CARILLON_TEXT, AT(active),
     0, 0},
    {"to", "NODES|random", "nodes that packets of a monotone routing go to, in order, as many as are active",
     CARILLON_TEXT, AT(to), 0, 0},
    {"counts", "LIST|random:K",
     "packets of each node of a line broadcast, as in 3,0,2 of nodes 0 to 2; or K at random nodes, by --seed",
     CARILLON_TEXT, AT(counts), 0, 0},
    {"dimension", "D", "along which a line broadcast leads (default 1)", CARILLON_NUMBER, AT(dimension), 1,
     UINT32_MAX - 1},
    {"parts", "N", "parts that each packet is split into, of which a link carries one a slot (default 1)",
     CARILLON_NUMBER, AT(parts), 1, CRL_PARTS_MAX},
    {"chunks", "M", "chunks of an all-reduce (default: as many as nodes), a reduce or a scan (default 1)",
     CARILLON_NUMBER, AT(chunks), 1, UINT32_C(1) << 20},
    {"demands", "FILE",
     "the traffic: lines 'id,src,dst,packets,release,deadline,period,after' (docs/formats/demands.md)", CARILLON_TEXT,
     AT(demands), 0, 0},
    {"matrix", "FILE", "the traffic as a matrix: how many packets each host has for each host", CARILLON_TEXT,
     AT(matrix), 0, 0},
    {"group", "COLLECTIVE@SET",
     "of groups, may be repeated: all-gather@rows, all-to-all@nodes:0,3-7 (docs/formats/programs.md)", CARILLON_LINES,
     AT(group), 0, 0},
    {"program", "FILE", "the steps of a program, lines 'COLLECTIVE@SET' (docs/formats/programs.md)", CARILLON_TEXT,
     AT(program), 0, 0},
    {"period", "P|least", "the traffic comes anew every P slots, or as often as it can", CARILLON_TEXT, AT(period), 0,
     0},
    {"nowait", NULL, "no packet waits on its path", CARILLON_FLAG, AT(nowait), 0, 0},
    {"keep", "FILE", "change as little as can be of this schedule, as where a link has died", CARILLON_TEXT, AT(keep),
     0, 0},
    {"slack", "K", "with --keep: slots that the schedule may then take more than at best (default 0)", CARILLON_NUMBER,
     AT(slack), 0, UINT32_C(1) << 24},
    {"tp", "X", "slots that a step of on-line counting takes, for the time that is reported (default: as played)",
     CARILLON_REAL, AT(tp), 0, 0},
    {"effort", "SECONDS",
     "that a search for a schedule may take, counted in steps so that the result is the same everywhere (default: a "
     "few)",
     CARILLON_NUMBER, AT(effort), 1, 1000000},
    {"refute", "K",
     "raise the bound where a SAT solver shows that schedules cannot meet it, within K thousand conflicts a slot "
     "(small "
     "networks)",
     CARILLON_NUMBER, AT(refute), 1, 1000000},
    {"relative", NULL, "rows of node 0 only, of a schedule that looks the same from every node", CARILLON_FLAG,
     AT(relative), 0, 0},
    {"lanes", "K", "ports served a clock cycle (default: all)", CARILLON_NUMBER, AT(lanes), 1, 32},
    {"banks", "B", "memories a node (default: the fewest that work)", CARILLON_NUMBER, AT(banks), 1, 64},
    {"streams", "L",
     "streams of a node, each way, on which its words come and leave: 1 to the lanes (default: memories hold them)",
     CARILLON_NUMBER, AT(streams), 1, 32},
    {"op", "add|min|max|xor|and|or|fadd|fadd-bf16|fadd-fp16",
     "how sums are made (default add; fadd: of fp32; fadd-bf16, fadd-fp16: of numbers of 16 bits, added in fp32); a "
     "LogP machine has only the first four",
     CARILLON_TEXT, AT(op), 0, 0},
    {"words", "M",
     "words a packet (default 1); of emit slots have as many cycles, else the table is played once a word",
     CARILLON_NUMBER, AT(words), 1, 65536},
    {"width", "W", "bits a word: 8, 16, 32 or 64 (default 32); of emit 1 to 1024", CARILLON_NUMBER, AT(width), 1,
     UINT32_MAX - 1},
    {"engine", "rtl|model|both|board", "what plays (default both: RTL and model; of dynamic, model)", CARILLON_TEXT,
     AT(engine), 0, 0},
    {"seed", "S", "picks the payloads (default 1)", CARILLON_NUMBER64, AT(seed), 0, UINT64_MAX},
    {"threads", "N", "threads that share the routers (default 1)", CARILLON_NUMBER, AT(threads), 1, 64},
    {"wave", "FILE", "write waveforms of every node: .fst or .vcd", CARILLON_TEXT, AT(wave), 0, 0},
    {"serial", "S", "the board with this serial number, of several; 'carillon board list' shows them", CARILLON_TEXT,
     AT(serial), 0, 0},
    {"board", "KIND", "the board of this kind, icebreaker or hx8k, of several", CARILLON_TEXT, AT(board), 0, 0},
    {"rounds", "N",
     "times to play, each with the payloads of the next seed; 0: until 'carillon board reset' (default 1)",
     CARILLON_NUMBER, AT(rounds), 0, UINT32_MAX},
    {"rho", "R", "load factor λ(2^d − 1)/d above 0; a sweep: 0.1,0.2 or 0.05:0.50:0.05", CARILLON_TEXT, AT(rho), 0, 0},
    {"slots", "N", "slots that are measured (default 10000)", CARILLON_NUMBER64, AT(slots), 1, UINT64_C(1) << 40},
    {"warmup", "N", "slots before these (default: a tenth of them)", CARILLON_NUMBER64, AT(warmup), 0,
     UINT64_C(1) << 40},
    {"depth", "Q",
     "packets a node holds (default: any number); with --blocking, or in run, each buffer (default 2, or any)",
     CARILLON_NUMBER, AT(depth), 1, UINT32_C(1) << 20},
    {"blocking", NULL, "finite buffers that block instead of overflowing, and saturated sources", CARILLON_FLAG,
     AT(blocking), 0, 0},
    {"latency", "TIME", "of a link that takes one slot, for --format simgrid-platform: 1us", CARILLON_TEXT, AT(latency),
     0, 0},
    {"bandwidth", "RATE", "of a link, for --format simgrid-platform: 10Gbps", CARILLON_TEXT, AT(bandwidth), 0, 0},
    {"slot-ns", "N",
     "nanoseconds of a slot, for --format tsn-gcl or traffic-csv (default 12336: an Ethernet frame at 1 Gbit/s)",
     CARILLON_NUMBER, AT(slot_ns), 1, 1000000000},
    {"word", "BYTES", "that a link carries in a slot: with --link and --alpha, for times and bandwidths",
     CARILLON_NUMBER, AT(word), 1, UINT32_MAX - 1},
    {"link", "GBPS", "Gbit/s of a link, with --word and --alpha", CARILLON_REAL, AT(link), 0, 0},
    {"alpha", "NS", "nanoseconds that a slot takes beside those of its bytes, with --word and --link", CARILLON_REAL,
     AT(alpha), 0, 0},
    {"part", "K",
     "of a plan with several chunks from node to node, the K-th chunk (default: the first that breaks a rule, else 1)",
     CARILLON_NUMBER, AT(part), 1, UINT32_MAX - 1},
    {"stall", "X", "chance that a node does nothing in a slot, with --blocking (default 0)", CARILLON_TEXT, AT(stall),
     0, 0},
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
    const char *takes = problem->form->takes(problem), *always = problem->form->always;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (given(&problem->options, &table[i]) && !crl_word_among(takes, table[i].name) &&
            !(always && crl_word_among(always, table[i].name)) && !crl_word_among(everywhere, table[i].name))
            return table[i].offset == AT(streams) && problem->options.streams == CARILLON_STREAMS_ALL
                       ? crl_fail(diag, CRL_ERR_UNSUPPORTED,
                                  "there is no fabric with streams for %s: take %s of the RTL, with tables by "
                                  "'carillon build' and 'carillon dump'",
                                  crl_form_title(problem), problem->form->fabric)
                       : crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' means nothing for %s", table[i].name,
                                  crl_form_title(problem));
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
