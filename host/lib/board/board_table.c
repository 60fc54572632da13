// SPDX-License-Identifier: Apache-2.0
// The boards the program knows: a row each.
#include "board/board.h"
#include <string.h>

// Both have an FT2232H, wired alike.
#define WITH_FT2232H                                                                                                   \
    .usb_vendor = 0x0403, .usb_product = 0x6010, .flash_interface = 0, .uart_interface = 1, .pin_select = 0x10,        \
    .pin_done = 0x40, .pin_reset = 0x80

static const struct crl_board_kind table[] = {
    {.name = "icebreaker",
     .title = "iCEBreaker, iCE40UP5K",
     .usb_name = "iCEBreaker",
     .bitstream_bytes = 104090,
     WITH_FT2232H},
    {.name = "hx8k",
     .title = "iCE40-HX8K breakout board",
     .usb_name = "Lattice FTUSB",
     .alike = "an iCEstick",
     .bitstream_bytes = 135100,
     WITH_FT2232H},
};

const struct crl_board_kind *crl_board_kinds(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static const struct crl_board_design designs[] = {
    {"icebreaker", "icebreaker", "slot tables", .id = 1, .ports = 3, .nodes = 8, .steps = 1},
    {"hx8k", "hx8k", "slot tables", .id = 2, .ports = 4, .nodes = 16, .steps = 4},
    {"hx8k_sums", "hx8k", "sums on a 3-cube", .id = 5, .ports = 3, .nodes = 8, .steps = 2, .combine = 1 + CRL_OP_ADD},
    {"hx8k_queue", "hx8k", "queues on a 3-cube", .id = 3, .ports = 3, .nodes = 8},
    {"hx8k_online", "hx8k", "on-line routers on a ring of 8", .id = 4, .ports = 2, .nodes = 8},
    {"hx8k_cube", "hx8k", "half of hypercube:3, with a cable", .id = 6, .ports = 3, .nodes = 4, .cables = 1},
    {"hx8k_torus", "hx8k", "a quarter of torus:4x4, with two cables", .id = 7, .ports = 4, .nodes = 4, .cables = 2},
};

const struct crl_board_design *crl_board_designs(size_t *count)
{
    *count = sizeof designs / sizeof *designs;
    return designs;
}

const struct crl_board_design *crl_board_design_named(const char *name)
{
    size_t i = 0;
    while (strcmp(designs[i].name, name)) i++;
    return &designs[i];
}

const char *crl_board_udev_rule(void)
{
    return "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"0403\", ATTR{idProduct}==\"6010\", MODE=\"0660\", TAG+=\"uaccess\"";
}
