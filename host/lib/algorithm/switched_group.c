// SPDX-License-Identifier: Apache-2.0
// Groups of symmetries with which plans of sums through switches go: the images of a chunk's hops are other chunks'
// hops, so of each orbit of links one is used once in a slot, and there is as much less to be found.
//
// The group is that of the identity, to which one symmetry after another is added. Each commutes with those before, so
// that where it takes one node says where it takes the node's images, moves all hosts, and all links, or as many as lie
// side by side, and is the identity after a prime number of times. It is found node by node, from a host on, by
// backtracking.
#include "algorithm/switched.h"
#include "base/random.h"
#include <string.h>

enum {
    GROUPS = 30,    // that are tried,
    LOOKS = 1 << 13 // and links that are looked at for each host to which the first may go
};

struct finding {
    struct crl_switched *plan;
    uint32_t prime, *to, *from; // [nodes] where a node goes, and what comes there; CRL_NONE: not known
    uint32_t *trail, known;     // [nodes] those known
    uint32_t looks;             // that are left
    uint64_t random;
};

static uint32_t image(const struct crl_switched *p, uint32_t which, uint32_t node)
{
    return p->image[(size_t)which * p->nodes + node];
}

// Whether the nodes known so far that a node goes to, and comes from, are no more than they may be.
static bool can_close(const struct finding *f, uint32_t node)
{
    uint32_t v = f->to[node], steps = 1;
    for (; v != node && f->to[v] != CRL_NONE; steps++) v = f->to[v];
    if (v == node) return steps == f->prime || (steps == 1 && !f->plan->host[node]);
    for (v = node; f->from[v] != CRL_NONE; steps++) v = f->from[v];
    return steps < f->prime;
}

// Whether links of a node lead to where they must, and no link is where others of its orbit are.
static bool leads(struct finding *f, uint32_t node)
{
    const struct crl_switched *p = f->plan;
    const struct crl_topology *t = p->problem->topology;
    uint32_t to = f->to[node];
    for (uint32_t port = 0; port < t->ports; port++) {
        uint32_t next = crl_topology_neighbor(t, node, port), end = next == CRL_NONE ? CRL_NONE : f->to[next], stay = 0;
        if (end == CRL_NONE) continue;
        uint32_t width = crl_topology_width(t, node, next);
        f->looks -= f->looks > 0;
        if (width != crl_topology_width(t, to, end)) return false;
        if (crl_topology_link_latency(t, node, next) != crl_topology_link_latency(t, to, end)) return false;
        for (uint32_t g = 0; g < p->images; g++) stay += image(p, g, node) == to && image(p, g, next) == end;
        if (stay && width % (stay * f->prime)) return false;
    }
    return true;
}

static bool map(struct finding *f, uint32_t node, uint32_t to)
{
    const struct crl_switched *p = f->plan;
    for (uint32_t g = 0; g < p->images; g++) {
        uint32_t v = image(p, g, node), end = image(p, g, to);
        if (f->to[v] == end) continue;
        if (f->to[v] != CRL_NONE || f->from[end] != CRL_NONE || p->host[v] != p->host[end]) return false;
        if (p->host[node] && image(p, g, node) == to) return false;
        f->to[v] = end;
        f->from[end] = v;
        f->trail[f->known++] = v;
        if (!can_close(f, v) || !leads(f, v)) return false;
    }
    return true;
}

static void forget(struct finding *f, uint32_t known)
{
    while (f->known > known) {
        uint32_t v = f->trail[--f->known];
        f->from[f->to[v]] = CRL_NONE;
        f->to[v] = CRL_NONE;
    }
}

static bool search(struct finding *f)
{
    const struct crl_switched *p = f->plan;
    const struct crl_topology *t = p->problem->topology;
    uint32_t known = f->known, i = 0, turn = crl_draw(&f->random, t->ports);
    while (i < p->links && (f->to[p->link[i].from] == CRL_NONE || f->to[p->link[i].to] != CRL_NONE)) i++;
    if (i == p->links) return known == p->nodes;
    for (uint32_t k = 0; k < t->ports && f->looks; k++) {
        uint32_t to = crl_topology_neighbor(t, f->to[p->link[i].from], (k + turn) % t->ports);
        if (to != CRL_NONE && map(f, p->link[i].to, to) && search(f)) return true;
        forget(f, known);
    }
    return false;
}

