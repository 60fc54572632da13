// SPDX-License-Identifier: Apache-2.0
// The replay page of a schedule on a LogP machine: its parameters and its messages.
#include "draw/page.h"
#include "machine/logp/logp.h"
#include <inttypes.h>

enum { TIME_MAX = 1 << 20 }; // that a page shows

static void find_moves(struct crl_page *page, const struct crl_logp_schedule *s)
{
    for (size_t i = 0; page->mark_count && i < s->count; i++)
        for (size_t k = 0; k < page->mark_count; k++)
            if (s->sends[i].line && s->sends[i].line == page->marks[k].row) {
                page->marks[k].slot = s->sends[i].time + 1;
                page->marks[k].src = s->sends[i].src;
                page->marks[k].dst = s->sends[i].dst;
            }
}

int logp_page(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file, struct crl_diag *diag)
{
    const struct crl_logp_schedule *s = &logp_schedule_in(schedule)->schedule;
    const struct crl_logp_problem *problem = logp_said(schedule->problem);
    const struct crl_logp *machine = &problem->machine;
    const char *gap = "";
    find_moves(page, s);
    if (machine->P > CRL_PAGE_NODES_MAX || s->count > CRL_PAGE_MOVES_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT,
                        "a page shows up to %d processors and %d messages, not '%" PRIu32 "' and '%zu'",
                        CRL_PAGE_NODES_MAX, CRL_PAGE_MOVES_MAX, machine->P, s->count);
    crl_page_open(page, "logp", file);
    fprintf(file,
            ",\n\"machine\":{\"P\":%" PRIu32 ",\"L\":%" PRIu32 ",\"o\":%" PRIu32 ",\"g\":%" PRIu32 "},\"combines\":%s",
            machine->P, machine->L, machine->o, machine->g, crl_logp_combines(problem) ? "true" : "false");
    uint64_t last = crl_logp_schedule_slots(s, machine);
    fprintf(file, ",\"last\":%" PRIu64 ",\n\"sends\":[", last < TIME_MAX ? last : TIME_MAX);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_logp_send *m = &s->sends[i];
        if (m->src >= machine->P || m->dst >= machine->P || m->time >= TIME_MAX) continue; // named as problems
        fprintf(file, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, gap, m->time, m->src, m->dst, m->item);
        gap = ",\n";
        if (s->buffered) fprintf(file, ",%" PRIu32, m->rtime);
        fputc(']', file);
    }
    fputs("]}", file);
    return 0;
}
