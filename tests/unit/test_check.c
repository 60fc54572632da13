// SPDX-License-Identifier: Apache-2.0
// The checker: each finding by a schedule that provokes it, and the verdict against a second judge.
#include "problem/problem.h"
#include "unit.h"

struct found {
    const char *id;
    uint64_t row; // in canonical order, from 1; 0: no row
};

// Schedules on the 2-cube, in canonical order, and all that is wrong with them.
struct example {
    const char *collective;
    uint32_t root;
    enum crl_ports ports;
    bool folded;
    struct crl_move moves[8];
    struct found found[3];
};
static const struct example examples[] = {
    {"broadcast", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}}, {{0}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{0, 0, 1, 0, 0}, {1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}},
     {{"range-slot", 1}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 0, 4, 0, 0}, {2, 1, 3, 0, 0}},
     {{"range-node", 3}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}, {2, 4, 0, 0, 0}},
     {{"range-node", 4}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {1, 1, 0, 1, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}},
     {{"range-packet", 2}}},
    {"scatter",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 0, 1, 0, 1}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 3}},
     {{"range-packet", 4}}},
    {"multinode-broadcast",
     0,
     CRL_PORTS_ALL,
     true,
     {{1, 0, 1, 0, 0}, {1, 0, 2, 0, 0}, {2, 0, 2, 1, 0}, {2, 1, 3, 0, 0}},
     {{"relative-src", 4}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {1, 0, 3, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}},
     {{"no-link", 2}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 0, 0, 0}, {1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}},
     {{"no-link", 1}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false, // what is there twice also comes for nothing
     {{1, 0, 1, 0, 0}, {1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}},
     {{"duplicate-row", 2}, {"redundant", 2}}},
    {"scatter",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 1}, {1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 1, 3, 0, 3}},
     {{"link-conflict", 2}}},
    {"scatter",
     0,
     CRL_PORTS_SINGLE,
     false,
     {{1, 0, 1, 0, 1}, {1, 0, 2, 0, 2}, {2, 0, 1, 0, 3}, {3, 1, 3, 0, 3}},
     {{"send-conflict", 2}}},
    {"multinode-broadcast",
     0,
     CRL_PORTS_SINGLE,
     true, // relative: the translates receive as often as node 0 sends
     {{1, 0, 1, 0, 0}, {1, 0, 2, 0, 0}, {2, 0, 2, 1, 0}},
     {{"send-conflict", 2}}},
    {"gather",
     0,
     CRL_PORTS_SINGLE,
     false,
     {{1, 1, 0, 1, 0}, {1, 2, 0, 2, 0}, {2, 3, 2, 3, 0}, {3, 2, 0, 3, 0}},
     {{"receive-conflict", 2}}},
    {"scatter", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 1}, {1, 0, 2, 0, 2}, {2, 1, 3, 0, 3}}, {{"never-held", 3}}},
    {"broadcast", 0, CRL_PORTS_ALL, false, {{1, 1, 3, 0, 0}, {2, 0, 2, 0, 0}, {3, 0, 1, 0, 0}}, {{"not-yet", 1}}},
    {"broadcast", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {1, 1, 3, 0, 0}, {2, 0, 2, 0, 0}}, {{"same-slot", 2}}},
    {"broadcast", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}}, {{"missing", 0}}},
    {"scatter", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 1, 3, 0, 3}}, {{"missing", 0}}},
    {"gather", 3, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 3}, {1, 2, 3, 2, 3}, {2, 1, 3, 0, 3}}, {{"missing", 0}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 3, 0, 0}, {3, 2, 3, 0, 0}},
     {{"redundant", 4}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 0}, {2, 0, 2, 0, 0}, {2, 1, 0, 0, 0}, {2, 1, 3, 0, 0}},
     {{"redundant", 3}}},
    {"broadcast",
     0,
     CRL_PORTS_ALL,
     false, // two come at once: one of them was for nothing
     {{1, 0, 1, 0, 0}, {1, 0, 2, 0, 0}, {2, 1, 3, 0, 0}, {2, 2, 3, 0, 0}},
     {{"redundant", 4}}},
    {"scatter",
     0,
     CRL_PORTS_ALL,
     false,
     {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 1}, {2, 0, 1, 0, 1}, {2, 0, 2, 0, 2}, {2, 1, 3, 0, 3}},
     {{"useless", 2}}},
    {"reduce",
     0,
     CRL_PORTS_ALL,
     false, // what node 3 sends two ways meets again
     {{1, 3, 1, 0, 0}, {1, 3, 2, 0, 0}, {2, 1, 0, 0, 0}, {2, 2, 0, 0, 0}},
     {{"given-away", 2}, {"counted-twice", 4}}},
    {"reduce", 0, CRL_PORTS_ALL, false, {{1, 3, 1, 0, 0}, {2, 1, 0, 0, 0}}, {{"incomplete", 0}}},
    {"reduce",
     0,
     CRL_PORTS_ALL,
     false, // node 1 sends too early
     {{1, 1, 0, 0, 0}, {1, 2, 0, 0, 0}, {1, 3, 1, 0, 0}},
     {{"incomplete", 0}, {"left-behind", 3}}},
    {"reduce",
     0,
     CRL_PORTS_ALL,
     false, // node 1 has the sum, which comes together with what node 2 has sent on before
     {{1, 0, 1, 0, 0}, {1, 2, 3, 0, 0}, {2, 3, 1, 0, 0}, {3, 1, 0, 0, 0}, {3, 2, 0, 0, 0}},
     {{"replaced-partial", 5}, {"given-away", 5}}},
};

