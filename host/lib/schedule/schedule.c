// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule.h"
#include "base/base.h"
#include "base/parallel.h"
#include "schedule/narrow.h"
#include <stdlib.h>
#include <string.h>

void crl_schedule_init(struct crl_schedule *schedule, const struct crl_topology *topology, enum crl_naming naming,
                       bool folded)
{
    *schedule = (struct crl_schedule){.topology = topology, .naming = naming, .folded = folded, .first_line = 1};
}

void crl_schedule_init_for(struct crl_schedule *schedule, const struct crl_problem *problem, bool folded)
{
    crl_schedule_init(schedule, problem->topology, crl_problem_naming(problem), folded);
    schedule->demands = problem->demands;
}

const char *crl_schedule_packet_name(const struct crl_schedule *schedule, const struct crl_move *move,
                                     char text[CRL_PACKET_NAME])
{
    return crl_packet_name(schedule->naming, schedule->demands, move->origin, move->dest, text);
}

uint32_t crl_schedule_source(const struct crl_schedule *schedule, const struct crl_move *move)
{
    const struct crl_demands *d = schedule->demands;
    return !d ? move->origin : move->origin < d->count ? d->demand[move->origin].src : CRL_NONE;
}

void crl_schedule_done(struct crl_schedule *schedule)
{
    CRL_FREE(schedule->moves, schedule->slot_start, schedule->line);
    crl_narrow_free(schedule->narrow);
    schedule->moves = NULL;
    schedule->narrow = NULL;
    schedule->slot_start = schedule->line = NULL;
    schedule->count = schedule->capacity = schedule->slots = 0;
    schedule->error = 0;
}

int crl_schedule_add(struct crl_schedule *schedule, struct crl_move move)
{
    if (!schedule->error && schedule->count >= UINT32_MAX - 1) schedule->error = CRL_ERR_LIMIT;
    if (!schedule->error)
        schedule->error = crl_grow((void **)&schedule->moves, &schedule->capacity, schedule->count, sizeof move);
    if (!schedule->error) schedule->moves[schedule->count++] = move;
    return schedule->error;
}

void crl_schedule_append(struct crl_schedule *schedule, const struct crl_schedule *more, uint32_t slots,
                         uint32_t origin)
{
    if (!schedule->error) schedule->error = more->error;
    for (size_t i = 0; i < more->count; i++) {
        struct crl_move m = more->moves[i];
        m.slot += slots;
        m.origin += origin;
        crl_schedule_add(schedule, m);
    }
}

uint64_t crl_schedule_line(const struct crl_schedule *schedule, size_t index)
{
    return schedule->line ? schedule->line[index] : schedule->first_line + (uint64_t)index;
}

void crl_schedule_forget_lines(struct crl_schedule *schedule)
{
    free(schedule->line);
    schedule->line = NULL;
    schedule->first_line = 1;
}

int crl_schedule_widen(struct crl_schedule *schedule, struct crl_diag *diag)
{
    if (!schedule->narrow) return 0;
    int error = crl_narrow_widen(schedule, diag);
    if (!error) crl_schedule_fold(schedule);
    return error;
}

uint64_t crl_schedule_transmissions(const struct crl_schedule *schedule)
{
    return (uint64_t)schedule->count * (schedule->folded ? crl_topology_nodes(schedule->topology) : 1);
}

uint32_t crl_arrival_slot(const struct crl_topology *topology, uint32_t slot, uint32_t src, uint32_t dst)
{
    uint64_t arrival = slot + UINT64_C(0) + crl_topology_link_latency(topology, src, dst) - 1;
    return arrival < UINT32_MAX ? (uint32_t)arrival : slot; // so late a slot is refused elsewhere
}

uint32_t crl_move_port(const struct crl_schedule *schedule, const struct crl_move *m)
{
    uint32_t before = 0;
    for (const struct crl_move *b = m;
         b-- > schedule->moves && b->src == m->src && b->dst == m->dst && b->slot == m->slot;)
        before++;
    return crl_topology_port_nth(schedule->topology, m->src, m->dst, before);
}

uint32_t crl_schedule_slots(const struct crl_schedule *schedule)
{
    uint32_t last = 0, most = crl_topology_latency_max(schedule->topology);
    if (schedule->narrow) return schedule->slots ? schedule->narrow->slot[schedule->slots - 1] : 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct crl_move *m = &schedule->moves[i];
        uint32_t slot = most == 1 ? m->slot : crl_arrival_slot(schedule->topology, m->slot, m->src, m->dst);
        if (slot > last) last = slot;
    }
    return last;
}

