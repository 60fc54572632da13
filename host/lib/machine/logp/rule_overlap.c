// SPDX-License-Identifier: Apache-2.0
// Unless processors are full-duplex, the overhead of a send and that of a reception do not overlap.
#include "machine/logp/check.h"

// Sends and receptions of all processors are walked side by side, by processor and time.
void crl_logp_rule_overlap(struct crl_logp_check *check)
{
    uint32_t o = check->problem->machine.o, first = 0;
    const struct crl_logp_send *sends = check->schedule->sends;
    if (!o || check->problem->full_duplex) return;
    char text[CRL_MOVE_TEXT];
    for (uint32_t i = 0; i < check->good; i++) {
        const struct crl_logp_send *in = &sends[check->received[i]];
        for (; first < check->good; first++) { // sends that are over by then are over for those after it
            const struct crl_logp_send *out = &sends[check->sent[first]];
            if (out->src > in->dst || (out->src == in->dst && out->time + (uint64_t)o > in->rtime)) break;
        }
        for (uint32_t k = first; k < check->good; k++) {
            const struct crl_logp_send *out = &sends[check->sent[k]];
            if (out->src != in->dst || out->time >= in->rtime + (uint64_t)o) break;
            crl_logp_find(check, CRL_FINDING_OVERLAP, check->received[i],
                          "%s, which is busy sending from %u to %u then", crl_logp_send_text(in, text), out->time,
                          out->time + o);
        }
    }
}
