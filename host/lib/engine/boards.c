// SPDX-License-Identifier: Apache-2.0
// The boards of a simulation, and the cables between them.
#include "engine/machine.h"
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 4, ENDS = 8 }; // rounds by which a board may lead; cycles that the ends of a cable take

// The direction back; CRL_NONE: the cable leads one way.
static uint32_t back(const struct crl_rtl_options *o, uint32_t i)
{
    const struct crl_cable *c = &o->cables[i];
    for (uint32_t j = 0; j < o->cable_count; j++) {
        const struct crl_cable *d = &o->cables[j];
        if (d->from == c->to && d->to == c->from && d->src == c->dst && d->dst == c->src) return j;
    }
    return CRL_NONE;
}

// Cycles that a flit takes: so many that words take no longer than planned, unless options say otherwise.
static uint32_t delay(const struct crl_rtl_options *o, const struct crl_cable *c, uint32_t slot, uint64_t *random)
{
    uint32_t planned = (c->latency - 1) * slot + 1, ends = ENDS + c->gap * slot - 1;
    if (!o->cable_most) return planned > ends ? planned - ends : 1;
    *random = *random * UINT64_C(6364136223846793005) + 1;
    return o->cable_least + (uint32_t)((*random >> 33) % (o->cable_most - o->cable_least + 1));
}

static uint32_t end_of(const struct crl_rtl_options *o, const uint32_t *arrives_at, const struct crl_boards *b,
                       uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < o->cable_count; i++) {
        const struct crl_cable *c = &o->cables[i];
        if (c->from == b->of[src] && c->to == b->of[dst] && (c->src == CRL_NONE || (c->src == src && c->dst == dst)))
            return arrives_at[i];
    }
    return CRL_SIM_NONE;
}

int crl_rtl_boards_make(struct crl_rtl_boards *out, const struct crl_image *image, const struct crl_problem *problem,
                        const struct crl_rtl_options *o, struct crl_diag *diag)
{
    const struct crl_boards *b = crl_topology_boards(problem->topology);
    const uint32_t slot = crl_slot_cycles(&image->geometry, image->port_model), ports = image->geometry.ports;
    const size_t inputs = (size_t)image->nodes * ports, most = 2 * (size_t)o->cable_count;
    uint64_t random = o->seed;
    *out = (struct crl_rtl_boards){.memory = calloc(inputs + 4 * most + b->count, sizeof *out->memory)};
    if (!out->memory) return crl_fail_memory(diag);
    uint32_t *input = out->memory, *end_board = input + inputs, *way = end_board + most, *gap = way + most,
             *arrives_at = gap + most, ends = 0;
    int32_t *ppm = (int32_t *)(arrives_at + most);
    for (uint32_t i = 0; i < o->cable_count; i++) {
        const struct crl_cable *c = &o->cables[i];
        uint32_t other = back(o, i);
        bool first = other == CRL_NONE || i < other;
        uint32_t end = arrives_at[i] = first ? ends + 1 : arrives_at[other] ^ 1;
        if (first) {
            end_board[end ^ 1] = c->from;
            end_board[end] = c->to;
            way[end ^ 1] = delay(o, c, slot, &random); // of acknowledgements, if nothing else
            gap[end] = c->gap * slot;
            ends += 2;
        }
        way[end] = delay(o, c, slot, &random);
        gap[end ^ 1] = c->gap * slot;
        if (c->depth > out->depth) out->depth = c->depth;
    }
    for (size_t i = 0; i < inputs; i++) {
        uint32_t v = (uint32_t)(i / ports), u = crl_topology_behind(problem->topology, v, (uint32_t)(i % ports));
        input[i] = u == CRL_NONE || b->of[u] == b->of[v] ? CRL_SIM_NONE : end_of(o, arrives_at, b, u, v);
    }
    for (uint32_t i = 0; i < b->count; i++)
        ppm[i] = (int32_t)o->ppm - (int32_t)(2 * (uint64_t)o->ppm * i / (b->count - 1));
    out->sim = (struct crl_sim_boards){.boards = b->count,
                                       .ends = ends,
                                       .board = b->of,
                                       .input = input,
                                       .end_board = end_board,
                                       .delay = way,
                                       .gap = gap,
                                       .ppm = ppm,
                                       .ahead = AHEAD * (uint64_t)crl_stream_period(image),
                                       .seed = o->seed,
                                       .errors = o->cable_errors};
    return 0;
}
