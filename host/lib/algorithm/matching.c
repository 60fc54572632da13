// SPDX-License-Identifier: Apache-2.0
// The Hungarian method with shortest augmenting paths: a row at a time, O(rows² columns) in all.
#include "algorithm/matching.h"

// Rows and columns count from 1 here; column 0 stands for the row that is looking for one. A column of no worth for
// each row, after the real ones, lets it stay unmatched.
enum { COLUMNS_MAX = CRL_MATCHING_COLUMNS_MAX + CRL_PORTS_MAX };

struct prices {
    int64_t row[CRL_PORTS_MAX + 1], column[COLUMNS_MAX + 1];
    uint32_t row_of[COLUMNS_MAX + 1]; // 0: free
    uint32_t before[COLUMNS_MAX + 1]; // column before on the way from column 0
    int64_t slack[COLUMNS_MAX + 1];
    bool reached[COLUMNS_MAX + 1];
    uint32_t columns;
};

static int64_t cost(const struct crl_matching *m, uint32_t row, uint32_t column)
{
    return column <= m->columns ? -m->worth[row - 1][column - 1] : 0;
}

// The column nearest to those reached, by way of the one reached last; prices are changed so that it becomes tight.
static uint32_t reach_next(const struct crl_matching *m, struct prices *p, uint32_t at)
{
    uint32_t row = p->row_of[at], next = 0;
    int64_t least = INT64_MAX;
    for (uint32_t c = 1; c <= p->columns; c++) {
        if (p->reached[c]) continue;
        int64_t slack = cost(m, row, c) - p->row[row] - p->column[c];
        if (slack < p->slack[c]) {
            p->slack[c] = slack;
            p->before[c] = at;
        }
        if (p->slack[c] < least) {
            least = p->slack[c];
            next = c;
        }
    }
    for (uint32_t c = 0; c <= p->columns; c++) {
        if (p->reached[c]) {
            p->row[p->row_of[c]] += least;
            p->column[c] -= least;
        } else {
            p->slack[c] -= least;
        }
    }
    return next;
}

void crl_match(struct crl_matching *m)
{
    struct prices p = {.columns = m->columns + m->rows};
    for (uint32_t row = 1; row <= m->rows; row++) {
        uint32_t at = 0;
        p.row_of[0] = row;
        for (uint32_t c = 0; c <= p.columns; c++) {
            p.slack[c] = INT64_MAX;
            p.reached[c] = false;
        }
        while (p.row_of[at]) {
            p.reached[at] = true;
            at = reach_next(m, &p, at);
        }
        for (; at; at = p.before[at]) p.row_of[at] = p.row_of[p.before[at]];
    }
    for (uint32_t row = 0; row < m->rows; row++) m->column_of[row] = CRL_NONE;
    for (uint32_t c = 1; c <= m->columns; c++)
        if (p.row_of[c] && m->worth[p.row_of[c] - 1][c - 1]) m->column_of[p.row_of[c] - 1] = c - 1;
}
