// SPDX-License-Identifier: Apache-2.0
// How long a round takes in an emitted fabric, from the first word taken to the last one given, and when it may begin
// for that. All of it is read off the rows that play, a step of a stream a cycle.
#include "machine/slots/emit_boards.h"
#include "machine/slots/spares.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

// The cycle in which each step is made, from 0, if streams do not stall. Two that have a word for the same lane in one
// cycle wait for each other: the first stream goes first, as in rtl/stream/crl_stream_in.sv.
static void make_steps(const struct uses *uses, uint32_t streams, uint32_t *cycle)
{
    uint32_t at[CRL_PORTS_MAX], left = (uint32_t)uses->count;
    for (uint32_t j = 0, i = 0; j < streams; j++) {
        at[j] = i;
        while (i < uses->count && uses->list[i].stream == j) i++;
    }
    for (uint32_t now = 0; left; now++) {
        uint32_t taken = 0;
        for (uint32_t j = 0; j < streams; j++) {
            const struct use *use = &uses->list[at[j]];
            if (at[j] == uses->count || use->stream != j || (use->lanes & taken)) continue;
            taken |= use->lanes;
            cycle[at[j]++] = now;
            left--;
        }
    }
}

// The cycle from which on no step of a stream is late, which makes its steps from cycle[k] on, in packets. The fabric
// waits for a word by looking at the stream's next step, so behind it no step may be for an earlier row than the one
// before. It looks `ahead` cycles further than the next one: what comes before that is there when the round begins.
static uint32_t lead_of(const struct use *step, const uint32_t *cycle, uint32_t steps, uint32_t ahead, uint32_t words)
{
    uint32_t lead = 0, highest = 0;
    for (uint32_t k = 0; k < steps && step[k].lanes; k++) {
        const uint32_t made = (cycle[k] + 1) * words - 1, row = (step[k].row + 1) * words - 1; // the last words
        const uint32_t due = step[k].row < highest || row < ahead ? 0 : row - ahead, late = made < due ? 0 : made - due;
        if (step[k].row > highest) highest = step[k].row;
        if (late > lead) lead = late;
    }
    return lead;
}

// The step and the word of it from which the round may begin: none is late from there on, and no stream of a fabric
// whose rounds begin later goes ahead of these. Returns in which cycle it may.
static uint32_t find_go(struct go *go, const struct part *part, const uint32_t *cycle, uint32_t steps, uint32_t lead)
{
    const uint32_t words = part->image->geometry.words, start = lead > part->start ? lead : part->start;
    *go = (struct go){0};
    if (!steps) return 0;
    while (go->step + 1 < steps && ((cycle[go->step] + 1) * words - 1 < lead || cycle[go->step + 1] * words <= start))
        go->step++;
    const uint32_t begins = cycle[go->step] * words;
    if (begins < start) go->word = start - begins < words ? start - begins : words - 1;
    return begins + go->word;
}

int feed_of(struct feed *feed, const struct part *part, const struct uses *uses, struct crl_diag *diag)
{
    const uint32_t streams = part->image->geometry.streams, words = part->image->geometry.words;
    CRL_OWNED uint32_t *cycle = malloc(sizeof *cycle * (uses->count + 1));
    *feed = (struct feed){0};
    if (!cycle) return crl_fail_memory(diag);
    make_steps(uses, streams, cycle);
    for (uint32_t j = 0; j < streams; j++) {
        const struct use *step;
        const uint32_t steps = steps_of(uses, j, &step);
        const uint32_t *made = cycle + (step - uses->list), lead = lead_of(step, made, steps, 2 * part->stages, words),
                       goes = find_go(&feed->go[j], part, made, steps, lead);
        if (goes > feed->lead) feed->lead = goes;
        if (steps) feed->last[j] = made[steps - 1];
    }
    return 0;
}

// With adapters: step by step, from the row in which it is shown; without: all in their rows. Words count to the last.
static int64_t last_of(const struct part *part, const struct uses *uses, bool axis)
{
    const uint32_t rows = part->image->geometry.rows, words = part->image->geometry.words;
    int64_t last = INT64_MIN, given = INT64_MIN;
    for (size_t i = 0; i < uses->count; i++) {
        const struct use *use = &uses->list[i];
        const int64_t shown = (int64_t)(use->row ? use->row : rows) * words;
        const bool first = !i || use->stream != use[-1].stream;
        given = axis && !first && given + words > shown ? given + words : shown;
        if (given > last) last = given;
    }
    return last;
}

