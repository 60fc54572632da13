// SPDX-License-Identifier: Apache-2.0
// A slot of a spreading: all-port a matching of links and packets in every node, single-port one of senders and
// receivers in the whole network.
//
// What is rare in the whole network and around the node is taken first, so that neighbours soon have different things
// to offer. Next come packets that the sender got a short while ago, which need not be kept long, and that do not leave
// it together with others that came over the same link, which the router would have to tell apart.
#include "algorithm/spread.h"
#include <string.h>

enum { WORD = CRL_SPREAD_WORD, NODE = 40 }; // NODE: work of serving one, beside looking at packets

// A packet at a node that has it. What a neighbour of node 0 has is the translate of what node 0 has, and it does with
// it what node 0 does.
struct held {
    uint32_t node, packet;
};

static uint32_t translate(const struct crl_spread *s, uint32_t neighbor, uint32_t packet, bool back)
{
    const struct crl_topology *t = s->problem->topology;
    uint32_t parts = s->problem->parts, by = crl_topology_behind(t, 0, neighbor - 1), node = packet / parts;
    return (back ? crl_topology_unshift(t, node, by) : crl_topology_shift(t, node, by)) * parts + packet % parts;
}

static struct held held_by(const struct crl_spread *s, uint32_t node, uint32_t packet)
{
    return s->folded && node ? (struct held){0, translate(s, node, packet, true)} : (struct held){node, packet};
}

static size_t place_of(const struct crl_spread *s, struct held h) { return (size_t)h.node * s->packets + h.packet; }

static bool is_own(const struct crl_spread *s, struct held h) { return s->origin[h.packet] == h.node; }

// The other packet, if any, that came over the same link to the node and leaves in this slot, too.
static uint32_t *sent_from_lane(const struct crl_spread *s, struct held h)
{
    return &s->sending[s->first[h.node] + s->lane[place_of(s, h)]];
}

static bool clashes(const struct crl_spread *s, struct held h)
{
    if (is_own(s, h)) return false; // it may lie anywhere
    uint32_t other = *sent_from_lane(s, h);
    return other != CRL_NONE && other != h.packet;
}

// What it costs the router of the sender.
static uint32_t untidiness(const struct crl_spread *s, struct held h)
{
    uint32_t wait = is_own(s, h) ? 0 : s->slot - 1 - s->arrival[place_of(s, h)];
    return s->weights.wait * wait + s->weights.clash * clashes(s, h);
}

// The same word of packets at all the senders to a node: those that these have, or will.
struct around {
    uint32_t degree;
    uint64_t word[CRL_LINKS_MAX];
};

static void look_around(const struct crl_spread *s, uint32_t node, uint32_t word, struct around *around)
{
    const struct crl_spread_link *link = &s->link[s->first[node]];
    for (uint32_t i = 0; i < around->degree; i++) around->word[i] = ~s->lacks[(size_t)link[i].from * s->words + word];
}

static int64_t cost(struct crl_spread *s, const struct around *around, uint32_t link, uint32_t packet)
{
    const struct crl_spread_weights *w = &s->weights;
    int64_t near = 0, sum = w->rare * s->copies[packet] + crl_draw(&s->random, w->lot);
    for (uint32_t i = 0; i < around->degree; i++) near += around->word[i] >> packet % WORD & 1;
    sum += w->near * near;
    if (s->delay) sum += w->far * (s->farthest - s->delay[(size_t)s->origin[packet] * s->served + s->to[link]]);
    return s->arrival ? sum + untidiness(s, held_by(s, s->link[link].from, packet)) : sum;
}

static uint64_t news(const struct crl_spread *s, uint32_t link, uint32_t word)
{
    return s->has[(size_t)s->link[link].from * s->words + word] & s->lacks[(size_t)s->to[link] * s->words + word];
}

static bool has_news(struct crl_spread *s, uint32_t link)
{
    uint32_t w = 0;
    while (w < s->words && !news(s, link, w)) w++;
    if (w < s->words) s->work += w / 4 + 1;
    return w < s->words;
}