// Of traffic: demands without their header, a period for all (0: none), and whether nothing may wait.
static const struct {
    const char *demands;
    uint32_t period;
    bool nowait;
    struct example example;
} traffic[] = {
    {"a,0,3", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {3, 1, 3, 0, 0}}, {{0}}}},
    {"a,0,3", 0, true, {"traffic", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {3, 1, 3, 0, 0}}, {{"waited", 2}}}},
    {"a,0,1,1,3", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{3, 0, 1, 0, 0}}, {{0}}}},
    {"a,0,1,1,3", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{2, 0, 1, 0, 0}}, {{"before-release", 1}}}},
    {"a,0,1\nb,1,3,,,,,a", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {2, 1, 3, 1, 0}}, {{0}}}},
    {"a,0,1,2\nb,1,3,,,,,a",
     0,
     false,
     {"traffic",
      0,
      CRL_PORTS_ALL,
      false,
      {{1, 0, 1, 0, 0}, {2, 0, 1, 0, 1}, {2, 1, 3, 1, 0}},
      {{"before-release", 3}}}},
    {"a,0,1,1,1,2", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{2, 0, 1, 0, 0}}, {{0}}}},
    {"a,0,1,1,1,2", 0, false, {"traffic", 0, CRL_PORTS_ALL, false, {{3, 0, 1, 0, 0}}, {{"after-deadline", 1}}}},
    {"a,0,1,2", 3, false, {"traffic", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {3, 0, 1, 0, 1}}, {{0}}}},
    {"a,0,1,2",
     2,
     false,
     {"traffic", 0, CRL_PORTS_ALL, false, {{1, 0, 1, 0, 0}, {3, 0, 1, 0, 1}}, {{"period-conflict", 2}}}},
    {"a,0,1\nb,3,1",
     2,
     false,
     {"traffic", 0, CRL_PORTS_SINGLE, false, {{1, 0, 1, 0, 0}, {3, 3, 1, 1, 0}}, {{"period-conflict", 2}}}},
};

