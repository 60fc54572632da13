// SPDX-License-Identifier: Apache-2.0
// What the unit tests share: a problem with its schedule, random numbers, files in memory.
#ifndef UNIT_H
#define UNIT_H

#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#ifndef CRL_GOLDEN_DIR
#define CRL_GOLDEN_DIR "tests/golden"
#endif

// What to lower for, in the order of the fields of struct crl_lower_options; what they do not name is 0.
#define UNIT_LOWER(k, b, m, width, l)                                                                                  \
    {                                                                                                                  \
        .lanes = (k), .banks = (b), .words = (m), .data_width = (width), .streams = (l)                                \
    }

struct unit_scheme {
    const char *collective, *scheme;
};
static const struct unit_scheme unit_schemes[] = {
    {"broadcast", "binomial"}, {"multinode-broadcast", "rotation"}, {"scatter", "balanced"},
    {"gather", "balanced"},    {"total-exchange", "recursive"},
};
enum { UNIT_SCHEMES = sizeof unit_schemes / sizeof *unit_schemes };

// A problem on a hypercube and one schedule for it.
struct unit {
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_diag diag;
};

static inline void unit_open(struct unit *u, const char *collective, uint32_t d, uint32_t root, enum crl_ports ports)
{
    char spec[32];
    snprintf(spec, sizeof spec, "hypercube:%u", d);
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, spec, &u->diag), 0);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, root, ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
}

static inline void unit_close(struct unit *u)
{
    crl_schedule_done(&u->schedule);
    crl_topology_free(u->topology);
}

// The same, with the schedule that the scheme plans.
static inline void unit_plan(struct unit *u, struct unit_scheme scheme, uint32_t d, uint32_t root)
{
    const struct crl_algorithm *algorithm;
    unit_open(u, scheme.collective, d, root, CRL_PORTS_ALL);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, scheme.scheme, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
}

static inline void unit_add(struct unit *u, uint32_t slot, uint32_t src, uint32_t dst, uint32_t origin, uint32_t dest)
{
    assert_int_equal(crl_schedule_add(&u->schedule, (struct crl_move){slot, src, dst, origin, dest}), 0);
}

// Judges u->schedule; returns what crl_check returns.
static inline int unit_check(struct unit *u, struct crl_report *report)
{
    return crl_check(report, &u->schedule, &u->problem, &u->diag);
}

static inline void unit_expand(struct unit *u)
{
    struct crl_schedule full;
    assert_int_equal(crl_schedule_expand(&full, &u->schedule, &u->diag), 0);
    crl_schedule_done(&u->schedule);
    u->schedule = full;
}

static inline bool unit_same_move(const struct crl_move *a, const struct crl_move *b)
{
    return a->slot == b->slot && a->src == b->src && a->dst == b->dst && a->origin == b->origin && a->dest == b->dest;
}

static inline void unit_assert_same(const struct crl_schedule *a, const struct crl_schedule *b)
{
    assert_int_equal(a->folded, b->folded);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) assert_true(unit_same_move(&a->moves[i], &b->moves[i]));
}

static inline uint64_t unit_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint32_t unit_below(uint64_t *state, uint64_t end) { return (uint32_t)(unit_random(state) % end); }

// A file that holds these bytes, open for reading.
static inline FILE *unit_file(const void *bytes, size_t count)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    rewind(file);
    return file;
}

// Everything in `file` from its start, with a 0 after it; the caller frees.
static inline char *unit_contents(FILE *file, size_t *count)
{
    size_t capacity = 1 << 16;
    char *bytes = malloc(capacity + 1);
    *count = 0;
    rewind(file);
    for (size_t n; (n = fread(bytes + *count, 1, capacity - *count, file)) > 0;) {
        *count += n;
        if (*count == capacity) bytes = realloc(bytes, (capacity *= 2) + 1);
        assert_non_null(bytes);
    }
    bytes[*count] = 0;
    return bytes;
}

// Compares `count` bytes with a golden file, or writes them there if `update`.
static inline void unit_golden(bool update, const char *name, const void *bytes, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CRL_GOLDEN_DIR, name);
    FILE *file = fopen(path, update ? "wb" : "rb");
    if (!file) fail_msg("cannot open the golden file %s; '--update' writes it", path);
    if (update) {
        assert_int_equal(fwrite(bytes, 1, count, file), count);
    } else {
        size_t golden_count;
        char *golden = unit_contents(file, &golden_count);
        if (golden_count != count || memcmp(golden, bytes, count)) fail_msg("%s differs from what is made now", path);
        free(golden);
    }
    fclose(file);
}

static inline bool unit_wants_update(int argc, char **argv) { return argc > 1 && !strcmp(argv[1], "--update"); }

#endif
