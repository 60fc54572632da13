// SPDX-License-Identifier: Apache-2.0
// What the options say of a problem on link topologies: its network, which nodes it is about, its root, parts and
// streams.
#include "machine/slots/slots.h"
#include "problem/bound.h"
#include <string.h>

// Splits packets as far as the scheme does, unless that is said.
static uint32_t parts_of(const struct slots_problem *p)
{
    const struct carillon_options *o = &p->common.options;
    if (o->parts || !o->scheme) return o->parts ? o->parts : 1;
    return crl_algorithm_parts(crl_problem_name(&p->problem), o->scheme, p->topology);
}

// Which nodes a partial collective is about, and into how many parts its packets are split.
static int parse_active(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    uint32_t count, parts = parts_of(p);
    if (!o->active && crl_problem_is_partial(&p->problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "which nodes are active in the %s? Say --active, as in --active 0,3,8-11 or --active random:5",
                        crl_problem_title(&p->problem));
    if (!o->active && crl_problem_has_lines(&p->problem)) return 0;
    if (!o->active) return crl_problem_set_parts(&p->problem, parts, diag);
    int error =
        crl_active_parse(&p->active, &count, "<active>", o->active ? o->active : "none", p->topology, o->seed, diag);
    return error ? error : crl_problem_set_active(&p->problem, p->active, count, parts, diag);
}

// Where the packets of a monotone routing go.
static int parse_dests(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    uint32_t count;
    char text[32];
    if (!o->to && crl_problem_routes(&p->problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "where do the packets of the %s go? Say --to, as in --to 2,5-7 or --to random",
                        crl_problem_title(&p->problem));
    if (!o->to) return 0;
    snprintf(text, sizeof text, "random:%u", p->problem.active_count);
    bool random = !strcmp(o->to, "random");
    // Another seed than that of the active nodes, which would give the same nodes.
    int error = crl_active_parse(&p->dests, &count, "<to>", random ? text : o->to, p->topology, ~o->seed, diag);
    return error ? error : crl_problem_set_dests(&p->problem, p->dests, count, diag);
}

// How many packets each node of a line broadcast has.
static int parse_lines(struct slots_problem *p, struct crl_diag *diag)
{
    const struct carillon_options *o = &p->common.options;
    if (!o->counts && crl_problem_has_lines(&p->problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "how many packets has each node? Say --counts, as in --counts 3,0,2 or --counts random:9");
    if (!o->counts && !o->dimension) return 0;
    int error =
        crl_counts_parse(&p->starts, o->counts ? o->counts : "0", crl_topology_nodes(p->topology), o->seed, diag);
    return error
               ? error
               : crl_problem_set_lines(&p->problem, p->starts, o->dimension ? o->dimension - 1 : 0, parts_of(p), diag);
}

// The network with dead links and members, if any are said: these belong to its name (topology/derived.c).
static int spell(char *whole, size_t size, const char *topology, const struct carillon_options *o,
                 struct crl_diag *diag)
{
    char cable[48] = "";
    bool cables = o->cable_latency || o->cable_gap || o->cable_each;
    if (cables && !o->boards && !strstr(topology, " boards "))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "cables are between boards: say --boards");
    if (cables)
        snprintf(cable, sizeof cable, o->cable_gap ? " cable %u,%u%s" : " cable %u%.0u%s", o->cable_latency,
                 o->cable_gap, o->cable_each ? ",each" : "");
    int length = snprintf(whole, size, "%s%s%s%s%s%s%s%s%s%s", topology, o->without ? " without " : "",
                          o->without ? o->without : "", o->members ? " members " : "", o->members ? o->members : "",
                          o->switches ? " switches " : "", o->switches ? o->switches : "", o->boards ? " boards " : "",
                          o->boards ? o->boards : "", cable);
    return (size_t)length < size ? 0 : crl_fail(diag, CRL_ERR_LIMIT, "the topology and its lists are too long");
}

// Words that streams take, and give, in a slot, where that is a limit at all.
static uint32_t words_a_slot(const struct slots_problem *p)
{
    uint32_t ports = crl_topology_ports(p->topology), most = p->problem.ports == CRL_PORTS_SINGLE ? 1 : ports;
    const struct carillon_options *o = &p->common.options;
    struct crl_geometry g = {.ports = ports, .lanes = o->lanes ? o->lanes : ports};
    uint64_t words = (uint64_t)o->streams * crl_slot_cycles(&g, p->problem.ports);
    return words < most ? (uint32_t)words : 0;
}

static int parse_root(uint32_t *root, const struct slots_problem *p, struct crl_diag *diag)
{
    const char *text = p->common.options.root;
    *root = text ? crl_topology_node_named(p->topology, text, strlen(text)) : 0;
    if (*root != CRL_NONE) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT, "root '%.80s' is not a node of %s, whose nodes are 0 to %u", text,
                    crl_topology_name(p->topology), crl_topology_nodes(p->topology) - 1);
}

int slots_parse(struct carillon_problem *problem, const char *algorithm, const char *topology, struct crl_diag *diag)
{
    struct slots_problem *p = slots_problem_of(problem);
    const char *ports = problem->options.ports;
    char hint[96];
    if (ports && strcmp(ports, "all") && strcmp(ports, "single"))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--ports is all or single, not '%s'", ports);
    char whole[400];
    int error = slots_refuse_time(&problem->options, diag);
    if (!error) error = spell(whole, sizeof whole, topology, &problem->options, diag);
    if (!error) error = crl_topology_parse(&p->topology, whole, diag);
    if (error == CRL_ERR_RULE && !slots_is_of_demands(algorithm)) error = CRL_ERR_PARSE;
    if (!error && problem->options.link_latency)
        error = crl_topology_set_latency(p->topology, problem->options.link_latency, diag);
    uint32_t root = 0;
    if (!error) error = parse_root(&root, p, diag);
    if (!error)
        error = crl_problem_init(&p->problem, algorithm, p->topology, root,
                                 ports && !strcmp(ports, "single") ? CRL_PORTS_SINGLE : CRL_PORTS_ALL, diag);
    p->problem.context = problem->context;
    p->problem.priced = &p->priced;
    p->problem.effort = problem->options.effort;
    if (!error && problem->options.chunks && crl_problem_takes_chunks(&p->problem))
        error = crl_problem_set_chunks(&p->problem, problem->options.chunks, diag);
    if (!error && problem->options.op) {
        p->problem.op = crl_op_named(problem->options.op);
        if (p->problem.op == CRL_OPS)
            error = crl_fail(diag, CRL_ERR_ARGUMENT,
                             "--op is add, min, max, xor, and, or, fadd, fadd-bf16, fadd-fp16; not '%s'%s",
                             problem->options.op, crl_op_meant(problem->options.op, CRL_OPS, hint));
    }
    bool online = !error && !crl_problem_has_tables(&p->problem);
    if (online && crl_topology_latency_max(p->topology) > 1)
        error = crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is for on-line routers, whose links have latency 1",
                         crl_problem_title(&p->problem));
    if (!error) error = parse_active(p, diag);
    if (!error) error = parse_dests(p, diag);
    if (!error) error = parse_lines(p, diag);
    if (!error) error = slots_parse_demands(p, diag);
    if (!error && problem->options.refute) error = crl_bound_refute(&p->problem, problem->options.refute * 1000, diag);
    uint32_t lanes = problem->options.lanes, streams = problem->options.streams;
    if (!error && streams == CARILLON_STREAMS_ALL)
        problem->options.streams = streams = lanes ? lanes : crl_topology_ports(p->topology);
    if (!error && streams != CARILLON_STREAMS_ALL && streams > (lanes ? lanes : crl_topology_ports(p->topology)))
        error =
            crl_fail(diag, CRL_ERR_ARGUMENT, "'%u' streams; a node of %u lanes has 1 to %u each way", streams,
                     lanes ? lanes : crl_topology_ports(p->topology), lanes ? lanes : crl_topology_ports(p->topology));
    if (!error) p->problem.words_a_slot = words_a_slot(p);
    return error;
}

void slots_problem_done(struct carillon_problem *problem)
{
    struct slots_problem *p = slots_problem_of(problem);
    crl_topology_free(p->topology);
    crl_priced_done(&p->priced);
    CRL_FREE(p->active, p->dests, p->starts);
    crl_demands_done(&p->demands);
    crl_schedule_done(&p->kept);
}
