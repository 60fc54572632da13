// SPDX-License-Identifier: Apache-2.0
// Fabrics that wire themselves (crl_queue_fabric, crl_online_fabric) beside the instances that the simulator wires:
// every word alike, and what nodes keep, store and hold.
#include "machine/online/online.h"
#include "machine/queue/queue.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 9 };

static const struct crl_rtl_options wired = {0}, flat = {.flat = true};

static void die(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static struct crl_topology *topology_of(const char *spec)
{
    struct crl_diag diag = {0};
    struct crl_topology *topology;
    if (crl_topology_parse(&topology, spec, &diag)) die(spec, diag.text);
    return topology;
}

// ---- queue control: random broadcasts

static void broadcasts(const char *name, const char *spec, bool blocking, uint32_t depth)
{
    const struct crl_dynamic_options options = {.rho = 0.7, .stall = blocking ? 0.1 : 0, .slots = 400, .seed = 1};
    struct crl_topology *topology = topology_of(spec);
    struct crl_queue_tables tables = {0};
    const struct crl_scheme *scheme;
    struct crl_rtl_queue *rtl[2] = {0};
    struct crl_dynamic_result result;
    struct crl_diag diag = {0};
    int error = crl_scheme_find(&scheme, name, &diag);
    if (!error) error = crl_queue_build(&tables, scheme, topology, blocking, NULL, &diag);
    if (!error) error = crl_rtl_queue_new(&rtl[0], &tables, depth, &wired, &diag);
    if (!error) error = crl_rtl_queue_new(&rtl[1], &tables, depth, &flat, &diag);
    if (error) die(name, diag.text);
    const struct crl_queue_engine engines[] = {crl_rtl_queue_engine(rtl[0]), crl_rtl_queue_engine(rtl[1])};
    if (crl_dynamic_run(&result, &tables, &options, engines, 2, &diag)) die(name, diag.text);
    if (result.mismatches || strcmp(result.result, "ok")) die(name, result.text);
    if (result.packets < 100) die(name, "hardly a packet");
    printf("%s on %s%s: %llu packets alike\n", name, spec, blocking ? ", blocking" : "",
           (unsigned long long)result.packets);
    for (int i = 0; i < 2; i++) crl_rtl_queue_free(rtl[i]);
    crl_queue_tables_done(&tables);
    crl_topology_free(topology);
}

// ---- on-line nodes: random sets of active nodes

static struct crl_online *pose(struct crl_problem *problem, uint32_t *active, const struct crl_topology *topology,
                               const char *name, bool split, uint32_t run)
{
    const uint32_t nodes = crl_topology_nodes(topology);
    struct crl_diag diag = {0};
    struct crl_online *online;
    uint32_t count = 0;
    for (uint32_t v = 0; v < nodes; v++)
        if (!run || (v * UINT32_C(2654435761) + run * UINT32_C(40503)) >> 16 & 1) active[count++] = v;
    int error = crl_problem_init(problem, name, topology, 0, CRL_PORTS_ALL, &diag);
    if (!error) error = crl_problem_set_active(problem, active, count, split ? crl_mini_packets(topology) : 1, &diag);
    if (!error) error = crl_online_new(&online, problem, false, 0, 1 + run, &diag);
    if (error) die(name, diag.text);
    return online;
}

static void same_memory(const struct crl_online *online, struct crl_rtl *const rtl[2], const char *name)
{
    const struct crl_online_memory a = crl_rtl_online_memory(rtl[0]), b = crl_rtl_online_memory(rtl[1]);
    for (uint32_t v = 0; v < crl_online_nodes(online); v++)
        for (uint32_t memory = 0; memory < 4 * crl_online_dims(online); memory++)
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t word[2][2] = {{0}};
                bool in_a = a.held(a.user, v, memory, i, &word[0][0], &word[0][1]);
                bool in_b = b.held(b.user, v, memory, i, &word[1][0], &word[1][1]);
                if (in_a != in_b || (in_a && memcmp(word[0], word[1], sizeof word[0]))) die(name, "memories differ");
            }
}

static void sets(const char *name, const char *spec, bool split)
{
    struct crl_topology *topology = topology_of(spec);
    struct crl_rtl *rtl[2] = {0};
    struct crl_diag diag = {0};
    uint64_t words = 0;
    for (uint32_t run = 0; run < 20; run++) { // the first has all nodes active, so that the rest fits
        struct crl_problem problem;
        uint32_t active[NODES_MAX];
        struct crl_online *online = pose(&problem, active, topology, name, split, run);
        static const char *const names[] = {"instances", "flat fabric"};
        struct crl_player players[2];
        struct crl_compared compared;
        int error = 0;
        for (int i = 0; i < 2 && !error; i++) {
            if (!run) error = crl_rtl_online_new(&rtl[i], online, i ? &flat : &wired, &diag);
            if (!error) error = crl_rtl_online_start(rtl[i], online, &diag);
            if (!error) players[i] = crl_rtl_player(rtl[i]);
        }
        if (!error)
            error = crl_compare(&compared, players, names, 2, crl_topology_nodes(topology),
                                crl_topology_ports(topology), NULL, NULL, NULL, &diag);
        if (error) die(name, diag.text);
        if (compared.mismatches) die(name, compared.text);
        for (int i = 0; i < 2; i++) {
            char text[160];
            if (crl_rtl_finish(rtl[i], &diag)) die(name, diag.text);
            if (crl_rtl_faults(rtl[i], text)) die(name, text);
        }
        same_memory(online, rtl, name);
        words += compared.words;
        crl_online_free(online);
    }
    if (words < 500) die(name, "hardly a word");
    printf("%s on %s%s: %llu words alike\n", name, spec, split ? ", split" : "", (unsigned long long)words);
    for (int i = 0; i < 2; i++) crl_rtl_free(rtl[i]);
    crl_topology_free(topology);
}

int main(void)
{
    broadcasts("periodic", "hypercube:3", false, 64); // whose gates look where packets come from
    broadcasts("indirect", "hypercube:3", true, 2);
    sets("partial-multinode-broadcast", "torus:3x3", true);
    sets("partial-multinode-broadcast", "mesh:2x3", false);
    sets("partial-exchange", "mesh:2x3", false);
    return 0;
}
