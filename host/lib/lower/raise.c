// SPDX-License-Identifier: Apache-2.0
// The way back: follows every packet by name through the tables, and so reads a schedule out of an image. What comes
// out must be what was lowered.
//
// Only rows that do something are looked at, in the order of their numbers, and only words that something was written
// to are held, so the costs are those of the transmissions, however long the tables are and however deep the memories.
#include "base/base.h"
#include "base/pool.h"
#include "lower/lower.h"
#include <stdlib.h>

// Names of words: packets as origin·2^32 + dest, and two that are none: `nothing` may be any bits, as on an idle link.
// Where a lane has no second word beside what it reads, that is `absent`.
static const uint64_t nothing = UINT64_MAX, zeros = UINT64_MAX - 1, absent = UINT64_C(0xfffffffffffffffd);

// ---- words of the banks, found by hashing

struct memory {
    uint64_t *place, *name; // [cells]; the place is 1 + (node, bank, address) in one number, 0 in a free cell
    size_t cells, count;
};

static size_t cell_of(const struct memory *m, uint64_t place)
{
    size_t at = (place * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->cells - 1);
    while (m->place[at] && m->place[at] != place) at = (at + 1) & (m->cells - 1);
    return at;
}

static int memory_grow(struct memory *m)
{
    struct memory grown = {.cells = m->cells ? m->cells * 4 : 1024, .count = m->count};
    grown.place = calloc(grown.cells, sizeof *grown.place);
    grown.name = malloc(sizeof *grown.name * grown.cells);
    if (!grown.place || !grown.name) {
        CRL_FREE(grown.place, grown.name);
        return CRL_ERR_MEMORY;
    }
    for (size_t i = 0; i < m->cells; i++) {
        if (!m->place[i]) continue;
        size_t at = cell_of(&grown, m->place[i]);
        grown.place[at] = m->place[i];
        grown.name[at] = m->name[i];
    }
    CRL_FREE(m->place, m->name);
    *m = grown;
    return 0;
}

static int memory_set(struct memory *m, uint64_t place, uint64_t name)
{
    if (m->count >= m->cells / 2 && memory_grow(m)) return CRL_ERR_MEMORY;
    size_t at = cell_of(m, place + 1);
    m->count += !m->place[at];
    m->place[at] = place + 1;
    m->name[at] = name;
    return 0;
}

static uint64_t memory_get(const struct memory *m, uint64_t place)
{
    size_t at = m->cells ? cell_of(m, place + 1) : 0;
    return m->cells && m->place[at] ? m->name[at] : nothing;
}

// ---- nodes

// What a lane of a node still has from the last row that was played there.
struct lane {
    uint64_t delayed, written;         // names
    uint32_t delayed_row, written_row; // rows that kept them, CRL_NONE: none
    uint32_t addr;                     // of `written`, which is not in the memory yet
};

// What a node last sent on a port: what leaves in row r over a link of no more than a slot is taken in by row r + 1,
// and each slot more is as many rows more as a slot has.
struct sent {
    uint64_t name;
    uint32_t row; // CRL_NONE: none
};

struct raise {
    struct crl_pool pool;
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_schedule *schedule;
    uint32_t nodes; // played: 1 if folded
    struct memory memory;
    struct lane *lane;                // [nodes][banks]
    struct sent *sent;                // [span][nodes][ports] by row mod span
    uint32_t *taken, *shown;          // [nodes][lanes] words that streams gave and took
    uint64_t own[CRL_PORTS_MAX];      // words that streams give in the row, of sums
    uint32_t last;                    // row of the last arrival
    uint32_t span, slot_rows;         // rows for which what was sent is looked for; rows of a slot
    uint32_t *players, *player_start; // the nodes of each table, cut at player_start[table]
    uint32_t *order;                  // uses of rows in the order of rows
    uint32_t *table;                  // of each use
};

static uint64_t place_of(const struct raise *r, uint32_t node, uint32_t bank, uint32_t addr)
{
    const struct crl_geometry *g = &r->image->geometry;
    return ((uint64_t)node * g->banks + bank) << g->addr_width | addr;
}

