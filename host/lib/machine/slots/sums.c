// SPDX-License-Identifier: Apache-2.0
// How the sums of a chunk come about, as text and numbers: docs/formats/sums.md.
#include "check/terms.h"
#include "machine/slots/slots.h"
#include <inttypes.h>
#include <stdlib.h>

// What is still to be written, the next last: terms, and the signs that stand between and behind them.
enum { PLUS = UINT32_MAX - 1, CLOSE = UINT32_MAX };

// Terms are as deep as there are nodes, so this does not call itself. Stack: room for three times as many as nodes.
static void write_sum(const struct crl_terms *terms, uint32_t term, uint32_t *stack, FILE *file)
{
    size_t count = 0;
    stack[count++] = term;
    while (count) {
        uint32_t next = stack[--count];
        if (next == PLUS || next == CLOSE) {
            fputc(next == PLUS ? '+' : ')', file);
            continue;
        }
        const struct crl_term *t = &terms->term[next];
        if (t->came == CRL_NONE) {
            fprintf(file, "%" PRIu32, t->held);
            continue;
        }
        fputc('(', file);
        stack[count++] = CLOSE;
        stack[count++] = t->came;
        stack[count++] = PLUS;
        stack[count++] = t->held;
    }
}

// "0-2,5": the nodes from `first` on that end with the same term as it.
static void write_nodes(const uint32_t *ends, uint32_t nodes, uint32_t first, FILE *file)
{
    for (uint32_t v = first, last; v < nodes; v = last + 1) {
        last = v;
        if (ends[v] != ends[first]) continue;
        while (last + 1 < nodes && ends[last + 1] == ends[first]) last++;
        fprintf(file, v == first ? "%" PRIu32 : ",%" PRIu32, v);
        if (last > v) fprintf(file, "-%" PRIu32, last);
    }
}

// A pair {nodes, sum} for each sum that nodes end with, in order of the first of them.
static json_t *list_sums(const struct crl_terms *terms, const uint32_t *ends, uint32_t nodes, uint32_t *stack)
{
    json_t *list = json_array();
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t first = 0;
        while (ends[first] != ends[v]) first++;
        if (first < v || ends[v] == CRL_NONE) continue;
        char *text[2] = {NULL, NULL};
        size_t size[2];
        for (int k = 0; k < 2; k++) {
            FILE *file = open_memstream(&text[k], &size[k]);
            if (file && k == 0) write_nodes(ends, nodes, v, file);
            if (file && k == 1) write_sum(terms, ends[v], stack, file);
            if (file) fclose(file);
        }
        json_array_append_new(list, json_pack("{s:s, s:s}", "nodes", text[0], "sum", text[1]));
        CRL_FREE(text[0], text[1]);
    }
    return list;
}

void slots_sum_order(json_t *summary, const struct carillon_schedule *schedule)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    const struct crl_report *r = &schedule->report;
    json_object_set_new(summary, "sum_hash", r->violations ? json_null() : json_sprintf("%016" PRIx64, r->sum_hash));
    if (!crl_problem_turns(p) && !crl_problem_scans(p)) // several nodes want one sum
        json_object_set_new(summary, "same_bits", r->violations ? json_null() : json_boolean(!r->bits_differ));
}

int slots_sums(json_t **sums, const struct carillon_schedule *schedule, uint32_t chunk, struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(schedule->problem);
    uint32_t nodes = crl_topology_nodes(p->topology);
    if (!crl_problem_sums(p)) return crl_fail(diag, CRL_ERR_ARGUMENT, "%s adds nothing up", crl_problem_title(p));
    if (chunk >= p->chunks)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "chunk '%u'; there are %u, counted from 0", chunk, p->chunks);
    CRL_ENDED(crl_terms_done) struct crl_terms terms = {0};
    CRL_OWNED uint32_t *ends = malloc(sizeof *ends * nodes), *stack = malloc(sizeof *stack * (3 * (size_t)nodes + 1));
    bool good = ends && stack && !crl_explain_sum(&terms, ends, &slots_schedule_in(schedule)->schedule, p, chunk);
    if (good) {
        *sums = json_pack("{s:s, s:s, s:s, s:o, s:o}", "algorithm", crl_problem_name(p), "scheme", schedule->scheme,
                          "topology", crl_topology_name(p->topology), "chunks", crl_json_number(p->chunks), "chunk",
                          crl_json_number(chunk));
        slots_sum_order(*sums, schedule);
        json_object_set_new(*sums, "sums", list_sums(&terms, ends, nodes, stack));
    }
    return good ? 0 : crl_fail_memory(diag);
}

int slots_orders(struct crl_orders *orders, const struct crl_schedule *schedule, const struct crl_problem *problem,
                 struct crl_diag *diag)
{
    size_t nodes = crl_topology_nodes(problem->topology), most = 0;
    *orders = (struct crl_orders){.chunks = problem->chunks};
    orders->terms = calloc(problem->chunks, sizeof *orders->terms);
    orders->ends = malloc(sizeof *orders->ends * nodes * problem->chunks);
    int error = orders->terms && orders->ends ? 0 : CRL_ERR_MEMORY;
    for (uint32_t c = 0; c < problem->chunks && !error; c++) {
        error = crl_explain_sum(&orders->terms[c], orders->ends + c * nodes, schedule, problem, c);
        if (orders->terms[c].count > most) most = orders->terms[c].count;
    }
    if (!error) orders->value = malloc(sizeof *orders->value * (most + 1));
    return orders->value ? 0 : crl_fail_memory(diag);
}

void slots_orders_done(struct crl_orders *orders)
{
    for (uint32_t c = 0; orders->terms && c < orders->chunks; c++) crl_terms_done(&orders->terms[c]);
    CRL_FREE(orders->terms, orders->ends, orders->value);
    *orders = (struct crl_orders){0};
}
