// SPDX-License-Identifier: Apache-2.0
// On-line routers in RTL beside their model in C, over many random sets of active nodes, of destinations, and of
// packets of lines: every word alike, no faults, and every node holds what it must. With queues that are too small both
// must say so, alike.
//
// usage: online_sets [RUNS [NAME SPEC]]    (RUNS also of the exchanges in three dimensions, which have 60 otherwise;
// only what has this name on this network)
#include "machine/online/online.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 64 };

struct bench {
    const char *spec, *name;
    bool split, balanced, line; // line: packets never wait for those of another dimension
    int runs;                   // where not the usual number
    uint32_t dims;              // of the topology: where lines lead
    struct crl_topology *topology;
    struct crl_rtl *engine;
    uint64_t words, lost_runs;
};

static void die(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

static uint32_t pick(uint32_t *active, uint32_t nodes, uint32_t wanted)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < nodes; v++)
        if (random_below(nodes - v) < wanted - count) active[count++] = v;
    return count;
}

// How many packets nodes have: `wanted` of them at random nodes; all at node 0 the first time, which needs most room.
static void deal(const struct bench *b, uint32_t nodes, uint32_t wanted, uint32_t *starts)
{
    memset(starts, 0, sizeof *starts * (nodes + 1));
    for (uint32_t i = 0; i < wanted; i++) starts[1 + (b->engine ? random_below(nodes) : 0)]++;
    for (uint32_t v = 0; v < nodes; v++) starts[v + 1] += starts[v];
}

struct sets {
    uint32_t active[NODES_MAX], dests[NODES_MAX], starts[NODES_MAX + 1];
};

static int pose(struct bench *b, struct crl_problem *problem, struct sets *sets, uint32_t wanted, struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(b->topology), dim = b->dims ? random_below(b->dims) : 0;
    int error = crl_problem_init(problem, b->name, b->topology, 0, CRL_PORTS_ALL, diag);
    if (!error && crl_problem_is_partial(problem)) {
        uint32_t count = pick(sets->active, nodes, wanted);
        error =
            crl_problem_set_active(problem, sets->active, count, b->split ? crl_mini_packets(b->topology) : 1, diag);
        if (!error && crl_problem_routes(problem))
            error = crl_problem_set_dests(problem, sets->dests, pick(sets->dests, nodes, wanted), diag);
    }
    if (!error && crl_problem_has_lines(problem)) {
        deal(b, nodes, wanted, sets->starts);
        error = crl_problem_set_lines(problem, sets->starts, dim, b->split ? 2 : 1, diag);
    }
    return error;
}

static void run(struct bench *b, uint32_t wanted, uint32_t depth)
{
    struct crl_diag diag = {0};
    struct crl_problem problem;
    struct crl_online *online;
    struct crl_compared compared;
    struct sets sets;
    uint32_t nodes = crl_topology_nodes(b->topology);
    char text[160], where[400];
    snprintf(where, sizeof where, "%s on %s%s%s, %u active or packets, depth %u", b->name, b->spec,
             b->split ? " split" : "", b->balanced ? " balanced" : "", wanted, depth);
    int error = pose(b, &problem, &sets, wanted, &diag);
    // The least that a line broadcast takes is what a node has of its own.
    for (uint32_t v = 0; v < nodes && depth && crl_problem_has_lines(&problem); v++)
        if (sets.starts[v + 1] - sets.starts[v] > depth) depth = sets.starts[v + 1] - sets.starts[v];
    if (error || crl_online_new(&online, &problem, b->balanced, depth, 1 + random_below(1 << 20), &diag))
        die(where, diag.text);
    if (!b->engine && crl_rtl_online_new(&b->engine, online, &(struct crl_rtl_options){0}, &diag))
        die(where, diag.text);
    if (crl_rtl_online_start(b->engine, online, &diag)) die(where, diag.text);
    struct crl_player players[] = {crl_online_player(online), crl_rtl_player(b->engine)};
    const char *const names[] = {"model", "rtl"};
    if (crl_compare(&compared, players, names, 2, nodes, crl_topology_ports(b->topology), NULL, NULL, NULL, &diag))
        die(where, diag.text);
    if (compared.mismatches) die(where, compared.text);
    if (crl_rtl_finish(b->engine, &diag)) die(where, diag.text);
    uint64_t faults = crl_rtl_faults(b->engine, text);
    struct crl_online_memory memory = crl_rtl_online_memory(b->engine);
    const char *verdict = crl_online_oracle(online, &memory, &diag);
    bool lost = crl_online_faults(online) > 0;
    if (lost != (faults > 0)) die(where, "a fault in one of model and RTL only");
    if (lost && !depth) die(where, text);
    if (lost ? strcmp(verdict, "missing") : strcmp(verdict, "ok")) die(where, diag.text);
    b->words += compared.words;
    b->lost_runs += lost;
    crl_online_free(online);
}

