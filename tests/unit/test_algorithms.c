// SPDX-License-Identifier: Apache-2.0
// The algorithms of Bertsekas et al. 1991, held against the paper and the checker.
#include "unit.h"

enum { BROADCAST, MULTINODE, SCATTER, GATHER, TOTAL };

static uint32_t rotate(uint32_t x, uint32_t d) { return ((x << 1) | (x >> (d - 1))) & ((1u << d) - 1); }

static uint32_t smallest_rotation(uint32_t x, uint32_t d)
{
    uint32_t best = x;
    for (uint32_t i = 1; i < d; i++)
        if ((x = rotate(x, d)) < best) best = x;
    return best;
}

// Checks u's schedule and that it does no worse than the bounds; returns the packets to hold.
static uint64_t assert_best(struct unit *u)
{
    struct crl_report report;
    assert_int_equal(unit_check(u, &report), 0);
    assert_int_equal(report.violations, 0);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(report.count, 0);
    assert_int_equal(report.slots, report.bound_slots);
    assert_int_equal(report.transmissions, report.bound_transmissions);
    crl_report_done(&report);
    return report.buffer_packets;
}

static void every_row_of_the_table_of_algorithms_is_complete(void **state)
{
    (void)state;
    const struct crl_algorithm *a, *before;
    for (size_t i = 0; (a = crl_algorithm_at(i)); i++) {
        assert_true(*a->collectives && *a->scheme && *a->networks && *a->summary && a->plan);
        assert_true(a->ports == 0 || a->ports == CRL_FOR_ALL_PORTS || a->ports == CRL_FOR_SINGLE_PORT);
        assert_true(!a->claim || a->guarantee); // what is promised is also said
        for (size_t c = 0; crl_collective_at(c); c++)
            for (size_t k = 0; k < i && (before = crl_algorithm_at(k)); k++)
                assert_false(crl_algorithm_serves(a, crl_collective_at(c)) &&
                             crl_algorithm_serves(before, crl_collective_at(c)) && !strcmp(a->scheme, before->scheme) &&
                             !strcmp(a->networks, before->networks));
    }
    for (int k = 0; k < UNIT_SCHEMES; k++) { // ours are the default ones
        struct unit u;
        const struct crl_algorithm *found;
        unit_open(&u, unit_schemes[k].collective, 3, 0, CRL_PORTS_ALL);
        assert_int_equal(crl_algorithm_find(&found, &u.problem, NULL, NULL), 0);
        assert_string_equal(found->scheme, unit_schemes[k].scheme);
        assert_int_equal(crl_algorithm_find(&found, &u.problem, "nonsense", &u.diag), CRL_ERR_ARGUMENT);
        assert_non_null(strstr(u.diag.text, unit_schemes[k].scheme));
        unit_close(&u);
    }
}

static void slots_and_transmissions_meet_the_bounds_from_every_kind_of_root(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= 10; d++) {
            const uint32_t last = (1u << d) - 1, roots[] = {0, last, last / 3, last / 2 + 1};
            for (int r = 0; r < 4; r++) {
                struct unit u;
                unit_plan(&u, unit_schemes[k], d, roots[r]);
                if (u.schedule.folded && r) {
                    unit_close(&u);
                    break;
                }
                assert_best(&u);
                unit_close(&u);
            }
        }
}

static void relative_and_expanded_schedules_are_judged_alike(void **state)
{
    (void)state;
    for (int k = 0; k < UNIT_SCHEMES; k++)
        for (uint32_t d = 1; d <= (k == TOTAL ? 8 : 10); d++) {
            struct unit u;
            unit_plan(&u, unit_schemes[k], d, 0);
            bool relative = u.schedule.folded;
            uint64_t held = assert_best(&u);
            if (relative) {
                unit_expand(&u);
                assert_int_equal(assert_best(&u), held);
            }
            unit_close(&u);
        }
}

static void binomial_broadcast_serves_single_port_nodes(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) {
        struct unit u;
        unit_plan(&u, unit_schemes[BROADCAST], d, (1u << d) - 1);
        u.problem.ports = CRL_PORTS_SINGLE;
        assert_best(&u);
        unit_close(&u);
    }
}

