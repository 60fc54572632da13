// SPDX-License-Identifier: Apache-2.0
#include "flash_array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATUS_BUSY = 1,
    STATUS_WEL = 2,
    STATUS_PROTECT = 0x1C, /* BP2...BP0: any of them protects the whole array here, the strictest case */
    HEAD_BYTES = 4,        /* command and address */
};

/*
 * Times are typical ones of the datasheet divided by 100, so that programs wait for each without waiting long. A real
 * page takes 0.4 ms, a sector 45 ms, 32 KiB 120 ms, 64 KiB 150 ms, a chip 40 s.
 */
#define NS_PAGE   UINT64_C(4000)
#define NS_4K     UINT64_C(450000)
#define NS_32K    UINT64_C(1200000)
#define NS_64K    UINT64_C(1500000)
#define NS_CHIP   UINT64_C(400000000)
#define NS_STATUS UINT64_C(100000)
#define NS_WAKE   UINT64_C(3000) /* as it is */

struct chip {
    const char *name;
    uint32_t id;
    size_t bytes;
};

static const struct chip chips[] = {
    {"W25Q128", 0xEF4018, 16u << 20},
    {"W25Q32", 0xEF4016, 4u << 20},
};

struct crl_vflash {
    const struct chip *chip;
    const uint64_t *now_ns;
    struct crl_vflash_array array;

    bool cs_n, sck;
    unsigned in, in_bits; /* bits of the byte that is coming in */
    uint8_t out;          /* the byte that goes out, most significant bit first */
    bool drives;          /* the data output is driven */
    size_t count;         /* whole bytes since chip select fell */
    uint8_t head[HEAD_BYTES];
    uint32_t address; /* of the byte that a read gives next */
    uint8_t page[CRL_VFLASH_PAGE];
    bool in_page[CRL_VFLASH_PAGE];
    bool deaf; /* the command is unknown, or not taken now */

    uint8_t status[3];
    uint64_t busy_until_ns, awake_at_ns;
    bool asleep, reset_armed;
};

/* ---- commands ---- */

static bool busy(struct crl_vflash *flash)
{
    if (!(flash->status[0] & STATUS_BUSY)) return false;
    if (flash->array.faults.stuck_busy || *flash->now_ns < flash->busy_until_ns) return true;
    flash->status[0] &= (uint8_t) ~(STATUS_BUSY | STATUS_WEL);
    return false;
}

static void begin_work(struct crl_vflash *flash, uint64_t ns)
{
    flash->status[0] |= STATUS_BUSY;
    flash->busy_until_ns = *flash->now_ns + ns;
}

static uint32_t head_address(const struct crl_vflash *flash)
{
    const uint32_t at = (uint32_t)flash->head[1] << 16 | (uint32_t)flash->head[2] << 8 | flash->head[3];

    return at % (uint32_t)flash->chip->bytes;
}

static uint32_t told_id(const struct crl_vflash *flash)
{
    return flash->array.faults.wrong_id ? flash->array.faults.id : flash->chip->id;
}

static bool is_status_read(uint8_t command) { return command == 0x05 || command == 0x35 || command == 0x15; }

/* Serial Flash Discoverable Parameters (JESD216): header, one parameter header, and the table's first words. */
static uint8_t sfdp(const struct crl_vflash *flash, uint32_t at)
{
    const uint32_t words[] = {
        0x50444653,
        0xFF000105, /* "SFDP", version 1.5 */
        0x09010500,
        0xFF000010,                             /* the table has 9 words, and begins at byte 16 */
        0xFFF120E5,                             /* 4 KiB erase by 0x20, 3-byte addresses */
        (uint32_t)(flash->chip->bytes * 8 - 1), /* bits */
        0,
        0,
        0xFFFFFFEE,
        0xFF000000,
        0xFF000000, /* no reads by several lines */
        0x520F200C,
        0xFF00D810, /* erase: 2^12 bytes by 0x20, 2^15 by 0x52, 2^16 by 0xD8 */
    };

    return at < sizeof words ? (uint8_t)(words[at / 4] >> 8 * (at % 4)) : 0xFF;
}

