// SPDX-License-Identifier: Apache-2.0
#include "problem/bound_prices.h"
#include "problem/demand_bound.h"
#include "problem/problem.h"
#include <string.h>

#define ALL    CRL_ENDS_ALL
#define ROOT   CRL_ENDS_ROOT
#define ACTIVE CRL_ENDS_ACTIVE

static const struct crl_collective collectives[] = {
    {"broadcast", NULL, CRL_NAMING_ORIGIN, ROOT, ALL, crl_bound_broadcast, crl_transmissions_broadcast, NULL},
    {"multinode-broadcast", "all-gather", CRL_NAMING_ORIGIN, ALL, ALL, crl_bound_multinode_broadcast,
     crl_transmissions_multinode_broadcast, NULL},
    {"scatter", NULL, CRL_NAMING_PAIR, ROOT, ALL, crl_bound_rooted, crl_transmissions_rooted, NULL},
    {"gather", NULL, CRL_NAMING_PAIR, ALL, ROOT, crl_bound_rooted, crl_transmissions_rooted, NULL},
    {"total-exchange", "all-to-all", CRL_NAMING_PAIR, ALL, ALL, crl_bound_total_exchange,
     crl_transmissions_total_exchange, NULL},
    {"partial-multinode-broadcast", "partial-all-gather", CRL_NAMING_ORIGIN, ACTIVE, ALL, crl_bound_partial,
     crl_transmissions_partial, NULL},
    {"partial-exchange", NULL, CRL_NAMING_PAIR, ACTIVE, ALL, crl_bound_partial, crl_transmissions_partial, NULL},
    {"partial-gather", NULL, CRL_NAMING_PAIR, ALL, ACTIVE, crl_bound_partial, crl_transmissions_partial, NULL},
    {"reduce", NULL, CRL_NAMING_ORIGIN, ALL, ROOT, crl_bound_reduce, crl_transmissions_sum, &crl_rule_reduce},
    {"reduce-scatter", NULL, CRL_NAMING_ORIGIN, ALL, ALL, crl_bound_turned, crl_transmissions_sum,
     &crl_rule_reduce_scatter},
    {"all-reduce", NULL, CRL_NAMING_ORIGIN, ALL, ALL, crl_bound_all_reduce, crl_transmissions_all_reduce,
     &crl_rule_all_reduce},
    {"scan", NULL, CRL_NAMING_ORIGIN, ALL, ALL, crl_bound_scan, crl_transmissions_sum, &crl_rule_scan},
    {"prefix", NULL, CRL_NAMING_RANGE, ALL, ALL, crl_bound_prefix, crl_transmissions_prefix, &crl_rule_ranges},
    {"packing", NULL, CRL_NAMING_PAIR, ACTIVE, ALL, crl_bound_routing, crl_transmissions_routing, &crl_rule_ranks},
    {"monotone-routing", NULL, CRL_NAMING_PAIR, ACTIVE, ALL, crl_bound_routing, crl_transmissions_routing,
     &crl_rule_dests},
    {"line-broadcast", NULL, CRL_NAMING_PART, ALL, ALL, crl_bound_line, crl_transmissions_line, &crl_rule_lines},
    {"traffic", NULL, CRL_NAMING_DEMAND, ALL, ALL, crl_bound_traffic, crl_transmissions_traffic, &crl_rule_demands},
    {"groups", NULL, CRL_NAMING_DEMAND, ALL, ALL, crl_bound_traffic, crl_transmissions_traffic, &crl_rule_demands},
    {"program", NULL, CRL_NAMING_DEMAND, ALL, ALL, crl_bound_traffic, crl_transmissions_traffic, &crl_rule_demands},
};

// The same where some demands are sums.
#define SUMMING CRL_NAMING_DEMAND, ALL, ALL, crl_bound_traffic, crl_transmissions_traffic, &crl_rule_demand_sums
static const struct crl_collective summing[] = {
    {"traffic", NULL, SUMMING}, {"groups", NULL, SUMMING}, {"program", NULL, SUMMING}};

const struct crl_collective *crl_collective_that_sums(const struct crl_collective *collective)
{
    const struct crl_collective *c = summing;
    while (strcmp(c->name, collective->name) != 0) c++;
    return c;
}

static const struct crl_collective *collective_named(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        const struct crl_collective *c = &collectives[i];
        if (!strcmp(name, c->name) || (c->alias && !strcmp(name, c->alias))) return c;
    }
    return NULL;
}

