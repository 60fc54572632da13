// SPDX-License-Identifier: Apache-2.0
#include "check/hops.h"
#include "base/parallel.h"
#include <stdlib.h>

struct sharing {
    const struct crl_check *check;
    struct crl_hops *hops;
    uint32_t *at; // [parts][buckets] hops of a part's moves in a bucket, then where the next of them goes
};

// The packet of a move. In a folded schedule it stands for its translates, of which that of origin 0 is taken.
static inline uint64_t packet_of(const struct crl_check *check, const struct crl_move *m)
{
    const struct crl_schedule *s = check->schedule;
    if (!s->folded) return crl_check_packet(check, m->origin, m->dest);
    bool pair = s->naming == CRL_NAMING_PAIR;
    return crl_problem_index(check->problem, 0, pair ? crl_topology_unshift(s->topology, m->dest, m->origin) : m->dest);
}

// The node that is to the origin of that packet what `node` is to the move's.
static inline uint32_t node_of(const struct crl_schedule *s, uint32_t node, uint32_t origin)
{
    return s->folded ? crl_topology_unshift(s->topology, node, origin) : node;
}

static int count_part(void *user, uint32_t share)
{
    const struct sharing *s = user;
    const struct crl_check *check = s->check;
    uint32_t *count = &s->at[(size_t)share * s->hops->buckets];
    uint64_t end = crl_share_first(check->schedule->count, share + 1, check->parts);
    for (uint64_t i = crl_share_first(check->schedule->count, share, check->parts); i < end; i++)
        if (!(check->marks[i] & CRL_MOVE_BAD)) count[packet_of(check, &check->schedule->moves[i]) >> s->hops->shift]++;
    return 0;
}

static int place_part(void *user, uint32_t share)
{
    const struct sharing *s = user;
    const struct crl_check *check = s->check;
    const struct crl_schedule *schedule = check->schedule;
    uint32_t *at = &s->at[(size_t)share * s->hops->buckets], shift = s->hops->shift;
    uint64_t end = crl_share_first(schedule->count, share + 1, check->parts), mask = (UINT64_C(1) << shift) - 1;
    for (uint64_t i = crl_share_first(schedule->count, share, check->parts); i < end; i++) {
        const struct crl_move *m = &schedule->moves[i];
        if (check->marks[i] & CRL_MOVE_BAD) continue;
        uint64_t packet = packet_of(check, m);
        s->hops->hop[at[packet >> shift]++] =
            (struct crl_hop){m->slot, node_of(schedule, m->src, m->origin), node_of(schedule, m->dst, m->origin),
                             (uint32_t)i, (uint32_t)(packet & mask)};
    }
    return 0;
}

int crl_hops_init(struct crl_hops *hops, const struct crl_check *check)
{
    enum { BUCKETS = 4096, MOVES = 256 }; // most buckets, and moves worth one
    const struct crl_schedule *schedule = check->schedule;
    uint64_t most = schedule->count / MOVES;
    *hops = (struct crl_hops){.packets = crl_problem_packets(check->problem)};
    if (schedule->folded) hops->packets /= crl_topology_nodes(schedule->topology);
    if (most > BUCKETS) most = BUCKETS;
    // A packet's number within its bucket has 32 bits.
    while (hops->shift < 32 && (hops->packets >> hops->shift) > most) hops->shift++;
    hops->buckets = (uint32_t)(hops->packets >> hops->shift) + 1;
    struct sharing s = {check, hops, calloc((size_t)hops->buckets * check->parts, sizeof *s.at)};
    hops->start = malloc(sizeof *hops->start * (hops->buckets + UINT64_C(1)));
    hops->hop = malloc(sizeof *hops->hop * (schedule->count + 1));
    bool good = s.at && hops->start && hops->hop;
    if (good) crl_parallel(check->parts, count_part, &s);
    uint32_t sum = 0;
    for (uint32_t b = 0; good && b < hops->buckets; b++) {
        hops->start[b] = sum;
        for (uint32_t i = 0; i < check->parts; i++) {
            uint32_t *at = &s.at[(size_t)i * hops->buckets + b], count = *at;
            *at = sum;
            sum += count;
        }
    }
    if (good) {
        hops->start[hops->buckets] = sum;
        crl_parallel(check->parts, place_part, &s);
    }
    free(s.at);
    return good ? 0 : CRL_ERR_MEMORY;
}

void crl_hops_done(struct crl_hops *hops) { CRL_FREE(hops->start, hops->hop); }
