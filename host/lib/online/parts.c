// SPDX-License-Identifier: Apache-2.0
// The parts of the partial multinode broadcast, each by itself, by one engine a node: parallel prefix, packing,
// monotone routing, broadcasts along lines. Varvarigos & Bertsekas 1994, Secs. 2 and 3.1.
#include "base/base.h"
#include "online/engines.h"
#include "topology/topology.h"

static int open_part(struct crl_engines *x, struct crl_online_run *run, const struct crl_problem *problem,
                     uint32_t halves, uint32_t parts, uint32_t capacity)
{
    *x = (struct crl_engines){0};
    *run = (struct crl_online_run){0};
    if (!crl_mesh_of(&run->mesh, problem->topology)) return CRL_ERR_UNSUPPORTED;
    return crl_engines_init(x, run, 1, halves, parts, capacity);
}

static int close_part(struct crl_engines *x, int error, struct crl_diag *diag)
{
    crl_engines_done(x);
    if (error == CRL_ERR_UNSUPPORTED) return crl_fail(diag, error, "on-line routers are those of tori and arrays");
    return error ? crl_fail_memory(diag) : 0;
}

int crl_online_prefix(struct crl_online_run *run, const struct crl_problem *problem, const uint32_t *values,
                      struct crl_diag *diag)
{
    struct crl_engines x;
    int error = open_part(&x, run, problem, 1, 1, 1);
    for (uint32_t v = 0; v < run->mesh.nodes && !error; v++) crl_engine_at(&x, v, 0)->value = values ? values[v] : 1;
    if (!error) error = crl_engines_count(&x, 0, 1);
    run->prefix_slots = run->slots;
    return close_part(&x, error, diag);
}

// A node that a packet has for its destination keeps it; what lies anywhere else is lost.
static void arrived(const struct crl_engines *x, uint32_t packets)
{
    uint32_t there = 0;
    for (uint32_t v = 0; v < x->mesh->nodes; v++) {
        const struct crl_engine_packet *own = crl_engine_at(x, v, 0)->own;
        there += own->valid && own->dest == v;
    }
    x->run->faults += packets - there;
}

int crl_online_routing(struct crl_online_run *run, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct crl_engines x;
    int error = open_part(&x, run, problem, 1, 1, 1);
    for (uint32_t i = 0; i < problem->active_count && !error; i++) crl_engine_at(&x, problem->active[i], 0)->value = 1;
    if (!error) error = crl_engines_count(&x, 0, 1);
    run->prefix_slots = run->slots;
    for (uint32_t i = 0; i < problem->active_count && !error; i++) {
        struct crl_engine *engine = crl_engine_at(&x, problem->active[i], 0);
        uint32_t dest = problem->dests ? problem->dests[i] : engine->below;
        engine->own[0] = (struct crl_engine_packet){problem->active[i], dest, engine->below, true};
    }
    if (!error) error = crl_engines_pack(&x, false);
    if (!error && problem->dests) error = crl_engines_pack(&x, true);
    if (!error) arrived(&x, problem->active_count);
    return close_part(&x, error, diag);
}

uint32_t crl_online_line_dim(const struct crl_mesh *mesh, const struct crl_problem *problem)
{
    uint32_t dim = 0;
    while (dim + 1 < mesh->dims && mesh->stride[dim] != problem->topology->factor[problem->dim].stride) dim++;
    return dim;
}

int crl_online_lines(struct crl_online_run *run, const struct crl_problem *problem, uint32_t depth,
                     struct crl_diag *diag)
{
    struct crl_engines x;
    uint32_t most = 0, capacity = crl_problem_line_packets(problem);
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology); v++)
        if (problem->starts[v + 1] - problem->starts[v] > most) most = problem->starts[v + 1] - problem->starts[v];
    int error = open_part(&x, run, problem, problem->parts, most * problem->parts, capacity);
    x.limit = depth;
    for (uint32_t v = 0; v < run->mesh.nodes && !error; v++) {
        struct crl_engine *engine = crl_engine_at(&x, v, 0);
        uint32_t own = problem->starts[v + 1] - problem->starts[v];
        engine->held[CRL_UP] = own; // in halves those of one direction lie with what comes that way
        engine->held[CRL_DOWN] = problem->parts == 2 ? own : 0;
        for (uint32_t i = 0; i < own; i++)
            for (uint32_t direction = 0; direction < 2; direction++)
                crl_engine_add(&x, &engine->list[direction], 0, v, problem->parts == 2 ? 2 * i + direction : i);
    }
    if (!error) error = crl_engines_spread(&x, crl_online_line_dim(&run->mesh, problem), CRL_NONE);
    return close_part(&x, error, diag);
}
