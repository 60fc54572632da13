// SPDX-License-Identifier: Apache-2.0
// Sums through switches, chunks in turn or all at once.
//
// In turn: slot by slot a host that has got all that it waits for sends its partial sum to a near host that has not
// sent yet, by a way that it reserves whole. The first chunks are served first, so that they spread while others still
// come together, and the links into hosts, of which these need the most, are never idle for long. At once: backwards
// from the slot in which a root is to have its chunk the hosts grow that it comes from (switched_sums.c), so that no
// link is idle at the end. Neither is always better, so which one is drawn by lot.
//
// From the best of many such beginnings a few chunks at a time are taken out, in turn from some slot on, and planned
// anew. It is better if fewer hops are outside of the slots that it is to take and if hosts can get all sums in fewer
// slots over what is left of the links into them, as if nothing else counted. Where that promises enough, the sums
// spread.
#include "algorithm/switched.h"
#include "base/random.h"
#include <string.h>

enum {
    TRIES = 40000,
    TRIES_TO_ROOT = 5000, // of sums that do not spread
    FRESH = 5,            // such a part of the effort is for new beginnings
    OPEN = 3,             // chunks at most that are planned anew at a time,
    TURN = 8,             // once in so many times in the other way
    NEAR = 4,             // slots at most by which they then come together sooner or later, together
    WAIT = 3,             // slots that partial sums may wait on their way
    FEW = 6,              // of so many hosts or fewer a sum goes where it is soon at the root,
    RUSH = 4,             // and of some first chunks, fewer than these, to the root itself
    EARLY = 4,            // hosts, fewer than these, that are near and have a chunk before far ones
    SPREADS = 20,         // that end too late,
    ALL = 300,            // but of so many first attempts all spread
    WEIGHT = 40           // of a slot too late
};

struct turn {
    struct crl_pool pool;
    struct crl_switched *plan;
    uint32_t hosts, from, rush; // slots before `from` stay as they are
    uint32_t front;             // the slot in which the plan that is kept begins
    bool fresh, back;           // it begins anew; chunks come together backwards
    uint32_t *out;              // [nodes + 1] the first link from a node
    uint32_t *into, *to_host;   // [nodes + 1] links to a node, as places in to_host[links]
    uint32_t *order, *come;     // [hosts]; [slots] sums that a host can get from a slot on
    uint32_t *end;              // [chunks] the slot in which the sum is complete
    uint32_t *ready;            // [chunks] the slot before that in which it can be sent on
    bool *open;                 // [chunks]
};

static uint32_t draw(struct crl_switched *p, uint32_t below) { return (uint32_t)(crl_random(&p->random) % below); }

static uint32_t over(const struct turn *t, uint32_t from, uint32_t to)
{
    return crl_topology_delay(t->plan->problem->topology, from, to);
}

static uint32_t arrival_of(const struct crl_switched *p, const struct crl_switched_hop *hop)
{
    return hop->slot + p->link[hop->link].latency - 1;
}

static bool is_free(const struct turn *t, uint32_t host, uint32_t slot)
{
    for (uint32_t i = t->out[host]; i < t->out[host + 1]; i++)
        if (!*cell(t->plan, false, i, slot)) return true;
    return false;
}

