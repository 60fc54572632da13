// SPDX-License-Identifier: Apache-2.0
// Where each packet lies in its bank.
//
// The read of link cycle t and the write of link cycle a may use the same address if t ≤ a + 1 (docs/formats/row.md).
#include "base/base.h"
#include "lower/lower.h"
#include <stdlib.h>

static int add(struct crl_scratch *scratch, uint32_t lane, struct crl_item item)
{
    return CRL_PUSH(scratch->lane[lane].items, scratch->lane[lane].capacity, scratch->lane[lane].count, item);
}

static int add_own(struct crl_node_plan *plan, struct crl_visit *visit, struct crl_scratch *scratch)
{
    uint64_t lanes = visit->keep ? UINT64_C(1) << visit->lane : 0;
    int error = 0;
    visit->banked = true;
    for (uint32_t k = 0; k < visit->count; k++) lanes |= UINT64_C(1) << plan->departures[visit->first + k].lane;
    for (; lanes && !error; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        struct crl_item item = {.visit = visit, .keep = visit->keep && lane == visit->lane};
        for (uint32_t k = 0; k < visit->count; k++) {
            const struct crl_departure *out = &plan->departures[visit->first + k];
            if (out->lane == lane) item.last = out->cycle; // cycles ascend
        }
        error = add(scratch, lane, item);
    }
    return error;
}

// A word of a stream is shown beside the bank's, which must then be zero.
static void find_zeros(const struct crl_node_plan *plan, const struct crl_visit *visit, struct crl_scratch *scratch)
{
    for (uint32_t k = 0; k < visit->count; k++) scratch->lane[plan->departures[visit->first + k].lane].zero = true;
}

// The words of each lane's bank.
static int collect(struct crl_node_plan *plan, struct crl_scratch *scratch, const struct crl_geometry *g)
{
    int error = 0;
    plan->depth = 0;
    for (uint32_t b = 0; b < g->banks; b++) {
        scratch->lane[b].count = 0;
        scratch->lane[b].zero = false;
    }
    for (uint32_t i = 0; i < plan->visits_count && !error; i++) {
        struct crl_visit *visit = &plan->visits[i];
        if (!visit->arrival && g->streams) {
            find_zeros(plan, visit, scratch);
            continue;
        }
        if (!visit->arrival) {
            error = add_own(plan, visit, scratch);
            continue;
        }
        uint32_t last = 0;
        for (uint32_t k = 0; k < visit->count; k++) {
            uint32_t after = plan->departures[visit->first + k].cycle - visit->arrival;
            if (after == 2) scratch->lane[visit->lane].zero = true;
            if (after > 2) last = plan->departures[visit->first + k].cycle;
        }
        bool kept = visit->keep && !g->streams;
        visit->banked = last || kept;
        if (visit->banked) error = add(scratch, visit->lane, (struct crl_item){visit, visit->arrival, last, kept, 0});
    }
    return error;
}

static int set_zero(struct crl_node_plan *plan, uint32_t banks, uint32_t bank, uint32_t addr)
{
    if (!plan->zero) {
        plan->zero = malloc(sizeof *plan->zero * banks);
        if (!plan->zero) return CRL_ERR_MEMORY;
        for (uint32_t b = 0; b < banks; b++) plan->zero[b] = CRL_NONE;
    }
    plan->zero[bank] = addr;
    if (addr >= plan->depth) plan->depth = addr + 1;
    return 0;
}

// Tells visits and departures their addresses.
static void assign(struct crl_node_plan *plan, const struct crl_scratch *scratch, uint32_t banks)
{
    for (uint32_t b = 0; b < banks; b++)
        for (size_t i = 0; i < scratch->lane[b].count; i++) {
            const struct crl_item *item = &scratch->lane[b].items[i];
            if (item->visit->lane == b) item->visit->addr = item->addr;
            for (uint32_t k = 0; k < item->visit->count; k++) {
                struct crl_departure *out = &plan->departures[item->visit->first + k];
                if (out->lane == b) out->addr = item->addr;
            }
            if (item->addr >= plan->depth) plan->depth = item->addr + 1;
        }
}

