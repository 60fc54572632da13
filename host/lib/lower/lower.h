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
    uint32_t streams;    // that a node has, each way, up to its lanes; 0: memories hold its words
    uint32_t apart;      // rows that lie, if there is room, between the own number of a sum of floating point and the
                         // first that is added to it, as of crl_sum_apart
};

// Compiles a checked schedule to tables and placements. Fails with CRL_ERR_UNSUPPORTED if `banks` are too few,
// which fewer than `lanes` are unless packets on their way hardly ever wait.
int crl_lower(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
              const char *scheme, const struct crl_lower_options *options, struct crl_diag *diag);
// What routers that serve all ports at once must have for a schedule.
struct crl_router_form {
    bool write_xbar; // two packets that came over one port leave a node at once
    bool delay;      // packets wait on their way
};
int crl_lower_form(struct crl_router_form *form, const struct crl_schedule *schedule, const struct crl_problem *problem,
                   struct crl_diag *diag);

// ---- sums

// What a partial sum does where it arrives, to the sum that the node sends on, and, in a scan, to the one it keeps,
// which are the same elsewhere. Neither: it was there before.
enum { CRL_SUM_ADDS = 1, CRL_SUM_SETS = 2, CRL_SUM_KEPT_ADDS = 4, CRL_SUM_KEPT_SETS = 8 };
struct crl_sum_hop {
    uint32_t slot, arrival; // slots in which it is sent and taken
    uint32_t src, dst, port, chunk;
    uint8_t effect;
};
// All transmissions of a checked schedule, of all nodes if it is folded, in the order of chunks, arrivals, receivers
// and ports: that in which sums are made. A sum is sent as it is at the beginning of the slot.
struct crl_sums {
    size_t count;
    struct crl_sum_hop *hop; // owned
};
int crl_sums_init(struct crl_sums *sums, const struct crl_schedule *schedule, const struct crl_problem *problem,
                  struct crl_diag *diag);
void crl_sums_done(struct crl_sums *sums);
// Tables, banks and placements of an image of which everything else is set; of `how` counts what that does not say.
int crl_lower_sums(struct crl_image *image, const struct crl_schedule *schedule, const struct crl_problem *problem,
                   const struct crl_lower_options *how, struct crl_diag *diag);

// Reads the tables of an image back into a schedule by following every packet through every node. The caller ends the
// schedule, also after a failure.
int crl_raise(struct crl_schedule *schedule, const struct crl_image *image, const struct crl_problem *problem,
              struct crl_diag *diag);
// What streams make of a schedule: cycles are link cycles of the schedule, from 1; own words may be taken before.
struct crl_stream_ends {
    int64_t first, last; // cycles in which the first own word is taken, and the last one given
    uint64_t own, shown; // most words that a node takes, and gives
    uint64_t slots;      // from end to end, both counted; 0: there are no words
    uint64_t period;     // cycles after which the next round may begin
};
// Registers on the way of a word through a fabric with streams, beyond the cycles that the schedule counts.
struct crl_stream_path {
    uint32_t adapter_in, router, row_stages, links, adapter_out; // links: of a packet's words but one
};
// Sums on streams are made in stages where all links take longer than these anyway.
enum { CRL_SUM_STAGES = 4, CRL_FLOAT_STAGES = 9 }; // cycles by which such routers send and show words later
enum { CRL_FLOAT_APART = 8 };                      // and cycles after which a number can be added to a sum
// These, for packets of `words`, or 0. Numbers of floating point must come as far apart, too, and one at a time.
uint32_t crl_sum_late(const struct crl_problem *problem, uint32_t words);
// Slots that lie for that between two arrivals of a chunk at a node: of integers 1, which makes smaller routers; 0:
// that changes nothing.
uint32_t crl_sum_apart(const struct crl_problem *problem, uint32_t words);
// Moves what does not lie so far apart, if that takes no more slots, or is `longer`. Sums stay those they were. With
// streams on `own_lanes`, else 0, everything is later by what own numbers need to come in before. Returns 0 or
// CRL_ERR_MEMORY; what cannot be moved stays where it is.
int crl_sums_apart(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t apart, bool longer,
                   uint32_t own_lanes);
// With AXI4-Stream adapters, or without; `stages` registers between the sequencers and each node; packets of `words`;
// routers are so many cycles `late`.
struct crl_stream_path crl_stream_path(bool adapters, uint32_t stages, uint32_t words, uint32_t late);
uint32_t crl_stream_path_cycles(const struct crl_stream_path *path);
// Returns 0 or CRL_ERR_MEMORY. The schedule was checked; `streams` is 1 or more, `lanes` 0 for all ports.
int crl_ends_measure(struct crl_stream_ends *ends, const struct crl_schedule *schedule,
                     const struct crl_problem *problem, uint32_t streams, uint32_t lanes);
// A departure: a packet leaves in link cycle `cycle` on `port`, read from lane `lane` at address `addr`.
struct crl_departure {
    uint32_t cycle, addr;
    uint8_t port, lane;
};

// A packet in one node. Departures are in order of cycles.
struct crl_visit {
    uint32_t origin, dest;
    uint32_t arrival;      // link cycle; 0: it is the node's own
    uint32_t addr;         // for an own packet: of the copy that is kept
    uint32_t first, count; // departures
    uint8_t in_port, lane;
    bool keep;   // must be there at the end
    bool banked; // is written into a bank (or loaded there)
};