const char *crl_packet_name(enum crl_naming naming, const struct crl_demands *demands, uint32_t origin, uint32_t dest,
                            char text[CRL_PACKET_NAME])
{
    const uint32_t part = dest & ((1u << CRL_PART_BITS) - 1);
    if (naming == CRL_NAMING_ORIGIN) snprintf(text, CRL_PACKET_NAME, "%u", origin);
    else if (naming == CRL_NAMING_DEMAND && demands) crl_demands_packet_name(demands, origin, dest, text);
    else if (naming == CRL_NAMING_SPLIT_PAIR)
        snprintf(text, CRL_PACKET_NAME, "%u>%u.%u", origin, dest >> CRL_PART_BITS, part);
    else snprintf(text, CRL_PACKET_NAME, "%u%c%u", origin, crl_naming_separator(naming), dest);
    return text;
}

const char *crl_problem_packet_name(const struct crl_problem *problem, uint32_t origin, uint32_t dest,
                                    char text[CRL_PACKET_NAME])
{
    return crl_packet_name(crl_problem_naming(problem), problem->demands, origin, dest, text);
}

char crl_naming_separator(enum crl_naming naming)
{
    static const char separators[] = {
        [CRL_NAMING_ORIGIN] = 0,  [CRL_NAMING_PAIR] = '>',       [CRL_NAMING_PART] = '.',
        [CRL_NAMING_RANGE] = '-', [CRL_NAMING_SPLIT_PAIR] = '>', [CRL_NAMING_DEMAND] = '.'};
    return separators[naming];
}

const char *crl_collective_at(size_t index)
{
    return index < sizeof collectives / sizeof *collectives ? collectives[index].name : NULL;
}

bool crl_collective_known(const char *name) { return collective_named(name); }

static int fail_unknown(const char *name, struct crl_diag *diag)
{
    struct carillon_nearest nearest = {.word = name};
    char hint[96];
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        crl_nearest_try(&nearest, collectives[i].name);
        if (collectives[i].alias) crl_nearest_try(&nearest, collectives[i].alias);
    }
    return crl_fail(diag, CRL_ERR_ARGUMENT, "unknown algorithm '%.80s'; 'carillon list' shows what there is%s", name,
                    crl_did_you_mean(&nearest, hint));
}

int crl_problem_init(struct crl_problem *problem, const char *name, const struct crl_topology *topology, uint32_t root,
                     enum crl_ports ports, struct crl_diag *diag)
{
    memset(problem, 0, sizeof *problem);
    problem->collective = collective_named(name);
    if (!problem->collective) return fail_unknown(name, diag);
    problem->hosts = crl_topology_hosts(topology, &problem->host_count);
    bool sums = crl_problem_sums(problem) && !crl_problem_scans(problem);
    if (problem->hosts && problem->collective->rule && !crl_problem_has_demands(problem) && !sums)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "%s is not supported on networks with switches, as %s is; broadcast, all-gather, scatter, "
                        "gather, all-to-all, reduce, reduce-scatter and all-reduce are",
                        problem->collective->name, crl_topology_name(topology));
    if (crl_topology_switches_add(topology) && crl_problem_sums(problem) &&
        strcmp(problem->collective->name, "all-reduce"))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "switches that add are for all-reduce, not for %s",
                        problem->collective->name);
    if (root >= crl_topology_nodes(topology))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "root '%u' is not a node of %s, whose nodes are 0 to %u", root,
                        crl_topology_name(topology), crl_topology_nodes(topology) - 1);
    problem->topology = topology;
    problem->root = root;
    if (crl_problem_has_root(problem) && !crl_problem_is_host(problem, root))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "root '%u' only forwards; the first host of %s is %u", root,
                        crl_topology_name(topology), problem->hosts[0]);
    problem->ports = ports;
    problem->parts = 1;
    if (crl_problem_sums(problem)) problem->chunks = crl_problem_usual_chunks(problem);
    return 0;
}

bool crl_problem_has_root(const struct crl_problem *problem)
{
    return problem->collective->origins == CRL_ENDS_ROOT || problem->collective->dests == CRL_ENDS_ROOT;
}

bool crl_problem_is_partial(const struct crl_problem *problem)
{
    return problem->collective->origins == ACTIVE || problem->collective->dests == ACTIVE;
}

