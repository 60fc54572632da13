// SPDX-License-Identifier: Apache-2.0
// A power cut at every unit of flash work while a schedule is written into a bank: the next power-up finds the old or
// the new schedule, whole, and nothing but the bank was touched. The program's own flash layer writes into the virtual
// board's chip, without USB between them, so that every unit can be tried; the judge reads docs/formats/board.md.
//
// usage: power_cut OLD NEW STRIDE [BOARD]   flash files: a schedule in bank 1, and the same with another in bank 0,
// which is written into OLD again and again. Every STRIDEth unit is tried, and all of the erase, of the header, and
// where pages meet. With BOARD, that board's design is started after each cut and must tell the same.
#include "board.h"
#include "board/bank.h"
#include "board/link.h"

#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BANK_0 = 0x100000, BANK_BYTES = 0x10000, PAYLOAD = 256, FLASH_BYTES = 16 << 20, HEADER_UNITS = 32 };

static _Noreturn void die(const char *what, uint64_t cut)
{
    fprintf(stderr, "power_cut: after %llu units: %s\n", (unsigned long long)cut, what);
    exit(1);
}

// ---- the judge: what a board starts with

static uint32_t word_at(const uint8_t *at, int word)
{
    at += 4 * word;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static const uint8_t *bank_at(const uint8_t *flash, int bank) { return flash + BANK_0 + bank * BANK_BYTES; }

static uint32_t length_of(const uint8_t *bank) { return word_at(bank, 4); }

static bool header_good(const uint8_t *bank)
{
    return !memcmp(bank, "CRLB", 4) && word_at(bank, 7) == crc32(0, bank, 28) && word_at(bank, 1) == 1 &&
           word_at(bank, 2) == 1 && length_of(bank) >= 8 && length_of(bank) <= BANK_BYTES - PAYLOAD;
}

static bool good(const uint8_t *bank)
{
    return header_good(bank) && word_at(bank, 5) == crc32(0, bank + PAYLOAD, length_of(bank));
}

static int starts_with(const uint8_t *flash)
{
    const bool good_0 = good(bank_at(flash, 0)), good_1 = good(bank_at(flash, 1));

    if (good_0 && good_1) return word_at(bank_at(flash, 1), 3) > word_at(bank_at(flash, 0), 3);
    return good_0 ? 0 : good_1 ? 1 : -1;
}

static bool same_payload(const uint8_t *a, const uint8_t *b)
{
    return length_of(a) == length_of(b) && !memcmp(a + PAYLOAD, b + PAYLOAD, length_of(a));
}

// ---- the board's two interfaces as the program's layers see them

static int refused(struct crl_diag *diag) { return crl_fail(diag, CRL_ERR_DEVICE, "the power is gone"); }

static int pipe_control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high, struct crl_diag *diag)
{
    struct crl_vboard *board = pipe->self;
    const uint8_t setup[8] = {0x40, request, (uint8_t)value, (uint8_t)(value >> 8), pipe->interface + 1, high, 0, 0};

    if (crl_vflash_dead(board->flash) || crl_vftdi_control(&board->ftdi, setup, NULL) < 0) return refused(diag);
    return 0;
}

static int pipe_write(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    struct crl_vboard *board = pipe->self;

    while (count) {
        const size_t n = crl_vftdi_out(&board->ftdi, pipe->interface, bytes, count);

        bytes += n;
        count -= n;
        crl_vboard_run(board, 100000);
    }
    return crl_vflash_dead(board->flash) ? refused(diag) : 0;
}

static int pipe_read(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                     struct crl_diag *diag)
{
    struct crl_vboard *board = pipe->self;
    uint8_t packet[CRL_VFTDI_PACKET];

    for (uint64_t us = 0; !crl_vftdi_waiting(&board->ftdi, pipe->interface) && us < 1000ULL * timeout_ms; us += 100)
        crl_vboard_run(board, 100000);
    *got = crl_vftdi_in(&board->ftdi, pipe->interface, packet, size + 2 < sizeof packet ? size + 2 : sizeof packet) - 2;
    memcpy(bytes, packet + 2, *got);
    return crl_vflash_dead(board->flash) ? refused(diag) : 0;
}

static struct crl_pipe pipe_of(struct crl_vboard *board, uint8_t interface)
{
    return (struct crl_pipe){.self = board,
                             .interface = interface,
                             .doing = "testing",
                             .control = pipe_control,
                             .write = pipe_write,
                             .read = pipe_read};
}

// ---- one cut

struct test {
    const struct crl_vtop_ops *design; // or NULL
    const struct crl_board_kind *kind;
    const uint8_t *old, *new;
    struct crl_records records;
    uint8_t *after; // the flash after the cut
};

static void power_up(struct crl_vboard *board, const struct test *test, const uint8_t *flash, uint64_t cut, bool design)
{
    // What is cut is the power of this board alone; the seed of its damage differs from cut to cut.
    const struct crl_vflash_faults faults = {.power_cut = cut != UINT64_MAX, .cut_at = cut};
    static const char path[] = "power_cut.flash";
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(flash, 1, FLASH_BYTES, file) != FLASH_BYTES || fclose(file))
        die("the flash cannot be made", cut);
    if (crl_vboard_open(board, crl_vboard_kind("icebreaker"), 1, path, &faults, design ? test->design : NULL, NULL,
                        cut))
        die("the board cannot be opened", cut);
    remove(path);
}

