// SPDX-License-Identifier: Apache-2.0
#include "algorithm/algorithm.h"
#include "topology/topology.h"
#include "unit.h"

static struct crl_topology *cube(uint32_t d)
{
    char spec[32];
    struct crl_topology *t;
    snprintf(spec, sizeof spec, "hypercube:%u", d);
    assert_int_equal(crl_topology_parse(&t, spec, NULL), 0);
    return t;
}

static void each_port_of_a_hypercube_flips_its_bit(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) {
        struct crl_topology *t = cube(d);
        uint64_t links = 0;
        assert_int_equal(crl_topology_nodes(t), 1u << d);
        assert_int_equal(crl_topology_ports(t), d);
        for (uint32_t v = 0; v < 1u << d; v++) {
            for (uint32_t p = 0; p < d; p++, links++) assert_int_equal(crl_topology_neighbor(t, v, p), v ^ 1u << p);
            assert_int_equal(crl_topology_neighbor(t, v, d), CRL_NONE);
        }
        assert_int_equal(crl_topology_links(t), links);
        crl_topology_free(t);
    }
}

static void port_to_finds_the_port_of_every_link_and_of_nothing_else(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 6; d++) {
        struct crl_topology *t = cube(d);
        for (uint32_t v = 0; v < 1u << d; v++)
            for (uint32_t w = 0; w < 1u << d; w++) {
                uint32_t port = CRL_NONE;
                for (uint32_t p = 0; p < d; p++)
                    if (crl_topology_neighbor(t, v, p) == w) port = p;
                assert_int_equal(crl_topology_port_to(t, v, w), port);
            }
        crl_topology_free(t);
    }
}

static void behind_is_the_node_whose_port_leads_here(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 6; d++) {
        struct crl_topology *t = cube(d);
        for (uint32_t v = 0; v < 1u << d; v++)
            for (uint32_t p = 0; p < d; p++)
                assert_int_equal(crl_topology_neighbor(t, crl_topology_behind(t, v, p), p), v);
        crl_topology_free(t);
    }
}

static void distance_is_what_a_breadth_first_search_finds(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 6; d++) {
        struct crl_topology *t = cube(d);
        uint32_t n = 1u << d, queue[64], far[64];
        for (uint32_t a = 0; a < n; a++) {
            uint32_t head = 0, tail = 0;
            for (uint32_t v = 0; v < n; v++) far[v] = CRL_NONE;
            far[queue[tail++] = a] = 0;
            for (; head < tail; head++)
                for (uint32_t p = 0; p < d; p++) {
                    uint32_t w = crl_topology_neighbor(t, queue[head], p);
                    if (far[w] != CRL_NONE) continue;
                    far[w] = far[queue[head]] + 1;
                    queue[tail++] = w;
                }
            for (uint32_t b = 0; b < n; b++) assert_int_equal(crl_topology_distance(t, a, b), far[b]);
        }
        crl_topology_free(t);
    }
}

static void translations_are_a_group_that_acts_freely_on_the_nodes(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 5; d++) {
        struct crl_topology *t = cube(d);
        uint32_t n = 1u << d;
        assert_true(crl_topology_is_symmetric(t));
        for (uint32_t a = 0; a < n; a++) {
            assert_int_equal(crl_topology_shift(t, 0, a), a);
            assert_int_equal(crl_topology_shift(t, a, 0), a);
            for (uint32_t v = 0; v < n; v++) {
                assert_int_equal(crl_topology_unshift(t, crl_topology_shift(t, v, a), a), v);
                assert_int_equal(crl_topology_shift(t, crl_topology_unshift(t, v, a), a), v);
                for (uint32_t b = 0; b < n; b++)
                    assert_int_equal(crl_topology_shift(t, crl_topology_shift(t, v, a), b),
                                     crl_topology_shift(t, v, crl_topology_shift(t, a, b)));
            }
        }
        crl_topology_free(t);
    }
}

