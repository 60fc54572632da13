// SPDX-License-Identifier: Apache-2.0
// Rows as bits and images as files. With --update it writes the golden images.
#include "unit_image.h"

static bool update;

// ---- rows

// A second writing of "Bits of a row" in docs/formats/row.md.
struct bits {
    uint32_t word[512], at;
};

static void put(struct bits *bits, uint32_t value, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++, bits->at++) bits->word[bits->at / 32] |= (value >> i & 1) << bits->at % 32;
}

static uint32_t log2_up(uint32_t n) { return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1); }

static bool is_direct(const struct crl_geometry *g) { return g->banks < g->lanes; }

static uint32_t select_width(const struct crl_geometry *g)
{
    return log2_up(is_direct(g) ? g->lanes + g->banks : g->banks);
}

static uint32_t group_width(const struct crl_geometry *g) { return log2_up((g->ports + g->lanes - 1) / g->lanes); }

static void lay_out(const struct crl_geometry *g, const struct crl_row *row, struct bits *bits)
{
    memset(bits, 0, sizeof *bits);
    put(bits, 0, 1);
    for (uint32_t b = 0; b < g->banks; b++) {
        put(bits, row->bank[b].raddr, g->addr_width);
        if (!is_direct(g)) put(bits, row->bank[b].byp, 1);
        if (g->delay) put(bits, row->bank[b].dly, 1);
        put(bits, row->bank[b].wen, 1);
        if (g->write_xbar) put(bits, row->bank[b].wsel, log2_up(g->lanes));
        if (g->waddr_field) put(bits, row->bank[b].waddr, g->addr_width);
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        put(bits, row->lane[j].ov, 1);
        put(bits, row->lane[j].osel, select_width(g));
        put(bits, row->lane[j].oport, group_width(g));
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        put(bits, row->lane[j].exp, 1);
        put(bits, row->lane[j].iport, group_width(g));
    }
    uint32_t ones = 0;
    for (uint32_t i = 0; i < bits->at; i++) ones += bits->word[i / 32] >> i % 32 & 1;
    bits->word[0] |= ones % 2;
}

static struct crl_geometry random_geometry(uint64_t *random)
{
    struct crl_geometry g = {.ports = 1 + unit_below(random, CRL_PORTS_MAX)};
    g.lanes = 1 + unit_below(random, g.ports);
    g.write_xbar = unit_below(random, 2);
    g.banks = g.write_xbar ? 1 + unit_below(random, CRL_BANKS_MAX) : g.lanes;
    g.delay = is_direct(&g) ? 0 : unit_below(random, 2);
    g.waddr_field = unit_below(random, 2);
    g.addr_width = 1 + unit_below(random, unit_below(random, 4) ? 12 : 30);
    return g;
}

static struct crl_row random_row(const struct crl_geometry *g, uint64_t *random)
{
    struct crl_row row = {0};
    uint32_t addr = UINT32_MAX >> (32 - g->addr_width);
    for (uint32_t b = 0; b < g->banks; b++) {
        row.bank[b].raddr = (uint32_t)unit_random(random) & addr;
        row.bank[b].byp = (uint8_t)(unit_below(random, 2) && !is_direct(g));
        row.bank[b].dly = (uint8_t)(unit_below(random, 2) && g->delay);
        row.bank[b].wen = (uint8_t)unit_below(random, 2);
        row.bank[b].wsel = (uint8_t)(g->write_xbar ? unit_below(random, 1u << log2_up(g->lanes)) : 0);
        row.bank[b].waddr = g->waddr_field ? (uint32_t)unit_random(random) & addr : 0;
    }
    for (uint32_t j = 0; j < g->lanes; j++) {
        row.lane[j].ov = (uint8_t)unit_below(random, 2);
        row.lane[j].osel = (uint8_t)unit_below(random, 1u << select_width(g));
        row.lane[j].oport = (uint8_t)unit_below(random, 1u << group_width(g));
        row.lane[j].exp = (uint8_t)unit_below(random, 2);
        row.lane[j].iport = (uint8_t)unit_below(random, 1u << group_width(g));
    }
    return row;
}

