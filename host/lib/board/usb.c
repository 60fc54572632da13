// SPDX-License-Identifier: Apache-2.0
// Which boards are attached, and which of them is meant; libusb's errors in our words.
#include "board/usb.h"
#include "base/base.h"
#include <libusb.h>
#include <stdlib.h>
#include <string.h>

int crl_usb_fail(struct crl_diag *diag, int code, const char *doing)
{
    switch (code) {
    case LIBUSB_ERROR_NO_DEVICE:
        return crl_fail(diag, CRL_ERR_DEVICE, "the board is gone: unplugged or switched off while %s", doing);
    case LIBUSB_ERROR_TIMEOUT:
        return crl_fail(diag, CRL_ERR_DEVICE, "the board does not answer: time-out while %s", doing);
    case LIBUSB_ERROR_PIPE:
        return crl_fail(diag, CRL_ERR_DEVICE, "the board refused a USB transfer (stall) while %s", doing);
    case LIBUSB_ERROR_OVERFLOW:
        return crl_fail(diag, CRL_ERR_DEVICE, "the board sent more than it was asked for while %s", doing);
    case LIBUSB_ERROR_BUSY:
        return crl_fail(diag, CRL_ERR_DEVICE, "another program uses the board: %s is not possible until it ends",
                        doing);
    case LIBUSB_ERROR_ACCESS: return crl_fail(diag, CRL_ERR_DEVICE, "no permission to use the board while %s", doing);
    case LIBUSB_ERROR_NO_MEM: return crl_fail_memory(diag);
    default: return crl_fail(diag, CRL_ERR_DEVICE, "USB error while %s: %s", doing, libusb_strerror(code));
    }
}

int crl_pipe_read_all(struct crl_pipe *pipe, uint8_t *bytes, size_t count, uint32_t timeout_ms, struct crl_diag *diag)
{
    size_t have = 0;
    while (have < count) {
        size_t got;
        int error = pipe->read(pipe, bytes + have, count - have, &got, timeout_ms, diag);
        if (error) return error;
        if (!got) return crl_usb_fail(diag, LIBUSB_ERROR_TIMEOUT, pipe->doing);
        have += got;
    }
    return 0;
}

// ---- which boards there are

static const struct crl_board_kind *kind_of(uint16_t vendor, uint16_t product, const char *name)
{
    size_t count;
    const struct crl_board_kind *kinds = crl_board_kinds(&count);
    for (size_t i = 0; i < count; i++)
        if (kinds[i].usb_vendor == vendor && kinds[i].usb_product == product &&
            (!name || !strncmp(name, kinds[i].usb_name, strlen(kinds[i].usb_name))))
            return &kinds[i];
    return NULL;
}

// "" if the device has no such string. Returns 0 or libusb's code.
static int get_string(libusb_device_handle *handle, uint8_t index, char *text, size_t size)
{
    text[0] = 0;
    if (!index) return 0;
    int length = libusb_get_string_descriptor_ascii(handle, index, (unsigned char *)text, (int)size);
    if (length < 0) text[0] = 0;
    return length < 0 ? length : 0;
}

// Whether `device` is, or could be, a board. Others with the same bridge chip are none.
static bool look_at(libusb_device *device, struct crl_board_found *found)
{
    struct libusb_device_descriptor d;
    libusb_device_handle *handle;
    char name[128];
    *found = (struct crl_board_found){0};
    if (libusb_get_device_descriptor(device, &d) || !kind_of(d.idVendor, d.idProduct, NULL)) return false;
    snprintf(found->place, sizeof found->place, "%03u:%03u", libusb_get_bus_number(device),
             libusb_get_device_address(device));
    int error = libusb_open(device, &handle);
    found->denied = error == LIBUSB_ERROR_ACCESS;
    if (error) return error != LIBUSB_ERROR_NO_DEVICE; // it went away meanwhile
    error = get_string(handle, d.iProduct, name, sizeof name);
    if (!error) error = get_string(handle, d.iSerialNumber, found->serial, sizeof found->serial);
    libusb_close(handle);
    if (error == LIBUSB_ERROR_NO_DEVICE) return false;
    if (!error) found->kind = kind_of(d.idVendor, d.idProduct, name);
    return error || found->kind;
}

// Everything that is attached, and which of it are boards; ended by free_bus.
struct candidate {
    struct crl_board_found found;
    libusb_device *device;
};

struct bus {
    libusb_context *context;
    libusb_device **devices;
    struct candidate *boards; // [count] in the order of their places
    size_t count;
};

static void free_bus(struct bus *bus)
{
    free(bus->boards);
    if (bus->devices) libusb_free_device_list(bus->devices, 1);
    if (bus->context) libusb_exit(bus->context);
    *bus = (struct bus){0};
}

static int by_place(const void *a, const void *b)
{
    return strcmp(((const struct candidate *)a)->found.place, ((const struct candidate *)b)->found.place);
}

