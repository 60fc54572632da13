// SPDX-License-Identifier: Apache-2.0
// Static ways, and trees: which arcs a packet crosses, without saying when. A row is the dearer the more packets cross
// it, steeply so when it comes near to what it can carry in the slots that are hoped for. Round by round whoever
// crosses a row with too many looks for another way, while such rows become dearer for good.
#include "algorithm/core.h"
#include "base/random.h"
#include "base/base.h"
#include "base/context.h"
#include "certify/certify.h"
#include "problem/bound.h"
#include "topology/topology.h"
#include <string.h>

enum {
    BASE = 20000,        // mean price of a row that the proof of the bound prices, where nobody uses it;
    BASE_SINGLE = 2000,  // less where arcs use two rows;
    HOP = 10,            // price of a row that nobody uses
    FULL = 10000,        // and of one that is full;
    SQUARES = 5,         // between, it grows with the 2^5th power of the load,
    FINE = 8192,         // of which so many steps are told apart, so that one in so many packets may be too many,
    TIMES = 2,           // up to so many times what the row can carry
    HISTORY = 1000,      // what a round adds for good for each packet too many, at most
    STUCK = 16,          // without progress, before more slots are hoped for,
    STUCK_AT_ONE = 3000, // more where one packet is too many,
    FAR_OFF = 3,         // and where there are more packets too many than rows
    CHUNKS = 16, // packets of a demand move in chunks of one in so many of what a row carries, later in halves of it
    NEAR = 256,  // slots that are fewer by one in so many are not looked for
    STEPS_A_RUN = 20,
    STEPS_A_NODE = 1, // and for each node: what is known of it is far away in memory
    LOOKS = 1 << 26   // of rows and prices, at most
};

struct row {
    uint32_t load, capacity, history, price;
    uint32_t base;        // its price where nobody uses it
    uint32_t gap;         // it takes packets in one of so many slots
    uint32_t early, late; // slots at the beginning, and at the end, in which nothing can use it
};

struct paths {
    struct crl_pool pool;
    struct crl_core *core;
    struct row *row;
    uint64_t *cost;         // [near nodes]
    uint32_t *by;           // [near nodes] near arc by which the way comes
    uint32_t *early, *late; // [nodes] before anything comes, and after the last that can arrive leaves
    uint32_t *run;          // the first of packets that move together
    uint32_t *length;       // [packets] and how many these are
    uint32_t *capacity;     // [rows] those of row[]
    uint32_t scale[FINE * TIMES + 1];
    uint32_t slots, detour, chunk;
    uint32_t least;            // slots that were hoped for at first
    uint32_t failed, found;    // the most slots in which no ways were found, and the fewest in which some were
    struct crl_core_plan ways; // of these
    bool priced;               // the bound's proof prices some rows more than others
};

// ---------------------------------------------------------------- what rows can carry

static void set_scale(struct paths *x)
{
    for (uint32_t i = 0; i <= FINE * TIMES; i++) {
        double share = (double)i / FINE;
        for (int k = 0; k < SQUARES; k++) share *= share;
        x->scale[i] = share * FULL < 1e7 ? (uint32_t)(share * FULL) : 10000000;
    }
}

// Whether a delay, and some slots more, are fewer than there were.
static bool lower(uint32_t *value, uint32_t delay, uint32_t more)
{
    if (delay == CRL_NONE || delay + more >= *value) return false;
    *value = delay + more;
    return true;
}

