// SPDX-License-Identifier: Apache-2.0
// Tables of LogP machines: lowered, as files, raised, played by the model, judged. With --update it writes the golden
// image and trace.
#include "unit_image.h"
#include "unit_logp.h"
#include "machine/logp/image.h"
#include "machine/logp/play.h"

static bool update;

struct subject {
    const char *machine, *problem, *scheme;
    uint32_t items, time;
    uint64_t operands;
    bool full_duplex;
};
static const struct subject subjects[] = {
    {"logp:P=8,L=6,o=2,g=4", "broadcast", NULL, 0, 0, 0, false},
    {"logp:P=10,L=3", "k-item-broadcast", "block-cyclic", 8, 0, 0, false},
    {"logp:P=9,L=2", "k-item-broadcast", "buffered", 5, 0, 0, false},
    {"logp:P=9,L=3", "continuous-broadcast", NULL, 12, 0, 0, true},
    {"logp:P=7,L=4", "all-to-all-broadcast", NULL, 0, 0, 0, false},
    {"logp:P=5,L=4,o=1,g=2", "all-to-all-personalized", NULL, 0, 0, 0, false},
    {"logp:P=9,L=3", "combining-broadcast", NULL, 0, 0, 0, false},
    {"logp:P=8,L=5,o=2,g=4", "summation", NULL, 0, 28, 0, false},
    {"logp:P=6,L=1", "summation", NULL, 0, 0, 40, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, WORDS = 2, WIDTH = 32 };

static void open_subject(struct unit_logp *u, struct crl_logp_image *image, const struct subject *s)
{
    logp_open(u, s->machine, s->problem);
    u->problem.items = s->items;
    u->problem.time = s->time;
    u->problem.operands = s->operands;
    u->problem.full_duplex = s->full_duplex;
    if (logp_plan(u, s->scheme)) fail_msg("%s on %s: %s", s->problem, s->machine, u->diag.text);
    if (crl_logp_lower(image, &u->schedule, &u->problem, u->report.time, "test", WORDS, WIDTH, &u->diag))
        fail_msg("%s on %s: %s", s->problem, s->machine, u->diag.text);
}

static void close_subject(struct unit_logp *u, struct crl_logp_image *image)
{
    crl_logp_image_done(image);
    logp_close(u);
}

static char *written(const struct crl_logp_image *image, size_t *count)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, count);
    assert_non_null(file);
    assert_int_equal(crl_logp_image_write(image, file, NULL), 0);
    fclose(file);
    return bytes;
}

static int read_bytes(struct crl_logp_image *image, char *bytes, size_t count, struct crl_diag *diag)
{
    struct crl_container container;
    FILE *file = fmemopen(bytes, count, "rb");
    assert_non_null(file);
    int error = crl_container_read(&container, file, "test", diag);
    fclose(file);
    if (!error) error = crl_logp_image_parse(image, &container, diag);
    crl_container_done(&container);
    return error;
}

static void assert_raised(const struct crl_logp_schedule *schedule, const struct crl_logp_image *image)
{
    struct crl_logp_schedule raised = {0};
    struct crl_diag diag;
    if (crl_logp_raise(&raised, image, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(raised.count, schedule->count);
    for (size_t i = 0; i < raised.count; i++) {
        const struct crl_logp_send *a = &raised.sends[i], *b = &schedule->sends[i];
        assert_true(a->time == b->time && a->src == b->src && a->dst == b->dst && a->item == b->item &&
                    a->rtime == b->rtime);
    }
    crl_logp_schedule_done(&raised);
}

static void tables_survive_the_file_and_say_what_the_schedule_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct unit_logp u;
        struct crl_logp_image image, back;
        size_t count, again_count;
        open_subject(&u, &image, &subjects[i]);
        assert_raised(&u.schedule, &image);
        char *bytes = written(&image, &count);
        if (read_bytes(&back, bytes, count, &u.diag)) fail_msg("%s: %s", subjects[i].problem, u.diag.text);
        assert_raised(&u.schedule, &back);
        char *again = written(&back, &again_count);
        assert_int_equal(again_count, count);
        assert_memory_equal(again, bytes, count);
        free(again);
        free(bytes);
        crl_logp_image_done(&back);
        close_subject(&u, &image);
    }
}

