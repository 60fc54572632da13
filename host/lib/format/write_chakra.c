// SPDX-License-Identifier: Apache-2.0
// Chakra execution traces as JSON, in the form that Chakra's own jsonizer gives its messages: of each rank the
// metadata, then its nodes. Rank, collective, slot and packet are attributes more, which the schema allows.
#include "base/base.h"
#include "format/format.h"
#include <jansson.h>

// Integers of 64 bits are strings in the JSON of protocol buffers.
static json_t *number_text(uint64_t number) { return json_sprintf("%llu", (unsigned long long)number); }

static json_t *attribute(const char *name, const char *kind, json_t *value)
{
    return json_pack("{s:s, s:o}", "name", name, kind, value);
}

static json_t *metadata(const struct crl_plan *plan, uint32_t rank)
{
    const struct crl_problem *p = plan->problem;
    json_t *attr = json_pack("[o, o]", attribute("rank", "uint32Val", json_integer(rank)),
                             attribute("collective", "stringVal", json_string(crl_problem_name(p))));
    if (crl_problem_has_root(p)) json_array_append_new(attr, attribute("root", "uint32Val", json_integer(p->root)));
    return json_pack("{s:s, s:o}", "version", "0.0.4", "attr", attr);
}

// What a packet waits for that is none of its own.
static void add_waits(json_t *needs, const struct crl_plan *plan, const struct crl_ranks *ranks, uint32_t move)
{
    CRL_OWNED uint32_t *place = NULL;
    size_t count;
    if (crl_flow_waits(ranks->flow, plan->problem, move, &place, &count)) return;
    for (size_t i = 0; i < count; i++)
        json_array_append_new(needs, number_text(2 * (uint64_t)crl_ranks_first(ranks, place[i]) + 1));
}

// Nodes of a rank are numbered by events, so that a move is another number at each end.
static json_t *node(const struct crl_plan *plan, const struct crl_ranks *ranks, uint32_t event)
{
    uint32_t move = event / 2;
    const struct crl_move *m = &ranks->flow->moves[move];
    char packet[CRL_PACKET_NAME];
    crl_schedule_packet_name(plan->schedule, m, packet);
    json_t *attr = json_pack(
        "[o, o, o, o, o, o]", attribute("is_cpu_op", "boolVal", json_false()),
        attribute("comm_size", "int64Val", number_text(1)), attribute("comm_src", "int32Val", json_integer(m->src)),
        attribute("comm_dst", "int32Val", json_integer(m->dst)),
        attribute("comm_tag", "int64Val", number_text(crl_problem_index(plan->problem, m->origin, m->dest))),
        attribute("packet", "stringVal", json_string(packet)));
    json_t *needs = json_array();
    for (uint32_t s = CRL_NONE; event & 1 && (s = crl_ranks_left(ranks, move, s)) != CRL_NONE;)
        json_array_append_new(needs, number_text(2 * (uint64_t)s));
    if (!(event & 1)) {
        json_array_append_new(attr, attribute("slot", "uint32Val", json_integer(m->slot)));
        for (uint32_t a = CRL_NONE; (a = crl_ranks_need(ranks, move, a)) != CRL_NONE;)
            json_array_append_new(needs, number_text(2 * (uint64_t)a + 1));
        add_waits(needs, plan, ranks, move);
    }
    json_t *node = json_pack("{s:o, s:o, s:s}", "id", number_text(event), "name",
                             json_sprintf("%s %s %u to %u", event & 1 ? "receive" : "send", packet, m->src, m->dst),
                             "type", event & 1 ? "COMM_RECV_NODE" : "COMM_SEND_NODE");
    if (json_array_size(needs)) json_object_set(node, "dataDeps", needs);
    json_decref(needs);
    json_object_set_new(node, "attr", attr);
    return node;
}

static int write_message(json_t *message, FILE *file, struct crl_diag *diag)
{
    int error = message && !json_dumpf(message, file, JSON_INDENT(2)) ? 0 : crl_fail_memory(diag);
    json_decref(message);
    fputc('\n', file);
    return error;
}

int crl_write_chakra(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    CRL_ENDED(crl_flow_done) struct crl_flow flow = {0};
    CRL_ENDED(crl_ranks_done) struct crl_ranks ranks = {0};
    int error = crl_flow_make(&flow, plan, diag);
    if (!error && crl_ranks_make(&ranks, &flow, plan->problem)) error = crl_fail_memory(diag);
    for (uint32_t v = 0; v < crl_topology_nodes(plan->schedule->topology) && !error; v++) {
        error = write_message(metadata(plan, v), file, diag);
        for (uint32_t i = ranks.start[v]; i < ranks.start[v + 1] && !error; i++)
            error = write_message(node(plan, &ranks, ranks.event[i]), file, diag);
    }
    if (!error && ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot write the trace");
    return error;
}
