// SPDX-License-Identifier: Apache-2.0
// The result oracle: has every node what the problem says, where the image says it lies? It knows nothing of schedules
// or tables.
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

struct judge {
    const struct crl_image *image;
    const struct crl_problem *problem;
    struct crl_permutation payload;
    uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);
    void *user;
    uint32_t first, count; // words of every packet
    struct crl_diag *where;
};

static const struct crl_places *places_of(const struct judge *j, uint32_t node)
{
    return &j->image->after[j->image->folded ? 0 : node];
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

// Whether the packets are those of the node; what their words are is then in `number`, [places].
static const char *judge_names(const struct judge *j, uint32_t node, const struct crl_places *places, uint64_t *number)
{
    for (uint32_t i = 0; i < places->count; i++) {
        uint32_t origin = places->place[i].origin, dest = places->place[i].dest;
        if (j->image->folded) crl_packet_shift(j->problem, node, &origin, &dest);
        uint64_t index = crl_problem_index(j->problem, origin, dest);
        if (index == UINT64_MAX || !crl_problem_wants(j->problem, origin, dest, node)) {
            crl_fail(j->where, 0, "node %u holds packet %u,%u, which is not for it", node, origin, dest);
            return "extra";
        }
        number[i] = index * j->image->geometry.words;
    }
    return NULL;
}

static const char *judge_word(const struct judge *j, uint32_t node, const struct crl_place *p, uint64_t number,
                              uint32_t word)
{
    uint64_t found = j->memory(j->user, node, p->bank, word, p->addr);
    uint64_t right = crl_permutation_at(&j->payload, number + word);
    if (found == right) return NULL;
    uint32_t origin = p->origin, dest = p->dest;
    if (j->image->folded) crl_packet_shift(j->problem, node, &origin, &dest);
    crl_fail(j->where, 0, "node %u, packet %u,%u, word %u (bank %u, address %u) is %llx, but must be %llx", node,
             origin, dest, word, p->bank, p->addr, (unsigned long long)found, (unsigned long long)right);
    return "wrong";
}

// Some nodes, word after word, as memories lie.
static const char *judge_nodes(const struct judge *j, uint32_t first, uint32_t end, uint64_t *number)
{
    const char *verdict = NULL;
    uint64_t *at = number;
    for (uint32_t v = first; v < end && !verdict; v++) {
        verdict = judge_names(j, v, places_of(j, v), at);
        at += places_of(j, v)->count;
    }
    for (uint32_t w = j->first; w - j->first < j->count && !verdict; w++) {
        const struct crl_places *places = places_of(j, first);
        // Where all have the same places, words of one address lie side by side.
        for (uint32_t i = 0; j->image->folded && i < places->count; i++)
            for (uint32_t v = first; v < end && !verdict; v++)
                verdict = judge_word(j, v, &places->place[i], number[(size_t)(v - first) * places->count + i], w);
        at = number;
        for (uint32_t v = first; !j->image->folded && v < end && !verdict; v++) {
            places = places_of(j, v);
            for (uint32_t i = 0; i < places->count && !verdict; i++)
                verdict = judge_word(j, v, &places->place[i], *at++, w);
        }
    }
    return verdict;
}

const char *crl_oracle_words(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                             uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                             void *user, uint32_t first, uint32_t count, struct crl_diag *where)
{
    enum { TOGETHER = 64 }; // nodes
    struct judge j = {.image = image,
                      .problem = problem,
                      .memory = memory,
                      .user = user,
                      .first = first,
                      .count = count,
                      .where = where};
    const char *verdict = NULL;
    crl_payload_init(&j.payload, &image->geometry, seed);
    for (uint32_t v = 0; v < image->nodes && !verdict; v += TOGETHER) {
        uint32_t end = image->nodes - v < TOGETHER ? image->nodes : v + TOGETHER;
        size_t most = 0, all = 0;
        for (uint32_t u = v; u < end; u++) {
            size_t places = places_of(&j, u)->count;
            all += places;
            if (places > most) most = places;
        }
        struct crl_place *sorted = malloc(sizeof *sorted * (most + 1));
        uint64_t *number = malloc(sizeof *number * (all + 1));
        if (!sorted || !number) verdict = "memory";
        for (uint32_t u = v; u < end && !verdict && first == 0; u++)
            if (u == 0 || !image->folded)
                verdict = judge_places(&j, u, places_of(&j, u), sorted); // translates are alike
        if (!verdict) verdict = judge_nodes(&j, v, end, number);
        free(sorted);
        free(number);
    }
    return verdict ? verdict : "ok";
}

const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       uint64_t (*memory)(void *user, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr),
                       void *user, struct crl_diag *where)
{
    return crl_oracle_words(image, problem, seed, memory, user, 0, image->geometry.words, where);
}
