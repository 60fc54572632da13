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
// and describe the failure in a struct crl_diag (which may be NULL). What a function returns through **out is NULL
// after a failure; otherwise the caller frees it with the _free of the same noun, which accepts NULL. Handles may be
// freed in any order, since schedules and images keep their problem alive. Only one thread at a time may use a problem
// and everything that was made from it: two schedules of one problem share what was found out about its bound.
// Different problems are independent; if they share a context, its functions are called from several threads. Text that
// is returned as `const char *` belongs to the handle; text that is returned through `char **` belongs to the caller,
// who releases it with free(). Nodes, ports and packets count from 0, slots from 1.
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

// These values never change, so programs may compare with them.
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
    CRL_ERR_INTERRUPTED = -11, // the caller asked to stop
    CRL_ERR_BUILD = -12,       // an outside tool refused what a simulator is compiled from
    CRL_ERR_LOAD = -13,        // a compiled simulator cannot be loaded
    CRL_ERR_BUSY = -14,        // this is impossible while rows are being played
    CRL_ERR_ASSERT = -15,      // an assertion of the RTL failed
};

// What went wrong, and where. `line` and `col` count from 1; 0 means unknown.
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

// What a process that plays one part of a network sends to, and receives from, a process that plays neighbouring nodes.
struct carillon_swap {
    uint32_t rank; // the other process
    size_t bytes_out, bytes_in;
    const void *out;
    void *in;
};
struct carillon_run;
// A run that several processes share. Each plays its own block of nodes, all blocks of the same size, and calls these
// functions in the same order as all others. They return 0 or a negative CRL_ERR_*.
struct carillon_share {
    uint32_t rank, ranks; // the number of this process, from 0, and how many there are
    // Exchanges the given data with each of the other processes; the buffers are not touched until `wait` has returned.
    int (*start)(void *user, const struct carillon_swap *swaps, size_t count);
    int (*wait)(void *user);
    // *bits becomes the bits that are set at any process.
    int (*agree)(void *user, uint32_t *bits);
    // Combines what each process knows of a run, for all of them: the most cycles, the sums of words, mismatches,
    // faults and digests, and the bad result of the lowest rank that has one, with its text. It may also set the times.
    int (*join)(void *user, struct carillon_run *run);
    // Merges the parts of the trace, which each process wrote with rising cycles, into `whole` at process 0 (NULL
    // elsewhere); within a cycle the lines are in the order of the processes. `part` was written, and is read from its
    // beginning. NULL if no trace is wanted.
    int (*gather)(void *user, FILE *part, FILE *whole);
    void *user;
};

// How the library reaches its surroundings. It is passed by pointer, NULL for the defaults, and handles keep the
// pointer, so it must outlive them. All callbacks may be NULL.
struct crl_context {
    // Where compiled simulators and found schedules are kept. NULL: $CARILLON_CACHE, else $XDG_CACHE_HOME/carillon,
    // else $HOME/.cache/carillon.
    const char *cache;
    // The folder of rtl/ and sim/, from which simulators are compiled. NULL: $CARILLON_DATA, else share/carillon of the
    // prefix in which library or program lie, else where they were built or are to be installed.
    const char *data;
    uint32_t threads; // number of threads that may be used; 0: as many as there are processors
    // Receives a sentence that says what is being done, when that takes a while.
    void (*message)(void *user, const char *text);
    // Receives how much of a long task is done; `total` 0: unknown. It is called often.
    void (*progress)(void *user, const char *doing, uint64_t done, uint64_t total);
    // Returns whether the caller wants the library to stop; what is running then ends with CRL_ERR_INTERRUPTED.
    bool (*cancelled)(void *user);
    // Says that from now on a device is held, which must be left in a proper state, or that it is no longer held.
    void (*holding)(void *user, bool held);
    // Receives a line about a fault or finding that does not end the work.
    void (*warning)(void *user, const char *text);
    void *user;
    const struct carillon_share *share; // of runs; NULL: this process plays all nodes
};

// ---------------------------------------------------------------- options

