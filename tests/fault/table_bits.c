// SPDX-License-Identifier: Apache-2.0
// Alters every bit of small tables behind the CRC's back and plays them in RTL and model. Each alteration must be
// caught by the guard (parity included), by the trace compare or by the result oracle, or lie in a field that its row
// marks unused.
//
// Twice: with the bit alone altered, and with the row's parity made right again, so that parity cannot hide what the
// others miss. There is one more way not to matter then: writing a word that nobody reads before it is written again.
#include "../unit/unit_spread.h"
#include "algorithm/algorithm.h"
#include "check/check.h"
#include "engine/engine.h"
#include "lower/lower.h"
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

struct subject {
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_image image;
};

struct counts {
    unsigned guard, trace, oracle, unused, dead, missed;
};

static void die(const char *what, const struct crl_diag *diag)
{
    fprintf(stderr, "%s: %s\n", what, diag->text);
    exit(1);
}

// A table that is altered.
struct table {
    const char *algorithm, *scheme; // NULL: the first that there is
    uint32_t lanes, banks;          // 0: the fewest that work
    uint32_t number;                // of the table
};

static void prepare(struct subject *s, const struct table *table)
{
    struct crl_diag diag = {0};
    const struct crl_algorithm *row;
    struct crl_report report;
    struct crl_lower_options options = {.lanes = table->lanes, .banks = table->banks, .words = 1, .data_width = 32};
    if (crl_topology_parse(&s->topology, "hypercube:3", &diag) ||
        crl_problem_init(&s->problem, table->algorithm, s->topology, 0, CRL_PORTS_ALL, &diag) ||
        crl_algorithm_find(&row, &s->problem, table->scheme, &diag) ||
        crl_plan(&s->schedule, row, &s->problem, &diag) || crl_check(&report, &s->schedule, &s->problem, &diag) ||
        crl_lower(&s->image, &s->schedule, &s->problem, row->scheme, &options, &diag))
        die(table->algorithm, &diag);
    unit_spread(&s->image.store, s->image.tables, s->image.geometry.rows);
    crl_report_done(&report);
}

struct verdict {
    bool guard, trace, oracle;
};

// Plays with one engine. Guards speak even where the trace differs.
static struct verdict play(const struct subject *s, bool rtl)
{
    struct crl_diag diag = {0};
    struct verdict verdict = {0};
    struct crl_expected *expected;
    struct crl_model *model = NULL;
    struct crl_rtl *engine = NULL;
    struct crl_rtl_options options = {.seed = 1, .threads = 1};
    struct crl_compared compared;
    const char *names[] = {"expected", "engine"};
    if (crl_expected_new(&expected, &s->schedule, &s->problem, &s->image.geometry, 1, &diag)) die("expected", &diag);
    if (rtl ? crl_rtl_slots_new(&engine, &s->image, &s->problem, &options, &diag)
            : crl_model_new(&model, &s->image, &s->problem, 1, &diag))
        die("engine", &diag);
    struct crl_player players[] = {crl_expected_player(expected),
                                   rtl ? crl_rtl_player(engine) : crl_model_player(model)};
    if (crl_compare(&compared, players, names, 2, s->image.nodes, s->image.geometry.ports, NULL, NULL, NULL, &diag))
        die("compare", &diag);
    verdict.trace = compared.mismatches;
    // The comparison stops at the first difference; the guard and the memories are looked at after the whole round.
    const uint32_t *valid;
    const uint64_t *data;
    int more = compared.mismatches ? 0 : 1;
    while (!more) more = players[1].step(players[1].self, &valid, &data);
    char text[160];
    if (rtl && crl_rtl_finish(engine, &diag)) die("finish", &diag);
    struct crl_faults faults = {0};
    if (!rtl) faults = crl_model_faults(model);
    verdict.guard = rtl ? crl_rtl_faults(engine, text) > 0 : faults.missing + faults.unexpected + faults.parity > 0;
    verdict.oracle = strcmp("ok", rtl ? crl_oracle(&s->image, &s->problem, 1, crl_rtl_memory, engine, &diag)
                                      : crl_oracle(&s->image, &s->problem, 1, crl_model_memory, model, &diag));
    crl_expected_free(expected);
    crl_model_free(model);
    crl_rtl_free(engine);
    return verdict;
}

static struct crl_row row_at(const struct crl_image *image, uint32_t table, uint32_t number)
{
    struct crl_row row;
    crl_row_unpack(&image->geometry, crl_image_row(image, table, number), &row);
    return row;
}

static bool reads(const struct crl_image *image, const struct crl_row *row, uint32_t bank, uint32_t addr)
{
    if (row->bank[bank].byp || row->bank[bank].raddr != addr) return false;
    for (uint32_t j = 0; j < image->geometry.lanes; j++)
        if (row->lane[j].ov && row->lane[j].osel == crl_geometry_bank_select(&image->geometry, bank)) return true;
    return false;
}

