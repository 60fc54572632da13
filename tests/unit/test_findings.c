// SPDX-License-Identifier: Apache-2.0
// Findings word by word: random rows, on links of any width and latency, against rules that are spelled out here row by
// row, with the row and the text that each finding must have; and what the report says beside its list.
#include "unit.h"

enum { ROWS_MAX = 48, FOUND_MAX = 256 };

struct found {
    enum crl_finding_id id;
    uint64_t row;
    char text[160];
};

struct brute {
    const struct crl_problem *problem;
    const struct crl_topology *topology;
    const struct crl_schedule *schedule; // in canonical order
    const struct crl_move *row;
    size_t rows;
    bool bad[ROWS_MAX];
    struct found found[FOUND_MAX];
    size_t count;
};

// "slot 1: node 2 sends packet 3 to node 4" and what is wrong with it; of no row: that alone.
static void find(struct brute *b, enum crl_finding_id id, size_t row, const char *format, ...)
{
    assert_true(b->count < FOUND_MAX);
    struct found *f = &b->found[b->count++];
    char name[CRL_PACKET_NAME];
    int used = 0;
    va_list args;
    *f = (struct found){.id = id, .row = row == SIZE_MAX ? 0 : row + 1};
    if (row != SIZE_MAX) {
        const struct crl_move *m = &b->row[row];
        crl_packet_name(b->schedule->naming, NULL, m->origin, m->dest, name);
        used = snprintf(f->text, sizeof f->text, "slot %u: node %u sends packet %s to node %u, ", m->slot, m->src, name,
                        m->dst);
    }
    va_start(args, format);
    vsnprintf(f->text + used, sizeof f->text - (size_t)used, format, args);
    va_end(args);
}

// ---- numbers, links and ports

static bool is_packet(const struct brute *b, uint32_t origin, uint32_t dest)
{
    for (uint64_t p = 0; p < crl_problem_packets(b->problem); p++) {
        uint32_t o, d;
        crl_problem_packet(b->problem, p, &o, &d);
        if (o == origin && d == dest) return true;
    }
    return false;
}

static uint32_t width_of(const struct brute *b, uint32_t src, uint32_t dst)
{
    uint32_t width = 0;
    for (uint32_t p = 0; p < crl_topology_ports(b->topology); p++)
        width += crl_topology_neighbor(b->topology, src, p) == dst;
    return width;
}

static void judge_numbers(struct brute *b)
{
    uint32_t nodes = crl_topology_nodes(b->topology);
    for (size_t i = 0; i < b->rows; i++) {
        const struct crl_move *m = &b->row[i];
        size_t before = b->count;
        if (!m->slot) find(b, CRL_FINDING_RANGE_SLOT, i, "but slots count from 1");
        if (m->src >= nodes || m->dst >= nodes) find(b, CRL_FINDING_RANGE_NODE, i, "but nodes are 0 to %u", nodes - 1);
        if (!is_packet(b, m->origin, m->dest)) find(b, CRL_FINDING_RANGE_PACKET, i, "but there is no such packet");
        if (b->count == before && !width_of(b, m->src, m->dst))
            find(b, CRL_FINDING_NO_LINK, i, "but there is no such link");
        b->bad[i] = b->count != before;
    }
}

static bool same_packet(const struct crl_move *a, const struct crl_move *b)
{
    return a->origin == b->origin && a->dest == b->dest;
}

// Of the rows of its slot before it that use its link.
static void judge_link(struct brute *b, size_t i)
{
    const struct crl_move *m = &b->row[i];
    uint32_t room = b->problem->ports == CRL_PORTS_SINGLE ? 1 : width_of(b, m->src, m->dst), packets = 1;
    bool twice = false;
    for (size_t k = 0; k < i; k++) {
        const struct crl_move *q = &b->row[k];
        if (b->bad[k] || q->slot != m->slot || q->src != m->src || q->dst != m->dst) continue;
        twice |= same_packet(q, m);
        packets += !k || !unit_same_move(q, q - 1);
    }
    if (twice) find(b, CRL_FINDING_DUPLICATE_ROW, i, "but an earlier row says so already");
    else if (packets > room)
        find(b, CRL_FINDING_LINK_CONFLICT, i, "%s",
             room > 1 ? "but as many packets as it is wide use that link already"
                      : "but another packet uses that link");
}

