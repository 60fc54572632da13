// SPDX-License-Identifier: Apache-2.0
// The USB layer against devices that exist only in usbfs: a stand-in of an FT2232H, shown by umockdev to the unmodified
// libusb in this process. What is attached, who may use it, and what a transfer that fails leaves behind.
#include "../unit/unit_flash.h"
#include "../unit/unit_link.h"
#include <carillon/board.h>
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
static long stride = 1; // every so many transfers one fails

static struct usbdevfs_urb *urb_of(UMockdevIoctlData *data) { return (struct usbdevfs_urb *)data->data; }

static UMockdevIoctlData *buffer_of(UMockdevIoctlData *data)
{
    return umockdev_ioctl_data_resolve(data, G_STRUCT_OFFSET(struct usbdevfs_urb, buffer), urb_of(data)->buffer_length,
                                       NULL);
}

static void finish(struct device *d, int at, int status, int length)
{
    urb_of(d->urbs[at].urb)->status = status;
    urb_of(d->urbs[at].urb)->actual_length = length;
    d->urbs[at].done = true;
}

// The fault that befalls the transfer at hand.
static enum fault fault_now(struct device *d) { return d->transfers++ == d->fail_at ? d->fault : NO_FAULT; }

static bool apply(struct device *d, int at, enum fault fault)
{
    if (fault == UNPLUG) d->gone = true;
    else if (fault == STALL) finish(d, at, -EPIPE, 0);
    else if (fault == GARBLED) finish(d, at, -EPROTO, 0);
    else if (fault == NEVER) d->silent = urb_of(d->urbs[at].urb)->endpoint;
    return fault != NO_FAULT && fault != SHORT;
}

static void string_descriptor(const struct device *d, int index, uint8_t *out, int size, int *length)
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

static void do_control(struct device *d, int at, uint8_t *setup)
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

static void do_out(struct device *d, int at, const uint8_t *bytes, int length)
{
    struct crl_diag diag;
    enum fault fault = fault_now(d);
    if (apply(d, at, fault)) return;
    if (fault == SHORT && length > 1) length /= 2;
    struct crl_pipe *pipe = urb_of(d->urbs[at].urb)->endpoint == 0x02 ? &d->flash.pipe : &d->link.pipe;
    pipe->write(pipe, bytes, (size_t)length, &diag);
    finish(d, at, 0, length);
}

static void adopt(struct fake_link *link, uint16_t bits)
{
    if (!(bits & 8)) return;
    link->memory[0x10] |= 4;
    memcpy(&link->memory[0x14], &link->memory[0x1ff0 + 5], 4);
}

// What there is for an IN transfer, in packets with two bytes of status in front.
static void try_in(struct device *d, int at, uint8_t *bytes, int size)
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

static void forget(struct device *d, int at)
{
    umockdev_ioctl_data_unref(d->urbs[at].urb);
    memmove(&d->urbs[at], &d->urbs[at + 1], sizeof d->urbs[0] * (size_t)(d->count - at - 1));
    d->count--;
}

static void work(struct device *d)
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

static int reap(struct device *d, UMockdevIoctlData *arg)
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

static int submit(struct device *d, UMockdevIoctlData *arg)
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

static int discard(struct device *d, unsigned long address)
{
    for (int i = 0; i < d->count; i++)
        if (d->urbs[i].urb->client_addr == address && !d->urbs[i].done) {
            finish(d, i, -ENOENT, 0);
            return 0;
        }
    return EINVAL;
}

static int change_driver(struct device *d, const struct usbdevfs_ioctl *command)
{
    bool disconnect = command->ioctl_code == (int)USBDEVFS_DISCONNECT;
    if (d->driver[command->ifno] != disconnect) return ENODATA;
    d->driver[command->ifno] = !disconnect;
    if (disconnect) d->detached++;
    else d->attached++;
    return 0;
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user)
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

