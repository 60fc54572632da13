// SPDX-License-Identifier: Apache-2.0
// Each item by itself: nobody sends it before having it, everybody who must have it gets it, nobody twice.
#include "machine/logp/check.h"
#include <stdlib.h>
#include <string.h>

static uint64_t key_item(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].item; }

// What is known of one item: since when each processor has it (UINT64_MAX: never), and the processors to reset.
struct replay {
    struct crl_logp_check *check;
    uint64_t *since;
    uint32_t *touched, touched_count;
};

static void has(struct replay *r, uint32_t processor, uint64_t time)
{
    if (r->since[processor] == UINT64_MAX) r->touched[r->touched_count++] = processor;
    if (time < r->since[processor]) r->since[processor] = time;
}

static void missing(struct replay *r, uint32_t item)
{
    struct crl_logp_check *check = r->check;
    uint32_t P = check->problem->machine.P, origin = crl_logp_item_origin(check->problem, item);
    if (r->touched_count == P) return;
    if (check->problem->kind == CRL_LOGP_ALL_TO_ALL_PERSONALIZED) {
        if (r->since[item % P] == UINT64_MAX)
            crl_logp_find(check, CRL_FINDING_MISSING, SIZE_MAX, "processor %u never gets item %u", item % P, item);
        return;
    }
    for (uint32_t q = 0; q < P; q++)
        if (q != origin && r->since[q] == UINT64_MAX)
            crl_logp_find(check, CRL_FINDING_MISSING, SIZE_MAX, "processor %u never gets item %u", q, item);
}

// Items first…end−1 have no rows at all.
static void no_rows(struct replay *r, uint64_t first, uint64_t end)
{
    struct crl_logp_check *check = r->check;
    bool to_one = check->problem->kind == CRL_LOGP_ALL_TO_ALL_PERSONALIZED;
    for (uint64_t item = first; item < end && check->problem->machine.P > 1; item++) {
        if (!crl_logp_item_exists(check->problem, (uint32_t)item)) continue;
        if (check->sink.listed[CRL_FINDING_MISSING] < CRL_FINDINGS_LISTED) missing(r, (uint32_t)item);
        else crl_sink_more(&check->sink, CRL_FINDING_MISSING, to_one ? 1 : check->problem->machine.P - 1);
    }
}

static void too_early(struct replay *r, const uint32_t *order, uint32_t count)
{
    char text[CRL_MOVE_TEXT];
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_logp_send *s = &r->check->schedule->sends[order[i]];
        uint64_t since = r->since[s->src];
        if (since <= s->time) continue;
        crl_logp_send_text(s, text);
        if (since == UINT64_MAX)
            crl_logp_find(r->check, CRL_FINDING_NEVER_HELD, order[i], "%s, but never gets it", text);
        else
            crl_logp_find(r->check, CRL_FINDING_TOO_EARLY, order[i], "%s, but has it only from %llu on", text,
                          (unsigned long long)since);
    }
}

static void in_vain(struct replay *r, const uint32_t *order, uint32_t count)
{
    char text[CRL_MOVE_TEXT];
    const struct crl_logp_problem *p = r->check->problem;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_logp_send *s = &r->check->schedule->sends[order[i]];
        uint64_t there = crl_logp_there(r->check, s);
        // Whoever has it before this message is in, or got it with another one then, has no need of it.
        if (r->since[s->dst] != there || s->dst == crl_logp_item_origin(p, s->item))
            crl_logp_find(r->check, CRL_FINDING_REDUNDANT, order[i], "%s, which already has it",
                          crl_logp_send_text(s, text));
        else if (there - crl_logp_item_since(p, s->item) > r->check->report->delay)
            r->check->report->delay = there - crl_logp_item_since(p, s->item);
    }
}

static void replay_all(struct replay *r, const uint32_t *order, uint32_t count)
{
    const struct crl_logp_send *sends = r->check->schedule->sends;
    uint64_t expected = 0;
    for (uint32_t at = 0, end; at < count; at = end) {
        uint32_t item = sends[order[at]].item;
        for (end = at; end < count && sends[order[end]].item == item;) end++;
        no_rows(r, expected, item);
        has(r, crl_logp_item_origin(r->check->problem, item), crl_logp_item_since(r->check->problem, item));
        for (uint32_t i = at; i < end; i++) has(r, sends[order[i]].dst, crl_logp_there(r->check, &sends[order[i]]));
        too_early(r, order + at, end - at);
        in_vain(r, order + at, end - at);
        missing(r, item);
        for (uint32_t i = 0; i < r->touched_count; i++) r->since[r->touched[i]] = UINT64_MAX;
        r->touched_count = 0;
        expected = item + UINT64_C(1);
    }
    no_rows(r, expected, crl_logp_items(r->check->problem));
}

void crl_logp_rule_items(struct crl_logp_check *check)
{
    uint32_t P = check->problem->machine.P, count;
    CRL_OWNED uint32_t *order = crl_logp_order(check, key_item, UINT32_MAX, &count);
    struct replay r = {check, malloc(sizeof(uint64_t) * P), malloc(sizeof(uint32_t) * P), 0};
    if (order && r.since && r.touched) {
        memset(r.since, 0xff, sizeof(uint64_t) * P);
        replay_all(&r, order, count);
    } else {
        check->sink.out_of_memory = true;
    }
    CRL_FREE(r.since, r.touched);
}
