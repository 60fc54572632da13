// SPDX-License-Identifier: Apache-2.0
/* The simulation library against docs/formats/row.md: every step and word below is worked out by hand from that page.
 */
#define _GNU_SOURCE
#include "harness.h"

static struct trace trace, other;
static struct row rows[NODES_MAX * ROWS_MAX];

static void rows_clear(void) { memset(rows, 0, sizeof rows); }

/* Nothing on any link but what `expected` says, in all times. */
static void assert_links(const struct net *net, const struct trace *got, const struct trace *expected)
{
    for (uint32_t t = 0; t < got->times; t++) {
        for (uint32_t n = 0; n < net->nodes; n++) {
            if (got->valid[t][n] != expected->valid[t][n])
                fail_msg("time %u, node %u: valid %x, expected %x", t, n, got->valid[t][n], expected->valid[t][n]);
            for (uint32_t p = 0; p < net->params.ports; p++)
                if (got->data[t][n][p] != expected->data[t][n][p])
                    fail_msg("time %u, node %u, port %u: %llx, expected %llx", t, n, p,
                             (unsigned long long)got->data[t][n][p], (unsigned long long)expected->data[t][n][p]);
        }
    }
}

static void expect_word(struct trace *expected, uint32_t time, uint32_t node, uint32_t port, uint64_t word)
{
    expected->valid[time][node] |= UINT32_C(1) << port;
    expected->data[time][node][port] = word;
}

/* One link, one memory: the least there is. delay and width as given. */
static struct crl_sim_router tiny(uint32_t width)
{
    return (struct crl_sim_router){
        .ports = 1, .lanes = 1, .banks = 1, .data_width = width, .addr_width = 4, .table_depth = 32, .pages = 1};
}

static void exchange_rows(void)
{
    rows_clear();
    rows[0].out[0].ov = 1;
    rows[0].bank[0].raddr = 2;
    rows[1].in[0].exp = 1;
    rows[1].bank[0].wen = 1;
}

static void two_nodes_exchange_a_word(void **state)
{
    const uint32_t widths[] = {8, 64};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct crl_sim_router params = tiny(widths[i]);
        struct trace expected = {0};
        uint64_t stored[2];
        struct net net;

        net_open_cube(&net, &params, 1, false, 1);
        net_preload(&net, 4);
        exchange_rows();
        net_load(&net, rows, 2, -1, 0);
        net_play(&net, 2, 0, 8, NULL, NULL, &trace);
        /* Link cycle 1 is on the links in time 3. */
        for (uint32_t n = 0; n < 2; n++) expect_word(&expected, 3, n, 0, own_word(&net, n, 0, 2, 0));
        assert_links(&net, &trace, &expected);
        /* Row 1 acts in time 3. */
        for (uint32_t t = 0; t < trace.times; t++) assert_int_equal(trace.busy[t], t <= 3);
        /* Written where the row number says. */
        net_read(&net, 1, 0, stored);
        assert_true(stored[0] == own_word(&net, 1, 0, 2, 0) && stored[1] == own_word(&net, 0, 0, 2, 0));
        net_read(&net, 2, 0, stored);
        assert_true(stored[0] == own_word(&net, 0, 0, 2, 0));
        assert_no_fault(&net);
        net_close(&net);
    }
}

static struct crl_sim_router cube_params(void)
{
    return (struct crl_sim_router){.ports = 3,
                                   .lanes = 3,
                                   .banks = 3,
                                   .delay = 1,
                                   .data_width = 32,
                                   .addr_width = 4,
                                   .table_depth = 32,
                                   .pages = 1};
}

/*
 * Link cycle 1: each node sends bank p on port p. 2: what arrived on lane p+1, live. 3: what arrived in cycle 1 on lane
 * p+2, delayed. 4: what arrived in cycle 1 on lane p, from the bank.
 */
static uint32_t three_places_rows(void)
{
    const uint32_t zero = 9; /* an address never written: memories start at zero in simulation */

    rows_clear();
    for (uint32_t p = 0; p < 3; p++) {
        rows[0].bank[p].raddr = 0;
        rows[0].out[p].osel = p;
        rows[1].bank[p].byp = 1;
        rows[1].bank[p].dly = 1;
        rows[1].bank[p].wen = 1;
        rows[1].out[p].osel = (p + 1) % 3;
        rows[2].bank[p].raddr = zero;
        rows[2].out[p].osel = (p + 2) % 3;
        rows[3].bank[p].raddr = 1;
        rows[3].out[p].osel = p;
        rows[4].bank[p].wen = 1;
        for (uint32_t r = 0; r < 4; r++) {
            rows[r].out[p].ov = 1;
            rows[r + 1].in[p].exp = 1;
        }
    }
    return 5;
}

