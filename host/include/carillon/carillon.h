// SPDX-License-Identifier: Apache-2.0
// Carillon: optimal collective communication as slot tables. The public interface of the library.
//
// The flow is problem → schedule → check → image → run, each an opaque handle made from the one before:
//
//     struct carillon_options options = carillon_defaults();
//     carillon_problem_new(&problem, NULL, "all-to-all", "hypercube:4", &options, &diag);
//     carillon_plan(&schedule, problem, &diag);           // or carillon_schedule_read
//     carillon_check(schedule, &diag);
//     carillon_lower(&image, schedule, &diag);
//     carillon_run(&run, schedule, image, NULL, &diag);   // in RTL and by the cycle model, compared and judged
//
// It is the same for every form of machine: slot tables on links, LogP machines, on-line routers, queues.
//
// The library never prints, never exits and keeps no globals. Functions that can fail return 0 or a negative CRL_ERR_*
// and describe the failure in a struct crl_diag (which may be NULL). What a function hands out as **out is NULL after a
// failure and else ended with the _free of the same noun, to which NULL may be given; handles may be ended in any order
// (a schedule keeps its problem, an image too). One thread at a time uses a problem and all that was made of it: two
// schedules of one problem share what was found out about its bound. Different problems are independent; if they have
// one context, its functions are called from several threads. Text that is returned as `const char *` belongs to the
// handle; text handed out as `char **` is the caller's, who ends it with free().
// Nodes, ports and packets count from 0, slots from 1.
#ifndef CARILLON_H
#define CARILLON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CARILLON_PUBLIC __attribute__((visibility("default")))
#else
#define CARILLON_PUBLIC
#endif

#define CARILLON_VERSION "1.0.0" // of this header; carillon_version() is that of the library at run time
CARILLON_PUBLIC const char *carillon_version(void);

// ---------------------------------------------------------------- errors

// Pinned values: programs may compare them.
enum crl_error {
    CRL_OK = 0,
    CRL_ERR_ARGUMENT = -1,     // an option or name makes no sense
    CRL_ERR_PARSE = -2,        // a text or file does not parse, or its CRC is wrong
    CRL_ERR_IO = -3,           // the operating system refused
    CRL_ERR_MEMORY = -4,       // out of memory
    CRL_ERR_RULE = -5,         // a schedule breaks a rule
    CRL_ERR_UNSUPPORTED = -6,  // no algorithm, or no hardware form, for this
    CRL_ERR_LIMIT = -7,        // too large to represent, or for this machine
    CRL_ERR_MISMATCH = -8,     // traces or results differ
    CRL_ERR_TOOL = -9,         // an outside tool is missing or failed
    CRL_ERR_DEVICE = -10,      // there is no board, or it does not do what it should
    CRL_ERR_INTERRUPTED = -11, // the caller's watch wanted to stop
    CRL_ERR_BUILD = -12,       // an outside tool refused what a simulator is compiled from
    CRL_ERR_LOAD = -13,        // a compiled simulator cannot be loaded
    CRL_ERR_BUSY = -14,        // not while rows are being played
    CRL_ERR_ASSERT = -15,      // an assertion of the RTL failed
};

// Where and what went wrong. `line` and `col` count from 1; 0 means unknown.
struct crl_diag {
    char file[256];
    uint64_t line, col;
    char text[512];
};

// Row `index`, from 0, of the table of errors: the number, its name in small letters, as "argument", and what it means.
// False when there is none.
struct carillon_error {
    int code;
    const char *name, *text;
};
CARILLON_PUBLIC bool carillon_error_at(size_t index, struct carillon_error *row);

// ---------------------------------------------------------------- context

// What a process that plays a part of a network sends to, and receives from, another one that plays its neighbours.
struct carillon_swap {
    uint32_t rank; // the other process
    size_t bytes_out, bytes_in;
    const void *out;
    void *in;
};
struct carillon_run;
// A run that several processes share: each plays nodes of its own, a block of equal numbers, and calls these functions
// in the same order as all others. They return 0 or a negative CRL_ERR_*.
struct carillon_share {
    uint32_t rank, ranks; // this process, of so many
    // Swaps what is given with each of the others; the buffers are left alone until `wait` has come back.
    int (*start)(void *user, const struct carillon_swap *swaps, size_t count);
    int (*wait)(void *user);
    // *bits becomes what is set at any process.
    int (*agree)(void *user, uint32_t *bits);
    // What each process has of a run becomes what all have of it: the most cycles, the sums of words, mismatches,
    // faults and digest, the lowest rank's bad result with its text. May say what it took, too.
    int (*join)(void *user, struct carillon_run *run);
    // The trace as each process wrote its part, with rising cycles, becomes `whole` at process 0 (elsewhere NULL), of
    // each cycle the lines of process 0 first. `part` is written; it is read from its beginning. NULL where no trace
    // is wanted.
    int (*gather)(void *user, FILE *part, FILE *whole);
    void *user;
};

