// SPDX-License-Identifier: Apache-2.0
// A toy format of schedules, for tests/extend/run: who sends to whom, as a graph for Graphviz.
#include "machine/slots/slots.h"

int slots_write_dot(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    struct crl_schedule full;
    int error = crl_schedule_expand(&full, &slots_schedule_in(schedule)->schedule, diag);
    if (error) return error;
    fputs("digraph schedule {\n", file);
    for (size_t i = 0; i < full.count; i++)
        fprintf(file, "  %u -> %u [label=\"%u\"];\n", full.moves[i].src, full.moves[i].dst, full.moves[i].slot);
    fputs("}\n", file);
    crl_schedule_done(&full);
    return 0;
}