static void any_damaged_bit_and_any_cut_is_refused(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image, back;
    size_t count;
    open_subject(&u, &image, &subjects[0]);
    char *bytes = written(&image, &count);
    for (size_t i = 0; i < count * 8; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        assert_int_not_equal(read_bytes(&back, bytes, count, NULL), 0);
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
    }
    for (size_t cut = 1; cut < count; cut++) assert_int_not_equal(read_bytes(&back, bytes, cut, NULL), 0);
    free(bytes);
    close_subject(&u, &image);
}

// What the reader lets through must be what the bytes say: writing it gives them again, unused fields and all.
static void damage_behind_a_right_crc_is_refused_or_taken_literally(void **state)
{
    (void)state;
    unsigned refused = 0, taken = 0;
    for (size_t n = 0; n < SUBJECTS; n += SUBJECTS - 1) {
        struct unit_logp u;
        struct crl_logp_image image, back;
        size_t count, again_count;
        open_subject(&u, &image, &subjects[n]);
        char *bytes = written(&image, &count), *damaged = malloc(count);
        assert_non_null(damaged);
        for (size_t i = 0; i < count * 8; i++) {
            if (i / 8 >= 16 && i / 8 < HEADER) continue; // the version of the program that wrote it
            memcpy(damaged, bytes, count);
            damaged[i / 8] = (char)(damaged[i / 8] ^ 1 << i % 8);
            mend(damaged, count);
            if (!memcmp(damaged, bytes, count)) continue; // it was a bit of a CRC
            if (read_bytes(&back, damaged, count, NULL)) {
                refused++;
                continue;
            }
            char *again = written(&back, &again_count);
            assert_int_equal(again_count, count);
            assert_memory_equal(again, damaged, count);
            free(again);
            crl_logp_image_done(&back);
            taken++;
        }
        free(damaged);
        free(bytes);
        close_subject(&u, &image);
    }
    assert_true(refused > 1000 && taken > 100);
}

// One word of one processor's memory reads as something else.
struct altered {
    struct crl_logp_model *model;
    uint32_t processor, page, addr;
};

static uint64_t altered_memory(void *user, uint32_t processor, uint32_t page, uint32_t addr)
{
    const struct altered *a = user;
    uint64_t word = crl_logp_model_memory(a->model, processor, page, addr);
    return word ^ (processor == a->processor && page == a->page && addr == a->addr);
}

// Plays the image by the model beside what the schedule says. The oracle must see every altered word of a result.
static void play(const struct unit_logp *u, const struct crl_logp_image *image, FILE *trace)
{
    static const char *const names[] = {"expected", "model"};
    const uint32_t P = image->problem.machine.P;
    struct crl_logp_expected *expected;
    struct crl_logp_model *model;
    struct crl_compared compared;
    assert_int_equal(crl_logp_expected_new(&expected, &u->schedule, image, CRL_OP_ADD, 1, NULL), 0);
    assert_int_equal(crl_logp_model_new(&model, image, CRL_OP_ADD, 1, NULL), 0);
    struct crl_player players[] = {crl_logp_expected_player(expected), crl_logp_model_player(model)};
    assert_int_equal(crl_compare(&compared, players, names, 2, P, P, trace, NULL, NULL, NULL), 0);
    if (compared.mismatches) fail_msg("%s", compared.text);
    struct crl_logp_faults f = crl_logp_model_faults(model);
    assert_int_equal(f.missing + f.unexpected + f.hold + f.conflict + f.outside + f.parity, 0);
    assert_string_equal(crl_logp_oracle(image, CRL_OP_ADD, 1, crl_logp_model_memory, model, NULL), "ok");
    for (uint32_t v = 0; v < P; v++)
        for (uint32_t k = 0; k < image->after[v].count; k++)
            for (uint32_t page = 0; page < WORDS; page++) {
                struct altered altered = {model, v, page, image->after[v].place[k].addr};
                assert_string_not_equal(crl_logp_oracle(image, CRL_OP_ADD, 1, altered_memory, &altered, NULL), "ok");
            }
    crl_logp_model_free(model);
    crl_logp_expected_free(expected);
}

