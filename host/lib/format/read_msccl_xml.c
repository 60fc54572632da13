// SPDX-License-Identifier: Apache-2.0
// MSCCL's XML: thread blocks of steps. A step that receives and sends is two here, one of several chunks as many.
#include "base/base.h"
#include "format/program.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 4096, CHUNKS_MAX = 1 << 20, CHANNELS_MAX = 1 << 16, STEPS_MAX = 1 << 20, COUNT_MAX = 1 << 12 };

struct named_step { // of one GPU
    uint32_t block, step;
    size_t last; // of what it is here
};
struct pending { // a dependency that is still to be found
    struct named_step on;
    size_t op;
    uint64_t line, col;
};

struct reading {
    struct crl_program *program;
    bool *seen; // [ranks]
    uint32_t rank, block, blocks, steps;
    uint32_t chunks[3]; // of the buffers of this GPU
    int64_t send, recv, channel;
    struct named_step *named;
    size_t named_count, named_room;
    struct pending *pending;
    size_t pending_count, pending_room;
    size_t gpus;
    struct crl_diag *diag;
};

static int open_algo(struct crl_xml *x, const char **attr)
{
    struct reading *r = x->user;
    struct crl_program *p = r->program;
    int64_t ranks = 0, place = 0, out = 0, root = -1;
    // Ours says which collective it is, also where MSCCL has no name for it.
    const char *coll = crl_xml_text(attr, "collective");
    if (!coll) coll = crl_xml_text(attr, "coll");
    if (!coll) return crl_xml_fail(x, "<algo> has no attribute 'coll'");
    if (strlen(coll) >= sizeof p->collective) return crl_xml_fail(x, "an unknown collective '%.40s'", coll);
    memcpy(p->collective, coll, strlen(coll) + 1);
    int error = crl_xml_number(x, "algo", attr, "ngpus", false, 1, RANKS_MAX, &ranks);
    if (!error) error = crl_xml_number(x, "algo", attr, "inplace", true, 0, 1, &place);
    if (!error) error = crl_xml_number(x, "algo", attr, "outofplace", true, 0, 1, &out);
    if (!error) error = crl_xml_number(x, "algo", attr, "root", true, 0, ranks - 1, &root);
    if (error) return error;
    p->ranks = (uint32_t)ranks;
    p->in_place = place && !out && strcmp(coll, "custom"); // whose buffers are two, as the compiler sees them
    p->root = root < 0 ? CRL_NONE : (uint32_t)root;
    p->explicit = true;
    r->seen = calloc(p->ranks, sizeof *r->seen);
    return r->seen ? 0 : crl_fail_memory(r->diag);
}

static int open_gpu(struct crl_xml *x, const char **attr)
{
    static const char *const sizes[] = {"i_chunks", "o_chunks", "s_chunks"};
    struct reading *r = x->user;
    struct crl_program *p = r->program;
    int64_t id = 0;
    int error = crl_xml_number(x, "gpu", attr, "id", false, 0, (int64_t)p->ranks - 1, &id);
    if (!error && r->seen[id]) error = crl_xml_fail(x, "GPU '%d' is there twice", (int)id);
    for (size_t b = 0; b < 3 && !error; b++) {
        int64_t size = 0;
        error = crl_xml_number(x, "gpu", attr, sizes[b], false, 0, CHUNKS_MAX, &size);
        r->chunks[b] = (uint32_t)size;
        if (!error && size > p->chunks[b]) p->chunks[b] = (uint32_t)size;
    }
    if (error) return error;
    r->seen[id] = true;
    r->rank = (uint32_t)id;
    r->gpus++;
    r->named_count = r->pending_count = 0;
    r->blocks = 0;
    return 0;
}

static int open_block(struct crl_xml *x, const char **attr)
{
    struct reading *r = x->user;
    int64_t id = 0, most = (int64_t)r->program->ranks - 1;
    int error = crl_xml_number(x, "tb", attr, "id", false, 0, STEPS_MAX, &id);
    if (!error) error = crl_xml_number(x, "tb", attr, "send", false, -1, most, &r->send);
    if (!error) error = crl_xml_number(x, "tb", attr, "recv", false, -1, most, &r->recv);
    if (!error) error = crl_xml_number(x, "tb", attr, "chan", false, 0, CHANNELS_MAX, &r->channel);
    if (!error && id != r->blocks)
        error = crl_xml_fail(x, "thread block '%d' where '%u' must come", (int)id, r->blocks);
    if (!error && (r->send == r->rank || r->recv == r->rank))
        error = crl_xml_fail(x, "GPU '%u' is its own peer", r->rank);
    r->block = r->blocks++;
    r->steps = 0;
    return error ? error : crl_program_thread(r->program, r->diag);
}

