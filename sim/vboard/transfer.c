// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <linux/usbdevice_fs.h>
#include <string.h>

enum {
    STEP_NS = 20000,           /* the board's time in one go, while a transfer waits */
    REAP_NS = 1000000,         /* at most, in one attempt to reap */
    REAP_WALL_US = 20000,      /* and of the wall clock */
    TALK_NS = 50000000,        /* at most, while bytes are on the serial line: a full buffer of the chip's */
    TRANSFER_NS = 125000,      /* a transfer takes a microframe */
    SILENCE_US = 20000,        /* a host that says nothing for this long means it */
    SILENCE_MAX_NS = 23000000, /* the design counts 22 ms */
    IDLE_MS = 1,               /* an empty-handed reap is answered so late: programs ask again at once */
};

/* A transfer that was submitted and not reaped. */
struct crl_vurb {
    UMockdevIoctlClient *client;
    UMockdevIoctlData *data, *buffer; /* struct usbdevfs_urb and what it points to */
    size_t moved;                     /* bytes of an OUT transfer that the chip took */
    uint64_t since_ns;                /* the board's time when it came */
    enum crl_vfault_kind fault;
};

static struct usbdevfs_urb *urb_of(const struct crl_vurb *urb) { return (struct usbdevfs_urb *)urb->data->data; }

static void urb_free(struct crl_vurb *urb)
{
    g_clear_object(&urb->buffer);
    g_object_unref(urb->data);
    g_free(urb);
}

static int channel_of(unsigned endpoint) { return (int)((endpoint & 0x0F) - 1) / 2; }

/* ---- carrying transfers out ---- */

static void finish(struct crl_vusb *usb, struct crl_vurb *urb, int status, size_t length)
{
    urb_of(urb)->status = status;
    urb_of(urb)->actual_length = (int)length;
    g_queue_remove(&usb->pending, urb);
    g_queue_push_tail(&usb->done, urb);
}

/*
 * The simulation is slower than a board. A host that was silent, to end a broken frame, must have been so for the
 * board, too: the board's time catches up with the wall clock before the next byte. What the board has answered was no
 * broken frame. Returns what the board's time has yet to catch up.
 */
static uint64_t silence_due(const struct crl_vusb *usb)
{
    const gint64 silent_us = g_get_monotonic_time() - usb->quiet_since_us;
    uint64_t due;

    if (!usb->quiet_since_us || silent_us < SILENCE_US) return 0;
    due = (uint64_t)silent_us * 1000;
    if (due > SILENCE_MAX_NS) due = SILENCE_MAX_NS;
    due += usb->quiet_since_ns;
    return due > usb->board->now_ns ? due - usb->board->now_ns : 0;
}

/* A device that has lost its cable or its power: what is under way ends with ESHUTDOWN, all else with ENODEV. */
static void disappear(struct crl_vusb *usb)
{
    if (usb->absent) return;
    usb->absent = true;
    while (usb->pending.head) finish(usb, usb->pending.head->data, -ESHUTDOWN, 0);
    usb->gone(usb);
}

/* A request on endpoint 0: bytes of the answer, or a negative errno. buffer: setup and data of an URB. */
static int control(struct crl_vusb *usb, const uint8_t setup[8], uint8_t *data, enum crl_vfault_kind fault)
{
    uint8_t answer[65536];
    const bool in = setup[0] & 0x80;
    int n;

    if (fault == CRL_VFAULT_ERROR) return -EPROTO;
    if (fault == CRL_VFAULT_STALL) return -EPIPE;
    n = crl_vftdi_control(&usb->board->ftdi, setup, answer);
    if (n < 0) return -EPIPE;
    if (fault == CRL_VFAULT_SHORT) n /= 2;
    if (fault == CRL_VFAULT_CORRUPT && n) answer[n / 2] ^= 1;
    if (in && n) memcpy(data, answer, (size_t)n);
    return in ? n : setup[6] | setup[7] << 8;
}

static bool halted(struct crl_vusb *usb, unsigned endpoint)
{
    const struct crl_vftdi_channel *channel = &usb->board->ftdi.channel[channel_of(endpoint)];

    return endpoint & 0x80 ? channel->halted_in : channel->halted_out;
}

