// SPDX-License-Identifier: Apache-2.0
// From lanes and addresses to table rows: row r holds the departures of link cycle r + 1 and the arrivals of link cycle
// r. With streams there are as many rows as link cycles, and row 0 holds the arrivals of the last one.
#include "image/row.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

uint32_t *crl_scratch_cells(struct crl_scratch *scratch, size_t count)
{
    if (count <= scratch->cells_count) return scratch->cells;
    free(scratch->cells); // nothing but zeros
    scratch->cells = calloc(count, sizeof *scratch->cells);
    scratch->cells_count = scratch->cells ? count : 0;
    return scratch->cells;
}

void crl_scratch_done(struct crl_scratch *scratch)
{
    free(scratch->cells);
    for (size_t b = 0; b < CRL_BANKS_MAX; b++) free(scratch->lane[b].items);
    *scratch = (struct crl_scratch){0};
}

static uint64_t number_key(const void *user, uint32_t index) { return ((const uint32_t *)user)[index]; }

// Ascending, in time that grows with the count.
static int sort_numbers(uint32_t *numbers, uint32_t count, uint32_t most)
{
    CRL_OWNED uint32_t *order = malloc(sizeof *order * 2 * (count + UINT64_C(1)));
    if (!order) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    int error = crl_sort_order(order, count, number_key, numbers, most);
    for (uint32_t i = 0; i < count; i++) order[count + i] = numbers[order[i]];
    if (!error && count) memcpy(numbers, order + count, sizeof *numbers * count);
    return error;
}

// The rows of a node while they are written: cell r says which they are, 1 + number.
struct emission {
    const struct crl_node_plan *plan;
    const struct crl_geometry *g;
    struct crl_row_layout layout;
    uint32_t *cells;
    struct crl_node_rows *rows;
};

static void name_row(const struct emission *e, uint32_t row)
{
    if (!e->cells[row]) e->rows->number[e->rows->count++] = row;
    e->cells[row] = 1;
}

static uint32_t row_of_arrival(const struct emission *e, uint32_t cycle) { return cycle % e->g->rows; }

static void name_rows(const struct emission *e)
{
    const struct crl_node_plan *plan = e->plan;
    for (uint32_t i = 0; i < plan->departures_count; i++) name_row(e, plan->departures[i].cycle - 1);
    for (uint32_t i = 0; i < plan->visits_count; i++)
        if (plan->visits[i].arrival) name_row(e, row_of_arrival(e, plan->visits[i].arrival));
    for (uint32_t i = 0; i < plan->strays_count; i++) name_row(e, row_of_arrival(e, plan->strays[i].cycle));
}

static void set(const struct emission *e, uint32_t row, enum crl_field field, uint32_t index, uint32_t value)
{
    crl_row_put(&e->layout, e->rows->bits + (size_t)(e->cells[row] - 1) * e->layout.words, field, index, value);
}

static void emit_departure(const struct emission *e, const struct crl_visit *visit, const struct crl_departure *out)
{
    const struct crl_geometry *g = e->g;
    uint32_t after = visit->arrival ? out->cycle - visit->arrival : CRL_NONE, row = out->cycle - 1;
    uint32_t j = out->port % g->lanes;
    bool live = crl_geometry_is_direct(g) && after == 1;
    set(e, row, CRL_FIELD_OV, j, 1);
    set(e, row, CRL_FIELD_OSEL, j, live ? visit->in_port % g->lanes : crl_geometry_bank_select(g, out->lane));
    set(e, row, CRL_FIELD_OPORT, j, out->port / g->lanes);
    if (live) return;
    // Several ports may send the same word: what they say of its lane is the same.
    set(e, row, CRL_FIELD_BYP, out->lane, after == 1);
    if (after == 2) set(e, visit->arrival, CRL_FIELD_DLY, out->lane, 1);
    bool own = !visit->arrival && g->streams;
    uint32_t zero = e->plan->zero ? e->plan->zero[out->lane] : 0;
    if (after != 1) set(e, row, CRL_FIELD_RADDR, out->lane, after == 2 || own ? zero : out->addr);
    if (own) set(e, row, CRL_FIELD_OWN, out->lane, 1);
}

static void expect(const struct emission *e, uint32_t row, uint32_t port)
{
    set(e, row, CRL_FIELD_EXP, port % e->g->lanes, 1);
    set(e, row, CRL_FIELD_IPORT, port % e->g->lanes, port / e->g->lanes);
}

static void emit(const struct emission *e)
{
    const struct crl_node_plan *plan = e->plan;
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        for (uint32_t k = 0; k < visit->count; k++) emit_departure(e, visit, &plan->departures[visit->first + k]);
        if (!visit->arrival) continue;
        uint32_t row = row_of_arrival(e, visit->arrival);
        expect(e, row, visit->in_port);
        if (visit->keep) set(e, row, CRL_FIELD_SHOW, visit->in_port % e->g->lanes, 1);
        if (!visit->banked && (!visit->count || crl_geometry_is_direct(e->g))) continue;
        set(e, row, CRL_FIELD_WSEL, visit->lane, visit->in_port % e->g->lanes);
        if (!visit->banked) continue;
        set(e, row, CRL_FIELD_WEN, visit->lane, 1);
        set(e, row, CRL_FIELD_WADDR, visit->lane, visit->addr);
    }
    for (uint32_t i = 0; i < plan->strays_count; i++)
        expect(e, row_of_arrival(e, plan->strays[i].cycle), plan->strays[i].port);
}

int crl_rows_emit(const struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch,
                  struct crl_node_rows *rows)
{
    struct emission e = {plan, g, crl_row_layout(g), crl_scratch_cells(scratch, g->rows), rows};
    size_t most = plan->departures_count + (size_t)plan->visits_count + plan->strays_count;
    *rows = (struct crl_node_rows){.number = malloc(sizeof *rows->number * (most + 1))};
    if (!rows->number || !e.cells) return CRL_ERR_MEMORY;
    name_rows(&e);
    rows->bits = calloc(rows->count * e.layout.words + 1, sizeof *rows->bits);
    int error = rows->bits ? sort_numbers(rows->number, rows->count, g->rows) : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < rows->count; i++) e.cells[rows->number[i]] = i + 1;
    if (!error) emit(&e);
    for (uint32_t i = 0; i < rows->count; i++) {
        e.cells[rows->number[i]] = 0;
        if (!error) crl_row_mend_parity(&e.layout, rows->bits + (size_t)i * e.layout.words);
    }
    return error;
}
