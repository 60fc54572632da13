// SPDX-License-Identifier: Apache-2.0
// Broadcast kinds on any network, both port models, slot by slot: multinode broadcast, whole or partial, and broadcasts
// of split packets. Links may be late or side by side, and some nodes may only forward; these take what is rare, too,
// and what brought no host anything is left out afterwards. How much each preference counts is drawn by lot from fixed
// seeds, and the best of several schedules is kept: the one of the fewest slots, then the one that needs the smallest
// router.
//
// No construction is known that meets the bound of every mesh or graph: the corners have few links and must be served
// over each of them in nearly every slot. This met it on all meshes that were tried, and on most graphs.
#include "algorithm/spread.h"
#include "algorithm/algorithm.h"
#include "base/context.h"
#include <stdlib.h>
#include <string.h>

enum {
    WORD = CRL_SPREAD_WORD,
    SEEDS_MAX = 4000,
    SEEDS_A_SECOND = 60000, // of an effort: many small schedules end before they look at much
    SEEDS_OF_ONE = 500,
    TIDY_MAX = 1 << 23,          // packets, times nodes, for which routers are looked at
    DELAYS_MAX = 1 << 22,        // pairs of nodes for which ways are looked at
    WORK_A_SECOND = 200000000,   // packets looked at, times links
    WORK_FOR_SLOTS = 400000000,  // before a schedule is taken that misses the bound
    WORK_FOR_BUFFERS = 80000000, // and one that meets it,
    WORK_FOR_BUFFER = 8000000,   // and of node 0 alone,
    WORK_FOR_BANKS = 2000000000, // as long as packets conflict that must not
    LOOKS_LEAST = 6
};

// ---- a schedule

// Small ones are as likely as great ones: one below 128, halved up to `halvings` − 1 times.
static uint32_t draw_weight(struct crl_spread *s, uint32_t halvings)
{
    uint32_t value = crl_draw(&s->random, 128); // the order of the two must not be the compiler's
    return value >> crl_draw(&s->random, halvings);
}

// Of node 0 alone: packets with few ways on first, as in a knight's tour, as nobody will pass them again, and in most
// tries hardly those from far away. Then what comes leaves at once, and little is kept.
static void draw_weights_of_one(struct crl_spread *s, uint64_t seed)
{
    static const uint32_t far[] = {1 << 14, 4, 0, 64};
    uint32_t wait = 128 << crl_draw(&s->random, 4);
    s->weights =
        (struct crl_spread_weights){.near = -32, .far = far[seed % 4], .lot = 64, .clash = 1 << 18, .wait = wait};
}

static void draw_weights(struct crl_spread *s, uint64_t seed)
{
    struct crl_spread_weights *w = &s->weights;
    s->random = seed;
    w->near = 1 + (int32_t)draw_weight(s, 5);
    w->rare = draw_weight(s, 7);
    w->lot = 1 + crl_draw(&s->random, 64);
    w->clash = seed % 4 ? 1 << 16 : crl_draw(&s->random, 256);
    w->wait = draw_weight(s, 7);
    w->far = s->folded || seed % 2 ? 1 << 12 : crl_draw(&s->random, 64);
    if (s->single || s->problem->hosts || s->latency_max > 1)
        if (seed % 4) *w = (struct crl_spread_weights){.rare = 256, .lot = 256, .far = w->far};
    if (s->folded && s->arrival) draw_weights_of_one(s, seed);
}

static void begin(struct crl_spread *s, uint64_t seed)
{
    draw_weights(s, seed);
    s->slot = 0;
    s->now.count = s->flying = 0;
    s->quality = (struct crl_spread_quality){0};
    s->left = 0;
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words);
    memset(s->lacks, 0xff, sizeof *s->lacks * s->nodes * s->words);
    if (s->taken) memset(s->taken, 0, sizeof *s->taken * s->served * s->latency_max);
    for (uint32_t v = 0; v < s->served; v++) {
        s->missing[v] = s->packets;
        s->order[v] = v;
    }
}

static void place(struct crl_spread *s, uint32_t node, uint32_t packet)
{
    crl_spread_flip(s, s->has, node, packet);
    crl_spread_flip(s, s->lacks, node, packet);
}

// Puts every packet where it starts.
static void place_all(struct crl_spread *s)
{
    const struct crl_topology *t = s->problem->topology;
    for (uint32_t packet = 0; packet < s->packets; packet++) {
        s->copies[packet] = 1;
        if (!s->folded) place(s, s->origin[packet], packet);
        for (uint32_t v = 0; v < s->nodes && s->folded; v++)
            if (s->origin[packet] == (v ? crl_topology_behind(t, 0, v - 1) : 0)) place(s, v, packet);
        if (s->origin[packet] < s->served) s->missing[s->origin[packet]]--;
    }
    for (uint32_t v = 0; v < s->served; v++) s->left += crl_problem_is_host(s->problem, v) ? s->missing[v] : 0;
}

