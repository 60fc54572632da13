// SPDX-License-Identifier: Apache-2.0
// Multinode broadcast on arrays by folding: Varvarigos and Bertsekas 1994, Section 2 (Fig. 1 and Theorem 1).
//
// A path plays a ring of as many nodes at half the speed. Position 2k holds node k of the ring and position 2k + 1 node
// p − 1 − k, so that neighbours in the ring are two hops apart, or one at the ends. Two hops use both steps of a slot
// of the ring. Where there is one hop, it leaves the end in step 2 and enters it in step 1, when the two hops that
// cross the same link are on the other side. So an array plays any schedule of the torus of its size: on p×p arrays
// the optimal one, ⌊N/2⌋ slots, which is optimal again.
//
// The node in the middle of two hops learns the packet too. What comes to it later, and everything else that is not
// news, is left out.
#include "algorithm/algorithm.h"
#include "base/pool.h"
#include "topology/topology.h"

struct fold {
    const struct crl_topology *array;
    struct crl_topology torus; // of the same size
    struct crl_schedule *out;
    uint32_t nodes;
    struct crl_pool pool;
    uint32_t *place; // [nodes] where the array holds a node of the torus
    uint64_t *has;   // [nodes][nodes], a bit each: node, packet
};

static bool is_folded(const struct crl_factor *f) { return f->shape == CRL_PATH && f->size > 2; }

static uint32_t place_of(const struct crl_topology *array, uint32_t node)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < array->factor_count; i++) {
        const struct crl_factor *f = &array->factor[i];
        uint32_t digit = crl_factor_digit(f, node);
        if (is_folded(f)) digit = 2 * digit < f->size ? 2 * digit : 2 * (f->size - 1 - digit) + 1;
        place += digit * f->stride;
    }
    return place;
}

static bool learns(struct fold *f, uint32_t node, uint32_t packet)
{
    uint64_t bit = (uint64_t)node * f->nodes + packet, mask = UINT64_C(1) << bit % 64;
    if (f->has[bit / 64] & mask) return false;
    f->has[bit / 64] |= mask;
    return true;
}

// Step `step` of the hop of a packet in the torus from `src` to `dst`, if it has anything to do in it and brings news.
static void add_step(struct fold *f, uint32_t slot, uint32_t step, uint32_t src, uint32_t dst, uint32_t packet)
{
    const struct crl_factor *factor = f->array->factor;
    uint32_t from = f->place[src], to = f->place[dst];
    while (crl_factor_digit(factor, from) == crl_factor_digit(factor, to)) factor++;
    uint32_t x = crl_factor_digit(factor, from), y = crl_factor_digit(factor, to);
    uint32_t end = factor->size - 1, middle = from < to ? from + factor->stride : from - factor->stride;
    if (is_folded(factor) && (x > y ? x - y : y - x) == 2) {
        if (step == 1) to = middle;
        else from = middle;
    } else if (step != (is_folded(factor) && (x == 0 || x == end) ? 2u : 1u)) {
        return;
    }
    struct crl_move move = {.slot = 2 * (slot - 1) + step, .src = from, .dst = to, .origin = f->place[packet]};
    if (learns(f, to, move.origin)) crl_schedule_add(f->out, move);
}

// Plays moves[first…end), those of one slot, and all their translates.
static void play_slot(struct fold *f, const struct crl_schedule *torus, size_t first, size_t end)
{
    for (uint32_t step = 1; step <= 2; step++)
        for (size_t i = first; i < end; i++)
            for (uint32_t by = 0; by < f->nodes; by++) {
                const struct crl_move *m = &torus->moves[i];
                add_step(f, m->slot, step, by, crl_topology_shift(&f->torus, m->dst, by),
                         crl_topology_shift(&f->torus, m->origin, by));
            }
}

static int fold_schedule(struct fold *f, const struct crl_schedule *torus)
{
    CRL_ZEROED(&f->pool, f->place, f->nodes);
    CRL_ZEROED(&f->pool, f->has, ((size_t)f->nodes * f->nodes + 63) / 64);
    int error = crl_pool_error(&f->pool);
    for (uint32_t v = 0; v < f->nodes && !error; v++) {
        f->place[v] = place_of(f->array, v);
        learns(f, v, v);
    }
    for (size_t first = 0, end; !error && first < torus->count; first = end) {
        for (end = first; end < torus->count && torus->moves[end].slot == torus->moves[first].slot;) end++;
        play_slot(f, torus, first, end);
    }
    crl_pool_done(&f->pool);
    return error;
}

static int plan_array_fold_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                     struct crl_diag *diag)
{
    struct fold f = {.array = problem->topology,
                     .torus = *problem->topology,
                     .out = schedule,
                     .nodes = crl_topology_nodes(problem->topology)};
    struct crl_problem wrapped = *problem;
    struct crl_schedule torus;
    for (uint32_t i = 0; i < f.torus.factor_count; i++)
        if (is_folded(&f.torus.factor[i])) f.torus.factor[i].shape = CRL_RING;
    wrapped.topology = &f.torus;
    crl_schedule_init(&torus, &f.torus, CRL_NAMING_ORIGIN, true);
    int error = crl_applies_torus_orbit_broadcast(&wrapped) ? crl_plan_torus_orbit_broadcast(&torus, &wrapped, diag)
                                                            : crl_plan_spread(&torus, &wrapped, diag);
    if (!error && (crl_schedule_sort(&torus) || fold_schedule(&f, &torus))) error = crl_fail_memory(diag);
    crl_schedule_done(&torus);
    return error;
}

static bool applies_array_fold_broadcast(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return crl_topology_has(t, CRL_PATH) && !crl_topology_has(t, CRL_GRAPH);
}

static bool is_square(const struct crl_topology *t)
{
    const struct crl_factor *f = t->factor;
    return t->factor_count == 2 && f[0].size == f[1].size && f[0].shape == CRL_PATH && f[1].shape == CRL_PATH;
}

static uint64_t claim_half(const struct crl_problem *problem)
{
    return is_square(problem->topology) ? problem->topology->nodes / 2 : UINT64_MAX;
}

// Where there is as little to gain by a search, which is for smaller buffers alone, as there are many nodes.
static bool applies_large_square(const struct crl_problem *problem)
{
    enum { LARGE = 1024 };
    return is_square(problem->topology) && problem->topology->nodes > LARGE;
}

#define FOLD(networks, where)                                                                                          \
    {                                                                                                                  \
        "multinode-broadcast", "fold", networks, "p x p: floor(N/2)", "V94 Sec. 2",                                    \
            "plays the torus of the same size at half the speed; N to 65536",                                          \
            .ports = CRL_FOR_ALL_PORTS, .applies = where, .plan = plan_array_fold_broadcast, .symmetric = crl_is_any,  \
            .cost = {.nodes_max = 1 << 16, .row_ns = 250, .pair_bytes = 1}, .claim = claim_half                        \
    }

const struct crl_algorithm crl_rows_array_fold_large[] = {FOLD("large mesh p x p", applies_large_square), {0}};
const struct crl_algorithm crl_rows_array_fold_broadcast[] = {FOLD("product with paths", applies_array_fold_broadcast),
                                                              {0}};
