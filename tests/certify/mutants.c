// SPDX-License-Identifier: Apache-2.0
// Certificates with random edits never prove more than can be reached: for each of some small problems there is a
// schedule, planned and checked here, and no certificate of its problem may claim more slots than it takes.
//
// usage: mutants [COUNT [SEED]]
#include "base/base.h"
#include "api/machine.h"
#include "machine/slots/slots.h"
#include "problem/bound.h"
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4096, TEXT_MAX = 1 << 16 };

static const char *const problems[][3] = {
    {"broadcast", "ring:5", "single"},
    {"broadcast", "mesh:3x3", "single"},
    {"broadcast", "torus:3x3", "single"},
    {"broadcast", "mesh:2x3", "all"},
    {"multinode-broadcast", "mesh:2x3", "all"},
    {"multinode-broadcast", "path:4", "single"},
    {"multinode-broadcast", "ring:5", "all"},
    {"multinode-broadcast", "mesh:2x5", "single"},
    {"scatter", "hypercube:3", "all"},
    {"scatter", "path:4", "single"},
    {"gather", "mesh:2x3", "all"},
    {"gather", "torus:3x3", "single"},
    {"total-exchange", "mesh:2x3", "single"},
    {"total-exchange", "ring:5", "all"},
    {"total-exchange", "hypercube:3", "all"},
    {"total-exchange", "path:4", "single"},
    {"reduce", "ring:5", "single"},
    {"reduce-scatter", "mesh:2x3", "all"},
    {"all-reduce", "mesh:2x3", "all"},
    {"all-reduce", "ring:4", "all"},
    {"all-reduce", "hypercube:2", "single"},
    {"scan", "hypercube:3", "single"},
    {"scan", "path:4", "all"},
    {"total-exchange", "ring:4 boards 2 cable 9,3", "all"},
    {"multinode-broadcast", "ring:4 boards 2 cable 9,3", "all"},
    {"scatter", "ring:4 boards 2 cable 9,3", "all"},
    {"multinode-broadcast", "path:4", "single"}, // by refutation
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

struct subject {
    struct carillon_problem *problem;
    uint64_t reached; // slots of a schedule that breaks no rule
    char *line[256];  // of its certificate, without the header
    uint32_t lines;
};

static uint64_t state;

static uint64_t pick(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static int fail(const char *what)
{
    fprintf(stderr, "mutants: error: %s\n", what);
    return 1;
}

static int subject_init(struct subject *s, const char *const row[3], char *text)
{
    struct carillon_options options = carillon_defaults();
    struct carillon_schedule *schedule;
    struct crl_diag diag;
    options.ports = row[2];
    options.refute = strcmp(row[0], "all-reduce") && strcmp(row[0], "scan") ? 5 : 0;
    if (carillon_problem_new(&s->problem, NULL, row[0], row[1], &options, &diag)) return fail(diag.text);
    if (carillon_plan(&schedule, s->problem, &diag) || carillon_check(schedule, &diag)) return fail(diag.text);
    s->reached = schedule->report.slots;
    carillon_schedule_free(schedule);
    FILE *file = fmemopen(text, TEXT_MAX, "w");
    if (!file || carillon_problem_certificate(s->problem, file, &diag)) return fail(diag.text);
    fclose(file);
    for (char *line = strtok(strstr(text, "kind "), "\n"); line && s->lines < 256; line = strtok(NULL, "\n"))
        s->line[s->lines++] = strdup(line);
    return 0;
}

// A line with some of its numbers changed, or one out of nothing.
static void write_line(FILE *file, const char *line, uint32_t nodes)
{
    static const char *const words[] = {"link", "send", "recv", "to", "part", "from", "clause"};
    if (!pick(8)) {
        fputs(words[pick(7)], file);
        for (uint64_t n = 1 + pick(5); n > 0; n--)
            if (pick(6)) fprintf(file, " %llu", (unsigned long long)pick(nodes));
            else fputs(" *", file);
    } else {
        for (; *line; line++)
            if (*line >= '0' && *line <= '9' && !pick(4)) fprintf(file, "%llu", (unsigned long long)pick(nodes + 2));
            else putc(*line, file);
    }
    putc('\n', file);
}

// Writes a certificate of the problem, made of lines of all subjects' certificates, that claims too much.
static void write_mutant(FILE *file, const struct subject *all, const struct subject *s)
{
    static const char *const kinds[] = {"weights", "growth", "partition", "carrier", "sat"};
    const struct crl_problem *p = slots_said(s->problem);
    uint32_t nodes = crl_topology_nodes(p->topology);
    fprintf(file, "topology %s\ncollective %s\nports %s\nslots %llu\n", crl_topology_name(p->topology),
            crl_problem_name(p), p->ports == CRL_PORTS_SINGLE ? "single" : "all",
            (unsigned long long)(s->reached + 1 + (pick(4) ? 0 : pick(5))));
    if (pick(8)) fprintf(file, "%s\n", s->line[0]);
    else fprintf(file, "kind %s\n", kinds[pick(5)]);
    for (uint32_t i = 1; i < s->lines; i++)
        if (pick(10)) write_line(file, s->line[i], nodes);
    const struct subject *other = &all[pick(PROBLEMS)];
    for (uint64_t n = pick(3); n > 0 && other->lines > 1; n--)
        write_line(file, other->line[1 + pick(other->lines - 1)], nodes);
}

int main(int argc, char **argv)
{
    static struct subject subjects[PROBLEMS];
    static char text[TEXT_MAX];
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, read = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint32_t i = 0; i < PROBLEMS; i++)
        if (subject_init(&subjects[i], problems[i], text)) return 1;
    for (uint64_t i = 0; i < count; i++) {
        const struct subject *s = &subjects[i % PROBLEMS];
        struct crl_certificate c;
        FILE *file = fmemopen(text, TEXT_MAX, "w+");
        if (!file) return fail("no memory");
        write_mutant(file, subjects, s);
        rewind(file);
        int error = crl_certificate_read(&c, file, "mutant", NULL);
        fclose(file);
        read += !error;
        if (!error && !crl_certificate_check(&c, slots_said(s->problem)->topology, NULL, NULL, "mutant", NULL)) {
            fprintf(stderr, "%s", text);
            return fail("the certificate above proves more than a schedule takes");
        }
        crl_certificate_done(&c);
    }
    printf("%llu mutants, of which %llu parse; none proves too much\n", (unsigned long long)count,
           (unsigned long long)read);
    for (uint32_t i = 0; i < PROBLEMS; i++) {
        carillon_problem_free(subjects[i].problem);
        for (uint32_t k = 0; k < subjects[i].lines; k++) free(subjects[i].line[k]);
    }
    return read * 4 > count ? 0 : fail("most mutants do not parse");
}
