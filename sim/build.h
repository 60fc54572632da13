// SPDX-License-Identifier: Apache-2.0
/* Makes the compiled simulator of a parameter set, or finds it in the cache. Internal to sim/. */
#ifndef CRL_SIM_BUILD_H
#define CRL_SIM_BUILD_H

#include "crl_sim.h"

/* Writes formatted text to config->error, cut to its size. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void crl_build_error(const struct crl_sim_config *config, const char *format, ...);

/*
 * Path of the shared object for config->params and config->wave, made when it is not there. *path is the caller's to
 * free. rebuild: what is in the cache could not be loaded, so make it anew. Parameters must have been checked. Errors:
 * MEMORY, IO, TOOL, BUILD, with text in config->error.
 */
int crl_build_simulator(const struct crl_sim_config *config, bool rebuild, char **path);

#endif
