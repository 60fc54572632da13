// SPDX-License-Identifier: Apache-2.0
// The files of algorithms, in order of preference: the first row that solves a problem is its default.
#include "algorithm/algorithm.h"

#define FILES(X)                                                                                                       \
    X(hypercube_multinode_broadcast)                                                                                   \
    X(hypercube_scatter)                                                                                               \
    X(hypercube_total_exchange)                                                                                        \
    X(hypercube_nowait_broadcast)                                                                                      \
    X(product_exchange_a2)                                                                                             \
    X(hamilton_broadcast)                                                                                              \
    X(tree)                                                                                                            \
    X(array_fold_large)                                                                                                \
    X(spread)                                                                                                          \
    X(array_fold_broadcast)                                                                                            \
    X(torus_orbit_broadcast)                                                                                           \
    X(product_exchange)                                                                                                \
    X(exchange_nowait)                                                                                                 \
    X(streamed_exchange)                                                                                               \
    X(repeated_exchange)                                                                                               \
    X(core)                                                                                                            \
    X(product_exchange_a2_paths)                                                                                       \
    X(online_partial)                                                                                                  \
    X(steps)                                                                                                           \
    X(all_reduce_doubling)                                                                                             \
    X(overlap)                                                                                                         \
    X(cabled_sums)                                                                                                     \
    X(scan_lines)                                                                                                      \
    X(switched_sums)                                                                                                   \
    X(adding_switches)                                                                                                 \
    X(scan_walk)                                                                                                       \
    X(all_reduce_twice)

#define DECLARE(name) extern const struct crl_algorithm crl_rows_##name[];
#define LIST(name)    crl_rows_##name,

FILES(DECLARE)
static const struct crl_algorithm *const files[] = {FILES(LIST)};

size_t crl_algorithms_all(const struct crl_algorithm **out)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (const struct crl_algorithm *a = files[i]; a->collectives && count < CRL_ALGORITHMS_MAX; a++)
            out[count++] = a;
    return count;
}

const struct crl_algorithm *crl_algorithm_at(size_t index)
{
    const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
    return index < crl_algorithms_all(rows) ? rows[index] : NULL;
}
