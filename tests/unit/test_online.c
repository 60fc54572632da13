// SPDX-License-Identifier: Apache-2.0
// On-line partial collectives: all sets of active nodes of small networks, random ones of larger. Each run is judged as
// a schedule, and its time against the formulas of Varvarigos & Bertsekas 1994, written down here once more.
#include "online/online.h"
#include "unit.h"
#include <math.h>

enum kind { WHOLE, SPLIT, EXCHANGE, BALANCED, KINDS };

struct bench {
    struct crl_topology *topology;
    struct crl_mesh mesh;
    struct crl_diag diag;
    uint32_t active[512];
    double worst[KINDS], sum[KINDS];          // measured / bound, by kind
    double over_most[KINDS], over_sum[KINDS]; // slots after counting / lower bound
    uint64_t runs[KINDS];
    uint32_t rounds_most; // that give balanced classes
};

static void open_bench(struct bench *b, const char *spec)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(crl_topology_parse(&b->topology, spec, &b->diag), 0);
    assert_true(crl_mesh_of(&b->mesh, b->topology));
}

static void close_bench(struct bench *b) { crl_topology_free(b->topology); }

// Eqs. (5a), (6a), which are Theorem 6, (5b), (6b), and that of Sec. 4, for equal sides p.
static double paper_bound(const struct bench *b, enum kind kind, double M, double tp)
{
    double d = b->mesh.dims, p = b->mesh.size[0], N = b->mesh.nodes;
    bool torus = b->mesh.all_rings;
    if (kind == SPLIT && torus) return M / (2 * d) * (N - 1) / N + 2 * d * (p - 1) * tp + 1.5 * (p - 1);
    if (kind == SPLIT) return M / d * (N - 1) / N + 2 * d * (p - 1) * tp + 2 * (p - 1);
    if (kind == WHOLE && torus)
        return ceil(M / d) / (p - 1) * ceil((p - 1) / 2) * (N - 1) / N + (p - 1) * d + d * ceil((p - 1) / 2) +
               4 * (p - 1) * d * tp;
    if (kind == WHOLE) return ceil(M / d) + 2 * (p - 1) * d - 1 + 4 * (p - 1) * d * tp;
    return 2 * floor(sqrt(M)) * (N - p) + 2 * (p - 1) + p * tp;
}

// No line has more than M^(1/d) nodes of the class that starts along it; and counting takes whole rounds of all
// dimensions, in two dimensions two that give classes at most, and one in which nobody is left.
static void judge_balance(struct bench *b, const struct crl_online_run *run, uint32_t count)
{
    static bool of_class[CRL_DIMS_MAX][512];
    uint32_t dims = b->mesh.dims, round = dims * (b->mesh.longest - 1), most = 0;
    while (pow(most + 1, dims) <= count) most++;
    memset(of_class, 0, sizeof of_class);
    for (size_t i = 0; i < run->log.count; i++) {
        const struct crl_link_word *w = &run->log.entry[i].word;
        if (!w->is_count) of_class[w->tag][w->origin] = true;
    }
    for (uint32_t k = 0; k < dims; k++)
        for (uint32_t v = 0; v < b->mesh.nodes; v++) {
            uint32_t first = v - crl_mesh_digit(&b->mesh, v, k) * b->mesh.stride[k], sum = 0;
            for (uint32_t i = 0; i < b->mesh.size[k]; i++) sum += of_class[k][first + i * b->mesh.stride[k]];
            assert_true(sum <= most);
        }
    assert_int_equal(run->prefix_slots % round, 0);
    uint32_t rounds = run->prefix_slots / round - 1;
    assert_true(count ? rounds >= 1 : rounds == 0);
    if (dims <= 2) assert_true(rounds <= dims);
    if (rounds > b->rounds_most) b->rounds_most = rounds;
}

