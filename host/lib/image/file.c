// SPDX-License-Identifier: Apache-2.0
// The image of slot tables as a file: docs/formats/image.md.
#include "image/container.h"
#include "image/image.h"
#include <string.h>

enum {
    SECTION_GEOMETRY = 1,
    SECTION_NAMES,
    SECTION_ROWS,
    SECTION_TABLES,
    SECTION_NODES, // empty where there is one table
    SECTION_BEFORE,
    SECTION_AFTER,
    SECTION_ZERO,
    SECTION_ACTIVE,  // of partial collectives only; empty elsewhere if another section follows
    SECTION_LATENCY, // where a link takes longer than a slot; empty elsewhere if another section follows
    SECTION_LANES,   // where there are fewer streams than lanes; empty elsewhere if another section follows
    SECTION_DEMANDS, // of traffic
};
// What the first section has, in its order: their values, or with & where they are.
#define NUMBERS(of, image, folded)                                                                                     \
    of(image)->geometry.ports, of(image)->geometry.lanes, of(image)->geometry.banks, of(image)->geometry.write_xbar,   \
        of(image)->geometry.delay, of(image)->geometry.waddr_field, of(image)->geometry.data_width,                    \
        of(image)->geometry.addr_width, of(image)->geometry.rows, of(image)->geometry.words, of(image)->nodes,         \
        of(image)->root, of(image)->port_model, of(image)->link_cycles, of(folded), of(image)->tables
// These structures are words in a row, in memory as in the file.
enum { PLACE_WORDS = sizeof(struct crl_place) / 4, ZERO_WORDS = sizeof(struct crl_zero) / 4 };

static void put_places(struct crl_bytes *b, const struct crl_image *image, const struct crl_places *places)
{
    for (uint32_t i = 0; i < image->place_sets; i++) {
        crl_put(b, places[i].count);
        crl_put_words(b, (const uint32_t *)places[i].place, (size_t)places[i].count * PLACE_WORDS);
    }
}

static void put_lanes(struct crl_bytes *b, const struct crl_image *image, const struct crl_lane_words *sets)
{
    uint32_t lanes = image->geometry.lanes;
    for (uint32_t i = 0; i < image->place_sets; i++) {
        for (uint32_t j = 0; j < lanes; j++) crl_put(b, sets[i].start[j + 1] - sets[i].start[j]);
        crl_put_words(b, sets[i].place, sets[i].start[lanes]);
    }
}

int crl_image_write(const struct crl_image *image, FILE *file, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    struct crl_bytes all = {0}, body = {0};
    crl_put_header(&all, CRL_FORM_SLOTS,
                   image->demands     ? SECTION_DEMANDS
                   : image->own       ? SECTION_LANES
                   : image->latencies ? SECTION_LATENCY
                   : image->parts     ? SECTION_ACTIVE
                                      : SECTION_ZERO);

    const uint32_t numbers[] = {NUMBERS(, image, image->folded), g->streams | g->storeless << 16 | g->combine << 17};
    crl_put_words(&body, numbers, sizeof numbers / sizeof *numbers);
    if (g->combine) crl_put(&body, image->chunks);
    crl_put_section(&all, SECTION_GEOMETRY, &body);
    crl_put_text(&body, image->topology, 128);
    crl_put_text(&body, image->collective, 32);
    crl_put_text(&body, image->scheme, 32);
    crl_put_section(&all, SECTION_NAMES, &body);
    crl_put_rows(&all, &body, SECTION_ROWS, &image->store, image->tables);
    if (image->tables > 1) crl_put_words(&body, image->node_table, image->nodes);
    crl_put_section(&all, SECTION_NODES, &body);
    put_places(&body, image, image->before);
    crl_put_section(&all, SECTION_BEFORE, &body);
    put_places(&body, image, image->after);
    crl_put_section(&all, SECTION_AFTER, &body);
    crl_put_words(&body, (const uint32_t *)image->zero, (size_t)image->zeros * ZERO_WORDS);
    crl_put_section(&all, SECTION_ZERO, &body);
    if (image->parts) {
        crl_put(&body, image->parts);
        crl_put_words(&body, image->active, image->active_count);
    }
    if (image->parts || image->latencies || image->own || image->demands) crl_put_section(&all, SECTION_ACTIVE, &body);
    if (image->latencies || image->own || image->demands) {
        crl_put_words(&body, image->latency, image->latencies);
        crl_put_section(&all, SECTION_LATENCY, &body);
    }
    if (image->own) {
        put_lanes(&body, image, image->own);
        put_lanes(&body, image, image->shown);
    }
    if (image->own || image->demands) crl_put_section(&all, SECTION_LANES, &body);
    if (image->demands) {
        crl_put_bytes(&body, image->demands, image->demands_bytes);
        crl_put_section(&all, SECTION_DEMANDS, &body);
    }
    return crl_container_write(&all, &body, file, diag);
}

