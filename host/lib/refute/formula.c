// SPDX-License-Identifier: Apache-2.0
// The formula of a claim. Variables: "packet p is sent over link e in slot t", then "node v holds packet p after slot
// t", then helpers that count.
#include "base/base.h"
#include "refute/refute.h"
#include <stdlib.h>

enum { VARIABLES_MAX = 1 << 22, LITERALS_MAX = 1 << 16 };

struct formula {
    const struct crl_claim *claim;
    crl_clause_taker *take;
    void *user;
    uint32_t nodes, links, packets, slots, variables;
    uint32_t *from, *to;     // [links], in one block with what follows
    uint32_t *origin, *dest; // [packets]; CRL_NONE: everybody
    int32_t *list;           // scratch
    int error;
};

static int32_t sent(const struct formula *f, uint32_t p, uint32_t e, uint32_t t)
{
    return (int32_t)(1 + (p * f->links + e) * f->slots + t - 1);
}

static int32_t held(const struct formula *f, uint32_t p, uint32_t v, uint32_t t)
{
    uint32_t before = f->packets * f->links * f->slots;
    return (int32_t)(1 + before + (p * f->nodes + v) * (f->slots + 1) + t);
}

static void clause(struct formula *f, const int32_t *literals, size_t count)
{
    if (!f->error && f->take) f->error = f->take(f->user, literals, count);
}

static void clause2(struct formula *f, int32_t a, int32_t b) { clause(f, (int32_t[]){a, b}, 2); }

// At most one of the literals. Helper i: one of the first i + 1 is true.
static void at_most_one(struct formula *f, const int32_t *literals, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        int32_t here = (int32_t)++f->variables;
        clause2(f, -literals[i], here);
        if (i) clause2(f, 1 - here, here); // of the first i, so of the first i + 1
        clause2(f, -here, -literals[i + 1]);
    }
}

// A packet is sent by who holds it, and held by who held it or just got it: in the end by whoever wants it.
static void movement(struct formula *f, uint32_t p)
{
    for (uint32_t v = 0; v < f->nodes; v++) {
        int32_t start = held(f, p, v, 0), end = held(f, p, v, f->slots);
        clause(f, (int32_t[]){v == f->origin[p] ? start : -start}, 1);
        if (f->dest[p] == CRL_NONE || f->dest[p] == v) clause(f, &end, 1);
        for (uint32_t t = 1; t <= f->slots; t++) {
            size_t count = 0;
            f->list[count++] = -held(f, p, v, t);
            f->list[count++] = held(f, p, v, t - 1);
            for (uint32_t e = 0; e < f->links; e++)
                if (f->to[e] == v) f->list[count++] = sent(f, p, e, t);
            clause(f, f->list, count);
        }
    }
    for (uint32_t e = 0; e < f->links; e++)
        for (uint32_t t = 1; t <= f->slots; t++) clause2(f, -sent(f, p, e, t), held(f, p, f->from[e], t - 1));
}

// In slot t: over a link, or single-port from a node and to a node, goes one packet.
static void room(struct formula *f, uint32_t t)
{
    for (uint32_t of = 0; of < (f->claim->single ? 2 * f->nodes : f->links); of++) {
        size_t count = 0;
        for (uint32_t e = 0; e < f->links; e++) {
            bool mine = !f->claim->single ? e == of : of < f->nodes ? f->from[e] == of : f->to[e] == of - f->nodes;
            for (uint32_t p = 0; p < f->packets && mine; p++) f->list[count++] = sent(f, p, e, t);
        }
        at_most_one(f, f->list, count);
    }
}

// Links in the order of their senders and ports, packets by origin and destination.
static void list_all(struct formula *f)
{
    const struct crl_claim *c = f->claim;
    f->to = f->from + crl_topology_links(c->topology);
    f->origin = f->to + crl_topology_links(c->topology);
    f->dest = f->origin + (c->pairs ? f->nodes : 1) * f->nodes;
    for (uint32_t v = 0; v < f->nodes; v++)
        for (uint32_t port = 0; port < crl_topology_ports(c->topology); port++) {
            uint32_t u = crl_topology_neighbor(c->topology, v, port);
            if (u == CRL_NONE) continue;
            f->from[f->links] = c->turned ? u : v;
            f->to[f->links++] = c->turned ? v : u;
        }
    for (uint32_t a = 0; a < f->nodes; a++)
        for (uint32_t b = 0; b < f->nodes && (c->pairs || !b); b++) {
            if ((c->from_root && a != c->root) || (c->pairs && ((c->to_root && b != c->root) || a == b))) continue;
            f->origin[f->packets] = a;
            f->dest[f->packets++] = c->pairs ? b : CRL_NONE;
        }
    f->variables = f->packets * f->links * f->slots + f->packets * f->nodes * (f->slots + 1);
}

int crl_claim_formula(const struct crl_claim *claim, uint32_t *variables, crl_clause_taker *take, void *user)
{
    const struct crl_topology *t = claim->topology;
    uint64_t nodes = crl_topology_nodes(t), links = crl_topology_links(t),
             packets = claim->pairs ? nodes * nodes : nodes;
    uint32_t hosts;
    if (crl_topology_hosts(t, &hosts) || crl_topology_latency_max(t) > 1 || nodes > LITERALS_MAX ||
        links > LITERALS_MAX || packets > LITERALS_MAX || packets * (links + 1) > LITERALS_MAX ||
        claim->slots > LITERALS_MAX || packets * (links + nodes) * 3 * (claim->slots + UINT64_C(1)) > VARIABLES_MAX)
        return CRL_ERR_UNSUPPORTED;
    struct formula f = {.claim = claim, .take = take, .user = user, .nodes = (uint32_t)nodes, .slots = claim->slots};
    f.from = malloc(sizeof *f.from * 2 * (links + packets));
    f.list = malloc(sizeof *f.list * (packets * (links + 1) + links + 2));
    if (!f.from || !f.list) f.error = CRL_ERR_MEMORY;
    else list_all(&f);
    for (uint32_t p = 0; p < f.packets; p++) movement(&f, p);
    for (uint32_t s = 1; s <= f.slots && !f.error; s++) room(&f, s);
    *variables = f.variables;
    CRL_FREE(f.from, f.list);
    return f.error;
}
