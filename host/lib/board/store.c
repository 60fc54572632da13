// SPDX-License-Identifier: Apache-2.0
// What lies in a board's flash: schedules in two banks, the bitstream in front of them; and the restart that takes it.
#include "board/bank.h"
#include "board/board.h"
#include "board/watch.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

// Opens the flash for `work` and gives it back whatever happens. With `hold` the FPGA stands still meanwhile.
static int with_flash(struct crl_board *b, bool hold, int (*work)(struct crl_flash *, void *, struct crl_diag *),
                      void *user, struct crl_diag *diag)
{
    struct crl_pipe *pipe;
    struct crl_flash flash;
    int error = hold ? crl_board_claim(b, diag) : 0; // nobody plays on an FPGA that is stopped
    if (!error) error = crl_usb_claim(&b->usb, b->found.kind->flash_interface, &pipe, diag);
    if (error) return error;
    if (hold) b->connected = false; // the FPGA starts anew
    error = crl_flash_open(&flash, pipe, b->found.kind, hold, b->watch, diag);
    if (!error && work) error = work(&flash, user, diag);
    error = crl_flash_close(&flash, error, diag);
    crl_usb_release(pipe);
    return error;
}

// Whether the design lets go of the flash's pins: ours does, as soon as its loader is at rest. *in_use is the bank its
// schedule came from, -1 if none.
static int look(struct crl_board *b, const struct crl_board_design *design, bool *present, int *in_use,
                struct crl_diag *diag)
{
    struct crl_board_state state;
    *in_use = -1;
    int error = crl_board_look(b, present, diag);
    if (!error && *present) error = crl_board_needs(b, design, diag);
    if (error || !*present) return error;
    error = crl_board_state(b, &state, diag);
    if (!error && (state.bank[0] == 1 || state.bank[1] == 1)) *in_use = state.bank[1] == 1;
    return error;
}

// That the board is what its USB name says, where another one has the same name.
static int be_sure(const struct crl_board *b, bool answers, struct crl_diag *diag)
{
    const struct crl_board_kind *kind = b->found.kind;
    if (!kind->alike || b->kind_named || answers) return 0;
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "the FPGA does not answer, and by its USB name the board could be %s as well: say --board %s if it "
                    "is the %s",
                    kind->alike, kind->name, kind->title);
}

// ---- schedules

struct storing {
    const struct crl_records *records;
    int in_use;
    struct crl_board_stored *stored;
};

static int store(struct crl_flash *flash, void *user, struct crl_diag *diag)
{
    struct storing *s = user;
    return crl_bank_write(flash, s->records, s->in_use, &s->stored->bank, &s->stored->sequence, diag);
}

int crl_board_flash(struct crl_board *b, const struct crl_image *image, const struct crl_problem *problem,
                    uint64_t seed, struct crl_board_stored *stored, struct crl_diag *diag)
{
    struct crl_records records;
    struct storing s = {.records = &records, .stored = stored};
    int error = crl_records_build(&records, crl_records_design(b->found.kind, image), image, problem, seed, diag);
    if (!error) error = look(b, records.design, &stored->in_place, &s.in_use, diag);
    if (!error) error = be_sure(b, stored->in_place, diag);
    if (!error) error = with_flash(b, !stored->in_place, store, &s, diag);
    crl_records_done(&records);
    return error;
}

// ---- verify

struct verifying {
    const struct crl_records *records;
    struct crl_board_verified *verified;
};

static int compare_bank(struct crl_flash *flash, void *user, struct crl_diag *diag)
{
    struct verifying *v = user;
    struct crl_bank banks[CRL_BANKS];
    size_t count;
    int error = crl_banks_read(flash, v->records->design->id, banks, diag);
    CRL_OWNED uint8_t *bytes = crl_records_bytes(v->records, &count);
    if (!error && !bytes) error = crl_fail_memory(diag);
    int newest = v->verified->bank = error ? -1 : crl_banks_newest(banks);
    v->verified->in_flash = newest >= 0 && banks[newest].count == count && !memcmp(banks[newest].payload, bytes, count);
    crl_banks_done(banks);
    return error;
}

