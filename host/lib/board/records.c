// SPDX-License-Identifier: Apache-2.0
#include "board/records.h"
#include "board/bytes.h"
#include "board/registers.h"
#include "base/base.h"
#include "base/cache.h"
#include <stdlib.h>
#include <string.h>

enum { DATA_BITS = 16, ADDR_BITS = 8, DESCRIPTOR = 0x4c43, DESCRIPTOR_WORDS = 7, NAMES_BYTES = 128 + 32 + 32 + 16 };

// The routers of a design.
static struct crl_geometry geometry_of(const struct crl_board_design *design, uint32_t rows)
{
    return (struct crl_geometry){.ports = design->ports,
                                 .lanes = 1,
                                 .banks = 1,
                                 .write_xbar = design->combine != 0,
                                 .delay = 1,
                                 .waddr_field = 1,
                                 .data_width = DATA_BITS,
                                 .addr_width = ADDR_BITS,
                                 .rows = rows,
                                 .words = 1,
                                 .combine = design->combine};
}

static uint32_t row_bits(const struct crl_board_design *design)
{
    struct crl_geometry g = geometry_of(design, 1);
    return crl_row_bits(&g);
}

static uint32_t nodes_a_line(const struct crl_board_design *design) { return design->nodes / design->steps; }

uint32_t crl_board_table_words(const struct crl_board_design *design)
{
    return (uint32_t)crl_ceil_div(nodes_a_line(design) * row_bits(design), 16);
}

uint32_t crl_board_port_bits(const struct crl_board_design *design) { return crl_bits_for(design->ports + 1); }

uint32_t crl_board_trace_words(const struct crl_board_design *design)
{
    return (uint32_t)crl_ceil_div(nodes_a_line(design) * (DATA_BITS + crl_board_port_bits(design)), 16);
}

static uint32_t rows_max(const struct crl_board_design *design) { return CRL_BOARD_LINES / design->steps - 1; }

const struct crl_board_design *crl_records_design(const struct crl_board_kind *kind, const struct crl_image *image)
{
    size_t count;
    const struct crl_board_design *d = crl_board_designs(&count), *own = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(d[i].board, kind->name) || !d[i].steps) continue;
        if (!d[i].combine == !image->geometry.combine) return &d[i];
        if (!own) own = &d[i];
    }
    return own;
}

static int sums_fit(const struct crl_board_design *design, const struct crl_geometry *g, struct crl_diag *diag)
{
    if (!g->combine == !design->combine && g->combine != design->combine)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "the image makes sums by --op %s, and the routers of %s by add",
                        crl_op_name(crl_geometry_op(g)), design->name);
    if (g->combine && !design->combine)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image makes sums, and no design for the FPGA of this board does (%s)", design->name);
    if (g->combine && g->lanes == 1 && g->banks != 1)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image needs %u banks a node, as every scan needs two, and there is room for one in %s",
                        g->banks, design->name);
    return 0;
}

int crl_records_fit(const struct crl_board_design *design, const struct crl_image *image, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    int error = sums_fit(design, g, diag);
    if (error) return error;
    char topology[32];
    snprintf(topology, sizeof topology, "hypercube:%u", design->ports);
    if (image->latencies)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image is for links that take longer than a slot; those of %s take one", design->name);
    if (strcmp(image->topology, topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "the image is for %s, and %s is a %s", image->topology, design->name,
                        topology);
    if (g->lanes != 1 || g->banks != 1 || g->write_xbar != (design->combine != 0) || !g->waddr_field ||
        g->data_width != DATA_BITS)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image is for routers of %u lanes, %u banks and %u-bit words; those of the board have 1 "
                        "lane, 1 bank and 16 bits: build it with --lanes 1 --width 16",
                        g->lanes, g->banks, g->data_width);
    if (g->addr_width > ADDR_BITS || g->rows > rows_max(design))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "the image has %u rows and addresses of %u bits; the board takes %u rows and 8 bits", g->rows,
                        g->addr_width, rows_max(design));
    return 0;
}

// ---- building

// Room for a record of zeros; NULL: no memory.
static uint16_t *add_record(struct crl_records *r, uint32_t addr, size_t count)
{
    size_t all = 2 + count + count % 2;
    if (r->count + all > r->capacity) {
        size_t capacity = (r->count + all) * 2;
        if (CRL_RESIZE(capacity, {&r->words, sizeof *r->words})) return NULL;
        r->capacity = capacity;
    }
    uint16_t *at = r->words + r->count;
    memset(at, 0, sizeof *at * all);
    at[0] = (uint16_t)addr;
    at[1] = (uint16_t)count;
    r->count += all;
    return at + 2;
}

