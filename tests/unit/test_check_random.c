// SPDX-License-Identifier: Apache-2.0
// Reading and checking of damaged schedules, symmetric and not, in order and not, against rules spelled out row by row
// here; and the same answer from any number of threads.
#include "problem/problem.h"
#include "schedule/narrow.h"
#include "unit.h"

enum { ROWS_MAX = 512, FOUND_MAX = 4096 };

struct row {
    struct crl_move move;
    uint64_t line;
    bool bad;
};

struct found {
    const char *id;
    uint64_t row;
};

// What brute force finds.
struct brute {
    const struct crl_problem *problem;
    uint32_t nodes;
    struct row row[ROWS_MAX]; // in canonical order
    size_t rows;
    struct found found[FOUND_MAX];
    size_t count;
};

static void find(struct brute *b, const char *id, uint64_t row)
{
    assert_true(b->count < FOUND_MAX);
    b->found[b->count++] = (struct found){id, row};
}

static int by_place(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = crl_move_compare(&x->move, &y->move);
    return order ? order : x->line < y->line ? -1 : 1;
}

static bool same_packet(const struct row *a, const struct row *b)
{
    return a->move.origin == b->move.origin && a->move.dest == b->move.dest;
}

static bool is_packet(const struct brute *b, uint32_t origin, uint32_t dest)
{
    for (uint64_t p = 0; p < crl_problem_packets(b->problem); p++) {
        uint32_t o, d;
        crl_problem_packet(b->problem, p, &o, &d);
        if (o == origin && d == dest) return true;
    }
    return false;
}

static void judge_numbers(struct brute *b)
{
    for (struct row *r = b->row; r < b->row + b->rows; r++) {
        const struct crl_move *m = &r->move;
        size_t before = b->count;
        bool link = false;
        if (m->slot == 0) find(b, "range-slot", r->line);
        if (m->src >= b->nodes || m->dst >= b->nodes) find(b, "range-node", r->line);
        if (!is_packet(b, m->origin, m->dest)) find(b, "range-packet", r->line);
        if (b->count == before) {
            for (uint32_t p = 0; p < crl_topology_ports(b->problem->topology); p++)
                link |= crl_topology_neighbor(b->problem->topology, m->src, p) == m->dst;
            if (!link) find(b, "no-link", r->line);
        }
        r->bad = b->count != before;
    }
}

static void judge_links_and_ports(struct brute *b)
{
    for (struct row *r = b->row; r < b->row + b->rows; r++) {
        const struct row *link = NULL, *port = NULL, *in = NULL; // the last one before, in order of slot and these
        for (struct row *q = b->row; q < r && !r->bad; q++) {
            if (q->bad || q->move.slot != r->move.slot) continue;
            if (q->move.src == r->move.src) port = q;
            if (q->move.dst == r->move.dst) in = q;
            if (q->move.src == r->move.src && q->move.dst == r->move.dst) link = q;
        }
        if (link) find(b, same_packet(link, r) ? "duplicate-row" : "link-conflict", r->line);
        if (b->problem->ports != CRL_PORTS_SINGLE) continue;
        if (port && port->move.dst != r->move.dst) find(b, "send-conflict", r->line);
        if (in && in->move.src != r->move.src) find(b, "receive-conflict", r->line);
    }
}

// The first row that brings r's packet to `node`; NULL: none does.
static const struct row *arrival(const struct brute *b, const struct row *r, uint32_t node)
{
    for (const struct row *q = b->row; q < b->row + b->rows; q++)
        if (!q->bad && same_packet(q, r) && q->move.dst == node) return q;
    return NULL;
}

// Whether what row r brings is wanted where it goes or, by a later row, from there on.
static bool is_needed(const struct brute *b, const struct row *r)
{
    const struct crl_move *m = &r->move;
    if (crl_problem_wants(b->problem, m->origin, m->dest, m->dst)) return true;
    for (const struct row *q = r + 1; q < b->row + b->rows; q++)
        if (!q->bad && same_packet(q, r) && q->move.src == m->dst && is_needed(b, q)) return true;
    return false;
}

