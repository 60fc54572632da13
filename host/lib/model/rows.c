// SPDX-License-Identifier: Apache-2.0
// What a row does, as docs/formats/row.md says: for all nodes of its table at once.
#include "base/base.h"
#include "image/row.h"
#include "model/state.h"
#include "trace/busy.h"
#include <string.h>

// A row in play.
struct play {
    struct crl_model *m;
    const struct crl_row_fields *fields;
    const struct crl_row *row;
    uint32_t next; // bits of the next row; CRL_NONE: that is idle, or of another round
    const struct crl_model_group *group;
    const uint32_t *reach; // [ports]
    uint32_t have;         // lanes whose live input is in `input`
    uint32_t expected;     // ports
};

// A word of a bank, of all nodes of the group.
static uint64_t *word_row(const struct play *p, uint32_t bank, uint32_t addr)
{
    const struct crl_model_lane *lane = crl_model_lane(p->m, p->group, bank);
    return p->m->memory + lane->base + (size_t)p->m->cell[lane->map + addr - lane->low] * p->group->count;
}

static uint32_t write_addr(const struct crl_model *m, const struct crl_row *row, uint32_t bank)
{
    const struct crl_geometry *g = &m->image->geometry;
    return g->waddr_field ? row->bank[bank].waddr : m->number & ((UINT32_C(1) << g->addr_width) - 1);
}

// ---- live inputs

// The words that arrive by a port, at all positions of a group.
static void take_in(const struct crl_model *m, const struct crl_model_group *group, uint32_t port, uint64_t *to)
{
    const uint32_t ports = m->image->geometry.ports, *sent = m->sent;
    const uint64_t *data = m->data;
    if (port >= ports) {
        for (uint32_t i = 0; i < group->count; i++) to[i] = m->idle;
        return;
    }
    const uint32_t *source = m->source + (size_t)port * m->nodes + group->first;
    if (m->whole && sent[0] >> port & 1) { // then all sent
        for (uint32_t i = 0; i < group->count; i++) to[i] = data[(size_t)source[i] * ports + port];
        return;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        bool word = source[i] != CRL_NONE && sent[source[i]] >> port & 1;
        to[i] = word ? data[(size_t)source[i] * ports + port] : m->idle;
    }
}

static uint32_t port_in(const struct play *p, uint32_t lane)
{
    return lane + p->m->image->geometry.lanes * p->row->lane[lane].iport;
}

// What is shown by what there is not.
static const uint64_t *nothing(struct play *p)
{
    memset(p->m->value, 0, sizeof *p->m->value * p->group->count);
    return p->m->value;
}

// The live input of a lane, which only those rows name that an altered table has if it is none.
static const uint64_t *live(struct play *p, uint32_t lane)
{
    struct crl_model *m = p->m;
    if (lane >= m->image->geometry.lanes) return nothing(p);
    uint64_t *input = m->input + (size_t)lane * m->nodes;
    if (!(p->have >> lane & 1)) take_in(m, p->group, port_in(p, lane), input);
    p->have |= UINT32_C(1) << lane;
    return input;
}

static uint32_t lane_of(const struct play *p, uint32_t bank)
{
    return p->m->image->geometry.write_xbar ? p->row->bank[bank].wsel : bank;
}

// ---- outputs

// A sum that lies in a bank. What a read of the word that the row before wrote returns is undefined.
static const uint64_t *stored_sum(struct play *p, uint32_t bank, uint32_t addr)
{
    struct crl_model *m = p->m;
    const struct crl_model_lane *lane = crl_model_lane(p->m, p->group, bank);
    if (!lane->shadow_step || lane->shadow_step + 1 != m->step || lane->shadow_addr != addr)
        return word_row(p, bank, addr);
    for (uint32_t i = 0; i < p->group->count; i++) m->value[i] = m->idle;
    return m->value;
}

// What a bank that adds up shows: the sum as it becomes, the one that was written last, or one that lies there.
static const uint64_t *shown_sum(struct play *p, uint32_t bank)
{
    struct crl_model *m = p->m;
    const size_t at = (size_t)bank * m->nodes + p->group->first;
    if (p->row->bank[bank].byp) return m->delayed + at;
    return p->row->bank[bank].dly ? m->shadow + at : stored_sum(p, bank, p->row->bank[bank].raddr);
}

