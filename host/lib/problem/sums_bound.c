// SPDX-License-Identifier: Apache-2.0
// Lower bounds on sums. N nodes, M chunks; slots are those of sending, but for links that take longer, where T is the
// last slot in which something arrives.
//
// Lemma. k parties that all end with a sum need at least 2(k − 1) transmissions of a chunk. Let r be the first to be
// complete. Each of the k − 1 others has sent something on which r's sum rests, and of these transmissions only one
// completes anybody, namely r; so k − 2 complete nobody, and one for each of the k parties completes it. So
// T · arcs ≥ 2M(k − 1) for any partition of the nodes into k parts, where arcs are the links between the parts;
// single-port they are no more than can be used in a slot.
//
// Nodes that only forward are in no part; what then counts is what comes to a part from another, over links into it.
// For each link between parts there is one such coming, but it may be over a link from a switch, where no value of
// another part can be before a delay.
//
// Entry. What holds the value of a node w must reach the node v that wants it, for each chunk. It crosses a cut between
// them over a link to some node u, where it cannot be before slot delay(w, u), and must be in slot T − delay(u, v) or
// before: at most T − delay(w, v) + 1 slots of each link, so T ≥ delay(w, v) − 1 + M / links of the cut.
//
// In a scan, delays to v and cuts are those of the nodes up to v alone. What a node sends always holds its own value,
// and what v keeps is made of sums without values of higher nodes; so none of these is on the way.
#include "base/base.h"
#include "problem/bound.h"
#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Those that add.
static uint64_t nodes_of(const struct crl_problem *problem)
{
    return problem->hosts ? problem->host_count : crl_topology_nodes(problem->topology);
}

// ---------------------------------------------------------------- reductions in reversed time

uint64_t crl_bound_turned(const struct crl_problem *problem)
{
    struct crl_turned turned;
    if (crl_problem_turned(&turned, problem)) return 0; // out of memory: nothing is proved
    uint64_t bound = crl_problem_bound_slots(&turned.problem);
    crl_problem_turned_done(&turned);
    return bound;
}

// Every node but one must send, or receive, each chunk; of parts, what one of each takes.
uint64_t crl_transmissions_sum(const struct crl_problem *problem)
{
    return problem->chunks / problem->parts * (nodes_of(problem) - 1);
}

uint64_t crl_transmissions_all_reduce(const struct crl_problem *problem)
{
    return 2 * problem->chunks * (nodes_of(problem) - 1);
}

// ---------------------------------------------------------------- links that can be used in a slot

// Looks for a way to match `node`, which sends, by moving others that send to other receivers.
static bool match(const struct crl_topology *t, uint32_t node, uint32_t *sender, uint32_t *tried, uint32_t round)
{
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t to = crl_topology_neighbor(t, node, p);
        if (to == CRL_NONE || tried[to] == round) continue;
        tried[to] = round;
        if (sender[to] != CRL_NONE && !match(t, sender[to], sender, tried, round)) continue;
        sender[to] = node;
        return true;
    }
    return false;
}

uint64_t crl_largest_matching(const struct crl_topology *t, uint32_t *sender, uint32_t *tried)
{
    uint64_t count = 0;
    for (uint32_t v = 0; v < t->nodes; v++) sender[v] = CRL_NONE;
    for (uint32_t v = 0; v < t->nodes; v++) count += match(t, v, sender, tried, v + 1);
    return count;
}

static uint64_t largest_matching(const struct crl_topology *t)
{
    enum { NODES_MAX = 4096 };
    uint32_t nodes = crl_topology_nodes(t);
    if (crl_topology_is_symmetric(t) || nodes > NODES_MAX) return nodes; // one port of each; or no more than that
    CRL_OWNED uint32_t *sender = malloc(sizeof *sender * nodes), *tried = calloc(nodes, sizeof *tried);
    return sender && tried ? crl_largest_matching(t, sender, tried) : nodes;
}

static uint64_t links_a_slot(const struct crl_problem *problem)
{
    bool all = problem->ports == CRL_PORTS_ALL;
    return all ? crl_topology_links(problem->topology) : largest_matching(problem->topology);
}

// Slots in which `count` transmissions are over `links` links a slot, to the arrival of the last.
static uint64_t slots_for(const struct crl_problem *problem, uint64_t count, uint64_t links)
{
    return count ? crl_ceil_div(count, links) + crl_topology_latency_min(problem->topology) - 1 : 0;
}

// ---------------------------------------------------------------- entry