int main(int argc, char **argv)
{
    static const char *const broadcast = "partial-multinode-broadcast", *const exchange = "partial-exchange";
    struct bench benches[] = {
        {.spec = "torus:4x4", .name = broadcast},
        {.spec = "torus:4x4", .name = broadcast, .split = true},
        {.spec = "mesh:4x4", .name = broadcast},
        {.spec = "mesh:4x4", .name = broadcast, .split = true},
        {.spec = "mesh:5x3", .name = broadcast},
        {.spec = "mesh:5x3", .name = broadcast, .split = true},
        {.spec = "torus:4x4x2", .name = broadcast},
        {.spec = "torus:4x4x2", .name = broadcast, .split = true},
        {.spec = "torus:4x4", .name = exchange},
        {.spec = "mesh:4x4", .name = exchange},
        {.spec = "mesh:5x3", .name = exchange},
        {.spec = "ring:8", .name = exchange, .line = true, .runs = 60},
        {.spec = "torus:4x4", .name = exchange, .balanced = true, .runs = 60},
        {.spec = "mesh:5x3", .name = exchange, .balanced = true, .runs = 60},
        {.spec = "ring:8", .name = exchange, .balanced = true, .line = true, .runs = 20},
        {.spec = "torus:4x3x5", .name = exchange, .balanced = true, .runs = 30},
        {.spec = "torus:2x2x2x2", .name = exchange, .balanced = true, .runs = 30},
        {.spec = "torus:4x4x2", .name = exchange, .runs = 60},
        {.spec = "mesh:3x3x3", .name = exchange, .runs = 60},
        {.spec = "torus:4x3x5", .name = exchange, .runs = 60},
        // Parts of the broadcast, by themselves.
        {.spec = "torus:4x4", .name = "prefix"},
        {.spec = "mesh:4x4", .name = "prefix"},
        {.spec = "mesh:5x3", .name = "prefix"},
        {.spec = "torus:4x4x2", .name = "prefix"},
        {.spec = "torus:4x4", .name = "packing"},
        {.spec = "mesh:4x4", .name = "packing"},
        {.spec = "mesh:5x3", .name = "packing"},
        {.spec = "torus:4x4x2", .name = "packing"},
        {.spec = "torus:4x4", .name = "monotone-routing"},
        {.spec = "mesh:4x4", .name = "monotone-routing"},
        {.spec = "mesh:5x3", .name = "monotone-routing"},
        {.spec = "torus:4x4x2", .name = "monotone-routing"},
        {.spec = "torus:4x4", .name = "line-broadcast", .dims = 2},
        {.spec = "torus:4x4", .name = "line-broadcast", .dims = 2, .split = true},
        {.spec = "mesh:4x4", .name = "line-broadcast", .dims = 2},
        {.spec = "mesh:5x3", .name = "line-broadcast", .dims = 2},
        {.spec = "torus:4x4x2", .name = "line-broadcast", .dims = 3},
        {.spec = "torus:4x4x2", .name = "line-broadcast", .dims = 2, .split = true}, // the ring of two has no halves
        {.spec = "ring:7", .name = "line-broadcast", .dims = 1, .split = true},
        {.spec = "path:6", .name = "line-broadcast", .dims = 1},
    };
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
        struct bench *b = &benches[i];
        struct crl_diag diag = {0};
        if (argc > 3 && (strcmp(argv[2], b->name) != 0 || strcmp(argv[3], b->spec) != 0)) continue;
        int runs = argc > 1 ? atoi(argv[1]) : b->runs ? b->runs : 200;
        if (crl_topology_parse(&b->topology, b->spec, &diag)) die(b->spec, diag.text);
        uint32_t nodes = crl_topology_nodes(b->topology);
        uint32_t most = b->dims ? 3 * nodes : nodes; // packets; or nodes that are active
        run(b, most, 0);                             // the deepest queues first: the simulator is built for them
        run(b, 0, 0);
        run(b, 1, 0);
        for (int r = 3; r < runs; r++) run(b, random_below(most + 1), 0);
        bool queues = b->dims || b->name == exchange || b->name == broadcast; // or memories
        for (int r = 0; r < 20 && queues; r++) run(b, most - random_below(4), 1);
        printf("%s on %s%s%s: %d sets, %llu words alike", b->name, b->spec, b->split ? ", split" : "",
               b->balanced ? ", balanced" : "", runs, (unsigned long long)b->words);
        if (queues) printf("; too small queues: %llu of 20 with faults in both", (unsigned long long)b->lost_runs);
        printf("\n");
        fflush(stdout);
        if (queues && !b->line && !b->lost_runs) die(b->spec, "no queue was ever too small");
        crl_rtl_free(b->engine);
        crl_topology_free(b->topology);
    }
    return 0;
}
