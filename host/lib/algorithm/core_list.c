// SPDX-License-Identifier: Apache-2.0
// Slots for static ways. Hop after hop takes the first slot that is free, those first that have the most behind them;
// then, from the last on, the last slot that is free; and so to and fro, each time in the order in which the hops were
// before (double justification, Valls, Ballestín & Quintanilla 2005). Every hop can stay where it was, so that plans
// become no longer, and room comes together where it helps.
//
// Where a node sends and receives one packet at a time, slot by slot a matching of nodes comes first.
#include "algorithm/core.h"
#include "base/random.h"
#include "base/base.h"
#include "base/context.h"
#include "base/vertex_matching.h"
#include <string.h>

enum {
    WORK = 1 << 17,   // it begins anew as long as all passes look at so many hops,
    LOTS = 8,         // and so often
    SPAN = 16,        // slots of a block
    STEPS_A_HOP = 200 // of a pass, which sorts, and looks for a cell far away in memory
};

struct list {
    struct crl_pool pool;
    struct crl_core *core;
    bool back;             // time runs backwards: what leaves in slot s arrives at time end − s
    uint32_t end, now;     // end: of the plan before; now: of this one
    uint32_t hops;         // those of a packet lie side by side
    uint32_t *at, *parent; // [hops] place in core->hop; the hop before it, or CRL_NONE
    uint32_t *order, *best;
    uint32_t *bound;        // [hops] backwards: time from which it can leave
    uint32_t *ready, *left; // [demands] time when it is complete or, backwards, begins; hops that have no slot yet
    uint32_t *full;         // [rows] slots before this one are full
    struct block {          // of cells of a row that follow each other
        uint64_t name;
        uint32_t used[SPAN];
    } * block;                     // [blocks + 1] block 0 is empty
    uint32_t *index, mask, blocks; // [mask + 1] blocks by the hash of their names
    uint32_t *first, *next;        // [arcs], [hops] those that wait for an arc, as a list
    uint32_t *backlog;             // [rows] hops without a slot
    struct crl_vertex_matching match;
    uint64_t random;
};

static struct crl_core_hop *hop_of(const struct list *l, uint32_t i) { return &l->core->hop[l->at[i]]; }

static const struct crl_core_arc *arc_of(const struct list *l, uint32_t i) { return &l->core->arc[hop_of(l, i)->arc]; }

static uint32_t demand_of(const struct list *l, uint32_t i) { return l->core->of_packet[hop_of(l, i)->packet]; }

// ---------------------------------------------------------------- cells

// How many packets are in a cell. `make`: to be changed.
static uint32_t *cell(struct list *l, const struct crl_core_arc *a, int k, uint32_t slot, bool make)
{
    uint32_t at = slot + (l->back ? a->latency - 1 - a->shift[k] : a->shift[k]);
    if (l->core->modulo) at %= l->core->modulo;
    uint64_t name = (uint64_t)a->row[k] << 32 | at / SPAN, i = crl_mix(name) & l->mask;
    while (l->index[i] && l->block[l->index[i]].name != name) i = (i + 1) & l->mask;
    if (!l->index[i] && make) {
        l->block[++l->blocks] = (struct block){.name = name};
        l->index[i] = l->blocks;
    }
    return &l->block[l->index[i]].used[at % SPAN];
}

static bool is_free(struct list *l, const struct crl_core_arc *a, uint32_t slot)
{
    bool good = crl_core_is_open(l->core, a, l->back ? l->end - a->latency - slot : slot);
    for (int k = 0; k < 2 && a->row[k] != CRL_NONE && good; k++)
        good = *cell(l, a, k, slot, false) < l->core->capacity[a->row[k]];
    return good;
}

// The first slot from `slot` on in which an arc is free; CRL_NONE: there is none in a period.
static uint32_t find_slot(struct list *l, const struct crl_core_arc *a, uint32_t slot)
{
    uint32_t end = l->core->modulo ? slot + l->core->modulo : CRL_NONE, *full = &l->full[a->row[0]];
    if (slot < *full) slot = *full;
    for (; slot < end; slot++) {
        if (is_free(l, a, slot)) return slot;
        if (slot == *full && !l->core->modulo && *cell(l, a, 0, slot, false) >= l->core->capacity[a->row[0]]) ++*full;
    }
    return CRL_NONE;
}

