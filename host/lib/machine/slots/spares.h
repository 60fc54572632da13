// SPDX-License-Identifier: Apache-2.0
// Plans for when something has failed, and the change to one while a plan is played.
#ifndef CRL_SLOTS_SPARES_H
#define CRL_SLOTS_SPARES_H

#include "engine/engine.h"
#include "machine/slots/slots.h"

struct slots_spare {
    struct carillon_schedule *schedule; // owned, as the image is
    struct carillon_image *image;
};
// The plan of the same problem where `fails` has failed, as --without says it, checked and lowered; of those with the
// fewest slots one that keeps as much of `schedule` as there can be. To be ended also after a failure.
int slots_spare_new(struct slots_spare *spare, const struct carillon_schedule *schedule, const char *fails,
                    struct crl_diag *diag);
void slots_spare_done(struct slots_spare *spare);

// Plans for each single failure of a kind, each with tables of its own; those of failures that cut the network in two
// are not there.
struct slots_spares {
    struct slots_failure {
        char name[80], scheme[40]; // what fails, as it is called, and who planned for it
        struct slots_spare spare;
    } * list; // [count] owned
    size_t count, failures;
};
// `kinds`: links, cables or nodes. The caller ends what it gets with slots_spares_free, which takes NULL.
int slots_spares_new(struct slots_spares **out, const struct carillon_schedule *schedule, const char *kinds,
                     struct crl_diag *diag);
void slots_spares_free(struct slots_spares *spares);

// The links between two boards, as --without says them; "": there are none. The caller frees the text; NULL: no memory.
char *slots_cable_links(const struct crl_topology *t, uint32_t x, uint32_t y);

// What dies in a run, which has two parts: the rounds up to the one in which it dies, and those that the spare plays.
struct slots_change {
    char fails[32];
    uint32_t round, cycle; // of the run, and link cycles of the round that are over; both from 1
    uint64_t cycles;       // of the first part that are compared
    uint32_t right, over;  // rounds of the first part that are judged, and those that are over, thrown away or not
    bool changed;          // the second part is played
    bool cabled;           // a cable between boards with clocks of their own; `inputs` are not cut:
    uint32_t cable, depth; // number `cable` carries nothing any more; what the cables of the spare must hold
    bool automatic;        // the change is made when a cable is silent
    struct crl_boards_stopped stopped; // how the boards stopped
    struct slots_spare spare;
    uint32_t dead, *inputs; // [dead] node · ports + port: those on which nothing comes any more; owned
    struct crl_rtl *engine; // between the two parts, owned
    uint64_t before, after; // faults that guards reported before it died; and then, up to the end of its round
    char before_text[160], after_text[160]; // the first of them
};
// What --fail says of a run: plans the spare, and makes routers that play both. NULL in the image: nothing fails.
int slots_change_new(struct crl_run *run);
void slots_change_free(struct slots_change *change);
// Cycles that are compared of the part that is played; 0: all.
uint64_t slots_change_cycles(const struct slots_change *change);
// It dies, and the round that is under way plays on to its end.
int slots_change_die(struct slots_change *change, struct crl_rtl *engine, struct crl_diag *diag);
// Whether the second part follows, of which the run is then.
bool slots_change_again(struct crl_run *run);
// What a simulation of boards must know of it.
void slots_change_tell(const struct slots_change *change, struct crl_rtl_options *how);
void slots_change_summary(const struct slots_change *change, uint32_t rounds, json_t *summary);

// A player that ends after so many cycles; 0: when it ends.
struct slots_until {
    struct crl_player player;
    uint64_t cycles, left;
};
struct crl_player slots_player_until(struct slots_until *until, struct crl_player player);
// Plays on to its end.
int slots_player_end(struct crl_player player, struct crl_diag *diag);

#endif
