// SPDX-License-Identifier: Apache-2.0
// Link words: what they must be, and how runs are compared.
#ifndef CRL_TRACE_H
#define CRL_TRACE_H

#include "image/image.h"

// A word on a link. Traces are sorted by cycle, node, port. On a LogP machine the port is the destination.
#define CRL_TRACE_PORTS_MAX 1024
struct crl_word {
    uint64_t cycle;
    uint32_t node, port;
    uint64_t data;
};

// What the words hold that nobody loaded: garbage, so that a table that reads them is found out. It is a permutation of
// the numbers of the banks' words.
void crl_garbage_init(struct crl_permutation *garbage, const struct crl_geometry *geometry, uint64_t seed);
uint64_t crl_garbage_number(const struct crl_geometry *geometry, uint32_t node, uint32_t bank, uint32_t addr);
// The number that a packet's payloads are made from: that of the packet, or of sums that of the value which `node`
// contributes.
uint64_t crl_chunk_number(const struct crl_problem *problem, uint32_t node, uint32_t chunk); // of sums, by its number
uint64_t crl_payload_number(const struct crl_problem *problem, uint32_t node, uint32_t origin, uint32_t dest);
// Payload of word `word` of a packet: distinct for distinct (packet, word), and random by seed.
uint64_t crl_payload(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t word,
                     const struct crl_geometry *geometry, uint64_t seed);
// The same for many words: a permutation of index · words + word, `index` being crl_problem_index of the packet. What
// is added up as floating-point numbers is one, of a few exponents, and not distinct.
void crl_payload_init(struct crl_permutation *payload, const struct crl_geometry *geometry, uint64_t seed);
// Names as at node 0 become those at node `by`, of a folded image or schedule.
void crl_packet_shift(const struct crl_problem *problem, uint32_t by, uint32_t *origin, uint32_t *dest);
// What the memory of `node` holds before a run: its own packets, the words that must be zero, and garbage. `memory` is
// [banks][words][depth]; what lies at addresses from `depth` on is left out.
void crl_fill_memory(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed, uint32_t node,
                     uint32_t depth, uint64_t *memory);
// Whether `data_width` bits can tell all words of all packets apart.
bool crl_payload_fits(const struct crl_problem *problem, const struct crl_geometry *geometry);

// Anything that plays a schedule, a link cycle a step: the link cycles of a round, then one without words (the last row
// only takes in), for each word of the packets. With streams rounds follow each other without that cycle, which comes
// after the last one only; and there may be several for each word, with the payloads of the next seeds. `valid` holds
// ⌈ports/32⌉ words a node, a mask of its ports, `data[node * ports + port]` the link words.
struct crl_player {
    void *self;
    // Plays the next cycle; returns a negative error, 0 when another follows, 1 when this was the last. After
    // the last it returns 1 and does nothing.
    int (*step)(void *self, const uint32_t **valid, const uint64_t **data);
    // Says why a step failed; NULL: nothing more is known than the error.
    void (*explain)(void *self, struct crl_diag *diag);
    // The blocks of nodes, as busy.h has them, that may have sent in the last step; NULL, or nothing: any may.
    const uint64_t *(*busy)(void *self);
};

// The trace that a checked schedule must produce, derived without looking at tables.
struct crl_expected;
int crl_expected_new(struct crl_expected **out, const struct crl_schedule *schedule, const struct crl_problem *problem,
                     const struct crl_geometry *geometry, uint64_t seed, struct crl_diag *diag);
// Rounds of all words, of an image with streams, and cycles from one to the next (crl_stream_period); 1 round unless
// said. Call it before the first step.
void crl_expected_repeat(struct crl_expected *expected, uint32_t rounds, uint32_t period);
void crl_expected_free(struct crl_expected *expected);
// The same of sums, of which it is a part. Moves to a slot of a round, at the first of which every node has its values;
// then what is sent in it, or in one phase of it (CRL_NONE: all), is put on the links.
struct crl_expected_sums;
int crl_expected_sums_new(struct crl_expected_sums **out, const struct crl_schedule *schedule,
                          const struct crl_problem *problem, const struct crl_geometry *geometry,
                          struct crl_diag *diag);
void crl_expected_sums_free(struct crl_expected_sums *sums); // NULL is allowed
void crl_expected_sums_slot(struct crl_expected_sums *sums, const struct crl_permutation *payload, uint32_t word,
                            uint32_t slot);
void crl_expected_sums_send(const struct crl_expected_sums *sums, uint32_t phase, uint32_t *valid, uint64_t *data);
struct crl_player crl_expected_player(struct crl_expected *expected);

// What a comparison found. It stops at the first cycle that differs; `text` then shows both sides, with the cycles
// before.
struct crl_compared {
    uint64_t words, cycles; // link words, and cycles from the first to the last of them
    uint64_t mismatches;    // words that differ in that cycle; 0: all alike
    bool stopped;           // at a difference, here or at another process that shares the run
    uint64_t cycle;         // where it stopped, counted from the first word
    uint64_t digest;        // of the words of shared runs: the sum of a number for each, so that parts add up
    char text[2048];
};
// Plays 1 to 4 players side by side and compares each with players[0]. Writes the words of players[1] (if only one: of
// players[0]) to `trace` if that is not NULL. `progress` (may be NULL) is called after every cycle, and
// says whether to go on; CRL_ERR_INTERRUPTED: it did not.
// The same of the nodes that this process plays, in step with all that share the run: a difference anywhere stops them
// all, and cycle 0 is that of the first word anywhere. Share NULL: of all nodes.
int crl_compare_share(struct crl_compared *result, const struct crl_player *players, const char *const *names,
                      size_t count, uint32_t nodes, uint32_t ports, const struct crl_context *context, FILE *trace,
                      bool (*progress)(void *user, uint64_t cycle), void *user, struct crl_diag *diag);
int crl_compare(struct crl_compared *result, const struct crl_player *players, const char *const *names, size_t count,
                uint32_t nodes, uint32_t ports, FILE *trace, bool (*progress)(void *user, uint64_t cycle), void *user,
                struct crl_diag *diag);

// Reads the next line of a text trace `cycle node port data`; returns 1, 0 at the end, or a negative error.
int crl_trace_read(FILE *file, const char *name, uint64_t *line, struct crl_word *word, struct crl_diag *diag);
int crl_trace_write(FILE *file, const struct crl_word *word);

#endif
