// SPDX-License-Identifier: Apache-2.0
// Single-port total exchange on small networks without translations: graphs, and products with paths, where it takes
// fewer slots than Algorithm A2 of Dimakopoulos & Dimopoulos 1996, which idles the ends of every path.
//
// A list scheduler: in each slot as many nodes send to as many others as can be, a matching on the links in which nodes
// with the most work before them come first. Work is counted in packets to send and to receive, routed as load.c found
// to be most even. Of the packets that may cross a link the one with the longest way goes. Lots from fixed seeds break
// ties; the best of many tries is kept, or the schedule of Algorithm A2 if none was better.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "problem/load.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = CRL_LOAD_NODES_MAX, WORK = 24000000, TRIES_MAX = 4000, ONE = 1 << 12 }; // ONE packet of work

struct packet {
    uint16_t origin, dest;
};

struct list {
    const struct crl_topology *topology;
    uint32_t nodes, ports;
    uint8_t *share;   // as of crl_load_balance
    uint32_t *expect; // [(node · nodes + dest) · nodes + via] sends of `via` for a packet at node, · ONE
    uint32_t distance[NODES_MAX][NODES_MAX];
    struct packet *held; // [node · room + i] the packets at a node
    uint32_t room, count[NODES_MAX];
    uint32_t sends[NODES_MAX], receives[NODES_MAX]; // work left, · ONE
    uint32_t best[NODES_MAX][CRL_PORTS_MAX];        // the packet for a link, an index of held, or CRL_NONE
    uint32_t to[NODES_MAX], from[NODES_MAX];        // the matching: ports of senders, senders of receivers
    bool sender_fixed[NODES_MAX], receiver_fixed[NODES_MAX];
    uint32_t seen[2 * NODES_MAX], stamp;
    uint64_t random, left;
    bool shortest_first;
};

bool crl_applies_product_exchange_matching(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->factor_count != 1 && t->nodes <= NODES_MAX && !crl_topology_is_symmetric(t); // a path alone is A2's
}

// ---------------------------------------------------------------- work

// From the nodes nearest to each destination outwards: a node's expectation is itself and, by shares, its successors'.
static void expect(struct list *l, uint32_t node, uint32_t dest)
{
    uint32_t n = l->nodes, *mine = &l->expect[((size_t)node * n + dest) * n];
    const uint8_t *share = &l->share[((size_t)node * n + dest) * l->ports];
    for (uint32_t p = 0; p < l->ports; p++) {
        if (!share[p]) continue;
        uint32_t next = crl_topology_neighbor(l->topology, node, p);
        const uint32_t *theirs = &l->expect[((size_t)next * n + dest) * n];
        for (uint32_t via = 0; via < n; via++) mine[via] += theirs[via] * share[p] / CRL_LOAD_ROUNDS;
    }
    mine[node] += ONE;
}

static void count_work(struct list *l)
{
    uint32_t farthest = 0;
    for (uint32_t a = 0; a < l->nodes; a++)
        for (uint32_t b = 0; b < l->nodes; b++) {
            l->distance[a][b] = crl_topology_distance(l->topology, a, b);
            if (l->distance[a][b] > farthest) farthest = l->distance[a][b];
        }
    for (uint32_t far = 1; far <= farthest; far++)
        for (uint32_t a = 0; a < l->nodes; a++)
            for (uint32_t b = 0; b < l->nodes; b++)
                if (l->distance[a][b] == far) expect(l, a, b);
}

// Takes the expectation of a packet at `node` off the work, or (`sign` 1) adds it. Everybody receives what it sends for
// others, and the destination receives the packet.
static void change_work(struct list *l, uint32_t node, uint32_t dest, uint32_t sign)
{
    const uint32_t *mine = &l->expect[((size_t)node * l->nodes + dest) * l->nodes];
    for (uint32_t via = 0; via < l->nodes; via++) {
        l->sends[via] += sign * mine[via];
        if (via != node) l->receives[via] += sign * mine[via];
    }
    if (node != dest) l->receives[dest] += sign * ONE;
}

