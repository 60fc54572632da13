// SPDX-License-Identifier: Apache-2.0
// What each stage makes of many small schedules, right and damaged, as numbers that other tests do not compare: whoever
// changes one on purpose writes them anew with --update and reads in the difference what it was.
#include "unit_image.h"
#include "unit_logp.h"
#include "unit_random.h"
#include "unit_spread.h"
#include "machine/logp/image.h"
#include "machine/logp/play.h"

static bool update;

struct subject {
    const char *collective, *topology, *latency;
    enum crl_ports ports;
    struct crl_lower_options options;
    bool expand;
};
static const struct subject subjects[] = {
    {"broadcast", "hypercube:3", NULL, CRL_PORTS_SINGLE, UNIT_LOWER(1, 0, 1, 32, 0), false},
    {"broadcast", "mesh:3x3", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 3, 32, 2), false},
    {"multinode-broadcast", "hypercube:4", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 2, 32, 0), false},
    {"multinode-broadcast", "hypercube:3", NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 1, 32, 1), true},
    {"multinode-broadcast", "mesh:2x3", "2,3", CRL_PORTS_ALL, UNIT_LOWER(0, 0, 1, 32, 0), false},
    {"multinode-broadcast", "mesh:3x3", "1,3", CRL_PORTS_SINGLE, UNIT_LOWER(3, 0, 1, 32, 0), false},
    {"multinode-broadcast", "torus:3x3", NULL, CRL_PORTS_SINGLE, UNIT_LOWER(4, 0, 1, 64, 0), false},
    {"total-exchange", "hypercube:4", NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 2, 32, 0), false},
    {"total-exchange", "torus:4x4", NULL, CRL_PORTS_ALL, UNIT_LOWER(1, 0, 1, 32, 0), true},
    {"total-exchange", "torus:3x3", NULL, CRL_PORTS_SINGLE, UNIT_LOWER(2, 0, 1, 32, 2), false},
    {"total-exchange", "mesh:3x3", "2", CRL_PORTS_ALL, UNIT_LOWER(4, 0, 1, 32, 0), false},
    {"scatter", "mesh:2x3", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 4, 1, 16, 0), false},
    {"gather", "hypercube:4", NULL, CRL_PORTS_ALL, UNIT_LOWER(4, 0, 2, 32, 3), false},
    {"all-reduce", "hypercube:3", NULL, CRL_PORTS_ALL, UNIT_LOWER(3, 0, 2, 32, 0), false},
    {"all-reduce", "hypercube:3", NULL, CRL_PORTS_ALL, UNIT_LOWER(1, 0, 1, 32, 0), true},
    {"all-reduce", "torus:3x3", NULL, CRL_PORTS_ALL, UNIT_LOWER(4, 0, 1, 32, 2), true},
    {"reduce-scatter", "mesh:2x3", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 32, 0), false},
    {"scan", "ring:5", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 2, 32, 0), false},
    {"scan", "hypercube:3", NULL, CRL_PORTS_ALL, UNIT_LOWER(2, 0, 1, 32, 0), false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, SEED = 9 };

static const char *const collectives[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};

static uint32_t crc_of(const char *text) { return (uint32_t)crc32(0, (const unsigned char *)text, (uInt)strlen(text)); }

// ---------------------------------------------------------------- the checker

// With more than one thread, too, it must say the same; the last one is written down.
static void pin_report(FILE *out, struct unit *u)
{
    uint32_t all = 0;
    for (uint32_t threads = 3; threads >= 1; threads--) {
        struct crl_report r;
        char *text;
        size_t count;
        int error = crl_check_on(&r, &u->schedule, &u->problem, threads, &u->diag);
        FILE *file = open_memstream(&text, &count);
        assert_non_null(file);
        for (size_t i = 0; i < r.count; i++)
            fprintf(file, "%llu %s %s\n", (unsigned long long)r.findings[i].row, r.findings[i].kind->id,
                    r.findings[i].text);
        fprintf(file, "%d %llu %llu %llu %llu buffers %llu found %llu+%llu of %zu, %a, sums %llx%s %s", error,
                (unsigned long long)r.slots, (unsigned long long)r.transmissions, (unsigned long long)r.bound_slots,
                (unsigned long long)r.bound_transmissions, (unsigned long long)r.buffer_packets,
                (unsigned long long)r.violations, (unsigned long long)r.warnings, r.count, r.utilization,
                (unsigned long long)r.sum_hash, r.bits_differ ? " differ" : "", r.misfit);
        fclose(file);
        if (threads < 3) assert_int_equal(crc_of(text), all);
        all = crc_of(text);
        if (threads == 1)
            fprintf(out, "  report %08x: %d, buffers %llu, found %llu+%llu, sums %llx%s\n", all, error,
                    (unsigned long long)r.buffer_packets, (unsigned long long)r.violations,
                    (unsigned long long)r.warnings, (unsigned long long)r.sum_hash, r.bits_differ ? " differ" : "");
        free(text);
        crl_report_done(&r);
    }
}

