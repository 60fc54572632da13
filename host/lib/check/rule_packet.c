// SPDX-License-Identifier: Apache-2.0
// Each packet by itself: nobody sends what it does not have yet, everybody who must have it gets it, and no
// transmission is for nothing.
#include "base/base.h"
#include "base/parallel.h"
#include "check/hops.h"
#include <stdlib.h>
#include <string.h>

// What is known of one packet at a node while its hops are looked at.
struct place {
    uint32_t arrival;  // slot of first arrival, 0 at the origin, CRL_NONE where it never comes
    uint32_t last_out; // index of the move that sends it last, CRL_NONE for none
};
enum { DELIVERED = 1, NEEDED = 2 };

struct replay {
    struct crl_part *part;
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    uint8_t *marks;
    uint32_t nodes;
    bool late;           // links take more than a slot
    struct place *place; // [nodes]
    uint8_t *state;      // [nodes] bits above, while findings are looked for
    const struct crl_hop *hops;
    size_t count; // of hops of this packet, in order of slots
    uint32_t origin, dest, source;
};

// The slot in which a hop ends.
static uint32_t arrival_of(const struct replay *r, const struct crl_hop *h)
{
    return r->late ? crl_arrival_slot(r->schedule->topology, h->slot, h->src, h->dst) : h->slot;
}

// ---- the usual case: nothing is wrong

// Whether every hop brings the packet from a node that has it to one that has not. Fills arrival and last_out.
static bool is_tree(struct replay *r)
{
    r->place[r->source].arrival = 0;
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        struct place *src = &r->place[h->src], *dst = &r->place[h->dst];
        if (src->arrival >= h->slot || dst->arrival != CRL_NONE) return false;
        dst->arrival = arrival_of(r, h);
        src->last_out = h->index;
    }
    return true;
}

// Whether everybody who does not send the packet on wants it. Then no hop of a tree is for nothing.
static bool leaves_want_it(const struct replay *r)
{
    if (crl_problem_for_all(r->problem)) return true;
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++)
        if (r->place[h->dst].last_out == CRL_NONE && !crl_problem_wants(r->problem, r->origin, r->dest, h->dst))
            return false;
    return true;
}

static void forget(struct replay *r)
{
    const struct place nothing = {CRL_NONE, CRL_NONE};
    r->place[r->source] = nothing;
    r->state[r->source] = 0;
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        r->place[h->src] = r->place[h->dst] = nothing;
        r->state[h->src] = r->state[h->dst] = 0;
    }
}

// What the nodes of a tree keep until they have sent it for the last time.
static void mark_buffers(struct replay *r)
{
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t last = r->place[h->dst].last_out;
        if (last == CRL_NONE) continue;
        r->marks[h->index] |= CRL_MOVE_KEPT;
        r->marks[last] |= CRL_MOVE_RELEASED;
    }
}

// ---- findings

static const char *hop_text(const struct replay *r, const struct crl_hop *h, char text[CRL_MOVE_TEXT])
{
    return crl_move_text(r->schedule, &r->schedule->moves[h->index], text);
}

static void first_arrivals(struct replay *r)
{
    r->place[r->source].arrival = 0;
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t arrival = arrival_of(r, h);
        if (arrival < r->place[h->dst].arrival) r->place[h->dst].arrival = arrival;
    }
}

static void senders_have_it(struct replay *r)
{
    char text[CRL_MOVE_TEXT];
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t arrival = r->place[h->src].arrival;
        if (arrival < h->slot) {
            if (arrival) r->place[h->src].last_out = h->index;
            continue;
        }
        hop_text(r, h, text);
        if (arrival == CRL_NONE) crl_find(r->part, CRL_FINDING_NEVER_HELD, h->index, "%s, but never gets it", text);
        else if (arrival == h->slot)
            crl_find(r->part, CRL_FINDING_SAME_SLOT, h->index, "%s, but gets it in that slot", text);
        else crl_find(r->part, CRL_FINDING_NOT_YET, h->index, "%s, but gets it only in slot %u", text, arrival);
    }
}

