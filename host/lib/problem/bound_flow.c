// SPDX-License-Identifier: Apache-2.0
// A lower bound for packets that all hosts want: those that one node gets, as a flow through time. In a gather they are
// all that there is, so what flows is a schedule; a scatter is a gather in reversed time, on links turned round.
//
// Place (t, v) is node v after t slots. A link carries a packet from (t, u) to (t + latency, v), one for each t;
// waiting is free. If the packets of all origins cannot flow to one host by slot T there is no schedule of T slots; and
// the places that can still be reached when no more will flow are a cut: each packet that starts within must leave it,
// and of the links that lead out of it fewer are there. Since waiting is free, a node is within from some time on, so a
// link crosses the cut in the slots of one window. That is what a certificate says (bound_certificate.c).
//
// The greatest flow is Dinic's: a search for how far places are, then ways that come nearer by one with each step.
#include "base/pool.h"
#include "base/base.h"
#include "problem/bound_prices.h"
#include <stdlib.h>
#include <string.h>

enum {
    WORK = 4000000, // arcs looked at, some hundredths of a second
    PATIENCE = 150, // so many times as many where there is time
    SHARE = 4       // of it for the arcs of one flow, of which each is looked at several times
};

struct flow {
    struct crl_pool pool;
    const struct crl_problem *problem;
    bool turned;
    uint32_t nodes, ports, slots, to;
    uint32_t *next, *before, *latency; // [nodes][ports] where links lead, whence they come, how long they take
    uint32_t *left;                    // [nodes] packets that have not left their origin
    uint8_t *used;                     // [slots][nodes][ports] links that carry a packet
    uint32_t *waiting;                 // [slots + 1][nodes] packets that wait here for the next slot
    uint32_t *level;                   // [slots + 1][nodes] steps from an origin, CRL_NONE where none leads there
    uint32_t *arc;                     // [slots + 1][nodes] the next to try: waiting, its undoing, links, theirs
    size_t *queue;                     // places, and then the way
    uint64_t work;
};

static bool is_pair(const struct crl_problem *p) { return p->collective->naming == CRL_NAMING_PAIR; }
static size_t place(const struct flow *f, uint32_t slot, uint32_t node) { return (size_t)slot * f->nodes + node; }
static size_t sink(const struct flow *f) { return place(f, f->slots, f->to); }

// Where arc number `arc` leads from a place if anything more can flow over it; else SIZE_MAX. *way: of a link, which it
// is in `used`; else SIZE_MAX.
static size_t follow(const struct flow *f, size_t at, uint32_t arc, size_t *way)
{
    uint32_t slot = (uint32_t)(at / f->nodes), node = (uint32_t)(at % f->nodes);
    *way = SIZE_MAX;
    if (arc == 0) return slot < f->slots ? at + f->nodes : SIZE_MAX;
    if (arc == 1) return slot && f->waiting[at - f->nodes] ? at - f->nodes : SIZE_MAX;
    bool back = arc >= 2 + f->ports;
    uint32_t port = arc - 2 - back * f->ports;
    uint32_t other = (back ? f->before : f->next)[(size_t)node * f->ports + port];
    if (other == CRL_NONE) return SIZE_MAX;
    uint32_t latency = f->latency[(size_t)(back ? other : node) * f->ports + port];
    if (back ? slot < latency : slot + latency > f->slots) return SIZE_MAX;
    size_t from = back ? place(f, slot - latency, other) : at;
    *way = from * f->ports + port;
    if (f->used[*way] != back) return SIZE_MAX;
    return back ? from : place(f, slot + latency, other);
}

// Sets the levels. False: nothing more can flow.
static bool look(struct flow *f)
{
    size_t places = place(f, f->slots + 1, 0), waiting = 0, way;
    memset(f->level, 0xff, sizeof *f->level * places);
    memset(f->arc, 0, sizeof *f->arc * places);
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->left[v]) {
            f->level[v] = 0;
            f->queue[waiting++] = v;
        }
    for (size_t i = 0; i < waiting; i++) {
        size_t at = f->queue[i];
        if (at == sink(f)) continue;
        f->work += 2 + 2 * f->ports;
        for (uint32_t arc = 0; arc < 2 + 2 * f->ports; arc++) {
            size_t to = follow(f, at, arc, &way);
            if (to == SIZE_MAX || f->level[to] != CRL_NONE) continue;
            f->level[to] = f->level[at] + 1;
            f->queue[waiting++] = to;
        }
    }
    return f->level[sink(f)] != CRL_NONE;
}

// One more packet over an arc.
static void pass(struct flow *f, size_t at, uint32_t arc)
{
    size_t way;
    follow(f, at, arc, &way);
    if (way != SIZE_MAX) f->used[way] ^= 1;
    else if (arc == 0) f->waiting[at]++;
    else f->waiting[at - f->nodes]--;
}

// A packet from an origin to the sink, each step to the next level.
static bool send_one(struct flow *f, uint32_t origin)
{
    size_t *path = f->queue, length = 0, at = origin, way;
    while (at != sink(f)) {
        size_t to = SIZE_MAX;
        while (f->arc[at] < 2 + 2 * f->ports) {
            to = follow(f, at, f->arc[at], &way);
            if (to != SIZE_MAX && f->level[to] == f->level[at] + 1) break;
            to = SIZE_MAX;
            f->arc[at]++;
        }
        if (to != SIZE_MAX) {
            path[length++] = at;
            at = to;
        } else if (length) {
            at = path[--length];
            f->arc[at]++;
        } else {
            return false;
        }
    }
    for (size_t i = 0; i < length; i++) pass(f, path[i], f->arc[path[i]]);
    return true;
}

