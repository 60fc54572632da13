// SPDX-License-Identifier: Apache-2.0
// MSCCL++'s execution plans, in the form with "input_chunks": thread blocks of one-sided operations. One that reads
// several cells, or writes them, is several steps here.
#include "base/base.h"
#include "format/read_mscclpp.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 4096, CHUNKS_MAX = 1 << 20, ITEMS_MAX = 1 << 16, COUNT_MAX = 1 << 12 };

int crl_mscclpp_add(struct crl_mscclpp *r, const struct crl_json *at, struct crl_step op)
{
    op.rank = r->rank;
    crl_json_where(at, &op.line, &op.col);
    return crl_program_add(r->program, op, r->diag);
}

// ---- cells

// The cells of other ranks that a thread block names are those of its references through channels of the operation's
// type, which name the GPU's.
static int read_remote(struct crl_mscclpp *r, const struct crl_json *at, uint32_t id, struct crl_cell *cell,
                       char *buffer)
{
    struct crl_json refs, of, ids, number, remote, type;
    const char *wanted = json_string_value(json_object_get(r->op->value, "channel_type"));
    uint32_t left = id;
    int error = crl_json_member(&refs, &r->block, "remote_buffer_refs", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error; i++) {
        if (i == json_array_size(refs.value)) return crl_json_fail(at, r->diag, "buffer '%u' is not referred to", id);
        error = crl_json_item(&of, &refs, i, JSON_OBJECT, r->diag);
        if (!error) error = crl_json_member(&ids, &of, "remote_buffer_ids", JSON_ARRAY, false, r->diag);
        if (error) return error;
        const char *through = json_string_value(json_object_get(of.value, "access_channel_type"));
        if (wanted && through && strcmp(wanted, through)) continue;
        if (left < json_array_size(ids.value)) break;
        left -= (uint32_t)json_array_size(ids.value);
    }
    if (!error) error = crl_json_item(&number, &ids, left, JSON_INTEGER, r->diag);
    if (!error) error = crl_json_member(&remote, &r->gpu, "remote_buffers", JSON_ARRAY, false, r->diag);
    if (error) return error;
    json_int_t which = json_integer_value(number.value);
    if (which < 0 || (uint64_t)which >= json_array_size(remote.value))
        return crl_json_fail(&number, r->diag, "there is no remote buffer '%lld'", (long long)which);
    struct crl_json buffers = remote;
    error = crl_json_item(&remote, &buffers, (size_t)which, JSON_OBJECT, r->diag);
    if (!error) error = crl_json_whole(&remote, "rank", r->program->ranks - 1, &cell->rank, r->diag);
    if (!error) error = crl_json_member(&type, &remote, "type", JSON_STRING, false, r->diag);
    if (!error) *buffer = *json_string_value(type.value);
    return error;
}

int crl_mscclpp_buffer(struct crl_mscclpp *r, const struct crl_json *at, char name, enum crl_buffer *buffer)
{
    const char *known = "ios", *found = name ? strchr(known, name) : NULL;
    if (!found) return crl_json_fail(at, r->diag, "a buffer is i, o or s");
    *buffer = (enum crl_buffer)(found - known);
    return 0;
}

static int check_place(struct crl_mscclpp *r, const struct crl_json *at, const struct crl_cell *cell, uint32_t size)
{
    uint32_t has = r->program->chunks[cell->buffer];
    if (size <= has && cell->at <= has - size) return 0;
    return crl_json_fail(at, r->diag, "chunks '%u' to '%u' of buffer %c, which has %u", cell->at, cell->at + size - 1,
                         "ios"[cell->buffer], has);
}

static int read_cell(struct crl_mscclpp *r, const struct crl_json *at, struct crl_cell *cell, uint32_t *size)
{
    struct crl_json member;
    uint32_t id;
    char buffer = 0;
    int error = crl_json_whole(at, "size", COUNT_MAX, size, r->diag);
    if (!error) error = crl_json_whole(at, "index", CHUNKS_MAX, &cell->at, r->diag);
    if (error) return error;
    cell->rank = r->rank;
    if (json_object_get(at->value, "buffer_id")) {
        error = crl_json_whole(at, "buffer_id", ITEMS_MAX, &id, r->diag);
        if (!error) error = read_remote(r, at, id, cell, &buffer);
    } else {
        error = crl_json_member(&member, at, "type", JSON_STRING, false, r->diag);
        if (!error) buffer = *json_string_value(member.value);
    }
    if (!error) error = crl_mscclpp_buffer(r, at, buffer, &cell->buffer);
    return error ? error : check_place(r, at, cell, *size);
}