static void judge(struct bench *b, enum kind kind, uint32_t count)
{
    static const double prefix_steps[] = {0, 0.1, 1};
    struct crl_problem problem;
    struct crl_online_run run;
    struct crl_report report;
    struct crl_schedule schedule;
    const char *name = kind >= EXCHANGE ? "partial-exchange" : "partial-multinode-broadcast";
    uint32_t parts = kind == SPLIT ? crl_mini_packets(b->topology) : 1;
    if (kind == SPLIT && parts == 1) return; // a path of one dimension has nothing to split
    assert_int_equal(crl_problem_init(&problem, name, b->topology, 0, CRL_PORTS_ALL, &b->diag), 0);
    assert_int_equal(crl_problem_set_active(&problem, b->active, count, parts, &b->diag), 0);
    assert_int_equal(kind >= EXCHANGE ? crl_online_exchange(&run, &problem, kind == BALANCED, 0, &b->diag)
                                      : crl_online_broadcast(&run, &problem, 0, &b->diag),
                     0);
    assert_int_equal(run.faults, 0);
    crl_schedule_init(&schedule, b->topology, crl_problem_naming(&problem), false);
    assert_int_equal(crl_online_schedule(&schedule, &run), 0);
    assert_int_equal(crl_check(&report, &schedule, &problem, &b->diag), 0);
    assert_true(report.slots <= run.slots);
    uint64_t least = crl_problem_bound_slots(&problem);
    assert_true(report.slots >= least);
    if (count) {
        double over = (double)(run.slots - run.prefix_slots) / (double)least;
        b->over_sum[kind] += over;
        if (over > b->over_most[kind]) b->over_most[kind] = over;
    }
    if (kind == BALANCED) judge_balance(b, &run, count);
    else assert_int_equal(run.prefix_slots, crl_online_count_slots(&problem));
    bool equal = true;
    for (uint32_t k = 1; k < b->mesh.dims; k++) equal &= b->mesh.size[k] == b->mesh.size[0];
    for (size_t i = 0; i < 3 && count; i++) {
        double tp = prefix_steps[i], time = run.prefix_slots * tp + (double)(run.slots - run.prefix_slots) / parts;
        double bound = kind == BALANCED   ? crl_balanced_exchange_bound(&problem, tp)
                       : kind == EXCHANGE ? crl_online_exchange_bound(&problem, tp)
                                          : crl_online_broadcast_bound(&problem, tp);
        assert_true(time <= bound + 1e-9);
        if (equal && (kind < EXCHANGE || (kind == EXCHANGE && b->mesh.dims == 2))) {
            // (5a) and (6a) are sums of single links; a ring of two has one, not two.
            if (b->mesh.size[0] > 2 || kind != SPLIT) assert_true(time <= paper_bound(b, kind, count, tp) + 1e-9);
            assert_true(bound <= paper_bound(b, kind, count, tp) + 1e-9);
        }
        if (i) continue;
        b->sum[kind] += time / bound;
        b->runs[kind]++;
        if (time / bound > b->worst[kind]) b->worst[kind] = time / bound;
    }
    crl_report_done(&report);
    crl_schedule_done(&schedule);
    crl_online_run_done(&run);
}

static void tell(const struct bench *b)
{
    static const char *const names[] = {"whole", "split", "exchange", "balanced"};
    for (int kind = 0; kind < KINDS; kind++)
        if (b->runs[kind])
            print_message("%s %s: %llu runs, measured / bound %.3f mean, %.3f most; measured / lower bound %.2f mean, "
                          "%.2f most\n",
                          crl_topology_name(b->topology), names[kind], (unsigned long long)b->runs[kind],
                          b->sum[kind] / (double)b->runs[kind], b->worst[kind],
                          b->over_sum[kind] / (double)b->runs[kind], b->over_most[kind]);
    print_message("%s: balanced classes in %u rounds at most\n", crl_topology_name(b->topology), b->rounds_most);
}

static void all_sets(const char *spec)
{
    struct bench b;
    open_bench(&b, spec);
    for (uint32_t set = 0; set < UINT32_C(1) << b.mesh.nodes; set++) {
        uint32_t count = 0;
        for (uint32_t v = 0; v < b.mesh.nodes; v++)
            if (set >> v & 1) b.active[count++] = v;
        for (int kind = 0; kind < KINDS; kind++) judge(&b, (enum kind)kind, count);
    }
    tell(&b);
    close_bench(&b);
}

