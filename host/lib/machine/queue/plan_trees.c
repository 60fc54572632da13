// SPDX-License-Identifier: Apache-2.0
#include "machine/queue/plan_trees.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

int crl_trees_alloc(struct crl_trees *trees, uint32_t d, struct crl_diag *diag)
{
    memset(trees, 0, sizeof *trees);
    trees->d = d;
    trees->nodes = 1u << d;
    trees->parent = calloc((size_t)d << d, sizeof *trees->parent);
    trees->children = calloc((size_t)d << d, sizeof *trees->children);
    return trees->parent && trees->children ? 0 : crl_fail_memory(diag);
}

void crl_trees_done(struct crl_trees *trees)
{
    CRL_FREE(trees->parent, trees->children);
    memset(trees, 0, sizeof *trees);
}

// Whether every node gets to the root of tree k by following parents.
static bool spans(const struct crl_trees *trees, uint32_t k)
{
    const uint8_t *parent = trees->parent + ((size_t)k << trees->d);
    for (uint32_t v = 0; v < trees->nodes; v++) {
        uint32_t at = v, steps = 0;
        while (parent[at] != CRL_TREES_ROOT && steps++ < trees->nodes) at ^= 1u << parent[at];
        if (at != trees->root[k]) return false;
    }
    return true;
}

int crl_trees_finish(struct crl_trees *trees, struct crl_diag *diag)
{
    uint32_t d = trees->d;
    memset(trees->children, 0, sizeof *trees->children * d << d);
    for (uint32_t k = 0; k < d; k++)
        for (uint32_t v = 0; v < trees->nodes; v++) {
            uint8_t p = trees->parent[((size_t)k << d) + v];
            if ((p == CRL_TREES_ROOT) != (v == trees->root[k]) || (p != CRL_TREES_ROOT && p >= d))
                return crl_fail(diag, CRL_ERR_RULE, "node %u of tree %u has no parent", v, k);
            if (p == CRL_TREES_ROOT) continue;
            uint32_t up = v ^ 1u << p;
            for (uint32_t other = 0; other < k; other++)
                if (trees->children[((size_t)other << d) + up] >> p & 1)
                    return crl_fail(diag, CRL_ERR_RULE, "trees %u and %u share the link from %u to %u", other, k, up,
                                    v);
            trees->children[((size_t)k << d) + up] |= (uint16_t)(1u << p);
        }
    for (uint32_t k = 0; k < d; k++)
        if (!spans(trees, k)) return crl_fail(diag, CRL_ERR_RULE, "tree %u does not span the cube", k);
    return 0;
}

uint32_t crl_trees_subtree(const struct crl_trees *trees, uint32_t k, uint32_t port)
{
    const uint8_t *parent = trees->parent + ((size_t)k << trees->d);
    uint32_t top = trees->root[k] ^ 1u << port, size = 0;
    for (uint32_t v = 0; v < trees->nodes; v++) {
        uint32_t at = v;
        while (at != top && parent[at] != CRL_TREES_ROOT) at ^= 1u << parent[at];
        size += at == top;
    }
    return size;
}

int crl_trees_binomial(struct crl_trees *trees, uint32_t d, struct crl_diag *diag)
{
    int error = crl_trees_alloc(trees, d, diag);
    for (uint32_t k = 0; k < d && !error; k++) {
        trees->root[k] = 1u << k;
        for (uint32_t v = 0; v < trees->nodes; v++) {
            uint8_t last = CRL_TREES_ROOT; // the last dimension crossed from the root to v
            for (uint32_t i = 1; i <= d; i++)
                if ((v ^ trees->root[k]) >> (k + i) % d & 1) last = (uint8_t)((k + i) % d);
            trees->parent[((size_t)k << d) + v] = last;
        }
    }
    return error ? error : crl_trees_finish(trees, diag);
}
