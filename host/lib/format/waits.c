// SPDX-License-Identifier: Apache-2.0
// What a packet of traffic waits for before it leaves its source: what must have come there of a demand that its own
// one waits for, and in a program of the stages before.
#include "base/base.h"
#include "format/format.h"
#include <stdlib.h>

static uint64_t key_of(const struct crl_problem *problem, uint32_t node, uint32_t origin, uint32_t dest)
{
    return node * crl_problem_packets(problem) + crl_problem_index(problem, origin, dest);
}

// Places are in order of nodes and packets. CRL_NONE: the packet does not come by there.
static uint32_t place_of(const struct crl_flow *f, const struct crl_problem *problem, uint32_t node, uint32_t origin,
                         uint32_t dest)
{
    uint64_t key = key_of(problem, node, origin, dest);
    uint32_t low = 0, high = f->places;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct crl_spot *p = &f->place[middle];
        if (key_of(problem, p->node, p->origin, p->dest) < key) low = middle + 1;
        else high = middle;
    }
    const struct crl_spot *p = &f->place[low];
    return low < f->places && p->node == node && p->origin == origin && p->dest == dest ? low : CRL_NONE;
}

struct list {
    uint32_t *place;
    size_t count, room;
};

static int add_demand(struct list *list, const struct crl_flow *f, const struct crl_problem *problem, uint32_t node,
                      uint32_t demand)
{
    const struct crl_demand *d = &problem->demands->demand[demand];
    for (uint32_t k = 0; k < d->packets && crl_demand_wants(d, node); k++) {
        uint32_t place = place_of(f, problem, node, demand, k);
        if (place == CRL_NONE || !f->place[place].arrives) continue;
        if (CRL_PUSH(list->place, list->room, list->count, place)) return CRL_ERR_MEMORY;
    }
    return 0;
}

int crl_flow_waits(const struct crl_flow *f, const struct crl_problem *problem, uint32_t move, uint32_t **place,
                   size_t *count)
{
    const struct crl_move *m = &f->moves[move];
    const struct crl_demand *mine = crl_problem_demand(problem, m->origin);
    struct list list = {0};
    int error = 0;
    *place = NULL;
    *count = 0;
    if (!mine || mine->src != m->src) return 0;
    if (mine->after != CRL_NONE) error = add_demand(&list, f, problem, m->src, mine->after);
    for (uint32_t i = 0; i < problem->demands->count && mine->stage && !error; i++)
        if (problem->demands->demand[i].stage < mine->stage) error = add_demand(&list, f, problem, m->src, i);
    if (error) free(list.place);
    if (error) return error;
    *place = list.place;
    *count = list.count;
    return 0;
}
