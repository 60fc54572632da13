// SPDX-License-Identifier: Apache-2.0
// What no plan can meet though each demand alone could be: a period that is too short for what links must carry, and
// deadlines by which too much is due.
#include "base/base.h"
#include "problem/demand_bound.h"
#include <stdlib.h>

static int check_period(const struct crl_problem *p, struct crl_diag *diag)
{
    const struct crl_demands *d = p->demands;
    uint64_t period = crl_problem_bound_period(p);
    if (period <= d->modulo) return 0;
    return crl_fail_at(diag, CRL_ERR_RULE, d->name, 0, 0,
                       "these demands cannot come anew every %u slots: links must carry so many packets that a period "
                       "has %llu slots or more",
                       d->modulo, (unsigned long long)period);
}

// The demands that are due by slot `last`, each from the first slot on in which it may leave.
static int list_due(struct crl_demands *due, const struct crl_demands *d, const uint64_t *from, uint32_t last)
{
    int error = 0;
    *due = (struct crl_demands){0};
    for (uint32_t i = 0; i < d->count && !error; i++) {
        struct crl_demand demand = d->demand[i];
        if (demand.deadline > last) continue;
        demand.release = (uint32_t)from[i];
        demand.deadline = demand.after = CRL_NONE;
        demand.period = demand.stage = 0;
        error = crl_demands_add(due, NULL, 0, demand);
    }
    return error ? error : crl_demands_finish(due, NULL);
}

static int fail_deadline(const struct crl_demands *d, uint32_t last, uint64_t slots, struct crl_diag *diag)
{
    uint32_t i = 0;
    while (d->demand[i].deadline != last) i++;
    return crl_fail_at(diag, CRL_ERR_RULE, d->name, d->demand[i].line, d->demand[i].deadline_col,
                       "demand '%s' cannot be met: all that is due by its deadline %u takes %llu slots or more",
                       d->demand[i].id, last, (unsigned long long)slots);
}

static int check_deadline(const struct crl_problem *p, const uint64_t *from, uint32_t last, struct crl_diag *diag)
{
    struct crl_demands due;
    struct crl_certificate reason = {.parts = 1};
    int error = list_due(&due, p->demands, from, last);
    if (!error) error = crl_demands_bound(&reason, p, &due, false);
    uint64_t slots = reason.slots;
    crl_certificate_done(&reason);
    crl_demands_done(&due);
    if (error) return crl_fail_memory(diag);
    return slots > last ? fail_deadline(p->demands, last, slots, diag) : 0;
}

// The earliest deadlines first, so many of them. Where slots are taken modulo a period, those within one.
static int check_deadlines(const struct crl_problem *p, struct crl_diag *diag)
{
    enum { MOST = 16 };
    const struct crl_demands *d = p->demands;
    CRL_OWNED uint64_t *from = malloc(sizeof *from * (d->count + UINT64_C(1)));
    int error = from && !crl_demands_earliest(d, p->topology, from) ? 0 : crl_fail_memory(diag);
    uint32_t last = 0;
    for (uint32_t k = 0; k < MOST && !error; k++) {
        uint32_t next = CRL_NONE;
        for (uint32_t i = 0; i < d->count; i++)
            if (d->demand[i].deadline > last && d->demand[i].deadline < next) next = d->demand[i].deadline;
        last = next;
        if (last == CRL_NONE || (d->modulo && last > d->modulo)) break;
        error = check_deadline(p, from, last, diag);
    }
    return error;
}

int crl_problem_feasible(const struct crl_problem *p, struct crl_diag *diag)
{
    const struct crl_demands *d = p->demands;
    int error = d ? crl_demands_feasible(d, p->topology, diag) : 0;
    if (d && d->modulo && !d->sums && !error) error = check_period(p, diag);
    if (d && d->timed && !d->sums && !error) error = check_deadlines(p, diag);
    return error;
}
