// SPDX-License-Identifier: Apache-2.0
// The checker's rules. Each looks at moves in canonical order, a slot or a packet at a time, so that threads can share
// the slots and the packets among them; a new rule is one file, one call in check.c, and its findings.
#ifndef CRL_CHECK_H
#define CRL_CHECK_H

#include <stdarg.h>
#include "schedule/schedule.h"

enum crl_severity { CRL_WARNING, CRL_VIOLATION };

struct crl_finding_kind {
    const char *id;
    enum crl_severity severity;
    const char *summary, *advice;
};
const struct crl_finding_kind *crl_finding_kinds(size_t *count);

struct crl_finding {
    const struct crl_finding_kind *kind;
    uint64_t row; // line in the file, or index of the move from 1; 0 where no row is to blame
    char text[CRL_PACKET_NAME + 3 * CRL_NODE_TEXT + 150];
};

// What the checker found out. Counts are of the whole network.
struct crl_report {
    uint64_t slots, transmissions, bound_slots, bound_transmissions;
    uint64_t buffer_packets;       // most packets a node holds between slots that it must still forward
    uint64_t violations, warnings; // all of them, also those beyond the list
    double utilization;
    uint64_t sum_hash; // of sums that break no rule: in which order they are added. docs/formats/sums.md
    bool bits_differ;  // of a sum that several nodes want: they do not add the same values pair by pair
    size_t count;
    struct crl_finding *findings; // the first CRL_FINDINGS_LISTED of each kind
    char misfit[200];             // what to ask first, where one mistake explains most findings; else empty
};
#define CRL_FINDINGS_LISTED 100

// Judges a schedule against a problem, knowing nothing of how it was made. Sorts `schedule`, and writes it out in full
// where it is folded but the problem looks different from different nodes. Returns 0 when no rule is broken,
// CRL_ERR_RULE when one is; the report is filled in both cases.
int crl_check(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
              struct crl_diag *diag);
// The same on so many threads, 1 to 64; the report is the same for any number.
int crl_check_on(struct crl_report *report, struct crl_schedule *schedule, const struct crl_problem *problem,
                 uint32_t threads, struct crl_diag *diag);
void crl_report_done(struct crl_report *report);

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
// Adds what `from` holds, as if it had been found after what `sink` holds.
void crl_sink_merge(struct crl_sink *sink, const struct crl_sink *from);
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
    uint8_t *marks;      // [count]
    uint32_t *neighbors; // [nodes][ports] of each node in ascending order, CRL_NONE where it has fewer; or NULL
    uint32_t nodes;
    bool apart;        // packets sent in one slot may arrive in different ones
    uint64_t *packets; // [nodes] crl_problem_index of the packet that is named by the node alone; or NULL
    uint32_t parts;
    struct crl_part *part; // [parts]
};

// What one thread looks at: some of the slots, then some of the packets. Findings of all, one after the other, are in
// the order in which a single thread finds them.
struct crl_part {
    struct crl_check *check;
    struct crl_sink sink;
    struct crl_report report; // what the sink fills
    uint32_t highest_node;    // named by a row, though the topology has it not
    uint32_t *sender;         // [nodes] of crl_rule_port
    bool unclear;             // narrow rows: something is wrong, which is looked for among moves
};

// crl_problem_index, which is asked several times a move.
static inline uint64_t crl_check_packet(const struct crl_check *check, uint32_t origin, uint32_t dest)
{
    return check->packets && !dest && origin < check->nodes ? check->packets[origin]
                                                            : crl_problem_index(check->problem, origin, dest);
}

// Records a finding that blames move `index` (SIZE_MAX: none). `format` says what in words.
void crl_find(struct crl_part *part, enum crl_finding_id id, size_t index, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum { CRL_MOVE_TEXT = CRL_PACKET_NAME + 2 * CRL_NODE_TEXT + 60 };
// "slot 3: node 5 sends packet 0>7 to node 4" into text.
const char *crl_move_text(const struct crl_schedule *schedule, const struct crl_move *move, char text[CRL_MOVE_TEXT]);

// Rules about the moves [first, end) of one slot.
void crl_rule_range(struct crl_part *part, size_t first, size_t end);
void crl_rule_link(struct crl_part *part, size_t first, size_t end);
void crl_rule_port(struct crl_part *part, size_t first, size_t end);
// The same for narrow rows, first to end−1 of the slots in use: says only that it is unclear.
void crl_rule_port_narrow(struct crl_part *part, size_t first, size_t end);
// Rules about all moves.
void crl_rule_packet(struct crl_check *check);
// The same for narrow rows of a problem in which all get everything: false where more must be asked, and nothing is
// marked then.
bool crl_all_get_all(struct crl_check *check);
// The same where each packet is for one node; of a list that breaks a rule some may be marked.
bool crl_one_gets_each(struct crl_check *check);
void crl_rule_prefix(struct crl_check *check);
void crl_rule_sum(struct crl_check *check);
// Of programs: last[stage · nodes + node] is the slot in which the last came that the node wants of that stage and
// lower ones. NULL: there is one stage. The caller frees it. 0 or CRL_ERR_MEMORY.
int crl_stages_wait(const struct crl_check *check, uint32_t **last);
void crl_rule_demand(struct crl_check *check);   // when packets of demands move
void crl_rule_cable(struct crl_check *check);    // links with gaps, and such that share a cable
void crl_rule_arrivals(struct crl_check *check); // where packets of one slot may arrive in different ones
void crl_measure_buffers(struct crl_check *check);

// Where the slots of a part begin (and those of the part before it end); all parts have about as many moves.
size_t crl_part_slot(const struct crl_check *check, uint32_t part);

#endif
