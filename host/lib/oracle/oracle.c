// SPDX-License-Identifier: Apache-2.0
// The result oracle: has every node what the problem says, where the image says it lies? It knows nothing of schedules
// or tables.
#include "oracle/oracle.h"
#include "base/parallel.h"
#include "oracle/sums.h"
#include <stdlib.h>
#include <string.h>

struct crl_oracle {
    const struct crl_image *image;
    const struct crl_problem *problem;
    uint32_t first, nodes; // that are judged here: `nodes` of them
    uint64_t seed;
    struct crl_permutation payload; // of one round
    uint32_t round, judged;         // words of every packet, without a gap from the first on
    // What the first word of every packet is made from, [nodes][places]; of a folded image [places][nodes], so that
    // words of one address, which lie side by side in memories, are judged side by side.
    uint64_t *number;
    struct crl_oracle_sums *sums; // NULL: packets only pass
    const char *verdict;          // the first that is not "ok"; NULL: none yet
    struct crl_diag where;
};

static const struct crl_places *places_of(const struct crl_oracle *j, uint32_t node)
{
    return &j->image->after[j->image->folded ? 0 : node];
}

static int by_location(const void *a, const void *b)
{
    const struct crl_place *x = a, *y = b;
    return CRL_COMPARE({x->bank, y->bank}, {x->addr, y->addr});
}

static int by_name(const void *a, const void *b)
{
    const struct crl_place *x = a, *y = b;
    return CRL_COMPARE({x->origin, y->origin}, {x->dest, y->dest});
}

// The places alone: as many as the node must hold, of different packets, none in the same word.
static const char *judge_places(struct crl_oracle *j, uint32_t node, const struct crl_places *places,
                                struct crl_place *sorted)
{
    uint64_t wanted = crl_problem_wanted(j->problem, node);
    if (j->image->geometry.streams && !crl_problem_sums(j->problem)) wanted -= crl_problem_wanted_own(j->problem, node);
    if (places->count) memcpy(sorted, places->place, sizeof *sorted * places->count);
    qsort(sorted, places->count, sizeof *sorted, by_location);
    for (uint32_t i = 1; i < places->count; i++)
        if (!by_location(&sorted[i - 1], &sorted[i])) {
            crl_fail(&j->where, 0, "node %u: two packets at bank %u address %u", node, sorted[i].bank, sorted[i].addr);
            return "overlap";
        }
    qsort(sorted, places->count, sizeof *sorted, by_name);
    for (uint32_t i = 1; i < places->count; i++)
        if (!by_name(&sorted[i - 1], &sorted[i])) {
            crl_fail(&j->where, 0, "node %u: packet %u,%u is listed twice", node, sorted[i].origin, sorted[i].dest);
            return "extra";
        }
    if (places->count != wanted) {
        crl_fail(&j->where, 0, "node %u holds %u packets, but must hold %llu", node, places->count,
                 (unsigned long long)wanted);
        return places->count < wanted ? "missing" : "extra";
    }
    return NULL;
}

// Whether the packets are those of the node; what their words are is then in `number`, `step` from place to place.
static const char *judge_names(struct crl_oracle *j, uint32_t node, const struct crl_places *places, uint64_t *number,
                               size_t step)
{
    for (uint32_t i = 0; i < places->count; i++, number += step) {
        uint32_t origin = places->place[i].origin, dest = places->place[i].dest;
        if (j->image->folded) crl_packet_shift(j->problem, node, &origin, &dest);
        uint64_t index = crl_problem_index(j->problem, origin, dest);
        if (index == UINT64_MAX || !crl_problem_wants(j->problem, origin, dest, node) ||
            (j->image->geometry.streams && !crl_problem_sums(j->problem) &&
             crl_problem_source(j->problem, origin) == node)) {
            crl_fail(&j->where, 0, "node %u holds packet %u,%u, which is not for it", node, origin, dest);
            return "extra";
        }
        *number = index * j->image->geometry.words;
    }
    return NULL;
}

static const char *judge_all_places(struct crl_oracle *j)
{
    const struct crl_image *image = j->image;
    const char *verdict = NULL;
    size_t most = 0, all = 0;
    for (uint32_t v = j->first; v < j->first + j->nodes; v++) {
        size_t count = places_of(j, v)->count;
        all += count;
        if (count > most) most = count;
    }
    CRL_OWNED struct crl_place *sorted = malloc(sizeof *sorted * (most + 1));
    uint64_t *number = j->number = malloc(sizeof *number * (all + 1));
    if (!sorted || !number) verdict = "memory";
    for (uint32_t v = j->first; v < j->first + j->nodes && !verdict; v++) {
        const struct crl_places *places = places_of(j, v);
        if (v == j->first || !image->folded) verdict = judge_places(j, v, places, sorted); // translates are alike
        if (!verdict) verdict = judge_names(j, v, places, number, image->folded ? j->nodes : 1);
        number += image->folded ? 1 : places->count;
    }
    return verdict;
}

