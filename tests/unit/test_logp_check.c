// SPDX-License-Identifier: Apache-2.0
// The checker of LogP schedules: an example of each finding, and verdicts on damaged schedules against brute force.
#include "unit_logp.h"

struct example {
    const char *machine, *problem;
    uint32_t items, time;
    uint64_t operands;
    const char *csv;      // rows without the header; a buffered one begins with "B"
    const char *found[3]; // all findings
};

static const struct example examples[] = {
    {"logp:P=2,L=2", "broadcast", 0, 0, 0, "0,0,2,0\n0,0,1,0\n", {"range-node"}},
    {"logp:P=2,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n2,1,0,1\n", {"range-item"}},
    {"logp:P=2,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n5,1,1,0\n", {"self-send"}},
    {"logp:P=2,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n0,0,1,0\n", {"duplicate-row"}},
    {"logp:P=2,L=2", "broadcast", 0, 0, 0, "B0,0,1,0,3\n", {"latency"}},
    {"logp:P=2,L=2", "k-item-broadcast", 1, 0, 0, "B0,0,1,0,1\n", {"latency"}},
    {"logp:P=3,L=6,g=4", "broadcast", 0, 0, 0, "0,0,1,0\n3,0,2,0\n", {"send-gap"}},
    {"logp:P=3,L=6,o=5,g=4", "broadcast", 0, 0, 0, "0,0,1,0\n4,0,2,0\n", {"send-gap"}},
    {"logp:P=3,L=3,g=2",
     "all-to-all-broadcast",
     0,
     0,
     0,
     "0,0,1,0\n0,1,2,1\n1,2,1,2\n2,0,2,0\n2,1,0,1\n4,2,0,2\n",
     {"receive-gap"}},
    {"logp:P=3,L=2,g=2",
     "all-to-all-broadcast",
     0,
     0,
     0,
     "0,0,1,0\n0,1,2,1\n0,2,0,2\n2,0,2,0\n2,1,0,1\n0,2,1,2\n",
     {"send-gap", "receive-gap", "capacity"}},
    {"logp:P=2,L=2,o=3", "all-to-all-broadcast", 0, 0, 0, "0,0,1,0\n4,1,0,1\n", {"overlap"}},
    {"logp:P=4,L=3",
     "k-item-broadcast",
     3,
     0,
     0,
     "B0,0,1,0,3\n1,0,2,1,4\n2,0,3,2,5\n3,1,2,0,7\n4,1,3,0,7\n4,2,3,1,8\n5,2,1,1,8\n5,3,2,2,8\n6,3,1,2,9\n",
     {0}},
    {"logp:P=4,L=1",
     "k-item-broadcast",
     3,
     0,
     0,
     "B0,0,1,0,1\n1,0,2,1,2\n2,0,3,2,3\n4,1,2,0,5\n4,2,1,1,7\n5,1,3,0,6\n5,3,1,2,6\n5,2,3,1,7\n6,3,2,2,7\n",
     {0}},
    {"logp:P=5,L=1",
     "k-item-broadcast",
     3,
     0,
     0,
     "B0,0,1,0,1\n1,0,2,1,2\n2,0,3,2,3\n4,1,4,0,7\n4,2,4,1,6\n4,3,4,2,5\n5,1,2,0,6\n5,2,1,1,6\n5,3,1,2,7\n6,1,3,0,7\n6,"
     "2,3,1,8\n6,3,2,2,7\n",
     {"waiting-limit", "capacity"}},
    {"logp:P=3,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n1,1,2,0\n", {"too-early"}},
    {"logp:P=2,L=2", "continuous-broadcast", 2, 0, 0, "0,0,1,1\n1,0,1,0\n", {"too-early"}},
    {"logp:P=4,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n1,3,2,0\n", {"never-held", "missing"}},
    {"logp:P=3,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n", {"missing"}},
    {"logp:P=3,L=2", "all-to-all-personalized", 0, 0, 0, "0,0,1,1\n0,1,2,5\n0,2,0,6\n1,0,2,2\n1,1,0,3\n", {"missing"}},
    {"logp:P=3,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n1,0,2,0\n3,0,1,0\n", {"redundant"}},
    {"logp:P=3,L=2", "broadcast", 0, 0, 0, "0,0,1,0\n1,0,2,0\n3,1,0,0\n", {"redundant"}},
    {"logp:P=2,L=2", "combining-broadcast", 0, 0, 0, "0,0,1,0\n0,1,0,0\n1,1,0,1\n", {"empty-message"}},
    {"logp:P=2,L=2", "combining-broadcast", 0, 0, 0, "0,0,1,0\n0,1,0,0\n2,1,0,1\n", {"combined-twice"}},
    {"logp:P=2,L=2", "combining-broadcast", 0, 0, 0, "0,0,1,0\n", {"not-combined"}},
    {"logp:P=3,L=2", "summation", 0, 0, 0, "0,1,0,0\n1,2,0,0\n3,2,0,0\n", {"combined-twice"}},
    {"logp:P=2,L=2", "summation", 0, 0, 0, "0,1,0,0\n3,0,1,0\n", {"combined-twice", "not-combined"}},
    {"logp:P=3,L=2", "summation", 0, 9, 0, "0,1,2,0\n1,2,0,0\n", {"not-combined"}},
    {"logp:P=3,L=2", "summation", 0, 9, 0, "0,1,2,0\n2,2,0,0\n", {"no-time-to-add"}},
    {"logp:P=3,L=2", "summation", 0, 2, 0, "0,1,0,0\n", {"sum-late"}},
    {"logp:P=3,L=2", "summation", 0, 0, 6, "0,1,0,0\n", {"too-few-operands"}},
};

