// SPDX-License-Identifier: Apache-2.0
// What lowering decides in a node, of nodes that no schedule makes: lanes, banks, addresses, held against what
// docs/formats/row.md asks of them.
#include "lower/lower.h"
#include "unit.h"

enum { CYCLES_MAX = 40, VISITS_MAX = 400, OUT_MAX = 1600, LANES_MAX = 6, ADDRS_MAX = 600 };

struct node {
    struct crl_node_plan plan;
    struct crl_geometry g;
    uint64_t random;
    bool arrives[CYCLES_MAX + 1][CRL_BANKS_MAX], leaves[CYCLES_MAX + 1][CRL_BANKS_MAX]; // lanes in use
    uint8_t lane[VISITS_MAX]; // that which each packet on its way could take
    uint32_t cycles;
};

static uint32_t below(struct node *n, uint32_t end) { return unit_below(&n->random, end); }

static void open_node(struct node *n, uint32_t lanes, uint32_t banks, uint32_t cycles, uint64_t seed)
{
    memset(n, 0, sizeof *n);
    n->random = seed;
    n->cycles = cycles;
    n->g = (struct crl_geometry){.ports = lanes, .lanes = lanes, .banks = banks, .rows = cycles + 1, .write_xbar = 1};
    n->plan.visits = calloc(VISITS_MAX, sizeof *n->plan.visits);
    n->plan.departures = calloc(OUT_MAX, sizeof *n->plan.departures);
    assert_true(n->plan.visits && n->plan.departures);
}

static struct crl_visit *add_visit(struct node *n, uint32_t arrival, uint32_t port, bool keep)
{
    uint32_t i = n->plan.visits_count++;
    assert_true(i < VISITS_MAX);
    n->plan.visits[i] = (struct crl_visit){
        .origin = i, .arrival = arrival, .first = n->plan.departures_count, .in_port = (uint8_t)port, .keep = keep};
    return &n->plan.visits[i];
}

// It leaves in a cycle, by one or two ports.
static void add_departures(struct node *n, struct crl_visit *visit, uint32_t cycle, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++, visit->count++) {
        assert_true(n->plan.departures_count < OUT_MAX);
        n->plan.departures[n->plan.departures_count++] = (struct crl_departure){.cycle = cycle, .port = (uint8_t)p};
    }
}

// A packet comes in each cycle over most ports, and leaves up to `reads` times, so that there are lanes for all.
static void add_transit(struct node *n, uint32_t reads, bool by_input)
{
    for (uint32_t c = 1; c < n->cycles; c++) {
        uint32_t turn = by_input ? 0 : below(n, n->g.banks);
        for (uint32_t port = 0; port < n->g.lanes; port++) {
            uint32_t lane = (port + turn) % n->g.banks;
            if (!below(n, 8)) continue;
            struct crl_visit *visit = add_visit(n, c, port, !below(n, 4));
            uint32_t times = 1 + below(n, reads);
            n->lane[n->plan.visits_count - 1] = (uint8_t)lane;
            n->arrives[c][lane] = true;
            for (uint32_t t = c + 1; t <= n->cycles && times; t++) {
                if (n->leaves[t][lane] || (t > c + 2 && below(n, 3))) continue;
                n->leaves[t][lane] = true;
                add_departures(n, visit, t, 1 + below(n, 2));
                times--;
            }
            if (visit->count) continue; // it only stays
            visit->keep = true;
        }
    }
}

// Own packets leave where not all lanes are taken, and some only stay.
static void add_own(struct node *n, uint32_t count)
{
    uint32_t taken[CYCLES_MAX + 1] = {0};
    for (uint32_t c = 1; c <= n->cycles; c++)
        for (uint32_t lane = 0; lane < n->g.banks; lane++) taken[c] += n->leaves[c][lane];
    for (; count; count--) {
        struct crl_visit *visit = add_visit(n, 0, 0, !below(n, 3));
        for (uint32_t c = 1; c <= n->cycles; c++) {
            if (taken[c] >= n->g.lanes || below(n, 4)) continue;
            taken[c]++;
            add_departures(n, visit, c, 1 + below(n, 2));
        }
        if (!visit->count) visit->keep = true;
    }
}

static void close_node(struct node *n, struct crl_scratch *scratch)
{
    for (size_t i = 0; i < scratch->cells_count; i++) assert_int_equal(scratch->cells[i], 0); // for the next node
    crl_node_plan_done(&n->plan);
    crl_scratch_done(scratch);
}

