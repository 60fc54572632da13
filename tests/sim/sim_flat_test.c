// SPDX-License-Identifier: Apache-2.0
/* Nodes wired by the harness against the flat fabric, on random tables. */
#include "harness.h"

static struct trace trace, other;
static struct row rows[NODES_MAX * ROWS_MAX];

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

static void random_rows(uint64_t *seed, const struct crl_sim_router *p, uint32_t n)
{
    const uint32_t group = (p->ports + p->lanes - 1) / p->lanes, group_codes = UINT32_C(1) << row_clog2(group);

    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t b = 0; b < p->banks; b++) {
            rows[i].bank[b].raddr = (uint32_t)random_next(seed) & 15;
            rows[i].bank[b].byp = (uint32_t)random_next(seed) & 1;
            rows[i].bank[b].dly = p->delay & (uint32_t)random_next(seed) & 1;
            rows[i].bank[b].wen = (uint32_t)random_next(seed) & 1;
            rows[i].bank[b].wsel = (uint32_t)random_next(seed) % p->lanes;
            rows[i].bank[b].waddr = (uint32_t)random_next(seed) & 15;
        }
        for (uint32_t j = 0; j < p->lanes; j++) {
            rows[i].out[j].ov = random_next(seed) % 4 != 0;
            rows[i].out[j].osel = (uint32_t)random_next(seed) % (p->banks < p->lanes ? p->lanes + p->banks : p->banks);
            rows[i].out[j].oport = (uint32_t)random_next(seed) % group_codes;
            rows[i].in[j].exp = random_next(seed) % 4 != 0;
            rows[i].in[j].iport = (uint32_t)random_next(seed) % group;
        }
    }
}

static void random_inject(struct net *net, int64_t edge, void *user)
{
    uint64_t *seed = user;

    (void)edge;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t node = (uint32_t)random_next(seed) % net->nodes,
                       port = (uint32_t)random_next(seed) % net->params.ports;

        crl_sim_inject(net->sim, node, port, random_next(seed));
    }
}

/* A network by its sources and the clocks that words wait on their links, [nodes][ports]. */
enum { LAG_MAX = 3 };
struct wiring {
    uint32_t nodes, ports, source[NODES_MAX * PORTS_MAX], lag[NODES_MAX * PORTS_MAX];
};

static struct wiring cube(void)
{
    struct wiring w = {.nodes = 8, .ports = 3};

    for (uint32_t n = 0; n < 8; n++)
        for (uint32_t p = 0; p < 3; p++) w.source[n * 3 + p] = n ^ UINT32_C(1) << p;
    return w;
}

/* Columns by rows, ports +x -x +y -y; behind a port is the neighbour in the opposite direction. */
static struct wiring grid(uint32_t columns, uint32_t lines, bool wraps)
{
    struct wiring w = {.nodes = columns * lines, .ports = 4};

    for (uint32_t n = 0; n < w.nodes; n++)
        for (uint32_t p = 0; p < 4; p++) {
            const uint32_t side = p < 2 ? columns : lines, stride = p < 2 ? 1 : columns, at = n / stride % side,
                           behind = (at + (p % 2 ? 1 : side - 1)) % side;
            const bool edge = at == (p % 2 ? side - 1 : 0);

            w.source[n * 4 + p] = edge && !wraps ? CRL_SIM_NONE : n + behind * stride - at * stride;
        }
    return w;
}

/* Petersen's graph, each edge on the first port that both its ends have free; some ports have no link. */
static struct wiring petersen(void)
{
    struct wiring w = {.nodes = 10, .ports = 5};

    for (uint32_t i = 0; i < 50; i++) w.source[i] = CRL_SIM_NONE;
    for (uint32_t i = 0; i < 15; i++) {
        const uint32_t k = i % 5, a = i < 10 ? k : 5 + k, b = i < 5 ? (k + 1) % 5 : i < 10 ? k + 5 : 5 + (k + 2) % 5;
        uint32_t p = 0;

        while (w.source[a * 5 + p] != CRL_SIM_NONE || w.source[b * 5 + p] != CRL_SIM_NONE) p++;
        assert_true(p < 5);
        w.source[a * 5 + p] = b;
        w.source[b * 5 + p] = a;
    }
    return w;
}