// Looks for the soonest way of a host's sum, sent in `slot`, to another that is as near as any, or, of few, from where
// it is at the root soonest. Returns the slot in which it is there; NEVER: there is none.
static uint32_t look(struct turn *t, uint32_t chunk, uint32_t host, uint32_t slot, uint32_t *target)
{
    struct crl_switched *p = t->plan;
    uint32_t root = root_of(p, chunk), near = NEVER, best = NEVER, least = NEVER, lot = 0;
    bool few = p->left[chunk] <= FEW, rush = few && t->rush;
    for (uint32_t i = 0; i < t->hosts; i++) {
        uint32_t v = p->problem->hosts[i];
        if (v != host && *have(p, chunk, v) != NEVER && over(t, host, v) < near) near = over(t, host, v);
    }
    uint32_t end = slot + WAIT + (rush ? over(t, host, root) : near);
    p->search++;
    for (uint32_t v = 0; v < p->nodes; v++) p->held[v] = NEVER;
    p->held[host] = 0;
    for (uint32_t s = slot; s < end && s <= least; s++) {
        uint32_t first = s > slot ? 0 : t->out[host], links = s > slot ? p->links : t->out[host + 1] - first;
        uint32_t turn = (uint32_t)(crl_random(&p->random) % p->links);
        p->steps -= p->steps < links ? p->steps : links;
        if (s > slot) crl_switched_hold(p, chunk, s, true);
        for (uint32_t i = 0; i < links; i++) {
            uint32_t link = first + (i + turn) % links, from = p->link[link].from, to = p->link[link].to;
            struct crl_switched_hop hop = {link, s, chunk, p->held[from], false};
            uint32_t arrival = arrival_of(p, &hop), score = arrival;
            if (hop.since == NEVER || (p->host[from] && s > slot) || *cell(p, false, link, s)) continue;
            if (p->host[to] ? to == host || *have(p, chunk, to) == NEVER : *passes(p, chunk, to, arrival + 1)) continue;
            if (p->host[to] && over(t, host, to) > near && !(rush && to == root)) continue;
            if (p->reached[spot(p, arrival, to)] == p->search) continue;
            p->reached[spot(p, arrival, to)] = p->search;
            p->by[spot(p, arrival, to)] = hop;
            if (!p->host[to]) continue;
            if (few && to != root) score += over(t, to, root);
            uint32_t drawn = to == root ? NEVER : (uint32_t)(crl_random(&p->random) >> 33);
            if (score > least || (score == least && drawn <= lot)) continue;
            least = score;
            lot = drawn;
            best = arrival;
            *target = to;
        }
    }
    return best;
}

// A sum has gone from a host to another, over hops from the last one, which is the first there, on.
static void note(struct crl_switched *p, size_t last)
{
    const struct crl_switched_hop *h = &p->hop[last];
    uint32_t chunk = h->chunk, *got = have(p, chunk, p->link[h->link].to), arrival = arrival_of(p, h);
    for (; !p->host[p->link[h->link].from]; h++)
        for (uint32_t s = h->since + 1; s <= h->slot; s++) *passes(p, chunk, p->link[h->link].from, s) = true;
    p->left[chunk]--;
    *have(p, chunk, p->link[h->link].from) = NEVER;
    if (*got < arrival) *got = arrival;
}

// Sends a host's sum on, if that can be.
static int send(struct turn *t, uint32_t chunk, uint32_t host, uint32_t slot)
{
    struct crl_switched *p = t->plan;
    uint32_t target = 0, arrival = look(t, chunk, host, slot, &target);
    size_t last = p->hops;
    if (arrival == NEVER) return 0;
    struct crl_switched_hop hop = p->by[spot(p, arrival, target)];
    int error = crl_switched_add(p, hop);
    while (!error && p->link[hop.link].from != host) {
        hop = p->by[spot(p, hop.since, p->link[hop.link].from)];
        error = crl_switched_add(p, hop);
    }
    if (!error) note(p, last);
    return error;
}

