// SPDX-License-Identifier: Apache-2.0
// Ways and slots for all packets of an exchange at once, by negotiated congestion (McMurchie & Ebeling 1995,
// PathFinder, which routes wires; here a wire is a way through places and slots).
#ifndef CRL_NEGOTIATION_H
#define CRL_NEGOTIATION_H

#include "schedule/schedule.h"

// A network and the packets that cross it, prepared once for any number of slots.
struct crl_negotiation;

// Prepares for an exchange, a scatter or a gather on a network of links of latency 1. `words_a_slot`: so many words
// enter, and leave, a node in a slot, and where all nodes look the same they do the same; 0: there is no such limit.
// Returns 0 or CRL_ERR_MEMORY; ended with _free (NULL: nothing).
int crl_negotiation_new(struct crl_negotiation **out, const struct crl_problem *problem, uint32_t words_a_slot);
void crl_negotiation_free(struct crl_negotiation *negotiation);
enum { CRL_DETOUR_MAX = 8 };
struct crl_negotiate {
    uint32_t slots;              // at most, with those in which words enter and leave
    uint32_t detour;             // hops that a way may be longer than the shortest, to CRL_DETOUR_MAX
    uint32_t patience;           // how long without progress, from 1
    uint64_t seed;               // picks one of many searches
    uint32_t links_first, links; // links are used in so many of the slots, after the first so many; 0: in all
    bool nowait;                 // no packet waits where it passes
};
// Looks for a schedule. *steps says how long it may look, and comes back as what is left of that; a step is some two
// nanoseconds. Returns 0 with the moves appended to `schedule`, CRL_ERR_UNSUPPORTED when none was found,
// CRL_ERR_INTERRUPTED, or CRL_ERR_MEMORY.
int crl_negotiate(struct crl_negotiation *negotiation, const struct crl_negotiate *how, uint64_t *steps,
                  struct crl_schedule *schedule);
// Whether the moves, in canonical order, bring every packet where it must go, and no cell has too many.
bool crl_negotiation_accepts(const struct crl_negotiation *negotiation, const struct crl_schedule *schedule);

#endif
