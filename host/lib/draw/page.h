// SPDX-License-Identifier: Apache-2.0
// The replay page: a template that is embedded at build time (draw/page/*, cmake/embed.cmake) around data as JSON.
#ifndef CRL_DRAW_PAGE_H
#define CRL_DRAW_PAGE_H

#include "schedule/schedule.h"

// The template: up to the title, from there to the data, and what follows.
extern const char crl_page_before[], crl_page_between[], crl_page_after[];

// A place where something is wrong: in the list of problems its text, and red in the pictures if it names a move.
struct crl_mark {
    uint64_t row;            // of the schedule's file, where it is about one; else 0
    uint32_t slot, src, dst; // slot 0: no move
    char text[200];
};

// A word of counting that on-line routers send before any packet.
struct crl_count {
    uint32_t slot, src, dst, value;
};

// What a page says beside the schedule.
struct crl_page {
    const struct crl_count *counts; // by slot
    size_t count_count;
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
// The same of what was played of random broadcasts: lists as text, of each slot the number of packets that each node
// stores at its beginning ("[0,1,…]"), and its moves as in other pages ("[slot,src,~dst,origin,number,…]"); the words
// of counting ("[slot,src,dst,value]"); how many packets came to each node; slots that are in the lists, and that were
// played.
struct crl_traffic_record {
    const char *stored, *moves, *counts;
    const uint32_t *need;
    uint32_t slots, played;
};
int crl_draw_traffic_page(const struct crl_topology *topology, const struct crl_page *page,
                          const struct crl_traffic_record *record, FILE *file, struct crl_diag *diag);

// Begins the object of a kind of page, with the summary and what is wrong as its first fields. It ends with a brace.
void crl_page_open(const struct crl_page *page, const char *kind, FILE *file);

#endif