// What a bank's lane shows.
static const uint64_t *shown(struct play *p, uint32_t bank)
{
    struct crl_model *m = p->m;
    if (m->image->geometry.combine) return shown_sum(p, bank);
    if (p->row->bank[bank].byp) return live(p, lane_of(p, bank));
    const struct crl_model_lane *lane = crl_model_lane(m, p->group, bank);
    uint32_t addr = p->row->bank[bank].raddr;
    const size_t at = (size_t)bank * m->nodes + p->group->first;
    bool shadowed = lane->shadow_step && lane->shadow_step + 1 == m->step && lane->shadow_addr == addr;
    if (m->image->geometry.storeless) return p->row->bank[bank].own ? m->streams->own + at : nothing(p);
    const uint64_t *word = shadowed ? m->shadow + at : word_row(p, bank, addr);
    bool delayed = lane->delayed_step && lane->delayed_step + 1 == m->step, own = p->row->bank[bank].own;
    if (!delayed && !own) return word;
    for (uint32_t i = 0; i < p->group->count; i++)
        m->value[i] = word[i] | (delayed ? m->delayed[at + i] : 0) | (own ? m->streams->own[at + i] : 0);
    return m->value;
}

// The words that an output sends: of a live input, or what a bank's lane shows; 0 if it names neither.
static const uint64_t *selected(struct play *p, uint32_t osel)
{
    const struct crl_geometry *g = &p->m->image->geometry;
    if (crl_geometry_is_direct(g) && osel < g->lanes) return live(p, osel);
    uint32_t bank = osel - crl_geometry_bank_select(g, 0);
    return bank < g->banks ? shown(p, bank) : live(p, g->lanes);
}

static void send_words(struct play *p)
{
    struct crl_model *m = p->m;
    const struct crl_geometry *g = &m->image->geometry;
    const uint32_t *node = m->node + p->group->first;
    uint32_t ports = 0;
    for (uint32_t lanes = p->fields->sends; lanes; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(lanes), port = j + g->lanes * p->row->lane[j].oport;
        if (port >= g->ports) continue;
        const uint64_t *from = selected(p, p->row->lane[j].osel);
        uint64_t *to = m->leaving + port;
        for (uint32_t i = 0; i < p->group->count; i++) to[(size_t)node[i] * g->ports] = from[i];
        m->under_way += p->reach[port];
        ports |= UINT32_C(1) << port;
    }
    for (uint32_t i = 0; ports && i < p->group->count; i++) {
        m->sending[node[i]] = ports;
        crl_busy_set(m->stirring, node[i]);
    }
}

// ---- what is kept

// Reads of the next row do not see what this one writes.
static void keep_shadow(struct play *p, uint32_t bank, uint32_t addr)
{
    struct crl_model *m = p->m;
    if (p->next == CRL_NONE) return;
    struct crl_row_fields room;
    const struct crl_row_fields *next = crl_row_read(&m->reader, p->next, &room);
    bool reads = next->shown >> bank & 1 && !next->row.bank[bank].byp;
    if (!reads || next->row.bank[bank].raddr != addr) return;
    memcpy(m->shadow + (size_t)bank * m->nodes + p->group->first, word_row(p, bank, addr),
           sizeof *m->shadow * p->group->count);
    struct crl_model_lane *lane = crl_model_lane(m, p->group, bank);
    lane->shadow_step = m->step;
    lane->shadow_addr = addr;
}

static void keep(struct play *p, uint32_t bank)
{
    struct crl_model *m = p->m;
    uint32_t lane = lane_of(p, bank), first = p->group->first;
    bool stored = p->row->bank[bank].wen, fresh = lane < m->image->geometry.lanes && !(p->have >> lane & 1);
    if (p->row->bank[bank].dly) {
        memcpy(m->delayed + (size_t)bank * m->nodes + first, live(p, lane), sizeof *m->delayed * p->group->count);
        crl_model_lane(m, p->group, bank)->delayed_step = m->step;
        fresh = false;
    }
    if (!stored) return;
    uint32_t addr = write_addr(m, p->row, bank);
    keep_shadow(p, bank, addr);
    uint64_t *word = word_row(p, bank, addr);
    if (fresh) take_in(m, p->group, port_in(p, lane), word); // nobody else looks at it
    else memcpy(word, live(p, lane), sizeof *word * p->group->count);
}

// ---- sums: as they become in `delayed`, as they were written last in `shadow`

static uint64_t *sum_row(const struct play *p, uint64_t *of, uint32_t bank)
{
    return of + (size_t)bank * p->m->nodes + p->group->first;
}