int crl_move_compare(const struct crl_move *a, const struct crl_move *b)
{
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (a->src != b->src) return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst) return a->dst < b->dst ? -1 : 1;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    if (a->dest != b->dest) return a->dest < b->dest ? -1 : 1;
    return 0;
}

// ---- canonical order

static bool in_order(const struct crl_move *a, const struct crl_move *b)
{
    if (a->slot != b->slot) return a->slot < b->slot;
    if (a->src != b->src) return a->src < b->src;
    return a->dst != b->dst ? a->dst < b->dst : crl_move_compare(a, b) <= 0;
}

// What one thread sees of the moves.
struct glance {
    bool in_order, by_slot; // canonical order; slots alone
    uint32_t *start;        // where slots begin, as long as they are in order
    size_t slots, capacity;
};
struct index {
    struct crl_schedule *schedule;
    uint32_t shares;
    struct glance *glance;
};

static int look_at_share(void *user, uint32_t share)
{
    const struct index *index = user;
    const struct crl_schedule *s = index->schedule;
    struct glance *g = &index->glance[share];
    size_t end = crl_share_first(s->count, share + 1, index->shares);
    g->in_order = g->by_slot = true;
    for (size_t i = crl_share_first(s->count, share, index->shares); i < end; i++) {
        const struct crl_move *m = &s->moves[i];
        if (i && !in_order(m - 1, m)) {
            g->in_order = false;
            if (m->slot < m[-1].slot) return g->by_slot = false, 0;
        }
        if (i && m->slot == m[-1].slot) continue;
        if (CRL_PUSH(g->start, g->capacity, g->slots, (uint32_t)i)) return CRL_ERR_MEMORY;
    }
    return 0;
}

static int join(struct crl_schedule *s, const struct index *index)
{
    size_t slots = 0;
    for (uint32_t i = 0; i < index->shares; i++) slots += index->glance[i].slots;
    free(s->slot_start);
    s->slot_start = malloc(sizeof *s->slot_start * (slots + 1));
    if (!s->slot_start) return CRL_ERR_MEMORY;
    s->slots = 0;
    for (uint32_t i = 0; i < index->shares; i++) {
        const struct glance *g = &index->glance[i];
        if (g->slots) memcpy(s->slot_start + s->slots, g->start, sizeof *g->start * g->slots);
        s->slots += g->slots;
    }
    s->slot_start[slots] = (uint32_t)s->count;
    return 0;
}

// Makes the index of slots. Returns 1 when the moves are not in order: `by_slot` then says whether their slots are.
static int make_index(struct crl_schedule *s, uint32_t shares, bool *by_slot)
{
    enum { SHARES_MAX = 64 };
    struct glance glance[SHARES_MAX] = {{0}};
    struct index index = {s, shares, glance};
    bool sorted = *by_slot = true;
    int error = crl_parallel(shares, look_at_share, &index);
    for (uint32_t i = 0; i < shares; i++) {
        sorted = sorted && glance[i].in_order;
        *by_slot = *by_slot && glance[i].by_slot;
    }
    if (!error && *by_slot) error = join(s, &index);
    for (uint32_t i = 0; i < shares; i++) free(glance[i].start);
    return error ? error : !sorted;
}

static uint64_t key_slot(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].slot; }

static uint64_t key_ends(const void *moves, uint32_t i)
{
    const struct crl_move *m = (const struct crl_move *)moves + i;
    return (uint64_t)m->src << 32 | m->dst;
}

static uint64_t key_packet(const void *moves, uint32_t i)
{
    const struct crl_move *m = (const struct crl_move *)moves + i;
    return (uint64_t)m->origin << 32 | m->dest;
}

// Stable order of the slots: by counting where there are few, else digit by digit.
static int order_slots(uint32_t *order, const struct crl_move *moves, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        if (moves[i].slot > last) last = moves[i].slot;
    }
    if (last / 4 > count) return crl_sort_order(order, count, key_slot, moves, UINT32_MAX);
    CRL_OWNED uint32_t *start = calloc(last + UINT64_C(2), sizeof *start);
    if (!start) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) start[moves[i].slot + 1]++;
    for (uint32_t slot = 0; slot < last; slot++) start[slot + 1] += start[slot];
    for (uint32_t i = 0; i < count; i++) order[start[moves[i].slot]++] = i;
    return 0;
}

