// SPDX-License-Identifier: Apache-2.0
// A plan on several boards: loaded, played, and what came read back.
#include "board/cluster.h"
#include "board/watch.h"
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>
#include <string.h>

// The region of the tables: rows of two words, and behind them what else a board must know.
enum { NODE_WORDS = 512, ROW_WORDS = 2, SETTINGS = 0x800, SETTING_CABLES = 4, ROWS_MAX = 256 };
enum { PATIENCE_MS = 2000 }; // for a round

static uint32_t boards_of(const struct crl_cluster *c) { return c->of->count; }

// Says which board it is about.
static int named(const struct crl_cluster *c, uint32_t board, int error, const struct crl_diag *why,
                 struct crl_diag *diag)
{
    return error ? crl_fail(diag, error, "board '%s': %s", crl_names_at(&c->of->names, board), why->text) : 0;
}

// ---------------------------------------------------------------- what fits

static int geometry_fits(const struct crl_image *image, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    if (g->streams != 1 || g->lanes != 1 || g->banks != 1 || g->write_xbar || !g->waddr_field || g->storeless ||
        g->combine || g->data_width != 16 || g->words != 1)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "boards with cables have routers of 1 lane and 1 stream that do not add, and packets of one "
                        "word of 16 bits: build the image with --lanes 1 --streams 1 --width 16");
    if (g->rows > ROWS_MAX || g->addr_width > 8)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image has %u rows and addresses of %u bits; boards with cables take %d rows and 8 bits",
                        g->rows, g->addr_width, ROWS_MAX);
    return 0;
}

static int join(struct crl_cluster *c, struct crl_cluster_end from, struct crl_cluster_end to)
{
    struct crl_cluster_end *far = &c->far[from.board][from.cable];
    if (far->board == CRL_NONE) *far = to;
    return far->board == to.board && far->cable == to.cable;
}

// Whether the link from v to u, by this port, is there: on the board, or over cables.
static bool has_link(struct crl_cluster *c, uint16_t (*wiring)[CRL_CLUSTER_LINKS], uint32_t v, uint32_t port,
                     uint32_t u)
{
    const uint32_t from = c->of->of[v], to = c->of->of[u], ports = c->board[from]->design->ports;
    const uint32_t heard = wiring[to][c->at[u] * ports + port], sends = wiring[from][c->at[v] * ports + port] >> 8 & 15;
    if (from == to) return (heard & 0xff) == c->at[v];
    const struct crl_cluster_end near = {from, sends}, far = {to, heard >> 12};
    return near.cable < c->board[from]->design->cables && far.cable < c->board[to]->design->cables &&
           join(c, near, far) && join(c, far, near);
}

static int find_cables(struct crl_cluster *c, uint16_t (*wiring)[CRL_CLUSTER_LINKS], struct crl_diag *diag)
{
    const struct crl_topology *t = c->network;
    memset(c->far, 0xff, boards_of(c) * sizeof *c->far); // CRL_NONE
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            const uint32_t u = crl_topology_neighbor(t, v, p);
            if (u != CRL_NONE && !has_link(c, wiring, v, p, u))
                return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                                "the plan sends from node %u to node %u, and board '%s' is not wired so: its design, "
                                "%s, is %s",
                                v, u, crl_names_at(&c->of->names, c->of->of[v]), c->board[c->of->of[v]]->design->name,
                                c->board[c->of->of[v]]->design->title);
        }
    return 0;
}

// Memories can be read in boards that rest.
static int end_play(struct crl_board *b, struct crl_diag *diag)
{
    uint16_t status;
    int error = crl_link_get(&b->link, CRL_REG_STATUS, &status, diag);
    if (error || !(status & CRL_STATUS_PLAYING)) return error;
    return crl_board_control(b, CRL_CONTROL_RESET, "ending a play", diag);
}

