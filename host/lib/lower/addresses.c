// SPDX-License-Identifier: Apache-2.0
// Where each packet lies in its bank.
//
// The read of link cycle t and the write of link cycle a may use the same address if t ≤ a + 1 (docs/formats/row.md).
#include "base/base.h"
#include "lower/lower.h"
#include <stdlib.h>
#include <string.h>

// A word of a bank: an arriving packet, an own packet, or one of the copies of an own packet.
struct item {
    struct crl_visit *visit;
    uint32_t from; // cycle it is written in, 0 if it is loaded
    uint32_t last; // cycle it is last read in, 0 if never
    bool keep;
    uint32_t addr;
};

struct lane_items {
    struct item *items;
    size_t count, capacity;
    bool zero; // the lane replays delayed words, which needs a word of zeros
};

static void lane_items_done(struct lane_items *lanes, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) free(lanes[b].items);
}

static int add(struct lane_items *lane, struct item item)
{
    int error = crl_grow((void **)&lane->items, &lane->capacity, lane->count, sizeof item);
    if (!error) lane->items[lane->count++] = item;
    return error;
}

static int add_own(struct crl_node_plan *plan, struct crl_visit *visit, struct lane_items *lanes, uint32_t banks)
{
    int error = 0;
    visit->banked = true;
    for (uint32_t b = 0; b < banks && !error; b++) {
        struct item item = {.visit = visit, .keep = visit->keep && b == visit->lane};
        for (uint32_t k = 0; k < visit->count; k++) {
            const struct crl_departure *out = &plan->departures[visit->first + k];
            if (out->lane == b) item.last = out->cycle; // cycles ascend
        }
        if (item.last || item.keep) error = add(&lanes[b], item);
    }
    return error;
}

static int collect(struct crl_node_plan *plan, struct lane_items *lanes, uint32_t banks)
{
    int error = 0;
    for (size_t i = 0; i < plan->visits_count && !error; i++) {
        struct crl_visit *visit = &plan->visits[i];
        if (!visit->arrival) {
            error = add_own(plan, visit, lanes, banks);
            continue;
        }
        uint32_t last = 0;
        for (uint32_t k = 0; k < visit->count; k++) {
            uint32_t after = plan->departures[visit->first + k].cycle - visit->arrival;
            if (after == 2) lanes[visit->lane].zero = true;
            if (after > 2) last = plan->departures[visit->first + k].cycle;
        }
        visit->banked = last || visit->keep;
        if (visit->banked) error = add(&lanes[visit->lane], (struct item){visit, visit->arrival, last, visit->keep, 0});
    }
    return error;
}

// Tells visits and departures their addresses.
static void assign(struct crl_node_plan *plan, const struct lane_items *lanes, uint32_t banks)
{
    for (uint32_t b = 0; b < banks; b++)
        for (size_t i = 0; i < lanes[b].count; i++) {
            const struct item *item = &lanes[b].items[i];
            if (item->visit->lane == b) item->visit->addr = item->addr;
            for (uint32_t k = 0; k < item->visit->count; k++) {
                struct crl_departure *out = &plan->departures[item->visit->first + k];
                if (out->lane == b) out->addr = item->addr;
            }
            if (item->addr >= plan->depth) plan->depth = item->addr + 1;
        }
    for (uint32_t b = 0; b < banks; b++)
        if (lanes[b].zero && plan->zero[b] >= plan->depth) plan->depth = plan->zero[b] + 1;
}

// ---- write address = row number: what arrives in cycle a lies at a

// Own packets may lie where nothing is written, or where it is written late enough: at t − 1 when last read in cycle t,
// which no other own packet of the lane claims.
static int place_by_counter(struct lane_items *lane, uint32_t cycles, uint32_t *zero)
{
    enum { FREE, WRITTEN, WANTED, TAKEN };
    size_t words = cycles + 2 + lane->count;
    uint8_t *use = calloc(words, 1);
    if (!use) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < lane->count; i++) {
        struct item *item = &lane->items[i];
        if (item->from) use[item->addr = item->from] = WRITTEN;
    }
    for (size_t i = 0; i < lane->count; i++) {
        const struct item *item = &lane->items[i];
        if (!item->from && !item->keep && use[item->last - 1] == FREE) use[item->last - 1] = WANTED;
    }
    for (size_t i = 0; i < lane->count; i++) {
        struct item *item = &lane->items[i];
        if (item->from) continue;
        uint32_t at = item->keep ? 0 : item->last - 1;
        while (item->keep && use[at] != FREE) at++;
        item->addr = at;
        use[at] = TAKEN;
    }
    *zero = lane->zero ? 0 : CRL_NONE;
    while (lane->zero && use[*zero] != FREE) ++*zero;
    free(use);
    return 0;
}

int crl_addresses_by_counter(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    struct lane_items lanes[CRL_BANKS_MAX] = {0};
    plan->depth = 0;
    int error = collect(plan, lanes, g->banks);
    for (uint32_t b = 0; b < g->banks && !error; b++) error = place_by_counter(&lanes[b], cycles, &plan->zero[b]);
    if (!error) assign(plan, lanes, g->banks);
    lane_items_done(lanes, g->banks);
    return error;
}

// ---- write address from the row: the fewest words

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

// Lives are intervals, so giving each arrival any address that is free by then takes as many words as live at once at
// most.
static int place_by_reuse(struct lane_items *lane, uint32_t cycles, uint32_t *zero)
{
    uint32_t words = 0, free_count = 0;
    // dying[t]: chain of addresses last read in cycle t, as address + 1
    uint32_t *dying = calloc(cycles + UINT64_C(2), sizeof *dying), *chain = malloc(sizeof *chain * (lane->count + 1));
    uint32_t *free_list = malloc(sizeof *free_list * (lane->count + 1)), reaped = 0;
    if (!dying || !chain || !free_list) {
        free(dying);
        free(chain);
        free(free_list);
        return CRL_ERR_MEMORY;
    }
    if (lane->count) qsort(lane->items, lane->count, sizeof *lane->items, by_time);
    *zero = lane->zero ? words++ : CRL_NONE;
    for (size_t i = 0; i < lane->count; i++) {
        struct item *item = &lane->items[i];
        for (; item->from && reaped < item->from + 1 && reaped < cycles; reaped++)
            for (uint32_t a = dying[reaped + 1]; a; a = chain[a - 1]) free_list[free_count++] = a - 1;
        item->addr = item->from && free_count ? free_list[--free_count] : words++;
        if (!item->keep) {
            chain[item->addr] = dying[item->last];
            dying[item->last] = item->addr + 1;
        }
    }
    free(dying);
    free(chain);
    free(free_list);
    return 0;
}

int crl_addresses_by_reuse(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    struct lane_items lanes[CRL_BANKS_MAX] = {0};
    plan->depth = 0;
    int error = collect(plan, lanes, g->banks);
    for (uint32_t b = 0; b < g->banks && !error; b++) error = place_by_reuse(&lanes[b], cycles, &plan->zero[b]);
    if (!error) assign(plan, lanes, g->banks);
    lane_items_done(lanes, g->banks);
    return error;
}
