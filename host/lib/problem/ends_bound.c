// SPDX-License-Identifier: Apache-2.0
// A lower bound end to end, with L words a slot into and out of a node: of the words that have d slots or more to go,
// the last of n is taken in slot ⌈n/L⌉ at the earliest, and arrives d − 1 slots later; and of those that come from so
// far, the first arrives in slot d at the earliest, and n take ⌈n/L⌉ slots to leave. Where each word is for one node,
// the sums of slots tell, too: word i of a node is taken in slot ⌈i/L⌉ at the earliest, the last but i − 1 leaves in
// slot E + 1 − ⌈i/L⌉ at the latest, and for each there are d − 1 slots between. So E + 1 is at least the mean, over all
// words, of these three added up. Where links are used in the slots from f to l only, it leaves in slot f at the
// earliest and has arrived in slot l at the latest, so for some f the same sums must do with later slots of the first
// kind and earlier ones of the other.
//
// If links are used in few slots, little of them is idle. But in the first of these slots a node sends its own words
// only, and in the last it only gets words that are for it: no more than were taken by then, and than are given after.
// Of the links that pass the middles of an array the same is true where they are used in the very first or last slot.
#include "base/base.h"
#include "problem/problem.h"
#include <stdlib.h>

struct ways {
    uint64_t *own, *shown; // [most + 1] words of a node that have so far to go, or come from so far
    uint32_t most;
};

static uint64_t worst(const uint64_t *words, uint32_t most, uint64_t a_slot)
{
    uint64_t bound = 0, count = 0;
    for (uint32_t d = most; d > 0; d--) {
        count += words[d];
        if (count && crl_ceil_div(count, a_slot) + d - 1 > bound) bound = crl_ceil_div(count, a_slot) + d - 1;
    }
    return bound;
}

// Adds what a node's words make of the sums.
static void add(const uint64_t *words, uint32_t most, uint64_t a_slot, bool own, uint64_t *count, uint64_t *sum)
{
    uint64_t n = 0;
    for (uint32_t d = 1; d <= most; d++) {
        n += words[d];
        if (own) *sum += words[d] * (d - 1);
    }
    for (uint64_t i = 1; i <= n; i++) *sum += crl_ceil_div(i, a_slot);
    if (own) *count += n;
}

// Words of all nodes by the slot in which they are taken at the earliest, or given at the latest counted from the last
// one; and hops of all of them but their last ones.
struct turns {
    uint64_t *own, *shown; // [most + 1]
    uint64_t most, hops;
};

static void add_turns(struct turns *turns, const struct ways *w, uint64_t a_slot)
{
    uint64_t own = 0, shown = 0;
    for (uint32_t d = 1; d <= w->most; d++) {
        own += w->own[d];
        shown += w->shown[d];
        turns->hops += w->own[d] * (d - 1);
    }
    for (uint64_t i = 1; i <= own; i++) turns->own[crl_ceil_div(i, a_slot)]++;
    for (uint64_t i = 1; i <= shown; i++) turns->shown[crl_ceil_div(i, a_slot)]++;
}

// Whether the sums allow so many slots end to end, with links in the slots from `first` to `last`.
static bool allow(const struct turns *turns, uint64_t slots, uint64_t first, uint64_t last)
{
    int64_t room = -(int64_t)turns->hops;
    for (uint64_t k = 1; k <= turns->most; k++) {
        const uint64_t arrives = slots + 1 > k ? slots + 1 - k : 0;
        room += (int64_t)(turns->shown[k] * (arrives < last ? arrives : last));
        room -= (int64_t)(turns->own[k] * (k > first ? k : first));
    }
    return room >= 0;
}

// The least from `bound` on that the sums allow, if links are used in no more than `period` slots; 0: none.
static uint64_t least_allowed(const struct turns *turns, uint64_t bound, uint64_t period)
{
    for (uint64_t slots = bound; slots <= bound + turns->most; slots++)
        for (uint64_t first = 1; first == 1 || first + period - 1 <= slots; first++)
            if (allow(turns, slots, first, first + period - 1)) return slots;
    return 0;
}

// The words of packets from `a` that `b` wants, into a list.
static void between(const struct crl_problem *p, uint32_t a, uint32_t b, uint64_t *words)
{
    uint32_t far = crl_topology_delay(p->topology, a, b);
    if (a == b) return;
    if (crl_naming_is_pair(crl_problem_naming(p))) {
        uint32_t first = p->parts > 1 ? b << CRL_PART_BITS : b;
        words[far] += crl_problem_index(p, a, first) != UINT64_MAX ? p->parts : 0;
        return;
    }
    for (uint32_t part = 0; crl_problem_index(p, a, part) != UINT64_MAX; part++)
        words[far] += crl_problem_wants(p, a, part, b);
}

