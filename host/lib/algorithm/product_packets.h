// SPDX-License-Identifier: Apache-2.0
// What total exchange is on products of rings, paths and complete graphs: packets that want certain ports.
#ifndef CRL_PRODUCT_PACKETS_H
#define CRL_PRODUCT_PACKETS_H

#include "algorithm/algorithm.h"
#include "base/pool.h"
#include "topology/topology.h"

// Where there is no path every node sends its packets in the same way, so one list is planned, for node 0, and there is
// one place: the packet with offset D, on its way from 0 to D, wants certain ports, each so many times, in any order.
// Offsets of half a ring are split between up and down.
//
// If one factor is a ring of even size above two and the product of the others is odd, half offsets cannot be split
// evenly. Then a node with an odd digit there plays the mirror image: instead of the translations of that ring the
// group of the nodes is made of those by an even number and of the reflections x → c − x with c odd. A packet that goes
// round takes the ports "outward" and "inward" in turn, so its hops have an order. Such a schedule is not relative.
//
// Where there is a path all packets of all nodes are planned, and every node is a place. A packet then corrects its
// digits one factor after the other, in cyclic order from the factor numbered (sum of all digits of origin and
// destination) mod (number of factors): this spreads the packets evenly over the links of a cut, and both ways round.
struct crl_packets {
    const struct crl_topology *topology;
    uint32_t nodes, ports, factors;
    uint32_t places, packets, links; // packet: place of its origin · nodes + destination; link: place · ports + port
    uint32_t twisted;                // the factor with the mirrored nodes, or CRL_NONE
    uint32_t factor_of[CRL_PORTS_MAX];
    uint32_t mirror[CRL_PORTS_MAX]; // the opposite port, of a ring
    uint32_t least, diameter;       // slots that it takes at least, and hops of the farthest packet
    struct crl_packet {
        uint32_t at;
        uint16_t to_go; // hops
        uint8_t turn;   // the factor that it corrects now, where there are several places
        uint8_t lane;   // for planners: the port that it came over
    } * packet;         // [packets]
    struct crl_leg {
        uint16_t hops; // to go
        uint8_t way;   // port in whose direction it goes
    } * leg;           // [packets × factors]
    uint32_t *load;    // [link] moves that it has yet to carry
    uint32_t moving;   // packets that are not there yet
};

// In a pool. 0, CRL_ERR_MEMORY, or CRL_ERR_LIMIT, which it reports. Without `mirrored` nobody plays
// mirror images: of the half offsets one more may go up than down.
int crl_packets_new(struct crl_packets *x, struct crl_pool *pool, const struct crl_problem *problem, bool mirrored,
                    struct crl_diag *diag);
// Puts all packets back to their origins.
void crl_packets_restart(struct crl_packets *x);
// Writes down a hop of a packet, for all that it stands for.
void crl_packets_write(const struct crl_packets *x, struct crl_schedule *schedule, uint32_t slot, uint32_t at,
                       uint32_t next, uint32_t origin, uint32_t dest);
// Moves the packet on in factor i, and writes that down unless `schedule` is NULL.
void crl_packets_move(struct crl_packets *x, uint32_t slot, uint32_t packet, uint32_t i, struct crl_schedule *schedule);

// Whether the packet may move on in factor i.
static inline bool crl_packets_wants(const struct crl_packets *x, uint32_t packet, uint32_t i)
{
    return x->leg[packet * x->factors + i].hops && (x->places == 1 || x->packet[packet].turn == i);
}

// A port of a node, as node 0 or its image there sees it.
static inline uint32_t crl_packets_seen(const struct crl_packets *x, uint32_t node, uint32_t port)
{
    if (x->factor_of[port] != x->twisted) return port;
    return crl_factor_digit(&x->topology->factor[x->twisted], node) % 2 == 0 ? port : x->mirror[port];
}

// The port in factor i that is the packet's own way there, as it is seen where the packet is.
static inline uint32_t crl_packets_port(const struct crl_packets *x, uint32_t packet, uint32_t i)
{
    return crl_packets_seen(x, x->packet[packet].at, x->leg[packet * x->factors + i].way);
}

static inline uint32_t crl_packets_link(const struct crl_packets *x, uint32_t packet, uint32_t i)
{
    return (x->places > 1 ? x->packet[packet].at * x->ports : 0) + crl_packets_port(x, packet, i);
}

// Products of rings and complete graphs but for cubes; and those of them where translations will not do, so that every
// move is listed.
bool crl_packets_are_alike(const struct crl_problem *problem);
bool crl_packets_are_mirrored(const struct crl_problem *problem);

#endif
