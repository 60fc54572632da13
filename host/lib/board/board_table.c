// SPDX-License-Identifier: Apache-2.0
// The boards the program knows: a row each.
#include "board/board.h"

static const struct crl_board_kind table[] = {
    {.name = "icebreaker",
     .title = "iCEBreaker, iCE40UP5K",
     .id = 1,
     .usb_vendor = 0x0403,
     .usb_product = 0x6010,
     .usb_name = "iCEBreaker",
     .ports = 3,
     .nodes = 8,
     .steps = 1,
     .bitstream_bytes = 104090,
     .flash_interface = 0,
     .uart_interface = 1,
     .pin_select = 0x10,
     .pin_done = 0x40,
     .pin_reset = 0x80},
    {.name = "hx8k",
     .title = "iCE40-HX8K breakout board",
     .id = 2,
     .usb_vendor = 0x0403,
     .usb_product = 0x6010,
     .usb_name = "Lattice FTUSB",
     .alike = "an iCEstick",
     .ports = 4,
     .nodes = 16,
     .steps = 4,
     .bitstream_bytes = 135100,
     .flash_interface = 0,
     .uart_interface = 1,
     .pin_select = 0x10,
     .pin_done = 0x40,
     .pin_reset = 0x80},
};

const struct crl_board_kind *crl_board_kinds(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static const struct crl_board_live lives[] = {
    {"hx8k_queue", "hx8k", "queues on a 3-cube", 3, 8, 3},
    {"hx8k_online", "hx8k", "on-line routers on a ring of 8", 4, 8, 2},
};

const struct crl_board_live *crl_board_lives(size_t *count)
{
    *count = sizeof lives / sizeof *lives;
    return lives;
}

const char *crl_board_udev_rule(void)
{
    return "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"0403\", ATTR{idProduct}==\"6010\", MODE=\"0660\", TAG+=\"uaccess\"";
}
