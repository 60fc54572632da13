// SPDX-License-Identifier: Apache-2.0
// Every row of the table of algorithms is held to its word: on networks of all classes, random ones among them, with
// both port models, late links, split packets, nodes that only forward and dead links, its schedule breaks no rule and
// takes no more slots than the row claims. With the argument `long`: of more networks, and every combination.
#include "base/base.h"
#include "online/online.h"
#include "topology/topology.h"
#include "unit.h"
#include <math.h>
#include <unistd.h>

enum { ROWS_MAX = CRL_ALGORITHMS_MAX, KINDS = 32, EFFORT_S = 1, NODES_MAX = 64, TEXT = 100 };

static bool is_long;

struct walk {
    uint64_t random;
    uint32_t one_in;                         // problem is tried
    const struct crl_algorithm *planted;     // tried alone, instead of its row; NULL: none
    uint32_t plans[ROWS_MAX + 1][KINDS];     // of each row and collective; those of the planted one come last
    uint64_t most_over[ROWS_MAX + 1][KINDS]; // slots over the bound, for those who look
    uint32_t broken;                         // words
    char first[400];                         // what broke the first
};

// ---------------------------------------------------------------- networks

static const char *const families[] = {"hypercube:1", "hypercube:2",      "hypercube:3",
                                       "hypercube:4", "ring:3",           "ring:5",
                                       "ring:6",      "torus:3x3",        "torus:4x4",
                                       "torus:4x3",   "torus:5x4",        "torus:3x2x3",
                                       "complete:4",  "ghc:3x4",          "path:2",
                                       "path:5",      "mesh:3x4",         "mesh:4x4",
                                       "mesh:2x2x3",  "ring:3*path:3",    "path:2*complete:4",
                                       "torus:5x5",   "complete:3*path:3"};
static const char *const derived[] = {"torus:4x4 without 0-1",
                                      "hypercube:3 without 0-1,6-7",
                                      "mesh:3x4 without 0-1",
                                      "hypercube:4 members 0-7",
                                      "torus:3x4 members 0,5,7,10",
                                      "mesh:3x3 members 0,2,6,8",
                                      "torus:4x4 without 0-1 members 0-3"};

enum shape { PLAIN, LATE, ONE_WAY, SWITCHED, WILD, SHAPES };

static void link_line(FILE *file, uint64_t *random, enum shape shape, uint32_t a, uint32_t b, bool both)
{
    bool one_way = !both && (shape == ONE_WAY || shape == WILD) && unit_below(random, 2),
         wide = shape == ONE_WAY || shape == WILD, late = shape == LATE || shape == WILD;
    fprintf(file, "%u %s %u %u %u\n", a, one_way ? ">" : "", b, wide ? 1 + unit_below(random, 2) : 1,
            late ? 1 + unit_below(random, 3) : 1);
}

// A ring or a path, so that all nodes reach each other, and some links more; of the last nodes some are switches.
static void write_graph(char name[TEXT], uint64_t *random, enum shape shape, uint32_t most)
{
    char path[] = "/tmp/test_word_XXXXXX";
    bool linked[NODES_MAX][NODES_MAX] = {{false}}, ring = shape >= SWITCHED || unit_below(random, 2);
    uint32_t nodes = 3 + unit_below(random, most - 2),
             switches = shape >= SWITCHED ? 1 + unit_below(random, nodes - 2) / 2 : 0;
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    if (switches) fprintf(file, "switches %u-%u\n", nodes - switches, nodes - 1);
    for (uint32_t i = 0; i < nodes + nodes / 2; i++) {
        uint32_t a = i < nodes ? i : unit_below(random, nodes),
                 b = i < nodes ? (i + 1) % nodes : unit_below(random, nodes);
        if (a == b || linked[a][b] || linked[b][a] || (!ring && i == nodes - 1)) continue;
        linked[a][b] = linked[b][a] = true;
        link_line(file, random, shape, a, b, i < nodes);
    }
    fclose(file);
    snprintf(name, TEXT, "graph:%s", path);
}

// ---------------------------------------------------------------- problems

static const char *const collectives[] = {"broadcast",        "multinode-broadcast",
                                          "scatter",          "gather",
                                          "total-exchange",   "partial-multinode-broadcast",
                                          "partial-exchange", "partial-gather",
                                          "reduce",           "reduce-scatter",
                                          "all-reduce",       "scan",
                                          "prefix",           "packing",
                                          "monotone-routing", "line-broadcast",
                                          "traffic",          "groups",
                                          "program"};

// What a problem points to.
struct lists {
    uint32_t active[NODES_MAX], dests[NODES_MAX], starts[NODES_MAX + 1], count;
    struct crl_demands demands;
};

