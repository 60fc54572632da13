// SPDX-License-Identifier: Apache-2.0
// Flash images made by hand against each rule of docs/formats/board.md, a dozen a rule where there are so many ways:
// the design must tell the code that the page says, and never use a schedule that is not whole. Each code must be seen.
#include "images.h"

enum { ROWS = 2 };
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

static struct crl_vboard board;
static unsigned seen[CODES], adopts[4], sources[4], wrong;

/* Two rows of zeros, of which one word may differ, and a descriptor, XORed with `change` at one of its words. */
static void add_tables(struct image *image, unsigned row_word, unsigned at, unsigned change)
{
    uint16_t lines[ROWS * LINE] = {0}, descriptor[7] = {0x4C43, ROWS, ROWS ^ 0xFFFF};
    uint8_t bytes[2 * ROWS * TABLE_WORDS] = {0};
    const uint32_t crc = crc_of(bytes, sizeof bytes);

    lines[row_word % ROWS * LINE + row_word / ROWS] = row_word ? 1 : 0;
    halves(descriptor + 3, crc);
    descriptor[at] ^= (uint16_t)change;
    add_record(image, 0x1000, ROWS * LINE, lines);
    add_record(image, 0x1000 + 255 * LINE, 7, descriptor);
}

static struct image *whole(uint32_t sequence)
{
    struct image *image = fresh(sequence);

    add_tables(image, 0, 0, 0);
    end(image);
    return image;
}

/* The loader must wake it. */
static void put_to_sleep(void)
{
    for (int i = 7; i >= -1; i--)
        for (int sck = 0; sck < 2; sck++) crl_vflash_pins(board.flash, i < 0, i >= 0 && sck, i >= 0 && 0xB9 >> i & 1);
}

/* What the design says of the banks after a reload. */
static void expect(const char *what, unsigned number, unsigned code0, unsigned code1, unsigned source, unsigned adopt)
{
    unsigned loader, wanted = code0 | code1 << 4 | source << 8 | adopt << 12;

    put_to_sleep();
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
    put(&board, BANK_0, image, 0, false);
    put(&board, BANK_1, whole(3), 0, false);
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
        put(&board, BANK_0, whole(9), lengths[i], true);
        put(&board, BANK_1, whole(3), 0, false);
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
        put(&board, BANK_0, image, 0, false);
        erase(&board, BANK_1);
        expect("tables", i, NOT_ADOPTED, EMPTY, 0, rows ? 3 : 1);
        refused("tables, and others", i, image, NOT_ADOPTED);
    }
    image = fresh(9);
    add_record(image, 0x1000 + 255 * LINE, 7, (uint16_t[]){0x4C43, 0, 0xFFFF, 0, 0, 0, 0});
    end(image);
    put(&board, BANK_0, image, 0, false);
    erase(&board, BANK_1);
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

        put(&board, BANK_0, whole(numbers[i][0]), 0, false);
        put(&board, BANK_1, whole(numbers[i][1]), 0, false);
        expect("two good ones", i, taken ? OLDER : USED, taken ? USED : OLDER, 2 + taken, 0);
        if (ask(&board, READ, SEQUENCE, 2, sequence) ||
            (sequence[0] | (uint32_t)sequence[1] << 16) != numbers[i][taken])
            die("the sequence number", "is another");
        image = whole(numbers[i][!taken]); /* the older one is not looked at: nobody notices */
        image->payload_crc = 1;
        put(&board, taken ? BANK_0 : BANK_1, image, 0, false);
        expect("an older one that is broken", i, taken ? OLDER : USED, taken ? USED : OLDER, 2 + taken, 0);
        image = whole(numbers[i][taken]); /* none is whole */
        image->payload_crc = 1;
        put(&board, taken ? BANK_1 : BANK_0, image, 0, false);
        /* The tables of the one before are still in the memory, and whole: as if they had come with the bitstream. */
        expect("both broken", i, PAYLOAD_CRC, PAYLOAD_CRC, 1, 0);
    }
    erase(&board, BANK_0);
    put(&board, BANK_1, whole(1), 0, false);
    expect("bank 0 empty", 0, EMPTY, USED, 3, 0);
    put(&board, BANK_0, whole(1), 0, false);
    erase(&board, BANK_1);
    expect("bank 1 empty", 0, USED, EMPTY, 2, 0);
    image = fresh(9); /* as long as can be */
    add_tables(image, 0, 0, 0);
    for (unsigned rest; (rest = LENGTH_MAX / 2 - 2 - image->count) > 0;)
        add_record(image, 0xF000, rest - 2 < 4096 ? rest - 2 : 4096, NULL);
    end(image);
    put(&board, BANK_0, image, 0, false);
    expect("the longest", 0, USED, EMPTY, 2, 0);
}

/*
 * A byte is read wrong: of two headers, the one that is taken again, behind its magic, and its payload twice. Each read
 * reads a byte more.
 */
static void read_wrong(void)
{
    const struct crl_vflash_faults none = {0};
    const unsigned payload = 2 * whole(9)->count + 1;
    static const struct {
        unsigned from, of, payloads, code;
    } reads[] = {{70, 28, 0, HEADER_CRC}, {99, 0, 0, PAYLOAD_CRC}, {99, 0, 1, PAYLOAD_CRC}};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 6; k++) {
            const unsigned of = reads[i].of ? reads[i].of : payload - 1;
            const unsigned behind = reads[i].from + reads[i].payloads * payload + 1 + k * (of - 1) / 5;

            put(&board, BANK_0, whole(9), 0, false);
            put(&board, BANK_1, whole(3), 0, false);
            crl_vflash_set_faults(board.flash, &(struct crl_vflash_faults){
                                                   .flip_read = crl_vflash_counts(board.flash).read_bytes + behind});
            expect("read wrong", 6 * i + k, reads[i].code, USED, 3, 0);
            crl_vflash_set_faults(board.flash, &none);
        }
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
    read_wrong();
    all_seen("bank code", seen, 1, CODES);
    all_seen("adopt code", adopts, 0, 4);
    all_seen("source", sources, 0, 4);
    crl_vboard_close(&board);
    return wrong ? 1 : 0;
}
