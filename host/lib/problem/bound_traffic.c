// SPDX-License-Identifier: Apache-2.0
// Lower bounds of demands: the best of what one node proves, cuts, and prices of the flow of all packets.
#include "base/base.h"
#include "problem/bound_prices.h"
#include "problem/demand_bound.h"
#include "problem/trees.h"
#include <stdlib.h>
#include <string.h>

// Columns of linear programs that take a tenth of a second, some tenths, about a second, and half a minute.
enum { QUICK = 4096, FAIR = 14000, SOON = 36000, LATE = 1 << 17 };

struct bounding {
    const struct crl_problem *problem;
    struct crl_certificate *reason;
    struct crl_flows flows;
    bool patient, period; // period: how often all can come anew is asked, not how long it takes
    bool one;             // all goes to one node: no windows of all ways are tried, nor what takes long
    int error;
};

static void add_line(struct bounding *b, enum crl_payer payer, uint32_t from, uint32_t to, uint32_t price,
                     uint64_t after, uint64_t before)
{
    struct crl_price line = {payer, from, to, price, (uint32_t)after, (uint32_t)before, 0};
    if (price && !b->error) b->error = crl_certificate_price(b->reason, line);
}

static void begin_reason(struct bounding *b, uint64_t slots)
{
    b->reason->prices = b->reason->nameds = b->reason->members = b->reason->id_count = 0;
    b->reason->slots = (uint32_t)slots;
}

// The destination whose way a demand pays; one that its period repeats has its name.
static void name_dest(struct bounding *b, const struct crl_demand *demand, uint32_t dest)
{
    if (!demand->offset && *demand->id && !b->error)
        b->error = crl_certificate_name(b->reason, demand->id, false, dest, 0);
}

// ---------------------------------------------------------------- one node

// What comes after slot `after` over a link of some latency is sent so many slots before.
static void explain_end(struct bounding *b, const struct crl_demands *d, const struct crl_end *e)
{
    const struct crl_topology *t = b->problem->topology;
    bool single = b->problem->ports == CRL_PORTS_SINGLE;
    begin_reason(b, e->slots);
    if (!e->inward) add_line(b, CRL_PAYS_SEND, e->node, CRL_NONE, 1, e->after, e->before);
    for (uint32_t p = 0; p < crl_topology_ports(t) && e->inward && !single; p++) {
        uint32_t u = crl_topology_behind(t, e->node, p);
        if (u == CRL_NONE || crl_topology_port_to(t, u, e->node) != p) continue; // a line is about all side by side
        uint64_t latency = crl_topology_latency(t, u, p);
        add_line(b, CRL_PAYS_LINK, u, e->node, 1, e->after + 1 > latency ? e->after + 1 - latency : 0, 0);
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i];
        if (demand->dst_count > 1 && (e->inward ? crl_demand_wants(demand, e->node) : demand->src == e->node))
            name_dest(b, demand, e->inward ? e->node : crl_demand_farthest(demand, t));
    }
    uint64_t latency = crl_topology_latency_max(t);
    if (e->inward && single)
        add_line(b, CRL_PAYS_RECV, CRL_NONE, e->node, 1, e->after + 1 > latency ? e->after + 1 - latency : 0, 0);
}

// ---------------------------------------------------------------- prices

static void explain_row(struct bounding *b, uint32_t i, uint32_t price)
{
    const struct crl_flows *f = &b->flows;
    struct crl_price p = crl_flow_line(f, i, price);
    uint32_t before = !f->after[i] && f->before[i] == f->late[i] ? 0 : f->before[i]; // so it is without windows
    add_line(b, p.payer, p.from, p.to, price, f->after[i], before);
}

// Of what cannot be used at all one line is enough: with a window, though an empty one, ways are found slot by slot.
static void explain_prices(struct bounding *b)
{
    const struct crl_flows *f = &b->flows;
    bool shut = false;
    begin_reason(b, f->slots);
    for (uint32_t i = 0; i < f->rows; i++) {
        bool open = crl_flow_shut(f, i) + 1 < f->slots;
        if (open || !shut) explain_row(b, i, open ? f->price[i] : 1);
        shut |= !open;
    }
    for (uint32_t i = 0; i < f->many_count; i++) {
        const struct crl_demand *demand = &f->demands->demand[f->many[i]];
        name_dest(b, demand, demand->dst[f->named[i]]);
    }
}

