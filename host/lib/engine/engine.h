// SPDX-License-Identifier: Apache-2.0
// The RTL as a player: loads what is to be played into a simulation, plays it, reads the memories back.
//
// The RTL holds a few words of every packet at once. More are played one group after the other, and players show one
// contiguous sequence of cycles all the same; so memory does not grow with words.
#ifndef CRL_RTL_H
#define CRL_RTL_H

#include "model/model.h"
#include "schedule/cables.h"

struct crl_rtl;

enum { CRL_RTL_PAGES = 4 }; // words of every packet that are in the RTL at once

struct crl_rtl_options {
    const struct crl_context *context;
    uint64_t seed;    // of the payloads
    uint32_t threads; // that share the routers; 0 or 1: the caller's
    const char *wave; // file, ending in .fst or .vcd; NULL: none
    uint32_t rounds;  // of all words, of an image with streams; 0: one
    // Boards with clocks of their own, of nodes with streams: the cables of the plan, as crl_cables_list has them;
    // NULL: one clock. Clocks are up to so many ppm faster and slower; cables take cable_least to cable_most cycles (0:
    // as planned); the chance that a flit is damaged, lost, doubled.
    const struct crl_cable *cables;
    uint32_t cable_count, ppm, cable_least, cable_most;
    double cable_errors;
    struct crl_cable_outage {
        uint32_t cable, round; // both directions of cable i of crl_rtl_cables; from round 1 on, 0: never
        uint64_t after;        // cycles of 100 MHz from there until it begins
        uint64_t cycles;       // of 100 MHz; 0: for good
        bool noise;            // else nothing comes
    } outage[2];
    uint32_t rebooted, reboot_round; // a board that is reset when it begins a round, and not started again; 0: none
    bool has_stranger;
    uint32_t stranger; // a board whose cables are of another plan
    // Of nodes with streams: played from crl_rtl_streams_change() on, by the same routers; NULL: nothing is. So many
    // rounds are handed over before that.
    const struct crl_image *then;
    uint32_t judged;
    uint32_t then_depth; // of boards: what the cables of `then` must hold
    bool dies;           // of boards: a cable is dead for good at some time. The engine then stops, with an error,
    uint64_t patience;   // where no board has stepped for so many cycles
    bool by_silence;     //   and an end says that its cable is silent; else as soon as the cable is dead
    bool flat;           // one fabric that wires itself, of at most 64 nodes, to judge those wired by the simulator
    // Called when words first…first+count−1 of all packets have been played and read back: crl_rtl_memory then
    // serves them, until the next call of the player. May be NULL.
    void (*collected)(void *user, struct crl_rtl *engine, uint32_t first, uint32_t count);
    void *user;
};

// Each builds the simulator if need be, and loads the first words through the links. What is played must stay alive.

// Routers.
int crl_rtl_slots_new(struct crl_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                      const struct crl_rtl_options *options, struct crl_diag *diag);
// Nodes with streams, which it feeds; `collected` is called when words first…first+count−1, round after round, have
// left, and crl_rtl_streams_memory then serves them.
int crl_rtl_streams_new(struct crl_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                        const struct crl_rtl_options *options, struct crl_diag *diag);
void crl_rtl_streams_memory(void *engine, uint32_t node, uint32_t count, uint32_t stream, uint32_t page, uint32_t index,
                            uint64_t *words);
// Cycles in which the first own word was taken and the last word for a node shown; cycle 0 is the first in which a word
// can be taken. CRL_NONE: never.
struct crl_stream_times {
    uint64_t first_in, last_out;
};
struct crl_stream_times crl_rtl_streams_times(const struct crl_rtl *engine);
// From now on nothing comes in on these inputs, node · ports + port, or noise until the rounds have ended. Notes the
// faults of before.
void crl_rtl_streams_cut(struct crl_rtl *engine, const uint32_t *inputs, uint32_t count);
// After the last cycle, in which something may be cut: notes the faults since then.
int crl_rtl_streams_end(struct crl_rtl *engine, struct crl_diag *diag);
// All nodes change over to the image `then`, of so many rounds with payloads from `seed` on; faults are none again. The
// engine is the caller's to free also after a failure.
int crl_rtl_streams_change(struct crl_rtl *engine, const struct crl_problem *problem,
                           const struct crl_rtl_options *options, struct crl_diag *diag);
// Boards that have stopped: the rounds that all have ended are handed over, and counted; those that some board has
// begun; cycles since the cable died; and what the boards say. Steps until they stop. Errors: others than that.
struct crl_boards_stopped {
    uint32_t complete, begun;
    uint64_t cycles;
    uint32_t silent; // a cable of which an end says so; CRL_NONE: there is none
    char why[240];
};
int crl_rtl_streams_stop(struct crl_rtl *engine, struct crl_boards_stopped *stopped, struct crl_diag *diag);
// Cables of a list of directions: those that lead to and fro are one.
uint32_t crl_rtl_cables(const struct crl_cable *cables, uint32_t count);
// What boards did: as struct crl_shim_boards. A wait is for a word, or for room, of a cable, in a row of a round.
struct crl_board_wait {
    uint64_t cycles;
    uint32_t board, cable, row, round;
};
struct crl_board_times {
    bool played;
    uint64_t stalls, repetitions;
    uint32_t peak;         // most words in a direction of a cable
    double cycles_a_round; // of the board with the slowest clock, from its second round to its last; 0: there are none
    struct crl_board_wait longest;
};
struct crl_board_times crl_rtl_streams_boards(const struct crl_rtl *engine);
void crl_rtl_free(struct crl_rtl *engine);

struct crl_player crl_rtl_player(struct crl_rtl *engine);
// After the last step: lets the pipeline run empty, notes the faults, reads every memory out over the links, and ends
// the waves.
int crl_rtl_finish(struct crl_rtl *engine, struct crl_diag *diag);
// Nodes and tables with faults; `text` says which came first.
uint64_t crl_rtl_faults(const struct crl_rtl *engine, char text[160]);

// Words that were read back; of `count` nodes. `page` is the word of the packet.
void crl_rtl_memory(void *engine, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                    uint64_t *words);
#endif
