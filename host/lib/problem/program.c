// SPDX-License-Identifier: Apache-2.0
// Programs: a step a line, after the one before or at once with it.
#include "base/base.h"
#include "problem/groups.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LETTERS = 8191 };

static int finish(struct crl_demands *demands, struct crl_diag *diag)
{
    demands->unnumbered = true;
    return crl_demands_finish(demands, diag);
}

int crl_groups_read(struct crl_demands *demands, const struct crl_topology *topology, const char *groups, uint64_t seed,
                    struct crl_diag *diag)
{
    struct crl_step step = {.place = {"<group>", 0, 1, diag}, .prefix = "", .seed = seed};
    int error = 0;
    char *copy = strdup(groups), *rest = NULL;
    *demands = (struct crl_demands){.name = "<group>"};
    if (!copy) return crl_fail_memory(diag);
    for (char *line = strtok_r(copy, "\n", &rest); line && !error; line = strtok_r(NULL, "\n", &rest)) {
        step.text = line;
        step.place.line++;
        error = crl_step_add(demands, topology, &step);
        step.seed++; // several random groups differ
    }
    free(copy);
    return error ? error : finish(demands, diag);
}

// ---------------------------------------------------------------- programs

struct program {
    struct crl_reader r;
    struct crl_demands *demands;
    const struct crl_topology *topology;
    struct crl_step step;
    uint32_t steps;
    char line[LINE_MAX_LETTERS + 1];
    struct crl_diag *diag;
};

// Reads a line without its comment and the blanks at its end.
static int read_line(struct program *p)
{
    size_t length = 0;
    bool comment = false;
    p->step.place.line = p->r.line;
    for (; p->r.c != '\n' && p->r.c != EOF; crl_reader_next(&p->r)) {
        comment |= p->r.c == '#';
        if (!comment && (!p->r.c || length == LINE_MAX_LETTERS))
            return crl_fail_at(p->diag, CRL_ERR_PARSE, p->r.name, p->r.line, length + 1, "%s",
                               p->r.c ? "a line of more than 8191 letters" : "a byte of value 0");
        if (!comment) p->line[length++] = (char)p->r.c;
    }
    if (p->r.c == '\n') crl_reader_next(&p->r);
    while (length && strchr(" \t\r", p->line[length - 1])) length--;
    p->line[length] = '\0';
    return 0;
}

static int fail(const struct program *p, const char *at, const char *what)
{
    return crl_fail_at(p->diag, CRL_ERR_PARSE, p->r.name, p->step.place.line, (uint64_t)(at - p->line) + 1, "%s", what);
}

static int read_step(struct program *p)
{
    char prefix[16];
    const char *at = p->line + strspn(p->line, " \t");
    bool with = !strncmp(at, "with", 4) && (!at[4] || strchr(" \t", at[4]));
    if (with && !p->steps) return fail(p, at, "'with' is at once with the step before, and there is none");
    if (with) at += 4 + strspn(at + 4, " \t");
    if (with && !*at) return fail(p, at, "a step was expected behind 'with'");
    if (!with && p->steps) p->step.stage++;
    snprintf(prefix, sizeof prefix, "s%u/", ++p->steps);
    p->step.prefix = prefix;
    p->step.text = at;
    p->step.place.col = (uint64_t)(at - p->line) + 1;
    p->step.groups = 0;
    int error = crl_step_add(p->demands, p->topology, &p->step);
    p->step.seed++;
    return error;
}

int crl_program_read(struct crl_demands *demands, const struct crl_topology *topology, FILE *file, const char *name,
                     uint64_t seed, struct crl_diag *diag)
{
    CRL_OWNED struct program *p = calloc(1, sizeof *p);
    *demands = (struct crl_demands){0};
    if (!p) return crl_fail_memory(diag);
    snprintf(demands->name, sizeof demands->name, "%s", name);
    p->demands = demands;
    p->topology = topology;
    p->diag = diag;
    p->step = (struct crl_step){.place = {demands->name, 1, 1, diag}, .seed = seed};
    crl_reader_init(&p->r, file, demands->name);
    int error = crl_refuse_mark(p->r.bytes, p->r.filled, demands->name, diag);
    while (!error && p->r.c != EOF) {
        error = read_line(p);
        if (!error && p->line[strspn(p->line, " \t")]) error = read_step(p);
    }
    if (!error && !p->steps) error = fail(p, p->line, "no step");
    return error ? error : finish(demands, diag);
}
