// SPDX-License-Identifier: Apache-2.0
// Sums on networks some of whose nodes only forward. What such a switch holds of a chunk is what came last, so a
// partial sum has left it before the next one of the chunk comes. Complete sums it copies.
//
// Each chunk comes together at a root and spreads from there. Backwards from the end of the first half the hosts that
// it comes from grow one by one, always the one that is reached soonest; then forwards those that it spreads to. All
// chunks share the links. That is tried many times, with other choices among what is as soon, and the shortest is kept.
#include "algorithm/algorithm.h"
#include "algorithm/random.h"
#include "base/pool.h"
#include <string.h>

#define NEVER UINT32_MAX // a slot
enum { STEPS_A_MS = 200000, EFFORT_MS = 3000, TRIES = 500, CELLS_MAX = 1 << 28, SLOTS_MAX = 1 << 20 };

struct link {
    uint32_t from, to, latency;
};
struct hop { // of a chunk, in a slot as its half counts them; `since`: that in which its tail got it
    uint32_t link, slot, chunk, since;
};

// A half counts slots from where it begins: the first, in which sums come together, backwards and with links turned
// round, so that what comes together at a node spreads from it.
struct plan {
    struct crl_pool pool, tables; // tables: whose size slots set
    const struct crl_problem *problem;
    bool backwards;
    uint32_t nodes, links, chunks, far; // far: slots from any host to any other, and a few more
    uint32_t slots, meet;               // slots: that the tables have; meet: the last one of the first half
    struct link *link;
    bool *host;                // [nodes]
    bool *busy;                // [links][slots]
    bool *passed;              // [chunks][nodes][slots] slots in which a switch holds a partial sum
    uint32_t *have;            // [chunks][nodes] the slot in which a node has got it; NEVER: it has not
    uint32_t *since, *soonest; // [chunks] the slot in which its root has it; in which the next host gets it, or later
    uint32_t *left;            // [chunks] hosts that have not got it
    struct hop *by;            // [slots][nodes] what reaches a node in a slot, in a search
    uint32_t *reached;         // [slots][nodes] the search in which something does
    uint32_t *held;            // [nodes] the slot in which a switch got it in the search; NEVER: it does not hold it
    uint32_t *lacks;           // [nodes] chunks that a host has not got
    uint32_t *order;           // [chunks]
    uint32_t search;
    struct hop *hop; // all: hop[…halves] of the first half, then those of the second
    size_t hops, halves, room;
    uint64_t random, steps;
};

static uint32_t root_of(const struct plan *p, uint32_t chunk)
{
    const struct crl_problem *q = p->problem;
    if (crl_problem_has_root(q)) return q->root;
    return q->hosts[(uint64_t)chunk * q->host_count / p->chunks % q->host_count];
}

static uint32_t tail(const struct plan *p, uint32_t link)
{
    return p->backwards ? p->link[link].to : p->link[link].from;
}
static uint32_t head(const struct plan *p, uint32_t link)
{
    return p->backwards ? p->link[link].from : p->link[link].to;
}

// A link is taken in the slot in which it is sent on: backwards that in which it arrives.
static bool *cell(const struct plan *p, uint32_t link, uint32_t slot)
{
    return &p->busy[(size_t)link * p->slots + slot + (p->backwards ? p->link[link].latency - 1 : 0)];
}

static uint32_t *have(const struct plan *p, uint32_t chunk, uint32_t node)
{
    return &p->have[(size_t)chunk * p->nodes + node];
}

static bool *passes(const struct plan *p, uint32_t chunk, uint32_t node, uint32_t slot)
{
    return &p->passed[((size_t)chunk * p->nodes + node) * p->slots + slot];
}

static size_t spot(const struct plan *p, uint32_t slot, uint32_t node) { return (size_t)slot * p->nodes + node; }

// ---------------------------------------------------------------- a host more

// What switches hold at the beginning of a slot: what came before and is not to make room for another.
static void hold(struct plan *p, uint32_t chunk, uint32_t slot)
{
    for (uint32_t v = 0; v < p->nodes; v++) {
        if (p->host[v]) continue;
        if (p->held[v] == NEVER && p->reached[spot(p, slot - 1, v)] == p->search) p->held[v] = slot - 1;
        if (p->backwards && *passes(p, chunk, v, slot)) p->held[v] = NEVER;
    }
}