// The slot in which a node can have everything, at the least.
static uint64_t least_end(const struct crl_spread *s, uint32_t node)
{
    uint32_t first = s->first[node], degree = s->first[node + 1] - first, least = UINT32_MAX;
    if (!s->missing[node] || !crl_problem_is_host(s->problem, node)) return s->slot;
    for (uint32_t i = first; i < first + degree; i++)
        if (s->link[i].latency < least) least = s->link[i].latency;
    return s->slot + crl_ceil_div(s->missing[node], s->single ? 1 : degree) + least - 1;
}

static bool is_in_time(const struct crl_spread *s)
{
    for (uint32_t v = 0; v < s->served; v++)
        if (least_end(s, v) > s->limit) return false;
    return true;
}

// One schedule of at most `limit` slots; *found tells whether it came to that.
static int attempt(struct crl_spread *s, uint64_t seed, uint32_t limit, bool *found)
{
    int error = 0;
    begin(s, seed);
    place_all(s);
    s->limit = limit;
    while (s->left && is_in_time(s) && !error && s->quality.conflicts <= s->conflicts_most) {
        s->slot++;
        error = s->single ? crl_spread_play_single(s) : crl_spread_play(s);
    }
    *found = !s->left && s->quality.conflicts <= s->conflicts_most && s->quality.slots <= limit;
    return error;
}

// ---- what a schedule asks of a router

static bool leads_on(struct crl_spread *s, const struct crl_spread_hop *h)
{
    uint32_t to = s->to[h->link];
    return crl_problem_is_host(s->problem, to) || crl_spread_bit(s, s->has, to, h->packet);
}

// Takes out, from the last on, what brings no host anything: the hops are then trees whose leaves are hosts.
static void prune(struct crl_spread *s)
{
    size_t kept = s->now.count;
    memset(s->has, 0, sizeof *s->has * s->nodes * s->words); // from now on: who passes it on
    s->quality.slots = 0;
    for (size_t i = s->now.count; i-- > 0;) {
        struct crl_spread_hop h = s->now.hop[i];
        uint32_t from = s->link[h.link].from, arrival = h.slot + s->link[h.link].latency - 1;
        if (!leads_on(s, &h)) continue;
        if (!crl_spread_bit(s, s->has, from, h.packet)) crl_spread_flip(s, s->has, from, h.packet);
        if (arrival > s->quality.slots) s->quality.slots = arrival;
        s->now.hop[--kept] = h;
    }
    s->now.count -= kept;
    memmove(s->now.hop, s->now.hop + kept, sizeof *s->now.hop * s->now.count);
}

// Most packets that the node holds between slots to send them later.
static uint32_t packets_held_at(const struct crl_spread *s, uint32_t node, uint32_t *change)
{
    uint32_t held = 0, most = 0;
    memset(change, 0, sizeof *change * (s->quality.slots + 1));
    for (uint32_t packet = 0; packet < s->packets; packet++) {
        size_t here = (size_t)node * s->packets + packet;
        if (s->origin[packet] == node || !s->last[here] || crl_spread_bit(s, s->lacks, node, packet)) continue;
        change[s->arrival[here]]++;
        change[s->last[here]]--;
    }
    for (uint32_t t = 1; t <= s->quality.slots; t++) {
        held += change[t];
        if (held > most) most = held;
    }
    return most;
}

static int measure_buffer(struct crl_spread *s)
{
    uint32_t *change CRL_OWNED = malloc(sizeof *change * (s->quality.slots + 1));
    if (!change) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < s->served; v++) {
        uint32_t held = packets_held_at(s, v, change);
        if (held > s->quality.buffer) s->quality.buffer = held;
    }
    return 0;
}

static bool better(const struct crl_spread_quality *a, const struct crl_spread_quality *b)
{
    if (a->slots != b->slots) return a->slots < b->slots;
    if (!a->conflicts != !b->conflicts) return !a->conflicts; // a few cost the router as much as many
    return a->buffer < b->buffer;
}

// ---- planning

static void add_links(struct crl_spread *s, uint32_t node)
{
    const struct crl_topology *t = s->problem->topology;
    s->first[node] = s->links;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t from = crl_topology_behind(t, node, p);
        if (from == CRL_NONE) continue;
        s->to[s->links] = node;
        s->link[s->links++] = (struct crl_spread_link){s->folded ? 1 + p : from, crl_topology_latency(t, from, p)};
    }
    s->first[node + 1] = s->links;
    if (s->links - s->first[node] > s->degree) s->degree = s->links - s->first[node];
}

