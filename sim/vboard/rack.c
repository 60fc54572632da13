// SPDX-License-Identifier: Apache-2.0
#include "rack.h"

#include <stdio.h>
#include <unistd.h>

enum { FS_A_NS = 1000000, PERIOD_FS = 83333333 };

bool crl_vrack_add(struct crl_vrack *rack, const char *text)
{
    struct crl_vcable *c = &rack->cable[rack->cables];
    int length = 0;

    if (rack->cables == CRL_VRACK_CABLES ||
        sscanf(text, "%d.%d-%d.%d%n", &c->board[0], &c->index[0], &c->board[1], &c->index[1], &length) != 4)
        return false;
    if (text[length] && (text[length] != ':' || !text[length + 1])) return false;
    c->pulled = text[length] ? text + length + 1 : NULL;
    c->board[0]--;
    c->board[1]--;
    rack->cables++;
    return true;
}

static bool is_twice(const struct crl_vrack *rack, int cable, int end)
{
    const struct crl_vcable *c = &rack->cable[cable];

    for (int i = 0; i <= cable; i++)
        for (int e = 0; e < 2; e++)
            if ((i != cable || e < end) && rack->cable[i].board[e] == c->board[end] &&
                rack->cable[i].index[e] == c->index[end])
                return true;
    return false;
}

const char *crl_vrack_join(struct crl_vrack *rack, struct crl_vboard *boards, int count, int ppm)
{
    uint64_t now_ns = 0;

    for (int i = 0; i < rack->cables; i++)
        for (int e = 0; e < 2; e++) {
            const struct crl_vcable *c = &rack->cable[i];

            if (c->board[e] < 0 || c->board[e] >= count) return "there is no such board";
            if (c->index[e] < 0 || c->index[e] >= boards[c->board[e]].kind->cables) return "a board has no such cable";
            if (is_twice(rack, i, e)) return "an end is joined twice";
        }
    rack->board = boards;
    rack->boards = count;
    for (int i = 0; i < count; i++)
        if (boards[i].now_ns > now_ns) now_ns = boards[i].now_ns;
    for (int i = 0; i < count; i++) {
        struct crl_vboard *b = &boards[i];
        const int64_t slower = count > 1 ? (int64_t)ppm * (count - 1 - 2 * i) / (count - 1) : 0;

        b->now_ns = now_ns;
        b->period_fs = (uint64_t)(PERIOD_FS + PERIOD_FS * slower / 1000000);
        b->edge_fs = now_ns * FS_A_NS + b->period_fs * (uint64_t)(i + 1) / (uint64_t)(count + 1);
        b->rack = rack;
    }
    return NULL;
}

/* What a board hears: a wire that nobody drives is pulled up. */
static unsigned heard(const struct crl_vrack *rack, int board)
{
    unsigned wires = crl_vboard_wires(&rack->board[board]);

    for (int i = 0; i < rack->cables; i++)
        for (int e = 0; e < 2; e++) {
            const struct crl_vcable *c = &rack->cable[i];
            const struct crl_vboard *other = &rack->board[c->board[!e]];

            if (c->board[e] == board && !c->out && other->top && !(other->out & CRL_VTOP_WIRE << c->index[!e]))
                wires &= ~((unsigned)CRL_VTOP_WIRE << c->index[e]);
        }
    return wires;
}

static int next_board(const struct crl_vrack *rack)
{
    int first = 0;

    for (int i = 1; i < rack->boards; i++)
        if (rack->board[i].edge_fs < rack->board[first].edge_fs) first = i;
    return first;
}

void crl_vrack_run(struct crl_vrack *rack, uint64_t end_ns)
{
    for (int i = 0; i < rack->cables; i++)
        rack->cable[i].out = rack->cable[i].pulled && !access(rack->cable[i].pulled, F_OK);
    for (;;) {
        const int i = next_board(rack);
        struct crl_vboard *b = &rack->board[i];

        if (b->edge_fs > end_ns * FS_A_NS) break;
        b->now_ns = b->edge_fs / FS_A_NS;
        b->edge_fs += b->period_fs;
        if (b->configured) crl_vboard_clock(b, heard(rack, i));
    }
    for (int i = 0; i < rack->boards; i++) rack->board[i].now_ns = end_ns;
}
