// SPDX-License-Identifier: Apache-2.0
// Any packets, on any network. Where they have one destination each, first static ways that load the rows evenly, and
// slots for these, one after the other: that is a schedule. Then, from the bound upward and between that and what was
// found, the fewest slots for which a negotiation that begins with the schedule comes to an end. What is found is kept
// in the cache.
#include "algorithm/core.h"
#include "algorithm/algorithm.h"
#include "base/random.h"
#include "base/base.h"
#include "base/context.h"
#include "problem/demand_bound.h"
#include "schedule/recall.h"
#include "topology/topology.h"
#include <string.h>

enum {
    EFFORT = 6,              // seconds, unless said,
    PACKETS_A_SECOND = 8000, // and one more for so many packets,
    MORE = 3,                // but no more than these,
    MANY = 33000,            // and three for four squares of how many times these there are,
    EFFORT_MAX = 50,         // but no more than that
    TRIES = 3,               // of a number of slots
    DETOUR = 3,              // slots; most networks do better with these or with none
    NEAR = 128,              // slots that are fewer by one in so many than what even paths take are not tried
    FEW = 256,               // of translates a second is enough
    SOLVED = 36000,          // flows, nodes times links, of which a linear program proves the bound,
    STEPS_SOLVED = 16000,    // each in so many steps;
    PRICED = 1 << 20,        // where there are more, prices do, of packets
    STEPS_PRICED = 1800,     // of exchanges by as many rounds, up to so many flows,
    STEPS_TRAFFIC = 1 << 29  // and of others by as many rounds as so many steps allow
};

struct planner {
    struct crl_core core;
    struct crl_core_plan best;
    struct crl_core_attempt how;
    uint32_t bound, least; // least: slots that are tried first
    bool long_sought;      // so that what was found is worth keeping
};

// ---------------------------------------------------------------- the list

static bool meets_deadlines(const struct crl_core *c)
{
    for (uint32_t i = 0; i < c->demands; i++)
        if (c->demand[i].done > c->demand[i].deadline) return false;
    return true;
}

// A list in which deadlines are missed is no plan, but something to begin with; so are, where packets must not wait,
// the times at which it has demands complete.
static int list(struct planner *p)
{
    struct crl_core *c = &p->core;
    int64_t slots = crl_core_find_paths(c, p->bound), listed = slots < 0 ? slots : crl_core_list(c, p->bound);
    if (listed < 0) return (int)listed;
    p->least = slots > p->bound + p->bound / NEAR ? (uint32_t)(slots - slots / NEAR) : p->bound;
    if (p->how.nowait) memset(c->hops, 0, sizeof *c->hops * c->packets);
    return crl_core_keep(&p->best, c, meets_deadlines(c) && !p->how.nowait ? (uint32_t)listed : CRL_NONE);
}

// ---------------------------------------------------------------- the search

// Looks for a plan of so many slots, as struct crl_core_search says.
static int attempt(void *planner, uint32_t slots, uint32_t patience)
{
    struct planner *p = planner;
    struct crl_core *c = &p->core;
    int error = CRL_ERR_UNSUPPORTED;
    p->how.slots = slots;
    p->how.patience = patience;
    uint32_t tries = crl_core_is_single(c->problem) ? TRIES : 1;
    for (uint32_t i = 0; i < tries && c->steps && error == CRL_ERR_UNSUPPORTED; i++) {
        p->how.detour = i % 2 ? 0 : DETOUR;
        p->how.late = i % 2;
        crl_core_take(&p->best, c);
        error = crl_core_negotiate(c, &p->how);
    }
    return error ? error : crl_core_keep(&p->best, c, crl_core_note_done(c));
}

// At first with little patience; then slot by slot with more.
static int search(struct planner *p)
{
    struct crl_core_search s = {&p->core, &p->best, attempt, p, p->bound - 1};
    int error = p->best.slots == CRL_NONE ? crl_core_widen(&s, 1, CRL_NONE) : 0;
    if (error) return error;
    s.failed = (p->least > p->bound ? p->least : p->bound) - 1;
    error = crl_core_halve(&s, s.failed + 1, 1);
    if (!error) error = crl_core_insist(&s, p->bound, 1);
    return error == CRL_ERR_INTERRUPTED ? 0 : error; // with the best so far
}

static void swap_plans(struct crl_core_plan *a, struct crl_core_plan *b)
{
    struct crl_core_plan swap = *a;
    *a = *b;
    *b = swap;
}

