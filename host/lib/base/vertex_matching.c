// SPDX-License-Identifier: Apache-2.0
// One vertex after the other, those with the most work first, joins the matching if nobody who joined before must
// leave: the sets that a matching can cover are a matroid, so this greedy is the best in that order.
#include "base/vertex_matching.h"
#include <stdlib.h>

void crl_vertex_matching_init(struct crl_vertex_matching *m, struct crl_pool *pool, uint32_t edges, size_t vertices)
{
    *m = (struct crl_vertex_matching){.stamp = 1};
    CRL_ZEROED(pool, m->edge, edges + UINT64_C(1));
    CRL_ZEROED(pool, m->vertex, vertices + 1);
    CRL_NEW(pool, m->order, vertices + 1);
    CRL_NEW(pool, m->matched, edges + UINT64_C(1));
}

void crl_vertex_matching_add(struct crl_vertex_matching *m, uint32_t edge, int side, size_t vertex, uint64_t work)
{
    struct crl_vertex_edge *e = &m->edge[edge];
    struct crl_vertex *end = &m->vertex[vertex];
    if (!end->first) {
        end->work = work;
        end->side = side;
        m->order[m->added++] = end;
    }
    e->end[side] = end;
    e->next[side] = end->first;
    end->first = e;
}

// Finds a vertex its partner, by an alternating path to one that is free, or whose partner has no claim and goes
// without. False: there is none, and who was seen leads nowhere until somebody else is served.
static bool serve(struct crl_vertex_matching *m, struct crl_vertex *vertex)
{
    for (struct crl_vertex_edge *e = vertex->first; e; e = e->next[vertex->side]) {
        struct crl_vertex *other = e->end[!vertex->side];
        if (other->seen == m->stamp) continue;
        other->seen = m->stamp;
        struct crl_vertex *rival = other->edge ? other->edge->end[vertex->side] : NULL;
        if (rival && rival->fixed && !serve(m, rival)) continue;
        if (rival && !rival->fixed) rival->edge = NULL;
        vertex->edge = other->edge = e;
        return true;
    }
    return false;
}

static int compare_work(const void *a, const void *b)
{
    const struct crl_vertex *x = *(struct crl_vertex *const *)a;
    const struct crl_vertex *y = *(struct crl_vertex *const *)b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return x < y ? -1 : x > y;
}

uint32_t crl_vertex_matching_find(struct crl_vertex_matching *m)
{
    uint32_t count = 0;
    qsort(m->order, m->added, sizeof *m->order, compare_work);
    for (uint32_t i = 0; i < m->added; i++) {
        struct crl_vertex *end = m->order[i];
        end->fixed = end->edge || serve(m, end);
        m->stamp += end->fixed;
    }
    for (uint32_t i = 0; i < m->added; i++) {
        if (m->order[i]->edge && !m->order[i]->side) m->matched[count++] = (uint32_t)(m->order[i]->edge - m->edge);
        *m->order[i] = (struct crl_vertex){.seen = 0};
    }
    m->added = 0;
    m->stamp = 1;
    return count;
}
