// SPDX-License-Identifier: Apache-2.0
// Lowering: the tables say what the schedule says, by crl_raise and by a second reading of them.
#include "unit.h"
#include "unit_random.h"
#include "unit_spread.h"
#include "unit_tables.h"

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};

static void lower_with(struct unit *u, struct crl_image *image, uint32_t lanes, uint32_t banks)
{
    struct crl_lower_options options = {lanes, banks, 1, 32, 0, 0};
    assert_int_equal(crl_lower(image, &u->schedule, &u->problem, "test", &options, &u->diag), 0);
    assert_int_equal(image->geometry.lanes, lanes);
}

static void assert_raises_to(const struct crl_image *image, const struct unit *u)
{
    struct crl_schedule raised;
    assert_int_equal(crl_raise(&raised, image, &u->problem, NULL), 0);
    unit_assert_same(&raised, &u->schedule);
    crl_schedule_done(&raised);
}

// Lowers with K = `lanes`, checks, and returns the banks it took.
static uint32_t assert_lowers(struct unit *u, uint32_t lanes, uint32_t banks)
{
    struct crl_image image;
    lower_with(u, &image, lanes, banks);
    assert_raises_to(&image, u);
    uint32_t wasted = tables_check(&image, u), taken = image.geometry.banks;
    if (image.geometry.waddr_field) assert_int_equal(wasted, 0);
    assert_in_range(taken, lanes, CRL_BANKS_MAX);
    if (banks) assert_int_equal(taken, banks);
    crl_image_done(&image);
    return taken;
}

static void every_algorithm_comes_back_out_of_its_tables(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 6; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++) {
                struct unit u;
                unit_plan(&u, unit_schemes[k], d, (1u << d) * 2 / 3);
                uint32_t banks = assert_lowers(&u, lanes, 0);
                if (k >= 2) assert_int_equal(banks, lanes); // a packet is read once in each node: König
                unit_close(&u);
            }
}

static void single_port_broadcast_comes_back_out_of_its_tables(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 6; d++)
        for (uint32_t lanes = 1; lanes <= d; lanes++) {
            struct unit u;
            unit_plan(&u, unit_schemes[0], d, 1);
            u.problem.ports = CRL_PORTS_SINGLE;
            assert_lowers(&u, lanes, 0);
            unit_close(&u);
        }
}

static void expanded_schedules_lower_node_by_node(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 4; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++) {
                struct unit u;
                unit_plan(&u, unit_schemes[k], d, 0);
                unit_expand(&u);
                uint32_t banks = assert_lowers(&u, lanes, 0);
                if (k == 4) assert_int_equal(banks, lanes);
                unit_close(&u);
            }
}

static void random_personalised_schedules_need_no_more_banks_than_lanes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++)
        for (uint32_t d = 2; d <= 4; d++) {
            struct unit u;
            random_schedule(&u, collectives[2 + seed % 3], d, seed % 5 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 4, 0,
                            seed * 4 + d);
            uint32_t lanes = 1 + (uint32_t)(seed / 3 % d);
            assert_int_equal(assert_lowers(&u, lanes, 0), lanes);
            unit_close(&u);
        }
}

static void random_broadcasts_are_read_many_times_and_lower(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++)
        for (uint32_t d = 2; d <= 4; d++) {
            struct unit u;
            random_schedule(&u, collectives[seed % 2], d, seed % 5 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 7, 0,
                            seed * 4 + d);
            assert_lowers(&u, 1 + (uint32_t)(seed / 2 % d), 0);
            unit_close(&u);
        }
}

static void rows_for_nothing_are_played_too(void **state)
{
    (void)state;
    uint64_t redundant = 0, useless = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct unit u;
        struct crl_report report;
        random_schedule(&u, collectives[seed % 5], 3, seed % 2 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 3,
                        1 + seed % 9, seed);
        assert_int_equal(unit_check(&u, &report), 0);
        for (size_t i = 0; i < report.count; i++) {
            redundant += !strcmp(report.findings[i].kind->id, "redundant");
            useless += !strcmp(report.findings[i].kind->id, "useless");
        }
        crl_report_done(&report);
        assert_lowers(&u, 1 + (uint32_t)(seed / 5 % 3), 0);
        unit_close(&u);
    }
    assert_true(redundant > 100 && useless > 100);
}

