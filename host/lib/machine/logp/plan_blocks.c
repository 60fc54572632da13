// SPDX-License-Identifier: Apache-2.0
// Finds block-cyclic schedules. A processor of an r-block gets the items that it passes on every r steps, at label λ,
// and in between r − 1 others by messages of leaves, at delays d. No two come at once if turn + delay are all distinct
// modulo r, and by Hall's theorem the turns can be chosen so whenever the sum of λ and the delays is 0 modulo r. What
// is left is to deal out the leaves so that every block's sum is right.
#include "machine/logp/plan.h"
#include "base/random.h"
#include "base/base.h"
#include <string.h>

enum { WORK_A_NODE = 1 << 17, NODES_MOST = 64, TRIES_LEAST = 30, WORK_A_LEAF = 64 };

struct search {
    struct crl_logp_blocks *b;
    uint32_t *blocks, block_count; // nodes with blocks of two or more
    uint32_t *parents;             // those that could have a child with the last label
    uint32_t *leaf, leaves;        // leaves by seat: block i has start[i] … start[i] + r − 2; one may be left over
    uint32_t *start, *block_of;    // [blocks]; [leaves] CRL_NONE: it goes to the receive-only processor
    uint32_t *sum;                 // [blocks] of the label and the delays, modulo r
    uint32_t *numbers;             // scratch
    uint64_t lots, work;
};

// ---------------------------------------------------------------- tree

// Picks the parents of the last label's nodes by lot, counts children, and gives out processors: one to each child,
// and the one that is left to a block picked by lot or to none.
static void plant(struct search *s, bool by_lot)
{
    struct crl_logp_blocks *b = s->b;
    uint64_t last = b->label[b->nodes - 1];
    uint32_t fringe = b->nodes, candidates = 0;
    while (fringe > 1 && b->label[fringe - 1] == last) fringe--;
    while (candidates < b->nodes && b->label[candidates] + b->latency <= last)
        s->parents[candidates] = candidates, candidates++;
    for (uint32_t i = 0; by_lot && fringe + i < b->nodes; i++) {
        uint32_t k = i + (uint32_t)(crl_random(&s->lots) % (candidates - i)), picked = s->parents[k];
        s->parents[k] = s->parents[i];
        b->parent[fringe + i] = s->parents[i] = picked;
    }
    memset(b->children, 0, sizeof *b->children * b->nodes);
    for (uint32_t n = 1; n < b->nodes; n++) b->children[b->parent[n]]++;
    memcpy(b->size, b->children, sizeof *b->size * b->nodes);
    uint32_t processor = 1, larger = (uint32_t)(crl_random(&s->lots) % b->nodes);
    if (by_lot && b->children[larger]) b->size[larger]++;
    for (uint32_t n = 0; n < b->nodes; n++) {
        b->base[n] = processor;
        processor += b->size[n];
    }
}

// When each leaf's message is there: at its label or, by lot, a multiple of its parent's size later.
static void time_leaves(struct search *s, bool by_lot)
{
    struct crl_logp_blocks *b = s->b;
    uint64_t end = b->label[b->nodes - 1] + b->extra;
    for (uint32_t n = 0; n < b->nodes; n++) {
        if (b->children[n]) continue;
        uint64_t r = n ? b->size[b->parent[n]] : 1, ways = n ? (end - b->label[n]) / r + 1 : 1;
        b->there[n] = b->label[n] + (by_lot && ways > 1 ? crl_random(&s->lots) % ways * r : 0);
    }
}

// ---------------------------------------------------------------- dealing

static uint32_t lot(struct search *s, uint32_t below) { return (uint32_t)(crl_random(&s->lots) % below); }

// Gives the leaves seats by lot.
static void deal(struct search *s)
{
    struct crl_logp_blocks *b = s->b;
    s->block_count = s->leaves = 0;
    for (uint32_t n = 0, seats = 0; n < b->nodes; n++) {
        if (!b->size[n]) {
            uint32_t i = lot(s, ++s->leaves);
            s->leaf[s->leaves - 1] = s->leaf[i];
            s->leaf[i] = n;
        } else if (b->size[n] > 1) {
            s->start[s->block_count] = seats;
            for (uint32_t k = 1; k < b->size[n]; k++) s->block_of[seats++] = s->block_count;
            s->blocks[s->block_count++] = n;
        }
        s->block_of[seats] = CRL_NONE;
    }
    for (uint32_t i = 0; i < s->block_count; i++) {
        uint64_t sum = b->label[s->blocks[i]], r = b->size[s->blocks[i]];
        for (uint32_t k = 0; k + 1 < r; k++) sum += b->there[s->leaf[s->start[i] + k]];
        s->sum[i] = (uint32_t)(sum % r);
    }
}

// The sum of a block when it has a leaf in place of another.
static uint32_t sum_with(const struct search *s, uint32_t block, uint32_t leaf, uint32_t other)
{
    uint64_t r = s->b->size[s->blocks[block]];
    return (uint32_t)((s->sum[block] + s->b->there[leaf] + r - s->b->there[other] % r) % r);
}

// Makes the sums right, block by block. What one has too much is handed to another by a swap, and on from there until
// it is with a block whose turn is yet to come, or with none; with these it also swaps by lot, for where there are few
// different delays. False: it did not come to an end.
static bool settle(struct search *s)
{
    uint64_t end = s->work + WORK_A_LEAF * (uint64_t)s->leaves + 1000;
    for (uint32_t i = 0; i < s->block_count; i++)
        for (uint32_t block = i; block <= i && s->sum[block];) {
            uint32_t seat = s->start[block] + lot(s, s->b->size[s->blocks[block]] - 1), other = lot(s, s->leaves);
            uint32_t leaf = s->leaf[seat], given = s->leaf[other], to = s->block_of[other];
            uint32_t sum = sum_with(s, block, given, leaf);
            if (++s->work > end) return false;
            if (to == block || (sum && (to <= i || lot(s, 8)))) continue;
            if (to != CRL_NONE) s->sum[to] = sum_with(s, to, leaf, given);
            s->sum[block] = sum;
            s->leaf[seat] = given;
            s->leaf[other] = leaf;
            if (!sum) block = to;
        }
    return true;
}

