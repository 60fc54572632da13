// SPDX-License-Identifier: Apache-2.0
/*
 * A serial NOR flash of the W25Q family (W25Q128JV, W25Q32JV: datasheet revision F), driven by its pins. Programming
 * clears bits and erasing sets them; both take time, need the write-enable latch, and can be cut short by a power cut,
 * which leaves the byte or sector under work torn. Single data lines only. The contents are a file, or memory.
 */
#ifndef CRL_VFLASH_H
#define CRL_VFLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRL_VFLASH_SECTOR = 4096,
    CRL_VFLASH_PAGE = 256,
    /* Work units: one a byte programmed, this many a sector erased. A power cut happens before a given unit. */
    CRL_VFLASH_ERASE_UNITS = 16,
};

struct crl_vflash;

/* What the flash does wrong; all zeros: nothing. */
struct crl_vflash_faults {
    bool wrong_id;
    uint32_t id;         /* told instead of the right one, when wrong_id */
    bool stuck_busy;     /* what is begun never ends */
    bool ignore_writes;  /* says yes to programming and erasing, and does nothing */
    bool stuck_bit;      /* one bit of the array never changes */
    uint32_t stuck_at;   /* its byte */
    uint8_t stuck_mask;  /* the bit */
    uint8_t stuck_value; /* 0 or the bit */
    uint64_t flip_read;  /* every so many bytes read have one bit wrong; 0: never */
    uint64_t flip_write; /* every so many bytes programmed have one bit wrong; 0: never */
    bool power_cut;
    uint64_t cut_at; /* units done before the power goes */
};

/* What happened so far. */
struct crl_vflash_counts {
    uint64_t units; /* see CRL_VFLASH_ERASE_UNITS */
    uint64_t erased_sectors, programmed_bytes, read_bytes;
};

/*
 * Opens a flash of the chip named ("W25Q128" or "W25Q32") over the file at path, which is made, erased, when it is not
 * there and extended when it is shorter; NULL: erased memory that nobody keeps. *now_ns is the board's time and
 * outlives the flash. seed decides which bits a power cut and a fault hit. NULL on error, with errno set (EINVAL: no
 * such chip, EFBIG: the file is larger than the chip).
 */
struct crl_vflash *crl_vflash_open(const char *chip, const char *path, const uint64_t *now_ns, uint64_t seed);
void crl_vflash_close(struct crl_vflash *flash);

void crl_vflash_set_faults(struct crl_vflash *flash, const struct crl_vflash_faults *faults);

/* The pins: what the chip sees from now on. Returns the level of its data output (true when it does not drive). */
bool crl_vflash_pins(struct crl_vflash *flash, bool cs_n, bool sck, bool mosi);

/* Whether the power was cut: nothing answers any more. */
bool crl_vflash_dead(const struct crl_vflash *flash);

struct crl_vflash_counts crl_vflash_counts(const struct crl_vflash *flash);

/* The array and its size in bytes, behind the chip's back. */
uint8_t *crl_vflash_bytes(struct crl_vflash *flash, size_t *size);

#endif