static uint32_t pick_some(uint32_t list[NODES_MAX], uint64_t *random, const struct crl_problem *p, uint32_t count)
{
    uint32_t found = 0, left = p->host_count;
    for (uint32_t v = 0; v < p->topology->nodes && found < count; v++) {
        if (crl_problem_is_host(p, v) && unit_below(random, left--) < count - found) list[found++] = v;
    }
    return found;
}

static void pick_lines(struct lists *l, uint64_t *random, const struct crl_topology *t)
{
    for (uint32_t v = 0; v < t->nodes; v++) l->starts[v + 1] = l->starts[v] + unit_below(random, 3);
}

static uint32_t pick_host(uint64_t *random, const struct crl_problem *p)
{
    return p->hosts ? p->hosts[unit_below(random, p->host_count)] : unit_below(random, p->topology->nodes);
}

// A third of them in stages, and a third with sums where all nodes may add.
static bool pick_demands(struct lists *l, uint64_t *random, struct crl_problem *p)
{
    const uint32_t variant = unit_below(random, 3);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t dst = pick_host(random, p);
        struct crl_demand d = {.src = pick_host(random, p), .dst = &dst, .dst_count = 1, .release = 1};
        char id[2] = {(char)('a' + i)};
        d.packets = 1 + unit_below(random, 4);
        if (variant == 1) d.stage = unit_below(random, 3);
        if (variant == 2 && !p->hosts) d.kind = (enum crl_demand_kind)unit_below(random, 3);
        if (d.kind != CRL_DEMAND_MOVE) d.packets = 1;
        d.deadline = d.after = CRL_NONE;
        if (d.src != dst) assert_int_equal(crl_demands_add(&l->demands, id, 1, d), 0);
    }
    return l->demands.count && !crl_demands_finish(&l->demands, NULL) && !crl_problem_set_demands(p, &l->demands, NULL);
}

// Says what `p` needs beside the network; false where it cannot be said.
static bool complete(struct crl_problem *p, struct lists *l, uint64_t *random, uint32_t split)
{
    bool partial = crl_problem_is_partial(p), online = crl_problem_has_lines(p) || partial;
    uint32_t mini = crl_mini_packets(p->topology),
             parts = split > 1 && online && mini > 1 && unit_below(random, 2) ? mini : split;
    memset(l, 0, sizeof *l);
    p->effort = EFFORT_S;
    p->words_a_slot = p->topology->ports > 1 && unit_below(random, 2) ? 1 : 0;
    if (crl_problem_has_root(p))
        p->root = p->hosts ? p->hosts[unit_below(random, p->host_count)] : unit_below(random, p->topology->nodes);
    if (crl_problem_has_demands(p)) return split == 1 && pick_demands(l, random, p);
    if (crl_problem_has_lines(p)) {
        if (!p->topology->factor_count) return false;
        pick_lines(l, random, p->topology);
        return !crl_problem_set_lines(p, l->starts, unit_below(random, p->topology->factor_count), split, NULL);
    }
    if (partial) {
        l->count = pick_some(l->active, random, p, 1 + unit_below(random, p->host_count));
        if (crl_problem_set_active(p, l->active, l->count, parts, NULL)) return false;
        if (!crl_problem_routes(p)) return true;
        return pick_some(l->dests, random, p, l->count) == l->count &&
               !crl_problem_set_dests(p, l->dests, l->count, NULL);
    }
    if (crl_problem_takes_chunks(p))
        return split == 1 || !crl_problem_set_chunks(p, split == 2 ? 3 : p->topology->nodes + 2, NULL);
    return !crl_problem_set_parts(p, split, NULL);
}

// ---------------------------------------------------------------- judging

static const char *setting_text(const struct crl_algorithm *a, const struct crl_problem *p, char text[200])
{
    snprintf(text, 200, "%s by %s on %s, %s ports, %u parts, %u chunks, root %u, latency %u", crl_problem_name(p),
             a->scheme, crl_topology_name(p->topology), p->ports == CRL_PORTS_ALL ? "all" : "single", p->parts,
             p->chunks, p->root, crl_topology_latency_max(p->topology));
    return text;
}

static void break_word(struct walk *w, const struct crl_algorithm *a, const struct crl_problem *p, const char *why)
{
    char text[200];
    if (!w->broken++) snprintf(w->first, sizeof w->first, "%s: %.150s", setting_text(a, p, text), why);
}

// Where a search may find nothing.
static bool may_find_none(const struct crl_algorithm *a)
{
    return !strcmp(a->scheme, "nowait") || !strcmp(a->scheme, "banked") || !strcmp(a->scheme, "one-bank") ||
           !strcmp(a->scheme, "walk") || !strcmp(a->scheme, "streamed");
}

