// SPDX-License-Identifier: Apache-2.0
// Lower bounds of demands: each reason on a network where it alone decides.
#include "problem/bound_prices.h"
#include "unit.h"

#define HEADER "id,src,dst,packets,release,deadline,period,after\n"

struct subject {
    struct crl_topology *topology;
    struct crl_demands demands;
    struct crl_problem problem;
    struct crl_diag diag;
};

static void begin(struct subject *s, const char *spec, const char *latency, const char *text)
{
    FILE *file = unit_file(text, strlen(text));
    assert_int_equal(crl_topology_parse(&s->topology, spec, &s->diag), 0);
    if (latency) assert_int_equal(crl_topology_set_latency(s->topology, latency, &s->diag), 0);
    assert_int_equal(crl_demands_read_csv(&s->demands, s->topology, file, "f", &s->diag), 0);
    assert_int_equal(crl_problem_init(&s->problem, "traffic", s->topology, 0, CRL_PORTS_ALL, &s->diag), 0);
    assert_int_equal(crl_problem_set_demands(&s->problem, &s->demands, &s->diag), 0);
    fclose(file);
}

static void end(struct subject *s)
{
    crl_demands_done(&s->demands);
    crl_topology_free(s->topology);
}

static void assert_bound(const char *spec, const char *latency, const char *text, uint64_t all, uint64_t single)
{
    struct subject s;
    begin(&s, spec, latency, text);
    assert_int_equal(crl_problem_bound_slots(&s.problem), all);
    s.problem.ports = CRL_PORTS_SINGLE;
    assert_int_equal(crl_problem_bound_slots(&s.problem), single);
    end(&s);
}

static void one_node_proves_what_passes_its_links(void **state)
{
    (void)state;
    assert_bound("path:4", NULL, HEADER "a,0,3,5\n", 7, 7);
    assert_bound("path:4", "3", HEADER "a,0,3,5\n", 13, 13);
    assert_bound("ring:6", NULL, HEADER "a,0,3,5\n", 5, 7);
    assert_bound("ring:6", NULL, HEADER "a,0,3,5,4\nb,0,1,9\n", 8, 14);
    assert_bound("path:4", NULL, HEADER "a,0,3,2\nb,1,3,2\nc,2,3,2\n", 6, 6);
}

static void what_is_waited_for_comes_before(void **state)
{
    (void)state;
    assert_bound("path:3", NULL, HEADER "a,0,2,3\nb,2,1,1,,,,a\nc,1,0,2,,,,b\n", 7, 7);
}

// Two nodes have packets for two others through one link, which is a hop from both.
static void a_cut_has_fewer_slots_than_there_are(void **state)
{
    static const char mesh[] = HEADER "a,0,5,4\nb,6,5,4\nc,0,11,4\nd,6,11,4\n";
    (void)state;
    assert_bound("mesh:6x2", NULL, mesh, 12, 13);
    assert_bound("path:6", NULL, HEADER "a,0,5,4\nb,1,4,4\n", 10, 10);
    assert_bound("path:6", "2", HEADER "a,0,4,4\nb,1,5,4\n", 13, 13);
}

// No cut says it, nor prices that are the same in all slots.
static void prices_of_slots_prove_one_more(void **state)
{
    (void)state;
    assert_bound("mesh:3x3", NULL, HEADER "a,5,2,2\nb,8,5,5\nc,8,2,4\nd,6,5,5\n", 7, 10);
}

static void several_destinations_count_once_where_a_packet_passes(void **state)
{
    (void)state;
    assert_bound("path:4", NULL, HEADER "a,0,1 2 3,5\n", 7, 7);
    assert_bound("torus:4x4", NULL, HEADER "a,0,1-15,8\n", 5, 11);
}

