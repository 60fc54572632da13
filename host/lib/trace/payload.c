// SPDX-License-Identifier: Apache-2.0
// What the words of packets are: a keyed permutation of their numbers, so that no two are alike.
#include "base/base.h"
#include "trace/trace.h"

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

void crl_fill_memory(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed, uint32_t node,
                     uint32_t depth, uint64_t *memory)
{
    const struct crl_geometry *g = &image->geometry;
    uint32_t set = image->folded ? 0 : node;
    for (uint32_t b = 0; b < g->banks; b++)
        for (uint32_t w = 0; w < g->words; w++) {
            uint64_t *page = memory + ((size_t)b * g->words + w) * depth;
            for (uint32_t a = 0; a < depth; a++) page[a] = crl_garbage(g, node, b, a, seed);
            uint32_t zero = crl_image_zero(image, set, b);
            if (zero < depth) page[zero] = 0;
        }
    bool pair = crl_problem_naming(problem) == CRL_NAMING_PAIR;
    for (uint32_t i = 0; i < image->before[set].count; i++) {
        const struct crl_place *p = &image->before[set].place[i];
        uint32_t origin = p->origin, dest = p->dest;
        if (image->folded) {
            origin = crl_topology_shift(problem->topology, origin, node);
            if (pair) dest = crl_topology_shift(problem->topology, dest, node);
        }
        for (uint32_t w = 0; w < g->words && p->addr < depth; w++)
            memory[((size_t)p->bank * g->words + w) * depth + p->addr] = crl_payload(problem, origin, dest, w, g, seed);
    }
}
