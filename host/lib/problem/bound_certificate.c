// SPDX-License-Identifier: Apache-2.0
// What proves the bounds of collectives that move packets, as lines of a certificate. The bound says how many slots are
// to be proved; here is tried which argument does it, the plainest first, and the checker has the last word.
#include "base/base.h"
#include "base/context.h"
#include "problem/bound.h"
#include "problem/bound_prices.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- arguments

void crl_argue_price(struct crl_argument *w, enum crl_payer payer, uint32_t from, uint32_t to, uint32_t price,
                     uint64_t after, uint64_t before)
{
    struct crl_price p = {payer, from, to, price, (uint32_t)after, (uint32_t)before, 0};
    if (!w->error && price) w->error = crl_certificate_price(w->certificate, p);
}

void crl_argue_to(struct crl_argument *w, uint32_t node)
{
    if (!w->error) w->error = crl_certificate_to(w->certificate, node, 0);
}

bool crl_argue(struct crl_argument *w, enum crl_certificate_kind kind)
{
    struct crl_certificate *c = w->certificate;
    if (!w->error && crl_context_cancelled(w->problem->context)) w->error = CRL_ERR_INTERRUPTED;
    if (w->error) return false;
    c->kind = kind;
    int error = crl_certificate_check(c, w->real, w->problem->demands, w->problem->context, "", NULL);
    if (!error) return true;
    if (error == CRL_ERR_MEMORY) w->error = error;
    c->prices = c->tos = c->members = c->literals = c->nameds = c->id_count = 0;
    c->from = CRL_NONE;
    return false;
}

static bool spreads(const struct crl_argument *w) { return w->problem->collective->naming == CRL_NAMING_ORIGIN; }
static bool is_single(const struct crl_argument *w) { return w->problem->ports == CRL_PORTS_SINGLE; }

// The destinations that need be looked at: all, or one where all are alike.
static uint32_t different(const struct crl_argument *w)
{
    const struct crl_problem *p = w->problem;
    return crl_problem_has_root(p) || !crl_topology_is_symmetric(p->topology) ? p->topology->nodes : 1;
}

// Whether node v is one of the ends.
static bool is_end(const struct crl_argument *w, enum crl_ends ends, uint32_t v)
{
    bool host = true;
    if (ends == CRL_ENDS_ROOT) return v == w->problem->root;
    if (w->problem->hosts) crl_nodes_below(w->problem->hosts, w->problem->host_count, v, &host);
    return host;
}

static bool has_origin(const struct crl_argument *w, uint32_t v)
{
    return is_end(w, w->problem->collective->origins, v);
}

static bool has_dest(const struct crl_argument *w, uint32_t v) { return is_end(w, w->problem->collective->dests, v); }

// ---------------------------------------------------------------- the plain ones

// A packet has too far to go.
static bool reach(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    if (!spreads(w)) return crl_argue(w, CRL_WEIGHTS);
    for (uint32_t v = 0; v < different(w); v++)
        for (uint32_t u = 0; u < t->nodes; u++) {
            if (!has_dest(w, v) || !has_origin(w, u) || crl_topology_delay(t, u, v) < w->certificate->slots) continue;
            crl_argue_to(w, v);
            return crl_argue(w, CRL_WEIGHTS);
        }
    return false;
}

// Each packet pays for every hop, or for those that come after its first k.
static bool hops(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    uint32_t far = crl_topology_latency_max(t) > 1 ? crl_topology_eccentricity(t, 0, false) : 1;
    bool proved = false;
    for (uint32_t k = 0; k < far && !spreads(w) && !proved; k++) {
        uint64_t after = k * (uint64_t)crl_topology_latency_min(t);
        crl_argue_price(w, is_single(w) ? CRL_PAYS_SEND : CRL_PAYS_LINK, CRL_NONE, CRL_NONE, 1, after, 0);
        proved = crl_argue(w, CRL_WEIGHTS);
    }
    return proved;
}