// Writes the new schedule; true when that ended well.
static bool write_bank(struct test *test, uint64_t cut, uint64_t *units)
{
    const struct crl_board_watch watch = {0};
    struct crl_diag diag = {0};
    struct crl_vboard board;
    struct crl_flash flash;
    struct crl_pipe pipe;
    uint32_t sequence;
    size_t size;
    int error, bank = -1;

    power_up(&board, test, test->old, cut, false);
    pipe = pipe_of(&board, 0);
    error = crl_flash_open(&flash, &pipe, test->kind, true, &watch, &diag);
    if (!error) error = crl_bank_write(&flash, &test->records, 1, &bank, &sequence, &diag);
    error = crl_flash_close(&flash, error, &diag);
    if (cut == UINT64_MAX && error) die(diag.text, cut);
    if (!error && bank != 0) die("the wrong bank was written", cut);
    memcpy(test->after, crl_vflash_bytes(board.flash, &size), FLASH_BYTES);
    *units = crl_vflash_counts(board.flash).units;
    crl_vboard_close(&board);
    return !error;
}

static void judge(const struct test *test, uint64_t cut, bool ended_well, int *chosen)
{
    const uint8_t *after = test->after;

    if (memcmp(after, test->old, BANK_0)) die("something before the banks changed", cut);
    if (memcmp(bank_at(after, 1), bank_at(test->old, 1), FLASH_BYTES - BANK_0 - BANK_BYTES))
        die("something behind the bank changed", cut);
    *chosen = starts_with(after);
    if (*chosen < 0) die("there is no schedule", cut);
    if (*chosen == 1 && ended_well) die("it ended well, but the old schedule is in use", cut);
    if (*chosen == 0 && !same_payload(bank_at(after, 0), bank_at(test->new, 0)))
        die("the new schedule is not whole", cut);
}

// The design itself, powered up with what the cut left.
static void start_design(const struct test *test, uint64_t cut, int chosen)
{
    const struct crl_board_watch watch = {0};
    struct crl_vboard board;
    struct crl_pipe pipe;
    struct crl_link link;
    struct crl_diag diag = {0};
    uint16_t loader, status, sequence[2];

    power_up(&board, test, test->after, UINT64_MAX, true);
    pipe = pipe_of(&board, 1);
    if (crl_link_open(&link, &pipe, &watch, &diag) || crl_link_get(&link, CRL_REG_STATUS, &status, &diag) ||
        crl_link_get(&link, CRL_REG_LOADER, &loader, &diag) ||
        crl_link_read(&link, CRL_REG_SEQUENCE, sequence, 2, &diag))
        die(diag.text, cut);
    if ((status & 6) != 4) die("the design has no schedule in use", cut);
    if ((loader >> 8 & 15) != 2 + chosen) die("the design has taken another bank", cut);
    if (sequence[0] != word_at(bank_at(test->after, chosen), 3)) die("the design tells another sequence number", cut);
    crl_vboard_close(&board);
}

// ---- all of them

// Whether a cut here falls where the work changes: in an erase, at the edge of a page, in the header.
static bool is_edge(const struct test *test, uint64_t cut, uint64_t whole)
{
    const uint64_t header = whole - HEADER_UNITS, erased = header - 2 * test->records.count;

    return cut <= erased || cut + 1 >= header || (cut - erased + 1) % CRL_VFLASH_PAGE <= 2;
}

static uint8_t *read_flash(const char *path)
{
    uint8_t *bytes = malloc(FLASH_BYTES);
    FILE *file = fopen(path, "rb");

    if (!file || !bytes || fread(bytes, 1, FLASH_BYTES, file) != FLASH_BYTES) die(path, 0);
    fclose(file);
    return bytes;
}

static void say(const char *text) { fprintf(stderr, "power_cut: %s\n", text); }

int main(int argc, char **argv)
{
    struct test test = {0};
    uint64_t units, whole, stride, tried = 0, old = 0;
    char error[4096];
    size_t count;
    int chosen;

    if (argc < 4 || argc > 5 || !(stride = strtoull(argv[3], NULL, 10))) die("usage", 0);
    if (argc > 4 && !(test.design = crl_vtop_load(argv[4], NULL, say, error, sizeof error))) die(error, 0);
    test.kind = crl_board_kinds(&count);
    test.old = read_flash(argv[1]);
    test.new = read_flash(argv[2]);
    test.after = malloc(FLASH_BYTES);
    if (!test.after || starts_with(test.old) != 1 || starts_with(test.new) != 0)
        die("the flash files are not as they must be", 0);
    test.records.design = crl_board_designs(&count);
    test.records.count = length_of(bank_at(test.new, 0)) / 2;
    test.records.words = malloc(2 * test.records.count);
    if (!test.records.words) die("no memory", 0);
    memcpy(test.records.words, bank_at(test.new, 0) + PAYLOAD, 2 * test.records.count);

    if (!write_bank(&test, UINT64_MAX, &whole)) die("it does not end well without a cut", 0);
    for (uint64_t cut = 0; cut <= whole; cut++) {
        const bool ended_well = is_edge(&test, cut, whole) || cut % stride == 0 ? write_bank(&test, cut, &units)
                                                                                : (units = UINT64_MAX, false);

        if (units == UINT64_MAX) continue;
        if (units != cut || ended_well != (cut == whole)) die("the cut was not where it was to be", cut);
        judge(&test, cut, ended_well, &chosen);
        if (test.design) start_design(&test, cut, chosen);
        tried++;
        old += chosen == 1;
    }
    printf("%llu units of work, %llu cuts: the old schedule after %llu, the new after %llu\n",
           (unsigned long long)whole, (unsigned long long)tried, (unsigned long long)old,
           (unsigned long long)(tried - old));
    if (!old || old == tried) die("both should occur", whole);
    free((void *)test.old);
    free((void *)test.new);
    free(test.after);
    free(test.records.words);
    return 0;
}
