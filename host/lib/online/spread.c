// SPDX-License-Identifier: Apache-2.0
// Broadcasts along the lines of a dimension: Varvarigos & Bertsekas 1994, Theorem 2.
#include "base/base.h"
#include "online/engines.h"
#include <string.h>

static uint32_t list_length(const struct crl_engine_list *list) { return list->limit[0] + list->limit[1]; }

void crl_engine_add(struct crl_engines *x, struct crl_engine_list *list, uint32_t side, uint32_t origin, uint32_t part)
{
    if (list->count[side] == x->capacity) x->run->faults++;
    else list->packet[(size_t)side * x->capacity + list->count[side]++] = origin * x->parts + part;
}

uint32_t crl_mesh_reach(const struct crl_mesh *mesh, uint32_t dim, uint32_t direction, uint32_t digit, bool in_halves)
{
    uint32_t last = mesh->size[dim] - 1;
    if (!mesh->ring[dim]) return direction == CRL_UP ? last - digit : digit;
    if (in_halves) return last;
    return direction == CRL_UP ? last - last / 2 : last / 2;
}

static uint32_t reach(const struct crl_engines *x, uint32_t v, uint32_t dim, uint32_t direction)
{
    return crl_mesh_reach(x->mesh, dim, direction, crl_mesh_digit(x->mesh, v, dim), x->halves == 2);
}

static void send_mini(struct crl_engines *x, uint32_t v, uint32_t e, uint32_t dim)
{
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&x->links, v, dim, direction);
        struct crl_engine_list *list = &crl_engine_at(x, v, e)->list[direction];
        struct crl_link_word *out = crl_links_out(&x->links, v, dim, direction);
        uint32_t far = reach(x, v, dim, direction);
        if (in->valid && in->tag > 1) {
            *out = *in;
            out->tag--;
        } else if (far && list->next < list_length(list)) {
            uint32_t i = list->next++, side = i >= list->limit[0];
            uint32_t packet = list->packet[side ? x->capacity + i - list->limit[0] : i];
            *out = (struct crl_link_word){
                .valid = true, .origin = packet / x->parts, .dest = packet % x->parts, .tag = far};
        }
    }
}

static void receive(struct crl_engines *x, uint32_t v, uint32_t e, uint32_t dim)
{
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&x->links, v, dim, direction);
        struct crl_engine *engine = crl_engine_at(x, v, e);
        if (!in->valid) continue;
        if (x->limit && engine->held[direction] == x->limit) {
            x->run->faults++;
            continue;
        }
        engine->held[direction]++;
        for (uint32_t to = 0; to < 2; to++)
            if (x->halves == 1 || to == direction)
                crl_engine_add(x, &engine->list[to], direction, in->origin, in->dest);
    }
}

static int slot(struct crl_engines *x, uint32_t step)
{
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = 0; e < x->count; e++) send_mini(x, v, e, crl_engine_dim(x, e, step));
    int error = crl_links_exchange(&x->links);
    for (uint32_t v = 0; v < x->mesh->nodes && !error; v++)
        for (uint32_t e = 0; e < x->count; e++) receive(x, v, e, crl_engine_dim(x, e, step));
    return error;
}

// Words that are still on their way, or wait for it.
static uint32_t left(const struct crl_engines *x, uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = 0; e < x->count; e++)
            for (uint32_t direction = 0; direction < 2; direction++) {
                const struct crl_engine_list *list = &crl_engine_at(x, v, e)->list[direction];
                const struct crl_link_word *in = crl_links_in(&x->links, v, crl_engine_dim(x, e, step), direction);
                count += list->next < list_length(list) || (in->valid && in->tag > 1);
            }
    return count;
}

static void begin(struct crl_engines *x, uint32_t v, uint32_t e, uint32_t dim)
{
    uint32_t held = 0;
    for (uint32_t direction = 0; direction < 2; direction++) {
        struct crl_engine_list *list = &crl_engine_at(x, v, e)->list[direction];
        memcpy(list->limit, list->count, sizeof list->limit);
        list->next = reach(x, v, dim, direction) ? 0 : list_length(list);
        held += list_length(list) - list->next;
    }
    if (held > x->run->held_most) x->run->held_most = held;
}

// Slots that one engine needs where nodes hold ⌈most/P⌉ packets each.
static uint32_t slots_of(const struct crl_engines *x, uint32_t e, uint32_t step, uint32_t most)
{
    uint32_t dim = crl_engine_dim(x, e, step), nodes = 1;
    for (uint32_t i = 0; i <= step; i++) nodes *= x->mesh->size[crl_engine_dim(x, e, i)];
    return crl_mesh_reach(x->mesh, dim, CRL_UP, 0, x->halves == 2) * (uint32_t)crl_ceil_div(most, nodes);
}

int crl_engines_spread(struct crl_engines *x, uint32_t step, uint32_t most)
{
    uint32_t slots = 0;
    int error = 0;
    for (uint32_t e = 0; e < x->count; e++) {
        uint32_t own = slots_of(x, e, step, most);
        if (own > slots) slots = own;
        for (uint32_t v = 0; v < x->mesh->nodes; v++) begin(x, v, e, crl_engine_dim(x, e, step));
    }
    // Nothing that came before the subphase is passed on in it.
    memset(x->links.in, 0, sizeof *x->links.in * x->mesh->nodes * x->mesh->dims * 2);
    if (most == CRL_NONE) {
        while (left(x, step) && !error) error = slot(x, step);
        return error;
    }
    for (uint32_t s = 0; s < slots && !error; s++) error = slot(x, step);
    if (slots) x->run->faults += left(x, step);
    return error;
}
