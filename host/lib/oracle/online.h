// SPDX-License-Identifier: Apache-2.0
// A run of on-line routers, and its words.
#ifndef CRL_ORACLE_ONLINE_H
#define CRL_ORACLE_ONLINE_H

#include "online/online.h"
#include <carillon/online.h>

struct crl_online {
    const struct crl_problem *problem;
    struct crl_online_run run;
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

#endif