// How the library reaches its surroundings: passed by pointer, NULL for the defaults, and kept by handles, so it must
// outlive them. All callbacks may be NULL.
struct crl_context {
    // Where compiled simulators and found schedules are kept. NULL: $CARILLON_CACHE, else $XDG_CACHE_HOME/carillon,
    // else $HOME/.cache/carillon.
    const char *cache;
    // The folder of rtl/ and sim/, from which simulators are compiled. NULL: $CARILLON_DATA, else share/carillon of the
    // prefix in which library or program lie, else where they were built or are to be installed.
    const char *data;
    uint32_t threads; // that may be used; 0: as many as there are processors
    // What is done now and takes a while, as a sentence.
    void (*message)(void *user, const char *text);
    // How far something is that takes long; `total` 0: unknown. Called often.
    void (*progress)(void *user, const char *doing, uint64_t done, uint64_t total);
    // Whether the caller wants it to stop; it then ends with CRL_ERR_INTERRUPTED.
    bool (*cancelled)(void *user);
    // A device is held from now on, which must be left in order; or no longer.
    void (*holding)(void *user, bool held);
    // A fault or finding that does not end the work, as a line.
    void (*warning)(void *user, const char *text);
    void *user;
    const struct carillon_share *share; // of runs; NULL: this process plays all nodes
};

// ---------------------------------------------------------------- options

// Everything that can be chosen. Start from carillon_defaults(). Text must stay alive as long as what is made from it.
// Later versions add fields at the end: `size` tells the library which of them a program knows. CRL_ERR_ARGUMENT says
// that an option means nothing for the chosen algorithm, that nobody set `size`, or that the library is the older one.
#define CARILLON_STREAMS_ALL UINT32_MAX // as many streams as lanes
struct carillon_options {
    size_t size;              // of this struct, in bytes, as the program was compiled
    const char *ports;        // "all" (NULL: that), or "single": a node sends and receives one packet a slot
    const char *link_latency; // slots of a link: "3", or "1,3" by dimension; NULL: 1
    const char *members; // nodes that have and want packets, as "0,3,8-11"; the others only forward. NULL: all hosts
    const char *boards;  // a file of boards, or a grid of them, as "2x2"; NULL: one board
    uint32_t cable_latency, cable_gap; // of links between boards; 0: as the network says
    bool cable_each;                   // each of these is a cable of its own
    const char *without;               // dead links, both ways, and nodes, as "0-1,4-5,7"; NULL: none
    const char *scheme;                // how it is planned, as `carillon list` has it; NULL: the best known
    bool for_routers;                  // where none is said: of those with as few slots, one for the cheapest routers
    const char *root;                  // the node that has, or gets, everything, by number or name; NULL: 0
    const char *active, *to;      // partial collectives: "0,3,8-11" or "random:5"; monotone routing: where packets go
    const char *counts;           // line broadcast: packets of each node, "3,0,2" or "random:9"
    uint32_t dimension;           // line broadcast: from 1
    const char *demands, *matrix; // traffic: the file that says what it is, or a matrix of it
    const char *group;            // groups: "COLLECTIVE@SET", several a line each
    const char *program;          // program: the file that has its steps
    const char *period;           // slots after which it comes anew, or "least"; NULL: it does not
    bool nowait;                  // no packet waits on its path
    const char *keep;             // a file with a schedule to change as little as can be; NULL: none
    uint32_t slack;               // slots above the bound that a schedule may then take
    uint32_t parts;               // parts of a packet; 0: as the scheme has it, mostly 1
    uint32_t chunks; // all-reduce, reduce, scan: of a node's vector; 0: of an all-reduce as many as nodes, else one
    uint32_t items, time;  // LogP machines
    uint64_t operands;     // of a summation
    bool full_duplex;      // LogP: overheads may overlap
    bool relative;         // schedules are read and written as the rows of node 0
    double tp;             // slots that a step of on-line counting takes; below 0: as played
    uint32_t lanes, banks; // K, 0: all ports; B, 0: the fewest that work
    uint32_t streams;      // of a node, each way, on which its words come and leave; 0: memories hold them
    uint32_t words, width; // of a packet, 0: one; bits a word: 8, 16, 32 or 64, 0: 32, on boards 16
    bool blocking;         // queues: finite buffers that block
    const char *engine;    // "rtl", "model", "both" or "board"; NULL: both
    const char *op;        // "add" (NULL: that), "min", "max", "xor", and but on LogP machines "and", "or", "fadd",
                           // "fadd-bf16", "fadd-fp16"
    uint64_t seed;         // of payloads, random nodes and random traffic
    uint32_t threads;      // that share the routers of a run; 0: one
    const char *wave;      // file for waveforms, .fst or .vcd
    uint32_t effort;       // seconds that a search for a schedule may take, counted in steps; 0: a few
    uint32_t refute;       // raise the bound by SAT, each slot within so many thousand conflicts; 0: do not
    uint32_t depth;        // packets a queue holds; 0: any number
    const char *board, *serial; // which board, of several
    uint32_t rounds;            // times to play, on a board or with streams; 0: on and on
    const char *rho, *stall;    // random broadcasts: load factors; chance that a node does nothing in a slot
    uint64_t slots, warmup;     // random broadcasts: measured, and before that; warmup UINT64_MAX: a tenth
    const char *latency;        // of a link that takes one slot, for simulators: "1us"
    const char *bandwidth;      // likewise: "10Gbps"
    uint32_t slot_ns;           // nanoseconds of a slot; 0: those of the longest Ethernet frame at 1 Gbit/s
    uint32_t word;              // bytes that a link carries in a slot; 0: no times are computed
    double link, alpha;         // Gbit/s of a link, nanoseconds a slot beside those of its bytes; below 0: not said
    uint32_t part;              // of a plan whose packets are several chunks, the one to show; 0: the first that is bad
    uint32_t ppm;               // by which the clocks of boards are faster and slower, at most
    const char *cable;          // cycles that a flit takes over a cable: "5-60"; NULL: as planned
    double cable_errors;        // chance that a flit is damaged; lost; doubled
    const char *unplug, *noise; // a cable that carries nothing, or noise, for a time: "0@5+100"; NULL: none
    const char *reboot;         // a board that is reset alone: "b0@5"
    const char *other_plan;     // a board that has another plan
    const char *spare;          // plans for each single failure of "links", "cables" or "nodes"; NULL: none
    const char *fail;           // what dies in which round of a run, as "0-1@500" or "5@500"; NULL: nothing
    const char *switches;       // "add": nodes that only forward can add; NULL: they cannot
};
// Sets the `size` bytes of *options, of which `size` is the first field, to the defaults: nothing chosen.
CARILLON_PUBLIC void carillon_options_init(struct carillon_options *options, size_t size);
// The defaults, as a program knows them that is compiled with this header.
static inline struct carillon_options carillon_defaults(void)
{
    struct carillon_options options;
    carillon_options_init(&options, sizeof options);
    return options;
}

