// SPDX-License-Identifier: Apache-2.0
// Lowering of sums: what a node holds of a chunk lies in one bank, which adds up what arrives.
//
// A bank makes one sum in a cycle, and shows one. So sums that grow in the same cycle, or leave in the same cycle, get
// banks of their own. A sum begins with the node's value, or with what arrives and replaces the sum before. In a scan
// there are two of a chunk: one that is sent on and one that is kept.
#include "base/base.h"
#include "image/row.h"
#include "lower/sums.h"
#include <stdlib.h>
#include <string.h>

enum { STREAMS_MAX = 16 }; // with as many lanes, the bits of a mask

struct lowering {
    struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_sums sums;
    uint32_t slot_cycles, nodes; // nodes: that are lowered
    size_t *in, *out;            // [nodes + 1] where those of each node begin in:
    uint32_t *arrives, *departs; // hops, in the order of chunks, slots and ports
    struct node *node;           // [nodes]
    uint64_t *grows, *leaves;    // [rows] banks in use, of the node at hand
    uint64_t *comes, *shows;     // [rows] of streams tied to banks, banks of those that bring something, or show it
    bool aligned;                // streams are tied to banks
    uint32_t banks_most, banks, depth; // of all nodes: banks that are allowed, that there are; words of the fullest
    struct crl_diag *diag;
};

// ---- what happens in a node

static int begin_sum(struct node *n, uint32_t chunk, bool own, uint32_t *sum)
{
    *sum = (uint32_t)n->sums;
    return CRL_PUSH(n->sum, n->sum_room, n->sums,
                    (struct sum){.chunk = chunk, .written = CRL_NONE, .last = CRL_NONE, .own = own});
}

static int leave(const struct lowering *l, struct node *n, uint32_t sum, const struct crl_sum_hop *h)
{
    int error = crl_grow((void **)&n->departure, &n->departure_room, n->departures, sizeof *n->departure);
    if (error) return error;
    struct sum *s = &n->sum[sum];
    uint32_t row = crl_link_cycle(&l->image->geometry, l->problem->ports, h->slot, h->port) - 1;
    n->departure[n->departures++] = (struct departure){sum, row, h->port, s->versions, s->written, CRL_NONE};
    if (s->last == CRL_NONE || row > s->last) s->last = row;
    return 0;
}

// A partial sum arrives. Where a slot has several cycles, other ports may still send in it what was there before.
static int grow(const struct lowering *l, struct node *n, uint32_t *sum, const struct crl_sum_hop *h, bool set)
{
    const struct crl_geometry *g = &l->image->geometry;
    uint32_t row = crl_link_cycle(g, l->problem->ports, h->arrival, h->port), lane = UINT32_C(1) << h->port % g->lanes;
    int error = set ? begin_sum(n, h->chunk, false, sum) : 0;
    if (error) return error;
    struct sum *s = &n->sum[*sum];
    struct growth *last = n->growths ? &n->growth[n->growths - 1] : NULL;
    if (last && last->sum == *sum && last->row == row) {
        last->lanes |= lane;
        return 0;
    }
    error = crl_grow((void **)&n->growth, &n->growth_room, n->growths, sizeof *n->growth);
    if (error) return error;
    bool next = !set && l->slot_cycles > 1 && s->slot != h->arrival, fwd = !set && s->written == row - 1;
    s->versions += next;
    n->growth[n->growths++] = (struct growth){*sum, row, lane, s->versions, set, next && !fwd, fwd};
    s->slot = h->arrival;
    s->written = row;
    return 0;
}