/* The words that were on links of both, which must be the same ones; likewise the faults. */
static uint32_t agree_on_random_tables(const struct crl_sim_router *params, const struct wiring *w, uint32_t tables,
                                       uint64_t *seed)
{
    const uint32_t n_rows = 1 + (uint32_t)random_next(seed) % 30;
    uint32_t words_seen = 0;
    struct net network, flat;

    /*
     * Anew for each table: random rows forward data that is not valid, and a flat fabric is clocked while its table is
     * loaded, which the routers of the network are not: a step more, and all of them see the row that rests there.
     */
    net_open_on(&network, params, w->nodes, w->source, w->lag, tables, false, 1);
    net_open_on(&flat, params, w->nodes, w->source, w->lag, tables, true, 1);
    random_rows(seed, params, n_rows * tables);
    net_load(&network, rows, n_rows, -1, 0);
    net_load(&flat, rows, n_rows, -1, 0);
    for (uint32_t i = 0; i <= LAG_MAX; i++) { // also on links that take several steps
        crl_sim_step(network.sim);
        crl_sim_step(flat.sim);
    }
    for (int play = 0; play < 3; play++) {
        const uint32_t last_page = (uint32_t)random_next(seed) % params->pages;
        uint64_t seed_network = *seed;

        net_play(&network, n_rows, last_page, 70, random_inject, &seed_network, &trace);
        net_play(&flat, n_rows, last_page, 70, random_inject, seed, &other);
        assert_same_trace(&trace, &other);
        for (uint32_t n = 0; n < w->nodes; n++) {
            const struct crl_sim_fault a = crl_sim_node_fault(network.sim, n);
            const struct crl_sim_fault b = crl_sim_node_fault(flat.sim, n);

            assert_int_equal(a.kinds, b.kinds);
            assert_int_equal(a.ports, b.ports);
            assert_int_equal(a.row, b.row);
            for (uint32_t t = 0; t < trace.times; t++) words_seen += trace.valid[t][n] != 0;
        }
        if (play == 1) {
            crl_sim_clear(network.sim);
            crl_sim_clear(flat.sim);
        }
    }
    net_close(&network);
    net_close(&flat);
    return words_seen;
}

static void network_and_flat_fabric_agree_on_random_tables(void **state)
{
    struct crl_sim_router sets[4] = {cube_params(), cube_params(), cube_params(), cube_params()};
    const struct wiring w = cube();

    (void)state;
    sets[1].lanes = sets[1].banks = 1;
    sets[1].data_width = 16;
    sets[2].lanes = 2;
    sets[2].banks = 3;
    sets[2].write_xbar = sets[2].waddr_field = 1;
    sets[2].pages = 2;
    sets[2].data_width = 24;
    sets[3].banks = sets[3].write_xbar = 1;
    sets[3].delay = 0;
    for (int set = 0; set < 4; set++) {
        for (uint32_t tables = 1; tables <= (set == 0 ? 8 : 1); tables += 7) {
            uint64_t seed = UINT64_C(0x1234567) + (unsigned)set;
            uint32_t words_seen = 0;

            for (int run = 0; run < 20; run++) words_seen += agree_on_random_tables(&sets[set], &w, tables, &seed);
            assert_true(words_seen > 500);
        }
    }
}

static void network_and_flat_fabric_agree_on_any_topology(void **state)
{
    const struct wiring wirings[] = {grid(3, 3, true), grid(2, 3, false), petersen()};

    (void)state;
    for (size_t i = 0; i < sizeof wirings / sizeof *wirings; i++) {
        struct crl_sim_router params = cube_params();
        uint64_t seed = UINT64_C(0x7654321) + i;
        uint32_t words_seen = 0;

        params.ports = params.lanes = params.banks = wirings[i].ports;
        for (int run = 0; run < 20; run++)
            words_seen += agree_on_random_tables(&params, &wirings[i], run % 2 ? wirings[i].nodes : 1, &seed);
        assert_true(words_seen > 500);
    }
}

static void network_and_flat_fabric_agree_on_slow_links(void **state)
{
    struct wiring w = grid(3, 3, true);
    struct crl_sim_router params = cube_params();
    uint64_t seed = UINT64_C(0x2345678);
    uint32_t words_seen = 0;

    (void)state;
    params.ports = params.lanes = params.banks = w.ports;
    for (uint32_t i = 0; i < w.nodes * w.ports; i++) w.lag[i] = i * 5 % (LAG_MAX + 1);
    for (int run = 0; run < 20; run++) words_seen += agree_on_random_tables(&params, &w, run % 2 ? w.nodes : 1, &seed);
    assert_true(words_seen > 500);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_and_flat_fabric_agree_on_random_tables),
        cmocka_unit_test(network_and_flat_fabric_agree_on_any_topology),
        cmocka_unit_test(network_and_flat_fabric_agree_on_slow_links),
    };

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
