// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcast on tori and arrays, by routers that do not know who is active. Varvarigos & Bertsekas
// 1994, Sec. 3.
//
// A packet is split into d mini packets (twice as many, in halves, on a torus), one of each class; without splitting a
// packet belongs to one class, its rank mod d. Class c is routed by an engine of its own, which does the same as that
// of class 0 with dimension k + c (mod d) in the place of dimension k, so that no two engines use a link at the same
// time:
//   count      along one dimension after the other: how many there are before me, and in all
//   pack       to the node whose number is the rank (Theorem 3), one dimension after the other
//   broadcast  along dimension d−1, …, 0 everything held so far (Theorem 2): pass on what comes, else send the next
// The paper's prefix runs up and then down a tree, 2d(p−1) steps. Here sums from both ends run along a line at the same
// time and every line of a dimension does it, so that each node knows rank and sum after d(p−1).
// All nodes end a phase together: its length follows from the sides and the sum. Where sides differ, the engine that
// needs longest decides.
#include "base/base.h"
#include "online/links.h"
#include <stdlib.h>
#include <string.h>

struct packet {
    uint32_t origin, rank;
    bool valid;
};

// What an engine of a node has to send in one direction: words from below, then words from above, as they came.
struct list {
    uint32_t count[2]; // by arrival direction
    uint32_t limit[2]; // of these it had at the start of the subphase
    uint32_t next;     // to be sent, counted over both
    uint32_t *origin;  // [2][capacity]
};

struct cell { // one engine of one node
    bool member;
    uint32_t below, total;
    struct packet own[2], coming[2]; // of each half; while packing
    struct list list[2];             // of each direction
};

struct broadcast {
    const struct crl_problem *problem;
    const struct crl_mesh *mesh;
    struct crl_online_run *run;
    struct crl_links links;
    struct cell *cell; // [node · dims + engine]
    uint32_t *lists;
    uint32_t dims, halves, capacity;
    bool split;
};

uint32_t crl_online_parts(const struct crl_mesh *mesh) { return mesh->dims * (mesh->all_rings ? 2 : 1); }

static struct cell *cell_of(const struct broadcast *b, uint32_t node, uint32_t engine)
{
    return &b->cell[(size_t)node * b->dims + engine];
}

static uint32_t dim_of(const struct broadcast *b, uint32_t engine, uint32_t step) { return (engine + step) % b->dims; }

static uint32_t *entry(const struct broadcast *b, struct list *list, uint32_t side, uint32_t i)
{
    return &list->origin[side * b->capacity + i];
}

// ---- counting

// Sends the sum of what is below (above) a node up (down) the line once it is complete, as step `step` of a dimension.
static void count_send(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t dim, uint32_t step)
{
    struct cell *cell = cell_of(b, v, engine);
    uint32_t x = crl_mesh_digit(b->mesh, v, dim), last = b->mesh->size[dim] - 1;
    for (uint32_t direction = 0; direction < 2; direction++) {
        uint32_t from_end = direction == CRL_UP ? x : last - x;
        if (step != from_end || from_end == last) continue;
        const struct crl_link_word *in = crl_links_in(&b->links, v, dim, direction);
        uint32_t sum = cell->total + (from_end ? in->count : 0);
        *crl_links_out(&b->links, v, dim, direction) =
            (struct crl_link_word){.valid = true, .is_count = true, .count = sum};
    }
}

// A dimension of counting for engines first…end−1; what comes in the last slot counts, too.
static int count_dimension(struct broadcast *b, uint32_t first, uint32_t end, uint32_t step)
{
    uint32_t n = b->mesh->nodes, steps = 0;
    uint32_t *side = calloc((size_t)n * b->dims * 2, sizeof *side); // sums of what is below and above
    int error = side ? 0 : CRL_ERR_MEMORY;
    for (uint32_t e = first; e < end; e++)
        if (b->mesh->size[dim_of(b, e, step)] > steps) steps = b->mesh->size[dim_of(b, e, step)];
    for (uint32_t s = 0; s + 1 < steps && !error; s++) {
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t e = first; e < end; e++) count_send(b, v, e, dim_of(b, e, step), s);
        error = crl_links_exchange(&b->links);
        for (uint32_t v = 0; v < n && !error; v++)
            for (uint32_t e = first; e < end; e++)
                for (uint32_t direction = 0; direction < 2; direction++) {
                    const struct crl_link_word *in = crl_links_in(&b->links, v, dim_of(b, e, step), direction);
                    if (in->valid) side[((size_t)v * b->dims + e) * 2 + direction] = in->count;
                }
    }
    for (uint32_t v = 0; v < n && !error; v++)
        for (uint32_t e = first; e < end; e++) {
            struct cell *cell = cell_of(b, v, e);
            const uint32_t *sums = &side[((size_t)v * b->dims + e) * 2];
            cell->below += sums[CRL_UP];
            cell->total += sums[CRL_UP] + sums[CRL_DOWN];
        }
    free(side);
    return error;
}

