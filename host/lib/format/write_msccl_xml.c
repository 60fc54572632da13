// SPDX-License-Identifier: Apache-2.0
// MSCCL's XML: each GPU has thread blocks that play their steps one after another. A link has one that sends at one end
// and one that receives at the other; what crosses between thread blocks of a GPU is said as dependencies. Of a cell,
// every reader waits for the last writer, and a writer for the last writer and the readers since.
#include "base/base.h"
#include "format/format.h"
#include <stdlib.h>

// What the runtime has room for: steps of a thread block, channels, and thread blocks that a dependency can name.
enum { STEPS = 64, CHANNELS = 32, BLOCKS = 128 };

enum buffer { INPUT, OUTPUT, SCRATCH };
struct cell {
    enum buffer buffer;
    uint32_t at;
};

struct step {
    const char *type;
    struct cell src, dst;
    uint32_t dep_block, dep_step; // CRL_NONE: none
    uint32_t slot;                // 0: it sends nothing
    bool has_dependent;
};
struct block {
    uint32_t node, send, recv, channel; // send, recv: CRL_NONE: none
    uint32_t number;                    // at its node
    uint32_t taker;                     // of one that sends: the block at the other end
    uint32_t temp;                      // of one that receives in a scan: a cell of its own in scratch
    struct step *step;
    size_t count, capacity;
    uint32_t *known; // [number of another block] steps of it that are known to be over; NULL: none
};

// A step of a thread block, which others wait for.
struct point {
    uint32_t block, step;
};
struct user {
    struct point point;
    uint32_t next; // in crl's list of readers, CRL_NONE ends it
};
struct state { // of a cell
    struct cell cell;
    struct point writer; // block CRL_NONE: nobody wrote it
    uint32_t readers;    // since then
};

struct node {
    uint32_t blocks, scratch;
    uint32_t local; // its thread block for copies, CRL_NONE: none
};

struct writing {
    struct crl_pool pool;
    const struct crl_plan *plan;
    struct crl_flow flow;
    uint32_t nodes, ports;
    struct block *block;
    size_t blocks, block_room;
    struct node *node;    // [nodes]
    struct state *held;   // [places]
    struct state *kept;   // [places] of a scan
    uint32_t *sends;      // [nodes * ports] the block that sends on a link now
    uint32_t *sent;       // [nodes * ports] transfers of it
    struct point *sender; // [count] the step that sends a move
    struct user *reader;
    size_t readers, reader_room;
    uint32_t per_channel; // transfers
    uint32_t slots;
    bool sums, scan;
    struct crl_diag *diag;
};

// ---- thread blocks and their steps

static int add_block(struct writing *w, uint32_t node, uint32_t send, uint32_t recv, uint32_t channel, uint32_t *index)
{
    if (channel >= CHANNELS || w->node[node].blocks >= BLOCKS)
        return crl_fail(w->diag, CRL_ERR_LIMIT,
                        "too large for MSCCL: node '%u' needs more than %d channels of %d steps or %d thread blocks",
                        node, CHANNELS, STEPS, BLOCKS);
    if (crl_grow((void **)&w->block, &w->block_room, w->blocks, sizeof *w->block)) return crl_fail_memory(w->diag);
    *index = (uint32_t)w->blocks++;
    w->block[*index] =
        (struct block){.node = node, .send = send, .recv = recv, .channel = channel, .number = w->node[node].blocks++};
    return 0;
}

static int add_step(struct writing *w, uint32_t block, struct step step)
{
    struct block *b = &w->block[block];
    if (b->count >= STEPS)
        return crl_fail(w->diag, CRL_ERR_LIMIT,
                        "too large for MSCCL: a thread block of node '%u' needs more than %d steps", b->node, STEPS);
    return CRL_PUSH(b->step, b->capacity, b->count, step) ? crl_fail_memory(w->diag) : 0;
}

// Whether a block must still wait for a point; notes that it will have.
static int learn(struct writing *w, struct block *b, struct point point, bool *news)
{
    uint32_t number = w->block[point.block].number;
    *news = false;
    if (&w->block[point.block] == b) return 0;
    if (!b->known && !(b->known = calloc(BLOCKS, sizeof *b->known))) return crl_fail_memory(w->diag);
    *news = b->known[number] <= point.step;
    if (*news) b->known[number] = point.step + 1;
    return 0;
}

