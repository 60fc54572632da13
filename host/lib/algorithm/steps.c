// SPDX-License-Identifier: Apache-2.0
// Programs, and groups in which something is added up. Each stage is planned by itself: first its sums, in reversed
// time as what spreads, then what spreads, as traffic that may leave when its node has what came before. The moves of
// each plan, in its order, take the earliest slots in which their link is free and the packet is there; so a stage
// begins at each node as soon as it can, and nothing takes longer than one after the other.
#include "algorithm/algorithm.h"
#include "base/pool.h"
#include <string.h>

struct laying {
    struct crl_pool pool;
    struct crl_schedule *schedule;
    const struct crl_problem *problem;
    const struct crl_demands *demands;
    uint32_t nodes, ports;
    uint32_t *ready;  // [nodes] slot in which the last packet came that the node wants of the stages laid so far; 0
    uint32_t *coming; // [nodes] the same with those of this stage
    uint16_t *used;   // [slots][rows] packets of a link, or of a node that sends, or receives, in a slot
    uint32_t rows, slots;
    uint32_t *there; // [packets][nodes] slot after that in which the last of a packet came; 0: nothing of it has come
};

// A part of a stage: what spreads, or what does so in reversed time.
struct part {
    struct crl_pool pool;
    struct crl_demands demands;
    uint32_t *number; // [demands.count] in all demands
    bool turned;
    struct crl_schedule plan;
};

static uint32_t stages_of(const struct crl_demands *d)
{
    uint32_t stages = 0;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].stage >= stages) stages = d->demand[i].stage + 1;
    return stages;
}

static bool applies(const struct crl_problem *problem)
{
    const struct crl_demands *d = problem->demands;
    if (!d || d->modulo || problem->nowait || (stages_of(d) <= 1 && !d->sums)) return false;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].after != CRL_NONE || d->demand[i].deadline != CRL_NONE) return false;
    return true;
}

// ---------------------------------------------------------------- a part as traffic

// The first slot in which a packet may leave its source: of a sum that all want, when the source has it.
static uint32_t leaves(const struct laying *l, uint32_t i)
{
    const struct crl_demand *demand = &l->demands->demand[i];
    uint32_t slot = demand->kind == CRL_DEMAND_SUM_ALL ? l->there[l->demands->first[i] * l->nodes + demand->src]
                                                       : l->ready[demand->src] + 1;
    return slot > demand->release ? slot : demand->release;
}

static bool is_in(const struct crl_demand *demand, uint32_t stage, bool turned)
{
    return demand->stage == stage && crl_demand_moves(demand, turned);
}

static int list_part(const struct laying *l, struct part *part, uint32_t stage)
{
    uint32_t count = 0, first = CRL_NONE;
    int error = 0;
    part->demands = (struct crl_demands){.unnumbered = l->demands->unnumbered};
    CRL_NEW(&part->pool, part->number, l->demands->count + UINT64_C(1));
    if (part->pool.failed) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < l->demands->count; i++)
        if (is_in(&l->demands->demand[i], stage, part->turned) && leaves(l, i) < first) first = leaves(l, i);
    for (uint32_t i = 0; i < l->demands->count && !error; i++) {
        struct crl_demand demand = l->demands->demand[i];
        if (!is_in(&demand, stage, part->turned)) continue;
        part->number[count++] = i;
        demand.release = part->turned ? 1 : leaves(l, i) - first + 1;
        demand.stage = 0;
        demand.kind = CRL_DEMAND_MOVE;
        error = crl_demands_add(&part->demands, demand.id, strlen(demand.id), demand);
    }
    return error ? error : crl_demands_finish(&part->demands, NULL);
}

static int plan_on(const struct laying *l, struct crl_schedule *plan, const struct crl_demands *demands,
                   const struct crl_topology *topology, struct crl_diag *diag)
{
    struct crl_problem p;
    const struct crl_algorithm *algorithm;
    int error = crl_problem_init(&p, "traffic", topology, 0, l->problem->ports, diag);
    p.context = l->problem->context;
    p.effort = l->problem->effort;
    if (!error) error = crl_problem_set_demands(&p, demands, diag);
    if (!error) error = crl_algorithm_find(&algorithm, &p, NULL, diag);
    return error ? error : crl_plan(plan, algorithm, &p, diag);
}

static int plan_part(const struct laying *l, struct part *part, uint32_t stage, struct crl_diag *diag)
{
    struct crl_topology back;
    int error = list_part(l, part, stage) ? crl_fail_memory(diag) : 0;
    if (error || !part->demands.count) return error;
    if (part->turned && crl_topology_reversed(&back, l->problem->topology)) return crl_fail_memory(diag);
    error = plan_on(l, &part->plan, &part->demands, part->turned ? &back : l->problem->topology, diag);
    if (!error && part->turned) crl_schedule_turn(&part->plan, l->problem->topology);
    if (!error && crl_schedule_sort(&part->plan)) error = crl_fail_memory(diag);
    if (part->turned) crl_topology_reversed_done(&back);
    return error;
}

static void part_done(struct part *part)
{
    crl_schedule_done(&part->plan);
    crl_demands_done(&part->demands);
    crl_pool_done(&part->pool);
}

