// SPDX-License-Identifier: Apache-2.0
// What each collective must achieve. Both judges, check and oracle, take it from here.
#ifndef CRL_PROBLEM_H
#define CRL_PROBLEM_H

#include "demand/demand.h"

// How two words combine, of which none has more than `data_width` bits.
enum crl_op {
    CRL_OP_ADD,
    CRL_OP_MIN,
    CRL_OP_MAX,
    CRL_OP_XOR,
    CRL_OP_AND,
    CRL_OP_OR,
    CRL_OP_FADD,
    CRL_OP_FADD_BF16, // as FADD, of numbers that have 16 bits on streams
    CRL_OP_FADD_FP16,
    CRL_OPS
};
#define CRL_OP_NAN UINT64_C(0x7fc00000) // what sums of floating-point numbers have instead of any NaN
static inline bool crl_op_floats(enum crl_op op) { return op >= CRL_OP_FADD; }
// Whether words of so many bits have the operator: floating-point numbers have 32.
bool crl_op_fits(enum crl_op op, uint32_t data_width);
uint64_t crl_op_apply(enum crl_op op, uint32_t data_width, uint64_t a, uint64_t b);
float crl_float_of(uint64_t word); // of 32 bits
uint64_t crl_float_bits(float number);
// A word as streams have it: of bf16 and fp16, rounded to 16 bits, to nearest, ties to even; any NaN is one. And back,
// exactly.
uint64_t crl_op_narrowed(enum crl_op op, uint64_t word);
uint64_t crl_op_widened(enum crl_op op, uint64_t word);
// Its name, as in "add"; and back: CRL_OPS where there is no such operator.
const char *crl_op_name(enum crl_op op);
enum crl_op crl_op_named(const char *name);
// Writes "; did you mean 'x'?" of the operator below `end` that is nearest to a name, or "". Add is also known as sum,
// as in MPI. Returns `hint`.
const char *crl_op_meant(const char *name, enum crl_op end, char hint[96]);
enum crl_ports { CRL_PORTS_ALL, CRL_PORTS_SINGLE };

// How packets of a problem are named: by origin (broadcast kinds), by origin and destination (personalised kinds),
// where a node has several packets or a packet is split by origin and part, or, where packets are sums, by the first
// and the last of the nodes whose values are in them. The second number is called `dest` throughout. Where a packet of
// one origin and one destination is split it holds both the destination and, in the lowest CRL_PART_BITS, the part.
// Where packets are what demands say, by the demand, `origin`, and a number within it, `dest`.
enum crl_naming {
    CRL_NAMING_ORIGIN,
    CRL_NAMING_PAIR,
    CRL_NAMING_PART,
    CRL_NAMING_RANGE,
    CRL_NAMING_SPLIT_PAIR,
    CRL_NAMING_DEMAND
};
enum { CRL_PART_BITS = 8, CRL_SPLIT_NODES_MAX = 1 << 24, CRL_PARTS_MAX = 64 }; // _PARTS_MAX: that can be asked for
// A packet's name as it is written: "3", "3>5", "3.1", "3-5" or "3>5.1"; of demands (else NULL), as these say.
// Returns `text`.
const char *crl_packet_name(enum crl_naming naming, const struct crl_demands *demands, uint32_t origin, uint32_t dest,
                            char text[CRL_PACKET_NAME]);
// What stands between the first two numbers; 0 where there is one.
char crl_naming_separator(enum crl_naming naming);
// Whether a packet is for one node, and which that is.
static inline bool crl_naming_is_pair(enum crl_naming naming)
{
    return naming == CRL_NAMING_PAIR || naming == CRL_NAMING_SPLIT_PAIR;
}
static inline uint32_t crl_packet_dest(enum crl_naming naming, uint32_t dest)
{
    return naming == CRL_NAMING_SPLIT_PAIR ? dest >> CRL_PART_BITS : dest;
}

struct crl_priced;   // problem/bound_prices.h
struct crl_schedule; // schedule/schedule.h

