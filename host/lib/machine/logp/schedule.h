// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_LOGP_SCHEDULE_H
#define CRL_LOGP_SCHEDULE_H

#include "machine/logp/problem.h"

struct crl_program; // format/program.h

// One message: from `time` to `time` + o processor `src` is busy sending `item`; `dst` is busy receiving it from
// `rtime`, which is `time` + o + L unless the schedule is buffered, until `rtime` + o, and from then on has it.
struct crl_logp_send {
    uint32_t time, src, dst, item, rtime;
    uint32_t line; // where it was read, 0 if it was planned
};

// A list of sends. In a buffered one a message may wait at its receiver (K93 Sec. 3.5), and the file has a column
// rtime.
struct crl_logp_schedule {
    int error; // of crl_logp_emit, the first
    bool buffered;
    size_t count, capacity;
    struct crl_logp_send *sends;
};

// A schedule starts out as {0}. Add fails with CRL_ERR_LIMIT or CRL_ERR_MEMORY.
int crl_logp_schedule_add(struct crl_logp_schedule *schedule, struct crl_logp_send send);
void crl_logp_schedule_done(struct crl_logp_schedule *schedule);
// Canonical order: time, src, dst, item, rtime.
int crl_logp_schedule_sort(struct crl_logp_schedule *schedule);
// End of the last receive overhead; 0 when nothing is sent.
uint64_t crl_logp_schedule_slots(const struct crl_logp_schedule *schedule, const struct crl_logp *machine);
// Reads `time,src,dst,item` CSV, with or without a fifth column rtime. Anything that is a number parses.
int crl_logp_read_csv(struct crl_logp_schedule *schedule, const struct crl_logp *machine, FILE *file, const char *name,
                      struct crl_diag *diag);
// As carillon_schedule_columns() and carillon_schedule_from_columns() have it; the latter into a schedule that is {0}.
int crl_logp_columns(const struct crl_logp_schedule *schedule, const struct carillon_columns *columns, uint64_t room,
                     struct crl_diag *diag);
int crl_logp_take_columns(struct crl_logp_schedule *schedule, const struct crl_logp *machine,
                          const struct carillon_columns *columns, uint64_t count, const char *name,
                          struct crl_diag *diag);
int crl_logp_write_csv(const struct crl_logp_schedule *schedule, FILE *file, struct crl_diag *diag);
// Writes GOAL text, the input of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010), with a send held back until its time.
// `schedule` is checked.
int crl_logp_write_goal(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, FILE *file,
                        struct crl_diag *diag);
// Lays the program of another tool out in times, as crl_program_lay_out() does in slots. Tags are items, but where
// there is one item only all are it.
int crl_program_lay_out_logp(struct crl_logp_schedule *schedule, const struct crl_program *program,
                             const struct crl_logp_problem *problem, struct crl_diag *diag);

#endif
