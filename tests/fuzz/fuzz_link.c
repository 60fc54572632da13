// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what a board answers to the frames of its link. Some answers are made to fit the request,
// else nothing would get past tags and CRCs. What a read brings must be what docs/formats/board.md says of the last
// answer, and a write must have been acknowledged.
#include "board/bytes.h"
#include "board/link.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { HEADER = 12, STREAM = 1 << 16 };

struct board {
    struct crl_pipe pipe;
    const uint8_t *input;
    size_t left;
    uint8_t stream[STREAM];
    size_t first, filled;
    size_t answer; // where the stream stood when the last request came
    uint8_t request[HEADER];
};

static void mend(uint8_t *answer, size_t count, const uint8_t *request, uint8_t how)
{
    if (count < HEADER) return;
    answer[0] = 0x5c;
    memcpy(answer + 1, request + 1, 2);
    memcpy(answer + 4, request + 4, 2);
    if (how & 2) answer[3] = 0;
    if (how & 4) {
        uint32_t words = request[1] == 1 ? (uint32_t)(count - HEADER) / 2 : 0;
        crl_put16(answer + 6, words > 2 ? words - 2 : 0);
    }
    if (how & 8) memcpy(answer + 6, request + 6, 2);
    crl_put32(answer + 8, crl_crc(answer, 8));
    size_t payload = 2 * (size_t)crl_get16(answer + 6);
    if (how & 16 && count >= HEADER + payload + 4)
        crl_put32(answer + HEADER + payload, crl_crc(answer + HEADER, payload));
}

// Each request is answered by the next piece of the input: how it is mended, its length in units of four, its bytes.
static int answer(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    struct board *b = pipe->self;
    (void)diag;
    if (count < HEADER || bytes[0] != 0xc5 || crl_get32(bytes + 8) != crl_crc(bytes, 8)) abort();
    memcpy(b->request, bytes, HEADER);
    b->answer = b->first;
    if (b->left < 2) return 0;
    uint8_t how = b->input[0];
    size_t length = 4 * (size_t)b->input[1];
    b->input += 2;
    b->left -= 2;
    if (length > b->left) length = b->left;
    if (length > STREAM - b->filled) length = STREAM - b->filled;
    uint8_t *at = b->stream + b->filled;
    memcpy(at, b->input, length);
    b->input += length;
    b->left -= length;
    b->filled += length;
    if (how & 1) mend(at, length, bytes, how);
    return 0;
}

static int hear(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                struct crl_diag *diag)
{
    struct board *b = pipe->self;
    (void)timeout_ms, (void)diag;
    *got = b->filled - b->first < size ? b->filled - b->first : size;
    memcpy(bytes, b->stream + b->first, *got);
    b->first += *got;
    return 0;
}

static int control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high, struct crl_diag *diag)
{
    (void)pipe, (void)request, (void)value, (void)high, (void)diag;
    return 0;
}

// The answer that was taken, as the page says it.
static void judge(const struct board *b, const uint16_t *words, size_t count)
{
    const uint8_t *a = b->stream + b->answer;
    size_t there = b->first - b->answer, payload = 2 * count;
    if (there < HEADER || a[0] != 0x5c || crl_crc(a, 8) != crl_get32(a + 8) || a[3] ||
        memcmp(a + 1, b->request + 1, 2) || memcmp(a + 4, b->request + 4, 2) || crl_get16(a + 6) != count)
        abort();
    if (!count) return;
    if (there < HEADER + payload + 4 || crl_crc(a + HEADER, payload) != crl_get32(a + HEADER + payload)) abort();
    for (size_t i = 0; i < count; i++)
        if (words[i] != crl_get16(a + HEADER + 2 * i)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct board board;
    struct crl_link link;
    struct crl_diag diag;
    uint16_t words[300] = {0};
    bool flag;
    if (!size) return 0;
    board.pipe = (struct crl_pipe){&board, 1, "fuzzing", control, answer, hear};
    board.input = bytes + 1;
    board.left = size - 1;
    board.first = board.filled = board.answer = 0;
    if (crl_link_open(&link, &board.pipe, NULL, &diag)) abort();
    link.tag = 0; // else it depends on the time
    size_t count = 1 + bytes[0] / 4;
    if (!crl_link_read(&link, 0x2000, words, count, &diag)) judge(&board, words, count);
    if (!crl_link_write(&link, 0x1000, words, count, &diag)) judge(&board, NULL, 0);
    if (!crl_link_once(&link, 0x1d, 1, &flag, &diag)) judge(&board, NULL, 0);
    if (!crl_link_probe(&link, &flag, &diag) && flag && board.first == board.filled && board.filled < HEADER) abort();
    if (bytes[0] & 1) crl_link_read(&link, 0x3000, words, sizeof words / sizeof *words, &diag);
    return 0;
}
