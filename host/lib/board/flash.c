// SPDX-License-Identifier: Apache-2.0
// Commands of SPI NOR flash (Winbond W25Q128JV data sheet, Sec. 8; Micron N25Q032A).
#include "board/flash.h"
#include "board/mpsse.h"
#include "board/watch.h"
#include <string.h>

enum {
    PROGRAM_PAGE = 0x02,
    READ = 0x03,
    READ_STATUS = 0x05,
    WRITE_ENABLE = 0x06,
    ERASE_SECTOR = 0x20,
    IDENTIFY = 0x9f,
    WAKE = 0xab,
    SLEEP = 0xb9,
};
enum { STATUS_BUSY = 1, STATUS_WRITE_ENABLED = 2 };
enum { READ_AT_ONCE = 16384, GRACE_MS = 500, CONFIGURE_MS = 2000 };

static const struct crl_flash_chip chips[] = {
    {0xef4018, "W25Q128JV", 1 << 24, 3, 400}, {0xef7018, "W25Q128JV-M", 1 << 24, 3, 400},
    {0xef4016, "W25Q32JV", 1 << 22, 3, 400},  {0xef7016, "W25Q32JV-M", 1 << 22, 3, 400},
    {0x20ba16, "N25Q032A", 1 << 22, 5, 800},
};

static struct crl_spi spi_of(const struct crl_flash *f)
{
    uint8_t reset = f->hold ? f->kind->pin_reset : 0; // an output only to hold the FPGA; low then
    uint8_t outputs = CRL_PIN_CLOCK | CRL_PIN_OUT | f->kind->pin_select | reset;
    return (struct crl_spi){outputs, 0, f->kind->pin_select};
}

static int command(struct crl_flash *f, const uint8_t *out, size_t sent, uint8_t *in, size_t received,
                   struct crl_diag *diag)
{
    struct crl_spi spi = spi_of(f);
    return crl_spi_transfer(f->pipe, &spi, out, sent, in, received, diag);
}

static int command_byte(struct crl_flash *f, uint8_t code, struct crl_diag *diag)
{
    return command(f, &code, 1, NULL, 0, diag);
}

static size_t put_addr(uint8_t *at, uint8_t code, uint32_t addr)
{
    at[0] = code;
    at[1] = (uint8_t)(addr >> 16);
    at[2] = (uint8_t)(addr >> 8);
    at[3] = (uint8_t)addr;
    return 4;
}

static int read_status(struct crl_flash *f, uint8_t *status, struct crl_diag *diag)
{
    return command(f, (const uint8_t[]){READ_STATUS}, 1, status, 1, diag);
}

static int wait_done(struct crl_flash *f, uint32_t limit_ms, uint32_t addr, struct crl_diag *diag)
{
    uint64_t deadline = crl_now_ms() + limit_ms + GRACE_MS;
    for (;;) {
        bool late = crl_now_ms() >= deadline; // before the last look, so that a stopped process does not miss it
        uint8_t status;
        int error = read_status(f, &status, diag);
        if (error || !(status & STATUS_BUSY)) return error;
        if (late)
            return crl_fail(diag, CRL_ERR_DEVICE, "the flash is still busy after %u ms while %s at 0x%06x",
                            limit_ms + GRACE_MS, f->pipe->doing, addr);
    }
}

static int enable_write(struct crl_flash *f, uint32_t addr, struct crl_diag *diag)
{
    uint8_t status;
    int error = command_byte(f, WRITE_ENABLE, diag);
    if (!error) error = read_status(f, &status, diag);
    if (!error && !(status & STATUS_WRITE_ENABLED))
        error =
            crl_fail(diag, CRL_ERR_DEVICE, "the flash does not let itself be written (status %02x) while %s at 0x%06x",
                     status, f->pipe->doing, addr);
    return error;
}

static int check_range(const struct crl_flash *f, uint32_t addr, size_t count, struct crl_diag *diag)
{
    if (addr <= f->chip->bytes && count <= f->chip->bytes - addr) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT, "0x%06x + %zu bytes lie beyond the flash (%s, %u bytes)", addr, count,
                    f->chip->name, f->chip->bytes);
}

// ---- open and close

// A program that was killed may have left the chip erasing: it then answers nothing but its status.
static int wait_awake(struct crl_flash *f, struct crl_diag *diag)
{
    enum { NOBODY = 0xff, SLOWEST_MS = 3000 };
    uint8_t status;
    int error = command_byte(f, WAKE, diag); // a configured FPGA leaves it asleep; takes 3 µs
    if (!error) error = read_status(f, &status, diag);
    return error || status == NOBODY ? error : wait_done(f, SLOWEST_MS, 0, diag);
}

static int identify(struct crl_flash *f, struct crl_diag *diag)
{
    uint8_t id[3];
    int error = wait_awake(f, diag);
    if (!error) error = command(f, (const uint8_t[]){IDENTIFY}, 1, id, sizeof id, diag);
    if (error) return error;
    uint32_t jedec = (uint32_t)id[0] << 16 | (uint32_t)id[1] << 8 | id[2];
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (chips[i].jedec == jedec) f->chip = &chips[i];
    if (f->chip) return 0;
    if (jedec == 0 || jedec == 0xffffff)
        return crl_fail(diag, CRL_ERR_DEVICE, "the flash does not answer (identification %06x)", jedec);
    return crl_fail(diag, CRL_ERR_DEVICE, "a flash chip that this program does not know: identification %06x", jedec);
}

