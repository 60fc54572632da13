// SPDX-License-Identifier: Apache-2.0
// The checker's rules. Each looks at moves in canonical order; a new rule is one file, one call in check.c, and its
// findings.
#ifndef CRL_CHECK_H
#define CRL_CHECK_H

#include <carillon/carillon.h>
#include <stdarg.h>

enum crl_finding_id {
#define FINDING(name, id, severity, summary, advice) CRL_FINDING_##name,
#include "check/findings.def"
#undef FINDING
    CRL_FINDINGS
};

// Where findings go.
struct crl_sink {
    struct crl_report *report;
    size_t listed[CRL_FINDINGS];
    bool out_of_memory;
};
// Records a finding about `row` (0: none) in words.
void crl_sink_find(struct crl_sink *sink, enum crl_finding_id id, uint64_t row, const char *format, va_list args);
// Counts `more` further findings of a kind without listing them.
void crl_sink_more(struct crl_sink *sink, enum crl_finding_id id, uint64_t more);
// Puts the list in order. Returns what a check returns.
int crl_sink_close(struct crl_sink *sink, struct crl_diag *diag);

// Marks on a move.
enum {
    CRL_MOVE_BAD = 1,     // outside the topology or the problem: other rules skip it
    CRL_MOVE_KEPT = 2,    // brings a packet that its receiver will forward
    CRL_MOVE_RELEASED = 4 // is the last time a node sends a packet that it received
};

struct crl_check {
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    struct crl_sink sink;
    uint8_t *marks; // [count]
};

// Records a finding that blames move `index` (SIZE_MAX: none). `format` says what in words.
void crl_find(struct crl_check *check, enum crl_finding_id id, size_t index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// "slot 3: node 5 sends packet 0>7 to node 4" into text.
const char *crl_move_text(const struct crl_schedule *schedule, const struct crl_move *move, char text[96]);

void crl_rule_range(struct crl_check *check);
void crl_rule_link(struct crl_check *check);
void crl_rule_port(struct crl_check *check);
void crl_rule_packet(struct crl_check *check);
void crl_rule_prefix(struct crl_check *check);
void crl_measure_buffers(struct crl_check *check);

#endif