// Everything that can be chosen. Start from carillon_defaults(). Text must live as long as what is made from the
// options. Later versions add fields at the end: `size` tells the library which of them a program knows.
// CRL_ERR_ARGUMENT says that an option means nothing for the chosen algorithm, that nobody set `size`, or that the
// library is the older one.
#define CARILLON_STREAMS_ALL UINT32_MAX // as many streams as lanes
struct carillon_options {
    size_t size;              // of this struct, in bytes, as the program was compiled
    const char *ports;        // "all" (NULL: that), or "single": a node sends and receives one packet a slot
    const char *link_latency; // slots of a link: "3", or "1,3" by dimension; NULL: 1
    const char *members; // nodes that have and want packets, as "0,3,8-11"; the others only forward. NULL: all hosts
    const char *boards;  // a file of boards, or a grid of them, as "2x2"; NULL: one board
    uint32_t cable_latency, cable_gap; // slots of a cable, and from packet to packet on it; 0: as the network says
    bool cable_each;                   // each link between boards is a cable of its own
    const char *without;               // dead links, in both directions, and dead nodes, as "0-1,4-5,7"; NULL: none
    const char *scheme;                // the scheme that plans, as named by `carillon list`; NULL: the best known
    bool for_routers;   // without `scheme`: of the schemes with the fewest slots, one for the cheapest routers
    const char *root;   // the node that has, or gets, everything, by number or name; NULL: 0
    const char *active; // partial collectives: the nodes that take part, as "0,3,8-11" or "random:5"
    const char *to;     // monotone routing: the destinations, likewise
    const char *counts; // line broadcast: packets of each node, "3,0,2" or "random:9"
    uint32_t dimension; // line broadcast: the dimension, from 1
    const char *demands, *matrix; // traffic: a file of its demands, or of its matrix
    const char *group;            // groups: "COLLECTIVE@SET", one on each line
    const char *program;          // program: the file of its steps
    const char *period;           // slots after which the traffic repeats, or "least"; NULL: it does not repeat
    bool nowait;                  // no packet waits on its path
    const char *keep;             // a file with a schedule that is changed as little as possible; NULL: none
    uint32_t slack;               // with `keep`: how many slots more than the bound the schedule may take
    uint32_t parts;               // parts that a packet is split into; 0: as many as the scheme needs, mostly 1
    uint32_t chunks;       // of a sum: chunks of a node's vector; 0: as many as nodes for an all-reduce, else one
    uint32_t items, time;  // LogP machines
    uint64_t operands;     // LogP: how many numbers a summation adds
    bool full_duplex;      // LogP: a processor may send and receive at once
    bool relative;         // schedules are read and written as the rows of node 0
    double tp;             // slots that a step of on-line counting takes; below 0: as played
    uint32_t lanes, banks; // K, 0: all ports; B, 0: the fewest that work
    uint32_t streams;      // streams of a node in each direction, for its words; 0: memories hold the words
    uint32_t words, width; // words of a packet, 0: one; bits of a word: 8, 16, 32 or 64, 0: 32, on boards 16
    bool blocking;         // queues: finite buffers that block
    const char *engine;    // "rtl", "model", "both" or "board"; NULL: both
    const char *op;        // "add" (NULL: that), "min", "max", "xor", and but on LogP machines "and", "or", "fadd",
                           // "fadd-bf16", "fadd-fp16"
    uint64_t seed;         // determines payloads, random nodes and random traffic
    uint32_t threads;      // threads that share the routers of a run; 0: one
    const char *wave;      // file for waveforms, .fst or .vcd
    uint32_t effort;       // seconds that a search for a schedule may take, counted in steps; 0: a few
    uint32_t refute; // thousand conflicts for each slot with which a SAT solver may raise the bound; 0: it does not
    uint32_t depth;  // packets that a queue can hold; 0: any number
    const char *board, *serial; // the kind and the serial number of the board, if there are several
    uint32_t rounds;            // how many times to play, on a board or with streams; 0: without end
    const char *rho, *stall;    // random broadcasts: load factors; chance that a node does nothing in a slot
    uint64_t slots;             // random broadcasts: how many slots are measured
    uint64_t warmup;            // random broadcasts: slots before these; UINT64_MAX: a tenth of them
    const char *latency;        // latency of a link that takes one slot, for simulators: "1us"
    const char *bandwidth;      // bandwidth of a link, for simulators: "10Gbps"
    uint32_t slot_ns;           // nanoseconds of a slot; 0: those of the longest Ethernet frame at 1 Gbit/s
    uint32_t word;              // bytes that a link carries in a slot; 0: no times are computed
    double link;                // Gbit/s of a link; below 0: not given
    double alpha;      // nanoseconds that a slot takes in addition to the time for its bytes; below 0: not given
    uint32_t part;     // of an imported plan with several chunks in a packet, the one to read; 0: the first that is bad
    uint32_t ppm;      // the most by which the clocks of boards are faster or slower
    const char *cable; // cycles that a flit takes over a cable: "5-60"; NULL: as planned
    double cable_errors;        // the chance that a flit is damaged, lost or doubled, each
    const char *unplug, *noise; // a cable that carries nothing, or only noise, for a time: "0@5+100"; NULL: none
    const char *reboot;         // a board that is reset alone: "b0@5"
    const char *other_plan;     // a board that has another plan
    const char *spare;          // plans for each single failure of "links", "cables" or "nodes", of carillon_spares()
                                // and carillon_emit(); or "auto", of a run with boards and `fail`; NULL: none
    const char *fail;           // what dies in which round of a run, as "0-1@500", "5@500" or, with boards, "b0-b1@500"
    const char *switches;       // "add": nodes that only forward can add; NULL: they cannot
};
// Sets the first `size` bytes of *options to the defaults, and its field `size` to that number.
CARILLON_PUBLIC void carillon_options_init(struct carillon_options *options, size_t size);
// The defaults, for programs that are compiled with this header.
static inline struct carillon_options carillon_defaults(void)
{
    struct carillon_options options;
    carillon_options_init(&options, sizeof options);
    return options;
}

