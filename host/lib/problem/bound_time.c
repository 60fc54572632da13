// SPDX-License-Identifier: Apache-2.0
// One slot more: the flow of all packets slot by slot, as a linear program, for short traffic on small networks. Its
// prices are those of a link in a slot; a line of a certificate says those of slots in a row that are alike.
#include "base/base.h"
#include "problem/demand_bound.h"
#include <math.h>
#include <stdlib.h>

static uint32_t price_of(const double *value, double most, double steps)
{
    return *value > 0 ? (uint32_t)floor(*value / most * steps + 0.5) : 0;
}

static int write_link(struct crl_certificate *c, const struct crl_flows *f, uint32_t link, uint64_t last,
                      const double *value, double most, double steps)
{
    int error = 0;
    for (uint64_t t = 0, next; t < last && !error; t = next) {
        uint32_t price = price_of(&value[t], most, steps);
        for (next = t + 1; next < last && price_of(&value[next], most, steps) == price;) next++;
        struct crl_price line = {
            CRL_PAYS_LINK, f->from[link], f->to[link], price, (uint32_t)t, (uint32_t)(last - next), 0};
        if (price) error = crl_certificate_price(c, line);
    }
    return error;
}

// Whether the checker accepts the values in so many steps. Else there are no lines.
static bool accepted(struct crl_certificate *c, const struct crl_flows *f, uint64_t last, const double *value,
                     double steps)
{
    double most = 0;
    int error = 0;
    c->prices = 0;
    for (uint64_t i = 0; i < f->links * last; i++) most = fmax(most, value[i]);
    for (uint32_t i = 0; i < f->links && !error && most > 0; i++)
        error = write_link(c, f, i, last, value + i * last, most, steps);
    return !error && !crl_certificate_check(c, f->topology, f->demands, f->context, "", NULL);
}

static bool raised(struct crl_certificate *reason, struct crl_flows *f, uint64_t columns_max)
{
    static const double steps[] = {1, 2, 3, 4, 5, 6, 8, 12, 24, 60, 1000, 1 << 16};
    uint64_t last = reason->slots;
    struct crl_certificate c = *reason;
    CRL_OWNED double *value = malloc(sizeof *value * (f->links * last + 1));
    bool good = value && crl_flows_solve_in_time(f, last, columns_max, value), found = false;
    c.price = NULL;
    c.prices = c.price_room = c.nameds = 0;
    c.slots++;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && good && !found; i++)
        found = accepted(&c, f, last, value, steps[i]);
    CRL_OWNED struct crl_price *rest = found ? reason->price : c.price;
    if (found) {
        reason->price = c.price;
        reason->prices = c.prices;
        reason->price_room = c.price_room;
        reason->nameds = 0;
        reason->slots = c.slots;
    }
    return found;
}

int crl_demands_raise(struct crl_certificate *reason, const struct crl_problem *p, uint64_t columns_max)
{
    const struct crl_demands *d = p->demands;
    CRL_ENDED(crl_flows_done) struct crl_flows f = {0};
    CRL_OWNED uint64_t *from = malloc(sizeof *from * (d->count + UINT64_C(1)));
    int error = from ? crl_demands_earliest(d, p->topology, from) : CRL_ERR_MEMORY;
    if (!error) error = crl_flows_init(&f, p, d, from);
    while (!error && !f.single && !f.many_count && (!d->modulo || reason->slots < d->modulo) &&
           f.links * (uint64_t)reason->slots < columns_max && raised(reason, &f, columns_max)) {
    }
    return error;
}
