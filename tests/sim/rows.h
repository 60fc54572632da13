// SPDX-License-Identifier: Apache-2.0
/* Packs schedule rows, from docs/formats/row.md alone, so that the tests share no code with the compiler. */
#ifndef CRL_TEST_ROWS_H
#define CRL_TEST_ROWS_H

#include "crl_sim.h"

#include <stdint.h>
#include <string.h>

enum { ROW_BANKS_MAX = 32, ROW_LANES_MAX = 32, ROW_WORDS_MAX = 64 };

/* Fields of a row, in the words of row.md. */
struct row {
    struct {
        uint32_t raddr, byp, dly, wen, wsel, waddr;
    } bank[ROW_BANKS_MAX];
    struct {
        uint32_t ov, osel, oport;
    } out[ROW_LANES_MAX];
    struct {
        uint32_t exp, iport;
    } in[ROW_LANES_MAX];
};

static inline uint32_t row_clog2(uint32_t n)
{
    uint32_t bits = 0;

    while ((UINT32_C(1) << bits) < n) bits++;
    return bits;
}

static inline void row_put(uint32_t *words, uint32_t *at, uint32_t bits, uint32_t value)
{
    for (uint32_t i = 0; i < bits; i++, (*at)++) words[*at / 32] |= (value >> i & 1) << *at % 32;
}

/* Packs one row; returns its number of bits. words: at least ROW_WORDS_MAX. */
static inline uint32_t row_pack(const struct crl_sim_router *p, const struct row *row, uint32_t *words)
{
    const uint32_t gw = row_clog2((p->ports + p->lanes - 1) / p->lanes);
    const bool direct = p->banks < p->lanes;
    const uint32_t sw = row_clog2(direct ? p->lanes + p->banks : p->banks);
    const uint32_t xw = p->write_xbar ? row_clog2(p->lanes) : 0;
    uint32_t at = 1, ones = 0;

    memset(words, 0, ROW_WORDS_MAX * sizeof *words);
    for (uint32_t b = 0; b < p->banks; b++) {
        row_put(words, &at, p->addr_width, row->bank[b].raddr);
        row_put(words, &at, direct ? 0 : 1, row->bank[b].byp);
        row_put(words, &at, p->delay, row->bank[b].dly);
        row_put(words, &at, 1, row->bank[b].wen);
        row_put(words, &at, xw, row->bank[b].wsel);
        row_put(words, &at, p->waddr_field ? p->addr_width : 0, row->bank[b].waddr);
    }
    for (uint32_t j = 0; j < p->lanes; j++) {
        row_put(words, &at, 1, row->out[j].ov);
        row_put(words, &at, sw, row->out[j].osel);
        row_put(words, &at, gw, row->out[j].oport);
    }
    for (uint32_t j = 0; j < p->lanes; j++) {
        row_put(words, &at, 1, row->in[j].exp);
        row_put(words, &at, gw, row->in[j].iport);
    }
    for (uint32_t i = 1; i < at; i++) ones += words[i / 32] >> i % 32 & 1;
    words[0] |= ones & 1;
    return at;
}

#endif