// A chunk's transmissions to and from a node. Of a scan's kept sums: those to it.
static int follow(const struct lowering *l, struct node *n, uint32_t v, uint32_t chunk, const size_t span[4], bool kept)
{
    const struct crl_sum_hop *hop = l->sums.hop;
    const uint8_t adds = kept ? CRL_SUM_KEPT_ADDS : CRL_SUM_ADDS, sets = kept ? CRL_SUM_KEPT_SETS : CRL_SUM_SETS;
    uint32_t sum = 0;
    int error = begin_sum(n, chunk, crl_chunk_has(l->problem, chunk, v), &sum);
    for (size_t i = span[0], o = kept ? span[3] : span[2]; (i < span[1] || o < span[3]) && !error;) {
        const struct crl_sum_hop *in = i < span[1] ? &hop[l->arrives[i]] : NULL;
        const struct crl_sum_hop *out = o < span[3] ? &hop[l->departs[o]] : NULL;
        if (out && (!in || out->slot <= in->arrival)) {
            error = leave(l, n, sum, out);
            o++;
            continue;
        }
        if (in->effect & (adds | sets)) error = grow(l, n, &sum, in, in->effect & sets);
        i++;
    }
    if (!error) n->sum[sum].keep = crl_chunk_wanted(l->problem, chunk, v) && kept == crl_problem_scans(l->problem);
    return error;
}

static int follow_all(const struct lowering *l, uint32_t v)
{
    size_t span[4] = {l->in[v], l->in[v], l->out[v], l->out[v]};
    int error = 0;
    for (uint32_t c = 0; c < l->problem->chunks && !error; c++) {
        while (span[1] < l->in[v + 1] && l->sums.hop[l->arrives[span[1]]].chunk == c) span[1]++;
        while (span[3] < l->out[v + 1] && l->sums.hop[l->departs[span[3]]].chunk == c) span[3]++;
        error = follow(l, &l->node[v], v, c, span, false);
        if (!error && crl_problem_scans(l->problem)) error = follow(l, &l->node[v], v, c, span, true);
        span[0] = span[1];
        span[2] = span[3];
    }
    return error;
}

// Of one sum. `again`: the next round begins it in the row after that in which it leaves last.
static uint32_t turn(struct growth *grows, size_t growths, struct departure *leaves, size_t departures, bool again)
{
    uint32_t version = 0, left = CRL_NONE;
    size_t d = 0;
    for (size_t g = 0; g < growths; g++) {
        for (; d < departures && leaves[d].row < grows[g].row; d++) {
            leaves[d].version = version;
            left = leaves[d].row;
        }
        const bool after = left != CRL_NONE && left + 1 == grows[g].row;
        const bool other = again && g + 1 == growths && (version + after) % 2 == 0;
        grows[g].flip = !grows[g].set && (after || other);
        version += grows[g].flip;
        grows[g].version = version;
    }
    for (; d < departures; d++) leaves[d].version = version;
    return version;
}

// Words that take turns: a sum that leaves in one row and grows in the next goes to the other one of two, since routers
// that add in stages read it late. Of slots of one cycle.
static void take_turns(struct node *n, const struct crl_geometry *geometry)
{
    size_t g = 0, d = 0;
    for (uint32_t i = 0; i < n->sums; i++) {
        struct growth *grows = n->growth + g;
        struct departure *leaves = n->departure + d;
        while (g < n->growths && n->growth[g].sum == i) g++;
        while (d < n->departures && n->departure[d].sum == i) d++;
        const size_t growths = (size_t)(n->growth + g - grows), departures = (size_t)(n->departure + d - leaves);
        const bool again = geometry->streams && growths && departures && !grows->row &&
                           leaves[departures - 1].row + 1 == geometry->rows;
        n->sum[i].versions = turn(grows, growths, leaves, departures, again);
    }
}

// ---- banks and addresses

static bool is_needed(const struct sum *s) { return s->keep || s->last != CRL_NONE; }

static bool counts(const struct node *n, const struct growth *g)
{
    const struct sum *s = &n->sum[g->sum];
    return s->keep || (s->last != CRL_NONE && g->row <= s->last);
}

