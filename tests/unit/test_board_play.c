// SPDX-License-Identifier: Apache-2.0
// Load and play: a stand-in for a board's design is given every collective through the link, checks what it was given,
// plays it by the cycle model, and hands trace and memories back as docs/formats/board.md has them. Both boards; and a
// start whose reply gets lost.
#include "unit_link.h"
#include "board/board.h"
#include "board/records.h"

struct design {
    const struct crl_board_kind *kind;
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_board *board;
    uint32_t port_bits, trace_shift, descriptor;
    int starts;
    long spoil; // a word of the trace to alter, -1: none
};

static void put_bits(uint16_t *line, uint32_t at, uint32_t bits, uint32_t value)
{
    for (uint32_t i = 0; i < bits; i++)
        if (value >> i & 1) line[(at + i) / 16] |= (uint16_t)(1u << (at + i) % 16);
}

// Own packets and zeros where the image has them; garbage, not the right words, where packets will arrive.
static void check_memories(const struct design *d, const struct fake_link *f)
{
    for (uint32_t v = 0; v < d->kind->nodes; v++) {
        uint64_t memory[256];
        crl_fill_memory(d->image, d->problem, 1, v, 256, memory);
        const struct crl_places *sets[] = {&d->image->before[d->image->relative ? 0 : v],
                                           &d->image->after[d->image->relative ? 0 : v]};
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < sets[k]->count; i++) {
                uint32_t addr = sets[k]->place[i].addr;
                assert_int_equal(f->memory[0x2000 + v * 256 + addr], memory[addr]);
            }
    }
}

static void play(struct design *d, struct fake_link *f)
{
    struct crl_model *model;
    const uint32_t *valid;
    const uint64_t *data;
    check_memories(d, f);
    assert_int_equal(crl_model_new(&model, d->image, d->problem, 1, NULL), 0);
    struct crl_player player = crl_model_player(model);
    uint32_t n = 0, group = d->kind->nodes / d->kind->steps, none = (1u << d->port_bits) - 1;
    memset(f->memory + 0x3000, 0, 0x1000 * 2);
    for (int last = 0; !last; n++) {
        last = player.step(player.self, &valid, &data);
        for (uint32_t v = 0; v < d->kind->nodes; v++) {
            uint16_t *line = f->memory + 0x3000 + ((n * d->kind->steps + v / group) << d->trace_shift);
            uint32_t at = v % group * (16 + d->port_bits);
            uint32_t port = valid[v] ? (uint32_t)__builtin_ctz(valid[v]) : none;
            if (valid[v]) put_bits(line, at, 16, (uint32_t)data[v * d->kind->ports + port]);
            put_bits(line, at + 16, d->port_bits, port);
        }
    }
    for (uint32_t v = 0; v < d->kind->nodes; v++)
        for (uint32_t a = 0; a < 256; a++)
            f->memory[0x2000 + v * 256 + a] =
                a < 1u << d->image->geometry.addr_width ? (uint16_t)crl_model_memory(model, v, 0, 0, a) : 0;
    if (d->spoil >= 0) f->memory[0x3000 + d->spoil] ^= 1;
    f->memory[0x17] = (uint16_t)n;
    f->memory[0x10] |= 1 << 4;
    crl_model_free(model);
}

static void control(struct fake_link *f, uint16_t bits)
{
    struct design *d = f->user;
    const uint16_t *descriptor = f->memory + d->descriptor;
    if (bits & 8) { // adopt
        assert_int_equal(descriptor[0], 0x4c43);
        assert_int_equal(descriptor[2], descriptor[1] ^ 0xffff);
        f->memory[0x10] |= 4;
        f->memory[0x14] = descriptor[5];
        f->memory[0x15] = descriptor[6];
        f->memory[0x16] = descriptor[1];
    }
    if (bits & 1) {
        d->starts++;
        f->memory[0x10] &= (uint16_t) ~(1 << 4);
        play(d, f);
    }
}

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
    static const struct {
        uint16_t registers[12];
        uint32_t port_bits, trace_shift, descriptor;
    } boards[] = {{{0xca11, 1, 1, 0x0100, 0, 0, 8, 3, 26, 16, 8, 1}, 2, 4, 0x1ff0},
                  {{0xca11, 1, 2, 0x0100, 0, 0, 16, 4, 26, 16, 8, 4}, 3, 3, 0x17f8}};
    size_t count;
    struct crl_lower_options how = {1, 1, 1, 16};
    memset(b, 0, sizeof *b);
    b->f = calloc(1, sizeof *b->f);
    assert_non_null(b->f);
    const struct crl_board_kind *k = crl_board_kinds(&count) + kind;
    unit_plan(&b->u, unit_schemes[scheme], k->ports, 0);
    assert_int_equal(crl_lower(&b->image, &b->u.schedule, &b->u.problem, "x", &how, &b->diag), 0);
    memcpy(b->f->memory, boards[kind].registers, sizeof boards[kind].registers);
    b->design = (struct design){k,
                                &b->image,
                                &b->u.problem,
                                &b->board,
                                boards[kind].port_bits,
                                boards[kind].trace_shift,
                                boards[kind].descriptor,
                                0,
                                -1};
    b->f->pipe = (struct crl_pipe){b->f, 1, "testing", link_control, link_write, link_read};
    b->f->control = control;
    b->f->user = &b->design;
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

// The words that differ from the schedule's.
static uint64_t compare(struct bench *b)
{
    struct crl_expected *expected;
    struct crl_compared compared;
    static const char *const names[] = {"expected", "board"};
    assert_int_equal(crl_expected_new(&expected, &b->u.schedule, &b->u.problem, &b->image.geometry, 1, &b->diag), 0);
    const struct crl_player players[] = {crl_expected_player(expected), crl_board_player(&b->board)};
    assert_int_equal(
        crl_compare(&compared, players, names, 2, b->image.nodes, b->image.geometry.ports, NULL, NULL, NULL, &b->diag),
        0);
    crl_expected_free(expected);
    return compared.mismatches;
}

static const char *oracle(struct bench *b)
{
    return crl_oracle(&b->image, &b->u.problem, 1, crl_board_memory, &b->board, NULL);
}

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