static uint32_t write_addr(const struct crl_image *image, const struct crl_row *row, uint32_t bank, uint32_t number)
{
    return image->geometry.waddr_field ? row->bank[bank].waddr : number;
}

// Whether the only thing the altered row does is to write a word that is not read before it is written again, or at the
// end.
static bool writes_dead_word(const struct crl_image *image, uint32_t table, uint32_t number,
                             const struct crl_row *before)
{
    struct crl_row after = row_at(image, table, number), put_back = after;
    for (uint32_t b = 0; b < image->geometry.banks; b++) {
        if (!after.bank[b].wen || before->bank[b].wen) continue;
        uint32_t addr = write_addr(image, &after, b, number);
        put_back.bank[b].wen = 0;
        bool again = false;
        // What row r reads it reads before the words of rows r − 1 and r are written.
        for (uint32_t r = number + 2; r < image->geometry.rows && !again; r++) {
            struct crl_row row = row_at(image, table, r), older = row_at(image, table, r - 2);
            if (r > number + 2 && older.bank[b].wen && write_addr(image, &older, b, r - 2) == addr) again = true;
            if (!again && reads(image, &row, b, addr)) return false;
        }
        for (uint32_t r = number + 1; r < image->geometry.rows; r++) {
            struct crl_row row = row_at(image, table, r);
            again |= row.bank[b].wen && write_addr(image, &row, b, r) == addr;
        }
        // Words already waiting there to be read when this write lands, or to stay.
        for (uint32_t i = 0; i < image->place_sets && !again; i++)
            for (uint32_t k = 0; k < image->after[i].count; k++)
                if (image->after[i].place[k].bank == b && image->after[i].place[k].addr == addr) return false;
    }
    return !memcmp(&put_back, before, sizeof put_back);
}

static bool adds_to(const struct crl_row *row, uint32_t bank, uint32_t addr)
{
    bool adds = row->bank[bank].wen && !row->bank[bank].set && !row->bank[bank].fwd;
    return adds && (row->bank[bank].waddr ^ row->bank[bank].flip) == addr;
}

// Whether nobody takes the sum that a bank wrote last, or should have, in row `number`; nor, if `addr` is one, the word
// there.
static bool is_unread(const struct crl_image *image, uint32_t table, uint32_t number, uint32_t bank, uint32_t addr)
{
    bool last = true;
    for (uint32_t r = number + 1; r < image->geometry.rows; r++) {
        struct crl_row row = row_at(image, table, r);
        if (last && (row.bank[bank].fwd || row.bank[bank].dly)) return false;
        if ((!row.bank[bank].dly && reads(image, &row, bank, addr)) || adds_to(&row, bank, addr)) return false;
        last &= !row.bank[bank].wen;
        if (row.bank[bank].wen && row.bank[bank].waddr == addr) return true;
    }
    for (uint32_t i = 0; i < image->place_sets; i++)
        for (uint32_t k = 0; k < image->after[i].count; k++)
            if ((image->folded || image->node_table[i] == table) && image->after[i].place[k].bank == bank &&
                image->after[i].place[k].addr == addr)
                return false;
    return true;
}

// Whether two banks show the same value of the node, as those of a scan do in which its two sums begin. For the first
// row, and images with a table for each node.
static bool begins_alike(const struct crl_image *image, uint32_t table, const struct crl_row *row, uint32_t x,
                         uint32_t y)
{
    const struct crl_places *before = &image->before[table];
    uint32_t chunk[2] = {CRL_NONE, UINT32_MAX - 1}, bank[2] = {x, y};
    if (image->folded || row->bank[x].byp || row->bank[x].dly || row->bank[y].byp || row->bank[y].dly) return false;
    for (uint32_t i = 0; i < before->count; i++)
        for (int k = 0; k < 2; k++)
            if (before->place[i].bank == bank[k] && before->place[i].addr == row->bank[bank[k]].raddr)
                chunk[k] = before->place[i].origin;
    return chunk[0] == chunk[1];
}

