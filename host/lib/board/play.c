// SPDX-License-Identifier: Apache-2.0
// A schedule on a board: loaded through the link, played, its trace and memories read back.
#include "board/board.h"
#include "board/records.h"
#include "board/watch.h"
#include "base/base.h"
#include <stdlib.h>

enum { START_TRIES = 3 };

int crl_board_control(struct crl_board *b, enum crl_control_bit bit, const char *doing, struct crl_diag *diag)
{
    b->uart->doing = doing;
    return crl_link_set(&b->link, CRL_REG_CONTROL, (uint16_t)bit, diag);
}

static int adopt(struct crl_board *b, uint32_t identity, struct crl_diag *diag)
{
    struct crl_board_state state;
    int error = crl_board_control(b, CRL_CONTROL_ADOPT, "putting the schedule to use", diag);
    if (!error) error = crl_board_wait(b, CRL_STATUS_LOADING, 0, "putting the schedule to use", diag);
    if (!error) error = crl_board_state(b, &state, diag);
    if (!error && (!state.ready || state.identity != identity))
        error = crl_fail(diag, CRL_ERR_DEVICE, "the board did not accept the tables: %s",
                         crl_board_adopt_text(state.adopted));
    return error;
}

int crl_board_load(struct crl_board *b, const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                   struct crl_diag *diag)
{
    struct crl_records records;
    struct crl_record r;
    int error = crl_records_build(&records, crl_records_design(b->found.kind, image), image, problem, seed, diag);
    if (!error) error = crl_board_needs(b, records.design, diag);
    for (size_t at = 0; !error && crl_records_next(&records, &at, &r);) {
        static const char doing[] = "loading the schedule";
        b->uart->doing = doing;
        if (r.addr != CRL_REGION_NOTES) error = crl_link_write(&b->link, r.addr, r.words, r.count, diag);
        if (!error) error = crl_board_step(b->watch, doing, at, records.count, diag);
    }
    if (!error) error = adopt(b, records.identity, diag);
    crl_records_done(&records);
    return error;
}

// ---- play

// Addresses of a packet memory that the image names.
static uint32_t depth_of(const struct crl_image *image)
{
    uint32_t depth = crl_places_depth(image->before, image->place_sets, 1);
    depth = crl_places_depth(image->after, image->place_sets, depth);
    for (uint32_t i = 0; i < image->zeros; i++)
        if (image->zero[i].addr >= depth) depth = image->zero[i].addr + 1;
    return depth < CRL_BOARD_ADDRS ? depth : CRL_BOARD_ADDRS;
}

// What a round starts from. The board plays packets of several words as it has them: a word a round, each in the only
// page there is.
struct start {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t seed;
    uint32_t word, rounds;
};

// Garbage lies wherever a packet must arrive, so that an earlier run's packets are not taken for this one's.
static int fill(struct crl_board *b, const struct start *s, struct crl_diag *diag)
{
    static const char doing[] = "filling the packet memories";
    uint32_t depth = depth_of(s->image), nodes = b->design->nodes;
    CRL_OWNED uint64_t *memory = calloc((size_t)s->image->geometry.words * depth, sizeof *memory);
    uint16_t words[CRL_BOARD_ADDRS];
    int error = memory ? 0 : crl_fail_memory(diag);
    b->uart->doing = doing;
    for (uint32_t v = 0; v < nodes && !error; v++) {
        crl_fill_memory(s->image, s->problem, s->seed, v, depth, memory);
        for (uint32_t a = 0; a < depth; a++) words[a] = (uint16_t)memory[(size_t)s->word * depth + a];
        error = crl_link_write(&b->link, CRL_REGION_PACKETS + v * CRL_BOARD_ADDRS, words, depth, diag);
        if (!error) error = crl_board_step(b->watch, doing, v + 1, nodes, diag);
    }
    return error;
}

// Fills and starts. A start whose reply got lost may have played already and moved the packets: all is done again then.
static int fill_and_start(struct crl_board *b, const struct start *s, struct crl_diag *diag)
{
    int error = 0;
    bool lost = true;
    for (int i = 0; i < START_TRIES && lost; i++) {
        if (i) error = crl_board_control(b, CRL_CONTROL_RESET, "ending a play", diag);
        else error = crl_board_control(b, CRL_CONTROL_CLEAR, "clearing faults", diag);
        lost = false;
        if (!error) error = fill(b, s, diag);
        if (!error) error = crl_link_set(&b->link, CRL_REG_ROUNDS, (uint16_t)s->rounds, diag);
        if (error) return error;
        b->uart->doing = "starting the play";
        error = crl_link_once(&b->link, CRL_REG_CONTROL, CRL_CONTROL_START, &lost, diag);
    }
    return error;
}

