// SPDX-License-Identifier: Apache-2.0
// Which rows solve a problem. Everybody who chooses, lists, compares or refuses asks here.
#include "algorithm/algorithm.h"
#include "topology/topology.h"
#include <string.h>

bool crl_algorithm_names(const struct crl_algorithm *algorithm, const char *collective)
{
    size_t length = strlen(collective);
    for (const char *at = algorithm->collectives; (at = strstr(at, collective)); at += length)
        if ((at == algorithm->collectives || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

// Backwards, what switches copy they would have to add.
static bool turns_there(const struct crl_problem *problem) { return !problem->hosts || !crl_problem_sums(problem); }

static bool turns(const struct crl_algorithm *a) { return !(a->handles & (CRL_HANDLES_ONLINE | CRL_HANDLES_ONE_WAY)); }

bool crl_algorithm_serves(const struct crl_algorithm *algorithm, const char *collective)
{
    const char *turned = crl_collective_turned(collective);
    return crl_algorithm_names(algorithm, collective) ||
           (turned && turns(algorithm) && crl_algorithm_names(algorithm, turned));
}

// What a problem needs that not every scheme handles.
static uint32_t needs(const struct crl_problem *problem)
{
    return (crl_topology_latency_max(problem->topology) > 1 ? CRL_HANDLES_LATENCY : 0) |
           (crl_topology_is_cabled(problem->topology) ? CRL_HANDLES_CABLES : 0) |
           (problem->hosts ? CRL_HANDLES_HOSTS : 0) | (problem->parts > 1 ? CRL_HANDLES_PARTS : 0) |
           (problem->nowait ? CRL_HANDLES_NOWAIT : 0) | (problem->keep ? CRL_HANDLES_KEEP : 0);
}

static uint32_t handled(const struct crl_algorithm *a)
{
    return a->handles | (a->router == CRL_ROUTER_NOWAIT ? CRL_HANDLES_NOWAIT : 0);
}

static bool applies(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    return crl_algorithm_names(a, crl_problem_name(problem)) && (!a->ports || a->ports >> problem->ports & 1) &&
           !(needs(problem) & ~handled(a)) && (!a->splits || a->splits(problem->topology) == problem->parts) &&
           (!a->applies || a->applies(problem));
}

static bool takes(const struct crl_algorithm *a, const struct crl_problem *problem)
{
    return !a->cost.nodes_max || crl_topology_nodes(problem->topology) <= a->cost.nodes_max;
}

// The rows that solve such problems, of whatever size.
static size_t rows_for(const struct crl_algorithm **out, const struct crl_problem *problem)
{
    struct crl_turned turned;
    bool has_turned = crl_collective_turned(crl_problem_name(problem)) && turns_there(problem) &&
                      !crl_problem_turned(&turned, problem);
    size_t all = crl_algorithms_all(out), count = 0;
    for (size_t i = 0; i < all; i++) {
        const struct crl_algorithm *a = out[i];
        bool direct = crl_algorithm_names(a, crl_problem_name(problem));
        if (direct ? applies(a, problem) : has_turned && turns(a) && applies(a, &turned.problem)) out[count++] = a;
    }
    if (has_turned) crl_problem_turned_done(&turned);
    return count;
}

size_t crl_algorithms_for(const struct crl_algorithm **out, const struct crl_problem *problem)
{
    size_t count = rows_for(out, problem), left = 0;
    for (size_t i = 0; i < count; i++)
        if (takes(out[i], problem)) out[left++] = out[i];
    return left;
}

bool crl_algorithm_fits(const struct crl_algorithm *algorithm, const char *collective,
                        const struct crl_topology *topology)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    struct crl_problem problem;
    for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
        if (crl_problem_init(&problem, collective, topology, 0, (enum crl_ports)ports, NULL)) return false;
        bool split = crl_problem_is_partial(&problem) || problem.collective->rule;
        problem.parts = split && algorithm->splits ? algorithm->splits(topology) : 1;
        size_t count = crl_algorithms_for(rows, &problem);
        for (size_t i = 0; i < count; i++)
            if (rows[i] == algorithm) return true;
    }
    return false;
}

uint32_t crl_algorithm_parts(const char *collective, const char *scheme, const struct crl_topology *topology)
{
    const struct crl_algorithm *a;
    for (size_t i = 0; (a = crl_algorithm_at(i)); i++)
        if (a->splits && !strcmp(a->scheme, scheme) && crl_algorithm_names(a, collective)) return a->splits(topology);
    return 1;
}

const struct crl_algorithm *crl_algorithm_for_router(const struct crl_problem *problem, enum crl_router router)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem);
    for (size_t i = 0; i < count; i++)
        if (rows[i]->router == router) return rows[i];
    return NULL;
}

