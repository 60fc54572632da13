// SPDX-License-Identifier: Apache-2.0
// What the parts of the dynamic stage share.
#ifndef CRL_DYNAMIC_LIB_H
#define CRL_DYNAMIC_LIB_H

#include <carillon/dynamic.h>

// Allocates what nodes, ports, trees, classes, period and tables say: no arrival taken, all gates closed, no roots,
// node v with table v (or 0 where there is one table).
int crl_queue_tables_alloc(struct crl_queue_tables *tables, struct crl_diag *diag);

int crl_scheme_naive(struct crl_queue_tables *tables, struct crl_diag *diag);
int crl_scheme_direct(struct crl_queue_tables *tables, struct crl_diag *diag);
int crl_scheme_periodic(struct crl_queue_tables *tables, struct crl_diag *diag);
int crl_scheme_indirect(struct crl_queue_tables *tables, struct crl_diag *diag);
int crl_scheme_nonidling(struct crl_queue_tables *tables, struct crl_diag *diag);
int crl_scheme_balanced(struct crl_queue_tables *tables, struct crl_diag *diag);

#endif
