// SPDX-License-Identifier: Apache-2.0
// Each packet by itself: nobody sends what it does not have yet, everybody who must have it gets it, and no
// transmission is for nothing. The moves of a relative schedule are first translated so that the packet's origin is
// node 0: then the move of node 0 with packet (o, t) is the move of node −o with packet (0, t−o), and one packet stands
// for its translates.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>
#include <string.h>

struct hop {
    uint32_t src, dst, origin, dest;
    uint32_t slot, index; // of the move it comes from
};

static struct hop hop_of(const struct crl_schedule *schedule, uint32_t index)
{
    const struct crl_move *m = &schedule->moves[index];
    struct hop hop = {m->src, m->dst, m->origin, m->dest, m->slot, index};
    if (!schedule->folded) return hop;
    const struct crl_topology *t = schedule->topology;
    hop.src = crl_topology_unshift(t, m->src, m->origin);
    hop.dst = crl_topology_unshift(t, m->dst, m->origin);
    if (schedule->naming == CRL_NAMING_PAIR) hop.dest = crl_topology_unshift(t, m->dest, m->origin);
    hop.origin = 0;
    return hop;
}

static uint64_t key_packet(const void *user, uint32_t index)
{
    const struct crl_check *check = user;
    if (check->marks[index] & CRL_MOVE_BAD) return crl_problem_packets(check->problem);
    struct hop hop = hop_of(check->schedule, index);
    return crl_problem_index(check->problem, hop.origin, hop.dest);
}

// What is known of one packet at each node while its moves are looked at.
struct replay {
    struct crl_check *check;
    uint32_t *arrival;  // [nodes] slot of first arrival, 0 at the origin, CRL_NONE where it never comes
    uint32_t *last_out; // [nodes] index of the move that sends it last, CRL_NONE for none
    uint8_t *state;     // [nodes] bits below
    uint32_t *touched;  // nodes to reset
    uint32_t touched_count;
    struct hop *hops; // of this packet, in order of slots: moves of one packet lie far apart, so they are fetched once
    size_t count, capacity;
};
enum { DELIVERED = 1, NEEDED = 2 };

static void touch(struct replay *r, uint32_t node)
{
    if (r->touched_count < crl_topology_nodes(r->check->schedule->topology)) r->touched[r->touched_count++] = node;
}

static void first_arrivals(struct replay *r, uint32_t origin)
{
    r->arrival[origin] = 0;
    touch(r, origin);
    for (const struct hop *h = r->hops; h < r->hops + r->count; h++)
        if (r->arrival[h->dst] == CRL_NONE) {
            r->arrival[h->dst] = h->slot;
            touch(r, h->dst);
        }
}

static const char *hop_text(const struct replay *r, const struct hop *h, char text[96])
{
    return crl_move_text(r->check->schedule, &r->check->schedule->moves[h->index], text);
}

static void senders_have_it(struct replay *r)
{
    char text[96];
    for (const struct hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t arrival = r->arrival[h->src];
        if (arrival < h->slot) {
            if (arrival) r->last_out[h->src] = h->index;
            continue;
        }
        hop_text(r, h, text);
        if (arrival == CRL_NONE) crl_find(r->check, CRL_FINDING_NEVER_HELD, h->index, "%s, but never gets it", text);
        else if (arrival == h->slot)
            crl_find(r->check, CRL_FINDING_SAME_SLOT, h->index, "%s, but gets it in that slot", text);
        else crl_find(r->check, CRL_FINDING_NOT_YET, h->index, "%s, but gets it only in slot %u", text, arrival);
    }
}

static bool first_to_come(struct replay *r, const struct hop *h)
{
    if (r->arrival[h->dst] != h->slot || (r->state[h->dst] & DELIVERED)) return false;
    r->state[h->dst] |= DELIVERED;
    return true;
}

static void nothing_twice(struct replay *r)
{
    char text[96];
    uint8_t *marks = r->check->marks;
    for (const struct hop *h = r->hops; h < r->hops + r->count; h++) {
        uint32_t last = r->last_out[h->dst];
        if (!first_to_come(r, h)) {
            crl_find(r->check, CRL_FINDING_REDUNDANT, h->index, "%s, which already has it", hop_text(r, h, text));
        } else if (last != CRL_NONE && !(marks[last] & CRL_MOVE_RELEASED)) {
            marks[h->index] |= CRL_MOVE_KEPT;
            marks[last] |= CRL_MOVE_RELEASED;
        }
    }
}

static void nothing_in_vain(struct replay *r)
{
    char text[96];
    if (crl_problem_for_all(r->check->problem)) return;
    for (const struct hop *h = r->hops + r->count; h-- > r->hops;) {
        if ((r->state[h->dst] & NEEDED) || crl_problem_wants(r->check->problem, h->origin, h->dest, h->dst))
            r->state[h->src] |= NEEDED;
        else crl_find(r->check, CRL_FINDING_USELESS, h->index, "%s, which has no use for it", hop_text(r, h, text));
    }
}

