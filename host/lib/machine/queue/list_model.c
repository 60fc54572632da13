// SPDX-License-Identifier: Apache-2.0
// With one class a packet joins all its FIFOs at once, so their order is that of one list of stored packets a node,
// each with the mask of ports for which it still waits: the head of a port's FIFO is the first in the list with its
// bit. A slot of a node is one walk along the list. Long lists (a load that is too high) are walked by blocks, each
// with the union of its masks, and from where the last of each port was: no port is looked for before that.
#include "base/pool.h"
#include "machine/queue/queue.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8, SIZE_MIN = 16 }; // a block is a cache line

struct item {
    uint32_t word, ports; // ports: 0: it has left
};

struct list {
    struct item *ring;
    uint16_t *any;                      // union of the masks of each block of the ring
    uint64_t from[CRL_QUEUE_PORTS_MAX]; // nothing before it waits for this port
    uint64_t head, tail;                // count on and on; what is in between is stored
    uint32_t size;                      // of the ring, a power of two
    uint32_t used;                      // items that have not left
};

struct crl_list_model {
    struct crl_pool pool;
    const struct crl_queue_tables *tables;
    uint32_t depth;                    // 0: unlimited
    struct list *list;                 // [nodes]
    uint32_t *freed, *stored;          // [nodes] items that left in this slot; stored at its start
    uint32_t *sent, *came, *delivered; // [nodes] masks of ports
    uint32_t *word;                    // [nodes][ports]
    uint64_t dropped, faults;
};

bool crl_list_model_fits(const struct crl_queue_tables *t)
{
    bool fits = t->classes == 1 && t->period == 1 && !t->loops && !t->blocking;
    for (size_t i = 0; fits && i < (size_t)t->tables * t->ports; i++)
        fits = t->gate[i].mode == CRL_GATE_ORDER && t->gate[i].a == 0;
    return fits;
}

// Makes room for `more` items.
static inline bool reserve(struct list *list, uint32_t more)
{
    uint64_t count = list->tail - list->head;
    // All of the first block's places count: it is walked as a whole.
    if (count + more + BLOCK <= list->size) return true;
    uint32_t size = list->size ? 2 * list->size : SIZE_MIN;
    while (count + more + BLOCK > size) size *= 2;
    struct item *ring = aligned_alloc(64, size * sizeof *ring);
    uint16_t *any = calloc(size / BLOCK, sizeof *any);
    if (!ring || !any) {
        CRL_FREE(ring, any);
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        ring[i] = list->ring[(list->head + i) & (list->size - 1)];
        any[i / BLOCK] |= (uint16_t)ring[i].ports;
    }
    CRL_FREE(list->ring, list->any);
    for (uint32_t p = 0; p < CRL_QUEUE_PORTS_MAX; p++)
        list->from[p] = list->from[p] > list->head ? list->from[p] - list->head : 0;
    list->ring = ring;
    list->any = any;
    list->head = 0;
    list->tail = count;
    list->size = size;
    return true;
}

// The first place at which something may wait for one of these ports.
static uint64_t first_for(const struct list *list, uint32_t ports)
{
    uint64_t first = list->tail;
    for (; ports; ports &= ports - 1) {
        uint64_t from = list->from[__builtin_ctz(ports)];
        if (from < first) first = from;
    }
    return first;
}

// Sends what may leave a node by each port.
static void send_items(struct crl_list_model *m, uint32_t node)
{
    struct list *list = &m->list[node];
    uint32_t *word = m->word + (size_t)node * m->tables->ports;
    uint32_t all = (1u << m->tables->ports) - 1, open = all, freed = 0, mask = list->size - 1;
    for (uint64_t first = list->head; first < list->tail && open;) {
        uint64_t end = first / BLOCK * BLOCK + BLOCK;
        uint16_t *any = &list->any[(first & mask) / BLOCK];
        if (end > list->tail) end = list->tail;
        if (!(*any & open)) {
            uint64_t next = first_for(list, open) / BLOCK * BLOCK; // blocks are walked as a whole
            first = next > end ? next : end;
            continue;
        }
        uint32_t left = 0;
        for (; first < end; first++) {
            struct item *item = &list->ring[first & mask];
            uint32_t leaves = item->ports & open;
            open &= ~leaves;
            freed += leaves && leaves == item->ports;
            left |= item->ports &= ~leaves;
            for (; leaves; leaves &= leaves - 1) {
                uint32_t p = (uint32_t)__builtin_ctz(leaves);
                word[p] = item->word;
                list->from[p] = first;
                m->came[node ^ 1u << p] |= 1u << p;
            }
        }
        *any = (uint16_t)left;
    }
    for (uint32_t none = open; none; none &= none - 1) list->from[__builtin_ctz(none)] = list->tail;
    m->sent[node] = all & ~open;
    m->freed[node] = freed;
    while (list->head < list->tail && !list->ring[list->head & mask].ports) list->head++;
}

