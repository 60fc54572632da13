// SPDX-License-Identifier: Apache-2.0
// A stand-in of an FT2232H that exists only in usbfs, shown by umockdev to the unmodified libusb in this process;
// behind it the stand-ins of a flash chip and of a board's design. One of its transfers fails as asked.
#ifndef USB_DEVICE_H
#define USB_DEVICE_H

#include "../unit/unit_design.h"
#include "../unit/unit_flash.h"
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <time.h>
#include <umockdev.h>

enum fault {
    NO_FAULT,
    UNPLUG,  // this transfer and all after it fail
    STALL,   // this one is refused
    GARBLED, // this one fails on the wire
    SHORT,   // half of it arrives
    NEVER,   // this one and all after it on its endpoint are never answered
    FAULTS
};

enum { INTERFACES = 2, URBS = 32, PACKET = 512 };

struct device {
    UMockdevIoctlBase *handler;
    char node[32], serial[16], product[32];
    struct fake_flash flash;
    struct fake_link link;
    struct design design;
    bool gone, driver[INTERFACES], claimed[INTERFACES], busy;
    int detached, attached;
    long transfers, fail_at;
    enum fault fault;
    int silent; // endpoint that never answers, or -1
    struct {
        UMockdevIoctlData *urb;
        bool done;
    } urbs[URBS]; // in the order of their submission
    int count;
};

static UMockdevTestbed *testbed;

static inline struct usbdevfs_urb *urb_of(UMockdevIoctlData *data) { return (struct usbdevfs_urb *)data->data; }

static UMockdevIoctlData *buffer_of(UMockdevIoctlData *data)
{
    return umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer), urb_of(data)->buffer_length,
                                       NULL);
}

static inline void finish(struct device *d, int at, int status, int length)
{
    urb_of(d->urbs[at].urb)->status = status;
    urb_of(d->urbs[at].urb)->actual_length = length;
    d->urbs[at].done = true;
}

// The fault that befalls the transfer at hand.
static inline enum fault fault_now(struct device *d) { return d->transfers++ == d->fail_at ? d->fault : NO_FAULT; }

static inline bool apply(struct device *d, int at, enum fault fault)
{
    if (fault == UNPLUG) d->gone = true;
    else if (fault == STALL) finish(d, at, -EPIPE, 0);
    else if (fault == GARBLED) finish(d, at, -EPROTO, 0);
    else if (fault == NEVER) d->silent = urb_of(d->urbs[at].urb)->endpoint;
    return fault != NO_FAULT && fault != SHORT;
}

static inline void string_descriptor(const struct device *d, int index, uint8_t *out, int size, int *length)
{
    const char *text = index == 1 ? "somebody" : index == 2 ? d->product : d->serial;
    uint8_t all[255] = {0, 3, 0x09, 0x04};
    int n = 4;
    if (index)
        for (n = 2; text[n / 2 - 1]; n += 2) {
            all[n] = (uint8_t)text[n / 2 - 1];
            all[n + 1] = 0;
        }
    all[0] = (uint8_t)n;
    *length = n < size ? n : size;
    memcpy(out, all, (size_t)*length);
}

static inline void do_control(struct device *d, int at, uint8_t *setup)
{
    struct crl_diag diag;
    uint16_t value = (uint16_t)(setup[2] | setup[3] << 8), length = (uint16_t)(setup[6] | setup[7] << 8);
    int got = 0;
    if (setup[0] == 0x80 && setup[1] == 6 && setup[3] == 3) {
        string_descriptor(d, setup[2], setup + 8, length, &got);
    } else if (setup[0] == 0x40) {
        if (apply(d, at, fault_now(d))) return;
        struct crl_pipe *pipe = setup[4] == 1 ? &d->flash.pipe : &d->link.pipe;
        pipe->control(pipe, setup[1], value, setup[5], &diag);
    }
    finish(d, at, 0, got);
}

static inline void do_out(struct device *d, int at, const uint8_t *bytes, int length)
{
    struct crl_diag diag;
    enum fault fault = fault_now(d);
    if (apply(d, at, fault)) return;
    if (fault == SHORT && length > 1) length /= 2;
    struct crl_pipe *pipe = urb_of(d->urbs[at].urb)->endpoint == 0x02 ? &d->flash.pipe : &d->link.pipe;
    pipe->write(pipe, bytes, (size_t)length, &diag);
    finish(d, at, 0, length);
}

