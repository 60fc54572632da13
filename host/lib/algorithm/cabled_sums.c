// SPDX-License-Identifier: Apache-2.0
// Sums over links that share cables, or have gaps: planned as if each link were a cable of its own that takes a packet
// a slot, or as if there were no cables at all, then put off. Each node keeps the order in which it sends and gets what
// belongs to a chunk, so that what it sends is the same sum; of packets that want one cable the one that most slots
// follow goes first.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

// A move is sent at least so many slots after another one is; `by` may be negative.
struct rule {
    uint32_t after, move;
    int32_t by;
};

struct later {
    const struct crl_topology *from; // what it was planned for; that of the schedule is what it must do with
    struct crl_schedule *schedule;
    uint32_t count;
    struct rule *rule; // [rules]; owned
    size_t rules, capacity;
    uint32_t *slot, *tail; // [count] when it is sent now, and the slots that follow at least
    uint32_t *order;       // [count] those of one cable side by side
    bool failed;           // memory was short
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
    if (crl_grow((void **)&l->rule, &l->capacity, l->rules, sizeof *l->rule)) l->failed = true;
    else l->rule[l->rules++] = (struct rule){after, move, (int32_t)by};
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

// Slots that follow a move, by what must come after it; rules lead to later moves but for few.
static void find_tails(struct later *l)
{
    bool more = true;
    for (uint32_t i = 0; i < l->count; i++) l->tail[i] = latency_of(l, i);
    for (uint32_t turn = 0; turn < l->count && more; turn++) {
        more = false;
        for (size_t r = l->rules; r-- > 0;) {
            const struct rule *rule = &l->rule[r];
            const int64_t tail = (int64_t)l->tail[rule->move] + rule->by;
            if (tail <= (int64_t)l->tail[rule->after]) continue;
            l->tail[rule->after] = (uint32_t)tail;
            more = true;
        }
    }
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

static uint64_t key_turn(const void *user, uint32_t i)
{
    const struct later *l = user;
    return (uint64_t)l->slot[i] << 32 | (UINT32_MAX - l->tail[i]);
}

static bool keep_cables(struct later *l)
{
    bool moved = false;
    for (uint32_t i = 0; i < l->count; i++) l->order[i] = i;
    if (crl_sort_order(l->order, l->count, key_turn, l, UINT64_MAX) ||
        crl_sort_order(l->order, l->count, key_cable, l, UINT64_MAX))
        l->failed = true;
    for (uint32_t i = 1; i < l->count && !l->failed; i++) {
        const uint32_t last = l->order[i - 1], next = l->order[i];
        const struct crl_topology *t = l->schedule->topology;
        const struct crl_move *m = move_at(l, next);
        if (key_cable(l, last) != key_cable(l, next)) continue;
        const uint32_t least = l->slot[last] + crl_topology_gap(t, m->src, crl_topology_port_to(t, m->src, m->dst));
        if (l->slot[next] >= least) continue;
        l->slot[next] = least;
        moved = true;
    }
    return moved;
}

// Puts moves off until all is kept. Returns CRL_ERR_UNSUPPORTED where that never ends.
static int put_off(struct later *l)
{
    enum { TURNS = 20000 };
    uint32_t turn = 0;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t k = 0; k < l->count && !l->failed; k++)
            if (i != k) add_rules(l, i, k);
    if (l->failed) return CRL_ERR_MEMORY;
    find_tails(l);
    for (uint32_t i = 0; i < l->count; i++) l->slot[i] = move_at(l, i)->slot;
    for (bool moved = true; moved && turn < TURNS && !l->failed; turn++) {
        moved = keep_cables(l);
        moved |= keep_rules(l);
    }
    for (uint32_t i = 0; i < l->count; i++) l->schedule->moves[i].slot = l->slot[i];
    return l->failed ? CRL_ERR_MEMORY : turn < TURNS ? 0 : CRL_ERR_UNSUPPORTED;
}

static int put_schedule_off(struct crl_schedule *schedule, const struct crl_topology *from, struct crl_diag *diag)
{
    struct later l = {.from = from, .schedule = schedule, .count = (uint32_t)schedule->count};
    const size_t count = schedule->count + 1;
    l.slot = malloc(3 * count * sizeof *l.slot);
    int error = l.slot ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        l.tail = l.slot + count;
        l.order = l.tail + count;
        error = put_off(&l);
    }
    CRL_FREE(l.slot, l.rule);
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    return error ? crl_fail(diag, error, "no plan of these sums over shared cables was found") : 0;
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

static int plan_from(struct crl_schedule *schedule, const struct crl_problem *problem, const struct crl_topology *from,
                     struct crl_diag *diag)
{
    struct crl_problem apart = *problem;
    const struct crl_algorithm *algorithm;
    apart.topology = from;
    apart.priced = NULL;
    int error = crl_algorithm_find(&algorithm, &apart, NULL, diag);
    if (!error) error = crl_plan(schedule, algorithm, &apart, diag);
    if (!error) error = crl_schedule_unfold(schedule, diag);
    schedule->topology = problem->topology;
    if (!error) error = put_schedule_off(schedule, from, diag);
    return error;
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

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct apart a;
    struct crl_topology *product;
    struct crl_schedule first = {0}, second = {0};
    take_apart(&a, problem->topology);
    int error = plan_from(&first, problem, &a.topology, diag);
    const bool is_product = read_product(&product, problem->topology);
    const bool other = is_product && !plan_from(&second, problem, product, NULL);
    if (is_product) crl_topology_free(product);
    const bool better = other && (error || crl_schedule_slots(&second) < crl_schedule_slots(&first));
    if (better || !error) {
        error = crl_schedule_unfold(schedule, diag); // a list of every move
        crl_schedule_append(schedule, better ? &second : &first, 0, 0);
    }
    crl_schedule_done(&first);
    crl_schedule_done(&second);
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
