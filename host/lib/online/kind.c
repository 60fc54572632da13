// SPDX-License-Identifier: Apache-2.0
// Which problems on-line routers solve.
#include "online/online.h"
#include <string.h>

enum crl_online_kind crl_online_kind_of(const struct crl_problem *problem)
{
    static const struct {
        const char *name;
        enum crl_online_kind kind;
    } kinds[] = {
        {"partial-multinode-broadcast", CRL_ONLINE_BROADCAST},
        {"partial-exchange", CRL_ONLINE_EXCHANGE},
        {"prefix", CRL_ONLINE_PREFIX},
        {"packing", CRL_ONLINE_PACKING},
        {"monotone-routing", CRL_ONLINE_ROUTING},
        {"line-broadcast", CRL_ONLINE_LINES},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(crl_problem_name(problem), kinds[i].name)) return kinds[i].kind;
    return CRL_ONLINE_NOTHING;
}

int crl_online_run(struct crl_online_run *run, const struct crl_problem *problem, bool balanced, uint32_t depth,
                   const uint32_t *values, struct crl_diag *diag)
{
    struct crl_mesh mesh;
    *run = (struct crl_online_run){0};
    if (!crl_mesh_of(&mesh, problem->topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array",
                        crl_topology_name(problem->topology));
    switch (crl_online_kind_of(problem)) {
    case CRL_ONLINE_BROADCAST: return crl_online_broadcast(run, problem, depth, diag);
    case CRL_ONLINE_EXCHANGE: return crl_online_exchange(run, problem, balanced, depth, diag);
    case CRL_ONLINE_PREFIX: return crl_online_prefix(run, problem, values, diag);
    case CRL_ONLINE_PACKING:
    case CRL_ONLINE_ROUTING: return crl_online_routing(run, problem, diag);
    case CRL_ONLINE_LINES: return crl_online_lines(run, problem, depth, diag);
    default: return crl_fail(diag, CRL_ERR_UNSUPPORTED, "no on-line router does %s", crl_problem_title(problem));
    }
}
