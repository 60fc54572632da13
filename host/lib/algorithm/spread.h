// SPDX-License-Identifier: Apache-2.0
// Slot by slot, who takes which packet from whom, where every node wants every packet: the parts of a matcher.
#ifndef CRL_SPREAD_H
#define CRL_SPREAD_H

#include "base/best.h"
#include "base/random.h"
#include "base/pool.h"
#include "schedule/schedule.h"

enum { CRL_SPREAD_WORD = 64 };

struct crl_spread_link { // into a node
    uint32_t from, latency;
};
struct crl_spread_hop {
    uint32_t slot, link, packet;
};
struct crl_spread_hops {
    struct crl_spread_hop *hop;
    size_t count, capacity;
};
// How much each counts when a node chooses among packets.
struct crl_spread_weights {
    int32_t near;  // how many of its neighbours have it; below 0: how many do not
    uint32_t rare; // how many nodes have it
    uint32_t far;  // how short its way was from its origin
    uint32_t lot;
    uint32_t clash; // whether it leaves together with another that came over the same link
    uint32_t wait;  // how long it has been where it is
};
struct crl_spread_quality {
    uint32_t slots, conflicts, buffer; // in this order
};

// Where the network and the packets look the same from every node, node 0 alone is served, and stands for all: its
// neighbours are then nodes 1, 2, …, one a port, which have translates of what it has.
struct crl_spread {
    struct crl_pool pool; // also of all hops
    const struct crl_problem *problem;
    uint32_t nodes, served, packets, words, links, latency_max;
    bool single, folded, differ; // differ: not all latencies are the same
    uint32_t *first;             // [served + 1] links into a node
    struct crl_spread_link *link;
    uint32_t *to;                  // [links]
    uint32_t *origin;              // [packets]
    uint32_t *delay;               // [origin · served + node] of the quickest way; NULL: not looked at
    uint32_t farthest;             // the longest of these
    uint64_t *has, *lacks;         // [nodes][words] has at the start of the slot; has not, and it is not on its way
    uint32_t *copies;              // [packets] nodes that have it, or will
    uint32_t *missing;             // [served] packets that a node lacks
    uint32_t *order, *key, *taken; // [served] in which nodes are served; single-port [· latency_max] last arrival
    uint32_t *gives, *seen, stamp; // [nodes] single-port: link over which a node sends in this slot; of a search
    uint32_t *arrival, *last;      // [nodes][packets] when a node got it and sends it last; NULL: not looked at
    uint16_t *lane;                // [nodes][packets] and over which of its links it got it
    uint32_t *sending;             // [links] packet that came over a link and leaves in this slot
    // Of the node that is looked at: the best packets over each link, and what it takes.
    struct crl_best *choice;
    uint32_t degree, *choices, *takes, *visited;
    uint32_t slot, limit, looks; // the slot, the last one in which anything may arrive, packets that a link looks at
    uint32_t conflicts_most;     // more are of no use
    uint64_t left;               // packets that hosts lack
    uint64_t random, work;
    size_t flying; // hops before this one have arrived
    struct crl_spread_weights weights;
    struct crl_spread_quality quality;
    struct crl_spread_hops now;
};

// Plays one slot: what each node takes, all-port or single-port.
int crl_spread_play(struct crl_spread *spread);
int crl_spread_play_single(struct crl_spread *spread);

static inline bool crl_spread_bit(const struct crl_spread *s, const uint64_t *set, uint32_t node, uint32_t packet)
{
    return set[(size_t)node * s->words + packet / CRL_SPREAD_WORD] >> packet % CRL_SPREAD_WORD & 1;
}

static inline void crl_spread_flip(const struct crl_spread *s, uint64_t *set, uint32_t node, uint32_t packet)
{
    set[(size_t)node * s->words + packet / CRL_SPREAD_WORD] ^= UINT64_C(1) << packet % CRL_SPREAD_WORD;
}

#endif
