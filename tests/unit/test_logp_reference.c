// SPDX-License-Identifier: Apache-2.0
// The cycle model of LogP machines against a second writing of docs/formats/logp.md, whatever the tables say; and the
// result oracle against memories and places made up here.
#include "unit_logp.h"
#include "unit_spread.h"
#include "base/base.h"
#include "machine/logp/image.h"
#include "machine/logp/play.h"

enum { P_MAX = 40, CYCLES_MAX = 600, SEED = 6 };

static void open_image(struct unit_logp *u, struct crl_logp_image *image, const char *machine, const char *problem,
                       uint32_t items, uint32_t words)
{
    logp_open(u, machine, problem);
    u->problem.items = items;
    if (logp_plan(u, NULL)) fail_msg("%s on %s: %s", problem, machine, u->diag.text);
    if (crl_logp_lower(image, &u->schedule, &u->problem, u->report.time, "test", words, 32, &u->diag))
        fail_msg("%s", u->diag.text);
}

static void close_image(struct unit_logp *u, struct crl_logp_image *image)
{
    crl_logp_image_done(image);
    logp_close(u);
}

// ---------------------------------------------------------------- the model

struct reference {
    const struct crl_logp_image *image;
    enum crl_op op;
    uint64_t *memory[P_MAX]; // [words << addr_width]
    uint64_t hold[P_MAX], last[P_MAX], part[P_MAX], total[P_MAX];
    bool full[P_MAX];
    struct {
        bool there;
        size_t at;
        uint64_t data;
    } write[P_MAX]; // of the row before
    uint8_t coming[P_MAX][CYCLES_MAX];
    uint64_t word[P_MAX][CYCLES_MAX][2];
    struct crl_logp_faults faults;
    bool any;
    bool valid[P_MAX][P_MAX];
    uint64_t data[P_MAX][P_MAX];
};

static struct reference *reference_new(const struct crl_logp_image *image, enum crl_op op)
{
    struct reference *r = calloc(1, sizeof *r);
    const struct crl_logp_geometry *g = &image->geometry;
    assert_non_null(r);
    r->image = image;
    r->op = op;
    for (uint32_t v = 0; v < image->problem.machine.P; v++) {
        size_t depth = (size_t)1 << g->addr_width;
        assert_non_null(r->memory[v] = malloc(sizeof(uint64_t) * g->words * depth));
        r->hold[v] = r->last[v] = r->part[v] = r->total[v] = crl_permute(1, g->data_width, ~(uint64_t)SEED);
        for (uint32_t w = 0; w < g->words; w++) {
            for (uint32_t a = 0; a < depth; a++) r->memory[v][w * depth + a] = crl_logp_garbage(g, v, a, SEED);
            for (uint32_t i = 0; i < image->before[v].count; i++)
                r->memory[v][w * depth + image->before[v].place[i].addr] =
                    crl_logp_payload(g, image->before[v].place[i].item, w, SEED);
        }
    }
    return r;
}

static void reference_free(struct reference *r)
{
    for (uint32_t v = 0; v < P_MAX; v++) free(r->memory[v]);
    free(r);
}

static void fault(struct reference *r, uint64_t *which, uint32_t processor, uint32_t row)
{
    if (!r->any) {
        r->faults.processor = processor;
        r->faults.row = row;
    }
    r->any = true;
    *which += 1;
}

static uint64_t combined(const struct reference *r, uint32_t act, uint64_t old, uint64_t operand)
{
    if (act == 1) return operand;
    return act == 3 ? crl_op_apply(r->op, r->image->geometry.data_width, old, operand) : old;
}

static void leave(struct reference *r, uint32_t v, uint32_t cycle, uint32_t row, uint32_t dest, uint64_t word)
{
    const struct crl_logp *m = &r->image->problem.machine;
    if (dest >= m->P) {
        fault(r, &r->faults.outside, v, row);
        return;
    }
    r->valid[v][dest] = true;
    r->data[v][dest] = word;
    uint8_t *coming = &r->coming[dest][cycle + m->L];
    if (*coming == 2) fault(r, &r->faults.conflict, dest, row);
    else r->word[dest][cycle + m->L][(*coming)++] = word;
}

