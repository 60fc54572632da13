// SPDX-License-Identifier: Apache-2.0
// Groups and programs as demands: which groups a text says, which packets collectives have in them, what is refused.
#include "problem/groups.h"
#include "unit.h"

struct reading {
    struct crl_topology *topology;
    struct crl_demands demands;
    struct crl_diag diag;
    int error;
};

static struct reading read_on(const char *spec, const char *text, bool program)
{
    struct reading r = {0};
    assert_int_equal(crl_topology_parse(&r.topology, spec, &r.diag), 0);
    if (program) {
        FILE *file = unit_file(text, strlen(text));
        r.error = crl_program_read(&r.demands, r.topology, file, "p", 1, &r.diag);
        fclose(file);
    } else {
        r.error = crl_groups_read(&r.demands, r.topology, text, 1, &r.diag);
    }
    return r;
}

static void end(struct reading *r)
{
    crl_demands_done(&r->demands);
    crl_topology_free(r->topology);
}

// Compares with lines "id src dst…".
static void assert_demands(const char *spec, const char *text, bool program, const char *expected)
{
    struct reading r = read_on(spec, text, program);
    char found[4096];
    size_t used = 0;
    if (r.error) fail_msg("%s: %s", text, r.diag.text);
    for (uint32_t i = 0; i < r.demands.count; i++) {
        const struct crl_demand *d = &r.demands.demand[i];
        used += (size_t)snprintf(found + used, sizeof found - used, "%s %u", d->id, d->src);
        for (uint32_t k = 0; k < d->dst_count; k++)
            used += (size_t)snprintf(found + used, sizeof found - used, "%c%u", k ? ' ' : ':', d->dst[k]);
        if (d->stage) used += (size_t)snprintf(found + used, sizeof found - used, " after %u", d->stage);
        used += (size_t)snprintf(found + used, sizeof found - used, "\n");
    }
    assert_string_equal(found, expected);
    end(&r);
}

static void sets_are_groups(void **state)
{
    (void)state;
    assert_demands("mesh:2x2", "broadcast@rows", false, "g0/0 0:1\ng1/0 2:3\n");
    assert_demands("mesh:2x2", "broadcast@columns", false, "g0/0 0:2\ng1/0 1:3\n");
    assert_demands("mesh:2x2", "broadcast@dims:1,2", false, "g0/0 0:1 2 3\n");
    assert_demands("mesh:2x2x2", "broadcast@planes:2", false, "g0/0 0:1 4 5\ng1/0 2:3 6 7\n");
    assert_demands("hypercube:3", "broadcast@dims:3", false, "g0/0 0:4\ng1/0 1:5\ng2/0 2:6\ng3/0 3:7\n");
    assert_demands("ring:3*path:2", "scatter@rows --root 1", false, "g0/1>0 1:0\ng0/1>2 1:2\ng1/1>0 4:3\ng1/1>2 4:5\n");
    assert_demands("ring:9", "broadcast@nodes:7,2-3", false, "g0/0 2:3 7\n");
    assert_demands("mesh:2x2 without 0-1", "broadcast@rows", false, "g0/0 0:1\ng1/0 2:3\n");
    assert_demands("mesh:2x2 members 0,1,3", "broadcast@rows\nbroadcast", false, "g0/0 0:1\ng1/0 0:1 3\n");
    assert_demands("fat-tree:2", "broadcast", false, "g0/0 0:1\n");
}

static void random_groups_are_of_hosts_and_differ(void **state)
{
    struct reading r = read_on("fat-tree:4", "broadcast@random:6\nbroadcast@random:6", false), again;
    const struct crl_demand *d = r.demands.demand;
    (void)state;
    assert_int_equal(r.error, 0);
    assert_int_equal(d[0].dst_count, 5);
    assert_true(d[0].src < 16 && d[0].dst[4] < 16);
    assert_true(d[0].src != d[1].src || memcmp(d[0].dst, d[1].dst, 5 * sizeof(uint32_t)));
    again = read_on("fat-tree:4", "broadcast@random:6 --seed 1", false);
    assert_int_equal(again.demands.demand[0].src, d[0].src);
    end(&again);
    end(&r);
}