// ---- operations

enum { CELLS_MAX = 64 };
struct cells {
    struct crl_cell cell[CELLS_MAX];
    size_t count;
    uint32_t size; // of each
};

static int keep_cell(struct crl_mscclpp *r, const struct crl_json *at, struct cells *cells, struct crl_cell cell)
{
    if (cells->count == CELLS_MAX) return crl_json_fail(at, r->diag, "more than %d cells", CELLS_MAX);
    cells->cell[cells->count++] = cell;
    return 0;
}

// What a switch adds up or hands out is in the same place of the buffers of all ranks of its group: this one's comes
// first. On links each of them sends it, or is sent it.
static int read_switch(struct crl_mscclpp *r, const struct crl_json *at, struct cells *cells, uint32_t *size)
{
    const json_t *ranks = NULL;
    struct crl_cell cell = {.rank = r->rank};
    bool member = false;
    int error = crl_mscclpp_group(r, at, &ranks, &cell.buffer);
    if (!error) error = crl_json_whole(at, "size", COUNT_MAX, size, r->diag);
    if (!error) error = crl_json_whole(at, "index", CHUNKS_MAX, &cell.at, r->diag);
    if (!error) error = check_place(r, at, &cell, *size);
    if (!error) error = keep_cell(r, at, cells, cell);
    for (size_t i = 0; !error && i < json_array_size(ranks); i++) {
        const json_t *rank = json_array_get(ranks, i);
        json_int_t number = json_integer_value(rank);
        if (!json_is_integer(rank) || number < 0 || number >= r->program->ranks)
            return crl_json_fail(at, r->diag, "a switch whose rank %zu is none", i);
        cell.rank = (uint32_t)number;
        member |= cell.rank == r->rank;
        if (!error && cell.rank != r->rank) error = keep_cell(r, at, cells, cell);
    }
    return !error && !member ? crl_json_fail(at, r->diag, "a switch of ranks among which rank %u is not", r->rank)
                             : error;
}

static int read_cells(struct crl_mscclpp *r, const struct crl_json *op, const char *key, struct cells *cells)
{
    struct crl_json list, item;
    cells->count = 0;
    int error = crl_json_member(&list, op, key, JSON_ARRAY, true, r->diag);
    for (size_t i = 0; !error && list.value && i < json_array_size(list.value); i++) {
        uint32_t size = 0;
        struct crl_cell cell;
        bool more = cells->count;
        error = crl_json_item(&item, &list, i, JSON_OBJECT, r->diag);
        if (!error && json_object_get(item.value, "switch_channel_id")) error = read_switch(r, &item, cells, &size);
        else if (!error) {
            error = read_cell(r, &item, &cell, &size);
            if (!error) error = keep_cell(r, &item, cells, cell);
        }
        if (!error && more && size != cells->size)
            error = crl_json_fail(&item, r->diag, "cells of '%u' and of '%u' chunks", cells->size, size);
        cells->size = size;
    }
    return error;
}

// Moves chunk `k` of one cell to another. What is read from another rank must be there before the thread goes on.
static int add_move(struct crl_mscclpp *r, const struct crl_json *at, struct crl_cell from, struct crl_cell to,
                    uint32_t k, bool reduce, uint32_t slot)
{
    bool local = from.rank == to.rank;
    from.at += k;
    to.at += k;
    if (local && from.buffer == to.buffer && from.at == to.at) return 0;
    return crl_mscclpp_add(r, at,
                           (struct crl_step){.kind = local ? CRL_STEP_COPY : CRL_STEP_PUT,
                                             .reduce = reduce,
                                             .waits = from.rank != r->rank,
                                             .peer = to.rank,
                                             .src = from,
                                             .dst = to,
                                             .slot = slot});
}

// Puts a cell first in a list that has it, so that it is read before it is written.
static void begin_with(struct cells *cells, struct crl_cell cell)
{
    for (size_t i = 1; i < cells->count; i++) {
        struct crl_cell *c = &cells->cell[i];
        if (c->rank != cell.rank || c->buffer != cell.buffer || c->at != cell.at) continue;
        *c = cells->cell[0];
        cells->cell[0] = cell;
    }
}

