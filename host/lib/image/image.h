// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_IMAGE_H
#define CRL_IMAGE_H

#include "image/store.h"
#include "schedule/schedule.h"

enum { CRL_IMAGE_NODES_MAX = 1 << 20 };

// What the hardware must have to play a table; docs/formats/row.md says what each means.
struct crl_geometry {
    uint32_t ports, lanes, banks, write_xbar, delay, waddr_field;
    uint32_t data_width; // bits
    uint32_t addr_width; // bits of a bank address
    uint32_t rows;       // rows of a table
    uint32_t words;      // words a packet
    uint32_t streams;    // of a node, each way: own words come, and words for the node leave, on them; 0: memories
    uint32_t storeless;  // 1: no banks, of routers with streams in which no word waits
    uint32_t combine;    // 0: packets only pass; else 1 + the operator (enum crl_op) by which banks add up what arrives
};

// With fewer banks than lanes the outputs select among the live inputs of all lanes and the banks, and a packet passes
// through a bank only where it enters, leaves or stays: "direct", in docs/formats/row.md.
// Of a router that combines.
enum crl_op crl_geometry_op(const struct crl_geometry *geometry);
// A word of a memory or a link as it is on a stream of a node.
uint64_t crl_word_on_stream(const struct crl_geometry *geometry, uint64_t word);

bool crl_geometry_is_direct(const struct crl_geometry *geometry);
// The `osel` that names bank `bank`; in a direct router those below `lanes` name live inputs.
uint32_t crl_geometry_bank_select(const struct crl_geometry *geometry, uint32_t bank);

// Link cycles of a slot: those in which all ports are served once, or one where a node uses one port a slot.
uint32_t crl_slot_cycles(const struct crl_geometry *geometry, uint32_t port_model);

// A table row as fields. Arrays are indexed by bank or by lane, as in docs/formats/row.md.
#define CRL_BANKS_MAX 64
struct crl_row {
    struct {
        uint32_t raddr, waddr, wsel; // wsel: a lane, or of routers that combine a mask of lanes, then of streams
        uint8_t byp, dly, wen, own;
        uint8_t set, fwd, flip; // of routers that combine
    } bank[CRL_BANKS_MAX];
    struct {
        uint8_t ov, osel, oport, exp, iport, show, ssel; // ssel: of routers that combine, the bank that is shown
    } lane[CRL_PORTS_MAX];
};

uint32_t crl_row_bits(const struct crl_geometry *geometry);
// Whether the row takes a word of stream `stream`: for the lane of that number, or for sums.
bool crl_row_takes(const struct crl_geometry *geometry, const struct crl_row *row, uint32_t stream);
uint32_t crl_row_words(const struct crl_geometry *geometry); // 32-bit words of a packed row
void crl_row_pack(const struct crl_geometry *geometry, const struct crl_row *row, uint32_t *bits);
bool crl_row_unpack(const struct crl_geometry *geometry, const uint32_t *bits,
                    struct crl_row *row); // false: bad parity
// Marks the bits of a row that act on anything; `next` is the row after it (NULL: none), `mask` has crl_row_words
// words.
void crl_row_used(const struct crl_geometry *geometry, const struct crl_row *row, const struct crl_row *next,
                  uint32_t *mask);

// Where a packet lies in a node: in a bank, at an address. With streams: on which stream it comes or leaves (`bank`),
// and as which of that stream's words of a round, from 0 (`addr`).
struct crl_place {
    uint32_t origin, dest, bank, addr;
};
struct crl_places {
    uint32_t count;
    struct crl_place *place;
};

// Addresses that places name: the largest and one more, at least `depth`.
uint32_t crl_places_depth(const struct crl_places *places, uint32_t sets, uint32_t depth);

// Fewer streams than lanes: which place each word of a lane is of, in the order of rows, lane by lane.
struct crl_lane_words {
    uint32_t *start; // [lanes + 1]
    uint32_t *place; // [start[lanes]]
};

