// SPDX-License-Identifier: Apache-2.0
// The slots are given. Every packet takes the cheapest way through cells: a cell is a link in a slot or, single-port, a
// node that sends in a slot, or one that receives; waiting costs nothing. At first cells may hold too many. Those that
// do become dearer, for good and round by round, the packets in them look for other ways, and in the end only who needs
// a cell stays in it.
//
// Where nodes take and give so many words a slot, a packet's way begins and ends with a cell more: a word that comes to
// its origin, in the slot in which the packet first leaves or before, and one that is given at its destination, in the
// slot in which it arrives or later. On networks that look the same from every node the packets of node 0 are all, and
// links through the same port are one row.
#include "algorithm/negotiation.h"
#include "algorithm/random.h"
#include "base/base.h"
#include "base/context.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

enum {
    HOP = 8,             // price of a cell that nobody else wants
    PRESENT = 4,         // and of each packet too many in it, in the first round
    PRESENT_MAX = 16,    // as it grows to
    HISTORY = 4,         // what a round adds for good for each packet too many
    ROUNDS = 20,         // without progress before it gives up, at least,
    ROUNDS_AT_ONE = 4000 // and where one packet is too many; fewer where more are
};
#define DEAR UINT32_MAX

struct link {
    uint32_t from, to, row[2]; // row[1] CRL_NONE: one cell a slot. From a node to itself: a word taken, or given
};

struct hop {
    uint32_t link, slot; // from 0
};

// A node that a packet may pass, or a link between two of these.
struct near_link {
    uint32_t from, to, link, first, last; // places in the list of nodes; slots in which it is of use
};

struct crl_negotiation {
    const struct crl_problem *problem;
    uint32_t nodes, links, rows, packets, detour, most_hops;
    uint32_t words;     // taken, and given, by a node in a slot; 0: as many as there are
    bool folded;        // packets of node 0 stand for all
    struct link *link;  // by sender; then words taken by each node, then words given
    uint32_t *first;    // [nodes + 1] of its links
    uint16_t *distance; // [nodes][nodes]
    uint32_t *capacity; // [rows] packets a slot
    enum crl_naming naming;
    uint32_t *ends;              // [packets][2] origin, and what names the destination
    struct hop *hop;             // [packets][most_hops]
    uint32_t *hops;              // [packets]
    uint32_t *order;             // [packets]
    uint32_t *place;             // [nodes] in the list of nodes near a packet's way, or CRL_NONE
    uint32_t *near;              // [nodes] that list
    struct near_link *near_link; // [links]
    uint32_t *cost, *next;       // [nodes] cheapest way to be at a place, before a slot and after it
    uint32_t near_count, near_links;
    // Of one number of slots.
    uint32_t slots, present, links_first, links_last; // slots from 0 in which links are used
    bool nowait;
    uint32_t *taken;           // [slots] the cheapest slot until this one to take a word
    uint32_t given;            // slot in which the way ends
    uint32_t *price, *history; // [rows][slots]
    uint32_t *used;            // [rows][slots]
    uint16_t *came;            // [slots][nodes] 1 + the near link by which the way comes, 0: it waited
    uint64_t random;
};

// ---------------------------------------------------------------- cells

static void set_price(struct crl_negotiation *n, size_t cell, uint32_t capacity)
{
    uint32_t over = n->used[cell] >= capacity ? n->used[cell] + 1 - capacity : 0;
    n->price[cell] = HOP + n->history[cell] + over * n->present;
}

static void use(struct crl_negotiation *n, const struct hop *hop, uint32_t change)
{
    const struct link *link = &n->link[hop->link];
    for (int i = 0; i < 2 && link->row[i] != CRL_NONE; i++) {
        size_t cell = (size_t)link->row[i] * n->slots + hop->slot;
        n->used[cell] += change;
        set_price(n, cell, n->capacity[link->row[i]]);
    }
}

static bool is_over(const struct crl_negotiation *n, const struct hop *hop)
{
    const struct link *link = &n->link[hop->link];
    for (int i = 0; i < 2 && link->row[i] != CRL_NONE; i++)
        if (n->used[(size_t)link->row[i] * n->slots + hop->slot] > n->capacity[link->row[i]]) return true;
    return false;
}

static bool crosses_over(const struct crl_negotiation *n, uint32_t packet)
{
    const struct hop *hop = &n->hop[(size_t)packet * n->most_hops];
    for (uint32_t i = 0; i < n->hops[packet]; i++)
        if (is_over(n, &hop[i])) return true;
    return false;
}

