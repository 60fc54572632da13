// SPDX-License-Identifier: Apache-2.0
// Total exchange on products of rings and complete graphs, in as many slots as the busiest link must carry packets, for
// routers whose banks are fed straight by their ports: of the packets that came to a node over one port, its lane, at
// most one leaves in a slot ("banked"). Stricter, none of them waits ("nowait").
//
// In a slot each lane gives out one of its packets, and each port takes one; own packets may leave together. That is a
// matching of ports with lanes and own packets. Far packets start first, so that short ones are left to fill the gaps
// at the end, and ports without a slot to spare are served first. Nothing says that a matching leaves the next slot as
// good a one: lots drawn from fixed seeds break ties, and tries go on until one takes no longer than the bound.
#include "algorithm/matching.h"
#include "algorithm/random.h"
#include "algorithm/torus_exchange.h"
#include "base/base.h"
#include <stdlib.h>

enum {
    WORK = 40000000, // packets looked at, times factors, before it gives up
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

struct search {
    struct crl_torus_exchange of;
    bool may_wait;
    bool *left_out; // [packet] of the search
    uint64_t random, work;
    uint32_t lot;                                       // the largest of this try
    uint32_t left;                                      // slots, with this one
    uint32_t *going;                                    // [of.moving] packets that are not there yet
    uint8_t *lane;                                      // [packet] port that it came over, or OWN
    uint32_t *column;                                   // [packet] of an own one, or CRL_NONE
    struct offer of_lane[CRL_PORTS_MAX][CRL_PORTS_MAX]; // [port][lane] worth 0: none
    struct offers offers[CRL_PORTS_MAX];                // [port] as many as there are ports, of each lane one
    uint32_t candidate[CRL_MATCHING_COLUMNS_MAX];       // [column] a packet, of each lane any
    struct crl_matching matching;
};
enum { OWN = UINT8_MAX };

// ---- a slot

static int64_t worth(struct search *s, uint32_t packet, uint32_t port)
{
    const struct crl_torus_exchange *x = &s->of;
    int64_t sum = 1 + (int64_t)(crl_random(&s->random) % s->lot) + HOP * (int64_t)x->to_go[packet];
    if (s->lane[packet] != OWN) sum += s->may_wait ? TRANSIT : MUST;
    if (x->to_go[packet] >= s->left) sum += LATE_PACKET;
    if (x->load[port] >= s->left) sum += LATE_PORT;
    return sum;
}

static void enlist(struct offers *list, uint32_t length, struct offer offer)
{
    if (list->count == length && offer.worth <= list->best[length - 1].worth) return;
    uint32_t at = list->count < length ? list->count++ : length - 1;
    for (; at > 0 && list->best[at - 1].worth < offer.worth; at--) list->best[at] = list->best[at - 1];
    list->best[at] = offer;
}

static void collect_offers(struct search *s)
{
    const struct crl_torus_exchange *x = &s->of;
    for (uint32_t port = 0; port < x->ports; port++) {
        s->offers[port].count = 0;
        for (uint32_t lane = 0; lane < x->ports; lane++) s->of_lane[port][lane].worth = 0;
    }
    s->work += (uint64_t)x->moving * x->factors;
    for (uint32_t k = 0; k < x->moving; k++)
        for (uint32_t packet = s->going[k], i = 0; i < x->factors; i++) {
            if (!x->hops[packet * x->factors + i]) continue;
            uint32_t port = crl_torus_exchange_port(x, packet, i);
            struct offer offer = {packet, worth(s, packet, port)};
            if (s->lane[packet] == OWN) enlist(&s->offers[port], x->ports, offer);
            else if (offer.worth > s->of_lane[port][s->lane[packet]].worth) s->of_lane[port][s->lane[packet]] = offer;
        }
    for (uint32_t port = 0; port < x->ports; port++)
        for (uint32_t lane = 0; lane < x->ports; lane++)
            if (s->of_lane[port][lane].worth) enlist(&s->offers[port], x->ports, s->of_lane[port][lane]);
}

// Matches ports with lanes, which are the first columns, and own packets.
static void match_slot(struct search *s)
{
    struct crl_matching *m = &s->matching;
    collect_offers(s);
    m->rows = m->columns = s->of.ports;
    for (uint32_t port = 0; port < m->rows; port++) {
        const struct offers *list = &s->offers[port];
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
    uint32_t going = x->moving, kept = 0, chosen[CRL_PORTS_MAX], waiting = 0;
    match_slot(s);
    for (uint32_t k = 0; k < going; k++) waiting += s->lane[s->going[k]] != OWN;
    for (uint32_t port = 0; port < x->ports; port++) {
        uint32_t column = s->matching.column_of[port];
        chosen[port] = column == CRL_NONE  ? CRL_NONE
                       : column < x->ports ? s->of_lane[port][column].packet
                                           : s->candidate[column];
        waiting -= column < x->ports;
    }
    if (waiting && !s->may_wait) return false;
    for (uint32_t port = 0; port < x->ports && !*error; port++) {
        uint32_t i = x->factor_of[port], packet = chosen[port];
        if (packet == CRL_NONE) continue;
        *error = crl_torus_exchange_move(x, slot, packet, i, schedule);
        s->lane[packet] = (uint8_t)crl_torus_exchange_port(x, packet, i); // as the node where it is sees it
    }
    for (uint32_t k = 0; k < going; k++)
        if (x->to_go[s->going[k]]) s->going[kept++] = s->going[k];
    return true;
}

// ---- tries

static void restart(struct search *s, uint64_t seed)
{
    struct crl_torus_exchange *x = &s->of;
    s->random = seed;
    s->lot = UINT32_C(1) << (s->may_wait ? 14 : 17 + seed % 4);
    crl_torus_exchange_restart(x, s->left_out);
    for (uint32_t packet = 1, count = 0; packet < x->nodes; packet++) {
        if (x->to_go[packet]) s->going[count++] = packet;
        s->lane[packet] = OWN;
        s->column[packet] = CRL_NONE;
    }
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
        if (*error || s->work > work) return false;
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
        s->going = malloc(sizeof *s->going * s->of.nodes);
        s->lane = malloc(s->of.nodes);
        s->column = malloc(sizeof *s->column * s->of.nodes);
        s->left_out = calloc(s->of.nodes, sizeof *s->left_out);
        found = s->going && s->lane && s->column && s->left_out ? plan(s, schedule) : CRL_ERR_MEMORY;
        if (found == CRL_ERR_UNSUPPORTED)
            error = crl_fail(diag, found, "no schedule %s was found for %s on %s; that does not mean there is none",
                             may_wait ? "without lane conflicts" : "without waiting", crl_problem_name(problem),
                             crl_topology_name(problem->topology));
        else if (found) error = crl_fail_memory(diag);
    }
    free(s->going);
    free(s->lane);
    free(s->column);
    free(s->left_out);
    crl_torus_exchange_done(&s->of);
    free(s);
    return error;
}

int crl_plan_torus_banked_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                   struct crl_diag *diag)
{
    return plan_with(schedule, problem, true, diag);
}

int crl_plan_torus_nowait_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                   struct crl_diag *diag)
{
    return plan_with(schedule, problem, false, diag);
}

bool crl_applies_torus_nowait_exchange(const struct crl_problem *problem)
{
    enum { SEARCHED = 64 }; // of more nodes hardly any try succeeds
    return crl_applies_torus_total_exchange(problem) &&
           (has_classes(problem->topology) || crl_topology_nodes(problem->topology) <= SEARCHED);
}
