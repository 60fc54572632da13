// SPDX-License-Identifier: Apache-2.0
#include "check/terms.h"
#include "base/base.h"
#include <stdlib.h>

// Where all nodes look alike, hashes name nodes as they lie from the chunk's: those of translates are the same then,
// so that it takes one chunk of a folded schedule to know them all.
static uint32_t name_of(const struct crl_problem *problem, uint32_t node, uint32_t chunk)
{
    return crl_problem_is_symmetric(problem) ? crl_topology_unshift(problem->topology, node, chunk) : node;
}

uint64_t crl_terms_pair(uint64_t first, uint64_t second) { return crl_mix(crl_mix(first) ^ second); }

static int append(struct crl_terms *terms, struct crl_term term)
{
    return CRL_PUSH(terms->term, terms->capacity, terms->count, term);
}

int crl_terms_begin(struct crl_terms *terms, const struct crl_problem *problem, uint32_t chunk)
{
    int error = 0;
    terms->count = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology) && !error; v++) {
        uint64_t hash = crl_mix(name_of(problem, v, chunk));
        error = append(terms, (struct crl_term){v, CRL_NONE, hash, hash});
    }
    return error;
}

int crl_terms_add(struct crl_terms *terms, uint32_t held, uint32_t came, uint32_t *sum)
{
    const struct crl_term *a = &terms->term[held], *b = &terms->term[came];
    struct crl_term term = {held, came, crl_terms_pair(a->order, b->order),
                            crl_mix(crl_mix(a->bits) + crl_mix(b->bits))};
    *sum = (uint32_t)terms->count;
    return append(terms, term);
}

void crl_terms_done(struct crl_terms *terms)
{
    free(terms->term);
    *terms = (struct crl_terms){0};
}

uint64_t crl_terms_hash(const struct crl_terms *terms, const struct crl_problem *problem, uint32_t chunk,
                        const uint32_t *ends)
{
    uint64_t hash = 0;
    for (uint32_t v = 0; v < crl_topology_nodes(problem->topology); v++)
        if (ends[v] != CRL_NONE) hash += crl_terms_pair(name_of(problem, v, chunk), terms->term[ends[v]].order);
    return hash;
}
