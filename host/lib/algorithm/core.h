// SPDX-License-Identifier: Apache-2.0
// The planner of packets that have one destination each, or several, on any network: the network and the packets as
// arcs, rows and cells, and the steps of planning, which share them.
//
// An arc leads from a node to another; a packet that leaves over it in slot s (from 0) is there at time s + latency. A
// row is what may be used by few packets at a time: an arc or, single-port, a node that sends, or one that receives,
// or the words that a node takes, or gives. A cell is a row in a slot. Where everything comes anew after so many
// slots, the slots of cells are taken modulo these. Slots are from 0 here; time t is the beginning of slot t.
#ifndef CRL_CORE_H
#define CRL_CORE_H

#include "base/set.h"
#include "schedule/schedule.h"

struct crl_core_arc {
    uint32_t from, to, latency; // 0 of words taken and given
    uint32_t gap;               // it is used in one of so many slots, the first and so on; 0: in all
    uint32_t row[2];            // row[1] CRL_NONE: one cell
    uint32_t shift[2];          // the cell's slot is that of leaving and so many more
};

// Packets first…first + count − 1 go from `from` to `to`, each within times start…end. Those of several destinations
// go over trees; `to` is then the farthest of these.
struct crl_core_demand {
    const uint32_t *dst; // [dst_count] where it is more than one
    uint32_t dst_count;
    uint32_t from, to, first, count;
    uint32_t release, deadline; // times; CRL_NONE: no deadline
    uint32_t after;             // the demand that must be complete before; CRL_NONE: none
    uint32_t waits, next;       // the first demand that waits for this one, and the next that waits for the same
    uint32_t start, end;        // of the number of slots in question
    uint32_t done;              // time at which the last packet arrived, as it was planned last
};

// A packet on an arc. Of each packet hops lie side by side.
struct crl_core_hop {
    uint32_t arc, slot, packet;
    uint32_t next[2]; // other hops in the same cells, or CRL_NONE
};

// What is near the ways of a packet: nodes, by their distance from its source, and arcs between them.
struct crl_core_near {
    uint32_t *node;  // [nodes]
    uint32_t *place; // [nodes] in that list, where stamp[] says so
    uint32_t *stamp; // [nodes]
    struct crl_core_near_arc {
        uint32_t from, to, arc; // places
        uint32_t first, last;   // slots in which it is of use
    } * arc;                    // [arcs]
    uint32_t nodes, arcs, now;
    uint32_t *least; // [nodes] delays to the nearest of several destinations
};

struct crl_core {
    struct crl_pool pool;
    const struct crl_problem *problem;
    uint32_t nodes, arcs, rows;
    uint32_t places; // nodes of the network; others are where words come from, and where they go
    struct crl_core_arc *arc;
    uint32_t *out, *in, *in_arc; // [nodes + 1] first arc that leaves a node; in_arc[in[v]…]: those that reach it
    uint32_t *capacity;          // [rows]
    uint32_t **from, **to;       // [nodes] delays from a node to all, and to it from all; NULL: not known yet
    uint32_t latency_max, latency_min;
    bool timed;                // there are deadlines,
    bool gated;                // and demands that wait for others
    bool folded;               // the packets of node 0 stand for all, and the arcs of a port share their row
    uint32_t modulo;           // slots after which everything comes anew, or 0
    uint32_t words;            // taken, and given, by a node in a slot; 0: as many as there are
    struct crl_demands listed; // what a collective is made of
    struct crl_core_demand *demand;
    uint32_t demands, packets;
    uint32_t *of_packet; // [packets] its demand
    size_t *first;       // [packets + 1] its room among the hops
    uint16_t *hops;      // [packets] 0: it has no way
    struct crl_core_hop *hop;
    uint32_t *order; // [packets] scratch
    struct crl_core_near near;
    uint64_t random, steps; // steps that are left
};

enum {
    CRL_CORE_DETOUR = 6,                // slots that a way may be longer than the quickest, at most
    CRL_CORE_STEPS_A_SECOND = 400000000 // on an idle machine
};