// In a group of all nodes a collective has the packets that it has alone.
static void a_group_of_all_is_the_collective(void **state)
{
    static const char *const names[] = {"broadcast", "multinode-broadcast", "scatter", "gather", "total-exchange"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct reading r = read_on("mesh:2x3", names[i], false);
        struct crl_problem p;
        assert_int_equal(r.error, 0);
        assert_int_equal(crl_problem_init(&p, names[i], r.topology, 0, CRL_PORTS_ALL, NULL), 0);
        assert_int_equal(crl_demands_packets(&r.demands), crl_problem_packets(&p));
        for (uint64_t k = 0; k < crl_problem_packets(&p); k++) {
            uint32_t origin, dest, demand, number;
            char name[CRL_PACKET_NAME], text[2 * CRL_PACKET_NAME] = "g0/", again[CRL_PACKET_NAME];
            crl_problem_packet(&p, k, &origin, &dest);
            strcat(text, crl_problem_packet_name(&p, origin, dest, name));
            if (!crl_demands_packet_named(&r.demands, text, strlen(text), &demand, &number)) fail_msg("%s", text);
            assert_string_equal(crl_demands_packet_name(&r.demands, demand, number, again), text);
            assert_int_equal(r.demands.demand[demand].src, origin);
            for (uint32_t v = 0; v < 6; v++)
                if (v != origin)
                    assert_int_equal(crl_demand_wants(&r.demands.demand[demand], v),
                                     crl_problem_wants(&p, origin, dest, v));
        }
        end(&r);
    }
}

static void packets_of_several_are_numbered(void **state)
{
    struct reading r = read_on("path:2", "broadcast --packets 3\nbroadcast", false);
    uint32_t demand, number;
    char text[CRL_PACKET_NAME];
    (void)state;
    assert_string_equal(crl_demands_packet_name(&r.demands, 0, 2, text), "g0/0.2");
    assert_string_equal(crl_demands_packet_name(&r.demands, 1, 0, text), "g1/0");
    assert_true(crl_demands_packet_named(&r.demands, "g0/0.2", 6, &demand, &number) && demand == 0 && number == 2);
    assert_false(crl_demands_packet_named(&r.demands, "g0/0", 4, &demand, &number));
    assert_false(crl_demands_packet_named(&r.demands, "g1/0.0", 6, &demand, &number));
    assert_false(crl_demands_packet_named(&r.demands, "g1/0.", 5, &demand, &number));
    end(&r);
}

static void steps_follow_each_other(void **state)
{
    (void)state;
    assert_demands("mesh:2x2",
                   "# rows, then columns and one more at once\nscatter@nodes:0-1\r\n\n"
                   "  gather@nodes:0,2 # back\nwith\tbroadcast@nodes:3,1\nbroadcast@nodes:0,1\n",
                   true, "s1/g0/0>1 0:1\ns2/g0/1>0 2:0 after 1\ns3/g0/0 1:3 after 1\ns4/g0/0 0:1 after 2\n");
}

// The canonical form of a program says its stages, and is read back as it was.
static void stages_are_kept(void **state)
{
    struct reading r = read_on("path:3", "broadcast\nbroadcast --root 2\n", true);
    struct crl_demands again;
    char *bytes = NULL;
    size_t count = 0;
    FILE *file = open_memstream(&bytes, &count);
    (void)state;
    assert_int_equal(crl_demands_write(&r.demands, file, NULL), 0);
    fclose(file);
    assert_string_equal(bytes, "id,src,dst,packets,release,deadline,period,after,stage\n"
                               "s1/g0/0,0,1 2,1,1,,,,\ns2/g0/2,2,0 1,1,1,,,,1\n");
    assert_int_equal(crl_demands_read_bytes(&again, r.topology, bytes, count, "b", NULL), 0);
    assert_int_equal(again.demand[1].stage, 1);
    assert_true(again.timed);
    crl_demands_done(&again);
    free(bytes);
    end(&r);
}

