// SPDX-License-Identifier: Apache-2.0
// Sums, chunk by chunk, as sets of contributions: which nodes' values are in what a node holds. A transmission sends
// what is held when its slot begins. What arrives is added where it has no contribution in common with what is held,
// and a complete sum replaces what is held; anything else would count a value twice. Nodes that only forward hold what
// came last.
//
// Of a scan a node holds two sums: one that it sends, and one that it keeps, of nodes up to itself. What arrives is
// added to the first if nothing is in both, and replaces it if all that it held is in what arrives; it is added to the
// second if nothing is in both and no higher node is in it, and replaces it if it is complete.
//
// What is held is the first operand of each addition, and arrivals of a slot are added in the order of ports: so the
// order of a sum follows from the schedule alone.
#include "base/base.h"
#include "check/contributions.h"
#include "check/replay_sum.h"
#include <stdlib.h>

// What is known of one chunk at a node while its hops are replayed.
struct place {
    struct crl_contributions held; // and sent
    struct crl_contributions kept; // of a scan
    uint32_t first_in, last_out;   // hops since what was held before was sent on, CRL_NONE for none
    uint32_t since;                // slot in which the first of them came
    uint32_t sent;                 // hop that sent a partial sum, CRL_NONE for none
};

struct arrival {
    uint32_t slot, dst, port, hop; // port: of the sender, whose direction is that of the arrival
    struct crl_contributions sum;
};

struct replay {
    struct crl_part *part;
    struct crl_check *check;
    const struct crl_schedule *schedule;
    const struct crl_problem *problem;
    uint32_t nodes, chunk, values; // values: that the whole sum is made of
    bool scan, one_place;          // one_place: the sum goes to one node, so that nobody sends a partial sum twice
    struct place *place;           // [nodes]
    struct arrival *arrival;       // [count] in order of slots
    struct crl_terms *terms;       // of this chunk
    uint32_t *ends;                // [nodes] the term that each ends with
    const struct crl_hop *hops;
    size_t count; // of hops of this chunk, in order of slots
};

static const char *hop_text(const struct replay *r, const struct crl_hop *h, char text[CRL_MOVE_TEXT])
{
    return crl_move_text(r->schedule, &r->schedule->moves[h->index], text);
}

// ---- what a node holds to send it on

static void close_hold(struct replay *r, struct place *place)
{
    if (place->first_in != CRL_NONE && place->last_out != CRL_NONE) {
        r->check->marks[r->hops[place->first_in].index] |= CRL_MOVE_KEPT;
        r->check->marks[r->hops[place->last_out].index] |= CRL_MOVE_RELEASED;
        place->first_in = place->last_out = CRL_NONE;
    }
}

// ---- arrivals

static void counted_twice(struct replay *r, const struct arrival *a, const struct crl_contributions *held)
{
    char text[CRL_MOVE_TEXT];
    const struct crl_hop *h = &r->hops[a->hop];
    crl_find(r->part, CRL_FINDING_COUNTED_TWICE, h->index, "%s, which would count the value of node %s twice",
             hop_text(r, h, text), CRL_NODE(r->problem->topology, crl_contributions_common(held, &a->sum)));
}

static void redundant(struct replay *r, const struct arrival *a)
{
    char text[CRL_MOVE_TEXT];
    const struct crl_hop *h = &r->hops[a->hop];
    crl_find(r->part, CRL_FINDING_REDUNDANT, h->index, "%s, which already has it", hop_text(r, h, text));
}

static int add(struct replay *r, struct crl_contributions *held, const struct crl_contributions *came)
{
    int error = crl_terms_add(r->terms, held->term, came->term, &held->term);
    return error ? error : crl_contributions_join(held, came, r->nodes);
}

static int replace(struct replay *r, struct crl_contributions *held, const struct crl_contributions *came)
{
    held->term = came->term;
    return crl_contributions_join(held, came, r->nodes);
}

static int replay_arrival(struct replay *r, const struct arrival *a)
{
    struct crl_contributions *held = &r->place[a->dst].held;
    if (!crl_problem_adds(r->problem, a->dst)) {
        crl_contributions_done(held);
        return crl_contributions_copy(held, &a->sum, r->nodes);
    }
    bool complete = a->sum.count == r->values;
    if (complete && held->count == r->values) redundant(r, a);
    if (complete || !held->count) return replace(r, held, &a->sum);
    if (crl_contributions_common(held, &a->sum) != CRL_NONE) counted_twice(r, a, held);
    return add(r, held, &a->sum);
}

static int take_scan(struct replay *r, const struct arrival *a)
{
    struct place *place = &r->place[a->dst];
    bool apart = crl_contributions_common(&place->held, &a->sum) == CRL_NONE;
    bool more = !apart && a->sum.count > place->held.count && crl_contributions_within(&place->held, &a->sum);
    bool mine = a->sum.last <= a->dst, all = mine && a->sum.count == a->dst + UINT64_C(1);
    bool had = place->kept.count == a->dst + UINT64_C(1);
    bool keeps = all || (mine && crl_contributions_common(&place->kept, &a->sum) == CRL_NONE);
    int error = 0;
    if (!apart && !more && !keeps) return counted_twice(r, a, &place->held), 0;
    if (!apart && !more && had) redundant(r, a);
    if (apart || more) error = (apart ? add : replace)(r, &place->held, &a->sum);
    if (!error && keeps) error = (all ? replace : add)(r, &place->kept, &a->sum);
    return error;
}

