// SPDX-License-Identifier: Apache-2.0
#include "unit.h"
#include <unistd.h>

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};
enum { COLLECTIVES = 5, BROADCAST = 0, MULTINODE, SCATTER, GATHER, TOTAL };

// Which packets there are, said once more.
static bool exists(int collective, uint32_t origin, uint32_t dest, uint32_t root)
{
    switch (collective) {
    case BROADCAST: return origin == root && dest == 0;
    case MULTINODE: return dest == 0;
    case SCATTER: return origin == root && dest != root;
    case GATHER: return dest == root && origin != root;
    default: return origin != dest;
    }
}

static void packets_are_numbered_in_ascending_order_and_back(void **state)
{
    (void)state;
    for (int c = 0; c < COLLECTIVES; c++)
        for (uint32_t d = 1; d <= 4; d++)
            for (uint32_t root = 0; root < 1u << d; root++) {
                struct unit u;
                unit_open(&u, collectives[c], d, root, CRL_PORTS_ALL);
                bool pair = crl_problem_naming(&u.problem) == CRL_NAMING_PAIR;
                uint64_t n = 0;
                for (uint32_t origin = 0; origin < 1u << d; origin++)
                    for (uint32_t dest = 0; dest < (pair ? 1u << d : 1u); dest++) {
                        if (!exists(c, origin, dest, root)) {
                            assert_true(crl_problem_index(&u.problem, origin, dest) == UINT64_MAX);
                            continue;
                        }
                        uint32_t found_origin = CRL_NONE, found_dest = CRL_NONE;
                        assert_int_equal(crl_problem_index(&u.problem, origin, dest), n);
                        crl_problem_packet(&u.problem, n, &found_origin, &found_dest);
                        assert_int_equal(found_origin, origin);
                        assert_int_equal(found_dest, dest);
                        n++;
                    }
                assert_int_equal(crl_problem_packets(&u.problem), n);
                unit_close(&u);
            }
}

static void nodes_outside_the_network_have_no_packets(void **state)
{
    (void)state;
    for (int c = 0; c < COLLECTIVES; c++) {
        struct unit u;
        unit_open(&u, collectives[c], 3, 0, CRL_PORTS_ALL);
        assert_true(crl_problem_index(&u.problem, 8, 0) == UINT64_MAX);
        assert_true(crl_problem_index(&u.problem, 0, 8) == UINT64_MAX);
        assert_true(crl_problem_index(&u.problem, CRL_NONE, CRL_NONE) == UINT64_MAX);
        unit_close(&u);
    }
}

static void a_node_must_hold_the_packets_it_wants(void **state)
{
    (void)state;
    for (int c = 0; c < COLLECTIVES; c++)
        for (uint32_t root = 0; root < 8; root++) {
            struct unit u;
            unit_open(&u, collectives[c], 3, root, CRL_PORTS_ALL);
            for (uint32_t v = 0; v < 8; v++) {
                uint64_t wanted = 0;
                for (uint32_t o = 0; o < 8; o++)
                    for (uint32_t t = 0; t < 8; t++) {
                        if (!exists(c, o, t, root)) continue;
                        bool right = c <= MULTINODE || v == t;
                        assert_int_equal(crl_problem_wants(&u.problem, o, t, v), right);
                        wanted += right;
                    }
                assert_int_equal(crl_problem_wanted(&u.problem, v), wanted);
            }
            unit_close(&u);
        }
}

// Table 1 of Bertsekas et al. 1991.
static void bounds_are_the_closed_formulas(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 16; d++) {
        const uint64_t n = UINT64_C(1) << d, ceiling = (n - 1 + d - 1) / d, half = n / 2;
        const uint64_t all[COLLECTIVES] = {d, ceiling, ceiling, ceiling, half};
        const uint64_t single[COLLECTIVES] = {d, n - 1, n - 1, n - 1, d * half};
        const uint64_t transmissions[COLLECTIVES] = {n - 1, n * (n - 1), d * half, d * half, n * d * half};
        for (int c = 0; c < COLLECTIVES; c++)
            for (int ports = 0; ports < 2; ports++) {
                struct unit u;
                unit_open(&u, collectives[c], d, (uint32_t)(n * 2 / 3), ports ? CRL_PORTS_SINGLE : CRL_PORTS_ALL);
                assert_int_equal(crl_problem_bound_slots(&u.problem), ports ? single[c] : all[c]);
                assert_int_equal(crl_problem_bound_transmissions(&u.problem), transmissions[c]);
                unit_close(&u);
            }
    }
}

// ---- exhaustive search on the 2-cube: which packets (bits of `has[node]`) can be where after so many slots

struct search {
    const struct crl_problem *problem;
    uint32_t packets;
    uint16_t goal[4];
};