int crl_problem_set_active(struct crl_problem *problem, const uint32_t *active, uint32_t count, uint32_t parts,
                           struct crl_diag *diag)
{
    if (!crl_problem_is_partial(problem))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "every node takes part in %s", crl_problem_title(problem));
    int error = crl_problem_set_parts(problem, parts, diag);
    if (!error) error = crl_nodes_ascending(problem->topology, active, count, "active node", diag);
    if (error) return error;
    for (uint32_t i = 0; i < count; i++)
        if (!crl_problem_is_host(problem, active[i]))
            return crl_fail(diag, CRL_ERR_ARGUMENT, "active node '%u' only forwards; say hosts of %s", active[i],
                            crl_topology_name(problem->topology));
    problem->active = active;
    problem->active_count = count;
    return 0;
}

// Line broadcasts have numbers of parts of their own, partial ones are told with the nodes. Parts of sums are chunks;
// of a reduce-scatter a node wants as many, one after the other.
int crl_problem_set_parts(struct crl_problem *problem, uint32_t parts, struct crl_diag *diag)
{
    const struct crl_collective *c = problem->collective;
    bool pair = c->naming == CRL_NAMING_PAIR, fits = parts >> CRL_PART_BITS == 0;
    bool chunks = crl_problem_sums(problem) && c->origins == ALL && c->dests == ALL && !crl_problem_scans(problem);
    if (chunks && parts > 1) {
        uint32_t usual = crl_problem_usual_chunks(problem);
        if (problem->chunks != usual)
            return crl_fail(diag, CRL_ERR_ARGUMENT, "say --parts or --chunks: '%u' parts are %llu chunks", parts,
                            (unsigned long long)parts * usual);
        if (parts > UINT32_MAX / usual) return crl_fail(diag, CRL_ERR_LIMIT, "'%u' parts are too many", parts);
        problem->chunks = parts * usual;
        problem->parts = crl_problem_turns(problem) ? parts : 1;
        return 0;
    }
    if (parts < 1 || (parts > 1 && (c->rule || (pair && crl_problem_is_partial(problem)))))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "packets of %s are not split", crl_problem_title(problem));
    if (parts > 1 && pair && (!fits || crl_topology_nodes(problem->topology) > CRL_SPLIT_NODES_MAX))
        return crl_fail(diag, CRL_ERR_LIMIT, "packets of a %s are split into up to %d parts, on up to %d nodes",
                        crl_problem_title(problem), (1 << CRL_PART_BITS) - 1, CRL_SPLIT_NODES_MAX);
    problem->parts = parts;
    return 0;
}

const char *crl_problem_name(const struct crl_problem *problem) { return problem->collective->name; }

static const char *title_of(const struct crl_collective *c) { return c->alias ? c->alias : c->name; }

const char *crl_problem_title(const struct crl_problem *problem) { return title_of(problem->collective); }

const char *crl_collective_title(const char *name)
{
    const struct crl_collective *c = collective_named(name);
    return c ? title_of(c) : name;
}
enum crl_naming crl_problem_naming(const struct crl_problem *problem)
{
    enum crl_naming naming = problem->collective->naming;
    if (problem->parts == 1 || crl_problem_sums(problem)) return naming;
    return naming == CRL_NAMING_PAIR && !problem->collective->rule ? CRL_NAMING_SPLIT_PAIR : CRL_NAMING_PART;
}

bool crl_problem_is_symmetric(const struct crl_problem *problem)
{
    const struct crl_collective *c = problem->collective;
    if (c->origins != ALL || c->dests != ALL || !crl_topology_is_symmetric(problem->topology)) return false;
    if (crl_problem_naming(problem) == CRL_NAMING_SPLIT_PAIR) return false; // no scheme makes use of it
    if (crl_problem_has_demands(problem)) return false;
    // Chunks are named like nodes, and go along when these are translated, where there is one for each.
    if (crl_problem_sums(problem)) return problem->chunks == problem->topology->nodes && !crl_problem_scans(problem);
    return !c->rule;
}

bool crl_problem_has_tables(const struct crl_problem *problem)
{
    return !problem->collective->rule || crl_problem_sums(problem) || crl_problem_has_demands(problem);
}

bool crl_problem_for_all(const struct crl_problem *problem)
{
    return !problem->collective->rule && problem->collective->naming == CRL_NAMING_ORIGIN && !problem->hosts;
}

bool crl_problem_is_host(const struct crl_problem *problem, uint32_t node)
{
    bool is_one = true;
    if (problem->hosts) crl_nodes_below(problem->hosts, problem->host_count, node, &is_one);
    return is_one;
}

