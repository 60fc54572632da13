// SPDX-License-Identifier: Apache-2.0
#include "ftdi.h"

#include <string.h>

enum {
    /* Vendor requests. */
    REQUEST_RESET = 0,
    REQUEST_MODEM_CONTROL = 1,
    REQUEST_FLOW = 2,
    REQUEST_BAUD = 3,
    REQUEST_DATA = 4,
    REQUEST_MODEM_STATUS = 5,
    REQUEST_EVENT_CHAR = 6,
    REQUEST_ERROR_CHAR = 7,
    REQUEST_SET_LATENCY = 9,
    REQUEST_GET_LATENCY = 10,
    REQUEST_BITMODE = 11,
    REQUEST_READ_PINS = 12,
    REQUEST_READ_EEPROM = 0x90,

    /* Standard requests. */
    GET_STATUS = 0,
    CLEAR_FEATURE = 1,
    SET_FEATURE = 3,
    GET_DESCRIPTOR = 6,
    GET_CONFIGURATION = 8,
    SET_CONFIGURATION = 9,
    GET_INTERFACE = 10,
    SET_INTERFACE = 11,

    MODEM_STATUS = 0x01 | 0x30, /* high speed; CTS and DSR */
    LINE_IDLE = 0x60,           /* transmitter empty */
    LINE_OVERRUN = 0x02,
    LATENCY_DEFAULT_MS = 16,
};

bool crl_vfifo_put(struct crl_vfifo *fifo, uint8_t byte)
{
    if (fifo->count == CRL_VFTDI_FIFO) return false;
    fifo->byte[(fifo->first + fifo->count++) % CRL_VFTDI_FIFO] = byte;
    return true;
}

bool crl_vfifo_get(struct crl_vfifo *fifo, uint8_t *byte)
{
    if (!fifo->count) return false;
    *byte = fifo->byte[fifo->first];
    fifo->first = (fifo->first + 1) % CRL_VFTDI_FIFO;
    fifo->count--;
    return true;
}

void crl_vftdi_init(struct crl_vftdi *chip, const char *manufacturer, const char *product, const char *serial,
                    const struct crl_vmpsse_pins *pins)
{
    memset(chip, 0, sizeof *chip);
    chip->manufacturer = manufacturer;
    chip->product = product;
    chip->serial = serial;
    chip->baud = 9600;
    for (int i = 0; i < 2; i++) chip->channel[i].latency_ms = LATENCY_DEFAULT_MS;
    crl_vmpsse_init(&chip->engine, pins);
}

void crl_vftdi_free(struct crl_vftdi *chip) { crl_vmpsse_free(&chip->engine); }

/* ---- descriptors ---- */

void crl_vftdi_descriptors(uint8_t bytes[CRL_VFTDI_DESCRIPTORS])
{
    static const uint8_t device[18] = {18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x03, 0x04, 0x10, 0x60, 0x00, 0x07, 1, 2, 3, 1};
    uint8_t *at = bytes;

    memcpy(at, device, sizeof device);
    at += sizeof device;
    memcpy(at, (uint8_t[]){9, 2, CRL_VFTDI_DESCRIPTORS - 18, 0, 2, 1, 0, 0x80, 250}, 9);
    at += 9;
    for (uint8_t i = 0; i < 2; i++) {
        memcpy(at, (uint8_t[]){9, 4, i, 0, 2, 0xFF, 0xFF, 0xFF, 2}, 9);
        at += 9;
        for (uint8_t j = 0; j < 2; j++) {
            const uint8_t address = (uint8_t)(2 * i + j + 1);

            memcpy(at, (uint8_t[]){7, 5, j ? address : address | 0x80, 2, 0x00, 0x02, 0}, 7);
            at += 7;
        }
    }
}

