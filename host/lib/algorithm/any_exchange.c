// SPDX-License-Identifier: Apache-2.0
// Total exchange, whole or partial, on any network, both port models, by list scheduling: slot by slot packets go one
// hop nearer over any free link, those with the farthest to go first, of these those that moved last. Nothing is
// promised about the number of slots; the summary shows the gap to the bound.
//
// A packet waits in the queue of every link that leads it nearer. A queue has a stack for each number of hops to go:
// who moved last lies on top. So a node finds the packet that goes first among the tops of its free links, a heap of
// nodes says which of them is first, and nobody looks at a packet that does not move.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct packet {
    uint32_t origin, dest, at, to_go;
    uint32_t nearer;     // a bit for each port that leads nearer
    uint32_t slot, rank; // when it last moved, and how many moved before it in that slot; at first 0 and its number
};

struct exchange {
    const struct crl_topology *topology;
    bool single;
    uint32_t nodes, ports, levels, words, slot, left, moves;
    struct packet *packet;
    uint32_t *above, *below;   // [packet · ports + port] neighbours in the stack, or CRL_NONE
    uint32_t *after;           // [link] who is reached; link: node · ports + port
    uint32_t *top;             // [link · levels + hops to go] or CRL_NONE
    uint64_t *some;            // [link · words] a bit for each stack that is not empty
    uint32_t *sent_on;         // [link] the packet that it carries in this slot, or CRL_NONE
    uint32_t *sent, *received; // [node] last slot in which it did
    uint32_t *moved;           // [moves] packets that moved in this slot, in order
    uint32_t *first;           // [node] the packet that would go first
    uint32_t *heap, heaped;    // nodes with such a packet
};

static bool is_free(const struct exchange *x, uint32_t node, uint32_t port)
{
    size_t link = (size_t)node * x->ports + port;
    if (x->sent_on[link] != CRL_NONE) return false;
    return !x->single || (x->sent[node] != x->slot && x->received[x->after[link]] != x->slot);
}

// ---- queues

// Puts the packet on top, wherever it may go on from its node.
static void wait(struct exchange *x, uint32_t index)
{
    struct packet *p = &x->packet[index];
    for (uint32_t port = 0; port < x->ports; port++) {
        size_t link = (size_t)p->at * x->ports + port, cell = (size_t)index * x->ports + port;
        uint32_t next = x->after[link];
        if (next == CRL_NONE || crl_topology_distance(x->topology, next, p->dest) >= p->to_go) continue;
        p->nearer |= UINT32_C(1) << port;
        uint32_t *top = &x->top[link * x->levels + p->to_go];
        x->above[cell] = CRL_NONE;
        x->below[cell] = *top;
        if (*top != CRL_NONE) x->above[(size_t)*top * x->ports + port] = index;
        *top = index;
        x->some[link * x->words + p->to_go / 64] |= UINT64_C(1) << p->to_go % 64;
    }
}

static void leave(struct exchange *x, uint32_t index)
{
    struct packet *p = &x->packet[index];
    for (; p->nearer; p->nearer &= p->nearer - 1) {
        uint32_t port = (uint32_t)__builtin_ctz(p->nearer);
        size_t link = (size_t)p->at * x->ports + port, cell = (size_t)index * x->ports + port;
        uint32_t above = x->above[cell], below = x->below[cell], *top = &x->top[link * x->levels + p->to_go];
        if (below != CRL_NONE) x->above[(size_t)below * x->ports + port] = above;
        *(above != CRL_NONE ? &x->below[(size_t)above * x->ports + port] : top) = below;
        if (*top == CRL_NONE) x->some[link * x->words + p->to_go / 64] &= ~(UINT64_C(1) << p->to_go % 64);
    }
}

static uint32_t front(const struct exchange *x, size_t link)
{
    for (uint32_t word = x->words; word-- > 0;) {
        uint64_t some = x->some[link * x->words + word];
        if (some) return x->top[link * x->levels + word * 64 + 63 - (uint32_t)__builtin_clzll(some)];
    }
    return CRL_NONE;
}

static bool goes_before(const struct packet *a, const struct packet *b)
{
    if (a->to_go != b->to_go) return a->to_go > b->to_go;
    return a->slot != b->slot ? a->slot > b->slot : a->rank < b->rank;
}

// Finds the packet that goes first of those that can still leave the node in this slot.
static bool find_first(struct exchange *x, uint32_t node)
{
    uint32_t best = CRL_NONE;
    for (uint32_t port = 0; port < x->ports; port++) {
        size_t link = (size_t)node * x->ports + port;
        uint32_t index = x->after[link] == CRL_NONE || !is_free(x, node, port) ? CRL_NONE : front(x, link);
        if (index == CRL_NONE || (best != CRL_NONE && !goes_before(&x->packet[index], &x->packet[best]))) continue;
        best = index;
    }
    x->first[node] = best;
    return best != CRL_NONE;
}

// ---- the heap of nodes

static void sift(struct exchange *x, uint32_t place)
{
    uint32_t node = x->heap[place];
    const struct packet *p = &x->packet[x->first[node]];
    for (uint32_t child; (child = 2 * place + 1) < x->heaped; place = child) {
        const struct packet *c = &x->packet[x->first[x->heap[child]]];
        if (child + 1 < x->heaped && goes_before(&x->packet[x->first[x->heap[child + 1]]], c))
            c = &x->packet[x->first[x->heap[++child]]];
        if (!goes_before(c, p)) break;
        x->heap[place] = x->heap[child];
    }
    x->heap[place] = node;
}

