// SPDX-License-Identifier: Apache-2.0
// What trees that overlap lack is put in by ejection chains: an item that is missing takes the cell of another one,
// that takes the cell of a third, and so on to a cell that is free. Where there is no such chain, one of them ends with
// another item that is missing, which sends nothing on; or a chunk meets elsewhere. Each of the changes must leave no
// more missing than there were or, now and then, one more than the fewest so far.
#include "algorithm/overlap.h"
#include "base/base.h"
#include <string.h>

enum { EARLIER = 4, LOOKS = 6000, LOOKS_LONG = 60000, PATIENCE = 1000, PARTS = 24, LOOKS_FILL = 500, WORSE = 100 };

static int world_of(const struct crl_overlap *o, uint32_t item) { return item >= o->nodes * o->chunks; }
static uint32_t node_of(const struct crl_overlap *o, uint32_t item) { return item / o->chunks % o->nodes; }

// The last slot in which an item may arrive: what is sent on is sent later. *leaf: nothing is.
static uint32_t deadline(const struct crl_overlap *o, uint32_t item, bool *leaf)
{
    int world = world_of(o, item);
    const struct crl_overlap_world *other = &o->world[!world]; // where arcs begin here they end there
    uint32_t node = node_of(o, item), chunk = item % o->chunks, last = o->slots;
    *leaf = true;
    for (uint32_t i = other->first[node]; i < other->first[node + 1]; i++) {
        uint32_t arc = other->arc[i], to = crl_overlap_from(o, !world, arc);
        uint32_t child = crl_overlap_item(o, world, to, chunk);
        if (!o->when[child] || o->by[child] != arc) continue;
        *leaf = false;
        if (o->leaves[child] <= last) last = o->leaves[child] - 1;
    }
    return last;
}

// Who uses cells, as item + 1; 0: nobody; CRL_OVERLAP_FIXED: several, or what cannot be moved.
static uint32_t user(const struct crl_overlap *o, int world, uint32_t arc, uint32_t slot)
{
    size_t cell[2];
    uint32_t cells = crl_overlap_cells(o, world, arc, slot, cell), one = o->used[cell[0]];
    uint32_t two = cells > 1 && o->used[cell[1]] != one ? o->used[cell[1]] : 0;
    if (one && two) return CRL_OVERLAP_FIXED;
    one = one ? one : two;
    return one > 2 * o->nodes * o->chunks ? CRL_OVERLAP_FIXED : one;
}

// ---------------------------------------------------------------- changes

static int note(struct crl_overlap *o, uint32_t item, bool placed)
{
    int error = crl_pool_grow(&o->pool, (void **)&o->change, &o->changes_room, o->changes, sizeof *o->change);
    if (error) o->steps = 0;
    else o->change[o->changes++] = (struct crl_overlap_change){item, o->by[item], o->leaves[item], placed};
    return error;
}

static bool put(struct crl_overlap *o, uint32_t item, uint32_t arc, uint32_t slot)
{
    crl_overlap_put(o, item, arc, slot);
    return !note(o, item, true);
}

static bool drop(struct crl_overlap *o, uint32_t item)
{
    if (note(o, item, false)) return false;
    crl_overlap_drop(o, item);
    return true;
}

static void undo(struct crl_overlap *o, size_t to)
{
    while (o->changes > to) {
        const struct crl_overlap_change *c = &o->change[--o->changes];
        if (c->placed) crl_overlap_drop(o, c->item);
        else crl_overlap_put(o, c->item, c->arc, c->leaves);
    }
}

// ---------------------------------------------------------------- chains

// Whether an item that is missing may use an arc in a slot, as things are.
static bool fits(const struct crl_overlap *o, uint32_t item, uint32_t arc, uint32_t slot)
{
    int world = world_of(o, item);
    bool leaf;
    uint32_t before = o->when[crl_overlap_item(o, world, crl_overlap_from(o, world, arc), item % o->chunks)];
    return before && slot > before && slot + o->arc[arc].latency - 1 <= deadline(o, item, &leaf) &&
           !user(o, world, arc, slot);
}

// Moves the items of a chain, the last first, which goes to a cell that is free, or is dropped where arc is CRL_NONE.
// Returns false, and changes nothing, where one does not fit any more.
static bool move(struct crl_overlap *o, uint32_t last, uint32_t arc, uint32_t slot)
{
    size_t begin = o->changes;
    crl_overlap_spend(o, 8);
    for (uint32_t item = last; item != CRL_NONE; item = o->came[item]) {
        uint32_t to = arc, at = slot;
        arc = o->link[item].arc; // of the item before it
        slot = o->link[item].slot;
        if (o->when[item] && !drop(o, item)) return false;
        if (to != CRL_NONE && (!fits(o, item, to, at) || !put(o, item, to, at))) {
            undo(o, begin);
            return false;
        }
    }
    return true;
}

static void reach(struct crl_overlap *o, uint32_t item, uint32_t from, struct crl_overlap_link link)
{
    if (o->seen[item] == o->stamp) return;
    o->seen[item] = o->stamp;
    o->came[item] = from;
    o->link[item] = link;
    o->queue[o->queued++] = item;
}

