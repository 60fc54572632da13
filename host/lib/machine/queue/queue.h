// SPDX-License-Identifier: Apache-2.0
// Routers with queues: forwarding tables and gates, what plays them, and random broadcasts as their load.
#ifndef CRL_QUEUE_QUEUE_H
#define CRL_QUEUE_QUEUE_H

#include "board/board.h"
#include "engine/engine.h"
#include "image/container.h"
#include "machine/traffic.h"

enum {
    CRL_QUEUE_PORTS_MAX = CRL_TRAFFIC_DIMS_MAX,
    CRL_QUEUE_CLASSES_MAX = 10, // FIFOs a port
    CRL_QUEUE_OWN_MAX = 4,      // own packets a node takes in a slot
};

// ---------------------------------------------------------------- the packet word

static inline uint32_t crl_packet_word(uint32_t tree, uint32_t coin, uint32_t origin, uint32_t sequence)
{
    return tree << 28 | coin << 27 | origin << 17 | (sequence & 0x1ffff);
}
static inline uint32_t crl_packet_tree(uint32_t word) { return word >> 28; }
static inline uint32_t crl_packet_coin(uint32_t word) { return word >> 27 & 1; }
static inline uint32_t crl_packet_origin(uint32_t word) { return word >> 17 & 0x3ff; }
static inline uint32_t crl_packet_sequence(uint32_t word) { return word & 0x1ffff; }

// ---------------------------------------------------------------- forwarding tables

// What becomes of a packet of a tree that came in one way. All zero where `take` is 0.
struct crl_forward {
    uint16_t ports; // mask of link ports it leaves by
    uint8_t class;  // FIFO it joins at each
    uint8_t loop;   // 1: it joins the tree's loop-back queue, too
    uint8_t deliver;
    uint8_t take; // 1: such an arrival exists
};

// Pinned: they are in image files.
enum crl_gate_mode {
    CRL_GATE_CLOSED,
    CRL_GATE_ORDER,
    CRL_GATE_COIN_FIRST,
    CRL_GATE_COIN_SECOND,
    CRL_GATE_POSITION,
};
#define CRL_GATE_NO_CLASS 15
#define CRL_GATE_NO_TREE  15
// What a link port may send in a slot.
struct crl_gate {
    uint8_t mode, a, b; // b: CRL_GATE_NO_CLASS where there is none
    uint16_t position;
};

// All tables of a network. Everything is owned.
struct crl_queue_tables {
    char topology[128], scheme[32];
    uint32_t nodes, ports, trees, classes, period;
    uint32_t loops;    // 1: there is a loop-back queue a tree
    uint32_t cycles;   // clock cycles a slot
    uint32_t blocking; // 1: for finite buffers
    uint32_t tables;
    uint32_t *root;              // [trees] or CRL_NONE
    uint32_t *node_table;        // [nodes]
    struct crl_forward *forward; // [tables][trees][ports + 2]: link port, own, loop-back
    struct crl_gate *gate;       // [tables][period][ports]
    uint8_t *accept;             // [tables][period][ports] tree, or CRL_GATE_NO_TREE
    uint8_t *loop_gate;          // [period]
};
void crl_queue_tables_done(struct crl_queue_tables *tables);
int crl_queue_tables_copy(struct crl_queue_tables *to, const struct crl_queue_tables *from, struct crl_diag *diag);
static inline struct crl_forward *crl_queue_forward(const struct crl_queue_tables *t, uint32_t table, uint32_t tree)
{
    return t->forward + ((size_t)table * t->trees + tree) * (t->ports + 2);
}
static inline struct crl_gate *crl_queue_gate(const struct crl_queue_tables *t, uint32_t table, uint32_t row)
{
    return t->gate + ((size_t)table * t->period + row) * t->ports;
}
static inline uint8_t *crl_queue_accept(const struct crl_queue_tables *t, uint32_t table, uint32_t row)
{
    return t->accept + ((size_t)table * t->period + row) * t->ports;
}

