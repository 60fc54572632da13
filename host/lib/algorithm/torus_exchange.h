// SPDX-License-Identifier: Apache-2.0
// What total exchange is on products of rings and complete graphs, seen from node 0: packets that want certain ports.
#ifndef CRL_TORUS_EXCHANGE_H
#define CRL_TORUS_EXCHANGE_H

#include "algorithm/algorithm.h"
#include "topology/topology.h"

// Every node sends its packets in the same way, so one list is planned, for node 0: the packet with offset D, on its
// way from 0 to D, wants certain ports, each so many times, in any order. Offsets of half a ring are split between up
// and down.
//
// If one factor is a ring of even size above two and the product of the others is odd, half offsets cannot be split
// evenly. Then a node with an odd digit there plays the mirror image: instead of the translations of that ring the
// group of the nodes is made of those by an even number and of the reflections x → c − x with c odd. A packet that goes
// round takes the ports "outward" and "inward" in turn, so its hops have an order. Such a schedule is not relative.
struct crl_torus_exchange {
    const struct crl_topology *topology;
    uint32_t nodes, ports, factors;
    uint32_t twisted; // the factor with the mirrored nodes, or CRL_NONE
    uint32_t factor_of[CRL_PORTS_MAX];
    uint32_t mirror[CRL_PORTS_MAX]; // the opposite port, of a ring
    uint32_t least, diameter;       // slots that it takes at least, and hops of the farthest packet
    uint32_t *at, *to_go;           // [packet], named by offset
    uint32_t *hops;                 // [packet × factors] to go
    uint8_t *way;                   // [packet × factors] port in whose direction it goes
    uint32_t load[CRL_PORTS_MAX];   // moves that the port has yet to carry
    uint32_t moving;                // packets that are not there yet
};

// 0, CRL_ERR_MEMORY, or CRL_ERR_LIMIT, which it reports. Ended with _done in any case. Without `mirrored` nobody plays
// mirror images: of the half offsets one more may go up than down.
int crl_torus_exchange_new(struct crl_torus_exchange *x, const struct crl_problem *problem, bool mirrored,
                           struct crl_diag *diag);
void crl_torus_exchange_done(struct crl_torus_exchange *x);
// Puts all packets back to node 0, as if those that are left out (NULL: none) had arrived.
void crl_torus_exchange_restart(struct crl_torus_exchange *x, const bool *left_out);

// The port in factor i that is the packet's own way there, as node 0 or its image where the packet is sees it.
static inline uint32_t crl_torus_exchange_port(const struct crl_torus_exchange *x, uint32_t packet, uint32_t i)
{
    uint32_t port = x->way[packet * x->factors + i];
    if (i != x->twisted) return port;
    const struct crl_factor *f = &x->topology->factor[i];
    return x->at[packet] / f->stride % f->size % 2 == 0 ? port : x->mirror[port];
}

// Moves the packet on in factor i; writes that down, for all origins, unless `schedule` is NULL.
int crl_torus_exchange_move(struct crl_torus_exchange *x, uint32_t slot, uint32_t packet, uint32_t i,
                            struct crl_schedule *schedule);

// On a ring of even size above two alone. Adds the moves in canonical order. 0, CRL_ERR_MEMORY or CRL_ERR_LIMIT.
int crl_ring_exchange(struct crl_schedule *schedule, uint32_t nodes);

// Products of rings and complete graphs; and those of them where translations will not do, so that every move is
// listed.
bool crl_applies_torus_total_exchange(const struct crl_problem *problem);
bool crl_exchanges_mirrored(const struct crl_problem *problem);

#endif