// The report of the schedule with so many rows that are not as they were, some of them outside everything.
static void pin_damaged(FILE *out, struct unit *u, uint32_t rows, uint64_t *random)
{
    const struct crl_schedule *s = &u->schedule;
    uint32_t nodes = crl_topology_nodes(u->topology);
    size_t count = s->count;
    struct unit damaged = {.topology = u->topology, .problem = u->problem};
    struct crl_move *moves = malloc(sizeof *moves * (count + 1));
    assert_non_null(moves);
    for (size_t i = 0; i < count; i++) moves[i] = s->moves[i];
    for (; rows && count > 1; rows--) {
        struct crl_move *m = &moves[unit_below(random, count)];
        switch (unit_below(random, 8)) {
        case 0: m->slot += 1; break;
        case 1: m->slot -= m->slot > 0; break;
        case 2: m->dst = unit_below(random, nodes + 1); break;
        case 3: m->src = unit_below(random, nodes); break;
        case 4: m->origin = unit_below(random, nodes + 1); break;
        case 5: m->dest = unit_below(random, nodes); break;
        case 6: *m = moves[--count]; break;
        default: *m = moves[unit_below(random, count)];
        }
    }
    crl_schedule_init(&damaged.schedule, u->topology, s->naming, s->folded);
    for (size_t i = 0; i < count; i++) assert_int_equal(crl_schedule_add(&damaged.schedule, moves[i]), 0);
    pin_report(out, &damaged);
    crl_schedule_done(&damaged.schedule);
    free(moves);
}

// ---------------------------------------------------------------- tables and runs

static void pin_image(FILE *out, const struct crl_image *image)
{
    char *bytes = NULL;
    size_t count;
    FILE *file = open_memstream(&bytes, &count);
    assert_non_null(file);
    assert_int_equal(crl_image_write(image, file, NULL), 0);
    fclose(file);
    // The version of the program stands in the header, and the CRC of all at the end.
    fprintf(out, "  image %08x: banks %u, addresses of %u bits, %u rows\n",
            (unsigned)crc32(0, (const unsigned char *)bytes + HEADER, (uInt)(count - 4 - HEADER)),
            image->geometry.banks, image->geometry.addr_width, image->geometry.rows);
    free(bytes);
}

static int alone(void *user, uint32_t *bits)
{
    (void)user;
    (void)bits;
    return 0;
}

// Words and cycles as in a run that is shared with nobody; and all that went wrong.
static void pin_run(FILE *out, const struct unit *u, const struct crl_image *image, bool judged)
{
    static const char *const names[] = {"expected", "model"};
    const struct carillon_share share = {.ranks = 1, .agree = alone};
    const struct crl_context context = {.share = &share};
    const char *verdict = "-";
    struct crl_compared c;
    struct crl_expected *expected;
    struct crl_model *model;
    struct crl_diag where = {.text = ""};
    const uint32_t *valid;
    const uint64_t *data;
    assert_int_equal(crl_expected_new(&expected, &u->schedule, &u->problem, &image->geometry, SEED, NULL), 0);
    assert_int_equal(crl_model_new(&model, image, &u->problem, SEED, NULL), 0);
    if (image->geometry.streams) {
        crl_expected_repeat(expected, 3, crl_stream_period(image));
        crl_model_repeat(model, 3);
    }
    struct crl_player players[] = {crl_expected_player(expected), crl_model_player(model)};
    assert_int_equal(
        crl_compare_share(&c, players, names, 2, image->nodes, image->geometry.ports, &context, NULL, NULL, NULL, NULL),
        0);
    while (!players[1].step(players[1].self, &valid, &data)) {
    } // after a difference: to the end
    struct crl_faults f = crl_model_faults(model);
    if (judged) verdict = crl_oracle(image, &u->problem, SEED, crl_model_memory, model, &where);
    fprintf(out,
            "  run %016llx: %llu words, %llu cycles, %s %08x, %s %08x; faults %llu %llu %llu %llu %llu at %u:%u %u\n",
            (unsigned long long)c.digest, (unsigned long long)c.words, (unsigned long long)c.cycles,
            c.mismatches ? "differs" : "alike", crc_of(c.text), verdict, crc_of(where.text),
            (unsigned long long)f.missing, (unsigned long long)f.unexpected, (unsigned long long)f.parity,
            (unsigned long long)f.starved, (unsigned long long)f.astray, f.node, f.port, f.slot);
    crl_model_free(model);
    crl_expected_free(expected);
}

