// SPDX-License-Identifier: Apache-2.0
// The replay page of a schedule on a link topology: the network, and the moves slot by slot; of a folded schedule those
// of node 0.
#include "base/base.h"
#include "draw/draw.h"
#include "draw/figure.h"
#include "draw/page.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void put_list(const char *name, const uint32_t *list, size_t count, FILE *file)
{
    fprintf(file, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) { // CRL_NONE becomes -1
        if (list[i] == CRL_NONE) fprintf(file, "%s-1", i ? "," : "");
        else fprintf(file, "%s%" PRIu32, i ? "," : "", list[i]);
    }
    fputc(']', file);
}

static void put_factor(const struct crl_factor *f, FILE *file)
{
    static const char *const shapes[] = {"complete", "ring", "path", "graph"};
    fprintf(file, "{\"shape\":\"%s\",\"size\":%" PRIu32,
            f->shape == CRL_RING && f->size == 2 ? "path" : shapes[f->shape], f->size);
    if (f->shape == CRL_GRAPH) {
        fprintf(file, ",\"ports\":%" PRIu32, f->graph->ports);
        put_list("neighbors", f->graph->after, (size_t)f->graph->nodes * f->graph->ports, file);
    }
    fputc('}', file);
}

// Neighbours: of node 0 alone where the others' are translates of them, else of all, port by port.
static void put_names(const struct crl_names *names, FILE *file)
{
    for (uint32_t v = 0; v < names->count; v++)
        fprintf(file, "%s\"%s\"", v ? "," : ",\"names\":[", crl_names_at(names, v));
    fputc(']', file);
}

static void put_switches(const struct crl_topology *t, FILE *file)
{
    uint32_t hosts, next = 0;
    const uint32_t *host = crl_topology_hosts(t, &hosts);
    fputs(",\"switches\":[", file);
    for (uint32_t v = 0, some = 0; host && v < t->nodes; v++) {
        if (next < hosts && host[next] == v) next++;
        else fprintf(file, "%s%" PRIu32, some++ ? "," : "", v);
    }
    fputc(']', file);
}

static void put_thousandths(const char *name, const double *list, uint32_t count, FILE *file)
{
    fprintf(file, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) fprintf(file, "%s%ld", i ? "," : "", lround(list[i] * 1000));
    fputc(']', file);
}

// Where nodes stand, and lines that are not straight: both ends, the lower one first, and how far off.
static int put_places(const struct crl_topology *t, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(crl_layout_done) struct crl_layout p = {0};
    const uint32_t ports = crl_topology_ports(t);
    int error = crl_layout_new(&p, t, diag);
    if (!error) {
        put_thousandths("x", p.x, t->nodes, file);
        put_thousandths("y", p.y, t->nodes, file);
        const double box[4] = {p.left, p.right, p.top, p.bottom};
        put_thousandths("box", box, 4, file);
        fprintf(file, ",\"nearest\":%ld,\"bows\":[", lround(p.nearest * 1000));
        const char *gap = "";
        for (uint32_t v = 0; v < t->nodes; v++)
            for (uint32_t i = 0; i < ports; i++) {
                uint32_t next = crl_topology_neighbor(t, v, i);
                bool back = next < v && crl_topology_port_to(t, next, v) != CRL_NONE; // said there
                if (next == CRL_NONE || back || lround(p.bow[v * ports + i] * 1000) == 0) continue;
                fprintf(file, "%s%" PRIu32 ",%" PRIu32 ",%ld", gap, v < next ? v : next, v < next ? next : v,
                        lround(p.bow[v * ports + i] * 1000));
                gap = ",";
            }
        fputc(']', file);
    }
    return error;
}