static void three_places_expected(const struct net *net, struct trace *expected)
{
    for (uint32_t n = 0; n < 8; n++) {
        uint64_t arrived[3];

        for (uint32_t p = 0; p < 3; p++) arrived[p] = own_word(net, n ^ 1u << p, p, 0, 0);
        for (uint32_t p = 0; p < 3; p++) {
            expect_word(expected, 3, n, p, own_word(net, n, p, 0, 0));
            expect_word(expected, 4, n, p, arrived[(p + 1) % 3]);
            expect_word(expected, 5, n, p, arrived[(p + 2) % 3]);
            expect_word(expected, 6, n, p, arrived[p]);
        }
    }
}

static void word_leaves_live_delayed_and_from_the_bank(void **state)
{
    const struct crl_sim_router params = cube_params();

    (void)state;
    /* Harness on one thread, on three, and the flat fabric: the same hand-made answer. */
    for (int way = 0; way < 3; way++) {
        struct trace expected = {0};
        uint64_t stored[8 * 3];
        struct net net;
        uint32_t n_rows;

        net_open_cube(&net, &params, 1, way == 2, way == 1 ? 3 : 1);
        net_preload(&net, 8);
        n_rows = three_places_rows();
        net_load(&net, rows, n_rows, -1, 0);
        net_play(&net, n_rows, 0, 12, NULL, NULL, &trace);
        three_places_expected(&net, &expected);
        assert_links(&net, &trace, &expected);
        assert_no_fault(&net);
        net_read(&net, 4, 0, stored);
        for (uint32_t n = 0; n < 8; n++)
            for (uint32_t p = 0; p < 3; p++) assert_true(stored[n * 3 + p] == expected.data[6][n ^ 1u << p][p]);
        assert_no_fault(&net);
        net_close(&net);
    }
}

static void one_lane_serves_three_ports(void **state)
{
    struct crl_sim_router params = cube_params();
    struct trace expected = {0};
    uint64_t stored[8];
    struct net net;

    (void)state;
    params.lanes = params.banks = 1;
    params.delay = 0;
    net_open_cube(&net, &params, 1, false, 1);
    net_preload(&net, 8);
    rows_clear();
    for (uint32_t p = 0; p < 3; p++) {
        rows[p].out[0].ov = 1;
        rows[p].out[0].oport = p;
        rows[p].bank[0].raddr = 4 + p;
        rows[p + 1].in[0].exp = 1;
        rows[p + 1].in[0].iport = p;
        rows[p + 1].bank[0].wen = 1;
    }
    net_load(&net, rows, 4, -1, 0);
    net_play(&net, 4, 0, 10, NULL, NULL, &trace);
    for (uint32_t n = 0; n < 8; n++)
        for (uint32_t p = 0; p < 3; p++) expect_word(&expected, 3 + p, n, p, own_word(&net, n, 0, 4 + p, 0));
    assert_links(&net, &trace, &expected);
    for (uint32_t p = 0; p < 3; p++) {
        net_read(&net, 1 + p, 0, stored);
        for (uint32_t n = 0; n < 8; n++) assert_true(stored[n] == own_word(&net, n ^ 1u << p, 0, 4 + p, 0));
    }
    assert_no_fault(&net);
    net_close(&net);
}

