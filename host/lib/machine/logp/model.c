// SPDX-License-Identifier: Apache-2.0
// The cycle model of a LogP machine: what docs/formats/logp.md says, in C. It knows tables and nothing of schedules.
#include "base/base.h"
#include "machine/logp/play.h"
#include <stdlib.h>
#include <string.h>

struct processor {
    uint64_t hold, last, part, total;
    uint64_t write_data; // written by the last row: the reads of this one do not see it yet
    size_t write_at;     // in the memory; SIZE_MAX: none
    bool full;           // the holding register
};

// What is under way to one processor in one cycle.
struct flight {
    uint32_t count;
    uint64_t data[2];
};

struct crl_logp_model {
    const struct crl_logp_image *image;
    enum crl_op op;
    struct processor *processor; // [P]
    uint64_t *memory;            // [P][words][2^addr_width]
    struct flight *flights;      // [L + 1][P] by cycle of arrival
    uint32_t *valid;             // [P][⌈P/32⌉]
    uint64_t *data;              // [P][P]
    uint64_t cycle;
    uint32_t row, page;
    uint64_t idle; // what an idle link shows: nothing a table may count on
    struct crl_logp_faults faults;
};

static size_t index_of(const struct crl_logp_model *m, uint32_t v, uint32_t page, uint32_t addr)
{
    const struct crl_logp_geometry *g = &m->image->geometry;
    return (((size_t)v * g->words + page) << g->addr_width) + addr;
}

uint64_t crl_logp_model_memory(void *model, uint32_t processor, uint32_t page, uint32_t addr)
{
    struct crl_logp_model *m = model;
    return m->memory[index_of(m, processor, page, addr)];
}

static struct flight *flight_at(struct crl_logp_model *m, uint32_t v, uint64_t cycle)
{
    const struct crl_logp *machine = &m->image->problem.machine;
    return &m->flights[cycle % (machine->L + 1) * machine->P + v];
}

static void load(struct crl_logp_model *m, uint64_t seed)
{
    const struct crl_logp_geometry *g = &m->image->geometry;
    for (uint32_t v = 0; v < m->image->problem.machine.P; v++)
        for (uint32_t w = 0; w < g->words; w++) {
            const struct crl_logp_places *places = &m->image->before[v];
            for (uint32_t a = 0; a < UINT32_C(1) << g->addr_width; a++)
                m->memory[index_of(m, v, w, a)] = crl_logp_garbage(g, v, a, seed);
            for (uint32_t i = 0; i < places->count; i++)
                m->memory[index_of(m, v, w, places->place[i].addr)] =
                    crl_logp_payload(g, places->place[i].item, w, seed);
        }
}

int crl_logp_model_new(struct crl_logp_model **out, const struct crl_logp_image *image, enum crl_op op, uint64_t seed,
                       struct crl_diag *diag)
{
    const struct crl_logp_geometry *g = &image->geometry;
    size_t P = image->problem.machine.P, memory = (P * g->words) << g->addr_width;
    *out = NULL;
    if (memory > UINT32_MAX) return crl_fail(diag, CRL_ERR_LIMIT, "the memories of this image are too large to model");
    struct crl_logp_model *m = *out = calloc(1, sizeof *m);
    if (!m) return crl_fail_memory(diag);
    m->image = image;
    m->op = op;
    m->processor = calloc(P, sizeof *m->processor);
    m->memory = calloc(memory, sizeof *m->memory);
    m->flights = calloc((image->problem.machine.L + 1) * P, sizeof *m->flights);
    m->valid = calloc(P * crl_ceil_div(P, 32), sizeof *m->valid);
    m->data = calloc(P * P, sizeof *m->data);
    if (!m->processor || !m->memory || !m->flights || !m->valid || !m->data) {
        crl_logp_model_free(m);
        *out = NULL;
        return crl_fail_memory(diag);
    }
    m->idle = crl_permute(1, g->data_width, ~seed);
    for (uint32_t v = 0; v < P; v++)
        m->processor[v] = (struct processor){m->idle, m->idle, m->idle, m->idle, 0, SIZE_MAX, false};
    load(m, seed);
    return 0;
}

void crl_logp_model_free(struct crl_logp_model *m)
{
    if (!m) return;
    CRL_FREE(m->processor, m->memory, m->flights, m->valid, m->data, m);
}