static void the_bits_of_a_row_are_those_of_the_document(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int round = 0; round < 3000; round++) {
        struct crl_geometry g = random_geometry(&random);
        struct crl_row row = random_row(&g, &random);
        struct bits bits;
        uint32_t packed[512];
        memset(packed, 0xa5, sizeof packed);
        lay_out(&g, &row, &bits);
        uint32_t xw = g.write_xbar ? log2_up(g.lanes) : 0, sw = select_width(&g), gw = group_width(&g),
                 aw = g.addr_width;
        assert_int_equal(crl_row_bits(&g), 1 + g.banks * (aw + 1 + !is_direct(&g) + g.delay + xw + g.waddr_field * aw) +
                                               g.lanes * (2 + sw + 2 * gw));
        assert_int_equal(crl_row_bits(&g), bits.at);
        assert_int_equal(crl_row_words(&g), (bits.at + 31) / 32);
        crl_row_pack(&g, &row, packed);
        assert_memory_equal(packed, bits.word, crl_row_words(&g) * sizeof *packed);
        assert_int_equal(packed[crl_row_words(&g)], 0xa5a5a5a5u); // not a word further
    }
}

static void packing_loses_nothing(void **state)
{
    (void)state;
    uint64_t random = 12;
    for (int round = 0; round < 3000; round++) {
        struct crl_geometry g = random_geometry(&random);
        struct crl_row row = random_row(&g, &random), back;
        uint32_t packed[512];
        crl_row_pack(&g, &row, packed);
        memset(&back, 0xff, sizeof back);
        assert_true(crl_row_unpack(&g, packed, &back));
        assert_memory_equal(&back, &row, sizeof row);
    }
}

static void a_flipped_bit_of_a_row_is_bad_parity(void **state)
{
    (void)state;
    uint64_t random = 13;
    for (int round = 0; round < 100; round++) {
        struct crl_geometry g = random_geometry(&random);
        struct crl_row row = random_row(&g, &random);
        uint32_t packed[512];
        crl_row_pack(&g, &row, packed);
        for (uint32_t i = 0; i < crl_row_bits(&g); i++) {
            packed[i / 32] ^= UINT32_C(1) << i % 32;
            assert_false(crl_row_unpack(&g, packed, &row));
            packed[i / 32] ^= UINT32_C(1) << i % 32;
        }
        assert_true(crl_row_unpack(&g, packed, &row));
    }
}

// ---- files

static void make(struct crl_image *image, int scheme, uint32_t d, uint32_t lanes)
{
    struct unit u;
    struct crl_lower_options options = {lanes, 0, 1, 32, 0, 0};
    unit_plan(&u, unit_schemes[scheme], d, 0);
    assert_int_equal(crl_lower(image, &u.schedule, &u.problem, unit_schemes[scheme].scheme, &options, &u.diag), 0);
    unit_close(&u);
}

static char *written(const struct crl_image *image, size_t *count)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(crl_image_write(image, file, NULL), 0);
    char *bytes = unit_contents(file, count);
    fclose(file);
    return bytes;
}

static int read_bytes(struct crl_image *image, char *bytes, size_t count, struct crl_diag *diag)
{
    FILE *file = count ? fmemopen(bytes, count, "rb") : tmpfile();
    assert_non_null(file);
    int error = read_image(image, file, "test.img", diag);
    fclose(file);
    return error;
}

static void assert_refused(char *bytes, size_t count)
{
    struct crl_image image;
    struct crl_diag diag;
    assert_int_equal(read_bytes(&image, bytes, count, &diag), CRL_ERR_PARSE);
    assert_string_equal(diag.file, "test.img");
    assert_true(*diag.text);
    assert_null(image.store.bits);
    crl_image_done(&image); // harmless
}

static void images_come_back_as_they_were_written(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 4; d++)
            for (uint32_t lanes = 1; lanes <= d; lanes++) {
                struct crl_image image, back;
                size_t count;
                make(&image, k, d, lanes);
                char *bytes = written(&image, &count);
                assert_int_equal(read_bytes(&back, bytes, count, NULL), 0);
                assert_true(same_image(&image, &back));
                free(bytes);
                crl_image_done(&back);
                crl_image_done(&image);
            }
}

