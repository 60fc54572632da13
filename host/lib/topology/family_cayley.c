// SPDX-License-Identifier: Apache-2.0
// cayley:G,G,… — the group that permutations G generate, each written as the images of 0, 1, 2, … (0 to 9, a to z),
// with a link from every element h to h∘G. A generator whose inverse is no generator gives links one way. Node 0 is the
// identity; the others come in the order in which they are found, in circles around it.
#include "base/base.h"
#include "topology/family.h"
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 36, NODES_MAX = CRL_GRAPH_NODES_MAX };

struct group {
    uint32_t points, generators, count;
    uint8_t generator[CRL_PORTS_MAX][POINTS_MAX];
    uint8_t element[NODES_MAX][POINTS_MAX];
    uint32_t slot[4 * NODES_MAX]; // a hash table of 1 + element
};

// The number of an element, which is new if it was not there; NODES_MAX: there are too many.
static uint32_t number_of(struct group *g, const uint8_t *element)
{
    uint32_t hash = 0, size = sizeof g->slot / sizeof *g->slot;
    for (uint32_t i = 0; i < g->points; i++) hash = hash * UINT32_C(2654435761) + element[i] + 1;
    for (hash %= size; g->slot[hash]; hash = (hash + 1) % size)
        if (!memcmp(g->element[g->slot[hash] - 1], element, g->points)) return g->slot[hash] - 1;
    if (g->count == NODES_MAX) return NODES_MAX;
    memcpy(g->element[g->count], element, g->points);
    g->slot[hash] = ++g->count;
    return g->count - 1;
}

static uint32_t point(char c) { return c >= '0' && c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a' + 10); }

// Reads a permutation of all points at *at; false where there is none, or it is the identity.
static bool read_generator(struct group *g, const char **at)
{
    uint8_t *image = g->generator[g->generators];
    uint64_t seen = 0;
    uint32_t length = 0, moved = 0;
    for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'z'); ++*at, length++) {
        if (length == POINTS_MAX || seen >> point(**at) & 1) return false;
        image[length] = (uint8_t)point(**at);
        moved += image[length] != length;
        seen |= UINT64_C(1) << image[length];
    }
    if (!g->generators) g->points = length;
    for (uint32_t i = 0; i < g->generators; i++)
        if (!memcmp(g->generator[i], image, length)) return false;
    g->generators++;
    return length == g->points && moved && seen == (UINT64_C(1) << length) - 1;
}

static int read_generators(struct group *g, const struct crl_family_text *text, struct crl_diag *diag)
{
    for (const char *at = text->text;; at++) {
        const char *start = at;
        uint64_t col = text->col + (uint64_t)(at - text->text);
        if (g->generators == CRL_PORTS_MAX)
            return crl_topology_fail(diag, col, "more than %d generators", CRL_PORTS_MAX);
        if (!read_generator(g, &at) || (*at && *at != ','))
            return crl_topology_fail(
                diag, col, "expected a new permutation of 0, 1, …, of as many as the first, found '%.40s', as in '%s'",
                start, text->form);
        if (!*at) return 0;
    }
}

static int list(struct group *g, struct crl_graph_links *links, const struct crl_family_text *text,
                struct crl_diag *diag)
{
    uint8_t next[POINTS_MAX];
    int error = 0;
    for (uint32_t i = 0; i < g->points; i++) next[i] = (uint8_t)i;
    number_of(g, next);
    links->classes = g->generators; // an element of the group, multiplied from the left, takes h∘G to one of its kind
    for (uint32_t v = 0; v < g->count && !error; v++)
        for (uint32_t k = 0; k < g->generators && !error; k++) {
            for (uint32_t i = 0; i < g->points; i++) next[i] = g->element[v][g->generator[k][i]];
            uint32_t u = number_of(g, next);
            if (u == NODES_MAX)
                return crl_topology_fail(diag, text->col, "these generate a group of more than %d elements", NODES_MAX);
            error = crl_graph_links_add(links, v, u, 1, (struct crl_link_time){1, 1}, diag);
        }
    return error;
}

int crl_family_cayley(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    CRL_OWNED struct group *g = calloc(1, sizeof *g);
    int error = g ? read_generators(g, text, diag) : crl_fail_memory(diag);
    if (!error) error = list(g, links, text, diag);
    return error;
}
