// SPDX-License-Identifier: Apache-2.0
// Which boards there are, and what work that takes long reports to.
#ifndef CRL_BOARD_KINDS_H
#define CRL_BOARD_KINDS_H

#include "base/base.h"

// ---------------------------------------------------------------- which boards there are

// One row of the table of boards. Pins are bits of the low byte of interface A.
struct crl_board_kind {
    const char *name, *title;
    uint16_t usb_vendor, usb_product;
    const char *usb_name;     // how the USB product string begins
    const char *alike;        // another board that looks the same on USB, and cannot be used; or NULL
    uint32_t bitstream_bytes; // of its FPGA, without a comment
    uint8_t flash_interface, uart_interface;
    uint8_t pin_select, pin_done, pin_reset; // flash chip select; CDONE; CRESET, low holds the FPGA
};
const struct crl_board_kind *crl_board_kinds(size_t *count);

// A design that the FPGA of a board can have. The network of one with slot tables is a hypercube.
struct crl_board_design {
    const char *name, *board, *title; // name: of its bitstream; board: of the kind
    uint32_t id;                      // in the gateware and in board images
    uint32_t ports, nodes;
    uint32_t steps;   // clocks a row: a step serves nodes / steps nodes; 0: nodes decide for themselves (board/live.h),
                      // or it has cables
    uint32_t combine; // of its routers, as in struct crl_geometry
    uint32_t cables;  // to other boards, whose plan it plays with them (board/cluster.h); 0: none
};
// The first of a kind is its own: what it is taken for where nobody has looked.
const struct crl_board_design *crl_board_designs(size_t *count);
const struct crl_board_design *crl_board_design_named(const char *name);

// A device that is attached.
struct crl_board_found {
    const struct crl_board_kind *kind; // NULL where it could not be asked: it could be any of them
    bool denied;                       // because permission is missing
    char serial[64];                   // "" if it has none
    char place[16];                    // USB bus and device number, as in 001:004; serves where serials do not
};
// All attached boards, *out of *count; free() ends it.
int crl_board_list(struct crl_board_found **out, size_t *count, struct crl_diag *diag);
// What to tell where there is none, or only one that could not be asked: fill *diag and return CRL_ERR_DEVICE.
int crl_board_none(struct crl_diag *diag);
int crl_board_unknown(const struct crl_board_found *board, struct crl_diag *diag);
// The line that a udev rules file needs to let the user at the console use the boards.
const char *crl_board_udev_rule(void);

// ---------------------------------------------------------------- what takes long

// Called by everything that takes long, between steps that are short (an erase of 4 KiB is the longest: up to 0.4 s, on
// some chips 0.8 s). When `interrupted` says true the work ends with CRL_ERR_INTERRUPTED and the board is left usable.
struct crl_board_watch {
    void (*progress)(void *user, const char *doing, uint64_t done, uint64_t total); // may be NULL
    bool (*interrupted)(void *user);                                                // may be NULL
    void *user;
};

#endif
