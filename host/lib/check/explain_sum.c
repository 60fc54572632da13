// SPDX-License-Identifier: Apache-2.0
// How the sums of one chunk come about.
#include "base/base.h"
#include "check/replay_sum.h"
#include <stdlib.h>

// Its hops, in order of slots: of a folded schedule those of the translates that carry it.
static size_t find_hops(struct crl_hop *hop, const struct crl_schedule *s, uint32_t chunk)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct crl_move m = s->moves[i];
        if (s->folded) m = crl_move_translate(s, m, crl_topology_unshift(s->topology, chunk, m.origin));
        if (m.origin == chunk) hop[count++] = (struct crl_hop){m.slot, m.src, m.dst, (uint32_t)i, 0};
    }
    return count;
}

int crl_explain_sum(struct crl_terms *terms, uint32_t *ends, const struct crl_schedule *schedule,
                    const struct crl_problem *problem, uint32_t chunk)
{
    // Marks and findings lead nowhere: there are no findings.
    struct crl_check check = {.schedule = schedule, .problem = problem, .nodes = crl_topology_nodes(problem->topology)};
    struct crl_part part = {.check = &check, .sink = {.report = &part.report}};
    CRL_OWNED struct crl_hop *hop = malloc(sizeof *hop * (schedule->count + 1));
    check.marks = calloc(schedule->count + 1, 1);
    *terms = (struct crl_terms){0};
    int error = hop && check.marks ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        struct crl_replay replay = {&part, hop, find_hops(hop, schedule, chunk), chunk};
        error = crl_replay_sum(&replay, terms, ends);
    }
    crl_report_done(&part.report);
    free(check.marks);
    return error;
}