static void images_that_differ_anywhere_are_not_equal(void **state)
{
    (void)state;
    struct crl_image a, b;
    make(&a, 4, 3, 2);
    make(&b, 4, 3, 2);
    assert_true(same_image(&a, &b));
    uint32_t *const numbers[] = {
        &b.geometry.ports,
        &b.geometry.lanes,
        &b.geometry.banks,
        &b.geometry.write_xbar,
        &b.geometry.delay,
        &b.geometry.waddr_field,
        &b.geometry.data_width,
        &b.geometry.rows,
        &b.geometry.words,
        &b.geometry.addr_width,
        &b.nodes,
        &b.root,
        &b.port_model,
        &b.link_cycles,
        &b.tables,
        &b.node_table[7],
        &b.store.bits[0],
        &b.store.bits[5],
        &b.store.use[1].row,
        &b.store.use[2].bits,
        &b.zeros,
        &b.zero[0].addr,
        &b.before[0].count,
        &b.before[0].place[0].addr,
        &b.after[0].place[6].dest,
        &b.after[0].place[6].bank,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        --*numbers[i];
        assert_false(same_image(&a, &b));
        ++*numbers[i];
    }
    b.topology[0] = b.collective[0] = b.scheme[0] = '!';
    for (int i = 0; i < 3; i++) {
        assert_false(same_image(&a, &b));
        strcpy(i == 0   ? b.topology
               : i == 1 ? b.collective
                        : b.scheme,
               i == 0   ? a.topology
               : i == 1 ? a.collective
                        : a.scheme);
    }
    assert_true(same_image(&a, &b));
    crl_image_done(&a);
    crl_image_done(&b);
}

static void every_single_flipped_bit_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k += 4) { // one with a table for each node, one that is relative
        struct crl_image image;
        size_t count;
        make(&image, k, 2, 2 - (uint32_t)k / 4);
        char *bytes = written(&image, &count);
        for (size_t i = 0; i < count * 8; i++) {
            bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
            assert_refused(bytes, count);
            bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        }
        free(bytes);
        crl_image_done(&image);
    }
}

static void cut_off_images_are_refused_at_every_byte(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct crl_image image;
        size_t count;
        make(&image, k, 2, 1);
        char *bytes = written(&image, &count);
        for (size_t n = 0; n < count; n++) assert_refused(bytes, n);
        free(bytes);
        crl_image_done(&image);
    }
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    struct crl_image image;
    size_t count;
    make(&image, 2, 3, 3);
    char *bytes = written(&image, &count);
    bytes = realloc(bytes, count + 64);
    for (int fill = 0; fill < 2; fill++)
        for (size_t more = 1; more <= 64; more++) {
            memset(bytes + count, fill ? 0xff : 0, 64);
            assert_refused(bytes, count + more);
        }
    free(bytes);
    crl_image_done(&image);
}

// ---- damage behind a right CRC: what the reader lets through must be what the bytes say

static void damage_behind_a_right_crc_is_refused_or_taken_literally(void **state)
{
    (void)state;
    int refused = 0, taken = 0;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct crl_image image, back;
        size_t count, again_count;
        make(&image, k, 2, 1 + (uint32_t)k % 2);
        char *bytes = written(&image, &count), *damaged = malloc(count);
        for (size_t i = 0; i < count * 8; i++) {
            if (i / 8 >= 16 && i / 8 < HEADER) continue; // the version of the program that wrote it
            memcpy(damaged, bytes, count);
            damaged[i / 8] = (char)(damaged[i / 8] ^ 1 << i % 8);
            mend(damaged, count);
            if (!memcmp(damaged, bytes, count)) continue; // it was a bit of a CRC
            if (read_bytes(&back, damaged, count, NULL)) {
                refused++;
                continue;
            }
            char *again = written(&back, &again_count);
            assert_int_equal(again_count, count);
            assert_memory_equal(again, damaged, count);
            assert_false(same_image(&image, &back));
            free(again);
            crl_image_done(&back);
            taken++;
        }
        free(damaged);
        free(bytes);
        crl_image_done(&image);
    }
    assert_true(refused > 1000 && taken > 100);
}

// Without a field for them, write addresses are row numbers: a bank must have as many words.
static void tables_with_more_rows_than_addresses_are_refused(void **state)
{
    (void)state;
    struct crl_image image;
    size_t count;
    make(&image, 4, 4, 4);
    assert_int_equal(image.geometry.waddr_field, 0);
    assert_int_equal(image.geometry.rows, 9);
    for (uint32_t width = 1; width <= 4; width++) {
        struct crl_image forged = image, back;
        struct crl_row row = {0};
        struct crl_place own = {0};
        struct crl_places one = {1, &own};
        uint32_t bits[16];
        size_t first[] = {0, 1};
        struct crl_row_use use = {8, 0};
        forged.geometry.addr_width = width;
        forged.store = (struct crl_row_store){crl_row_words(&forged.geometry), 1, bits, first, &use};
        forged.before = forged.after = &one;
        forged.zeros = 0;
        for (uint32_t b = 0; b < 4; b++) row.bank[b].wen = 1;
        crl_row_pack(&forged.geometry, &row, bits);
        char *bytes = written(&forged, &count);
        if (width < 4) {
            assert_refused(bytes, count);
        } else {
            assert_int_equal(read_bytes(&back, bytes, count, NULL), 0);
            crl_image_done(&back);
        }
        free(bytes);
    }
    crl_image_done(&image);
}