// When the first packet can be at a node, and how long before the end the last one must leave it.
static void find_windows(struct paths *x)
{
    const struct crl_core *c = x->core;
    memset(x->early, 0xff, sizeof *x->early * c->nodes);
    memset(x->late, 0xff, sizeof *x->late * c->nodes);
    for (uint32_t i = 0; i < c->demands; i++) {
        lower(&x->early[c->demand[i].from], c->demand[i].release, 0);
        x->late[c->demand[i].to] = 0;
        for (uint32_t k = 0; k < c->demand[i].dst_count; k++) x->late[c->demand[i].dst[k]] = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < c->arcs; i++) {
            const struct crl_core_arc *a = &c->arc[i];
            changed |= lower(&x->early[a->to], x->early[a->from], a->latency);
            changed |= lower(&x->late[a->from], x->late[a->to], a->latency);
        }
    }
    for (uint32_t i = 0; i < c->rows; i++) {
        x->row[i].early = x->row[i].late = CRL_NONE;
        x->row[i].gap = 1;
    }
    for (uint32_t i = 0; i < c->arcs; i++)
        for (int k = 0; k < 2 && c->arc[i].row[k] != CRL_NONE; k++) {
            struct row *row = &x->row[c->arc[i].row[k]];
            if (c->arc[i].gap > row->gap && c->problem->ports != CRL_PORTS_SINGLE) row->gap = c->arc[i].gap;
            lower(&row->early, x->early[c->arc[i].from], 0);
            lower(&row->late, x->late[c->arc[i].to], c->arc[i].latency - 1);
        }
}

static void set_price(const struct paths *x, struct row *row)
{
    uint64_t share = (uint64_t)(row->load + x->chunk) * FINE / row->capacity;
    row->price = row->base + x->scale[share < FINE * TIMES ? share : FINE * TIMES] + row->history;
}

static bool is_priced(const struct crl_price *p, const struct crl_core_arc *a)
{
    return (p->from == CRL_NONE || p->from == a->from) && (p->to == CRL_NONE || p->to == a->to);
}

// Whether it prices some rows more than others.
static bool differ(const struct crl_certificate *proof, uint32_t rows)
{
    for (size_t i = 1; i < proof->prices; i++)
        if (proof->price[i].price != proof->price[0].price) return true;
    const struct crl_price *first = proof->price;
    return proof->prices && proof->prices < rows && (first->from != CRL_NONE || first->to != CRL_NONE);
}

// What proves the bound says which rows are scarce: the best of all flows only uses ways that are the cheapest by these
// prices.
static int set_bases(struct paths *x)
{
    const struct crl_core *c = x->core;
    struct crl_certificate proof = {0};
    uint64_t sum = 0;
    uint64_t base = c->problem->ports == CRL_PORTS_SINGLE ? BASE_SINGLE : BASE;
    int error = crl_bound_certificate(&proof, c->problem, NULL);
    bool good =
        !error && proof.kind == CRL_WEIGHTS && (uint64_t)proof.prices * c->arcs < LOOKS && differ(&proof, c->rows);
    x->priced = good && c->problem->ports != CRL_PORTS_SINGLE && crl_core_is_single(c->problem);
    for (uint32_t i = 0; i < c->rows; i++) x->row[i].base = HOP;
    for (size_t i = 0; i < proof.prices && good; i++) sum += proof.price[i].price;
    for (uint32_t i = 0; i < c->arcs && good && sum; i++)
        for (size_t k = 0; k < proof.prices; k++) {
            const struct crl_price *p = &proof.price[k];
            uint32_t row = c->arc[i].row[p->payer == CRL_PAYS_RECV];
            if (row == CRL_NONE || !is_priced(p, &c->arc[i])) continue;
            x->row[row].base = HOP + (uint32_t)((uint64_t)p->price * base * proof.prices / sum);
        }
    crl_certificate_done(&proof);
    return error == CRL_ERR_MEMORY ? error : 0;
}

static void hope_for(struct paths *x, uint32_t slots)
{
    const struct crl_core *c = x->core;
    x->slots = slots;
    for (uint32_t i = 0; i < c->rows; i++) {
        struct row *row = &x->row[i];
        row->history = 0;
        uint64_t idle = (uint64_t)row->early + row->late;
        uint32_t open = idle < slots ? slots - (uint32_t)idle : 1;
        row->capacity = c->capacity[i] * (c->modulo ? c->modulo / row->gap : (open - 1) / row->gap + 1);
        set_price(x, row);
    }
}

// ---------------------------------------------------------------- ways

