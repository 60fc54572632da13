// SPDX-License-Identifier: Apache-2.0
// How evenly the packets of a total exchange can load the nodes of a network.
#ifndef CRL_LOAD_H
#define CRL_LOAD_H

#include "problem/problem.h"

enum { CRL_LOAD_ROUNDS = 64, CRL_LOAD_NODES_MAX = 128 };

// Routes all pairs over cheap shortest paths, makes nodes dearer the more they send, and repeats. Fills weight[node],
// the last prices, and, unless NULL, share[(node · nodes + dest) · ports + port]: in how many of the CRL_LOAD_ROUNDS
// rounds packets for dest left node through port. Returns 0 or CRL_ERR_MEMORY.
int crl_load_balance(const struct crl_topology *topology, uint32_t *weight, uint8_t *share);

// A lower bound on the slots of a single-port total exchange; 0 where there is none to be had this way.
uint64_t crl_load_bound(const struct crl_topology *topology);

#endif
