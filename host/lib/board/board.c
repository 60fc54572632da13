// SPDX-License-Identifier: Apache-2.0
// An open board: the link to its design, and what that says of itself.
#include "board/board.h"
#include "board/watch.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 3000, START_TRIES = 3 };

static bool is_kind(const char *name)
{
    size_t count;
    const struct crl_board_kind *kinds = crl_board_kinds(&count);
    while (count && strcmp(kinds[count - 1].name, name)) count--;
    return count > 0;
}

int crl_board_open(struct crl_board **out, const char *kind, const char *serial, const struct crl_board_watch *watch,
                   struct crl_diag *diag)
{
    *out = NULL;
    if (kind && !is_kind(kind)) return crl_fail(diag, CRL_ERR_ARGUMENT, "there is no kind of board '%s'", kind);
    struct crl_board *b = *out = calloc(1, sizeof *b);
    if (!b) return crl_fail_memory(diag);
    b->watch = watch;
    b->patience_ms = PATIENCE_MS;
    b->kind_named = kind;
    int error = crl_usb_open(&b->usb, kind, serial, &b->found, diag);
    if (error) {
        free(b);
        *out = NULL;
    }
    return error;
}

void crl_board_close(struct crl_board *b)
{
    if (!b) return;
    crl_usb_release(b->uart);
    crl_usb_close(&b->usb);
    free(b->valid);
    free(b->data);
    free(b->memory);
    free(b);
}

const struct crl_board_found *crl_board_which(const struct crl_board *board) { return &board->found; }

int crl_board_wait(struct crl_board *b, uint16_t mask, uint16_t value, const char *doing, struct crl_diag *diag)
{
    uint64_t deadline = crl_now_ms() + b->patience_ms;
    for (;;) {
        bool late = crl_now_ms() >= deadline;
        uint16_t status;
        b->uart->doing = doing;
        int error = crl_link_get(&b->link, CRL_REG_STATUS, &status, diag);
        if (error || (status & mask) == value) return error;
        if (late)
            return crl_fail(diag, CRL_ERR_DEVICE, "the board is not done after %u ms of %s (status %04x)",
                            b->patience_ms, doing, status);
        error = crl_board_step(b->watch, doing, 0, 0, diag);
        if (error) return error;
    }
}

int crl_board_start(struct crl_board *b, struct crl_diag *diag)
{
    uint16_t status = 0;
    int error = 0;
    bool lost = true;
    for (int i = 0; i < START_TRIES && lost; i++) {
        error = crl_link_once(&b->link, CRL_REG_CONTROL, CRL_CONTROL_START, &lost, diag);
        if (!lost) return error;
        error = crl_link_get(&b->link, CRL_REG_STATUS, &status, diag);
        if (error || status & (CRL_STATUS_PLAYING | CRL_STATUS_ENDED)) return error;
        error = crl_fail(diag, CRL_ERR_DEVICE, "the board does not start to play");
    }
    return error;
}

static bool is_design(const struct crl_board *b, const struct crl_board_design *d, const uint16_t r[CRL_REGISTERS])
{
    return !strcmp(d->board, b->found.kind->name) && r[CRL_REG_BOARD] == d->id && r[CRL_REG_NODES] == d->nodes &&
           r[CRL_REG_PORTS] == d->ports && (!d->steps || r[CRL_REG_STEPS] == d->steps);
}

static int check_design(struct crl_board *b, struct crl_diag *diag)
{
    uint16_t r[CRL_REGISTERS];
    int error = crl_link_read(&b->link, CRL_REGION_REGISTERS, r, CRL_REGISTERS, diag);
    if (error) return error;
    if (r[CRL_REG_PROTOCOL] != CRL_BOARD_PROTOCOL)
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the design in the FPGA (version %u.%u) speaks protocol %u, this program protocol %d: flash "
                        "the bitstream that belongs to this program",
                        r[CRL_REG_GATEWARE] >> 8, r[CRL_REG_GATEWARE] & 0xff, r[CRL_REG_PROTOCOL], CRL_BOARD_PROTOCOL);
    size_t count;
    b->design = crl_board_designs(&count);
    while (count && !is_design(b, b->design, r)) b->design++, count--;
    if (count) return 0;
    b->design = NULL;
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "the design in the FPGA is for another board (number %u, %u nodes), this is %s: flash the "
                    "bitstream of this board",
                    r[CRL_REG_BOARD], r[CRL_REG_NODES], b->found.kind->title);
}

int crl_board_claim(struct crl_board *b, struct crl_diag *diag)
{
    return b->uart ? 0 : crl_usb_claim(&b->usb, b->found.kind->uart_interface, &b->uart, diag);
}

static int look(struct crl_board *b, bool *present, struct crl_diag *diag)
{
    int error = crl_board_claim(b, diag);
    if (error) return error;
    error = crl_link_open(&b->link, b->uart, b->watch, diag);
    b->uart->doing = "looking for the design";
    if (!error) error = crl_link_probe(&b->link, present, diag);
    return error || !*present ? error : check_design(b, diag);
}