static void judge_packets(struct brute *b)
{
    for (struct row *r = b->row; r < b->row + b->rows; r++) {
        const struct crl_move *m = &r->move;
        if (r->bad) continue;
        const struct row *had = arrival(b, r, m->src);
        if (m->src == m->origin) had = NULL;
        else if (!had) find(b, "never-held", r->line);
        if (had && had->move.slot == m->slot) find(b, "same-slot", r->line);
        if (had && had->move.slot > m->slot) find(b, "not-yet", r->line);
        if (m->dst == m->origin || arrival(b, r, m->dst) != r) find(b, "redundant", r->line);
        if (!is_needed(b, r)) find(b, "useless", r->line);
    }
    for (uint64_t p = 0; p < crl_problem_packets(b->problem); p++)
        for (uint32_t v = 0; v < b->nodes; v++) {
            struct row packet = {{0}, 0, false};
            crl_problem_packet(b->problem, p, &packet.move.origin, &packet.move.dest);
            if (v != packet.move.origin && crl_problem_wants(b->problem, packet.move.origin, packet.move.dest, v) &&
                !arrival(b, &packet, v))
                find(b, "missing", 0);
        }
}

static void judge(struct brute *b, const struct crl_move *moves, size_t count)
{
    assert_true(count <= ROWS_MAX);
    b->rows = count;
    b->count = 0;
    for (size_t i = 0; i < count; i++) b->row[i] = (struct row){moves[i], i + 2, false};
    qsort(b->row, count, sizeof *b->row, by_place);
    judge_numbers(b);
    judge_links_and_ports(b);
    judge_packets(b);
}

static size_t found_times(const struct brute *b, const char *id, uint64_t row)
{
    size_t times = 0;
    for (size_t i = 0; i < b->count; i++) times += b->found[i].row == row && !strcmp(b->found[i].id, id);
    return times;
}

static size_t found_of_kind(const struct brute *b, const char *id)
{
    size_t times = 0;
    for (size_t i = 0; i < b->count; i++) times += !strcmp(b->found[i].id, id);
    return times;
}

// The report lists what brute force finds: all of it, but of each kind no more than fit the list.
static void assert_same_findings(const struct brute *b, const struct crl_report *report)
{
    size_t kinds;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    for (size_t k = 0; k < kinds; k++) {
        size_t listed = 0, all = found_of_kind(b, kind[k].id);
        for (size_t i = 0; i < report->count; i++) {
            const struct crl_finding *f = &report->findings[i];
            if (f->kind != &kind[k]) continue;
            size_t times = 0;
            for (size_t j = 0; j < report->count; j++)
                times += report->findings[j].kind == f->kind && report->findings[j].row == f->row;
            if (times > found_times(b, f->kind->id, f->row)) fail_msg("line %d: %s", (int)f->row, f->text);
            listed++;
        }
        if (listed != (all < CRL_FINDINGS_LISTED ? all : CRL_FINDINGS_LISTED))
            fail_msg("%s %zu times, not %zu", kind[k].id, listed, all);
    }
    assert_int_equal(report->violations + report->warnings, b->count);
}

static FILE *as_csv(const struct crl_move *moves, size_t count, enum crl_naming naming)
{
    FILE *file = tmpfile();
    char name[CRL_PACKET_NAME];
    assert_non_null(file);
    fputs("slot,src,dst,packet\n", file);
    for (const struct crl_move *m = moves; m < moves + count; m++)
        fprintf(file, "%u,%u,%u,%s\n", m->slot, m->src, m->dst,
                crl_packet_name(naming, NULL, m->origin, m->dest, name));
    return file;
}

