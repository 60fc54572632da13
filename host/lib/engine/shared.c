// SPDX-License-Identifier: Apache-2.0
// The part of a network that this process simulates, where several share a run: to its simulation, links from nodes of
// others are inputs without a source, which are handed the words that came.
#include "base/base.h"
#include "base/parallel.h"
#include "engine/kind.h"
#include <stdlib.h>
#include <string.h>

struct input {
    uint32_t node, port; // here
    uint32_t from;       // of all nodes
    uint32_t lag;        // steps more than one that its words take
};

struct crl_rtl_shared {
    struct crl_border *border;
    uint32_t all;
    struct input *input;
    uint32_t inputs;
    uint32_t *sent; // [all] masks of the words on the links, and those, [all][ports]
    uint64_t *data;
    bool under_way; // what was sent last is still to come in
    // Words on links that take longer: [span][inputs], those that came last at `now`.
    uint32_t span, now;
    bool *there;
    uint64_t *word;
};

int crl_rtl_share(struct crl_rtl *e, const struct crl_image *image, const struct crl_context *context,
                  uint32_t **node_table)
{
    e->nodes = crl_share_nodes(context, image->nodes, &e->node0);
    if (e->nodes == image->nodes) return 0;
    uint32_t *number = malloc(sizeof *number * image->tables), *of = *node_table = malloc(sizeof *of * e->nodes);
    e->table = malloc(sizeof *e->table * e->nodes);
    if (number && of && e->table) {
        e->tables = 0;
        for (uint32_t t = 0; t < image->tables; t++) number[t] = CRL_NONE;
        for (uint32_t v = 0; v < e->nodes; v++) {
            uint32_t t = image->node_table[e->node0 + v];
            if (number[t] == CRL_NONE) {
                e->table[e->tables] = t;
                number[t] = e->tables++;
            }
            of[v] = number[t];
        }
    }
    free(number);
    return number && of && e->table ? 0 : CRL_ERR_MEMORY;
}

bool crl_rtl_speaks_for(const struct crl_rtl *e, const struct crl_image *image, uint32_t table)
{
    for (uint32_t v = 0; v < e->node0; v++)
        if (image->node_table[v] == table) return false;
    return true;
}

static int list_inputs(struct crl_rtl *e, const struct crl_topology *t, uint32_t slot_cycles)
{
    struct crl_rtl_shared *s = e->shared;
    s->input = malloc(sizeof *s->input * e->nodes * e->ports);
    if (!s->input) return CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < e->nodes; v++)
        for (uint32_t p = 0; p < e->ports; p++) {
            uint32_t from = crl_topology_behind(t, e->node0 + v, p);
            if (from == CRL_NONE || from - e->node0 < e->nodes) continue;
            s->input[s->inputs++] = (struct input){v, p, from, (crl_topology_latency(t, from, p) - 1) * slot_cycles};
        }
    s->span = (crl_topology_latency_max(t) - 1) * slot_cycles + 1;
    s->there = calloc((size_t)s->span * s->inputs + 1, sizeof *s->there);
    s->word = malloc(((size_t)s->span * s->inputs + 1) * sizeof *s->word);
    return s->there && s->word ? 0 : CRL_ERR_MEMORY;
}

int crl_rtl_share_links(struct crl_rtl *e, const struct crl_topology *topology, uint32_t slot_cycles)
{
    const uint32_t all = crl_topology_nodes(topology);
    if (e->nodes == all) return 0;
    struct crl_rtl_shared *s = e->shared = calloc(1, sizeof *s);
    if (!s) return CRL_ERR_MEMORY;
    s->all = all;
    s->sent = calloc(all, sizeof *s->sent);
    s->data = calloc((size_t)all * e->ports, sizeof *s->data);
    int error = s->sent && s->data ? list_inputs(e, topology, slot_cycles) : CRL_ERR_MEMORY;
    return error ? error : crl_border_new(&s->border, e->options.context, topology, e->ports);
}

void crl_rtl_share_done(struct crl_rtl *e)
{
    struct crl_rtl_shared *s = e->shared;
    if (!s) return;
    crl_border_free(s->border);
    CRL_FREE(s->input, s->sent, s->data, s->there, s->word, s);
}

int crl_rtl_share_forget(struct crl_rtl *e)
{
    struct crl_rtl_shared *s = e->shared;
    if (!s->under_way) return 0;
    s->under_way = false;
    return crl_border_wait(s->border, s->sent, s->data);
}

int crl_rtl_share_take(struct crl_rtl *e)
{
    struct crl_rtl_shared *s = e->shared;
    if (!s->under_way) return 0;
    memset(s->sent, 0, sizeof *s->sent * s->all);
    int error = crl_rtl_share_forget(e);
    s->now = (s->now + 1) % s->span;
    for (uint32_t i = 0; i < s->inputs && !error; i++) {
        const struct input *in = &s->input[i];
        size_t came = (size_t)s->now * s->inputs + i;
        size_t due = (size_t)((s->now + s->span - in->lag) % s->span) * s->inputs + i;
        s->there[came] = s->sent[in->from] >> in->port & 1;
        s->word[came] = s->data[(size_t)in->from * e->ports + in->port];
        if (s->there[due]) crl_sim_inject(e->sim, in->node, in->port, s->word[due]);
    }
    return error;
}

int crl_rtl_share_send(struct crl_rtl *e)
{
    struct crl_rtl_shared *s = e->shared;
    memcpy(s->sent + e->node0, crl_sim_valid(e->sim), sizeof *s->sent * e->nodes);
    memcpy(s->data + (size_t)e->node0 * e->ports, crl_sim_data(e->sim), sizeof *s->data * e->nodes * e->ports);
    s->under_way = true;
    return crl_border_start(s->border, s->sent, s->data);
}

void crl_rtl_share_show(const struct crl_rtl *e, const uint32_t **valid, const uint64_t **data)
{
    *valid = e->shared->sent;
    *data = e->shared->data;
}
