// SPDX-License-Identifier: Apache-2.0
// What engines have in common, and what a machine adds to it. Internal to engine/.
#ifndef CRL_MACHINE_H
#define CRL_MACHINE_H

#include "engine/engine.h"
#include "trace/border.h"
#include <crl_sim.h>

struct crl_rtl_kind {
    // Of tables with memories. A row that takes in, or sends, address `addr` of banks pass * lanes… on lanes 0….
    void (*memory_row)(const struct crl_rtl *engine, bool sends, uint32_t table, uint32_t pass, uint32_t addr,
                       uint32_t *bits);
    // What lies in the memories before anything was loaded; and then words first…first+count−1 of what the image says
    // must lie there, into pages 0….
    void (*fill)(struct crl_rtl *engine);
    void (*own)(struct crl_rtl *engine, uint32_t first, uint32_t count);

    // A step of the simulation, and what belongs to it; NULL: the step alone.
    void (*clock)(struct crl_rtl *engine);

    // What the links show, as a player must show it; NULL: as they do.
    void (*show)(struct crl_rtl *engine, const uint32_t **valid, const uint64_t **data);
    void (*note)(struct crl_rtl *engine); // the faults, by crl_rtl_fault()
    void (*done)(struct crl_rtl *engine); // frees what is its own
};

struct crl_rtl_shared;

// Boards of a simulation, and its cables: arrays are one allocation, `memory`.
struct crl_rtl_boards {
    struct crl_sim_boards sim;
    uint32_t depth;           // of cables
    uint32_t period, words;   // cycles of a table, which is played so many times a round
    uint64_t patience, limit; // cycles after which a wait is told; after which it will not end
    uint32_t *memory;
    const struct crl_names *names;
};
// As the options say. Errors: MEMORY.
int crl_rtl_boards_make(struct crl_rtl_boards *boards, const struct crl_image *image, const struct crl_problem *problem,
                        const struct crl_rtl_options *options, struct crl_diag *diag);
// A wait of a board, by what the simulation says; that boards wait and nothing will come, and why.
struct crl_board_wait crl_rtl_board_wait(const struct crl_rtl_boards *boards, const struct crl_shim_wait *wait,
                                         uint32_t board);
int crl_rtl_boards_stuck(const struct crl_rtl_boards *boards, const struct crl_shim_boards *did, struct crl_diag *diag);

// The first member of every engine.
struct crl_rtl {
    const struct crl_rtl_kind *machine;
    struct crl_rtl_options options;
    struct crl_sim *sim;
    uint32_t nodes, ports;
    uint32_t node0;                // of all, the first that this process plays
    struct crl_rtl_shared *shared; // with others; NULL: it plays all
    int lost;                      // why the words of other processes did not come; 0: they did
    int stuck;                     // boards wait for each other, for a reason that is in `why`
    uint32_t drain;                // steps after which nothing is under way
    uint64_t cycles, step;         // of the player: all, and those played

    // Of tables with memories: depth is 0 otherwise.
    const struct crl_row_store *store;
    uint32_t tables, rows, row_words, words;
    uint32_t *table;               // [tables] their numbers in the store, of a run that processes share; NULL: the same
    uint32_t lanes, banks, passes; // passes: rows needed to reach every bank at one address
    uint32_t depth;                // words of each page of a bank that tables or placements name
    uint32_t first, count;         // words at hand
    bool started;
    uint64_t *memory; // [CRL_RTL_PAGES][depth][banks][stride], of that [nodes], loaded and read back
    size_t stride;    // more than nodes: a power of two would have the words of a node share cache lines

    uint64_t faults;
    char fault_text[160];
    struct crl_diag why; // why a step failed
};

// Opens the simulation; fills in what options say.
int crl_rtl_open(struct crl_sim **sim, struct crl_sim_config *config, const struct crl_rtl_options *options,
                 struct crl_diag *diag);
