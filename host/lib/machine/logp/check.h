// SPDX-License-Identifier: Apache-2.0
// The checker's rules on a LogP machine. Each looks at sends in canonical order; a new rule is one file, one call in
// logp_check.c, and its findings.
#ifndef CRL_LOGP_CHECK_H
#define CRL_LOGP_CHECK_H

#include "check/check.h"
#include "machine/logp/schedule.h"

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

typedef uint64_t crl_logp_key_fn(const void *sends, uint32_t index); // of struct crl_logp_send[]

struct crl_logp_check {
    const struct crl_logp_schedule *schedule;
    const struct crl_logp_problem *problem;
    struct crl_logp_report *report;
    struct crl_sink sink;
    bool *bad; // [count] outside the machine or the problem: other rules skip it
    // Indices of those that are not bad, processor by processor, in the order in which they are sent, arrive, and are
    // received.
    uint32_t *sent, *arrived, *received, good;
};

// Records a finding that blames send `index` (SIZE_MAX: none).
void crl_logp_find(struct crl_logp_check *check, enum crl_finding_id id, size_t index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "time 3: processor 5 sends item 0 to 4" into text.
const char *crl_logp_send_text(const struct crl_logp_send *send, char text[CRL_MOVE_TEXT]);
// Indices of the sends that are not bad, in the order of `key` and, where it ties, of the list. NULL: out of memory,
// which is then noted. The caller frees.
uint32_t *crl_logp_order(struct crl_logp_check *check, crl_logp_key_fn *key, uint64_t max_key, uint32_t *count);
// When the receiver of a send has the message.
uint64_t crl_logp_there(const struct crl_logp_check *check, const struct crl_logp_send *send);

void crl_logp_rule_range(struct crl_logp_check *check);
void crl_logp_rule_latency(struct crl_logp_check *check);
void crl_logp_rule_gap(struct crl_logp_check *check);
void crl_logp_rule_overlap(struct crl_logp_check *check);
void crl_logp_rule_capacity(struct crl_logp_check *check);
void crl_logp_rule_waiting(struct crl_logp_check *check);
void crl_logp_rule_items(struct crl_logp_check *check);     // where messages carry items
void crl_logp_rule_combining(struct crl_logp_check *check); // combining broadcast
void crl_logp_rule_summation(struct crl_logp_check *check);
void crl_logp_measure_buffers(struct crl_logp_check *check);

#endif
