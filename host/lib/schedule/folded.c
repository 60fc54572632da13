// SPDX-License-Identifier: Apache-2.0
// Between the full list of moves and those of node 0, of which the others are translates.
#include "base/base.h"
#include "schedule/schedule.h"
#include "schedule/translates.h"
#include <stdlib.h>
#include <string.h>

struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by)
{
    const struct crl_topology *t = schedule->topology;
    move.src = crl_topology_shift(t, move.src, by);
    move.dst = crl_topology_shift(t, move.dst, by);
    move.origin = crl_topology_shift(t, move.origin, by);
    if (schedule->naming == CRL_NAMING_PAIR) move.dest = crl_topology_shift(t, move.dest, by);
    return move;
}

struct crl_move crl_move_at_0(const struct crl_schedule *schedule, struct crl_move move)
{
    return crl_move_translate(schedule, move, crl_topology_unshift(schedule->topology, 0, move.src));
}

bool crl_schedule_may_fold(const struct crl_schedule *schedule)
{
    return (schedule->naming == CRL_NAMING_ORIGIN || schedule->naming == CRL_NAMING_PAIR) &&
           crl_topology_is_symmetric(schedule->topology);
}

// One behind the last move of the slot that begins with move `first`.
static size_t slot_end(const struct crl_schedule *s, size_t first)
{
    size_t end = first + 1;
    while (end < s->count && s->moves[end].slot == s->moves[first].slot) end++;
    return end;
}

static bool write_out(void *schedule, const struct crl_move *moves, size_t count)
{
    struct crl_schedule *full = schedule;
    memcpy(&full->moves[full->count], moves, sizeof *full->moves * count);
    full->count += count;
    return true;
}

int crl_schedule_expand(struct crl_schedule *full, const struct crl_schedule *schedule, struct crl_diag *diag)
{
    crl_schedule_init(full, schedule->topology, schedule->naming, false);
    full->demands = schedule->demands;
    uint64_t count = crl_schedule_transmissions(schedule);
    bool listed = !schedule->folded || schedule->listed; // else lines are those of node 0 alone
    if (count >= UINT32_MAX - 1)
        return crl_fail(diag, CRL_ERR_LIMIT, "the full schedule has %llu rows, too many to hold; use --relative",
                        (unsigned long long)count);
    full->moves = malloc(sizeof *full->moves * (count ? count : 1));
    full->capacity = count;
    if (listed) full->first_line = schedule->first_line;
    if (listed && schedule->line) full->line = malloc(sizeof *full->line * (count ? count : 1));
    int error = !full->moves || (listed && schedule->line && !full->line) ? CRL_ERR_MEMORY : 0;
    if (!error && full->line) memcpy(full->line, schedule->line, sizeof *full->line * count);
    if (!error && schedule->folded) error = crl_translates_each(schedule, write_out, full);
    if (!error && !schedule->folded) {
        if (count) memcpy(full->moves, schedule->moves, sizeof *full->moves * count);
        full->count = count;
    }
    if (!error) error = crl_schedule_sort(full);
    if (!error) return 0;
    crl_schedule_done(full);
    return crl_fail_memory(diag);
}

int crl_schedule_unfold(struct crl_schedule *schedule, struct crl_diag *diag)
{
    struct crl_schedule full;
    if (!schedule->folded) return 0;
    int error = crl_schedule_expand(&full, schedule, diag);
    if (error) return error;
    crl_schedule_done(schedule);
    *schedule = full;
    return 0;
}

// Whether the moves of a slot are the translates of node 0's, which are added to `own`: as many for each node, and no
// two on one link.
static bool fold_slot(struct crl_schedule *own, struct crl_translates *translates, const struct crl_move *moves,
                      size_t count)
{
    uint32_t nodes = crl_topology_nodes(own->topology);
    size_t k = 0;
    for (; k < count && moves[k].src == 0; k++) {
        if (moves[k].dst >= nodes || moves[k].origin >= nodes || (k && moves[k].dst == moves[k - 1].dst)) return false;
        if (own->naming == CRL_NAMING_PAIR && moves[k].dest >= nodes) return false;
        if (crl_schedule_add(own, moves[k])) return false;
    }
    if (!k || count % nodes || count / nodes != k || crl_translates_slot(translates, moves, k)) return false;
    for (uint32_t v = 1; v < nodes; v++)
        if (memcmp(&moves[v * k], crl_translates_at(translates, v), sizeof *moves * k)) return false;
    return true;
}

bool crl_schedule_fold(struct crl_schedule *schedule)
{
    if (schedule->folded || !schedule->count || !crl_schedule_may_fold(schedule)) return schedule->folded;
    struct crl_schedule own;
    struct crl_translates translates;
    crl_schedule_init(&own, schedule->topology, schedule->naming, true);
    crl_translates_init(&translates, schedule);
    bool folds = true;
    for (size_t first = 0, end; first < schedule->count && folds; first = end) {
        end = slot_end(schedule, first);
        folds = fold_slot(&own, &translates, &schedule->moves[first], end - first);
    }
    crl_translates_done(&translates);
    if (!folds || crl_schedule_sort(&own)) {
        crl_schedule_done(&own);
        return false;
    }
    own.listed = true;
    own.first_line = schedule->first_line;
    own.line = schedule->line;
    schedule->line = NULL;
    crl_schedule_done(schedule);
    *schedule = own;
    return true;
}