static uint64_t shifted(const struct raise *r, uint64_t name, uint32_t by)
{
    const struct crl_topology *t = r->problem->topology;
    if (name >= zeros) return name;
    uint64_t origin = crl_topology_shift(t, (uint32_t)(name >> 32), by);
    uint32_t dest = (uint32_t)name;
    if (crl_problem_naming(r->problem) == CRL_NAMING_PAIR) dest = crl_topology_shift(t, dest, by);
    return origin << 32 | dest;
}

static struct sent *sent_at(const struct raise *r, uint32_t node, uint32_t port, uint32_t row)
{
    return &r->sent[((size_t)(row % r->span) * r->nodes + node) * r->image->geometry.ports + port];
}

// The name that arrives at a port of `node` in row `number`.
static uint64_t arriving(const struct raise *r, uint32_t node, uint32_t port, uint32_t number)
{
    if (port >= r->image->geometry.ports) return nothing;
    uint32_t from = crl_topology_behind(r->problem->topology, node, port);
    if (from == CRL_NONE) return nothing;
    uint32_t ago = (crl_topology_latency(r->problem->topology, from, port) - 1) * r->slot_rows + 1;
    if (number < ago) return nothing;
    const struct sent *sent = sent_at(r, r->image->folded ? 0 : from, port, number - ago);
    if (sent->row != number - ago) return nothing;
    return r->image->folded ? shifted(r, sent->name, from) : sent->name;
}

static int commit(struct raise *r, uint32_t node, uint32_t bank, struct lane *lane)
{
    if (lane->written_row == CRL_NONE) return 0;
    lane->written_row = CRL_NONE;
    return memory_set(&r->memory, place_of(r, node, bank, lane->addr), lane->written);
}

// A row, and which banks it has to do with: a bit each. With streams row 0 plays twice: for its departures, and at the
// end for the last arrivals.
struct played {
    struct crl_row row;
    uint32_t number;
    bool departs, arrives;
    uint64_t read, touched;
};

static void unpack(const struct raise *r, const struct crl_row_use *use, struct played *p)
{
    const struct crl_geometry *g = &r->image->geometry;
    crl_row_unpack(g, r->image->store.bits + (size_t)use->bits * r->image->store.row_words, &p->row);
    for (uint32_t b = 0; b < g->banks; b++) {
        p->row.bank[b].own &= p->departs;
        p->row.bank[b].wen &= p->arrives;
        p->row.bank[b].dly &= p->arrives;
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        p->row.lane[j].ov &= p->departs;
        p->row.lane[j].show &= p->arrives;
    }
    p->read = 0;
    for (uint32_t j = 0; j < g->lanes; j++) {
        uint32_t bank = p->row.lane[j].osel - crl_geometry_bank_select(g, 0);
        if (p->row.lane[j].ov && bank < g->banks) p->read |= UINT64_C(1) << bank;
        bank = p->row.lane[j].ssel;
        if (g->combine && p->row.lane[j].show && bank < g->banks) p->read |= UINT64_C(1) << bank;
    }
    p->touched = p->read;
    for (uint32_t b = 0; b < g->banks; b++)
        if (p->row.bank[b].wen || p->row.bank[b].dly || p->row.bank[b].own) p->touched |= UINT64_C(1) << b;
}

// The name at the input of lane `lane` of the router.
static uint64_t live(const struct raise *r, uint32_t v, const struct played *p, uint32_t lane)
{
    const struct crl_geometry *g = &r->image->geometry;
    return lane < g->lanes ? arriving(r, v, lane + g->lanes * p->row.lane[lane].iport, p->number) : nothing;
}

static uint64_t name_of(const struct crl_place *place)
{
    return place ? (uint64_t)place->origin << 32 | place->dest : nothing;
}

// The next word of a stream of own words.
static uint64_t take_own(struct raise *r, uint32_t v, uint32_t lane)
{
    if (lane >= r->image->geometry.lanes) return nothing;
    return name_of(
        crl_stream_lane_word(r->image, true, v, lane, r->taken[(size_t)v * r->image->geometry.lanes + lane]++));
}

// What a bank's lane reads: with no word beside it, or zeros beside what it shows.
static uint64_t combine(uint64_t read, uint64_t delayed, uint64_t own)
{
    if (delayed == absent && own == absent) return read;
    if (read != zeros || (delayed != absent && own != absent)) return nothing;
    return own == absent ? delayed : own;
}

