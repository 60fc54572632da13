// SPDX-License-Identifier: Apache-2.0
// The model of queue control: plays docs/formats/queue.md slot by slot, all nodes' sends first, then all arrivals.
#include "machine/queue/queue.h"
#include "base/base.h"
#include "base/pool.h"
#include <stdlib.h>
#include <string.h>

// A stored packet and the number of FIFOs in which it waits.
struct entry {
    uint32_t word;
    uint16_t waiting;
    uint8_t class; // blocking: its buffer
};

struct crl_queue_model {
    struct crl_pool pool;
    struct crl_list_model *list; // plays tables that it fits; nothing else here is used then
    const struct crl_queue_tables *tables;
    uint32_t depth; // 0: unlimited
    uint64_t slot;
    struct crl_ring *fifo;             // [nodes][classes][ports], then [nodes][trees] loop-back queues
    uint16_t *ready;                   // [nodes][classes] mask of ports whose FIFO holds something
    uint8_t *second;                   // [nodes][ports] of the coin's pair
    struct entry *entry;               // those in use and those in `spare`
    uint32_t *spare;                   // numbers of unused entries
    uint32_t entries, spares;          // how many there are
    uint32_t *used, *freed, *stored;   // [nodes] entries now; freed in this slot; at its start
    uint32_t *buffer;                  // blocking: [nodes][trees][classes] entries at the start of the slot …
    uint32_t *buffer_freed;            // … and what left of them since
    uint32_t *accept;                  // blocking: [nodes] mask of ports
    uint32_t *sent, *came, *delivered; // [nodes] masks of ports
    uint32_t *word;                    // [nodes][ports]
    uint8_t *taken;                    // blocking: [nodes] as the stimulus is listed
    uint64_t dropped, faults;
    bool failed; // out of memory
};

static struct crl_ring *link_fifo(const struct crl_queue_model *m, uint32_t node, uint32_t class, uint32_t port)
{
    return m->fifo + ((size_t)node * m->tables->classes + class) * m->tables->ports + port;
}

static struct crl_ring *loop_fifo(const struct crl_queue_model *m, uint32_t node, uint32_t tree)
{
    const struct crl_queue_tables *t = m->tables;
    return m->fifo + (size_t)t->nodes * t->classes * t->ports + (size_t)node * t->trees + tree;
}

bool crl_ring_grow(struct crl_ring *r)
{
    uint32_t size = r->ring ? 2 * (r->mask + 1) : 4, *ring = malloc(size * sizeof *ring);
    if (!ring) return false;
    for (uint32_t i = 0; i < r->count; i++) ring[i] = r->ring[(r->head + i) & r->mask];
    free(r->ring);
    *r = (struct crl_ring){.ring = ring, .count = r->count, .mask = size - 1};
    return true;
}

static inline void push(struct crl_queue_model *m, struct crl_ring *fifo, uint32_t number)
{
    m->failed |= !crl_ring_push(fifo, number);
}

static const struct entry *head(const struct crl_queue_model *m, const struct crl_ring *fifo)
{
    return &m->entry[fifo->ring[fifo->head]];
}

// A new entry, or UINT32_MAX without memory.
static uint32_t entry_new(struct crl_queue_model *m)
{
    if (!m->spares) {
        uint32_t more = m->entries ? m->entries : 1024;
        if (CRL_RESIZE(m->entries + more, {&m->entry, sizeof *m->entry}, {&m->spare, sizeof *m->spare})) {
            m->failed = true;
            return UINT32_MAX;
        }
        for (uint32_t i = more; i-- > 0;) m->spare[m->spares++] = m->entries + i;
        m->entries += more;
    }
    return m->spare[--m->spares];
}

static uint32_t *buffer_of(uint32_t *array, const struct crl_queue_model *m, uint32_t node, uint32_t tree,
                           uint32_t class)
{
    return array + ((size_t)node * m->tables->trees + tree) * m->tables->classes + class;
}