static uint32_t field(const uint16_t *line, uint32_t at, uint32_t bits)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) value |= (uint32_t)(line[(at + i) / 16] >> (at + i) % 16 & 1) << i;
    return value;
}

static int decode_trace(struct crl_board *b, uint32_t word, const uint16_t *lines, uint32_t shift, uint32_t cycles,
                        struct crl_diag *diag)
{
    enum { DATA_BITS = 16 };
    const struct crl_board_design *design = b->design;
    uint32_t port_bits = crl_board_port_bits(design), group = design->nodes / design->steps;
    for (uint32_t n = 0; n < cycles; n++)
        for (uint32_t v = 0; v < design->nodes; v++) {
            const uint16_t *line = lines + ((size_t)(n * design->steps + v / group) << shift);
            uint32_t at = v % group * (DATA_BITS + port_bits), port = field(line, at + DATA_BITS, port_bits);
            if (port == (UINT32_C(1) << port_bits) - 1) continue; // sent nothing
            if (port >= design->ports)
                return crl_fail(diag, CRL_ERR_DEVICE, "the board's trace names port %u of node %u in cycle %u", port, v,
                                n);
            size_t sent = ((size_t)word * b->rows + n) * design->nodes + v;
            b->valid[sent] |= UINT32_C(1) << port;
            b->data[sent * design->ports + port] = field(line, at, DATA_BITS);
        }
    return 0;
}

static int read_trace(struct crl_board *b, uint32_t word, struct crl_diag *diag)
{
    const struct crl_board_design *design = b->design;
    uint32_t shift = crl_bits_for(crl_board_trace_words(design));
    uint16_t cycles;
    b->uart->doing = "reading the trace";
    int error = crl_link_get(&b->link, CRL_REG_TRACE_CYCLES, &cycles, diag);
    if (error) return error;
    if (cycles > b->rows) // more than a round: compared as far as it goes
        cycles = (uint16_t)b->rows;
    size_t count = (size_t)cycles * design->steps << shift;
    CRL_OWNED uint16_t *lines = calloc(count + 1, sizeof *lines);
    if (!lines) return crl_fail_memory(diag);
    error = crl_link_read(&b->link, CRL_REGION_TRACE, lines, count, diag);
    if (!error) error = decode_trace(b, word, lines, shift, cycles, diag);
    return error;
}

// The first `depth` words of each memory; words is [nodes][CRL_BOARD_ADDRS].
static int read_memories(struct crl_board *b, uint16_t *words, uint32_t depth, struct crl_diag *diag)
{
    static const char doing[] = "reading the packet memories";
    uint32_t nodes = b->design->nodes;
    int error = 0;
    b->uart->doing = doing;
    for (uint32_t v = 0; v < nodes && !error; v++) {
        error = crl_link_read(&b->link, CRL_REGION_PACKETS + v * CRL_BOARD_ADDRS, words + (size_t)v * CRL_BOARD_ADDRS,
                              depth, diag);
        if (!error) error = crl_board_step(b->watch, doing, v + 1, nodes, diag);
    }
    return error;
}

int crl_board_read(struct crl_board *b, uint16_t **words, uint32_t *nodes, uint32_t *depth, struct crl_diag *diag)
{
    *depth = CRL_BOARD_ADDRS;
    *words = NULL;
    int error = crl_board_needs(b, NULL, diag);
    if (error) return error;
    *nodes = b->design->nodes;
    *words = calloc((size_t)*nodes * CRL_BOARD_ADDRS, sizeof **words);
    if (!*words) return crl_fail_memory(diag);
    error = read_memories(b, *words, *depth, diag);
    if (error) {
        free(*words);
        *words = NULL;
    }
    return error;
}

