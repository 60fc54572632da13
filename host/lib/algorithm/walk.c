// SPDX-License-Identifier: Apache-2.0
// A walk over all vertices of a graph: depth first, the neighbour with the fewest ways on first (Warnsdorff), of equal
// ones that at the lower port, or any by lot.
#include "algorithm/algorithm.h"
#include "base/random.h"

static uint32_t ways_on(const struct crl_walk *w, uint32_t at)
{
    uint32_t ways = 0;
    for (uint32_t p = 0; p < w->ports; p++) {
        uint32_t next = w->next(w->graph, at, p);
        ways += next != CRL_NONE && !w->taken[next];
    }
    return ways;
}

// Extends the walk from its last vertex, the `length`-th.
static bool extend(struct crl_walk *w, uint32_t length)
{
    uint32_t at = w->path[length - 1];
    for (uint32_t p = 0; p < w->ports && length == w->length; p++)
        if (w->next(w->graph, at, p) == w->beside) return true;
    uint32_t turn = w->random ? crl_draw(w->random, w->ports) : 0;
    for (uint32_t ways = 0; ways <= w->ports && length < w->length; ways++)
        for (uint32_t p = 0; p < w->ports; p++) {
            uint32_t next = w->next(w->graph, at, (p + turn) % w->ports);
            if (next == CRL_NONE || w->taken[next] || ways_on(w, next) != ways) continue;
            if (!w->steps) return false;
            w->steps--;
            w->taken[next] = true;
            w->path[length] = next;
            if (extend(w, length + 1)) return true;
            w->taken[next] = false;
        }
    return false;
}

bool crl_walk_find(struct crl_walk *walk)
{
    walk->taken[walk->path[0]] = true;
    return extend(walk, 1);
}