// Where demands wait for others: with half of the steps without waiting, as that may find fewer slots; then, from the
// list again, with it.
static int search_both(struct planner *p)
{
    struct crl_core *c = &p->core;
    struct crl_core_plan other = {0};
    uint64_t kept = c->steps / 2, random = c->random;
    int error = crl_core_plan_new(&other, c);
    crl_core_take(&p->best, c);
    memset(c->hops, 0, sizeof *c->hops * c->packets);
    if (!error) error = crl_core_keep(&other, c, CRL_NONE);
    c->steps -= kept;
    p->how.nowait = true;
    swap_plans(&p->best, &other);
    if (!error) error = search(p);
    swap_plans(&p->best, &other);
    p->how.nowait = false;
    c->steps += kept;
    c->random = random;
    if ((!error || error == CRL_ERR_UNSUPPORTED) && other.slots > p->bound) error = search(p);
    if (other.slots < p->best.slots) swap_plans(&p->best, &other);
    if (error == CRL_ERR_UNSUPPORTED && p->best.slots != CRL_NONE) error = 0;
    crl_pool_done(&other.pool);
    return error;
}

// ---------------------------------------------------------------- what was planned before

// As much of it as there can be, within the slots that are allowed; if that cannot be, in as few more as there are.
static int keep(struct planner *p)
{
    struct crl_core *c = &p->core;
    crl_core_read(c, c->problem->keep);
    p->how.keep = true;
    crl_core_note_done(c);
    struct crl_core_search s = {c, &p->best, attempt, p, p->bound + c->problem->slack - 1};
    return crl_core_keep(&p->best, c, CRL_NONE) ? CRL_ERR_MEMORY : crl_core_widen(&s, 1, CRL_NONE);
}

// ---------------------------------------------------------------- the schemes

static int fail(int error, const struct planner *p, struct crl_diag *diag)
{
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    if (error == CRL_ERR_RULE) return crl_fail(diag, error, "some packet cannot reach its destination");
    if (error != CRL_ERR_UNSUPPORTED && p->best.slots != CRL_NONE) return error;
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "no plan was found in time%s; that does not mean there is none: --effort looks for longer",
                    p->core.modulo ? " that fits into the period" : "");
}

// ---------------------------------------------------------------- what was found before

static void mix(uint64_t *hash, uint64_t value) { *hash = crl_mix(*hash ^ value); }

// A name for the packets, and for how long was looked.
static void name(struct crl_recall *recall, const struct planner *p)
{
    const struct crl_core *c = &p->core;
    uint64_t hash = p->bound;
    for (uint32_t i = 0; i < c->demands; i++) {
        const struct crl_core_demand *d = &c->demand[i];
        mix(&hash, (uint64_t)d->from << 32 | d->to);
        mix(&hash, (uint64_t)d->release << 32 | d->deadline);
        mix(&hash, (uint64_t)d->after << 32 | d->count);
        for (uint32_t k = 0; k < d->dst_count; k++) mix(&hash, d->dst[k]);
    }
    mix(&hash, (uint64_t)c->modulo << 1 | p->how.nowait);
    mix(&hash, p->core.steps);
    crl_recall_name(recall, c->problem, "negotiated", hash);
}

// ---------------------------------------------------------------- the schemes

// Many packets take more than in proportion: their ways are longer, too.
static uint32_t seconds_of(uint64_t packets)
{
    uint64_t more = packets / PACKETS_A_SECOND, many = packets / MANY;
    uint64_t effort = EFFORT + (more < MORE ? more : MORE) + 3 * many * many / 4;
    return effort < EFFORT_MAX ? (uint32_t)effort : EFFORT_MAX;
}

static uint32_t seconds(const struct crl_problem *problem) { return seconds_of(crl_problem_packets(problem)); }

// What it took to find the bound, which comes first.
static uint64_t steps_of_bound(const struct crl_problem *p)
{
    uint64_t flows = crl_topology_links(p->topology) * crl_topology_nodes(p->topology);
    if (crl_problem_has_demands(p) || crl_bound_exchange_applies(p))
        return flows <= SOLVED ? flows * STEPS_SOLVED : STEPS_TRAFFIC;
    return crl_topology_is_symmetric(p->topology) || !p->topology->graph || flows > PRICED ? 0 : flows * STEPS_PRICED;
}

static uint64_t steps_of(const struct crl_core *c)
{
    uint64_t bound = steps_of_bound(c->problem), effort = c->problem->effort;
    if (c->folded && c->packets < FEW) return CRL_CORE_STEPS_A_SECOND;
    uint64_t steps = (effort ? effort : seconds_of(c->packets)) * CRL_CORE_STEPS_A_SECOND;
    return bound < steps / 2 ? steps - bound : steps / 2;
}

