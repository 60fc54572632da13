// SPDX-License-Identifier: Apache-2.0
// The replay page of slot tables, and the still pictures.
#include "draw/draw.h"
#include "draw/figure.h"
#include "draw/page.h"
#include "machine/slots/slots.h"
#include "online/online.h"
#include <stdlib.h>

// Rows are few, and moves are looked through once for all.
static void find_moves(struct crl_page *page, const struct crl_schedule *s)
{
    for (size_t i = 0; i < s->count; i++) {
        uint64_t row = crl_schedule_line(s, i);
        for (size_t k = 0; k < page->mark_count; k++)
            if (page->marks[k].row == row) {
                page->marks[k].slot = s->moves[i].slot;
                page->marks[k].src = s->moves[i].src;
                page->marks[k].dst = s->moves[i].dst;
            }
    }
}

// The words of counting of a schedule that on-line routers find, from a run of them. The caller frees them.
static int find_counting(struct crl_page *page, const struct carillon_schedule *schedule, struct crl_count **counts,
                         struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(schedule->problem);
    const struct crl_algorithm *algorithm = slots_schedule_in(schedule)->algorithm;
    CRL_ENDED(crl_online_run_done) struct crl_online_run run = {0};
    *counts = NULL;
    if (!algorithm || !crl_algorithm_is(algorithm, CRL_HANDLES_ONLINE) ||
        crl_online_kind_of(problem) == CRL_ONLINE_PREFIX)
        return 0;
    int error = crl_online_run(&run, problem, crl_algorithm_is(algorithm, CRL_HANDLES_BALANCED),
                               schedule->problem->options.depth, NULL, diag);
    if (!error) *counts = malloc(sizeof(**counts) * (run.log.count + 1));
    if (!error && !*counts) error = crl_fail_memory(diag);
    for (size_t i = 0; i < run.log.count && !error; i++) {
        const struct crl_link_entry *e = &run.log.entry[i];
        if (e->word.is_count && e->slot <= CRL_PAGE_SLOTS_MAX && page->count_count < CRL_PAGE_MOVES_MAX)
            (*counts)[page->count_count++] = (struct crl_count){e->slot, e->node, e->next, e->word.count};
    }
    page->counts = *counts;
    return error;
}

static int draw_page(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    CRL_ENDED(crl_schedule_done) struct crl_schedule full = {0};
    CRL_OWNED struct crl_count *counts = NULL;
    int error = find_counting(page, schedule, &counts, diag);
    if (!error && page->mark_count && s->folded && s->listed) { // rows are those of the list in full
        error = crl_schedule_expand(&full, s, diag);
        s = &full;
    }
    if (!error && page->mark_count) find_moves(page, s);
    if (!error) error = crl_draw_page(s, slots_said(schedule->problem), page, file, diag);
    return error;
}

// ---------------------------------------------------------------- still pictures

static int draw_table(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,
                      struct crl_diag *diag)
{
    return crl_draw_view(&slots_schedule_in(schedule)->schedule, slots_said(schedule->problem), schedule->scheme, view,
                         file, diag);
}

#define FIGURE(name)                                                                                                   \
    static int draw_##name(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,     \
                           struct crl_diag *diag)                                                                      \
    {                                                                                                                  \
        return crl_draw_##name(&(struct crl_figure){&slots_schedule_in(schedule)->schedule,                            \
                                                    slots_said(schedule->problem), schedule->scheme, view},            \
                               file, diag);                                                                            \
    }
FIGURE(network)
FIGURE(space_time)
FIGURE(tree)
FIGURE(heat)

static const struct crl_view views[] = {
    {"table", false, draw_table}, {"network", true, draw_network}, {"space-time", false, draw_space_time},
    {"tree", false, draw_tree},   {"heat", false, draw_heat},      {NULL, false, NULL}};

const struct crl_pictures slots_pictures = {views, draw_page};
