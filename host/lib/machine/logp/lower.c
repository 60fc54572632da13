// SPDX-License-Identifier: Apache-2.0
// Lowering for the LogP machine: a checked schedule becomes a table and placements for every processor.
//
// Row r puts a word on the link in time unit r, and takes in a word that has been under way until r. A send that starts
// at t is in row t + o. Its word arrives in row t + o + L. It is taken when its reception begins, in the same row
// unless it has to wait for another; what is combined is taken when the reception ends, and in a summation when it is
// added. Until it is taken a word waits in the holding register.
#include "base/pool.h"
#include "machine/logp/check.h"
#include "base/base.h"
#include "machine/logp/image.h"
#include <stdlib.h>
#include <string.h>

// An item at a processor: since when and where.
struct holding {
    uint32_t addr;
    uint32_t taken; // row; CRL_NONE: it was there from the start
    bool there;
};

struct lowering {
    struct crl_pool pool;
    struct crl_logp_image *image;
    const struct crl_logp_schedule *schedule;
    const struct crl_logp_problem *problem;
    uint32_t after;           // rows between the beginning of a reception and the row that takes its word
    uint32_t *lowest;         // [P][rows] lowest sender of what arrives
    uint8_t *arriving;        // [P][rows] how many words do
    uint32_t *arrivals;       // sends in order of the row they are taken in
    struct crl_logp_row *row; // [P][rows]
    uint32_t *depth;          // [P] words of the bank in use
    struct holding *holding;  // [P][items]; not for those that combine
    bool *busy;               // [P][rows] the accumulator is taken by a message; summation
    bool *received;           // [P]; those that combine
    struct crl_diag *diag;
};

static size_t cell(const struct lowering *l, uint32_t processor, uint64_t row)
{
    return (size_t)processor * l->image->geometry.rows + row;
}

static struct crl_logp_row *row_at(struct lowering *l, uint32_t processor, uint64_t row)
{
    return &l->row[cell(l, processor, row)];
}

static uint64_t arrival_row(const struct lowering *l, const struct crl_logp_send *s)
{
    return (uint64_t)s->time + l->problem->machine.o + l->problem->machine.L;
}

static uint64_t taken_row(const struct lowering *l, const struct crl_logp_send *s)
{
    return (uint64_t)s->rtime + l->after;
}

static struct holding *holding_of(struct lowering *l, uint32_t processor, uint32_t item)
{
    return &l->holding[(size_t)processor * crl_logp_items(l->problem) + item];
}

static int not_checked(struct lowering *l, const struct crl_logp_send *s)
{
    return crl_fail(l->diag, CRL_ERR_ARGUMENT, "processor %u sends item %u at time %u and breaks a rule; check first",
                    s->src, s->item, s->time);
}

static int place(struct crl_logp_places *places, uint32_t item, uint32_t addr)
{
    size_t capacity = places->count; // grown one by one: powers of two are full
    if (!(capacity & (capacity - 1))) {
        size_t room = capacity ? capacity * 2 : 1;
        if (CRL_RESIZE(room, {&places->place, sizeof *places->place})) return CRL_ERR_MEMORY;
    }
    places->place[places->count++] = (struct crl_logp_place){item, addr};
    return 0;
}

// ---- sends

static int put_send(struct lowering *l, const struct crl_logp_send *s)
{
    struct crl_logp_row *row = row_at(l, s->src, (uint64_t)s->time + l->problem->machine.o);
    if (row->send) return not_checked(l, s);
    row->send = 1;
    row->dest = s->dst;
    if (crl_logp_combines(l->problem)) {
        row->what = s->item ? CRL_LOGP_PART : CRL_LOGP_TOTAL;
        return 0;
    }
    const struct holding *h = holding_of(l, s->src, s->item);
    if (!h->there) return not_checked(l, s);
    uint64_t now = (uint64_t)s->time + l->problem->machine.o;
    uint64_t age = h->taken == CRL_NONE ? UINT64_MAX : now - h->taken;
    // What row r takes is in the bank for row r + 2.
    row->what = age == 0 ? CRL_LOGP_TAKEN : age == 1 ? CRL_LOGP_LAST : CRL_LOGP_STORED;
    if (row->what == CRL_LOGP_STORED) row->raddr = h->addr;
    return 0;
}

// ---- arrivals

static void combine(struct lowering *l, const struct crl_logp_send *s, struct crl_logp_row *row)
{
    if (l->problem->kind == CRL_LOGP_COMBINING) row->part = l->received[s->dst] ? CRL_LOGP_COMBINE : CRL_LOGP_LOAD;
    row->total = CRL_LOGP_COMBINE;
    l->received[s->dst] = true;
    for (uint64_t r = arrival_row(l, s) + 1; l->problem->kind == CRL_LOGP_SUMMATION && r <= taken_row(l, s); r++)
        l->busy[cell(l, s->dst, r)] = true;
}

