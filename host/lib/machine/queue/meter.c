// SPDX-License-Identifier: Apache-2.0
// Measures a run and judges it by what nodes were handed: every packet at every other node exactly once. Where a tree
// has a root, a broadcast comes back to its origin, and is complete only then.
#include "trace/trace.h"
#include "machine/queue/queue.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A packet that has not reached all nodes.
struct live {
    double time;
    uint32_t missing;
    uint32_t batch; // CRL_NONE: not counted
};

// The unfinished packets of an origin in the order of their numbers; finished ones among them are CRL_NONE.
struct line {
    struct crl_ring packets;
    uint32_t first; // number of the packet at the head
};

struct crl_meter {
    const struct crl_queue_tables *tables;
    uint64_t warmup, slots, slot;
    uint32_t batches;
    uint32_t words;    // 64-bit words of a set of nodes
    struct line *line; // [nodes]
    struct live *live;
    uint64_t *reached; // [][words]
    uint32_t *spare;
    uint32_t lives, spares, unfinished;
    double delay[CRL_BATCHES];
    uint64_t finished[CRL_BATCHES], generated;
    double stored[CRL_BATCHES], backlog[CRL_BATCHES]; // sums over slots of all nodes
    uint64_t sent[CRL_QUEUE_PORTS_MAX];
    uint64_t queue_max, duplicates, extras, dropped, faults;
};

int crl_meter_new(struct crl_meter **out, const struct crl_queue_tables *t, uint64_t warmup, uint64_t slots,
                  struct crl_diag *diag)
{
    struct crl_meter *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    m->tables = t;
    m->warmup = warmup;
    m->slots = slots;
    m->batches = slots < CRL_BATCHES ? (uint32_t)slots : CRL_BATCHES;
    m->words = (t->nodes + 63) / 64;
    m->line = calloc(t->nodes, sizeof *m->line);
    return m->line ? 0 : crl_fail_memory(diag);
}

void crl_meter_free(struct crl_meter *m)
{
    if (!m) return;
    for (uint32_t v = 0; m->line && v < m->tables->nodes; v++) free(m->line[v].packets.ring);
    CRL_FREE(m->line, m->live, m->reached, m->spare, m);
}

static bool more_lives(struct crl_meter *m)
{
    uint32_t more = m->lives ? m->lives : 256, total = m->lives + more;
    if (CRL_RESIZE(total, {&m->live, sizeof *m->live}, {&m->reached, m->words * sizeof *m->reached},
                   {&m->spare, sizeof *m->spare}))
        return false;
    for (uint32_t i = more; i-- > 0;) m->spare[m->spares++] = m->lives + i;
    m->lives = total;
    return true;
}

static uint32_t batch_of(const struct crl_meter *m, uint64_t slot)
{
    if (slot <= m->warmup || slot > m->warmup + m->slots) return CRL_NONE;
    return (uint32_t)((slot - m->warmup - 1) * m->batches / m->slots);
}

static int generate(struct crl_meter *m, const struct crl_own *own, struct crl_diag *diag)
{
    uint32_t root = m->tables->root[crl_packet_tree(own->word)];
    struct crl_ring *packets = &m->line[own->node].packets;
    if (packets->count == 1u << 17)
        return crl_fail(diag, CRL_ERR_LIMIT, "node %u has more than 131072 unfinished packets", own->node);
    if ((!m->spares && !more_lives(m)) || !crl_ring_push(packets, m->spare[m->spares - 1]))
        return crl_fail_memory(diag);
    uint32_t number = m->spare[--m->spares];
    m->live[number] = (struct live){.time = own->time,
                                    .missing = m->tables->nodes - 1 + (root != CRL_NONE && root != own->node),
                                    .batch = batch_of(m, m->slot)};
    memset(m->reached + (size_t)number * m->words, 0, m->words * sizeof *m->reached);
    m->generated += m->live[number].batch != CRL_NONE;
    m->unfinished++;
    return 0;
}

static void deliver(struct crl_meter *m, uint32_t node, uint32_t word)
{
    struct line *line = &m->line[crl_packet_origin(word)];
    struct crl_ring *packets = &line->packets;
    uint32_t ahead = (crl_packet_sequence(word) - line->first) & 0x1ffff;
    if (ahead >= packets->count) { // finished long ago, or never generated
        m->extras++;
        return;
    }
    uint32_t *at = &packets->ring[(packets->head + ahead) & packets->mask], number = *at;
    uint64_t *reached = m->reached + (size_t)number * m->words + node / 64, bit = UINT64_C(1) << node % 64;
    if (number == CRL_NONE || *reached & bit) {
        m->duplicates++;
        return;
    }
    *reached |= bit;
    struct live *live = &m->live[number];
    if (--live->missing) return;
    if (live->batch != CRL_NONE) {
        m->delay[live->batch] += (double)m->slot - live->time;
        m->finished[live->batch]++;
    }
    m->spare[m->spares++] = number;
    m->unfinished--;
    *at = CRL_NONE;
    while (packets->count && packets->ring[packets->head] == CRL_NONE) {
        crl_ring_pop(packets);
        line->first = (line->first + 1) & 0x1ffff;
    }
}