// An arrival that nobody needs: the guard must know of it, nothing else.
struct crl_stray {
    uint32_t cycle, port;
};

// Everything that happens in one node.
struct crl_node_plan {
    uint32_t node;
    uint32_t visits_count, departures_count, strays_count;
    struct crl_visit *visits; // the three arrays are owned
    struct crl_departure *departures;
    struct crl_stray *strays;
    uint32_t *zero; // [banks] address of each bank's word of zeros, CRL_NONE: it needs none; NULL: no bank does. Owned
    uint32_t depth; // words a bank needs
};

// A word of a bank: an arriving packet, an own packet, or one of the copies of an own packet.
struct crl_item {
    struct crl_visit *visit;
    uint32_t from; // cycle it is written in, 0 if it is loaded
    uint32_t last; // cycle it is last read in, 0 if never
    bool keep;
    uint32_t addr;
};

// What a thread works with, node after node, so that a node costs what happens in it and not the schedule's length.
struct crl_scratch {
    uint32_t *cells; // all 0 between nodes: who uses them clears what he set
    size_t cells_count;
    struct {
        struct crl_item *items;
        size_t count, capacity;
        bool zero; // the lane replays delayed words, which needs a word of zeros
    } lane[CRL_BANKS_MAX];
};
// At least `count` cells, all 0, or NULL.
uint32_t *crl_scratch_cells(struct crl_scratch *scratch, size_t count);
void crl_scratch_done(struct crl_scratch *scratch);

// The link cycle in which a slot uses a port; the inverse gives the slot.
uint32_t crl_link_cycle(const struct crl_geometry *geometry, uint32_t port_model, uint32_t slot, uint32_t port);
uint32_t crl_link_slot(const struct crl_geometry *geometry, uint32_t port_model, uint32_t cycle);

// Collects what happens in `node`. A folded schedule has node 0 only.
struct crl_moves_by_node;
int crl_moves_by_node_new(struct crl_moves_by_node **out, const struct crl_schedule *schedule);
void crl_moves_by_node_free(struct crl_moves_by_node *moves);
int crl_node_plan_collect(struct crl_node_plan *plan, const struct crl_moves_by_node *moves,
                          const struct crl_problem *problem, const struct crl_geometry *geometry, uint32_t node);
void crl_node_plan_done(struct crl_node_plan *plan);

// Lanes. All give 1 if they found some, 0 if they did not, or a negative error. Input-banked: 0 if two packets of one
// lane would leave in one cycle.
int crl_lanes_by_input(struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch);
// Free choice among geometry->banks lanes.
int crl_lanes_by_colour(struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch);
// Fewer banks than lanes: what goes on leaves at once, from the live input; the rest shares the banks. 0 if a cycle has
// more reads or writes than banks or a packet leaves two cycles after it came.
int crl_lanes_direct(struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch);
// Places own packets and those only kept into the lanes that the others leave free.
int crl_lanes_fill(struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch);

// Addresses; also sets `zero`, `depth` and whether a visit is banked. Returns 0 or a negative error.
int crl_addresses_by_counter(struct crl_node_plan *plan, const struct crl_geometry *geometry,
                             struct crl_scratch *scratch);
int crl_addresses_by_reuse(struct crl_node_plan *plan, const struct crl_geometry *geometry,
                           struct crl_scratch *scratch);

// Streams: which words come (`own`) or leave on them, in their order. The lists are the caller's. With as many streams
// as lanes a packet that leaves in several cycles comes as often, and `lanes` is not touched.
int crl_streams_order(const struct crl_node_plan *plan, const struct crl_geometry *geometry, bool own,
                      struct crl_places *places, struct crl_lane_words *lanes);
// A word that a lane takes, or gives, in a cycle.
struct crl_lane_word {
    uint32_t origin, dest, lane, cycle;
    uint32_t packet; // words of one packet are one word of a stream; below `packets`
};
// Deals the words of lanes to fewer streams, in the order of cycles: those that leave in turn, own words so that none
// waits for another one's lane. Returns 0 or CRL_ERR_MEMORY; the lists are the caller's, and the words are left in
// another order.
int crl_streams_deal(struct crl_lane_word *words, uint32_t count, uint32_t packets, const struct crl_geometry *geometry,
                     bool own, struct crl_places *places, struct crl_lane_words *lanes);
// An own word: the row in which it first leaves, and the lanes from which it does. The stream that brings it, as which
// of its words. Of `count` words in the order of rows; returns 0 or CRL_ERR_MEMORY.
struct crl_own_word {
    uint32_t row, lanes;
};
struct crl_stream_seat {
    uint32_t stream, index;
};
int crl_streams_seat(const struct crl_own_word *word, uint32_t count, const struct crl_geometry *geometry,
                     struct crl_stream_seat *seat);

// The rows of one node that are not idle, ascending; the arrays are the caller's.
struct crl_node_rows {
    uint32_t count;
    uint32_t *number, *bits; // bits[count][row_words]
};
int crl_rows_emit(const struct crl_node_plan *plan, const struct crl_geometry *geometry, struct crl_scratch *scratch,
                  struct crl_node_rows *rows);

#endif
