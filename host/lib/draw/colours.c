// SPDX-License-Identifier: Apache-2.0
// What the colours of packets show, and which they are: from bright (near) to deep (far), equally far apart for the
// eye, also for the colour-blind.
#include "draw/draw.h"

// A chunk of a sum counts from the node of its number; of more chunks than nodes, from it around.
uint32_t crl_draw_distance(const struct crl_schedule *s, const struct crl_move *move)
{
    if (s->demands) { // of several destinations it is not said which is next
        const struct crl_demand *demand = &s->demands->demand[move->origin];
        return demand->dst_count == 1 ? crl_topology_distance(s->topology, move->src, demand->dst[0])
                                      : crl_topology_distance(s->topology, demand->src, move->src);
    }
    return crl_naming_is_pair(s->naming)
               ? crl_topology_distance(s->topology, move->src, crl_packet_dest(s->naming, move->dest))
               : crl_topology_distance(s->topology, move->origin % crl_topology_nodes(s->topology), move->src);
}

uint32_t crl_draw_colours(uint32_t near, uint32_t far)
{
    return far - near < DRAW_COLOURS_MAX ? far - near + 1 : DRAW_COLOURS_MAX;
}

void crl_draw_colour(uint32_t colours, uint32_t index, uint32_t rgb[3])
{
    static const uint8_t stops[][3] = {
        {0xfd, 0xd8, 0x35}, {0x7a, 0xcb, 0x5a}, {0x2a, 0xa5, 0x8a}, {0x35, 0x7d, 0xb0}, {0x5c, 0x50, 0xa8}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    // With few colours, do not go to the deep end: neighbours stay easy to tell apart anyway.
    uint32_t steps = colours > 2 ? colours - 1 : 2;
    uint32_t at = index * LAST, from = at / steps, part = at % steps;
    for (int i = 0; i < 3; i++) {
        uint32_t a = stops[from][i], b = stops[from < LAST ? from + 1 : LAST][i];
        rgb[i] = (a * (steps - part) + b * part) / steps;
    }
}
