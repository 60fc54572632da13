// SPDX-License-Identifier: Apache-2.0
// Schedules as columns of numbers in the caller's memory.
#include "schedule/schedule.h"
#include "schedule/translates.h"
#include <string.h>

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
    struct carillon_columns at; // of the next row
    enum crl_naming naming;
};

static inline void put(uint32_t **column, size_t stride, uint32_t number)
{
    if (!*column) return;
    **column = number;
    *column = (uint32_t *)((char *)*column + stride);
}

static void put_moves(struct filling *f, const struct crl_move *moves, size_t count)
{
    struct carillon_columns *at = &f->at;
    for (const struct crl_move *m = moves; m < moves + count; m++) {
        put(&at->slot, at->stride, m->slot);
        put(&at->src, at->stride, m->src);
        put(&at->dst, at->stride, m->dst);
        put(&at->packet[0], at->stride, m->origin);
        put(&at->packet[1], at->stride, crl_packet_dest(f->naming, m->dest));
        put(&at->packet[2], at->stride, f->naming == CRL_NAMING_SPLIT_PAIR ? m->dest & ((1u << CRL_PART_BITS) - 1) : 0);
    }
}

static int put_translates(struct filling *f, const struct crl_schedule *schedule)
{
    struct crl_translates translates;
    const uint32_t nodes = crl_topology_nodes(schedule->topology);
    int error = 0;
    crl_translates_init(&translates, schedule);
    for (size_t first = 0, end; first < schedule->count && !error; first = end) {
        end = first + 1;
        while (end < schedule->count && schedule->moves[end].slot == schedule->moves[first].slot) end++;
        error = crl_translates_slot(&translates, &schedule->moves[first], end - first);
        for (uint32_t v = 0; v < nodes && !error; v++) put_moves(f, crl_translates_at(&translates, v), end - first);
    }
    crl_translates_done(&translates);
    return error;
}

int crl_schedule_columns(const struct crl_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                         struct crl_diag *diag)
{
    struct filling f = {*columns, schedule->naming};
    const uint64_t rows = crl_schedule_transmissions(schedule);
    if (rows > room)
        return crl_fail(diag, CRL_ERR_LIMIT, "%llu rows have no room in %llu", (unsigned long long)rows,
                        (unsigned long long)room);
    if (!schedule->folded) put_moves(&f, schedule->moves, schedule->count);
    else if (put_translates(&f, schedule)) return crl_fail_memory(diag);
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