// ---- write address = row number: what arrives in cycle a lies at a

// Own packets may lie where nothing is written, or where it is written late enough: at t − 1 when last read in cycle t,
// which no other own packet of the lane claims.
static int place_by_counter(struct crl_item *items, size_t count, uint32_t rows, struct crl_scratch *scratch,
                            uint32_t *zero)
{
    enum { FREE, WRITTEN, WANTED, TAKEN };
    uint32_t *use = crl_scratch_cells(scratch, rows + UINT64_C(1) + count), next = 0;
    if (!use) return CRL_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (items[i].from) use[items[i].addr = items[i].from] = WRITTEN;
    for (size_t i = 0; i < count; i++)
        if (!items[i].from && !items[i].keep && use[items[i].last - 1] == FREE) use[items[i].last - 1] = WANTED;
    for (size_t i = 0; i < count; i++) {
        if (items[i].from) continue;
        while (items[i].keep && use[next] != FREE) next++;
        items[i].addr = items[i].keep ? next : items[i].last - 1;
        use[items[i].addr] = TAKEN;
    }
    while (*zero != CRL_NONE && use[*zero] != FREE) ++*zero;
    for (size_t i = 0; i < count; i++) use[items[i].addr] = FREE;
    return 0;
}

int crl_addresses_by_counter(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    int error = collect(plan, scratch, g);
    for (uint32_t b = 0; b < g->banks && !error; b++) {
        uint32_t zero = scratch->lane[b].zero ? 0 : CRL_NONE;
        if (scratch->lane[b].count || scratch->lane[b].zero)
            error = place_by_counter(scratch->lane[b].items, scratch->lane[b].count, g->rows, scratch, &zero);
        if (!error && zero != CRL_NONE) error = set_zero(plan, g->banks, b, zero);
    }
    if (!error) assign(plan, scratch, g->banks);
    return error;
}

// ---- write address from the row: the fewest words

static uint64_t arrival(const void *user, uint32_t index) { return ((const struct crl_item *)user)[index].from; }

static uint64_t last_read(const void *user, uint32_t index) { return ((const struct crl_item *)user)[index].last; }

// Lives are intervals, so giving each arrival any address that is free by then takes as many words as live at once at
// most. `words` are taken already.
static int place_by_reuse(struct crl_item *items, uint32_t count, uint32_t words, uint32_t rows)
{
    // Items in the order in which they come, and in that in which they are last read; `gone` of these are gone.
    CRL_OWNED uint32_t *coming = malloc(sizeof *coming * count), *going = malloc(sizeof *going * count);
    uint32_t *free_list = malloc(sizeof *free_list * count), free_count = 0, gone = 0;
    int error = coming && going && free_list ? 0 : CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < count && !error; i++) coming[i] = going[i] = i;
    if (!error) error = crl_sort_order(coming, count, arrival, items, rows);
    if (!error) error = crl_sort_order(going, count, last_read, items, rows);
    for (uint32_t i = 0; i < count && !error; i++) {
        struct crl_item *item = &items[coming[i]];
        // What is gone came before: it is read after it is written.
        for (; item->from && gone < count && items[going[gone]].last <= item->from + 1; gone++)
            if (!items[going[gone]].keep) free_list[free_count++] = items[going[gone]].addr;
        item->addr = item->from && free_count ? free_list[--free_count] : words++;
    }
    free(free_list);
    return error;
}

int crl_addresses_by_reuse(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    int error = collect(plan, scratch, g);
    for (uint32_t b = 0; b < g->banks && !error; b++) {
        size_t count = scratch->lane[b].count;
        if (scratch->lane[b].zero) error = set_zero(plan, g->banks, b, 0);
        // With streams also where this table needs none: another one that the fabric plays may.
        const bool first_is_zero = scratch->lane[b].zero || g->streams;
        if (count && !error) error = place_by_reuse(scratch->lane[b].items, (uint32_t)count, first_is_zero, g->rows);
    }
    if (!error) assign(plan, scratch, g->banks);
    return error;
}
