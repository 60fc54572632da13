// SPDX-License-Identifier: Apache-2.0
// Negotiated congestion (McMurchie & Ebeling 1995, PathFinder, which routes wires; here a wire is a way through places
// and slots). The slots are given, and so is a plan in which some packets are late, have no way, or share cells with
// too many. These take the cheapest way each, also through cells that are full; overfull cells become dearer, for good
// and round by round, who is in them looks again, and in the end only who needs a cell stays in it.
#include "algorithm/core.h"
#include "base/random.h"
#include "base/base.h"
#include "base/context.h"
#include <string.h>

enum {
    WHOLE = 8,            // one in so many trees is grown anew, of others what is in nobody's way stays
    ROUNDS = 20,          // without progress before it gives up, at least,
    ROUNDS_AT_ONE = 4000, // and where one packet is too many; fewer where more are
    KEEP = 1000,          // price of a cell that somebody else keeps
    ABREAST = 8,          // packets that leave a node at once, at most
    LOOK = 64             // packets after which it looks whether it is to stop
};

struct negotiation {
    struct crl_core *core;
    const struct crl_core_attempt *how;
    struct crl_core_cells cells;
    struct crl_core_way way;
    uint32_t *listed; // [packets] the last round in which it was
    uint32_t round;
};

// ---------------------------------------------------------------- times

// Lists demands so that each comes after what it waits for.
static void list_in_turn(struct crl_core *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->demands; i++)
        if (c->demand[i].after == CRL_NONE) c->order[count++] = i;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = c->demand[c->order[k]].waits; i != CRL_NONE; i = c->demand[i].next) c->order[count++] = i;
}

// Slots that a demand takes at least.
static uint32_t needs(const struct crl_core *c, const struct crl_core_demand *d)
{
    return c->from[d->from][d->to] + (d->count - 1) / ABREAST;
}

// Who waits for a demand must be in time, too.
void crl_core_set_ends(struct crl_core *c, uint32_t slots)
{
    list_in_turn(c);
    for (uint32_t k = c->demands; k-- > 0;) {
        struct crl_core_demand *d = &c->demand[c->order[k]];
        d->end = d->deadline < slots ? d->deadline : slots;
        for (uint32_t i = d->waits; i != CRL_NONE; i = c->demand[i].next) {
            const struct crl_core_demand *after = &c->demand[i];
            uint32_t by = after->end > needs(c, after) ? after->end - needs(c, after) : 0;
            if (by < d->end) d->end = by;
        }
    }
}

// A demand that others wait for ends as much earlier than last time, in proportion, as the whole, but not before it
// can; or as late as it may. The others begin then.
static void set_times(struct crl_core *c, const struct crl_core_attempt *how)
{
    uint64_t whole = 1;
    crl_core_set_ends(c, how->slots);
    for (uint32_t i = 0; i < c->demands; i++)
        if (c->demand[i].done > whole) whole = c->demand[i].done;
    const bool scaled = how->slots < whole;
    for (uint32_t k = 0; k < c->demands; k++) {
        struct crl_core_demand *d = &c->demand[c->order[k]];
        uint64_t end = scaled ? d->done * (uint64_t)how->slots / whole : d->done;
        d->start = d->release;
        if (d->after != CRL_NONE && c->demand[d->after].end > d->start) d->start = c->demand[d->after].end;
        if (d->waits == CRL_NONE || how->late) continue;
        if (end < d->start + needs(c, d)) end = d->start + needs(c, d);
        if (end < d->end) d->end = (uint32_t)end;
    }
}

static bool is_in_time(const struct negotiation *n, uint32_t packet)
{
    const struct crl_core *c = n->core;
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    for (size_t i = c->first[packet]; i < c->first[packet] + c->hops[packet]; i++)
        if (!crl_core_is_open(c, &c->arc[c->hop[i].arc], c->hop[i].slot) || c->hop[i].slot < d->start ||
            c->hop[i].slot + c->arc[c->hop[i].arc].latency > d->end)
            return false;
    return c->hops[packet];
}