// A row of the table of options: its name, the word for its value, what it means, and its range. A value of _LINES is a
// text, too: an option that is given several times becomes one line for each.
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
// Sets the field at the row's offset in *options to the value of a text; for a flag, `value` must be NULL and the field
// becomes true. Texts are not copied: `value` must live as long as what is made from the options. Fails with
// CRL_ERR_ARGUMENT if the text is not a number or out of range, and if *options is too short to have the field.
CARILLON_PUBLIC int carillon_option_set(const struct carillon_option *option, void *options, const char *value,
                                        struct crl_diag *diag);

// ---------------------------------------------------------------- what there is

// A row of the table of algorithms of all forms.
struct carillon_algorithm {
    const char *algorithm, *scheme, *topology, *ports, *bound, *paper, *summary;
};
// For "did you mean": start with {.word = what was typed} and try every candidate. `best` is then the candidate that
// differs least from the word, or NULL if all differ too much. Candidates are not copied.
struct carillon_nearest {
    const char *word, *best;
    unsigned cost;
};
CARILLON_PUBLIC void carillon_nearest_try(struct carillon_nearest *nearest, const char *candidate);
// Writes "; did you mean 'x'?", or "" if there is no best candidate. Returns `text`.
CARILLON_PUBLIC const char *carillon_did_you_mean(const struct carillon_nearest *nearest, char text[96]);

// Row `index`, from 0, of the table of algorithms; false if there is none.
CARILLON_PUBLIC bool carillon_algorithm_at(size_t index, struct carillon_algorithm *row);
// How topology `index` is spelled, as in "hypercube:D"; NULL when there is none.
CARILLON_PUBLIC const char *carillon_topology_at(size_t index);
// The name of the algorithm that `name` stands for on `topology` (NULL: on links), or `name` itself.
CARILLON_PUBLIC const char *carillon_algorithm_spelled(const char *name, const char *topology);
// The name in use today, for texts and pictures: all-gather for multinode-broadcast, all-to-all for total-exchange; an
// algorithm with only one name keeps it. JSON, images, certificates and traces use the names of `carillon_algorithm`.
CARILLON_PUBLIC const char *carillon_algorithm_title(const char *algorithm);
// Tries all names of all algorithms.
CARILLON_PUBLIC void carillon_algorithm_nearest(struct carillon_nearest *nearest);
// Sets fits[i] to whether row i of the table of algorithms is for the topology, for all rows.
CARILLON_PUBLIC int carillon_algorithms_fit(const char *topology, bool *fits, struct crl_diag *diag);
// The hosts of a network of links, which are the nodes that do more than forward: *hosts has *count of them, ascending,
// and the caller frees it. Fails with CRL_ERR_UNSUPPORTED for other machines.
CARILLON_PUBLIC int carillon_topology_hosts(const char *topology, uint32_t **hosts, uint32_t *count,
                                            struct crl_diag *diag);
// What a network of links is made of, as a JSON object: topology, its canonical spelling; nodes, their number; hosts, a
// list of nodes; names, a list of all nodes' names, or null; links, a list of [from, to, width, latency], one for each
// direction. The caller frees it. CRL_ERR_PARSE with the place in the spelling or in its file; CRL_ERR_UNSUPPORTED for
// other machines.
CARILLON_PUBLIC int carillon_topology_describe(const char *topology, char **json, struct crl_diag *diag);
// Whether `name` is the name, alias or other spelling (as alltoall) of an algorithm, or a scheme of random broadcasts.
CARILLON_PUBLIC bool carillon_algorithm_known(const char *name);

// A kind of finding of the checker, with what it means and what to do about it.
struct carillon_finding_kind {
    const char *id, *summary, *advice;
    bool is_error; // else a warning
};
CARILLON_PUBLIC bool carillon_finding_kind_at(size_t index, struct carillon_finding_kind *kind);