static const struct {
    const char *collective, *topology;
    enum crl_ports ports;
    uint32_t root;
} jobs[] = {
    {"multinode-broadcast", "hypercube:3", CRL_PORTS_ALL, 0},
    {"multinode-broadcast", "hypercube:4", CRL_PORTS_ALL, 0},
    {"multinode-broadcast", "torus:3x4", CRL_PORTS_ALL, 0},
    {"multinode-broadcast", "ring:5", CRL_PORTS_ALL, 0},
    {"multinode-broadcast", "ghc:3x2", CRL_PORTS_SINGLE, 0},
    {"multinode-broadcast", "mesh:3x3", CRL_PORTS_ALL, 0},
    {"multinode-broadcast", "mesh:3x4", CRL_PORTS_SINGLE, 0},
    {"total-exchange", "hypercube:3", CRL_PORTS_ALL, 0},
    {"total-exchange", "ring:3*complete:4", CRL_PORTS_ALL, 0},
    {"total-exchange", "ghc:3x3", CRL_PORTS_SINGLE, 0},
    {"total-exchange", "mesh:3x3", CRL_PORTS_ALL, 0},
    {"scatter", "hypercube:4", CRL_PORTS_ALL, 5},
    {"gather", "hypercube:3", CRL_PORTS_ALL, 2},
    {"broadcast", "hypercube:4", CRL_PORTS_ALL, 3},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

// A full plan of job j.
static void open_job(struct unit *u, size_t j)
{
    const struct crl_algorithm *algorithm;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_topology_parse(&u->topology, jobs[j].topology, &u->diag), 0);
    assert_int_equal(
        crl_problem_init(&u->problem, jobs[j].collective, u->topology, jobs[j].root, jobs[j].ports, &u->diag), 0);
    assert_int_equal(crl_algorithm_find(&algorithm, &u->problem, NULL, &u->diag), 0);
    assert_int_equal(crl_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    unit_expand(u);
}

// Fields of a move that name nodes, in order; 3 only where packets are pairs.
static uint32_t *field(struct crl_move *m, uint32_t i)
{
    return i == 0 ? &m->src : i == 1 ? &m->dst : i == 2 ? &m->origin : &m->dest;
}

static void drop(struct crl_schedule *s, uint32_t i)
{
    s->count--;
    s->moves[i] = s->moves[s->count];
}

enum { NOTHING, DROP, TWICE, SLOT, SWAP_SLOTS, NUMBER, DROP_MANY, SWAP_NODES, DAMAGES };

static void damage(struct unit *u, int kind, uint64_t *random)
{
    struct crl_schedule *s = &u->schedule;
    uint32_t nodes = crl_topology_nodes(u->topology), i = unit_below(random, s->count),
             k = unit_below(random, s->count);
    struct crl_move *m = &s->moves[i], *other = &s->moves[k];
    switch (kind) {
    case DROP: drop(s, i); break;
    case TWICE: assert_int_equal(crl_schedule_add(s, *m), 0); break;
    case SLOT: m->slot = unit_below(random, 8) ? m->slot + unit_below(random, 3) - 1 : UINT32_C(4000000000); break;
    case SWAP_SLOTS: {
        uint32_t slot = m->slot;
        m->slot = other->slot;
        other->slot = slot;
        break;
    }
    case NUMBER: *field(m, unit_below(random, 3)) = unit_below(random, nodes + 2); break;
    case DROP_MANY:
        for (int n = 0; n < 12 && s->count; n++) drop(s, unit_below(random, s->count));
        break;
    case SWAP_NODES: {
        uint32_t a = unit_below(random, nodes), b = unit_below(random, nodes);
        for (m = s->moves; m < s->moves + s->count; m++)
            for (uint32_t f = 0; f < (s->naming == CRL_NAMING_PAIR ? 4 : 3); f++) {
                uint32_t *number = field(m, f);
                *number = *number == a ? b : *number == b ? a : *number;
            }
        break;
    }
    default: break;
    }
}

static void shuffle(struct crl_schedule *s, uint64_t *random)
{
    for (uint32_t i = (uint32_t)s->count; i > 1; i--) {
        uint32_t k = unit_below(random, i);
        struct crl_move move = s->moves[i - 1];
        s->moves[i - 1] = s->moves[k];
        s->moves[k] = move;
    }
}

// Reads and checks on so many threads; on several, rows are kept narrow where they can be.
static int kept_narrow, made_wide;
static int check_file(struct crl_report *report, FILE *file, struct unit *u, uint32_t threads, bool *folded)
{
    struct crl_schedule read;
    rewind(file);
    crl_schedule_init(&read, u->topology, u->schedule.naming, false);
    if (threads > 1 && crl_narrow_fits(&u->problem)) read.judged = &u->problem;
    assert_int_equal(crl_schedule_read_csv_on(&read, file, "x", threads, &u->diag), 0);
    *folded = read.folded;
    const bool narrow = read.narrow;
    int error = crl_check_on(report, &read, &u->problem, threads, &u->diag);
    kept_narrow += read.narrow != NULL;
    made_wide += narrow && !read.narrow;
    if (read.narrow) {
        struct crl_report again;
        assert_int_equal(crl_schedule_widen(&read, &u->diag), 0);
        *folded = read.folded;
        assert_int_equal(crl_check_on(&again, &read, &u->problem, threads, &u->diag), 0);
        crl_report_done(&again);
    }
    crl_schedule_done(&read);
    return error;
}

static void assert_same_report(const struct crl_report *a, const struct crl_report *b)
{
    assert_int_equal(a->violations, b->violations);
    assert_int_equal(a->warnings, b->warnings);
    assert_int_equal(a->slots, b->slots);
    assert_int_equal(a->transmissions, b->transmissions);
    assert_int_equal(a->buffer_packets, b->buffer_packets);
    assert_string_equal(a->misfit, b->misfit);
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_ptr_equal(a->findings[i].kind, b->findings[i].kind);
        assert_int_equal(a->findings[i].row, b->findings[i].row);
        assert_string_equal(a->findings[i].text, b->findings[i].text);
    }
}