// The rows as they lie in the table memory, and their descriptor.
static int compare_tables(struct crl_board *b, const struct crl_records *records, bool *same, struct crl_diag *diag)
{
    struct crl_record r;
    int error = 0;
    b->uart->doing = "verifying the tables";
    *same = true;
    for (size_t at = 0; !error && *same && crl_records_next(records, &at, &r);) {
        if (r.addr < CRL_REGION_TABLES || r.addr >= CRL_REGION_PACKETS) continue;
        uint16_t *found = calloc(r.count, sizeof *found);
        error = found ? crl_link_read(&b->link, r.addr, found, r.count, diag) : crl_fail_memory(diag);
        *same = !error && !memcmp(found, r.words, r.count * sizeof *found);
        free(found);
        if (!error) error = crl_board_step(b->watch, b->uart->doing, at, records->count, diag);
    }
    return error;
}

int crl_board_verify(struct crl_board *b, const struct crl_image *image, const struct crl_problem *problem,
                     uint64_t seed, struct crl_board_verified *verified, struct crl_diag *diag)
{
    struct crl_records records;
    struct verifying v = {&records, verified};
    int in_use;
    *verified = (struct crl_board_verified){.bank = -1};
    int error = crl_records_build(&records, crl_records_design(b->found.kind, image), image, problem, seed, diag);
    if (!error) error = look(b, records.design, &verified->looked, &in_use, diag);
    if (!error && verified->looked) error = compare_tables(b, &records, &verified->in_use, diag);
    if (!error) error = with_flash(b, !verified->looked, compare_bank, &v, diag);
    crl_records_done(&records);
    return error;
}

// ---- bitstreams

bool crl_board_is_bitstream(const uint8_t *bytes, size_t count)
{
    // Lattice, iCE40 Programming and Configuration (FPGA-TN-02001): a comment, then the preamble.
    static const uint8_t preamble[] = {0x7e, 0xaa, 0x99, 0x7e};
    enum { COMMENT_MAX = 4096 };
    for (size_t at = 0; at + sizeof preamble <= count && at < COMMENT_MAX; at++)
        if (!memcmp(bytes + at, preamble, sizeof preamble)) return true;
    return false;
}

struct bitstream {
    const uint8_t *bytes;
    size_t count;
};

static int store_bitstream(struct crl_flash *flash, void *user, struct crl_diag *diag)
{
    const struct bitstream *s = user;
    size_t sectors = crl_ceil_div(s->count, CRL_FLASH_SECTOR);
    int error = crl_flash_erase(flash, 0, sectors * CRL_FLASH_SECTOR, diag);
    if (!error) error = crl_flash_program(flash, 0, s->bytes, s->count, diag);
    flash->was_configured |= !error; // it must start from this one
    return error ? error : crl_flash_verify(flash, 0, s->bytes, s->count, diag);
}

int crl_board_flash_bitstream(struct crl_board *b, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    enum { COMMENT_MAX = 1024 }; // tools put one in front
    struct bitstream s = {bytes, count};
    const struct crl_board_kind *kind = b->found.kind;
    if (!crl_board_is_bitstream(bytes, count))
        return crl_fail(diag, CRL_ERR_PARSE, "not a bitstream: no iCE40 preamble");
    if (count < kind->bitstream_bytes || count > kind->bitstream_bytes + COMMENT_MAX)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the bitstream is cut off or for another FPGA: %zu bytes, and %s takes %u", count, kind->title,
                        kind->bitstream_bytes);
    if (kind->alike && !b->kind_named) { // a design that answers wrongly is to be replaced, too
        bool answers;
        int error = crl_board_look(b, &answers, diag);
        if (error == CRL_ERR_INTERRUPTED) return error;
        error = be_sure(b, !error && answers, diag);
        if (error) return error;
    }
    return with_flash(b, true, store_bitstream, &s, diag);
}

int crl_board_reset(struct crl_board *b, struct crl_diag *diag)
{
    int error = with_flash(b, true, NULL, NULL, diag);
    return error ? error : crl_board_connect(b, diag);
}