// Begins with the plan that is kept, without what is planned anew.
static int begin(struct turn *t)
{
    struct crl_switched *p = t->plan;
    size_t last = 0;
    memset(p->busy, 0, sizeof *p->busy * p->links * p->slots);
    memset(t->open, 0, sizeof *t->open * p->chunks);
    for (uint32_t i = 0; i < p->open; i++) {
        uint32_t c = p->order[i];
        t->open[c] = true;
        p->left[c] = t->hosts;
        p->since[c] = p->middle;
        for (uint32_t v = 0; v < p->nodes; v++) *have(p, c, v) = p->host[v] ? 0 : NEVER;
        memset(passes(p, c, 0, 0), 0, sizeof *p->passed * p->nodes * p->middle);
    }
    p->hops = 0;
    for (size_t i = 0; i < p->kept_hops; i++) {
        const struct crl_switched_hop *h = &p->kept[i];
        const struct crl_switched_link *l = &p->link[h->link];
        uint32_t c = h->chunk, until = p->middle + 1 - sent(p, h->backwards, h->link, h->slot) - l->latency;
        if (l->to == root_of(p, c) && t->open[c] && until < p->since[c]) p->since[c] = until;
        if (!h->backwards && !p->host[l->from]) continue;
        size_t first = p->hops;
        bool stays = !t->open[c] || (!t->back && !h->backwards && h->slot < t->from);
        for (; last <= i; last++)
            if (stays && crl_switched_add(p, p->kept[last])) return CRL_ERR_MEMORY;
        if (stays && t->open[c]) note(p, first);
    }
    return 0;
}

// Has the open chunks come together at once: all within a few slots, or each in a slot near that in which it did.
static int grow_back(struct turn *t)
{
    struct crl_switched *p = t->plan;
    uint32_t apart = 1 + draw(p, p->far);
    p->backwards = true;
    p->far_first = draw(p, 2);
    p->early = draw(p, EARLY);
    for (uint32_t i = 0; i < p->open; i++) {
        uint32_t *since = &p->since[p->order[i]], at = *since + draw(p, NEAR);
        *since = t->fresh ? draw(p, apart) : at > NEAR / 2 ? at - NEAR / 2 : 0;
    }
    return crl_switched_half(p);
}

static int gather(struct turn *t)
{
    struct crl_switched *p = t->plan;
    uint32_t rush = t->rush;
    bool more = true;
    if (begin(t)) return CRL_ERR_MEMORY;
    if (t->back) return grow_back(t);
    for (uint32_t slot = t->from; more; slot++) {
        if (slot + p->far + WAIT + p->latency > p->middle) return CRL_ERR_LIMIT;
        more = false;
        for (uint32_t i = 0; i < p->open; i++) {
            uint32_t c = p->order[i];
            t->rush = i < rush;
            if (p->left[c] > 1) crl_shuffle(t->order, t->hosts, &p->random);
            for (uint32_t k = 0; k < t->hosts && p->left[c] > 1; k++) {
                uint32_t h = p->problem->hosts[t->order[k]];
                if (h == root_of(p, c) || *have(p, c, h) == NEVER || *have(p, c, h) >= slot) continue;
                if (is_free(t, h, slot) && send(t, c, h, slot)) return CRL_ERR_MEMORY;
            }
            more |= p->left[c] > 1;
        }
    }
    return 0;
}

// By how many slots a host gets sums later than in slot `target`; adds the slots in which it gets them.
static uint64_t late_at(struct turn *t, uint32_t host, uint32_t target, uint64_t *sum)
{
    struct crl_switched *p = t->plan;
    uint64_t late = 0;
    uint32_t waits = 0;
    memset(t->come, 0, sizeof *t->come * p->slots);
    for (uint32_t c = 0; c < p->chunks; c++) {
        for (uint32_t g = 0; g < p->images; g++) {
            uint32_t root = p->image[(size_t)g * p->nodes + root_of(p, c)];
            uint32_t slot = t->ready[c] + crl_topology_delay(p->problem->topology, root, host);
            if (host != root && slot < p->slots) t->come[slot]++;
        }
    }
    for (uint32_t s = 1; s < p->slots; s++) {
        waits += t->come[s];
        late += s > target ? waits : 0;
        for (uint32_t i = t->into[host]; i < t->into[host + 1] && waits; i++) {
            uint32_t link = t->to_host[i], latency = p->link[link].latency;
            if (s < latency || *cell(p, false, link, s + 1 - latency)) continue;
            waits--;
            *sum += s;
        }
    }
    return late;
}