static void damaged_files_are_judged_as_by_brute_force(void **state)
{
    (void)state;
    static struct brute brute;
    uint64_t random = 3;
    int good = 0, bad = 0, folded_files = 0, unfolded = 0;
    for (int round = 0; round < 2400; round++) {
        struct unit u;
        struct crl_report report, other;
        bool folded, again;
        open_job(&u, (size_t)round % JOBS);
        int kind = round / JOBS % DAMAGES;
        for (uint32_t times = 1 + unit_below(&random, 3); times > 0 && u.schedule.count; times--)
            damage(&u, kind, &random);
        if (unit_below(&random, 3)) assert_int_equal(crl_schedule_sort(&u.schedule), 0);
        else shuffle(&u.schedule, &random);
        brute.problem = &u.problem;
        brute.nodes = crl_topology_nodes(u.topology);
        judge(&brute, u.schedule.moves, u.schedule.count);
        FILE *file = as_csv(u.schedule.moves, u.schedule.count, u.schedule.naming);
        int error = check_file(&report, file, &u, 1, &folded);
        assert_int_equal(error, report.violations ? CRL_ERR_RULE : 0);
        assert_same_findings(&brute, &report);
        for (uint32_t threads = 2; threads <= 5; threads += 3) {
            assert_int_equal(check_file(&other, file, &u, threads, &again), error);
            assert_int_equal(folded, again);
            assert_same_report(&report, &other);
            crl_report_done(&other);
        }
        if (error) bad++;
        else good++;
        if (folded) folded_files++;
        else if (kind != NOTHING && crl_schedule_may_fold(&u.schedule)) unfolded++;
        crl_report_done(&report);
        fclose(file);
        unit_close(&u);
    }
    assert_true(good > 300 && bad > 1000 && folded_files > 100 && unfolded > 500); // all were put to the test
    assert_true(kept_narrow > 200 && made_wide > 200);
}