// ---------------------------------------------------------------- a pass

// Puts one of the hops in order further to the front.
static void put_back(struct list *l, uint32_t from, uint32_t to)
{
    uint32_t i = l->order[from];
    l->order[from] = l->order[to];
    l->order[to] = i;
}

// Whether what a hop waits for has its slots; *start: then, the time from which it can leave.
static bool is_ready(const struct list *l, uint32_t i, uint32_t *start)
{
    const struct crl_core *c = l->core;
    const struct crl_core_demand *d = &c->demand[demand_of(l, i)];
    *start = l->bound[i];
    if (!l->back && l->parent[i] != CRL_NONE) {
        *start = hop_of(l, l->parent[i])->slot + arc_of(l, l->parent[i])->latency;
        return hop_of(l, l->parent[i])->slot != CRL_NONE;
    }
    uint32_t least = !l->back ? d->release : d->deadline < l->end ? l->end - d->deadline : 0;
    if (least > *start) *start = least;
    for (uint32_t k = l->back ? d->waits : d->after; k != CRL_NONE; k = l->back ? c->demand[k].next : CRL_NONE) {
        if (l->left[k]) return false;
        if (l->ready[k] > *start) *start = l->ready[k];
    }
    return true;
}

static void place(struct list *l, uint32_t i, uint32_t slot)
{
    const struct crl_core_arc *a = arc_of(l, i);
    uint32_t end = slot + a->latency, d = demand_of(l, i), parent = l->parent[i];
    hop_of(l, i)->slot = slot;
    for (int k = 0; k < 2 && a->row[k] != CRL_NONE; k++) ++*cell(l, a, k, slot, true);
    if (l->back && parent != CRL_NONE && l->bound[parent] < end) l->bound[parent] = end;
    if (l->ready[d] < end) l->ready[d] = end;
    if (l->now < end) l->now = end;
    l->left[d]--;
}

static void begin(struct list *l)
{
    const struct crl_core *c = l->core;
    l->now = 0;
    crl_core_spend(l->core, STEPS_A_HOP * (uint64_t)l->hops);
    memset(l->ready, 0, sizeof *l->ready * c->demands);
    memset(l->left, 0, sizeof *l->left * c->demands);
    memset(l->bound, 0, sizeof *l->bound * l->hops);
    memset(l->full, 0, sizeof *l->full * c->rows);
    memset(l->index, 0, sizeof *l->index * (l->mask + UINT64_C(1)));
    l->blocks = 0;
    for (uint32_t i = 0; i < l->hops; i++) l->left[demand_of(l, i)]++;
}

// Hops in their order, but those whose demand still waits for another after the others. Whether all found slots.
static bool pass(struct list *l)
{
    uint32_t waiting = l->hops, before, start;
    begin(l);
    for (uint32_t i = 0; i < l->hops; i++) hop_of(l, i)->slot = CRL_NONE;
    do {
        before = waiting;
        waiting = 0;
        for (uint32_t k = 0; k < before; k++) {
            uint32_t i = l->order[k], slot = is_ready(l, i, &start) ? find_slot(l, arc_of(l, i), start) : CRL_NONE;
            if (slot != CRL_NONE) place(l, i, slot);
            else put_back(l, k, waiting++);
        }
    } while (waiting && waiting < before);
    return !waiting;
}

// ---------------------------------------------------------------- slot by slot

static void wait(struct list *l, uint32_t i, uint32_t start)
{
    uint32_t *first = &l->first[hop_of(l, i)->arc];
    l->bound[i] = start;
    l->next[i] = *first;
    *first = i;
}

// The reference to the hop that has the most behind it of those that may cross an arc in a slot; NULL: there is none.
// *later: when the next may.
static uint32_t *first_of(struct list *l, uint32_t arc, uint32_t slot, uint32_t *later)
{
    uint32_t *best = NULL;
    for (uint32_t *at = &l->first[arc]; *at != CRL_NONE; at = &l->next[*at])
        if (l->bound[*at] > slot) *later = l->bound[*at] < *later ? l->bound[*at] : *later;
        else if (!best || hop_of(l, *at)->slot < hop_of(l, *best)->slot) best = at;
    return best;
}

