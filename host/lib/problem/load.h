// SPDX-License-Identifier: Apache-2.0
// How evenly the packets of a total exchange can load the nodes of a network.
#ifndef CRL_LOAD_H
#define CRL_LOAD_H

#include "problem/problem.h"

// A lower bound on the slots of a single-port total exchange; 0 where there is none to be had this way.
uint64_t crl_load_bound(const struct crl_topology *topology);

#endif