static bool add_notes(struct crl_records *r, const struct crl_image *image)
{
    char names[NAMES_BYTES] = {0};
    memcpy(names, image->topology, sizeof image->topology);
    memcpy(names + 128, image->collective, sizeof image->collective);
    memcpy(names + 160, image->scheme, sizeof image->scheme);
    memcpy(names + 192, CARILLON_VERSION, sizeof CARILLON_VERSION);
    uint16_t *words = add_record(r, CRL_REGION_NOTES, NAMES_BYTES / 2);
    for (size_t i = 0; words && i < NAMES_BYTES / 2; i++)
        words[i] = (uint16_t)((uint8_t)names[2 * i] | (uint8_t)names[2 * i + 1] << 8);
    return words;
}

// Puts a row of `bits` bits into a line of words, from bit `at` on.
static void place_row(uint16_t *line, uint32_t at, const uint32_t *row, uint32_t bits)
{
    for (uint32_t i = 0; i < bits; i++)
        if (row[i / 32] >> i % 32 & 1) line[(at + i) / 16] |= (uint16_t)(1u << (at + i) % 16);
}

static bool add_tables(struct crl_records *r, const struct crl_board_design *design, const struct crl_image *image)
{
    struct crl_geometry g = geometry_of(design, image->geometry.rows);
    uint32_t bits = row_bits(design), shift = crl_bits_for(crl_board_table_words(design)), group = nodes_a_line(design);
    uint16_t *lines = add_record(r, CRL_REGION_TABLES, (size_t)g.rows * design->steps << shift);
    if (!lines) return false;
    for (uint32_t row = 0; row < g.rows; row++)
        for (uint32_t v = 0; v < design->nodes; v++) {
            struct crl_row fields;
            uint32_t packed[4] = {0};
            crl_row_unpack(&image->geometry, crl_image_row(image, image->node_table[v], row), &fields);
            crl_row_pack(&g, &fields, packed);
            place_row(lines + ((size_t)(row * design->steps + v / group) << shift), v % group * bits, packed, bits);
        }
    return true;
}

static uint32_t crc_of_lines(const uint16_t *lines, size_t count, uint32_t words, uint32_t shift)
{
    uint32_t crc = 0;
    for (size_t l = 0; l < count; l++)
        for (uint32_t c = 0; c < words; c++) {
            uint16_t word = lines[(l << shift) + c];
            crc = (uint32_t)crc32_z(crc, (const uint8_t[]){(uint8_t)word, (uint8_t)(word >> 8)}, 2);
        }
    return crc;
}

static bool add_descriptor(struct crl_records *r, const struct crl_board_design *design, size_t tables)
{
    uint32_t words = crl_board_table_words(design), shift = crl_bits_for(words);
    uint32_t addr = CRL_REGION_TABLES + ((CRL_BOARD_LINES - 1) << shift);
    uint16_t *d = add_record(r, addr, DESCRIPTOR_WORDS); // may move the words
    if (!d) return false;
    uint32_t crc = crc_of_lines(r->words + tables + 2, (size_t)r->rows * design->steps, words, shift);
    const uint32_t values[DESCRIPTOR_WORDS] = {DESCRIPTOR, r->rows,     r->rows ^ 0xffff, crc,
                                               crc >> 16,  r->identity, r->identity >> 16};
    for (int i = 0; i < DESCRIPTOR_WORDS; i++) d[i] = (uint16_t)values[i];
    return true;
}

// The part of a packet memory that a schedule starts from; of packets of several words the first ones.
static bool add_packets(struct crl_records *r, const struct crl_image *image, const struct crl_problem *problem,
                        uint64_t seed, uint32_t node)
{
    uint32_t set = image->folded ? 0 : node, low = CRL_BOARD_ADDRS, high = 0;
    const struct crl_places *before = &image->before[set];
    for (uint32_t i = 0; i <= before->count; i++) {
        uint32_t addr = i < before->count ? before->place[i].addr : crl_image_zero(image, set, 0);
        if (addr >= CRL_BOARD_ADDRS) continue; // no zero
        if (addr < low) low = addr;
        if (addr >= high) high = addr + 1;
    }
    if (low >= high) return true;
    CRL_OWNED uint64_t *memory = calloc((size_t)image->geometry.words * CRL_BOARD_ADDRS, sizeof *memory);
    uint16_t *words = memory ? add_record(r, CRL_REGION_PACKETS + node * CRL_BOARD_ADDRS + low, high - low) : NULL;
    if (words) crl_fill_memory(image, problem, seed, node, CRL_BOARD_ADDRS, memory);
    for (uint32_t a = low; words && a < high; a++) words[a - low] = (uint16_t)memory[a];
    return words;
}