// The slot in which a node has got the chunk that it can send in `slot`; NEVER: it cannot.
static uint32_t got(const struct plan *p, uint32_t chunk, uint32_t node, uint32_t slot)
{
    uint32_t had = *have(p, chunk, node);
    if (had < slot) return had;
    return p->host[node] ? NEVER : p->held[node];
}

// The slot in which the chunk can be at a host that has not got it, at the soonest, and that host; NEVER: there is no
// room.
static uint32_t look(struct plan *p, uint32_t chunk, uint32_t *host)
{
    uint32_t best = NEVER, soon = p->soonest[chunk], start = p->since[chunk] + 1;
    if (soon > p->far && soon - p->far > start) start = soon - p->far;
    p->search++;
    for (uint32_t v = 0; v < p->nodes; v++) p->held[v] = NEVER;
    for (uint32_t s = start; s < best && s + CRL_LATENCY_MAX < p->slots; s++) {
        uint32_t turn = (uint32_t)(crl_random(&p->random) % p->links);
        p->steps -= p->steps < p->links ? p->steps : p->links;
        hold(p, chunk, s);
        for (uint32_t i = 0; i < p->links; i++) {
            uint32_t link = i + turn < p->links ? i + turn : i + turn - p->links, to = head(p, link);
            uint32_t arrival = s + p->link[link].latency - 1;
            if (arrival > best || (arrival == best && (!p->host[to] || p->lacks[to] <= p->lacks[*host]))) continue;
            if (*have(p, chunk, to) != NEVER || *cell(p, link, s)) continue;
            uint32_t since = got(p, chunk, tail(p, link), s);
            size_t at = spot(p, arrival, to);
            if (since == NEVER || p->reached[at] == p->search) continue;
            p->reached[at] = p->search;
            p->by[at] = (struct hop){link, s, chunk, since};
            if (!p->host[to]) continue;
            best = arrival;
            *host = to;
        }
    }
    return best;
}

// Takes what the search found.
static int take(struct plan *p, uint32_t chunk, uint32_t host, uint32_t slot)
{
    uint32_t node = host;
    for (bool more = true; more;) {
        struct hop hop = p->by[spot(p, slot, node)];
        uint32_t from = tail(p, hop.link);
        if (crl_pool_grow(&p->pool, (void **)&p->hop, &p->room, p->hops, sizeof *p->hop)) return CRL_ERR_MEMORY;
        p->hop[p->hops++] = hop;
        *cell(p, hop.link, hop.slot) = true;
        if (p->host[node] || !p->backwards) *have(p, chunk, node) = slot;
        more = *have(p, chunk, from) >= hop.slot;
        for (uint32_t s = hop.since + 1; more && p->backwards && s <= hop.slot; s++) *passes(p, chunk, from, s) = true;
        slot = hop.since;
        node = from;
    }
    p->left[chunk]--;
    p->lacks[host]--;
    return 0;
}

// ---------------------------------------------------------------- a half

static uint64_t left_of(const void *plan, uint32_t chunk)
{
    const struct plan *p = plan;
    return p->problem->host_count - p->left[chunk];
}

// Those that the fewest hosts have come first, in any order.
static int shuffle(struct plan *p)
{
    crl_shuffle(p->order, p->chunks, &p->random);
    return crl_sort_order(p->order, p->chunks, left_of, p, p->problem->host_count);
}

// Slot by slot every chunk in turn gets to one host more, as long as one does in that slot. Returns 0,
// CRL_ERR_LIMIT where the slots do not suffice, or CRL_ERR_MEMORY.
static int grow(struct plan *p, uint32_t *last)
{
    uint32_t open = 0, host = 0;
    for (uint32_t c = 0; c < p->chunks; c++) open += p->left[c] > 0;
    for (*last = 0; open; ++*last) {
        for (bool again = true; again;) {
            again = false;
            if (shuffle(p)) return CRL_ERR_MEMORY;
            for (uint32_t i = 0; i < p->chunks; i++) {
                uint32_t c = p->order[i];
                if (!p->left[c] || p->soonest[c] > *last) continue;
                p->soonest[c] = look(p, c, &host);
                if (p->soonest[c] == NEVER) return CRL_ERR_LIMIT;
                if (p->soonest[c] > *last) continue;
                if (take(p, c, host, *last)) return CRL_ERR_MEMORY;
                again = true;
                open -= !p->left[c];
            }
        }
        if (!open) break;
    }
    return 0;
}

