// SPDX-License-Identifier: Apache-2.0
// Scan on networks that are numbered as they come. The sum of nodes 0 to v goes from v to v + 1, by the quickest way
// over nodes up to v: each of them has been on the walk before, so it sends less than what comes, which then takes its
// place. Chunks follow each other as closely as the walk does not meet itself.
//
// There is no scan where there is no such walk: what a node sends always holds its own value, so what v + 1 keeps came
// over nodes up to v + 1 alone.
#include "algorithm/algorithm.h"
#include "base/pool.h"

struct walk {
    struct crl_pool pool;
    const struct crl_topology *topology;
    struct crl_schedule once; // the moves of a chunk
    uint32_t slot;            // in which what was walked last has arrived
    uint32_t *way;            // [nodes] delay to the goal, CRL_NONE: not known
    uint32_t *next;           // [nodes] towards it
    bool *done;               // [nodes]
};

static bool applies_scan_walk(const struct crl_problem *problem) { return !crl_applies_scan_lines(problem); }

// Finds the quickest paths to `goal` over nodes below it.
static void find_ways(struct walk *w, uint32_t goal)
{
    const struct crl_topology *t = w->topology;
    for (uint32_t v = 0; v < goal; v++) w->way[v] = CRL_NONE;
    w->way[goal] = 0;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < (goal + 1) * t->ports; i++) {
            uint32_t at = goal - i / t->ports, port = i % t->ports, from = crl_topology_behind(t, at, port);
            if (w->way[at] == CRL_NONE || from == CRL_NONE || from >= goal) continue;
            uint32_t way = w->way[at] + crl_topology_latency(t, from, port);
            if (way >= w->way[from]) continue;
            w->way[from] = way;
            w->next[from] = at;
            more = true;
        }
    }
}

static int walk_to(struct walk *w, uint32_t goal, struct crl_diag *diag)
{
    find_ways(w, goal);
    if (w->way[goal - 1] == CRL_NONE)
        return crl_fail(
            diag, CRL_ERR_UNSUPPORTED,
            "there is no scan on %s: from node %u to %u all ways lead over higher ones, which would add their "
            "own values; number the nodes otherwise",
            crl_topology_name(w->topology), goal - 1, goal);
    for (uint32_t v = goal - 1; v != goal; v = w->next[v]) {
        crl_schedule_add(&w->once, (struct crl_move){w->slot + 1, v, w->next[v], 0, 0});
        w->slot += crl_topology_link_latency(w->topology, v, w->next[v]);
    }
    return 0;
}

// Whether a chunk may be `by` slots behind another: what both use, they use in other slots.
static bool may_follow(const struct walk *w, uint32_t by, bool single)
{
    for (size_t i = 0; i < w->once.count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct crl_move *a = &w->once.moves[k], *b = &w->once.moves[i];
            uint32_t sent = b->slot - a->slot;
            uint32_t come = crl_arrival_slot(w->topology, b->slot, b->src, b->dst) -
                            crl_arrival_slot(w->topology, a->slot, a->src, a->dst);
            bool sender = a->src == b->src && (single || a->dst == b->dst), receiver = single && a->dst == b->dst;
            if ((sender && sent % by == 0) || (receiver && come % by == 0)) return false;
        }
    return true;
}

static int plan_scan_walk(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct walk w = {.topology = t};
    CRL_NUMBERS(&w.pool, t->nodes, &w.way, &w.next);
    int error = w.pool.failed ? crl_fail_memory(diag) : 0;
    for (uint32_t goal = 1; goal < t->nodes && !error; goal++) error = walk_to(&w, goal, diag);
    uint32_t by = 1;
    while (!error && problem->chunks > 1 && !may_follow(&w, by, problem->ports == CRL_PORTS_SINGLE)) by++;
    for (uint32_t c = 0; !error && c < problem->chunks; c++) crl_schedule_append(schedule, &w.once, c * by, c);
    crl_schedule_done(&w.once);
    crl_pool_done(&w.pool);
    return error;
}

const struct crl_algorithm crl_rows_scan_walk[] = {
    {"scan", "walk", "graphs", NULL, NULL,
     "a walk over the nodes in the order of their numbers; chunks follow as closely as it does not meet itself",
     .handles = CRL_HANDLES_LATENCY, .applies = applies_scan_walk, .plan = plan_scan_walk,
     .cost = {.nodes_max = 1024, .search_s = 2}},
    {0}};
