// SPDX-License-Identifier: Apache-2.0
// A total exchange of split packets, part by part: the exchange of whole packets by the default scheme, once a part.
// Where that keeps all links busy in every slot, as on cubes and most tori, nothing is better.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"

static bool applies_repeated_exchange(const struct crl_problem *problem)
{
    return problem->parts > 1 && problem->topology->factor_count && !crl_topology_has(problem->topology, CRL_GRAPH);
}

// Slots from the first of a part to the first of the next. What is still on its way then is in nobody's way; only
// single-port nodes may get two packets in one slot, where links take longer than others.
static uint32_t slots_apart(const struct crl_schedule *once, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    bool alike = crl_topology_latency_min(t) == crl_topology_latency_max(t);
    uint32_t last = 0;
    if (problem->ports == CRL_PORTS_SINGLE && !alike) return crl_schedule_slots(once);
    for (size_t i = 0; i < once->count; i++)
        if (once->moves[i].slot > last) last = once->moves[i].slot;
    return last;
}

static int plan_repeated_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                  struct crl_diag *diag)
{
    const struct crl_algorithm *algorithm;
    struct crl_problem whole = *problem;
    struct crl_schedule once = {0};
    whole.parts = 1;
    whole.priced = NULL; // those of the parts prove more slots
    schedule->folded = false;
    int error = crl_algorithm_find(&algorithm, &whole, NULL, diag);
    if (!error) error = crl_plan(&once, algorithm, &whole, diag);
    if (!error) error = crl_schedule_unfold(&once, diag);
    uint32_t slots = error ? 0 : slots_apart(&once, problem);
    for (uint32_t part = 0; !error && part < problem->parts; part++)
        for (size_t i = 0; i < once.count; i++) {
            struct crl_move m = once.moves[i];
            m.slot += part * slots;
            m.dest = m.dest << CRL_PART_BITS | part;
            crl_schedule_add(schedule, m);
        }
    crl_schedule_done(&once);
    return error;
}

const struct crl_algorithm crl_rows_repeated_exchange[] = {
    {"total-exchange", "repeated", "products without graphs, packets in parts",
     "the bound where whole packets keep all links busy", NULL, "the default scheme of whole packets, part by part",
     .handles = CRL_HANDLES_PARTS | CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS, .applies = applies_repeated_exchange,
     .plan = plan_repeated_exchange, .cost = {.row_ns = 300}},
    {0}};
