// SPDX-License-Identifier: Apache-2.0
// What cables must hold: two boards play their rows in every order that there is, and what is seen is what the tables
// say.
#include "schedule/cables.h"
#include "problem/problem.h"
#include "unit.h"
#include <unistd.h>

enum { ROUNDS = 4, UNLIMITED = 1000000 };

// What one direction of a cable carries: rows played before each word is sent, and taken, of all rounds.
struct track {
    uint32_t from, count, *sent, *taken;
};

static struct track track_of(const struct crl_schedule *s, const struct crl_cable *c)
{
    const struct crl_boards *b = crl_topology_boards(s->topology);
    uint32_t rows = crl_schedule_slots(s);
    struct track k = {.from = c->from};
    k.sent = malloc(sizeof *k.sent * s->count * ROUNDS);
    k.taken = malloc(sizeof *k.taken * s->count * ROUNDS);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < s->count; i++) {
            const struct crl_move *m = &s->moves[i];
            if (b->of[m->src] != c->from || b->of[m->dst] != c->to ||
                (c->src != CRL_NONE && (c->src != m->src || c->dst != m->dst)))
                continue;
            k.sent[k.count] = round * rows + m->slot;
            k.taken[k.count++] = round * rows + m->slot + crl_topology_link_latency(s->topology, m->src, m->dst) - 1;
        }
    return k;
}

static uint32_t upto(const uint32_t *rows, uint32_t count, uint32_t played)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += rows[i] <= played;
    return sum;
}

// Whether board x can play its next row.
static bool steps(const struct track *k, uint32_t cables, const uint32_t *room, const uint32_t played[2], uint32_t x)
{
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t next = played[x] + 1, sent = upto(k[i].sent, k[i].count, k[i].from == x ? next : played[!x]);
        if (k[i].from != x && upto(k[i].taken, k[i].count, next) > sent) return false;
        if (k[i].from == x && sent > upto(k[i].sent, k[i].count, played[x]) &&
            sent - upto(k[i].taken, k[i].count, played[!x]) > room[i])
            return false;
    }
    return true;
}

// All states that can be reached; false if in one of them nobody can go on. peak: the most in each cable.
static bool exhaust(const struct track *k, uint32_t cables, uint32_t rows, const uint32_t *room, uint32_t *peak)
{
    uint32_t side = ROUNDS * rows + 1;
    bool *reached = calloc((size_t)side * side, sizeof *reached), live = true;
    reached[0] = true;
    memset(peak, 0, sizeof *peak * cables);
    for (uint32_t a = 0; a < side; a++)
        for (uint32_t b = 0; b < side; b++) {
            uint32_t played[2] = {a, b};
            if (!reached[(size_t)a * side + b]) continue;
            bool first = a + 1 < side && steps(k, cables, room, played, 0);
            bool second = b + 1 < side && steps(k, cables, room, played, 1);
            if (first) reached[(size_t)(a + 1) * side + b] = true;
            if (second) reached[(size_t)a * side + b + 1] = true;
            live &= first || second || a + b + 2 == 2 * side;
            for (uint32_t i = 0; i < cables; i++) {
                uint32_t in =
                    upto(k[i].sent, k[i].count, played[k[i].from]) - upto(k[i].taken, k[i].count, played[!k[i].from]);
                if (in > peak[i]) peak[i] = in;
            }
        }
    free(reached);
    return live;
}

