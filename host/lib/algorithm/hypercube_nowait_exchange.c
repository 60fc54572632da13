// SPDX-License-Identifier: Apache-2.0
// Total exchange on the hypercube in the 2^(d−1) slots of Bertsekas et al. 1991, Section 4, in which no packet ever
// waits on its way: what a node receives in slot s it sends on in slot s+1. So transit packets pass through the router
// and never touch its memory, and no two that came through one port leave together.
//
// A packet is known by D = origin ⊕ destination, of weight w; it takes w consecutive slots and crosses each of its
// dimensions once. Rotation classes (Section 2 of the paper) make nearly all of the schedule trivial:
//
// The d packets of a class of d members, each the rotation of another in the same slots, use every port in w slots.
//
// A class of c < d members repeats its lowest c bits g = d/c times. Call ports jc … jc+c−1 track j. Its packets can use
// any one track in a slot, and must use each track equally often; g such classes of one weight that take turns use
// every port in w slots.
//
// What is left, 1…1 and fewer than g classes for each (c, w), goes with some full classes of small weight into a window
// of slots, which the SAT solver fills.
#include "algorithm/classes.h"
#include "algorithm/nowait.h"
#include "base/base.h"
#include "base/sat.h"
#include <stdlib.h>
#include <string.h>

// How many more slots than needed the window gets, one after another, and the effort on each.
enum { SLACK_MAX = 12, CONFLICTS = 100000 };

// What became of a class.
enum progress { OPEN, TRYING, DONE };

struct plan {
    struct crl_schedule *schedule;
    struct crl_classes classes;
    uint32_t d, slot; // slots before this one are full
    uint8_t *done;    // [classes.count] the class is in the schedule
};

// Packet D crosses `port` in `slot`, having crossed `crossed` before.
static int hop(struct crl_schedule *schedule, uint32_t slot, uint32_t D, uint32_t port, uint32_t crossed)
{
    // Seen from node 0, it comes from `crossed` and goes where the remaining dimensions lead.
    return crl_schedule_add(schedule, (struct crl_move){slot, 0, UINT32_C(1) << port, crossed, crossed ^ D});
}

static int tile_full_class(struct plan *plan, uint32_t smallest)
{
    int error = 0;
    for (uint32_t r = 0; r < plan->d && !error; r++) {
        uint32_t D = crl_rotate(smallest, r, plan->d), crossed = 0, slot = plan->slot;
        for (uint32_t bits = smallest; bits && !error; bits &= bits - 1) {
            uint32_t port = ((uint32_t)__builtin_ctz(bits) + r) % plan->d;
            error = hop(plan->schedule, slot++, D, port, crossed);
            crossed |= UINT32_C(1) << port;
        }
    }
    plan->slot += (uint32_t)__builtin_popcount(smallest);
    return error;
}

// The packets of the class of `smallest`, the `turn`th of d/c classes of c members that share their slots.
static int tile_short_class(struct plan *plan, uint32_t smallest, uint32_t c, uint32_t turn)
{
    uint32_t tracks = plan->d / c;
    int error = 0;
    for (uint32_t r = 0; r < c && !error; r++) {
        uint32_t D = crl_rotate(smallest, r, plan->d), crossed = 0, i = 0;
        for (uint32_t bits = smallest & ((UINT32_C(1) << c) - 1); bits; bits &= bits - 1)
            for (uint32_t k = 0; k < tracks && !error; k++, i++) {
                uint32_t port = ((uint32_t)__builtin_ctz(bits) + r) % c + c * ((i + turn) % tracks);
                error = hop(plan->schedule, plan->slot + i, D, port, crossed);
                crossed |= UINT32_C(1) << port;
            }
    }
    return error;
}

