// SPDX-License-Identifier: Apache-2.0
/*
 * RTL simulation of any network of routers, of processors on a crossbar (a LogP machine), of nodes under queue control
 * or of on-line routers.
 *
 * One router and one sequencer are verilated per parameter set; the network is N instances of the first and one
 * instance of the second per distinct table, wired here. Every link output of the RTL is registered, so one step is:
 * hand each router what its neighbours registered at the last edge, then clock everything. No topology needs a rebuild.
 *
 * On a LogP machine the instances are processors, each with a table of its own, and one crossbar, which hands every
 * word over after the latency set for the run; one build serves any number of processors and any latency up to its own.
 *
 * The compiled simulator of a parameter set is made on demand (verilator and g++ must be on PATH) and kept in a cache.
 *
 * Time is that of docs/formats/row.md: the step that samples start is edge 0; after the step of edge n, the simulation
 * is in time n, and the words returned are those on the links in time n. Link cycle t is on the links in time t + 2.
 *
 * The library never prints and keeps no globals. A simulation is used by one thread at a time; several may exist.
 * Functions that return int return 0 or an enum crl_error, and describe the failure in *diag, which may be NULL.
 */
#ifndef CRL_SIM_H
#define CRL_SIM_H

#include "base/context.h"
#include "shim.h" /* struct crl_sim_boards, struct crl_shim_boards, CRL_SIM_NONE */

/* Largest word of a link. */
#define CRL_SIM_DATA_WIDTH_MAX 64

enum crl_sim_kind {
    CRL_SIM_NETWORK, /* routers wired here */
    CRL_SIM_LOGP,    /* processors on a crossbar */
    CRL_SIM_QUEUE,   /* nodes of queue control (docs/formats/queue.md) */
    CRL_SIM_ONLINE,  /* on-line routers of a torus or an array */
};

/* Parameters of the RTL (docs/formats/row.md). */
struct crl_sim_router {
    uint32_t ports;       /* 1...32 */
    uint32_t lanes;       /* 1...ports */
    uint32_t banks;       /* 1...64; lanes when write_xbar is 0, at least lanes when delay is 1 */
    uint32_t write_xbar;  /* 0 or 1 */
    uint32_t delay;       /* 0 or 1 */
    uint32_t waddr_field; /* 0 or 1 */
    uint32_t data_width;  /* bits: 8, 16, ... 64 */
    uint32_t addr_width;  /* bits: 1...24 */
    uint32_t table_depth; /* rows, 1...2^20; built as the next of a few sizes, so that one build serves many tables */
    uint32_t pages;       /* words of a packet that are played in one go, 1...2^16; built as the next power of two */
    uint32_t streams;     /* 1: stream nodes; then there are no pages, and any number of rounds is played in one go */
    uint32_t storeless;   /* 1: these have no banks; delay is 0 */
    uint32_t cables;      /* 0, or the Depth of the cables between boards: stream nodes */
    uint32_t based;       /* 1: rounds begin where crl_sim_base() says; stream nodes */
    uint32_t combine;     /* 0, or 1 + the operator, 0...6: banks add up what arrives, and are as many as wanted */
};

struct crl_sim_logp {
    uint32_t ports;                                      /* of the crossbar: a power of two from 2 to 1024 */
    uint32_t latency_max;                                /* 1...64 */
    uint32_t data_width, addr_width, table_depth, pages; /* as above */
};

/* Such a simulation is played by crl_sim_queue_slot() alone; its words have 32 bits. */
struct crl_sim_queue {
    uint32_t ports;    /* 1...10 */
    uint32_t trees;    /* 1...15 */
    uint32_t classes;  /* 1...10 */
    uint32_t loops;    /* 1: there is a loop-back queue a tree */
    uint32_t position; /* 1: gates ask where packets come from */
    uint32_t depth;    /* packets the store of a node may hold, 1...2^16; built as the next of a few sizes */
    uint32_t units;    /* 0, or blocking mode: packets a buffer may hold; trees * classes * units <= depth */
    uint32_t period;   /* slots after which gates repeat, 1...2^16 */
};

enum crl_sim_control {
    CRL_SIM_ONLINE_BROADCAST = 1, /* partial multinode broadcast, also repeated */
    CRL_SIM_ONLINE_EXCHANGE = 2,  /* partial exchange */
};

