// SPDX-License-Identifier: Apache-2.0
#include "format/cells.h"
#include "base/base.h"
#include "check/contributions.h"
#include "format/format.h"
#include <stdlib.h>

// The first `nodes` of all sums are each rank's own value; every addition makes another one.
struct crl_sum {
    struct crl_contributions of;
    uint32_t twice; // a rank whose value was added twice, CRL_NONE: none
    uint32_t by;    // the step that made it
};

// ---- sizes

static int too_small(const struct crl_cells *c, const char *buffer, uint32_t has, uint32_t needs, struct crl_diag *diag)
{
    return crl_fail_at(diag, CRL_ERR_PARSE, c->program->file, 1, 1, "an %s of '%u' chunks is too small: %s has %u here",
                       buffer, has, crl_problem_title(c->problem), needs);
}

static int check_cell(const struct crl_cells *c, const struct crl_step *op, struct crl_cell cell, struct crl_diag *diag)
{
    const struct crl_program *p = c->program;
    if (cell.rank >= c->nodes)
        return crl_program_fail(p, op, diag, "node '%u' of a network of %u", cell.rank, c->nodes);
    if (p->by_packet && c->cells > 1 && cell.at >= c->cells)
        return crl_program_fail(p, op, diag, "'%u' is no packet of %s here: they are 0 to %zu", cell.at,
                                crl_problem_title(c->problem), c->cells - 1);
    if (p->in_place && c->stride && cell.buffer == c->smaller && cell.at >= c->stride)
        return crl_program_fail(p, op, diag, "place '%u' of the %s, which has %u in place", cell.at,
                                cell.buffer == CRL_INPUT ? "input" : "output", c->stride);
    return 0;
}

// An all-gather, or a gather, whose output has no place for what a rank has itself.
static bool leaves_out_own(const struct crl_cells *c)
{
    const struct crl_program *p = c->program;
    return !p->in_place && !crl_problem_sums(c->problem) && p->ranks > 1 &&
           crl_chunks_out(c->problem) == crl_chunks_in(c->problem) * (uint64_t)p->ranks &&
           p->chunks[CRL_OUTPUT] == crl_chunks_in(c->problem) * (uint64_t)c->split * (p->ranks - 1);
}

// What the problem has must have a place in the file's buffers, and the other way round.
static int check_sizes(struct crl_cells *c, struct crl_diag *diag)
{
    const struct crl_program *p = c->program;
    uint32_t in = crl_chunks_in(c->problem) * c->split, out = crl_chunks_out(c->problem) * c->split;
    uint32_t larger = in > out ? in : out;
    int error = 0;
    if (p->ranks > c->nodes || (!p->by_packet && p->ranks != c->nodes))
        return crl_fail_at(diag, CRL_ERR_PARSE, p->file, 1, 1, "this is for '%u' ranks, and %s has %u nodes", p->ranks,
                           crl_topology_name(c->problem->topology), c->nodes);
    if (!p->by_packet && !p->in_place && in > p->chunks[CRL_INPUT])
        return too_small(c, "input", p->chunks[CRL_INPUT], in, diag);
    if (!p->by_packet && !p->in_place && out > p->chunks[CRL_OUTPUT] && !leaves_out_own(c))
        return too_small(c, "output", p->chunks[CRL_OUTPUT], out, diag);
    if (!p->by_packet && p->in_place && larger > c->most) return too_small(c, "output", c->most, larger, diag);
    for (size_t i = 0; i < p->ops && !error; i++) {
        const struct crl_step *op = &p->op[i];
        bool reads = op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
        bool writes = op->kind == CRL_STEP_RECV || op->kind == CRL_STEP_PUT || op->kind == CRL_STEP_COPY;
        if (reads) error = check_cell(c, op, op->src, diag);
        if (writes && !error) error = check_cell(c, op, op->dst, diag);
    }
    return error;
}

// ---- what is where

