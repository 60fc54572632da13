// SPDX-License-Identifier: Apache-2.0
// Random tables of LogP machines, such as no algorithm would make but the format allows: RTL and model must send the
// same in every cycle, see the same faults and hold the same words at the end.
//
// Allowed: at most two words arrive at a processor at once, the holding register is filled when it is empty and taken
// when it is full, the bank is not read in the row after the one that wrote there, and what leaves is a word that is
// known. In every table one thing that is not allowed may happen, at random: a row expects what does not come, sends to
// a processor that there is none, or is the third to send to one at once, which then keeps the first word only. The
// guards must agree.
//
// usage: random_logp_tables RUNS [SEED]    RUNS of each machine
#include "machine/logp/plan.h"
#include "machine/logp/check.h"
#include "machine/logp/play.h"
#include "machine/logp/image.h"
#include "random_tables.h"
#include <stdlib.h>
#include <string.h>

// A schedule that gives the machine, the size of the tables, and the words there are at first.
struct subject {
    const char *machine, *problem;
    uint32_t time, words;
    enum crl_op op;
    struct crl_logp_image image;
};

enum { P_MAX = 16, ROWS_MAX = 256, ADDRESSES_MAX = 256 };

// What the rows before have left at a processor: which words both sides know.
struct past {
    bool last, part, total, held, full, wrote;
    bool stored[ADDRESSES_MAX];
    uint32_t wrote_at;
};

// What may happen that is not allowed.
enum { ASTRAY, NOBODY, CROWD, KINDS };

static struct past past[P_MAX];
static unsigned kind;
static uint64_t seen[KINDS];            // runs with a fault of the kind
static uint8_t coming[P_MAX][ROWS_MAX]; // words that arrive in a row

static void prepare(struct subject *s)
{
    struct crl_diag diag = {0};
    struct crl_logp machine;
    struct crl_logp_problem problem;
    struct crl_logp_schedule schedule = {0};
    struct crl_logp_report report;
    const struct crl_logp_algorithm *algorithm;
    if (crl_logp_parse(&machine, s->machine, &diag) || crl_logp_problem_init(&problem, s->problem, &machine, &diag))
        die(s->machine, &diag);
    problem.time = s->time;
    if (crl_logp_problem_ready(&problem, &diag) || crl_logp_algorithm_find(&algorithm, &problem, NULL, &diag) ||
        crl_logp_plan(&schedule, algorithm, &problem, &diag) || crl_logp_check(&report, &schedule, &problem, &diag) ||
        crl_logp_lower(&s->image, &schedule, &problem, report.time, "random", s->words, 32, &diag))
        die(s->problem, &diag);
    own_rows(&s->image.store, machine.P, s->image.geometry.rows);
    crl_report_done(&report.common);
    crl_logp_schedule_done(&schedule);
    if (machine.P > P_MAX || s->image.geometry.rows > ROWS_MAX || s->image.geometry.addr_width > 8) abort();
}

static void begin(const struct crl_logp_image *image)
{
    memset(past, 0, sizeof past);
    memset(coming, 0, sizeof coming);
    for (uint32_t v = 0; v < image->problem.machine.P; v++)
        for (uint32_t i = 0; i < image->before[v].count; i++) past[v].stored[image->before[v].place[i].addr] = true;
}

// An address to read: mostly one with a word that is known, never that of the row before.
static uint32_t pick_word(const struct past *p, uint32_t addresses)
{
    const bool any = !below(4);
    for (uint32_t i = 0, first = below(addresses); i < addresses; i++) {
        const uint32_t addr = (first + i) % addresses;
        if ((any || p->stored[addr]) && !(p->wrote && p->wrote_at == addr)) return addr;
    }
    return p->wrote && !p->wrote_at;
}

static uint32_t pick_send(const struct crl_logp_image *image, uint32_t v, uint32_t number)
{
    const struct crl_logp *m = &image->problem.machine;
    const uint32_t names = UINT32_C(1) << image->geometry.name_width, most = kind == CROWD ? 3 : 2;
    const uint32_t dest = kind == CROWD && below(2) ? number % m->P : below(m->P);
    if (kind == NOBODY && names > m->P && !below(40)) return m->P + below(names - m->P);
    if (!below(3) || number + m->L >= image->geometry.rows || dest == v || coming[dest][number + m->L] >= most)
        return CRL_NONE;
    return dest;
}

// Whether an accumulator is known after this row.
static bool accumulates(uint32_t act, bool held, bool operand)
{
    return !(act & 1) ? held : operand && (held || !(act & 2));
}

static void make_row(const struct crl_logp_image *image, uint32_t v, uint32_t number, struct crl_logp_row *row)
{
    const struct crl_logp_geometry *g = &image->geometry;
    struct past *p = &past[v];
    const uint32_t came = coming[v][number], addresses = UINT32_C(1) << g->addr_width;
    const bool ends = number + 1 == g->rows; // the next round finds the holding register empty
    memset(row, 0, sizeof *row);
    const bool crowd = came == 3;
    row->expect = came >= 2 ? 3 : came;
    const bool astray = kind == ASTRAY && !below(500);
    if (astray) row->expect ^= 1 + below(3);
    row->held = p->full && (ends || below(2));
    row->swap = !row->held && came == 2 && below(2);
    row->hold = !astray && !crowd && came && !ends && (!p->full || row->held) && below(2);
    const bool taken = row->held ? p->held : came && !astray, last = p->last;
    p->full = row->hold || (p->full && !row->held);
    if (row->hold) p->held = true;
    p->last = taken;

    row->raddr = pick_word(p, addresses);
    const bool stored = p->stored[row->raddr];
    row->operand = below(2);
    row->part = below(4);
    row->total = below(4);
    const bool operand = row->operand ? stored : taken;
    p->part = accumulates(row->part, p->part, operand);
    p->total = accumulates(row->total, p->total, operand);
    row->store = !ends && below(2);
    row->store_total = below(2);
    row->waddr = below(addresses);
    p->wrote = row->store;
    p->wrote_at = row->waddr;
    if (row->store) p->stored[row->waddr] = row->store_total ? p->total : taken;

    row->what = below(8);
    const bool known = row->what & 4   ? (row->what & 1 ? p->total : p->part)
                       : row->what & 2 ? last
                       : row->what & 1 ? taken
                                       : stored;
    const uint32_t dest = pick_send(image, v, number);
    row->send = known && dest != CRL_NONE;
    row->dest = dest == CRL_NONE ? 0 : dest;
    if (!row->send) return;
    if (dest < image->problem.machine.P) coming[dest][number + image->problem.machine.L]++;
    sent++;
}

