// SPDX-License-Identifier: Apache-2.0
// The image in memory: what it may contain.
#include "image/image.h"
#include "image/row.h"
#include "base/base.h"

uint32_t crl_slot_cycles(const struct crl_geometry *g, uint32_t port_model)
{
    return port_model == CRL_PORTS_SINGLE ? 1 : (uint32_t)crl_ceil_div(g->ports, g->lanes);
}

static const char *geometry_fault(const struct crl_geometry *g)
{
    if (g->ports < 1 || g->ports > CRL_PORTS_MAX) return "ports";
    if (g->lanes < 1 || g->lanes > g->ports) return "lanes";
    if (g->banks < 1 || g->banks > CRL_BANKS_MAX) return "banks";
    if (crl_geometry_is_direct(g) && g->delay) return "delay"; // it has no place to replay a word from
    if (g->combine > CRL_OPS || (g->combine && (!g->write_xbar || !g->delay || !g->waddr_field)) ||
        (g->combine && !crl_op_fits(crl_geometry_op(g), g->data_width)))
        return "operator";
    if (g->write_xbar > 1 || (!g->write_xbar && g->banks != g->lanes)) return "write crossbar";
    if (g->delay > 1) return "delay";
    if (g->waddr_field > 1) return "write address field";
    if (!crl_is_data_width(g->data_width)) return "data width";
    if (g->addr_width < 1 || g->addr_width > 30) return "address width";
    if (!g->waddr_field && g->rows && (g->rows - 1) >> g->addr_width)
        return "address width"; // the row number is an address
    if (g->rows < 1 || g->rows > UINT32_C(1) << 30) return "number of rows";
    if (g->words < 1 || g->words > 65536) return "words a packet";
    if (g->streams > g->lanes || (g->streams && crl_geometry_is_direct(g))) return "streams";
    if (g->combine && g->streams && (g->banks < g->lanes || g->lanes > 16)) return "streams";
    if (g->storeless && (!g->streams || g->delay || g->waddr_field)) return "no banks";
    return NULL;
}

uint32_t crl_places_depth(const struct crl_places *places, uint32_t sets, uint32_t depth)
{
    for (uint32_t i = 0; i < sets; i++)
        for (uint32_t n = 0; n < places[i].count; n++)
            if (places[i].place[n].addr >= depth) depth = places[i].place[n].addr + 1;
    return depth;
}

// Words of streams are all there, in their order.
static bool is_next(const struct crl_place *place, const struct crl_place *last)
{
    if (last && place->bank == last->bank) return place->addr == last->addr + 1;
    return !place->addr && (!last || place->bank > last->bank);
}

static int places_fault(const struct crl_image *image, const struct crl_places *places, const char *name,
                        struct crl_diag *diag)
{
    for (uint32_t i = 0; i < places->count; i++) {
        const struct crl_place *p = &places->place[i];
        bool possible = image->geometry.streams
                            ? p->bank < image->geometry.streams && is_next(p, i ? p - 1 : NULL)
                            : p->bank < image->geometry.banks && !(p->addr >> image->geometry.addr_width);
        // What is behind the origin is a node, a part, or both; whoever raises the tables sees whether there is such
        // one.
        bool known = image->demands || // whoever reads these looks
                     (p->origin < (image->chunks ? image->chunks : image->nodes) &&
                      (p->dest < image->nodes || (image->parts && p->dest >> CRL_PART_BITS < image->nodes)));
        if (!known || !possible) return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a placement is out of range");
    }
    return 0;
}

static int zeros_fault(const struct crl_image *image, const char *name, struct crl_diag *diag)
{
    for (uint32_t i = 0; i < image->zeros; i++) {
        const struct crl_zero *z = &image->zero[i], *last = z - 1;
        if (z->set >= image->place_sets || z->bank >= image->geometry.banks || z->addr >> image->geometry.addr_width ||
            (i && (z->set < last->set || (z->set == last->set && z->bank <= last->bank))))
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a word of zeros is out of range or out of order");
    }
    return 0;
}

// Words of lanes are words of streams: every one of what leaves once.
static int lanes_fault(const struct crl_image *image, const char *name, struct crl_diag *diag)
{
    const struct crl_geometry *g = &image->geometry;
    bool said = image->own && image->shown;
    if (said != (g->streams && g->streams < g->lanes))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "the lanes of streams are missing, or too many");
    for (uint32_t i = 0; said && i < image->place_sets; i++)
        for (int own = 0; own < 2; own++) {
            const struct crl_lane_words *words = &(own ? image->own : image->shown)[i];
            uint32_t places = (own ? image->before : image->after)[i].count, count = words->start[g->lanes];
            bool good = own ? count >= places : count == places;
            for (uint32_t k = 0; k < count; k++) good &= words->place[k] < places;
            if (!good) return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a lane has words that no stream has");
        }
    return 0;
}