int crl_board_look(struct crl_board *b, bool *present, struct crl_diag *diag)
{
    *present = b->connected;
    int error = b->connected ? 0 : look(b, present, diag);
    b->connected = !error && *present;
    if (!b->connected) return error;
    return crl_board_wait(b, CRL_STATUS_LOADING, 0, "waiting for the board to load its schedule", diag);
}

int crl_board_connect(struct crl_board *b, struct crl_diag *diag)
{
    bool present;
    int error = crl_board_look(b, &present, diag);
    if (error || present) return error;
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "the FPGA does not answer: it has not started, or has no Carillon design; 'carillon board flash "
                    "BITSTREAM' gives it one, 'carillon board reset' restarts it");
}

int crl_board_needs(struct crl_board *b, const struct crl_board_design *design, struct crl_diag *diag)
{
    int error = crl_board_connect(b, diag);
    if (error || (design ? design == b->design : b->design->steps)) return error;
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "the design in the FPGA is %s, which is for %s, and this needs %s: flash its bitstream",
                    b->design->name, b->design->title, design ? design->name : b->found.kind->name);
}

// ---- what it says

static const char *const sources[] = {"none", "bitstream", "flash bank 0", "flash bank 1", "link"};
static const char *const banks[] = {
    "not looked at",     "in use",          "older than the other",        "empty",
    "no schedule",       "damaged header",  "another format version",      "for another board",
    "impossible length", "damaged payload", "a record in the wrong place", "tables not accepted"};
static const char *const adopts[] = {"fine", "no descriptor", "impossible number of rows",
                                     "CRC of the tables is wrong"};

#define TEXT_OF(texts, code) ((code) < sizeof(texts) / sizeof *(texts) ? (texts)[code] : "unknown")
const char *crl_board_source_text(uint32_t source) { return TEXT_OF(sources, source); }
const char *crl_board_bank_text(uint32_t bank) { return TEXT_OF(banks, bank); }
const char *crl_board_adopt_text(uint32_t adopted) { return TEXT_OF(adopts, adopted); }

static void add_cables(struct crl_board_state *state, uint32_t cables, const uint16_t r[CRL_REGISTERS])
{
    state->cables = cables;
    state->row = r[CRL_REG_TRACE_CYCLES];
    state->cycles = 0;
    for (uint32_t i = 0; i < cables; i++) {
        const uint32_t bits = r[CRL_REG_CABLE + i];
        state->cable[i] = (struct crl_board_cable){.up = bits & CRL_CABLE_UP,
                                                   .silent = bits & CRL_CABLE_SILENT,
                                                   .other = bits & CRL_CABLE_OTHER,
                                                   .reset = bits & CRL_CABLE_RESET,
                                                   .waits = bits & CRL_CABLE_WAITS,
                                                   .held = bits & CRL_CABLE_HELD,
                                                   .repeats = r[CRL_REG_REPEATS + i],
                                                   .damaged = r[CRL_REG_DAMAGED + i]};
    }
}

int crl_board_state(struct crl_board *b, struct crl_board_state *state, struct crl_diag *diag)
{
    uint16_t r[CRL_REGISTERS];
    int error = crl_board_connect(b, diag);
    if (error) return error;
    b->uart->doing = "reading the registers";
    error = crl_link_read(&b->link, CRL_REGION_REGISTERS, r, CRL_REGISTERS, diag);
    if (error) return error;
    uint32_t status = r[CRL_REG_STATUS], loader = r[CRL_REG_LOADER];
    *state = (struct crl_board_state){
        .design = b->design->name,
        .gateware = r[CRL_REG_GATEWARE],
        .playing = status & CRL_STATUS_PLAYING,
        .ready = status & CRL_STATUS_READY,
        .ended = status & CRL_STATUS_ENDED,
        .source = loader >> 8 & 15,
        .bank = {loader & 15, loader >> 4 & 15},
        .adopted = loader >> 12,
        .sequence = r[CRL_REG_SEQUENCE] | (uint32_t)r[CRL_REG_SEQUENCE + 1] << 16,
        .identity = r[CRL_REG_IDENTITY] | (uint32_t)r[CRL_REG_IDENTITY + 1] << 16,
        .rows = r[CRL_REG_ROWS],
        .cycles = r[CRL_REG_TRACE_CYCLES],
        .rounds = r[CRL_REG_ROUNDS_PLAYED] | (uint32_t)r[CRL_REG_ROUNDS_PLAYED + 1] << 16,
        .link_errors = r[CRL_REG_LINK_ERRORS],
        .link_retries = b->link.retries,
        .fault_nodes = r[CRL_REG_FAULT_NODES],
    };
    for (uint32_t v = 0; v < b->design->nodes; v++) {
        state->fault[v].kinds = r[CRL_REG_FAULT + v] & 31;
        state->fault[v].ports = r[CRL_REG_FAULT + v] >> 8;
        state->fault[v].row = r[CRL_REG_FAULT_ROW + v] & 0xff;
        state->fault[v].parity_row = r[CRL_REG_FAULT_ROW + v] >> 8;
    }
    if (b->design->cables) add_cables(state, b->design->cables, r);
    return 0;
}