// All cells of `src`, added where there are several, go to the first of `dst`, and from there to the others.
static int add_moves(struct crl_mscclpp *r, const struct crl_json *at, bool reduces, uint32_t slot)
{
    struct cells src, dst;
    int error = read_cells(r, at, "src_buff", &src);
    if (!error) error = read_cells(r, at, "dst_buff", &dst);
    if (error) return error;
    if (!src.count || !dst.count) return crl_json_fail(at, r->diag, "\"src_buff\" or \"dst_buff\" is missing");
    if (src.size != dst.size) return crl_json_fail(at, r->diag, "moves '%u' chunks to '%u'", src.size, dst.size);
    if (!reduces && src.count > 1 && src.count != dst.count)
        return crl_json_fail(at, r->diag, "'%zu' cells go to '%zu'", src.count, dst.count);
    for (uint32_t k = 0; k < src.size && !error; k++) {
        if (!reduces) {
            for (size_t i = 0; i < dst.count && !error; i++)
                error = add_move(r, at, src.cell[src.count > 1 ? i : 0], dst.cell[i], k, false, slot ? slot + k : 0);
            continue;
        }
        // What is added up is at this rank: where it goes first, or nowhere if that is elsewhere.
        struct crl_cell held = {CRL_HELD, r->rank, (uint32_t)(r->program->threads - 1)};
        if (dst.cell[0].rank == r->rank) held = dst.cell[0];
        begin_with(&src, held);
        for (size_t i = 0; i < src.count && !error; i++) error = add_move(r, at, src.cell[i], held, k, i > 0, 0);
        for (size_t i = 0; i < dst.count && !error; i++) error = add_move(r, at, held, dst.cell[i], k, false, 0);
    }
    return error;
}

// The kind of a list of a GPU's channels, which has been called by two names.
int crl_mscclpp_kind(struct crl_mscclpp *r, const struct crl_json *list, struct crl_json *kind)
{
    bool short_name = !json_object_get(list->value, "channel_type") && json_object_get(list->value, "type");
    return crl_json_member(kind, list, short_name ? "type" : "channel_type", JSON_STRING, false, r->diag);
}

// The peer at the other end of a channel, and which of the channels between the two it is.
static int find_channel(struct crl_mscclpp *r, const struct crl_json *id, const char *type, uint32_t *peer,
                        uint64_t *nth)
{
    struct crl_json lists, list, kind, peers, number;
    json_int_t left = json_integer_value(id->value);
    int error = crl_json_member(&lists, &r->gpu, "channels", JSON_ARRAY, false, r->diag);
    *nth = 0;
    for (size_t i = 0; !error && i < json_array_size(lists.value); i++) {
        error = crl_json_item(&list, &lists, i, JSON_OBJECT, r->diag);
        if (!error) error = crl_mscclpp_kind(r, &list, &kind);
        if (error || strcmp(json_string_value(kind.value), type)) continue;
        error = crl_json_member(&peers, &list, "connected_to", JSON_ARRAY, false, r->diag);
        if (error || left < 0 || (uint64_t)left >= json_array_size(peers.value)) break;
        error = crl_json_item(&number, &peers, (size_t)left, JSON_INTEGER, r->diag);
        if (error) break;
        json_int_t to = json_integer_value(number.value);
        if (to < 0 || to >= r->program->ranks || to == r->rank)
            return crl_json_fail(&number, r->diag, "'%lld' is no other rank", (long long)to);
        for (json_int_t k = 0; k < left; k++) *nth += json_integer_value(json_array_get(peers.value, (size_t)k)) == to;
        *nth = 2 * *nth + (strcmp(type, "port") == 0);
        *peer = (uint32_t)to;
        return 0;
    }
    return error ? error : crl_json_fail(id, r->diag, "there is no channel '%lld'", (long long)left);
}

