// SPDX-License-Identifier: Apache-2.0
// From lanes and addresses to table rows: row r holds the departures of link cycle r + 1 and the arrivals of link cycle
// r.
#include "image/row.h"
#include "lower/lower.h"
#include <string.h>

static void emit_departure(const struct crl_node_plan *plan, const struct crl_geometry *g,
                           const struct crl_visit *visit, const struct crl_departure *out, struct crl_row *rows)
{
    struct crl_row *row = &rows[out->cycle - 1];
    uint32_t after = visit->arrival ? out->cycle - visit->arrival : CRL_NONE;
    uint32_t j = out->port % g->lanes;
    row->lane[j].ov = 1;
    row->lane[j].osel = (uint8_t)crl_geometry_bank_select(g, out->lane);
    row->lane[j].oport = (uint8_t)(out->port / g->lanes);
    if (crl_geometry_is_direct(g) && after == 1) {
        row->lane[j].osel = (uint8_t)(visit->in_port % g->lanes);
        return;
    }
    row->bank[out->lane].byp = after == 1;
    row->bank[out->lane].raddr = after == 1 ? 0 : after == 2 ? plan->zero[out->lane] : out->addr;
    if (after == 2) rows[visit->arrival].bank[out->lane].dly = 1;
}

static void expect(const struct crl_geometry *g, uint32_t cycle, uint32_t port, struct crl_row *rows)
{
    rows[cycle].lane[port % g->lanes].exp = 1;
    rows[cycle].lane[port % g->lanes].iport = (uint8_t)(port / g->lanes);
}

void crl_rows_emit(const struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t *bits, struct crl_row *rows)
{
    memset(rows, 0, sizeof *rows * g->rows);
    for (size_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        for (uint32_t k = 0; k < visit->count; k++)
            emit_departure(plan, g, visit, &plan->departures[visit->first + k], rows);
        if (!visit->arrival) continue;
        expect(g, visit->arrival, visit->in_port, rows);
        struct crl_row *row = &rows[visit->arrival];
        if (!visit->banked && crl_geometry_is_direct(g)) continue;
        if (g->write_xbar) row->bank[visit->lane].wsel = (uint8_t)(visit->in_port % g->lanes);
        if (!visit->banked) continue;
        row->bank[visit->lane].wen = 1;
        if (g->waddr_field) row->bank[visit->lane].waddr = visit->addr;
    }
    for (size_t i = 0; i < plan->strays_count; i++) expect(g, plan->strays[i].cycle, plan->strays[i].port, rows);
    for (uint32_t r = 0; r < g->rows; r++) crl_row_pack(g, &rows[r], bits + (size_t)r * crl_row_words(g));
}

// ---- which bits of a row matter

struct used {
    const struct crl_row *row, *next;
    const struct crl_geometry *g;
    uint32_t *mask;
};

static bool is_read(const struct crl_row *row, const struct crl_geometry *g, uint32_t bank)
{
    for (uint32_t j = 0; j < g->lanes; j++)
        if (row->lane[j].ov && row->lane[j].osel == crl_geometry_bank_select(g, bank)) return true;
    return false;
}

static bool field_acts(const struct used *u, enum crl_field field, uint32_t index)
{
    const struct crl_row *row = u->row;
    bool read = field <= CRL_FIELD_WADDR && field != CRL_FIELD_PARITY && is_read(row, u->g, index);
    bool replayed = field <= CRL_FIELD_WADDR && u->next && !u->next->bank[index].byp && is_read(u->next, u->g, index);
    switch (field) {
    case CRL_FIELD_RADDR: return read && !row->bank[index].byp;
    case CRL_FIELD_BYP: return read;
    case CRL_FIELD_DLY: return replayed;
    case CRL_FIELD_WSEL:
        return row->bank[index].wen || (row->bank[index].byp && read) || (row->bank[index].dly && replayed);
    case CRL_FIELD_WADDR: return row->bank[index].wen;
    case CRL_FIELD_OSEL:
    case CRL_FIELD_OPORT: return row->lane[index].ov;
    case CRL_FIELD_IPORT: return row->lane[index].exp;
    case CRL_FIELD_PARITY:
    case CRL_FIELD_WEN:
    case CRL_FIELD_OV:
    case CRL_FIELD_EXP: return true;
    }
    return true;
}

static void mark_field(void *user, uint32_t at, uint32_t width, enum crl_field field, uint32_t index)
{
    const struct used *u = user;
    if (!field_acts(u, field, index)) return;
    for (uint32_t i = at; i < at + width; i++) u->mask[i / 32] |= UINT32_C(1) << i % 32;
}

void crl_row_used(const struct crl_geometry *geometry, const struct crl_row *row, const struct crl_row *next,
                  uint32_t *mask)
{
    struct used used = {row, next, geometry, mask};
    memset(mask, 0, sizeof *mask * crl_row_words(geometry));
    crl_row_fields(geometry, mark_field, &used);
}