// Lists, and searches for as long as it may.
static int find(struct planner *p, bool negotiates)
{
    const struct crl_context *context = p->core.problem->context;
    if (p->core.problem->keep) return keep(p);
    uint64_t begin = p->core.steps;
    int error = p->how.nowait && !p->core.gated ? 0 : list(p);
    if (error || !negotiates) return error;
    crl_context_hold(context, true);
    bool twice = p->core.gated && !p->how.nowait && crl_core_is_single(p->core.problem);
    error = twice && p->best.slots > p->bound ? search_both(p) : search(p);
    p->long_sought = !crl_context_cancelled(context) && begin - p->core.steps >= CRL_CORE_STEPS_A_SECOND / 8;
    crl_context_hold(context, false);
    return error;
}

static int write(struct planner *p, struct crl_schedule *schedule)
{
    if (p->best.slots == CRL_NONE) return CRL_ERR_UNSUPPORTED;
    crl_core_take(&p->best, &p->core);
    int error = crl_core_write(&p->core, schedule, 0);
    return error ? error : crl_schedule_sort(schedule);
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, bool negotiates, bool folded,
                struct crl_diag *diag)
{
    struct planner p = {.how.nowait = problem->nowait};
    struct crl_recall recall;
    schedule->folded = folded;
    int error = crl_core_init(&p.core, problem, 0, folded);
    if (!error) error = crl_core_plan_new(&p.best, &p.core);
    uint64_t bound = error ? 0 : crl_problem_bound_slots(problem);
    p.bound = bound ? (uint32_t)bound : 1;
    if (!error) p.core.steps = steps_of(&p.core);
    bool keeps = !error && negotiates && !p.core.folded && !problem->keep;
    if (keeps) name(&recall, &p);
    if (!keeps || !crl_recall(schedule, &recall)) {
        if (!error) error = find(&p, negotiates);
        if (!error) error = write(&p, schedule);
        if (!error && keeps && p.long_sought) crl_recall_store(schedule, &recall);
    }
    error = error ? fail(error, &p, diag) : 0;
    crl_pool_done(&p.best.pool);
    crl_core_done(&p.core);
    return error;
}

static int plan_list(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, false, false, diag);
}

static int plan_negotiated(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    return plan(schedule, problem, true, false, diag);
}

// What is planned for the packets of node 0 all nodes do with theirs, translated. Rings of even sides may keep that
// from the bound, as half of the packets that have to go half way round should go up; then all packets are planned.
static int plan_translates(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    enum { FEW_NODES = 64 };
    struct crl_schedule all = *schedule;
    int error = plan(schedule, problem, true, true, diag);
    if (error || schedule->topology->nodes > FEW_NODES) return error;
    if (crl_schedule_slots(schedule) <= crl_problem_bound_slots(problem)) return 0;
    error = plan(&all, problem, true, false, diag);
    if (!error && crl_schedule_slots(&all) < crl_schedule_slots(schedule)) {
        struct crl_schedule swap = *schedule;
        *schedule = all;
        all = swap;
    }
    crl_schedule_done(&all);
    return error;
}

static bool translates(const struct crl_problem *problem)
{
    return crl_topology_latency_max(problem->topology) > 1 && crl_problem_is_symmetric(problem);
}

const struct crl_algorithm crl_rows_core[] = {
    {"total-exchange", "latency", "product without paths, with link latencies",
     "load, late hops, farthest: docs/schedules.md", NULL,
     "translates of even paths, list scheduling, then negotiated congestion; N to 8192", .handles = CRL_HANDLES_LATENCY,
     .applies = translates, .plan = plan_translates, .symmetric = crl_is_any,
     .cost = {.nodes_max = 1 << 13, .row_ns = 1500, .search_s = 2}},
    {"traffic groups program total-exchange scatter gather partial-exchange partial-gather broadcast "
     "multinode-broadcast",
     "negotiated", "any", "the bound where tried", NULL,
     "even paths, list scheduling, then negotiated congestion; packets with several destinations by the last alone",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_NOWAIT | CRL_HANDLES_KEEP |
                CRL_HANDLES_SEARCH | CRL_HANDLES_EFFORT | CRL_HANDLES_CABLES,
     .applies = crl_core_fits, .plan = plan_negotiated,
     .cost = {.row_ns = 1500, .search_s = EFFORT, .pair_bytes = 8, .port_bytes = 60}, .seconds = seconds},
    {"traffic groups program total-exchange scatter gather partial-exchange partial-gather", "list", "any", NULL, NULL,
     "even paths, then for each hop the first slot that is free, by turns forwards and backwards",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_CABLES,
     .applies = crl_core_fits, .plan = plan_list, .cost = {.row_ns = 1500, .pair_bytes = 8, .port_bytes = 60}},
    {0}};