// What a bank's lane shows for the row, and what it keeps.
static int play_lane(struct raise *r, uint32_t v, const struct played *p, uint32_t bank, uint64_t *value)
{
    const struct crl_geometry *g = &r->image->geometry;
    struct lane *lane = &r->lane[(size_t)v * g->banks + bank];
    uint64_t input = live(r, v, p, g->write_xbar ? p->row.bank[bank].wsel : bank);
    bool fresh = lane->written_row != CRL_NONE && lane->written_row + 1 == p->number; // reads do not see it yet
    int error = fresh ? 0 : commit(r, v, bank, lane);
    uint64_t own = p->row.bank[bank].own ? take_own(r, v, bank) : absent;
    if (p->row.bank[bank].own && own == nothing) return CRL_ERR_MISMATCH; // no such word comes
    *value = input;
    if (p->read >> bank & 1 && !p->row.bank[bank].byp) {
        uint64_t read = g->storeless ? zeros : memory_get(&r->memory, place_of(r, v, bank, p->row.bank[bank].raddr));
        bool replays = lane->delayed_row != CRL_NONE && lane->delayed_row + 1 == p->number;
        *value = combine(read, replays ? lane->delayed : absent, own);
    }
    if (fresh && !error) error = commit(r, v, bank, lane);
    lane->delayed_row = p->row.bank[bank].dly ? p->number : CRL_NONE;
    lane->delayed = input;
    if (!p->row.bank[bank].wen) return error;
    lane->written_row = p->number;
    lane->written = input;
    lane->addr = g->waddr_field ? p->row.bank[bank].waddr : p->number % g->rows;
    return error;
}

// A word of a bank that adds up. What the row before wrote is not there yet.
static uint64_t sum_at(const struct raise *r, uint32_t v, const struct played *p, uint32_t bank, uint32_t addr)
{
    const struct lane *lane = &r->lane[(size_t)v * r->image->geometry.banks + bank];
    bool fresh = lane->written_row != CRL_NONE && lane->written_row + 1 == p->number && lane->addr == addr;
    return fresh ? nothing : memory_get(&r->memory, place_of(r, v, bank, addr));
}

// What a bank that adds up shows for the row. Of a sum all parts are of one chunk; which values are in them is judged
// where it is played.
static int play_sum(struct raise *r, uint32_t v, const struct played *p, uint32_t bank, uint64_t *value)
{
    const struct crl_geometry *g = &r->image->geometry;
    struct lane *lane = &r->lane[(size_t)v * g->banks + bank];
    uint64_t last = lane->written_row != CRL_NONE ? lane->written : nothing, sum = nothing;
    uint32_t addr = p->row.bank[bank].waddr, lanes;
    bool adds = p->row.bank[bank].wen || p->row.bank[bank].byp;
    lanes = adds ? p->row.bank[bank].wsel : 0;
    if (adds && !p->row.bank[bank].set) {
        sum = p->row.bank[bank].fwd ? last : sum_at(r, v, p, bank, addr ^ p->row.bank[bank].flip);
        if (sum == nothing) return CRL_ERR_MISMATCH;
    }
    for (uint32_t j = 0; j < 2 * g->lanes && j < 32; j++) {
        uint64_t name = !(lanes >> j & 1) ? sum : j < g->lanes ? live(r, v, p, j) : r->own[j - g->lanes];
        if (lanes >> j & 1 && (name == nothing || (sum != nothing && name != sum))) return CRL_ERR_MISMATCH;
        sum = name;
    }
    *value = p->row.bank[bank].byp   ? sum
             : p->row.bank[bank].dly ? last
                                     : sum_at(r, v, p, bank, p->row.bank[bank].raddr);
    if (!p->row.bank[bank].wen) return 0;
    if (sum == nothing) return CRL_ERR_MISMATCH;
    lane->written = sum;
    lane->written_row = p->number;
    lane->addr = addr;
    return memory_set(&r->memory, place_of(r, v, bank, addr), sum);
}