// ---------------------------------------------------------------- problem

// A collective on a network or machine, and the options by which it is planned and played.
struct carillon_problem;

// Scheme `index`, from 0, of those that can plan a problem with its options; the default comes first. NULL if there is
// none.
CARILLON_PUBLIC const char *carillon_problem_scheme(const struct carillon_problem *problem, size_t index);
// The best lower bound that the program can prove, as a JSON object: bound_slots, bound_transmissions, and why, a list
// of sentences. The caller frees it.
CARILLON_PUBLIC int carillon_problem_bound(const struct carillon_problem *problem, char **json, struct crl_diag *diag);
// Changes how the problem is played: sets "engine", "seed", "threads" or "wave" as carillon_option_set() does, or to
// its default (NULL), for all schedules and images of the problem. Fails with CRL_ERR_ARGUMENT for other options. No
// run may be in progress.
CARILLON_PUBLIC int carillon_problem_set(struct carillon_problem *problem, const char *option, const char *value,
                                         struct crl_diag *diag);
// Writes the certificate of that bound (docs/formats/certificate.md). Fails with CRL_ERR_UNSUPPORTED if none is known.
CARILLON_PUBLIC int carillon_problem_certificate(const struct carillon_problem *problem, FILE *file,
                                                 struct crl_diag *diag);
// Judges a certificate from any source. Returns 0 if it proves the bound that it states for the problem, with a JSON
// object that describes it, which the caller frees; CRL_ERR_RULE, with the reason, if it does not. `name` is for
// messages. Ports, root, parts and chunks that the options do not set are those of the certificate.
CARILLON_PUBLIC int carillon_certify(const struct carillon_problem *problem, FILE *file, const char *name, char **json,
                                     struct crl_diag *diag);

// Makes a problem. `topology` is spelled as in "hypercube:4", "torus:4x4", "logp:P=8,L=6,o=2,g=4"; errors in it name
// the position (file "<topology>"). The caller frees the problem.
CARILLON_PUBLIC int carillon_problem_new(struct carillon_problem **out, const struct crl_context *context,
                                         const char *algorithm, const char *topology,
                                         const struct carillon_options *options, struct crl_diag *diag);
CARILLON_PUBLIC void carillon_problem_free(struct carillon_problem *problem);

// ---------------------------------------------------------------- schedule

struct carillon_schedule;

CARILLON_PUBLIC int carillon_plan(struct carillon_schedule **out, struct carillon_problem *problem,
                                  struct crl_diag *diag);
// Reads a schedule from any source as CSV. `name` is for messages.
CARILLON_PUBLIC int carillon_schedule_read(struct carillon_schedule **out, struct carillon_problem *problem, FILE *file,
                                           const char *name, struct crl_diag *diag);
// Reads the plan of another tool as a schedule on links, with a problem of its own. `format`: one that
// carillon_import_format_at lists, or NULL to recognize it by how the file begins. `algorithm` NULL: what the file says
// that it achieves. If the file has no slots, each step gets the earliest slot that the rules allow; key "layout" of
// the summary says so. Errors: CRL_ERR_PARSE with the place in the file, also if ranks do not end with the data they
// must have; CRL_ERR_UNSUPPORTED, CRL_ERR_LIMIT, CRL_ERR_ARGUMENT, CRL_ERR_IO.
CARILLON_PUBLIC int carillon_import(struct carillon_schedule **out, const struct crl_context *context,
                                    const char *algorithm, const char *topology, const struct carillon_options *options,
                                    const char *format, FILE *file, const char *name, struct crl_diag *diag);
// Writes the demands of a traffic as CSV, also those that were derived from an imported plan.
CARILLON_PUBLIC int carillon_schedule_demands(const struct carillon_schedule *schedule, FILE *file,
                                              struct crl_diag *diag);
// Name of format `index`, from 0, that is imported, or NULL.
CARILLON_PUBLIC const char *carillon_import_format_at(size_t index);
CARILLON_PUBLIC void carillon_schedule_free(struct carillon_schedule *schedule);
// The problem that a schedule keeps alive, valid as long as the schedule; and the name of its collective.
CARILLON_PUBLIC struct carillon_problem *carillon_schedule_problem(const struct carillon_schedule *schedule);
CARILLON_PUBLIC const char *carillon_problem_name(const struct carillon_problem *problem);
// Writes a schedule in a format: "csv" (the default, also NULL), "json", or another that carillon_format_at lists.
CARILLON_PUBLIC int carillon_schedule_write(const struct carillon_schedule *schedule, const char *format, FILE *file,
                                            struct crl_diag *diag);
