// SPDX-License-Identifier: Apache-2.0
// Nodes under queue control on a board. It is given the packets of some slots, plays these, and shows them one by one.
#include "board/live.h"
#include "machine/queue/queue.h"
#include <stdlib.h>

enum { PORTS = 3, NODES = 1 << PORTS, TREES = 3, WINDOW = CRL_LIVE_SLOTS };
// A word of a link or the list, {tree, origin, sequence}: of sequence numbers the low bits.
enum { SEQUENCES = 256, ORIGIN_AT = 8, TREE_AT = ORIGIN_AT + PORTS };
// What a node did in a slot: {fault, stored, delivered, sent}.
enum { DELIVERED_AT = 3, STORED_AT = 6, FAULT_AT = 13, FULL = 1 << FAULT_AT };

struct crl_board_queue {
    struct crl_board *board;
    uint32_t word_of[NODES][SEQUENCES]; // whole words of the packets that may be under way
    uint16_t record[WINDOW][NODES][1 + PORTS];
    uint32_t slots, next; // in the window
    uint64_t played;      // slots shown
    uint32_t sent[NODES], delivered[NODES], stored[NODES], word[NODES * PORTS];
    struct crl_diag why;
};

static bool has_one_gate(const struct crl_queue_tables *t)
{
    for (size_t i = 0; i < (size_t)t->tables * t->period * t->ports; i++)
        if (t->gate[i].mode != CRL_GATE_ORDER || t->gate[i].a || t->gate[i].b != CRL_GATE_NO_CLASS) return false;
    return true;
}

static int fits(const struct crl_queue_tables *t, struct crl_diag *diag)
{
    if (t->ports == PORTS && t->trees <= TREES && t->classes == 1 && !t->loops && !t->blocking && t->tables == 1 &&
        has_one_gate(t))
        return 0;
    return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                    "the board of queues plays schemes on hypercube:3 whose nodes are all alike, with one queue a port "
                    "that is always served, as direct is; not %s on %s",
                    t->scheme, t->topology);
}

static int load(struct crl_board_queue *q, const struct crl_queue_tables *t, struct crl_diag *diag)
{
    enum { ARRIVALS = 8 }; // rows a tree has room for
    uint16_t rows[TREES * ARRIVALS] = {0};
    for (uint32_t k = 0; k < t->trees; k++)
        for (uint32_t a = 0; a < PORTS + 2; a++)
            rows[k * ARRIVALS + a] = (uint16_t)crl_forward_row(t, crl_queue_forward(t, 0, k) + a);
    int error = crl_live_load(q->board, 0, rows, TREES * ARRIVALS, diag);
    return error ? error : crl_live_use(q->board, diag);
}

int crl_board_queue_new(struct crl_board_queue **out, struct crl_board *board, const struct crl_queue_tables *tables,
                        struct crl_diag *diag)
{
    *out = NULL;
    int error = fits(tables, diag);
    if (!error) error = crl_live_begin(board, "hx8k_queue", diag);
    if (error) return error;
    struct crl_board_queue *q = *out = calloc(1, sizeof *q);
    if (!q) return crl_fail_memory(diag);
    q->board = board;
    return load(q, tables, diag);
}

void crl_board_queue_free(struct crl_board_queue *queue) { free(queue); }

static uint16_t narrow(const struct crl_own *own)
{
    return (uint16_t)(crl_packet_tree(own->word) << TREE_AT | crl_packet_origin(own->word) << ORIGIN_AT |
                      (crl_packet_sequence(own->word) & (SEQUENCES - 1)));
}

// What a link's word is of: the rest of it is that of the packet its origin sent last with this number.
static uint32_t whole(const struct crl_board_queue *q, uint32_t word)
{
    uint32_t known = q->word_of[word >> ORIGIN_AT & (NODES - 1)][word & (SEQUENCES - 1)];
    return crl_packet_word(word >> TREE_AT, crl_packet_coin(known), crl_packet_origin(known),
                           crl_packet_sequence(known));
}

// As many slots as the list has room for.
static int play_some(struct crl_board_queue *q, const struct crl_stimulus *stimuli, uint32_t count)
{
    uint16_t list[CRL_LIVE_LIST];
    size_t words = 0;
    uint32_t slots = 0;
    while (slots < count && words + stimuli[slots].count + 1 <= CRL_LIVE_LIST) {
        for (size_t i = 0; i < stimuli[slots].count; i++) {
            const struct crl_own *own = &stimuli[slots].own[i];
            q->word_of[own->node][crl_packet_sequence(own->word) & (SEQUENCES - 1)] = own->word;
            list[words++] = narrow(own);
        }
        list[words++] = CRL_LIVE_END;
        slots++;
    }
    int error = crl_live_play(q->board, list, words, slots, q->record[q->slots][0], &q->why);
    q->slots += slots;
    return error;
}

static int ahead(void *self, const struct crl_stimulus *stimuli, uint32_t count)
{
    struct crl_board_queue *q = self;
    int error = 0;
    q->slots = q->next = 0;
    while (!error && q->slots < count) error = play_some(q, stimuli + q->slots, count - q->slots);
    return error;
}

static int step(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic)
{
    struct crl_board_queue *q = self;
    (void)stimulus; // it was played already
    uint64_t strange = 0;
    q->played++;
    for (uint32_t v = 0; v < NODES; v++) {
        const uint16_t *did = q->record[q->next][v];
        if (*did & FULL)
            return crl_fail(&q->why, CRL_ERR_LIMIT,
                            "slot %llu: node %u of the board had no room for a packet, it stores %d; lower --rho",
                            (unsigned long long)q->played, v, CRL_BOARD_QUEUE_DEPTH);
        q->sent[v] = *did & ((1 << PORTS) - 1);
        q->delivered[v] = *did >> DELIVERED_AT & ((1 << PORTS) - 1);
        q->stored[v] = *did >> STORED_AT & 127;
        strange += *did >> FAULT_AT != 0;
        for (uint32_t p = 0; p < PORTS; p++)
            if (q->sent[v] >> p & 1) q->word[v * PORTS + p] = whole(q, did[1 + p]);
    }
    q->next++;
    *traffic = (struct crl_traffic){
        .sent = q->sent, .word = q->word, .delivered = q->delivered, .stored = q->stored, .faults = strange};
    return 0;
}

static void explain(void *self, struct crl_diag *diag)
{
    const struct crl_board_queue *q = self;
    if (diag) *diag = q->why;
}

struct crl_queue_engine crl_board_queue_engine(struct crl_board_queue *queue)
{
    return (struct crl_queue_engine){.self = queue, .step = step, .explain = explain, .window = WINDOW, .ahead = ahead};
}
