// SPDX-License-Identifier: Apache-2.0
// Collectives on the LogP machine (K93: Karp, Sahay, Santos, Schauser, Optimal Broadcast and Summation in the LogP
// Model, SPAA 1993). P processors 0…P−1; a processor is busy o at each end of a message, which flies L in between; a
// processor starts sends at least g apart, and receptions at least g apart. With o = 0 and g = 1 this is the postal
// model. Times are whole numbers from 0.
#ifndef CRL_LOGP_PROBLEM_H
#define CRL_LOGP_PROBLEM_H

#include "base/base.h"

struct crl_logp {
    uint32_t P, L, o, g; // P ≥ 1, g ≥ 1, L + 2o ≥ 1
};
enum { CRL_LOGP_P_MAX = 1 << 20, CRL_LOGP_TIME_MAX = 1 << 20, CRL_LOGP_NAME = 64 };

// Parses "logp:P=8,L=6,o=2,g=4"; o is 0 and g is 1 where left out. P to CRL_LOGP_P_MAX, the others to
// CRL_LOGP_TIME_MAX. Fails with CRL_ERR_PARSE and the position in `spec` (file "<topology>").
int crl_logp_parse(struct crl_logp *machine, const char *spec, struct crl_diag *diag);
// The canonical spelling, all four parameters named.
void crl_logp_name(const struct crl_logp *machine, char text[CRL_LOGP_NAME]);
// From the start of a send to the moment at which its receiver has the message: L + 2o.
uint32_t crl_logp_flight(const struct crl_logp *machine);
// Least time between the starts of two sends, or of two receptions, of a processor: max(g, o).
uint32_t crl_logp_spacing(const struct crl_logp *machine);

// Labels of E(P), the optimal broadcast tree (K93 Sec. 2, Definition 2.4), in ascending order: node 0 is the root with
// label 0, and a node with label t has children with labels t + i·max(g, o) + L + 2o. Fills label[count] and, unless
// NULL, parent[count] (parent[0] = CRL_NONE). `count` ≥ 1 need not be machine->P. Returns 0 or CRL_ERR_MEMORY.
int crl_logp_tree(const struct crl_logp *machine, uint32_t count, uint64_t *label, uint32_t *parent);
// Time of an optimal broadcast among `count` ≥ 1 processors, B(count) (K93 Theorem 2.1). UINT64_MAX: out of memory.
uint64_t crl_logp_broadcast_time(const struct crl_logp *machine, uint32_t count);

enum crl_logp_kind {
    CRL_LOGP_BROADCAST,               // of one item from processor 0
    CRL_LOGP_K_ITEM,                  // of `items` items from processor 0
    CRL_LOGP_CONTINUOUS,              // item i comes into being at processor 0 at time i · max(g, o)
    CRL_LOGP_ALL_TO_ALL_BROADCAST,    // item i from processor i to everybody
    CRL_LOGP_ALL_TO_ALL_PERSONALIZED, // item i·P + j from processor i to processor j
    CRL_LOGP_COMBINING,               // everybody gets the combination of everybody's value (commutative operator)
    CRL_LOGP_SUMMATION,               // processor 0 gets the sum of operands that lie where the schedule likes
};

// What a message carries. `item` of a send means
//   broadcast … personalized   the item itself;
//   combining                  0: all values received so far combined with the sender's own, 1: those without it;
//   summation                  0: the sender's partial sum, that is, its own operands and all it received.
// "So far" is at the start of the send: a message is in when its receive overhead has ended at or before that time (in
// summation one time unit earlier, for the addition). A combining processor ends with its own value combined with all
// it received; processor 0 of a summation likewise. A processor of a summation that neither sends nor is 0 has no
// operands.
struct crl_logp_problem {
    const struct crl_context *context; // NULL: the defaults
    struct crl_logp machine;
    enum crl_logp_kind kind;
    uint32_t items;    // k-item and continuous: how many, ≥ 1; else 0
    uint32_t time;     // summation: when the sum must be there; 0: as soon as the last message is added
    uint64_t operands; // summation: how many there are at least; 0: as many as the time allows
    bool full_duplex;  // the overhead of a send may overlap that of a reception
};

// Looks `name` up (canonical or alias); the caller then sets items, time, operands and full_duplex and calls _ready.
int crl_logp_problem_init(struct crl_logp_problem *problem, const char *name, const struct crl_logp *machine,
                          struct crl_diag *diag);
// Checks that the numbers make sense together: items where they are needed, and no more operands than the time allows.
int crl_logp_problem_ready(const struct crl_logp_problem *problem, struct crl_diag *diag);
bool crl_logp_collective_known(const char *name);
const char *crl_logp_problem_name(const struct crl_logp_problem *problem);
bool crl_logp_combines(const struct crl_logp_problem *problem); // combining or summation: messages carry combinations
// Item names: all numbers below this (of personalised ones without i·P + i).
uint64_t crl_logp_items(const struct crl_logp_problem *problem);
bool crl_logp_item_exists(const struct crl_logp_problem *problem, uint32_t item);
// Where an item comes from and since when it is there; whether a processor must end with it. Not for those that
// combine.
uint32_t crl_logp_item_origin(const struct crl_logp_problem *problem, uint32_t item);
uint64_t crl_logp_item_since(const struct crl_logp_problem *problem, uint32_t item);
bool crl_logp_item_wanted(const struct crl_logp_problem *problem, uint32_t item, uint32_t processor);

// Bounds. All return UINT64_MAX when memory runs out.
// On the end of the last receive overhead, whatever the schedule (k items: K93 Sec. 3.1 without its slip for few
// items).
uint64_t crl_logp_bound_slots(const struct crl_logp_problem *problem);
// The same of schedules in which processor 0 sends every item once (K93 Sec. 3.4); k-item and continuous only.
uint64_t crl_logp_bound_single_sending(const struct crl_logp_problem *problem);
// Delay of a continuous broadcast: L + 2o + B(P−1) (K93 Sec. 3.1), less where there are few items.
uint64_t crl_logp_bound_delay(const struct crl_logp_problem *problem);
// UINT64_MAX − 1: none is claimed.
uint64_t crl_logp_bound_transmissions(const struct crl_logp_problem *problem);
#define CRL_LOGP_UNBOUNDED (UINT64_MAX - 1)
// Most operands that `machine` can add by `time`, and the least time for `operands` (K93 Sec. 5).
uint64_t crl_logp_operands_in(const struct crl_logp *machine, uint64_t time);
uint64_t crl_logp_time_for(const struct crl_logp *machine, uint64_t operands);

#endif
