// SPDX-License-Identifier: Apache-2.0
// What is planned on products of complete graphs, rings and paths: Algorithm A2, schedules better than it, and rooted
// collectives.
#include "topology/topology.h"
#include "unit.h"
#include "unit_play.h"
#include <unistd.h>

static void open_at(struct unit *u, const char *topology, const char *collective, enum crl_ports ports, uint32_t root)
{
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, root % u->topology->nodes, ports, &u->diag),
                     0);
}

// Plans with `scheme` (NULL: the default), and has the checker find nothing.
static struct crl_report plan_clean(struct unit *u, const char *scheme)
{
    struct crl_report report;
    const struct crl_algorithm *algorithm;
    if (crl_algorithm_find(&algorithm, &u->problem, scheme, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    int error = unit_check(u, &report);
    if (report.count) print_message("%s: %s\n", u->topology->name, report.findings[0].text);
    assert_int_equal(error, 0);
    assert_int_equal(report.violations + report.warnings, 0);
    crl_report_done(&report);
    return report;
}

static struct crl_report plan_at(const char *topology, const char *collective, const char *scheme, enum crl_ports ports,
                                 uint32_t root)
{
    struct unit u;
    open_at(&u, topology, collective, ports, root);
    struct crl_report report = plan_clean(&u, scheme);
    unit_close(&u);
    return report;
}

// A product of random factors with at most `most` nodes; returns their number.
static uint32_t random_product(char name[128], uint32_t most, uint64_t *random)
{
    static const char *const shapes[] = {"complete", "ring", "path", "hypercube"};
    uint32_t nodes = 1, used = 0;
    for (uint32_t factors = 1 + unit_below(random, 4); factors; factors--) {
        uint32_t shape = unit_below(random, 4),
                 size = shape == 3 ? 1 + unit_below(random, 3) : 2 + unit_below(random, 7);
        uint32_t times = shape == 3 ? 1u << size : size;
        if (nodes * times > most) break;
        nodes *= times;
        used += (uint32_t)snprintf(name + used, 128 - used, "%s%s:%u", used ? "*" : "", shapes[shape], size);
    }
    return nodes;
}

// ---------------------------------------------------------------- average status

static uint64_t status_by_search(const struct crl_topology *t, uint32_t root)
{
    uint32_t *queue = malloc(sizeof *queue * t->nodes), *depth = malloc(sizeof *depth * t->nodes), tail = 1;
    uint64_t sum = 0;
    for (uint32_t v = 0; v < t->nodes; v++) depth[v] = CRL_NONE;
    depth[queue[0] = root] = 0;
    for (uint32_t head = 0; head < tail; head++)
        for (uint32_t p = 0; p < t->ports; p++) {
            uint32_t u = crl_topology_neighbor(t, queue[head], p);
            if (u == CRL_NONE || depth[u] != CRL_NONE) continue;
            depth[queue[tail++] = u] = depth[queue[head]] + 1;
            sum += depth[u];
        }
    assert_int_equal(tail, t->nodes);
    free(queue);
    free(depth);
    return sum;
}

static void statuses_are_sums_of_distances(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 100; i++) {
        char name[128];
        struct crl_topology *t;
        uint64_t sum = 0;
        if (random_product(name, 300, &random) < 2) continue;
        assert_int_equal(crl_topology_parse(&t, name, NULL), 0);
        for (uint32_t v = 0; v < t->nodes; v++) {
            uint64_t status = status_by_search(t, v);
            assert_int_equal(crl_topology_status(t, v), status);
            sum += status;
        }
        assert_int_equal(crl_topology_status_sum(t), sum);
        crl_topology_free(t);
    }
}

// ---------------------------------------------------------------- total exchange

static const struct known {
    const char *topology;
    uint64_t slots;
} known_a2[] = {
    {"hypercube:1", 1},   {"hypercube:2", 4},   {"hypercube:3", 12}, {"hypercube:4", 32}, {"hypercube:5", 80},
    {"hypercube:6", 192}, {"hypercube:7", 448}, {"torus:4x3", 20},   {"torus:4x4", 32},   {"torus:8x8", 256},
    {"torus:4x4x4", 192}, {"ghc:3x4", 17},      {"ghc:8x8", 112},    {"mesh:3x3", 24},    {"mesh:4x4", 56},
    {"mesh:8x8", 496},    {"path:7", 24},       {"path:8", 31},      {"complete:9", 8},   {"ring:9", 20},
};

static void a2_takes_the_slots_of_the_paper(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known_a2 / sizeof *known_a2; i++) {
        const struct known *k = &known_a2[i];
        struct crl_report r = plan_at(k->topology, "total-exchange", "a2", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.slots, k->slots);
        if (strncmp(k->topology, "mesh", 4)) assert_int_equal(r.bound_slots, k->slots); // alone, paths are optimal, too
        assert_int_equal(r.transmissions, r.bound_transmissions);
    }
}