static void find_delays(struct crl_spread *s)
{
    const struct crl_topology *t = s->problem->topology;
    for (uint32_t origin = 0; origin < crl_topology_nodes(t); origin++)
        for (uint32_t v = 0; v < s->served; v++) {
            uint32_t delay = crl_topology_delay(t, origin, v);
            if (delay > s->farthest) s->farthest = delay;
            s->delay[(size_t)origin * s->served + v] = delay;
        }
}

static int allocate(struct crl_spread *s, size_t links_max)
{
    size_t served = s->served, nodes = s->nodes, packets = s->packets, sets = nodes * s->words, d = s->degree;
    bool tidy = !s->single && s->latency_max == 1 && served * packets <= TIDY_MAX &&
                !crl_problem_is_partial(s->problem) && !s->problem->hosts;
    bool far = s->folded || (s->differ && nodes * nodes <= DELAYS_MAX);
    CRL_ZEROED(&s->pool, s->first, served + 1);
    CRL_ZEROED(&s->pool, s->link, links_max);
    CRL_ZEROED(&s->pool, s->to, links_max);
    CRL_ZEROED(&s->pool, s->origin, packets);
    if (far) CRL_ZEROED(&s->pool, s->delay, crl_topology_nodes(s->problem->topology) * served);
    CRL_ZEROED(&s->pool, s->has, sets);
    CRL_ZEROED(&s->pool, s->lacks, sets);
    CRL_ZEROED(&s->pool, s->copies, packets);
    CRL_NUMBERS(&s->pool, served, &s->missing, &s->order, &s->key);
    CRL_ZEROED(&s->pool, s->sending, links_max);
    CRL_ZEROED(&s->pool, s->choice, d * d);
    CRL_NUMBERS(&s->pool, d, &s->choices, &s->takes, &s->visited);
    if (s->single) {
        CRL_ZEROED(&s->pool, s->taken, served * s->latency_max);
        CRL_NUMBERS(&s->pool, nodes, &s->gives, &s->seen);
    }
    if (tidy) {
        CRL_NUMBERS(&s->pool, served * packets, &s->arrival, &s->last);
        CRL_ZEROED(&s->pool, s->lane, served * packets);
    }
    return crl_pool_error(&s->pool);
}

static int spread_new(struct crl_spread *s, const struct crl_problem *problem, bool folded)
{
    const struct crl_topology *t = problem->topology;
    uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t), part;
    *s = (struct crl_spread){.problem = problem, .single = problem->ports == CRL_PORTS_SINGLE, .folded = folded};
    s->served = folded ? 1 : nodes;
    s->nodes = folded ? 1 + ports : nodes;
    s->packets = (uint32_t)crl_problem_packets(problem);
    s->words = s->packets / WORD + 1;
    s->latency_max = crl_topology_latency_max(t);
    s->differ = crl_topology_latency_min(t) != s->latency_max;
    s->degree = ports;
    int error = allocate(s, (size_t)s->served * ports);
    if (error) return error;
    for (uint32_t v = 0; v < s->served; v++) add_links(s, v);
    for (uint32_t packet = 0; packet < s->packets; packet++)
        crl_problem_packet(problem, packet, &s->origin[packet], &part);
    if (s->delay) find_delays(s);
    return 0;
}

// Of all that a link could look at in a large network it looks at some only.
static uint32_t looks_of(const struct crl_spread *s, uint64_t bound, uint64_t work)
{
    uint64_t looks = work / (bound * s->links * (s->links / s->served + 1) + 1);
    return looks > s->packets ? UINT32_MAX : looks < LOOKS_LEAST ? LOOKS_LEAST : (uint32_t)looks;
}

// Looks at packets until no more schedules are tried, with the best so far.
static uint64_t work_for(const struct crl_spread *s, const struct crl_spread_quality *best, uint64_t bound, bool banked)
{
    uint64_t most = WORK_FOR_SLOTS, tidy = s->folded ? WORK_FOR_BUFFER : WORK_FOR_BUFFERS;
    if (banked && best->conflicts) most = tidy = WORK_FOR_BANKS;
    if (s->problem->effort) most = s->problem->effort * (uint64_t)WORK_A_SECOND;
    return best->slots <= bound && tidy < most ? tidy : most;
}