// The best packets over a link, at most `most`, the best first. Returns how many.
static uint32_t choose(struct crl_spread *s, uint32_t link, struct crl_best *choice, uint32_t most)
{
    uint32_t count = 0, looks = s->looks, node = s->to[link];
    uint32_t start = looks < s->packets ? crl_draw(&s->random, s->words) : 0, scanned = 0;
    uint32_t degree = s->first[node + 1] - s->first[node];
    struct around around;
    around.degree = s->weights.near ? degree : 0;
    if (s->slot + s->link[link].latency - 1 > s->limit) return 0;
    for (uint32_t w = start; scanned < s->words && looks; scanned++, w = w + 1 < s->words ? w + 1 : 0) {
        uint64_t some = news(s, link, w);
        if (some) look_around(s, node, w, &around);
        for (; some && looks; some &= some - 1, looks--) {
            uint32_t packet = w * WORD + (uint32_t)__builtin_ctzll(some);
            count = crl_best_put(choice, count, most, packet, cost(s, &around, link, packet));
            s->work += degree;
        }
    }
    if (count) s->work += scanned / 4;
    return count;
}

// ---- what a node takes

static void set_on_its_way(struct crl_spread *s, uint32_t node, uint32_t packet, uint32_t arrival, uint32_t lane)
{
    size_t here = (size_t)node * s->packets + packet;
    crl_spread_flip(s, s->lacks, node, packet);
    if (!s->arrival) return;
    s->arrival[here] = arrival;
    s->last[here] = 0;
    s->lane[here] = (uint16_t)lane;
}

static void note_sending(struct crl_spread *s, struct held h)
{
    s->quality.conflicts += clashes(s, h);
    if (!is_own(s, h)) *sent_from_lane(s, h) = h.packet;
    s->last[place_of(s, h)] = s->slot;
}

static int take(struct crl_spread *s, uint32_t link, uint32_t packet)
{
    uint32_t node = s->to[link], arrival = s->slot + s->link[link].latency - 1;
    if (s->arrival) note_sending(s, held_by(s, s->link[link].from, packet));
    set_on_its_way(s, node, packet, arrival, link - s->first[node]);
    for (uint32_t v = 1; v < s->nodes && s->folded; v++)
        crl_spread_flip(s, s->lacks, v, translate(s, v, packet, false));
    s->copies[packet]++;
    s->missing[node]--;
    s->left -= crl_problem_is_host(s->problem, node);
    if (arrival > s->quality.slots) s->quality.slots = arrival;
    int error = crl_pool_grow(&s->pool, (void **)&s->now.hop, &s->now.capacity, s->now.count, sizeof *s->now.hop);
    if (!error) s->now.hop[s->now.count++] = (struct crl_spread_hop){s->slot, link, packet};
    return error;
}

static void arrive(struct crl_spread *s, const struct crl_spread_hop *h)
{
    crl_spread_flip(s, s->has, s->to[h->link], h->packet);
    for (uint32_t v = 1; v < s->nodes && s->folded; v++)
        crl_spread_flip(s, s->has, v, translate(s, v, h->packet, false));
}

// What arrives at the end of the slot.
static void arrive_all(struct crl_spread *s)
{
    while (s->flying < s->now.count && s->now.hop[s->flying].slot + s->latency_max <= s->slot) s->flying++;
    for (size_t i = s->flying; i < s->now.count; i++)
        if (s->now.hop[i].slot + s->link[s->now.hop[i].link].latency - 1 == s->slot) arrive(s, &s->now.hop[i]);
}

// ---- all-port

// Whether what two links bring, both of them, would cost the router: packets that came to their senders over one link.
// Node 0's links stand for all, so what comes to it leaves it, too.
static bool excludes(const struct crl_spread *s, uint32_t link, uint32_t packet, uint32_t other)
{
    if (other == link || s->takes[other] == CRL_NONE) return false;
    struct held a = held_by(s, s->link[link].from, packet), b = held_by(s, s->link[other].from, s->takes[other]);
    return a.packet != b.packet && !is_own(s, a) && !is_own(s, b) && s->lane[a.packet] == s->lane[b.packet];
}

// The first link from `other` on that must give up what it takes if a link takes the packet: it takes the same one or,
// where that is to be spared the router, one that it excludes. `degree`: none.
static uint32_t rival(const struct crl_spread *s, uint32_t degree, uint32_t other, uint32_t link, uint32_t packet,
                      bool tidy)
{
    while (other < degree && (other == link || s->takes[other] != packet) &&
           !(tidy && excludes(s, link, packet, other)))
        other++;
    return other;
}

