// SPDX-License-Identifier: Apache-2.0
// d link-disjoint balanced spanning trees of the d-cube, which S93 asks for at the end of Sec. V-F. Tree k is tree 0
// with node numbers rotated left by k, so the links fall into orbits of d, and the trees are disjoint if tree 0 has at
// most one link of each. A SAT solver finds tree 0; the cache keeps it.
#include "machine/queue/plan_trees.h"
#include "base/base.h"
#include "base/cache.h"
#include "base/sat.h"
#include <stdlib.h>
#include <string.h>

static uint32_t rotate_left(uint32_t v, uint32_t by, uint32_t d)
{
    by %= d;
    return by ? (v << by | v >> (d - by)) & ((1u << d) - 1) : v;
}

// Whether tree 0 as given, and its rotations, are what is wanted.
static int spread(struct crl_trees *trees, struct crl_diag *diag)
{
    uint32_t d = trees->d, most = (uint32_t)crl_ceil_div(trees->nodes - 1, d);
    for (uint32_t k = 1; k < d; k++) {
        trees->root[k] = rotate_left(trees->root[0], k, d);
        for (uint32_t v = 0; v < trees->nodes; v++) {
            uint8_t p = trees->parent[v];
            trees->parent[((size_t)k << d) + rotate_left(v, k, d)] = p == CRL_TREES_ROOT ? p : (uint8_t)((p + k) % d);
        }
    }
    int error = crl_trees_finish(trees, diag);
    for (uint32_t p = 0; p < d && !error; p++)
        if (crl_trees_subtree(trees, 0, p) > most) error = crl_fail(diag, CRL_ERR_RULE, "a tree is not balanced");
    return error;
}

// ---- search

struct balanced_search {
    struct crl_sat *sat;
    uint32_t d, nodes, root, depth;
    int *link;  // [nodes][d] the parent of v is behind port p
    int *level; // [nodes][depth] v is more than l below the root
    int *side;  // [nodes][d] v is in the subtree at port c of the root
};

static int link_of(const struct balanced_search *s, uint32_t v, uint32_t p) { return s->link[v * s->d + p]; }
static int side_of(const struct balanced_search *s, uint32_t v, uint32_t c) { return s->side[v * s->d + c]; }

static void clause3(struct crl_sat *sat, int a, int b, int c) { crl_sat_clause(sat, (int[]){a, b, c}, 3); }

// A parent is one level higher, and in the same subtree.
static void say_tree(struct balanced_search *s)
{
    uint32_t L = s->depth;
    for (uint32_t v = 0; v < s->nodes; v++) {
        if (v == s->root) continue;
        crl_sat_exactly_one(s->sat, s->link + (size_t)v * s->d, s->d);
        crl_sat_exactly_one(s->sat, s->side + (size_t)v * s->d, s->d);
        for (uint32_t p = 0; p < s->d; p++) {
            uint32_t u = v ^ 1u << p;
            int link = link_of(s, v, p);
            if (u == s->root) { // all its neighbours are its children
                crl_sat_clause(s->sat, &link, 1);
                crl_sat_clause2(s->sat, -link, side_of(s, v, p));
                continue;
            }
            crl_sat_clause2(s->sat, -link, s->level[v * L + 1]);
            for (uint32_t l = 1; l + 1 < L; l++) clause3(s->sat, -link, -s->level[u * L + l], s->level[v * L + l + 1]);
            crl_sat_clause2(s->sat, -link, -s->level[u * L + L - 1]);
            for (uint32_t c = 0; c < s->d; c++) clause3(s->sat, -link, -side_of(s, u, c), side_of(s, v, c));
        }
    }
}

static void say_disjoint(struct balanced_search *s)
{
    int orbit[CRL_QUEUE_PORTS_MAX];
    for (uint32_t w = 0; w < s->nodes; w++) {
        uint32_t count = 0;
        for (uint32_t p = 0; p < s->d; p++) {
            uint32_t v = rotate_left(w, p, s->d) ^ 1u << p;
            if (v != s->root) orbit[count++] = link_of(s, v, p);
        }
        crl_sat_at_most_one(s->sat, orbit, count);
    }
}

