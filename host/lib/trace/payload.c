// SPDX-License-Identifier: Apache-2.0
// What the words of packets are: a keyed permutation of their numbers, so that no two are alike.
#include "base/base.h"
#include <carillon/carillon.h>

uint64_t crl_payload(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t word,
                     const struct crl_geometry *geometry, uint64_t seed)
{
    uint64_t number = crl_problem_index(problem, origin, dest) * geometry->words + word;
    return crl_permute(number, geometry->data_width, seed);
}

uint64_t crl_garbage(const struct crl_geometry *geometry, uint32_t node, uint32_t bank, uint32_t addr, uint64_t seed)
{
    uint64_t number = ((uint64_t)node * geometry->banks + bank) << geometry->addr_width | addr;
    return crl_permute(number, geometry->data_width, ~seed);
}

bool crl_payload_fits(const struct crl_problem *problem, const struct crl_geometry *geometry)
{
    uint64_t packets = crl_problem_packets(problem);
    if (geometry->data_width >= 64) return true;
    return packets <= (UINT64_C(1) << geometry->data_width) / geometry->words;
}
