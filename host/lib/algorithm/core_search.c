// SPDX-License-Identifier: Apache-2.0
// The fewest slots for which an attempt comes to an end.
#include "algorithm/core.h"

enum {
    SHARE = 3, // a number of slots may use up one in so many of the steps that are left
    PATIENCE_MAX = 16
};

int crl_core_try(const struct crl_core_search *s, uint32_t slots, uint32_t patience, uint32_t parts)
{
    uint64_t kept = s->core->steps - s->core->steps / parts;
    s->core->steps /= parts;
    int error = s->attempt(s->user, slots, patience);
    s->core->steps += kept;
    return error;
}

int crl_core_widen(struct crl_core_search *s, uint32_t step, uint32_t most)
{
    uint64_t end = s->core->steps / 16;
    uint32_t slots = s->failed + 1;
    int error;
    while ((error = crl_core_try(s, slots, 1, SHARE)) == CRL_ERR_UNSUPPORTED && s->core->steps > end && slots < most) {
        s->failed = slots;
        slots += step;
        step *= 2;
    }
    return error;
}

int crl_core_halve(struct crl_core_search *s, uint32_t slots, uint32_t patience)
{
    int error = 0;
    while (s->failed + 1 < s->best->slots && s->core->steps > SHARE && !error) {
        error = crl_core_try(s, slots, patience, SHARE);
        if (error == CRL_ERR_UNSUPPORTED) {
            s->failed = slots;
            error = 0;
        }
        slots = s->failed + 1 + (s->best->slots - s->failed - 1) / 2;
    }
    return error;
}

int crl_core_insist(struct crl_core_search *s, uint32_t bound, uint32_t patience)
{
    int error = 0;
    while (!error && patience <= PATIENCE_MAX && s->core->steps > SHARE) {
        uint32_t slots = s->best->slots;
        if (slots <= bound) break;
        s->failed = slots - 2;
        error = crl_core_halve(s, slots - 1, patience);
        if (s->best->slots == slots) patience *= 4;
    }
    return error;
}