// A row of the table of options: its name, the word for its value, what it means, and its range.
// Of _LINES: a text, too; what is said several times is a line each.
enum carillon_option_kind {
    CARILLON_FLAG,
    CARILLON_TEXT,
    CARILLON_LINES,
    CARILLON_NUMBER,
    CARILLON_NUMBER64,
    CARILLON_REAL
};
struct carillon_option {
    const char *name, *value, *help;
    enum carillon_option_kind kind;
    size_t offset; // in struct carillon_options
    uint64_t least, most;
};
CARILLON_PUBLIC const struct carillon_option *carillon_option_table(size_t *count);
// Sets the field that lies at the row's offset in *options to what a text says; a flag, whose value must be NULL, to
// true. Texts are not copied: `value` must live as long as what is made from the options. Fails with CRL_ERR_ARGUMENT
// on what is no number or out of its range, and where *options are shorter than the row wants.
CARILLON_PUBLIC int carillon_option_set(const struct carillon_option *option, void *options, const char *value,
                                        struct crl_diag *diag);

// ---------------------------------------------------------------- what there is

// A row of the table of algorithms of all forms.
struct carillon_algorithm {
    const char *algorithm, *scheme, *topology, *ports, *bound, *paper, *summary;
};
// For "did you mean": start with {.word = what was typed}, try every candidate; `best` is then the one of fewest
// mistakes, or NULL if all have too many. Candidates are not copied.
struct carillon_nearest {
    const char *word, *best;
    unsigned cost;
};
CARILLON_PUBLIC void carillon_nearest_try(struct carillon_nearest *nearest, const char *candidate);
// "; did you mean 'x'?", or "" where there is no best. Returns `text`.
CARILLON_PUBLIC const char *carillon_did_you_mean(const struct carillon_nearest *nearest, char text[96]);

// Row `index` from 0; false when there is none.
CARILLON_PUBLIC bool carillon_algorithm_at(size_t index, struct carillon_algorithm *row);
// How topology `index` is spelled, as in "hypercube:D"; NULL when there is none.
CARILLON_PUBLIC const char *carillon_topology_at(size_t index);
// The name of the algorithm that people mean by `name` on `topology` (NULL: on links), or `name` itself.
CARILLON_PUBLIC const char *carillon_algorithm_spelled(const char *name, const char *topology);
// As people say it today, for texts and pictures: all-gather for multinode-broadcast, all-to-all for total-exchange;
// what has one name only is that name. JSON, images, certificates and traces keep the names of `carillon_algorithm`.
CARILLON_PUBLIC const char *carillon_algorithm_title(const char *algorithm);
// Tries the names of all algorithms, and what people call them.
CARILLON_PUBLIC void carillon_algorithm_nearest(struct carillon_nearest *nearest);
// Which rows are for a topology: sets fits[i] of row i, for as many rows as there are.
CARILLON_PUBLIC int carillon_algorithms_fit(const char *topology, bool *fits, struct crl_diag *diag);
// The hosts of a network of links, its nodes that do more than forward: *hosts, [*count] ascending, which the caller
// frees. Fails with CRL_ERR_UNSUPPORTED for other machines.
CARILLON_PUBLIC int carillon_topology_hosts(const char *topology, uint32_t **hosts, uint32_t *count,
                                            struct crl_diag *diag);