// A collective on a network: which packets there are, where each starts, and which nodes must end with it.
struct crl_problem {
    const struct crl_collective *collective;
    const struct crl_topology *topology; // not owned
    const uint32_t *hosts;               // the nodes that have and want packets, ascending, of host_count; NULL: all
    uint32_t host_count;                 // the others only forward. Not owned
    uint32_t root;                       // for collectives that have one
    enum crl_ports ports;
    const uint32_t *active; // for partial collectives: the active nodes in ascending order, not owned
    uint32_t active_count;
    uint32_t parts;         // mini packets that a packet is split into, at least 1
    const uint32_t *dests;  // of monotone routing: where the active nodes' packets go, as many, ascending, not owned
    const uint32_t *starts; // of a line broadcast: node v has packets starts[v]…starts[v + 1]−1 of all, not owned
    const struct crl_demands *demands; // of traffic: which packets there are, not owned
    bool nowait;                       // packets leave a node in the slot after that in which they came
    const struct crl_schedule *keep;   // of which as much is kept as there can be; NULL: none. Not owned
    uint32_t slack;                    // slots that it may then take more than at best
    uint32_t dim;                      // of a line broadcast: the factor of the topology along which the lines lead
    enum crl_op op;                    // of sums: by which they are made
    uint32_t chunks; // of sums: how many a node's vector is cut into; a packet's name is the number of its chunk
    struct crl_priced *priced; // what is known of prices, so that it is found out once; NULL: each time. Not owned
    uint32_t effort;           // seconds that a search may take on an idle machine, counted in steps; 0: as it likes
    uint32_t words_a_slot;     // that a node takes, and gives, where that is fewer than it has ports; 0: no such limit
    // Of the work on it, not owned: where found schedules are kept. NULL, as crl_problem_init leaves it: the defaults.
    const struct crl_context *context;
};

// Looks `name` up (canonical or alias) and checks `root`. CRL_ERR_UNSUPPORTED: of a collective in which nodes that only
// forward cannot help.
int crl_problem_init(struct crl_problem *problem, const char *name, const struct crl_topology *topology, uint32_t root,
                     enum crl_ports ports, struct crl_diag *diag);
// Says which nodes are active, in strictly ascending order, for a partial collective; none are until then. `active`
// must stay alive. `parts` is as of crl_problem_set_parts. Fails with CRL_ERR_ARGUMENT on nodes that are not there or
// not in order, and where the collective takes neither.
int crl_problem_set_active(struct crl_problem *problem, const uint32_t *active, uint32_t count, uint32_t parts,
                           struct crl_diag *diag);