void crl_vusb_halt(struct crl_vusb *usb, unsigned endpoint, bool on)
{
    struct crl_vftdi_channel *channel = &usb->board->ftdi.channel[channel_of(endpoint)];

    *(endpoint & 0x80 ? &channel->halted_in : &channel->halted_out) = on;
}

/* Tries a bulk OUT transfer: true when the chip has taken all of it. */
static bool bulk_out(struct crl_vusb *usb, struct crl_vurb *urb)
{
    const struct usbdevfs_urb *request = urb_of(urb);
    const int channel = channel_of(request->endpoint);
    size_t size = (size_t)request->buffer_length;

    if (urb->fault == CRL_VFAULT_SHORT) size /= 2;
    if (channel == 1 && size && !urb->moved) crl_vboard_run(usb->board, silence_due(usb));
    urb->moved += crl_vftdi_out(&usb->board->ftdi, channel, urb->buffer->data + urb->moved, size - urb->moved);
    if (channel == 1) {
        usb->quiet_since_us = g_get_monotonic_time();
        usb->quiet_since_ns = usb->board->now_ns;
    }
    return urb->moved == size;
}

/*
 * Whether a bulk IN transfer has something to give: a full packet, data after which nothing came, or the time is up.
 * That nothing came is not told while bytes are on the line, since it would tell a program how slow the simulation is.
 */
static bool in_ready(const struct crl_vusb *usb, const struct crl_vurb *urb)
{
    const struct crl_vboard *board = usb->board;
    const int channel = channel_of(urb_of(urb)->endpoint);
    const size_t waiting = crl_vftdi_waiting(&board->ftdi, channel);
    const uint64_t late = board->now_ns - urb->since_ns;

    if (late >= (uint64_t)board->ftdi.channel[channel].latency_ms * 1000000)
        return waiting || channel == 0 || !crl_vboard_talks(board) || late >= TALK_NS;
    if (channel == 0 || waiting >= CRL_VFTDI_PACKET - 2) return waiting;
    return waiting && !crl_vboard_talks(board);
}

static void bulk_in(struct crl_vusb *usb, struct crl_vurb *urb)
{
    const struct usbdevfs_urb *request = urb_of(urb);
    const int channel = channel_of(request->endpoint);
    size_t n = crl_vftdi_in(&usb->board->ftdi, channel, urb->buffer->data, (size_t)request->buffer_length);

    if (urb->fault == CRL_VFAULT_SHORT) n /= 2;
    if (urb->fault == CRL_VFAULT_CORRUPT && n > 2) urb->buffer->data[2 + (n - 2) / 2] ^= 1;
    if (channel == 1 && n > 2) usb->quiet_since_us = 0;
    finish(usb, urb, 0, n);
}

/* Carries out what can be carried out now, in order for each endpoint. */
static void progress(struct crl_vusb *usb)
{
    bool blocked[256] = {false};

    for (GList *link = usb->pending.head, *next; link; link = next) {
        struct crl_vurb *urb = link->data;
        const struct usbdevfs_urb *request = urb_of(urb);
        const uint8_t endpoint = request->endpoint;

        next = link->next;
        if (blocked[endpoint]) continue;
        if (urb->fault == CRL_VFAULT_NAK) blocked[endpoint] = true;
        else if (request->type == USBDEVFS_URB_TYPE_CONTROL) {
            const int n = control(usb, urb->buffer->data, urb->buffer->data + 8, urb->fault);

            finish(usb, urb, n < 0 ? n : 0, n < 0 ? 0 : (size_t)n);
        } else if (urb->fault == CRL_VFAULT_ERROR) finish(usb, urb, -EPROTO, 0);
        else if (urb->fault == CRL_VFAULT_STALL || halted(usb, endpoint)) {
            crl_vusb_halt(usb, endpoint, true);
            finish(usb, urb, -EPIPE, 0);
        } else if (endpoint & 0x80) {
            if (in_ready(usb, urb)) bulk_in(usb, urb);
            else blocked[endpoint] = true;
        } else if (bulk_out(usb, urb)) finish(usb, urb, 0, urb->moved);
        else blocked[endpoint] = true;
        if (crl_vflash_dead(usb->board->flash)) {
            disappear(usb);
            return;
        }
    }
}

