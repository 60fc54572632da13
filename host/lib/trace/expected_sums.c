// SPDX-License-Identifier: Apache-2.0
// The link words of a schedule with sums: every node's sums slot by slot, in the order own value, slot, port.
#include "lower/lower.h"
#include "trace/trace.h"
#include <stdlib.h>

struct crl_expected_sums {
    const struct crl_problem *problem;
    const struct crl_geometry *geometry;
    struct crl_sums sums;
    uint32_t *sent, *taken; // hops in the order in which they are sent, and in which they arrive
    uint64_t *held;         // [nodes][chunks] what a node sends
    uint64_t *word;         // [hops] what was sent
    size_t begun, ended;    // of `sent`: those of the slot that is being played
    size_t arrived;         // of `taken`
};

static uint64_t key_sent(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].slot; }
static uint64_t key_taken(const void *hops, uint32_t i) { return ((const struct crl_sum_hop *)hops)[i].arrival; }

int crl_expected_sums_new(struct crl_expected_sums **out, const struct crl_schedule *schedule,
                          const struct crl_problem *problem, const struct crl_geometry *geometry, struct crl_diag *diag)
{
    struct crl_expected_sums *s = *out = calloc(1, sizeof *s);
    if (!s) return crl_fail_memory(diag);
    s->problem = problem;
    s->geometry = geometry;
    int error = crl_sums_init(&s->sums, schedule, problem, diag);
    if (error) return error;
    uint32_t count = (uint32_t)s->sums.count;
    s->sent = malloc(sizeof *s->sent * (s->sums.count + 1));
    s->taken = malloc(sizeof *s->taken * (s->sums.count + 1));
    s->held = malloc(sizeof *s->held * problem->chunks * crl_topology_nodes(problem->topology));
    s->word = malloc(sizeof *s->word * (s->sums.count + 1));
    if (!s->sent || !s->taken || !s->held || !s->word) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < count; i++) s->sent[i] = s->taken[i] = i;
    error = crl_sort_order(s->sent, count, key_sent, s->sums.hop, UINT32_MAX);
    if (!error) error = crl_sort_order(s->taken, count, key_taken, s->sums.hop, UINT32_MAX);
    return error ? crl_fail_memory(diag) : 0;
}

void crl_expected_sums_free(struct crl_expected_sums *s)
{
    if (!s) return;
    crl_sums_done(&s->sums);
    CRL_FREE(s->sent, s->taken, s->held, s->word, s);
}

static uint64_t *held(const struct crl_expected_sums *s, uint32_t node, uint32_t chunk)
{
    return &s->held[(size_t)node * s->problem->chunks + chunk];
}

static void begin(struct crl_expected_sums *s, const struct crl_permutation *payload, uint32_t word)
{
    uint32_t nodes = crl_topology_nodes(s->problem->topology);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t c = 0; c < s->problem->chunks; c++)
            *held(s, v, c) =
                crl_permutation_at(payload, crl_chunk_number(s->problem, v, c) * s->geometry->words + word);
    s->begun = s->ended = s->arrived = 0;
}

static void take_sum(struct crl_expected_sums *s, uint32_t index)
{
    const struct crl_sum_hop *h = &s->sums.hop[index];
    uint64_t *sum = held(s, h->dst, h->chunk);
    if (h->effect & CRL_SUM_SETS) *sum = s->word[index];
    if (h->effect & CRL_SUM_ADDS) *sum = crl_op_apply(s->problem->op, s->geometry->data_width, *sum, s->word[index]);
}

void crl_expected_sums_slot(struct crl_expected_sums *s, const struct crl_permutation *payload, uint32_t word,
                            uint32_t slot)
{
    const struct crl_sum_hop *hop = s->sums.hop;
    if (slot == 1) begin(s, payload, word);
    for (; s->arrived < s->sums.count && hop[s->taken[s->arrived]].arrival < slot; s->arrived++)
        take_sum(s, s->taken[s->arrived]);
    for (s->begun = s->ended; s->ended < s->sums.count && hop[s->sent[s->ended]].slot == slot; s->ended++) {
        const struct crl_sum_hop *h = &hop[s->sent[s->ended]];
        s->word[s->sent[s->ended]] = *held(s, h->src, h->chunk);
    }
}

void crl_expected_sums_send(const struct crl_expected_sums *s, uint32_t phase, uint32_t *valid, uint64_t *data)
{
    for (size_t i = s->begun; i < s->ended; i++) {
        const struct crl_sum_hop *h = &s->sums.hop[s->sent[i]];
        if (phase != CRL_NONE && h->port / s->geometry->lanes != phase) continue;
        valid[h->src] |= UINT32_C(1) << h->port;
        data[(size_t)h->src * s->geometry->ports + h->port] = s->word[s->sent[i]];
    }
}
