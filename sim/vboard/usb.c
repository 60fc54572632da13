// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <linux/usbdevice_fs.h>
#include <string.h>
#include <sys/ioctl.h>

void crl_vusb_init(struct crl_vusb *usb, struct crl_vboard *board, const struct crl_vfaults *faults, bool driver)
{
    memset(usb, 0, sizeof *usb);
    usb->board = board;
    usb->faults = faults;
    g_queue_init(&usb->pending);
    g_queue_init(&usb->done);
    for (int i = 0; i < CRL_VUSB_INTERFACES; i++) usb->driver[i] = driver;
}

void crl_vusb_complete(UMockdevIoctlClient *client, int result)
{
    umockdev_ioctl_client_complete(client, result < 0 ? -1 : result, result < 0 ? -result : 0);
}

/* ---- interfaces and their drivers ---- */

static int claim(struct crl_vusb *usb, UMockdevIoctlClient *client, unsigned number, bool detach)
{
    if (number >= CRL_VUSB_INTERFACES) return -ENOENT;
    if (usb->owner[number] == client) return 0;
    if (usb->driver[number] && detach) {
        usb->driver[number] = false;
        usb->detached++;
    }
    if (usb->owner[number] || usb->driver[number]) return -EBUSY;
    usb->owner[number] = client;
    return 0;
}

static int release(struct crl_vusb *usb, UMockdevIoctlClient *client, unsigned number)
{
    if (number >= CRL_VUSB_INTERFACES || usb->owner[number] != client) return -EINVAL;
    usb->owner[number] = NULL;
    return 0;
}

static int get_driver(struct crl_vusb *usb, UMockdevIoctlData *arg)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_getdriver), NULL);
    struct usbdevfs_getdriver *request;

    if (!data) return -EFAULT;
    request = (struct usbdevfs_getdriver *)data->data;
    if (request->interface >= CRL_VUSB_INTERFACES) return -EINVAL;
    if (!usb->owner[request->interface] && !usb->driver[request->interface]) return -ENODATA;
    g_strlcpy(request->driver, usb->owner[request->interface] ? "usbfs" : "ftdi_sio", sizeof request->driver);
    return 0;
}

/* An ioctl() for an interface's driver: taking it away, and giving it back. */
static int driver_ioctl(struct crl_vusb *usb, UMockdevIoctlData *arg)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_ioctl), NULL);
    const struct usbdevfs_ioctl *request;
    bool *driver;

    if (!data) return -EFAULT;
    request = (const struct usbdevfs_ioctl *)data->data;
    if (request->ifno < 0 || request->ifno >= CRL_VUSB_INTERFACES) return -EINVAL;
    driver = &usb->driver[request->ifno];
    switch ((unsigned)request->ioctl_code) {
    case USBDEVFS_DISCONNECT:
        if (!*driver) return -ENODATA;
        *driver = false;
        usb->detached++;
        return 0;
    case USBDEVFS_CONNECT:
        if (*driver || usb->owner[request->ifno]) return -EBUSY;
        *driver = true;
        usb->attached++;
        return 1;
    default: return -ENOTTY;
    }
}

static int disconnect_claim(struct crl_vusb *usb, UMockdevIoctlClient *client, UMockdevIoctlData *arg)
{
    g_autoptr(UMockdevIoctlData) data =
        umockdev_ioctl_data_resolve(arg, 0, sizeof(struct usbdevfs_disconnect_claim), NULL);

    return data ? claim(usb, client, ((struct usbdevfs_disconnect_claim *)data->data)->interface, true) : -EFAULT;
}

/* ---- ioctl() ---- */

/* Reads an unsigned that the argument points to. */
static int argument(UMockdevIoctlData *arg, unsigned *value)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, sizeof *value, NULL);

    if (!data) return -EFAULT;
    memcpy(value, data->data, sizeof *value);
    return 0;
}

static int put(UMockdevIoctlData *arg, const void *value, size_t size)
{
    g_autoptr(UMockdevIoctlData) data = umockdev_ioctl_data_resolve(arg, 0, size, NULL);

    if (!data) return -EFAULT;
    umockdev_ioctl_data_update(data, 0, (guint8 *)value, (gint)size);
    return 0;
}

