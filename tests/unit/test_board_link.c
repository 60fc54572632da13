// SPDX-License-Identifier: Apache-2.0
// The serial link: frames as docs/formats/board.md has them, and every way in which one can get lost.
#include "unit_image.h"
#include "unit_link.h"
#include "board/board.h"
#include "board/records.h"

static struct fake_link *open_fake(struct crl_link *link)
{
    struct fake_link *f = calloc(1, sizeof *f);
    struct crl_diag diag;
    assert_non_null(f);
    f->pipe = (struct crl_pipe){f, 1, "testing", link_control, link_write, link_read};
    assert_int_equal(crl_link_open(link, &f->pipe, NULL, &diag), 0);
    return f;
}

static void test_words(void **state)
{
    (void)state;
    struct crl_link link;
    struct fake_link *f = open_fake(&link);
    struct crl_diag diag;
    uint16_t out[1300], in[1300];
    for (int i = 0; i < 1300; i++) out[i] = (uint16_t)(i * 49157);
    assert_int_equal(crl_link_write(&link, 0x1000, out, 1300, &diag), 0);
    assert_int_equal(f->frames, 6);
    assert_memory_equal(f->memory + 0x1000, out, sizeof out);
    assert_int_equal(crl_link_read(&link, 0x1000, in, 1300, &diag), 0);
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(crl_link_read(&link, 0x1000, in, 0, &diag), 0);
    assert_int_equal(f->frames, 12);
    assert_int_equal(link.retries, 0);
    free(f);
}

// Whatever happens once or twice to any frame is mended; what does not end is an error.
static void test_troubles(void **state)
{
    (void)state;
    for (int trouble = LOSE_REQUEST; trouble < TROUBLES; trouble++)
        for (long at = 0; at < 6; at++)
            for (long count = 1; count < 3; count++) {
                struct crl_link link;
                struct fake_link *f = open_fake(&link);
                struct crl_diag diag;
                uint16_t out[1300], in[1300] = {0};
                for (int i = 0; i < 1300; i++) out[i] = (uint16_t)(i * 49157);
                f->trouble = (enum trouble)trouble;
                f->trouble_at = at;
                f->trouble_count = count;
                assert_int_equal(crl_link_write(&link, 0x1000, out, 1300, &diag), 0);
                assert_int_equal(crl_link_read(&link, 0x1000, in, 1300, &diag), 0);
                assert_memory_equal(in, out, sizeof in);
                assert_true(link.retries > 0);
                free(f);
            }
}

static void test_dead_line(void **state)
{
    (void)state;
    for (int trouble = LOSE_REQUEST; trouble <= BAD_PAYLOAD_CRC; trouble++) {
        struct crl_link link;
        struct fake_link *f = open_fake(&link);
        struct crl_diag diag;
        uint16_t words[4];
        f->trouble = (enum trouble)trouble;
        f->trouble_count = 1000;
        assert_int_equal(crl_link_read(&link, 0x1000, words, 4, &diag), CRL_ERR_DEVICE);
        assert_non_null(strstr(diag.text, "does not answer"));
        assert_int_equal(f->frames, 4);
        f->trouble = NONE;
        assert_int_equal(crl_link_read(&link, 0x1000, words, 4, &diag), 0);
        free(f);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        [3] = "belong together", [4] = "belong together", [5] = "busy", [6] = "no schedule"};
    for (uint8_t status = 3; status <= 6; status++) {
        struct crl_link link;
        struct fake_link *f = open_fake(&link);
        struct crl_diag diag;
        uint16_t word;
        f->status = status;
        assert_int_equal(crl_link_read(&link, 0x1000, &word, 1, &diag), CRL_ERR_DEVICE);
        if (!strstr(diag.text, texts[status])) fail_msg("%s", diag.text);
        assert_int_equal(f->frames, 1); // asking again would not help
        free(f);
    }
}

static void test_dead_pipe(void **state)
{
    (void)state;
    struct crl_link link;
    struct fake_link *f = open_fake(&link);
    struct crl_diag diag;
    uint16_t word;
    bool present;
    f->dead = true;
    assert_int_equal(crl_link_read(&link, 0x1000, &word, 1, &diag), CRL_ERR_DEVICE);
    assert_string_equal(diag.text, "dead");
    assert_int_equal(crl_link_probe(&link, &present, &diag), CRL_ERR_DEVICE);
    free(f);
}

