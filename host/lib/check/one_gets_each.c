// SPDX-License-Identifier: Apache-2.0
// The usual case of a list in which each packet is for one node: each goes there on a shortest path. Where each packet
// is tells, in a walk over the rows; to bring the rows of each packet together would cost a miss of the caches a row.
#include "check/check.h"
#include "schedule/narrow.h"
#include <stdlib.h>

struct place {
    uint32_t node, since; // the slot in which the packet came there, 0: it started there
};

struct walk {
    const struct crl_check *check;
    const struct crl_schedule *schedule;
    const struct crl_narrow *narrow;
    uint32_t packets;
    struct place *place; // [packets]
    uint64_t *bits;      // [packets]
};

// Places the packets at their sources. Returns how many rows take them where they go, if none goes a longer way.
static uint64_t start(const struct walk *w)
{
    const struct crl_problem *problem = w->check->problem;
    uint64_t rows = 0;
    for (uint32_t p = 0, origin, dest; p < w->packets; p++) {
        crl_problem_packet(problem, p, &origin, &dest);
        w->place[p] = (struct place){crl_problem_source(problem, origin), 0};
        rows += crl_topology_distance(problem->topology, w->place[p].node, dest);
    }
    return rows;
}

// Whether each row takes a packet on from where it has been since an earlier slot. What was kept is then released.
static bool all_go_on(const struct walk *w)
{
    enum { AHEAD = 32 };
    const struct crl_schedule *s = w->schedule;
    const struct crl_narrow_row *row = w->narrow->row;
    for (size_t k = 0; k < s->slots; k++)
        for (size_t i = s->slot_start[k]; i < s->slot_start[k + 1]; i++) {
            struct place *place = &w->place[row[i].packet];
            if (i + AHEAD < s->count) __builtin_prefetch(&w->place[row[i + AHEAD].packet], 1);
            if (place->node != crl_narrow_src(w->narrow, row[i]) || place->since >= w->narrow->slot[k]) return false;
            if (place->since) w->check->marks[i] |= CRL_MOVE_RELEASED;
            *place = (struct place){crl_narrow_dst(w->narrow, row[i]), w->narrow->slot[k]};
        }
    return true;
}

static bool all_arrived(const struct walk *w)
{
    for (uint32_t p = 0, origin, dest; p < w->packets; p++) {
        crl_problem_packet(w->check->problem, p, &origin, &dest);
        if (w->place[p].node != dest) return false;
    }
    return true;
}

// What comes to a node is kept unless it is there for good. From behind: which packets are is in the bits.
static void mark_kept(const struct walk *w)
{
    for (size_t i = w->schedule->count; i-- > 0;) {
        const uint32_t p = w->narrow->row[i].packet;
        const uint64_t bit = UINT64_C(1) << p % 64;
        if (w->bits[p / 64] & bit) w->check->marks[i] |= CRL_MOVE_KEPT;
        w->bits[p / 64] |= bit;
    }
}

// Packets that all come where they go, in as many rows as the shortest paths have, are at no node twice. With so many
// rows anything else breaks a rule: what was marked by then is made anew with moves in place of narrow rows.
bool crl_one_gets_each(struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    const uint64_t packets = crl_problem_packets(check->problem);
    if (!s->narrow || s->naming != CRL_NAMING_PAIR || packets > s->count) return false;
    struct walk w = {.check = check, .schedule = s, .narrow = s->narrow, .packets = (uint32_t)packets};
    w.place = malloc(sizeof *w.place * (packets + 1));
    w.bits = calloc(packets / 64 + 1, sizeof *w.bits);
    const bool good = w.place && w.bits && start(&w) == s->count && all_go_on(&w) && all_arrived(&w);
    if (good) mark_kept(&w);
    CRL_FREE(w.place, w.bits);
    return good;
}
