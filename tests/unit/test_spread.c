// SPDX-License-Identifier: Apache-2.0
// Spreading slot by slot, judged by the checker: what is known of the least slots, and random networks with late, wide
// and one-way links, switches, parts and active nodes, both port models.
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

static const struct {
    const char *collective, *topology;
    enum crl_ports ports;
    uint32_t parts, slots; // the bound; but on the path a slot more, which a SAT solver has shown to be needed
} least[] = {
    {"multinode-broadcast", "mesh:3x3", CRL_PORTS_SINGLE, 1, 10},
    {"multinode-broadcast", "mesh:3x5", CRL_PORTS_SINGLE, 1, 16},
    {"multinode-broadcast", "mesh:3x3x3", CRL_PORTS_SINGLE, 1, 28},
    {"multinode-broadcast", "path:5", CRL_PORTS_SINGLE, 1, 7},
    {"reduce-scatter", "mesh:3x3", CRL_PORTS_SINGLE, 1, 10},
    {"multinode-broadcast", "mesh:4x4", CRL_PORTS_ALL, 2, 15},
    {"multinode-broadcast", "gen-kautz:4x32", CRL_PORTS_ALL, 1, 11},
    {"multinode-broadcast", "torus:4x4", CRL_PORTS_ALL, 3, 12}, // node 0 alone, and its translates
    {"multinode-broadcast", "hypercube:5", CRL_PORTS_ALL, 5, 31},
    {"reduce-scatter", "ghc:3x4", CRL_PORTS_ALL, 1, 3},
    {"multinode-broadcast", "torus:4x4", CRL_PORTS_SINGLE, 1, 15},
};

static void plan(struct unit *u, const char *scheme)
{
    const struct crl_algorithm *algorithm;
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, scheme, &u->diag), 0);
    if (crl_plan(&u->schedule, algorithm, &u->problem, &u->diag)) fail_msg("%s", u->diag.text);
}

// Returns how many slots it takes beyond the bound.
static uint32_t judge(struct unit *u, const char *what)
{
    struct crl_report report;
    if (unit_check(u, &report)) fail_msg("%s: %s", what, report.findings[0].text);
    if (report.violations + report.warnings) fail_msg("%s: %s", what, report.findings[0].text);
    uint32_t gap = (uint32_t)(report.slots - report.bound_slots);
    crl_report_done(&report);
    return gap;
}

static void meets_the_least(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        struct unit u[2];
        struct crl_topology *t;
        assert_int_equal(crl_topology_parse(&t, least[i].topology, NULL), 0);
        for (int again = 0; again < 2; again++) {
            u[again].topology = t;
            assert_int_equal(crl_problem_init(&u[again].problem, least[i].collective, t, 0, least[i].ports, NULL), 0);
            if (least[i].parts > 1) assert_int_equal(crl_problem_set_parts(&u[again].problem, least[i].parts, NULL), 0);
            plan(&u[again], "slotwise");
            judge(&u[again], least[i].topology);
            if (crl_schedule_slots(&u[again].schedule) != least[i].slots)
                fail_msg("%s on %s: %u slots", least[i].collective, least[i].topology,
                         crl_schedule_slots(&u[again].schedule));
        }
        unit_assert_same(&u[0].schedule, &u[1].schedule);
        crl_schedule_done(&u[0].schedule);
        crl_schedule_done(&u[1].schedule);
        crl_topology_free(t);
    }
}

// ---- random networks

enum { NODES_MAX = 14, NETS = 60, ACTIVE = 3 };

// A ring, so that all nodes reach each other, and some links more; of the last nodes some are switches.
static void write_net(uint64_t *random, char name[64])
{
    char path[] = "/tmp/test_spread_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    bool linked[NODES_MAX][NODES_MAX] = {{false}};
    uint32_t nodes = 4 + unit_below(random, NODES_MAX - 3), late = unit_below(random, 3) * unit_below(random, 4);
    uint32_t wide = unit_below(random, 3), switches = unit_below(random, 3) * unit_below(random, 2);
    if (switches) fprintf(file, "switches %u-%u\n", nodes - switches, nodes - 1);
    for (uint32_t i = 0; i < 2 * nodes; i++) {
        uint32_t a = i < nodes ? i : unit_below(random, nodes),
                 b = i < nodes ? (i + 1) % nodes : unit_below(random, nodes);
        if (a == b || linked[a][b] || linked[b][a]) continue;
        linked[a][b] = linked[b][a] = true;
        fprintf(file, "%u %s %u %u %u\n", a, i >= nodes && unit_below(random, 2) ? ">" : "", b,
                1 + unit_below(random, wide + UINT64_C(1)), 1 + unit_below(random, late + UINT64_C(1)));
    }
    fclose(file);
    snprintf(name, 64, "graph:%s", path);
}

// Some collective with a random number of parts.
static void pick(struct unit *u, uint64_t *random, uint32_t active[ACTIVE])
{
    static const char *const collectives[] = {"broadcast", "multinode-broadcast", "partial-multinode-broadcast",
                                              "reduce-scatter", "reduce"};
    uint32_t parts = 1 + unit_below(random, 3), hosts = u->topology->nodes;
    bool switched = crl_topology_hosts(u->topology, &hosts);
    const char *collective = collectives[unit_below(random, switched ? 3 : 5)];
    enum crl_ports ports = unit_below(random, 2) ? CRL_PORTS_SINGLE : CRL_PORTS_ALL;
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, ports, &u->diag), 0);
    for (uint32_t i = 0; i < ACTIVE; i++)
        active[i] = (i ? active[i - 1] + 1 : 0) + unit_below(random, hosts > 5 ? 2 : 1);
    if (crl_problem_is_partial(&u->problem))
        assert_int_equal(crl_problem_set_active(&u->problem, active, hosts < ACTIVE ? hosts : ACTIVE, parts, NULL), 0);
    else if (!crl_problem_sums(&u->problem)) assert_int_equal(crl_problem_set_parts(&u->problem, parts, NULL), 0);
    else if (!strcmp(collective, "reduce")) assert_int_equal(crl_problem_set_chunks(&u->problem, parts, NULL), 0);
}

static void random_networks_are_served(void **state)
{
    (void)state;
    uint32_t at_bound = 0, far = 0;
    for (uint64_t seed = 1; seed <= NETS; seed++) {
        struct unit u = {0};
        uint32_t active[ACTIVE];
        uint64_t random = seed;
        char name[64], what[40];
        write_net(&random, name);
        assert_int_equal(crl_topology_parse(&u.topology, name, NULL), 0);
        unlink(name + 6);
        pick(&u, &random, active);
        plan(&u, "slotwise");
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        uint32_t gap = judge(&u, what);
        at_bound += !gap;
        far += gap > 3;
        unit_close(&u);
    }
    if (at_bound * 2 < NETS || far * 20 > NETS) fail_msg("%u of %u at the bound, %u far", at_bound, NETS, far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_least),
        cmocka_unit_test(random_networks_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
