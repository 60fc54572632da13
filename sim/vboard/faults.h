// SPDX-License-Identifier: Apache-2.0
/* Faults on request: what goes wrong, at which transfer or in the flash. */
#ifndef CRL_VFAULTS_H
#define CRL_VFAULTS_H

#include "flash.h"

/* What may happen to a transfer instead of the right thing. */
enum crl_vfault_kind {
    CRL_VFAULT_NONE,
    CRL_VFAULT_UNPLUG,  /* the device is gone */
    CRL_VFAULT_REPLACE, /* the device is gone, and another one is there */
    CRL_VFAULT_ERROR,   /* EPROTO: noise on the cable */
    CRL_VFAULT_STALL,   /* EPIPE: the device refuses */
    CRL_VFAULT_SHORT,   /* the second half is lost */
    CRL_VFAULT_NAK,     /* the device never answers */
    CRL_VFAULT_CORRUPT, /* one bit is wrong */
};

struct crl_vfault {
    enum crl_vfault_kind kind;
    uint64_t from, to; /* transfers, counted from 1 */
};

enum { CRL_VFAULTS_MAX = 16 };

struct crl_vfaults {
    struct crl_vfault transfer[CRL_VFAULTS_MAX];
    int transfers;
    struct crl_vflash_faults flash;
    bool deny;    /* the device may not be opened */
    bool replace; /* a transfer has CRL_VFAULT_REPLACE */
};

/* Text that lists the faults, a line each, for help. */
const char *crl_vfaults_help(void);

/* Adds a fault by its text; false when it is none. */
bool crl_vfaults_add(struct crl_vfaults *faults, const char *text);

/* What happens to transfer n. */
enum crl_vfault_kind crl_vfaults_at(const struct crl_vfaults *faults, uint64_t n);

#endif
