// SPDX-License-Identifier: Apache-2.0
#include "online/engines.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

int crl_engines_init(struct crl_engines *engines, struct crl_online_run *run, uint32_t count, uint32_t halves,
                     uint32_t parts, uint32_t capacity)
{
    *engines = (struct crl_engines){.mesh = &run->mesh, .run = run, .count = count, .halves = halves, .parts = parts};
    engines->capacity = capacity ? capacity : 1;
    size_t all = (size_t)run->mesh.nodes * count;
    engines->engine = calloc(all, sizeof *engines->engine);
    engines->packets = malloc(sizeof *engines->packets * all * 4 * engines->capacity);
    if (crl_links_init(&engines->links, run) || !engines->engine || !engines->packets) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < all; i++)
        for (uint32_t direction = 0; direction < 2; direction++)
            engines->engine[i].list[direction].packet = engines->packets + (i * 2 + direction) * 2 * engines->capacity;
    return 0;
}

void crl_engines_done(struct crl_engines *engines)
{
    crl_links_done(&engines->links);
    CRL_FREE(engines->engine, engines->packets);
}

struct crl_engine *crl_engine_at(const struct crl_engines *engines, uint32_t node, uint32_t engine)
{
    return &engines->engine[(size_t)node * engines->count + engine];
}

uint32_t crl_engine_dim(const struct crl_engines *engines, uint32_t engine, uint32_t step)
{
    return (engine + step) % engines->mesh->dims;
}

// ---- counting

// Sends the sum of what is below (above) a node up (down) the line once it is complete, as slot `slot` of a dimension.
static void count_send(struct crl_engines *x, uint32_t v, uint32_t e, uint32_t dim, uint32_t slot)
{
    const struct crl_engine *engine = crl_engine_at(x, v, e);
    uint32_t digit = crl_mesh_digit(x->mesh, v, dim), last = x->mesh->size[dim] - 1;
    for (uint32_t direction = 0; direction < 2; direction++) {
        uint32_t from_end = direction == CRL_UP ? digit : last - digit;
        if (slot != from_end || from_end == last) continue;
        const struct crl_link_word *in = crl_links_in(&x->links, v, dim, direction);
        struct crl_link_word word = {
            .valid = true, .is_count = true, .count = engine->total, .origin = engine->first, .dest = engine->last};
        if (from_end) {
            word.count += in->count;
            if (direction == CRL_UP) word.origin = in->origin;
            else word.dest = in->dest;
        }
        *crl_links_out(&x->links, v, dim, direction) = word;
    }
}

// A dimension of counting for engines first…end−1; what comes in the last slot counts, too.
static int count_dimension(struct crl_engines *x, uint32_t first, uint32_t end, uint32_t step)
{
    uint32_t n = x->mesh->nodes, slots = 0;
    CRL_OWNED struct crl_link_word *side = calloc((size_t)n * x->count * 2, sizeof *side); // what is below and above
    int error = side ? 0 : CRL_ERR_MEMORY;
    for (uint32_t e = first; e < end; e++)
        if (x->mesh->size[crl_engine_dim(x, e, step)] > slots) slots = x->mesh->size[crl_engine_dim(x, e, step)];
    for (uint32_t s = 0; s + 1 < slots && !error; s++) {
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t e = first; e < end; e++) count_send(x, v, e, crl_engine_dim(x, e, step), s);
        error = crl_links_exchange(&x->links);
        for (uint32_t v = 0; v < n && !error; v++)
            for (uint32_t e = first; e < end; e++)
                for (uint32_t direction = 0; direction < 2; direction++) {
                    const struct crl_link_word *in = crl_links_in(&x->links, v, crl_engine_dim(x, e, step), direction);
                    if (in->valid) side[((size_t)v * x->count + e) * 2 + direction] = *in;
                }
    }
    for (uint32_t v = 0; v < n && !error; v++)
        for (uint32_t e = first; e < end; e++) {
            struct crl_engine *engine = crl_engine_at(x, v, e);
            const struct crl_link_word *in = &side[((size_t)v * x->count + e) * 2];
            engine->below += in[CRL_UP].count;
            engine->total += in[CRL_UP].count + in[CRL_DOWN].count;
            if (in[CRL_UP].valid) engine->first = in[CRL_UP].origin;
            if (in[CRL_DOWN].valid) engine->last = in[CRL_DOWN].dest;
        }
    return error;
}

int crl_engines_count(struct crl_engines *x, uint32_t first, uint32_t end)
{
    int error = 0;
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = first; e < end; e++) {
            struct crl_engine *engine = crl_engine_at(x, v, e);
            engine->first = engine->last = v;
            engine->below = 0;
            engine->total = engine->value;
        }
    for (uint32_t step = 0; step < x->mesh->dims && !error; step++) error = count_dimension(x, first, end, step);
    return error;
}

