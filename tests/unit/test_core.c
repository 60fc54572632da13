// SPDX-License-Identifier: Apache-2.0
// The planner of packets with one destination or several: random networks with late and wide links and switches, random
// demands with releases, deadlines, periods and what they wait for, judged by the checker, which knows nothing of it.
#include "algorithm/core.h"
#include "problem/bound_prices.h"
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

enum { CASES = 8, PACKETS = 6, FAN = 5, RING = 64 };

static char path[] = "/tmp/test_core_XXXXXX";

struct trial {
    struct unit u;
    struct crl_demands demands;
    uint64_t random;
    uint32_t hosts, fan; // destinations of a demand, at most
};

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? 1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

// A ring of five to twelve nodes with as many chords, late and wide ones among them; in every third case the last two
// nodes are switches.
static void make_network(struct trial *t, uint32_t number)
{
    uint32_t nodes = 5 + unit_below(&t->random, 8), latest = 1 + unit_below(&t->random, 3);
    char spec[64];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    t->hosts = number % 3 ? nodes : nodes - 2;
    fprintf(file, "nodes %u\nhosts 0-%u\n", nodes, t->hosts - 1);
    for (uint32_t v = 0; v < nodes; v++)
        fprintf(file, "%u %u %u %u\n", v, (v + 1) % nodes, 1 + unit_below(&t->random, 2),
                1 + unit_below(&t->random, latest));
    for (uint32_t v = 0; v + 3 < nodes; v += 2) fprintf(file, "%u > %u 1 %u\n", v, v + 3, latest);
    assert_int_equal(fclose(file), 0);
    snprintf(spec, sizeof spec, "graph:%s", path);
    if (crl_topology_parse(&t->u.topology, spec, &t->u.diag)) fail_msg("%s", t->u.diag.text);
    enum crl_ports ports = number % 4 == 3 ? CRL_PORTS_SINGLE : CRL_PORTS_ALL;
    assert_int_equal(crl_problem_init(&t->u.problem, "traffic", t->u.topology, 0, ports, &t->u.diag), 0);
}

// The destination and random ones more, ascending. Returns how many.
static uint32_t make_destinations(struct trial *t, uint32_t src, uint32_t dst[FAN])
{
    uint32_t count = 1, more = unit_below(&t->random, t->fan);
    for (uint32_t i = 0; i < more; i++) {
        uint32_t node = unit_below(&t->random, t->hosts), at = 0;
        while (at < count && dst[at] < node) at++;
        if (node == src || (at < count && dst[at] == node)) continue;
        memmove(dst + at + 1, dst + at, sizeof *dst * (count++ - at));
        dst[at] = node;
    }
    return count;
}

static void make_demands(struct trial *t, bool timed)
{
    uint32_t count = 4 + unit_below(&t->random, 24), before = CRL_NONE, dest = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool waits = timed && before != CRL_NONE && !unit_below(&t->random, 3);
        uint32_t src = waits ? dest : unit_below(&t->random, t->hosts);
        uint32_t dst[FAN] = {(src + 1 + unit_below(&t->random, t->hosts - 1)) % t->hosts};
        char id[8];
        snprintf(id, sizeof id, "d%02u", i);
        struct crl_demand d = {.src = src, .dst = dst, .packets = 1 + unit_below(&t->random, PACKETS)};
        d.dst_count = t->fan > 1 ? make_destinations(t, src, dst) : 1;
        d.release = timed ? 1 + unit_below(&t->random, 5) : 1;
        d.deadline = CRL_NONE;
        d.after = waits ? before : CRL_NONE;
        assert_int_equal(crl_demands_add(&t->demands, id, strlen(id), d), 0);
        before = i;
        dest = dst[0];
    }
    if (crl_demands_finish(&t->demands, &t->u.diag)) fail_msg("%s", t->u.diag.text);
    assert_int_equal(crl_problem_set_demands(&t->u.problem, &t->demands, &t->u.diag), 0);
}

static void open_trial(struct trial *t, uint32_t number, bool timed, uint32_t fan)
{
    memset(t, 0, sizeof *t);
    t->random = number;
    t->fan = fan;
    t->u.problem.effort = 1;
    make_network(t, number);
    make_demands(t, timed);
}

static void close_trial(struct trial *t)
{
    crl_demands_done(&t->demands);
    unit_close(&t->u);
}

