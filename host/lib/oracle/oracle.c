// SPDX-License-Identifier: Apache-2.0
// The result oracle: has every node what the problem says, where the image says it lies? It knows nothing of schedules
// or tables.
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

struct judge {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t seed;
    uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);
    void *user;
    uint32_t first, count; // words of every packet
    struct crl_diag *where;
};

// A packet's name at `node`.
static void name_at(const struct judge *j, const struct crl_place *place, uint32_t node, uint32_t *origin,
                    uint32_t *dest)
{
    *origin = place->origin;
    *dest = place->dest;
    if (!j->image->folded) return;
    *origin = crl_topology_shift(j->problem->topology, *origin, node);
    if (crl_problem_naming(j->problem) == CRL_NAMING_PAIR)
        *dest = crl_topology_shift(j->problem->topology, *dest, node);
}

static int by_location(const void *a, const void *b)
{
    const struct crl_place *x = a, *y = b;
    if (x->bank != y->bank) return x->bank < y->bank ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_name(const void *a, const void *b)
{
    const struct crl_place *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return x->dest < y->dest ? -1 : x->dest > y->dest;
}

// The places alone: as many as the node must hold, of different packets, none in the same word.
static const char *judge_places(const struct judge *j, uint32_t node, const struct crl_places *places,
                                struct crl_place *sorted)
{
    uint64_t wanted = crl_problem_wanted(j->problem, node);
    if (places->count) memcpy(sorted, places->place, sizeof *sorted * places->count);
    qsort(sorted, places->count, sizeof *sorted, by_location);
    for (uint32_t i = 1; i < places->count; i++)
        if (!by_location(&sorted[i - 1], &sorted[i])) {
            crl_fail(j->where, 0, "node %u: two packets at bank %u address %u", node, sorted[i].bank, sorted[i].addr);
            return "overlap";
        }
    qsort(sorted, places->count, sizeof *sorted, by_name);
    for (uint32_t i = 1; i < places->count; i++)
        if (!by_name(&sorted[i - 1], &sorted[i])) {
            crl_fail(j->where, 0, "node %u: packet %u,%u is listed twice", node, sorted[i].origin, sorted[i].dest);
            return "extra";
        }
    if (places->count != wanted) {
        crl_fail(j->where, 0, "node %u holds %u packets, but must hold %llu", node, places->count,
                 (unsigned long long)wanted);
        return places->count < wanted ? "missing" : "extra";
    }
    return NULL;
}

static const char *judge_words(const struct judge *j, uint32_t node, const struct crl_places *places)
{
    const struct crl_geometry *g = &j->image->geometry;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct crl_place *p = &places->place[i];
        uint32_t origin, dest;
        name_at(j, p, node, &origin, &dest);
        if (crl_problem_index(j->problem, origin, dest) == UINT64_MAX ||
            !crl_problem_wants(j->problem, origin, dest, node)) {
            crl_fail(j->where, 0, "node %u holds packet %u,%u, which is not for it", node, origin, dest);
            return "extra";
        }
        for (uint32_t w = j->first; w - j->first < j->count; w++) {
            uint64_t found = j->memory(j->user, node, p->bank, w, p->addr);
            uint64_t right = crl_payload(j->problem, origin, dest, w, g, j->seed);
            if (found == right) continue;
            crl_fail(j->where, 0, "node %u, packet %u,%u, word %u (bank %u, address %u) is %llx, but must be %llx",
                     node, origin, dest, w, p->bank, p->addr, (unsigned long long)found, (unsigned long long)right);
            return "wrong";
        }
    }
    return NULL;
}

const char *crl_oracle_words(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                             uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                             void *user, uint32_t first, uint32_t count, struct crl_diag *where)
{
    struct judge j = {image, problem, seed, memory, user, first, count, where};
    const char *verdict = NULL;
    for (uint32_t v = 0; v < image->nodes && !verdict; v++) {
        const struct crl_places *places = &image->after[image->folded ? 0 : v];
        struct crl_place *sorted = malloc(sizeof *sorted * (places->count + 1));
        if (!sorted) return "memory";
        if (first == 0 && (v == 0 || !image->folded))
            verdict = judge_places(&j, v, places, sorted); // translates are alike
        free(sorted);
        if (!verdict) verdict = judge_words(&j, v, places);
    }
    return verdict ? verdict : "ok";
}

const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                       void *user, struct crl_diag *where)
{
    return crl_oracle_words(image, problem, seed, memory, user, 0, image->geometry.words, where);
}