// What is overfull becomes dearer for good, and whatever is too many in it. Returns how many packets are too many.
static uint64_t raise_prices(struct crl_negotiation *n)
{
    uint64_t too_many = 0;
    if (n->present < PRESENT_MAX) n->present += 1 + n->present / 4;
    for (uint32_t row = 0; row < n->rows; row++)
        for (uint32_t slot = 0; slot < n->slots; slot++) {
            size_t cell = (size_t)row * n->slots + slot;
            if (n->used[cell] > n->capacity[row]) {
                too_many += n->used[cell] - n->capacity[row];
                n->history[cell] += HISTORY * (n->used[cell] - n->capacity[row]);
            }
            set_price(n, cell, n->capacity[row]);
        }
    return too_many;
}

// ---------------------------------------------------------------- ways

static uint32_t dest_of(const struct crl_negotiation *n, uint32_t packet)
{
    return crl_packet_dest(n->naming, n->ends[2 * (size_t)packet + 1]);
}

static uint32_t distance(const struct crl_negotiation *n, uint32_t a, uint32_t b)
{
    return n->distance[(size_t)a * n->nodes + b];
}

// The nodes and links on ways that are no longer than they may be, and when they can be passed.
static void look_around(struct crl_negotiation *n, uint32_t origin, uint32_t dest)
{
    uint32_t most = distance(n, origin, dest) + n->detour;
    if (most > n->links_last + 1 - n->links_first) most = n->links_last + 1 - n->links_first;
    n->near_count = n->near_links = 0;
    for (uint32_t v = 0; v < n->nodes; v++) {
        bool near = distance(n, origin, v) + distance(n, v, dest) <= most;
        n->place[v] = near ? n->near_count : CRL_NONE;
        if (near) n->near[n->near_count++] = v;
    }
    for (uint32_t i = 0; i < n->near_count; i++)
        for (uint32_t k = n->first[n->near[i]]; k < n->first[n->near[i] + 1]; k++) {
            uint32_t to = n->link[k].to, before = distance(n, origin, n->near[i]), after = distance(n, to, dest);
            if (before + 1 + after > most || to == origin || n->near[i] == dest) continue;
            n->near_link[n->near_links++] =
                (struct near_link){i, n->place[to], k, n->links_first + before, n->links_last - after};
        }
}

static uint32_t link_price(const struct crl_negotiation *n, const struct link *link, uint32_t slot)
{
    uint32_t price = n->price[(size_t)link->row[0] * n->slots + slot];
    return link->row[1] == CRL_NONE ? price : price + n->price[(size_t)link->row[1] * n->slots + slot];
}

static uint32_t word_price(const struct crl_negotiation *n, uint32_t word, uint32_t slot)
{
    return n->price[(size_t)n->link[word].row[0] * n->slots + slot];
}

// Who stays where it is until the next slot: everybody, or who has not left yet and who is there.
static void wait_for_next(struct crl_negotiation *n, uint32_t origin, uint32_t dest)
{
    if (!n->nowait) {
        memcpy(n->next, n->cost, sizeof *n->cost * n->near_count);
        return;
    }
    memset(n->next, 0xff, sizeof *n->next * n->near_count); // DEAR
    n->next[n->place[origin]] = n->cost[n->place[origin]];
    n->next[n->place[dest]] = n->cost[n->place[dest]];
}

// The word may be taken in this slot.
static void take_word(struct crl_negotiation *n, uint32_t origin, uint32_t slot)
{
    uint32_t price = word_price(n, n->links + origin, slot), *best = &n->cost[n->place[origin]];
    bool better = price < *best || (price == *best && crl_random(&n->random) % 2);
    n->taken[slot] = better ? slot : n->taken[slot - 1];
    if (better) *best = price;
}