// Plans and judges. Returns how many slots that takes.
static uint32_t plan(struct trial *t, const char *scheme, uint32_t number)
{
    const struct crl_algorithm *algorithm;
    struct crl_report report;
    crl_schedule_done(&t->u.schedule);
    assert_int_equal(crl_algorithm_find(&algorithm, &t->u.problem, scheme, &t->u.diag), 0);
    t->u.problem.effort = 1;
    if (crl_plan(&t->u.schedule, algorithm, &t->u.problem, &t->u.diag))
        fail_msg("seed %u, %s: %s", number, scheme, t->u.diag.text);
    if (unit_check(&t->u, &report))
        fail_msg("seed %u, %s: %s", number, scheme, report.count ? report.findings[0].text : t->u.diag.text);
    crl_report_done(&report);
    return crl_schedule_slots(&t->u.schedule);
}

static void plans_random_demands(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < CASES; number++) {
        struct trial t;
        open_trial(&t, number, number % 2, 1);
        uint32_t listed = plan(&t, "list", number), negotiated = number % 4 ? listed : plan(&t, "negotiated", number);
        assert_true(negotiated <= listed && listed >= crl_problem_bound_slots(&t.u.problem));
        close_trial(&t);
    }
}

// Deadlines are those that a plan meets, a little later: another plan must be found.
static void meets_deadlines_that_can_be_met(void **state)
{
    (void)state;
    for (uint32_t number = 100; number < 100 + CASES / 2; number++) {
        struct trial t;
        open_trial(&t, number, true, 1);
        plan(&t, "list", number);
        for (size_t i = 0; i < t.u.schedule.count; i++) {
            const struct crl_move *m = &t.u.schedule.moves[i];
            struct crl_demand *d = &t.demands.demand[m->origin];
            uint32_t arrival = crl_arrival_slot(t.u.topology, m->slot, m->src, m->dst);
            if (m->dst != d->dst[0]) continue;
            if (d->deadline == CRL_NONE || arrival > d->deadline) d->deadline = arrival + 1 + m->origin % 2;
        }
        plan(&t, "negotiated", number);
        close_trial(&t);
    }
}

// What takes so many slots can come anew every so many slots.
static void comes_anew(void **state)
{
    (void)state;
    for (uint32_t number = 200; number < 200 + CASES / 2; number++) {
        struct trial t;
        open_trial(&t, number, number % 2, 1);
        uint32_t slots = plan(&t, "list", number);
        assert_int_equal(crl_demands_set_period(&t.demands, slots, &t.u.diag), 0);
        plan(&t, "negotiated", number);
        close_trial(&t);
    }
}

// More than a link can carry in a period is refused.
static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct trial t;
    const struct crl_algorithm *algorithm;
    open_trial(&t, 1, false, 1);
    assert_int_equal(crl_demands_set_period(&t.demands, 1, &t.u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &t.u.problem, "negotiated", &t.u.diag), 0);
    t.u.problem.effort = 1;
    assert_int_equal(crl_plan(&t.u.schedule, algorithm, &t.u.problem, &t.u.diag), CRL_ERR_UNSUPPORTED);
    assert_non_null(strstr(t.u.diag.text, "period"));
    close_trial(&t);
}

// Packets of several destinations go over trees, beside others; in every third case all comes anew after twice as long.
static void grows_trees(void **state)
{
    (void)state;
    uint32_t gaps = 0;
    for (uint32_t number = 400; number < 400 + CASES / 3; number++) {
        struct trial t;
        open_trial(&t, number, number % 4 == 1, FAN);
        uint32_t slots = plan(&t, "negotiated", number);
        if (number % 4 != 1) gaps += slots - (uint32_t)crl_problem_bound_slots(&t.u.problem);
        if (number % 3 == 0) {
            assert_int_equal(crl_demands_set_period(&t.demands, 2 * slots, &t.u.diag), 0);
            plan(&t, "negotiated", number);
        }
        close_trial(&t);
    }
    if (gaps > CASES) fail_msg("%u slots more than the bounds", gaps);
}

// Nobody waits on his way: every move but the first follows the one before it at once.
static void does_not_wait(void **state)
{
    (void)state;
    for (uint32_t number = 300; number < 304; number++) {
        struct trial t;
        open_trial(&t, number, false, 1);
        t.u.problem.nowait = true;
        plan(&t, "negotiated", number);
        for (size_t i = 0; i < t.u.schedule.count; i++) {
            const struct crl_move *m = &t.u.schedule.moves[i];
            bool at_source = m->src == t.demands.demand[m->origin].src, follows = false;
            for (size_t k = 0; k < i && !at_source; k++) {
                const struct crl_move *b = &t.u.schedule.moves[k];
                follows |= b->origin == m->origin && b->dest == m->dest && b->dst == m->src &&
                           crl_arrival_slot(t.u.topology, b->slot, b->src, b->dst) + 1 == m->slot;
            }
            if (!at_source && !follows) fail_msg("seed %u: a packet waits", number);
        }
        close_trial(&t);
    }
}

