// SPDX-License-Identifier: Apache-2.0
// The maps of an emitted fabric's adapters: where each word of a stream belongs in the rounds of each schedule. They
// are read off the rows that play, so they cannot say anything else.
#include "machine/slots/emission.h"
#include <stdlib.h>
#include <string.h>

static int by_use(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return CRL_COMPARE({x->stream, y->stream}, {x->index, y->index}, {x->row, y->row});
}

// Words that are shown have one use each.
static int by_word(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    return CRL_COMPARE({x->stream, y->stream}, {x->index, y->index});
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
            struct use use = {place->bank, place->addr, row, 1u << lane, place};
            if (CRL_PUSH(uses->list, uses->capacity, uses->count, use)) return CRL_ERR_MEMORY;
        }
    }
    // A word of several lanes in one row is one step.
    size_t kept = 0;
    if (in && uses->count) qsort(uses->list, uses->count, sizeof *uses->list, by_use);
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
                             .lane_bits = crl_bits_for(g->lanes),
                             .word_bits = crl_bits_for(g->words)};
    l.in_bits = 3 + g->lanes + l.row_bits + l.peer_bits + l.word_bits + (g->words > 1);
    l.out_bits = 3 + l.lane_bits + l.row_bits + l.peer_bits;
    l.bits = l.in_bits > l.out_bits ? l.in_bits : l.out_bits;
    return l;
}

static uint64_t peer_bits_of(const struct emission *e, const struct part *part, bool in, uint32_t node,
                             const struct use *use)
{
    return peer_of(part, in, node, use->place) & ((UINT64_C(1) << entry_layout(e).peer_bits) - 1);
}

// The entry of step `at` of `steps`. Where a word leaves in several rows all but the first step name the word to come.
static uint64_t in_entry(const struct emission *e, const struct part *part, uint32_t node, const struct use *step,
                         uint32_t at, uint32_t steps, const struct go *go)
{
    const struct entry_layout l = entry_layout(e);
    const uint32_t lanes = e->geometry.lanes, row_bits = l.row_bits;
    const bool take = !at || step[at].index != step[at - 1].index;
    uint32_t next = at;
    if (!take) do
            next = (next + 1) % steps;
        while (next && step[next].index == step[at].index);
    return (uint64_t)(at + 1 == steps) | (uint64_t)(at == go->step) << 1 | (uint64_t)take << 2 |
           (uint64_t)step[at].lanes << 3 | (uint64_t)step[at].row << (3 + lanes) |
           peer_bits_of(e, part, true, node, &step[next]) << (3 + lanes + row_bits) |
           (uint64_t)(at == go->step ? go->word : 0) << (3 + lanes + row_bits + l.peer_bits) |
           (uint64_t)(e->geometry.words > 1 && at + 1 < steps && step[at + 1].lanes && step[at + 1].row == step[at].row)
               << (3 + lanes + row_bits + l.peer_bits + l.word_bits);
}

// Rows are counted from the one after row 0, which shows what arrives last.
static uint64_t out_entry(const struct emission *e, const struct part *part, uint32_t node, const struct use *step,
                          bool end)
{
    const struct entry_layout l = entry_layout(e);
    const uint32_t lane = (uint32_t)__builtin_ctz(step->lanes), row = (step->row - 1) & ((1u << l.row_bits) - 1);
    return (uint64_t)end | 1 << 2 | (uint64_t)lane << 3 | (uint64_t)row << (3 + l.lane_bits) |
           peer_bits_of(e, part, false, node, step) << (3 + l.lane_bits + l.row_bits);
}

uint32_t steps_of(const struct uses *uses, uint32_t stream, const struct use **first)
{
    size_t from = 0, count = 0;
    while (from < uses->count && uses->list[from].stream != stream) from++;
    while (from + count < uses->count && uses->list[from + count].stream == stream) count++;
    *first = uses->list + from;
    return (uint32_t)count;
}

// A part's entries in the map of one stream: its steps, then the first one once more, then nothing up to `depth`.
static void write_steps(struct emission *e, const struct part *part, bool in, uint32_t node, uint32_t stream,
                        const struct uses *uses, const struct feed *feed, uint32_t depth, enum entry_form form,
                        FILE *file)
{
    const struct entry_layout l = entry_layout(e);
    const struct use *step;
    const uint32_t count = steps_of(uses, stream, &step), steps = count ? count : 1;
    for (uint32_t i = 0; i < depth; i++) {
        const uint32_t at = i % steps;
        uint64_t entry = 0;
        if (i <= steps)
            entry = !count ? 1 | 1 << 1 // a round without words: end, and go or none
                    : in   ? in_entry(e, part, node, step, at, steps, &feed->go[stream])
                           : out_entry(e, part, node, &step[at], at + 1 == steps);
        const uint32_t bits[2] = {(uint32_t)entry, (uint32_t)(entry >> 32)};
        write_entry(bits, form == AS_WORDS ? l.bits : in ? l.in_bits : l.out_bits, form, file);
    }
}