static void test_once(void **state)
{
    (void)state;
    for (int trouble = NONE; trouble < JUNK_BEFORE; trouble++) {
        if (trouble == FLIP_PAYLOAD) continue; // there is none
        struct crl_link link;
        struct fake_link *f = open_fake(&link);
        struct crl_diag diag;
        bool lost = false;
        f->trouble = (enum trouble)trouble;
        f->trouble_count = 1;
        int error = crl_link_once(&link, 0x1d, 1, &lost, &diag);
        assert_int_equal(error, trouble == NONE ? 0 : CRL_ERR_DEVICE);
        assert_int_equal(lost, trouble != NONE);
        assert_int_equal(f->frames, 1);
        free(f);
    }
}

static void test_probe(void **state)
{
    (void)state;
    struct crl_link link;
    struct fake_link *f = open_fake(&link);
    struct crl_diag diag;
    bool present = true;
    assert_int_equal(crl_link_probe(&link, &present, &diag), 0);
    assert_false(present);
    f->memory[0] = 0xca11;
    f->trouble = LOSE_REQUEST;
    f->trouble_at = f->frames;
    f->trouble_count = 1;
    assert_int_equal(crl_link_probe(&link, &present, &diag), 0);
    assert_true(present);
    free(f);
}

// ---- the design behind the link

static void expect_connect(struct fake_link *f, int result, const char *words)
{
    size_t count;
    struct crl_board board = {.found = {.kind = crl_board_kinds(&count)}, .uart = &f->pipe, .patience_ms = 20};
    struct crl_diag diag = {0};
    assert_int_equal(crl_board_connect(&board, &diag), result);
    if (!strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
}

static void test_designs(void **state)
{
    (void)state;
    struct crl_link link;
    struct fake_link *f = open_fake(&link);
    static const uint16_t icebreaker[] = {0xca11, 1, 1, 0x0100, 0, 0, 8, 3, 26, 16, 8, 1};
    expect_connect(f, CRL_ERR_DEVICE, "does not answer");
    memcpy(f->memory, icebreaker, sizeof icebreaker);
    expect_connect(f, 0, "");
    f->memory[1] = 2;
    expect_connect(f, CRL_ERR_DEVICE, "protocol 2");
    f->memory[1] = 1;
    f->memory[2] = 2;
    expect_connect(f, CRL_ERR_DEVICE, "for another board");
    f->memory[2] = 1;
    f->memory[0x10] = 2; // loads for ever
    expect_connect(f, CRL_ERR_DEVICE, "not done after");
    free(f);
}

static int play_image(struct crl_board *board, struct fake_link *f, struct crl_image *image, struct unit *u,
                      struct crl_diag *diag)
{
    uint32_t identity;
    assert_int_equal(crl_board_identity(image, &identity, diag), 0);
    f->memory[0x14] = (uint16_t)identity;
    f->memory[0x15] = (uint16_t)(identity >> 16);
    f->memory[0x16] = (uint16_t)image->geometry.rows;
    return crl_board_play(board, image, &u->problem, 1, 1, diag);
}

static void test_play_refuses(void **state)
{
    (void)state;
    struct crl_link link;
    struct fake_link *f = open_fake(&link);
    struct crl_diag diag = {0};
    struct unit u;
    struct crl_image image = {0};
    size_t count;
    struct crl_board board = {.found = {.kind = crl_board_kinds(&count) + 1}, .uart = &f->pipe, .patience_ms = 20};
    static const uint16_t hx8k[] = {0xca11, 1, 2, 0x0100, 0, 0, 16, 4, 26, 16, 8, 4};
    unit_plan(&u, unit_schemes[4], 4, 0);
    struct crl_lower_options how = {1, 1, 1, 16, 0, 0};
    assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "recursive", &how, &diag), 0);
    memcpy(f->memory, hx8k, sizeof hx8k);
    assert_int_equal(crl_board_play(&board, &image, &u.problem, 1, 1, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "no schedule"));
    f->memory[0x10] = 4;
    assert_int_equal(crl_board_play(&board, &image, &u.problem, 1, 1, &diag), CRL_ERR_MISMATCH);
    assert_non_null(strstr(diag.text, "another one"));
    assert_int_equal(f->writes, 0); // nothing was changed
    // A board that never ends is given up.
    assert_int_equal(play_image(&board, f, &image, &u, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "not done after"));
    // One that says it has ended, and has recorded nothing, has sent nothing.
    f->memory[0x10] = 4 | 16;
    assert_int_equal(play_image(&board, f, &image, &u, &diag), 0);
    struct crl_player player = crl_board_player(&board);
    const uint32_t *valid;
    const uint64_t *data;
    uint32_t steps = 0;
    for (int last = 0; !last; steps++) {
        last = player.step(player.self, &valid, &data);
        for (int v = 0; v < 16; v++) assert_int_equal(valid[v], 0);
    }
    assert_int_equal(steps, image.geometry.rows);
    // A trace that cannot be is no trace: node 0 on port 5 (of 0…3, 7: none).
    f->memory[0x17] = 1;
    for (int i = 0; i < 4 * 8; i++) f->memory[0x3000 + i] = 0xffff;
    f->memory[0x3001] = 0xfffd;
    assert_int_equal(play_image(&board, f, &image, &u, &diag), CRL_ERR_DEVICE);
    assert_non_null(strstr(diag.text, "port 5 of node 0"));
    board.uart = NULL;
    free(board.valid);
    free(board.data);
    free(board.memory);
    crl_image_done(&image);
    unit_close(&u);
    free(f);
}