static void reference_row(struct reference *r, uint32_t v, uint32_t cycle)
{
    const struct crl_logp_geometry *g = &r->image->geometry;
    uint32_t number = cycle % g->rows;
    size_t page = (size_t)(cycle / g->rows) << g->addr_width;
    struct crl_logp_row row;
    if (!crl_logp_row_unpack(g, crl_logp_image_row(r->image, v, number), &row)) fault(r, &r->faults.parity, v, number);
    uint32_t arrived = (1u << r->coming[v][cycle]) - 1;
    uint64_t idle = crl_permute(1, g->data_width, ~(uint64_t)SEED), word[2] = {idle, idle};
    for (int i = 0; i < 2; i++)
        if (arrived >> i & 1) word[i] = r->word[v][cycle][i];
    if (row.expect & ~arrived) fault(r, &r->faults.missing, v, number);
    if (arrived & ~row.expect) fault(r, &r->faults.unexpected, v, number);
    bool empty = row.held && !r->full[v], over = row.hold && !row.held && r->full[v];
    if (empty || over) fault(r, &r->faults.hold, v, number);
    uint64_t before = r->last[v], taken = row.held ? r->hold[v] : word[row.swap];
    if (row.held) r->full[v] = false;
    if (row.hold) {
        r->full[v] = true;
        r->hold[v] = word[(row.expect & 2) && !row.swap];
    }
    r->last[v] = taken;
    uint64_t read = r->memory[v][page + row.raddr], operand = row.operand ? read : taken;
    r->part[v] = combined(r, row.part, r->part[v], operand);
    r->total[v] = combined(r, row.total, r->total[v], operand);
    if (r->write[v].there) r->memory[v][r->write[v].at] = r->write[v].data;
    r->write[v].there = row.store;
    r->write[v].at = page + row.waddr;
    r->write[v].data = row.store_total ? r->total[v] : taken;
    uint64_t leaves = read;
    if (row.what == 1) leaves = taken;
    if (row.what == 2 || row.what == 3) leaves = before;
    if (row.what == 4 || row.what == 6) leaves = r->part[v];
    if (row.what == 5 || row.what == 7) leaves = r->total[v];
    if (row.send) leave(r, v, cycle, number, row.dest, leaves);
}

static void assert_memories(struct reference *r, struct crl_logp_model *model)
{
    const struct crl_logp_geometry *g = &r->image->geometry;
    for (uint32_t v = 0; v < r->image->problem.machine.P; v++)
        for (uint32_t w = 0; w < g->words; w++)
            for (uint32_t a = 0; a < 1u << g->addr_width; a++)
                assert_true(crl_logp_model_memory(model, v, w, a) == r->memory[v][((size_t)w << g->addr_width) + a]);
}

static void assert_alike(const struct crl_logp_image *image, enum crl_op op, uint64_t faults[6])
{
    uint32_t P = image->problem.machine.P, masks = (P + 31) / 32, cycles = image->geometry.rows * image->geometry.words;
    struct reference *r = reference_new(image, op);
    struct crl_logp_model *model;
    assert_true(cycles + image->problem.machine.L < CYCLES_MAX && P <= P_MAX);
    assert_int_equal(crl_logp_model_new(&model, image, op, SEED, NULL), 0);
    assert_memories(r, model);
    struct crl_player player = crl_logp_model_player(model);
    const uint32_t *valid;
    const uint64_t *data;
    for (uint32_t cycle = 0; cycle < cycles; cycle++) {
        memset(r->valid, 0, sizeof r->valid);
        assert_int_equal(player.step(player.self, &valid, &data), cycle + 1 == cycles);
        for (uint32_t v = 0; v < P; v++) reference_row(r, v, cycle);
        for (uint32_t v = 0; v < P; v++)
            for (uint32_t q = 0; q < 32 * masks; q++) {
                assert_int_equal(valid[v * masks + q / 32] >> q % 32 & 1, q < P && r->valid[v][q]);
                if (q < P && r->valid[v][q]) assert_true(data[v * P + q] == r->data[v][q]);
            }
    }
    assert_int_equal(player.step(player.self, &valid, &data), 1); // and no further
    for (uint32_t v = 0; v < P; v++)
        if (r->write[v].there) r->memory[v][r->write[v].at] = r->write[v].data;
    assert_memories(r, model);
    struct crl_logp_faults a = crl_logp_model_faults(model), b = r->faults;
    assert_memory_equal(&a, &b, sizeof a);
    const uint64_t kinds[] = {a.missing, a.unexpected, a.hold, a.conflict, a.outside, a.parity};
    for (int i = 0; i < 6; i++) faults[i] += kinds[i] > 0;
    crl_logp_model_free(model);
    reference_free(r);
}

