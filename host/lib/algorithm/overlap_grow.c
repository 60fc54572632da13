// SPDX-License-Identifier: Apache-2.0
// Trees that overlap, grown slot by slot. In step k the sums spread in slot k, and then partial sums, backwards, in
// slot k of their world: every node in turn takes as many chunks that it lacks as its free arcs can bring. What either
// world lacks at the end makes the arcs dearer for the other one.
#include "algorithm/overlap.h"
#include "base/best.h"
#include <string.h>

enum { TRIES = 200, TAKES = 64, NEWS = 2 * TAKES };

// ---------------------------------------------------------------- items

static void set(const struct crl_overlap *o, uint64_t *bits, uint32_t node, uint32_t chunk, bool value)
{
    uint64_t *word = &bits[(size_t)node * o->words + chunk / 64], bit = UINT64_C(1) << chunk % 64;
    *word = value ? *word | bit : *word & ~bit;
}

static void use(struct crl_overlap *o, int world, uint32_t arc, uint32_t slot, uint32_t mark)
{
    size_t cell[2];
    for (uint32_t k = crl_overlap_cells(o, world, arc, slot, cell); k-- > 0;) o->used[cell[k]] = mark;
}

void crl_overlap_put(struct crl_overlap *o, uint32_t item, uint32_t arc, uint32_t slot)
{
    int world = item >= o->nodes * o->chunks;
    o->when[item] = slot + o->arc[arc].latency - 1;
    o->by[item] = arc;
    o->leaves[item] = slot;
    use(o, world, arc, slot, item + 1);
    crl_set_put(&o->missing, item, false);
}

void crl_overlap_drop(struct crl_overlap *o, uint32_t item)
{
    int world = item >= o->nodes * o->chunks;
    o->when[item] = 0;
    use(o, world, o->by[item], o->leaves[item], 0);
    crl_set_put(&o->missing, item, true);
}

// ---------------------------------------------------------------- where chunks meet

// Uses, or frees, the cells in which the nodes of a place swap; false, and nothing is changed, where it cannot.
static bool swap(struct crl_overlap *o, const struct crl_overlap_place *p, uint32_t meets, uint32_t from, uint32_t to)
{
    uint32_t slot = meets + 1;
    for (uint32_t r = 0; r < p->rounds; slot += p->lasts[r++])
        for (uint32_t i = 0; i < p->nodes; i++) {
            uint32_t arc = crl_overlap_find_arc(o, p->node[i], p->node[i ^ 1u << r], slot, from);
            if (arc != CRL_NONE) {
                use(o, 0, arc, slot, to);
            } else if (!from) {
                swap(o, p, meets, to, 0);
                return false;
            } // else it is one of those that were not taken yet
        }
    return true;
}

void crl_overlap_part(struct crl_overlap *o, uint32_t chunk)
{
    const struct crl_overlap_place *p = &o->place[o->at[chunk]];
    swap(o, p, o->meets[chunk], CRL_OVERLAP_FIXED - chunk, 0);
    for (int world = 0; world < 2; world++)
        for (uint32_t i = 0; i < p->nodes; i++) {
            uint32_t item = crl_overlap_item(o, world, p->node[i], chunk);
            o->when[item] = 0;
            crl_set_put(&o->missing, item, true);
        }
}

bool crl_overlap_meet(struct crl_overlap *o, uint32_t chunk, uint32_t at, uint32_t meets)
{
    const struct crl_overlap_place *p = &o->place[at];
    crl_overlap_spend(o, 16 * p->nodes * (p->rounds + 1));
    if (!swap(o, p, meets, 0, CRL_OVERLAP_FIXED - chunk)) return false;
    o->at[chunk] = at;
    o->meets[chunk] = meets;
    o->world[0].begin[chunk] = meets + p->span;
    o->world[1].begin[chunk] = o->slots - meets;
    for (int world = 0; world < 2; world++)
        for (uint32_t i = 0; i < p->nodes; i++) {
            uint32_t item = crl_overlap_item(o, world, p->node[i], chunk);
            o->when[item] = o->world[world].begin[chunk];
            o->by[item] = CRL_NONE;
            crl_set_put(&o->missing, item, false);
        }
    return true;
}