// What a network of links is made of, as a JSON object: topology, its canonical spelling; nodes, their number; hosts, a
// list of nodes; names, a list of all nodes' names, or null; links, a list of [from, to, width, latency], one each way.
// The caller frees it. CRL_ERR_PARSE with the place in the spelling or in its file; CRL_ERR_UNSUPPORTED for other
// machines.
CARILLON_PUBLIC int carillon_topology_describe(const char *topology, char **json, struct crl_diag *diag);
// Whether an algorithm (by its name, alias or another spelling, as alltoall) or a scheme of random broadcasts is called
// that.
CARILLON_PUBLIC bool carillon_algorithm_known(const char *name);

// A kind of finding of the checker, with what it means and what to do.
struct carillon_finding_kind {
    const char *id, *summary, *advice;
    bool is_error; // else a warning
};
CARILLON_PUBLIC bool carillon_finding_kind_at(size_t index, struct carillon_finding_kind *kind);

// ---------------------------------------------------------------- problem

// A collective on a network or machine, and how it is to be solved and played.
struct carillon_problem;

// Scheme `index`, from 0, of those that solve a problem with its options: the one that is planned by where none is
// asked for comes first. NULL when there is none.
CARILLON_PUBLIC const char *carillon_problem_scheme(const struct carillon_problem *problem, size_t index);
// The best lower bound that the program can prove, as a JSON object: bound_slots, bound_transmissions, and why, a list
// of sentences. The caller frees it.
CARILLON_PUBLIC int carillon_problem_bound(const struct carillon_problem *problem, char **json, struct crl_diag *diag);
// Another way to play what was planned: sets "engine", "seed", "threads" or "wave" as carillon_option_set() does, or
// to what it is where nobody says it (NULL), for all schedules and images of the problem. Fails with CRL_ERR_ARGUMENT
// on other options. No run may be going on.
CARILLON_PUBLIC int carillon_problem_set(struct carillon_problem *problem, const char *option, const char *value,
                                         struct crl_diag *diag);
// Writes the certificate of that bound: docs/formats/certificate.md. CRL_ERR_UNSUPPORTED where none is known.
CARILLON_PUBLIC int carillon_problem_certificate(const struct carillon_problem *problem, FILE *file,
                                                 struct crl_diag *diag);
// Whether a certificate, from anyone, proves what it says of the problem: 0 and a JSON object that says what it is,
// which the caller frees; CRL_ERR_RULE and why not. `name` is for messages. Ports, root, parts and chunks that were not
// said are those of the certificate.
CARILLON_PUBLIC int carillon_certify(const struct carillon_problem *problem, FILE *file, const char *name, char **json,
                                     struct crl_diag *diag);

// `topology` as in "hypercube:4", "torus:4x4", "logp:P=8,L=6,o=2,g=4". Errors in it carry the position (file
// "<topology>").
CARILLON_PUBLIC int carillon_problem_new(struct carillon_problem **out, const struct crl_context *context,
                                         const char *algorithm, const char *topology,
                                         const struct carillon_options *options, struct crl_diag *diag);
CARILLON_PUBLIC void carillon_problem_free(struct carillon_problem *problem);

// ---------------------------------------------------------------- schedule

struct carillon_schedule;

CARILLON_PUBLIC int carillon_plan(struct carillon_schedule **out, struct carillon_problem *problem,
                                  struct crl_diag *diag);
// Reads a schedule, from anyone, as CSV. `name` is for messages.
CARILLON_PUBLIC int carillon_schedule_read(struct carillon_schedule **out, struct carillon_problem *problem, FILE *file,
                                           const char *name, struct crl_diag *diag);
// Reads the plan of another tool as a schedule on links, with a problem of its own. `format`: one that
// carillon_import_format_at lists, or NULL: as the file begins. `algorithm` NULL: what the file says that it achieves.
// Where the file has no slots each step is in the earliest that the rules allow; key "layout" of the summary says so.
// Errors: CRL_ERR_PARSE with the place in the file, also where ranks do not end with what they must;
// CRL_ERR_UNSUPPORTED, CRL_ERR_LIMIT, CRL_ERR_ARGUMENT, CRL_ERR_IO.
CARILLON_PUBLIC int carillon_import(struct carillon_schedule **out, const struct crl_context *context,
                                    const char *algorithm, const char *topology, const struct carillon_options *options,
                                    const char *format, FILE *file, const char *name, struct crl_diag *diag);
