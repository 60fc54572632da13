// SPDX-License-Identifier: Apache-2.0
// Raising of altered tables: what comes out of any table says what the model plays, or the table is refused.
#include "unit.h"
#include "unit_spread.h"

struct subject {
    const char *collective, *topology, *scheme, *latency;
    enum crl_ports ports;
    struct crl_lower_options options;
    bool expand;
};
static const struct subject subjects[] = {
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {3, 0, 1, 64, 0}, true},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {2, 4, 1, 64, 0}, false},
    {"total-exchange", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {1, 0, 1, 64, 0}, false},
    {"total-exchange", "torus:3x3", NULL, NULL, CRL_PORTS_SINGLE, {2, 0, 1, 64, 0}, false},
    {"scatter", "mesh:2x3", NULL, "3,2", CRL_PORTS_ALL, {2, 0, 1, 64, 0}, false},
    {"total-exchange", "torus:3x3", "one-bank", NULL, CRL_PORTS_ALL, {0, 1, 1, 64, 0}, false},
    {"total-exchange", "mesh:3x3", "one-bank", NULL, CRL_PORTS_ALL, {0, 1, 1, 64, 0}, false},
    {"multinode-broadcast", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {3, 0, 1, 64, 1}, true},
    {"total-exchange", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, {4, 0, 1, 64, 2}, false},
    {"gather", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {3, 0, 1, 64, 3}, false},
    {"all-reduce", "hypercube:3", NULL, NULL, CRL_PORTS_ALL, {3, 0, 1, 64, 0}, true},
    {"all-reduce", "torus:3x3", NULL, NULL, CRL_PORTS_ALL, {4, 0, 1, 64, 2}, true},
    {"reduce-scatter", "mesh:2x3", NULL, NULL, CRL_PORTS_ALL, {3, 0, 1, 64, 1}, false},
    {"scan", "ring:5", NULL, NULL, CRL_PORTS_ALL, {2, 0, 1, 64, 0}, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SEED = 6, TIMES = 200 };

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

static uint32_t *row_of(struct crl_image *image, uint64_t *random)
{
    return image->store.bits + (size_t)unit_below(random, image->store.distinct) * image->store.row_words;
}

// A bit of a row, a row in the place of another, or two rows the other way round.
static void alter(struct crl_image *image, uint64_t *random)
{
    const struct crl_row_store *s = &image->store;
    uint32_t bit = 1 + unit_below(random, crl_row_bits(&image->geometry) - 1), *one = row_of(image, random),
             *other = row_of(image, random);
    switch (unit_below(random, 4)) {
    case 0: memcpy(one, other, sizeof *one * s->row_words); return;
    case 1:
        if (one + s->row_words < s->bits + (size_t)s->distinct * s->row_words) other = one + s->row_words;
        for (uint32_t w = 0; w < s->row_words; w++) {
            uint32_t kept = one[w];
            one[w] = other[w];
            other[w] = kept;
        }
        return;
    default: one[bit / 32] ^= UINT32_C(1) << bit % 32; one[0] ^= 1;
    }
}

static void altered_tables_say_what_the_model_plays_or_are_refused(void **state)
{
    (void)state;
    uint64_t random = 91;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct unit u;
        struct crl_image image;
        uint32_t raised = 0, refused = 0;
        open_subject(&u, &image, &subjects[i]);
        unit_spread(&image.store, image.tables, image.geometry.rows);
        size_t bytes = sizeof *image.store.bits * image.store.distinct * image.store.row_words;
        uint32_t *right = malloc(bytes);
        assert_non_null(right);
        memcpy(right, image.store.bits, bytes);
        for (uint32_t n = 0; n <= TIMES; n++) {
            struct crl_schedule schedule;
            memcpy(image.store.bits, right, bytes);
            for (uint32_t k = 0; k < n % 4; k++) alter(&image, &random);
            int error = crl_raise(&schedule, &image, &u.problem, &u.diag);
            if (!n) unit_assert_same(&schedule, &u.schedule);
            if (error) assert_int_equal(error, CRL_ERR_MISMATCH);
            // What is sent in rows behind the last slot leaves when nobody looks any more.
            if (!error && crl_schedule_slots(&schedule) <= crl_schedule_slots(&u.schedule)) {
                assert_plays(&u, &image, &schedule);
                raised++;
            }
            refused += error == CRL_ERR_MISMATCH;
            crl_schedule_done(&schedule);
        }
        assert_true(raised > TIMES / 10 && refused > TIMES / 10);
        free(right);
        crl_image_done(&image);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(altered_tables_say_what_the_model_plays_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
