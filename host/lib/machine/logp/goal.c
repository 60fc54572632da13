// SPDX-License-Identifier: Apache-2.0
// Schedules of a LogP machine as GOAL text, which the simulator LogGOPSim plays (its txt2bin reads it): a block for
// each rank with its sends, receives and what each waits for. A clock of `calc` on a second CPU holds every send back
// until its time, so the simulator ends when the schedule does, or later where a message is late.
#include "base/base.h"
#include "machine/logp/schedule.h"
#include <stdlib.h>

static uint64_t key_src(const void *sends, uint32_t i) { return ((const struct crl_logp_send *)sends)[i].src; }

static uint64_t key_reception(const void *sends, uint32_t i)
{
    const struct crl_logp_send *s = (const struct crl_logp_send *)sends + i;
    return (uint64_t)s->dst << 32 | s->rtime;
}

struct goal {
    const struct crl_logp_schedule *schedule;
    const struct crl_logp_problem *problem;
    FILE *file;
};

// When a rank may send on what it got in `in`.
static uint64_t usable(const struct goal *g, const struct crl_logp_send *in)
{
    return in->rtime + (uint64_t)g->problem->machine.o + (g->problem->kind == CRL_LOGP_SUMMATION);
}

// What send number i of a rank waits for: the reception of its item, or all that came since send number i − 1.
static void write_needs(const struct goal *g, uint32_t i, const struct crl_logp_send *s,
                        const struct crl_logp_send *before, const uint32_t *in, uint32_t received)
{
    bool all = crl_logp_combines(g->problem);
    for (uint32_t r = 0; r < received; r++) {
        const struct crl_logp_send *x = &g->schedule->sends[in[r]];
        if (usable(g, x) > s->time || (all ? before && usable(g, x) <= before->time : x->item != s->item)) continue;
        fprintf(g->file, "s%u requires r%u\n", i, r);
        if (!all) break;
    }
}

static void write_rank(const struct goal *g, uint32_t rank, const uint32_t *out, uint32_t sent, const uint32_t *in,
                       uint32_t received)
{
    const struct crl_logp_send *sends = g->schedule->sends, *before = NULL;
    fprintf(g->file, "\nrank %u {\n", rank);
    for (uint32_t r = 0; r < received; r++)
        fprintf(g->file, "r%u: recv 1b from %u tag %u\n", r, sends[in[r]].src, sends[in[r]].item);
    for (uint32_t i = 0; i < sent; i++) {
        const struct crl_logp_send *s = &sends[out[i]];
        fprintf(g->file, "c%u: calc %u cpu 1\n", i, s->time - (before ? before->time : 0));
        if (i) fprintf(g->file, "c%u requires c%u\n", i, i - 1);
        fprintf(g->file, "s%u: send 1b to %u tag %u\ns%u requires c%u\n", i, s->dst, s->item, i, i);
        write_needs(g, i, s, before, in, received);
        before = s;
    }
    fputs("}\n", g->file);
}

int crl_logp_write_goal(const struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem, FILE *file,
                        struct crl_diag *diag)
{
    const struct crl_logp *m = &problem->machine;
    uint32_t count = (uint32_t)schedule->count, *out = malloc(sizeof *out * (2 * (size_t)count + 1)), *in = out + count;
    if (!out) return crl_fail_memory(diag);
    for (uint32_t i = 0; i < count; i++) out[i] = in[i] = i;
    if (crl_sort_order(out, count, key_src, schedule->sends, CRL_LOGP_P_MAX) ||
        crl_sort_order(in, count, key_reception, schedule->sends, UINT64_MAX)) {
        free(out);
        return crl_fail_memory(diag);
    }
    fprintf(file, "// %s; LogGOPSim -L %u -o %u -g %u -G 0 -O 0 ends at %llu\n// collective %s\nnum_ranks %u\n",
            crl_logp_problem_name(problem), m->L, m->o, m->g, (unsigned long long)crl_logp_schedule_slots(schedule, m),
            crl_logp_problem_name(problem), m->P);
    struct goal goal = {schedule, problem, file};
    for (uint32_t rank = 0, o = 0, i = 0; rank < m->P; rank++) {
        uint32_t first_out = o, first_in = i;
        while (o < count && schedule->sends[out[o]].src == rank) o++;
        while (i < count && schedule->sends[in[i]].dst == rank) i++;
        write_rank(&goal, rank, out + first_out, o - first_out, in + first_in, i - first_in);
    }
    free(out);
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the schedule") : 0;
}