// ---- steps

static int read_cell(struct crl_xml *x, const char **attr, const char *buffer, const char *offset, int64_t count,
                     bool used, struct crl_cell *cell)
{
    struct reading *r = x->user;
    int64_t at = 0;
    const char *name = crl_xml_text(attr, buffer), *known = "ios";
    if (!used) return 0;
    if (!name || !*name || name[1] || !strchr(known, *name))
        return crl_xml_fail(x, "attribute '%s' of <step> is i, o or s, not '%.40s'", buffer, name ? name : "");
    cell->buffer = (enum crl_buffer)(strchr(known, *name) - known);
    cell->rank = r->rank;
    int64_t size = r->chunks[cell->buffer];
    if (size < count)
        return crl_xml_fail(x, "'%lld' chunks of buffer '%s', which has %lld", (long long)count, name, (long long)size);
    int error = crl_xml_number(x, "step", attr, offset, false, 0, size - count, &at);
    cell->at = (uint32_t)at;
    return error;
}

static const struct kind {
    const char *name;
    bool takes, adds, gives, local;
    bool from_src, to_dst; // cells that it uses
} kinds[] = {{"s", false, false, true, false, true, false},    {"r", true, false, false, false, false, true},
             {"rcs", true, false, true, false, false, true},   {"rrs", true, true, true, false, true, false},
             {"rrc", true, true, false, false, true, true},    {"rrcs", true, true, true, false, true, true},
             {"cpy", false, false, false, true, true, true},   {"re", false, true, false, true, true, true},
             {"nop", false, false, false, false, false, false}};

static int add(struct crl_xml *x, struct crl_step op, const int64_t depends[2])
{
    struct reading *r = x->user;
    bool first = r->named_count && r->named[r->named_count - 1].last == SIZE_MAX;
    op.rank = r->rank;
    op.channel = (uint64_t)r->channel;
    op.line = x->line;
    op.col = x->col;
    int error = crl_program_add(r->program, op, r->diag);
    if (error) return error;
    r->named[r->named_count - 1].last = r->program->ops - 1;
    if (!first || depends[0] < 0) return 0;
    return CRL_PUSH(
               r->pending, r->pending_room, r->pending_count,
               (struct pending){{(uint32_t)depends[0], (uint32_t)depends[1], 0}, r->program->ops - 1, x->line, x->col})
               ? crl_fail_memory(r->diag)
               : 0;
}

// What a step does with one of its chunks.
static int add_chunk(struct crl_xml *x, const struct kind *k, struct crl_cell src, struct crl_cell dst, int64_t slot,
                     const int64_t depends[2])
{
    struct reading *r = x->user;
    // What is added to, and sent on; a sum that is only sent on is stored nowhere.
    struct crl_cell held = {CRL_HELD, r->rank, (uint32_t)(r->program->threads - 1)};
    if (k->to_dst) held = dst;
    else if (!k->adds) held = src;
    bool elsewhere = src.buffer != held.buffer || src.at != held.at;
    int error = 0;
    if (k->local)
        return add(x, (struct crl_step){.kind = CRL_STEP_COPY, .reduce = k->adds, .src = src, .dst = dst}, depends);
    if (k->takes && k->adds && elsewhere)
        error = add(x, (struct crl_step){.kind = CRL_STEP_COPY, .src = src, .dst = held}, depends);
    if (k->takes && !error)
        error =
            add(x, (struct crl_step){.kind = CRL_STEP_RECV, .reduce = k->adds, .peer = (uint32_t)r->recv, .dst = held},
                depends);
    if (k->gives && !error)
        error = add(
            x, (struct crl_step){.kind = CRL_STEP_SEND, .peer = (uint32_t)r->send, .src = held, .slot = (uint32_t)slot},
            depends);
    return error;
}

