// SPDX-License-Identifier: Apache-2.0
#include "check/hops.h"
#include "base/base.h"
#include "base/parallel.h"
#include "schedule/narrow.h"
#include <stdlib.h>
#include <string.h>

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

static inline uint64_t packet_at(const struct crl_check *check, uint64_t i)
{
    const struct crl_schedule *s = check->schedule;
    return s->narrow ? s->narrow->row[i].packet : packet_of(check, &s->moves[i]);
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
        if (!(check->marks[i] & CRL_MOVE_BAD)) count[packet_at(check, i) >> s->hops->shift]++;
    return 0;
}

static int place_part(void *user, uint32_t share)
{
    const struct sharing *s = user;
    const struct crl_check *check = s->check;
    const struct crl_schedule *schedule = check->schedule;
    uint32_t *at = &s->at[(size_t)share * s->hops->buckets];
    uint64_t end = crl_share_first(schedule->count, share + 1, check->parts);
    for (uint64_t i = crl_share_first(schedule->count, share, check->parts); i < end; i++)
        if (!(check->marks[i] & CRL_MOVE_BAD)) s->hops->move[at[packet_at(check, i) >> s->hops->shift]++] = (uint32_t)i;
    return 0;
}

int crl_hops_init(struct crl_hops *hops, const struct crl_check *check)
{
    enum { BUCKETS = 4096, MOVES = 256 }; // most buckets, and moves worth one
    const struct crl_schedule *schedule = check->schedule;
    uint64_t most = schedule->count / MOVES;
    *hops = (struct crl_hops){.check = check, .packets = crl_problem_packets(check->problem)};
    if (schedule->folded) hops->packets /= crl_topology_nodes(schedule->topology);
    if (most > BUCKETS) most = BUCKETS;
    // A packet's number within its bucket has 32 bits.
    while (hops->shift < 32 && (hops->packets >> hops->shift) > most) hops->shift++;
    hops->buckets = (uint32_t)(hops->packets >> hops->shift) + 1;
    struct sharing s = {check, hops, calloc((size_t)hops->buckets * check->parts, sizeof *s.at)};
    hops->start = malloc(sizeof *hops->start * (hops->buckets + UINT64_C(1)));
    hops->move = malloc(sizeof *hops->move * (schedule->count + 1));
    bool good = s.at && hops->start && hops->move;
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

void crl_hops_done(struct crl_hops *hops) { CRL_FREE(hops->start, hops->move); }

// ---- a bucket

static int make_room(struct crl_bucket *b, size_t hops, size_t cells)
{
    if (b->capacity < hops) {
        CRL_FREE(b->hop, b->unsorted);
        b->hop = malloc(sizeof *b->hop * hops);
        b->unsorted = malloc(sizeof *b->unsorted * hops);
        b->capacity = b->hop && b->unsorted ? hops : 0;
    }
    if (b->order_capacity < cells) {
        free(b->order);
        b->order = malloc(sizeof *b->order * cells);
        b->order_capacity = b->order ? cells : 0;
    }
    return b->capacity < hops || b->order_capacity < cells ? CRL_ERR_MEMORY : 0;
}

// Moves of a packet lie far apart, and are fetched some time before they are looked at.
static void fetch(struct crl_hop *hop, const struct crl_hops *hops, const uint32_t *move, uint32_t count)
{
    enum { AHEAD = 16 };
    const struct crl_schedule *s = hops->check->schedule;
    uint64_t mask = (UINT64_C(1) << hops->shift) - 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_move *m = &s->moves[move[i]];
        if (i + AHEAD < count) __builtin_prefetch(&s->moves[move[i + AHEAD]]);
        hop[i] = (struct crl_hop){m->slot, node_of(s, m->src, m->origin), node_of(s, m->dst, m->origin), move[i],
                                  mask ? (uint32_t)(packet_of(hops->check, m) & mask) : 0};
    }
}

// The slot in use to which a row belongs, `from` or a later one.
static size_t slot_of(const struct crl_schedule *s, size_t from, uint32_t row)
{
    size_t step = 1, least = from, most;
    while (least + step < s->slots && s->slot_start[least + step] <= row) least += step, step *= 2;
    most = least + step < s->slots ? least + step : s->slots; // behind it
    while (least + 1 < most) {
        size_t middle = least + (most - least) / 2;
        if (s->slot_start[middle] <= row) least = middle;
        else most = middle;
    }
    return least;
}

static void fetch_narrow(struct crl_hop *hop, const struct crl_hops *hops, const uint32_t *move, uint32_t count)
{
    enum { AHEAD = 32 };
    const struct crl_schedule *s = hops->check->schedule;
    const struct crl_narrow *n = s->narrow;
    uint32_t mask = (uint32_t)((UINT64_C(1) << hops->shift) - 1);
    size_t slot = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_narrow_row row = n->row[move[i]];
        if (i + AHEAD < count) __builtin_prefetch(&n->row[move[i + AHEAD]]);
        slot = slot_of(s, slot, move[i]);
        hop[i] =
            (struct crl_hop){n->slot[slot], crl_narrow_src(n, row), crl_narrow_dst(n, row), move[i], row.packet & mask};
    }
}

static uint64_t key_packet(const void *hops, uint32_t i) { return ((const struct crl_hop *)hops)[i].packet; }

// By counting unless packets are many more than hops.
int crl_bucket_fill(struct crl_bucket *b, const struct crl_hops *hops, uint32_t number)
{
    enum { SPARSE = 8, FEW = 1024 };
    uint64_t packets = UINT64_C(1) << hops->shift;
    b->count = hops->start[number + 1] - hops->start[number];
    bool sparse = packets > (uint64_t)b->count * SPARSE + FEW;
    size_t cells = sparse ? b->count : packets;
    if (make_room(b, b->count, cells)) return CRL_ERR_MEMORY;
    (hops->check->schedule->narrow ? fetch_narrow : fetch)(hops->shift ? b->unsorted : b->hop, hops,
                                                           hops->move + hops->start[number], b->count);
    if (!hops->shift) return 0;
    if (sparse) {
        for (uint32_t i = 0; i < b->count; i++) b->order[i] = i;
        if (crl_sort_order(b->order, b->count, key_packet, b->unsorted, packets - 1)) return CRL_ERR_MEMORY;
        for (uint32_t i = 0; i < b->count; i++) b->hop[i] = b->unsorted[b->order[i]];
        return 0;
    }
    memset(b->order, 0, sizeof *b->order * cells);
    for (uint32_t i = 0; i < b->count; i++) b->order[b->unsorted[i].packet]++;
    for (uint32_t p = 0, sum = 0; p < cells; p++) {
        uint32_t n = b->order[p];
        b->order[p] = sum;
        sum += n;
    }
    for (uint32_t i = 0; i < b->count; i++) b->hop[b->order[b->unsorted[i].packet]++] = b->unsorted[i];
    return 0;
}

void crl_bucket_done(struct crl_bucket *b) { CRL_FREE(b->hop, b->unsorted, b->order); }