// Fills `came` slot by slot.
static void find_cheapest(struct crl_negotiation *n, uint32_t origin, uint32_t dest)
{
    uint32_t best = DEAR;
    memset(n->cost, 0xff, sizeof *n->cost * n->near_count); // DEAR
    if (!n->words) n->cost[n->place[origin]] = 0;
    n->given = n->slots - 1;
    uint32_t turn = n->near_links ? (uint32_t)(crl_random(&n->random) % n->near_links) : 0;
    for (uint32_t slot = 0; slot < n->slots; slot++) {
        uint16_t *came = &n->came[(size_t)slot * n->nodes];
        memset(came, 0, sizeof *came * n->near_count);
        if (n->words) take_word(n, origin, slot);
        wait_for_next(n, origin, dest);
        for (uint32_t i = 0; i < n->near_links; i++) {
            uint32_t k = turn + i < n->near_links ? turn + i : turn + i - n->near_links;
            const struct near_link *l = &n->near_link[k];
            if (slot < l->first || slot > l->last || n->cost[l->from] == DEAR) continue;
            uint32_t cost = n->cost[l->from] + link_price(n, &n->link[l->link], slot);
            if (cost >= n->next[l->to]) continue;
            n->next[l->to] = cost;
            came[l->to] = (uint16_t)(k + 1);
        }
        uint32_t *swap = n->cost, there;
        n->cost = n->next;
        n->next = swap;
        there = n->cost[n->place[dest]];
        if (!n->words || there == DEAR) continue;
        there += word_price(n, n->links + n->nodes + dest, slot);
        if (there > best || (there == best && crl_random(&n->random) % 2)) continue;
        best = there;
        n->given = slot;
    }
}

static void add_hop(struct crl_negotiation *n, uint32_t packet, uint32_t link, uint32_t slot)
{
    struct hop *hop = &n->hop[(size_t)packet * n->most_hops + n->hops[packet]++];
    *hop = (struct hop){link, slot};
    use(n, hop, 1);
}

static void take_way(struct crl_negotiation *n, uint32_t packet)
{
    uint32_t origin = n->ends[2 * (size_t)packet], dest = dest_of(n, packet), at, first = 0;
    look_around(n, origin, dest);
    find_cheapest(n, origin, dest);
    at = n->place[dest];
    if (n->words) add_hop(n, packet, n->links + n->nodes + dest, n->given);
    for (uint32_t slot = n->given + 1; slot-- > 0;) {
        uint32_t came = n->came[(size_t)slot * n->nodes + at];
        if (!came) continue;
        first = slot;
        add_hop(n, packet, n->near_link[came - 1].link, slot);
        at = n->near_link[came - 1].from;
    }
    if (n->words) add_hop(n, packet, n->links + origin, n->taken[first]);
}

static void leave_way(struct crl_negotiation *n, uint32_t packet)
{
    for (uint32_t i = 0; i < n->hops[packet]; i++) use(n, &n->hop[(size_t)packet * n->most_hops + i], UINT32_MAX);
    n->hops[packet] = 0;
}

static void shuffle(struct crl_negotiation *n)
{
    for (uint32_t i = n->packets; i > 1; i--) {
        uint32_t j = (uint32_t)(crl_random(&n->random) % i), swap = n->order[i - 1];
        n->order[i - 1] = n->order[j];
        n->order[j] = swap;
    }
}

// A round: whoever is in an overfull cell looks for a way. Returns the steps that it took.
static uint64_t take_ways(struct crl_negotiation *n, bool all)
{
    uint64_t steps = (uint64_t)n->packets + (uint64_t)n->rows * n->slots;
    shuffle(n);
    for (uint32_t i = 0; i < n->packets; i++) {
        uint32_t packet = n->order[i];
        if (!all && !crosses_over(n, packet)) continue;
        leave_way(n, packet);
        take_way(n, packet);
        steps += n->nodes + (uint64_t)(n->near_links + n->near_count) * n->slots;
    }
    return steps;
}

// ---------------------------------------------------------------- rounds

// What node 0 does when its namesake at the link's beginning does this.
static struct crl_move at_node_0(const struct crl_negotiation *n, struct crl_move m)
{
    const struct crl_topology *t = n->problem->topology;
    uint32_t origin = crl_topology_unshift(t, m.origin, m.src), dest = crl_topology_unshift(t, m.dest, m.src);
    return (struct crl_move){m.slot, 0, crl_topology_unshift(t, m.dst, m.src), origin, dest};
}

static int write_moves(const struct crl_negotiation *n, struct crl_schedule *schedule)
{
    int error = 0;
    for (uint32_t packet = 0; packet < n->packets; packet++)
        for (uint32_t i = 0; i < n->hops[packet] && !error; i++) {
            const struct hop *hop = &n->hop[(size_t)packet * n->most_hops + i];
            const struct link *link = &n->link[hop->link];
            if (hop->link >= n->links) continue; // a word
            struct crl_move move = {hop->slot - n->links_first + 1, link->from, link->to, n->ends[2 * (size_t)packet],
                                    n->ends[2 * (size_t)packet + 1]};
            error = crl_schedule_add(schedule, n->folded ? at_node_0(n, move) : move);
        }
    return error;
}

