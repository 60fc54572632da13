// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an image as docs/formats/row.md has it, a node at a time, and holds them against the schedule:
// what each node takes in, keeps, reads and sends in each link cycle, and which words it uses.
#ifndef UNIT_TABLES_H
#define UNIT_TABLES_H

#include "unit.h"

// Names of packets in words and on links: origin·2^32 + dest.
#define TABLES_NOTHING UINT64_MAX

struct tables_word { // of a bank
    uint64_t name;
    uint32_t from, last; // cycle written (0: loaded) and last read (0: never)
};

struct tables {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint32_t cycles;
    uint64_t *sent;  // [nodes][cycles + 2][ports] by the schedule
    uint32_t wasted; // words a bank has beyond the least, over all
};

static inline uint32_t tables_cycle(const struct crl_image *image, uint32_t slot, uint32_t port)
{
    const struct crl_geometry *g = &image->geometry;
    if (image->port_model == CRL_PORTS_SINGLE) return slot;
    return (slot - 1) * ((g->ports + g->lanes - 1) / g->lanes) + port / g->lanes + 1;
}

static inline uint64_t *tables_sent(const struct tables *t, uint32_t node, uint32_t cycle, uint32_t port)
{
    return &t->sent[((size_t)node * (t->cycles + 2) + cycle) * t->image->geometry.ports + port];
}

static inline uint64_t tables_name(const struct tables *t, const struct crl_place *p, uint32_t node)
{
    bool pair = crl_problem_naming(t->problem) == CRL_NAMING_PAIR;
    uint32_t by = t->image->folded ? node : 0;
    return (uint64_t)(p->origin ^ by) << 32 | (pair ? p->dest ^ by : 0);
}

// The words of one bank, by address, with those gone by in `lives`.
struct tables_bank {
    struct tables_word *word; // [2^addr_width], NOTHING where none
    struct tables_word *life;
    uint32_t lives, depth; // words in use are below `depth`
    uint32_t zero;         // address of the word of zeros, or CRL_NONE
    bool zero_read;
    struct tables_word in_flight[2];
    uint32_t in_flight_addr[2]; // of the arrival of the row before, and of the one before that; CRL_NONE: none
};

static inline void tables_use(struct tables_bank *b, uint32_t addr, uint32_t addr_width)
{
    assert_true(addr < 1u << addr_width);
    if (addr >= b->depth) b->depth = addr + 1;
}

// A write becomes visible.
static inline void tables_commit(struct tables_bank *b, int i)
{
    uint32_t addr = b->in_flight_addr[i];
    if (addr == CRL_NONE) return;
    if (b->word[addr].name != TABLES_NOTHING) b->life[b->lives++] = b->word[addr];
    assert_true(addr != b->zero);
    b->word[addr] = b->in_flight[i];
    b->in_flight_addr[i] = CRL_NONE;
}

// The packet that bank b, listening to `live`, gives to the departures of link cycle `cycle`.
static inline uint64_t tables_value(struct tables_bank *b, const struct crl_row *row, uint32_t bank, uint64_t live,
                                    uint64_t delayed, uint32_t cycle, uint32_t addr_width)
{
    uint32_t addr = row->bank[bank].raddr;
    if (row->bank[bank].byp) return live;
    tables_use(b, addr, addr_width);
    assert_true(addr != b->in_flight_addr[0]); // the write of cycle − 2 and this read meet at one edge
    if (delayed != TABLES_NOTHING) {
        assert_true(addr == b->zero);
        b->zero_read = true;
        return delayed;
    }
    assert_true(b->word[addr].name != TABLES_NOTHING && addr != b->zero);
    b->word[addr].last = cycle;
    return b->word[addr].name;
}