static void leave(struct crl_queue_model *m, uint32_t node, uint32_t number)
{
    struct entry *e = &m->entry[number];
    if (--e->waiting) return;
    m->freed[node]++;
    if (m->buffer) ++*buffer_of(m->buffer_freed, m, node, crl_packet_tree(e->word), e->class);
    m->spare[m->spares++] = number;
}

// ---- sending

enum { NOTHING = CRL_GATE_NO_CLASS };

static uint32_t rotate_right(uint32_t x, uint32_t by, uint32_t bits)
{
    return by ? (x >> by | x << (bits - by)) & ((1u << bits) - 1) : x;
}

// The class a port serves in this slot, or NOTHING.
static uint32_t choose(struct crl_queue_model *m, uint32_t node, uint32_t port, const struct crl_gate *gate)
{
    const uint16_t *ready = m->ready + (size_t)node * m->tables->classes;
    if (gate->mode == CRL_GATE_ORDER && ready[gate->a] >> port & 1) return gate->a; // the most common case
    bool a = gate->mode && ready[gate->a] >> port & 1;
    bool b = gate->mode && gate->b != CRL_GATE_NO_CLASS && ready[gate->b] >> port & 1;
    uint8_t *second = m->second + (size_t)node * m->tables->ports + port;
    uint32_t class = NOTHING, word;
    switch ((enum crl_gate_mode)gate->mode) {
    case CRL_GATE_CLOSED: break;
    case CRL_GATE_ORDER: class = a ? gate->a : b ? gate->b : NOTHING; break;
    case CRL_GATE_COIN_FIRST: {
        uint8_t x = a ? gate->a : gate->b, other = a && b ? gate->b : NOTHING;
        *second = NOTHING;
        if (!a && !b) break;
        bool coin = crl_packet_coin(head(m, link_fifo(m, node, x, port))->word);
        class = coin ? other : x;
        *second = coin ? x : other;
        break;
    }
    case CRL_GATE_COIN_SECOND:
        class = *second;
        *second = NOTHING;
        if (class != NOTHING && !(ready[class] >> port & 1)) class = NOTHING;
        break;
    case CRL_GATE_POSITION:
        if (!a) break;
        word = head(m, link_fifo(m, node, gate->a, port))->word;
        if (rotate_right(crl_packet_origin(word) ^ node, crl_packet_tree(word), m->tables->ports) == gate->position)
            class = gate->a;
        break;
    }
    return class;
}

static void send_head(struct crl_queue_model *m, uint32_t node, uint32_t port, uint32_t class)
{
    struct crl_ring *fifo = link_fifo(m, node, class, port);
    uint32_t number = crl_ring_pop(fifo), d = m->tables->ports;
    if (!fifo->count) m->ready[(size_t)node * m->tables->classes + class] &= (uint16_t) ~(1u << port);
    m->word[(size_t)node * d + port] = m->entry[number].word;
    m->sent[node] |= 1u << port;
    m->came[node ^ 1u << port] |= 1u << port;
    leave(m, node, number);
}

static void send_all(struct crl_queue_model *m, uint32_t row, const uint8_t *stalled)
{
    const struct crl_queue_tables *t = m->tables;
    memset(m->came, 0, t->nodes * sizeof *m->came);
    for (uint32_t v = 0; v < t->nodes; v++) {
        const struct crl_gate *gates = crl_queue_gate(t, t->node_table[v], row);
        uint32_t candidates = 0;
        for (uint32_t c = 0; c < t->classes; c++) candidates |= m->ready[(size_t)v * t->classes + c];
        m->stored[v] = m->used[v];
        m->sent[v] = 0;
        if (stalled && stalled[v]) continue;
        for (; candidates; candidates &= candidates - 1) {
            uint32_t p = (uint32_t)__builtin_ctz(candidates);
            if (m->accept && !(m->accept[v ^ 1u << p] >> p & 1)) continue;
            uint32_t class = choose(m, v, p, &gates[p]);
            if (class != NOTHING) send_head(m, v, p, class);
        }
    }
}

// ---- arrivals

