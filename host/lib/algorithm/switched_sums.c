// SPDX-License-Identifier: Apache-2.0
// Sums on networks some of whose nodes only forward. What such a switch holds of a chunk is what came last, so a
// partial sum has left it before the next one of the chunk comes. Complete sums it copies.
//
// Each chunk comes together at a root and spreads from there, and all share the links. Backwards from the end the hosts
// that it comes from grow one by one, that which is reached soonest, or a far one first, whose neighbours it can reach
// while others are on their way; in the same way, forwards, those that it spreads to. switched_turn.c tries that and
// another way to bring chunks together many times.
#include "algorithm/algorithm.h"
#include "algorithm/switched.h"
#include "base/random.h"
#include <string.h>

enum { STEPS_A_MS = 200000, EFFORT_MS = 6000, CELLS_MAX = 1 << 28, SLOTS_MAX = 1 << 20, FEW = 4, SEED = 2 };

// ---------------------------------------------------------------- a host more

void crl_switched_hold(struct crl_switched *p, uint32_t chunk, uint32_t slot, bool partial)
{
    for (uint32_t v = 0; v < p->nodes; v++) {
        if (p->host[v]) continue;
        if (p->held[v] == NEVER && p->reached[spot(p, slot - 1, v)] == p->search) p->held[v] = slot - 1;
        if (partial && *passes(p, chunk, v, slot)) p->held[v] = NEVER;
    }
}

// The slot in which a node has got the chunk that it can send in `slot`; NEVER: it cannot.
static uint32_t got(const struct crl_switched *p, uint32_t chunk, uint32_t node, uint32_t slot)
{
    uint32_t had = *have(p, chunk, node);
    if (had < slot) return had;
    return p->host[node] ? NEVER : p->held[node];
}

// Whether a host is to have the chunk rather than `other` (NEVER: nobody): where the far ones are first, that which is
// farther from all that have it.
static bool before(const struct crl_switched *p, uint32_t chunk, uint32_t host, uint32_t arrival, uint32_t other,
                   uint32_t best)
{
    if (other == NEVER) return true;
    uint32_t here = *near(p, chunk, host), there = *near(p, chunk, other);
    if (p->far_first && here != there) return (p->left[chunk] + p->early < p->problem->host_count) == (here > there);
    return arrival < best || (arrival == best && p->lacks[host] > p->lacks[other]);
}

// The slot in which the chunk can be at a host that has not got it, and that host: at the soonest, or, where the far
// ones are first, if a host sends it in `slot`. NEVER: there is no room.
static uint32_t look(struct crl_switched *p, uint32_t chunk, uint32_t slot, uint32_t *host)
{
    uint32_t best = NEVER, soon = p->soonest[chunk], start = p->since[chunk] + 1;
    uint32_t end = (p->backwards ? p->middle : p->slots) - p->latency;
    if (soon > p->far && soon - p->far > start) start = soon - p->far;
    if (p->far_first) start = slot + 1;
    if (p->far_first && end > slot + p->far) end = slot + p->far;
    *host = NEVER;
    p->search++;
    for (uint32_t v = 0; v < p->nodes; v++) p->held[v] = NEVER;
    for (uint32_t s = start; s < end && (p->far_first || s < best); s++) {
        uint32_t turn = (uint32_t)(crl_random(&p->random) % p->links);
        p->steps -= p->steps < p->links ? p->steps : p->links;
        crl_switched_hold(p, chunk, s, p->backwards);
        for (uint32_t i = 0; i < p->links; i++) {
            uint32_t link = i + turn < p->links ? i + turn : i + turn - p->links, to = head(p, link);
            uint32_t from = tail(p, link), arrival = s + p->link[link].latency - 1;
            if (p->far_first ? p->host[from] && s > slot + 1 : arrival > best) continue;
            if (*have(p, chunk, to) != NEVER || *cell(p, p->backwards, link, s)) continue;
            uint32_t since = got(p, chunk, from, s);
            size_t at = spot(p, arrival, to);
            if (since == NEVER || p->reached[at] == p->search) continue;
            p->reached[at] = p->search;
            p->by[at] = (struct crl_switched_hop){link, s, chunk, since, p->backwards};
            if (!p->host[to] || !before(p, chunk, to, arrival, *host, best)) continue;
            best = arrival;
            *host = to;
        }
    }
    return best;
}

int crl_switched_add(struct crl_switched *p, struct crl_switched_hop hop)
{
    if (crl_pool_grow(&p->pool, (void **)&p->hop, &p->room, p->hops, sizeof *p->hop)) return CRL_ERR_MEMORY;
    p->hop[p->hops++] = hop;
    *cell(p, hop.backwards, hop.link, hop.slot) = true;
    return 0;
}

// A host has the chunk.
static void get(struct crl_switched *p, uint32_t chunk, uint32_t host)
{
    const struct crl_topology *t = p->problem->topology;
    p->left[chunk]--;
    p->lacks[host]--;
    for (uint32_t i = 0; i < p->problem->host_count; i++) {
        uint32_t other = p->problem->hosts[i], delay = crl_topology_delay(t, other, host);
        if (delay < *near(p, chunk, other)) *near(p, chunk, other) = delay;
    }
}