// Bits beyond a row's end are wrong whatever the row; which of the others act depends on the row after it, too.
static int rows_fault(const struct crl_image *image, const char *name, struct crl_diag *diag)
{
    const struct crl_row_store *s = &image->store;
    struct crl_row_layout layout = crl_row_layout(&image->geometry);
    uint32_t spare = layout.words * 32 - layout.bits, mask[CRL_ROW_WORDS_MAX];
    struct crl_row rows[2];
    for (uint32_t i = 0; i < s->distinct; i++) {
        const uint32_t *bits = s->bits + (size_t)i * layout.words;
        if (spare && bits[layout.words - 1] >> (32 - spare))
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a row has bits beyond its end");
        if (!crl_row_parity(&image->geometry, bits))
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "a row has bad parity");
    }
    for (uint32_t t = 0; t < image->tables; t++)
        for (size_t i = s->first[t + 1], after = CRL_NONE; i-- > s->first[t]; after = s->use[i].row) {
            struct crl_row *row = &rows[i % 2], *next = &rows[1 - i % 2];
            const uint32_t *bits = s->bits + (size_t)s->use[i].bits * layout.words;
            crl_row_unpack(&image->geometry, bits, row);
            crl_row_used(&image->geometry, row, after == s->use[i].row + UINT64_C(1) ? next : NULL, mask);
            for (uint32_t w = 0; w < layout.words; w++)
                if (bits[w] & ~mask[w])
                    return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0,
                                       "row %u of table %u says something in a field that it does not use",
                                       s->use[i].row, t);
        }
    return 0;
}

// A table ends with its last slot, in which some word arrives somewhere.
static bool ends_with_last_slot(const struct crl_image *image)
{
    const struct crl_geometry *g = &image->geometry;
    if (g->streams) return true; // whoever raises the tables sees it
    uint64_t slot = crl_slot_cycles(g, image->port_model), end = 0;
    for (size_t i = 0; i < image->store.first[image->tables]; i++)
        if (image->store.use[i].row >= end) end = image->store.use[i].row + UINT64_C(1);
    return end ? g->rows - end < slot : g->rows == 1;
}

// Of each port, or of each port of each node; said only where some link takes longer than a slot.
static bool latencies_fit(const struct crl_image *image)
{
    uint32_t most = 0;
    bool by_port = image->latencies == image->geometry.ports;
    if (!image->latencies) return true;
    if (!by_port && (image->folded || image->latencies != (uint64_t)image->nodes * image->geometry.ports)) return false;
    for (uint32_t i = 0; i < image->latencies; i++) {
        if (image->latency[i] > CRL_LATENCY_MAX || (by_port && !image->latency[i])) return false;
        if (image->latency[i] > most) most = image->latency[i];
    }
    return most > 1;
}

int crl_image_validate(const struct crl_image *image, const char *name, struct crl_diag *diag)
{
    const char *fault = geometry_fault(&image->geometry);
    if (fault) return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "impossible geometry: %s", fault);
    if (!image->chunks != !image->geometry.combine)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "impossible counts");
    if (image->nodes < 1 || image->nodes > CRL_IMAGE_NODES_MAX || image->root >= image->nodes ||
        image->port_model > CRL_PORTS_SINGLE || image->tables < 1 || image->tables > image->nodes ||
        image->place_sets != (image->folded ? 1 : image->nodes) || image->link_cycles >= UINT32_C(1) << 30 ||
        crl_rows_of(&image->geometry, image->link_cycles) != image->geometry.rows ||
        (image->folded && image->tables != 1))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "impossible counts");
    for (uint32_t v = 0; v < image->nodes; v++)
        if (image->node_table[v] >= image->tables)
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "node %u has no table", v);
    if (!ends_with_last_slot(image)) return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "impossible counts");
    if (!latencies_fit(image)) return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "impossible latencies of links");
    int error = rows_fault(image, name, diag);
    if (error) return error;
    for (uint32_t i = 0; i < image->active_count; i++)
        if (image->active[i] >= image->nodes || (i && image->active[i] <= image->active[i - 1]))
            return crl_fail_at(diag, CRL_ERR_PARSE, name, 0, 0, "active nodes out of range or out of order");
    for (uint32_t i = 0; i < image->place_sets && !error; i++) {
        error = places_fault(image, &image->before[i], name, diag);
        if (!error) error = places_fault(image, &image->after[i], name, diag);
    }
    if (!error) error = lanes_fault(image, name, diag);
    return error ? error : zeros_fault(image, name, diag);
}