static const uint8_t unique_id[8] = {0xD1, 0x63, 0x4C, 0x43, 0x20, 0x19, 0x93, 0x01};

/* The byte that goes out after `count` whole bytes came in, and whether one does. */
static bool output(struct crl_vflash *flash, uint8_t *byte)
{
    const size_t n = flash->count;
    const uint32_t id = told_id(flash);

    switch (flash->head[0]) {
    case 0x05:
        busy(flash);
        *byte = flash->status[0];
        return true;
    case 0x35: *byte = flash->status[1]; return true;
    case 0x15: *byte = flash->status[2]; return true;
    case 0x9F: *byte = n <= 3 ? (uint8_t)(id >> (24 - 8 * n)) : 0; return true;
    case 0x90:
        if (n < 4) return false;
        *byte = (n + flash->head[3]) & 1 ? (uint8_t)((id & 0xFF) - 1) : (uint8_t)(id >> 16);
        return true;
    case 0xAB:
        if (n < 4) return false;
        *byte = (uint8_t)((id & 0xFF) - 1);
        return true;
    case 0x03:
    case 0x0B:
        if (n == 4) flash->address = head_address(flash);
        if (n < (flash->head[0] == 0x0B ? 5 : 4)) return false;
        *byte = crl_vflash_array_read(&flash->array, flash->address);
        flash->address = (flash->address + 1) % (uint32_t)flash->chip->bytes;
        return true;
    case 0x4B:
        if (n < 5) return false;
        *byte = unique_id[(n - 5) % sizeof unique_id];
        return true;
    case 0x5A:
        if (n < 5) return false;
        *byte = sfdp(flash, head_address(flash) + (uint32_t)(n - 5));
        return true;
    default: return false;
    }
}

/* A whole byte has come in. */
static void take_byte(struct crl_vflash *flash, uint8_t byte)
{
    if (flash->count < HEAD_BYTES) flash->head[flash->count] = byte;
    flash->count++;
    if (flash->count == 1)
        flash->deaf = flash->array.dead || (flash->asleep && byte != 0xAB) || *flash->now_ns < flash->awake_at_ns ||
                      (busy(flash) && !is_status_read(byte));
    if (flash->deaf) return;
    if (flash->head[0] == 0x02 && flash->count > HEAD_BYTES) {
        const size_t at = (flash->head[3] + flash->count - HEAD_BYTES - 1) % CRL_VFLASH_PAGE;

        flash->page[at] = byte;
        flash->in_page[at] = true;
    }
    flash->drives = output(flash, &flash->out);
}

static void program_page(struct crl_vflash *flash)
{
    const uint32_t page = head_address(flash) & ~(uint32_t)(CRL_VFLASH_PAGE - 1);

    for (uint32_t i = 0; i < CRL_VFLASH_PAGE; i++) {
        const uint32_t at = (flash->head[3] + i) % CRL_VFLASH_PAGE;

        if (flash->in_page[at]) crl_vflash_array_program(&flash->array, page + at, flash->page[at]);
    }
}

static void erase(struct crl_vflash *flash, uint32_t at, size_t bytes, uint64_t ns)
{
    at &= ~(uint32_t)(bytes - 1);
    for (size_t i = 0; i < bytes; i += CRL_VFLASH_SECTOR) crl_vflash_array_erase(&flash->array, at + (uint32_t)i);
    begin_work(flash, ns);
}

/* Work that a rising chip select starts; it needs the write-enable latch, and exactly the bytes given. */
static void start_work(struct crl_vflash *flash)
{
    const uint8_t command = flash->head[0];
    const bool enabled = flash->status[0] & STATUS_WEL;
    const bool open = enabled && !(flash->status[0] & STATUS_PROTECT);
    const uint32_t at = head_address(flash);

    if (command == 0x02 && flash->count > HEAD_BYTES && open) {
        program_page(flash);
        begin_work(flash, NS_PAGE);
    } else if (command == 0x20 && flash->count == HEAD_BYTES && open) erase(flash, at, CRL_VFLASH_SECTOR, NS_4K);
    else if (command == 0x52 && flash->count == HEAD_BYTES && open) erase(flash, at, 32u << 10, NS_32K);
    else if (command == 0xD8 && flash->count == HEAD_BYTES && open) erase(flash, at, 64u << 10, NS_64K);
    else if ((command == 0xC7 || command == 0x60) && flash->count == 1 && open)
        erase(flash, 0, flash->chip->bytes, NS_CHIP);
    else if ((command == 0x01 || command == 0x31 || command == 0x11) && flash->count >= 2 && enabled) {
        const int first = command == 0x01 ? 0 : command == 0x31 ? 1 : 2;

        flash->status[first] = flash->head[1] & (first ? 0xFF : 0xFC);
        if (command == 0x01 && flash->count == 3) flash->status[1] = flash->head[2];
        begin_work(flash, NS_STATUS);
        flash->status[0] |= STATUS_WEL; /* until the work ends */
    }
}

