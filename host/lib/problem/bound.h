// SPDX-License-Identifier: Apache-2.0
// Certificates of the bounds: arguments are tried until the checker accepts one.
#ifndef CRL_BOUND_H
#define CRL_BOUND_H

#include "certify/certify.h"
#include "problem/problem.h"

// An argument in the making. `problem` is that in reversed time where the collective is one that turns; `real` is the
// network as it is.
struct crl_argument {
    struct crl_certificate *certificate;
    const struct crl_problem *problem;
    const struct crl_topology *real;
    int error;
};

// Adds lines; failures are kept in argument->error.
void crl_argue_price(struct crl_argument *argument, enum crl_payer payer, uint32_t from, uint32_t to, uint32_t price,
                     uint64_t after, uint64_t before);
void crl_argue_to(struct crl_argument *argument, uint32_t node);
// Whether the checker accepts it. If not, all lines are taken back.
bool crl_argue(struct crl_argument *argument, enum crl_certificate_kind kind);
// What crl_bound_refute has found.
bool crl_argue_refuted(struct crl_argument *argument, const struct crl_problem *problem);
// All that can be said of sums that nothing turns: all-reduce and scan.
bool crl_argue_sums(struct crl_argument *argument);

// The latencies of the links as a certificate says them, and --link-latency: "" where they are 1, or a file says them.
// Returns `text`.
const char *crl_bound_latency_text(const struct crl_topology *topology, char text[64]);
// Sets the lines before the kind, as of the bound that is known. Returns 0 or CRL_ERR_UNSUPPORTED.
int crl_bound_header(struct crl_certificate *certificate, const struct crl_problem *problem, struct crl_diag *diag);
// Raises the bound, as long as a SAT solver refutes schedules that just meet it, each time within so many conflicts.
// Does nothing where there is no formula for it. Returns 0 or CRL_ERR_MEMORY.
int crl_bound_refute(const struct crl_problem *problem, uint32_t conflicts, struct crl_diag *diag);
// Writes the certificate of the bound into *certificate, which the caller ends with crl_certificate_done, also after a
// failure. CRL_ERR_UNSUPPORTED where the collective has none, or none is known that proves as much.
int crl_bound_certificate(struct crl_certificate *certificate, const struct crl_problem *problem,
                          struct crl_diag *diag);
int crl_certificate_write(const struct crl_certificate *certificate, FILE *file, struct crl_diag *diag);
const char *crl_certificate_kind_name(enum crl_certificate_kind kind);

// The partition of the nodes into *parts parts that has the fewest *links between them for each part but one, whichever
// way these lead. part[v], unless it is NULL: the number of v's part, the last of its nodes. False where that would
// take long, or out of memory.
bool crl_bound_strength(const struct crl_topology *topology, uint32_t *part, uint64_t *parts, uint64_t *links);

// The most links of which no two begin or end at one node. sender[v]: from whom v receives in such a set, or CRL_NONE;
// `tried` holds only zeros before, and is scratch.
uint64_t crl_largest_matching(const struct crl_topology *topology, uint32_t *sender, uint32_t *tried);

// Sets delay[v] to the slots from v to `node` (outward: from it to v) over nodes up to `top` alone, CRL_NONE: no way.
void crl_bound_delays_below(const struct crl_topology *topology, uint32_t node, bool inward, uint32_t top,
                            uint32_t *delay);

#endif
