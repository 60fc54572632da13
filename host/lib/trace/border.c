// SPDX-License-Identifier: Apache-2.0
// Links between nodes played here and nodes that other processes play: their words are swapped once a row. Both ends
// list the links in the order of nodes and ports of the senders, so words need no names.
#include "trace/border.h"
#include "base/base.h"
#include "base/parallel.h"
#include <stdlib.h>

// The words on some links: all of them, then a byte each that says whether there is one.
struct words {
    uint32_t *node, *port; // [count] of the sender
    uint32_t count;
    char *bytes;
};
enum { WORD = sizeof(uint64_t) + 1 };

struct crl_border {
    const struct carillon_share *share;
    uint32_t ports, peers;
    uint32_t first, nodes;  // played here
    struct words *out, *in; // [peers]
    struct carillon_swap *swap;
};

static uint32_t rank_of(const struct carillon_share *share, uint32_t nodes, uint32_t node)
{
    uint32_t rank = (uint32_t)((uint64_t)node * share->ranks / nodes); // or the next one, as blocks are rounded down
    while (crl_share_first(nodes, rank + 1, share->ranks) <= node) rank++;
    return rank;
}

static int list_link(struct words *w, uint32_t node, uint32_t port)
{
    if (!(w->count & (w->count - 1))) { // a power of two: full
        size_t room = w->count ? 2 * (size_t)w->count : 1;
        if (CRL_RESIZE(room, {&w->node, sizeof *w->node}, {&w->port, sizeof *w->port})) return CRL_ERR_MEMORY;
    }
    w->node[w->count] = node;
    w->port[w->count++] = port;
    return 0;
}

static int list_links(struct crl_border *b, const struct crl_topology *t)
{
    const uint32_t all = crl_topology_nodes(t);
    int error = 0;
    for (uint32_t v = 0; v < all; v++)
        for (uint32_t p = 0; p < b->ports && !error; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE) continue;
            bool leaves = v - b->first < b->nodes, comes = to - b->first < b->nodes;
            if (leaves && !comes) error = list_link(&b->out[rank_of(b->share, all, to)], v, p);
            if (comes && !leaves) error = list_link(&b->in[rank_of(b->share, all, v)], v, p);
        }
    return error;
}

static int list_peers(struct crl_border *b)
{
    struct words *out = b->out, *in = b->in;
    for (uint32_t r = 0; r < b->share->ranks; r++) {
        if (!out[r].count && !in[r].count) continue;
        out[r].bytes = calloc(out[r].count + UINT64_C(1), WORD);
        in[r].bytes = calloc(in[r].count + UINT64_C(1), WORD);
        if (!out[r].bytes || !in[r].bytes) return CRL_ERR_MEMORY;
        b->swap[b->peers++] = (struct carillon_swap){r, (size_t)out[r].count * WORD, (size_t)in[r].count * WORD,
                                                     out[r].bytes, in[r].bytes};
    }
    return 0;
}

int crl_border_new(struct crl_border **border, const struct crl_context *context, const struct crl_topology *topology,
                   uint32_t ports)
{
    *border = NULL;
    if (!context || !context->share || context->share->ranks == 1) return 0;
    struct crl_border *b = *border = calloc(1, sizeof *b);
    if (!b) return CRL_ERR_MEMORY;
    b->share = context->share;
    b->ports = ports;
    b->nodes = crl_share_nodes(context, crl_topology_nodes(topology), &b->first);
    b->out = calloc(b->share->ranks, sizeof *b->out);
    b->in = calloc(b->share->ranks, sizeof *b->in);
    b->swap = calloc(b->share->ranks, sizeof *b->swap);
    int error = b->out && b->in && b->swap ? list_links(b, topology) : CRL_ERR_MEMORY;
    if (!error) error = list_peers(b);
    return error;
}

void crl_border_free(struct crl_border *b)
{
    if (!b) return;
    for (uint32_t r = 0; r < 2 * b->share->ranks; r++) {
        struct words *side = r % 2 ? b->out : b->in;
        if (!side) continue;
        CRL_FREE(side[r / 2].node, side[r / 2].port, side[r / 2].bytes);
    }
    CRL_FREE(b->out, b->in, b->swap, b);
}

int crl_border_start(struct crl_border *b, const uint32_t *sent, const uint64_t *data)
{
    for (uint32_t i = 0; i < b->peers; i++) {
        const struct words *w = &b->out[b->swap[i].rank];
        uint64_t *words = (uint64_t *)(void *)w->bytes;
        for (uint32_t k = 0; k < w->count; k++) {
            words[k] = data[(size_t)w->node[k] * b->ports + w->port[k]];
            w->bytes[sizeof *words * w->count + k] = sent[w->node[k]] >> w->port[k] & 1;
        }
    }
    return b->share->start(b->share->user, b->swap, b->peers);
}

int crl_border_wait(struct crl_border *b, uint32_t *sent, uint64_t *data)
{
    int error = b->share->wait(b->share->user);
    for (uint32_t i = 0; i < b->peers && !error; i++) {
        const struct words *w = &b->in[b->swap[i].rank];
        const uint64_t *words = (const uint64_t *)(const void *)w->bytes;
        for (uint32_t k = 0; k < w->count; k++) {
            data[(size_t)w->node[k] * b->ports + w->port[k]] = words[k];
            if (w->bytes[sizeof *words * w->count + k]) sent[w->node[k]] |= UINT32_C(1) << w->port[k];
        }
    }
    return error;
}
