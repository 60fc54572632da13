// SPDX-License-Identifier: Apache-2.0
// Networks by name: sizes, degrees and diameters as the papers have them, and links as a formula of the test has them.
#include "topology/topology.h"
#include "unit.h"

static const struct {
    const char *name;
    uint32_t nodes, hosts, links, diameter; // of hosts
} known[] = {
    {"fat-tree:2", 7, 2, 12, 6},
    {"fat-tree:4", 36, 16, 96, 6},
    {"fat-tree:6", 99, 54, 324, 6},
    {"star:2", 3, 2, 4, 2},
    {"star:32", 33, 32, 64, 2},
    {"dragonfly:4", 20, 20, 80, 3},
    {"dragonfly:4x2", 36, 36, 180, 3},
    {"slim-fly:5", 50, 50, 350, 2}, // the Hoffman–Singleton graph
    {"slim-fly:13", 338, 338, 6422, 2},
    {"slim-fly:17", 578, 578, 14450, 2},
    {"twisted-torus:8x4", 32, 32, 128, 4}, // the torus: 6
    {"twisted-torus:6x3", 18, 18, 72, 3},
    {"twisted-torus:4x4x4", 16, 16, 64, 4}, // a torus
    {"gen-kautz:2x12", 12, 12, 24, 3},      // Kautz graphs
    {"gen-kautz:4x20", 20, 20, 80, 2},
    {"cayley:12340", 5, 5, 5, 4},             // a ring one way
    {"cayley:1023,2103,3120", 24, 24, 72, 4}, // the star graph: floor(3(n-1)/2)
    {"cayley:1023,2103,3210", 24, 24, 72, 4}, // pancakes
    {"cayley:1023,0213,0132", 24, 24, 72, 6}, // bubble sort: n(n-1)/2
};

static void are_as_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct crl_topology *t;
        struct crl_diag diag;
        uint32_t hosts, diameter = 0;
        if (crl_topology_parse(&t, known[i].name, &diag)) fail_msg("%s: %s", known[i].name, diag.text);
        const uint32_t *host = crl_topology_hosts(t, &hosts);
        for (uint32_t a = 0; a < hosts; a++)
            for (uint32_t b = 0; b < hosts; b++) {
                uint32_t hops = crl_topology_distance(t, host ? host[a] : a, host ? host[b] : b);
                if (hops > diameter) diameter = hops;
            }
        if (crl_topology_nodes(t) != known[i].nodes || hosts != known[i].hosts ||
            crl_topology_links(t) != known[i].links || diameter != known[i].diameter)
            fail_msg("%s: %u nodes, %u hosts, %llu links, diameter %u", known[i].name, crl_topology_nodes(t), hosts,
                     (unsigned long long)crl_topology_links(t), diameter);
        assert_string_equal(crl_topology_name(t), known[i].name);
        crl_topology_free(t);
    }
}

// Imase and Itoh: u → −Du − j; what comes several times is wide.
static void kautz_links_are_the_formula(void **state)
{
    (void)state;
    struct crl_topology *t;
    assert_int_equal(crl_topology_parse(&t, "gen-kautz:5x6", NULL), 0);
    for (int u = 0; u < 6; u++)
        for (int v = 0; v < 6; v++) {
            uint32_t width = 0;
            for (int j = 1; j <= 5; j++) width += u != v && (v + 5 * u + j) % 6 == 0;
            assert_int_equal(crl_topology_width(t, (uint32_t)u, (uint32_t)v), width);
            for (uint32_t n = 0; n < width; n++)
                assert_int_equal(
                    crl_topology_neighbor(t, (uint32_t)u, crl_topology_port_nth(t, (uint32_t)u, (uint32_t)v, n)), v);
            assert_int_equal(crl_topology_port_nth(t, (uint32_t)u, (uint32_t)v, width), CRL_NONE);
        }
    crl_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_as_known),
        cmocka_unit_test(kautz_links_are_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