// Banks of the stream that is the bank's own, its number modulo that of streams.
static uint64_t alike(const struct crl_geometry *g, uint32_t bank)
{
    uint64_t banks = 0;
    for (uint32_t b = bank % g->lanes; b < CRL_BANKS_MAX; b += g->lanes) banks |= UINT64_C(1) << b;
    return banks;
}

static bool comes(const struct crl_geometry *g, const struct growth *grows)
{
    return g->streams && grows->lanes >> g->lanes;
}

// Of the banks that are free whenever the sum grows or leaves, the one that holds least; a further one if there is
// none.
static int place_sum(const struct lowering *l, struct node *n, struct sum *s, const struct growth *grows,
                     size_t growths, const struct departure *leaves, size_t departures, uint32_t words[CRL_BANKS_MAX])
{
    const struct crl_geometry *g = &l->image->geometry;
    uint64_t busy = 0;
    uint32_t bank = CRL_NONE;
    for (size_t i = 0; i < growths; i++)
        if (counts(n, &grows[i])) busy |= l->grows[grows[i].row] | (comes(g, &grows[i]) ? l->comes[grows[i].row] : 0);
    for (size_t i = 0; i < departures; i++)
        busy |= l->leaves[leaves[i].row] | (leaves[i].stream != CRL_NONE ? l->shows[leaves[i].row] : 0);
    for (uint32_t b = 0; b < l->banks_most && (b < n->banks || bank == CRL_NONE); b++)
        if (!(busy >> b & 1) && (bank == CRL_NONE || words[b] < words[bank])) bank = b;
    if (bank == CRL_NONE) return CRL_ERR_UNSUPPORTED;
    if (bank >= n->banks) n->banks = bank + 1;
    for (size_t i = 0; i < growths; i++) {
        if (!counts(n, &grows[i])) continue;
        l->grows[grows[i].row] |= UINT64_C(1) << bank;
        if (l->aligned && comes(g, &grows[i])) l->comes[grows[i].row] |= alike(g, bank);
    }
    for (size_t i = 0; i < departures; i++) {
        l->leaves[leaves[i].row] |= UINT64_C(1) << bank;
        if (l->aligned && leaves[i].stream != CRL_NONE) l->shows[leaves[i].row] |= alike(g, bank);
    }
    const bool pair = l->slot_cycles > 1 || s->versions;
    words[bank] += pair && words[bank] % 2;
    s->bank = bank;
    s->addr = words[bank];
    words[bank] += pair ? 2 : 1;
    if (words[bank] > n->depth) n->depth = words[bank];
    return 0;
}

// Sums in the order of chunks.
static int place_all(const struct lowering *l, struct node *n)
{
    uint32_t words[CRL_BANKS_MAX] = {0};
    size_t g = 0, d = 0;
    int error = 0;
    n->banks = 1;
    n->depth = 0;
    for (uint32_t i = 0; i < n->sums && !error; i++) {
        size_t first_growth = g, first_departure = d;
        while (g < n->growths && n->growth[g].sum == i) g++;
        while (d < n->departures && n->departure[d].sum == i) d++;
        if (is_needed(&n->sum[i]))
            error = place_sum(l, n, &n->sum[i], n->growth + first_growth, g - first_growth,
                              n->departure + first_departure, d - first_departure, words);
    }
    for (size_t i = 0; i < n->growths; i++) l->grows[n->growth[i].row] = l->comes[n->growth[i].row] = 0;
    for (size_t i = 0; i < n->departures; i++) l->leaves[n->departure[i].row] = l->shows[n->departure[i].row] = 0;
    return error;
}

// ---- streams

// Places the sums of all nodes, with streams tied to banks or not.
static int place_nodes(struct lowering *l, bool aligned, uint32_t banks_most)
{
    int error = 0;
    l->aligned = aligned;
    l->banks_most = banks_most;
    l->banks = l->depth = 1;
    for (uint32_t v = 0; v < l->nodes && !error; v++) {
        error = place_all(l, &l->node[v]);
        if (l->node[v].banks > l->banks) l->banks = l->node[v].banks;
        if (l->node[v].depth > l->depth) l->depth = l->node[v].depth;
    }
    return error;
}

