// SPDX-License-Identifier: Apache-2.0
// What the directories of boards, their bench and their list of cables share.
#ifndef CRL_SLOTS_EMIT_BOARDS_H
#define CRL_SLOTS_EMIT_BOARDS_H

#include "machine/slots/emission.h"
#include "schedule/cables.h"

enum { SILENCE = 10, WIRED_SILENCE = 6, WIRE_SAMPLES = 4 };

// The cables of the plan, numbered from 0; ends 2c and 2c + 1 are those of cable c.
struct boards {
    const struct emission *e; // of the whole network
    const struct crl_boards *of;
    struct crl_cable *way; // the directions; owned
    uint32_t ways, cables, depth, flit_bits;
    uint32_t *end_of;         // [ways] the end that sends; owned
    uint32_t *board, *way_of; // [2 · cables] of each end its board, and what it sends, CRL_NONE: nothing; owned
    uint32_t *member;         // [nodes] nodes board by board; owned
    char plan[65];            // what no other plan has
    bool wires;
};

static inline const struct crl_topology *network_of(const struct boards *b) { return b->e->part->problem->topology; }
static inline const char *name_at(const struct boards *b, uint32_t board) { return crl_names_at(&b->of->names, board); }

// The directions of the cables, with the most that any of the schedules has to do with each.
int boards_list_ways(struct boards *b);
// Words that share a cable come in the order in which they went, one a row: so tables at both ends say whose they are.
int boards_check_cables(const struct boards *b);
void boards_number_cables(struct boards *b);
// The network, its boards and all that its routers play.
int boards_name_plan(struct boards *b);
uint32_t boards_identity(const struct boards *b, uint32_t cable);
// How many ends the board has before this one.
uint32_t boards_index_of(const struct boards *b, uint32_t end);
uint32_t boards_ends_on(const struct boards *b, uint32_t board);
const struct crl_cable *boards_way_at(const struct boards *b, uint32_t end);
uint32_t boards_slot_of(const struct boards *b);
// The depth of a cable's ends where each packet has so many words.
uint32_t boards_deeper(uint32_t depth, uint32_t words);
// Cycles that a flit, or an edge, takes in the bench.
uint32_t boards_delay_at(const struct boards *b, uint32_t end);
int boards_write_cables(const struct boards *b);

#endif
