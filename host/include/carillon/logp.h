// SPDX-License-Identifier: Apache-2.0
// Collectives on the LogP machine (K93: Karp, Sahay, Santos, Schauser, Optimal Broadcast and Summation in the LogP
// Model, SPAA 1993). P processors 0…P−1; a processor is busy o at each end of a message, which flies L in between; a
// processor starts sends at least g apart, and receptions at least g apart. With o = 0 and g = 1 this is the postal
// model. Times are whole numbers from 0. The conventions of carillon.h hold here, too.
#ifndef CARILLON_LOGP_H
#define CARILLON_LOGP_H

#include <carillon/carillon.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- machine

struct crl_logp {
    uint32_t P, L, o, g; // P ≥ 1, g ≥ 1, L + 2o ≥ 1
};
enum { CRL_LOGP_P_MAX = 1 << 20, CRL_LOGP_TIME_MAX = 1 << 20, CRL_LOGP_NAME = 64 };

// Whether `spec` is of this kind: begins with "logp:".
bool crl_logp_named(const char *spec);
// Parses "logp:P=8,L=6,o=2,g=4"; o is 0 and g is 1 where left out. P to CRL_LOGP_P_MAX, the others to
// CRL_LOGP_TIME_MAX. Fails with CRL_ERR_PARSE and the position in `spec` (file "<topology>").
int crl_logp_parse(struct crl_logp *machine, const char *spec, struct crl_diag *diag);
// The canonical spelling, all four parameters named.
void crl_logp_name(const struct crl_logp *machine, char text[CRL_LOGP_NAME]);
// From the start of a send to the moment at which its receiver has the message: L + 2o.
uint32_t crl_logp_flight(const struct crl_logp *machine);
// Least time between the starts of two sends, or of two receptions, of a processor: max(g, o).
uint32_t crl_logp_spacing(const struct crl_logp *machine);

// Labels of E(P), the optimal broadcast tree (K93 Sec. 2, Definition 2.4), in ascending order: node 0 is the root with
// label 0, and a node with label t has children with labels t + i·max(g, o) + L + 2o. Fills label[count] and, unless
// NULL, parent[count] (parent[0] = CRL_NONE). `count` ≥ 1 need not be machine->P. Returns 0 or CRL_ERR_MEMORY.
int crl_logp_tree(const struct crl_logp *machine, uint32_t count, uint64_t *label, uint32_t *parent);
// Time of an optimal broadcast among `count` ≥ 1 processors, B(count) (K93 Theorem 2.1). UINT64_MAX: out of memory.
uint64_t crl_logp_broadcast_time(const struct crl_logp *machine, uint32_t count);

// ---------------------------------------------------------------- problem

enum crl_logp_kind {
    CRL_LOGP_BROADCAST,               // of one item from processor 0
    CRL_LOGP_K_ITEM,                  // of `items` items from processor 0
    CRL_LOGP_CONTINUOUS,              // item i comes into being at processor 0 at time i · max(g, o)
    CRL_LOGP_ALL_TO_ALL_BROADCAST,    // item i from processor i to everybody
    CRL_LOGP_ALL_TO_ALL_PERSONALIZED, // item i·P + j from processor i to processor j
    CRL_LOGP_COMBINING,               // everybody gets the combination of everybody's value (commutative operator)
    CRL_LOGP_SUMMATION,               // processor 0 gets the sum of operands that lie where the schedule likes
};

// What a message carries. `item` of a send means
//   broadcast … personalized   the item itself;
//   combining                  0: all values received so far combined with the sender's own, 1: those without it;
//   summation                  0: the sender's partial sum, that is, its own operands and all it received.
// "So far" is at the start of the send: a message is in when its receive overhead has ended at or before that time (in
// summation one time unit earlier, for the addition). A combining processor ends with its own value combined with all
// it received; processor 0 of a summation likewise. A processor of a summation that neither sends nor is 0 has no
// operands.
struct crl_logp_problem {
    struct crl_logp machine;
    enum crl_logp_kind kind;
    uint32_t items;    // k-item and continuous: how many, ≥ 1; else 0
    uint32_t time;     // summation: when the sum must be there; 0: as soon as the last message is added
    uint64_t operands; // summation: how many there are at least; 0: as many as the time allows
    bool full_duplex;  // the overhead of a send may overlap that of a reception
};

// Looks `name` up (canonical or alias); the caller then sets items, time, operands and full_duplex and calls _ready.
int crl_logp_problem_init(struct crl_logp_problem *problem, const char *name, const struct crl_logp *machine,
                          struct crl_diag *diag);
