// SPDX-License-Identifier: Apache-2.0
// Certificates of bounds on links: written for a problem, and held against one.
#include "base/base.h"
#include "machine/slots/slots.h"
#include "problem/bound.h"
#include <string.h>

static int certificate(const struct carillon_problem *problem, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(crl_certificate_done) struct crl_certificate c = {0};
    int error = crl_bound_certificate(&c, slots_said(problem), diag);
    if (!error) error = crl_certificate_write(&c, file, diag);
    return error;
}

// A graph is the file it is from, in whatever folder that lies.
static bool same_topology(const char *a, const char *b)
{
    bool graphs = !strncmp(a, "graph:", 6) && !strncmp(b, "graph:", 6);
    const char *x = graphs ? strrchr(a, '/') : NULL, *y = graphs ? strrchr(b, '/') : NULL;
    return !strcmp(x ? x + 1 : graphs ? a + 6 : a, y ? y + 1 : graphs ? b + 6 : b);
}

static int differs(const char *name, const char *what, const char *said, const char *found, struct crl_diag *diag)
{
    return crl_fail_at(diag, CRL_ERR_RULE, name, 0, 0, "the certificate is of the %s '%.100s', not '%.100s'", what,
                       found, said);
}

static int same_number(const char *what, uint32_t said, uint32_t found, const char *name, struct crl_diag *diag)
{
    char texts[2][12];
    snprintf(texts[0], sizeof texts[0], "%u", said);
    snprintf(texts[1], sizeof texts[1], "%u", found);
    return said == found ? 0 : differs(name, what, texts[0], texts[1], diag);
}

// Whether it is about the problem; of ports, which are printed, only what was said counts.
static int compare(const struct crl_certificate *c, const struct carillon_problem *problem, const char *name,
                   struct crl_diag *diag)
{
    const struct crl_problem *p = slots_said(problem);
    const struct carillon_options *o = &problem->options;
    char text[64];
    const char *topology = crl_topology_name(p->topology), *latency = crl_bound_latency_text(p->topology, text);
    const char *found = c->single ? "single" : "all";
    if (strcmp(c->collective, crl_problem_name(p)))
        return differs(name, "collective", crl_problem_name(p), c->collective, diag);
    if (!same_topology(c->topology, topology)) return differs(name, "topology", topology, c->topology, diag);
    if (o->ports && strcmp(o->ports, found)) return differs(name, "port model", o->ports, found, diag);
    if (strcmp(c->latency, latency))
        return differs(name, "link latency", *latency ? latency : "1", *c->latency ? c->latency : "1", diag);
    bool rooted = crl_problem_has_root(p), chunks = crl_problem_takes_chunks(p);
    int error = rooted ? same_number("root", p->root, c->root, name, diag) : 0;
    if (!error) error = same_number("number of parts", chunks && rooted ? p->chunks : p->parts, c->parts, name, diag);
    if (!error && chunks && !rooted)
        error =
            same_number("number of chunks", p->chunks, c->chunks ? c->chunks : crl_problem_usual_chunks(p), name, diag);
    return error;
}

static int certify(const struct carillon_problem *problem, FILE *file, const char *name, json_t **proved,
                   struct crl_diag *diag)
{
    CRL_ENDED(crl_certificate_done) struct crl_certificate c = {0};
    int error = crl_certificate_read(&c, file, name, diag);
    if (!error) error = compare(&c, problem, name, diag);
    if (!error)
        error = crl_certificate_check(&c, slots_said(problem)->topology, slots_said(problem)->demands, problem->context,
                                      name, diag);
    if (!error)
        *proved = json_pack("{s:s, s:s, s:s, s:I, s:s, s:b}", "algorithm", c.collective, "topology", c.topology,
                            "ports", c.single ? "single" : "all", "slots", (json_int_t)c.slots, "kind",
                            crl_certificate_kind_name(c.kind), "proved", 1);
    if (!error && crl_problem_has_root(slots_said(problem))) json_object_set_new(*proved, "root", json_integer(c.root));
    if (!error && c.parts > 1) json_object_set_new(*proved, "parts", json_integer(c.parts));
    if (!error && c.chunks) json_object_set_new(*proved, "chunks", json_integer(c.chunks));
    return error;
}

const struct crl_evidence slots_evidence = {certificate, certify, slots_sums};