static void use_rows(struct paths *x, uint32_t packet, uint32_t change)
{
    const struct crl_core *c = x->core;
    const struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t i = 0; i < c->hops[packet]; i++)
        for (int k = 0; k < 2 && c->arc[hop[i].arc].row[k] != CRL_NONE; k++) {
            struct row *row = &x->row[c->arc[hop[i].arc].row[k]];
            row->load += change;
            set_price(x, row);
        }
}

static bool crosses_over(const struct paths *x, uint32_t packet)
{
    const struct crl_core *c = x->core;
    const struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t i = 0; i < c->hops[packet]; i++)
        for (int k = 0; k < 2 && c->arc[hop[i].arc].row[k] != CRL_NONE; k++) {
            const struct row *row = &x->row[c->arc[hop[i].arc].row[k]];
            if (row->load > row->capacity) return true;
        }
    return !c->hops[packet];
}

static uint32_t price_of(const struct paths *x, uint32_t arc)
{
    const struct crl_core_arc *a = &x->core->arc[arc];
    return x->row[a->row[0]].price + (a->row[1] == CRL_NONE ? 0 : x->row[a->row[1]].price);
}

// Settles what it costs to come to places from what there is of a tree. Arcs stand in the order in which they are
// reached, so that a few passes over them are enough.
static void settle(struct paths *x)
{
    struct crl_core_near *near = &x->core->near;
    bool changed = true;
    uint32_t passes = 1;
    for (; changed; passes++) {
        changed = false;
        for (uint32_t i = 0; i < near->arcs; i++) {
            const struct crl_core_near_arc *a = &near->arc[i];
            if (x->cost[a->from] == UINT64_MAX) continue;
            uint64_t cost = x->cost[a->from] + price_of(x, a->arc);
            if (cost >= x->cost[a->to]) continue;
            x->cost[a->to] = cost;
            x->by[a->to] = i;
            changed = true;
        }
    }
    crl_core_spend(x->core, 2 * (uint64_t)near->arcs * (passes + 2) + STEPS_A_RUN + STEPS_A_NODE * x->core->nodes);
}

// The place of the destination that is the cheapest to reach of those that are not in the tree; CRL_NONE: all are.
static uint32_t next_destination(const struct paths *x, const struct crl_core_demand *d)
{
    uint32_t best = CRL_NONE;
    for (uint32_t i = 0; i < d->dst_count || !i; i++) {
        uint32_t place = x->core->near.place[d->dst_count > 1 ? d->dst[i] : d->to];
        if (x->cost[place] && (best == CRL_NONE || x->cost[place] < x->cost[best])) best = place;
    }
    return best;
}

// Takes in a place with the way to it, which goes behind the hop that it branches off: what follows after a hop up to
// the next that leaves no later node is the tree from there on. False where there is no room.
static bool attach(struct paths *x, uint32_t packet, uint32_t place, uint32_t *hops)
{
    struct crl_core *c = x->core;
    struct crl_core_hop *hop = &c->hop[c->first[packet]];
    uint32_t more = 0, at = place, behind = 0;
    for (; x->cost[at]; at = c->near.arc[x->by[at]].from) more++;
    if (*hops + more > c->first[packet + 1] - c->first[packet]) return false;
    if (at)
        while (c->arc[hop[behind++].arc].to != c->near.node[at]) continue;
    memmove(&hop[behind + more], &hop[behind], sizeof *hop * (*hops - behind));
    *hops += more;
    for (at = place; x->cost[at]; at = c->near.arc[x->by[at]].from) {
        hop[behind + --more] = (struct crl_core_hop){.arc = c->near.arc[x->by[at]].arc, .packet = packet};
        x->cost[at] = 0;
    }
    return true;
}

