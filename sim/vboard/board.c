// SPDX-License-Identifier: Apache-2.0
#include "board.h"
#include "rack.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Channel A's pins. */
    PIN_SCK = 0x01,
    PIN_MOSI = 0x02,
    PIN_MISO = 0x04,
    PIN_CS_N = 0x10,
    PIN_CDONE = 0x40,
    PIN_CRESET = 0x80,

    CLOCK_HZ = 12000000,
    STOP_BIT = 9,
    /* The design's start: its loader is done when the flash's pins have been at rest this long. */
    SETTLE_CLOCKS = 2000,
    SETTLE_STEP_NS = 10000,
    SETTLE_MAX = 30000,
    QUIET_CLOCKS = 2 * 120, /* two bytes at the rate of our design */
};

static const struct crl_vboard_kind kinds[] = {
    {"icebreaker", "1BitSquared", "iCEBreaker V1.0e", "ib%06d", "W25Q128", {"iCE40UP5K", 692}, 0},
    {"hx8k", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 0},
    {"hx8k_sums", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 0},
    {"hx8k_queue", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 0},
    {"hx8k_online", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 0},
    {"hx8k_cube", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 1},
    {"hx8k_torus", "Lattice", "Lattice FTUSB Interface Cable", "LV%06d", "W25Q32", {"iCE40HX8K", 872}, 2},
};

const struct crl_vboard_kind *crl_vboard_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}

/* A pin of channel A as the wire sees it: what does not drive it pulls it up. */
static bool wire(const struct crl_vboard *board, unsigned pin)
{
    return !(board->direction & pin) || (board->level & pin);
}

bool crl_vboard_released(const struct crl_vboard *board) { return wire(board, PIN_CS_N) && wire(board, PIN_CRESET); }

/*
 * The flash's pins. The design wins while it drives them, as the stronger driver; that the host holds chip select low
 * at the same time is a fault of one of them, and counted.
 */
static void move_flash(struct crl_vboard *board)
{
    const bool design = board->top && (board->out & CRL_VTOP_OUT_OE);

    if (design && !wire(board, PIN_CS_N) && !(board->out & CRL_VTOP_OUT_CS_N)) board->counts.contentions++;
    if (design)
        board->miso = crl_vflash_pins(board->flash, board->out & CRL_VTOP_OUT_CS_N, board->out & CRL_VTOP_OUT_SCK,
                                      board->out & CRL_VTOP_OUT_MOSI);
    else
        board->miso = crl_vflash_pins(board->flash, wire(board, PIN_CS_N),
                                      (board->direction & PIN_SCK) && (board->level & PIN_SCK), wire(board, PIN_MOSI));
}

/* ---- the serial line ---- */

/* Advances a wire by a clock; true when a bit time has ended. */
static bool tick(struct crl_vserial *serial, uint32_t baud)
{
    if (serial->left > baud) {
        serial->left -= baud;
        return false;
    }
    serial->left += CLOCK_HZ - (uint64_t)baud;
    return true;
}

/* What the host sends: puts out one bit after the other. */
static bool send_bit(struct crl_vboard *board)
{
    struct crl_vserial *serial = &board->rx;

    if (serial->bit < 0) {
        if (!crl_vfifo_get(&board->ftdi.channel[1].to_pins, &serial->byte)) return true;
        serial->bit = 0;
        serial->left = CLOCK_HZ;
        serial->level = false;
    } else if (tick(serial, board->ftdi.baud)) {
        serial->bit++;
        if (serial->bit > STOP_BIT) {
            serial->bit = -1;
            return send_bit(board);
        }
        serial->level = serial->bit == STOP_BIT || (serial->byte >> (serial->bit - 1) & 1);
    }
    return serial->level;
}

/* What the design sends: sampled in the middle of each bit. */
static void receive_bit(struct crl_vboard *board, bool level)
{
    struct crl_vserial *serial = &board->tx;

    if (serial->bit < 0) {
        if (serial->level && !level) {
            serial->bit = 0;
            serial->left = CLOCK_HZ / 2;
        }
        serial->level = level;
        return;
    }
    if (!tick(serial, board->ftdi.baud)) return;
    if (serial->bit == 0 && level) serial->bit = -1; /* a glitch */
    else if (serial->bit == STOP_BIT) {
        if (!level) board->counts.framing_errors++;
        if (!crl_vfifo_put(&board->ftdi.channel[1].to_host, serial->byte)) board->ftdi.channel[1].overrun = true;
        serial->bit = -1;
    } else {
        if (serial->bit) serial->byte = (uint8_t)(serial->byte >> 1 | (level ? 0x80 : 0));
        serial->bit++;
    }
    serial->level = level;
}

/* ---- the FPGA ---- */

unsigned crl_vboard_wires(const struct crl_vboard *board) { return CRL_VTOP_WIRE * ((1u << board->kind->cables) - 1); }

void crl_vboard_clock(struct crl_vboard *board, unsigned wires)
{
    const unsigned before = board->out;
    const bool rx = send_bit(board);
    unsigned changed;

    board->counts.clocks++;
    if (!board->top) return;
    board->out =
        board->ops->clock(board->top, (rx ? CRL_VTOP_IN_RX : 0) | (board->miso ? CRL_VTOP_IN_MISO : 0) | wires);
    changed = (board->out ^ before) & ~(unsigned)CRL_VTOP_WIRE_MASK;
    if (changed & ~(unsigned)CRL_VTOP_OUT_TX) move_flash(board);
    receive_bit(board, board->out & CRL_VTOP_OUT_TX);
    board->idle_clocks = changed ? 0 : board->idle_clocks + 1;
    board->quiet_clocks = board->rx.bit >= 0 || board->tx.bit >= 0 ? 0 : board->quiet_clocks + 1;
}