// Chunks move to the streams of the banks of their sums; of a scan's two sums of a chunk the first counts.
static int move_to_streams(struct node *n, const struct crl_geometry *g)
{
    const size_t cells = (size_t)g->rows * g->lanes;
    CRL_OWNED uint32_t *to = malloc(sizeof *to * cells), *own = malloc(sizeof *own * cells);
    if (!to || !own) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) to[i] = own[i] = n->shown[i] = CRL_NONE;
    for (size_t i = 0; i < n->growths; i++) {
        struct growth *grows = &n->growth[i];
        if (!comes(g, grows) || !counts(n, grows)) continue;
        uint32_t come = grows->lanes >> g->lanes;
        size_t row = (size_t)grows->row * g->lanes, cell = row + (uint32_t)__builtin_ctz(come);
        if (to[cell] == CRL_NONE) to[cell] = n->sum[grows->sum].bank % g->lanes;
        own[row + to[cell]] = n->own[cell];
        grows->lanes ^= (come ^ UINT32_C(1) << to[cell]) << g->lanes;
    }
    memcpy(n->own, own, sizeof *own * cells);
    for (size_t i = 0; i < n->departures; i++) {
        struct departure *leaves = &n->departure[i];
        if (leaves->stream == CRL_NONE) continue;
        leaves->stream = n->sum[leaves->sum].bank % g->lanes;
        n->shown[(size_t)leaves->row * g->lanes + leaves->stream] = n->sum[leaves->sum].chunk;
    }
    return 0;
}

// Routers whose streams are tied to banks are smaller, so that is done where it takes no more banks or bits of
// addresses.
static int tie_streams(struct lowering *l)
{
    const struct crl_geometry *g = &l->image->geometry;
    const uint32_t banks = l->banks < g->lanes ? g->lanes : l->banks, bits = crl_bits_for(l->depth);
    int error = place_nodes(l, true, banks);
    bool good = !error && crl_bits_for(l->depth) <= bits;
    if (!good && (!error || error == CRL_ERR_UNSUPPORTED)) error = place_nodes(l, false, CRL_BANKS_MAX);
    for (uint32_t v = 0; v < l->nodes && good && !error; v++) error = move_to_streams(&l->node[v], g);
    if (l->banks < g->lanes) l->banks = g->lanes;
    return error;
}

// ---- rows

struct emission {
    const struct crl_geometry *g;
    struct crl_row_layout layout;
    uint32_t *bits; // [rows][row words]
};

static void set(const struct emission *e, uint32_t row, enum crl_field field, uint32_t index, uint32_t value)
{
    crl_row_put(&e->layout, e->bits + (size_t)row * e->layout.words, field, index, value);
}

static uint32_t address_of(const struct sum *s, uint32_t version) { return s->addr ^ (version & 1); }

static void emit_growth(const struct emission *e, const struct node *n, const struct growth *g)
{
    const struct sum *s = &n->sum[g->sum];
    set(e, g->row, CRL_FIELD_WEN, s->bank, 1);
    set(e, g->row, CRL_FIELD_WSEL, s->bank, g->lanes);
    set(e, g->row, CRL_FIELD_WADDR, s->bank, address_of(s, g->version));
    set(e, g->row, CRL_FIELD_SET, s->bank, g->set);
    set(e, g->row, CRL_FIELD_FWD, s->bank, g->fwd);
    set(e, g->row, CRL_FIELD_FLIP, s->bank, g->flip);
}

