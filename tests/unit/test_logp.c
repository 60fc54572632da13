// SPDX-License-Identifier: Apache-2.0
// LogP machines: the figures of K93, bounds against other ways to compute them, and sweeps of every algorithm.
#include "unit_logp.h"

static void figure_1_broadcast(void **state)
{
    (void)state;
    struct unit_logp u;
    logp_open(&u, "logp:P=8,L=6,o=2,g=4", "broadcast");
    assert_int_equal(logp_plan(&u, NULL), 0);
    assert_int_equal(u.report.common.slots, 24);
    assert_int_equal(u.report.common.bound_slots, 24);
    static const uint32_t there[] = {10, 14, 18, 20, 22, 24, 24};
    for (size_t i = 0; i < u.schedule.count; i++)
        assert_int_equal(u.schedule.sends[i].rtime + u.problem.machine.o, there[i]);
    logp_close(&u);
}

static void figure_6_summation(void **state)
{
    (void)state;
    struct unit_logp u;
    logp_open(&u, "logp:P=8,L=5,o=2,g=4", "summation");
    u.problem.time = 28;
    assert_int_equal(logp_plan(&u, NULL), 0);
    assert_int_equal(u.report.operands, 79);
    static const uint64_t expected[] = {17, 13, 12, 11, 9, 7, 5, 5};
    uint64_t chain[8];
    bool used[8] = {0};
    crl_logp_chains(&u.schedule, &u.problem, u.report.time, chain);
    for (int i = 0; i < 8; i++) { // in any order
        int q = 0;
        while (q < 8 && (used[q] || chain[q] != expected[i])) q++;
        assert_true(q < 8);
        used[q] = true;
    }
    logp_close(&u);
}

static void figure_2_k_items(void **state)
{
    (void)state;
    struct unit_logp u;
    logp_open(&u, "logp:P=10,L=3", "k-item-broadcast");
    u.problem.items = 8;
    assert_int_equal(logp_plan(&u, "block-cyclic"), 0);
    assert_int_equal(u.report.common.slots, 17);
    assert_int_equal(u.report.common.bound_slots, 15);
    assert_int_equal(crl_logp_bound_single_sending(&u.problem), 17);
    logp_close(&u);
}