static struct device *attach(int number, const char *product, const char *serial)
{
    static const uint16_t icebreaker[] = {0xca11, 1, 1, 0x0100, 0, 0, 8, 3, 26, 16, 8, 1};
    struct device *d = calloc(1, sizeof *d);
    char text[2048], hex[2 * sizeof descriptors + 1];
    GError *error = NULL;
    assert_non_null(d);
    fake_open(&d->flash);
    d->link.pipe = (struct crl_pipe){&d->link, 1, "testing", link_control, link_write, link_read};
    memcpy(d->link.memory, icebreaker, sizeof icebreaker);
    d->link.control = adopt;
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

static void detach(struct device *d, int number)
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
static void assert_left_as_found(const struct device *d, bool driver)
{
    assert_int_equal(d->count, 0);
    for (int i = 0; i < INTERFACES; i++) {
        assert_false(d->claimed[i]);
        assert_int_equal(d->driver[i], driver);
    }
    assert_int_equal(d->flash.mode, 0);
    assert_int_equal(d->flash.outputs, 0);
}

// ---- which boards there are

static void expect_open(const char *serial, const char *chosen, const char *words)
{
    struct crl_board *board;
    struct crl_diag diag = {0};
    int error = crl_board_open(&board, serial, NULL, &diag);
    assert_int_equal(error, chosen ? 0 : CRL_ERR_DEVICE);
    if (chosen) assert_string_equal(crl_board_which(board)->serial, chosen);
    else if (!strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
    crl_board_close(board);
}

static void test_choice(void **state)
{
    (void)state;
    struct crl_board_found *found;
    size_t count;
    expect_open(NULL, NULL, "no board found");
    struct device *cable = attach(2, "Dual RS232-HS", "xyz"); // the same bridge chip, but no board
    expect_open(NULL, NULL, "no board found");
    struct device *one = attach(3, "iCEBreaker V1.0e", "ib1");
    expect_open(NULL, "ib1", NULL);
    expect_open("ib1", "ib1", NULL);
    expect_open("ib2", NULL, "no board is called 'ib2'; attached: ib1 (icebreaker)");
    struct device *two = attach(4, "Lattice FTUSB Interface Cable", "");
    expect_open(NULL, NULL, "2 boards are attached; say which with --serial: ib1 (icebreaker), 001:004 (hx8k)");
    expect_open("001:004", "", NULL);
    struct device *three = attach(5, "iCEBreaker V1.0e", "ib1");
    expect_open("ib1", NULL, "2 boards have the serial number 'ib1'");
    expect_open("001:005", "ib1", NULL);
    assert_int_equal(crl_board_list(&found, &count, NULL), 0);
    assert_int_equal(count, 3);
    free(found);
    detach(cable, 2);
    detach(one, 3);
    detach(two, 4);
    detach(three, 5);
}

// ---- transfers

static struct unit u;
static struct crl_image image;

static const struct crl_board_watch *watch;

static int with_board(struct device *d, int (*work)(struct crl_board *, struct crl_diag *), struct crl_diag *diag)
{
    struct crl_board *board;
    *diag = (struct crl_diag){0};
    d->transfers = 0;
    d->silent = -1;
    int error = crl_board_open(&board, NULL, watch, diag);
    if (!error) error = work(board, diag);
    crl_board_close(board);
    return error;
}

static int do_flash(struct crl_board *board, struct crl_diag *diag)
{
    struct crl_board_stored stored;
    return crl_board_flash(board, &image, &u.problem, 1, &stored, diag);
}

static int do_load(struct crl_board *board, struct crl_diag *diag)
{
    return crl_board_load(board, &image, &u.problem, 1, diag);
}

static void test_drivers(void **state)
{
    (void)state;
    struct crl_diag diag;
    struct device *d = attach(2, "iCEBreaker V1.0e", "ib1");
    d->driver[0] = d->driver[1] = true;
    if (with_board(d, do_flash, &diag)) fail_msg("%s", diag.text);
    assert_int_equal(d->detached, 2);
    assert_int_equal(d->attached, 2);
    assert_left_as_found(d, true);
    d->busy = true;
    assert_int_equal(with_board(d, do_load, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "another program uses the board"));
    assert_left_as_found(d, true);
    detach(d, 2);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// One run with a fault at transfer `at`, and one without afterwards.
static void run_with_fault(struct device *d, int (*work)(struct crl_board *, struct crl_diag *), enum fault fault,
                           long at)
{
    static const char *const words[FAULTS] = {"", "gone", "refused a USB transfer", "USB error", "", "does not answer"};
    struct crl_diag diag;
    double begin = seconds();
    d->fault = fault;
    d->fail_at = at;
    int error = with_board(d, work, &diag);
    // What gets lost on the serial link is asked for again; on the other interface it is an error.
    if (error != CRL_ERR_DEVICE && (error || (fault != SHORT && fault != NEVER)))
        fail_msg("fault %d at %ld: %d: %s", (int)fault, at, error, diag.text);
    if (error && fault != SHORT && !strstr(diag.text, words[fault]))
        fail_msg("fault %d at %ld: %s", (int)fault, at, diag.text);
    assert_true(seconds() - begin < 15);
    assert_int_equal(d->count, 0);
    if (fault == UNPLUG) {
        d->gone = d->claimed[0] = d->claimed[1] = false;
        d->driver[0] = d->driver[1] = true;
        d->flash.mode = d->flash.outputs = 0;
    }
    d->fail_at = -1;
    assert_left_as_found(d, true);
    if (with_board(d, work, &diag)) fail_msg("after fault %d at %ld: %s", (int)fault, at, diag.text);
    assert_left_as_found(d, true);
}

static void faults_everywhere(int (*work)(struct crl_board *, struct crl_diag *))
{
    struct crl_diag diag;
    struct device *d = attach(2, "iCEBreaker V1.0e", "ib1");
    d->driver[0] = d->driver[1] = true;
    if (with_board(d, work, &diag)) fail_msg("%s", diag.text);
    long transfers = d->transfers;
    assert_true(transfers > 20);
    printf("%ld transfers\n", transfers);
    for (int fault = UNPLUG; fault <= SHORT; fault++)
        for (long at = fault % stride; at < transfers; at += stride) run_with_fault(d, work, (enum fault)fault, at);
    for (long at = 1; at < transfers; at += 5 * stride) run_with_fault(d, work, NEVER, at); // seconds each
    detach(d, 2);
}

static void test_flash_faults(void **state)
{
    (void)state;
    faults_everywhere(do_flash);
}

static void test_load_faults(void **state)
{
    (void)state;
    faults_everywhere(do_load);
}

// ---- interruption

static bool stop_at(void *user)
{
    int *steps = user;
    return (*steps)-- == 0;
}

static void interrupt_everywhere(int (*work)(struct crl_board *, struct crl_diag *), int least)
{
    struct crl_diag diag;
    struct device *d = attach(2, "iCEBreaker V1.0e", "ib1");
    int stops = 0, error;
    d->driver[0] = d->driver[1] = true;
    do {
        int steps = stops;
        watch = &(struct crl_board_watch){.interrupted = stop_at, .user = &steps};
        error = with_board(d, work, &diag);
        assert_true(!error || error == CRL_ERR_INTERRUPTED);
        assert_left_as_found(d, true);
        watch = NULL;
        stops += error != 0;
    } while (error);
    if (stops < least) fail_msg("only %d stops", stops);
    detach(d, 2);
}

static void test_interrupt(void **state)
{
    (void)state;
    interrupt_everywhere(do_flash, 5);
    interrupt_everywhere(do_load, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),      cmocka_unit_test(test_drivers),   cmocka_unit_test(test_flash_faults),
        cmocka_unit_test(test_load_faults), cmocka_unit_test(test_interrupt),
    };
    const char *preload = getenv("LD_PRELOAD");
    if (!preload || !strstr(preload, "umockdev")) return fputs("usb_seam: run it under umockdev-wrapper\n", stderr), 1;
    if (argc > 1) stride = atol(argv[1]);
    testbed = umockdev_testbed_new();
    unit_plan(&u, unit_schemes[0], 3, 0);
    struct crl_lower_options how = {1, 1, 1, 16};
    if (crl_lower(&image, &u.schedule, &u.problem, "binomial", &how, &u.diag)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crl_image_done(&image);
    unit_close(&u);
    g_object_unref(testbed);
    return failed;
}
