// SPDX-License-Identifier: Apache-2.0
// Certificates: a few lines of text that prove a lower bound, and their checker, which knows nothing of how they were
// found and computes in integers only. docs/formats/certificate.md says what they are and why they prove it.
#ifndef CRL_CERTIFY_H
#define CRL_CERTIFY_H

#include "demand/demand.h"
#include "refute/refute.h"
#include "topology/topology.h"

enum crl_certificate_kind { CRL_WEIGHTS, CRL_GROWTH, CRL_PARTITION, CRL_CARRIER, CRL_SAT };

// A packet that uses the link (leaves the node, enters it, uses a link that shares the cable of the one that is named)
// in one of the slots after+1 … T−before pays the price.
enum crl_payer { CRL_PAYS_LINK, CRL_PAYS_SEND, CRL_PAYS_RECV, CRL_PAYS_CABLE };
struct crl_price {
    enum crl_payer payer;
    uint32_t from, to; // ends of the link, CRL_NONE: any. Of a node that sends, the first; that receives, the second
    uint32_t price, after, before;
    uint64_t line; // in its file
};
struct crl_member {
    uint32_t node, part; // of a `part` line, which are numbered from 0; of a `to` line any
    uint64_t line;
};
// Of demands. `to`: the destination whose way a demand pays. `pack`: a set of nodes that each packet of it must enter.
struct crl_named {
    size_t id;           // where the demand's id stands in the pool
    uint32_t value;      // the destination, or what the set is worth
    size_t first, nodes; // of the members of the set
    bool pack;
    uint64_t line;
};
struct crl_certificate {
    char topology[128], latency[64]; // latency: of links, as --link-latency says it; "": not said
    char demands[65];                // their hash; "": not said
    uint32_t period;                 // after which all of them come anew; 0: they do not
    char collective[32];             // canonical
    bool single;                     // ports
    uint32_t slots;                  // that it proves; it refutes schedules of one less
    uint32_t root, parts, chunks;    // chunks 0: as many as the collective has
    enum crl_certificate_kind kind;
    struct crl_price *price;
    size_t prices, price_room;
    struct crl_member *to, *member; // of `to` and of `part` lines
    size_t tos, to_room, members, member_room;
    struct crl_named *named; // `to` and `pack` lines of demands; those of one demand stand together
    size_t nameds, named_room;
    char *ids; // pool
    size_t id_count, id_room;
    uint32_t from;    // of a carrier
    int32_t *literal; // of `clause` lines, each ended by 0
    size_t literals, literal_room;
};

// Reads one, to be ended with _done also after a failure. Errors carry the position in the file `name`.
int crl_certificate_read(struct crl_certificate *certificate, FILE *file, const char *name, struct crl_diag *diag);
void crl_certificate_done(struct crl_certificate *certificate);
// Append a line. Return 0 or CRL_ERR_MEMORY.
int crl_certificate_price(struct crl_certificate *certificate, struct crl_price price);
int crl_certificate_to(struct crl_certificate *certificate, uint32_t node, uint64_t line);
int crl_certificate_member(struct crl_certificate *certificate, uint32_t node, uint32_t part, uint64_t line);
// Of the demand `id`: `to` node, or `pack` value, whose nodes are added by _set afterwards.
int crl_certificate_name(struct crl_certificate *certificate, const char *id, bool pack, uint32_t value, uint64_t line);
int crl_certificate_set(struct crl_certificate *certificate, uint32_t node);
int crl_certificate_literal(struct crl_certificate *certificate, int32_t literal); // 0 ends a clause
// Whether certificates can be about a collective.
bool crl_certificate_knows(const char *collective);
// The claim that a SAT solver refutes. Returns 0 or CRL_ERR_UNSUPPORTED: there is none of such collectives.
int crl_certificate_claim(struct crl_claim *claim, const struct crl_certificate *certificate,
                          const struct crl_topology *topology);
// Returns 0 if it proves that every schedule on the topology takes certificate->slots slots or more, CRL_ERR_RULE with
// the reason (and the line, as of a file `name`) if it does not, CRL_ERR_MEMORY; CRL_ERR_INTERRUPTED once the context's
// caller wants to stop. `demands`: of traffic, else NULL.
int crl_certificate_check(const struct crl_certificate *certificate, const struct crl_topology *topology,
                          const struct crl_demands *demands, const struct crl_context *context, const char *name,
                          struct crl_diag *diag);

#endif