static int scan(struct bus *bus, struct crl_diag *diag)
{
    static const char doing[] = "looking for boards";
    *bus = (struct bus){0};
    int error = libusb_init(&bus->context);
    if (error) {
        bus->context = NULL;
        return crl_usb_fail(diag, error, doing);
    }
    ssize_t devices = libusb_get_device_list(bus->context, &bus->devices);
    if (devices < 0) {
        bus->devices = NULL;
        return crl_usb_fail(diag, (int)devices, doing);
    }
    bus->boards = calloc((size_t)devices + 1, sizeof *bus->boards);
    if (!bus->boards) return crl_fail_memory(diag);
    for (size_t i = 0; i < (size_t)devices; i++) {
        bus->boards[bus->count].device = bus->devices[i];
        if (look_at(bus->devices[i], &bus->boards[bus->count].found)) bus->count++;
    }
    qsort(bus->boards, bus->count, sizeof *bus->boards, by_place);
    return 0;
}

int crl_board_list(struct crl_board_found **out, size_t *count, struct crl_diag *diag)
{
    struct bus bus;
    int error = scan(&bus, diag);
    *count = error ? 0 : bus.count;
    *out = error ? NULL : calloc(bus.count + 1, sizeof **out);
    if (!error && !*out) error = crl_fail_memory(diag);
    for (size_t i = 0; !error && i < bus.count; i++) (*out)[i] = bus.boards[i].found;
    free_bus(&bus);
    return error;
}

// ---- which one is meant

static void name_boards(const struct bus *bus, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < bus->count && used < size; i++) {
        const struct crl_board_found *b = &bus->boards[i].found;
        const char *kind = b->kind ? b->kind->name : b->denied ? "no permission" : "does not answer";
        used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", i ? ", " : "",
                                 *b->serial ? b->serial : b->place, kind);
    }
}

int crl_board_none(struct crl_diag *diag)
{
    char titles[256];
    size_t used = 0, count;
    const struct crl_board_kind *kinds = crl_board_kinds(&count);
    for (size_t i = 0; i < count && used < sizeof titles; i++)
        used += (size_t)snprintf(titles + used, sizeof titles - used, "%s%s", i ? "; " : "", kinds[i].title);
    return crl_fail(diag, CRL_ERR_DEVICE, "no board found (of these: %s): is it plugged in and switched on?", titles);
}

int crl_board_unknown(const struct crl_board_found *board, struct crl_diag *diag)
{
    if (!board->denied)
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "the USB device at %s, which could be a board, does not answer: unplug it and plug it in again",
                        board->place);
    return crl_fail(diag, CRL_ERR_DEVICE,
                    "no permission to open the USB device at %s. Put this line into "
                    "/etc/udev/rules.d/60-carillon.rules, run 'sudo udevadm control --reload', and plug the board in "
                    "again:\n%s",
                    board->place, crl_board_udev_rule());
}

static bool is_named(const struct crl_board_found *board, const char *kind, const char *serial)
{
    if (kind && strcmp(board->kind->name, kind)) return false;
    return !serial || !strcmp(board->place, serial) || (*board->serial && !strcmp(board->serial, serial));
}

static int choose(const struct bus *bus, const char *kind, const char *serial, size_t *chosen, struct crl_diag *diag)
{
    char names[256];
    size_t matches = 0, unknown = bus->count;
    for (size_t i = 0; i < bus->count; i++) {
        if (!bus->boards[i].found.kind) {
            unknown = i;
        } else if (is_named(&bus->boards[i].found, kind, serial)) {
            *chosen = i;
            matches++;
        }
    }
    if (matches == 1) return 0;
    name_boards(bus, names, sizeof names);
    if (matches > 1 && serial)
        return crl_fail(diag, CRL_ERR_DEVICE,
                        "%zu boards have the serial number '%s'; name the bus and device number instead, as in "
                        "--serial %s",
                        matches, serial, bus->boards[*chosen].found.place);
    if (matches > 1)
        return crl_fail(diag, CRL_ERR_DEVICE, "%zu boards are attached; say which with --serial: %s", matches, names);
    if (unknown < bus->count) return crl_board_unknown(&bus->boards[unknown].found, diag);
    if (bus->count && serial)
        return crl_fail(diag, CRL_ERR_DEVICE, "no %s is called '%s'; attached: %s", kind ? kind : "board", serial,
                        names);
    if (bus->count) return crl_fail(diag, CRL_ERR_DEVICE, "no %s is attached, but %s", kind, names);
    return crl_board_none(diag);
}

int crl_usb_open(struct crl_usb *usb, const char *kind, const char *serial, struct crl_board_found *found,
                 struct crl_diag *diag)
{
    struct bus bus;
    size_t chosen = 0;
    *usb = (struct crl_usb){0};
    int error = scan(&bus, diag);
    if (!error) error = choose(&bus, kind, serial, &chosen, diag);
    if (!error) {
        *found = bus.boards[chosen].found;
        error = libusb_open(bus.boards[chosen].device, &usb->handle);
        if (error) error = crl_usb_fail(diag, error, "opening it");
    }
    if (!error) {
        usb->context = bus.context;
        bus.context = NULL; // stays open with the board
    }
    free_bus(&bus);
    return error;
}

void crl_usb_close(struct crl_usb *usb)
{
    if (usb->handle) libusb_close(usb->handle);
    if (usb->context) libusb_exit(usb->context);
    *usb = (struct crl_usb){0};
}
