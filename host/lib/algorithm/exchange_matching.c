// SPDX-License-Identifier: Apache-2.0
// Single-port total exchange on networks without translations: graphs, and products with paths, where it takes fewer
// slots than Algorithm A2 of Dimakopoulos & Dimopoulos 1996, which idles the ends of every path.
//
// Routes that load the nodes evenly, then a list scheduler: in each slot as many nodes send to as many others as can
// be, a matching on the links in which nodes with the most work left come first. Of the packets that wait for a link
// the one with the longest way goes (in every other try the shortest). On large arrays hardly a slot is lost beyond the
// load of the busiest node. Lots from fixed seeds break ties; on small networks the best of many tries is kept, or the
// schedule of Algorithm A2 if none was better.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "algorithm/routes.h"
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2000000, TRIES_MAX = 4000 }; // ROWS: about how many to plan in all tries after the first

struct exchange {
    struct crl_routes routes;
    uint32_t nodes, ports, levels;
    uint32_t *before;  // [node · ports + port] who sends through that port to the node, or CRL_NONE
    uint32_t *top;     // [link · levels + hops to go] a packet that waits, or CRL_NONE; link: node · ports + port
    uint64_t *some;    // [link · words] a bit for each level at which one waits
    uint32_t *waiting; // [link] how many
    uint32_t *below;   // [packet] the next of its link and level
    uint32_t *sends, *receives;         // [node] what it has left to do
    uint64_t *key;                      // [2 · nodes] work left, the most first
    uint32_t *order;                    // [2 · nodes] senders, and nodes + receivers, in that order
    uint32_t *to, *from;                // the matching: ports of senders, senders of receivers
    bool *fixed;                        // [2 · nodes] has a claim to be matched
    uint32_t *seen, stamp;              // [2 · nodes]
    uint32_t *queue, *parent, *through; // [nodes] of a search: nodes, where they came from, and by which link
    uint32_t *arrived;                  // [node] the packet that it received in this slot
    uint32_t words, left;
    uint64_t random;
    bool shortest_first;
};
enum { NEVER_SEEN = 0, DEAD = 1, FIRST_STAMP = 2 }; // DEAD: leads nowhere any more in this slot

static bool applies_exchange_matching(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    // A path alone is A2's.
    return t->factor_count != 1 && t->nodes <= CRL_ROUTES_NODES_MAX && t->ports <= CRL_PORTS_MAX &&
           !crl_topology_is_symmetric(t);
}

// ---------------------------------------------------------------- packets that wait

// Puts a packet that has `to_go` hops to go, and lies at the node that it got to, where its way leads on.
static void wait(struct exchange *x, uint32_t node, uint32_t packet, uint32_t to_go)
{
    uint32_t end = x->routes.first[packet + 1], link = node * x->ports + x->routes.port[end - to_go];
    uint32_t *top = &x->top[(size_t)link * x->levels + to_go];
    x->below[packet] = *top;
    *top = packet;
    x->some[(size_t)link * x->words + to_go / 64] |= UINT64_C(1) << to_go % 64;
    x->waiting[link]++;
}

static uint32_t level(const struct exchange *x, uint32_t link)
{
    const uint64_t *some = &x->some[(size_t)link * x->words];
    uint32_t word = 0;
    if (x->shortest_first) {
        while (!some[word]) word++;
        return word * 64 + (uint32_t)__builtin_ctzll(some[word]);
    }
    for (word = x->words - 1; !some[word];) word--;
    return word * 64 + 63 - (uint32_t)__builtin_clzll(some[word]);
}

static uint32_t take(struct exchange *x, uint32_t link, uint32_t *to_go)
{
    *to_go = level(x, link);
    uint32_t *top = &x->top[(size_t)link * x->levels + *to_go], packet = *top;
    *top = x->below[packet];
    if (*top == CRL_NONE) x->some[(size_t)link * x->words + *to_go / 64] &= ~(UINT64_C(1) << *to_go % 64);
    x->waiting[link]--;
    return packet;
}