// Says into how many parts each packet is split; links carry one a slot. Fails with CRL_ERR_ARGUMENT where the packets
// of the collective cannot be split, or into so many.
int crl_problem_set_parts(struct crl_problem *problem, uint32_t parts, struct crl_diag *diag);
bool crl_problem_is_partial(const struct crl_problem *problem);
bool crl_problem_has_root(const struct crl_problem *problem); // one node has, or gets, everything
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
// Traffic: which packets there are is said by demands, which must stay alive. CRL_ERR_ARGUMENT for other collectives.
int crl_problem_set_demands(struct crl_problem *problem, const struct crl_demands *demands, struct crl_diag *diag);
bool crl_problem_has_demands(const struct crl_problem *problem); // whether it needs them
// Of demands: fails with CRL_ERR_RULE and the reason where no schedule can meet them.
int crl_problem_feasible(const struct crl_problem *problem, struct crl_diag *diag);
// Of demands: a lower bound on the slots after which all of them can come anew.
uint64_t crl_problem_bound_period(const struct crl_problem *problem);
// The node at which a packet starts, and the demand that it is of (NULL: of none), by the first number of its name.
uint32_t crl_problem_source(const struct crl_problem *problem, uint32_t origin);
const struct crl_demand *crl_problem_demand(const struct crl_problem *problem, uint32_t origin);
// The first so many packets of any other collective that only moves packets, as demands: packet k of demand i is the
// packet of index first[i] + k. To be ended with crl_demands_done also after a failure. Returns 0 or CRL_ERR_MEMORY.
int crl_problem_list_demands(struct crl_demands *demands, const struct crl_problem *problem, uint64_t packets);
// Whether packets are chunks, of which nodes add up what each of them contributes.
bool crl_problem_sums(const struct crl_problem *problem);
// Of a chunk, by its number: whether some of it is the node's, whose values these are, whether the node must end with
// it, and whether it goes to one place, so that nobody sends a partial sum twice. Where packets are demands', some of
// which are sums, all packets are such chunks; one that is only moved is a sum of one value.
bool crl_chunk_has(const struct crl_problem *problem, uint32_t chunk, uint32_t node);
uint32_t crl_chunk_values(const struct crl_problem *problem, uint32_t chunk);
bool crl_chunk_wanted(const struct crl_problem *problem, uint32_t chunk, uint32_t node);
bool crl_chunk_has_one_place(const struct crl_problem *problem, uint32_t chunk);
bool crl_problem_scans(const struct crl_problem *problem); // whether node v wants the sum of nodes 0…v, not of all
// Says how many chunks there are, from 1. Fails with CRL_ERR_ARGUMENT where the collective says it.
int crl_problem_set_chunks(struct crl_problem *problem, uint32_t chunks, struct crl_diag *diag);
// How many there are where nobody says it: one, or as many as hosts.
uint32_t crl_problem_usual_chunks(const struct crl_problem *problem);
bool crl_problem_takes_chunks(const struct crl_problem *problem);
// What a collective that gathers is in reversed time: one that spreads, on the network with all links turned round. Its
// schedules are theirs, read backwards.
struct crl_turned {
    struct crl_problem problem;
    struct crl_topology topology;
};
const char *crl_collective_turned(const char *collective); // its name; NULL: there is none
bool crl_problem_turns(const struct crl_problem *problem); // whether it sums and there is one
// Only where there is one. Returns 0 or CRL_ERR_MEMORY; ended with _done. Points into itself.
int crl_problem_turned(struct crl_turned *turned, const struct crl_problem *problem);
void crl_problem_turned_done(struct crl_turned *turned);
// Most packets that the nodes of one line have together.
uint32_t crl_problem_line_packets(const struct crl_problem *problem);
// Reads how many packets each node has, as in "3,0,2" (of nodes 0, 1 and 2; all others have none) or "random:9" (nine,
// each at a node picked by `seed`), into *starts, as crl_problem_set_lines wants them; the caller frees it. Errors
// carry the position in `text` (file "<counts>").
int crl_counts_parse(uint32_t **starts, const char *text, uint32_t nodes, uint64_t seed, struct crl_diag *diag);
// Reads a list of active nodes, as in "0,3,8-11", "none" or "random:5" (five nodes, picked by `seed`), into *active, an
// ascending array that the caller frees. Errors carry the position in `text`, as that of a file `name`.
int crl_active_parse(uint32_t **active, uint32_t *count, const char *name, const char *text,
                     const struct crl_topology *topology, uint64_t seed, struct crl_diag *diag);
// Mini packets into which scheme `split` splits a packet: Varvarigos & Bertsekas 1994, Sec. 3.1.
uint32_t crl_mini_packets(const struct crl_topology *topology);
bool crl_collective_known(const char *name); // canonical or alias
const char *crl_collective_at(size_t index); // their names, from index 0; NULL behind the last
const char *crl_problem_name(const struct crl_problem *problem);
// As people say it today, for texts and pictures: all-gather, where files and images say multinode-broadcast.
const char *crl_problem_title(const struct crl_problem *problem);
const char *crl_collective_title(const char *name); // `name` itself where it is no collective on links

