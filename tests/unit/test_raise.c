// SPDX-License-Identifier: Apache-2.0
// Raising of altered tables: what comes out of any table says what the model plays, or the table is refused.
#include "unit.h"
#include "unit_spread.h"

struct subject {
    const char *collective, *topology, *scheme, *latency;
    enum crl_ports ports;
    struct crl_lower_options options;
    bool expand;
    uint32_t accepted; // of its alterations: what is said of each is judged, that no more are refused is written down
};
static const struct subject subjects[] = {
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 64, 0), true, 234},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 4, 1, 64, 0), false, 360},
    {"total-exchange", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(1, 0, 1, 64, 0), false, 257},
    {"total-exchange", "torus:3x3", NULL, NULL, CRL_PORTS_SINGLE, UNIT_LOWER(2, 0, 1, 64, 0), false, 363},
    {"scatter", "mesh:2x3", NULL, "3,2", CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 64, 0), false, 676},
    {"total-exchange", "torus:3x3", "one-bank", NULL, CRL_PORTS_ALL, UNIT_LOWER(0, 1, 1, 64, 0), false, 308},
    {"total-exchange", "mesh:3x3", "one-bank", NULL, CRL_PORTS_ALL, UNIT_LOWER(0, 1, 1, 64, 0), false, 367},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 64, 1), true, 61},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 4, 1, 64, 2), false, 277},
    {"total-exchange", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(4, 0, 1, 64, 2), false, 38},
    {"gather", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 64, 3), false, 165},
    {"all-reduce", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 64, 0), true, 419},
    {"all-reduce", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(4, 0, 1, 64, 2), true, 312},
    {"reduce-scatter", "mesh:2x3", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 64, 1), false, 329},
    {"scan", "ring:5", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 64, 0), false, 431},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SEED = 6, TIMES = 600 };

