// SPDX-License-Identifier: Apache-2.0
// Routers that decide for themselves, slot by slot: what the on-line algorithms of tori and arrays share.
//
// A router knows its own digits, the sides of the network and whether it is active; all else it learns from its
// neighbours. Words that arrive in slot s act on what leaves in slot s + 1.
#ifndef CRL_ONLINE_H
#define CRL_ONLINE_H

#include <carillon/carillon.h>

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
    uint32_t origin, dest; // of a packet word; `dest` is its part where packets are split
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
};
void crl_online_run_done(struct crl_online_run *run);

// Partial multinode broadcast. Varvarigos & Bertsekas 1994, Sec. 3.1 where problem->parts > 1 (it must then be
// crl_online_parts), Sec. 3.2 where it is 1.
int crl_online_broadcast(struct crl_online_run *run, const struct crl_problem *problem, struct crl_diag *diag);
// Mini packets of a packet: 2d on a torus, d where a dimension is a path.
uint32_t crl_online_parts(const struct crl_mesh *mesh);

// Partial exchange. Varvarigos & Bertsekas 1994, Sec. 4, and its extension to any number of dimensions. Queues hold
// `depth` packets (0: any number); what finds one full is lost, and a fault.
int crl_online_exchange(struct crl_online_run *run, const struct crl_problem *problem, uint32_t depth,
                        struct crl_diag *diag);

// Upper bounds on the time, in slots of a whole packet, with `tp` such slots for a step of counting. NAN: none known.
double crl_online_broadcast_bound(const struct crl_problem *problem, double tp);
double crl_online_exchange_bound(const struct crl_problem *problem, double tp);
// Slots of counting, which come before the first packet.
uint32_t crl_online_count_slots(const struct crl_problem *problem);

// The packet words of a run as a schedule.
int crl_online_schedule(struct crl_schedule *schedule, const struct crl_online_run *run);

#endif
