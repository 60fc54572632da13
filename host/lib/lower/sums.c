// SPDX-License-Identifier: Apache-2.0
// What every partial sum does where it arrives. A chunk's transmissions are followed with the nodes whose values are in
// each sum, as the rules of decision 0027 say.
#include "base/base.h"
#include "check/contributions.h"
#include "lower/lower.h"
#include <stdlib.h>

// One chunk at a node.
struct place {
    struct crl_contributions held; // and sent on
    struct crl_contributions kept; // of a scan
};

struct replay {
    const struct crl_problem *problem;
    uint32_t nodes, values; // values: that the whole sum is made of
    bool scan;
    struct place *place;           // [nodes]
    struct crl_sum_hop *hop;       // of the chunk, in the order of arrivals
    struct crl_contributions *sum; // of each, while it is under way
    uint32_t *departure;           // the same in the order in which they are sent
    size_t count;
};

static int by_arrival(const void *a, const void *b)
{
    const struct crl_sum_hop *x = a, *y = b;
    return CRL_COMPARE({x->chunk, y->chunk}, {x->arrival, y->arrival}, {x->dst, y->dst}, {x->port, y->port});
}

static uint64_t slot_of(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].slot; }

static uint8_t take_arrival(const struct replay *r, const struct place *place, uint32_t node,
                            const struct crl_contributions *sum)
{
    if (!crl_problem_adds(r->problem, node)) return CRL_SUM_SETS;
    if (sum->count == r->values) return place->held.count == r->values ? 0 : CRL_SUM_SETS;
    return place->held.count ? CRL_SUM_ADDS : CRL_SUM_SETS;
}

static uint8_t take_scan(const struct place *place, const struct crl_contributions *sum, uint32_t node)
{
    bool apart = crl_contributions_common(&place->held, sum) == CRL_NONE;
    bool more = sum->count > place->held.count && crl_contributions_within(&place->held, sum);
    bool mine = sum->last <= node, all = mine && sum->count == node + UINT64_C(1), had = place->kept.count == node + 1;
    bool fits = mine && crl_contributions_common(&place->kept, sum) == CRL_NONE;
    uint8_t effect = apart ? CRL_SUM_ADDS : more ? CRL_SUM_SETS : 0;
    return effect | (fits ? CRL_SUM_KEPT_ADDS : all && !had ? CRL_SUM_KEPT_SETS : 0);
}

static int arrive(struct replay *r, struct crl_sum_hop *h, struct crl_contributions *sum)
{
    struct place *place = &r->place[h->dst];
    h->effect = r->scan ? take_scan(place, sum, h->dst) : take_arrival(r, place, h->dst, sum);
    int error = 0;
    if (!crl_problem_adds(r->problem, h->dst)) {
        crl_contributions_done(&place->held);
        place->held = (struct crl_contributions){0};
    }
    if (h->effect & (CRL_SUM_ADDS | CRL_SUM_SETS)) error = crl_contributions_join(&place->held, sum, r->nodes);
    if (!error && h->effect & (CRL_SUM_KEPT_ADDS | CRL_SUM_KEPT_SETS))
        error = crl_contributions_join(&place->kept, sum, r->nodes);
    crl_contributions_done(sum);
    return error;
}

static int play_chunk(struct replay *r)
{
    int error = 0;
    r->values = crl_chunk_values(r->problem, r->hop->chunk);
    for (uint32_t v = 0; v < r->nodes; v++) {
        uint32_t has = crl_chunk_has(r->problem, r->hop->chunk, v);
        r->place[v] = (struct place){{.count = has, .last = v}, {.count = has, .last = v}};
    }
    for (uint32_t i = 0; i < r->count; i++) r->departure[i] = i;
    error = crl_sort_order(r->departure, (uint32_t)r->count, slot_of, r->hop, UINT32_MAX);
    for (size_t sent = 0, come = 0; come < r->count && !error;) {
        uint32_t next = sent < r->count ? r->departure[sent] : 0;
        if (sent < r->count && r->hop[next].slot <= r->hop[come].arrival) {
            error = crl_contributions_copy(&r->sum[next], &r->place[r->hop[next].src].held, r->nodes);
            sent++;
        } else {
            error = arrive(r, &r->hop[come], &r->sum[come]);
            come++;
        }
    }
    for (uint32_t v = 0; v < r->nodes; v++) {
        crl_contributions_done(&r->place[v].held);
        crl_contributions_done(&r->place[v].kept);
    }
    return error;
}

static int play_all(struct crl_sums *sums, const struct crl_problem *problem)
{
    struct replay r = {
        .problem = problem, .nodes = crl_topology_nodes(problem->topology), .scan = crl_problem_scans(problem)};
    r.place = malloc(sizeof *r.place * r.nodes);
    r.sum = calloc(sums->count + 1, sizeof *r.sum);
    r.departure = malloc(sizeof *r.departure * (sums->count + 1));
    int error = r.place && r.sum && r.departure && sums->count < UINT32_MAX ? 0 : CRL_ERR_MEMORY;
    struct crl_contributions *all = r.sum;
    for (size_t first = 0; first < sums->count && !error; first += r.count) {
        r.hop = sums->hop + first;
        r.sum = all + first;
        for (r.count = 0; first + r.count < sums->count && r.hop[r.count].chunk == r.hop->chunk;) r.count++;
        error = play_chunk(&r);
    }
    for (size_t i = 0; all && i < sums->count; i++) crl_contributions_done(&all[i]);
    CRL_FREE(r.place, all, r.departure);
    return error;
}

int crl_sums_init(struct crl_sums *sums, const struct crl_schedule *schedule, const struct crl_problem *problem,
                  struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct crl_schedule full = {0};
    *sums = (struct crl_sums){0};
    int error = schedule->folded ? crl_schedule_expand(&full, schedule, diag) : 0;
    if (error) return error;
    const struct crl_schedule *s = schedule->folded ? &full : schedule;
    sums->count = s->count;
    sums->hop = malloc(sizeof *sums->hop * (s->count + 1));
    if (!sums->hop) error = CRL_ERR_MEMORY;
    for (size_t i = 0; i < s->count && !error; i++) {
        const struct crl_move *m = &s->moves[i];
        sums->hop[i] = (struct crl_sum_hop){.slot = m->slot,
                                            .arrival = crl_arrival_slot(t, m->slot, m->src, m->dst),
                                            .src = m->src,
                                            .dst = m->dst,
                                            .port = crl_move_port(s, m),
                                            .chunk = (uint32_t)crl_problem_index(problem, m->origin, m->dest)};
    }
    if (!error) {
        qsort(sums->hop, sums->count, sizeof *sums->hop, by_arrival);
        error = play_all(sums, problem);
    }
    crl_schedule_done(&full);
    if (!error) return 0;
    crl_sums_done(sums);
    return crl_fail_memory(diag);
}

void crl_sums_done(struct crl_sums *sums)
{
    free(sums->hop);
    *sums = (struct crl_sums){0};
}