// Memory, when the numbers above are known; then, with the simulation open, the first words.
int crl_rtl_prepare(struct crl_rtl *engine, struct crl_diag *diag);
int crl_rtl_load(struct crl_rtl *engine, struct crl_diag *diag);
// One step, and its links.
int crl_rtl_step(struct crl_rtl *engine, const uint32_t **valid, const uint64_t **data, struct crl_diag *diag);
// A step of all nodes, and what the machine does with it.
void crl_rtl_clock(struct crl_rtl *engine);
// Routers on links, with memories or streams: opens the simulation, with tables of up to `rows` rows, [nodes] the table
// of each node; boards NULL: one clock; notes the faults.
int crl_rtl_open_network(struct crl_rtl *engine, const struct crl_image *image, const struct crl_problem *problem,
                         const uint32_t *node_table, uint32_t rows, const struct crl_rtl_boards *boards,
                         struct crl_diag *diag); // with options.then: `rows` of both
void crl_rtl_note_network(struct crl_rtl *engine, const struct crl_image *image);
// After the last cycle: lets the pipeline run empty, and notes the faults.
int crl_rtl_drain(struct crl_rtl *engine, struct crl_diag *diag);
// Writes the tables.
int crl_rtl_load_image(struct crl_rtl *engine, struct crl_diag *diag);
void crl_rtl_fault(struct crl_rtl *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- runs that processes share: slot tables on links

// Finds the nodes and tables that are played here: node0, nodes, tables, table; and their table numbers, [nodes], which
// the caller frees (NULL where the run is not shared).
int crl_rtl_share(struct crl_rtl *engine, const struct crl_image *image, const struct crl_context *context,
                  uint32_t **node_table);
// Whether it is here that the faults of a table count, which may be played at several processes.
bool crl_rtl_speaks_for(const struct crl_rtl *engine, const struct crl_image *image, uint32_t table);
int crl_rtl_share_links(struct crl_rtl *engine, const struct crl_topology *topology, uint32_t slot_cycles);
void crl_rtl_share_done(struct crl_rtl *engine);
// Before and after a step: hands the routers what came from other processes, and sends off what is for them.
int crl_rtl_share_take(struct crl_rtl *engine);
int crl_rtl_share_send(struct crl_rtl *engine);
// What came last is not for the next step.
int crl_rtl_share_forget(struct crl_rtl *engine);
// The links of all nodes; only those that are played here are right.
void crl_rtl_share_show(const struct crl_rtl *engine, const uint32_t **valid, const uint64_t **data);

static inline uint64_t *crl_rtl_word(struct crl_rtl *e, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr)
{
    return &e->memory[(((size_t)page * e->depth + addr) * e->banks + bank) * e->stride + node];
}

// ---------------------------------------------------------------- views of waves

// Bits of a word that are shown by themselves, from `at` on, under a name ("": the word's own).
struct crl_wave_field {
    const char *name;
    uint32_t at, bits;
    enum { CRL_WAVE_NAMED, CRL_WAVE_HEX, CRL_WAVE_DECIMAL } as; // named: as names say
};
// The signals of every node that people look at, and which of all nodes their first is: ports out and in, bits of a
// word, of a destination (0: it has none), of the faults, and of the rows' numbers of sequencers, of which there may be
// none; fields of a word (none: it is named as a whole); more signals, by name and bits (0: the last was before).
enum { CRL_WAVE_FIELDS_MAX = 2, CRL_WAVE_MORE_MAX = 4 };
struct crl_wave_signals {
    uint32_t nodes, node0, ports_out, ports_in, width, dest_bits, fault_bits, sequencers, row_bits, field_count;
    struct crl_wave_field field[CRL_WAVE_FIELDS_MAX];
    struct {
        const char *name;
        uint32_t bits;
    } more[CRL_WAVE_MORE_MAX];
};
// What numbers mean. Word: the index-th word that a packet has, and its name; false when there are no more; NULL: words
// have no names. Rows that send, and how many a slot has; cycles 0: rows have no slots.
enum { CRL_WAVE_NAMES_MAX = 1 << 20 };
struct crl_wave_names {
    bool (*word)(const void *user, uint64_t index, uint64_t *word, char name[64]);
    const void *user;
    uint32_t rows, cycles;
};
// Writes NAME.gtkw, NAME.packets.txt and, where there are slots, NAME.slots.txt beside the waves; a .gtkw that the
// viewer saved stays as it is.
int crl_rtl_view(const char *wave, const struct crl_wave_signals *signals, const struct crl_wave_names *names,
                 struct crl_diag *diag);

#endif
