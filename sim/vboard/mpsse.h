// SPDX-License-Identifier: Apache-2.0
/*
 * The multi-protocol synchronous serial engine of an FT2232H (FTDI application note AN_108): commands in, pins moved,
 * answers out. Data are shifted on TDI/DO (pin 1) and read from TDO/DI (pin 2) with the clock on TCK/SK (pin 0).
 */
#ifndef CRL_VMPSSE_H
#define CRL_VMPSSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The 16 pins: low byte ADBUS, high byte ACBUS. Held by the owner, who moves what hangs on them. */
struct crl_vmpsse_pins {
    void *user;
    /* Bits of direction are driven to their level; the others float. */
    void (*drive)(void *user, uint16_t level, uint16_t direction);
    uint16_t (*sense)(void *user);
    /* Time passes, in nanoseconds. */
    void (*wait)(void *user, uint64_t ns);
};

struct crl_vmpsse {
    const struct crl_vmpsse_pins *pins;
    uint16_t level, direction;
    uint32_t divisor;
    bool divide_by_5, loopback;

    uint8_t command, head[3];
    unsigned have, need; /* bytes of head */
    size_t left;         /* data bytes still to come */

    uint8_t *answer; /* owned */
    size_t answers, room;
};

/* As after a reset: all pins float. */
void crl_vmpsse_init(struct crl_vmpsse *engine, const struct crl_vmpsse_pins *pins);
void crl_vmpsse_free(struct crl_vmpsse *engine);

/* Bytes from the host. */
void crl_vmpsse_write(struct crl_vmpsse *engine, const uint8_t *bytes, size_t n);

/* Takes up to n answer bytes; returns how many. */
size_t crl_vmpsse_read(struct crl_vmpsse *engine, uint8_t *bytes, size_t n);

/* Forgets half-received commands, or answers that wait. */
void crl_vmpsse_purge(struct crl_vmpsse *engine, bool commands, bool answers);

/* Floats all pins (the engine is turned off). */
void crl_vmpsse_float(struct crl_vmpsse *engine);

#endif