static int put_arrival(struct lowering *l, const struct crl_logp_send *s)
{
    uint64_t arrives = arrival_row(l, s), taken = taken_row(l, s);
    struct crl_logp_row *row = row_at(l, s->dst, arrives);
    // Of two words the first is that of the lower sender, and the one that is not taken waits.
    uint32_t second = s->src != l->lowest[cell(l, s->dst, arrives)];
    row->expect |= 1u << second;
    if (taken > arrives) {
        row->hold = 1;
        row = row_at(l, s->dst, taken);
        row->held = 1;
    } else if (second) {
        row->swap = 1;
    }
    if (crl_logp_combines(l->problem)) {
        combine(l, s, row);
        return 0;
    }
    struct holding *h = holding_of(l, s->dst, s->item);
    if (h->there) return 0; // has it already: nobody needs this one
    *h = (struct holding){l->depth[s->dst]++, (uint32_t)taken, true};
    row->store = 1;
    row->waddr = h->addr;
    return 0;
}

// How many words arrive at a processor at once, and the lowest sender of them.
static int count_arrivals(struct lowering *l)
{
    for (size_t i = 0; i < l->schedule->count; i++) {
        const struct crl_logp_send *s = &l->schedule->sends[i];
        size_t at = cell(l, s->dst, arrival_row(l, s));
        if (!l->arriving[at] || s->src < l->lowest[at]) l->lowest[at] = s->src;
        if (++l->arriving[at] > 2)
            return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                            "three messages arrive at processor %u at once, at time %llu; the hardware takes in two",
                            s->dst, (unsigned long long)arrival_row(l, s));
    }
    return 0;
}

// The holding register has room for one word, and a row takes one.
static int check_holding(struct lowering *l)
{
    for (uint32_t v = 0; v < l->problem->machine.P; v++) {
        bool full = false;
        for (uint32_t r = 0; r < l->image->geometry.rows; r++) {
            const struct crl_logp_row *row = row_at(l, v, r);
            if (row->held && !full)
                return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                                "processor %u receives what waits in another order than it came, at time %u", v, r);
            // Where two came, one is taken now, so that one waits; or neither is.
            if ((row->hold && full && !row->held) || (row->expect == 3 && (!row->hold || row->held)))
                return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                                "two messages wait at processor %u at time %u; the hardware holds one", v, r);
            full = row->hold || (full && !row->held);
        }
    }
    return 0;
}

// A combination leaves the processor o after its send began; what it is made of must not change in between.
static int check_snapshots(struct lowering *l)
{
    const struct crl_logp *m = &l->problem->machine;
    for (size_t i = 0; i < l->schedule->count; i++) {
        const struct crl_logp_send *s = &l->schedule->sends[i];
        for (uint64_t r = (uint64_t)s->time + 1; r <= (uint64_t)s->time + m->o; r++)
            if (row_at(l, s->src, r)->total == CRL_LOGP_COMBINE)
                return crl_fail(l->diag, CRL_ERR_UNSUPPORTED,
                                "processor %u combines while it sends, at time %u; the hardware cannot", s->src,
                                s->time);
    }
    return 0;
}

static int put_messages(struct lowering *l)
{
    const struct crl_logp_schedule *s = l->schedule;
    size_t next = 0;
    int error = count_arrivals(l);
    for (size_t i = 0; i <= s->count && !error; i++) {
        // What is received by the time of a send is known when the send is written.
        for (; next < s->count && !error; next++) {
            const struct crl_logp_send *arrival = &s->sends[l->arrivals[next]];
            if (i < s->count && taken_row(l, arrival) > (uint64_t)s->sends[i].time) break;
            error = put_arrival(l, arrival);
        }
        if (i < s->count && !error) error = put_send(l, &s->sends[i]);
    }
    if (!error) error = check_holding(l);
    if (!error && crl_logp_combines(l->problem)) error = check_snapshots(l);
    return error;
}

// ---- what is there at first and at the end

static int place_items(struct lowering *l)
{
    const struct crl_logp_problem *p = l->problem;
    uint64_t items = crl_logp_items(p);
    int error = 0;
    for (uint32_t item = 0; item < items && !error; item++) {
        if (!crl_logp_item_exists(p, item)) continue;
        uint32_t v = crl_logp_item_origin(p, item);
        *holding_of(l, v, item) = (struct holding){l->depth[v]++, CRL_NONE, true};
        error = place(&l->image->before[v], item, holding_of(l, v, item)->addr);
    }
    return error;
}

