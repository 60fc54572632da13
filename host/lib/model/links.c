// SPDX-License-Identifier: Apache-2.0
// Links that take longer than a slot: words that were sent wait here until they arrive.
#include "model/state.h"
#include <stdlib.h>
#include <string.h>

struct crl_model_links {
    uint32_t nodes, ports;
    uint32_t span;  // rows that are remembered
    uint32_t now;   // the one that was played last, modulo span
    uint32_t *lag;  // [nodes][ports] rows that a word waits on the link that leaves a node by a port; CRL_NONE: no link
    uint32_t *sent; // [span][nodes] ports on which words left
    uint64_t *data; // [span][nodes][ports] those words
};

void crl_model_links_free(struct crl_model_links *l)
{
    if (!l) return;
    CRL_FREE(l->lag, l->sent, l->data, l);
}

int crl_model_links_new(struct crl_model_links **out, const struct crl_image *image, const struct crl_topology *t)
{
    *out = NULL;
    if (crl_topology_latency_max(t) == 1) return 0;
    uint32_t slot = crl_slot_cycles(&image->geometry, image->port_model);
    struct crl_model_links *l = calloc(1, sizeof *l);
    if (!l) return CRL_ERR_MEMORY;
    *l = (struct crl_model_links){.nodes = image->nodes, .ports = image->geometry.ports};
    l->span = (crl_topology_latency_max(t) - 1) * slot + 1;
    size_t links = (size_t)l->nodes * l->ports;
    l->lag = malloc(sizeof *l->lag * links);
    l->sent = calloc((size_t)l->span * l->nodes, sizeof *l->sent);
    l->data = calloc(l->span * links, sizeof *l->data);
    if (!l->lag || !l->sent || !l->data) {
        crl_model_links_free(l);
        return CRL_ERR_MEMORY;
    }
    for (uint32_t v = 0; v < l->nodes; v++)
        for (uint32_t p = 0; p < l->ports; p++)
            l->lag[(size_t)v * l->ports + p] =
                crl_topology_neighbor(t, v, p) == CRL_NONE ? CRL_NONE : (crl_topology_latency(t, v, p) - 1) * slot;
    *out = l;
    return 0;
}

uint64_t crl_model_links_pass(struct crl_model_links *l, uint32_t *sent, uint64_t *data, const uint32_t **left,
                              const uint64_t **leaving)
{
    uint64_t arrive = 0;
    l->now = (l->now + 1) % l->span;
    uint32_t *now = l->sent + (size_t)l->now * l->nodes;
    uint64_t *words = l->data + (size_t)l->now * l->nodes * l->ports;
    memcpy(now, sent, sizeof *now * l->nodes);
    memcpy(words, data, sizeof *words * l->nodes * l->ports);
    for (uint32_t v = 0; v < l->nodes; v++) {
        sent[v] = 0;
        for (uint32_t p = 0; p < l->ports; p++) {
            size_t link = (size_t)v * l->ports + p;
            if (l->lag[link] == CRL_NONE) continue;
            uint32_t then = (l->now + l->span - l->lag[link]) % l->span;
            if (!(l->sent[(size_t)then * l->nodes + v] >> p & 1)) continue;
            sent[v] |= UINT32_C(1) << p;
            data[link] = l->data[(size_t)then * l->nodes * l->ports + link];
            arrive++;
        }
    }
    *left = now;
    *leaving = words;
    return arrive;
}
