// SPDX-License-Identifier: Apache-2.0
// Every packet takes the cheapest way from its origin to its destination, one after the other, where a row (a link or,
// single-port, a node that sends, or one that receives) is the dearer the more packets use it, steeply so when it comes
// near the number of slots that is hoped for. Whoever crosses a row with too many looks again, round by round, while
// such rows become dearer for good. So on networks of some size the fullest row comes down to what the linear program
// of maximum concurrent flow has, rounded up.
//
// Then every packet has its way, and slot by slot those with the most hops to go are first. All-port that takes hardly
// more slots than the fullest link has packets.
#include "algorithm/rerouting.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "base/context.h"
#include "problem/ways.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    HOP = 10,           // price of a row that nobody uses
    FULL = 1000,        // and of one that is full
    SQUARES = 5,        // between, the price grows with the 2^5th power of the load
    PRICED = 2,         // loads beyond so many times what is hoped for have one price
    HISTORY = 200,      // what a round adds for good for each packet too many
    PRESENT = 50,       // what it adds to the price of each packet too many in that round,
    PRESENT_MAX = 1000, // as it grows to
    ROUNDS = 1000,      // at most
    STEPS_A_LINK = 10   // that is looked at
};

struct rerouting {
    const struct crl_problem *problem;
    struct crl_rows rows;
    struct crl_ways ways;
    uint32_t packets, farthest, most;
    enum crl_naming naming;
    uint32_t *ends;    // [packets][2] origin, and what names the destination
    uint32_t **way;    // [packets] links
    uint32_t *hops;    // [packets]
    uint32_t *order;   // [packets]
    uint32_t *sorted;  // [packets]
    uint32_t *passed;  // [packets] hops that it has made
    uint32_t *load;    // [rows] packets
    uint32_t *history; // [rows]
    uint32_t *used;    // [rows] the last slot in which it was
    double *price;     // [rows] integers
    double *scale;     // [PRICED * most + 1] by load
    uint32_t present;
    uint64_t random, steps;
};

// ---------------------------------------------------------------- prices

static void set_price(struct rerouting *x, uint32_t row)
{
    uint32_t load = x->load[row] + 1, over = load > x->most ? load - x->most : 0, known = PRICED * x->most;
    x->price[row] = HOP + x->scale[load < known ? load : known] + x->history[row] + (double)over * x->present;
}

static void set_scale(struct rerouting *x)
{
    for (uint32_t load = 0; load <= PRICED * x->most; load++) {
        double share = (double)load / x->most;
        for (int i = 0; i < SQUARES; i++) share *= share;
        x->scale[load] = (double)(uint64_t)(FULL * share);
    }
}

static void use_row(struct rerouting *x, uint32_t row, uint32_t change)
{
    if (row == CRL_NONE) return;
    x->load[row] += change;
    set_price(x, row);
}

static void use(struct rerouting *x, uint32_t packet, uint32_t change)
{
    for (uint32_t i = 0; i < x->hops[packet]; i++) {
        use_row(x, crl_row_sends(&x->rows, x->way[packet][i]), change);
        use_row(x, crl_row_receives(&x->rows, x->way[packet][i]), change);
    }
}

static bool is_over(const struct rerouting *x, uint32_t row) { return row != CRL_NONE && x->load[row] > x->most; }

static bool crosses_over(const struct rerouting *x, uint32_t packet)
{
    for (uint32_t i = 0; i < x->hops[packet]; i++) {
        uint32_t link = x->way[packet][i];
        if (is_over(x, crl_row_sends(&x->rows, link)) || is_over(x, crl_row_receives(&x->rows, link))) return true;
    }
    return false;
}

// ---------------------------------------------------------------- ways

// Takes the cheapest way in place of the one that it had.
static int reroute(struct rerouting *x, uint32_t packet)
{
    uint32_t origin = x->ends[2 * (size_t)packet], hops = 0;
    uint32_t dest = crl_packet_dest(x->naming, x->ends[2 * (size_t)packet + 1]);
    use(x, packet, UINT32_MAX);
    crl_ways_find(&x->ways, &x->rows, x->price, origin, dest);
    x->steps += (uint64_t)STEPS_A_LINK * x->ways.settled * x->rows.links / x->rows.nodes;
    for (uint32_t v = dest; v != origin; v = x->rows.from[x->ways.by[v]]) hops++;
    if (hops > x->hops[packet]) {
        uint32_t *longer = realloc(x->way[packet], sizeof *longer * hops);
        if (!longer) return CRL_ERR_MEMORY;
        x->way[packet] = longer;
    }
    x->hops[packet] = hops;
    for (uint32_t v = dest; v != origin; v = x->rows.from[x->ways.by[v]]) x->way[packet][--hops] = x->ways.by[v];
    use(x, packet, 1);
    return 0;
}

static void shuffle(struct rerouting *x)
{
    for (uint32_t i = x->packets; i > 1; i--) {
        uint32_t j = (uint32_t)(crl_random(&x->random) % i), swap = x->order[i - 1];
        x->order[i - 1] = x->order[j];
        x->order[j] = swap;
    }
}

// Raises the prices of what is too full. Returns whether anything is.
static bool raise_prices(struct rerouting *x)
{
    bool over = false;
    if (x->present < PRESENT_MAX) x->present += PRESENT;
    for (uint32_t row = 0; row < x->rows.count; row++) {
        if (is_over(x, row)) x->history[row] += HISTORY * (x->load[row] - x->most);
        over |= is_over(x, row);
        set_price(x, row);
    }
    return over;
}

