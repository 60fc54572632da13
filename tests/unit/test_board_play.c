// SPDX-License-Identifier: Apache-2.0
// Load and play: a stand-in for a board's design is given every collective through the link, plays it, and what comes
// back is judged. Both boards; and a start whose reply gets lost.
#include "unit_design.h"
#include "board/board.h"
#include "board/records.h"

struct bench {
    struct unit u;
    struct crl_image image;
    struct fake_link *f;
    struct crl_board board;
    struct design design;
    struct crl_diag diag;
};

static void bench_open(struct bench *b, size_t kind, size_t scheme)
{
    size_t count;
    struct crl_lower_options how = {1, 1, 1, 16, 0, 0};
    memset(b, 0, sizeof *b);
    b->f = calloc(1, sizeof *b->f);
    assert_non_null(b->f);
    const struct crl_board_kind *k = crl_board_kinds(&count) + kind;
    unit_plan(&b->u, unit_schemes[scheme], crl_board_designs(&count)[kind].ports, 0);
    assert_int_equal(crl_lower(&b->image, &b->u.schedule, &b->u.problem, "x", &how, &b->diag), 0);
    design_open(&b->design, b->f, kind, &b->image, &b->u.problem);
    b->board = (struct crl_board){.found = {.kind = k}, .uart = &b->f->pipe, .patience_ms = 20};
}

static void bench_close(struct bench *b)
{
    free(b->board.valid);
    free(b->board.data);
    free(b->board.memory);
    crl_image_done(&b->image);
    unit_close(&b->u);
    free(b->f);
}

static uint64_t compare(struct bench *b) { return design_mismatches(&b->board, &b->u, &b->image); }

static const char *oracle(struct bench *b) { return design_verdict(&b->board, &b->u, &b->image); }

static void test_collectives(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t scheme = 0; scheme < UNIT_SCHEMES; scheme++) {
            struct bench b;
            bench_open(&b, kind, scheme);
            assert_int_equal(crl_board_load(&b.board, &b.image, &b.u.problem, 1, &b.diag), 0);
            for (int again = 0; again < 2; again++) {
                if (crl_board_play(&b.board, &b.image, &b.u.problem, 1, 1, &b.diag)) fail_msg("%s", b.diag.text);
                assert_int_equal(compare(&b), 0);
                assert_string_equal(oracle(&b), "ok");
            }
            assert_int_equal(b.design.starts, 2);
            bench_close(&b);
        }
}

static void test_wrong_word(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, 0, 4);
    b.design.spoil = 0;
    assert_int_equal(crl_board_load(&b.board, &b.image, &b.u.problem, 1, &b.diag), 0);
    assert_int_equal(crl_board_play(&b.board, &b.image, &b.u.problem, 1, 1, &b.diag), 0);
    assert_int_equal(compare(&b), 1);
    const struct crl_place *last = &b.image.after[0].place[b.image.after[0].count - 1];
    b.board.memory[last->addr] ^= 0x80;
    assert_string_equal(oracle(&b), "wrong");
    bench_close(&b);
}

// Trouble at every frame of a load and a play: what is lost is asked for again, and nothing is played on packets that
// an unseen play has moved.
static void test_trouble_everywhere(void **state)
{
    (void)state;
    long frames = 1; // as many as without trouble
    int second_starts = 0;
    for (int trouble = NONE; trouble < TROUBLES; trouble++)
        for (long at = 0; at < (trouble ? frames : 1); at++) {
            struct bench b;
            bench_open(&b, 0, 3);
            b.f->trouble = (enum trouble)trouble;
            b.f->trouble_at = at;
            b.f->trouble_count = 1;
            assert_int_equal(crl_board_load(&b.board, &b.image, &b.u.problem, 1, &b.diag), 0);
            if (crl_board_play(&b.board, &b.image, &b.u.problem, 1, 1, &b.diag)) fail_msg("%s", b.diag.text);
            assert_int_equal(compare(&b), 0);
            assert_string_equal(oracle(&b), "ok");
            if (trouble == NONE) frames = b.f->frames;
            second_starts += b.design.starts == 2;
            assert_int_equal(b.board.link.retries,
                             trouble != NONE && at > 0); // the first frame only looks who is there
            bench_close(&b);
        }
    assert_true(frames > 20);
    assert_true(second_starts > 2); // the start was among them
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_wrong_word),
        cmocka_unit_test(test_trouble_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