static void judge_example(const struct example *e, size_t number, const struct crl_demands *demands, bool nowait)
{
    struct unit u;
    struct crl_report report;
    uint64_t violations = 0, found = 0;
    unit_open(&u, e->collective, 2, e->root, e->ports);
    u.schedule.folded = e->folded;
    u.schedule.demands = u.problem.demands = demands;
    u.problem.nowait = nowait;
    for (const struct crl_move *m = e->moves; m->slot || m->dst; m++)
        unit_add(&u, m->slot, m->src, m->dst, m->origin, m->dest);
    int error = unit_check(&u, &report);
    for (; found < 3 && e->found[found].id; found++) {
        if (found >= report.count) fail_msg("example %zu: no %s", number, e->found[found].id);
        assert_string_equal(report.findings[found].kind->id, e->found[found].id);
        assert_int_equal(report.findings[found].row, e->found[found].row);
        assert_true(*report.findings[found].text);
        violations += report.findings[found].kind->severity == CRL_VIOLATION;
    }
    if (report.count != found) fail_msg("example %zu: also %s", number, report.findings[found].kind->id);
    assert_int_equal(report.violations, violations);
    assert_int_equal(report.warnings, found - violations);
    assert_int_equal(error, violations ? CRL_ERR_RULE : 0);
    crl_report_done(&report);
    unit_close(&u);
}

static void each_finding_blames_the_right_row_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) judge_example(&examples[i], i, NULL, false);
}

static void each_finding_about_demands_blames_the_right_row(void **state)
{
    struct crl_topology *topology;
    struct crl_demands demands;
    struct crl_diag diag;
    char text[200];
    (void)state;
    assert_int_equal(crl_topology_parse(&topology, "hypercube:2", &diag), 0);
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        snprintf(text, sizeof text, "id,src,dst,packets,release,deadline,period,after\n%s\n", traffic[i].demands);
        assert_int_equal(crl_demands_read_bytes(&demands, topology, text, strlen(text), "f", &diag), 0);
        if (traffic[i].period) assert_int_equal(crl_demands_set_period(&demands, traffic[i].period, &diag), 0);
        judge_example(&traffic[i].example, i, &demands, traffic[i].nowait);
        crl_demands_done(&demands);
    }
    crl_topology_free(topology);
}

// The links 0-1 and 2-3 share a cable, which takes a packet every three slots.
static void packets_too_close_on_a_cable_are_found(void **state)
{
    (void)state;
    for (uint32_t slot = 2; slot <= 4; slot++) {
        struct unit u;
        struct crl_report report;
        memset(&u, 0, sizeof u);
        assert_int_equal(crl_topology_parse(&u.topology, "hypercube:2 boards 2 cable 9,3", &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "scatter", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        crl_schedule_init(&u.schedule, u.topology, crl_problem_naming(&u.problem), false);
        unit_add(&u, 1, 0, 1, 0, 1);
        unit_add(&u, 1, 0, 2, 0, 3);
        unit_add(&u, 2, 0, 2, 0, 2);
        unit_add(&u, slot, 2, 3, 0, 3); // the same cable by another link
        assert_int_equal(unit_check(&u, &report), slot < 4 ? CRL_ERR_RULE : 0);
        assert_int_equal(report.count, slot < 4);
        if (slot < 4) assert_string_equal(report.findings[0].kind->id, "cable-conflict");
        if (slot < 4) assert_int_equal(report.findings[0].row, 4);
        crl_report_done(&report);
        unit_close(&u);
    }
}

static uint64_t too_much(const struct crl_problem *problem)
{
    (void)problem;
    return 99;
}

static void a_valid_schedule_below_a_bound_is_reported(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct unit u;
        struct crl_report report;
        unit_plan(&u, unit_schemes[0], 2, 0);
        struct crl_collective wrong = *u.problem.collective;
        if (which) wrong.bound_slots = too_much;
        else wrong.bound_transmissions = too_much;
        u.problem.collective = &wrong;
        assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
        assert_int_equal(report.count, 1);
        assert_string_equal(report.findings[0].kind->id, "below-bound");
        assert_int_equal(report.findings[0].row, 0);
        crl_report_done(&report);
        unit_close(&u);
    }
}

static void every_kind_of_finding_has_an_example(void **state)
{
    (void)state;
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    // Those of LogP machines come last and have a test of their own.
    for (size_t k = 0; k < count && strcmp(kinds[k].id, "range-item"); k++) {
        bool shown = !strcmp(kinds[k].id, "below-bound") || !strcmp(kinds[k].id, "cable-conflict");
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
            for (int f = 0; f < 3 && examples[i].found[f].id; f++)
                shown |= !strcmp(examples[i].found[f].id, kinds[k].id);
        for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++)
            shown |= traffic[i].example.found[0].id && !strcmp(traffic[i].example.found[0].id, kinds[k].id);
        if (!shown) fail_msg("no example of %s", kinds[k].id);
        assert_true(*kinds[k].summary && *kinds[k].advice);
        for (size_t i = 0; i < k; i++) assert_string_not_equal(kinds[i].id, kinds[k].id);
    }
}