// Takes what the search found.
static int take(struct crl_switched *p, uint32_t chunk, uint32_t host, uint32_t slot)
{
    uint32_t node = host;
    for (bool more = true; more;) {
        struct crl_switched_hop hop = p->by[spot(p, slot, node)];
        uint32_t from = tail(p, hop.link);
        if (crl_switched_add(p, hop)) return CRL_ERR_MEMORY;
        if (p->host[node] || !p->backwards) *have(p, chunk, node) = slot;
        more = *have(p, chunk, from) >= hop.slot;
        for (uint32_t s = hop.since + 1; more && p->backwards && s <= hop.slot; s++) *passes(p, chunk, from, s) = true;
        slot = hop.since;
        node = from;
    }
    get(p, chunk, host);
    return 0;
}

// ---------------------------------------------------------------- a half

static uint64_t left_of(const void *plan, uint32_t chunk)
{
    const struct crl_switched *p = plan;
    return p->problem->host_count - p->left[chunk];
}

// Those that the fewest hosts have come first, in any order.
static int shuffle(struct crl_switched *p)
{
    crl_shuffle(p->order, p->open, &p->random);
    return crl_sort_order(p->order, p->open, left_of, p, p->problem->host_count);
}

static int grow(struct crl_switched *p)
{
    uint32_t open = 0, host = 0;
    for (uint32_t i = 0; i < p->open; i++) open += p->left[p->order[i]] > 0;
    for (uint32_t slot = 0; open; slot++) {
        for (bool again = true; again;) {
            again = false;
            if (shuffle(p)) return CRL_ERR_MEMORY;
            for (uint32_t i = 0; i < p->open; i++) {
                uint32_t c = p->order[i];
                if (!p->left[c] || p->soonest[c] > slot) continue;
                uint32_t arrival = look(p, c, slot, &host);
                if (!p->far_first) p->soonest[c] = arrival;
                if (arrival == NEVER && (!p->far_first || slot + p->far > p->middle)) return CRL_ERR_LIMIT;
                if (arrival == NEVER || (!p->far_first && arrival > slot)) continue;
                if (take(p, c, host, arrival)) return CRL_ERR_MEMORY;
                again = true;
                open -= !p->left[c];
            }
        }
    }
    return 0;
}

int crl_switched_half(struct crl_switched *p)
{
    for (uint32_t v = 0; v < p->nodes; v++) p->lacks[v] = p->open;
    for (uint32_t i = 0; i < p->open; i++) {
        uint32_t c = p->order[i];
        for (uint32_t v = 0; v < p->nodes; v++) *have(p, c, v) = *near(p, c, v) = NEVER;
        *have(p, c, root_of(p, c)) = p->soonest[c] = p->since[c];
        p->left[c] = p->problem->host_count;
        get(p, c, root_of(p, c));
    }
    return grow(p);
}

// ---------------------------------------------------------------- the best of many

uint32_t crl_switched_slots(const struct crl_switched *p, uint32_t *first)
{
    uint32_t end = 0;
    *first = NEVER;
    for (size_t i = 0; i < p->hops; i++) {
        const struct crl_switched_hop *h = &p->hop[i];
        uint32_t slot = sent(p, h->backwards, h->link, h->slot), after = slot + p->link[h->link].latency;
        if (slot < *first) *first = slot;
        if (after > end) end = after;
    }
    return p->hops ? end - *first : 0;
}

// The image of a chunk: where roots are given, one whose root is the image of its root.
static uint32_t chunk_of(const struct crl_switched *p, uint32_t chunk, uint32_t which)
{
    const struct crl_problem *q = p->problem;
    uint32_t parts = q->chunks / q->host_count, i = 0;
    if (!crl_problem_turns(q) || p->images == 1) return chunk * p->images + which;
    while (q->hosts[i] != p->image[(size_t)which * p->nodes + root_of(p, chunk)]) i++;
    return i * parts + chunk % parts;
}

int crl_switched_write(struct crl_schedule *schedule, const struct crl_switched *p)
{
    uint32_t first;
    crl_switched_slots(p, &first);
    schedule->count = 0;
    for (size_t i = 0; i < p->hops; i++) {
        const struct crl_switched_hop *h = &p->hop[i];
        const struct crl_switched_link *l = &p->link[h->link];
        uint32_t slot = sent(p, h->backwards, h->link, h->slot) - first + 1;
        for (uint32_t g = 0; g < p->images; g++) {
            const uint32_t *image = &p->image[(size_t)g * p->nodes];
            struct crl_move m = {slot, image[l->from], image[l->to], chunk_of(p, h->chunk, g), 0};
            if (crl_schedule_add(schedule, m)) return CRL_ERR_MEMORY;
        }
    }
    return 0;
}

