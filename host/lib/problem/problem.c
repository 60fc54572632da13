// SPDX-License-Identifier: Apache-2.0
#include "problem/problem.h"
#include <string.h>

const struct crl_collective crl_collectives[] = {
    {"broadcast", NULL, CRL_NAMING_ORIGIN, false, true, crl_bound_broadcast, crl_transmissions_broadcast},
    {"multinode-broadcast", "all-gather", CRL_NAMING_ORIGIN, true, true, crl_bound_multinode_broadcast,
     crl_transmissions_multinode_broadcast},
    {"scatter", NULL, CRL_NAMING_PAIR, false, true, crl_bound_rooted, crl_transmissions_rooted},
    {"gather", NULL, CRL_NAMING_PAIR, true, false, crl_bound_rooted, crl_transmissions_rooted},
    {"total-exchange", "all-to-all", CRL_NAMING_PAIR, true, true, crl_bound_total_exchange,
     crl_transmissions_total_exchange},
};
const size_t crl_collectives_count = sizeof crl_collectives / sizeof *crl_collectives;

static const struct crl_collective *collective_named(const char *name)
{
    for (size_t i = 0; i < crl_collectives_count; i++) {
        const struct crl_collective *c = &crl_collectives[i];
        if (!strcmp(name, c->name) || (c->alias && !strcmp(name, c->alias))) return c;
    }
    return NULL;
}

bool crl_collective_known(const char *name) { return collective_named(name); }

int crl_problem_init(struct crl_problem *problem, const char *name, const struct crl_topology *topology, uint32_t root,
                     enum crl_ports ports, struct crl_diag *diag)
{
    memset(problem, 0, sizeof *problem);
    problem->collective = collective_named(name);
    if (!problem->collective)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "unknown algorithm '%.80s'; 'carillon list' shows what there is", name);
    if (root >= crl_topology_nodes(topology))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "root '%u' is not a node of %s, whose nodes are 0 to %u", root,
                        crl_topology_name(topology), crl_topology_nodes(topology) - 1);
    problem->topology = topology;
    problem->root = root;
    problem->ports = ports;
    return 0;
}

const char *crl_problem_name(const struct crl_problem *problem) { return problem->collective->name; }
enum crl_naming crl_problem_naming(const struct crl_problem *problem) { return problem->collective->naming; }

bool crl_problem_is_symmetric(const struct crl_problem *problem)
{
    const struct crl_collective *c = problem->collective;
    return c->all_origins && c->all_dests && crl_topology_is_symmetric(problem->topology);
}

uint64_t crl_problem_packets(const struct crl_problem *problem)
{
    const struct crl_collective *c = problem->collective;
    uint64_t n = crl_topology_nodes(problem->topology);
    if (c->naming == CRL_NAMING_ORIGIN) return c->all_origins ? n : 1;
    return c->all_origins && c->all_dests ? n * (n - 1) : n - 1;
}

// The i-th node other than `without`, and back.
static uint32_t skip(uint64_t i, uint32_t without) { return (uint32_t)(i + (i >= without)); }
static uint64_t unskip(uint32_t node, uint32_t without) { return (uint64_t)node - (node > without); }

void crl_problem_packet(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest)
{
    const struct crl_collective *c = problem->collective;
    uint64_t others = crl_topology_nodes(problem->topology) - UINT64_C(1);
    *dest = 0;
    if (c->naming == CRL_NAMING_ORIGIN) {
        *origin = c->all_origins ? (uint32_t)index : problem->root;
    } else if (!c->all_origins) {
        *origin = problem->root;
        *dest = skip(index, problem->root);
    } else if (!c->all_dests) {
        *origin = skip(index, problem->root);
        *dest = problem->root;
    } else {
        *origin = (uint32_t)(index / others);
        *dest = skip(index % others, *origin);
    }
}

uint64_t crl_problem_index(const struct crl_problem *problem, uint32_t origin, uint32_t dest)
{
    const struct crl_collective *c = problem->collective;
    uint32_t nodes = crl_topology_nodes(problem->topology);
    if (origin >= nodes || dest >= nodes) return UINT64_MAX;
    if (!c->all_origins && origin != problem->root) return UINT64_MAX;
    if (c->naming == CRL_NAMING_ORIGIN) return dest ? UINT64_MAX : c->all_origins ? origin : 0;
    if (origin == dest || (!c->all_dests && dest != problem->root)) return UINT64_MAX;
    if (!c->all_origins) return unskip(dest, origin);
    if (!c->all_dests) return unskip(origin, dest);
    return (uint64_t)origin * (nodes - 1) + unskip(dest, origin);
}

bool crl_problem_wants(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node)
{
    (void)origin;
    return problem->collective->naming == CRL_NAMING_ORIGIN || node == dest;
}

uint64_t crl_problem_wanted(const struct crl_problem *problem, uint32_t node)
{
    const struct crl_collective *c = problem->collective;
    uint64_t n = crl_topology_nodes(problem->topology);
    if (c->naming == CRL_NAMING_ORIGIN) return c->all_origins ? n : 1;
    if (!c->all_origins) return node != problem->root;
    if (!c->all_dests) return node == problem->root ? n - 1 : 0;
    return n - 1;
}

uint64_t crl_problem_bound_slots(const struct crl_problem *problem)
{
    return problem->collective->bound_slots(problem);
}

uint64_t crl_problem_bound_transmissions(const struct crl_problem *problem)
{
    return problem->collective->bound_transmissions(problem);
}
