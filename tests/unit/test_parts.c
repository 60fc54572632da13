// SPDX-License-Identifier: Apache-2.0
// Split packets: at the bound, which a cut proves, and judged by the checker.
#include "problem/bound.h"
#include "problem/bound_prices.h"
#include "topology/topology.h"
#include "unit.h"
#include <unistd.h>

struct plan {
    struct unit u;
    struct crl_priced priced;
    struct crl_report report;
};

// Plans by the default scheme, judges, and proves the bound, which is not the proof of a slot more.
static void open_plan(struct plan *p, const char *collective, const char *topology, uint32_t parts, const char *scheme)
{
    struct unit *u = &p->u;
    const struct crl_algorithm *algorithm;
    struct crl_certificate c;
    memset(p, 0, sizeof *p);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    u->problem.priced = &p->priced;
    if (parts > 1) assert_int_equal(crl_problem_set_parts(&u->problem, parts, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    if (scheme) assert_string_equal(algorithm->scheme, scheme);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    assert_int_equal(unit_check(u, &p->report), 0);
    assert_int_equal(p->report.violations, 0);
    if (u->problem.hosts) return; // of which there are no certificates
    assert_int_equal(crl_bound_certificate(&c, &u->problem, &u->diag), 0);
    assert_int_equal(c.slots, p->report.bound_slots);
    assert_int_equal(c.parts, parts);
    assert_int_equal(crl_certificate_check(&c, u->topology, NULL, NULL, "", NULL), 0);
    c.slots++;
    assert_int_equal(crl_certificate_check(&c, u->topology, NULL, NULL, "", NULL), CRL_ERR_RULE);
    crl_certificate_done(&c);
}

static void close_plan(struct plan *p)
{
    crl_report_done(&p->report);
    crl_priced_done(&p->priced);
    unit_close(&p->u);
}

static void meets_the_optimum(void **state)
{
    static const struct {
        const char *collective, *topology, *scheme;
        uint32_t parts,
            slots; // 0: the bound; the greatest M·|S| over the links out of S; or more, by what they are late
    } least[] = {
        {"multinode-broadcast", "hypercube:4", "slotwise", 4, 15},
        {"multinode-broadcast", "hypercube:5", "slotwise", 5, 31},
        {"multinode-broadcast", "torus:8x8", "slotwise", 4, 63},
        {"multinode-broadcast", "torus:4x3", "slotwise", 7, 20},
        {"multinode-broadcast", "ghc:3x4", "slotwise", 5, 11},
        {"multinode-broadcast", "mesh:4x4", "slotwise", 2, 15},
        {"multinode-broadcast", "mesh:3x2", "slotwise", 3, 8},
        {"multinode-broadcast", "dragonfly:3", "slotwise", 2, 8},
        {"broadcast", "hypercube:4", "slotwise", 8, 5},
        {"broadcast", "mesh:4x4", "slotwise", 8, 9},
        {"broadcast", "path:5", "slotwise", 4, 7},
        {"multinode-broadcast", "star:4", "slotwise", 2, 7},
        {"total-exchange", "hypercube:3", "repeated", 2, 8},
        {"scatter", "mesh:3x3", "negotiated", 3, 0},
        {"gather", "torus:4x3 without 0-1,0-3", "negotiated", 2, 0},
        {"scatter", "star:4", "negotiated", 2, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        struct plan p;
        open_plan(&p, least[i].collective, least[i].topology, least[i].parts, least[i].scheme);
        print_message("%s %s %u\n", least[i].collective, least[i].topology, (unsigned)p.report.slots);
        assert_int_equal(p.report.slots, p.report.bound_slots);
        if (least[i].slots) assert_int_equal(p.report.slots, least[i].slots);
        bool spreads = p.u.problem.collective->naming == CRL_NAMING_ORIGIN; // others may make detours
        if (spreads && !p.u.problem.hosts) assert_int_equal(p.report.transmissions, p.report.bound_transmissions);
        close_plan(&p);
    }
}

// ---------------------------------------------------------------- the bound beside all cuts

enum { NODES = 6 };

// A connected graph of one-way links: a ring, and more among the first half of the nodes and among the others.
static void make_graph(char path[32], uint64_t *random)
{
    strcpy(path, "/tmp/parts-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            if (b == (a + 1) % NODES || (b != a && a / (NODES / 2) == b / (NODES / 2) && unit_below(random, 4)))
                fprintf(file, "%u > %u\n", a, b);
    fclose(file);
}

// The least T for which the links out of `set` have places for what starts there and must come to v, those from which
// it is far to v the fewer.
static uint64_t cut(const struct crl_topology *t, uint32_t set, uint32_t v, uint32_t parts)
{
    uint64_t due = (uint64_t)__builtin_popcount(set) * parts, slots = 0, room = 0;
    while (room < due) {
        room = 0;
        slots++;
        for (uint32_t u = 0; u < NODES; u++)
            for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
                uint32_t to = crl_topology_neighbor(t, u, p);
                if (to == CRL_NONE || !(set >> u & 1) || set >> to & 1) continue;
                uint64_t far = crl_topology_distance(t, to, v);
                room += slots > far ? slots - far : 0;
            }
    }
    return slots;
}

static void proves_more_than_any_cut(void **state)
{
    uint64_t random = 1;
    uint32_t met = 0, plain = 0, count = 0;
    (void)state;
    for (uint32_t round = 0; round < 12; round++) {
        char path[32], name[40];
        struct plan p;
        uint32_t parts = 1 + round % 4 * 3;
        uint64_t most = 0, degrees = 0;
        make_graph(path, &random);
        snprintf(name, sizeof name, "graph:%s", path);
        open_plan(&p, "multinode-broadcast", name, parts, "slotwise");
        for (uint32_t set = 1; set + 1 < 1u << NODES; set++)
            for (uint32_t v = 0; v < NODES; v++) {
                if (set >> v & 1) continue;
                uint64_t slots = cut(p.u.topology, set, v, parts);
                if (slots > most) most = slots;
                if (set == ((1u << NODES) - 1) - (1u << v) && slots > degrees) degrees = slots;
            }
        assert_true(p.report.bound_slots >= most);
        met += p.report.slots == p.report.bound_slots;
        plain += degrees == most;
        count++;
        close_plan(&p);
        unlink(path);
    }
    print_message("%u of %u graphs at the bound, which is that of one node's links for %u\n", met, count, plain);
    assert_true(met + 1 >= count);
    assert_true(plain < count); // else the cuts are put to no test
}

// In reversed time, and as image and back.
static void turns_and_folds(void **state)
{
    struct plan p;
    struct crl_schedule full;
    (void)state;
    open_plan(&p, "reduce-scatter", "mesh:3x3", 1, NULL);
    assert_int_equal(p.report.slots, 4);
    close_plan(&p);
    open_plan(&p, "multinode-broadcast", "torus:3x3", 4, "slotwise");
    assert_true(p.u.schedule.folded);
    uint64_t slots = p.report.slots;
    crl_report_done(&p.report);
    assert_int_equal(crl_schedule_expand(&full, &p.u.schedule, &p.u.diag), 0);
    assert_int_equal(full.count, 9 * 8 * 4);
    crl_schedule_done(&p.u.schedule);
    p.u.schedule = full;
    assert_int_equal(unit_check(&p.u, &p.report), 0);
    assert_int_equal(p.report.violations, 0);
    assert_int_equal(p.report.slots, slots);
    close_plan(&p);
}

static void refuses_what_cannot_be_split(void **state)
{
    static const char *const others[] = {"partial-exchange", "partial-gather", "reduce", "prefix"};
    struct crl_topology *t;
    (void)state;
    assert_int_equal(crl_topology_parse(&t, "torus:3x3", NULL), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct crl_problem problem;
        struct crl_diag diag;
        assert_int_equal(crl_problem_init(&problem, others[i], t, 0, CRL_PORTS_ALL, &diag), 0);
        assert_int_equal(crl_problem_set_parts(&problem, 2, &diag), CRL_ERR_ARGUMENT);
        assert_int_equal(crl_problem_set_parts(&problem, 1, &diag), 0);
    }
    crl_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_the_optimum),
        cmocka_unit_test(proves_more_than_any_cut),
        cmocka_unit_test(turns_and_folds),
        cmocka_unit_test(refuses_what_cannot_be_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
