// SPDX-License-Identifier: Apache-2.0
// Frames made by hand against each rule of the link in docs/formats/board.md, a dozen a rule where there are so many
// ways: the design must tell the status that the page says, write nothing that it refuses, and answer what comes next.
// Each status is seen.
#include "frames.h"

enum {
    TABLES = 0x1000,
    PACKETS = 0x2000,
    TRACE = 0x3000,
    LINE = 16,
    TABLE_WORDS = 13,
    ROWS = 2,
    STATUSES = 7,
    LENGTH = 8192
};
enum { FINE, HEADER_CRC, PAYLOAD_CRC, REQUEST, ADDRESS, BUSY, NO_SCHEDULE };

static struct crl_vboard board;
static unsigned seen[STATUSES], wrong;
static uint8_t frame[FRAME_MAX];

/* After whatever it was told, a word that was written before must be there, and another can be written. */
static void still_well(const char *what, unsigned number)
{
    static uint16_t word = 0xA5A5;
    uint16_t got = 0;

    if (ask(&board, READ, PACKETS + 7, 1, &got) || got != word) die(what, "a word is lost, or there is no answer");
    word = (uint16_t)(word * 5 + number + 1);
    if (ask(&board, WRITE, PACKETS + 7, 1, &word)) die(what, "nothing can be written any more");
}

static void judge(const char *what, unsigned number, int status, int wanted)
{
    if (status != wanted) {
        fprintf(stderr, "%s %u: status %d, not %d\n", what, number, status, wanted);
        wrong++;
    }
    if (status >= 0) seen[status]++;
}

static void expect(const char *what, unsigned number, size_t count, int wanted)
{
    judge(what, number, ask_raw(&board, frame, count, NULL), wanted);
    still_well(what, number);
}

static void again(void) { put32(frame + 8, crc_of(frame, 8)); }