static void buffers_are_no_larger_than_is_known(void **state)
{
    (void)state;
    static const uint64_t multinode[] = {0, 1, 3, 6, 10, 14, 28, 30, 51, 90, 165, 318};
    for (uint32_t d = 1; d <= 12; d++) {
        struct unit u;
        unit_plan(&u, unit_schemes[MULTINODE], d, 0);
        assert_true(assert_best(&u) <= multinode[d - 1]);
        unit_close(&u);
        if (d < 3) continue;
        unit_plan(&u, unit_schemes[TOTAL], d, 0);
        assert_int_equal(assert_best(&u), (1u << (d - 2)) + d - 3);
        unit_close(&u);
    }
}

static void large_symmetric_schedules_are_valid(void **state)
{
    (void)state;
    for (uint32_t d = 13; d <= 16; d++)
        for (int k = 0; k < UNIT_SCHEMES; k++) {
            struct unit u;
            if (k != MULTINODE && k != TOTAL) continue;
            unit_plan(&u, unit_schemes[k], d, 0);
            assert_true(u.schedule.folded);
            assert_best(&u);
            unit_close(&u);
        }
}

// ---- Section 2

// The number n(t) of each string, read off the schedule: t is reached in slot i over link m, so n(t) = (i−1)d + m.
static void number_strings(const struct crl_schedule *s, uint32_t d, uint32_t *string_of)
{
    memset(string_of, 0, sizeof *string_of << d);
    for (size_t i = 0; i < s->count; i++) {
        const struct crl_move *m = &s->moves[i];
        uint32_t n = (m->slot - 1) * d + (uint32_t)__builtin_ctz(m->dst) + 1;
        assert_int_equal(m->src, 0);
        assert_false(m->origin & m->dst); // the parent is t with bit m(t) cleared
        assert_in_range(n, 1, (1u << d) - 1);
        assert_int_equal(string_of[n], 0);
        string_of[n] = m->origin ^ m->dst;
    }
}

static void the_multinode_broadcast_tree_goes_through_the_strings_in_class_order(void **state)
{
    (void)state;
    for (uint32_t d = 2; d <= 12; d++) {
        struct unit u;
        uint32_t *string_of = malloc(sizeof *string_of << d), full = (1u << d) - 1;
        unit_plan(&u, unit_schemes[MULTINODE], d, 0);
        number_strings(&u.schedule, d, string_of);
        for (uint32_t n = 1, size; n < full; n += size) {
            uint32_t first = string_of[n], smallest = smallest_rotation(first, d), before = string_of[n - 1];
            for (size = 1; rotate(string_of[n + size - 1], d) != first; size++) // rotated left by one, all of the class
                assert_int_equal(string_of[n + size], rotate(string_of[n + size - 1], d));
            uint32_t weight = (uint32_t)__builtin_popcount(first), weight_before = (uint32_t)__builtin_popcount(before);
            if (weight == weight_before) { // by smallest member within a weight
                assert_true(smallest_rotation(before, d) < smallest);
                continue;
            }
            assert_int_equal(weight, weight_before + 1);
            assert_int_equal(smallest, (1u << weight) - 1); // R_k1, which begins with its ones at m, m+1, …
            uint32_t ones = smallest;
            for (uint32_t m = (n - 1) % d; m > 0; m--) ones = rotate(ones, d);
            assert_int_equal(first, ones);
        }
        assert_int_equal(string_of[full], full);
        free(string_of);
        unit_close(&u);
    }
}

static void each_slot_reaches_the_next_d_strings_over_different_links(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 12; d++) {
        struct unit u;
        unit_plan(&u, unit_schemes[MULTINODE], d, 0);
        uint32_t left = (1u << d) - 1;
        size_t at = 0;
        for (uint32_t slot = 1; left; slot++) { // E_i: numbers (i−1)d+1 … id, so m(t) = 1 … d, or as many as are left
            uint32_t ports = 0, members = left < d ? left : d;
            for (uint32_t k = 0; k < members; k++, at++) {
                assert_int_equal(u.schedule.moves[at].slot, slot);
                ports |= u.schedule.moves[at].dst;
            }
            assert_int_equal(ports, (1u << members) - 1);
            left -= members;
        }
        assert_int_equal(at, u.schedule.count);
        unit_close(&u);
    }
}

// ---- Section 3

