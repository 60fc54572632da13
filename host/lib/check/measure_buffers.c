// SPDX-License-Identifier: Apache-2.0
// How many packets a node holds between slots that it must still forward: those received in this slot or before that it
// will send in a later one. A node's own packets do not count.
#include "base/base.h"
#include "base/parallel.h"
#include "check/check.h"
#include "schedule/narrow.h"
#include <stdlib.h>

// What happens to a node's buffer in the slots of a part: what it holds more at their end, and at most in between, than
// before.
struct buffer {
    int32_t more, most;
};
struct buffers {
    struct crl_check *check;
    uint32_t nodes;
    struct buffer *buffer; // [parts][nodes]
};

static uint32_t src_of(const struct crl_schedule *s, size_t i)
{
    return s->narrow ? crl_narrow_src(s->narrow, s->narrow->row[i]) : s->moves[i].src;
}

static uint32_t dst_of(const struct crl_schedule *s, size_t i)
{
    return s->narrow ? crl_narrow_dst(s->narrow, s->narrow->row[i]) : s->moves[i].dst;
}

static int measure_part(void *user, uint32_t share)
{
    const struct buffers *b = user;
    const struct crl_check *check = b->check;
    const struct crl_schedule *schedule = check->schedule;
    struct buffer *buffer = &b->buffer[(size_t)share * b->nodes];
    // In a folded schedule what is held anywhere of one packet is what one node holds of all its translates.
    bool folded = schedule->folded;
    for (size_t s = crl_part_slot(check, share); s < crl_part_slot(check, share + 1); s++) {
        size_t first = schedule->slot_start[s], end = schedule->slot_start[s + 1];
        for (size_t i = first; i < end; i++)
            if (check->marks[i] & CRL_MOVE_RELEASED) buffer[folded ? 0 : src_of(schedule, i)].more--;
        for (size_t i = first; i < end; i++) {
            if (!(check->marks[i] & CRL_MOVE_KEPT)) continue;
            struct buffer *here = &buffer[folded ? 0 : dst_of(schedule, i)];
            if (++here->more > here->most) here->most = here->more;
        }
    }
    return 0;
}

// ---- where packets arrive later than they are sent

static uint64_t key_arrival(const void *user, uint32_t i)
{
    const struct crl_schedule *s = user;
    return crl_arrival_slot(s->topology, s->moves[i].slot, s->moves[i].src, s->moves[i].dst);
}

// Counts moves by their slots of sending, for what is released, and by those of arrival, for what is kept.
static void measure_late(struct crl_check *check)
{
    const struct crl_schedule *s = check->schedule;
    uint32_t *order = malloc(sizeof *order * (s->count + 1)), kept = 0;
    int64_t most = 0, *held = calloc(s->folded ? 1 : crl_topology_nodes(s->topology), sizeof *held);
    for (size_t i = 0; order && i < s->count; i++)
        if (check->marks[i] & CRL_MOVE_KEPT) order[kept++] = (uint32_t)i;
    if (!order || !held || crl_sort_order(order, kept, key_arrival, s, UINT32_MAX)) {
        check->part[0].sink.out_of_memory = true;
        kept = 0;
    }
    size_t sent = 0;
    for (uint32_t k = 0; k < kept; k++) {
        for (; sent < s->count && s->moves[sent].slot <= key_arrival(s, order[k]); sent++)
            if (check->marks[sent] & CRL_MOVE_RELEASED) held[s->folded ? 0 : s->moves[sent].src]--;
        int64_t *here = &held[s->folded ? 0 : s->moves[order[k]].dst];
        if (++*here > most) most = *here;
    }
    CRL_FREE(order, held);
    check->part[0].report.buffer_packets = (uint64_t)most;
}

void crl_measure_buffers(struct crl_check *check)
{
    if (crl_topology_latency_max(check->schedule->topology) > 1) {
        measure_late(check);
        return;
    }
    struct buffers b = {.check = check,
                        .nodes = check->schedule->folded ? 1 : crl_topology_nodes(check->schedule->topology)};
    int64_t most = 0;
    b.buffer = calloc((size_t)check->parts * b.nodes, sizeof *b.buffer);
    if (!b.buffer) {
        check->part[0].sink.out_of_memory = true;
        return;
    }
    crl_parallel(check->parts, measure_part, &b);
    for (uint32_t v = 0; v < b.nodes; v++) {
        int64_t held = 0;
        for (uint32_t i = 0; i < check->parts; i++) {
            const struct buffer *buffer = &b.buffer[(size_t)i * b.nodes + v];
            if (held + buffer->most > most) most = held + buffer->most;
            held += buffer->more;
        }
    }
    free(b.buffer);
    check->part[0].report.buffer_packets = (uint64_t)most;
}
