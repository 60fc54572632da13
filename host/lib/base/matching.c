// SPDX-License-Identifier: Apache-2.0
// Row by row: the way of most worth over rows that take something else instead, to a column that is free or to a row
// that goes without. As the rows before are matched best, no such way is a circle that pays, so the method of Bellman
// and Ford finds it, with a queue.
#include "base/matching.h"

struct matching_search {
    struct crl_matching *m;
    uint32_t row_of[CRL_MATCHING_COLUMNS_MAX]; // of a column, or CRL_NONE
    int64_t worth[CRL_MATCHING_ROWS_MAX];      // of the edge by which a row is matched
    int64_t gain[CRL_MATCHING_ROWS_MAX];       // so far, for a row that would look for another column
    uint32_t from[CRL_MATCHING_ROWS_MAX], edge[CRL_MATCHING_ROWS_MAX],
        queue[CRL_MATCHING_ROWS_MAX]; // who takes its column, by which edge
    bool waits[CRL_MATCHING_ROWS_MAX];
};

static void take_edge(struct matching_search *s, uint32_t row, uint32_t edge)
{
    const struct crl_matching_row *r = &s->m->row[row];
    s->m->column_of[row] = r->edge[edge].column;
    s->row_of[r->edge[edge].column] = row;
    s->worth[row] = r->edge[edge].worth;
}

// Finds `row` a column; some other row, or itself, may go without one afterwards.
static void match_row(struct matching_search *s, uint32_t row)
{
    const struct crl_matching *m = s->m;
    uint32_t end = row, last = CRL_NONE; // the last row of the best way, and its edge to a free column if it has one
    int64_t most = 0;
    for (uint32_t i = 0; i < m->rows; i++) {
        s->gain[i] = INT64_MIN;
        s->waits[i] = false;
    }
    s->gain[row] = 0;
    s->queue[0] = row;
    for (uint32_t first = 0, count = 1; count; count--, first = (first + 1) % m->rows) {
        uint32_t at = s->queue[first];
        s->waits[at] = false;
        for (uint32_t i = 0; i < m->row[at].count; i++) {
            uint32_t other = s->row_of[m->row[at].edge[i].column];
            int64_t gain = s->gain[at] + m->row[at].edge[i].worth - (other == CRL_NONE ? 0 : s->worth[other]);
            if (gain >= most) {
                most = gain;
                end = other == CRL_NONE ? at : other;
                last = other == CRL_NONE ? i : CRL_NONE;
            }
            if (other == CRL_NONE || gain <= s->gain[other]) continue;
            s->gain[other] = gain;
            s->from[other] = at;
            s->edge[other] = i;
            if (!s->waits[other]) s->queue[(first + count++) % m->rows] = other;
            s->waits[other] = true;
        }
    }
    s->m->column_of[end] = CRL_NONE;
    if (last != CRL_NONE) take_edge(s, end, last);
    for (; end != row; end = s->from[end]) take_edge(s, s->from[end], s->edge[end]);
}

void crl_match(struct crl_matching *m)
{
    struct matching_search s;
    s.m = m;
    for (uint32_t c = 0; c < m->columns; c++) s.row_of[c] = CRL_NONE;
    for (uint32_t row = 0; row < m->rows; row++) m->column_of[row] = CRL_NONE;
    for (uint32_t row = 0; row < m->rows; row++) match_row(&s, row);
}
