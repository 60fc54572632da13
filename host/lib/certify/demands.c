// SPDX-License-Identifier: Apache-2.0
// What demands must pay: each packet its cheapest way, between the first slot in which it may leave and its deadline.
// One with several destinations pays the way to the one that is named; or, without windows, what lines `pack` say of
// it: a packet must enter each of their sets of nodes, and of the price of a link no more may be counted than there is.
#include "base/base.h"
#include "certify/proof.h"
#include <stdlib.h>
#include <string.h>

// The first demand of that id, or their number.
static uint32_t find(const struct crl_demands *d, const char *id)
{
    uint32_t least = 0, most = d->count;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (strcmp(d->demand[middle].id, id) < 0) least = middle + 1;
        else most = middle;
    }
    return least < d->count && !strcmp(d->demand[least].id, id) ? least : d->count;
}

// What each demand pays, [demands]: the destination that is named, CRL_NONE: none; what its sets are worth.
struct paying {
    uint32_t *named;
    uint64_t *packed, *from;
    bool *packs;    // whether it has sets
    uint64_t *load; // [links] of the sets of one demand
};

static bool is_in(const struct crl_certificate *c, const struct crl_named *set, uint32_t node)
{
    for (size_t i = 0; i < set->nodes; i++)
        if (c->member[set->first + i].node == node) return true;
    return false;
}

static int add_set(const struct crl_proof *p, struct paying *y, const struct crl_named *set, uint32_t i)
{
    const struct crl_demand *demand = &p->demands->demand[i];
    bool wanted = false;
    for (size_t k = 0; k < set->nodes; k++) {
        uint32_t v = p->c->member[set->first + k].node;
        if (v >= p->nodes) return crl_proof_refuse(p, set->line, "the network has no such node");
        wanted |= crl_demand_wants(demand, v);
    }
    if (!wanted || is_in(p->c, set, demand->src))
        return crl_proof_refuse(p, set->line, "a set needs a destination, and must not have the source");
    for (uint32_t k = 0; k < p->links; k++)
        if (is_in(p->c, set, p->link[k].to) && !is_in(p->c, set, p->link[k].from))
            y->load[k] = crl_plus(y->load[k], set->value);
    y->packed[i] = crl_plus(y->packed[i], set->value);
    y->packs[i] = true;
    return 0;
}

// Lines of one demand stand together; periodic demands share an id, and all that it says.
static int read_line(const struct crl_proof *p, struct paying *y, size_t at)
{
    const struct crl_certificate *c = p->c;
    const struct crl_named *line = &c->named[at];
    const char *id = c->ids + line->id;
    uint32_t i = find(p->demands, id);
    bool again = at && !strcmp(c->ids + line[-1].id, id);
    if (i == p->demands->count) return crl_proof_refuse(p, line->line, "there is no such demand");
    if ((!again && y->packs[i]) || (line->pack ? y->named[i] != CRL_NONE : y->named[i] != CRL_NONE || y->packs[i]))
        return crl_proof_refuse(p, line->line, "a demand is named twice, or its sets do not stand together");
    if (line->pack && p->windows) return crl_proof_refuse(p, line->line, "sets exclude windows");
    if (!again) memset(y->load, 0, sizeof *y->load * p->links);
    if (!line->pack && !crl_demand_wants(&p->demands->demand[i], line->value))
        return crl_proof_refuse(p, line->line, "the demand does not go to this node");
    if (!line->pack) y->named[i] = line->value;
    int error = line->pack ? add_set(p, y, line, i) : 0;
    for (uint32_t k = 0; k < p->links && !error; k++)
        if (line->pack && y->load[k] > p->fixed[k])
            error = crl_proof_refuse(p, line->line, "the sets that a link enters are worth more than its price");
    return error;
}

static int read_lines(const struct crl_proof *p, struct paying *y)
{
    const struct crl_demands *d = p->demands;
    int error = 0;
    for (uint32_t i = 0; i < d->count; i++) y->named[i] = d->demand[i].dst_count > 1 ? CRL_NONE : *d->demand[i].dst;
    for (size_t i = 0; i < p->c->nameds && !error; i++) error = read_line(p, y, i);
    for (uint32_t i = 1; i < d->count && !error; i++) {
        if (strcmp(d->demand[i].id, d->demand[i - 1].id) != 0) continue;
        y->named[i] = y->named[i - 1];
        y->packed[i] = y->packed[i - 1];
        y->packs[i] = y->packs[i - 1];
    }
    return error;
}

// Demands to one node in one window pay by the same ways.
struct order {
    uint64_t from, last;
    uint32_t target, demand;
};

static int compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    if (x->last != y->last) return x->last < y->last ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static uint64_t pay(struct crl_proof *p, const struct paying *y, struct order *order)
{
    uint64_t due = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->demands->count; i++) {
        const struct crl_demand *demand = &p->demands->demand[i];
        uint64_t last = demand->deadline < p->T ? demand->deadline : p->T;
        if (y->packs[i]) due = crl_plus(due, crl_times(demand->packets, y->packed[i]));
        else if (y->named[i] != CRL_NONE) order[count++] = (struct order){y->from[i], last, y->named[i], i};
    }
    if (count) qsort(order, count, sizeof *order, compare);
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_demand *demand = &p->demands->demand[order[i].demand];
        if (!i || compare(&order[i - 1], &order[i])) crl_proof_ways(p, order[i].target, order[i].from, order[i].last);
        due = crl_plus(due, crl_times(p->cost[demand->src], demand->packets));
    }
    return due;
}

int crl_proof_demands(struct crl_proof *p)
{
    uint64_t count = p->demands->count + UINT64_C(1), due = 0;
    CRL_OWNED struct order *order = malloc(sizeof *order * count);
    struct paying y = {malloc(sizeof *y.named * count), calloc(2 * count, sizeof *y.packed), NULL,
                       calloc(count, sizeof *y.packs), calloc(p->links + UINT64_C(1), sizeof *y.load)};
    int error = order && y.named && y.packed && y.packs && y.load ? 0 : CRL_ERR_MEMORY;
    if (!error) y.from = y.packed + count;
    if (!error) error = crl_demands_earliest(p->demands, p->topology, y.from);
    if (!error) error = read_lines(p, &y);
    if (!error) due = pay(p, &y, order);
    CRL_FREE(y.named, y.packed, y.packs, y.load);
    return error ? error : crl_proof_judge(p, due);
}