static struct crl_vurb *find(GQueue *queue, const void *client, gulong address)
{
    for (GList *link = queue->head; link; link = link->next) {
        struct crl_vurb *urb = link->data;

        if (urb->client == client && (!address || urb->data->client_addr == address)) return urb;
    }
    return NULL;
}

/* Counts a transfer and says what happens to it; it may be the device's last. */
static enum crl_vfault_kind begin_transfer(struct crl_vusb *usb)
{
    const enum crl_vfault_kind fault =
        usb->faults ? crl_vfaults_at(usb->faults, ++usb->transfers) : (usb->transfers++, CRL_VFAULT_NONE);

    if (fault == CRL_VFAULT_UNPLUG || fault == CRL_VFAULT_REPLACE) disappear(usb);
    return fault;
}

int crl_vusb_submit(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    UMockdevIoctlData *data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_urb), NULL);
    const struct usbdevfs_urb *request;
    struct crl_vurb *urb;
    unsigned number;

    if (!data) return -EFAULT;
    request = (const struct usbdevfs_urb *)data->data;
    number = request->endpoint & 0x0F;
    if (request->type != USBDEVFS_URB_TYPE_CONTROL && request->type != USBDEVFS_URB_TYPE_BULK) goto invalid;
    if (request->type == USBDEVFS_URB_TYPE_BULK &&
        (number < 1 || number > 4 || (request->endpoint & 0x80) != (number & 1 ? 0x80 : 0)))
        goto invalid;
    urb = g_new0(struct crl_vurb, 1);
    urb->client = client;
    urb->data = data;
    urb->fault = begin_transfer(usb);
    if (urb->fault) usb->struck = request->endpoint;
    if (usb->absent) {
        urb_free(urb);
        return -ENODEV;
    }
    if (request->buffer_length) {
        urb->buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer),
                                                  (gsize)request->buffer_length, NULL);
        if (!urb->buffer) { /* killed meanwhile */
            urb_free(urb);
            return -EFAULT;
        }
    }
    if (urb->buffer && urb->fault == CRL_VFAULT_CORRUPT && !(request->endpoint & 0x80))
        urb->buffer->data[request->buffer_length / 2] ^= 1;
    crl_vboard_run(usb->board, TRANSFER_NS);
    urb->since_ns = usb->board->now_ns;
    g_queue_push_tail(&usb->pending, urb);
    /* To make up for a silence takes long: that is done when the transfer is waited for, since its time-out runs. */
    if (silence_due(usb)) usb->reaped = NULL;
    else progress(usb);
    return 0;
invalid:
    g_object_unref(data);
    return -EINVAL;
}

int crl_vusb_discard(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    struct crl_vurb *urb = find(&usb->pending, client, *(gulong *)arg->data);

    if (!urb) return -EINVAL;
    finish(usb, urb, -ENOENT, urb->moved);
    return 0;
}

static gboolean answer_late(gpointer client)
{
    crl_vusb_complete(client, -EAGAIN);
    g_object_unref(client);
    return G_SOURCE_REMOVE;
}

/*
 * The board's time passes while nothing is done. But not right behind something that was: who got that asks at once
 * whether there is more, and to let the board run until there is would be a wait that nobody wants. While bytes are on
 * the serial line it does not return empty-handed: the program's time-outs are in the time of a real board, which would
 * have answered by then.
 */
