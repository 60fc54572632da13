// SPDX-License-Identifier: Apache-2.0
// Partial exchange on tori and arrays, by routers that do not know who is active. Varvarigos & Bertsekas 1994, Sec. 4,
// for two dimensions; for more of them the same idea, which the paper leaves open.
//
//   count     what each node needs to know its class (classes.c)
//   exchange  packets of a node of class e cross dimension e first, then e + 1, … (mod d). With two dimensions class 0
//             is the paper's R, class 1 its C.
// On a link of dimension k packets for which it is the first in their order go before those for which it is the second,
// and so on; of one such level, packets on their way before the node's own. No link is idle while a packet wants it.
#include "base/base.h"
#include "online/links.h"
#include <stdlib.h>

struct waiting {
    struct crl_link_word word;
    uint32_t next; // behind it in its queue, CRL_NONE: last
};
struct queue {
    uint32_t first, last, count;
};

// Enumerates the node's own packets for one port: the digit along its dimension from far to near, then all digits of
// the dimensions that come later in the class's order.
struct supply {
    bool left;
    uint32_t digit, rest; // hops still ahead along the dimension; number over the later dimensions
};

struct exchange {
    const struct crl_problem *problem;
    const struct crl_mesh *mesh;
    struct crl_online_run *run;
    struct crl_links links;
    uint32_t dims, ports; // ports: 2 dims, used or not
    bool *active;
    uint32_t *class_of;      // [nodes]
    uint32_t *held;          // [nodes]
    struct queue *queue;     // [node · ports · dims · ports]: out port, level, in port
    struct supply *supply;   // [node · ports]
    struct waiting *waiting; // all queues' entries
    size_t used, capacity;
    uint32_t spare; // of `waiting`
    uint64_t pending, depth;
};

// ---- queues

static struct queue *queue_of(const struct exchange *x, uint32_t v, uint32_t out, uint32_t level, uint32_t in)
{
    return &x->queue[(((size_t)v * x->ports + out) * x->dims + level) * x->ports + in];
}

static int push(struct exchange *x, uint32_t v, struct queue *q, const struct crl_link_word *word)
{
    uint32_t at = x->spare;
    if (x->depth && q->count == x->depth) {
        x->run->faults++;
        x->pending--; // it is lost
        return 0;
    }
    if (at != CRL_NONE) {
        x->spare = x->waiting[at].next;
    } else {
        if (crl_grow((void **)&x->waiting, &x->capacity, x->used, sizeof *x->waiting)) return CRL_ERR_MEMORY;
        at = (uint32_t)x->used++;
    }
    x->waiting[at] = (struct waiting){*word, CRL_NONE};
    if (q->count++) x->waiting[q->last].next = at;
    else q->first = at;
    q->last = at;
    if (++x->held[v] > x->run->held_most) x->run->held_most = x->held[v];
    if (q->count > x->run->queue_most) x->run->queue_most = q->count;
    return 0;
}

static struct crl_link_word pop(struct exchange *x, uint32_t v, struct queue *q)
{
    uint32_t at = q->first;
    q->first = x->waiting[at].next;
    q->count--;
    x->held[v]--;
    x->waiting[at].next = x->spare;
    x->spare = at;
    return x->waiting[at].word;
}

// ---- routes

static uint32_t level_of(const struct exchange *x, uint32_t class, uint32_t dim)
{
    return (dim + x->dims - class) % x->dims;
}

static uint32_t digit_sum(const struct exchange *x, uint32_t v)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < x->dims; k++) sum += crl_mesh_digit(x->mesh, v, k);
    return sum;
}

// Hops from v to dest along a dimension, the shorter way round a ring; half way round, destinations are shared out by
// their digits' sum.
static uint32_t hops_to(const struct exchange *x, uint32_t dim, uint32_t v, uint32_t dest, uint32_t *direction)
{
    uint32_t a = crl_mesh_digit(x->mesh, v, dim), b = crl_mesh_digit(x->mesh, dest, dim);
    uint32_t size = x->mesh->size[dim], up = (b + size - a) % size;
    if (!x->mesh->ring[dim]) {
        *direction = b > a ? CRL_UP : CRL_DOWN;
        return b > a ? b - a : a - b;
    }
    *direction = 2 * up < size || (2 * up == size && digit_sum(x, dest) % 2 == 0) ? CRL_UP : CRL_DOWN;
    return *direction == CRL_UP ? up : size - up;
}

// The port for a packet of `class` that has crossed the first `level` dimensions of its order, or CRL_NONE: it is
// there.
static uint32_t next_port(const struct exchange *x, uint32_t v, uint32_t class, uint32_t dest, uint32_t level)
{
    for (; level < x->dims; level++) {
        uint32_t dim = (class + level) % x->dims, direction;
        if (hops_to(x, dim, v, dest, &direction)) return dim * 2 + direction;
    }
    return CRL_NONE;
}

// ---- own packets

static uint32_t later_nodes(const struct exchange *x, uint32_t class, uint32_t dim)
{
    uint32_t nodes = 1;
    for (uint32_t level = level_of(x, class, dim) + 1; level < x->dims; level++)
        nodes *= x->mesh->size[(class + level) % x->dims];
    return nodes;
}

static uint32_t supply_dest(const struct exchange *x, uint32_t v, uint32_t port, const struct supply *supply)
{
    uint32_t dim = port / 2, class = x->class_of[v], size = x->mesh->size[dim], dest = v, rest = supply->rest;
    uint32_t digit = crl_mesh_digit(x->mesh, v, dim);
    uint32_t to = port % 2 == CRL_UP ? (digit + supply->digit) % size : (digit + size - supply->digit) % size;
    dest += (to - digit) * x->mesh->stride[dim];
    for (uint32_t level = level_of(x, class, dim) + 1; level < x->dims; level++) {
        uint32_t other = (class + level) % x->dims;
        dest -= crl_mesh_digit(x->mesh, v, other) * x->mesh->stride[other];
        dest += rest % x->mesh->size[other] * x->mesh->stride[other];
        rest /= x->mesh->size[other];
    }
    return dest;
}

