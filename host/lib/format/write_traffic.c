// SPDX-License-Identifier: Apache-2.0
// Traffic for network simulators: a message a line, with the time at which it is handed to its link.
#include "format/format.h"

int crl_write_traffic(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = plan->schedule;
    if (crl_problem_naming(plan->problem) == CRL_NAMING_RANGE)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s makes its packets on the way, which have no numbers",
                        crl_problem_title(plan->problem));
    fputs("time_ns,src,dst,packet\n", file);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        uint64_t packet = crl_problem_index(plan->problem, m->origin, m->dest);
        fprintf(file, "%llu,%u,%u,%llu\n", (unsigned long long)((uint64_t)(m->slot - 1) * plan->slot_ns), m->src,
                m->dst, (unsigned long long)packet);
    }
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the traffic") : 0;
}