// The name that an output sends: of a live input, or what a bank's lane shows.
static uint64_t selected(const struct raise *r, uint32_t v, const struct played *p, uint32_t osel,
                         const uint64_t *value)
{
    const struct crl_geometry *g = &r->image->geometry;
    if (crl_geometry_is_direct(g) && osel < g->lanes) return live(r, v, p, osel);
    uint32_t bank = osel - crl_geometry_bank_select(g, 0);
    return bank < g->banks ? value[bank] : nothing;
}

// Words for this node must leave on the streams in their order.
static int show(struct raise *r, uint32_t v, const struct played *p, uint32_t lane, const uint64_t *value)
{
    const struct crl_geometry *g = &r->image->geometry;
    uint32_t *index = &r->shown[(size_t)v * r->image->geometry.lanes + lane];
    uint64_t name = !g->combine                         ? live(r, v, p, lane)
                    : p->row.lane[lane].ssel < g->banks ? value[p->row.lane[lane].ssel]
                                                        : nothing;
    return name != nothing && name == name_of(crl_stream_lane_word(r->image, false, v, lane, (*index)++))
               ? 0
               : CRL_ERR_MISMATCH;
}

static int play_row(struct raise *r, uint32_t v, const struct played *p)
{
    const struct crl_geometry *g = &r->image->geometry;
    uint64_t value[CRL_BANKS_MAX];
    int error = 0;
    for (uint32_t j = 0; g->combine && g->streams && j < g->lanes; j++) {
        bool takes = crl_row_takes(g, &p->row, j);
        r->own[j] = takes ? take_own(r, v, j) : nothing;
        if (takes && r->own[j] == nothing) return CRL_ERR_MISMATCH; // no such word comes
    }
    for (uint64_t banks = p->touched; banks && !error; banks &= banks - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(banks);
        error = (g->combine ? play_sum : play_lane)(r, v, p, bank, &value[bank]);
    }
    for (uint32_t j = 0; j < g->lanes && !error; j++) {
        uint32_t port = j + g->lanes * p->row.lane[j].oport;
        if (!p->row.lane[j].ov) continue;
        uint64_t name = selected(r, v, p, p->row.lane[j].osel, value);
        uint32_t dst = port < g->ports ? crl_topology_neighbor(r->problem->topology, v, port) : CRL_NONE;
        if (name >= zeros || dst == CRL_NONE) return CRL_ERR_MISMATCH; // sends nothing, or into the void
        *sent_at(r, v, port, p->number) = (struct sent){name, p->number};
        struct crl_move move = {.slot = crl_link_slot(g, r->image->port_model, p->number + 1),
                                .src = v,
                                .dst = dst,
                                .origin = (uint32_t)(name >> 32),
                                .dest = (uint32_t)name};
        error = crl_schedule_add(r->schedule, move);
        uint32_t arrival = p->number + 1 + (crl_topology_latency(r->problem->topology, v, port) - 1) * r->slot_rows;
        if (arrival > r->last) r->last = arrival;
    }
    for (uint32_t j = 0; j < g->lanes && !error; j++)
        if (p->row.lane[j].show) error = show(r, v, p, j, value);
    return error;
}

static int load(struct raise *r)
{
    const struct crl_image *image = r->image;
    int error = 0;
    for (size_t i = 0; i < (size_t)r->nodes * image->geometry.banks; i++)
        r->lane[i].delayed_row = r->lane[i].written_row = CRL_NONE;
    for (size_t i = 0; i < (size_t)r->span * r->nodes * image->geometry.ports; i++) r->sent[i].row = CRL_NONE;
    for (uint32_t i = 0; i < image->zeros && !error; i++)
        error =
            memory_set(&r->memory, place_of(r, image->zero[i].set, image->zero[i].bank, image->zero[i].addr), zeros);
    for (uint32_t v = 0; v < r->nodes && !image->geometry.streams; v++)
        for (uint32_t i = 0; i < image->before[v].count && !error; i++) {
            const struct crl_place *p = &image->before[v].place[i];
            error = memory_set(&r->memory, place_of(r, v, p->bank, p->addr), (uint64_t)p->origin << 32 | p->dest);
        }
    return error;
}

static uint64_t row_of(const void *user, uint32_t index) { return ((const struct crl_row_use *)user)[index].row; }

