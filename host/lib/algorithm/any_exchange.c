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

// Neighbours in the stack of a link, or CRL_NONE. Above: OUT where the packet does not wait for the link.
struct cell {
    uint32_t above, below;
};
static const uint32_t OUT = CRL_NONE - 1;

// All that is said of a packet lies side by side: there are many, and they move in no order.
struct packet {
    uint32_t origin, dest, name, at; // name: of its second number, as the schedule has it
    uint64_t key;       // hops to go, and behind AGE when it came, later ones greater: the greatest goes first
    struct cell cell[]; // [ports]
};
enum { AGE = 40, LINE = 64 };

struct entry {
    uint64_t key; // 0: there is none
    uint32_t index;
};

struct exchange {
    const struct crl_topology *topology;
    bool single;
    uint32_t nodes, ports, levels, words, slot, left, moves;
    uint64_t came; // packets that did, so far
    char *packets; // packet i begins at i · stride
    size_t stride;
    uint32_t *after;           // [link] who is reached; link: node · ports + port
    uint32_t *top;             // [link · levels + hops to go] or CRL_NONE
    uint64_t *some;            // [link · words] a bit for each stack that is not empty
    struct entry *front;       // [link] the packet that goes first
    uint32_t *sent_on;         // [link] the packet that it carries in this slot, or CRL_NONE
    uint32_t *sent, *received; // [node] last slot in which it did
    uint32_t *moved;           // [moves] packets that moved in this slot, in order
    uint32_t *first;           // [node] the packet that would go first
    struct entry *heap;        // nodes with such a packet, by its key
    uint32_t heaped;
};

static struct packet *packet_at(const struct exchange *x, uint32_t index)
{
    return (struct packet *)(x->packets + index * x->stride);
}

static uint32_t to_go(const struct packet *p) { return (uint32_t)(p->key >> AGE); }

static bool is_free(const struct exchange *x, uint32_t node, uint32_t port)
{
    size_t link = (size_t)node * x->ports + port;
    if (x->sent_on[link] != CRL_NONE) return false;
    return !x->single || (x->sent[node] != x->slot && x->received[x->after[link]] != x->slot);
}

// ---- queues

// Puts the packet, which has `hops` to go, on top wherever it may go on from its node.
static void wait(struct exchange *x, uint32_t index, uint32_t hops)
{
    struct packet *p = packet_at(x, index);
    p->key = (uint64_t)hops << AGE | ++x->came;
    for (uint32_t port = 0; port < x->ports; port++) {
        size_t link = (size_t)p->at * x->ports + port;
        uint32_t next = x->after[link];
        p->cell[port].above = OUT;
        if (next == CRL_NONE || crl_topology_distance(x->topology, next, p->dest) >= hops) continue;
        uint32_t *top = &x->top[link * x->levels + hops];
        p->cell[port] = (struct cell){CRL_NONE, *top};
        if (*top != CRL_NONE) packet_at(x, *top)->cell[port].above = index;
        *top = index;
        x->some[link * x->words + hops / 64] |= UINT64_C(1) << hops % 64;
        if (p->key > x->front[link].key) x->front[link] = (struct entry){p->key, index};
    }
}

static void find_front(struct exchange *x, size_t link)
{
    x->front[link] = (struct entry){0, CRL_NONE};
    for (uint32_t word = x->words; word-- > 0;) {
        uint64_t some = x->some[link * x->words + word];
        if (!some) continue;
        uint32_t top = x->top[link * x->levels + word * 64 + 63 - (uint32_t)__builtin_clzll(some)];
        x->front[link] = (struct entry){packet_at(x, top)->key, top};
        return;
    }
}

static void leave(struct exchange *x, uint32_t index)
{
    struct packet *p = packet_at(x, index);
    uint32_t hops = to_go(p);
    for (uint32_t port = 0; port < x->ports; port++) {
        size_t link = (size_t)p->at * x->ports + port;
        struct cell cell = p->cell[port];
        if (cell.above == OUT) continue;
        p->cell[port].above = OUT;
        uint32_t *top = &x->top[link * x->levels + hops];
        if (cell.below != CRL_NONE) packet_at(x, cell.below)->cell[port].above = cell.above;
        *(cell.above != CRL_NONE ? &packet_at(x, cell.above)->cell[port].below : top) = cell.below;
        if (*top == CRL_NONE) x->some[link * x->words + hops / 64] &= ~(UINT64_C(1) << hops % 64);
        if (x->front[link].index == index) find_front(x, link);
    }
}

// Finds the packet that goes first of those that can still leave the node in this slot; returns its key.
static uint64_t find_first(struct exchange *x, uint32_t node)
{
    struct entry best = {0, CRL_NONE};
    for (uint32_t port = 0; port < x->ports; port++) {
        const struct entry *front = &x->front[(size_t)node * x->ports + port];
        if (front->key > best.key && is_free(x, node, port)) best = *front;
    }
    x->first[node] = best.index;
    return best.key;
}

// ---- the heap of nodes

static void sift(struct exchange *x, uint32_t place)
{
    struct entry entry = x->heap[place];
    for (uint32_t child; (child = 2 * place + 1) < x->heaped; place = child) {
        child += child + 1 < x->heaped && x->heap[child + 1].key > x->heap[child].key;
        if (x->heap[child].key < entry.key) break;
        x->heap[place] = x->heap[child];
    }
    x->heap[place] = entry;
}