void crl_vusb_reap(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    const gint64 start = g_get_monotonic_time();
    const bool asks_for_more = usb->reaped == client;
    struct crl_vurb *urb;

    for (uint64_t ns = 0; !(urb = find(&usb->done, client, 0)) && !usb->absent && !asks_for_more; ns += STEP_NS) {
        if (crl_vboard_talks(usb->board) ? ns >= TALK_NS
                                         : ns >= REAP_NS || g_get_monotonic_time() - start > REAP_WALL_US)
            break;
        crl_vboard_run(usb->board, STEP_NS);
        progress(usb);
    }
    usb->reaped = urb ? client : NULL;
    if (urb) {
        g_autoptr(UMockdevIoctlData) where = umockdev_ioctl_data_resolve(arg, 0, sizeof(void *), NULL);

        if (where) {
            g_queue_remove(&usb->done, urb);
            umockdev_ioctl_data_set_ptr(where, 0, urb->data);
            urb_free(urb);
        }
        crl_vusb_complete(client, where ? 0 : -EFAULT);
    } else if (usb->absent) crl_vusb_complete(client, -ENODEV);
    else if (asks_for_more) crl_vusb_complete(client, -EAGAIN);
    else {
        GSource *source = g_timeout_source_new(IDLE_MS);

        g_source_set_callback(source, answer_late, g_object_ref(client), NULL);
        g_source_attach(source, g_source_get_context(g_main_current_source()));
        g_source_unref(source);
    }
}

int crl_vusb_synchronous_control(struct crl_vusb *usb, UMockdevIoctlData *arg)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_ctrltransfer), NULL);
    g_autoptr(UMockdevIoctlData) buffer = NULL;
    const struct usbdevfs_ctrltransfer *request;
    enum crl_vfault_kind fault;
    uint8_t setup[8];

    if (!data) return -EFAULT;
    request = (const struct usbdevfs_ctrltransfer *)data->data;
    memcpy(setup,
           (uint16_t[]){0, GUINT16_TO_LE(request->wValue), GUINT16_TO_LE(request->wIndex),
                        GUINT16_TO_LE(request->wLength)},
           sizeof setup);
    setup[0] = request->bRequestType;
    setup[1] = request->bRequest;
    if (request->wLength) {
        buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_ctrltransfer, data),
                                             request->wLength, NULL);
        if (!buffer) return -EFAULT;
    }
    fault = begin_transfer(usb);
    if (usb->absent) return -ENODEV;
    if (fault == CRL_VFAULT_NAK) return -ETIMEDOUT;
    return control(usb, setup, buffer ? buffer->data : NULL, fault);
}

/* A bulk transfer that the caller waits for, with its time-out in the board's time. */
int crl_vusb_synchronous_bulk(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_bulktransfer), NULL);
    g_autoptr(UMockdevIoctlData) buffer = NULL;
    const struct usbdevfs_bulktransfer *request;
    struct usbdevfs_urb inner = {.type = USBDEVFS_URB_TYPE_BULK};
    UMockdevIoctlData view = {.data = (guint8 *)&inner};
    struct crl_vurb urb = {.client = client, .data = &view};

    if (!data) return -EFAULT;
    request = (const struct usbdevfs_bulktransfer *)data->data;
    if ((request->ep & 0x0F) < 1 || (request->ep & 0x0F) > 4) return -EINVAL;
    buffer = umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_bulktransfer, data), request->len, NULL);
    if (!buffer) return -EFAULT;
    urb.fault = begin_transfer(usb);
    if (usb->absent) return -ENODEV;
    inner.endpoint = (unsigned char)request->ep;
    inner.buffer_length = (int)request->len;
    urb.buffer = buffer;
    urb.since_ns = usb->board->now_ns;
    g_queue_push_tail(&usb->pending, &urb);
    progress(usb);
    for (uint64_t ms = 0; g_queue_find(&usb->pending, &urb) && (!request->timeout || ms < request->timeout); ms++) {
        crl_vboard_run(usb->board, REAP_NS);
        progress(usb);
    }
    if (g_queue_remove(&usb->pending, &urb)) return -ETIMEDOUT;
    g_queue_remove(&usb->done, &urb);
    return inner.status ? inner.status : inner.actual_length;
}

void crl_vusb_forget(struct crl_vusb *usb, const void *client)
{
    struct crl_vurb *urb;

    while ((urb = find(&usb->pending, client, 0)) || (urb = find(&usb->done, client, 0))) {
        g_queue_remove(&usb->pending, urb);
        g_queue_remove(&usb->done, urb);
        urb_free(urb);
    }
}
