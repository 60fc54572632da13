// SPDX-License-Identifier: Apache-2.0
// The schemes "nowait" and "banked": optimal, correct, and with the property that their names promise.
#include "base/cache.h"
#include "schedule/schedule.h"
#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char cache[64];

struct setup {
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
};

static int plan_on(struct setup *s, const char *name, const char *collective, const char *scheme)
{
    const struct crl_algorithm *algorithm;
    struct crl_diag diag = {0};
    assert_int_equal(crl_topology_parse(&s->topology, name, &diag), 0);
    assert_int_equal(crl_problem_init(&s->problem, collective, s->topology, 0, CRL_PORTS_ALL, &diag), 0);
    int error = crl_algorithm_find(&algorithm, &s->problem, scheme, &diag);
    crl_schedule_init(&s->schedule, s->topology, crl_problem_naming(&s->problem), true);
    if (!error) error = crl_plan(&s->schedule, algorithm, &s->problem, &diag);
    return error;
}

static int plan(struct setup *s, const char *collective, const char *scheme, uint32_t d)
{
    char name[32];
    snprintf(name, sizeof name, "hypercube:%u", d);
    return plan_on(s, name, collective, scheme);
}

static void done(struct setup *s)
{
    crl_schedule_done(&s->schedule);
    crl_topology_free(s->topology);
}

// ---------------------------------------------------------------- properties, by following every packet through every
// node

struct arrival {
    uint32_t node, origin, dest, slot, port;
};

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return x->dest < y->dest ? -1 : x->dest > y->dest;
}

static int compare_departures(const void *a, const void *b) // by node, slot, port of arrival
{
    const struct arrival *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

// Counts, over the moves of a full schedule, transit packets that waited, and pairs of different packets that came to a
// node through one port and left it in the same slot.
static void count_faults(const struct crl_schedule *full, size_t *waits, size_t *conflicts)
{
    struct arrival *arrivals = calloc(full->count, sizeof *arrivals),
                   *departures = calloc(full->count, sizeof *departures);
    size_t n = 0;
    assert_false(full->folded);
    *waits = *conflicts = 0;
    for (size_t i = 0; i < full->count; i++) {
        const struct crl_move *m = &full->moves[i];
        arrivals[i] =
            (struct arrival){m->dst, m->origin, m->dest, m->slot, crl_topology_port_to(full->topology, m->src, m->dst)};
    }
    qsort(arrivals, full->count, sizeof *arrivals, compare_arrivals);
    for (size_t i = 0; i < full->count; i++) {
        const struct crl_move *m = &full->moves[i];
        struct arrival key = {m->src, m->origin, m->dest, 0, 0}, *came;
        if (m->src == m->origin) continue;
        came = bsearch(&key, arrivals, full->count, sizeof key, compare_arrivals);
        assert_non_null(came);
        *waits += m->slot != came->slot + 1;
        departures[n++] = (struct arrival){m->src, m->origin, m->dest, m->slot, came->port};
    }
    qsort(departures, n, sizeof *departures, compare_departures);
    for (size_t i = 1; i < n; i++)
        *conflicts += !compare_departures(&departures[i - 1], &departures[i]) &&
                      compare_arrivals(&departures[i - 1], &departures[i]);
    free(arrivals);
    free(departures);
}

// The same on a relative schedule, by symmetry: the move of packet (o, q) from node 0 is, moved by o, that of packet
// (0, o ⊕ q) from node o. `sent` is indexed by packet and node; a broadcast has one packet.
static void count_relative_faults(const struct crl_schedule *schedule, size_t *waits, size_t *conflicts)
{
    uint32_t d = crl_topology_ports(schedule->topology), strings = 1u << d, slots = crl_schedule_slots(schedule);
    bool pair = schedule->naming == CRL_NAMING_PAIR;
    uint32_t *came = calloc((size_t)strings * strings, sizeof *came),
             *port = calloc((size_t)strings * strings, sizeof *port);
    uint64_t *leaves = calloc((size_t)(slots + 1) * d, sizeof *leaves);
    *waits = *conflicts = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < schedule->count; i++) {
            const struct crl_move *m = &schedule->moves[i];
            size_t packet = pair ? (size_t)(m->origin ^ m->dest) * strings : 0, here = packet + m->origin;
            if (pass == 0) {
                came[here ^ m->dst] = m->slot;
                port[here ^ m->dst] = (uint32_t)__builtin_ctz(m->dst);
            } else if (m->origin != 0) {
                uint64_t *lane = &leaves[(size_t)m->slot * d + port[here]];
                *waits += came[here] + 1 != m->slot;
                *conflicts += *lane && *lane != here;
                *lane = here;
            }
        }
    free(came);
    free(port);
    free(leaves);
}