// The CRC at the end of an image file will not do: as each section is followed by its own CRC, it is the same for all
// images of one shape.
static uint32_t crc_of_sections(const uint8_t *file, size_t count)
{
    enum { HEADER = 32, SECTION = 8, CRC = 4 };
    uint32_t crc = 0;
    for (size_t at = HEADER; at + SECTION + CRC < count;) {
        at += SECTION + crl_get32(file + at + 4);
        crc = (uint32_t)crc32_z(crc, file + at, CRC);
        at += CRC;
    }
    return crc;
}

int crl_board_identity(const struct crl_image *image, uint32_t *identity, struct crl_diag *diag)
{
    CRL_OWNED char *bytes = NULL;
    size_t count = 0;
    FILE *file = open_memstream(&bytes, &count);
    if (!file) return crl_fail_memory(diag);
    int error = crl_image_write(image, file, diag);
    if (fclose(file) && !error) error = crl_fail_memory(diag);
    if (!error) *identity = crc_of_sections((const uint8_t *)bytes, count);
    return error;
}

enum { CACHE_NAME = 32 };

static void cache_name(char name[CACHE_NAME], uint32_t identity)
{
    snprintf(name, CACHE_NAME, "board-%08x.img", identity);
}

static int write_image(FILE *file, void *image) { return crl_image_write(image, file, NULL); }

void crl_board_remember(const struct crl_context *context, const struct crl_image *image)
{
    struct crl_image copy = *image; // the callback's argument is not const
    char name[CACHE_NAME];
    uint32_t identity;
    if (crl_board_identity(image, &identity, NULL)) return;
    cache_name(name, identity);
    crl_cache_write(context, name, write_image, &copy);
}

FILE *crl_board_recall(const struct crl_context *context, uint32_t identity)
{
    char name[CACHE_NAME];
    cache_name(name, identity);
    return crl_cache_open(context, name);
}

int crl_records_build(struct crl_records *r, const struct crl_board_design *design, const struct crl_image *image,
                      const struct crl_problem *problem, uint64_t seed, struct crl_diag *diag)
{
    *r = (struct crl_records){.design = design, .rows = image->geometry.rows};
    int error = crl_records_fit(design, image, diag);
    if (!error) error = crl_board_identity(image, &r->identity, diag);
    if (error) return error;
    bool good = add_notes(r, image);
    size_t tables = r->count;
    good = good && add_tables(r, design, image) && add_descriptor(r, design, tables);
    for (uint32_t v = 0; v < design->nodes && good; v++) good = add_packets(r, image, problem, seed, v);
    return good && add_record(r, 0, 0) ? 0 : crl_fail_memory(diag);
}

// The words of a line in one number, the last first.
static void print_lines(const uint16_t *lines, uint32_t words, uint32_t shift, FILE *out)
{
    for (uint32_t l = 0; l < CRL_BOARD_LINES; l++) {
        for (uint32_t c = words; c--;) fprintf(out, "%04x", lines[(l << shift) + c]);
        fputc('\n', out);
    }
}

int crl_board_tables(const struct crl_image *image, FILE *out, struct crl_diag *diag)
{
    size_t count, i = 0;
    const struct crl_board_kind *kinds = crl_board_kinds(&count);
    const struct crl_board_design *design = crl_records_design(kinds, image);
    while (++i < count && (design->ports != image->geometry.ports || !design->combine != !image->geometry.combine))
        design = crl_records_design(&kinds[i], image);
    CRL_ENDED(crl_records_done) struct crl_records r = {.rows = image->geometry.rows};
    int error = crl_records_fit(design, image, diag);
    if (!error) error = crl_board_identity(image, &r.identity, diag);
    if (error) return error;
    uint32_t words = crl_board_table_words(design), shift = crl_bits_for(words);
    CRL_OWNED uint16_t *lines = calloc((size_t)CRL_BOARD_LINES << shift, sizeof *lines);
    if (lines && add_tables(&r, design, image) && add_descriptor(&r, design, 0)) {
        struct crl_record record;
        for (size_t at = 0; crl_records_next(&r, &at, &record);)
            memcpy(lines + record.addr - CRL_REGION_TABLES, record.words, sizeof *lines * record.count);
        print_lines(lines, words, shift, out);
    } else error = crl_fail_memory(diag);
    return error;
}

void crl_records_done(struct crl_records *records)
{
    free(records->words);
    *records = (struct crl_records){0};
}

bool crl_records_next(const struct crl_records *records, size_t *at, struct crl_record *record)
{
    const uint16_t *w = records->words + *at;
    if (*at >= records->count || !w[1]) return false;
    *record = (struct crl_record){w[0], w[1], w + 2};
    *at += 2 + w[1] + w[1] % 2u;
    return true;
}

uint8_t *crl_records_bytes(const struct crl_records *records, size_t *count)
{
    *count = records->count * 2;
    uint8_t *bytes = malloc(*count);
    for (size_t i = 0; bytes && i < records->count; i++) crl_put16(bytes + 2 * i, records->words[i]);
    return bytes;
}
