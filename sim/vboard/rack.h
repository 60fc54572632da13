// SPDX-License-Identifier: Apache-2.0
/* Boards whose cables are joined: their time passes together, each at the rate of its own clock. */
#ifndef CRL_VRACK_H
#define CRL_VRACK_H

#include "board.h"

enum { CRL_VRACK_CABLES = 16 };

/* Cable index[e] of board board[e], from 0, at both ends. */
struct crl_vcable {
    int board[2], index[2];
    const char *pulled; /* while a file of this name is there, the cable is pulled out; NULL: never */
    bool out;
};

struct crl_vrack {
    struct crl_vboard *board;
    int boards, cables;
    struct crl_vcable cable[CRL_VRACK_CABLES];
};

/* Reads A.I-B.J or A.I-B.J:FILE, boards and their cables counted from 1 and from 0; false when it is none. */
bool crl_vrack_add(struct crl_vrack *rack, const char *text);

/*
 * Joins the boards, which are open and outlive the rack, as the rack's cables say: from now on they run together, with
 * clocks that range evenly from ppm slower (the first) to ppm faster (the last). NULL, or what of a cable is wrong.
 */
const char *crl_vrack_join(struct crl_vrack *rack, struct crl_vboard *boards, int count, int ppm);

/* Lets the time of all boards pass until then. */
void crl_vrack_run(struct crl_vrack *rack, uint64_t end_ns);

#endif
