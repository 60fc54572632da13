// SPDX-License-Identifier: Apache-2.0
#include "schedule/narrow.h"
#include <stdlib.h>
#include <string.h>

bool crl_narrow_fits(const struct crl_problem *p)
{
    const struct crl_topology *t = p->topology;
    enum crl_naming naming = crl_problem_naming(p);
    uint64_t links = (uint64_t)crl_topology_nodes(t) * crl_topology_ports(t);
    return (naming == CRL_NAMING_ORIGIN || naming == CRL_NAMING_PAIR) && !p->demands && !crl_problem_sums(p) &&
           !p->nowait && crl_topology_latency_max(t) == 1 && !crl_topology_is_cabled(t) && links && links < CRL_NONE &&
           crl_problem_packets(p) < CRL_NONE;
}

int crl_narrow_begin(struct crl_schedule *schedule, const struct crl_problem *problem)
{
    enum { FEW = 1 << 20 }; // links that are worth a table
    const struct crl_topology *t = problem->topology;
    struct crl_narrow *n = malloc(sizeof *n);
    schedule->narrow = n;
    if (!n) return CRL_ERR_MEMORY;
    *n = (struct crl_narrow){.problem = problem, .nodes = crl_topology_nodes(t), .ports = crl_topology_ports(t)};
    if ((uint64_t)n->nodes * n->ports > FEW) return 0;
    n->neighbors = malloc(sizeof *n->neighbors * n->nodes * n->ports);
    n->inverse = ((UINT64_C(1) << 32) + n->ports - 1) / n->ports;
    n->packets = schedule->naming == CRL_NAMING_ORIGIN ? malloc(sizeof *n->packets * n->nodes) : NULL;
    if (!n->neighbors || (!n->packets && schedule->naming == CRL_NAMING_ORIGIN)) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < n->nodes; v++) {
        uint32_t *neighbor = &n->neighbors[(size_t)v * n->ports];
        for (uint32_t p = 0; p < n->ports; p++) neighbor[p] = crl_topology_neighbor(t, v, p);
        qsort(neighbor, n->ports, sizeof *neighbor, crl_compare_numbers);
        if (n->packets) n->packets[v] = (uint32_t)crl_problem_index(problem, v, 0); // UINT64_MAX: CRL_NONE
    }
    return 0;
}

void crl_narrow_free(struct crl_narrow *n)
{
    if (n) CRL_FREE(n->neighbors, n->packets, n->slot, n->row);
    free(n);
}

// ---- pieces

int crl_narrow_begin_slot(struct crl_narrow_piece *p, uint32_t slot)
{
    if (crl_grow((void **)&p->slot, &p->slot_capacity, p->slots, sizeof *p->slot)) return CRL_ERR_MEMORY;
    p->slot[p->slots] = slot;
    return CRL_PUSH(p->start, p->start_capacity, p->slots, (uint32_t)p->count);
}

void crl_narrow_clear(struct crl_narrow_piece *p)
{
    p->count = p->slots = 0;
    p->last_slot = 0;
    p->last_ends = UINT64_MAX;
}

void crl_narrow_piece_done(struct crl_narrow_piece *p) { CRL_FREE(p->row, p->slot, p->start); }

// ---- the list

static int make_room(struct crl_schedule *s, const struct crl_narrow_piece *p)
{
    struct crl_narrow *n = s->narrow;
    if (s->count + p->count > n->capacity) {
        size_t capacity = s->count + p->count + s->count / 2;
        if (CRL_RESIZE(capacity, {&n->row, sizeof *n->row})) return CRL_ERR_MEMORY;
        n->capacity = capacity;
    }
    if (s->slots + p->slots + 1 > n->slot_capacity) {
        size_t capacity = s->slots + p->slots + 1 + s->slots / 2;
        if (CRL_RESIZE(capacity, {&n->slot, sizeof *n->slot}, {&s->slot_start, sizeof *s->slot_start}))
            return CRL_ERR_MEMORY;
        n->slot_capacity = capacity;
    }
    return 0;
}

static struct crl_move move_at(const struct crl_narrow *n, size_t i, uint32_t slot)
{
    struct crl_move m = {.slot = slot, .src = crl_narrow_src(n, n->row[i]), .dst = crl_narrow_dst(n, n->row[i])};
    crl_problem_packet(n->problem, n->row[i].packet, &m.origin, &m.dest);
    return m;
}

int crl_narrow_append(struct crl_schedule *s, const struct crl_narrow_piece *p)
{
    struct crl_narrow *n = s->narrow;
    size_t skip = 0; // the first slot of the piece, where it goes on with the last one of the list
    if (!p->count) return 1;
    if (s->count + p->count >= UINT32_MAX - 1) return 0;
    if (s->count) {
        const struct crl_move last = move_at(n, s->count - 1, n->slot[s->slots - 1]);
        skip = last.slot == p->slot[0];
        if (last.slot > p->slot[0] || (skip && crl_narrow_ends(&last) >= p->first_ends)) return 0;
    }
    if (make_room(s, p)) return CRL_ERR_MEMORY;
    memcpy(n->row + s->count, p->row, sizeof *p->row * p->count);
    for (size_t i = skip; i < p->slots; i++) {
        n->slot[s->slots] = p->slot[i];
        s->slot_start[s->slots++] = (uint32_t)s->count + p->start[i];
    }
    s->count += p->count;
    s->slot_start[s->slots] = (uint32_t)s->count;
    return 1;
}

int crl_narrow_widen(struct crl_schedule *s, struct crl_diag *diag)
{
    struct crl_narrow *n = s->narrow;
    if (!n) return 0;
    struct crl_move *moves = malloc(sizeof *moves * (s->count + 1));
    if (!moves) return crl_fail_memory(diag);
    for (size_t k = 0; k < s->slots; k++)
        for (size_t i = s->slot_start[k]; i < s->slot_start[k + 1]; i++) moves[i] = move_at(n, i, n->slot[k]);
    crl_narrow_free(n);
    s->narrow = NULL;
    s->moves = moves;
    s->capacity = s->count;
    return 0;
}