size_t crl_cells_index(const struct crl_cells *c, struct crl_cell cell)
{
    const struct crl_program *p = c->program;
    size_t at = cell.at;
    if (cell.buffer == CRL_HELD) return c->nodes * c->cells + at;
    if (p->in_place && cell.buffer == CRL_SCRATCH) at += c->most;
    else if (p->in_place && cell.buffer == c->smaller) at += (size_t)cell.rank * c->stride;
    else if (p->by_packet && c->cells == 1) at = 0; // whatever it is called
    else if (!p->in_place && cell.buffer == CRL_OUTPUT) at += p->chunks[CRL_INPUT];
    else if (!p->in_place && cell.buffer == CRL_SCRATCH) at += p->chunks[CRL_INPUT] + (size_t)p->chunks[CRL_OUTPUT];
    return cell.rank * c->cells + at;
}

static struct crl_content *cell_of(const struct crl_cells *c, struct crl_cell cell)
{
    return &c->cell[crl_cells_index(c, cell)];
}

struct crl_content crl_cells_get(const struct crl_cells *c, struct crl_cell cell) { return *cell_of(c, cell); }

// The number of chunk `k` of what a rank has for all, or for itself: its `index`-th.
static uint32_t own_number(const struct crl_cells *c, uint32_t rank, uint32_t index, uint32_t k)
{
    const enum crl_naming naming = crl_problem_naming(c->problem);
    const uint32_t second = naming == CRL_NAMING_PAIR         ? rank
                            : naming == CRL_NAMING_SPLIT_PAIR ? rank << CRL_PART_BITS | index
                                                              : index;
    uint64_t packet = crl_problem_index(c->problem, rank, second);
    return packet == UINT64_MAX ? c->packets + index * c->split + k : (uint32_t)packet * c->split + k;
}

static void fill(struct crl_cells *c)
{
    const struct crl_problem *p = c->problem;
    const struct crl_program *program = c->program;
    const bool sums = crl_problem_sums(p);
    for (size_t i = 0; i < c->nodes * c->cells + program->threads; i++)
        c->cell[i] = (struct crl_content){CRL_NONE, CRL_NONE, CRL_NONE};
    for (uint32_t i = 0; i < c->packets; i++) {
        uint32_t origin, dest, k = i % c->split;
        crl_problem_packet(p, i / c->split, &origin, &dest);
        struct crl_cell cell = {program->by_packet ? CRL_PACKETS : CRL_INPUT, sums ? 0 : crl_problem_source(p, origin),
                                program->by_packet ? i : crl_chunk_in(p, origin, dest) * c->split + k};
        for (; cell.rank < program->ranks; cell.rank++) {
            *cell_of(c, cell) = (struct crl_content){i, cell.rank, CRL_NONE};
            if (!sums) break;
        }
    }
    uint32_t in, out;
    for (uint32_t v = 0; v < program->ranks && !program->by_packet; v++)
        for (uint32_t i = 0; crl_chunk_stays(p, v, &in, &out, i); i++)
            for (uint32_t k = 0; k < c->split; k++) {
                struct crl_content *to = cell_of(c, (struct crl_cell){CRL_INPUT, v, in * c->split + k});
                if (to->packet == CRL_NONE) to->packet = own_number(c, v, i, k);
            }
}

int crl_cells_make(struct crl_cells *c, const struct crl_program *program, const struct crl_problem *problem,
                   struct crl_diag *diag)
{
    enum { CELLS_MAX = 1 << 27 };
    *c = (struct crl_cells){.program = program, .problem = problem};
    c->nodes = crl_topology_nodes(problem->topology);
    c->split = program->split ? program->split : 1;
    uint32_t in = crl_chunks_in(problem) * c->split, out = crl_chunks_out(problem) * c->split;
    c->smaller = in < out ? CRL_INPUT : CRL_OUTPUT;
    c->stride = in == out ? 0 : in < out ? in : out;
    const uint32_t *chunks = program->chunks;
    c->most = chunks[CRL_INPUT] > chunks[CRL_OUTPUT] ? chunks[CRL_INPUT] : chunks[CRL_OUTPUT];
    uint64_t packets = crl_problem_packets(problem);
    uint64_t cells = program->by_packet  ? packets
                     : program->in_place ? c->most + (uint64_t)chunks[CRL_SCRATCH]
                                         : (uint64_t)chunks[CRL_INPUT] + chunks[CRL_OUTPUT] + chunks[CRL_SCRATCH];
    if (packets * c->split >= CRL_NONE / 2 || cells * c->nodes > CELLS_MAX)
        return crl_fail_at(diag, CRL_ERR_LIMIT, program->file, 1, 1, "more than %d cells", CELLS_MAX);
    c->packets = (uint32_t)packets * c->split;
    c->cells = cells;
    int error = check_sizes(c, diag);
    if (error) return error;
    c->cell = malloc(sizeof *c->cell * (c->nodes * c->cells + program->threads + 1));
    if (!c->cell) return crl_fail_memory(diag);
    fill(c);
    for (uint32_t v = 0; v < c->nodes && crl_problem_sums(problem); v++) {
        if (CRL_PUSH(c->sum, c->sum_room, c->sums, (struct crl_sum){{.count = 1, .last = v}, CRL_NONE, CRL_NONE}))
            return crl_fail_memory(diag);
    }
    return 0;
}