static void missing_at(struct crl_check *check, uint32_t origin, uint32_t dest, uint32_t node)
{
    char name[24];
    crl_find(check, CRL_FINDING_MISSING, SIZE_MAX, "node %u never gets packet %s", node,
             crl_packet_name(check->schedule->naming, origin, dest, name));
}

// Nodes that never get the packet but must; `arrival` NULL: nobody but the origin has it.
static void missing(struct crl_check *check, uint32_t origin, uint32_t dest, const uint32_t *arrival)
{
    uint32_t nodes = crl_topology_nodes(check->schedule->topology);
    bool pair = check->schedule->naming == CRL_NAMING_PAIR; // only one node wants it
    for (uint32_t v = pair ? dest : 0; v < (pair ? dest + UINT64_C(1) : nodes); v++)
        if (v != origin && (!arrival || arrival[v] == CRL_NONE) && crl_problem_wants(check->problem, origin, dest, v))
            missing_at(check, origin, dest, v);
}

static void everybody_gets_it(struct replay *r, uint32_t origin, uint32_t dest)
{
    if (r->touched_count < crl_topology_nodes(r->check->schedule->topology))
        missing(r->check, origin, dest, r->arrival);
}

static void reset(struct replay *r)
{
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t v = r->touched[i];
        r->arrival[v] = r->last_out[v] = CRL_NONE;
        r->state[v] = 0;
    }
    r->touched_count = 0;
}

// Packets first…end−1 have no moves at all.
static void no_moves(struct crl_check *check, uint64_t first, uint64_t end)
{
    uint32_t nodes = crl_topology_nodes(check->schedule->topology), origin, dest;
    for (uint64_t p = first; p < end; p++) {
        // Packets that all have as many receivers need not be looked at one by one.
        bool alike = crl_problem_has_tables(check->problem);
        if (alike && check->sink.listed[CRL_FINDING_MISSING] >= CRL_FINDINGS_LISTED) {
            bool pair = check->schedule->naming == CRL_NAMING_PAIR;
            crl_sink_more(&check->sink, CRL_FINDING_MISSING, (end - p) * (pair ? 1 : nodes - UINT64_C(1)));
            return;
        }
        crl_problem_packet(check->problem, p, &origin, &dest);
        missing(check, origin, dest, NULL);
    }
}

static void replay_all(struct replay *r, const uint32_t *order, uint32_t count)
{
    struct crl_check *check = r->check;
    uint64_t packets = crl_problem_packets(check->problem), expected = 0;
    if (check->schedule->folded) // packets of origin 0 come first in order, and stand for the others
        packets = check->schedule->naming == CRL_NAMING_PAIR ? crl_topology_nodes(check->schedule->topology) - 1 : 1;
    for (uint32_t at = 0; at < count;) {
        uint64_t packet = key_packet(check, order[at]);
        if (packet >= packets) break; // bad moves come last
        for (r->count = 0; at < count && key_packet(check, order[at]) == packet; at++) {
            if (crl_grow((void **)&r->hops, &r->capacity, r->count, sizeof *r->hops)) {
                check->sink.out_of_memory = true;
                return;
            }
            r->hops[r->count++] = hop_of(check->schedule, order[at]);
        }
        no_moves(check, expected, packet);
        uint32_t origin, dest;
        crl_problem_packet(check->problem, packet, &origin, &dest);
        first_arrivals(r, origin);
        senders_have_it(r);
        nothing_twice(r);
        nothing_in_vain(r);
        everybody_gets_it(r, origin, dest);
        reset(r);
        expected = packet + 1;
    }
    no_moves(check, expected, packets);
}

void crl_rule_packet(struct crl_check *check)
{
    uint32_t nodes = crl_topology_nodes(check->schedule->topology), count = (uint32_t)check->schedule->count;
    uint32_t *order = malloc(sizeof *order * (count + UINT64_C(1)));
    struct replay r = {
        .check = check,
        .arrival = malloc(sizeof(uint32_t) * nodes),
        .last_out = malloc(sizeof(uint32_t) * nodes),
        .state = calloc(nodes, 1),
        .touched = malloc(sizeof(uint32_t) * nodes),
    };
    bool good = order && r.arrival && r.last_out && r.state && r.touched;
    for (uint32_t i = 0; good && i < count; i++) order[i] = i;
    if (good) good = !crl_sort_order(order, count, key_packet, check, crl_problem_packets(check->problem));
    if (good) {
        memset(r.arrival, 0xff, sizeof(uint32_t) * nodes);
        memset(r.last_out, 0xff, sizeof(uint32_t) * nodes);
        replay_all(&r, order, count);
    } else {
        check->sink.out_of_memory = true;
    }
    free(order);
    free(r.arrival);
    free(r.last_out);
    free(r.state);
    free(r.touched);
    free(r.hops);
}
