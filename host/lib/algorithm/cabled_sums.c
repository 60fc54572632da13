// SPDX-License-Identifier: Apache-2.0
// Sums over links that share cables, or have gaps: planned as if each link were a cable of its own that takes a packet
// a slot, or as if there were no cables at all, then put off. Each node keeps the order in which it sends and gets what
// belongs to a chunk, so that what it sends is the same sum.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "base/pool.h"
#include "topology/topology.h"
#include <string.h>

// A move is sent at least so many slots after another one is; `by` may be negative.
struct rule {
    uint32_t after, move;
    int32_t by;
};

struct later {
    struct crl_pool pool;
    const struct crl_topology *from; // what it was planned for; that of the schedule is what it must do with
    struct crl_schedule *schedule;   // sorted
    uint32_t count;
    struct rule *rule; // [rules]
    size_t rules, capacity;
    uint32_t *slot, *order; // [count] when a move is sent now; those of one cable side by side
};

static const struct crl_move *move_at(const struct later *l, uint32_t i) { return &l->schedule->moves[i]; }

static uint32_t latency_of(const struct later *l, uint32_t i)
{
    return crl_topology_link_latency(l->schedule->topology, move_at(l, i)->src, move_at(l, i)->dst);
}

static uint32_t arrives(const struct later *l, uint32_t i)
{
    return crl_arrival_slot(l->from, move_at(l, i)->slot, move_at(l, i)->src, move_at(l, i)->dst);
}

static void add_rule(struct later *l, uint32_t after, uint32_t move, int64_t by)
{
    if (!crl_pool_grow(&l->pool, (void **)&l->rule, &l->capacity, l->rules, sizeof *l->rule))
        l->rule[l->rules++] = (struct rule){after, move, (int32_t)by};
}

// What one node sends and gets of one chunk stays in its order.
static void add_rules(struct later *l, uint32_t i, uint32_t k)
{
    const struct crl_move *a = move_at(l, i), *b = move_at(l, k);
    const int64_t delay = latency_of(l, i);
    if (a->origin != b->origin) return;
    if (a->dst == b->src && arrives(l, i) < b->slot) add_rule(l, i, k, delay);
    if (a->dst == b->src && arrives(l, i) >= b->slot) add_rule(l, k, i, 1 - delay);
    if (a->dst == b->dst && arrives(l, i) < arrives(l, k)) add_rule(l, i, k, delay - latency_of(l, k) + 1);
}

static bool keep_rules(struct later *l)
{
    bool moved = false;
    for (size_t r = 0; r < l->rules; r++) {
        const struct rule *rule = &l->rule[r];
        const int64_t least = (int64_t)l->slot[rule->after] + rule->by;
        if (least <= (int64_t)l->slot[rule->move]) continue;
        l->slot[rule->move] = (uint32_t)least;
        moved = true;
    }
    return moved;
}

// What takes packets one after the other: a cable that links share, or a link.
static uint64_t key_cable(const void *user, uint32_t i)
{
    const struct later *l = user;
    const struct crl_move *m = move_at(l, i);
    const uint32_t cable = crl_topology_shared_cable(l->schedule->topology, m->src, m->dst);
    return cable == CRL_NONE ? (uint64_t)m->src << 32 | m->dst : (uint64_t)UINT32_MAX << 32 | cable;
}

static uint64_t key_turn(const void *user, uint32_t i) { return ((const struct later *)user)->slot[i]; }

// Of moves that want one cable in one slot that goes first which was planned first.
static bool keep_cables(struct later *l)
{
    const struct crl_topology *t = l->schedule->topology;
    bool moved = false;
    for (uint32_t i = 0; i < l->count; i++) l->order[i] = i;
    if (crl_sort_order(l->order, l->count, key_turn, l, UINT64_MAX) ||
        crl_sort_order(l->order, l->count, key_cable, l, UINT64_MAX))
        l->pool.failed = true;
    for (uint32_t i = 1; i < l->count && !l->pool.failed; i++) {
        const uint32_t last = l->order[i - 1], next = l->order[i];
        const struct crl_move *m = move_at(l, next);
        if (key_cable(l, last) != key_cable(l, next)) continue;
        const uint32_t least = l->slot[last] + crl_topology_gap(t, m->src, crl_topology_port_to(t, m->src, m->dst));
        if (l->slot[next] >= least) continue;
        l->slot[next] = least;
        moved = true;
    }
    return moved;
}