static uint32_t arrival(const struct brute *b, size_t i)
{
    const struct crl_move *m = &b->row[i];
    return m->slot - 1 + crl_topology_link_latency(b->topology, m->src, m->dst);
}

static bool is_apart(const struct brute *b)
{
    return crl_topology_latency_min(b->topology) != crl_topology_latency_max(b->topology);
}

// Of single-port nodes.
static void judge_ports(struct brute *b, size_t i)
{
    const struct crl_move *m = &b->row[i];
    const struct crl_move *out = NULL, *in = NULL; // the last row before it that is of the same slot there
    for (size_t k = 0; k < i; k++) {
        const struct crl_move *q = &b->row[k];
        if (b->bad[k]) continue;
        if (q->slot == m->slot && q->src == m->src) out = q;
        if (arrival(b, k) == arrival(b, i) && q->dst == m->dst) in = q;
    }
    if (out && out->dst != m->dst) find(b, CRL_FINDING_SEND_CONFLICT, i, "and also to node %u", out->dst);
    if (!in || in->src == m->src) return;
    if (is_apart(b))
        find(b, CRL_FINDING_RECEIVE_CONFLICT, i, "which also receives from node %u when that arrives, in slot %u",
             in->src, arrival(b, i));
    else find(b, CRL_FINDING_RECEIVE_CONFLICT, i, "which also receives from node %u", in->src);
}

// ---- packets

// The row that brings the packet of m first to `node`; SIZE_MAX: none does.
static size_t first_arrival(const struct brute *b, const struct crl_move *m, uint32_t node)
{
    size_t first = SIZE_MAX;
    for (size_t k = 0; k < b->rows; k++)
        if (!b->bad[k] && same_packet(&b->row[k], m) && b->row[k].dst == node &&
            (first == SIZE_MAX || arrival(b, k) < arrival(b, first)))
            first = k;
    return first;
}

// Whether what row i brings is wanted where it goes or, by a later row, from there on.
static bool is_needed(const struct brute *b, size_t i)
{
    const struct crl_move *m = &b->row[i];
    if (crl_problem_wants(b->problem, m->origin, m->dest, m->dst)) return true;
    for (size_t k = i + 1; k < b->rows; k++)
        if (!b->bad[k] && same_packet(&b->row[k], m) && b->row[k].src == m->dst && is_needed(b, k)) return true;
    return false;
}

static void judge_packet(struct brute *b, size_t i)
{
    const struct crl_move *m = &b->row[i];
    size_t had = m->src == m->origin ? SIZE_MAX : first_arrival(b, m, m->src);
    if (had != SIZE_MAX && arrival(b, had) == m->slot) find(b, CRL_FINDING_SAME_SLOT, i, "but gets it in that slot");
    if (had != SIZE_MAX && arrival(b, had) > m->slot)
        find(b, CRL_FINDING_NOT_YET, i, "but gets it only in slot %u", arrival(b, had));
    if (had == SIZE_MAX && m->src != m->origin) find(b, CRL_FINDING_NEVER_HELD, i, "but never gets it");
    if (m->dst == m->origin || first_arrival(b, m, m->dst) != i)
        find(b, CRL_FINDING_REDUNDANT, i, "which already has it");
    if (!is_needed(b, i)) find(b, CRL_FINDING_USELESS, i, "which has no use for it");
}

static void judge_missing(struct brute *b)
{
    for (uint64_t p = 0; p < crl_problem_packets(b->problem); p++)
        for (uint32_t v = 0; v < crl_topology_nodes(b->topology); v++) {
            struct crl_move m = {0};
            char name[CRL_PACKET_NAME];
            crl_problem_packet(b->problem, p, &m.origin, &m.dest);
            if (v == m.origin || !crl_problem_wants(b->problem, m.origin, m.dest, v)) continue;
            if (first_arrival(b, &m, v) != SIZE_MAX) continue;
            crl_packet_name(b->schedule->naming, NULL, m.origin, m.dest, name);
            find(b, CRL_FINDING_MISSING, SIZE_MAX, "node %u never gets packet %s", v, name);
        }
}

