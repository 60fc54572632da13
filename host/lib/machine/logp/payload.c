// SPDX-License-Identifier: Apache-2.0
// What the words of a LogP machine's items are.
#include "base/base.h"
#include "machine/logp/play.h"

uint64_t crl_logp_payload(const struct crl_logp_geometry *geometry, uint32_t item, uint32_t word, uint64_t seed)
{
    return crl_permute((uint64_t)item * geometry->words + word, geometry->data_width, seed);
}

uint64_t crl_logp_garbage(const struct crl_logp_geometry *geometry, uint32_t processor, uint32_t addr, uint64_t seed)
{
    return crl_permute((uint64_t)processor << geometry->addr_width | addr, geometry->data_width, ~seed);
}

bool crl_logp_payload_fits(const struct crl_logp_image *image)
{
    enum { COMBINED_MIN = 32 };
    const struct crl_logp_geometry *g = &image->geometry;
    if (crl_logp_combines(&image->problem) && g->data_width < COMBINED_MIN) return false;
    uint64_t numbers = 0;
    for (uint32_t v = 0; v < image->problem.machine.P; v++)
        for (uint32_t i = 0; i < image->before[v].count; i++)
            if (image->before[v].place[i].item >= numbers) numbers = image->before[v].place[i].item + UINT64_C(1);
    return g->data_width >= 64 || numbers <= (UINT64_C(1) << g->data_width) / g->words;
}