static inline void tables_load(struct tables *t, uint32_t node, struct tables_bank *banks)
{
    const struct crl_geometry *g = &t->image->geometry;
    const struct crl_places *before = &t->image->before[t->image->folded ? 0 : node];
    for (uint32_t b = 0; b < g->banks; b++) {
        size_t words = (size_t)1 << g->addr_width;
        banks[b] = (struct tables_bank){malloc(sizeof(struct tables_word) * words),
                                        malloc(sizeof(struct tables_word) * (words + t->cycles + 1)),
                                        0,
                                        0,
                                        crl_image_zero(t->image, t->image->folded ? 0 : node, b),
                                        false,
                                        {{0}},
                                        {CRL_NONE, CRL_NONE}};
        if (banks[b].zero != CRL_NONE) tables_use(&banks[b], banks[b].zero, g->addr_width);
        for (size_t i = 0; i < words; i++) banks[b].word[i] = (struct tables_word){TABLES_NOTHING, 0, 0};
    }
    for (uint32_t i = 0; i < before->count; i++) {
        const struct crl_place *p = &before->place[i];
        assert_true(p->bank < g->banks);
        tables_use(&banks[p->bank], p->addr, g->addr_width);
        assert_true(banks[p->bank].word[p->addr].name == TABLES_NOTHING &&
                    p->addr != banks[p->bank].zero); // places are distinct
        banks[p->bank].word[p->addr].name = tables_name(t, p, node);
        uint64_t index =
            crl_problem_index(t->problem, (uint32_t)(tables_name(t, p, node) >> 32), (uint32_t)tables_name(t, p, node));
        assert_true(index != UINT64_MAX && tables_name(t, p, node) >> 32 == node);
    }
}

// What the node must hold, it holds, each packet in one word.
static inline void tables_keep(struct tables *t, uint32_t node, struct tables_bank *banks)
{
    const struct crl_places *after = &t->image->after[t->image->folded ? 0 : node];
    assert_int_equal(after->count, crl_problem_wanted(t->problem, node));
    for (uint32_t i = 0; i < after->count; i++) {
        const struct crl_place *p = &after->place[i];
        uint64_t name = tables_name(t, p, node);
        assert_true(crl_problem_wants(t->problem, (uint32_t)(name >> 32), (uint32_t)name, node));
        assert_true(crl_problem_index(t->problem, (uint32_t)(name >> 32), (uint32_t)name) != UINT64_MAX);
        struct tables_word *word = &banks[p->bank].word[p->addr];
        assert_true(word->name == name);
        assert_true(word->last != CRL_NONE); // not kept twice
        word->last = CRL_NONE;
    }
}

// The least words bank b could do with: as many as live at once at most. The word of a packet that arrives in cycle a
// may be that of one last read in cycle a + 1.
static inline uint32_t tables_least(const struct tables_bank *b, uint32_t cycles)
{
    uint32_t most = 0;
    for (uint32_t a = 0; a <= cycles; a++) {
        uint32_t now = 0;
        for (uint32_t i = 0; i < b->lives; i++) {
            assert_true(b->life[i].last); // nothing is stored for nothing
            now += b->life[i].from == a || (b->life[i].from < a && b->life[i].last > a + 1);
        }
        if (now > most) most = now;
    }
    return most + (b->zero != CRL_NONE);
}

