// SPDX-License-Identifier: Apache-2.0
// Static ways where nearly all rows must be full: packets of one destination each, all-port. First come prices under
// which all rows together are worth hardly more than what the packets pay on their cheapest ways, by a subgradient: the
// best plan only uses ways that cost hardly more than the cheapest. These are few. Then whoever crosses an overfull row
// moves to where the fewest are too many: a local search in which rows that are overfull for long weigh more (breakout,
// Morris 1993), and who has moved rests for a while (tabu search, Glover 1989).
#include "algorithm/core.h"
#include "base/base.h"
#include "base/context.h"
#include "base/random.h"
#include "problem/ways.h"
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 800,   // of prices
    WAYS = 16,      // of a demand, at most
    HOPS = 24,      // of a way, at most
    MOVES = 300000, // before it begins anew from the cheapest ways
    FADE = 50,      // moves after which weights fade
    REST = 5,       // moves for which a packet rests, at least,
    REST_MORE = 20, // and up to so many more
    STEPS_A_LOOK = 20,
    STEPS_AN_ARC = 6 // of the cheapest ways to a node
};
#define STEP   0.6  // of the logarithm of a price, in the first round, for a row that is as full again as the mean
#define DEARER 0.2  // of a mean price that a way may cost more than the cheapest
#define COST   12.0 // of a mean price, in packets too many
#define GROW   0.02 // of a weight, when its row is looked at and nobody leaves it for the better; at first
#define HASTE  3    // times that, less and less
#define KEPT   0.9  // of what it grew, when weights fade
#define HEAT   0.3  // what is worse by this is done one time in e

struct way {
    uint32_t demand, first, hops; // arc[first…]
    double cost;                  // more than the cheapest
};

struct even {
    struct crl_core *core;
    struct crl_pool pool;
    const uint32_t *capacity;      // [rows]
    struct crl_ways ways;          // from all nodes to one
    uint32_t *from;                // [arcs] in the order of core->in_arc
    double *dear;                  // [arcs] prices of these
    double *price, *best, *weight; // [rows]
    double *through;               // [nodes] packets for one of them
    uint32_t *first_to, *to;       // [nodes + 1], [demands] demands by destination
    struct way *way;               // those of a demand side by side
    uint32_t *first, *last;        // [demands] its ways, up to before the last
    uint32_t *arc;                 // of ways
    uint32_t count, arcs;
    uint32_t *first_at, *at; // [rows + 1], ways that cross a row, of demands that have others
    uint32_t *chosen;        // [packets] way
    uint32_t *load;          // [rows]
    struct crl_set over;     // rows that are overfull
    uint64_t *rests;         // [packets] the move up to which it stays
};

static uint32_t row_of(const struct even *x, uint32_t arc) { return x->core->arc[arc].row[0]; }

// ---------------------------------------------------------------- prices

static void find_costs(struct even *x, uint32_t dest)
{
    crl_ways_begin(&x->ways, x->core->nodes);
    crl_ways_enter(&x->ways, dest);
    crl_ways_spread(&x->ways, x->core->in, x->from, x->dear);
}

static void set_dear(struct even *x, const double *price)
{
    for (uint32_t i = 0; i < x->core->arcs; i++) x->dear[i] = price[row_of(x, x->core->in_arc[i])];
}

// Loads rows with all packets for a node on their cheapest ways. Returns what they pay.
static double send_all(struct even *x, uint32_t dest)
{
    const struct crl_core *c = x->core;
    double paid = 0;
    find_costs(x, dest);
    memset(x->through, 0, sizeof *x->through * c->nodes);
    for (uint32_t i = x->first_to[dest]; i < x->first_to[dest + 1]; i++) {
        const struct crl_core_demand *d = &c->demand[x->to[i]];
        x->through[d->from] += d->count;
        paid += d->count * x->ways.cost[d->from];
    }
    for (uint32_t k = x->ways.settled; k-- > 1;) {
        uint32_t v = x->ways.order[k], arc = c->in_arc[x->ways.by[v]];
        x->load[row_of(x, arc)] += (uint32_t)x->through[v];
        x->through[c->arc[arc].to] += x->through[v];
    }
    return paid;
}