static uint32_t most_steps(const struct uses *uses, uint32_t streams)
{
    uint32_t most = 0;
    for (uint32_t j = 0; j < streams; j++) {
        const struct use *step;
        const uint32_t steps = steps_of(uses, j, &step);
        if (steps > most) most = steps;
    }
    return most;
}

static int64_t last_step(const struct feed *feed, uint32_t streams)
{
    int64_t last = 0;
    for (uint32_t j = 0; j < streams; j++)
        if (feed->last[j] > last) last = feed->last[j];
    return last;
}

// Words are asked for a way to the nodes and back further ahead than without registers there, so those of the first
// rows must be there when a round begins. How much later that is depends on the schedule; so that it does not, every
// round begins so much later. Where all streams have made their last steps by then, those of one node pause until then:
// all of them, as they wait for each other.
static int find_start(struct part *part, struct crl_diag *diag)
{
    const uint32_t streams = part->image->geometry.streams;
    struct part plain = *part;
    struct uses uses = {0};
    struct feed feed, latest = {0};
    uint32_t lead = 0;
    int64_t last = -1;
    int error = 0;
    plain.stages = 0; // nor a start
    for (uint32_t v = 0; v < part->image->nodes && !error; v++) {
        error = uses_in_order(&plain, true, v, &uses, diag);
        if (!error) error = feed_of(&feed, &plain, &uses, diag);
        if (error || !uses.count) continue;
        if (feed.lead > lead) lead = feed.lead;
        if (last_step(&feed, streams) <= last) continue;
        last = last_step(&feed, streams);
        latest = feed;
        part->pausing = v;
    }
    free(uses.list);
    part->start = lead + 2 * part->stages;
    const uint32_t step = part->start / part->image->geometry.words;
    for (uint32_t j = 0; j < streams && last < step; j++) part->pause[j] = step - latest.last[j];
    return error;
}

static int add_inputs(struct times *t, const struct part *part, bool axis, const struct uses *uses,
                      struct crl_diag *diag)
{
    const int64_t way = 2 * (int64_t)part->stages;
    struct feed feed;
    int error = feed_of(&feed, part, uses, diag);
    for (uint32_t j = 0; j < part->image->geometry.streams && !error; j++) {
        const struct use *step;
        const uint32_t steps = steps_of(uses, j, &step);
        t->early |= steps && (feed.go[j].step + 1 < steps || feed.go[j].word + 1 < part->image->geometry.words);
    }
    for (size_t i = 0; i < uses->count && !axis; i++) {
        const int64_t taken = (int64_t)uses->list[i].row * part->image->geometry.words + 1;
        if (taken < t->first) t->first = taken;
    }
    if (axis && uses->count && 1 + way - (int64_t)feed.lead < t->first) t->first = 1 + way - (int64_t)feed.lead;
    return error;
}

// A page of an output adapter is free again 5 cycles after its last word, that of an input adapter 3 cycles after the
// last row; `cycles` of rows count from the round's beginning, and words come before it. What is said of rounds takes
// `way` cycles more, and so much earlier words come.
static uint32_t pages_for(const struct times *t, uint32_t cycles, uint32_t links, uint32_t way)
{
    const int64_t lead = t->first > 1 ? 0 : 1 - t->first, in = cycles + lead + 3 + 2 * way,
                  out = t->last + links + 5 + way;
    uint32_t pages = 2;
    while ((int64_t)pages * t->period < (in > out ? in : out)) pages *= 2;
    return pages;
}

// On boards with clocks of their own what is shown is kept until the step is over.
static bool keeps_shown(const struct part *part, bool axis)
{
    return axis && crl_topology_boards(part->problem->topology);
}

struct crl_stream_path path_of(const struct part *part, bool axis)
{
    struct crl_stream_path path = crl_stream_path(axis, part->stages, part->image->geometry.words, part->late);
    path.adapter_out += keeps_shown(part, axis);
    return path;
}