// Who plays what when.
static int prepare(struct raise *r)
{
    const struct crl_image *image = r->image;
    const struct crl_row_store *s = &image->store;
    size_t uses = s->first[image->tables];
    if (uses > UINT32_MAX - 1) return CRL_ERR_MEMORY;
    r->slot_rows = crl_slot_cycles(&image->geometry, image->port_model);
    r->span = (crl_topology_latency_max(r->problem->topology) - 1) * r->slot_rows + 2;
    CRL_NEW(&r->pool, r->lane, (size_t)r->nodes * image->geometry.banks);
    CRL_NEW(&r->pool, r->sent, (size_t)r->span * r->nodes * image->geometry.ports);
    CRL_NUMBERS(&r->pool, (size_t)r->nodes * image->geometry.lanes, &r->taken, &r->shown);
    CRL_NEW(&r->pool, r->players, r->nodes);
    CRL_NUMBERS(&r->pool, image->tables + UINT64_C(2), &r->player_start);
    CRL_NEW(&r->pool, r->order, uses);
    CRL_NEW(&r->pool, r->table, uses);
    if (crl_pool_error(&r->pool)) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < r->nodes; v++) r->player_start[image->node_table[v] + 2]++;
    for (uint32_t t = 0; t < image->tables; t++) r->player_start[t + 2] += r->player_start[t + 1];
    for (uint32_t v = 0; v < r->nodes; v++) r->players[r->player_start[image->node_table[v] + 1]++] = v;
    for (uint32_t t = 0; t < image->tables; t++)
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) {
            r->order[i] = (uint32_t)i;
            r->table[i] = t;
        }
    int error = crl_sort_order(r->order, (uint32_t)uses, row_of, s->use, image->geometry.rows);
    return error ? error : load(r);
}

static int play_use(struct raise *r, uint32_t use, struct played *p)
{
    uint32_t t = r->table[use];
    int error = 0;
    unpack(r, &r->image->store.use[use], p);
    for (uint32_t k = r->player_start[t]; k < r->player_start[t + 1] && !error; k++)
        error = play_row(r, r->players[k], p);
    return error;
}

// All words of the streams came and left, and the round ends with the last slot.
static int play_end(const struct raise *r)
{
    const struct crl_image *image = r->image;
    for (uint32_t v = 0; v < r->nodes; v++)
        for (uint32_t j = 0; j < image->geometry.lanes; j++) {
            size_t at = (size_t)v * image->geometry.lanes + j;
            if (crl_stream_lane_word(image, true, v, j, r->taken[at]) ||
                crl_stream_lane_word(image, false, v, j, r->shown[at]))
                return CRL_ERR_MISMATCH;
        }
    return image->link_cycles - r->last < r->slot_rows ? 0 : CRL_ERR_MISMATCH;
}

static int play(struct raise *r)
{
    const struct crl_row_store *s = &r->image->store;
    const size_t uses = s->first[r->image->tables];
    const bool streams = r->image->geometry.streams, wraps = streams && !r->image->geometry.combine;
    int error = 0;
    for (size_t i = 0; i < uses && !error; i++) {
        uint32_t number = s->use[r->order[i]].row;
        struct played p = {.number = number, .departs = true, .arrives = !wraps || number};
        error = play_use(r, r->order[i], &p);
    }
    if (!streams || error) return error;
    for (size_t i = 0; i < uses && wraps && !s->use[r->order[i]].row && !error; i++) {
        struct played p = {.number = r->image->geometry.rows, .arrives = true};
        error = play_use(r, r->order[i], &p);
    }
    return error ? error : play_end(r);
}

int crl_raise(struct crl_schedule *schedule, const struct crl_image *image, const struct crl_problem *problem,
              struct crl_diag *diag)
{
    struct raise r = {
        .image = image, .problem = problem, .schedule = schedule, .nodes = image->folded ? 1 : image->nodes};
    crl_schedule_init_for(schedule, problem, image->folded);
    int error = prepare(&r);
    if (!error) error = play(&r);
    if (!error) error = crl_schedule_sort(schedule);
    CRL_FREE(r.memory.place, r.memory.name);
    crl_pool_done(&r.pool);
    if (error == CRL_ERR_MISMATCH) return crl_fail(diag, error, "a table sends a word that is no packet");
    return error ? crl_fail_memory(diag) : 0;
}
