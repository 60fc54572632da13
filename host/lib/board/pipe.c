// SPDX-License-Identifier: Apache-2.0
// One claimed interface: several IN transfers are under way all the time, so that the chip's buffer never runs over
// while the program is busy; what they bring waits in a queue.
#include "board/ftdi.h"
#include "board/watch.h"
#include "base/base.h"
#include <libusb.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSFERS = 4,
    TRANSFER_BYTES = 4096,
    QUEUE_MAX = 1 << 22, // nothing that a board is asked for is longer
    CONTROL_MS = 1000,
    WRITE_MS = 2000,
    CANCEL_MS = 2000,
};

struct usb_pipe;

struct in_transfer {
    struct usb_pipe *owner;
    struct libusb_transfer *transfer;
    bool flying;
    uint8_t bytes[TRANSFER_BYTES];
};

struct usb_pipe {
    struct crl_pipe pipe;
    struct crl_usb *usb;
    uint8_t in, out; // endpoints
    size_t packet;
    bool claimed, had_driver, closing;
    int failed; // libusb's code of the first IN transfer that failed
    uint8_t *queue;
    size_t first, filled, capacity;
    struct in_transfer transfers[TRANSFERS];
};

static struct usb_pipe *self(struct crl_pipe *pipe) { return pipe->self; }

// ---- IN transfers

static int take_bytes(struct usb_pipe *p, uint8_t *bytes, size_t count)
{
    count = crl_ftdi_strip(bytes, count, p->packet);
    if (p->first == p->filled) p->first = p->filled = 0;
    if (count > QUEUE_MAX - p->filled) return LIBUSB_ERROR_OVERFLOW;
    return CRL_APPEND(p->queue, p->capacity, p->filled, bytes, count) ? LIBUSB_ERROR_NO_MEM : 0;
}

static int error_of(enum libusb_transfer_status status)
{
    switch (status) {
    case LIBUSB_TRANSFER_COMPLETED: return 0;
    case LIBUSB_TRANSFER_STALL: return LIBUSB_ERROR_PIPE;
    case LIBUSB_TRANSFER_NO_DEVICE: return LIBUSB_ERROR_NO_DEVICE;
    case LIBUSB_TRANSFER_OVERFLOW: return LIBUSB_ERROR_OVERFLOW;
    case LIBUSB_TRANSFER_TIMED_OUT: return LIBUSB_ERROR_TIMEOUT;
    default: return LIBUSB_ERROR_IO;
    }
}

static void submit(struct in_transfer *in)
{
    int error = libusb_submit_transfer(in->transfer);
    in->flying = !error;
    if (error && !in->owner->failed) in->owner->failed = error;
}

static void LIBUSB_CALL on_in(struct libusb_transfer *transfer)
{
    struct in_transfer *in = transfer->user_data;
    struct usb_pipe *p = in->owner;
    in->flying = false;
    int error = error_of(transfer->status);
    if (p->closing) {
        if (error == LIBUSB_ERROR_PIPE) p->failed = error; // the endpoint is halted
        return;
    }
    if (!error) error = take_bytes(p, in->bytes, (size_t)transfer->actual_length);
    if (error && !p->failed) p->failed = error;
    if (!p->failed) submit(in);
}

static int start_reading(struct usb_pipe *p)
{
    for (int i = 0; i < TRANSFERS && !p->failed; i++) {
        struct in_transfer *in = &p->transfers[i];
        in->owner = p;
        in->transfer = libusb_alloc_transfer(0);
        if (!in->transfer) return p->failed = LIBUSB_ERROR_NO_MEM;
        libusb_fill_bulk_transfer(in->transfer, p->usb->handle, p->in, in->bytes, TRANSFER_BYTES, on_in, in, 0);
        submit(in);
    }
    return p->failed;
}

static bool any_flying(const struct usb_pipe *p)
{
    for (int i = 0; i < TRANSFERS; i++)
        if (p->transfers[i].flying) return true;
    return false;
}

// Lets libusb work until something happens, at most until `deadline`. False when that has passed, or nothing more can
// happen.
static bool handle_events(struct usb_pipe *p, uint64_t deadline)
{
    uint64_t now = crl_now_ms();
    if (now >= deadline) return false;
    struct timeval wait = {(time_t)((deadline - now) / 1000), (suseconds_t)((deadline - now) % 1000 * 1000)};
    int error = libusb_handle_events_timeout_completed(p->usb->context, &wait, NULL);
    if (!error || error == LIBUSB_ERROR_INTERRUPTED) return true;
    if (!p->failed) p->failed = error;
    return false;
}

static void stop_reading(struct usb_pipe *p)
{
    p->closing = true;
    for (int i = 0; i < TRANSFERS; i++)
        if (p->transfers[i].flying) libusb_cancel_transfer(p->transfers[i].transfer);
    uint64_t deadline = crl_now_ms() + CANCEL_MS;
    while (any_flying(p) && handle_events(p, deadline)) continue;
}

// ---- what the layers above call

