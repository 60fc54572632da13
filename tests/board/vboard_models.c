// SPDX-License-Identifier: Apache-2.0
// The models of the virtual board, each by its datasheet: flash, MPSSE, FT2232H, bitstream.
#include "board.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t now_ns;

// ---- the flash, by its pins ----

static struct crl_vflash *open_flash(void)
{
    struct crl_vflash *flash = crl_vflash_open("W25Q128", NULL, &now_ns, 1);

    assert_non_null(flash);
    return flash;
}

// One command: n bytes out, m bytes back.
static void talk(struct crl_vflash *flash, const uint8_t *out, size_t n, uint8_t *in, size_t m)
{
    crl_vflash_pins(flash, false, false, false);
    for (size_t i = 0; i < n + m; i++) {
        uint8_t byte = 0;

        for (int bit = 7; bit >= 0; bit--) {
            const bool mosi = i < n && (out[i] >> bit & 1);

            byte = (uint8_t)(byte << 1 | crl_vflash_pins(flash, false, false, mosi));
            crl_vflash_pins(flash, false, true, mosi);
            crl_vflash_pins(flash, false, false, mosi);
        }
        if (i >= n) in[i - n] = byte;
    }
    crl_vflash_pins(flash, true, false, false);
}

static void command(struct crl_vflash *flash, uint8_t code) { talk(flash, &code, 1, NULL, 0); }

static uint8_t status(struct crl_vflash *flash)
{
    uint8_t byte;

    talk(flash, (uint8_t[]){0x05}, 1, &byte, 1);
    return byte;
}

static void wait_done(struct crl_vflash *flash)
{
    for (int i = 0; status(flash) & 1; i++) {
        assert_true(i < 1000000);
        now_ns += 1000;
    }
}

