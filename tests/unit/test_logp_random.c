// SPDX-License-Identifier: Apache-2.0
// The checker on LogP machines, rule by rule, against rules written a second time without any haste: of rows that
// anybody may have made up, each finding and the row that it blames, and every measure.
#include "unit_logp.h"

enum { P_MAX = 6, SENDS_MAX = 64, ROWS_MAX = 2000, KINDS_MAX = 64 };

static const char *const names[] = {"broadcast",
                                    "k-item-broadcast",
                                    "continuous-broadcast",
                                    "all-to-all-broadcast",
                                    "all-to-all-personalized",
                                    "combining-broadcast",
                                    "summation"};

// What must be found: how often each kind blames each row (0: none).
struct expected {
    const struct crl_logp_problem *p;
    const struct crl_logp_schedule *s; // in its order
    bool good[SENDS_MAX];
    uint8_t count[KINDS_MAX][ROWS_MAX];
    uint32_t from[SENDS_MAX], to[SENDS_MAX], queue[SENDS_MAX]; // messages that fly with each, or wait
    uint64_t delay, operands, time, waiting, buffers;
};

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void blame(struct expected *e, enum crl_finding_id id, size_t i)
{
    uint32_t line = e->s->sends[i].line;
    e->count[id][line ? line : i + 1]++;
}

static uint64_t there(const struct expected *e, size_t i) { return (uint64_t)e->s->sends[i].rtime + e->p->machine.o; }

static uint32_t items_of(const struct crl_logp_problem *p)
{
    uint32_t P = p->machine.P;
    const uint32_t items[] = {1, p->items, p->items, P, P * P, 2, 1};
    return items[p->kind];
}

static bool exists(const struct crl_logp_problem *p, uint32_t item)
{
    uint32_t P = p->machine.P;
    return item < items_of(p) && (p->kind != CRL_LOGP_ALL_TO_ALL_PERSONALIZED || item / P != item % P);
}

static void expect_ranges(struct expected *e)
{
    uint32_t P = e->p->machine.P;
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            const struct crl_logp_send *y = &e->s->sends[k];
            twice |= x->time == y->time && x->src == y->src && x->dst == y->dst && x->item == y->item;
        }
        bool outside = x->src >= P || x->dst >= P;
        if (outside) blame(e, CRL_FINDING_RANGE_NODE, i);
        else if (!exists(e->p, x->item)) blame(e, CRL_FINDING_RANGE_ITEM, i);
        else if (x->src == x->dst) blame(e, CRL_FINDING_SELF_SEND, i);
        if (twice) blame(e, CRL_FINDING_DUPLICATE_ROW, i);
        e->good[i] = !outside && exists(e->p, x->item) && x->src != x->dst && !twice;
    }
}

// Whether k is received before i, at whatever processor.
static bool received_before(const struct expected *e, size_t k, size_t i)
{
    const struct crl_logp_send *x = &e->s->sends[k], *y = &e->s->sends[i];
    return x->rtime < y->rtime || (x->rtime == y->rtime && k < i);
}

static void expect_times(struct expected *e, size_t i)
{
    const struct crl_logp *m = &e->p->machine;
    const struct crl_logp_send *x = &e->s->sends[i];
    uint64_t arrives = (uint64_t)x->time + m->o + m->L, spacing = most(m->g, m->o), fly = (m->L + m->g - 1) / m->g;
    bool late = x->rtime > arrives && !(e->s->buffered && e->p->kind == CRL_LOGP_K_ITEM);
    if (late || x->rtime < arrives) blame(e, CRL_FINDING_LATENCY, i);
    if (!e->good[i]) return;
    bool sent = false, received = false, last = true;
    uint64_t from = 0, to = 0, waiting = 0;
    for (size_t k = 0; k < e->s->count; k++) {
        const struct crl_logp_send *y = &e->s->sends[k];
        if (!e->good[k]) continue;
        sent |= y->src == x->src && k < i && x->time - y->time < spacing;
        received |= y->dst == x->dst && k != i && received_before(e, k, i) && x->rtime - y->rtime < spacing;
        from += y->src == x->src && k <= i && y->time + m->L > x->time;
        to += y->dst == x->dst && k <= i && y->time + m->L > x->time;
        waiting += y->dst == x->dst && y->time <= x->time && y->rtime > arrives;
        last &= k <= i || y->dst != x->dst || y->time != x->time;
        bool busy = y->src == x->dst && y->time + m->o > x->rtime && y->time < x->rtime + m->o;
        if (busy && m->o && !e->p->full_duplex) blame(e, CRL_FINDING_OVERLAP, i);
    }
    e->from[i] = (uint32_t)from;
    e->to[i] = (uint32_t)to;
    e->queue[i] = (uint32_t)waiting;
    if (sent) blame(e, CRL_FINDING_SEND_GAP, i);
    if (received) blame(e, CRL_FINDING_RECEIVE_GAP, i);
    if (m->L && from > fly) blame(e, CRL_FINDING_CAPACITY, i);
    if (m->L && to > fly + e->s->buffered) blame(e, CRL_FINDING_CAPACITY, i);
    if (!e->s->buffered) return;
    if (last && waiting > 1) blame(e, CRL_FINDING_WAITING, i);
    e->waiting = most(e->waiting, waiting);
}