static int string_descriptor(const struct crl_vftdi *chip, unsigned index, uint8_t bytes[256])
{
    const char *const strings[] = {NULL, chip->manufacturer, chip->product, chip->serial};
    size_t n;

    if (!index) {
        memcpy(bytes, (uint8_t[]){4, 3, 0x09, 0x04}, 4); /* English */
        return 4;
    }
    if (index >= sizeof strings / sizeof *strings || !strings[index]) return -1;
    n = strlen(strings[index]);
    bytes[0] = (uint8_t)(2 + 2 * n);
    bytes[1] = 3;
    for (size_t i = 0; i < n; i++) {
        bytes[2 + 2 * i] = (uint8_t)strings[index][i];
        bytes[3 + 2 * i] = 0;
    }
    return bytes[0];
}

static int descriptor(const struct crl_vftdi *chip, unsigned value, uint8_t *data, unsigned size)
{
    static const uint8_t qualifier[10] = {10, 6, 0x00, 0x02, 0, 0, 0, 64, 1, 0};
    uint8_t all[CRL_VFTDI_DESCRIPTORS], text[256];
    const uint8_t *from = all;
    int n;

    crl_vftdi_descriptors(all);
    switch (value >> 8) {
    case 1: n = 18; break;
    case 2:
        from = all + 18;
        n = sizeof all - 18;
        break;
    case 3:
        from = text;
        n = string_descriptor(chip, value & 0xFF, text);
        break;
    case 6:
        from = qualifier;
        n = sizeof qualifier;
        break;
    default: return -1;
    }
    if (n > (int)size) n = (int)size;
    if (n > 0) memcpy(data, from, (size_t)n);
    return n;
}

static int standard(struct crl_vftdi *chip, const uint8_t setup[8], uint8_t *data)
{
    const unsigned value = setup[2] | (unsigned)setup[3] << 8, index = setup[4] | (unsigned)setup[5] << 8;
    const unsigned size = setup[6] | (unsigned)setup[7] << 8;
    const unsigned endpoint = index & 0x0F;

    switch (setup[1]) {
    case GET_DESCRIPTOR: return descriptor(chip, value, data, size);
    case GET_STATUS:
        if (size < 2) return -1;
        data[0] = data[1] = 0;
        return 2;
    case GET_CONFIGURATION:
    case GET_INTERFACE:
        if (!size) return -1;
        data[0] = setup[1] == GET_CONFIGURATION;
        return 1;
    case SET_CONFIGURATION:
    case SET_INTERFACE: return 0;
    case CLEAR_FEATURE:
    case SET_FEATURE:
        if ((setup[0] & 0x1F) == 2 && endpoint >= 1 && endpoint <= 4) {
            struct crl_vftdi_channel *channel = &chip->channel[(endpoint - 1) / 2];

            *(index & 0x80 ? &channel->halted_in : &channel->halted_out) = setup[1] == SET_FEATURE;
        }
        return 0;
    default: return -1;
    }
}

/* ---- vendor requests ---- */

/* AN_120: a divisor of 3 MHz, or of 12 MHz (bit 17), with eighths in a code of three bits. */
static uint32_t baud_rate(uint32_t code)
{
    static const uint8_t eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
    const uint32_t whole = code & 0x3FFF, fraction = eighths[code >> 14 & 7];
    const uint32_t base = code & 0x20000 ? 12000000 : 3000000;

    if (!whole) return base; /* 0 and 1 are special: 3 and 2 million */
    if (whole == 1 && !fraction) return base / 3 * 2;
    return (uint32_t)((uint64_t)base * 8 / (8 * whole + fraction));
}

static void purge(struct crl_vftdi *chip, int which, bool receive, bool transmit)
{
    struct crl_vftdi_channel *channel = &chip->channel[which];

    if (transmit) channel->to_pins.count = 0;
    if (receive) channel->to_host.count = 0;
    if (which == 0) crl_vmpsse_purge(&chip->engine, transmit, receive);
}