static uint64_t steps_a_round(const struct crl_core *c) { return STEPS_AN_ARC * (uint64_t)c->nodes * c->arcs; }

// Finds prices of mean 1. Returns the part that the packets pay of what the rows are worth; above 1 there is no plan.
static double find_prices(struct even *x)
{
    const struct crl_core *c = x->core;
    double most = 0;
    for (uint32_t i = 0; i < c->rows; i++) x->price[i] = 1;
    for (uint32_t round = 0; round < ROUNDS && !crl_context_cancelled(c->problem->context); round++) {
        double paid = 0, worth = 0, sum = 0;
        memset(x->load, 0, sizeof *x->load * c->rows);
        set_dear(x, x->price);
        for (uint32_t v = 0; v < c->nodes; v++) paid += send_all(x, v);
        for (uint32_t i = 0; i < c->rows; i++) worth += x->price[i] * x->capacity[i];
        if (paid / worth > most) memcpy(x->best, x->price, sizeof *x->best * c->rows);
        most = fmax(most, paid / worth);
        for (uint32_t i = 0; i < c->rows; i++) {
            x->price[i] *= exp(STEP / sqrt(round + 1) * (x->load[i] / (double)x->capacity[i] - paid / worth));
            sum += x->price[i];
        }
        for (uint32_t i = 0; i < c->rows; i++) x->price[i] *= c->rows / sum;
        crl_core_spend(x->core, steps_a_round(c));
    }
    return most;
}

// ---------------------------------------------------------------- ways

// Adds the ways of a demand that begin with so many hops, in stack[], and lead on from a node.
static void add_ways(struct even *x, uint32_t demand, uint32_t node, double left, uint32_t *stack, uint32_t hops)
{
    struct crl_core *c = x->core;
    const struct crl_core_demand *d = &c->demand[demand];
    uint32_t room = (uint32_t)(c->first[d->first + 1] - c->first[d->first]);
    if (x->count - x->first[demand] == WAYS) return;
    if (node == d->to) {
        x->way[x->count++] = (struct way){.demand = demand, .first = x->arcs, .hops = hops, .cost = DEARER - left};
        memcpy(&x->arc[x->arcs], stack, sizeof *stack * hops);
        x->arcs += hops;
        return;
    }
    for (uint32_t arc = c->out[node]; arc < c->out[node + 1] && hops < HOPS && hops < room; arc++) {
        double then = left + x->ways.cost[node] - x->best[row_of(x, arc)] - x->ways.cost[c->arc[arc].to];
        bool again = c->arc[arc].to == d->from;
        for (uint32_t i = 0; i < hops; i++) again |= c->arc[stack[i]].to == c->arc[arc].to;
        if (again || then < 0) continue;
        stack[hops] = arc;
        add_ways(x, demand, c->arc[arc].to, then, stack, hops + 1);
    }
}

static void find_ways(struct even *x)
{
    struct crl_core *c = x->core;
    uint32_t stack[HOPS];
    set_dear(x, x->best);
    for (uint32_t v = 0; v < c->nodes; v++) {
        find_costs(x, v);
        for (uint32_t i = x->first_to[v]; i < x->first_to[v + 1]; i++) {
            uint32_t demand = x->to[i];
            x->first[demand] = x->count;
            add_ways(x, demand, c->demand[demand].from, DEARER, stack, 0);
            x->last[demand] = x->count;
        }
    }
}

// ---------------------------------------------------------------- who crosses which row

static bool has_others(const struct even *x, const struct way *way)
{
    return x->last[way->demand] - x->first[way->demand] > 1;
}