// Writes the demands of a traffic, as CSV: also those that an imported plan was found to be.
CARILLON_PUBLIC int carillon_schedule_demands(const struct carillon_schedule *schedule, FILE *file,
                                              struct crl_diag *diag);
// Name of format `index`, from 0, that is imported, or NULL.
CARILLON_PUBLIC const char *carillon_import_format_at(size_t index);
CARILLON_PUBLIC void carillon_schedule_free(struct carillon_schedule *schedule);
// The problem that a schedule keeps, for as long as the schedule is there; and the name of its collective.
CARILLON_PUBLIC struct carillon_problem *carillon_schedule_problem(const struct carillon_schedule *schedule);
CARILLON_PUBLIC const char *carillon_problem_name(const struct carillon_problem *problem);
// Writes it in a format: "csv" (NULL: that), "json", or another that carillon_format_at lists.
CARILLON_PUBLIC int carillon_schedule_write(const struct carillon_schedule *schedule, const char *format, FILE *file,
                                            struct crl_diag *diag);
// A transmission: in slot `slot` node `src` sends to its neighbour `dst` a packet, which arrives at the end of slot
// `arrival`. `first` and `second` are the numbers of the packet's name as in CSV, `second` 0 where there is one; `port`
// is that of `src`.
struct carillon_row {
    uint32_t slot, src, dst, first, second, port, arrival;
};
// Hands over every row of a checked schedule on links in the order of its CSV, those of all nodes also where it is
// relative. `between_hosts`: what goes from host to host through nodes that only forward is one row, from the slot in
// which it leaves to that in which it comes, and hosts are numbered 0, 1, … in ascending order. Fails with
// CRL_ERR_UNSUPPORTED for other machines, with CRL_ERR_LIMIT beyond 2^32−1 rows.
CARILLON_PUBLIC int carillon_schedule_rows(const struct carillon_schedule *schedule, bool between_hosts,
                                           void (*take)(void *user, const struct carillon_row *row), void *user,
                                           struct crl_diag *diag);
// The same as columns of numbers: number i of a column lies i * stride bytes behind its first, and `stride` is a
// multiple of four. A column that is NULL is left out. `packet` are the numbers of a packet's name: of "3" one, of
// "3>5", "3.1" and "3-5" two, of "3>5.1" three; where demands name packets, the demand, from 0 in bytewise order of the
// ids, and the packet in it. On a LogP machine `slot` is the time, and `packet` the item and when its reception begins.
enum { CARILLON_PACKET_NUMBERS = 3, CARILLON_PACKET_TEXT = 128 };
struct carillon_columns {
    uint32_t *slot, *src, *dst, *packet[CARILLON_PACKET_NUMBERS];
    size_t stride;
};
// How many numbers the name of a packet of the problem has, 1 to CARILLON_PACKET_NUMBERS; 0 where schedules have no
// rows of links, as on a LogP machine.
CARILLON_PUBLIC uint32_t carillon_packet_numbers(const struct carillon_problem *problem);
// The name of a packet as in CSV, which it writes into `text`. CRL_ERR_ARGUMENT where no packet has these numbers;
// CRL_ERR_UNSUPPORTED where there are no rows of links.
CARILLON_PUBLIC int carillon_packet_text(const struct carillon_problem *problem,
                                         const uint32_t numbers[CARILLON_PACKET_NUMBERS],
                                         char text[CARILLON_PACKET_TEXT], struct crl_diag *diag);
// How many rows a schedule has, those of all nodes also where it is relative; 0 where it has none.
CARILLON_PUBLIC uint64_t carillon_schedule_row_count(const struct carillon_schedule *schedule);
// Writes all rows, in the order of the CSV, into columns with room for `room` of them. Needs no more memory than a slot
// of one node's rows takes. Fails with CRL_ERR_UNSUPPORTED where there are none, CRL_ERR_LIMIT where there is less
// room.
CARILLON_PUBLIC int carillon_schedule_columns(const struct carillon_schedule *schedule,
                                              const struct carillon_columns *columns, uint64_t room,
                                              struct crl_diag *diag);
// A schedule, from anyone, of `count` rows in columns, of which none may be left out but a LogP machine's receptions,
// which are then as early as can be; in any order; rows of node 0 only where the options of the problem say `relative`.
// Findings, and CRL_ERR_PARSE where no packet has such numbers, name the line that a row would have in a file: the
// first one is line 2. Fails with CRL_ERR_UNSUPPORTED where there are none, CRL_ERR_LIMIT beyond 2^32−3 rows.
CARILLON_PUBLIC int carillon_schedule_from_columns(struct carillon_schedule **out, struct carillon_problem *problem,
                                                   const struct carillon_columns *columns, uint64_t count,
                                                   const char *name, struct crl_diag *diag);
