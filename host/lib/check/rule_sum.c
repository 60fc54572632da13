// SPDX-License-Identifier: Apache-2.0
// Sums, shared out by chunks.
#include "base/base.h"
#include "base/parallel.h"
#include "check/replay_sum.h"
#include <stdlib.h>

struct sharing {
    struct crl_check *check;
    struct crl_hops hops;
};

static uint64_t key_packet(const void *hops, uint32_t i) { return ((const struct crl_hop *)hops)[i].packet; }

// What one thread looks at.
struct share {
    struct crl_part *part;
    const struct crl_hops *hops;
    struct crl_terms terms;
    uint32_t *ends; // [nodes]
};

// Of a folded schedule one chunk stands for all.
static void add_hash(struct share *s, uint32_t chunk)
{
    const struct crl_check *check = s->part->check;
    uint64_t hash = crl_terms_hash(&s->terms, check->problem, chunk, s->ends);
    uint32_t end = check->schedule->folded ? check->problem->chunks : chunk + 1;
    for (uint32_t c = chunk; c < end; c++) s->part->report.sum_hash += crl_terms_pair(c, hash);
}

// The chunks of a bucket, also those that have no hops.
static int look_at_bucket(struct share *s, uint32_t bucket)
{
    const struct crl_hops *hops = s->hops;
    const struct crl_hop *hop = hops->hop + hops->start[bucket];
    uint32_t count = hops->start[bucket + 1] - hops->start[bucket], at = 0;
    uint64_t base = (uint64_t)bucket << hops->shift, end = base + (UINT64_C(1) << hops->shift);
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (count + UINT64_C(1)));
    CRL_OWNED struct crl_hop *sorted = malloc(sizeof *sorted * (count + UINT64_C(1)));
    int error = order && sorted ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) order[i] = i;
    if (!error) error = crl_sort_order(order, count, key_packet, hop, UINT32_MAX);
    for (uint32_t i = 0; i < count && !error; i++) sorted[i] = hop[order[i]];
    for (uint64_t chunk = base; chunk < end && chunk < hops->packets && !error; chunk++) {
        struct crl_replay replay = {.part = s->part, .hops = sorted + at, .chunk = (uint32_t)chunk};
        while (at < count && base + sorted[at].packet == chunk) at++;
        replay.count = (size_t)(sorted + at - replay.hops);
        error = crl_replay_sum(&replay, &s->terms, s->ends);
        if (!error) add_hash(s, (uint32_t)chunk);
    }
    return error;
}

static int look_at_part(void *user, uint32_t share)
{
    const struct sharing *all = user;
    const struct crl_check *check = all->check;
    struct share s = {&check->part[share], &all->hops, {0}, malloc(sizeof *s.ends * check->nodes)};
    uint32_t end = (uint32_t)crl_share_first(all->hops.buckets, share + 1, check->parts);
    int error = s.ends ? 0 : CRL_ERR_MEMORY;
    for (uint32_t b = (uint32_t)crl_share_first(all->hops.buckets, share, check->parts); b < end && !error; b++)
        error = look_at_bucket(&s, b);
    if (error) s.part->sink.out_of_memory = true;
    crl_terms_done(&s.terms);
    free(s.ends);
    return 0;
}

void crl_rule_sum(struct crl_check *check)
{
    struct sharing s = {.check = check};
    if (crl_hops_init(&s.hops, check)) check->part[0].sink.out_of_memory = true;
    else crl_parallel(check->parts, look_at_part, &s);
    crl_hops_done(&s.hops);
}
