// SPDX-License-Identifier: Apache-2.0
// Indirect schemes: a packet picks one of d link-disjoint trees, climbs to its root, and is broadcast from there; or it
// spreads along the tree from where it is. Whether a word climbs or descends shows in the port it came in by.
#include "machine/queue/plan_trees.h"

enum { UP, DOWN, DOWN_2 }; // classes; a root keeps those of its largest subtree (B1) in DOWN, all others (B2) in DOWN_2

static const struct crl_gate up_gate = {.mode = CRL_GATE_ORDER, .a = UP, .b = CRL_GATE_NO_CLASS};
static const struct crl_gate down_gate = {.mode = CRL_GATE_ORDER, .a = DOWN, .b = CRL_GATE_NO_CLASS};

// Where tree k goes on from node v.
struct place {
    bool root;
    uint16_t up, down; // masks of ports; up is empty at the root
};

static struct place place_of(const struct crl_trees *trees, uint32_t k, uint32_t v)
{
    uint8_t parent = trees->parent[((size_t)k << trees->d) + v];
    return (struct place){.root = parent == CRL_TREES_ROOT,
                          .up = parent == CRL_TREES_ROOT ? 0 : (uint16_t)(1u << parent),
                          .down = trees->children[((size_t)k << trees->d) + v]};
}

// How a scheme that climbs differs from another.
struct climb {
    bool virtual_arcs; // Rule D
    bool two_buffers;  // Rule E
};

static void set_forward(struct crl_queue_tables *t, const struct crl_trees *trees, const struct climb *how, uint32_t k,
                        uint32_t v)
{
    uint32_t d = t->ports;
    struct crl_forward *forward = crl_queue_forward(t, v, k);
    struct place at = place_of(trees, k, v);
    // The largest subtree hangs from the first dimension the tree crosses.
    uint32_t largest = (k + 1) % d;
    uint8_t other = how->two_buffers ? DOWN_2 : DOWN;
    struct crl_forward own = {.take = 1, .ports = at.root ? at.down : at.up, .class = at.root ? other : UP};
    for (uint32_t p = 0; p < d; p++) {
        if (at.up >> p & 1) forward[p] = (struct crl_forward){.take = 1, .deliver = 1, .ports = at.down};
        else if (at.down >> p & 1) forward[p] = own; // from a child: on like an own packet
        if (at.up >> p & 1 && at.down) forward[p].class = DOWN;
        if (at.root && at.down >> p & 1) {
            forward[p].deliver = 1;
            if (p == largest) forward[p].class = DOWN;
        }
    }
    if (how->virtual_arcs && at.down) {
        forward[d] = (struct crl_forward){.take = 1, .loop = 1};
        forward[d + 1] = own;
    } else {
        forward[d] = own;
    }
}

// Row 0 is for climbing, the others for descending.
static void set_gates(struct crl_queue_tables *t, uint32_t v, bool two_buffers_here)
{
    static const struct crl_gate coin[] = {{.mode = CRL_GATE_COIN_FIRST, .a = DOWN, .b = DOWN_2},
                                           {.mode = CRL_GATE_COIN_SECOND, .a = DOWN, .b = DOWN_2}};
    static const struct crl_gate turns[] = {{.mode = CRL_GATE_ORDER, .a = DOWN, .b = DOWN_2},
                                            {.mode = CRL_GATE_ORDER, .a = DOWN_2, .b = DOWN}};
    for (uint32_t row = 0; row < t->period; row++)
        for (uint32_t p = 0; p < t->ports; p++) {
            struct crl_gate gate = row ? down_gate : up_gate;
            if (row && two_buffers_here) gate = t->blocking ? turns[row - 1] : coin[row - 1];
            crl_queue_gate(t, v, row)[p] = gate;
        }
}

static void set_accept(struct crl_queue_tables *t, const struct crl_trees *trees, uint32_t k, uint32_t v)
{
    struct place at = place_of(trees, k, v);
    for (uint32_t row = 0; row < t->period; row++)
        for (uint32_t p = 0; p < t->ports; p++)
            if ((row ? at.up : at.down) >> p & 1) crl_queue_accept(t, v, row)[p] = (uint8_t)k;
}

static int climbing(struct crl_queue_tables *t, const struct crl_trees *trees, struct climb how, uint32_t period,
                    struct crl_diag *diag)
{
    t->trees = t->ports;
    t->classes = how.two_buffers ? 3 : 2;
    t->period = period;
    t->tables = t->nodes;
    t->loops = how.virtual_arcs;
    int error = crl_queue_tables_alloc(t, diag);
    if (error) return error;
    for (uint32_t k = 0; k < t->trees; k++) t->root[k] = trees->root[k];
    for (uint32_t v = 0; v < t->nodes; v++) {
        bool two_buffers_here = false;
        for (uint32_t k = 0; k < t->trees; k++) {
            set_forward(t, trees, &how, k, v);
            if (t->blocking) set_accept(t, trees, k, v);
            two_buffers_here |= how.two_buffers && t->root[k] == v;
        }
        set_gates(t, v, two_buffers_here);
    }
    t->loop_gate[0] = (uint8_t)t->loops;
    return 0;
}

// Rules A to E. With finite buffers Rule D and the coin of Rule E, which are there for the analysis only, are left out.
int crl_scheme_indirect(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    CRL_ENDED(crl_trees_done) struct crl_trees trees = {0};
    int error = crl_trees_binomial(&trees, t->ports, diag);
    (void)context;
    if (!error) error = climbing(t, &trees, (struct climb){.virtual_arcs = !t->blocking, .two_buffers = true}, 3, diag);
    return error;
}

// One slot up, d slots down: the scheme S93 hopes for at the end of Sec. V-F.
int crl_scheme_balanced(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    CRL_ENDED(crl_trees_done) struct crl_trees trees = {0};
    int error = crl_trees_balanced(&trees, t->ports, context, diag);
    if (!error) error = climbing(t, &trees, (struct climb){0}, t->ports + 1, diag);
    return error;
}

int crl_scheme_nonidling(struct crl_queue_tables *t, const struct crl_context *context, struct crl_diag *diag)
{
    CRL_ENDED(crl_trees_done) struct crl_trees trees = {0};
    int error = crl_trees_binomial(&trees, t->ports, diag);
    (void)context;
    t->trees = t->ports;
    t->classes = t->period = 1;
    t->tables = t->nodes;
    if (!error) error = crl_queue_tables_alloc(t, diag);
    for (uint32_t v = 0; v < t->nodes && !error; v++) {
        for (uint32_t p = 0; p < t->ports; p++) crl_queue_gate(t, v, 0)[p] = up_gate; // the only class
        for (uint32_t k = 0; k < t->trees; k++) {
            struct crl_forward *forward = crl_queue_forward(t, v, k);
            struct place at = place_of(&trees, k, v);
            uint16_t around = at.up | at.down;
            forward[t->ports] = (struct crl_forward){.take = 1, .ports = around};
            for (uint32_t p = 0; p < t->ports; p++)
                if (around >> p & 1)
                    forward[p] =
                        (struct crl_forward){.take = 1, .deliver = 1, .ports = (uint16_t)(around & ~(1u << p))};
        }
    }
    return error;
}
