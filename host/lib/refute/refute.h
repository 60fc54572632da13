// SPDX-License-Identifier: Apache-2.0
// Refutations: a formula that holds of every schedule of so many slots, and a checker of proofs that it has no
// solution. docs/formats/certificate.md, `kind sat`, says the formula in words.
#ifndef CRL_REFUTE_H
#define CRL_REFUTE_H

#include "topology/topology.h"

// What is claimed to be impossible.
struct crl_claim {
    const struct crl_topology *topology; // links of latency 1
    bool pairs;                          // a packet for each origin and destination; else one an origin, for all
    bool from_root, to_root;             // of origins, of destinations: the root alone
    bool turned;                         // on the network with all links turned round
    bool single;                         // a node sends one packet and receives one a slot
    uint32_t root, slots;
    const struct crl_context *context; // of who waits for a check; NULL: nobody stops it
};

// Takes a clause: `count` literals, ±variable, variables from 1. Returns 0 or an error, which ends the writing.
typedef int crl_clause_taker(void *user, const int32_t *literals, size_t count);
// Writes the formula, always the same for the same claim; *variables: how many it has. Returns 0, what the taker
// returned (NULL: there is none), CRL_ERR_MEMORY, or CRL_ERR_UNSUPPORTED where links have other latencies, some nodes
// only forward, or it would be too large.
int crl_claim_formula(const struct crl_claim *claim, uint32_t *variables, crl_clause_taker *take, void *user);
// Whether clauses, each ended by 0, follow one after the other from the formula and end with a contradiction. Each must
// do so by reverse unit propagation, as every clause does that CaDiCaL learns as this program calls it. Returns 0, an
// error of the formula, CRL_ERR_INTERRUPTED, or CRL_ERR_RULE; *wrong: the clause that does not follow, from 1; 0: there
// is no contradiction.
int crl_claim_refuted(const struct crl_claim *claim, const int32_t *literals, size_t count, uint64_t *wrong);

#endif