bool crl_problem_adds(const struct crl_problem *problem, uint32_t node)
{
    return crl_topology_switches_add(problem->topology) || crl_problem_is_host(problem, node);
}

// ---- the nodes at one end of the packets, in ascending order

uint64_t crl_ends_count(const struct crl_problem *problem, enum crl_ends ends)
{
    if (ends == ALL) return problem->host_count;
    return ends == ROOT ? 1 : problem->active_count;
}

uint32_t crl_ends_node(const struct crl_problem *problem, enum crl_ends ends, uint64_t rank)
{
    if (ends == ALL) return problem->hosts ? problem->hosts[rank] : (uint32_t)rank;
    return ends == ROOT ? problem->root : problem->active[rank];
}

int crl_nodes_ascending(const struct crl_topology *topology, const uint32_t *list, uint32_t count, const char *what,
                        struct crl_diag *diag)
{
    uint32_t nodes = crl_topology_nodes(topology);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] >= nodes)
            return crl_fail(diag, CRL_ERR_ARGUMENT, "%s '%u' is not a node of %s, whose nodes are 0 to %u", what,
                            list[i], crl_topology_name(topology), nodes - 1);
        if (i && list[i] <= list[i - 1])
            return crl_fail(diag, CRL_ERR_ARGUMENT, "%s '%u' is listed twice or out of order", what, list[i]);
    }
    return 0;
}

uint32_t crl_nodes_below(const uint32_t *list, uint32_t count, uint32_t node, bool *is_one)
{
    uint32_t least = 0, most = count;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (list[middle] < node) least = middle + 1;
        else most = middle;
    }
    *is_one = least < count && list[least] == node;
    return least;
}

// How many of them are below `node`, and whether it is one itself.
static uint64_t ends_rank(const struct crl_problem *problem, enum crl_ends ends, uint32_t node, bool *is_one)
{
    if (ends == ALL && problem->hosts) return crl_nodes_below(problem->hosts, problem->host_count, node, is_one);
    if (ends == ALL) {
        *is_one = node < crl_topology_nodes(problem->topology);
        return node;
    }
    if (ends == ROOT) {
        *is_one = node == problem->root;
        return node > problem->root;
    }
    return crl_nodes_below(problem->active, problem->active_count, node, is_one);
}

static bool is_end(const struct crl_problem *problem, enum crl_ends ends, uint32_t node)
{
    bool is_one;
    ends_rank(problem, ends, node, &is_one);
    return is_one;
}

// ---- packets

// Packets named by pair of all origins below the one of rank `rank`: a node has none for itself.
static uint64_t pairs_before(const struct crl_problem *problem, uint64_t rank)
{
    const struct crl_collective *c = problem->collective;
    uint64_t dests = crl_ends_count(problem, c->dests), both = rank;
    bool is_one;
    if (c->dests != ALL && rank) // origins are all hosts, and those of lower rank end below the next node
        both = ends_rank(problem, c->dests, crl_ends_node(problem, ALL, rank - 1) + 1, &is_one);
    return rank * dests - both;
}

uint64_t crl_problem_packets(const struct crl_problem *problem)
{
    uint64_t origins = crl_ends_count(problem, problem->collective->origins);
    if (problem->collective->rule) return problem->collective->rule->packets(problem);
    if (problem->collective->naming == CRL_NAMING_ORIGIN) return origins * problem->parts;
    return pairs_before(problem, origins) * problem->parts;
}

// The rank of the origin of packet `index`.
static uint64_t pair_origin(const struct crl_problem *problem, uint64_t index)
{
    const struct crl_collective *c = problem->collective;
    uint64_t least = 0, most = crl_ends_count(problem, c->origins) - 1;
    if (c->dests == ALL) return index / (problem->host_count - UINT64_C(1));
    while (least < most) {
        uint64_t middle = least + (most - least + 1) / 2;
        if (pairs_before(problem, middle) <= index) least = middle;
        else most = middle - 1;
    }
    return least;
}

void crl_problem_packet(const struct crl_problem *problem, uint64_t index, uint32_t *origin, uint32_t *dest)
{
    const struct crl_collective *c = problem->collective;
    if (c->rule) {
        c->rule->packet(problem, index, origin, dest);
        return;
    }
    if (c->naming == CRL_NAMING_ORIGIN) {
        *origin = crl_ends_node(problem, c->origins, index / problem->parts);
        *dest = (uint32_t)(index % problem->parts);
        return;
    }
    uint64_t pair = index / problem->parts, rank = pair_origin(problem, pair), nth = pair - pairs_before(problem, rank);
    bool is_one;
    *origin = crl_ends_node(problem, c->origins, rank);
    uint64_t own = ends_rank(problem, c->dests, *origin, &is_one);
    *dest = crl_ends_node(problem, c->dests, nth + (is_one && nth >= own));
    if (problem->parts > 1) *dest = *dest << CRL_PART_BITS | (uint32_t)(index % problem->parts);
}

