// SPDX-License-Identifier: Apache-2.0
// Single-port total exchange on a product network by Algorithm A2 of Dimakopoulos & Dimopoulos 1996, Sec. 4, in
// n·Σ T_i/|V_i| slots (Corollary 2), where T_i is the time of factor i alone: the average status, and so optimal, but
// for paths of three or more nodes and some graphs.
//
// To exchange in A × B, first, for each row r, every copy of B exchanges the packets meant for row r; then, for each
// node k of B, every copy of A exchanges the packets that came from k. A is a product in turn. "Row r" and "from k" are
// taken as offsets from the node at hand (which only renames the rounds of each copy), so that where the factors have
// translations the schedule has them.
#include "algorithm/algorithm.h"
#include "base/pool.h"
#include "topology/topology.h"

// ---------------------------------------------------------------- one factor

// In step `step` (from 0) of an exchange within a factor, digit x sends to digit y the packet of digit a to digit b.
struct hop {
    uint32_t step, x, y, a, b;
};
struct exchange {
    struct crl_pool pool;
    uint32_t steps;
    size_t count, capacity;
    struct hop *hop;
};

static int add_hop(struct exchange *e, struct hop hop)
{
    int error = crl_pool_grow(&e->pool, (void **)&e->hop, &e->capacity, e->count, sizeof hop);
    if (!error) e->hop[e->count++] = hop;
    return error;
}

// Ring, or complete graph: offset after offset, all packets of an offset move together, the shorter way or at once.
static int exchange_turns(struct exchange *e, uint32_t m, bool ring, uint32_t digits)
{
    int error = 0;
    for (uint32_t offset = 1; offset < m && !error; offset++) {
        bool up = offset <= m / 2;
        uint32_t hops = !ring ? 1 : up ? offset : m - offset, by = !ring ? offset : up ? 1 : m - 1;
        for (uint32_t h = 0; h < hops && !error; h++, e->steps++)
            for (uint32_t x = 0; x < digits && !error; x++) {
                uint32_t a = (x + h * (m - by)) % m;
                error = add_hop(e, (struct hop){e->steps, x, (x + by) % m, a, (a + offset) % m});
            }
    }
    return error;
}

// Path: the even and the odd edges take turns, the class of the middle edge first. Over an edge goes the farthest
// destination first; of packets to the last node those of the nearest origin, which are there at once, of others those
// that only pass. That takes ⌊(m²−1)/2⌋ steps, which is optimal: the middle node must send as many packets.
static int exchange_path(struct exchange *e, uint32_t m)
{
    int error = 0;
    for (uint32_t i = 0; i < 2 * (m - 1) && !error; i++) {
        uint32_t x = i / 2, first = (x + m / 2 + 1) % 2, behind = i % 2 ? m - 1 - x : x + 1;
        for (uint32_t k = 0; k < behind * (m - behind) && !error; k++) {
            uint32_t a = k < behind ? behind - 1 - k : k % behind, b = m - 1 - k / behind;
            struct hop hop = {first + 2 * k, x, x + 1, a, b};
            if (i % 2) hop = (struct hop){first + 2 * k, x + 1, x, m - 1 - a, m - 1 - b};
            error = add_hop(e, hop);
        }
    }
    e->steps = (m * m - 1) / 2;
    return error;
}

static int exchange_graph(struct exchange *e, struct crl_graph *graph, struct crl_diag *diag)
{
    const struct crl_algorithm *algorithm;
    struct crl_topology alone;
    struct crl_problem problem;
    struct crl_schedule schedule;
    crl_graph_alone(&alone, graph);
    int error = crl_problem_init(&problem, "total-exchange", &alone, 0, CRL_PORTS_SINGLE, diag);
    if (error) return error;
    crl_schedule_init(&schedule, &alone, CRL_NAMING_PAIR, false);
    error = crl_algorithm_find(&algorithm, &problem, "list", diag);
    if (!error) error = algorithm->plan(&schedule, &problem, diag);
    for (size_t i = 0; i < schedule.count && !error; i++) {
        const struct crl_move *move = &schedule.moves[i];
        if (add_hop(e, (struct hop){move->slot - 1, move->src, move->dst, move->origin, move->dest}))
            error = crl_fail_memory(diag);
    }
    e->steps = crl_schedule_slots(&schedule);
    crl_schedule_done(&schedule);
    return error;
}

// Hops of the first `digits` digits only: one, where the others are its translates.
static int exchange_factor(struct exchange *e, const struct crl_factor *f, uint32_t digits)
{
    if (f->shape == CRL_PATH && f->size > 2) return exchange_path(e, f->size);
    return exchange_turns(e, f->size, f->shape == CRL_RING, digits);
}