// Checks that the numbers make sense together: items where they are needed, and no more operands than the time allows.
int crl_logp_problem_ready(const struct crl_logp_problem *problem, struct crl_diag *diag);
bool crl_logp_collective_known(const char *name);
const char *crl_logp_problem_name(const struct crl_logp_problem *problem);
bool crl_logp_combines(const struct crl_logp_problem *problem); // combining or summation: messages carry combinations
// Item names: all numbers below this (of personalised ones without i·P + i).
uint64_t crl_logp_items(const struct crl_logp_problem *problem);
bool crl_logp_item_exists(const struct crl_logp_problem *problem, uint32_t item);
// Where an item comes from and since when it is there; whether a processor must end with it. Not for those that
// combine.
uint32_t crl_logp_item_origin(const struct crl_logp_problem *problem, uint32_t item);
uint64_t crl_logp_item_since(const struct crl_logp_problem *problem, uint32_t item);
bool crl_logp_item_wanted(const struct crl_logp_problem *problem, uint32_t item, uint32_t processor);

// Bounds. All return UINT64_MAX when memory runs out.
// On the end of the last receive overhead, whatever the schedule (k items: K93 Sec. 3.1 without its slip for few
// items).
uint64_t crl_logp_bound_slots(const struct crl_logp_problem *problem);
// The same of schedules in which processor 0 sends every item once (K93 Sec. 3.4); k-item and continuous only.
uint64_t crl_logp_bound_single_sending(const struct crl_logp_problem *problem);
// Delay of a continuous broadcast: L + 2o + B(P−1) (K93 Sec. 3.1), less where there are few items.
uint64_t crl_logp_bound_delay(const struct crl_logp_problem *problem);
// UINT64_MAX − 1: none is claimed.
uint64_t crl_logp_bound_transmissions(const struct crl_logp_problem *problem);
#define CRL_LOGP_UNBOUNDED (UINT64_MAX - 1)
// Most operands that `machine` can add by `time`, and the least time for `operands` (K93 Sec. 5).
uint64_t crl_logp_operands_in(const struct crl_logp *machine, uint64_t time);
uint64_t crl_logp_time_for(const struct crl_logp *machine, uint64_t operands);

// ---------------------------------------------------------------- schedule

// One message: from `time` to `time` + o processor `src` is busy sending `item`; `dst` is busy receiving it from
// `rtime`, which is `time` + o + L unless the schedule is buffered, until `rtime` + o, and from then on has it.
struct crl_logp_send {
    uint32_t time, src, dst, item, rtime;
    uint32_t line; // where it was read, 0 if it was planned
};

// A list of sends. In a buffered one a message may wait at its receiver (K93 Sec. 3.5), and the file has a column
// rtime.
struct crl_logp_schedule {
    bool buffered;
    bool proved_optimal; // the plan comes with a proof by search that none is shorter
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
int crl_logp_write_csv(const struct crl_logp_schedule *schedule, FILE *file, struct crl_diag *diag);
// Writes GOAL text, the input of LogGOPSim (Hoefler, Schneider, Lumsdaine 2010), with a send held back until its time.
// `schedule` is checked.
int crl_logp_write_goal(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, FILE *file,
                        struct crl_diag *diag);

// ---------------------------------------------------------------- algorithm

struct crl_logp_algorithm {
    enum crl_logp_kind kind;
    const char *collective, *scheme, *bound, *paper, *summary; // as in struct crl_algorithm
    bool (*applies)(const struct crl_logp_problem *problem);
    int (*plan)(struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, struct crl_diag *diag);
};

const struct crl_logp_algorithm *crl_logp_algorithm_table(size_t *count);
// The first row that solves `problem`, or the one named `scheme` (NULL: any).
int crl_logp_algorithm_find(const struct crl_logp_algorithm **out, const struct crl_logp_problem *problem,
                            const char *scheme, struct crl_diag *diag);
// Plans. `schedule` comes back in canonical order; the caller ends it with crl_logp_schedule_done also after an error.
int crl_logp_plan(struct crl_logp_schedule *schedule, const struct crl_logp_algorithm *algorithm,
                  const struct crl_logp_problem *problem, struct crl_diag *diag);

// ---------------------------------------------------------------- check

// What the checker found out, beside what struct crl_report says (its utilization is transmissions over P · slots).
struct crl_logp_report {
    struct crl_report common;
    uint64_t delay;    // most time from an item's coming into being to its last reception
    uint64_t operands; // summation: how many operands the schedule has time to add
    uint64_t time;     // summation: when the sum is there
    uint64_t waiting;  // most messages that wait at a processor after it received
};

// Judges a schedule against a problem, knowing nothing of how it was made. Sorts `schedule`. Returns 0 when no rule is
// broken, CRL_ERR_RULE when one is; the report is filled in both cases and ended with crl_report_done(&report->common).
int crl_logp_check(struct crl_logp_report *report, struct crl_logp_schedule *schedule,
                   const struct crl_logp_problem *problem, struct crl_diag *diag);
// Summation: how many operands each processor adds of its own (the lengths of K93 Figure 6's chains), given a checked
// schedule and the time at which the sum is there. Fills chain[P].
void crl_logp_chains(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, uint64_t time,
                     uint64_t *chain);

#ifdef __cplusplus
}
#endif
#endif
