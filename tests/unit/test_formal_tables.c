// SPDX-License-Identifier: Apache-2.0
// The forwarding tables that tests/formal/crl_cube_progress.sv proves free of deadlock are those the program makes.
// With
// --update it writes them.
#include "unit_queue.h"

static bool update;

static void print_forward(const struct crl_queue_tables *t, FILE *file)
{
    fputs("// {take, deliver, loop, class, ports}\n"
          "function automatic logic [8:0] forward_row(input logic [1:0] node, input logic tree, input logic [1:0] "
          "arrival);\n  case ({node, tree, arrival})\n",
          file);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t k = 0; k < t->trees; k++)
            for (uint32_t a = 0; a < t->ports + 1; a++) {
                const struct crl_forward *f = &crl_queue_forward(t, t->node_table[v], k)[a];
                if (f->take)
                    fprintf(file, "    {2'd%u, 1'd%u, 2'd%u}: forward_row = {1'b1, 1'b%d, 1'b0, 4'd%d, 2'd%d};\n", v, k,
                            a, f->deliver, f->class, f->ports);
            }
    fputs("    default: forward_row = '0;\n  endcase\nendfunction\n", file);
}

static void print_gates(const struct crl_queue_tables *t, FILE *file)
{
    fputs("\n// {accept, position, b, a, mode}\n"
          "function automatic logic [16:0] gate_row(input logic [1:0] node, input logic [1:0] row, input logic port);\n"
          "  case ({node, row, port})\n",
          file);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t row = 0; row < t->period; row++)
            for (uint32_t p = 0; p < t->ports; p++) {
                const struct crl_gate *g = &crl_queue_gate(t, t->node_table[v], row)[p];
                fprintf(file, "    {2'd%u, 2'd%u, 1'd%u}: gate_row = {4'd%d, 2'd%d, 4'd%d, 4'd%d, 3'd%d};\n", v, row, p,
                        crl_queue_accept(t, t->node_table[v], row)[p], g->position, g->b, g->a, g->mode);
            }
    fputs("    default: gate_row = '0;\n  endcase\nendfunction\n", file);
}

static void the_tables_of_the_proof_are_those_of_the_program(void **state)
{
    (void)state;
    struct crl_queue_tables tables = tables_of("indirect", 2, true);
    char *text = NULL;
    size_t count;
    FILE *file = open_memstream(&text, &count);
    assert_non_null(file);
    fputs("// SPDX-License-Identifier: Apache-2.0\n"
          "// Scheme indirect on hypercube:2 with finite buffers. Written by tests/unit/test_formal_tables.c "
          "--update.\n\n",
          file);
    print_forward(&tables, file);
    print_gates(&tables, file);
    fclose(file);
    unit_golden(update, "formal/indirect_cube2.svh", text, count);
    free(text);
    crl_queue_tables_done(&tables);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_tables_of_the_proof_are_those_of_the_program)};
    update = unit_wants_update(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
