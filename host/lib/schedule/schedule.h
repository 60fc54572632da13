// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_SCHEDULE_H
#define CRL_SCHEDULE_H

#include "problem/problem.h"

// One transmission: in slot `slot` node `src` sends the packet (origin, dest) to its neighbour `dst`.
struct crl_move {
    uint32_t slot, src, dst, origin, dest;
};

// Moves, slot by slot once they are sorted. A folded schedule holds the moves of node 0 only and stands for all their
// translates.
struct crl_schedule {
    const struct crl_topology *topology; // not owned
    enum crl_naming naming;
    const struct crl_demands *demands; // that packets are named by, where demands name them; not owned
    bool folded;
    const char *scheme; // of the algorithm that planned it; NULL: none did
    bool listed;        // folded, but found so in a list of every move: lines are those of the list
    size_t count, capacity;
    struct crl_move *moves;
    struct crl_narrow *narrow;        // in place of moves, of a list that was only read; else NULL
    const struct crl_problem *judged; // reading may keep rows narrow, as those of this problem; else NULL
    size_t slots;                     // in use, as crl_schedule_sort found them
    uint32_t *slot_start;             // [slots + 1] first move of the i-th slot in use; the last one is `count`
    uint32_t first_line;              // of the file, where moves stand one a line and in order; 1 if planned
    uint32_t *line;                   // [moves listed] of each move, where they did not stand in order; else NULL
    int error;                        // of crl_schedule_add, the first
};

void crl_schedule_init(struct crl_schedule *schedule, const struct crl_topology *topology, enum crl_naming naming,
                       bool folded);
// The same for the packets of a problem.
void crl_schedule_init_for(struct crl_schedule *schedule, const struct crl_problem *problem, bool folded);
void crl_schedule_done(struct crl_schedule *schedule);
// Returns 0, CRL_ERR_MEMORY or CRL_ERR_LIMIT; then nothing more is added, and crl_schedule_sort returns it as well, so
// that whoever adds many moves need not look at each.
int crl_schedule_add(struct crl_schedule *schedule, struct crl_move move);
// Adds the moves of another, so many slots later, of origins that are numbered so much higher.
void crl_schedule_append(struct crl_schedule *schedule, const struct crl_schedule *more, uint32_t slots,
                         uint32_t origin);
// Puts the moves into canonical order (slot, src, dst, then packet) and makes the index of slots. Moves that are in
// order already are only looked at. Returns 0, CRL_ERR_MEMORY, or why some were not added.
int crl_schedule_sort(struct crl_schedule *schedule);
// Line of the file at which the move was read; its number in canonical order, from 1, if it was planned.
uint64_t crl_schedule_line(const struct crl_schedule *schedule, size_t index);
void crl_schedule_forget_lines(struct crl_schedule *schedule); // as if it were planned
// Makes moves of the rows of a list that were kept narrow (schedule/narrow.h), and folds it where it can be: before
// anybody looks at `moves` of a schedule that was read with `judged`. Returns 0 or CRL_ERR_MEMORY.
int crl_schedule_widen(struct crl_schedule *schedule, struct crl_diag *diag);
// Transmissions of the whole network, translates included.
uint64_t crl_schedule_transmissions(const struct crl_schedule *schedule);
uint32_t crl_schedule_slots(const struct crl_schedule *schedule); // last slot in which one arrives, 0 when empty
// The slot in which a packet arrives that is sent in slot `slot` from `src` to `dst`.
uint32_t crl_arrival_slot(const struct crl_topology *topology, uint32_t slot, uint32_t src, uint32_t dst);
// The port over which `move`, one of the sorted moves of the schedule, leaves its sender: of packets that take links
// side by side in one slot each takes the next one. CRL_NONE where there is none left.
uint32_t crl_move_port(const struct crl_schedule *schedule, const struct crl_move *move);

// ---- folded schedules

// A copy with every translate written out. Fails with CRL_ERR_LIMIT beyond 2^32−1 moves; then there is nothing to end.
int crl_schedule_expand(struct crl_schedule *full, const struct crl_schedule *schedule, struct crl_diag *diag);
int crl_schedule_unfold(struct crl_schedule *schedule, struct crl_diag *diag); // the same in place
// If the moves are all the translates of those of node 0, keeps only these, sets `folded` and returns true. Needs
// sorted moves.
bool crl_schedule_fold(struct crl_schedule *schedule);
// Whether translates can be told apart and named at all: on such a network, with packets named by nodes.
bool crl_schedule_may_fold(const struct crl_schedule *schedule);
// The translate of a move of node 0 at node `by`; and the other way round, of any move to one of node 0.
struct crl_move crl_move_translate(const struct crl_schedule *schedule, struct crl_move move, uint32_t by);
struct crl_move crl_move_at_0(const struct crl_schedule *schedule, struct crl_move move);
// Order by slot, src, dst, origin, dest: negative, 0 or positive.
int crl_move_compare(const struct crl_move *a, const struct crl_move *b);

// ---- CSV

// Reads `slot,src,dst,packet` CSV. Anything that is a number parses; whether it makes sense is for the checker to say.
// Leaves the schedule sorted; what was listed in full is folded where it can be (and then never held in full if it
// stands in canonical order).
int crl_schedule_read_csv(struct crl_schedule *schedule, FILE *file, const char *name, struct crl_diag *diag);
// The same on so many threads, 1 to 64.
int crl_schedule_read_csv_on(struct crl_schedule *schedule, FILE *file, const char *name, uint32_t threads,
                             struct crl_diag *diag);
#define CRL_CSV_ROWS_MAX (UINT64_C(1) << 33) // some 200 GB
// The name of a move's packet; returns `text`. And the node where it starts: where sums are made, that of its number.
const char *crl_schedule_packet_name(const struct crl_schedule *schedule, const struct crl_move *move,
                                     char text[CRL_PACKET_NAME]);
uint32_t crl_schedule_source(const struct crl_schedule *schedule, const struct crl_move *move);
// Writes CSV in canonical order: the moves of node 0 if `relative`, else every translate, streamed, if there are no
// more than CRL_CSV_ROWS_MAX.
int crl_schedule_write_csv(const struct crl_schedule *schedule, FILE *file, bool relative, struct crl_diag *diag);

// ---- columns

// As carillon_schedule_columns() and carillon_schedule_from_columns() have it; the latter into a schedule that is
// initialized. And how many numbers the name of a packet has; these as a move has them, and the other way round: false
// where no packet has such numbers.
int crl_schedule_columns(const struct crl_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                         struct crl_diag *diag);
int crl_schedule_take_columns(struct crl_schedule *schedule, const struct carillon_columns *columns, uint64_t count,
                              const char *name, struct crl_diag *diag);
uint32_t crl_packet_numbers(enum crl_naming naming);
bool crl_packet_of_numbers(enum crl_naming naming, const struct crl_demands *demands,
                           const uint32_t numbers[CARILLON_PACKET_NUMBERS], struct crl_move *move);

#endif
