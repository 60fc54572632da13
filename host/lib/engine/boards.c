// SPDX-License-Identifier: Apache-2.0
// The boards of a simulation, and the cables between them.
#include "engine/kind.h"
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 4 };     // rounds by which a board may lead
enum { ROW_STEPS = 3 }; // steps from where a round begins to where its row 0 is played
enum { PATIENCE = 500, IDLE = 1 << 16, IDLE_FLITS = 1 << 13 };

uint32_t crl_rtl_cables(const struct crl_cable *cables, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = crl_cables_back(cables, count, i);
        sum += other == CRL_NONE || i < other;
    }
    return sum;
}

// Cycles that a flit takes: so many that words take no longer than planned, unless options say otherwise.
static uint32_t delay(const struct crl_rtl_options *o, const struct crl_cable *c, uint32_t slot, uint64_t *random)
{
    uint32_t planned = crl_cable_delay(c, slot, 1);
    if (!o->cable_most) return planned ? planned : 1;
    *random = *random * UINT64_C(6364136223846793005) + 1;
    return o->cable_least + (uint32_t)((*random >> 33) % (o->cable_most - o->cable_least + 1));
}

static uint32_t end_of(const struct crl_rtl_options *o, const uint32_t *arrives_at, const struct crl_boards *b,
                       uint32_t src, uint32_t dst)
{
    uint32_t i = crl_cables_find(o->cables, o->cable_count, b, src, dst);
    return i < o->cable_count ? arrives_at[i] : CRL_SIM_NONE;
}

// The play of the tables with which a round begins: they are played once for each word of a packet.
static uint32_t first_of(uint32_t round, const struct crl_image *image)
{
    return round ? (round - 1) * image->geometry.words + 1 : 0;
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
        uint32_t other = crl_cables_back(o->cables, o->cable_count, i);
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
                                       .errors = o->cable_errors,
                                       .rebooted = o->reboot_round ? o->rebooted : CRL_SIM_NONE,
                                       .reboot_round = first_of(o->reboot_round, image),
                                       .stranger = o->has_stranger ? o->stranger : CRL_SIM_NONE};
    for (uint32_t i = 0; i < CRL_SIM_OUTAGES; i++) {
        const struct crl_cable_outage *from = &o->outage[i];
        out->sim.outage[i] =
            (struct crl_sim_outage){from->cable, first_of(from->round, image), from->after, from->cycles, from->noise};
    }
    if (o->then && o->then_depth > out->depth) out->depth = o->then_depth;
    out->names = &b->names;
    out->period = crl_stream_period(image);
    out->words = image->geometry.words;
    out->patience = PATIENCE;
    out->limit = IDLE;
    for (uint32_t e = 0; e < ends; e++) {
        if (4 * way[e] > out->patience) out->patience = 4 * way[e];
        if (IDLE + IDLE_FLITS * (uint64_t)gap[e] > out->limit) out->limit = IDLE + IDLE_FLITS * (uint64_t)gap[e];
    }
    return 0;
}

// ---- waits

struct crl_board_wait crl_rtl_board_wait(const struct crl_rtl_boards *b, const struct crl_shim_wait *wait,
                                         uint32_t board)
{
    uint64_t row = wait->steps > ROW_STEPS ? wait->steps - ROW_STEPS : 0;
    return (struct crl_board_wait){wait->cycles, board, wait->end / 2, (uint32_t)(row % b->period),
                                   (uint32_t)(row / b->period / b->words) + 1};
}

int crl_rtl_boards_stuck(const struct crl_rtl_boards *b, const struct crl_shim_boards *did, struct crl_diag *diag)
{
    static const struct {
        uint32_t fault;
        const char *text;
    } causes[] = {{CRL_SHIM_OTHER_PLAN, "leads to another plan"},
                  {CRL_SHIM_RESET_ALONE, "has one end that was reset alone"},
                  {CRL_SHIM_SILENT, "is silent"}};
    char text[sizeof diag->text] = "";
    size_t used = 0;
#define SAY(...)                                                                                                       \
    used += (size_t)snprintf(text + (used < sizeof text ? used : sizeof text - 1),                                     \
                             used < sizeof text ? sizeof text - used : 1, __VA_ARGS__)
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        for (uint32_t e = 0; e < b->sim.ends; e++)
            if (did->fault[e] & causes[i].fault)
                SAY("%s says that cable %u %s; ", crl_names_at(b->names, b->sim.end_board[e]), e / 2, causes[i].text);
    for (uint32_t i = 0; i < b->sim.boards; i++) {
        const struct crl_board_wait w = crl_rtl_board_wait(b, &did->now[i], i);
        if (w.cycles)
            SAY("%s waits for cable %u in row %u of round %u; ", crl_names_at(b->names, i), w.cable, w.row, w.round);
    }
#undef SAY
    text[strlen(text) > 2 ? strlen(text) - 2 : 0] = 0;
    return crl_fail(diag, CRL_ERR_MISMATCH, "%s", *text ? text : "the boards wait for each other");
}