// One end of many packets: those that take longer than x leave it x slots before the end (inward: come to it after the
// first x slots).
static bool one_end_after(struct crl_argument *w, uint32_t v, uint32_t x, bool inward)
{
    const struct crl_topology *t = w->problem->topology;
    uint32_t most = crl_topology_latency_max(t);
    if (inward && spreads(w)) crl_argue_to(w, v);
    if (!inward) {
        crl_argue_price(w, CRL_PAYS_SEND, v, CRL_NONE, 1, 0, x);
    } else if (is_single(w) || !x || most == crl_topology_latency_min(t)) {
        crl_argue_price(w, CRL_PAYS_RECV, CRL_NONE, v, 1, x >= most ? x - most + 1 : 0, 0);
    } else {
        for (uint32_t p = 0; p < t->ports; p++) {
            uint32_t u = crl_topology_behind(t, v, p), latency = u == CRL_NONE ? 1 : crl_topology_latency(t, u, p);
            if (u != CRL_NONE) crl_argue_price(w, CRL_PAYS_LINK, u, v, 1, x >= latency ? x - latency + 1 : 0, 0);
        }
    }
    return crl_argue(w, CRL_WEIGHTS);
}

// Tries it for each x for which it could be enough. count: [delays] how many packets take so long; left all 0.
static bool one_end(struct crl_argument *w, uint32_t v, bool inward, uint64_t *count)
{
    const struct crl_topology *t = w->problem->topology;
    uint64_t ports = crl_ports_in_use(w->problem, v, inward), least = crl_topology_latency_min(t), packets = 0;
    uint32_t longest = 0;
    bool proved = false;
    for (uint32_t u = 0; u < t->nodes; u++) {
        if (u == v || !(inward ? has_origin(w, u) : has_dest(w, u))) continue;
        uint32_t delay = inward ? crl_topology_delay(t, u, v) : crl_topology_delay(t, v, u);
        count[delay] += w->problem->parts;
        packets += w->problem->parts;
        if (delay > longest) longest = delay;
    }
    for (uint32_t x = 0; x < longest; x++) {
        packets -= count[x];
        uint64_t start = x < least ? least - 1 : x, sure = start + crl_ceil_div(packets, ports);
        bool alike = least == crl_topology_latency_max(t);
        if (!proved && (!alike || sure >= w->certificate->slots)) proved = one_end_after(w, v, x, inward);
    }
    memset(count, 0, sizeof *count * (longest + UINT64_C(1)));
    return proved;
}

static bool ends(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    CRL_OWNED uint64_t *count = calloc((uint64_t)t->nodes * crl_topology_latency_max(t) + 1, sizeof *count);
    bool proved = false;
    if (!count) w->error = CRL_ERR_MEMORY;
    for (uint32_t v = 0; count && !proved && v < different(w); v++) {
        if (has_dest(w, v)) proved = one_end(w, v, true, count);
        if (!proved && has_origin(w, v) && !spreads(w)) proved = one_end(w, v, false, count);
    }
    return proved;
}

// Where some nodes only forward: hosts send all but what has not far to go before the end, and get all but what comes
// from near after the beginning.
static bool both_ends(struct crl_argument *w)
{
    const struct crl_problem *p = w->problem;
    uint32_t x = 0;
    bool exchange = !spreads(w) && !crl_problem_has_root(p) && crl_topology_latency_max(p->topology) == 1;
    if (!p->hosts || !exchange || crl_bound_both_ends(p, &x) < w->certificate->slots) return false;
    for (uint32_t i = 0; i < p->host_count; i++) {
        crl_argue_price(w, CRL_PAYS_SEND, p->hosts[i], CRL_NONE, 1, 0, x);
        crl_argue_price(w, CRL_PAYS_RECV, CRL_NONE, p->hosts[i], 1, x, 0);
    }
    return crl_argue(w, CRL_WEIGHTS);
}

// What leads from the first `a` layers of a factor to the others.
static bool cut(struct crl_argument *w, const struct crl_factor *f, uint32_t a)
{
    const struct crl_topology *t = w->problem->topology;
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports && crl_factor_digit(f, v) < a; p++) {
            uint32_t u = crl_topology_neighbor(t, v, p);
            if (u != CRL_NONE && crl_factor_digit(f, u) >= a) crl_argue_price(w, CRL_PAYS_LINK, v, u, 1, 0, 0);
        }
    return crl_argue(w, CRL_WEIGHTS);
}

