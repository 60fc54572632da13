// SPDX-License-Identifier: Apache-2.0
// Exchanges on any network whose links take longer than a slot, by list scheduling with lots: the best of as many tries
// as there is work for. Nothing is promised about the number of slots; the summary shows the gap to the bound.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { SORT = 2000 };                               // work of sorting a few
static const uint64_t work_max = UINT64_C(1) << 26; // looks at a packet and a port, about a second

struct list {
    const struct crl_problem *problem;
    const struct crl_topology *topology;
    uint32_t nodes, ports, slot, latency_max;
    bool single;
    uint32_t *behind, *after, *latency; // [nodes][ports] neighbours; latency of the link that leaves by the port
    uint32_t *sent;                     // [nodes] single-port: last slot in which the node sent
    uint32_t *used;                     // [nodes][ports] last slot in which a link was used
    uint32_t *taken;                    // [nodes][latency_max] single-port: last arrival, at slot mod latency_max
    uint64_t random, work;
    struct crl_schedule now, best;
};

static int open_list(struct list *l, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    *l = (struct list){.problem = problem, .topology = t, .nodes = t->nodes, .ports = t->ports, .random = 1};
    l->single = problem->ports == CRL_PORTS_SINGLE;
    l->latency_max = crl_topology_latency_max(t);
    crl_schedule_init(&l->now, t, crl_problem_naming(problem), false); // every node decides for itself
    crl_schedule_init(&l->best, t, crl_problem_naming(problem), false);
    size_t links = (size_t)l->nodes * l->ports;
    l->behind = malloc(sizeof *l->behind * links * 4);
    l->sent = malloc(sizeof *l->sent * l->nodes * (l->latency_max + UINT64_C(1)));
    if (!l->behind || !l->sent) return CRL_ERR_MEMORY;
    l->after = l->behind + links;
    l->latency = l->after + links;
    l->used = l->latency + links;
    l->taken = l->sent + l->nodes;
    for (uint32_t v = 0; v < l->nodes; v++)
        for (uint32_t p = 0; p < l->ports; p++) {
            l->behind[v * l->ports + p] = crl_topology_behind(t, v, p);
            l->after[v * l->ports + p] = crl_topology_neighbor(t, v, p);
            l->latency[v * l->ports + p] = l->after[v * l->ports + p] == CRL_NONE ? 0 : crl_topology_latency(t, v, p);
        }
    return 0;
}

static void close_list(struct list *l)
{
    free(l->behind);
    free(l->sent);
    crl_schedule_done(&l->now);
    crl_schedule_done(&l->best);
}

static void begin(struct list *l)
{
    l->slot = 0;
    l->now.count = 0;
    memset(l->used, 0, sizeof *l->used * l->nodes * l->ports);
    memset(l->sent, 0, sizeof *l->sent * l->nodes * (l->latency_max + UINT64_C(1)));
}

static uint32_t arrival_by(const struct list *l, uint32_t src, uint32_t port)
{
    return l->slot + l->latency[src * l->ports + port] - 1;
}

static bool is_free(const struct list *l, uint32_t src, uint32_t dst, uint32_t port)
{
    if (l->used[src * l->ports + port] == l->slot) return false;
    uint32_t arrival = arrival_by(l, src, port);
    return !l->single ||
           (l->sent[src] != l->slot && l->taken[(size_t)dst * l->latency_max + arrival % l->latency_max] != arrival);
}

static int use(struct list *l, uint32_t src, uint32_t port, uint32_t origin, uint32_t dest)
{
    uint32_t dst = l->after[src * l->ports + port], arrival = arrival_by(l, src, port);
    l->used[src * l->ports + port] = l->sent[src] = l->slot;
    l->taken[(size_t)dst * l->latency_max + arrival % l->latency_max] = arrival;
    return crl_schedule_add(&l->now, (struct crl_move){l->slot, src, dst, origin, dest});
}

static uint32_t draw(struct list *l, uint32_t below) { return (uint32_t)(crl_random(&l->random) % below); }

// Tries again and again with other lots; hands over the best.
static int best_of(struct list *l, struct crl_schedule *schedule, int (*try)(struct list *l, void *user), void *user)
{
    uint64_t bound = crl_problem_bound_slots(l->problem), least = UINT64_MAX;
    int error = 0;
    for (uint32_t i = 0; !error && least > bound && (!i || l->work + l->work / i < work_max); i++) {
        begin(l);
        error = try(l, user);
        uint64_t slots = error ? UINT64_MAX : crl_schedule_slots(&l->now);
        if (slots >= least) continue;
        least = slots;
        struct crl_schedule swap = l->best;
        l->best = l->now;
        l->now = swap;
    }
    struct crl_schedule swap = *schedule;
    *schedule = l->best;
    l->best = swap;
    return error;
}

