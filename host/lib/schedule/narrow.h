// SPDX-License-Identifier: Apache-2.0
// The rows of a list as a link and a packet each, 8 bytes in place of 20, for who only judges them. So are those of a
// file kept that stand in canonical order, name links and packets that there are, and use no link twice in a slot; what
// is otherwise is kept as moves, and so are all rows as soon as somebody asks for moves.
#ifndef CRL_SCHEDULE_NARROW_H
#define CRL_SCHEDULE_NARROW_H

#include "base/base.h"
#include "schedule/schedule.h"

struct crl_narrow_row {
    uint32_t link;   // sender · ports + place of the receiver among its neighbours
    uint32_t packet; // its index in the problem
};

struct crl_narrow {
    const struct crl_problem *problem; // whose packets they are; not owned
    uint32_t nodes, ports;
    uint64_t inverse;     // of `ports`, times 2^32 and rounded up: exact for a link that has a place in the table
    uint32_t *neighbors;  // [nodes][ports] of each node in ascending order, then CRL_NONE; NULL: in the order of ports
    uint32_t *packets;    // [nodes] index of the packet that is named by the node alone, CRL_NONE: none; or NULL
    uint32_t *slot;       // [schedule.slots] the number of each slot in use
    size_t slot_capacity; // of this, and of schedule.slot_start
    struct crl_narrow_row *row; // [schedule.count]
    size_t capacity;
};

// Some of the rows, one after the other, as one thread reads them.
struct crl_narrow_piece {
    struct crl_narrow_row *row; // [capacity], of which `count` are there
    size_t count, capacity;
    uint32_t *slot, *start; // [slots] the slots that they use: numbers, and first rows
    size_t slots, slot_capacity, start_capacity;
    uint32_t last_slot; // of the last row; 0: there is none
    uint64_t last_ends, first_ends;
};

// Whether a problem's rows can be kept so: packets have one slot a link, and names of nodes.
bool crl_narrow_fits(const struct crl_problem *problem);
// Makes an empty list of narrow rows in an empty schedule. Returns 0 or CRL_ERR_MEMORY.
int crl_narrow_begin(struct crl_schedule *schedule, const struct crl_problem *problem);
void crl_narrow_free(struct crl_narrow *narrow);

// Empties a piece, before its first row, too.
void crl_narrow_clear(struct crl_narrow_piece *piece);
int crl_narrow_begin_slot(struct crl_narrow_piece *piece, uint32_t slot); // 0 or CRL_ERR_MEMORY
void crl_narrow_piece_done(struct crl_narrow_piece *piece);
// Adds a piece to the list. Returns as the above.
int crl_narrow_append(struct crl_schedule *schedule, const struct crl_narrow_piece *piece);

// Writes all rows out as moves and ends the narrow list. Does nothing where there is none. 0 or CRL_ERR_MEMORY.
int crl_narrow_widen(struct crl_schedule *schedule, struct crl_diag *diag);

static inline uint32_t crl_narrow_src(const struct crl_narrow *n, struct crl_narrow_row row)
{
    return n->neighbors ? (uint32_t)(row.link * n->inverse >> 32) : row.link / n->ports;
}

static inline uint32_t crl_narrow_dst(const struct crl_narrow *n, struct crl_narrow_row row)
{
    return n->neighbors ? n->neighbors[row.link]
                        : crl_topology_neighbor(n->problem->topology, row.link / n->ports, row.link % n->ports);
}

// The order of links in a slot.
static inline uint64_t crl_narrow_ends(const struct crl_move *m) { return (uint64_t)m->src << 32 | m->dst; }

// A packet's index, CRL_NONE: none.
static inline uint32_t crl_narrow_packet(const struct crl_narrow *n, const struct crl_move *m)
{
    if (n->packets && m->origin < n->nodes && !m->dest) return n->packets[m->origin];
    return (uint32_t)crl_problem_index(n->problem, m->origin, m->dest);
}

// Adds a row behind those of a piece, which has room. Returns 1, 0 where it must be kept as a move, or CRL_ERR_MEMORY.
static inline int crl_narrow_add(const struct crl_narrow *n, struct crl_narrow_piece *p, const struct crl_move *m)
{
    const uint64_t ends = crl_narrow_ends(m);
    uint32_t at = 0;
    if (m->src >= n->nodes || m->dst >= n->nodes) return 0;
    if (m->slot != p->last_slot) {
        if (m->slot < p->last_slot) return 0;
        if (crl_narrow_begin_slot(p, m->slot)) return CRL_ERR_MEMORY;
    } else {
        if (ends <= p->last_ends) return 0;
    }
    if (n->neighbors) {
        const uint32_t *neighbor = &n->neighbors[(size_t)m->src * n->ports];
        for (uint32_t i = 0; i < n->ports; i++) at += neighbor[i] < m->dst; // no branch that is hard to foretell
        if (at == n->ports || neighbor[at] != m->dst) return 0;
    } else {
        at = crl_topology_port_to(n->problem->topology, m->src, m->dst);
        if (at == CRL_NONE) return 0;
    }
    const uint32_t packet = crl_narrow_packet(n, m);
    if (packet == CRL_NONE) return 0;
    if (!p->count) p->first_ends = ends;
    p->row[p->count++] = (struct crl_narrow_row){m->src * n->ports + at, packet};
    p->last_slot = m->slot;
    p->last_ends = ends;
    return 1;
}

// The same for a row of the sender and slot of the last one: its receiver is a later neighbour.
static inline int crl_narrow_add_more(const struct crl_narrow *n, struct crl_narrow_piece *p, const struct crl_move *m)
{
    if (!n->neighbors) return crl_narrow_add(n, p, m);
    const uint32_t end = (m->src + 1) * n->ports, packet = crl_narrow_packet(n, m);
    uint32_t link = p->row[p->count - 1].link + 1;
    while (link < end && n->neighbors[link] < m->dst) link++;
    if (link == end || n->neighbors[link] != m->dst || m->dst >= n->nodes || packet == CRL_NONE) return 0;
    p->row[p->count++] = (struct crl_narrow_row){link, packet};
    p->last_ends = crl_narrow_ends(m);
    return 1;
}

#endif