// Scatters on the 2-cube in as many rows as the good one, or that end where they must, as rows kept narrow and as
// moves.
static void packets_that_go_astray_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *collective;
        struct crl_move moves[6];
        const char *id; // of one of the findings; NULL: there is none
    } lists[] = {
        {"scatter", {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 0, 1, 0, 1}, {2, 1, 3, 0, 3}}, NULL},
        {"scatter", {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 0, 1, 0, 1}, {2, 2, 3, 0, 3}}, "never-held"},
        {"scatter", {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 0, 1, 0, 1}, {2, 1, 0, 0, 3}}, "redundant"},
        {"scatter", {{1, 0, 1, 0, 3}, {1, 1, 3, 0, 3}, {2, 0, 1, 0, 1}, {2, 0, 2, 0, 2}}, "same-slot"},
        {"scatter",
         {{1, 0, 1, 0, 3}, {1, 0, 2, 0, 2}, {2, 1, 0, 0, 3}, {3, 0, 1, 0, 3}, {4, 0, 1, 0, 1}, {4, 1, 3, 0, 3}},
         "redundant"},
        {"multinode-broadcast", {{1, 1, 0, 1, 0}, {1, 2, 0, 2, 0}, {1, 3, 1, 3, 0}, {2, 1, 0, 3, 0}}, "missing"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct unit u;
        struct crl_report report, other;
        bool folded;
        size_t count = 0;
        unit_open(&u, lists[i].collective, 2, 0, CRL_PORTS_ALL);
        while (count < 6 && lists[i].moves[count].slot) count++;
        FILE *file = as_csv(lists[i].moves, count, u.schedule.naming);
        check_file(&report, file, &u, 1, &folded);
        check_file(&other, file, &u, 2, &folded);
        assert_same_report(&report, &other);
        assert_int_equal(report.count > 0, lists[i].id != NULL);
        bool told = !lists[i].id;
        for (size_t k = 0; k < report.count && !told; k++) told = !strcmp(report.findings[k].kind->id, lists[i].id);
        assert_true(told);
        crl_report_done(&report);
        crl_report_done(&other);
        fclose(file);
        unit_close(&u);
    }
}

// All translates of a damaged move are damaged alike: such a file is folded, and all its rows are blamed.
static void symmetric_damage_blames_every_row(void **state)
{
    (void)state;
    static struct brute brute;
    uint64_t random = 5;
    int blamed = 0;
    for (int round = 0; round < 300; round++) {
        static const size_t symmetric[] = {0, 2, 4, 7, 8, 9};
        struct unit u;
        struct crl_report report;
        bool folded;
        open_job(&u, symmetric[round % 6]);
        if (crl_schedule_fold(&u.schedule)) { // not every plan for a symmetric problem is symmetric
            struct crl_move *m = &u.schedule.moves[unit_below(&random, u.schedule.count)];
            if (round & 1) m->slot += unit_below(&random, 3) - 1;
            else m->origin = unit_below(&random, crl_topology_nodes(u.topology));
            assert_int_equal(crl_schedule_sort(&u.schedule), 0);
            unit_expand(&u);
            brute.problem = &u.problem;
            brute.nodes = crl_topology_nodes(u.topology);
            judge(&brute, u.schedule.moves, u.schedule.count);
            FILE *file = as_csv(u.schedule.moves, u.schedule.count, u.schedule.naming);
            check_file(&report, file, &u, 2, &folded);
            assert_same_findings(&brute, &report);
            blamed += folded && report.count >= brute.nodes;
            crl_report_done(&report);
            fclose(file);
        }
        unit_close(&u);
    }
    assert_true(blamed > 50);
}