static bool cuts(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    bool proved = false;
    for (uint32_t i = 0; i < t->factor_count && !spreads(w) && !crl_problem_has_root(w->problem); i++)
        for (uint32_t a = 1; a < t->factor[i].size && !proved; a++) {
            const struct crl_factor *f = &t->factor[i];
            uint64_t packets = w->problem->parts * a * (uint64_t)(t->nodes / f->size) * (f->size - a);
            uint64_t slots = crl_ceil_div(packets, crl_factor_cut(f, a)) + crl_topology_latency_max(t) - 1;
            if (slots >= w->certificate->slots) proved = cut(w, f, a);
        }
    return proved;
}

// ---------------------------------------------------------------- single-port

// The layers of a path that send the most.
static bool middle_layers(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    bool proved = false;
    for (uint32_t i = 0; i < t->factor_count && !spreads(w) && is_single(w) && !proved; i++) {
        for (uint32_t v = 0; v < t->nodes && t->factor[i].shape == CRL_PATH; v++)
            if (crl_factor_digit(&t->factor[i], v) == (t->factor[i].size - 1) / 2)
                crl_argue_price(w, CRL_PAYS_SEND, v, CRL_NONE, 1, 0, 0);
        proved = w->certificate->prices && crl_argue(w, CRL_WEIGHTS);
    }
    return proved;
}

// Whether a link before it has the same ends.
static bool is_beside(const struct crl_rows *r, uint32_t link)
{
    for (uint32_t k = r->first[r->from[link]]; k < link; k++)
        if (r->to[k] == r->to[link]) return true;
    return false;
}

// Prices from the linear program.
static bool priced(struct crl_argument *w)
{
    const struct crl_priced *f = w->problem->priced;
    bool exchange = !spreads(w) && !crl_problem_has_root(w->problem);
    if (!exchange || !f || !f->slots) return false;
    const struct crl_rows *r = &f->rows;
    for (uint32_t i = 0; i < r->links && !r->single; i++)
        if (!is_beside(r, i)) // a line is about all links side by side
            crl_argue_price(w, CRL_PAYS_LINK, r->from[i], r->to[i], r->price[crl_row_sends(r, i)], 0, 0);
    for (uint32_t v = 0; v < r->nodes && r->single; v++) {
        crl_argue_price(w, CRL_PAYS_SEND, v, CRL_NONE, r->price[v], 0, 0);
        crl_argue_price(w, CRL_PAYS_RECV, CRL_NONE, v, r->price[r->nodes + v], 0, 0);
    }
    return crl_argue(w, CRL_WEIGHTS);
}

// Where all links lead between two halves, the larger gets all that the smaller sends.
static bool halves(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    uint32_t odd = 0;
    if (!spreads(w) || !is_single(w) || crl_problem_has_root(w->problem)) return false;
    for (uint32_t v = 0; v < t->nodes; v++) odd += crl_topology_distance(t, 0, v) % 2;
    uint32_t small = odd * 2 < t->nodes;
    for (uint32_t v = 0; v < t->nodes; v++)
        if (crl_topology_distance(t, 0, v) % 2 == small) crl_argue_price(w, CRL_PAYS_SEND, v, CRL_NONE, 1, 0, 0);
        else crl_argue_to(w, v);
    return crl_argue(w, CRL_WEIGHTS);
}

// ---------------------------------------------------------------- cuts in time

static uint32_t after(const struct crl_topology *t, uint32_t v, uint32_t port, bool turned)
{
    return turned ? crl_topology_behind(t, v, port) : crl_topology_neighbor(t, v, port);
}

