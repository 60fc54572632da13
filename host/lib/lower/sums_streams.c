// SPDX-License-Identifier: Apache-2.0
// Own values and finished sums on the streams of a node.
//
// Each lane has a stream. In a row it can bring one own value, which is added where a sum grows, or begins one, and
// take one sum away. An own value may come at any time before its sum leaves: what arrives earlier begins the sum.
// (Floating-point sums begin with the own value.) The values that must be there earliest are given their rows first,
// which finds rows for all if there are any.
#include "base/base.h"
#include "lower/sums.h"
#include <stdlib.h>
#include <string.h>

// The own value of a chunk, and the row in which it must be there at the latest.
struct own {
    uint32_t chunk, latest;
};

struct streams {
    struct node *node;
    const struct crl_geometry *g;
    bool in_order;       // the own value comes before anything that arrives
    uint32_t apart;      // so many rows before, if there is room
    uint32_t *came;      // [chunks] row and stream of own values: row * lanes + stream; CRL_NONE: nobody wants it
    struct own *list;    // [chunks]
    struct growth *grew; // room for all growths
    struct departure *left;
    uint32_t owns;
};

static bool is_needed(const struct sum *s) { return s->keep || s->last != CRL_NONE; }

// Growths, or departures, of a sum: they stand side by side.
static size_t growths_of(const struct node *n, uint32_t sum, size_t first)
{
    size_t end = first;
    while (end < n->growths && n->growth[end].sum == sum) end++;
    return end;
}

static size_t departures_of(const struct node *n, uint32_t sum, size_t first)
{
    size_t end = first;
    while (end < n->departures && n->departure[end].sum == sum) end++;
    return end;
}

// The row in which a sum must have its own value: before it leaves, or while it grows the last time.
static uint32_t latest_of(const struct streams *s, const struct growth *grew, size_t growths,
                          const struct departure *left, size_t departures)
{
    uint32_t latest = departures ? left->row : growths ? grew[growths - 1].row : s->g->rows - 1;
    if (!s->in_order || !growths) return latest;
    const uint32_t before = grew->row < s->apart ? 0 : grew->row - s->apart;
    return before < latest ? before : latest;
}

static void list_own(struct streams *s)
{
    const struct node *n = s->node;
    size_t g = 0, d = 0;
    for (uint32_t i = 0; i < n->sums; i++) {
        const struct sum *sum = &n->sum[i];
        size_t first_g = g, first_d = d;
        g = growths_of(n, i, g);
        d = departures_of(n, i, d);
        if (!sum->own || !is_needed(sum)) continue;
        uint32_t latest = latest_of(s, n->growth + first_g, g - first_g, n->departure + first_d, d - first_d);
        struct own *last = s->owns ? &s->list[s->owns - 1] : NULL;
        if (last && last->chunk == sum->chunk) {
            if (latest < last->latest) last->latest = latest;
        } else s->list[s->owns++] = (struct own){sum->chunk, latest};
    }
}

static int by_latest(const void *a, const void *b)
{
    const struct own *x = a, *y = b;
    return CRL_COMPARE({x->latest, y->latest}, {x->chunk, y->chunk});
}

// A stream that has nothing in the row; the number of streams if there is none.
static uint32_t free_stream(const struct streams *s, const uint32_t *chunks, uint32_t row)
{
    uint32_t j = 0;
    while (j < s->g->lanes && chunks[(size_t)row * s->g->lanes + j] != CRL_NONE) j++;
    return j;
}

// The latest row in which the chunk's sum grows anyway, else the latest that is free.
static uint32_t choose_row(const struct streams *s, const struct own *own)
{
    const struct node *n = s->node;
    uint32_t best = CRL_NONE;
    for (size_t i = 0; i < n->growths; i++) {
        const struct growth *g = &n->growth[i];
        if (!n->sum[g->sum].own || n->sum[g->sum].chunk != own->chunk || g->row > own->latest) continue;
        if (free_stream(s, n->own, g->row) < s->g->lanes && (best == CRL_NONE || g->row > best)) best = g->row;
    }
    for (uint32_t row = own->latest + 1; row-- > 0 && best == CRL_NONE;)
        if (free_stream(s, n->own, row) < s->g->lanes) best = row;
    return best;
}

static int take_all(struct streams *s, uint32_t chunks, uint32_t apart)
{
    const uint32_t lanes = s->g->lanes;
    s->apart = apart;
    s->owns = 0;
    for (size_t i = 0; i < (size_t)s->g->rows * lanes; i++) s->node->own[i] = CRL_NONE;
    for (uint32_t c = 0; c < chunks; c++) s->came[c] = CRL_NONE;
    list_own(s);
    qsort(s->list, s->owns, sizeof *s->list, by_latest);
    for (uint32_t i = 0; i < s->owns; i++) {
        uint32_t row = choose_row(s, &s->list[i]);
        if (row == CRL_NONE) return CRL_ERR_UNSUPPORTED;
        uint32_t j = free_stream(s, s->node->own, row);
        s->node->own[(size_t)row * lanes + j] = s->list[i].chunk;
        s->came[s->list[i].chunk] = row * lanes + j;
    }
    return 0;
}