int crl_oracle_new(struct crl_oracle **out, const struct crl_image *image, const struct crl_problem *problem,
                   uint64_t seed, struct crl_diag *diag)
{
    struct crl_oracle *j = *out = calloc(1, sizeof *j);
    if (!j) return crl_fail_memory(diag);
    j->image = image;
    j->problem = problem;
    j->seed = seed;
    j->nodes = crl_share_nodes(problem->context, image->nodes, &j->first);
    crl_payload_init(&j->payload, &image->geometry, seed);
    j->verdict = judge_all_places(j);
    bool sums = crl_problem_sums(problem);
    if (j->number && (!sums || !crl_oracle_sums_new(&j->sums, &image->geometry, problem))) return 0;
    crl_oracle_free(j);
    *out = NULL;
    return crl_fail_memory(diag);
}

void crl_oracle_order(struct crl_oracle *j, const struct crl_orders *orders) { crl_oracle_sums_order(j->sums, orders); }

void crl_oracle_free(struct crl_oracle *j)
{
    if (j) free(j->number);
    if (j) crl_oracle_sums_free(j->sums);
    free(j);
}

// Memories to judge.
struct memory {
    crl_memory_fn *read;
    void *user;
};

enum { TOGETHER = 64 }; // nodes

// Word `word` of one place of `count` nodes from `node` on.
static const char *judge_nodes(struct crl_oracle *j, const struct memory *memory, uint32_t node, uint32_t count,
                               const struct crl_place *p, uint32_t word, const uint64_t *number)
{
    uint64_t found[TOGETHER], right[TOGETHER];
    memory->read(memory->user, node, count, p->bank, word, p->addr, found);
    if (j->sums) crl_oracle_sums_of(j->sums, &j->payload, word, node, number, found, right, count);
    else crl_permutation_many(&j->payload, number, word % j->image->geometry.words, right, count);
    for (uint32_t i = 0; i < count; i++) {
        if (found[i] == right[i]) continue;
        uint32_t origin = p->origin, dest = p->dest;
        if (j->image->folded) crl_packet_shift(j->problem, node + i, &origin, &dest);
        crl_fail(&j->where, 0, "node %u, packet %u,%u, word %u (bank %u, address %u) is %llx, but must be %llx",
                 node + i, origin, dest, word, p->bank, p->addr, (unsigned long long)found[i],
                 (unsigned long long)right[i]);
        return "wrong";
    }
    return NULL;
}

static const char *judge_word(struct crl_oracle *j, const struct memory *memory, uint32_t word)
{
    const uint32_t nodes = j->nodes, together = j->image->folded ? TOGETHER : 1;
    const uint32_t round = word / j->image->geometry.words;
    if (round != j->round) crl_payload_init(&j->payload, &j->image->geometry, j->seed + round);
    j->round = round;
    const char *verdict = NULL;
    const uint64_t *at = j->number;
    for (uint32_t v = 0; v < nodes && !verdict; v += together) {
        const struct crl_places *places = places_of(j, j->first + v);
        uint32_t count = nodes - v < together ? nodes - v : together;
        for (uint32_t i = 0; i < places->count && !verdict; i++)
            verdict = judge_nodes(j, memory, j->first + v, count, &places->place[i], word,
                                  j->image->folded ? &at[(size_t)i * nodes + v] : at++);
    }
    return verdict;
}

void crl_oracle_words(struct crl_oracle *j, crl_memory_fn *memory, void *user, uint32_t first, uint32_t count)
{
    for (uint32_t w = first; w - first < count && !j->verdict; w++)
        j->verdict = judge_word(j, &(struct memory){memory, user}, w);
    if (first == j->judged) j->judged += count;
}

const char *crl_oracle_verdict(const struct crl_oracle *j, uint32_t rounds, struct crl_diag *where)
{
    const uint64_t due = (uint64_t)rounds * j->image->geometry.words;
    if (where) *where = j->where;
    if (j->verdict) return j->verdict;
    if (j->judged == due) return "ok";
    crl_fail(where, 0, "'%u' words of each packet were seen, but '%llu' are due", j->judged, (unsigned long long)due);
    return "missing";
}

const char *crl_oracle(const struct crl_image *image, const struct crl_problem *problem, uint64_t seed,
                       crl_memory_fn *memory, void *user, struct crl_diag *where)
{
    struct crl_oracle *oracle;
    if (crl_oracle_new(&oracle, image, problem, seed, where)) return "memory";
    crl_oracle_words(oracle, memory, user, 0, image->geometry.words);
    const char *verdict = crl_oracle_verdict(oracle, 1, where);
    crl_oracle_free(oracle);
    return verdict;
}
