// SPDX-License-Identifier: Apache-2.0
// Several boards that play one plan together, each its part of the network, over the cables between them:
// docs/formats/board.md.
#ifndef CRL_BOARD_CLUSTER_H
#define CRL_BOARD_CLUSTER_H

#include "board/board.h"

enum { CRL_CLUSTER_LINKS = 16, CRL_CLUSTER_NODES = 4 }; // ports of a board's nodes; nodes

// An end of a cable: of which board, and which of its cables. CRL_NONE: none.
struct crl_cluster_end {
    uint32_t board, cable;
};

struct crl_cluster {
    const struct crl_topology *network;
    const struct crl_boards *of;
    struct crl_board **board;                        // in the order of the plan's
    uint32_t *at;                                    // [nodes] which of its board's nodes each is
    struct crl_cluster_end (*far)[CRL_BOARD_CABLES]; // [boards] where each cable leads
    uint16_t *came;  // [nodes][CRL_BOARD_ADDRS] the words that came in the last round, in their order,
    uint32_t *shown; // [nodes] and how many
};

// Opens the devices that are the boards of the network: those that `devices` lists, serial numbers or places separated
// by commas in the order of the plan's boards, or with "all" all of this kind (NULL: of any) in the order of their
// serial numbers. CRL_ERR_DEVICE says which board has none. Network and watch must stay alive; crl_cluster_close gives
// all devices back as they were found.
int crl_cluster_open(struct crl_cluster **out, const struct crl_topology *network, const char *kind,
                     const char *devices, const struct crl_board_watch *watch, struct crl_diag *diag);
void crl_cluster_close(struct crl_cluster *cluster); // NULL: nothing

// Gives each board its tables, and its cables their identities, when it is known that all boards can play the image and
// have the cables that it needs (else CRL_ERR_UNSUPPORTED). A play ends.
int crl_cluster_load(struct crl_cluster *cluster, const struct crl_image *image, struct crl_diag *diag);

// Plays a round of the image, which must be what all boards have (else CRL_ERR_MISMATCH), and reads what came; 0
// rounds: starts and returns while the boards play on. The boards begin anew, and start one after the other. A play
// that does not end is CRL_ERR_MISMATCH: the result is stuck, and which board waits for what.
int crl_cluster_begin(struct crl_cluster *cluster, const struct crl_image *image, struct crl_diag *diag);
int crl_cluster_play(struct crl_cluster *cluster, const struct crl_image *image, const struct crl_problem *problem,
                     uint64_t seed, uint32_t rounds, struct crl_diag *diag);
// What came in it, as crl_oracle() asks for it.
void crl_cluster_memory(void *cluster, uint32_t node, uint32_t count, uint32_t stream, uint32_t page, uint32_t index,
                        uint64_t *words);

// What a board says of a cable, in words: "cable 0 is silent". And what it waits for, or "".
void crl_cluster_cable_text(const struct crl_board_state *state, uint32_t cable, char *text, size_t size);
void crl_cluster_wait_text(const struct crl_board_state *state, char *text, size_t size);

#endif