// When a processor has an item, UINT64_MAX: never.
static uint64_t has(const struct expected *e, uint32_t processor, uint32_t item, bool as_origin)
{
    uint32_t P = e->p->machine.P;
    bool own = e->p->kind == CRL_LOGP_ALL_TO_ALL_BROADCAST      ? processor == item
               : e->p->kind == CRL_LOGP_ALL_TO_ALL_PERSONALIZED ? processor == item / P
                                                                : processor == 0;
    uint64_t since = e->p->kind == CRL_LOGP_CONTINUOUS ? item * most(e->p->machine.g, e->p->machine.o) : 0;
    if (as_origin) return own ? since : UINT64_MAX;
    uint64_t first = own ? since : UINT64_MAX;
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        if (e->good[i] && x->dst == processor && x->item == item && there(e, i) < first) first = there(e, i);
    }
    return first;
}

static void expect_items(struct expected *e)
{
    uint32_t P = e->p->machine.P;
    bool to_one = e->p->kind == CRL_LOGP_ALL_TO_ALL_PERSONALIZED;
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        if (!e->good[i]) continue;
        uint64_t had = has(e, x->src, x->item, false);
        if (had == UINT64_MAX) blame(e, CRL_FINDING_NEVER_HELD, i);
        else if (had > x->time) blame(e, CRL_FINDING_TOO_EARLY, i);
        bool own = has(e, x->dst, x->item, true) != UINT64_MAX;
        uint64_t since = e->p->kind == CRL_LOGP_CONTINUOUS ? x->item * most(e->p->machine.g, e->p->machine.o) : 0;
        if (own || has(e, x->dst, x->item, false) < there(e, i)) blame(e, CRL_FINDING_REDUNDANT, i);
        else e->delay = most(e->delay, there(e, i) - since);
    }
    for (uint32_t item = 0; item < items_of(e->p); item++)
        for (uint32_t q = 0; q < P && exists(e->p, item); q++)
            if (has(e, q, item, false) == UINT64_MAX && (!to_one || q == item % P)) e->count[CRL_FINDING_MISSING][0]++;
}

// How often the value of each processor is in the result of each.
static void expect_combined(struct expected *e)
{
    uint32_t P = e->p->machine.P, flight = e->p->machine.L + 2 * e->p->machine.o;
    uint64_t result[P_MAX][P_MAX] = {{0}}, carried[SENDS_MAX][P_MAX] = {{0}};
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        bool any = false;
        for (size_t k = 0; k < i && e->good[i]; k++) {
            const struct crl_logp_send *y = &e->s->sends[k];
            if (!e->good[k] || y->dst != x->src || y->time + flight > x->time) continue;
            any = true;
            for (uint32_t v = 0; v < P; v++) carried[i][v] += carried[k][v];
        }
        if (!e->good[i]) continue;
        if (x->item == 0) carried[i][x->src]++;
        else if (!any) blame(e, CRL_FINDING_EMPTY, i);
        for (uint32_t v = 0; v < P; v++) result[x->dst][v] += carried[i][v];
    }
    for (uint32_t q = 0; q < P; q++)
        for (uint32_t v = 0; v < P; v++) {
            uint64_t times = result[q][v] + (q == v);
            e->count[CRL_FINDING_NOT_COMBINED][0] += !times;
            e->count[CRL_FINDING_COMBINED_TWICE][0] += times > 1;
        }
}

