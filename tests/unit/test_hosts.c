// SPDX-License-Identifier: Apache-2.0
// Random networks with wide links, one-way links, latencies, and nodes that only forward: plans obey the checker, which
// takes links' widths and the hosts from the file; tables say what plans say.
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

enum { NODES = 7, NETS = 25 };

// A ring, so that all nodes reach each other, and some links more; of the last nodes some are switches.
static void write_net(uint64_t *random, char name[64])
{
    char path[] = "/tmp/test_hosts_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    bool late = !unit_below(random, 3), linked[NODES][NODES] = {{false}};
    uint32_t switches = unit_below(random, 4);
    if (switches) fprintf(file, "switches %u-%u\n", NODES - switches, NODES - 1);
    for (uint32_t i = 0; i < 3 * NODES; i++) {
        uint32_t a = i < NODES ? i : unit_below(random, NODES),
                 b = i < NODES ? (i + 1) % NODES : unit_below(random, NODES);
        bool one_way = i >= NODES && unit_below(random, 2);
        if (a == b || linked[a][b] || linked[b][a]) continue;
        linked[a][b] = linked[b][a] = true;
        fprintf(file, "%u %s %u %u %u\n", a, one_way ? ">" : "", b, 1 + unit_below(random, 3),
                late ? 1 + unit_below(random, 4) : 1);
    }
    fclose(file);
    snprintf(name, 64, "graph:%s", path);
}

static void obeys_and_lowers(struct crl_topology *t, const char *collective, enum crl_ports ports, uint32_t *optimal)
{
    struct unit u = {.topology = t};
    const struct crl_algorithm *algorithm;
    struct crl_report report;
    struct crl_image image;
    struct crl_schedule raised;
    const struct crl_lower_options how = {.words = 1, .data_width = 32};
    assert_int_equal(crl_problem_init(&u.problem, collective, t, 0, ports, &u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
    if (unit_check(&u, &report)) fail_msg("%s", report.findings[0].text);
    assert_int_equal(report.violations + report.warnings, 0); // no hop is for nothing
    *optimal += report.slots == report.bound_slots;
    crl_report_done(&report);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, algorithm->scheme, &how, &u.diag), 0);
    assert_int_equal(crl_raise(&raised, &image, &u.problem, &u.diag), 0);
    assert_int_equal(raised.count, u.schedule.count);
    assert_memory_equal(raised.moves, u.schedule.moves, sizeof *raised.moves * raised.count);
    crl_schedule_done(&raised);
    crl_image_done(&image);
    crl_schedule_done(&u.schedule);
}

static void plans_obey_and_lower(void **state)
{
    (void)state;
    static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather",
                                              "total-exchange"};
    uint64_t random = 1;
    uint32_t optimal = 0, all = 0;
    for (uint32_t net = 0; net < NETS; net++) {
        struct crl_topology *t;
        char name[64];
        write_net(&random, name);
        assert_int_equal(crl_topology_parse(&t, name, NULL), 0);
        unlink(name + 6);
        for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
            for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++, all++)
                obeys_and_lowers(t, collectives[i], (enum crl_ports)ports, &optimal);
        crl_topology_free(t);
    }
    assert_true(optimal * 2 > all); // most are at the bound
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_obey_and_lower)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