static void make_heap(struct exchange *x)
{
    x->heaped = 0;
    for (uint32_t v = 0; v < x->nodes; v++)
        if ((x->heap[x->heaped] = (struct entry){find_first(x, v), v}).key) x->heaped++;
    for (uint32_t place = x->heaped / 2; place-- > 0;) sift(x, place);
}

// ---- slots

// Sends the packet over the first free link that leads it nearer, if there is still one.
static void send(struct exchange *x, uint32_t index)
{
    struct packet *p = packet_at(x, index);
    uint32_t turn = (p->origin + p->dest) % x->ports; // spreads the choice
    for (uint32_t i = 0; i < x->ports; i++) {
        uint32_t port = turn + i < x->ports ? turn + i : turn + i - x->ports;
        if (p->cell[port].above == OUT || !is_free(x, p->at, port)) continue;
        uint32_t link = p->at * x->ports + port, next = x->after[link];
        x->sent_on[link] = index;
        x->sent[p->at] = x->received[next] = x->slot;
        leave(x, index);
        p->at = next;
        x->moved[x->moves++] = index;
        return;
    }
}

static int write_slot(struct exchange *x, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t link = 0; link < x->nodes * x->ports && !error; link++) {
        if (x->sent_on[link] == CRL_NONE) continue;
        const struct packet *p = packet_at(x, x->sent_on[link]);
        struct crl_move move = {x->slot, link / x->ports, x->after[link], p->origin, p->name};
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
        uint32_t node = x->heap[0].index;
        send(x, x->first[node]);
        x->heap[0].key = find_first(x, node);
        if (!x->heap[0].key) x->heap[0] = x->heap[--x->heaped];
        if (x->heaped) sift(x, 0);
    }
    // What arrives in a slot can leave in the next, who moved first before others.
    for (uint32_t i = x->moves; i-- > 0;) {
        uint32_t hops = to_go(packet_at(x, x->moved[i])) - 1;
        if (hops) wait(x, x->moved[i], hops);
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
        struct packet *p = packet_at(x, i);
        *p = (struct packet){0};
        crl_problem_packet(problem, i, &p->origin, &p->name);
        p->dest = crl_packet_dest(crl_problem_naming(problem), p->name);
        p->at = p->origin;
        uint32_t hops = crl_topology_distance(x->topology, p->origin, p->dest);
        if (hops > farthest) farthest = hops;
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
    for (uint32_t i = x->left; i-- > 0;) {
        const struct packet *p = packet_at(x, i);
        wait(x, i, crl_topology_distance(x->topology, p->origin, p->dest));
    }
}

static int exchange_new(struct exchange *x, const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint32_t count = (uint32_t)crl_problem_packets(problem);
    size_t n = t->nodes, links = n * t->ports;
    *x = (struct exchange){.topology = t, .nodes = t->nodes, .ports = t->ports, .left = count};
    x->single = problem->ports == CRL_PORTS_SINGLE;
    x->stride = sizeof(struct packet) + sizeof(struct cell) * t->ports;
    if (x->stride < LINE) x->stride = LINE;
    size_t bytes = (count + UINT64_C(1)) * x->stride;
    x->packets = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (!x->packets) return CRL_ERR_MEMORY;
    uint32_t farthest = number_packets(x, problem);
    x->levels = farthest + 1;
    x->words = farthest / 64 + 1;
    uint32_t **const arrays[] = {&x->after, &x->top, &x->sent_on, &x->sent, &x->received, &x->moved, &x->first};
    const size_t counts[] = {links, links * x->levels, links, n, n, links, n};
    bool good = (x->some = calloc(links * x->words + 1, sizeof *x->some));
    good &= !!(x->front = calloc(links + 1, sizeof *x->front));
    good &= !!(x->heap = malloc(sizeof *x->heap * (n + 1)));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= !!(*arrays[i] = malloc(sizeof(uint32_t) * (counts[i] + 1)));
    if (good) start(x);
    return good ? 0 : CRL_ERR_MEMORY;
}

static void exchange_done(struct exchange *x)
{
    void *const all[] = {x->packets, x->after,    x->top,   x->some,  x->front, x->sent_on,
                         x->sent,    x->received, x->moved, x->first, x->heap};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
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

// Of a root's whole packets trees are as good.
static bool applies(const struct crl_problem *problem)
{
    return !crl_problem_has_root(problem) || crl_is_listed(problem);
}

const struct crl_algorithm crl_rows_any_exchange[] = {{.collectives = "total-exchange scatter gather",
                                                       .scheme = "list",
                                                       .networks = "any",
                                                       .handles = CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS,
                                                       .applies = applies,
                                                       .plan = crl_plan_any_exchange,
                                                       .cost = {.row_ns = 800, .port_bytes = 20},
                                                       .summary = "slot by slot, farthest to go first"},
                                                      {.collectives = "partial-exchange partial-gather",
                                                       .scheme = "offline",
                                                       .networks = "any",
                                                       .handles = CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS,
                                                       .plan = crl_plan_any_exchange,
                                                       .cost = {.row_ns = 800, .port_bytes = 20},
                                                       .summary = "planned for the active nodes, farthest to go first"},
                                                      {0}};
