// SPDX-License-Identifier: Apache-2.0
// k-item and continuous broadcast by block-cyclic schedules: K93 Sec. 3.3 and Theorem 3.7. Processor 0 sends every item
// once; P − 1 is the receive-only processor.
#include "algorithm/logp_items.h"
#include "base/base.h"
#include <stdlib.h>

uint64_t crl_logp_items_last_send(const struct crl_logp *postal, uint32_t items)
{
    uint64_t rest = crl_logp_broadcast_time(postal, postal->P - 1);
    return rest == UINT64_MAX ? rest : rest + items - 1;
}

// Who holds item i at a node that passes it on.
static uint32_t holder(const struct crl_logp_blocks *b, uint32_t node, uint32_t item)
{
    return b->base[node] + item % b->size[node];
}

static uint32_t receiver(const struct crl_logp_blocks *b, uint32_t node, uint32_t item)
{
    if (b->size[node]) return holder(b, node, item);
    if (b->to[node] == CRL_NONE) return b->nodes;
    uint32_t r = b->size[b->to[node]];
    return b->base[b->to[node]] + (item % r + r - b->turn[node]) % r;
}

int crl_logp_items_emit(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                        const struct crl_logp_blocks *b, uint64_t step, struct crl_diag *diag)
{
    int error = 0;
    for (uint32_t i = 0; i < p->items; i++)
        for (uint32_t n = 0; n < b->nodes && !error; n++) {
            uint64_t when = i + (b->size[n] ? b->label[n] : b->there[n]);
            uint32_t sender = n ? holder(b, b->parent[n], i) : 0;
            error = crl_logp_emit(schedule, &p->machine, when * step, sender, receiver(b, n, i), i, diag);
        }
    return error;
}

int crl_plan_logp_block_cyclic(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                               struct crl_diag *diag)
{
    struct crl_logp_steps steps;
    struct crl_logp_blocks blocks;
    if (crl_logp_steps(&steps, p, crl_logp_items_last_send) == UINT64_MAX) return crl_fail_memory(diag);
    int error = crl_logp_blocks_find(&blocks, &steps.postal, true, 0, diag);
    if (!error) error = crl_logp_items_emit(schedule, p, &blocks, steps.step, diag);
    crl_logp_blocks_done(&blocks);
    return error;
}

// Items come every max(g, o), so steps must be as short.
bool crl_applies_logp_continuous(const struct crl_logp_problem *p)
{
    return crl_logp_step_is_clear(p, crl_logp_spacing(&p->machine));
}

int crl_plan_logp_continuous(struct crl_logp_schedule *schedule, const struct crl_logp_problem *p,
                             struct crl_diag *diag)
{
    struct crl_logp_blocks blocks;
    uint32_t step = crl_logp_spacing(&p->machine);
    struct crl_logp postal = {p->machine.P, (uint32_t)crl_ceil_div(crl_logp_flight(&p->machine), step), 0, 1};
    int error = crl_logp_blocks_find(&blocks, &postal, true, 0, diag);
    if (!error) error = crl_logp_items_emit(schedule, p, &blocks, step, diag);
    crl_logp_blocks_done(&blocks);
    return error;
}