static void pin_raised(FILE *out, const struct unit *u, const struct crl_image *image)
{
    struct crl_schedule raised;
    struct crl_diag diag = {.text = ""};
    int error = crl_raise(&raised, image, &u->problem, &diag);
    uint32_t crc =
        error ? crc_of(diag.text)
              : (uint32_t)crc32(0, (const unsigned char *)raised.moves, (uInt)(sizeof *raised.moves * raised.count));
    fprintf(out, "  raised %08x: %d, %zu rows\n", crc, error, error ? 0 : raised.count);
    crl_schedule_done(&raised);
}

static void damage_image(struct crl_image *image, uint32_t flips, uint64_t *random)
{
    const struct crl_row_store *s = &image->store;
    for (; flips; flips--) {
        uint32_t *bits = s->bits + (size_t)unit_below(random, s->distinct) * s->row_words;
        uint32_t bit = 1 + unit_below(random, crl_row_bits(&image->geometry) - 1);
        bits[bit / 32] ^= UINT32_C(1) << bit % 32;
        if (unit_below(random, 8)) bits[0] ^= 1;
    }
}

static void pin_lowered(FILE *out, struct unit *u, const struct crl_lower_options *options, uint64_t *random)
{
    struct crl_image image;
    if (crl_lower(&image, &u->schedule, &u->problem, "test", options, &u->diag)) {
        fprintf(out, "  %s\n", u->diag.text);
        return;
    }
    bool judged = !image.geometry.streams;
    pin_image(out, &image);
    pin_run(out, u, &image, judged);
    pin_raised(out, u, &image);
    unit_spread(&image.store, image.tables, image.geometry.rows);
    for (uint32_t flips = 1; flips <= 5; flips++) {
        damage_image(&image, flips, random);
        pin_run(out, u, &image, judged);
        pin_raised(out, u, &image);
    }
    crl_image_done(&image);
}

static void finish(FILE *out, char **text, size_t *count, const char *name)
{
    fclose(out);
    unit_golden(update, name, *text, *count);
    free(*text);
}

static void plans(void **state)
{
    (void)state;
    char *text;
    size_t count;
    uint64_t random = 41;
    FILE *out = open_memstream(&text, &count);
    assert_non_null(out);
    for (size_t i = 0; i < SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        const struct crl_algorithm *algorithm;
        struct unit u = {.topology = NULL};
        if (crl_topology_parse(&u.topology, s->topology, &u.diag)) fail_msg("%s", u.diag.text);
        if (s->latency) assert_int_equal(crl_topology_set_latency(u.topology, s->latency, &u.diag), 0);
        if (crl_problem_init(&u.problem, s->collective, u.topology, 0, s->ports, &u.diag)) fail_msg("%s", u.diag.text);
        crl_schedule_init(&u.schedule, u.topology, crl_problem_naming(&u.problem), false);
        if (crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag)) fail_msg("%s", u.diag.text);
        assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
        if (s->expand && u.schedule.folded) unit_expand(&u);
        fprintf(out, "%zu: %s on %s\n", i, s->collective, s->topology);
        pin_report(out, &u);
        pin_lowered(out, &u, &s->options, &random);
        for (uint32_t rows = 1; rows <= 8; rows++) pin_damaged(out, &u, rows, &random);
        unit_close(&u);
    }
    finish(out, &text, &count, "pinned/plans.txt");
}

static void random_schedules(void **state)
{
    (void)state;
    char *text;
    size_t count;
    uint64_t random = 42;
    FILE *out = open_memstream(&text, &count);
    assert_non_null(out);
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct unit u;
        uint32_t d = 2 + (uint32_t)(seed % 3), lanes = 1 + (uint32_t)(seed / 3 % d);
        struct crl_lower_options options = {lanes, 0, 1 + (uint32_t)(seed % 2), 32, 0, 0};
        if (seed % 4 == 3)
            options = (struct crl_lower_options)UNIT_LOWER(lanes, 0, 1, 32, 1 + unit_below(&random, lanes));
        random_schedule(&u, collectives[seed % 5], d, seed / 5 % 3 ? CRL_PORTS_ALL : CRL_PORTS_SINGLE, seed % 7,
                        seed % 4 * 2, seed);
        fprintf(out, "%u: %s\n", (unsigned)seed, collectives[seed % 5]);
        pin_report(out, &u);
        pin_lowered(out, &u, &options, &random);
        for (uint32_t rows = 1; rows <= 3; rows++) pin_damaged(out, &u, rows + seed % 7, &random);
        unit_close(&u);
    }
    finish(out, &text, &count, "pinned/random.txt");
}

// ---------------------------------------------------------------- LogP machines