static bool is_transit(const struct crl_visit *visit) { return visit->arrival && visit->count; }

// No lane takes in two packets in a cycle, or gives out two. `all`: also of those that are not on their way.
static void assert_lanes(const struct node *n, bool all)
{
    uint32_t in[CYCLES_MAX + 1][CRL_BANKS_MAX] = {{0}}, out[CYCLES_MAX + 1][CRL_BANKS_MAX] = {{0}}; // 1 + visit
    for (uint32_t i = 0; i < n->plan.visits_count; i++) {
        const struct crl_visit *v = &n->plan.visits[i];
        if (!all && !is_transit(v)) continue;
        assert_true(v->lane < n->g.banks);
        if (v->arrival) {
            assert_int_equal(in[v->arrival][v->lane], 0);
            in[v->arrival][v->lane] = i + 1;
        }
        for (uint32_t k = 0; k < v->count; k++) {
            const struct crl_departure *d = &n->plan.departures[v->first + k];
            assert_true(d->lane < n->g.banks && (d->lane == v->lane || !v->arrival));
            assert_true(!out[d->cycle][d->lane] || out[d->cycle][d->lane] == i + 1);
            if (k && d[-1].cycle == d->cycle) assert_int_equal(d[-1].lane, d->lane);
            out[d->cycle][d->lane] = i + 1;
        }
    }
}

// ---------------------------------------------------------------- lanes

static uint64_t digest_of(const struct node *n, uint64_t digest)
{
    for (uint32_t i = 0; i < n->plan.visits_count; i++) digest = digest * 31 + n->plan.visits[i].lane;
    return digest;
}

// Images are the same everywhere and always, so what the search finds is, too: a new search is a new number here.
static void lanes_are_found_where_there_are_some(void **state)
{
    (void)state;
    uint64_t digest[4] = {0};
    for (uint32_t round = 0; round < 160; round++) {
        static struct node n;
        struct crl_scratch scratch = {0};
        uint32_t reads = 1 + round % 4, lanes = 2 + round / 4 % 4;
        open_node(&n, lanes, lanes, reads > 2 ? 12 : 30, round);
        add_transit(&n, reads, false);
        add_own(&n, round % 3);
        assert_int_equal(crl_lanes_by_colour(&n.plan, &n.g, &scratch), 1);
        assert_lanes(&n, false);
        digest[reads - 1] = digest_of(&n, digest[reads - 1]);
        close_node(&n, &scratch);
    }
    static const uint64_t found[] = {UINT64_C(0x7e9d49cdef353cfe), UINT64_C(0x38903f95dbb59150),
                                     UINT64_C(0xcbe2faa4982c2e65), UINT64_C(0x41a2d16ef15049c8)};
    for (int i = 0; i < 4; i++)
        if (digest[i] != found[i]) fail_msg("%d reads: %llx", i + 1, (unsigned long long)digest[i]);
}

// The hardest of six hundred: some thousand changes.
static void a_long_search_is_not_given_up(void **state)
{
    (void)state;
    static struct node n;
    struct crl_scratch scratch = {0};
    open_node(&n, 8, 8, 9, 559);
    add_transit(&n, 4, false);
    assert_int_equal(crl_lanes_by_colour(&n.plan, &n.g, &scratch), 1);
    assert_lanes(&n, false);
    close_node(&n, &scratch);
}

// One packet more than lanes comes in a cycle, or leaves in one.
static void no_lanes_are_found_where_there_are_none(void **state)
{
    (void)state;
    for (uint32_t lanes = 2; lanes <= 4; lanes++) {
        static struct node n;
        struct crl_scratch scratch = {0};
        open_node(&n, lanes, lanes, 30, lanes);
        for (uint32_t i = 0; i <= lanes; i++) {
            struct crl_visit *visit = add_visit(&n, 1 + i, 0, false);
            add_departures(&n, visit, 10 + i, 1);
            add_departures(&n, visit, 20, 1);
        }
        assert_int_equal(crl_lanes_by_colour(&n.plan, &n.g, &scratch), 0);
        close_node(&n, &scratch);
    }
}