// A signal, or a wait, on each channel that the operation names. These are places in the thread block's list.
static int add_signals(struct crl_mscclpp *r, const struct crl_json *op, enum crl_step_kind kind)
{
    struct crl_json ids, id, type, lists, list, own, mine, their;
    int error = crl_json_member(&ids, op, "channel_ids", JSON_ARRAY, false, r->diag);
    if (!error) error = crl_json_member(&type, op, "channel_type", JSON_STRING, false, r->diag);
    if (!error) error = crl_json_member(&lists, &r->block, "channels", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error && i < json_array_size(ids.value); i++) {
        bool found = false;
        error = crl_json_item(&id, &ids, i, JSON_INTEGER, r->diag);
        for (size_t k = 0; !error && k < json_array_size(lists.value) && !found; k++) {
            json_int_t at = json_integer_value(id.value);
            struct crl_step step = {.kind = kind};
            error = crl_json_item(&list, &lists, k, JSON_OBJECT, r->diag);
            if (!error) error = crl_json_member(&their, &list, "channel_type", JSON_STRING, false, r->diag);
            if (error || strcmp(json_string_value(their.value), json_string_value(type.value))) continue;
            error = crl_json_member(&own, &list, "channel_ids", JSON_ARRAY, false, r->diag);
            if (error || at < 0 || (uint64_t)at >= json_array_size(own.value)) continue;
            found = true;
            error = crl_json_item(&mine, &own, (size_t)at, JSON_INTEGER, r->diag);
            if (!error) error = find_channel(r, &mine, json_string_value(type.value), &step.peer, &step.channel);
            if (!error) error = crl_mscclpp_add(r, op, step);
        }
        if (!error && !found) error = crl_json_fail(&id, r->diag, "there is no such channel");
    }
    return error;
}

static const struct operation {
    const char *name;
    bool moves, reduces, signals, waits;
} operations[] = {{"nop", false, false, false, false},    {"flush", false, false, false, false},
                  {"put", true, false, false, false},     {"pws", true, false, true, false},
                  {"pwsf", true, false, true, false},     {"get", true, false, false, false},
                  {"copy", true, false, false, false},    {"signal", false, false, true, false},
                  {"wait", false, false, false, true},    {"rlxsignal", false, false, true, false},
                  {"rlxwait", false, false, false, true}, {"re", true, true, false, false},
                  {"res", true, true, false, false},      {"rre", true, true, false, false},
                  {"rres", true, true, false, false},     {"ppkt", true, false, false, false},
                  {"rppkt", true, false, false, false},   {"cpkt", true, false, false, false},
                  {"upkt", true, false, false, false},    {"repkt", true, true, false, false},
                  {"respkt", true, true, false, false},   {"recpkt", true, true, false, false},
                  {"recspkt", true, true, false, false},  {"gstore", true, false, false, false},
                  {"glre", true, true, false, false},     {"glres", true, true, false, false},
                  {"tpkt", true, false, false, false},    {"gstorepkt", true, false, false, false}};

static int read_operation(struct crl_mscclpp *r, const struct crl_json *op)
{
    struct crl_json name, inner;
    const struct operation *o = NULL;
    uint32_t slot = 0;
    int error = crl_json_member(&name, op, "name", JSON_STRING, false, r->diag);
    if (error) return error;
    if (!strcmp(json_string_value(name.value), "pipeline")) {
        struct crl_json ops;
        error = crl_json_member(&ops, op, "ops", JSON_ARRAY, false, r->diag);
        for (size_t i = 0; !error && i < json_array_size(ops.value); i++) {
            error = crl_json_each(&inner, &ops, i, JSON_OBJECT, r->diag);
            if (!error && json_object_get(inner.value, "ops"))
                error = crl_json_fail(&inner, r->diag, "a pipeline in a pipeline");
            if (!error) error = read_operation(r, &inner);
        }
        return error;
    }
    if (crl_mscclpp_waits(json_string_value(name.value))) return crl_mscclpp_wait(r, op, json_string_value(name.value));
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(json_string_value(name.value), operations[i].name)) o = &operations[i];
    if (!o)
        return crl_json_fail(&name, r->diag, "an operation '%.40s', which cannot be laid out",
                             json_string_value(name.value));
    r->op = op;
    bool done = false;
    size_t first = r->program->ops;
    if (json_object_get(op->value, "tbg_info")) error = crl_mscclpp_share(r, op, &done);
    if (error || done) return error;
    if (json_object_get(op->value, "slot")) error = crl_json_whole(op, "slot", UINT32_MAX / 2, &slot, r->diag);
    if (!error && o->moves) error = add_moves(r, op, o->reduces, slot);
    if (!error && o->signals) error = add_signals(r, op, CRL_STEP_SIGNAL);
    if (!error && o->waits) error = add_signals(r, op, CRL_STEP_WAIT);
    return error ? error : crl_mscclpp_shared(r, op, first);
}

