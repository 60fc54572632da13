// SPDX-License-Identifier: Apache-2.0
// The usual case of a list in which all nodes get all packets: nothing is wrong. A bit for each packet and node tells,
// in two walks over the rows; to bring the rows of each packet together would cost a miss of the caches a row.
#include "check/check.h"
#include "schedule/narrow.h"
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct crl_check *check;
    const struct crl_schedule *schedule;
    const struct crl_narrow *narrow;
    uint32_t nodes, packets;
    uint64_t *bits;   // [nodes][packets]
    uint32_t *source; // [packets]
};

static inline bool bit(const struct walk *w, uint32_t node, uint32_t packet)
{
    const uint64_t at = (uint64_t)node * w->packets + packet;
    return w->bits[at / 64] >> at % 64 & 1;
}

static inline void set_bit(const struct walk *w, uint32_t node, uint32_t packet)
{
    const uint64_t at = (uint64_t)node * w->packets + packet;
    w->bits[at / 64] |= UINT64_C(1) << at % 64;
}

// Whether each row brings a packet from a node that has had it since an earlier slot to one that has not.
static bool all_new(const struct walk *w)
{
    const struct crl_schedule *s = w->schedule;
    for (uint32_t p = 0; p < w->packets; p++) set_bit(w, w->source[p], p);
    for (size_t k = 0; k < s->slots; k++) {
        for (size_t i = s->slot_start[k]; i < s->slot_start[k + 1]; i++) {
            const struct crl_narrow_row row = w->narrow->row[i];
            if (!bit(w, crl_narrow_src(w->narrow, row), row.packet) || w->check->marks[i]) return false;
        }
        for (size_t i = s->slot_start[k]; i < s->slot_start[k + 1]; i++) {
            const struct crl_narrow_row row = w->narrow->row[i];
            const uint32_t dst = crl_narrow_dst(w->narrow, row);
            if (bit(w, dst, row.packet)) return false;
            set_bit(w, dst, row.packet);
        }
    }
    return true;
}

// What nodes keep until they have sent it for the last time. From behind: who has sent a packet is in the bits.
static void mark_buffers(const struct walk *w)
{
    for (size_t i = w->schedule->count; i-- > 0;) {
        const struct crl_narrow_row row = w->narrow->row[i];
        const uint32_t src = crl_narrow_src(w->narrow, row);
        if (bit(w, crl_narrow_dst(w->narrow, row), row.packet)) w->check->marks[i] |= CRL_MOVE_KEPT;
        if (bit(w, src, row.packet)) continue;
        set_bit(w, src, row.packet);
        if (src != w->source[row.packet]) w->check->marks[i] |= CRL_MOVE_RELEASED;
    }
}

bool crl_all_get_all(struct crl_check *check)
{
    enum { BITS = 32 }; // a row: not more memory than the other way takes
    const struct crl_schedule *s = check->schedule;
    const uint64_t packets = crl_problem_packets(check->problem), bits = packets * check->nodes;
    // Each row brings a packet to a node that lacks it: nobody lacks one after so many.
    if (!s->narrow || !crl_problem_for_all(check->problem) || s->count != bits - packets || bits / BITS > s->count)
        return false;
    struct walk w = {check,
                     s,
                     s->narrow,
                     check->nodes,
                     (uint32_t)packets,
                     calloc(bits / 64 + 1, sizeof *w.bits),
                     malloc(sizeof *w.source * packets)};
    bool good = w.bits && w.source;
    for (uint32_t p = 0, dest; p < packets && good; p++) {
        crl_problem_packet(check->problem, p, &w.source[p], &dest);
        w.source[p] = crl_problem_source(check->problem, w.source[p]);
    }
    if (good) good = all_new(&w);
    if (good) {
        memset(w.bits, 0, sizeof *w.bits * (bits / 64 + 1));
        mark_buffers(&w);
    }
    CRL_FREE(w.bits, w.source);
    return good;
}