// A transmission: in slot `slot` node `src` sends to its neighbour `dst` a packet, which arrives at the end of slot
// `arrival`. `first` and `second` are the numbers of the packet's name as in CSV, `second` 0 where there is one; `port`
// is that of `src`.
struct carillon_row {
    uint32_t slot, src, dst, first, second, port, arrival;
};
// Calls `take` with every row of a checked schedule on links, in the order of its CSV; of a relative schedule with the
// rows of all nodes. With `between_hosts`, a packet's path from host to host through nodes that only forward is one
// row, from the slot in which the packet leaves to the slot in which it arrives, and hosts are numbered 0, 1, … in
// ascending order. Fails with CRL_ERR_UNSUPPORTED for other machines, with CRL_ERR_LIMIT beyond 2^32−1 rows.
CARILLON_PUBLIC int carillon_schedule_rows(const struct carillon_schedule *schedule, bool between_hosts,
                                           void (*take)(void *user, const struct carillon_row *row), void *user,
                                           struct crl_diag *diag);
// The same as columns of numbers: number i of a column lies i * stride bytes after its first, and `stride` is a
// multiple of four. A column that is NULL is left out. `packet` holds the numbers of a packet's name: one for "3", two
// for "3>5", "3.1" and "3-5", three for "3>5.1"; if demands name the packets, the number of the demand, from 0 in
// bytewise order of the ids, and that of the packet in it. On a LogP machine `slot` is the time, and `packet` the item
// and the time at which its reception begins.
enum { CARILLON_PACKET_NUMBERS = 3, CARILLON_PACKET_TEXT = 128 };
struct carillon_columns {
    uint32_t *slot, *src, *dst, *packet[CARILLON_PACKET_NUMBERS];
    size_t stride;
};
// How many numbers the name of a packet of the problem has, 1 to CARILLON_PACKET_NUMBERS; 0 if schedules have no rows
// of links, as on a LogP machine.
CARILLON_PUBLIC uint32_t carillon_packet_numbers(const struct carillon_problem *problem);
// Writes the name of a packet, as in CSV, into `text`. Fails with CRL_ERR_ARGUMENT if no packet has these numbers, with
// CRL_ERR_UNSUPPORTED if there are no rows of links.
CARILLON_PUBLIC int carillon_packet_text(const struct carillon_problem *problem,
                                         const uint32_t numbers[CARILLON_PACKET_NUMBERS],
                                         char text[CARILLON_PACKET_TEXT], struct crl_diag *diag);
// How many rows a schedule has, counting those of all nodes also if it is relative; 0 if it has none.
CARILLON_PUBLIC uint64_t carillon_schedule_row_count(const struct carillon_schedule *schedule);
// Writes all rows, in the order of the CSV, into columns with room for `room` rows. It needs no more memory than the
// rows of one node in one slot take. Fails with CRL_ERR_UNSUPPORTED if there are no rows, with CRL_ERR_LIMIT if the
// room is too small.
CARILLON_PUBLIC int carillon_schedule_columns(const struct carillon_schedule *schedule,
                                              const struct carillon_columns *columns, uint64_t room,
                                              struct crl_diag *diag);
// Makes a schedule, from any source, of `count` rows in columns, in any order; only rows of node 0 if the options of
// the problem say `relative`. No column may be left out, except for the receptions of a LogP machine, which are then as
// early as possible. Findings, and CRL_ERR_PARSE if no packet has such numbers, name the line that a row would have in
// a file: the first row is line 2. Fails with CRL_ERR_UNSUPPORTED if schedules have no rows, with CRL_ERR_LIMIT beyond
// 2^32−3 rows.
CARILLON_PUBLIC int carillon_schedule_from_columns(struct carillon_schedule **out, struct carillon_problem *problem,
                                                   const struct carillon_columns *columns, uint64_t count,
                                                   const char *name, struct crl_diag *diag);
// Whether a schedule of the problem, not yet planned, could be written in that format: 0 if it could, CRL_ERR_LIMIT if
// it would be too long, or what carillon_schedule_write returns if there is no such format.
CARILLON_PUBLIC int carillon_problem_writable(const struct carillon_problem *problem, const char *format,
                                              struct crl_diag *diag);
// Name of format `index`, from 0, of any form, or NULL.
CARILLON_PUBLIC const char *carillon_format_at(size_t index);

// The slots of a sum (all-reduce, reduce, scan) for each number of chunks, as a JSON object: algorithm, topology, and
// front, a list of objects in the order of rising chunks: chunks; slots, of the plans that together cover so many
// chunks, one after the other; bound_slots; plans, the chunks of these, as in "3 x 256 + 64". Some numbers of chunks up
// to 256 are planned; the list ends at the number in the options, 1 to 1000000 (0: 256). The caller frees it. Errors
// are those of carillon_problem_new(), carillon_plan() and carillon_check().
CARILLON_PUBLIC int carillon_front(char **json, const struct crl_context *context, const char *algorithm,
                                   const char *topology, const struct carillon_options *options, struct crl_diag *diag);