// ---- the whole

static int read_gpu(struct crl_mscclpp *r)
{
    struct crl_json blocks, ops, op;
    int error = crl_json_member(&blocks, &r->gpu, "threadblocks", JSON_ARRAY, false, r->diag);
    for (size_t i = 0; !error && i < json_array_size(blocks.value); i++) {
        error = crl_json_each(&r->block, &blocks, i, JSON_OBJECT, r->diag);
        if (!error) error = crl_json_member(&ops, &r->block, "ops", JSON_ARRAY, false, r->diag);
        if (!error) error = crl_program_thread(r->program, r->diag);
        for (size_t k = 0; !error && k < json_array_size(ops.value); k++) {
            error = crl_json_each(&op, &ops, k, JSON_OBJECT, r->diag);
            if (!error) error = read_operation(r, &op);
        }
    }
    return error ? error : crl_mscclpp_join(r);
}

// Cells of other ranks are looked at, so all sizes come first.
static int read_sizes(struct crl_mscclpp *r)
{
    static const char *const sizes[] = {"input_chunks", "output_chunks", "scratch_chunks"};
    uint32_t id;
    int error = crl_json_whole(&r->gpu, "id", RANKS_MAX, &id, r->diag);
    if (!error && id != r->rank) error = crl_json_fail(&r->gpu, r->diag, "GPU '%u' where %u must stand", id, r->rank);
    for (size_t b = 0; b < 3 && !error; b++) {
        uint32_t size = 0;
        error = crl_json_whole(&r->gpu, sizes[b], CHUNKS_MAX, &size, r->diag);
        if (size > r->program->chunks[b]) r->program->chunks[b] = size;
    }
    return error;
}

static int read_head(struct crl_mscclpp *r, const struct crl_json *plan)
{
    struct crl_json member;
    bool ours = json_object_get(plan->value, "carillon_collective");
    int error =
        crl_json_member(&member, plan, ours ? "carillon_collective" : "collective", JSON_STRING, false, r->diag);
    if (error) return error;
    const char *name = json_string_value(member.value);
    if (strlen(name) >= sizeof r->program->collective)
        return crl_json_fail(&member, r->diag, "an unknown collective '%.40s'", name);
    memcpy(r->program->collective, name, strlen(name) + 1);
    error = crl_json_member(&member, plan, "inplace", JSON_TRUE, false, r->diag);
    if (!error) r->program->in_place = json_is_true(member.value);
    r->program->root = CRL_NONE;
    if (!error && json_object_get(plan->value, "root"))
        error = crl_json_whole(plan, "root", RANKS_MAX, &r->program->root, r->diag);
    return error;
}

int crl_read_mscclpp_json(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    struct crl_mscclpp r = {.program = program, .diag = diag};
    struct crl_json_text in = {.file = program->file, .text = text, .length = length};
    struct crl_json plan, gpus;
    size_t at = 0;
    int error = crl_json_read(&plan, &in, &at, diag);
    if (error) return error;
    json_t *root = (json_t *)plan.value;
    if (!json_is_object(root)) error = crl_json_fail(&plan, diag, "this is not an object");
    if (!error && at < length) error = crl_json_fail(&plan, diag, "more follows behind this");
    if (!error) error = read_head(&r, &plan);
    if (!error) error = crl_json_member(&gpus, &plan, "gpus", JSON_ARRAY, false, diag);
    size_t count = error ? 0 : json_array_size(gpus.value);
    if (!error && (!count || count > RANKS_MAX)) error = crl_json_fail(&gpus, diag, "'%zu' GPUs", count);
    program->ranks = (uint32_t)count;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count && !error; i++) {
            r.rank = (uint32_t)i;
            error = crl_json_each(&r.gpu, &gpus, i, JSON_OBJECT, diag);
            if (!error) error = pass ? read_gpu(&r) : read_sizes(&r);
        }
    free(r.sync);
    json_decref(root);
    return error;
}
