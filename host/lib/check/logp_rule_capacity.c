// SPDX-License-Identifier: Apache-2.0
// At most ceil(L/g) messages are in flight from, and at most as many to, one processor.
#include "base/base.h"
#include "check/logp_check.h"
#include <stdlib.h>

static uint64_t key_src(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].src; }
static uint64_t key_dst(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].dst; }

static void look(struct crl_logp_check *check, crl_logp_key_fn *key, uint64_t most, const char *which)
{
    uint32_t count, *order = crl_logp_order(check, key, CRL_LOGP_P_MAX, &count);
    const struct crl_logp_send *sends = check->schedule->sends;
    char text[96];
    // Within a processor by time of sending: those in flight with a message are the last before it.
    for (uint32_t i = 0, first = 0; order && i < count; i++) {
        const struct crl_logp_send *s = &sends[order[i]];
        uint64_t processor = key(sends, order[i]);
        while (key(sends, order[first]) != processor ||
               (first < i && sends[order[first]].time + (uint64_t)check->problem->machine.L <= s->time))
            first++;
        if (check->problem->machine.L && i - first + 1 > most)
            crl_logp_find(check, CRL_FINDING_CAPACITY, order[i], "%s; then %u messages fly %s %u, but at most %llu can",
                          crl_logp_send_text(s, text), i - first + 1, which, (uint32_t)processor,
                          (unsigned long long)most);
    }
    free(order);
}

void crl_logp_rule_capacity(struct crl_logp_check *check)
{
    const struct crl_logp *m = &check->problem->machine;
    uint64_t most = crl_ceil_div(m->L, m->g);
    look(check, key_src, most, "from");
    look(check, key_dst, most + check->schedule->buffered, "to");
}
