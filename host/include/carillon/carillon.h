// SPDX-License-Identifier: Apache-2.0
// Carillon: optimal collective communication as slot tables. Public interface of the library, a section a stage.
//
// The library never prints, never exits and keeps no globals. Functions that can fail return 0 or a negative CRL_ERR_*
// and describe the failure in a struct crl_diag (which may be NULL). What a function hands out as **out is freed with
// the function of the same noun. Nodes, ports and packets count from 0, slots from 1.
#ifndef CARILLON_H
#define CARILLON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRL_VERSION "0.1.0"
#define CRL_NONE    UINT32_MAX

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
    CRL_ERR_LIMIT = -7,        // too large to represent
    CRL_ERR_MISMATCH = -8,     // traces or results differ
    CRL_ERR_TOOL = -9,         // an outside tool failed
    CRL_ERR_DEVICE = -10,      // there is no board, or it does not do what it should
    CRL_ERR_INTERRUPTED = -11, // the caller's watch wanted to stop
};

// Where and what went wrong. `line` and `col` count from 1; 0 means unknown.
struct crl_diag {
    char file[256];
    uint64_t line, col;
    char text[512];
};

// Fills *diag (if any) and returns `code`, so that callers can write `return crl_fail(…)`.
int crl_fail(struct crl_diag *diag, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int crl_fail_at(struct crl_diag *diag, int code, const char *file, uint64_t line, uint64_t col, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// ---------------------------------------------------------------- topology

// An interconnection network: nodes 0…N−1 and ports 0…P−1 per node; port p carries traffic that travels in direction p.
struct crl_topology;

// Parses e.g. "hypercube:4". Errors carry the position in `spec` (file "<topology>").
int crl_topology_parse(struct crl_topology **out, const char *spec, struct crl_diag *diag);
void crl_topology_free(struct crl_topology *topology);

const char *crl_topology_name(const struct crl_topology *topology); // canonical spelling
uint32_t crl_topology_nodes(const struct crl_topology *topology);
uint32_t crl_topology_ports(const struct crl_topology *topology); // P, the largest degree
uint64_t crl_topology_links(const struct crl_topology *topology); // directed links
// The node that port `port` of `node` leads to, or CRL_NONE.
uint32_t crl_topology_neighbor(const struct crl_topology *topology, uint32_t node, uint32_t port);
// The port of `src` that leads to `dst`, or CRL_NONE where there is no link.
uint32_t crl_topology_port_to(const struct crl_topology *topology, uint32_t src, uint32_t dst);
// The node whose port `port` leads to `node` (it sends what arrives at in[port]), or CRL_NONE.
uint32_t crl_topology_behind(const struct crl_topology *topology, uint32_t node, uint32_t port);
uint32_t crl_topology_distance(const struct crl_topology *topology, uint32_t a, uint32_t b);
// Sum of the distances from `node` to all nodes, that over all nodes, and its average as a fraction in lowest terms.
uint64_t crl_topology_status(const struct crl_topology *topology, uint32_t node);
uint64_t crl_topology_status_sum(const struct crl_topology *topology);
void crl_topology_average_status(const struct crl_topology *topology, uint64_t *numerator, uint64_t *denominator);
// Translations: where they exist, shift(v, by) is an automorphism of the network that takes node 0 to `by` and keeps
// ports; unshift is its inverse. On a hypercube both are XOR.
bool crl_topology_is_symmetric(const struct crl_topology *topology);
uint32_t crl_topology_shift(const struct crl_topology *topology, uint32_t node, uint32_t by);
uint32_t crl_topology_unshift(const struct crl_topology *topology, uint32_t node, uint32_t by);

// ---------------------------------------------------------------- problem

enum crl_ports { CRL_PORTS_ALL, CRL_PORTS_SINGLE };

// How packets of a problem are named: by origin (broadcast kinds), by origin and destination (personalised kinds),
// where a node has several packets or a packet is split by origin and part, or, where packets are sums, by the first
// and the last of the nodes whose values are in them. The second number is called `dest` throughout.
enum crl_naming { CRL_NAMING_ORIGIN, CRL_NAMING_PAIR, CRL_NAMING_PART, CRL_NAMING_RANGE };
// A packet's name as it is written: "3", "3>5", "3.1" or "3-5". Returns `text`.
const char *crl_packet_name(enum crl_naming naming, uint32_t origin, uint32_t dest, char text[24]);
// What stands between the two numbers; 0 where there is one.
char crl_naming_separator(enum crl_naming naming);

// A collective on a network: which packets there are, where each starts, and which nodes must end with it.
struct crl_problem {
    const struct crl_collective *collective;
    const struct crl_topology *topology; // not owned
    uint32_t root;                       // for collectives that have one
    enum crl_ports ports;
    const uint32_t *active; // for partial collectives: the active nodes in ascending order, not owned
    uint32_t active_count;
    uint32_t parts;         // mini packets that a packet of a partial multinode broadcast is split into, at least 1
    const uint32_t *dests;  // of monotone routing: where the active nodes' packets go, as many, ascending, not owned
    const uint32_t *starts; // of a line broadcast: node v has packets starts[v]…starts[v + 1]−1 of all, not owned
    uint32_t dim;           // of a line broadcast: the factor of the topology along which the lines lead
};

// Looks `name` up (canonical or alias) and checks `root`.
int crl_problem_init(struct crl_problem *problem, const char *name, const struct crl_topology *topology, uint32_t root,
                     enum crl_ports ports, struct crl_diag *diag);
// Says which nodes are active, in strictly ascending order, for a partial collective; none are until then. `active`
// must stay alive. `parts` > 1 splits the packets of a partial multinode broadcast. Fails with CRL_ERR_ARGUMENT on
// nodes that are not there or not in order, and where the collective takes neither.
int crl_problem_set_active(struct crl_problem *problem, const uint32_t *active, uint32_t count, uint32_t parts,
                           struct crl_diag *diag);
bool crl_problem_is_partial(const struct crl_problem *problem);
// Says where the packets of a monotone routing go: dests[i] is for the i-th active node. Set the active nodes first.
// Fails with CRL_ERR_ARGUMENT if they are not as many, in strictly ascending order, and nodes.
int crl_problem_set_dests(struct crl_problem *problem, const uint32_t *dests, uint32_t count, struct crl_diag *diag);
bool crl_problem_routes(const struct crl_problem *problem); // whether it needs them
// Says how many packets each node broadcasts along its line of dimension `dim` (from 0), and into how many parts each
// is split: 2 on a ring, or 1. `starts` has nodes + 1 numbers, from 0, none below the one before. Fails with
// CRL_ERR_ARGUMENT where there are no such lines, or no such parts.
int crl_problem_set_lines(struct crl_problem *problem, const uint32_t *starts, uint32_t dim, uint32_t parts,
                          struct crl_diag *diag);
bool crl_problem_has_lines(const struct crl_problem *problem); // whether it needs them
// Most packets that the nodes of one line have together.
uint32_t crl_problem_line_packets(const struct crl_problem *problem);
// Reads how many packets each node has, as in "3,0,2" (of nodes 0, 1 and 2; all others have none) or "random:9" (nine,
// each at a node picked by `seed`), into *starts, as crl_problem_set_lines wants them; the caller frees it. Errors
// carry the position in `text` (file "<counts>").
int crl_counts_parse(uint32_t **starts, const char *text, uint32_t nodes, uint64_t seed, struct crl_diag *diag);
// Reads a list of active nodes, as in "0,3,8-11", "none" or "random:5" (five nodes, picked by `seed`), into *active, an
// ascending array that the caller frees. Errors carry the position in `text`, as that of a file `name`.
int crl_active_parse(uint32_t **active, uint32_t *count, const char *name, const char *text, uint32_t nodes,
                     uint64_t seed, struct crl_diag *diag);
// Mini packets into which scheme `split` splits a packet: Varvarigos & Bertsekas 1994, Sec. 3.1.
uint32_t crl_mini_packets(const struct crl_topology *topology);
bool crl_collective_known(const char *name); // canonical or alias
const char *crl_problem_name(const struct crl_problem *problem);
enum crl_naming crl_problem_naming(const struct crl_problem *problem);
bool crl_problem_is_symmetric(const struct crl_problem *problem); // looks the same from every node
// Packets, in ascending order of (origin, dest). `dest` is 0 where packets are named by origin.
// The packets of a packing or monotone routing that need not move are counted, too.
uint64_t crl_problem_packets(const struct crl_problem *problem);
void crl_problem_packet(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest);
// Position of a packet in that order, or UINT64_MAX if the problem has no such packet.
uint64_t crl_problem_index(const struct crl_problem *problem, uint32_t origin, uint32_t dest);
// Must `node` hold the packet at the end? (Its origin must where everybody must.)
bool crl_problem_wants(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node);
bool crl_problem_for_all(const struct crl_problem *problem); // every node must hold every packet
// Number of packets `node` must hold at the end.
uint64_t crl_problem_wanted(const struct crl_problem *problem, uint32_t node);
// The best lower bounds the program can prove, in slots (rounded up) and in transmissions.
uint64_t crl_problem_bound_slots(const struct crl_problem *problem);
uint64_t crl_problem_bound_transmissions(const struct crl_problem *problem);
// Whether slot tables can carry a solution out. What adds up, or routes packets by their ranks, on-line routers do.
bool crl_problem_has_tables(const struct crl_problem *problem);
// A lower bound, in slots, on a total exchange in which a node starts one packet and takes one in a slot and none
// waits.
uint64_t crl_problem_bound_one_bank(const struct crl_problem *problem);

// ---------------------------------------------------------------- schedule

// One transmission: in slot `slot` node `src` sends the packet (origin, dest) to its neighbour `dst`.
struct crl_move {
    uint32_t slot, src, dst, origin, dest;
    uint32_t line; // where it was read, 0 if it was planned
};

// A list of moves. A relative schedule holds the moves of node 0 only and stands for all their translates.
struct crl_schedule {
    const struct crl_topology *topology; // not owned
    enum crl_naming naming;
    bool relative;
    size_t count, capacity;
    struct crl_move *moves;
};

void crl_schedule_init(struct crl_schedule *schedule, const struct crl_topology *topology, enum crl_naming naming,
                       bool relative);
void crl_schedule_done(struct crl_schedule *schedule);
int crl_schedule_add(struct crl_schedule *schedule, struct crl_move move);
// Puts the moves into canonical order: slot, src, dst, then packet.
int crl_schedule_sort(struct crl_schedule *schedule);
// Transmissions of the whole network, translates included.
uint64_t crl_schedule_transmissions(const struct crl_schedule *schedule);
uint32_t crl_schedule_slots(const struct crl_schedule *schedule); // last slot in use, 0 when empty
// A copy with every translate written out. Fails with CRL_ERR_LIMIT beyond 2^32−1 moves.
int crl_schedule_expand(struct crl_schedule *full, const struct crl_schedule *schedule, struct crl_diag *diag);
// If the moves are all the translates of those of node 0, keeps only these, sets `relative` and returns true. Needs
// canonical order.
bool crl_schedule_fold(struct crl_schedule *schedule);

// Reads `slot,src,dst,packet` CSV. Anything that is a number parses; whether it makes sense is for the checker to say.
int crl_schedule_read_csv(struct crl_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag);
// Writes CSV in canonical order: the moves of node 0 if `relative`, else every translate, streamed.
int crl_schedule_write_csv(const struct crl_schedule *schedule, FILE *file, bool relative, struct crl_diag *diag);

// ---------------------------------------------------------------- algorithm

// One row of the table of algorithms: what solves what, where, and who says so.
struct crl_algorithm {
    const char *collective; // name of the problem
    const char *scheme;
    const char *topology; // topologies it applies to, as in "hypercube"
    uint32_t port_models; // bit set of 1 << enum crl_ports
    const char *bound;    // its number of slots, as a formula
    const char *paper;    // key and section
    const char *summary;
    bool (*applies)(const struct crl_problem *problem);
    int (*plan)(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag);
};

const struct crl_algorithm *crl_algorithm_table(size_t *count);
// The first row that solves `problem`, or the one named `scheme` (NULL: any).
int crl_algorithm_find(const struct crl_algorithm **out, const struct crl_problem *problem, const char *scheme,
                       struct crl_diag *diag);
// Plans. `schedule` comes back in canonical order and relative where the algorithm is symmetric; the caller ends it
// with crl_schedule_done also after an error.
int crl_plan(struct crl_schedule *schedule, const struct crl_algorithm *algorithm, const struct crl_problem *problem,
             struct crl_diag *diag);

// Whether routers find the schedule by themselves, knowing no more than their place and whether they are active.
bool crl_algorithm_is_online(const struct crl_algorithm *algorithm);
// Of an on-line algorithm, or of one of these planned beforehand: the slots of counting, which come before the first
// packet, and an upper bound on its time in slots of a whole packet if a step of counting takes `tp` of them (NAN: none
// is known). Returns false, and leaves both alone, for any other algorithm. Varvarigos & Bertsekas 1994, Eqs. (5a) to
// (6b) and Sec. 4, for any sides.
bool crl_online_timing(const struct crl_algorithm *algorithm, const struct crl_problem *problem, double tp,
                       uint32_t *count_slots, double *bound);

// ---------------------------------------------------------------- check

enum crl_severity { CRL_WARNING, CRL_VIOLATION };

struct crl_finding_kind {
    const char *id;
    enum crl_severity severity;
    const char *summary, *advice;
};
const struct crl_finding_kind *crl_finding_kinds(size_t *count);

struct crl_finding {
    const struct crl_finding_kind *kind;
    uint64_t row; // line in the file, or index of the move from 1; 0 where no row is to blame
    char text[160];
};

// What the checker found out. Counts are of the whole network.
struct crl_report {
    uint64_t slots, transmissions, bound_slots, bound_transmissions;
    uint64_t buffer_packets;       // most packets a node holds between slots that it must still forward
    uint64_t violations, warnings; // all of them, also those beyond the list
    double utilization;
    size_t count;
    struct crl_finding *findings; // the first CRL_FINDINGS_LISTED of each kind
};
#define CRL_FINDINGS_LISTED 100

// Judges a schedule against a problem, knowing nothing of how it was made. Sorts `schedule`. Returns 0 when no rule is
// broken, CRL_ERR_RULE when one is; the report is filled in both cases.
int crl_check(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
              struct crl_diag *diag);
void crl_report_done(struct crl_report *report);

// ---------------------------------------------------------------- image

// What the hardware must have to play a table; docs/formats/row.md says what each means.
struct crl_geometry {
    uint32_t ports, lanes, banks, write_xbar, delay, waddr_field;
    uint32_t data_width; // bits
    uint32_t addr_width; // bits of a bank address
    uint32_t rows;       // rows of a table
    uint32_t words;      // words a packet
};

// With fewer banks than lanes the outputs select among the live inputs of all lanes and the banks, and a packet passes
// through a bank only where it enters, leaves or stays: "direct", in docs/formats/row.md.
bool crl_geometry_is_direct(const struct crl_geometry *geometry);
// The `osel` that names bank `bank`; in a direct router those below `lanes` name live inputs.
uint32_t crl_geometry_bank_select(const struct crl_geometry *geometry, uint32_t bank);

// A table row as fields. Arrays are indexed by bank or by lane, as in docs/formats/row.md.
#define CRL_PORTS_MAX 32
#define CRL_BANKS_MAX 64
struct crl_row {
    struct {
        uint32_t raddr, waddr;
        uint8_t byp, dly, wen, wsel;
    } bank[CRL_BANKS_MAX];
    struct {
        uint8_t ov, osel, oport, exp, iport;
    } lane[CRL_PORTS_MAX];
};

uint32_t crl_row_bits(const struct crl_geometry *geometry);
uint32_t crl_row_words(const struct crl_geometry *geometry); // 32-bit words of a packed row
void crl_row_pack(const struct crl_geometry *geometry, const struct crl_row *row, uint32_t *bits);
bool crl_row_unpack(const struct crl_geometry *geometry, const uint32_t *bits,
                    struct crl_row *row); // false: bad parity

// Where a packet lies in a node.
struct crl_place {
    uint32_t origin, dest, bank, addr;
};
struct crl_places {
    uint32_t count;
    struct crl_place *place;
};

// Everything that is needed to load, play and judge a schedule. In a relative image there is one table and one set of
// places; node v uses them with every packet name translated by v. Otherwise names are absolute and every node has its
// own places.
struct crl_image {
    struct crl_geometry geometry;
    char topology[128], collective[32], scheme[32];
    uint32_t nodes, root, port_model, link_cycles; // link cycles of one round
    bool relative;
    uint32_t tables;
    uint32_t *bits;                    // [tables][rows][row_words]
    uint32_t *node_table;              // [nodes]
    uint32_t place_sets;               // 1 if relative, else nodes
    struct crl_places *before, *after; // [place_sets]
    uint32_t *zero;                    // [place_sets][banks] address that must hold 0 beforehand, CRL_NONE: none
    uint32_t parts;                    // of a partial collective: mini packets a packet; else 0
    uint32_t active_count, *active;    // of a partial collective: the active nodes, ascending
};

// An image file holds tables of one of these forms.
enum crl_image_form {
    CRL_FORM_SLOTS,  // struct crl_image: slot tables of a link topology
    CRL_FORM_QUEUES, // forwarding tables and gates
    CRL_FORM_LOGP,   // rows of a LogP machine
};

// The bytes of an image file whose magic, version and CRC are right; what they hold is read by the form's own parser.
struct crl_container {
    enum crl_image_form form;
    uint32_t sections;
    uint8_t *bytes; // owned
    size_t count;
    char name[256]; // for messages
};
// Fails with CRL_ERR_PARSE or CRL_ERR_IO and leaves *container empty.
int crl_container_read(struct crl_container *container, FILE *file, const char *name, struct crl_diag *diag);
void crl_container_done(struct crl_container *container);

void crl_image_done(struct crl_image *image);
const uint32_t *crl_image_row(const struct crl_image *image, uint32_t table, uint32_t row);
int crl_image_write(const struct crl_image *image, FILE *file, struct crl_diag *diag);
int crl_image_read(struct crl_image *image, FILE *file, const char *name, struct crl_diag *diag);
// The same from bytes already read; fails with CRL_ERR_PARSE unless they are of form CRL_FORM_SLOTS.
int crl_image_parse(struct crl_image *image, const struct crl_container *container, struct crl_diag *diag);
// True if two images play the same tables from and to the same places.
bool crl_image_equal(const struct crl_image *a, const struct crl_image *b);

// ---------------------------------------------------------------- lower

struct crl_lower_options {
    uint32_t lanes;      // K; 0 = ports
    uint32_t banks;      // B; 0 = the least that works
    uint32_t words;      // words a packet, at least 1
    uint32_t data_width; // bits a word: 8, 16, 32 or 64
};

// Compiles a checked schedule to tables and placements. Fails with CRL_ERR_UNSUPPORTED if `banks` are too few,
// which fewer than `lanes` are unless packets on their way hardly ever wait.
int crl_lower(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
              const char *scheme, const struct crl_lower_options *options, struct crl_diag *diag);
// Reads the tables of an image back into a schedule by following every packet through every node.
int crl_raise(struct crl_schedule *schedule, const struct crl_image *image, const struct crl_problem *problem,
              struct crl_diag *diag);
// Marks the bits of a row that act on anything; `next` is the row after it (NULL: none), `mask` has crl_row_words
// words.
void crl_row_used(const struct crl_geometry *geometry, const struct crl_row *row, const struct crl_row *next,
                  uint32_t *mask);

// ---------------------------------------------------------------- trace

// A word on a link. Traces are sorted by cycle, node, port. On a LogP machine the port is the destination.
#define CRL_TRACE_PORTS_MAX 1024
struct crl_word {
    uint64_t cycle;
    uint32_t node, port;
    uint64_t data;
};

// What the words hold that nobody loaded: garbage, so that a table that reads them is found out.
uint64_t crl_garbage(const struct crl_geometry *geometry, uint32_t node, uint32_t bank, uint32_t addr, uint64_t seed);
// Payload of word `word` of a packet: distinct for distinct (packet, word), and random by seed.
uint64_t crl_payload(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t word,
                     const struct crl_geometry *geometry, uint64_t seed);
// What the memory of `node` holds before a run: its own packets, the words that must be zero, and garbage. `memory` is
// [banks][words][depth]; what lies at addresses from `depth` on is left out.
void crl_fill_memory(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed, uint32_t node,
                     uint32_t depth, uint64_t *memory);
// Whether `data_width` bits can tell all words of all packets apart.
bool crl_payload_fits(const struct crl_problem *problem, const struct crl_geometry *geometry);

// Anything that plays a schedule, a link cycle a step: the link cycles of a round, then one without words (the last row
// only takes in), for each word of the packets. `valid` holds ⌈ports/32⌉ words a node, a mask of its ports,
// `data[node * ports + port]` the link words.
struct crl_player {
    void *self;
    // Plays the next cycle; returns a negative error, 0 when another follows, 1 when this was the last. After
    // the last it returns 1 and does nothing.
    int (*step)(void *self, const uint32_t **valid, const uint64_t **data);
};

// The trace that a checked schedule must produce, derived without looking at tables.
struct crl_expected;
int crl_expected_new(struct crl_expected **out, const struct crl_schedule *schedule, const struct crl_problem *problem,
                     const struct crl_geometry *geometry, uint64_t seed, struct crl_diag *diag);
void crl_expected_free(struct crl_expected *expected);
struct crl_player crl_expected_player(struct crl_expected *expected);

// What a comparison found. It stops at the first cycle that differs; `text` then shows both sides, with the cycles
// before.
struct crl_compared {
    uint64_t words, cycles; // link words, and cycles from the first to the last of them
    uint64_t mismatches;    // words that differ in that cycle; 0: all alike
    uint64_t cycle;         // where it stopped, counted from the first word
    char text[2048];
};
// Plays 1 to 4 players side by side and compares each with players[0]. Writes the words of players[1] (if only one: of
// players[0]) to `trace` if that is not NULL. `progress` (may be NULL) is called after every cycle.
int crl_compare(struct crl_compared *result, const struct crl_player *players, const char *const *names, size_t count,
                uint32_t nodes, uint32_t ports, FILE *trace, void (*progress)(void *user, uint64_t cycle), void *user,
                struct crl_diag *diag);

// Reads the next line of a text trace `cycle node port data`; returns 1, 0 at the end, or a negative error.
int crl_trace_read(FILE *file, const char *name, uint64_t *line, struct crl_word *word, struct crl_diag *diag);
int crl_trace_write(FILE *file, const struct crl_word *word);

// ---------------------------------------------------------------- model

// The cycle model: executes the tables of an image, cycle for cycle, in C.
struct crl_model;
struct crl_faults {
    uint64_t missing, unexpected, parity; // events
    uint32_t node, port, slot;            // of the first
};
// `seed` picks the payloads. The image must stay alive.
int crl_model_new(struct crl_model **out, const struct crl_image *image, const struct crl_problem *problem,
                  uint64_t seed, struct crl_diag *diag);
void crl_model_free(struct crl_model *model);
struct crl_player crl_model_player(struct crl_model *model);
struct crl_faults crl_model_faults(const struct crl_model *model);
// A word of a node's memory, after the run.
uint64_t crl_model_memory(void *model, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);

// ---------------------------------------------------------------- oracle

// Judges what ended up in the memories, knowing nothing of schedules or tables. Returns "ok", or one word: "missing" (a
// node has no place for a packet it must have), "extra" (a place for one it must not have), "overlap" (two in one
// place), "wrong" (not its data). `where` (may be NULL) says where.
const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                       void *user, struct crl_diag *where);

// ---------------------------------------------------------------- draw

enum crl_drawing {
    CRL_DRAW_SVG,
    CRL_DRAW_HTML, // a page with the SVG in it; needs nothing else
};

// Draws a checked schedule: a column a slot, a row a link, in every busy cell the packet. Of a relative schedule node 0
// is shown, which stands for all; of a large one the first nodes and slots, and the header says so. `scheme` (may be
// NULL) is for the header. Fails with CRL_ERR_RULE on slots, nodes or links that there are not, before anything is
// written.
int crl_draw(const struct crl_schedule *schedule, const struct crl_problem *problem, const char *scheme,
             enum crl_drawing form, FILE *file, struct crl_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