static uint32_t *row_bits(struct crl_logp_image *image, uint32_t processor, uint32_t row)
{
    return image->store.bits + (processor * image->geometry.rows + row) * image->store.row_words;
}

// Rows that send now and then to anybody, and do anything else.
static void scatter_rows(struct crl_logp_image *image, uint32_t every, uint64_t *random)
{
    const struct crl_logp_geometry *g = &image->geometry;
    for (uint32_t v = 0; v < image->problem.machine.P; v++)
        for (uint32_t n = 0; n < g->rows; n++) {
            uint32_t acts[] = {CRL_LOGP_KEEP, CRL_LOGP_LOAD, CRL_LOGP_COMBINE}, few = 1u << g->addr_width;
            struct crl_logp_row row = {.send = !unit_below(random, every),
                                       .what = unit_below(random, 8),
                                       .expect = unit_below(random, 4),
                                       .hold = unit_below(random, 2),
                                       .held = unit_below(random, 2),
                                       .swap = unit_below(random, 2),
                                       .store = unit_below(random, 2),
                                       .store_total = unit_below(random, 2),
                                       .operand = unit_below(random, 2),
                                       .part = acts[unit_below(random, 3)],
                                       .total = acts[unit_below(random, 3)],
                                       .dest = unit_below(random, 1u << g->name_width),
                                       .raddr = unit_below(random, few),
                                       .waddr = unit_below(random, few)};
            crl_logp_row_pack(g, &row, row_bits(image, v, n));
        }
}

static void whatever_tables_say_the_model_does_as_the_page_says(void **state)
{
    (void)state;
    static const char *const machines[] = {"logp:P=5,L=3", "logp:P=8,L=1,g=2", "logp:P=40,L=2"};
    uint64_t random = 31, faults[6] = {0};
    for (int round = 0; round < 60; round++) {
        struct unit_logp u;
        struct crl_logp_image image;
        bool many = round % 3 == 2;
        open_image(&u, &image, machines[round % 3], "all-to-all-broadcast", 0, 1 + (uint32_t)round % 2);
        unit_spread(&image.store, image.problem.machine.P, image.geometry.rows);
        scatter_rows(&image, 1 + unit_below(&random, many ? 4 : 8), &random);
        assert_alike(&image, (enum crl_op)(round % 4), faults);
        close_image(&u, &image);
    }
    for (int i = 0; i < 5; i++) assert_true(faults[i] > 0);
}

// One bit of a table that is right: the first fault is one of few.
static void one_wrong_bit_is_located(void **state)
{
    (void)state;
    static const char *const problems[] = {"broadcast", "all-to-all-personalized", "combining-broadcast"};
    uint64_t random = 32, faults[6] = {0};
    for (int round = 0; round < 150; round++) {
        struct unit_logp u;
        struct crl_logp_image image;
        open_image(&u, &image, "logp:P=6,L=3", problems[round % 3], 0, 2);
        unit_spread(&image.store, 6, image.geometry.rows);
        for (int flips = 1 + round % 2; flips; flips--) {
            uint32_t bit = 1 + unit_below(&random, crl_logp_row_bits(&image.geometry) - 1);
            uint32_t *bits = row_bits(&image, unit_below(&random, 6), unit_below(&random, image.geometry.rows));
            bits[bit / 32] ^= UINT32_C(1) << bit % 32;
            bits[0] ^= unit_below(&random, 4) > 0;
        }
        assert_alike(&image, CRL_OP_ADD, faults);
        close_image(&u, &image);
    }
    for (int i = 0; i < 6; i++) assert_true(faults[i] > 0 || i == 3);
}

static void memories_too_large_to_count_are_refused(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    open_image(&u, &image, "logp:P=4,L=3", "broadcast", 0, 1);
    image.geometry.words = 1024;
    image.geometry.addr_width = 20;                                 // 2^32 words
    struct crl_logp_model *model = (struct crl_logp_model *)&image; // anything
    assert_int_equal(crl_logp_model_new(&model, &image, CRL_OP_ADD, SEED, &u.diag), CRL_ERR_LIMIT);
    assert_null(model);
    assert_string_equal(u.diag.text, "the memories of this image are too large to model");
    close_image(&u, &image);
}

// ---------------------------------------------------------------- the oracle