// ---------------------------------------------------------------- Hall's theorem

// By his proof (A combinatorial problem on abelian groups, 1952): all differences are 0 at first; then each in turn
// takes its value, and the next one makes up for it. The two are laid again, and who lies where one of them comes gives
// way to the place last left.
struct layout {
    uint32_t r, *value, *place, *owner; // of element k; owner[sum] = the element with that place + value
};

static uint32_t sum_at(const struct layout *l, uint32_t place, uint32_t element)
{
    return (uint32_t)(((uint64_t)place + l->value[element]) % l->r);
}

static void lay(struct layout *l, uint32_t element, uint32_t place)
{
    l->place[element] = place;
    l->owner[sum_at(l, place, element)] = element;
}

// Lays `element` and `other`, whose places and sums are free.
static void lay_two(struct layout *l, uint32_t element, uint32_t other, uint32_t place, uint32_t spare)
{
    for (;;) {
        uint32_t pushed = l->owner[sum_at(l, place, element)];
        lay(l, element, place);
        if (pushed == CRL_NONE) break;
        uint32_t left = l->place[pushed];
        element = pushed;
        place = spare;
        spare = left;
    }
    lay(l, other, spare);
}

// Puts r differences whose sum is 0 modulo r into such an order that position + difference are all distinct modulo r.
// `order`[k] is the position of the k-th, 0 for the first. `scratch` has room for 3r numbers.
static void arrange(uint32_t r, const uint32_t *difference, uint32_t *order, uint32_t *scratch)
{
    struct layout l = {r, scratch, scratch + r, scratch + 2 * (size_t)r};
    for (uint32_t k = 0; k < r; k++) l.value[k] = 0, l.place[k] = l.owner[k] = k;
    for (uint32_t k = 0; k + 1 < r; k++) {
        l.owner[sum_at(&l, l.place[k], k)] = l.owner[sum_at(&l, l.place[k + 1], k + 1)] = CRL_NONE;
        uint32_t wanted = difference[k] % r;
        l.value[k + 1] = (uint32_t)(((uint64_t)l.value[k + 1] + l.value[k] + r - wanted) % r);
        l.value[k] = wanted;
        lay_two(&l, k, k + 1, l.place[k], l.place[k + 1]);
    }
    for (uint32_t k = 0; k < r; k++) order[k] = (l.place[k] + r - l.place[0]) % r;
}

// ---------------------------------------------------------------- addresses

// Gives every leaf's message to a block and turn. Where a block's sum is wrong, the last message is laid as if it came
// when it fits.
static void address(struct search *s)
{
    struct crl_logp_blocks *b = s->b;
    uint32_t *difference = s->numbers, *order = difference + b->nodes;
    for (uint32_t i = 0; i < s->leaves; i++) b->to[s->leaf[i]] = CRL_NONE;
    for (uint32_t i = 0; i < s->block_count; i++) {
        uint32_t node = s->blocks[i], r = b->size[node], *leaf = s->leaf + s->start[i];
        difference[0] = (uint32_t)(b->label[node] % r);
        for (uint32_t k = 1; k < r; k++) difference[k] = (uint32_t)(b->there[leaf[k - 1]] % r);
        difference[r - 1] = (difference[r - 1] + r - s->sum[i]) % r;
        arrange(r, difference, order, order + r);
        for (uint32_t k = 1; k < r; k++) {
            b->to[leaf[k - 1]] = node;
            b->turn[leaf[k - 1]] = order[k];
        }
    }
}

static bool attempt(struct search *s, bool strict, bool by_lot)
{
    plant(s, by_lot);
    time_leaves(s, by_lot);
    deal(s);
    s->work += s->b->nodes;
    if (strict && !settle(s)) return false;
    address(s);
    return true;
}

int crl_logp_blocks_find(struct crl_logp_blocks *b, const struct crl_logp *postal, bool strict, uint64_t variant,
                         struct crl_diag *diag)
{
    size_t nodes = postal->P - 1;
    *b = (struct crl_logp_blocks){.latency = postal->L, .nodes = (uint32_t)nodes};
    struct search s = {.b = b, .lots = variant};
    CRL_NEW(&b->pool, b->label, nodes);
    CRL_NEW(&b->pool, b->there, nodes);
    CRL_NUMBERS(&b->pool, nodes, &b->parent, &b->children, &b->size, &b->base, &b->to, &b->turn);
    CRL_NUMBERS(&b->pool, nodes, &s.blocks, &s.parents, &s.leaf, &s.start, &s.sum);
    CRL_NEW(&b->pool, s.numbers, 5 * nodes);
    CRL_NEW(&b->pool, s.block_of, nodes + 1);
    uint64_t work = WORK_A_NODE * (uint64_t)(nodes < NODES_MOST ? nodes : NODES_MOST);
    if (b->pool.failed || crl_logp_tree(postal, b->nodes, b->label, b->parent)) return crl_fail_memory(diag);
    for (b->extra = 0;; b->extra++) {
        s.work = 0;
        for (int tries = 0; tries < TRIES_LEAST || s.work < work; tries++)
            if (attempt(&s, strict, tries > 0 || variant)) return 0;
    }
}

void crl_logp_blocks_done(struct crl_logp_blocks *b) { crl_pool_done(&b->pool); }