static void check(struct setup *s)
{
    struct crl_report report;
    assert_int_equal(crl_check(&report, &s->schedule, &s->problem, NULL), 0);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(report.slots, report.bound_slots);
    assert_int_equal(report.transmissions, report.bound_transmissions);
    crl_report_done(&report);
}

static void check_scheme(const char *collective, const char *scheme, uint32_t d)
{
    struct setup s;
    size_t waits, conflicts;
    assert_int_equal(plan(&s, collective, scheme, d), 0);
    assert_true(s.schedule.folded);
    check(&s);
    count_relative_faults(&s.schedule, &waits, &conflicts);
    assert_int_equal(conflicts, 0);
    if (!strcmp(scheme, "nowait")) assert_int_equal(waits, 0);
    if (d <= 6) {
        struct crl_schedule full;
        assert_int_equal(crl_schedule_expand(&full, &s.schedule, NULL), 0);
        count_faults(&full, &waits, &conflicts);
        assert_int_equal(conflicts, 0);
        if (!strcmp(scheme, "nowait")) assert_int_equal(waits, 0);
        crl_schedule_done(&full);
    }
    done(&s);
}

static void nowait_exchange(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 12; d++) check_scheme("total-exchange", "nowait", d);
}

static void banked_exchange(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) check_scheme("total-exchange", "banked", d);
}

static void nowait_broadcast(void **state)
{
    (void)state;
    const uint32_t dimensions[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
        check_scheme("multinode-broadcast", "nowait", dimensions[i]);
}

static void banked_broadcast(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 12; d++) check_scheme("multinode-broadcast", "banked", d);
}

// Follows every packet of the whole schedule, and asks the compiler, which looks for itself.
static void count_all_faults(struct setup *s, size_t *waits, size_t *conflicts)
{
    struct crl_router_form form;
    struct crl_schedule full;
    if (s->schedule.folded) {
        assert_int_equal(crl_schedule_expand(&full, &s->schedule, NULL), 0);
        count_faults(&full, waits, conflicts);
        crl_schedule_done(&full);
    } else {
        count_faults(&s->schedule, waits, conflicts);
    }
    assert_int_equal(crl_lower_form(&form, &s->schedule, &s->problem, NULL), 0);
    assert_int_equal(form.write_xbar, *conflicts > 0);
    assert_int_equal(form.delay, *waits > 0);
}

// Rings of one size, odd and even, and of several; mirrored nodes where one size alone is even; complete graphs;
// arrays.
static void exchanges_on_products(void **state)
{
    (void)state;
    static const char *const nowait[] = {"torus:3x3",   "torus:4x4",   "torus:5x5",   "torus:6x6",   "torus:7x7",
                                         "torus:8x8",   "torus:9x9",   "torus:12x12", "torus:3x3x3", "torus:4x4x4",
                                         "torus:5x5x5", "torus:4x4x2", "torus:4x3",   "ring:6",      "ring:7",
                                         "complete:5",  "ghc:3x4",     "torus:7x3",   "torus:8x4",   "torus:3x8",
                                         "torus:3x4x5", "ring:64"};
    static const char *const banked[] = {"torus:3x3",   "torus:4x4",     "torus:5x5",        "torus:6x6", "torus:8x8",
                                         "torus:8x4",   "torus:4x4x2",   "torus:4x4x4",      "torus:4x3", "torus:6x5",
                                         "torus:3x4x5", "ghc:4x4x4",     "torus:16x16",      "ring:8",    "path:5",
                                         "mesh:3x3",    "mesh:4x4",      "mesh:5x5",         "mesh:8x8",  "mesh:2x5",
                                         "mesh:4x4x4",  "ring:5*path:3", "path:2*complete:4"};
    struct setup s;
    size_t waits, conflicts;
    for (size_t i = 0; i < sizeof nowait / sizeof *nowait; i++) {
        assert_int_equal(plan_on(&s, nowait[i], "total-exchange", "nowait"), 0);
        check(&s);
        count_all_faults(&s, &waits, &conflicts);
        assert_int_equal(waits, 0);
        assert_int_equal(conflicts, 0);
        done(&s);
    }
    for (size_t i = 0; i < sizeof banked / sizeof *banked; i++) {
        assert_int_equal(plan_on(&s, banked[i], "total-exchange", "banked"), 0);
        check(&s);
        count_all_faults(&s, &waits, &conflicts);
        assert_int_equal(conflicts, 0);
        done(&s);
    }
}