void crl_cells_done(struct crl_cells *c)
{
    for (size_t i = 0; i < c->sums; i++) crl_contributions_done(&c->sum[i].of);
    CRL_FREE(c->cell, c->sum);
}

// ---- additions

static int add(struct crl_cells *c, uint32_t *sum, uint32_t more, uint32_t by)
{
    if (crl_grow((void **)&c->sum, &c->sum_room, c->sums, sizeof *c->sum)) return CRL_ERR_MEMORY;
    const struct crl_sum *a = &c->sum[*sum], *b = &c->sum[more];
    struct crl_sum *made = &c->sum[c->sums];
    uint32_t twice = a->twice != CRL_NONE ? a->twice : b->twice;
    *made = (struct crl_sum){.by = by, .twice = twice};
    if (twice != CRL_NONE) made->by = a->twice != CRL_NONE ? a->by : b->by;
    else made->twice = crl_contributions_common(&a->of, &b->of);
    if (crl_contributions_copy(&made->of, &a->of, c->nodes)) return CRL_ERR_MEMORY;
    *sum = (uint32_t)c->sums++;
    return crl_contributions_join(&made->of, &b->of, c->nodes);
}

int crl_cells_set(struct crl_cells *c, const struct crl_step *op, struct crl_cell cell, struct crl_content what,
                  struct crl_diag *diag)
{
    struct crl_content *to = cell_of(c, cell);
    const bool sums = crl_problem_sums(c->problem);
    const uint32_t by = (uint32_t)(op - c->program->op);
    if (op->reduce && !sums)
        return crl_program_fail(c->program, op, diag, "this adds, and %s does not", crl_problem_title(c->problem));
    if (op->reduce && to->packet == CRL_NONE)
        return crl_program_fail(c->program, op, diag, "this adds to a cell in which there is nothing yet");
    if (op->reduce && to->packet != what.packet)
        return crl_program_fail(c->program, op, diag, "this adds chunk '%u' to chunk '%u'", what.packet, to->packet);
    *to = (struct crl_content){what.packet, op->reduce ? to->sum : what.sum, by};
    if (op->reduce && !c->program->by_packet && add(c, &to->sum, what.sum, by)) return crl_fail_memory(diag);
    return 0;
}

// ---- what ranks end with

// Fails at a step; at the last one of a rank where `by` is none.
static int blame(const struct crl_cells *c, uint32_t by, uint32_t rank, struct crl_diag *diag, const char *text)
{
    const struct crl_program *p = c->program;
    struct crl_step nowhere = {.line = 1, .col = 1};
    const struct crl_step *op = by == CRL_NONE ? &nowhere : &p->op[by];
    for (size_t i = 0; i < p->ops && by == CRL_NONE; i++)
        if (p->op[i].rank == rank) op = &p->op[i];
    return crl_program_fail(p, op, diag, "%s", text);
}

enum { NAMED = CRL_PACKET_NAME + 40 };
// A chunk as messages call it.
static const char *named(const struct crl_cells *c, uint32_t number, char text[NAMED])
{
    uint32_t origin, dest;
    char name[CRL_PACKET_NAME];
    if (number >= c->packets) {
        snprintf(text, NAMED, "what it has for itself");
        return text;
    }
    crl_problem_packet(c->problem, number / c->split, &origin, &dest);
    crl_problem_packet_name(c->problem, origin, dest, name);
    if (c->split > 1) snprintf(text, NAMED, "chunk %u of packet %s", number % c->split + 1, name);
    else snprintf(text, NAMED, "%s %s", crl_problem_sums(c->problem) ? "chunk" : "packet", name);
    return text;
}

