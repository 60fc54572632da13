// SPDX-License-Identifier: Apache-2.0
// The way back: follows every packet by name through the tables, and so reads a schedule out of an image. What comes
// out must be what was lowered.
//
// Only rows that do something are looked at, in the order of their numbers, and only words that something was written
// to are held, so the costs are those of the transmissions, however long the tables are and however deep the memories.
#include "base/base.h"
#include "base/pool.h"
#include "image/played.h"
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
    uint32_t delayed_row, written_row; // 1 + the rows that kept them, 0: none
    uint32_t addr;                     // of `written`, which is not in the memory yet
};

// What a node last sent on a port: what leaves in row r over a link of no more than a slot is taken in by row r + 1,
// and each slot more is as many rows more as a slot has.
struct sent {
    uint64_t name;
    uint32_t row; // 1 + its number, 0: none
};

struct raise {
    struct crl_pool pool;
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_schedule *schedule;
    uint32_t nodes; // played: 1 if folded
    struct memory memory;
    struct lane *lane;                // of each node's banks that keep something, in their order
    size_t *lane_start;               // [nodes] where they begin
    uint64_t *banks;                  // [tables] which banks these are
    struct sent *sent;                // [span][sent_start[nodes]] by row mod span
    uint32_t *ports;                  // [tables] on which ports these ever send
    size_t *sent_start;               // [nodes + 1] where those of a node begin, in their order
    uint32_t *taken, *shown;          // [nodes][lanes] words that streams gave and took
    uint64_t own[CRL_PORTS_MAX];      // words that streams give in the row, of sums
    uint32_t last;                    // row of the last arrival
    bool late;                        // links take more than a slot
    uint32_t span, slot_rows;         // rows for which what was sent is looked for; rows of a slot
    uint32_t *players, *player_start; // the nodes of each table, cut at player_start[table]
    struct crl_row_play *play;        // the rows
    struct crl_row_reader reader;
};

static struct lane *lane_of(const struct raise *r, uint32_t node, uint32_t bank)
{
    const uint64_t before = r->banks[r->image->node_table[node]] & ((UINT64_C(1) << bank) - 1);
    return &r->lane[r->lane_start[node] + (size_t)__builtin_popcountll(before)];
}

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

// Only links that are ever used have a place: of a scatter on a cube of many dimensions few are.
static struct sent *sent_at(const struct raise *r, uint32_t node, uint32_t port, uint32_t row)
{
    const uint32_t before = r->ports[r->image->node_table[node]] & ((UINT32_C(1) << port) - 1);
    return &r->sent[row % r->span * r->sent_start[r->nodes] + r->sent_start[node] + (size_t)__builtin_popcount(before)];
}

static bool ever_sends(const struct raise *r, uint32_t node, uint32_t port)
{
    return r->ports[r->image->node_table[node]] >> port & 1;
}

// Rows that a word is under way, beyond the next one.
static uint32_t lag(const struct raise *r, uint32_t from, uint32_t port)
{
    if (!r->late) return 0;
    return (crl_topology_latency(r->problem->topology, from, port) - 1) * r->slot_rows;
}

// The name that arrives at a port of `node` in row `number`.
static uint64_t arriving(const struct raise *r, uint32_t node, uint32_t port, uint32_t number)
{
    if (port >= r->image->geometry.ports) return nothing;
    uint32_t from = crl_topology_behind(r->problem->topology, node, port);
    if (from == CRL_NONE) return nothing;
    uint32_t ago = lag(r, from, port) + 1;
    const uint32_t sender = r->image->folded ? 0 : from;
    if (number < ago || !ever_sends(r, sender, port)) return nothing;
    const struct sent *sent = sent_at(r, sender, port, number - ago);
    if (sent->row != number - ago + 1) return nothing;
    return r->image->folded ? shifted(r, sent->name, from) : sent->name;
}

static int commit(struct raise *r, uint32_t node, uint32_t bank, struct lane *lane)
{
    if (!lane->written_row) return 0;
    lane->written_row = 0;
    return memory_set(&r->memory, place_of(r, node, bank, lane->addr), lane->written);
}

