// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings and complete graphs, in as many slots as the busiest link must carry packets, for
// routers whose banks are fed straight by their ports: of the packets that came to a node over one port, its lane, at
// most one leaves in a slot ("banked"). Stricter, none of them waits ("nowait").
//
// In a slot each lane gives out one of its packets, and each port takes one; own packets may leave together. That is a
// matching of ports with lanes and own packets. Far packets start first, so that short ones are left to fill the gaps
// at the end, and ports without a slot to spare are served first. Nothing says that a matching leaves the next slot as
// good a one: lots drawn from fixed seeds break ties, and tries go on until one takes no longer than the bound.
//
// For each port the packets of a lane, and the own ones, stand in a queue, the farthest first, so that a slot looks at
// the heads alone and work grows with the moves. Where none may wait, a lot outweighs several hops, and a slot looks as
// far down the own ones as a lot reaches.
#include "algorithm/matching.h"
#include "algorithm/random.h"
#include "algorithm/torus_exchange.h"
#include "base/base.h"
#include <stdlib.h>

enum {
    WORK = 20000000, // offers looked at before it gives up
    TRIES = 8,       // but not before so many tries
    WINDOWS = 8,     // choices of whole classes beside the smaller ones
};

// What a packet on a port is worth. Whoever must not wait comes before everything else.
#define MUST        (INT64_C(1) << 50)
#define LATE_PACKET (INT64_C(1) << 44)
#define LATE_PORT   (INT64_C(1) << 40)
#define TRANSIT     (INT64_C(1) << 36) // on its way: keeps few of them waiting, so that lanes have little to give out
enum { HOP = 1 << 16 };                // to go

struct offer {
    uint32_t packet;
    int64_t worth;
};
struct offers { // the best first
    uint32_t count;
    struct offer best[CRL_PORTS_MAX];
};

struct link {
    uint32_t before, after; // or CRL_NONE
};
struct queue {
    uint32_t first, last; // indices of links, or CRL_NONE
};

struct search {
    struct crl_torus_exchange of;
    bool may_wait;
    bool *left_out; // [packet] of the search
    uint64_t random, work;
    uint32_t lot;                                         // the largest of this try
    uint32_t left;                                        // slots, with this one
    uint64_t *order;                                      // [packet × factors] by hops to go, then by lots
    struct link *link;                                    // [packet × factors] in the queue of its lane and port
    struct queue queue[CRL_PORTS_MAX][CRL_PORTS_MAX + 1]; // [port][lane]
    uint32_t under_way;                                   // packets that are neither at home nor there
    uint8_t *lane;                                        // [packet] port that it came over, or OWN
    uint32_t *column;                                     // [packet] of an own one, or CRL_NONE
    struct offers offers[CRL_PORTS_MAX];                  // [port] as many as there are ports, of each lane one
    uint32_t candidate[CRL_MATCHING_COLUMNS_MAX];         // [column] a packet, of each lane any
    struct crl_matching matching;
};
enum { OWN = CRL_PORTS_MAX };

// ---- queues

static struct queue *queue_of(struct search *s, uint32_t at)
{
    const uint32_t packet = at / s->of.factors;
    return &s->queue[crl_torus_exchange_port(&s->of, packet, at % s->of.factors)][s->lane[packet]];
}

// Behind all that are as far or farther. Who comes later is seldom farther, so the place is looked for from the end.
static void join(struct search *s, uint32_t at)
{
    struct queue *queue = queue_of(s, at);
    const uint32_t factors = s->of.factors, to_go = s->of.to_go[at / factors];
    uint32_t before = queue->last, after = CRL_NONE;
    while (before != CRL_NONE && s->of.to_go[before / factors] < to_go) {
        after = before;
        before = s->link[before].before;
    }
    s->link[at] = (struct link){before, after};
    *(before == CRL_NONE ? &queue->first : &s->link[before].after) = at;
    *(after == CRL_NONE ? &queue->last : &s->link[after].before) = at;
}

