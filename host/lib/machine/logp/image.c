// SPDX-License-Identifier: Apache-2.0
// The image of a LogP machine's tables, in memory and as a file: docs/formats/image.md.
#include "base/base.h"
#include "machine/logp/image.h"
#include <stdlib.h>
#include <string.h>

enum { SECTION_GEOMETRY = 1, SECTION_NAMES, SECTION_ROWS, SECTION_TABLES, SECTION_BEFORE, SECTION_AFTER, SECTIONS = 6 };
enum { ADDR_WIDTH_MAX = 24, ROWS_MAX = 1 << 20, WORDS_MAX = 65536 };

// What the first section has, in its order: their values, or with & where they are.
#define NUMBERS(of, g, p, low, high, flag)                                                                             \
    of g->name_width, of g->data_width, of g->addr_width, of g->rows, of g->words, of p->items, of p->time, of low,    \
        of high, of flag

void crl_logp_image_done(struct crl_logp_image *image)
{
    uint32_t P = image->problem.machine.P;
    for (uint32_t v = 0; image->before && v < P; v++) free(image->before[v].place);
    for (uint32_t v = 0; image->after && v < P; v++) free(image->after[v].place);
    crl_row_store_done(&image->store);
    CRL_FREE(image->before, image->after);
    memset(image, 0, sizeof *image);
}

const uint32_t *crl_logp_image_row(const struct crl_logp_image *image, uint32_t processor, uint32_t row)
{
    return crl_row_store_row(&image->store, processor, row);
}

// ---- writing

static void put_places(struct crl_bytes *b, const struct crl_logp_image *image, const struct crl_logp_places *places)
{
    for (uint32_t v = 0; v < image->problem.machine.P; v++) {
        crl_put(b, places[v].count);
        crl_put_words(b, (const uint32_t *)places[v].place, (size_t)places[v].count * 2); // item, address
    }
}

int crl_logp_image_write(const struct crl_logp_image *image, FILE *file, struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &image->geometry;
    const struct crl_logp_problem *p = &image->problem;
    struct crl_bytes all = {0}, body = {0};
    char machine[CRL_LOGP_NAME];
    crl_put_header(&all, CRL_FORM_LOGP, SECTIONS);
    const uint32_t numbers[] = {NUMBERS(, g, p, (uint32_t)p->operands, (uint32_t)(p->operands >> 32), p->full_duplex)};
    crl_put_words(&body, numbers, sizeof numbers / sizeof *numbers);
    crl_put_section(&all, SECTION_GEOMETRY, &body);
    crl_logp_name(&p->machine, machine);
    crl_put_text(&body, machine, 128);
    crl_put_text(&body, crl_logp_problem_name(p), 32);
    crl_put_text(&body, image->scheme, 32);
    crl_put_section(&all, SECTION_NAMES, &body);
    crl_put_rows(&all, &body, SECTION_ROWS, &image->store, p->machine.P);
    put_places(&body, image, image->before);
    crl_put_section(&all, SECTION_BEFORE, &body);
    put_places(&body, image, image->after);
    crl_put_section(&all, SECTION_AFTER, &body);
    return crl_container_write(&all, &body, file, diag);
}

// ---- reading