// A word of a bank that must hold 0 beforehand.
struct crl_zero {
    uint32_t set, bank, addr;
};

// Everything that is needed to load, play and judge a schedule. In a folded image there is one table and one set of
// places; node v uses them with every packet name translated by v. Otherwise names are absolute and every node has its
// own places.
struct crl_image {
    struct crl_geometry geometry;
    char topology[128], collective[32], scheme[32];
    uint32_t nodes, root, port_model, link_cycles; // link cycles of one round, of which each has a row, and with
                                                   // memories there is one more row, for the last arrivals
    bool folded;
    uint32_t tables;
    struct crl_row_store store;         // the rows of the tables
    uint32_t *node_table;               // [nodes]
    uint32_t place_sets;                // 1 if folded, else nodes
    struct crl_places *before, *after;  // [place_sets]
    struct crl_lane_words *own, *shown; // [place_sets] where there are fewer streams than lanes; else NULL
    uint32_t zeros;
    struct crl_zero *zero;          // [zeros] in ascending order of set, then bank, at most one each
    uint32_t chunks;                // of sums; else 0
    uint32_t parts;                 // mini packets a packet, of a partial collective or where more than 1; else 0
    uint32_t active_count, *active; // of a partial collective: the active nodes, ascending
    char *demands;                  // of traffic: what its packets are, as text of so many bytes; else NULL
    size_t demands_bytes;
    uint32_t latencies, *latency; // slots of links, as of crl_topology_list_latency; none: 1 everywhere
};

void crl_image_done(struct crl_image *image);
// ---- routers that play several images for the same links, lanes, streams and words
// Makes routers able to play rows of others, too; `rows` is that of the longest.
void crl_geometry_join(struct crl_geometry *all, const struct crl_geometry *geometry);
// A row of routers `from` as such routers `to` have it; and all rows of an image, whose number stays. 0,
// CRL_ERR_MEMORY.
void crl_row_widen(const struct crl_geometry *from, const struct crl_geometry *to, const uint32_t *bits,
                   uint32_t *wide);
int crl_image_widen(struct crl_image *image, const struct crl_geometry *to);
// The bits of a row, crl_row_words words; all of them 0 where it is idle.
const uint32_t *crl_image_row(const struct crl_image *image, uint32_t table, uint32_t row);
// Rows of a table whose rounds have so many link cycles.
uint32_t crl_rows_of(const struct crl_geometry *geometry, uint32_t link_cycles);
// Streams. Places are in the order of streams, and then of each stream's words.
// Word `index` of a round of stream `stream`, among the places of a set, or NULL where the stream has no more words.
const struct crl_place *crl_stream_place(const struct crl_places *places, uint32_t stream, uint32_t index);
// The place of what lane `lane` takes (`own`), or shows, at a node as its word number `index` of a round; NULL: it has
// no more. A folded image names it as at node 0.
const struct crl_place *crl_stream_lane_word(const struct crl_image *image, bool own, uint32_t node, uint32_t lane,
                                             uint32_t index);
// Cycles after which the next round may begin: those of a round, or those in which its words come and leave.
uint32_t crl_stream_period(const struct crl_image *image);
// The address of a bank that must hold 0 beforehand, CRL_NONE: none.
uint32_t crl_image_zero(const struct crl_image *image, uint32_t set, uint32_t bank);
int crl_image_write(const struct crl_image *image, FILE *file, struct crl_diag *diag);
// From an image file that crl_container_read has accepted; fails with CRL_ERR_PARSE unless it is of form
// CRL_FORM_SLOTS.
int crl_image_parse(struct crl_image *image, const struct crl_container *container, struct crl_diag *diag);

// Whether every number of an image is possible and in range; what a reader of untrusted bytes relies on.
int crl_image_validate(const struct crl_image *image, const char *name, struct crl_diag *diag);

#endif