// What the schemes above avoid is there without them.
static void exchanges_where_the_first_in_line_goes_have_conflicts(void **state)
{
    (void)state;
    static const char *const names[] = {"ring:5*path:3", "mesh:4x4", "mesh:8x8"};
    struct setup s;
    size_t waits, conflicts;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(plan_on(&s, names[i], "total-exchange", NULL), 0);
        count_all_faults(&s, &waits, &conflicts);
        assert_true(waits > 0 && conflicts > 0);
        done(&s);
    }
}

static void schemes_end_where_none_is_known(void **state)
{
    (void)state;
    struct setup s;
    assert_int_equal(plan(&s, "multinode-broadcast", "nowait", 9), CRL_ERR_ARGUMENT);
    done(&s);
    assert_int_equal(plan(&s, "total-exchange", "nowait", 14), CRL_ERR_LIMIT);
    done(&s);
    assert_int_equal(plan_on(&s, "torus:16x8", "total-exchange", "nowait"), CRL_ERR_ARGUMENT);
    done(&s);
}

static void defaults_stay(void **state)
{
    (void)state;
    struct setup s;
    const struct crl_algorithm *algorithm;
    assert_int_equal(plan(&s, "total-exchange", NULL, 4), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &s.problem, NULL, NULL), 0);
    assert_string_equal(algorithm->scheme, "recursive");
    done(&s);
    assert_int_equal(plan(&s, "multinode-broadcast", NULL, 4), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &s.problem, NULL, NULL), 0);
    assert_string_equal(algorithm->scheme, "rotation");
    done(&s);
}

// ---------------------------------------------------------------- can the tests above fail?

// The default schemes do wait, and have conflicts where the design says so.
static void property_tests_see_other_schedules(void **state)
{
    (void)state;
    struct setup s;
    size_t waits, conflicts, full_waits, full_conflicts;
    const struct {
        const char *collective;
        uint32_t d;
    } cases[] = {{"total-exchange", 5}, {"multinode-broadcast", 4}, {"multinode-broadcast", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct crl_schedule full;
        assert_int_equal(plan(&s, cases[i].collective, NULL, cases[i].d), 0);
        count_relative_faults(&s.schedule, &waits, &conflicts);
        assert_int_equal(crl_schedule_expand(&full, &s.schedule, NULL), 0);
        count_faults(&full, &full_waits, &full_conflicts);
        assert_true(waits > 0 && conflicts > 0);
        assert_int_equal(full_waits, waits << cases[i].d);
        assert_true(full_conflicts > 0);
        crl_schedule_done(&full);
        done(&s);
    }
}

// Swapping the slots of two moves over one port of a schedule without waits makes a packet wait, or come too late.
static void property_tests_see_mutations(void **state)
{
    (void)state;
    struct setup s;
    size_t waits, conflicts, seen = 0, tried = 0;
    assert_int_equal(plan(&s, "total-exchange", "nowait", 5), 0);
    for (size_t i = 0; i < s.schedule.count; i++)
        for (size_t k = 0; k < i; k++) {
            struct crl_move *a = &s.schedule.moves[i], *b = &s.schedule.moves[k];
            uint32_t slot = a->slot;
            bool transit = a->origin != 0 || b->origin != 0;
            if (a->dst != b->dst || !transit) continue;
            a->slot = b->slot;
            b->slot = slot;
            count_relative_faults(&s.schedule, &waits, &conflicts);
            tried++;
            seen += waits > 0;
            b->slot = a->slot;
            a->slot = slot;
        }
    assert_true(tried > 100);
    assert_int_equal(seen, tried);
    done(&s);
}

// ---------------------------------------------------------------- the cache

static int write_text(FILE *file, void *text) { return fputs(text, file) < 0 ? CRL_ERR_IO : 0; }

static int write_and_fail(FILE *file, void *text)
{
    fputs(text, file);
    return CRL_ERR_LIMIT;
}

static size_t cache_files(void)
{
    size_t files = 0;
    DIR *directory = opendir(cache);
    for (struct dirent *e = directory ? readdir(directory) : NULL; e; e = readdir(directory))
        files += e->d_name[0] != '.';
    if (directory) closedir(directory);
    return files;
}

static void cache_keeps_entries(void **state)
{
    (void)state;
    char line[32] = "";
    size_t before = cache_files();
    assert_null(crl_cache_open(NULL, "entry"));
    assert_int_equal(crl_cache_write(NULL, "entry", write_text, "one\n"), 0);
    assert_int_equal(crl_cache_write(NULL, "entry", write_text, "two\n"), 0);
    assert_int_equal(crl_cache_write(NULL, "entry", write_and_fail, "three\n"), CRL_ERR_LIMIT);
    FILE *file = crl_cache_open(NULL, "entry");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "two\n");
    fclose(file);
    assert_int_equal(cache_files(), before + 1); // and no temporary ones
}

