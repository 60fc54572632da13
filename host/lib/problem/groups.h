// SPDX-License-Identifier: Apache-2.0
// Collectives inside groups of nodes, and programs of several of them, as demands. docs/formats/programs.md.
#ifndef CRL_GROUPS_H
#define CRL_GROUPS_H

#include "demand/demand.h"

// Where a text stands, for messages: `text` begins in column `col` of line `line` of the file `name`.
struct crl_text_place {
    const char *name;
    uint64_t line, col;
    struct crl_diag *diag;
};

// Groups of nodes: group i has node[first[i]]…node[first[i + 1] − 1], ascending, at least two.
struct crl_groups {
    uint32_t *node;  // [first[count]]
    uint32_t *first; // [count + 1]
    uint32_t count;
};
// The groups that `set` says, a text as in "rows", "dims:1,3", "planes:2", "nodes:0,4-7" or "random:5" (by `seed`); "":
// one of all hosts. crl_groups_done also after a failure.
int crl_groups_of(struct crl_groups *groups, const struct crl_topology *topology, const char *set, uint64_t seed,
                  struct crl_text_place place);
void crl_groups_done(struct crl_groups *groups);

// A line of words, COLLECTIVE[@SET] [--root R] [--packets N] [--seed S]: one collective inside each group of a set.
struct crl_step {
    const char *text;
    struct crl_text_place place;
    const char *prefix; // of the ids
    uint32_t stage;     // of the demands
    uint64_t seed;      // unless the line says one
    uint32_t groups;    // that were before it, then with its own: they are numbered on
};
// Appends the step's demands.
int crl_step_add(struct crl_demands *demands, const struct crl_topology *topology, struct crl_step *step);

// The demands of groups, a line each, at once; and of the program in a file. To be ended with crl_demands_done also
// after a failure.
int crl_groups_read(struct crl_demands *demands, const struct crl_topology *topology, const char *groups, uint64_t seed,
                    struct crl_diag *diag);
int crl_program_read(struct crl_demands *demands, const struct crl_topology *topology, FILE *file, const char *name,
                     uint64_t seed, struct crl_diag *diag);

#endif