// A row, and which lanes and banks it has to do with. With streams row 0 plays twice: for its departures, and at the
// end for the last arrivals.
struct played {
    const struct crl_row *row;
    uint32_t number, sends, shows;
    bool arrives;
    uint64_t takes, passes, read, touched;
};

static struct played played(const struct raise *r, const struct crl_row_fields *f, uint32_t number, bool departs,
                            bool arrives)
{
    struct played p = {.row = &f->row, .number = number, .arrives = arrives};
    p.sends = departs ? f->sends : 0;
    p.takes = departs ? f->takes : 0;
    p.passes = departs ? f->passes : 0;
    p.shows = arrives ? f->shows : 0;
    p.read = departs ? f->shown : 0;
    p.touched = p.read | (arrives ? f->keeps : 0) | (r->image->geometry.combine ? 0 : p.takes);
    return p;
}

// The name at the input of lane `lane` of the router.
static uint64_t live(const struct raise *r, uint32_t v, const struct played *p, uint32_t lane)
{
    const struct crl_geometry *g = &r->image->geometry;
    return lane < g->lanes ? arriving(r, v, lane + g->lanes * p->row->lane[lane].iport, p->number) : nothing;
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
    uint64_t input = live(r, v, p, g->write_xbar ? p->row->bank[bank].wsel : bank);
    *value = input;
    if (p->passes >> bank & 1) return 0;
    struct lane *lane = lane_of(r, v, bank);
    bool fresh = lane->written_row && lane->written_row == p->number; // reads do not see it yet
    int error = fresh ? 0 : commit(r, v, bank, lane);
    uint64_t own = p->takes >> bank & 1 ? take_own(r, v, bank) : absent;
    if (own == nothing) return CRL_ERR_MISMATCH; // no such word comes
    if (p->read >> bank & 1 && !p->row->bank[bank].byp) {
        uint64_t read = g->storeless ? zeros : memory_get(&r->memory, place_of(r, v, bank, p->row->bank[bank].raddr));
        bool replays = lane->delayed_row && lane->delayed_row == p->number;
        *value = combine(read, replays ? lane->delayed : absent, own);
    }
    if (fresh && !error) error = commit(r, v, bank, lane);
    lane->delayed_row = p->arrives && p->row->bank[bank].dly ? p->number + 1 : 0;
    lane->delayed = input;
    if (!p->arrives || !p->row->bank[bank].wen) return error;
    lane->written_row = p->number + 1;
    lane->written = input;
    lane->addr = g->waddr_field ? p->row->bank[bank].waddr : p->number % g->rows;
    return error;
}

// A word of a bank that adds up. What the row before wrote is not there yet.
static uint64_t sum_at(const struct raise *r, uint32_t v, const struct played *p, uint32_t bank, uint32_t addr)
{
    const struct lane *lane = lane_of(r, v, bank);
    bool fresh = lane->written_row && lane->written_row == p->number && lane->addr == addr;
    return fresh ? nothing : memory_get(&r->memory, place_of(r, v, bank, addr));
}