static int read_wiring(struct crl_board *b, uint32_t ports, uint32_t nodes, uint16_t *wiring, struct crl_diag *diag)
{
    int error = crl_board_connect(b, diag);
    if (error) return error;
    if (!b->design->cables)
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the design in the FPGA is %s, which has no cables to other boards: flash hx8k_cube or "
                        "hx8k_torus",
                        b->design->name);
    if (b->design->ports != ports || b->design->nodes != nodes)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the plan has %u nodes here, of %u ports; its design, %s, has %u, of %u ports", nodes, ports,
                        b->design->name, b->design->nodes, b->design->ports);
    error = end_play(b, diag);
    b->uart->doing = "reading how the nodes are wired";
    return error ? error : crl_link_read(&b->link, CRL_REGION_TRACE, wiring, (size_t)ports * nodes, diag);
}

static int fits(struct crl_cluster *c, const struct crl_image *image, struct crl_diag *diag)
{
    CRL_OWNED uint16_t(*wiring)[CRL_CLUSTER_LINKS] = calloc(boards_of(c), sizeof *wiring);
    int error = wiring ? geometry_fits(image, diag) : crl_fail_memory(diag);
    for (uint32_t i = 0; i < boards_of(c) && !error; i++) {
        struct crl_diag why = {0};
        uint32_t nodes = 0;
        for (uint32_t v = 0; v < image->nodes; v++) nodes += c->of->of[v] == i;
        error = named(c, i, read_wiring(c->board[i], image->geometry.ports, nodes, wiring[i], &why), &why, diag);
    }
    return error ? error : find_cables(c, wiring, diag);
}

// ---------------------------------------------------------------- loading

// In reset cables are silent. All boards are, before the first one leaves it: one that was reset alone is a fault.
static int tell_all(struct crl_cluster *c, enum crl_control_bit bit, const char *doing, struct crl_diag *diag)
{
    int error = 0;
    for (uint32_t i = 0; i < boards_of(c) && !error; i++) {
        struct crl_diag why = {0};
        error = named(c, i, crl_board_control(c->board[i], bit, doing, &why), &why, diag);
    }
    return error;
}

static int load_node(struct crl_board *b, const struct crl_image *image, uint32_t node, uint32_t at,
                     struct crl_diag *diag)
{
    struct crl_geometry g = image->geometry;
    uint16_t words[ROWS_MAX * ROW_WORDS];
    g.delay = 1; // as the design has it
    g.addr_width = 8;
    for (uint32_t r = 0; r < g.rows; r++) {
        struct crl_row fields;
        uint32_t packed[4] = {0};
        crl_row_unpack(&image->geometry, crl_image_row(image, image->node_table[node], r), &fields);
        crl_row_pack(&g, &fields, packed);
        words[ROW_WORDS * r] = (uint16_t)packed[0];
        words[ROW_WORDS * r + 1] = (uint16_t)(packed[0] >> 16);
    }
    return crl_link_write(&b->link, CRL_REGION_TABLES + at * NODE_WORDS, words, (size_t)g.rows * ROW_WORDS, diag);
}

static bool is_first(struct crl_cluster_end a, struct crl_cluster_end b)
{
    return a.board != b.board ? a.board < b.board : a.cable < b.cable;
}

// What both ends of a cable know, and those of no other cable or plan.
static uint32_t cable_identity(uint32_t plan, struct crl_cluster_end near, struct crl_cluster_end far)
{
    char text[64], sum[65];
    if (!is_first(near, far)) {
        struct crl_cluster_end other = near;
        near = far;
        far = other;
    }
    int length = snprintf(text, sizeof text, "%08x %u.%u %u.%u", plan, near.board, near.cable, far.board, far.cable);
    crl_sha256(text, (size_t)length, sum);
    sum[8] = 0;
    return (uint32_t)strtoul(sum, NULL, 16);
}

