// SPDX-License-Identifier: Apache-2.0
// Checker and oracle of parallel prefix, packing, monotone routing and line broadcasts: what is right passes, and what
// lacks a row, or a word, or has another one, does not.
#include "machine/online/online.h"
#include "unit.h"

enum { NODES = 12, ENTRIES = 64 };
static const uint32_t active[] = {1, 4, 6, 7, 10}, dests[] = {0, 1, 2, 3, 5}; // no packet visits a node twice
static const uint32_t starts[NODES + 1] = {0, 2, 2, 3, 6, 6, 7, 7, 7, 9, 10, 10, 12};
enum { ACTIVE = sizeof active / sizeof *active };

// What nodes hold, as the RTL of engine 0 would say it.
struct fake {
    struct unit u;
    struct crl_online *online;
    struct entry {
        uint32_t origin, payload;
    } entry[NODES][4][ENTRIES];
    uint32_t count[NODES][4];
};

static bool held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload)
{
    const struct fake *f = user;
    if (memory >= 4 || address >= f->count[node][memory]) return false;
    *origin = f->entry[node][memory][address].origin;
    *payload = f->entry[node][memory][address].payload;
    return true;
}

static const char *verdict(struct fake *f)
{
    struct crl_online_memory memory = {held, f};
    return crl_online_oracle(f->online, &memory, &f->u.diag);
}

static void hold(struct fake *f, uint32_t node, uint32_t memory, uint32_t origin, uint32_t payload)
{
    f->entry[node][memory][f->count[node][memory]++] = (struct entry){origin, payload};
}

static uint32_t payload(const struct fake *f, uint32_t origin, uint32_t dest)
{
    static const struct crl_geometry geometry = {.words = 1, .data_width = 32};
    return (uint32_t)crl_payload(&f->u.problem, origin, dest, 0, &geometry, 7);
}

static struct fake *open_fake(const char *name)
{
    struct fake *f = calloc(1, sizeof *f);
    const struct crl_algorithm *algorithm;
    assert_non_null(f);
    struct crl_problem *p = &f->u.problem;
    assert_int_equal(crl_topology_parse(&f->u.topology, "mesh:4x3", &f->u.diag), 0);
    assert_int_equal(crl_problem_init(p, name, f->u.topology, 0, CRL_PORTS_ALL, &f->u.diag), 0);
    if (crl_problem_is_partial(p)) assert_int_equal(crl_problem_set_active(p, active, ACTIVE, 1, &f->u.diag), 0);
    if (crl_problem_routes(p)) assert_int_equal(crl_problem_set_dests(p, dests, ACTIVE, &f->u.diag), 0);
    if (crl_problem_has_lines(p)) assert_int_equal(crl_problem_set_lines(p, starts, 0, 1, &f->u.diag), 0);
    assert_int_equal(crl_online_new(&f->online, p, false, 0, 7, &f->u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, p, NULL, &f->u.diag), 0);
    assert_int_equal(crl_plan(&f->u.schedule, algorithm, p, &f->u.diag), 0);
    return f;
}

static void close_fake(struct fake *f)
{
    crl_online_free(f->online);
    unit_close(&f->u);
    free(f);
}

// ---- the checker

static void a_schedule_that_lacks_any_row_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"prefix", "packing", "monotone-routing", "line-broadcast"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct fake *f = open_fake(names[n]);
        struct crl_schedule *s = &f->u.schedule;
        struct crl_report report;
        assert_int_equal(unit_check(&f->u, &report), 0);
        assert_int_equal(report.warnings, 0);
        crl_report_done(&report);
        assert_true(s->count > 5);
        for (size_t i = 0; i < s->count; i++) {
            struct crl_move gone = s->moves[i];
            s->moves[i] = s->moves[--s->count];
            assert_int_equal(unit_check(&f->u, &report), CRL_ERR_RULE);
            crl_report_done(&report);
            assert_int_equal(crl_schedule_add(s, gone), 0);
            assert_int_equal(unit_check(&f->u, &report), 0);
            crl_report_done(&report);
        }
        close_fake(f);
    }
}

static void open_prefix(struct unit *u, const char *topology)
{
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, "prefix", u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, CRL_NAMING_RANGE, false);
}

// Sums of nodes that are disjoint add up, in any order of arrival; sums that share a node do not.
static void sums_add_up_only_if_disjoint(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    open_prefix(&u, "path:4");
    unit_add(&u, 1, 3, 2, 3, 3);
    unit_add(&u, 1, 0, 1, 0, 0);
    unit_add(&u, 2, 1, 2, 0, 1);
    unit_add(&u, 2, 2, 1, 2, 3);
    unit_add(&u, 3, 2, 3, 0, 2);
    unit_add(&u, 3, 1, 0, 1, 3);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.slots, report.bound_slots);
    assert_int_equal(report.transmissions, report.bound_transmissions);
    crl_report_done(&report);
    struct crl_move *last = NULL;
    for (size_t i = 0; i < u.schedule.count; i++)
        if (u.schedule.moves[i].dst == 3) last = &u.schedule.moves[i];
    *last = (struct crl_move){3, 2, 3, 0, 1}; // lacks node 2
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 1);
    assert_string_equal(report.findings[0].kind->id, "missing");
    crl_report_done(&report);
    for (size_t i = 0; i < u.schedule.count; i++)
        if (u.schedule.moves[i].dst == 3) last = &u.schedule.moves[i];
    *last = (struct crl_move){2, 2, 3, 0, 2}; // node 2 gets 0-1 in that slot
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 1);
    assert_string_equal(report.findings[0].kind->id, "not-yet");
    crl_report_done(&report);
    for (size_t i = 0; i < u.schedule.count; i++)
        if (u.schedule.moves[i].dst == 1 && u.schedule.moves[i].src == 2) last = &u.schedule.moves[i];
    *last = (struct crl_move){2, 2, 1, 1, 3}; // has node 1 in it, twice then
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_string_equal(report.findings[0].kind->id, "never-held");
    crl_report_done(&report);
    unit_close(&u);
}

