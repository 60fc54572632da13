// SPDX-License-Identifier: Apache-2.0
// What the halves of sums through switches share: the plan, its tables, and how chunks spread.
#ifndef CRL_SWITCHED_H
#define CRL_SWITCHED_H

#include "base/pool.h"
#include "schedule/schedule.h"

#define NEVER UINT32_MAX // a slot

struct crl_switched_link {
    uint32_t from, to, latency;
};
struct crl_switched_hop { // of a chunk; `since`: the slot in which its tail got it
    uint32_t link, slot, chunk, since;
};

struct crl_switched {
    struct crl_pool pool, tables; // tables: whose size slots set
    const struct crl_problem *problem;
    uint32_t nodes, links, chunks;
    uint32_t latency, far;  // latency: the longest; far: slots from any host to any other, and a few more
    uint32_t slots, middle; // slots that the tables have; partial sums come together in those before the middle
    struct crl_switched_link *link;
    bool *host;                // [nodes]
    bool *busy;                // [links][slots]
    bool *passed;              // [chunks][nodes][middle] slots in which a switch holds a partial sum
    uint32_t *have;            // [chunks][nodes] the slot in which a node has got it; NEVER: it has not, or has no more
    uint32_t *since, *soonest; // [chunks] the slot in which its root has it; in which the next host gets it, or later
    uint32_t *left;            // [chunks] hosts that have not got it, or still have a partial sum
    struct crl_switched_hop *by; // [slots][nodes] what reaches a node in a slot, in a search
    uint32_t *reached;           // [slots][nodes] the search in which something does
    uint32_t *held;              // [nodes] the slot in which a switch got it in the search; NEVER: it does not hold it
    uint32_t *lacks;             // [nodes] chunks that a host has not got
    uint32_t *order;             // [open] chunks that are planned anew
    uint32_t search, open;
    struct crl_switched_hop *hop, *kept;
    size_t hops, room, kept_hops, kept_room;
    uint64_t random, steps;
};

static inline uint32_t root_of(const struct crl_switched *p, uint32_t chunk)
{
    const struct crl_problem *q = p->problem;
    if (crl_problem_has_root(q)) return q->root;
    return q->hosts[(uint64_t)chunk * q->host_count / p->chunks % q->host_count];
}

static inline bool *cell(const struct crl_switched *p, uint32_t link, uint32_t slot)
{
    return &p->busy[(size_t)link * p->slots + slot];
}

static inline uint32_t *have(const struct crl_switched *p, uint32_t chunk, uint32_t node)
{
    return &p->have[(size_t)chunk * p->nodes + node];
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
// Has all open chunks spread, each from its root and the slot `since` on: slot by slot every one of them in turn gets
// to one host more, as long as one does in that slot. Returns 0, CRL_ERR_LIMIT where the slots do not suffice, or
// CRL_ERR_MEMORY.
int crl_switched_spread(struct crl_switched *p);
// Takes the plan that is kept, and keeps this one.
void crl_switched_swap(struct crl_switched *p);
// The slots that the plan takes; and writes it, from slot 1 on.
uint32_t crl_switched_slots(const struct crl_switched *p);
int crl_switched_write(struct crl_schedule *schedule, const struct crl_switched *p);

// ---- switched_turn.c: writes the best plan that is found. Returns 0, CRL_ERR_LIMIT where the tables have too few
// slots for any, or CRL_ERR_MEMORY.

int crl_switched_turn(struct crl_switched *p, struct crl_schedule *schedule);

#endif
