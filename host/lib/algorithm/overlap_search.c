// SPDX-License-Identifier: Apache-2.0
// The fewest slots for trees that overlap: attempts, grown at random, of which the best is repaired.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/context.h"
#include <string.h>

enum {
    STEPS_A_MS = 80000, // on an idle machine
    SAMPLES = 300,      // attempts before the best of them is repaired,
    SHARE = 4,          // which may use one in so many of the steps for it
    SMALL = 300,        // items of a plan whose repairs take no time and seldom succeed:
    LONG = 4,           // these get all steps so many times more,
    LONG_MS = 250,      // but no more than these, on an idle machine, where they go with no group
    QUICK = 32,         // one in so many is enough where it is easy
    SHORT = 16          // the first look at a number of slots uses one in so many of all steps
};

// ---------------------------------------------------------------- what is drawn

// A power of two below 2^halvings or, once in so many draws, 0.
static uint32_t draw_power(struct crl_overlap *o, uint32_t halvings, uint32_t never)
{
    uint32_t power = 1u << crl_draw(&o->random, halvings);
    return never && !crl_draw(&o->random, never) ? 0 : power;
}

static uint32_t draw_weight(struct crl_overlap *o, uint32_t weight)
{
    static const struct {
        uint32_t halvings, never;
    } powers[] = {[CRL_OVERLAP_RARE] = {8, 0}, [CRL_OVERLAP_OLD] = {8, 4},   [CRL_OVERLAP_NEAR] = {8, 2},
                  [CRL_OVERLAP_LOT] = {10, 0}, [CRL_OVERLAP_PRICE] = {6, 4}, [CRL_OVERLAP_LOAD] = {5, 2}};
    if (weight <= CRL_OVERLAP_LOAD) return draw_power(o, powers[weight].halvings, powers[weight].never);
    if (weight == CRL_OVERLAP_BIAS) return crl_draw(&o->random, 2) ? crl_draw(&o->random, 8) : 0;
    return crl_draw(&o->random, weight == CRL_OVERLAP_SWAPS ? 2 : 4) > 0;
}

// New ones now and then, else the best so far with one changed.
static void draw_weights(struct crl_overlap *o, const uint32_t *best, bool all)
{
    uint32_t one = crl_draw(&o->random, CRL_OVERLAP_WEIGHTS);
    memcpy(o->weight, best, sizeof o->weight);
    for (uint32_t i = 0; i < CRL_OVERLAP_WEIGHTS; i++)
        if (all || i == one) o->weight[i] = draw_weight(o, i);
}

// ---------------------------------------------------------------- attempts

// Grows trees of so many slots again and again, and keeps what lacks least. Returns how much that is, CRL_NONE: nothing
// could meet.
static uint32_t sample(struct crl_overlap *o, uint32_t slots, uint64_t end)
{
    uint32_t best[CRL_OVERLAP_WEIGHTS], least = CRL_NONE;
    memcpy(best, o->weight, sizeof best);
    for (uint32_t i = 0; i < SAMPLES && least && (!i || o->steps > end); i++) {
        if (i) draw_weights(o, best, i % 4 == 0);
        if (!crl_overlap_grow(o, slots) || o->missing.count >= least) continue;
        memcpy(best, o->weight, sizeof best);
        least = o->missing.count;
        crl_overlap_keep(o);
    }
    memcpy(o->weight, best, sizeof best);
    return least;
}

static bool attempt(struct crl_overlap *o, uint32_t slots, uint64_t steps)
{
    uint64_t share = o->steps < steps ? o->steps : steps, kept = o->steps - share;
    bool found = false;
    o->steps = share;
    do {
        if (sample(o, slots, o->steps - o->steps / SHARE) == CRL_NONE) break;
        crl_overlap_take(o);
        found = crl_overlap_repair(o);
    } while (!found && o->steps && !crl_context_cancelled(o->problem->context));
    o->steps += kept;
    return found;
}

// ---------------------------------------------------------------- a schedule

// Adds all images of what a chunk's trees do, each of which is another chunk's; folded, what node 0 does.
static void add(struct crl_schedule *s, const struct crl_overlap *o, struct crl_move m)
{
    if (s->folded) crl_schedule_add(s, crl_move_at_0(s, m));
    for (uint32_t i = 0; i < o->order && !s->folded; i++) {
        const uint32_t *image = &o->image[(size_t)i * o->nodes];
        crl_schedule_add(s, (struct crl_move){m.slot, image[m.src], image[m.dst], m.origin * o->order + i, 0});
    }
}