// ---- packing

static void put_packet(struct crl_engines *x, uint32_t v, uint32_t dim, uint32_t direction,
                       const struct crl_engine_packet *packet)
{
    struct crl_link_word *out = crl_links_out(&x->links, v, dim, direction);
    if (out->valid) x->run->faults++;
    *out = (struct crl_link_word){.valid = true, .origin = packet->origin, .dest = packet->dest, .tag = packet->rank};
}

// A step of packing, or of the way back.
struct pack {
    uint32_t step;
    bool back;
};

// The digit of this step's dimension that a packet goes to; ranks have theirs in the engine's order of dimensions.
static uint32_t goal_of(const struct crl_engines *x, uint32_t e, struct pack pack,
                        const struct crl_engine_packet *packet)
{
    uint32_t rank = packet->rank, dim = crl_engine_dim(x, e, pack.step);
    if (pack.back) return crl_mesh_digit(x->mesh, packet->dest, dim);
    for (uint32_t i = 0; i < pack.step; i++) rank /= x->mesh->size[crl_engine_dim(x, e, i)];
    return rank % x->mesh->size[dim];
}

// A slot of packing: half `half` of the own packet moves on; so does what came, a slot later.
static void pack_send(struct crl_engines *x, uint32_t v, uint32_t e, struct pack pack, uint32_t half)
{
    struct crl_engine *engine = crl_engine_at(x, v, e);
    struct crl_engine_packet *own = &engine->own[half];
    uint32_t dim = crl_engine_dim(x, e, pack.step), digit = crl_mesh_digit(x->mesh, v, dim);
    for (uint32_t direction = 0; direction < 2; direction++) {
        struct crl_engine_packet *packet = &engine->coming[direction];
        if (packet->valid) put_packet(x, v, dim, direction, packet);
        packet->valid = false;
    }
    uint32_t goal = own->valid ? goal_of(x, e, pack, own) : digit;
    if (goal == digit) return;
    put_packet(x, v, dim, goal > digit ? CRL_UP : CRL_DOWN, own);
    own->valid = false;
}

static void pack_receive(struct crl_engines *x, uint32_t v, uint32_t e, struct pack pack, uint32_t half)
{
    struct crl_engine *engine = crl_engine_at(x, v, e);
    uint32_t dim = crl_engine_dim(x, e, pack.step), digit = crl_mesh_digit(x->mesh, v, dim);
    for (uint32_t direction = 0; direction < 2; direction++) {
        const struct crl_link_word *in = crl_links_in(&x->links, v, dim, direction);
        if (!in->valid) continue;
        struct crl_engine_packet packet = {in->origin, in->dest, in->tag, true};
        struct crl_engine_packet *to =
            goal_of(x, e, pack, &packet) == digit ? &engine->own[half] : &engine->coming[direction];
        if (to->valid) x->run->faults++;
        *to = packet;
    }
}

// With halves a step is two slots. What came of one half waits for the other's slot to pass, so it is kept by half.
static int pack_slot(struct crl_engines *x, struct pack pack, uint32_t half, struct crl_engine_packet (*coming)[2])
{
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = 0; e < x->count; e++) {
            memcpy(crl_engine_at(x, v, e)->coming, coming[((size_t)v * x->count + e) * x->halves + half],
                   sizeof *coming);
            pack_send(x, v, e, pack, half);
        }
    int error = crl_links_exchange(&x->links);
    for (uint32_t v = 0; v < x->mesh->nodes && !error; v++)
        for (uint32_t e = 0; e < x->count; e++) {
            pack_receive(x, v, e, pack, half);
            memcpy(coming[((size_t)v * x->count + e) * x->halves + half], crl_engine_at(x, v, e)->coming,
                   sizeof *coming);
        }
    return error;
}

int crl_engines_pack(struct crl_engines *x, bool back)
{
    int error = 0;
    uint32_t dims = x->mesh->dims;
    struct crl_engine_packet(*coming)[2] = calloc((size_t)x->mesh->nodes * x->count * x->halves, sizeof *coming);
    if (!coming) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < dims && !error; i++) {
        struct pack pack = {back ? dims - 1 - i : i, back};
        uint32_t size = 0;
        for (uint32_t e = 0; e < x->count; e++)
            if (x->mesh->size[crl_engine_dim(x, e, pack.step)] > size)
                size = x->mesh->size[crl_engine_dim(x, e, pack.step)];
        for (uint32_t s = 0; s + 1 < size && !error; s++)
            for (uint32_t half = 0; half < x->halves && !error; half++) error = pack_slot(x, pack, half, coming);
    }
    free(coming);
    return error;
}