static void leave(struct search *s, uint32_t at)
{
    struct queue *queue = queue_of(s, at);
    const struct link link = s->link[at];
    *(link.before == CRL_NONE ? &queue->first : &s->link[link.before].after) = link.after;
    *(link.after == CRL_NONE ? &queue->last : &s->link[link.after].before) = link.before;
}

// Does so in the queues of all ports that the packet wants.
static void do_for_all(struct search *s, uint32_t packet, void (*what)(struct search *, uint32_t))
{
    for (uint32_t i = 0, at = packet * s->of.factors; i < s->of.factors; i++, at++)
        if (s->of.hops[at]) what(s, at);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

// Lots are of each queue its own: if all queues had the same packets at their heads, few of these could leave together.
static void fill_queues(struct search *s)
{
    enum { AT_BITS = 28, LOT_BITS = 16 };
    const struct crl_torus_exchange *x = &s->of;
    const uint32_t links = x->nodes * x->factors;
    uint32_t count = 0;
    for (uint32_t port = 0; port < x->ports; port++)
        for (uint32_t lane = 0; lane <= OWN; lane++) s->queue[port][lane] = (struct queue){CRL_NONE, CRL_NONE};
    for (uint32_t at = x->factors; at < links; at++) {
        if (!x->hops[at]) continue;
        const uint64_t lot = crl_random(&s->random) >> (64 - LOT_BITS);
        s->order[count++] = (uint64_t)x->to_go[at / x->factors] << (AT_BITS + LOT_BITS) | lot << AT_BITS | at;
    }
    qsort(s->order, count, sizeof *s->order, compare);
    for (uint32_t k = 0; k < count; k++) join(s, (uint32_t)(s->order[k] & ((1U << AT_BITS) - 1)));
}

// ---- a slot

// What the packet is worth on the port, but for its lot.
static int64_t worth(const struct search *s, uint32_t packet, uint32_t port)
{
    const struct crl_torus_exchange *x = &s->of;
    int64_t sum = 1 + HOP * (int64_t)x->to_go[packet];
    if (s->lane[packet] != OWN) sum += s->may_wait ? TRANSIT : MUST;
    if (x->to_go[packet] >= s->left) sum += LATE_PACKET;
    if (x->load[port] >= s->left) sum += LATE_PORT;
    return sum;
}

static int64_t draw(struct search *s)
{
    s->work++;
    return (int64_t)(crl_random(&s->random) % s->lot);
}

static void enlist(struct offers *list, uint32_t length, struct offer offer)
{
    if (list->count == length && offer.worth <= list->best[length - 1].worth) return;
    uint32_t at = list->count < length ? list->count++ : length - 1;
    for (; at > 0 && list->best[at - 1].worth < offer.worth; at--) list->best[at] = list->best[at - 1];
    list->best[at] = offer;
}

// The heads of the lanes, and of own packets as many as there are ports: down their queue worth falls, but for lots.
static void collect_offers(struct search *s, uint32_t port)
{
    const struct crl_torus_exchange *x = &s->of;
    struct offers *list = &s->offers[port];
    list->count = 0;
    for (uint32_t at = s->queue[port][OWN].first; at != CRL_NONE; at = s->link[at].after) {
        const int64_t sure = worth(s, at / x->factors, port);
        if (list->count == x->ports && (s->may_wait || sure + s->lot <= list->best[x->ports - 1].worth)) break;
        enlist(list, x->ports, (struct offer){at / x->factors, sure + draw(s)});
    }
    for (uint32_t lane = 0; lane < x->ports; lane++) {
        const uint32_t at = s->queue[port][lane].first;
        if (at == CRL_NONE) continue;
        const uint32_t packet = at / x->factors;
        enlist(list, x->ports, (struct offer){packet, worth(s, packet, port) + draw(s)});
    }
}

// Matches ports with lanes, which are the first columns, and own packets.
static void match_slot(struct search *s)
{
    struct crl_matching *m = &s->matching;
    m->rows = m->columns = s->of.ports;
    for (uint32_t port = 0; port < m->rows; port++) {
        const struct offers *list = &s->offers[port];
        collect_offers(s, port);
        m->row[port].count = list->count;
        for (uint32_t i = 0; i < list->count; i++) {
            uint32_t packet = list->best[i].packet, column = s->lane[packet];
            if (column == OWN) {
                if (s->column[packet] == CRL_NONE) {
                    s->candidate[m->columns] = packet;
                    s->column[packet] = m->columns++;
                }
                column = s->column[packet];
            }
            m->row[port].edge[i].column = column;
            m->row[port].edge[i].worth = list->best[i].worth;
        }
    }
    crl_match(m);
    for (uint32_t c = s->of.ports; c < m->columns; c++) s->column[s->candidate[c]] = CRL_NONE;
}

// Plays what was matched. False: a packet that must not wait would.
static bool play_slot(struct search *s, uint32_t slot, struct crl_schedule *schedule, int *error)
{
    struct crl_torus_exchange *x = &s->of;
    uint32_t chosen[CRL_PORTS_MAX], waiting = s->under_way;
    match_slot(s);
    for (uint32_t port = 0; port < x->ports; port++) {
        uint32_t column = s->matching.column_of[port];
        chosen[port] = column == CRL_NONE  ? CRL_NONE
                       : column < x->ports ? s->queue[port][column].first / x->factors
                                           : s->candidate[column];
        waiting -= column < x->ports;
    }
    if (waiting && !s->may_wait) return false;
    for (uint32_t port = 0; port < x->ports && !*error; port++) {
        uint32_t i = x->factor_of[port], packet = chosen[port];
        if (packet == CRL_NONE) continue;
        s->under_way += s->lane[packet] == OWN;
        do_for_all(s, packet, leave);
        *error = crl_torus_exchange_move(x, slot, packet, i, schedule);
        s->lane[packet] = (uint8_t)crl_torus_exchange_port(x, packet, i); // as the node where it is sees it
        do_for_all(s, packet, join);
        s->under_way -= !x->to_go[packet];
    }
    return true;
}

// ---- tries

static void restart(struct search *s, uint64_t seed)
{
    struct crl_torus_exchange *x = &s->of;
    s->random = seed;
    s->lot = UINT32_C(1) << (s->may_wait ? 14 : 17 + seed % 4);
    s->under_way = 0;
    crl_torus_exchange_restart(x, s->left_out);
    for (uint32_t packet = 1; packet < x->nodes; packet++) {
        s->lane[packet] = OWN;
        s->column[packet] = CRL_NONE;
    }
    fill_queues(s);
}

// Whether no port has more to carry than there are slots.
static bool in_time(const struct search *s)
{
    for (uint32_t port = 0; port < s->of.ports; port++)
        if (s->of.load[port] > s->left) return false;
    return true;
}

// One try; true if it takes no longer than the bound.
static bool play(struct search *s, uint64_t seed, struct crl_schedule *schedule, int *error)
{
    restart(s, seed);
    for (s->left = s->of.least; s->left && in_time(s) && !*error; s->left--)
        if (!play_slot(s, s->of.least - s->left + 1, schedule, error)) return false;
    return !s->of.moving;
}

// Adds to the schedule what a search finds. False if it found nothing after so much work.
static bool find(struct search *s, struct crl_schedule *schedule, uint64_t work, int *error)
{
    uint64_t seed = 1;
    s->work = 0;
    while (!play(s, seed, NULL, error)) {
        if (*error || (s->work > work && seed >= TRIES)) return false;
        seed++;
    }
    return play(s, seed, schedule, error);
}

// ---- classes

static bool has_classes(const struct crl_topology *t)
{
    for (uint32_t i = 0; i < t->factor_count; i++)
        if (t->factor[i].shape != CRL_RING || t->factor[i].size < 3 || t->factor[i].size != t->factor[0].size)
            return false;
    return t->factor_count > 1;
}

static uint32_t image(const struct crl_topology *t, uint32_t node)
{
    const struct crl_factor *last = &t->factor[t->factor_count - 1];
    uint32_t digit = node / last->stride, rest = node % last->stride;
    return rest * last->size + (last->size - digit) % last->size;
}

// Members of a packet's class; 0 if another member is a smaller number.
static uint32_t class_size(const struct crl_topology *t, uint32_t packet)
{
    uint32_t size = 1;
    for (uint32_t other = image(t, packet); other != packet; other = image(t, other), size++)
        if (other < packet) return 0;
    return size;
}

static void set_class(struct search *s, uint32_t packet, bool left_out)
{
    uint32_t other = packet;
    do s->left_out[other] = left_out;
    while ((other = image(s->of.topology, other)) != packet);
}

// Leaves out whole classes, but for the nearest ones, which together have `hops` a port. False: there are not so many.
static bool leave_out_classes(struct search *s, uint32_t hops)
{
    const struct crl_topology *t = s->of.topology;
    for (uint32_t packet = 1; packet < s->of.nodes; packet++)
        if (class_size(t, packet)) set_class(s, packet, class_size(t, packet) == s->of.ports);
    for (uint32_t distance = 1; hops; distance++) {
        bool farther = false;
        for (uint32_t packet = 1; packet < s->of.nodes && hops; packet++) {
            uint32_t now = class_size(t, packet) == s->of.ports ? crl_topology_distance(t, 0, packet) : 0;
            farther |= now > distance;
            if (now != distance) continue;
            set_class(s, packet, false);
            hops -= now < hops ? now : hops;
        }
        if (!farther && hops) return false;
    }
    return true;
}

// The port that `port` is taken to.
static uint32_t turned(const struct search *s, uint32_t port)
{
    return port + 2 < s->of.ports ? port + 2 : 1 - port % 2; // up in the last factor becomes down in the first
}

// Adds the class of `first` from `slot` on: factor after factor, as the first packet sees it.
static int add_class(struct search *s, uint32_t first, uint32_t slot, struct crl_schedule *schedule)
{
    struct crl_torus_exchange *x = &s->of;
    int error = 0;
    for (uint32_t i = 0; i < x->factors; i++)
        for (uint32_t k = 0, packet = first, port = x->way[first * x->factors + i]; k < x->ports; k++) {
            x->way[packet * x->factors + port / 2] = (uint8_t)port;
            packet = image(x->topology, packet);
            port = turned(s, port);
        }
    for (uint32_t i = 0; i < x->factors; i++)
        for (; x->hops[first * x->factors + i] && !error; slot++)
            for (uint32_t k = 0, packet = first, port = 2 * i; k < x->ports && !error; k++) {
                error = crl_torus_exchange_move(x, slot, packet, port / 2, schedule);
                packet = image(x->topology, packet);
                port = turned(s, port);
            }
    return error;
}

// Whether every port is busy in each slot of what is not left out.
static bool is_even(const struct crl_torus_exchange *x)
{
    for (uint32_t port = 0; port < x->ports; port++)
        if (x->load[port] != x->least) return false;
    return true;
}

static bool find_with_classes(struct search *s, struct crl_schedule *schedule, int *error)
{
    struct crl_torus_exchange *x = &s->of;
    bool found = false;
    for (uint32_t hops = 0, last = CRL_NONE, tries = 0; !found && tries < WINDOWS && !*error; hops++) {
        if (!leave_out_classes(s, hops)) return false;
        crl_torus_exchange_restart(x, s->left_out);
        if (!is_even(x) || x->least == last) continue;
        last = x->least;
        tries++;
        found = find(s, schedule, WORK / WINDOWS, error);
    }
    uint32_t slot = x->least + 1;
    crl_torus_exchange_restart(x, NULL);
    for (uint32_t packet = 1; packet < x->nodes && found && !*error; packet++) {
        if (!s->left_out[packet] || !class_size(x->topology, packet)) continue;
        uint32_t hops = x->to_go[packet];
        *error = add_class(s, packet, slot, schedule);
        slot += hops;
    }
    return found;
}

// ---- planning

static int plan(struct search *s, struct crl_schedule *schedule)
{
    int error = 0;
    schedule->folded &= s->of.twisted == CRL_NONE;
    crl_torus_exchange_restart(&s->of, NULL);
    bool found = s->may_wait || !has_classes(s->of.topology) ? find(s, schedule, WORK, &error)
                                                             : find_with_classes(s, schedule, &error);
    return found || error ? error : CRL_ERR_UNSUPPORTED;
}

static int plan_with(struct crl_schedule *schedule, const struct crl_problem *problem, bool may_wait,
                     struct crl_diag *diag)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s) return crl_fail_memory(diag);
    s->may_wait = may_wait;
    int error = crl_torus_exchange_new(&s->of, problem, true, diag), found = 0;
    if (!error) {
        s->order = malloc(sizeof *s->order * s->of.nodes * s->of.factors);
        s->link = malloc(sizeof *s->link * s->of.nodes * s->of.factors);
        s->lane = malloc(s->of.nodes);
        s->column = malloc(sizeof *s->column * s->of.nodes);
        s->left_out = calloc(s->of.nodes, sizeof *s->left_out);
        found = s->order && s->link && s->lane && s->column && s->left_out ? plan(s, schedule) : CRL_ERR_MEMORY;
        if (found == CRL_ERR_UNSUPPORTED)
            error = crl_fail(diag, found, "no schedule %s was found for %s on %s; that does not mean there is none",
                             may_wait ? "without lane conflicts" : "without waiting", crl_problem_name(problem),
                             crl_topology_name(problem->topology));
        else if (found) error = crl_fail_memory(diag);
    }
    free(s->order);
    free(s->link);
    free(s->lane);
    free(s->column);
    free(s->left_out);
    crl_torus_exchange_done(&s->of);
    free(s);
    return error;
}

