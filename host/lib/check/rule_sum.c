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

// What one thread looks at.
struct share {
    struct crl_part *part;
    const struct crl_hops *hops;
    struct crl_bucket bucket;
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
    uint64_t base = (uint64_t)bucket << hops->shift, end = base + (UINT64_C(1) << hops->shift);
    int error = crl_bucket_fill(&s->bucket, hops, bucket);
    const struct crl_hop *hop = s->bucket.hop, *last = hop + s->bucket.count;
    for (uint64_t chunk = base; chunk < end && chunk < hops->packets && !error; chunk++) {
        struct crl_replay replay = {.part = s->part, .hops = hop, .chunk = (uint32_t)chunk};
        while (hop < last && base + hop->packet == chunk) hop++;
        replay.count = (size_t)(hop - replay.hops);
        error = crl_replay_sum(&replay, &s->terms, s->ends);
        if (!error) add_hash(s, (uint32_t)chunk);
    }
    return error;
}

static int look_at_part(void *user, uint32_t share)
{
    const struct sharing *all = user;
    const struct crl_check *check = all->check;
    struct share s = {&check->part[share], &all->hops, {0}, {0}, malloc(sizeof *s.ends * check->nodes)};
    uint32_t end = (uint32_t)crl_share_first(all->hops.buckets, share + 1, check->parts);
    int error = s.ends ? 0 : CRL_ERR_MEMORY;
    for (uint32_t b = (uint32_t)crl_share_first(all->hops.buckets, share, check->parts); b < end && !error; b++)
        error = look_at_bucket(&s, b);
    if (error) s.part->sink.out_of_memory = true;
    crl_bucket_done(&s.bucket);
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