static void slotwise_meets_the_bound_of_few_items(void **state)
{
    (void)state;
    static const uint32_t cases[][4] = {{5, 4, 1, 7}, {5, 4, 2, 9}, {8, 3, 4, 11}, {10, 3, 4, 11},
                                        {5, 2, 5, 9}, {2, 3, 4, 6}, {10, 3, 8, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit_logp u;
        logp_open(&u, "logp:P=1,L=1", "k-item-broadcast");
        u.problem.machine = (struct crl_logp){cases[i][0], cases[i][1], 0, 1};
        u.problem.items = cases[i][2];
        assert_int_equal(logp_plan(&u, "slotwise"), 0);
        assert_int_equal(u.report.common.slots, cases[i][3]);
        assert_int_equal(u.report.common.bound_slots, cases[i][3]);
        logp_close(&u);
    }
}

// Theorem 3.1 of K93 as printed gives 8 here; one item is a broadcast, which takes 7.
static void few_items_are_bounded_by_counting(void **state)
{
    (void)state;
    struct unit_logp u;
    logp_open(&u, "logp:P=5,L=4", "k-item-broadcast");
    u.problem.items = 1;
    assert_int_equal(crl_logp_bound_slots(&u.problem), 7);
    assert_int_equal(logp_plan(&u, NULL), 0);
    assert_int_equal(u.report.common.slots, 7);
    logp_close(&u);
}

static void broadcast_time_is_the_recurrence(void **state)
{
    (void)state;
    struct crl_logp wide = {256, 16, 1, 1};
    assert_int_equal(crl_logp_broadcast_time(&wide, 256), 56);
    for (uint32_t L = 1; L <= 12; L++) { // postal: f_t processors by t
        uint64_t f[200];
        uint32_t t = 0;
        struct crl_logp m = {1, L, 0, 1};
        for (uint32_t P = 1; P <= 300; P++) {
            for (; t == 0 || f[t - 1] < P; t++) f[t] = t < L ? 1 : f[t - 1] + f[t - L];
            assert_int_equal(crl_logp_broadcast_time(&m, P), t - 1);
        }
    }
}

// The tree is what "everybody sends as soon and as often as it can" reaches, played time unit by time unit.
static void broadcast_time_is_the_play(void **state)
{
    (void)state;
    for (uint32_t L = 0; L <= 5; L++)
        for (uint32_t o = L ? 0 : 1; o <= 3; o++)
            for (uint32_t g = 1; g <= 5; g++) {
                struct crl_logp m = {40, L, o, g};
                uint32_t since[64] = {0}, known = 1, spacing = g > o ? g : o;
                for (uint32_t t = 0; known <= 40; t++) {
                    uint32_t arrived = 0;
                    for (uint32_t q = 0; q < known; q++) {
                        uint32_t sent = t - L - 2 * o;
                        arrived += t >= L + 2 * o && sent >= since[q] && (sent - since[q]) % spacing == 0;
                    }
                    for (uint32_t i = 0; i < arrived && known <= 40; i++) {
                        since[known++] = t;
                        assert_int_equal(crl_logp_broadcast_time(&m, known), t);
                    }
                }
            }
}

static void every_broadcast_and_total_exchange_is_valid(void **state)
{
    (void)state;
    static const char *const names[] = {"broadcast",           "all-to-all-broadcast", "all-to-all-personalized",
                                        "combining-broadcast", "k-item-broadcast",     "summation"};
    for (size_t a = 0; a < sizeof names / sizeof *names; a++)
        for (uint32_t P = 1; P <= 13; P++)
            for (uint32_t L = 0; L <= 5; L++)
                for (uint32_t o = L ? 0 : 1; o <= 3; o++)
                    for (uint32_t g = 1; g <= 5; g += 2)
                        for (int duplex = 0; duplex < 2; duplex++) {
                            struct unit_logp u;
                            logp_open(&u, "logp:P=1,L=1", names[a]);
                            u.problem.machine = (struct crl_logp){P, L, o, g};
                            u.problem.full_duplex = duplex;
                            if (a == 4) u.problem.items = 1 + P % 4;
                            if (a == 5) u.problem.operands = 1 + 3 * P * L;
                            if (logp_plan(&u, NULL))
                                fail_msg("%s P=%u L=%u o=%u g=%u: %s", names[a], P, L, o, g,
                                         u.report.common.findings[0].text);
                            assert_int_equal(u.report.common.warnings, 0);
                            bool met = u.report.common.slots == u.report.common.bound_slots;
                            if (a == 0) assert_true(met);
                            if ((a == 1 || a == 2) && (duplex || o == 0)) assert_true(met);
                            if (a == 3 && o == 0 && g == 1) assert_true(met);
                            logp_close(&u);
                        }
}

// K93's rule for send and receive overheads that meet: constant rounds work iff no |a·g − (L+o+b·g)| < o.
static void total_exchange_meets_its_bound_where_overheads_do(void **state)
{
    (void)state;
    for (uint32_t P = 2; P <= 9; P++)
        for (uint32_t L = 0; L <= 8; L++)
            for (uint32_t o = 1; o <= 4; o++)
                for (uint32_t g = o; g <= 9; g++) {
                    bool fits = true;
                    for (int64_t a = 0; a <= P - 2; a++)
                        for (int64_t b = 0; b <= P - 2; b++) fits &= labs(a * g - (L + o + b * g)) >= o;
                    struct unit_logp u;
                    logp_open(&u, "logp:P=1,L=1", "all-to-all-personalized");
                    u.problem.machine = (struct crl_logp){P, L, o, g};
                    assert_int_equal(logp_plan(&u, NULL), 0);
                    assert_true(!fits || u.report.common.slots == L + 2 * o + (P - 2) * g);
                    logp_close(&u);
                }
}

static void combining_takes_as_long_as_a_broadcast(void **state)
{
    (void)state;
    for (uint32_t L = 1; L <= 10; L++)
        for (uint32_t P = 2; P <= 100; P++) {
            struct unit_logp u;
            logp_open(&u, "logp:P=1,L=1", "combining-broadcast");
            u.problem.machine = (struct crl_logp){P, L, 0, 1};
            assert_int_equal(logp_plan(&u, "cyclic"), 0);
            assert_int_equal(u.report.common.slots, crl_logp_broadcast_time(&u.problem.machine, P));
            logp_close(&u);
        }
}

// Time and operands are inverses of each other, and plans keep to them.
static void summation_inverts(void **state)
{
    (void)state;
    struct crl_logp m = {8, 5, 2, 4};
    assert_int_equal(crl_logp_operands_in(&m, 28), 79);
    for (uint64_t n = 1; n < 300; n++) {
        uint64_t time = crl_logp_time_for(&m, n);
        assert_true(crl_logp_operands_in(&m, time) >= n);
        assert_true(time == 0 || crl_logp_operands_in(&m, time - 1) < n);
        struct unit_logp u;
        logp_open(&u, "logp:P=8,L=5,o=2,g=4", "summation");
        u.problem.operands = n;
        assert_int_equal(logp_plan(&u, NULL), 0);
        assert_true(u.report.operands >= n);
        assert_true(u.report.time <= time);
        logp_close(&u);
    }
}

// Extra delay of block-cyclic broadcasts: none but for these.
static bool needs_extra(uint32_t L, uint32_t P)
{
    static const uint32_t exceptions[][2] = {{2, 6},  {2, 9},  {2, 22}, {2, 33}, {2, 34}, {2, 35},
                                             {2, 50}, {2, 51}, {2, 52}, {2, 53}, {2, 54}, {2, 55},
                                             {2, 56}, {4, 8},  {6, 10}, {8, 12}, {10, 14}};
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i][0] == L && exceptions[i][1] == P) return true;
    return false;
}