/*
 * Their registers are rows of 32 bits, in the order of their addresses (rtl/online/crl_online_*.sv). A step is a slot,
 * and words, of 64 bits, are those of traces (docs/formats/trace.md).
 */
struct crl_sim_online {
    enum crl_sim_control control;
    uint32_t ports;     /* two a dimension (2k: travelling up, 2k + 1: down) of up to 8 */
    uint32_t registers; /* of a node, 1...2^20 */
    uint32_t nodes;     /* 1...4096 */
    uint32_t depth;     /* packets of each memory or of all queues, 1...2^20; built as the next of a few sizes */
    uint32_t sides;     /* of exchanges, SideBits of rtl/online/crl_online_exchange.sv: 15 bits in all at most */
    uint32_t wait;      /* of broadcasts, packets that may wait, 1...2^16; built as the next of a few sizes */
};

struct crl_sim_params {
    enum crl_sim_kind kind;
    bool flat; /* one verilated fabric (crl_fabric, crl_queue_fabric, crl_online_fabric) in place of instances */
    union {
        struct crl_sim_router network;
        struct crl_sim_logp logp;
        struct crl_sim_queue queue;
        struct crl_sim_online online;
    };
};

enum crl_sim_wave {
    CRL_SIM_WAVE_NONE,
    CRL_SIM_WAVE_FST,
    CRL_SIM_WAVE_VCD,
};

struct crl_sim_config {
    struct crl_sim_params params;
    uint32_t nodes;             /* 1...2^20 */
    uint32_t tables;            /* distinct tables, 1...nodes */
    const uint32_t *node_table; /* [nodes] table of each node; NULL: table 0 for all */
    const uint32_t *source;     /* [nodes][ports] node whose port p feeds in[p] of this node, or CRL_SIM_NONE */
    const uint32_t *lag;        /* [nodes][ports] clocks more than one that a word takes to this input; NULL: none */
    uint32_t latency;           /* of the crossbar in this simulation: 1...latency_max; ignored without a crossbar */
    uint32_t op;                /* of the combine units: 0 sum, 1 minimum, 2 maximum, 3 exclusive or */
    const struct crl_sim_boards *boards; /* NULL: all nodes have one clock */
    uint32_t threads;                    /* workers that share the routers; 0 or 1: the caller's thread alone */
    enum crl_sim_wave wave;
    const char *wave_path; /* file to write, whole or not at all; needed unless wave is CRL_SIM_WAVE_NONE */
};

/* Sticky faults of one router or processor. */
enum {
    CRL_SIM_FAULT_MISSING = 1,    /* a word was expected and did not come */
    CRL_SIM_FAULT_UNEXPECTED = 2, /* a word came while rows act, and was not expected there */
    CRL_SIM_FAULT_OVERRUN = 4,    /* a word came while no row acts */
    CRL_SIM_FAULT_HOLD = 8,       /* LogP: the holding register was taken from while empty, or written over */
    CRL_SIM_FAULT_CONFLICT = 16,  /* LogP: three words were for this processor in one cycle */
    CRL_SIM_FAULT_OUTSIDE = 32,   /* LogP: it sent to a processor that there is not */
    CRL_SIM_FAULT_LOST = 64,      /* on-line router: a packet found no room, or was late */
    CRL_SIM_FAULT_STARVED = 128,  /* stream node: an own word was not there */
};

struct crl_sim_fault {
    uint32_t kinds; /* mask of CRL_SIM_FAULT_* */
    uint32_t ports; /* ports of the first fault, as a mask */
    uint32_t row;   /* row in which the first fault was seen */
};

/* Sticky parity fault of one table. */
struct crl_sim_table_fault {
    bool parity;
    uint32_t row; /* number of the first row with bad parity that acted */
};

struct crl_sim;

/* Rows that a sequencer is built for. Tables are loaded and addressed alike at any depth, so a few serve all tables. */
uint32_t crl_built_depth(uint32_t rows);
/* The same of places that a queue node or an on-line router is built for. */
uint32_t crl_built_places(uint32_t depth);
/* Bits of a word between on-line routers, as in the waves: 32 of payload, then what it is and where it is to go. */
uint32_t crl_sim_online_link_bits(const struct crl_sim_online *params);

/* Bits of a row for these parameters, or CRL_ERR_ARGUMENT when they are not valid. */
int crl_sim_row_bits(const struct crl_sim_params *params);

