// SPDX-License-Identifier: Apache-2.0
// On-line routers in RTL as a player.
#ifndef CRL_ENGINE_ONLINE_H
#define CRL_ENGINE_ONLINE_H

#include "engine/rtl.h"
#include "dynamic/intervals.h"

struct engine_online;

// Builds the simulator if need be, and wires it. `online` must stay alive.
int engine_online_new(struct engine_online **out, const struct crl_online *online, const char *wave,
                      struct crl_diag *diag);
void engine_online_free(struct engine_online *engine);
// Writes the registers and starts. Another run on the same network may be given: it must have as many dimensions and
// nodes, and need no deeper queues.
int engine_online_start(struct engine_online *engine, const struct crl_online *online, struct crl_diag *diag);
struct crl_player engine_online_player(struct engine_online *engine);
// After the last step: lets the nodes take in what is on the links. Nodes with faults, a packet still waiting included;
// `text` says which came first.
uint64_t engine_online_finish(struct engine_online *engine, char text[160]);
struct crl_online_memory engine_online_memory(struct engine_online *engine);

// Routers of broadcasts that arrive at random, started; `waiting` packets may wait at a node. engine_online_free frees.
int engine_intervals_new(struct engine_online **out, const struct crl_topology *topology, uint32_t waiting,
                         struct crl_diag *diag);
struct crl_intervals_engine engine_intervals_engine(struct engine_online *engine);

#endif
