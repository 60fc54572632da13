// SPDX-License-Identifier: Apache-2.0
// What the words of packets are: a keyed permutation of their numbers, so that no two are alike.
#include "base/base.h"
#include "trace/trace.h"
#include <string.h>

// Numbers of 2^-7 up to 2, of either sign: close enough to each other that sums depend on the order of additions. Of
// every fourth seed some are at the borders of their format: no number, infinity, zero, the least and the greatest
// subnormal number, the least normal one, 1 and what makes ties beside it.
static const struct floats {
    uint64_t keep;
    uint32_t rare[16];
} floats[] = {{0x83ffffff,
               {0x7f800001, 0x7f800000, 0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0x3f800001,
                0x33800000, 0x33800001, 0x34000000, 0x34400000, 0x3fffffff, 0x32800000, 0x4b800000, 0x3f000000}},
              {0x83ff0000,
               {0x7fc00000, 0x7f800000, 0x00000000, 0x00010000, 0x007f0000, 0x00800000, 0x3f800000, 0x3f810000,
                0x3b800000, 0x3b810000, 0x3c000000, 0x3c400000, 0x3fff0000, 0x33800000, 0x4b800000, 0x3f000000}},
              {0x83ffe000,
               {0x7fc00000, 0x7f800000, 0x00000000, 0x33800000, 0x387fc000, 0x38800000, 0x3f800000, 0x3f802000,
                0x3a000000, 0x3a002000, 0x3a800000, 0x3ac00000, 0x3fffe000, 0x477fe000, 0x41800000, 0x3f000000}}};

void crl_payload_init(struct crl_permutation *payload, const struct crl_geometry *geometry, uint64_t seed)
{
    crl_permutation_init(payload, geometry->data_width, seed);
    if (!geometry->combine || !crl_op_floats(crl_geometry_op(geometry))) return;
    const struct floats *f = &floats[crl_geometry_op(geometry) - CRL_OP_FADD];
    payload->keep = f->keep;
    payload->set = UINT64_C(0x3c000000);
    if (seed % 4 == 0) payload->rare = f->rare;
}

uint64_t crl_chunk_number(const struct crl_problem *problem, uint32_t node, uint32_t chunk)
{
    return node * crl_problem_packets(problem) + chunk;
}

uint64_t crl_payload_number(const struct crl_problem *problem, uint32_t node, uint32_t origin, uint32_t dest)
{
    uint64_t index = crl_problem_index(problem, origin, dest);
    return crl_problem_sums(problem) ? crl_chunk_number(problem, node, (uint32_t)index) : index;
}

uint64_t crl_payload(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t word,
                     const struct crl_geometry *geometry, uint64_t seed)
{
    struct crl_permutation payload;
    crl_payload_init(&payload, geometry, seed);
    return crl_permutation_at(&payload, crl_problem_index(problem, origin, dest) * geometry->words + word);
}

void crl_garbage_init(struct crl_permutation *garbage, const struct crl_geometry *geometry, uint64_t seed)
{
    crl_permutation_init(garbage, geometry->data_width, ~seed);
}

uint64_t crl_garbage_number(const struct crl_geometry *geometry, uint32_t node, uint32_t bank, uint32_t addr)
{
    return ((uint64_t)node * geometry->banks + bank) << geometry->addr_width | addr;
}

bool crl_payload_fits(const struct crl_problem *problem, const struct crl_geometry *geometry)
{
    uint64_t packets = crl_problem_packets(problem);
    if (crl_problem_sums(problem)) packets *= crl_topology_nodes(problem->topology);
    if (geometry->data_width >= 64) return true;
    return packets <= (UINT64_C(1) << geometry->data_width) / geometry->words;
}

void crl_packet_shift(const struct crl_problem *problem, uint32_t by, uint32_t *origin, uint32_t *dest)
{
    *origin = crl_topology_shift(problem->topology, *origin, by);
    if (crl_problem_naming(problem) == CRL_NAMING_PAIR) *dest = crl_topology_shift(problem->topology, *dest, by);
}

void crl_fill_memory(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed, uint32_t node,
                     uint32_t depth, uint64_t *memory)
{
    const struct crl_geometry *g = &image->geometry;
    uint32_t set = image->folded ? 0 : node;
    struct crl_permutation garbage, payload;
    crl_garbage_init(&garbage, g, seed);
    crl_payload_init(&payload, g, seed);
    for (uint32_t b = 0; b < g->banks; b++) {
        uint64_t *page = memory + (size_t)b * g->words * depth, first = crl_garbage_number(g, node, b, 0);
        for (uint32_t a = 0; a < depth; a++) page[a] = crl_permutation_at(&garbage, first + a);
        uint32_t zero = crl_image_zero(image, set, b);
        if (zero < depth) page[zero] = 0;
        for (uint32_t w = 1; w < g->words; w++) memcpy(page + (size_t)w * depth, page, sizeof *page * depth);
    }
    for (uint32_t i = 0; i < image->before[set].count; i++) {
        const struct crl_place *p = &image->before[set].place[i];
        uint32_t origin = p->origin, dest = p->dest;
        if (image->folded) crl_packet_shift(problem, node, &origin, &dest);
        uint64_t first = crl_payload_number(problem, node, origin, dest) * g->words;
        for (uint32_t w = 0; w < g->words && p->addr < depth; w++)
            memory[((size_t)p->bank * g->words + w) * depth + p->addr] = crl_permutation_at(&payload, first + w);
    }
}
