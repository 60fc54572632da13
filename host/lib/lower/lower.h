// SPDX-License-Identifier: Apache-2.0
// The parts of lowering: what passes through a node (visits), which lane each packet takes, where it lies, and the
// rows.
#ifndef CRL_LOWER_H
#define CRL_LOWER_H

#include "image/image.h"

struct crl_lower_options {
    uint32_t lanes;      // K; 0 = ports
    uint32_t banks;      // B; 0 = the least that works
    uint32_t words;      // words a packet, at least 1
    uint32_t data_width; // bits a word: 8, 16, 32 or 64
};

// Compiles a checked schedule to tables and placements. Fails with CRL_ERR_UNSUPPORTED if `banks` are too few,
// which fewer than `lanes` are unless packets on their way hardly ever wait.
int crl_lower(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
              const char *scheme, const struct crl_lower_options *options, struct crl_diag *diag);
// Reads the tables of an image back into a schedule by following every packet through every node.
int crl_raise(struct crl_schedule *schedule, const struct crl_image *image, const struct crl_problem *problem,
              struct crl_diag *diag);
// Marks the bits of a row that act on anything; `next` is the row after it (NULL: none), `mask` has crl_row_words
// words.
void crl_row_used(const struct crl_geometry *geometry, const struct crl_row *row, const struct crl_row *next,
                  uint32_t *mask);

// A departure: packet leaves in link cycle `cycle` on `port`, read from lane `lane` at address `addr`.
struct crl_departure {
    uint32_t cycle, port, lane, addr;
};

// A packet in one node. Departures are in order of cycles.
struct crl_visit {
    uint32_t origin, dest;
    uint32_t arrival; // link cycle; 0: it is the node's own
    uint32_t in_port;
    bool keep;             // must be there at the end
    bool banked;           // is written into a bank (or loaded there)
    uint32_t lane, addr;   // for an own packet: of the copy that is kept
    uint32_t first, count; // departures
};

// An arrival that nobody needs: the guard must know of it, nothing else.
struct crl_stray {
    uint32_t cycle, port;
};

// Everything that happens in one node.
struct crl_node_plan {
    uint32_t node;
    size_t visits_count, visits_capacity, departures_count, departures_capacity, strays_count, strays_capacity;
    struct crl_visit *visits;
    struct crl_departure *departures;
    struct crl_stray *strays;
    uint32_t zero[CRL_BANKS_MAX]; // address of each bank's word of zeros; CRL_NONE: it needs none
    uint32_t depth;               // words a bank needs
};

// The link cycle in which a slot uses a port; the inverse gives the slot.
uint32_t crl_link_cycle(const struct crl_geometry *geometry, uint32_t port_model, uint32_t slot, uint32_t port);
uint32_t crl_link_slot(const struct crl_geometry *geometry, uint32_t port_model, uint32_t cycle);

// Collects what happens in `node`. A relative schedule has node 0 only.
struct crl_traffic; // moves grouped by node
int crl_traffic_new(struct crl_traffic **out, const struct crl_schedule *schedule);
void crl_traffic_free(struct crl_traffic *traffic);
int crl_node_plan_collect(struct crl_node_plan *plan, const struct crl_traffic *traffic,
                          const struct crl_problem *problem, const struct crl_geometry *geometry, uint32_t node);
void crl_node_plan_done(struct crl_node_plan *plan);

// Lanes. Input-banked: false if two packets of one lane would leave in one cycle.
bool crl_lanes_by_input(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);
// Free choice among geometry->banks lanes; 1 if it found one, 0 if it did not, or a negative error.
int crl_lanes_by_colour(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);
// Fewer banks than lanes: what goes on leaves at once, from the live input; the rest shares the banks. 1 if that
// works, 0 if a cycle has more reads or writes than banks or a packet leaves two cycles after it came, or a negative
// error.
int crl_lanes_direct(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);
// Places own packets and those only kept into the lanes that the others leave free.
int crl_lanes_fill(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);

// Addresses; also sets `zero`, `depth` and whether a visit is banked.
int crl_addresses_by_counter(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);
int crl_addresses_by_reuse(struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t cycles);

// Writes the rows of one node.
void crl_rows_emit(const struct crl_node_plan *plan, const struct crl_geometry *geometry, uint32_t *bits,
                   struct crl_row *rows);

#endif