// A plan, and one for each single failure of the kind that options->spare names, as a JSON object: the plan's summary;
// rows, row_bits and spare_rows, of a node's table and of the tables of all spares; distinct_rows, if equal rows are
// stored once; spares, a list of objects: fails, as in "0-1"; slots, bound_slots, optimal, rows, new_rows; or the
// reason why there is no plan. The schedules are written into `directory` (NULL: nowhere), which must not exist or must
// be empty. The caller frees the text. Errors are those of carillon_problem_new(), carillon_plan() and carillon_lower()
// of the plan itself.
CARILLON_PUBLIC int carillon_spares(char **json, const struct crl_context *context, const char *algorithm,
                                    const char *topology, const struct carillon_options *options, const char *directory,
                                    struct crl_diag *diag);

// Judges a schedule without knowing how it was made. Returns 0 if no rule is broken, CRL_ERR_RULE if one is.
CARILLON_PUBLIC int carillon_check(struct carillon_schedule *schedule, struct crl_diag *diag);
// What the last check found: counts, and the first findings of each kind.
struct carillon_finding {
    const char *id, *text;
    bool is_error;
    bool is_misfit; // a row that does not fit the network, from which the others follow
    uint64_t row;   // line in the file, or row of the schedule from 1; 0 if no single row is the cause
};
struct carillon_verdict {
    uint64_t violations, warnings;
    size_t count;       // of findings that are listed
    const char *misfit; // a sentence, if the file seems to be for another network, else ""
};
CARILLON_PUBLIC struct carillon_verdict carillon_schedule_verdict(const struct carillon_schedule *schedule);
CARILLON_PUBLIC bool carillon_schedule_finding(const struct carillon_schedule *schedule, size_t index,
                                               struct carillon_finding *finding);
// What is known about a checked schedule, as one JSON object, with the findings if `findings`. The caller frees it.
CARILLON_PUBLIC int carillon_schedule_summary(const struct carillon_schedule *schedule, bool findings, char **json,
                                              struct crl_diag *diag);
// In which order the values of chunk `chunk`, from 0, are added, as a JSON object (docs/formats/sums.md). The schedule
// must be checked, of sums, and break no rule. The caller frees it.
CARILLON_PUBLIC int carillon_explain_sum(const struct carillon_schedule *schedule, uint32_t chunk, char **json,
                                         struct crl_diag *diag);
// Draws a checked schedule as "svg", or as "html", a page that needs no other file.
CARILLON_PUBLIC int carillon_draw(const struct carillon_schedule *schedule, const char *format, FILE *file,
                                  struct crl_diag *diag);
// What a still picture shows, and how.
struct carillon_view {
    const char *name;    // "table" (NULL), "network", "space-time", "tree" or "heat"; on a LogP machine "space-time"
                         // (NULL) or "tree"
    uint32_t slot;       // for a network: the slot whose packets are drawn, from 1; 0: none, and for the other names
    const char *caption; // caption above the picture; "": none; NULL: a description of it
    uint32_t columns;    // width: 1 or 2 columns of a paper, which are 252 or 516 points; 0: as many pixels as it takes
};
// Draws a still picture of a checked schedule as SVG. Fails with CRL_ERR_ARGUMENT for other names, slots and columns,
// with CRL_ERR_LIMIT if the picture would be too large to be seen.
CARILLON_PUBLIC int carillon_draw_view(const struct carillon_schedule *schedule, const struct carillon_view *view,
                                       FILE *file, struct crl_diag *diag);
// Writes a page that plays two checked schedules of the same problem side by side.
CARILLON_PUBLIC int carillon_draw_beside(const struct carillon_schedule *left, const struct carillon_schedule *right,
                                         FILE *file, struct crl_diag *diag);

// ---------------------------------------------------------------- image

// The tables and where packets lie: everything that is needed to load, play and judge a schedule.
struct carillon_image;

// Compiles a checked schedule to tables, and decodes them again to verify them.
CARILLON_PUBLIC int carillon_lower(struct carillon_image **out, struct carillon_schedule *schedule,
                                   struct crl_diag *diag);