uint32_t crl_overlap_draw_place(struct crl_overlap *o, uint32_t bias)
{
    size_t first = crl_overlap_total(o->place) > o->slots ? o->simple : 0,
           count = 0; // larger ones take more transmissions
    size_t end = first ? o->places : o->simple;
    while (first + count < end && crl_overlap_total(&o->place[first + count]) <= o->slots) count++;
    if (!count) return CRL_NONE;
    for (uint32_t i = 0; i <= bias; i++) count = crl_draw(&o->random, (uint32_t)count) + 1;
    const struct crl_overlap_place *p = &o->place[first + count - 1];
    return p->first + crl_draw(&o->random, p->alike);
}

// Chunks meet evenly spread over the slots in which they can.
static bool meet_all(struct crl_overlap *o)
{
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++) {
        bool met = false;
        for (uint32_t i = 0; i < TRIES && !met; i++) {
            uint32_t at = crl_overlap_draw_place(o, o->weight[CRL_OVERLAP_BIAS]);
            if (at == CRL_NONE) return false;
            const struct crl_overlap_place *p = &o->place[at];
            if (p->rounds == 1 && !o->weight[CRL_OVERLAP_SWAPS] && at < o->simple && i < TRIES / 2) continue;
            uint32_t room = o->slots - crl_overlap_total(p) + 1;
            uint32_t more = i ? crl_draw(&o->random, room)
                              : (uint32_t)((2 * (uint64_t)chunk + 1) * room / (2 * (uint64_t)o->chunks));
            met = crl_overlap_meet(o, chunk, at, p->in + more);
        }
        if (!met) return false;
    }
    return true;
}

// ---------------------------------------------------------------- a slot of a node

struct serving {
    struct crl_overlap_world *w;
    int world;
    uint32_t node, slot, arcs, arc[CRL_LINKS_MAX], from[CRL_LINKS_MAX], takes[CRL_LINKS_MAX];
    struct crl_best news[NEWS];
    uint32_t count;
};

static bool free_cells(const struct crl_overlap *o, int world, uint32_t arc, uint32_t slot)
{
    size_t cell[2];
    uint32_t cells = crl_overlap_cells(o, world, arc, slot, cell);
    return !o->used[cell[0]] && (cells < 2 || !o->used[cell[1]]);
}

// The arcs that can bring something.
static void find_free(struct crl_overlap *o, struct serving *s)
{
    const struct crl_overlap_world *w = s->w;
    s->arcs = 0;
    for (uint32_t i = w->first[s->node]; i < w->first[s->node + 1]; i++) {
        uint32_t arc = w->arc[i], from = crl_overlap_from(o, s->world, arc);
        if (s->slot + o->arc[arc].latency - 1 > o->slots || !free_cells(o, s->world, arc, s->slot)) continue;
        if (o->weight[CRL_OVERLAP_QUOTAS] && s->slot <= w->quota_end && !w->quota[o->alike[from]]) continue;
        s->arc[s->arcs] = arc;
        s->from[s->arcs] = from;
        s->takes[s->arcs++] = CRL_NONE;
    }
}

static bool offers(const struct crl_overlap *o, const struct serving *s, uint32_t i, uint32_t chunk)
{
    return s->w->has[(size_t)s->from[i] * o->words + chunk / 64] >> chunk % 64 & 1;
}