static void add_word(const struct play *p, uint64_t *sum, const uint64_t *word, bool *any)
{
    const struct crl_geometry *g = &p->m->image->geometry;
    for (uint32_t i = 0; i < p->group->count; i++)
        sum[i] = *any ? crl_op_apply(crl_geometry_op(g), g->data_width, sum[i], word[i]) : word[i];
    *any = true;
}

static void add_up(struct play *p, uint32_t bank)
{
    struct crl_model *m = p->m;
    const struct crl_geometry *g = &m->image->geometry;
    uint64_t *sum = sum_row(p, m->delayed, bank);
    bool any = !p->row->bank[bank].set;
    uint32_t from = p->row->bank[bank].waddr ^ p->row->bank[bank].flip;
    const uint64_t *before = p->row->bank[bank].fwd ? sum_row(p, m->shadow, bank)
                             : any                  ? stored_sum(p, bank, from)
                                                    : NULL;
    if (any) memcpy(sum, before, sizeof *sum * p->group->count);
    for (uint32_t j = 0; g->streams && j < g->lanes; j++) // own words come first
        if (p->row->bank[bank].wsel >> (g->lanes + j) & 1) add_word(p, sum, sum_row(p, m->streams->own, j), &any);
    for (uint32_t j = 0; j < g->lanes; j++) {
        if (!(p->row->bank[bank].wsel >> j & 1)) continue;
        add_word(p, sum, live(p, j), &any);
    }
}

static void write_sum(struct play *p, uint32_t bank)
{
    struct crl_model *m = p->m;
    const uint64_t *sum = sum_row(p, m->delayed, bank);
    memcpy(sum_row(p, m->shadow, bank), sum, sizeof *sum * p->group->count);
    memcpy(word_row(p, bank, p->row->bank[bank].waddr), sum, sizeof *sum * p->group->count);
    struct crl_model_lane *lane = crl_model_lane(m, p->group, bank);
    lane->shadow_step = m->step;
    lane->shadow_addr = p->row->bank[bank].waddr;
}

// ---- the guard

void crl_model_note(struct crl_model *m, uint64_t *events, uint32_t node, uint32_t port)
{
    const struct crl_faults *f = &m->faults;
    if (!f->missing && !f->unexpected && !f->parity && !f->starved && !f->astray) {
        m->faults.node = node;
        m->faults.port = port;
        m->faults.slot = m->number;
    }
    ++*events;
}

static uint32_t arrived(const struct crl_model *m, uint32_t position)
{
    uint32_t ports = 0;
    for (uint32_t p = 0; p < m->image->geometry.ports; p++) {
        uint32_t from = m->source[(size_t)p * m->nodes + position];
        if (from != CRL_NONE && m->sent[from] >> p & 1) ports |= UINT32_C(1) << p;
    }
    return ports;
}

// Compares the ports that words came in on with those the row names; idle: NULL.
static void guard(struct crl_model *m, uint32_t node, uint32_t position, const struct crl_row_fields *f)
{
    const uint32_t expected = f ? f->expects : 0, came = arrived(m, position);
    for (uint32_t lanes = f ? f->nowhere : 0; lanes; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(lanes);
        crl_model_note(m, &m->faults.missing, node, j + m->image->geometry.lanes * f->row.lane[j].iport);
    }
    if (expected & ~came) crl_model_note(m, &m->faults.missing, node, (uint32_t)__builtin_ctz(expected & ~came));
    if (came & ~expected) crl_model_note(m, &m->faults.unexpected, node, (uint32_t)__builtin_ctz(came & ~expected));
}

// How many words came to the group where its row expects them; UINT64_MAX if one did not.
static uint64_t count_expected(const struct crl_model *m, const struct crl_model_group *group,
                               const struct crl_row_fields *fields)
{
    uint64_t count = 0;
    uint32_t ports = fields->expects;
    if (fields->nowhere) return UINT64_MAX;
    if (m->whole) return ports == m->sent[0] ? (uint64_t)__builtin_popcount(ports) * group->count : UINT64_MAX;
    for (; ports; ports &= ports - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(ports);
        const uint32_t *source = m->source + (size_t)port * m->nodes + group->first;
        for (uint32_t i = 0; i < group->count; i++, count++)
            if (source[i] == CRL_NONE || !(m->sent[source[i]] >> port & 1)) return UINT64_MAX;
    }
    return count;
}

// ---- a row of all tables