static void assert_latencies(const struct crl_image *image, uint32_t count, uint32_t *latency, bool fine)
{
    struct crl_image forged = *image, back;
    size_t size;
    forged.latencies = count;
    forged.latency = latency;
    char *bytes = written(&forged, &size);
    if (fine) {
        assert_int_equal(read_bytes(&back, bytes, size, NULL), 0);
        assert_true(same_image(&forged, &back));
        crl_image_done(&back);
    } else {
        assert_refused(bytes, size);
    }
    free(bytes);
}

static void latencies_that_cannot_be_are_refused(void **state)
{
    enum { PORTS = 3, LINKS = 24 };
    bool folded[2] = {false};
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++) {
        struct crl_image image;
        uint32_t latency[LINKS];
        make(&image, k, PORTS, PORTS);
        for (uint32_t i = 0; i < LINKS; i++) latency[i] = 2;
        assert_latencies(&image, PORTS - 1, latency, false);
        assert_latencies(&image, PORTS + 1, latency, false);
        assert_latencies(&image, PORTS, latency, true);
        assert_latencies(&image, LINKS, latency, !image.folded); // folded, nodes have no links of their own
        latency[1] = 1000;
        assert_latencies(&image, PORTS, latency, true);
        latency[1] = 1001;
        assert_latencies(&image, PORTS, latency, false);
        latency[1] = 0;
        assert_latencies(&image, PORTS, latency, false);
        assert_latencies(&image, LINKS, latency, !image.folded); // there is no such link
        for (uint32_t i = 0; i < LINKS; i++) latency[i] = 1;
        assert_latencies(&image, PORTS, latency, false); // said only where there are others
        folded[image.folded] = true;
        crl_image_done(&image);
    }
    assert_true(folded[false] && folded[true]);
}

// The section is there, and nothing in it.
static void a_section_without_latencies_is_refused(void **state)
{
    enum { PORTS = 3, BODY = 4 * PORTS, CRC = 4, LENGTH = 4 };
    struct crl_image image, forged;
    uint32_t latency[PORTS] = {2, 2, 2};
    size_t count;
    (void)state;
    make(&image, 0, PORTS, PORTS);
    forged = image;
    forged.latencies = PORTS;
    forged.latency = latency;
    char *bytes = written(&forged, &count);
    size_t body = count - CRC - CRC - BODY; // it is the last section
    assert_int_equal(word_at(bytes, body - LENGTH), BODY);
    memset(bytes + body - LENGTH, 0, LENGTH);
    mend(bytes, count -= BODY);
    assert_refused(bytes, count);
    free(bytes);
    crl_image_done(&image);
}

static void golden_images_pin_the_format(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t lanes = 1; lanes <= 3; lanes += 2) {
            struct crl_image image, back;
            char name[128];
            size_t count;
            make(&image, k, 3, lanes);
            char *bytes = written(&image, &count);
            snprintf(name, sizeof name, "images/%s-k%u.img", unit_schemes[k].collective, lanes);
            unit_golden(update, name, bytes, count);
            assert_int_equal(read_bytes(&back, bytes, count, NULL), 0);
            assert_true(same_image(&image, &back));
            crl_image_done(&back);
            crl_image_done(&image);
            free(bytes);
        }
}

int main(int argc, char **argv)
{
    update = unit_wants_update(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_of_a_row_are_those_of_the_document),
        cmocka_unit_test(packing_loses_nothing),
        cmocka_unit_test(a_flipped_bit_of_a_row_is_bad_parity),
        cmocka_unit_test(images_come_back_as_they_were_written),
        cmocka_unit_test(images_that_differ_anywhere_are_not_equal),
        cmocka_unit_test(every_single_flipped_bit_is_refused),
        cmocka_unit_test(cut_off_images_are_refused_at_every_byte),
        cmocka_unit_test(trailing_bytes_are_refused),
        cmocka_unit_test(damage_behind_a_right_crc_is_refused_or_taken_literally),
        cmocka_unit_test(tables_with_more_rows_than_addresses_are_refused),
        cmocka_unit_test(latencies_that_cannot_be_are_refused),
        cmocka_unit_test(a_section_without_latencies_is_refused),
        cmocka_unit_test(golden_images_pin_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