// More than any one destination of each demand says: packets must enter sets of nodes that share no links.
static void trees_cost_more_than_their_longest_way(void **state)
{
    struct crl_priced priced = {0};
    struct subject s;
    uint32_t sets = 0;
    (void)state;
    begin(&s, "ring:6", NULL, HEADER "a,5,0 4,8\nb,1,2 4,6\nc,5,0 1 3,2\n");
    s.problem.priced = &priced;
    assert_int_equal(crl_problem_bound_slots(&s.problem), 8);
    for (size_t i = 0; i < priced.reason.nameds; i++) sets += priced.reason.named[i].pack;
    assert_in_range(sets, 3, 20);
    crl_priced_done(&priced);
    end(&s);
}

static void assert_period(const char *spec, const char *text, uint64_t least)
{
    struct subject s;
    begin(&s, spec, NULL, text);
    assert_int_equal(crl_problem_bound_period(&s.problem), least);
    assert_int_equal(crl_demands_set_period(&s.demands, (uint32_t)least, &s.diag), 0);
    assert_int_equal(crl_problem_feasible(&s.problem, &s.diag), 0);
    if (least > 1) {
        assert_int_equal(crl_demands_set_period(&s.demands, (uint32_t)least - 1, &s.diag), 0);
        assert_int_equal(crl_problem_feasible(&s.problem, &s.diag), CRL_ERR_RULE);
    }
    end(&s);
}

static void a_period_is_as_long_as_what_passes_the_fullest_cut(void **state)
{
    (void)state;
    assert_period("path:4", HEADER "a,0,3,5\n", 5);
    assert_period("mesh:4x4", HEADER "a,0,3,1\n", 1);
    assert_period("path:6", HEADER "a,0,5,4\nb,1,4,4\n", 8);
}

// What does not fit into a period takes more slots than it has; a packet that goes farther still takes its distance.
static void slots_are_more_than_a_period_where_they_do_not_fit(void **state)
{
    struct subject s;
    (void)state;
    begin(&s, "path:6", NULL, HEADER "a,0,5,4\nb,1,4,4\n");
    for (uint32_t period = 8; period < 12; period++) {
        assert_int_equal(crl_demands_set_period(&s.demands, period, &s.diag), 0);
        assert_int_equal(crl_problem_bound_slots(&s.problem), period < 10 ? period + 1 : 10);
    }
    assert_int_equal(crl_demands_set_period(&s.demands, 3, &s.diag), 0);
    assert_int_equal(crl_problem_bound_slots(&s.problem), 5);
    end(&s);
}

static void assert_feasible(const char *text, int code, const char *said)
{
    struct subject s;
    begin(&s, "path:4", NULL, text);
    assert_int_equal(crl_problem_feasible(&s.problem, &s.diag), code);
    if (code) assert_non_null(strstr(s.diag.text, said));
    end(&s);
}

// Alone each of them is in time.
static void deadlines_by_which_too_much_is_due(void **state)
{
    (void)state;
    assert_feasible(HEADER "a,0,3,2,,5\nb,0,2,1,,5\nc,1,3,40\n", 0, "");
    assert_feasible(HEADER "a,0,3,2,,4\nb,0,2,1,,5\nc,1,2,1,,3\n", 0, "");
    assert_feasible(HEADER "a,0,3,3,,5\nb,0,2,2,,5\n", CRL_ERR_RULE, "demand 'a' cannot be met");
    assert_feasible(HEADER "a,0,3,2,,4\nb,1,3,2,,4\n", CRL_ERR_RULE, "due by its deadline 4 takes 5 slots");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_node_proves_what_passes_its_links),
        cmocka_unit_test(what_is_waited_for_comes_before),
        cmocka_unit_test(a_cut_has_fewer_slots_than_there_are),
        cmocka_unit_test(prices_of_slots_prove_one_more),
        cmocka_unit_test(several_destinations_count_once_where_a_packet_passes),
        cmocka_unit_test(trees_cost_more_than_their_longest_way),
        cmocka_unit_test(a_period_is_as_long_as_what_passes_the_fullest_cut),
        cmocka_unit_test(deadlines_by_which_too_much_is_due),
        cmocka_unit_test(slots_are_more_than_a_period_where_they_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
