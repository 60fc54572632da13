// SPDX-License-Identifier: Apache-2.0
// Flash images of docs/formats/board.md, word by word, without the program's own.
#ifndef TEST_IMAGES_H
#define TEST_IMAGES_H

#include "frames.h"

enum { BANK_0 = 0x100000, BANK_1 = 0x110000, PAYLOAD = 256, LENGTH_MAX = 65280, LINE = 16, TABLE_WORDS = 13 };

/* An image on its way into a bank; the CRCs are made when it is written, but those that are kept wrong. */
struct image {
    uint32_t header[8];
    uint16_t words[LENGTH_MAX / 2];
    unsigned count;
    uint32_t payload_crc, header_crc; /* XORed into them */
};

static void add(struct image *image, unsigned word) { image->words[image->count++] = (uint16_t)word; }

static void add_record(struct image *image, unsigned address, unsigned n, const uint16_t *words)
{
    add(image, address);
    add(image, n);
    for (unsigned i = 0; i < n + n % 2; i++) add(image, words && i < n ? words[i] : 0);
}

static void end(struct image *image) { add_record(image, 0, 0, NULL); }

static struct image *fresh(uint32_t sequence)
{
    static struct image image;

    memset(&image, 0, sizeof image);
    memcpy(image.header, (uint32_t[]){0x424C5243, 1, 1, sequence}, 16);
    return &image;
}

/* Two words that say a number, low word first. */
static void halves(uint16_t *at, uint32_t value)
{
    at[0] = (uint16_t)value;
    at[1] = (uint16_t)(value >> 16);
}

/* length 0: that of the payload. */
static void put(struct crl_vboard *board, unsigned bank, struct image *image, uint32_t length, bool told)
{
    size_t size;
    uint8_t *at = crl_vflash_bytes(board->flash, &size) + bank;

    memset(at, 0xFF, 0x10000);
    for (unsigned i = 0; i < image->count; i++) put16(at + PAYLOAD + 2 * i, image->words[i]);
    image->header[4] = told ? length : 2 * image->count;
    image->header[5] = crc_of(at + PAYLOAD, image->header[4] <= LENGTH_MAX ? image->header[4] : 0) ^ image->payload_crc;
    for (int i = 0; i < 7; i++) put32(at + 4 * i, image->header[i]);
    put32(at + 28, crc_of(at, 28) ^ image->header_crc);
}

static void erase(struct crl_vboard *board, unsigned bank)
{
    size_t size;

    memset(crl_vflash_bytes(board->flash, &size) + bank, 0xFF, 0x10000);
}

#endif
