// SPDX-License-Identifier: Apache-2.0
// Flash and banks of a board: right on a chip that works, a clear error on one that does not, and after a failure at
// any call or a power cut at any byte still one whole schedule.
#include "unit_flash.h"
#include "board/bank.h"
#include "board/board.h"
#include "board/ftdi.h"

static const struct crl_board_kind *kind(void)
{
    size_t count;
    return crl_board_kinds(&count);
}

static void check_released(const struct fake_flash *f)
{
    assert_int_equal(f->mode, 0);
    assert_int_equal(f->outputs, 0);
    assert_false(f->selected);
}

// ---- FT2232H

static void test_divisor(void **state)
{
    (void)state;
    // AN_120, Sec. 3.2: 12 MHz over an integer and eighths; bit 17 of the code is the fast clock.
    static const struct {
        uint32_t baud, rate;
        uint16_t value;
        uint8_t high;
    } cases[] = {
        {1000000, 1000000, 12, 2},
        {12000000, 12000000, 0, 2},
        {8000000, 8000000, 1, 2},
        {115200, 115246, 0xc068, 2},
        {9600, 9600, 1250 | 0 << 14, 2},
        {3000000, 3000000, 4, 2},
        {921600, 923076, 0x000d, 2},
        {460800, 461538, 26, 2},
        {1500000, 1500000, 8, 2},
        {11000000, 0, 0, 0},
        {0, 0, 0, 0},
        {100, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t value = 0;
        uint8_t high = 0;
        assert_int_equal(crl_ftdi_divisor(cases[i].baud, &value, &high), cases[i].rate);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(high, cases[i].high);
    }
}

static void test_strip(void **state)
{
    (void)state;
    enum { PACKET = 512 };
    for (size_t count = 0; count < 3 * PACKET; count++) {
        uint8_t bytes[3 * PACKET], expected[3 * PACKET];
        size_t n = 0;
        for (size_t i = 0; i < count; i++) {
            bytes[i] = i % PACKET < 2 ? 0x32 : (uint8_t)(i * 7);
            if (i % PACKET >= 2) expected[n++] = bytes[i];
        }
        assert_int_equal(crl_ftdi_strip(bytes, count, PACKET), n);
        assert_memory_equal(bytes, expected, n);
    }
}

// ---- flash

static void test_flash(void **state)
{
    (void)state;
    struct fake_flash f;
    struct crl_flash flash;
    struct crl_diag diag;
    uint8_t out[1000], in[20000];
    fake_open(&f);
    memset(f.cells, 0, 3 * 4096);
    for (size_t i = 0; i < sizeof out; i++) out[i] = (uint8_t)(i * 31 + i / 256);
    assert_int_equal(crl_flash_open(&flash, &f.pipe, kind(), true, NULL, &diag), 0);
    assert_true(f.outputs & FAKE_RESET && !(f.values & FAKE_RESET)); // the FPGA stands still
    assert_int_equal(flash.chip->bytes, 1 << 24);
    assert_int_equal(crl_flash_erase(&flash, 4096, 4096, &diag), 0);
    assert_int_equal(crl_flash_program(&flash, 4096 + 100, out, sizeof out, &diag), 0);
    assert_int_equal(f.programmed, 5); // 100…255, …, 1024…1099
    assert_int_equal(crl_flash_verify(&flash, 4096 + 100, out, sizeof out, &diag), 0);
    assert_int_equal(crl_flash_read(&flash, 0, in, sizeof in, &diag), 0);
    assert_memory_equal(in, f.cells, sizeof in);
    assert_int_equal(f.cells[4095], 0);
    assert_int_equal(f.cells[4096], 0xff);
    assert_int_equal(f.cells[8191], 0xff);
    assert_int_equal(f.cells[8192], 0);
    assert_int_equal(crl_flash_erase(&flash, 100, 4096, &diag), CRL_ERR_ARGUMENT);
    assert_int_equal(crl_flash_read(&flash, 1 << 24, in, 1, &diag), CRL_ERR_ARGUMENT);
    assert_int_equal(crl_flash_program(&flash, (1 << 24) - 1, out, 2, &diag), CRL_ERR_ARGUMENT);
    out[999] ^= 1;
    assert_int_equal(crl_flash_verify(&flash, 4096 + 100, out, sizeof out, &diag), CRL_ERR_MISMATCH);
    assert_non_null(strstr(diag.text, "0x00144b"));
    assert_int_equal(crl_flash_close(&flash, 0, &diag), 0);
    check_released(&f);
    assert_true(f.asleep);
    fake_close(&f);
}

static void test_beside_a_running_fpga(void **state)
{
    (void)state;
    struct fake_flash f;
    struct crl_flash flash;
    struct crl_diag diag;
    fake_open(&f);
    assert_int_equal(crl_flash_open(&flash, &f.pipe, kind(), false, NULL, &diag), 0);
    assert_false(f.outputs & FAKE_RESET);
    assert_int_equal(crl_flash_erase(&flash, 0, 4096, &diag), 0);
    assert_false(f.outputs & FAKE_RESET);
    assert_int_equal(crl_flash_close(&flash, 0, &diag), 0);
    check_released(&f);
    fake_close(&f);
}

static void expect_open(struct fake_flash *f, int result, const char *words)
{
    struct crl_flash flash;
    struct crl_diag diag = {0};
    int error = crl_flash_open(&flash, &f->pipe, kind(), true, NULL, &diag);
    assert_int_equal(crl_flash_close(&flash, error, &diag), result);
    if (words && !strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
    check_released(f);
}

static void test_chips(void **state)
{
    (void)state;
    struct fake_flash f;
    fake_open(&f);
    f.id = 0xffffff;
    expect_open(&f, CRL_ERR_DEVICE, "does not answer");
    f.id = 0x012345;
    expect_open(&f, CRL_ERR_DEVICE, "012345");
    f.id = 0x20ba16;
    expect_open(&f, 0, NULL);
    f.busy = 3; // a program was killed while it was erasing
    f.asleep = false;
    expect_open(&f, 0, NULL);
    f.configured = false; // it was not before, so it need not be afterwards
    expect_open(&f, 0, NULL);
    fake_close(&f);
}

static void expect_write(struct fake_flash *f, int result, const char *words)
{
    struct crl_flash flash;
    struct crl_diag diag = {0};
    uint8_t bytes[300];
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(crl_flash_open(&flash, &f->pipe, kind(), true, NULL, &diag), 0);
    int error = crl_flash_erase(&flash, 0, 4096, &diag);
    if (!error) error = crl_flash_program(&flash, 0, bytes, sizeof bytes, &diag);
    if (!error) error = crl_flash_verify(&flash, 0, bytes, sizeof bytes, &diag);
    assert_int_equal(crl_flash_close(&flash, error, &diag), result);
    if (!strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
    check_released(f);
}

static void test_bad_chips(void **state)
{
    (void)state;
    struct fake_flash f;
    fake_open(&f);
    expect_write(&f, 0, "");
    f.stuck = 0x20;
    expect_write(&f, CRL_ERR_MISMATCH, "85 at 0x000000 where a5");
    f.stuck = 0;
    f.protects = true;
    expect_write(&f, CRL_ERR_DEVICE, "does not let itself be written");
    f.protects = false;
    f.configured = false;
    expect_write(&f, 0, "");
    fake_close(&f);
}

static void test_never_done(void **state)
{
    (void)state;
    struct fake_flash f;
    struct crl_flash flash;
    struct crl_diag diag;
    fake_open(&f);
    assert_int_equal(crl_flash_open(&flash, &f.pipe, kind(), true, NULL, &diag), 0);
    f.never_done = true;
    assert_int_equal(crl_flash_program(&flash, 0x1234, (const uint8_t *)"x", 1, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "still busy"));
    assert_non_null(strstr(diag.text, "0x001234"));
    crl_flash_close(&flash, CRL_ERR_DEVICE, &diag);
    check_released(&f);
    fake_close(&f);
}

// ---- stopping

struct stopper {
    int steps, stop_at;
};

static bool stop(void *user)
{
    struct stopper *s = user;
    return s->steps++ == s->stop_at;
}

static void test_interrupt(void **state)
{
    (void)state;
    struct fake_flash f;
    struct crl_diag diag;
    fake_open(&f);
    int stopped = 0;
    for (int at = 0; at < 12; at++) {
        struct stopper s = {0, at};
        struct crl_board_watch watch = {.interrupted = stop, .user = &s};
        struct crl_flash flash;
        uint8_t bytes[600] = {1};
        assert_int_equal(crl_flash_open(&flash, &f.pipe, kind(), true, &watch, &diag), 0);
        int error = crl_flash_erase(&flash, 0, 3 * 4096, &diag);
        if (!error) error = crl_flash_program(&flash, 0, bytes, sizeof bytes, &diag);
        if (!error) error = crl_flash_verify(&flash, 0, bytes, sizeof bytes, &diag);
        assert_int_equal(crl_flash_close(&flash, error, &diag), error);
        assert_true(error == 0 || error == CRL_ERR_INTERRUPTED);
        stopped += error != 0;
        check_released(&f);
    }
    assert_int_equal(stopped, 3 + 3 + 1);
    fake_close(&f);
}

// ---- banks

static struct crl_records some_records(uint16_t mark, size_t count)
{
    size_t designs;
    struct crl_records r = {.design = crl_board_designs(&designs),
                            .words = calloc(count, sizeof(uint16_t)),
                            .count = count,
                            .capacity = count};
    assert_non_null(r.words);
    for (size_t i = 0; i < count; i++) r.words[i] = (uint16_t)(i * 257 + mark);
    return r;
}

static int write_bank(struct fake_flash *f, const struct crl_records *records, int in_use, int *bank,
                      uint32_t *sequence)
{
    struct crl_flash flash;
    struct crl_diag diag;
    int error = crl_flash_open(&flash, &f->pipe, kind(), true, NULL, &diag);
    if (!error) error = crl_bank_write(&flash, records, in_use, bank, sequence, &diag);
    return crl_flash_close(&flash, error, &diag);
}

// The newest good bank's payload begins with this mark.
static int newest_mark(struct fake_flash *f, size_t words)
{
    struct crl_flash flash;
    struct crl_diag diag;
    struct crl_bank banks[CRL_BANKS];
    size_t designs;
    assert_int_equal(crl_flash_open(&flash, &f->pipe, kind(), true, NULL, &diag), 0);
    assert_int_equal(crl_banks_read(&flash, crl_board_designs(&designs)->id, banks, &diag), 0);
    assert_int_equal(crl_flash_close(&flash, 0, &diag), 0);
    int newest = crl_banks_newest(banks), mark = -1;
    if (newest >= 0) {
        mark = banks[newest].payload[0] | banks[newest].payload[1] << 8;
        struct crl_records whole = some_records((uint16_t)mark, words);
        size_t count;
        uint8_t *bytes = crl_records_bytes(&whole, &count);
        assert_int_equal(banks[newest].count, count);
        assert_memory_equal(banks[newest].payload, bytes, count);
        free(bytes);
        crl_records_done(&whole);
    }
    crl_banks_done(banks);
    return mark;
}

static void test_banks_take_turns(void **state)
{
    (void)state;
    struct fake_flash f;
    int bank;
    uint32_t sequence;
    fake_open(&f);
    for (uint16_t i = 0; i < 5; i++) {
        struct crl_records r = some_records((uint16_t)(100 + i), 400);
        assert_int_equal(write_bank(&f, &r, -1, &bank, &sequence), 0);
        assert_int_equal(bank, i % 2);
        assert_int_equal(sequence, i + 1);
        assert_int_equal(newest_mark(&f, 400), 100 + i);
        crl_records_done(&r);
    }
    // What is in use stays though it is older: bank 1 holds 4, bank 0 holds 5.
    struct crl_records r = some_records(7, 400);
    assert_int_equal(write_bank(&f, &r, 1, &bank, &sequence), 0);
    assert_int_equal(bank, 0);
    assert_int_equal(sequence, 6);
    // But not if it is damaged: then the only good one must stay.
    f.cells[0x110000 + 300] ^= 1;
    assert_int_equal(write_bank(&f, &r, 1, &bank, &sequence), 0);
    assert_int_equal(bank, 1);
    crl_records_done(&r);
    // Another board's bank is no good one.
    for (int i = 0; i < 2; i++) f.cells[0x100000 + i * 0x10000 + 8] ^= 3;
    assert_int_equal(newest_mark(&f, 400), -1);
    struct crl_records large = some_records(7, 40000);
    assert_int_equal(write_bank(&f, &large, -1, &bank, &sequence), CRL_ERR_LIMIT);
    crl_records_done(&large);
    fake_close(&f);
}

// The first 256 bytes after the header's end stay erased, and the format is that of docs/formats/board.md.
static void test_bank_format(void **state)
{
    (void)state;
    struct fake_flash f;
    int bank;
    uint32_t sequence;
    fake_open(&f);
    struct crl_records r = some_records(0x1234, 2);
    assert_int_equal(write_bank(&f, &r, -1, &bank, &sequence), 0);
    static const uint8_t expected[] = {'C', 'R', 'L', 'B', 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,   4,
                                       0,   0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff};
    static const uint8_t payload[] = {0x34, 0x12, 0x35, 0x13, 0xff};
    const uint8_t *h = f.cells + 0x100000;
    assert_memory_equal(h, expected, 16);
    assert_memory_equal(h + 24, expected + 24, 4);
    for (int i = 32; i < 256; i++) assert_int_equal(h[i], 0xff);
    assert_memory_equal(h + 256, payload, sizeof payload);
    crl_records_done(&r);
    fake_close(&f);
}

static void test_power_cut_at_every_byte(void **state)
{
    (void)state;
    enum { WORDS = 300 };
    struct fake_flash f;
    int bank;
    uint32_t sequence;
    fake_open(&f);
    struct crl_records r[3];
    for (int i = 0; i < 3; i++) r[i] = some_records((uint16_t)(i + 1), WORDS);
    uint8_t *before = malloc(0x20000);
    assert_non_null(before);
    for (int i = 0; i < 2; i++) assert_int_equal(write_bank(&f, &r[i], -1, &bank, &sequence), 0);
    memcpy(before, f.cells + 0x100000, 0x20000);
    long cuts = 0;
    bool done = false;
    for (long power = 1; !done; power++, cuts++) {
        memcpy(f.cells + 0x100000, before, 0x20000);
        f.power = power;
        int error = write_bank(&f, &r[2], 1, &bank, &sequence);
        done = f.power > 0;
        assert_int_equal(error != 0, !done);
        fake_power_cycle(&f);
        int mark = newest_mark(&f, WORDS);
        if (mark != 2 && mark != 3) fail_msg("after %ld bytes: schedule %d", power, mark);
        if (done) assert_int_equal(mark, 3);
    }
    assert_int_equal(cuts, 4096 + 2 * WORDS + 32 + 1);
    for (int i = 0; i < 3; i++) crl_records_done(&r[i]);
    free(before);
    fake_close(&f);
}

static void test_failure_at_every_call(void **state)
{
    (void)state;
    enum { WORDS = 300 };
    struct fake_flash f;
    int bank;
    uint32_t sequence;
    fake_open(&f);
    struct crl_records r = some_records(2, WORDS), old = some_records(1, WORDS);
    for (int unplug = 0; unplug < 2; unplug++) {
        long calls = 1;
        for (long at = 0; at < calls; at++) {
            memset(f.cells + 0x100000, 0xff, 0x20000);
            assert_int_equal(write_bank(&f, &old, -1, &bank, &sequence), 0);
            f.calls = 0;
            f.stays_unplugged = unplug;
            f.fail_at = at;
            assert_int_equal(write_bank(&f, &r, 0, &bank, &sequence), CRL_ERR_DEVICE);
            if (!unplug && at + 1 < calls) check_released(&f); // the last call is the release itself
            if (at == 0) {                                     // how many there are when none fails
                fake_power_cycle(&f);
                assert_int_equal(write_bank(&f, &r, 0, &bank, &sequence), 0);
                calls = f.calls;
                assert_true(calls > 50);
                continue;
            }
            fake_power_cycle(&f);
            int mark = newest_mark(&f, WORDS);
            assert_true(mark == 1 || mark == 2);
            assert_int_equal(write_bank(&f, &r, 0, &bank, &sequence), 0); // and the next run works
            assert_int_equal(newest_mark(&f, WORDS), 2);
        }
    }
    crl_records_done(&r);
    crl_records_done(&old);
    fake_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divisor),
        cmocka_unit_test(test_strip),
        cmocka_unit_test(test_flash),
        cmocka_unit_test(test_beside_a_running_fpga),
        cmocka_unit_test(test_chips),
        cmocka_unit_test(test_bad_chips),
        cmocka_unit_test(test_never_done),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_banks_take_turns),
        cmocka_unit_test(test_bank_format),
        cmocka_unit_test(test_power_cut_at_every_byte),
        cmocka_unit_test(test_failure_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
