// SPDX-License-Identifier: Apache-2.0
// Plans of other tools that are a traffic: what their messages mean.
#ifndef CRL_SLOTS_IMPORT_H
#define CRL_SLOTS_IMPORT_H

#include "format/program.h"

// The packets that the steps of a program move, and their names as the demands have them.
struct crl_tags {
    uint32_t *packet; // [ops] CRL_NONE: none
    char (*name)[64];
};
// What a program of tagged messages is as traffic: *text becomes the demands, as CSV, which the caller frees. `tags` is
// ended with _done, also after a failure.
int crl_import_traffic(struct crl_tags *tags, char **text, struct crl_program *program, struct crl_diag *diag);
// Makes the steps move the packets of a problem that has these demands.
int crl_import_set_tags(struct crl_program *program, const struct crl_tags *tags, const struct crl_problem *problem,
                        struct crl_diag *diag);
void crl_import_tags_done(struct crl_tags *tags);

#endif