// One row of the table of schemes.
struct crl_scheme {
    const char *name, *summary, *paper;
    const char *limit; // the load factors it carries, as text
    uint32_t dimensions_min, dimensions_max;
    bool blocking; // also has tables for finite buffers
    // Fills everything but topology, scheme and cycles; called with nodes, ports and blocking set. What is found by
    // search is kept in the context's cache.
    int (*build)(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
    // What the paper says of it, at a load on so many dimensions: D and Q by a formula, D as simulated; NULL: nothing.
    double (*delay)(uint32_t d, double rho);
    double (*queue)(uint32_t d, double rho);
    double (*simulated)(uint32_t d, double rho);
};
const struct crl_scheme *crl_scheme_table(size_t *count);
// CRL_ERR_ARGUMENT if there is none of that name.
int crl_scheme_find(const struct crl_scheme **out, const char *name, struct crl_diag *diag);
// A row of a forwarding table as crl_queue_node has it.
static inline uint32_t crl_forward_row(const struct crl_queue_tables *t, const struct crl_forward *f)
{
    return (uint32_t)f->ports | (uint32_t)f->class << t->ports | (uint32_t)f->loop << (t->ports + 4) |
           (uint32_t)f->deliver << (t->ports + 5) | (uint32_t)f->take << (t->ports + 6);
}
// Builds the tables of a scheme. `context`: NULL for the defaults. Fails with CRL_ERR_UNSUPPORTED on other topologies
// and numbers of dimensions.
int crl_queue_build(struct crl_queue_tables *tables, const struct crl_scheme *scheme,
                    const struct crl_topology *topology, bool blocking, const struct crl_context *context,
                    struct crl_diag *diag);
// Follows a packet of every tree from every node and demands that each node is handed it exactly once. *limit (may be
// NULL) becomes the load factor at which the first FIFO is offered as much as its gate lets out: above it no queue can
// stay bounded. Returns 0 or CRL_ERR_RULE.
int crl_queue_check(const struct crl_queue_tables *tables, double *limit, struct crl_diag *diag);

// ---------------------------------------------------------------- image files, docs/formats/image.md

// Writes the tables as an image of form CRL_FORM_QUEUES; the same tables give the same bytes.
int crl_queue_image_write(const struct crl_queue_tables *tables, FILE *file, struct crl_diag *diag);
// From an image file that crl_container_read has accepted; fails with CRL_ERR_PARSE unless it is of form
// CRL_FORM_QUEUES and every number in it is possible. Whether packets get where they should is for crl_queue_check. The
// tables are released with crl_queue_tables_done.
int crl_queue_image_parse(struct crl_queue_tables *tables, const struct crl_container *container,
                          struct crl_diag *diag);

// ---------------------------------------------------------------- engines

// A ring of numbers, which begins as {0} and grows by doubling.
struct crl_ring {
    uint32_t *ring;
    uint32_t head, count, mask; // mask: size − 1
};
bool crl_ring_grow(struct crl_ring *ring);
// False: there is no memory.
static inline bool crl_ring_push(struct crl_ring *r, uint32_t number)
{
    if ((!r->ring || r->count > r->mask) && !crl_ring_grow(r)) return false;
    r->ring[(r->head + r->count++) & r->mask] = number;
    return true;
}
static inline uint32_t crl_ring_pop(struct crl_ring *r)
{
    uint32_t number = r->ring[r->head];
    r->head = (r->head + 1) & r->mask;
    r->count--;
    return number;
}

// A packet that a node generates.
struct crl_own {
    uint32_t node, word;
    double time; // slot s lasts from s − 1 to s
};
// What comes from outside in one slot. Own packets of a node are in the order in which it hands them over, at most
// CRL_QUEUE_OWN_MAX of them (blocking: one).
struct crl_stimulus {
    const struct crl_own *own;
    size_t count;
    const uint8_t *stalled; // [nodes], NULL: none
};
// What a slot did. All arrays belong to the engine and hold until the next step.
struct crl_traffic {
    const uint32_t *sent;      // [nodes] mask of link ports that sent a word
    const uint32_t *word;      // [nodes * ports], defined where sent
    const uint32_t *delivered; // [nodes] mask of link ports whose arriving word the node kept
    const uint32_t *stored;    // [nodes] used entries at the start of the slot
    const uint8_t *taken;      // blocking: [stimulus.count] whether the offer was taken; else NULL
    uint64_t dropped;          // packets dropped since the start
    uint64_t faults;           // words nobody expected, since the start
};
// Plays slots 1, 2, …; what the model and the RTL have in common.
struct crl_queue_engine {
    void *self;
    // Plays the next slot. Returns 0 or a negative error.
    int (*step)(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic);
    void (*explain)(void *self, struct crl_diag *diag); // says why a step failed; NULL: nothing more is known
    // One that is far away wants to know the next slots before it plays them, at most `window` of them; then they are
    // stepped through. 0 and NULL: not. Not in blocking mode, where what is offered depends on what was taken.
    uint32_t window;
    int (*ahead)(void *self, const struct crl_stimulus *stimuli, uint32_t count);
};
enum { CRL_AHEAD_MAX = 32 };

// The model. `depth` as in docs/formats/queue.md, 0: unlimited (not in blocking mode). The tables must stay alive.
struct crl_queue_model;
int crl_queue_model_new(struct crl_queue_model **out, const struct crl_queue_tables *tables, uint32_t depth,
                        struct crl_diag *diag);
void crl_queue_model_free(struct crl_queue_model *model);
struct crl_queue_engine crl_queue_model_engine(struct crl_queue_model *model);

bool crl_list_model_fits(const struct crl_queue_tables *tables);
struct crl_list_model;
// As crl_queue_model_new and so on.
int crl_list_model_new(struct crl_list_model **out, const struct crl_queue_tables *tables, uint32_t depth,
                       struct crl_diag *diag);
void crl_list_model_free(struct crl_list_model *model);
struct crl_queue_engine crl_list_model_engine(struct crl_list_model *model);

// ---------------------------------------------------------------- what is generated

// A source of packets: Poisson in continuous time, or saturated (blocking). The same seed gives the same packets
// whatever plays them. Random numbers are splitmix64's.
struct crl_source;
// `rho` = λ(2^d − 1)/d, packets λ a node and slot; in blocking mode it is ignored. `stall`: chance that a node stalls
// in a slot (blocking mode), from 0 to below 1.
int crl_source_new(struct crl_source **out, const struct crl_queue_tables *tables, double rho, double stall,
                   uint64_t seed, struct crl_diag *diag);
void crl_source_free(struct crl_source *source);
// The next slot's packets; with `more` false only those that a node could not hand over before. The stimulus holds
// until the next call. Returns 0 or CRL_ERR_MEMORY.
int crl_source_slot(struct crl_source *source, bool more, struct crl_stimulus *stimulus);
// Says which offers of that slot were taken (blocking mode).
void crl_source_taken(struct crl_source *source, const struct crl_stimulus *stimulus, const uint8_t *taken);
// Whether packets wait that were generated but not handed over.
bool crl_source_holds(const struct crl_source *source);

// ---------------------------------------------------------------- what is measured

// Measures and judges; knows nothing of queues. Slots 1…warmup are not counted, the next `slots` are.
struct crl_meter;
int crl_meter_new(struct crl_meter **out, const struct crl_queue_tables *tables, uint64_t warmup, uint64_t slots,
                  struct crl_diag *diag);
void crl_meter_free(struct crl_meter *meter);
// Takes in the next slot. Returns 0, CRL_ERR_MEMORY, or CRL_ERR_LIMIT when a node has 2^17 unfinished packets.
int crl_meter_slot(struct crl_meter *meter, const struct crl_stimulus *stimulus, const struct crl_traffic *traffic,
                   struct crl_diag *diag);
// Fills all but mismatches. Every packet must have reached every other node exactly once by now.
void crl_meter_result(const struct crl_meter *meter, struct crl_dynamic_result *result);

// ---------------------------------------------------------------- a whole run

struct crl_dynamic_options {
    double rho, stall;
    uint64_t slots, warmup, seed;
    FILE *trace;                                 // NULL: none
    bool (*progress)(void *user, uint64_t slot); // whether to go on; may be NULL
    void *user;
    void (*watch)(void *watcher, uint64_t slot, const struct crl_traffic *traffic); // what a slot did; may be NULL
    void *watcher;
};
// Plays warm-up, measured slots and the draining that follows on 1 or 2 engines side by side, and compares what they do
// in every slot: links, deliveries, queues. Stops at the first difference (`mismatches`, `text`).
int crl_dynamic_run(struct crl_dynamic_result *result, const struct crl_queue_tables *tables,
                    const struct crl_dynamic_options *options, const struct crl_queue_engine *engines, size_t count,
                    struct crl_diag *diag);

// ---------------------------------------------------------------- formulas of S93; NAN where one does not apply

double crl_s93_approximation(uint32_t d, double rho);   // (11): D of the direct scheme, approximately
double crl_s93_bound(uint32_t d, double rho);           // Prop. 1: below D of any scheme
double crl_s93_oblivious_bound(uint32_t d, double rho); // Prop. 2: below D of oblivious schemes
double crl_s93_indirect_delay(uint32_t d, double rho);  // Prop. 6
double crl_s93_indirect_queue(uint32_t d, double rho);  // Prop. 7, as it must read
double crl_s93_periodic_delay(uint32_t d, double rho);  // D of the periodic scheme
double crl_s93_simulated(uint32_t d, double rho);       // Tables I and II: D of the direct scheme as they print it

// Allocates what nodes, ports, trees, classes, period and tables say: no arrival taken, all gates closed, no roots,
// node v with table v (or 0 where there is one table).
int crl_queue_tables_alloc(struct crl_queue_tables *tables, struct crl_diag *diag);

int crl_scheme_naive(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
int crl_scheme_direct(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
int crl_scheme_periodic(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
int crl_scheme_indirect(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
int crl_scheme_nonidling(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);
int crl_scheme_balanced(struct crl_queue_tables *tables, const struct crl_context *context, struct crl_diag *diag);

// ---- the RTL, which is played slot by slot

struct crl_rtl_queue;

// Loads every node's tables, which are copied. `depth`: packets a node stores, 1 to 2^16. *out is the caller's to free
// also when this fails.
int crl_rtl_queue_new(struct crl_rtl_queue **out, const struct crl_queue_tables *tables, uint32_t depth,
                      const struct crl_rtl_options *options, struct crl_diag *diag);
void crl_rtl_queue_free(struct crl_rtl_queue *engine);
struct crl_queue_engine crl_rtl_queue_engine(struct crl_rtl_queue *engine);
// Ends the waves, after the last slot.
int crl_rtl_queue_finish(struct crl_rtl_queue *engine, struct crl_diag *diag);

// ---- the board

// The queue board as an engine of random broadcasts. The tables must be such that it can play them
// (CRL_ERR_UNSUPPORTED says why not), and stay alive, as the board must. crl_board_queue_free frees.
struct crl_board_queue;
enum { CRL_BOARD_QUEUE_DEPTH = 8 }; // packets a node stores
int crl_board_queue_new(struct crl_board_queue **out, struct crl_board *board, const struct crl_queue_tables *tables,
                        struct crl_diag *diag);
void crl_board_queue_free(struct crl_board_queue *queue);
struct crl_queue_engine crl_board_queue_engine(struct crl_board_queue *queue);

#endif