static int count(struct broadcast *b, uint32_t first, uint32_t end)
{
    int error = 0;
    for (uint32_t v = 0; v < b->mesh->nodes; v++)
        for (uint32_t e = first; e < end; e++) {
            struct cell *cell = cell_of(b, v, e);
            cell->below = 0;
            cell->total = cell->member;
        }
    for (uint32_t step = 0; step < b->dims && !error; step++) error = count_dimension(b, first, end, step);
    return error;
}

// ---- packing

// Digit `step` of a rank, in the engine's order of dimensions.
static uint32_t rank_digit(const struct broadcast *b, uint32_t engine, uint32_t step, uint32_t rank)
{
    for (uint32_t i = 0; i < step; i++) rank /= b->mesh->size[dim_of(b, engine, i)];
    return rank % b->mesh->size[dim_of(b, engine, step)];
}

static void put_packet(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t dim, uint32_t direction,
                       uint32_t origin, uint32_t half, uint32_t tag)
{
    struct crl_link_word *out = crl_links_out(&b->links, v, dim, direction);
    if (out->valid) b->run->faults++;
    uint32_t part = b->split ? engine * b->halves + half : 0;
    *out = (struct crl_link_word){.valid = true, .origin = origin, .dest = part, .tag = tag};
}

// A slot of packing: half `half` of each packet moves on.
static void pack_send(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t step, uint32_t half)
{
    struct cell *cell = cell_of(b, v, engine);
    uint32_t dim = dim_of(b, engine, step), x = crl_mesh_digit(b->mesh, v, dim);
    struct packet *own = &cell->own[half];
    uint32_t goal = own->valid ? rank_digit(b, engine, step, own->rank) : x;
    if (goal != x) {
        put_packet(b, v, engine, dim, goal > x ? CRL_UP : CRL_DOWN, own->origin, half, own->rank);
        own->valid = false;
    }
}

static void pack_receive(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t step, uint32_t half)
{
    struct cell *cell = cell_of(b, v, engine);
    uint32_t dim = dim_of(b, engine, step), x = crl_mesh_digit(b->mesh, v, dim);
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&b->links, v, dim, direction);
        if (!in->valid) continue;
        struct packet packet = {in->origin, in->tag, true};
        struct packet *to = rank_digit(b, engine, step, packet.rank) == x ? &cell->own[half] : &cell->coming[direction];
        if (to->valid) b->run->faults++;
        *to = packet;
    }
}

// What came and goes on, a slot later.
static void pack_pass(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t step, uint32_t half)
{
    struct cell *cell = cell_of(b, v, engine);
    for (uint32_t direction = 0; direction < 2; direction++) {
        struct packet *packet = &cell->coming[direction];
        if (packet->valid)
            put_packet(b, v, engine, dim_of(b, engine, step), direction, packet->origin, half, packet->rank);
        packet->valid = false;
    }
}

static int pack(struct broadcast *b)
{
    int error = 0;
    uint32_t n = b->mesh->nodes;
    // With halves a step is two slots. What came of one half waits for the other's slot to pass, so it is kept by half.
    struct packet(*coming)[2] = calloc((size_t)n * b->dims * b->halves, sizeof *coming);
    if (!coming) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t e = 0; e < b->dims; e++) {
            struct cell *cell = cell_of(b, v, e);
            for (uint32_t half = 0; half < b->halves && cell->member; half++)
                cell->own[half] = (struct packet){v, cell->below, true};
        }
    for (uint32_t step = 0; step < b->dims && !error; step++)
        for (uint32_t s = 0; s + 1 < b->mesh->longest && !error; s++)
            for (uint32_t half = 0; half < b->halves && !error; half++) {
                for (uint32_t v = 0; v < n; v++)
                    for (uint32_t e = 0; e < b->dims; e++) {
                        struct cell *cell = cell_of(b, v, e);
                        memcpy(cell->coming, coming[((size_t)v * b->dims + e) * b->halves + half], sizeof *coming);
                        pack_pass(b, v, e, step, half);
                        pack_send(b, v, e, step, half);
                    }
                error = crl_links_exchange(&b->links);
                for (uint32_t v = 0; v < n && !error; v++)
                    for (uint32_t e = 0; e < b->dims; e++) {
                        pack_receive(b, v, e, step, half);
                        memcpy(coming[((size_t)v * b->dims + e) * b->halves + half], cell_of(b, v, e)->coming,
                               sizeof *coming);
                    }
            }
    free(coming);
    return error;
}

