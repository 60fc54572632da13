// SPDX-License-Identifier: Apache-2.0
// What a run did, beside what its schedule says: every link word of a trace that is missing, different or too many, as
// a mark in the replay page.
#include "base/base.h"
#include "draw/page.h"
#include "form/slots.h"
#include <inttypes.h>
#include <stdlib.h>

enum { LISTED_MAX = 100 };

struct reading {
    const struct crl_topology *topology;
    struct crl_page *page;
    size_t capacity;
    uint64_t wrong;         // words, also those beyond the list
    uint32_t phases, round; // link cycles a slot, and a round with the one that only takes in
    FILE *file;
    const char *name;
    uint64_t line;
    struct crl_word word; // read, and not used yet
    bool has_word;
};

static int next_word(struct reading *r, struct crl_diag *diag)
{
    int got = crl_trace_read(r->file, r->name, &r->line, &r->word, diag);
    r->has_word = got > 0;
    return got < 0 ? got : 0;
}

// Notes a word that is not as it must be; NULL: none was expected, or none is there.
static int note(struct reading *r, uint64_t step, uint64_t cycle, uint32_t node, uint32_t port,
                const uint64_t *expected, const uint64_t *found)
{
    char must[40] = "no word", is[40] = "none";
    if (r->wrong++ >= LISTED_MAX) return 0;
    int error = crl_grow((void **)&r->page->marks, &r->capacity, r->page->mark_count, sizeof *r->page->marks);
    if (error) return error;
    bool known = node < crl_topology_nodes(r->topology) && port < crl_topology_ports(r->topology);
    uint32_t to = known ? crl_topology_neighbor(r->topology, node, port) : CRL_NONE;
    struct crl_mark *mark = &r->page->marks[r->page->mark_count++];
    *mark = (struct crl_mark){.slot = (uint32_t)(step % r->round) / r->phases + 1, .src = node, .dst = to};
    if (expected) snprintf(must, sizeof must, "%" PRIx64, *expected);
    if (found) snprintf(is, sizeof is, "%" PRIx64, *found);
    snprintf(mark->text, sizeof mark->text,
             "slot %" PRIu32 " (cycle %" PRIu64 "): node %" PRIu32 " port %" PRIu32
             ": the schedule says %s, the trace has %s",
             mark->slot, cycle, node, port, must, is);
    if (to == CRL_NONE) mark->slot = 0; // nothing to draw
    return 0;
}

static bool is_before(const struct crl_word *w, uint64_t cycle, uint32_t node, uint32_t port)
{
    if (w->cycle != cycle) return w->cycle < cycle;
    return w->node != node ? w->node < node : w->port < port;
}

// The words of the trace that come before a place: nobody expected them.
static int skip_to(struct reading *r, uint64_t step, uint64_t cycle, uint32_t node, uint32_t port,
                   struct crl_diag *diag)
{
    int error = 0;
    while (!error && r->has_word && is_before(&r->word, cycle, node, port)) {
        error = note(r, step - (cycle - r->word.cycle), r->word.cycle, r->word.node, r->word.port, NULL, &r->word.data);
        if (!error) error = next_word(r, diag);
    }
    return error;
}

static int compare_cycle(struct reading *r, uint64_t step, uint64_t cycle, const uint32_t *valid, const uint64_t *data,
                         struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(r->topology), ports = crl_topology_ports(r->topology);
    int error = 0;
    for (uint32_t v = 0; v < nodes && !error; v++)
        for (uint32_t p = 0; p < ports && !error; p++) {
            if (!(valid[v] >> p & 1)) continue;
            const uint64_t *must = &data[(size_t)v * ports + p];
            error = skip_to(r, step, cycle, v, p, diag);
            bool there = r->has_word && r->word.cycle == cycle && r->word.node == v && r->word.port == p;
            if (!error && (!there || r->word.data != *must))
                error = note(r, step, cycle, v, p, must, there ? &r->word.data : NULL);
            if (!error && there) error = next_word(r, diag);
        }
    return error;
}

int slots_trace(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(schedule->problem);
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    const struct crl_geometry *g = &slots_image_in(image)->image.geometry;
    struct crl_expected *expected;
    const uint32_t *valid = NULL;
    const uint64_t *data = NULL;
    struct reading r = {.topology = problem->topology, .page = page, .file = trace, .name = name};
    r.phases = problem->ports == CRL_PORTS_SINGLE ? 1 : (uint32_t)crl_ceil_div(g->ports, g->lanes);
    r.round = crl_schedule_slots(s) * r.phases + 1;
    if (g->streams) return crl_fail(diag, CRL_ERR_UNSUPPORTED, "traces of nodes with streams are not replayed");
    int error = crl_expected_new(&expected, s, problem, g, schedule->problem->options.seed, diag);
    if (error) return error;
    struct crl_player player = crl_expected_player(expected);
    error = next_word(&r, diag);
    // A run that stopped at a difference has no words after it.
    for (uint64_t step = 0, first = 0, more = 0; !error && !more && (!stopped || r.has_word); step++) {
        int played = player.step(player.self, &valid, &data);
        if (played < 0) error = played;
        more = played > 0;
        if (error || !valid) break;
        bool any = false;
        for (uint32_t v = 0; v < crl_topology_nodes(r.topology) && !any; v++) any = valid[v];
        if (any && first == 0) first = step + 1;
        if (any) error = compare_cycle(&r, step, step - (first - 1), valid, data, diag);
    }
    while (!error && r.has_word) {
        error = note(&r, r.round - 1, r.word.cycle, r.word.node, r.word.port, NULL, &r.word.data);
        if (!error) error = next_word(&r, diag);
    }
    crl_expected_free(expected);
    return error ? error
           : r.wrong
               ? crl_fail(diag, CRL_ERR_MISMATCH, "the trace differs from the schedule in %" PRIu64 " words", r.wrong)
               : 0;
}
