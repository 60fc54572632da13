// SPDX-License-Identifier: Apache-2.0
// A message is received when it has flown for L; in the buffered model (K93 Sec. 3.5) it may wait.
#include "machine/logp/check.h"

void crl_logp_rule_latency(struct crl_logp_check *check)
{
    const struct crl_logp *m = &check->problem->machine;
    bool may_wait = check->schedule->buffered && check->problem->kind == CRL_LOGP_K_ITEM;
    char text[CRL_MOVE_TEXT];
    for (size_t i = 0; i < check->schedule->count; i++) {
        const struct crl_logp_send *s = &check->schedule->sends[i];
        uint64_t arrival = (uint64_t)s->time + m->o + m->L;
        if (s->rtime < arrival || (!may_wait && s->rtime > arrival))
            crl_logp_find(check, CRL_FINDING_LATENCY, i, "%s, which receives it at %u, but it arrives at %llu",
                          crl_logp_send_text(s, text), s->rtime, (unsigned long long)arrival);
    }
}