static void each_bank_selects_its_lane_and_address(void **state)
{
    struct crl_sim_router params = cube_params();
    struct trace expected = {0};
    uint64_t stored[4 * 3];
    struct net net;

    (void)state;
    params.ports = params.lanes = 2;
    params.banks = 3;
    params.write_xbar = params.waddr_field = 1;
    net_open_cube(&net, &params, 1, false, 1);
    net_preload(&net, 3);
    rows_clear();
    for (uint32_t p = 0; p < 2; p++) {
        rows[0].out[p].ov = 1;
        rows[0].out[p].osel = 2 - p; /* banks 2 and 1 */
        rows[1].in[p].exp = 1;
    }
    rows[0].bank[1].raddr = 1;
    rows[0].bank[2].raddr = 2;
    rows[1].bank[2].wen = 1; /* lane 0 to bank 2, lane 1 to banks 0 and 1 */
    rows[1].bank[2].waddr = 7;
    rows[1].bank[0].wen = rows[1].bank[1].wen = 1;
    rows[1].bank[0].wsel = rows[1].bank[1].wsel = 1;
    rows[1].bank[0].waddr = 6;
    rows[1].bank[1].waddr = 5;
    net_load(&net, rows, 2, -1, 0);
    net_play(&net, 2, 0, 8, NULL, NULL, &trace);
    for (uint32_t n = 0; n < 4; n++) {
        expect_word(&expected, 3, n, 0, own_word(&net, n, 2, 2, 0));
        expect_word(&expected, 3, n, 1, own_word(&net, n, 1, 1, 0));
    }
    assert_links(&net, &trace, &expected);
    for (uint32_t bank = 0; bank < 3; bank++) {
        const uint32_t address[] = {6, 5, 7};

        net_read(&net, address[bank], 0, stored);
        for (uint32_t n = 0; n < 4; n++)
            assert_true(stored[n * 3 + bank] ==
                        (bank == 2 ? own_word(&net, n ^ 1, 2, 2, 0) : own_word(&net, n ^ 2, 1, 1, 0)));
    }
    net_read(&net, 1, 0, stored);
    for (uint32_t n = 0; n < 4; n++)
        assert_true(stored[n * 3] == own_word(&net, n, 0, 1, 0)); /* the row number is no address here */
    assert_no_fault(&net);
    net_close(&net);
}

static void rounds_follow_without_a_gap_each_on_its_page(void **state)
{
    struct crl_sim_router params = tiny(32);
    struct trace expected = {0};
    uint64_t stored[2];
    struct net net;

    (void)state;
    params.pages = 3; /* built as four */
    net_open_cube(&net, &params, 1, false, 1);
    net_preload(&net, 4);
    exchange_rows();
    net_load(&net, rows, 2, -1, 0);
    net_play(&net, 2, 2, 12, NULL, NULL, &trace);
    for (uint32_t n = 0; n < 2; n++)
        for (uint32_t page = 0; page < 3; page++)
            expect_word(&expected, 3 + 2 * page, n, 0, own_word(&net, n, 0, 2, page));
    assert_links(&net, &trace, &expected);
    for (uint32_t page = 0; page < 3; page++) {
        net_read(&net, 1, page, stored);
        assert_true(stored[0] == own_word(&net, 1, 0, 2, page) && stored[1] == own_word(&net, 0, 0, 2, page));
    }
    assert_int_equal(crl_sim_start(net.sim, 1, 3), CRL_ERR_ARGUMENT);
    assert_no_fault(&net);
    net_close(&net);
}

static void nodes_play_different_tables(void **state)
{
    const struct crl_sim_router params = tiny(32);
    struct trace expected = {0};
    uint64_t stored[2];
    struct net net;

    (void)state;
    net_open_cube(&net, &params, 2, false, 1);
    net_preload(&net, 4);
    rows_clear();
    rows[0].out[0].ov = 1; /* table 0 sends in link cycle 1, table 1 keeps it */
    rows[0].bank[0].raddr = 3;
    rows[2 + 1].in[0].exp = 1;
    rows[2 + 1].bank[0].wen = 1;
    net_load(&net, rows, 2, -1, 0);
    net_play(&net, 2, 0, 8, NULL, NULL, &trace);
    expect_word(&expected, 3, 0, 0, own_word(&net, 0, 0, 3, 0));
    assert_links(&net, &trace, &expected);
    net_read(&net, 1, 0, stored);
    assert_true(stored[0] == own_word(&net, 0, 0, 1, 0) && stored[1] == own_word(&net, 0, 0, 3, 0));
    assert_no_fault(&net);
    net_close(&net);
}

/* ---- faults ---- */

struct disturbance {
    int64_t edge;
    bool drop;
    uint32_t node, port;
};

static void disturb(struct net *net, int64_t edge, void *user)
{
    const struct disturbance *d = user;

    if (edge != d->edge) return;
    if (d->drop) crl_sim_drop(net->sim, d->node, d->port);
    else crl_sim_inject(net->sim, d->node, d->port, 0x55);
}