// Whether an arc can be used in a slot. Where all comes anew its last use in a period leaves the gap to the next.
static inline bool crl_core_is_open(const struct crl_core *core, const struct crl_core_arc *arc, uint32_t slot)
{
    uint32_t at = core->modulo ? slot % core->modulo : slot;
    return arc->gap <= 1 || (at % arc->gap == 0 && (!core->modulo || at + arc->gap <= core->modulo));
}

// Whether it is a link of the network, which crosses none of the words' arcs.
static inline bool crl_core_is_link(const struct crl_core *core, const struct crl_core_arc *arc)
{
    return arc->from < core->places && arc->to < core->places;
}

// ---- core_net.c, core_packets.c

// `words`: see crl_problem.words_a_slot; such networks have arcs for the words, too. `folded`: where all nodes look the
// same they do the same. Returns 0, CRL_ERR_MEMORY, or CRL_ERR_RULE where a packet cannot reach its destination. Ended
// with crl_core_done, also after a failure.
int crl_core_init(struct crl_core *core, const struct crl_problem *problem, uint32_t words, bool folded);
void crl_core_done(struct crl_core *core);
int crl_core_make_net(struct crl_core *core);
// The delays from a node, and to it; NULL: out of memory. CRL_NONE: there is no way.
const uint32_t *crl_core_from(struct crl_core *core, uint32_t node);
const uint32_t *crl_core_to(struct crl_core *core, uint32_t node);
// Fills core->near for packets of a demand, which may take so many slots more than the quickest way.
void crl_core_look_around(struct crl_core *core, const struct crl_core_demand *demand, uint32_t detour);
void crl_core_spend(struct crl_core *core, uint64_t steps);

// ---- core_paths.c: static ways

// Gives all packets ways over which no row carries more than what it can in so many slots or, where none such are
// found, in as few more as there are; returns how many those are, or a negative error.
int64_t crl_core_find_paths(struct crl_core *core, uint32_t slots);

// ---- core_even.c: static ways where nearly all rows must be full

// Looks for ways of packets that have one destination each, all-port, over which no row carries more than capacity[].
// Returns 1 and writes them, 0 where it found none, or a negative error.
int crl_core_even_out(struct crl_core *core, const uint32_t *capacity);

// ---- core_list.c: slots for these ways, one after the other

// Returns the time at which the last packet arrives, or a negative error; CRL_NONE: some packets got no slots. Fewer
// than `bound` are not looked for.
int64_t crl_core_list(struct crl_core *core, uint32_t bound);

// ---- core_cells.c, core_way.c, core_negotiate.c: ways through cells

struct crl_core_attempt {
    uint32_t slots;              // within which all packets must arrive
    uint32_t detour;             // slots
    uint32_t patience;           // how long without progress, from 1
    uint32_t links_first, links; // links are used in so many of the slots, after the first so many; 0: in all
    bool nowait;                 // no packet waits where it passes
    bool tight;                  // nor between being taken, or given, and that
    bool late;                   // gates open as late as they may; else by when they did last
    bool keep;                   // packets that are in nobody's way stay where they are, if it can be
};
// Beginning with what core->hop says, moves packets that are late, have no way, or share cells with too many. Returns
// 0, CRL_ERR_UNSUPPORTED where none was found, CRL_ERR_INTERRUPTED, or CRL_ERR_MEMORY; then the hops are unfit.
int crl_core_negotiate(struct crl_core *core, const struct crl_core_attempt *how);

// When demands must end, by their deadlines and those of who waits for them.
void crl_core_set_ends(struct crl_core *core, uint32_t slots);

struct crl_core_cells {
    uint32_t slots, modulo, present;
    uint32_t *used, *price, *history, *head; // [rows · slots]
    struct crl_set over;                     // cells with too many
};
int crl_core_cells_init(struct crl_core_cells *cells, struct crl_pool *pool, const struct crl_core *core,
                        uint32_t slots);
