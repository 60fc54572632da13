// SPDX-License-Identifier: Apache-2.0
// The tables and placements of an image in memory.
#include "image/image.h"
#include <stdlib.h>
#include <string.h>

void crl_image_done(struct crl_image *image)
{
    free(image->bits);
    free(image->node_table);
    // A reader that gave up may leave `place_sets` as the file had it and no sets.
    for (uint32_t i = 0; image->before && i < image->place_sets; i++) free(image->before[i].place);
    for (uint32_t i = 0; image->after && i < image->place_sets; i++) free(image->after[i].place);
    free(image->before);
    free(image->after);
    free(image->zero);
    free(image->active);
    memset(image, 0, sizeof *image);
}

const uint32_t *crl_image_row(const struct crl_image *image, uint32_t table, uint32_t row)
{
    return image->bits + ((size_t)table * image->geometry.rows + row) * crl_row_words(&image->geometry);
}