// Whether all packets of the others come to f->to in f->slots slots.
static bool all_flow(struct flow *f)
{
    size_t places = place(f, f->slots + 1, 0);
    const struct crl_problem *p = f->problem;
    memset(f->used, 0, places * f->ports);
    memset(f->waiting, 0, sizeof *f->waiting * places);
    memset(f->left, 0, sizeof *f->left * f->nodes);
    enum crl_ends origins = f->turned ? p->collective->dests : p->collective->origins;
    for (uint64_t i = 0; i < crl_ends_count(p, origins); i++) {
        uint32_t origin = crl_ends_node(p, origins, i);
        if (origin != f->to) f->left[origin] = p->parts;
    }
    while (look(f))
        for (uint32_t v = 0; v < f->nodes; v++)
            while (f->left[v] && send_one(f, v)) f->left[v]--;
    for (uint32_t v = 0; v < f->nodes; v++)
        if (f->left[v]) return false;
    return true;
}

// Room for so many slots.
static bool flow_init(struct flow *f, const struct crl_problem *problem, uint32_t slots)
{
    const struct crl_topology *t = problem->topology;
    *f = (struct flow){.problem = problem, .nodes = t->nodes, .ports = t->ports, .slots = slots};
    f->turned = is_pair(problem) && problem->collective->origins == CRL_ENDS_ROOT;
    size_t ends = (size_t)f->nodes * f->ports, places = place(f, slots + 1, 0);
    CRL_NUMBERS(&f->pool, ends, &f->next, &f->before, &f->latency);
    CRL_NEW(&f->pool, f->left, f->nodes);
    CRL_NEW(&f->pool, f->used, places * f->ports);
    CRL_NEW(&f->pool, f->waiting, places);
    CRL_NEW(&f->pool, f->level, places);
    CRL_NEW(&f->pool, f->arc, places);
    CRL_NEW(&f->pool, f->queue, places);
    if (crl_pool_error(&f->pool)) return false;
    for (uint32_t v = 0; v < f->nodes; v++)
        for (uint32_t p = 0; p < f->ports; p++) {
            size_t i = (size_t)v * f->ports + p;
            uint32_t after = crl_topology_neighbor(t, v, p), before = crl_topology_behind(t, v, p);
            f->next[i] = f->turned ? before : after;
            f->before[i] = f->turned ? after : before;
            f->latency[i] = f->next[i] == CRL_NONE ? 1 : crl_topology_latency(t, f->turned ? before : v, p);
        }
    return true;
}

// How many slots more it takes at least, from what is left. With k more, leave those within from the start as they are
// and let all others be k slots later: only the links from the ones to the others have more places, k each.
static uint64_t slots_missing(const struct flow *f)
{
    uint64_t left = 0, links = 0;
    for (uint32_t v = 0; v < f->nodes; v++) {
        left += f->left[v];
        for (uint32_t p = 0; p < f->ports && f->level[v] != CRL_NONE; p++) {
            uint32_t to = f->next[(size_t)v * f->ports + p];
            links += to != CRL_NONE && f->level[to] == CRL_NONE;
        }
    }
    return crl_ceil_div(left, links);
}

// From which slot on each node is within the cut, if those that are not from the start are so much later.
static void keep_cut(struct crl_priced *priced, const struct flow *f, uint64_t later)
{
    free(priced->since);
    priced->since = malloc(sizeof *priced->since * f->nodes);
    priced->cut_off = f->to;
    for (uint32_t v = 0; priced->since && v < f->nodes; v++) {
        uint32_t slot = 0;
        while (slot <= f->slots && f->level[place(f, slot, v)] == CRL_NONE) slot++;
        priced->since[v] = slot > f->slots ? CRL_NONE : slot ? slot + (uint32_t)later : 0;
    }
}

// Raises `slots` while packets for one of the hosts do not fit. Without memory it stays as it is.
static uint64_t raise(const struct crl_problem *p, uint64_t slots, uint64_t work)
{
    const struct crl_topology *t = p->topology;
    bool fits;
    uint64_t done = 0;
    for (uint64_t i = 0; i < (is_pair(p) ? 1 : p->host_count) && done < work; i++) {
        struct flow f;
        uint32_t to = is_pair(p) ? p->root : crl_ends_node(p, CRL_ENDS_ALL, i);
        if (!crl_problem_has_root(p) && crl_topology_has_mirror(t, to)) continue;
        do {
            f = (struct flow){0};
            bool room = (slots + 2) * t->nodes * t->ports < work / SHARE && flow_init(&f, p, (uint32_t)slots);
            f.to = to;
            fits = !room || all_flow(&f);
            uint64_t more = fits ? 0 : slots_missing(&f);
            if (!fits && p->priced) keep_cut(p->priced, &f, more - 1);
            slots += more;
            done += room ? f.work : work;
            crl_pool_done(&f.pool);
        } while (!fits);
    }
    return slots;
}

uint64_t crl_bound_flow(const struct crl_problem *p, uint64_t slots)
{
    struct crl_priced *priced = p->priced;
    bool flows = (!is_pair(p) || crl_problem_has_root(p)) && !p->collective->rule && !crl_problem_is_partial(p);
    if (!flows || p->ports != CRL_PORTS_ALL || p->host_count < 2) return slots;
    // Where all nodes are alike no cut has fewer links than one node (Mader, Watkins), and its load is known.
    if (crl_problem_is_symmetric(p) || (is_pair(p) && crl_topology_is_symmetric(p->topology))) return slots;
    if (priced && priced->flowed) return priced->flow_slots > slots ? priced->flow_slots : slots;
    uint64_t more = raise(p, slots, priced && priced->patient ? (uint64_t)WORK * PATIENCE : WORK);
    if (priced) {
        priced->flowed = true;
        priced->flow_slots = more > slots ? more : 0;
    }
    return more;
}