// The best of many schedules, until the work is done. `banked`: not before there are no conflicts, if it can be.
static int search(struct crl_spread *s, struct crl_spread_hops *kept, bool banked)
{
    const struct crl_problem *problem = s->problem;
    struct crl_spread_quality best = {.slots = UINT32_MAX / 2, .conflicts = UINT32_MAX};
    uint64_t bound = crl_problem_bound_slots(problem), work = work_for(s, &best, bound, false);
    uint64_t seeds = problem->effort ? problem->effort * SEEDS_A_SECOND : SEEDS_MAX;
    s->looks = looks_of(s, bound, work);
    s->conflicts_most = UINT32_MAX;
    for (uint64_t seed = 1; seed <= seeds && (!kept->count || s->work < work); seed++) {
        uint32_t limit = best.slots - (best.slots > bound && kept->count && !s->arrival);
        bool found, drawn = s->differ && kept->count && best.slots > bound;
        if (drawn) limit = (uint32_t)bound + crl_draw(&s->random, best.slots - (uint32_t)bound);
        int error = attempt(s, seed, limit, &found);
        if (error || crl_context_cancelled(problem->context)) return error;
        if (!found) continue;
        if (problem->hosts) prune(s);
        if (s->arrival && (error = measure_buffer(s))) return error;
        if (kept->count && !better(&s->quality, &best)) continue;
        best = s->quality;
        struct crl_spread_hops swap = *kept;
        *kept = s->now;
        s->now = swap;
        if (best.slots <= bound && !s->arrival) break;
        work = work_for(s, &best, bound, banked);
        if (!s->folded || best.slots > bound) continue;
        s->conflicts_most = best.conflicts; // which is cheap to see before a schedule is whole
        if (!best.conflicts) seeds = SEEDS_OF_ONE;
    }
    return banked && best.conflicts ? CRL_ERR_UNSUPPORTED : 0;
}

static void write_moves(const struct crl_spread *s, const struct crl_spread_hops *hops, struct crl_schedule *schedule)
{
    schedule->folded = s->folded;
    for (size_t i = 0; i < hops->count; i++) {
        uint32_t link = hops->hop[i].link, from = s->link[link].from;
        if (s->folded) from = crl_topology_behind(s->problem->topology, 0, from - 1);
        struct crl_move move = {.slot = hops->hop[i].slot, .src = from, .dst = s->to[link]};
        crl_problem_packet(s->problem, hops->hop[i].packet, &move.origin, &move.dest);
        crl_schedule_add(schedule, s->folded ? crl_move_at_0(schedule, move) : move);
    }
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool banked, struct crl_diag *diag)
{
    struct crl_spread s;
    struct crl_spread_hops kept = {0};
    int error = spread_new(&s, problem, crl_problem_is_symmetric(problem));
    if (!error && s.packets) error = search(&s, &kept, banked);
    if (!error) write_moves(&s, &kept, schedule);
    crl_pool_done(&s.pool);
    if (error != CRL_ERR_UNSUPPORTED) return error ? crl_fail_memory(diag) : 0;
    return crl_fail(diag, error, "no input-banked schedule was found for %s; that does not mean there is none",
                    crl_topology_name(problem->topology));
}

int crl_plan_spread(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, diag);
}

static int plan_banked(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, diag);
}

static bool is_symmetric(const struct crl_problem *problem) { return crl_topology_is_symmetric(problem->topology); }

// Translates of one tree, whose links of each slot have distinct directions, met this on all networks that were tried.
static uint64_t claim(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    bool claims = is_symmetric(problem) && !strcmp(crl_problem_name(problem), "multinode-broadcast") &&
                  problem->ports == CRL_PORTS_ALL && !problem->hosts && crl_topology_latency_max(t) == 1;
    uint64_t load = crl_ceil_div((uint64_t)problem->parts * (t->nodes - 1), t->ports);
    uint64_t diameter = claims ? crl_topology_eccentricity(t, 0, false) : 0;
    return !claims ? UINT64_MAX : load > diameter ? load : diameter;
}

const struct crl_algorithm crl_rows_spread[] = {
    {"broadcast multinode-broadcast partial-multinode-broadcast", "slotwise", "any", "the bound where tried", NULL,
     "slot by slot: matchings of links, single-port of senders and receivers, with what is rare",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .plan = crl_plan_spread, .symmetric = crl_is_any, .cost = {.row_ns = 300, .search_s = 2}, .claim = claim},
    {"multinode-broadcast", "banked", "product without paths", "max(ceil((N-1)/degree), diameter)", "after B91 Sec. 2",
     "translates of one tree by which no two packets from one port leave together, slot by slot",
     .ports = CRL_FOR_ALL_PORTS, .handles = CRL_HANDLES_PARTS | CRL_HANDLES_ONE_WAY, .router = CRL_ROUTER_BANKED,
     .applies = is_symmetric, .plan = plan_banked, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1 << 15, .search_s = 10, .quick_nodes = 512}, .claim = claim},
    {0}};