static void start(struct exchange *x, uint64_t seed)
{
    uint32_t n = x->nodes;
    crl_routes_find(&x->routes, seed);
    x->random = seed;
    x->shortest_first = seed % 2;
    x->left = n * (n - 1);
    memset(x->top, 0xff, sizeof *x->top * n * x->ports * x->levels);
    memset(x->some, 0, sizeof *x->some * n * x->ports * x->words);
    memset(x->waiting, 0, sizeof *x->waiting * n * x->ports);
    memcpy(x->sends, x->routes.sends, sizeof *x->sends * n);
    memcpy(x->receives, x->routes.sends, sizeof *x->sends * n); // what it passes on, and as many as it has of its own
    for (uint32_t packet = 0; packet < n * n; packet++)
        if (packet / n != packet % n)
            wait(x, packet / n, packet, x->routes.first[packet + 1] - x->routes.first[packet]);
}

// ---------------------------------------------------------------- the matching

// The other end of link k of a sender or (`back`) of a receiver, if a packet waits for that link.
static uint32_t other_end(const struct exchange *x, uint32_t node, uint32_t k, bool back, uint32_t *link)
{
    uint32_t cell = node * x->ports + k, other = back ? x->before[cell] : x->routes.after[cell];
    if (other == CRL_NONE) return CRL_NONE;
    *link = back ? other * x->ports + k : cell;
    return x->waiting[*link] ? other : CRL_NONE;
}

static void join(struct exchange *x, uint32_t link)
{
    uint32_t sender = link / x->ports, port = link % x->ports;
    x->to[sender] = port;
    x->from[x->routes.after[link]] = sender;
}

// Who is matched with the receiver or (`back`) with the sender, or CRL_NONE.
static uint32_t partner(const struct exchange *x, uint32_t node, bool back)
{
    if (!back) return x->from[node];
    return x->to[node] == CRL_NONE ? CRL_NONE : x->routes.after[node * x->ports + x->to[node]];
}

// Matches a sender or (`back`) a receiver, by an alternating path to somebody who is free, or whose partner has no
// claim and goes without. False: there is none, and everybody who was seen on the way leads nowhere in this slot.
static bool serve(struct exchange *x, uint32_t node, bool back)
{
    uint32_t *seen = x->seen + (back ? x->nodes : 0), filled = 1, turn = (uint32_t)crl_random(&x->random);
    const bool *fixed = x->fixed + (back ? x->nodes : 0);
    x->stamp++;
    x->queue[0] = node;
    for (uint32_t at = 0; at < filled; at++)
        for (uint32_t i = 0; i < x->ports; i++) {
            uint32_t link, other = other_end(x, x->queue[at], (turn + i) % x->ports, back, &link);
            if (other == CRL_NONE || seen[other] == x->stamp || seen[other] == DEAD) continue;
            seen[other] = x->stamp;
            uint32_t rival = partner(x, other, back);
            if (rival != CRL_NONE && fixed[rival]) {
                x->queue[filled] = rival;
                x->parent[filled] = at;
                x->through[filled++] = link;
                continue;
            }
            if (rival != CRL_NONE) *(back ? &x->from[rival] : &x->to[rival]) = CRL_NONE;
            for (; at; at = x->parent[at]) { // each gives up what it had to the one it was found from
                uint32_t given = x->through[at];
                join(x, link);
                link = given;
            }
            join(x, link);
            return true;
        }
    for (uint32_t i = 1; i < filled; i++) seen[partner(x, x->queue[i], !back)] = DEAD;
    return false;
}

static uint64_t key_of(const void *keys, uint32_t i) { return ((const uint64_t *)keys)[i]; }

