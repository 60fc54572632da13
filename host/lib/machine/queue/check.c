// SPDX-License-Identifier: Apache-2.0
// Follows one packet of every tree from every node through forwarding tables: each node must be handed it once. On the
// way it counts what every FIFO is offered, which with the gates gives the largest load.
#include "machine/queue/queue.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct crl_queue_tables *tables;
    uint64_t *load;     // [nodes][ports][classes] packets of all (tree, origin)
    uint64_t *loop;     // [nodes][trees]
    uint32_t *came;     // [nodes][ports + 2] packet that last came this way, + 1
    uint8_t *delivered; // [nodes]
    uint32_t *stack;    // of node * (ports + 2) + arrival
    size_t used;
};

static int come(struct walk *walk, uint32_t packet, uint32_t node, uint32_t arrival)
{
    uint32_t at = node * (walk->tables->ports + 2) + arrival;
    if (walk->came[at] == packet + 1) return CRL_ERR_RULE;
    walk->came[at] = packet + 1;
    walk->stack[walk->used++] = at;
    return 0;
}

static int follow(struct walk *walk, uint32_t packet, uint32_t tree, uint32_t origin, struct crl_diag *diag)
{
    const struct crl_queue_tables *t = walk->tables;
    uint32_t d = t->ports;
    memset(walk->delivered, 0, t->nodes);
    walk->used = 0;
    int error = come(walk, packet, origin, d);
    while (walk->used && !error) {
        uint32_t at = walk->stack[--walk->used], node = at / (d + 2), arrival = at % (d + 2);
        const struct crl_forward *f = &crl_queue_forward(t, t->node_table[node], tree)[arrival];
        if (!f->take)
            return crl_fail(diag, CRL_ERR_RULE, "a packet of tree %u from node %u comes to node %u where none may",
                            tree, origin, node);
        if (f->deliver) walk->delivered[node] += walk->delivered[node] < 2;
        for (uint32_t p = 0; p < d && !error; p++) {
            if (!(f->ports >> p & 1)) continue;
            walk->load[((size_t)node * d + p) * t->classes + f->class]++;
            error = come(walk, packet, node ^ 1u << p, p);
        }
        if (f->loop && !error) {
            walk->loop[(size_t)node * t->trees + tree]++;
            error = come(walk, packet, node, d + 1);
        }
        if (error)
            return crl_fail(diag, error, "a packet of tree %u from node %u leaves node %u twice in one way", tree,
                            origin, node);
    }
    for (uint32_t v = 0; v < t->nodes; v++) {
        bool wanted = v != origin || (t->root[tree] != CRL_NONE && t->root[tree] != origin);
        if (walk->delivered[v] != wanted)
            return crl_fail(diag, CRL_ERR_RULE, "a packet of tree %u from node %u reaches node %u %s", tree, origin, v,
                            !walk->delivered[v] ? "never"
                            : wanted            ? "twice"
                                                : "though it need not");
    }
    return 0;
}

// Whether a gate can ever let out a packet of `class`. The second slot of a coin's pair repeats the first's offer.
static bool lets_out(const struct crl_gate *gate, uint32_t class)
{
    return gate->mode != CRL_GATE_CLOSED && gate->mode != CRL_GATE_COIN_SECOND &&
           (gate->a == class || gate->b == class);
}

// `slots` of a period serve `packets` (of one from each node and tree). The smallest ratio decides.
static void note(double *ratio, uint64_t slots, uint64_t packets)
{
    if (packets && (double)slots / (double)packets < *ratio) *ratio = (double)slots / (double)packets;
}

static double limit_of(const struct walk *walk)
{
    const struct crl_queue_tables *t = walk->tables;
    double ratio = 1e300;
    uint64_t loop_slots = 0;
    for (uint32_t row = 0; row < t->period; row++) loop_slots += t->loop_gate[row];
    for (uint32_t v = 0; v < t->nodes; v++) {
        for (uint32_t p = 0; p < t->ports; p++) {
            uint64_t all = 0, open = 0;
            for (uint32_t c = 0; c < t->classes; c++) {
                uint64_t slots = 0, packets = walk->load[((size_t)v * t->ports + p) * t->classes + c];
                for (uint32_t row = 0; row < t->period; row++)
                    slots += lets_out(&crl_queue_gate(t, t->node_table[v], row)[p], c);
                note(&ratio, slots, packets);
                all += packets;
            }
            for (uint32_t row = 0; row < t->period; row++)
                open += crl_queue_gate(t, t->node_table[v], row)[p].mode != CRL_GATE_CLOSED;
            note(&ratio, open, all);
        }
        for (uint32_t k = 0; k < t->trees; k++) note(&ratio, loop_slots, walk->loop[(size_t)v * t->trees + k]);
    }
    // A node generates λ = ρd/(2^d − 1) packets a slot, λ/trees of each tree.
    return ratio / t->period * t->trees * (t->nodes - 1) / t->ports;
}

int crl_queue_check(const struct crl_queue_tables *t, double *limit, struct crl_diag *diag)
{
    size_t ways = (size_t)t->nodes * (t->ports + 2);
    struct walk walk = {.tables = t};
    walk.load = calloc((size_t)t->nodes * t->ports * t->classes, sizeof *walk.load);
    walk.loop = calloc((size_t)t->nodes * t->trees, sizeof *walk.loop);
    walk.came = calloc(ways, sizeof *walk.came);
    walk.stack = calloc(ways, sizeof *walk.stack);
    walk.delivered = calloc(t->nodes, 1);
    int error = 0;
    if (!walk.load || !walk.loop || !walk.came || !walk.stack || !walk.delivered) error = crl_fail_memory(diag);
    for (uint32_t k = 0; k < t->trees && !error; k++)
        for (uint32_t v = 0; v < t->nodes && !error; v++) error = follow(&walk, k * t->nodes + v, k, v, diag);
    if (!error && limit) *limit = limit_of(&walk);
    CRL_FREE(walk.load, walk.loop, walk.came, walk.stack, walk.delivered);
    return error;
}
