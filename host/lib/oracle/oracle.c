// SPDX-License-Identifier: Apache-2.0
// The result oracle: has every node what the problem says, where the image says it lies? It knows nothing of schedules
// or tables.
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

struct judge {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);
    void *user;
    uint32_t first, count; // words of every packet
    struct crl_permutation payload;
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

static const char *judge_packet(const struct judge *j, uint32_t node, const struct crl_place *p)
{
    uint32_t origin, dest;
    name_at(j, p, node, &origin, &dest);
    uint64_t index = crl_problem_index(j->problem, origin, dest);
    if (index == UINT64_MAX || !crl_problem_wants(j->problem, origin, dest, node)) {
        crl_fail(j->where, 0, "node %u holds packet %u,%u, which is not for it", node, origin, dest);
        return "extra";
    }
    for (uint32_t w = j->first; w - j->first < j->count; w++) {
        uint64_t found = j->memory(j->user, node, p->bank, w, p->addr);
        uint64_t right = crl_permutation_at(&j->payload, index * j->image->geometry.words + w);
        if (found == right) continue;
        crl_fail(j->where, 0, "node %u, packet %u,%u, word %u (bank %u, address %u) is %llx, but must be %llx", node,
                 origin, dest, w, p->bank, p->addr, (unsigned long long)found, (unsigned long long)right);
        return "wrong";
    }
    return NULL;
}

const char *crl_oracle_words(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                             uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                             void *user, uint32_t first, uint32_t count, struct crl_diag *where)
{
    struct judge j = {image, problem, memory, user, first, count, .where = where};
    const char *verdict = NULL;
    crl_payload_init(&j.payload, &image->geometry, seed);
    for (uint32_t set = 0; set < image->place_sets && first == 0 && !verdict; set++) {
        const struct crl_places *places = &image->after[set];
        struct crl_place *sorted = malloc(sizeof *sorted * (places->count + 1));
        if (!sorted) return "memory";
        verdict = judge_places(&j, set, places, sorted); // of a folded image those of node 0: translates are alike
        free(sorted);
    }
    // Place by place where all nodes have the same: memories hold the words of one address side by side.
    for (uint32_t set = 0; set < image->place_sets && !verdict; set++)
        for (uint32_t i = 0; i < image->after[set].count && !verdict; i++)
            for (uint32_t v = set; v < (image->folded ? image->nodes : set + 1) && !verdict; v++)
                verdict = judge_packet(&j, v, &image->after[set].place[i]);
    return verdict ? verdict : "ok";
}

const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                       void *user, struct crl_diag *where)
{
    return crl_oracle_words(image, problem, seed, memory, user, 0, image->geometry.words, where);
}
