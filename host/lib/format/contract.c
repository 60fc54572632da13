// SPDX-License-Identifier: Apache-2.0
// Plans between hosts. Other tools know ranks, which have and want packets, and leave the way between two of them to
// the network. So the ways of packets through nodes that only forward are contracted: a packet leaves a host in the
// slot in which the first link takes it and comes to the next host when the last one has brought it. What a switch
// copies becomes several sends of the host. Hosts become ranks, in their order, each a link away from all others.
#include "base/base.h"
#include "format/format.h"
#include <stdlib.h>
#include <string.h>

struct contraction {
    struct crl_pool pool;
    const struct crl_plan *from;
    const struct crl_schedule *schedule;
    struct crl_between *to;
    uint32_t *rank;           // [nodes] of hosts; CRL_NONE: it forwards
    uint32_t *order;          // [count] moves by packet, then as they arrive
    uint32_t *arrival, *left; // [count] when it arrives; the move by which its packet left a host, CRL_NONE: none did
    uint32_t *came, *before;  // [nodes] the last move to a switch, of the packet at hand; [count] the one before it
};

static uint64_t packet_of(const struct contraction *c, uint32_t i)
{
    const struct crl_move *m = &c->schedule->moves[i];
    return crl_problem_index(c->from->problem, m->origin, m->dest);
}

static uint64_t key_arrival(const void *user, uint32_t i) { return ((const struct contraction *)user)->arrival[i]; }
static uint64_t key_packet(const void *user, uint32_t i) { return packet_of(user, i); }

// ---- the moves

// The move that brought to a switch what it sends in a slot: the first, but of sums, which differ, the last one before.
static uint32_t brought(const struct contraction *c, uint32_t node, uint32_t slot)
{
    bool sums = crl_problem_sums(c->from->problem);
    uint32_t i = c->came[node];
    while (i != CRL_NONE && (sums ? c->arrival[i] >= slot : c->before[i] != CRL_NONE)) i = c->before[i];
    return i != CRL_NONE && c->arrival[i] < slot ? i : CRL_NONE;
}

// Moves of one packet in the order of arrival: each that a switch sends goes back to the one that brought it there.
static void follow(struct contraction *c, const uint32_t *order, uint32_t count)
{
    const struct crl_move *moves = c->schedule->moves;
    for (uint32_t k = 0; k < count; k++) {
        const struct crl_move *m = &moves[order[k]];
        uint32_t by = c->rank[m->src] == CRL_NONE ? brought(c, m->src, m->slot) : CRL_NONE;
        if (c->rank[m->src] != CRL_NONE) c->left[order[k]] = order[k];
        else if (by != CRL_NONE) c->left[order[k]] = c->left[by];
        c->before[order[k]] = c->came[m->dst];
        c->came[m->dst] = order[k];
    }
    for (uint32_t k = 0; k < count; k++) c->came[moves[order[k]].dst] = CRL_NONE;
}

static uint32_t named(const struct contraction *c, uint32_t number, bool is_node)
{
    return is_node ? c->rank[number] : number;
}

// The packet as ranks name it.
static void rename_packet(const struct contraction *c, struct crl_move *m)
{
    enum crl_naming naming = c->schedule->naming;
    if (crl_problem_sums(c->from->problem)) return; // a chunk is called the same everywhere
    uint32_t part = m->dest & ((1u << CRL_PART_BITS) - 1);
    m->origin = named(c, m->origin, naming != CRL_NAMING_DEMAND);
    if (naming == CRL_NAMING_SPLIT_PAIR) m->dest = c->rank[m->dest >> CRL_PART_BITS] << CRL_PART_BITS | part;
    else m->dest = named(c, m->dest, naming == CRL_NAMING_PAIR);
}

// What comes to a host from another one, in the order in which it comes.
static int add_moves(struct contraction *c)
{
    struct crl_between *to = c->to;
    for (uint32_t k = 0; k < c->schedule->count; k++) {
        const struct crl_move *last = &c->schedule->moves[c->order[k]];
        uint32_t left = c->left[c->order[k]];
        if (c->rank[last->dst] == CRL_NONE || left == CRL_NONE) continue;
        struct crl_move m = c->schedule->moves[left];
        m.src = c->rank[m.src];
        m.dst = c->rank[last->dst];
        rename_packet(c, &m);
        if (m.src == m.dst) continue;
        to->arrival[to->schedule.count] = c->arrival[c->order[k]];
        if (crl_schedule_add(&to->schedule, m)) return CRL_ERR_MEMORY;
    }
    return 0;
}

// ---- their order

// From one rank to another things come in the order in which they leave: what is overtaken leaves no sooner than what
// overtakes it. Moves are in the order of arrival here.
static int keep_order(struct crl_between *to)
{
    uint32_t ranks = to->topology.nodes;
    CRL_OWNED uint32_t *latest = calloc((size_t)ranks * ranks, sizeof *latest);
    for (size_t i = 0; latest && i < to->schedule.count; i++) {
        struct crl_move *m = &to->schedule.moves[i];
        uint32_t *slot = &latest[(size_t)m->src * ranks + m->dst];
        if (m->slot < *slot) m->slot = *slot;
        *slot = m->slot;
    }
    return latest ? 0 : CRL_ERR_MEMORY;
}

static uint64_t key_slot(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].slot; }

