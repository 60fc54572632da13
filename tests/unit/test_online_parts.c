// SPDX-License-Identifier: Apache-2.0
// The parts of the partial multinode broadcast, each by itself: parallel prefix, packing, monotone routing, broadcasts
// along lines. All sets of small networks, random ones of larger. Each run is judged as a schedule, and its time
// against the theorems of Varvarigos & Bertsekas 1994, written down here once more.
#include "online/online.h"
#include "unit.h"

enum { NODES_MAX = 256 };

struct bench {
    struct crl_topology *topology;
    struct crl_mesh mesh;
    struct crl_diag diag;
    uint32_t active[NODES_MAX], dests[NODES_MAX], starts[NODES_MAX + 1];
    uint64_t random;
    double worst, sum; // measured / bound
    uint64_t runs;
    uint32_t together; // packets that were at a node at a time
};

static void open_bench(struct bench *b, const char *spec)
{
    memset(b, 0, sizeof *b);
    b->random = 1;
    assert_int_equal(crl_topology_parse(&b->topology, spec, &b->diag), 0);
    assert_true(crl_mesh_of(&b->mesh, b->topology));
    assert_true(b->mesh.nodes <= NODES_MAX);
}

static void close_bench(struct bench *b, const char *what)
{
    print_message("%s %s: %llu runs, measured / bound %.3f mean, %.3f most; %u packets at a node\n",
                  crl_topology_name(b->topology), what, (unsigned long long)b->runs, b->sum / (double)b->runs, b->worst,
                  b->together);
    crl_topology_free(b->topology);
}

static uint32_t steps(const struct bench *b) // d(p−1), for any sides
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < b->mesh.dims; k++) sum += b->mesh.size[k] - 1;
    return sum;
}

static void note(struct bench *b, double time, double bound)
{
    assert_true(time <= bound + 1e-9);
    b->runs++;
    if (!(bound > 0)) return;
    b->sum += time / bound;
    if (time / bound > b->worst) b->worst = time / bound;
}

// What the routers sent, as a schedule that the checker judges. The caller ends *schedule.
static void judge(struct bench *b, const struct crl_problem *problem, const struct crl_online_run *run,
                  struct crl_schedule *schedule)
{
    struct crl_report report;
    assert_int_equal(run->faults, 0);
    assert_int_equal(run->prefix_slots, crl_online_count_slots(problem));
    crl_schedule_init(schedule, b->topology, crl_problem_naming(problem), false);
    assert_int_equal(crl_online_schedule(schedule, run), 0);
    int error = crl_check(&report, schedule, problem, &b->diag);
    if (error && report.count) print_error("%s: %s\n", crl_topology_name(b->topology), report.findings[0].text);
    assert_int_equal(error, 0);
    assert_true(report.slots <= run->slots);
    assert_true(report.slots >= report.bound_slots);
    crl_report_done(&report);
}

static void init(struct bench *b, struct crl_problem *problem, const char *name)
{
    assert_int_equal(crl_problem_init(problem, name, b->topology, 0, CRL_PORTS_ALL, &b->diag), 0);
}

// ---- parallel prefix

static void prefix(struct bench *b)
{
    struct crl_problem problem;
    struct crl_online_run run;
    struct crl_schedule schedule;
    uint32_t values[NODES_MAX];
    for (uint32_t v = 0; v < b->mesh.nodes; v++) values[v] = unit_below(&b->random, UINT32_MAX);
    init(b, &problem, "prefix");
    assert_int_equal(crl_online_prefix(&run, &problem, values, &b->diag), 0);
    judge(b, &problem, &run, &schedule);
    for (size_t i = 0; i < run.log.count; i++) { // and the numbers are the sums that they are said to be
        const struct crl_link_word *word = &run.log.entry[i].word;
        uint32_t sum = 0;
        for (uint32_t v = word->origin; v <= word->dest; v++) sum += values[v];
        assert_int_equal(sum, word->count);
    }
    note(b, run.slots, steps(b));
    assert_true(crl_online_bound(&problem, 1) == steps(b));
    crl_schedule_done(&schedule);
    crl_online_run_done(&run);
}

static void prefix_takes_one_step_a_node_of_every_dimension(void **state)
{
    (void)state;
    static const char *const specs[] = {"path:2",     "path:7",      "ring:6",         "mesh:2x2",
                                        "mesh:3x3",   "mesh:5x3",    "torus:4x4",      "torus:4x4x2",
                                        "mesh:3x4x5", "hypercube:5", "mesh:6x4*ring:3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct bench b;
        open_bench(&b, specs[i]);
        prefix(&b);
        close_bench(&b, "prefix");
    }
}