// Whether a schedule of the problem, not yet planned, could be written in that format: 0, CRL_ERR_LIMIT if it would be
// too long, or what carillon_schedule_write returns where there is no such format.
CARILLON_PUBLIC int carillon_problem_writable(const struct carillon_problem *problem, const char *format,
                                              struct crl_diag *diag);
// Name of format `index`, from 0, of any form, or NULL.
CARILLON_PUBLIC const char *carillon_format_at(size_t index);

// Slots of sums (all-reduce, reduce, scan) against the number of chunks, as a JSON object: algorithm, topology, and
// front, a list of objects by rising chunks: chunks; slots, of plans one after the other that cover so many;
// bound_slots; plans, their chunks, as in "3 x 256 + 64". Up to 256 chunks are planned, some numbers of them; covered
// are as many as the options say, 1 to 1000000 (0: 256). The caller frees it. Errors are those of
// carillon_problem_new(), carillon_plan() and carillon_check().
CARILLON_PUBLIC int carillon_front(char **json, const struct crl_context *context, const char *algorithm,
                                   const char *topology, const struct carillon_options *options, struct crl_diag *diag);

// A plan and one for each single failure of what options->spare names, as a JSON object: the plan's summary; rows,
// row_bits and spare_rows of a node's table and of those of all spares, distinct_rows where equal ones are stored once;
// spares, a list of objects: fails, as in "0-1"; slots, bound_slots, optimal, rows, new_rows; or why there is none. The
// schedules are written into `directory` (NULL: nowhere), which must not be there or be empty. The caller frees the
// text. Errors are those of carillon_problem_new(), carillon_plan() and carillon_lower() of the plan itself.
CARILLON_PUBLIC int carillon_spares(char **json, const struct crl_context *context, const char *algorithm,
                                    const char *topology, const struct carillon_options *options, const char *directory,
                                    struct crl_diag *diag);

// Judges it, knowing nothing of how it was made. Returns 0 when no rule is broken, CRL_ERR_RULE when one is.
CARILLON_PUBLIC int carillon_check(struct carillon_schedule *schedule, struct crl_diag *diag);
// What the last check found: counts, and the first findings of each kind.
struct carillon_finding {
    const char *id, *text;
    bool is_error;
    bool is_misfit; // a row that does not fit the network, from which the others follow
    uint64_t row;   // line in the file, or row of the schedule from 1; 0 where no row is to blame
};
struct carillon_verdict {
    uint64_t violations, warnings;
    size_t count;       // of findings that are listed
    const char *misfit; // where the file seems to be for another network: a sentence that says so, else ""
};
CARILLON_PUBLIC struct carillon_verdict carillon_schedule_verdict(const struct carillon_schedule *schedule);
CARILLON_PUBLIC bool carillon_schedule_finding(const struct carillon_schedule *schedule, size_t index,
                                               struct carillon_finding *finding);
// What is known of a checked schedule, as one JSON object; with the findings if `findings`.
CARILLON_PUBLIC int carillon_schedule_summary(const struct carillon_schedule *schedule, bool findings, char **json,
                                              struct crl_diag *diag);
// In which order the values of chunk `chunk`, from 0, are added, as a JSON object (docs/formats/sums.md). The schedule
// must be checked, of sums, and break no rule. The caller frees it.
CARILLON_PUBLIC int carillon_explain_sum(const struct carillon_schedule *schedule, uint32_t chunk, char **json,
                                         struct crl_diag *diag);
// Draws a checked schedule: "svg", or "html", a page that needs nothing else.
CARILLON_PUBLIC int carillon_draw(const struct carillon_schedule *schedule, const char *format, FILE *file,
                                  struct crl_diag *diag);
// What a still picture shows, and how.
struct carillon_view {
    const char *name;    // "table" (NULL), "network", "space-time", "tree" or "heat"; on a LogP machine "space-time"
                         // (NULL) or "tree"
    uint32_t slot;       // whose packets a network shows, from 1; 0: none, and for the others
    const char *caption; // above it; "": nothing; NULL: what is seen
    uint32_t columns;    // as wide as 1 or 2 columns of a paper, 252 or 516 points; 0: as many pixels as it takes
};
// A still picture of a checked schedule, as SVG. Fails with CRL_ERR_ARGUMENT on other names, slots and columns,
// CRL_ERR_LIMIT on what is too large to be seen.
CARILLON_PUBLIC int carillon_draw_view(const struct carillon_schedule *schedule, const struct carillon_view *view,
                                       FILE *file, struct crl_diag *diag);
// A page that plays two checked schedules of the same problem side by side.
CARILLON_PUBLIC int carillon_draw_beside(const struct carillon_schedule *left, const struct carillon_schedule *right,
                                         FILE *file, struct crl_diag *diag);

// ---------------------------------------------------------------- image

// Tables and placements: everything that is needed to load, play and judge a schedule.
struct carillon_image;