static int place_results(struct lowering *l)
{
    const struct crl_logp_problem *p = l->problem;
    uint64_t items = crl_logp_items(p);
    int error = 0;
    for (uint32_t v = 0; v < p->machine.P; v++)
        for (uint32_t item = 0; item < items && !error; item++) {
            const struct holding *h = holding_of(l, v, item);
            if (!crl_logp_item_exists(p, item) || !crl_logp_item_wanted(p, item, v)) continue;
            if (!h->there)
                return crl_fail(l->diag, CRL_ERR_ARGUMENT, "processor %u never gets item %u; check first", v, item);
            error = place(&l->image->after[v], item, h->addr);
        }
    return error;
}

// The last row writes the total into the bank.
static int keep_total(struct lowering *l, uint32_t v)
{
    struct crl_logp_row *row = row_at(l, v, l->image->geometry.rows - 1);
    row->store = row->store_total = 1;
    row->waddr = l->depth[v]++;
    return place(&l->image->after[v], 0, row->waddr);
}

static void load_own(struct lowering *l, uint32_t v)
{
    struct crl_logp_row *row = row_at(l, v, 0);
    row->operand = 1;
    row->raddr = 0;
    row->total = CRL_LOGP_LOAD;
}

static int place_values(struct lowering *l)
{
    int error = 0;
    for (uint32_t v = 0; v < l->problem->machine.P && !error; v++) {
        l->depth[v] = 1;
        load_own(l, v);
        error = place(&l->image->before[v], v, 0);
        if (!error) error = keep_total(l, v);
    }
    return error;
}

// Each processor's own operands: the first is loaded, the others are added, one a row, in the rows that no message
// takes.
static int place_operands(struct lowering *l)
{
    uint32_t P = l->problem->machine.P, number = 0;
    CRL_OWNED uint64_t *chain = malloc(sizeof *chain * P);
    int error = chain ? 0 : CRL_ERR_MEMORY;
    if (!error) crl_logp_chains(l->schedule, &l->image->problem, l->image->problem.time, chain);
    for (uint32_t v = 0; v < P && !error; v++) {
        if (chain[v]) load_own(l, v);
        uint32_t row = 1;
        for (uint32_t k = 0; k < chain[v] && !error; k++) {
            error = place(&l->image->before[v], number++, k);
            if (!k || error) continue;
            while (row < l->image->geometry.rows && l->busy[cell(l, v, row)]) row++;
            if (row == l->image->geometry.rows)
                return free(chain), crl_fail(l->diag, CRL_ERR_ARGUMENT, "processor %u has no time for its operands", v);
            struct crl_logp_row *add = row_at(l, v, row++);
            add->operand = 1;
            add->raddr = k;
            add->total = CRL_LOGP_COMBINE;
        }
        l->depth[v] = (uint32_t)chain[v];
    }
    return error ? error : keep_total(l, 0);
}

// ---- the whole

static int emit(struct lowering *l)
{
    struct crl_logp_image *image = l->image;
    struct crl_logp_geometry *g = &image->geometry;
    enum { SMALLEST = 8, LARGEST = 24 }; // a block RAM of the iCE40 holds 256 words: fewer save nothing
    uint32_t P = image->problem.machine.P, deepest = 0;
    for (uint32_t v = 0; v < P; v++)
        if (l->depth[v] > deepest) deepest = l->depth[v];
    g->addr_width = crl_bits_for(deepest) > SMALLEST ? crl_bits_for(deepest) : SMALLEST;
    if (g->addr_width > LARGEST) return crl_fail(l->diag, CRL_ERR_LIMIT, "too many items for a processor's memory");
    uint32_t words = crl_logp_row_words(g);
    uint32_t *bits = malloc(sizeof *bits * g->rows * words), *numbers = malloc(sizeof *numbers * g->rows);
    struct crl_row_builder *builder = NULL;
    int error = bits && numbers ? crl_row_builder_new(&builder, words) : CRL_ERR_MEMORY;
    for (uint32_t r = 0; r < g->rows && !error; r++) numbers[r] = r;
    for (uint32_t v = 0; v < P && !error; v++) {
        for (uint32_t r = 0; r < g->rows; r++)
            crl_logp_row_pack(g, &l->row[(size_t)v * g->rows + r], bits + (size_t)r * words);
        crl_row_builder_add(builder, numbers, bits, g->rows, false);
    }
    CRL_FREE(bits, numbers);
    uint32_t tables;
    int ended = crl_row_builder_end(builder, &image->store, &tables);
    return error ? error : ended;
}

