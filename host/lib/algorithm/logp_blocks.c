// SPDX-License-Identifier: Apache-2.0
// Finds block-cyclic schedules. A processor of an r-block gets the items that it passes on every r steps, at label λ,
// and in between r − 1 others by messages of leaves, at delays d. No two come at once if turn + delay are all distinct
// modulo r, and by Hall's theorem the turns can be chosen so whenever the sum of λ and the delays is 0 modulo r. What
// is left is to deal out the delays at which leaves can deliver so that every block's sum is right.
#include "algorithm/logp_blocks.h"
#include "algorithm/random.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

enum { WORK_A_NODE = 1 << 18, NODES_MOST = 64, TRIES_LEAST = 30, REDRAWS = 16, RETURNS = 2 };

struct search {
    struct crl_logp_blocks *b;
    uint32_t *blocks, block_count; // nodes with blocks of two or more, small ones first
    uint32_t *parents;             // those that could have a child with the last label
    uint64_t *delay;               // [kinds] the delays that there are, ascending
    uint32_t *left, kinds, total;  // [kinds] messages not dealt out yet, and all together
    uint32_t *hand, *start;        // [nodes] kinds dealt to block i are hand[start[i] … start[i] + r − 2]
    uint32_t *waiting, *dealt;     // blocks without and with messages
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

static uint64_t key_size(const void *user, uint32_t node) { return ((const struct crl_logp_blocks *)user)->size[node]; }

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

static int ascending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

static uint32_t kind_of(const struct search *s, uint64_t delay)
{
    const uint64_t *at = bsearch(&delay, s->delay, s->kinds, sizeof *at, ascending);
    return (uint32_t)(at - s->delay);
}

// Counts the messages of each delay.
static void count_kinds(struct search *s)
{
    struct crl_logp_blocks *b = s->b;
    s->total = s->kinds = 0;
    for (uint32_t n = 0; n < b->nodes; n++)
        if (!b->size[n]) s->delay[s->total++] = b->there[n];
    qsort(s->delay, s->total, sizeof *s->delay, ascending);
    for (uint32_t i = 0; i < s->total; i++)
        if (!i || s->delay[i] != s->delay[s->kinds - 1]) s->delay[s->kinds++] = s->delay[i];
    memset(s->left, 0, sizeof *s->left * s->kinds);
    for (uint32_t n = 0; n < b->nodes; n++)
        if (!b->size[n]) s->left[kind_of(s, b->there[n])]++;
}

// ---------------------------------------------------------------- dealing

// The kind of one of the messages that are left, by lot: what there is more of comes up more often.
static uint32_t pick(struct search *s)
{
    uint32_t at = (uint32_t)(crl_random(&s->lots) % s->total), kind = 0;
    while (at >= s->left[kind]) at -= s->left[kind++];
    return kind;
}

static uint32_t draw(struct search *s)
{
    uint32_t kind = pick(s);
    s->left[kind]--;
    s->total--;
    return kind;
}

static void put_back(struct search *s, uint32_t kind)
{
    s->left[kind]++;
    s->total++;
}

// Takes `count` ≤ 2 messages with a sum of `need` modulo r, from a kind picked by lot on. False: there are none.
static bool finish(struct search *s, uint32_t *hand, uint32_t count, uint32_t r, uint32_t need)
{
    uint32_t first = pick(s);
    for (uint32_t i = 0; i < s->kinds; i++) {
        uint32_t kind = (first + i) % s->kinds;
        if (!s->left[kind]) continue;
        uint32_t rest = (need + r - (uint32_t)(s->delay[kind] % r)) % r;
        s->work++;
        if (count == 1 && rest) continue;
        s->left[kind]--;
        s->total--;
        hand[0] = kind;
        if (count == 1 || finish(s, hand + 1, count - 1, r, rest)) return true;
        put_back(s, kind);
    }
    return false;
}

// Deals r − 1 messages to a block, all but two by lot. False: they cannot be made to fit.
static bool deal(struct search *s, uint32_t *hand, uint32_t r, uint32_t label)
{
    uint32_t fixed = r > 3 ? r - 3 : 0;
    for (int again = 0; again < REDRAWS; again++) {
        uint64_t sum = label;
        for (uint32_t i = 0; i < fixed; i++) {
            hand[i] = draw(s);
            sum += s->delay[hand[i]];
        }
        s->work += r;
        if (finish(s, hand + fixed, r - 1 - fixed, r, (uint32_t)((r - sum % r) % r))) return true;
        for (uint32_t i = 0; i < fixed; i++) put_back(s, hand[i]);
        if (!fixed) break; // nothing was left to chance
    }
    return false;
}

// The last block gets what is left but for one message, which goes to the receive-only processor if there is one.
static bool deal_last(struct search *s, uint32_t *hand, uint32_t r, uint64_t label)
{
    if (s->total == r - 1) return deal(s, hand, r, (uint32_t)(label % r));
    uint64_t sum = label;
    for (uint32_t k = 0; k < s->kinds; k++) sum += s->left[k] % r * (s->delay[k] % r);
    for (uint32_t k = 0; k < s->kinds; k++) {
        if (!s->left[k] || (sum + r - s->delay[k] % r) % r) continue;
        s->left[k]--;
        for (uint32_t i = 0, kind = 0; i + 1 < r; i++) {
            while (!s->left[kind]) kind++;
            hand[i] = kind;
            s->left[kind]--;
        }
        s->left[k]++;
        return true;
    }
    return false;
}

static void take_back(struct search *s, uint32_t block)
{
    for (uint32_t i = 0; i + 1 < s->b->size[s->blocks[block]]; i++) put_back(s, s->hand[s->start[block] + i]);
}

// Small blocks first. Where nothing fits a block, a few others, picked by lot, give back what they have and wait.
static bool deal_all(struct search *s)
{
    uint32_t wait = 0, done = 0;
    for (uint32_t i = s->block_count; i-- > 0;) s->waiting[wait++] = i;
    for (uint32_t repairs = 0; wait;) {
        uint32_t block = s->waiting[--wait], node = s->blocks[block], *hand = s->hand + s->start[block];
        uint32_t r = s->b->size[node], label = (uint32_t)(s->b->label[node] % r);
        if (wait ? deal(s, hand, r, label) : deal_last(s, hand, r, label)) {
            s->dealt[done++] = block;
            continue;
        }
        if (++repairs > 2 * s->block_count) return false;
        for (int i = 0; i < RETURNS && done; i++) {
            uint32_t k = (uint32_t)(crl_random(&s->lots) % done);
            take_back(s, s->dealt[k]);
            s->waiting[wait++] = s->dealt[k];
            s->dealt[k] = s->dealt[--done];
        }
        s->waiting[wait++] = block;
    }
    return true;
}

// Whatever comes: for receivers with buffers.
static bool deal_any(struct search *s)
{
    for (uint32_t i = 0; i < s->block_count; i++)
        for (uint32_t k = 0; k + 1 < s->b->size[s->blocks[i]]; k++) s->hand[s->start[i] + k] = draw(s);
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

// Gives every leaf's message to a block and turn, now that each block knows which delays it takes. Where a block's sum
// is wrong, the last message is laid as if it came when it fits.
static void address(struct search *s)
{
    struct crl_logp_blocks *b = s->b;
    uint32_t *next = s->numbers, *chain = next + b->nodes, *difference = chain + b->nodes,
             *order = difference + b->nodes;
    for (uint32_t k = 0; k < s->kinds; k++) next[k] = CRL_NONE;
    for (uint32_t n = 0; n < b->nodes; n++) { // leaves by kind, as lists
        b->to[n] = CRL_NONE;
        if (b->size[n]) continue;
        uint32_t kind = kind_of(s, b->there[n]);
        chain[n] = next[kind];
        next[kind] = n;
    }
    for (uint32_t i = 0; i < s->block_count; i++) {
        uint32_t node = s->blocks[i], r = b->size[node], *hand = s->hand + s->start[i];
        uint64_t sum = difference[0] = (uint32_t)(b->label[node] % r);
        for (uint32_t k = 1; k < r; k++) sum += difference[k] = (uint32_t)(s->delay[hand[k - 1]] % r);
        difference[r - 1] = (uint32_t)((difference[r - 1] + r - sum % r) % r);
        arrange(r, difference, order, order + r);
        for (uint32_t k = 1; k < r; k++) {
            uint32_t leaf = next[hand[k - 1]];
            next[hand[k - 1]] = chain[leaf];
            b->to[leaf] = node;
            b->turn[leaf] = order[k];
        }
    }
}

// Returns 1 when it has dealt out all, 0 when it cannot, or CRL_ERR_MEMORY.
static int attempt(struct search *s, bool strict, bool by_lot)
{
    struct crl_logp_blocks *b = s->b;
    plant(s, by_lot);
    s->block_count = 0;
    for (uint32_t n = 0; n < b->nodes; n++)
        if (b->size[n] > 1) s->blocks[s->block_count++] = n;
    if (crl_sort_order(s->blocks, s->block_count, key_size, b, b->nodes)) return CRL_ERR_MEMORY;
    for (uint32_t i = 0, at = 0; i < s->block_count; i++) {
        s->start[i] = at;
        at += b->size[s->blocks[i]] - 1;
    }
    time_leaves(s, by_lot);
    count_kinds(s);
    s->work += b->nodes;
    if (!(strict ? deal_all(s) : deal_any(s))) return 0;
    address(s);
    return 1;
}

int crl_logp_blocks_find(struct crl_logp_blocks *b, const struct crl_logp *postal, bool strict, uint64_t variant,
                         struct crl_diag *diag)
{
    size_t nodes = postal->P - 1;
    *b = (struct crl_logp_blocks){.latency = postal->L, .nodes = (uint32_t)nodes};
    uint64_t *wide = malloc(nodes * (3 * sizeof(uint64_t) + 20 * sizeof(uint32_t)));
    if (!wide) return crl_fail_memory(diag);
    uint32_t *narrow = (uint32_t *)(wide + 3 * nodes);
    b->memory = wide;
    b->label = wide;
    b->there = wide + nodes;
    struct search s = {.b = b, .delay = wide + 2 * nodes, .lots = variant};
    uint32_t **const arrays[] = {&b->parent, &b->children, &b->size,   &b->base,  &b->to,
                                 &b->turn,   &s.blocks,    &s.parents, &s.left,   &s.hand,
                                 &s.start,   &s.waiting,   &s.dealt,   &s.numbers}; // the last has the rest
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = narrow + i * nodes;
    uint64_t work = WORK_A_NODE * (uint64_t)(nodes < NODES_MOST ? nodes : NODES_MOST);
    int done = crl_logp_tree(postal, b->nodes, b->label, b->parent);
    for (b->extra = 0; !done; b->extra += !done) {
        s.work = 0;
        for (int tries = 0; !done && (tries < TRIES_LEAST || s.work < work); tries++)
            done = attempt(&s, strict, tries > 0 || variant);
    }
    return done > 0 ? 0 : crl_fail_memory(diag);
}

void crl_logp_blocks_done(struct crl_logp_blocks *b) { free(b->memory); }
