// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on a p×p torus in N/4 slots (p even) or (N−1)/4 (p odd): the algorithm that Varvarigos and
// Bertsekas 1994, Section 2, build on, after Bertsekas and Tsitsiklis 1989, pp. 81–82.
//
// The broadcast tree of node 0 looks the same after a quarter turn (x, y) → (−y, x). A slot reaches one orbit of four
// nodes, one in each direction. The orbits are taken row by row from the quadrant x ≥ 1, y ≥ 0: the first of a row
// from the row below, all others from the left. An even p has orbits of two and of one node, which share the last
// slot: (p/2, 0), (0, p/2) and (p/2, p/2).
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "topology/topology.h"

enum { EAST, WEST, NORTH, SOUTH }; // ports; EAST increments x, NORTH y

static uint32_t node_at(uint32_t p, int64_t x, int64_t y) { return (uint32_t)((x + p) % p + (y + p) % p * p); }

// In `slot` the packet of node 0 goes from (x, y) over `port`.
static void add(struct crl_schedule *schedule, uint32_t slot, int64_t x, int64_t y, uint32_t port)
{
    const struct crl_topology *t = schedule->topology;
    uint32_t parent = node_at(t->factor[0].size, x, y);
    struct crl_move move = {.slot = slot, .dst = crl_topology_neighbor(t, 0, port)};
    move.origin = crl_topology_unshift(t, 0, parent);
    crl_schedule_add(schedule, move);
}

static void add_orbit(struct crl_schedule *schedule, uint32_t slot, int64_t x, int64_t y, uint32_t port)
{
    static const uint8_t turned[] = {[EAST] = NORTH, [NORTH] = WEST, [WEST] = SOUTH, [SOUTH] = EAST};
    for (int i = 0; i < 4; i++) {
        add(schedule, slot, x, y, port);
        int64_t old_x = x;
        x = -y;
        y = old_x;
        port = turned[port];
    }
}

int crl_plan_torus_orbit_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                   struct crl_diag *diag)
{
    int64_t p = problem->topology->factor[0].size, half = p / 2;
    bool even = p % 2 == 0;
    uint32_t slot = 1;
    (void)diag;
    for (int64_t y = 0; y <= (even ? half - 1 : half); y++)
        for (int64_t x = 1; x <= (even && !y ? half - 1 : half); x++)
            if (x > 1 || !y) add_orbit(schedule, slot++, x - 1, y, EAST);
            else add_orbit(schedule, slot++, x, y - 1, NORTH);
    if (!even) return 0;
    add(schedule, slot, half - 1, 0, EAST);
    add(schedule, slot, 0, half - 1, NORTH);
    add(schedule, slot, half, half + 1, SOUTH); // to (p/2, p/2)
    return 0;
}

bool crl_applies_torus_orbit_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return t->factor_count == 2 && t->factor[0].size == t->factor[1].size && t->factor[0].size >= 3 &&
           t->factor[0].shape == CRL_RING && t->factor[1].shape == CRL_RING;
}

static uint64_t claim_quarter(const struct crl_problem *problem) { return problem->topology->nodes / 4; }

const struct crl_algorithm crl_rows_torus_orbit_broadcast[] = {
    {"multinode-broadcast", "orbit", "torus p x p", "floor(N/4)", "V94 Sec. 2",
     "four nodes a slot, which are rotations of each other", .ports = CRL_FOR_ALL_PORTS,
     .applies = crl_applies_torus_orbit_broadcast, .plan = crl_plan_torus_orbit_broadcast, .symmetric = crl_is_any,
     .claim = claim_quarter},
    {0}};