static uint64_t steps_of_factor(const struct crl_factor *f)
{
    uint64_t m = f->size;
    if (m == 2 || f->shape == CRL_COMPLETE) return m - 1;
    return f->shape == CRL_RING ? m * m / 4 : (m * m - 1) / 2;
}

static void a2_takes_its_formula_on_any_product(void **state)
{
    (void)state;
    uint64_t random = 2;
    int tried = 0, optimal = 0;
    while (tried < 70) {
        char name[128];
        struct unit u;
        uint64_t slots = 0;
        if (random_product(name, 200, &random) < 2) continue;
        open_at(&u, name, "total-exchange", CRL_PORTS_SINGLE, 0);
        struct crl_report r = plan_clean(&u, "a2");
        for (uint32_t i = 0; i < u.topology->factor_count; i++)
            slots += u.topology->nodes / u.topology->factor[i].size * steps_of_factor(&u.topology->factor[i]);
        assert_int_equal(r.slots, slots);
        assert_int_equal(u.schedule.folded, crl_topology_is_symmetric(u.topology));
        if (crl_topology_is_symmetric(u.topology)) {
            assert_int_equal(slots * u.topology->nodes, crl_topology_status_sum(u.topology));
            assert_int_equal(r.bound_slots, slots);
            optimal++;
        }
        tried++;
        unit_close(&u);
    }
    assert_true(optimal >= 20 && optimal <= 60);
}

static void what_is_planned_beats_a2_where_paths_idle(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint64_t bound, most; // slots: at most what was found when this was written
    } known[] = {
        {"mesh:2x3", 9, 9},
        {"mesh:3x3", 18, 18},
        {"mesh:3x4", 28, 28},
        {"mesh:4x4", 43, 43},
        {"mesh:5x5", 85, 86},
        {"mesh:8x8", 351, 351},
        {"mesh:2x5", 25, 25},
        {"mesh:3x3x3", 75, 75},
        {"ring:5*path:3", 32, 32},
        {"complete:3*path:7", 74, 74},
        {"path:3*hypercube:3", 58, 58},
        {"path:20*ring:4", 799, 807},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct unit u;
        open_at(&u, known[i].topology, "total-exchange", CRL_PORTS_SINGLE, 0);
        struct crl_report r = plan_clean(&u, NULL),
                          a2 = plan_at(known[i].topology, "total-exchange", "a2", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.bound_slots, known[i].bound);
        assert_in_range(r.slots, known[i].bound, known[i].most);
        assert_true(r.slots < a2.slots);
        unit_close(&u);
    }
}

// Whatever the size: no more than a twelfth above the bound.
static void lists_stay_near_the_bound_on_large_arrays(void **state)
{
    (void)state;
    static const char *const arrays[] = {"mesh:9x9", "mesh:6x12", "mesh:4x3x6", "mesh:3x25", "ring:7*path:10"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        struct crl_report r = plan_at(arrays[i], "total-exchange", "list", CRL_PORTS_SINGLE, 0);
        assert_true(r.slots * 12 <= r.bound_slots * 13);
    }
}

// ---------------------------------------------------------------- rooted collectives and multinode broadcast

static const char *const dozen[] = {
    "hypercube:3",        "torus:4x3",  "torus:5x5", "torus:4x4x4", "ghc:3x4",    "mesh:3x3",
    "mesh:4x5",           "mesh:2x3x4", "path:6",    "ring:7",      "complete:7", "ring:5*path:3*complete:4",
    "path:4*hypercube:2", "complete:2",
};
enum { DOZEN = sizeof dozen / sizeof *dozen };

