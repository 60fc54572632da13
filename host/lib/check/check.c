// SPDX-License-Identifier: Apache-2.0
// The checker: judges a schedule from anyone, knowing nothing of how it was made.
#include "check/check.h"
#include "base/base.h"
#include <stdlib.h>

void crl_find(struct crl_check *check, enum crl_finding_id id, size_t index, const char *format, ...)
{
    uint64_t row = index == SIZE_MAX ? 0 : crl_schedule_line(check->schedule, index);
    va_list args;
    va_start(args, format);
    crl_sink_find(&check->sink, id, row, format, args);
    va_end(args);
}

const char *crl_move_text(const struct crl_schedule *schedule, const struct crl_move *move, char text[96])
{
    char name[24];
    snprintf(text, 96, "slot %u: node %u sends packet %s to node %u", move->slot, move->src,
             crl_packet_name(schedule->naming, move->origin, move->dest, name), move->dst);
    return text;
}

static void measure(struct crl_check *check)
{
    struct crl_report *report = check->sink.report;
    const struct crl_problem *problem = check->problem;
    const struct crl_topology *t = problem->topology;
    report->slots = crl_schedule_slots(check->schedule);
    uint64_t rows = crl_schedule_transmissions(check->schedule);
    report->transmissions = crl_ceil_div(rows, problem->parts); // a mini packet is a part of one
    report->bound_slots = crl_problem_bound_slots(problem);
    report->bound_transmissions = crl_problem_bound_transmissions(problem);
    double capacity = problem->ports == CRL_PORTS_ALL ? (double)crl_topology_links(t) : crl_topology_nodes(t);
    report->utilization = report->slots ? (double)rows / (capacity * (double)report->slots) : 0;
    if (!report->violations &&
        (report->slots < report->bound_slots || report->transmissions < report->bound_transmissions))
        crl_find(check, CRL_FINDING_BELOW_BOUND, SIZE_MAX,
                 "%llu slots and %llu transmissions, but the bounds are %llu and %llu",
                 (unsigned long long)report->slots, (unsigned long long)report->transmissions,
                 (unsigned long long)report->bound_slots, (unsigned long long)report->bound_transmissions);
}

static int judge(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
                 struct crl_diag *diag)
{
    *report = (struct crl_report){0};
    struct crl_check check = {.schedule = schedule, .problem = problem, .sink.report = report};
    if (crl_schedule_sort(schedule)) return crl_fail_memory(diag);
    check.marks = calloc(schedule->count + 1, 1);
    if (!check.marks) return crl_fail_memory(diag);
    crl_rule_range(&check);
    crl_rule_link(&check);
    crl_rule_port(&check);
    if (crl_problem_naming(problem) == CRL_NAMING_RANGE) {
        crl_rule_prefix(&check);
    } else {
        crl_rule_packet(&check);
        crl_measure_buffers(&check);
    }
    measure(&check);
    free(check.marks);
    return crl_sink_close(&check.sink, diag);
}

// Judges the full list of a folded schedule, so that findings name its rows.
static int judge_list(struct crl_report *report, const struct crl_schedule *schedule, const struct crl_problem *problem,
                      struct crl_diag *diag)
{
    struct crl_schedule full;
    int error = crl_schedule_expand(&full, schedule, diag);
    if (!error) error = judge(report, &full, problem, diag);
    crl_schedule_done(&full);
    return error;
}

int crl_check(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
              struct crl_diag *diag)
{
    *report = (struct crl_report){0};
    int error = 0;
    if (schedule->folded && !crl_problem_is_symmetric(problem)) {
        if (!schedule->listed)
            return crl_fail(diag, CRL_ERR_ARGUMENT,
                            "%s on %s does not look the same from every node, so it has no relative form",
                            crl_problem_name(problem), crl_topology_name(problem->topology));
        error = crl_schedule_unfold(schedule, diag);
    }
    if (!error) error = judge(report, schedule, problem, diag);
    if (!schedule->folded || !schedule->listed || !report->count) return error;
    crl_report_done(report);
    return judge_list(report, schedule, problem, diag);
}
