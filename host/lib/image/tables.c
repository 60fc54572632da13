// SPDX-License-Identifier: Apache-2.0
// The tables and placements of an image in memory.
#include "image/image.h"
#include <stdlib.h>
#include <string.h>

static void lane_words_done(struct crl_lane_words *sets, uint32_t count)
{
    for (uint32_t i = 0; sets && i < count; i++) CRL_FREE(sets[i].start, sets[i].place);
    free(sets);
}

void crl_image_done(struct crl_image *image)
{
    crl_row_store_done(&image->store);
    CRL_FREE(image->node_table, image->demands);
    // A reader that gave up may leave `place_sets` as the file had it and no sets.
    for (uint32_t i = 0; image->before && i < image->place_sets; i++) free(image->before[i].place);
    for (uint32_t i = 0; image->after && i < image->place_sets; i++) free(image->after[i].place);
    CRL_FREE(image->before, image->after);
    lane_words_done(image->own, image->place_sets);
    lane_words_done(image->shown, image->place_sets);
    CRL_FREE(image->zero, image->active, image->latency);
    memset(image, 0, sizeof *image);
}

const uint32_t *crl_image_row(const struct crl_image *image, uint32_t table, uint32_t row)
{
    return crl_row_store_row(&image->store, table, row);
}

uint32_t crl_rows_of(const struct crl_geometry *geometry, uint32_t link_cycles)
{
    if (!geometry->streams || geometry->combine) return link_cycles + 1;
    return link_cycles ? link_cycles : 1;
}

// The first place of a stream that is not before it.
static uint32_t first_of(const struct crl_places *places, uint32_t stream)
{
    uint32_t least = 0, most = places->count;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (places->place[middle].bank < stream) least = middle + 1;
        else most = middle;
    }
    return least;
}

const struct crl_place *crl_stream_place(const struct crl_places *places, uint32_t stream, uint32_t index)
{
    uint32_t first = first_of(places, stream);
    if (index >= places->count - first || places->place[first + index].bank != stream) return NULL;
    return &places->place[first + index];
}

const struct crl_place *crl_stream_lane_word(const struct crl_image *image, bool own, uint32_t node, uint32_t lane,
                                             uint32_t index)
{
    const struct crl_lane_words *sets = own ? image->own : image->shown;
    uint32_t set = image->folded ? 0 : node;
    const struct crl_places *places = &(own ? image->before : image->after)[set];
    if (!sets) return crl_stream_place(places, lane, index); // a stream feeds each lane
    const struct crl_lane_words *words = &sets[set];
    if (index >= words->start[lane + 1] - words->start[lane]) return NULL;
    return &places->place[words->place[words->start[lane] + index]];
}

uint32_t crl_stream_period(const struct crl_image *image)
{
    uint32_t most = image->geometry.rows;
    for (uint32_t i = 0; i < image->place_sets; i++)
        for (uint32_t j = 0; j < image->geometry.streams; j++)
            for (int own = 0; own < 2; own++) {
                const struct crl_places *places = &(own ? image->before : image->after)[i];
                uint32_t words = first_of(places, j + 1) - first_of(places, j);
                if (words > most) most = words;
            }
    return most;
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
