// SPDX-License-Identifier: Apache-2.0
// At most ceil(L/g) messages are in flight from, and at most as many to, one processor.
#include "base/base.h"
#include "machine/logp/check.h"

// `order` is processor by processor and by time; of a message the processor is its sender's, or its receiver's.
static void look(struct crl_logp_check *check, const uint32_t *order, bool sender, uint64_t most)
{
    const struct crl_logp_send *sends = check->schedule->sends;
    uint32_t L = check->problem->machine.L, before = CRL_NONE;
    char text[CRL_MOVE_TEXT];
    // Those that fly with a message are the last before it.
    for (uint32_t i = 0, first = 0; i < check->good && L; i++) {
        const struct crl_logp_send *s = &sends[order[i]];
        uint32_t processor = sender ? s->src : s->dst;
        if (processor != before) first = i;
        before = processor;
        while (sends[order[first]].time + (uint64_t)L <= s->time) first++;
        if (i - first + 1 > most)
            crl_logp_find(check, CRL_FINDING_CAPACITY, order[i], "%s; then %u messages fly %s %u, but at most %llu can",
                          crl_logp_send_text(s, text), i - first + 1, sender ? "from" : "to", processor,
                          (unsigned long long)most);
    }
}

void crl_logp_rule_capacity(struct crl_logp_check *check)
{
    const struct crl_logp *m = &check->problem->machine;
    uint64_t most = crl_ceil_div(m->L, m->g);
    look(check, check->sent, true, most);
    look(check, check->arrived, false, most + check->schedule->buffered);
}
