// SPDX-License-Identifier: Apache-2.0
// All-reduce by trees that overlap in time: the parts of a planner for any network.
//
// The partial sums of a chunk come together over a tree and meet at a place, from which the sum spreads over another
// tree. Both are spreadings of the chunk from the place, in two worlds: the second in the network as it is, the first
// in that with all links turned round, backwards in time. Slot s of T is slot T + 2 − latency − s of the other world,
// so that what is sent in it arrives at world time T + 1 − s. Chunks meet one after the other, and both worlds take
// their slots from one table: a cell is an arc in a slot or, single-port, a node that sends, or receives, in one.
#ifndef CRL_OVERLAP_H
#define CRL_OVERLAP_H

#include "base/random.h"
#include "base/set.h"
#include "schedule/schedule.h"

enum { CRL_OVERLAP_PLACE = 32, CRL_OVERLAP_ROUNDS = 5, CRL_OVERLAP_ITEMS = 1 << 19 }; // at most
#define CRL_OVERLAP_FIXED UINT32_MAX // less a chunk: its nodes swap partial sums in the cell

struct crl_overlap_arc {
    uint32_t from, to, latency, orbit;
};

// Where partial sums meet: nodes as the corners of a cube; in round r those that differ in bit r alone swap what they
// have. Of one node there are no rounds, of the ends of a link there is one.
struct crl_overlap_place {
    uint32_t nodes, rounds, node[CRL_OVERLAP_PLACE];
    uint32_t lasts[CRL_OVERLAP_ROUNDS]; // slots of a round
    uint32_t span;                      // slots of all rounds
    uint32_t in, out;                   // delays to the nearest of its nodes from the farthest, and back
    uint32_t first, alike;              // places that take as many slots: so many from the first on
};

// A world. An item is a node that a chunk reaches: item (world · nodes + node) · chunks + chunk.
struct crl_overlap_world {
    uint32_t *first, *arc;  // [nodes + 1], [arcs] those over which things come to a node
    uint64_t *has, *lacks;  // [nodes][words] chunks that it has at the beginning of a slot; that are not on their way
    uint32_t *copies;       // [chunks] nodes that have it, or will
    uint32_t *begin;        // [chunks] time from which those of its place have it
    uint32_t *price, *load; // [orbits] learnt; in this attempt
    uint32_t
        *quota; // [nodes] of the first of those alike: what it may still send in the slots that the other world needs
    uint32_t *head; // [slots + 1] items that arrive in a slot, as a list
    uint32_t quota_end;
};

// What counts when a node chooses among chunks (to CRL_OVERLAP_LOT) and among arcs (to _LOAD), and what else is drawn
// for an attempt: how much places are preferred that take fewer slots, whether links are places, whether quotas hold.
enum crl_overlap_weight {
    CRL_OVERLAP_RARE,
    CRL_OVERLAP_OLD,
    CRL_OVERLAP_NEAR,
    CRL_OVERLAP_LOT,
    CRL_OVERLAP_PRICE,
    CRL_OVERLAP_LOAD,
    CRL_OVERLAP_BIAS,
    CRL_OVERLAP_SWAPS,
    CRL_OVERLAP_QUOTAS,
    CRL_OVERLAP_WEIGHTS
};

struct crl_overlap {
    struct crl_pool pool;
    const struct crl_problem *problem;
    uint32_t nodes, chunks, words, arcs, orbits, slots, slots_max; // chunks: of which others are images
    uint32_t order, *image;                                        // [order][nodes] images of nodes, themselves first
    uint32_t *alike;                                               // [nodes] the first of its images
    bool single;
    struct crl_overlap_arc *arc;
    uint32_t *delay; // [nodes][nodes]
    struct crl_overlap_place *place;
    size_t places, places_room, simple; // simple: nodes and ends of links, which are first, those of fewest slots first
    struct crl_overlap_world world[2];  // 0: the sum spreads; 1: partial sums come together
    uint32_t *used;                     // [cells] item + 1, 0: none, or CRL_OVERLAP_FIXED
    size_t cells;
    uint32_t *when, *by, *leaves, *next; // [items] time of arrival, 0: none; arc, CRL_NONE: of its place; slot; list
    uint32_t *at, *meets;                // [chunks] its place, and the last slot before it
    struct crl_set missing;              // of items
    uint32_t *turn;                      // [nodes] in which they are served
    void *state, *kept;                  // all from `used` to `missing` lies in `state`
    size_t state_bytes;
    uint32_t kept_missed;
    uint32_t weight[CRL_OVERLAP_WEIGHTS];
    uint64_t random, steps; // steps that are left
    // Of repairs: what a search has seen, and how; and what was changed, to be undone.
    uint32_t *queue, *seen, *came, stamp, queued;
    struct crl_overlap_link {
        uint32_t arc, slot, limit; // of the cell that the item before it gets; it must arrive by then, CRL_NONE: freely
    } * link;                      // [items]
    struct crl_overlap_change {
        uint32_t item, arc, leaves;
        bool placed;
    } * change;
    size_t changes, changes_room;
};