static void judge(struct brute *b, const struct unit *u)
{
    *b = (struct brute){.problem = &u->problem,
                        .topology = u->topology,
                        .schedule = &u->schedule,
                        .row = u->schedule.moves,
                        .rows = u->schedule.count};
    assert_true(b->rows <= ROWS_MAX);
    judge_numbers(b);
    for (size_t i = 0; i < b->rows; i++) {
        if (b->bad[i]) continue;
        judge_link(b, i);
        if (b->problem->ports == CRL_PORTS_SINGLE) judge_ports(b, i);
        judge_packet(b, i);
    }
    judge_missing(b);
}

// ---- random rows

static void open_on(struct unit *u, const char *collective, const char *topology, enum crl_ports ports)
{
    memset(u, 0, sizeof *u);
    if (crl_topology_parse(&u->topology, topology, &u->diag)) fail_msg("%s", u->diag.text);
    assert_int_equal(crl_problem_init(&u->problem, collective, u->topology, 0, ports, &u->diag), 0);
    crl_schedule_init(&u->schedule, u->topology, crl_problem_naming(&u->problem), false);
}

// Mostly what is allowed, on a link from where the packet may be, in few slots.
static void add_random(struct unit *u, uint64_t *random)
{
    uint32_t nodes = crl_topology_nodes(u->topology), ports = crl_topology_ports(u->topology);
    struct crl_move m = {.slot = 1 + unit_below(random, 5)};
    crl_problem_packet(&u->problem, unit_below(random, crl_problem_packets(&u->problem)), &m.origin, &m.dest);
    m.src = unit_below(random, 3) ? m.origin : unit_below(random, nodes);
    for (uint32_t from = unit_below(random, ports), p = 0; p < ports; p++) {
        m.dst = crl_topology_neighbor(u->topology, m.src, (from + p) % ports);
        if (m.dst != CRL_NONE) break;
    }
    switch (unit_below(random, 40)) {
    case 0: m.slot = 0; break;
    case 1: m.src = nodes + unit_below(random, 3); break;
    case 2: m.dst = nodes + unit_below(random, 3); break;
    case 3: m.origin = nodes + unit_below(random, 3); break;
    case 4: m.dest = nodes + unit_below(random, 3); break;
    case 5: m.dst = unit_below(random, nodes); break;
    }
    unit_add(u, m.slot, m.src, m.dst, m.origin, m.dest);
    if (!unit_below(random, 12)) unit_add(u, m.slot, m.src, m.dst, m.origin, m.dest);
}

static void assert_found(const struct brute *b, const struct crl_report *report)
{
    size_t kinds, violations = 0;
    const struct crl_finding_kind *kind = crl_finding_kinds(&kinds);
    for (size_t i = 0; i < b->count; i++) {
        const struct found *f = &b->found[i];
        size_t due = 0, listed = 0;
        violations += kind[f->id].severity == CRL_VIOLATION;
        for (size_t k = 0; k < b->count; k++)
            due += b->found[k].id == f->id && b->found[k].row == f->row && !strcmp(b->found[k].text, f->text);
        for (size_t k = 0; k < report->count; k++) {
            const struct crl_finding *g = &report->findings[k];
            listed += g->kind == &kind[f->id] && g->row == f->row && !strcmp(g->text, f->text);
        }
        if (due != listed) fail_msg("%zu times, not %zu: row %u: %s", listed, due, (unsigned)f->row, f->text);
    }
    assert_int_equal(report->violations, violations);
    assert_int_equal(report->warnings, b->count - violations);
    assert_int_equal(report->count, b->count);
}