// No subtree has more than `most` nodes: a sequential counter a subtree.
static bool say_balanced(struct balanced_search *s, uint32_t most)
{
    CRL_OWNED int *before = malloc(most * sizeof *before), *here = malloc(most * sizeof *here);
    for (uint32_t c = 0; c < s->d && before && here; c++) {
        memset(before, 0, most * sizeof *before);
        for (uint32_t v = 0; v < s->nodes; v++) {
            if (v == s->root) continue;
            int x = side_of(s, v, c);
            for (uint32_t j = 0; j < most; j++) { // here[j]: more than j of the nodes up to v
                here[j] = crl_sat_variable(s->sat);
                if (before[j]) crl_sat_clause2(s->sat, -before[j], here[j]);
                if (!j) crl_sat_clause2(s->sat, -x, here[j]);
                else if (before[j - 1]) clause3(s->sat, -x, -before[j - 1], here[j]);
            }
            if (before[most - 1]) crl_sat_clause2(s->sat, -x, -before[most - 1]);
            memcpy(before, here, most * sizeof *before);
        }
    }
    return before && here;
}

static bool variables(struct balanced_search *s, int **array, size_t count)
{
    *array = calloc(count, sizeof **array);
    for (size_t i = 0; *array && i < count; i++) (*array)[i] = crl_sat_variable(s->sat);
    return *array;
}

// Looks for tree 0 with all nodes within `depth` of the root; CRL_ERR_UNSUPPORTED if there is none or it takes too
// long.
static int search(struct crl_trees *trees, uint32_t depth, int conflicts, const struct crl_context *context,
                  struct crl_diag *diag)
{
    struct balanced_search s = {
        .sat = crl_sat_new(context), .d = trees->d, .nodes = trees->nodes, .root = trees->root[0], .depth = depth};
    size_t cells = (size_t)s.nodes * s.d;
    int error = CRL_ERR_UNSUPPORTED;
    if (!s.sat || !variables(&s, &s.link, cells) || !variables(&s, &s.side, cells) ||
        !variables(&s, &s.level, (size_t)s.nodes * depth)) {
        error = crl_fail_memory(diag);
    } else {
        say_tree(&s);
        say_disjoint(&s);
        if (!say_balanced(&s, (uint32_t)crl_ceil_div(s.nodes - 1, s.d))) error = crl_fail_memory(diag);
        else if (crl_sat_solve(s.sat, conflicts) == CRL_SAT_YES) error = 0;
        for (uint32_t v = 0; v < s.nodes && !error; v++) {
            trees->parent[v] = CRL_TREES_ROOT;
            for (uint32_t p = 0; p < s.d && v != s.root; p++)
                if (crl_sat_value(s.sat, link_of(&s, v, p))) trees->parent[v] = (uint8_t)p;
        }
    }
    crl_sat_free(s.sat);
    CRL_FREE(s.link, s.side, s.level);
    return error;
}

// ---- cache: the root, then the parent's port of every node, in decimal

static int write_entry(FILE *file, void *user)
{
    const struct crl_trees *trees = user;
    fprintf(file, "%u\n", trees->root[0]);
    for (uint32_t v = 0; v < trees->nodes; v++) fprintf(file, "%u\n", trees->parent[v]);
    return ferror(file) ? CRL_ERR_IO : 0;
}

// True if the entry is there and holds what it should.
static bool read_entry(struct crl_trees *trees, const struct crl_context *context, const char *name)
{
    FILE *file = crl_cache_open(context, name);
    if (!file) return false;
    unsigned number;
    bool good = fscanf(file, "%9u", &number) == 1 && number < trees->nodes;
    if (good) trees->root[0] = number;
    for (uint32_t v = 0; v < trees->nodes && good; v++) {
        good = fscanf(file, "%9u", &number) == 1 && (number < trees->d || number == CRL_TREES_ROOT);
        trees->parent[v] = (uint8_t)number;
    }
    fclose(file);
    return good && !spread(trees, NULL);
}

int crl_trees_balanced(struct crl_trees *trees, uint32_t d, const struct crl_context *context, struct crl_diag *diag)
{
    enum { CONFLICTS = 200000 };
    char name[32];
    int error = crl_trees_alloc(trees, d, diag);
    if (error) return error;
    snprintf(name, sizeof name, "balanced-trees-%u", d);
    if (read_entry(trees, context, name)) return 0;
    trees->root[0] = d < 4 ? 1 : 3; // for d = 3 the neighbours of a node serve; for d ≥ 4 they are known not to
    error = CRL_ERR_UNSUPPORTED;
    for (uint32_t depth = d; depth <= 2 * d && error == CRL_ERR_UNSUPPORTED; depth++)
        error = search(trees, depth, CONFLICTS, context, diag);
    if (error == CRL_ERR_UNSUPPORTED) return crl_fail(diag, error, "no balanced trees found for d = %u", d);
    if (!error) error = spread(trees, diag);
    if (!error) crl_cache_write(context, name, write_entry, trees); // without a cache it is searched again
    return error;
}
