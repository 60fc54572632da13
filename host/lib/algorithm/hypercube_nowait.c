// SPDX-License-Identifier: Apache-2.0
// The scheme "nowait" of total exchange and multinode broadcast on the hypercube: optimal schedules in which a packet
// that a node receives in slot s and must forward leaves in slot s+1. Long searches are remembered in the cache; what
// comes from there is verified as if anyone had written it.
#include "algorithm/algorithm.h"
#include "algorithm/nowait.h"
#include "base/base.h"
#include "base/cache.h"
#include <stdlib.h>

// ---------------------------------------------------------------- verification

// The moves of node 0 say, by symmetry, what becomes of the packets of node 0: where the move of packet (origin, dest)
// comes from node 0, the packet of node 0 to origin ⊕ dest leaves the node `origin`.
struct verifier {
    uint32_t d, strings, slots;
    uint8_t *link;  // [(slots + 1)·d] in use
    uint32_t *slot; // broadcast: [t] slot in which t is reached; exchange: [D·d + p] in which D crosses p; 0: not
    uint32_t *from; // exchange: [D·d + p] from where
};

static int verifier_init(struct verifier *v, const struct crl_schedule *schedule, uint32_t slots)
{
    uint32_t d = crl_topology_ports(schedule->topology);
    *v = (struct verifier){.d = d, .strings = UINT32_C(1) << d, .slots = slots};
    v->link = calloc((size_t)(slots + 1) * d, 1);
    v->slot = calloc((size_t)d << d, sizeof *v->slot);
    v->from = calloc((size_t)d << d, sizeof *v->from);
    return v->link && v->slot && v->from ? 0 : CRL_ERR_MEMORY;
}

static void verifier_done(struct verifier *v)
{
    free(v->link);
    free(v->slot);
    free(v->from);
}

// Whether a move makes sense and has its link for itself; the port goes to *port.
static bool take_link(struct verifier *v, const struct crl_move *m, uint32_t *port)
{
    if (m->src != 0 || m->slot < 1 || m->slot > v->slots || m->origin >= v->strings || m->dest >= v->strings)
        return false;
    if (!m->dst || m->dst >= v->strings || (m->dst & (m->dst - 1))) return false;
    *port = (uint32_t)__builtin_ctz(m->dst);
    return !v->link[(size_t)m->slot * v->d + *port]++;
}

// Whether packet D crosses each of its dimensions, in consecutive slots, each time from where the hop before led.
static bool goes_through(const struct verifier *v, uint32_t D)
{
    const uint32_t *slot = &v->slot[(size_t)D * v->d], *from = &v->from[(size_t)D * v->d];
    uint32_t start = UINT32_MAX, at = 0;
    for (uint32_t p = 0; p < v->d; p++) {
        if (!(D >> p & 1) != !slot[p]) return false;
        if (slot[p] && slot[p] < start) start = slot[p];
    }
    for (uint32_t s = start; at != D; s++) {
        uint32_t p = 0;
        while (p < v->d && slot[p] != s) p++;
        if (p == v->d || from[p] != at) return false;
        at ^= UINT32_C(1) << p;
    }
    return true;
}

static int verify_exchange(const struct crl_schedule *schedule, uint32_t slots)
{
    struct verifier v;
    uint32_t port;
    int error = verifier_init(&v, schedule, slots);
    bool good = !error && schedule->count == (size_t)v.d << (v.d - 1);
    for (size_t i = 0; i < schedule->count && good; i++) {
        const struct crl_move *m = &schedule->moves[i];
        good = take_link(&v, m, &port);
        if (!good) break;
        size_t hop = (size_t)(m->origin ^ m->dest) * v.d + port;
        good = !v.slot[hop];
        v.slot[hop] = m->slot;
        v.from[hop] = m->origin;
    }
    for (uint32_t D = 1; D < v.strings && good; D++) good = goes_through(&v, D);
    verifier_done(&v);
    return error ? error : good ? 0 : CRL_ERR_RULE;
}

// Every string is reached once, from 0 or in the slot after its parent.
static int verify_broadcast(const struct crl_schedule *schedule, uint32_t slots)
{
    struct verifier v;
    uint32_t port;
    int error = verifier_init(&v, schedule, slots);
    bool good = !error && schedule->count == v.strings - 1;
    for (size_t i = 0; i < schedule->count && good; i++) {
        const struct crl_move *m = &schedule->moves[i];
        good = take_link(&v, m, &port);
        if (!good) break;
        uint32_t t = m->origin ^ m->dst;
        good = t && !v.slot[t];
        v.slot[t] = m->slot;
    }
    for (size_t i = 0; i < schedule->count && good; i++) {
        const struct crl_move *m = &schedule->moves[i];
        good = m->origin == 0 || (v.slot[m->origin] && v.slot[m->origin] + 1 == m->slot);
    }
    verifier_done(&v);
    return error ? error : good ? 0 : CRL_ERR_RULE;
}

// ---------------------------------------------------------------- searches and their memory

static int search_exchange(struct crl_schedule *schedule, uint32_t slots)
{
    (void)slots;
    return crl_nowait_exchange_search(schedule, crl_topology_ports(schedule->topology));
}