static void try_prices(struct bounding *b)
{
    if (crl_flows_round(&b->flows, b->reason->slots)) explain_prices(b);
}

// All links, or all nodes that send, alike.
static void try_hops(struct bounding *b)
{
    struct crl_flows *f = &b->flows;
    for (uint32_t i = 0; i < f->rows; i++) f->value[i] = i < (f->single ? f->nodes : f->rows);
    try_prices(b);
}

// What leads from the first layers of a factor to the others, or back, is tried where as many packets must pass it.
static void try_cut(struct bounding *b, const struct crl_factor *factor, uint32_t layers, bool back, uint64_t packets)
{
    struct crl_flows *f = &b->flows;
    double width = 0;
    uint64_t shut = 0;
    for (uint32_t i = 0; i < f->links; i++) {
        bool low = crl_factor_digit(factor, f->from[i]) < layers, high = crl_factor_digit(factor, f->to[i]) >= layers;
        f->value[i] = back ? !low && !high : low && high;
        if (f->value[i] > 0) width += f->capacity[i];
        if (f->value[i] > 0 && crl_flow_shut(f, i) > shut) shut = crl_flow_shut(f, i);
    }
    if (width > 0 && (double)packets / width + (double)shut + 1 > (double)b->reason->slots) try_prices(b);
}

// Packets that must pass each cut of a factor: out[k] from layers below k to others, back[k] the other way.
static void count_passing(const struct crl_demands *d, const struct crl_factor *factor, uint64_t *out, uint64_t *back)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct crl_demand *demand = &d->demand[i];
        uint32_t x = crl_factor_digit(factor, demand->src), low = x, high = x;
        for (uint32_t k = 0; k < demand->dst_count; k++) {
            uint32_t y = crl_factor_digit(factor, demand->dst[k]);
            if (y < low) low = y;
            if (y > high) high = y;
        }
        for (uint32_t k = x + 1; k <= high; k++) out[k] += demand->packets;
        for (uint32_t k = low + 1; k <= x; k++) back[k] += demand->packets;
    }
}

static void try_cuts(struct bounding *b)
{
    const struct crl_topology *t = b->problem->topology;
    for (uint32_t i = 0; i < t->factor_count && !b->flows.single && !b->error; i++) {
        const struct crl_factor *factor = &t->factor[i];
        uint64_t *out = calloc(2 * (size_t)factor->size, sizeof *out), *back = out + factor->size;
        if (!out) b->error = CRL_ERR_MEMORY;
        else count_passing(b->flows.demands, factor, out, back);
        for (uint32_t k = 1; k < factor->size && out; k++) {
            try_cut(b, factor, k, false, out[k]);
            try_cut(b, factor, k, true, back[k]);
        }
        free(out);
    }
}

// What leads out of so many boards, as bits, is tried where as many packets must pass it as may take longer.
static void try_boards_out(struct bounding *b, const struct crl_boards *boards, uint32_t set)
{
    struct crl_flows *f = &b->flows;
    double width = 0, packets = 0, shut = 0;
    memset(f->value, 0, sizeof *f->value * f->rows);
    for (uint32_t i = 0; i < f->links; i++) {
        if (!(set >> boards->of[f->from[i]] & 1) || set >> boards->of[f->to[i]] & 1) continue;
        CRL_FLOW_EACH(f, i, row)
        {
            if (f->single && *row < 2 * f->nodes) continue;
            width += f->value[*row] > 0 ? 0 : f->capacity[*row];
            f->value[*row] = 1;
            if (crl_flow_shut(f, *row) > shut) shut = (double)crl_flow_shut(f, *row);
        }
    }
    for (uint32_t i = 0; i < f->demands->count; i++) {
        const struct crl_demand *d = &f->demands->demand[i];
        bool passes = false;
        for (uint32_t k = 0; k < d->dst_count; k++) passes |= !(set >> boards->of[d->dst[k]] & 1);
        if (passes && set >> boards->of[d->src] & 1) packets += d->packets;
    }
    if (width > 0 && packets / width + shut + 1 > (double)b->reason->slots) try_prices(b);
}

