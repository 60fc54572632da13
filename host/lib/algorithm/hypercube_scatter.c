// SPDX-License-Identifier: Apache-2.0
// The tree of scatter and gather on the hypercube in ⌈(2^d−1)/d⌉ slots over d·2^(d−1) links: Bertsekas et al. 1991,
// Section 3. It is a shortest-path spanning tree whose d subtrees differ by at most one node.
#include "algorithm/classes.h"

// A member with its right bit set and its left bit clear, less the 1 to the right of its leftmost longest run of zeros.
// What remains has one longest run, so its class has d members.
static uint32_t clear_after_longest_run(uint32_t s, uint32_t d)
{
    uint32_t run = 0, longest = 0, end = 0;
    for (uint32_t i = d; i-- > 0;) {
        if (s >> i & 1) {
            if (run > longest) {
                longest = run;
                end = i;
            }
            run = 0;
        } else {
            run++;
        }
    }
    return s & ~(UINT32_C(1) << end);
}

int crl_hypercube_tree(uint32_t d, uint32_t root, uint32_t *parent, uint32_t *subtree)
{
    struct crl_classes classes;
    uint32_t n = 1, full = (UINT32_C(1) << d) - 1;
    int error = crl_classes_new(&classes, d);
    for (uint32_t c = 0; c < classes.count && !error; c++) {
        uint32_t s = classes.smallest[c]; // ends in 1 and begins with 0: it is the smallest of its rotations
        uint32_t above = s == 1 ? 0 : clear_after_longest_run(s, d);
        uint32_t position = crl_class_position(n, d);
        uint32_t turn = above ? (position + d - subtree[above ^ root]) % d : position;
        for (uint32_t i = 0; i < classes.size[c]; i++, n++) {
            uint32_t t = crl_rotate(s, turn + i, d) ^ root;
            parent[t] = crl_rotate(above, turn + i, d) ^ root;
            subtree[t] = crl_class_position(n, d);
        }
    }
    crl_classes_done(&classes);
    subtree[full ^ root] = crl_class_position(n, d);
    parent[full ^ root] = root; // d = 1
    for (uint32_t p = 0; p < d && d > 1; p++) {
        uint32_t t = full ^ UINT32_C(1) << p ^ root;
        if (subtree[t] == subtree[full ^ root]) parent[full ^ root] = t;
    }
    return error;
}
