// SPDX-License-Identifier: Apache-2.0
// Hall's theorem, by his proof: all differences are 0 at first; then each in turn takes its value, and the next one
// makes up for it. The two are laid again, and who lies where one of them comes gives way to the place last left.
#include "algorithm/logp_blocks.h"

struct layout {
    uint32_t r, *value, *place, *owner; // of element k; owner[sum] = the element with that place + value
};

static uint32_t sum_at(const struct layout *l, uint32_t place, uint32_t element)
{
    return (uint32_t)(((uint64_t)place + l->value[element]) % l->r);
}

static void lay(struct layout *l, uint32_t element, uint32_t place)
{
    l->place[element] = place;
    l->owner[sum_at(l, place, element)] = element;
}

// Lays `element` and `other`, whose places and sums are free.
static void lay_two(struct layout *l, uint32_t element, uint32_t other, uint32_t place, uint32_t spare)
{
    for (;;) {
        uint32_t pushed = l->owner[sum_at(l, place, element)];
        lay(l, element, place);
        if (pushed == CRL_NONE) break;
        uint32_t left = l->place[pushed];
        element = pushed;
        place = spare;
        spare = left;
    }
    lay(l, other, spare);
}

void crl_logp_arrange(uint32_t r, const uint32_t *difference, uint32_t *order, uint32_t *scratch)
{
    struct layout l = {r, scratch, scratch + r, scratch + 2 * (size_t)r};
    for (uint32_t k = 0; k < r; k++) l.value[k] = 0, l.place[k] = l.owner[k] = k;
    for (uint32_t k = 0; k + 1 < r; k++) {
        l.owner[sum_at(&l, l.place[k], k)] = l.owner[sum_at(&l, l.place[k + 1], k + 1)] = CRL_NONE;
        uint32_t wanted = difference[k] % r;
        l.value[k + 1] = (uint32_t)(((uint64_t)l.value[k + 1] + l.value[k] + r - wanted) % r);
        l.value[k] = wanted;
        lay_two(&l, k, k + 1, l.place[k], l.place[k + 1]);
    }
    for (uint32_t k = 0; k < r; k++) order[k] = (l.place[k] + r - l.place[0]) % r;
}