static void rooted_collectives_are_clean_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < DOZEN; i++)
        for (uint32_t root = 0; root < 30; root += 7)
            for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                struct crl_report b = plan_at(dozen[i], "broadcast", "bfs", ports, root);
                struct crl_report s = plan_at(dozen[i], "scatter", "negotiated", ports, root);
                struct crl_report g = plan_at(dozen[i], "gather", "negotiated", ports, root);
                assert_int_equal(b.transmissions, b.bound_transmissions);
                assert_true(b.slots <= b.bound_slots + (ports == CRL_PORTS_SINGLE));
                if (ports == CRL_PORTS_ALL) assert_int_equal(b.slots, b.bound_slots);
                assert_int_equal(s.slots, s.bound_slots);
                assert_int_equal(g.slots, g.bound_slots);
            }
}

static void single_port_broadcast_is_optimal_where_dimensions_are(void **state)
{
    (void)state;
    static const char *const topologies[] = {"hypercube:6", "torus:4x4x4", "torus:16x16x8", "ghc:8x8",  "complete:33",
                                             "ring:9",      "path:9",      "mesh:4x4",      "mesh:9x7", "mesh:3x3x3"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        struct crl_report r = plan_at(topologies[i], "broadcast", "bfs", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.slots, r.bound_slots);
    }
}

static void single_port_multinode_broadcast_takes_a_slot_a_node(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int tried = 0; tried < 40;) {
        char name[128];
        struct unit u;
        if (random_product(name, 300, &random) < 2) continue;
        open_at(&u, name, "multinode-broadcast", CRL_PORTS_SINGLE, 0);
        if (crl_topology_is_symmetric(u.topology)) {
            struct crl_report r = plan_clean(&u, "hamilton");
            assert_int_equal(r.slots, u.topology->nodes - 1);
            assert_int_equal(r.slots, r.bound_slots);
            assert_int_equal(r.transmissions, r.bound_transmissions);
            assert_true(u.schedule.folded);
            assert_true(r.buffer_packets <= 1);
            tried++;
        }
        unit_close(&u);
    }
}

static void a_hamiltonian_cycle_does_where_there_is_one(void **state)
{
    (void)state;
    static const char *const cycles[] = {
        "mesh:4x4",          "mesh:2x5", "mesh:3x2x5", "mesh:3x3x4", "ring:5*path:3", "path:3*ring:3*path:5",
        "path:3*complete:4", "path:2",   "mesh:2x2",   "torus:5x3",  "ghc:3x4",       "mesh:3x3*complete:5"};
    static const char *const none[] = {"mesh:3x3", "path:5", "mesh:5x3x3"};
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct crl_report r = plan_at(cycles[i], "multinode-broadcast", "hamilton", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.slots, r.bound_slots);
        assert_int_equal(r.transmissions, r.bound_transmissions);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct unit u;
        const struct crl_algorithm *algorithm;
        open_at(&u, none[i], "multinode-broadcast", CRL_PORTS_SINGLE, 0);
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, "hamilton", &u.diag), CRL_ERR_ARGUMENT);
        unit_close(&u);
    }
}

// A graph's cycle is searched for; a star has none, and its three leaves get three packets each from one node.
static void a_graph_has_a_cycle_or_not(void **state)
{
    (void)state;
    static const char *const texts[] = {"0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n1 4\n2 5\n1 6\n6 2\n", "0 1\n0 2\n0 3\n"};
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/test_products_XXXXXX", name[64];
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
        close(fd);
        snprintf(name, sizeof name, "graph:%s", path);
        struct crl_report r = plan_at(name, "multinode-broadcast", i ? "slotwise" : "hamilton", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.bound_slots, i ? 9 : 6);
        assert_true(i || r.slots == 6);
        snprintf(name, sizeof name, "graph:%s*path:3", path);
        struct unit u; // one bank wants products without graphs
        const struct crl_algorithm *algorithm;
        open_at(&u, name, "total-exchange", CRL_PORTS_ALL, 0);
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, "one-bank", &u.diag), CRL_ERR_ARGUMENT);
        unit_close(&u);
        unlink(path);
    }
}

