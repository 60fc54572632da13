// SPDX-License-Identifier: Apache-2.0
// Sums of an emitted fabric: what its files say of them, and in which order its bench adds floating-point numbers,
// which the schedule says, not the tables.
#include "machine/slots/emission.h"

bool geometry_adds_floats(const struct crl_geometry *geometry)
{
    return geometry->combine && crl_op_floats(crl_geometry_op(geometry));
}

bool adds_floats(const struct emission *e) { return geometry_adds_floats(&e->geometry); }

bool adds_halves(const struct emission *e) { return adds_floats(e) && crl_geometry_op(&e->geometry) != CRL_OP_FADD; }

// How the test bench adds a word to a sum; NULL: in the order of terms (write_terms).
static const char *const sum_texts[CRL_OPS] = {[CRL_OP_ADD] = "sum_of + word",
                                               [CRL_OP_MIN] = "(sum_of < word) ? sum_of : word",
                                               [CRL_OP_MAX] = "(sum_of < word) ? word : sum_of",
                                               [CRL_OP_XOR] = "sum_of ^ word",
                                               [CRL_OP_AND] = "sum_of & word",
                                               [CRL_OP_OR] = "sum_of | word"};

// Words of floating-point numbers near each other, up to 2, of either sign, none of them subnormal in its format; and
// how one, or a sum of such, is rounded to 16 bits.
static const char *const float_texts[][2] = {
    {"(32'(x >> 20) & 32'h83ff_ffff) | 32'h3c00_0000; // near each other: from 2^-7 to 2, of either sign", ""},
    {"(32'(x >> 20) & 32'h83ff_0000) | 32'h3c00_0000; // near each other: from 2^-7 to 2, of either sign",
     "x[31:16] + 16'(x[15] && (x[16] || x[14:0] != '0))"},
    {"(32'(x >> 20) & 32'h81ff_e000) | 32'h3e00_0000; // near each other: from 2^-3 to 2, of either sign",
     "{x[31], (x[30:0] == '0) ? 15'd0 : {5'(x[30:23] - 8'd112), x[22:13]}} + 16'(x[12] && (x[13] || x[11:0] != '0))"}};

void say_words(struct blanks *b, const struct emission *e)
{
    const struct crl_geometry *g = &e->geometry;
    const struct crl_problem *p = e->part->problem;
    const bool floats = adds_floats(e), halves = adds_halves(e);
    const bool sums = g->combine > 0;
    const uint32_t first = p->hosts ? p->hosts[0] : 0;
    const char *const *float_text = floats ? float_texts[crl_geometry_op(g) - CRL_OP_FADD] : (const char *[]){"", ""};
    SAY_NUMBERS(b, {"STREAMS", g->streams}, {"WIDTH", g->data_width}, {"PEER_BITS", peer_bits(e)},
                {"COMBINE", g->combine}, {"CHUNKS", p->chunks}, {"SUM_AFTER", first + 1}, {"TERMS", e->terms});
    if (g->data_width > 64) say(b, "RANDOM", "{%u{x}}", g->data_width / 64 + 2);
    else set(b, "RANDOM", "x");
    say(b, "SUM_FIRST", first ? "%u + " : "", first * p->chunks);
    say(b, "SUM_NOTE", sums ? ", sums by `--op %s`%s" : "", sums ? crl_op_name(crl_geometry_op(g)) : "",
        halves ? ", of numbers in the low 16 bits of words of streams" : "");
    SET_TEXTS(b, {"VERSION", CARILLON_VERSION},
              {"PEER_NOTE", sums         ? "a chunk"
                            : p->demands ? "a demand"
                                         : "a node"},
              {"DEST_NOTE", p->demands ? "its demand"
                            : sums     ? "its chunk"
                                       : "whom it is for"},
              {"ORIGIN_NOTE", p->demands ? "its demand"
                              : sums     ? "its chunk"
                                         : "whom it comes from"},
              {"SUM", sums && !floats ? sum_texts[crl_geometry_op(g)] : ""},
              {"SUM_TO", crl_problem_sums(p) && crl_problem_scans(p) ? "node" : "Nodes - 1"},
              {"SUM_IF", p->hosts ? "if (Adds[v]) " : ""}, {"FLOAT", float_text[0]}, {"HALF", float_text[1]});
    SET_FLAGS(b, {"SOME_ADD", p->hosts && sums && !floats}, {"HALVES", halves}, {"WHOLE", !halves},
              {"FLOATS_WHOLE", floats && !halves}, {"SUMS", sums}, {"FLOATS", floats}, {"BITS", !floats},
              {"UNSIGNED", sums && !floats}, {"PLAIN", !sums});
}

// The terms of each chunk of a part, as many lines a chunk as the longest has.
static void put_chunks(const struct emission *e, const struct crl_orders *orders, struct numbers *numbers)
{
    for (uint32_t c = 0; c < orders->chunks; c++) {
        const struct crl_terms *terms = &orders->terms[c];
        for (uint32_t i = 0; i < e->terms; i++) {
            struct crl_term none = {0}, term = i >= e->nodes && i < terms->count ? terms->term[i] : none;
            number_add(numbers, (uint64_t)term.came << 32 | term.held);
        }
    }
}

// Who wants no sum has that of term 0, which nobody looks at.
static void put_ends(const struct emission *e, const struct crl_orders *orders, struct numbers *numbers)
{
    for (size_t i = 0; i < (size_t)orders->chunks * e->nodes; i++)
        number_add(numbers, orders->ends[i] == CRL_NONE ? 0 : orders->ends[i]);
}

int put_terms(struct emission *e, struct list *list)
{
    struct numbers terms, ends;
    int error = 0;
    if (!e->geometry.combine || !crl_op_floats(crl_geometry_op(&e->geometry))) return 0;
    CRL_OWNED struct crl_orders *orders = calloc(e->parts, sizeof *orders);
    if (!orders) return crl_fail_memory(e->diag);
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        error =
            slots_orders(&orders[p], &slots_schedule_in(e->part[p].schedule)->schedule, e->part[p].problem, e->diag);
        for (uint32_t c = 0; c < orders[p].chunks && !error; c++)
            if (orders[p].terms[c].count > e->terms) e->terms = (uint32_t)orders[p].terms[c].count;
    }
    numbers_begin(&terms, "terms", 64);
    numbers_begin(&ends, "ends", 32);
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        put_chunks(e, &orders[p], &terms);
        put_ends(e, &orders[p], &ends);
    }
    numbers_end(&terms, list);
    numbers_end(&ends, list);
    for (uint32_t p = 0; p < e->parts; p++) slots_orders_done(&orders[p]);
    return error;
}
