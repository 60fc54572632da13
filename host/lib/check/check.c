// SPDX-License-Identifier: Apache-2.0
// The checker: judges a schedule from anyone, knowing nothing of how it was made.
#include "check/check.h"
#include "base/base.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct crl_finding_kind kinds[] = {
#define FINDING(name, id, severity, summary, advice) {id, severity, summary, advice},
#include "check/findings.def"
#undef FINDING
};

const struct crl_finding_kind *crl_finding_kinds(size_t *count)
{
    *count = CRL_FINDINGS;
    return kinds;
}

void crl_find_more(struct crl_check *check, enum crl_finding_id id, uint64_t more)
{
    if (kinds[id].severity == CRL_VIOLATION) check->report->violations += more;
    else check->report->warnings += more;
}

void crl_find(struct crl_check *check, enum crl_finding_id id, size_t index, const char *format, ...)
{
    struct crl_report *report = check->report;
    crl_find_more(check, id, 1);
    if (check->listed[id]++ >= CRL_FINDINGS_LISTED) return;
    if (!report->findings) report->findings = malloc(sizeof *report->findings * CRL_FINDINGS_LISTED * CRL_FINDINGS);
    if (!report->findings) {
        check->out_of_memory = true;
        return;
    }
    struct crl_finding *finding = &report->findings[report->count++];
    finding->kind = &kinds[id];
    finding->row = 0;
    if (index != SIZE_MAX) {
        uint32_t line = check->schedule->moves[index].line;
        finding->row = line ? line : index + 1;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
}

const char *crl_move_text(const struct crl_schedule *schedule, const struct crl_move *move, char text[96])
{
    int n = snprintf(text, 96, "slot %u: node %u sends packet %u", move->slot, move->src, move->origin);
    if (schedule->naming == CRL_NAMING_PAIR) n += snprintf(text + n, 96 - (size_t)n, ">%u", move->dest);
    snprintf(text + n, 96 - (size_t)n, " to node %u", move->dst);
    return text;
}

static void measure(struct crl_check *check)
{
    struct crl_report *report = check->report;
    const struct crl_problem *problem = check->problem;
    const struct crl_topology *t = problem->topology;
    report->slots = crl_schedule_slots(check->schedule);
    report->transmissions = crl_schedule_transmissions(check->schedule);
    report->bound_slots = crl_problem_bound_slots(problem);
    report->bound_transmissions = crl_problem_bound_transmissions(problem);
    double capacity = problem->ports == CRL_PORTS_ALL ? (double)crl_topology_links(t) : crl_topology_nodes(t);
    report->utilization = report->slots ? (double)report->transmissions / (capacity * (double)report->slots) : 0;
    if (!report->violations &&
        (report->slots < report->bound_slots || report->transmissions < report->bound_transmissions))
        crl_find(check, CRL_FINDING_BELOW_BOUND, SIZE_MAX,
                 "%llu slots and %llu transmissions, but the bounds are %llu and %llu",
                 (unsigned long long)report->slots, (unsigned long long)report->transmissions,
                 (unsigned long long)report->bound_slots, (unsigned long long)report->bound_transmissions);
}

static int by_row(const void *a, const void *b)
{
    const struct crl_finding *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->text, y->text);
}

int crl_check(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
              struct crl_diag *diag)
{
    *report = (struct crl_report){0};
    struct crl_check check = {.schedule = schedule, .problem = problem, .report = report};
    if (schedule->relative && !crl_problem_is_symmetric(problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "%s on %s does not look the same from every node, so it has no relative form",
                        crl_problem_name(problem), crl_topology_name(problem->topology));
    if (crl_schedule_sort(schedule)) return crl_fail_memory(diag);
    check.marks = calloc(schedule->count + 1, 1);
    if (!check.marks) return crl_fail_memory(diag);
    crl_rule_range(&check);
    crl_rule_link(&check);
    crl_rule_port(&check);
    crl_rule_packet(&check);
    crl_measure_buffers(&check);
    measure(&check);
    free(check.marks);
    if (report->count) qsort(report->findings, report->count, sizeof *report->findings, by_row);
    if (check.out_of_memory) return crl_fail_memory(diag);
    return report->violations ? CRL_ERR_RULE : 0;
}

void crl_report_done(struct crl_report *report)
{
    free(report->findings);
    report->findings = NULL;
    report->count = 0;
}