static void start(struct list *l, uint64_t seed)
{
    l->random = seed;
    l->shortest_first = seed % 2;
    l->left = (uint64_t)l->nodes * (l->nodes - 1);
    memset(l->sends, 0, sizeof l->sends);
    memset(l->receives, 0, sizeof l->receives);
    for (uint32_t a = 0; a < l->nodes; a++) {
        l->count[a] = 0;
        for (uint32_t b = 0; b < l->nodes; b++) {
            if (a == b) continue;
            l->held[a * l->room + l->count[a]++] = (struct packet){(uint16_t)a, (uint16_t)b};
            change_work(l, a, b, 1);
        }
    }
}

// ---------------------------------------------------------------- a slot

// The packet for each link: the one with the longest way (in every other try the shortest), and of those one that likes
// this link and not another.
static void choose_packets(struct list *l, uint32_t node)
{
    uint64_t value[CRL_PORTS_MAX] = {0};
    for (uint32_t p = 0; p < l->ports; p++) l->best[node][p] = CRL_NONE;
    for (uint32_t i = 0; i < l->count[node]; i++) {
        struct packet k = l->held[node * l->room + i];
        const uint8_t *share = &l->share[((size_t)node * l->nodes + k.dest) * l->ports];
        uint32_t lot = (uint32_t)(crl_random(&l->random) >> 40);
        for (uint32_t p = 0; p < l->ports; p++) {
            if (!share[p]) continue;
            uint64_t way = l->distance[node][k.dest];
            if (l->shortest_first) way = NODES_MAX - way;
            uint64_t v = way << 40 | (uint64_t)share[p] << 24 | lot;
            if (v < value[p]) continue;
            value[p] = v;
            l->best[node][p] = i;
        }
    }
}

// Finds a receiver for u; may free one by sending its sender elsewhere, or leave a sender without who has no claim.
static bool match_sender(struct list *l, uint32_t u)
{
    uint32_t first = (uint32_t)(crl_random(&l->random) % l->ports);
    for (uint32_t k = 0; k < l->ports; k++) {
        uint32_t p = (k + first) % l->ports, v = crl_topology_neighbor(l->topology, u, p);
        if (v == CRL_NONE || l->best[u][p] == CRL_NONE || l->seen[v] == l->stamp) continue;
        l->seen[v] = l->stamp;
        uint32_t rival = l->from[v];
        if (rival != CRL_NONE && !l->sender_fixed[rival]) l->to[rival] = CRL_NONE;
        else if (rival != CRL_NONE && !match_sender(l, rival)) continue;
        l->from[v] = u;
        l->to[u] = p;
        return true;
    }
    return false;
}

static bool match_receiver(struct list *l, uint32_t v)
{
    uint32_t first = (uint32_t)(crl_random(&l->random) % l->ports);
    for (uint32_t k = 0; k < l->ports; k++) {
        uint32_t p = (k + first) % l->ports, u = crl_topology_behind(l->topology, v, p);
        if (u == CRL_NONE || l->best[u][p] == CRL_NONE || l->seen[NODES_MAX + u] == l->stamp) continue;
        l->seen[NODES_MAX + u] = l->stamp;
        uint32_t rival = l->to[u] == CRL_NONE ? CRL_NONE : crl_topology_neighbor(l->topology, u, l->to[u]);
        if (rival != CRL_NONE && !l->receiver_fixed[rival]) l->from[rival] = CRL_NONE;
        else if (rival != CRL_NONE && !match_receiver(l, rival)) continue;
        l->to[u] = p;
        l->from[v] = u;
        return true;
    }
    return false;
}

static uint64_t key_of(const void *keys, uint32_t i) { return ((const uint64_t *)keys)[i]; }

// Senders and receivers, those with the most work first, each join the matching if nobody who joined before must leave:
// the sets that a matching can cover are a matroid, so this greedy is the best in that order.
static int match(struct list *l)
{
    uint32_t order[2 * NODES_MAX], n = l->nodes;
    uint64_t key[2 * NODES_MAX] = {0};
    for (uint32_t v = 0; v < n; v++) {
        l->to[v] = l->from[v] = CRL_NONE;
        l->sender_fixed[v] = l->receiver_fixed[v] = false;
        key[v] = (UINT64_C(1) << 44) - ((uint64_t)l->sends[v] << 8) + (crl_random(&l->random) & 0x7ffff);
        key[n + v] = (UINT64_C(1) << 44) - ((uint64_t)l->receives[v] << 8) + (crl_random(&l->random) & 0x7ffff);
        order[v] = v;
        order[n + v] = n + v;
        choose_packets(l, v);
    }
    int error = crl_sort_order(order, 2 * n, key_of, key, UINT64_C(1) << 45);
    for (uint32_t i = 0; i < 2 * n && !error; i++) {
        uint32_t v = order[i] % n;
        l->stamp++;
        if (order[i] < n) l->sender_fixed[v] = l->to[v] != CRL_NONE || match_sender(l, v);
        else l->receiver_fixed[v] = l->from[v] != CRL_NONE || match_receiver(l, v);
    }
    return error;
}