static void get_geometry(struct crl_cursor *c, struct crl_logp_image *image)
{
    struct crl_logp_geometry *g = &image->geometry;
    struct crl_logp_problem *p = &image->problem;
    struct crl_cursor body = crl_get_section(c, SECTION_GEOMETRY);
    uint32_t low, high, flag, *numbers[] = {NUMBERS(&, g, p, low, high, flag)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = crl_get(&body);
    p->operands = (uint64_t)high << 32 | low;
    p->full_duplex = flag;
    if (!body.error && flag > 1) crl_bad(&body, "a flag is neither 0 nor 1");
    // Before anything is computed from it.
    if (!body.error && (g->name_width < 1 || 1u << (g->name_width & 31) > CRL_LOGP_PLAY_P_MAX || g->name_width > 31 ||
                        g->addr_width < 1 || g->addr_width > ADDR_WIDTH_MAX || g->rows < 1 || g->rows > ROWS_MAX ||
                        g->words < 1 || g->words > WORDS_MAX || !crl_is_data_width(g->data_width)))
        crl_bad(&body, "impossible geometry");
    crl_end_section(c, &body);
}

// What the machine and the collective are called, and what the numbers read before mean for them.
static void get_names(struct crl_cursor *c, struct crl_logp_image *image)
{
    struct crl_cursor body = crl_get_section(c, SECTION_NAMES);
    struct crl_logp_problem *p = &image->problem, numbers = *p;
    struct crl_logp machine;
    char name[128] = "", collective[32] = "", canonical[CRL_LOGP_NAME];
    crl_get_text(&body, name, sizeof name);
    crl_get_text(&body, collective, sizeof collective);
    crl_get_text(&body, image->scheme, sizeof image->scheme);
    crl_end_section(c, &body);
    if (c->error) return;
    if (crl_logp_parse(&machine, name, NULL) || crl_logp_problem_init(p, collective, &machine, NULL) ||
        strcmp(collective, crl_logp_problem_name(p)))
        crl_bad(c, "an unknown machine or collective");
    p->machine.P = 0; // until there is something for each
    if (c->error) return;
    crl_logp_name(&machine, canonical);
    p->items = numbers.items;
    p->time = numbers.time;
    p->operands = numbers.operands;
    p->full_duplex = numbers.full_duplex;
    p->machine = machine;
    if (strcmp(name, canonical) || machine.P > 1u << image->geometry.name_width || machine.L < 1 ||
        machine.L > CRL_LOGP_PLAY_L_MAX || crl_logp_problem_ready(p, NULL))
        crl_bad(c, "the image contradicts itself");
}

static void get_tables(struct crl_cursor *c, struct crl_logp_image *image)
{
    const struct crl_logp_geometry *g = &image->geometry;
    uint32_t row_words = crl_logp_row_words(g), spare = row_words * 32 - crl_logp_row_bits(g), mask[4];
    struct crl_logp_row row;
    crl_get_rows(c, SECTION_ROWS, &image->store, row_words, image->problem.machine.P, g->rows);
    for (uint32_t i = 0; i < image->store.distinct && !c->error; i++) {
        const uint32_t *bits = image->store.bits + (size_t)i * row_words;
        if (spare && bits[row_words - 1] >> (32 - spare)) crl_bad(c, "a row has bits beyond its end");
        else if (!crl_logp_row_unpack(g, bits, &row)) crl_bad(c, "a row has bad parity");
        crl_logp_row_used(g, &row, mask);
        for (uint32_t w = 0; w < row_words; w++)
            if (bits[w] & ~mask[w]) crl_bad(c, "a row says something in a field that it does not use");
    }
}

// Whether an item may be named as one of processor v, `number` having been named in the section before it.
static bool is_item(const struct crl_logp_problem *p, uint32_t id, uint32_t v, uint32_t number, uint32_t item)
{
    if (crl_logp_combines(p)) // values and operands are numbered through, the result is 0
        return item == (id == SECTION_BEFORE ? number : 0) && (p->kind != CRL_LOGP_COMBINING || number == v);
    if (!crl_logp_item_exists(p, item)) return false;
    return id == SECTION_BEFORE ? crl_logp_item_origin(p, item) == v : crl_logp_item_wanted(p, item, v);
}

static void get_places(struct crl_cursor *c, uint32_t id, struct crl_logp_image *image, struct crl_logp_places **out)
{
    struct crl_cursor body = crl_get_section(c, id);
    uint32_t P = image->problem.machine.P, number = 0;
    *out = crl_get_array(&body, P, sizeof **out, 4);
    for (uint32_t v = 0; v < P && !body.error; v++) {
        uint32_t count = crl_get(&body);
        (*out)[v].place = crl_get_array(&body, count, sizeof *(*out)[v].place, 8);
        if (!(*out)[v].place) break;
        (*out)[v].count = count;
        for (uint32_t k = 0; k < count; k++) {
            struct crl_logp_place *place = &(*out)[v].place[k];
            place->item = crl_get(&body);
            place->addr = crl_get(&body);
            if (place->addr >> image->geometry.addr_width) crl_bad(&body, "a placement is out of range");
            if (!is_item(&image->problem, id, v, number++, place->item))
                crl_bad(&body, "an item is placed where it cannot be");
        }
    }
    crl_end_section(c, &body);
}

int crl_logp_image_parse(struct crl_logp_image *image, const struct crl_container *container, struct crl_diag *diag)
{
    memset(image, 0, sizeof *image);
    struct crl_cursor cursor = crl_container_open(container, diag), *c = &cursor;
    if (container->form != CRL_FORM_LOGP) return crl_bad(c, "an image, but not one of a LogP machine");
    if (container->sections != SECTIONS) return crl_bad(c, "an unknown number of sections");
    get_geometry(c, image);
    if (!c->error) get_names(c, image);
    if (!c->error) get_tables(c, image);
    if (!c->error) get_places(c, SECTION_BEFORE, image, &image->before);
    if (!c->error) get_places(c, SECTION_AFTER, image, &image->after);
    int error = crl_container_end(c);
    if (error) crl_logp_image_done(image);
    return error;
}