static void make_heap(struct exchange *x)
{
    x->heaped = 0;
    for (uint32_t v = 0; v < x->nodes; v++)
        if (find_first(x, v)) x->heap[x->heaped++] = v;
    for (uint32_t place = x->heaped / 2; place-- > 0;) sift(x, place);
}

// ---- slots

// Sends the packet over the first free link that leads it nearer, if there is still one.
static void send(struct exchange *x, uint32_t index)
{
    struct packet *p = &x->packet[index];
    uint32_t turn = (p->origin + p->dest) % x->ports; // spreads the choice
    for (uint32_t i = 0; i < x->ports; i++) {
        uint32_t port = turn + i < x->ports ? turn + i : turn + i - x->ports;
        if (!(p->nearer >> port & 1) || !is_free(x, p->at, port)) continue;
        uint32_t link = p->at * x->ports + port, next = x->after[link];
        x->sent_on[link] = index;
        x->sent[p->at] = x->received[next] = x->slot;
        leave(x, index);
        p->at = next;
        p->to_go--;
        p->slot = x->slot;
        p->rank = x->moves;
        x->moved[x->moves++] = index;
        return;
    }
}

static int write_slot(struct exchange *x, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t link = 0; link < x->nodes * x->ports && !error; link++) {
        if (x->sent_on[link] == CRL_NONE) continue;
        const struct packet *p = &x->packet[x->sent_on[link]];
        struct crl_move move = {x->slot, link / x->ports, x->after[link], p->origin, p->dest};
        error = crl_schedule_add(schedule, move);
    }
    return error;
}

static int play_slot(struct exchange *x, struct crl_schedule *schedule)
{
    x->slot++;
    x->moves = 0;
    memset(x->sent_on, 0xff, sizeof *x->sent_on * x->nodes * x->ports);
    make_heap(x);
    while (x->heaped) {
        uint32_t node = x->heap[0];
        send(x, x->first[node]);
        if (!find_first(x, node)) x->heap[0] = x->heap[--x->heaped];
        if (x->heaped) sift(x, 0);
    }
    for (uint32_t i = x->moves;
         i-- > 0;) { // what arrives in a slot can leave in the next, who moved first before others
        if (x->packet[x->moved[i]].to_go) wait(x, x->moved[i]);
        else x->left--;
    }
    return write_slot(x, schedule);
}

// ---- the plan

// Fills the packets; returns the hops of the one that has the farthest to go.
static uint32_t number_packets(struct exchange *x, const struct crl_problem *problem)
{
    uint32_t farthest = 0;
    for (uint32_t i = 0; i < x->left; i++) {
        struct packet *p = &x->packet[i];
        *p = (struct packet){.rank = i};
        crl_problem_packet(problem, i, &p->origin, &p->dest);
        p->at = p->origin;
        p->to_go = crl_topology_distance(x->topology, p->origin, p->dest);
        if (p->to_go > farthest) farthest = p->to_go;
    }
    return farthest;
}

static void start(struct exchange *x)
{
    memset(x->top, 0xff, sizeof *x->top * x->nodes * x->ports * x->levels);
    for (uint32_t v = 0; v < x->nodes; v++) {
        x->sent[v] = x->received[v] = 0;
        for (uint32_t port = 0; port < x->ports; port++)
            x->after[(size_t)v * x->ports + port] = crl_topology_neighbor(x->topology, v, port);
    }
    for (uint32_t i = x->left; i-- > 0;) wait(x, i);
}

static int exchange_new(struct exchange *x, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t count = (uint32_t)crl_problem_packets(problem);
    size_t n = t->nodes, links = n * t->ports, cells = (size_t)count * t->ports;
    *x = (struct exchange){.topology = t, .nodes = t->nodes, .ports = t->ports, .left = count};
    x->single = problem->ports == CRL_PORTS_SINGLE;
    x->packet = malloc(sizeof *x->packet * (count + UINT64_C(1)));
    if (!x->packet) return CRL_ERR_MEMORY;
    uint32_t farthest = number_packets(x, problem);
    x->levels = farthest + 1;
    x->words = farthest / 64 + 1;
    uint32_t **const arrays[] = {&x->above, &x->below,    &x->after, &x->top,   &x->sent_on,
                                 &x->sent,  &x->received, &x->moved, &x->first, &x->heap};
    const size_t counts[] = {cells, cells, links, links * x->levels, links, n, n, links, n, n};
    bool good = (x->some = calloc(links * x->words + 1, sizeof *x->some));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= !!(*arrays[i] = malloc(sizeof(uint32_t) * (counts[i] + 1)));
    if (good) start(x);
    return good ? 0 : CRL_ERR_MEMORY;
}

static void exchange_done(struct exchange *x)
{
    uint32_t *arrays[] = {x->above, x->below,    x->after, x->top,   x->sent_on,
                          x->sent,  x->received, x->moved, x->first, x->heap};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(x->packet);
    free(x->some);
}

int crl_plan_any_exchange(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct exchange x;
    int error = exchange_new(&x, problem);
    schedule->folded = false; // every node decides for itself
    while (x.left && !error) error = play_slot(&x, schedule);
    exchange_done(&x);
    return error ? crl_fail_memory(diag) : 0;
}
