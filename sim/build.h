// SPDX-License-Identifier: Apache-2.0
/* Makes the compiled simulator of a parameter set, or finds it in the cache. Internal to sim/. */
#ifndef CRL_SIM_BUILD_H
#define CRL_SIM_BUILD_H

#include "kinds.h"
#include "tools.h"

/*
 * Loads the simulator for config->params and config->wave, made when it is not there. Parameters must have been
 * checked. Errors: MEMORY, IO, TOOL, BUILD, LOAD, INTERRUPTED.
 */
int crl_build_simulator(struct crl_library *library, const struct crl_sim_config *config,
                        const struct crl_context *context, struct crl_diag *diag);

#endif
