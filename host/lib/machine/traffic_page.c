// SPDX-License-Identifier: Apache-2.0
// The page that replays random broadcasts: what every slot did is written down as text while it is played.
#include "draw/page.h"
#include "machine/traffic.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STORED_MAX = 1 << 22 }; // numbers of packets stored, nodes times slots

static size_t seen_bytes(const struct crl_traffic_recorder *r)
{
    size_t nodes = crl_topology_nodes(r->topology);
    return nodes * nodes * r->parts / 8 + 1;
}

int crl_traffic_record(struct crl_traffic_recorder *r, const struct crl_topology *topology, uint32_t parts,
                       struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(topology);
    *r = (struct crl_traffic_recorder){.topology = topology, .parts = parts};
    if (nodes > CRL_PAGE_NODES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a page shows up to %d nodes, not '%" PRIu32 "'", CRL_PAGE_NODES_MAX,
                        nodes);
    r->need = calloc(nodes, sizeof *r->need);
    r->seen = calloc(seen_bytes(r), 1);
    r->stored = open_memstream(&r->stored_text, &r->stored_length);
    r->moves = open_memstream(&r->moves_text, &r->moves_length);
    r->counts = open_memstream(&r->counts_text, &r->counts_length);
    return r->need && r->seen && r->stored && r->moves && r->counts ? 0 : crl_fail_memory(diag);
}

static void write_stored(const struct crl_traffic_recorder *r, const uint32_t *stored)
{
    fputs(r->slots > 1 ? ",\n[" : "[", r->stored);
    for (uint32_t v = 0; v < crl_topology_nodes(r->topology); v++)
        fprintf(r->stored, "%s%" PRIu32, v ? "," : "", stored[v]);
    fputc(']', r->stored);
}

// As in other pages: a destination is complemented where it keeps the packet.
void crl_traffic_move(struct crl_traffic_recorder *r, uint32_t src, uint32_t dst, uint32_t origin, uint32_t number,
                      bool keeps)
{
    fprintf(r->moves, ",%" PRIu32 ",%s%" PRIu32 ",%" PRIu32 ",%" PRIu32, src, keeps ? "-" : "", dst + keeps, origin,
            number);
    r->need[dst] += keeps;
    r->transmissions++;
}

// The page holds the first slots, and says so.
bool crl_traffic_slot(struct crl_traffic_recorder *r, uint64_t slot, const uint32_t *stored)
{
    if (slot <= UINT32_MAX) r->played = (uint32_t)slot;
    if (slot > CRL_PAGE_SLOTS_MAX || slot * crl_topology_nodes(r->topology) > STORED_MAX ||
        r->transmissions > CRL_PAGE_MOVES_MAX || slot != r->slots + UINT64_C(1))
        return false;
    r->slots++;
    write_stored(r, stored);
    fprintf(r->moves, "%s[%" PRIu64, r->slots > 1 ? ",\n" : "", slot);
    return true;
}

void crl_traffic_forget(struct crl_traffic_recorder *r) { memset(r->seen, 0, seen_bytes(r)); }
void crl_traffic_slot_end(struct crl_traffic_recorder *r) { fputc(']', r->moves); }

// What is told of the point, and what the header of a page wants to know.
static char *summary_of(const struct crl_traffic_recorder *r, const struct carillon_traffic *told)
{
    json_t *summary = json_loads(told->json, 0, NULL);
    if (!summary) return NULL;
    CRL_TELL(summary, {"algorithm", json_string("random-broadcasts")},
             {"nodes", json_integer(crl_topology_nodes(r->topology))}, {"slots", json_integer(r->played)},
             {"transmissions", crl_json_number(r->transmissions)}, {"bound_slots", json_null()});
    char *text = json_dumps(summary, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(summary);
    return text;
}

int crl_traffic_page(struct crl_traffic_recorder *r, const struct carillon_traffic *told,
                     const struct crl_traffic_point *point, struct crl_diag *diag)
{
    struct crl_mark mark = {0};
    char title[256], *summary = summary_of(r, told);
    struct crl_page page = {.summary = summary, .marks = &mark, .mark_count = carillon_traffic_judge(told, diag) != 0};
    if (page.mark_count) snprintf(mark.text, sizeof mark.text, "%.199s", diag->text);
    bool bad = fclose(r->stored) | fclose(r->moves) | fclose(r->counts);
    r->stored = r->moves = r->counts = NULL;
    if (!summary || bad) {
        free(summary);
        return crl_fail_memory(diag);
    }
    snprintf(title, sizeof title, "random broadcasts (%s) on %s", point->scheme, point->topology);
    crl_page_begin(title, point->page);
    const struct crl_traffic_record record = {r->stored_text, r->moves_text, r->counts_text,
                                              r->need,        r->slots,      r->played};
    int error = crl_draw_traffic_page(r->topology, &page, &record, point->page, diag);
    free(summary);
    return error ? error : crl_page_end(point->page, diag);
}

void crl_traffic_record_done(struct crl_traffic_recorder *r)
{
    if (r->stored) fclose(r->stored);
    if (r->moves) fclose(r->moves);
    if (r->counts) fclose(r->counts);
    CRL_FREE(r->stored_text, r->moves_text, r->counts_text, r->need, r->seen);
}