// All sets of boards, or where these are many each alone and all but it.
static void try_boards(struct bounding *b)
{
    enum { FEW = 6, MOST = 31 };
    const struct crl_boards *boards = crl_topology_boards(b->problem->topology);
    if (!boards || boards->count > MOST) return;
    uint32_t all = (UINT32_C(1) << boards->count) - 1;
    for (uint32_t set = 1; set < all && boards->count <= FEW && !b->error; set++) try_boards_out(b, boards, set);
    for (uint32_t i = 0; i < boards->count && boards->count > FEW && !b->error; i++) {
        try_boards_out(b, boards, UINT32_C(1) << i);
        try_boards_out(b, boards, all & ~(UINT32_C(1) << i));
    }
}

// Again where more slots open more links. False: no solver, or too much for it.
static bool try_flow(struct bounding *b)
{
    const struct crl_flows *f = &b->flows;
    bool opens = true, small = crl_flows_columns(f) <= (b->patient ? LATE : SOON);
    while (opens && small && !b->error) {
        uint64_t last = b->reason->slots;
        if (!crl_flows_solve(&b->flows, last)) return false;
        try_prices(b);
        opens = false;
        for (uint32_t i = 0; i < f->rows; i++)
            opens |= crl_flow_shut(f, i) >= last && crl_flow_shut(f, i) < b->reason->slots;
    }
    return small;
}

// ---------------------------------------------------------------- windows

// Ways of so many slots lead to other links than shorter ones: latencies, and one more. Returns how many.
static uint32_t list_steps(const struct crl_flows *f, uint32_t *slots, uint32_t most)
{
    uint32_t count = 1;
    slots[0] = 0;
    for (uint32_t i = 0; i < 2 * f->links && count < most; i++) {
        uint32_t k = 0, slot = f->latency[i / 2] + i % 2;
        while (k < count && slots[k] != slot) k++;
        if (k == count) slots[count++] = slot;
    }
    return count;
}

// Prices, `kept` among them, that are only paid in the slots after the first `skip` and before the last `spare`.
static void try_window(struct bounding *b, uint32_t skip, uint32_t spare, const double *kept)
{
    struct crl_flows *f = &b->flows;
    if (skip + spare + 1 >= b->reason->slots) return;
    b->error = crl_flows_window(f, skip, spare);
    if (b->error) return;
    memcpy(f->value, kept, sizeof *kept * f->rows);
    try_prices(b);
    try_cuts(b);
    try_boards(b);
    bool first = !skip && spare <= f->latency[0];
    if (crl_flows_columns(f) <= (first ? FAIR : QUICK)) try_flow(b);
}

static void try_windows(struct bounding *b)
{
    struct crl_flows *f = &b->flows;
    uint32_t slots[6], count = list_steps(f, slots, 6);
    CRL_OWNED double *kept = malloc(sizeof *kept * (f->rows + 1));
    if (!kept) b->error = CRL_ERR_MEMORY;
    else memcpy(kept, f->value, sizeof *kept * f->rows);
    for (uint32_t i = 1; i < count * count && !b->error; i++) try_window(b, slots[i / count], slots[i % count], kept);
}

// ---------------------------------------------------------------- all

// Rounds in which packets are moved, as many as take about a second.
static uint32_t move_rounds(const struct bounding *b)
{
    enum { WORK = 30000000, MOST = 120 };
    const struct crl_flows *f = &b->flows;
    uint64_t a_round = 1;
    for (uint32_t i = 0; i < f->many_count; i++)
        a_round += (uint64_t)f->demands->demand[f->many[i]].dst_count * f->links;
    for (uint32_t v = 0; v < f->nodes; v++) a_round += f->start[v] == UINT64_MAX ? 0 : 2 * f->links;
    return WORK / a_round < MOST ? (uint32_t)(WORK / a_round) : MOST;
}

