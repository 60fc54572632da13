// SPDX-License-Identifier: Apache-2.0
// Images of forwarding tables. With --update it writes the golden image.
#include "unit_image.h"
#include "unit_queue.h"

static bool update;

static char *written(const struct crl_queue_tables *tables, size_t *count)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, count);
    assert_non_null(file);
    assert_int_equal(crl_queue_image_write(tables, file, NULL), 0);
    fclose(file);
    return bytes;
}

static int read_bytes(struct crl_queue_tables *tables, char *bytes, size_t count, struct crl_diag *diag)
{
    struct crl_container container;
    FILE *file = fmemopen(bytes, count, "rb");
    assert_non_null(file);
    int error = crl_container_read(&container, file, "test", diag);
    fclose(file);
    if (!error) error = crl_queue_image_parse(tables, &container, diag);
    crl_container_done(&container);
    return error;
}

static void every_scheme_survives_the_file(void **state)
{
    (void)state;
    size_t schemes, count, again_count;
    const struct crl_scheme *table = crl_scheme_table(&schemes);
    for (size_t i = 0; i < schemes; i++)
        for (uint32_t d = table[i].dimensions_min; d <= 5; d++)
            for (int blocking = 0; blocking <= table[i].blocking; blocking++) {
                struct crl_queue_tables tables = tables_of(table[i].name, d, blocking), back;
                struct crl_diag diag;
                char *bytes = written(&tables, &count);
                if (read_bytes(&back, bytes, count, &diag)) fail_msg("%s, d = %u: %s", table[i].name, d, diag.text);
                assert_string_equal(back.topology, tables.topology);
                assert_string_equal(back.scheme, tables.scheme);
                assert_memory_equal(back.root, tables.root, tables.trees * sizeof *tables.root);
                assert_memory_equal(back.node_table, tables.node_table, tables.nodes * sizeof *tables.node_table);
                assert_memory_equal(back.forward, tables.forward,
                                    (size_t)tables.tables * tables.trees * (tables.ports + 2) * sizeof *tables.forward);
                size_t gates = (size_t)tables.tables * tables.period * tables.ports;
                assert_memory_equal(back.accept, tables.accept, gates);
                assert_memory_equal(back.loop_gate, tables.loop_gate, tables.period);
                assert_int_equal(back.blocking, tables.blocking);
                assert_int_equal(back.loops, tables.loops);
                assert_int_equal(crl_queue_check(&back, NULL, NULL), 0);
                char *again = written(&back, &again_count);
                assert_int_equal(again_count, count);
                assert_memory_equal(again, bytes, count);
                free(again);
                free(bytes);
                crl_queue_tables_done(&back);
                crl_queue_tables_done(&tables);
            }
}

static void any_damaged_bit_and_any_cut_is_refused(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("indirect", 2, false), back;
    size_t count;
    char *bytes = written(&tables, &count);
    for (size_t i = 0; i < count * 8; i++) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        assert_int_not_equal(read_bytes(&back, bytes, count, NULL), 0);
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
    }
    for (size_t cut = 1; cut < count; cut++) assert_int_not_equal(read_bytes(&back, bytes, cut, NULL), 0);
    assert_int_equal(read_bytes(&back, bytes, count, NULL), 0);
    crl_queue_tables_done(&back);
    crl_queue_tables_done(&tables);
    free(bytes);
}

// What the reader lets through must be what the bytes say: writing it gives them again, unused fields and all.
static void damage_behind_a_right_crc_is_refused_or_taken_literally(void **state)
{
    (void)state;
    static const char *const names[] = {"periodic", "direct", "indirect", "indirect"};
    unsigned refused = 0, taken = 0;
    for (size_t n = 0; n < 4; n++) {
        struct crl_queue_tables tables = tables_of(names[n], 2, n == 3), back;
        size_t count, again_count;
        char *bytes = written(&tables, &count), *damaged = malloc(count);
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
            free(again);
            crl_queue_tables_done(&back);
            taken++;
        }
        free(damaged);
        free(bytes);
        crl_queue_tables_done(&tables);
    }
    assert_true(refused > 4000 && taken > 100);
}

// The second slot of a coin is for the classes of the first.
static void gates_of_a_coin_without_its_other_half_are_refused(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("indirect", 3, 0), back;
    unsigned tried = 0;
    for (size_t i = 0; i < (size_t)tables.tables * tables.period * tables.ports; i++)
        for (int what = 0; what < 3; what++) {
            struct crl_gate saved = tables.gate[i];
            size_t count;
            if (saved.mode != CRL_GATE_COIN_SECOND) continue;
            if (what == 0) tables.gate[i].a = saved.b;
            if (what == 1) tables.gate[i].b = saved.a;
            if (what == 2) tables.gate[i - tables.ports].mode = CRL_GATE_ORDER; // the first
            char *bytes = written(&tables, &count);
            assert_int_equal(read_bytes(&back, bytes, count, NULL), CRL_ERR_PARSE);
            free(bytes);
            if (what == 2) tables.gate[i - tables.ports].mode = CRL_GATE_COIN_FIRST;
            tables.gate[i] = saved;
            tried++;
        }
    assert_true(tried > 20);
    crl_queue_tables_done(&tables);
}

static void other_forms_are_refused(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("direct", 2, false), back;
    struct crl_image image;
    size_t count;
    char *bytes = written(&tables, &count);
    FILE *file = fmemopen(bytes, count, "rb");
    struct crl_diag diag;
    assert_int_equal(read_image(&image, file, "test", &diag), CRL_ERR_PARSE);
    fclose(file);
    bytes[10] = CRL_FORM_SLOTS;
    mend(bytes, count);
    assert_int_equal(read_bytes(&back, bytes, count, &diag), CRL_ERR_PARSE);
    crl_queue_tables_done(&tables);
    free(bytes);
}

static void a_golden_image_pins_the_format(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("indirect", 3, false);
    size_t count;
    char *bytes = written(&tables, &count);
    unit_golden(update, "images/queue-indirect.img", bytes, count);
    free(bytes);
    crl_queue_tables_done(&tables);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_survives_the_file),
        cmocka_unit_test(any_damaged_bit_and_any_cut_is_refused),
        cmocka_unit_test(gates_of_a_coin_without_its_other_half_are_refused),
        cmocka_unit_test(damage_behind_a_right_crc_is_refused_or_taken_literally),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(a_golden_image_pins_the_format),
    };
    update = unit_wants_update(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
