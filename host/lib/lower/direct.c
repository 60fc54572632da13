// SPDX-License-Identifier: Apache-2.0
// Lanes of a router with fewer banks than lanes: what goes on in the next cycle goes from its live input to its output
// and needs no bank; what enters, leaves or stays longer shares the banks, one read and one write a cycle each.
#include "lower/lower.h"

// What each bank does in each cycle of the node.
struct banks_use {
    uint32_t banks;
    uint32_t *use; // [cycles][banks]
};
enum { WRITTEN = 1, READ = 2 };

static uint32_t *use_of(const struct banks_use *u, uint32_t cycle, uint32_t bank)
{
    return &u->use[(size_t)cycle * u->banks + bank];
}

static uint32_t first_free(const struct banks_use *u, uint32_t cycle)
{
    for (uint32_t b = 0; b < u->banks; b++)
        if (!(*use_of(u, cycle, b) & READ)) return b;
    return CRL_NONE;
}

// Stays with one bank while it is free, else a copy is loaded into another.
static bool place_own(struct crl_node_plan *plan, struct crl_visit *visit, const struct banks_use *u)
{
    struct crl_departure *out = plan->departures + visit->first;
    uint32_t bank = 0;
    for (uint32_t k = 0; k < visit->count; k++) {
        bool again = k && out[k].cycle == out[k - 1].cycle;
        if (!again && *use_of(u, out[k].cycle, bank) & READ) bank = first_free(u, out[k].cycle);
        if (bank == CRL_NONE) return false;
        *use_of(u, out[k].cycle, bank) |= READ;
        out[k].lane = (uint8_t)bank;
    }
    visit->lane = visit->count ? out[0].lane : 0;
    return true;
}

static bool place_arrival(struct crl_node_plan *plan, struct crl_visit *visit, const struct banks_use *u)
{
    struct crl_departure *out = plan->departures + visit->first;
    bool stays = visit->keep;
    for (uint32_t k = 0; k < visit->count; k++) {
        if (out[k].cycle == visit->arrival + 2) return false; // too late to go live, too early for a bank
        stays |= out[k].cycle > visit->arrival + 2;
        out[k].lane = 0;
    }
    visit->lane = 0;
    if (!stays) return true;
    for (; visit->lane < u->banks; visit->lane++) {
        bool good = !(*use_of(u, visit->arrival, visit->lane) & WRITTEN);
        for (uint32_t k = 0; k < visit->count; k++)
            good &= out[k].cycle == visit->arrival + 1 || !(*use_of(u, out[k].cycle, visit->lane) & READ);
        if (good) break;
    }
    if (visit->lane == u->banks) return false;
    *use_of(u, visit->arrival, visit->lane) |= WRITTEN;
    for (uint32_t k = 0; k < visit->count; k++) {
        out[k].lane = visit->lane;
        if (out[k].cycle > visit->arrival + 1) *use_of(u, out[k].cycle, visit->lane) |= READ;
    }
    return true;
}

int crl_lanes_direct(struct crl_node_plan *plan, const struct crl_geometry *g, struct crl_scratch *scratch)
{
    struct banks_use u = {g->banks, crl_scratch_cells(scratch, (size_t)g->rows * g->banks)};
    bool good = true;
    if (!u.use) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < plan->visits_count && good; i++) {
        struct crl_visit *visit = &plan->visits[i];
        good = visit->arrival ? place_arrival(plan, visit, &u) : place_own(plan, visit, &u);
    }
    for (uint32_t i = 0; i < plan->visits_count; i++) {
        const struct crl_visit *visit = &plan->visits[i];
        if (visit->arrival && visit->lane < u.banks) *use_of(&u, visit->arrival, visit->lane) = 0;
        for (uint32_t k = 0; k < visit->count; k++)
            *use_of(&u, plan->departures[visit->first + k].cycle, plan->departures[visit->first + k].lane) = 0;
    }
    return good;
}
