// SPDX-License-Identifier: Apache-2.0
// carillon build and dump of forwarding tables.
#include "queue_image.h"
#include <string.h>

bool queue_wanted(const struct options *options)
{
    const struct crl_scheme *scheme;
    return !crl_scheme_find(&scheme, options->operand[0], NULL);
}

bool queue_is_image(const char *path) { return image_has_form(path, CRL_FORM_QUEUES); }

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *summary_of(const struct crl_queue_tables *t, double limit)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:f}", "scheme", t->scheme, "topology",
                     t->topology, "nodes", number(t->nodes), "trees", number(t->trees), "classes", number(t->classes),
                     "period", number(t->period), "cycles", number(t->cycles), "loops", t->loops, "blocking",
                     t->blocking, "tables", number(t->tables), "forward_rows",
                     number((uint64_t)t->tables * t->trees * (t->ports + 2)), "rho_limit", limit);
}

// ---- build

// Options that mean nothing here.
static int refuse(const struct options *options, struct crl_diag *diag)
{
    static const char *const names[] = {"scheme",   "ports",       "root",  "items",  "time",
                                        "operands", "full-duplex", "from",  "lanes",  "relative",
                                        "banks",    "words",       "width", "active", "parts"};
    const char *name = options_first_given(options, names, sizeof names / sizeof *names);
    return name ? crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' is not for random broadcasts", name) : 0;
}

int queue_command_build(const struct options *options)
{
    struct crl_diag diag = {0};
    struct crl_topology *topology = NULL;
    struct crl_queue_tables tables = {0};
    struct output output;
    const struct crl_scheme *scheme;
    double limit = 0;
    if (!options->topology) return complain_usage("which network? Say -t hypercube:8");
    int error = refuse(options, &diag);
    if (!error) error = crl_scheme_find(&scheme, options->operand[0], &diag);
    if (!error) error = crl_topology_parse(&topology, options->topology, &diag);
    if (!error) error = crl_queue_build(&tables, scheme, topology, options->blocking, &diag);
    if (!error) error = crl_queue_check(&tables, &limit, &diag);
    if (!error) {
        error = output_open(&output, options->output, &diag);
        if (!error) error = crl_queue_image_write(&tables, output.file, &diag);
        error = output_close(&output, error, &diag);
    }
    if (!error && strcmp(options->output, "-")) print_summary(summary_of(&tables, limit), options->json);
    int code = complain(error, &diag);
    crl_queue_tables_done(&tables);
    crl_topology_free(topology);
    return code;
}

// ---- dump

static void print_ports(uint32_t mask, FILE *file)
{
    for (; mask; mask &= mask - 1) fprintf(file, " %d", __builtin_ctz(mask));
}

static void print_forward(const struct crl_queue_tables *t, uint32_t tree, const struct crl_forward *rows, FILE *file)
{
    for (uint32_t a = 0; a < t->ports + 2; a++) {
        const struct crl_forward *f = &rows[a];
        if (!f->take) continue;
        fprintf(file, "  tree %u, from ", tree);
        if (a < t->ports) fprintf(file, "port %u:", a);
        else fputs(a == t->ports ? "the processor:" : "the loop-back queue:", file);
        if (f->deliver) fputs(" keep", file);
        if (f->loop) fputs(" loop", file);
        if (f->ports) fprintf(file, " class %u to", f->class);
        print_ports(f->ports, file);
        fputc('\n', file);
    }
}

static void print_gates(const struct crl_queue_tables *t, uint32_t table, uint32_t row, FILE *file)
{
    static const char *const modes[] = {"closed", "order", "coin first", "coin second", "position"};
    fprintf(file, "  slot mod %u = %u%s:", t->period, row, t->loop_gate[row] ? ", loop" : "");
    for (uint32_t p = 0; p < t->ports; p++) {
        const struct crl_gate *g = &crl_queue_gate(t, table, row)[p];
        uint32_t accept = crl_queue_accept(t, table, row)[p];
        fprintf(file, "%s %u %s", p ? "," : "", p, modes[g->mode]);
        if (g->mode != CRL_GATE_CLOSED && g->mode != CRL_GATE_COIN_SECOND) fprintf(file, " %u", g->a);
        if (g->mode == CRL_GATE_COIN_FIRST || (g->mode == CRL_GATE_ORDER && g->b != CRL_GATE_NO_CLASS))
            fprintf(file, " %u", g->b);
        if (g->mode == CRL_GATE_POSITION) fprintf(file, " at %u", g->position);
        if (accept != CRL_GATE_NO_TREE) fprintf(file, " takes tree %u", accept);
    }
    fputc('\n', file);
}

static void dump_text(const struct crl_queue_tables *t, const struct options *options, FILE *file)
{
    fprintf(file, "%s on %s%s\n%u trees, %u classes, period %u, %u cycles a slot\n", t->scheme, t->topology,
            t->blocking ? ", buffers that block" : "", t->trees, t->classes, t->period, t->cycles);
    for (uint32_t k = 0; k < t->trees; k++)
        if (t->root[k] != CRL_NONE) fprintf(file, "tree %u has its root at node %u\n", k, t->root[k]);
    for (uint32_t i = 0; i < t->tables; i++) {
        if (options->table != CRL_NONE && options->table != i) continue;
        fprintf(file, "table %u:\n", i);
        for (uint32_t k = 0; k < t->trees; k++) print_forward(t, k, crl_queue_forward(t, i, k), file);
        for (uint32_t row = 0; row < t->period; row++) print_gates(t, i, row, file);
    }
}

static int read_image(struct crl_queue_tables *tables, const char *path, struct crl_diag *diag)
{
    struct crl_container container = {0};
    FILE *file = input_open(path, diag);
    if (!file) return CRL_ERR_IO;
    int error = crl_container_read(&container, file, path, diag);
    input_close(file);
    if (!error) error = crl_queue_image_parse(tables, &container, diag);
    crl_container_done(&container);
    return error;
}

int queue_command_dump(const struct options *options)
{
    struct crl_diag diag = {0};
    struct crl_queue_tables tables = {0};
    struct output output = {0};
    const char *format = options->json ? "json" : options->format ? options->format : "text";
    double limit = 0;
    if (strcmp(format, "text") && strcmp(format, "json"))
        return complain_usage("--format of forwarding tables is text or json, not '%s'", format);
    int error = read_image(&tables, options->operand[0], &diag);
    if (!error && options->table != CRL_NONE && options->table >= tables.tables)
        error = crl_fail(&diag, CRL_ERR_ARGUMENT, "table '%u'; the image has %u", options->table, tables.tables);
    if (!error && crl_queue_check(&tables, &limit, &diag)) // dump shows it all the same
        fprintf(stderr, "%s: warning: %s\n", options->operand[0], diag.text);
    if (!error) error = output_open(&output, options->output, &diag);
    if (!error && !strcmp(format, "text")) dump_text(&tables, options, output.file);
    else if (!error) {
        json_t *summary = summary_of(&tables, limit);
        json_dumpf(summary, output.file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        fputc('\n', output.file);
        json_decref(summary);
    }
    error = output_close(&output, error, &diag);
    int code = complain(error, &diag);
    crl_queue_tables_done(&tables);
    return code;
}