static int put_network(const struct crl_topology *t, FILE *file, struct crl_diag *diag)
{
    bool symmetric = crl_topology_is_symmetric(t);
    uint32_t nodes = symmetric ? 1 : t->nodes, ports = crl_topology_ports(t);
    CRL_OWNED uint32_t *next = malloc(sizeof *next * nodes * (ports ? ports : 1));
    CRL_OWNED uint32_t *latency = malloc(sizeof *latency * t->nodes * (ports ? ports : 1));
    if (next && latency) {
        for (uint32_t v = 0; v < nodes; v++)
            for (uint32_t p = 0; p < ports; p++) next[v * ports + p] = crl_topology_neighbor(t, v, p);
        fprintf(file, ",\n\"network\":{\"nodes\":%" PRIu32 ",\"ports\":%" PRIu32 ",\"symmetric\":%s,\"factors\":[",
                t->nodes, ports, symmetric ? "true" : "false");
        for (uint32_t i = 0; i < t->factor_count; i++) {
            if (i) fputc(',', file);
            put_factor(&t->factor[i], file);
        }
        fputc(']', file);
        put_list("neighbors", next, (size_t)nodes * ports, file);
        size_t count = crl_topology_list_latency(t, latency);
        if (count) put_list("latencies", latency, count, file);
        if (crl_topology_names(t)) put_names(crl_topology_names(t), file);
        put_switches(t, file);
    }
    int error = next && latency ? put_places(t, file, diag) : crl_fail_memory(diag);
    fputc('}', file);
    return error;
}

// Whether a move can be shown: all numbers in it name something.
static bool is_shown(const struct crl_schedule *s, const struct crl_problem *p, const struct crl_move *m)
{
    uint32_t nodes = s->topology->nodes;
    return m->slot && m->slot <= CRL_PAGE_SLOTS_MAX && m->src < nodes && m->dst < nodes &&
           (m->origin < nodes || crl_problem_sums(p) || s->demands) &&
           (!crl_naming_is_pair(s->naming) || crl_packet_dest(s->naming, m->dest) < nodes);
}

// The last slot that is shown, and, among all moves up to it, how far packets have to go.
struct extent {
    uint32_t last, near, far;
};
static struct extent survey(const struct crl_schedule *s, const struct crl_problem *p)
{
    struct extent e = {0, UINT32_MAX, 0};
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        if (!is_shown(s, p, m)) continue;
        if (i >= CRL_PAGE_MOVES_MAX && m->slot > e.last) break;
        uint32_t arrival = crl_arrival_slot(s->topology, m->slot, m->src, m->dst);
        if (m->slot > e.last) e.last = m->slot;
        if (i < CRL_PAGE_MOVES_MAX && arrival > e.last && arrival <= CRL_PAGE_SLOTS_MAX) e.last = arrival;
        uint32_t distance = crl_draw_distance(s, m);
        if (distance < e.near) e.near = distance;
        if (distance > e.far && distance < s->topology->nodes) e.far = distance;
    }
    if (e.near > e.far) e.near = e.far;
    return e;
}

static void put_moves(const struct crl_schedule *s, const struct crl_problem *problem, uint32_t last, FILE *file)
{
    uint32_t slot = 0;
    fputs(",\n\"moves\":[", file);
    for (size_t i = 0; i < s->count && s->moves[i].slot <= last; i++) {
        const struct crl_move *m = &s->moves[i];
        if (!is_shown(s, problem, m)) continue;
        if (m->slot != slot) fprintf(file, "%s[%" PRIu32, slot ? "],\n" : "", m->slot);
        slot = m->slot;
        bool delivers = crl_problem_wants(problem, m->origin, m->dest, m->dst);
        fprintf(file, ",%" PRIu32 ",%s%" PRIu32 ",%" PRIu32, m->src, delivers ? "-" : "", m->dst + delivers, m->origin);
        if (crl_naming_separator(s->naming)) fprintf(file, ",%" PRIu32, m->dest);
    }
    fputs(slot ? "]]" : "]", file);
}

// How many packets must still come to each node: one number where that is the same for all.
static int put_need(const struct crl_problem *p, const struct crl_schedule *s, FILE *file, struct crl_diag *diag)
{
    uint32_t nodes = p->topology->nodes, origin, dest;
    CRL_OWNED uint32_t *need = malloc(sizeof *need * nodes);
    bool same = true;
    if (!need) return crl_fail_memory(diag);
    bool sums = crl_problem_sums(p);
    for (uint32_t v = 0; v < nodes; v++) need[v] = sums ? 0 : (uint32_t)crl_problem_wanted(p, v);
    for (size_t i = 0; i < s->count && sums; i++) { // parts of a sum come as often as the schedule says
        const struct crl_move *m = &s->moves[i];
        if (is_shown(s, p, m) && crl_problem_wants(p, m->origin, m->dest, m->dst)) need[s->folded ? 0 : m->dst]++;
    }
    for (uint32_t v = 1; v < nodes && sums && s->folded; v++) need[v] = need[0];
    for (uint64_t i = 0; i < crl_problem_packets(p) && !sums; i++) {
        crl_problem_packet(p, i, &origin, &dest);
        if (crl_problem_wants(p, origin, dest, crl_problem_source(p, origin))) need[origin]--; // it has its own
    }
    for (uint32_t v = 1; v < nodes; v++) same &= need[v] == need[0];
    if (same) fprintf(file, ",\"need\":%" PRIu32, need[0]);
    else put_list("need", need, nodes, file);
    return 0;
}