static int load_settings(struct crl_cluster *c, uint32_t board, uint32_t rows, uint32_t plan, struct crl_diag *diag)
{
    uint16_t words[SETTING_CABLES + 2 * CRL_BOARD_CABLES] = {(uint16_t)rows, 0, (uint16_t)plan, (uint16_t)(plan >> 16)};
    const uint32_t cables = c->board[board]->design->cables;
    for (uint32_t i = 0; i < cables; i++) {
        const struct crl_cluster_end near = {board, i}, far = c->far[board][i];
        if (far.board == CRL_NONE) continue; // the plan does not need it
        const uint32_t identity = cable_identity(plan, near, far);
        if (!is_first(near, far)) words[1] |= (uint16_t)(1u << i);
        words[SETTING_CABLES + 2 * i] = (uint16_t)identity;
        words[SETTING_CABLES + 2 * i + 1] = (uint16_t)(identity >> 16);
    }
    return crl_link_write(&c->board[board]->link, CRL_REGION_TABLES + SETTINGS, words, SETTING_CABLES + 2 * cables,
                          diag);
}

static int load_board(struct crl_cluster *c, uint32_t board, const struct crl_image *image, uint32_t plan,
                      struct crl_diag *diag)
{
    static const char doing[] = "loading the schedule";
    struct crl_board *b = c->board[board];
    int error = 0;
    b->uart->doing = doing;
    for (uint32_t v = 0; v < image->nodes && !error; v++) {
        if (c->of->of[v] != board) continue;
        error = load_node(b, image, v, c->at[v], diag);
        if (!error) error = crl_board_step(b->watch, doing, v + 1, image->nodes, diag);
    }
    return error ? error : load_settings(c, board, image->geometry.rows, plan, diag);
}

int crl_cluster_load(struct crl_cluster *c, const struct crl_image *image, struct crl_diag *diag)
{
    uint32_t plan;
    int error = crl_board_identity(image, &plan, diag);
    if (!error) error = fits(c, image, diag);
    if (!error) error = tell_all(c, CRL_CONTROL_RESET, "resetting the nodes", diag);
    for (uint32_t i = 0; i < boards_of(c) && !error; i++) {
        struct crl_diag why = {0};
        error = named(c, i, load_board(c, i, image, plan, &why), &why, diag);
    }
    return error ? error : tell_all(c, CRL_CONTROL_ADOPT, "putting the schedule to use", diag);
}

// ---------------------------------------------------------------- playing

int crl_cluster_begin(struct crl_cluster *c, const struct crl_image *image, struct crl_diag *diag)
{
    uint32_t plan;
    int error = crl_board_identity(image, &plan, diag);
    for (uint32_t i = 0; i < boards_of(c) && !error; i++) {
        struct crl_board_state state;
        struct crl_diag why = {0};
        error = named(c, i, crl_board_state(c->board[i], &state, &why), &why, diag);
        if (!error && (!state.ready || state.identity != plan))
            error = crl_fail(diag, CRL_ERR_MISMATCH,
                             "board '%s' has another schedule (%08x, the image is %08x): load all boards again",
                             crl_names_at(&c->of->names, i), state.identity, plan);
    }
    if (!error) error = tell_all(c, CRL_CONTROL_RESET, "resetting the nodes", diag);
    return error ? error : tell_all(c, CRL_CONTROL_ADOPT, "putting the schedule to use", diag);
}

static int fill(struct crl_cluster *c, const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                uint32_t node, struct crl_diag *diag)
{
    struct crl_board *b = c->board[c->of->of[node]];
    uint64_t memory[CRL_BOARD_ADDRS];
    uint16_t words[CRL_BOARD_ADDRS];
    const uint32_t count = image->before[image->folded ? 0 : node].count;
    if (!count) return 0;
    crl_fill_memory(image, problem, seed, node, CRL_BOARD_ADDRS, memory);
    for (uint32_t i = 0; i < count; i++) words[i] = (uint16_t)memory[i];
    b->uart->doing = "giving own words";
    return crl_link_write(&b->link, CRL_REGION_PACKETS + c->at[node] * CRL_BOARD_ADDRS, words, count, diag);
}

