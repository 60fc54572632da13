// SPDX-License-Identifier: Apache-2.0
// Schedules that took long to find, in the cache. An entry begins with a hash of its name and moves: what was damaged,
// or was kept for another problem, is searched again. Plans are checked whether they come from here or not.
#include "schedule/recall.h"
#include "base/random.h"
#include "base/base.h"
#include "base/cache.h"
#include <inttypes.h>

// Raised when planners that keep what they find would find other schedules: those of before are then not taken again.
enum { PLANNERS = 18 };

// Named by the links, because a graph's name does not say what is in its file.
void crl_recall_name(struct crl_recall *r, const struct crl_problem *problem, const char *scheme, uint64_t of)
{
    const struct crl_topology *t = problem->topology;
    const uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t);
    uint64_t hash = crl_mix(crl_mix(of ^ (uint64_t)PLANNERS << 48) ^ problem->ports);
    const bool cabled = crl_topology_is_cabled(t);
    for (uint32_t i = 0; i < nodes * ports; i++) {
        uint32_t to = crl_topology_neighbor(t, i / ports, i % ports);
        uint64_t latency = to == CRL_NONE ? 0 : crl_topology_latency(t, i / ports, i % ports);
        hash = crl_mix(crl_mix(hash ^ to) ^ latency);
        if (to != CRL_NONE && cabled)
            hash =
                crl_mix(hash ^ crl_topology_gap(t, i / ports, i % ports)) ^ crl_topology_shared_cable(t, i / ports, to);
    }
    *r = (struct crl_recall){.problem = problem, .hash = hash};
    snprintf(r->entry, sizeof r->entry, "%s-%u-%016" PRIx64 ".csv", scheme, nodes, hash);
}

static uint64_t seal(uint64_t hash, const struct crl_schedule *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        hash = crl_mix(hash ^ ((uint64_t)m->slot << 32 | m->origin));
        hash = crl_mix(crl_mix(hash ^ ((uint64_t)m->src << 32 | m->dst)) ^ m->dest);
    }
    return hash;
}

bool crl_recall(struct crl_schedule *schedule, const struct crl_recall *r)
{
    uint64_t sealed;
    uint32_t folded;
    FILE *file = crl_cache_open(r->problem->context, r->entry);
    struct crl_schedule found;
    if (!file) return false;
    bool good = fscanf(file, "%16" SCNx64 " %1" SCNu32, &sealed, &folded) == 2 && getc(file) == '\n';
    crl_schedule_init_for(&found, r->problem, good && folded && crl_problem_is_symmetric(r->problem));
    good = good && !crl_schedule_read_csv(&found, file, r->entry, NULL) && seal(r->hash, &found) == sealed;
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

void crl_recall_store(const struct crl_schedule *schedule, const struct crl_recall *r)
{
    struct entry entry = {schedule, seal(r->hash, schedule)};
    crl_cache_write(r->problem->context, r->entry, write_entry, &entry); // or not
}
