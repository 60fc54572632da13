// SPDX-License-Identifier: Apache-2.0
// Sums: damaged schedules are judged as by a replay that is spelled out here node by node and value by value.
#include "check/terms.h"
#include "unit.h"

// With an argument: all jobs, however long they take.
static bool is_long;

enum { NODES_MAX = 32, ROWS_MAX = 4096, FOUND_MAX = 8192, LATENCIES = 2 };

struct found {
    const char *id;
    size_t row; // from 1, 0: none
};

struct brute {
    const struct crl_problem *problem;
    const struct crl_move *row; // in canonical order
    size_t rows;
    uint32_t nodes, hosts, chunk;                                // hosts: that add; others hold what came last
    bool held[NODES_MAX][NODES_MAX], kept[NODES_MAX][NODES_MAX]; // whose values
    bool sum[ROWS_MAX][NODES_MAX];                               // what a row carries
    // The same with values, which show the order of additions; and what nodes end with.
    float own[NODES_MAX], held_value[NODES_MAX], kept_value[NODES_MAX], sum_value[ROWS_MAX];
    float end[NODES_MAX][NODES_MAX]; // [chunk][node]
    struct found found[FOUND_MAX];
    size_t count;
};

static void find(struct brute *b, const char *id, size_t row)
{
    assert_true(b->count < FOUND_MAX);
    b->found[b->count++] = (struct found){id, row};
}

static uint32_t values(const struct brute *b, const bool *set)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < b->nodes; v++) n += set[v];
    return n;
}

static bool meet(const struct brute *b, const bool *x, const bool *y)
{
    for (uint32_t v = 0; v < b->nodes; v++)
        if (x[v] && y[v]) return true;
    return false;
}

static bool within(const struct brute *b, const bool *x, const bool *y)
{
    for (uint32_t v = 0; v < b->nodes; v++)
        if (x[v] && !y[v]) return false;
    return true;
}

static void add(const struct brute *b, bool *to, const bool *more)
{
    for (uint32_t v = 0; v < b->nodes; v++) to[v] |= more[v];
}

static bool adds(const struct brute *b, uint32_t v) { return crl_problem_adds(b->problem, v); }

static uint32_t arrival(const struct brute *b, size_t i)
{
    return crl_arrival_slot(b->problem->topology, b->row[i].slot, b->row[i].src, b->row[i].dst);
}

static bool is_mine(const struct brute *b, size_t i) { return b->row[i].origin == b->chunk; }

static void take(struct brute *b, size_t i)
{
    uint32_t v = b->row[i].dst;
    bool *sum = b->sum[i], all = values(b, sum) == b->hosts;
    if (!adds(b, v)) {
        memcpy(b->held[v], sum, sizeof b->held[v]);
        b->held_value[v] = b->sum_value[i];
        return;
    }
    if (all && values(b, b->held[v]) == b->hosts) find(b, "redundant", i + 1);
    if (!all && meet(b, sum, b->held[v])) find(b, "counted-twice", i + 1);
    bool first = !values(b, b->held[v]); // at a switch that adds
    add(b, b->held[v], sum);
    b->held_value[v] = all || first ? b->sum_value[i] : b->held_value[v] + b->sum_value[i];
}

static void take_scan(struct brute *b, size_t i)
{
    uint32_t v = b->row[i].dst;
    bool *sum = b->sum[i], upto[NODES_MAX] = {0};
    for (uint32_t u = 0; u <= v; u++) upto[u] = true;
    bool apart = !meet(b, sum, b->held[v]), whole = within(b, upto, sum) && within(b, sum, upto);
    bool replaces = !apart && within(b, b->held[v], sum) && !within(b, sum, b->held[v]);
    bool keeps = whole || (within(b, sum, upto) && !meet(b, sum, b->kept[v]));
    if (!apart && !replaces && !keeps) {
        find(b, "counted-twice", i + 1);
        return;
    }
    if (!apart && !replaces && within(b, upto, b->kept[v])) find(b, "redundant", i + 1);
    if (apart || replaces) {
        add(b, b->held[v], sum);
        b->held_value[v] = replaces ? b->sum_value[i] : b->held_value[v] + b->sum_value[i];
    }
    if (keeps) {
        add(b, b->kept[v], sum);
        b->kept_value[v] = whole ? b->sum_value[i] : b->kept_value[v] + b->sum_value[i];
    }
}

