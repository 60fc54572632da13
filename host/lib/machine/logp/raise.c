// SPDX-License-Identifier: Apache-2.0
// The way back: follows every word by name through the tables of a LogP machine, and so reads a schedule out of them.
// What comes out must be what was lowered.
#include "base/base.h"
#include "machine/logp/image.h"
#include <stdlib.h>

// Names of words: an item, a value or an operand; or that of a message, which is its number in the schedule.
static const uint32_t nothing = UINT32_MAX, total_name = UINT32_MAX - 1;

// A word that waits or was taken: what it is, and which message brought it.
struct word {
    uint32_t name, message;
};

struct processor {
    struct word hold, last;
    uint32_t write_name, write_addr; // of the last row: not in the memory yet; CRL_NONE: none
    uint32_t own;                    // values and operands combined so far
    bool part, total;                // the accumulators hold something
    bool kept;                       // the total is in the bank, and nothing was added since
    uint32_t kept_addr;
};

struct raise {
    const struct crl_logp_image *image;
    struct crl_logp_schedule *schedule;
    struct processor *processor; // [P]
    uint32_t *memory;            // [P][2^addr_width] names
    bool *used;                  // [P][2^addr_width] operands that were combined
    struct word *flying;         // [L + 1][P][2] by row of arrival
};

static uint32_t *word_at(struct raise *r, uint32_t v, uint32_t addr)
{
    return &r->memory[((size_t)v << r->image->geometry.addr_width) + addr];
}

// Message `word` is taken in `row`: when its reception begins, or where it is combined when that is over.
static void receive(struct raise *r, struct word word, uint32_t row)
{
    const struct crl_logp_problem *p = &r->image->problem;
    uint32_t after = crl_logp_combines(p) ? p->machine.o + (p->kind == CRL_LOGP_SUMMATION) : 0;
    if (word.message != nothing && row >= after) r->schedule->sends[word.message].rtime = row - after;
}

// Own values and operands are combined once each; a message goes into both accumulators, the first into an empty part.
static int combine(struct raise *r, uint32_t v, const struct crl_logp_row *row, struct word taken)
{
    struct processor *p = &r->processor[v];
    bool combining = r->image->problem.kind == CRL_LOGP_COMBINING;
    if (!(row->part & 1) && !(row->total & 1)) return 0;
    if (!crl_logp_combines(&r->image->problem)) return CRL_ERR_MISMATCH;
    p->kept = false;
    if (row->operand) {
        bool *used = &r->used[((size_t)v << r->image->geometry.addr_width) + row->raddr];
        if (*used || *word_at(r, v, row->raddr) == nothing || row->part & 1) return CRL_ERR_MISMATCH;
        if (row->total != (p->total ? CRL_LOGP_COMBINE : CRL_LOGP_LOAD)) return CRL_ERR_MISMATCH;
        *used = true;
        p->own++;
    } else {
        if (taken.name == nothing || row->total != CRL_LOGP_COMBINE || !p->total) return CRL_ERR_MISMATCH;
        uint32_t part = !combining ? CRL_LOGP_KEEP : p->part ? CRL_LOGP_COMBINE : CRL_LOGP_LOAD;
        if (row->part != part) return CRL_ERR_MISMATCH;
        p->part = combining;
    }
    p->total = true;
    return 0;
}

// The name of what leaves, or nothing.
static uint32_t leaving(struct raise *r, uint32_t v, const struct crl_logp_row *row, struct word taken,
                        struct word last, uint32_t stored)
{
    const struct processor *p = &r->processor[v];
    bool combines = crl_logp_combines(&r->image->problem);
    switch (row->what) {
    case CRL_LOGP_STORED: return combines ? nothing : stored;
    case CRL_LOGP_TAKEN: return combines ? nothing : taken.name;
    case CRL_LOGP_LAST: return combines ? nothing : last.name;
    case CRL_LOGP_PART: return p->part ? 1 : nothing;
    case CRL_LOGP_TOTAL: return p->total ? 0 : nothing;
    default: return nothing;
    }
}

