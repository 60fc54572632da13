// SPDX-License-Identifier: Apache-2.0
/*
 * Transfers of a USB device: submitted, carried out when the board can, reaped. Internal to usb.c. All that return int
 * return what the ioctl() does, or a negative errno; arg is the ioctl()'s argument.
 */
#ifndef CRL_VTRANSFER_H
#define CRL_VTRANSFER_H

#include "usb.h"

int crl_vusb_submit(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg);
int crl_vusb_discard(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg);

/* Answers the ioctl() itself, and late when there is nothing to reap. The board's time passes meanwhile. */
void crl_vusb_reap(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg);

int crl_vusb_synchronous_control(struct crl_vusb *usb, UMockdevIoctlData *arg);
int crl_vusb_synchronous_bulk(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg);

/* Halts an endpoint (its address, 0x81 and so on), or lets it go on. */
void crl_vusb_halt(struct crl_vusb *usb, unsigned endpoint, bool on);

/* Drops the transfers of a program that has closed the device. */
void crl_vusb_forget(struct crl_vusb *usb, const void *client);

/* Answers an ioctl(): result, or a negative errno. */
void crl_vusb_complete(UMockdevIoctlClient *client, int result);

#endif