// Tiles every complete group of short classes. Classes come in ascending weight.
static int tile_short_classes(struct plan *plan)
{
    const struct crl_classes *all = &plan->classes;
    for (uint32_t first = 0; first < all->count; first++) {
        uint32_t c = all->size[first], weight = (uint32_t)__builtin_popcount(all->smallest[first]), n = 0,
                 group[CRL_PORTS_MAX];
        if (c == plan->d || plan->done[first]) continue;
        for (uint32_t i = first; i < all->count && n < plan->d / c; i++)
            if (all->size[i] == c && (uint32_t)__builtin_popcount(all->smallest[i]) == weight && !plan->done[i])
                group[n++] = i;
        if (n < plan->d / c) continue;
        for (uint32_t k = 0; k < n; k++) {
            int error = tile_short_class(plan, all->smallest[group[k]], c, k);
            if (error) return error;
            plan->done[group[k]] = DONE;
        }
        plan->slot += weight;
    }
    return 0;
}

// ---------------------------------------------------------------- the window

// Variables of the search: hop[(i*d + p)*slots + t] "packet i crosses p in slot t of the window", start[i*slots + s]
// "it starts in s".
struct window {
    struct crl_sat *sat;
    uint32_t d, slots, count;
    uint32_t *packet; // [count] D
    int *hop, *start, *literals;
};

static int *hop_of(struct window *w, uint32_t i, uint32_t p, uint32_t t)
{
    return &w->hop[((size_t)i * w->d + p) * w->slots + t];
}

static void close_window(struct window *w)
{
    crl_sat_free(w->sat);
    free(w->hop);
    free(w->start);
    free(w->literals);
}

static int open_window(struct window *w)
{
    size_t longest = w->count > w->slots ? w->count : w->slots;
    w->sat = crl_sat_new();
    w->hop = calloc((size_t)w->count * w->d * w->slots, sizeof *w->hop);
    w->start = calloc((size_t)w->count * w->slots, sizeof *w->start);
    w->literals = malloc((longest + 1) * sizeof *w->literals);
    return w->sat && w->hop && w->start && w->literals ? 0 : CRL_ERR_MEMORY;
}

// Packet i crosses each of its dimensions once, in consecutive slots.
static void add_packet(struct window *w, uint32_t i)
{
    uint32_t D = w->packet[i], weight = (uint32_t)__builtin_popcount(D);
    int *start = &w->start[(size_t)i * w->slots];
    for (uint32_t s = 0; s + weight <= w->slots; s++) start[s] = crl_sat_variable(w->sat);
    crl_sat_exactly_one(w->sat, start, w->slots - weight + 1);
    for (uint32_t p = 0; p < w->d; p++) {
        if (!(D >> p & 1)) continue;
        for (uint32_t t = 0; t < w->slots; t++) *hop_of(w, i, p, t) = crl_sat_variable(w->sat);
        crl_sat_exactly_one(w->sat, hop_of(w, i, p, 0), w->slots);
        for (uint32_t t = 0; t < w->slots; t++) { // a hop lies less than `weight` slots after the start
            size_t n = 0;
            w->literals[n++] = -*hop_of(w, i, p, t);
            for (uint32_t s = t + 1 > weight ? t + 1 - weight : 0; s <= t; s++)
                if (start[s]) w->literals[n++] = start[s];
            crl_sat_clause(w->sat, w->literals, n);
        }
    }
    for (uint32_t t = 0; t < w->slots; t++) {
        size_t n = 0;
        for (uint32_t p = 0; p < w->d; p++)
            if (D >> p & 1) w->literals[n++] = *hop_of(w, i, p, t);
        crl_sat_at_most_one(w->sat, w->literals, n);
    }
}

static bool solve_window(struct window *w)
{
    for (uint32_t i = 0; i < w->count; i++) add_packet(w, i);
    for (uint32_t p = 0; p < w->d; p++)
        for (uint32_t t = 0; t < w->slots; t++) { // every link is busy in every slot
            size_t n = 0;
            for (uint32_t i = 0; i < w->count; i++)
                if (w->packet[i] >> p & 1) w->literals[n++] = *hop_of(w, i, p, t);
            crl_sat_exactly_one(w->sat, w->literals, n);
        }
    return crl_sat_solve(w->sat, CONFLICTS) == CRL_SAT_YES;
}