static void cache_directory_follows_the_environment(void **state)
{
    (void)state;
    char path[256], old_home[256] = "";
    if (getenv("HOME")) snprintf(old_home, sizeof old_home, "%s", getenv("HOME"));
    unsetenv("CARILLON_CACHE");
    setenv("XDG_CACHE_HOME", "/x", 1);
    setenv("HOME", "/h", 1);
    assert_int_equal(crl_context_cache(NULL, path, sizeof path), 0);
    assert_string_equal(path, "/x/carillon");
    unsetenv("XDG_CACHE_HOME");
    assert_int_equal(crl_context_cache(NULL, path, sizeof path), 0);
    assert_string_equal(path, "/h/.cache/carillon");
    assert_int_equal(crl_context_cache(NULL, path, 5), CRL_ERR_LIMIT);
    unsetenv("HOME");
    assert_int_equal(crl_context_cache(NULL, path, sizeof path), CRL_ERR_UNSUPPORTED);
    assert_null(crl_cache_open(NULL, "entry"));
    assert_int_equal(crl_cache_write(NULL, "entry", write_text, "x"), CRL_ERR_UNSUPPORTED);
    if (*old_home) setenv("HOME", old_home, 1);
    setenv("CARILLON_CACHE", cache, 1);
}

static int make_cache(void **state)
{
    (void)state;
    snprintf(cache, sizeof cache, "/tmp/carillon-schemes-XXXXXX");
    return mkdtemp(cache) && !setenv("CARILLON_CACHE", cache, 1) ? 0 : -1;
}

static int remove_cache(void **state)
{
    (void)state;
    char path[512];
    DIR *directory = opendir(cache);
    for (struct dirent *e = directory ? readdir(directory) : NULL; e; e = readdir(directory)) {
        snprintf(path, sizeof path, "%s/%s", cache, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (directory) closedir(directory);
    return rmdir(cache);
}

// Rows are told before they are planned, memory and time grow with them, and no row of the table is forgotten.
static void estimates_count_the_rows_of_the_plan(void **state)
{
    (void)state;
    static const char *const topologies[] = {"hypercube:4", "torus:4x4", "torus:3x4", "mesh:4x3", "ring:5*path:3"};
    size_t planned = 0;
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t c = 0; crl_collective_at(c); c++)
            for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++) {
                struct crl_topology *t;
                struct crl_problem problem;
                const struct crl_algorithm *rows[CRL_ALGORITHMS_MAX];
                assert_int_equal(crl_topology_parse(&t, topologies[i], NULL), 0);
                assert_int_equal(crl_problem_init(&problem, crl_collective_at(c), t, 0, (enum crl_ports)ports, NULL),
                                 0);
                size_t count = crl_problem_is_partial(&problem) || problem.collective->rule
                                   ? 0
                                   : crl_algorithms_for(rows, &problem);
                for (size_t a = 0; a < count; a++, planned++) {
                    struct crl_schedule schedule;
                    struct crl_plan_estimate e = crl_plan_estimate(rows[a], &problem);
                    assert_int_equal(crl_plan(&schedule, rows[a], &problem, NULL), 0);
                    // A tree with detours may need a few more.
                    assert_in_range(schedule.count, e.rows, e.rows + e.rows / 8);
                    assert_true(e.bytes >= schedule.count * sizeof *schedule.moves);
                    assert_true(e.seconds >= 0 && e.seconds < 60);
                    crl_schedule_done(&schedule);
                }
                crl_topology_free(t);
            }
    assert_true(planned > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_count_the_rows_of_the_plan),
        cmocka_unit_test(cache_keeps_entries),
        cmocka_unit_test(cache_directory_follows_the_environment),
        cmocka_unit_test(nowait_exchange),
        cmocka_unit_test(banked_exchange),
        cmocka_unit_test(nowait_broadcast),
        cmocka_unit_test(banked_broadcast),
        cmocka_unit_test(exchanges_on_products),
        cmocka_unit_test(exchanges_where_the_first_in_line_goes_have_conflicts),
        cmocka_unit_test(schemes_end_where_none_is_known),
        cmocka_unit_test(defaults_stay),
        cmocka_unit_test(property_tests_see_other_schedules),
        cmocka_unit_test(property_tests_see_mutations),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