static int find(struct bounding *b, const struct crl_demands *d, const uint64_t *from)
{
    struct crl_end end;
    int error = crl_demand_ends(&end, b->problem, d, b->period ? NULL : from);
    if (!error && end.slots > b->reason->slots) explain_end(b, d, &end);
    if (!error) error = crl_flows_init(&b->flows, b->problem, d, from);
    if (!error && b->period) crl_flows_endless(&b->flows);
    if (!error) {
        try_hops(b);
        try_cuts(b);
        try_boards(b);
        bool moves = (b->flows.many_count || !try_flow(b)) && !b->one;
        if (moves && !b->error) b->error = crl_trees_bound(b->reason, &b->flows, move_rounds(b));
    }
    if (!error && !b->error && !b->period && !b->one) try_windows(b);
    crl_flows_done(&b->flows);
    return error ? error : b->error;
}

// Where all comes anew every so many slots, and it takes longer, only distances are sure.
static void fold(struct bounding *b, const struct crl_demands *d, const uint64_t *from)
{
    struct crl_certificate *reason = b->reason;
    uint64_t farthest = 0;
    uint32_t which = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t dest = crl_demand_farthest(&d->demand[i], b->problem->topology);
        uint64_t slots = from[i] - 1 + crl_topology_delay(b->problem->topology, d->demand[i].src, dest);
        if (slots > farthest) which = i;
        if (slots > farthest) farthest = slots;
    }
    if (farthest <= d->modulo) {
        reason->slots = d->modulo + 1;
        return;
    }
    begin_reason(b, farthest);
    const struct crl_demand *demand = &d->demand[which];
    if (demand->dst_count > 1) name_dest(b, demand, crl_demand_farthest(demand, b->problem->topology));
}

static int bound(struct bounding *b, const struct crl_demands *d)
{
    CRL_OWNED uint64_t *from = malloc(sizeof *from * (d->count + UINT64_C(1)));
    *b->reason = (struct crl_certificate){.parts = 1, .from = CRL_NONE};
    int error = from ? crl_demands_earliest(d, b->problem->topology, from) : CRL_ERR_MEMORY;
    if (!error) error = find(b, d, from);
    if (!error && !b->period && d->modulo && b->reason->slots > d->modulo) fold(b, d, from);
    return error;
}

int crl_demands_bound(struct crl_certificate *reason, const struct crl_problem *p, const struct crl_demands *d,
                      bool patient)
{
    return bound(&(struct bounding){.problem = p, .reason = reason, .patient = patient}, d);
}

uint64_t crl_problem_bound_period(const struct crl_problem *p)
{
    struct crl_certificate reason;
    if (p->demands->sums) return 1; // sums flow the other way
    struct bounding least = {.problem = p, .reason = &reason, .period = true};
    uint64_t slots = bound(&least, p->demands) ? 1 : reason.slots;
    crl_certificate_done(&reason);
    return slots;
}

// ---------------------------------------------------------------- collectives

// Where links are late, or some nodes only forward, and not all nodes are alike: then packets must pass cuts in
// windows. Where links have gaps or share cables so must those of a scatter and a gather.
bool crl_bound_exchange_applies(const struct crl_problem *p)
{
    const struct crl_topology *t = p->topology;
    const struct crl_collective *c = p->collective;
    bool all = c->origins == CRL_ENDS_ALL && c->dests == CRL_ENDS_ALL, cabled = crl_topology_is_cabled(t);
    bool pairs = (all || cabled) && c->naming == CRL_NAMING_PAIR && !c->rule && !crl_problem_is_partial(p);
    uint64_t columns = crl_topology_links(t) * crl_topology_nodes(t);
    return pairs && (crl_topology_latency_max(t) > 1 || p->hosts || cabled) && p->host_count > 1 &&
           !crl_topology_is_symmetric(t) && columns <= (cabled || (p->priced && p->priced->patient) ? LATE : SOON);
}

