// SPDX-License-Identifier: Apache-2.0
// Addresses and bits of the boards' designs: docs/formats/board.md.
#ifndef CRL_BOARD_REGISTERS_H
#define CRL_BOARD_REGISTERS_H

enum {
    CRL_BOARD_MAGIC = 0xca11,
    CRL_BOARD_PROTOCOL = 1,
    CRL_BOARD_LINES = 256, // of the table and of the trace memory; the last line of the table is the descriptor
    CRL_BOARD_ADDRS = 256, // words of a packet memory
    CRL_BOARD_BAUD = 1000000,
};

enum crl_region {
    CRL_REGION_REGISTERS = 0x0000,
    CRL_REGION_TABLES = 0x1000,
    CRL_REGION_PACKETS = 0x2000,
    CRL_REGION_TRACE = 0x3000,
    CRL_REGION_NOTES = 0xf000,
};

enum crl_register {
    CRL_REG_MAGIC = 0x00,
    CRL_REG_PROTOCOL = 0x01,
    CRL_REG_BOARD = 0x02,
    CRL_REG_GATEWARE = 0x03,
    CRL_REG_NODES = 0x06,
    CRL_REG_PORTS = 0x07,
    CRL_REG_STEPS = 0x0b,
    CRL_REG_ROWS_MAX = 0x0c,
    CRL_REG_STATUS = 0x10,
    CRL_REG_LOADER = 0x11,
    CRL_REG_SEQUENCE = 0x12,
    CRL_REG_IDENTITY = 0x14,
    CRL_REG_ROWS = 0x16,
    CRL_REG_TRACE_CYCLES = 0x17,
    CRL_REG_ROUNDS_PLAYED = 0x18,
    CRL_REG_LINK_ERRORS = 0x1a,
    CRL_REG_FAULT_NODES = 0x1b,
    CRL_REG_ROUNDS = 0x1c,
    CRL_REG_CONTROL = 0x1d,
    CRL_REG_FAULT = 0x20,
    CRL_REG_CABLE = 0x24, // of boards with cables, as the next two: bits, words sent again, damaged flits
    CRL_REG_REPEATS = 0x28,
    CRL_REG_DAMAGED = 0x2c,
    CRL_REG_FAULT_ROW = 0x30,
    CRL_REG_SHOWN = 0x34, // of boards with cables: words that came in the last round, of each node
    CRL_REGISTERS = 0x40,
};

enum crl_status_bit {
    CRL_STATUS_PLAYING = 1 << 0,
    CRL_STATUS_LOADING = 1 << 1,
    CRL_STATUS_READY = 1 << 2, // a schedule is in use
    CRL_STATUS_FAULT = 1 << 3,
    CRL_STATUS_ENDED = 1 << 4,
};

// Of a cable.
enum crl_cable_bit {
    CRL_CABLE_UP = 1 << 0,
    CRL_CABLE_SILENT = 1 << 1,
    CRL_CABLE_OTHER = 1 << 2, // the other end is of another plan or cable
    CRL_CABLE_RESET = 1 << 3, // one end was reset alone
    CRL_CABLE_WAITS = 1 << 4, // the board waits for a word
    CRL_CABLE_HELD = 1 << 5,  // or for room
};

enum crl_control_bit {
    CRL_CONTROL_START = 1 << 0,
    CRL_CONTROL_STOP = 1 << 1,
    CRL_CONTROL_CLEAR = 1 << 2,
    CRL_CONTROL_ADOPT = 1 << 3,
    CRL_CONTROL_RELOAD = 1 << 4,
    CRL_CONTROL_RESET = 1 << 5,
};

#endif