// A plan in which nobody waits is one in which packets may.
static void waits_only_where_that_helps(void **state)
{
    (void)state;
    for (uint32_t number = 556; number < 561; number++) {
        struct trial t;
        open_trial(&t, number, true, 1);
        t.u.problem.nowait = true;
        uint32_t slots = plan(&t, "negotiated", number);
        t.u.problem.nowait = false;
        uint32_t waiting = plan(&t, "negotiated", number);
        if (waiting > slots) fail_msg("seed %u: %u slots, and without waiting %u", number, waiting, slots);
        close_trial(&t);
    }
}

// ---------------------------------------------------------------- exchanges

static const struct {
    const char *topology, *latency;
    enum crl_ports ports;
    uint32_t slots; // as few as are known, on most of these the bound
} least[] = {
    {"mesh:2x5", NULL, CRL_PORTS_SINGLE, 25},   {"mesh:4x4", NULL, CRL_PORTS_SINGLE, 43},
    {"mesh:3x3x3", NULL, CRL_PORTS_SINGLE, 75}, {"ring:5*path:3", NULL, CRL_PORTS_SINGLE, 32},
    {"mesh:4x4", NULL, CRL_PORTS_ALL, 16},      {"gen-kautz:4x32", NULL, CRL_PORTS_ALL, 22},
    {"mesh:8x8", "2", CRL_PORTS_ALL, 129},      {"torus:8x8 without 0-1", "2", CRL_PORTS_ALL, 70},
    {"dragonfly:4x2", "2", CRL_PORTS_ALL, 18},  {"mesh:4x4", "3", CRL_PORTS_ALL, 18},
};

static void exchanges_in_few_slots(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        struct trial t = {0};
        struct unit *u = &t.u;
        struct crl_priced priced = {0};
        assert_int_equal(crl_topology_parse(&u->topology, least[i].topology, &u->diag), 0);
        if (least[i].latency) assert_int_equal(crl_topology_set_latency(u->topology, least[i].latency, &u->diag), 0);
        assert_int_equal(crl_problem_init(&u->problem, "total-exchange", u->topology, 0, least[i].ports, &u->diag), 0);
        u->problem.priced = &priced;
        uint32_t slots = plan(&t, "negotiated", (uint32_t)i);
        if (slots > least[i].slots) fail_msg("%s takes %u slots", least[i].topology, slots);
        crl_priced_done(&priced);
        unit_close(u);
    }
}

// Two random rings through all nodes, which have no link in common.
static void make_rings(struct trial *t, uint32_t nodes)
{
    uint32_t ring[RING];
    FILE *file = fopen(path, "w");
    char spec[64];
    assert_non_null(file);
    for (uint32_t i = 0; i < nodes; i++) {
        ring[i] = i;
        fprintf(file, "%u %u\n", i, (i + 1) % nodes);
    }
    for (bool apart = false; !apart;) {
        for (uint32_t i = nodes; i-- > 1;) {
            uint32_t k = unit_below(&t->random, i + 1), swap = ring[i];
            ring[i] = ring[k];
            ring[k] = swap;
        }
        apart = true;
        for (uint32_t i = 0; i < nodes; i++) {
            uint32_t step = (ring[(i + 1) % nodes] + nodes - ring[i]) % nodes;
            apart &= step != 1 && step != nodes - 1;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) fprintf(file, "%u %u\n", ring[i], ring[(i + 1) % nodes]);
    assert_int_equal(fclose(file), 0);
    snprintf(spec, sizeof spec, "graph:%s", path);
    if (crl_topology_parse(&t->u.topology, spec, &t->u.diag)) fail_msg("%s", t->u.diag.text);
    assert_int_equal(crl_problem_init(&t->u.problem, "total-exchange", t->u.topology, 0, CRL_PORTS_ALL, &t->u.diag), 0);
}

// Each packet's ways lead from its source to its destination, and no arc is in more than `most`.
static void judge_ways(const struct crl_core *c, uint32_t most)
{
    uint32_t *load = calloc(c->arcs, sizeof *load);
    assert_non_null(load);
    for (uint32_t p = 0; p < c->packets; p++) {
        const struct crl_core_demand *d = &c->demand[c->of_packet[p]];
        uint32_t at = d->from;
        for (uint32_t i = 0; i < c->hops[p]; i++) {
            const struct crl_core_arc *a = &c->arc[c->hop[c->first[p] + i].arc];
            assert_int_equal(a->from, at);
            at = a->to;
            load[a - c->arc]++;
        }
        assert_int_equal(at, d->to);
    }
    for (uint32_t i = 0; i < c->arcs; i++) assert_in_range(load[i], 0, most);
    free(load);
}

// All-to-all with as many packets on a link as the bound allows, and with one less, which nothing can do.
static void evens_out(void **state)
{
    (void)state;
    static const uint32_t seeds[] = {1, 4, 5}; // 0 and 3: prices do not say that one slot less is too few
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        uint32_t number = seeds[k];
        struct trial t = {.random = number};
        struct crl_core c;
        uint32_t capacity[4 * RING];
        make_rings(&t, RING);
        uint32_t bound = (uint32_t)crl_problem_bound_slots(&t.u.problem);
        for (uint32_t less = 0; less < 2; less++) {
            assert_int_equal(crl_core_init(&c, &t.u.problem, 0, false), 0);
            assert_int_equal(c.rows, 4 * RING);
            for (uint32_t i = 0; i < c.rows; i++) capacity[i] = bound - less;
            c.steps = UINT64_C(4000000000);
            int found = crl_core_even_out(&c, capacity);
            if (found != !less) fail_msg("seed %u: ways for %u slots: %d", number, bound - less, found);
            if (found) judge_ways(&c, bound);
            crl_core_done(&c);
        }
        unit_close(&t.u);
    }
}

