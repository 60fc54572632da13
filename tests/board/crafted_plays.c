// SPDX-License-Identifier: Apache-2.0
// Tables made by hand, played on the design by frames of docs/formats/board.md: what registers, trace and packet
// memories say of plays, faults and sources, and where the bits of the line lie.
#include "images.h"

enum { TABLES = 0x1000, PACKETS = 0x2000, TRACE = 0x3000, ROWS = 3, NODES = 8, PLACE = 5, IDENTITY_IS = 0x89ABCDEF };
enum {
    IDENTITY = 0x14,
    ROWS_IN_USE = 0x16,
    TRACE_CYCLES = 0x17,
    PLAYED = 0x18,
    FAULT_NODES = 0x1B,
    FAULT = 0x20,
    FAULT_ROW = 0x30
};
enum { PLAYING = 1, IN_USE = 4, FAULTY = 8, ENDED = 16, UNRECORDED = 32, LINK = 4 };
enum { MISSING = 1, UNEXPECTED = 2, OVERRUN = 4, PARITY = 8 };

static struct crl_vboard board;
static uint16_t lines[ROWS * LINE];

static void same(const char *what, unsigned is, unsigned wanted)
{
    if (is == wanted) return;
    fprintf(stderr, "%s: %04x, not %04x\n", what, is, wanted);
    exit(1);
}

static unsigned read_word(unsigned at)
{
    uint16_t word;

    if (ask(&board, READ, at, 1, &word)) die("a word", "cannot be read");
    return word;
}

static void write_words(unsigned at, unsigned n, uint16_t *words)
{
    if (ask(&board, WRITE, at, n, words)) die("words", "cannot be written");
}

/* ---- rows, by docs/formats/row.md: one lane, one bank, three ports, addresses of 8 bits ---- */

static uint32_t sends(unsigned address, unsigned port)
{
    return address << 1 | UINT32_C(1) << 20 | (uint32_t)port << 21;
}

static uint32_t takes(unsigned address, unsigned port)
{
    return 1u << 11 | (uint32_t)address << 12 | UINT32_C(1) << 23 | (uint32_t)port << 24;
}

static void put_row(unsigned row, unsigned node, uint32_t bits)
{
    for (unsigned i = 0; i < 26; i++)
        if (bits >> i & 1) lines[row * LINE + (node * 26 + i) / 16] |= (uint16_t)(1u << (node * 26 + i) % 16);
}

/* With the bit that makes the ones even. */
static void put_even(unsigned row, unsigned node, uint32_t bits)
{
    put_row(row, node, bits | (uint32_t)(__builtin_popcount(bits) % 2));
}

/* Nodes 0 and 1 swap a word. */
static void swap(void)
{
    memset(lines, 0, sizeof lines);
    for (unsigned v = 0; v < 2; v++) {
        put_even(0, v, sends(PLACE, 0));
        put_even(1, v, takes(PLACE, 0));
    }
}

static void describe(uint16_t *descriptor)
{
    uint8_t bytes[2 * ROWS * TABLE_WORDS];

    for (unsigned i = 0; i < ROWS * TABLE_WORDS; i++)
        put16(bytes + 2 * i, lines[i / TABLE_WORDS * LINE + i % TABLE_WORDS]);
    memcpy(descriptor, (uint16_t[]){0x4C43, ROWS, ROWS ^ 0xFFFF}, 6);
    halves(descriptor + 3, crc_of(bytes, sizeof bytes));
    halves(descriptor + 5, IDENTITY_IS);
}

static void adopt(void)
{
    uint16_t descriptor[7];

    describe(descriptor);
    write_words(TABLES, ROWS * LINE, lines);
    write_words(TABLES + 255 * LINE, 7, descriptor);
    if (control(&board, ADOPT)) die("adopt", "refused");
    await_loader(&board);
}

static void begin(unsigned rounds)
{
    write_words(ROUNDS, 1, (uint16_t[]){(uint16_t)rounds});
    if (control(&board, START)) die("start", "refused");
}

static void play(unsigned rounds)
{
    begin(rounds);
    for (int i = 0; get_register(&board, STATUS) & PLAYING; i++)
        if (i > 1000) die("a play", "does not end");
}

static unsigned played(void) { return get_register(&board, PLAYED) | get_register(&board, PLAYED + 1) << 16; }

/* ---- what is checked ---- */

static void at_power_up(void)
{
    static const uint16_t known[16] = {0xCA11, 1, 1, 0x0100, 0, 0, NODES, 3, 26, 16, 8, 1, 255, TABLE_WORDS, 9, 12000};
    uint16_t registers[64];

    if (ask(&board, READ, 0, 64, registers)) die("registers", "cannot be read");
    for (unsigned i = 0; i < 64; i++)
        same("a register at power-up", registers[i], i < 16 ? known[i] : i == LOADER ? 0x1033 : i == ROUNDS ? 1 : 0);
}