static bool reached(const struct search *s, const uint16_t *has)
{
    for (int v = 0; v < 4; v++)
        if (s->goal[v] & ~has[v]) return false;
    return true;
}

static bool hopeless(const struct search *s, const uint16_t *has, uint32_t slots)
{
    for (uint32_t k = 0; k < s->packets; k++)
        for (uint32_t v = 0; v < 4; v++) {
            uint32_t nearest = 9;
            if (!(s->goal[v] >> k & 1)) continue;
            for (uint32_t w = 0; w < 4; w++)
                if ((has[w] >> k & 1) && (uint32_t)__builtin_popcount(v ^ w) < nearest)
                    nearest = (uint32_t)__builtin_popcount(v ^ w);
            if (nearest > slots) return true;
        }
    return false;
}

// Tries every use of links link…7 in this slot, then the slots that are left.
static bool search(const struct search *s, const uint16_t *has, uint16_t *then, uint32_t link, uint32_t busy,
                   uint32_t slots)
{
    if (link == 8) {
        uint16_t next[4] = {then[0], then[1], then[2], then[3]};
        if (slots == 1 || hopeless(s, then, slots - 1)) return reached(s, then);
        return search(s, then, next, 0, 0, slots - 1);
    }
    uint32_t src = link / 2, dst = src ^ (1u << link % 2), ends = 1u << src | 16u << dst;
    bool single = s->problem->ports == CRL_PORTS_SINGLE;
    if (!single || !(busy & ends))
        for (uint32_t k = 0; k < s->packets; k++) {
            if (!(has[src] >> k & 1) || (then[dst] >> k & 1)) continue;
            then[dst] |= (uint16_t)(1u << k);
            if (search(s, has, then, link + 1, busy | ends, slots)) return true;
            then[dst] &= (uint16_t) ~(1u << k);
        }
    return search(s, has, then, link + 1, busy, slots);
}

static bool possible_in(const struct crl_problem *problem, uint32_t slots)
{
    struct search s = {problem, (uint32_t)crl_problem_packets(problem), {0}};
    uint16_t has[4] = {0}, then[4];
    for (uint32_t k = 0; k < s.packets; k++) {
        uint32_t origin, dest;
        crl_problem_packet(problem, k, &origin, &dest);
        has[origin] |= (uint16_t)(1u << k);
        for (uint32_t v = 0; v < 4; v++)
            if (crl_problem_wants(problem, origin, dest, v)) s.goal[v] |= (uint16_t)(1u << k);
    }
    memcpy(then, has, sizeof then);
    if (!slots) return reached(&s, has);
    return search(&s, has, then, 0, 0, slots);
}

static void exhaustive_search_on_the_2_cube_meets_the_bounds_exactly(void **state)
{
    (void)state;
    for (int c = 0; c < COLLECTIVES; c++)
        for (int ports = 0; ports < 2; ports++) {
            struct unit u;
            if (c == TOTAL && ports) continue; // 16 transmissions a way too many to try
            unit_open(&u, collectives[c], 2, 1, ports ? CRL_PORTS_SINGLE : CRL_PORTS_ALL);
            uint32_t bound = (uint32_t)crl_problem_bound_slots(&u.problem);
            assert_false(possible_in(&u.problem, bound - 1));
            assert_true(possible_in(&u.problem, bound));
            unit_close(&u);
        }
}

static void aliases_mean_the_same_and_unknown_names_and_roots_are_refused(void **state)
{
    (void)state;
    struct crl_topology *t;
    struct crl_problem p;
    struct crl_diag diag;
    assert_int_equal(crl_topology_parse(&t, "hypercube:3", NULL), 0);
    assert_int_equal(crl_problem_init(&p, "all-gather", t, 0, CRL_PORTS_ALL, &diag), 0);
    assert_string_equal(crl_problem_name(&p), "multinode-broadcast");
    assert_int_equal(crl_problem_init(&p, "all-to-all", t, 0, CRL_PORTS_ALL, &diag), 0);
    assert_string_equal(crl_problem_name(&p), "total-exchange");
    assert_int_equal(crl_problem_init(&p, "all-to-none", t, 0, CRL_PORTS_ALL, &diag), CRL_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "all-to-none"));
    assert_int_equal(crl_problem_init(&p, "scatter", t, 7, CRL_PORTS_ALL, &diag), 0);
    assert_int_equal(crl_problem_init(&p, "scatter", t, 8, CRL_PORTS_ALL, &diag), CRL_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "'8'"));
    crl_topology_free(t);
}

static void only_collectives_without_a_root_are_symmetric(void **state)
{
    (void)state;
    for (int c = 0; c < COLLECTIVES; c++) {
        struct unit u;
        unit_open(&u, collectives[c], 3, 0, CRL_PORTS_ALL);
        assert_int_equal(crl_problem_is_symmetric(&u.problem), c == MULTINODE || c == TOTAL);
        unit_close(&u);
    }
}

