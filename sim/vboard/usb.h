// SPDX-License-Identifier: Apache-2.0
/*
 * A board as a USB device on Linux: what ioctl() on its device node does (linux/usbdevice_fs.h), transfer by transfer,
 * with the faults asked for. Runs in umockdev's thread.
 */
#ifndef CRL_VUSB_H
#define CRL_VUSB_H

#include "board.h"

#include <umockdev.h>

enum { CRL_VUSB_INTERFACES = 2 };

struct crl_vurb;

struct crl_vusb {
    struct crl_vboard *board;
    const struct crl_vfaults *faults; /* NULL: none */
    /* The device has just gone (unplugged, or its power cut). */
    void (*gone)(struct crl_vusb *usb);
    void *user;

    bool absent;
    UMockdevIoctlClient *owner[CRL_VUSB_INTERFACES]; /* who has claimed it */
    bool driver[CRL_VUSB_INTERFACES];                /* the kernel's serial driver has it */
    GQueue pending, done;                            /* transfers */
    UMockdevIoctlClient *reaped;                     /* whose last attempt to reap brought one */
    uint64_t transfers;                              /* so far */
    uint8_t struck;                                  /* endpoint of the last one with a fault, 0: control */
    uint64_t detached, attached;                     /* of the kernel's driver */
    gint64 quiet_since_us;   /* wall-clock time of the last serial data from the host, 0: answered */
    uint64_t quiet_since_ns; /* the board's time then */
};

/* Board and faults outlive it. driver: the kernel's serial driver has both interfaces, as when a board is plugged in.
 */
void crl_vusb_init(struct crl_vusb *usb, struct crl_vboard *board, const struct crl_vfaults *faults, bool driver);

/* The signals of UMockdevIoctlBase; user is the struct crl_vusb. */
gboolean crl_vusb_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *user);
void crl_vusb_vanished(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *user);

#endif