static void scatter_goes_down_a_perfectly_balanced_tree_without_waiting(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 10; d++)
        for (uint32_t root = 0; root < 2; root++) {
            struct unit u;
            uint32_t nodes = 1u << d, size[16] = {0}, weight_before[16], r = root * (nodes - 1);
            unit_plan(&u, unit_schemes[SCATTER], d, r);
            // last[t]: slot in which the packet for t moved last; at[t]: where it is, relative to the root
            uint32_t *last = calloc(nodes, sizeof *last), *at = calloc(nodes, sizeof *at),
                     *parent = calloc(nodes, sizeof *parent);
            for (size_t i = 0; i < u.schedule.count; i++) {
                const struct crl_move *m = &u.schedule.moves[i];
                uint32_t t = m->dest ^ r, src = m->src ^ r, dst = m->dst ^ r, port = (uint32_t)__builtin_ctz(src ^ dst);
                assert_int_equal(at[t], src);
                if (src) {
                    assert_int_equal(m->slot, last[t] + 1); // nobody waits
                } else { // the root sends one packet a slot down each subtree, farthest destinations first
                    uint32_t weight = (uint32_t)__builtin_popcount(t);
                    assert_int_equal(m->slot, ++size[port]);
                    if (size[port] > 1) assert_true(weight <= weight_before[port]);
                    weight_before[port] = weight;
                }
                assert_true(!parent[dst] || parent[dst] == src + 1); // one tree for all packets
                parent[dst] = src + 1;
                last[t] = m->slot;
                at[t] = dst;
            }
            for (uint32_t t = 1; t < nodes; t++) assert_int_equal(at[t], t);
            for (uint32_t p = 0; p < d; p++) assert_int_equal(size[p], (nodes - 1) / d + (p < (nodes - 1) % d));
            free(last);
            free(at);
            free(parent);
            unit_close(&u);
        }
}

static void gather_is_scatter_in_reversed_time(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) {
        struct unit gather, scatter;
        unit_plan(&gather, unit_schemes[GATHER], d, 1);
        unit_plan(&scatter, unit_schemes[SCATTER], d, 1);
        uint32_t slots = crl_schedule_slots(&scatter.schedule);
        for (size_t i = 0; i < gather.schedule.count; i++) {
            struct crl_move *m = &gather.schedule.moves[i];
            *m = (struct crl_move){slots + 1 - m->slot, m->dst, m->src, m->dest, m->origin};
        }
        assert_int_equal(crl_schedule_sort(&gather.schedule), 0);
        unit_assert_same(&gather.schedule, &scatter.schedule);
        unit_close(&gather);
        unit_close(&scatter);
    }
}

// ---- Section 4

enum { CUBE_MAX = 7 };

// The tables: entry[k][row] is the row-th own packet that node 0 sends over link k (from 1); column k has 2^(k−1) rows.
static void paper_tables(uint32_t d, uint32_t entry[CUBE_MAX + 1][1 << (CUBE_MAX - 1)])
{
    for (uint32_t k = 1; k <= d; k++) {
        uint32_t n = 0, e = 1u << (k - 1);
        for (uint32_t row = 0; n < e - 1; row++)
            for (uint32_t column = 1; column < k; column++)
                if (row < 1u << (column - 1)) entry[k][n++] = entry[column][row] | e;
        entry[k][n] = e;
    }
}

static void own_packets_leave_in_the_order_of_figure_6(void **state)
{
    (void)state;
    static const uint32_t figure[4][8] = {{1}, {3, 2}, {5, 7, 6, 4}, {9, 11, 13, 10, 15, 14, 12, 8}};
    struct unit u;
    unit_plan(&u, unit_schemes[TOTAL], 4, 0);
    uint32_t own = 0;
    for (size_t i = 0; i < u.schedule.count; i++) {
        const struct crl_move *m = &u.schedule.moves[i];
        if (m->origin) continue;
        own++;
        assert_int_equal(m->dest, figure[__builtin_ctz(m->dst)][m->slot - 1]);
    }
    assert_int_equal(own, 15);
    unit_close(&u);
}

struct queued {
    uint32_t origin, dest, arrival;
};
struct queue {
    struct queued packet[1 << CUBE_MAX];
    uint32_t count;
};

