// SPDX-License-Identifier: Apache-2.0
// The checker: judges a schedule from anyone, knowing nothing of how it was made.
#include "check/check.h"
#include "base/parallel.h"
#include "schedule/narrow.h"
#include <stdlib.h>

void crl_find(struct crl_part *part, enum crl_finding_id id, size_t index, const char *format, ...)
{
    uint64_t row = index == SIZE_MAX ? 0 : crl_schedule_line(part->check->schedule, index);
    va_list args;
    va_start(args, format);
    crl_sink_find(&part->sink, id, row, format, args);
    va_end(args);
}

const char *crl_move_text(const struct crl_schedule *schedule, const struct crl_move *move, char text[CRL_MOVE_TEXT])
{
    char name[CRL_PACKET_NAME];
    snprintf(text, CRL_MOVE_TEXT, "slot %u: node %s sends packet %s to node %s", move->slot,
             CRL_NODE(schedule->topology, move->src), crl_schedule_packet_name(schedule, move, name),
             CRL_NODE(schedule->topology, move->dst));
    return text;
}

size_t crl_part_slot(const struct crl_check *check, uint32_t part)
{
    const struct crl_schedule *s = check->schedule;
    uint64_t move = crl_share_first(s->count, part, check->parts);
    size_t least = 0, most = s->slots; // the first slot that begins with this move or a later one
    while (least < most) {
        size_t middle = least + (most - least) / 2;
        if (s->slot_start[middle] < move) least = middle + 1;
        else most = middle;
    }
    return least;
}

static int look_at_slots(void *user, uint32_t share)
{
    struct crl_check *check = user;
    struct crl_part *part = &check->part[share];
    for (size_t s = crl_part_slot(check, share); s < crl_part_slot(check, share + 1); s++) {
        size_t first = check->schedule->slot_start[s], end = check->schedule->slot_start[s + 1];
        crl_rule_range(part, first, end);
        crl_rule_link(part, first, end);
        crl_rule_port(part, first, end);
    }
    return 0;
}

// Rows that are kept narrow are of the topology and the problem, and no link takes two of a slot.
static int look_at_narrow_slots(void *user, uint32_t share)
{
    struct crl_check *check = user;
    crl_rule_port_narrow(&check->part[share], crl_part_slot(check, share), crl_part_slot(check, share + 1));
    return 0;
}

static void measure(struct crl_check *check, struct crl_report *report)
{
    const struct crl_schedule *schedule = check->schedule;
    const struct crl_problem *problem = check->problem;
    const struct crl_topology *t = problem->topology;
    report->slots = crl_schedule_slots(schedule);
    uint64_t rows = crl_schedule_transmissions(schedule);
    report->transmissions = crl_ceil_div(rows, crl_problem_parts_a_count(problem));
    report->bound_slots = crl_problem_bound_slots(problem);
    report->bound_transmissions = crl_problem_bound_transmissions(problem);
    report->buffer_packets = check->part[0].report.buffer_packets;
    double capacity = problem->ports == CRL_PORTS_ALL ? (double)crl_topology_links(t) : crl_topology_nodes(t);
    report->utilization = report->slots ? (double)rows / (capacity * (double)report->slots) : 0;
    uint64_t violations = 0;
    for (uint32_t i = 0; i < check->parts; i++) {
        violations += check->part[i].report.violations;
        report->sum_hash += check->part[i].report.sum_hash;
        report->bits_differ |= check->part[i].report.bits_differ;
    }
    if (!violations && (report->slots < report->bound_slots || report->transmissions < report->bound_transmissions))
        crl_find(&check->part[0], CRL_FINDING_BELOW_BOUND, SIZE_MAX,
                 "%llu slots and %llu transmissions, but the bounds are %llu and %llu",
                 (unsigned long long)report->slots, (unsigned long long)report->transmissions,
                 (unsigned long long)report->bound_slots, (unsigned long long)report->bound_transmissions);
}

