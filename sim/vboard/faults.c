// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How the rest of a fault is written. */
enum form { FORM_TRANSFERS, FORM_PLAIN, FORM_NUMBER, FORM_BIT };

static bool set_deny(struct crl_vfaults *faults, uint64_t n) { return faults->deny = true, !n; }

static bool set_wrong_id(struct crl_vfaults *faults, uint64_t n)
{
    faults->flash.wrong_id = true;
    faults->flash.id = (uint32_t)n;
    return n <= 0xFFFFFF;
}

static bool set_stuck_busy(struct crl_vfaults *faults, uint64_t n) { return faults->flash.stuck_busy = true, !n; }

static bool set_ignore_writes(struct crl_vfaults *faults, uint64_t n) { return faults->flash.ignore_writes = true, !n; }

static bool set_flip_read(struct crl_vfaults *faults, uint64_t n) { return (faults->flash.flip_read = n) > 0; }

static bool set_flip_write(struct crl_vfaults *faults, uint64_t n) { return (faults->flash.flip_write = n) > 0; }

static bool set_power_cut(struct crl_vfaults *faults, uint64_t n)
{
    faults->flash.power_cut = true;
    faults->flash.cut_at = n;
    return true;
}

/* n: bit number of the array, times 2, plus the value. */
static bool set_stuck_bit(struct crl_vfaults *faults, uint64_t n)
{
    faults->flash.stuck_bit = true;
    faults->flash.stuck_at = (uint32_t)(n / 16);
    faults->flash.stuck_mask = (uint8_t)(1u << (n / 2 % 8));
    faults->flash.stuck_value = n & 1 ? faults->flash.stuck_mask : 0;
    return n / 16 <= UINT32_MAX;
}

static const struct {
    const char *name;
    enum form form;
    enum crl_vfault_kind kind;
    bool (*set)(struct crl_vfaults *faults, uint64_t n);
} rows[] = {
    {"unplug", FORM_TRANSFERS, CRL_VFAULT_UNPLUG, NULL},
    {"replace", FORM_TRANSFERS, CRL_VFAULT_REPLACE, NULL},
    {"error", FORM_TRANSFERS, CRL_VFAULT_ERROR, NULL},
    {"stall", FORM_TRANSFERS, CRL_VFAULT_STALL, NULL},
    {"short", FORM_TRANSFERS, CRL_VFAULT_SHORT, NULL},
    {"nak", FORM_TRANSFERS, CRL_VFAULT_NAK, NULL},
    {"corrupt", FORM_TRANSFERS, CRL_VFAULT_CORRUPT, NULL},
    {"deny", FORM_PLAIN, 0, set_deny},
    {"power-cut", FORM_NUMBER, 0, set_power_cut},
    {"flash-id", FORM_NUMBER, 0, set_wrong_id},
    {"stuck-busy", FORM_PLAIN, 0, set_stuck_busy},
    {"ignore-writes", FORM_PLAIN, 0, set_ignore_writes},
    {"stuck-bit", FORM_BIT, 0, set_stuck_bit},
    {"flip-read", FORM_NUMBER, 0, set_flip_read},
    {"flip-write", FORM_NUMBER, 0, set_flip_write},
};

const char *crl_vfaults_help(void)
{
    return "  unplug@N        the board is pulled out at transfer N (all transfers count, from 1)\n"
           "  replace@N       at transfer N it is pulled out, and another one plugged in, numbered behind all others\n"
           "  error@N         transfer N fails on the cable; error@N-M: N to M; error@N-: N and all later ones\n"
           "  stall@N         transfer N is refused; the endpoint stays halted until it is cleared\n"
           "  short@N         the second half of transfer N is lost\n"
           "  nak@N           transfer N is never answered\n"
           "  corrupt@N       one bit of transfer N is wrong\n"
           "  deny            the device may not be opened\n"
           "  power-cut=N     the power goes after N units of work of the flash: a byte programmed is 1, a sector\n"
           "                  of 4 KiB erased 16; the board is gone, and what was under work is torn\n"
           "  flash-id=N      the flash tells another identity, as 0xEF4018\n"
           "  stuck-busy      what the flash begins never ends\n"
           "  ignore-writes   the flash neither programs nor erases\n"
           "  stuck-bit=A.B=V bit B of byte A of the flash is V, always\n"
           "  flip-read=N     every Nth byte read from the flash has a bit wrong\n"
           "  flip-write=N    every Nth byte programmed has a bit wrong\n";
}

static bool number(const char **text, uint64_t *value)
{
    char *end;

    if (**text < '0' || **text > '9') return false;
    errno = 0;
    *value = strtoull(*text, &end, 0);
    *text = end;
    return !errno;
}

static bool add_transfers(struct crl_vfaults *faults, enum crl_vfault_kind kind, const char *text)
{
    struct crl_vfault fault = {.kind = kind};

    if (faults->transfers == CRL_VFAULTS_MAX || *text++ != '@' || !number(&text, &fault.from) || !fault.from)
        return false;
    fault.to = fault.from;
    if (*text == '-') {
        text++;
        if (!*text) fault.to = UINT64_MAX;
        else if (!number(&text, &fault.to)) return false;
    }
    if (*text || fault.to < fault.from) return false;
    faults->transfer[faults->transfers++] = fault;
    faults->replace |= kind == CRL_VFAULT_REPLACE;
    return true;
}

bool crl_vfaults_add(struct crl_vfaults *faults, const char *text)
{
    const size_t name = strcspn(text, "@=");
    uint64_t n = 0, bit, value;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != name || strncmp(rows[i].name, text, name)) continue;
        text += name;
        if (rows[i].form == FORM_TRANSFERS) return add_transfers(faults, rows[i].kind, text);
        if (rows[i].form != FORM_PLAIN && (*text++ != '=' || !number(&text, &n))) return false;
        if (rows[i].form == FORM_BIT) {
            if (*text++ != '.' || !number(&text, &bit) || bit > 7) return false;
            if (*text++ != '=' || !number(&text, &value) || value > 1) return false;
            n = 16 * n + 2 * bit + value;
        }
        return !*text && rows[i].set(faults, n);
    }
    return false;
}

enum crl_vfault_kind crl_vfaults_at(const struct crl_vfaults *faults, uint64_t n)
{
    for (int i = 0; i < faults->transfers; i++)
        if (n >= faults->transfer[i].from && n <= faults->transfer[i].to) return faults->transfer[i].kind;
    return CRL_VFAULT_NONE;
}