bool crl_vboard_talks(const struct crl_vboard *board)
{
    return board->top && (board->ftdi.channel[1].to_pins.count || board->quiet_clocks <= QUIET_CLOCKS);
}

void crl_vboard_run(struct crl_vboard *board, uint64_t ns)
{
    const uint64_t end_ns = board->now_ns + ns;

    if (board->rack) {
        crl_vrack_run(board->rack, end_ns);
        return;
    }
    for (board->owed += board->configured ? 3 * ns : 0; board->owed >= 250;
         board->owed -= 250) { /* 12 MHz: 250 / 3 ns */
        board->now_ns = end_ns - board->owed / 3;
        crl_vboard_clock(board, crl_vboard_wires(board));
    }
    board->now_ns = end_ns;
}

static void stop_design(struct crl_vboard *board)
{
    if (board->top) board->ops->destroy(board->top);
    board->top = NULL;
    board->configured = false;
    board->out = CRL_VTOP_OUT_TX | CRL_VTOP_OUT_CS_N;
    board->rx = board->tx = (struct crl_vserial){.bit = -1, .level = true};
    board->miso = true;
}

/*
 * The design as it starts with the bitstream's tables. They go through a file, as Verilog reads memories from files
 * only.
 */
static void *create_design(const struct crl_vboard *board, const struct crl_vbitstream *bitstream)
{
    const int seed = (int)((board->seed + board->counts.configurations) % INT_MAX) + 1;
    char path[] = "/tmp/carillon-tables-XXXXXX", *text;
    FILE *file = NULL;
    void *top = NULL;
    int fd;

    if (board->tables || !(text = crl_vbitstream_tables(bitstream))) return board->ops->create(board->tables, seed);
    fd = mkstemp(path);
    if (fd >= 0) file = fdopen(fd, "w");
    if (file && fputs(text, file) >= 0 && !fflush(file)) top = board->ops->create(path, seed);
    if (file) fclose(file);
    if (fd >= 0) unlink(path);
    free(text);
    return top;
}

/* The device reads its bitstream from the flash and starts the design, which runs until its loader is done. */
static void configure(struct crl_vboard *board)
{
    struct crl_vbitstream bitstream;
    size_t size;
    const uint8_t *bytes = crl_vflash_bytes(board->flash, &size);

    stop_design(board);
    board->why_not = "the host holds the flash";
    if (!wire(board, PIN_CS_N) || crl_vflash_dead(board->flash)) return;
    board->why_not = crl_vbitstream_check(&board->kind->device, bytes, size, &bitstream);
    if (board->why_not) return;
    board->configured = true;
    board->counts.configurations++;
    board->top = board->ops && crl_vbitstream_is_ours(&bitstream) ? create_design(board, &bitstream) : NULL;
    board->idle_clocks = 0;
    board->quiet_clocks = QUIET_CLOCKS + 1;
    for (int i = 0; board->top && i < SETTLE_MAX && board->idle_clocks < SETTLE_CLOCKS; i++)
        crl_vboard_run(board, SETTLE_STEP_NS);
}

/* ---- channel A's pins ---- */

static void drive_pins(void *user, uint16_t level, uint16_t direction)
{
    struct crl_vboard *board = user;
    const bool was_held = !wire(board, PIN_CRESET);

    board->level = level;
    board->direction = direction;
    if (!wire(board, PIN_CRESET)) {
        if (!was_held) stop_design(board);
        move_flash(board);
        return;
    }
    move_flash(board);
    if (was_held) configure(board);
}

static uint16_t sense_pins(void *user)
{
    const struct crl_vboard *board = user;
    uint16_t pins = (uint16_t)(board->level | ~board->direction); /* what floats is high */

    pins = (uint16_t)(pins & ~(PIN_MISO | PIN_CDONE));
    return (uint16_t)(pins | (board->miso ? PIN_MISO : 0) | (board->configured ? PIN_CDONE : 0));
}

/* While the host clocks the flash, the design runs on. */
static void wait_pins(void *user, uint64_t ns) { crl_vboard_run(user, ns); }

int crl_vboard_open(struct crl_vboard *board, const struct crl_vboard_kind *kind, int number, const char *flash_path,
                    const struct crl_vflash_faults *faults, const struct crl_vtop_ops *ops, const char *tables,
                    uint64_t seed)
{
    size_t size;
    uint8_t *bytes;

    memset(board, 0, sizeof *board);
    board->kind = kind;
    board->ops = ops;
    board->tables = tables;
    board->seed = seed;
    board->flash = crl_vflash_open(kind->chip, flash_path, &board->now_ns, seed);
    if (!board->flash) return -1;
    bytes = crl_vflash_bytes(board->flash, &size);
    if (bytes[0] == 0xFF && !memcmp(bytes, bytes + 1, size - 1)) crl_vbitstream_stand_in(&kind->device, bytes);
    crl_vflash_set_faults(board->flash, faults);
    snprintf(board->serial, sizeof board->serial, kind->serial, number);
    board->pins = (struct crl_vmpsse_pins){board, drive_pins, sense_pins, wait_pins};
    crl_vftdi_init(&board->ftdi, kind->manufacturer, kind->product, board->serial, &board->pins);
    configure(board);
    return 0;
}

void crl_vboard_close(struct crl_vboard *board)
{
    stop_design(board);
    crl_vftdi_free(&board->ftdi);
    crl_vflash_close(board->flash);
    board->flash = NULL;
}
