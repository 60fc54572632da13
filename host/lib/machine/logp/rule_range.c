// SPDX-License-Identifier: Apache-2.0
// Numbers must be of the machine and of the problem, and no row may be there twice.
#include "machine/logp/check.h"

static bool is_good(struct crl_logp_check *check, size_t i)
{
    const struct crl_logp_send *s = &check->schedule->sends[i];
    uint32_t P = check->problem->machine.P;
    char text[CRL_MOVE_TEXT];
    bool good = s->src < P && s->dst < P && s->src != s->dst && crl_logp_item_exists(check->problem, s->item);
    if (good) return true; // the common case, without building a text
    crl_logp_send_text(s, text);
    if (s->src >= P || s->dst >= P) {
        crl_logp_find(check, CRL_FINDING_RANGE_NODE, i, "%s, but processors are 0 to %u", text, P - 1);
        return false;
    }
    if (!crl_logp_item_exists(check->problem, s->item))
        crl_logp_find(check, CRL_FINDING_RANGE_ITEM, i, "%s, but there is no such item", text);
    else crl_logp_find(check, CRL_FINDING_SELF_SEND, i, "%s, which is itself", text);
    return false;
}

void crl_logp_rule_range(struct crl_logp_check *check)
{
    const struct crl_logp_send *last = NULL;
    char text[CRL_MOVE_TEXT];
    for (size_t i = 0; i < check->schedule->count; i++) {
        const struct crl_logp_send *s = &check->schedule->sends[i];
        check->bad[i] = !is_good(check, i);
        if (last && last->time == s->time && last->src == s->src && last->dst == s->dst && last->item == s->item) {
            crl_logp_find(check, CRL_FINDING_DUPLICATE_ROW, i, "%s, as another row says", crl_logp_send_text(s, text));
            check->bad[i] = true;
        }
        last = s;
    }
}
