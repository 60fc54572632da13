// SPDX-License-Identifier: Apache-2.0
// What the search for sums through switches and the growth of one plan share: the plan and its tables.
#ifndef CRL_SWITCHED_H
#define CRL_SWITCHED_H

#include "base/pool.h"
#include "schedule/schedule.h"

#define NEVER UINT32_MAX // a slot

struct crl_switched_link {
    uint32_t from, to, latency, orbit;
};
struct crl_switched_hop { // of a chunk, in a slot as its half counts them; `since`: that in which its tail got it
    uint32_t link, slot, chunk, since;
    bool backwards; // of the first half
};

// The first half, in which sums come together, counts slots backwards from the middle of the tables, and with links
// turned round, so that what comes together at a node spreads from it.
struct crl_switched {
    struct crl_pool pool, tables; // tables: whose size slots set
    const struct crl_problem *problem;
    bool backwards, far_first; // far_first: hosts far from those that have a chunk get it first,
    uint32_t early;            // after so many that are near
    uint32_t nodes, links, chunks;
    uint32_t latency, far;  // latency: the longest; far: slots from any host to any other, and a few more
    uint32_t slots, middle; // slots that the tables have; the last one of the first half
    struct crl_switched_link *link;
    uint32_t images, *image;   // [images][nodes] images of nodes, themselves first; a chunk stands for as many
    bool *host;                // [nodes]
    uint32_t *root;            // [hosts / images] the first host of each orbit
    bool *busy;                // [links][slots]
    bool *passed;              // [chunks][nodes][middle] slots in which a switch holds a partial sum
    uint32_t *have;            // [chunks][nodes] the slot in which a node has got it; NEVER: it has not
    uint32_t *near;            // [chunks][nodes] the way from a host to the nearest that has got it; NEVER: nobody has
    uint32_t *since, *soonest; // [chunks] the slot in which its root has it; in which the next host gets it, or later
    uint32_t *left;            // [chunks] hosts that have not got it
    struct crl_switched_hop *by; // [slots][nodes] what reaches a node in a slot, in a search
    uint32_t *reached;           // [slots][nodes] the search in which something does
    uint32_t *held;              // [nodes] the slot in which a switch got it in the search; NEVER: it does not hold it
    uint32_t *lacks;             // [nodes] chunks that a host has not got
    uint32_t *order;             // [open] chunks that are planned anew
    uint32_t search, open;
    struct crl_switched_hop *hop, *kept;
    size_t hops, room, kept_hops, kept_room;
    uint64_t random, steps;
    uint32_t best; // slots of the schedule so far; NEVER: there is none
};

static inline uint32_t root_of(const struct crl_switched *p, uint32_t chunk)
{
    const struct crl_problem *q = p->problem;
    if (crl_problem_has_root(q)) return q->root;
    return p->root[(uint64_t)chunk * (q->host_count / p->images) / p->chunks];
}

static inline uint32_t tail(const struct crl_switched *p, uint32_t link)
{
    return p->backwards ? p->link[link].to : p->link[link].from;
}
static inline uint32_t head(const struct crl_switched *p, uint32_t link)
{
    return p->backwards ? p->link[link].from : p->link[link].to;
}

// The slot in which a link is sent on.
static inline uint32_t sent(const struct crl_switched *p, bool backwards, uint32_t link, uint32_t slot)
{
    return backwards ? p->middle + 2 - slot - p->link[link].latency : slot;
}

static inline bool *cell(const struct crl_switched *p, bool backwards, uint32_t link, uint32_t slot)
{
    return &p->busy[(size_t)p->link[link].orbit * p->slots + sent(p, backwards, link, slot)];
}

static inline uint32_t *have(const struct crl_switched *p, uint32_t chunk, uint32_t node)
{
    return &p->have[(size_t)chunk * p->nodes + node];
}

static inline uint32_t *near(const struct crl_switched *p, uint32_t chunk, uint32_t node)
{
    return &p->near[(size_t)chunk * p->nodes + node];
}

static inline bool *passes(const struct crl_switched *p, uint32_t chunk, uint32_t node, uint32_t slot)
{
    return &p->passed[((size_t)chunk * p->nodes + node) * p->middle + slot];
}

static inline size_t spot(const struct crl_switched *p, uint32_t slot, uint32_t node)
{
    return (size_t)slot * p->nodes + node;
}

// Adds a hop. Returns 0 or CRL_ERR_MEMORY.
int crl_switched_add(struct crl_switched *p, struct crl_switched_hop hop);
// What switches hold of a chunk at the beginning of a slot of a search: what came before and, of partial sums, is not
// to make room for another.
void crl_switched_hold(struct crl_switched *p, uint32_t chunk, uint32_t slot, bool partial);
// Plans a half of the open chunks, each from its root and the slot `since` on: slot by slot every one of them in turn
// gets to one host more, as long as one does in that slot. Returns 0, CRL_ERR_LIMIT where the slots do not suffice, or
// CRL_ERR_MEMORY.
int crl_switched_half(struct crl_switched *p);
// Takes the plan that is kept, and keeps this one.
void crl_switched_swap(struct crl_switched *p);
// The slots that the plan takes, from *first on; and writes it, from slot 1 on.
uint32_t crl_switched_slots(const struct crl_switched *p, uint32_t *first);
int crl_switched_write(struct crl_schedule *schedule, const struct crl_switched *p);

// ---- switched_group.c: finds a group, of no more than `most` symmetries and such that chunks come out even, orbits of
// links and hosts, and how many chunks are to be planned. Returns 0 or CRL_ERR_MEMORY.

int crl_switched_group(struct crl_switched *p, uint32_t most);

// ---- switched_turn.c: writes the best plan that is found. Returns 0, CRL_ERR_LIMIT where the tables have too few
// slots for any, or CRL_ERR_MEMORY.

int crl_switched_turn(struct crl_switched *p, struct crl_schedule *schedule);

#endif