// What a node needs may come with its own value in it.
static void a_sum_with_the_own_value_will_do(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    open_prefix(&u, "complete:3");
    unit_add(&u, 1, 1, 0, 1, 1);
    unit_add(&u, 1, 2, 0, 2, 2);
    unit_add(&u, 1, 2, 1, 2, 2);
    unit_add(&u, 2, 0, 1, 0, 1);
    unit_add(&u, 2, 0, 2, 0, 1);
    assert_int_equal(unit_check(&u, &report), 0);
    crl_report_done(&report);
    unit_close(&u);
}

// ---- the oracle

static void sums(struct fake *f)
{
    uint32_t sum = 0, all = 0;
    for (uint32_t v = 0; v < NODES; v++) all += payload(f, v, v);
    for (uint32_t v = 0; v < NODES; v++) {
        sum += payload(f, v, v);
        hold(f, v, 0, v, sum);
        hold(f, v, 1, v, all);
    }
}

static void sums_must_be_right(void **state)
{
    (void)state;
    struct fake *f = open_fake("prefix");
    sums(f);
    assert_string_equal(verdict(f), "ok");
    for (uint32_t memory = 0; memory < 2; memory++) {
        f->entry[5][memory][0].payload ^= 1;
        assert_string_equal(verdict(f), "wrong");
        f->entry[5][memory][0].payload ^= 1;
        f->count[11][memory] = 0;
        assert_string_equal(verdict(f), "missing");
        f->count[11][memory] = 1;
    }
    assert_string_equal(verdict(f), "ok");
    close_fake(f);
}

static void routed_packets_must_be_where_they_belong(void **state)
{
    (void)state;
    static const char *const names[] = {"packing", "monotone-routing"};
    for (int monotone = 0; monotone < 2; monotone++) {
        struct fake *f = open_fake(names[monotone]);
        for (uint32_t i = 0; i < ACTIVE; i++) {
            uint32_t to = monotone ? dests[i] : i;
            hold(f, to, 2, monotone ? to : active[i], payload(f, active[i], to));
        }
        assert_string_equal(verdict(f), "ok");
        struct entry *first = &f->entry[0][2][0];
        first->payload ^= 4;
        assert_string_equal(verdict(f), "wrong");
        first->payload ^= 4;
        first->origin++;
        assert_string_equal(verdict(f), "wrong");
        first->origin--;
        f->count[0][2] = 0;
        assert_string_equal(verdict(f), "missing");
        f->count[0][2] = 1;
        hold(f, 8, 2, 8, 0);
        assert_string_equal(verdict(f), "extra");
        f->count[8][2] = 0;
        hold(f, 0, 1, 0, 0);
        assert_string_equal(verdict(f), "extra");
        close_fake(f);
    }
}

static void lines_must_be_complete(void **state)
{
    (void)state;
    struct fake *f = open_fake("line-broadcast");
    for (uint32_t v = 0; v < NODES; v++)
        for (uint32_t from = v / 4 * 4; from < v / 4 * 4 + 4; from++)
            for (uint32_t i = 0; i < starts[from + 1] - starts[from]; i++)
                hold(f, v, from <= v ? 0 : 1, from, payload(f, from, i));
    assert_string_equal(verdict(f), "ok");
    struct entry *last = &f->entry[3][0][--f->count[3][0]];
    assert_string_equal(verdict(f), "missing");
    hold(f, 3, 1, last->origin, last->payload); // where it came from says nothing
    assert_string_equal(verdict(f), "ok");
    hold(f, 3, 0, last->origin, last->payload);
    assert_string_equal(verdict(f), "extra");
    f->count[3][0]--;
    hold(f, 3, 0, 8, payload(f, 8, 0)); // of another line
    assert_string_equal(verdict(f), "wrong");
    f->count[3][0]--;
    f->entry[2][0][0].payload ^= 1;
    assert_string_equal(verdict(f), "wrong");
    close_fake(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule_that_lacks_any_row_is_refused), cmocka_unit_test(sums_add_up_only_if_disjoint),
        cmocka_unit_test(a_sum_with_the_own_value_will_do),         cmocka_unit_test(sums_must_be_right),
        cmocka_unit_test(routed_packets_must_be_where_they_belong), cmocka_unit_test(lines_must_be_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