static void with_address(struct crl_vflash *flash, uint8_t code, uint32_t at, const uint8_t *data, size_t n)
{
    uint8_t all[300] = {code, (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at};

    if (n) memcpy(all + 4, data, n);
    talk(flash, all, 4 + n, NULL, 0);
}

static void program(struct crl_vflash *flash, uint32_t at, const uint8_t *data, size_t n)
{
    command(flash, 0x06);
    with_address(flash, 0x02, at, data, n);
    wait_done(flash);
}

static uint8_t read_byte(struct crl_vflash *flash, uint32_t at)
{
    uint8_t byte;

    talk(flash, (uint8_t[]){0x03, (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at}, 4, &byte, 1);
    return byte;
}

static void flash_tells_its_identity(void **state)
{
    struct crl_vflash *flash = open_flash();
    uint8_t id[4];

    (void)state;
    talk(flash, (uint8_t[]){0x9F}, 1, id, 4);
    assert_memory_equal(id, ((uint8_t[]){0xEF, 0x40, 0x18, 0}), 4);
    talk(flash, (uint8_t[]){0xAB, 0, 0, 0}, 4, id, 1);
    assert_int_equal(id[0], 0x17);
    talk(flash, (uint8_t[]){0x90, 0, 0, 0}, 4, id, 2);
    assert_memory_equal(id, ((uint8_t[]){0xEF, 0x17}), 2);
    talk(flash, (uint8_t[]){0x5A, 0, 0, 0, 0}, 5, id, 4);
    assert_memory_equal(id, "SFDP", 4);
    crl_vflash_close(flash);
}

static void programming_needs_the_latch_and_only_clears_bits(void **state)
{
    struct crl_vflash *flash = open_flash();

    (void)state;
    with_address(flash, 0x02, 0x1000, (uint8_t[]){0x12}, 1);
    assert_int_equal(read_byte(flash, 0x1000), 0xFF);
    program(flash, 0x1000, (uint8_t[]){0xF0}, 1);
    program(flash, 0x1000, (uint8_t[]){0x3C}, 1);
    assert_int_equal(read_byte(flash, 0x1000), 0x30);
    assert_int_equal(status(flash) & 2, 0); // the latch went with the work
    crl_vflash_close(flash);
}

static void a_page_wraps(void **state)
{
    struct crl_vflash *flash = open_flash();

    (void)state;
    program(flash, 0x20FE, (uint8_t[]){1, 2, 3, 4}, 4);
    assert_int_equal(read_byte(flash, 0x20FE), 1);
    assert_int_equal(read_byte(flash, 0x20FF), 2);
    assert_int_equal(read_byte(flash, 0x2000), 3);
    assert_int_equal(read_byte(flash, 0x2001), 4);
    assert_int_equal(read_byte(flash, 0x2100), 0xFF);
    crl_vflash_close(flash);
}

static void erasing_takes_whole_blocks(void **state)
{
    static const struct {
        uint8_t code;
        uint32_t size;
    } rows[] = {{0x20, 4096}, {0x52, 32768}, {0xD8, 65536}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct crl_vflash *flash = open_flash();
        const uint32_t base = 0x100000, last = base + rows[i].size - 1;

        for (uint32_t at = 0; at < 4; at++)
            program(flash, ((uint32_t[]){base - 1, base, last, last + 1})[at], (uint8_t[]){0}, 1);
        command(flash, 0x06);
        with_address(flash, rows[i].code, base + 123, NULL, 0);
        assert_int_equal(status(flash) & 1, 1);
        assert_int_equal(read_byte(flash, base), 0xFF); // busy: deaf
        wait_done(flash);
        assert_int_equal(read_byte(flash, base - 1), 0);
        assert_int_equal(read_byte(flash, base), 0xFF);
        assert_int_equal(read_byte(flash, last), 0xFF);
        assert_int_equal(read_byte(flash, last + 1), 0);
        crl_vflash_close(flash);
    }
}

static void asleep_it_hears_only_the_call_to_wake(void **state)
{
    struct crl_vflash *flash = open_flash();
    uint8_t id[3];

    (void)state;
    command(flash, 0xB9);
    talk(flash, (uint8_t[]){0x9F}, 1, id, 3);
    assert_memory_equal(id, ((uint8_t[]){0xFF, 0xFF, 0xFF}), 3);
    command(flash, 0xAB);
    talk(flash, (uint8_t[]){0x9F}, 1, id, 3);
    assert_int_equal(id[0], 0xFF); // not awake yet
    now_ns += 3000;
    talk(flash, (uint8_t[]){0x9F}, 1, id, 3);
    assert_int_equal(id[0], 0xEF);
    crl_vflash_close(flash);
}

static void a_power_cut_tears_what_is_under_work(void **state)
{
    uint8_t page[256];
    size_t size;

    (void)state;
    for (int i = 0; i < 256; i++) page[i] = (uint8_t)i;
    for (uint64_t cut = 0; cut < 256; cut++) {
        struct crl_vflash *flash = open_flash();
        const struct crl_vflash_faults faults = {.power_cut = true, .cut_at = cut};
        const uint8_t *array = crl_vflash_bytes(flash, &size);

        crl_vflash_set_faults(flash, &faults);
        command(flash, 0x06);
        with_address(flash, 0x02, 0, page, 256);
        assert_true(crl_vflash_dead(flash));
        assert_int_equal(status(flash), 0xFF);
        assert_memory_equal(array, page, cut);
        assert_int_equal(array[cut] & page[cut], page[cut]); // torn: no bit too few
        for (size_t i = cut + 1; i < 256; i++) assert_int_equal(array[i], 0xFF);
        crl_vflash_close(flash);
    }
    for (uint64_t cut = 0; cut <= CRL_VFLASH_ERASE_UNITS; cut++) {
        struct crl_vflash *flash = open_flash();
        const struct crl_vflash_faults faults = {.power_cut = true, .cut_at = 256 + cut};
        const uint8_t *array = crl_vflash_bytes(flash, &size);
        unsigned same = 0;

        crl_vflash_set_faults(flash, &faults);
        program(flash, 0, page, 256);
        command(flash, 0x06);
        with_address(flash, 0x20, 0, NULL, 0);
        assert_int_equal(crl_vflash_dead(flash), cut < CRL_VFLASH_ERASE_UNITS);
        for (int i = 0; i < 256; i++) same += array[i] == page[i];
        assert_true(cut ? same < 200 : same == 256);
        crl_vflash_close(flash);
    }
}

static void contents_survive_in_their_file(void **state)
{
    char path[] = "/tmp/vboard_flash_XXXXXX";
    struct crl_vflash *flash;
    const int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    flash = crl_vflash_open("W25Q32", path, &now_ns, 1);
    assert_non_null(flash);
    program(flash, 77, (uint8_t[]){0x5A}, 1);
    crl_vflash_close(flash);
    flash = crl_vflash_open("W25Q32", path, &now_ns, 1);
    assert_non_null(flash);
    assert_int_equal(read_byte(flash, 77), 0x5A);
    assert_int_equal(read_byte(flash, 78), 0xFF);
    crl_vflash_close(flash);
    assert_int_equal(lseek(fd, 0, SEEK_END), 4 << 20);
    assert_int_equal(ftruncate(fd, 17 << 20), 0);
    assert_null(crl_vflash_open("W25Q128", path, &now_ns, 1));
    close(fd);
    unlink(path);
}

static void a_lying_flash_lies_as_told(void **state)
{
    struct crl_vflash *flash = open_flash();
    struct crl_vflash_faults faults = {.stuck_bit = true, .stuck_at = 9, .stuck_mask = 4, .stuck_value = 4};
    uint8_t id[3];

    (void)state;
    crl_vflash_set_faults(flash, &faults);
    program(flash, 9, (uint8_t[]){0}, 1);
    assert_int_equal(read_byte(flash, 9), 4);
    faults = (struct crl_vflash_faults){.wrong_id = true, .id = 0x123456};
    crl_vflash_set_faults(flash, &faults);
    talk(flash, (uint8_t[]){0x9F}, 1, id, 3);
    assert_memory_equal(id, ((uint8_t[]){0x12, 0x34, 0x56}), 3);
    faults = (struct crl_vflash_faults){.ignore_writes = true};
    crl_vflash_set_faults(flash, &faults);
    program(flash, 10, (uint8_t[]){0}, 1);
    assert_int_equal(read_byte(flash, 10), 0xFF);
    faults = (struct crl_vflash_faults){.stuck_busy = true};
    crl_vflash_set_faults(flash, &faults);
    command(flash, 0x06);
    with_address(flash, 0x02, 11, (uint8_t[]){0}, 1);
    now_ns += UINT64_C(1000000000000);
    assert_int_equal(status(flash) & 1, 1);
    crl_vflash_close(flash);
}

// ---- FT2232H ----

static void open_board(struct crl_vboard *board)
{
    static const struct crl_vflash_faults none;

    assert_int_equal(crl_vboard_open(board, crl_vboard_kind("icebreaker"), 7, NULL, &none, NULL, NULL, 1), 0);
}

static void vendor(struct crl_vboard *board, uint8_t request, unsigned value, unsigned index)
{
    const uint8_t setup[8] = {
        0x40, request, (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)index, (uint8_t)(index >> 8)};

    assert_int_equal(crl_vftdi_control(&board->ftdi, setup, NULL), 0);
}

// What channel A answers to some bytes, without the status.
static size_t ask(struct crl_vboard *board, const uint8_t *out, size_t n, uint8_t *in)
{
    uint8_t packet[CRL_VFTDI_PACKET];
    size_t got;

    assert_int_equal(crl_vftdi_out(&board->ftdi, 0, out, n), n);
    got = crl_vftdi_in(&board->ftdi, 0, packet, sizeof packet);
    assert_true(got >= 2);
    memcpy(in, packet + 2, got - 2);
    return got - 2;
}

static void mpsse_reaches_the_flash_and_reset(void **state)
{
    struct crl_vboard board;
    uint8_t in[512];

    (void)state;
    open_board(&board);
    assert_true(board.configured);
    vendor(&board, 11, 0x0200, 1);
    assert_int_equal(ask(&board, (uint8_t[]){0xAA}, 1, in), 2);
    assert_memory_equal(in, ((uint8_t[]){0xFA, 0xAA}), 2);
    assert_int_equal(ask(&board, (uint8_t[]){0x81}, 1, in), 1);
    assert_int_equal(in[0] & 0x40, 0x40); // CDONE
    // hold the FPGA in reset, choose the flash, ask for its identity
    assert_int_equal(ask(&board, (uint8_t[]){0x80, 0x00, 0x93, 0x81}, 4, in), 1);
    assert_int_equal(in[0] & 0x40, 0);
    assert_false(board.configured);
    assert_false(crl_vboard_released(&board));
    assert_int_equal(ask(&board, (uint8_t[]){0x11, 0, 0, 0x9F, 0x20, 2, 0, 0x87}, 8, in), 3);
    assert_memory_equal(in, ((uint8_t[]){0xEF, 0x40, 0x18}), 3);
    // off: all pins float, so the FPGA starts
    vendor(&board, 11, 0x0000, 1);
    assert_true(board.configured);
    assert_true(crl_vboard_released(&board));
    assert_int_equal(board.counts.configurations, 2);
    crl_vboard_close(&board);
}

static void mpsse_shifts_bits_and_loops_back(void **state)
{
    struct crl_vboard board;
    uint8_t in[512];

    (void)state;
    open_board(&board);
    vendor(&board, 11, 0x0200, 1);
    ask(&board, (uint8_t[]){0x84, 0x80, 0x10, 0x13}, 4, in);
    assert_int_equal(ask(&board, (uint8_t[]){0x31, 1, 0, 0xA5, 0x3C}, 5, in), 2);
    assert_memory_equal(in, ((uint8_t[]){0xA5, 0x3C}), 2);
    assert_int_equal(ask(&board, (uint8_t[]){0x33, 2, 0xA0}, 3, in), 1); // three bits, most significant first
    assert_int_equal(in[0], 5);
    assert_int_equal(ask(&board, (uint8_t[]){0x3B, 2, 0x05}, 3, in), 1); // least significant first
    assert_int_equal(in[0], 0xA0);
    crl_vboard_close(&board);
}

static void strings_baud_rate_and_status_are_the_chips(void **state)
{
    struct crl_vboard board;
    uint8_t data[256], packet[CRL_VFTDI_PACKET];

    (void)state;
    open_board(&board);
    assert_int_equal(crl_vftdi_control(&board.ftdi, (uint8_t[]){0x80, 6, 3, 3, 9, 4, 255, 0}, data), 2 + 2 * 8);
    assert_memory_equal(data + 2, "i\0b\0000\0000\0000\0000\0000\0007", 16);
    vendor(&board, 3, 3, 2); // 3 MHz / 3
    assert_int_equal(board.ftdi.baud, 1000000);
    vendor(&board, 3, 12, 0x0202); // 12 MHz / 12, as libftdi asks
    assert_int_equal(board.ftdi.baud, 1000000);
    vendor(&board, 3, 0x4138, 2);
    assert_int_equal(board.ftdi.baud, 9600);
    assert_int_equal(crl_vftdi_in(&board.ftdi, 1, packet, sizeof packet), 2);
    assert_int_equal(packet[1], 0x60);
    assert_int_equal(crl_vftdi_control(&board.ftdi, (uint8_t[]){0xC0, 0x77, 0, 0, 0, 0, 1, 0}, data), -1);
    crl_vboard_close(&board);
}

// ---- the serial line ----

// A design that sends back what it receives, a clock later.
static void *echo_create(const char *tables, int seed)
{
    (void)tables;
    (void)seed;
    return calloc(1, sizeof(unsigned));
}

static unsigned echo_clock(void *top, unsigned in)
{
    const unsigned before = *(unsigned *)top;

    *(unsigned *)top = in & CRL_VTOP_IN_RX;
    return (before ? CRL_VTOP_OUT_TX : 0) | CRL_VTOP_OUT_CS_N;
}

static void serial_bytes_come_back(void **state)
{
    static const struct crl_vtop_ops echo = {CRL_VTOP_ABI, echo_create, free, echo_clock};
    static const struct crl_vflash_faults none;
    static const unsigned rates[] = {3, 2, 1, 26, 312}; // divisors of 3 MHz, 1 and 0 being special: 2, 3 MHz
    struct crl_vboard board;

    (void)state;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        uint8_t out[1200], in[1200], packet[CRL_VFTDI_PACKET];
        size_t sent = 0, got = 0;

        assert_int_equal(crl_vboard_open(&board, crl_vboard_kind("hx8k"), 1, NULL, &none, &echo, NULL, 1), 0);
        vendor(&board, 3, rates[r], 2);
        for (size_t i = 0; i < sizeof out; i++) out[i] = (uint8_t)(i * 37 + r);
        while (got < sizeof in) {
            size_t n;

            sent += crl_vftdi_out(&board.ftdi, 1, out + sent, sizeof out - sent);
            crl_vboard_run(&board, 1000000);
            n = crl_vftdi_in(&board.ftdi, 1, packet, sizeof packet) - 2;
            assert_true(got + n <= sizeof in);
            memcpy(in + got, packet + 2, n);
            got += n;
            assert_true(board.now_ns < UINT64_C(10000000000));
        }
        assert_memory_equal(in, out, sizeof in);
        assert_int_equal(board.counts.framing_errors, 0);
        // ten bits a byte, one after the other
        assert_true(board.now_ns >= (uint64_t)sizeof out * 10 * 1000000000 / board.ftdi.baud);
        crl_vboard_close(&board);
    }
}

// ---- bitstreams ----

static void only_a_whole_bitstream_of_the_device_configures(void **state)
{
    const struct crl_vdevice up5k = {"iCE40UP5K", 692}, hx8k = {"iCE40HX8K", 872};
    uint8_t bytes[4096], good[64];
    struct crl_vbitstream found;
    size_t n, used;

    (void)state;
    n = crl_vbitstream_stand_in(&up5k, good);
    memset(bytes, 0xFF, sizeof bytes);
    assert_non_null(crl_vbitstream_check(&up5k, bytes, sizeof bytes, NULL));
    memcpy(bytes, good, n);
    assert_null(crl_vbitstream_check(&up5k, bytes, sizeof bytes, &found));
    used = found.size;
    assert_true(crl_vbitstream_is_ours(&found));
    assert_null(crl_vbitstream_tables(&found));
    assert_int_equal(used, n - 1); // a zero byte follows the command that wakes the device up
    assert_non_null(crl_vbitstream_check(&hx8k, bytes, sizeof bytes, NULL));
    for (size_t i = 21; i < used; i++) { // from the preamble on
        memcpy(bytes, good, n);
        bytes[i] ^= 0x10;
        assert_non_null(crl_vbitstream_check(&up5k, bytes, sizeof bytes, NULL));
        memcpy(bytes, good, n);
        assert_non_null(crl_vbitstream_check(&up5k, bytes, i, NULL)); // cut short
    }
}

// A bank of block RAM, 32 columns wide in two pieces of 128 rows. Bits of a word lie with their number read backwards,
// the highest first: bit 0 in column 15, bit 1 (0001, backwards 1000) in column 7, bit 15 in column 0.
static void tables_are_read_out_of_block_rams(void **state)
{
    static uint8_t bits[2][128 * 4];
    static const struct {
        const char *comment;
        bool ours, tables;
    } cases[] = {{"carillon test tables 2.16 2.0", true, true}, {"carillon test", true, false},
                 {"carillon test tables", true, false},         {"carillon test tables 2.17", true, false},
                 {"carillon test tables 1.0", true, false},     {"carillon test tables 2.16 x", true, false},
                 {"another test tables 2.16 2.0", false, false}};
    struct crl_vbitstream b = {.pieces = 2};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        b.ram[i].bits = bits[i];
        b.ram[i].bank = 2;
        b.ram[i].first_row = 128 * i;
        b.ram[i].rows = 128;
        b.ram[i].width = 32;
    }
    bits[0][4 * 3 + 3] = 0x01;       // row 3, column 31: word 0, bit 0
    bits[1][4 * (200 - 128)] = 0x81; // row 200, columns 0 and 7: word 1, bits 15 and 1
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t comment[64] = {0xFF, 0};
        char *text;

        memcpy(comment + 2, cases[i].comment, strlen(cases[i].comment));
        b.comment = comment;
        b.comment_size = strlen(cases[i].comment) + 4;
        assert_int_equal(crl_vbitstream_is_ours(&b), cases[i].ours);
        text = crl_vbitstream_tables(&b);
        assert_int_equal(text != NULL, cases[i].tables);
        if (!text) continue;
        assert_int_equal(strlen(text), 256 * 9);
        for (size_t row = 0; row < 256; row++)
            assert_memory_equal(text + 9 * row, row == 3 ? "00000001\n" : row == 200 ? "80020000\n" : "00000000\n", 9);
        free(text);
    }
}