int crl_meter_slot(struct crl_meter *m, const struct crl_stimulus *stimulus, const struct crl_traffic *traffic,
                   struct crl_diag *diag)
{
    uint32_t d = m->tables->ports, batch = batch_of(m, ++m->slot);
    uint64_t stored = 0;
    int error = 0;
    for (uint32_t v = 0; v < m->tables->nodes; v++) {
        for (uint32_t ports = traffic->delivered[v]; ports; ports &= ports - 1) {
            uint32_t p = (uint32_t)__builtin_ctz(ports);
            deliver(m, v, traffic->word[(size_t)(v ^ 1u << p) * d + p]);
        }
        if (batch == CRL_NONE) continue;
        stored += traffic->stored[v];
        if (traffic->stored[v] > m->queue_max) m->queue_max = traffic->stored[v];
        for (uint32_t ports = traffic->sent[v]; ports; ports &= ports - 1) m->sent[__builtin_ctz(ports)]++;
    }
    if (batch != CRL_NONE) {
        m->stored[batch] += (double)stored;
        m->backlog[batch] += (double)(stored + traffic->dropped);
    }
    for (size_t i = 0; i < stimulus->count && !error; i++)
        if (!traffic->taken || traffic->taken[i]) error = generate(m, &stimulus->own[i], diag);
    m->dropped = traffic->dropped;
    m->faults = traffic->faults;
    return error;
}

// The mean over all packets, with the interval of the batches' means.
static struct crl_estimate delay_of(const struct crl_meter *m)
{
    double mean[CRL_BATCHES], sum = 0;
    uint64_t finished = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->batches; i++) {
        sum += m->delay[i];
        finished += m->finished[i];
        if (m->finished[i]) mean[count++] = m->delay[i] / (double)m->finished[i];
    }
    if (!finished) return (struct crl_estimate){NAN, NAN};
    return (struct crl_estimate){sum / (double)finished, crl_batch_means(mean, count).ci95};
}

void crl_meter_result(const struct crl_meter *m, struct crl_dynamic_result *r)
{
    double queue[CRL_BATCHES], backlog[CRL_BATCHES], nodes = m->tables->nodes, total = 0, slots = (double)m->slots;
    for (uint32_t i = 0; i < m->batches; i++) {
        // Batch i begins after slot ⌈i·slots/batches⌉ of those that count.
        uint64_t from = crl_ceil_div(i * m->slots, m->batches), to = crl_ceil_div((i + 1) * m->slots, m->batches);
        queue[i] = m->stored[i] / nodes / (double)(to - from);
        backlog[i] = m->backlog[i] / nodes / (double)(to - from);
    }
    *r = (struct crl_dynamic_result){.queue_max = m->queue_max, .packets = m->generated, .slots_played = m->slot};
    r->queue = crl_batch_means(queue, m->batches);
    r->stable = !crl_series_grows(backlog, m->batches);
    r->delay = delay_of(m);
    if (!r->stable) r->delay = (struct crl_estimate){NAN, NAN};
    for (uint32_t p = 0; p < m->tables->ports; p++) {
        r->utilization[p] = (double)m->sent[p] / slots / nodes;
        total += r->utilization[p];
    }
    r->utilization_all = total / m->tables->ports;
    r->load = (double)m->generated / slots / nodes * (nodes - 1) / m->tables->ports;
    r->dropped = m->dropped;
    r->faults = m->faults;
    r->result = m->extras ? "extra" : m->duplicates ? "duplicate" : m->unfinished ? "missing" : "ok";
    if (m->extras)
        snprintf(r->text, sizeof r->text, "%llu deliveries of packets that nobody sent then",
                 (unsigned long long)m->extras);
    else if (m->duplicates)
        snprintf(r->text, sizeof r->text, "%llu deliveries to nodes that had the packet",
                 (unsigned long long)m->duplicates);
    else if (m->unfinished) snprintf(r->text, sizeof r->text, "%u packets did not reach all nodes", m->unfinished);
}
