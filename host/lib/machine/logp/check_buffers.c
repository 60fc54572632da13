// SPDX-License-Identifier: Apache-2.0
// Most items that a processor holds and must still pass on: received, and to be sent then or later. What it combines is
// one.
#include "base/base.h"
#include "machine/logp/check.h"
#include <stdlib.h>

static uint64_t key_held(const void *sends, uint32_t i) // index 2i is send i at its sender, 2i + 1 at its receiver
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i / 2;
    return (uint64_t)(i & 1 ? s->dst : s->src) << 32 | s->item;
}

struct event {
    uint64_t key; // processor, time, and an end after a start
};

static uint64_t key_event(const void *events, uint32_t i) { return ((const struct event *)events)[i].key; }

enum { TIME_SHIFT = 1, PROCESSOR_SHIFT = 34 };

static struct event event(uint32_t processor, uint64_t time, bool end)
{
    return (struct event){(uint64_t)processor << PROCESSOR_SHIFT | time << TIME_SHIFT | end};
}

static uint64_t most_at_once(struct crl_logp_check *check, const struct event *events, uint32_t *order, uint32_t count)
{
    uint64_t most = 0, held = 0;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (crl_sort_order(order, count, key_event, events, UINT64_MAX)) check->sink.out_of_memory = true;
    for (uint32_t i = 0; i < count; i++) {
        held += events[order[i]].key & 1 ? UINT64_MAX : 1; // spans do not cross from one processor to the next
        if (held > most) most = held;
    }
    return most;
}

// Whether a processor's last send starts after its first message is in.
static bool anyone_passes_on(const struct crl_logp_check *check)
{
    const struct crl_logp_send *sends = check->schedule->sends;
    for (uint32_t i = 0, last = 0; i < check->good; i++) {
        const struct crl_logp_send *in = &sends[check->received[i]];
        if (i && sends[check->received[i - 1]].dst == in->dst) continue;
        while (last + 1 < check->good && sends[check->sent[last + 1]].src <= in->dst) last++;
        const struct crl_logp_send *out = &sends[check->sent[last]];
        if (out->src == in->dst && out->time >= crl_logp_there(check, in)) return true;
    }
    return false;
}

void crl_logp_measure_buffers(struct crl_logp_check *check)
{
    const struct crl_logp_schedule *schedule = check->schedule;
    if (crl_logp_combines(check->problem)) {
        check->report->common.buffer_packets = anyone_passes_on(check);
        return;
    }
    uint32_t spans = 0, *order = malloc(sizeof *order * (2 * schedule->count + 1));
    CRL_OWNED struct event *events = malloc(sizeof *events * (2 * schedule->count + 1));
    uint32_t count = 0;
    for (size_t i = 0; order && i < 2 * schedule->count; i++)
        if (!check->bad[i / 2]) order[spans++] = (uint32_t)i;
    bool good = order && events && !crl_sort_order(order, spans, key_held, schedule->sends, UINT64_MAX);
    for (uint32_t at = 0, end; good && at < spans; at = end) {
        uint64_t first = UINT64_MAX, last = 0, key = key_held(schedule->sends, order[at]);
        for (end = at; end < spans && key_held(schedule->sends, order[end]) == key; end++) {
            const struct crl_logp_send *s = &schedule->sends[order[end] / 2];
            uint64_t there = crl_logp_there(check, s);
            if (order[end] & 1) first = there < first ? there : first;
            else last = s->time > last ? s->time : last;
        }
        if (first > last) continue;
        events[count++] = event((uint32_t)(key >> 32), first, false);
        events[count++] = event((uint32_t)(key >> 32), last, true);
    }
    if (good) check->report->common.buffer_packets = most_at_once(check, events, order, count);
    if (!good) check->sink.out_of_memory = true;
    free(order);
}