// The fewest links into the nodes from which it is at most x to `node`, for any x below `far` (outward: from those that
// are as far from it, to others).
static uint64_t smallest_cut(const struct crl_problem *problem, uint32_t far, const uint32_t *delay, bool inward,
                             uint64_t *change)
{
    const struct crl_topology *t = problem->topology;
    uint64_t links = 0, least = UINT64_MAX;
    if (problem->ports == CRL_PORTS_SINGLE) return 1; // the one that the node uses in a slot
    for (uint32_t x = 0; x <= far; x++) change[x] = 0;
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports && delay[v] < far; p++) {
            uint32_t u = inward ? crl_topology_behind(t, v, p) : crl_topology_neighbor(t, v, p);
            if (u == CRL_NONE || delay[u] == CRL_NONE || delay[u] <= delay[v]) continue;
            change[delay[v]]++; // until u is among them, too
            if (delay[u] < far) change[delay[u]]--;
        }
    for (uint32_t x = 0; x < far; x++) {
        links += change[x];
        if (links < least) least = links;
    }
    return least;
}

void crl_bound_delays_below(const struct crl_topology *t, uint32_t node, bool inward, uint32_t top, uint32_t *delay)
{
    for (uint32_t v = 0; v < t->nodes; v++) delay[v] = v == node ? 0 : CRL_NONE;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < (top + 1) * t->ports; i++) {
            uint32_t port = i % t->ports, v = inward ? top - i / t->ports : i / t->ports;
            uint32_t u = inward ? crl_topology_behind(t, v, port) : crl_topology_neighbor(t, v, port);
            if (delay[v] == CRL_NONE || u == CRL_NONE || u > top) continue;
            uint32_t other = delay[v] + crl_topology_latency(t, inward ? u : v, port);
            if (other >= delay[u]) continue;
            delay[u] = other;
            more = true;
        }
    }
}

// What `node` wants of the farthest that it wants something of (outward: what the farthest wants of it). `all`: all
// want something of all, else those of nodes with lower numbers.
static uint64_t entry(const struct crl_problem *problem, uint32_t node, bool inward, bool all, uint32_t *delay,
                      uint64_t *change)
{
    const struct crl_topology *t = problem->topology;
    uint32_t far = 0;
    if (inward && !all) crl_bound_delays_below(t, node, true, node, delay);
    for (uint32_t v = 0; v < t->nodes; v++) {
        if (all || !inward) delay[v] = inward ? crl_topology_delay(t, v, node) : crl_topology_delay(t, node, v);
        if (delay[v] == CRL_NONE) continue;
        if ((all || (inward ? v < node : v > node)) && crl_problem_is_host(problem, v) && delay[v] > far)
            far = delay[v];
    }
    return far ? far - 1 + crl_ceil_div(problem->chunks, smallest_cut(problem, far, delay, inward, change)) : 0;
}

static uint64_t entries(const struct crl_problem *problem, bool all)
{
    enum { MANY = 1024 }; // beyond that the first and the last node only: it takes the square of their number
    const struct crl_topology *t = problem->topology;
    uint64_t bound = 0, longest = (uint64_t)t->nodes * crl_topology_latency_max(t);
    uint32_t *delay = malloc(sizeof *delay * t->nodes), step = t->nodes > MANY ? t->nodes - 1 : 1;
    CRL_OWNED uint64_t *change = malloc(sizeof *change * (longest + 1));
    for (uint32_t v = 0; delay && change && v < t->nodes; v += step) {
        if ((all && crl_topology_has_mirror(t, v)) || !crl_problem_is_host(problem, v)) continue;
        bound = larger(bound, entry(problem, v, true, all, delay, change));
        bound = larger(bound, entry(problem, v, false, all, delay, change));
    }
    free(delay);
    return bound;
}

// ---------------------------------------------------------------- reduce

uint64_t crl_bound_reduce(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t bound = crl_bound_turned(problem), longest = (uint64_t)t->nodes * crl_topology_latency_max(t);
    if (problem->chunks == 1 || nodes_of(problem) < 2) return bound;
    bound = larger(bound, slots_for(problem, crl_transmissions_sum(problem), links_a_slot(problem)));
    CRL_OWNED uint32_t *delay = malloc(sizeof *delay * t->nodes);
    CRL_OWNED uint64_t *change = malloc(sizeof *change * (longest + 1));
    if (delay && change) bound = larger(bound, entry(problem, problem->root, true, true, delay, change));
    return bound;
}

// ---------------------------------------------------------------- all-reduce

// The layers of one factor as parts: all of them, and two.
static uint64_t layers(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t bound = 0;
    for (uint32_t i = 0; i < t->factor_count && problem->ports == CRL_PORTS_ALL; i++) {
        const struct crl_factor *f = &t->factor[i];
        uint64_t copies = t->nodes / f->size, cuts = 0;
        for (uint64_t a = 1; a < f->size; a++) {
            uint64_t cut = 2 * copies * crl_factor_cut(f, a);
            bound = larger(bound, slots_for(problem, 2 * (uint64_t)problem->chunks, cut));
            cuts += f->shape == CRL_PATH ? cut : 0; // whose layers no link jumps over
        }
        if (cuts) bound = larger(bound, slots_for(problem, 2 * problem->chunks * (f->size - UINT64_C(1)), cuts));
    }
    return bound;
}