static void translations_keep_links_and_their_ports(void **state)
{
    (void)state;
    struct crl_topology *t = cube(5);
    for (uint32_t a = 0; a < 32; a++)
        for (uint32_t v = 0; v < 32; v++)
            for (uint32_t p = 0; p < 5; p++)
                assert_int_equal(crl_topology_neighbor(t, crl_topology_shift(t, v, a), p),
                                 crl_topology_shift(t, crl_topology_neighbor(t, v, p), a));
    crl_topology_free(t);
}

static void the_name_is_spelled_in_one_way(void **state)
{
    (void)state;
    struct crl_topology *t;
    assert_int_equal(crl_topology_parse(&t, "hypercube:003", NULL), 0);
    assert_string_equal(crl_topology_name(t), "hypercube:3");
    crl_topology_free(t);
    t = cube(20);
    assert_string_equal(crl_topology_name(t), "hypercube:20");
    crl_topology_free(t);
}

static void errors_name_the_column(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t col;
        const char *word; // the message must contain it
    } bad[] = {
        {"", 1, "unknown"},
        {"cube:3", 1, "unknown"},
        {"hypercubes:4", 1, "unknown"},
        {"Hypercube:4", 1, "unknown"},
        {"hypercube", 10, "':'"},
        {"hypercube:", 11, "number"},
        {"hypercube:x", 11, "number"},
        {"hypercube: 4", 11, "number"},
        {"hypercube:-4", 11, "number"},
        {"hypercube:99999999999", 11, "number"},
        {"hypercube:0", 11, "'0'"},
        {"hypercube:21", 11, "'21'"},
        {"hypercube:4x", 12, "'x'"},
        {"hypercube:10:5", 13, "':5'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct crl_topology *t = (struct crl_topology *)state;
        struct crl_diag diag;
        assert_int_equal(crl_topology_parse(&t, bad[i].spec, &diag), CRL_ERR_PARSE);
        assert_null(t);
        assert_string_equal(diag.file, "<topology>");
        assert_int_equal(diag.line, 1);
        assert_int_equal(diag.col, bad[i].col);
        assert_non_null(strstr(diag.text, bad[i].word));
        assert_int_equal(crl_topology_parse(&t, bad[i].spec, NULL), CRL_ERR_PARSE);
    }
}

// ---- a kind that the program does not know: a wheel without a rim, node 0 in the middle

static uint32_t star_neighbor(const struct crl_topology *t, uint32_t node, uint32_t port)
{
    if (!node) return port < t->ports ? port + 1 : CRL_NONE;
    return port + 1 == node ? 0 : CRL_NONE; // the same port at both ends
}

static uint32_t star_port_to(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    (void)t;
    return !src == !dst ? CRL_NONE : (src ? src : dst) - 1;
}

static uint32_t star_distance(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    (void)t;
    return a == b ? 0 : !a || !b ? 1 : 2;
}

static bool star_symmetric(const struct crl_topology *t)
{
    (void)t;
    return false;
}

static void a_new_kind_needs_nothing_but_its_functions(void **state)
{
    (void)state;
    static const struct crl_topology_kind star = {.neighbor = star_neighbor,
                                                  .behind = star_neighbor,
                                                  .port_to = star_port_to,
                                                  .distance = star_distance,
                                                  .symmetric = star_symmetric};
    // Its name says that it is a hypercube: nobody may believe that.
    struct crl_topology t = {.kind = &star, .name = "hypercube:3", .nodes = 8, .ports = 7, .links = 14};
    static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather",
                                              "total-exchange"};
    for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++)
        for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
            struct crl_problem problem;
            struct crl_schedule schedule;
            struct crl_report report;
            const struct crl_algorithm *algorithm;
            struct crl_diag diag = {0};
            assert_int_equal(crl_problem_init(&problem, collectives[c], &t, 3, (enum crl_ports)ports, &diag), 0);
            assert_int_equal(crl_algorithm_find(&algorithm, &problem, NULL, &diag), 0);
            assert_int_equal(crl_plan(&schedule, algorithm, &problem, &diag), 0);
            assert_int_equal(crl_check(&report, &schedule, &problem, &diag), 0);
            assert_int_equal(report.violations + report.warnings, 0);
            assert_true(crl_schedule_slots(&schedule) >= crl_problem_bound_slots(&problem));
            crl_report_done(&report);
            crl_schedule_done(&schedule);
        }
}