// Links that lead out of the cut of crl_bound_flow, in the slots in which they do. That of a scatter is one in reversed
// time: what is sent in slots a + 1 … T − b is sent in slots b + 2 − latency … T − (a + latency − 1).
static bool flows(struct crl_argument *w)
{
    const struct crl_topology *t = w->problem->topology;
    const struct crl_priced *f = w->problem->priced;
    uint32_t last = w->certificate->slots - 1;
    bool turned = !spreads(w) && w->problem->collective->origins == CRL_ENDS_ROOT;
    if (!f || !f->since || f->flow_slots != w->certificate->slots) return false;
    if (spreads(w)) crl_argue_to(w, f->cut_off);
    for (uint32_t v = 0; v < t->nodes; v++)
        for (uint32_t p = 0; p < t->ports && f->since[v] != CRL_NONE; p++) {
            uint32_t u = after(t, v, p, turned), q = 0;
            while (q < p && after(t, v, q, turned) != u) q++;
            if (u == CRL_NONE || q < p) continue; // a line is about all links side by side
            uint32_t latency = crl_topology_latency(t, turned ? u : v, p), start = f->since[v];
            uint32_t end = f->since[u] == CRL_NONE ? last : f->since[u] > latency ? f->since[u] - latency : 0;
            uint32_t rest = last - end + 1 > latency ? last - end + 1 - latency : 0;
            if (end <= start) continue;
            if (turned) crl_argue_price(w, CRL_PAYS_LINK, u, v, 1, rest, start + latency - 1);
            else crl_argue_price(w, CRL_PAYS_LINK, v, u, 1, start, last - end);
        }
    return crl_argue(w, CRL_WEIGHTS);
}

// ---------------------------------------------------------------- all

// What was found with the bound.
static bool argue_found(struct crl_argument *w)
{
    if (!w->problem->priced || w->problem->priced->reason.slots != w->certificate->slots) return false;
    const struct crl_certificate *r = &w->problem->priced->reason;
    struct crl_certificate *c = w->certificate;
    if (!w->problem->demands && spreads(w)) crl_argue_to(w, w->problem->priced->to);
    for (size_t i = 0; i < r->prices && !w->error; i++) w->error = crl_certificate_price(c, r->price[i]);
    for (size_t i = 0; i < r->nameds && !w->error; i++) {
        const struct crl_named *line = &r->named[i];
        w->error = crl_certificate_name(c, r->ids + line->id, line->pack, line->value, 0);
        for (size_t k = 0; k < line->nodes && !w->error; k++)
            w->error = crl_certificate_set(c, r->member[line->first + k].node);
    }
    return crl_argue(w, CRL_WEIGHTS);
}

static bool argue_packets(struct crl_argument *w)
{
    return argue_found(w) || reach(w) || hops(w) || ends(w) || both_ends(w) || cuts(w) || middle_layers(w) ||
           halves(w) || priced(w) || flows(w) || crl_argue(w, CRL_GROWTH);
}

const char *crl_bound_latency_text(const struct crl_topology *t, char text[64])
{
    uint32_t latency[CRL_FACTORS_MAX], count = crl_topology_latencies(t, latency);
    size_t used = 0;
    *text = 0;
    for (uint32_t i = 0; i < count && crl_topology_latency_max(t) > 1 && used < 64; i++)
        used += (size_t)snprintf(text + used, 64 - used, i ? ",%u" : "%u", latency[i]);
    return text;
}

int crl_bound_header(struct crl_certificate *c, const struct crl_problem *p, struct crl_diag *diag)
{
    uint64_t slots = crl_problem_bound_slots(p);
    *c = (struct crl_certificate){.parts = p->parts, .root = p->root, .from = CRL_NONE};
    if (!crl_certificate_knows(crl_problem_name(p)))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "there are no certificates of %s", crl_problem_title(p));
    if (!slots || slots >= UINT32_MAX)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "a bound of %llu slots has no certificate",
                        (unsigned long long)slots);
    snprintf(c->topology, sizeof c->topology, "%s", crl_topology_name(p->topology));
    snprintf(c->collective, sizeof c->collective, "%s", crl_problem_name(p));
    crl_bound_latency_text(p->topology, c->latency);
    c->single = p->ports == CRL_PORTS_SINGLE;
    c->slots = (uint32_t)slots;
    bool takes = crl_problem_takes_chunks(p), parts = takes && crl_problem_has_root(p); // as crl_problem_turned has it
    if (parts) c->parts = p->chunks;
    if (p->demands) c->period = p->demands->modulo;
    if (p->demands && crl_demands_hash(p->demands, c->demands)) return crl_fail_memory(diag);
    c->chunks = takes && !parts && p->chunks != crl_problem_usual_chunks(p) ? p->chunks : 0;
    return 0;
}