static void judge_text(struct unit_logp *u, const struct example *e)
{
    logp_open(u, e->machine, e->problem);
    u->problem.items = e->items;
    u->problem.time = e->time;
    u->problem.operands = e->operands;
    char text[600];
    bool buffered = e->csv[0] == 'B';
    int n = snprintf(text, sizeof text, "time,src,dst,item%s\n%s", buffered ? ",rtime" : "", e->csv + buffered);
    FILE *file = fmemopen(text, (size_t)n, "r");
    assert_int_equal(crl_logp_read_csv(&u->schedule, &u->problem.machine, file, "text", &u->diag), 0);
    fclose(file);
    crl_logp_check(&u->report, &u->schedule, &u->problem, &u->diag);
}

static void each_finding_has_an_example(void **state)
{
    (void)state;
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    bool mine = false;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct unit_logp u;
        judge_text(&u, &examples[i]);
        for (size_t f = 0; f < u.report.common.count; f++) { // nothing else is found
            bool expected = false;
            for (int x = 0; x < 3 && examples[i].found[x]; x++)
                expected |= !strcmp(examples[i].found[x], u.report.common.findings[f].kind->id);
            if (!expected) fail_msg("example %zu: %s", i, u.report.common.findings[f].text);
        }
        for (int x = 0; x < 3 && examples[i].found[x]; x++)
            if (!logp_found(&u, examples[i].found[x])) fail_msg("example %zu: no %s", i, examples[i].found[x]);
        logp_close(&u);
    }
    for (size_t k = 0; k < count; k++) {
        bool shown = false;
        mine |= !strcmp(kinds[k].id, "range-item");
        for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
            for (int x = 0; x < 3 && examples[i].found[x]; x++) shown |= !strcmp(examples[i].found[x], kinds[k].id);
        if (mine && !shown) fail_msg("no example of %s", kinds[k].id);
    }
}

// ---------------------------------------------------------------- brute force

enum { T_MAX = 400, P_MAX = 16, ITEMS_MAX = 256 };