static int judge_sum(const struct crl_cells *c, uint32_t rank, struct crl_content has, struct crl_diag *diag)
{
    const struct crl_sum *sum = &c->sum[has.sum];
    const uint32_t by = sum->by == CRL_NONE ? has.by : sum->by;
    const uint32_t wanted = crl_problem_scans(c->problem) ? rank + 1 : c->nodes;
    char text[400], name[NAMED];
    named(c, has.packet, name);
    if (sum->twice != CRL_NONE)
        snprintf(text, sizeof text, "the sum of %s that rank %u ends with has twice what rank '%u' has", name, rank,
                 sum->twice);
    else if (crl_contributions_lacks(&sum->of) < wanted)
        snprintf(text, sizeof text, "the sum of %s that rank %u ends with lacks what rank '%u' has", name, rank,
                 crl_contributions_lacks(&sum->of));
    else if (sum->of.last >= wanted)
        snprintf(text, sizeof text, "the sum of %s that rank %u ends with has also what rank '%u' has", name, rank,
                 sum->of.last);
    else return 0;
    return blame(c, by, rank, diag, text);
}

static int judge_place(const struct crl_cells *c, uint32_t rank, uint32_t place, uint32_t wanted, struct crl_diag *diag)
{
    const struct crl_content has = *cell_of(c, (struct crl_cell){CRL_OUTPUT, rank, place});
    char text[500], is[NAMED], must[NAMED];
    if (has.packet == wanted) return crl_problem_sums(c->problem) ? judge_sum(c, rank, has, diag) : 0;
    if (has.packet == CRL_NONE)
        snprintf(text, sizeof text, "rank %u ends with nothing in place '%u' of its output, where %s must be", rank,
                 place, named(c, wanted, must));
    else
        snprintf(text, sizeof text, "rank %u ends with %s in place '%u' of its output, where %s must be", rank,
                 named(c, has.packet, is), place, named(c, wanted, must));
    return blame(c, has.by, rank, diag, text);
}

static int judge_packet(const struct crl_cells *c, uint32_t rank, uint64_t packet, uint32_t part, struct crl_diag *diag)
{
    uint32_t origin, dest;
    crl_problem_packet(c->problem, packet, &origin, &dest);
    if (!crl_problem_wants(c->problem, origin, dest, rank)) return 0;
    if (!crl_problem_sums(c->problem) && crl_problem_source(c->problem, origin) == rank) return 0; // its own
    uint32_t place = crl_chunk_out(c->problem, rank, origin, dest);
    if (leaves_out_own(c) && origin > rank) place -= crl_chunks_in(c->problem);
    return judge_place(c, rank, place * c->split + part, (uint32_t)packet * c->split + part, diag);
}

static int judge_own(const struct crl_cells *c, uint32_t rank, uint32_t part, struct crl_diag *diag)
{
    uint32_t in, out;
    int error = 0;
    if (!c->program->owns_out || leaves_out_own(c) || crl_problem_sums(c->problem)) return 0;
    for (uint32_t i = 0; crl_chunk_stays(c->problem, rank, &in, &out, i) && !error; i++)
        error = judge_place(c, rank, out * c->split + part, own_number(c, rank, i, part), diag);
    return error;
}

int crl_cells_judge(const struct crl_cells *c, uint32_t part, struct crl_diag *diag)
{
    const uint64_t packets = crl_problem_packets(c->problem);
    const enum crl_naming naming = crl_problem_naming(c->problem);
    const bool pair = crl_naming_is_pair(naming);
    uint32_t origin, dest;
    int error = 0;
    if (c->program->by_packet || naming == CRL_NAMING_RANGE) return 0;
    for (uint64_t i = 0; i < packets && !error; i++) {
        crl_problem_packet(c->problem, i, &origin, &dest);
        if (pair) error = judge_packet(c, crl_packet_dest(naming, dest), i, part, diag);
        for (uint32_t v = 0; v < c->nodes && !pair && !error; v++) error = judge_packet(c, v, i, part, diag);
    }
    for (uint32_t v = 0; v < c->nodes && !error; v++) error = judge_own(c, v, part, diag);
    return error;
}