// Adds a step that waits for some points; all but one of them take a step of their own.
static int add_waiting(struct writing *w, uint32_t block, struct step step, const struct point *points, size_t count)
{
    struct step nop = {"nop", {INPUT, CRL_NONE}, {OUTPUT, CRL_NONE}, CRL_NONE, CRL_NONE, 0, false};
    step.dep_block = step.dep_step = CRL_NONE;
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        bool news;
        if (points[i].block == CRL_NONE) continue;
        error = learn(w, &w->block[block], points[i], &news);
        if (error || !news) continue;
        nop.dep_block = step.dep_block;
        nop.dep_step = step.dep_step;
        if (nop.dep_block != CRL_NONE) error = add_step(w, block, nop);
        step.dep_block = w->block[points[i].block].number;
        step.dep_step = points[i].step;
        w->block[points[i].block].step[points[i].step].has_dependent = true;
    }
    return error ? error : add_step(w, block, step);
}

static struct point last_of(const struct writing *w, uint32_t block)
{
    return (struct point){block, (uint32_t)w->block[block].count - 1};
}

// ---- cells

static int read_cell(struct writing *w, struct state *state, struct point reader)
{
    if (crl_grow((void **)&w->reader, &w->reader_room, w->readers, sizeof *w->reader)) return crl_fail_memory(w->diag);
    w->reader[w->readers] = (struct user){reader, state->readers};
    state->readers = (uint32_t)w->readers++;
    return 0;
}

// Adds a step that waits for whoever wrote or read a cell.
static int await_cell(struct writing *w, uint32_t block, struct step step, const struct state *state)
{
    size_t count = 1, at = 0;
    for (uint32_t r = state->readers; r != CRL_NONE; r = w->reader[r].next) count++;
    CRL_OWNED struct point *points = malloc(sizeof *points * count);
    if (!points) return crl_fail_memory(w->diag);
    points[at++] = state->writer;
    for (uint32_t r = state->readers; r != CRL_NONE; r = w->reader[r].next) points[at++] = w->reader[r].point;
    return add_waiting(w, block, step, points, count);
}

static int write_cell(struct writing *w, uint32_t block, struct step step, struct state *state)
{
    int error = await_cell(w, block, step, state);
    state->readers = CRL_NONE;
    if (!error) state->writer = last_of(w, block);
    return error;
}

static int copy_local(struct writing *w, uint32_t node, struct cell from, struct cell to, struct point *done)
{
    struct block *b = w->node[node].local == CRL_NONE ? NULL : &w->block[w->node[node].local];
    int error = 0;
    if (!b || b->count == STEPS) error = add_block(w, node, CRL_NONE, CRL_NONE, 0, &w->node[node].local);
    uint32_t local = w->node[node].local;
    if (!error) error = add_step(w, local, (struct step){"cpy", from, to, CRL_NONE, CRL_NONE, 0, false});
    if (!error) *done = last_of(w, local);
    return error;
}

// ---- moves

// Gives places their cells. What is wanted lies in the output, other things in scratch; of a scan the sum that is sent
// on lies in scratch, too, and both of its sums begin as copies of the input.
static int lay_cells(struct writing *w)
{
    const struct crl_problem *p = w->plan->problem;
    int error = 0;
    for (uint32_t i = 0; i < w->flow.places && !error; i++) {
        const struct crl_spot *place = &w->flow.place[i];
        struct cell in = {INPUT, crl_chunk_in(p, place->origin, place->dest)};
        struct cell out = {OUTPUT, crl_chunk_out(p, place->node, place->origin, place->dest)};
        w->held[i] = w->kept[i] = (struct state){in, {CRL_NONE, 0}, CRL_NONE};
        if (!place->arrives || (place->own && !w->sums)) continue;
        w->held[i].cell = w->scan || !crl_problem_wants(p, place->origin, place->dest, place->node)
                              ? (struct cell){SCRATCH, w->node[place->node].scratch++}
                              : out;
        if (!w->scan) continue;
        w->kept[i].cell = out;
        error = copy_local(w, place->node, in, w->held[i].cell, &w->held[i].writer);
    }
    return error;
}

// Copies what a node has for itself; in a scan that is what its second sums begin with.
static int copy_what_stays(struct writing *w)
{
    uint32_t in, out, place = 0; // places are in order of nodes and chunks
    struct point copied;
    int error = 0;
    for (uint32_t v = 0; v < w->nodes && !error; v++)
        for (uint32_t k = 0; !error && crl_chunk_stays(w->plan->problem, v, &in, &out, k); k++) {
            error = copy_local(w, v, (struct cell){INPUT, in}, (struct cell){OUTPUT, out}, &copied);
            const struct crl_spot *p = &w->flow.place[place];
            if (!w->scan || place == w->flow.places || p->node != v || p->origin != k) continue;
            w->kept[place++].writer = copied;
        }
    return error;
}