// A packet that many want has as far to go as to the farthest of them.
static void own_of(const struct crl_problem *p, uint32_t v, struct ways *w)
{
    uint32_t nodes = crl_topology_nodes(p->topology);
    if (crl_naming_is_pair(crl_problem_naming(p))) {
        for (uint32_t u = 0; u < nodes; u++) between(p, v, u, w->own);
        return;
    }
    for (uint32_t part = 0; crl_problem_index(p, v, part) != UINT64_MAX; part++) {
        uint32_t far = 0;
        for (uint32_t u = 0; u < nodes; u++)
            if (crl_problem_wants(p, v, part, u) && crl_topology_delay(p->topology, v, u) > far)
                far = crl_topology_delay(p->topology, v, u);
        w->own[far]++;
    }
}

// Links whose load is looked at: all, or of an array those that pass the middles of some of its paths, where there are
// two of both.
struct passed {
    const struct crl_topology *topology;
    uint64_t hops, links; // over them
    uint32_t factors;     // a bit a path; 0: all links
};

// Whether a path's link behind so many of its nodes is in its middle.
static bool is_middle(const struct crl_factor *f, uint64_t behind)
{
    return behind * (f->size - behind) == f->size / 2 * (uint64_t)(f->size - f->size / 2);
}

static uint32_t middles(const struct crl_factor *f, uint32_t a, uint32_t b)
{
    const uint32_t x = crl_factor_digit(f, a), y = crl_factor_digit(f, b);
    uint32_t count = 0;
    for (uint32_t k = (x < y ? x : y) + 1; k <= (x < y ? y : x); k++) count += is_middle(f, k);
    return count;
}

static uint32_t passes(const struct passed *s, uint32_t a, uint32_t b)
{
    uint32_t count = !s->factors;
    for (uint32_t i = 0; i < s->topology->factor_count; i++)
        if (s->factors >> i & 1) count += middles(&s->topology->factor[i], a, b);
    return count;
}

// Links that are idle in the first (or last) slot in which links are used, if words are taken (or given) in so many
// slots besides. By links that are not looked at words of others may have come by then.
static uint64_t idle_links(const struct passed *s, uint64_t a_slot, uint64_t besides, bool first)
{
    const struct crl_topology *t = s->topology;
    uint64_t idle = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t) && !(s->factors && besides); v++) {
        uint64_t links = 0;
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            const uint32_t u = first ? crl_topology_neighbor(t, v, port) : crl_topology_behind(t, v, port);
            links += u != CRL_NONE && passes(s, v, u);
        }
        idle += links > a_slot * (besides + 1) ? links - a_slot * (besides + 1) : 0;
    }
    return idle;
}

// The least that so many idle links allow, before the slots of the links and after them together.
static uint64_t slots_around(const struct passed *s, uint64_t a_slot, uint64_t idle)
{
    uint64_t least = UINT64_MAX, ports = crl_topology_ports(s->topology), after = ports;
    for (uint64_t before = 0; before <= ports; before++) {
        uint64_t first = idle_links(s, a_slot, before, true);
        while (first <= idle && after && first + idle_links(s, a_slot, after - 1, false) <= idle) after--;
        if (first + idle_links(s, a_slot, after, false) <= idle && before + after < least) least = before + after;
    }
    return least;
}

// The paths whose middles must be passed the most often, if there are some.
static struct passed passed_middles(const struct crl_problem *p)
{
    const struct crl_topology *t = p->topology;
    struct passed most = {.topology = t};
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint64_t hops = 0, links = 2 * (uint64_t)(t->nodes / f->size) * (f->size % 2 + 1);
        for (uint64_t k = 0; f->shape == CRL_PATH && f->size > 1 && k < crl_problem_packets(p); k++) {
            uint32_t origin, dest;
            crl_problem_packet(p, k, &origin, &dest);
            hops += middles(f, origin, crl_packet_dest(crl_problem_naming(p), dest));
        }
        if (!hops || hops * most.links < most.hops * links) continue;
        if (hops * most.links > most.hops * links) most = (struct passed){.topology = t};
        most.hops += hops;
        most.links += links;
        most.factors |= UINT32_C(1) << i;
    }
    return most;
}

// End to end, if links are used in no more slots than `period`.
static uint64_t bound_of(const struct passed *s, uint64_t a_slot, uint64_t period)
{
    uint64_t least = UINT64_MAX;
    if (s->hops <= s->links) return 0;
    for (uint64_t slots = crl_ceil_div(s->hops, s->links); slots <= period && slots < least; slots++) {
        uint64_t around = slots_around(s, a_slot, s->links * slots - s->hops);
        if (around != UINT64_MAX && slots + around < least) least = slots + around;
    }
    return least == UINT64_MAX ? 0 : least;
}