// The number of a collective, and of a row.
static size_t kind_of(const struct crl_problem *p)
{
    size_t i = 0;
    while (strcmp(crl_collective_at(i), crl_problem_name(p))) i++;
    return i;
}

static size_t row_of(const struct crl_algorithm *a)
{
    size_t i = 0;
    while (crl_algorithm_at(i) != a) i++;
    return i;
}

static void judge(struct walk *w, size_t row, const struct crl_algorithm *a, const struct crl_problem *p)
{
    struct crl_schedule schedule;
    struct crl_report report;
    struct crl_diag diag = {0};
    char text[120];
    int error = crl_plan(&schedule, a, p, &diag);
    if (error && !may_find_none(a)) break_word(w, a, p, diag.text);
    if (!error) {
        if (crl_check(&report, &schedule, p, &diag)) break_word(w, a, p, report.findings[0].text);
        uint64_t claim = crl_plan_claim(a, p);
        snprintf(text, sizeof text, "%llu slots, %llu claimed", (unsigned long long)report.slots,
                 (unsigned long long)claim);
        if (report.slots > claim) break_word(w, a, p, text);
        if (report.slots < report.bound_slots) break_word(w, a, p, "below the bound");
        uint64_t over = report.slots - report.bound_slots;
        if (over > w->most_over[row][kind_of(p)]) w->most_over[row][kind_of(p)] = over;
        w->plans[row][kind_of(p)]++;
        crl_report_done(&report);
    }
    crl_schedule_done(&schedule);
}

// Searches, and what asks them, only where they end soon.
static bool is_tried(const struct crl_algorithm *a, const struct crl_problem *p)
{
    bool late = crl_topology_latency_max(p->topology) > 1;
    if (late && p->topology->nodes > (is_long ? 12 : 9)) return false;
    if (!strcmp(a->scheme, "exchange")) return p->topology->nodes <= 16;
    bool searches = a->cost.search_s > 4;
    return crl_plan_is_quick(a, p) && (!searches || p->topology->nodes <= 4);
}

static void ask_all(struct walk *w, const struct crl_problem *p)
{
    const struct crl_algorithm *fit[ROWS_MAX];
    size_t count = crl_algorithms_for(fit, p);
    const struct crl_algorithm *planted = w->planted;
    for (size_t i = 0; i < count; i++) {
        size_t row = row_of(fit[i]);
        bool turn = !w->plans[row][kind_of(p)] || !unit_below(&w->random, w->one_in);
        // Backwards nobody sees that nothing is sent in the first slot.
        if (planted && crl_algorithm_names(planted, crl_problem_name(p)) && !strcmp(fit[i]->scheme, planted->scheme))
            judge(w, ROWS_MAX, planted, p);
        else if (!planted && turn && is_tried(fit[i], p)) judge(w, row, fit[i], p);
    }
}

// ---------------------------------------------------------------- the walk

static void walk_problems(struct walk *w, const struct crl_topology *t)
{
    struct crl_problem p;
    struct lists lists;
    uint32_t hosts;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        for (int ports = CRL_PORTS_ALL; ports <= CRL_PORTS_SINGLE; ports++)
            for (uint32_t split = 1; split <= 3; split++) {
                if (split > 1 && !is_long && unit_below(&w->random, 2)) continue;
                if (crl_problem_init(&p, collectives[i], t,
                                     crl_topology_hosts(t, &hosts) ? *crl_topology_hosts(t, &hosts) : 0,
                                     (enum crl_ports)ports, NULL))
                    continue;
                if (complete(&p, &lists, &w->random, split)) ask_all(w, &p);
                crl_demands_done(&lists.demands);
            }
}

static void walk_network(struct walk *w, const char *name, const char *latency)
{
    struct crl_topology *t;
    struct crl_diag diag = {0};
    if (crl_topology_parse(&t, name, &diag)) fail_msg("%s: %s", name, diag.text);
    if (!latency || !crl_topology_set_latency(t, latency, NULL)) walk_problems(w, t);
    crl_topology_free(t);
}

static void walk_list(struct walk *w, const char *const list[], size_t count)
{
    static const char *const latencies[] = {NULL, "2", "2,1"};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) walk_network(w, list[i], latencies[k]);
}