// Slots from the first partial sum to the last sum.
static inline uint32_t crl_overlap_total(const struct crl_overlap_place *p) { return p->in + p->span + p->out; }

static inline uint32_t crl_overlap_item(const struct crl_overlap *o, int world, uint32_t node, uint32_t chunk)
{
    return ((uint32_t)world * o->nodes + node) * o->chunks + chunk;
}

// The node at which an arc begins in a world, and where it ends.
static inline uint32_t crl_overlap_from(const struct crl_overlap *o, int world, uint32_t arc)
{
    return world ? o->arc[arc].to : o->arc[arc].from;
}

static inline void crl_overlap_spend(struct crl_overlap *o, uint64_t steps)
{
    o->steps -= steps < o->steps ? steps : o->steps;
}

// The cells of an arc in a slot of a world; returns how many these are.
static inline uint32_t crl_overlap_cells(const struct crl_overlap *o, int world, uint32_t arc, uint32_t slot,
                                         size_t cell[2])
{
    const struct crl_overlap_arc *a = &o->arc[arc];
    size_t row = o->slots + 1, sent = world ? o->slots + 2 - a->latency - slot : slot;
    cell[0] = (o->single ? o->alike[a->from] : a->orbit) * row + sent;
    cell[1] = (o->nodes + o->alike[a->to]) * row + sent + a->latency - 1;
    return o->single ? 2 : 1;
}

// ---- overlap_net.c

// Returns 0, CRL_ERR_MEMORY, or CRL_ERR_UNSUPPORTED where there is no such group; ended with crl_overlap_done, also
// then. `slots_max`: more are not tried.
int crl_overlap_init(struct crl_overlap *overlap, const struct crl_problem *problem, uint32_t group,
                     uint32_t slots_max);
void crl_overlap_done(struct crl_overlap *overlap);
// The arc from a node to another whose cells in a slot are used by `mark` (0: by nothing), or CRL_NONE.
uint32_t crl_overlap_find_arc(const struct crl_overlap *overlap, uint32_t from, uint32_t to, uint32_t slot,
                              uint32_t mark);

// ---- overlap_group.c

// How many groups there may be, the last of which is that of the identity alone; finds one, and then orbits of arcs.
// Return 0, CRL_ERR_MEMORY, or CRL_ERR_UNSUPPORTED where it is none, or leaves a link where it is, or chunks do not
// come out even.
uint32_t crl_overlap_groups(const struct crl_topology *topology);
int crl_overlap_find_group(struct crl_overlap *overlap, uint32_t which);
int crl_overlap_find_orbits(struct crl_overlap *overlap);

// ---- overlap_grow.c

// Chooses where and when chunks meet, and grows all trees together, slot by slot. What is missing then is in
// overlap->missing; false: chunks found no place.
bool crl_overlap_grow(struct crl_overlap *overlap, uint32_t slots);
// Keeps the state of an attempt, and takes what was kept instead.
void crl_overlap_keep(struct crl_overlap *overlap);
void crl_overlap_take(struct crl_overlap *overlap);
// One of the places at which a chunk can meet in so many slots, the larger `bias` the nearer to the best; CRL_NONE:
// there is none.
uint32_t crl_overlap_draw_place(struct crl_overlap *overlap, uint32_t bias);
// Has a chunk, all of whose items are missing, meet at a place after slot `meets`; false where cells are used. And the
// reverse, for one whose other items are missing.
bool crl_overlap_meet(struct crl_overlap *overlap, uint32_t chunk, uint32_t at, uint32_t meets);
void crl_overlap_part(struct crl_overlap *overlap, uint32_t chunk);
// Items get cells, and lose them. crl_overlap_put needs cells that are free.
void crl_overlap_put(struct crl_overlap *overlap, uint32_t item, uint32_t arc, uint32_t slot);
void crl_overlap_drop(struct crl_overlap *overlap, uint32_t item);

// ---- overlap_repair.c

// Moves items about until none is missing, as long as that helps and there are steps to spend; returns whether none is.
bool crl_overlap_repair(struct crl_overlap *overlap);

// ---- overlap_search.c

// Looks for a schedule of fewer slots than `end` and writes it; the longer, the fewer: `effort_ms` is of an idle
// machine, and counted in steps. Returns 0, CRL_ERR_UNSUPPORTED where none was found, or another error.
int crl_overlap_search(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms,
                       uint32_t end);

#endif