// Judges rows on a square of nodes; `ids` are those of all findings, a blank after each.
static void assert_findings(const char *text, bool program, const struct crl_move *moves, size_t count, const char *ids)
{
    struct reading r = read_on("hypercube:2", text, program);
    struct crl_problem p;
    struct crl_schedule s;
    struct crl_report report;
    char found[400] = "";
    if (r.error) fail_msg("%s", r.diag.text);
    assert_int_equal(crl_problem_init(&p, program ? "program" : "groups", r.topology, 0, CRL_PORTS_ALL, NULL), 0);
    assert_int_equal(crl_problem_set_demands(&p, &r.demands, NULL), 0);
    crl_schedule_init_for(&s, &p, false);
    for (size_t i = 0; i < count; i++) assert_int_equal(crl_schedule_add(&s, moves[i]), 0);
    crl_check(&report, &s, &p, NULL);
    for (size_t i = 0; i < report.count; i++) {
        strncat(found, report.findings[i].kind->id, 40);
        strcat(found, " ");
    }
    assert_string_equal(found, ids);
    crl_report_done(&report);
    crl_schedule_done(&s);
    end(&r);
}

static void a_step_waits_for_what_earlier_ones_bring(void **state)
{
    static const char two[] =
        "broadcast@nodes:0,1,3\nbroadcast@nodes:2,3 --root 1\nwith broadcast@nodes:0,2 --root 1\n";
    static const char three[] = "broadcast@nodes:0,1\nbroadcast@nodes:2-3\nbroadcast@nodes:1,3\n";
    // To node 2 nothing comes that it could wait for, to node 3 the packet of slot 2.
    static const struct crl_move good[] = {{1, 0, 1, 0, 0}, {1, 2, 0, 2, 0}, {2, 1, 3, 0, 0}, {3, 3, 2, 1, 0}};
    static const struct crl_move early[] = {{1, 0, 1, 0, 0}, {1, 2, 0, 2, 0}, {2, 1, 3, 0, 0}, {2, 3, 2, 1, 0}};
    // The step between brings node 1 nothing.
    static const struct crl_move over_two[] = {{1, 0, 1, 0, 0}, {1, 1, 3, 2, 0}, {1, 2, 3, 1, 0}};
    (void)state;
    assert_findings(two, true, good, 4, "");
    assert_findings(two, true, early, 4, "before-release ");
    assert_findings(three, true, over_two, 3, "before-release ");
}

static void sums_are_of_the_members(void **state)
{
    static const char one[] = "reduce@nodes:0,3", all[] = "all-reduce@nodes:0,1",
                      both[] = "reduce@nodes:0,3\nbroadcast";
    static const struct crl_move good[] = {{1, 3, 1, 0, 0}, {2, 1, 0, 0, 0}},
                                 early[] = {{1, 1, 0, 0, 0}, {1, 3, 1, 0, 0}};
    static const struct crl_move swap[] = {{1, 0, 1, 0, 0}, {1, 1, 0, 0, 0}, {2, 0, 1, 1, 0}, {2, 1, 0, 1, 0}};
    // What is only moved comes together with sums; node 1 gets it twice.
    static const struct crl_move more[] = {{1, 3, 1, 0, 0}, {1, 0, 1, 1, 0}, {1, 0, 2, 1, 0},
                                           {2, 1, 0, 0, 0}, {2, 1, 3, 1, 0}, {3, 3, 1, 1, 0}};
    (void)state;
    assert_findings(one, false, good, 2, "");
    assert_findings(one, false, early, 2, "incomplete not-yet useless ");
    assert_findings(one, false, good, 1, "incomplete useless ");
    assert_findings(all, false, swap, 4, "");
    assert_findings(all, false, swap, 3, "incomplete ");
    assert_findings(both, false, more, 5, "");
    assert_findings(both, false, more, 6, "redundant ");
}

// A later step's sums wait at each member.
static void sums_wait_for_earlier_steps(void **state)
{
    static const char text[] = "broadcast@nodes:0,1\nreduce@nodes:1,3\n";
    static const struct crl_move good[] = {{1, 0, 1, 0, 0}, {1, 3, 1, 1, 0}};
    static const char twice[] = "reduce@nodes:0,1\nreduce@nodes:0,2 --root 1\n";
    static const struct crl_move early[] = {{1, 0, 2, 1, 0}, {1, 1, 0, 0, 0}},
                                 late[] = {{1, 1, 0, 0, 0}, {2, 0, 2, 1, 0}};
    (void)state;
    assert_findings(text, true, good, 2, "");
    assert_findings(twice, true, early, 2, "before-release ");
    assert_findings(twice, true, late, 2, "");
}

