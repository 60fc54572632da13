// SPDX-License-Identifier: Apache-2.0
// Flash images made by hand against each rule of docs/formats/board.md, a dozen a rule where there are so many ways:
// the design must tell the code that the page says, and never use a schedule that is not whole. Each code must be seen.
#include "frames.h"

enum { BANK_0 = 0x100000, BANK_1 = 0x110000, PAYLOAD = 256, LENGTH_MAX = 65280, ROWS = 2, LINE = 16, TABLE_WORDS = 13 };
enum {
    USED = 1,
    OLDER,
    EMPTY,
    NO_MAGIC,
    HEADER_CRC,
    VERSION,
    OTHER_BOARD,
    LENGTH,
    PAYLOAD_CRC,
    RECORD,
    NOT_ADOPTED,
    CODES
};

/* An image on its way into a bank; the CRCs are made when it is written, but those that are kept wrong. */
struct image {
    uint32_t header[8];
    uint16_t words[LENGTH_MAX / 2];
    unsigned count;
    uint32_t payload_crc, header_crc; /* XORed into them */
};

static struct crl_vboard board;
static unsigned seen[CODES], adopts[4], sources[4], wrong;

static void add(struct image *image, unsigned word) { image->words[image->count++] = (uint16_t)word; }

static void add_record(struct image *image, unsigned address, unsigned n, const uint16_t *words)
{
    add(image, address);
    add(image, n);
    for (unsigned i = 0; i < n + n % 2; i++) add(image, words && i < n ? words[i] : 0);
}

static void end(struct image *image) { add_record(image, 0, 0, NULL); }

/* Two rows of zeros, of which one word may differ, and a descriptor, XORed with `change` at one of its words. */
static void add_tables(struct image *image, unsigned row_word, unsigned at, unsigned change)
{
    uint16_t lines[ROWS * LINE] = {0}, descriptor[7] = {0x4C43, ROWS, ROWS ^ 0xFFFF};
    uint8_t bytes[2 * ROWS * TABLE_WORDS] = {0};
    const uint32_t crc = crc_of(bytes, sizeof bytes);

    lines[row_word % ROWS * LINE + row_word / ROWS] = row_word ? 1 : 0;
    descriptor[3] = (uint16_t)crc;
    descriptor[4] = (uint16_t)(crc >> 16);
    descriptor[at] ^= (uint16_t)change;
    add_record(image, 0x1000, ROWS * LINE, lines);
    add_record(image, 0x1000 + 255 * LINE, 7, descriptor);
}

static struct image *fresh(uint32_t sequence)
{
    static struct image image;

    memset(&image, 0, sizeof image);
    memcpy(image.header, (uint32_t[]){0x424C5243, 1, 1, sequence}, 16);
    return &image;
}

static struct image *whole(uint32_t sequence)
{
    struct image *image = fresh(sequence);

    add_tables(image, 0, 0, 0);
    end(image);
    return image;
}

/* length 0: that of the payload. */
static void put(unsigned bank, struct image *image, uint32_t length, bool told)
{
    size_t size;
    uint8_t *at = crl_vflash_bytes(board.flash, &size) + bank;

    memset(at, 0xFF, 0x10000);
    for (unsigned i = 0; i < image->count; i++) put16(at + PAYLOAD + 2 * i, image->words[i]);
    image->header[4] = told ? length : 2 * image->count;
    image->header[5] = crc_of(at + PAYLOAD, image->header[4] <= LENGTH_MAX ? image->header[4] : 0) ^ image->payload_crc;
    for (int i = 0; i < 7; i++) put32(at + 4 * i, image->header[i]);
    put32(at + 28, crc_of(at, 28) ^ image->header_crc);
}

static void erase(unsigned bank)
{
    size_t size;

    memset(crl_vflash_bytes(board.flash, &size) + bank, 0xFF, 0x10000);
}

/* What the design says of the banks after a reload. */
static void expect(const char *what, unsigned number, unsigned code0, unsigned code1, unsigned source, unsigned adopt)
{
    unsigned loader, wanted = code0 | code1 << 4 | source << 8 | adopt << 12;

    if (control(&board, RELOAD)) die(what, "no reload");
    await_loader(&board);
    loader = get_register(&board, LOADER);
    seen[code0]++;
    seen[code1]++;
    sources[source]++;
    adopts[adopt]++;
    if (loader != wanted || !(get_register(&board, STATUS) & 4) != !source) {
        fprintf(stderr, "%s %u: LOADER is %04x, not %04x\n", what, number, loader, wanted);
        wrong++;
    }
}