// Where no packet may wait, it leaves in the slot after that in which it came.
static void nobody_waits(struct replay *r)
{
    char text[CRL_MOVE_TEXT];
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t arrival = r->place[h->src].arrival;
        if (h->src == r->source || arrival == CRL_NONE || arrival + 1 >= h->slot) continue;
        crl_find(r->part, CRL_FINDING_WAITED, h->index, "%s, which has had it since slot %u", hop_text(r, h, text),
                 arrival);
    }
}

static bool first_to_come(struct replay *r, const struct crl_hop *h)
{
    if (r->place[h->dst].arrival != arrival_of(r, h) || (r->state[h->dst] & DELIVERED)) return false;
    r->state[h->dst] |= DELIVERED;
    return true;
}

static void nothing_twice(struct replay *r)
{
    char text[CRL_MOVE_TEXT];
    for (const struct crl_hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t last = r->place[h->dst].last_out;
        if (!first_to_come(r, h)) {
            crl_find(r->part, CRL_FINDING_REDUNDANT, h->index, "%s, which already has it", hop_text(r, h, text));
        } else if (last != CRL_NONE) {
            r->marks[h->index] |= CRL_MOVE_KEPT;
            r->marks[last] |= CRL_MOVE_RELEASED;
        }
    }
}

static void nothing_in_vain(struct replay *r)
{
    char text[CRL_MOVE_TEXT];
    if (crl_problem_for_all(r->problem)) return;
    for (const struct crl_hop *h = r->hops + r->count; h-- > r->hops;) {
        if ((r->state[h->dst] & NEEDED) || crl_problem_wants(r->problem, r->origin, r->dest, h->dst))
            r->state[h->src] |= NEEDED;
        else crl_find(r->part, CRL_FINDING_USELESS, h->index, "%s, which has no use for it", hop_text(r, h, text));
    }
}

static void missing_at(struct replay *r, uint32_t v)
{
    char name[CRL_PACKET_NAME];
    if (v == r->source || r->place[v].arrival != CRL_NONE || !crl_problem_wants(r->problem, r->origin, r->dest, v))
        return;
    crl_problem_packet_name(r->problem, r->origin, r->dest, name);
    crl_find(r->part, CRL_FINDING_MISSING, SIZE_MAX, "node %s never gets packet %s", CRL_NODE(r->problem->topology, v),
             name);
}

// Nodes that never get the packet but must.
static void missing(struct replay *r)
{
    const struct crl_demand *demand = crl_problem_demand(r->problem, r->origin);
    bool pair = crl_naming_is_pair(r->schedule->naming); // only one node wants it
    uint32_t dest = crl_packet_dest(r->schedule->naming, r->dest);
    for (uint32_t i = 0; demand && i < demand->dst_count; i++) missing_at(r, demand->dst[i]);
    if (demand) return;
    for (uint32_t v = pair ? dest : 0; v < (pair ? dest + UINT64_C(1) : r->nodes); v++) missing_at(r, v);
}

// ---- packet by packet

static void look_at_packet(struct replay *r)
{
    bool good = is_tree(r) && leaves_want_it(r);
    if (good) {
        mark_buffers(r);
    } else if (r->schedule->narrow) {
        r->part->unclear = true;
    } else {
        forget(r);
        first_arrivals(r);
        senders_have_it(r);
        nothing_twice(r);
        nothing_in_vain(r);
    }
    if (r->problem->nowait) nobody_waits(r);
    if (!good || r->count + 1 < r->nodes) missing(r); // a tree of as many nodes as there are lacks none
    forget(r);
}

static void take_packet(struct replay *r, uint64_t packet)
{
    crl_problem_packet(r->problem, packet, &r->origin, &r->dest);
    r->source = crl_problem_source(r->problem, r->origin);
}