// Whether the altered row writes a sum that nobody reads, or does not write one; or writes a word back as it was; or
// takes for the sum that was written last what loading left, as no row wrote one; or shows a sum as it becomes which
// stays as it is; or puts one aside that goes on without being read.
static bool sums_alike(const struct crl_image *image, uint32_t table, uint32_t number, const struct crl_row *before)
{
    struct crl_row after = row_at(image, table, number), put_back = after;
    for (uint32_t b = 0; b < image->geometry.banks; b++) {
        bool written = false;
        for (uint32_t r = 0; r < number; r++) written |= row_at(image, table, r).bank[b].wen;
        // Only routers in stages look at these (docs/formats/row.md), and tests/rtl/staged alters them.
        if (before->bank[b].byp || before->bank[b].dly) put_back.bank[b].raddr = before->bank[b].raddr;
        if (before->bank[b].fwd) put_back.bank[b].flip = before->bank[b].flip;
        if (!written) put_back.bank[b].fwd = before->bank[b].fwd;
        if (!written) put_back.bank[b].dly = before->bank[b].dly;
        bool grows = after.bank[b].wsel || after.bank[b].set || after.bank[b].fwd;
        bool there = (after.bank[b].waddr ^ after.bank[b].flip) == after.bank[b].raddr;
        if (after.bank[b].byp && !grows && there) put_back.bank[b].byp = before->bank[b].byp;
        uint32_t put = before->bank[b].waddr, astray = after.bank[b].waddr;
        bool elsewhere = after.bank[b].wen && before->bank[b].wen && (after.bank[b].set || after.bank[b].fwd);
        if (elsewhere && is_unread(image, table, number, b, put) && is_unread(image, table, number, b, astray))
            put_back.bank[b].waddr = put;
        if (after.bank[b].wen == before->bank[b].wen) continue;
        bool back = after.bank[b].wen && !after.bank[b].wsel && adds_to(&after, b, after.bank[b].waddr);
        if (!is_unread(image, table, number, b, back ? CRL_NONE : after.bank[b].waddr)) return false;
        put_back.bank[b].wen = before->bank[b].wen;
    }
    for (uint32_t j = 0; j < image->geometry.lanes && number == 0; j++)
        if (begins_alike(image, table, &after, after.lane[j].osel, before->lane[j].osel))
            put_back.lane[j].osel = before->lane[j].osel;
    return !memcmp(&put_back, before, sizeof put_back);
}

static void alter(struct subject *s, uint32_t table, uint32_t number, uint32_t bit, bool mend, struct counts *counts)
{
    const struct crl_geometry *g = &s->image.geometry;
    uint32_t *bits = s->image.store.bits + ((size_t)table * g->rows + number) * crl_row_words(g), mask[64];
    struct crl_row row = row_at(&s->image, table, number), next = {0};
    if (number + 1 < g->rows) next = row_at(&s->image, table, number + 1);
    crl_row_used(g, &row, number + 1 < g->rows ? &next : NULL, mask);
    bool used = mask[bit / 32] >> bit % 32 & 1;
    bits[bit / 32] ^= UINT32_C(1) << bit % 32;
    if (mend) bits[0] ^= 1;
    for (int rtl = 0; rtl < 2; rtl++) {
        struct verdict v = play(s, rtl);
        if (v.guard) counts->guard++;
        else if (v.trace) counts->trace++;
        else if (v.oracle) counts->oracle++;
        else if (!used) counts->unused++;
        else if (s->image.geometry.combine ? sums_alike(&s->image, table, number, &row)
                                           : writes_dead_word(&s->image, table, number, &row))
            counts->dead++;
        else {
            counts->missed++;
            printf("%s: table %u, row %u, bit %u altered%s: nobody noticed\n", rtl ? "rtl" : "model", table, number,
                   bit, mend ? ", parity mended" : "");
        }
    }
    if (mend) bits[0] ^= 1;
    bits[bit / 32] ^= UINT32_C(1) << bit % 32;
}

static unsigned alter_all(const struct table *table, bool mend)
{
    struct subject s = {0};
    struct counts c = {0};
    prepare(&s, table);
    for (uint32_t r = 0; r < s.image.geometry.rows; r++)
        for (uint32_t bit = mend; bit < crl_row_bits(&s.image.geometry); bit++)
            alter(&s, table->number, r, bit, mend, &c);
    printf(
        "%-20s K=%u B=%u %-14s caught: %u (guard %u, trace %u, oracle %u)  unused: %u (fields %u, words %u)  missed: "
        "%u\n",
        table->algorithm, table->lanes, s.image.geometry.banks, mend ? "parity mended" : "bit alone",
        c.guard + c.trace + c.oracle, c.guard, c.trace, c.oracle, c.unused + c.dead, c.unused, c.dead, c.missed);
    crl_image_done(&s.image);
    crl_schedule_done(&s.schedule);
    crl_topology_free(s.topology);
    return c.missed + (c.guard + c.trace + c.oracle == 0);
}

int main(void)
{
    static const struct table tables[] = {
        {"total-exchange", NULL, 3, 0, 0}, {"multinode-broadcast", NULL, 3, 0, 0},
        {"total-exchange", NULL, 1, 0, 0}, {"total-exchange", "one-bank", 3, 1, 0},
        {"reduce-scatter", NULL, 3, 0, 0}, {"scan", NULL, 3, 0, 3}, // of a node that sends one sum and keeps another
    };
    unsigned missed = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int mend = 0; mend < 2; mend++) missed += alter_all(&tables[i], mend);
    return missed > 0;
}
