// SPDX-License-Identifier: Apache-2.0
// Where the words of a bank lie in the model's memory. Routers write each arrival at an address of its own, so that
// banks are several times as large as what they hold at any time. Here addresses share a cell where a round never needs
// the words of both: one is read for the last time no later than the other is written for the first time. What a table
// reads before it was written keeps a cell to itself, so tables that read what they must not see what the RTL sees.
#include "base/base.h"
#include "model/state.h"
#include <stdlib.h>
#include <string.h>

enum { NEVER = UINT32_MAX };

// A row reads or writes an address.
struct event {
    uint32_t row, addr;
    uint8_t bank;
    bool writes;
};

// An address of a bank.
struct use {
    uint32_t written, last; // first row that writes it, last row that reads or writes it; NEVER
    uint32_t loads;         // nodes at which something lies there before a round
    bool loaded;            // whether that is so, or what lies there matters all the same
    bool stays;             // it is looked at after the round, or read before it was written
};

// The table whose banks are laid out.
struct layout {
    struct crl_model *m;
    struct crl_model_lane lane[CRL_BANKS_MAX];
    uint64_t banks; // that rows have to do with
    size_t map;     // where its addresses begin in `cell`
    struct event *event;
    size_t events, event_room;
    struct use *use; // of the addresses of all banks, as in `cell`
    size_t use_room;
    uint32_t *spare; // cells that are free again, of each bank from where its addresses begin
    size_t spare_room;
    uint32_t nodes; // that play the table
};

static void name_word(struct crl_model_lane *lane, uint32_t addr)
{
    if (!lane->words) lane->low = addr;
    if (addr < lane->low) {
        lane->words += lane->low - addr;
        lane->low = addr;
    }
    if (addr - lane->low >= lane->words) lane->words = addr - lane->low + 1;
}

static int list_event(struct layout *l, uint32_t row, uint32_t bank, uint32_t addr, bool writes)
{
    int error = crl_grow((void **)&l->event, &l->event_room, l->events, sizeof *l->event);
    if (error) return error;
    l->event[l->events++] = (struct event){row, addr, (uint8_t)bank, writes};
    name_word(&l->lane[bank], addr);
    return 0;
}

// Reads of a row come before its writes.
static int list_row(struct layout *l, uint32_t number, const struct crl_row_fields *f)
{
    const struct crl_geometry *g = &l->m->image->geometry;
    const struct crl_row *row = &f->row;
    uint32_t counter = number & ((UINT32_C(1) << g->addr_width) - 1);
    int error = 0;
    for (uint64_t banks = g->storeless && !g->combine ? 0 : f->shown; banks && !error; banks &= banks - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(banks);
        if (row->bank[bank].byp || (g->combine && row->bank[bank].dly)) continue;
        error = list_event(l, number, bank, row->bank[bank].raddr, false);
    }
    for (uint64_t banks = g->combine ? UINT64_MAX : f->keeps; banks && !error; banks &= banks - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(banks);
        if (b >= g->banks) break;
        if (!row->bank[b].wen && !(g->combine && row->bank[b].byp)) continue;
        error = list_event(l, number, b, g->waddr_field ? row->bank[b].waddr : counter, true);
        if (!error && row->bank[b].flip) error = list_event(l, number, b, row->bank[b].waddr ^ 1, true);
    }
    return error;
}

static int list_events(struct layout *l, uint32_t table)
{
    const struct crl_row_store *s = &l->m->image->store;
    int error = 0;
    struct crl_row_fields room;
    l->events = 0;
    l->banks = 0;
    for (size_t i = s->first[table]; i < s->first[table + 1] && !error; i++) {
        const struct crl_row_fields *f = crl_row_read(&l->m->reader, s->use[i].bits, &room);
        l->banks |= (f->shown | f->keeps) & ~f->passes;
        error = list_row(l, s->use[i].row, f);
    }
    return error;
}

// ---- what lies in memories before and after a round

static struct use *use_of(struct layout *l, uint32_t bank, uint32_t addr)
{
    return &l->use[l->lane[bank].map - l->map + addr - l->lane[bank].low];
}

static void name_places(struct layout *l, const struct crl_places *places)
{
    for (uint32_t k = 0; k < places->count; k++) name_word(&l->lane[places->place[k].bank], places->place[k].addr);
}

static void load(struct layout *l, uint32_t bank, uint32_t addr)
{
    struct use *use = use_of(l, bank, addr);
    use->loads += l->m->image->folded ? l->nodes : 1;
    use->loaded = true;
}

static void mark_places(struct layout *l, const struct crl_places *before, const struct crl_places *after)
{
    for (uint32_t k = 0; k < before->count; k++) load(l, before->place[k].bank, before->place[k].addr);
    for (uint32_t k = 0; k < after->count; k++) use_of(l, after->place[k].bank, after->place[k].addr)->stays = true;
}