// Plays a strict schedule time unit by time unit and says whether it keeps every rule. Nothing here is shared with the
// checker: processors have calendars, and sets of items or counts of values.
static bool brute_force(const struct crl_logp_schedule *s, const struct crl_logp_problem *p)
{
    static uint8_t sending[P_MAX][T_MAX], receiving[P_MAX][T_MAX];
    static uint32_t in_flight[2][P_MAX][T_MAX];
    static bool has[P_MAX][ITEMS_MAX];
    static uint32_t values[P_MAX][P_MAX], carried[4096][P_MAX];
    const struct crl_logp *m = &p->machine;
    uint32_t P = m->P, spacing = m->g > m->o ? m->g : m->o;
    bool combines = p->kind == CRL_LOGP_COMBINING;
    memset(sending, 0, sizeof sending);
    memset(receiving, 0, sizeof receiving);
    memset(in_flight, 0, sizeof in_flight);
    memset(has, 0, sizeof has);
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_logp_send *x = &s->sends[i];
        if (x->src >= P || x->dst >= P || x->src == x->dst || !crl_logp_item_exists(p, x->item)) return false;
        if (x->rtime != x->time + m->o + m->L) return false;
        for (uint32_t t = x->time; t < x->time + spacing; t++)
            if (sending[x->src][t]++) return false; // two within a gap
        for (uint32_t t = x->rtime; t < x->rtime + spacing; t++)
            if (receiving[x->dst][t]++) return false;
        for (uint32_t t = x->time + m->o; t < x->rtime; t++) {
            if (++in_flight[0][x->src][t] > (m->L + m->g - 1) / m->g) return false;
            if (++in_flight[1][x->dst][t] > (m->L + m->g - 1) / m->g) return false;
        }
    }
    for (size_t i = 0; i < s->count && !p->full_duplex; i++)
        for (size_t k = 0; k < s->count; k++)
            if (s->sends[i].src == s->sends[k].dst)
                for (uint32_t t = 0; t < m->o; t++)
                    if (s->sends[i].time + t >= s->sends[k].rtime && s->sends[i].time + t < s->sends[k].rtime + m->o)
                        return false;
    for (uint32_t t = 0; t < T_MAX; t++) {
        for (uint32_t item = 0; !combines && item < crl_logp_items(p); item++)
            if (crl_logp_item_since(p, item) == t) has[crl_logp_item_origin(p, item)][item] = true;
        for (size_t i = 0; i < s->count; i++) {
            const struct crl_logp_send *x = &s->sends[i];
            if (x->rtime + m->o != t) continue;
            if (!combines) has[x->dst][x->item] = true;
            for (uint32_t q = 0; combines && q < P; q++) values[x->dst][q] += carried[i][q];
        }
        for (size_t i = 0; i < s->count; i++) {
            const struct crl_logp_send *x = &s->sends[i];
            if (x->time != t) continue;
            if (!combines && !has[x->src][x->item]) return false;
            uint32_t sum = 0;
            for (uint32_t q = 0; combines && q < P; q++) sum += carried[i][q] = values[x->src][q];
            if (combines && x->item == 1 && !sum) return false;
            if (combines && x->item == 0) carried[i][x->src]++;
        }
    }
    for (uint32_t q = 0; q < P; q++) {
        for (uint32_t v = 0; combines && v < P; v++)
            if (values[q][v] + (q == v) != 1) return false;
        for (uint32_t item = 0; !combines && item < crl_logp_items(p); item++)
            if (crl_logp_item_exists(p, item) && crl_logp_item_wanted(p, item, q) && !has[q][item]) return false;
    }
    return true;
}

// Changes a row, or drops or doubles it.
static void damage(struct crl_logp_schedule *s, const struct crl_logp *m)
{
    struct crl_logp_send *x = &s->sends[(size_t)rand() % s->count];
    switch (rand() % 7) {
    case 0: x->time += 1; break;
    case 1: x->time -= x->time > 0; break;
    case 2: x->dst = (uint32_t)rand() % m->P; break;
    case 3: x->src = (uint32_t)rand() % m->P; break;
    case 4: x->item = x->item ? x->item - 1 : 1; break;
    case 5: *x = s->sends[--s->count]; return;
    default: {
        struct crl_logp_send *y = &s->sends[(size_t)rand() % s->count];
        uint32_t dst = x->dst;
        x->dst = y->dst;
        y->dst = dst;
    }
    }
    x->rtime = x->time + m->o + m->L;
}

static void damaged_schedules_are_judged_as_by_brute_force(void **state)
{
    (void)state;
    static const char *const names[] = {"broadcast",           "all-to-all-broadcast", "all-to-all-personalized",
                                        "combining-broadcast", "k-item-broadcast",     "continuous-broadcast"};
    size_t bad = 0, good = 0;
    srand(7);
    for (int round = 0; round < 2400; round++) {
        struct unit_logp u;
        size_t a = (size_t)round % 6;
        uint32_t o = (uint32_t)rand() % 3, g = 1 + (uint32_t)rand() % 3;
        logp_open(&u, "logp:P=1,L=1", names[a]);
        u.problem.machine = (struct crl_logp){2 + (uint32_t)rand() % 7, 1 + (uint32_t)rand() % 4, o, g};
        u.problem.full_duplex = a == 5 || rand() % 2;
        if (a >= 4) u.problem.items = 1 + (uint32_t)rand() % 6;
        assert_int_equal(logp_plan(&u, NULL), 0);
        assert_true(brute_force(&u.schedule, &u.problem));
        crl_report_done(&u.report.common);
        for (int n = rand() % 3; n >= 0 && u.schedule.count; n--) damage(&u.schedule, &u.problem.machine);
        int verdict = crl_logp_check(&u.report, &u.schedule, &u.problem, &u.diag);
        bool truth = brute_force(&u.schedule, &u.problem);
        if ((verdict == 0) != truth)
            fail_msg("%s P=%u: checker says %d, brute force %d: %s", names[a], u.problem.machine.P, verdict, truth,
                     u.report.common.count ? u.report.common.findings[0].text : "");
        good += truth;
        bad += !truth;
        logp_close(&u);
    }
    assert_true(bad > 500 && good > 20); // both verdicts came up
}