static void list_crossings(struct even *x)
{
    uint32_t rows = x->core->rows, sum = 0;
    memset(x->first_at, 0, sizeof *x->first_at * (rows + 1));
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t k = 0; k < x->way[i].hops && has_others(x, &x->way[i]); k++)
            x->first_at[row_of(x, x->arc[x->way[i].first + k])]++;
    for (uint32_t r = 0; r <= rows; r++) x->first_at[r] = sum += x->first_at[r];
    for (uint32_t i = x->count; i-- > 0;)
        for (uint32_t k = 0; k < x->way[i].hops && has_others(x, &x->way[i]); k++)
            x->at[--x->first_at[row_of(x, x->arc[x->way[i].first + k])]] = i;
}

static void use_rows(struct even *x, uint32_t way, uint32_t change)
{
    for (uint32_t k = 0; k < x->way[way].hops; k++) {
        uint32_t row = row_of(x, x->arc[x->way[way].first + k]);
        x->load[row] += change;
        crl_set_put(&x->over, row, x->load[row] > x->capacity[row]);
    }
}

// For a moment, in which nobody asks what is overfull.
static void load_rows(struct even *x, uint32_t way, uint32_t change)
{
    for (uint32_t k = 0; k < x->way[way].hops; k++) x->load[row_of(x, x->arc[x->way[way].first + k])] += change;
}

// What it weighs that a packet more takes a way.
static double weigh(const struct even *x, uint32_t way)
{
    double sum = COST * x->way[way].cost;
    for (uint32_t k = 0; k < x->way[way].hops; k++) {
        uint32_t row = row_of(x, x->arc[x->way[way].first + k]);
        if (x->load[row] >= x->capacity[row]) sum += x->weight[row];
    }
    return sum;
}

static void begin(struct even *x)
{
    const struct crl_core *c = x->core;
    crl_set_empty(&x->over, c->rows);
    memset(x->load, 0, sizeof *x->load * c->rows);
    memset(x->rests, 0, sizeof *x->rests * c->packets);
    for (uint32_t i = 0; i < c->rows; i++) x->weight[i] = 1;
    for (uint32_t p = 0; p < c->packets; p++) {
        uint32_t demand = c->of_packet[p], best = x->first[demand];
        for (uint32_t i = best; i < x->last[demand]; i++)
            if (x->way[i].cost < x->way[best].cost) best = i;
        use_rows(x, x->chosen[p] = best, 1);
    }
}

static double draw(struct even *x) { return (double)(crl_random(&x->core->random) >> 11) * 0x1p-53; }

// ---------------------------------------------------------------- moves

struct move {
    uint32_t packet, way, ties;
    double worse;
};

// Looks where else a packet might go.
static void look(struct even *x, uint32_t packet, bool rests, struct move *best)
{
    uint32_t way = x->chosen[packet], demand = x->way[way].demand, ways = x->last[demand] - x->first[demand];
    crl_core_spend(x->core, STEPS_A_LOOK * (uint64_t)ways);
    load_rows(x, way, UINT32_MAX);
    double now = weigh(x, way);
    for (uint32_t i = x->first[demand]; i < x->last[demand]; i++) {
        double worse = weigh(x, i) - now;
        if (i == way || (rests && worse > -1) || worse > best->worse) continue;
        best->ties = worse < best->worse ? 1 : best->ties + 1;
        if (crl_random(&x->core->random) % best->ties) continue;
        *best = (struct move){.packet = packet, .way = i, .ties = best->ties, .worse = worse};
    }
    load_rows(x, way, 1);
}

static void move(struct even *x, uint64_t now)
{
    struct crl_core *c = x->core;
    uint32_t row = x->over.list[crl_random(&c->random) % x->over.count];
    struct move best = {.packet = CRL_NONE, .worse = INFINITY};
    for (uint32_t i = x->first_at[row]; i < x->first_at[row + 1]; i++) {
        const struct crl_core_demand *d = &c->demand[x->way[x->at[i]].demand];
        for (uint32_t p = d->first; p < d->first + d->count; p++)
            if (x->chosen[p] == x->at[i]) look(x, p, x->rests[p] > now, &best);
    }
    if (!(best.worse < 0)) x->weight[row] += GROW * (HASTE - (HASTE - 1) * (double)now / MOVES);
    if (now % FADE == 0)
        for (uint32_t i = 0; i < c->rows; i++) x->weight[i] = 1 + (x->weight[i] - 1) * KEPT;
    if (best.packet == CRL_NONE || (best.worse > 0 && draw(x) > exp(-best.worse / HEAT))) return;
    use_rows(x, x->chosen[best.packet], UINT32_MAX);
    use_rows(x, x->chosen[best.packet] = best.way, 1);
    x->rests[best.packet] = now + REST + crl_random(&c->random) % REST_MORE;
}