static int search_broadcast(struct crl_schedule *schedule, uint32_t slots)
{
    uint32_t d = crl_topology_ports(schedule->topology);
    struct crl_tree tree = {.d = d, .slots = slots};
    tree.slot = calloc((size_t)1 << d, sizeof *tree.slot);
    tree.port = calloc((size_t)1 << d, sizeof *tree.port);
    int error = tree.slot && tree.port ? crl_nowait_broadcast_search(&tree) : CRL_ERR_MEMORY;
    for (uint32_t t = 1; t < UINT32_C(1) << d && !error; t++) {
        uint32_t bit = UINT32_C(1)
                       << tree.port[t]; // node 0's packet goes from t ^ bit to t, so that of node t ^ bit from 0 to bit
        error = crl_schedule_add(schedule, (struct crl_move){.slot = tree.slot[t], .dst = bit, .origin = t ^ bit});
    }
    free(tree.slot);
    free(tree.port);
    return error;
}

struct scheme {
    const char *entry; // prefix of the name in the cache
    int (*search)(struct crl_schedule *schedule, uint32_t slots);
    int (*verify)(const struct crl_schedule *schedule, uint32_t slots);
};
static const struct scheme exchange = {"total-exchange-nowait-hypercube", search_exchange, verify_exchange};
static const struct scheme broadcast = {"multinode-broadcast-nowait-hypercube", search_broadcast, verify_broadcast};

// True if the cache had a schedule that passes.
static bool recall(struct crl_schedule *schedule, const struct crl_problem *problem, const struct scheme *scheme,
                   uint32_t slots, const char *entry)
{
    FILE *file = crl_cache_open(problem->context, entry);
    if (!file) return false;
    int error = crl_schedule_read_csv(schedule, file, entry, NULL);
    fclose(file);
    if (!error) error = scheme->verify(schedule, slots);
    if (error) schedule->count = 0;
    crl_schedule_forget_lines(schedule); // the moves come from a plan, not from a file that the user knows
    return !error;
}

static int write_entry(FILE *file, void *schedule) { return crl_schedule_write_csv(schedule, file, true, NULL); }

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, const struct scheme *scheme,
                bool slow, struct crl_diag *diag)
{
    char entry[80];
    uint32_t slots = (uint32_t)crl_problem_bound_slots(problem);
    snprintf(entry, sizeof entry, "%s-%u.csv", scheme->entry, crl_topology_ports(problem->topology));
    if (slow && recall(schedule, problem, scheme, slots, entry)) return 0;
    int error = scheme->search(schedule, slots);
    if (!error && slow && !(error = crl_schedule_sort(schedule)))
        crl_cache_write(problem->context, entry, write_entry, schedule); // or not
    if (error == CRL_ERR_UNSUPPORTED)
        return crl_fail(diag, error,
                        "no schedule without waiting was found for %s on %s; that does not mean there is none",
                        crl_problem_name(problem), crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static int plan_hypercube_nowait_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                          struct crl_diag *diag)
{
    return plan(schedule, problem, &exchange, crl_topology_ports(problem->topology) >= 10, diag);
}

int crl_plan_hypercube_nowait_broadcast(struct crl_schedule *schedule, const struct crl_problem *problem,
                                        struct crl_diag *diag)
{
    return plan(schedule, problem, &broadcast, crl_topology_ports(problem->topology) == 8, diag);
}

static bool applies_hypercube_nowait_exchange(const struct crl_problem *problem)
{
    return crl_is_hypercube(problem) && crl_topology_ports(problem->topology) <= CRL_NOWAIT_EXCHANGE_MAX;
}

static bool applies_hypercube_nowait_broadcast(const struct crl_problem *problem)
{
    return crl_is_hypercube(problem) && crl_nowait_broadcast_available(crl_topology_ports(problem->topology));
}

// All but the cube of 8 dimensions, whose search takes 15 s.
static bool is_quick_broadcast(const struct crl_problem *problem) { return crl_topology_ports(problem->topology) != 8; }

const struct crl_algorithm crl_rows_hypercube_nowait[] = {
    {"total-exchange", "nowait", "hypercube", "2^(d-1)", "after B91 Sec. 4",
     "no packet waits on its way; d to 13, in seconds at d = 12", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_NOWAIT, .applies = applies_hypercube_nowait_exchange, .plan = plan_hypercube_nowait_exchange,
     .symmetric = crl_is_any, .cost = {.search_s = 10, .quick_nodes = 512}, .claim = crl_claim_half},
    {"total-exchange", "banked", "hypercube", "2^(d-1)", "after B91 Sec. 4",
     "no two packets from one port leave together; the same as nowait", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_BANKED, .applies = applies_hypercube_nowait_exchange, .plan = plan_hypercube_nowait_exchange,
     .symmetric = crl_is_any, .cost = {.search_s = 10, .quick_nodes = 512}, .claim = crl_claim_half},
    {"multinode-broadcast", "nowait", "hypercube", "ceil((2^d-1)/d)", "after B91 Sec. 2",
     "no packet waits on its way; d prime, 1, 4, 6, or 8 (which takes 15 s once)", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_NOWAIT, .applies = applies_hypercube_nowait_broadcast,
     .plan = crl_plan_hypercube_nowait_broadcast, .symmetric = crl_is_any, .cost = {.search_s = 15},
     .quick = is_quick_broadcast, .claim = crl_claim_cube},
    {0}};