static int make_tables(struct crl_switched *p)
{
    p->middle = p->slots / 2;
    size_t cells = (size_t)p->chunks * p->nodes * p->middle;
    if (p->slots > SLOTS_MAX || cells > CELLS_MAX) return CRL_ERR_LIMIT;
    CRL_NEW(&p->tables, p->busy, (size_t)p->links * p->slots);
    CRL_NEW(&p->tables, p->passed, cells);
    CRL_NEW(&p->tables, p->by, (size_t)p->nodes * p->slots);
    CRL_ZEROED(&p->tables, p->reached, (size_t)p->nodes * p->slots);
    return crl_pool_error(&p->tables);
}

void crl_switched_swap(struct crl_switched *p)
{
    struct crl_switched_hop *hop = p->hop;
    size_t hops = p->hops, room = p->room;
    p->hop = p->kept, p->hops = p->kept_hops, p->room = p->kept_room;
    p->kept = hop, p->kept_hops = hops, p->kept_room = room;
}

// With as many slots as a plan needs.
static int search(struct crl_switched *p, struct crl_schedule *schedule)
{
    int error;
    while (!(error = make_tables(p)) && (error = crl_switched_turn(p, schedule)) == CRL_ERR_LIMIT) {
        crl_pool_done(&p->tables);
        p->slots *= 2;
        p->search = 0;
    }
    return error;
}

static int list_links(struct crl_switched *p)
{
    const struct crl_topology *t = p->problem->topology;
    CRL_NEW(&p->pool, p->link, crl_topology_links(t) + 1);
    CRL_ZEROED(&p->pool, p->host, p->nodes);
    if (p->pool.failed) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < p->problem->host_count; i++) p->host[p->problem->hosts[i]] = true;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            uint32_t to = crl_topology_neighbor(t, v, port);
            if (to != CRL_NONE)
                p->link[p->links++] = (struct crl_switched_link){v, to, crl_topology_latency(t, v, port), 0};
        }
    for (uint32_t i = 0; i < p->problem->host_count; i++)
        for (uint32_t k = 0; k < p->problem->host_count; k++) {
            uint32_t delay = crl_topology_delay(t, p->problem->hosts[i], p->problem->hosts[k]);
            if (delay > p->far) p->far = delay;
        }
    p->latency = crl_topology_latency_max(t);
    p->far += 2 * p->latency;
    return 0;
}

// A search with a group of at most so many symmetries.
static int begin(struct crl_switched *p, uint32_t most)
{
    int error = list_links(p);
    if (!error) error = crl_switched_group(p, most);
    p->slots = ((uint32_t)crl_problem_bound_slots(p->problem) * 2 + 4 * p->far + 64) * 2;
    CRL_NUMBERS(&p->pool, (size_t)p->chunks * p->nodes, &p->have, &p->near);
    CRL_NUMBERS(&p->pool, p->chunks, &p->since, &p->soonest, &p->left, &p->order);
    CRL_NEW(&p->pool, p->held, p->nodes);
    CRL_NEW(&p->pool, p->lacks, p->nodes);
    return error ? error : crl_pool_error(&p->pool);
}

// In turn with a group that leaves a few chunks, whose sums can be complete one after the other, and without; or once,
// where there is no such group.
static int search_all(struct crl_schedule *schedule, const struct crl_problem *problem)
{
    uint64_t effort_ms = problem->effort ? problem->effort * UINT64_C(1000) : EFFORT_MS,
             rounds = 1 + crl_ceil_div(effort_ms, EFFORT_MS);
    uint32_t few = crl_problem_has_root(problem) || problem->chunks < FEW ? 1 : problem->chunks / FEW;
    int error = crl_schedule_unfold(schedule, NULL);
    for (uint64_t i = 0; i < rounds && !error; i++) {
        struct crl_switched p = {.problem = problem,
                                 .nodes = problem->topology->nodes,
                                 .chunks = problem->chunks,
                                 .best = NEVER,
                                 .random = i + 1};
        if (i) p.best = crl_schedule_slots(schedule);
        if (p.best <= crl_problem_bound_slots(problem)) break;
        error = begin(&p, i % 2 ? 1 : few);
        if (p.images == 1) p.random += SEED;
        if (p.images == 1 && !i) rounds = 1;
        p.steps = effort_ms * STEPS_A_MS / rounds;
        if (!error) error = search(&p, schedule);
        crl_pool_done(&p.tables);
        crl_pool_done(&p.pool);
    }
    return error;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    int error = search_all(schedule, problem);
    if (!error) error = crl_schedule_sort(schedule);
    if (error == CRL_ERR_LIMIT)
        return crl_fail(diag, error,
                        "%u chunks on %s are too many for the tables of slots; fewer --chunks can be planned",
                        problem->chunks, crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies_switched(const struct crl_problem *problem)
{
    return problem->hosts && !crl_topology_switches_add(problem->topology);
}

const struct crl_algorithm crl_rows_switched_sums[] = {
    {"all-reduce reduce reduce-scatter", "switched", "any", NULL, NULL,
     "sums come together host by host through switches, and spread from there", CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .applies = applies_switched, .plan = plan, .cost = {.search_s = 6, .quick_nodes = 64, .nodes_max = 512}},
    {0}};