// Puts moves off until all is kept. Fails where that never ends.
static int put_off(struct crl_schedule *schedule, const struct crl_topology *from, struct crl_diag *diag)
{
    enum { TURNS = 20000 };
    struct later l = {.from = from, .schedule = schedule, .count = (uint32_t)schedule->count};
    uint32_t turn = 0;
    CRL_NUMBERS(&l.pool, l.count, &l.slot, &l.order);
    for (uint32_t i = 0; i < l.count && !l.pool.failed; i++) {
        l.slot[i] = move_at(&l, i)->slot;
        for (uint32_t k = 0; k < l.count; k++)
            if (i != k) add_rules(&l, i, k);
    }
    for (bool moved = true; moved && turn < TURNS && !l.pool.failed; turn++) {
        moved = keep_cables(&l);
        moved |= keep_rules(&l);
    }
    for (uint32_t i = 0; i < l.count && !l.pool.failed; i++) schedule->moves[i].slot = l.slot[i];
    bool failed = l.pool.failed;
    crl_pool_done(&l.pool);
    if (failed) return crl_fail_memory(diag);
    return turn < TURNS ? 0 : crl_fail(diag, CRL_ERR_UNSUPPORTED, "no plan of these sums over shared cables was found");
}

// The same network, each link of which is a cable of its own and takes a packet a slot.
struct apart {
    struct crl_topology topology;
    struct crl_graph graph;
    struct crl_boards boards;
};

static void take_apart(struct apart *a, const struct crl_topology *t)
{
    a->topology = *t;
    a->graph = *t->graph;
    a->boards = *t->graph->boards;
    a->boards.each = true;
    a->graph.gap = NULL;
    a->graph.gap_max = 1;
    a->graph.boards = &a->boards;
    a->topology.graph = &a->graph;
}

// The product that lies on the boards; false: it is no product.
static bool read_product(struct crl_topology **product, const struct crl_topology *t)
{
    char name[sizeof t->name];
    snprintf(name, sizeof name, "%s", t->name);
    char *end = strstr(name, " boards ");
    if (!end) return false;
    *end = 0;
    if (crl_topology_parse(product, name, NULL)) return false;
    if ((*product)->factor_count && (*product)->nodes == t->nodes && (*product)->ports == t->ports) return true;
    crl_topology_free(*product);
    return false;
}

// Scans, which go along the lines of a product, are planned for that.
static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct apart a;
    struct crl_problem from = *problem;
    const struct crl_algorithm *algorithm;
    struct crl_topology *product = NULL;
    take_apart(&a, problem->topology);
    bool lines = !strcmp(crl_problem_name(problem), "scan") && read_product(&product, problem->topology);
    from.topology = lines ? product : &a.topology;
    from.priced = NULL;
    int error = crl_algorithm_find(&algorithm, &from, NULL, diag);
    if (!error) error = crl_plan(schedule, algorithm, &from, diag);
    if (!error) error = crl_schedule_unfold(schedule, diag);
    schedule->topology = problem->topology;
    schedule->scheme = "put-off";
    if (!error) error = put_off(schedule, from.topology, diag);
    if (lines) crl_topology_free(product);
    return error;
}

static bool applies_cabled_sums(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return crl_topology_is_cabled(t) && t->graph && t->graph->boards;
}

const struct crl_algorithm crl_rows_cabled_sums[] = {
    {"all-reduce scan", "put-off", "graphs", NULL, NULL,
     "planned as if each link had a cable of its own; what shares one is put off, in the same order at each node",
     .ports = CRL_FOR_ALL_PORTS, .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_CABLES | CRL_HANDLES_EFFORT,
     .applies = applies_cabled_sums, .plan = plan, .cost = {.nodes_max = 64, .search_s = 10, .quick_nodes = 8}},
    {0}};
