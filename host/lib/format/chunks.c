// SPDX-License-Identifier: Apache-2.0
// Where packets lie in the buffers that MSCCL, MSCCL++ and MPI know: an input and an output of chunks.
#include "format/format.h"
#include <string.h>

const char *crl_collective_elsewhere(const struct crl_problem *problem)
{
    static const char *const names[][2] = {{"multinode-broadcast", "allgather"},
                                           {"total-exchange", "alltoall"},
                                           {"all-reduce", "allreduce"},
                                           {"reduce-scatter", "reducescatter"},
                                           {"broadcast", "broadcast"},
                                           {"scatter", "scatter"},
                                           {"gather", "gather"},
                                           {"reduce", "reduce"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(crl_problem_name(problem), names[i][0])) return names[i][1];
    return "custom";
}

static bool from_root(const struct crl_problem *p) { return p->collective->origins == CRL_ENDS_ROOT; }
static bool to_root(const struct crl_problem *p) { return p->collective->dests == CRL_ENDS_ROOT; }
static bool is_pair(const struct crl_problem *p) { return crl_naming_is_pair(crl_problem_naming(p)); }
// Where a node sends one packet at most and gets one at most.
static bool is_route(const struct crl_problem *p) { return is_pair(p) && p->collective->rule; }

// How many parts a packet's name can have.
static uint32_t parts_of(const struct crl_problem *p)
{
    if (crl_problem_naming(p) == CRL_NAMING_SPLIT_PAIR) return p->parts;
    if (crl_problem_naming(p) != CRL_NAMING_PART) return 1;
    return crl_problem_has_lines(p) ? crl_problem_line_packets(p) * p->parts : p->parts;
}

// Of traffic a node has its packets side by side in the order of demands, and so it gets others'. How many of those
// that a node has, or gets, stand before demand `end`.
static uint32_t chunks_before(const struct crl_demands *d, uint32_t node, bool gets, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = 0; d && i < end; i++)
        if (gets ? crl_demand_wants(&d->demand[i], node) : d->demand[i].src == node) count += d->demand[i].packets;
    return count;
}

// The same buffers at all nodes: as large as the largest.
static uint32_t most_chunks(const struct crl_problem *p, bool gets)
{
    uint32_t most = 0;
    for (uint32_t v = 0; p->demands && v < crl_topology_nodes(p->topology); v++) {
        uint32_t count = chunks_before(p->demands, v, gets, p->demands->count);
        if (count > most) most = count;
    }
    return most;
}

// The chunk for, or from, a node of a packet that is for one node.
static uint32_t pair_chunk(const struct crl_problem *p, uint32_t node, uint32_t dest)
{
    return p->parts > 1 ? node * p->parts + (dest & ((1u << CRL_PART_BITS) - 1)) : node;
}

uint32_t crl_chunk_in(const struct crl_problem *p, uint32_t origin, uint32_t dest)
{
    if (crl_problem_sums(p)) return origin;
    if (crl_problem_has_demands(p))
        return chunks_before(p->demands, p->demands->demand[origin].src, false, origin) + dest;
    if (is_route(p)) return 0;
    if (is_pair(p)) return pair_chunk(p, to_root(p) ? 0 : crl_packet_dest(crl_problem_naming(p), dest), dest);
    return dest; // a part, or 0
}

uint32_t crl_chunk_out(const struct crl_problem *p, uint32_t node, uint32_t origin, uint32_t dest)
{
    if (crl_problem_has_demands(p)) return chunks_before(p->demands, node, true, origin) + dest;
    if (crl_problem_sums(p)) return !strcmp(crl_problem_name(p), "reduce-scatter") ? origin % p->parts : origin;
    if (is_route(p)) return 0;
    if (is_pair(p)) return pair_chunk(p, from_root(p) ? 0 : origin, dest);
    return from_root(p) ? dest : origin * parts_of(p) + dest;
}

uint32_t crl_chunks_in(const struct crl_problem *p)
{
    if (crl_problem_sums(p)) return p->chunks;
    if (crl_problem_has_demands(p)) return most_chunks(p, false);
    if (is_route(p)) return 1;
    if (is_pair(p)) return (to_root(p) ? 1 : crl_topology_nodes(p->topology)) * parts_of(p);
    return parts_of(p);
}

uint32_t crl_chunks_out(const struct crl_problem *p)
{
    if (crl_problem_sums(p)) return crl_chunk_out(p, 0, p->chunks - 1, 0) + 1;
    if (crl_problem_has_demands(p)) return most_chunks(p, true);
    if (is_route(p)) return 1;
    if (from_root(p)) return parts_of(p);
    return crl_topology_nodes(p->topology) * parts_of(p);
}

static bool is_end(const struct crl_problem *p, enum crl_ends ends, uint32_t node)
{
    bool one = false;
    if (ends == CRL_ENDS_ACTIVE) crl_nodes_below(p->active, p->active_count, node, &one);
    return ends == CRL_ENDS_ALL || (ends == CRL_ENDS_ROOT && node == p->root) || one;
}

bool crl_chunk_stays(const struct crl_problem *p, uint32_t node, uint32_t *in, uint32_t *out, uint32_t index)
{
    const struct crl_collective *c = p->collective;
    if (crl_problem_scans(p)) {
        *in = *out = index;
        return index < p->chunks;
    }
    if (c->rule || !is_end(p, c->origins, node) || (is_pair(p) && !is_end(p, c->dests, node))) return false;
    if (index >= parts_of(p)) return false;
    uint32_t dest = !is_pair(p) ? index : p->parts > 1 ? node << CRL_PART_BITS | index : node;
    *in = crl_chunk_in(p, node, dest);
    *out = crl_chunk_out(p, node, node, dest);
    return true;
}

void crl_write_escaped(const char *text, FILE *file)
{
    for (; *text; text++)
        if (strchr("&<>\"'", *text)) fprintf(file, "&#%d;", *text);
        else fputc(*text, file);
}
