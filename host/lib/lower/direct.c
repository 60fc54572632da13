// SPDX-License-Identifier: Apache-2.0
// Lanes of a router with fewer banks than lanes: what goes on in the next cycle goes from its live input to its output
// and needs no bank; what enters, leaves or stays longer shares the banks, one read and one write a cycle each.
#include "lower/lower.h"
#include <stdlib.h>

struct ports_of_banks {
    uint32_t banks;
    uint8_t *read, *written; // [cycles + 1][banks]
};

static uint32_t first_free(const struct ports_of_banks *p, const uint8_t *taken, uint32_t cycle)
{
    for (uint32_t b = 0; b < p->banks; b++)
        if (!taken[(size_t)cycle * p->banks + b]) return b;
    return CRL_NONE;
}

// Stays with one bank while it is free, else a copy is loaded into another.
static bool place_own(struct crl_node_plan *plan, struct crl_visit *visit, const struct ports_of_banks *p)
{
    struct crl_departure *out = plan->departures + visit->first;
    uint32_t bank = 0;
    for (uint32_t k = 0; k < visit->count; k++) {
        bool again = k && out[k].cycle == out[k - 1].cycle;
        if (!again && p->read[(size_t)out[k].cycle * p->banks + bank]) bank = first_free(p, p->read, out[k].cycle);
        if (bank == CRL_NONE) return false;
        p->read[(size_t)out[k].cycle * p->banks + bank] = 1;
        out[k].lane = bank;
    }
    visit->lane = visit->count ? out[0].lane : 0;
    return true;
}

static bool place_arrival(struct crl_node_plan *plan, struct crl_visit *visit, const struct ports_of_banks *p)
{
    struct crl_departure *out = plan->departures + visit->first;
    bool stays = visit->keep;
    for (uint32_t k = 0; k < visit->count; k++) {
        if (out[k].cycle == visit->arrival + 2) return false; // too late to go live, too early for a bank
        stays |= out[k].cycle > visit->arrival + 2;
    }
    visit->lane = 0;
    if (!stays) return true;
    for (; visit->lane < p->banks; visit->lane++) {
        bool good = !p->written[(size_t)visit->arrival * p->banks + visit->lane];
        for (uint32_t k = 0; k < visit->count; k++)
            good &= out[k].cycle == visit->arrival + 1 || !p->read[(size_t)out[k].cycle * p->banks + visit->lane];
        if (good) break;
    }
    if (visit->lane == p->banks) return false;
    p->written[(size_t)visit->arrival * p->banks + visit->lane] = 1;
    for (uint32_t k = 0; k < visit->count; k++) {
        out[k].lane = visit->lane;
        if (out[k].cycle > visit->arrival + 1) p->read[(size_t)out[k].cycle * p->banks + visit->lane] = 1;
    }
    return true;
}

int crl_lanes_direct(struct crl_node_plan *plan, const struct crl_geometry *g, uint32_t cycles)
{
    size_t cells = (cycles + UINT64_C(1)) * g->banks;
    struct ports_of_banks p = {g->banks, calloc(cells, 1), calloc(cells, 1)};
    int good = p.read && p.written ? 1 : CRL_ERR_MEMORY;
    for (size_t i = 0; i < plan->visits_count && good == 1; i++) {
        struct crl_visit *visit = &plan->visits[i];
        good = visit->arrival ? place_arrival(plan, visit, &p) : place_own(plan, visit, &p);
    }
    free(p.read);
    free(p.written);
    return good;
}