// ---------------------------------------------------------------- words

static const struct {
    const char *topology;
    uint32_t slots;
    bool nowait;
} words[] = {
    {"torus:4x4", 17, true}, {"torus:5x5", 27, true}, {"torus:6x6", 39, true},  {"torus:8x8", 75, true},
    {"mesh:4x4", 18, true},  {"mesh:6x6", 56, true},  {"torus:4x4", 17, false}, {"torus:8x8", 71, false},
};

// A node takes at most one word in a slot, that in which its packet first leaves where none waits, and gets one.
static void judge_words(const struct crl_schedule *s, bool nowait)
{
    uint32_t n = crl_topology_nodes(s->topology), slots = crl_schedule_slots(s);
    uint32_t *left = calloc((size_t)n * (slots + 1), sizeof *left), *got = calloc((size_t)n * (slots + 1), sizeof *got);
    uint32_t *came = calloc((size_t)n * n, sizeof *came);
    assert_true(left && got && came);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        uint32_t *last = &came[(size_t)m->origin * n + m->dest];
        if (m->src == m->origin) left[(size_t)m->src * (slots + 1) + m->slot]++;
        else if (nowait) assert_int_equal(m->slot, *last + 1);
        if (m->dst == m->dest) got[(size_t)m->dst * (slots + 1) + m->slot]++;
        *last = m->slot;
    }
    for (size_t i = 0; i < (size_t)n * (slots + 1) && nowait; i++) assert_true(left[i] <= 1 && got[i] <= 1);
    free(left);
    free(got);
    free(came);
}

// A word a slot into and out of every node: all-to-all in as many slots as the best known, both ends counted, less two.
static void takes_and_gives_a_word_a_slot(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct unit u = {0};
        struct crl_core c;
        struct crl_core_attempt how = {
            .slots = words[i].slots, .patience = 4, .nowait = words[i].nowait, .tight = words[i].nowait};
        struct crl_report report;
        int error = CRL_ERR_UNSUPPORTED;
        assert_int_equal(crl_topology_parse(&u.topology, words[i].topology, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, "total-exchange", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        for (uint32_t k = 0; k < 4 && error == CRL_ERR_UNSUPPORTED; k++) {
            assert_int_equal(crl_core_init(&c, &u.problem, 1, true), 0);
            c.steps = 400000000;
            c.random = k;
            how.detour = k % 2 ? 3 : 0;
            error = crl_core_negotiate(&c, &how);
            crl_schedule_init(&u.schedule, u.topology, CRL_NAMING_PAIR, c.folded);
            if (!error) error = crl_core_write(&c, &u.schedule, 0);
            crl_core_done(&c);
        }
        if (error) fail_msg("%s in %u slots: none found", words[i].topology, words[i].slots);
        assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        if (unit_check(&u, &report)) fail_msg("%s: %s", words[i].topology, u.diag.text);
        if (u.schedule.folded) unit_expand(&u);
        assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        assert_true(crl_schedule_slots(&u.schedule) <= words[i].slots);
        judge_words(&u.schedule, words[i].nowait);
        crl_report_done(&report);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_in_few_slots),          cmocka_unit_test(evens_out),
        cmocka_unit_test(takes_and_gives_a_word_a_slot),   cmocka_unit_test(plans_random_demands),
        cmocka_unit_test(meets_deadlines_that_can_be_met), cmocka_unit_test(comes_anew),
        cmocka_unit_test(refuses_what_does_not_fit),       cmocka_unit_test(does_not_wait),
        cmocka_unit_test(waits_only_where_that_helps),     cmocka_unit_test(grows_trees),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