static int open_step(struct crl_xml *x, const char **attr)
{
    struct reading *r = x->user;
    const char *type = crl_xml_text(attr, "type");
    const struct kind *k = NULL;
    int64_t number = 0, count = 1, slot = 0, depends[2] = {-1, -1};
    struct crl_cell src = {0}, dst = {0};
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(type, kinds[i].name)) k = &kinds[i];
    if (!k) return crl_xml_fail(x, "an unknown type of step '%.40s'", type ? type : "");
    int error = crl_xml_number(x, "step", attr, "s", false, 0, STEPS_MAX, &number);
    if (!error && number != r->steps)
        error = crl_xml_fail(x, "step '%lld' where '%u' must come", (long long)number, r->steps);
    bool moves = k->takes || k->gives || k->local;
    if (!error && moves) error = crl_xml_number(x, "step", attr, "cnt", false, 1, COUNT_MAX, &count);
    if (!error) error = crl_xml_number(x, "step", attr, "depid", true, -1, STEPS_MAX, &depends[0]);
    if (!error) error = crl_xml_number(x, "step", attr, "deps", true, -1, STEPS_MAX, &depends[1]);
    if (!error) error = crl_xml_number(x, "step", attr, "slot", true, 1, UINT32_MAX - CHUNKS_MAX - 1, &slot);
    if (!error) error = read_cell(x, attr, "srcbuf", "srcoff", count, k->from_src, &src);
    if (!error) error = read_cell(x, attr, "dstbuf", "dstoff", count, k->to_dst, &dst);
    if (!error && k->gives && r->send < 0)
        error = crl_xml_fail(x, "a step that sends in a thread block without 'send'");
    if (!error && k->takes && r->recv < 0)
        error = crl_xml_fail(x, "a step that receives in a thread block without 'recv'");
    if (error) return error;
    if (CRL_PUSH(r->named, r->named_room, r->named_count, (struct named_step){r->block, r->steps++, SIZE_MAX}))
        return crl_fail_memory(r->diag);
    if (!moves) return add(x, (struct crl_step){.kind = CRL_STEP_NOP}, depends);
    for (int64_t i = 0; i < count && !error; i++, src.at++, dst.at++)
        error = add_chunk(x, k, src, dst, slot ? slot + i : 0, depends);
    return error;
}

// ---- the whole

static int by_name(const void *a, const void *b)
{
    const struct named_step *x = a, *y = b;
    return CRL_COMPARE({x->block, y->block}, {x->step, y->step});
}

// Steps of a GPU may wait for later ones of it, so that is settled at its end.
static int close_gpu(struct crl_xml *x)
{
    struct reading *r = x->user;
    for (size_t i = 0; i < r->pending_count; i++) {
        const struct pending *p = &r->pending[i];
        const struct named_step *on =
            r->named_count ? bsearch(&p->on, r->named, r->named_count, sizeof *r->named, by_name) : NULL;
        if (!on)
            return crl_fail_at(r->diag, CRL_ERR_PARSE, x->file, p->line, p->col,
                               "this depends on step '%u' of thread block '%u', which GPU %u does not have", p->on.step,
                               p->on.block, r->rank);
        int error = crl_program_depend(r->program, p->op, on->last, r->diag);
        if (error) return error;
    }
    return 0;
}

static int open_tag(struct crl_xml *x, const char *tag, const char **attr, uint32_t depth)
{
    static const struct {
        const char *tag;
        int (*open)(struct crl_xml *xml, const char **attr);
    } levels[] = {{"algo", open_algo}, {"gpu", open_gpu}, {"tb", open_block}, {"step", open_step}};
    if (depth > 4 || strcmp(tag, levels[depth - 1].tag))
        return crl_xml_fail(x, "<%.40s> where <%s> must stand", tag, depth > 4 ? "/step" : levels[depth - 1].tag);
    return levels[depth - 1].open(x, attr);
}

static int close_tag(struct crl_xml *x, const char *tag, uint32_t depth)
{
    const struct reading *r = x->user;
    (void)tag;
    if (depth == 2) return close_gpu(x);
    if (depth == 1 && r->gpus < r->program->ranks)
        return crl_xml_fail(x, "'%zu' GPUs, and 'ngpus' says %u", r->gpus, r->program->ranks);
    return 0;
}

int crl_read_msccl_xml(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    struct reading r = {.program = program, .diag = diag};
    struct crl_xml xml = {.user = &r, .open = open_tag, .close = close_tag, .file = program->file, .diag = diag};
    int error = crl_xml_read(&xml, text, length);
    CRL_FREE(r.seen, r.named, r.pending);
    return error;
}