static void items(const char *name, const char *scheme, uint32_t L, uint32_t P, uint32_t k, uint64_t extra)
{
    struct unit_logp u;
    logp_open(&u, "logp:P=1,L=1", name);
    u.problem.machine = (struct crl_logp){P, L, 0, 1};
    u.problem.items = k;
    if (logp_plan(&u, scheme)) fail_msg("%s P=%u L=%u k=%u: %s", scheme, P, L, k, u.report.common.findings[0].text);
    if (u.report.common.slots != crl_logp_bound_single_sending(&u.problem) + extra)
        fail_msg("%s P=%u L=%u k=%u: %llu slots", scheme, P, L, k, (unsigned long long)u.report.common.slots);
    if (u.problem.kind == CRL_LOGP_CONTINUOUS) // what every item takes that processor 0 sends once
        assert_int_equal(u.report.delay, crl_logp_bound_single_sending(&u.problem) - (k - 1) + extra);
    assert_true(u.report.waiting <= 1);
    logp_close(&u);
}

static void items_meet_the_single_sending_bound(void **state)
{
    (void)state;
    for (uint32_t L = 1; L <= 10; L++)
        for (uint32_t P = 2; P <= 60; P += 1 + (L != 2 && P % 3 == 0)) {
            uint32_t k = 1 + (P * 7 + L * 5) % 40;
            items("k-item-broadcast", "block-cyclic", L, P, k, needs_extra(L, P));
            items("continuous-broadcast", "block-cyclic", L, P, k, needs_extra(L, P));
            if (L <= 6) items("k-item-broadcast", "buffered", L, P, k, 0);
        }
}

static void continuous_broadcast_reaches_far(void **state)
{
    (void)state;
    for (uint32_t L = 11; L <= 40; L += 3) items("continuous-broadcast", "block-cyclic", L, 150 + 7 * L, 30, 0);
    items("k-item-broadcast", "block-cyclic", 3, 12000, 2, 0);
    items("continuous-broadcast", "block-cyclic", 2, 1598, 2, 1); // K93 Theorem 3.5
}

static uint64_t slots_of(const char *machine, const char *name, uint32_t count, const char *scheme, uint64_t *delay)
{
    struct unit_logp u;
    logp_open(&u, machine, name);
    u.problem.items = count;
    assert_int_equal(logp_plan(&u, scheme), 0);
    assert_true(u.report.common.slots >= crl_logp_bound_slots(&u.problem));
    if (delay) *delay = u.report.delay;
    if (delay) assert_true(u.report.delay >= crl_logp_bound_delay(&u.problem));
    uint64_t slots = u.report.common.slots;
    logp_close(&u);
    return slots;
}

// Where there is no other processor or no other item, overheads cannot meet.
static void who_only_sends_or_only_receives_need_not_wait(void **state)
{
    (void)state;
    uint64_t delay;
    assert_int_equal(slots_of("logp:P=2,L=6,o=4,g=1", "k-item-broadcast", 2, NULL, NULL), 18);
    assert_int_equal(slots_of("logp:P=2,L=6,o=4,g=1", "k-item-broadcast", 9, "buffered", NULL), 46);
    assert_int_equal(slots_of("logp:P=2,L=6,o=4,g=1", "continuous-broadcast", 5, NULL, &delay), 30);
    assert_int_equal(delay, 14);
    assert_int_equal(slots_of("logp:P=9,L=6,o=4,g=1", "continuous-broadcast", 1, NULL, &delay), 32); // B(9)
    assert_int_equal(delay, 32);
    slots_of("logp:P=9,L=6,o=4,g=1", "continuous-broadcast", 1, "block-cyclic", &delay);
}

