// SPDX-License-Identifier: Apache-2.0
// Random broadcasts: what the machines that have them share.
#ifndef CRL_MACHINE_TRAFFIC_H
#define CRL_MACHINE_TRAFFIC_H

#include "api/machine.h"
#include "topology/topology.h"
#include <math.h>

// ---------------------------------------------------------------- what is measured

enum { CRL_BATCHES = 32, CRL_TRAFFIC_DIMS_MAX = 10 };
// What is known of random broadcasts in the end, whatever played them; what a run does not know is 0. Estimates have
// the half width of their 95% interval by batch means; NAN where there is none.
struct crl_estimate {
    double mean, ci95;
};
struct crl_dynamic_result {
    struct crl_estimate delay; // slots from generation until all nodes have the packet: to the end of the slot that
                               // hands it to the last one, or of the interval that carries it. None where not stable
    struct crl_estimate
        queue;          // packets stored a node at the start of a slot; in intervals its own unfinished ones, over time
    uint64_t queue_max; // the most any node stored then
    double utilization[CRL_TRAFFIC_DIMS_MAX]; // of the links of each dimension; not in intervals
    double utilization_all;
    double load;         // load factor that was generated and taken; not in intervals
    double bound, limit; // intervals: of the delay, Eq. (11), NAN where it is none; of the load factor, Eq. (14)
    bool stable;         // what is stored or waits did not grow beyond doubt
    uint64_t packets;    // generated in the measured slots
    uint64_t slots_played, intervals;
    uint64_t dropped, faults, mismatches;
    const char
        *result;    // "ok", or one word: missing, duplicate, extra, deadlock, mismatch, or that of crl_online_oracle
    char text[256]; // of a bad result
};

// Mean of `count` batch means and the half width of its 95% interval (Student's t); NAN for fewer than two.
struct crl_estimate crl_batch_means(const double *mean, uint32_t count);

// Whether a series of batch means grows beyond doubt: the slope of its regression line is more than four standard
// errors above 0, these corrected for the correlation of neighbours, and the line rises by more than a tenth of the
// mean.
bool crl_series_grows(const double *mean, uint32_t count);

// ---------------------------------------------------------------- what is told

// How it was played, and what papers say of it. NAN: none.
struct crl_traffic_paper {
    double rho, tp; // tp: of a step of counting, where routers count
    uint32_t dims;  // whose links are told apart
    double limit, delay, formula_delay, formula_queue, bound, oblivious_bound;
};

// Fills the result of a point from what was measured.
int crl_traffic_tell(struct carillon_traffic *traffic, const struct crl_traffic_point *point,
                     const struct crl_dynamic_result *result, const struct crl_traffic_paper *paper,
                     struct crl_diag *diag);
// Fails with CRL_ERR_LIMIT where so many packets, generated in the whole network a slot, would not fit into memory.
int crl_traffic_fits(const struct crl_traffic_point *point, double packets_a_slot, struct crl_diag *diag);
// What was played, slot by slot, for the page of a point: begin, slots, write, end. Write
// needs what the point's result is told as.
struct crl_traffic_recorder {
    const struct crl_topology *topology;
    FILE *stored, *moves, *counts;
    char *stored_text, *moves_text, *counts_text;
    size_t stored_length, moves_length, counts_length;
    uint32_t *need;
    uint32_t parts; // of a packet, where routers count; else 0
    uint8_t *seen;  // [nodes · nodes · parts] bits: mini packets that are at a node, of an interval
    uint64_t transmissions;
    uint32_t slots, played;
};
int crl_traffic_record(struct crl_traffic_recorder *recorder, const struct crl_topology *topology, uint32_t parts,
                       struct crl_diag *diag);
// Begins slot `slot`, at whose beginning nodes store so many packets; false where the page does not hold it. It is
// ended after its moves; a move is to a node that keeps the packet, or not.
bool crl_traffic_slot(struct crl_traffic_recorder *recorder, uint64_t slot, const uint32_t *stored);
void crl_traffic_move(struct crl_traffic_recorder *recorder, uint32_t src, uint32_t dst, uint32_t origin,
                      uint32_t number, bool keeps);
// Nothing has been seen at any node.
void crl_traffic_forget(struct crl_traffic_recorder *recorder);
void crl_traffic_slot_end(struct crl_traffic_recorder *recorder);
int crl_traffic_page(struct crl_traffic_recorder *recorder, const struct carillon_traffic *told,
                     const struct crl_traffic_point *point, struct crl_diag *diag);
void crl_traffic_record_done(struct crl_traffic_recorder *recorder);
// A callback of progress whose user is a const struct crl_traffic_point.
bool crl_traffic_progress(void *point, uint64_t slot);

#endif
