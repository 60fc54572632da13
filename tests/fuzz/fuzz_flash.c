// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what the flash's side of a board answers: pins, status, identification, and the two banks
// of schedules. Headers can be made right, else nothing would get past their CRCs.
#include "board/bank.h"
#include "board/board.h"
#include "board/bytes.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { HEADER = 32, BOARD = 1 };

struct board {
    struct crl_pipe pipe;
    const uint8_t *input;
    size_t left;
    bool mends;
};

static int swallow(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    (void)pipe, (void)bytes, (void)count, (void)diag;
    return 0;
}

static int control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high, struct crl_diag *diag)
{
    (void)pipe, (void)request, (void)value, (void)high, (void)diag;
    return 0;
}

// The header of what comes next, as docs/formats/board.md has it; the sequence number stays.
static void mend(const struct board *b, uint8_t *h)
{
    uint32_t length = crl_get32(h + 16) % 1024 & ~3u;
    if (length > b->left) length = (uint32_t)b->left & ~3u;
    memcpy(h, "CRLB", 4);
    crl_put32(h + 4, 1);
    crl_put32(h + 8, BOARD);
    crl_put32(h + 16, length);
    crl_put32(h + 20, crl_crc(b->input, length));
    crl_put32(h + 28, crl_crc(h, 28));
}

static int hear(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                struct crl_diag *diag)
{
    struct board *b = pipe->self;
    (void)timeout_ms, (void)diag;
    *got = b->left < size ? b->left : size;
    memcpy(bytes, b->input, *got);
    b->input += *got;
    b->left -= *got;
    if (b->mends && *got == HEADER) mend(b, bytes);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    // What is answered until the chip is known: that a command is bad, pins, status, identification.
    static const uint8_t known[] = {0xfa, 0xaa, 0x40, 0x00, 0x00, 0xef, 0x40, 0x18};
    static uint8_t input[1 << 16];
    size_t kinds;
    if (!size || size > sizeof input - sizeof known) return 0;
    crl_board_is_bitstream(bytes, size);
    size_t before = bytes[0] & 2 ? sizeof known : 0;
    memcpy(input, known, before);
    memcpy(input + before, bytes + 1, size - 1);
    struct board board = {.input = input, .left = before + size - 1, .mends = bytes[0] & 1};
    board.pipe = (struct crl_pipe){&board, 0, "fuzzing", control, swallow, hear};
    struct crl_flash flash;
    struct crl_bank banks[CRL_BANKS] = {0};
    struct crl_diag diag;
    int error = crl_flash_open(&flash, &board.pipe, crl_board_kinds(&kinds), bytes[0] & 4, NULL, &diag);
    if (!error) error = crl_banks_read(&flash, BOARD, banks, &diag);
    int newest = crl_banks_newest(banks);
    if (!error && newest >= 0 && (!banks[newest].good || banks[newest].count < 8 || banks[newest].count % 4)) abort();
    if (newest >= 0 && banks[!newest].good && banks[!newest].sequence > banks[newest].sequence) abort();
    crl_banks_done(banks);
    crl_flash_close(&flash, error, &diag);
    return 0;
}