// Whether only node 0 sends, though all nodes have packets and do not look different from each other.
static bool is_relative(const struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    bool alike = crl_problem_is_symmetric(check->problem) && crl_schedule_may_fold(s) && !s->folded;
    for (size_t i = 0; i < s->count && alike; i++) alike = s->moves[i].src == 0;
    return alike && s->count > 1;
}

// One more than the highest node that a row names; 0 where rows stand for those of other nodes.
static uint32_t named_nodes(const struct crl_schedule *s)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < s->count && !s->folded; i++) {
        if (s->moves[i].src >= nodes) nodes = s->moves[i].src + 1;
        if (s->moves[i].dst >= nodes) nodes = s->moves[i].dst + 1;
    }
    return nodes;
}

// Many rows outside the topology are one mistake: it is another one's schedule.
static void say_misfit(const struct crl_check *check, const struct crl_sink *sink)
{
    enum { FEW = 3, MANY = 9 };
    const struct crl_topology *t = check->schedule->topology;
    const size_t nodes = sink->listed[CRL_FINDING_RANGE_NODE], links = sink->listed[CRL_FINDING_NO_LINK];
    const uint32_t all = crl_topology_nodes(t);
    char *text = sink->report->misfit;
    uint32_t highest = 0;
    if (sink->listed[CRL_FINDING_RANGE_SLOT]) {
        snprintf(text, sizeof sink->report->misfit, "slots count from 1, and there are rows of slot 0");
        return;
    }
    if (sink->listed[CRL_FINDING_MISSING] && is_relative(check)) {
        snprintf(text, sizeof sink->report->misfit,
                 "all rows are of node 0: is it a relative schedule? Say --relative");
        return;
    }
    for (uint32_t i = 0; i < check->parts; i++)
        if (check->part[i].highest_node > highest) highest = check->part[i].highest_node;
    const uint32_t named = sink->listed[CRL_FINDING_MISSING] ? named_nodes(check->schedule) : 0;
    if (named >= FEW && named <= all / 2)
        snprintf(text, sizeof sink->report->misfit,
                 "rows name nodes up to %u only, but %s has %u: is the topology right?", named - 1,
                 crl_topology_name(t), all);
    if (nodes + links < FEW || (nodes + links < MANY && 2 * (nodes + links) < check->schedule->count)) return;
    if (nodes)
        snprintf(text, sizeof sink->report->misfit, "rows name nodes up to %u, but %s has %u: is the topology right?",
                 highest, crl_topology_name(t), all);
    else if (links)
        snprintf(text, sizeof sink->report->misfit, "%zu rows use links that %s does not have: is the topology right?",
                 links, crl_topology_name(t));
}

// Tables of what is asked for every move, where there are so many that they are worth it.
static int make_tables(struct crl_check *check)
{
    const struct crl_topology *t = check->schedule->topology;
    uint32_t nodes = check->nodes, ports = crl_topology_ports(t);
    if (check->schedule->folded || check->schedule->narrow || check->schedule->count < (uint64_t)nodes * ports)
        return 0;
    check->neighbors = malloc(sizeof *check->neighbors * nodes * ports + 1);
    if (!check->neighbors) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes && ports; v++) {
        uint32_t *neighbor = &check->neighbors[(size_t)v * ports];
        for (uint32_t p = 0; p < ports; p++) neighbor[p] = crl_topology_neighbor(t, v, p);
        qsort(neighbor, ports, sizeof *neighbor, crl_compare_numbers);
    }
    if (check->schedule->naming != CRL_NAMING_ORIGIN) return 0;
    check->packets = malloc(sizeof *check->packets * nodes);
    for (uint32_t v = 0; check->packets && v < nodes; v++) check->packets[v] = crl_problem_index(check->problem, v, 0);
    return check->packets ? 0 : CRL_ERR_MEMORY;
}

