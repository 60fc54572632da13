// SPDX-License-Identifier: Apache-2.0
// How the nodes of a partial exchange find their classes (decision 0023).
//
//   lines     how many are left on my line along each dimension; all dimensions at once. At first all active are left
//   total     how many are left in all, along one dimension after the other: what a line of the first has is known
//   decide    who is left and has a line with at most M^(1/d) of those that are left belongs to the class of its
//             emptiest line, and is left no more
// These are a round; there are rounds until a total is 0, which all nodes see in the same slot. Classes that need not
// be balanced take the lines of the first round only.
#include "base/base.h"
#include "online/links.h"
#include <stdlib.h>
#include <string.h>

struct counting {
    struct crl_links *links;
    const struct crl_mesh *mesh;
    bool *left;       // [nodes] active, and of no class yet
    uint32_t *lines;  // [node · dims]: how many others are left on its line
    uint32_t *known;  // [nodes] of the total, by the dimensions that were counted
    uint32_t *others; // [node · dims] what the others of its line know
};

// What a node knows goes both ways along its lines, each hop adding: a slot a hop. `only`: one dimension, or CRL_NONE.
// heard[node · dims + dimension]: what the others of its line know.
static int count(struct counting *c, uint32_t only, uint32_t *heard)
{
    const struct crl_mesh *m = c->mesh;
    int error = 0;
    memset(heard, 0, sizeof *heard * m->nodes * m->dims);
    for (uint32_t s = 0; s + 1 < m->longest && !error; s++) {
        for (uint32_t at = 0; at < m->nodes * m->dims * 2; at++) {
            uint32_t v = at / 2 / m->dims, k = at / 2 % m->dims, direction = at % 2;
            uint32_t digit = crl_mesh_digit(m, v, k), last = m->size[k] - 1;
            uint32_t from_end = direction == CRL_UP ? digit : last - digit;
            if ((only != CRL_NONE && only != k) || s != from_end || from_end == last) continue;
            uint32_t behind = from_end ? crl_links_in(c->links, v, k, direction)->count : 0;
            *crl_links_out(c->links, v, k, direction) =
                (struct crl_link_word){.valid = true, .is_count = true, .count = behind + c->known[v]};
        }
        error = crl_links_exchange(c->links);
        for (uint32_t at = 0; at < m->nodes * m->dims * 2 && !error; at++)
            heard[at / 2] += crl_links_in(c->links, at / 2 / m->dims, at / 2 % m->dims, at % 2)->count;
    }
    return error;
}

static int count_lines(struct counting *c)
{
    for (uint32_t v = 0; v < c->mesh->nodes; v++) c->known[v] = c->left[v];
    return count(c, CRL_NONE, c->lines);
}

static int count_total(struct counting *c)
{
    int error = 0;
    for (uint32_t v = 0; v < c->mesh->nodes; v++) c->known[v] += c->lines[v * c->mesh->dims];
    for (uint32_t k = 1; k < c->mesh->dims && !error; k++) {
        error = count(c, k, c->others);
        for (uint32_t v = 0; v < c->mesh->nodes && !error; v++) c->known[v] += c->others[v * c->mesh->dims + k];
    }
    return error;
}

static uint32_t emptiest(const struct counting *c, uint32_t v)
{
    const uint32_t *line = &c->lines[v * c->mesh->dims];
    uint32_t best = 0;
    for (uint32_t k = 1; k < c->mesh->dims; k++)
        if (line[k] < line[best]) best = k;
    return best;
}

// Whether no more than M^(1/d) are left on the line.
static bool is_small(const struct counting *c, uint32_t v, uint32_t dim, uint32_t active)
{
    uint64_t power = 1;
    for (uint32_t k = 0; k < c->mesh->dims && power <= active; k++) power *= c->lines[v * c->mesh->dims + dim] + 1;
    return power <= active;
}

static int balance(struct counting *c, uint32_t *class_of)
{
    uint32_t active = 0;
    for (bool first = true;; first = false) {
        int error = count_lines(c);
        if (!error) error = count_total(c);
        if (error || !c->known[0]) return error; // all know the same
        if (first) active = c->known[0];
        for (uint32_t v = 0; v < c->mesh->nodes; v++) {
            if (!c->left[v]) continue;
            class_of[v] = emptiest(c, v);
            c->left[v] = !is_small(c, v, class_of[v], active);
        }
    }
}

int crl_online_classes(struct crl_links *links, const bool *active, bool balanced, uint32_t *class_of)
{
    const struct crl_mesh *m = &links->run->mesh;
    struct counting c = {.links = links, .mesh = m};
    c.left = malloc(sizeof *c.left * m->nodes);
    c.lines = malloc(sizeof *c.lines * m->nodes * m->dims);
    c.known = malloc(sizeof *c.known * m->nodes);
    c.others = malloc(sizeof *c.others * m->nodes * m->dims);
    int error = c.left && c.lines && c.known && c.others ? 0 : CRL_ERR_MEMORY;
    if (!error) memcpy(c.left, active, sizeof *c.left * m->nodes);
    if (!error) error = balanced ? balance(&c, class_of) : count_lines(&c);
    for (uint32_t v = 0; v < m->nodes && !error && !balanced; v++) class_of[v] = emptiest(&c, v);
    CRL_FREE(c.left, c.lines, c.known, c.others);
    memset(links->in, 0, sizeof *links->in * m->nodes * m->dims * 2);
    return error;
}
