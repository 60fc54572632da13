// SPDX-License-Identifier: Apache-2.0
#include "schedule/schedule.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

void crl_schedule_init(struct crl_schedule *schedule, const struct crl_topology *topology, enum crl_naming naming,
                       bool relative)
{
    *schedule = (struct crl_schedule){.topology = topology, .naming = naming, .folded = relative};
}

void crl_schedule_done(struct crl_schedule *schedule)
{
    free(schedule->moves);
    schedule->moves = NULL;
    schedule->count = schedule->capacity = 0;
}

int crl_schedule_add(struct crl_schedule *schedule, struct crl_move move)
{
    if (schedule->count >= UINT32_MAX - 1) return CRL_ERR_LIMIT;
    int error = crl_grow((void **)&schedule->moves, &schedule->capacity, schedule->count, sizeof move);
    if (error) return error;
    schedule->moves[schedule->count++] = move;
    return 0;
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

static uint64_t key_packet(const void *moves, uint32_t i)
{
    const struct crl_move *m = (const struct crl_move *)moves + i;
    return (uint64_t)m->origin << 32 | m->dest;
}

static uint64_t key_ends(const void *moves, uint32_t i)
{
    const struct crl_move *m = (const struct crl_move *)moves + i;
    return (uint64_t)m->src << 32 | m->dst;
}

static uint64_t key_slot(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].slot; }

int crl_schedule_sort(struct crl_schedule *schedule)
{
    size_t i = 1;
    while (i < schedule->count && crl_move_compare(&schedule->moves[i - 1], &schedule->moves[i]) <= 0) i++;
    if (i >= schedule->count) return 0; // the usual case: files are written in this order
    uint32_t count = (uint32_t)schedule->count, *order = malloc(sizeof *order * count);
    struct crl_move *sorted = malloc(sizeof *sorted * count);
    int error = order && sorted ? 0 : CRL_ERR_MEMORY;
    for (uint32_t k = 0; k < count && !error; k++) order[k] = k;
    if (!error) error = crl_sort_order(order, count, key_packet, schedule->moves, UINT64_MAX);
    if (!error) error = crl_sort_order(order, count, key_ends, schedule->moves, UINT64_MAX);
    if (!error) error = crl_sort_order(order, count, key_slot, schedule->moves, UINT32_MAX);
    if (error) {
        free(sorted);
    } else {
        for (uint32_t k = 0; k < count; k++) sorted[k] = schedule->moves[order[k]];
        free(schedule->moves);
        schedule->moves = sorted;
        schedule->capacity = count;
    }
    free(order);
    return error;
}

uint64_t crl_schedule_transmissions(const struct crl_schedule *schedule)
{
    return (uint64_t)schedule->count * (schedule->folded ? crl_topology_nodes(schedule->topology) : 1);
}

uint32_t crl_schedule_slots(const struct crl_schedule *schedule)
{
    uint32_t last = 0;
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->moves[i].slot > last) last = schedule->moves[i].slot;
    return last;
}

struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by)
{
    const struct crl_topology *t = schedule->topology;
    move.src = crl_topology_shift(t, move.src, by);
    move.dst = crl_topology_shift(t, move.dst, by);
    move.origin = crl_topology_shift(t, move.origin, by);
    if (schedule->naming == CRL_NAMING_PAIR) move.dest = crl_topology_shift(t, move.dest, by);
    return move;
}

int crl_schedule_expand(struct crl_schedule *full, const struct crl_schedule *schedule, struct crl_diag *diag)
{
    crl_schedule_init(full, schedule->topology, schedule->naming, false);
    uint64_t count = crl_schedule_transmissions(schedule);
    if (count >= UINT32_MAX - 1)
        return crl_fail(diag, CRL_ERR_LIMIT, "the full schedule has %llu rows, too many to hold; use --relative",
                        (unsigned long long)count);
    full->moves = malloc(sizeof *full->moves * (count ? count : 1));
    if (!full->moves) return crl_fail_memory(diag);
    full->capacity = count;
    uint32_t nodes = schedule->folded ? crl_topology_nodes(schedule->topology) : 1;
    for (size_t i = 0; i < schedule->count; i++)
        for (uint32_t v = 0; v < nodes; v++)
            full->moves[full->count++] =
                schedule->folded ? crl_move_translate(schedule, schedule->moves[i], v) : schedule->moves[i];
    if (crl_schedule_sort(full)) return crl_fail_memory(diag);
    return 0;
}

static int compare(const void *a, const void *b) { return crl_move_compare(a, b); }

bool crl_schedule_fold(struct crl_schedule *schedule)
{
    const struct crl_topology *t = schedule->topology;
    if (schedule->folded || !crl_topology_is_symmetric(t) || !schedule->count) return schedule->folded;
    struct crl_schedule own;
    crl_schedule_init(&own, t, schedule->naming, true);
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->moves[i].src == 0 && crl_schedule_add(&own, schedule->moves[i])) goto no;
    if ((uint64_t)own.count * crl_topology_nodes(t) != schedule->count) goto no;
    // As many moves as translates, all different: they are the translates if each, moved to node 0, is one of node 0's.
    for (size_t i = 0; i < schedule->count; i++) {
        struct crl_move m = schedule->moves[i];
        uint32_t by = m.src;
        if (i && crl_move_compare(&m, &schedule->moves[i - 1]) == 0) goto no;
        m.src = 0;
        m.dst = crl_topology_unshift(t, m.dst, by);
        m.origin = crl_topology_unshift(t, m.origin, by);
        if (schedule->naming == CRL_NAMING_PAIR) m.dest = crl_topology_unshift(t, m.dest, by);
        if (!bsearch(&m, own.moves, own.count, sizeof m, compare)) goto no;
    }
    crl_schedule_done(schedule);
    *schedule = own;
    return true;
no:
    crl_schedule_done(&own);
    return false;
}