static int play_row(struct raise *r, uint32_t v, uint32_t number, const struct crl_logp_row *row)
{
    const struct crl_logp *m = &r->image->problem.machine;
    struct processor *p = &r->processor[v];
    struct word *arrival = &r->flying[((size_t)(number % (m->L + 1)) * m->P + v) * 2];
    struct word first = arrival[0], second = arrival[1];
    arrival[0] = arrival[1] = (struct word){nothing, nothing};
    if (row->expect != (first.name != nothing) + 2u * (second.name != nothing)) return CRL_ERR_MISMATCH;
    struct word taken = row->held ? p->hold : row->swap ? second : first, last = p->last;
    if (row->held) p->hold = (struct word){nothing, nothing};
    if (row->hold && p->hold.name != nothing) return CRL_ERR_MISMATCH;
    if (row->hold) p->hold = second.name != nothing && !row->swap ? second : first;
    p->last = taken;
    if (row->held || row->expect == 3 || (row->expect && !row->hold)) receive(r, taken, number);
    uint32_t stored = *word_at(r, v, row->raddr);
    if (combine(r, v, row, taken)) return CRL_ERR_MISMATCH;

    if (p->write_addr != CRL_NONE) *word_at(r, v, p->write_addr) = p->write_name;
    p->write_addr = row->store ? row->waddr : CRL_NONE;
    p->write_name = row->store_total ? total_name : taken.name;
    if (row->store && p->write_name == nothing) return CRL_ERR_MISMATCH;
    if (row->store && row->store_total) {
        p->kept = true;
        p->kept_addr = row->waddr;
    }
    if (!row->send) return 0;
    uint32_t name = leaving(r, v, row, taken, last, stored);
    if (name == nothing || row->dest >= m->P || number < m->o) return CRL_ERR_MISMATCH;
    struct word *to = &r->flying[((size_t)((number + m->L) % (m->L + 1)) * m->P + row->dest) * 2];
    if (to->name != nothing && (++to)->name != nothing) return CRL_ERR_MISMATCH; // a third
    *to = (struct word){name, (uint32_t)r->schedule->count};
    return crl_logp_schedule_add(
        r->schedule, (struct crl_logp_send){
                         .time = number - m->o, .src = v, .dst = row->dest, .item = name, .rtime = number + m->L});
}

static void load(struct raise *r)
{
    const struct crl_logp *m = &r->image->problem.machine;
    size_t words = (size_t)m->P << r->image->geometry.addr_width;
    for (size_t i = 0; i < words; i++) r->memory[i] = nothing;
    for (size_t i = 0; i < (size_t)(m->L + 1) * m->P * 2; i++) r->flying[i] = (struct word){nothing, nothing};
    for (uint32_t v = 0; v < m->P; v++) {
        r->processor[v] = (struct processor){
            .hold = {nothing, nothing}, .last = {nothing, nothing}, .write_addr = CRL_NONE, .write_name = nothing};
        for (uint32_t i = 0; i < r->image->before[v].count; i++) {
            const struct crl_logp_place *p = &r->image->before[v].place[i];
            *word_at(r, v, p->addr) = p->item;
        }
    }
}

// At the end the memories must hold what the image says.
static int judge(struct raise *r)
{
    bool combines = crl_logp_combines(&r->image->problem);
    for (uint32_t v = 0; v < r->image->problem.machine.P; v++) {
        struct processor *p = &r->processor[v];
        if (p->write_addr != CRL_NONE) *word_at(r, v, p->write_addr) = p->write_name;
        if (combines && p->own != r->image->before[v].count) return CRL_ERR_MISMATCH;
        for (uint32_t i = 0; i < r->image->after[v].count; i++) {
            const struct crl_logp_place *place = &r->image->after[v].place[i];
            if (*word_at(r, v, place->addr) != (combines ? total_name : place->item)) return CRL_ERR_MISMATCH;
            if (combines && (!p->kept || p->kept_addr != place->addr)) return CRL_ERR_MISMATCH;
        }
    }
    return 0;
}

static int play(struct raise *r)
{
    const struct crl_logp_geometry *g = &r->image->geometry;
    struct crl_logp_row row;
    int error = 0;
    for (uint32_t number = 0; number < g->rows && !error; number++)
        for (uint32_t v = 0; v < r->image->problem.machine.P && !error; v++) {
            crl_logp_row_unpack(g, crl_logp_image_row(r->image, v, number), &row);
            error = play_row(r, v, number, &row);
        }
    return error ? error : judge(r);
}

int crl_logp_raise(struct crl_logp_schedule *schedule, const struct crl_logp_image *image, struct crl_diag *diag)
{
    const struct crl_logp *m = &image->problem.machine;
    size_t words = (size_t)m->P << image->geometry.addr_width;
    struct raise r = {.image = image, .schedule = schedule};
    *schedule = (struct crl_logp_schedule){0};
    r.processor = malloc(sizeof *r.processor * m->P);
    r.memory = malloc(sizeof *r.memory * words);
    r.used = calloc(words, sizeof *r.used);
    r.flying = malloc(sizeof *r.flying * (m->L + 1) * m->P * 2);
    int error = r.processor && r.memory && r.used && r.flying ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        load(&r);
        error = play(&r);
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_logp_send *s = &schedule->sends[i];
        schedule->buffered |= s->rtime != s->time + m->o + m->L;
    }
    if (!error) error = crl_logp_schedule_sort(schedule);
    CRL_FREE(r.processor, r.memory, r.used, r.flying);
    if (error == CRL_ERR_MISMATCH)
        return crl_fail(diag, error, "a table sends, takes, combines or keeps a word that is not what it should be");
    return error ? crl_fail_memory(diag) : 0;
}
