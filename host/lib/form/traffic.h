// SPDX-License-Identifier: Apache-2.0
// Random broadcasts: what the forms that have them share.
#ifndef CRL_FORM_TRAFFIC_H
#define CRL_FORM_TRAFFIC_H

#include "dynamic/dynamic.h"
#include "form/form.h"
#include <math.h>

// A scheme on a network under a load.
struct crl_traffic_point {
    const struct crl_context *context;
    const char *scheme, *topology; // canonical spelling
    double rho;
    const struct carillon_options *options;
    uint32_t engines, depth; // as the options say, or the form's default
    uint64_t warmup;
    FILE *trace; // NULL: none
};
// How it was played, and what papers say of it. NAN: none.
struct crl_traffic_paper {
    double rho, tp; // tp: of a step of counting, where routers count
    uint32_t dims;  // whose links are told apart
    double limit, delay, formula_delay, formula_queue, bound, oblivious_bound;
};

// Fills the result of a point from what was measured.
int crl_traffic_tell(struct carillon_traffic *traffic, const struct crl_traffic_point *point,
                     const struct crl_dynamic_result *result, const struct crl_traffic_paper *paper,
                     struct crl_diag *diag);
// Fails with CRL_ERR_LIMIT where so many packets, generated in the whole network a slot, would not fit into memory.
int crl_traffic_fits(const struct crl_traffic_point *point, double packets_a_slot, struct crl_diag *diag);
// A callback of progress whose user is a const struct crl_traffic_point.
void crl_traffic_progress(void *point, uint64_t slot);

#endif