static void random_rows_are_told_word_by_word(void **state)
{
    (void)state;
    static const char *const collectives[] = {"multinode-broadcast", "total-exchange", "broadcast", "gather"};
    static const char *const topologies[] = {"graph:" CRL_GOLDEN_DIR "/../unit/wide.graph",
                                             "graph:" CRL_GOLDEN_DIR "/../unit/late.graph", "hypercube:2", "star:4"};
    static struct brute b;
    uint64_t random = 81, seen[CRL_FINDINGS] = {0};
    for (uint32_t round = 0; round < 2400; round++) {
        struct unit u;
        struct crl_report report;
        open_on(&u, collectives[round % 4], topologies[round / 4 % 3],
                round / 12 % 2 ? CRL_PORTS_SINGLE : CRL_PORTS_ALL);
        for (uint32_t rows = unit_below(&random, ROWS_MAX / 2); rows; rows--) add_random(&u, &random);
        int error = crl_check_on(&report, &u.schedule, &u.problem, 1 + round % 3, &u.diag);
        judge(&b, &u);
        assert_found(&b, &report);
        assert_int_equal(error, report.violations ? CRL_ERR_RULE : 0);
        for (size_t i = 0; i < b.count; i++) seen[b.found[i].id]++;
        crl_report_done(&report);
        unit_close(&u);
    }
    static const enum crl_finding_id ids[] = {
        CRL_FINDING_RANGE_SLOT,    CRL_FINDING_RANGE_NODE,    CRL_FINDING_RANGE_PACKET,     CRL_FINDING_NO_LINK,
        CRL_FINDING_DUPLICATE_ROW, CRL_FINDING_LINK_CONFLICT, CRL_FINDING_SEND_CONFLICT,    CRL_FINDING_NEVER_HELD,
        CRL_FINDING_SAME_SLOT,     CRL_FINDING_NOT_YET,       CRL_FINDING_RECEIVE_CONFLICT, CRL_FINDING_REDUNDANT,
        CRL_FINDING_USELESS,       CRL_FINDING_MISSING};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) assert_true(seen[ids[i]] > 50);
}

// ---- what the report says beside its list

static void misfit_is(struct unit *u, const char *text)
{
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct crl_report report;
        assert_int_equal(crl_check_on(&report, &u->schedule, &u->problem, threads, &u->diag), CRL_ERR_RULE);
        assert_string_equal(report.misfit, text);
        crl_report_done(&report);
    }
}

static void another_topologys_schedule_is_told(void **state)
{
    (void)state;
    struct unit u;
    // Rows from and to nodes that there are not; the highest in the first slot. Nine are enough among any number, three
    // if they are half of all.
    unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    for (uint32_t i = 0; i < 2; i++) unit_add(&u, 1 + i, i % 2 ? 4 : 10 - i, i % 2 ? 12 - i : 0, 0, 0);
    misfit_is(&u, "");
    unit_add(&u, 3, 8, 0, 0, 0);
    misfit_is(&u, "rows name nodes up to 11, but hypercube:2 has 4: is the topology right?");
    for (uint32_t i = 0; i < 30; i++) unit_add(&u, 10 + i, i % 4, i % 4 ^ 1, i % 4, 0);
    misfit_is(&u, "");
    for (uint32_t i = 3; i < 8; i++) unit_add(&u, 1 + i, i % 2 ? 4 : 10 - i, i % 2 ? 12 - i : 0, 0, 0);
    misfit_is(&u, "");
    unit_add(&u, 9, 1, 4, 1, 0);
    misfit_is(&u, "rows name nodes up to 11, but hypercube:2 has 4: is the topology right?");
    unit_add(&u, 9, 13, 4, 1, 0);
    misfit_is(&u, "rows name nodes up to 13, but hypercube:2 has 4: is the topology right?");
    unit_close(&u);
    unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    for (uint32_t i = 0; i < 30; i++) unit_add(&u, 10 + i, i % 4, i % 4 ^ 1, i % 4, 0);
    for (uint32_t i = 0; i < 8; i++) unit_add(&u, 1 + i, i % 4, 3 - i % 4, i % 4, 0);
    misfit_is(&u, "");
    unit_add(&u, 9, 3, 0, 3, 0);
    misfit_is(&u, "9 rows use links that hypercube:2 does not have: is the topology right?");
    unit_add(&u, 9, 0, 4, 0, 0);
    misfit_is(&u, "rows name nodes up to 4, but hypercube:2 has 4: is the topology right?");
    unit_close(&u);
}