// The cell that a move is sent from: before anything has come that is the input.
static struct cell source(const struct writing *w, uint32_t place)
{
    const struct crl_spot *p = &w->flow.place[place];
    bool fresh = w->held[place].writer.block == CRL_NONE && p->own;
    return fresh ? (struct cell){INPUT, crl_chunk_in(w->plan->problem, p->origin, p->dest)} : w->held[place].cell;
}

// Adds a step that sends from a place: it waits for the last writer there, and of traffic for what else must be there.
static int add_send(struct writing *w, uint32_t block, struct step step, uint32_t move, const struct state *from)
{
    CRL_OWNED uint32_t *place = NULL;
    size_t count;
    if (crl_flow_waits(&w->flow, w->plan->problem, move, &place, &count)) return crl_fail_memory(w->diag);
    CRL_OWNED struct point *points = malloc(sizeof *points * (count + 1));
    for (size_t i = 0; points && i < count; i++) points[i + 1] = w->held[place[i]].writer;
    if (points) points[0] = from->writer;
    return points ? add_waiting(w, block, step, points, count + 1) : crl_fail_memory(w->diag);
}

static int depart(struct writing *w, uint32_t move)
{
    const struct crl_move *m = &w->flow.moves[move];
    const struct crl_topology *t = w->plan->schedule->topology;
    uint32_t link = m->src * w->ports + crl_topology_port_to(t, m->src, m->dst),
             channel = w->sent[link] / w->per_channel;
    uint32_t taker, from = w->flow.from[move];
    int error = 0;
    if (w->sent[link]++ % w->per_channel == 0) {
        error = add_block(w, m->src, m->dst, CRL_NONE, channel, &w->sends[link]);
        if (!error) error = add_block(w, m->dst, CRL_NONE, m->src, channel, &taker);
        if (error) return error;
        w->block[w->sends[link]].taker = taker;
        if (w->scan) w->block[taker].temp = w->node[m->dst].scratch++;
    }
    taker = w->block[w->sends[link]].taker;
    struct cell to = w->scan ? (struct cell){SCRATCH, w->block[taker].temp} : w->held[w->flow.to[move]].cell;
    error = add_send(w, w->sends[link], (struct step){"s", source(w, from), to, CRL_NONE, CRL_NONE, m->slot, false},
                     move, &w->held[from]);
    if (error) return error;
    w->sender[move] = last_of(w, w->sends[link]);
    return read_cell(w, &w->held[from], w->sender[move]);
}

// Of a scan what arrives lies in a cell of the thread block until it is added where it belongs. It is not taken before
// what it will be added to has left as it was: so who reads the plan finds it there.
static int take_scan(struct writing *w, uint32_t block, struct step step, uint32_t place, uint8_t take)
{
    static const struct {
        uint8_t when;
        const char *type;
        bool kept;
    } uses[] = {{CRL_TAKE_ADD, "re", false},
                {CRL_TAKE_STORE, "cpy", false},
                {CRL_TAKE_KEEP_ADD, "re", true},
                {CRL_TAKE_KEEP_STORE, "cpy", true}};
    int error = await_cell(w, block, step, &w->held[place]);
    for (size_t i = 0; i < sizeof uses / sizeof *uses && !error; i++) {
        struct state *state = uses[i].kept ? &w->kept[place] : &w->held[place];
        if (!(take & uses[i].when)) continue;
        error = write_cell(w, block, (struct step){uses[i].type, step.dst, state->cell, CRL_NONE, CRL_NONE, 0, false},
                           state);
    }
    return error;
}

static int arrive(struct writing *w, uint32_t move)
{
    const struct block *sender = &w->block[w->sender[move].block];
    const struct step *sent = &sender->step[w->sender[move].step];
    uint32_t place = w->flow.to[move];
    // Both ends name the cells of both, but for a sum that is added to the receiver's.
    struct step step = {"r", sent->src, sent->dst, CRL_NONE, CRL_NONE, 0, false};
    if (w->scan) return take_scan(w, sender->taker, step, place, w->flow.take[move]);
    if (w->sums && w->flow.take[move] & CRL_TAKE_ADD) {
        step.type = "rrc";
        step.src = source(w, place);
    }
    return write_cell(w, sender->taker, step, &w->held[place]);
}

// ---- the file

static int number(uint32_t value) { return value == CRL_NONE ? -1 : (int)value; }

