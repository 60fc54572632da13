// SPDX-License-Identifier: Apache-2.0
// Random broadcasts: what the machines that have them share.
#ifndef CRL_MACHINE_TRAFFIC_H
#define CRL_MACHINE_TRAFFIC_H

#include "dynamic/intervals.h"
#include "machine/machines.h"
#include <math.h>

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
// What was played, slot by slot, for the page of a point: begin, hand every slot to the watcher, write, end. Write
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
void crl_traffic_watch(void *recorder, uint64_t slot, const struct crl_traffic *traffic);
void crl_intervals_watch(void *recorder, const struct crl_interval_look *look);
int crl_traffic_page(struct crl_traffic_recorder *recorder, const struct carillon_traffic *told,
                     const struct crl_traffic_point *point, struct crl_diag *diag);
void crl_traffic_record_done(struct crl_traffic_recorder *recorder);
// A callback of progress whose user is a const struct crl_traffic_point.
bool crl_traffic_progress(void *point, uint64_t slot);

#endif
