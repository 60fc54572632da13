// SPDX-License-Identifier: Apache-2.0
// Most items that a processor holds and must still pass on: received, and to be sent then or later. What it combines is
// one.
#include "base/base.h"
#include "check/logp_check.h"
#include <stdlib.h>

static uint64_t key_held(const void *sends, uint32_t i) // index 2i is send i at its sender, 2i + 1 at its receiver
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i / 2;
    return (uint64_t)(i & 1 ? s->dst : s->src) << 32 | s->item;
}

struct event {
    uint64_t key; // processor, time, and an end after a start
};

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct event *)a)->key, y = ((const struct event *)b)->key;
    return x < y ? -1 : x > y;
}

enum { TIME_SHIFT = 1, PROCESSOR_SHIFT = 34 };

static struct event event(uint32_t processor, uint64_t time, bool end)
{
    return (struct event){(uint64_t)processor << PROCESSOR_SHIFT | time << TIME_SHIFT | end};
}

static uint64_t most_at_once(struct event *events, size_t count)
{
    uint64_t most = 0, held = 0;
    qsort(events, count, sizeof *events, compare);
    for (size_t i = 0; i < count; i++) {
        held += events[i].key & 1 ? UINT64_MAX : 1; // spans do not cross from one processor to the next
        if (held > most) most = held;
    }
    return most;
}

void crl_logp_measure_buffers(struct crl_logp_check *check)
{
    const struct crl_logp_schedule *schedule = check->schedule;
    uint32_t spans = 0, *order = malloc(sizeof *order * (2 * schedule->count + 1));
    struct event *events = malloc(sizeof *events * (2 * schedule->count + 1));
    size_t count = 0;
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
    if (good) check->report->common.buffer_packets = most_at_once(events, count);
    if (good && crl_logp_combines(check->problem) && check->report->common.buffer_packets)
        check->report->common.buffer_packets = 1;
    if (!good) check->sink.out_of_memory = true;
    free(order);
    free(events);
}