static void write_step(const struct step *s, size_t index, FILE *file)
{
    static const char letters[] = {'i', 'o', 's'};
    fprintf(file,
            "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" dstbuf=\"%c\" dstoff=\"%d\" cnt=\"%d\" "
            "depid=\"%d\" deps=\"%d\" hasdep=\"%d\"",
            index, s->type, letters[s->src.buffer], number(s->src.at), letters[s->dst.buffer], number(s->dst.at),
            s->src.at == CRL_NONE ? 0 : 1, number(s->dep_block), number(s->dep_step), s->has_dependent);
    if (s->slot) fprintf(file, " slot=\"%u\"", s->slot);
    fputs("/>\n", file);
}

static void write_node(const struct writing *w, uint32_t node, FILE *file)
{
    const struct crl_problem *p = w->plan->problem;
    fprintf(file, "  <gpu id=\"%u\" i_chunks=\"%u\" o_chunks=\"%u\" s_chunks=\"%u\">\n", node, crl_chunks_in(p),
            crl_chunks_out(p), w->node[node].scratch);
    for (size_t i = 0; i < w->blocks; i++) {
        const struct block *b = &w->block[i];
        if (b->node != node) continue;
        fprintf(file, "    <tb id=\"%u\" send=\"%d\" recv=\"%d\" chan=\"%u\">\n", b->number, number(b->send),
                number(b->recv), b->channel);
        for (size_t s = 0; s < b->count; s++) write_step(&b->step[s], s, file);
        fputs("    </tb>\n", file);
    }
    fputs("  </gpu>\n", file);
}

static void write_all(const struct writing *w, FILE *file)
{
    const struct crl_problem *p = w->plan->problem;
    uint32_t channels = 0, in = crl_chunks_in(p), out = crl_chunks_out(p);
    for (size_t i = 0; i < w->blocks; i++)
        if (w->block[i].channel >= channels) channels = w->block[i].channel + 1;
    fprintf(file, "<algo name=\"%s (%s) on ", crl_problem_name(p), w->plan->scheme);
    crl_write_escaped(crl_topology_name(p->topology), file);
    fprintf(file,
            "\" proto=\"Simple\" nchannels=\"%u\" nchunksperloop=\"%u\" ngpus=\"%u\" coll=\"%s\" inplace=\"0\" "
            "outofplace=\"1\" minBytes=\"0\" maxBytes=\"1099511627776\" collective=\"%s\"",
            channels, in > out ? in : out, w->nodes, crl_collective_elsewhere(p), crl_problem_name(p));
    if (crl_problem_has_root(p)) fprintf(file, " root=\"%u\"", p->root);
    fprintf(file, " slots=\"%u\">\n", w->slots);
    for (uint32_t v = 0; v < w->nodes; v++) write_node(w, v, file);
    fputs("</algo>\n", file);
}

static int prepare(struct writing *w)
{
    size_t links = (size_t)w->nodes * w->ports, places = w->flow.places + UINT64_C(1);
    CRL_ZEROED(&w->pool, w->node, w->nodes);
    CRL_NEW(&w->pool, w->held, places);
    CRL_NEW(&w->pool, w->kept, places);
    CRL_NUMBERS(&w->pool, links, &w->sends, &w->sent);
    CRL_NEW(&w->pool, w->sender, w->flow.count);
    if (crl_pool_error(&w->pool)) return crl_fail_memory(w->diag);
    for (uint32_t v = 0; v < w->nodes; v++) w->node[v].local = CRL_NONE;
    // A sum that arrives may have to wait for what was sent before on every port, for a step each.
    w->per_channel = w->sums ? STEPS / (w->ports + 4) : STEPS;
    return 0;
}

static void done(struct writing *w)
{
    for (size_t i = 0; i < w->blocks; i++) CRL_FREE(w->block[i].step, w->block[i].known);
    CRL_FREE(w->block, w->reader);
    crl_pool_done(&w->pool);
    crl_flow_done(&w->flow);
}

int crl_write_msccl_xml(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(done)
    struct writing w = {.plan = plan,
                        .nodes = crl_topology_nodes(plan->schedule->topology),
                        .ports = crl_topology_ports(plan->schedule->topology),
                        .slots = plan->slots,
                        .sums = crl_problem_sums(plan->problem),
                        .scan = crl_problem_scans(plan->problem),
                        .diag = diag};
    int error = crl_flow_make(&w.flow, plan, diag);
    if (!error) error = prepare(&w);
    if (!error) error = lay_cells(&w);
    if (!error) error = copy_what_stays(&w);
    for (struct crl_flow_at at = {0}; !error && crl_flow_next(&w.flow, &at);)
        error = at.arrives ? arrive(&w, at.move) : depart(&w, at.move);
    if (!error) write_all(&w, file);
    if (!error && ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot write the schedule");
    return error;
}