static void tables_play_as_the_schedule_says_and_every_result_is_looked_at(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct unit_logp u;
        struct crl_logp_image image;
        open_subject(&u, &image, &subjects[i]);
        play(&u, &image, NULL);
        close_subject(&u, &image);
    }
}

static void what_no_hardware_plays_is_refused(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    logp_open(&u, "logp:P=300,L=2", "broadcast");
    assert_int_equal(logp_plan(&u, NULL), 0);
    assert_int_equal(crl_logp_lower(&image, &u.schedule, &u.problem, u.report.time, "test", WORDS, WIDTH, &u.diag),
                     CRL_ERR_UNSUPPORTED);
    logp_close(&u);
}

static void golden_files_pin_image_and_trace(void **state)
{
    (void)state;
    struct unit_logp u;
    struct crl_logp_image image;
    size_t count;
    open_subject(&u, &image, &subjects[0]);
    char *bytes = written(&image, &count);
    unit_golden(update, "images/logp-broadcast.img", bytes, count);
    free(bytes);
    FILE *trace = tmpfile();
    assert_non_null(trace);
    play(&u, &image, trace);
    char *text = unit_contents(trace, &count);
    unit_golden(update, "traces/logp-broadcast.trace", text, count);
    free(text);
    fclose(trace);
    close_subject(&u, &image);
}

// Items are where the problem has them; what is combined is numbered through.
static void items_that_cannot_be_there_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        struct unit_logp u;
        struct crl_logp_image image, back;
        size_t count;
        open_subject(&u, &image, &subjects[i]);
        for (int after = 0; after < 2; after++) {
            struct crl_logp_places *places = after ? image.after : image.before;
            uint32_t v = 0;
            while (!places[v].count) v++;
            for (uint32_t bit = 0; bit < 32; bit++) {
                bool wanted = after && !crl_logp_combines(&u.problem);
                uint32_t item = places[v].place[0].item ^ UINT32_C(1) << bit;
                if (wanted && crl_logp_item_exists(&u.problem, item) && crl_logp_item_wanted(&u.problem, item, v))
                    continue;
                if (!after && !crl_logp_combines(&u.problem) && crl_logp_item_exists(&u.problem, item) &&
                    crl_logp_item_origin(&u.problem, item) == v)
                    continue;
                places[v].place[0].item ^= UINT32_C(1) << bit;
                char *bytes = written(&image, &count);
                assert_int_equal(read_bytes(&back, bytes, count, &u.diag), CRL_ERR_PARSE);
                assert_non_null(strstr(u.diag.text, "cannot be"));
                free(bytes);
                places[v].place[0].item ^= UINT32_C(1) << bit;
            }
        }
        close_subject(&u, &image);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_survive_the_file_and_say_what_the_schedule_says),
        cmocka_unit_test(any_damaged_bit_and_any_cut_is_refused),
        cmocka_unit_test(items_that_cannot_be_there_are_refused),
        cmocka_unit_test(damage_behind_a_right_crc_is_refused_or_taken_literally),
        cmocka_unit_test(tables_play_as_the_schedule_says_and_every_result_is_looked_at),
        cmocka_unit_test(what_no_hardware_plays_is_refused),
        cmocka_unit_test(golden_files_pin_image_and_trace),
    };
    update = unit_wants_update(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