// The chunks that it wants most of what is offered.
static void find_news(struct crl_overlap *o, struct serving *s)
{
    const uint32_t *weight = o->weight;
    uint32_t most = 2 * s->arcs < NEWS ? 2 * s->arcs : NEWS;
    s->count = 0;
    for (uint32_t w = 0; w < o->words; w++) {
        uint64_t some = 0, lacks = s->w->lacks[(size_t)s->node * o->words + w];
        if (!lacks) continue;
        for (uint32_t i = 0; i < s->arcs; i++) some |= s->w->has[(size_t)s->from[i] * o->words + w];
        for (some &= lacks; some; some &= some - 1) {
            uint32_t chunk = w * 64 + (uint32_t)__builtin_ctzll(some), near = 0;
            for (uint32_t i = 0; i < s->arcs && weight[CRL_OVERLAP_NEAR]; i++) near += offers(o, s, i, chunk);
            uint32_t cost = weight[CRL_OVERLAP_RARE] * s->w->copies[chunk] +
                            weight[CRL_OVERLAP_OLD] * s->w->begin[chunk] + weight[CRL_OVERLAP_NEAR] * near;
            cost += crl_draw(&o->random, weight[CRL_OVERLAP_LOT]);
            s->count = crl_best_put(s->news, s->count, most, chunk, cost);
            o->steps -= o->steps > 0;
        }
    }
    crl_overlap_spend(o, 4 + o->words * s->arcs / 4);
}

// Whether another arc of the orbit is taken: of nodes that are their own images.
static bool takes_orbit(const struct crl_overlap *o, const struct serving *s, uint32_t i)
{
    bool takes = false;
    for (uint32_t k = 0; k < s->arcs && o->order > 1; k++)
        takes |= s->takes[k] != CRL_NONE && o->arc[s->arc[k]].orbit == o->arc[s->arc[i]].orbit;
    return takes;
}

// The cheapest free arc that offers a chunk, or s->arcs.
static uint32_t cheapest(struct crl_overlap *o, const struct serving *s, uint32_t chunk)
{
    uint32_t best = s->arcs, least = UINT32_MAX;
    for (uint32_t i = 0; i < s->arcs; i++) {
        if (s->takes[i] != CRL_NONE || !offers(o, s, i, chunk)) continue;
        if (o->single ? !free_cells(o, s->world, s->arc[i], s->slot) : takes_orbit(o, s, i)) continue;
        uint32_t orbit = o->arc[s->arc[i]].orbit;
        uint32_t cost = o->weight[CRL_OVERLAP_PRICE] * s->w->price[orbit] / 256 +
                        o->weight[CRL_OVERLAP_LOAD] * s->w->load[orbit] + crl_draw(&o->random, 16);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

// Finds an arc for a chunk, if need be by moving another chunk to another arc.
static bool take(struct crl_overlap *o, struct serving *s, uint32_t chunk)
{
    uint32_t i = cheapest(o, s, chunk);
    for (uint32_t k = 0; i == s->arcs && k < s->arcs && !o->single; k++) {
        if (s->takes[k] == CRL_NONE || !offers(o, s, k, chunk)) continue;
        uint32_t other = cheapest(o, s, s->takes[k]);
        if (other == s->arcs) continue;
        s->takes[other] = s->takes[k];
        i = k;
    }
    if (i < s->arcs) s->takes[i] = chunk;
    return i < s->arcs;
}

static void serve(struct crl_overlap *o, struct serving *s)
{
    find_free(o, s);
    find_news(o, s);
    for (uint32_t k = 0, taken = 0; k < s->count && taken < (o->single ? 1 : s->arcs); k++)
        taken += take(o, s, s->news[k].what);
    for (uint32_t i = 0; i < s->arcs; i++) {
        uint32_t chunk = s->takes[i], item = crl_overlap_item(o, s->world, s->node, chunk);
        if (chunk == CRL_NONE) continue;
        crl_overlap_put(o, item, s->arc[i], s->slot);
        set(o, s->w->lacks, s->node, chunk, false);
        s->w->copies[chunk]++;
        s->w->load[o->arc[s->arc[i]].orbit]++;
        uint32_t *quota = &s->w->quota[o->alike[s->from[i]]];
        if (s->slot <= s->w->quota_end && *quota) --*quota;
        o->next[item] = s->w->head[o->when[item]];
        s->w->head[o->when[item]] = item + 1;
    }
}

// ---------------------------------------------------------------- an attempt

// Everything is missing.
static void begin(struct crl_overlap *o)
{
    uint32_t items = 2 * o->nodes * o->chunks;
    crl_overlap_spend(o, items + o->orbits * o->slots / 16);
    memset(o->used, 0, sizeof *o->used * (o->single ? 2 * (size_t)o->nodes : o->orbits) * (o->slots + 1));
    memset(o->when, 0, sizeof *o->when * items);
    crl_set_empty(&o->missing, items);
    for (uint32_t i = 0; i < items; i++)
        if (crl_problem_is_host(o->problem, i / o->chunks % o->nodes)) crl_set_put(&o->missing, i, true);
    for (int world = 0; world < 2; world++) {
        struct crl_overlap_world *w = &o->world[world];
        memset(w->has, 0, sizeof *w->has * o->nodes * o->words);
        memset(w->lacks, 0xff, sizeof *w->lacks * o->nodes * o->words);
        memset(w->load, 0, sizeof *w->load * o->orbits);
        memset(w->head, 0, sizeof *w->head * (o->slots + 1));
    }
}

static void begin_world(struct crl_overlap *o, int world)
{
    struct crl_overlap_world *w = &o->world[world];
    uint32_t least = CRL_NONE;
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++) {
        const struct crl_overlap_place *p = &o->place[o->at[chunk]];
        w->copies[chunk] = p->nodes;
        if (w->begin[chunk] < least) least = w->begin[chunk];
        for (uint32_t i = 0; i < p->nodes; i++) {
            uint32_t item = crl_overlap_item(o, world, p->node[i], chunk);
            set(o, w->lacks, p->node[i], chunk, false);
            o->next[item] = w->head[w->begin[chunk]];
            w->head[w->begin[chunk]] = item + 1;
        }
    }
    // Nothing of the other world is sent before `least` slots from the end have passed. What it sends to a node it
    // sends, once for each chunk, over the arcs by which the node sends here.
    const struct crl_overlap_world *other = &o->world[!world];
    uint32_t first = CRL_NONE;
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++)
        if (other->begin[chunk] < first) first = other->begin[chunk];
    w->quota_end = o->slots - first;
    memset(w->quota, 0, sizeof *w->quota * o->nodes);
    for (uint32_t v = 0; v < o->nodes; v++) {
        uint64_t degree = o->single ? 1 : other->first[v + 1] - other->first[v], room = degree * w->quota_end;
        if (room > o->problem->chunks) w->quota[o->alike[v]] += (uint32_t)(room - o->problem->chunks);
    }
    for (uint32_t v = 0; v < o->nodes; v++) w->quota[v] /= o->order;
}

