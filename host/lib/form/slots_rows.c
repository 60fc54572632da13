// SPDX-License-Identifier: Apache-2.0
// Slot tables for programs that play them by other means: the rows of all nodes, one by one.
#include "form/slots.h"
#include "topology/logp.h"

int carillon_topology_nodes(const char *topology, uint32_t *nodes, struct crl_diag *diag)
{
    struct crl_topology *t;
    if (crl_logp_named(topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "'%s' is a machine without links", topology);
    int error = crl_topology_parse(&t, topology, diag);
    *nodes = error ? 0 : crl_topology_nodes(t);
    crl_topology_free(t);
    return error;
}

int slots_rows(const struct carillon_schedule *schedule, void (*take)(void *user, const struct carillon_row *row),
               void *user, struct crl_diag *diag)
{
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    struct crl_schedule full = {0};
    int error = s->folded ? crl_schedule_expand(&full, s, diag) : 0;
    if (s->folded) s = &full;
    for (size_t i = 0; i < s->count && !error; i++) {
        const struct crl_move *m = &s->moves[i];
        take(user, &(struct carillon_row){m->slot, m->src, m->dst, m->origin, m->dest, crl_move_port(s, m),
                                          crl_arrival_slot(s->topology, m->slot, m->src, m->dst)});
    }
    crl_schedule_done(&full);
    return error;
}