// ---------------------------------------------------------------- what is refused

struct wrong {
    const char *text;
    uint32_t line, col;
    const char *reason; // what the message ends with
};

static void assert_wrong(const struct wrong *w, const char *spec, bool program)
{
    struct reading r = read_on(spec, w->text, program);
    size_t length = strlen(r.diag.text), end_length = strlen(w->reason);
    if (!r.error) fail_msg("taken: %s", w->text);
    if (r.diag.line != w->line || r.diag.col != w->col || length < end_length ||
        strcmp(r.diag.text + length - end_length, w->reason))
        fail_msg("%s\n%s:%u:%u: %s", w->text, r.diag.file, (unsigned)r.diag.line, (unsigned)r.diag.col, r.diag.text);
    end(&r);
}

static void bad_groups_are_refused(void **state)
{
    static const struct wrong rows[] = {
        {"broadcast\nspread@rows", 2, 1, "reduce, reduce-scatter and all-reduce: 'spread'"},
        {"broadcast@lines", 1, 11, "groups are rows, columns, dims:LIST, planes:K, nodes:LIST or random:K, not lines"},
        {"broadcast@", 1, 1, "groups were expected behind '@': 'broadcast@'"},
        {"broadcast@dims:1,3", 1, 18, "a dimension from 1 to 2 was expected: 3"},
        {"broadcast@dims:1;", 1, 17, "',' or the end was expected: ;"},
        {"broadcast@planes:1,2", 1, 19, "one dimension was expected: ,2"},
        {"broadcast@nodes:0,16", 1, 19, "'0,16' names a node beyond the last, 15"},
        {"broadcast@nodes:3", 1, 11, "a group needs two nodes: nodes:3"},
        {"broadcast@random:17", 1, 18, "more nodes than there are: 17"},
        {"broadcast@rows --root 4", 1, 16, "one has fewer nodes: 'broadcast@rows --root 4'"},
        {"all-gather --root 1", 1, 12, "there is no root in a 'multinode-broadcast'"},
        {"all-gather --packets 33554432", 1, 22, "--packets must be a number from 1 to 16777216, not '33554432'"},
        {"all-gather --packets", 1, 21, "not ''"},
        {"all-gather  rows", 1, 13, "a step takes --root, --packets and --seed, not 'rows'"},
    };
    static const struct wrong no_product = {"broadcast@rows", 1, 11,
                                            "are of products such as torus:4x4, not of star:3"};
    static const struct wrong no_columns = {"broadcast@columns", 1, 11, "a dimension from 1 to 1 was expected: 2"};
    static const struct wrong switches = {"broadcast@nodes:0,2", 1, 11, "a node of this list only forwards: 0,2"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_wrong(&rows[i], "torus:4x4", false);
    assert_wrong(&no_product, "star:3", false);
    assert_wrong(&no_columns, "ring:5", false);
    assert_wrong(&switches, "fat-tree:2", false);
}

static void bad_programs_are_refused(void **state)
{
    static const struct wrong rows[] = {
        {"", 1, 1, "no step"},
        {"# nothing\n\n", 2, 1, "no step"},
        {"with broadcast\n", 1, 1, "'with' is at once with the step before, and there is none"},
        {"broadcast\n  with\n", 2, 7, "a step was expected behind 'with'"},
        {"broadcast\n with broadcast@row\n", 2, 17, "nodes:LIST or random:K, not row"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_wrong(&rows[i], "torus:4x4", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_groups),
        cmocka_unit_test(random_groups_are_of_hosts_and_differ),
        cmocka_unit_test(a_group_of_all_is_the_collective),
        cmocka_unit_test(packets_of_several_are_numbered),
        cmocka_unit_test(steps_follow_each_other),
        cmocka_unit_test(stages_are_kept),
        cmocka_unit_test(a_step_waits_for_what_earlier_ones_bring),
        cmocka_unit_test(sums_are_of_the_members),
        cmocka_unit_test(sums_wait_for_earlier_steps),
        cmocka_unit_test(bad_groups_are_refused),
        cmocka_unit_test(bad_programs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