// Of two halves of 4 and 5 nodes the larger gets 5 · 8 packets, 4 a slot.
static void unequal_halves_take_longer(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint64_t bound;
    } cases[] = {{"mesh:3x3", 10},   {"mesh:5x5", 26}, {"path:5", 6},        {"path:3", 4},
                 {"mesh:3x3x3", 28}, {"mesh:4x4", 15}, {"ring:5*path:3", 14}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u;
        open_at(&u, cases[i].topology, "multinode-broadcast", CRL_PORTS_SINGLE, 0);
        assert_int_equal(crl_problem_bound_slots(&u.problem), cases[i].bound);
        unit_close(&u);
    }
}

// A graph has no factors, and its links may lead one way only.
static void graphs_are_served_too(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0 1\n1 2\n2 3\n3 4\n4 0\n0 5\n1 6\n2 7\n3 8\n4 9\n5 7\n7 9\n9 6\n6 8\n8 5\n", // Petersen's
        "{\"links\": [[0,0,1,0,0,1],[1,0,0,0,0,0],[0,1,0,0,0,0],[1,0,1,0,0,0],[0,1,0,1,0,0],[0,1,0,0,1,0]]}",
    };
    for (int i = 0; i < 2; i++) {
        char path[] = "/tmp/test_products_XXXXXX", name[64];
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
        close(fd);
        snprintf(name, sizeof name, "graph:%s", path);
        for (uint32_t root = 0; root < 6; root++)
            for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                struct crl_report b = plan_at(name, "broadcast", "bfs", ports, root);
                struct crl_report s = plan_at(name, "scatter", "negotiated", ports, root);
                struct crl_report g = plan_at(name, "gather", "negotiated", ports, root);
                assert_true(b.slots <= b.bound_slots + (ports == CRL_PORTS_SINGLE));
                assert_int_equal(s.slots, s.bound_slots);
                assert_int_equal(g.slots, g.bound_slots);
            }
        struct crl_report r = plan_at(name, "total-exchange", "list", CRL_PORTS_SINGLE, 0);
        assert_int_equal(r.slots, r.bound_slots);
        unlink(path);
    }
}

// ---------------------------------------------------------------- through the compiler

static void lower_and_play(const char *topology, const char *collective, enum crl_ports ports, bool one_lane)
{
    struct unit u;
    struct crl_image image;
    open_at(&u, topology, collective, ports, 5);
    plan_clean(&u, NULL);
    struct crl_lower_options options = UNIT_LOWER(one_lane ? 1 : u.topology->ports, 0, 1, 32, 0);
    if (crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag))
        fail_msg("%s: %s", topology, u.diag.text);
    unit_assert_raises(&u, &image);
    unit_assert_plays(&u, &image);
    crl_image_done(&image);
    unit_close(&u);
}

static void schedules_on_products_play_as_expected(void **state)
{
    (void)state;
    static const char *const topologies[] = {"torus:4x3", "mesh:3x3",           "ring:5*path:3",
                                             "ghc:3x4",   "path:4*hypercube:2", "ring:7"};
    static const char *const rooted[] = {"broadcast", "scatter", "gather"};
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (int one_lane = 0; one_lane < 2; one_lane++) {
            lower_and_play(topologies[i], "total-exchange", CRL_PORTS_SINGLE, one_lane);
            if (!strstr(topologies[i], "path") && !strstr(topologies[i], "mesh"))
                lower_and_play(topologies[i], "multinode-broadcast", CRL_PORTS_SINGLE, one_lane);
            for (int k = 0; k < 3; k++)
                for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++)
                    lower_and_play(topologies[i], rooted[k], ports, one_lane);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_sums_of_distances),
        cmocka_unit_test(a2_takes_the_slots_of_the_paper),
        cmocka_unit_test(a2_takes_its_formula_on_any_product),
        cmocka_unit_test(what_is_planned_beats_a2_where_paths_idle),
        cmocka_unit_test(lists_stay_near_the_bound_on_large_arrays),
        cmocka_unit_test(rooted_collectives_are_clean_everywhere),
        cmocka_unit_test(single_port_broadcast_is_optimal_where_dimensions_are),
        cmocka_unit_test(single_port_multinode_broadcast_takes_a_slot_a_node),
        cmocka_unit_test(a_hamiltonian_cycle_does_where_there_is_one),
        cmocka_unit_test(a_graph_has_a_cycle_or_not),
        cmocka_unit_test(unequal_halves_take_longer),
        cmocka_unit_test(graphs_are_served_too),
        cmocka_unit_test(schedules_on_products_play_as_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
