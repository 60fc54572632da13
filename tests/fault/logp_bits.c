// SPDX-License-Identifier: Apache-2.0
// Alters every bit of small LogP tables behind the CRC's back and plays them in RTL and model. Each alteration must be
// caught by the guard (parity included), by the trace compare or by the result oracle; or lie in a field that its row
// marks unused; or change only what nobody looks at before it is written again.
//
// Twice, as in table_bits.c: with the bit alone altered, and with the row's parity made right again.
#include "../unit/unit_spread.h"
#include "machine/logp/plan.h"
#include "machine/logp/check.h"
#include "machine/logp/play.h"
#include "machine/logp/image.h"
#include <stdlib.h>
#include <string.h>

struct subject {
    struct crl_logp_schedule schedule;
    struct crl_logp_image image;
};

struct counts {
    unsigned guard, trace, oracle, unused, dead, missed;
};

static void die(const char *what, const struct crl_diag *diag)
{
    fprintf(stderr, "%s: %s\n", what, diag->text);
    exit(1);
}

static void prepare(struct subject *s, const char *algorithm, const char *machine_name, uint32_t time)
{
    struct crl_diag diag = {0};
    struct crl_logp machine;
    struct crl_logp_problem problem;
    const struct crl_logp_algorithm *row;
    struct crl_logp_report report;
    if (crl_logp_parse(&machine, machine_name, &diag) || crl_logp_problem_init(&problem, algorithm, &machine, &diag))
        die(algorithm, &diag);
    problem.time = time;
    if (crl_logp_problem_ready(&problem, &diag) || crl_logp_algorithm_find(&row, &problem, NULL, &diag) ||
        crl_logp_plan(&s->schedule, row, &problem, &diag) || crl_logp_check(&report, &s->schedule, &problem, &diag) ||
        crl_logp_lower(&s->image, &s->schedule, &problem, report.time, row->scheme, 1, 32, &diag))
        die(algorithm, &diag);
    crl_report_done(&report.common);
    unit_spread(&s->image.store, s->image.problem.machine.P, s->image.geometry.rows);
}

struct verdict {
    bool guard, trace, oracle;
};

// Plays with one engine. Guards speak even where the trace differs.
static struct verdict play(const struct subject *s, bool rtl)
{
    struct crl_diag diag = {0};
    struct verdict verdict = {0};
    struct crl_logp_expected *expected;
    struct crl_logp_model *model = NULL;
    struct crl_rtl *engine = NULL;
    struct crl_compared compared;
    const char *names[] = {"expected", "engine"};
    uint32_t P = s->image.problem.machine.P;
    if (crl_logp_expected_new(&expected, &s->schedule, &s->image, CRL_OP_ADD, 1, &diag)) die("expected", &diag);
    if (rtl ? crl_rtl_logp_new(&engine, &s->image, CRL_OP_ADD, &(struct crl_rtl_options){.seed = 1}, &diag)
            : crl_logp_model_new(&model, &s->image, CRL_OP_ADD, 1, &diag))
        die("engine", &diag);
    struct crl_player players[] = {crl_logp_expected_player(expected),
                                   rtl ? crl_rtl_player(engine) : crl_logp_model_player(model)};
    if (crl_compare(&compared, players, names, 2, P, P, NULL, NULL, NULL, &diag)) die("compare", &diag);
    verdict.trace = compared.mismatches;
    // The comparison stops at the first difference; the guard and the memories are looked at after the whole round.
    const uint32_t *valid;
    const uint64_t *data;
    int more = compared.mismatches ? 0 : 1;
    while (!more) more = players[1].step(players[1].self, &valid, &data);
    char text[160];
    if (rtl && crl_rtl_finish(engine, &diag)) die("finish", &diag);
    struct crl_logp_faults f = {0};
    if (!rtl) f = crl_logp_model_faults(model);
    verdict.guard = rtl ? crl_rtl_faults(engine, text) > 0
                        : f.missing + f.unexpected + f.hold + f.conflict + f.outside + f.parity > 0;
    verdict.oracle =
        strcmp("ok", rtl ? crl_logp_oracle(&s->image, CRL_OP_ADD, 1, crl_rtl_logp_memory, engine, &diag)
                         : crl_logp_oracle(&s->image, CRL_OP_ADD, 1, crl_logp_model_memory, model, &diag)) != 0;
    crl_logp_expected_free(expected);
    crl_logp_model_free(model);
    crl_rtl_free(engine);
    return verdict;
}

static struct crl_logp_row row_at(const struct crl_logp_image *image, uint32_t processor, uint32_t number)
{
    struct crl_logp_row row;
    crl_logp_row_unpack(&image->geometry, crl_logp_image_row(image, processor, number), &row);
    return row;
}

// ---- what is looked at after a row

static bool reads_bank(const struct crl_logp_row *row, uint32_t addr)
{
    bool combines = (row->part | row->total) & 1;
    return row->raddr == addr && ((row->send && !(row->what & 7)) || (combines && row->operand));
}

static bool bank_matters(const struct crl_logp_image *image, uint32_t v, uint32_t number, uint32_t addr)
{
    for (uint32_t r = number + 2; r < image->geometry.rows; r++) { // reads come before the writes of two rows
        struct crl_logp_row row = row_at(image, v, r), older = row_at(image, v, r - 2);
        if (r > number + 2 && older.store && older.waddr == addr) return false;
        if (reads_bank(&row, addr)) return true;
    }
    for (uint32_t r = number + 1; r < image->geometry.rows; r++) {
        struct crl_logp_row row = row_at(image, v, r);
        if (row.store && row.waddr == addr) return false;
    }
    for (uint32_t i = 0; i < image->after[v].count; i++)
        if (image->after[v].place[i].addr == addr) return true;
    return false;
}

