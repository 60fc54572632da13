// SPDX-License-Identifier: Apache-2.0
// The replay page: a template that is embedded at build time (draw/page/*, cmake/embed.cmake) around data as JSON.
#ifndef CRL_DRAW_PAGE_H
#define CRL_DRAW_PAGE_H

#include "schedule/logp.h"
#include "schedule/schedule.h"

// The template: up to the title, from there to the data, and what follows.
extern const char crl_page_before[], crl_page_between[], crl_page_after[];

// A place where something is wrong: in the list of problems its text, and red in the pictures if it names a move.
struct crl_mark {
    uint64_t row;            // of the schedule's file, where it is about one; else 0
    uint32_t slot, src, dst; // slot 0: no move
    char text[200];
};

// What a page says beside the schedule.
struct crl_page {
    const char *summary; // a JSON object
    struct crl_mark *marks;
    size_t mark_count;
};

// Limits of what a browser still shows smoothly. Beyond so many nodes there is no page; of longer schedules a page
// holds the first slots, and says so.
enum { CRL_PAGE_NODES_MAX = 4096, CRL_PAGE_SLOTS_MAX = 1 << 16, CRL_PAGE_MOVES_MAX = 1 << 20 };

// A page is the frame around one object, or around several side by side. Begin takes what stands in the title bar.
void crl_page_begin(const char *title, FILE *file);
int crl_page_end(FILE *file, struct crl_diag *diag);

// Writes the object of a schedule, which may break rules: what is outside the network is left out. Fails with
// CRL_ERR_LIMIT beyond CRL_PAGE_NODES_MAX nodes, before anything of it is written.
int crl_draw_page(const struct crl_schedule *schedule, const struct crl_problem *problem, const struct crl_page *page,
                  FILE *file, struct crl_diag *diag);
// The same of a LogP machine's.
int crl_draw_logp_page(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem,
                       const struct crl_page *page, FILE *file, struct crl_diag *diag);

// Begins the object of a kind of page, with the summary and what is wrong as its first fields. It ends with a brace.
void crl_page_open(const struct crl_page *page, const char *kind, FILE *file);

#endif