// What only large networks ask for.
static void walk_large(struct walk *w)
{
    struct crl_topology *t;
    struct crl_problem p;
    assert_int_equal(crl_topology_parse(&t, "mesh:33x33", NULL), 0);
    for (int turned = 0; turned < 2; turned++) {
        const char *collective = turned ? "reduce-scatter" : "multinode-broadcast";
        assert_int_equal(crl_problem_init(&p, collective, t, 0, CRL_PORTS_ALL, NULL), 0);
        ask_all(w, &p);
    }
    crl_topology_free(t);
}

// Random graphs have translations by luck only; this one is a ring of 8 nodes with those across.
static void walk_circulant(struct walk *w)
{
    char path[] = "/tmp/test_word_XXXXXX", name[TEXT];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < 8; i++) fprintf(file, "%u %u\n", i, (i + 1) % 8);
    for (uint32_t i = 0; i < 4; i++) fprintf(file, "%u %u\n", i, i + 4);
    fclose(file);
    snprintf(name, TEXT, "graph:%s", path);
    walk_network(w, name, NULL);
    unlink(path);
}

// What all want is planned otherwise where links share a cable, which takes a packet every other slot; and sums where
// switches add.
static void walk_special(struct walk *w)
{
    uint32_t one_in = w->one_in;
    w->one_in = 1;
    walk_network(w, "ring:4 boards 2 cable 9,2", NULL);
    walk_network(w, "star:3 switches add", NULL);
    w->one_in = one_in;
}

static void walk_graphs(struct walk *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[TEXT], product[TEXT + 16];
        enum shape shape = i % SHAPES;
        write_graph(name, &w->random, shape, 8);
        walk_network(w, name, NULL);
        snprintf(product, sizeof product, "%s*ring:3", name);
        if (shape == PLAIN) walk_network(w, product, NULL);
        unlink(name + 6);
    }
}

static void walk_all(struct walk *w)
{
    printf("seed %llu\n", (unsigned long long)w->random);
    walk_list(w, families, sizeof families / sizeof *families);
    walk_list(w, derived, sizeof derived / sizeof *derived);
    walk_large(w);
    walk_circulant(w);
    walk_special(w);
    walk_graphs(w, is_long ? 50 : 15);
}

static void every_row_keeps_its_word(void **state)
{
    (void)state;
    static struct walk w = {.random = 28, .one_in = 10};
    const struct crl_algorithm *a;
    if (is_long) w.one_in = 2;
    walk_all(&w);
    if (w.broken) fail_msg("%u times: %s", w.broken, w.first);
    for (size_t k = 0; crl_collective_at(k); k++)
        for (size_t i = 0; (a = crl_algorithm_at(i)); i++) {
            if (is_long && w.plans[i][k])
                printf("%-28s %-12s %5u plans, up to %llu slots over the bound\n", crl_collective_at(k), a->scheme,
                       w.plans[i][k], (unsigned long long)w.most_over[i][k]);
            if (crl_algorithm_serves(a, crl_collective_at(k)) && !w.plans[i][k])
                fail_msg("%s by %s (%s) was never tried", crl_collective_at(k), a->scheme, a->networks);
        }
}

// ---------------------------------------------------------------- can it fail?

static int plan_without_the_last(struct crl_schedule *schedule, const struct crl_problem *problem,
                                 struct crl_diag *diag)
{
    int error = crl_plan_torus_orbit_broadcast(schedule, problem, diag);
    if (schedule->count) schedule->count--;
    return error;
}

static int plan_a_slot_late(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    int error = crl_plan_torus_orbit_broadcast(schedule, problem, diag);
    for (size_t i = 0; i < schedule->count; i++) schedule->moves[i].slot++;
    return error;
}

static void a_scheme_that_breaks_its_word_is_seen(void **state)
{
    (void)state;
    size_t i = 0;
    while (crl_algorithm_at(i)->plan != crl_plan_torus_orbit_broadcast) i++;
    struct crl_algorithm planted[] = {*crl_algorithm_at(i), *crl_algorithm_at(i), *crl_algorithm_at(i)};
    planted[1].plan = plan_without_the_last;
    planted[2].plan = plan_a_slot_late;
    for (size_t k = 0; k < 3; k++) {
        struct walk w = {.random = 28, .one_in = 1, .planted = &planted[k]};
        walk_network(&w, "torus:3x3", NULL);
        walk_network(&w, "torus:4x4", NULL);
        uint32_t plans = 0;
        for (size_t kind = 0; kind < KINDS; kind++) plans += w.plans[ROWS_MAX][kind];
        assert_true(plans >= 2);
        assert_int_equal(w.broken, k ? plans : 0);
        if (k) assert_non_null(strstr(w.first, k == 1 ? "packet" : "claimed"));
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    is_long = argc > 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_keeps_its_word),
                                       cmocka_unit_test(a_scheme_that_breaks_its_word_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