// Looks at what an item could use of an arc: cells that are free, where the chain ends, others', and, if the chunk
// comes too late, one before it, for which it must come earlier. Those of soon slots come first, or those of any.
// Returns whether the chain could end.
static bool look(struct crl_overlap *o, uint32_t x, uint32_t arc, uint32_t last, bool soon)
{
    int world = world_of(o, x);
    uint32_t latency = o->arc[arc].latency;
    uint32_t source = crl_overlap_item(o, world, crl_overlap_from(o, world, arc), x % o->chunks);
    uint32_t before = o->when[source];
    if (!before || last < latency) return false;
    uint32_t end = last - latency + 1, window = end > before ? end - before : 0;
    uint32_t first = window && !soon ? crl_draw(&o->random, window) : 0;
    crl_overlap_spend(o, window + 1);
    for (uint32_t k = 0; k < window; k++) {
        uint32_t slot = before + 1 + (first + k) % window, other = user(o, world, arc, slot);
        if (!other && move(o, x, arc, slot)) return true;
        if (other && other != CRL_OVERLAP_FIXED) reach(o, other - 1, x, (struct crl_overlap_link){arc, slot, CRL_NONE});
    }
    if (o->by[source] == CRL_NONE || o->seen[source] == o->stamp) return false;
    for (uint32_t slot = before < end ? before : end, k = 0; slot > 1 && k < EARLIER; slot--, k++)
        if (!user(o, world, arc, slot)) {
            reach(o, source, x, (struct crl_overlap_link){arc, slot, slot - 1});
            return false;
        }
    return false;
}

// Finds a chain for an item that is missing. If it fails, *leaf is one of those seen that could be missing instead.
static bool chain(struct crl_overlap *o, uint32_t item, uint32_t looks, bool soon, uint32_t *leaf)
{
    uint32_t leaves = 0;
    o->stamp++;
    o->queued = 0;
    reach(o, item, CRL_NONE, (struct crl_overlap_link){CRL_NONE, 0, CRL_NONE});
    *leaf = CRL_NONE;
    for (uint32_t at = 0; at < o->queued && at < looks && o->steps; at++) {
        uint32_t x = o->queue[at], node = node_of(o, x);
        const struct crl_overlap_world *w = &o->world[world_of(o, x)];
        uint32_t degree = w->first[node + 1] - w->first[node], turn = crl_draw(&o->random, degree);
        bool is_leaf;
        uint32_t last = deadline(o, x, &is_leaf);
        if (at && is_leaf && o->link[x].limit == CRL_NONE && crl_draw(&o->random, ++leaves) == 0) *leaf = x;
        if (o->link[x].limit < last) last = o->link[x].limit;
        crl_overlap_spend(o, 3 * degree);
        for (uint32_t i = 0; i < degree; i++)
            if (look(o, x, w->arc[w->first[node] + (turn + i) % degree], last, soon)) return true;
    }
    return false;
}

// ---------------------------------------------------------------- chunks that meet elsewhere

// Drops all of a chunk in a world, or in both (2).
static bool drop_all(struct crl_overlap *o, uint32_t chunk, int world)
{
    uint32_t first = world == 1 ? o->nodes : 0, end = world == 0 ? o->nodes : 2 * o->nodes;
    for (uint32_t k = first; k < end; k++) {
        uint32_t item = k * o->chunks + chunk;
        if (o->when[item] && o->by[item] != CRL_NONE && !drop(o, item)) return false;
    }
    return true;
}

// Puts in what is missing, as far as chains can, and soon: what is to be sent on then has more slots left.
static void fill(struct crl_overlap *o)
{
    uint32_t leaf;
    for (bool more = true; more && o->missing.count && o->steps;) {
        more = false;
        for (uint32_t i = o->missing.count; i-- > 0 && o->steps;)
            if (i < o->missing.count && chain(o, o->missing.list[i], LOOKS_FILL, true, &leaf)) more = true;
    }
}

// Has a chunk meet elsewhere, or at another time, or takes other ways in one of the worlds, if then no more than so
// many items are missing.
static bool replan(struct crl_overlap *o, uint32_t chunk, uint32_t most)
{
    size_t begin = o->changes = 0;
    uint32_t at = o->at[chunk], meets = o->meets[chunk], kind = crl_draw(&o->random, 4);
    bool met = true;
    crl_overlap_spend(o, 4 * o->nodes);
    if (!drop_all(o, chunk, kind < 2 ? (int)kind : 2)) return false;
    if (kind > 1) crl_overlap_part(o, chunk);
    for (uint32_t i = 0; i < PARTS && kind > 1; i++) {
        uint32_t to = kind == 2 ? at : crl_overlap_draw_place(o, crl_draw(&o->random, 4));
        const struct crl_overlap_place *p = &o->place[to];
        uint32_t room = o->slots - p->in - p->span - p->out + 1, when = p->in + crl_draw(&o->random, room);
        if (kind == 2) when = meets + crl_draw(&o->random, 5) - 2;
        met = when >= p->in && when < p->in + room && crl_overlap_meet(o, chunk, to, when);
        if (met) break;
    }
    size_t middle = o->changes;
    if (met) fill(o);
    if (met && o->missing.count <= most) return true;
    undo(o, middle);
    if (met && kind > 1) crl_overlap_part(o, chunk);
    if (kind > 1) crl_overlap_meet(o, chunk, at, meets);
    undo(o, begin);
    return false;
}

bool crl_overlap_repair(struct crl_overlap *o)
{
    uint32_t least = o->missing.count;
    for (uint32_t idle = 0; o->missing.count && o->steps && idle < PATIENCE; idle++) {
        uint32_t item = o->missing.list[crl_draw(&o->random, o->missing.count)], leaf;
        o->changes = 0;
        bool done = chain(o, item, idle % 16 == 15 ? LOOKS_LONG : LOOKS, false, &leaf);
        uint32_t other = o->queue[crl_draw(&o->random, o->queued)];
        if (!done && leaf != CRL_NONE) move(o, leaf, CRL_NONE, 0);
        bool worse = o->missing.count == least && !crl_draw(&o->random, WORSE);
        if (!done) replan(o, other % o->chunks, o->missing.count + worse);
        if (o->missing.count < least) {
            least = o->missing.count;
            idle = 0;
        }
    }
    return !o->missing.count;
}