// ---- faults ----

static void faults_are_read_and_nonsense_is_not(void **state)
{
    static const char *const bad[] = {
        "",        "unplug",      "unplug@0",        "unplug@",         "error@3-2",          "error@3-x",
        "deny=1",  "flip-read=0", "stuck-bit=5.8=1", "stuck-bit=5.1=2", "flash-id=0x1000000", "power-cut=-1",
        "nonsense"};
    struct crl_vfaults faults = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(crl_vfaults_add(&faults, bad[i]));
    faults = (struct crl_vfaults){0};
    assert_true(crl_vfaults_add(&faults, "error@3-4"));
    assert_true(crl_vfaults_add(&faults, "nak@9-"));
    assert_true(crl_vfaults_add(&faults, "stuck-bit=0x10.5=1"));
    assert_int_equal(crl_vfaults_at(&faults, 2), CRL_VFAULT_NONE);
    assert_int_equal(crl_vfaults_at(&faults, 4), CRL_VFAULT_ERROR);
    assert_int_equal(crl_vfaults_at(&faults, 5), CRL_VFAULT_NONE);
    assert_int_equal(crl_vfaults_at(&faults, 1000), CRL_VFAULT_NAK);
    assert_int_equal(faults.flash.stuck_at, 0x10);
    assert_int_equal(faults.flash.stuck_mask, 0x20);
    assert_int_equal(faults.flash.stuck_value, 0x20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flash_tells_its_identity),
        cmocka_unit_test(programming_needs_the_latch_and_only_clears_bits),
        cmocka_unit_test(a_page_wraps),
        cmocka_unit_test(erasing_takes_whole_blocks),
        cmocka_unit_test(asleep_it_hears_only_the_call_to_wake),
        cmocka_unit_test(a_power_cut_tears_what_is_under_work),
        cmocka_unit_test(contents_survive_in_their_file),
        cmocka_unit_test(a_lying_flash_lies_as_told),
        cmocka_unit_test(mpsse_reaches_the_flash_and_reset),
        cmocka_unit_test(mpsse_shifts_bits_and_loops_back),
        cmocka_unit_test(strings_baud_rate_and_status_are_the_chips),
        cmocka_unit_test(serial_bytes_come_back),
        cmocka_unit_test(only_a_whole_bitstream_of_the_device_configures),
        cmocka_unit_test(tables_are_read_out_of_block_rams),
        cmocka_unit_test(faults_are_read_and_nonsense_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