// Two items for three others: processor 0 sends each twice, and nobody waits for seven steps, as he must with more.
static void few_items_may_be_sent_often(void **state)
{
    (void)state;
    static const struct crl_logp_send sends[] = {{0, 0, 1, 0, 3, 0}, {1, 0, 2, 1, 4, 0}, {2, 0, 2, 0, 5, 0},
                                                 {3, 1, 3, 0, 6, 0}, {3, 0, 1, 1, 6, 0}, {4, 2, 3, 1, 7, 0}};
    struct unit_logp u;
    logp_open(&u, "logp:P=4,L=3", "continuous-broadcast");
    u.problem.items = 2;
    for (size_t i = 0; i < sizeof sends / sizeof *sends; i++)
        assert_int_equal(crl_logp_schedule_add(&u.schedule, sends[i]), 0);
    assert_int_equal(crl_logp_check(&u.report, &u.schedule, &u.problem, &u.diag), 0);
    assert_int_equal(u.report.delay, 6);
    assert_true(crl_logp_bound_delay(&u.problem) <= 6);
    logp_close(&u);
}

static void a_sum_without_messages_is_bounded_by_0(void **state)
{
    (void)state;
    for (uint32_t o = 0; o <= 3; o++)
        for (uint32_t time = 1; time <= 30; time++) {
            struct unit_logp u;
            logp_open(&u, "logp:P=4,L=6", "summation");
            u.problem.machine.o = o;
            u.problem.time = time;
            assert_int_equal(logp_plan(&u, NULL), 0);
            assert_int_equal(u.report.common.slots, crl_logp_bound_slots(&u.problem));
            assert_int_equal(u.report.operands, crl_logp_operands_in(&u.problem.machine, time));
            logp_close(&u);
        }
}

static void texts_of_machines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        uint64_t col;
    } cases[] = {
        {"logp:P=8,L=6,o=2,g=4", "logp:P=8,L=6,o=2,g=4", 0},
        {"logp:L=3,P=10", "logp:P=10,L=3,o=0,g=1", 0},
        {"logp:P=0,L=1", NULL, 8},
        {"logp:P=4,L=-1", NULL, 12},
        {"logp:P=4,L=1,g=0", NULL, 16},
        {"logp:P=4", NULL, 9},
        {"logp:L=4", NULL, 9},
        {"logp:P=4,P=4,L=1", NULL, 10},
        {"logp:P=4,L=1,x=1", NULL, 14},
        {"logp:P=4;L=1", NULL, 9},
        {"logp:P=4,L=0", NULL, 13},
        {"logp:P=99999999,L=1", NULL, 8},
        {"logp:", NULL, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crl_logp m;
        struct crl_diag diag;
        char name[CRL_LOGP_NAME];
        int error = crl_logp_parse(&m, cases[i].text, &diag);
        assert_int_equal(error, cases[i].name ? 0 : CRL_ERR_PARSE);
        if (!error) crl_logp_name(&m, name);
        if (!error) assert_string_equal(name, cases[i].name);
        else assert_int_equal(diag.col, cases[i].col);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_broadcast),
        cmocka_unit_test(figure_6_summation),
        cmocka_unit_test(figure_2_k_items),
        cmocka_unit_test(slotwise_meets_the_bound_of_few_items),
        cmocka_unit_test(few_items_are_bounded_by_counting),
        cmocka_unit_test(broadcast_time_is_the_recurrence),
        cmocka_unit_test(broadcast_time_is_the_play),
        cmocka_unit_test(every_broadcast_and_total_exchange_is_valid),
        cmocka_unit_test(total_exchange_meets_its_bound_where_overheads_do),
        cmocka_unit_test(combining_takes_as_long_as_a_broadcast),
        cmocka_unit_test(summation_inverts),
        cmocka_unit_test(items_meet_the_single_sending_bound),
        cmocka_unit_test(continuous_broadcast_reaches_far),
        cmocka_unit_test(who_only_sends_or_only_receives_need_not_wait),
        cmocka_unit_test(few_items_may_be_sent_often),
        cmocka_unit_test(a_sum_without_messages_is_bounded_by_0),
        cmocka_unit_test(texts_of_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
