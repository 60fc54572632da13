// SPDX-License-Identifier: Apache-2.0
// Collectives on the LogP machine (K93: Karp, Sahay, Santos, Schauser, Optimal Broadcast and Summation in the LogP
// Model, SPAA 1993). P processors 0…P−1; a processor is busy o at each end of a message, which flies L in between; a
// processor starts sends at least g apart, and receptions at least g apart. With o = 0 and g = 1 this is the postal
// model. Times are whole numbers from 0.
#ifndef CRL_LOGP_PARAMETERS_H
#define CRL_LOGP_PARAMETERS_H

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

#endif