// A file of many blocks, whose slots are compared in several pieces, that stops being symmetric somewhere.
static void what_was_read_folded_is_in_the_list(void **state)
{
    (void)state;
    struct unit u;
    uint64_t random = 11;
    unit_plan(&u, unit_schemes[1], 9, 0);
    unit_expand(&u);
    struct crl_move *moves = u.schedule.moves;
    size_t count = u.schedule.count;
    for (int round = 0; round < 8; round++) {
        struct crl_schedule read;
        size_t at = unit_below(&random, count);
        struct crl_move before = moves[at];
        if (round == 1) u.schedule.count = at; // cut off
        else if (round) moves[at].origin ^= 1;
        FILE *file = as_csv(moves, u.schedule.count, u.schedule.naming);
        rewind(file);
        crl_schedule_init(&read, u.topology, u.schedule.naming, false);
        assert_int_equal(crl_schedule_read_csv_on(&read, file, "x", 2, NULL), 0);
        fclose(file);
        assert_int_equal(read.folded, !round);
        assert_int_equal(crl_schedule_unfold(&read, NULL), 0);
        unit_assert_same(&read, &u.schedule);
        assert_int_equal(crl_schedule_line(&read, read.count - 1), read.count + 1);
        crl_schedule_done(&read);
        moves[at] = before;
        u.schedule.count = count;
    }
    unit_close(&u);
}

// A list long enough to be shared out: all-gather on the 8-cube, packets of even origins first.
static char *long_list(size_t *count)
{
    struct unit u;
    unit_plan(&u, unit_schemes[1], 8, 0);
    unit_expand(&u);
    uint32_t slots = crl_schedule_slots(&u.schedule);
    for (size_t i = 0; i < u.schedule.count; i++)
        if (u.schedule.moves[i].origin & 1) u.schedule.moves[i].slot += slots;
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    FILE *file = as_csv(u.schedule.moves, u.schedule.count, u.schedule.naming);
    char *text = unit_contents(file, count);
    fclose(file);
    unit_close(&u);
    return text;
}

static void long_lists_read_alike_on_any_number_of_threads(void **state)
{
    (void)state;
    struct unit u;
    size_t count;
    char *text = long_list(&count);
    uint64_t random = 9;
    unit_open(&u, "multinode-broadcast", 8, 0, CRL_PORTS_ALL);
    for (int round = 0; round < 12; round++) {
        struct crl_schedule read[3];
        size_t at = unit_below(&random, count - 100) + 50;
        int error[3];
        uint64_t line[3];
        char before = text[at];
        if (round) text[at] = "x\r9"[round % 3]; // the 9 mends nothing, but often is a good number still
        for (int k = 0; k < 3; k++) {
            struct crl_diag diag = {0};
            FILE *file = unit_file(text, count);
            crl_schedule_init(&read[k], u.topology, u.schedule.naming, false);
            error[k] = crl_schedule_read_csv_on(&read[k], file, "x", k == 2 ? 5 : (uint32_t)k + 1, &diag);
            line[k] = diag.line * 1000 + diag.col;
            fclose(file);
        }
        if (!round) assert_int_equal(error[0], 0);
        for (int k = 1; k < 3; k++) {
            assert_int_equal(error[k], error[0]);
            assert_int_equal(line[k], line[0]);
            if (!error[0]) unit_assert_same(&read[k], &read[0]);
        }
        if (error[0]) { // the line is that of the byte, or the one it has been joined to
            uint64_t lines = 1;
            for (size_t i = 0; i < at; i++) lines += text[i] == '\n';
            assert_int_equal(line[0] / 1000, lines);
        }
        for (int k = 0; k < 3; k++) crl_schedule_done(&read[k]);
        text[at] = before;
    }
    free(text);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_are_judged_as_by_brute_force),
        cmocka_unit_test(packets_that_go_astray_are_told),
        cmocka_unit_test(symmetric_damage_blames_every_row),
        cmocka_unit_test(what_was_read_folded_is_in_the_list),
        cmocka_unit_test(long_lists_read_alike_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
