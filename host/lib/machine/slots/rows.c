// SPDX-License-Identifier: Apache-2.0
// Slot tables for programs that play them by other means: the rows of all nodes, one by one.
#include "machine/slots/slots.h"
#include "format/format.h"

static void hand_over(const struct crl_plan *plan, void (*take)(void *user, const struct carillon_row *row), void *user)
{
    const struct crl_schedule *s = plan->schedule;
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        uint32_t arrival = plan->arrival ? plan->arrival[i] : crl_arrival_slot(s->topology, m->slot, m->src, m->dst);
        take(user, &(struct carillon_row){m->slot, m->src, m->dst, m->origin, m->dest, crl_move_port(s, m), arrival});
    }
}

static int each(const struct carillon_schedule *schedule, bool between_hosts,
                void (*take)(void *user, const struct carillon_row *row), void *user, struct crl_diag *diag)
{
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    int error = s->folded ? crl_schedule_expand(&full, s, diag) : 0;
    struct crl_plan plan = {.schedule = s->folded ? &full : s, .problem = slots_said(schedule->problem)};
    CRL_ENDED(crl_plan_between_done) struct crl_between between = {.plan = plan};
    if (!error && between_hosts) error = crl_plan_between(&between, &plan, diag);
    if (!error) hand_over(&between.plan, take, user);
    return error;
}

static uint32_t packet_numbers(const struct carillon_problem *problem)
{
    return crl_packet_numbers(crl_problem_naming(slots_said(problem)));
}

static int packet_text(const struct carillon_problem *problem, const uint32_t numbers[CARILLON_PACKET_NUMBERS],
                       char text[CARILLON_PACKET_TEXT], struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(problem);
    struct crl_move move;
    if (!crl_packet_of_numbers(crl_problem_naming(p), p->demands, numbers, &move))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "no packet has the numbers %u, %u and %u", numbers[0], numbers[1],
                        numbers[2]);
    crl_problem_packet_name(p, move.origin, move.dest, text);
    return 0;
}

static uint64_t count(const struct carillon_schedule *schedule)
{
    return crl_schedule_transmissions(&slots_schedule_in(schedule)->schedule);
}

static int columns(const struct carillon_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                   struct crl_diag *diag)
{
    return crl_schedule_columns(&slots_schedule_in(schedule)->schedule, columns, room, diag);
}

static int take_columns(struct carillon_schedule *schedule, const struct carillon_columns *columns, uint64_t count,
                        const char *name, struct crl_diag *diag)
{
    struct crl_schedule *s = &slots_schedule_of(schedule)->schedule;
    crl_schedule_init_for(s, slots_said(schedule->problem), schedule->problem->options.relative);
    return crl_schedule_take_columns(s, columns, count, name, diag);
}

static int open_rows(struct carillon_schedule *schedule, struct crl_diag *diag)
{
    return crl_schedule_widen(&slots_schedule_of(schedule)->schedule, diag);
}

const struct crl_machine_rows slots_rows = {each, packet_numbers, packet_text, count, columns, take_columns, open_rows};