static void lanes_of_ports_serve_unless_two_leave_at_once(void **state)
{
    (void)state;
    uint32_t good = 0, bad = 0;
    for (uint32_t round = 0; round < 200; round++) {
        static struct node n;
        struct crl_scratch scratch = {0};
        bool clash = false;
        open_node(&n, 1 + round % LANES_MAX, 1 + round % LANES_MAX, 12, round);
        add_transit(&n, 2, round % 3 != 0);
        if (round % 3 == 1 && n.plan.departures_count) // a cycle of somebody else's
            n.plan.departures[n.plan.departures_count - 1].cycle = n.cycles;
        add_own(&n, round % 2);
        for (uint32_t i = 0; i < n.plan.visits_count; i++)
            for (uint32_t k = 0; k < i; k++) {
                const struct crl_visit *a = &n.plan.visits[i], *b = &n.plan.visits[k];
                for (uint32_t x = 0; x < a->count * b->count && is_transit(a) && is_transit(b); x++)
                    clash |= a->in_port % n.g.lanes == b->in_port % n.g.lanes &&
                             n.plan.departures[a->first + x / b->count].cycle ==
                                 n.plan.departures[b->first + x % b->count].cycle;
            }
        assert_int_equal(crl_lanes_by_input(&n.plan, &n.g, &scratch), !clash);
        for (uint32_t i = 0; i < n.plan.visits_count && !clash; i++)
            if (is_transit(&n.plan.visits[i]))
                assert_int_equal(n.plan.visits[i].lane, n.plan.visits[i].in_port % n.g.lanes);
        if (!clash) assert_lanes(&n, false);
        *(clash ? &bad : &good) += 1;
        close_node(&n, &scratch);
    }
    assert_true(good > 20 && bad > 20);
}

// An own packet comes from one lane if there is one that is free whenever it leaves, the first of these; else, cycle by
// cycle, from the first that is free.
static void assert_own_lanes(const struct node *n)
{
    static bool used[CYCLES_MAX + 1][CRL_BANKS_MAX];
    memset(used, 0, sizeof used);
    for (int own = 0; own < 2; own++)
        for (uint32_t i = 0; i < n->plan.visits_count; i++) {
            const struct crl_visit *v = &n->plan.visits[i];
            const struct crl_departure *d = &n->plan.departures[v->first];
            uint32_t lanes = n->g.streams ? n->g.lanes : n->g.banks, whole = 0;
            if (own == (v->arrival != 0)) continue;
            for (bool free = false; own && whole < lanes; whole += !free) {
                free = true;
                for (uint32_t k = 0; k < v->count; k++) free &= !used[d[k].cycle][whole];
                if (free) break;
            }
            for (uint32_t k = 0; own && k < v->count; k++) {
                uint32_t first = 0;
                while (used[d[k].cycle][first]) first++;
                bool again = k && d[k - 1].cycle == d[k].cycle;
                assert_int_equal(d[k].lane, again ? d[k - 1].lane : whole < lanes ? whole : first);
                assert_true(d[k].lane < lanes);
            }
            if (own) assert_int_equal(v->lane, v->count ? d[0].lane : 0);
            for (uint32_t k = 0; k < v->count; k++) used[d[k].cycle][d[k].lane] = true;
        }
}

// Lanes as they were made, then those that are free: `n` is then ready for addresses.
static void fill_lanes(struct node *n, struct crl_scratch *scratch)
{
    for (uint32_t i = 0; i < n->plan.visits_count; i++) {
        struct crl_visit *v = &n->plan.visits[i];
        if (!is_transit(v)) continue;
        v->lane = n->lane[i];
        for (uint32_t k = 0; k < v->count; k++) n->plan.departures[v->first + k].lane = n->lane[i];
    }
    assert_int_equal(crl_lanes_fill(&n->plan, &n->g, scratch), 1);
}

static void the_rest_takes_lanes_that_are_free(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        static struct node n;
        struct crl_scratch scratch = {0};
        uint32_t lanes = 1 + round % LANES_MAX;
        open_node(&n, lanes, lanes + (round % 4 == 1 ? 2 : 0), 10, round);
        n.g.streams = round % 5 == 0;
        n.g.write_xbar = round % 4 > 0;
        add_transit(&n, 3, !n.g.write_xbar);
        add_own(&n, round % 4);
        fill_lanes(&n, &scratch);
        assert_lanes(&n, true);
        assert_own_lanes(&n);
        for (uint32_t i = 0; i < n.plan.visits_count; i++) { // what only stays
            const struct crl_visit *v = &n.plan.visits[i];
            if (v->arrival && !v->count && !n.g.write_xbar) assert_int_equal(v->lane, v->in_port % lanes);
        }
        close_node(&n, &scratch);
    }
}

// ---------------------------------------------------------------- addresses

struct word { // of a bank
    uint32_t bank, addr, from, last;
    bool keep;
};