uint64_t crl_problem_index(const struct crl_problem *problem, uint32_t origin, uint32_t dest)
{
    const struct crl_collective *c = problem->collective;
    bool is_origin, is_dest, has_own;
    if (c->rule) return c->rule->index(problem, origin, dest);
    uint64_t rank = ends_rank(problem, c->origins, origin, &is_origin);
    if (!is_origin) return UINT64_MAX;
    if (c->naming == CRL_NAMING_ORIGIN) return dest < problem->parts ? rank * problem->parts + dest : UINT64_MAX;
    uint32_t part = problem->parts > 1 ? dest & ((1u << CRL_PART_BITS) - 1) : 0;
    dest = crl_packet_dest(crl_problem_naming(problem), dest);
    uint64_t nth = ends_rank(problem, c->dests, dest, &is_dest), own = ends_rank(problem, c->dests, origin, &has_own);
    if (!is_dest || origin == dest || part >= problem->parts) return UINT64_MAX;
    return (pairs_before(problem, rank) + nth - (has_own && nth > own)) * problem->parts + part;
}

bool crl_problem_wants(const struct crl_problem *problem, uint32_t origin, uint32_t dest, uint32_t node)
{
    const struct crl_collective *c = problem->collective;
    if (c->rule) return c->rule->wants(problem, origin, dest, node);
    return c->naming == CRL_NAMING_ORIGIN ? crl_problem_is_host(problem, node)
                                          : node == crl_packet_dest(crl_problem_naming(problem), dest);
}

uint64_t crl_problem_wanted(const struct crl_problem *problem, uint32_t node)
{
    const struct crl_collective *c = problem->collective;
    uint64_t origins = crl_ends_count(problem, c->origins);
    if (c->rule) return c->rule->wanted(problem, node);
    if (c->naming == CRL_NAMING_ORIGIN) return crl_problem_is_host(problem, node) ? origins * problem->parts : 0;
    return is_end(problem, c->dests, node) ? (origins - is_end(problem, c->origins, node)) * problem->parts : 0;
}

uint64_t crl_problem_wanted_own(const struct crl_problem *problem, uint32_t node)
{
    uint64_t count = 0;
    if (crl_problem_has_demands(problem)) return 0; // a demand's source is none of its destinations
    if (problem->collective->naming == CRL_NAMING_PAIR)
        return crl_problem_index(problem, node, node) != UINT64_MAX && crl_problem_wants(problem, node, node, node);
    for (uint32_t part = 0; crl_problem_index(problem, node, part) != UINT64_MAX; part++)
        count += crl_problem_wants(problem, node, part, node);
    return count;
}

uint64_t crl_problem_bound_slots(const struct crl_problem *problem)
{
    if (!crl_problem_packets(problem)) return 0;
    if (problem->demands) return crl_bound_traffic(problem);
    bool late = crl_topology_latency_max(problem->topology) > 1 && !crl_problem_sums(problem);
    uint64_t slots = problem->hosts && !crl_problem_sums(problem) ? crl_bound_hosts(problem)
                     : late                                       ? crl_bound_latency(problem)
                                                                  : problem->collective->bound_slots(problem);
    uint64_t exchange = crl_bound_exchange(problem);
    slots = crl_bound_spread(problem, crl_bound_flow(problem, exchange > slots ? exchange : slots));
    return problem->priced && problem->priced->refuted > slots ? problem->priced->refuted : slots;
}

uint64_t crl_problem_parts_a_count(const struct crl_problem *problem)
{
    bool ruled = problem->collective->rule && !crl_problem_sums(problem);
    return crl_problem_is_partial(problem) || ruled ? problem->parts : 1;
}

uint64_t crl_problem_bound_transmissions(const struct crl_problem *problem)
{
    bool moves = problem->hosts && !problem->demands && !crl_problem_sums(problem);
    uint64_t packets = moves ? crl_transmissions_hosts(problem) : problem->collective->bound_transmissions(problem);
    return packets == UINT64_MAX ? packets : packets * (problem->parts / crl_problem_parts_a_count(problem));
}
