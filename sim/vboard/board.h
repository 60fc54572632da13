// SPDX-License-Identifier: Apache-2.0
/*
 * One board: FT2232H, flash and FPGA, and the wires between them. Time is the board's own: it passes when something is
 * done to it, not by the wall clock.
 */
#ifndef CRL_VBOARD_H
#define CRL_VBOARD_H

#include "bitstream.h"
#include "faults.h"
#include "ftdi.h"
#include "top.h"

/* What there is of each kind of board. */
struct crl_vboard_kind {
    const char *name;
    const char *manufacturer, *product, *serial; /* the serial takes the board's number */
    const char *chip;                            /* the flash */
    struct crl_vdevice device;
    int cables; /* to other boards */
};

/* The kind of a name, or NULL. */
const struct crl_vboard_kind *crl_vboard_kind(const char *name);

/* A wire of the serial line, one direction: the bit time is a fraction of clocks, kept exactly. */
struct crl_vserial {
    int bit;       /* -1: idle, 0: start, 1...8: data, 9: stop */
    uint64_t left; /* until the next bit is put out or sampled, in clocks times the baud rate */
    uint8_t byte;
    bool level;
};

struct crl_vboard_counts {
    uint64_t clocks, contentions, framing_errors, configurations;
};

struct crl_vrack;

struct crl_vboard {
    const struct crl_vboard_kind *kind;
    char serial[32];
    uint64_t now_ns, seed;
    struct crl_vmpsse_pins pins;
    struct crl_vftdi ftdi;
    struct crl_vflash *flash;
    struct crl_vboard_counts counts;

    uint16_t level, direction; /* of channel A's pins */
    const struct crl_vtop_ops *ops;
    const char *tables;  /* baked into the bitstream, see top.h */
    void *top;           /* the design, while it is configured */
    bool configured;     /* CDONE */
    const char *why_not; /* configured, in words */
    unsigned out;        /* last outputs of the design */
    bool miso;
    struct crl_vserial rx, tx; /* as the design sees them */
    uint64_t owed;             /* time not yet clocked, in thirds of nanoseconds */
    uint64_t idle_clocks;      /* since the design's serial output or flash pins last did something */
    uint64_t quiet_clocks;     /* since a byte was last under way on the serial line */
    struct crl_vrack *rack;    /* the boards that it runs together with, see rack.h, and then of its clock */
    uint64_t period_fs, edge_fs;
};

/*
 * Powers a board up: number >= 1 tells boards apart, flash_path as in crl_vflash_open(), ops NULL: a design that does
 * nothing, tables as in top.h, or NULL. An erased flash that is new gets a stand-in for the bitstream. 0, or -1 with
 * errno set.
 */
int crl_vboard_open(struct crl_vboard *board, const struct crl_vboard_kind *kind, int number, const char *flash_path,
                    const struct crl_vflash_faults *faults, const struct crl_vtop_ops *ops, const char *tables,
                    uint64_t seed);
void crl_vboard_close(struct crl_vboard *board);

/* Lets the board's time pass, and that of those it is joined with, clocking the design if it is configured. */
void crl_vboard_run(struct crl_vboard *board, uint64_t ns);

/* The wires of the board's cables, which are pulled up. */
unsigned crl_vboard_wires(const struct crl_vboard *board);

/* One clock of the design, which hears these wires of cables. */
void crl_vboard_clock(struct crl_vboard *board, unsigned wires);

/* Whether bytes are under way on the serial line, or were until two bytes' time ago. */
bool crl_vboard_talks(const struct crl_vboard *board);

/* Whether chip select is high and the FPGA is not held in reset by the host. */
bool crl_vboard_released(const struct crl_vboard *board);

#endif