static int send(struct list *l, struct crl_schedule *schedule, uint32_t slot)
{
    struct packet arrived[NODES_MAX];
    int error = 0;
    for (uint32_t u = 0; u < l->nodes && !error; u++) {
        if (l->to[u] == CRL_NONE) continue;
        uint32_t v = crl_topology_neighbor(l->topology, u, l->to[u]), i = l->best[u][l->to[u]];
        struct packet *held = &l->held[u * l->room], k = held[i];
        held[i] = held[--l->count[u]];
        arrived[v] = k;
        change_work(l, u, k.dest, UINT32_MAX);
        change_work(l, v, k.dest, 1);
        error = crl_schedule_add(schedule, (struct crl_move){slot, u, v, k.origin, k.dest});
    }
    for (uint32_t v = 0; v < l->nodes && !error; v++) {
        if (l->from[v] == CRL_NONE) continue;
        if (arrived[v].dest == v) l->left--;
        else l->held[v * l->room + l->count[v]++] = arrived[v];
    }
    return error;
}

// One try; gives up after `most` slots. *slots is CRL_NONE then.
static int try_once(struct list *l, struct crl_schedule *schedule, uint64_t seed, uint32_t most, uint32_t *slots)
{
    int error = 0;
    schedule->count = 0;
    start(l, seed);
    for (*slots = 0; l->left && *slots < most && !error;) {
        ++*slots;
        error = match(l);
        if (!error) error = send(l, schedule, *slots);
    }
    if (l->left) *slots = CRL_NONE;
    return error;
}

static int list_init(struct list **out, const struct crl_topology *t)
{
    struct list *l = *out = calloc(1, sizeof *l);
    uint32_t n = t->nodes, weight[NODES_MAX];
    if (!l) return CRL_ERR_MEMORY;
    l->topology = t;
    l->nodes = n;
    l->ports = t->ports;
    l->room = n * n;
    l->share = malloc((size_t)n * n * t->ports);
    l->expect = calloc((size_t)n * n * n, sizeof *l->expect);
    l->held = malloc(sizeof *l->held * n * l->room);
    if (!l->share || !l->expect || !l->held) return CRL_ERR_MEMORY;
    int error = crl_load_balance(t, weight, l->share);
    if (!error) count_work(l);
    return error;
}

static void list_done(struct list *l)
{
    if (!l) return;
    free(l->share);
    free(l->expect);
    free(l->held);
    free(l);
}

int crl_plan_product_exchange_matching(struct crl_schedule *schedule, const struct crl_problem *problem,
                                       struct crl_diag *diag)
{
    struct list *l;
    struct crl_schedule attempt;
    uint32_t slots;
    uint64_t bound = crl_problem_bound_slots(problem),
             cost = crl_problem_bound_transmissions(problem) * problem->topology->nodes;
    uint64_t tries = 1 + WORK / cost;
    crl_schedule_init(&attempt, problem->topology, CRL_NAMING_PAIR, false);
    bool product = crl_is_product(problem);
    int error = product ? crl_plan_product_exchange_a2(schedule, problem, diag) : 0;
    if (error) return error;
    uint32_t least = product ? crl_schedule_slots(schedule) : CRL_NONE;
    error = list_init(&l, problem->topology);
    for (uint64_t seed = 0; seed < tries && seed < TRIES_MAX && least > bound && !error; seed++) {
        error = try_once(l, &attempt, seed, least - 1, &slots);
        if (error || slots >= least) continue;
        least = slots;
        struct crl_schedule swap = *schedule;
        *schedule = attempt;
        attempt = swap;
    }
    list_done(l);
    crl_schedule_done(&attempt);
    return error ? crl_fail_memory(diag) : 0;
}