/* Chip select rises behind a whole number of bytes. */
static void end_command(struct crl_vflash *flash)
{
    const uint8_t command = flash->head[0];
    const bool armed = flash->reset_armed;

    flash->reset_armed = false;
    switch (command) {
    case 0x06: flash->status[0] |= STATUS_WEL; break;
    case 0x04: flash->status[0] &= (uint8_t)~STATUS_WEL; break;
    case 0xB9: flash->asleep = true; break;
    case 0xAB:
        if (flash->asleep) flash->awake_at_ns = *flash->now_ns + NS_WAKE;
        flash->asleep = false;
        break;
    case 0x66: flash->reset_armed = true; break;
    case 0x99:
        if (armed) flash->status[0] &= (uint8_t) ~(STATUS_WEL | STATUS_BUSY);
        break;
    default: start_work(flash);
    }
}

bool crl_vflash_pins(struct crl_vflash *flash, bool cs_n, bool sck, bool mosi)
{
    const bool rises = sck && !flash->sck, falls = !sck && flash->sck;

    flash->sck = sck;
    if (cs_n != flash->cs_n) {
        flash->cs_n = cs_n;
        if (cs_n && flash->in_bits == 8) { /* the clock rests high */
            flash->in_bits = 0;
            take_byte(flash, (uint8_t)flash->in);
        }
        if (cs_n && flash->count && !flash->in_bits && !flash->deaf) end_command(flash);
        flash->count = flash->in_bits = 0;
        flash->drives = false;
        if (!cs_n) memset(flash->in_page, 0, sizeof flash->in_page);
        return true;
    }
    if (cs_n) return true;
    if (rises) {
        flash->in = flash->in << 1 | mosi;
        flash->in_bits++;
    } else if (falls && flash->in_bits == 8) {
        /* The next byte is put out by the falling edge, its first bit at once. */
        flash->in_bits = 0;
        take_byte(flash, (uint8_t)flash->in);
    }
    return !flash->drives || flash->deaf || (flash->out >> ((sck ? 8 : 7) - flash->in_bits) % 8 & 1);
}

/* ---- opening ---- */

struct crl_vflash *crl_vflash_open(const char *chip, const char *path, const uint64_t *now_ns, uint64_t seed)
{
    struct crl_vflash *flash = NULL;

    errno = EINVAL;
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (!strcmp(chips[i].name, chip)) {
            if (!(flash = calloc(1, sizeof *flash))) return NULL;
            flash->chip = &chips[i];
        }
    if (!flash) return NULL;
    flash->now_ns = now_ns;
    flash->cs_n = true;
    if (crl_vflash_array_open(&flash->array, path, flash->chip->bytes, seed)) {
        free(flash);
        return NULL;
    }
    return flash;
}

void crl_vflash_close(struct crl_vflash *flash)
{
    if (!flash) return;
    crl_vflash_array_close(&flash->array);
    free(flash);
}

void crl_vflash_set_faults(struct crl_vflash *flash, const struct crl_vflash_faults *faults)
{
    crl_vflash_array_set_faults(&flash->array, faults);
}

bool crl_vflash_dead(const struct crl_vflash *flash) { return flash->array.dead; }

struct crl_vflash_counts crl_vflash_counts(const struct crl_vflash *flash) { return flash->array.counts; }

uint8_t *crl_vflash_bytes(struct crl_vflash *flash, size_t *size)
{
    *size = flash->array.size;
    return flash->array.byte;
}