// What goes to one node, of packets that all want.
static int list_for(struct crl_demands *d, const struct crl_problem *p, uint32_t node)
{
    int error = 0;
    *d = (struct crl_demands){0};
    for (uint64_t i = 0; i < crl_ends_count(p, p->collective->origins) && !error; i++) {
        struct crl_demand demand = {.src = crl_ends_node(p, p->collective->origins, i),
                                    .packets = p->parts,
                                    .release = 1,
                                    .deadline = CRL_NONE,
                                    .after = CRL_NONE,
                                    .dst = &node,
                                    .dst_count = 1};
        if (demand.src != node) error = crl_demands_add(d, NULL, 0, demand);
    }
    return error ? error : crl_demands_finish(d, NULL);
}

static void raise_for(struct crl_priced *f, const struct crl_problem *p, uint32_t node)
{
    struct bounding b = {.problem = p, .reason = &f->reason, .one = true};
    uint64_t before = f->reason.slots, *from = malloc(sizeof *from * crl_topology_nodes(p->topology));
    CRL_ENDED(crl_demands_done) struct crl_demands d = {0};
    int error = list_for(&d, p, node);
    for (uint32_t i = 0; i < d.count && from; i++) from[i] = 1;
    if (!error && from && d.count) find(&b, &d, from); // without memory no more is proved
    if (f->reason.slots > before) f->to = node;
    free(from);
}

uint64_t crl_bound_spread(const struct crl_problem *p, uint64_t slots)
{
    CRL_ENDED(crl_priced_done) struct crl_priced own = {0};
    struct crl_priced *f = p->priced ? p->priced : &own;
    const struct crl_collective *c = p->collective;
    bool all = c->naming == CRL_NAMING_ORIGIN && !c->rule && !crl_problem_is_partial(p);
    if (!all || !crl_topology_is_cabled(p->topology) || p->host_count < 2) return slots;
    if (!f->reason.slots) {
        f->reason = (struct crl_certificate){.parts = 1, .from = CRL_NONE, .slots = (uint32_t)slots};
        for (uint64_t i = 0; i < p->host_count; i++) raise_for(f, p, crl_ends_node(p, CRL_ENDS_ALL, i));
    }
    slots = f->reason.slots;
    return slots;
}

uint64_t crl_bound_exchange(const struct crl_problem *p)
{
    CRL_ENDED(crl_priced_done) struct crl_priced own = {0};
    struct crl_priced *f = p->priced ? p->priced : &own;
    struct crl_demands d;
    if (!crl_bound_exchange_applies(p)) return 0;
    if (!f->reason.slots) {
        int error = crl_problem_list_demands(&d, p, crl_problem_packets(p));
        if (error || crl_demands_bound(&f->reason, p, &d, f->patient)) f->reason.slots = 1;
        crl_demands_done(&d);
    }
    return f->reason.slots;
}

// ---------------------------------------------------------------- traffic

// The checker looks at each demand alone, slot by slot, so what the lines prove may be more than was looked for.
static void raise_claim(struct crl_certificate *c, const struct crl_problem *p)
{
    snprintf(c->collective, sizeof c->collective, "%s", crl_problem_name(p));
    c->single = p->ports == CRL_PORTS_SINGLE;
    c->period = p->demands->modulo;
    if (crl_demands_hash(p->demands, c->demands)) return;
    do c->slots++;
    while (!crl_certificate_check(c, p->topology, p->demands, p->context, "", NULL));
    c->slots--;
}

uint64_t crl_bound_traffic(const struct crl_problem *p)
{
    CRL_ENDED(crl_priced_done) struct crl_priced own = {0};
    struct crl_priced *f = p->priced ? p->priced : &own;
    if (!p->demands) return 0;
    if (p->demands->sums) return crl_bound_demand_sums(p);
    if (!f->reason.slots) {
        if (crl_demands_bound(&f->reason, p, p->demands, f->patient)) f->reason.slots = 1;
        else raise_claim(&f->reason, p);
        crl_demands_raise(&f->reason, p, QUICK);
    }
    return f->reason.slots;
}
