// SPDX-License-Identifier: Apache-2.0
// On-line routers on a board: a partial multinode broadcast on a line or a ring.
#include "board/live.h"
#include "machine/online/online.h"
#include <stdlib.h>
#include <string.h>

enum { NODES = 8, PORTS = 2, MEMORIES = 4, PLACES = 16, DRAIN = 2 };
// A word of a link, {tag, origin, payload}: of payloads the low bits. In a memory a bit before it says that there is
// one.
enum { PAYLOADS = 256, ORIGIN_AT = 8, TAG_AT = 11, DIGIT = 7, THERE = 0x8000 };
// What a node did in a slot: {fault, busy, phase, sent}.
enum { PHASE_AT = 2, BUSY = 1 << 4, FAULT = 1 << 5 };
enum { COUNTING = 1, PACKING = 2 };
// Registers: payloads of the halves of a node's packet.
enum { PAYLOAD = 16, HALVES = 2 };

struct crl_board_online {
    struct crl_board *board;
    const struct crl_online *online;
    uint32_t slots, step; // to be played, those at the end in which nothing happens included; shown
    uint16_t record[CRL_LIVE_SLOTS][NODES][4];
    uint16_t memory[NODES][MEMORIES][PLACES];
    uint32_t ports; // of the topology
    uint32_t *valid;
    uint64_t *data;
    uint32_t faulty; // a bit a node
    bool left;       // something was still under way in the end
    struct crl_diag why;
};

static int fits(const struct crl_online *o, struct crl_diag *diag)
{
    if (crl_online_kind_of(o->problem) == CRL_ONLINE_BROADCAST && crl_online_dims(o) == 1 &&
        crl_online_nodes(o) == NODES)
        return 0;
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "the board of on-line routers plays partial-all-gather on ring:8 and mesh:8 alone");
}

static int load(struct crl_board_online *o, struct crl_diag *diag)
{
    enum { REGISTERS = 64 };
    uint32_t count = crl_online_register_count(o->online);
    int error = 0;
    for (uint32_t v = 0; v < NODES && !error; v++) {
        uint16_t words[REGISTERS][2];
        for (uint32_t a = 0; a < count && a < REGISTERS; a++) {
            uint32_t value = crl_online_register(o->online, v, a);
            words[a][0] = (uint16_t)value;
            words[a][1] = (uint16_t)(value >> 16);
        }
        error = crl_live_load(o->board, v * REGISTERS * 2, words[0], (size_t)2 * count, diag);
    }
    return error ? error : crl_live_use(o->board, diag);
}

int crl_board_online_new(struct crl_board_online **out, struct crl_board *board, const struct crl_online *online,
                         struct crl_diag *diag)
{
    *out = NULL;
    int error = fits(online, diag);
    if (!error) error = crl_live_begin(board, "hx8k_online", diag);
    if (error) return error;
    struct crl_board_online *o = *out = calloc(1, sizeof *o);
    if (!o) return crl_fail_memory(diag);
    o->board = board;
    o->online = online;
    o->slots = crl_online_slots(online) + DRAIN;
    for (uint32_t p = 0; p < PORTS; p++)
        if (crl_online_topology_port(online, p) >= o->ports) o->ports = crl_online_topology_port(online, p) + 1;
    o->valid = calloc(NODES, sizeof *o->valid);
    o->data = calloc((size_t)NODES * o->ports, sizeof *o->data);
    return o->valid && o->data ? load(o, diag) : crl_fail_memory(diag);
}

void crl_board_online_free(struct crl_board_online *o)
{
    if (!o) return;
    free(o->valid);
    free(o->data);
    free(o);
}

// A word as traces have it (docs/formats/trace.md). The rest of a payload is that of the half it agrees with.
static uint64_t whole(const struct crl_board_online *o, uint32_t phase, uint32_t word)
{
    uint32_t tag = word >> TAG_AT & DIGIT, origin = word >> ORIGIN_AT & DIGIT, payload = word & (PAYLOADS - 1);
    if (phase == COUNTING) return UINT64_C(1) << 63 | tag;
    for (uint32_t h = 0; h < HALVES; h++) {
        uint32_t known = crl_online_register(o->online, origin, PAYLOAD + h);
        if (known % PAYLOADS == word % PAYLOADS) {
            payload = known;
            break;
        }
    }
    return (uint64_t)tag << 44 | (uint64_t)origin << 32 | payload;
}

// The next slot; the board plays as many as the trace holds.
static int next(struct crl_board_online *o)
{
    uint32_t at = o->step % CRL_LIVE_SLOTS, rest = o->slots - o->step;
    int error = 0;
    if (!at)
        error =
            crl_live_play(o->board, NULL, 0, rest < CRL_LIVE_SLOTS ? rest : CRL_LIVE_SLOTS, o->record[0][0], &o->why);
    if (error) return error;
    o->step++;
    o->left = false;
    memset(o->valid, 0, sizeof *o->valid * NODES);
    for (uint32_t v = 0; v < NODES; v++) {
        const uint16_t *did = o->record[at][v];
        if (*did & FAULT) o->faulty |= UINT32_C(1) << v;
        o->left |= *did & BUSY;
        for (uint32_t p = 0; p < PORTS; p++) {
            uint32_t port = crl_online_topology_port(o->online, p);
            if (!(*did >> p & 1)) continue;
            o->valid[v] |= UINT32_C(1) << port;
            o->data[(size_t)v * o->ports + port] = whole(o, *did >> PHASE_AT & 3, did[1 + p]);
        }
    }
    return 0;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_board_online *o = self;
    if (o->step == o->slots - DRAIN) return 1;
    int error = next(o);
    *valid = o->valid;
    *data = o->data;
    return error ? error : o->step == o->slots - DRAIN;
}

static void explain(void *self, struct crl_diag *diag)
{
    const struct crl_board_online *o = self;
    if (diag) *diag = o->why;
}

struct crl_player crl_board_online_player(struct crl_board_online *online)
{
    return (struct crl_player){.self = online, .step = step, .explain = explain};
}

int crl_board_online_finish(struct crl_board_online *o, struct crl_diag *diag)
{
    int error = 0;
    while (!error && o->step < o->slots) error = next(o);
    if (error) {
        explain(o, diag);
        return error;
    }
    o->board->uart->doing = "reading the memories";
    return crl_link_read(&o->board->link, CRL_REGION_PACKETS, o->memory[0][0], sizeof o->memory / 2, diag);
}

uint64_t crl_board_online_faults(const struct crl_board_online *o, char text[160])
{
    if (o->faulty) snprintf(text, 160, "node %d: a packet found no room, or was late", __builtin_ctz(o->faulty));
    else if (o->left) snprintf(text, 160, "packets are left over");
    return (uint64_t)__builtin_popcount(o->faulty) + o->left;
}

static bool held(void *user, uint32_t node, uint32_t memory, uint32_t address, uint32_t *origin, uint32_t *payload)
{
    const struct crl_board_online *o = user;
    uint32_t word = memory < MEMORIES && address < PLACES ? o->memory[node][memory][address] : 0;
    if (!(word & THERE)) return false;
    *origin = word >> ORIGIN_AT & DIGIT;
    *payload = (uint32_t)whole(o, PACKING, word);
    return true;
}

struct crl_online_memory crl_board_online_memory(struct crl_board_online *online)
{
    return (struct crl_online_memory){held, online};
}