// Several ports may send the same sum: what they say of its bank is written once.
static void emit_departure(const struct emission *e, const struct node *n, const struct departure *d, bool again)
{
    const struct sum *s = &n->sum[d->sum];
    uint32_t lane = d->port % e->g->lanes, after = d->written == CRL_NONE ? CRL_NONE : d->row - d->written;
    if (d->stream == CRL_NONE) {
        set(e, d->row, CRL_FIELD_OV, lane, 1);
        set(e, d->row, CRL_FIELD_OSEL, lane, s->bank);
        set(e, d->row, CRL_FIELD_OPORT, lane, d->port / e->g->lanes);
    } else {
        set(e, d->row, CRL_FIELD_SHOW, d->stream, 1);
        set(e, d->row, CRL_FIELD_SSEL, d->stream, s->bank);
    }
    if (again) return;
    if (after == 0) set(e, d->row, CRL_FIELD_BYP, s->bank, 1);
    else if (after == 1) set(e, d->row, CRL_FIELD_DLY, s->bank, 1);
    set(e, d->row, CRL_FIELD_RADDR, s->bank, address_of(s, d->version)); // in stages that is all that counts
}

static void expect(const struct emission *e, uint32_t row, uint32_t port)
{
    set(e, row, CRL_FIELD_EXP, port % e->g->lanes, 1);
    set(e, row, CRL_FIELD_IPORT, port % e->g->lanes, port / e->g->lanes);
}

static int add_table(const struct lowering *l, const struct emission *e, uint32_t v, struct crl_row_builder *builder)
{
    const struct node *n = &l->node[v];
    const uint32_t rows = e->g->rows, words = e->layout.words;
    CRL_OWNED uint32_t *number = malloc(sizeof *number * rows);
    if (!number) return CRL_ERR_MEMORY;
    memset(e->bits, 0, sizeof *e->bits * rows * words);
    for (size_t i = 0; i < n->growths; i++)
        if (counts(n, &n->growth[i])) emit_growth(e, n, &n->growth[i]);
    for (size_t i = 0; i < n->departures; i++) {
        const struct departure *d = &n->departure[i];
        emit_departure(e, n, d, i && d[-1].sum == d->sum && d[-1].row == d->row);
    }
    for (size_t i = l->in[v]; i < l->in[v + 1]; i++) {
        const struct crl_sum_hop *h = &l->sums.hop[l->arrives[i]];
        expect(e, crl_link_cycle(e->g, l->problem->ports, h->arrival, h->port), h->port);
    }
    for (uint32_t r = 0; r < rows; r++) {
        number[r] = r;
        crl_row_mend_parity(&e->layout, e->bits + (size_t)r * words);
    }
    l->image->node_table[v] = crl_row_builder_add(builder, number, e->bits, rows, true);
    return 0;
}

static int emit_all(struct lowering *l)
{
    struct crl_image *image = l->image;
    struct emission e = {.g = &image->geometry, .layout = crl_row_layout(&image->geometry)};
    struct crl_row_builder *builder = NULL;
    e.bits = malloc(sizeof *e.bits * e.layout.words * image->geometry.rows);
    int error = e.bits ? crl_row_builder_new(&builder, e.layout.words) : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < l->nodes && !error; v++) error = add_table(l, &e, v, builder);
    int ended = crl_row_builder_end(builder, &image->store, &image->tables);
    free(e.bits);
    return error ? error : ended;
}

// ---- placements

static int place_set(const struct crl_problem *problem, const struct node *n, struct crl_places *places, bool after)
{
    places->place = malloc(sizeof *places->place * (n->sums + 1));
    if (!places->place) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < n->sums; i++) {
        const struct sum *s = &n->sum[i];
        struct crl_place place = {.bank = s->bank, .addr = address_of(s, after ? s->versions : 0)};
        crl_problem_packet(problem, s->chunk, &place.origin, &place.dest);
        if (after ? s->keep : s->own && is_needed(s)) places->place[places->count++] = place;
    }
    return 0;
}