static inline void tables_row(struct tables *t, uint32_t node, uint32_t r, struct tables_bank *banks, uint64_t *delayed)
{
    const struct crl_geometry *g = &t->image->geometry;
    struct crl_row row;
    uint64_t in[CRL_PORTS_MAX], input[CRL_PORTS_MAX], value[CRL_BANKS_MAX], out[CRL_PORTS_MAX];
    uint32_t expected = 0, arrives = 0;
    assert_true(crl_row_unpack(g, crl_image_row(t->image, t->image->node_table[node], r), &row));
    for (uint32_t p = 0; p < g->ports; p++) { // what arrives in link cycle r
        in[p] = r ? *tables_sent(t, node ^ 1u << p, r, p) : TABLES_NOTHING;
        arrives |= (uint32_t)(in[p] != TABLES_NOTHING) << p;
        out[p] = TABLES_NOTHING;
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t port = j + g->lanes * row.lane[j].iport;
        input[j] = row.lane[j].exp ? in[port] : TABLES_NOTHING;
        if (row.lane[j].exp) expected |= 1u << port;
    }
    assert_int_equal(expected, arrives);
    for (uint32_t b = 0; b < g->banks; b++) {
        struct tables_bank *bank = &banks[b];
        uint64_t live = input[g->write_xbar ? row.bank[b].wsel : b];
        bool read = false;
        tables_commit(bank, 1); // arrivals of cycle r − 2 are seen by reads for cycle r + 1
        bank->in_flight[1] = bank->in_flight[0];
        for (uint32_t j = 0; j < g->lanes; j++)
            read |= row.lane[j].ov && row.lane[j].osel == crl_geometry_bank_select(g, b);
        if (read) value[b] = tables_value(bank, &row, b, live, delayed[b], r + 1, g->addr_width);
        delayed[b] = row.bank[b].dly ? live : TABLES_NOTHING;
        if (row.bank[b].dly) assert_true(live != TABLES_NOTHING);
        bank->in_flight_addr[1] = bank->in_flight_addr[0];
        bank->in_flight_addr[0] = row.bank[b].wen ? g->waddr_field ? row.bank[b].waddr : r : CRL_NONE;
        bank->in_flight[0] = (struct tables_word){live, r, 0};
        if (!row.bank[b].wen) continue;
        assert_true(live != TABLES_NOTHING);
        tables_use(bank, bank->in_flight_addr[0], g->addr_width);
    }
    for (uint32_t j = 0; j < g->lanes; j++)
        if (row.lane[j].ov) {
            bool live = crl_geometry_is_direct(g) && row.lane[j].osel < g->lanes;
            uint32_t bank = row.lane[j].osel - crl_geometry_bank_select(g, 0);
            out[j + g->lanes * row.lane[j].oport] = live ? input[row.lane[j].osel] : value[bank];
        }
    for (uint32_t p = 0; p < g->ports; p++) assert_true(out[p] == *tables_sent(t, node, r + 1, p));
}

static inline void tables_node(struct tables *t, uint32_t node)
{
    const struct crl_geometry *g = &t->image->geometry;
    struct tables_bank banks[CRL_BANKS_MAX];
    uint64_t delayed[CRL_BANKS_MAX];
    tables_load(t, node, banks);
    for (uint32_t b = 0; b < g->banks; b++) delayed[b] = TABLES_NOTHING;
    for (uint32_t r = 0; r < g->rows; r++) tables_row(t, node, r, banks, delayed);
    for (uint32_t b = 0; b < g->banks; b++) {
        tables_commit(&banks[b], 1);
        tables_commit(&banks[b], 0);
    }
    tables_keep(t, node, banks);
    for (uint32_t b = 0; b < g->banks; b++) {
        assert_int_equal(banks[b].zero_read, banks[b].zero != CRL_NONE); // there where it is needed
        for (uint32_t a = 0; a < 1u << g->addr_width; a++)
            if (banks[b].word[a].name != TABLES_NOTHING) banks[b].life[banks[b].lives++] = banks[b].word[a];
        t->wasted += banks[b].depth - tables_least(&banks[b], t->cycles);
        free(banks[b].word);
        free(banks[b].life);
    }
}

// Checks all tables of an image against the schedule it was made from; returns the words wasted.
static inline uint32_t tables_check(const struct crl_image *image, const struct unit *u)
{
    const struct crl_geometry *g = &image->geometry;
    struct tables t = {image, &u->problem, image->link_cycles, NULL, 0};
    struct crl_schedule full;
    size_t cells = (size_t)image->nodes * (t.cycles + 2) * g->ports;
    assert_int_equal(crl_schedule_expand(&full, &u->schedule, NULL), 0);
    assert_int_equal(g->rows, image->link_cycles + 1);
    assert_int_equal(image->link_cycles, tables_cycle(image, crl_schedule_slots(&full), g->ports - 1));
    t.sent = malloc(sizeof *t.sent * cells);
    assert_non_null(t.sent);
    for (size_t i = 0; i < cells; i++) t.sent[i] = TABLES_NOTHING;
    for (size_t i = 0; i < full.count; i++) {
        const struct crl_move *m = &full.moves[i];
        uint32_t port = (uint32_t)__builtin_ctz(m->src ^ m->dst);
        *tables_sent(&t, m->src, tables_cycle(image, m->slot, port), port) = (uint64_t)m->origin << 32 | m->dest;
    }
    for (uint32_t v = 0; v < image->nodes; v++) tables_node(&t, v);
    free(t.sent);
    crl_schedule_done(&full);
    return t.wasted;
}

#endif
