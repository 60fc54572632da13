// SPDX-License-Identifier: Apache-2.0
// Traffic: demands, each so many packets from one node to one or several. docs/formats/demands.md.
#ifndef CRL_DEMAND_H
#define CRL_DEMAND_H

#include "topology/topology.h"

enum {
    CRL_DEMAND_ID_MAX = 100,              // letters of an id
    CRL_PACKET_NAME = 128,                // room for the name of any packet
    CRL_DEMAND_PACKETS_MAX = 1 << 24,     // of one demand
    CRL_DEMANDS_PACKETS_MAX = 1 << 26,    // of all
    CRL_DEMAND_SLOT_MAX = 1 << 30,        // of releases and deadlines
    CRL_DEMAND_HYPERPERIOD_MAX = 1 << 20, // slots
    CRL_DEMAND_STAGES_MAX = 1 << 16,
};

// What a demand's packet is made of: of what src has; or it is a sum of what src and each of dst have, one packet. SUM:
// src must get it, and it is gathered over the ways by which a packet would spread, the other way round. SUM_ALL: dst
// must get it, too.
enum crl_demand_kind { CRL_DEMAND_MOVE, CRL_DEMAND_SUM, CRL_DEMAND_SUM_ALL };

// Packets that all start at `src` and that each of `dst` must get, one slot each on a link. A periodic demand is as
// many of these as fit into the hyperperiod, which share its id.
struct crl_demand {
    const char *id;      // "": its packets have no names of their own
    const uint32_t *dst; // [dst_count] ascending, at least one, none is src
    uint32_t src, dst_count, packets;
    uint32_t release;  // the first slot in which a packet may leave src, from 1
    uint32_t deadline; // the last slot in which one may arrive; CRL_NONE: none
    uint32_t period;   // slots after which it comes anew; 0: it does not
    uint32_t after;    // the demand that must be complete at src before a packet leaves; CRL_NONE: none
    uint32_t stage;    // before a packet leaves, all of lower stages that src wants must have come there
    enum crl_demand_kind kind;
    uint32_t offset;                           // number of its first packet, as in "id.3"
    uint64_t line;                             // of its file; 0: none
    uint32_t dst_col, deadline_col, after_col; // where these stand in the line
    size_t id_at, dst_at;                      // in the pools
};

// Demands in ascending order of their ids (bytewise), and what they point to. Packet k of demand i is the packet of
// index first[i] + k.
struct crl_demands {
    struct crl_demand *demand;
    uint32_t count, room;
    uint64_t *first;  // [count + 1]; the last one is the number of packets
    uint32_t modulo;  // everything comes anew after so many slots: a slot of a link is taken modulo it; 0: nothing does
    bool unnumbered;  // the packet of a demand of one has the demand's id as its name, without a number
    bool timed;       // some demand has a release after slot 1, a deadline, or what it waits for
    bool sums;        // some demand is a sum
    uint32_t dropped; // destinations that were left out because they were the source
    char name[256];   // of the file, for findings
    uint32_t *nodes;  // pool of the destinations
    size_t node_count, node_room;
    char *text; // pool of the ids
    size_t text_count, text_room;
};

// Reads demands as CSV, or as a matrix of as many rows and columns as there are hosts, into *demands, which the caller
// ends with _done, also after a failure. Errors carry the position in the file `name`.
int crl_demands_read_csv(struct crl_demands *demands, const struct crl_topology *topology, FILE *file, const char *name,
                         struct crl_diag *diag);
int crl_demands_read_matrix(struct crl_demands *demands, const struct crl_topology *topology, FILE *file,
                            const char *name, struct crl_diag *diag);
// The same from bytes: the canonical form, as images hold it.
int crl_demands_read_bytes(struct crl_demands *demands, const struct crl_topology *topology, const char *bytes,
                           size_t count, const char *name, struct crl_diag *diag);
void crl_demands_done(struct crl_demands *demands);
// Everything comes anew every `period` slots. CRL_ERR_ARGUMENT where demands have periods of their own.
int crl_demands_set_period(struct crl_demands *demands, uint32_t period, struct crl_diag *diag);
// The first slot in which a packet of each demand may leave, into from[count]: not before its release, nor before one
// of what it waits for can have come. Returns 0 or CRL_ERR_MEMORY.
int crl_demands_earliest(const struct crl_demands *demands, const struct crl_topology *topology, uint64_t *from);
// Fails with CRL_ERR_RULE, with the line and the reason, where a demand cannot be met on the network however little
// else there is: it is out of reach, or too far for its deadline.
int crl_demands_feasible(const struct crl_demands *demands, const struct crl_topology *topology, struct crl_diag *diag);

// ---- making them: add all, then finish, which sorts and checks

// Appends a demand. Its id and its destinations, which must be sorted, are copied; id NULL: it has none. 0 or
// CRL_ERR_MEMORY.
int crl_demands_add(struct crl_demands *demands, const char *id, size_t length, struct crl_demand demand);
// Sorts, numbers the packets, repeats what is periodic. `after` must hold numbers before sorting. Fails on ids that
// come twice, circles of `after`, and on more packets or longer hyperperiods than there can be.
int crl_demands_finish(struct crl_demands *demands, struct crl_diag *diag);

// ---- packets

uint64_t crl_demands_packets(const struct crl_demands *demands);
// Demand of a packet, by index.
uint32_t crl_demands_find(const struct crl_demands *demands, uint64_t index);
uint32_t crl_demand_farthest(const struct crl_demand *demand, const struct crl_topology *topology); // of its dst
bool crl_demand_wants(const struct crl_demand *demand, uint32_t node);
// Whether some of what a packet is made of is the node's.
bool crl_demand_has(const struct crl_demand *demand, uint32_t node);
// The name of packet `number` of demand `demand`, as in "id.3". Returns `text`.
const char *crl_demands_packet_name(const struct crl_demands *demands, uint32_t demand, uint32_t number,
                                    char text[CRL_PACKET_NAME]);
// The packet of that name; false where there is none.
bool crl_demands_packet_named(const struct crl_demands *demands, const char *name, size_t length, uint32_t *demand,
                              uint32_t *number);

// ---- canonical form, and its hash

// Writes the demands in the one form that equal demands have: sorted by id, numbers of nodes, no ranges, defaults as
// docs/formats/demands.md says.
int crl_demands_write(const struct crl_demands *demands, FILE *file, struct crl_diag *diag);
// SHA-256 of that, in hexadecimal. Returns 0 or CRL_ERR_MEMORY.
int crl_demands_hash(const struct crl_demands *demands, char hex[65]);
void crl_sha256(const void *bytes, size_t count, char hex[65]);

#endif