// Something is not as expected: looks at every node, in their order.
static void find_faults(struct crl_model *m, size_t end)
{
    struct crl_row_fields room;
    for (size_t i = m->next; i < end; i++)
        if (!m->first && m->odd[m->play[i].bits]) crl_model_note(m, &m->faults.parity, m->play[i].table, 0);
    for (uint32_t v = m->first; v < m->first + m->nodes; v++) {
        uint32_t t = m->image->node_table[v];
        size_t use = m->next; // its table's, if it is not idle: tables ascend
        for (size_t most = end; use < most;) {
            size_t middle = use + (most - use) / 2;
            if (m->play[middle].table < t) use = middle + 1;
            else most = middle;
        }
        bool acts = use < end && m->play[use].table == t;
        guard(m, v, m->position[v], acts && m->arrives ? crl_row_read(&m->reader, m->play[use].bits, &room) : NULL);
    }
}

static void play_use(struct crl_model *m, const struct crl_row_play *play)
{
    const uint32_t t = play->table;
    struct crl_row_fields room;
    const struct crl_row_fields *f = crl_row_read(&m->reader, play->bits, &room);
    struct play p = {.m = m,
                     .fields = f,
                     .row = &f->row,
                     .next = play->next,
                     .group = &m->group[t],
                     .reach = m->reach + (size_t)t * m->image->geometry.ports};
    const struct crl_geometry *g = &m->image->geometry;
    for (uint64_t b = m->departs ? f->takes : 0; b; b &= b - 1)
        crl_model_streams_take(m, t, (uint32_t)__builtin_ctzll(b));
    for (uint32_t b = 0; g->combine && b < g->banks; b++)
        if (p.row->bank[b].wen || p.row->bank[b].byp) add_up(&p, b);
    if (m->departs) send_words(&p);
    for (uint32_t lanes = m->streams && m->arrives ? f->shows : 0; lanes; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(lanes);
        crl_model_streams_show(m, t, j, g->combine ? selected(&p, p.row->lane[j].ssel) : live(&p, j));
    }
    for (uint64_t banks = m->arrives ? f->keeps : 0; banks; banks &= banks - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(banks);
        if (!g->combine) keep(&p, b);
        else if (p.row->bank[b].wen) write_sum(&p, b);
    }
}

// What a row reads and writes lies far from what the one before did, and is fetched some time before.
static void fetch(const struct crl_model *m, const struct crl_row_play *play)
{
    if (!m->reader.kept || play->table == CRL_NONE || !m->group[play->table].count) return;
    const struct crl_row_fields *f = &m->reader.kept[play->bits];
    const uint32_t first = m->group[play->table].first, ports = m->image->geometry.ports;
    for (uint32_t p = f->expects; p; p &= p - 1)
        __builtin_prefetch(&m->source[(size_t)__builtin_ctz(p) * m->nodes + first]);
    for (uint32_t j = f->sends; j; j &= j - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(j), port = lane + m->image->geometry.lanes * f->row.lane[lane].oport;
        __builtin_prefetch(&m->leaving[(size_t)m->node[first] * ports + port], 1);
        __builtin_prefetch(&m->reach[(size_t)play->table * ports + port]);
    }
    for (uint64_t b = f->keeps; b; b &= b - 1)
        __builtin_prefetch(crl_model_lane(m, &m->group[play->table], (uint32_t)__builtin_ctzll(b)));
}

void crl_model_play_row(struct crl_model *m)
{
    enum { AHEAD = 16 };
    const size_t uses = m->image->store.first[m->image->tables];
    size_t end = m->next;
    uint64_t expected = 0, under_way = m->under_way;
    bool good = true;
    struct crl_row_fields room;
    m->step++;
    for (; m->play[end].row == m->number; end++) {
        const struct crl_row_play *play = &m->play[end];
        fetch(m, &m->play[end + AHEAD < uses ? end + AHEAD : uses]);
        const struct crl_row_fields *f = crl_row_read(&m->reader, play->bits, &room);
        uint64_t count = m->arrives ? count_expected(m, &m->group[play->table], f) : 0;
        good &= count != UINT64_MAX && !m->odd[play->bits];
        expected += count;
    }
    if (!good || expected != under_way) find_faults(m, end);
    m->under_way = 0;
    if (m->links || m->border) memset(m->sending, 0, sizeof *m->sending * m->all);
    else crl_busy_clear(m->stirring, m->all, m->sending);
    for (; m->next < end; m->next++) play_use(m, &m->play[m->next]);
    uint32_t *sent = m->sent;
    uint64_t *data = m->data, *busy = m->busy;
    m->sent = m->sending;
    m->data = m->leaving;
    m->busy = m->stirring;
    m->sending = sent;
    m->leaving = data;
    m->stirring = busy;
}