static int vendor(struct crl_vftdi *chip, const uint8_t setup[8], uint8_t *data)
{
    const unsigned value = setup[2] | (unsigned)setup[3] << 8, index = setup[4] | (unsigned)setup[5] << 8;
    const unsigned size = setup[6] | (unsigned)setup[7] << 8;
    const int which = (index & 0xFF) == 2; /* 0 and 1: channel A */
    struct crl_vftdi_channel *channel = &chip->channel[which];

    switch (setup[1]) {
    case REQUEST_RESET:
        /* 1 empties what goes to the host, 2 what comes from it */
        purge(chip, which, value != 2, value != 1);
        return 0;
    case REQUEST_BAUD:
        if (which == 1) chip->baud = baud_rate(value | (uint32_t)(index >> 8) << 16);
        return 0;
    case REQUEST_MODEM_CONTROL:
    case REQUEST_FLOW:
    case REQUEST_DATA:
    case REQUEST_EVENT_CHAR:
    case REQUEST_ERROR_CHAR: return 0;
    case REQUEST_MODEM_STATUS:
        if (size < 2) return -1;
        data[0] = MODEM_STATUS;
        data[1] = LINE_IDLE;
        return 2;
    case REQUEST_SET_LATENCY:
        if (!(value & 0xFF)) return -1;
        channel->latency_ms = (uint8_t)value;
        return 0;
    case REQUEST_GET_LATENCY:
        if (!size) return -1;
        data[0] = channel->latency_ms;
        return 1;
    case REQUEST_BITMODE:
        channel->mode = (uint8_t)(value >> 8);
        if (which == 0) crl_vmpsse_float(&chip->engine);
        purge(chip, which, true, true);
        return 0;
    case REQUEST_READ_PINS:
        if (!size) return -1;
        data[0] = which ? 0xFF : (uint8_t)chip->engine.pins->sense(chip->engine.pins->user);
        return 1;
    case REQUEST_READ_EEPROM:
        if (size < 2) return -1;
        data[0] = data[1] = 0xFF; /* blank */
        return 2;
    default: return -1;
    }
}

int crl_vftdi_control(struct crl_vftdi *chip, const uint8_t setup[8], uint8_t *data)
{
    switch (setup[0] & 0x60) {
    case 0x00: return standard(chip, setup, data);
    case 0x40: return vendor(chip, setup, data);
    default: return -1;
    }
}

/* ---- data ---- */

size_t crl_vftdi_out(struct crl_vftdi *chip, int channel, const uint8_t *bytes, size_t n)
{
    size_t taken = 0;

    if (channel == 0) {
        /* Without the engine, channel A is a serial port that is connected to nothing. */
        if (chip->channel[0].mode == CRL_VFTDI_MPSSE) crl_vmpsse_write(&chip->engine, bytes, n);
        return n;
    }
    while (taken < n && crl_vfifo_put(&chip->channel[channel].to_pins, bytes[taken])) taken++;
    return taken;
}

size_t crl_vftdi_waiting(const struct crl_vftdi *chip, int channel)
{
    return channel == 0 ? chip->engine.answers : chip->channel[channel].to_host.count;
}

static size_t take_from_channel(struct crl_vftdi *chip, int channel, uint8_t *bytes, size_t n)
{
    size_t taken = 0;

    if (channel == 0) return crl_vmpsse_read(&chip->engine, bytes, n);
    while (taken < n && crl_vfifo_get(&chip->channel[channel].to_host, &bytes[taken])) taken++;
    return taken;
}

size_t crl_vftdi_in(struct crl_vftdi *chip, int channel, uint8_t *bytes, size_t size)
{
    size_t at = 0, packet, data;

    do {
        packet = size - at < CRL_VFTDI_PACKET ? size - at : CRL_VFTDI_PACKET;
        if (packet < 2) break;
        bytes[at] = MODEM_STATUS;
        bytes[at + 1] = LINE_IDLE | (chip->channel[channel].overrun ? LINE_OVERRUN : 0);
        chip->channel[channel].overrun = false;
        data = take_from_channel(chip, channel, bytes + at + 2, packet - 2);
        at += 2 + data;
    } while (data == CRL_VFTDI_PACKET - 2);
    return at;
}
