// SPDX-License-Identifier: Apache-2.0
// The maximum concurrent flow of a total exchange as a linear program: for each origin how much of what it sends is on
// each link; T at least what every row carries. Solved by Clp's barrier method, where the program was built with it.
#include "base/base.h"
#include "base/pool.h"
#include "problem/bound_prices.h"

#ifdef CRL_CLP
#include <coin/Clp_C_Interface.h>

struct program {
    struct crl_pool pool;
    int columns, rows, entries;
    int *start, *row;
    double *factor, *least, *most, *cost, *row_least, *row_most;
};

static bool program_init(struct program *p, const struct crl_rows *r)
{
    size_t columns = (size_t)r->origins * r->links + 1, rows = (size_t)r->origins * r->nodes + r->count;
    size_t entries = 4 * columns + r->count;
    *p = (struct program){.rows = (int)rows};
    CRL_NEW(&p->pool, p->start, columns + 1);
    CRL_NEW(&p->pool, p->row, entries);
    CRL_NEW(&p->pool, p->factor, entries);
    CRL_ZEROED(&p->pool, p->least, columns);
    CRL_NEW(&p->pool, p->most, columns);
    CRL_ZEROED(&p->pool, p->cost, columns);
    CRL_ZEROED(&p->pool, p->row_least, rows);
    CRL_ZEROED(&p->pool, p->row_most, rows);
    return !crl_pool_error(&p->pool);
}

static void enter(struct program *p, uint32_t row, double factor)
{
    p->row[p->entries] = (int)row;
    p->factor[p->entries++] = factor;
}

static void begin_column(struct program *p)
{
    p->start[p->columns] = p->entries;
    p->most[p->columns++] = 1e30;
}

// One packet from each origin ends at each other node: into it flows one more than out of it.
static void fill(struct program *p, const struct crl_rows *r)
{
    uint32_t first = r->origins * r->nodes; // of the rows that have prices
    for (uint32_t s = 0; s < r->origins; s++)
        for (uint32_t i = 0; i < r->links; i++) {
            if (r->to[i] == s) continue;
            begin_column(p);
            enter(p, s * r->nodes + r->to[i], 1);
            if (r->from[i] != s) enter(p, s * r->nodes + r->from[i], -1);
            enter(p, first + crl_row_sends(r, i), 1);
            if (r->single) enter(p, first + crl_row_receives(r, i), 1);
        }
    p->cost[p->columns] = 1; // of T, which is to be small
    begin_column(p);
    for (uint32_t i = 0; i < r->count; i++) enter(p, first + i, -1);
    p->start[p->columns] = p->entries;
    for (uint32_t s = 0; s < r->origins; s++)
        for (uint32_t v = 0; v < r->nodes; v++)
            p->row_least[s * r->nodes + v] = p->row_most[s * r->nodes + v] =
                s != v && (!r->forwards || (!r->forwards[s] && !r->forwards[v]));
    for (uint32_t i = 0; i < r->count; i++) p->row_least[first + i] = -1e30;
}

bool crl_rows_solve(struct crl_rows *r, uint64_t flows_max)
{
    struct program p;
    if ((uint64_t)r->origins * r->links > flows_max) return false;
    Clp_Simplex *model = program_init(&p, r) ? Clp_newModel() : NULL;
    bool solved = false;
    if (model) {
        fill(&p, r);
        Clp_setLogLevel(model, 0);
        Clp_loadProblem(model, p.columns, p.rows, p.start, p.row, p.factor, p.least, p.most, p.cost, p.row_least,
                        p.row_most);
        Clp_initialBarrierNoCrossSolve(model);
        const double *dual = Clp_dualRowSolution(model);
        solved = !Clp_status(model) && dual;
        for (uint32_t i = 0; i < r->count && solved; i++) r->value[i] = -dual[r->origins * r->nodes + i];
        Clp_deleteModel(model);
    }
    crl_pool_done(&p.pool);
    return solved;
}
#else
bool crl_rows_solve(struct crl_rows *rows, uint64_t flows_max)
{
    (void)rows, (void)flows_max;
    return false;
}
#endif
