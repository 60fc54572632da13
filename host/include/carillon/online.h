// SPDX-License-Identifier: Apache-2.0
// On-line routers of tori and arrays, played: partial multinode broadcast and partial exchange by nodes that know only
// their own digits, the sides and whether they are active. Varvarigos & Bertsekas 1994, Secs. 3 and 4.
//
// Each link carries a word of 64 bits a slot (docs/formats/trace.md). A router has two ports a dimension, 2k for
// travelling up along dimension k and 2k + 1 for down; a side of two uses one of them a node.
#ifndef CARILLON_ONLINE_H
#define CARILLON_ONLINE_H

#include <carillon/carillon.h>
#include <carillon/dynamic.h>

struct crl_online;

// Whether routers in RTL play this problem: a partial multinode broadcast, whole or split as the scheme says, or a
// partial exchange, on a torus or an array of at most 4096 nodes and 6 dimensions.
bool crl_online_playable(const struct crl_problem *problem);
// Runs the routers' model in C. A queue holds `depth` packets (0: as many as it must); what finds one full is lost, and
// a fault. *problem must stay alive; crl_online_free frees. Errors: CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY.
int crl_online_new(struct crl_online **out, const struct crl_problem *problem, uint32_t depth, uint64_t seed,
                   struct crl_diag *diag);
void crl_online_free(struct crl_online *online);
// Its words, a slot a step, by ports of the topology.
struct crl_player crl_online_player(struct crl_online *online);
uint32_t crl_online_slots(const struct crl_online *online);
uint32_t crl_online_faults(const struct crl_online *online); // packets lost
// Packets that a memory of a broadcast must hold, or a node of an exchange in all its queues together.
uint32_t crl_online_depth(const struct crl_online *online);

// ---- the routers as hardware

bool crl_online_exchanges(const struct crl_online *online); // else it broadcasts
uint32_t crl_online_nodes(const struct crl_online *online);
uint32_t crl_online_dims(const struct crl_online *online);
// The node whose port `port` leads to that of `node`, or CRL_NONE.
uint32_t crl_online_behind(const struct crl_online *online, uint32_t node, uint32_t port);
// The port of the topology that is port `port` of a router.
uint32_t crl_online_topology_port(const struct crl_online *online, uint32_t port);
// Of an exchange: bits of the digits of a node in the address of what is for it, 4 bits a dimension. Else 0.
uint32_t crl_online_address_bits(const struct crl_online *online);
// Registers of a node before a run, at addresses 0…count−1.
uint32_t crl_online_register_count(const struct crl_online *online);
uint32_t crl_online_register(const struct crl_online *online, uint32_t node, uint32_t address);

// What a node holds after a run: `memories` memories, each read from address 0 until `held` says no more.
struct crl_online_memory {
    bool (*held)(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload);
    void *user;
};
uint32_t crl_online_memories(const struct crl_online *online);
// The part of the packets in a memory; 0 where packets are whole.
uint32_t crl_online_memory_part(const struct crl_online *online, uint32_t memory);
// Judges what the nodes hold, from the problem alone: everything each must have, once and with its own payload, and
// nothing else. Returns "ok", "missing", "extra" or "wrong"; `where` says where.
const char *crl_online_oracle(const struct crl_online *online, const struct crl_online_memory *memory,
                              struct crl_diag *where);

// ---- broadcasts that arrive at random: partial multinode broadcasts, split, one after the other (Sec. 5)
//
// Each carries the oldest packet of every node that has one when it begins; what is generated meanwhile waits. A slot
// carries a mini packet, or a step of counting.

// A packet that a node is given before a slot, one at most: a word a part.
struct crl_interval_packet {
    uint32_t node, sequence;
    const uint32_t *word;
};
// What happens in a slot.
struct crl_interval_slot {
    bool begins, counts;   // it is the first one of an interval; one of counting
    const uint32_t *valid; // words as those of a struct crl_player
    const uint64_t *data;
    uint64_t faults; // until now: nodes that lost a packet, or are of another mind on `begins` and `counts`
};
struct crl_intervals_engine {
    const char *name;
    void *self;
    int (*step)(void *self, const struct crl_interval_packet *given, size_t count, struct crl_interval_slot *slot,
                struct crl_diag *diag);
    // In a slot in which an interval begins: what the nodes hold of the one before, if anybody was active.
    struct crl_online_memory memory;
};

struct crl_intervals_options {
    double rho;             // load factor λ N X, above 0
    double tp;              // of a step of counting, in slots of a whole packet; at least 0
    uint64_t slots, warmup; // measured, and before that, in slots of a whole packet
    uint64_t seed;
    uint32_t depth;                              // packets that may wait at a node; 0: any number
    FILE *trace;                                 // NULL: none
    void (*progress)(void *user, uint64_t slot); // may be NULL
    void *user;
};

// The routers' model as an engine. The topology must stay alive. Errors: CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY.
struct crl_intervals_model;
int crl_intervals_model_new(struct crl_intervals_model **out, const struct crl_topology *topology, uint32_t depth,
                            uint64_t seed, struct crl_diag *diag);
void crl_intervals_model_free(struct crl_intervals_model *model);
struct crl_intervals_engine crl_intervals_model_engine(struct crl_intervals_model *model);

struct crl_intervals_result {
    struct crl_estimate delay; // of packets generated in the measured slots, until the interval that carries them ends
    struct crl_estimate queue; // a node's own packets that have not reached all nodes, over time
    uint64_t queue_max;        // the most that any node had
    double utilization;        // of the links, by packets
    double bound;              // of the delay, Eq. (11); NAN where it is none
    double limit;              // of the load factor, Eq. (14)
    bool stable;               // what waits did not grow beyond doubt
    uint64_t packets, intervals;
    uint64_t dropped, faults, mismatches;
    const char *result; // "ok", "mismatch", or that of crl_online_oracle
    char text[256];     // of a bad result
};
// Plays intervals on 1 or 2 engines side by side, until all packets of the measured slots have reached all nodes.
// Every link word is compared, and what nodes hold is judged after every interval; stops at the first difference and
// the first bad result. Time is counted by the slots of the first engine: tp for one of counting, a mini packet for
// another. X and V of the formulas are those of the bound for any sides, which are (9a) and (10a) where sides are
// equal. Errors: CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY, those of the engines.
int crl_intervals_run(struct crl_intervals_result *result, const struct crl_topology *topology,
                      const struct crl_intervals_options *options, const struct crl_intervals_engine *engines,
                      size_t count, struct crl_diag *diag);

#endif