static void apply_rules(struct crl_check *check, struct crl_sink *sink)
{
    for (uint32_t i = 0; i < check->parts; i++) {
        check->part[i].check = check;
        check->part[i].sink.report = &check->part[i].report;
    }
    crl_parallel(check->parts, check->schedule->narrow ? look_at_narrow_slots : look_at_slots, check);
    if (check->apart) crl_rule_arrivals(check);
    crl_rule_cable(check);
    if (crl_problem_naming(check->problem) == CRL_NAMING_RANGE) {
        crl_rule_prefix(check);
    } else {
        if (crl_problem_sums(check->problem)) crl_rule_sum(check);
        else crl_rule_packet(check);
        crl_rule_demand(check);
        crl_measure_buffers(check);
    }
    measure(check, sink->report);
    for (uint32_t i = 0; i < check->parts; i++) crl_sink_merge(sink, &check->part[i].sink);
    if (!check->schedule->narrow) say_misfit(check, sink);
}

// Whether narrow rows do not suffice to say what is wrong.
static bool is_unclear(const struct crl_check *check, const struct crl_sink *sink)
{
    bool unclear = sink->report->violations || sink->report->warnings;
    for (uint32_t i = 0; i < check->parts; i++) unclear |= check->part[i].unclear;
    return check->schedule->narrow && unclear && !sink->out_of_memory;
}

// Returns 1 where moves are needed in place of narrow rows.
static int judge(struct crl_report *report, const struct crl_schedule *schedule, const struct crl_problem *problem,
                 uint32_t threads, struct crl_diag *diag)
{
    struct crl_sink sink = {.report = report};
    struct crl_check check = {
        .schedule = schedule, .problem = problem, .nodes = crl_topology_nodes(schedule->topology), .parts = threads};
    check.apart = crl_topology_latency_min(schedule->topology) != crl_topology_latency_max(schedule->topology);
    check.marks = calloc(schedule->count + 1, 1);
    check.part = calloc(threads, sizeof *check.part);
    bool good = check.marks && check.part && !make_tables(&check);
    if (good) apply_rules(&check, &sink);
    const bool unclear = good && is_unclear(&check, &sink);
    for (uint32_t i = 0; check.part && i < threads; i++) {
        crl_report_done(&check.part[i].report);
        free(check.part[i].sender);
    }
    CRL_FREE(check.marks, check.part, check.neighbors, check.packets);
    if (unclear) return 1;
    return good ? crl_sink_close(&sink, diag) : crl_fail_memory(diag);
}

// Judges the full list of a folded schedule, so that findings name its rows.
static int judge_list(struct crl_report *report, const struct crl_schedule *schedule, const struct crl_problem *problem,
                      uint32_t threads, struct crl_diag *diag)
{
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    int error = crl_schedule_expand(&full, schedule, diag);
    if (!error) error = judge(report, &full, problem, threads, diag);
    return error;
}

int crl_check_on(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
                 uint32_t threads, struct crl_diag *diag)
{
    *report = (struct crl_report){0};
    if (schedule->narrow) {
        int error = judge(report, schedule, problem, threads, diag);
        if (error != 1) return error;
        crl_report_done(report);
        *report = (struct crl_report){0};
        if ((error = crl_schedule_widen(schedule, diag))) return error;
    }
    if (schedule->folded && !crl_problem_is_symmetric(problem)) {
        if (!schedule->listed)
            return crl_fail(diag, CRL_ERR_ARGUMENT,
                            "%s on %s does not look the same from every node, so it has no relative form",
                            crl_problem_title(problem), crl_topology_name(problem->topology));
        int error = crl_schedule_unfold(schedule, diag);
        if (error) return error;
    }
    if (crl_schedule_sort(schedule)) return crl_fail_memory(diag);
    int error = judge(report, schedule, problem, threads, diag);
    if (!schedule->folded || !schedule->listed || !report->count) return error;
    crl_report_done(report);
    *report = (struct crl_report){0};
    return judge_list(report, schedule, problem, threads, diag);
}

int crl_check(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
              struct crl_diag *diag)
{
    enum { FEW = 1 << 15 }; // not worth a thread
    return crl_check_on(report, schedule, problem, schedule->count < FEW ? 1 : crl_threads(), diag);
}