int crl_flash_open(struct crl_flash *f, struct crl_pipe *pipe, const struct crl_board_kind *kind, bool hold,
                   const struct crl_board_watch *watch, struct crl_diag *diag)
{
    uint8_t pins;
    *f = (struct crl_flash){.pipe = pipe, .kind = kind, .hold = hold, .watch = watch};
    pipe->doing = "identifying the flash";
    int error = crl_mpsse_open(pipe, diag);
    if (!error) error = crl_mpsse_read_pins(pipe, &pins, diag);
    if (error) return error;
    f->was_configured = pins & kind->pin_done;
    f->driving = true;
    struct crl_spi spi = spi_of(f);
    error = crl_mpsse_pins(pipe, spi.idle, spi.outputs, diag);
    return error ? error : identify(f, diag);
}

static int wait_configured(struct crl_flash *f, struct crl_diag *diag)
{
    uint64_t deadline = crl_now_ms() + CONFIGURE_MS;
    for (;;) {
        uint8_t pins;
        bool late = crl_now_ms() >= deadline;
        int error = crl_mpsse_read_pins(f->pipe, &pins, diag);
        if (error || pins & f->kind->pin_done) return error;
        if (late)
            return crl_fail(diag, CRL_ERR_DEVICE,
                            "the FPGA does not start (CDONE stays low): is there a bitstream in the flash?");
    }
}

int crl_flash_close(struct crl_flash *f, int error, struct crl_diag *diag)
{
    struct crl_diag *say = error ? NULL : diag; // the first error is the one to report; all steps are tried
    int step = 0;
    if (f->driving) {
        f->pipe->doing = "giving the flash back";
        step = command_byte(f, SLEEP, say); // as a configured FPGA leaves it
        if (!step) step = crl_mpsse_pins(f->pipe, f->kind->pin_reset, f->hold ? f->kind->pin_reset : 0, say);
        if (!step && f->hold && f->was_configured) step = wait_configured(f, say);
    }
    int last = crl_mpsse_close(f->pipe, step ? NULL : say);
    if (!step) step = last;
    return error ? error : step;
}

// ---- what it is for

static int read_some(struct crl_flash *f, uint32_t addr, uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    uint8_t out[4];
    put_addr(out, READ, addr);
    return command(f, out, sizeof out, bytes, count, diag);
}

int crl_flash_read(struct crl_flash *f, uint32_t addr, uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    int error = check_range(f, addr, count, diag);
    f->pipe->doing = "reading the flash";
    for (size_t done = 0; done < count && !error;) {
        size_t n = count - done < READ_AT_ONCE ? count - done : READ_AT_ONCE;
        error = read_some(f, addr + (uint32_t)done, bytes + done, n, diag);
        done += n;
        if (!error) error = crl_board_step(f->watch, f->pipe->doing, done, count, diag);
    }
    return error;
}

int crl_flash_erase(struct crl_flash *f, uint32_t addr, size_t count, struct crl_diag *diag)
{
    if (addr % CRL_FLASH_SECTOR || count % CRL_FLASH_SECTOR)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "erasing 0x%06x + %zu: not whole sectors", addr, count);
    int error = check_range(f, addr, count, diag);
    f->pipe->doing = "erasing the flash";
    for (uint32_t done = 0; done < count && !error; done += CRL_FLASH_SECTOR) {
        uint8_t out[4];
        put_addr(out, ERASE_SECTOR, addr + done);
        error = enable_write(f, addr + done, diag);
        if (!error) error = command(f, out, sizeof out, NULL, 0, diag);
        if (!error) error = wait_done(f, f->chip->erase_ms, addr + done, diag);
        if (!error) error = crl_board_step(f->watch, f->pipe->doing, done + CRL_FLASH_SECTOR, count, diag);
    }
    return error;
}

int crl_flash_program(struct crl_flash *f, uint32_t addr, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    int error = check_range(f, addr, count, diag);
    f->pipe->doing = "writing the flash";
    for (size_t done = 0; done < count && !error;) {
        uint32_t at = addr + (uint32_t)done;
        size_t n = CRL_FLASH_PAGE - at % CRL_FLASH_PAGE; // a page does not run into the next
        if (n > count - done) n = count - done;
        uint8_t out[4 + CRL_FLASH_PAGE];
        put_addr(out, PROGRAM_PAGE, at);
        memcpy(out + 4, bytes + done, n);
        error = enable_write(f, at, diag);
        if (!error) error = command(f, out, 4 + n, NULL, 0, diag);
        if (!error) error = wait_done(f, f->chip->program_ms, at, diag);
        done += n;
        if (!error) error = crl_board_step(f->watch, f->pipe->doing, done, count, diag);
    }
    return error;
}

int crl_flash_verify(struct crl_flash *f, uint32_t addr, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    uint8_t found[CRL_FLASH_SECTOR];
    int error = check_range(f, addr, count, diag);
    f->pipe->doing = "verifying the flash";
    for (size_t done = 0; done < count && !error;) {
        size_t n = count - done < sizeof found ? count - done : sizeof found;
        error = read_some(f, addr + (uint32_t)done, found, n, diag);
        for (size_t i = 0; i < n && !error; i++)
            if (found[i] != bytes[done + i])
                error = crl_fail(diag, CRL_ERR_MISMATCH, "the flash holds %02x at 0x%06zx where %02x was written",
                                 found[i], addr + done + i, bytes[done + i]);
        done += n;
        if (!error) error = crl_board_step(f->watch, f->pipe->doing, done, count, diag);
    }
    return error;
}