static uint64_t key_taken(const void *user, uint32_t index)
{
    const struct lowering *l = user;
    return taken_row(l, &l->schedule->sends[index]);
}

static int lower(struct lowering *l, uint64_t last)
{
    struct crl_logp_image *image = l->image;
    const struct crl_logp_schedule *s = l->schedule;
    size_t P = image->problem.machine.P, cells = P * image->geometry.rows;
    bool combines = crl_logp_combines(l->problem);
    uint64_t items = combines ? 0 : crl_logp_items(l->problem);
    if (items * P > UINT32_C(1) << 26 || cells > UINT32_C(1) << 26)
        return crl_fail(l->diag, CRL_ERR_LIMIT, "too many items, or too long a schedule, for tables");
    CRL_ZEROED(&l->pool, l->row, cells);
    CRL_ZEROED(&l->pool, l->holding, items * P);
    CRL_ZEROED(&l->pool, l->busy, cells);
    CRL_ZEROED(&l->pool, l->arriving, cells);
    CRL_ZEROED(&l->pool, l->received, P);
    CRL_NUMBERS(&l->pool, cells, &l->lowest);
    CRL_NUMBERS(&l->pool, P, &l->depth);
    CRL_NUMBERS(&l->pool, s->count, &l->arrivals);
    image->before = calloc(P, sizeof *image->before);
    image->after = calloc(P, sizeof *image->after);
    if (!image->before || !image->after || crl_pool_error(&l->pool)) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < s->count; i++) l->arrivals[i] = (uint32_t)i;
    int error = crl_sort_order(l->arrivals, (uint32_t)s->count, key_taken, l, last);
    if (!error && !combines) error = place_items(l);
    if (!error) error = put_messages(l);
    if (!error && !combines) error = place_results(l);
    if (!error && l->problem->kind == CRL_LOGP_COMBINING) error = place_values(l);
    if (!error && l->problem->kind == CRL_LOGP_SUMMATION) error = place_operands(l);
    return error ? error : emit(l);
}

// What the hardware does not take.
static int refuse(const struct crl_logp_problem *problem, uint32_t words, uint32_t data_width, struct crl_diag *diag)
{
    const struct crl_logp *m = &problem->machine;
    if (m->P > CRL_LOGP_PLAY_P_MAX || m->L < 1 || m->L > CRL_LOGP_PLAY_L_MAX)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "'P=%u, L=%u'; the hardware has 1 to %d processors and a latency of 1 to %d", m->P, m->L,
                        CRL_LOGP_PLAY_P_MAX, CRL_LOGP_PLAY_L_MAX);
    if (!words || words > 65536)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' words an item; must be 1 to 65536", words);
    if (!crl_is_data_width(data_width))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "words of '%u' bits; must be 8, 16, 32 or 64", data_width);
    return 0;
}

int crl_logp_lower(struct crl_logp_image *image, const struct crl_logp_schedule *schedule,
                   const struct crl_logp_problem *problem, uint64_t time, const char *scheme, uint32_t words,
                   uint32_t data_width, struct crl_diag *diag)
{
    enum { NAME_WIDTH = 6 }; // one crossbar serves all machines of up to 64 processors
    const struct crl_logp *m = &problem->machine;
    memset(image, 0, sizeof *image);
    bool summation = problem->kind == CRL_LOGP_SUMMATION;
    int error = refuse(problem, words, data_width, diag);
    if (error) return error;
    image->problem = *problem;
    struct lowering l = {.image = image,
                         .schedule = schedule,
                         .problem = &image->problem,
                         .after = crl_logp_combines(problem) ? m->o + summation : 0,
                         .diag = diag};
    uint64_t last = summation ? time : 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_logp_send *s = &schedule->sends[i];
        if (s->src >= m->P || s->dst >= m->P || s->rtime < arrival_row(&l, s)) return not_checked(&l, s);
        if (taken_row(&l, s) > last) last = taken_row(&l, s);
    }
    if (last >= CRL_LOGP_TIME_MAX) return crl_fail(diag, CRL_ERR_LIMIT, "too long a schedule for a table");
    if (summation) image->problem.time = (uint32_t)time;
    uint32_t name_width = crl_bits_for(m->P);
    image->geometry = (struct crl_logp_geometry){.name_width = name_width > NAME_WIDTH ? name_width : NAME_WIDTH,
                                                 .data_width = data_width,
                                                 .rows = (uint32_t)last + 1,
                                                 .words = words};
    snprintf(image->scheme, sizeof image->scheme, "%s", scheme);
    error = lower(&l, last);
    crl_pool_done(&l.pool);
    if (error) crl_logp_image_done(image);
    return error == CRL_ERR_MEMORY ? crl_fail_memory(diag) : error;
}
