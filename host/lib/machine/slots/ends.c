// SPDX-License-Identifier: Apache-2.0
// Schedules whose nodes have streams: what takes how long from the first own word taken to the last word delivered.
#include "base/base.h"
#include "machine/slots/emission.h"
#include "lower/lower.h"

void slots_add_path(json_t *summary, int64_t first, int64_t last, const struct crl_stream_path *path)
{
    const uint32_t fixed = crl_stream_path_cycles(path);
    if (last < first) return;
    CRL_TELL(summary, {"first_in", json_integer(first)}, {"last_out", json_integer(last)},
             {"cycles_end_to_end", json_integer(last - first + 1 + fixed)}, {"cycles_fixed", json_integer(fixed)},
             {"cycles_adapter_in", json_integer(path->adapter_in)}, {"cycles_router", json_integer(path->router)},
             {"cycles_row_stages", json_integer(path->row_stages)});
    if (path->links) json_object_set_new(summary, "cycles_links", json_integer(path->links));
    json_object_set_new(summary, "cycles_adapter_out", json_integer(path->adapter_out));
}

void slots_add_packets(json_t *summary, uint32_t words, uint64_t packets)
{
    if (words == 1) return;
    json_object_set_new(summary, "words", json_integer(words));
    json_object_set_new(summary, "bound_cycles", crl_json_number(packets * words));
}

// Of sums the rows say when own values come and sums leave.
static int measure_sums(struct slots_ends *e, const struct slots_schedule *s, uint32_t lanes)
{
    const struct crl_problem *p = slots_said(s->common.problem);
    const uint32_t said = s->common.problem->options.words, words = said ? said : 1;
    const struct crl_lower_options how = {
        .lanes = lanes, .words = 1, .data_width = 32, .streams = e->streams, .apart = crl_sum_apart(p, words)};
    CRL_ENDED(crl_image_done) struct crl_image image = {0};
    int error = crl_lower(&image, &s->schedule, p, s->common.scheme, &how, NULL);
    struct part part = {.image = &image, .problem = p};
    if (!error) error = find_times(&part, true, NULL);
    if (!error) e->late = late_of(p, &image, words);
    const struct times *t = &part.times;
    e->measured = (struct crl_stream_ends){.first = t->first, .last = t->last, .period = t->period};
    e->measured.slots = error ? 0 : (uint64_t)(t->last - t->first) + 1;
    e->measured.own = e->measured.shown = error ? 0 : (uint64_t)most_packets(&part) * e->streams;
    e->bound = e->bound_as_dense = s->common.report.bound_slots;
    return error;
}

bool slots_ends(struct slots_ends *e, const struct slots_schedule *s)
{
    const struct crl_problem *p = slots_said(s->common.problem);
    const struct carillon_options *o = &s->common.problem->options;
    uint32_t ports = crl_topology_ports(p->topology), lanes = o->lanes ? o->lanes : ports;
    uint32_t words = o->streams * crl_slot_cycles(&(struct crl_geometry){.ports = ports, .lanes = lanes}, p->ports);
    e->streams = o->streams;
    e->slots = crl_schedule_slots(&s->schedule);
    e->late = 0;
    if (!o->streams || s->common.report.violations) return false;
    if (crl_problem_sums(p)) return !measure_sums(e, s, lanes);
    return !crl_ends_measure(&e->measured, &s->schedule, p, o->streams, lanes) &&
           !crl_problem_bound_ends(&e->bound, p, words, 0) &&
           !crl_problem_bound_ends(&e->bound_as_dense, p, words, e->slots);
}

bool slots_ends_optimal(const struct slots_ends *e, char *text, size_t size)
{
    const bool best = e->measured.slots == e->bound;
    if (!best && e->measured.slots != e->bound_as_dense) return false;
    int length = snprintf(text, size, "%u stream%s", e->streams, e->streams == 1 ? "" : "s");
    if (!best) snprintf(text + length, size - (size_t)length, " and a round every %u slots", e->slots);
    return true;
}

void slots_add_ends(json_t *summary, const struct slots_schedule *s)
{
    struct slots_ends e;
    char text[SLOTS_ENDS_TEXT];
    if (s->common.problem->options.streams && crl_problem_sums(slots_said(s->common.problem)))
        json_object_set_new(summary, "streams", json_integer(s->common.problem->options.streams));
    if (!slots_ends(&e, s)) return;
    CRL_TELL(summary, {"streams", json_integer(e.streams)}, {"end_to_end_slots", crl_json_number(e.measured.slots)},
             {"bound_end_to_end", crl_json_number(e.bound)},
             {"bound_end_to_end_as_dense", crl_json_number(e.bound_as_dense)});
    json_object_set_new(summary, "optimal_for",
                        slots_ends_optimal(&e, text, sizeof text) ? json_string(text) : json_null());
    const uint32_t said = s->common.problem->options.words, words = said ? said : 1;
    const uint64_t most = e.measured.own > e.measured.shown ? e.measured.own : e.measured.shown;
    const struct crl_stream_path path = crl_stream_path(true, 0, words, e.late);
    slots_add_packets(summary, words, crl_ceil_div(most, e.streams));
    json_object_set_new(summary, "period", crl_json_number(e.measured.period * words));
    slots_add_path(summary, (e.measured.first - 1) * words + 1, e.measured.last * words, &path);
}
