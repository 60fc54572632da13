// SPDX-License-Identifier: Apache-2.0
/* The cells of a flash chip: programming clears bits, erasing sets them, and the power may go at any unit of work. */
#ifndef CRL_VFLASH_ARRAY_H
#define CRL_VFLASH_ARRAY_H

#include "flash.h"

struct crl_vflash_array {
    uint8_t *byte;
    size_t size;
    struct crl_vflash_faults faults;
    struct crl_vflash_counts counts;
    uint64_t random;
    bool dead; /* the power was cut */
};

/* As crl_vflash_open(). 0, or -1 with errno set. */
int crl_vflash_array_open(struct crl_vflash_array *array, const char *path, size_t size, uint64_t seed);
void crl_vflash_array_close(struct crl_vflash_array *array);

void crl_vflash_array_set_faults(struct crl_vflash_array *array, const struct crl_vflash_faults *faults);

/* One byte; the sector that starts at a multiple of CRL_VFLASH_SECTOR. `at` is within the array. */
uint8_t crl_vflash_array_read(struct crl_vflash_array *array, uint32_t at);
void crl_vflash_array_program(struct crl_vflash_array *array, uint32_t at, uint8_t byte);
void crl_vflash_array_erase(struct crl_vflash_array *array, uint32_t at);

#endif
