// SPDX-License-Identifier: Apache-2.0
// The tables and placements of an image in memory.
#include "image/image.h"
#include <stdlib.h>
#include <string.h>

void crl_image_done(struct crl_image *image)
{
    crl_row_store_done(&image->store);
    free(image->node_table);
    // A reader that gave up may leave `place_sets` as the file had it and no sets.
    for (uint32_t i = 0; image->before && i < image->place_sets; i++) free(image->before[i].place);
    for (uint32_t i = 0; image->after && i < image->place_sets; i++) free(image->after[i].place);
    free(image->before);
    free(image->after);
    free(image->zero);
    free(image->active);
    free(image->latency);
    memset(image, 0, sizeof *image);
}

const uint32_t *crl_image_row(const struct crl_image *image, uint32_t table, uint32_t row)
{
    return crl_row_store_row(&image->store, table, row);
}

uint32_t crl_image_zero(const struct crl_image *image, uint32_t set, uint32_t bank)
{
    uint32_t least = 0, most = image->zeros;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        const struct crl_zero *z = &image->zero[middle];
        if (z->set < set || (z->set == set && z->bank < bank)) least = middle + 1;
        else most = middle;
    }
    const struct crl_zero *z = &image->zero[least];
    return least < image->zeros && z->set == set && z->bank == bank ? z->addr : CRL_NONE;
}