// What node v's packets for all others must make the nodes of a layer send, on any ways: 0-1 breadth-first search.
static uint64_t sends_of_layer(const struct crl_topology *t, uint32_t origin, uint32_t stride, uint32_t size,
                               uint32_t x)
{
    uint32_t n = crl_topology_nodes(t), cost[128];
    uint64_t sum = 0;
    for (uint32_t v = 0; v < n; v++) cost[v] = v == origin ? 0 : CRL_NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
                uint32_t u = crl_topology_neighbor(t, v, p), pays = v / stride % size == x;
                if (u == CRL_NONE || cost[v] == CRL_NONE || cost[v] + pays >= cost[u]) continue;
                cost[u] = cost[v] + pays;
                changed = true;
            }
    }
    for (uint32_t v = 0; v < n; v++) sum += cost[v];
    return sum;
}

static void single_port_exchanges_are_bounded_by_their_layers(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint32_t stride, size, bound; // of the path; 0: not known
    } cases[] = {
        {"complete:3*path:7", 3, 7, 74}, {"path:9", 1, 9, 40},       {"path:6*ring:3", 1, 6, 0},
        {"mesh:7x2", 1, 7, 49},          {"mesh:3x11", 3, 11, 0},    {"hypercube:2*path:5", 4, 5, 0},
        {"mesh:2x3x5", 6, 5, 0},         {"ring:4*path:8", 4, 8, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crl_topology *t;
        struct crl_problem problem;
        assert_int_equal(crl_topology_parse(&t, cases[i].topology, NULL), 0);
        assert_int_equal(crl_problem_init(&problem, "total-exchange", t, 0, CRL_PORTS_SINGLE, NULL), 0);
        uint64_t bound = crl_problem_bound_slots(&problem), nodes = crl_topology_nodes(t),
                 copies = nodes / cases[i].size;
        if (cases[i].bound) assert_int_equal(bound, cases[i].bound);
        for (uint32_t x = 0; x < cases[i].size; x++) {
            uint64_t sends = 0;
            for (uint32_t v = 0; v < nodes; v++) sends += sends_of_layer(t, v, cases[i].stride, cases[i].size, x);
            assert_true(bound * copies >= sends);
        }
        crl_topology_free(t);
    }
    struct crl_topology *t; // too large for prices found by trial
    struct crl_problem problem;
    assert_int_equal(crl_topology_parse(&t, "path:200", NULL), 0);
    assert_int_equal(crl_problem_init(&problem, "total-exchange", t, 0, CRL_PORTS_SINGLE, NULL), 0);
    assert_int_equal(crl_problem_bound_slots(&problem), 19999); // Algorithm A2 takes as many
    crl_topology_free(t);
}

// ---- distances of products, and what follows from them, node by node

static const char *const networks[] = {"path:2",
                                       "path:7",
                                       "mesh:5x4",
                                       "mesh:2x3x4",
                                       "ring:6",
                                       "torus:5x4",
                                       "ghc:3x4",
                                       "complete:5",
                                       "hypercube:4",
                                       "ring:5*path:3*complete:4",
                                       "path:3*ring:2*path:4",
                                       "graph:%s",
                                       "graph:%s*path:3"};
enum { NETWORKS = sizeof networks / sizeof *networks };

static void open_network(struct crl_topology **topology, const char *name)
{
    char path[] = "/tmp/test_problem_XXXXXX", text[128];
    bool alone = !strchr(name, '*'); // links of factors lead both ways
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(alone ? "{\"links\": [[0,0,1,0],[1,0,0,1],[0,1,0,0],[0,1,1,0]]}" : "0 1\n1 2\n1 3\n3 4\n4 0\n", file);
    fclose(file);
    const char *rest = strstr(name, "%s"); // the file
    if (rest) snprintf(text, sizeof text, "graph:%s%s", path, rest + 2);
    else snprintf(text, sizeof text, "%s", name);
    struct crl_diag diag;
    int error = crl_topology_parse(topology, text, &diag);
    unlink(path);
    if (error) fail_msg("%s: %s", name, diag.text);
}

// Slots in which a node passes a packet to or from every other, from all distances.
static uint64_t passing(const struct crl_topology *t, uint32_t node, uint32_t ports, bool inward)
{
    uint64_t best = 0;
    for (uint32_t k = 0; k < crl_topology_nodes(t); k++) {
        uint64_t beyond = 0;
        for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
            beyond += (inward ? crl_topology_distance(t, v, node) : crl_topology_distance(t, node, v)) > k;
        if (beyond && (beyond + ports - 1) / ports + k > best) best = (beyond + ports - 1) / ports + k;
    }
    return best;
}

