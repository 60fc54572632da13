// SPDX-License-Identifier: Apache-2.0
// Found schedules of all-reduce in the cache. What comes from there is replayed with sets of values before it is used.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/cache.h"
#include <stdlib.h>
#include <string.h>

struct replay {
    const struct crl_problem *problem;
    const struct crl_move **move;  // of a chunk, by departure
    uint32_t *order, nodes, words; // order: of the same, by arrival
    size_t count;
    uint64_t *holds, *carries; // [nodes][words], [moves][words]: whose values
};

static uint32_t arrival(const struct replay *r, uint32_t i)
{
    const struct crl_move *m = r->move[i];
    return crl_arrival_slot(r->problem->topology, m->slot, m->src, m->dst);
}

static uint64_t key_arrival(const void *replay, uint32_t i) { return arrival(replay, i); }

static bool is_all(const struct replay *r, const uint64_t *set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < r->words; w++) count += (uint32_t)__builtin_popcountll(set[w]);
    return count == r->nodes;
}

// What comes has nothing in common with what is held, or is all.
static bool take(const struct replay *r, uint64_t *held, const uint64_t *came)
{
    bool apart = true;
    for (uint32_t w = 0; w < r->words; w++) apart &= !(held[w] & came[w]);
    for (uint32_t w = 0; w < r->words; w++) held[w] |= came[w];
    return apart || is_all(r, came);
}

static bool chunk_works(struct replay *r)
{
    size_t bytes = r->words * sizeof(uint64_t);
    uint32_t sent = 0, most = 0;
    memset(r->holds, 0, r->nodes * bytes);
    for (uint32_t v = 0; v < r->nodes; v++) r->holds[(size_t)v * r->words + v / 64] |= UINT64_C(1) << v % 64;
    for (uint32_t i = 0; i < r->count; i++) r->order[i] = i;
    for (uint32_t i = 0; i < r->count; i++) most = arrival(r, i) > most ? arrival(r, i) : most;
    if (crl_sort_order(r->order, (uint32_t)r->count, key_arrival, r, most)) return false;
    for (uint32_t come = 0; come < r->count; come++) {
        uint32_t i = r->order[come];
        for (; sent < r->count && r->move[sent]->slot <= arrival(r, i); sent++)
            memcpy(r->carries + (size_t)sent * r->words, r->holds + (size_t)r->move[sent]->src * r->words, bytes);
        if (!take(r, r->holds + (size_t)r->move[i]->dst * r->words, r->carries + (size_t)i * r->words)) return false;
    }
    for (uint32_t v = 0; v < r->nodes; v++)
        if (!is_all(r, r->holds + (size_t)v * r->words)) return false;
    return true;
}

// No more packets in a slot than links take, or single-port nodes; the moves are in order.
static bool moves_fit(const struct crl_schedule *s, const struct crl_problem *p)
{
    uint32_t nodes = crl_topology_nodes(s->topology), beside = 0, last = crl_schedule_slots(s);
    bool single = p->ports == CRL_PORTS_SINGLE, good = true;
    uint8_t *gets = single ? calloc((size_t)nodes, last + 1) : NULL;
    for (size_t i = 0; i < s->count && good; i++) {
        const struct crl_move *m = &s->moves[i], *before = i ? m - 1 : NULL;
        good = m->slot && m->src < nodes && m->dst < nodes && m->origin < p->chunks;
        bool same = good && before && before->slot == m->slot && before->src == m->src;
        beside = same && before->dst == m->dst ? beside + 1 : 0;
        good = good && beside < crl_topology_width(s->topology, m->src, m->dst);
        if (!good || !single) continue;
        good = gets && !same &&
               !gets[(size_t)m->dst * (last + 1) + crl_arrival_slot(s->topology, m->slot, m->src, m->dst)]++;
    }
    free(gets);
    return good;
}

static uint64_t key_chunk(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].origin; }

static bool works(const struct crl_schedule *s, const struct crl_problem *problem)
{
    uint32_t count = (uint32_t)s->count, nodes = crl_topology_nodes(s->topology),
             *order = malloc(sizeof *order * (count + 1));
    struct replay r = {.problem = problem, .nodes = nodes, .words = nodes / 64 + 1};
    r.move = malloc(sizeof *r.move * (count + 1));
    r.order = malloc(sizeof *r.order * (count + 1));
    r.holds = malloc(sizeof *r.holds * nodes * r.words);
    r.carries = malloc(sizeof *r.carries * (4 * (size_t)nodes * nodes + 1) * r.words);
    bool good = order && r.move && r.order && r.holds && r.carries && moves_fit(s, problem);
    for (uint32_t i = 0; i < count && good; i++) order[i] = i;
    good = good && !crl_sort_order(order, count, key_chunk, s->moves, problem->chunks);
    for (uint32_t chunk = 0, at = 0; good && chunk < problem->chunks; chunk++) {
        for (r.count = 0; at < count && s->moves[order[at]].origin == chunk && r.count < 4 * (size_t)nodes * nodes;
             at++)
            r.move[r.count++] = &s->moves[order[at]];
        good = chunk_works(&r);
    }
    void *const arrays[] = {order, r.move, r.order, r.holds, r.carries};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    return good;
}

// Named by the links, because a graph's name does not say what is in its file.
static void name_entry(char entry[96], const struct crl_problem *p, uint32_t effort_ms)
{
    const struct crl_topology *t = p->topology;
    const uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < nodes * ports; i++) {
        uint32_t to = crl_topology_neighbor(t, i / ports, i % ports);
        uint64_t latency = to == CRL_NONE ? 0 : crl_topology_latency(t, i / ports, i % ports);
        hash = crl_mix(crl_mix(hash ^ to) ^ latency);
    }
    snprintf(entry, 96, "all-reduce-overlap2-%u-%u-%s-%u-%016llx.csv", nodes, p->chunks,
             p->ports == CRL_PORTS_SINGLE ? "single" : "all", effort_ms, (unsigned long long)hash);
}

bool crl_overlap_recall(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms)
{
    char entry[96];
    name_entry(entry, problem, effort_ms);
    FILE *file = crl_cache_open(problem->context, entry);
    struct crl_schedule found;
    if (!file) return false;
    crl_schedule_init_for(&found, problem, false);
    int error = crl_schedule_read_csv(&found, file, entry, NULL);
    fclose(file);
    if (!error) error = crl_schedule_unfold(&found, NULL);
    crl_schedule_forget_lines(&found); // the moves come from a plan, not from a file that the user knows
    bool good = !error && works(&found, problem);
    crl_schedule_done(good ? schedule : &found);
    if (good) *schedule = found;
    return good;
}

static int write_entry(FILE *file, void *schedule) { return crl_schedule_write_csv(schedule, file, false, NULL); }

void crl_overlap_store(const struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms)
{
    char entry[96];
    name_entry(entry, problem, effort_ms);
    crl_cache_write(problem->context, entry, write_entry, (void *)schedule); // or not
}