static void expect_sum(struct expected *e)
{
    uint64_t slots = 0, when[P_MAX], chain[P_MAX] = {0};
    uint32_t P = e->p->machine.P, o = e->p->machine.o;
    memset(when, 0xff, sizeof when);
    for (size_t i = 0; i < e->s->count; i++) slots = most(slots, there(e, i));
    e->time = e->p->time ? e->p->time : e->s->count ? slots + 1 : e->p->operands ? e->p->operands - 1 : 0;
    when[0] = e->time;
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        if (x->src && x->src < P) chain[x->src] = x->time + UINT64_C(1);
        if (!e->good[i]) continue;
        if (when[x->src] != UINT64_MAX) blame(e, CRL_FINDING_COMBINED_TWICE, i);
        else when[x->src] = x->time;
    }
    chain[0] = e->time + 1;
    for (size_t i = 0; i < e->s->count; i++) {
        const struct crl_logp_send *x = &e->s->sends[i];
        uint64_t after = 0;
        if (x->dst < P) chain[x->dst] -= chain[x->dst] > o + UINT64_C(1) ? o + UINT64_C(1) : chain[x->dst];
        if (!e->good[i]) continue;
        for (size_t k = 0; k < e->s->count; k++)
            after += k != i && e->good[k] && e->s->sends[k].dst == x->dst && received_before(e, i, k);
        if (when[x->dst] == UINT64_MAX || there(e, i) > when[x->dst]) blame(e, CRL_FINDING_NOT_COMBINED, i);
        else if (there(e, i) + after * (o + 1) + 1 > when[x->dst])
            blame(e, x->dst ? CRL_FINDING_NO_TIME_TO_ADD : CRL_FINDING_SUM_LATE, i);
    }
    for (uint32_t q = 0; q < P; q++) e->operands += chain[q];
    e->count[CRL_FINDING_FEW_OPERANDS][0] += e->operands < e->p->operands;
}

// Items that a processor has received and will send, at the moment at which it sends the one that row `at` says.
static uint64_t held_at(const struct expected *e, uint32_t processor, uint64_t time)
{
    uint64_t held = 0;
    for (uint32_t item = 0; item < items_of(e->p); item++) {
        bool came = false, goes = false;
        for (size_t i = 0; i < e->s->count; i++) {
            const struct crl_logp_send *x = &e->s->sends[i];
            if (!e->good[i] || (!crl_logp_combines(e->p) && x->item != item)) continue;
            came |= x->dst == processor && there(e, i) <= time;
            goes |= x->src == processor && x->time >= time;
        }
        held += came && goes;
    }
    return held;
}

static void expect_buffers(struct expected *e)
{
    for (uint32_t q = 0; q < e->p->machine.P; q++)
        for (size_t i = 0; i < e->s->count; i++) {
            if (!e->good[i] || e->s->sends[i].src != q) continue;
            e->buffers = most(e->buffers, held_at(e, q, e->s->sends[i].time));
        }
    if (crl_logp_combines(e->p)) e->buffers = e->buffers > 0; // what it combines is one
}

static void expect_all(struct expected *e)
{
    expect_ranges(e);
    for (size_t i = 0; i < e->s->count; i++) expect_times(e, i);
    if (e->p->kind == CRL_LOGP_COMBINING) expect_combined(e);
    else if (e->p->kind == CRL_LOGP_SUMMATION) expect_sum(e);
    else expect_items(e);
    expect_buffers(e);
}

