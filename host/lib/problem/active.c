// SPDX-License-Identifier: Apache-2.0
// The active nodes of a partial collective, and how many packets nodes have, as text.
#include "base/base.h"
#include "problem/problem.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *name, *text, *at;
    const struct crl_names *names; // of the nodes; NULL: they have none
    uint32_t nodes;
    bool *active; // [nodes]
    struct crl_diag *diag;
};

static int bad(const struct parser *p, const char *format)
{
    return crl_fail_at(p->diag, CRL_ERR_ARGUMENT, p->name, 1, (uint64_t)(p->at - p->text) + 1, format, p->text,
                       p->nodes ? p->nodes - 1 : 0);
}

static int number(struct parser *p, uint32_t *value)
{
    const char *before = p->at;
    if (!crl_topology_number(&p->at, value)) *value = crl_names_read(p->names, &p->at);
    if (p->at == before)
        return bad(p, p->names ? "expected a node, by name or number, in '%.80s'"
                               : "expected the number of a node in '%.80s'");
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

int crl_active_parse(uint32_t **active, uint32_t *count, const char *name, const char *text,
                     const struct crl_topology *topology, uint64_t seed, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(topology);
    struct parser p = {name, text, text, crl_topology_names(topology), nodes, calloc(nodes, sizeof(bool)), diag};
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

enum { PACKETS_MAX = 1 << 24 };

static int number_of_packets(struct parser *p, uint32_t *value)
{
    const char *before = p->at;
    if (!crl_topology_number(&p->at, value)) return bad(p, "expected a number of packets in '%.80s'");
    if (*value <= PACKETS_MAX) return 0;
    p->at = before;
    return bad(p, "'%.80s' asks for more than 2^24 packets");
}

static int counts_list(struct parser *p, uint32_t *counts)
{
    uint32_t v = 0;
    do {
        if (v == p->nodes) return bad(p, "'%.80s' has numbers for more nodes than there are; the last is %u");
        int error = number_of_packets(p, &counts[v++]);
        if (error) return error;
    } while (*p->at == ',' && p->at++);
    return *p->at ? bad(p, "expected ',' or the end in '%.80s'") : 0;
}

static int counts_random(struct parser *p, uint64_t seed, uint32_t *counts)
{
    uint32_t packets;
    int error = number_of_packets(p, &packets);
    if (error) return error;
    if (*p->at) return bad(p, "expected the end in '%.80s'");
    for (uint64_t i = 0; i < packets; i++) counts[(crl_permute(i, 32, seed) * p->nodes) >> 32]++;
    return 0;
}

int crl_counts_parse(uint32_t **starts, const char *text, uint32_t nodes, uint64_t seed, struct crl_diag *diag)
{
    struct parser p = {"<counts>", text, text, NULL, nodes, NULL, diag};
    uint64_t sum = 0;
    uint32_t *counts = *starts = calloc(nodes + UINT64_C(1), sizeof **starts);
    if (!counts) return crl_fail_memory(diag);
    bool random = !strncmp(text, "random:", 7);
    p.at += random ? 7 : 0;
    int error = random ? counts_random(&p, seed, counts) : counts_list(&p, counts);
    for (uint32_t v = 0; v <= nodes && !error; v++) {
        uint32_t own = counts[v];
        counts[v] = (uint32_t)sum;
        sum += own;
        if (sum > PACKETS_MAX) error = bad(&p, "'%.80s' asks for more than 2^24 packets");
    }
    if (error) {
        free(*starts);
        *starts = NULL;
    }
    return error;
}