// Without a branch on whether the packet goes on, which is as good as random. There is room for it.
static inline void store(struct crl_list_model *m, struct list *list, const struct crl_forward *f, uint32_t word)
{
    bool full = m->depth && list->used >= m->depth, stays = f->ports && !full;
    uint32_t at = (uint32_t)list->tail & (list->size - 1);
    uint16_t ports = stays ? f->ports : 0;
    m->dropped += f->ports && full;
    list->ring[at] = (struct item){word, ports};
    list->any[at / BLOCK] |= ports;
    list->tail += stays;
    list->used += stays;
}

static bool receive(struct crl_list_model *m, uint32_t node)
{
    const struct crl_queue_tables *t = m->tables;
    const struct crl_forward *forward = crl_queue_forward(t, t->node_table[node], 0);
    struct list *list = &m->list[node];
    uint32_t came = m->came[node], delivered = 0;
    if (!reserve(list, t->ports)) return false;
    while (came) {
        uint32_t p = 31 - (uint32_t)__builtin_clz(came);
        uint32_t word = m->word[(size_t)(node ^ 1u << p) * t->ports + p];
        const struct crl_forward *f = &forward[crl_packet_tree(word) * (t->ports + 2) + p];
        came ^= 1u << p;
        m->faults += !f->take;
        delivered |= (uint32_t)f->deliver << p;
        store(m, list, f, word);
    }
    m->delivered[node] = delivered;
    return true;
}

static int step(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic)
{
    struct crl_list_model *m = self;
    const struct crl_queue_tables *t = m->tables;
    memset(m->came, 0, t->nodes * sizeof *m->came);
    for (uint32_t v = 0; v < t->nodes; v++) {
        m->stored[v] = m->list[v].used;
        send_items(m, v);
    }
    for (uint32_t v = 0; v < t->nodes; v++)
        if (!receive(m, v)) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < stimulus->count; i++) {
        const struct crl_own *own = &stimulus->own[i];
        struct list *list = &m->list[own->node];
        if (!reserve(list, 1)) return CRL_ERR_MEMORY;
        store(m, list, &crl_queue_forward(t, t->node_table[own->node], crl_packet_tree(own->word))[t->ports],
              own->word);
    }
    for (uint32_t v = 0; v < t->nodes; v++) m->list[v].used -= m->freed[v];
    *traffic = (struct crl_traffic){.sent = m->sent,
                                    .word = m->word,
                                    .delivered = m->delivered,
                                    .stored = m->stored,
                                    .dropped = m->dropped,
                                    .faults = m->faults};
    return 0;
}

int crl_list_model_new(struct crl_list_model **out, const struct crl_queue_tables *t, uint32_t depth,
                       struct crl_diag *diag)
{
    struct crl_list_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    size_t n = t->nodes;
    m->tables = t;
    m->depth = depth;
    CRL_ZEROED(&m->pool, m->list, n);
    CRL_NUMBERS(&m->pool, n, &m->freed, &m->stored, &m->sent, &m->came, &m->delivered);
    CRL_NUMBERS(&m->pool, n * t->ports, &m->word);
    if (crl_pool_error(&m->pool)) return crl_fail_memory(diag);
    return 0;
}

void crl_list_model_free(struct crl_list_model *m)
{
    if (!m) return;
    for (uint32_t v = 0; m->list && v < m->tables->nodes; v++) CRL_FREE(m->list[v].ring, m->list[v].any);
    crl_pool_done(&m->pool);
    free(m);
}

struct crl_queue_engine crl_list_model_engine(struct crl_list_model *model)
{
    return (struct crl_queue_engine){.self = model, .step = step};
}