static void reset(struct crl_vusb *usb)
{
    for (unsigned i = 1; i <= 4; i++) crl_vusb_halt(usb, i & 1 ? i | 0x80 : i, false);
    for (uint8_t i = 0; i < CRL_VUSB_INTERFACES; i++)
        crl_vftdi_control(&usb->board->ftdi, (uint8_t[]){0x40, 11, 0, 0, i + 1, 0, 0, 0}, NULL);
}

static int other_ioctl(struct crl_vusb *usb, UMockdevIoctlClient *client, gulong request, UMockdevIoctlData *arg)
{
    const struct usbdevfs_connectinfo info = {.devnum = 2, .slow = 0};
    const uint32_t capabilities = USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
    unsigned value = 0;
    int result;

    switch (request) {
    case USBDEVFS_GET_CAPABILITIES: return put(arg, &capabilities, sizeof capabilities);
    case USBDEVFS_CONNECTINFO: return put(arg, &info, sizeof info);
    case USBDEVFS_GET_SPEED: return 3; /* high */
    case USBDEVFS_SUBMITURB: return crl_vusb_submit(usb, client, arg);
    case USBDEVFS_DISCARDURB: return crl_vusb_discard(usb, client, arg);
    case USBDEVFS_CONTROL: return crl_vusb_synchronous_control(usb, arg);
    case USBDEVFS_BULK: return crl_vusb_synchronous_bulk(usb, client, arg);
    case USBDEVFS_GETDRIVER: return get_driver(usb, arg);
    case USBDEVFS_IOCTL: return driver_ioctl(usb, arg);
    case USBDEVFS_DISCONNECT_CLAIM: return disconnect_claim(usb, client, arg);
    case USBDEVFS_SETINTERFACE: return 0;
    case USBDEVFS_RESET: reset(usb); return 0;
    case USBDEVFS_SETCONFIGURATION:
        return usb->owner[0] || usb->owner[1] || usb->driver[0] || usb->driver[1] ? -EBUSY : 0;
    default: break;
    }
    result = argument(arg, &value);
    if (result) return result;
    switch (request) {
    case USBDEVFS_CLAIMINTERFACE: return claim(usb, client, value, false);
    case USBDEVFS_RELEASEINTERFACE: return release(usb, client, value);
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESETEP:
        if ((value & 0x0F) < 1 || (value & 0x0F) > 4) return -EINVAL;
        crl_vusb_halt(usb, value, false);
        return 0;
    default: return -ENOTTY;
    }
}

static void forget(struct crl_vusb *usb, const void *client)
{
    for (int i = 0; i < CRL_VUSB_INTERFACES; i++)
        if (usb->owner[i] == client) usb->owner[i] = NULL;
    if (usb->reaped == client) usb->reaped = NULL;
    crl_vusb_forget(usb, client);
}

/* umockdev does not tell of a client that is killed while it waits for an answer. */
static void on_destroyed(void *user, GObject *client) { forget(user, client); }

static void remember(struct crl_vusb *usb, UMockdevIoctlClient *client)
{
    static const char mark[] = "remembered";

    if (g_object_get_data(G_OBJECT(client), mark)) return;
    g_object_set_data(G_OBJECT(client), mark, usb);
    g_object_weak_ref(G_OBJECT(client), on_destroyed, usb);
}

gboolean crl_vusb_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *user)
{
    struct crl_vusb *usb = user;
    const gulong request = umockdev_ioctl_client_get_request(client);
    UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client);

    (void)base;
    remember(usb, client);
    if (request == USBDEVFS_REAPURBNDELAY || request == USBDEVFS_REAPURB) crl_vusb_reap(usb, client, arg);
    else crl_vusb_complete(client, usb->absent ? -ENODEV : other_ioctl(usb, client, request, arg));
    return TRUE;
}

void crl_vusb_vanished(UMockdevIoctlBase *base, UMockdevIoctlClient *client, void *user)
{
    (void)base;
    forget(user, client);
}
