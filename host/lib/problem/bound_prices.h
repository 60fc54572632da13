// SPDX-License-Identifier: Apache-2.0
// Prices for total exchange: a linear program, its dual a bound.
//
// Charge y ≥ 0 for each packet on a link or, single-port, for each that a node sends and each that it receives: these
// are the rows. A row takes one packet a slot, so all rows together take at most T·Σ y. Each packet, whatever its path
// and however long, pays at least the cheapest way between its ends. So
//     T ≥ Σ cheapest(a, b) / Σ y     for any y.
// Where symmetries take any node to any other, and links to links of their class, the mean of y over the symmetries is
// as good. So there is one row a class, which takes one packet a slot for each origin, and one origin says it of all.
// The best y are the dual solution of the maximum concurrent flow. They are found with floating point, which proves
// nothing; then they are rounded to integers, and what these prove is computed in integers.
#ifndef CRL_BOUND_PRICES_H
#define CRL_BOUND_PRICES_H

#include "base/pool.h"
#include "certify/certify.h"
#include "problem/problem.h"

struct crl_rows {
    struct crl_pool pool; // of all arrays
    uint32_t nodes, links;
    uint32_t count;   // of rows: links, or their classes, or single-port what nodes send, and what they receive
    uint32_t origins; // whose packets are looked at: from 0 on all nodes, or 1
    bool single;
    uint32_t *from, *to; // [links] ends
    uint32_t *first;     // [nodes + 1] of the links from a node, which stand together
    uint32_t *of_class;  // [links] where links have classes, else NULL
    bool *forwards;      // [nodes] who has and wants no packets; NULL: nobody
    uint32_t *price;     // [count] in integers
    double *value;       // [count] as found
};
static inline uint32_t crl_row_sends(const struct crl_rows *r, uint32_t link)
{
    return r->single ? r->from[link] : r->of_class ? r->of_class[link] : link;
}
// The second row that a packet on a link uses; CRL_NONE: none.
static inline uint32_t crl_row_receives(const struct crl_rows *r, uint32_t link)
{
    return r->single ? r->nodes + r->to[link] : CRL_NONE;
}

// Sets the values by a linear program, if the program was built with a solver and origins × links are so few; else
// false.
bool crl_rows_solve(struct crl_rows *rows, uint64_t flows_max);

// The prices that prove the most of a problem. Patient: it may take half a minute to find them. And the cut: node v is
// within from slot since[v] on, cut_off never is.
struct crl_priced {
    bool patient, tried, flowed;
    uint64_t flow_slots; // that the cut proves; 0: no more than is known without
    uint32_t cut_off;
    uint32_t *since; // [nodes]; CRL_NONE: never
    uint64_t slots;  // that they prove, with links of latency 1
    struct crl_rows rows;
    struct crl_certificate reason; // what proves the bound of demands; slots 0: not looked for
    uint32_t to;                   // of packets that all want, the node that it is about
    uint64_t refuted;              // a schedule takes at least so many slots, by SAT; 0: not tried
    int32_t *proof;                // why fewer do not do: clauses, each ended by 0
    size_t literals, proof_room;
};
void crl_priced_done(struct crl_priced *priced);
// What prices prove of a total exchange, in slots; 0 where they are not looked for: in networks with translations, and
// on arrays all-port, where plainer bounds are met, and in large ones.
uint64_t crl_bound_prices(const struct crl_problem *problem);
// What the packets for one host prove, as a flow through time, where all hosts want all packets, or those of a gather
// or a scatter; all-port. At least `slots`, which is known.
uint64_t crl_bound_flow(const struct crl_problem *problem, uint64_t slots);

#endif
