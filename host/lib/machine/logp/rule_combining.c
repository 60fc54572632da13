// SPDX-License-Identifier: Apache-2.0
// Combining broadcast: everybody ends with everybody's value, each exactly once. The values are random numbers and the
// operator is addition modulo a prime: a sum that is right by chance although a value is in it twice, or not at all,
// has a probability of 2^-61 a processor. Where a sum is wrong, its values are counted.
#include "base/base.h"
#include "machine/logp/check.h"
#include <stdlib.h>

#define PRIME ((UINT64_C(1) << 61) - 1)

struct combining {
    struct crl_logp_check *check;
    uint64_t *value, *received; // [P] own value; combination of what came in so far
    uint64_t *payload;          // [count] of each send
    bool *got;                  // [P] whether anything came in
    uint64_t *held, *times;     // [P] used to count values
};

static uint64_t add(uint64_t a, uint64_t b) { return (a + b) % PRIME; }

static uint64_t own_value(uint32_t processor)
{
    enum { BITS = 60 };
    return crl_permute(processor, BITS, 61);
}

static void play(struct combining *c)
{
    struct crl_logp_check *check = c->check;
    const struct crl_logp_send *sends = check->schedule->sends;
    size_t count = check->schedule->count, in = 0; // messages come in in the order in which they were sent
    uint64_t flight = crl_logp_flight(&check->problem->machine);
    char text[CRL_MOVE_TEXT];
    for (size_t i = 0; i <= count; i++) {
        for (; in < i && (i == count || sends[in].time + flight <= sends[i].time); in++)
            if (!check->bad[in]) {
                c->received[sends[in].dst] = add(c->received[sends[in].dst], c->payload[in]);
                c->got[sends[in].dst] = true;
            }
        if (i == count || check->bad[i]) continue;
        const struct crl_logp_send *s = &sends[i];
        c->payload[i] = c->received[s->src];
        if (s->item == 0) c->payload[i] = add(c->payload[i], c->value[s->src]);
        else if (!c->got[s->src])
            crl_logp_find(check, CRL_FINDING_EMPTY, i, "%s, but has received nothing", crl_logp_send_text(s, text));
    }
}

static uint64_t saturated(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// How often each value is in the result of one processor, by going back in time: held[q] is how often what q has
// received by then counts.
static void count_values(struct combining *c, uint32_t processor)
{
    struct crl_logp_check *check = c->check;
    const struct crl_logp_send *sends = check->schedule->sends;
    uint64_t flight = crl_logp_flight(&check->problem->machine);
    for (uint32_t q = 0; q < check->problem->machine.P; q++) c->held[q] = c->times[q] = 0;
    c->held[processor] = c->times[processor] = 1;
    // payload[i] becomes how often message i counts: known when the walk passes the moment at which it came in.
    size_t in = check->schedule->count;
    for (size_t i = in; i-- > 0;) {
        for (; in > 0 && sends[in - 1].time + flight > sends[i].time; in--)
            if (!check->bad[in - 1]) c->payload[in - 1] = c->held[sends[in - 1].dst];
        if (check->bad[i]) continue;
        c->held[sends[i].src] = saturated(c->held[sends[i].src], c->payload[i]);
        if (sends[i].item == 0) c->times[sends[i].src] = saturated(c->times[sends[i].src], c->payload[i]);
    }
}

static void explain(struct combining *c, uint32_t processor)
{
    count_values(c, processor);
    for (uint32_t q = 0; q < c->check->problem->machine.P; q++) {
        if (c->times[q] == 0)
            crl_logp_find(c->check, CRL_FINDING_NOT_COMBINED, SIZE_MAX, "processor %u's result lacks the value of %u",
                          processor, q);
        else if (c->times[q] > 1)
            crl_logp_find(c->check, CRL_FINDING_COMBINED_TWICE, SIZE_MAX,
                          "processor %u's result has the value of %u %llu times", processor, q,
                          (unsigned long long)c->times[q]);
    }
}

static void judge(struct combining *c)
{
    uint32_t P = c->check->problem->machine.P;
    const size_t *listed = c->check->sink.listed;
    uint64_t all = 0;
    for (uint32_t q = 0; q < P; q++) all = add(all, c->value[q]);
    for (uint32_t q = 0; q < P; q++) {
        if (add(c->received[q], c->value[q]) == all) continue;
        if (listed[CRL_FINDING_NOT_COMBINED] + listed[CRL_FINDING_COMBINED_TWICE] < CRL_FINDINGS_LISTED) explain(c, q);
        else crl_sink_more(&c->check->sink, CRL_FINDING_NOT_COMBINED, 1);
    }
}

void crl_logp_rule_combining(struct crl_logp_check *check)
{
    uint32_t P = check->problem->machine.P;
    CRL_OWNED uint64_t *words = calloc((size_t)P * 4 + check->schedule->count + 1, sizeof *words);
    struct combining c = {check,
                          words,
                          words + P,
                          words + (size_t)P * 4,
                          calloc(P, sizeof(bool)),
                          words + (size_t)P * 2,
                          words + (size_t)P * 3};
    if (words && c.got) {
        for (uint32_t q = 0; q < P; q++) c.value[q] = own_value(q);
        play(&c);
        judge(&c);
    } else {
        check->sink.out_of_memory = true;
    }
    free(c.got);
}