// Finds a symmetry more; the group is then so many times as large.
static bool extend(struct finding *f, uint32_t prime)
{
    struct crl_switched *p = f->plan;
    const uint32_t *host = p->problem->hosts, hosts = p->problem->host_count, images = p->images;
    bool found = false;
    f->prime = prime;
    for (uint32_t i = crl_draw(&f->random, hosts), k = 0; k < hosts && !found; k++) {
        f->looks = LOOKS;
        found = map(f, host[0], host[(i + k) % hosts]) && search(f);
        if (!found) forget(f, 0);
    }
    for (; p->images < images * prime && found; p->images++)
        for (uint32_t v = 0; v < p->nodes; v++)
            p->image[(size_t)p->images * p->nodes + v] = f->to[image(p, p->images - images, v)];
    forget(f, 0);
    return found;
}

static bool find_orbit(struct crl_switched *p, uint32_t link)
{
    const struct crl_switched_link of = p->link[link];
    for (uint32_t g = 0; g < p->images; g++) {
        uint32_t from = image(p, g, of.from), to = image(p, g, of.to), i = 0;
        while (i < p->links && (p->link[i].from != from || p->link[i].to != to || p->link[i].orbit != CRL_NONE ||
                                p->link[i].latency != of.latency))
            i++;
        if (i == p->links) return false;
        p->link[i].orbit = link;
    }
    return true;
}

// From the identity on, as long as symmetries are found and no more than `most` images.
static void find_group(struct finding *f, uint32_t most)
{
    struct crl_switched *p = f->plan;
    static const uint32_t primes[] = {2, 3, 5, 7};
    uint32_t hosts = p->problem->host_count;
    p->images = 1;
    for (uint32_t v = 0; v < p->nodes; v++) p->image[v] = v;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        while (p->images * primes[i] <= most && p->chunks / p->images % primes[i] == 0 &&
               hosts / p->images % primes[i] == 0 && extend(f, primes[i]))
            continue;
}

// Of each orbit of links, and of hosts, which become roots; false: some links of an orbit are later than others.
static bool find_orbits(struct crl_switched *p)
{
    bool even = true;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < p->links; i++) p->link[i].orbit = CRL_NONE;
    for (uint32_t i = 0; i < p->links; i++) even = even && (p->link[i].orbit != CRL_NONE || find_orbit(p, i));
    for (uint32_t i = 0; i < p->problem->host_count; i++) {
        bool first = true;
        for (uint32_t g = 0; g < p->images; g++) first &= image(p, g, p->problem->hosts[i]) >= p->problem->hosts[i];
        if (first) p->root[roots++] = p->problem->hosts[i];
    }
    return even;
}

int crl_switched_group(struct crl_switched *p, uint32_t most)
{
    struct crl_pool pool = {0};
    struct finding f = {.plan = p, .random = p->random};
    uint32_t best = 0, *kept;
    CRL_NUMBERS(&pool, p->nodes, &f.to, &f.from, &f.trail);
    CRL_NUMBERS(&p->pool, (size_t)p->nodes * p->problem->host_count, &p->image, &kept);
    CRL_NEW(&p->pool, p->root, p->problem->host_count);
    if (pool.failed || p->pool.failed) {
        crl_pool_done(&pool);
        return CRL_ERR_MEMORY;
    }
    memset(f.to, 0xff, sizeof *f.to * p->nodes);
    memset(f.from, 0xff, sizeof *f.from * p->nodes);
    for (uint32_t i = 0; i < GROUPS && best < most; i++) {
        find_group(&f, most);
        if (p->images <= best) continue;
        best = p->images;
        uint32_t *swap = kept;
        kept = p->image;
        p->image = swap;
    }
    p->image = kept;
    p->images = best;
    while (!find_orbits(p)) p->images = 1;
    p->chunks /= p->images;
    crl_pool_done(&pool);
    return 0;
}
