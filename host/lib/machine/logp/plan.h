// SPDX-License-Identifier: Apache-2.0
// What an algorithm on a LogP machine is made of. A new one is one file and one row of the table in logp_table.c.
#ifndef CRL_LOGP_PLAN_H
#define CRL_LOGP_PLAN_H

#include "algorithm/estimate.h"
#include "base/pool.h"
#include "machine/logp/schedule.h"

struct crl_logp_algorithm {
    enum crl_logp_kind kind;
    const char *collective, *scheme, *bound, *paper, *summary; // as in struct crl_algorithm
    bool (*applies)(const struct crl_logp_problem *problem);   // NULL: always
    int (*plan)(struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, struct crl_diag *diag);
};

const struct crl_logp_algorithm *crl_logp_algorithm_table(size_t *count);
// The first row that solves `problem`, or the one named `scheme` (NULL: any).
int crl_logp_algorithm_find(const struct crl_logp_algorithm **out, const struct crl_logp_problem *problem,
                            const char *scheme, struct crl_diag *diag);
// Plans. Fails with CRL_ERR_LIMIT, before it begins, where that needs more memory than there is. `schedule` comes back
// in canonical order; the caller ends it with crl_logp_schedule_done also after an error.
int crl_logp_plan(struct crl_logp_schedule *schedule, const struct crl_logp_algorithm *algorithm,
                  const struct crl_logp_problem *problem, struct crl_diag *diag);

// Adds a send that is received when it arrives. Reports what goes wrong at first; then no more is added, and
// crl_logp_plan fails.
void crl_logp_emit(struct crl_logp_schedule *schedule, const struct crl_logp *machine, uint64_t time, uint32_t src,
                   uint32_t dst, uint32_t item, struct crl_diag *diag);

// A postal machine (o = 0, g = 1) played on a LogP machine: its times are multiples of `step`.
struct crl_logp_steps {
    struct crl_logp postal;
    uint64_t step;
};
// When the last send of a plan for a postal machine and so many items starts, in steps.
typedef uint64_t crl_logp_steps_fn(const struct crl_logp *postal, uint32_t items);
// Whether sends at multiples of `step` never meet receptions of messages so sent, or may.
bool crl_logp_step_is_clear(const struct crl_logp_problem *problem, uint64_t step);
// The postal machine and step with which the plan ends earliest, and when. UINT64_MAX: out of memory.
uint64_t crl_logp_steps(struct crl_logp_steps *best, const struct crl_logp_problem *problem,
                        crl_logp_steps_fn *last_send);

// Block-cyclic schedules in the postal model (K93 Sec. 3.2 to 3.4): every item goes over a tree like E(P−1), and every
// node of it with r children is a block of r processors, or one with r + 1, that take turns.
struct crl_logp_blocks {
    struct crl_pool pool;
    uint32_t latency, nodes;          // L, and P − 1
    uint64_t extra;                   // how much later than E(P − 1) the last gets an item
    uint64_t *label;                  // [nodes] when a node has an item, from when the root has it
    uint32_t *parent;                 // [nodes]
    uint32_t *children, *size, *base; // [nodes] of a block: its node's children, processors, and the first of these
    // A leaf is a message. To whom it goes: to the block of node `to`, there to whoever's turn was `turn` items ago;
    // CRL_NONE: to the receive-only processor, P − 1. (Or there is none, and one block has a processor more.)
    uint32_t *to, *turn;
    uint64_t *there; // when it is there: its label, or a multiple of its parent's size later
};

// Looks for a schedule in which no two messages reach a processor at once, with the least extra delay that the search
// finds. If `strict` is false, extra is 0 and two messages may reach a processor at once; `variant` picks one of many.
int crl_logp_blocks_find(struct crl_logp_blocks *blocks, const struct crl_logp *postal, bool strict, uint64_t variant,
                         struct crl_diag *diag);
void crl_logp_blocks_done(struct crl_logp_blocks *blocks);

int crl_plan_logp_broadcast(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_all_to_all(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_summation(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_combining(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_block_cyclic(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_buffered(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);
int crl_plan_logp_slotwise(struct crl_logp_schedule *, const struct crl_logp_problem *, struct crl_diag *);

// Postal machines of few enough messages to try many schedules.
bool crl_applies_logp_slotwise(const struct crl_logp_problem *problem);
// Where processors can keep up with an item every max(g, o).
bool crl_applies_logp_continuous(const struct crl_logp_problem *problem);

#endif
