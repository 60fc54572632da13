// SPDX-License-Identifier: Apache-2.0
// Routers that play the tables of several images.
#include "image/image.h"
#include <stdlib.h>

void crl_geometry_join(struct crl_geometry *all, const struct crl_geometry *g)
{
    if (g->banks > all->banks) all->banks = g->banks;
    if (g->addr_width > all->addr_width) all->addr_width = g->addr_width;
    if (g->rows > all->rows) all->rows = g->rows;
    all->write_xbar |= g->write_xbar;
    all->delay |= g->delay;
    all->waddr_field |= g->waddr_field;
    all->storeless &= g->storeless;
}

void crl_row_widen(const struct crl_geometry *from, const struct crl_geometry *to, const uint32_t *bits, uint32_t *wide)
{
    struct crl_row row;
    crl_row_unpack(from, bits, &row);
    // A bank that its port feeds straight is told so where banks select. Routers that write by row numbers never share
    // with others: addresses in rows come with lanes, and no banks have none to write.
    for (uint32_t b = 0; b < from->lanes && !from->write_xbar; b++) row.bank[b].wsel = b;
    crl_row_pack(to, &row, wide);
}

// Where there were no banks, each has 0 in word 0, which is read beside words that do not wait.
static int add_zeros(struct crl_image *image, uint32_t banks)
{
    image->zero = malloc(sizeof *image->zero * image->place_sets * banks);
    for (uint32_t i = 0; image->zero && i < image->place_sets * banks; i++)
        image->zero[image->zeros++] = (struct crl_zero){i / banks, i % banks, 0};
    return image->zero ? 0 : CRL_ERR_MEMORY;
}

int crl_image_widen(struct crl_image *image, const struct crl_geometry *to)
{
    struct crl_geometry from = image->geometry;
    struct crl_row_store *old = &image->store, store;
    struct crl_row_builder *builder;
    const uint32_t words = crl_row_words(to);
    uint32_t tables, *number = malloc(sizeof *number * from.rows), *bits = malloc(sizeof *bits * words * from.rows);
    int error = number && bits ? crl_row_builder_new(&builder, words) : CRL_ERR_MEMORY;
    for (uint32_t t = 0; t < image->tables && !error; t++) {
        size_t first = old->first[t], count = old->first[t + 1] - first;
        for (size_t i = 0; i < count; i++) {
            number[i] = old->use[first + i].row;
            crl_row_widen(&from, to, crl_row_store_row(old, t, number[i]), bits + i * words);
        }
        crl_row_builder_add(builder, number, bits, count, false);
    }
    CRL_FREE(number, bits);
    if (!error) error = crl_row_builder_end(builder, &store, &tables);
    if (!error && from.storeless && !to->storeless) error = add_zeros(image, to->banks);
    if (error) return error;
    crl_row_store_done(old);
    image->store = store;
    image->geometry = *to;
    image->geometry.rows = from.rows;
    return 0;
}
