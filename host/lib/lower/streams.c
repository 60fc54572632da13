// SPDX-License-Identifier: Apache-2.0
// Which words come and leave on the streams of a node.
//
// With as many streams as lanes, the stream of a lane takes, and gives, that lane's words in the order of rows. With
// fewer, own words come by their deadlines, the rows in which they first leave, and words for the node leave in the
// order in which they arrive, in turn on each stream: no other order begins later, or ends earlier.
#include "lower/lower.h"
#include <stdlib.h>

static int by_lane(const void *a, const void *b)
{
    const struct crl_lane_word *x = a, *y = b;
    return CRL_COMPARE({x->lane, y->lane}, {x->cycle, y->cycle});
}

static int by_cycle(const void *a, const void *b)
{
    const struct crl_lane_word *x = a, *y = b;
    return CRL_COMPARE({x->cycle, y->cycle}, {x->lane, y->lane});
}

static uint32_t collect(const struct crl_node_plan *plan, const struct crl_geometry *g, bool own,
                        struct crl_lane_word *words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *v = &plan->visits[i];
        const struct crl_departure *out = plan->departures + v->first;
        if (!own && v->arrival && v->keep)
            words[count++] = (struct crl_lane_word){v->origin, v->dest, v->in_port % g->lanes, v->arrival, i};
        for (uint32_t k = 0; own && !v->arrival && k < v->count; k++)
            if (!k || out[k].cycle != out[k - 1].cycle)
                words[count++] = (struct crl_lane_word){v->origin, v->dest, out[k].lane, out[k].cycle, i};
    }
    return count;
}

static void list_lanes(struct crl_places *places, struct crl_lane_word *words, uint32_t count)
{
    qsort(words, count, sizeof *words, by_lane);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = i && words[i].lane == words[i - 1].lane ? places->place[i - 1].addr + 1 : 0;
        places->place[i] = (struct crl_place){words[i].origin, words[i].dest, words[i].lane, index};
    }
    places->count = count;
}

// Packets in the order of their first words; `number`: [packets] of each. Returns how many there are.
static uint32_t number_packets(const struct crl_lane_word *words, uint32_t count, uint32_t *number)
{
    uint32_t packets = 0;
    for (uint32_t i = 0; i < count; i++) number[words[i].packet] = CRL_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (number[words[i].packet] == CRL_NONE) number[words[i].packet] = packets++;
    return packets;
}

// Which stream has each of the numbered packets, as which of its words: of those that leave, in turn.
static int seat_packets(const struct crl_lane_word *words, uint32_t count, const uint32_t *number, uint32_t packets,
                        const struct crl_geometry *g, bool own, struct crl_stream_seat *seat)
{
    for (uint32_t n = 0; n < packets; n++) seat[n] = (struct crl_stream_seat){n % g->streams, n / g->streams};
    if (!own) return 0;
    CRL_OWNED struct crl_own_word *first = calloc(packets + UINT64_C(1), sizeof *first);
    if (!first) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct crl_own_word *w = &first[number[words[i].packet]];
        if (w->lanes && w->row != words[i].cycle) continue;
        w->row = words[i].cycle;
        w->lanes |= UINT32_C(1) << words[i].lane;
    }
    return crl_streams_seat(first, packets, g, seat);
}

// Where each stream's words begin among the places; [streams + 1].
static void find_firsts(const struct crl_stream_seat *seat, uint32_t packets, uint32_t streams, uint32_t *first)
{
    for (uint32_t j = 0; j <= streams; j++) first[j] = 0;
    for (uint32_t n = 0; n < packets; n++) first[seat[n].stream + 1]++;
    for (uint32_t j = 0; j < streams; j++) first[j + 1] += first[j];
}

static void list_streams(struct crl_places *places, struct crl_lane_words *lanes, struct crl_lane_word *words,
                         uint32_t count, const struct crl_geometry *g, const uint32_t *number,
                         const struct crl_stream_seat *seat, uint32_t packets)
{
    uint32_t first[CRL_PORTS_MAX + 1];
    find_firsts(seat, packets, g->streams, first);
    places->count = packets;
    for (uint32_t i = 0; i < count; i++) {
        const struct crl_stream_seat *s = &seat[number[words[i].packet]];
        words[i].packet = first[s->stream] + s->index;
        places->place[words[i].packet] = (struct crl_place){words[i].origin, words[i].dest, s->stream, s->index};
    }
    qsort(words, count, sizeof *words, by_lane);
    for (uint32_t i = 0; i < count; i++) {
        lanes->start[words[i].lane + 1]++;
        lanes->place[i] = words[i].packet;
    }
    for (uint32_t j = 0; j < g->lanes; j++) lanes->start[j + 1] += lanes->start[j];
}

int crl_streams_deal(struct crl_lane_word *words, uint32_t count, uint32_t packets, const struct crl_geometry *g,
                     bool own, struct crl_places *places, struct crl_lane_words *lanes)
{
    CRL_OWNED uint32_t *number = malloc(sizeof *number * (packets + UINT64_C(1)));
    CRL_OWNED struct crl_stream_seat *seat = malloc(sizeof *seat * (packets + UINT64_C(1)));
    places->place = malloc(sizeof *places->place * (count + UINT64_C(1)));
    lanes->start = calloc(g->lanes + UINT64_C(1), sizeof *lanes->start);
    lanes->place = malloc(sizeof *lanes->place * (count + UINT64_C(1)));
    int error = number && seat && places->place && lanes->start && lanes->place ? 0 : CRL_ERR_MEMORY;
    if (!error) {
        qsort(words, count, sizeof *words, by_cycle);
        packets = number_packets(words, count, number);
        error = seat_packets(words, count, number, packets, g, own, seat);
    }
    if (!error) list_streams(places, lanes, words, count, g, number, seat, packets);
    return error;
}

int crl_streams_order(const struct crl_node_plan *plan, const struct crl_geometry *g, bool own,
                      struct crl_places *places, struct crl_lane_words *lanes)
{
    size_t most = plan->departures_count + (size_t)plan->visits_count + 1;
    CRL_OWNED struct crl_lane_word *words = malloc(sizeof *words * most);
    uint32_t count = words ? collect(plan, g, own, words) : 0;
    int error = words ? 0 : CRL_ERR_MEMORY;
    if (!error && lanes) error = crl_streams_deal(words, count, plan->visits_count, g, own, places, lanes);
    else if (!error) {
        places->place = malloc(sizeof *places->place * (count + UINT64_C(1)));
        if (places->place) list_lanes(places, words, count);
        else error = CRL_ERR_MEMORY;
    }
    return error;
}