static void expect_source(unsigned source, unsigned sequence)
{
    same("the source", get_register(&board, LOADER) >> 8, source);
    same("the sequence number", get_register(&board, SEQUENCE) | get_register(&board, SEQUENCE + 1) << 16, sequence);
    same("the rows", get_register(&board, ROWS_IN_USE), source ? ROWS : 0);
    same("the identity's low word", get_register(&board, IDENTITY), source ? IDENTITY_IS & 0xFFFF : 0);
    same("the identity's high word", get_register(&board, IDENTITY + 1), source ? IDENTITY_IS >> 16 : 0);
}

/* A round has been played after which the words of the nodes are swapped, or not; the trace is that of the first one.
 */
static void expect_played(unsigned rounds, const uint16_t *words)
{
    uint16_t trace[ROWS * LINE];

    same("rounds played", played(), rounds);
    same("the status", get_register(&board, STATUS), IN_USE | ENDED | (rounds > 1 ? UNRECORDED : 0));
    same("cycles of the trace", get_register(&board, TRACE_CYCLES), ROWS);
    if (ask(&board, READ, TRACE, ROWS * LINE, trace)) die("the trace", "cannot be read");
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned v = 0; v < NODES; v++) {
            const unsigned at = 18 * v, sent = row == 0 && v < 2;
            const uint16_t *line = trace + row * LINE + at / 16;
            const uint64_t bits = (line[0] | (uint64_t)line[1] << 16 | (uint64_t)line[2] << 32) >> at % 16;

            same("the port in the trace", bits >> 16 & 3, sent ? 0 : 3);
            if (sent) same("the word in the trace", bits & 0xFFFF, words[v]);
        }
    for (unsigned i = TABLE_WORDS; i < LINE; i++) same("a word behind a line's", read_word(TABLES + i), 0);
    for (unsigned v = 0; v < 2; v++)
        same("a word that was swapped", read_word(PACKETS + 256 * v + PLACE), words[v ^ (rounds & 1)]);
}

static void rounds(void)
{
    uint16_t words[2] = {0x1234, 0xFEDC};

    for (unsigned v = 0; v < 2; v++) write_words(PACKETS + 256 * v + PLACE, 1, words + v);
    swap();
    adopt();
    expect_source(LINK, 0);
    same("the status", get_register(&board, STATUS), IN_USE);
    if (control(&board, STOP)) die("stop", "refused"); /* before the start it stops nothing, and clears nothing */
    for (unsigned n = 1; n <= 4; n++) {
        play(n);
        if (control(&board, STOP) || control(&board, CLEAR)) die("stop", "refused");
        expect_played(n, words);
        if (n & 1) memcpy(words, (uint16_t[]){words[1], words[0]}, sizeof words);
    }
    begin(0);
    same("the status", get_register(&board, STATUS), PLAYING | IN_USE | UNRECORDED);
    crl_vboard_run(&board, 80000000);
    if (played() < 0x10000) die("a play without an end", "plays few rounds");
    if (control(&board, STOP)) die("stop", "refused");
    expect_played(played(), words);
    begin(0);
    if (control(&board, RESET)) die("reset", "refused");
    same("the status", get_register(&board, STATUS), IN_USE | ENDED | UNRECORDED);
    for (unsigned v = 0; v < 2; v++) write_words(PACKETS + 256 * v + PLACE, 1, words + v);
    play(1);
    expect_played(1, words);
}

static void expect_fault(unsigned node, unsigned fault, unsigned rows)
{
    same("the node with a fault", get_register(&board, FAULT_NODES), fault ? 1u << node : 0);
    same("the fault", get_register(&board, FAULT + node), fault);
    same("whether there is one", get_register(&board, STATUS) & FAULTY, fault ? FAULTY : 0);
    if (fault) same("the fault's row", get_register(&board, FAULT_ROW + node) & (fault & PARITY ? 0xFF00 : 0xFF), rows);
}

static void faults(void)
{
    static const struct {
        unsigned row, from, port, node, fault, rows;
        uint32_t bits;
    } cases[] = {
        {0, NODES, 0, 2, MISSING | 0x200, 1, 0},
        {0, 0, 2, 4, UNEXPECTED | 0x400, 1, 0},
        {2, 3, 1, 1, OVERRUN | 0x200, 0, 0},
        {1, NODES, 0, 7, PARITY, 0x100, 1},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        swap();
        if (cases[i].from < NODES) {
            memset(lines, 0, sizeof lines);
            put_even(cases[i].row, cases[i].from, sends(9, cases[i].port));
        } else if (cases[i].bits) put_row(cases[i].row, cases[i].node, cases[i].bits);
        else put_even(1, cases[i].node, takes(9, 1));
        adopt();
        for (unsigned bit = CLEAR; bit <= RESET; bit *= RESET / CLEAR) {
            play(2);
            if (control(&board, STOP) || ask(&board, WRITE, ROUNDS, 1, (uint16_t[]){1}))
                die("stop", "refused"); /* clears nothing */
            expect_fault(cases[i].node, cases[i].fault, cases[i].rows);
            if (control(&board, bit)) die("clear", "refused");
            expect_fault(cases[i].node, 0, 0);
        }
    }
}

