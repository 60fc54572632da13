// SPDX-License-Identifier: Apache-2.0
// All-port total exchange on a ring of even size alone, in ceil(N^2/8) slots, which is the bound, without a search.
//
// As in torus_exchange.h, nodes with odd numbers play mirror images, and a packet takes the ports "outward" and
// "inward" in turn: one that starts outward travels up. Two streams of packets, one after the other, keep both ports
// busy: stream 0 is on the port outward in the first slot, stream 1 inward, and both change ports in every slot. So the
// slot in which a packet starts says which way it goes. With N = 2h, stream 0 sends the packet for half way round, of
// h hops, while stream 1 sends both packets of floor(h/2) hops; where these would both start on the same port, one hop
// (or an idle slot, of which there is one if h is odd) comes between them. Of all other distances each stream then
// sends one of the two packets. Sums: 2·(1 + … + h−1) + h = h² hops on two ports.
#include "algorithm/torus_exchange.h"
#include "base/base.h"
#include <stdlib.h>

struct stream {
    uint32_t *packet; // [slot] offset of the destination, or 0: idle
    uint32_t *gone;   // [slot] hops that it had made before
    uint32_t slots;
};

// Appends the packet of so many hops that the port wants; `second`: in stream 1. The one for half way goes up.
static void append(struct stream *s, bool second, uint32_t nodes, uint32_t hops)
{
    bool up = s->slots % 2 == (second ? 1 : 0);
    for (uint32_t i = 0; i < hops; i++, s->slots++) {
        s->packet[s->slots] = up ? hops : nodes - hops;
        s->gone[s->slots] = i;
    }
}

static void fill(struct stream stream[2], uint32_t nodes)
{
    uint32_t half = nodes / 2, twice = half / 2;
    bool between = twice % 2 == 0, idle = half % 2 == 1;
    append(&stream[0], false, nodes, half);
    append(&stream[1], true, nodes, twice);
    if (between && !idle)
        for (uint32_t i = 0; i < 2; i++) append(&stream[i], i, nodes, 1);
    if (between && idle) stream[1].slots++;
    append(&stream[1], true, nodes, twice);
    if (!between && idle) stream[1].slots++;
    for (uint32_t hops = half - 1; hops > 0; hops--)
        for (uint32_t i = 0; i < 2 && hops != twice && (hops > 1 || !between || idle); i++)
            append(&stream[i], i, nodes, hops);
}

// What node `src` sends in a slot of the stream: everybody's packet for the same offset, as seen through the mirror.
static struct crl_move move_of(const struct stream *s, uint32_t nodes, uint32_t slot, uint32_t src)
{
    uint32_t packet = s->packet[slot], gone = s->gone[slot];
    bool up = packet <= nodes / 2;
    uint32_t at = up || !gone ? gone : nodes - gone;
    uint32_t before = src >= at ? src - at : src + nodes - at, after = (src + at) % nodes;
    bool odd = before % 2; // N is even, so both would be
    uint32_t origin = odd ? after : before;
    struct crl_move move = {.slot = slot + 1, .src = src, .origin = origin};
    move.dst = up != odd ? (src + 1) % nodes : (src + nodes - 1) % nodes;
    move.dest = odd ? (origin + nodes - packet) % nodes : (origin + packet) % nodes;
    return move;
}

static int write_slot(struct crl_schedule *schedule, const struct stream stream[2], uint32_t nodes, uint32_t slot)
{
    int error = 0;
    for (uint32_t src = 0; src < nodes && !error; src++) {
        struct crl_move moves[2];
        uint32_t count = 0;
        for (uint32_t i = 0; i < 2; i++)
            if (stream[i].packet[slot]) moves[count++] = move_of(&stream[i], nodes, slot, src);
        uint32_t first = count == 2 && moves[1].dst < moves[0].dst;
        for (uint32_t i = 0; i < count && !error; i++) error = crl_schedule_add(schedule, moves[i ^ first]);
    }
    return error;
}

int crl_ring_exchange(struct crl_schedule *schedule, uint32_t nodes)
{
    uint64_t half = nodes / 2;
    size_t slots = (half * half + 1) / 2;
    struct stream stream[2] = {{0}};
    int error = 0;
    for (uint32_t i = 0; i < 2; i++) {
        stream[i].packet = calloc(slots, sizeof *stream[i].packet);
        stream[i].gone = calloc(slots, sizeof *stream[i].gone);
        if (!stream[i].packet || !stream[i].gone) error = CRL_ERR_MEMORY;
    }
    if (!error) fill(stream, nodes);
    for (uint32_t slot = 0; slot < slots && !error; slot++) error = write_slot(schedule, stream, nodes, slot);
    for (uint32_t i = 0; i < 2; i++) {
        free(stream[i].packet);
        free(stream[i].gone);
    }
    return error;
}
