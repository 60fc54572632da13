// SPDX-License-Identifier: Apache-2.0
// Schedules as the plans of other tools: what is written for them. A format is one file here and one row of the form's
// table of formats. Facts on the formats, and what our plans look like in them: docs/formats/plans.md.
#ifndef CRL_FORMAT_H
#define CRL_FORMAT_H

#include "base/pool.h"
#include "schedule/schedule.h"

// A schedule to be written.
struct crl_plan {
    const struct crl_schedule *schedule; // checked, not folded
    const struct crl_problem *problem;
    const char *scheme;
    const char *latency, *bandwidth; // of a link, with their units, as simulators are told
    uint32_t slot_ns;                // nanoseconds of a slot
    uint32_t slots;                  // of the whole
    const uint32_t *arrival;         // [moves] the slots in which they arrive; NULL: as the links' latencies say
};

// A plan as ranks see it: of a network with nodes that only forward one between the hosts alone, else the same.
struct crl_between {
    struct crl_plan plan;
    struct crl_topology topology; // of the ranks: complete
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_demands demands;
    uint32_t *arrival, *active;
};
// To be ended with _done also after a failure. Returns 0, CRL_ERR_LIMIT or CRL_ERR_MEMORY.
int crl_plan_between(struct crl_between *between, const struct crl_plan *plan, struct crl_diag *diag);
void crl_plan_between_done(struct crl_between *between);

// Each writes a whole file. Errors: CRL_ERR_UNSUPPORTED where the format has no form for such a schedule, CRL_ERR_LIMIT
// where it is too large for the tools that read it, CRL_ERR_ARGUMENT, CRL_ERR_IO, CRL_ERR_MEMORY.
int crl_write_msccl_xml(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_mscclpp_json(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_goal(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_chakra(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_gates(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_traffic(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);
int crl_write_platform(const struct crl_plan *plan, FILE *file, struct crl_diag *diag);

// ---- where packets lie in the buffers of other tools

// The name that these tools have for a collective; "custom" where they have none.
const char *crl_collective_elsewhere(const struct crl_problem *problem);
// Where a packet lies in the input of its origin (of a sum: of every node), and in the output of a node that wants it.
uint32_t crl_chunk_in(const struct crl_problem *problem, uint32_t origin, uint32_t dest);
uint32_t crl_chunk_out(const struct crl_problem *problem, uint32_t node, uint32_t origin, uint32_t dest);
// Chunks of these buffers, the same at all nodes.
uint32_t crl_chunks_in(const struct crl_problem *problem);
uint32_t crl_chunks_out(const struct crl_problem *problem);
// Whether a node has a chunk for itself, which no link carries: its input must be copied to its output.
bool crl_chunk_stays(const struct crl_problem *problem, uint32_t node, uint32_t *in, uint32_t *out, uint32_t index);

// ---- what becomes of what is sent

// A packet at a node that sends or receives it.
struct crl_spot {
    uint32_t node, origin, dest;
    bool own;     // the node has it, or of a sum a value of its own, from the beginning
    bool arrives; // it also comes over a link
};
// What a node does with what arrives. Of a scan it holds one sum to send and keeps another; of other sums it holds one.
enum { CRL_TAKE_STORE = 1, CRL_TAKE_ADD = 2, CRL_TAKE_KEEP_STORE = 4, CRL_TAKE_KEEP_ADD = 8 };

struct crl_flow {
    struct crl_pool pool;         // of all arrays but the moves
    const struct crl_move *moves; // of the plan's schedule
    uint32_t count;
    struct crl_spot *place;
    uint32_t places;
    uint32_t *from, *to;  // [count] the place that a move is sent from, and that it comes to
    uint32_t *arrival;    // [count] the slot in which it arrives
    uint32_t *by_arrival; // [count] moves in the order in which they arrive: by slot, node, port
    uint8_t *take;        // [count] what its receiver does
};
// Fails with CRL_ERR_UNSUPPORTED where packets are made on the way, CRL_ERR_LIMIT, CRL_ERR_MEMORY.
int crl_flow_make(struct crl_flow *flow, const struct crl_plan *plan, struct crl_diag *diag);
void crl_flow_done(struct crl_flow *flow);
// The places at the sender of a move to which packets must have come before it, though they are others than its own:
// *count of them, in an array that the caller frees. Returns 0 or CRL_ERR_MEMORY.
int crl_flow_waits(const struct crl_flow *flow, const struct crl_problem *problem, uint32_t move, uint32_t **place,
                   size_t *count);
// Departures and arrivals in order of time, those of a slot after what leaves in it: start with {0}. False at the end.
struct crl_flow_at {
    uint32_t sent, come;
    uint32_t move;
    bool arrives; // else it leaves
};
bool crl_flow_next(const struct crl_flow *flow, struct crl_flow_at *at);

// The events of each rank, for formats that list them: 2i where move i leaves, 2i + 1 where it arrives.
struct crl_ranks {
    struct crl_pool pool;
    const struct crl_flow *flow;
    bool sums;
    uint32_t *start, *event;      // [nodes + 1] [2 * count] in order of time
    uint32_t *last, *before;      // [places] [count] arrivals at a place, the last one first; CRL_NONE ends them
    uint32_t *gone, *sent, *left; // [places] [count] departures likewise; [count] the last one before a move arrives
};
// Returns 0 or CRL_ERR_MEMORY; ended with _done in both cases.
int crl_ranks_make(struct crl_ranks *ranks, const struct crl_flow *flow, const struct crl_problem *problem);
void crl_ranks_done(struct crl_ranks *ranks);
// The arrivals that a move waits for, one after another: the first if `after` is CRL_NONE, and CRL_NONE at the end.
uint32_t crl_ranks_need(const struct crl_ranks *ranks, uint32_t move, uint32_t after);
// The departures that must have been before a move arrives, as what arrives is added to what leaves: likewise.
uint32_t crl_ranks_left(const struct crl_ranks *ranks, uint32_t move, uint32_t after);
// The first arrival at a place.
uint32_t crl_ranks_first(const struct crl_ranks *ranks, uint32_t place);

// Text as the value of an attribute of XML.
void crl_write_escaped(const char *text, FILE *file);

#endif