// Those of the first hops whose turn has come begin to wait for their arcs. Returns how many are left.
static uint32_t begin_to_wait(struct list *l, uint32_t firsts)
{
    uint32_t left = 0, start;
    for (uint32_t k = 0; k < firsts; k++)
        if (is_ready(l, l->order[k], &start)) wait(l, l->order[k], start);
        else put_back(l, k, left++);
    return left;
}

static void go(struct list *l, uint32_t *at, uint32_t slot)
{
    const struct crl_core_arc *a = arc_of(l, *at);
    uint32_t i = *at;
    *at = l->next[i];
    place(l, i, slot);
    for (int k = 0; k < 2; k++) l->backlog[a->row[k]]--;
    for (uint32_t k = i + 1; k < l->hops && hop_of(l, k)->packet == hop_of(l, i)->packet; k++)
        if (l->parent[k] == i) wait(l, k, slot + a->latency);
}

// What goes in a slot: those nodes come first that have the most left to do. Returns how many do.
static uint32_t play_slot(struct list *l, uint32_t slot, uint32_t *later)
{
    for (uint32_t i = 0; i < l->core->arcs; i++) {
        const struct crl_core_arc *a = &l->core->arc[i];
        if (l->first[i] == CRL_NONE) continue;
        if (!is_free(l, a, slot)) *later = slot + 1;
        else if (first_of(l, i, slot, later))
            for (int k = 0; k < 2; k++) {
                uint64_t work = (uint64_t)l->backlog[a->row[k]] << 16 | (crl_random(&l->random) & 0xffff);
                crl_vertex_matching_add(&l->match, i, k, a->row[k], work);
            }
    }
    uint32_t count = crl_vertex_matching_find(&l->match);
    for (uint32_t k = 0; k < count; k++) go(l, first_of(l, l->match.matched[k], slot, later), slot);
    return count;
}

static bool play_slots(struct list *l)
{
    const struct crl_core *c = l->core;
    uint32_t firsts = 0, left = l->hops, last = 0;
    begin(l);
    for (uint32_t k = 0; k < l->hops; k++) {
        if (l->parent[l->order[k]] == CRL_NONE) put_back(l, k, firsts++);
        for (int side = 0; side < 2; side++) l->backlog[arc_of(l, k)->row[side]]++;
    }
    firsts = begin_to_wait(l, firsts);
    for (uint32_t slot = 0, later = 0; left && later != CRL_NONE && (!c->modulo || slot - last <= c->modulo);) {
        later = CRL_NONE;
        uint32_t count = play_slot(l, slot, &later);
        left -= count;
        if (count && c->gated) firsts = begin_to_wait(l, firsts);
        if (count || later > slot + 1) last = count ? slot : later;
        slot = count ? slot + 1 : later;
        if (count) later = slot;
    }
    return !left;
}

// ---------------------------------------------------------------- the list

// Those before which there is the least time if nobody else were there.
static void find_latest(struct list *l)
{
    struct crl_core *c = l->core;
    uint32_t most = 0, all = 0;
    l->back = false;
    for (uint32_t i = 0; i < l->hops; i++) hop_of(l, i)->slot = 0;
    for (uint32_t i = l->hops; i-- > 0;) { // what comes after a hop lies behind it
        struct crl_core_hop *hop = hop_of(l, i), *parent = l->parent[i] == CRL_NONE ? NULL : hop_of(l, l->parent[i]);
        hop->slot += c->arc[hop->arc].latency;
        if (parent && parent->slot < hop->slot) parent->slot = hop->slot;
        if (hop->slot > most) most = hop->slot;
        if (hop->slot + c->demand[demand_of(l, i)].release > all) all = hop->slot + c->demand[demand_of(l, i)].release;
    }
    crl_core_set_ends(c, all);
    for (uint32_t i = 0; i < l->hops; i++)
        hop_of(l, i)->slot = most + c->demand[demand_of(l, i)].end - hop_of(l, i)->slot;
}

