// SPDX-License-Identifier: Apache-2.0
// In a buffered schedule at most one message waits at a processor after it received.
#include "machine/logp/check.h"

enum { WAITING_MOST = 1 };

void crl_logp_rule_waiting(struct crl_logp_check *check)
{
    if (!check->schedule->buffered) return;
    const struct crl_logp *m = &check->problem->machine;
    const struct crl_logp_send *sends = check->schedule->sends;
    uint32_t count = check->good;
    const uint32_t *order = check->arrived;
    uint64_t flight = (uint64_t)m->o + m->L;
    char text[CRL_MOVE_TEXT];
    // The queue of those that came to this processor and are not received yet, in order[first…i].
    for (uint32_t i = 0, first = 0, next; i < count; i = next) {
        const struct crl_logp_send *s = &sends[order[i]];
        uint64_t now = s->time + flight, waiting = 0;
        for (next = i + 1; next < count && sends[order[next]].dst == s->dst && sends[order[next]].time == s->time;)
            next++;
        while (first < i && (sends[order[first]].dst != s->dst || sends[order[first]].rtime <= now)) first++;
        for (uint32_t k = first; k < next; k++) waiting += sends[order[k]].rtime > now;
        if (waiting > check->report->waiting) check->report->waiting = waiting;
        if (waiting > WAITING_MOST)
            crl_logp_find(check, CRL_FINDING_WAITING, order[next - 1], "%s, where %llu messages wait at %llu",
                          crl_logp_send_text(&sends[order[next - 1]], text), (unsigned long long)waiting,
                          (unsigned long long)now);
    }
}