static void more_banks_than_needed_are_used_as_asked(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 4; lanes++) {
            struct unit u;
            unit_plan(&u, unit_schemes[k], 4, 0);
            assert_lowers(&u, lanes, lanes + 3);
            assert_lowers(&u, lanes, CRL_BANKS_MAX);
            unit_close(&u);
        }
}

static void equal_tables_are_kept_once(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct unit u;
        struct crl_image image;
        unit_plan(&u, unit_schemes[k], 4, 3);
        lower_with(&u, &image, 4, 0);
        for (uint32_t a = 0; a < image.tables; a++) {
            bool used = false;
            for (uint32_t b = 0; b < a; b++) {
                bool differ = false;
                for (uint32_t r = 0; r < image.geometry.rows; r++)
                    differ |= memcmp(crl_image_row(&image, a, r), crl_image_row(&image, b, r),
                                     image.store.row_words * sizeof(uint32_t)) != 0;
                assert_true(differ);
            }
            for (uint32_t v = 0; v < image.nodes; v++) used |= image.node_table[v] == a;
            assert_true(used);
        }
        if (u.schedule.folded) assert_int_equal(image.tables, 1);
        crl_image_done(&image);
        unit_close(&u);
    }
}

static void impossible_wishes_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t lanes, banks;
        int error;
    } wishes[] = {{4, 0, CRL_ERR_ARGUMENT}, {3, 2, CRL_ERR_UNSUPPORTED}, {1, CRL_BANKS_MAX + 1, CRL_ERR_UNSUPPORTED}};
    struct unit u;
    struct crl_image image;
    unit_plan(&u, unit_schemes[2], 3, 0);
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        struct crl_lower_options options = UNIT_LOWER(wishes[i].lanes, wishes[i].banks, 1, 32, 0);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), wishes[i].error);
    }
    unit_close(&u);
}

static void assert_refused(struct unit *u, struct crl_lower_options options, int error, const char *text)
{
    struct crl_image image;
    assert_int_equal(crl_lower(&image, &u->schedule, &u->problem, "test", &options, &u->diag), error);
    if (!strstr(u->diag.text, text)) fail_msg("%s", u->diag.text);
}

static void refusals_say_why(void **state)
{
    (void)state;
    struct unit u;
    unit_plan(&u, unit_schemes[2], 3, 0);
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(1, CRL_BANKS_MAX + 1, 1, 32, 0), CRL_ERR_UNSUPPORTED,
                   "'65' banks; a router has at most 64");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(3, 2, 1, 32, 1), CRL_ERR_UNSUPPORTED,
                   "'2' banks for 3 lanes: routers with streams need as many banks as lanes");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(4, 0, 1, 32, 0), CRL_ERR_ARGUMENT, "'4' lanes; a node of");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(2, 0, 1, 32, 3), CRL_ERR_ARGUMENT,
                   "'3' streams; a node of 2 lanes has 1 to 2 each way");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(3, 0, 0, 32, 0), CRL_ERR_ARGUMENT, "'0' words a packet");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(3, 0, 65537, 32, 0), CRL_ERR_ARGUMENT,
                   "'65537' words a packet");
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(3, 0, 1, 24, 0), CRL_ERR_ARGUMENT, "words of '24' bits");
    struct crl_image image;
    struct crl_lower_options options = {3, 3, 65536, 32, 3, 0};
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
    assert_int_equal(image.geometry.banks, 3);
    crl_image_done(&image);
    unit_close(&u);
    // At one node a packet waits.
    for (uint32_t via = 1; via < 8; via <<= 1) {
        uint32_t one = via == 1 ? 2 : 1;
        unit_open(&u, "broadcast", 3, 0, CRL_PORTS_ALL);
        unit_add(&u, 1, 0, via, 0, 0);
        unit_add(&u, 3, via, via ^ one, 0, 0);
        char text[64];
        snprintf(text, sizeof text, "'1' banks for 3 lanes: at node %u packets wait", via);
        assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(3, 1, 1, 32, 0), CRL_ERR_UNSUPPORTED, text);
        struct crl_router_form form;
        assert_int_equal(crl_lower_form(&form, &u.schedule, &u.problem, &u.diag), 0);
        assert_true(form.delay && !form.write_xbar);
        unit_close(&u);
    }
    unit_open(&u, "broadcast", 1, 1, CRL_PORTS_ALL); // back to where it came from, and it waits at node 0
    unit_add(&u, 1, 1, 0, 1, 0);
    unit_add(&u, 3, 0, 1, 1, 0);
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(1, 2, 1, 32, 2), CRL_ERR_ARGUMENT, "'2' streams");
    struct crl_router_form waits;
    assert_int_equal(crl_lower_form(&waits, &u.schedule, &u.problem, &u.diag), 0);
    assert_true(waits.delay && !waits.write_xbar);
    unit_close(&u);
    unit_open(&u, "broadcast", 3, 0, CRL_PORTS_ALL); // nothing waits
    unit_add(&u, 1, 0, 1, 0, 0);
    unit_add(&u, 2, 1, 3, 0, 0);
    struct crl_router_form form;
    assert_int_equal(crl_lower_form(&form, &u.schedule, &u.problem, &u.diag), 0);
    assert_true(!form.delay && !form.write_xbar);
    unit_close(&u);
}

