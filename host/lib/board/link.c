// SPDX-License-Identifier: Apache-2.0
#include "board/link.h"
#include "board/bytes.h"
#include "board/ftdi.h"
#include "board/watch.h"

enum { REQUEST = 0xc5, REPLY = 0x5c, READ = 1, WRITE = 2 };
enum { HEADER = 12, CRC = 4, FRAME_WORDS = 256 }; // short frames are cheap to repeat
enum {
    TRIES = 4,
    PROBE_TRIES = 3,
    SILENCE_MS = 30,
    ANSWER_MS = 1000,
    PROBE_MS = 250,
    LATENCY_MS = 1,
    DRAIN_MAX = 1 << 20
};

enum status { FINE, BAD_HEADER, BAD_PAYLOAD, BAD_REQUEST, BAD_ADDRESS, BUSY, NO_SCHEDULE };

// How an exchange of two frames went.
enum outcome { DONE, AGAIN, REFUSED };

struct request {
    uint8_t opcode;
    uint32_t addr;
    uint16_t *in;        // a read
    const uint16_t *out; // a write
    size_t count;
    uint32_t patience_ms;
};

// The board gives up a frame it is waiting in after 22 ms of silence; what it has sent until then is dropped.
static int resynchronize(struct crl_link *link, struct crl_diag *diag)
{
    uint8_t junk[512];
    size_t got = 1, dropped = 0;
    while (got) {
        int error = link->pipe->read(link->pipe, junk, sizeof junk, &got, SILENCE_MS, diag);
        if (error) return error;
        dropped += got;
        if (dropped > DRAIN_MAX)
            return crl_fail(diag, CRL_ERR_DEVICE, "the board sends without end while %s", link->pipe->doing);
    }
    return 0;
}

static int send_request(struct crl_link *link, const struct request *r, struct crl_diag *diag)
{
    uint8_t frame[HEADER + 2 * FRAME_WORDS + CRC] = {REQUEST, r->opcode, ++link->tag};
    crl_put16(frame + 4, r->addr);
    crl_put16(frame + 6, (uint32_t)r->count);
    crl_put32(frame + 8, crl_crc(frame, 8));
    if (!r->out) return link->pipe->write(link->pipe, frame, HEADER, diag);
    uint8_t *payload = frame + HEADER;
    for (size_t i = 0; i < r->count; i++) crl_put16(payload + 2 * i, r->out[i]);
    crl_put32(payload + 2 * r->count, crl_crc(payload, 2 * r->count));
    return link->pipe->write(link->pipe, frame, HEADER + 2 * r->count + CRC, diag);
}

// Whether all `count` bytes came in time; an error is one of USB.
static int receive(struct crl_link *link, uint8_t *bytes, size_t count, uint32_t patience_ms, bool *all,
                   struct crl_diag *diag)
{
    size_t have = 0, got = 1;
    while (have < count && got) {
        int error = link->pipe->read(link->pipe, bytes + have, count - have, &got, patience_ms, diag);
        if (error) return error;
        have += got;
    }
    *all = have == count;
    return 0;
}

// One frame there and one back.
static int exchange(struct crl_link *link, const struct request *r, enum outcome *outcome, enum status *status,
                    struct crl_diag *diag)
{
    uint8_t head[HEADER], payload[2 * FRAME_WORDS + CRC];
    bool all;
    *outcome = AGAIN;
    int error = send_request(link, r, diag);
    if (!error) error = receive(link, head, HEADER, r->patience_ms, &all, diag);
    if (error || !all) return error;
    if (head[0] != REPLY || crl_get32(head + 8) != crl_crc(head, 8)) return 0;
    *status = (enum status)head[3];
    if (*status == BAD_HEADER) return 0;
    if (head[1] != r->opcode || head[2] != link->tag || crl_get16(head + 4) != r->addr) return 0;
    if (*status == BAD_PAYLOAD) return 0;
    if (*status != FINE) {
        *outcome = REFUSED;
        return 0;
    }
    if (crl_get16(head + 6) != (r->in ? r->count : 0)) return 0;
    if (r->in) {
        error = receive(link, payload, 2 * r->count + CRC, r->patience_ms, &all, diag);
        if (error || !all || crl_get32(payload + 2 * r->count) != crl_crc(payload, 2 * r->count)) return error;
        for (size_t i = 0; i < r->count; i++) r->in[i] = (uint16_t)crl_get16(payload + 2 * i);
    }
    *outcome = DONE;
    return 0;
}