static void open_subject(struct unit *u, struct crl_image *image, const struct subject *s)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, s->topology, &u->diag), 0);
    if (s->latency) assert_int_equal(crl_topology_set_latency(u->topology, s->latency, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, s->collective, u->topology, 0, s->ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, s->scheme, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    if (s->expand && u->schedule.folded) unit_expand(u);
    if (crl_lower(image, &u->schedule, &u->problem, "test", &s->options, &u->diag)) fail_msg("%s", u->diag.text);
}

// The packet that a word is of.
static struct crl_move packet_of(const struct unit *u, const struct crl_geometry *geometry, uint64_t word)
{
    struct crl_move m = {.origin = CRL_NONE};
    for (uint64_t p = 0; p < crl_problem_packets(&u->problem); p++) {
        crl_problem_packet(&u->problem, p, &m.origin, &m.dest);
        if (crl_payload(&u->problem, m.origin, m.dest, 0, geometry, SEED) == word) return m;
    }
    fail_msg("the model sends %llx, which is no packet's", (unsigned long long)word);
    return m;
}

// The words that the model sends are those of the schedule, each in its slot. Whose values are in a sum is not asked of
// tables.
static void assert_sends(const struct unit *u, const struct crl_image *image, struct crl_model *model,
                         const struct crl_schedule *schedule)
{
    const struct crl_geometry *g = &image->geometry;
    struct crl_player player = crl_model_player(model);
    struct crl_schedule sent, full;
    const uint32_t *valid;
    const uint64_t *data;
    int ended = 0;
    crl_schedule_init(&sent, u->topology, schedule->naming, false);
    for (uint32_t cycle = 1; !ended; cycle++) {
        ended = player.step(player.self, &valid, &data);
        for (uint32_t v = 0; v < image->nodes; v++)
            for (uint32_t p = 0; p < g->ports; p++) {
                if (!(valid[v] >> p & 1)) continue;
                struct crl_move m = {0};
                if (!g->combine) m = packet_of(u, g, data[v * g->ports + p]);
                m.slot = crl_link_slot(g, image->port_model, cycle);
                m.src = v;
                m.dst = crl_topology_neighbor(u->topology, v, p);
                assert_int_equal(crl_schedule_add(&sent, m), 0);
            }
    }
    assert_int_equal(crl_schedule_sort(&sent), 0);
    assert_int_equal(crl_schedule_expand(&full, schedule, NULL), 0);
    for (size_t i = 0; i < full.count && g->combine; i++) full.moves[i].origin = full.moves[i].dest = 0;
    assert_int_equal(crl_schedule_sort(&full), 0);
    unit_assert_same(&sent, &full);
    crl_schedule_done(&full);
    crl_schedule_done(&sent);
}

static void assert_plays(const struct unit *u, const struct crl_image *image, const struct crl_schedule *schedule)
{
    struct crl_model *model;
    assert_int_equal(crl_model_new(&model, image, &u->problem, SEED, NULL), 0);
    assert_sends(u, image, model, schedule);
    struct crl_faults faults = crl_model_faults(model);
    assert_int_equal(faults.starved + faults.astray, 0);
    crl_model_free(model);
}

static uint32_t *row_of(const struct crl_image *image, uint64_t row)
{
    return image->store.bits + row % image->store.distinct * image->store.row_words;
}

static void flip(struct crl_image *image, uint64_t row, uint64_t bit)
{
    row_of(image, row)[bit / 32] ^= UINT32_C(1) << bit % 32;
    row_of(image, row)[0] ^= 1; // parity
}

// The n-th alteration: at first each bit of a row in its turn, then a row in the place of another, two rows the other
// way round, and two or three at once.
static void alter(struct crl_image *image, uint64_t n, uint64_t *random)
{
    const struct crl_row_store *s = &image->store;
    uint64_t bits = crl_row_bits(&image->geometry) - 1, row = unit_below(random, s->distinct), other = row + 1;
    if (n < bits * s->distinct) {
        flip(image, n % s->distinct, 1 + n / s->distinct);
        return;
    }
    for (uint64_t k = 0; k <= n % 3; k++) switch (unit_below(random, 3)) {
        case 0: memcpy(row_of(image, row), row_of(image, unit_random(random)), sizeof *s->bits * s->row_words); break;
        case 1:
            for (uint32_t w = 0; w < s->row_words; w++) {
                uint32_t kept = row_of(image, row)[w];
                row_of(image, row)[w] = row_of(image, other)[w];
                row_of(image, other)[w] = kept;
            }
            break;
        default: flip(image, unit_random(random), 1 + unit_below(random, bits));
        }
}

static void altered_tables_say_what_the_model_plays_or_are_refused(void **state)
{
    (void)state;
    uint64_t random = 91;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct unit u;
        struct crl_image image;
        uint32_t raised = 0;
        open_subject(&u, &image, &subjects[i]);
        unit_spread(&image.store, image.tables, image.geometry.rows);
        size_t bytes = sizeof *image.store.bits * image.store.distinct * image.store.row_words;
        uint64_t all = image.store.distinct * crl_row_bits(&image.geometry) + 200, step = 1 + all / TIMES;
        uint32_t *right = malloc(bytes);
        assert_non_null(right);
        memcpy(right, image.store.bits, bytes);
        for (uint64_t n = 0; n < all; n += n + 200 < all ? step : 1) {
            struct crl_schedule schedule;
            memcpy(image.store.bits, right, bytes);
            if (n) alter(&image, n, &random);
            int error = crl_raise(&schedule, &image, &u.problem, &u.diag);
            if (!n) unit_assert_same(&schedule, &u.schedule);
            if (error) assert_int_equal(error, CRL_ERR_MISMATCH);
            // What is sent in rows behind the last slot leaves when nobody looks any more.
            if (!error && crl_schedule_slots(&schedule) <= crl_schedule_slots(&u.schedule))
                assert_plays(&u, &image, &schedule);
            raised += !error;
            crl_schedule_done(&schedule);
        }
        if (raised != subjects[i].accepted) fail_msg("subject %zu: %u are accepted", i, raised);
        free(right);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// Memories of more words than fit the first hash, of every lane and bank.
static void tables_of_many_words_come_back(void **state)
{
    (void)state;
    for (uint32_t d = 4; d <= 6; d++)
        for (uint32_t lanes = 1; lanes <= 3; lanes++) {
            struct unit u;
            struct crl_image image;
            struct crl_schedule raised;
            struct crl_lower_options options = {lanes, 0, 1, 32, 0, 0};
            unit_plan(&u, unit_schemes[4], d, 0);
            unit_expand(&u);
            assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "test", &options, &u.diag), 0);
            assert_int_equal(crl_raise(&raised, &image, &u.problem, NULL), 0);
            unit_assert_same(&raised, &u.schedule);
            crl_schedule_done(&raised);
            crl_image_done(&image);
            unit_close(&u);
        }
}

// As many lanes, and banks, as there can be.
static void the_widest_tables_come_back(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const struct subject widest[] = {
            {"multinode-broadcast", "complete:33", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(32, 64, 1, 32, 0), true, 0},
            {"gather", "complete:33", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(32, 64, 1, 32, 32), true, 0},
            {"reduce-scatter", "complete:17", NULL, NULL, CRL_PORTS_ALL, UNIT_LOWER(16, 0, 1, 32, 16), true, 0}};
        struct unit u;
        struct crl_image image;
        struct crl_schedule raised;
        open_subject(&u, &image, &widest[k]);
        assert_int_equal(image.geometry.lanes, crl_topology_nodes(u.topology) - 1);
        assert_int_equal(crl_raise(&raised, &image, &u.problem, NULL), 0);
        unit_assert_same(&raised, &u.schedule);
        crl_schedule_done(&raised);
        crl_image_done(&image);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(altered_tables_say_what_the_model_plays_or_are_refused),
        cmocka_unit_test(tables_of_many_words_come_back),
        cmocka_unit_test(the_widest_tables_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
