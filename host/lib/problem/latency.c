// SPDX-License-Identifier: Apache-2.0
// Lower bounds where links take longer than a slot. The end T is the last slot of sending + latency − 1, so a packet
// that is sent in slot s over a link of latency λ, and then takes a way of delay w, ends in slot s + λ − 1 + w or
// later.
#include "base/base.h"
#include "problem/problem.h"
#include <stdlib.h>

static uint64_t at_least(uint64_t best, uint64_t bound) { return bound > best ? bound : best; }

static uint32_t delay(const struct crl_topology *t, uint32_t node, uint32_t other, bool inward)
{
    return inward ? crl_topology_delay(t, other, node) : crl_topology_delay(t, node, other);
}

// ---------------------------------------------------------------- one end of many packets

// Slots that the ports of a node have for packets that end after slot x, if all is to end by slot T.
static uint64_t room(const uint32_t *latency, uint32_t ports, uint64_t x, uint64_t T)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ports; i++) {
        uint64_t from = latency[i] - UINT64_C(1) > x ? latency[i] - UINT64_C(1) : x;
        if (T > from) sum += T - from;
    }
    return sum;
}

// The latencies of the links of a node; of a single-port one only the least, as it uses one link at a time.
static uint32_t links_of(const struct crl_problem *problem, uint32_t node, bool inward, uint32_t latency[CRL_LINKS_MAX])
{
    const struct crl_topology *t = problem->topology;
    uint32_t count = 0, least = CRL_LATENCY_MAX;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t other = inward ? crl_topology_behind(t, node, p) : crl_topology_neighbor(t, node, p);
        if (other == CRL_NONE) continue;
        latency[count] = crl_topology_latency(t, inward ? other : node, p);
        if (latency[count] < least) least = latency[count];
        count++;
    }
    if (problem->ports == CRL_PORTS_ALL) return count;
    latency[0] = least;
    return 1;
}

static int downward(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

// `node` passes packets to or from all of `ends`: those that take longer than x end after slot x (counted from the
// other end of time where they leave `node`), for each x.
static uint64_t one_end(const struct crl_problem *problem, uint32_t node, enum crl_ends ends, bool inward, uint32_t *w)
{
    uint32_t latency[CRL_LINKS_MAX], ports = links_of(problem, node, inward, latency), count = 0;
    uint64_t T = 0;
    for (uint64_t i = 0; i < crl_ends_count(problem, ends); i++) {
        uint32_t other = crl_ends_node(problem, ends, i);
        if (other != node) w[count++] = delay(problem->topology, node, other, inward);
    }
    if (!ports || !count) return 0;
    qsort(w, count, sizeof *w, downward);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && w[i + 1] == w[i]) continue;
        uint64_t x = w[i] - UINT64_C(1), packets = (i + UINT64_C(1)) * problem->parts;
        if (room(latency, ports, x, T) >= packets) continue;
        uint64_t low = T, high = x + packets + CRL_LATENCY_MAX;
        while (low + 1 < high) {
            uint64_t middle = low + (high - low) / 2;
            if (room(latency, ports, x, middle) >= packets) high = middle;
            else low = middle;
        }
        T = high;
    }
    return T;
}

uint64_t crl_bound_ends(const struct crl_problem *problem)
{
    const struct crl_collective *c = problem->collective;
    const struct crl_topology *t = problem->topology;
    bool alike = c->origins == CRL_ENDS_ALL && c->dests == CRL_ENDS_ALL && crl_topology_is_symmetric(t);
    CRL_OWNED uint32_t *w = malloc(sizeof *w * (crl_topology_nodes(t) + UINT64_C(1)));
    uint64_t best = 0;
    for (uint64_t i = 0; w && i < (alike ? 1 : crl_ends_count(problem, c->dests)); i++)
        best = at_least(best, one_end(problem, crl_ends_node(problem, c->dests, i), c->origins, true, w));
    for (uint64_t i = 0; w && c->naming == CRL_NAMING_PAIR && i < (alike ? 1 : crl_ends_count(problem, c->origins));
         i++)
        best = at_least(best, one_end(problem, crl_ends_node(problem, c->origins, i), c->dests, false, w));
    return best;
}

// ---------------------------------------------------------------- total exchange

// That hop k of a packet is sent in slot kλ + 1 or later, and by slot T − λ + 1, gives a bound for every k; it is
// convex in k, and k = 0 is the one without latency, the greatest k that of the ends, so it is not computed.

