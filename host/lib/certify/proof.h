// SPDX-License-Identifier: Apache-2.0
// What the checker of certificates is made of. It assumes that there is a schedule of T = slots − 1 slots and shows
// that what its packets must pay is more than all that its links and nodes could take. All sums saturate: a sum of
// prices that does not fit is larger than any that does, and a capacity that does not fit is never exceeded.
#ifndef CRL_PROOF_H
#define CRL_PROOF_H

#include "certify/certify.h"

static inline uint64_t crl_plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }
static inline uint64_t crl_times(uint64_t a, uint64_t b) { return a && b > UINT64_MAX / a ? UINT64_MAX : a * b; }
static inline uint64_t crl_less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// What a collective asks for. Turned: in reversed time it is `what` on the network with all links turned round.
enum crl_goal_kind { CRL_PAIRS, CRL_SPREAD, CRL_DEMANDS, CRL_ALL_SUM, CRL_SCAN };
struct crl_goal {
    const char *name;
    enum crl_goal_kind what;
    bool from_root, to_root, turned;
};

struct crl_proof_link {
    uint32_t from, to, latency;
    uint32_t cable;         // that it shares with others; CRL_NONE: none
    uint32_t gap, quickest; // gap and latency; the least of those that share its cable
    uint32_t beside;        // links that lead from and to the same nodes, with it
};
// A price on one link.
struct crl_proof_rule {
    uint32_t link, price, after, before;
};
struct crl_proof {
    const struct crl_certificate *c;
    const struct crl_goal *goal;
    const struct crl_topology *topology;
    const struct crl_demands *demands; // of the goal CRL_DEMANDS
    const struct crl_context *context;
    bool stopped; // the caller wanted no more: what ways cost is not known, and nothing is proved
    const char *name;
    struct crl_diag *diag;
    uint64_t T;     // that is refuted
    uint32_t below; // the highest node that is on ways
    uint32_t nodes, links, most_latency, hosts;
    bool *forwards; // [nodes] who has and wants no packets
    struct crl_proof_link *link;
    struct crl_proof_rule *rule;
    size_t rules, rule_room;
    uint64_t *fixed; // [links] what a link costs in every slot
    uint64_t *now;   // [links] what it costs in one slot
    bool windows;
    bool endless;              // slots are those of a period, and it takes longer than one
    uint64_t chunks, capacity; // capacity: what all lines together can take in T slots
    uint64_t *cost;            // [nodes] of the cheapest way to the target; UINT64_MAX: none in time
    uint64_t *later;           // [(most_latency + 1) · nodes] of the same in the slots that follow
    uint32_t *part;            // [nodes] of a partition
    bool *listed;              // [nodes] behind 'to'
};

int crl_proof_init(struct crl_proof *proof, const struct crl_topology *topology); // 0 or CRL_ERR_MEMORY
void crl_proof_done(struct crl_proof *proof);                                     // also after a failure
bool crl_proof_stopped(struct crl_proof *proof);                                  // asks the caller
// Lists the links, turned round or not.
void crl_proof_load(struct crl_proof *proof, const struct crl_topology *topology, bool turned);
// What a link, or a cable that links share, takes in so many slots: a packet every `gap` slots.
uint64_t crl_proof_takes(const struct crl_proof *proof, const struct crl_proof_link *link, uint64_t slots);
// Adds a line to the prices of the links that it is about, and to the capacity what these can take.
int crl_proof_add(struct crl_proof *proof, const struct crl_price *price);
int crl_proof_refuse(const struct crl_proof *proof, uint64_t line, const char *why); // returns CRL_ERR_RULE
int crl_proof_judge(const struct crl_proof *proof, uint64_t due); // 0 if more is due than can be paid
// Sets cost[v] to that of the cheapest way from v to `target` at whatever time; with `delays` to how long it takes.
void crl_proof_cheapest(struct crl_proof *proof, uint32_t target, bool delays);
// Sets cost[v] to what a packet that is at v at the beginning of slot `from` pays at least on its way to the target, if
// it must be there by the end of slot `last` ≤ T; UINT64_MAX where it comes too late.
void crl_proof_ways(struct crl_proof *proof, uint32_t target, uint64_t from, uint64_t last);
// What demands must pay.
int crl_proof_demands(struct crl_proof *proof);

#endif