static void headers(void)
{
    static const uint8_t opcodes[] = {0, 3, 4, 5, 8, 0x10, 0x20, 0x41, 0x42, 0x80, 0x81, 0x82, 0xFF},
                         thirds[] = {1, 2, 3, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x81, 0xFE, 0xFF};
    static const uint16_t counts[] = {0,      4097,   4098,   8192,   0x1FFF, 0x2001,
                                      0x4000, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF};

    for (unsigned bit = 0; bit < 88; bit++) { /* every bit behind the first byte */
        size_t count = make_frame(frame, READ, PACKETS, 3, NULL);

        frame[1 + bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect("header bit", bit, count, HEADER_CRC);
    }
    for (unsigned i = 0; i < sizeof opcodes; i++) {
        make_frame(frame, READ, PACKETS, 1, NULL);
        frame[1] = opcodes[i];
        again();
        expect("opcode", i, 12, REQUEST);
    }
    for (unsigned i = 0; i < 2 * sizeof thirds; i++) {
        size_t count = make_frame(frame, i % 2 ? READ : WRITE, PACKETS + 7, 1, (uint16_t[]){0x1234});

        frame[3] = thirds[i / 2];
        again();
        expect("byte 3", i, count, REQUEST);
    }
    for (unsigned i = 0; i < 2 * sizeof counts / sizeof *counts; i++)
        expect("words", i, make_frame(frame, i % 2 ? READ : WRITE, PACKETS, counts[i / 2], NULL), REQUEST);
}

static void payloads(void)
{
    for (unsigned i = 0; i < 48; i++) { /* a wrong bit in the payload or in its CRC */
        const unsigned n = 1 + i % 4;
        size_t count = make_frame(frame, WRITE, PACKETS + 0x100, n, NULL);

        frame[12 + i % (2 * n + 4)] ^= (uint8_t)(1u << i % 8);
        expect("payload", i, count, PAYLOAD_CRC);
    }
    for (unsigned bits = 1; bits < 64; bits++) { /* and nothing is done of what it asks for */
        size_t count = make_frame(frame, WRITE, CONTROL, 1, (uint16_t[]){(uint16_t)bits});

        frame[14] ^= 1;
        expect("control", bits, count, PAYLOAD_CRC);
    }
    make_frame(frame, WRITE, ROUNDS, 1, (uint16_t[]){0xBEEF});
    frame[17] ^= 0x80;
    expect("rounds", 0, 18, PAYLOAD_CRC);
    if (get_register(&board, ROUNDS) != 1) die("ROUNDS", "was written by a wrong frame");
}

/* Reading ROUNDS and CONTROL does nothing, whatever the last word was that came over the link. */
static void reads(void)
{
    for (unsigned i = 0; i < 12; i++) {
        if (ask(&board, WRITE, PACKETS, 1, (uint16_t[]){(uint16_t)(0x1111u * i + ADOPT)}))
            die("a word", "cannot be written");
        if (get_register(&board, CONTROL)) die("CONTROL", "is not read as 0");
        if (get_register(&board, STATUS) || get_register(&board, ROUNDS) != 1) die("a read", "acts as a write");
    }
}

static void addresses(void)
{
    static const struct {
        unsigned op, at, n;
    } bad[] = {
        {READ, 0x40, 1},      {READ, 0x3F, 2},    {READ, 0, 65},        {READ, 0xFFF, 1},      {READ, 0xFFF, 2},
        {READ, 0x1FFF, 2},    {READ, 0x27FF, 2},  {READ, 0x2800, 1},    {READ, 0x2FFF, 1},     {READ, 0x2000, 2049},
        {READ, 0x3FFF, 2},    {READ, 0x4000, 1},  {READ, 0x8000, 1},    {READ, 0xF000, 1},     {READ, 0xFFFF, 2},
        {READ, 0x1001, 4096}, {WRITE, 0, 1},      {WRITE, 0x10, 1},     {WRITE, 0x1B, 1},      {WRITE, 0x1B, 2},
        {WRITE, 0x1C, 2},     {WRITE, 0x1D, 2},   {WRITE, 0x1E, 1},     {WRITE, 0x3F, 1},      {WRITE, 0x3000, 1},
        {WRITE, 0x3FFF, 1},   {WRITE, 0x2FFF, 2}, {WRITE, 0x1FFF, 2},   {WRITE, 0x27FF, 2},    {WRITE, 0x2800, 1},
        {WRITE, 0xF000, 4},   {WRITE, 0xFFFF, 1}, {WRITE, 0x4000, 300}, {WRITE, 0xFFFF, 4096},
    };
    static const struct {
        unsigned op, at, n;
    } good[] = {{READ, 0, 64},        {READ, 0x3F, 1},    {READ, 0x1000, 4096}, {READ, 0x1FFF, 1},
                {READ, 0x2000, 2048}, {READ, 0x27FF, 1},  {READ, 0x3000, 4096}, {READ, 0x3FFF, 1},
                {WRITE, 0x1FFF, 1},   {WRITE, 0x27FF, 1}, {WRITE, 0x1C, 1}};
    uint16_t word = 0;

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect("address", i, make_frame(frame, bad[i].op, bad[i].at, bad[i].n, NULL), ADDRESS);
    }
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        expect("good address", i, make_frame(frame, good[i].op, good[i].at, good[i].n, (uint16_t[4096]){1}), FINE);
    for (unsigned i = 0; i < 2; i++) { /* across the border, none of the words is written */
        if (ask(&board, WRITE, 0x27FF, 1, (uint16_t[]){0x4321})) die("a word", "cannot be written");
        expect("border", i, make_frame(frame, WRITE, 0x27FF, 2, (uint16_t[]){0, 0}), ADDRESS);
        if (ask(&board, READ, 0x27FF, 1, &word) || word != 0x4321) die("a word", "was written by a refused frame");
    }
}

/* What is not a frame, and frames that end early. */
static void noise(void)
{
    uint8_t bytes[64], reply[FRAME_MAX];
    unsigned errors = get_register(&board, LINK_ERRORS);
    size_t count;

    for (unsigned i = 0; i < 12; i++) {
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)((k * 37 + i * 11) % 256 == 0xC5 ? 0 : k * 37 + i * 11);
        judge("noise", i, talk(&board, bytes, sizeof bytes, reply, sizeof reply) ? 0 : NO_REPLY, NO_REPLY);
        still_well("noise", i);
    }
    if (get_register(&board, LINK_ERRORS) != errors) die("LINK_ERRORS", "counts noise outside frames");
    for (unsigned i = 0; i < 12; i += 2) { /* cut after i + 1 bytes of a header, or in the payload; silence ends it */
        count = make_frame(frame, WRITE, PACKETS + 0x200, 2, NULL);
        if (talk(&board, frame, i < 8 ? 1 + i : count - 1 - (i - 8), reply, sizeof reply))
            die("a cut frame", "is answered");
        crl_vboard_run(&board, 22500000);
        if (get_register(&board, LINK_ERRORS) != ++errors) die("LINK_ERRORS", "does not count silence in a frame");
        still_well("a cut frame", i);
    }
}