static void a_finding_names_the_line_of_the_file(void **state)
{
    (void)state;
    static const char text[] = "slot,src,dst,packet\n2,1,3,0\n2,0,2,0\n1,1,0,0\n1,0,1,0\n";
    struct unit u;
    struct crl_report report;
    FILE *file = unit_file(text, sizeof text - 1);
    unit_open(&u, "broadcast", 2, 0, CRL_PORTS_ALL);
    assert_int_equal(crl_schedule_read_csv(&u.schedule, file, "x", NULL), 0);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.count, 2); // too early, and back to where it comes from
    assert_string_equal(report.findings[0].kind->id, "same-slot");
    assert_string_equal(report.findings[1].kind->id, "redundant");
    assert_int_equal(report.findings[0].row, 4);
    assert_int_equal(report.findings[1].row, 4);
    crl_report_done(&report);
    fclose(file);
    unit_close(&u);
}

static void findings_beyond_the_list_are_counted(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    unit_open(&u, "total-exchange", 4, 0, CRL_PORTS_ALL); // nothing is sent at all
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 240);
    assert_int_equal(report.count, CRL_FINDINGS_LISTED);
    crl_report_done(&report);
    unit_close(&u);

    unit_open(&u, "multinode-broadcast", 4, 0, CRL_PORTS_ALL);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 240);
    crl_report_done(&report);
    for (uint32_t i = 0; i < 150; i++) unit_add(&u, 0, 0, 1, 0, 0);
    for (uint32_t i = 0; i < 150; i++) unit_add(&u, i + 1, 0, 1, 0, 0); // all but the first for nothing
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 150 + 239);
    assert_int_equal(report.warnings, 149);
    assert_int_equal(report.count, 3 * CRL_FINDINGS_LISTED);
    crl_report_done(&report);
    unit_close(&u);
}

static void a_relative_schedule_of_a_problem_with_a_root_is_refused(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    unit_open(&u, "scatter", 2, 0, CRL_PORTS_ALL);
    u.schedule.folded = true;
    assert_int_equal(unit_check(&u, &report), CRL_ERR_ARGUMENT);
    crl_report_done(&report);
    unit_close(&u);
}

// ---- a second judge, on the 3-cube: it keeps the set of packets each node has, slot by slot

static bool judge(const struct crl_schedule *s, const struct crl_problem *problem, uint64_t *held)
{
    static bool has[8][8][8], comes[8][8][8]; // [node][origin][dest]
    memset(has, 0, sizeof has);
    uint32_t origin, dest, last = crl_schedule_slots(s);
    for (uint64_t p = 0; p < crl_problem_packets(problem); p++) {
        crl_problem_packet(problem, p, &origin, &dest);
        has[origin][origin][dest] = true;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        if (!m->slot || m->src > 7 || m->dst > 7 || m->origin > 7 || m->dest > 7 || !has[m->origin][m->origin][m->dest])
            return false;
        if (__builtin_popcount(m->src ^ m->dst) != 1) return false;
    }
    *held = 0;
    for (uint32_t slot = 1; slot <= last; slot++) {
        uint8_t used[8][8] = {{0}}, sends[8] = {0}, receives[8] = {0};
        memset(comes, 0, sizeof comes);
        for (size_t i = 0; i < s->count; i++) {
            const struct crl_move *m = &s->moves[i];
            if (m->slot != slot) continue;
            if (!has[m->src][m->origin][m->dest] || used[m->src][m->dst]++) return false;
            if ((sends[m->src]++ || receives[m->dst]++) && problem->ports == CRL_PORTS_SINGLE) return false;
            comes[m->dst][m->origin][m->dest] = true;
        }
        for (int k = 0; k < 512; k++) ((bool *)has)[k] |= ((bool *)comes)[k];
        uint64_t here[8] = {0}; // packets of others that it will still send
        memset(comes, 0, sizeof comes);
        for (size_t i = 0; i < s->count; i++) {
            const struct crl_move *m = &s->moves[i];
            bool *counted = &comes[m->src][m->origin][m->dest];
            if (m->slot <= slot || m->origin == m->src || !has[m->src][m->origin][m->dest] || *counted) continue;
            *counted = true;
            if (++here[m->src] > *held) *held = here[m->src];
        }
    }
    for (uint64_t p = 0; p < crl_problem_packets(problem); p++)
        for (uint32_t v = 0; v < 8; v++) {
            crl_problem_packet(problem, p, &origin, &dest);
            if (crl_problem_wants(problem, origin, dest, v) && !has[v][origin][dest]) return false;
        }
    return true;
}

