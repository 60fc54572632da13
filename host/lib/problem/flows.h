// SPDX-License-Identifier: Apache-2.0
// Prices with windows for demands: a linear program, its dual a bound.
//
// A packet that uses a link (single-port: that a node sends, or receives) pays a price y ≥ 0. Links and nodes are rows
// here. If all is to end by slot T, nothing can come to a row in its first slots, `after` of them, and what passes it
// in its last, `before`, would come too late; so a row of width w takes at most w·(T − after − before) packets or,
// where it takes one every `gap` slots, w·⌈(T − after − before) / gap⌉, and
//     Σ packets · cheapest way  ≤  Σ y·w·⌈(T − after − before) / gap⌉    for any y,
// which is false up to some T: the bound is one more. The best y are the dual solution of the flow of all packets.
//
// Where links are late, more is proved by what happens in the middle: what is used in slots 1 … skip is free, and so is
// what is used when fewer than `spare` slots are left after it. Packets that have far to go must pay in between.
#ifndef CRL_FLOWS_H
#define CRL_FLOWS_H

#include "base/pool.h"
#include "certify/certify.h"
#include "problem/problem.h"
#include "problem/ways.h"

enum { CRL_FLOW_ROWS = 3 };
struct crl_flows {
    const struct crl_topology *topology;
    const struct crl_demands *demands;
    const struct crl_context *context;
    struct crl_pool pool; // of all arrays
    uint32_t nodes, links, rows;
    bool endless;                          // slots are those of a period: no windows
    bool single;                           // rows: what nodes send, and what they receive; else links and cables
    uint32_t *from, *to, *latency, *width; // [links] those side by side are one
    uint32_t *first;                       // [nodes + 1] of the links from a node
    uint32_t *row;                         // [links][CRL_FLOW_ROWS] that a packet on it uses, then CRL_NONE
    uint32_t *link;                        // [rows] one of the links that use it
    uint32_t *room, *gap;                  // [rows] packets every so many slots
    double *capacity;                      // [rows] packets a slot
    uint32_t *late;                        // [rows] slots at the end in which what is sent comes too late
    uint32_t *after, *before;              // [rows]
    uint32_t skip, spare;
    bool *enters, *leaves; // [nodes][nodes] where packets from a node can be, and packets to it, without paying
    uint64_t *start;       // [nodes] slots before the first packet may leave; UINT64_MAX: none does
    double *need;          // [nodes][nodes] packets for one node each
    uint32_t *many;        // [many_count] demands with several destinations
    uint32_t *named;       // [many_count] the destination of each that is the dearest, as its position in the list
    uint32_t many_count;
    double *value;   // [rows] prices as found
    uint32_t *price; // [rows] in integers
    uint64_t slots;  // that these prove; 0: nothing
    // scratch
    struct crl_ways ways;
    double *cost;  // [links]
    double *found; // [rows]
};

// Returns 0 or CRL_ERR_MEMORY; ended with _done also after a failure. `from`: as of crl_demands_earliest.
int crl_flows_init(struct crl_flows *flows, const struct crl_problem *problem, const struct crl_demands *demands,
                   const uint64_t *from);
void crl_flows_done(struct crl_flows *flows);
// Sets skip and spare, and the windows of the rows. Returns 0 or CRL_ERR_MEMORY.
int crl_flows_window(struct crl_flows *flows, uint32_t skip, uint32_t spare);
// No windows: slots are those of a period.
void crl_flows_endless(struct crl_flows *flows);
// Calls for each row of a link.
#define CRL_FLOW_EACH(f, link, at)                                                                                     \
    for (const uint32_t *at = &(f)->row[(size_t)(link)*CRL_FLOW_ROWS];                                                 \
         at < &(f)->row[((size_t)(link) + 1) * CRL_FLOW_ROWS] && *at != CRL_NONE; at++)
// What a packet pays on a link, at values [rows].
static inline double crl_flow_cost(const struct crl_flows *f, const double *value, uint32_t link)
{
    double cost = 0;
    CRL_FLOW_EACH(f, link, at) cost += value[*at];
    return cost;
}
// The row as a line of a certificate, without a window.
struct crl_price crl_flow_line(const struct crl_flows *flows, uint32_t row, uint32_t price);
// The least number of slots, from `slots` on, in which rows can take so much as is due, at values [rows]. Rows are shut
// for `late` slots or, with windows, as these say; those that are shut for `slots` count nothing.
uint64_t crl_flows_least(const struct crl_flows *flows, const double *value, double due, uint64_t slots, bool windows);
// Slots that a row takes nothing in.
static inline uint64_t crl_flow_shut(const struct crl_flows *f, uint32_t row)
{
    return f->after[row] + (uint64_t)f->before[row];
}
// Whether a link can be used if all is to end by slot `last`.
static inline bool crl_flow_open(const struct crl_flows *f, uint32_t link, uint64_t last)
{
    CRL_FLOW_EACH(f, link, at)
    if (crl_flow_shut(f, *at) >= last) return false;
    return true;
}
// Rounds the values to as few steps as prove as much as many do, if that is more than `slots`: true, and sets price and
// slots.
bool crl_flows_round(struct crl_flows *flows, uint64_t slots);
// Sets the values by a linear program that leaves out what cannot be used if all ends by slot `last`; false without a
// solver, or where there is no solution.
bool crl_flows_solve(struct crl_flows *flows, uint64_t last);
// The same slot by slot: value[link · last + slot − 1] of each link in each slot, where all is to end by slot `last`.
// Of demands with one destination each, all-port. False also where that takes more columns than so many.
bool crl_flows_solve_in_time(struct crl_flows *flows, uint64_t last, uint64_t columns_max, double *value);
// Columns of crl_flows_solve.
uint64_t crl_flows_columns(const struct crl_flows *flows);

#endif