static void random_sets(const char *spec, uint32_t times, enum kind first)
{
    struct bench b;
    uint64_t random = 1;
    open_bench(&b, spec);
    for (uint32_t i = 0; i < times; i++) {
        uint32_t count = 0, share = i == 0 ? 0 : i == 1 ? b.mesh.nodes : unit_below(&random, b.mesh.nodes + 1);
        for (uint32_t v = 0; v < b.mesh.nodes; v++)
            if (unit_below(&random, b.mesh.nodes) < share) b.active[count++] = v;
        for (int kind = (int)first; kind < KINDS; kind++) judge(&b, (enum kind)kind, count);
    }
    tell(&b);
    close_bench(&b);
}

static bool within(uint32_t dims, const uint32_t *digit, uint32_t side)
{
    for (uint32_t k = 0; k < dims; k++)
        if (digit[k] >= side) return false;
    return true;
}

// Exchanges of sets that lie as badly as we know: corners, plates, and plates that share a line, whose nodes are those
// with the fullest lines.
static void shaped_sets(const char *spec)
{
    static uint32_t sets[3][512];
    struct bench b;
    open_bench(&b, spec);
    uint32_t dims = b.mesh.dims;
    for (uint32_t side = 1; side <= b.mesh.longest; side++) {
        uint32_t counts[3] = {0};
        for (uint32_t v = 0; v < b.mesh.nodes; v++) {
            uint32_t digit[CRL_DIMS_MAX], beyond = 0;
            for (uint32_t k = 0; k < dims; k++) digit[k] = crl_mesh_digit(&b.mesh, v, k);
            for (uint32_t k = 1; k < dims; k++) beyond += digit[k] > 0;
            if (!within(dims, digit, side)) continue;
            sets[0][counts[0]++] = v;
            if (!digit[dims - 1]) sets[1][counts[1]++] = v;
            if (beyond <= 1) sets[2][counts[2]++] = v;
        }
        for (size_t i = 0; i < 3; i++) {
            memcpy(b.active, sets[i], sizeof b.active);
            for (int kind = EXCHANGE; kind < KINDS; kind++) judge(&b, (enum kind)kind, counts[i]);
        }
    }
    tell(&b);
    close_bench(&b);
}

static void exchanges_that_lie_badly(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4x4", "mesh:4x4x4", "torus:5x4x3", "mesh:5x4x3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) shaped_sets(specs[i]);
}

static void every_set_of_a_small_network_within_the_bounds(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh:2x2",  "torus:2x2", "torus:3x3", "mesh:3x3",  "mesh:4x2",
                                        "torus:3x2", "ring:7",    "path:6",    "mesh:2x2x2"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) all_sets(specs[i]);
}

static void random_sets_of_larger_networks_within_the_bounds(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4", "mesh:4x4",   "mesh:5x3",  "torus:5x5", "torus:4x4x2",
                                        "torus:3x5", "mesh:3x3x3", "torus:8x8", "mesh:8x8",  "mesh:6x4*ring:3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) random_sets(specs[i], 60, WHOLE);
}

static void every_set_of_sixteen_nodes_and_hundreds_of_larger_ones(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:8x8",  "mesh:8x8",    "torus:16x16",
                                        "mesh:16x16", "torus:4x4x4", "mesh:4x4x4"};
    all_sets("torus:4x4");
    all_sets("mesh:4x4");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) random_sets(specs[i], 300, WHOLE);
}

static void exchanges_in_more_dimensions(void **state)
{
    (void)state;
    static const char *const specs[] = {"torus:4x4x4", "mesh:4x4x4",    "torus:5x4x3",
                                        "mesh:5x4x3",  "torus:3x3x3x3", "mesh:3x3x3x3"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) random_sets(specs[i], 100, EXCHANGE);
    random_sets("torus:8x8x8", 20, EXCHANGE);
    random_sets("mesh:8x8x8", 20, EXCHANGE);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) shaped_sets(specs[i]);
    shaped_sets("torus:8x8x8");
    shaped_sets("mesh:8x8x8");
}

// With --long the complete lists, else what takes seconds.
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_of_a_small_network_within_the_bounds),
        cmocka_unit_test(random_sets_of_larger_networks_within_the_bounds),
        cmocka_unit_test(exchanges_that_lie_badly),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(exchanges_in_more_dimensions),
        cmocka_unit_test(every_set_of_sixteen_nodes_and_hundreds_of_larger_ones),
    };
    if (argc > 1 && !strcmp(argv[1], "--long")) return cmocka_run_group_tests(long_tests, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