// The port of a row: of links side by side those before it in its slot have the first ones; the first for one too many.
static uint32_t port_of(const struct brute *b, size_t i)
{
    const struct crl_topology *t = b->problem->topology;
    const struct crl_move *m = &b->row[i];
    uint32_t before = 0, first = CRL_NONE;
    for (size_t k = 0; k < i; k++)
        before += b->row[k].src == m->src && b->row[k].dst == m->dst && b->row[k].slot == m->slot;
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        if (crl_topology_neighbor(t, m->src, p) != m->dst) continue;
        if (first == CRL_NONE) first = p;
        if (!before--) return p;
    }
    return first;
}

// What arrives at node v in this slot, port by port.
static void arrivals(struct brute *b, uint32_t slot, uint32_t v)
{
    size_t order[ROWS_MAX], n = 0, whole = SIZE_MAX;
    for (size_t i = 0; i < b->rows; i++) {
        if (!is_mine(b, i) || b->row[i].dst != v || arrival(b, i) != slot) continue;
        size_t at = n++;
        for (; at > 0 && port_of(b, order[at - 1]) > port_of(b, i); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t k = 0; k < n && whole == SIZE_MAX && !crl_problem_scans(b->problem); k++)
        if (values(b, b->sum[order[k]]) == b->hosts) whole = order[k];
    for (size_t k = 0; k < n; k++) {
        bool second = k && !adds(b, v);
        if (second || (whole != SIZE_MAX && order[k] != whole)) find(b, "replaced-partial", order[k] + 1);
        else if (crl_problem_scans(b->problem)) take_scan(b, order[k]);
        else take(b, order[k]);
    }
}

static void departures(struct brute *b, uint32_t slot)
{
    for (size_t i = 0; i < b->rows; i++)
        if (is_mine(b, i) && b->row[i].slot == slot) {
            if (!values(b, b->held[b->row[i].src])) find(b, "not-yet", i + 1);
            memcpy(b->sum[i], b->held[b->row[i].src], sizeof b->sum[i]);
            b->sum_value[i] = b->held_value[b->row[i].src];
        }
}

static bool is_partial(const struct brute *b, size_t i) { return values(b, b->sum[i]) < b->hosts; }

// Of sums that go to one node.
static void wastes(struct brute *b)
{
    for (size_t i = 0; i < b->rows; i++) {
        const struct crl_move *m = &b->row[i];
        bool again = false, later = false, before = false;
        if (!is_mine(b, i)) continue;
        for (size_t k = 0; k < b->rows; k++) {
            if (!is_mine(b, k)) continue;
            again |= k < i && b->row[k].src == m->src && is_partial(b, k) && adds(b, m->src);
            later |= b->row[k].src == m->dst && b->row[k].slot > arrival(b, i);
            before |= b->row[k].src == m->dst && is_partial(b, k) && adds(b, m->dst);
        }
        if (again && is_partial(b, i)) find(b, "given-away", i + 1);
        if (!later && !crl_problem_wants(b->problem, b->chunk, 0, m->dst))
            find(b, before && is_partial(b, i) ? "left-behind" : "useless", i + 1);
    }
}

static void judge(struct brute *b)
{
    uint32_t last = 0;
    b->count = 0;
    for (size_t i = 0; i < b->rows; i++)
        if (arrival(b, i) > last) last = arrival(b, i);
    for (b->chunk = 0; b->chunk < b->problem->chunks; b->chunk++) {
        memset(b->held, 0, sizeof b->held);
        memset(b->kept, 0, sizeof b->kept);
        for (uint32_t v = 0; v < b->nodes; v++) {
            b->held[v][v] = b->kept[v][v] = crl_problem_is_host(b->problem, v);
            b->held_value[v] = b->kept_value[v] = b->own[v];
        }
        for (uint32_t slot = 1; slot <= last; slot++) {
            departures(b, slot);
            for (uint32_t v = 0; v < b->nodes; v++) arrivals(b, slot, v);
        }
        if (crl_problem_turns(b->problem)) wastes(b);
        for (uint32_t v = 0; v < b->nodes; v++) {
            bool scan = crl_problem_scans(b->problem);
            uint32_t wanted = scan ? v + 1 : b->hosts, got = values(b, scan ? b->kept[v] : b->held[v]);
            b->end[b->chunk][v] = scan ? b->kept_value[v] : b->held_value[v];
            if (crl_problem_wants(b->problem, b->chunk, 0, v) && got < wanted) find(b, "incomplete", 0);
        }
    }
}

// ---- order

static float value_of(const struct crl_terms *terms, uint32_t term, const float *own)
{
    const struct crl_term *t = &terms->term[term];
    if (t->came == CRL_NONE) return own[t->held];
    return value_of(terms, t->held, own) + value_of(terms, t->came, own);
}

// As docs/formats/sums.md has it.
static uint64_t pair(uint64_t a, uint64_t b) { return crl_mix(crl_mix(a) ^ b); }

static uint32_t name_of(const struct crl_problem *p, uint32_t chunk, uint32_t node)
{
    return crl_problem_is_symmetric(p) ? crl_topology_unshift(p->topology, node, chunk) : node;
}

static uint64_t hash_of(const struct crl_terms *terms, uint32_t term, const struct crl_problem *p, uint32_t chunk)
{
    const struct crl_term *t = &terms->term[term];
    if (t->came == CRL_NONE) return crl_mix(name_of(p, chunk, t->held));
    return pair(hash_of(terms, t->held, p, chunk), hash_of(terms, t->came, p, chunk));
}

// What is explained gives, with rounding, what brute force gets, and the hash of the report.
static void compare_order(const struct brute *b, const struct crl_schedule *schedule, const struct crl_report *report)
{
    uint64_t hash = 0;
    for (uint32_t chunk = 0; chunk < b->problem->chunks; chunk++) {
        struct crl_terms terms;
        uint32_t ends[NODES_MAX];
        uint64_t sums = 0;
        assert_int_equal(crl_explain_sum(&terms, ends, schedule, b->problem, chunk), 0);
        for (uint32_t v = 0; v < b->nodes; v++) {
            bool wanted = crl_problem_wants(b->problem, chunk, 0, v);
            assert_int_equal(ends[v] != CRL_NONE, wanted);
            if (!wanted) continue;
            float value = value_of(&terms, ends[v], b->own);
            if (memcmp(&value, &b->end[chunk][v], sizeof value)) fail_msg("chunk %d at node %d", (int)chunk, (int)v);
            sums += pair(name_of(b->problem, chunk, v), hash_of(&terms, ends[v], b->problem, chunk));
        }
        hash += pair(chunk, sums);
        crl_terms_done(&terms);
    }
    assert_true(hash == report->sum_hash);
}

// ---- damage

static const struct {
    const char *collective, *topology;
    enum crl_ports ports;
    uint32_t root, chunks; // chunks 0: as many as it has; of a reduce-scatter parts
} jobs[] = {
    {"reduce", "hypercube:4", CRL_PORTS_ALL, 5, 0},
    {"reduce", "mesh:3x4", CRL_PORTS_SINGLE, 2, 0},
    {"reduce-scatter", "hypercube:3", CRL_PORTS_ALL, 0, 0},
    {"reduce-scatter", "mesh:3x3", CRL_PORTS_ALL, 0, 0},
    {"reduce-scatter", "torus:3x4", CRL_PORTS_SINGLE, 0, 0},
    {"all-reduce", "hypercube:3", CRL_PORTS_ALL, 0, 0},
    {"all-reduce", "ring:5", CRL_PORTS_ALL, 0, 0},
    {"all-reduce", "mesh:2x3", CRL_PORTS_SINGLE, 0, 4},
    {"all-reduce", "ghc:3x2", CRL_PORTS_ALL, 0, 1},
    {"all-reduce", "ring:6", CRL_PORTS_ALL, 0, 0},
    {"scan", "hypercube:4", CRL_PORTS_ALL, 0, 0},
    {"reduce", "torus:3x4", CRL_PORTS_ALL, 7, 4},
    {"all-reduce", "hypercube:3", CRL_PORTS_ALL, 0, 3},
    {"scan", "graph:" CRL_GOLDEN_DIR "/../unit/sums.graph", CRL_PORTS_SINGLE, 0, 2},
    {"all-reduce", "graph:" CRL_GOLDEN_DIR "/../unit/switches.graph", CRL_PORTS_ALL, 0, 0},
    {"reduce", "graph:" CRL_GOLDEN_DIR "/../unit/switches.graph", CRL_PORTS_ALL, 2, 3},
    {"reduce-scatter", "star:5", CRL_PORTS_ALL, 0, 2},
    {"all-reduce", "star:5 switches add", CRL_PORTS_ALL, 0, 6},
    {"all-reduce", "graph:" CRL_GOLDEN_DIR "/../unit/switches.graph switches add", CRL_PORTS_ALL, 0, 5},
    {"all-reduce", "graph:" CRL_GOLDEN_DIR "/../unit/wide.graph", CRL_PORTS_ALL, 0, 6},
    {"reduce-scatter", "graph:" CRL_GOLDEN_DIR "/../unit/wide.graph", CRL_PORTS_ALL, 0, 3},
    {"scan", "mesh:4x4", CRL_PORTS_ALL, 0, 2},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void plan_job(struct unit *u, size_t j, bool late)
{
    const struct crl_algorithm *algorithm;
    bool file = !strncmp(jobs[j].topology, "graph:", 6); // it says latencies itself
    assert_int_equal(crl_topology_parse(&u->topology, jobs[j].topology, &u->diag), 0);
    if (late && !file) assert_int_equal(crl_topology_set_latency(u->topology, "2", &u->diag), 0);
    assert_int_equal(
        crl_problem_init(&u->problem, jobs[j].collective, u->topology, jobs[j].root, jobs[j].ports, &u->diag), 0);
    int (*said)(struct crl_problem *, uint32_t, struct crl_diag *) =
        strcmp(jobs[j].collective, "reduce-scatter") ? crl_problem_set_chunks : crl_problem_set_parts;
    if (jobs[j].chunks) assert_int_equal(said(&u->problem, jobs[j].chunks, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    unit_expand(u);
}

// A copy of its schedule, on the same topology.
static struct unit copy_job(const struct unit *planned)
{
    struct unit u = *planned;
    u.schedule.moves = malloc(sizeof *u.schedule.moves * (u.schedule.count + 1));
    u.schedule.capacity = u.schedule.count + 1;
    assert_non_null(u.schedule.moves);
    memcpy(u.schedule.moves, planned->schedule.moves, sizeof *u.schedule.moves * u.schedule.count);
    u.schedule.slot_start = NULL;
    u.schedule.line = NULL;
    return u;
}

static uint32_t other_neighbor(const struct crl_topology *t, uint32_t node, uint64_t *random)
{
    uint32_t to;
    do to = crl_topology_neighbor(t, node, unit_below(random, crl_topology_ports(t)));
    while (to == CRL_NONE);
    return to;
}

// Whatever it does, rows stay on links of the network and name chunks that there are.
static void damage(struct unit *u, uint64_t *random)
{
    struct crl_schedule *s = &u->schedule;
    uint32_t i = unit_below(random, s->count), k = unit_below(random, s->count);
    struct crl_move *m = &s->moves[i], *other = &s->moves[k], copy = *m;
    switch (unit_below(random, 6)) {
    case 0: *m = s->moves[--s->count]; break;
    case 1: m->slot = 1 + unit_below(random, m->slot + 2); break;
    case 2:
        copy.slot = other->slot;
        assert_int_equal(crl_schedule_add(s, copy), 0);
        break;
    case 3: m->dst = other_neighbor(u->topology, m->src, random); break;
    case 4: m->origin = unit_below(random, u->problem.chunks); break;
    default: m->slot = other->slot; other->slot = copy.slot;
    }
}

static size_t times(const struct brute *b, const char *id, size_t row)
{
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) n += b->found[i].row == row && !strcmp(b->found[i].id, id);
    return n;
}

static bool is_about_sums(const char *id)
{
    static const char *const ids[] = {"counted-twice", "incomplete",  "replaced-partial", "redundant",
                                      "given-away",    "left-behind", "useless",          "not-yet"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!strcmp(ids[i], id)) return true;
    return false;
}

// The list has all that brute force finds, but of each kind no more than fit. Returns whether it is valid as far as
// sums go.
static bool compare(const struct brute *b, const struct crl_report *report)
{
    size_t kinds;
    bool valid = true;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    for (size_t k = 0; k < kinds; k++) {
        size_t listed = 0, all = 0;
        for (size_t i = 0; i < b->count; i++) all += !strcmp(b->found[i].id, kind[k].id);
        for (size_t i = 0; i < report->count && is_about_sums(kind[k].id); i++) {
            const struct crl_finding *f = &report->findings[i];
            size_t here = 0;
            if (f->kind != &kind[k]) continue;
            for (size_t j = 0; j < report->count; j++)
                here += report->findings[j].kind == f->kind && report->findings[j].row == f->row;
            if (here > times(b, f->kind->id, f->row)) fail_msg("row %d: %s", (int)f->row, f->text);
            listed++;
        }
        if (listed != (all < CRL_FINDINGS_LISTED ? all : CRL_FINDINGS_LISTED))
            fail_msg("%s %zu times, not %zu", kind[k].id, listed, all);
        valid &= !listed || kind[k].severity != CRL_VIOLATION;
    }
    return valid;
}

static void damaged_schedules_are_judged_as_by_brute_force(void **state)
{
    (void)state;
    const uint32_t mutants = is_long ? 20000 : 2000;
    static struct brute b;
    static struct unit planned[JOBS][LATENCIES];
    uint64_t random = 16;
    uint32_t valid = 0, invalid = 0, seen[CRL_FINDINGS] = {0};
    size_t kinds;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    for (uint32_t n = 0; n < mutants; n++) {
        bool late = n / JOBS % 4 == 3;
        struct unit *whole = &planned[n % JOBS][late];
        struct crl_report report;
        if (!whole->topology) plan_job(whole, n % JOBS, late);
        struct unit u = copy_job(whole);
        for (uint32_t k = 1 + unit_below(&random, 3); k > 0; k--) damage(&u, &random);
        if (n % 10 == 9 && !u.problem.hosts) {
            uint32_t chunks = u.problem.chunks;
            assert_int_equal(crl_problem_init(&u.problem, "scan", u.topology, 0, jobs[n % JOBS].ports, NULL), 0);
            u.problem.chunks = chunks;
        }
        assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        assert_true(u.schedule.count <= ROWS_MAX);
        b.problem = &u.problem;
        b.row = u.schedule.moves;
        b.rows = u.schedule.count;
        b.nodes = crl_topology_nodes(u.topology);
        b.hosts = u.problem.hosts ? u.problem.host_count : b.nodes;
        for (uint32_t v = 0; v < b.nodes; v++)
            b.own[v] = (float)(1 + unit_below(&random, 1 << 20)) / (float)(1 + unit_below(&random, 999));
        judge(&b);
        int error = crl_check_on(&report, &u.schedule, &u.problem, 1 + n % 3, &u.diag);
        assert_true(error == 0 || error == CRL_ERR_RULE);
        bool good = compare(&b, &report);
        if (good) compare_order(&b, &u.schedule, &report);
        if (good) valid++;
        else invalid++;
        for (size_t i = 0; i < report.count; i++) seen[report.findings[i].kind - kind]++;
        crl_report_done(&report);
        crl_schedule_done(&u.schedule);
    }
    for (size_t j = 0; j < JOBS * LATENCIES; j++) unit_close(&planned[j / LATENCIES][j % LATENCIES]);
    assert_true(valid > mutants / 20 && invalid > mutants / 2);
    for (size_t k = 0; k < kinds; k++)
        if (is_about_sums(kind[k].id) && !seen[k]) fail_msg("no mutant shows %s", kind[k].id);
}

static struct unit order_of(struct crl_report *report, const char *collective, const char *topology, const char *scheme)
{
    struct unit u = {0};
    const struct crl_algorithm *algorithm;
    assert_int_equal(crl_topology_parse(&u.topology, topology, &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, collective, u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, scheme, &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
    assert_int_equal(unit_check(&u, report), 0);
    return u;
}

static void the_hash_is_that_of_the_order_however_the_schedule_is_written(void **state)
{
    (void)state;
    static const char *const jobs[][2] = {
        {"reduce-scatter", "torus:4x3x2"}, {"all-reduce", "hypercube:4"}, {"all-reduce", "ring:6"}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct crl_report folded, full, other;
        struct unit u = order_of(&folded, jobs[i][0], jobs[i][1], i == 1 ? "twice" : NULL);
        assert_true(u.schedule.folded);
        unit_expand(&u);
        assert_int_equal(crl_check_on(&full, &u.schedule, &u.problem, 3, &u.diag), 0);
        assert_true(folded.sum_hash == full.sum_hash && !folded.bits_differ && !full.bits_differ);
        unit_close(&u);
        u = order_of(&other, "all-reduce", "hypercube:4", "twice");
        assert_int_equal(other.sum_hash == full.sum_hash, i == 1);
        unit_close(&u);
    }
}

// Two arrivals of a slot are added port by port; where nodes add in different orders their bits may differ.
static void nodes_that_add_in_different_orders_are_told(void **state)
{
    (void)state;
    struct crl_report report;
    struct unit u = {0};
    assert_int_equal(crl_topology_parse(&u.topology, "complete:4", &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, "all-reduce", u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    assert_int_equal(crl_problem_set_chunks(&u.problem, 1, &u.diag), 0);
    crl_schedule_init(&u.schedule, u.topology, crl_problem_naming(&u.problem), false);
    for (uint32_t v = 0; v < 4; v++)
        for (uint32_t w = 0; w < 4; w++)
            if (v != w) assert_int_equal(crl_schedule_add(&u.schedule, (struct crl_move){1, v, w, 0, 0}), 0);
    assert_int_equal(unit_check(&u, &report), 0);
    assert_int_equal(report.violations, 0);
    assert_true(report.bits_differ);
    unit_close(&u);
}

int main(int argc, char **argv)
{
    (void)argv;
    is_long = argc > 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_that_of_the_order_however_the_schedule_is_written),
        cmocka_unit_test(nodes_that_add_in_different_orders_are_told),
        cmocka_unit_test(damaged_schedules_are_judged_as_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
