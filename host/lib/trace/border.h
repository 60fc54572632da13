// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_BORDER_H
#define CRL_BORDER_H

#include "topology/topology.h"

// Links to and from nodes that other processes play, of whatever plays those of this one; NULL where there are none.
// Returns 0 or CRL_ERR_MEMORY; *border is then to be freed all the same.
struct crl_border;
int crl_border_new(struct crl_border **border, const struct crl_context *context, const struct crl_topology *topology,
                   uint32_t ports);
void crl_border_free(struct crl_border *border);
// Sends off what left in a row: `sent`, [all nodes] a mask of the ports with words, `data`, [all nodes][ports] those;
// and puts there what others sent, whose masks must be 0 before. Between the two this process may do something else.
// Return 0 or a negative error.
int crl_border_start(struct crl_border *border, const uint32_t *sent, const uint64_t *data);
int crl_border_wait(struct crl_border *border, uint32_t *sent, uint64_t *data);

#endif