static inline void join(struct crl_queue_model *m, uint32_t node, const struct crl_forward *f, uint32_t number,
                        uint32_t tree)
{
    struct crl_ring *fifo = link_fifo(m, node, f->class, 0);
    uint32_t waiting = f->loop;
    for (uint32_t ports = f->ports; ports; ports &= ports - 1, waiting++) push(m, fifo + __builtin_ctz(ports), number);
    m->entry[number].waiting += (uint16_t)waiting;
    m->ready[(size_t)node * m->tables->classes + f->class] |= f->ports;
    if (f->loop) push(m, loop_fifo(m, node, tree), number);
}

static inline void store(struct crl_queue_model *m, uint32_t node, const struct crl_forward *f, uint32_t word)
{
    uint32_t tree = crl_packet_tree(word);
    if (!f->ports && !f->loop) return;
    if (!m->buffer && m->depth && m->used[node] >= m->depth) {
        m->dropped++;
        return;
    }
    uint32_t number = entry_new(m);
    if (number == UINT32_MAX) return;
    m->used[node]++;
    m->entry[number] = (struct entry){.word = word, .class = f->class};
    if (m->buffer) ++*buffer_of(m->buffer, m, node, tree, f->class);
    join(m, node, f, number, tree);
}

static void loop_back(struct crl_queue_model *m, uint32_t node)
{
    const struct crl_queue_tables *t = m->tables;
    for (uint32_t k = t->trees; k-- > 0;) {
        struct crl_ring *fifo = loop_fifo(m, node, k);
        if (!fifo->count) continue;
        uint32_t number = crl_ring_pop(fifo);
        join(m, node, &crl_queue_forward(t, t->node_table[node], k)[t->ports + 1], number, k);
        leave(m, node, number);
    }
}

static void receive(struct crl_queue_model *m, uint32_t node)
{
    const struct crl_queue_tables *t = m->tables;
    uint32_t delivered = 0;
    for (uint32_t came = m->came[node]; came;) {
        uint32_t p = 31 - (uint32_t)__builtin_clz(came);
        uint32_t word = m->word[(size_t)(node ^ 1u << p) * t->ports + p];
        const struct crl_forward *f = &crl_queue_forward(t, t->node_table[node], crl_packet_tree(word))[p];
        came &= ~(1u << p);
        if (f->take) {
            delivered |= (uint32_t)f->deliver << p;
            store(m, node, f, word);
        } else {
            m->faults++;
        }
    }
    m->delivered[node] = delivered;
}

static void take_own(struct crl_queue_model *m, const struct crl_stimulus *stimulus)
{
    const struct crl_queue_tables *t = m->tables;
    for (size_t i = 0; i < stimulus->count; i++) {
        const struct crl_own *own = &stimulus->own[i];
        uint32_t tree = crl_packet_tree(own->word), v = own->node;
        const struct crl_forward *f = &crl_queue_forward(t, t->node_table[v], tree)[t->ports];
        if (m->buffer) {
            m->taken[i] =
                !(stimulus->stalled && stimulus->stalled[v]) && *buffer_of(m->buffer, m, v, tree, f->class) < m->depth;
            if (!m->taken[i]) continue;
        }
        store(m, v, f, own->word);
    }
}

// ---- blocking

// Which ports of a node may be sent to, from the state at the start of the slot.
static uint32_t accept_mask(struct crl_queue_model *m, uint32_t node, uint32_t row)
{
    const struct crl_queue_tables *t = m->tables;
    const uint8_t *tree = crl_queue_accept(t, t->node_table[node], row);
    uint32_t mask = 0, first = (uint32_t)(m->slot / t->period % t->ports);
    uint32_t granted[CRL_QUEUE_PORTS_MAX][CRL_QUEUE_CLASSES_MAX] = {{0}};
    for (uint32_t i = 0; i < t->ports; i++) {
        uint32_t p = (first + i) % t->ports;
        if (tree[p] == CRL_GATE_NO_TREE) continue;
        const struct crl_forward *f = &crl_queue_forward(t, t->node_table[node], tree[p])[p];
        if (f->ports && *buffer_of(m->buffer, m, node, tree[p], f->class) + granted[tree[p]][f->class] >= m->depth)
            continue;
        granted[tree[p]][f->class] += f->ports != 0;
        mask |= 1u << p;
    }
    return mask;
}

