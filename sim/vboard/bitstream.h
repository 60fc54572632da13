// SPDX-License-Identifier: Apache-2.0
/* Whether an iCE40 would configure itself from some bytes: the format is Project IceStorm's description of it. */
#ifndef CRL_VBITSTREAM_H
#define CRL_VBITSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Width and height of a device's CRAM banks in a bitstream, which tell devices apart. */
struct crl_vdevice {
    const char *name;
    unsigned cram_width;
};

/*
 * Checks the bitstream at the start of `bytes` for the device. NULL when it is fine (*used = its length, unless used is
 * NULL), else why it is not, in words.
 */
const char *crl_vbitstream_check(const struct crl_vdevice *device, const uint8_t *bytes, size_t size, size_t *used);

/*
 * Writes the shortest bitstream that configures a device, with nothing in it: a stand-in for one that has been built.
 * Returns its length, at most 64 bytes.
 */
size_t crl_vbitstream_stand_in(const struct crl_vdevice *device, uint8_t *bytes);

#endif