// Takes out the packet to forward next: least origin ⊕ node, and the earliest to come of that origin.
static struct queued take(struct queue *q, uint32_t node)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < q->count; i++) {
        uint32_t x = q->packet[i].origin ^ node, y = q->packet[best].origin ^ node;
        assert_false(x == y && q->packet[i].arrival == q->packet[best].arrival); // then the rules would say nothing
        if (x < y || (x == y && q->packet[i].arrival < q->packet[best].arrival)) best = i;
    }
    struct queued first = q->packet[best];
    q->packet[best] = q->packet[--q->count];
    return first;
}

// All nodes by the rules at the end of Section 4: own packets in the order of the tables, then, from slot 2^(k−1) + 1
// on, those in the queue of link k, one queue a link.
static void simulate_rules(struct crl_schedule *s, uint32_t d)
{
    static uint32_t entry[CUBE_MAX + 1][1 << (CUBE_MAX - 1)];
    uint32_t nodes = 1u << d;
    struct queue *queues = calloc(nodes * (d + 1), sizeof *queues);
    size_t first = 0;
    paper_tables(d, entry);
    for (uint32_t slot = 1; slot <= 1u << (d - 1); slot++) {
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t k = 1; k <= d; k++) {
                struct queue *q = &queues[node * (d + 1) + k];
                struct crl_move m = {slot, node, node ^ 1u << (k - 1), node, 0};
                if (slot <= 1u << (k - 1)) {
                    m.dest = node ^ entry[k][slot - 1];
                } else {
                    if (!q->count) continue;
                    struct queued next = take(q, node);
                    m.origin = next.origin;
                    m.dest = next.dest;
                }
                assert_int_equal(crl_schedule_add(s, m), 0);
            }
        for (; first < s->count; first++) { // what this slot brought
            const struct crl_move *m = &s->moves[first];
            if (m->dst == m->dest) continue;
            struct queue *q = &queues[m->dst * (d + 1) + 32 - (uint32_t)__builtin_clz(m->dst ^ m->dest)];
            q->packet[q->count++] = (struct queued){m->origin, m->dest, slot};
        }
    }
    free(queues);
}

static void total_exchange_is_what_the_forwarding_rules_of_the_paper_produce(void **state)
{
    (void)state;
    for (uint32_t d = 2; d <= CUBE_MAX; d++) {
        struct unit u;
        struct crl_schedule simulated;
        unit_plan(&u, unit_schemes[TOTAL], d, 0);
        unit_expand(&u);
        crl_schedule_init(&simulated, u.topology, CRL_NAMING_PAIR, false);
        simulate_rules(&simulated, d);
        assert_int_equal(crl_schedule_sort(&simulated), 0);
        unit_assert_same(&simulated, &u.schedule);
        crl_schedule_done(&simulated);
        unit_close(&u);
    }
}

static void every_link_is_always_busy_in_total_exchange(void **state)
{
    (void)state;
    for (uint32_t d = 1; d <= 8; d++) {
        struct unit u;
        struct crl_report report;
        unit_plan(&u, unit_schemes[TOTAL], d, 0);
        assert_int_equal(unit_check(&u, &report), 0);
        assert_true(report.utilization == 1.0);
        crl_report_done(&report);
        unit_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_table_of_algorithms_is_complete),
        cmocka_unit_test(slots_and_transmissions_meet_the_bounds_from_every_kind_of_root),
        cmocka_unit_test(relative_and_expanded_schedules_are_judged_alike),
        cmocka_unit_test(binomial_broadcast_serves_single_port_nodes),
        cmocka_unit_test(buffers_are_no_larger_than_is_known),
        cmocka_unit_test(large_symmetric_schedules_are_valid),
        cmocka_unit_test(the_multinode_broadcast_tree_goes_through_the_strings_in_class_order),
        cmocka_unit_test(each_slot_reaches_the_next_d_strings_over_different_links),
        cmocka_unit_test(scatter_goes_down_a_perfectly_balanced_tree_without_waiting),
        cmocka_unit_test(gather_is_scatter_in_reversed_time),
        cmocka_unit_test(own_packets_leave_in_the_order_of_figure_6),
        cmocka_unit_test(total_exchange_is_what_the_forwarding_rules_of_the_paper_produce),
        cmocka_unit_test(every_link_is_always_busy_in_total_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