// ---- packing and monotone routing

// The most packets at a node between two slots, from what the links carried.
static void count_together(struct bench *b, const struct crl_online_run *run, uint32_t count)
{
    uint32_t at[NODES_MAX] = {0};
    for (uint32_t i = 0; i < count; i++) at[b->active[i]]++;
    for (size_t i = 0; i < run->log.count; i++) {
        const struct crl_link_entry *e = &run->log.entry[i];
        if (e->word.is_count) continue;
        at[e->node]--;
        at[e->next]++;
        if (i + 1 < run->log.count && run->log.entry[i + 1].slot == e->slot) continue;
        for (uint32_t v = 0; v < b->mesh.nodes; v++)
            if (at[v] > b->together) b->together = at[v];
    }
    assert_true(b->together <= 2);
}

// Of b->active, to b->dests if `monotone`.
static void route(struct bench *b, uint32_t count, bool monotone)
{
    struct crl_problem problem;
    struct crl_online_run run;
    struct crl_schedule schedule;
    init(b, &problem, monotone ? "monotone-routing" : "packing");
    assert_int_equal(crl_problem_set_active(&problem, b->active, count, 1, &b->diag), 0);
    if (monotone) assert_int_equal(crl_problem_set_dests(&problem, b->dests, count, &b->diag), 0);
    assert_int_equal(crl_online_routing(&run, &problem, &b->diag), 0);
    judge(b, &problem, &run, &schedule);
    uint32_t last = crl_schedule_slots(&schedule), way = last > run.prefix_slots ? last - run.prefix_slots : 0;
    note(b, way, (monotone ? 2 : 1) * steps(b));
    count_together(b, &run, count);
    crl_schedule_done(&schedule);
    crl_online_run_done(&run);
}

static uint32_t members(uint32_t set, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t v = 0; set >> v; v++)
        if (set >> v & 1) node[count++] = v;
    return count;
}

static uint32_t pick(struct bench *b, uint32_t wanted, uint32_t *node)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < b->mesh.nodes; v++)
        if (unit_below(&b->random, b->mesh.nodes - v) < wanted - count) node[count++] = v;
    return count;
}

static void pack_all(const char *spec)
{
    struct bench b;
    open_bench(&b, spec);
    for (uint32_t set = 0; set < UINT32_C(1) << b.mesh.nodes; set++) route(&b, members(set, b.active), false);
    close_bench(&b, "packing");
}

// Every set of sources with every set of destinations; or, where `each` is false, with a random one, and the other way
// round: after its first half, a routing has forgotten where packets came from.
static void route_all(const char *spec, bool each)
{
    struct bench b;
    open_bench(&b, spec);
    uint32_t sets = UINT32_C(1) << b.mesh.nodes;
    for (uint32_t from = 0; from < sets; from++) {
        uint32_t count = members(from, b.active);
        for (uint32_t to = 0; to < sets && each; to++)
            if ((uint32_t)__builtin_popcount(to) == count) {
                members(to, b.dests);
                route(&b, count, true);
            }
        if (each) continue;
        pick(&b, count, b.dests);
        route(&b, count, true);
        members(from, b.dests);
        pick(&b, count, b.active);
        route(&b, count, true);
    }
    close_bench(&b, "monotone routing");
}

static void random_routes(const char *spec, uint32_t times)
{
    for (int monotone = 0; monotone < 2; monotone++) {
        struct bench b;
        open_bench(&b, spec);
        for (uint32_t i = 0; i < times; i++) {
            uint32_t count = i == 0 ? 0 : i == 1 ? b.mesh.nodes : unit_below(&b.random, b.mesh.nodes + 1);
            pick(&b, count, b.active);
            pick(&b, count, b.dests);
            route(&b, count, monotone);
        }
        close_bench(&b, monotone ? "monotone routing" : "packing");
    }
}

static void every_set_of_a_small_network_is_packed_and_routed(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:2x2", "mesh:3x3", "torus:3x3", "mesh:3x2",
                                        "mesh:2x3",  "path:7",   "mesh:2x2x2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) pack_all(specs[i]);
    route_all("mesh:2x2", true);
    route_all("mesh:3x2", true);
    route_all("path:5", true);
    route_all("mesh:3x3", false);
}

static void random_sets_are_packed_and_routed(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4", "mesh:4x4",   "mesh:5x3", "torus:4x4x2",
                                        "torus:3x5", "mesh:3x3x3", "mesh:8x8", "mesh:6x4*ring:3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) random_routes(specs[i], 60);
}

