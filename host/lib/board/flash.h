// SPDX-License-Identifier: Apache-2.0
// The SPI flash behind interface A, reached by the FT2232H's MPSSE.
#ifndef CRL_BOARD_FLASH_H
#define CRL_BOARD_FLASH_H

#include "board/usb.h"

enum { CRL_FLASH_SECTOR = 4096, CRL_FLASH_PAGE = 256 };

// A chip the program knows, with the longest times that its data sheet allows.
struct crl_flash_chip {
    uint32_t jedec; // manufacturer, type, capacity
    const char *name;
    uint32_t bytes;
    uint32_t program_ms, erase_ms; // a page; a sector
};

struct crl_flash {
    struct crl_pipe *pipe;
    const struct crl_board_kind *kind;
    const struct crl_flash_chip *chip;
    const struct crl_board_watch *watch;
    bool hold; // the FPGA is kept in reset meanwhile
    bool was_configured;
    bool driving; // pins are outputs
};

// Takes the flash: with `hold` by keeping the FPGA in reset, else beside a running FPGA that leaves the flash's pins
// alone. Wakes and identifies the chip. crl_flash_close gives it back and, with `hold`, waits until the FPGA has
// configured itself again if it was configured before. Close also after an error of open.
int crl_flash_open(struct crl_flash *flash, struct crl_pipe *pipe, const struct crl_board_kind *kind, bool hold,
                   const struct crl_board_watch *watch, struct crl_diag *diag);
int crl_flash_close(struct crl_flash *flash, int error, struct crl_diag *diag);

// `addr` and `count` of an erase are multiples of CRL_FLASH_SECTOR. Each says CRL_ERR_INTERRUPTED between two sectors
// or pages when the watch wants to stop.
int crl_flash_read(struct crl_flash *flash, uint32_t addr, uint8_t *bytes, size_t count, struct crl_diag *diag);
int crl_flash_erase(struct crl_flash *flash, uint32_t addr, size_t count, struct crl_diag *diag);
int crl_flash_program(struct crl_flash *flash, uint32_t addr, const uint8_t *bytes, size_t count,
                      struct crl_diag *diag);
// Reads back and compares; the first difference is CRL_ERR_MISMATCH.
int crl_flash_verify(struct crl_flash *flash, uint32_t addr, const uint8_t *bytes, size_t count, struct crl_diag *diag);

#endif