static void begin_half(struct plan *p, bool backwards)
{
    p->backwards = backwards;
    memset(p->busy, 0, sizeof *p->busy * p->links * p->slots);
    for (size_t i = 0; i < (size_t)p->chunks * p->nodes; i++) p->have[i] = NEVER;
    for (uint32_t v = 0; v < p->nodes; v++) p->lacks[v] = p->chunks;
    for (uint32_t c = 0; c < p->chunks; c++) {
        p->lacks[root_of(p, c)]--;
        *have(p, c, root_of(p, c)) = p->soonest[c] = p->since[c];
        p->left[c] = p->problem->host_count - 1;
    }
}

// Forwards slots are those of the whole; a link is taken where the first half sends, and a root has its chunk when the
// last part has come.
static void meet(struct plan *p)
{
    for (uint32_t c = 0; c < p->chunks; c++) p->since[c] = 0;
    for (size_t i = 0; i < p->halves; i++) {
        const struct hop *h = &p->hop[i];
        uint32_t came = p->meet + 1 - h->slot;
        if (p->link[h->link].to == root_of(p, h->chunk) && came > p->since[h->chunk]) p->since[h->chunk] = came;
    }
    begin_half(p, false);
    for (size_t i = 0; i < p->halves; i++) {
        const struct hop *h = &p->hop[i];
        *cell(p, h->link, p->meet + 2 - h->slot - p->link[h->link].latency) = true;
    }
}

// A plan of all; *slots that it takes. Chunks that come together sooner than others can spread while these still do.
static int attempt(struct plan *p, uint32_t *slots)
{
    uint32_t apart = 1 + (uint32_t)(p->random % p->far);
    bool both = !crl_problem_turns(p->problem);
    for (uint32_t c = 0; c < p->chunks; c++) p->since[c] = (uint32_t)(crl_random(&p->random) % apart);
    p->hops = 0;
    memset(p->passed, 0, sizeof *p->passed * p->chunks * p->nodes * p->slots);
    begin_half(p, true);
    int error = grow(p, &p->meet);
    p->halves = p->hops;
    *slots = p->meet;
    if (error || !both) return error;
    meet(p);
    return grow(p, slots);
}

// ---------------------------------------------------------------- the best of many

static int write(struct crl_schedule *schedule, const struct plan *p)
{
    schedule->count = 0;
    for (size_t i = 0; i < p->hops; i++) {
        const struct hop *h = &p->hop[i];
        const struct link *l = &p->link[h->link];
        uint32_t slot = i < p->halves ? p->meet + 2 - h->slot - l->latency : h->slot;
        if (crl_schedule_add(schedule, (struct crl_move){slot, l->from, l->to, h->chunk, 0})) return CRL_ERR_MEMORY;
    }
    return 0;
}

static int make_tables(struct plan *p)
{
    size_t cells = (size_t)p->chunks * p->nodes * p->slots;
    if (p->slots > SLOTS_MAX || cells > CELLS_MAX) return CRL_ERR_LIMIT;
    CRL_NEW(&p->tables, p->busy, (size_t)p->links * p->slots);
    CRL_NEW(&p->tables, p->passed, cells);
    CRL_NEW(&p->tables, p->by, (size_t)p->nodes * p->slots);
    CRL_ZEROED(&p->tables, p->reached, (size_t)p->nodes * p->slots);
    return crl_pool_error(&p->tables);
}