enum { WORDS = 3, ADDRS = 256 };

// Memories of a result, all right but for one word.
struct memories {
    const struct crl_logp_image *image;
    enum crl_op op;
    uint32_t processor, page, addr;
    uint64_t flip;
};

static uint64_t result(const struct memories *m, uint32_t processor, uint32_t page, uint32_t addr)
{
    const struct crl_logp_geometry *g = &m->image->geometry;
    const struct crl_logp_places *after = &m->image->after[processor];
    for (uint32_t i = 0; i < after->count; i++) {
        if (after->place[i].addr != addr) continue;
        if (!crl_logp_combines(&m->image->problem)) return crl_logp_payload(g, after->place[i].item, page, SEED);
        uint32_t values = 0;
        for (uint32_t v = 0; v < m->image->problem.machine.P; v++) values += m->image->before[v].count;
        uint64_t sum = crl_logp_payload(g, 0, page, SEED);
        for (uint32_t k = 1; k < values; k++)
            sum = crl_op_apply(m->op, g->data_width, sum, crl_logp_payload(g, k, page, SEED));
        return sum;
    }
    return 0;
}

static uint64_t read_word(void *user, uint32_t processor, uint32_t page, uint32_t addr)
{
    const struct memories *m = user;
    bool hit = processor == m->processor && page == m->page && addr == m->addr;
    return result(m, processor, page, addr) ^ (hit ? m->flip : 0);
}

static const char *const problems[] = {"broadcast", "all-to-all-personalized", "all-to-all-broadcast",
                                       "combining-broadcast", "summation"};

static void open_result(struct unit_logp *u, struct crl_logp_image *image, size_t problem)
{
    logp_open(u, "logp:P=5,L=3", problems[problem]);
    if (problem == 4) u->problem.time = 9;
    assert_int_equal(logp_plan(u, NULL), 0);
    assert_int_equal(crl_logp_lower(image, &u->schedule, &u->problem, u->report.time, "test", WORDS, 32, &u->diag), 0);
}

static void assert_verdict(const struct crl_logp_image *image, const char *verdict, const char *text)
{
    struct memories m = {image, CRL_OP_ADD, CRL_NONE, 0, 0, 0};
    struct crl_diag where = {.text = ""};
    assert_string_equal(crl_logp_oracle(image, CRL_OP_ADD, SEED, read_word, &m, &where), verdict);
    assert_string_equal(where.text, text);
    assert_string_equal(crl_logp_oracle(image, CRL_OP_ADD, SEED, read_word, &m, NULL), verdict);
}

static void each_word_is_looked_at_and_only_those_that_are_asked_for(void **state)
{
    (void)state;
    for (size_t k = 0; k < 5; k++)
        for (int op = 0; op < 4; op++) {
            struct unit_logp u;
            struct crl_logp_image image;
            open_result(&u, &image, k);
            for (uint32_t v = 0; v < 5; v++)
                for (uint32_t i = 0; i < image.after[v].count; i++)
                    for (uint32_t page = 0; page < WORDS; page++)
                        for (uint32_t first = 0; first < WORDS; first++)
                            for (uint32_t count = 1; first + count <= WORDS; count++) {
                                const struct crl_logp_place *p = &image.after[v].place[i];
                                struct memories m = {&image, (enum crl_op)op, v, page, p->addr, 1};
                                struct crl_diag where = {.text = ""};
                                char text[64];
                                bool seen = page >= first && page < first + count;
                                snprintf(text, sizeof text, "processor %u, item %u, word %u (address %u) is ", v,
                                         p->item, page, p->addr);
                                assert_string_equal(
                                    crl_logp_oracle_words(&image, m.op, SEED, read_word, &m, first, count, &where),
                                    seen ? "wrong" : "ok");
                                assert_int_equal(seen, !strncmp(where.text, text, strlen(text)));
                                assert_int_equal(where.text[0] != 0, seen);
                            }
            close_image(&u, &image);
        }
}

static void places_may_lie_in_any_order_but_not_at_one_address(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    open_result(&u, &image, 2);
    for (uint32_t v = 0; v < 5; v++) {
        struct crl_logp_place *p = image.after[v].place, kept;
        assert_int_equal(image.after[v].count, 5);
        for (uint32_t i = 0; i < 5; i++)
            for (uint32_t k = 0; k < 5; k++) { // by turns
                kept = p[i];
                p[i] = p[k];
                p[k] = kept;
                assert_verdict(&image, "ok", "");
                if (i == k) continue;
                char text[64];
                uint32_t addr = p[i].addr;
                p[i].addr = p[k].addr;
                snprintf(text, sizeof text, "processor %u: two items at address %u", v, p[k].addr);
                assert_verdict(&image, "overlap", text);
                p[i].addr = addr;
            }
    }
    close_image(&u, &image);
}