static void rows_of_node_0_alone_may_be_relative(void **state)
{
    (void)state;
    for (uint32_t other = 0; other < 4; other++) { // node that sends, too; 0: none
        struct unit u;
        unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
        unit_add(&u, 1, 0, 1, 0, 0);
        misfit_is(&u, ""); // one row is too few to tell
        unit_add(&u, 1, other, other ^ 2, other, 0);
        misfit_is(&u, other ? "" : "all rows are of node 0: is it a relative schedule? Say --relative");
        unit_close(&u);
        unit_open(&u, "broadcast", 2, 0, CRL_PORTS_ALL); // nodes look different
        unit_add(&u, 1, 0, 1, 0, 0);
        unit_add(&u, 1, 0, 2, 0, 0);
        misfit_is(&u, "");
        unit_close(&u);
    }
    struct unit u;
    unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    for (uint32_t v = 1; v < 4; v++) unit_add(&u, 1, v, v ^ 1, v, 0); // all but node 0
    misfit_is(&u, "");
    unit_close(&u);
}

static void nothing_sent_uses_nothing(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    unit_open(&u, "total-exchange", 2, 0, CRL_PORTS_ALL);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_true(report.utilization == 0);
    crl_report_done(&report);
    unit_add(&u, 4, 0, 1, 0, 1);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_true(report.utilization == 1.0 / (4 * 8)); // of eight links in four slots
    crl_report_done(&report);
    unit_close(&u);
}

// A list in which every node does the same is judged as if it were one node's, but its own rows are named.
static void a_list_of_alike_nodes_is_judged_row_by_row(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    char text[512] = "slot,src,dst,packet\n";
    for (uint32_t v = 0; v < 4; v++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "1,%u,%u,%u\n2,%u,%u,%u\n", v, v ^ 1, v, v, v ^ 1, v);
    FILE *file = unit_file(text, strlen(text));
    unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
    assert_int_equal(crl_schedule_read_csv(&u.schedule, file, "x", NULL), 0);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    assert_int_equal(report.violations, 8); // each node lacks two packets
    assert_int_equal(report.warnings, 4);   // and gets one twice
    assert_int_equal(report.count, 12);
    for (uint32_t v = 0; v < 4; v++) {
        char said[160];
        const struct crl_finding *f = &report.findings[8 + v];
        snprintf(said, sizeof said, "slot 2: node %u sends packet %u to node %u, which already has it", v, v, v ^ 1);
        assert_string_equal(f->text, said);
        assert_int_equal(f->row, 3 + 2 * v);
    }
    crl_report_done(&report);
    fclose(file);
    unit_close(&u);
}

// What is outside everything is said once: that it is not node 0's comes only where nothing else is wrong.
static void a_relative_row_is_blamed_for_one_thing(void **state)
{
    (void)state;
    for (uint32_t wrong = 0; wrong < 4; wrong++) { // nothing, the slot, the node, the packet
        static const char *const ids[] = {"relative-src", "range-slot", "range-node", "range-packet"};
        struct unit u;
        struct crl_report report;
        unit_open(&u, "multinode-broadcast", 2, 0, CRL_PORTS_ALL);
        u.schedule.folded = true;
        unit_add(&u, 1, 0, 1, 0, 0);
        unit_add(&u, 1, 0, 2, 0, 0);
        unit_add(&u, 2, 0, 2, 1, 0);
        unit_add(&u, wrong == 1 ? 0 : 3, 1, wrong == 2 ? 7 : 3, wrong == 3 ? 9 : 0, 0);
        assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
        assert_int_equal(report.count, 1);
        assert_string_equal(report.findings[0].kind->id, ids[wrong]);
        crl_report_done(&report);
        unit_close(&u);
    }
}

