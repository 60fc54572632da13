// SPDX-License-Identifier: Apache-2.0
// The tables of an emitted fabric: one geometry for all its schedules, and their rows one after the other.
#include "machine/slots/emission.h"
#include "image/store.h"
#include <stdlib.h>

uint32_t sequencers(const struct emission *e)
{
    for (uint32_t p = 0; p < e->parts; p++)
        if (e->part[p].image->tables != 1) return e->nodes;
    return 1;
}

// Whether two parts are for the same links. Of a spare some may be missing.
static bool same_links(const struct part *a, const struct part *b)
{
    const struct crl_topology *s = a->problem->topology, *t = b->problem->topology;
    const struct crl_image *i = a->image, *j = b->image;
    if (crl_topology_nodes(s) != crl_topology_nodes(t) || crl_topology_ports(s) != crl_topology_ports(t)) return false;
    for (uint32_t v = 0; v < crl_topology_nodes(s); v++)
        for (uint32_t p = 0; p < crl_topology_ports(s); p++) {
            uint32_t from = crl_topology_behind(s, v, p);
            const uint32_t there = crl_topology_behind(t, v, p);
            if (from != there && !(b->without && there == CRL_NONE)) return false;
            if (there != CRL_NONE && crl_topology_latency(s, from, p) != crl_topology_latency(t, from, p)) return false;
        }
    // Registers of a slow link are counted in cycles, latencies in slots.
    return !i->latencies ||
           crl_slot_cycles(&i->geometry, i->port_model) == crl_slot_cycles(&j->geometry, j->port_model);
}

// Bits of an address that all rows do with: of packets of several words each address more costs as many.
static uint32_t narrowest(const struct part *part, uint32_t parts)
{
    uint32_t most = 1;
    for (uint32_t p = 0; p < parts; p++) {
        const struct crl_geometry *g = &part[p].image->geometry;
        if (!g->waddr_field && g->rows - 1 > most) most = g->rows - 1; // the row number is the address
        for (uint32_t i = 0; i < part[p].image->tables * g->rows; i++) {
            struct crl_row row;
            crl_row_unpack(g, crl_image_row(part[p].image, i / g->rows, i % g->rows), &row);
            for (uint32_t b = 0; b < g->banks; b++) {
                if (row.bank[b].raddr > most) most = row.bank[b].raddr;
                if (row.bank[b].waddr > most) most = row.bank[b].waddr;
            }
        }
    }
    return crl_bits_for(most + 1);
}

// The rows of a sequencer's table, of all parts, as routers of the shared geometry have them. The caller frees; NULL
// where memory was short.
static uint32_t *rows_of(const struct emission *e, uint32_t s)
{
    const uint32_t words = crl_row_words(&e->geometry);
    uint32_t *rows = malloc(sizeof *rows * words * e->table_rows), *at = rows;
    for (uint32_t p = 0; p < e->parts && rows; p++) {
        const struct crl_image *image = e->part[p].image;
        for (uint32_t r = 0; r < image->geometry.rows; r++, at += words)
            crl_row_widen(&image->geometry, &e->geometry, crl_image_row(image, image->node_table[node_at(e, s)], r),
                          at);
    }
    return rows;
}

// The same with equal rows once.
static int store_of(const struct emission *e, uint32_t s, struct crl_row_store *store)
{
    CRL_OWNED uint32_t *rows = rows_of(e, s), *number = malloc(sizeof *number * e->table_rows);
    struct crl_row_builder *builder;
    uint32_t tables;
    if (!rows || !number || crl_row_builder_new(&builder, crl_row_words(&e->geometry))) return crl_fail_memory(e->diag);
    for (uint32_t r = 0; r < e->table_rows; r++) number[r] = r;
    crl_row_builder_add(builder, number, rows, e->table_rows, false);
    return crl_row_builder_end(builder, store, &tables) ? crl_fail_memory(e->diag) : 0;
}

// Whether rows are idle: one for them is stored before the others.
static bool has_idle(const struct emission *e, const struct crl_row_store *store)
{
    return store->first[1] < e->table_rows;
}

uint32_t place_bits(const struct emission *e) { return e->stored > 1 ? crl_bits_for(e->stored) : 1; }

uint64_t table_bits(const struct emission *e, bool whole)
{
    const uint64_t row_bits = crl_row_bits(&e->geometry), in_order = e->table_rows * row_bits;
    return sequencers(e) * (whole || !e->stored ? in_order : e->stored * row_bits + e->table_rows * place_bits(e));
}

