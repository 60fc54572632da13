// SPDX-License-Identifier: Apache-2.0
// The result oracle of the LogP machine: has every processor what the problem says, where the image says it lies? It
// knows nothing of schedules or tables.
#include "machine/logp/play.h"
#include <stdlib.h>

struct judge {
    const struct crl_logp_image *image;
    enum crl_op op;
    uint64_t seed;
    uint64_t (*memory)(void *user, uint32_t processor, uint32_t page, uint32_t addr);
    void *user;
    uint32_t first, count; // words of every item
    struct crl_diag *where;
};

static const char *judge_word(const struct judge *j, uint32_t v, const struct crl_logp_place *place, uint32_t word,
                              uint64_t right)
{
    uint64_t found = j->memory(j->user, v, word, place->addr);
    if (found == right) return NULL;
    crl_fail(j->where, 0, "processor %u, item %u, word %u (address %u) is %llx, but must be %llx", v, place->item, word,
             place->addr, (unsigned long long)found, (unsigned long long)right);
    return "wrong";
}

static int by_addr(const void *a, const void *b)
{
    const struct crl_logp_place *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_item(const void *a, const void *b)
{
    const struct crl_logp_place *x = a, *y = b;
    return x->item < y->item ? -1 : x->item > y->item;
}

static const char *judge_places(const struct judge *j, uint32_t v, const struct crl_logp_places *places,
                                struct crl_logp_place *sorted)
{
    for (uint32_t i = 0; i < places->count; i++) sorted[i] = places->place[i];
    qsort(sorted, places->count, sizeof *sorted, by_addr);
    for (uint32_t i = 1; i < places->count; i++)
        if (sorted[i].addr == sorted[i - 1].addr) {
            crl_fail(j->where, 0, "processor %u: two items at address %u", v, sorted[i].addr);
            return "overlap";
        }
    qsort(sorted, places->count, sizeof *sorted, by_item);
    return NULL;
}

// Items that are spread: those a processor must have, each once, no others.
static const char *judge_items(const struct judge *j, uint32_t v, struct crl_logp_place *sorted)
{
    const struct crl_logp_problem *p = &j->image->problem;
    const struct crl_logp_places *places = &j->image->after[v];
    const char *verdict = judge_places(j, v, places, sorted);
    uint64_t items = crl_logp_items(p);
    uint32_t at = 0;
    for (uint32_t item = 0; item < items && !verdict; item++) {
        bool wanted = crl_logp_item_exists(p, item) && crl_logp_item_wanted(p, item, v);
        bool found = at < places->count && sorted[at].item == item;
        if (wanted != found) {
            crl_fail(j->where, 0, "processor %u holds %s item %u", v, wanted ? "no" : "what it must not,", item);
            return wanted ? "missing" : "extra";
        }
        for (uint32_t w = j->first; found && w - j->first < j->count && !verdict; w++)
            verdict = judge_word(j, v, &sorted[at], w, crl_logp_payload(&j->image->geometry, item, w, j->seed));
        at += found;
    }
    if (!verdict && at < places->count) {
        crl_fail(j->where, 0, "processor %u holds item %u twice, or there is none such", v, sorted[at].item);
        return "extra";
    }
    return verdict;
}

// What was there to be combined: values 0…P−1, that of processor v at v; or operands 0…n−1 anywhere, as many as the
// problem asks for.
static const char *judge_values(const struct judge *j, uint32_t *count)
{
    const struct crl_logp_problem *p = &j->image->problem;
    uint32_t number = 0;
    for (uint32_t v = 0; v < p->machine.P; v++)
        for (uint32_t i = 0; i < j->image->before[v].count; i++, number++)
            if (j->image->before[v].place[i].item != number) {
                crl_fail(j->where, 0, "processor %u begins with number %u, not %u", v,
                         j->image->before[v].place[i].item, number);
                return "extra";
            }
    bool summation = p->kind == CRL_LOGP_SUMMATION;
    uint64_t least = !summation ? p->machine.P : p->operands ? p->operands : crl_logp_operands_in(&p->machine, p->time);
    *count = number;
    if (number >= least && (summation || number == least)) return NULL;
    crl_fail(j->where, 0, "there are %u values to combine, but must be %llu", number, (unsigned long long)least);
    return "missing";
}

static const char *judge_combination(const struct judge *j)
{
    const struct crl_logp_problem *p = &j->image->problem;
    const struct crl_logp_geometry *g = &j->image->geometry;
    uint32_t count = 0;
    const char *verdict = judge_values(j, &count);
    for (uint32_t w = j->first; w - j->first < j->count && !verdict; w++) {
        uint64_t right = crl_logp_payload(g, 0, w, j->seed);
        for (uint32_t i = 1; i < count; i++)
            right = crl_op_apply(j->op, g->data_width, right, crl_logp_payload(g, i, w, j->seed));
        for (uint32_t v = 0; v < p->machine.P && !verdict; v++) {
            const struct crl_logp_places *places = &j->image->after[v];
            uint32_t wanted = p->kind == CRL_LOGP_COMBINING || v == 0;
            if (places->count != wanted) {
                crl_fail(j->where, 0, "processor %u has %u results, but must have %u", v, places->count, wanted);
                return places->count < wanted ? "missing" : "extra";
            }
            if (wanted) verdict = judge_word(j, v, &places->place[0], w, right);
        }
    }
    return verdict;
}

const char *crl_logp_oracle_words(const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                                  uint64_t (*memory)(void *user, uint32_t processor, uint32_t page, uint32_t addr),
                                  void *user, uint32_t first, uint32_t count, struct crl_diag *where)
{
    struct judge j = {image, op, seed, memory, user, first, count, where};
    const char *verdict = NULL;
    if (crl_logp_combines(&image->problem)) verdict = judge_combination(&j);
    for (uint32_t v = 0; v < image->problem.machine.P && !verdict && !crl_logp_combines(&image->problem); v++) {
        struct crl_logp_place *sorted = malloc(sizeof *sorted * (image->after[v].count + 1));
        if (!sorted) return "memory";
        verdict = judge_items(&j, v, sorted);
        free(sorted);
    }
    return verdict ? verdict : "ok";
}

const char *crl_logp_oracle(const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                            uint64_t (*memory)(void *user, uint32_t processor, uint32_t page, uint32_t addr),
                            void *user, struct crl_diag *where)
{
    return crl_logp_oracle_words(image, op, seed, memory, user, 0, image->geometry.words, where);
}
