// SPDX-License-Identifier: Apache-2.0
// k-item broadcast in the postal model as what it is there: a broadcast of a packet in parts, single-port, in a
// complete graph whose links are as late as messages. It is planned slot by slot (spread.c), so the source may send an
// item more than once, and nothing is block-cyclic.
#include "algorithm/algorithm.h"
#include "machine/logp/plan.h"
#include "problem/bound_prices.h"
#include "topology/topology.h"

enum { SECONDS = 2, MESSAGES_MAX = 4000 };

bool crl_applies_logp_slotwise(const struct crl_logp_problem *p)
{
    const struct crl_logp *m = &p->machine;
    return !m->o && m->g == 1 && m->P > 1 && m->P <= CRL_PORTS_MAX + 1 && m->L <= CRL_LATENCY_MAX &&
           p->items <= MESSAGES_MAX / m->P;
}

static int plan(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_topology *t,
                struct crl_diag *diag)
{
    struct crl_problem spread;
    struct crl_priced priced = {.refuted = crl_logp_bound_slots(p)}; // more than networks promise
    struct crl_schedule found;
    int error = crl_problem_init(&spread, "broadcast", t, 0, CRL_PORTS_SINGLE, diag);
    spread.parts = p->items;
    spread.context = p->context;
    spread.effort = SECONDS;
    spread.priced = &priced;
    crl_schedule_init_for(&found, &spread, false);
    if (!error) error = crl_plan_spread(&found, &spread, diag);
    for (size_t i = 0; i < found.count && !error; i++) {
        const struct crl_move *m = &found.moves[i];
        crl_logp_emit(schedule, &p->machine, m->slot - 1, m->src, m->dst, m->dest, diag);
    }
    crl_schedule_done(&found);
    crl_priced_done(&priced);
    return error;
}

int crl_plan_logp_slotwise(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p, struct crl_diag *diag)
{
    struct crl_topology *t = NULL;
    char network[32], latency[16];
    snprintf(network, sizeof network, "complete:%u", p->machine.P);
    snprintf(latency, sizeof latency, "%u", p->machine.L);
    int error = crl_topology_parse(&t, network, diag);
    if (!error) error = crl_topology_set_latency(t, latency, diag);
    if (!error) error = plan(schedule, p, t, diag);
    crl_topology_free(t);
    return error;
}
