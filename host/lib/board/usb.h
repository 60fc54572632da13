// SPDX-License-Identifier: Apache-2.0
// The boards on USB, through libusb-1.0: which there are, and the two bulk pipes of one interface of one of them.
#ifndef CRL_BOARD_USB_H
#define CRL_BOARD_USB_H

#include "board/kinds.h"

// One claimed interface as the layers above see it; tests put a fake in its place. Functions return 0 or CRL_ERR_DEVICE
// and say what went wrong while doing what `doing` says.
struct crl_pipe {
    void *self;
    uint8_t interface;
    const char *doing; // for messages, as in "reading the flash"; set by the layers above
    // A vendor request of FTDI without data. `high` is the upper byte of wIndex; the lower one names the interface.
    int (*control)(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high, struct crl_diag *diag);
    int (*write)(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag);
    // What has arrived, at least one byte and at most `size`; *got = 0 when nothing came in time.
    int (*read)(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                struct crl_diag *diag);
};

// Reads exactly `count` bytes; that they do not come in time is an error, too.
int crl_pipe_read_all(struct crl_pipe *pipe, uint8_t *bytes, size_t count, uint32_t timeout_ms, struct crl_diag *diag);

// An open board. (libusb's names are not typed here, so that only two files need its header.)
struct crl_usb {
    struct libusb_context *context;
    struct libusb_device_handle *handle;
};

// Opens the one board there is, of a kind and with a name (`serial`) or, with NULL, of any. Claims nothing yet.
int crl_usb_open(struct crl_usb *usb, const char *kind, const char *serial, struct crl_board_found *found,
                 struct crl_diag *diag);
void crl_usb_close(struct crl_usb *usb);

// Claims an interface, takes it from the kernel's driver if need be, and starts to read from it. crl_usb_release ends
// all transfers and leaves the interface and its driver as they were found; also after an unplug, and with NULL.
int crl_usb_claim(struct crl_usb *usb, uint8_t interface, struct crl_pipe **out, struct crl_diag *diag);
void crl_usb_release(struct crl_pipe *pipe);

// The one place where libusb's codes become ours. `doing` as above.
int crl_usb_fail(struct crl_diag *diag, int code, const char *doing);

#endif