// Steps that take no word and write none, behind those of a stream that has words.
static int add_pause(struct uses *uses, uint32_t stream, uint32_t steps)
{
    size_t end = uses->count;
    while (end && uses->list[end - 1].stream != stream) end--;
    for (uint32_t k = 0; k < steps && end; k++) {
        if (crl_grow((void **)&uses->list, &uses->capacity, uses->count, sizeof *uses->list)) return CRL_ERR_MEMORY;
        memmove(&uses->list[end], &uses->list[end - 1], (uses->count++ - end + 1) * sizeof *uses->list);
        uses->list[end++].lanes = 0;
    }
    return 0;
}

int uses_in_order(const struct part *part, bool in, uint32_t node, struct uses *uses, struct crl_diag *diag)
{
    int error = find_uses(part, in, node, uses);
    for (uint32_t j = 0; j < part->image->geometry.streams && in && node == part->pausing && !error; j++)
        error = add_pause(uses, j, part->pause[j]);
    if (error) return crl_fail(diag, error, "the streams of node '%u' do not fit its table", node);
    if (!in && uses->count) qsort(uses->list, uses->count, sizeof *uses->list, by_word);
    return 0;
}

// Entries beyond the longest part's steps, which are read ahead: of one part the first entry once more.
static uint32_t spare(const struct emission *e) { return e->parts > 1 ? 2 : 1; }

int share_maps(struct emission *e, struct part *part)
{
    const uint32_t streams = e->geometry.streams, all = (uint32_t)((UINT64_C(1) << e->geometry.lanes) - 1);
    struct uses uses = {0};
    int error = 0;
    e->map_depth = 0;
    e->keeps = calloc((size_t)e->nodes * streams, sizeof *e->keeps);
    if (!e->keeps) error = crl_fail_memory(e->diag);
    for (uint32_t i = 0; i < e->nodes * streams && !error; i++) e->keeps[i] = e->loaded;
    for (int in = 0; in < 2 && !error; in++) {
        e->lanes[in] = malloc(sizeof *e->lanes[in] * e->nodes * streams);
        if (!e->lanes[in]) error = crl_fail_memory(e->diag);
        for (uint32_t i = 0; i < e->nodes * streams && !error; i++) e->lanes[in][i] = e->loaded ? all : 0;
    }
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        uint32_t longest = 1;
        part[p].map_at = e->map_depth;
        for (uint32_t i = 0; i < 2 * e->nodes && !error; i++) {
            error = uses_in_order(&part[p], i % 2, i / 2, &uses, e->diag);
            for (size_t k = 1; k < uses.count && i % 2 && !error; k++)
                if (uses.list[k].lanes && !by_word(&uses.list[k - 1], &uses.list[k]))
                    e->keeps[i / 2 * streams + uses.list[k].stream] = true;
            for (size_t k = 0; k < uses.count && !error; k++)
                e->lanes[i % 2][i / 2 * streams + uses.list[k].stream] |= uses.list[k].lanes;
            for (uint32_t j = 0; j < streams && !error; j++) {
                const struct use *first;
                uint32_t steps = steps_of(&uses, j, &first);
                if (steps > longest) longest = steps;
            }
        }
        e->map_depth += longest;
    }
    e->map_depth += spare(e);
    free(uses.list);
    const uint32_t bits = entry_layout(e).bits;
    if (!error && bits > 64)
        error = crl_fail(e->diag, CRL_ERR_UNSUPPORTED, "entries of maps have 64 bits at most, not '%u'", bits);
    return error;
}

int write_map(struct emission *e, bool in, uint32_t node, uint32_t stream, enum entry_form form, FILE *file)
{
    struct uses uses = {0};
    int error = 0;
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        const uint32_t end = p + 1 < e->parts ? e->part[p + 1].map_at : e->map_depth;
        struct feed feed;
        error = uses_in_order(&e->part[p], in, node, &uses, e->diag);
        if (!error && in) error = feed_of(&feed, &e->part[p], &uses, e->diag);
        if (!error) write_steps(e, &e->part[p], in, node, stream, &uses, &feed, end - e->part[p].map_at, form, file);
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
                if (!e->lanes[!out][node_at(e, v) * e->geometry.streams + j]) continue;
                snprintf(name, sizeof name, "tables/%s%05u%02u.hex", out ? "out" : "in", v, j);
                FILE *file = crl_folder_file(e->folder, name, e->diag);
                error = file ? write_map(e, !out, node_at(e, v), j, AS_MARKED, file) : CRL_ERR_IO;
            }
    return error;
}

char *use_list(const struct emission *e, bool in)
{
    const uint32_t streams = e->geometry.streams;
    struct list list;
    list_open(&list);
    for (uint32_t i = e->nodes * streams; i-- > 0;)
        list_item(&list, !i, "%u'h%x", e->geometry.lanes,
                  e->lanes[in][node_at(e, i / streams) * streams + i % streams]);
    return list_close(&list);
}

char *keep_list(const struct emission *e)
{
    const uint32_t streams = e->geometry.streams;
    struct list list;
    list_open(&list);
    for (uint32_t i = e->nodes * streams; i-- > 0;)
        list_item(&list, !i, "1'b%d", e->keeps[node_at(e, i / streams) * streams + i % streams]);
    return list_close(&list);
}