// The arrivals of one slot at one node, in the order of ports.
static int deliver(struct replay *r, struct arrival *first, size_t count)
{
    const struct arrival *whole = NULL;
    struct place *place = &r->place[first->dst];
    char text[CRL_MOVE_TEXT];
    int error = 0;
    close_hold(r, place);
    if (place->first_in == CRL_NONE) {
        place->first_in = first->hop;
        place->since = first->slot;
    }
    for (size_t i = 0; i < count && !r->scan && !whole; i++)
        if (first[i].sum.count == r->values) whole = &first[i];
    for (size_t i = 0; i < count && !error; i++) {
        if (whole && &first[i] != whole)
            crl_find(r->part, CRL_FINDING_REPLACED, r->hops[first[i].hop].index,
                     "%s, to which node %s sends the complete sum in that slot",
                     hop_text(r, &r->hops[first[i].hop], text),
                     CRL_NODE(r->problem->topology, r->hops[whole->hop].src));
        else if (i && !crl_problem_adds(r->problem, first->dst))
            crl_find(r->part, CRL_FINDING_REPLACED, r->hops[first[i].hop].index,
                     "%s, which only forwards and gets what node %s sends in that slot",
                     hop_text(r, &r->hops[first[i].hop], text),
                     CRL_NODE(r->problem->topology, r->hops[first[0].hop].src));
        else error = r->scan ? take_scan(r, &first[i]) : replay_arrival(r, &first[i]);
    }
    for (size_t i = 0; i < count; i++) crl_contributions_done(&first[i].sum);
    return error;
}

// ---- departures

static int replay_send(struct replay *r, struct arrival *a)
{
    const struct crl_hop *h = &r->hops[a->hop];
    struct place *place = &r->place[h->src];
    char text[CRL_MOVE_TEXT];
    if (!place->held.count)
        crl_find(r->part, CRL_FINDING_NOT_YET, h->index, "%s, but has nothing of it yet", hop_text(r, h, text));
    else if (r->one_place && place->held.count < r->values && crl_problem_adds(r->problem, h->src)) {
        if (place->sent != CRL_NONE)
            crl_find(r->part, CRL_FINDING_GIVEN_AWAY, h->index, "%s, but has sent its values on in slot %u",
                     hop_text(r, h, text), r->hops[place->sent].slot);
        place->sent = a->hop;
    }
    if (place->first_in != CRL_NONE) place->last_out = a->hop;
    return crl_contributions_copy(&a->sum, &place->held, r->nodes);
}

// ---- a chunk

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    if (x->dst != y->dst) return x->dst < y->dst ? -1 : 1;
    if (x->port != y->port) return x->port < y->port ? -1 : 1;
    return x->hop < y->hop ? -1 : x->hop > y->hop;
}

static int by_hop(const void *a, const void *b)
{
    uint32_t x = (*(struct arrival *const *)a)->hop, y = (*(struct arrival *const *)b)->hop;
    return x < y ? -1 : x > y;
}

// The port of a hop. Of several packets on one link in a slot, which is a finding of its own, all have that link's.
static uint32_t port_of(const struct crl_schedule *s, const struct crl_move *m)
{
    uint32_t port = crl_move_port(s, m);
    return port == CRL_NONE ? crl_topology_port_nth(s->topology, m->src, m->dst, 0) : port;
}

// Departures and arrivals slot by slot: what arrives in a slot leaves in a later one.
static int play(struct replay *r, struct arrival **departure)
{
    const struct crl_topology *t = r->schedule->topology;
    for (size_t i = 0; i < r->count; i++) {
        const struct crl_hop *h = &r->hops[i];
        r->arrival[i] = (struct arrival){crl_arrival_slot(t, h->slot, h->src, h->dst),
                                         h->dst,
                                         port_of(r->schedule, &r->schedule->moves[h->index]),
                                         (uint32_t)i,
                                         {0}};
    }
    qsort(r->arrival, r->count, sizeof *r->arrival, by_arrival);
    for (size_t i = 0; i < r->count; i++) departure[i] = &r->arrival[i];
    qsort(departure, r->count, sizeof *departure, by_hop);
    int error = 0;
    for (size_t sent = 0, come = 0; come < r->count && !error;) {
        if (sent < r->count && r->hops[sent].slot <= r->arrival[come].slot) {
            error = replay_send(r, departure[sent++]);
            continue;
        }
        size_t end = come + 1;
        while (end < r->count && r->arrival[end].slot == r->arrival[come].slot &&
               r->arrival[end].dst == r->arrival[come].dst)
            end++;
        error = deliver(r, &r->arrival[come], end - come);
        come = end;
    }
    return error;
}

