// SPDX-License-Identifier: Apache-2.0
// Stages of programs: what a node sends in one waits for all that lower ones bring to it, and for nobody else's.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>

struct arrivals {
    const struct crl_check *check;
    const struct crl_demands *demands;
    uint32_t stages;
    uint32_t *order; // [count] moves, packet by packet and receiver by receiver, early arrivals first
    uint32_t count;
    uint32_t *last; // [stages][nodes] slot in which the last that a node wants of a stage comes; 0: nothing does
};

static uint64_t key_packet(const void *user, uint32_t i)
{
    const struct arrivals *a = user;
    const struct crl_move *m = &a->check->schedule->moves[i];
    return (a->demands->first[m->origin] + m->dest) * a->check->nodes + m->dst;
}

static uint64_t key_arrival(const void *user, uint32_t i)
{
    const struct arrivals *a = user;
    const struct crl_move *m = &a->check->schedule->moves[i];
    return crl_arrival_slot(a->check->schedule->topology, m->slot, m->src, m->dst);
}

static int sort(struct arrivals *a)
{
    const struct crl_schedule *s = a->check->schedule;
    for (size_t i = 0; i < s->count; i++)
        if (!(a->check->marks[i] & CRL_MOVE_BAD)) a->order[a->count++] = (uint32_t)i;
    int error = crl_sort_order(a->order, a->count, key_arrival, a, UINT32_MAX);
    return error ? error : crl_sort_order(a->order, a->count, key_packet, a, UINT64_MAX);
}

// Of the arrivals of a packet at a node the first counts, of those that make a sum the last.
static void note(struct arrivals *a)
{
    for (uint32_t k = 0; k < a->count; k++) {
        const struct crl_move *m = &a->check->schedule->moves[a->order[k]];
        const struct crl_demand *demand = &a->demands->demand[m->origin];
        bool again = k && key_packet(a, a->order[k - 1]) == key_packet(a, a->order[k]);
        if (again && demand->kind == CRL_DEMAND_MOVE) continue;
        if (!crl_demand_wants(demand, m->dst)) continue;
        uint32_t slot = (uint32_t)key_arrival(a, a->order[k]);
        uint32_t *last = &a->last[(size_t)demand->stage * a->check->nodes + m->dst];
        if (slot > *last) *last = slot;
    }
}

// What came in any lower stage.
static void add_up(struct arrivals *a)
{
    for (size_t i = a->check->nodes; i < (size_t)a->stages * a->check->nodes; i++)
        if (a->last[i - a->check->nodes] > a->last[i]) a->last[i] = a->last[i - a->check->nodes];
}

int crl_stages_wait(const struct crl_check *check, uint32_t **last)
{
    struct arrivals a = {.check = check, .demands = check->problem->demands};
    const struct crl_demands *d = a.demands;
    *last = NULL;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->demand[i].stage >= a.stages) a.stages = d->demand[i].stage + 1;
    if (a.stages <= 1) return 0;
    a.order = malloc(sizeof *a.order * (check->schedule->count + 1));
    *last = a.last = calloc((size_t)a.stages * check->nodes, sizeof *a.last);
    int error = a.order && a.last ? sort(&a) : CRL_ERR_MEMORY;
    if (!error) {
        note(&a);
        add_up(&a);
    }
    free(a.order);
    return error;
}
