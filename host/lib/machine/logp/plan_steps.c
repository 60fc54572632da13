// SPDX-License-Identifier: Apache-2.0
// A LogP machine as a postal one (K93 Sec. 1): all sends start at multiples of a step, and a message is there after a
// whole number of steps. Unless processors are full-duplex, the step is such that no send overhead meets a reception's.
#include "machine/logp/plan.h"
#include "base/base.h"

// Whether some processor receives one item while it still has another to send: not where there is no other processor
// or no other item.
static bool relays(const struct crl_logp_problem *p)
{
    bool of_items = p->kind == CRL_LOGP_K_ITEM || p->kind == CRL_LOGP_CONTINUOUS;
    return !of_items || (p->machine.P > 2 && p->items > 1);
}

// Whether receptions, which start at L + o modulo the step, keep clear of sends, which start at 0.
bool crl_logp_step_is_clear(const struct crl_logp_problem *p, uint64_t step)
{
    const struct crl_logp *m = &p->machine;
    uint64_t phase = ((uint64_t)m->L + m->o) % step;
    return p->full_duplex || m->o == 0 || !relays(p) || (phase >= m->o && phase + m->o <= step);
}

uint64_t crl_logp_steps(struct crl_logp_steps *best, const struct crl_logp_problem *p, crl_logp_steps_fn *last_send)
{
    enum { TRIES = 200 };
    uint64_t flight = crl_logp_flight(&p->machine), least = crl_logp_spacing(&p->machine), end = UINT64_MAX;
    uint64_t most = crl_ceil_div(flight, least), stride = most / TRIES + 1;
    // Of the steps that give one latency the shortest is best. One step a flight always keeps clear.
    for (uint64_t latency = most; latency >= 1; latency = latency > stride ? latency - stride : latency == 1 ? 0 : 1) {
        uint64_t step = crl_ceil_div(flight, latency);
        if (step < least) step = least;
        while (crl_ceil_div(flight, step) == latency && !crl_logp_step_is_clear(p, step) && step < flight) step++;
        if (crl_ceil_div(flight, step) != latency || !crl_logp_step_is_clear(p, step)) continue;
        struct crl_logp postal = {p->machine.P, (uint32_t)latency, 0, 1};
        uint64_t last = last_send(&postal, p->items);
        if (last == UINT64_MAX) return UINT64_MAX;
        if (last * step + flight < end) {
            end = last * step + flight;
            *best = (struct crl_logp_steps){postal, step};
        }
    }
    return end;
}