// What there is for an IN transfer, in packets with two bytes of status in front.
static inline void try_in(struct device *d, int at, uint8_t *bytes, int size)
{
    struct crl_diag diag;
    struct crl_pipe *pipe = urb_of(d->urbs[at].urb)->endpoint == 0x81 ? &d->flash.pipe : &d->link.pipe;
    int length = 0;
    while (length + PACKET <= size) {
        uint8_t data[PACKET - 2];
        size_t got;
        if (pipe->read(pipe, data, sizeof data, &got, 0, &diag) || !got) break;
        bytes[length] = 0x32;
        bytes[length + 1] = 0x60;
        memcpy(bytes + length + 2, data, got);
        length += (int)got + 2;
        if (got < sizeof data) break; // a short packet ends the transfer
    }
    if (!length) return; // not acknowledged yet
    enum fault fault = fault_now(d);
    if (apply(d, at, fault)) return;
    finish(d, at, 0, fault == SHORT ? length / 2 : length);
}

static inline void forget(struct device *d, int at)
{
    umockdev_ioctl_data_unref(d->urbs[at].urb);
    memmove(&d->urbs[at], &d->urbs[at + 1], sizeof d->urbs[0] * (size_t)(d->count - at - 1));
    d->count--;
}

static inline void work(struct device *d)
{
    for (int i = 0; i < d->count; i++) {
        if (d->urbs[i].done) continue;
        struct usbdevfs_urb *urb = urb_of(d->urbs[i].urb);
        if (d->gone) {
            finish(d, i, -ESHUTDOWN, 0);
            continue;
        }
        if (urb->endpoint == d->silent) continue;
        UMockdevIoctlData *buffer = buffer_of(d->urbs[i].urb);
        if (urb->type == USBDEVFS_URB_TYPE_CONTROL) do_control(d, i, buffer->data);
        else if (!(urb->endpoint & 0x80)) do_out(d, i, buffer->data, urb->buffer_length);
        else try_in(d, i, buffer->data, urb->buffer_length);
        umockdev_ioctl_data_unref(buffer);
    }
}

static inline int reap(struct device *d, UMockdevIoctlData *arg)
{
    work(d);
    for (int i = 0; i < d->count; i++)
        if (d->urbs[i].done) {
            UMockdevIoctlData *where = umockdev_ioctl_data_resolve(arg, 0, sizeof(void *), NULL);
            umockdev_ioctl_data_set_ptr(where, 0, d->urbs[i].urb);
            umockdev_ioctl_data_unref(where);
            forget(d, i);
            return 0;
        }
    if (d->gone) return ENODEV;
    nanosleep(&(struct timespec){0, 200000}, NULL); // libusb asks again at once
    return EAGAIN;
}

static inline int submit(struct device *d, UMockdevIoctlData *arg)
{
    UMockdevIoctlData *urb = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
    if (d->gone || d->count == URBS) {
        umockdev_ioctl_data_unref(urb);
        return ENODEV;
    }
    d->urbs[d->count].urb = urb;
    d->urbs[d->count++].done = false;
    work(d);
    return 0;
}

static inline int discard(struct device *d, unsigned long address)
{
    for (int i = 0; i < d->count; i++)
        if (d->urbs[i].urb->client_addr == address && !d->urbs[i].done) {
            finish(d, i, -ENOENT, 0);
            return 0;
        }
    return EINVAL;
}

static inline int change_driver(struct device *d, const struct usbdevfs_ioctl *command)
{
    bool disconnect = command->ioctl_code == (int)USBDEVFS_DISCONNECT;
    if (d->driver[command->ifno] != disconnect) return ENODATA;
    d->driver[command->ifno] = !disconnect;
    if (disconnect) d->detached++;
    else d->attached++;
    return 0;
}

