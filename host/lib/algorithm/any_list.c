// SPDX-License-Identifier: Apache-2.0
// Total exchange and multinode broadcast on any network, both port models, by list scheduling: slot by slot every link
// takes the packet that needs it most. Nothing is promised about the number of slots; the summary shows the gap to the
// bound.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>

struct list {
    struct crl_schedule *schedule;
    const struct crl_problem *problem;
    const struct crl_topology *topology;
    uint32_t nodes, ports, slot;
    uint32_t *link_used;       // [nodes][ports] last slot in which the link was used
    uint32_t *sent, *received; // [nodes] last slot in which the node did
};

static int open_list(struct list *l, struct crl_schedule *schedule, const struct crl_problem *problem)
{
    *l = (struct list){.schedule = schedule, .problem = problem, .topology = problem->topology};
    l->nodes = crl_topology_nodes(l->topology);
    l->ports = crl_topology_ports(l->topology);
    l->link_used = calloc((size_t)l->nodes * l->ports, sizeof *l->link_used);
    l->sent = calloc(l->nodes, sizeof *l->sent);
    l->received = calloc(l->nodes, sizeof *l->received);
    schedule->folded = false; // every node decides for itself
    return l->link_used && l->sent && l->received ? 0 : CRL_ERR_MEMORY;
}

static void close_list(struct list *l)
{
    free(l->link_used);
    free(l->sent);
    free(l->received);
}

static bool is_free(const struct list *l, uint32_t src, uint32_t dst, uint32_t port)
{
    if (l->link_used[(size_t)src * l->ports + port] == l->slot) return false;
    return l->problem->ports == CRL_PORTS_ALL || (l->sent[src] != l->slot && l->received[dst] != l->slot);
}

static int use(struct list *l, uint32_t src, uint32_t dst, uint32_t port, uint32_t origin, uint32_t dest)
{
    l->link_used[(size_t)src * l->ports + port] = l->sent[src] = l->received[dst] = l->slot;
    return crl_schedule_add(l->schedule, (struct crl_move){l->slot, src, dst, origin, dest});
}

// ---- total exchange: a packet goes one hop nearer over any free link, those with the farthest to go first

struct packet {
    uint32_t origin, dest, at, moved; // where it is, and the slot in which it last moved
};

// Farthest to go first.
static uint64_t key_urgency(const void *user, uint32_t index)
{
    const struct packet *p = (const struct packet *)((const void *const *)user)[0] + index;
    const struct crl_topology *t = ((const void *const *)user)[1];
    return UINT16_MAX - crl_topology_distance(t, p->at, p->dest);
}

static int send_nearer(struct list *l, struct packet *p)
{
    uint32_t distance = crl_topology_distance(l->topology, p->at, p->dest);
    for (uint32_t i = 0; i < l->ports; i++) {
        uint32_t port = (i + p->origin + p->dest) % l->ports; // spread the choice
        uint32_t next = crl_topology_neighbor(l->topology, p->at, port);
        if (next == CRL_NONE || crl_topology_distance(l->topology, next, p->dest) >= distance ||
            !is_free(l, p->at, next, port))
            continue;
        int error = use(l, p->at, next, port, p->origin, p->dest);
        p->at = next;
        p->moved = l->slot;
        return error;
    }
    return 0;
}

int crl_plan_any_exchange(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct list l;
    int error = open_list(&l, schedule, problem);
    uint32_t count = (uint32_t)crl_problem_packets(problem), left = count;
    struct packet *packets = malloc(sizeof *packets * (count + UINT64_C(1)));
    uint32_t *order = malloc(sizeof *order * (count + UINT64_C(1)));
    if (!packets || !order) error = CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) {
        crl_problem_packet(problem, i, &packets[i].origin, &packets[i].dest);
        packets[i].at = packets[i].origin;
        packets[i].moved = 0;
        order[i] = i;
    }
    const void *user[] = {packets, l.topology};
    while (left && !error) {
        l.slot++;
        error = crl_sort_order(order, left, key_urgency, user, UINT16_MAX);
        for (uint32_t k = 0; k < left && !error; k++) error = send_nearer(&l, &packets[order[k]]);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < left; k++)
            if (packets[order[k]].at != packets[order[k]].dest) order[kept++] = order[k];
        left = kept;
    }
    free(packets);
    free(order);
    close_list(&l);
    return error ? crl_fail_memory(diag) : 0;
}

// ---- multinode broadcast, also a partial one: over each link the packet that fewest nodes have, of those that its end
// lacks

struct spread {
    struct list list;
    uint32_t *arrival; // [packets][nodes] slot in which a node got a packet, 0 at its origin, CRL_NONE before
    uint32_t *holders; // [packets]
    uint32_t packets;
    uint64_t missing;
};

static int fetch(struct spread *s, uint32_t node, uint32_t port)
{
    struct list *l = &s->list;
    uint32_t from = crl_topology_behind(l->topology, node, port), best = CRL_NONE;
    if (from == CRL_NONE || !is_free(l, from, node, port)) return 0;
    for (uint32_t i = 0; i < s->packets; i++) {
        uint32_t p = (i + node) % s->packets;
        const uint32_t *arrival = s->arrival + (size_t)p * l->nodes;
        if (arrival[node] != CRL_NONE || arrival[from] >= l->slot) continue; // has it, or it is not there yet
        if (best == CRL_NONE || s->holders[p] < s->holders[best]) best = p;
    }
    if (best == CRL_NONE) return 0;
    s->arrival[(size_t)best * l->nodes + node] = l->slot;
    s->holders[best]++;
    s->missing--;
    uint32_t origin, part;
    crl_problem_packet(l->problem, best, &origin, &part);
    return use(l, from, node, port, origin, part);
}

int crl_plan_any_multinode_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                     struct crl_diag *diag)
{
    struct spread s;
    struct list *l = &s.list;
    int error = open_list(l, schedule, problem);
    s.packets = (uint32_t)crl_problem_packets(problem);
    size_t cells = (size_t)s.packets * l->nodes;
    s.arrival = malloc(sizeof *s.arrival * (cells + 1));
    s.holders = malloc(sizeof *s.holders * (s.packets + UINT64_C(1)));
    s.missing = cells - s.packets;
    if (!s.arrival || !s.holders) error = CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells && !error; i++) s.arrival[i] = CRL_NONE;
    for (uint32_t p = 0; p < s.packets && !error; p++) {
        uint32_t origin, part;
        crl_problem_packet(problem, p, &origin, &part);
        s.arrival[(size_t)p * l->nodes + origin] = 0;
        s.holders[p] = 1;
    }
    while (s.missing && !error) {
        l->slot++;
        // Ports in the outer loop: nobody takes all its packets before others had a choice.
        for (uint32_t i = 0; i < l->ports && !error; i++)
            for (uint32_t v = 0; v < l->nodes && !error; v++)
                error = fetch(&s, (v + l->slot) % l->nodes, (i + l->slot) % l->ports);
    }
    free(s.arrival);
    free(s.holders);
    close_list(l);
    return error ? crl_fail_memory(diag) : 0;
}