// ---- broadcasting

static uint32_t list_length(const struct list *list) { return list->limit[0] + list->limit[1]; }

static void list_add(struct broadcast *b, struct list *list, uint32_t side, uint32_t origin)
{
    if (list->count[side] == b->capacity) b->run->faults++;
    else *entry(b, list, side, list->count[side]++) = origin;
}

// Hops that a packet makes along a dimension in one direction: to the end of a path; round a ring the whole way where
// each half has a direction of its own, else to its other side.
static uint32_t hops(const struct broadcast *b, uint32_t dim, uint32_t direction, uint32_t x)
{
    uint32_t last = b->mesh->size[dim] - 1;
    if (!b->mesh->ring[dim]) return direction == CRL_UP ? last - x : x;
    if (b->halves == 2) return last;
    return direction == CRL_UP ? last - last / 2 : last / 2;
}

static void broadcast_send(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t dim)
{
    struct cell *cell = cell_of(b, v, engine);
    uint32_t x = crl_mesh_digit(b->mesh, v, dim);
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&b->links, v, dim, direction);
        struct list *list = &cell->list[direction];
        uint32_t half = b->halves == 2 ? direction : 0, far = hops(b, dim, direction, x);
        if (in->valid && !in->is_count && in->tag > 1) {
            put_packet(b, v, engine, dim, direction, in->origin, half, in->tag - 1);
        } else if (far && list->next < list_length(list)) {
            uint32_t i = list->next++, side = i >= list->limit[0];
            put_packet(b, v, engine, dim, direction, *entry(b, list, side, side ? i - list->limit[0] : i), half, far);
        }
    }
}

static void broadcast_receive(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t dim)
{
    struct cell *cell = cell_of(b, v, engine);
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&b->links, v, dim, direction);
        if (!in->valid) continue;
        for (uint32_t to = 0; to < 2; to++)
            if (b->halves == 1 || to == direction) list_add(b, &cell->list[to], direction, in->origin);
    }
}

// Slots of subphase `step` (dimension d−1 first) for one engine: its longest line carries ⌈M/P⌉ packets a node, P the
// number of nodes up to that dimension.
static uint32_t subphase_slots(const struct broadcast *b, uint32_t engine, uint32_t step, uint32_t most)
{
    uint32_t dim = dim_of(b, engine, step), up = 0, nodes = 1;
    for (uint32_t i = 0; i <= step; i++) nodes *= b->mesh->size[dim_of(b, engine, i)];
    for (uint32_t x = 0; x < b->mesh->size[dim]; x++) {
        if (hops(b, dim, CRL_UP, x) > up) up = hops(b, dim, CRL_UP, x);
    }
    return up * (uint32_t)crl_ceil_div(most, nodes);
}

static void begin_subphase(struct broadcast *b, uint32_t v, uint32_t engine, uint32_t dim)
{
    struct cell *cell = cell_of(b, v, engine);
    uint32_t x = crl_mesh_digit(b->mesh, v, dim), held = 0;
    for (uint32_t direction = 0; direction < 2; direction++) {
        struct list *list = &cell->list[direction];
        memcpy(list->limit, list->count, sizeof list->limit);
        list->next = hops(b, dim, direction, x) ? 0 : list_length(list);
        held += list_length(list) - list->next;
    }
    if (held > b->run->held_most) b->run->held_most = held;
}

