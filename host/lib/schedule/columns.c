// SPDX-License-Identifier: Apache-2.0
// Schedules as columns of numbers in the caller's memory.
#include "schedule/schedule.h"
#include "schedule/translates.h"

uint32_t crl_packet_numbers(enum crl_naming naming)
{
    return naming == CRL_NAMING_ORIGIN ? 1 : naming == CRL_NAMING_SPLIT_PAIR ? 3 : 2;
}

bool crl_packet_of_numbers(enum crl_naming naming, const struct crl_demands *demands,
                           const uint32_t numbers[CARILLON_PACKET_NUMBERS], struct crl_move *move)
{
    move->origin = numbers[0];
    move->dest = naming == CRL_NAMING_ORIGIN ? 0 : numbers[1];
    if (demands)
        return move->origin < demands->count &&
               move->dest < demands->first[move->origin + 1] - demands->first[move->origin];
    if (naming != CRL_NAMING_SPLIT_PAIR) return true;
    if (move->dest >= CRL_SPLIT_NODES_MAX || numbers[2] >> CRL_PART_BITS) return false;
    move->dest = move->dest << CRL_PART_BITS | numbers[2];
    return true;
}

// ---- out

struct filling {
    struct carillon_columns columns;
    size_t row; // the next one
    enum crl_naming naming;
};

// Columns that are left out are written to a place that nobody reads, row after row the same.
static bool put_moves(void *filling, const struct crl_move *moves, size_t count)
{
    struct filling *f = filling;
    enum { SLOT, SRC, DST, FIRST, SECOND, THIRD, ALL };
    const struct carillon_columns *c = &f->columns;
    uint32_t *column[ALL] = {c->slot, c->src, c->dst, c->packet[0], c->packet[1], c->packet[2]}, unread;
    size_t step[ALL];
    const bool split = f->naming == CRL_NAMING_SPLIT_PAIR;
    for (size_t k = 0; k < ALL; k++) {
        step[k] = column[k] ? c->stride / sizeof(uint32_t) : 0;
        column[k] = column[k] ? column[k] + f->row * step[k] : &unread;
    }
    for (size_t i = 0; i < count; i++) {
        const struct crl_move *m = &moves[i];
        column[SLOT][i * step[SLOT]] = m->slot;
        column[SRC][i * step[SRC]] = m->src;
        column[DST][i * step[DST]] = m->dst;
        column[FIRST][i * step[FIRST]] = m->origin;
        column[SECOND][i * step[SECOND]] = split ? m->dest >> CRL_PART_BITS : m->dest;
        column[THIRD][i * step[THIRD]] = split ? m->dest & ((1u << CRL_PART_BITS) - 1) : 0;
    }
    f->row += count;
    return true;
}

int crl_schedule_columns(const struct crl_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                         struct crl_diag *diag)
{
    struct filling f = {.columns = *columns, .naming = schedule->naming};
    const uint64_t rows = crl_schedule_transmissions(schedule);
    if (rows > room)
        return crl_fail(diag, CRL_ERR_LIMIT, "%llu rows have no room in %llu", (unsigned long long)rows,
                        (unsigned long long)room);
    if (!schedule->folded) put_moves(&f, schedule->moves, schedule->count);
    else if (crl_translates_each(schedule, put_moves, &f)) return crl_fail_memory(diag);
    return 0;
}

// ---- in

static inline uint32_t number_at(const uint32_t *column, size_t stride, uint64_t row)
{
    return column ? *(const uint32_t *)((const char *)column + row * stride) : 0;
}

int crl_schedule_take_columns(struct crl_schedule *schedule, const struct carillon_columns *columns, uint64_t count,
                              const char *name, struct crl_diag *diag)
{
    const bool relative = schedule->folded;
    if (count >= UINT32_MAX - 1) return crl_fail(diag, CRL_ERR_LIMIT, "%s: more than 2^32 rows", name);
    schedule->first_line = 2; // as in a file, where a header stands before them
    for (uint64_t i = 0; i < count; i++) {
        uint32_t numbers[CARILLON_PACKET_NUMBERS];
        struct crl_move move = {.slot = number_at(columns->slot, columns->stride, i),
                                .src = number_at(columns->src, columns->stride, i),
                                .dst = number_at(columns->dst, columns->stride, i)};
        for (size_t k = 0; k < CARILLON_PACKET_NUMBERS; k++)
            numbers[k] = number_at(columns->packet[k], columns->stride, i);
        if (!crl_packet_of_numbers(schedule->naming, schedule->demands, numbers, &move))
            return crl_fail_at(diag, CRL_ERR_PARSE, name, i + 2, 0, "no packet has the numbers %u, %u and %u",
                               numbers[0], numbers[1], numbers[2]);
        if (crl_schedule_add(schedule, move)) return crl_fail_memory(diag);
    }
    if (crl_schedule_sort(schedule)) return crl_fail_memory(diag);
    if (!relative) crl_schedule_fold(schedule);
    return 0;
}