static inline gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user)
{
    struct device *d = user;
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client), *data = NULL;
    gulong request = umockdev_ioctl_client_get_request(client);
    int error = 0;
    (void)base;
    if (d->gone && request != USBDEVFS_REAPURBNDELAY && request != USBDEVFS_DISCARDURB) error = ENODEV;
    else switch (request) {
        case USBDEVFS_GET_CAPABILITIES:
            data = umockdev_ioctl_data_resolve(arg, 0, 4, NULL);
            *(uint32_t *)data->data = USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
            break;
        case USBDEVFS_GETDRIVER: {
            data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_getdriver), NULL);
            struct usbdevfs_getdriver *get = (struct usbdevfs_getdriver *)data->data;
            if (d->driver[get->interface]) strcpy(get->driver, "ftdi_sio");
            else error = ENODATA;
            break;
        }
        case USBDEVFS_IOCTL:
            data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_ioctl), NULL);
            error = change_driver(d, (struct usbdevfs_ioctl *)data->data);
            break;
        case USBDEVFS_CLAIMINTERFACE:
            data = umockdev_ioctl_data_resolve(arg, 0, 4, NULL);
            if (d->busy || d->driver[*(uint32_t *)data->data]) error = EBUSY;
            else d->claimed[*(uint32_t *)data->data] = true;
            break;
        case USBDEVFS_RELEASEINTERFACE:
            data = umockdev_ioctl_data_resolve(arg, 0, 4, NULL);
            d->claimed[*(uint32_t *)data->data] = false;
            break;
        case USBDEVFS_SUBMITURB: error = submit(d, arg); break;
        case USBDEVFS_REAPURBNDELAY: error = reap(d, arg); break;
        case USBDEVFS_DISCARDURB: error = discard(d, *(gulong *)arg->data); break;
        case USBDEVFS_CLEAR_HALT: break;
        default: error = ENOTTY;
        }
    if (data) umockdev_ioctl_data_unref(data);
    umockdev_ioctl_client_complete(client, error ? -1 : 0, error);
    return TRUE;
}

// ---- attaching

static const uint8_t descriptors[] = {
    18, 1, 0,  2, 0, 0,   0,   64,   0x03, 0x04, 0x10, 0x60, 0, 7, 1, 2, 3, 1, // device
    9,  2, 55, 0, 2, 1,   0,   0x80, 250,                                      // configuration
    9,  4, 0,  0, 2, 255, 255, 255,  0,    7,    5,    0x81, 2, 0, 2, 0, 7, 5, 0x02, 2, 0, 2, 0,
    9,  4, 1,  0, 2, 255, 255, 255,  0,    7,    5,    0x83, 2, 0, 2, 0, 7, 5, 0x04, 2, 0, 2, 0};

// An icebreaker that will be given this image to play.
static inline struct device *attach(int number, const char *product, const char *serial, const struct crl_image *image,
                                    const struct crl_problem *problem)
{
    struct device *d = calloc(1, sizeof *d);
    char text[2048], hex[2 * sizeof descriptors + 1];
    GError *error = NULL;
    assert_non_null(d);
    fake_open(&d->flash);
    design_open(&d->design, &d->link, 0, image, problem);
    d->fail_at = d->silent = -1;
    snprintf(d->product, sizeof d->product, "%s", product);
    snprintf(d->serial, sizeof d->serial, "%s", serial);
    snprintf(d->node, sizeof d->node, "/dev/bus/usb/001/%03d", number);
    for (size_t i = 0; i < sizeof descriptors; i++) sprintf(hex + 2 * i, "%02X", descriptors[i]);
    snprintf(text, sizeof text,
             "P: /devices/usb1/1-%d\nN: bus/usb/001/%03d\nE: DEVNAME=%s\nE: SUBSYSTEM=usb\nE: DEVTYPE=usb_device\n"
             "E: BUSNUM=001\nE: DEVNUM=%03d\nA: busnum=1\\n\nA: devnum=%d\\n\nA: bConfigurationValue=1\\n\n"
             "A: speed=480\\n\nA: idVendor=0403\\n\nA: idProduct=6010\\n\nH: descriptors=%s\n",
             number, number, d->node, number, number, hex);
    if (!umockdev_testbed_add_from_string(testbed, text, &error)) fail_msg("%s", error->message);
    d->handler = umockdev_ioctl_base_new();
    g_signal_connect(d->handler, "handle-ioctl", G_CALLBACK(on_ioctl), d);
    if (!umockdev_testbed_attach_ioctl(testbed, d->node, d->handler, &error)) fail_msg("%s", error->message);
    return d;
}

static inline void detach(struct device *d, int number)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/usb1/1-%d", number);
    umockdev_testbed_detach_ioctl(testbed, d->node, NULL);
    umockdev_testbed_remove_device(testbed, path);
    g_object_unref(d->handler);
    while (d->count) forget(d, 0);
    fake_close(&d->flash);
    free(d);
}

// Everything is as it was before: no transfer under way, interfaces free, the drivers that were there there.
static inline void assert_left_as_found(const struct device *d, bool driver)
{
    assert_int_equal(d->count, 0);
    for (int i = 0; i < INTERFACES; i++) {
        assert_false(d->claimed[i]);
        assert_int_equal(d->driver[i], driver);
    }
    assert_int_equal(d->flash.mode, 0);
    assert_int_equal(d->flash.outputs, 0);
}

#endif