static bool hold_matters(const struct crl_logp_image *image, uint32_t v, uint32_t number)
{
    for (uint32_t r = number + 1; r < image->geometry.rows; r++) {
        struct crl_logp_row row = row_at(image, v, r);
        if (row.held || row.hold) return true; // taken, or written over, which the guard tells
    }
    return false;
}

static bool accumulator_matters(const struct crl_logp_image *image, uint32_t v, uint32_t number, bool total)
{
    for (uint32_t r = number + 1; r < image->geometry.rows; r++) {
        struct crl_logp_row row = row_at(image, v, r);
        uint32_t act = total ? row.total : row.part;
        if ((act & 3) == CRL_LOGP_COMBINE) return true;
        if (act & 1) return false; // taken over
        if (row.send && row.what & 4 && (row.what & 1) == total) return true;
        if (row.store && row.store_total && total) return true;
    }
    return false;
}

// Whether an altered row does nothing that anybody looks at: it sends and expects as before, and every register and
// word that it leaves otherwise than before is dead.
static bool is_dead(const struct crl_logp_image *image, uint32_t v, uint32_t number, const struct crl_logp_row *before)
{
    struct crl_logp_row after = row_at(image, v, number);
    bool held = after.held != before->held, swapped = after.swap != before->swap;
    bool taken = held || (swapped && !after.held);
    bool hold = held || after.hold != before->hold || (swapped && after.hold && after.expect & 2);
    bool operand = after.operand != before->operand || (after.operand ? after.raddr != before->raddr : taken);
    bool part = after.part != before->part || (operand && after.part & 1);
    bool total = after.total != before->total || (operand && after.total & 1);
    if (after.send != before->send || after.expect != before->expect) return false;
    if (after.send && (after.what != before->what || after.dest != before->dest)) return false;
    if (after.send && (after.what == CRL_LOGP_STORED ? after.raddr != before->raddr
                       : after.what & 4              ? (after.what & 1 ? total : part)
                                                     : taken))
        return false;
    if (hold && hold_matters(image, v, number)) return false;
    if (taken && number + 1 < image->geometry.rows) {
        struct crl_logp_row next = row_at(image, v, number + 1);
        if (next.send && (next.what & 6) == CRL_LOGP_LAST) return false;
    }
    if (part && accumulator_matters(image, v, number, false)) return false;
    if (total && accumulator_matters(image, v, number, true)) return false;
    bool word = (taken && !after.store_total) || after.store_total != before->store_total ||
                after.waddr != before->waddr || after.store != before->store || (total && after.store_total);
    if (word && before->store && bank_matters(image, v, number, before->waddr)) return false;
    return !word || !after.store || !bank_matters(image, v, number, after.waddr);
}

static void alter(struct subject *s, uint32_t v, uint32_t number, uint32_t bit, bool mend, struct counts *counts)
{
    const struct crl_logp_geometry *g = &s->image.geometry;
    uint32_t *bits = s->image.store.bits + ((size_t)v * g->rows + number) * crl_logp_row_words(g), mask[4];
    struct crl_logp_row row = row_at(&s->image, v, number);
    crl_logp_row_used(g, &row, mask);
    bool used = mask[bit / 32] >> bit % 32 & 1;
    bits[bit / 32] ^= UINT32_C(1) << bit % 32;
    if (mend) bits[0] ^= 1;
    for (int rtl = 0; rtl < 2; rtl++) {
        struct verdict verdict = play(s, rtl);
        if (verdict.guard) counts->guard++;
        else if (verdict.trace) counts->trace++;
        else if (verdict.oracle) counts->oracle++;
        else if (!used) counts->unused++;
        else if (is_dead(&s->image, v, number, &row)) counts->dead++;
        else {
            counts->missed++;
            printf("%s: processor %u, row %u, bit %u altered%s: nobody noticed\n", rtl ? "rtl" : "model", v, number,
                   bit, mend ? ", parity mended" : "");
        }
    }
    if (mend) bits[0] ^= 1;
    bits[bit / 32] ^= UINT32_C(1) << bit % 32;
}

static unsigned alter_all(const char *algorithm, const char *machine, uint32_t time, uint32_t processor, bool mend)
{
    struct subject s = {0};
    struct counts c = {0};
    prepare(&s, algorithm, machine, time);
    for (uint32_t r = 0; r < s.image.geometry.rows; r++)
        for (uint32_t bit = mend; bit < crl_logp_row_bits(&s.image.geometry); bit++)
            alter(&s, processor, r, bit, mend, &c);
    printf(
        "%-24s %-22s %-14s caught: %u (guard %u, trace %u, oracle %u)  unused: %u (fields %u, words %u)  missed: %u\n",
        algorithm, machine, mend ? "parity mended" : "bit alone", c.guard + c.trace + c.oracle, c.guard, c.trace,
        c.oracle, c.unused + c.dead, c.unused, c.dead, c.missed);
    crl_logp_image_done(&s.image);
    crl_logp_schedule_done(&s.schedule);
    return c.missed + (c.guard + c.trace + c.oracle == 0);
}

int main(void)
{
    static const struct {
        const char *algorithm, *machine;
        uint32_t time, processor;
    } tables[] = {{"broadcast", "logp:P=5,L=2", 0, 1},
                  {"all-to-all-personalized", "logp:P=3,L=1,o=1,g=2", 0, 2},
                  {"summation", "logp:P=4,L=1,o=1,g=1", 7, 0}};
    unsigned missed = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int mend = 0; mend < 2; mend++)
            missed += alter_all(tables[i].algorithm, tables[i].machine, tables[i].time, tables[i].processor, mend);
    return missed > 0;
}
