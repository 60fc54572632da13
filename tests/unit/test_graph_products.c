// SPDX-License-Identifier: Apache-2.0
// Products with graphs from files as factors.
#include "algorithm/algorithm.h"
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

enum { GRAPH_NODES_MAX = 16, KNOWN = 5 };

// What a product is made of, kept apart from what the program makes of it.
struct net {
    uint32_t nodes;
    bool edge[GRAPH_NODES_MAX][GRAPH_NODES_MAX];
    uint64_t status; // of all nodes
};

static void join(struct net *g, uint32_t a, uint32_t b) { g->edge[a][b] = g->edge[b][a] = true; }

static struct net known_net(uint32_t which)
{
    static const uint32_t sizes[KNOWN] = {10, 5, 8, 4, 16};
    struct net g = {.nodes = sizes[which]};
    for (uint32_t v = 0; v < 5 && which == 0; v++) { // Petersen's
        join(&g, v, (v + 1) % 5);
        join(&g, v, v + 5);
        join(&g, v + 5, (v + 2) % 5 + 5);
    }
    for (uint32_t v = 0; v < 5 && which == 1; v++) join(&g, v, (v + 1) % 5); // a cycle with a chord
    if (which == 1) join(&g, 0, 2);
    for (uint32_t v = 0; v < 8 && which == 2; v++) { // the circulant C8(1,3)
        join(&g, v, (v + 1) % 8);
        join(&g, v, (v + 3) % 8);
    }
    for (uint32_t v = 1; v < 4 && which == 3; v++) // a complete graph of four nodes without an edge
        for (uint32_t u = 0; u < v; u++)
            if (u != 2) join(&g, u, v);
    for (uint32_t v = 0; v < 16 && which == 4; v++) // a hypercube
        for (uint32_t i = 0; i < 4; i++) join(&g, v, v ^ 1u << i);
    return g;
}

// A tree of six nodes and some edges more.
static struct net random_net(uint64_t *random)
{
    struct net g = {.nodes = 6};
    for (uint32_t v = 1; v < g.nodes; v++) join(&g, unit_below(random, v), v);
    for (uint32_t more = unit_below(random, 7); more; more--) {
        uint32_t a = unit_below(random, g.nodes), b = unit_below(random, g.nodes);
        if (a != b) join(&g, a, b);
    }
    return g;
}

static void write_net(struct net *g, char name[64])
{
    uint32_t far[GRAPH_NODES_MAX][GRAPH_NODES_MAX];
    char path[] = "/tmp/test_graph_products_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (uint32_t a = 0; a < g->nodes; a++)
        for (uint32_t b = 0; b < g->nodes; b++) {
            if (a < b && g->edge[a][b]) fprintf(file, "%u %u\n", a, b);
            far[a][b] = a == b ? 0 : g->edge[a][b] ? 1 : 1000;
        }
    assert_int_equal(fclose(file), 0);
    for (uint32_t k = 0; k < g->nodes; k++)
        for (uint32_t a = 0; a < g->nodes; a++)
            for (uint32_t b = 0; b < g->nodes; b++)
                if (far[a][k] + far[k][b] < far[a][b]) far[a][b] = far[a][k] + far[k][b];
    for (uint32_t a = 0; a < g->nodes; a++)
        for (uint32_t b = 0; b < g->nodes; b++) g->status += far[a][b];
    snprintf(name, 64, "graph:%s", path);
}

