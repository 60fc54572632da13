// SPDX-License-Identifier: Apache-2.0
// MSCCL++'s execution plans: a GPU has one thread block, which in each slot puts what leaves and then waits for what
// arrives. So it needs no semaphores, and a put never meets a cell that is still read: sums arrive in cells of their
// own and are then added.
#include "base/base.h"
#include "format/format.h"
#include <jansson.h>

struct cell {
    char buffer[2]; // "i", "o" or "s"
    uint32_t at;
};

struct writing {
    struct crl_pool pool;
    const struct crl_plan *plan;
    struct crl_flow flow;
    uint32_t nodes;
    struct cell *held, *kept; // [places]
    bool *fresh;              // [places] nothing has come yet
    struct cell *landing;     // [count] where a move's packet is put
    uint32_t *scratch;        // [nodes] cells
    json_t **ops, **peers;    // [nodes] arrays
    bool sums, scan;
    struct crl_diag *diag;
};

static json_t *cell_at(struct cell cell)
{
    return json_pack("{s:s, s:I, s:i}", "type", cell.buffer, "index", (json_int_t)cell.at, "size", 1);
}

static struct cell input(const struct writing *w, const struct crl_spot *place)
{
    return (struct cell){"i", crl_chunk_in(w->plan->problem, place->origin, place->dest)};
}

// ---- what a GPU does

static void copy(struct writing *w, uint32_t node, struct cell from, struct cell to)
{
    json_array_append_new(w->ops[node], json_pack("{s:s, s:[o], s:[o]}", "name", "copy", "src_buff", cell_at(from),
                                                  "dst_buff", cell_at(to)));
}

static void add(struct writing *w, uint32_t node, struct cell first, struct cell second, struct cell to)
{
    json_array_append_new(w->ops[node],
                          json_pack("{s:s, s:[o, o], s:[o], s:s}", "name", "re", "src_buff", cell_at(first),
                                    cell_at(second), "dst_buff", cell_at(to), "reduce_op", "sum"));
}

// The channel to a neighbour, which is its number among those that a node knows.
static json_int_t channel_to(struct writing *w, uint32_t node, uint32_t peer)
{
    size_t i = 0;
    while (i < json_array_size(w->peers[node]) && json_integer_value(json_array_get(w->peers[node], i)) != peer) i++;
    if (i == json_array_size(w->peers[node])) json_array_append_new(w->peers[node], json_integer(peer));
    return (json_int_t)i;
}

// Of each neighbour the three buffers are known, in this order.
static json_int_t buffer_of(json_int_t channel, char buffer)
{
    return 3 * channel + (buffer == 'i' ? 0 : buffer == 'o' ? 1 : 2);
}

static void depart(struct writing *w, uint32_t move)
{
    const struct crl_move *m = &w->flow.moves[move];
    uint32_t from = w->flow.from[move];
    const struct crl_spot *place = &w->flow.place[from];
    json_int_t channel = channel_to(w, m->src, m->dst);
    struct cell to = w->landing[move];
    json_array_append_new(w->ops[m->src],
                          json_pack("{s:s, s:[o], s:[{s:I, s:I, s:i}], s:[I], s:s, s:I}", "name", "put", "src_buff",
                                    cell_at(w->fresh[from] && place->own ? input(w, place) : w->held[from]), "dst_buff",
                                    "buffer_id", buffer_of(channel, *to.buffer), "index", (json_int_t)to.at, "size", 1,
                                    "channel_ids", channel, "channel_type", "memory", "slot", (json_int_t)m->slot));
    json_array_append_new(w->ops[m->src], json_pack("{s:s, s:[I], s:s}", "name", "signal", "channel_ids", channel,
                                                    "channel_type", "memory"));
}

static void arrive(struct writing *w, uint32_t move)
{
    const struct crl_move *m = &w->flow.moves[move];
    uint32_t to = w->flow.to[move];
    uint8_t take = w->flow.take[move];
    struct cell came = w->landing[move], held = w->fresh[to] ? input(w, &w->flow.place[to]) : w->held[to];
    json_array_append_new(w->ops[m->dst], json_pack("{s:s, s:[I], s:s}", "name", "wait", "channel_ids",
                                                    channel_to(w, m->dst, m->src), "channel_type", "memory"));
    if (w->sums && take & CRL_TAKE_ADD) add(w, m->dst, held, came, w->held[to]);
    if (w->sums && take & CRL_TAKE_STORE) copy(w, m->dst, came, w->held[to]);
    if (take & CRL_TAKE_KEEP_ADD) add(w, m->dst, w->kept[to], came, w->kept[to]);
    if (take & CRL_TAKE_KEEP_STORE) copy(w, m->dst, came, w->kept[to]);
    if (take & (CRL_TAKE_ADD | CRL_TAKE_STORE)) w->fresh[to] = false;
}

// ---- cells