static void pin_logp_report(FILE *out, struct unit_logp *u)
{
    struct crl_logp_report *r = &u->report;
    char *text;
    size_t count;
    int error = crl_logp_check(r, &u->schedule, &u->problem, &u->diag);
    FILE *file = open_memstream(&text, &count);
    assert_non_null(file);
    for (size_t i = 0; i < r->common.count; i++)
        fprintf(file, "%llu %s %s\n", (unsigned long long)r->common.findings[i].row, r->common.findings[i].kind->id,
                r->common.findings[i].text);
    fclose(file);
    fprintf(out, "  report %08x: %d, %llu of %llu, messages %llu of %llu, buffers %llu, found %llu+%llu of %zu, %a, ",
            crc_of(text), error, (unsigned long long)r->common.slots, (unsigned long long)r->common.bound_slots,
            (unsigned long long)r->common.transmissions, (unsigned long long)r->common.bound_transmissions,
            (unsigned long long)r->common.buffer_packets, (unsigned long long)r->common.violations,
            (unsigned long long)r->common.warnings, r->common.count, r->common.utilization);
    fprintf(out, "delay %llu, operands %llu, time %llu, waiting %llu\n", (unsigned long long)r->delay,
            (unsigned long long)r->operands, (unsigned long long)r->time, (unsigned long long)r->waiting);
    free(text);
    crl_report_done(&r->common);
}

static void pin_damaged_sends(FILE *out, struct unit_logp *u, uint32_t rows, uint64_t *random)
{
    struct crl_logp_schedule *s = &u->schedule;
    uint32_t P = u->problem.machine.P;
    size_t count = s->count;
    struct crl_logp_send *kept = malloc(sizeof *kept * (count + 1));
    assert_non_null(kept);
    memcpy(kept, s->sends, sizeof *kept * count);
    for (; rows && s->count > 1; rows--) {
        struct crl_logp_send *x = &s->sends[unit_below(random, s->count)];
        uint32_t by = 1 + unit_below(random, 2);
        switch (unit_below(random, 7)) {
        case 0: x->time += by; break;
        case 1: x->time -= x->time >= by ? by : 0; break;
        case 2: x->dst = unit_below(random, P + 1); break;
        case 3: x->src = unit_below(random, P); break;
        case 4: x->item += 1; break;
        case 5: *x = s->sends[--s->count]; continue;
        default: x->rtime += by; continue; // has to wait longer
        }
        if (!s->buffered) x->rtime = x->time + u->problem.machine.o + u->problem.machine.L;
    }
    pin_logp_report(out, u);
    memcpy(s->sends, kept, sizeof *kept * count);
    s->count = count;
    free(kept);
}

struct machine {
    const char *machine, *problem, *scheme;
    uint32_t items, time;
    uint64_t operands;
};
static const struct machine machines[] = {
    {"logp:P=8,L=6,o=2,g=4", "broadcast", NULL, 0, 0, 0},
    {"logp:P=10,L=3", "k-item-broadcast", "block-cyclic", 8, 0, 0},
    {"logp:P=9,L=2", "k-item-broadcast", "buffered", 5, 0, 0},
    {"logp:P=13,L=3", "k-item-broadcast", "buffered", 30, 0, 0},
    {"logp:P=9,L=3", "continuous-broadcast", NULL, 12, 0, 0},
    {"logp:P=12,L=4", "all-to-all-broadcast", NULL, 0, 0, 0},
    {"logp:P=11,L=4,o=1,g=2", "all-to-all-personalized", NULL, 0, 0, 0},
    {"logp:P=9,L=3", "combining-broadcast", NULL, 0, 0, 0},
    {"logp:P=30,L=2,o=1", "combining-broadcast", NULL, 0, 0, 0},
    {"logp:P=8,L=5,o=2,g=4", "summation", NULL, 0, 28, 0},
    {"logp:P=6,L=1", "summation", NULL, 0, 0, 40},
    {"logp:P=1,L=1", "summation", NULL, 0, 0, 7},
    {"logp:P=1,L=1", "broadcast", NULL, 0, 0, 0},
};

static void machine_schedules(void **state)
{
    (void)state;
    char *text;
    size_t count;
    uint64_t random = 43;
    FILE *out = open_memstream(&text, &count);
    assert_non_null(out);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const struct machine *m = &machines[i];
        struct unit_logp u;
        logp_open(&u, m->machine, m->problem);
        u.problem.items = m->items;
        u.problem.time = m->time;
        u.problem.operands = m->operands;
        assert_int_equal(logp_plan(&u, m->scheme), 0);
        crl_report_done(&u.report.common);
        fprintf(out, "%s on %s\n", m->problem, m->machine);
        pin_logp_report(out, &u);
        for (uint32_t rows = 1; rows <= 24 && u.schedule.count; rows++)
            pin_damaged_sends(out, &u, 1 + rows / 3, &random);
        logp_close(&u);
    }
    finish(out, &text, &count, "pinned/machines.txt");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans),
        cmocka_unit_test(random_schedules),
        cmocka_unit_test(machine_schedules),
    };
    update = unit_wants_update(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