// Finds a packet for a link, moving other links to other packets where need be.
static bool augment(struct crl_spread *s, uint32_t degree, uint32_t link, bool tidy)
{
    uint32_t before = s->takes[link];
    for (uint32_t i = 0; i < s->choices[link]; i++) {
        uint32_t packet = s->choice[(size_t)link * s->degree + i].what, other = rival(s, degree, 0, link, packet, tidy);
        if (other < degree && s->visited[other] == s->stamp) continue;
        if (tidy && rival(s, degree, other + 1, link, packet, true) < degree) continue;
        s->takes[link] = packet;
        if (other == degree) return true;
        s->visited[other] = s->stamp;
        if (augment(s, degree, other, tidy)) return true;
        s->takes[link] = before;
    }
    return false;
}

static void match(struct crl_spread *s, uint32_t degree, uint32_t turn, bool tidy)
{
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t link = turn + i < degree ? turn + i : turn + i - degree;
        if (s->takes[link] != CRL_NONE) continue;
        s->visited[link] = ++s->stamp;
        augment(s, degree, link, tidy);
    }
}

static int serve(struct crl_spread *s, uint32_t node)
{
    uint32_t first = s->first[node], degree = s->first[node + 1] - first,
             turn = s->folded ? 0 : crl_draw(&s->random, degree);
    int error = 0;
    if (!s->missing[node]) return 0;
    for (uint32_t i = 0; i < degree; i++) {
        s->choices[i] = choose(s, first + i, s->choice + (size_t)i * s->degree, degree);
        s->takes[i] = CRL_NONE;
    }
    if (s->folded && s->arrival) match(s, degree, turn, true);
    match(s, degree, turn, false);
    for (uint32_t i = 0; i < degree && !error; i++)
        if (s->takes[i] != CRL_NONE) error = take(s, first + i, s->takes[i]);
    return error;
}

int crl_spread_play(struct crl_spread *s)
{
    int error = 0;
    s->work += (uint64_t)s->served * NODE;
    if (s->arrival) memset(s->sending, 0xff, sizeof *s->sending * s->links);
    for (uint32_t i = 0; i < s->served && !error; i++) {
        uint32_t j = i + crl_draw(&s->random, s->served - i), node = s->order[j];
        s->order[j] = s->order[i];
        s->order[i] = node;
        error = serve(s, node);
    }
    arrive_all(s);
    return error;
}

// ---- single-port

static bool may_take(struct crl_spread *s, uint32_t link)
{
    uint32_t arrival = s->slot + s->link[link].latency - 1;
    if (arrival > s->limit) return false;
    return s->taken[(size_t)s->to[link] * s->latency_max + arrival % s->latency_max] != arrival;
}

// Finds the node a sender, by an alternating path; nobody who is served goes without.
static bool find_sender(struct crl_spread *s, uint32_t node)
{
    uint32_t first = s->first[node], degree = s->first[node + 1] - first, turn = crl_draw(&s->random, degree);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t link = first + (turn + i < degree ? turn + i : turn + i - degree), from = s->link[link].from;
        if (s->seen[from] == s->stamp || !may_take(s, link) || !has_news(s, link)) continue;
        s->seen[from] = s->stamp;
        if (s->gives[from] != CRL_NONE && !find_sender(s, s->to[s->gives[from]])) continue;
        s->gives[from] = link;
        return true;
    }
    return false;
}

// Most to get first; where some only forward, by lot.
static void order_receivers(struct crl_spread *s)
{
    for (uint32_t v = 0; v < s->served; v++)
        s->key[v] = (s->problem->hosts ? 0 : s->missing[v] << 8) | crl_draw(&s->random, 256);
    for (uint32_t i = 1; i < s->served; i++) { // hardly changes from slot to slot
        uint32_t v = s->order[i], at = i;
        for (; at && s->key[s->order[at - 1]] < s->key[v]; at--) s->order[at] = s->order[at - 1];
        s->order[at] = v;
    }
}

int crl_spread_play_single(struct crl_spread *s)
{
    int error = 0;
    memset(s->gives, 0xff, sizeof *s->gives * s->nodes);
    order_receivers(s);
    for (uint32_t i = 0; i < s->served; i++) {
        s->stamp++;
        if (s->missing[s->order[i]]) find_sender(s, s->order[i]);
    }
    for (uint32_t from = 0; from < s->nodes && !error; from++) {
        struct crl_best best;
        uint32_t link = s->gives[from];
        if (link == CRL_NONE || !choose(s, link, &best, 1)) continue;
        uint32_t arrival = s->slot + s->link[link].latency - 1;
        s->taken[(size_t)s->to[link] * s->latency_max + arrival % s->latency_max] = arrival;
        error = take(s, link, best.what);
    }
    arrive_all(s);
    return error;
}