static void note(struct crl_logp_model *m, uint64_t *events, uint32_t processor)
{
    struct crl_logp_faults *f = &m->faults;
    if (!f->missing && !f->unexpected && !f->hold && !f->conflict && !f->outside && !f->parity) {
        f->processor = processor;
        f->row = m->row;
    }
    ++*events;
}

static void send_to(struct crl_logp_model *m, uint32_t v, uint32_t dest, uint64_t word)
{
    const struct crl_logp *machine = &m->image->problem.machine;
    if (dest >= machine->P) {
        note(m, &m->faults.outside, v);
        return;
    }
    m->valid[(size_t)v * crl_ceil_div(machine->P, 32) + dest / 32] |= UINT32_C(1) << dest % 32;
    m->data[(size_t)v * machine->P + dest] = word;
    struct flight *flight = flight_at(m, dest, m->cycle + machine->L);
    if (flight->count == 2) note(m, &m->faults.conflict, dest);
    else flight->data[flight->count++] = word;
}

static uint64_t accumulate(const struct crl_logp_model *m, uint32_t act, uint64_t held, uint64_t operand)
{
    if (!(act & 1)) return held;
    return act & 2 ? crl_op_apply(m->op, m->image->geometry.data_width, held, operand) : operand;
}

static void play_processor(struct crl_logp_model *m, uint32_t v, const struct crl_logp_row *row)
{
    struct processor *p = &m->processor[v];
    struct flight *flight = flight_at(m, v, m->cycle);
    uint64_t first = flight->count ? flight->data[0] : m->idle, second = flight->count > 1 ? flight->data[1] : m->idle;
    uint32_t arrived = flight->count == 2 ? 3 : flight->count;
    if (row->expect & ~arrived) note(m, &m->faults.missing, v);
    if (arrived & ~row->expect) note(m, &m->faults.unexpected, v);
    flight->count = 0;

    if ((row->held && !p->full) || (row->hold && p->full && !row->held)) note(m, &m->faults.hold, v);
    uint64_t taken = row->held ? p->hold : row->swap ? second : first, last = p->last;
    p->full = row->hold || (p->full && !row->held);
    if (row->hold) p->hold = row->expect & 2 && !row->swap ? second : first;
    p->last = taken;

    uint64_t stored = m->memory[index_of(m, v, m->page, row->raddr)], operand = row->operand ? stored : taken;
    p->part = accumulate(m, row->part, p->part, operand);
    p->total = accumulate(m, row->total, p->total, operand);
    if (p->write_at != SIZE_MAX) m->memory[p->write_at] = p->write_data;
    p->write_at = row->store ? index_of(m, v, m->page, row->waddr) : SIZE_MAX;
    p->write_data = row->store_total ? p->total : taken;

    uint64_t accumulated = row->what & 1 ? p->total : p->part;
    uint64_t passed = row->what & 2 ? last : row->what & 1 ? taken : stored;
    if (row->send) send_to(m, v, row->dest, row->what & 4 ? accumulated : passed);
}

// Each step plays a row and shows the words it sent.
static int step(void *self, const uint32_t **valid, const uint64_t **data)
{
    struct crl_logp_model *m = self;
    const struct crl_logp_geometry *g = &m->image->geometry;
    uint32_t P = m->image->problem.machine.P;
    struct crl_logp_row row;
    if (m->page == g->words) return 1;
    memset(m->valid, 0, sizeof *m->valid * P * crl_ceil_div(P, 32));
    for (uint32_t v = 0; v < P; v++) {
        if (!crl_logp_row_unpack(g, crl_logp_image_row(m->image, v, m->row), &row)) note(m, &m->faults.parity, v);
        play_processor(m, v, &row);
    }
    *valid = m->valid;
    *data = m->data;
    m->cycle++;
    if (++m->row < g->rows) return 0;
    m->row = 0;
    if (++m->page < g->words) return 0;
    for (uint32_t v = 0; v < P; v++) // the writes of the last row
        if (m->processor[v].write_at != SIZE_MAX) m->memory[m->processor[v].write_at] = m->processor[v].write_data;
    return 1;
}

struct crl_player crl_logp_model_player(struct crl_logp_model *model)
{
    return (struct crl_player){.self = model, .step = step};
}

struct crl_logp_faults crl_logp_model_faults(const struct crl_logp_model *model) { return model->faults; }
