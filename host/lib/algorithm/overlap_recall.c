// SPDX-License-Identifier: Apache-2.0
// Found schedules of all-reduce in the cache. An entry begins with a hash of its name and moves: what was damaged, or
// was kept for another problem, is searched again. Plans are checked whether they come from here or not.
#include "algorithm/overlap.h"
#include "base/base.h"
#include "base/cache.h"
#include <inttypes.h>

// Named by the links, because a graph's name does not say what is in its file.
static uint64_t name_entry(char entry[96], const struct crl_problem *p, uint32_t effort_ms)
{
    const struct crl_topology *t = p->topology;
    const uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < nodes * ports; i++) {
        uint32_t to = crl_topology_neighbor(t, i / ports, i % ports);
        uint64_t latency = to == CRL_NONE ? 0 : crl_topology_latency(t, i / ports, i % ports);
        hash = crl_mix(crl_mix(hash ^ to) ^ latency);
    }
    snprintf(entry, 96, "all-reduce-overlap3-%u-%u-%s-%u-%016" PRIx64 ".csv", nodes, p->chunks,
             p->ports == CRL_PORTS_SINGLE ? "single" : "all", effort_ms, hash);
    return crl_mix(crl_mix(hash ^ p->chunks) ^ p->ports);
}

static uint64_t seal(uint64_t hash, const struct crl_schedule *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        hash = crl_mix(hash ^ ((uint64_t)m->slot << 32 | m->origin));
        hash = crl_mix(hash ^ ((uint64_t)m->src << 32 | m->dst));
    }
    return hash;
}

bool crl_overlap_recall(struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms)
{
    char entry[96];
    uint64_t hash = name_entry(entry, problem, effort_ms), sealed;
    uint32_t folded;
    FILE *file = crl_cache_open(problem->context, entry);
    struct crl_schedule found;
    if (!file) return false;
    bool good = fscanf(file, "%16" SCNx64 " %1" SCNu32, &sealed, &folded) == 2 && getc(file) == '\n';
    crl_schedule_init_for(&found, problem, good && folded && crl_problem_is_symmetric(problem));
    good = good && !crl_schedule_read_csv(&found, file, entry, NULL) && seal(hash, &found) == sealed;
    fclose(file);
    crl_schedule_forget_lines(&found); // the moves come from a plan, not from a file that the user knows
    crl_schedule_done(good ? schedule : &found);
    if (good) *schedule = found;
    return good;
}

struct entry {
    const struct crl_schedule *schedule;
    uint64_t seal;
};

static int write_entry(FILE *file, void *user)
{
    const struct entry *e = user;
    if (fprintf(file, "%016" PRIx64 " %d\n", e->seal, e->schedule->folded) < 0) return CRL_ERR_IO;
    return crl_schedule_write_csv(e->schedule, file, e->schedule->folded, NULL);
}

void crl_overlap_store(const struct crl_schedule *schedule, const struct crl_problem *problem, uint32_t effort_ms)
{
    char entry[96];
    uint64_t hash = name_entry(entry, problem, effort_ms);
    crl_cache_write(problem->context, entry, write_entry, &(struct entry){schedule, seal(hash, schedule)}); // or not
}