/*
 * Opens a simulation: builds or finds the simulator of the parameter set, creates the instances, resets them.
 * *sim is NULL on error, else the caller ends it with crl_sim_close(). Nothing of config is referenced afterwards;
 * context (NULL: the defaults) is, until crl_sim_close(): its messages tell of builds ("building the simulator ...")
 * and hold what the RTL prints.
 *
 * Stream nodes run on one thread, are not flat, and each has the table of its own number of node_table.
 * Flat: 2...64 nodes, for whose sources it is built, on one thread. Its routers are clocked while tables are loaded; of
 * routers tables is 1 or nodes (then table n is node n's), and it cannot drop; others can neither drop nor inject.
 * LogP: nodes is 2...ports or 1, tables is nodes (table n is node n's) and source is NULL.
 * Threads are for networks without waves; waves for all but flat fabrics of queue nodes and on-line routers. Threads
 * pay from about 64 nodes on, and only with a core for each: they spin between steps.
 *
 * Errors: ARGUMENT, MEMORY, IO, TOOL, BUILD, LOAD, INTERRUPTED.
 */
int crl_sim_open(struct crl_sim **sim, const struct crl_sim_config *config, const struct crl_context *context,
                 struct crl_diag *diag);

/* Ends the waves, and gives their file its name: before, and when this fails, there is none. Errors: IO. */
int crl_sim_finish(struct crl_sim *sim, struct crl_diag *diag);

/* Ends the simulation, and its waves if need be. NULL is allowed. */
void crl_sim_close(struct crl_sim *sim);

/*
 * Writes rows 0...n_rows-1 of every table through the load port, one row a clock, all tables side by side. Routers are
 * not clocked meanwhile (no row acts), and none of it counts as steps.
 *
 * rows: [tables][n_rows][row_words], least significant word first; row_words = ceil(row bits / 32); bits above the row
 * must be zero. Errors: ARGUMENT, BUSY.
 */
int crl_sim_load_tables(struct crl_sim *sim, const uint32_t *rows, uint32_t n_rows, uint32_t row_words);

/*
 * Raises start for the next step, which is then edge 0. last_row and last_page (rounds - 1) hold from then on.
 * Errors: ARGUMENT; BUSY when rows are being played (the RTL would ignore it).
 */
int crl_sim_start(struct crl_sim *sim, uint32_t last_row, uint32_t last_page);

/*
 * What the next step sees on in[port] of a node, instead of what the neighbour sent: inject puts a word there (bits
 * above the data width are dropped), drop puts nothing there. Of several for one input the
 * last holds. node < nodes, port < ports.
 */
void crl_sim_inject(struct crl_sim *sim, uint32_t node, uint32_t port, uint64_t word);
void crl_sim_drop(struct crl_sim *sim, uint32_t node, uint32_t port);

/* The same for inputs 0...count-1 of every node at once: word p of node n is words[p * stride + n]. count <= ports. */
void crl_sim_inject_all(struct crl_sim *sim, const uint64_t *words, size_t stride, uint32_t count);
void crl_sim_drop_all(struct crl_sim *sim);

/* Raises the clear input for the next step: sticky faults go away at that edge. */
void crl_sim_clear(struct crl_sim *sim);

/* One clock edge of everything. */
void crl_sim_step(struct crl_sim *sim);

/*
 * The links after the last step. valid: [nodes], bit p = port p sends a word. data: [nodes][ports], defined where
 * valid. Both belong to the simulation and hold until the next step.
 */
const uint32_t *crl_sim_valid(struct crl_sim *sim);
const uint64_t *crl_sim_data(struct crl_sim *sim);

/*
 * Queue control: writes a row of every table, rows[table], at an address of the forwarding table, tree * 2^b + arrival,
 * or of the gates, slot mod period * 2^b + port (port `ports`: bit 0 serves the loop-back queues), where b bits name an
 * arrival: 2^b >= ports + 2. A row is, high to low, {take, deliver, loop, class:4, ports} or {position, b:4, a:4,
 * mode:3}, in blocking mode {accept:4, position, b:4, a:4, mode:3}. Errors: ARGUMENT.
 */
int crl_sim_queue_load(struct crl_sim *sim, bool gate, uint32_t address, const uint32_t *rows);