static void assert_fault(struct net *net, uint32_t node, uint32_t kinds, uint32_t ports, uint32_t row)
{
    for (uint32_t n = 0; n < net->nodes; n++) {
        const struct crl_sim_fault f = crl_sim_node_fault(net->sim, n);

        assert_int_equal(f.kinds, n == node ? kinds : 0);
        if (n == node && kinds) {
            assert_int_equal(f.ports, ports);
            /* The row of an overrun is that of no row. */
            if (!(kinds & CRL_SIM_FAULT_OVERRUN)) assert_int_equal(f.row, row);
        }
    }
    assert_true(crl_sim_any_fault(net->sim));
    crl_sim_clear(net->sim);
    crl_sim_step(net->sim);
    assert_no_fault(net);
}

static void guard_names_missing_unexpected_and_overrun(void **state)
{
    const struct crl_sim_router params = cube_params();

    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        struct disturbance d = {.node = 5, .port = 2};
        struct net net;
        uint32_t n_rows;

        net_open_cube(&net, &params, 1, flat, 1);
        net_preload(&net, 4);
        n_rows = three_places_rows();
        net_load(&net, rows, n_rows, -1, 0);
        /* The words of link cycle 3 are sampled at edge 6, in row 3. A flat fabric cannot drop. */
        if (!flat) {
            d.drop = true;
            d.edge = 6;
            net_play(&net, n_rows, 0, 12, disturb, &d, &trace);
            assert_fault(&net, 5, CRL_SIM_FAULT_MISSING, 4, 3);
            d.drop = false;
        }
        /* Row 0 acts in time 2 and expects nothing. */
        d.edge = 3;
        net_play(&net, n_rows, 0, 12, disturb, &d, &trace);
        assert_fault(&net, 5, CRL_SIM_FAULT_UNEXPECTED, 4, 0);
        /* No row acts before time 2, nor after row 4 in time 6. */
        d.edge = 2;
        net_play(&net, n_rows, 0, 12, disturb, &d, &trace);
        assert_fault(&net, 5, CRL_SIM_FAULT_OVERRUN, 4, 0);
        d.edge = 8;
        net_play(&net, n_rows, 0, 12, disturb, &d, &trace);
        assert_fault(&net, 5, CRL_SIM_FAULT_OVERRUN, 4, 0);
        /* Where a word is expected, another in its place is no fault of the guard's. */
        d.edge = 4;
        net_play(&net, n_rows, 0, 12, disturb, &d, &trace);
        assert_no_fault(&net);
        net_close(&net);
    }
}

static void parity_fault_names_the_first_bad_row(void **state)
{
    const struct crl_sim_router params = cube_params();
    struct net net;
    uint32_t n_rows;

    (void)state;
    net_open_cube(&net, &params, 1, false, 1);
    n_rows = three_places_rows();
    for (int bit = 0; bit < (int)net_row_bits(&net); bit += 3) {
        struct crl_sim_table_fault fault;

        net_load(&net, rows, n_rows, bit, 2);
        net_play(&net, n_rows, 0, 12, NULL, NULL, &trace);
        fault = crl_sim_table_fault(net.sim, 0);
        assert_true(fault.parity);
        assert_int_equal(fault.row, 2);
        crl_sim_clear(net.sim);
        crl_sim_step(net.sim);
        assert_false(crl_sim_table_fault(net.sim, 0).parity);
    }
    net_close(&net);
}

/* ---- harness against flat fabric ---- */

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

    rows_clear();
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
        cmocka_unit_test(two_nodes_exchange_a_word),
        cmocka_unit_test(word_leaves_live_delayed_and_from_the_bank),
        cmocka_unit_test(one_lane_serves_three_ports),
        cmocka_unit_test(each_bank_selects_its_lane_and_address),
        cmocka_unit_test(rounds_follow_without_a_gap_each_on_its_page),
        cmocka_unit_test(nodes_play_different_tables),
        cmocka_unit_test(guard_names_missing_unexpected_and_overrun),
        cmocka_unit_test(parity_fault_names_the_first_bad_row),
        cmocka_unit_test(network_and_flat_fabric_agree_on_random_tables),
        cmocka_unit_test(network_and_flat_fabric_agree_on_any_topology),
        cmocka_unit_test(network_and_flat_fabric_agree_on_slow_links),
    };

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