// Whether the visit has a word in the bank, and which.
static bool word_of(const struct node *n, const struct crl_visit *v, uint32_t bank, struct word *w)
{
    *w = (struct word){bank, 0, v->arrival, 0, v->keep && v->lane == bank && !n->g.streams};
    bool has = w->keep;
    if (has) w->addr = v->addr;
    for (uint32_t k = 0; k < v->count; k++) {
        const struct crl_departure *d = &n->plan.departures[v->first + k];
        if (d->lane != bank || (v->arrival && d->cycle <= v->arrival + 2)) continue;
        if (!v->arrival && n->g.streams) continue;
        if (has) assert_int_equal(d->addr, w->addr); // one word
        w->addr = d->addr;
        w->last = d->cycle;
        has = true;
    }
    if (has && v->lane == bank) assert_int_equal(v->addr, w->addr);
    return has;
}

static bool needs_zero(const struct node *n, uint32_t bank)
{
    for (uint32_t i = 0; i < n->plan.visits_count; i++) {
        const struct crl_visit *v = &n->plan.visits[i];
        for (uint32_t k = 0; k < v->count; k++) {
            const struct crl_departure *d = &n->plan.departures[v->first + k];
            if (d->lane == bank && (v->arrival ? d->cycle == v->arrival + 2 : n->g.streams > 0)) return true;
        }
    }
    return false;
}

// Two words may share an address if one is read for the last time early enough.
static bool apart(const struct word *a, const struct word *b)
{
    return (!a->keep && b->from && a->last <= b->from + 1 && a->from <= b->from) ||
           (!b->keep && a->from && b->last <= a->from + 1 && b->from <= a->from);
}

// By the number of the row: own words where they are read last, then those that stay and the zero, as low as may be.
static void assert_by_counter(const struct node *n, const struct word *word, uint32_t words, uint32_t bank)
{
    bool taken[ADDRS_MAX] = {false};
    uint32_t next = 0;
    for (uint32_t i = 0; i < words; i++) {
        if (word[i].from) assert_int_equal(word[i].addr, word[i].from);
        else if (!word[i].keep) assert_int_equal(word[i].addr, word[i].last - 1);
        taken[word[i].addr] |= word[i].from || !word[i].keep;
    }
    for (uint32_t i = 0; i < words; i++) {
        if (word[i].from || !word[i].keep) continue;
        while (taken[next]) next++;
        assert_int_equal(word[i].addr, next++);
    }
    for (uint32_t i = 0; i < words; i++) taken[word[i].addr] = true;
    if (!n->plan.zero || n->plan.zero[bank] == CRL_NONE) return;
    next = 0;
    while (taken[next]) next++;
    assert_int_equal(n->plan.zero[bank], next);
}

// As few as live at once, from the bottom up.
static void assert_by_reuse(const struct word *word, uint32_t words, bool zero)
{
    uint32_t most = 0, depth = 0;
    for (uint32_t c = 0; c <= CYCLES_MAX; c++) {
        uint32_t now = 0;
        for (uint32_t i = 0; i < words; i++)
            now += word[i].from == c || (word[i].from < c && (word[i].keep || word[i].last > c + 1));
        if (now > most) most = now;
    }
    for (uint32_t i = 0; i < words; i++)
        if (word[i].addr >= depth) depth = word[i].addr + 1;
    assert_int_equal(words ? depth : zero, most + zero);
}

static void assert_addresses(const struct node *n, bool by_counter)
{
    uint32_t depth = 0;
    for (uint32_t b = 0; b < n->g.banks; b++) {
        static struct word word[VISITS_MAX];
        uint32_t words = 0, zero = n->plan.zero ? n->plan.zero[b] : CRL_NONE;
        assert_int_equal(zero != CRL_NONE, needs_zero(n, b));
        if (zero != CRL_NONE && zero >= depth) depth = zero + 1;
        for (uint32_t i = 0; i < n->plan.visits_count; i++) {
            struct word w;
            const struct crl_visit *v = &n->plan.visits[i];
            bool has = word_of(n, v, b, &w);
            if (v->arrival && v->lane == b) assert_int_equal(v->banked, has);
            if (!v->arrival) assert_int_equal(v->banked, !n->g.streams);
            if (!has) continue;
            assert_true(w.addr != zero);
            for (uint32_t k = 0; k < words; k++) assert_true(word[k].addr != w.addr || apart(&word[k], &w));
            if (w.addr >= depth) depth = w.addr + 1;
            word[words++] = w;
        }
        if (by_counter) assert_by_counter(n, word, words, b);
        else assert_by_reuse(word, words, zero != CRL_NONE);
    }
    assert_int_equal(n->plan.depth, depth);
}