static bool outside(const struct turn *t, const struct crl_switched_hop *h, uint32_t slots)
{
    uint32_t slot = sent(t->plan, h->backwards, h->link, h->slot);
    return slot < t->front || slot + t->plan->link[h->link].latency - t->front > slots;
}

// Hops outside of `slots` slots from t->front on and, where sums spread, late_at of all hosts. *cost: that, and how
// soon they get partial sums and sums.
static uint64_t estimate(struct turn *t, uint32_t slots, uint64_t *cost)
{
    struct crl_switched *p = t->plan;
    uint64_t late = 0, sum = 0;
    for (uint32_t c = 0; c < p->chunks; c++) t->end[c] = 0;
    for (size_t i = 0; i < p->hops; i++) {
        const struct crl_switched_hop *h = &p->hop[i];
        const struct crl_switched_link *l = &p->link[h->link];
        uint32_t slot = sent(p, h->backwards, h->link, h->slot), arrival = slot + l->latency - 1;
        if (p->host[l->to]) sum += slot;
        if (l->to == root_of(p, h->chunk) && arrival > t->end[h->chunk]) t->end[h->chunk] = arrival;
        late += outside(t, h, slots);
    }
    if (crl_problem_turns(p->problem)) return *cost = late;
    for (uint32_t c = 0; c < p->chunks; c++) {
        t->ready[c] = t->end[c];
        while (!is_free(t, root_of(p, c), t->ready[c] + 1)) t->ready[c]++;
    }
    for (uint32_t i = 0; i < t->hosts / p->images; i++) late += late_at(t, p->root[i], t->front + slots - 1, &sum);
    *cost = late * WEIGHT + sum;
    return late;
}

// ---------------------------------------------------------------- the best of many

// Has the sums spread, where they are to, and writes the plan if it takes fewer than *best slots; it is then as it was.
static int spread(struct turn *t, struct crl_schedule *schedule, uint32_t *best)
{
    struct crl_switched *p = t->plan;
    uint32_t first;
    size_t hops = p->hops;
    p->open = p->chunks;
    p->backwards = p->far_first = false;
    for (uint32_t c = 0; c < p->chunks; c++) {
        p->order[c] = c;
        p->since[c] = t->end[c];
    }
    int error = crl_problem_turns(p->problem) ? 0 : crl_switched_half(p);
    if (error == CRL_ERR_LIMIT && *best != NEVER) error = 0;
    else if (!error && crl_switched_slots(p, &first) < *best) {
        *best = crl_switched_slots(p, &first);
        error = crl_switched_write(schedule, p);
    }
    p->hops = hops;
    return error;
}

// Finds where the plan is to begin, if it takes so many slots. Sums that do not spread end together.
static void set_front(struct turn *t, uint32_t slots)
{
    uint32_t all = crl_switched_slots(t->plan, &t->front);
    if (crl_problem_turns(t->plan->problem) && all > slots) t->front += all - slots;
}

// Opens all chunks, or a few: first, if there is one, a chunk with a hop that is outside of the slots.
static void open_chunks(struct turn *t, uint32_t slots)
{
    struct crl_switched *p = t->plan;
    uint32_t hops = t->fresh ? 0 : (uint32_t)p->kept_hops, at = hops ? draw(p, hops) : 0, place = 0;
    for (uint32_t c = 0; c < p->chunks; c++) p->order[c] = c;
    crl_shuffle(p->order, p->chunks, &p->random);
    for (uint32_t i = 0; i < hops && !outside(t, &p->kept[at], slots); i++) at = at + 1 < hops ? at + 1 : 0;
    while (hops && p->order[place] != p->kept[at].chunk) place++;
    p->order[place] = p->order[0];
    if (hops) p->order[0] = p->kept[at].chunk;
    p->open = t->fresh ? p->chunks : 1 + draw(p, p->chunks < OPEN ? p->chunks : OPEN);
    t->back = t->fresh ? draw(p, 2) : t->back != !draw(p, TURN);
    t->from = t->fresh ? 1 : t->front;
    if (!t->fresh && draw(p, 4)) t->from += draw(p, slots);
    t->rush = draw(p, RUSH);
}

