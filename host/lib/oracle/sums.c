// SPDX-License-Identifier: Apache-2.0
// The right sums: of all nodes' values, or, in a scan, of those up to the node.
#include "oracle/sums.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct crl_oracle_sums {
    const struct crl_geometry *geometry;
    const struct crl_problem *problem;
    const struct crl_orders *orders; // NULL: none were said
    uint32_t nodes, word;            // word: of which `sum` is, UINT32_MAX: of none yet
    bool by_node;                    // nodes want sums of their own
    bool loose;                      // `sum` is what was found, if it is near enough
    uint64_t *sum;                   // [chunks], or by_node [nodes][chunks]
    uint8_t *seen;                   // of `sum`, if loose: some node's words were looked at
};

static size_t sums_of(const struct crl_oracle_sums *s)
{
    return (size_t)s->problem->chunks * (s->by_node ? s->nodes : 1);
}

int crl_oracle_sums_new(struct crl_oracle_sums **out, const struct crl_geometry *geometry,
                        const struct crl_problem *problem)
{
    struct crl_oracle_sums *s = *out = calloc(1, sizeof *s);
    if (!s) return CRL_ERR_MEMORY;
    s->geometry = geometry;
    s->problem = problem;
    s->nodes = crl_topology_nodes(problem->topology);
    s->word = UINT32_MAX;
    s->loose = crl_op_floats(problem->op);
    s->by_node = s->loose || crl_problem_scans(problem); // two ends of an exchange add in orders of their own
    s->sum = calloc(sums_of(s), sizeof *s->sum);
    s->seen = malloc(problem->chunks);
    return s->sum && s->seen ? 0 : CRL_ERR_MEMORY;
}

void crl_oracle_sums_free(struct crl_oracle_sums *s)
{
    if (s) free(s->sum);
    if (s) free(s->seen);
    free(s);
}

void crl_oracle_sums_order(struct crl_oracle_sums *s, const struct crl_orders *orders)
{
    s->orders = orders;
    s->loose = false;
}

static uint64_t value_of(const struct crl_oracle_sums *s, const struct crl_permutation *payload, uint32_t node,
                         uint32_t chunk)
{
    uint64_t number = crl_chunk_number(s->problem, node, chunk) * s->geometry->words;
    return crl_permutation_at(payload, number + s->word % s->geometry->words);
}

static uint64_t *sum_at(const struct crl_oracle_sums *s, uint32_t node, uint32_t chunk)
{
    return &s->sum[s->by_node ? (size_t)node * s->problem->chunks + chunk : chunk];
}

static void add_up(struct crl_oracle_sums *s, const struct crl_permutation *payload)
{
    for (uint32_t c = 0; c < s->problem->chunks; c++) {
        uint64_t sum = 0;
        for (uint32_t v = 0, first = 1; v < s->nodes; v++) {
            if (!crl_chunk_has(s->problem, c, v)) continue;
            uint64_t value = value_of(s, payload, v, c);
            sum = first ? value : crl_op_apply(s->problem->op, s->geometry->data_width, sum, value);
            first = 0;
            if (crl_problem_scans(s->problem)) *sum_at(s, v, c) = sum;
        }
        for (uint32_t v = 0; v < (s->by_node ? s->nodes : 1) && !crl_problem_scans(s->problem); v++)
            *sum_at(s, v, c) = sum;
    }
}

// Terms follow those that they are made of.
static void evaluate(struct crl_oracle_sums *s, const struct crl_permutation *payload)
{
    for (uint32_t c = 0; c < s->problem->chunks; c++) {
        const struct crl_terms *terms = &s->orders->terms[c];
        const uint32_t *ends = s->orders->ends + (size_t)c * s->nodes;
        uint64_t *value = s->orders->value;
        for (size_t i = 0; i < terms->count; i++) {
            const struct crl_term *t = &terms->term[i];
            value[i] = t->came == CRL_NONE
                           ? value_of(s, payload, t->held, c)
                           : crl_op_apply(s->problem->op, s->geometry->data_width, value[t->held], value[t->came]);
        }
        for (uint32_t v = 0; v < s->nodes; v++)
            if (ends[v] != CRL_NONE) *sum_at(s, v, c) = value[ends[v]];
    }
}

static double narrowed(enum crl_op op, double number)
{
    return (double)crl_float_of(crl_op_widened(op, crl_op_narrowed(op, crl_float_bits((float)number))));
}

// A sum of n numbers is rounded n - 1 times, each time by less than 2^-24 of all of them together, in whatever order,
// and once more to the 16 bits of a stream, there within half a unit. Doubles hold these sums, or round far less. What
// is infinite, or no number, is so in any order.
static bool is_near(const struct crl_oracle_sums *s, const struct crl_permutation *payload, uint32_t node,
                    uint32_t chunk, uint64_t found)
{
    const enum crl_op op = s->problem->op;
    const bool scan = crl_problem_scans(s->problem), narrows = s->geometry->streams && op != CRL_OP_FADD;
    const uint32_t count = scan ? node + 1 : crl_chunk_values(s->problem, chunk);
    const double end = (double)crl_float_of(narrows ? crl_op_widened(op, found) : found);
    double sum = 0, all = 0;
    for (uint32_t v = 0; v < (scan ? count : s->nodes); v++) {
        if (!crl_chunk_has(s->problem, chunk, v)) continue;
        const double one = (double)crl_float_of(value_of(s, payload, v, chunk));
        sum += one;
        all += fabs(one);
    }
    if (!isfinite(sum)) return isnan(sum) ? isnan(end) : end == sum;
    const double off = (count - 1) * 0x1p-24 * all;
    if (!narrows) return fabs(end - sum) <= off;
    return end >= narrowed(op, sum - off) && end <= narrowed(op, sum + off);
}

static uint64_t judge_loosely(struct crl_oracle_sums *s, const struct crl_permutation *payload, uint32_t node,
                              uint32_t chunk, uint64_t found)
{
    if (!is_near(s, payload, node, chunk, found)) return *sum_at(s, node, chunk);
    if (crl_problem_scans(s->problem)) return found;
    if (!s->seen[chunk]) *sum_at(s, 0, chunk) = found;
    s->seen[chunk] = 1;
    return *sum_at(s, 0, chunk);
}

void crl_oracle_sums_of(struct crl_oracle_sums *s, const struct crl_permutation *payload, uint32_t word, uint32_t node,
                        const uint64_t *number, const uint64_t *found, uint64_t *right, uint32_t count)
{
    if (word != s->word) {
        s->word = word;
        memset(s->seen, 0, s->problem->chunks);
        if (s->orders) evaluate(s, payload);
        else add_up(s, payload);
        for (size_t i = 0; i < sums_of(s) && s->geometry->streams; i++)
            s->sum[i] = crl_word_on_stream(s->geometry, s->sum[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t chunk = (uint32_t)(number[i] / s->geometry->words);
        right[i] = s->loose ? judge_loosely(s, payload, node + i, chunk, found[i]) : *sum_at(s, node + i, chunk);
    }
}