/* In bank 0 alone; bank 1 holds an older one that is whole and must then be taken. */
static void refused(const char *what, unsigned number, struct image *image, unsigned code)
{
    put(BANK_0, image, 0, false);
    put(BANK_1, whole(3), 0, false);
    expect(what, number, code, USED, 3, 0);
}

static void headers(void)
{
    static const uint32_t versions[] = {0,     2,      3,       0x10,      0x80,       0x100,
                                        0x101, 0x8001, 0x10001, 0x1000001, 0x80000001, 0xFFFFFFFF},
                          lengths[] = {
                              0,      1,       4,       7,       9,          10,        LENGTH_MAX + 1, LENGTH_MAX + 4,
                              0xFFFC, 0x10000, 0x10008, 0x20100, 0x01000008, 0xFFFFFFFC};
    struct image *image;

    for (unsigned i = 0; i < 32; i += i < 4 ? 1 : 3) {
        image = whole(9);
        image->header[0] ^= UINT32_C(1) << i;
        refused("magic", i, image, NO_MAGIC);
    }
    for (unsigned i = 0; i < 32; i += 2) {
        image = whole(9);
        image->header_crc = UINT32_C(1) << i;
        refused("header CRC", i, image, HEADER_CRC);
    }
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        image = whole(9);
        image->header[1] = versions[i];
        refused("version", i, image, VERSION);
        image = whole(9);
        image->header[6] = versions[i] ? versions[i] : 1;
        refused("word 6", i, image, VERSION);
        image = whole(9);
        image->header[2] = versions[i];
        refused("board", i, image, OTHER_BOARD);
    }
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        put(BANK_0, whole(9), lengths[i], true);
        put(BANK_1, whole(3), 0, false);
        expect("length", i, LENGTH, USED, 3, 0);
    }
}

static void payloads(void)
{
    static const uint16_t addresses[] = {0x0001, 0x001C, 0x003F, 0x0FFF, 0x2800, 0x2FFF, 0x3000,
                                         0x3FFF, 0x4000, 0x8000, 0xCA11, 0xE000, 0xEFFF};
    struct image *image;

    for (unsigned i = 0; i < 32; i += 2) {
        image = whole(9);
        image->payload_crc = UINT32_C(1) << i;
        refused("payload CRC", i, image, PAYLOAD_CRC);
    }
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        image = fresh(9);
        add_record(image, addresses[i], 1 + i % 3, NULL);
        add_tables(image, 0, 0, 0);
        end(image);
        refused("address", i, image, RECORD);
    }
    for (unsigned i = 1; i <= 12; i++) { /* over the end of a region */
        image = fresh(9);
        add_record(image, i % 2 ? 0x2800 - i : 0x10000 - i, i + 1, NULL);
        end(image);
        refused("region", i, image, RECORD);
    }
    for (unsigned i = 1; i <= 12; i++) { /* a record longer than the payload */
        image = fresh(9);
        add_tables(image, 0, 0, 0);
        add(image, 0xF000);
        add(image, 2 * i + 1);
        for (unsigned k = 0; k < 2 * i - 2; k++) add(image, 0);
        refused("cut record", i, image, RECORD);
    }
    for (unsigned i = 1; i <= 12; i++) { /* what comes behind the end */
        image = whole(9);
        for (unsigned k = 0; k < 2 * i; k++) add(image, k % 2 ? 0 : 0xF000 * (i % 2));
        refused("behind the end", i, image, RECORD);
    }
    image = fresh(9); /* no end */
    add_tables(image, 0, 0, 0);
    refused("no end", 0, image, RECORD);
}

