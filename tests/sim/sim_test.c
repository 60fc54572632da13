// SPDX-License-Identifier: Apache-2.0
/* The simulation library against docs/formats/row.md: every step and word below is worked out by hand from that page.
 */
#include "harness.h"

static struct trace trace;
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
    };

    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