static bool assert_judged_alike(struct unit *u)
{
    struct crl_report report;
    uint64_t held;
    bool good = judge(&u->schedule, &u->problem, &held);
    assert_int_equal(unit_check(u, &report), good ? 0 : CRL_ERR_RULE);
    if (good) assert_int_equal(report.buffer_packets, held);
    crl_report_done(&report);
    return good;
}

enum { DELETE, DUPLICATE, EARLIER, LATER, SLOT_0, SRC, DST, ORIGIN, DEST, FAR, KINDS };

static void damage(struct unit *u, size_t i, int kind)
{
    struct crl_move *m = &u->schedule.moves[i];
    switch (kind) {
    case DELETE: *m = u->schedule.moves[--u->schedule.count]; break;
    case DUPLICATE: unit_add(u, m->slot, m->src, m->dst, m->origin, m->dest); break;
    case EARLIER: m->slot--; break;
    case LATER: m->slot++; break;
    case SLOT_0: m->slot = 0; break;
    case SRC: m->src ^= 1; break;
    case DST: m->dst ^= 2; break;
    case ORIGIN: m->origin ^= 4; break;
    case DEST: m->dest ^= 1; break;
    case FAR: m->dst = 9; break;
    }
}

static void every_single_damage_is_judged_as_by_brute_force(void **state)
{
    (void)state;
    int good = 0, bad = 0;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t root = 0; root < 8; root += 5) {
            struct unit u, damaged;
            unit_plan(&u, unit_schemes[k], 3, root);
            unit_expand(&u);
            assert_true(assert_judged_alike(&u));
            for (int kind = 0; kind < KINDS; kind++) {
                if (kind == DEST && u.schedule.naming == CRL_NAMING_ORIGIN) continue;
                for (size_t i = 0; i < u.schedule.count; i++) {
                    damaged = u;
                    assert_int_equal(crl_schedule_expand(&damaged.schedule, &u.schedule, NULL), 0); // a copy
                    damage(&damaged, i, kind);
                    bool still_good = assert_judged_alike(&damaged);
                    if (kind != LATER && kind != EARLIER) assert_false(still_good); // nothing there is spare
                    if (still_good) good++;
                    else bad++;
                    crl_schedule_done(&damaged.schedule);
                }
            }
            unit_close(&u);
        }
    assert_true(good > 10 && bad > 1000); // both verdicts were put to the test
}

static void random_rows_are_judged_as_by_brute_force(void **state)
{
    (void)state;
    uint64_t random = 7;
    int good = 0, bad = 0;
    for (int round = 0; round < 3000; round++) {
        struct unit u;
        unit_plan(&u, unit_schemes[round % 4], 3, round % 8);
        unit_expand(&u);
        if (round / 8 % 2) u.problem.ports = CRL_PORTS_SINGLE;
        for (size_t i = 0; i < u.schedule.count;
             i++) { // spread out over many slots, so that single-port nodes stand a chance
            struct crl_move *m = &u.schedule.moves[i];
            m->slot = m->slot * 20 - unit_below(&random, 19);
        }
        for (uint32_t extra = unit_below(&random, 6); extra > 0; extra--) {
            uint32_t src = unit_below(&random, 8), origin, dest;
            crl_problem_packet(&u.problem, unit_below(&random, crl_problem_packets(&u.problem)), &origin, &dest);
            unit_add(&u, 1 + unit_below(&random, 70), src, src ^ 1u << unit_below(&random, 3), origin, dest);
        }
        if (assert_judged_alike(&u)) good++;
        else bad++;
        unit_close(&u);
    }
    assert_true(good > 100 && bad > 100);
}