// ---- records

static void expect_fit(struct crl_image *image, int result, const char *words)
{
    size_t count;
    struct crl_diag diag = {0};
    assert_int_equal(crl_records_fit(crl_board_designs(&count), image, &diag), result);
    if (!strstr(diag.text, words)) fail_msg("no '%s' in: %s", words, diag.text);
}

static void test_fit(void **state)
{
    (void)state;
    struct crl_image image = {.geometry = {3, 1, 1, 0, 1, 1, 16, 8, 255, 1}, .topology = "hypercube:3", .nodes = 8};
    expect_fit(&image, 0, "");
    image.geometry.delay = 0;
    image.geometry.addr_width = 6;
    image.geometry.words = 7;
    expect_fit(&image, 0, "");
    image.geometry.rows = 256;
    expect_fit(&image, CRL_ERR_UNSUPPORTED, "256 rows");
    image.geometry.rows = 9;
    image.geometry.addr_width = 9;
    expect_fit(&image, CRL_ERR_UNSUPPORTED, "addresses of 9 bits");
    image.geometry.addr_width = 8;
    uint32_t *const fields[] = {&image.geometry.lanes, &image.geometry.banks, &image.geometry.write_xbar,
                                &image.geometry.waddr_field, &image.geometry.data_width};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint32_t was = *fields[i];
        *fields[i] = was ? was * 2 % 32 : 1;
        if (fields[i] == &image.geometry.waddr_field) *fields[i] = 0;
        expect_fit(&image, CRL_ERR_UNSUPPORTED, "--lanes 1 --width 16");
        *fields[i] = was;
    }
    strcpy(image.topology, "hypercube:4");
    expect_fit(&image, CRL_ERR_UNSUPPORTED, "for hypercube:4");
}

