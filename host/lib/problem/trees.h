// SPDX-License-Identifier: Apache-2.0
// Prices of links for demands with several destinations, without windows. The dearer a link, the fewer trees take it:
// every demand in turn moves a part of its packets to the tree that is the cheapest when a link costs the more the
// fuller it is, exponentially. What packets must pay under the mean of these prices is found by dual ascent.
#ifndef CRL_TREES_H
#define CRL_TREES_H

#include "certify/certify.h"
#include "problem/flows.h"
#include "problem/steiner.h"

// Looks for prices that prove more than reason->slots, and if there are some, writes them and their sets to *reason.
// `rounds` of moving at most. Sets the values of *flows to the best of them. Returns 0 or CRL_ERR_MEMORY.
int crl_trees_bound(struct crl_certificate *reason, struct crl_flows *flows, uint32_t rounds);

#endif