static void lay_cells(struct writing *w)
{
    const struct crl_problem *p = w->plan->problem;
    uint32_t in, out;
    for (uint32_t i = 0; i < w->flow.places; i++) {
        const struct crl_spot *place = &w->flow.place[i];
        struct cell own = {"o", crl_chunk_out(p, place->node, place->origin, place->dest)};
        bool wanted = crl_problem_wants(p, place->origin, place->dest, place->node);
        w->fresh[i] = true;
        w->held[i] = w->kept[i] = own;
        if (place->arrives && (w->scan || !wanted)) w->held[i] = (struct cell){"s", w->scratch[place->node]++};
    }
    for (uint32_t i = 0; i < w->flow.count; i++)
        w->landing[i] = w->sums ? (struct cell){"s", w->scratch[w->flow.moves[i].dst]++} : w->held[w->flow.to[i]];
    for (uint32_t v = 0; v < w->nodes; v++)
        for (uint32_t k = 0; crl_chunk_stays(p, v, &in, &out, k); k++)
            copy(w, v, (struct cell){"i", in}, (struct cell){"o", out});
}

static int prepare(struct writing *w)
{
    size_t places = w->flow.places + UINT64_C(1);
    CRL_NEW(&w->pool, w->held, places);
    CRL_NEW(&w->pool, w->kept, places);
    CRL_NEW(&w->pool, w->fresh, places);
    CRL_NEW(&w->pool, w->landing, w->flow.count);
    CRL_ZEROED(&w->pool, w->scratch, w->nodes);
    CRL_ZEROED(&w->pool, w->ops, w->nodes);
    CRL_ZEROED(&w->pool, w->peers, w->nodes);
    if (crl_pool_error(&w->pool)) return crl_fail_memory(w->diag);
    for (uint32_t v = 0; v < w->nodes; v++) {
        w->ops[v] = json_array();
        w->peers[v] = json_array();
    }
    return 0;
}

// ---- the file

static json_t *remote_buffers(const struct writing *w, uint32_t node)
{
    static const char *const types[] = {"i", "o", "s"};
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(w->peers[node]); i++)
        for (size_t k = 0; k < 3; k++)
            json_array_append_new(list, json_pack("{s:O, s:s, s:[s]}", "rank", json_array_get(w->peers[node], i),
                                                  "type", types[k], "access_channel_types", "memory"));
    return list;
}

static json_t *count_to(size_t end)
{
    json_t *list = json_array();
    for (size_t i = 0; i < end; i++) json_array_append_new(list, json_integer((json_int_t)i));
    return list;
}

static json_t *gpu(const struct writing *w, uint32_t node)
{
    const struct crl_problem *p = w->plan->problem;
    size_t peers = json_array_size(w->peers[node]);
    json_t *block = json_pack("{s:i, s:O, s:[{s:s, s:o}], s:[{s:s, s:o}]}", "id", 0, "ops", w->ops[node], "channels",
                              "channel_type", "memory", "channel_ids", count_to(peers), "remote_buffer_refs",
                              "access_channel_type", "memory", "remote_buffer_ids", count_to(3 * peers));
    return json_pack("{s:I, s:I, s:I, s:I, s:[o], s:[{s:s, s:O}], s:o, s:[]}", "id", (json_int_t)node, "input_chunks",
                     (json_int_t)crl_chunks_in(p), "output_chunks", (json_int_t)crl_chunks_out(p), "scratch_chunks",
                     (json_int_t)w->scratch[node], "threadblocks", block, "channels", "channel_type", "memory",
                     "connected_to", w->peers[node], "remote_buffers", remote_buffers(w, node), "semaphores");
}

static int write_all(const struct writing *w, FILE *file)
{
    const struct crl_problem *p = w->plan->problem;
    json_t *gpus = json_array();
    for (uint32_t v = 0; v < w->nodes; v++) json_array_append_new(gpus, gpu(w, v));
    json_t *plan = json_pack(
        "{s:o, s:s, s:s, s:s, s:b, s:b, s:o, s:i, s:b, s:i, s:i, s:I}", "name",
        json_sprintf("%s (%s) on %s", crl_problem_name(p), w->plan->scheme, crl_topology_name(p->topology)),
        "collective", crl_collective_elsewhere(p), "carillon_collective", crl_problem_name(p), "protocol", "Simple",
        "inplace", 0, "reuse_resources", 0, "gpus", gpus, "num_threads_per_block", 1024, "use_double_scratch_buffer", 0,
        "buffer_alignment", 16, "min_message_size", 0, "max_message_size", INT64_MAX);
    if (plan && crl_problem_has_root(p)) json_object_set_new(plan, "root", json_integer(p->root));
    int error = plan && !json_dumpf(plan, file, JSON_INDENT(1)) ? 0 : crl_fail_memory(w->diag);
    fputc('\n', file);
    json_decref(plan);
    return error;
}

static void done(struct writing *w)
{
    for (uint32_t v = 0; v < w->nodes; v++) {
        if (w->ops) json_decref(w->ops[v]);
        if (w->peers) json_decref(w->peers[v]);
    }
    crl_pool_done(&w->pool);
    crl_flow_done(&w->flow);
}

int crl_write_mscclpp_json(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(done)
    struct writing w = {.plan = plan,
                        .nodes = crl_topology_nodes(plan->schedule->topology),
                        .sums = crl_problem_sums(plan->problem),
                        .scan = crl_problem_scans(plan->problem),
                        .diag = diag};
    int error = crl_flow_make(&w.flow, plan, diag);
    if (!error) error = prepare(&w);
    if (!error) lay_cells(&w);
    for (struct crl_flow_at at = {0}; !error && crl_flow_next(&w.flow, &at);)
        at.arrives ? arrive(&w, at.move) : depart(&w, at.move);
    if (!error) error = write_all(&w, file);
    if (!error && ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot write the plan");
    return error;
}