// A packet takes the cheapest way: to several destinations a tree that reaches one after the other (Takahashi &
// Matsuyama 1980), the cheapest first.
static void find_way(struct paths *x, uint32_t packet)
{
    struct crl_core *c = x->core;
    const struct crl_core_demand *d = &c->demand[c->of_packet[packet]];
    uint32_t hops = 0;
    crl_core_look_around(c, d, x->detour);
    for (uint32_t i = 0; i < c->near.nodes; i++) x->cost[i] = UINT64_MAX;
    x->cost[0] = 0;
    do settle(x);
    while (attach(x, packet, next_destination(x, d), &hops) && next_destination(x, d) != CRL_NONE);
    if (hops) c->hops[packet] = (uint16_t)hops;
}

// A run of packets takes the cheapest way together, in place of the one that they had.
static void reroute(struct paths *x, uint32_t packet)
{
    struct crl_core *c = x->core;
    const uint32_t length = x->length[packet];
    for (uint32_t i = 0; i < length; i++) use_rows(x, packet + i, UINT32_MAX);
    find_way(x, packet);
    const struct crl_core_hop *hop = &c->hop[c->first[packet]];
    for (uint32_t i = 1; i < length; i++) {
        struct crl_core_hop *other = &c->hop[c->first[packet + i]];
        c->hops[packet + i] = c->hops[packet];
        for (uint32_t k = 0; k < c->hops[packet]; k++)
            other[k] = (struct crl_core_hop){.arc = hop[k].arc, .packet = packet + i};
    }
    for (uint32_t i = 0; i < length; i++) use_rows(x, packet + i, 1);
}

// ---------------------------------------------------------------- rounds

static bool is_same_way(const struct crl_core *c, uint32_t a, uint32_t b)
{
    if (c->hops[a] != c->hops[b]) return false;
    for (uint32_t i = 0; i < c->hops[a]; i++)
        if (c->hop[c->first[a] + i].arc != c->hop[c->first[b] + i].arc) return false;
    return true;
}

// Lists, in random order, the runs of packets that are to move.
static uint32_t list_runs(struct paths *x)
{
    struct crl_core *c = x->core;
    uint32_t runs = 0;
    uint64_t hops = 0;
    for (uint32_t p = 0, end; p < c->packets; p = end) {
        hops += c->hops[p];
        for (end = p + 1;
             end < c->packets && end - p < x->chunk && c->of_packet[p] == c->of_packet[end] && is_same_way(c, p, end);)
            end++;
        if (!crosses_over(x, p)) continue;
        x->run[runs++] = p;
        x->length[p] = end - p;
    }
    crl_shuffle(x->run, runs, &c->random);
    crl_core_spend(c, c->packets * UINT64_C(4) + hops);
    return runs;
}

// Raises the prices of what is too full. Returns how many packets are too many, and by how many slots at most.
static uint64_t raise_prices(struct paths *x, uint32_t *slots)
{
    uint64_t too_many = 0;
    *slots = 0;
    for (uint32_t i = 0; i < x->core->rows; i++) {
        struct row *row = &x->row[i];
        if (row->load <= row->capacity) continue;
        uint32_t steep = (FULL << SQUARES) / row->capacity; // by what a packet more makes a full row dearer
        uint32_t over = row->load - row->capacity, more = ((over - 1) / x->core->capacity[i] + 1) * row->gap;
        too_many += over;
        row->history += (steep < HISTORY ? steep : HISTORY) * (over < 64 ? over : 64);
        if (more > *slots) *slots = more;
        set_price(x, row);
    }
    return too_many;
}

// Rounds until no row has too many to speak of, or there is no progress, or few steps are left; one at least. Returns
// the slots that the fullest row lacks.
static uint32_t play_rounds(struct paths *x, uint64_t end)
{
    struct crl_core *c = x->core;
    uint64_t least = UINT64_MAX;
    uint32_t more = CRL_NONE, near = CRL_CORE_DETOUR / 2 * c->latency_min, few = x->slots / FINE;
    for (uint32_t idle = 0, round = 0;
         more > few && idle < (least > c->rows ? FAR_OFF : STUCK + STUCK_AT_ONE / least) && (!round || c->steps > end);
         round++) {
        uint32_t chunk = x->slots / CHUNKS >> (round < 31 ? round : 31);
        bool first = x->slots == x->least;
        x->chunk = first && chunk > few ? chunk : few + 1;
        x->detour = first && round < near ? round : idle < STUCK ? near : 2 * near;
        uint32_t runs = list_runs(x);
        for (uint32_t i = 0; i < runs; i++)
            if (crosses_over(x, x->run[i])) reroute(x, x->run[i]);
        if (crl_context_cancelled(c->problem->context)) return more;
        uint64_t too_many = raise_prices(x, &more);
        idle = too_many < least - least / 16 ? 0 : idle + 1;
        if (!idle) least = too_many;
    }
    return more;
}