static uint32_t degree(const struct crl_topology *t, uint32_t node, bool inward)
{
    uint32_t degree = 0;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++)
        degree += (inward ? crl_topology_behind(t, node, p) : crl_topology_neighbor(t, node, p)) != CRL_NONE;
    return degree;
}

static void distances_are_counted_as_one_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        struct crl_topology *t;
        open_network(&t, networks[i]);
        for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
            for (int inward = 0; inward < 2; inward++) {
                uint64_t counts[64] = {0}, right[64] = {0};
                uint32_t most = 0;
                for (uint32_t u = 0; u < crl_topology_nodes(t); u++) {
                    uint32_t hops = inward ? crl_topology_distance(t, u, v) : crl_topology_distance(t, v, u);
                    right[hops]++;
                    if (hops > most) most = hops;
                }
                assert_int_equal(crl_topology_eccentricity(t, v, inward), most);
                crl_topology_count_distances(t, v, inward, counts);
                assert_memory_equal(counts, right, sizeof counts);
            }
        crl_topology_free(t);
    }
}

static bool is_like(const struct crl_topology *t, uint32_t a, uint32_t b)
{
    uint64_t counts[2][64] = {{0}};
    crl_topology_count_distances(t, a, false, counts[0]);
    crl_topology_count_distances(t, b, false, counts[1]);
    return !memcmp(counts[0], counts[1], sizeof *counts) && degree(t, a, false) == degree(t, b, false);
}

static void mirrors_of_nodes_are_like_them(void **state)
{
    (void)state;
    uint32_t mirrored = 0;
    for (int i = 0; i < NETWORKS; i++) {
        struct crl_topology *t;
        open_network(&t, networks[i]);
        for (uint32_t v = 0; v < crl_topology_nodes(t); v++) {
            uint32_t u = 0;
            while (u < v && !is_like(t, u, v)) u++;
            if (crl_topology_has_mirror(t, v)) assert_true(u < v);
            mirrored += crl_topology_has_mirror(t, v);
        }
        crl_topology_free(t);
    }
    assert_true(mirrored > 100);
}

// Nodes that are left out because another is like them do not make a bound lower.
static void bounds_are_those_of_all_nodes(void **state)
{
    (void)state;
    for (int i = 0; i < NETWORKS; i++)
        for (int single = 0; single < 2; single++) {
            struct crl_topology *t;
            struct crl_problem problem;
            open_network(&t, networks[i]);
            uint64_t ends = 0, load = 0, nodes = crl_topology_nodes(t);
            for (uint32_t v = 0; v < nodes; v++) {
                uint32_t out = single ? 1 : degree(t, v, false), in = single ? 1 : degree(t, v, true);
                uint64_t takes = in ? (nodes - 1 + in - 1) / in : 0, far = crl_topology_eccentricity(t, v, true);
                if (passing(t, v, out, false) > ends) ends = passing(t, v, out, false);
                if (takes > load) load = takes;
                if (far > load) load = far;
                for (int gather = 0; gather < 2; gather++) {
                    assert_int_equal(
                        crl_problem_init(&problem, gather ? "gather" : "scatter", t, v, (enum crl_ports)single, NULL),
                        0);
                    assert_int_equal(crl_problem_bound_slots(&problem), passing(t, v, gather ? in : out, gather));
                }
            }
            assert_int_equal(crl_problem_init(&problem, "multinode-broadcast", t, 0, (enum crl_ports)single, NULL), 0);
            if (single) assert_true(crl_problem_bound_slots(&problem) >= load); // halves may raise it
            else assert_int_equal(crl_problem_bound_slots(&problem), load);
            assert_int_equal(crl_problem_init(&problem, "total-exchange", t, 0, (enum crl_ports)single, NULL), 0);
            assert_true(crl_problem_bound_slots(&problem) >= ends); // so may loads and cuts
            crl_topology_free(t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_port_exchanges_are_bounded_by_their_layers),
        cmocka_unit_test(packets_are_numbered_in_ascending_order_and_back),
        cmocka_unit_test(nodes_outside_the_network_have_no_packets),
        cmocka_unit_test(a_node_must_hold_the_packets_it_wants),
        cmocka_unit_test(bounds_are_the_closed_formulas),
        cmocka_unit_test(exhaustive_search_on_the_2_cube_meets_the_bounds_exactly),
        cmocka_unit_test(aliases_mean_the_same_and_unknown_names_and_roots_are_refused),
        cmocka_unit_test(only_collectives_without_a_root_are_symmetric),
        cmocka_unit_test(distances_are_counted_as_one_by_one),
        cmocka_unit_test(mirrors_of_nodes_are_like_them),
        cmocka_unit_test(bounds_are_those_of_all_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
