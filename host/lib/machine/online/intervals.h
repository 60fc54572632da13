// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_INTERVALS_H
#define CRL_INTERVALS_H

#include "machine/online/online.h"
#include "machine/traffic.h"

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

// A slot of the first engine, for who looks on.
struct crl_interval_look {
    uint64_t slot; // from 1, of mini packets and of counting alike
    bool begins;
    const uint32_t *valid; // as of struct crl_interval_slot
    const uint64_t *data;
    const struct crl_online *online; // problem, seed, and the number of the packet that each active node has
    const uint32_t *held;            // [nodes] packets of its own that wait at a node, or are carried
};

struct crl_intervals_options {
    double rho;             // load factor λ N X, above 0
    double tp;              // of a step of counting, in slots of a whole packet; at least 0
    uint64_t slots, warmup; // measured, and before that, in slots of a whole packet
    uint64_t seed;
    uint32_t depth;                              // packets that may wait at a node; 0: any number
    FILE *trace;                                 // NULL: none
    bool (*progress)(void *user, uint64_t slot); // whether to go on; may be NULL
    void *user;
    void (*watch)(void *watcher, const struct crl_interval_look *look); // may be NULL
    void *watcher;
};

// The routers' model as an engine. The topology must stay alive. Errors: CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY.
struct crl_intervals_model;
int crl_intervals_model_new(struct crl_intervals_model **out, const struct crl_topology *topology, uint32_t depth,
                            uint64_t seed, struct crl_diag *diag);
void crl_intervals_model_free(struct crl_intervals_model *model);
struct crl_intervals_engine crl_intervals_model_engine(struct crl_intervals_model *model);

// Plays intervals on 1 or 2 engines side by side, until all packets of the measured slots have reached all nodes.
// Every link word is compared, and what nodes hold is judged after every interval; stops at the first difference and
// the first bad result. Time is counted by the slots of the first engine: tp for one of counting, a mini packet for
// another. X and V of the formulas are those of the bound for any sides, which are (9a) and (10a) where sides are
// equal. Errors: CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY, those of the engines.
int crl_intervals_run(struct crl_dynamic_result *result, const struct crl_topology *topology,
                      const struct crl_intervals_options *options, const struct crl_intervals_engine *engines,
                      size_t count, struct crl_diag *diag);

// Routers of broadcasts that arrive at random, started; `waiting` packets may wait at a node.
int crl_rtl_intervals_new(struct crl_rtl **out, const struct crl_topology *topology, uint32_t waiting,
                          const struct crl_rtl_options *options, struct crl_diag *diag);
struct crl_intervals_engine crl_rtl_intervals_engine(struct crl_rtl *engine);
// Ends the waves of intervals, after the last slot.
int crl_rtl_intervals_finish(struct crl_rtl *engine, struct crl_diag *diag);

#endif