// The records of an image, in the order and with the sizes that the format says; each row readable at its place.
static void test_records(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) { // both boards
        size_t count, at = 0;
        const struct crl_board_design *design = crl_board_designs(&count) + k;
        struct unit u;
        struct crl_image image = {0};
        struct crl_diag diag = {0};
        struct crl_records records;
        struct crl_record r;
        const struct {
            uint32_t line_words, shift, descriptor;
        } expected[] = {{13, 4, 0x1ff0}, {7, 3, 0x17f8}};
        unit_plan(&u, unit_schemes[3], design->ports, 5); // a gather: every node its own table
        struct crl_lower_options how = {1, 1, 1, 16, 0, 0};
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "balanced", &how, &diag), 0);
        assert_int_equal(crl_records_build(&records, design, &image, &u.problem, 1, &diag), 0);
        assert_int_equal(crl_board_table_words(design), expected[k].line_words);
        assert_true(crl_records_next(&records, &at, &r));
        assert_int_equal(r.addr, 0xf000);
        assert_int_equal(r.count, (128 + 32 + 32 + 16) / 2);
        assert_int_equal(r.words[0], 'h' | 'y' << 8);
        assert_true(crl_records_next(&records, &at, &r));
        assert_int_equal(r.addr, 0x1000);
        assert_int_equal(r.count, (image.geometry.rows * design->steps) << expected[k].shift);
        uint32_t crc = 0, group = design->nodes / design->steps;
        for (uint32_t l = 0; l < image.geometry.rows * design->steps; l++)
            for (uint32_t c = 0; c < expected[k].line_words; c++) {
                uint16_t w = r.words[(l << expected[k].shift) + c];
                crc = (uint32_t)crc32_z(crc, (const uint8_t[]){(uint8_t)w, (uint8_t)(w >> 8)}, 2);
            }
        struct crl_geometry g = {design->ports, 1, 1, 0, 1, 1, 16, 8, image.geometry.rows, 1, 0, 0, 0};
        for (uint32_t row = 0; row < g.rows; row++)
            for (uint32_t v = 0; v < design->nodes; v++) {
                const uint16_t *line = r.words + ((size_t)(row * design->steps + v / group) << expected[k].shift);
                uint32_t bits = 0;
                for (uint32_t i = 0; i < 26; i++) {
                    uint32_t b = v % group * 26 + i;
                    bits |= (uint32_t)(line[b / 16] >> b % 16 & 1) << i;
                }
                struct crl_row there, here;
                assert_true(crl_row_unpack(&g, &bits, &there));
                assert_true(crl_row_unpack(&image.geometry, crl_image_row(&image, image.node_table[v], row), &here));
                assert_int_equal(there.bank[0].raddr, here.bank[0].raddr);
                assert_int_equal(there.bank[0].waddr, here.bank[0].waddr);
                assert_int_equal(there.bank[0].wen, here.bank[0].wen);
                assert_int_equal(there.lane[0].ov, here.lane[0].ov);
                assert_int_equal(there.lane[0].oport, here.lane[0].oport);
                assert_int_equal(there.lane[0].iport, here.lane[0].iport);
            }
        assert_true(crl_records_next(&records, &at, &r));
        assert_int_equal(r.addr, expected[k].descriptor);
        assert_int_equal(r.count, 7);
        const uint32_t descriptor[] = {0x4c43,
                                       g.rows,
                                       g.rows ^ 0xffff,
                                       crc & 0xffff,
                                       crc >> 16,
                                       records.identity & 0xffff,
                                       records.identity >> 16};
        for (int i = 0; i < 7; i++) assert_int_equal(r.words[i], descriptor[i]);
        uint32_t last = 0x2000;
        while (crl_records_next(&records, &at, &r)) {
            assert_true(r.addr >= last && r.addr + r.count <= 0x2000 + design->nodes * 256);
            last = r.addr + (uint32_t)r.count;
        }
        assert_int_equal(at, records.count - 2); // the end, and nothing after it
        assert_int_equal(records.words[at], 0);
        crl_records_done(&records);
        crl_image_done(&image);
        unit_close(&u);
    }
}

// Images of one shape have different identities; one that was written and read has the same.
static void test_identity(void **state)
{
    (void)state;
    uint32_t identity[3];
    for (int i = 0; i < 3; i++) {
        struct unit u;
        struct crl_image image = {0}, read;
        struct crl_diag diag;
        uint32_t again;
        unit_plan(&u, unit_schemes[i < 2 ? 2 : 3], 3, i == 1 ? 5 : 0); // scatter, from another root; gather
        struct crl_lower_options how = {1, 1, 1, 16, 0, 0};
        assert_int_equal(crl_lower(&image, &u.schedule, &u.problem, "balanced", &how, &diag), 0);
        assert_int_equal(crl_board_identity(&image, &identity[i], &diag), 0);
        FILE *file = tmpfile();
        assert_int_equal(crl_image_write(&image, file, &diag), 0);
        rewind(file);
        assert_int_equal(read_image(&read, file, "x", &diag), 0);
        fclose(file);
        assert_int_equal(crl_board_identity(&read, &again, &diag), 0);
        assert_int_equal(again, identity[i]);
        crl_image_done(&read);
        crl_image_done(&image);
        unit_close(&u);
    }
    assert_int_not_equal(identity[0], identity[1]);
    assert_int_not_equal(identity[0], identity[2]);
    assert_int_not_equal(identity[1], identity[2]);
}

// The line that messages tell the user to install is the one in the file that is installed.
static void test_udev_rule(void **state)
{
    (void)state;
    char line[512];
    bool found = false;
    FILE *file = fopen(CRL_GOLDEN_DIR "/../../fpga/60-carillon.rules", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        found |= !strcmp(line, crl_board_udev_rule());
    }
    fclose(file);
    assert_true(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),    cmocka_unit_test(test_troubles),  cmocka_unit_test(test_dead_line),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_dead_pipe), cmocka_unit_test(test_once),
        cmocka_unit_test(test_probe),    cmocka_unit_test(test_designs),   cmocka_unit_test(test_play_refuses),
        cmocka_unit_test(test_fit),      cmocka_unit_test(test_records),   cmocka_unit_test(test_udev_rule),
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