static void write_swaps(struct crl_schedule *s, const struct crl_overlap *o, uint32_t chunk)
{
    const struct crl_overlap_place *p = &o->place[o->at[chunk]];
    uint32_t slot = o->meets[chunk] + 1;
    for (uint32_t r = 0; r < p->rounds; slot += p->lasts[r++])
        for (uint32_t i = 0; i < p->nodes; i++)
            add(s, o, (struct crl_move){slot, p->node[i], p->node[i ^ 1u << r], chunk, 0});
}

// Writes what the state says, in place of what the schedule says.
static void write(struct crl_schedule *s, const struct crl_overlap *o)
{
    crl_schedule_done(s);
    crl_schedule_init_for(s, o->problem, crl_problem_is_symmetric(o->problem) && o->chunks == 1);
    for (uint32_t item = 0; item < 2 * o->nodes * o->chunks; item++) {
        if (!o->when[item] || o->by[item] == CRL_NONE) continue; // of a dead node, or of a place
        const struct crl_overlap_arc *a = &o->arc[o->by[item]];
        bool back = item >= o->nodes * o->chunks;
        uint32_t slot = back ? o->slots + 2 - a->latency - o->leaves[item] : o->leaves[item];
        add(s, o, (struct crl_move){slot, a->from, a->to, item % o->chunks, 0});
    }
    for (uint32_t chunk = 0; chunk < o->chunks; chunk++) write_swaps(s, o, chunk);
}

// ---------------------------------------------------------------- the search

// From the least number of slots upward in steps that double, then halving, then one by one downward, each with half of
// the steps that are left. Small plans get more steps for that.
static int search(struct crl_overlap *o, struct crl_schedule *schedule, uint32_t end)
{
    const struct crl_context *context = o->problem->context;
    uint64_t bound = crl_problem_bound_slots(o->problem), all = o->steps;
    // Of simple places, and of larger ones, those of fewest slots are first.
    uint32_t low = crl_overlap_total(o->place), found = end, slots;
    if (o->places > o->simple && crl_overlap_total(&o->place[o->simple]) < low)
        low = crl_overlap_total(&o->place[o->simple]);
    if (low < bound) low = (uint32_t)bound;
    const uint32_t least = low;
    for (uint32_t step = 1; low < found && o->steps && !crl_context_cancelled(context); step *= 2) {
        bool halves = found < end;
        slots = halves ? low + (found - low) / 2 : low + step - 1 < found ? low + step - 1 : found - 1;
        if (!attempt(o, slots, all / SHORT)) {
            low = slots + 1;
            continue;
        }
        found = slots;
        write(schedule, o);
    }
    uint64_t more = LONG * all, most = o->order > 1 ? more : (uint64_t)LONG_MS * STEPS_A_MS;
    if (2 * (uint64_t)o->nodes * o->problem->chunks <= SMALL) o->steps += more < most ? more : most;
    while (found > least && o->steps > all / 64 && !crl_context_cancelled(context)) {
        if (!attempt(o, found - 1, o->steps / 2)) continue;
        found--;
        write(schedule, o);
    }
    return found < end ? 0 : CRL_ERR_UNSUPPORTED;
}

// Plans that go with a group, with half of the steps that are left, or the last of them with all.
static int search_group(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t group,
                        uint64_t *steps, uint32_t end)
{
    struct crl_overlap o;
    int error = crl_overlap_init(&o, problem, group, end - 1);
    uint64_t share = group + 1 < crl_overlap_groups(problem->topology) ? *steps / 2 : *steps;
    o.steps = share;
    o.slots = o.slots_max;
    for (uint32_t i = 0; i < CRL_OVERLAP_WEIGHTS && !error; i++) o.weight[i] = draw_weight(&o, i);
    if (!error) error = search(&o, schedule, end);
    *steps -= share > o.steps ? share - o.steps : 0;
    crl_overlap_done(&o);
    return error;
}

int crl_overlap_search(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms,
                       uint32_t end)
{
    uint64_t bound = crl_problem_bound_slots(problem), most = 2 * bound + 2 * problem->topology->nodes + 64;
    uint64_t steps = (uint64_t)effort_ms * STEPS_A_MS;
    // How steps are shared out depends on how many there are: a few of them soon see what is easy.
    if (effort_ms > QUICK && !crl_overlap_search(schedule, problem, effort_ms / QUICK, (uint32_t)bound + 1)) return 0;
    uint32_t groups = crl_overlap_groups(problem->topology), least = end < most ? end : (uint32_t)most;
    int error = 0;
    crl_context_hold(problem->context, true);
    for (uint32_t group = 0; group < groups && !error && least > bound; group++) {
        error = search_group(schedule, problem, group, &steps, least);
        if (!error) least = crl_schedule_slots(schedule);
        if (error == CRL_ERR_UNSUPPORTED) error = 0;
    }
    crl_context_hold(problem->context, false);
    return error ? error : least < end && least < most ? 0 : CRL_ERR_UNSUPPORTED;
}