// What a bank that adds up shows for the row. Of a sum all parts are of one chunk; which values are in them is judged
// where it is played.
static int play_sum(struct raise *r, uint32_t v, const struct played *p, uint32_t bank, uint64_t *value)
{
    const struct crl_geometry *g = &r->image->geometry;
    struct lane *lane = lane_of(r, v, bank);
    uint64_t last = lane->written_row ? lane->written : nothing, sum = nothing;
    uint32_t addr = p->row->bank[bank].waddr, lanes;
    bool adds = p->row->bank[bank].wen || p->row->bank[bank].byp;
    lanes = adds ? p->row->bank[bank].wsel : 0;
    if (adds && !p->row->bank[bank].set) {
        sum = p->row->bank[bank].fwd ? last : sum_at(r, v, p, bank, addr ^ p->row->bank[bank].flip);
        if (sum == nothing) return CRL_ERR_MISMATCH;
    }
    for (uint32_t j = 0; j < 2 * g->lanes && j < 32; j++) {
        uint64_t name = !(lanes >> j & 1) ? sum : j < g->lanes ? live(r, v, p, j) : r->own[j - g->lanes];
        if (lanes >> j & 1 && (name == nothing || (sum != nothing && name != sum))) return CRL_ERR_MISMATCH;
        sum = name;
    }
    *value = p->row->bank[bank].byp   ? sum
             : p->row->bank[bank].dly ? last
                                      : sum_at(r, v, p, bank, p->row->bank[bank].raddr);
    if (!p->row->bank[bank].wen) return 0;
    if (sum == nothing) return CRL_ERR_MISMATCH;
    lane->written = sum;
    lane->written_row = p->number + 1;
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
    uint64_t name = !g->combine                          ? live(r, v, p, lane)
                    : p->row->lane[lane].ssel < g->banks ? value[p->row->lane[lane].ssel]
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
        bool takes = p->takes >> j & 1;
        r->own[j] = takes ? take_own(r, v, j) : nothing;
        if (takes && r->own[j] == nothing) return CRL_ERR_MISMATCH; // no such word comes
    }
    for (uint64_t banks = p->touched; banks && !error; banks &= banks - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(banks);
        error = (g->combine ? play_sum : play_lane)(r, v, p, bank, &value[bank]);
    }
    for (uint32_t lanes = p->sends; lanes && !error; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(lanes), port = j + g->lanes * p->row->lane[j].oport;
        uint64_t name = selected(r, v, p, p->row->lane[j].osel, value);
        uint32_t dst = port < g->ports ? crl_topology_neighbor(r->problem->topology, v, port) : CRL_NONE;
        if (name >= zeros || dst == CRL_NONE) return CRL_ERR_MISMATCH; // sends nothing, or into the void
        *sent_at(r, v, port, p->number) = (struct sent){name, p->number + 1};
        struct crl_move move = {.slot = crl_link_slot(g, r->image->port_model, p->number + 1),
                                .src = v,
                                .dst = dst,
                                .origin = (uint32_t)(name >> 32),
                                .dest = (uint32_t)name};
        error = crl_schedule_add(r->schedule, move);
        uint32_t arrival = p->number + 1 + lag(r, v, port);
        if (arrival > r->last) r->last = arrival;
    }
    for (uint32_t lanes = p->shows; lanes && !error; lanes &= lanes - 1)
        error = show(r, v, p, (uint32_t)__builtin_ctz(lanes), value);
    return error;
}