static int plan_torus_banked_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                      struct crl_diag *diag)
{
    return plan_with(schedule, problem, true, diag);
}

static int plan_torus_nowait_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                      struct crl_diag *diag)
{
    return plan_with(schedule, problem, false, diag);
}

static bool applies_torus_nowait_exchange(const struct crl_problem *problem)
{
    enum { SEARCHED = 64 }; // of more nodes hardly any try succeeds
    return crl_applies_torus_total_exchange(problem) &&
           (has_classes(problem->topology) || crl_topology_nodes(problem->topology) <= SEARCHED);
}

static bool folds(const struct crl_problem *problem) { return !crl_exchanges_mirrored(problem); }

const struct crl_algorithm crl_rows_torus_lanes_exchange[] = {
    {"total-exchange", "nowait", "product without paths", "as matching", "list scheduling",
     "no packet waits on its way; rings of one size, others of up to 64 nodes by search", .ports = CRL_FOR_ALL_PORTS,
     .router = CRL_ROUTER_NOWAIT, .applies = applies_torus_nowait_exchange, .plan = plan_torus_nowait_exchange,
     .symmetric = folds, .cost = {.nodes_max = 4096, .row_ns = 100, .search_s = 4, .quick_nodes = 1024},
     .claim = crl_problem_bound_slots},
    {"total-exchange", "banked", "product without paths", "as matching", "list scheduling",
     "no two packets from one port leave together, by search", .ports = CRL_FOR_ALL_PORTS, .router = CRL_ROUTER_BANKED,
     .applies = crl_applies_torus_total_exchange, .plan = plan_torus_banked_exchange, .symmetric = folds,
     .cost = {.nodes_max = 1 << 16, .row_ns = 1000, .search_s = 4, .quick_nodes = 8192},
     .claim = crl_problem_bound_slots},
    {0}};