// ---- broadcasts along lines

static void line(struct bench *b, uint32_t dim, uint32_t parts)
{
    struct crl_problem problem;
    struct crl_online_run run;
    struct crl_schedule schedule;
    uint32_t p = b->mesh.size[dim], most = 0; // no factor has one node, so dimensions are factors
    init(b, &problem, "line-broadcast");
    assert_int_equal(crl_problem_set_lines(&problem, b->starts, dim, parts, &b->diag), 0);
    assert_int_equal(crl_online_lines(&run, &problem, 0, &b->diag), 0);
    judge(b, &problem, &run, &schedule);
    for (uint32_t v = 0; v < b->mesh.nodes; v++) { // K of the fullest line
        uint32_t sum = 0;
        for (uint32_t u = 0; u < b->mesh.nodes; u++)
            if (crl_problem_wants(&problem, u, 0, v)) sum += b->starts[u + 1] - b->starts[u];
        if (sum > most) most = sum;
    }
    // Theorem 2, one better; whole packets on a ring go half of the way round in each direction.
    double hops = b->mesh.ring[dim] && parts == 1 ? p / 2 : p - 1, time = run.slots / (double)parts;
    double bound = most ? (most + hops - 1) / parts : 0;
    assert_true(crl_online_bound(&problem, 0) == bound);
    note(b, time, bound);
    crl_schedule_done(&schedule);
    crl_online_run_done(&run);
}

static void line_both(struct bench *b, uint32_t dim)
{
    line(b, dim, 1);
    if (b->mesh.ring[dim]) line(b, dim, 2);
}

// All numbers of packets from 0 to `most` a node.
static void lines_all(const char *spec, uint32_t most)
{
    struct bench b;
    open_bench(&b, spec);
    uint64_t all = 1;
    for (uint32_t v = 0; v < b.mesh.nodes; v++) all *= most + 1;
    for (uint64_t i = 0; i < all; i++) {
        uint64_t rest = i;
        for (uint32_t v = 0; v < b.mesh.nodes; v++, rest /= most + 1)
            b.starts[v + 1] = b.starts[v] + (uint32_t)(rest % (most + 1));
        for (uint32_t dim = 0; dim < b.mesh.dims; dim++) line_both(&b, dim);
    }
    close_bench(&b, "lines");
}

static void random_lines(const char *spec, uint32_t times)
{
    struct bench b;
    open_bench(&b, spec);
    for (uint32_t i = 0; i < times; i++) {
        uint32_t most = 1 + unit_below(&b.random, 8);
        for (uint32_t v = 0; v < b.mesh.nodes; v++) b.starts[v + 1] = b.starts[v] + unit_below(&b.random, most);
        line_both(&b, unit_below(&b.random, b.mesh.dims));
    }
    close_bench(&b, "lines");
}

static void any_number_of_packets_is_broadcast_along_lines(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh:4x4", "torus:4x4",   "mesh:5x3", "torus:4x4x2",
                                        "ring:9",   "torus:3x5x4", "path:12",  "mesh:6x4*ring:3"};
    lines_all("path:2", 5);
    lines_all("path:5", 3);
    lines_all("ring:5", 3);
    lines_all("ring:6", 2);
    lines_all("mesh:2x2", 3);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) random_lines(specs[i], 60);
}

// ---- long

static void every_set_of_sixteen_nodes_and_hundreds_of_larger_ones(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:8x8",  "mesh:8x8",    "torus:16x16",
                                        "mesh:16x16", "torus:4x4x4", "mesh:4x4x4"};
    pack_all("torus:4x4");
    pack_all("mesh:4x4");
    route_all("mesh:3x3", true);
    route_all("mesh:4x4", false);
    route_all("torus:4x4", false);
    lines_all("mesh:3x3", 2);
    lines_all("torus:3x3", 2);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct bench b;
        open_bench(&b, specs[i]);
        prefix(&b);
        close_bench(&b, "prefix");
        random_routes(specs[i], 300);
        random_lines(specs[i], 300);
    }
}

// With --long the complete lists, else what takes seconds.
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_takes_one_step_a_node_of_every_dimension),
        cmocka_unit_test(every_set_of_a_small_network_is_packed_and_routed),
        cmocka_unit_test(random_sets_are_packed_and_routed),
        cmocka_unit_test(any_number_of_packets_is_broadcast_along_lines),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(every_set_of_sixteen_nodes_and_hundreds_of_larger_ones),
    };
    if (argc > 1 && !strcmp(argv[1], "--long")) return cmocka_run_group_tests(long_tests, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