static bool even_out(struct even *x)
{
    struct crl_core *c = x->core;
    uint64_t end = c->steps / 3;
    while (c->steps > end) {
        begin(x);
        for (uint64_t now = 1; now <= MOVES && c->steps > end && x->over.count; now++) {
            if (now % FADE == 0 && crl_context_cancelled(c->problem->context)) return false;
            move(x, now);
        }
        if (!x->over.count) return true;
    }
    return false;
}

static void write_hops(const struct even *x)
{
    struct crl_core *c = x->core;
    for (uint32_t p = 0; p < c->packets; p++) {
        const struct way *way = &x->way[x->chosen[p]];
        c->hops[p] = (uint16_t)way->hops;
        for (uint32_t k = 0; k < way->hops; k++)
            c->hop[c->first[p] + k] = (struct crl_core_hop){.arc = x->arc[way->first + k], .packet = p};
    }
}

static int init(struct even *x)
{
    struct crl_core *c = x->core;
    size_t rows = c->rows, demands = c->demands;
    if (crl_ways_init(&x->ways, c->nodes)) return CRL_ERR_MEMORY;
    CRL_NUMBERS(&x->pool, rows + 1, &x->first_at, &x->load);
    crl_set_init(&x->over, &x->pool, rows);
    CRL_NUMBERS(&x->pool, demands, &x->to, &x->first, &x->last);
    CRL_ZEROED(&x->pool, x->first_to, c->nodes + UINT64_C(1));
    CRL_NEW(&x->pool, x->from, c->arcs + UINT64_C(1));
    CRL_NEW(&x->pool, x->dear, c->arcs + UINT64_C(1));
    CRL_NEW(&x->pool, x->price, rows);
    CRL_NEW(&x->pool, x->best, rows);
    CRL_NEW(&x->pool, x->weight, rows);
    CRL_NEW(&x->pool, x->through, c->nodes);
    CRL_NEW(&x->pool, x->way, demands * WAYS);
    CRL_NEW(&x->pool, x->arc, demands * WAYS * HOPS);
    CRL_NEW(&x->pool, x->at, demands * WAYS * HOPS);
    CRL_NEW(&x->pool, x->chosen, c->packets);
    CRL_NEW(&x->pool, x->rests, c->packets);
    if (crl_pool_error(&x->pool)) return CRL_ERR_MEMORY;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->arcs; i++) x->from[i] = c->arc[c->in_arc[i]].from;
    for (uint32_t i = 0; i < c->demands; i++) x->first_to[c->demand[i].to]++;
    for (uint32_t v = 0; v <= c->nodes; v++) x->first_to[v] = sum += x->first_to[v];
    for (uint32_t i = c->demands; i-- > 0;) x->to[--x->first_to[c->demand[i].to]] = i;
    return 0;
}

int crl_core_even_out(struct crl_core *core, const uint32_t *capacity)
{
    struct even x = {.core = core, .capacity = capacity};
    if (ROUNDS * steps_a_round(core) > core->steps / 2) return 0; // the search comes after the prices
    int error = init(&x);
    bool found = false;
    if (!error && find_prices(&x) < 1) {
        find_ways(&x);
        list_crossings(&x);
        found = even_out(&x);
    }
    if (found) write_hops(&x);
    crl_ways_done(&x.ways);
    crl_pool_done(&x.pool);
    return error ? error : found;
}
