// SPDX-License-Identifier: Apache-2.0
#include "board/bank.h"
#include "board/bytes.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { BANK_0 = 0x100000, BANK_BYTES = 0x10000, PAYLOAD = 256, HEADER = 32, FORMAT = 1 };
enum { MAGIC_WORD, FORMAT_WORD, BOARD_WORD, SEQUENCE_WORD, LENGTH_WORD, PAYLOAD_CRC_WORD, ZERO_WORD, CRC_WORD };
static const uint32_t magic = 0x424c5243; // "CRLB"

static uint32_t addr_of(int bank) { return BANK_0 + (uint32_t)bank * BANK_BYTES; }

static bool good_header(const uint8_t *h, uint32_t board)
{
    uint32_t length = crl_get32(h + 4 * LENGTH_WORD);
    return crl_get32(h + 4 * MAGIC_WORD) == magic && crl_get32(h + 4 * CRC_WORD) == crl_crc(h, 4 * CRC_WORD) &&
           crl_get32(h + 4 * FORMAT_WORD) == FORMAT && crl_get32(h + 4 * BOARD_WORD) == board && length >= 8 &&
           length % 4 == 0 && length <= BANK_BYTES - PAYLOAD;
}

static int read_bank(struct crl_flash *flash, uint32_t board, int number, struct crl_bank *bank, struct crl_diag *diag)
{
    uint8_t header[HEADER];
    int error = crl_flash_read(flash, addr_of(number), header, sizeof header, diag);
    if (error || !good_header(header, board)) return error;
    bank->count = crl_get32(header + 4 * LENGTH_WORD);
    bank->payload = malloc(bank->count);
    if (!bank->payload) return crl_fail_memory(diag);
    error = crl_flash_read(flash, addr_of(number) + PAYLOAD, bank->payload, bank->count, diag);
    bank->good = !error && crl_crc(bank->payload, bank->count) == crl_get32(header + 4 * PAYLOAD_CRC_WORD);
    bank->sequence = crl_get32(header + 4 * SEQUENCE_WORD);
    return error;
}

int crl_banks_read(struct crl_flash *flash, uint32_t board, struct crl_bank banks[CRL_BANKS], struct crl_diag *diag)
{
    int error = 0;
    memset(banks, 0, sizeof *banks * CRL_BANKS);
    for (int i = 0; i < CRL_BANKS && !error; i++) error = read_bank(flash, board, i, &banks[i], diag);
    return error;
}

void crl_banks_done(struct crl_bank banks[CRL_BANKS])
{
    for (int i = 0; i < CRL_BANKS; i++) free(banks[i].payload);
    memset(banks, 0, sizeof *banks * CRL_BANKS);
}

int crl_banks_newest(const struct crl_bank banks[CRL_BANKS])
{
    if (banks[0].good && banks[1].good) return banks[1].sequence > banks[0].sequence;
    return banks[0].good ? 0 : banks[1].good ? 1 : -1;
}

static int choose(const struct crl_bank banks[CRL_BANKS], int in_use, int *chosen, uint32_t *sequence,
                  struct crl_diag *diag)
{
    int newest = crl_banks_newest(banks);
    int keep = in_use >= 0 && banks[in_use].good ? in_use : newest; // a good one stays, whatever happens
    *chosen = keep >= 0 ? !keep : 0;
    uint32_t last = newest >= 0 ? banks[newest].sequence : 0;
    if (last == UINT32_MAX)
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the sequence numbers of the flash banks are used up; erase both blocks from 0x%06x on",
                        BANK_0);
    *sequence = last + 1;
    return 0;
}

static int write_payload(struct crl_flash *flash, uint32_t addr, const uint8_t *bytes, size_t count,
                         struct crl_diag *diag)
{
    size_t sectors = crl_ceil_div(PAYLOAD + count, CRL_FLASH_SECTOR);
    int error = crl_flash_erase(flash, addr, sectors * CRL_FLASH_SECTOR, diag); // the old header goes first
    if (!error) error = crl_flash_program(flash, addr + PAYLOAD, bytes, count, diag);
    return error ? error : crl_flash_verify(flash, addr + PAYLOAD, bytes, count, diag);
}

static int write_header(struct crl_flash *flash, uint32_t board, uint32_t addr, uint32_t sequence,
                        const uint8_t *payload, size_t count, struct crl_diag *diag)
{
    uint8_t h[HEADER] = {0};
    crl_put32(h + 4 * MAGIC_WORD, magic);
    crl_put32(h + 4 * FORMAT_WORD, FORMAT);
    crl_put32(h + 4 * BOARD_WORD, board);
    crl_put32(h + 4 * SEQUENCE_WORD, sequence);
    crl_put32(h + 4 * LENGTH_WORD, (uint32_t)count);
    crl_put32(h + 4 * PAYLOAD_CRC_WORD, crl_crc(payload, count));
    crl_put32(h + 4 * CRC_WORD, crl_crc(h, 4 * CRC_WORD));
    int error = crl_flash_program(flash, addr, h, sizeof h, diag);
    return error ? error : crl_flash_verify(flash, addr, h, sizeof h, diag);
}

int crl_bank_write(struct crl_flash *flash, const struct crl_records *records, int in_use, int *written,
                   uint32_t *sequence, struct crl_diag *diag)
{
    size_t count;
    uint32_t board = records->design->id;
    CRL_OWNED uint8_t *bytes = crl_records_bytes(records, &count);
    if (!bytes) return crl_fail_memory(diag);
    struct crl_bank banks[CRL_BANKS] = {0};
    int error = count <= BANK_BYTES - PAYLOAD
                    ? crl_banks_read(flash, board, banks, diag)
                    : crl_fail(diag, CRL_ERR_LIMIT, "%zu bytes do not fit into a flash bank of 64 KiB", count);
    if (!error) error = choose(banks, in_use, written, sequence, diag);
    if (!error) error = write_payload(flash, addr_of(*written), bytes, count, diag);
    if (!error) error = write_header(flash, board, addr_of(*written), *sequence, bytes, count, diag);
    crl_banks_done(banks);
    return error;
}