int find_times(struct part *part, bool axis, struct crl_diag *diag)
{
    struct times *t = &part->times;
    const uint32_t streams = part->image->geometry.streams, words = part->image->geometry.words;
    struct uses uses = {0};
    part->late = late_of(part->problem, part->image, words);
    int error = axis && part->stages ? find_start(part, diag) : 0;
    *t = (struct times){.first = INT64_MAX, .last = INT64_MIN, .period = part->image->geometry.rows * words};
    for (uint32_t i = 0; i < 2 * part->image->nodes && !error; i++) {
        const bool in = i % 2;
        error = uses_in_order(part, in, i / 2, &uses, diag);
        if (error) break;
        const uint32_t most = most_steps(&uses, streams) * words;
        if (axis && most > t->period) t->period = most;
        if (in) error = add_inputs(t, part, axis, &uses, diag);
        else {
            int64_t last = last_of(part, &uses, axis);
            if (last > t->last) t->last = last;
        }
    }
    free(uses.list);
    // What adapters say of a round comes back before the next one begins.
    const uint32_t way = axis ? 2 * part->stages : 0;
    if (way && t->period <= way) t->period = way + 1;
    const uint32_t links = words - 1 + part->late + keeps_shown(part, axis);
    t->pages = pages_for(t, part->image->geometry.rows * words, links, way);
    return error;
}

uint64_t end_to_end(const struct part *part, bool axis)
{
    const struct crl_stream_path path = path_of(part, axis);
    const struct times *t = &part->times;
    return t->last < t->first ? 0 : (uint64_t)(t->last - t->first) + 1 + crl_stream_path_cycles(&path);
}

uint32_t most_packets(const struct part *part)
{
    const uint32_t streams = part->image->geometry.streams;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 2 * part->image->nodes; i++) {
        uint32_t packets = 0;
        for (uint32_t j = 0; j < streams; j++) packets += lane_of(part, i % 2, i / 2, j).count;
        if (packets > most) most = packets;
    }
    return (uint32_t)crl_ceil_div(most, streams);
}

// Cables hold words, and plans count packets.
static void scale_cables(json_t *summary, uint32_t words)
{
    const json_int_t most = json_integer_value(json_object_get(summary, "cable_words")),
                     depth = json_integer_value(json_object_get(summary, "cable_depth"));
    if (most) json_object_set_new(summary, "cable_words", json_integer(most * words));
    if (depth) json_object_set_new(summary, "cable_depth", json_integer(boards_deeper((uint32_t)depth, words)));
}

// Of a fabric that holds spares.
static int tell_spares(json_t *summary, const struct carillon_emitted *what, const struct carillon_emission *how,
                       bool axis, struct crl_diag *diag)
{
    struct emission e = {.axis = axis, .width = how->width, .diag = diag};
    CRL_OWNED struct part *parts = NULL;
    int error = emission_parts(&e, &parts, what, 1, how->row_stages);
    return error ? error : add_spares(summary, &e, parts, slots_image_in(what->image)->spares->failures);
}

int slots_emit_summary(const struct carillon_emitted *what, const struct carillon_emission *how, json_t *summary,
                       struct crl_diag *diag)
{
    const struct carillon_image *image = what->image;
    struct part part = {
        .image = &slots_image_in(image)->image, .problem = slots_said(image->problem), .stages = how->row_stages};
    if (how->width) json_object_set_new(summary, "data_width", json_integer(how->width));
    const bool axis = how->protocol && !strcmp(how->protocol, "axis");
    int error = find_times(&part, axis, diag);
    if (error) return error;
    if (!strcmp(how->tables ? how->tables : "", "axi-lite") && geometry_adds_floats(&part.image->geometry))
        part.late = 0;
    const struct crl_stream_path path = path_of(&part, axis);
    slots_add_packets(summary, part.image->geometry.words, most_packets(&part));
    json_object_set_new(summary, "period", json_integer(part.times.period));
    slots_add_path(summary, part.times.first, part.times.last, &path);
    scale_cables(summary, part.image->geometry.words);
    slots_add_files(summary, crl_topology_boards(part.problem->topology), how->top ? how->top : "carillon_fabric");
    return what->schedule->problem->options.spare ? tell_spares(summary, what, how, axis, diag) : 0;
}
