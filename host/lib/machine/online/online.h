// SPDX-License-Identifier: Apache-2.0
// A run of on-line routers, and its words.
#ifndef CRL_ONLINE_ONLINE_H
#define CRL_ONLINE_ONLINE_H

#include "board/board.h"
#include "engine/engine.h"
#include "machine/traffic.h"
#include "online/online.h"

struct crl_online;

// Whether routers in RTL play this problem: a partial multinode broadcast, whole or split as the scheme says, or a
// partial exchange, on a torus or an array of at most 4096 nodes and 6 dimensions.
bool crl_online_playable(const struct crl_problem *problem);
// Runs the routers' model in C, of an exchange with `balanced` classes or not. A queue holds `depth` packets (0: as
// many as it must); what finds one full is lost, and a fault. *problem must stay alive; crl_online_free frees. Errors:
// CRL_ERR_UNSUPPORTED, CRL_ERR_MEMORY.
int crl_online_new(struct crl_online **out, const struct crl_problem *problem, bool balanced, uint32_t depth,
                   uint64_t seed, struct crl_diag *diag);
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
// Judges what the nodes hold, from the problem alone: everything each must have, once and with its own payload, and
// nothing else. Returns "ok", "missing", "extra" or "wrong"; `where` says where.
const char *crl_online_oracle(const struct crl_online *online, const struct crl_online_memory *memory,
                              struct crl_diag *where);

struct crl_online {
    const struct crl_problem *problem;
    struct crl_online_run run;
    bool balanced;
    uint32_t depth; // said; 0: any
    uint64_t seed;
    const uint32_t *sequence; // [nodes] number of the packet that a node has; NULL: it has only one
    uint32_t slot, ports;
    size_t at; // in run.log
    uint32_t *valid;
    uint64_t *data;
};

uint32_t crl_online_payload(const struct crl_online *online, uint32_t origin, uint32_t dest);
bool crl_online_is_active(const struct crl_problem *problem, uint32_t node);
// As it is for packet `sequence` of an origin.
uint32_t crl_online_payload_of(const struct crl_problem *problem, uint32_t origin, uint32_t part, uint32_t sequence,
                               uint64_t seed);
// The value of a node in a parallel prefix.
uint32_t crl_online_value(const struct crl_online *online, uint32_t node);

// What node `node` must hold after a part of the partial multinode broadcast. NULL: it does; else as crl_online_oracle.
const char *crl_online_judge_sums(const struct crl_online *online, uint32_t node,
                                  const struct crl_online_memory *memory, struct crl_diag *where);
const char *crl_online_judge_routed(const struct crl_online *online, uint32_t node,
                                    const struct crl_online_memory *memory, struct crl_diag *where);
const char *crl_online_judge_line(const struct crl_online *online, uint32_t node,
                                  const struct crl_online_memory *memory, struct crl_diag *where);

// What the model's nodes hold in the end, of a partial multinode broadcast.
struct crl_online_memory crl_online_model_memory(struct crl_online *online);

// ---- the RTL and the board

// On-line routers, wired for `online`; crl_rtl_online_start() writes their registers and starts. That may be another
// run on the same network: it must have as many dimensions and nodes, and need no deeper queues.
int crl_rtl_online_new(struct crl_rtl **out, const struct crl_online *online, const struct crl_rtl_options *options,
                       struct crl_diag *diag);
int crl_rtl_online_start(struct crl_rtl *engine, const struct crl_online *online, struct crl_diag *diag);
struct crl_online_memory crl_rtl_online_memory(struct crl_rtl *engine);
// The on-line board as a player of a partial multinode broadcast, started. `online` must stay alive, as the board must.
// CRL_ERR_UNSUPPORTED: the board cannot play it.
struct crl_board_online;
int crl_board_online_new(struct crl_board_online **out, struct crl_board *board, const struct crl_online *online,
                         struct crl_diag *diag);
void crl_board_online_free(struct crl_board_online *online);
struct crl_player crl_board_online_player(struct crl_board_online *online);
// After the last step: reads the memories, and what went wrong.
int crl_board_online_finish(struct crl_board_online *online, struct crl_diag *diag);
uint64_t crl_board_online_faults(const struct crl_board_online *online, char text[160]);
struct crl_online_memory crl_board_online_memory(struct crl_board_online *online);

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