// ---------------------------------------------------------------- the product

struct plan {
    struct crl_schedule *schedule;
    const struct crl_topology *topology;
    struct exchange exchange[CRL_FACTORS_MAX];
    uint32_t slot; // used so far
};

// The exchange within all copies of factor f: packets for row `row` of the factors below it, that came from `from` (an
// offset with digits above f only).
static void play_factor(struct plan *p, uint32_t f, uint32_t row, uint32_t from)
{
    const struct crl_topology *t = p->topology;
    const struct exchange *e = &p->exchange[f];
    uint32_t stride = t->factor[f].stride, above = stride * t->factor[f].size;
    uint32_t low_end = p->schedule->folded ? 1 : stride, high_end = p->schedule->folded ? 1 : t->nodes;
    for (size_t i = 0; i < e->count; i++) {
        const struct hop *h = &e->hop[i];
        for (uint32_t low = 0; low < low_end; low++)
            for (uint32_t high = 0; high < high_end; high += above) {
                // Digit by digit, also of paths, where that is no translation of the network.
                uint32_t rest = high + low, target = t->kind->shift(t, low, row),
                         source = t->kind->unshift(t, high, from);
                struct crl_move move = {p->slot + h->step + 1, rest + h->x * stride, rest + h->y * stride,
                                        source + h->a * stride + low, high + h->b * stride + target};
                crl_schedule_add(p->schedule, move);
            }
    }
    p->slot += e->steps;
}

// Total exchange in all copies of the product of the first `count` factors, of packets that came from `from`.
static void play_product(struct plan *p, uint32_t count, uint32_t from)
{
    const struct crl_factor *f = &p->topology->factor[count - 1];
    for (uint32_t row = 0; row < f->stride; row++) play_factor(p, count - 1, row, from);
    for (uint32_t k = 0; k < f->size && count > 1; k++) play_product(p, count - 1, from + k * f->stride);
}

// Plans the exchanges within the factors; plan_done also after an error.
static int plan_new(struct plan *p, const struct crl_topology *t, struct crl_schedule *schedule, struct crl_diag *diag)
{
    int error = 0;
    *p = (struct plan){.schedule = schedule, .topology = t};
    for (uint32_t i = 0; i < t->factor_count && !error; i++) {
        const struct crl_factor *f = &t->factor[i];
        bool one_digit = schedule && schedule->folded;
        if (f->shape == CRL_GRAPH) error = exchange_graph(&p->exchange[i], f->graph, diag);
        else if (exchange_factor(&p->exchange[i], f, one_digit ? 1 : f->size)) error = crl_fail_memory(diag);
    }
    return error;
}

static void plan_done(struct plan *p)
{
    for (uint32_t i = 0; i < p->topology->factor_count; i++) crl_pool_done(&p->exchange[i].pool);
}

static uint64_t claim(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    struct plan p;
    uint64_t slots = 0;
    int error = plan_new(&p, t, NULL, NULL);
    for (uint32_t i = 0; i < t->factor_count; i++)
        slots += (uint64_t)p.exchange[i].steps * (t->nodes / t->factor[i].size);
    plan_done(&p);
    return error ? UINT64_MAX : slots;
}

static int plan_a2(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    struct plan p;
    int error = plan_new(&p, t, schedule, diag);
    if (!error) play_product(&p, t->factor_count, 0);
    plan_done(&p);
    return error;
}

// Where no ends of paths idle.
static bool is_busy(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    return crl_is_product(problem) && (t->factor_count == 1 || crl_topology_is_symmetric(t));
}

static bool idles(const struct crl_problem *problem) { return crl_is_product(problem) && !is_busy(problem); }

#define A2(networks, where)                                                                                            \
    {                                                                                                                  \
        "total-exchange", "a2", networks, "n*sum(T_i/|V_i|)", "D96 Sec. 4",                                            \
            "factor by factor; optimal but for paths of three or more nodes and some graphs",                          \
            .ports = CRL_FOR_SINGLE_PORT, .applies = where, .plan = plan_a2, .symmetric = crl_is_any,                  \
            .cost = {.row_ns = 250}, .claim = claim                                                                    \
    }
const struct crl_algorithm crl_rows_product_exchange_a2[] = {A2("product", is_busy), {0}};
// Behind what takes fewer slots elsewhere.
const struct crl_algorithm crl_rows_product_exchange_a2_paths[] = {A2("products with paths or graphs", idles), {0}};
