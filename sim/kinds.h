// SPDX-License-Identifier: Apache-2.0
/* All that differs between the kinds of simulators: a row each. Internal to sim/. */
#ifndef CRL_SIM_KINDS_H
#define CRL_SIM_KINDS_H

#include "crl_sim.h"

/* A module that is verilated, and the names of the parameters it knows, with blanks between them. */
struct crl_module {
    const char *top, *prefix, *parameters;
};

/* What all simulators have. */
struct crl_shape {
    uint32_t ports, data_width, row_bits;
    uint32_t table_depth, pages; /* that the caller asked for */
};

/* A parameter of the RTL as it is built. */
struct crl_value {
    const char *name;
    uint32_t value;
};
enum { CRL_VALUES_MAX = 19 };
struct crl_values {
    struct crl_value of[CRL_VALUES_MAX]; /* those not used have no name */
};

struct crl_kind {
    const char *name;             /* of entries in the cache */
    struct crl_module modules[3]; /* ends with top NULL */
    struct crl_module flat[2];    /* the fabric of them all, likewise */
    /* Whether the parameters are in their ranges, and then what follows from them. */
    bool (*valid)(const struct crl_sim_params *params);
    struct crl_shape (*shape)(const struct crl_sim_params *params);
    /* The rest of the configuration: NULL, or what is wrong with it. */
    const char *(*refuse)(const struct crl_sim_config *config);
    struct crl_values (*values)(const struct crl_sim_config *config); /* parameters of its modules */
    /* The constants by which the shim knows the kind; NULL: none. */
    void (*define)(const struct crl_sim_config *config, FILE *file);
    void (*describe)(const struct crl_sim_params *params, char *text, size_t size);
};

/* NULL when there is no such kind. */
const struct crl_kind *crl_kind(const struct crl_sim_params *params);

/* What is verilated of it; no module where there is no flat fabric of the kind. */
static inline const struct crl_module *crl_kind_modules(const struct crl_kind *kind,
                                                        const struct crl_sim_params *params)
{
    return params->flat ? kind->flat : kind->modules;
}

#endif