static void list_hops(struct list *l)
{
    struct crl_core *c = l->core;
    for (uint32_t p = 0; p < c->packets; p++)
        for (uint32_t i = 0, first = l->hops; i < c->hops[p]; i++, l->hops++) {
            struct crl_core_hop *hop = &c->hop[c->first[p] + i];
            hop->packet = p;
            l->at[l->hops] = (uint32_t)c->first[p] + i;
            l->order[l->hops] = l->hops;
            l->parent[l->hops] = CRL_NONE;
            for (uint32_t k = first; k < l->hops; k++)
                if (arc_of(l, k)->to == c->arc[hop->arc].from) l->parent[l->hops] = k;
        }
}

static int list_new(struct list *l, struct crl_core *c)
{
    size_t hops = 1;
    *l = (struct list){.core = c};
    for (uint32_t p = 0; p < c->packets; p++) hops += c->hops[p];
    CRL_NUMBERS(&l->pool, hops, &l->at, &l->parent, &l->order, &l->best, &l->bound, &l->next);
    CRL_NUMBERS(&l->pool, c->demands + UINT64_C(1), &l->ready, &l->left);
    CRL_NUMBERS(&l->pool, c->rows + UINT64_C(1), &l->full, &l->backlog);
    CRL_NEW(&l->pool, l->first, c->arcs + UINT64_C(1));
    CRL_NEW(&l->pool, l->block, 2 * hops);
    for (l->mask = 63; l->mask / 4 < hops;) l->mask = 2 * l->mask + 1;
    CRL_NEW(&l->pool, l->index, l->mask + UINT64_C(1));
    crl_vertex_matching_init(&l->match, &l->pool, c->arcs, c->rows);
    if (l->pool.failed) return CRL_ERR_MEMORY;
    *l->block = (struct block){0};
    memset(l->first, 0xff, sizeof *l->first * c->arcs); // CRL_NONE
    list_hops(l);
    return 0;
}

static uint64_t slot_of(const void *list, uint32_t i)
{
    const struct list *l = list;
    return l->back ? l->end - arc_of(l, i)->latency - hop_of(l, i)->slot : hop_of(l, i)->slot;
}

// Sorts, and passes over the hops there or back.
static bool turn(struct list *l, bool back)
{
    l->back = back;
    l->end = l->now;
    if (crl_sort_order(l->order, l->hops, slot_of, l, UINT32_MAX)) l->pool.failed = true;
    bool good = !l->pool.failed && (!l->core->modulo || !back) && pass(l) && (!back || l->now <= l->end);
    for (uint32_t i = 0; i < l->hops && back && good; i++) hop_of(l, i)->slot = (uint32_t)slot_of(l, i);
    return good;
}

// To and fro until that does not help any more. What takes fewer than so many slots is kept; returns the fewest.
static uint32_t improve(struct list *l, uint32_t slots, uint32_t bound)
{
    const struct crl_context *context = l->core->problem->context;
    for (uint32_t least = CRL_NONE; l->now < least;) {
        least = l->now;
        for (uint32_t i = 0; i < l->hops && l->now < slots; i++) l->best[i] = hop_of(l, i)->slot;
        if (l->now < slots) slots = l->now;
        if (slots <= bound || crl_context_cancelled(context) || !turn(l, true) || !turn(l, false)) break;
    }
    return slots;
}

int64_t crl_core_list(struct crl_core *c, uint32_t bound)
{
    struct list l;
    int error = list_new(&l, c);
    uint32_t slots = CRL_NONE;
    bool whole = !error;
    for (uint32_t i = 0; whole && slots > bound && i < LOTS && (!i || (i + 1) * (uint64_t)l.hops < WORK); i++) {
        find_latest(&l);
        crl_shuffle(l.order, l.hops, &l.random);
        whole = c->problem->ports == CRL_PORTS_SINGLE ? play_slots(&l) : turn(&l, false);
        if (whole) slots = improve(&l, slots, bound);
        if (l.pool.failed) error = CRL_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < l.hops && slots != CRL_NONE; i++) hop_of(&l, i)->slot = l.best[i];
    for (uint32_t p = 0; p < c->packets && slots == CRL_NONE && !error; p++)
        if (l.left[c->of_packet[p]]) c->hops[p] = 0;
    if (!error) crl_core_note_done(c);
    crl_pool_done(&l.pool);
    return error ? error : (int64_t)slots;
}