// Packets first…end−1 have no moves at all.
static void no_moves(struct replay *r, uint64_t first, uint64_t end)
{
    r->count = 0;
    for (uint64_t p = first; p < end; p++) {
        // Packets that all have as many receivers need not be looked at one by one.
        bool alike = crl_problem_has_tables(r->problem) && !crl_problem_has_demands(r->problem);
        if (alike && r->part->sink.listed[CRL_FINDING_MISSING] >= CRL_FINDINGS_LISTED) {
            bool pair = crl_naming_is_pair(r->schedule->naming);
            crl_sink_more(&r->part->sink, CRL_FINDING_MISSING,
                          (end - p) * (pair ? 1 : r->problem->host_count - UINT64_C(1)));
            return;
        }
        take_packet(r, p);
        missing(r);
    }
}

// The hops of one bucket, whose first packet is `base`. `expected` is the first packet not looked at yet.
static void look_at_bucket(struct replay *r, const struct crl_hop *hops, uint32_t count, uint64_t base,
                           uint64_t *expected)
{
    for (uint32_t at = 0, end; at < count; at = end) {
        uint64_t packet = base + hops[at].packet;
        for (end = at; end < count && hops[end].packet == hops[at].packet;) end++;
        no_moves(r, *expected, packet);
        r->hops = hops + at;
        r->count = end - at;
        take_packet(r, packet);
        look_at_packet(r);
        *expected = packet + 1;
    }
}

struct sharing {
    struct crl_check *check;
    struct crl_hops hops;
};

// The first bucket of a part: all have about as many hops.
static uint32_t first_bucket(const struct sharing *s, uint32_t part)
{
    const struct crl_hops *hops = &s->hops;
    uint64_t hop = crl_share_first(hops->start[hops->buckets], part, s->check->parts);
    uint32_t bucket = 0;
    if (part == s->check->parts) return hops->buckets;
    while (part && bucket < hops->buckets && hops->start[bucket] < hop) bucket++;
    return bucket;
}

static void look_at_buckets(struct replay *r, const struct sharing *s, uint32_t share)
{
    const struct crl_hops *hops = &s->hops;
    uint32_t end = first_bucket(s, share + 1);
    uint64_t expected = (uint64_t)first_bucket(s, share) << hops->shift;
    struct crl_bucket bucket = {0};
    for (uint32_t b = first_bucket(s, share); b < end && !r->part->sink.out_of_memory; b++) {
        if (crl_bucket_fill(&bucket, hops, b)) r->part->sink.out_of_memory = true;
        else look_at_bucket(r, bucket.hop, bucket.count, (uint64_t)b << hops->shift, &expected);
    }
    crl_bucket_done(&bucket);
    uint64_t last = (uint64_t)end << hops->shift;
    no_moves(r, expected, last < hops->packets ? last : hops->packets);
}

static int look_at_part(void *user, uint32_t share)
{
    const struct sharing *s = user;
    struct crl_check *check = s->check;
    struct replay r = {.part = &check->part[share],
                       .schedule = check->schedule,
                       .problem = check->problem,
                       .marks = check->marks,
                       .late = crl_topology_latency_max(check->schedule->topology) > 1,
                       .nodes = crl_topology_nodes(check->schedule->topology)};
    r.place = malloc(sizeof *r.place * r.nodes);
    r.state = calloc(r.nodes, 1);
    if (r.place && r.state) {
        memset(r.place, 0xff, sizeof *r.place * r.nodes); // CRL_NONE
        look_at_buckets(&r, s, share);
    } else {
        r.part->sink.out_of_memory = true;
    }
    CRL_FREE(r.place, r.state);
    return 0;
}

void crl_rule_packet(struct crl_check *check)
{
    struct sharing s = {.check = check};
    if (crl_all_get_all(check) || crl_one_gets_each(check)) return;
    if (crl_hops_init(&s.hops, check)) check->part[0].sink.out_of_memory = true;
    else crl_parallel(check->parts, look_at_part, &s);
    crl_hops_done(&s.hops);
}