// Where a slot is lacking: a search for who is at it. The ways that were found stay where it finds none.
static int even_out(struct paths *x)
{
    struct crl_core *c = x->core;
    for (uint32_t i = 0; i < c->rows; i++) {
        x->capacity[i] = x->row[i].capacity;
        x->row[i].load = 0;
    }
    int evened = crl_core_even_out(c, x->capacity);
    for (uint32_t p = 0; p < c->packets; p++) use_rows(x, p, 1);
    return evened;
}

// From few slots upward, as it looks how many are lacking, then between what was too few and what was enough. None may
// use up more than half of the steps that are left; in the end there are as many slots as the fullest row needs.
static int find_paths(struct paths *x)
{
    struct crl_core *c = x->core;
    uint64_t end = c->steps / 5 * 2;
    while (x->found == CRL_NONE || (x->found - x->failed > 1 + x->found / NEAR && c->steps > end)) {
        bool hurry = c->steps <= end;
        uint32_t more = play_rounds(x, hurry ? end : end + (c->steps - end) / 2);
        if (crl_context_cancelled(c->problem->context)) return CRL_ERR_INTERRUPTED;
        if (more == 1 && !hurry && x->priced) {
            int evened = even_out(x);
            if (evened < 0) return evened;
            if (evened) more = 0;
        }
        bool good = more <= x->slots / FINE || c->modulo;
        if (!good) x->failed = x->slots;
        else if (crl_core_keep(&x->ways, c, x->found = x->slots + (c->modulo ? 0 : more))) return CRL_ERR_MEMORY;
        if (c->modulo) return 0;
        if (x->failed + 1 < x->found)
            hope_for(x, x->failed + (x->found != CRL_NONE ? (x->found - x->failed) / 2
                                     : hurry              ? more
                                                          : (more + 1) / 2));
    }
    crl_core_take(&x->ways, c);
    return 0;
}

int64_t crl_core_find_paths(struct crl_core *c, uint32_t slots)
{
    if (c->modulo && c->modulo < crl_topology_gap_max(c->problem->topology)) return CRL_ERR_UNSUPPORTED;
    struct paths x = {.core = c, .chunk = 1, .found = CRL_NONE, .failed = slots - 1, .least = slots};
    size_t nodes = c->nodes, packets = c->packets + UINT64_C(1);
    CRL_ZEROED(&x.pool, x.row, c->rows + UINT64_C(1));
    CRL_NEW(&x.pool, x.capacity, c->rows + UINT64_C(1));
    CRL_NEW(&x.pool, x.cost, nodes);
    CRL_NUMBERS(&x.pool, nodes, &x.by, &x.early, &x.late);
    CRL_NUMBERS(&x.pool, packets, &x.run, &x.length);
    int64_t error = crl_pool_error(&x.pool);
    if (!error) error = crl_core_plan_new(&x.ways, c);
    if (!error) {
        for (uint32_t i = 0; i < c->demands; i++) {
            c->demand[i].start = 0;
            c->demand[i].end = CRL_NONE;
        }
        memset(c->hops, 0, sizeof *c->hops * c->packets);
        set_scale(&x);
        error = set_bases(&x);
    }
    if (!error) {
        find_windows(&x);
        hope_for(&x, slots);
        error = find_paths(&x);
    }
    crl_pool_done(&x.pool);
    crl_pool_done(&x.ways.pool);
    return error ? error : x.found;
}