static int take_window(struct window *w, struct plan *plan)
{
    int error = 0;
    for (uint32_t i = 0; i < w->count && !error; i++) {
        uint32_t crossed = 0, D = w->packet[i];
        for (uint32_t t = 0; t < w->slots && !error; t++)
            for (uint32_t p = 0; p < w->d; p++) {
                if (!(D >> p & 1) || !crl_sat_value(w->sat, *hop_of(w, i, p, t))) continue;
                error = hop(plan->schedule, plan->slot + t, D, p, crossed);
                crossed |= UINT32_C(1) << p;
            }
    }
    plan->slot += w->slots;
    return error;
}

// Puts the packets of class i into the window.
static void add_class(struct plan *plan, struct window *w, uint32_t i, uint32_t *cells)
{
    const struct crl_classes *all = &plan->classes;
    for (uint32_t r = 0; r < all->size[i]; r++) w->packet[w->count++] = crl_rotate(all->smallest[i], r, plan->d);
    *cells += all->size[i] * (uint32_t)__builtin_popcount(all->smallest[i]);
    plan->done[i] = TRYING;
}

// Fills the window with 1…1, the short classes that are left, and full classes not yet in the schedule, light ones
// first, until it has `more` slots beyond what it needs.
static void choose_packets(struct plan *plan, struct window *w, uint32_t more)
{
    const struct crl_classes *all = &plan->classes;
    uint32_t cells = plan->d, least;
    w->packet[0] = (UINT32_C(1) << plan->d) - 1;
    w->count = 1;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->size[i] < plan->d && !plan->done[i]) add_class(plan, w, i, &cells);
    least = cells / plan->d > plan->d ? cells / plan->d : plan->d;
    for (uint32_t i = 0; i < all->count && cells < (least + more) * plan->d; i++)
        if (all->size[i] == plan->d && !plan->done[i]) add_class(plan, w, i, &cells);
    w->slots = cells / plan->d; // c·w is a multiple of d for every class
}

static void settle(struct plan *plan, enum progress to)
{
    for (uint32_t i = 0; i < plan->classes.count; i++)
        if (plan->done[i] == TRYING) plan->done[i] = (uint8_t)to;
}

// Tries windows of growing length. 0, CRL_ERR_UNSUPPORTED if that does not succeed, or CRL_ERR_MEMORY.
static int fill_window(struct plan *plan)
{
    uint32_t *packet = malloc(sizeof *packet << plan->d), last = 0;
    int error = packet ? CRL_ERR_UNSUPPORTED : CRL_ERR_MEMORY;
    for (uint32_t more = plan->d / 3; more <= SLACK_MAX && error == CRL_ERR_UNSUPPORTED; more++) {
        struct window w = {.d = plan->d, .packet = packet};
        choose_packets(plan, &w, more);
        if (w.slots != last) {
            error = open_window(&w);
            if (!error && !solve_window(&w)) error = CRL_ERR_UNSUPPORTED;
            if (!error) error = take_window(&w, plan);
            close_window(&w);
        }
        last = w.slots;
        settle(plan, error ? OPEN : DONE);
    }
    free(packet);
    return error;
}

int crl_nowait_exchange_search(struct crl_schedule *schedule, uint32_t d)
{
    struct plan plan = {.schedule = schedule, .d = d, .slot = 1};
    int error = crl_classes_new(&plan.classes, d);
    if (!error && !(plan.done = calloc(plan.classes.count + 1, 1))) error = CRL_ERR_MEMORY;
    if (!error) error = tile_short_classes(&plan);
    if (!error) error = fill_window(&plan);
    for (uint32_t i = 0; i < plan.classes.count && !error; i++)
        if (!plan.done[i]) error = tile_full_class(&plan, plan.classes.smallest[i]);
    crl_classes_done(&plan.classes);
    free(plan.done);
    return error;
}