static int broadcast_subphase(struct broadcast *b, uint32_t step, uint32_t most)
{
    uint32_t slots = 0;
    int error = 0;
    for (uint32_t e = 0; e < b->dims; e++) {
        uint32_t own = subphase_slots(b, e, step, most);
        if (own > slots) slots = own;
        for (uint32_t v = 0; v < b->mesh->nodes; v++) begin_subphase(b, v, e, dim_of(b, e, step));
    }
    // Nothing that came before the subphase is passed on in it.
    memset(b->links.in, 0, sizeof *b->links.in * b->mesh->nodes * b->dims * 2);
    for (uint32_t s = 0; s < slots && !error; s++) {
        for (uint32_t v = 0; v < b->mesh->nodes; v++)
            for (uint32_t e = 0; e < b->dims; e++) broadcast_send(b, v, e, dim_of(b, e, step));
        error = crl_links_exchange(&b->links);
        for (uint32_t v = 0; v < b->mesh->nodes && !error; v++)
            for (uint32_t e = 0; e < b->dims; e++) broadcast_receive(b, v, e, dim_of(b, e, step));
    }
    for (uint32_t v = 0; v < b->mesh->nodes && slots; v++)
        for (uint32_t e = 0; e < b->dims; e++)
            for (uint32_t direction = 0; direction < 2; direction++) {
                const struct list *list = &cell_of(b, v, e)->list[direction];
                const struct crl_link_word *in = crl_links_in(&b->links, v, dim_of(b, e, step), direction);
                if (list->next < list_length(list) || (in->valid && in->tag > 1)) b->run->faults++;
            }
    return error;
}

// ---- all of it

static int open_broadcast(struct broadcast *b, const struct crl_problem *problem, struct crl_online_run *run)
{
    *b = (struct broadcast){.problem = problem, .mesh = &run->mesh, .run = run, .split = problem->parts > 1};
    b->dims = run->mesh.dims;
    b->halves = b->split && run->mesh.all_rings ? 2 : 1;
    b->capacity = problem->active_count ? problem->active_count : 1;
    size_t cells = (size_t)run->mesh.nodes * b->dims;
    b->cell = calloc(cells, sizeof *b->cell);
    b->lists = malloc(sizeof *b->lists * cells * 4 * b->capacity);
    if (crl_links_init(&b->links, run) || !b->cell || !b->lists) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++)
        for (uint32_t direction = 0; direction < 2; direction++)
            b->cell[i].list[direction].origin = b->lists + (i * 2 + direction) * 2 * b->capacity;
    return 0;
}

// Without splitting, a first count tells each node its class.
static int find_members(struct broadcast *b)
{
    int error = 0;
    for (uint32_t i = 0; i < b->problem->active_count; i++)
        for (uint32_t e = 0; e < (b->split ? b->dims : 1); e++) cell_of(b, b->problem->active[i], e)->member = true;
    if (!b->split) error = count(b, 0, 1);
    for (uint32_t v = 0; v < b->mesh->nodes && !b->split; v++) {
        bool active = cell_of(b, v, 0)->member;
        uint32_t class = cell_of(b, v, 0)->below % b->dims;
        for (uint32_t e = 0; e < b->dims; e++) cell_of(b, v, e)->member = active && e == class;
    }
    return error;
}

int crl_online_broadcast(struct crl_online_run *run, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct broadcast b;
    *run = (struct crl_online_run){0};
    if (!crl_mesh_of(&run->mesh, problem->topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array",
                        crl_topology_name(problem->topology));
    int error = open_broadcast(&b, problem, run);
    if (!error) error = find_members(&b);
    uint32_t sum = error ? 0 : cell_of(&b, 0, 0)->total; // of node 0; every node has the same
    if (!error) error = count(&b, 0, b.dims);
    uint32_t most = b.split ? cell_of(&b, 0, 0)->total : (uint32_t)crl_ceil_div(sum, b.dims);
    run->prefix_slots = run->slots;
    if (!error && most) error = pack(&b);
    for (uint32_t v = 0; v < run->mesh.nodes && !error; v++)
        for (uint32_t e = 0; e < b.dims; e++)
            for (uint32_t direction = 0; direction < 2; direction++) {
                struct cell *cell = cell_of(&b, v, e);
                const struct packet *own = &cell->own[b.halves == 2 ? direction : 0];
                if (own->valid) list_add(&b, &cell->list[direction], 0, own->origin);
            }
    for (uint32_t step = b.dims; step-- > 0 && !error;) error = broadcast_subphase(&b, step, most);
    crl_links_done(&b.links);
    free(b.cell);
    free(b.lists);
    return error ? crl_fail_memory(diag) : 0;
}