// Texts begin with the row that is to blame, and say how many there were.
static void assert_text(const struct expected *e, const struct crl_finding *f)
{
    size_t i = 0;
    while (f->row != (e->s->sends[i].line ? e->s->sends[i].line : i + 1)) i++;
    const struct crl_logp_send *x = &e->s->sends[i];
    const struct crl_logp *m = &e->p->machine;
    char text[3][160];
    int n =
        snprintf(text[0], sizeof *text, "time %u: processor %u sends item %u to %u", x->time, x->src, x->item, x->dst);
    if (strncmp(f->text, text[0], (size_t)n)) fail_msg("%s, not %s", f->text, text[0]);
    uint32_t fly = (m->L + m->g - 1) / m->g;
    snprintf(text[1], sizeof *text, "; then %u messages fly from %u, but at most %u can", e->from[i], x->src, fly);
    snprintf(text[2], sizeof *text, "; then %u messages fly to %u, but at most %u can", e->to[i], x->dst,
             fly + e->s->buffered);
    if (!strcmp(f->kind->id, "capacity")) assert_true(!strcmp(f->text + n, text[1]) || !strcmp(f->text + n, text[2]));
    snprintf(text[1], sizeof *text, ", where %u messages wait at %u", e->queue[i], x->time + m->o + m->L);
    if (!strcmp(f->kind->id, "waiting-limit")) assert_string_equal(f->text + n, text[1]);
}

static void assert_found(const struct expected *e, const struct crl_logp_report *report)
{
    size_t kinds;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    static uint8_t count[KINDS_MAX][ROWS_MAX];
    assert_true(kinds <= KINDS_MAX);
    memset(count, 0, sizeof count);
    for (size_t f = 0; f < report->common.count; f++) {
        count[report->common.findings[f].kind - kind][report->common.findings[f].row]++;
        if (report->common.findings[f].row) assert_text(e, &report->common.findings[f]);
    }
    for (size_t k = 0; k < kinds; k++)
        for (size_t row = 0; row < ROWS_MAX; row++)
            if (count[k][row] != e->count[k][row])
                fail_msg("%s: %s of row %zu is found %u times, not %u", crl_logp_problem_name(e->p), kind[k].id, row,
                         count[k][row], e->count[k][row]);
    uint64_t slots = 0;
    for (size_t i = 0; i < e->s->count; i++) slots = most(slots, there(e, i));
    double room = (double)e->p->machine.P * (double)slots;
    assert_int_equal(report->common.slots, slots);
    assert_int_equal(report->common.transmissions, e->s->count);
    assert_true(report->common.utilization == (room > 0 ? (double)e->s->count / room : 0));
    assert_int_equal(report->common.buffer_packets, e->buffers);
    assert_int_equal(report->delay, e->delay);
    assert_int_equal(report->waiting, e->waiting);
    assert_int_equal(report->operands, e->operands);
    if (e->p->kind == CRL_LOGP_SUMMATION) assert_int_equal(report->time, e->time);
}

// Rows of any kind, most of them with numbers that there are.
static void make_up(struct unit_logp *u, uint64_t *random)
{
    const struct crl_logp *m = &u->problem.machine;
    for (uint32_t n = unit_below(random, 16); n; n--) {
        uint32_t items = items_of(&u->problem), odd = unit_below(random, 40);
        struct crl_logp_send x = {.time = unit_below(random, 12),
                                  .src = unit_below(random, m->P),
                                  .dst = unit_below(random, m->P),
                                  .item = unit_below(random, items + (odd == 0)),
                                  .line = unit_below(random, 2) ? 0 : 1000 + n};
        if (odd == 1) x.src = m->P + unit_below(random, 2);
        if (odd == 2) x.dst = m->P + unit_below(random, 2);
        if (x.src == x.dst && odd != 3) x.dst = (x.dst + 1) % m->P;
        x.rtime = x.time + m->o + m->L + (u->schedule.buffered ? unit_below(random, 5) : 0);
        if (odd == 4 && u->schedule.buffered && x.rtime) x.rtime--;
        assert_int_equal(crl_logp_schedule_add(&u->schedule, x), 0);
        if (odd == 5) assert_int_equal(crl_logp_schedule_add(&u->schedule, x), 0);
    }
}