static int sort_by_slot(struct crl_between *to)
{
    size_t count = to->schedule.count;
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (count + 1)), *arrival = malloc(sizeof *arrival * (count + 1));
    CRL_OWNED struct crl_move *moves = malloc(sizeof *moves * (count + 1));
    int error = order && arrival && moves ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) order[i] = i;
    if (!error) error = crl_sort_order(order, (uint32_t)count, key_slot, to->schedule.moves, UINT32_MAX);
    for (size_t i = 0; i < count && !error; i++) {
        moves[i] = to->schedule.moves[order[i]];
        arrival[i] = to->arrival[order[i]];
    }
    if (!error) {
        memcpy(to->schedule.moves, moves, sizeof *moves * count);
        memcpy(to->arrival, arrival, sizeof *arrival * count);
    }
    return error;
}

// ---- the problem of the ranks

static int rename_demands(const struct contraction *c)
{
    struct crl_demands *d = &c->to->demands;
    *d = *c->from->problem->demands;
    const struct crl_demand *old = d->demand;
    size_t places = 0;
    for (uint32_t i = 0; i < d->count; i++) places += old[i].dst_count;
    d->demand = malloc(sizeof *d->demand * (d->count + UINT64_C(1)));
    d->nodes = malloc(sizeof *d->nodes * (places + 1));
    if (!d->demand || !d->nodes) return CRL_ERR_MEMORY;
    uint32_t *next = d->nodes;
    for (uint32_t i = 0; i < d->count; i++) {
        d->demand[i] = old[i];
        d->demand[i].src = c->rank[old[i].src];
        d->demand[i].dst = next;
        for (uint32_t k = 0; k < old[i].dst_count; k++) *next++ = c->rank[old[i].dst[k]];
    }
    return 0;
}

static int rename_problem(const struct contraction *c)
{
    const struct crl_problem *old = c->from->problem;
    struct crl_problem *p = &c->to->problem;
    *p = *old;
    p->topology = &c->to->topology;
    p->hosts = NULL;
    p->root = crl_problem_has_root(old) ? c->rank[old->root] : 0;
    c->to->active = malloc(sizeof *c->to->active * (old->active_count + UINT64_C(1)));
    if (!c->to->active) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < old->active_count; i++) c->to->active[i] = c->rank[old->active[i]];
    p->active = c->to->active;
    if (!crl_problem_has_demands(old)) return 0;
    p->demands = &c->to->demands;
    return rename_demands(c);
}

// ---- all of it

static int prepare(struct contraction *c)
{
    const struct crl_problem *p = c->from->problem;
    size_t nodes = crl_topology_nodes(p->topology), count = c->schedule->count + 1;
    CRL_NUMBERS(&c->pool, nodes, &c->rank, &c->came);
    CRL_NUMBERS(&c->pool, count, &c->before, &c->order, &c->arrival, &c->left);
    c->to->arrival = malloc(sizeof *c->to->arrival * count);
    if (!c->to->arrival || crl_pool_error(&c->pool)) return CRL_ERR_MEMORY;
    for (size_t v = 0; v < nodes; v++) c->rank[v] = c->came[v] = CRL_NONE;
    for (uint32_t r = 0; r < p->host_count; r++) c->rank[p->hosts[r]] = r;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const struct crl_move *m = &c->schedule->moves[i];
        c->order[i] = i;
        c->left[i] = CRL_NONE;
        c->arrival[i] = crl_arrival_slot(p->topology, m->slot, m->src, m->dst);
    }
    return crl_sort_order(c->order, (uint32_t)count - 1, key_arrival, c, UINT64_MAX);
}

// Packet by packet; the order of all stays that of arrivals.
static int follow_all(struct contraction *c)
{
    uint32_t count = (uint32_t)c->schedule->count, *by_packet = malloc(sizeof *by_packet * (count + UINT64_C(1)));
    int error = by_packet ? 0 : CRL_ERR_MEMORY;
    if (!error) memcpy(by_packet, c->order, sizeof *by_packet * count);
    if (!error) error = crl_sort_order(by_packet, count, key_packet, c, crl_problem_packets(c->from->problem));
    for (uint32_t i = 0, end; i < count && !error; i = end) {
        for (end = i; end < count && packet_of(c, by_packet[end]) == packet_of(c, by_packet[i]);) end++;
        follow(c, by_packet + i, end - i);
    }
    free(by_packet);
    return error;
}

int crl_plan_between(struct crl_between *between, const struct crl_plan *plan, struct crl_diag *diag)
{
    struct contraction c = {.from = plan, .schedule = plan->schedule, .to = between};
    *between = (struct crl_between){.plan = *plan};
    if (!plan->problem->hosts) return 0;
    if (crl_topology_switches_add(plan->problem->topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "programs of hosts cannot say what switches add");
    if (plan->schedule->count >= UINT32_MAX / 4) return crl_fail(diag, CRL_ERR_LIMIT, "more than 2^30 transmissions");
    crl_topology_complete(&between->topology, plan->problem->host_count, crl_topology_name(plan->problem->topology));
    int error = prepare(&c);
    if (!error) error = follow_all(&c);
    if (!error) error = rename_problem(&c);
    crl_schedule_init_for(&between->schedule, &between->problem, false);
    if (!error) error = add_moves(&c);
    if (!error) error = keep_order(between);
    if (!error) error = sort_by_slot(between);
    between->plan.schedule = &between->schedule;
    between->plan.problem = &between->problem;
    between->plan.arrival = between->arrival;
    crl_pool_done(&c.pool);
    return error ? crl_fail_memory(diag) : 0;
}

void crl_plan_between_done(struct crl_between *between)
{
    if (between->problem.demands) free(between->demands.demand);
    if (between->problem.demands) free(between->demands.nodes);
    crl_schedule_done(&between->schedule);
    CRL_FREE(between->arrival, between->active);
}
