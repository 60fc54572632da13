// SPDX-License-Identifier: Apache-2.0
// The checker of parallel prefix: damaged schedules against rules that are spelled out here sum by sum.
#include "unit.h"

enum { NODES = 8, ROWS_MAX = 64, FOUND_MAX = 512 };

struct found {
    enum crl_finding_id id;
    size_t row;
    char text[160];
};

struct brute {
    const struct crl_schedule *schedule; // in canonical order
    bool bad[ROWS_MAX], held[ROWS_MAX];  // whether the row's sum is kept where it comes in
    struct found found[FOUND_MAX];
    size_t count;
};

static void find(struct brute *b, enum crl_finding_id id, size_t row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(b->count < FOUND_MAX);
    struct found *f = &b->found[b->count++];
    f->id = id;
    f->row = row;
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

// Whether node v can add up first…last of its own value and the sums that rows before `rows` brought it.
static bool adds_up(const struct brute *b, uint32_t v, uint32_t first, uint32_t last, size_t rows)
{
    if (first > last) return true;
    if (first == v && adds_up(b, v, v + 1, last, rows)) return true;
    for (size_t i = 0; i < rows; i++) {
        const struct crl_move *m = &b->schedule->moves[i];
        if (b->held[i] && m->dst == v && m->origin == first && m->dest <= last &&
            adds_up(b, v, m->dest + 1, last, rows))
            return true;
    }
    return false;
}

static bool is_bad(const struct crl_topology *t, const struct crl_move *m)
{
    if (!m->slot || m->src >= NODES || m->dst >= NODES || m->origin > m->dest || m->dest >= NODES) return true;
    return crl_topology_port_to(t, m->src, m->dst) == CRL_NONE;
}

// Returns the packets that are buffered: 1 where anybody sends more than its own value.
static uint64_t judge(struct brute *b, const struct unit *u)
{
    const struct crl_schedule *s = &u->schedule;
    char text[CRL_MOVE_TEXT];
    bool early[ROWS_MAX];
    uint64_t buffers = 0;
    assert_true(s->count <= ROWS_MAX);
    *b = (struct brute){.schedule = s};
    for (size_t i = 0; i < s->count; i++) b->bad[i] = is_bad(u->topology, &s->moves[i]);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        size_t before = 0; // rows of earlier slots
        while (s->moves[before].slot < m->slot) before++;
        early[i] = !b->bad[i] && !adds_up(b, m->src, m->origin, m->dest, before);
        if (b->bad[i]) continue;
        if (m->origin != m->src || m->dest != m->src) buffers = 1;
        if (!adds_up(b, m->dst, m->origin, m->dest, i)) b->held[i] = true;
        else find(b, CRL_FINDING_REDUNDANT, i + 1, "%s, which already has it", crl_move_text(s, m, text));
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        if (!early[i]) continue;
        if (adds_up(b, m->src, m->origin, m->dest, s->count))
            find(b, CRL_FINDING_NOT_YET, i + 1, "%s, but cannot add it up yet", crl_move_text(s, m, text));
        else find(b, CRL_FINDING_NEVER_HELD, i + 1, "%s, but can never add it up", crl_move_text(s, m, text));
    }
    for (uint32_t v = 0; v < NODES; v++) {
        if (!adds_up(b, v, 0, v, s->count)) find(b, CRL_FINDING_MISSING, 0, "node %u cannot add up the sum 0-%u", v, v);
        if (v < NODES - 1 && !adds_up(b, v, 0, NODES - 1, s->count))
            find(b, CRL_FINDING_MISSING, 0, "node %u cannot add up the sum of all, 0-7", v);
    }
    return buffers;
}

// How often the report has the finding, and the number of those of these kinds in all.
static size_t times(const struct crl_report *r, const struct found *f, size_t *all)
{
    size_t kinds, n = 0;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    *all = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct crl_finding *g = &r->findings[i];
        enum crl_finding_id id = (enum crl_finding_id)(g->kind - kind);
        *all += id == CRL_FINDING_REDUNDANT || id == CRL_FINDING_NOT_YET || id == CRL_FINDING_NEVER_HELD ||
                id == CRL_FINDING_MISSING;
        n += f && id == f->id && g->row == f->row && !strcmp(g->text, f->text);
    }
    return n;
}

static void open_plan(struct unit *u)
{
    const struct crl_algorithm *algorithm;
    unit_open(u, "prefix", 3, 0, CRL_PORTS_ALL);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

static void damage(struct unit *u, uint32_t rows, uint64_t *random)
{
    struct unit damaged = *u;
    struct crl_move moves[ROWS_MAX];
    size_t count = u->schedule.count;
    assert_true(count < ROWS_MAX / 2);
    memcpy(moves, u->schedule.moves, sizeof *moves * count);
    for (; rows; rows--) {
        struct crl_move *m = &moves[unit_below(random, count)];
        switch (unit_below(random, 9)) {
        case 0: m->slot += 1; break;
        case 1: m->slot -= m->slot > 0; break;
        case 2: m->dst = unit_below(random, NODES + 1); break;
        case 3: m->dst = m->src ^ 1u << unit_below(random, 3); break;
        case 4: m->origin = unit_below(random, NODES); break;
        case 5: m->dest = unit_below(random, NODES + 1); break;
        case 6: *m = moves[--count]; break;
        case 7: m->origin = m->dest = m->src; break;
        default: moves[count] = *m; moves[count++].slot += unit_below(random, 3);
        }
    }
    crl_schedule_init(&damaged.schedule, u->topology, u->schedule.naming, false);
    for (size_t i = 0; i < count; i++)
        unit_add(&damaged, moves[i].slot, moves[i].src, moves[i].dst, moves[i].origin, moves[i].dest);
    crl_schedule_done(&u->schedule);
    u->schedule = damaged.schedule;
}

static void damaged_schedules_are_judged_as_by_brute_force(void **state)
{
    (void)state;
    static struct brute brute;
    uint64_t random = 61, kinds[CRL_FINDINGS] = {0};
    for (int round = 0; round < 1500; round++) {
        struct unit u;
        struct crl_report report;
        open_plan(&u);
        damage(&u, (uint32_t)round % 8, &random);
        int error = crl_check_on(&report, &u.schedule, &u.problem, 1 + (uint32_t)round % 3, &u.diag);
        uint64_t buffers = judge(&brute, &u);
        size_t all;
        times(&report, NULL, &all);
        assert_int_equal(all, brute.count);
        for (size_t i = 0; i < brute.count; i++) {
            // A row that is there twice is blamed by its first line or its second.
            if (times(&report, &brute.found[i], &all) < 1) fail_msg("round %d: no %s", round, brute.found[i].text);
            kinds[brute.found[i].id]++;
        }
        assert_int_equal(report.buffer_packets, buffers);
        if (!round) assert_int_equal(error, 0);
        crl_report_done(&report);
        unit_close(&u);
    }
    assert_true(kinds[CRL_FINDING_REDUNDANT] > 50 && kinds[CRL_FINDING_NOT_YET] > 50 &&
                kinds[CRL_FINDING_NEVER_HELD] > 50 && kinds[CRL_FINDING_MISSING] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_schedules_are_judged_as_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