const char *crl_problem_packet_name(const struct crl_problem *problem, uint32_t origin, uint32_t dest,
                                    char text[CRL_PACKET_NAME]);
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
bool crl_problem_is_host(const struct crl_problem *problem, uint32_t node);
bool crl_problem_adds(const struct crl_problem *problem, uint32_t node); // of sums: hosts do, and switches that can
// Number of packets `node` must hold at the end.
uint64_t crl_problem_wanted(const struct crl_problem *problem, uint32_t node);
// How many of these are its own.
uint64_t crl_problem_wanted_own(const struct crl_problem *problem, uint32_t node);
// Packets (where they are split, parts; of sums, chunks) in the buffer by whose size bandwidth is counted: what a root
// has or gets in all, what all nodes together broadcast, what a node has for all including itself, a vector that is
// summed; of traffic the most that one node sends or gets.
uint64_t crl_problem_buffer(const struct crl_problem *problem);
// The best lower bounds the program can prove, in slots (rounded up) and in transmissions.
uint64_t crl_problem_bound_slots(const struct crl_problem *problem);
uint64_t crl_problem_bound_transmissions(const struct crl_problem *problem);
// Parts that make up what is counted as a transmission: where all nodes take part these are counted themselves, in
// partial collectives and line broadcasts whole packets are.
uint64_t crl_problem_parts_a_count(const struct crl_problem *problem);
// The best lower bound from the slot in which a node takes its first own word to that in which the last word has left a
// node, if that many words enter, and leave, a node in a slot, and links are used in no more slots than `period` (0: in
// any). Returns 0 or CRL_ERR_MEMORY.
int crl_problem_bound_ends(uint64_t *bound, const struct crl_problem *problem, uint32_t words_a_slot, uint64_t period);
// Slots after which the next round can begin at the earliest, for its links, and for its words where each is for one
// node. Returns 0 or CRL_ERR_MEMORY.
int crl_problem_bound_round(uint64_t *slots, const struct crl_problem *problem, uint32_t words_a_slot);
// Whether slot tables can carry a solution out. What counts, or routes packets by their ranks, on-line routers do.
bool crl_problem_has_tables(const struct crl_problem *problem);
// A lower bound, in slots, on a total exchange in which a node starts one packet and takes one in a slot and none
// waits.
uint64_t crl_problem_bound_one_bank(const struct crl_problem *problem);

// A collective is a rule for which packets exist. Packets named by origin go to every node, those named by pair to
// `dest`.
enum crl_ends { CRL_ENDS_ALL, CRL_ENDS_ROOT, CRL_ENDS_ACTIVE };
// The nodes at one end of the packets, in ascending order: how many there are, and number `rank`.
uint64_t crl_ends_count(const struct crl_problem *problem, enum crl_ends ends);
uint32_t crl_ends_node(const struct crl_problem *problem, enum crl_ends ends, uint64_t rank);
// Which packets there are, where ends do not say it: functions of the same names in carillon.h.
struct crl_packet_rule {
    uint64_t (*packets)(const struct crl_problem *problem);
    void (*packet)(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest);
    uint64_t (*index)(const struct crl_problem *problem, uint32_t origin, uint32_t dest);
    bool (*wants)(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node);
    uint64_t (*wanted)(const struct crl_problem *problem, uint32_t node);
    const struct crl_sum_rule *sum; // NULL: packets are not sums of what nodes contribute
};
struct crl_sum_rule {
    bool scan; // node v wants the sum of nodes 0…v
    bool one;  // of one chunk, unless said; else as many as nodes
    bool said; // the number of chunks can be chosen
};
struct crl_collective {
    const char *name, *alias;
    enum crl_naming naming;
    enum crl_ends origins, dests; // one of the two is CRL_ENDS_ALL
    uint64_t (*bound_slots)(const struct crl_problem *problem);
    uint64_t (*bound_transmissions)(const struct crl_problem *problem);
    const struct crl_packet_rule *rule; // NULL: the ends say it
};

const struct crl_collective *crl_collective_that_sums(const struct crl_collective *collective); // of demands

