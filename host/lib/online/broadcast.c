// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcast on tori and arrays, by routers that do not know who is active. Varvarigos & Bertsekas
// 1994, Sec. 3.
//
// A packet is split into d mini packets (twice as many, in halves, on a torus), one of each class; without splitting a
// packet belongs to one class, its rank mod d. Class c is routed by engine c:
//   count      along one dimension after the other: how many there are before me, and in all
//   pack       to the node whose number is the rank (Theorem 3), one dimension after the other
//   broadcast  along dimension d−1, …, 0 everything held so far (Theorem 2): pass on what comes, else send the next
// All nodes end a phase together: its length follows from the sides and the sum. Where sides differ, the engine that
// needs longest decides.
#include "base/base.h"
#include "online/engines.h"
#include <stdlib.h>

uint32_t crl_online_parts(const struct crl_mesh *mesh) { return mesh->dims * (mesh->all_rings ? 2 : 1); }

// Without splitting, a first count tells each node the class of its packet.
static int find_members(struct crl_engines *x, const struct crl_problem *problem)
{
    int error = 0;
    bool split = problem->parts > 1;
    for (uint32_t i = 0; i < problem->active_count; i++)
        for (uint32_t e = 0; e < (split ? x->count : 1); e++) crl_engine_at(x, problem->active[i], e)->value = 1;
    if (!split) error = crl_engines_count(x, 0, 1);
    for (uint32_t v = 0; v < x->mesh->nodes && !split; v++) {
        uint32_t active = crl_engine_at(x, v, 0)->value, class = crl_engine_at(x, v, 0)->below % x->count;
        for (uint32_t e = 0; e < x->count; e++) crl_engine_at(x, v, e)->value = e == class ? active : 0;
    }
    return error;
}

static void own_packets(struct crl_engines *x, bool split)
{
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = 0; e < x->count; e++) {
            struct crl_engine *engine = crl_engine_at(x, v, e);
            for (uint32_t half = 0; half < x->halves && engine->value; half++)
                engine->own[half] =
                    (struct crl_engine_packet){v, split ? e * x->halves + half : 0, engine->below, true};
        }
}

static void own_to_lists(struct crl_engines *x)
{
    for (uint32_t v = 0; v < x->mesh->nodes; v++)
        for (uint32_t e = 0; e < x->count; e++)
            for (uint32_t direction = 0; direction < 2; direction++) {
                struct crl_engine *engine = crl_engine_at(x, v, e);
                const struct crl_engine_packet *own = &engine->own[x->halves == 2 ? direction : 0];
                if (own->valid) crl_engine_add(x, &engine->list[direction], 0, own->origin, own->dest);
            }
}

// Writes down what nodes hold. With halves each direction has a list of its own; else both hold the same.
static int keep(struct crl_engines *x)
{
    struct crl_online_run *run = x->run;
    size_t count = 0, capacity = 0, memories = (size_t)x->mesh->nodes * x->count * 2;
    run->kept_first = calloc(memories + 1, sizeof *run->kept_first);
    if (!run->kept_first) return CRL_ERR_MEMORY;
    for (size_t m = 0; m < memories; m++) {
        const struct crl_engine_list *list = &x->engine[m / 2].list[m % 2];
        for (uint32_t side = 0; side < 2 && m % 2 < x->halves; side++)
            for (uint32_t i = 0; i < list->count[side]; i++) {
                if (CRL_PUSH(run->kept, capacity, count, list->packet[side * x->capacity + i] / x->parts))
                    return CRL_ERR_MEMORY;
            }
        run->kept_first[m + 1] = (uint32_t)count;
    }
    return 0;
}

int crl_online_broadcast(struct crl_online_run *run, const struct crl_problem *problem, uint32_t depth,
                         struct crl_diag *diag)
{
    CRL_ENDED(crl_engines_done) struct crl_engines x = {0};
    *run = (struct crl_online_run){0};
    if (!crl_mesh_of(&run->mesh, problem->topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array",
                        crl_topology_name(problem->topology));
    bool split = problem->parts > 1;
    uint32_t dims = run->mesh.dims;
    int error =
        crl_engines_init(&x, run, dims, split && run->mesh.all_rings ? 2 : 1, problem->parts, problem->active_count);
    x.limit = depth;
    if (!error) error = find_members(&x, problem);
    uint32_t sum = error ? 0 : crl_engine_at(&x, 0, 0)->total; // of node 0; every node has the same
    if (!error) error = crl_engines_count(&x, 0, dims);
    uint32_t most = error ? 0 : split ? crl_engine_at(&x, 0, 0)->total : (uint32_t)crl_ceil_div(sum, dims);
    run->prefix_slots = run->slots;
    if (!error && most) {
        own_packets(&x, split);
        error = crl_engines_pack(&x, false);
        own_to_lists(&x);
    }
    for (uint32_t step = dims; step-- > 0 && !error;) error = crl_engines_spread(&x, step, most);
    if (!error) error = keep(&x);
    return error ? crl_fail_memory(diag) : 0;
}