static void what_is_missing_or_too_much_is_named(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    char text[96];
    for (size_t k = 0; k < 3; k++) {
        open_result(&u, &image, k);
        for (uint32_t v = 0; v < 5; v++) {
            struct crl_logp_places *after = &image.after[v];
            for (uint32_t i = 0; i < after->count; i++) {
                struct crl_logp_place kept = after->place[i];
                after->place[i] = after->place[after->count - 1];
                after->count--;
                snprintf(text, sizeof text, "processor %u holds no item %u", v, kept.item);
                assert_verdict(&image, "missing", text);
                after->count++;
                after->place[i] = kept;
            }
            after->place = realloc(after->place, sizeof *after->place * (after->count + 1));
            assert_non_null(after->place);
            uint32_t twice = after->count ? after->place[0].item : 0, none = 25; // items are 0 to 24 at most
            after->place[after->count++] = (struct crl_logp_place){none, ADDRS};
            snprintf(text, sizeof text, "processor %u holds item %u twice, or there is none such", v, none);
            assert_verdict(&image, "extra", text);
            after->place[after->count - 1].item = k == 1 ? 6 * v : twice; // its own, which is for nobody
            struct memories m = {&image, CRL_OP_ADD, CRL_NONE, 0, 0, 0};
            const char *verdict = crl_logp_oracle(&image, CRL_OP_ADD, SEED, read_word, &m, NULL);
            // Where it is not the last item, the next one is sought in its place.
            assert_string_equal(verdict, k == 2 && twice < 4 ? "missing" : "extra");
            after->count--;
        }
        close_image(&u, &image);
    }
}

static void results_and_their_values_are_counted(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    char text[96];
    for (size_t k = 3; k < 5; k++) {
        open_result(&u, &image, k);
        uint32_t values = 0;
        for (uint32_t v = 0; v < 5; v++) {
            struct crl_logp_places *after = &image.after[v], *before = &image.before[v];
            uint32_t wanted = k == 3 || v == 0;
            assert_int_equal(after->count, wanted);
            for (uint32_t i = 0; i < before->count; i++, values++)
                for (uint32_t other = values + 1; other < values + 3; other++) {
                    before->place[i].item = other;
                    snprintf(text, sizeof text, "processor %u begins with number %u, not %u", v, other, values);
                    assert_verdict(&image, "extra", text);
                    before->place[i].item = values;
                }
            for (uint32_t count = 0; count < 3; count++) {
                if (count == wanted) continue;
                struct crl_logp_place *kept = after->place, some[2] = {{0, 0}, {0, 1}};
                after->count = count;
                after->place = some;
                snprintf(text, sizeof text, "processor %u has %u results, but must have %u", v, count, wanted);
                assert_verdict(&image, count < wanted ? "missing" : "extra", text);
                after->count = wanted;
                after->place = kept;
            }
        }
        assert_verdict(&image, "ok", "");
        uint32_t last = 4;
        while (!image.before[last].count) last--;
        image.before[last].count--;
        snprintf(text, sizeof text, "there are %u values to combine, but must be %u", values - 1, values);
        assert_verdict(&image, "missing", text);
        image.before[last].count++;
        if (k == 4) { // fewer may be asked for than there is time for
            image.problem.operands = values - 1;
            assert_verdict(&image, "ok", "");
            image.problem.operands = values + 1;
            snprintf(text, sizeof text, "there are %u values to combine, but must be %u", values, values + 1);
            assert_verdict(&image, "missing", text);
        }
        close_image(&u, &image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_tables_say_the_model_does_as_the_page_says),
        cmocka_unit_test(one_wrong_bit_is_located),
        cmocka_unit_test(memories_too_large_to_count_are_refused),
        cmocka_unit_test(each_word_is_looked_at_and_only_those_that_are_asked_for),
        cmocka_unit_test(places_may_lie_in_any_order_but_not_at_one_address),
        cmocka_unit_test(what_is_missing_or_too_much_is_named),
        cmocka_unit_test(results_and_their_values_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
