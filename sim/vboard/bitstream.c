// SPDX-License-Identifier: Apache-2.0
#include "bitstream.h"

#include <string.h>

static const uint8_t preamble[4] = {0x7E, 0xAA, 0x99, 0x7E};

/* The reader: bytes, the CRC-16 (CCITT) of them since it was reset, what the commands have set, and what was found. */
struct reader {
    const uint8_t *at, *end;
    uint16_t crc;
    unsigned bank, width, height, offset;
    struct crl_vbitstream found;
};

static uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
    crc ^= (uint16_t)(byte << 8);
    for (int i = 0; i < 8; i++) crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    return crc;
}

static bool next(struct reader *reader, uint8_t *byte)
{
    if (reader->at == reader->end) return false;
    *byte = *reader->at++;
    reader->crc = crc_byte(reader->crc, *byte);
    return true;
}

/* The data of a bank and the two zero bytes behind them. */
static bool skip_data(struct reader *reader)
{
    size_t n = (size_t)reader->width * reader->height / 8 + 2;
    uint8_t byte = 0;

    while (n--)
        if (!next(reader, &byte)) return false;
    return true;
}

static bool ram_data(struct reader *reader)
{
    const size_t n = reader->found.pieces;

    if (n < CRL_VBITSTREAM_PIECES) {
        reader->found.ram[n].bits = reader->at;
        reader->found.ram[n].bank = reader->bank;
        reader->found.ram[n].first_row = reader->offset;
        reader->found.ram[n].rows = reader->height;
        reader->found.ram[n].width = reader->width;
        reader->found.pieces++;
    }
    return skip_data(reader);
}

enum { GOES_ON, WAKES_UP, FAILS };

static int run_command(struct reader *reader, uint8_t command, unsigned value, const char **why)
{
    *why = "it holds a command that the device does not know";
    switch (command >> 4) {
    case 0:
        switch (value) {
        case 1: *why = "it ends within the data of a bank"; return skip_data(reader) ? GOES_ON : FAILS;
        case 3: *why = "it ends within the data of a block RAM"; return ram_data(reader) ? GOES_ON : FAILS;
        case 5: reader->crc = 0xFFFF; return GOES_ON;
        case 6: return WAKES_UP;
        default: return FAILS;
        }
    case 2: *why = "its CRC is wrong"; return reader->crc ? FAILS : GOES_ON;
    case 6: reader->width = value + 1; return GOES_ON;
    case 7: reader->height = value; return GOES_ON;
    case 1: reader->bank = value; return GOES_ON;
    case 8: reader->offset = value; return GOES_ON;
    case 4: /* boot address */
    case 5: /* clock of the loader */
    case 9: /* flags */ return GOES_ON;
    default: return FAILS;
    }
}

const char *crl_vbitstream_check(const struct crl_vdevice *device, const uint8_t *bytes, size_t size,
                                 struct crl_vbitstream *found)
{
    struct reader reader = {.at = bytes, .end = bytes + size};
    bool right_device = false;
    const char *why;
    uint8_t command, byte;

    /* The preamble may have a comment before it; a device gives up looking after a while. */
    while (size >= sizeof preamble && memcmp(reader.at, preamble, sizeof preamble)) {
        if (reader.at == bytes && *bytes != 0xFF) return "there is none";
        if (reader.at++ - bytes > 4096) return "there is none";
        size--;
    }
    if (size < sizeof preamble) return "there is none";
    reader.found.comment = bytes;
    reader.found.comment_size = (size_t)(reader.at - bytes);
    reader.at += sizeof preamble;
    for (;;) {
        unsigned value = 0;
        int result;

        if (!next(&reader, &command)) return "it is cut short";
        for (unsigned n = command & 0x0F; n; n--) {
            if (!next(&reader, &byte)) return "it is cut short";
            value = value << 8 | byte;
        }
        result = run_command(&reader, command, value, &why);
        if (result == FAILS) return why;
        if (command >> 4 == 6 && reader.width == device->cram_width) right_device = true;
        if (result == WAKES_UP) break;
    }
    if (!right_device) return "it is another device's";
    reader.found.size = (size_t)(reader.at - bytes);
    if (found) *found = reader.found;
    return NULL;
}

size_t crl_vbitstream_stand_in(const struct crl_vdevice *device, uint8_t *bytes)
{
    static const char head[] = "\xFF\0carillon stand-in\0\xFF";
    const unsigned width = device->cram_width - 1;
    const uint8_t body[] = {0x01, 0x05, 0x62, (uint8_t)(width >> 8), (uint8_t)width, 0x72, 0x00, 0x00, 0x22};
    uint16_t crc = 0xFFFF;
    size_t n = sizeof head - 1;

    memcpy(bytes, head, n);
    memcpy(bytes + n, preamble, sizeof preamble);
    n += sizeof preamble;
    memcpy(bytes + n, body, sizeof body);
    n += sizeof body;
    for (size_t i = 2; i < sizeof body; i++) crc = crc_byte(crc, body[i]); /* since the reset of the CRC */
    bytes[n++] = (uint8_t)(crc >> 8);
    bytes[n++] = (uint8_t)crc;
    memcpy(bytes + n, (uint8_t[]){0x01, 0x06, 0x00}, 3);
    return n + 3;
}
