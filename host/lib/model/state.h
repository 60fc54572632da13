// SPDX-License-Identifier: Apache-2.0
// The cycle model's state. Nodes that play the same table are numbered side by side: node `node[p]` is at position p,
// and everything a row does is done for a range of positions, in loops over words that lie side by side.
#ifndef CRL_MODEL_STATE_H
#define CRL_MODEL_STATE_H

#include "image/played.h"
#include "model/model.h"
#include "trace/border.h"

// The nodes of one table.
struct crl_model_group {
    uint32_t first, count; // positions
    uint64_t banks;        // those that its rows, or what lies there before and after a round, have to do with
    size_t lane;           // where their lanes begin
};

// A bank of the nodes of a group, and what its lane still has from the row before.
struct crl_model_lane {
    uint32_t low, words;                // the addresses that anything names are from `low` on
    uint32_t cells, alone;              // where they lie (cells.c); the first `alone` cells are of one address each
    size_t map, base;                   // where the addresses begin in `cell`, and the cells in `memory`
    uint64_t delayed_step, shadow_step; // steps in which they were kept; 0: never
    uint32_t shadow_addr;               // the word that this row wrote, of which the next row reads what it was
};

// Streams: what comes and leaves on them in a round.
struct crl_model_streams {
    uint64_t plays, begun;         // rounds of all words, and those whose departures began
    uint32_t period, cycle;        // cycles from a round to the next; the next cycle of the round
    uint64_t seed;                 // of the payloads of the first of all words
    struct crl_permutation coming; // payloads of the round whose own words are taken
    size_t *first;                 // [nodes + 1] at each position: where the numbers of its own words begin
    uint64_t *number;              // own words: of each, the first word of its packet as payloads are numbered
    uint32_t *taken, *shown;       // [tables][lanes] in this round
    uint64_t *own;                 // [banks][nodes] own words in this row
};

struct crl_model {
    struct crl_pool pool; // of arrays that stay as long as they are
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint32_t nodes, first, all;    // played here, from which on, and of the network
    uint32_t *node, *position;     // [nodes] at each position, and the inverse, [all]
    struct crl_model_group *group; // [tables]
    struct crl_model_lane *lane;   // [lanes] of each table's banks that matter, in their order
    size_t lanes, lane_room;
    uint32_t *source; // [ports][nodes] the node that sends to a position by a port, CRL_NONE: none
    uint32_t *reach;  // [tables][ports] how many nodes have a neighbour by a port
    bool whole;       // one table, a neighbour behind every port, and all nodes are played here

    struct crl_row_play *play; // the rows
    struct crl_row_reader reader;
    bool *odd; // [distinct] whether the parity is bad

    size_t addresses, cell_room;
    uint32_t *cell;            // [tables][banks][addresses] of each address
    size_t words;              // of a page
    uint64_t *memory;          // one page, that of the word being played: [tables][banks][cells][nodes of the group]
    uint64_t *delayed;         // [banks][nodes]
    uint64_t *shadow;          // [banks][nodes]
    uint64_t *input, *value;   // [lanes][nodes] live inputs; [nodes]
    uint32_t *sent, *sending;  // [all] ports on which words left in the last row and leave in this one, by node
    uint64_t *data, *leaving;  // [all][ports] those words
    uint64_t *busy, *stirring; // blocks of nodes of `sent` and `sending`
    uint64_t under_way;        // words that were sent and have a node to arrive at in the next row
    struct crl_border *border; // NULL: all nodes are played here
    struct crl_model_links *links;     // NULL: all take a slot
    struct crl_model_streams *streams; // NULL: memories hold what is the nodes' own
    bool departs, arrives;             // of the row: with streams the first has no arrivals, the last no departures
    uint32_t page;                     // the word being played
    uint32_t number;                   // row
    size_t next;                       // in `play`
    uint64_t step;                     // rows played, from 1
    uint64_t idle;                     // what an idle link shows: nothing a table may count on
    struct crl_permutation payload;
    uint32_t alike;         // nodes whose words of one packet lie side by side: all, where they have the same places
    size_t own_count, *own; // own packets, `alike` at once: the first one's word of `memory`
    uint64_t *own_index;    // [own_count][alike] and the numbers of the packets' first words
    size_t *kept_first;     // [nodes + 1] at each position: where its packets begin in a page of `kept`
    uint64_t *kept;         // [CRL_MODEL_PAGES][kept_first[nodes]] what the nodes hold at the end of a word's round;
                            // NULL: somebody looks at `memory` after each
    void (*collected)(void *user, struct crl_model *model, uint32_t first, uint32_t count); // NULL: nobody asks
    void *user;
    uint32_t hint; // where the last word was found
    struct crl_faults faults;
};

// Words on links that take longer than a slot; NULL where there are none. Returns 0 or CRL_ERR_MEMORY.
int crl_model_links_new(struct crl_model_links **links, const struct crl_image *image,
                        const struct crl_topology *topology);
void crl_model_links_free(struct crl_model_links *links);
// Takes the words that left in a row, `sent` and `data`, and puts in their place those that arrive in the next one.
// *left, *leaving: what left, until the next call. Returns how many arrive.
uint64_t crl_model_links_pass(struct crl_model_links *links, uint32_t *sent, uint64_t *data, const uint32_t **left,
                              const uint64_t **leaving);

// The lane of a bank that matters to a table.
static inline struct crl_model_lane *crl_model_lane(const struct crl_model *model, const struct crl_model_group *group,
                                                    uint32_t bank)
{
    return &model->lane[group->lane + (size_t)__builtin_popcountll(group->banks & ((UINT64_C(1) << bank) - 1))];
}

// Finds a cell for each address that the tables name: `cell`, and of the lanes all but what the row before left.
// Errors: MEMORY, LIMIT.
enum { CRL_MODEL_WORDS_BITS = 34 }; // words of all memories
int crl_model_lay_out(struct crl_model *model);

// Where the packets of place k of a node are kept, side by side where all nodes have the same places.
uint64_t *crl_model_kept(const struct crl_model *model, uint64_t page, uint32_t node, uint32_t k);

// Streams of an image that has them; else NULL. Returns 0 or CRL_ERR_MEMORY.
int crl_model_streams_new(struct crl_model *model, uint64_t seed);
void crl_model_streams_free(struct crl_model_streams *streams);
// The next word of a stream, for all nodes of a group: into own[bank].
void crl_model_streams_take(struct crl_model *model, uint32_t table, uint32_t bank);
// Words that leave on a stream, of all nodes of a group.
void crl_model_streams_show(struct crl_model *model, uint32_t table, uint32_t lane, const uint64_t *words);
// A step of the player.
void crl_model_streams_step(struct crl_model *model);
// Counts a fault; the first one says where it was.
void crl_model_note(struct crl_model *model, uint64_t *events, uint32_t node, uint32_t port);

// Plays a row; its words are then in `data`, `sent`.
void crl_model_play_row(struct crl_model *model);

#endif