static int load(struct raise *r)
{
    const struct crl_image *image = r->image;
    int error = 0;
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

// The ports on which a row sends.
static uint32_t ports_of(const struct raise *r, const struct crl_row_fields *f)
{
    const struct crl_geometry *g = &r->image->geometry;
    uint32_t ports = 0;
    for (uint32_t lanes = f->sends; lanes; lanes &= lanes - 1) {
        uint32_t j = (uint32_t)__builtin_ctz(lanes), port = j + g->lanes * f->row.lane[j].oport;
        if (port < g->ports) ports |= UINT32_C(1) << port;
    }
    return ports;
}

// The banks that keep something, and the links that send: of others nothing is remembered.
static int find_lanes(struct raise *r)
{
    const struct crl_image *image = r->image;
    const struct crl_row_store *s = &image->store;
    struct crl_row_fields room;
    size_t lanes = 0, links = 0;
    CRL_ZEROED(&r->pool, r->banks, image->tables);
    CRL_NUMBERS(&r->pool, image->tables, &r->ports);
    CRL_NEW(&r->pool, r->lane_start, r->nodes);
    CRL_NEW(&r->pool, r->sent_start, r->nodes + UINT64_C(1));
    if (crl_pool_error(&r->pool)) return CRL_ERR_MEMORY;
    for (uint32_t t = 0; t < image->tables; t++)
        for (size_t i = s->first[t]; i < s->first[t + 1]; i++) {
            const struct crl_row_fields *f = crl_row_read(&r->reader, s->use[i].bits, &room);
            r->banks[t] |= (f->shown | f->keeps | (image->geometry.combine ? 0 : f->takes)) & ~f->passes;
            r->ports[t] |= ports_of(r, f);
        }
    for (uint32_t v = 0; v < r->nodes; v++) {
        r->lane_start[v] = lanes;
        r->sent_start[v] = links;
        lanes += (size_t)__builtin_popcountll(r->banks[image->node_table[v]]);
        links += (size_t)__builtin_popcount(r->ports[image->node_table[v]]);
    }
    r->sent_start[r->nodes] = links;
    CRL_ZEROED(&r->pool, r->sent, r->span * (links + 1));
    CRL_ZEROED(&r->pool, r->lane, lanes);
    return crl_pool_error(&r->pool);
}

// Who plays what when.
static int prepare(struct raise *r)
{
    const struct crl_image *image = r->image;
    r->slot_rows = crl_slot_cycles(&image->geometry, image->port_model);
    r->late = crl_topology_latency_max(r->problem->topology) > 1;
    r->span = (crl_topology_latency_max(r->problem->topology) - 1) * r->slot_rows + 2;
    CRL_NUMBERS(&r->pool, (size_t)r->nodes * image->geometry.lanes, &r->taken, &r->shown);
    CRL_NEW(&r->pool, r->players, r->nodes);
    CRL_NUMBERS(&r->pool, image->tables + UINT64_C(2), &r->player_start);
    if (crl_pool_error(&r->pool)) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < r->nodes; v++) r->player_start[image->node_table[v] + 2]++;
    for (uint32_t t = 0; t < image->tables; t++) r->player_start[t + 2] += r->player_start[t + 1];
    for (uint32_t v = 0; v < r->nodes; v++) r->players[r->player_start[image->node_table[v] + 1]++] = v;
    int error = crl_row_plays(&r->play, image, &r->pool);
    if (!error) error = crl_row_reader_init(&r->reader, image, &r->pool);
    if (!error) error = find_lanes(r);
    return error ? error : load(r);
}

static int play_use(struct raise *r, const struct crl_row_play *play, uint32_t number, bool departs, bool arrives)
{
    struct crl_row_fields room;
    struct played p = played(r, crl_row_read(&r->reader, play->bits, &room), number, departs, arrives);
    int error = 0;
    for (uint32_t k = r->player_start[play->table]; k < r->player_start[play->table + 1] && !error; k++)
        error = play_row(r, r->players[k], &p);
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

// What a row writes lies far from what the one before wrote, and is fetched some time before.
static void fetch(const struct raise *r, const struct crl_row_play *play)
{
    if (!r->reader.kept || play->table == CRL_NONE) return;
    const uint32_t player = r->player_start[play->table], lanes = r->image->geometry.lanes;
    if (player == r->player_start[play->table + 1]) return;
    const uint32_t v = r->players[player];
    const struct crl_row_fields *f = &r->reader.kept[play->bits];
    for (uint32_t j = f->sends; j; j &= j - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(j);
        __builtin_prefetch(sent_at(r, v, lane + lanes * f->row.lane[lane].oport, play->row), 1);
    }
    for (uint64_t b = f->keeps; b; b &= b - 1) __builtin_prefetch(lane_of(r, v, (uint32_t)__builtin_ctzll(b)), 1);
}

static int play(struct raise *r)
{
    const size_t uses = r->image->store.first[r->image->tables];
    const bool streams = r->image->geometry.streams, wraps = streams && !r->image->geometry.combine;
    int error = 0;
    enum { AHEAD = 8 };
    for (size_t i = 0; i < uses && !error; i++) {
        fetch(r, &r->play[i + AHEAD < uses ? i + AHEAD : uses]);
        error = play_use(r, &r->play[i], r->play[i].row, true, !wraps || r->play[i].row);
    }
    if (!streams || error) return error;
    for (size_t i = 0; i < uses && wraps && !r->play[i].row && !error; i++)
        error = play_use(r, &r->play[i], r->image->geometry.rows, false, true);
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
