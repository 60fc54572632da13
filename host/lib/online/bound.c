// SPDX-License-Identifier: Apache-2.0
// How long the on-line algorithms take at most, in slots of a whole packet, for any sides. With equal sides the
// formulas are those of Varvarigos & Bertsekas 1994.
#include "base/base.h"
#include "online/engines.h"
#include <math.h>

static uint32_t dim_of(const struct crl_mesh *m, uint32_t engine, uint32_t step) { return (engine + step) % m->dims; }

// Eqs. (5a) to (6b): counting; packing; then per dimension ⌈M/P⌉ packets of every node to all nodes of its line, P
// nodes in the dimensions up to that one, bounded by M/P + 1. The engine that needs longest counts.
double crl_online_broadcast_bound(const struct crl_problem *problem, double tp)
{
    struct crl_mesh m;
    if (!crl_mesh_of(&m, problem->topology)) return NAN;
    bool split = problem->parts > 1;
    double packets = split ? problem->active_count : (double)crl_ceil_div(problem->active_count, m.dims);
    double time = (split ? 1 : m.dims) * (double)(m.longest - 1), spread = 0;
    for (uint32_t step = 0; step < m.dims; step++) {
        double most = 0;
        for (uint32_t engine = 0; engine < m.dims; engine++) {
            double nodes = 1;
            uint32_t dim = dim_of(&m, engine, step), hops = m.size[dim] - 1;
            for (uint32_t i = 0; i <= step; i++) nodes *= m.size[dim_of(&m, engine, i)];
            if (!split && m.ring[dim]) hops -= hops / 2;
            if (split && m.ring[dim] && !m.all_rings) hops -= hops / 2;
            most = fmax(most, hops * (packets / nodes + 1));
        }
        spread += most;
    }
    // Without splitting all but the counting takes whole slots.
    return time + (split ? spread / problem->parts : floor(spread)) +
           (split ? 2 : 4) * tp * m.dims * (double)(m.longest - 1);
}

// Nodes of one class on a line along their first dimension, at most: each of k such nodes has at least k active ones on
// each of its d lines, and no two of them share one of the other d − 1, so that k((d − 1)(k − 1) + 1) ≤ M. With d = 2
// that is ⌊√M⌋, as in the paper.
static double class_most(uint32_t dims, double active)
{
    double k = 0;
    while ((k + 1) * ((dims - 1) * k + 1) <= active) k++;
    return k;
}

// Sec. 4, for d dimensions (decision 0011): in leg l packets of class c, of which a line of its dimension c has
// at most m sources, go along dimension e = c + l (mod d). What has to move along a line of that is m (N/s_c)(s_e − 1)
// packets at most, and lines pass on K packets within K + s − 2 slots, if nothing has priority over them, which is so
// when the legs before are over.
static double legs(const struct crl_mesh *m, double most)
{
    double time = 0;
    for (uint32_t leg = 0; leg < m->dims; leg++) {
        double slots = 0;
        for (uint32_t class = 0; class < m->dims; class ++) {
            double first = m->size[class], side = m->size[dim_of(m, class, leg)];
            slots = fmax(slots, fmin(most, first) * m->nodes / first * (side - 1) + side - 1);
        }
        time += slots;
    }
    return time;
}

double crl_online_exchange_bound(const struct crl_problem *problem, double tp)
{
    struct crl_mesh m;
    if (!crl_mesh_of(&m, problem->topology)) return NAN;
    return legs(&m, class_most(m.dims, problem->active_count)) + m.longest * tp;
}

// Rounds after which every node has a class, at most. Of those that are left after a round every line had more than
// `most` of those left before, so at most left / (most + 1) lines of each dimension hold them; and by Loomis and
// Whitney's inequality (nodes left)^(d−1) is at most the product of these numbers of lines. In two dimensions two
// rounds do: such lines are no more than `most`, so after the first one no line holds more.
static uint32_t rounds_most(uint32_t dims, uint32_t active, uint32_t most)
{
    uint32_t rounds = 0;
    for (double left = active; left >= 1; rounds++)
        left = dims < 2 ? 0 : floor(pow(floor(left / (most + 1.0)), dims / (dims - 1.0)) + 1e-9);
    return dims == 2 && rounds > 2 ? 2 : rounds;
}

// Counting: those rounds and one more, in which all see that nobody is left.
double crl_balanced_exchange_bound(const struct crl_problem *problem, double tp)
{
    struct crl_mesh m;
    if (!crl_mesh_of(&m, problem->topology)) return NAN;
    double most = floor(pow(problem->active_count, 1.0 / m.dims) + 1e-9);
    uint32_t rounds = 1 + rounds_most(m.dims, problem->active_count, (uint32_t)most);
    return legs(&m, most) + rounds * m.dims * (m.longest - 1.0) * tp;
}

// Theorems 2 to 4, for any sides; of counting, which comes before, the paper's figure.
static double part_bound(const struct crl_problem *problem, const struct crl_mesh *m, double tp)
{
    double steps = 0;
    for (uint32_t k = 0; k < m->dims; k++) steps += m->size[k] - 1;
    switch (crl_online_kind_of(problem)) {
    case CRL_ONLINE_PREFIX: return steps * tp; // the paper's is twice that
    case CRL_ONLINE_PACKING: return steps + 2 * tp * steps;
    case CRL_ONLINE_ROUTING: return 2 * steps + 2 * tp * steps;
    default: break;
    }
    // The last packet of a node leaves after all others that use its link; that is K − 1 slots at most.
    uint32_t dim = crl_online_line_dim(m, problem), packets = crl_problem_line_packets(problem);
    uint32_t hops = crl_mesh_reach(m, dim, CRL_UP, 0, problem->parts == 2);
    return packets ? (packets + hops - 1.0) / problem->parts : 0;
}

double crl_online_bound(const struct crl_problem *problem, double tp)
{
    struct crl_mesh mesh;
    enum crl_online_kind kind = crl_online_kind_of(problem);
    if (kind == CRL_ONLINE_BROADCAST) return crl_online_broadcast_bound(problem, tp);
    if (kind == CRL_ONLINE_EXCHANGE) return crl_online_exchange_bound(problem, tp);
    return kind != CRL_ONLINE_NOTHING && crl_mesh_of(&mesh, problem->topology) ? part_bound(problem, &mesh, tp) : NAN;
}

uint32_t crl_online_count_slots(const struct crl_problem *problem)
{
    struct crl_mesh m;
    uint32_t one = 0; // engine 0 alone
    enum crl_online_kind kind = crl_online_kind_of(problem);
    if (!crl_mesh_of(&m, problem->topology) || kind == CRL_ONLINE_LINES) return 0;
    if (kind == CRL_ONLINE_EXCHANGE) return m.longest - 1;
    for (uint32_t k = 0; k < m.dims; k++) one += m.size[k] - 1;
    if (kind != CRL_ONLINE_BROADCAST) return one;
    return (problem->parts == 1 ? one : 0) + m.dims * (m.longest - 1);
}