static uint64_t bound_at(const struct crl_problem *p, uint64_t a_slot, uint64_t period)
{
    const struct crl_topology *t = p->topology;
    const struct passed all = {t, crl_problem_bound_transmissions(p), crl_topology_links(t), 0};
    if (p->ports == CRL_PORTS_SINGLE || p->hosts || p->parts > 1 || crl_topology_latency_max(t) > 1 ||
        !crl_naming_is_pair(crl_problem_naming(p)) || all.hops == UINT64_MAX)
        return 0;
    const struct passed some = passed_middles(p);
    const uint64_t bound = bound_of(&all, a_slot, period), cut = bound_of(&some, a_slot, period);
    return cut > bound ? cut : bound;
}

int crl_problem_bound_round(uint64_t *slots, const struct crl_problem *p, uint32_t words_a_slot)
{
    uint32_t nodes = crl_topology_nodes(p->topology);
    uint64_t *words = calloc(2 * (size_t)nodes, sizeof *words), most = 0;
    bool pairs = crl_naming_is_pair(crl_problem_naming(p));
    *slots = crl_problem_bound_slots(p);
    for (uint64_t i = 0; words && pairs && i < crl_problem_packets(p); i++) {
        uint32_t origin, dest;
        crl_problem_packet(p, i, &origin, &dest);
        words[origin]++;
        words[nodes + crl_packet_dest(crl_problem_naming(p), dest)]++;
    }
    for (uint32_t i = 0; words && i < 2 * nodes; i++)
        if (words[i] > most) most = words[i];
    free(words);
    if (crl_ceil_div(most, words_a_slot) > *slots) *slots = crl_ceil_div(most, words_a_slot);
    return words ? 0 : CRL_ERR_MEMORY;
}

int crl_problem_bound_ends(uint64_t *bound, const struct crl_problem *p, uint32_t words_a_slot, uint64_t period)
{
    uint32_t nodes = crl_topology_nodes(p->topology), looked_at = crl_problem_is_symmetric(p) ? 1 : nodes;
    uint64_t count = 0, sum = 0;
    struct ways w = {.most = 0};
    for (uint32_t v = 0; v < looked_at; v++)
        for (uint32_t u = 0; u < nodes; u++) {
            uint32_t far = crl_topology_delay(p->topology, v, u), back = crl_topology_delay(p->topology, u, v);
            if (far > w.most) w.most = far;
            if (back > w.most) w.most = back;
        }
    const bool pairs = crl_naming_is_pair(crl_problem_naming(p));
    const bool dense = pairs && period && crl_topology_latency_max(p->topology) == 1; // a hop takes a slot of its link
    struct turns turns = {.most = dense ? crl_ceil_div(nodes * (uint64_t)p->parts, words_a_slot) : 0};
    w.own = malloc(sizeof *w.own * (w.most + UINT64_C(1)));
    w.shown = malloc(sizeof *w.shown * (w.most + UINT64_C(1)));
    turns.own = calloc(turns.most + 1, sizeof *turns.own);
    turns.shown = calloc(turns.most + 1, sizeof *turns.shown);
    int error = w.own && w.shown && turns.own && turns.shown ? 0 : CRL_ERR_MEMORY;
    *bound = crl_problem_bound_slots(p);
    for (uint32_t v = 0; v < looked_at && !error; v++) {
        for (uint32_t d = 0; d <= w.most; d++) w.own[d] = w.shown[d] = 0;
        own_of(p, v, &w);
        for (uint32_t u = 0; u < nodes; u++) between(p, u, v, w.shown);
        uint64_t in = worst(w.own, w.most, words_a_slot), out = worst(w.shown, w.most, words_a_slot);
        if (in > *bound) *bound = in;
        if (out > *bound) *bound = out;
        add(w.own, w.most, words_a_slot, true, &count, &sum);
        add(w.shown, w.most, words_a_slot, false, &count, &sum);
        if (dense) add_turns(&turns, &w, words_a_slot);
    }
    if (count && pairs && crl_ceil_div(sum, count) - 1 > *bound) *bound = crl_ceil_div(sum, count) - 1;
    uint64_t at_period = period ? bound_at(p, words_a_slot, period) : 0;
    if (at_period > *bound) *bound = at_period;
    const uint64_t allowed = dense && !error ? least_allowed(&turns, *bound, period) : 0;
    if (allowed > *bound) *bound = allowed;
    CRL_FREE(turns.own, turns.shown, w.own, w.shown);
    return error;
}