static int start(struct crl_board *b, uint32_t rounds, struct crl_diag *diag)
{
    b->uart->doing = "starting the play";
    int error = crl_link_set(&b->link, CRL_REG_ROUNDS, (uint16_t)rounds, diag);
    return error ? error : crl_board_start(b, diag);
}

// The boards say why they do not end.
static int stuck(struct crl_cluster *c, struct crl_diag *diag)
{
    char text[400] = "", part[96];
    size_t used = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < boards_of(c); i++) {
            struct crl_board_state state;
            int error = crl_board_state(c->board[i], &state, diag);
            if (error) return error;
            const char *name = crl_names_at(&c->of->names, i);
            for (uint32_t k = 0; k < state.cables && !pass && used < sizeof text; k++) {
                crl_cluster_cable_text(&state, k, part, sizeof part);
                if (!state.cable[k].up || state.cable[k].silent)
                    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s says that %s", used ? "; " : "",
                                             name, part);
            }
            crl_cluster_wait_text(&state, part, sizeof part);
            if (pass && *part && used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? "; " : "", name, part);
        }
    return crl_fail(diag, CRL_ERR_MISMATCH, "the result is stuck: %s", text);
}

static int wait_all(struct crl_cluster *c, struct crl_diag *diag)
{
    const uint64_t deadline = crl_now_ms() + PATIENCE_MS;
    for (uint32_t ended = 0;;) {
        struct crl_board *b = c->board[ended];
        const bool late = crl_now_ms() >= deadline;
        uint16_t status;
        b->uart->doing = "playing";
        int error = crl_link_get(&b->link, CRL_REG_STATUS, &status, diag);
        if (!error) error = crl_board_step(b->watch, "playing", ended, boards_of(c), diag);
        if (error) return error;
        if ((status & CRL_STATUS_ENDED) && ++ended == boards_of(c)) return 0;
        if (late && !(status & CRL_STATUS_ENDED)) return stuck(c, diag);
    }
}

static int collect(struct crl_cluster *c, const struct crl_image *image, uint32_t node, struct crl_diag *diag)
{
    struct crl_board *b = c->board[c->of->of[node]];
    const uint32_t count = image->after[image->folded ? 0 : node].count;
    uint16_t shown = 0;
    b->uart->doing = "reading what came";
    int error = crl_link_get(&b->link, CRL_REG_SHOWN + c->at[node], &shown, diag);
    c->shown[node] = shown;
    if (error || !count) return error;
    return crl_link_read(&b->link, CRL_REGION_PACKETS + c->at[node] * CRL_BOARD_ADDRS, c->came + node * CRL_BOARD_ADDRS,
                         count, diag);
}

int crl_cluster_play(struct crl_cluster *c, const struct crl_image *image, const struct crl_problem *problem,
                     uint64_t seed, uint32_t rounds, struct crl_diag *diag)
{
    int error = 0;
    for (uint32_t v = 0; v < image->nodes && !error; v++) error = fill(c, image, problem, seed, v, diag);
    for (uint32_t i = 0; i < boards_of(c) && !error; i++) error = start(c->board[i], rounds, diag);
    if (error || !rounds) return error;
    error = wait_all(c, diag);
    for (uint32_t v = 0; v < image->nodes && !error; v++) error = collect(c, image, v, diag);
    return error;
}

void crl_cluster_memory(void *cluster, uint32_t node, uint32_t count, uint32_t stream, uint32_t page, uint32_t index,
                        uint64_t *words)
{
    const struct crl_cluster *c = cluster;
    for (uint32_t i = 0; i < count; i++) {
        const bool has = !stream && !page && index < c->shown[node + i] && index < CRL_BOARD_ADDRS;
        words[i] = has ? c->came[(node + i) * CRL_BOARD_ADDRS + index] : UINT64_MAX; // no word of 16 bits
    }
}