/* Words for packet memories, written in the flash while resets come; then who brought what is in use. */
static void sources(void)
{
    enum { MANY = 200 };
    static uint16_t words[NODES][MANY], got[MANY];
    uint16_t descriptor[7];
    struct image *image = fresh(0x12345);

    swap();
    describe(descriptor);
    add_record(image, TABLES, ROWS * LINE, lines);
    add_record(image, TABLES + 255 * LINE, 7, descriptor);
    for (unsigned v = 0; v < NODES; v++) {
        for (unsigned i = 0; i < MANY; i++) words[v][i] = (uint16_t)(0x9E37u * (MANY * v + i + 1));
        add_record(image, PACKETS + 256 * v, MANY, words[v]);
    }
    end(image);
    put(&board, BANK_1, image, 0, false);
    for (unsigned i = 0; i < 3; i++) {
        if (control(&board, RELOAD)) die("reload", "refused");
        while (get_register(&board, STATUS) & 2)
            if (control(&board, RESET)) die("reset", "refused");
        expect_source(3, 0x12345);
        for (unsigned v = 0; v < NODES; v++) {
            if (ask(&board, READ, PACKETS + 256 * v, MANY, got)) die("words", "cannot be read");
            if (memcmp(got, words[v], sizeof got)) die("a word of the flash", "is lost");
            memset(got, 0, sizeof got);
            write_words(PACKETS + 256 * v, MANY, got);
        }
        adopt(); /* what the link brings, and nothing, and the flash again */
        expect_source(LINK, 0);
        write_words(TABLES, 1, lines);
        expect_source(0, 0);
    }
}

/* A row takes four lines of the other board, so it holds 63: its descriptor says more, or a table's CRC is wrong. */
static void most_rows(void)
{
    crl_vboard_close(&board);
    power_up_kind(&board, "hx8k", 1);
    for (unsigned rows = 63; rows < 67; rows++) {
        write_words(TABLES + 255 * 8, 5, (uint16_t[]){0x4C43, (uint16_t)rows, (uint16_t)~rows, 0, 0});
        if (control(&board, ADOPT)) die("adopt", "refused");
        await_loader(&board);
        same("what became of them", get_register(&board, LOADER) >> 12, rows > 63 ? 2 : 3);
    }
}

/* ---- the line, clock by clock ---- */

enum { BIT = 12, IDLE = 40000, MOST = 32 * 10 * BIT };

static void line(const struct crl_vtop_ops *design, double bit)
{
    static uint8_t levels[MOST];
    uint8_t frame[16], reply[32];
    const size_t count = make_frame(frame, READ, 0, 1, NULL);
    unsigned got = 0, n = 0;
    void *top = design->create(NULL, 7);

    for (unsigned i = 0; i < IDLE; i++) design->clock(top, CRL_VTOP_IN_RX | CRL_VTOP_IN_MISO);
    for (n = 0; n < MOST; n++) { /* a byte is a 0, its bits, a 1 */
        const unsigned at = (unsigned)(n / bit);
        const bool level = at >= 10 * count || at % 10 == 9 || (at % 10 && frame[at / 10] >> (at % 10 - 1) & 1);

        levels[n] = design->clock(top, CRL_VTOP_IN_MISO | (level ? CRL_VTOP_IN_RX : 0)) & CRL_VTOP_OUT_TX;
    }
    design->destroy(top);
    for (n = 0; n + 10 * BIT < MOST; n++) {
        if (levels[n]) continue;
        for (unsigned i = 0; i < 10 * BIT; i++) same("a level within a bit", levels[n + i], levels[n + i / BIT * BIT]);
        same("the stop bit", levels[n + 9 * BIT], 1);
        reply[got] = 0;
        for (unsigned i = 0; i < 8; i++) reply[got] |= (uint8_t)(levels[n + (i + 1) * BIT] << i);
        if (++got == sizeof reply) break;
        n += 10 * BIT - 1;
    }
    same("bytes of the reply", got, 18);
    same("the word of the reply", get16(reply + 12), 0xCA11);
}

int main(void)
{
    for (unsigned seed = 8; seed > 0; seed--) { /* whatever registers hold */
        power_up_kind(&board, "icebreaker", seed);
        at_power_up();
        if (seed > 1) crl_vboard_close(&board);
    }
    rounds();
    faults();
    sources();
    line(board.ops, BIT);
    line(board.ops, BIT * 0.97);
    line(board.ops, BIT * 1.03);
    most_rows();
    crl_vboard_close(&board);
    puts("registers, plays, faults, sources and the line are as the page says");
    return 0;
}
