// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_SCHEDULE_H
#define CRL_SCHEDULE_H

#include "problem/problem.h"

// One transmission: in slot `slot` node `src` sends the packet (origin, dest) to its neighbour `dst`.
struct crl_move {
    uint32_t slot, src, dst, origin, dest;
    uint32_t line; // where it was read, 0 if it was planned
};

// A list of moves. A relative schedule holds the moves of node 0 only and stands for all their translates.
struct crl_schedule {
    const struct crl_topology *topology; // not owned
    enum crl_naming naming;
    bool folded;
    size_t count, capacity;
    struct crl_move *moves;
};

void crl_schedule_init(struct crl_schedule *schedule, const struct crl_topology *topology, enum crl_naming naming,
                       bool relative);
void crl_schedule_done(struct crl_schedule *schedule);
int crl_schedule_add(struct crl_schedule *schedule, struct crl_move move);
// Puts the moves into canonical order: slot, src, dst, then packet.
int crl_schedule_sort(struct crl_schedule *schedule);
// Transmissions of the whole network, translates included.
uint64_t crl_schedule_transmissions(const struct crl_schedule *schedule);
uint32_t crl_schedule_slots(const struct crl_schedule *schedule); // last slot in use, 0 when empty
// A copy with every translate written out. Fails with CRL_ERR_LIMIT beyond 2^32−1 moves.
int crl_schedule_expand(struct crl_schedule *full, const struct crl_schedule *schedule, struct crl_diag *diag);
// If the moves are all the translates of those of node 0, keeps only these, sets `relative` and returns true. Needs
// canonical order.
bool crl_schedule_fold(struct crl_schedule *schedule);

// Reads `slot,src,dst,packet` CSV. Anything that is a number parses; whether it makes sense is for the checker to say.
int crl_schedule_read_csv(struct crl_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag);
// Writes CSV in canonical order: the moves of node 0 if `relative`, else every translate, streamed.
int crl_schedule_write_csv(const struct crl_schedule *schedule, FILE *file, bool relative, struct crl_diag *diag);

struct crl_reader;

// The translate of a relative move at node `by`.
struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by);
// Order by slot, src, dst, origin, dest: negative, 0 or positive.
int crl_move_compare(const struct crl_move *a, const struct crl_move *b);

// Reading CSV: the character `c`, or the end of the line, must follow the `after`.
int crl_csv_expect(struct crl_reader *reader, char c, const char *after, struct crl_diag *diag);
int crl_csv_end_of_line(struct crl_reader *reader, const char *after, struct crl_diag *diag);

#endif