// The parts that prove the most; of products, layers are as good.
static uint64_t strongest(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t parts, links;
    if (problem->ports != CRL_PORTS_ALL || !t->graph) return 0;
    if (!crl_bound_strength(t, NULL, &parts, &links)) return 0;
    return slots_for(problem, 2 * problem->chunks * (parts - 1), links);
}

// Whether T = 2D + 1 slots, in which no link could ever idle, are too few, D being the diameter. Then each chunk takes
// just 2(N − 1) transmissions, so it comes together over a tree at a node, or at two that swap, and spreads over
// another. A node has it at the end of slot D at the earliest, and D + 1 at the latest; so in slot D + 1 a chunk uses
// either the links to such a node or those from it, or, where every node is D away from the nearer end of some link, it
// is a swap over two links at most. But a chunk has as many links in that slot as a node: there are no swaps, and the
// chunks that still come together use `degree` links each. All others do so before, when all links do: what is left of
// M(N − 1) after D slots is a multiple of the degree, or T is too small. (Torus 3x5: 15 · 14 − 3 · 60 = 30 is none
// of 4.)
static bool cannot_be_busy(const struct crl_problem *problem, uint64_t slots)
{
    const struct crl_topology *t = problem->topology;
    uint64_t nodes = t->nodes, far = crl_topology_eccentricity(t, 0, false);
    if (problem->ports == CRL_PORTS_SINGLE || !crl_topology_is_symmetric(t) || problem->chunks != nodes) return false;
    if (crl_topology_latency_max(t) > 1 || slots != 2 * far + 1 || 2 * (nodes - 1) != slots * t->ports) return false;
    for (uint32_t p = 0; p < t->ports; p++) {
        uint32_t end = crl_topology_neighbor(t, 0, p), v = 0;
        while (v < nodes && (crl_topology_distance(t, 0, v) < far || crl_topology_distance(t, end, v) < far)) v++;
        if (v == nodes) return false; // a swap here could come before, or after
    }
    return t->ports > 2 && nodes * (nodes - 1) % t->ports;
}

// The slots before something of another host can have come over a link to one.
static uint32_t comes_after(const struct crl_problem *problem, uint32_t to, uint32_t port)
{
    const struct crl_topology *t = problem->topology;
    uint32_t from = crl_topology_behind(t, to, port), least = CRL_NONE;
    for (uint32_t k = 0; k < problem->host_count; k++) {
        uint32_t delay = problem->hosts[k] == to ? CRL_NONE : crl_topology_delay(t, problem->hosts[k], from);
        if (delay < least) least = delay;
    }
    return least + crl_topology_latency(t, from, port) - 1;
}

// Each host as a part: over every link into one from the slot on in which something of another can come over it.
static uint64_t into_hosts(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t needed = (problem->host_count - UINT64_C(1)) * 2 * problem->chunks, links = 0, slots = 0, room = 0;
    CRL_OWNED uint32_t *after = malloc(sizeof *after * problem->host_count * t->ports);
    for (uint32_t i = 0; i < problem->host_count && after; i++)
        for (uint32_t p = 0; p < t->ports; p++)
            if (crl_topology_behind(t, problem->hosts[i], p) != CRL_NONE)
                after[links++] = comes_after(problem, problem->hosts[i], p);
    while (room < needed && links) {
        slots += larger(1, (needed - room) / links);
        room = 0;
        for (uint64_t i = 0; i < links; i++) room += slots > after[i] ? slots - after[i] : 0;
    }
    return slots;
}

uint64_t crl_bound_all_reduce(const struct crl_problem *problem)
{
    uint64_t nodes = nodes_of(problem);
    if (nodes < 2) return 0;
    if (problem->hosts) {
        const bool alone = problem->ports == CRL_PORTS_ALL && !crl_topology_switches_add(problem->topology);
        uint64_t entered = alone ? into_hosts(problem) : 0;
        return larger(entered, entries(problem, true));
    }
    uint64_t alone = slots_for(problem, 2 * problem->chunks * (nodes - 1), links_a_slot(problem));
    uint64_t bound = larger(larger(alone, layers(problem)), entries(problem, true));
    bound = larger(bound, strongest(problem));
    return bound + cannot_be_busy(problem, bound);
}

// ---------------------------------------------------------------- scan

uint64_t crl_bound_scan(const struct crl_problem *problem)
{
    if (nodes_of(problem) < 2) return 0;
    uint64_t load = slots_for(problem, crl_transmissions_sum(problem), links_a_slot(problem));
    // Single-port what is in a sum at most doubles in a slot, and the last node wants all.
    uint64_t doubling = problem->ports == CRL_PORTS_SINGLE ? crl_bits_for(nodes_of(problem)) : 0;
    return larger(larger(load, doubling), entries(problem, false));
}