int crl_bound_certificate(struct crl_certificate *c, const struct crl_problem *p, struct crl_diag *diag)
{
    struct crl_argument w = {c, p, p->topology, crl_bound_header(c, p, diag)};
    struct crl_turned turned;
    bool turns = !w.error && crl_problem_turns(p), proved = false;
    if (w.error) return w.error;
    if (turns && (w.error = crl_problem_turned(&turned, p))) return crl_fail_memory(diag);
    if (turns) w.problem = &turned.problem;
    proved = p->demands ? argue_found(&w) : crl_problem_sums(w.problem) ? crl_argue_sums(&w) : argue_packets(&w);
    if (turns) crl_problem_turned_done(&turned);
    if (!proved && !w.error) proved = crl_argue_refuted(&w, p);
    if (w.error) return crl_fail_memory(diag);
    return proved ? 0
                  : crl_fail(diag, CRL_ERR_UNSUPPORTED, "no certificate is known that proves the bound of %u slots",
                             c->slots);
}

// ---------------------------------------------------------------- writing

static const char *const kinds[] = {"weights", "growth", "partition", "carrier", "sat"};

const char *crl_certificate_kind_name(enum crl_certificate_kind kind) { return kinds[kind]; }

static void write_end(FILE *file, uint32_t node)
{
    if (node == CRL_NONE) fputs(" *", file);
    else fprintf(file, " %u", node);
}

static void write_header(const struct crl_certificate *c, FILE *file)
{
    fprintf(file, "topology %s\ncollective %s\nports %s\nslots %u\n", c->topology, c->collective,
            c->single ? "single" : "all", c->slots);
    if (*c->latency) fprintf(file, "link-latency %s\n", c->latency);
    if (*c->demands) fprintf(file, "demands sha256:%s\n", c->demands);
    if (c->period) fprintf(file, "period %u\n", c->period);
    if (c->root) fprintf(file, "root %u\n", c->root);
    if (c->parts > 1) fprintf(file, "parts %u\n", c->parts);
    if (c->chunks) fprintf(file, "chunks %u\n", c->chunks);
    fprintf(file, "kind %s\n", kinds[c->kind]);
    if (c->kind == CRL_CARRIER) fprintf(file, "from %u\n", c->from);
}

static void write_named(const struct crl_certificate *c, const struct crl_named *line, FILE *file)
{
    fprintf(file, "%s %s %u", line->pack ? "pack" : "to", c->ids + line->id, line->value);
    for (size_t i = 0; i < line->nodes; i++) fprintf(file, " %u", c->member[line->first + i].node);
    putc('\n', file);
}

int crl_certificate_write(const struct crl_certificate *c, FILE *file, struct crl_diag *diag)
{
    static const char *const payers[] = {"link", "send", "recv", "cable"};
    write_header(c, file);
    for (size_t i = 0; i < c->tos; i++)
        fprintf(file, "%s %u%s", i ? "" : "to", c->to[i].node, i + 1 == c->tos ? "\n" : "");
    for (size_t i = 0; i < c->nameds; i++) write_named(c, &c->named[i], file);
    for (size_t i = 0; i < c->members && !*c->demands; i++) {
        bool first = !i || c->member[i].part != c->member[i - 1].part;
        bool last = i + 1 == c->members || c->member[i].part != c->member[i + 1].part;
        fprintf(file, "%s %u%s", first ? "part" : "", c->member[i].node, last ? "\n" : "");
    }
    for (size_t i = 0; i < c->prices; i++) {
        const struct crl_price *p = &c->price[i];
        fputs(payers[p->payer], file);
        if (p->payer != CRL_PAYS_RECV) write_end(file, p->from);
        if (p->payer != CRL_PAYS_SEND) write_end(file, p->to);
        fprintf(file, " %u", p->price);
        if (p->after || p->before) fprintf(file, " %u %u", p->after, p->before);
        putc('\n', file);
    }
    for (size_t i = 0; i < c->literals; i++) {
        if (!i || !c->literal[i - 1]) fputs("clause", file);
        if (c->literal[i]) fprintf(file, " %d", (int)c->literal[i]);
        else putc('\n', file);
    }
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the certificate") : 0;
}