static void write_tables(void)
{
    uint16_t lines[ROWS * LINE] = {0}, descriptor[7] = {0x4C43, ROWS, ROWS ^ 0xFFFF};
    uint8_t bytes[2 * ROWS * TABLE_WORDS] = {0};
    const uint32_t crc = crc_of(bytes, sizeof bytes);

    descriptor[3] = (uint16_t)crc;
    descriptor[4] = (uint16_t)(crc >> 16);
    if (ask(&board, WRITE, TABLES, ROWS * LINE, lines) || ask(&board, WRITE, TABLES + 255 * LINE, 7, descriptor))
        die("the tables", "cannot be written");
}

static void busy(void)
{
    static const unsigned refused[] = {START,         ADOPT,          RELOAD,       START | STOP,
                                       ADOPT | CLEAR, RELOAD | RESET, START | ADOPT},
                          memories[] = {TABLES, TABLES + 0xFFF, PACKETS, PACKETS + 0x7FF, TRACE, TRACE + 0xFFF};

    for (unsigned i = 0; i < 32; i++)
        judge("no schedule", i, control(&board, START | (i << 1 & ~(ADOPT | RELOAD))), NO_SCHEDULE);
    write_tables();
    if (control(&board, ADOPT)) die("adopt", "refused");
    await_loader(&board);
    if (ask(&board, WRITE, ROUNDS, 1, (uint16_t[]){0}) || control(&board, START)) die("start", "refused");
    if (!(get_register(&board, STATUS) & 1)) die("start", "nothing plays");
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
        judge("playing", i, control(&board, refused[i]), BUSY);
    for (unsigned i = 0; i < 2 * sizeof memories / sizeof *memories; i++) {
        if (i % 2 && memories[i / 2] >= TRACE) continue;
        judge("memory, playing", i,
              ask_raw(&board, frame, make_frame(frame, i % 2 ? WRITE : READ, memories[i / 2], 1, NULL), NULL), BUSY);
    }
    if (!(get_register(&board, STATUS) & 1)) die("playing", "was ended by what was refused");
    judge("rounds, playing", 0, ask(&board, WRITE, ROUNDS, 1, (uint16_t[]){0}), FINE);
    judge("stop", 0, control(&board, STOP), FINE);
    if ((get_register(&board, STATUS) & 0x11) != 0x10) die("stop", "does not end it");
    write_tables(); /* out of use */
    judge("changed tables", 0, control(&board, START), NO_SCHEDULE);
}

/* Frames are slow beside the loader: a long payload keeps it busy for a few of them. */
static void loading(void)
{
    size_t size;
    uint8_t *bank = crl_vflash_bytes(board.flash, &size) + 0x100000;

    memset(bank, 0, 256 + LENGTH);
    put32(bank, 0x424C5243);
    put32(bank + 4, 1);
    put32(bank + 8, 1);
    put32(bank + 12, 1);
    put32(bank + 16, LENGTH);
    put32(bank + 20, crc_of(bank + 256, LENGTH) ^ 1);
    put32(bank + 28, crc_of(bank, 28));
    for (unsigned i = 0; i < 6; i++) {
        if (control(&board, RELOAD)) die("reload", "refused");
        if (i < 3) judge("loading", i, control(&board, (unsigned[]){START, ADOPT, RELOAD}[i]), BUSY);
        else
            judge("memory, loading", i,
                  ask_raw(&board, frame, make_frame(frame, READ, (unsigned[]){TABLES, PACKETS, TRACE}[i - 3], 1, NULL),
                          NULL),
                  BUSY);
        if (get_register(&board, STATUS) & 2) await_loader(&board);
        else die("loading", "had ended before it was asked");
    }
}

int main(void)
{
    power_up(&board);
    if (ask(&board, WRITE, PACKETS + 7, 1, (uint16_t[]){0xA5A5})) die("a word", "cannot be written");
    headers();
    payloads();
    reads();
    addresses();
    noise();
    busy();
    loading();
    for (unsigned i = 0; i < STATUSES; i++) {
        printf("status %u: %u times\n", i, seen[i]);
        if (!seen[i]) die("a status", "was never seen");
    }
    crl_vboard_close(&board);
    return wrong ? 1 : 0;
}