static int search(struct turn *t, struct crl_schedule *schedule)
{
    struct crl_switched *p = t->plan;
    uint64_t bound = crl_problem_bound_slots(p->problem), steps = p->steps, least = UINT64_MAX, latest = least, cost;
    uint32_t best = p->best, slots = best == NEVER ? p->middle : best - 1, tried = 0;
    uint32_t tries = p->problem->effort ? NEVER : crl_problem_turns(p->problem) ? TRIES_TO_ROOT : TRIES;
    int error = 0;
    if (tries != NEVER && tries < NEVER / p->images) tries *= p->images; // they take as much less time
    p->kept_hops = 0;
    for (uint32_t seed = 0; !error && best > bound && ((p->steps && seed < tries) || best == NEVER); seed++) {
        uint32_t front = t->front;
        bool back = t->back;
        t->fresh = best == NEVER || (seed < tries / FRESH && p->steps > steps - steps / FRESH);
        open_chunks(t, slots);
        if (best == NEVER) t->back = true; // in turn not all hosts may be reached
        error = gather(t);
        if (error == CRL_ERR_MEMORY || (error && best == NEVER)) return error;
        if (t->fresh) set_front(t, slots);
        uint64_t late = error ? 0 : estimate(t, slots, &cost);
        bool better = !error && cost <= least;
        if (better && late < latest) tried = 0;
        bool spreads = !error && (seed < ALL || (better && late <= latest && tried++ < SPREADS));
        if (spreads) error = spread(t, schedule, &best);
        if (better) {
            least = cost;
            crl_switched_swap(p);
        } else { // the plan that is kept stays
            t->front = front;
            t->back = back;
        }
        if (error == CRL_ERR_LIMIT && best != NEVER) error = 0;
        if (!spreads || error) continue;
        if (better) latest = late;
        if (best > slots && (!better || late || tried < SPREADS || slots <= bound)) continue;
        slots = best > slots ? slots - 1 : best - 1; // more is asked of it
        latest = UINT64_MAX;
        p->open = 0;
        error = begin(t);
        set_front(t, slots);
        estimate(t, slots, &least);
    }
    return error;
}

static void list_links(struct turn *t)
{
    struct crl_switched *p = t->plan;
    for (uint32_t i = 0; i < t->hosts; i++) t->order[i] = i;
    for (uint32_t v = 0, at = 0; v < p->nodes; v++) {
        while (at < p->links && p->link[at].from == v) at++;
        t->out[v + 1] = at;
        t->into[v + 1] = t->into[v];
        for (uint32_t i = 0; i < p->links; i++)
            if (p->link[i].to == v) t->to_host[t->into[v + 1]++] = i;
    }
}

int crl_switched_turn(struct crl_switched *p, struct crl_schedule *schedule)
{
    struct turn t = {.plan = p, .hosts = p->problem->host_count};
    CRL_NUMBERS(&t.pool, p->nodes + 1, &t.out, &t.into);
    CRL_NEW(&t.pool, t.to_host, p->links);
    CRL_NEW(&t.pool, t.order, t.hosts);
    CRL_NEW(&t.pool, t.come, p->slots);
    CRL_NUMBERS(&t.pool, p->chunks, &t.ready, &t.end);
    CRL_NEW(&t.pool, t.open, p->chunks);
    int error = crl_pool_error(&t.pool);
    if (!error) {
        list_links(&t);
        error = search(&t, schedule);
    }
    crl_pool_done(&t.pool);
    return error;
}
