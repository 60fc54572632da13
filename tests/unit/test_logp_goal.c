// SPDX-License-Identifier: Apache-2.0
// GOAL export, played by a small simulator of its own: what LogGOPSim would do with L, o and g.
#include "unit_logp.h"

enum { RANKS = 40, OPS = 400 };
enum kind { SEND, RECV, CALC };

struct op {
    enum kind kind;
    unsigned peer, tag, needs[OPS];
    uint64_t length, done;
    int need_count;
    bool is_done;
};
static struct op ops[RANKS][OPS];
static char labels[RANKS][OPS][12];
static int op_count[RANKS];

static int find(int rank, const char *label)
{
    for (int i = 0; i < op_count[rank]; i++)
        if (!strcmp(labels[rank][i], label)) return i;
    fail_msg("rank %d: no label %s", rank, label);
    return -1;
}

// Every line must be one of the forms that txt2bin's grammar has.
static unsigned parse(FILE *file)
{
    char line[200], label[12], other[12], end;
    unsigned ranks = 0, number, tag;
    int rank = -1;
    memset(ops, 0, sizeof ops);
    memset(op_count, 0, sizeof op_count);
    while (fgets(line, sizeof line, file)) {
        struct op *op = rank >= 0 ? &ops[rank][op_count[rank]] : NULL;
        if (!strncmp(line, "//", 2) || !strcmp(line, "\n")) continue;
        if (sscanf(line, "num_ranks %u%c", &number, &end) == 2) ranks = number;
        else if (sscanf(line, "rank %u {%c", &number, &end) == 2) rank = (int)number;
        else if (!strcmp(line, "}\n")) rank = -1;
        else if (op && sscanf(line, "%11[a-z0-9]: send 1b to %u tag %u%c", label, &number, &tag, &end) == 4) {
            *op = (struct op){.kind = SEND, .peer = number, .tag = tag};
            strcpy(labels[rank][op_count[rank]++], label);
        } else if (op && sscanf(line, "%11[a-z0-9]: recv 1b from %u tag %u%c", label, &number, &tag, &end) == 4) {
            *op = (struct op){.kind = RECV, .peer = number, .tag = tag};
            strcpy(labels[rank][op_count[rank]++], label);
        } else if (op && sscanf(line, "%11[a-z0-9]: calc %u cpu 1%c", label, &number, &end) == 3) {
            *op = (struct op){.kind = CALC, .length = number};
            strcpy(labels[rank][op_count[rank]++], label);
        } else if (op && sscanf(line, "%11[a-z0-9] requires %11[a-z0-9]%c", label, other, &end) == 3) {
            op = &ops[rank][find(rank, label)];
            op->needs[op->need_count++] = (unsigned)find(rank, other);
        } else {
            fail_msg("not GOAL: %s", line);
        }
    }
    return ranks;
}

// Repeats over all operations until none can be done: sends start when what they need is done and the gap is over;
// a reception is done when the first message from its peer with its tag that no other took has come.
static uint64_t play(unsigned ranks, const struct crl_logp *m)
{
    static bool taken[RANKS][OPS];
    uint64_t next_send[RANKS] = {0}, end = 0, spacing = m->g > m->o ? m->g : m->o;
    memset(taken, 0, sizeof taken);
    for (bool again = true; again;) {
        again = false;
        for (unsigned r = 0; r < ranks; r++)
            for (int i = 0; i < op_count[r]; i++) {
                struct op *op = &ops[r][i];
                uint64_t ready = 0;
                bool can = !op->is_done;
                for (int n = 0; n < op->need_count; n++) {
                    can &= ops[r][op->needs[n]].is_done;
                    if (ops[r][op->needs[n]].done > ready) ready = ops[r][op->needs[n]].done;
                }
                if (!can) continue;
                if (op->kind == CALC) op->done = ready + op->length;
                if (op->kind == SEND) {
                    uint64_t start = ready > next_send[r] ? ready : next_send[r];
                    next_send[r] = start + spacing;
                    op->done = start + m->o;
                }
                if (op->kind == RECV) {
                    int k = 0;
                    while (k < op_count[op->peer] &&
                           !(ops[op->peer][k].kind == SEND && ops[op->peer][k].is_done && !taken[op->peer][k] &&
                             ops[op->peer][k].peer == r && ops[op->peer][k].tag == op->tag))
                        k++;
                    if (k == op_count[op->peer]) continue;
                    taken[op->peer][k] = true;
                    op->done = ops[op->peer][k].done + m->L + m->o;
                    if (op->done > end) end = op->done;
                }
                op->is_done = again = true;
            }
    }
    for (unsigned r = 0; r < ranks; r++)
        for (int i = 0; i < op_count[r]; i++) assert_true(ops[r][i].is_done);
    return end;
}

static void goal_text_plays_as_long_as_the_schedule(void **state)
{
    (void)state;
    static const struct {
        const char *name, *machine;
        uint32_t items, time;
    } cases[] = {
        {"broadcast", "logp:P=8,L=6,o=2,g=4", 0, 0},
        {"summation", "logp:P=8,L=5,o=2,g=4", 0, 28},
        {"k-item-broadcast", "logp:P=10,L=3", 8, 0},
        {"continuous-broadcast", "logp:P=14,L=2,g=3", 9, 0},
        {"all-to-all-personalized", "logp:P=7,L=4,o=2,g=3", 0, 0},
        {"combining-broadcast", "logp:P=12,L=3", 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct unit_logp u;
        logp_open(&u, cases[c].machine, cases[c].name);
        u.problem.items = cases[c].items;
        u.problem.time = cases[c].time;
        assert_int_equal(logp_plan(&u, NULL), 0);
        FILE *file = tmpfile();
        assert_int_equal(crl_logp_write_goal(&u.schedule, &u.problem, file, &u.diag), 0);
        rewind(file);
        unsigned ranks = parse(file);
        fclose(file);
        assert_int_equal(ranks, u.problem.machine.P);
        assert_int_equal(play(ranks, &u.problem.machine), u.report.common.slots);
        logp_close(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goal_text_plays_as_long_as_the_schedule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
