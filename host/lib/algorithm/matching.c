// SPDX-License-Identifier: Apache-2.0
// The Hungarian method with shortest augmenting paths: a row at a time, over the edges that there are.
#include "algorithm/matching.h"

// A row pays the worth that it forgoes, and each row and column has a price so that no edge is cheaper than the prices
// of its ends together and those of the matching are not dearer. A column's price is at most 0, and 0 while it is free.
struct search {
    const struct crl_matching *m;
    int64_t row_price[CRL_PORTS_MAX], price[CRL_MATCHING_COLUMNS_MAX];
    uint32_t row_of[CRL_MATCHING_COLUMNS_MAX]; // of a column, or CRL_NONE
    // The search for a path from one row: columns touched, how far they are, and from which row they were.
    int64_t distance[CRL_MATCHING_COLUMNS_MAX];
    uint32_t from[CRL_MATCHING_COLUMNS_MAX], touched[CRL_MATCHING_COLUMNS_MAX], touched_count;
    bool is_touched[CRL_MATCHING_COLUMNS_MAX];
    uint32_t reached; // the first of the touched ones, in the order in which they were reached
};

static void relax(struct search *s, uint32_t row, int64_t distance)
{
    const struct crl_matching_row *r = &s->m->row[row];
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t c = r->edge[i].column;
        int64_t there = distance - r->edge[i].worth - s->row_price[row] - s->price[c];
        if (s->is_touched[c] && there >= s->distance[c]) continue;
        if (!s->is_touched[c]) s->touched[s->touched_count++] = c;
        s->is_touched[c] = true;
        s->distance[c] = there;
        s->from[c] = row;
    }
}

// Moves the nearest of the columns that were touched but not reached up to those that were. CRL_NONE: there is none.
static uint32_t reach_nearest(struct search *s)
{
    uint32_t nearest = s->reached;
    if (s->reached == s->touched_count) return CRL_NONE;
    for (uint32_t i = s->reached + 1; i < s->touched_count; i++) {
        uint32_t a = s->touched[i], b = s->touched[nearest];
        if (s->distance[a] < s->distance[b] || (s->distance[a] == s->distance[b] && a < b)) nearest = i;
    }
    uint32_t column = s->touched[nearest];
    s->touched[nearest] = s->touched[s->reached];
    s->touched[s->reached++] = column;
    return column;
}

// Gives the columns on the path that ends at `column` to the rows before them. `column` CRL_NONE: `row` goes without.
static void augment(struct search *s, uint32_t *column_of, uint32_t row, uint32_t column)
{
    while (column != CRL_NONE) {
        uint32_t by = s->from[column], before = column_of[by];
        s->row_of[column] = by;
        column_of[by] = column;
        column = by == row ? CRL_NONE : before;
    }
}

// Finds `row` a column; some other row, or itself, may go without one afterwards.
static void match_row(struct search *s, uint32_t *column_of, uint32_t row)
{
    uint32_t without = row, end = CRL_NONE;        // the row that can do without at least cost, and a free column
    int64_t least = -s->row_price[row], total = 0; // what that costs, and the column
    s->reached = s->touched_count = 0;
    relax(s, row, 0);
    for (;;) {
        uint32_t column = reach_nearest(s);
        if (column == CRL_NONE || s->distance[column] > least) break;
        total = s->distance[column];
        uint32_t other = s->row_of[column];
        if (other == CRL_NONE) {
            end = column;
            break;
        }
        if (total - s->row_price[other] < least) {
            least = total - s->row_price[other];
            without = other;
        }
        relax(s, other, total);
    }
    if (end == CRL_NONE) total = least;
    // Whoever was reached pays for it.
    s->row_price[row] += total;
    for (uint32_t i = 0; i < s->reached; i++) {
        uint32_t c = s->touched[i];
        int64_t rise = total - s->distance[c];
        if (rise <= 0 || s->row_of[c] == CRL_NONE) continue;
        s->price[c] -= rise;
        s->row_price[s->row_of[c]] += rise;
    }
    if (end != CRL_NONE) {
        augment(s, column_of, row, end);
    } else if (without != row) {
        uint32_t freed = column_of[without];
        column_of[without] = CRL_NONE;
        augment(s, column_of, row, freed);
    }
    for (uint32_t i = 0; i < s->touched_count; i++) s->is_touched[s->touched[i]] = false;
}

void crl_match(struct crl_matching *m)
{
    struct search s;
    s.m = m;
    for (uint32_t row = 0; row < m->rows; row++) {
        s.row_price[row] = 0;
        m->column_of[row] = CRL_NONE;
    }
    for (uint32_t c = 0; c < m->columns; c++) {
        s.price[c] = 0;
        s.row_of[c] = CRL_NONE;
        s.is_touched[c] = false;
    }
    for (uint32_t row = 0; row < m->rows; row++) match_row(&s, m->column_of, row);
}