const struct crl_algorithm *crl_algorithm_planned(const struct crl_problem *problem)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem), i = 0;
    while (i < count && crl_algorithm_is(rows[i], CRL_HANDLES_ONLINE)) i++;
    return i < count ? rows[i] : NULL;
}

// ---------------------------------------------------------------- refusals

// Names of the schemes, each once, for a message.
static void list_schemes(char schemes[300], const struct crl_algorithm *const *rows, size_t count)
{
    size_t length = 0;
    *schemes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (strcmp(rows[before]->scheme, rows[i]->scheme)) before++;
        if (before < i || length > 250) continue;
        length += (size_t)snprintf(schemes + length, 300 - length, "%s%s", length ? ", " : "", rows[i]->scheme);
    }
}

// Of those named `scheme` (NULL: all) the one that takes the most nodes.
static const struct crl_algorithm *largest(const struct crl_algorithm *const *rows, size_t count, const char *scheme)
{
    const struct crl_algorithm *best = NULL;
    for (size_t i = 0; i < count; i++)
        if ((!scheme || !strcmp(scheme, rows[i]->scheme)) && (!best || rows[i]->cost.nodes_max > best->cost.nodes_max))
            best = rows[i];
    return best;
}

static int refuse(const struct crl_problem *problem, const char *scheme, struct crl_diag *diag)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX], *of_size[CRL_ALGORITHMS_MAX];
    size_t count = rows_for(rows, problem), left = crl_algorithms_for(of_size, problem);
    const struct crl_algorithm *too_small = largest(rows, count, scheme);
    const struct crl_topology *t = problem->topology;
    const char *name = crl_problem_title(problem);
    struct carillon_nearest nearest = {.word = scheme};
    char schemes[300], hint[96];
    list_schemes(schemes, of_size, left);
    for (size_t i = 0; i < left && scheme; i++) crl_nearest_try(&nearest, of_size[i]->scheme);
    if (too_small)
        return crl_fail(diag, CRL_ERR_LIMIT, "%s on %s is too large: '%u' nodes, and scheme '%s' plans up to %u%s%s",
                        name, crl_topology_name(t), crl_topology_nodes(t), too_small->scheme, too_small->cost.nodes_max,
                        left ? "; of this size there is " : "", schemes);
    if (left)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "no scheme '%.80s' for %s on %s; there is %s%s", scheme, name,
                        crl_topology_name(t), schemes, crl_did_you_mean(&nearest, hint));
    if (problem->nowait || problem->keep)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no scheme for this %s on %s %s: leave out --%s", name,
                        crl_topology_name(t), problem->nowait ? "can do without waiting" : "begins with another plan",
                        problem->nowait ? "nowait" : "keep");
    if (crl_topology_shares_cables(t))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "no algorithm for %s on %s where links share a cable: --cable-each gives each link its own",
                        name, crl_topology_name(t));
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "no algorithm for %s on %s with %s ports; 'carillon list' shows what there is", name,
                    crl_topology_name(t), problem->ports == CRL_PORTS_ALL ? "all" : "single");
}

int crl_algorithm_find(const struct crl_algorithm **out, const struct crl_problem *problem, const char *scheme,
                       struct crl_diag *diag)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem), i = 0;
    while (i < count && scheme && strcmp(scheme, rows[i]->scheme)) i++;
    if (i == count) return refuse(problem, scheme, diag);
    *out = rows[i];
    return 0;
}

const char *crl_plan_folds_with(const struct crl_problem *problem)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    size_t count = crl_algorithms_for(rows, problem);
    for (size_t i = 0; i < count; i++)
        if (crl_plan_folds(rows[i], problem)) return rows[i]->scheme;
    return NULL;
}