// Puts elements order[0…count) of both arrays, of which `line` may be NULL, in their places 0…count−1.
static int apply(struct crl_move *moves, uint32_t *line, const uint32_t *order, uint32_t count)
{
    CRL_OWNED struct crl_move *sorted = malloc(sizeof *sorted * count);
    CRL_OWNED uint32_t *sorted_line = line ? malloc(sizeof *line * count) : NULL;
    int error = !sorted || (line && !sorted_line) ? CRL_ERR_MEMORY : 0;
    for (uint32_t k = 0; k < count && !error; k++) {
        sorted[k] = moves[order[k]];
        if (line) sorted_line[k] = line[order[k]];
    }
    if (!error) memcpy(moves, sorted, sizeof *moves * count);
    if (!error && line) memcpy(line, sorted_line, sizeof *line * count);
    return error;
}

static void sort_few(struct crl_move *moves, uint32_t *line, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct crl_move move = moves[i];
        uint32_t at = i, its_line = line ? line[i] : 0;
        for (; at > 0 && crl_move_compare(&moves[at - 1], &move) > 0; at--) {
            moves[at] = moves[at - 1];
            if (line) line[at] = line[at - 1];
        }
        moves[at] = move;
        if (line) line[at] = its_line;
    }
}

static int sort_many(struct crl_move *moves, uint32_t *line, uint32_t count)
{
    uint32_t *order = malloc(sizeof *order * count), src = 0, origin = 0;
    int error = order ? 0 : CRL_ERR_MEMORY;
    for (uint32_t k = 0; k < count && !error; k++) {
        order[k] = k;
        src |= moves[k].src;
        origin |= moves[k].origin;
    }
    if (!error) error = crl_sort_order(order, count, key_packet, moves, (uint64_t)origin << 32 | UINT32_MAX);
    if (!error) error = crl_sort_order(order, count, key_ends, moves, (uint64_t)src << 32 | UINT32_MAX);
    if (!error) error = apply(moves, line, order, count);
    free(order);
    return error;
}

// Where senders are in order already, as most planners have them, only what one of them sends is sorted.
static int sort_slot(struct crl_move *moves, uint32_t *line, uint32_t count)
{
    enum { FEW = 48 };
    uint32_t i = 1;
    while (i < count && moves[i - 1].src <= moves[i].src) i++;
    if (i < count) return count <= FEW ? (sort_few(moves, line, count), 0) : sort_many(moves, line, count);
    int error = 0;
    for (uint32_t first = 0, end; first < count && !error; first = end) {
        for (end = first + 1; end < count && moves[end].src == moves[first].src;) end++;
        uint32_t *its = line ? line + first : NULL;
        if (end - first <= FEW) sort_few(moves + first, its, end - first);
        else error = sort_many(moves + first, its, end - first);
    }
    return error;
}

struct sorting {
    struct crl_schedule *schedule;
    uint32_t shares;
};

static int sort_share(void *user, uint32_t share)
{
    const struct sorting *sorting = user;
    struct crl_schedule *s = sorting->schedule;
    int error = 0;
    size_t end = crl_share_first(s->slots, share + 1, sorting->shares);
    for (size_t i = crl_share_first(s->slots, share, sorting->shares); i < end && !error; i++) {
        uint32_t first = s->slot_start[i];
        error = sort_slot(s->moves + first, s->line ? s->line + first : NULL, s->slot_start[i + 1] - first);
    }
    return error;
}

// Moves that come from a file take the numbers of their lines along.
static int number_lines(struct crl_schedule *s)
{
    if (s->line || s->first_line == 1) return 0;
    s->line = malloc(sizeof *s->line * s->count);
    for (size_t i = 0; s->line && i < s->count; i++) s->line[i] = (uint32_t)(s->first_line + i);
    return s->line ? 0 : CRL_ERR_MEMORY;
}

static int sort_by_slot(struct crl_schedule *s)
{
    uint32_t count = (uint32_t)s->count, *order = malloc(sizeof *order * count);
    int error = order ? order_slots(order, s->moves, count) : CRL_ERR_MEMORY;
    if (!error) error = apply(s->moves, s->line, order, count);
    free(order);
    return error;
}

int crl_schedule_sort(struct crl_schedule *schedule)
{
    enum { FEW = 1 << 16 }; // not worth a thread
    struct sorting sorting = {schedule, schedule->count < FEW ? 1 : crl_threads()};
    bool by_slot;
    if (schedule->error) return schedule->error;
    if (schedule->narrow) return 0; // they stand in order
    int error = make_index(schedule, sorting.shares, &by_slot);
    if (error <= 0) return error; // in order, as most files and plans are
    error = number_lines(schedule);
    if (!error && !by_slot && !(error = sort_by_slot(schedule))) error = make_index(schedule, sorting.shares, &by_slot);
    return error < 0 ? error : crl_parallel(sorting.shares, sort_share, &sorting);
}
