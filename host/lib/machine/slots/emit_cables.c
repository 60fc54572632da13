// SPDX-License-Identifier: Apache-2.0
// The cables of a network on several boards: their ends, identities, delays, and cables.csv.
#include "demand/demand.h"
#include "machine/slots/emit_boards.h"
#include <stdlib.h>

int boards_check_cables(const struct boards *b)
{
    const struct crl_topology *t = network_of(b);
    for (uint32_t v = 0; v < b->e->nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            const uint32_t u = crl_topology_neighbor(t, v, p);
            if (u == CRL_NONE || b->of->of[u] == b->of->of[v]) continue;
            const struct crl_cable *way = &b->way[crl_cables_find(b->way, b->ways, b->of, v, u)];
            if (crl_topology_latency(t, v, p) != way->latency || (b->of->each && way->links > 1))
                return crl_fail(b->e->diag, CRL_ERR_UNSUPPORTED,
                                "links from board '%s' to '%s' share a cable and %s: their words are not kept apart",
                                name_at(b, way->from), name_at(b, way->to),
                                way->links > 1 && b->of->each ? "lie side by side" : "differ in latency");
        }
    return 0;
}

// Of several schedules a cable has to do with the most of each.
static void join_ways(struct boards *b, const struct crl_cable *other, uint32_t others)
{
    struct crl_cable *way = b->way;
    for (uint32_t k = 0; k < others; k++) {
        const struct crl_cable *o = &other[k];
        uint32_t i = 0; // a spare has fewer
        while (way[i].from != o->from || way[i].to != o->to || way[i].src != o->src || way[i].dst != o->dst) i++;
        if (o->words > way[i].words) way[i].words = o->words;
        if (o->under_way > way[i].under_way) way[i].under_way = o->under_way;
        if (o->most > way[i].most) way[i].most = o->most;
        if (o->depth > way[i].depth) way[i].depth = o->depth;
    }
}

int boards_list_ways(struct boards *b)
{
    for (uint32_t p = 0; p < b->e->parts; p++) {
        CRL_OWNED struct crl_cable *way = NULL;
        uint32_t ways;
        if (crl_cables_list(&way, &ways, &slots_schedule_in(b->e->part[p].schedule)->schedule))
            return crl_fail_memory(b->e->diag);
        if (p) join_ways(b, way, ways);
        else {
            b->way = way;
            b->ways = ways;
            way = NULL;
        }
    }
    return 0;
}

void boards_number_cables(struct boards *b)
{
    for (uint32_t i = 0; i < b->ways; i++) {
        const uint32_t back = crl_cables_back(b->way, b->ways, i);
        const bool first = back == CRL_NONE || i < back;
        const uint32_t end = b->end_of[i] = first ? 2 * b->cables++ : b->end_of[back] ^ 1;
        b->board[end] = b->way[i].from;
        b->way_of[end] = i;
        if (first) {
            b->board[end ^ 1] = b->way[i].to;
            b->way_of[end ^ 1] = CRL_NONE;
        }
        if (b->way[i].depth > b->depth) b->depth = b->way[i].depth;
    }
}

int boards_name_plan(struct boards *b)
{
    const struct emission *e = b->e;
    CRL_OWNED char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return crl_fail_memory(e->diag);
    fprintf(memory, "%s %u %u %u %u ", e->part->image->topology, e->geometry.data_width, e->geometry.words, b->depth,
            b->wires);
    for (uint32_t p = 0; p < e->parts; p++)
        for (uint32_t v = 0; v < e->nodes; v++) {
            const struct crl_image *image = e->part[p].image;
            fprintf(memory, "%u ", b->of->of[v]);
            for (uint32_t r = 0; r < image->geometry.rows; r++)
                fwrite(crl_image_row(image, image->node_table[v], r), sizeof(uint32_t), crl_row_words(&image->geometry),
                       memory);
        }
    const bool bad = fclose(memory);
    if (!bad) crl_sha256(text, size, b->plan);
    return bad ? crl_fail_memory(e->diag) : 0;
}

uint32_t boards_identity(const struct boards *b, uint32_t cable)
{
    char text[96], sum[65];
    int length = snprintf(text, sizeof text, "%s %u", b->plan, cable);
    crl_sha256(text, (size_t)length, sum);
    sum[8] = 0;
    return (uint32_t)strtoul(sum, NULL, 16);
}

uint32_t boards_index_of(const struct boards *b, uint32_t end)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < end; i++) index += b->board[i] == b->board[end];
    return index;
}

uint32_t boards_ends_on(const struct boards *b, uint32_t board)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * b->cables; i++) count += b->board[i] == board;
    return count;
}

const struct crl_cable *boards_way_at(const struct boards *b, uint32_t end)
{
    return &b->way[b->way_of[end] == CRL_NONE ? b->way_of[end ^ 1] : b->way_of[end]];
}

uint32_t boards_slot_of(const struct boards *b)
{
    return crl_slot_cycles(&b->e->geometry, b->e->part->image->port_model);
}

uint32_t boards_deeper(uint32_t depth, uint32_t words)
{
    uint32_t times = 1;
    while (times < words) times *= 2;
    return depth * times;
}

uint32_t boards_delay_at(const struct boards *b, uint32_t end)
{
    const uint32_t planned = crl_cable_delay(boards_way_at(b, end), boards_slot_of(b), b->e->geometry.words);
    return b->wires || !planned ? 1 : planned;
}

static void put_links(const struct boards *b, uint32_t way, FILE *file)
{
    const struct crl_topology *t = network_of(b);
    const char *before = "";
    for (uint32_t v = 0; v < b->e->nodes; v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            const uint32_t u = crl_topology_neighbor(t, v, p);
            if (u == CRL_NONE || b->of->of[u] == b->of->of[v] || crl_cables_find(b->way, b->ways, b->of, v, u) != way)
                continue;
            fprintf(file, "%s%u>%u", before, v, u);
            before = " ";
        }
}

int boards_write_cables(const struct boards *b)
{
    FILE *file = crl_folder_file(b->e->folder, "cables.csv", b->e->diag);
    if (!file) return CRL_ERR_IO;
    const uint32_t words = b->e->geometry.words;
    fprintf(file, "cable,from,to,links,latency,gap,words,under_way,most,depth\n");
    for (uint32_t end = 0; end < 2 * b->cables; end++) {
        const struct crl_cable *c = boards_way_at(b, end);
        if (b->way_of[end] == CRL_NONE) continue;
        fprintf(file, "%u,%s,%s,", end / 2, name_at(b, c->from), name_at(b, c->to));
        put_links(b, b->way_of[end], file);
        fprintf(file, ",%u,%u,%u,%u,", c->latency, c->gap, words * c->words, words * c->under_way);
        if (c->most != CRL_NONE) fprintf(file, "%u", words * c->most);
        fprintf(file, ",%u\n", b->depth);
    }
    return 0;
}