// A plan, and some of its rows elsewhere.
static void spoil(struct unit_logp *u, uint64_t *random)
{
    const struct crl_logp *m = &u->problem.machine;
    const struct crl_logp_algorithm *algorithm;
    assert_int_equal(crl_logp_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_logp_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    for (uint32_t n = unit_below(random, 4); n && u->schedule.count; n--) {
        struct crl_logp_send *x = &u->schedule.sends[unit_below(random, u->schedule.count)];
        uint32_t what = unit_below(random, 4);
        if (what == 0) x->time += unit_below(random, 3);
        if (what == 1) x->time -= x->time ? 1 : 0;
        if (what == 2) x->dst = unit_below(random, m->P);
        if (what == 3) x->src = unit_below(random, m->P);
        if (!u->schedule.buffered) x->rtime = x->time + m->o + m->L;
    }
}

static void each_finding_is_one_that_the_rules_make(void **state)
{
    (void)state;
    uint64_t random = 61;
    struct expected *e = malloc(sizeof *e);
    uint64_t seen[KINDS_MAX] = {0};
    assert_non_null(e);
    for (int round = 0; round < 4200; round++) {
        struct unit_logp u;
        logp_open(&u, "logp:P=1,L=1", names[round % 7]);
        struct crl_logp *m = &u.problem.machine;
        *m = (struct crl_logp){1 + unit_below(&random, P_MAX), unit_below(&random, 5), unit_below(&random, 3),
                               1 + unit_below(&random, 3)};
        if (!m->L && !m->o) m->L = 1;
        u.problem.full_duplex = unit_below(&random, 3) == 0;
        bool items = u.problem.kind == CRL_LOGP_K_ITEM || u.problem.kind == CRL_LOGP_CONTINUOUS;
        if (items) u.problem.items = 1 + unit_below(&random, 4);
        if (u.problem.kind == CRL_LOGP_CONTINUOUS) u.problem.full_duplex = true;
        if (u.problem.kind == CRL_LOGP_SUMMATION && unit_below(&random, 2)) u.problem.time = unit_below(&random, 14);
        else if (u.problem.kind == CRL_LOGP_SUMMATION) u.problem.operands = unit_below(&random, 20);
        if (m->P > 1 && m->L && round % 3 == 0 && (u.problem.kind != CRL_LOGP_SUMMATION || u.problem.time)) {
            spoil(&u, &random);
        } else {
            u.schedule.buffered = u.problem.kind == CRL_LOGP_K_ITEM ? unit_below(&random, 4) : !unit_below(&random, 9);
            make_up(&u, &random);
        }
        assert_true(u.schedule.count <= SENDS_MAX);
        int verdict = crl_logp_check(&u.report, &u.schedule, &u.problem, &u.diag);
        memset(e, 0, sizeof *e);
        e->p = &u.problem;
        e->s = &u.schedule;
        expect_all(e);
        assert_found(e, &u.report);
        assert_int_equal(verdict, u.report.common.violations ? CRL_ERR_RULE : 0);
        for (size_t k = 0; k < KINDS_MAX; k++)
            for (size_t row = 0; row < ROWS_MAX; row++) seen[k] += e->count[k][row];
        logp_close(&u);
    }
    static const enum crl_finding_id kinds[] = {
        CRL_FINDING_RANGE_NODE,   CRL_FINDING_RANGE_ITEM, CRL_FINDING_SELF_SEND,      CRL_FINDING_DUPLICATE_ROW,
        CRL_FINDING_LATENCY,      CRL_FINDING_SEND_GAP,   CRL_FINDING_RECEIVE_GAP,    CRL_FINDING_OVERLAP,
        CRL_FINDING_CAPACITY,     CRL_FINDING_WAITING,    CRL_FINDING_TOO_EARLY,      CRL_FINDING_NEVER_HELD,
        CRL_FINDING_MISSING,      CRL_FINDING_REDUNDANT,  CRL_FINDING_EMPTY,          CRL_FINDING_COMBINED_TWICE,
        CRL_FINDING_NOT_COMBINED, CRL_FINDING_SUM_LATE,   CRL_FINDING_NO_TIME_TO_ADD, CRL_FINDING_FEW_OPERANDS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) assert_true(seen[kinds[k]] > 20);
    free(e);
}

// One processor for one time unit has room for one message, though there is nobody to send it to.
static void the_least_room_is_used_too(void **state)
{
    (void)state;
    struct unit_logp u;
    logp_open(&u, "logp:P=1,L=1", "broadcast");
    assert_int_equal(crl_logp_schedule_add(&u.schedule, (struct crl_logp_send){0, 0, 0, 0, 1, 0}), 0);
    assert_int_equal(crl_logp_check(&u.report, &u.schedule, &u.problem, &u.diag), CRL_ERR_RULE);
    assert_true(u.report.common.utilization == 1);
    logp_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_is_one_that_the_rules_make),
        cmocka_unit_test(the_least_room_is_used_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