static void adopted(void)
{
    struct image *image;

    /* That tables were not adopted is told of the bank that came last: the older one is taken then. */
    for (unsigned i = 0; i < 36; i++) {
        const unsigned at = i % 3, rows = i < 12 ? 0 : i < 24 ? 1 : 2;

        image = fresh(9);
        if (rows == 2) add_tables(image, 1 + i % 24, 0, 0);
        else if (rows == 1) add_tables(image, 0, 3 + i % 2, 1u << (i % 16));
        else add_tables(image, 0, at, 1u << (at == 1 ? i % 8 : i));
        end(image);
        put(BANK_0, image, 0, false);
        erase(BANK_1);
        expect("tables", i, NOT_ADOPTED, EMPTY, 0, rows ? 3 : 1);
        refused("tables, and others", i, image, NOT_ADOPTED);
    }
    image = fresh(9);
    add_record(image, 0x1000 + 255 * LINE, 7, (uint16_t[]){0x4C43, 0, 0xFFFF, 0, 0, 0, 0});
    end(image);
    put(BANK_0, image, 0, false);
    erase(BANK_1);
    expect("no rows", 0, NOT_ADOPTED, EMPTY, 0, 2);
}

static void banks(void)
{
    static const uint32_t numbers[][2] = {{1, 2},
                                          {2, 1},
                                          {5, 5},
                                          {0, 0},
                                          {0xFFFFFFFF, 0},
                                          {0, 0xFFFFFFFF},
                                          {0x7FFFFFFF, 0x80000000},
                                          {0xFFFF, 0x10000},
                                          {0x10000, 0xFFFF},
                                          {0x1FFFF, 0x20000},
                                          {0xFFFFFFFE, 0xFFFFFFFF},
                                          {1, 0}};
    struct image *image;

    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const unsigned taken = numbers[i][1] > numbers[i][0];
        uint16_t sequence[2];

        put(BANK_0, whole(numbers[i][0]), 0, false);
        put(BANK_1, whole(numbers[i][1]), 0, false);
        expect("two good ones", i, taken ? OLDER : USED, taken ? USED : OLDER, 2 + taken, 0);
        if (ask(&board, READ, SEQUENCE, 2, sequence) ||
            (sequence[0] | (uint32_t)sequence[1] << 16) != numbers[i][taken])
            die("the sequence number", "is another");
        image = whole(numbers[i][!taken]); /* the older one is not looked at: nobody notices */
        image->payload_crc = 1;
        put(taken ? BANK_0 : BANK_1, image, 0, false);
        expect("an older one that is broken", i, taken ? OLDER : USED, taken ? USED : OLDER, 2 + taken, 0);
        image = whole(numbers[i][taken]); /* none is whole */
        image->payload_crc = 1;
        put(taken ? BANK_1 : BANK_0, image, 0, false);
        /* The tables of the one before are still in the memory, and whole: as if they had come with the bitstream. */
        expect("both broken", i, PAYLOAD_CRC, PAYLOAD_CRC, 1, 0);
    }
    erase(BANK_0);
    put(BANK_1, whole(1), 0, false);
    expect("bank 0 empty", 0, EMPTY, USED, 3, 0);
    put(BANK_0, whole(1), 0, false);
    erase(BANK_1);
    expect("bank 1 empty", 0, USED, EMPTY, 2, 0);
    image = fresh(9); /* as long as can be */
    add_tables(image, 0, 0, 0);
    for (unsigned rest; (rest = LENGTH_MAX / 2 - 2 - image->count) > 0;)
        add_record(image, 0xF000, rest - 2 < 4096 ? rest - 2 : 4096, NULL);
    end(image);
    put(BANK_0, image, 0, false);
    expect("the longest", 0, USED, EMPTY, 2, 0);
}

static void all_seen(const char *of, const unsigned *count, unsigned first, unsigned n)
{
    for (unsigned i = first; i < n; i++) {
        printf("%s %u: %u times\n", of, i, count[i]);
        if (!count[i]) die(of, "a code was never seen");
    }
}

int main(void)
{
    power_up(&board);
    if (get_register(&board, LOADER) != (EMPTY | EMPTY << 4 | 1 << 12)) die("an erased flash", "is not told as such");
    headers();
    payloads();
    adopted();
    banks();
    all_seen("bank code", seen, 1, CODES);
    all_seen("adopt code", adopts, 0, 4);
    all_seen("source", sources, 0, 4);
    crl_vboard_close(&board);
    return wrong ? 1 : 0;
}