static void kinds_are_told_apart_by_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const struct crl_topology_kind *kind;
    } cases[] = {
        {"hypercube:3", &crl_topology_hypercube},
        {"hypercube:1*ring:3", &crl_topology_hypercube},
        {"ring:3*hypercube:1", &crl_topology_product},
        {"mesh:3x3", &crl_topology_product},
        {"graph:x", &crl_topology_graph},
        {"logp:P=3", &crl_topology_linkless},
        {"hyper", NULL},
        {"hypercubes:3", NULL},
        {"", NULL},
        {":", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct crl_topology_row *row = crl_topology_row_of(cases[i].text);
        assert_ptr_equal(row ? row->kind : NULL, cases[i].kind);
    }
    struct crl_topology *t;
    struct crl_diag diag;
    assert_int_equal(crl_topology_parse(&t, "hypercube:1*ring:3", &diag), 0);
    assert_ptr_equal(t->kind, &crl_topology_product);
    crl_topology_free(t);
    assert_int_equal(crl_topology_parse(&t, "logp:P=8,L=6", &diag), CRL_ERR_PARSE);
    assert_int_equal(crl_topology_parse(&t, "ring:3*logp:P=8,L=6", &diag), CRL_ERR_PARSE);
    assert_int_equal(diag.col, 8);
}

static void names_are_found_whole_or_as_the_longest_before_a_dash(void **state)
{
    (void)state;
    struct crl_names names = {0}, *copy;
    char text[CRL_NODE_TEXT];
    for (uint32_t v = 0; v < 4096; v++) {
        snprintf(text, sizeof text, "gpu-%u", v);
        assert_int_equal(crl_names_find(&names, text, strlen(text)), CRL_NONE);
        assert_int_equal(crl_names_add(&names, text, strlen(text)), 0);
    }
    assert_int_equal(crl_names_copy(&copy, &names), 0);
    for (uint32_t v = 0; v < 4096; v += 15) {
        snprintf(text, sizeof text, "gpu-%u", v);
        assert_int_equal(crl_names_find(copy, text, strlen(text)), v);
        assert_int_equal(crl_names_find(copy, text, strlen(text) - 1), v > 9 ? v / 10 : CRL_NONE);
        assert_string_equal(crl_names_at(copy, v), text);
    }
    const char *range = "gpu-12-gpu-7,gpu-x", *at = range;
    assert_int_equal(crl_names_read(&names, &at), 12);
    assert_int_equal(*at++, '-');
    assert_int_equal(crl_names_read(&names, &at), 7);
    assert_int_equal(*at++, ',');
    assert_int_equal(crl_names_read(&names, &at), CRL_NONE);
    assert_string_equal(at, "gpu-x");
    assert_string_equal(crl_names_text(&names, 7, text), "gpu-7");
    assert_string_equal(crl_names_text(&names, 4096, text), "4096");
    assert_string_equal(crl_names_text(NULL, 7, text), "7");
    crl_names_done(&names);
    crl_names_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_kind_needs_nothing_but_its_functions),
        cmocka_unit_test(kinds_are_told_apart_by_their_rows),
        cmocka_unit_test(each_port_of_a_hypercube_flips_its_bit),
        cmocka_unit_test(port_to_finds_the_port_of_every_link_and_of_nothing_else),
        cmocka_unit_test(behind_is_the_node_whose_port_leads_here),
        cmocka_unit_test(distance_is_what_a_breadth_first_search_finds),
        cmocka_unit_test(translations_are_a_group_that_acts_freely_on_the_nodes),
        cmocka_unit_test(translations_keep_links_and_their_ports),
        cmocka_unit_test(the_name_is_spelled_in_one_way),
        cmocka_unit_test(errors_name_the_column),
        cmocka_unit_test(names_are_found_whole_or_as_the_longest_before_a_dash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
