// SPDX-License-Identifier: Apache-2.0
// A stand-in for a board's design behind the link: checks what it was given, plays it by the cycle model, and hands
// trace and memories back as docs/formats/board.md has them.
#ifndef UNIT_DESIGN_H
#define UNIT_DESIGN_H

#include "unit_link.h"
#include "board/board.h"

// What the stand-in is given to play, and what it did with it.
struct design {
    const struct crl_board_design *design;
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint32_t port_bits, trace_shift, descriptor;
    int starts;
    long spoil; // a word of the trace to alter, -1: none
};

static inline void put_bits(uint16_t *line, uint32_t at, uint32_t bits, uint32_t value)
{
    for (uint32_t i = 0; i < bits; i++)
        if (value >> i & 1) line[(at + i) / 16] |= (uint16_t)(1u << (at + i) % 16);
}

// Own packets and zeros where the image has them; garbage, not the right words, where packets will arrive.
static inline void check_memories(const struct design *d, const struct fake_link *f)
{
    for (uint32_t v = 0; v < d->design->nodes; v++) {
        uint64_t memory[256];
        crl_fill_memory(d->image, d->problem, 1, v, 256, memory);
        const struct crl_places *sets[] = {&d->image->before[d->image->folded ? 0 : v],
                                           &d->image->after[d->image->folded ? 0 : v]};
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < sets[k]->count; i++) {
                uint32_t addr = sets[k]->place[i].addr;
                assert_int_equal(f->memory[0x2000 + v * 256 + addr], memory[addr]);
            }
    }
}

static inline void play(struct design *d, struct fake_link *f)
{
    struct crl_model *model;
    const uint32_t *valid;
    const uint64_t *data;
    check_memories(d, f);
    assert_int_equal(crl_model_new(&model, d->image, d->problem, 1, NULL), 0);
    struct crl_player player = crl_model_player(model);
    uint32_t n = 0, group = d->design->nodes / d->design->steps, none = (1u << d->port_bits) - 1;
    memset(f->memory + 0x3000, 0, 0x1000 * 2);
    for (int last = 0; !last; n++) {
        last = player.step(player.self, &valid, &data);
        for (uint32_t v = 0; v < d->design->nodes; v++) {
            uint16_t *line = f->memory + 0x3000 + ((n * d->design->steps + v / group) << d->trace_shift);
            uint32_t at = v % group * (16 + d->port_bits);
            uint32_t port = valid[v] ? (uint32_t)__builtin_ctz(valid[v]) : none;
            if (valid[v]) put_bits(line, at, 16, (uint32_t)data[v * d->design->ports + port]);
            put_bits(line, at + 16, d->port_bits, port);
        }
    }
    for (uint32_t v = 0; v < d->design->nodes; v++)
        for (uint32_t a = 0; a < 256; a++) {
            uint64_t word = 0;
            if (a < 1u << d->image->geometry.addr_width) crl_model_memory(model, v, 1, 0, 0, a, &word);
            f->memory[0x2000 + v * 256 + a] = (uint16_t)word;
        }
    if (d->spoil >= 0) f->memory[0x3000 + d->spoil] ^= 1;
    f->memory[0x17] = (uint16_t)n;
    f->memory[0x10] |= 1 << 4;
    crl_model_free(model);
}

static inline void design_control(struct fake_link *f, uint16_t bits)
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

// Puts the design of the board in this row of the board table behind the link.
static inline void design_open(struct design *d, struct fake_link *f, size_t kind, const struct crl_image *image,
                               const struct crl_problem *problem)
{
    static const struct {
        uint16_t registers[12];
        uint32_t port_bits, trace_shift, descriptor;
    } boards[] = {{{0xca11, 1, 1, 0x0100, 0, 0, 8, 3, 26, 16, 8, 1}, 2, 4, 0x1ff0},
                  {{0xca11, 1, 2, 0x0100, 0, 0, 16, 4, 26, 16, 8, 4}, 3, 3, 0x17f8}};
    size_t count;
    *d = (struct design){
        crl_board_designs(&count) + kind, image, problem, boards[kind].port_bits, boards[kind].trace_shift,
        boards[kind].descriptor,          0,     -1};
    memcpy(f->memory, boards[kind].registers, sizeof boards[kind].registers);
    f->pipe = (struct crl_pipe){f, 1, "testing", link_control, link_write, link_read};
    f->control = design_control;
    f->user = d;
}

// The words of a play's trace that differ from the schedule's.
static inline uint64_t design_mismatches(struct crl_board *board, struct unit *u, const struct crl_image *image)
{
    struct crl_expected *expected;
    struct crl_compared compared;
    static const char *const names[] = {"expected", "board"};
    assert_int_equal(crl_expected_new(&expected, &u->schedule, &u->problem, &image->geometry, 1, &u->diag), 0);
    const struct crl_player players[] = {crl_expected_player(expected), crl_board_player(board)};
    assert_int_equal(
        crl_compare(&compared, players, names, 2, image->nodes, image->geometry.ports, NULL, NULL, NULL, &u->diag), 0);
    crl_expected_free(expected);
    return compared.mismatches;
}

static inline const char *design_verdict(struct crl_board *board, struct unit *u, const struct crl_image *image)
{
    return crl_oracle(image, &u->problem, 1, crl_board_memory, board, NULL);
}

#endif