// Across a dimension: what its links carry, the last of it their latency before the end.
static uint64_t cuts(const struct crl_topology *t, uint64_t parts)
{
    uint32_t latency[CRL_FACTORS_MAX], count = crl_topology_latencies(t, latency);
    uint64_t best = 0;
    for (uint32_t i = 0; i < t->factor_count; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint32_t slots = count > 1 ? latency[i] : crl_topology_latency_min(t);
        for (uint64_t a = 1; a < f->size; a++)
            best = at_least(best, crl_ceil_div(parts * a * (t->nodes / f->size) * (f->size - a), crl_factor_cut(f, a)) +
                                      slots - 1);
    }
    return best;
}

// The packets that go farthest, D hops. If all ends y slots after (D − 1)λ + λ − 1, y ≤ λ, each of their hops has a
// window of y slots, and those of different hops are apart: the links of a dimension have D·y slots a port for them.
static uint64_t farthest(const struct crl_topology *t)
{
    uint64_t latency = crl_topology_latency_min(t), hops[CRL_FACTORS_MAX] = {0}, far = 0, y = 1;
    if (!crl_topology_is_symmetric(t) || latency != crl_topology_latency_max(t)) return 0;
    for (uint32_t v = 0; v < t->nodes; v++) far = at_least(far, crl_topology_distance(t, 0, v));
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t i = 0; i < t->factor_count && crl_topology_distance(t, 0, v) == far; i++)
            hops[i] += crl_topology_distance(t, 0, v / t->factor[i].stride % t->factor[i].size * t->factor[i].stride);
    for (uint32_t i = 0; i < t->factor_count && far; i++)
        if (hops[i]) y = at_least(y, crl_ceil_div(hops[i], crl_factor_ports(&t->factor[i]) * far));
    return far ? (far - 1) * latency + (y < latency ? y : latency) + latency - 1 : 0;
}

// ---------------------------------------------------------------- single-port broadcast

// Who has the packet sends it once a slot.
static uint64_t growth(const struct crl_topology *t)
{
    uint64_t latency = crl_topology_latency_min(t), nodes = crl_topology_nodes(t), T = 0;
    uint64_t have[CRL_LATENCY_MAX]; // in the last slots: of slot T at T mod latency
    for (uint64_t i = 0; i < latency; i++) have[i] = 1;
    for (uint64_t now = 1; now < nodes; T++) {
        uint64_t before = T + 1 < latency ? 0 : have[(T + 1) % latency];
        have[(T + 1) % latency] = now += before;
    }
    return T;
}

// Whether the first neighbour that the root informs can be on the quickest paths to all nodes that are `far` away. If
// not, the root sends towards some of them in the second slot only.
static bool leads_to_all_farthest(const struct crl_topology *t, uint32_t root, uint32_t far)
{
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t u = crl_topology_neighbor(t, root, p), v = 0;
        if (u == CRL_NONE) continue;
        while (v < crl_topology_nodes(t) && (crl_topology_delay(t, root, v) < far ||
                                             crl_topology_latency(t, root, p) + crl_topology_delay(t, u, v) == far))
            v++;
        if (v == crl_topology_nodes(t)) return true;
    }
    return far == 0;
}

static uint64_t single_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t far = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
        far = (uint32_t)at_least(far, crl_topology_delay(t, problem->root, v));
    return at_least(growth(t), far + UINT64_C(1) - leads_to_all_farthest(t, problem->root, far));
}

// ---------------------------------------------------------------- all

// What can be played with latencies can be played without: it then ends λ − 1 slots earlier. Only two packets that
// single-port nodes get in different slots may then arrive in one.
static uint64_t without_latency(const struct crl_problem *problem)
{
    uint64_t least = crl_topology_latency_min(problem->topology), bound = problem->collective->bound_slots(problem);
    bool apart = problem->ports == CRL_PORTS_SINGLE && least != crl_topology_latency_max(problem->topology);
    return bound && !apart ? bound + least - 1 : 0;
}

uint64_t crl_bound_latency(const struct crl_problem *problem)
{
    const struct crl_collective *c = problem->collective;
    uint64_t best = without_latency(problem);
    if (c->rule) return best; // no tables, so no latencies
    best = at_least(best, crl_bound_ends(problem));
    if (c->origins == CRL_ENDS_ROOT && c->naming == CRL_NAMING_ORIGIN && problem->ports == CRL_PORTS_SINGLE)
        best = at_least(best, single_broadcast(problem));
    if (c->origins == CRL_ENDS_ALL && c->dests == CRL_ENDS_ALL && c->naming == CRL_NAMING_PAIR) {
        best = at_least(best, cuts(problem->topology, problem->parts));
        best = at_least(best, farthest(problem->topology));
    }
    return best;
}