// With streams: what comes and leaves on each, in the order of rows. `lanes`: of the words of lanes, where streams are
// fewer.
static int place_streams(const struct crl_geometry *g, const uint32_t *chunks, bool own, struct crl_places *places,
                         struct crl_lane_words *lanes)
{
    uint32_t count = 0;
    if (!lanes) places->place = malloc(sizeof *places->place * ((size_t)g->rows * g->lanes + 1));
    CRL_OWNED struct crl_lane_word *words = lanes ? malloc(sizeof *words * ((size_t)g->rows * g->lanes + 1)) : NULL;
    if (lanes ? !words : !places->place) return CRL_ERR_MEMORY;
    for (uint32_t j = 0; j < g->lanes; j++)
        for (uint32_t r = 0, index = 0; r < g->rows; r++) {
            uint32_t chunk = chunks[(size_t)r * g->lanes + j];
            if (chunk == CRL_NONE) continue;
            if (lanes) words[count] = (struct crl_lane_word){chunk, 0, j, r, count};
            else places->place[count] = (struct crl_place){chunk, 0, j, index++};
            count++;
        }
    places->count = count;
    return lanes ? crl_streams_deal(words, count, count, g, own, places, lanes) : 0;
}

static int place_node(const struct crl_problem *problem, struct crl_image *image, const struct node *n, uint32_t v)
{
    const struct crl_geometry *g = &image->geometry;
    int error = g->streams ? place_streams(g, n->own, true, &image->before[v], image->own ? &image->own[v] : NULL)
                           : place_set(problem, n, &image->before[v], false);
    if (error) return error;
    return g->streams ? place_streams(g, n->shown, false, &image->after[v], image->shown ? &image->shown[v] : NULL)
                      : place_set(problem, n, &image->after[v], true);
}

// ---- all nodes

static uint64_t key_departure(const void *hops, uint32_t i)
{
    const struct crl_sum_hop *h = &((const struct crl_sum_hop *)hops)[i];
    return (uint64_t)h->slot << 8 | h->port; // ports are fewer than 2^8
}

static uint64_t key_chunk(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].chunk; }

// Cuts hops, listed in their order, at the nodes that they lead to, or leave.
static int cut(struct lowering *l, bool out)
{
    const struct crl_sum_hop *hop = l->sums.hop;
    size_t count = l->sums.count, *start = calloc(l->nodes + UINT64_C(2), sizeof *start);
    uint32_t *order = malloc(sizeof *order * (count + 1)), *list = malloc(sizeof *list * (count + 1));
    int error = start && order && list ? 0 : CRL_ERR_MEMORY;
    *(out ? &l->out : &l->in) = start;
    *(out ? &l->departs : &l->arrives) = list;
    for (size_t i = 0; i < count && !error; i++) order[i] = (uint32_t)i;
    if (out && !error) error = crl_sort_order(order, (uint32_t)count, key_departure, hop, UINT64_MAX);
    if (out && !error) error = crl_sort_order(order, (uint32_t)count, key_chunk, hop, l->problem->chunks);
    for (size_t i = 0; i < count && !error; i++) {
        uint32_t v = out ? hop[i].src : hop[i].dst;
        if (v < l->nodes) start[v + 2]++;
    }
    for (uint32_t v = 0; v < l->nodes && !error; v++) start[v + 2] += start[v + 1];
    for (size_t i = 0; i < count && !error; i++) {
        uint32_t v = out ? hop[order[i]].src : hop[order[i]].dst;
        if (v < l->nodes) list[start[v + 1]++] = order[i];
    }
    free(order);
    return error;
}