CARILLON_PUBLIC int carillon_image_write(const struct carillon_image *image, FILE *file, struct crl_diag *diag);
// Reads an image file of any form, with a problem of its own. `topology` (may be NULL) must be the one that it was
// built for. Only options of a run are allowed; others are refused.
CARILLON_PUBLIC int carillon_image_read(struct carillon_image **out, const struct crl_context *context,
                                        const char *topology, const struct carillon_options *options, FILE *file,
                                        const char *name, struct crl_diag *diag);
CARILLON_PUBLIC void carillon_image_free(struct carillon_image *image);
// Follows every packet through the tables and returns the schedule that they play, not yet checked.
CARILLON_PUBLIC int carillon_raise(struct carillon_schedule **out, const struct carillon_image *image,
                                   struct crl_diag *diag);
// Prints an image as "text" (the default, also NULL), "json", "readmemh", "c" or "board": table number `table`, or all
// tables with UINT32_MAX. "json" includes the summary of the schedule, if that was checked.
CARILLON_PUBLIC int carillon_dump(const struct carillon_image *image, const struct carillon_schedule *schedule,
                                  const char *format, uint32_t table, FILE *file, struct crl_diag *diag);
CARILLON_PUBLIC const char *carillon_dump_format_at(size_t index);
// The summary of the schedule, and what the hardware needs for it, as a JSON object that the caller frees.
CARILLON_PUBLIC int carillon_image_summary(const struct carillon_image *image, const struct carillon_schedule *schedule,
                                           char **json, struct crl_diag *diag);

// A fabric to be emitted: a self-contained directory of RTL, tables and a test bench.
struct carillon_emission {
    const char *directory; // must not exist, or must be empty, or, with `force`, must be unchanged since it was emitted
    const char *top;       // name of the top module; NULL: "carillon_fabric"
    const char
        *protocol; // "stream" (NULL: that), in which words come and leave in fixed cycles, or "axis", AXI4-Stream
    const char *language;    // "systemverilog" (NULL: that), or "verilog": one file of Verilog-2005, which yosys writes
    const char *tables;      // "fixed" (NULL: that), or "axi-lite": with "axis", a port that loads other tables
    const char *table_files; // "inline" (NULL: that): tables are constants of the top; "hex": it reads them from files
    const char *top_ports; // "packed" (NULL: that): each port is that of all streams; "named": each stream has its own;
                           // "wires", of several boards: packed, and a cable is two wires, not a port for flits
    const char *target; // "fpga" (NULL: that), or "asic": with "axi-lite", memories are macros without initial contents
    bool absent; // words can be marked absent and are then not shown, so that a round has fewer packets than planned
    bool reset_banks;    // the zero that banks need is written by reset, not at power-up; always so in an ASIC
    uint32_t row_stages; // registers between the sequencer and each node, up to 8, for large fabrics
    bool force;          // replaces a directory in which nothing but build/ was changed since it was emitted
    uint32_t width;      // bits of a word, 1 to 1024; 0: the image's
};
// What a fabric plays: an image whose nodes have streams, and its checked schedule.
struct carillon_emitted {
    const struct carillon_image *image;
    const struct carillon_schedule *schedule;
};
#define CARILLON_EMITTED_MAX 16
// Emits one fabric for `count` schedules, 1 to CARILLON_EMITTED_MAX, for the same network, with the same numbers of
// lanes, streams and bits. If there are several, each round chooses one by its number. If the options of the schedule's
// problem name `spare`, which goes with one schedule only, the fabric also holds the plans for these failures. The
// directory appears when it is complete. While it is written, the context's `holding` is true.
CARILLON_PUBLIC int carillon_emit(const struct carillon_emitted *what, uint32_t count,
                                  const struct carillon_emission *how, struct crl_diag *diag);
// The summary of an image and its schedule, as by carillon_image_summary(), with the cycles of a round in the fabric.
// The caller frees it.
CARILLON_PUBLIC int carillon_emission_summary(const struct carillon_emitted *what, const struct carillon_emission *how,
                                              char **json, struct crl_diag *diag);

// ---------------------------------------------------------------- run

// Whether a schedule is played from tables, so that a run needs an image. Otherwise the routers decide by themselves,
// with the options of the problem.
CARILLON_PUBLIC bool carillon_needs_image(const struct carillon_schedule *schedule);

enum carillon_result {
    CARILLON_NOT_JUDGED,
    CARILLON_OK,       // every node ended with exactly what the problem says
    CARILLON_MISSING,  // a node has no place for a packet it must have
    CARILLON_EXTRA,    // a node holds what it must not have
    CARILLON_OVERLAP,  // two packets lie in one place
    CARILLON_WRONG,    // a packet does not have its data
    CARILLON_MISMATCH, // the engines differ, or do not play what the schedule says
    CARILLON_STUCK,    // boards wait for words that will never come
};
CARILLON_PUBLIC const char *carillon_result_name(enum carillon_result result); // "ok", "missing" …