static void damaged_relative_schedules_are_judged_as_their_expansions(void **state)
{
    (void)state;
    for (int k = 1; k < UNIT_SCHEMES; k += 3) // those that are symmetric
        for (int kind = 0; kind < KINDS; kind++) {
            struct unit u;
            unit_plan(&u, unit_schemes[k], 3, 0);
            size_t count = u.schedule.count;
            unit_close(&u);
            if (kind == SRC || kind == FAR || (kind == DEST && k == 1)) continue;
            for (size_t i = 0; i < count; i++) {
                struct crl_report relative;
                uint64_t held;
                unit_plan(&u, unit_schemes[k], 3, 0);
                assert_true(u.schedule.folded);
                damage(&u, i, kind);
                int verdict = unit_check(&u, &relative);
                unit_expand(&u);
                assert_int_equal(verdict, judge(&u.schedule, &u.problem, &held) ? 0 : CRL_ERR_RULE);
                if (!verdict) assert_int_equal(relative.buffer_packets, held);
                crl_report_done(&relative);
                unit_close(&u);
            }
        }
}

// Rows of few of very many packets, in any order of these: each delivered by its row, but for one that its sender never
// gets.
static void few_rows_of_many_packets_are_judged_each(void **state)
{
    (void)state;
    enum { D = 6, NODES = 1 << D, MOST = 40 };
    uint64_t random = 71;
    for (uint32_t rows = 1; rows <= MOST; rows += 3)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            struct unit u;
            struct crl_report report;
            bool used[NODES][D] = {{false}};
            unit_open(&u, "total-exchange", D, 0, CRL_PORTS_ALL);
            for (uint32_t n = 0; n < rows;) {
                uint32_t v = unit_below(&random, NODES), p = unit_below(&random, D);
                if (used[v][p]) continue;
                used[v][p] = true;
                unit_add(&u, 1 + n++ / 7, v, v ^ 1u << p, v, v ^ 1u << p);
            }
            unit_add(&u, 9, 3, 2, 5, 2); // node 3 has nothing of 5
            assert_int_equal(crl_check_on(&report, &u.schedule, &u.problem, threads, &u.diag), CRL_ERR_RULE);
            assert_int_equal(report.violations, NODES * (NODES - 1) - rows); // missing, one less and never-held
            assert_int_equal(report.warnings, 0);
            bool found = false;
            for (size_t i = 0; i < report.count; i++)
                found |= !strcmp(report.findings[i].kind->id, "never-held") && report.findings[i].row == rows + 1;
            assert_true(found);
            crl_report_done(&report);
            unit_close(&u);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_blames_the_right_row_and_nothing_else),
        cmocka_unit_test(each_finding_about_demands_blames_the_right_row),
        cmocka_unit_test(packets_too_close_on_a_cable_are_found),
        cmocka_unit_test(a_valid_schedule_below_a_bound_is_reported),
        cmocka_unit_test(every_kind_of_finding_has_an_example),
        cmocka_unit_test(a_finding_names_the_line_of_the_file),
        cmocka_unit_test(findings_beyond_the_list_are_counted),
        cmocka_unit_test(a_relative_schedule_of_a_problem_with_a_root_is_refused),
        cmocka_unit_test(every_single_damage_is_judged_as_by_brute_force),
        cmocka_unit_test(random_rows_are_judged_as_by_brute_force),
        cmocka_unit_test(damaged_relative_schedules_are_judged_as_their_expansions),
        cmocka_unit_test(few_rows_of_many_packets_are_judged_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