// ---------------------------------------------------------------- more findings than are listed

static void what_is_missing_is_counted_beyond_the_list(void **state)
{
    (void)state;
    static const char *const names[] = {"all-to-all-personalized", "all-to-all-broadcast", "k-item-broadcast"};
    for (int k = 0; k < 3; k++)
        for (uint32_t kept = 0; kept < 40; kept += 13) { // rows
            struct unit_logp u;
            logp_open(&u, "logp:P=13,L=2", names[k]);
            u.problem.items = k == 2 ? 13 : 0;
            assert_int_equal(logp_plan(&u, NULL), 0);
            uint64_t all = u.report.common.transmissions; // each brings what is wanted
            assert_int_equal(all, 13 * 12);
            crl_report_done(&u.report.common);
            u.schedule.count = kept;
            assert_int_equal(crl_logp_check(&u.report, &u.schedule, &u.problem, &u.diag), CRL_ERR_RULE);
            assert_int_equal(u.report.common.violations, all - kept);
            assert_int_equal(u.report.common.count,
                             all - kept < CRL_FINDINGS_LISTED ? all - kept : CRL_FINDINGS_LISTED);
            logp_close(&u);
        }
}

enum { MANY = 150, ROWS_MAX = 4000 };

// Whoever is below `wrong` does not get its last message: it lacks what that carried. Beyond the list each counts once.
static void wrong_results_are_counted_beyond_the_list(void **state)
{
    (void)state;
    static bool has[MANY][MANY], carried[ROWS_MAX][MANY];
    for (uint32_t wrong = 1; wrong <= 121; wrong += 40) {
        struct unit_logp u;
        logp_open(&u, "logp:P=150,L=2", "combining-broadcast");
        assert_int_equal(logp_plan(&u, NULL), 0);
        crl_report_done(&u.report.common);
        struct crl_logp_schedule *s = &u.schedule;
        uint32_t last[MANY], lacks[MANY] = {0};
        assert_true(s->count < ROWS_MAX);
        memset(has, 0, sizeof has);
        for (uint32_t v = 0; v < MANY; v++) has[v][v] = true;
        for (size_t i = 0, in = 0; i <= s->count; i++) { // in the order of time
            for (; in < i && (i == s->count || s->sends[in].rtime <= s->sends[i].time); in++)
                for (uint32_t v = 0; v < MANY; v++) has[s->sends[in].dst][v] |= carried[in][v];
            if (i == s->count) break;
            // Item 1 is what came in alone.
            for (uint32_t v = 0; v < MANY; v++)
                carried[i][v] = has[s->sends[i].src][v] && (s->sends[i].item == 0 || v != s->sends[i].src);
            last[s->sends[i].dst] = (uint32_t)i;
        }
        uint64_t expected = 0;
        for (uint32_t q = 0; q < wrong; q++) {
            for (uint32_t v = 0; v < MANY; v++) lacks[q] += carried[last[q]][v];
            expected += expected < CRL_FINDINGS_LISTED ? lacks[q] : 1;
        }
        size_t kept = 0;
        for (size_t i = 0; i < s->count; i++)
            if (s->sends[i].dst >= wrong || last[s->sends[i].dst] != i) s->sends[kept++] = s->sends[i];
        s->count = kept;
        assert_int_equal(crl_logp_check(&u.report, s, &u.problem, &u.diag), CRL_ERR_RULE);
        assert_int_equal(u.report.common.violations, expected);
        logp_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finding_has_an_example),
        cmocka_unit_test(damaged_schedules_are_judged_as_by_brute_force),
        cmocka_unit_test(what_is_missing_is_counted_beyond_the_list),
        cmocka_unit_test(wrong_results_are_counted_beyond_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