// Each two of three packets leave node 0 together once, so that they lie in three banks.
static void too_few_banks_are_refused(void **state)
{
    (void)state;
    struct unit u;
    unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 1, 0, 1, 0);
    unit_add(&u, 1, 2, 0, 2, 0);
    unit_add(&u, 1, 3, 1, 3, 0);
    unit_add(&u, 2, 1, 0, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        unit_add(&u, 5 + i, 0, 1, 1 + i, 0);
        unit_add(&u, 5 + i, 0, 2, 1 + (i + 1) % 3, 0);
    }
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(2, 2, 1, 32, 0), CRL_ERR_UNSUPPORTED,
                   "no way found to share out the packets among 2 banks; leave out --banks");
    struct crl_image image;
    lower_with(&u, &image, 2, 0);
    assert_int_equal(image.geometry.banks, 3);
    crl_image_done(&image);
    unit_close(&u);
}

// Addresses are as wide as the last one needs, and at least 8 bits.
static void addresses_are_as_wide_as_needed(void **state)
{
    (void)state;
    static const struct {
        int scheme;
        uint32_t d, lanes, width;
    } cases[] = {{4, 8, 8, 8}, {4, 9, 9, 9}, {1, 9, 1, 9}, {1, 10, 1, 10}, {1, 10, 2, 9}, {1, 8, 1, 8}, {1, 4, 4, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct unit u;
        struct crl_image image;
        unit_plan(&u, unit_schemes[cases[i].scheme], cases[i].d, 0);
        lower_with(&u, &image, cases[i].lanes, 0);
        const struct crl_geometry *g = &image.geometry;
        uint32_t depth = g->waddr_field ? 0 : g->rows;
        for (uint32_t k = 0; k < image.after[0].count; k++)
            if (image.after[0].place[k].addr >= depth) depth = image.after[0].place[k].addr + 1;
        uint32_t bits = 8;
        while (UINT32_C(1) << bits < depth) bits++;
        assert_int_equal(g->addr_width, bits);
        assert_int_equal(g->addr_width, cases[i].width);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// What comes last may be for nobody: rows have numbers all the same, which are the addresses.
static void addresses_are_as_wide_as_rows_are_many(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    unit_open(&u, "broadcast", 1, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 0);
    unit_add(&u, 300, 1, 0, 0, 0);
    lower_with(&u, &image, 1, 0);
    assert_int_equal(image.geometry.rows, 301);
    assert_int_equal(image.geometry.addr_width, 9);
    crl_image_done(&image);
    unit_close(&u);
}

// Node 0 sends packet (0, 2) three times, when no lane is free each time: it is loaded into two, once each. Lanes 0 and
// 1 are those of what comes from nodes 1 and 2; (0, 1) takes the place that it needs in the first cycles.
static void copies_are_loaded_once_a_lane(void **state)
{
    (void)state;
    static const struct crl_move moves[][8] = {
        {{1, 0, 1, 0, 1},
         {1, 0, 2, 0, 2},
         {1, 2, 0, 2, 1},
         {2, 0, 2, 0, 2},
         {2, 0, 1, 2, 1},
         {3, 0, 2, 0, 2},
         {3, 0, 1, 2, 1}},
        {{1, 0, 1, 0, 1},
         {1, 0, 2, 0, 2},
         {1, 1, 0, 1, 2},
         {2, 0, 1, 0, 1},
         {2, 0, 2, 1, 2},
         {3, 0, 1, 0, 2},
         {3, 0, 2, 1, 2},
         {4, 0, 1, 0, 2}},
    };
    for (size_t i = 0; i < 2; i++) {
        struct unit u;
        struct crl_image image;
        uint32_t copies[2] = {0};
        unit_open(&u, "total-exchange", 2, 0, CRL_PORTS_ALL);
        for (size_t k = 0; k < 8 && moves[i][k].slot; k++)
            unit_add(&u, moves[i][k].slot, moves[i][k].src, moves[i][k].dst, moves[i][k].origin, moves[i][k].dest);
        if (i == 1) unit_add(&u, 4, 0, 2, 1, 2);
        lower_with(&u, &image, 2, 0);
        for (uint32_t k = 0; k < image.before[0].count; k++)
            if (image.before[0].place[k].dest == 2) copies[image.before[0].place[k].bank]++;
        assert_int_equal(image.geometry.banks, 2);
        assert_int_equal(copies[0], 1);
        assert_int_equal(copies[1], 1);
        crl_image_done(&image);
        unit_close(&u);
    }
}

static void how_long_links_take_stands_in_the_image(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    unit_open(&u, "broadcast", 2, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 0);
    lower_with(&u, &image, 2, 0);
    assert_int_equal(image.latencies, 0);
    crl_image_done(&image);
    assert_int_equal(crl_topology_set_latency(u.topology, "3", &u.diag), 0);
    lower_with(&u, &image, 2, 0);
    assert_int_equal(image.latencies, 2); // of each port
    for (uint32_t p = 0; p < 2; p++) assert_int_equal(image.latency[p], 3);
    crl_image_done(&image);
    unit_close(&u);
}

static void one_bank_is_a_router_that_passes_on(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {2, 1, 1, 32, 0, 0};
    unit_open(&u, "broadcast", 2, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 0, 1, 0, 0);
    unit_add(&u, 1, 0, 2, 0, 0);
    unit_add(&u, 2, 1, 3, 0, 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
    const struct crl_geometry *g = &image.geometry;
    assert_true(g->banks == 1 && g->lanes == 2 && g->write_xbar == 1 && !g->delay && !g->waddr_field);
    assert_raises_to(&image, &u);
    tables_check(&image, &u);
    crl_image_done(&image);
    unit_close(&u);
}

static void too_many_slots_are_refused(void **state)
{
    (void)state;
    struct unit u;
    unit_open(&u, "broadcast", 1, 0, CRL_PORTS_ALL);
    unit_add(&u, (UINT32_C(1) << 24) + 1, 0, 1, 0, 0);
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(1, 0, 1, 32, 0), CRL_ERR_LIMIT,
                   "too many slots for a table");
    unit_close(&u);
    memset(&u, 0, sizeof u); // 32 ports a slot, one after the other: 2^28 cycles and more
    assert_int_equal(crl_topology_parse(&u.topology, "complete:33", &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, "broadcast", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    crl_schedule_init(&u.schedule, u.topology, crl_problem_naming(&u.problem), false);
    unit_add(&u, (UINT32_C(1) << 23) + 1, 0, 1, 0, 0);
    assert_refused(&u, (struct crl_lower_options)UNIT_LOWER(1, 0, 1, 32, 0), CRL_ERR_LIMIT,
                   "too many slots for a table");
    unit_close(&u);
}

// Nobody may be active in a partial collective.
static void an_empty_schedule_is_a_table_that_does_nothing(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    unit_open(&u, "partial-exchange", 3, 0, CRL_PORTS_ALL);
    struct crl_lower_options options = {3, 0, 1, 32, 0, 0};
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
    assert_int_equal(image.geometry.rows, 1);
    assert_int_equal(image.tables, 1);
    for (uint32_t v = 0; v < 8; v++) assert_int_equal(image.before[v].count + image.after[v].count, 0);
    crl_image_done(&image);
    unit_close(&u);
}

static void who_is_active_stands_in_the_image(void **state)
{
    (void)state;
    static const uint32_t active[] = {1, 2, 4, 6, 7};
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {3, 0, 1, 32, 0, 0};
    unit_open(&u, "partial-exchange", 3, 0, CRL_PORTS_ALL);
    assert_int_equal(crl_problem_set_active(&u.problem, active, 5, 1, &u.diag), 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
    assert_int_equal(image.active_count, 5);
    assert_memory_equal(image.active, active, sizeof active);
    crl_image_done(&image);
    unit_close(&u);
}

static void no_lanes_means_one_a_port(void **state)
{
    (void)state;
    struct unit u;
    struct crl_image image;
    struct crl_lower_options options = {0, 0, 5, 16, 0, 0};
    unit_plan(&u, unit_schemes[4], 3, 0);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "recursive", &options, NULL), 0);
    assert_int_equal(image.geometry.lanes, 3);
    assert_int_equal(image.geometry.words, 5);
    assert_int_equal(image.geometry.data_width, 16);
    assert_string_equal(image.topology, "hypercube:3");
    assert_string_equal(image.collective, "total-exchange");
    assert_string_equal(image.scheme, "recursive");
    crl_image_done(&image);
    unit_close(&u);
}

// crl_row_used says which bits act; all the others may be anything.
static void bits_that_act_on_nothing_may_be_anything(void **state)
{
    (void)state;
    uint64_t random = 3, changed = 0;
    for (int round = 0; round < 60; round++) {
        struct unit u;
        struct crl_image image;
        unit_plan(&u, unit_schemes[round % 5], 4, 0);
        lower_with(&u, &image, 1 + (uint32_t)round / 5 % 4, 0);
        const struct crl_geometry *g = &image.geometry;
        unit_spread(&image.store, image.tables, g->rows);
        uint32_t words = crl_row_words(g), *old = malloc(sizeof *old * image.tables * g->rows * words), mask[512];
        memcpy(old, image.store.bits, sizeof *old * image.tables * g->rows * words);
        for (uint32_t t = 0; t < image.tables; t++)
            for (uint32_t r = 0; r < g->rows; r++) {
                struct crl_row row, next;
                uint32_t *bits = image.store.bits + (t * g->rows + r) * words, *from = old + (t * g->rows + r) * words;
                crl_row_unpack(g, from, &row);
                if (r + 1 < g->rows) crl_row_unpack(g, from + words, &next);
                crl_row_used(g, &row, r + 1 < g->rows ? &next : NULL, mask);
                for (uint32_t i = 1; i < crl_row_bits(g); i++)
                    if (!(mask[i / 32] >> i % 32 & 1) && unit_random(&random) % 2) {
                        bits[i / 32] ^= UINT32_C(1) << i % 32;
                        bits[0] ^= 1; // parity
                        changed++;
                    }
            }
        assert_raises_to(&image, &u);
        free(old);
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_true(changed > 10000);
}

// What comes on a stream is added in banks of its number, modulo that of streams, and what it shows is in these
// (decision 0317), also where there are more banks than streams.
static void streams_of_sums_are_tied_to_banks(void **state)
{
    (void)state;
    static const struct {
        const char *collective, *network;
        uint32_t chunks, lanes, banks;
    } subjects[] = {{"all-reduce", "torus:4x4", 16, 4, 4},
                    {"reduce", "hypercube:3", 1, 3, 3},
                    {"all-reduce", "hypercube:3", 16, 3, 6}};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        struct unit u;
        struct crl_image image;
        uint32_t came = 0, shown = 0;
        const struct crl_algorithm *algorithm;
        memset(&u, 0, sizeof u);
        assert_int_equal(crl_topology_parse(&u.topology, subjects[i].network, &u.diag), 0);
        assert_int_equal(crl_problem_init(&u.problem, subjects[i].collective, u.topology, 0, CRL_PORTS_ALL, &u.diag),
                         0);
        u.problem.chunks = subjects[i].chunks;
        assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
        assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
        struct crl_lower_options options = UNIT_LOWER(subjects[i].lanes, 0, 1, 32, subjects[i].lanes);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
        const struct crl_geometry *g = &image.geometry;
        assert_int_equal(g->banks, subjects[i].banks);
        for (uint32_t t = 0; t < image.tables; t++)
            for (uint32_t r = 0; r < g->rows; r++) {
                struct crl_row row;
                crl_row_unpack(g, crl_image_row(&image, t, r), &row);
                for (uint32_t b = 0; b < g->banks; b++) {
                    uint32_t own = row.bank[b].wen ? row.bank[b].wsel >> g->lanes : 0;
                    assert_true(own == 0 || own == UINT32_C(1) << b % g->lanes);
                    came += own != 0;
                }
                for (uint32_t j = 0; j < g->lanes; j++) {
                    assert_true(!row.lane[j].show || row.lane[j].ssel % g->lanes == j);
                    shown += row.lane[j].show;
                }
            }
        assert_true(came && shown);
        crl_image_done(&image);
        unit_close(&u);
    }
}

static void raising_survives_any_table(void **state)
{
    (void)state;
    uint64_t random = 5;
    int raised = 0;
    for (int round = 0; round < 400; round++) {
        struct unit u;
        struct crl_image image;
        struct crl_schedule schedule;
        unit_plan(&u, unit_schemes[round % 5], 3, 0);
        lower_with(&u, &image, 1 + (uint32_t)round / 5 % 3, 0);
        unit_spread(&image.store, image.tables, image.geometry.rows);
        uint32_t words = image.tables * image.geometry.rows * crl_row_words(&image.geometry);
        for (int flips = round < 200 ? 2 : 2000; flips > 0; flips--)
            image.store.bits[unit_below(&random, words)] ^= UINT32_C(1) << unit_below(&random, 32);
        int error = crl_raise(&schedule, &image, &u.problem, &u.diag);
        assert_true(error == 0 || error == CRL_ERR_MISMATCH);
        for (size_t i = 0; i < schedule.count && !error; i++) // only packets are sent, by neighbours
            assert_true(schedule.moves[i].origin < 8 && schedule.moves[i].dest < 8 && schedule.moves[i].dst < 8);
        raised += !error;
        crl_schedule_done(&schedule);
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_in_range(raised, 50, 350);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_comes_back_out_of_its_tables),
        cmocka_unit_test(single_port_broadcast_comes_back_out_of_its_tables),
        cmocka_unit_test(expanded_schedules_lower_node_by_node),
        cmocka_unit_test(random_personalised_schedules_need_no_more_banks_than_lanes),
        cmocka_unit_test(random_broadcasts_are_read_many_times_and_lower),
        cmocka_unit_test(rows_for_nothing_are_played_too),
        cmocka_unit_test(more_banks_than_needed_are_used_as_asked),
        cmocka_unit_test(equal_tables_are_kept_once),
        cmocka_unit_test(impossible_wishes_are_refused),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(too_few_banks_are_refused),
        cmocka_unit_test(addresses_are_as_wide_as_needed),
        cmocka_unit_test(addresses_are_as_wide_as_rows_are_many),
        cmocka_unit_test(copies_are_loaded_once_a_lane),
        cmocka_unit_test(how_long_links_take_stands_in_the_image),
        cmocka_unit_test(one_bank_is_a_router_that_passes_on),
        cmocka_unit_test(too_many_slots_are_refused),
        cmocka_unit_test(an_empty_schedule_is_a_table_that_does_nothing),
        cmocka_unit_test(who_is_active_stands_in_the_image),
        cmocka_unit_test(no_lanes_means_one_a_port),
        cmocka_unit_test(bits_that_act_on_nothing_may_be_anything),
        cmocka_unit_test(streams_of_sums_are_tied_to_banks),
        cmocka_unit_test(raising_survives_any_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