static int find_ways(struct rerouting *x, uint64_t steps)
{
    int error = 0;
    bool over = true;
    for (uint32_t round = 0; over && !error && round < ROUNDS && (!round || x->steps < steps); round++) {
        shuffle(x);
        for (uint32_t i = 0; i < x->packets && !error; i++)
            if (!round || crosses_over(x, x->order[i])) error = reroute(x, x->order[i]);
        if (!error && crl_context_cancelled(x->problem->context)) error = CRL_ERR_INTERRUPTED;
        over = raise_prices(x);
    }
    return error;
}

// ---------------------------------------------------------------- slots

// Sorts the packets that are under way by the hops that they have to go, the most first. Returns how many there are.
static uint32_t sort(struct rerouting *x, uint32_t *count)
{
    uint32_t left = 0;
    memset(count, 0, sizeof *count * (x->farthest + UINT64_C(2)));
    for (uint32_t i = 0; i < x->packets; i++) count[x->farthest - (x->hops[i] - x->passed[i]) + 1]++;
    left = x->packets - count[x->farthest + 1];
    for (uint32_t i = 1; i <= x->farthest; i++) count[i] += count[i - 1];
    for (uint32_t i = 0; i < x->packets; i++) {
        uint32_t packet = x->order[i], to_go = x->hops[packet] - x->passed[packet];
        if (to_go) x->sorted[count[x->farthest - to_go]++] = packet;
    }
    return left;
}

static bool take_row(struct rerouting *x, uint32_t send, uint32_t receive, uint32_t slot)
{
    if (x->used[send] == slot || (receive != CRL_NONE && x->used[receive] == slot)) return false;
    x->used[send] = slot;
    if (receive != CRL_NONE) x->used[receive] = slot;
    return true;
}

static int find_slots(struct rerouting *x, struct crl_schedule *schedule)
{
    for (uint32_t i = 0; i < x->packets; i++)
        if (x->hops[i] > x->farthest) x->farthest = x->hops[i];
    uint32_t *count = malloc(sizeof *count * (x->farthest + UINT64_C(2))), left;
    int error = count ? 0 : CRL_ERR_MEMORY;
    for (uint32_t slot = 1; !error && (left = sort(x, count)); slot++) {
        for (uint32_t i = 0; i < left && !error; i++) {
            uint32_t packet = x->sorted[i], link = x->way[packet][x->passed[packet]];
            if (!take_row(x, crl_row_sends(&x->rows, link), crl_row_receives(&x->rows, link), slot)) continue;
            const uint32_t *ends = &x->ends[2 * (size_t)packet];
            x->passed[packet]++;
            error = crl_schedule_add(schedule,
                                     (struct crl_move){slot, x->rows.from[link], x->rows.to[link], ends[0], ends[1]});
        }
    }
    free(count);
    return error;
}

// ---------------------------------------------------------------- both

static int rerouting_new(struct rerouting *x, const struct crl_problem *problem, uint32_t slots)
{
    size_t packets = crl_problem_packets(problem) + 1;
    *x = (struct rerouting){.problem = problem, .packets = (uint32_t)packets - 1, .most = slots ? slots : 1};
    x->naming = crl_problem_naming(problem);
    int error = crl_rows_init(&x->rows, problem->topology, problem->ports == CRL_PORTS_SINGLE);
    if (!error) error = crl_ways_init(&x->ways, x->rows.nodes);
    if (error) return error;
    uint32_t **const arrays[] = {&x->ends,   &x->hops, &x->order,   &x->sorted,
                                 &x->passed, &x->load, &x->history, &x->used};
    const size_t rows = x->rows.count + UINT64_C(1);
    const size_t counts[] = {2 * packets, packets, packets, packets, packets, rows, rows, rows};
    bool good = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= !!(*arrays[i] = calloc(counts[i], sizeof(uint32_t)));
    good &= !!(x->way = calloc(packets, sizeof *x->way));
    good &= !!(x->price = malloc(sizeof *x->price * rows));
    good &= !!(x->scale = malloc(sizeof *x->scale * ((size_t)PRICED * x->most + 1)));
    if (!good) return CRL_ERR_MEMORY;
    set_scale(x);
    for (uint32_t row = 0; row < x->rows.count; row++) set_price(x, row);
    for (uint32_t i = 0; i < x->packets; i++) {
        crl_problem_packet(problem, i, &x->ends[2 * (size_t)i], &x->ends[2 * (size_t)i + 1]);
        x->order[i] = i;
    }
    return 0;
}

static void rerouting_done(struct rerouting *x)
{
    for (uint32_t i = 0; x->way && i < x->packets; i++) free(x->way[i]);
    void *const all[] = {x->ends, x->hops,    x->order, x->sorted, x->passed, x->load,
                         x->used, x->history, x->way,   x->price,  x->scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    crl_ways_done(&x->ways);
    crl_rows_done(&x->rows);
}

int crl_reroute(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t slots, uint64_t *steps)
{
    struct rerouting x;
    int error = rerouting_new(&x, problem, slots);
    if (!error) error = find_ways(&x, *steps);
    if (!error) error = find_slots(&x, schedule);
    *steps -= x.steps < *steps ? x.steps : *steps;
    rerouting_done(&x);
    return error;
}
