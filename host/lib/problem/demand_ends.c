// SPDX-License-Identifier: Apache-2.0
// Lower bounds of demands that one node proves: what must leave it, or come to it, over its links. Of the packets that
// may not leave before slot r and have a way of k slots or more before them, n leave in slots r … r − 1 + ⌈n / links⌉
// at best, and the last ends k − 1 slots later. One packet alone says how far it is.
#include "base/base.h"
#include "problem/demand_bound.h"
#include <stdlib.h>

// Packets at one node: the first slot in which they can be there, and slots that they need from there on, from 1.
struct batch {
    uint64_t from, delay, packets;
};
struct ends {
    const struct crl_problem *problem;
    struct batch *batch;
    size_t count, room;
    struct crl_end best;
};

static int by_delay(const void *a, const void *b)
{
    const struct batch *x = a, *y = b;
    return x->delay < y->delay ? 1 : x->delay > y->delay ? -1 : 0;
}

static int by_from(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int add(struct ends *e, uint64_t from, uint64_t delay, uint64_t packets)
{
    return CRL_PUSH(e->batch, e->room, e->count, (struct batch){from, delay, packets});
}

// Those that are there from slot `from` on, the farthest first.
static void look_from(struct ends *e, uint32_t node, bool inward, uint64_t from)
{
    uint64_t ports = crl_ports_in_use(e->problem, node, inward), packets = 0;
    for (size_t i = 0; i < e->count && ports; i++) {
        const struct batch *b = &e->batch[i];
        packets += b->from >= from ? b->packets : 0;
        if ((i + 1 < e->count && e->batch[i + 1].delay == b->delay) || !packets) continue;
        uint64_t slots = from - 1 + crl_ceil_div(packets, ports) + b->delay - 1;
        if (slots > e->best.slots) e->best = (struct crl_end){slots, from - 1, b->delay - 1, node, inward};
    }
}

static int look(struct ends *e, uint32_t node, bool inward)
{
    uint64_t *from = malloc(sizeof *from * (e->count + 1));
    if (!from) return CRL_ERR_MEMORY;
    if (e->count) qsort(e->batch, e->count, sizeof *e->batch, by_delay);
    for (size_t i = 0; i < e->count; i++) from[i] = e->batch[i].from;
    qsort(from, e->count, sizeof *from, by_from);
    for (size_t i = 0; i < e->count; i++)
        if (!i || from[i] != from[i - 1]) look_from(e, node, inward, from[i]);
    free(from);
    e->count = 0;
    return 0;
}

static int leaving(struct ends *e, const struct crl_demand *demand, uint64_t from)
{
    const struct crl_topology *t = e->problem->topology;
    return add(e, from, crl_topology_delay(t, demand->src, crl_demand_farthest(demand, t)), demand->packets);
}

// What has `delay` slots behind it when it has come is there after slot delay at the earliest, one slot a packet.
static int coming(struct ends *e, const struct crl_demand *demand, uint64_t from, uint32_t node)
{
    return add(e, from - 1 + crl_topology_delay(e->problem->topology, demand->src, node), 1, demand->packets);
}

// Demands in the order of the nodes at one of their ends: first[v] … first[v + 1] − 1 of list are those of node v.
struct index {
    uint32_t *first, *list;
};

static int index_init(struct index *x, const struct crl_demands *d, uint32_t nodes, bool inward)
{
    size_t count = 0;
    x->first = calloc(nodes + UINT64_C(2), sizeof *x->first);
    for (uint32_t i = 0; i < d->count; i++) count += inward ? d->demand[i].dst_count : 1;
    x->list = malloc(sizeof *x->list * (count + 1));
    if (!x->first || !x->list) return CRL_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < d->count; i++)
            for (uint32_t k = 0; k < (inward ? d->demand[i].dst_count : 1); k++) {
                uint32_t v = inward ? d->demand[i].dst[k] : d->demand[i].src;
                if (pass) x->list[x->first[v + 1]++] = i;
                else x->first[v + 2]++;
            }
        for (uint32_t v = 1; v <= nodes && !pass; v++) x->first[v + 1] += x->first[v];
    }
    return 0;
}

static int look_at_all(struct ends *e, const struct crl_demands *d, const uint64_t *from, bool inward)
{
    uint32_t nodes = crl_topology_nodes(e->problem->topology);
    struct index x;
    int error = index_init(&x, d, nodes, inward);
    for (uint32_t v = 0; v < nodes && !error; v++) {
        for (uint32_t k = x.first[v]; k < x.first[v + 1] && !error; k++) {
            uint32_t i = x.list[k];
            error = !from    ? add(e, 1, 1, d->demand[i].packets)
                    : inward ? coming(e, &d->demand[i], from[i], v)
                             : leaving(e, &d->demand[i], from[i]);
        }
        if (!error) error = look(e, v, inward);
    }
    CRL_FREE(x.first, x.list);
    return error;
}

int crl_demand_ends(struct crl_end *best, const struct crl_problem *p, const struct crl_demands *d,
                    const uint64_t *from)
{
    struct ends e = {.problem = p};
    int error = look_at_all(&e, d, from, false);
    if (!error) error = look_at_all(&e, d, from, true);
    free(e.batch);
    *best = e.best;
    return error;
}
