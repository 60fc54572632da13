// SPDX-License-Identifier: Apache-2.0
// What lies where while a program is played: in each cell a chunk of a packet and, of a sum, whose values are in it. At
// the end the cells say whether every rank has what it must have.
#ifndef CRL_CELLS_H
#define CRL_CELLS_H

#include "format/program.h"

// What a cell holds, and what a send carries.
struct crl_content {
    uint32_t packet; // its number, times `split` and the number of the chunk; CRL_NONE: nothing
    uint32_t sum;    // of sums: which of `sum`
    uint32_t by;     // the step that put it there; CRL_NONE: it was there
};
struct crl_cells {
    const struct crl_program *program;
    const struct crl_problem *problem;
    uint32_t nodes;
    uint32_t split, packets; // chunks that a packet is; of all of them. What stays at its rank has numbers from there
    size_t cells;            // of a rank
    // In place the smaller buffer is the rank's part of the larger one; a stride of 0: they are the same.
    enum crl_buffer smaller;
    uint32_t stride, most;    // most: chunks of the larger one
    struct crl_content *cell; // [nodes * cells + threads]
    struct crl_sum *sum;
    size_t sums, sum_room;
};

// Checks that the program's buffers suit the problem, and puts there what each rank has. Ended with _done in all cases.
int crl_cells_make(struct crl_cells *cells, const struct crl_program *program, const struct crl_problem *problem,
                   struct crl_diag *diag);
void crl_cells_done(struct crl_cells *cells);
// The number of a cell among all, from 0.
size_t crl_cells_index(const struct crl_cells *cells, struct crl_cell cell);
struct crl_content crl_cells_get(const struct crl_cells *cells, struct crl_cell cell);
// Puts what step `op` moves into a cell, or adds it to what is there.
int crl_cells_set(struct crl_cells *cells, const struct crl_step *op, struct crl_cell cell, struct crl_content what,
                  struct crl_diag *diag);
// Whether every rank ends with what it must have in its output, of each packet chunk `part`; else the error says what
// is not, and which step is to blame. Where packets have no buffers, 0.
int crl_cells_judge(const struct crl_cells *cells, uint32_t part, struct crl_diag *diag);

// Fails where two steps use a cell, one of them writes it, and the program does not say which comes first. `partner` is
// as crl_program_partners sets it; turn[i]: when step i was played, all of them counted from 0.
int crl_program_races(const struct crl_program *program, const struct crl_cells *cells, const size_t *partner,
                      const uint32_t *turn, struct crl_diag *diag);

#endif