static int refused(const struct crl_link *link, enum status status, struct crl_diag *diag)
{
    const char *doing = link->pipe->doing;
    switch (status) {
    case BUSY:
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the board is busy while %s: it plays or loads; 'carillon board reset' ends that", doing);
    case NO_SCHEDULE:
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the board has no schedule to play; 'carillon board load' gives it one, 'carillon board reset' "
                        "that in its flash");
    default:
        return crl_fail(
            diag, CRL_ERR_DEVICE,
            "the board refused a request (status %d) while %s: do its design and this program belong together?",
            (int)status, doing);
    }
}

static int request(struct crl_link *link, const struct request *r, struct crl_diag *diag)
{
    for (int i = 0; i < TRIES; i++) {
        enum outcome outcome;
        enum status status;
        int error = i ? resynchronize(link, diag) : 0;
        if (!error) error = exchange(link, r, &outcome, &status, diag);
        if (error) return error;
        if (outcome == REFUSED) return refused(link, status, diag);
        if (outcome == DONE) return 0;
        link->retries++;
        error = crl_board_step(link->watch, link->pipe->doing, 0, 0, diag);
        if (error) return error;
    }
    resynchronize(link, NULL);
    return crl_fail(diag, CRL_ERR_DEVICE, "the board does not answer: %d requests in vain while %s", TRIES,
                    link->pipe->doing);
}

int crl_link_open(struct crl_link *link, struct crl_pipe *pipe, const struct crl_board_watch *watch,
                  struct crl_diag *diag)
{
    *link = (struct crl_link){.pipe = pipe, .watch = watch, .tag = (uint8_t)crl_now_ms()};
    pipe->doing = "opening the serial port";
    int error = crl_ftdi_line(pipe, CRL_BOARD_BAUD, diag);
    if (!error) error = crl_ftdi_latency(pipe, LATENCY_MS, diag);
    return error ? error : resynchronize(link, diag);
}

static int transfer(struct crl_link *link, uint8_t opcode, uint32_t addr, uint16_t *in, const uint16_t *out,
                    size_t count, struct crl_diag *diag)
{
    int error = 0;
    for (size_t done = 0; done < count && !error;) {
        size_t n = count - done < FRAME_WORDS ? count - done : FRAME_WORDS;
        struct request r = {opcode,   addr + (uint32_t)done, in ? in + done : NULL, out ? out + done : NULL, n,
                            ANSWER_MS};
        error = request(link, &r, diag);
        done += n;
    }
    return error;
}

int crl_link_read(struct crl_link *link, uint32_t addr, uint16_t *words, size_t count, struct crl_diag *diag)
{
    return transfer(link, READ, addr, words, NULL, count, diag);
}

int crl_link_write(struct crl_link *link, uint32_t addr, const uint16_t *words, size_t count, struct crl_diag *diag)
{
    return transfer(link, WRITE, addr, NULL, words, count, diag);
}

int crl_link_once(struct crl_link *link, uint32_t addr, uint16_t word, bool *lost, struct crl_diag *diag)
{
    struct request r = {WRITE, addr, NULL, &word, 1, ANSWER_MS};
    enum outcome outcome;
    enum status status;
    int error = exchange(link, &r, &outcome, &status, diag);
    *lost = !error && outcome == AGAIN;
    if (error) return error;
    if (outcome == REFUSED) return refused(link, status, diag);
    if (outcome == DONE) return 0;
    link->retries++;
    error = resynchronize(link, diag);
    return error ? error
                 : crl_fail(diag, CRL_ERR_DEVICE, "the board does not answer: no reply while %s", link->pipe->doing);
}

int crl_link_get(struct crl_link *link, enum crl_register reg, uint16_t *word, struct crl_diag *diag)
{
    return crl_link_read(link, CRL_REGION_REGISTERS + reg, word, 1, diag);
}

int crl_link_set(struct crl_link *link, enum crl_register reg, uint16_t word, struct crl_diag *diag)
{
    return crl_link_write(link, CRL_REGION_REGISTERS + reg, &word, 1, diag);
}

int crl_link_probe(struct crl_link *link, bool *present, struct crl_diag *diag)
{
    uint16_t magic = 0;
    struct request r = {READ, CRL_REGION_REGISTERS + CRL_REG_MAGIC, &magic, NULL, 1, PROBE_MS};
    int error = 0;
    *present = false;
    for (int i = 0; i < PROBE_TRIES && !*present && !error; i++) {
        enum outcome outcome;
        enum status status;
        error = i ? resynchronize(link, diag) : 0;
        if (!error) error = exchange(link, &r, &outcome, &status, diag);
        *present = !error && outcome == DONE && magic == CRL_BOARD_MAGIC;
    }
    return error;
}
