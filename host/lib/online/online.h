// SPDX-License-Identifier: Apache-2.0
// Routers that decide for themselves, slot by slot: what the on-line algorithms of tori and arrays share.
//
// A router knows its own digits, the sides of the network and whether it is active; all else it learns from its
// neighbours. Words that arrive in slot s act on what leaves in slot s + 1.
#ifndef CRL_ONLINE_H
#define CRL_ONLINE_H

#include "schedule/schedule.h"

enum { CRL_DIMS_MAX = 8, CRL_UP = 0, CRL_DOWN = 1 };

// A torus or an array. A ring of two has one link, as a path has.
struct crl_mesh {
    const struct crl_topology *topology;
    uint32_t nodes, dims;
    uint32_t size[CRL_DIMS_MAX], stride[CRL_DIMS_MAX], port[CRL_DIMS_MAX]; // port: of travelling up
    bool ring[CRL_DIMS_MAX];
    bool all_rings;
    uint32_t longest; // side
};
// False if the topology is neither torus nor array, or has too many dimensions.
bool crl_mesh_of(struct crl_mesh *mesh, const struct crl_topology *topology);
uint32_t crl_mesh_digit(const struct crl_mesh *mesh, uint32_t node, uint32_t dim);
// The node one step up or down along `dim`, or CRL_NONE at the edge of an array.
uint32_t crl_mesh_step(const struct crl_mesh *mesh, uint32_t node, uint32_t dim, uint32_t direction);

// What a link carries in a slot. Count words (parallel prefix) carry a number, packet words a packet.
struct crl_link_word {
    bool valid, is_count;
    uint32_t count;        // of a count word
    uint32_t origin, dest; // of a packet word; `dest` is its part where packets are split; of a count word the first
                           // and last of the nodes that are in it
    uint32_t tag;          // of a packet word: the rank it travels to, or the hops that it has left
};

// The words of a run, in order of slot, node and port.
struct crl_link_log {
    struct crl_link_entry {
        uint32_t slot, node, port, next; // `next` is the node it leads to
        struct crl_link_word word;
    } * entry;
    size_t count, capacity;
};

// What came of a run.
struct crl_online_run {
    struct crl_mesh mesh;
    struct crl_link_log log;
    uint32_t prefix_slots; // slots of parallel prefix, all before the first packet word
    uint32_t slots;        // all slots, idle ones at the end included
    uint32_t faults;       // two packets for one place, or work left when its time was over
    uint32_t held_most;    // packets that one router held at a time that it had still to pass on
    uint32_t queue_most;   // of these, in one queue; exchange only
    // What nodes hold in the end, of a partial multinode broadcast: the origins in memory m (of 2 an engine, that of
    // the second half odd) of node v are kept[first…] from kept_first[v · 2 dims + m] to before the next entry.
    uint32_t *kept, *kept_first;
};
void crl_online_run_done(struct crl_online_run *run);

// What on-line routers do.
enum crl_online_kind {
    CRL_ONLINE_NOTHING, // for them
    CRL_ONLINE_BROADCAST,
    CRL_ONLINE_EXCHANGE,
    CRL_ONLINE_PREFIX,
    CRL_ONLINE_PACKING,
    CRL_ONLINE_ROUTING,
    CRL_ONLINE_LINES,
};
enum crl_online_kind crl_online_kind_of(const struct crl_problem *problem);
// Mini packets of a packet of a partial multinode broadcast: 2d on a torus, d where a dimension is a path.
uint32_t crl_online_parts(const struct crl_mesh *mesh);
// The dimension of the mesh along which the lines of a line broadcast lead.
uint32_t crl_online_line_dim(const struct crl_mesh *mesh, const struct crl_problem *problem);

// Runs the routers. `balanced`: of an exchange. Queues of an exchange, and memories of broadcasts, hold `depth` packets
// (0: any number); what finds one full is lost, and a fault. values[v], for prefix alone, is the value of node v (NULL:
// 1 each). Ends with crl_online_run_done also after an error.
int crl_online_run(struct crl_online_run *run, const struct crl_problem *problem, bool balanced, uint32_t depth,
                   const uint32_t *values, struct crl_diag *diag);
// Partial multinode broadcast. Varvarigos & Bertsekas 1994, Sec. 3.1 where problem->parts > 1 (it must then be
// crl_online_parts), Sec. 3.2 where it is 1.
int crl_online_broadcast(struct crl_online_run *run, const struct crl_problem *problem, uint32_t depth,
                         struct crl_diag *diag);
// Partial exchange. Varvarigos & Bertsekas 1994, Sec. 4, and its extension to any number of dimensions. Balanced: nodes
// count until no line has more than M^(1/d) of the class that starts along it, which gives a bound of optimal order in
// any number of dimensions (decisions 0015, 0023).
int crl_online_exchange(struct crl_online_run *run, const struct crl_problem *problem, bool balanced, uint32_t depth,
                        struct crl_diag *diag);
// Of engine 0 alone: its count (Sec. 3, Phase 1); that and packing (Theorem 3), and for monotone routing the way from
// there to the destinations (Theorem 4); broadcasts along the lines of one dimension (Theorem 2).
int crl_online_prefix(struct crl_online_run *run, const struct crl_problem *problem, const uint32_t *values,
                      struct crl_diag *diag);
int crl_online_routing(struct crl_online_run *run, const struct crl_problem *problem, struct crl_diag *diag);
int crl_online_lines(struct crl_online_run *run, const struct crl_problem *problem, uint32_t depth,
                     struct crl_diag *diag);

// Upper bound on the time, in slots of a whole packet, with `tp` such slots for a step of counting. NAN: none known.
double crl_online_bound(const struct crl_problem *problem, double tp);
double crl_online_broadcast_bound(const struct crl_problem *problem, double tp);
double crl_online_exchange_bound(const struct crl_problem *problem, double tp);
double crl_balanced_exchange_bound(const struct crl_problem *problem, double tp);
// Slots of counting, which come before the first packet; of a balanced exchange they depend on who is active.
uint32_t crl_online_count_slots(const struct crl_problem *problem);

// The packet words of a run as a schedule; of prefix, the words of counting.
int crl_online_schedule(struct crl_schedule *schedule, const struct crl_online_run *run);

#endif
