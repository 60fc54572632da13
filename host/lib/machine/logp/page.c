// SPDX-License-Identifier: Apache-2.0
// The replay page of a schedule on a LogP machine: its parameters and its messages.
#include "machine/logp/draw.h"
#include <inttypes.h>

enum { TIME_MAX = 1 << 20 }; // that a page shows

int crl_draw_logp_page(const struct crl_logp_schedule *s, const struct crl_logp_problem *problem,
                       const struct crl_page *page, FILE *file, struct crl_diag *diag)
{
    const struct crl_logp *machine = &problem->machine;
    const char *gap = "";
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
