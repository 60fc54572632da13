// SPDX-License-Identifier: Apache-2.0
// The table of algorithms for LogP machines. The first row that fits a problem is its default.
#include "machine/logp/plan.h"
#include "base/base.h"
#include <string.h>

static bool is_one_item(const struct crl_logp_problem *problem) { return problem->items == 1; }

static const struct crl_logp_algorithm table[] = {
    {CRL_LOGP_BROADCAST, "broadcast", "tree", "B(P)", "K93 Sec. 2",
     "everybody who knows sends as early and as often as it can", NULL, crl_plan_logp_broadcast},
    {CRL_LOGP_K_ITEM, "k-item-broadcast", "tree", "B(P)", "K93 Sec. 2", "one item: a broadcast", is_one_item,
     crl_plan_logp_broadcast},
    {CRL_LOGP_K_ITEM, "k-item-broadcast", "block-cyclic", "L+B(P-1)+k-1 but for few P", "after K93 Sec. 3",
     "every item once from the source; those who pass an item on take turns", NULL, crl_plan_logp_block_cyclic},
    {CRL_LOGP_K_ITEM, "k-item-broadcast", "buffered", "L+B(P-1)+k-1", "K93 Sec. 3.5",
     "a message may wait at its receiver, one at a time", NULL, crl_plan_logp_buffered},
    {CRL_LOGP_K_ITEM, "k-item-broadcast", "slotwise", "the bound where tried", NULL,
     "slot by slot, what is rare first; o = 0, g = 1, P to 33", crl_applies_logp_slotwise, crl_plan_logp_slotwise},
    {CRL_LOGP_CONTINUOUS, "continuous-broadcast", "tree", "B(P)", "K93 Sec. 2", "one item: a broadcast", is_one_item,
     crl_plan_logp_broadcast},
    {CRL_LOGP_CONTINUOUS, "continuous-broadcast", "block-cyclic", "delay L+B(P-1) but for few P", "after K93 Sec. 3.3",
     "as k-item broadcast, without end", crl_applies_logp_continuous, crl_plan_logp_block_cyclic},
    {CRL_LOGP_ALL_TO_ALL_BROADCAST, "all-to-all-broadcast", "cyclic", "L+2o+(P-2)g", "K93 Sec. 4",
     "in round j to the processor j+1 further on; rounds keep overheads apart", NULL, crl_plan_logp_all_to_all},
    {CRL_LOGP_ALL_TO_ALL_PERSONALIZED, "all-to-all-personalized", "cyclic", "L+2o+(P-2)g", "K93 Sec. 4",
     "in round j to the processor j+1 further on; rounds keep overheads apart", NULL, crl_plan_logp_all_to_all},
    {CRL_LOGP_COMBINING, "combining-broadcast", "cyclic", "B(P) in the postal model", "after K93 Sec. 4",
     "all at once, everybody to the same distance; any P", NULL, crl_plan_logp_combining},
    {CRL_LOGP_SUMMATION, "summation", "reversed-tree", "most operands by T, or least T", "K93 Sec. 5",
     "a broadcast in reversed time with a pause for every addition", NULL, crl_plan_logp_summation},
};

const struct crl_logp_algorithm *crl_logp_algorithm_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

int crl_logp_algorithm_find(const struct crl_logp_algorithm **out, const struct crl_logp_problem *problem,
                            const char *scheme, struct crl_diag *diag)
{
    char schemes[300] = "", machine[CRL_LOGP_NAME], hint[96];
    struct carillon_nearest nearest = {.word = scheme};
    crl_logp_name(&problem->machine, machine);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct crl_logp_algorithm *a = &table[i];
        if (a->kind != problem->kind || (a->applies && !a->applies(problem))) continue;
        if (!scheme || !strcmp(scheme, a->scheme)) {
            *out = a;
            return 0;
        }
        crl_nearest_try(&nearest, a->scheme);
        snprintf(schemes + strlen(schemes), sizeof schemes - strlen(schemes), "%s%s", *schemes ? ", " : "", a->scheme);
    }
    const char *name = crl_logp_problem_name(problem);
    if (!*schemes && problem->kind == CRL_LOGP_CONTINUOUS)
        return crl_fail(
            diag, CRL_ERR_UNSUPPORTED,
            "on %s, send and receive overheads meet when items come every %u; try --full-duplex, or a larger g",
            machine, crl_logp_spacing(&problem->machine));
    if (*schemes)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "no scheme '%.80s' for %s on %s; there is %s%s", scheme, name, machine,
                        schemes, crl_did_you_mean(&nearest, hint));
    return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no algorithm for %s on %s; 'carillon list' shows what there is", name,
                    machine);
}

// What crl_logp_plan will need.
static struct crl_plan_estimate estimate_of(const struct crl_logp_problem *problem)
{
    static const struct crl_plan_cost cost = {.row_ns = 120};
    uint64_t rows = crl_logp_bound_transmissions(problem), P = problem->machine.P;
    if (rows == CRL_LOGP_UNBOUNDED) rows = problem->kind == CRL_LOGP_COMBINING ? P * crl_bits_for(P) : P;
    return crl_plan_estimate_of(&cost, rows, P, 0);
}

int crl_logp_plan(struct crl_logp_schedule *schedule, const struct crl_logp_algorithm *algorithm,
                  const struct crl_logp_problem *problem, struct crl_diag *diag)
{
    struct crl_plan_estimate estimate = estimate_of(problem);
    char machine[CRL_LOGP_NAME];
    *schedule = (struct crl_logp_schedule){0};
    crl_logp_name(&problem->machine, machine);
    if (!crl_plan_fits(&estimate))
        return crl_plan_refuse(&estimate, crl_logp_problem_name(problem), machine,
                               problem->items ? "ask for fewer --items" : "a smaller machine would do", diag);
    int error = problem->machine.P > 1 ? algorithm->plan(schedule, problem, diag) : 0;
    if (!error) error = schedule->error;
    if (!error && crl_logp_schedule_sort(schedule)) error = crl_fail_memory(diag);
    return error;
}

void crl_logp_emit(struct crl_logp_schedule *schedule, const struct crl_logp *m, uint64_t time, uint32_t src,
                   uint32_t dst, uint32_t item, struct crl_diag *diag)
{
    uint64_t received = time + m->o + m->L;
    struct crl_logp_send send = {(uint32_t)time, src, dst, item, (uint32_t)received, 0};
    bool late = received + m->o >= UINT32_MAX;
    if (schedule->error || (!late && !(schedule->error = crl_logp_schedule_add(schedule, send)))) return;
    if (late) schedule->error = crl_fail(diag, CRL_ERR_LIMIT, "the schedule would end after time 2^32");
    else if (schedule->error == CRL_ERR_MEMORY) crl_fail_memory(diag);
    else crl_fail(diag, CRL_ERR_LIMIT, "the schedule would have more than 2^32 messages");
}
