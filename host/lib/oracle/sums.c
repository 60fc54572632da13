// SPDX-License-Identifier: Apache-2.0
// The right sums: of all nodes' values, or, in a scan, of those up to the node.
#include "oracle/sums.h"
#include "base/base.h"
#include <stdlib.h>

struct crl_oracle_sums {
    const struct crl_geometry *geometry;
    const struct crl_problem *problem;
    uint32_t nodes, word; // word: of which `sum` is, UINT32_MAX: of none yet
    uint64_t *sum;        // [chunks], or of a scan [nodes][chunks]
};

int crl_oracle_sums_new(struct crl_oracle_sums **out, const struct crl_geometry *geometry,
                        const struct crl_problem *problem)
{
    struct crl_oracle_sums *s = *out = calloc(1, sizeof *s);
    if (!s) return CRL_ERR_MEMORY;
    s->geometry = geometry;
    s->problem = problem;
    s->nodes = crl_topology_nodes(problem->topology);
    s->word = UINT32_MAX;
    s->sum = malloc(sizeof *s->sum * problem->chunks * (crl_problem_scans(problem) ? s->nodes : 1));
    return s->sum ? 0 : CRL_ERR_MEMORY;
}

void crl_oracle_sums_free(struct crl_oracle_sums *s)
{
    if (s) free(s->sum);
    free(s);
}

static void add_up(struct crl_oracle_sums *s, const struct crl_permutation *payload)
{
    const struct crl_geometry *g = s->geometry;
    for (uint32_t c = 0; c < s->problem->chunks; c++) {
        uint64_t sum = 0;
        for (uint32_t v = 0; v < s->nodes; v++) {
            uint64_t number = crl_payload_number(s->problem, v, c, 0) * g->words + s->word % g->words;
            uint64_t value = crl_permutation_at(payload, number);
            sum = v ? crl_op_apply(s->problem->op, g->data_width, sum, value) : value;
            if (crl_problem_scans(s->problem)) s->sum[(size_t)v * s->problem->chunks + c] = sum;
        }
        if (!crl_problem_scans(s->problem)) s->sum[c] = sum;
    }
}

void crl_oracle_sums_of(struct crl_oracle_sums *s, const struct crl_permutation *payload, uint32_t word, uint32_t node,
                        const uint64_t *number, uint64_t *right, uint32_t count)
{
    if (word != s->word) {
        s->word = word;
        add_up(s, payload);
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t chunk = number[i] / s->geometry->words;
        right[i] = s->sum[crl_problem_scans(s->problem) ? (size_t)(node + i) * s->problem->chunks + chunk : chunk];
    }
}
