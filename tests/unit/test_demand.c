// SPDX-License-Identifier: Apache-2.0
// Demands: what is read of files, what is refused and where, the canonical form and its hash, names of packets.
#include "demand/demand.h"
#include "unit.h"

#define HEADER "id,src,dst,packets,release,deadline,period,after\n"

struct reading {
    struct crl_topology *topology;
    struct crl_demands demands;
    struct crl_diag diag;
    int error;
};

static struct reading read_on(const char *spec, const char *text, bool matrix)
{
    struct reading r = {0};
    FILE *file = unit_file(text, strlen(text));
    assert_int_equal(crl_topology_parse(&r.topology, spec, &r.diag), 0);
    r.error = (matrix ? crl_demands_read_matrix : crl_demands_read_csv)(&r.demands, r.topology, file, "f", &r.diag);
    fclose(file);
    return r;
}

static void end(struct reading *r)
{
    crl_demands_done(&r->demands);
    crl_topology_free(r->topology);
}

static void assert_hash(const char *text, size_t count, const char *expected)
{
    char hex[65];
    crl_sha256(text, count, hex);
    assert_string_equal(hex, expected);
}

// Of FIPS 180-4's examples, and of lengths about a block and about the room for the length in it.
static void sha256_of_known_texts(void **state)
{
    char letters[1000];
    (void)state;
    memset(letters, 'x', sizeof letters);
    assert_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_hash(letters, 55, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
    assert_hash(letters, 64, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
    memset(letters, 'a', sizeof letters);
    assert_hash(letters, 1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

// ---------------------------------------------------------------- canonical form

static void assert_canonical(const char *spec, const char *text, bool matrix, const char *expected)
{
    struct reading r = read_on(spec, text, matrix), again;
    FILE *file = tmpfile();
    size_t count;
    char hex[65], same[65];
    if (r.error) fail_msg("%s", r.diag.text);
    assert_int_equal(crl_demands_write(&r.demands, file, &r.diag), 0);
    char *written = unit_contents(file, &count);
    assert_string_equal(written, expected);
    assert_int_equal(crl_demands_hash(&r.demands, hex), 0);
    assert_hash(expected, strlen(expected), hex);
    again = read_on(spec, written, false); // what it is of itself
    assert_int_equal(again.error, 0);
    assert_int_equal(crl_demands_hash(&again.demands, same), 0);
    assert_string_equal(same, hex);
    free(written);
    fclose(file);
    end(&r);
    end(&again);
}

static void equal_demands_have_one_form(void **state)
{
    (void)state;
    assert_canonical("torus:4x4", "# every column\r\n id , src,dst\n\nb,3,0 4-7 3\na,0,5\n", false,
                     HEADER "a,0,5,1,1,,,\nb,3,0 4 5 6 7,1,1,,,\n");
    assert_canonical("torus:4x4", HEADER "a,0,5,12,,,,\nb,3,0 4-7,2,,,,\nc,7,1,1,4,20,64,\nd,5,0,3,,,,a\n", false,
                     HEADER "a,0,5,12,1,,,\nb,3,0 4 5 6 7,2,1,,,\nc,7,1,1,4,20,64,\nd,5,0,3,1,,,a\n");
    assert_canonical("ring:11", "id,src,dst,packets\nB,1,2,1\na->b/_,10,9 0,2\nA-,0,1,\n", false,
                     HEADER "A-,0,1,1,1,,,\nB,1,2,1,1,,,\na->b/_,10,0 9,2,1,,,\n");
    assert_canonical("ring:3", "0,1,0\n # rows\n2, 0 ,0\n0,16777216,0\n", true,
                     HEADER "0>1,0,1,1,1,,,\n1>0,1,0,2,1,,,\n2>1,2,1,16777216,1,,,\n");
}

static void only_hosts_are_rows_of_a_matrix(void **state)
{
    struct reading r = read_on("fat-tree:2", "0,1\n2,0\n", true);
    (void)state;
    if (r.error) fail_msg("%s", r.diag.text);
    assert_int_equal(r.demands.count, 2);
    assert_int_equal(r.demands.demand[1].packets, 2);
    end(&r);
}

static void a_source_among_destinations_is_dropped(void **state)
{
    struct reading r = read_on("torus:4x4", "id,src,dst\na,0,0-3\nb,0,1\n", false);
    (void)state;
    assert_int_equal(r.error, 0);
    assert_int_equal(r.demands.dropped, 1);
    assert_int_equal(r.demands.demand[0].dst_count, 3);
    end(&r);
}

// ---------------------------------------------------------------- names and periods

static void assert_named(const struct crl_demands *d, const char *name, uint32_t demand, uint32_t number)
{
    uint32_t i, k;
    char text[CRL_PACKET_NAME];
    assert_true(crl_demands_packet_named(d, name, strlen(name), &i, &k));
    assert_int_equal(i, demand);
    assert_int_equal(k, number);
    assert_string_equal(crl_demands_packet_name(d, i, k, text), name);
}

static void packets_are_named(void **state)
{
    static const char *const none[] = {"a",  "a.",    "a.2", "a.02", "a.-1",         "ab.12", "abc.0",
                                       ".0", "a.0.0", "",    "b.0",  "a.4294967296", "a.0 "};
    struct reading r = read_on("torus:4x4", "id,src,dst,packets\nab,1,2,12\na,0,1,2\na-b,3,4,1\n", false);
    uint32_t i, k;
    (void)state;
    assert_named(&r.demands, "a.0", 0, 0);
    assert_named(&r.demands, "a.1", 0, 1);
    assert_named(&r.demands, "a-b.0", 1, 0);
    assert_named(&r.demands, "ab.11", 2, 11);
    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        if (crl_demands_packet_named(&r.demands, none[n], strlen(none[n]), &i, &k)) fail_msg("'%s'", none[n]);
    assert_int_equal(crl_demands_packets(&r.demands), 15);
    for (uint64_t index = 0; index < 15; index++) // the first of each demand, and what is found of it
        assert_int_equal(crl_demands_find(&r.demands, index), index < 2 ? 0 : index < 3 ? 1 : 2);
    end(&r);
}

// A hyperperiod of 12 slots has three times one and four times the other; what comes once is there once.
static void periods_repeat(void **state)
{
    struct reading r = read_on("torus:4x4", HEADER "t,0,1,2,2,3,4,\nu,1,2,1,,,3,\nv,2,3,1,,,,\nw,1,5,1,,,4,t\n", false);
    const struct crl_demand *d = r.demands.demand;
    (void)state;
    if (r.error) fail_msg("%s", r.diag.text);
    assert_int_equal(r.demands.modulo, 12);
    assert_int_equal(r.demands.count, 3 + 4 + 1 + 3);
    assert_int_equal(crl_demands_packets(&r.demands), 6 + 4 + 1 + 3);
    assert_int_equal(d[2].release, 10);
    assert_int_equal(d[2].deadline, 11);
    assert_int_equal(d[6].release, 10);
    assert_int_equal(d[6].deadline, CRL_NONE);
    assert_int_equal(d[10].after, 2);
    assert_named(&r.demands, "t.5", 2, 1);
    assert_named(&r.demands, "u.3", 6, 0);
    end(&r);
}

static void a_period_of_all_is_refused_beside_others(void **state)
{
    struct reading r = read_on("torus:4x4", HEADER "a,0,1,1,,,,\nb,0,1,1,,,8,\n", false);
    (void)state;
    assert_int_equal(crl_demands_set_period(&r.demands, 9, &r.diag), CRL_ERR_ARGUMENT);
    assert_int_equal(r.diag.line, 3);
    end(&r);
    r = read_on("torus:4x4", "id,src,dst\na,0,1\n", false);
    assert_int_equal(crl_demands_set_period(&r.demands, 9, &r.diag), 0);
    assert_int_equal(r.demands.modulo, 9);
    end(&r);
}

// ---------------------------------------------------------------- what is refused

struct wrong {
    const char *text;
    uint32_t line, col;
    const char *reason; // what the message ends with
};

static void assert_wrong(const struct wrong *w, const char *spec, bool matrix)
{
    struct reading r = read_on(spec, w->text, matrix);
    if (!r.error) r.error = crl_demands_feasible(&r.demands, r.topology, &r.diag);
    size_t length = strlen(r.diag.text), end_length = strlen(w->reason);
    if (!r.error) fail_msg("taken: %s", w->text);
    if (r.diag.line != w->line || r.diag.col != w->col || length < end_length ||
        strcmp(r.diag.text + length - end_length, w->reason) || strcmp(r.diag.file, "f"))
        fail_msg("%s\n%s:%u:%u: %s", w->text, r.diag.file, (unsigned)r.diag.line, (unsigned)r.diag.col, r.diag.text);
    end(&r);
}

static void bad_rows_are_refused(void **state)
{
    static const struct wrong rows[] = {
        {"", 1, 1, "the file is empty"},
        {"# a comment\n", 1, 1, "the file is empty"},
        {"src,dst\n", 1, 1, "expected the header id,src,dst,packets,release,deadline,period,after, found 'src'"},
        {"id,src\n", 1, 1, "the header needs at least id,src,dst"},
        {"id,src,dst\n", 1, 1, "no demand"},
        {"id,src,dst\na,0,1,3\n", 2, 7, "more fields than the header has: '3'"},
        {"id,src,dst\n,0,1\n", 2, 1, "an id is made of letters, digits, '_', '-', '>' and '/', not ''"},
        {"id,src,dst\na.b,0,1\n", 2, 1, "not 'a.b'"},
        {"id,src,dst\na,16,1\n", 2, 3, "torus:4x4 has no node '16'"},
        {"id,src,dst\na,0,1 x\n", 2, 7, "torus:4x4 has no node 'x'"},
        {"id,src,dst\na,0,1-\n", 2, 7, "torus:4x4 has no node ''"},
        {"id,src,dst\na,0,3-1\n", 2, 5, "a range that ends before it begins: '3-1'"},
        {"id,src,dst\na,0,1-3 2\n", 2, 9, "a destination is listed twice: '2'"},
        {"id,src,dst\na,0\n", 2, 4, "no destination"},
        {"id,src,dst\na,0,0\n", 2, 5, "a demand from a node to itself: '0'"},
        {"id,src,dst,packets\na,0,1,0\n", 2, 7, "packets must be a number from 1 to 16777216, not '0'"},
        {"id,src,dst,packets\na,0,1,33554432\n", 2, 7, "packets must be a number from 1 to 16777216, not '33554432'"},
        {"id,src,dst,packets\na,0,1, -1\n", 2, 8, "not '-1'"},
        {"id,src,dst\na,0,1\nb,0,1\na,1,2\n", 4, 1, "demand 'a' is listed twice"},
        {HEADER "a,0,1,,,,,b\nb,1,0,,,,,a\n", 2, 11, "demand 'a' waits for itself: a circle of 'after'"},
        {HEADER "a,0,1,,,,,a\n", 2, 11, "a circle of 'after'"},
        {HEADER "a,0,1,,,,,z\n", 2, 11, "demand 'a' waits for 'z', which there is not"},
        {HEADER "a,0,1,,,,,b\nb,1,2,,,,,\n", 2, 11, "waits for 'b', which does not come to its source 0"},
        {HEADER "a,0,1,,,,4,b\nb,1,0,,,,8,\n", 2, 12, "waits for one of another period: b"},
        {HEADER "a,0,1,,,,1048576,\nb,1,0,,,,3,\n", 3, 1, "which all periods divide, longer than 2^20 slots"},
        {HEADER "a,0,1,64,,,1048576,\nb,1,0,64,,,1,\n", 3, 1, "makes more than 2^26 packets"},
        {HEADER "a,0,10,,,3,,\n", 2, 10, "it arrives in slot 4, after its deadline 3"},
        {HEADER "a,0,10,,5,7,,\n", 2, 11, "in slot 5 at the earliest, so it arrives in slot 8, after its deadline 7"},
        {HEADER "a,0,10 15,,,,,\nb,15,10,,,3,,a\n", 3, 11,
         "in slot 3 at the earliest, so it arrives in slot 4, "
         "after its deadline 3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_wrong(&rows[i], "torus:4x4", false);
}

static void nodes_that_only_forward_are_refused(void **state)
{
    static const struct wrong rows[] = {
        {"id,src,dst\na,2,1\n", 2, 3, "only hosts have and want packets, and this node only forwards: '2'"},
        {"id,src,dst\na,0,1-3\n", 2, 7, "only forwards: '3'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_wrong(&rows[i], "fat-tree:2", false);
}

static void bad_matrices_are_refused(void **state)
{
    static const struct wrong rows[] = {
        {"", 1, 1, "the matrix ends after 0 of 3 rows"},
        {"0,1,0\n0,0,0\n", 2, 1, "the matrix ends after 2 of 3 rows"},
        {"0,1,0\n0,0\n0,0,0\n", 2, 1, "2 numbers in a row of a matrix of 3 hosts"},
        {"0,1,0\n0,0,0\n0,0,0\n0,0,0\n", 4, 1, "more rows than hosts"},
        {"0,0,0\n0,0,0\n0,0,0\n", 3, 1, "no demand: all entries are 0"},
        {"0,1,0\n0,2,0\n0,0,0\n", 2, 3, "a node's packets to itself must be 0, not '2'"},
        {"0,1,\n0,0,0\n0,0,0\n", 1, 5, "an entry must be a number from 0 to 16777216, not ''"},
        {"0,33554432,0\n0,0,0\n0,0,0\n", 1, 3, "not '33554432'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_wrong(&rows[i], "ring:3", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_known_texts),
        cmocka_unit_test(equal_demands_have_one_form),
        cmocka_unit_test(only_hosts_are_rows_of_a_matrix),
        cmocka_unit_test(a_source_among_destinations_is_dropped),
        cmocka_unit_test(packets_are_named),
        cmocka_unit_test(periods_repeat),
        cmocka_unit_test(a_period_of_all_is_refused_beside_others),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(nodes_that_only_forward_are_refused),
        cmocka_unit_test(bad_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