// Calls for every set of places of the nodes that play a table.
static void each_places(struct layout *l, uint32_t table, bool mark)
{
    const struct crl_image *image = l->m->image;
    const struct crl_model_group *group = &l->m->group[table];
    for (uint32_t i = 0; i < (image->folded ? 1 : group->count) && !image->geometry.streams; i++) {
        uint32_t set = image->folded ? 0 : l->m->node[group->first + i];
        if (mark) {
            mark_places(l, &image->before[set], &image->after[set]);
        } else {
            name_places(l, &image->before[set]);
            name_places(l, &image->after[set]);
        }
    }
    for (uint32_t i = 0; i < image->zeros; i++) {
        const struct crl_zero *z = &image->zero[i];
        if (image->node_table[z->set] != table) continue;
        if (mark) load(l, z->bank, z->addr);
        else name_word(&l->lane[z->bank], z->addr);
    }
}

// ---- cells

// A read sees what was written two rows before, or earlier. What it sees that nobody wrote is garbage where nothing was
// loaded, and that stays, too.
static void note_uses(struct layout *l)
{
    for (size_t i = 0; i < l->events; i++) {
        const struct event *e = &l->event[i];
        struct use *use = use_of(l, e->bank, e->addr);
        use->last = e->row;
        if (e->writes && use->written == NEVER) use->written = e->row;
        bool old = use->written == NEVER || use->written + 2 > e->row;
        if (!e->writes && use->loads < l->nodes && old) use->stays = use->loaded = true;
    }
}

static uint32_t *cell_of(struct layout *l, uint32_t bank, uint32_t addr)
{
    return &l->m->cell[l->lane[bank].map + addr - l->lane[bank].low];
}

static uint32_t *spare_of(struct layout *l, uint32_t bank) { return l->spare + (l->lane[bank].map - l->map); }

static void share_cells(struct layout *l)
{
    uint32_t spare[CRL_BANKS_MAX] = {0};
    for (size_t i = 0; i < l->events; i++) {
        const struct event *e = &l->event[i];
        struct use *use = use_of(l, e->bank, e->addr);
        uint32_t *cell = cell_of(l, e->bank, e->addr);
        if (e->writes && *cell == NEVER)
            *cell = spare[e->bank] ? spare_of(l, e->bank)[--spare[e->bank]] : l->lane[e->bank].cells++;
        if (use->last != e->row || use->stays) continue;
        use->stays = true; // a row may read and write it: free it once
        spare_of(l, e->bank)[spare[e->bank]++] = *cell;
    }
}

// Of those that hold something from the start of a round on, and of banks whose rounds overlap or whose words are added
// to, each has one to itself.
static void give_cells(struct layout *l)
{
    const struct crl_geometry *g = &l->m->image->geometry;
    const bool shared = !g->streams && !g->combine;
    for (uint32_t b = 0; b < g->banks; b++) {
        struct crl_model_lane *lane = &l->lane[b];
        for (uint32_t k = 0; k < lane->words; k++) {
            const struct use *use = use_of(l, b, lane->low + k);
            bool alone = !shared || use->loaded || (use->stays && use->written == NEVER);
            l->m->cell[lane->map + k] = alone ? lane->cells++ : NEVER;
        }
        lane->alone = lane->cells;
    }
    if (shared) share_cells(l);
}

static int make_room(void **array, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room) return 0;
    size_t more = wanted + *room / 2;
    void *grown = more > SIZE_MAX / size ? NULL : realloc(*array, more * size);
    if (!grown) return CRL_ERR_MEMORY;
    *array = grown;
    *room = more;
    return 0;
}

static int lay_out(struct layout *l, uint32_t table)
{
    struct crl_model *m = l->m;
    const uint32_t banks = m->image->geometry.banks;
    size_t words = 0;
    memset(l->lane, 0, sizeof *l->lane * banks);
    l->map = m->addresses;
    l->nodes = m->group[table].count;
    int error = list_events(l, table);
    if (error) return error;
    each_places(l, table, false);
    for (uint32_t b = 0; b < banks; b++) {
        l->lane[b].map = m->addresses + words;
        words += l->lane[b].words;
    }
    if (words * (m->group[table].count + UINT64_C(1)) >> CRL_MODEL_WORDS_BITS) return CRL_ERR_LIMIT;
    error = make_room((void **)&m->cell, &m->cell_room, m->addresses + words, sizeof *m->cell);
    if (!error) error = make_room((void **)&l->use, &l->use_room, words, sizeof *l->use);
    if (!error) error = make_room((void **)&l->spare, &l->spare_room, words, sizeof *l->spare);
    if (error) return error;
    m->addresses += words;
    for (size_t k = 0; k < words; k++) l->use[k] = (struct use){NEVER, NEVER, 0, false, false};
    each_places(l, table, true);
    note_uses(l);
    give_cells(l);
    m->group[table].lane = m->lanes;
    for (uint32_t b = 0; b < banks && !error; b++) {
        l->lane[b].base = m->words;
        m->words += (size_t)l->lane[b].cells * m->group[table].count;
        if (!l->lane[b].words && !(l->banks >> b & 1)) continue;
        error = crl_grow((void **)&m->lane, &m->lane_room, m->lanes, sizeof *m->lane);
        if (!error) m->lane[m->lanes++] = l->lane[b];
        m->group[table].banks |= UINT64_C(1) << b;
    }
    return error;
}

int crl_model_lay_out(struct crl_model *m)
{
    struct layout l = {.m = m};
    int error = 0;
    for (uint32_t t = 0; t < m->image->tables && !error; t++) error = lay_out(&l, t);
    CRL_FREE(l.event, l.use, l.spare);
    return error;
}