static void put_counts(const struct crl_page *page, FILE *file)
{
    if (page->count_count) fputs(",\n\"counting\":[", file);
    for (size_t i = 0; i < page->count_count; i++) {
        const struct crl_count *c = &page->counts[i];
        fprintf(file, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "", c->slot, c->src, c->dst,
                c->value);
    }
    if (page->count_count) fputc(']', file);
}

static void put_colours(const struct extent *e, FILE *file)
{
    uint32_t count = crl_draw_colours(e->near, e->far), rgb[3];
    fprintf(file, ",\"near\":%" PRIu32 ",\"far\":%" PRIu32 ",\"colours\":[", e->near, e->far);
    for (uint32_t i = 0; i < count; i++) {
        crl_draw_colour(count, i, rgb);
        fprintf(file, "%s\"#%02x%02x%02x\"", i ? "," : "", rgb[0], rgb[1], rgb[2]);
    }
    fputc(']', file);
}

// Names of packets, and which node each demand is of and, if it is one, for.
static void put_demands(const struct crl_demands *d, FILE *file)
{
    fprintf(file, ",\n\"numbered\":%s,\"demands\":[", d->unnumbered ? "false" : "true");
    for (uint32_t i = 0; i < d->count; i++)
        fprintf(file, "%s[\"%s\",%" PRIu32 ",%" PRIu32 ",%" PRId64 "]", i ? "," : "", d->demand[i].id,
                d->demand[i].offset, d->demand[i].src,
                d->demand[i].dst_count == 1 ? (int64_t)d->demand[i].dst[0] : INT64_C(-1));
    fputc(']', file);
}

int crl_draw_page(const struct crl_schedule *s, const struct crl_problem *problem, const struct crl_page *page,
                  FILE *file, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(s->topology);
    char separator = crl_naming_separator(s->naming);
    if (nodes > CRL_PAGE_NODES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "a page shows up to %d nodes, not '%" PRIu32 "'; a picture (.svg) the first 64",
                        CRL_PAGE_NODES_MAX, nodes);
    struct extent e = survey(s, problem);
    uint32_t slots = crl_schedule_slots(s);
    crl_page_open(page, "slots", file);
    int error = put_network(s->topology, file, diag);
    fprintf(file, ",\n\"separator\":\"%.1s\",\"folded\":%s,\"slots\":%" PRIu32 ",\"shown\":%" PRIu32, &separator,
            s->folded ? "true" : "false", slots, e.last);
    if (e.last < slots) fprintf(file, ",\"note\":\"shown: slots 1 to %" PRIu32 "\"", e.last);
    if (s->naming == CRL_NAMING_SPLIT_PAIR) fprintf(file, ",\"partBits\":%d", CRL_PART_BITS);
    if (crl_problem_sums(problem)) fputs(",\"sums\":true", file);
    if (s->demands) put_demands(s->demands, file);
    put_colours(&e, file);
    if (!error) error = put_need(problem, s, file, diag);
    put_counts(page, file);
    put_moves(s, problem, e.last, file);
    fputc('}', file);
    return error;
}

int crl_draw_traffic_page(const struct crl_topology *topology, const struct crl_page *page,
                          const struct crl_traffic_record *record, FILE *file, struct crl_diag *diag)
{
    const struct extent e = {record->slots, 0, crl_topology_eccentricity(topology, 0, false)}; // of a corner, or of any
    crl_page_open(page, "slots", file);
    int error = put_network(topology, file, diag);
    fprintf(file, ",\n\"separator\":\".\",\"folded\":false,\"slots\":%" PRIu32 ",\"shown\":%" PRIu32, record->played,
            record->slots);
    if (record->slots < record->played) fprintf(file, ",\"note\":\"shown: slots 1 to %" PRIu32 "\"", record->slots);
    put_colours(&e, file);
    put_list("need", record->need, topology->nodes, file);
    fprintf(file, ",\n\"counting\":[%s],\n\"stored\":[%s],\n\"moves\":[%s]}", record->counts, record->stored,
            record->moves);
    return error;
}