static int sort_by_work(struct exchange *x)
{
    uint32_t n = x->nodes;
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint64_t work = i < n ? x->sends[i] : x->receives[i - n];
        x->key[i] = (UINT32_MAX - work) << 16 | (crl_random(&x->random) & 0xffff);
        x->order[i] = i;
    }
    return crl_sort_order(x->order, 2 * n, key_of, x->key, UINT64_C(1) << 47);
}

// Senders and receivers, those with the most work first, each join the matching if nobody who joined before must leave:
// the sets that a matching can cover are a matroid, so this greedy is the best in that order.
static int match(struct exchange *x, uint32_t slot)
{
    enum { OFTEN = 128, SELDOM = 8 }; // in large networks the order hardly changes from slot to slot
    uint32_t n = x->nodes, pause = n / OFTEN < SELDOM ? 1 + n / OFTEN : SELDOM;
    int error = slot % pause && slot > 1 ? 0 : sort_by_work(x);
    memset(x->to, 0xff, sizeof *x->to * n);
    memset(x->from, 0xff, sizeof *x->from * n);
    memset(x->fixed, 0, sizeof *x->fixed * 2 * n);
    memset(x->seen, 0, sizeof *x->seen * 2 * n);
    x->stamp = FIRST_STAMP;
    for (uint32_t i = 0; i < 2 * n && !error; i++) {
        bool back = x->order[i] >= n;
        uint32_t v = back ? x->order[i] - n : x->order[i];
        if (!(back ? x->receives[v] : x->sends[v])) continue;
        x->fixed[x->order[i]] = (back ? x->from[v] : x->to[v]) != CRL_NONE || serve(x, v, back);
    }
    return error;
}

// ---------------------------------------------------------------- a try

static int send(struct exchange *x, struct crl_schedule *schedule, uint32_t slot)
{
    int error = 0;
    for (uint32_t v = 0; v < x->nodes; v++) x->arrived[v] = CRL_NONE;
    for (uint32_t u = 0; u < x->nodes && !error; u++) {
        if (x->to[u] == CRL_NONE) continue;
        uint32_t link = u * x->ports + x->to[u], v = x->routes.after[link], to_go, packet = take(x, link, &to_go);
        x->sends[u]--;
        x->receives[v]--;
        x->left -= to_go == 1;
        x->arrived[v] = to_go > 1 ? packet : CRL_NONE;
        x->through[v] = to_go - 1;
        struct crl_move move = {slot, u, v, packet / x->nodes, packet % x->nodes};
        error = crl_schedule_add(schedule, move);
    }
    for (uint32_t v = 0; v < x->nodes; v++) // what arrives in a slot can leave in the next
        if (x->arrived[v] != CRL_NONE) wait(x, v, x->arrived[v], x->through[v]);
    return error;
}

// Gives up after `most` slots; *slots is CRL_NONE then.
static int try_once(struct exchange *x, struct crl_schedule *schedule, uint64_t seed, uint32_t most, uint32_t *slots)
{
    int error = 0;
    schedule->count = 0;
    start(x, seed);
    for (*slots = 0; x->left && *slots < most && !error;) {
        ++*slots;
        error = match(x, *slots);
        if (!error) error = send(x, schedule, *slots);
    }
    if (x->left) *slots = CRL_NONE;
    return error;
}

// ---------------------------------------------------------------- the plan