// Compiles a checked schedule, and reads the tables back to see that they say the same.
CARILLON_PUBLIC int carillon_lower(struct carillon_image **out, struct carillon_schedule *schedule,
                                   struct crl_diag *diag);
CARILLON_PUBLIC int carillon_image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag);
// Reads an image file of any form, with a problem of its own: `topology` (may be NULL) must be the one it was built
// for; of the options those of a run count, and others are refused.
CARILLON_PUBLIC int carillon_image_read(struct carillon_image **out, const struct crl_context *context,
                                        const char *topology, const struct carillon_options *options, FILE *file,
                                        const char *name, struct crl_diag *diag);
CARILLON_PUBLIC void carillon_image_free(struct carillon_image *image);
// Follows every packet through the tables: the schedule they play, not yet checked.
CARILLON_PUBLIC int carillon_raise(struct carillon_schedule **out, const struct carillon_image *image,
                                   struct crl_diag *diag);
// Prints it: "text" (NULL: that), "json", "readmemh", "c" or "board"; table `table`, or all with UINT32_MAX. Of the
// schedule in it, if that was checked, the summary is part of "json".
CARILLON_PUBLIC int carillon_dump(const struct carillon_image *image, const struct carillon_schedule *schedule,
                                  const char *format, uint32_t table, FILE *file, struct crl_diag *diag);
CARILLON_PUBLIC const char *carillon_dump_format_at(size_t index);
// The summary of the schedule with what the hardware must have.
CARILLON_PUBLIC int carillon_image_summary(const struct carillon_image *image, const struct carillon_schedule *schedule,
                                           char **json, struct crl_diag *diag);

// A fabric to take away: a directory of RTL, tables and a test bench, which needs nothing else.
struct carillon_emission {
    const char *directory; // must not be there yet, or be empty, or, with `force`, be as it was emitted
    const char *top;       // name of the top module; NULL: "carillon_fabric"
    const char
        *protocol; // "stream" (NULL: that), in which words come and leave in fixed cycles, or "axis", AXI4-Stream
    const char *language;    // "systemverilog" (NULL: that), or "verilog": one file of Verilog-2005, which yosys writes
    const char *tables;      // "fixed" (NULL: that), or "axi-lite": with "axis", a port that loads others
    const char *table_files; // "inline" (NULL: that): tables are constants of the top; "hex": it reads them from files
    const char *top_ports; // "packed" (NULL: that): each port is that of all streams; "named": each stream has its own;
                           // "wires", of several boards: packed, and a cable is two wires, not a port for flits
    const char *target; // "fpga" (NULL: that), or "asic": with "axi-lite", memories are macros without initial contents
    bool absent;        // a word may be marked absent and is then not shown: up to as many packets as planned
    bool reset_banks;   // reset, not power-up, writes the zero that banks need; so it is in an ASIC
    uint32_t row_stages; // registers between what plays the tables and each node, up to 8: for large fabrics
    bool force;          // replaces a directory that is as it was emitted, but for build/ in it
    uint32_t width;      // bits of a word, 1 to 1024; 0: the image's
};
// What it plays: an image whose nodes have streams, and its schedule, checked.
struct carillon_emitted {
    const struct carillon_image *image;
    const struct carillon_schedule *schedule;
};
#define CARILLON_EMITTED_MAX 16
// Emits one fabric for `count` of them, 1 to CARILLON_EMITTED_MAX, for the same network, with as many lanes, streams
// and bits: several are chosen from, round by round, by their numbers. The directory appears when it is complete. While
// it is written, the context's `holding` is true.
CARILLON_PUBLIC int carillon_emit(const struct carillon_emitted *what, uint32_t count,
                                  const struct carillon_emission *how, struct crl_diag *diag);
// The summary of an image and its schedule, as carillon_image_summary() has it, with the cycles of a round in the
// fabric.
CARILLON_PUBLIC int carillon_emission_summary(const struct carillon_emitted *what, const struct carillon_emission *how,
                                              char **json, struct crl_diag *diag);

// ---------------------------------------------------------------- run

// Whether it is played from tables, so that a run needs an image. Else routers find it by themselves, with these
// options.
CARILLON_PUBLIC bool carillon_needs_image(const struct carillon_schedule *schedule);

enum carillon_result {
    CARILLON_NOT_JUDGED,
    CARILLON_OK,       // every node ended with exactly what the problem says
    CARILLON_MISSING,  // a node has no place for a packet it must have
    CARILLON_EXTRA,    // a node holds what it must not have
    CARILLON_OVERLAP,  // two packets in one place
    CARILLON_WRONG,    // not its data
    CARILLON_MISMATCH, // the engines differ, or do not play what the schedule says
    CARILLON_STUCK,    // boards wait, and nothing comes any more
};
CARILLON_PUBLIC const char *carillon_result_name(enum carillon_result result); // "ok", "missing" …