// ---------------------------------------------------------------- laying it

static int reach(struct laying *l, uint32_t slot)
{
    uint32_t slots = l->slots ? l->slots : 64;
    if (slot < l->slots) return 0;
    while (slots <= slot) slots *= 2;
    uint16_t *used = crl_pool_resize(&l->pool, l->used, (size_t)slots * l->rows, sizeof *used);
    if (!used) return CRL_ERR_MEMORY;
    memset(used + (size_t)l->slots * l->rows, 0, sizeof *used * (slots - l->slots) * l->rows);
    l->used = used;
    l->slots = slots;
    return 0;
}

static uint16_t *at(const struct laying *l, uint32_t slot, uint32_t row)
{
    return &l->used[(size_t)slot * l->rows + row];
}

// Takes the link, or both nodes, of a move that is sent in a slot; false where there is no more room.
static bool take(struct laying *l, const struct crl_move *m, uint32_t slot, uint32_t arrival)
{
    const struct crl_topology *t = l->problem->topology;
    bool single = l->problem->ports == CRL_PORTS_SINGLE;
    uint32_t room = single ? 1 : crl_topology_width(t, m->src, m->dst);
    uint16_t *out =
        single ? at(l, slot, m->src) : at(l, slot, m->src * l->ports + crl_topology_port_to(t, m->src, m->dst));
    uint16_t *in = single ? at(l, arrival, l->nodes + m->dst) : NULL;
    if (*out >= room || (in && *in)) return false;
    ++*out;
    if (in) ++*in;
    return true;
}

// The first slot in which it can be sent. A node sends on all that it has of a sum, so what it had from the beginning
// waits for what has come, and the other way round.
static uint32_t earliest(const struct laying *l, uint32_t demand, uint32_t node, uint64_t packet)
{
    const struct crl_demand *d = &l->demands->demand[demand];
    uint32_t slot = crl_demand_has(d, node) ? l->ready[node] + 1 : 1, there = l->there[packet * l->nodes + node];
    if (there > slot) slot = there;
    return crl_demand_has(d, node) && d->release > slot ? d->release : slot;
}

static int lay_move(struct laying *l, const struct part *part, const struct crl_move *m)
{
    uint32_t number = part->number[m->origin];
    uint64_t packet = l->demands->first[number] + m->dest;
    uint32_t slot = earliest(l, number, m->src, packet), *there = &l->there[packet * l->nodes + m->dst], arrival;
    int error;
    do {
        arrival = crl_arrival_slot(l->problem->topology, slot, m->src, m->dst);
        error = reach(l, arrival);
    } while (!error && !take(l, m, slot, arrival) && slot++ < UINT32_MAX);
    if (error) return error;
    if (arrival >= *there) *there = arrival + 1;
    if (crl_demand_wants(&l->demands->demand[number], m->dst) && arrival > l->coming[m->dst])
        l->coming[m->dst] = arrival;
    return crl_schedule_add(l->schedule, (struct crl_move){slot, m->src, m->dst, number, m->dest});
}

static int lay_part(struct laying *l, uint32_t stage, bool turned, struct crl_diag *diag)
{
    struct part part = {.turned = turned};
    int error = plan_part(l, &part, stage, diag);
    for (size_t i = 0; i < part.plan.count && !error; i++)
        if (lay_move(l, &part, &part.plan.moves[i])) error = crl_fail_memory(diag);
    part_done(&part);
    return error;
}

static int lay_stage(struct laying *l, uint32_t stage, struct crl_diag *diag)
{
    int error = lay_part(l, stage, true, diag);
    if (!error) error = lay_part(l, stage, false, diag);
    memcpy(l->ready, l->coming, sizeof *l->ready * l->nodes);
    return error;
}

static int plan_all(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct laying l = {.schedule = schedule,
                       .problem = problem,
                       .demands = problem->demands,
                       .nodes = crl_topology_nodes(problem->topology),
                       .ports = crl_topology_ports(problem->topology)};
    l.rows = problem->ports == CRL_PORTS_SINGLE ? 2 * l.nodes : l.nodes * l.ports;
    CRL_NUMBERS(&l.pool, l.nodes, &l.ready, &l.coming);
    CRL_ZEROED(&l.pool, l.there, crl_demands_packets(l.demands) * l.nodes);
    int error = l.pool.failed ? crl_fail_memory(diag) : 0;
    for (uint32_t stage = 0; stage < stages_of(l.demands) && !error; stage++) error = lay_stage(&l, stage, diag);
    crl_pool_done(&l.pool);
    return error;
}

// Few enough moves that it may be tried after another scheme.
static bool is_light(const struct crl_problem *problem)
{
    return crl_demands_packets(problem->demands) * crl_topology_nodes(problem->topology) <= UINT64_C(1) << 19;
}

const struct crl_algorithm crl_rows_steps[] = {
    {"traffic groups program", "steps", "any, stages and sums", NULL, NULL,
     "each stage planned, then as early as links are free",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_EFFORT | CRL_HANDLES_SEARCH, .applies = applies,
     .plan = plan_all, .cost = {.row_ns = 3000, .search_s = 6, .pair_bytes = 8, .port_bytes = 20}, .quick = is_light},
    {0}};