static int exchange_new(struct exchange *x, const struct crl_topology *t, uint32_t bound)
{
    size_t n = t->nodes, links = n * t->ports;
    uint32_t diameter = 0;
    *x = (struct exchange){.nodes = t->nodes, .ports = t->ports};
    int error = crl_routes_new(&x->routes, t, bound ? bound : 1);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            uint32_t distance = crl_topology_distance(t, a, b);
            if (distance > diameter) diameter = distance;
        }
    x->levels = diameter + 1;
    x->words = diameter / 64 + 1;
    uint32_t **const arrays[] = {&x->before, &x->waiting, &x->sends, &x->receives, &x->order,   &x->to,
                                 &x->from,   &x->seen,    &x->queue, &x->parent,   &x->through, &x->arrived};
    const size_t counts[] = {links, links, n, n, 2 * n, n, n, 2 * n, n + 1, n + 1, n + 1, n};
    bool good = !error;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= !!(*arrays[i] = malloc(sizeof(uint32_t) * counts[i]));
    good &= !!(x->top = malloc(sizeof *x->top * links * x->levels));
    good &= !!(x->some = malloc(sizeof *x->some * links * x->words));
    good &= !!(x->below = malloc(sizeof *x->below * n * n));
    good &= !!(x->key = malloc(sizeof *x->key * 2 * n));
    good &= !!(x->fixed = malloc(sizeof *x->fixed * 2 * n));
    for (uint32_t v = 0; v < n && good; v++)
        for (uint32_t p = 0; p < t->ports; p++) x->before[v * t->ports + p] = crl_topology_behind(t, v, p);
    return good ? 0 : CRL_ERR_MEMORY;
}

static void exchange_done(struct exchange *x)
{
    uint32_t *arrays[] = {x->before, x->waiting, x->sends,  x->receives, x->order,   x->to,  x->from,
                          x->seen,   x->queue,   x->parent, x->through,  x->arrived, x->top, x->below};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(x->some);
    free(x->key);
    free(x->fixed);
    crl_routes_done(&x->routes);
}

// Tries until the bound is met or enough was tried, for fewer than *least slots; *least is what was found.
static int search(struct exchange *x, struct crl_schedule *schedule, uint64_t bound, uint32_t *least)
{
    struct crl_schedule attempt;
    uint64_t tries = 1 + ROWS / (crl_topology_status_sum(x->routes.topology) + 1);
    uint32_t slots;
    int error = 0;
    crl_schedule_init(&attempt, schedule->topology, CRL_NAMING_PAIR, false);
    for (uint64_t seed = 0; seed < tries && seed<TRIES_MAX && * least> bound && !error; seed++) {
        error = try_once(x, &attempt, seed, *least - 1, &slots);
        if (error || slots >= *least) continue;
        *least = slots;
        struct crl_schedule swap = *schedule;
        *schedule = attempt;
        attempt = swap;
    }
    crl_schedule_done(&attempt);
    return error;
}

int crl_plan_exchange_matching(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct exchange x;
    uint64_t bound = crl_problem_bound_slots(problem), a2 = CRL_NONE;
    if (crl_problem_bound_transmissions(problem) >= UINT32_MAX - 1)
        return crl_fail(diag, CRL_ERR_LIMIT, "a total exchange on %s has too many moves to hold", t->name);
    int error = t->factor_count ? crl_product_exchange_a2_slots(&a2, problem, diag) : 0;
    if (error) return error;
    uint32_t least = a2 < CRL_NONE ? (uint32_t)a2 : CRL_NONE;
    if (a2 > bound) {
        error = exchange_new(&x, t, (uint32_t)bound);
        if (!error) error = search(&x, schedule, bound, &least);
        exchange_done(&x);
    }
    if (error) return crl_fail_memory(diag);
    return least == a2 ? crl_plan_product_exchange_a2(schedule, problem, diag) : 0;
}

const struct crl_algorithm crl_rows_exchange_matching[] = {
    {"total-exchange", "matching", "products with paths and graphs", "at most a2's", "after D96 Sec. 3",
     "ways that load nodes evenly; a matching of senders and receivers in every slot, most work first; N to 4096",
     .ports = CRL_FOR_SINGLE_PORT, .applies = applies_exchange_matching, .plan = crl_plan_exchange_matching,
     .symmetric = crl_is_any, .cost = {.nodes_max = CRL_ROUTES_NODES_MAX, .row_ns = 450, .pair_bytes = 16},
     .claim = crl_claim_a2},
    {0}};
