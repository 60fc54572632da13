// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of queue control: tables of a scheme, and a model that is fed packets by hand.
#ifndef UNIT_QUEUE_H
#define UNIT_QUEUE_H

#include "unit.h"
#include "machine/queue/queue.h"
#include <stdio.h>

static struct crl_queue_tables tables_of(const char *name, uint32_t d, bool blocking)
{
    struct crl_queue_tables tables;
    struct crl_topology *topology;
    const struct crl_scheme *scheme;
    struct crl_diag diag;
    char spec[32];
    snprintf(spec, sizeof spec, "hypercube:%u", d);
    assert_int_equal(crl_topology_parse(&topology, spec, &diag), 0);
    assert_int_equal(crl_scheme_find(&scheme, name, &diag), 0);
    assert_int_equal(crl_queue_build(&tables, scheme, topology, blocking, NULL, &diag), 0);
    crl_topology_free(topology);
    return tables;
}

static inline void assert_limit(const char *name, uint32_t d, double wanted)
{
    struct crl_queue_tables tables = tables_of(name, d, false);
    double limit;
    assert_int_equal(crl_queue_check(&tables, &limit, NULL), 0);
    if (limit < wanted - 1e-9 || limit > wanted + 1e-9) fail_msg("%s, d = %u: %f, not %f", name, d, limit, wanted);
    crl_queue_tables_done(&tables);
}

struct bench {
    struct crl_queue_tables *tables;
    struct crl_queue_model *model;
    struct crl_own own[16];
    struct crl_stimulus stimulus;
    struct crl_traffic traffic;
    char text[256]; // what bench_step saw
};

static inline struct bench bench_new(const char *name, uint32_t d, bool blocking, uint32_t depth)
{
    struct bench b = {0};
    b.tables = malloc(sizeof *b.tables);
    *b.tables = tables_of(name, d, blocking);
    assert_int_equal(crl_queue_model_new(&b.model, b.tables, depth, NULL), 0);
    return b;
}

// `node` generates a packet in the next slot.
static inline void bench_own(struct bench *b, uint32_t node, uint32_t word)
{
    b->own[b->stimulus.count++] = (struct crl_own){.node = node, .word = word};
}

// Plays a slot; returns the links in use as "node:port node:port".
static inline const char *bench_step(struct bench *b)
{
    struct crl_queue_engine engine = crl_queue_model_engine(b->model);
    size_t used = 0;
    b->stimulus.own = b->own;
    assert_int_equal(engine.step(engine.self, &b->stimulus, &b->traffic), 0);
    b->stimulus.count = 0;
    *b->text = 0;
    for (uint32_t v = 0; v < b->tables->nodes; v++)
        for (uint32_t p = 0; p < b->tables->ports; p++)
            if (b->traffic.sent[v] >> p & 1)
                used += (size_t)snprintf(b->text + used, sizeof b->text - used, "%s%u:%u", used ? " " : "", v, p);
    return b->text;
}

static inline void bench_done(struct bench *b)
{
    crl_queue_model_free(b->model);
    crl_queue_tables_done(b->tables);
    free(b->tables);
}

#endif
