// SPDX-License-Identifier: Apache-2.0
// Rows and images of LogP machines. A clock cycle is a unit of time, a row a cycle; docs/formats/logp.md says what a
// row means.
#ifndef CRL_LOGP_IMAGE_H
#define CRL_LOGP_IMAGE_H

#include "image/store.h"
#include "machine/logp/schedule.h"

// What the hardware takes: processors on the largest crossbar, and its longest latency.
enum { CRL_LOGP_PLAY_P_MAX = 256, CRL_LOGP_PLAY_L_MAX = 64 };

struct crl_logp_geometry {
    uint32_t name_width; // bits of a destination
    uint32_t data_width; // bits of a word: 8, 16, 32 or 64
    uint32_t addr_width; // bits of a bank address
    uint32_t rows;       // of a table
    uint32_t words;      // of an item; the table is played once a word
};

// Where the word that leaves comes from.
enum crl_logp_what {
    CRL_LOGP_STORED = 0, // the bank
    CRL_LOGP_TAKEN = 1,  // the word taken in this row
    CRL_LOGP_LAST = 2,   // the word taken in the row before
    CRL_LOGP_PART = 4,   // the combination of what was received
    CRL_LOGP_TOTAL = 5,  // that with the own value
};
// What happens to an accumulator.
enum crl_logp_act { CRL_LOGP_KEEP = 0, CRL_LOGP_LOAD = 1, CRL_LOGP_COMBINE = 3 };

// A row as fields, in the order of their bits after the parity.
struct crl_logp_row {
    uint32_t send, what;         // what: enum crl_logp_what
    uint32_t expect;             // bit 0: a word arrives, bit 1: a second one; the first is that of the lower sender
    uint32_t hold, held, swap;   // put one into the holding register; take that of the register; take the second
    uint32_t store, store_total; // write the bank; with the total rather than the word taken
    uint32_t operand;            // of the accumulators: 0 the word taken, 1 the word read from the bank
    uint32_t part, total;        // enum crl_logp_act
    uint32_t dest, raddr, waddr;
};

uint32_t crl_logp_row_bits(const struct crl_logp_geometry *geometry);
uint32_t crl_logp_row_words(const struct crl_logp_geometry *geometry); // 32-bit words of a packed row, at most 4
void crl_logp_row_pack(const struct crl_logp_geometry *geometry, const struct crl_logp_row *row, uint32_t *bits);
// False: bad parity.
bool crl_logp_row_unpack(const struct crl_logp_geometry *geometry, const uint32_t *bits, struct crl_logp_row *row);
// Marks the bits of a row that act on anything; `mask` has crl_logp_row_words words.
void crl_logp_row_used(const struct crl_logp_geometry *geometry, const struct crl_logp_row *row, uint32_t *mask);

// Where an item lies in a processor. What a combination is made of is numbered, too: the value of processor v is v, and
// the operands of a summation are numbered through, processor by processor; the result is 0.
struct crl_logp_place {
    uint32_t item, addr;
};
struct crl_logp_places {
    uint32_t count;
    struct crl_logp_place *place; // owned
};

// Everything that is needed to load, play and judge a schedule: a table and places for every processor.
struct crl_logp_image {
    struct crl_logp_geometry geometry;
    struct crl_logp_problem problem; // summation: `time` is when the sum is there, never 0
    char scheme[32];
    struct crl_row_store store;             // the rows of P tables
    struct crl_logp_places *before, *after; // [P]
};

void crl_logp_image_done(struct crl_logp_image *image);
const uint32_t *crl_logp_image_row(const struct crl_logp_image *image, uint32_t processor, uint32_t row);
int crl_logp_image_write(const struct crl_logp_image *image, FILE *file, struct crl_diag *diag);
// From an image file that crl_container_read has accepted; fails with CRL_ERR_PARSE unless it is of form CRL_FORM_LOGP
// and every number in it is possible.
int crl_logp_image_parse(struct crl_logp_image *image, const struct crl_container *container, struct crl_diag *diag);

// Compiles a checked schedule to tables and placements. `time` is that of the checker's report (summation only). Fails
// with CRL_ERR_UNSUPPORTED where the hardware cannot play it: L = 0, too many processors or too long a latency, two
// messages that wait at once.
int crl_logp_lower(struct crl_logp_image *image, const struct crl_logp_schedule *schedule,
                   const struct crl_logp_problem *problem, uint64_t time, const char *scheme, uint32_t words,
                   uint32_t data_width, struct crl_diag *diag);
// Reads the tables of an image back into a schedule, in canonical order, by following every word. Fails with
// CRL_ERR_MISMATCH where a table sends, combines or keeps something that is no item.
int crl_logp_raise(struct crl_logp_schedule *schedule, const struct crl_logp_image *image, struct crl_diag *diag);

#endif