// ---- over free links to where it takes less

struct packet {
    uint32_t origin, dest, name, at, since; // where it is, and the slot in which it came there
    uint32_t way;                           // that is left, in slots
};
struct exchange {
    struct packet *packet;
    uint32_t *order, *lot, count;
    bool loose; // also ways that are not the quickest
};

// The longest way first, then lots.
static uint64_t key_way(const void *user, uint32_t i)
{
    const struct exchange *e = user;
    return (uint64_t)(UINT32_C(1) << 24) - e->packet[i].way * UINT64_C(4) + (e->lot[i] & 3);
}

static int send_nearer(struct list *l, const struct exchange *e, struct packet *p)
{
    uint32_t first = draw(l, l->ports);
    for (int detour = 0; detour <= e->loose; detour++)
        for (uint32_t i = 0; i < l->ports; i++) {
            uint32_t port = (i + first) % l->ports, next = l->after[p->at * l->ports + port];
            if (next == CRL_NONE || !is_free(l, p->at, next, port)) continue;
            uint32_t way = crl_topology_delay(l->topology, next, p->dest);
            if (way >= p->way || (!detour && way + l->latency[p->at * l->ports + port] != p->way)) continue;
            int error = use(l, p->at, port, p->origin, p->name);
            p->since = arrival_by(l, p->at, port);
            p->at = next;
            p->way = way;
            return error;
        }
    return 0;
}

static int try_exchange(struct list *l, void *user)
{
    struct exchange *e = user;
    uint32_t left = e->count;
    int error = 0;
    e->loose = crl_topology_latency_min(l->topology) != l->latency_max && draw(l, 2);
    for (uint32_t i = 0; i < e->count; i++) {
        struct packet *p = &e->packet[i];
        p->at = p->origin;
        p->since = 0;
        p->way = crl_topology_delay(l->topology, p->origin, p->dest);
        e->order[i] = i;
        e->lot[i] = draw(l, 4);
    }
    while (left && !error) {
        uint32_t kept = 0;
        l->slot++;
        l->work += (uint64_t)left * (l->ports + 4) + SORT;
        error = crl_sort_order(e->order, left, key_way, e, UINT32_C(1) << 25);
        for (uint32_t k = 0; k < left && !error; k++)
            if (e->packet[e->order[k]].since < l->slot) error = send_nearer(l, e, &e->packet[e->order[k]]);
        for (uint32_t k = 0; k < left; k++)
            if (e->packet[e->order[k]].at != e->packet[e->order[k]].dest) e->order[kept++] = e->order[k];
        left = kept;
    }
    return error;
}

static int plan_latency_list_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                      struct crl_diag *diag)
{
    struct list l;
    struct exchange e = {.count = (uint32_t)crl_problem_packets(problem)};
    int error = open_list(&l, problem);
    e.packet = malloc(sizeof *e.packet * (e.count + UINT64_C(1)));
    e.order = malloc(sizeof *e.order * 2 * (e.count + UINT64_C(1)));
    if (!e.packet || !e.order) error = CRL_ERR_MEMORY;
    e.lot = e.order + e.count;
    for (uint32_t i = 0; i < e.count && !error; i++) {
        crl_problem_packet(problem, i, &e.packet[i].origin, &e.packet[i].name);
        e.packet[i].dest = crl_packet_dest(crl_problem_naming(problem), e.packet[i].name);
    }
    if (!error) error = best_of(&l, schedule, try_exchange, &e);
    free(e.packet);
    free(e.order);
    close_list(&l);
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies(const struct crl_problem *problem)
{
    return crl_problem_has_root(problem) ? crl_is_listed(problem) : crl_applies_latency(problem);
}

const struct crl_algorithm crl_rows_latency_list[] = {
    {.collectives = "total-exchange partial-exchange partial-gather scatter gather",
     .scheme = "latency",
     .networks = "any with link latencies, to 512 nodes",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS,
     .applies = applies,
     .plan = plan_latency_list_exchange,
     .cost = {.nodes_max = 512, .row_ns = 40000, .search_s = 2},
     .summary = "slot by slot, longest to go first"},
    {0}};
