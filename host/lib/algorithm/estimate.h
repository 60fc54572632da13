// SPDX-License-Identifier: Apache-2.0
// What a plan will need, before it is begun.
#ifndef CRL_ESTIMATE_H
#define CRL_ESTIMATE_H

#include "base/base.h"
#include <stdint.h>

// How the need of an algorithm grows, as measured by scripts/bench --only scaling.
struct crl_plan_cost {
    uint32_t nodes_max;   // it plans networks of up to so many nodes; 0: any number
    uint32_t row_ns;      // for each row
    uint32_t search_s;    // at most, whatever the size
    uint32_t quick_nodes; // it plans networks of up to so many nodes in about a second; 0: of any size
    uint32_t pair_bytes;  // of tables, for each pair of nodes
    uint32_t port_bytes;  // and for each packet and port
};
enum { CRL_PLAN_ROW_BYTES = 56 }; // a move, and the copy and order of it while moves are sorted

struct crl_plan_estimate {
    uint64_t rows;  // moves that are stored; UINT64_MAX: more than can be counted
    uint64_t bytes; // of memory
    double seconds; // roughly
};

// `queued`: packets, times the ports of a node.
struct crl_plan_estimate crl_plan_estimate_of(const struct crl_plan_cost *cost, uint64_t rows, uint64_t nodes,
                                              uint64_t queued);
// Whether so much memory is to be had; an eighth of it is left to others.
bool crl_plan_fits(const struct crl_plan_estimate *estimate);
// Reports that `what` on `where` is too large and what to do about it; returns CRL_ERR_LIMIT.
int crl_plan_refuse(const struct crl_plan_estimate *estimate, const char *what, const char *where, const char *advice,
                    struct crl_diag *diag);

#endif