static void make_tables(struct subject *s)
{
    struct crl_logp_image *image = &s->image;
    begin(image);
    kind = below(KINDS);
    for (uint32_t r = 0; r < image->geometry.rows; r++)
        for (uint32_t v = 0; v < image->problem.machine.P; v++) {
            struct crl_logp_row row;
            make_row(image, v, r, &row);
            crl_logp_row_pack(&image->geometry, &row,
                              image->store.bits + ((size_t)v * image->geometry.rows + r) * image->store.row_words);
        }
}

static bool same_memories(const struct subject *s, struct crl_logp_model *model, struct crl_rtl *engine)
{
    for (uint32_t v = 0; v < s->image.problem.machine.P; v++)
        for (uint32_t i = 0; i < s->image.after[v].count; i++) {
            const uint32_t addr = s->image.after[v].place[i].addr;
            if (past[v].stored[addr] && crl_logp_model_memory(model, v, s->words - 1, addr) !=
                                            crl_rtl_logp_memory(engine, v, s->words - 1, addr))
                return false;
        }
    return true;
}

static bool play(const struct subject *s, uint64_t seed)
{
    struct crl_diag diag = {0};
    struct crl_logp_model *model = NULL;
    struct crl_rtl *engine = NULL;
    struct crl_rtl_options options = {.seed = seed, .threads = 1};
    struct crl_compared compared;
    const char *names[] = {"model", "rtl"};
    const uint32_t P = s->image.problem.machine.P;
    char text[160];
    if (crl_logp_model_new(&model, &s->image, s->op, seed, &diag) ||
        crl_rtl_logp_new(&engine, &s->image, s->op, &options, &diag))
        die("engine", &diag);
    struct crl_player players[] = {crl_logp_model_player(model), crl_rtl_player(engine)};
    if (crl_compare(&compared, players, names, 2, P, P, NULL, NULL, NULL, &diag)) die("compare", &diag);
    if (!compared.mismatches && crl_rtl_finish(engine, &diag)) die("finish", &diag);
    const struct crl_logp_faults f = crl_logp_model_faults(model);
    const bool model_faults = f.missing + f.unexpected + f.hold + f.conflict + f.outside + f.parity > 0,
               rtl_faults = crl_rtl_faults(engine, text) > 0;
    const char *wrong = compared.mismatches               ? "links differ"
                        : model_faults != rtl_faults      ? "faults differ"
                        : same_memories(s, model, engine) ? NULL
                                                          : "memories differ";
    faulty += rtl_faults;
    seen[kind] += rtl_faults;
    if (wrong) printf("%s on %s, seed %llu: %s\n", s->problem, s->machine, (unsigned long long)seed, wrong);
    crl_logp_model_free(model);
    crl_rtl_free(engine);
    return !wrong;
}

int main(int argc, char **argv)
{
    static struct subject subjects[] = {
        {.machine = "logp:P=8,L=6,o=2,g=4", .problem = "broadcast", .words = 2},
        {.machine = "logp:P=7,L=4", .problem = "all-to-all-broadcast", .words = 1, .op = CRL_OP_XOR},
        {.machine = "logp:P=9,L=3", .problem = "combining-broadcast", .words = 2, .op = CRL_OP_MIN},
        {.machine = "logp:P=8,L=5,o=2,g=4", .problem = "summation", .time = 28, .words = 1},
        {.machine = "logp:P=5,L=1,o=1,g=2", .problem = "all-to-all-personalized", .words = 3, .op = CRL_OP_MAX},
    };
    const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const size_t machines = sizeof subjects / sizeof *subjects;
    unsigned wrong = 0;
    if (!runs) return 2;
    for (size_t i = 0; i < machines; i++) {
        prepare(&subjects[i]);
        for (uint64_t k = 0; k < runs; k++) {
            const uint64_t seed = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) + k;
            state = seed * 77 + i;
            make_tables(&subjects[i]);
            wrong += !play(&subjects[i], seed);
        }
        crl_logp_image_done(&subjects[i].image);
    }
    printf("%llu tables of each of %zu machines, %llu departures, %llu runs with faults (%llu astray, %llu to nobody, "
           "%llu crowds), %u wrong\n",
           (unsigned long long)runs, machines, (unsigned long long)sent, (unsigned long long)faulty,
           (unsigned long long)seen[ASTRAY], (unsigned long long)seen[NOBODY], (unsigned long long)seen[CROWD], wrong);
    const bool all = seen[ASTRAY] && seen[NOBODY] && seen[CROWD];
    return wrong || !faulty || faulty == runs * machines || (runs >= 20 && !all);
}