static int lower(struct lowering *l, const struct crl_lower_options *how)
{
    const uint32_t wanted = how->banks;
    struct crl_image *image = l->image;
    struct crl_geometry *g = &image->geometry;
    image->place_sets = l->nodes;
    image->before = calloc(l->nodes, sizeof *image->before);
    image->after = calloc(l->nodes, sizeof *image->after);
    if (g->streams && g->streams < g->lanes) {
        image->own = calloc(l->nodes, sizeof *image->own);
        image->shown = calloc(l->nodes, sizeof *image->shown);
        if (!image->own || !image->shown) return CRL_ERR_MEMORY;
    }
    l->node = calloc(l->nodes, sizeof *l->node);
    l->grows = calloc(g->rows, sizeof *l->grows);
    l->leaves = calloc(g->rows, sizeof *l->leaves);
    l->comes = calloc(g->rows, sizeof *l->comes);
    l->shows = calloc(g->rows, sizeof *l->shows);
    int error =
        image->before && image->after && l->node && l->grows && l->leaves && l->comes && l->shows ? 0 : CRL_ERR_MEMORY;
    if (!error) error = cut(l, false);
    if (!error) error = cut(l, true);
    for (uint32_t v = 0; v < l->nodes && !error; v++) {
        error = follow_all(l, v);
        if (!error && g->streams) error = crl_sums_stream(&l->node[v], g, l->problem, how->apart);
        if (!error && l->slot_cycles == 1) take_turns(&l->node[v], g);
    }
    if (!error) error = place_nodes(l, false, CRL_BANKS_MAX);
    if (!error && g->streams) error = tie_streams(l);
    if (!error && wanted && l->banks > wanted) error = CRL_ERR_UNSUPPORTED;
    if (error) return error;
    g->banks = wanted ? wanted : l->banks;
    g->write_xbar = g->delay = g->waddr_field = 1;
    g->addr_width = l->depth > 1 ? crl_bits_for(l->depth) : 1;
    error = emit_all(l);
    for (uint32_t v = 0; v < l->nodes && !error; v++) error = place_node(l->problem, image, &l->node[v], v);
    return error;
}

static void done(struct lowering *l)
{
    for (uint32_t v = 0; l->node && v < l->nodes; v++)
        CRL_FREE(l->node[v].sum, l->node[v].growth, l->node[v].departure, l->node[v].own, l->node[v].shown);
    void *const all[] = {l->node, l->in, l->out, l->arrives, l->departs, l->grows, l->leaves, l->comes, l->shows};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    crl_sums_done(&l->sums);
}

int crl_lower_sums(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
                   const struct crl_lower_options *how, struct crl_diag *diag)
{
    struct lowering l = {.image = image,
                         .problem = problem,
                         .slot_cycles = crl_slot_cycles(&image->geometry, problem->ports),
                         .nodes = schedule->folded ? 1 : image->nodes,
                         .diag = diag};
    const struct crl_geometry *g = &image->geometry;
    if (g->streams && problem->demands)
        return crl_fail(
            diag, CRL_ERR_UNSUPPORTED,
            "sums in groups are for routers whose memories hold the words, not for streams or fabrics to take away");
    if (g->streams && g->lanes > STREAMS_MAX)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "'%u' lanes: nodes that add up what comes on streams have up to %d",
                        g->lanes, STREAMS_MAX);
    if (g->streams && l.slot_cycles > 1)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "slots of %u cycles: sums come and leave on streams where a slot takes one; leave out --lanes, "
                        "or say --ports single",
                        l.slot_cycles);
    image->node_table = calloc(image->nodes, sizeof *image->node_table);
    int error = image->node_table ? crl_sums_init(&l.sums, schedule, problem, diag) : CRL_ERR_MEMORY;
    if (!error) error = lower(&l, how);
    done(&l);
    if (error == CRL_ERR_UNSUPPORTED && g->streams && !how->banks)
        return crl_fail(diag, error, "own values come too late on streams of %u words a cycle; build without --streams",
                        g->streams);
    if (error == CRL_ERR_UNSUPPORTED)
        return crl_fail(diag, error, "'%u' banks are too few: more sums grow, or leave, in a cycle; leave out --banks",
                        how->banks ? how->banks : CRL_BANKS_MAX);
    return error ? crl_fail_memory(diag) : 0;
}
