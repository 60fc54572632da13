// SPDX-License-Identifier: Apache-2.0
// The maps of an emitted fabric's adapters: where each word of a stream belongs in the rounds of each schedule. They
// are read off the rows that play, so they cannot say anything else.
#include "form/slots_emission.h"
#include "image/row.h"
#include <stdlib.h>
#include <string.h>

// A word of a stream, and where it is in the round: of input streams the lanes in which it leaves in that row.
struct use {
    uint32_t stream, index, row, lanes;
    const struct crl_place *place;
};
struct uses {
    struct use *list;
    size_t count, capacity;
};

static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// Words that are shown have one use each.
static int by_word(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// What a node's table does with the words of its streams, in the order of streams, words and rows.
static int find_uses(const struct part *part, bool in, uint32_t node, struct uses *uses)
{
    const struct crl_geometry *g = &part->image->geometry;
    const uint32_t table = part->image->node_table[node];
    uint32_t count[CRL_PORTS_MAX] = {0};
    uses->count = 0;
    // Row 0 shows what arrives last, so behind all others.
    for (uint32_t i = 0; i < g->rows; i++) {
        const uint32_t row = in ? i : (i + 1) % g->rows;
        struct crl_row fields;
        crl_row_unpack(g, crl_image_row(part->image, table, row), &fields);
        for (uint32_t lane = 0; lane < g->lanes; lane++) {
            if (in ? !crl_row_takes(g, &fields, lane) : !fields.lane[lane].show) continue;
            const struct crl_place *place = crl_stream_lane_word(part->image, in, node, lane, count[lane]++);
            if (!place) return CRL_ERR_MISMATCH; // the image was raised, so there is one
            if (crl_grow((void **)&uses->list, &uses->capacity, uses->count, sizeof *uses->list)) return CRL_ERR_MEMORY;
            uses->list[uses->count++] = (struct use){place->bank, place->addr, row, 1u << lane, place};
        }
    }
    // A word of several lanes in one row is one step.
    size_t kept = 0;
    if (in) qsort(uses->list, uses->count, sizeof *uses->list, by_use);
    for (size_t i = 0; i < uses->count && in; i++) {
        struct use *last = kept ? &uses->list[kept - 1] : NULL;
        if (last && !by_use(last, &uses->list[i])) last->lanes |= uses->list[i].lanes;
        else uses->list[kept++] = uses->list[i];
    }
    if (in) uses->count = kept;
    return 0;
}

struct entry_layout entry_layout(const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    struct entry_layout l = {.row_bits = g->rows > 1 ? crl_bits_for(g->rows) : 1,
                             .peer_bits = peer_bits(e),
                             .lane_bits = crl_bits_for(g->lanes)};
    l.in_bits = 4 + g->lanes + l.row_bits + l.peer_bits;
    l.out_bits = 3 + l.lane_bits + l.row_bits + l.peer_bits;
    l.bits = l.in_bits > l.out_bits ? l.in_bits : l.out_bits;
    return l;
}

static uint64_t entry_of(const struct emission *e, const struct part *part, bool in, uint32_t node,
                         const struct use *use, bool end, bool take)
{
    const struct entry_layout l = entry_layout(e);
    const uint32_t lanes = e->geometry.lanes;
    if (!use) return 1 | 1 << 1; // a round without words: end, and go or none
    const uint64_t peer = peer_of(part, in, node, use->place) & ((UINT64_C(1) << l.peer_bits) - 1);
    if (in)
        return (uint64_t)end | (uint64_t)end << 1 | 1 << 2 | (uint64_t)take << 3 | (uint64_t)use->lanes << 4 |
               (uint64_t)use->row << (4 + lanes) | peer << (4 + lanes + l.row_bits);
    uint32_t lane = (uint32_t)__builtin_ctz(use->lanes);
    return (uint64_t)end | 1 << 2 | (uint64_t)lane << 3 | (uint64_t)use->row << (3 + l.lane_bits) |
           peer << (3 + l.lane_bits + l.row_bits);
}

// A part's steps of one stream, of `uses` of its node. Returns how many there are.
static uint32_t steps_of(const struct uses *uses, uint32_t stream, const struct use **first)
{
    size_t from = 0, count = 0;
    while (from < uses->count && uses->list[from].stream != stream) from++;
    while (from + count < uses->count && uses->list[from + count].stream == stream) count++;
    *first = uses->list + from;
    return (uint32_t)count;
}

// A part's entries in the map of one stream: its steps, then the first one once more, then nothing up to `depth`.
static void write_steps(struct emission *e, const struct part *part, bool in, uint32_t node, uint32_t stream,
                        const struct uses *uses, uint32_t depth, bool load, FILE *file)
{
    const struct entry_layout l = entry_layout(e);
    const struct use *first;
    const uint32_t count = steps_of(uses, stream, &first), steps = count ? count : 1;
    for (uint32_t i = 0; i < depth; i++) {
        const uint32_t at = i % steps;
        const struct use *use = count ? &first[at] : NULL;
        bool take = use && (at + 1 == count || use[1].index != use->index);
        uint64_t entry = i > steps ? 0 : entry_of(e, part, in, node, use, at + 1 == steps, take);
        const uint32_t bits[2] = {(uint32_t)entry, (uint32_t)(entry >> 32)};
        e->loads += write_entry(bits, load ? l.bits : in ? l.in_bits : l.out_bits, load, file);
    }
}

// The uses of a part at a node, in the order in which its streams take or give words.
static int uses_in_order(struct emission *e, const struct part *part, bool in, uint32_t node, struct uses *uses)
{
    int error = find_uses(part, in, node, uses);
    if (error) return crl_fail(e->diag, error, "the streams of node '%u' do not fit its table", node);
    if (!in && uses->count) qsort(uses->list, uses->count, sizeof *uses->list, by_word);
    return 0;
}

// Entries beyond the longest part's steps, which are read ahead: of one part the first entry once more.
static uint32_t spare(const struct emission *e) { return e->parts > 1 ? 2 : 1; }

int share_maps(struct emission *e, struct part *part)
{
    struct uses uses = {0};
    int error = 0;
    e->map_depth = 0;
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        uint32_t longest = 1;
        part[p].map_at = e->map_depth;
        for (uint32_t i = 0; i < 2 * e->nodes && !error; i++) {
            error = uses_in_order(e, &part[p], i % 2, i / 2, &uses);
            for (uint32_t j = 0; j < e->geometry.streams && !error; j++) {
                const struct use *first;
                uint32_t steps = steps_of(&uses, j, &first);
                if (steps > longest) longest = steps;
            }
        }
        e->map_depth += longest;
    }
    e->map_depth += spare(e);
    free(uses.list);
    return error;
}

int write_map(struct emission *e, bool in, uint32_t node, uint32_t stream, bool load, FILE *file)
{
    struct uses uses = {0};
    int error = 0;
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        const uint32_t end = p + 1 < e->parts ? e->part[p + 1].map_at : e->map_depth;
        error = uses_in_order(e, &e->part[p], in, node, &uses);
        if (!error) write_steps(e, &e->part[p], in, node, stream, &uses, end - e->part[p].map_at, load, file);
    }
    free(uses.list);
    return error;
}

int write_maps(struct emission *e)
{
    int error = 0;
    for (uint32_t v = 0; v < e->nodes && !error; v++)
        for (int out = 0; out < 2 && !error; out++)
            for (uint32_t j = 0; j < e->geometry.streams && !error; j++) {
                char name[64];
                snprintf(name, sizeof name, "tables/%s%05u%02u.hex", out ? "out" : "in", v, j);
                FILE *file = crl_folder_file(e->folder, name, e->diag);
                error = file ? write_map(e, !out, v, j, false, file) : CRL_ERR_IO;
            }
    return error;
}