static void get_places(struct crl_cursor *c, uint32_t id, uint32_t sets, struct crl_places **out)
{
    struct crl_cursor body = crl_get_section(c, id);
    *out = crl_get_array(&body, sets, sizeof **out, 4);
    for (uint32_t i = 0; i < sets && !body.error; i++) {
        uint32_t count = crl_get(&body);
        (*out)[i].place = crl_get_array(&body, count, sizeof *(*out)[i].place, sizeof *(*out)[i].place);
        if (!(*out)[i].place) break;
        (*out)[i].count = count;
        crl_get_words(&body, (uint32_t *)(*out)[i].place, (size_t)count * PLACE_WORDS);
    }
    crl_end_section(c, &body);
}

static void get_geometry(struct crl_cursor *c, struct crl_image *image)
{
    struct crl_geometry *g = &image->geometry;
    struct crl_cursor body = crl_get_section(c, SECTION_GEOMETRY);
    uint32_t relative, *numbers[] = {NUMBERS(&, image, relative)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = crl_get(&body);
    uint32_t streams = crl_get(&body);
    g->streams = streams & 0xffff;
    g->storeless = streams >> 16 & 1;
    g->combine = streams >> 17;
    if (g->combine) image->chunks = crl_get(&body);
    if (!body.error && relative > 1) crl_bad(&body, "a flag is neither 0 nor 1");
    if (!body.error) {
        image->folded = relative;
        image->place_sets = relative ? 1 : image->nodes;
        if (g->ports < 1 || g->ports > CRL_PORTS_MAX || g->lanes < 1 || g->lanes > g->ports || g->banks < 1 ||
            g->banks > CRL_BANKS_MAX || g->addr_width > 30 || image->nodes > CRL_IMAGE_NODES_MAX || g->write_xbar > 1 ||
            g->delay > 1 || g->waddr_field > 1 || g->streams > g->lanes || g->storeless > (g->streams > 0) ||
            g->combine > CRL_OPS)
            crl_bad(&body, "impossible geometry"); // before anything is computed from it
    }
    crl_end_section(c, &body);
}

static void get_nodes(struct crl_cursor *c, struct crl_image *image)
{
    struct crl_cursor body = crl_get_section(c, SECTION_NODES);
    bool said = image->tables > 1;
    image->node_table = crl_get_array(&body, image->nodes, 4, said ? 4 : 0);
    if (said && image->node_table) crl_get_words(&body, image->node_table, image->nodes);
    crl_end_section(c, &body);
}

static void get_zeros(struct crl_cursor *c, struct crl_image *image)
{
    struct crl_cursor body = crl_get_section(c, SECTION_ZERO);
    size_t count = body.count / sizeof *image->zero;
    image->zero = crl_get_array(&body, count, sizeof *image->zero, sizeof *image->zero);
    if (image->zero) crl_get_words(&body, (uint32_t *)image->zero, count * ZERO_WORDS);
    image->zeros = (uint32_t)count;
    crl_end_section(c, &body);
}

static void get_active(struct crl_cursor *c, struct crl_image *image, bool may_be_empty)
{
    struct crl_cursor body = crl_get_section(c, SECTION_ACTIVE);
    if (may_be_empty && !body.count) {
        crl_end_section(c, &body);
        return;
    }
    image->parts = crl_get(&body);
    if (!body.error && !image->parts) crl_bad(&body, "packets of no parts");
    image->active_count = (uint32_t)((body.count - body.used) / 4);
    image->active = crl_get_array(&body, image->active_count, 4, 4);
    if (image->active) crl_get_words(&body, image->active, image->active_count);
    crl_end_section(c, &body);
}

static void get_latencies(struct crl_cursor *c, struct crl_image *image, bool may_be_empty)
{
    struct crl_cursor body = crl_get_section(c, SECTION_LATENCY);
    if (!body.error && !body.count && !may_be_empty) crl_bad(&body, "no latencies");
    image->latencies = (uint32_t)(body.count / 4);
    image->latency = crl_get_array(&body, image->latencies, 4, 4);
    if (image->latency) crl_get_words(&body, image->latency, image->latencies);
    crl_end_section(c, &body);
}

static struct crl_lane_words *get_lanes(struct crl_cursor *body, const struct crl_image *image)
{
    uint32_t lanes = image->geometry.lanes;
    struct crl_lane_words *sets = crl_get_array(body, image->place_sets, sizeof *sets, 4);
    for (uint32_t i = 0; i < image->place_sets && !body->error; i++) {
        sets[i].start = crl_get_array(body, lanes + 1, 4, 0);
        for (uint32_t j = 0; sets[i].start && j < lanes; j++) {
            uint32_t count = crl_get(body);
            if (count > body->count) crl_bad(body, "more words of a lane than there are");
            sets[i].start[j + 1] = sets[i].start[j] + count;
        }
        uint32_t words = body->error ? 0 : sets[i].start[lanes];
        sets[i].place = crl_get_array(body, words, 4, 4);
        if (sets[i].place) crl_get_words(body, sets[i].place, words);
    }
    return sets;
}

static void get_both_lanes(struct crl_cursor *c, struct crl_image *image, bool may_be_empty)
{
    struct crl_cursor body = crl_get_section(c, SECTION_LANES);
    if (!may_be_empty || body.count) {
        image->own = get_lanes(&body, image);
        image->shown = get_lanes(&body, image);
    }
    crl_end_section(c, &body);
}

// The text ends with a zero that is not of it.
static void get_demands(struct crl_cursor *c, struct crl_image *image)
{
    struct crl_cursor body = crl_get_section(c, SECTION_DEMANDS);
    image->demands = crl_get_array(&body, body.count + UINT64_C(1), 1, 0);
    image->demands_bytes = body.count;
    if (image->demands) crl_get_bytes(&body, image->demands, body.count);
    crl_end_section(c, &body);
}

int crl_image_parse(struct crl_image *image, const struct crl_container *container, struct crl_diag *diag)
{
    memset(image, 0, sizeof *image);
    struct crl_cursor cursor = crl_container_open(container, diag), *c = &cursor;
    if (container->form != CRL_FORM_SLOTS) return crl_bad(c, "an image, but not one of slot tables");
    if (container->sections < SECTION_ZERO || container->sections > SECTION_DEMANDS)
        return crl_bad(c, "an unknown number of sections");
    get_geometry(c, image);
    struct crl_cursor body = crl_get_section(c, SECTION_NAMES);
    crl_get_text(&body, image->topology, 128);
    crl_get_text(&body, image->collective, 32);
    crl_get_text(&body, image->scheme, 32);
    crl_end_section(c, &body);
    if (!c->error)
        crl_get_rows(c, SECTION_ROWS, &image->store, crl_row_words(&image->geometry), image->tables,
                     image->geometry.rows);
    if (!c->error) get_nodes(c, image);
    if (!c->error) get_places(c, SECTION_BEFORE, image->place_sets, &image->before);
    if (!c->error) get_places(c, SECTION_AFTER, image->place_sets, &image->after);
    if (!c->error) get_zeros(c, image);
    if (!c->error && container->sections >= SECTION_ACTIVE) get_active(c, image, container->sections > SECTION_ACTIVE);
    if (!c->error && container->sections >= SECTION_LATENCY)
        get_latencies(c, image, container->sections > SECTION_LATENCY);
    if (!c->error && container->sections >= SECTION_LANES)
        get_both_lanes(c, image, container->sections > SECTION_LANES);
    if (!c->error && container->sections == SECTION_DEMANDS) get_demands(c, image);
    int error = crl_container_end(c);
    if (!error) error = crl_image_validate(image, c->name, diag);
    if (error) crl_image_done(image);
    return error;
}