/* What happens in a slot, and what the nodes make of it. */
struct crl_sim_slot {
    const uint32_t *own_node, *own_word; /* [own] own packets, those of a node in their order */
    size_t own;
    const uint8_t *stalled;     /* [nodes] blocking mode; NULL: none */
    uint8_t *taken;             /* [own] blocking mode: whether the packet found room; may be NULL */
    uint32_t *sent, *delivered; /* [nodes] masks: ports that sent; ports whose arriving word the node kept */
    uint32_t *word;             /* [nodes][ports], defined where sent */
    uint32_t *stored;           /* [nodes] packets stored when the slot began */
    uint64_t dropped;           /* packets dropped, and words nobody expected, since the start */
    uint64_t strange;
    uint64_t cycles; /* clock edges it took */
};

/* Queue control: plays the next slot. Errors: ARGUMENT; as crl_sim_status(). */
int crl_sim_queue_slot(struct crl_sim *sim, struct crl_sim_slot *slot, struct crl_diag *diag);

/* LogP: where the word of each processor goes, [nodes], defined where valid; NULL without a crossbar. */
const uint32_t *crl_sim_dest(struct crl_sim *sim);

/*
 * On-line routers, while not busy: the packet at an address of a memory of a node, {origin, payload} in bits 43 to 0.
 * False where there is none, and for other simulations.
 */
bool crl_sim_held(struct crl_sim *sim, uint32_t node, uint32_t memory, uint32_t address, uint64_t *packet);

/*
 * Intervals of on-line routers. Gives a node a packet in the next step: a word of 32 bits a port. node < nodes.
 * Then, of what is on the links after the last step: whether an interval begins with it, and whether it is of counting;
 * all nodes must agree.
 */
void crl_sim_give(struct crl_sim *sim, uint32_t node, const uint32_t *packet);
struct crl_sim_interval {
    bool begins, counts, agree;
};
struct crl_sim_interval crl_sim_interval(const struct crl_sim *sim);

/*
 * Streams of stream nodes, NULL where there are none. A stream a lane: bit `lane` of a node's masks, and a word of
 * [nodes][lanes]. What is offered holds until it is changed.
 */
struct crl_sim_streams {
    uint32_t lanes;
    uint32_t *offered; /* [nodes] own words that are there for the next step, and which */
    uint64_t *own;
    const uint32_t *taken, *shown; /* [nodes] own words that the last step took; words that it showed, and which */
    const uint64_t *word;
};
bool crl_sim_streams(struct crl_sim *sim, struct crl_sim_streams *streams);
/* What boards did, NULL where all nodes have one clock. */
const struct crl_shim_boards *crl_sim_boards(const struct crl_sim *sim);
/* Clocks from the beginning of a round to that of the next, if rows leave time; from the next start on. */
void crl_sim_pace(struct crl_sim *sim, uint32_t clocks);
/* The row of the tables in which the rounds of the next start begin; two steps before it at the latest. */
void crl_sim_base(struct crl_sim *sim, uint32_t row);
/* Resets all nodes, and boards with their cables, whose plan is another one where crl_sim_base() has said another row.
 */
void crl_sim_reset(struct crl_sim *sim);

/* Whether rows are being addressed or are still in the pipeline of any sequencer. */
bool crl_sim_busy(const struct crl_sim *sim);

/* The faults of a node (node < nodes) or of a table (table < tables) after the last step. */
struct crl_sim_fault crl_sim_node_fault(const struct crl_sim *sim, uint32_t node);
struct crl_sim_table_fault crl_sim_table_fault(const struct crl_sim *sim, uint32_t table);

/* Whether any node or any table has a fault. */
bool crl_sim_any_fault(const struct crl_sim *sim);

/* 0; ASSERT once an assertion of the RTL failed, with what it printed; IO once the waves could not be written. */
int crl_sim_status(const struct crl_sim *sim, struct crl_diag *diag);

/* All that the RTL printed of its failed assertions, "" when nothing; belongs to the simulation. */
const char *crl_sim_printed(const struct crl_sim *sim);

/* Edge number of the last step, counted from start as edge 0; -1 before the first start. */
int64_t crl_sim_edge(const struct crl_sim *sim);

/* Steps since open, and routers times steps: the work done, for benchmarks. */
uint64_t crl_sim_steps(const struct crl_sim *sim);
uint64_t crl_sim_node_cycles(const struct crl_sim *sim);

#endif
