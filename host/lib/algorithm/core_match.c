// SPDX-License-Identifier: Apache-2.0
// Which arcs are used in a slot where each takes two cells: a matching of cells that send with cells that receive. One
// after the other, those with the most work first, join it if nobody who joined before must leave: the sets that a
// matching can cover are a matroid, so this greedy is the best in that order.
#include "algorithm/core.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

void crl_core_match_init(struct crl_core_match *m, struct crl_pool *pool, uint32_t arcs, size_t cells)
{
    *m = (struct crl_core_match){.stamp = 1};
    CRL_ZEROED(pool, m->edge, arcs + UINT64_C(1));
    CRL_ZEROED(pool, m->end, cells + 1);
    CRL_NEW(pool, m->order, cells + 1);
    CRL_NEW(pool, m->matched, arcs + UINT64_C(1));
}

void crl_core_match_add(struct crl_core_match *m, uint32_t arc, int side, size_t cell, uint64_t work)
{
    struct crl_core_match_edge *e = &m->edge[arc];
    struct crl_core_match_end *end = &m->end[cell];
    if (!end->first) {
        end->work = work;
        end->side = side;
        m->order[m->ends++] = end;
    }
    e->end[side] = end;
    e->next[side] = end->first;
    end->first = e;
}

// Finds a cell its partner, by an alternating path to one that is free, or whose partner has no claim and goes without.
// False: there is none, and who was seen leads nowhere until somebody else is served.
static bool serve(struct crl_core_match *m, struct crl_core_match_end *cell)
{
    for (struct crl_core_match_edge *e = cell->first; e; e = e->next[cell->side]) {
        struct crl_core_match_end *other = e->end[!cell->side];
        if (other->seen == m->stamp) continue;
        other->seen = m->stamp;
        struct crl_core_match_end *rival = other->edge ? other->edge->end[cell->side] : NULL;
        if (rival && rival->fixed && !serve(m, rival)) continue;
        if (rival && !rival->fixed) rival->edge = NULL;
        cell->edge = other->edge = e;
        return true;
    }
    return false;
}

static int compare_work(const void *a, const void *b)
{
    const struct crl_core_match_end *x = *(struct crl_core_match_end *const *)a;
    const struct crl_core_match_end *y = *(struct crl_core_match_end *const *)b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return x < y ? -1 : x > y;
}

uint32_t crl_core_match(struct crl_core_match *m)
{
    uint32_t count = 0;
    qsort(m->order, m->ends, sizeof *m->order, compare_work);
    for (uint32_t i = 0; i < m->ends; i++) {
        struct crl_core_match_end *end = m->order[i];
        end->fixed = end->edge || serve(m, end);
        m->stamp += end->fixed;
    }
    for (uint32_t i = 0; i < m->ends; i++) {
        if (m->order[i]->edge && !m->order[i]->side) m->matched[count++] = (uint32_t)(m->order[i]->edge - m->edge);
        *m->order[i] = (struct crl_core_match_end){.seen = 0};
    }
    m->ends = 0;
    m->stamp = 1;
    return count;
}