// What came to a node that does not want it after it sent the chunk for the last time.
static void left_behind(struct replay *r)
{
    char text[CRL_MOVE_TEXT];
    for (const struct arrival *a = r->arrival; a < r->arrival + r->count; a++) {
        const struct place *dst = &r->place[a->dst];
        if (dst->first_in == CRL_NONE || dst->last_out != CRL_NONE || a->slot < dst->since ||
            crl_chunk_wanted(r->problem, r->chunk, a->dst))
            continue;
        const struct crl_hop *h = &r->hops[a->hop];
        hop_text(r, h, text);
        if (dst->sent != CRL_NONE && a->sum.count < r->values)
            crl_find(r->part, CRL_FINDING_LEFT_BEHIND, h->index, "%s, which has sent its values on in slot %u", text,
                     r->hops[dst->sent].slot);
        else crl_find(r->part, CRL_FINDING_USELESS, h->index, "%s, which has no use for it", text);
    }
}

static const char *chunk_name(const struct replay *r, char name[CRL_PACKET_NAME])
{
    uint32_t origin, dest;
    crl_problem_packet(r->problem, r->chunk, &origin, &dest);
    return crl_problem_packet_name(r->problem, origin, dest, name);
}

static void incomplete(struct replay *r)
{
    char name[CRL_PACKET_NAME];
    for (uint32_t v = 0; v < r->nodes; v++) {
        const struct crl_contributions *sum = r->scan ? &r->place[v].kept : &r->place[v].held;
        uint32_t wanted = r->scan ? v + 1 : r->values, lacks = crl_contributions_lacks(sum);
        if (!crl_chunk_wanted(r->problem, r->chunk, v) || sum->count == wanted) continue;
        while (!crl_chunk_has(r->problem, r->chunk, lacks) || crl_contributions_has(sum, lacks)) lacks++;
        crl_find(r->part, CRL_FINDING_INCOMPLETE, SIZE_MAX,
                 "node %s ends with %u of %u values of chunk %s, without that of node %s",
                 CRL_NODE(r->problem->topology, v), sum->count, wanted, chunk_name(r, name),
                 CRL_NODE(r->problem->topology, lacks));
    }
}

// What each node ends with.
static void close_terms(struct replay *r)
{
    uint64_t bits = 0;
    bool first = true;
    for (uint32_t v = 0; v < r->nodes; v++) {
        bool wanted = crl_chunk_wanted(r->problem, r->chunk, v) && (r->scan || r->place[v].held.count);
        r->ends[v] = !wanted ? CRL_NONE : r->scan ? r->place[v].kept.term : r->place[v].held.term;
        if (!wanted) continue;
        const struct crl_term *end = &r->terms->term[r->ends[v]];
        if (!r->scan && !first && end->bits != bits) r->part->report.bits_differ = true;
        bits = end->bits;
        first = false;
    }
}

static int look_at_chunk(struct replay *r)
{
    CRL_OWNED struct arrival **departure = malloc(sizeof *departure * (r->count + 1));
    r->arrival = calloc(r->count + 1, sizeof *r->arrival);
    int error = departure && r->arrival ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < r->nodes; v++) {
        uint32_t has = crl_chunk_has(r->problem, r->chunk, v);
        r->place[v] = (struct place){{has, v, NULL, v}, {has, v, NULL, v}, CRL_NONE, CRL_NONE, 0, CRL_NONE};
    }
    if (!error) error = crl_terms_begin(r->terms, r->problem, r->chunk);
    if (!error) error = play(r, departure);
    if (!error) close_terms(r);
    if (!error && r->one_place) left_behind(r);
    if (!error) incomplete(r);
    for (size_t i = 0; r->arrival && i < r->count; i++) crl_contributions_done(&r->arrival[i].sum);
    for (uint32_t v = 0; v < r->nodes; v++) {
        close_hold(r, &r->place[v]);
        crl_contributions_done(&r->place[v].held);
        crl_contributions_done(&r->place[v].kept);
    }
    free(r->arrival);
    return error;
}

int crl_replay_sum(const struct crl_replay *what, struct crl_terms *terms, uint32_t *ends)
{
    const struct crl_check *check = what->part->check;
    struct replay r = {.part = what->part,
                       .check = what->part->check,
                       .schedule = check->schedule,
                       .problem = check->problem,
                       .nodes = check->nodes,
                       .chunk = what->chunk,
                       .values = crl_chunk_values(check->problem, what->chunk),
                       .scan = crl_problem_scans(check->problem),
                       .one_place = crl_chunk_has_one_place(check->problem, what->chunk),
                       .place = malloc(sizeof *r.place * check->nodes),
                       .hops = what->hops,
                       .count = what->count,
                       .terms = terms,
                       .ends = ends};
    int error = r.place ? look_at_chunk(&r) : CRL_ERR_MEMORY;
    free(r.place);
    return error;
}