static void words_lie_apart_and_close(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        static struct node n;
        struct crl_scratch scratch = {0};
        uint32_t lanes = 1 + round % LANES_MAX;
        bool by_counter = round / 2 % 2;
        open_node(&n, lanes, lanes, 5 + round % 30, round);
        n.g.streams = round % 7 == 0;
        add_transit(&n, 3, true);
        add_own(&n, round % 5);
        fill_lanes(&n, &scratch);
        n.plan.depth = 1000; // of another time
        int error = by_counter ? crl_addresses_by_counter(&n.plan, &n.g, &scratch)
                               : crl_addresses_by_reuse(&n.plan, &n.g, &scratch);
        assert_int_equal(error, 0);
        assert_addresses(&n, by_counter);
        close_node(&n, &scratch);
    }
}

// A word of zeros is all there is.
static void a_bank_may_hold_a_zero_alone(void **state)
{
    (void)state;
    for (uint32_t lane = 0; lane < 3; lane++)
        for (int by_counter = 0; by_counter < 2; by_counter++) {
            static struct node n;
            struct crl_scratch scratch = {0};
            open_node(&n, 3, 3, 4, 1);
            n.lane[0] = (uint8_t)lane;
            add_departures(&n, add_visit(&n, 1, lane, false), 3, 1);
            fill_lanes(&n, &scratch);
            int error = by_counter ? crl_addresses_by_counter(&n.plan, &n.g, &scratch)
                                   : crl_addresses_by_reuse(&n.plan, &n.g, &scratch);
            assert_int_equal(error, 0);
            for (uint32_t b = 0; b < 3; b++) assert_int_equal(n.plan.zero[b], b == lane ? 0 : CRL_NONE);
            assert_int_equal(n.plan.depth, 1);
            close_node(&n, &scratch);
        }
}

// ---- what stands in an image, and what does not

static void open_on(struct unit *u, const char *collective, const char *topology, uint32_t parts)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, topology, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, CRL_PORTS_ALL, &u->diag), 0);
    if (parts > 1) assert_int_equal(crl_problem_set_parts(&u->problem, parts, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

static void too_many_links_are_those_of_the_first_node_that_has_most(void **state)
{
    (void)state;
    const struct crl_lower_options options = UNIT_LOWER(0, 0, 1, 32, 0);
    struct crl_image image;
    struct unit u;
    open_on(&u, "broadcast", "complete:34", 1);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), CRL_ERR_UNSUPPORTED);
    assert_non_null(strstr(u.diag.text, "node 0 of complete:34 has '33' links"));
    unit_close(&u);
}

static void an_image_says_into_how_many_parts_packets_are_split(void **state)
{
    (void)state;
    const struct crl_lower_options options = UNIT_LOWER(0, 0, 1, 32, 0);
    for (uint32_t parts = 1; parts <= 3; parts++) {
        struct crl_image image;
        struct unit u;
        open_on(&u, "broadcast", "hypercube:3", parts);
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
        assert_int_equal(image.parts, parts > 1 ? parts : 0);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// Tables are written some thousand nodes at a time.
static void nodes_beyond_those_written_side_by_side_have_tables(void **state)
{
    (void)state;
    const struct crl_lower_options options = UNIT_LOWER(0, 0, 1, 32, 0);
    struct crl_schedule raised;
    struct crl_image image;
    struct unit u;
    open_on(&u, "broadcast", "mesh:65x65", 1);
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
    assert_int_equal(crl_raise(&raised, &image, &u.problem, &u.diag), 0);
    unit_assert_same(&raised, &u.schedule);
    crl_schedule_done(&raised);
    crl_image_done(&image);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_found_where_there_are_some),
        cmocka_unit_test(a_long_search_is_not_given_up),
        cmocka_unit_test(no_lanes_are_found_where_there_are_none),
        cmocka_unit_test(lanes_of_ports_serve_unless_two_leave_at_once),
        cmocka_unit_test(the_rest_takes_lanes_that_are_free),
        cmocka_unit_test(words_lie_apart_and_close),
        cmocka_unit_test(a_bank_may_hold_a_zero_alone),
        cmocka_unit_test(too_many_links_are_those_of_the_first_node_that_has_most),
        cmocka_unit_test(an_image_says_into_how_many_parts_packets_are_split),
        cmocka_unit_test(nodes_beyond_those_written_side_by_side_have_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
