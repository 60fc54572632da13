// SPDX-License-Identifier: Apache-2.0
/* Boards where programs look for USB devices: umockdev's testbed, with one USB device a board. */
#ifndef CRL_VTESTBED_H
#define CRL_VTESTBED_H

#include "usb.h"

struct crl_vtestbed;

/*
 * Starts this program again with umockdev's library loaded, which is what shows a testbed to it and its children;
 * behind libraries that are loaded already, as the address sanitizer's must be the first. Returns 0 when it is loaded,
 * or -1 with errno set.
 */
int crl_vtestbed_preload(char **argv);

/* The testbed, empty. */
struct crl_vtestbed *crl_vtestbed_new(void);
void crl_vtestbed_free(struct crl_vtestbed *testbed);

/* Plugs in device number n (from 0), which outlives the testbed. deny: its node may not be opened. 0, or -1. */
int crl_vtestbed_plug(struct crl_vtestbed *testbed, int n, struct crl_vusb *usb, bool deny);

/* Lays device number n beside the others: it is plugged in when the first of them goes. */
void crl_vtestbed_spare(struct crl_vtestbed *testbed, int n, struct crl_vusb *usb);

#endif
