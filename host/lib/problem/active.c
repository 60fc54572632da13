// SPDX-License-Identifier: Apache-2.0
// The active nodes of a partial collective, as text.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *text, *at;
    uint32_t nodes;
    bool *active; // [nodes]
    struct crl_diag *diag;
};

static int bad(const struct parser *p, const char *format)
{
    return crl_fail_at(p->diag, CRL_ERR_ARGUMENT, "<active>", 1, (uint64_t)(p->at - p->text) + 1, format, p->text,
                       p->nodes ? p->nodes - 1 : 0);
}

static int number(struct parser *p, uint32_t *value)
{
    const char *before = p->at;
    if (!crl_topology_number(&p->at, value)) return bad(p, "expected the number of a node in '%.80s'");
    if (*value < p->nodes) return 0;
    p->at = before;
    return bad(p, "'%.80s' names a node beyond the last, %u");
}

static int list(struct parser *p)
{
    do {
        uint32_t first, last;
        const char *before = p->at;
        int error = number(p, &first);
        if (error) return error;
        last = first;
        if (*p->at == '-') {
            p->at++;
            if ((error = number(p, &last))) return error;
        }
        if (last < first) return p->at = before, bad(p, "a range in '%.80s' ends before it begins");
        for (uint32_t v = first; v <= last; v++) {
            if (p->active[v]) return p->at = before, bad(p, "'%.80s' names a node twice");
            p->active[v] = true;
        }
    } while (*p->at == ',' && p->at++);
    return *p->at ? bad(p, "expected ',' or the end in '%.80s'") : 0;
}

// `count` of the nodes: the first of a random order of all.
static int random_nodes(struct parser *p, uint64_t seed)
{
    uint32_t count, picked = 0, bits = crl_bits_for(p->nodes) ? crl_bits_for(p->nodes) : 1;
    const char *before = p->at;
    if (!crl_topology_number(&p->at, &count) || *p->at) return bad(p, "expected a number of nodes in '%.80s'");
    if (count > p->nodes) return p->at = before, bad(p, "'%.80s' asks for more nodes than there are; the last is %u");
    for (uint64_t i = 0; picked < count; i++) {
        uint64_t v = crl_permute(i, bits, seed);
        if (v >= p->nodes) continue;
        p->active[v] = true;
        picked++;
    }
    return 0;
}

int crl_active_parse(uint32_t **active, uint32_t *count, const char *text, uint32_t nodes, uint64_t seed,
                     struct crl_diag *diag)
{
    struct parser p = {text, text, nodes, calloc(nodes, sizeof(bool)), diag};
    *active = malloc(sizeof **active * nodes);
    *count = 0;
    int error = p.active && *active ? 0 : crl_fail_memory(diag);
    if (!error && !strncmp(text, "random:", 7)) {
        p.at += 7;
        error = random_nodes(&p, seed);
    } else if (!error && strcmp(text, "none")) {
        error = list(&p);
    }
    for (uint32_t v = 0; v < nodes && !error; v++)
        if (p.active[v]) (*active)[(*count)++] = v;
    free(p.active);
    if (error) {
        free(*active);
        *active = NULL;
    }
    return error;
}