// Whether equal rows are stored once, and as many in each table: where that takes fewer bits.
static int find_stored(struct emission *e)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < sequencers(e); s++) {
        CRL_ENDED(crl_row_store_done) struct crl_row_store store = {0};
        int error = store_of(e, s, &store);
        if (error) return error;
        const uint32_t count = store.distinct + has_idle(e, &store);
        if (count > most) most = count;
    }
    e->stored = most;
    if (table_bits(e, false) >= table_bits(e, true)) e->stored = 0;
    return 0;
}

int share_geometry(struct emission *e, struct part *part)
{
    struct crl_geometry *all = &e->geometry;
    *all = part[0].image->geometry;
    e->nodes = part[0].image->nodes;
    e->table_rows = e->stored = 0;
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct crl_geometry *g = &part[p].image->geometry;
        const char *first = crl_collective_title(part[0].image->collective),
                   *other = crl_collective_title(part[p].image->collective);
        if (!same_links(&part[0], &part[p]))
            return crl_fail(e->diag, CRL_ERR_ARGUMENT, "'%s' and '%s' are for other links: one fabric has one network",
                            first, other);
        if (g->lanes != all->lanes || g->streams != all->streams || g->data_width != all->data_width ||
            g->words != all->words)
            return crl_fail(e->diag, CRL_ERR_ARGUMENT,
                            "'%s' has %u lanes, %u streams and packets of %u words of %u bits, '%s' %u, %u, %u and %u: "
                            "build both alike",
                            first, all->lanes, all->streams, all->words, all->data_width, other, g->lanes, g->streams,
                            g->words, g->data_width);
        if (g->combine != all->combine || part[p].image->chunks != part[0].image->chunks ||
            crl_problem_scans(part[p].problem) != crl_problem_scans(part[0].problem))
            return crl_fail(e->diag, CRL_ERR_ARGUMENT,
                            "'%s' and '%s' differ in operator or number of chunks, or in being scans: what a fabric "
                            "adds up it adds up in one way",
                            first, other);
        crl_geometry_join(all, g);
        part[p].rows_at = e->table_rows;
        e->table_rows += g->rows;
    }
    if (e->width) all->data_width = e->width;
    if (all->words > 1) all->addr_width = narrowest(part, e->parts);
    return e->spare && e->parts > 1 ? find_stored(e) : 0;
}

// Writes the rows of a sequencer as they are stored, or the list.
static int write_distinct(struct emission *e, uint32_t s, bool list, enum entry_form form, FILE *file)
{
    CRL_ENDED(crl_row_store_done) struct crl_row_store store = {0};
    int error = store_of(e, s, &store);
    if (error) return error;
    const uint32_t none[CRL_ROW_WORDS_MAX] = {0};
    const bool idles = has_idle(e, &store);
    const struct crl_row_use *use = store.use;
    for (uint32_t r = 0; r < e->table_rows && list; r++) {
        const bool acts = use < store.use + store.first[1] && use->row == r;
        write_entry(&(uint32_t){acts ? use++->bits + idles : 0}, place_bits(e), form, file);
    }
    for (uint32_t i = 0; i < e->stored && !list; i++)
        write_entry(i < idles || i - idles >= store.distinct ? none : &store.bits[(i - idles) * store.row_words],
                    crl_row_bits(&e->geometry), form, file);
    return 0;
}

int write_table(struct emission *e, uint32_t s, enum entry_form form, FILE *file)
{
    if (e->stored) return write_distinct(e, s, false, form, file);
    const uint32_t words = crl_row_words(&e->geometry), bits = crl_row_bits(&e->geometry);
    CRL_OWNED uint32_t *rows = rows_of(e, s);
    for (uint32_t r = 0; r < e->table_rows && rows; r++) write_entry(rows + (size_t)r * words, bits, form, file);
    return rows ? 0 : crl_fail_memory(e->diag);
}

int write_list(struct emission *e, uint32_t s, enum entry_form form, FILE *file)
{
    return write_distinct(e, s, true, form, file);
}

int write_tables(struct emission *e)
{
    int error = 0;
    for (uint32_t i = 0; i < sequencers(e) * (e->stored ? 2 : 1) && !error; i++) {
        const bool list = i >= sequencers(e);
        const uint32_t s = i % sequencers(e);
        char name[64];
        snprintf(name, sizeof name, "tables/%s%05u.hex", list ? "list" : "", s);
        FILE *file = crl_folder_file(e->folder, name, e->diag);
        error = !file ? CRL_ERR_IO : list ? write_list(e, s, AS_MARKED, file) : write_table(e, s, AS_MARKED, file);
    }
    return error;
}
