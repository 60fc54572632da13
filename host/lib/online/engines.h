// SPDX-License-Identifier: Apache-2.0
// Engines of on-line routers: counting, packing, routing and broadcasting along lines. An algorithm is one or more of
// these, by one engine a node or by d of them, of which number c uses dimension k + c (mod d) where number 0 uses
// dimension k, so that no two use a link at the same time.
#ifndef CRL_ENGINES_H
#define CRL_ENGINES_H

#include "online/links.h"

struct crl_engine_packet {
    uint32_t origin, dest, rank; // dest: its part where packets are broadcast
    bool valid;
};

// What an engine of a node has to send in one direction: words from below, then words from above, as they came.
struct crl_engine_list {
    uint32_t count[2]; // by arrival direction
    uint32_t limit[2]; // of these it had at the start of the subphase
    uint32_t next;     // to be sent, counted over both
    uint32_t *packet;  // [2][capacity] origin · parts + part
};

struct crl_engine {       // one of one node
    uint32_t value;       // what it adds to the sum
    uint32_t first, last; // nodes whose values are in `total`; of engine 0 all from one to the other
    uint32_t below, total;
    struct crl_engine_packet own[2], coming[2]; // of each half; while packing
    struct crl_engine_list list[2];             // of each direction
    uint32_t held[2];                           // packets in its memory, by direction of arrival
};

struct crl_engines {
    const struct crl_mesh *mesh;
    struct crl_online_run *run;
    struct crl_links links;
    struct crl_engine *engine; // [node · count + engine]
    uint32_t *packets;
    uint32_t count, halves; // engines a node; mini packets of a class
    uint32_t parts;         // more than the number of any part of a packet that is broadcast
    uint32_t capacity;      // of a list
    uint32_t limit;         // packets that a memory holds, what comes beyond that is lost; 0: any number
};

// Engines of run->mesh. crl_engines_done releases also what is left after an error, CRL_ERR_MEMORY.
int crl_engines_init(struct crl_engines *engines, struct crl_online_run *run, uint32_t count, uint32_t halves,
                     uint32_t parts, uint32_t capacity);
void crl_engines_done(struct crl_engines *engines);
struct crl_engine *crl_engine_at(const struct crl_engines *engines, uint32_t node, uint32_t engine);
// The dimension that an engine uses in step `step`.
uint32_t crl_engine_dim(const struct crl_engines *engines, uint32_t engine, uint32_t step);

// All nodes sum up the values of their engines first…end−1, one dimension after the other: `below` is then what nodes
// with lower numbers have (digits of numbers in the engine's order of dimensions), `total` what all have. Sums from
// both ends run along a line at the same time and every line of a dimension does it, in p − 1 slots a dimension.
int crl_engines_count(struct crl_engines *engines, uint32_t first, uint32_t end);
// Takes all packets that engines have of their own, one dimension after the other, to the nodes whose numbers are their
// ranks (Varvarigos & Bertsekas 1994, Theorem 3). With `back`, from there to their destinations, dimensions in reversed
// order (Theorem 4).
int crl_engines_pack(struct crl_engines *engines, bool back);

// Adds a packet to what an engine has to send in `direction`, as one that came from `side`.
void crl_engine_add(struct crl_engines *engines, struct crl_engine_list *list, uint32_t side, uint32_t origin,
                    uint32_t part);
// Every node broadcasts along dimension `step` what it holds (Theorem 2): pass on what comes, else send the next. The
// subphase ends when the longest line is done if its nodes hold ⌈most/P⌉ packets each, P the number of nodes up to that
// dimension. CRL_NONE: when nobody has anything to send.
int crl_engines_spread(struct crl_engines *engines, uint32_t step, uint32_t most);
// Hops of a packet along a dimension in one direction: to the end of a path; round a ring the whole way where each half
// has a direction of its own, else to its other side.
uint32_t crl_mesh_reach(const struct crl_mesh *mesh, uint32_t dim, uint32_t direction, uint32_t digit, bool in_halves);

#endif
