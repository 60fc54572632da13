// SPDX-License-Identifier: Apache-2.0
// What becomes of what a schedule sends: the places where packets lie, and whether what arrives at one is stored or
// added. Sums follow the rules of check/rule_sum.c, which has already found the schedule good.
#include "base/base.h"
#include "check/contributions.h"
#include "format/format.h"
#include <stdlib.h>

struct ends {
    const struct crl_move *moves;
    const struct crl_problem *problem;
    uint64_t packets;
    const uint32_t *arrival;
};

// Ends of moves: 2i is where move i is sent from, 2i + 1 where it comes to.
static uint64_t place_key(const void *user, uint32_t end)
{
    const struct ends *e = user;
    const struct crl_move *m = &e->moves[end / 2];
    return (end & 1 ? m->dst : m->src) * e->packets + crl_problem_index(e->problem, m->origin, m->dest);
}

static uint64_t arrival_key(const void *user, uint32_t i)
{
    const struct ends *e = user;
    const struct crl_move *m = &e->moves[i];
    const struct crl_topology *t = e->problem->topology;
    return ((uint64_t)e->arrival[i] * crl_topology_nodes(t) + m->dst) * crl_topology_ports(t) +
           crl_topology_port_to(t, m->src, m->dst);
}

static int find_places(struct crl_flow *f, const struct ends *ends)
{
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (2 * (size_t)f->count + 1));
    if (!order) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < 2 * f->count; i++) order[i] = i;
    int error = crl_sort_order(order, 2 * f->count, place_key, ends, UINT64_MAX);
    for (uint32_t i = 0; i < 2 * f->count && !error; i++) {
        uint32_t end = order[i];
        const struct crl_move *m = &f->moves[end / 2];
        uint32_t node = end & 1 ? m->dst : m->src;
        if (!i || place_key(ends, end) != place_key(ends, order[i - 1]))
            f->place[f->places++] = (struct crl_spot){
                node, m->origin, m->dest,
                crl_problem_sums(ends->problem) || node == crl_problem_source(ends->problem, m->origin), false};
        if (end & 1) f->place[f->places - 1].arrives = true;
        (end & 1 ? f->to : f->from)[end / 2] = f->places - 1;
    }
    return error;
}

bool crl_flow_next(const struct crl_flow *f, struct crl_flow_at *at)
{
    if (at->come >= f->count) return false;
    at->arrives = at->sent >= f->count || f->moves[at->sent].slot > f->arrival[f->by_arrival[at->come]];
    at->move = at->arrives ? f->by_arrival[at->come++] : at->sent++;
    return true;
}

// ---- sums

struct sum {
    struct crl_contributions held, kept;
};

static uint8_t what_it_does(const struct sum *place, const struct crl_contributions *sum, uint32_t nodes)
{
    if (crl_contributions_common(&place->held, sum) == CRL_NONE) return CRL_TAKE_ADD;
    return sum->count == nodes ? CRL_TAKE_STORE : 0;
}

static uint8_t take_scan(const struct sum *place, const struct crl_contributions *sum, uint32_t node)
{
    uint8_t does = 0;
    if (crl_contributions_common(&place->held, sum) == CRL_NONE) does |= CRL_TAKE_ADD;
    else if (sum->count > place->held.count && crl_contributions_within(&place->held, sum)) does |= CRL_TAKE_STORE;
    if (sum->last > node) return does;
    if (sum->count == node + UINT64_C(1)) does |= CRL_TAKE_KEEP_STORE;
    else if (crl_contributions_common(&place->kept, sum) == CRL_NONE) does |= CRL_TAKE_KEEP_ADD;
    return does;
}

static int arrive(struct crl_flow *f, struct sum *sums, const struct crl_contributions *sum, uint32_t i, bool scan,
                  uint32_t nodes)
{
    struct sum *place = &sums[f->to[i]];
    f->take[i] = scan ? take_scan(place, sum, f->moves[i].dst) : what_it_does(place, sum, nodes);
    int error = 0;
    if (f->take[i] & (CRL_TAKE_ADD | CRL_TAKE_STORE)) error = crl_contributions_join(&place->held, sum, nodes);
    if (!error && f->take[i] & (CRL_TAKE_KEEP_ADD | CRL_TAKE_KEEP_STORE))
        error = crl_contributions_join(&place->kept, sum, nodes);
    return error;
}

static int follow_sums(struct crl_flow *f, const struct crl_problem *problem)
{
    uint32_t nodes = crl_topology_nodes(problem->topology);
    CRL_OWNED struct sum *sums = calloc(f->places + UINT64_C(1), sizeof *sums);
    CRL_OWNED struct crl_contributions *sent = calloc(f->count + UINT64_C(1), sizeof *sent);
    int error = sums && sent ? 0 : CRL_ERR_MEMORY;
    for (uint32_t p = 0; p < f->places && !error; p++)
        sums[p].held = sums[p].kept = (struct crl_contributions){.count = 1, .last = f->place[p].node};
    for (struct crl_flow_at at = {0}; !error && crl_flow_next(f, &at);) {
        if (!at.arrives) error = crl_contributions_copy(&sent[at.move], &sums[f->from[at.move]].held, nodes);
        else error = arrive(f, sums, &sent[at.move], at.move, crl_problem_scans(problem), nodes);
    }
    for (uint32_t p = 0; sums && p < f->places; p++) {
        crl_contributions_done(&sums[p].held);
        crl_contributions_done(&sums[p].kept);
    }
    for (uint32_t i = 0; sent && i < f->count; i++) crl_contributions_done(&sent[i]);
    return error;
}

// ---- all of it

int crl_flow_make(struct crl_flow *f, const struct crl_plan *plan, struct crl_diag *diag)
{
    const struct crl_schedule *s = plan->schedule;
    const struct crl_problem *problem = plan->problem;
    *f = (struct crl_flow){.moves = s->moves, .count = (uint32_t)s->count};
    if (crl_problem_naming(problem) == CRL_NAMING_RANGE)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s makes its packets on the way, which no such format can say",
                        crl_problem_title(problem));
    if (problem->demands && problem->demands->sums)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "groups that add have no form in such formats; groups that only move packets have");
    if (s->count >= UINT32_MAX / 4) return crl_fail(diag, CRL_ERR_LIMIT, "more than 2^30 transmissions");
    size_t room = s->count + 1;
    CRL_NEW(&f->pool, f->place, 2 * room);
    CRL_NUMBERS(&f->pool, room, &f->from, &f->to, &f->arrival, &f->by_arrival);
    CRL_NEW(&f->pool, f->take, room);
    int error = crl_pool_error(&f->pool);
    for (uint32_t i = 0; i < f->count && !error; i++) {
        f->arrival[i] = plan->arrival
                            ? plan->arrival[i]
                            : crl_arrival_slot(s->topology, s->moves[i].slot, s->moves[i].src, s->moves[i].dst);
        f->by_arrival[i] = i;
        f->take[i] = CRL_TAKE_STORE;
    }
    struct ends ends = {s->moves, problem, crl_problem_packets(problem), f->arrival};
    if (!error) error = crl_sort_order(f->by_arrival, f->count, arrival_key, &ends, UINT64_MAX);
    if (!error) error = find_places(f, &ends);
    if (!error && crl_problem_sums(problem)) error = follow_sums(f, problem);
    return error ? crl_fail_memory(diag) : 0;
}

void crl_flow_done(struct crl_flow *f) { crl_pool_done(&f->pool); }
