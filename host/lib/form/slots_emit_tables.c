// SPDX-License-Identifier: Apache-2.0
// The tables of an emitted fabric: one geometry for all its schedules, and their rows one after the other.
#include "form/slots_emission.h"
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

int share_geometry(struct emission *e, struct part *part)
{
    struct crl_geometry *all = &e->geometry;
    *all = part[0].image->geometry;
    e->nodes = part[0].image->nodes;
    e->table_rows = 0;
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
    return 0;
}

// The rows of a part's table, as routers of the shared geometry have them.
static int write_rows(struct emission *e, const struct part *part, uint32_t table, enum entry_form form, FILE *file)
{
    const struct crl_geometry *g = &part->image->geometry;
    const uint32_t row_bits = crl_row_bits(&e->geometry);
    CRL_OWNED uint32_t *bits = malloc(sizeof *bits * crl_row_words(&e->geometry));
    if (!bits) return crl_fail_memory(e->diag);
    for (uint32_t r = 0; r < g->rows; r++) {
        crl_row_widen(g, &e->geometry, crl_image_row(part->image, table, r), bits);
        write_entry(bits, row_bits, form, file);
    }
    return 0;
}

int write_table(struct emission *e, uint32_t s, enum entry_form form, FILE *file)
{
    int error = 0;
    for (uint32_t p = 0; p < e->parts && !error; p++)
        error = write_rows(e, &e->part[p], e->part[p].image->node_table[node_at(e, s)], form, file);
    return error;
}

int write_tables(struct emission *e)
{
    int error = 0;
    for (uint32_t s = 0; s < sequencers(e) && !error; s++) {
        char name[64];
        snprintf(name, sizeof name, "tables/%05u.hex", s);
        FILE *file = crl_folder_file(e->folder, name, e->diag);
        error = file ? write_table(e, s, AS_MARKED, file) : CRL_ERR_IO;
    }
    return error;
}