static int search(struct plan *p, struct crl_schedule *schedule)
{
    uint64_t bound = crl_problem_bound_slots(p->problem);
    uint32_t best = NEVER, slots, seed = 0;
    int error = make_tables(p);
    uint32_t tries = p->problem->effort ? NEVER : TRIES;
    while (!error && best > bound && ((p->steps && seed < tries) || best == NEVER)) {
        p->random = ++seed;
        error = attempt(p, &slots);
        if (error == CRL_ERR_LIMIT && best == NEVER) { // more slots
            crl_pool_done(&p->tables);
            p->slots *= 2;
            p->search = 0;
            error = make_tables(p);
        } else if (!error && slots < best) {
            best = slots;
            error = write(schedule, p);
        } else if (error == CRL_ERR_LIMIT) error = 0;
    }
    return error;
}

static int list_links(struct plan *p)
{
    const struct crl_topology *t = p->problem->topology;
    CRL_NEW(&p->pool, p->link, crl_topology_links(t) + 1);
    CRL_ZEROED(&p->pool, p->host, p->nodes);
    if (p->pool.failed) return CRL_ERR_MEMORY;
    for (uint32_t i = 0; i < p->problem->host_count; i++) p->host[p->problem->hosts[i]] = true;
    for (uint32_t v = 0; v < p->nodes; v++)
        for (uint32_t port = 0; port < crl_topology_ports(t); port++) {
            uint32_t to = crl_topology_neighbor(t, v, port);
            if (to != CRL_NONE) p->link[p->links++] = (struct link){v, to, crl_topology_latency(t, v, port)};
        }
    for (uint32_t i = 0; i < p->problem->host_count; i++)
        for (uint32_t k = 0; k < p->problem->host_count; k++) {
            uint32_t delay = crl_topology_delay(t, p->problem->hosts[i], p->problem->hosts[k]);
            if (delay > p->far) p->far = delay;
        }
    p->far += 2 * crl_topology_latency_max(t);
    return 0;
}

static int plan(struct crl_schedule *schedule, const struct crl_problem *problem, struct crl_diag *diag)
{
    struct plan p = {.problem = problem, .nodes = crl_topology_nodes(problem->topology), .chunks = problem->chunks};
    uint64_t effort_ms = problem->effort ? problem->effort * UINT64_C(1000) : EFFORT_MS;
    int error = list_links(&p);
    p.slots = (uint32_t)crl_problem_bound_slots(problem) * 2 + 4 * p.far + CRL_LATENCY_MAX + 64;
    p.steps = effort_ms * STEPS_A_MS;
    CRL_NEW(&p.pool, p.have, (size_t)p.chunks * p.nodes);
    CRL_NEW(&p.pool, p.since, p.chunks);
    CRL_NEW(&p.pool, p.soonest, p.chunks);
    CRL_NEW(&p.pool, p.left, p.chunks);
    CRL_NEW(&p.pool, p.order, p.chunks);
    CRL_NEW(&p.pool, p.held, p.nodes);
    CRL_NEW(&p.pool, p.lacks, p.nodes);
    if (p.pool.failed) error = CRL_ERR_MEMORY;
    for (uint32_t c = 0; c < p.chunks && !error; c++) p.order[c] = c;
    if (!error) error = crl_schedule_unfold(schedule, diag);
    if (!error) error = search(&p, schedule);
    if (!error) error = crl_schedule_sort(schedule);
    crl_pool_done(&p.tables);
    crl_pool_done(&p.pool);
    if (error == CRL_ERR_LIMIT)
        return crl_fail(diag, error,
                        "%u chunks on %s are too many for the tables of slots; fewer --chunks can be planned", p.chunks,
                        crl_topology_name(problem->topology));
    return error ? crl_fail_memory(diag) : 0;
}

static bool applies_switched(const struct crl_problem *problem) { return problem->hosts; }

const struct crl_algorithm crl_rows_switched_sums[] = {
    {"all-reduce reduce reduce-scatter", "switched", "any", NULL, NULL,
     "sums come together host by host through switches, and spread from there", CRL_FOR_ALL_PORTS,
     .handles = CRL_HANDLES_LATENCY | CRL_HANDLES_HOSTS | CRL_HANDLES_PARTS | CRL_HANDLES_EFFORT,
     .applies = applies_switched, .plan = plan, .cost = {.search_s = 3, .quick_nodes = 64, .nodes_max = 512}},
    {0}};
