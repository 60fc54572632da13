// SPDX-License-Identifier: Apache-2.0
#ifndef CRL_ORACLE_H
#define CRL_ORACLE_H

#include "check/terms.h"
#include "trace/trace.h"

// Reads memories, of whatever played: puts the word at an address of a bank, on page `page`, of node `node` + i into
// words[i], for each of `count` nodes. The page is the word of the packet. With streams: word `addr` of a round that
// left on stream `bank`.
typedef void crl_memory_fn(void *user, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                           uint64_t *words);

// Judges what ended up in the memories, knowing nothing of schedules or tables. Returns "ok", or one word: "missing" (a
// node has no place for a packet it must have), "extra" (a place for one it must not have), "overlap" (two in one
// place), "wrong" (not its data), "memory" (there is too little of it to tell). `where` (may be NULL) says where.
const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       crl_memory_fn *memory, void *user, struct crl_diag *where);

// The same for memories that hold a few words of every packet at a time. The image and the problem must stay alive;
// `seed` picks the payloads. Places are judged at once. Errors: CRL_ERR_MEMORY.
struct crl_oracle;
int crl_oracle_new(struct crl_oracle **out, const struct crl_image *image, const struct crl_problem *problem,
                   uint64_t seed, struct crl_diag *diag);
void crl_oracle_free(struct crl_oracle *oracle); // NULL is allowed
// In which order the sums are made: what crl_explain_sum says of each chunk.
struct crl_orders {
    uint32_t chunks;
    struct crl_terms *terms; // [chunks]
    uint32_t *ends;          // [chunks][nodes]
    uint64_t *value;         // room for as many as the most terms of a chunk
};
// Sums of floating-point numbers must be those of these orders, which must stay alive, to the bit. Without: near enough
// to the exact sum, and, where all nodes want the same one, equal. For problems with sums.
void crl_oracle_order(struct crl_oracle *oracle, const struct crl_orders *orders);
// Judges words first…first+count−1 of every packet, if nothing bad was found yet. They come in order, each once. Those
// of the round that follows, with the payloads of the next seed, count on from the packet's last word.
void crl_oracle_words(struct crl_oracle *oracle, crl_memory_fn *memory, void *user, uint32_t first, uint32_t count);
// As above, of `rounds` rounds: "missing", too, where not all of their words were judged.
const char *crl_oracle_verdict(const struct crl_oracle *oracle, uint32_t rounds, struct crl_diag *where);

#endif