// Half way round a ring only every second destination goes this way.
static bool goes_this_way(const struct exchange *x, uint32_t v, uint32_t port, const struct supply *supply)
{
    uint32_t dest = supply_dest(x, v, port, supply);
    return next_port(x, v, x->class_of[v], dest, level_of(x, x->class_of[v], port / 2)) == port;
}

static void supply_step(const struct exchange *x, uint32_t v, uint32_t port, struct supply *supply)
{
    if (++supply->rest < later_nodes(x, x->class_of[v], port / 2)) return;
    supply->rest = 0;
    supply->left = --supply->digit > 0;
}

static void supply_settle(const struct exchange *x, uint32_t v, uint32_t port, struct supply *supply)
{
    while (supply->left && !goes_this_way(x, v, port, supply)) supply_step(x, v, port, supply);
}

static void supply_open(const struct exchange *x, uint32_t v, uint32_t port)
{
    struct supply *supply = &x->supply[(size_t)v * x->ports + port];
    uint32_t dim = port / 2, size = x->mesh->size[dim], digit = crl_mesh_digit(x->mesh, v, dim);
    uint32_t far = port % 2 == CRL_UP ? size - 1 - digit : digit;
    if (x->mesh->ring[dim]) far = size / 2;
    *supply = (struct supply){x->active[v] && far, far, 0};
    supply_settle(x, v, port, supply);
}

// ---- a slot

static int receive(struct exchange *x, uint32_t v)
{
    int error = 0;
    for (uint32_t in = 0; in < x->ports && !error; in++) {
        const struct crl_link_word *word = crl_links_in(&x->links, v, in / 2, in % 2);
        if (!word->valid) continue;
        uint32_t class = word->tag, level = level_of(x, class, in / 2);
        uint32_t out = next_port(x, v, class, word->dest, level);
        if (out == CRL_NONE) x->pending--;
        else error = push(x, v, queue_of(x, v, out, level_of(x, class, out / 2), in), word);
    }
    return error;
}

// What leaves by port `out`: level by level, from the queues in the order of ports, then an own packet.
static void send_packet(struct exchange *x, uint32_t v, uint32_t out)
{
    struct supply *supply = &x->supply[(size_t)v * x->ports + out];
    struct crl_link_word *to = crl_links_out(&x->links, v, out / 2, out % 2);
    for (uint32_t level = 0; level < x->dims; level++) {
        for (uint32_t in = 0; in < x->ports; in++) {
            struct queue *q = queue_of(x, v, out, level, in);
            if (!q->count) continue;
            *to = pop(x, v, q);
            return;
        }
        if (supply->left && level == level_of(x, x->class_of[v], out / 2)) {
            uint32_t dest = supply_dest(x, v, out, supply);
            *to = (struct crl_link_word){.valid = true, .origin = v, .dest = dest, .tag = x->class_of[v]};
            supply_step(x, v, out, supply);
            supply_settle(x, v, out, supply);
            return;
        }
    }
}

static int exchange_all(struct exchange *x)
{
    int error = 0;
    x->pending = crl_problem_packets(x->problem);
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t port = 0; port < x->ports; port++) supply_open(x, v, port);
    while (x->pending && !error) {
        for (uint32_t v = 0; v < x->mesh->nodes; v++)
            for (uint32_t port = 0; port < x->ports; port++) send_packet(x, v, port);
        error = crl_links_exchange(&x->links);
        for (uint32_t v = 0; v < x->mesh->nodes && !error; v++) error = receive(x, v);
    }
    return error;
}

// ---- a run

static int open_exchange(struct exchange *x, const struct crl_problem *problem, struct crl_online_run *run,
                         uint32_t depth)
{
    uint32_t n = run->mesh.nodes, d = run->mesh.dims, ports = 2 * d;
    *x = (struct exchange){.problem = problem, .mesh = &run->mesh, .run = run, .dims = d, .ports = ports};
    x->spare = CRL_NONE;
    x->depth = depth;
    x->active = calloc(n, sizeof *x->active);
    x->class_of = calloc(n, sizeof *x->class_of);
    x->held = calloc(n, sizeof *x->held);
    x->queue = calloc((size_t)n * ports * d * ports, sizeof *x->queue);
    x->supply = calloc((size_t)n * ports, sizeof *x->supply);
    if (crl_links_init(&x->links, run) || !x->active || !x->class_of || !x->held || !x->queue || !x->supply)
        return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < problem->active_count; i++) x->active[problem->active[i]] = true;
    return 0;
}

int crl_online_exchange(struct crl_online_run *run, const struct crl_problem *problem, bool balanced, uint32_t depth,
                        struct crl_diag *diag)
{
    struct exchange x;
    *run = (struct crl_online_run){0};
    if (!crl_mesh_of(&run->mesh, problem->topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array",
                        crl_topology_name(problem->topology));
    int error = open_exchange(&x, problem, run, depth);
    if (!error) error = crl_online_classes(&x.links, x.active, balanced, x.class_of);
    run->prefix_slots = run->slots;
    if (!error) error = exchange_all(&x);
    crl_links_done(&x.links);
    CRL_FREE(x.active, x.class_of, x.held, x.queue, x.supply, x.waiting);
    return error ? crl_fail_memory(diag) : 0;
}