struct carillon_run {
    uint64_t cycles;     // from the first to the last link word
    uint64_t words;      // on links
    uint64_t mismatches; // words that differ in the first cycle with a difference; it stops there
    uint64_t faults;     // that guards reported
    uint64_t seed;       // of the payloads
    uint64_t digest;     // of the trace, in whatever order it is taken; of shared runs, else 0
    double cpu_seconds;  // of shared runs: of processors by all processes together; 0: not said
    double cpu_ratio;    // and how many times those of one process that plays alone; 0: not compared
    enum carillon_result result;
    char text[2048]; // both sides of a mismatch, or where the result is bad
};
// Plays a checked schedule (image: its tables; NULL where routers play without) on the engines that the options of the
// problem name, compares every link word of every engine with what the schedule says, and judges what the nodes hold in
// the end. Every word goes to `trace` if that is not NULL. Returns CRL_ERR_MISMATCH where words, faults or the result
// are bad; *run is filled all the same.
CARILLON_PUBLIC int carillon_run(struct carillon_run *run, struct carillon_schedule *schedule,
                                 struct carillon_image *image, FILE *trace, struct crl_diag *diag);
// Whether there is a page of what a run of this schedule did.
CARILLON_PUBLIC bool carillon_replays(const struct carillon_schedule *schedule);
// The page of what a run did: a trace beside its schedule, with the payloads of the seed of the schedule's options.
// What differs is marked; it then fails with CRL_ERR_MISMATCH after the page was written. `stopped`: the trace ends at
// the first difference, as that of carillon_run. `name` is the trace's, for errors.
CARILLON_PUBLIC int carillon_draw_trace(const struct carillon_schedule *schedule, const struct carillon_image *image,
                                        FILE *trace, const char *name, bool stopped, FILE *file, struct crl_diag *diag);
// The summary of a run: that of its image, and what came of it.
CARILLON_PUBLIC int carillon_run_summary(const struct carillon_run *run, const struct carillon_schedule *schedule,
                                         const struct carillon_image *image, char **json, struct crl_diag *diag);

// Compares two traces, `cycle node port data` a line. Returns 0 if they are alike, CRL_ERR_MISMATCH at the first
// difference.
struct carillon_difference {
    uint64_t words, cycle; // equal words before it, and its cycle
    char text[2048];       // the words before it, then both sides
};
CARILLON_PUBLIC int carillon_trace_diff(struct carillon_difference *difference, FILE *const files[2],
                                        const char *const names[2], struct crl_diag *diag);

// ---------------------------------------------------------------- random broadcasts

// One run of a scheme of random broadcasts on a topology at load factor `rho`, with the rest from the options.
struct carillon_traffic {
    double delay, queue, utilization; // NAN: none
    bool stable;
    uint64_t dropped, mismatches, faults;
    const char *result; // "ok" or one word
    char text[256];     // of a bad result
    char *json;         // the summary; free()
    char line[1024];    // its values in the columns of carillon_traffic_columns
};
CARILLON_PUBLIC const char *carillon_traffic_columns(void);
// Every word goes to `trace`, and a page that replays it to `page`, unless they are NULL; there is no page of pmnb.
// Returns 0 also where the result is bad: carillon_traffic_judge says so.
CARILLON_PUBLIC int carillon_traffic_run(struct carillon_traffic *traffic, const struct crl_context *context,
                                         const char *scheme, const char *topology, double rho,
                                         const struct carillon_options *options, FILE *trace, FILE *page,
                                         struct crl_diag *diag);
CARILLON_PUBLIC int carillon_traffic_judge(const struct carillon_traffic *traffic, struct crl_diag *diag);
// The first columns of a line, by which a run is known before it is made.
CARILLON_PUBLIC int carillon_traffic_key(char *key, size_t size, const char *scheme, const char *topology, double rho,
                                         const struct carillon_options *options, struct crl_diag *diag);

// ---------------------------------------------------------------- boards

// Actions on an FPGA board over USB: "list", "flash", "load", "run" (on and on), "read", "verify", "reset". `file`
// (NULL: none) is the image or bitstream, `name` its name; `memories` (NULL: none) takes the packet memories of "read".
// The summary is a JSON object also after some failures, else NULL.
CARILLON_PUBLIC int carillon_board(const char *action, const struct crl_context *context,
                                   const struct carillon_options *options, FILE *file, const char *name, FILE *memories,
                                   char **json, struct crl_diag *diag);
struct carillon_board_action {
    const char *name, *options; // names of the options it takes, separated by spaces
    bool wants_image, may_have_image;
};
CARILLON_PUBLIC bool carillon_board_action_at(size_t index, struct carillon_board_action *action);
// Plays what a board has: the image (NULL: the one it was given from here) must be in use on it.
CARILLON_PUBLIC int carillon_board_image(struct carillon_image **out, const struct crl_context *context,
                                         const struct carillon_options *options, FILE *file, const char *name,
                                         struct crl_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