static int negotiate(struct crl_negotiation *n, uint64_t patience, uint64_t *steps, struct crl_schedule *schedule)
{
    uint64_t taken = take_ways(n, true), too_many, least = UINT64_MAX, left = 0;
    while ((too_many = raise_prices(n))) {
        *steps -= taken < *steps ? taken : *steps;
        if (too_many < least - least / 16) {
            least = too_many;
            left = patience * (ROUNDS + ROUNDS_AT_ONE / least);
        }
        if (!*steps || !left--) return CRL_ERR_UNSUPPORTED;
        if (crl_context_cancelled(n->problem->context)) return CRL_ERR_INTERRUPTED;
        taken = take_ways(n, false);
    }
    *steps -= taken < *steps ? taken : *steps;
    return write_moves(n, schedule);
}

int crl_negotiate(struct crl_negotiation *n, const struct crl_negotiate *how, uint64_t *steps,
                  struct crl_schedule *schedule)
{
    uint32_t slots = how->slots;
    size_t cells = (size_t)n->rows * slots;
    int error = CRL_ERR_MEMORY;
    n->slots = slots;
    n->links_first = how->links_first;
    n->links_last = how->links ? how->links_first + how->links - 1 : slots - 1;
    n->nowait = how->nowait;
    n->detour = how->detour < CRL_DETOUR_MAX ? how->detour : CRL_DETOUR_MAX;
    n->present = PRESENT;
    n->random = how->seed;
    memset(n->hops, 0, sizeof *n->hops * n->packets);
    n->price = malloc(sizeof *n->price * (cells + 1));
    n->history = calloc(cells + 1, sizeof *n->history);
    n->used = calloc(cells + 1, sizeof *n->used);
    n->came = malloc(sizeof *n->came * ((size_t)slots * n->nodes + 1));
    n->taken = malloc(sizeof *n->taken * (slots + UINT64_C(1)));
    if (n->price && n->history && n->used && n->came && n->taken) {
        for (uint32_t row = 0; row < n->rows; row++)
            for (uint32_t slot = 0; slot < slots; slot++) set_price(n, (size_t)row * slots + slot, n->capacity[row]);
        error = negotiate(n, how->patience, steps, schedule);
    }
    free(n->price);
    free(n->history);
    free(n->used);
    free(n->came);
    free(n->taken);
    return error;
}

// ---------------------------------------------------------------- what others found

// Where a packet is, and the slot that brought it there; how many use a row in a slot.
struct stay {
    uint32_t at, slot;
};
struct use {
    uint32_t slot, count;
};

static const struct link *link_between(const struct crl_negotiation *n, uint32_t from, uint32_t to)
{
    for (uint32_t k = n->first[from]; k < n->first[from + 1]; k++)
        if (n->link[k].to == to) return &n->link[k];
    return NULL;
}

static bool accepts(const struct crl_negotiation *n, const struct crl_move *m, struct stay *stay, struct use *use)
{
    uint64_t packet = crl_problem_index(n->problem, m->origin, m->dest);
    if (packet >= n->packets || m->src >= n->nodes || stay[packet].at != m->src || m->slot <= stay[packet].slot)
        return false;
    const struct link *link = link_between(n, m->src, m->dst);
    for (int i = 0; link && i < 2 && link->row[i] != CRL_NONE; i++) {
        struct use *u = &use[link->row[i]];
        if (u->slot != m->slot) *u = (struct use){m->slot, 0};
        if (++u->count > n->capacity[link->row[i]]) return false;
    }
    stay[packet] = (struct stay){m->dst, m->slot};
    return link;
}

bool crl_negotiation_accepts(const struct crl_negotiation *n, const struct crl_schedule *schedule)
{
    struct stay *stay = malloc(sizeof *stay * (n->packets + UINT64_C(1)));
    struct use *use = calloc(n->rows + UINT64_C(1), sizeof *use);
    bool good = stay && use;
    for (uint32_t i = 0; good && i < n->packets; i++) stay[i] = (struct stay){n->ends[2 * (size_t)i], 0};
    for (size_t i = 0; good && i < schedule->count; i++) good = accepts(n, &schedule->moves[i], stay, use);
    for (uint32_t i = 0; good && i < n->packets; i++) good = stay[i].at == dest_of(n, i);
    free(stay);
    free(use);
    return good;
}

// ---------------------------------------------------------------- preparation

// The rows of a link: itself or, single-port, its ends.
static struct link link_of(const struct crl_negotiation *n, uint32_t from, uint32_t to, uint32_t port)
{
    if (n->problem->ports == CRL_PORTS_SINGLE)
        return (struct link){from, to, {n->folded ? 0 : from, n->folded ? 1 : n->nodes + to}};
    return (struct link){from, to, {n->folded ? port : n->links, CRL_NONE}};
}