// Room for what a play leaves.
static int make_room(struct crl_board *b, const struct crl_geometry *g, struct crl_diag *diag)
{
    size_t sends = (size_t)g->words * g->rows * b->design->nodes;
    free(b->valid);
    free(b->data);
    free(b->memory);
    b->rows = g->rows;
    b->words = g->words;
    b->step = 0;
    b->valid = calloc(sends, sizeof *b->valid);
    b->data = calloc(sends * b->design->ports, sizeof *b->data);
    b->memory = calloc((size_t)g->words * b->design->nodes * CRL_BOARD_ADDRS, sizeof *b->memory);
    return b->valid && b->data && b->memory ? 0 : crl_fail_memory(diag);
}

static int check_in_use(struct crl_board *b, const struct crl_image *image, struct crl_diag *diag)
{
    struct crl_board_state state;
    uint32_t identity;
    const struct crl_board_design *design = crl_records_design(b->found.kind, image);
    int error = crl_records_fit(design, image, diag);
    if (!error) error = crl_board_identity(image, &identity, diag);
    if (!error) error = crl_board_needs(b, design, diag);
    if (!error) error = crl_board_state(b, &state, diag);
    if (error) return error;
    if (!state.ready)
        return crl_fail(
            diag, CRL_ERR_DEVICE,
            "the board has no schedule (when it started: bank 0 %s, bank 1 %s); after 'carillon board flash', "
            "'carillon board reset' starts the one in its flash; 'carillon board load' gives it one now",
            crl_board_bank_text(state.bank[0]), crl_board_bank_text(state.bank[1]));
    if (state.identity != identity || state.rows != image->geometry.rows)
        return crl_fail(diag, CRL_ERR_MISMATCH,
                        "the schedule in use is another one: the board has %08x from %s, the image is %08x; what has "
                        "been flashed since is used after 'carillon board reset'",
                        state.identity, crl_board_source_text(state.source), identity);
    return 0;
}

static int play_word(struct crl_board *b, const struct start *s, struct crl_diag *diag)
{
    int error = fill_and_start(b, s, diag);
    if (error || !s->rounds) return error;
    error = crl_board_wait(b, CRL_STATUS_PLAYING | CRL_STATUS_ENDED, CRL_STATUS_ENDED, "playing", diag);
    if (!error) error = read_trace(b, s->word, diag);
    uint16_t *memory = b->memory + (size_t)s->word * b->design->nodes * CRL_BOARD_ADDRS;
    return error ? error : read_memories(b, memory, depth_of(s->image), diag);
}

// Before the next word clears them.
static int check_faults(struct crl_board *b, uint32_t word, struct crl_diag *diag)
{
    uint16_t nodes;
    int error = crl_link_get(&b->link, CRL_REG_FAULT_NODES, &nodes, diag);
    if (error || !nodes) return error;
    return crl_fail(diag, CRL_ERR_MISMATCH,
                    "the guard reported faults at word %u of the packets (nodes %x); 'carillon board read' shows them",
                    word, nodes);
}

int crl_board_play(struct crl_board *b, const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                   uint32_t rounds, struct crl_diag *diag)
{
    uint32_t words = rounds ? image->geometry.words : 1;
    int error = check_in_use(b, image, diag);
    if (!error) error = make_room(b, &image->geometry, diag);
    for (uint32_t word = 0; !error && word < words; word++) {
        const struct start start = {image, problem, seed, word, rounds};
        error = play_word(b, &start, diag);
        if (!error && word + 1 < words) error = check_faults(b, word, diag);
    }
    return error;
}

static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_board *b = self;
    const struct crl_board_design *design = b->design;
    if (b->step == b->words * b->rows) return 1;
    *valid = b->valid + (size_t)b->step * design->nodes;
    *data = b->data + (size_t)b->step * design->nodes * design->ports;
    return ++b->step == b->words * b->rows;
}

struct crl_player crl_board_player(struct crl_board *board) { return (struct crl_player){.self = board, .step = step}; }

void crl_board_memory(void *board, uint32_t node, uint32_t count, uint32_t bank, uint32_t page, uint32_t addr,
                      uint64_t *words)
{
    const struct crl_board *b = board;
    bool has = !bank && page < b->words && addr < CRL_BOARD_ADDRS;
    for (uint32_t i = 0; i < count; i++)
        words[i] = has ? b->memory[((size_t)page * b->design->nodes + node + i) * CRL_BOARD_ADDRS + addr] : 0;
}