// ---- sums

static void open_sums(struct unit *u, const char *collective, const char *topology, uint32_t chunks)
{
    open_on(u, collective, topology, CRL_PORTS_ALL);
    assert_int_equal(crl_problem_set_chunks(&u->problem, chunks, &u->diag), 0);
}

// Of one chunk all nodes add in different orders, of the others not. There are so many that threads share them.
static void one_chunk_whose_bits_differ_is_enough(void **state)
{
    (void)state;
    enum { CHUNKS = 48 };
    static const uint32_t odd[] = {0, 31, 32, CHUNKS - 1, CHUNKS}; // the last: none
    uint64_t hash[sizeof odd / sizeof *odd] = {0};
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            struct unit u;
            struct crl_report report;
            open_sums(&u, "all-reduce", "complete:4", CHUNKS);
            for (uint32_t c = 0; c < CHUNKS; c++)
                for (uint32_t v = 0; v < 4; v++)
                    for (uint32_t w = 0; w < 4; w++)
                        if (v != w && (c == odd[i] || !w || !v))
                            unit_add(&u, 1 + c + (c == odd[i] || !w ? 0 : CHUNKS), v, w, c, 0);
            assert_int_equal(crl_check_on(&report, &u.schedule, &u.problem, threads, &u.diag), 0);
            assert_int_equal(report.bits_differ, odd[i] < CHUNKS);
            if (threads == 1) hash[i] = report.sum_hash;
            assert_true(report.sum_hash == hash[i]);
            assert_true(!i || hash[i] != hash[i - 1]);
            crl_report_done(&report);
            unit_close(&u);
        }
}

// The whole sum comes back to a node that has sent its value away: for nothing, but nothing is lost.
static void a_complete_sum_is_never_left_behind(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    unit_open(&u, "reduce", 1, 0, CRL_PORTS_ALL);
    unit_add(&u, 1, 1, 0, 0, 0);
    unit_add(&u, 2, 0, 1, 0, 0);
    unit_check(&u, &report);
    assert_int_equal(report.count, 1);
    assert_string_equal(report.findings[0].kind->id, "useless");
    assert_string_equal(report.findings[0].text, "slot 2: node 0 sends packet 0 to node 1, which has no use for it");
    crl_report_done(&report);
    unit_close(&u);
}

// Everybody gets a value as it gives its own away: more than are listed, so the list has those of the lowest nodes.
static void the_first_arrivals_of_a_slot_are_listed(void **state)
{
    (void)state;
    struct unit u;
    struct crl_report report;
    uint32_t listed = 0;
    unit_open(&u, "reduce", 7, 0, CRL_PORTS_ALL);
    for (uint32_t v = 0; v < 128; v++) unit_add(&u, 1, v, v ^ 1, 0, 0);
    assert_int_equal(unit_check(&u, &report), CRL_ERR_RULE);
    for (size_t i = 0; i < report.count; i++) {
        const struct crl_finding *f = &report.findings[i];
        if (strcmp(f->kind->id, "left-behind")) continue;
        assert_true(f->row >= 1 && f->row <= 128);
        assert_in_range(u.schedule.moves[f->row - 1].dst, 1, CRL_FINDINGS_LISTED);
        listed++;
    }
    assert_int_equal(listed, CRL_FINDINGS_LISTED);
    crl_report_done(&report);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows_are_told_word_by_word),
        cmocka_unit_test(another_topologys_schedule_is_told),
        cmocka_unit_test(rows_of_node_0_alone_may_be_relative),
        cmocka_unit_test(nothing_sent_uses_nothing),
        cmocka_unit_test(a_list_of_alike_nodes_is_judged_row_by_row),
        cmocka_unit_test(a_relative_row_is_blamed_for_one_thing),
        cmocka_unit_test(one_chunk_whose_bits_differ_is_enough),
        cmocka_unit_test(a_complete_sum_is_never_left_behind),
        cmocka_unit_test(the_first_arrivals_of_a_slot_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