uint64_t crl_bound_broadcast(const struct crl_problem *problem);
uint64_t crl_bound_multinode_broadcast(const struct crl_problem *problem);
uint64_t crl_bound_rooted(const struct crl_problem *problem); // scatter and gather
uint64_t crl_bound_total_exchange(const struct crl_problem *problem);
uint64_t crl_bound_partial(const struct crl_problem *problem);
// The same where links take longer than a slot. With latencies of 1 it is the collective's own bound.
uint64_t crl_bound_latency(const struct crl_problem *problem);
// Over each node that takes, or gives, a packet for each of the others: what is to pass its links, by how far it goes.
uint64_t crl_bound_ends(const struct crl_problem *problem);
// Where some nodes only forward, with any latencies.
uint64_t crl_bound_hosts(const struct crl_problem *problem);
// Of a total exchange there, links of latency 1: what leaves hosts in all slots but the last *x, and what comes to them
// in all but the first *x. A packet that has more than *x hops to go is in both, and each other one at least in one.
uint64_t crl_bound_both_ends(const struct crl_problem *problem, uint32_t *x);
uint64_t crl_transmissions_hosts(const struct crl_problem *problem);
uint64_t crl_transmissions_broadcast(const struct crl_problem *problem);
uint64_t crl_transmissions_multinode_broadcast(const struct crl_problem *problem);
uint64_t crl_transmissions_rooted(const struct crl_problem *problem);
uint64_t crl_transmissions_total_exchange(const struct crl_problem *problem);
uint64_t crl_transmissions_partial(const struct crl_problem *problem);

uint64_t crl_bound_traffic(const struct crl_problem *problem);
uint64_t crl_bound_demand_sums(const struct crl_problem *problem); // where some demands are sums
// Whether it is among those of such demands that spread, or of those that do so in reversed time (`turned`).
bool crl_demand_moves(const struct crl_demand *demand, bool turned);
uint64_t crl_transmissions_traffic(const struct crl_problem *problem);
extern const struct crl_packet_rule crl_rule_demands, crl_rule_demand_sums;
extern const struct crl_packet_rule crl_rule_ranges, crl_rule_ranks, crl_rule_dests, crl_rule_lines;
extern const struct crl_packet_rule crl_rule_reduce, crl_rule_reduce_scatter, crl_rule_all_reduce, crl_rule_scan;
uint64_t crl_bound_turned(const struct crl_problem *problem); // of reductions that are another's reversed
uint64_t crl_bound_reduce(const struct crl_problem *problem);
uint64_t crl_bound_all_reduce(const struct crl_problem *problem);
uint64_t crl_bound_scan(const struct crl_problem *problem);
uint64_t crl_transmissions_sum(const struct crl_problem *problem);
uint64_t crl_transmissions_all_reduce(const struct crl_problem *problem);
uint64_t crl_bound_prefix(const struct crl_problem *problem);
uint64_t crl_bound_routing(const struct crl_problem *problem);
uint64_t crl_bound_line(const struct crl_problem *problem);
uint64_t crl_transmissions_prefix(const struct crl_problem *problem);
uint64_t crl_transmissions_routing(const struct crl_problem *problem);
uint64_t crl_transmissions_line(const struct crl_problem *problem);

// ---- lists of nodes

// Fails with CRL_ERR_ARGUMENT unless all are nodes, in strictly ascending order. `what` one of them is.
int crl_nodes_ascending(const struct crl_topology *topology, const uint32_t *list, uint32_t count, const char *what,
                        struct crl_diag *diag);
// How many of an ascending list are below `node`, and whether it is one itself.
uint32_t crl_nodes_below(const uint32_t *list, uint32_t count, uint32_t node, bool *is_one);

// ---- parts of bounds

// Links of a node that lead to it (`inward`) or from it; 1 where it uses one a slot.
uint32_t crl_ports_in_use(const struct crl_problem *problem, uint32_t node, bool inward);
// Slots in which packets[k] packets that go k hops, k ≤ farthest, pass one end of `ports` ports: those that go farther
// than k hops must have passed k slots before the end, for each k. Sets packets[…] to 0.
uint64_t crl_slots_by_distance(uint64_t *packets, uint32_t farthest, uint64_t ports);

#endif