// Growths of one sum, with that of its own value; which of them begins it, and which goes on from the row before.
static size_t grow(const struct streams *s, uint32_t sum, const struct growth *from, size_t count, struct growth *to)
{
    const struct sum *of = &s->node->sum[sum];
    uint32_t came = of->own && is_needed(of) ? s->came[of->chunk] : CRL_NONE;
    uint32_t row = came == CRL_NONE ? CRL_NONE : came / s->g->lanes, at = 0;
    if (came == CRL_NONE) {
        memcpy(to, from, sizeof *to * count);
        return count;
    }
    uint32_t bit = UINT32_C(1) << (s->g->lanes + came % s->g->lanes);
    size_t put = 0;
    bool given = false;
    for (; at < count || !given; put++) {
        if (!given && (at == count || from[at].row > row)) {
            to[put] = (struct growth){.sum = sum, .row = row, .lanes = bit};
            given = true;
            continue;
        }
        to[put] = from[at++];
        if (to[put].row == row) {
            to[put].lanes |= bit;
            given = true;
        }
    }
    for (size_t i = 0; i < put; i++) {
        to[i].set = !i;
        to[i].fwd = i && to[i - 1].row + 1 == to[i].row;
    }
    return put;
}

// When a sum that the node ends with is whole it leaves as soon as a stream is free. Row 0 is left out: streams show
// what is of the row alone there.
static int show(struct streams *s, uint32_t sum, uint32_t whole, struct departure *out)
{
    const struct sum *of = &s->node->sum[sum];
    for (uint32_t row = whole ? whole : 1; row < s->g->rows; row++) {
        uint32_t j = free_stream(s, s->node->shown, row);
        if (j == s->g->lanes) continue;
        s->node->shown[(size_t)row * s->g->lanes + j] = of->chunk;
        *out = (struct departure){.sum = sum, .row = row, .written = whole, .stream = j};
        return 0;
    }
    return CRL_ERR_UNSUPPORTED;
}

// Departures of one sum in the order of rows, with that on a stream, and the row in which it grew before each.
static int leave(struct streams *s, uint32_t sum, const struct growth *grew, size_t growths,
                 const struct departure *from, size_t count, struct departure *to, size_t *put)
{
    struct sum *of = &s->node->sum[sum];
    struct departure shown;
    bool shows = of->keep;
    int error = shows ? show(s, sum, growths ? grew[growths - 1].row : 0, &shown) : 0;
    if (error) return error;
    for (size_t i = 0; i < count || shows;) {
        bool now = shows && (i == count || shown.row < from[i].row);
        struct departure *d = &to[(*put)++];
        *d = now ? shown : from[i++];
        shows &= !now;
        d->written = CRL_NONE;
        for (size_t k = 0; k < growths && grew[k].row <= d->row; k++) d->written = grew[k].row;
        of->last = d->row;
    }
    return 0;
}

static int rebuild(struct streams *s)
{
    struct node *n = s->node;
    size_t g = 0, d = 0, growths = 0, departures = 0;
    int error = 0;
    for (uint32_t i = 0; i < n->sums && !error; i++) {
        size_t first_g = g, first_d = d;
        g = growths_of(n, i, g);
        d = departures_of(n, i, d);
        size_t more = grow(s, i, n->growth + first_g, g - first_g, s->grew + growths);
        error = leave(s, i, s->grew + growths, more, n->departure + first_d, d - first_d, s->left, &departures);
        growths += more;
    }
    CRL_FREE(n->growth, n->departure);
    n->growth = s->grew;
    n->departure = s->left;
    n->growths = growths;
    n->departures = departures;
    s->grew = NULL;
    s->left = NULL;
    return error;
}

int crl_sums_stream(struct node *node, const struct crl_geometry *geometry, const struct crl_problem *problem,
                    uint32_t apart)
{
    const size_t cells = (size_t)geometry->rows * geometry->lanes;
    struct streams s = {.node = node, .g = geometry, .in_order = crl_op_floats(problem->op)};
    node->own = malloc(sizeof *node->own * cells);
    node->shown = malloc(sizeof *node->shown * cells);
    s.came = malloc(sizeof *s.came * problem->chunks);
    s.list = malloc(sizeof *s.list * problem->chunks);
    s.grew = malloc(sizeof *s.grew * (node->growths + node->sums + 1));
    s.left = malloc(sizeof *s.left * (node->departures + node->sums + 1));
    int error = node->own && node->shown && s.came && s.list && s.grew && s.left ? 0 : CRL_ERR_MEMORY;
    for (size_t i = 0; i < cells && !error; i++) node->shown[i] = CRL_NONE;
    if (!error) error = take_all(&s, problem->chunks, apart);
    if (error == CRL_ERR_UNSUPPORTED && apart) error = take_all(&s, problem->chunks, 0);
    if (!error) error = rebuild(&s);
    CRL_FREE(s.came, s.list, s.grew, s.left);
    return error;
}