static void open_exchange(struct unit *u, const char *topology, const char *scheme)
{
    struct crl_report report;
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    if (crl_topology_parse(&u->topology, topology, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_problem_init(&u->problem, "total-exchange", u->topology, 0, CRL_PORTS_SINGLE, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, scheme, &u->diag), 0);
    if (crl_plan(&u->schedule, algorithm, &u->problem, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(unit_check(u, &report), 0);
    assert_int_equal(report.violations + report.warnings, 0);
    crl_report_done(&report);
}

// Slots of the exchange within the factor alone, judged by the checker.
static uint32_t slots_alone(const char *topology, bool is_graph)
{
    struct unit u;
    open_exchange(&u, topology, is_graph ? "list" : "a2");
    uint32_t slots = crl_schedule_slots(&u.schedule);
    assert_true(slots >= crl_problem_bound_slots(&u.problem));
    unit_close(&u);
    return slots;
}

// Ports, links and distances of the product by its definition.
static void assert_is_the_product(const struct crl_topology *t)
{
    uint64_t sum = 0, links = 0;
    uint32_t *queue = malloc(sizeof *queue * t->nodes), *depth = malloc(sizeof *depth * t->nodes);
    for (uint32_t root = 0; root < t->nodes; root++) {
        uint32_t tail = 1;
        uint64_t status = 0;
        for (uint32_t v = 0; v < t->nodes; v++) depth[v] = CRL_NONE;
        depth[queue[0] = root] = 0;
        for (uint32_t head = 0; head < tail; head++)
            for (uint32_t p = 0; p < t->ports; p++) {
                uint32_t v = queue[head], u = crl_topology_neighbor(t, v, p);
                if (u == CRL_NONE) continue;
                assert_int_equal(crl_topology_behind(t, u, p), v);
                assert_int_equal(crl_topology_port_to(t, v, u), p);
                links += head == 0;
                if (depth[u] != CRL_NONE) continue;
                depth[queue[tail++] = u] = depth[v] + 1;
            }
        for (uint32_t v = 0; v < t->nodes; v++) {
            assert_int_equal(crl_topology_distance(t, root, v), depth[v]);
            status += depth[v];
        }
        assert_int_equal(crl_topology_status(t, root), status);
        sum += status;
    }
    assert_int_equal(crl_topology_links(t), links);
    assert_int_equal(crl_topology_status_sum(t), sum);
    free(queue);
    free(depth);
}

// Corollary 2 of Dimakopoulos & Dimopoulos 1996.
static void a2_takes_its_formula(void **state)
{
    (void)state;
    static const char *const shapes[] = {"ring", "complete", "path"};
    uint64_t random = 7;
    int optimal = 0, other = 0;
    for (uint32_t i = 0; i < 24; i++) {
        char graph[64], simple[32], name[128];
        struct net g = i % 6 < KNOWN ? known_net(i % 6) : random_net(&random);
        if (i % 2) g = i % 6 < KNOWN && i < 12 ? g : random_net(&random);
        write_net(&g, graph);
        uint32_t size = 2 + unit_below(&random, 4), nodes = g.nodes * size, shape = unit_below(&random, 3);
        snprintf(simple, sizeof simple, "%s:%u", shapes[shape], size);
        if (i % 3) snprintf(name, sizeof name, "%s*%s", graph, simple);
        else snprintf(name, sizeof name, "%s*%s", simple, graph);
        uint32_t alone = slots_alone(graph, true), of_simple = slots_alone(simple, false);
        bool meets =
            alone == (g.status + g.nodes - 1) / g.nodes && g.status % g.nodes == 0 && (shape != 2 || size == 2);
        struct unit u;
        open_exchange(&u, name, "a2");
        assert_string_equal(u.topology->name, name);
        assert_int_equal(u.topology->nodes, nodes);
        assert_false(crl_topology_is_symmetric(u.topology));
        assert_is_the_product(u.topology);
        assert_int_equal(crl_schedule_slots(&u.schedule), size * alone + g.nodes * of_simple);
        if (meets) {
            uint64_t sum = crl_topology_status_sum(u.topology);
            assert_int_equal(crl_schedule_slots(&u.schedule), (sum + nodes - 1) / nodes);
            assert_int_equal(crl_schedule_slots(&u.schedule), crl_problem_bound_slots(&u.problem));
        }
        optimal += meets;
        other += !meets;
        unit_close(&u);
        unlink(graph + strlen("graph:"));
    }
    assert_true(optimal >= 6 && other >= 6);
}

static void two_graphs_may_be_factors(void **state)
{
    (void)state;
    char a[64], b[64], name[160];
    struct net petersen = known_net(0), chord = known_net(1);
    struct unit u;
    write_net(&petersen, a);
    write_net(&chord, b);
    snprintf(name, sizeof name, "%s*%s", a, b);
    open_exchange(&u, name, "a2");
    assert_is_the_product(u.topology);
    assert_int_equal(crl_schedule_slots(&u.schedule), 5 * slots_alone(a, true) + 10 * slots_alone(b, true));
    unit_close(&u);
    unlink(a + strlen("graph:"));
    unlink(b + strlen("graph:"));
}

// The average status, on Cayley graphs whose numbers show it.
static void translations_are_found(void **state)
{
    (void)state;
    for (uint32_t which = 2; which < KNOWN; which += 2) {
        char graph[64];
        struct net g = known_net(which);
        write_net(&g, graph);
        assert_int_equal(slots_alone(graph, true) * g.nodes, g.status);
        unlink(graph + strlen("graph:"));
    }
}

// What needs rings, paths or complete graphs must leave these products alone.
static void only_what_serves_any_graph_applies(void **state)
{
    (void)state;
    static const char *const others[] = {"ring:4", "path:3", "complete:4", "hypercube:2"};
    char graph[64], name[128];
    struct net g = known_net(3); // whose numbers are no path
    write_net(&g, graph);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
        struct unit u = {0};
        snprintf(name, sizeof name, "%s*%s", others[i], graph);
        assert_int_equal(crl_topology_parse(&u.topology, name, &u.diag), 0);
        for (size_t c = 0; crl_collective_at(c); c++)
            for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                struct crl_report report;
                assert_int_equal(crl_problem_init(&u.problem, crl_collective_at(c), u.topology, 3, ports, &u.diag), 0);
                size_t count = crl_problem_is_partial(&u.problem) || crl_problem_has_demands(&u.problem)
                                   ? 0
                                   : crl_algorithms_for(rows, &u.problem);
                for (size_t k = 0; k < count; k++) {
                    if (crl_plan(&u.schedule, rows[k], &u.problem, &u.diag)) fail_msg("%s", u.diag.text);
                    assert_int_equal(unit_check(&u, &report), 0);
                    assert_int_equal(report.violations + report.warnings, 0);
                    assert_true(crl_schedule_slots(&u.schedule) >= crl_problem_bound_slots(&u.problem));
                    crl_report_done(&report);
                    crl_schedule_done(&u.schedule);
                }
            }
        assert_int_equal(crl_problem_init(&u.problem, "partial-exchange", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
        for (size_t i = crl_algorithms_for(rows, &u.problem); i-- > 0;)
            assert_false(crl_algorithm_is(rows[i], CRL_HANDLES_ONLINE));
        memset(&u.schedule, 0, sizeof u.schedule);
        unit_close(&u);
    }
    unlink(graph + strlen("graph:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a2_takes_its_formula),
        cmocka_unit_test(two_graphs_may_be_factors),
        cmocka_unit_test(translations_are_found),
        cmocka_unit_test(only_what_serves_any_graph_applies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