static void settle(struct crl_queue_model *m)
{
    const struct crl_queue_tables *t = m->tables;
    for (uint32_t v = 0; v < t->nodes; v++) {
        m->used[v] -= m->freed[v];
        m->freed[v] = 0;
    }
    size_t buffers = m->buffer ? (size_t)t->nodes * t->trees * t->classes : 0;
    for (size_t i = 0; i < buffers; i++) {
        m->buffer[i] -= m->buffer_freed[i];
        m->buffer_freed[i] = 0;
    }
}

static int step(void *self, const struct crl_stimulus *stimulus, struct crl_traffic *traffic)
{
    struct crl_queue_model *m = self;
    const struct crl_queue_tables *t = m->tables;
    uint32_t row = (uint32_t)(++m->slot % t->period);
    for (uint32_t v = 0; m->accept && v < t->nodes; v++)
        m->accept[v] = stimulus->stalled && stimulus->stalled[v] ? 0 : accept_mask(m, v, row);
    send_all(m, row, stimulus->stalled);
    for (uint32_t v = 0; v < t->nodes; v++) {
        if (t->loops && t->loop_gate[row]) loop_back(m, v);
        receive(m, v);
    }
    take_own(m, stimulus);
    settle(m);
    *traffic = (struct crl_traffic){.sent = m->sent,
                                    .word = m->word,
                                    .delivered = m->delivered,
                                    .stored = m->stored,
                                    .taken = m->taken,
                                    .dropped = m->dropped,
                                    .faults = m->faults};
    return m->failed ? CRL_ERR_MEMORY : 0;
}

// ---- life

static size_t fifos(const struct crl_queue_tables *t) { return (size_t)t->nodes * (t->classes * t->ports + t->trees); }

int crl_queue_model_new(struct crl_queue_model **out, const struct crl_queue_tables *t, uint32_t depth,
                        struct crl_diag *diag)
{
    struct crl_queue_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    if (t->blocking && !depth) return crl_fail(diag, CRL_ERR_ARGUMENT, "buffers that block need a depth of at least 1");
    m->tables = t;
    if (crl_list_model_fits(t)) return crl_list_model_new(&m->list, t, depth, diag);
    size_t n = t->nodes, buffers = n * t->trees * t->classes;
    m->depth = depth;
    CRL_ZEROED(&m->pool, m->fifo, fifos(t));
    CRL_ZEROED(&m->pool, m->ready, n * t->classes);
    CRL_NEW(&m->pool, m->second, n * t->ports);
    CRL_NUMBERS(&m->pool, n, &m->used, &m->freed, &m->stored, &m->sent, &m->came, &m->delivered);
    CRL_NUMBERS(&m->pool, n * t->ports, &m->word);
    if (t->blocking) {
        CRL_NUMBERS(&m->pool, buffers, &m->buffer, &m->buffer_freed);
        CRL_NUMBERS(&m->pool, n, &m->accept);
        CRL_ZEROED(&m->pool, m->taken, n);
    }
    if (crl_pool_error(&m->pool)) return crl_fail_memory(diag);
    memset(m->second, NOTHING, n * t->ports);
    return 0;
}

void crl_queue_model_free(struct crl_queue_model *m)
{
    if (!m) return;
    for (size_t i = 0; m->fifo && i < fifos(m->tables); i++) free(m->fifo[i].ring);
    CRL_FREE(m->entry, m->spare);
    crl_pool_done(&m->pool);
    crl_list_model_free(m->list);
    free(m);
}

struct crl_queue_engine crl_queue_model_engine(struct crl_queue_model *model)
{
    if (model->list) return crl_list_model_engine(model->list);
    return (struct crl_queue_engine){.self = model, .step = step};
}
