// SPDX-License-Identifier: Apache-2.0
// Single-port multinode broadcast in the optimal N−1 slots on any product of rings and complete graphs: every slot
// takes a new packet to every node.
//
// Dimension by dimension, as Dimakopoulos & Dimopoulos 1996 decompose total exchange. Before dimension i everybody has
// the packets of the nodes that differ from it in the dimensions below, a block; within dimension i every block goes to
// each digit in turn: on a ring all around it one way, in a complete graph straight from where it began.
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"

static bool applies_product_multinode_broadcast(const struct crl_problem *problem)
{
    return crl_is_product(problem) && crl_topology_is_symmetric(problem->topology);
}

// What node 0 sends of a part in one dimension, `slot` being the last slot before.
static void cross(struct crl_schedule *schedule, const struct crl_topology *t, const struct crl_factor *f,
                  uint32_t slot, uint32_t part)
{
    bool ring = f->shape == CRL_RING;
    for (uint32_t round = 1; round < f->size; round++)
        for (uint32_t low = 0; low < f->stride; low++) {
            uint32_t came = ring ? round - 1 : 0; // steps that the block made so far
            uint32_t origin = crl_topology_unshift(t, low, came * f->stride), dst = (ring ? 1 : round) * f->stride;
            struct crl_move move = {.slot = ++slot, .dst = dst, .origin = origin, .dest = part};
            crl_schedule_add(schedule, move);
        }
}

static int plan_product_multinode_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                            struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    (void)diag;
    for (uint32_t part = 0; part < problem->parts; part++)
        for (uint32_t i = 0; i < t->factor_count; i++)
            cross(schedule, t, &t->factor[i], part * (t->nodes - 1) + t->factor[i].stride - 1, part);
    return 0;
}

const struct crl_algorithm crl_rows_product_multinode_broadcast[] = {
    {"multinode-broadcast", "dimension", "product without paths", "N-1", "after D96 Sec. 4",
     "dimension by dimension, a new packet to every node in every slot", .ports = CRL_FOR_SINGLE_PORT,
     .handles = CRL_HANDLES_PARTS, .applies = applies_product_multinode_broadcast,
     .plan = plan_product_multinode_broadcast, .symmetric = crl_is_any, .claim = crl_claim_single},
    {0}};