struct carillon_run {
    uint64_t cycles;     // from the first to the last link word
    uint64_t words;      // that links carried
    uint64_t mismatches; // words that differ in the first cycle with a difference, in which the run stops
    uint64_t faults;     // that guards reported
    uint64_t seed;       // of the payloads
    uint64_t digest;     // of the trace, independent of the order of its words; 0 if the run is not shared
    double cpu_seconds;  // shared runs: processor time of all processes together; 0: unknown
    double cpu_ratio;    // shared runs: that time divided by the time of one process that plays alone; 0: not compared
    enum carillon_result result;
    char text[2048]; // both sides of a mismatch, or the place of a bad result
};
// Plays a checked schedule on the engines that the options of the problem name (`image`: its tables; NULL if routers
// play without tables), compares every word on every link with the schedule, and judges what the nodes hold at the end.
// Every word is written to `trace` unless that is NULL. Returns CRL_ERR_MISMATCH if words differ, guards report faults
// or the result is bad; *run is filled in any case. Fails with CRL_ERR_LIMIT, before anything is played, if there is
// too little memory.
CARILLON_PUBLIC int carillon_run(struct carillon_run *run, struct carillon_schedule *schedule,
                                 struct carillon_image *image, FILE *trace, struct crl_diag *diag);
// Whether carillon_draw_trace() can draw runs of this schedule.
CARILLON_PUBLIC bool carillon_replays(const struct carillon_schedule *schedule);
// Writes a page of what a run did: a trace beside its schedule, with the payloads of the seed in the schedule's
// options. Differences are marked; the function then fails with CRL_ERR_MISMATCH after it wrote the page. `stopped`:
// the trace ends at the first difference, as a trace of carillon_run does. `name` is the name of the trace, for errors.
CARILLON_PUBLIC int carillon_draw_trace(const struct carillon_schedule *schedule, const struct carillon_image *image,
                                        FILE *trace, const char *name, bool stopped, FILE *file, struct crl_diag *diag);
// The summary of a run: that of its image, and the result, as a JSON object that the caller frees.
CARILLON_PUBLIC int carillon_run_summary(const struct carillon_run *run, const struct carillon_schedule *schedule,
                                         const struct carillon_image *image, char **json, struct crl_diag *diag);

// Compares two traces, whose lines are `cycle node port data`. Returns 0 if they are equal, CRL_ERR_MISMATCH at the
// first difference.
struct carillon_difference {
    uint64_t words, cycle; // equal words before the difference, and its cycle
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
// Every word is written to `trace`, and a page that replays the run to `page`, unless they are NULL; there is no page
// for pmnb. Returns 0 also if the result is bad; carillon_traffic_judge() then fails.
CARILLON_PUBLIC int carillon_traffic_run(struct carillon_traffic *traffic, const struct crl_context *context,
                                         const char *scheme, const char *topology, double rho,
                                         const struct carillon_options *options, FILE *trace, FILE *page,
                                         struct crl_diag *diag);
CARILLON_PUBLIC int carillon_traffic_judge(const struct carillon_traffic *traffic, struct crl_diag *diag);
// Writes the first columns of a line, which identify a run before it is made.
CARILLON_PUBLIC int carillon_traffic_key(char *key, size_t size, const char *scheme, const char *topology, double rho,
                                         const struct carillon_options *options, struct crl_diag *diag);

// ---------------------------------------------------------------- boards

// Acts on an FPGA board over USB: "list", "flash", "load", "run" (without end), "status", "read", "verify", "reset";
// with options->boards "load" and "run" on several, and "run" plays options->rounds and judges them. `file`
// (NULL: none) is the image or bitstream, `name` its name; "read" writes the packet memories to `memories` (NULL:
// nowhere). The summary is a JSON object, also after some failures, else NULL; the caller frees it.
CARILLON_PUBLIC int carillon_board(const char *action, const struct crl_context *context,
                                   const struct carillon_options *options, FILE *file, const char *name, FILE *memories,
                                   char **json, struct crl_diag *diag);
struct carillon_board_action {
    const char *name, *options; // names of the options it takes, separated by spaces
    bool wants_image, may_have_image;
};
CARILLON_PUBLIC bool carillon_board_action_at(size_t index, struct carillon_board_action *action);
// The image that a board plays. `file` (NULL: the image that was last loaded from this computer) must be in use on the
// board.
CARILLON_PUBLIC int carillon_board_image(struct carillon_image **out, const struct crl_context *context,
                                         const struct carillon_options *options, FILE *file, const char *name,
                                         struct crl_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