static void list_links(struct crl_negotiation *n)
{
    const struct crl_topology *t = n->problem->topology;
    bool single = n->problem->ports == CRL_PORTS_SINGLE;
    uint32_t places = n->folded ? 1 : n->nodes, ports = crl_topology_ports(t);
    n->links = 0;
    for (uint32_t v = 0; v < n->nodes; v++) {
        n->first[v] = n->links;
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE) continue;
            n->link[n->links] = link_of(n, v, to, p);
            n->links++;
        }
    }
    n->first[n->nodes] = n->links;
    n->rows = single ? 2 * places : n->folded ? ports : n->links;
    for (uint32_t row = 0; row < n->rows; row++) n->capacity[row] = 1;
    for (uint32_t i = 0; i < 2 * n->nodes && n->words; i++) {
        uint32_t v = i % n->nodes, row = n->rows + (i < n->nodes ? 0 : places) + (n->folded ? 0 : v);
        n->link[n->links + i] = (struct link){v, v, {row, CRL_NONE}};
        n->capacity[row] = n->words;
    }
    if (n->words) n->rows += 2 * places;
}

static uint32_t list_packets(struct crl_negotiation *n)
{
    uint32_t farthest = 0;
    for (uint32_t a = 0; a < n->nodes; a++)
        for (uint32_t b = 0; b < n->nodes; b++)
            n->distance[(size_t)a * n->nodes + b] = (uint16_t)crl_topology_distance(n->problem->topology, a, b);
    for (uint32_t i = 0; i < n->packets; i++) {
        uint32_t *ends = &n->ends[2 * (size_t)i];
        crl_problem_packet(n->problem, i, &ends[0], &ends[1]); // those of node 0 first
        if (distance(n, ends[0], dest_of(n, i)) > farthest) farthest = distance(n, ends[0], dest_of(n, i));
        n->order[i] = i;
    }
    return farthest;
}

int crl_negotiation_new(struct crl_negotiation **out, const struct crl_problem *problem, uint32_t words_a_slot)
{
    const struct crl_topology *t = problem->topology;
    struct crl_negotiation *n = *out = calloc(1, sizeof *n);
    size_t nodes = crl_topology_nodes(t), links = crl_topology_links(t), packets = crl_problem_packets(problem);
    if (!n) return CRL_ERR_MEMORY;
    bool folded = words_a_slot && crl_problem_is_symmetric(problem);
    if (folded) packets = nodes - 1;
    *n = (struct crl_negotiation){.problem = problem, .nodes = (uint32_t)nodes, .packets = (uint32_t)packets};
    n->words = words_a_slot;
    n->folded = folded;
    n->naming = crl_problem_naming(problem);
    n->link = malloc(sizeof *n->link * (links + 2 * nodes));
    n->near_link = malloc(sizeof *n->near_link * (links + 1));
    n->first = malloc(sizeof *n->first * (nodes + 1));
    n->distance = malloc(sizeof *n->distance * nodes * nodes);
    n->capacity = malloc(sizeof *n->capacity * (links + 4 * nodes));
    n->ends = malloc(sizeof *n->ends * 2 * (packets + 1));
    n->hops = malloc(sizeof *n->hops * (packets + 1));
    n->order = malloc(sizeof *n->order * (packets + 1));
    n->place = malloc(sizeof *n->place * nodes);
    n->near = malloc(sizeof *n->near * nodes);
    n->cost = malloc(sizeof *n->cost * nodes);
    n->next = malloc(sizeof *n->next * nodes);
    if (!n->link || !n->near_link || !n->first || !n->distance || !n->capacity || !n->ends || !n->hops || !n->order ||
        !n->place || !n->near || !n->cost || !n->next)
        return CRL_ERR_MEMORY;
    list_links(n);
    n->most_hops = list_packets(n) + CRL_DETOUR_MAX + 2; // with words
    n->hop = malloc(sizeof *n->hop * (packets * n->most_hops + 1));
    return n->hop ? 0 : CRL_ERR_MEMORY;
}

void crl_negotiation_free(struct crl_negotiation *n)
{
    if (!n) return;
    void *const arrays[] = {n->link, n->near_link, n->first, n->distance, n->capacity, n->ends, n->hop,
                            n->hops, n->order,     n->place, n->near,     n->cost,     n->next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(n);
}