static int pipe_control(struct crl_pipe *pipe, uint8_t request, uint16_t value, uint8_t high, struct crl_diag *diag)
{
    uint8_t type = (uint8_t)LIBUSB_REQUEST_TYPE_VENDOR | (uint8_t)LIBUSB_RECIPIENT_DEVICE | LIBUSB_ENDPOINT_OUT;
    uint16_t index = (uint16_t)(high << 8 | (pipe->interface + 1));
    int error = libusb_control_transfer(self(pipe)->usb->handle, type, request, value, index, NULL, 0, CONTROL_MS);
    return error < 0 ? crl_usb_fail(diag, error, pipe->doing) : 0;
}

static int pipe_write(struct crl_pipe *pipe, const uint8_t *bytes, size_t count, struct crl_diag *diag)
{
    struct usb_pipe *p = self(pipe);
    while (count) {
        int sent = 0, length = count > TRANSFER_BYTES ? TRANSFER_BYTES : (int)count;
        int error = libusb_bulk_transfer(p->usb->handle, p->out, (unsigned char *)bytes, length, &sent, WRITE_MS);
        if (!error && !sent) error = LIBUSB_ERROR_IO;
        if (error == LIBUSB_ERROR_PIPE) libusb_clear_halt(p->usb->handle, p->out); // for whoever comes next
        if (error) return crl_usb_fail(diag, error, pipe->doing);
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

static int pipe_read(struct crl_pipe *pipe, uint8_t *bytes, size_t size, size_t *got, uint32_t timeout_ms,
                     struct crl_diag *diag)
{
    struct usb_pipe *p = self(pipe);
    uint64_t deadline = crl_now_ms() + timeout_ms;
    while (p->first == p->filled && !p->failed && handle_events(p, deadline)) continue;
    *got = p->filled - p->first < size ? p->filled - p->first : size;
    if (*got) memcpy(bytes, p->queue + p->first, *got);
    p->first += *got;
    return *got || !p->failed ? 0 : crl_usb_fail(diag, p->failed, pipe->doing);
}

// ---- claim and release

static int find_endpoints(struct usb_pipe *p)
{
    struct libusb_config_descriptor *config;
    int error = libusb_get_active_config_descriptor(libusb_get_device(p->usb->handle), &config);
    if (error) return error;
    if (p->pipe.interface < config->bNumInterfaces && config->interface[p->pipe.interface].num_altsetting > 0) {
        const struct libusb_interface_descriptor *d = &config->interface[p->pipe.interface].altsetting[0];
        for (int i = 0; i < d->bNumEndpoints; i++) {
            const struct libusb_endpoint_descriptor *e = &d->endpoint[i];
            if ((e->bmAttributes & LIBUSB_TRANSFER_TYPE_MASK) != LIBUSB_TRANSFER_TYPE_BULK) continue;
            if (e->bEndpointAddress & LIBUSB_ENDPOINT_IN) {
                p->in = e->bEndpointAddress;
                p->packet = e->wMaxPacketSize;
            } else p->out = e->bEndpointAddress;
        }
    }
    libusb_free_config_descriptor(config);
    return p->in && p->out && p->packet ? 0 : LIBUSB_ERROR_NOT_FOUND;
}

static int take_interface(struct usb_pipe *p)
{
    int interface = p->pipe.interface;
    p->had_driver = libusb_kernel_driver_active(p->usb->handle, interface) == 1;
    if (p->had_driver) {
        int error = libusb_detach_kernel_driver(p->usb->handle, interface);
        if (error && error != LIBUSB_ERROR_NOT_FOUND) { // it left by itself
            p->had_driver = false;
            return error;
        }
    }
    int error = libusb_claim_interface(p->usb->handle, interface);
    p->claimed = !error;
    return error;
}

int crl_usb_claim(struct crl_usb *usb, uint8_t interface, struct crl_pipe **out, struct crl_diag *diag)
{
    *out = NULL;
    struct usb_pipe *p = calloc(1, sizeof *p);
    if (!p) return crl_fail_memory(diag);
    const char *doing = interface ? "opening the serial port" : "opening the flash programmer";
    p->pipe = (struct crl_pipe){p, interface, doing, pipe_control, pipe_write, pipe_read};
    p->usb = usb;
    int error = find_endpoints(p);
    if (!error) error = take_interface(p);
    if (error) error = crl_usb_fail(diag, error, p->pipe.doing);
    // Before the first transfer, which would else bring answers that a killed program has left behind.
    if (!error) error = crl_ftdi_reset(&p->pipe, diag);
    if (!error && start_reading(p)) error = crl_usb_fail(diag, p->failed, p->pipe.doing);
    if (error) crl_usb_release(&p->pipe);
    else *out = &p->pipe;
    return error;
}

void crl_usb_release(struct crl_pipe *pipe)
{
    if (!pipe) return;
    struct usb_pipe *p = self(pipe);
    stop_reading(p);
    if (p->failed == LIBUSB_ERROR_PIPE) libusb_clear_halt(p->usb->handle, p->in); // for whoever comes next
    if (p->claimed) libusb_release_interface(p->usb->handle, pipe->interface);
    if (p->had_driver) libusb_attach_kernel_driver(p->usb->handle, pipe->interface);
    bool lost = any_flying(p); // not even cancelling came back: libusb may still write there
    for (int i = 0; i < TRANSFERS; i++)
        if (p->transfers[i].transfer && !p->transfers[i].flying) libusb_free_transfer(p->transfers[i].transfer);
    free(p->queue);
    if (!lost) free(p);
}