// Its hops, but for the first ones, which are in their cells.
void crl_core_enter(struct crl_core *core, struct crl_core_cells *cells, uint32_t packet, uint32_t first);
void crl_core_leave(struct crl_core *core, struct crl_core_cells *cells, uint32_t packet); // and forgets them
bool crl_core_is_over(const struct crl_core *core, const struct crl_core_cells *cells, const struct crl_core_hop *hop);
bool crl_core_crosses_over(const struct crl_core *core, const struct crl_core_cells *cells, uint32_t packet);
// What is overfull becomes dearer for good. Returns how many packets are too many.
uint64_t crl_core_raise(const struct crl_core *core, struct crl_core_cells *cells);
static inline size_t crl_core_cell(const struct crl_core_cells *cells, const struct crl_core_arc *arc, int k,
                                   uint32_t slot)
{
    uint32_t at = slot + arc->shift[k];
    return (size_t)arc->row[k] * cells->slots + (cells->modulo ? at % cells->modulo : at);
}

// Scratch of the search for one way.
struct crl_core_way {
    struct crl_pool *pool;
    uint32_t *reached; // [near nodes] time from which the packet is there, or CRL_NONE
    uint32_t *cost;    // [times][near nodes]
    uint16_t *came;    // 1 + the near arc by which the way comes, 0: it waited
    size_t room;
    struct lane *lane; // [arcs]
};
// Leaves of a packet's tree what is in no overfull cell and still leads from the source to a destination.
void crl_core_trim(struct crl_core *core, struct crl_core_cells *cells, uint32_t packet);
// Finds the cheapest way through cells, beginning with what there is of a tree. CRL_ERR_UNSUPPORTED: there is none in
// its time.
int crl_core_find_way(struct crl_core *core, struct crl_core_cells *cells, struct crl_core_way *way, uint32_t packet,
                      const struct crl_core_attempt *how);

// ---- core_plan.c: all hops, kept

struct crl_core_plan { // ended with its pool
    struct crl_pool pool;
    uint16_t *hops; // [packets]
    struct crl_core_step {
        uint32_t arc, slot;
    } * step;
    size_t room;
    uint32_t *done; // [demands]
    uint32_t slots; // CRL_NONE: some packets have no way, or come too late
};
int crl_core_plan_new(struct crl_core_plan *plan, const struct crl_core *core);
int crl_core_keep(struct crl_core_plan *plan, const struct crl_core *core, uint32_t slots); // 0 or CRL_ERR_MEMORY
void crl_core_take(const struct crl_core_plan *plan, struct crl_core *core);
uint32_t crl_core_note_done(struct crl_core *core); // when demands are complete, by the hops; returns the last of it
// The hops as moves; slot 1 of the schedule is slot `first`. 0 or CRL_ERR_MEMORY. And the other way round, moves in
// canonical order as hops: packets whose moves do not lead from their source to their destination get no way.
int crl_core_write(struct crl_core *core, struct crl_schedule *schedule, uint32_t first);
void crl_core_read(struct crl_core *core, const struct crl_schedule *schedule);
// Whether a packet is at a node at a time, by its hops.
bool crl_core_is_there(const struct crl_core *core, uint32_t packet, uint32_t node, uint32_t time);

// ---- core_search.c: the fewest slots for which there is a plan

// attempt() looks for a plan of so many slots, which replaces the best, with the steps that core->steps says. It
// returns 0, CRL_ERR_UNSUPPORTED where it found none, or another error. The functions do, too.
struct crl_core_search {
    struct crl_core *core;
    struct crl_core_plan *best;
    int (*attempt)(void *user, uint32_t slots, uint32_t patience);
    void *user;
    uint32_t failed; // the most slots for which it found none
};
// With one in `parts` of the steps that are left.
int crl_core_try(const struct crl_core_search *search, uint32_t slots, uint32_t patience, uint32_t parts);
// Where there is no plan yet: upward from what failed, in steps that double, to the first that is not below `most`.
int crl_core_widen(struct crl_core_search *search, uint32_t step, uint32_t most);
// Between what failed and the best: at first `slots`, then by halves.
int crl_core_halve(struct crl_core_search *search, uint32_t slots, uint32_t patience);
// Slot by slot down to the bound, with so much patience, then with more and more.
int crl_core_insist(struct crl_core_search *search, uint32_t bound, uint32_t patience);

bool crl_core_fits(const struct crl_problem *problem);      // whether it can be planned so
bool crl_core_is_single(const struct crl_problem *problem); // whether each packet has one destination

#endif
