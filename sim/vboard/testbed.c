// SPDX-License-Identifier: Apache-2.0
#include "testbed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CRL_VTESTBED_FIRST
#define CRL_VTESTBED_FIRST "" /* a library that this program needs loaded first, and a colon */
#endif
#define PRELOAD "libumockdev-preload.so.0"

enum { BOARDS_MAX = 9 };

struct crl_vtestbed {
    UMockdevTestbed *bed;
    struct {
        UMockdevIoctlBase *base;
        char sys[64], node[32];
    } device[BOARDS_MAX];
    struct crl_vusb *spare; /* is plugged in when a device goes; NULL: none */
    int spare_number;
};

int crl_vtestbed_preload(char **argv)
{
    const char *old = getenv("LD_PRELOAD");
    char *all;

    if (old && strstr(old, PRELOAD)) return 0;
    all = g_strdup_printf("%s%s%s%s", CRL_VTESTBED_FIRST, old ? old : "", old ? ":" : "", PRELOAD);
    setenv("LD_PRELOAD", all, 1);
    g_free(all);
    execv("/proc/self/exe", argv);
    return -1;
}

struct crl_vtestbed *crl_vtestbed_new(void)
{
    struct crl_vtestbed *testbed = g_new0(struct crl_vtestbed, 1);

    testbed->bed = umockdev_testbed_new();
    return testbed;
}

void crl_vtestbed_free(struct crl_vtestbed *testbed)
{
    for (int n = 0; n < BOARDS_MAX; n++) {
        if (!testbed->device[n].base) continue;
        umockdev_testbed_detach_ioctl(testbed->bed, testbed->device[n].node, NULL);
        g_object_unref(testbed->device[n].base);
    }
    g_object_unref(testbed->bed);
    g_free(testbed);
}

/* What the kernel shows of a device in sysfs, in umockdev's notation. The node holds the descriptors, too. */
static char *describe(const char *sys, int n, const struct crl_vusb *usb)
{
    const struct crl_vftdi *chip = &usb->board->ftdi;
    uint8_t bytes[CRL_VFTDI_DESCRIPTORS];
    char hex[2 * CRL_VFTDI_DESCRIPTORS + 1];
    const int number = n + 2;

    crl_vftdi_descriptors(bytes);
    for (int i = 0; i < CRL_VFTDI_DESCRIPTORS; i++) sprintf(hex + 2 * i, "%02X", bytes[i]);
    return g_strdup_printf("P: %s\n"
                           "N: bus/usb/001/%03d=%s\n"
                           "E: DEVTYPE=usb_device\nE: DEVNAME=/dev/bus/usb/001/%03d\nE: SUBSYSTEM=usb\n"
                           "E: BUSNUM=001\nE: DEVNUM=%03d\nE: MAJOR=189\nE: MINOR=%d\nE: PRODUCT=403/6010/700\n"
                           "A: busnum=1\\n\nA: devnum=%d\\n\nA: bConfigurationValue=1\\n\nA: speed=480\\n\n"
                           "A: idVendor=0403\\n\nA: idProduct=6010\\n\nA: bcdDevice=0700\\n\n"
                           "A: bNumConfigurations=1\\n\nA: bNumInterfaces= 2\\n\nA: devpath=%d\\n\n"
                           "A: manufacturer=%s\\n\nA: product=%s\\n\nA: serial=%s\\n\n"
                           "H: descriptors=%s\n",
                           sys, number, hex, number, number, number - 1, number, n + 1, chip->manufacturer,
                           chip->product, chip->serial, hex);
}

static void unplug(struct crl_vusb *usb)
{
    struct crl_vtestbed *testbed = usb->user;

    for (int n = 0; n < BOARDS_MAX; n++) {
        char *sys;

        if (!testbed->device[n].base || g_object_get_data(G_OBJECT(testbed->device[n].base), "usb") != usb) continue;
        sys = g_strconcat("/sys", testbed->device[n].sys, NULL);
        umockdev_testbed_uevent(testbed->bed, sys, "remove");
        umockdev_testbed_remove_device(testbed->bed, sys);
        g_free(sys);
    }
    if (!testbed->spare) return;
    usb = testbed->spare;
    testbed->spare = NULL;
    crl_vtestbed_plug(testbed, testbed->spare_number, usb, false);
}

void crl_vtestbed_spare(struct crl_vtestbed *testbed, int n, struct crl_vusb *usb)
{
    testbed->spare = usb;
    testbed->spare_number = n;
}

int crl_vtestbed_plug(struct crl_vtestbed *testbed, int n, struct crl_vusb *usb, bool deny)
{
    GError *error = NULL;
    char *text, *path;

    if (n >= BOARDS_MAX) return -1;
    snprintf(testbed->device[n].sys, sizeof testbed->device[n].sys, "/devices/pci0000:00/0000:00:14.0/usb1/1-%d",
             n + 1);
    snprintf(testbed->device[n].node, sizeof testbed->device[n].node, "/dev/bus/usb/001/%03d", n + 2);
    text = describe(testbed->device[n].sys, n, usb);
    umockdev_testbed_add_from_string(testbed->bed, text, &error);
    g_free(text);
    if (!error) {
        testbed->device[n].base = umockdev_ioctl_base_new();
        usb->gone = unplug;
        usb->user = testbed;
        g_object_set_data(G_OBJECT(testbed->device[n].base), "usb", usb);
        g_signal_connect(testbed->device[n].base, "handle-ioctl", G_CALLBACK(crl_vusb_ioctl), usb);
        g_signal_connect(testbed->device[n].base, "client-vanished", G_CALLBACK(crl_vusb_vanished), usb);
        umockdev_testbed_attach_ioctl(testbed->bed, testbed->device[n].node, testbed->device[n].base, &error);
    }
    if (error) {
        fprintf(stderr, "virtual-board: error: %s\n", error->message);
        g_error_free(error);
        return -1;
    }
    path = umockdev_testbed_get_root_dir(testbed->bed);
    text = g_strconcat(path, testbed->device[n].node, NULL);
    chmod(text, deny ? 0 : 0666);
    g_free(text);
    g_free(path);
    return 0;
}