static void judge(const char *collective, const char *topology)
{
    struct unit u;
    const struct crl_algorithm *algorithm;
    struct crl_cable *c;
    uint32_t count, room[64], peak[64];
    memset(&u, 0, sizeof u);
    assert_int_equal(crl_topology_parse(&u.topology, topology, &u.diag), 0);
    assert_int_equal(crl_problem_init(&u.problem, collective, u.topology, 0, CRL_PORTS_ALL, &u.diag), 0);
    u.problem.effort = 1;
    crl_schedule_init(&u.schedule, u.topology, crl_problem_naming(&u.problem), false);
    assert_int_equal(crl_algorithm_find(&algorithm, &u.problem, NULL, &u.diag), 0);
    assert_int_equal(crl_plan(&u.schedule, algorithm, &u.problem, &u.diag), 0);
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    assert_int_equal(crl_cables_list(&c, &count, &u.schedule), 0);
    assert_in_range(count, 2, 64);
    struct track track[64];
    for (uint32_t i = 0; i < count; i++) track[i] = track_of(&u.schedule, &c[i]);
    uint32_t rows = crl_schedule_slots(&u.schedule);
    assert_in_range(rows, 1, 60);
    // As many words as the plan has under way are enough, and one less in each cable locks up.
    for (uint32_t i = 0; i < count; i++) room[i] = c[i].under_way;
    assert_true(exhaust(track, count, rows, room, peak));
    for (uint32_t i = 0; i < count; i++) room[i] = c[i].under_way - 1;
    assert_false(exhaust(track, count, rows, room, peak));
    // Without limits just the most is seen.
    for (uint32_t i = 0; i < count; i++) room[i] = UNLIMITED;
    assert_true(exhaust(track, count, rows, room, peak));
    printf("%s on %s: %u slots;", collective, topology, rows);
    for (uint32_t i = 0; i < count; i++) printf(" %u of %u/%u/%u", c[i].words, c[i].under_way, c[i].most, peak[i]);
    printf("\n");
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(peak[i], c[i].most);
        assert_true(c[i].depth > c[i].most && !(c[i].depth & (c[i].depth - 1)));
        free(track[i].sent);
        free(track[i].taken);
    }
    free(c);
    unit_close(&u);
}

static void two_boards_hold_what_is_said(void **state)
{
    (void)state;
    judge("total-exchange", "hypercube:3 boards 2 cable 20,each");
    judge("total-exchange", "hypercube:3 boards 2 cable 20");
    judge("total-exchange", "hypercube:3 boards 2 cable 9");
    judge("total-exchange", "hypercube:3 boards 2 cable 10,2");
    judge("total-exchange", "mesh:2x4 boards 1x2 cable 9,each");
    judge("multinode-broadcast", "hypercube:3 boards 2 cable 20,each");
    judge("all-reduce", "hypercube:3 boards 2 cable 20,each");
    judge("total-exchange", "mesh:2x4 boards 1x2 cable 12,each");
    judge("multinode-broadcast", "mesh:2x4 boards 1x2 cable 12,each");
    judge("total-exchange", "ring:8 boards 2 cable 12,each");
    judge("multinode-broadcast", "ring:8 boards 2 cable 12,each");
}

static void one_cable_between_two_rings(void **state)
{
    char path[] = "/tmp/carillon-boards-XXXXXX", name[120], boards[64];
    int fd = mkstemp(path);
    (void)state;
    FILE *file = fdopen(fd, "w");
    fputs("nodes 8\n0 1\n1 3\n3 2\n2 0\n4 5\n5 7\n7 6\n6 4\n0 4 1 20\n", file);
    fclose(file);
    snprintf(boards, sizeof boards, "%s.b", path);
    file = fopen(boards, "w");
    fputs("a: 0-3\nb: 4-7\n", file);
    fclose(file);
    snprintf(name, sizeof name, "graph:%s boards %s", path, boards);
    judge("total-exchange", name);
    judge("multinode-broadcast", name);
    unlink(path);
    unlink(boards);
}

// From one board to the other only, nothing ever says that a word was taken.
static void one_way_there_is_no_end(void **state)
{
    struct unit u;
    struct crl_cable *c;
    uint32_t count;
    (void)state;
    memset(&u, 0, sizeof u);
    assert_int_equal(crl_topology_parse(&u.topology, "path:2 boards 2 cable 20", &u.diag), 0);
    crl_schedule_init(&u.schedule, u.topology, CRL_NAMING_ORIGIN, false);
    assert_int_equal(crl_cables_list(&c, &count, &u.schedule), 0);
    free(c);
    assert_int_equal(crl_schedule_add(&u.schedule, (struct crl_move){1, 0, 1, 0, 0}), 0);
    assert_int_equal(crl_schedule_sort(&u.schedule), 0);
    assert_int_equal(crl_cables_list(&c, &count, &u.schedule), 0);
    assert_int_equal(count, 2);
    const struct crl_cable *way = &c[c[0].words ? 0 : 1];
    assert_int_equal(way->words, 1);
    assert_int_equal(way->under_way, 1);
    assert_int_equal(way->most, CRL_NONE);
    assert_int_equal(way->depth, 4); // 56 slots are three rounds at most
    free(c);
    unit_close(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_boards_hold_what_is_said),
        cmocka_unit_test(one_cable_between_two_rings),
        cmocka_unit_test(one_way_there_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
