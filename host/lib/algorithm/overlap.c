// SPDX-License-Identifier: Apache-2.0
// All-reduce on any network. Where reduce-scatter and all-gather one after the other may reach the bound, or several of
// the default schedules do, these come first; else trees that overlap (algorithm/overlap.h). Of more chunks than can be
// planned together, as many at a time. What is found is kept in the cache.
#include "algorithm/overlap.h"
#include "algorithm/algorithm.h"
#include "base/base.h"
#include "schedule/recall.h"

enum {
    NODES_MAX = 4096,
    EFFORT = 8,         // seconds, unless said, at most,
    ITEMS_A_SECOND = 96 // and so many items for each of them
};

// Chunks that are planned together, at most: with translations those of all nodes are as one.
static uint32_t together(const struct crl_topology *t)
{
    uint32_t most = CRL_OVERLAP_ITEMS / (2 * t->nodes);
    return most < t->nodes && t->nodes <= NODES_MAX && crl_topology_is_symmetric(t) ? t->nodes : most;
}

// As many chunks at a time as are said, by the default schemes for these, and then the rest.
static int plan_blocks(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t size,
                       struct crl_diag *diag)
{
    struct crl_problem some = *problem;
    const struct crl_algorithm *algorithm;
    uint32_t slots = 0;
    int error = 0;
    schedule->folded = false;
    for (uint32_t first = 0; first < problem->chunks && !error;) {
        struct crl_schedule block = {0};
        some.chunks = problem->chunks - first < size ? problem->chunks - first : size;
        error = crl_algorithm_find(&algorithm, &some, NULL, diag);
        if (!error) error = crl_plan(&block, algorithm, &some, diag);
        if (!error) error = crl_schedule_unfold(&block, diag);
        uint32_t more = error ? 0 : crl_schedule_slots(&block);
        for (bool full = true; full && first < problem->chunks && !error; first += some.chunks, slots += more) {
            crl_schedule_append(schedule, &block, slots, first);
            full = some.chunks == size && problem->chunks - first >= 2 * (uint64_t)size;
        }
        crl_schedule_done(&block);
    }
    return error;
}

// Looks for fewer slots than the schedule has, where it is one; or takes what was found before, also if that was
// nothing.
static int improve(struct crl_schedule *schedule, const struct crl_problem *problem, bool is_one)
{
    uint64_t effort_ms = 2000 * (uint64_t)problem->topology->nodes * problem->chunks / ITEMS_A_SECOND;
    if (effort_ms > EFFORT * 1000) effort_ms = EFFORT * 1000;
    if (problem->effort) effort_ms = problem->effort * UINT64_C(1000);
    struct crl_recall recall;
    crl_recall_name(&recall, problem, "overlap", crl_mix(effort_ms) ^ problem->chunks);
    if (crl_recall(schedule, &recall)) return 0;
    uint32_t end = is_one ? crl_schedule_slots(schedule) : CRL_NONE;
    int error = crl_overlap_search(schedule, problem, (uint32_t)effort_ms, end);
    if (error == CRL_ERR_UNSUPPORTED && is_one) error = 0;
    if (!error) error = crl_schedule_sort(schedule);
    if (!error) crl_schedule_fold(schedule); // as it will be when it is read
    if (!error) crl_recall_store(schedule, &recall);
    return error;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    const struct crl_topology *t = problem->topology;
    uint32_t slots = CRL_NONE, most = together(t);
    bool is_one = !problem->hosts && (crl_topology_is_symmetric(t) || problem->ports == CRL_PORTS_SINGLE);
    int error = 0;
    if (problem->chunks > most) return plan_blocks(schedule, problem, most > t->nodes ? most : t->nodes, diag);
    if (is_one && problem->chunks > t->nodes) {
        error = plan_blocks(schedule, problem, t->nodes, diag);
        schedule->scheme = "blocks";
    } else if (is_one) {
        error = crl_plan_all_reduce_twice(schedule, problem, diag);
        schedule->scheme = "twice";
    }
    if (is_one && !error) slots = crl_schedule_slots(schedule);
    if (error || slots <= crl_problem_bound_slots(problem)) return error;
    const char *scheme = schedule->scheme;
    error = improve(schedule, problem, is_one);
    schedule->scheme = !error && crl_schedule_slots(schedule) < slots ? "overlap" : scheme;
    if (error == CRL_ERR_MEMORY) return crl_fail_memory(diag);
    return error ? crl_fail(diag, error, "no all-reduce on %s was found", crl_topology_name(t)) : 0;
}

// Twice as many slots as all-gather claims may be the bound: then that is the scheme, whose schedules may be folded.
static bool twice_is_best(const struct crl_problem *problem)
{
    struct crl_problem spread;
    const struct crl_algorithm *algorithm;
    if (problem->chunks != problem->topology->nodes || !crl_topology_is_symmetric(problem->topology)) return false;
    if (crl_problem_init(&spread, "multinode-broadcast", problem->topology, 0, problem->ports, NULL)) return false;
    if (crl_algorithm_find(&algorithm, &spread, NULL, NULL)) return false;
    uint64_t claim = crl_plan_claim(algorithm, &spread);
    return claim != UINT64_MAX && 2 * claim <= crl_problem_bound_slots(problem);
}

// Nodes that do not add must be dead.
static bool has_switches(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    bool linked = false;
    for (uint32_t v = 0; v < t->nodes && problem->hosts; v++)
        for (uint32_t p = 0; p < t->ports && !crl_problem_is_host(problem, v); p++)
            linked |= crl_topology_neighbor(t, v, p) != CRL_NONE;
    return linked;
}

static bool applies_overlap(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    bool large = problem->chunks > together(t) && problem->chunks <= t->nodes;
    return !large && !has_switches(problem) && t->nodes > 1 && !twice_is_best(problem);
}

// The trees of one chunk may do for all where the ends of a link with two directions swap in the middle of an odd
// number of slots; of an even number that is the scheme "twice".
static bool folds(const struct crl_problem *problem)
{
    const struct crl_topology *t = problem->topology;
    uint64_t slots = crl_ceil_div(2 * (t->nodes - UINT64_C(1)), t->ports);
    bool two = false;
    for (uint32_t i = 0; i < t->factor_count; i++) two |= t->factor[i].size > 2;
    return two && problem->ports == CRL_PORTS_ALL && slots % 2 && slots / 2 * t->ports >= t->nodes - 2;
}

const struct crl_algorithm crl_rows_overlap[] = {
    {"all-reduce", "overlap", "any", "the bound, or a few slots more, where tried", "after B91 Sec. 2",
     "sums come together and spread over trees that overlap in time; else in blocks, or as twice",
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_EFFORT, .applies = applies_overlap, .plan = plan,
     .symmetric = folds, .cost = {.search_s = 10, .quick_nodes = 6}},
    {0}};