// What has come before a slot can be sent in it.
static void land(struct crl_overlap *o, int world, uint32_t slot)
{
    struct crl_overlap_world *w = &o->world[world];
    for (uint32_t item = w->head[slot - 1]; item; item = o->next[item - 1])
        set(o, w->has, (item - 1) / o->chunks % o->nodes, (item - 1) % o->chunks, true);
}

static void learn(struct crl_overlap *o)
{
    for (int world = 0; world < 2; world++)
        for (uint32_t i = 0; i < o->orbits; i++) o->world[world].price[i] -= o->world[world].price[i] / 32;
    for (uint32_t i = 0; i < o->missing.count; i++) {
        int world = o->missing.list[i] >= o->nodes * o->chunks;
        const struct crl_overlap_world *w = &o->world[world];
        uint32_t node = o->missing.list[i] / o->chunks % o->nodes;
        for (uint32_t k = w->first[node]; k < w->first[node + 1]; k++)
            o->world[!world].price[o->arc[w->arc[k]].orbit] += 256;
    }
}

bool crl_overlap_grow(struct crl_overlap *o, uint32_t slots)
{
    struct serving s;
    o->slots = slots;
    begin(o);
    if (!meet_all(o)) return false;
    for (int world = 0; world < 2; world++) begin_world(o, world);
    for (s.slot = 1; s.slot <= slots; s.slot++)
        for (s.world = 0; s.world < 2; s.world++) {
            s.w = &o->world[s.world];
            land(o, s.world, s.slot);
            for (uint32_t i = 0; i < o->nodes; i++) {
                uint32_t k = i + crl_draw(&o->random, o->nodes - i);
                s.node = o->turn[k];
                o->turn[k] = o->turn[i];
                o->turn[i] = s.node;
                serve(o, &s);
            }
        }
    learn(o);
    return true;
}