// ---------------------------------------------------------------- rounds

// Who is in overfull cells.
static uint32_t list_over(struct negotiation *n)
{
    struct crl_core *c = n->core;
    uint32_t count = 0;
    n->round++;
    for (uint32_t i = 0; i < n->cells.over.count; i++) {
        uint32_t cell = n->cells.over.list[i];
        for (uint32_t hop = n->cells.head[cell]; hop != CRL_NONE;) {
            const struct crl_core_hop *h = &c->hop[hop];
            const struct crl_core_arc *a = &c->arc[h->arc];
            if (n->listed[h->packet] != n->round) {
                n->listed[h->packet] = n->round;
                c->order[count++] = h->packet;
            }
            hop = h->next[crl_core_cell(&n->cells, a, 0, h->slot) == cell ? 0 : 1];
        }
    }
    crl_core_spend(c, n->cells.over.count + count);
    return count;
}

static int take_ways(struct negotiation *n, uint32_t count)
{
    struct crl_core *c = n->core;
    int error = 0;
    crl_shuffle(c->order, count, &c->random);
    for (uint32_t i = 0; i < count && !error; i++) {
        uint32_t packet = c->order[i];
        if (!c->steps) return CRL_ERR_UNSUPPORTED;
        if (i % LOOK == LOOK - 1 && crl_context_cancelled(c->problem->context)) return CRL_ERR_INTERRUPTED;
        if (c->hops[packet] && !crl_core_crosses_over(c, &n->cells, packet)) continue;
        if (c->demand[c->of_packet[packet]].dst_count > 1 && crl_random(&c->random) % WHOLE)
            crl_core_trim(c, &n->cells, packet);
        else crl_core_leave(c, &n->cells, packet);
        error = crl_core_find_way(c, &n->cells, &n->way, packet, n->how);
    }
    return error;
}

static int play_rounds(struct negotiation *n, uint32_t late)
{
    struct crl_core *c = n->core;
    uint64_t too_many, least = UINT64_MAX, left = 0;
    int error = take_ways(n, late);
    while (!error && (too_many = crl_core_raise(c, &n->cells))) {
        if (too_many < least - least / 16) {
            least = too_many;
            left = n->how->patience * (ROUNDS + ROUNDS_AT_ONE / least);
        }
        if (!c->steps || !left--) return CRL_ERR_UNSUPPORTED;
        if (crl_context_cancelled(c->problem->context)) return CRL_ERR_INTERRUPTED;
        error = take_ways(n, list_over(n));
    }
    return error;
}

// The packets that keep their ways enter cells; the others are listed.
static uint32_t enter_all(struct negotiation *n)
{
    struct crl_core *c = n->core;
    uint32_t late = 0;
    for (uint32_t p = 0; p < c->packets; p++) {
        if (is_in_time(n, p)) {
            crl_core_enter(c, &n->cells, p, 0);
            continue;
        }
        c->hops[p] = 0;
        n->listed[p] = n->round;
        c->order[late++] = p;
    }
    return late;
}

int crl_core_negotiate(struct crl_core *c, const struct crl_core_attempt *how)
{
    struct crl_pool pool = {0};
    struct negotiation n = {.core = c, .how = how, .way.pool = &pool};
    CRL_ZEROED(&pool, n.listed, c->packets + UINT64_C(1));
    int error = crl_core_cells_init(&n.cells, &pool, c, how->slots);
    if (!error) {
        set_times(c, how);
        if (how->keep) n.cells.present = KEEP; // so prices that are set from now on
        crl_core_spend(c, c->packets + (uint64_t)c->rows * n.cells.slots);
        error = play_rounds(&n, enter_all(&n));
    }
    crl_pool_done(&pool);
    return error;
}
