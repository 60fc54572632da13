// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcasts one after the other: Varvarigos & Bertsekas 1994, Sec. 5. Generates packets, gives them
// to the nodes, compares engines slot by slot, judges each interval, and measures. All packets of an interval are
// counted as complete when it ends.
#include "machine/online/online.h"
#include "base/random.h"
#include "base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct packet {
    double born;
    uint32_t sequence;
};

struct line { // packets of a node that no interval carried yet
    struct packet *packet;
    size_t capacity, first, count;
    size_t given;      // of these, the node has
    uint32_t sequence; // of the next one
};

struct intervals {
    const struct crl_intervals_options *options;
    const struct crl_intervals_engine *engines;
    size_t engine_count;
    struct crl_dynamic_result *result;
    struct crl_problem problem; // of the interval that is played
    struct crl_online judge;    // of that problem
    uint32_t nodes, ports, parts;
    struct line *line;
    uint32_t *active, *sequence; // [nodes] of the interval that is played
    uint32_t *held;              // [nodes] as somebody who looks on is told
    double *born;                // [nodes]
    struct crl_interval_packet *given;
    uint32_t *word;                      // [nodes · parts]
    double now, began, next, rate;       // next: when the next packet is generated, of all nodes together
    uint64_t state, waiting, unfinished; // unfinished: that count
    uint64_t slot;
    double delay[CRL_BATCHES], backlog[CRL_BATCHES], stored[CRL_BATCHES], time[CRL_BATCHES], sent;
    uint64_t finished[CRL_BATCHES], begun[CRL_BATCHES];
};

static uint32_t batch_of(const struct intervals *x, double time)
{
    double since = time - (double)x->options->warmup, slots = (double)x->options->slots;
    return since < 0 || since >= slots ? CRL_NONE : (uint32_t)(since / slots * CRL_BATCHES);
}

// 0 < u ≤ 1
static double uniform(uint64_t *state) { return (double)((crl_random(state) >> 11) + 1) * 0x1p-53; }

// What is generated until now joins its lines.
static int generate(struct intervals *x)
{
    for (; x->next <= x->now; x->next -= log(uniform(&x->state)) / x->rate) {
        struct line *line = &x->line[(uint32_t)((crl_random(&x->state) >> 32) * x->nodes >> 32)];
        if (crl_grow((void **)&line->packet, &line->capacity, line->first + line->count, sizeof *line->packet))
            return CRL_ERR_MEMORY;
        line->packet[line->first + line->count++] = (struct packet){x->next, line->sequence++};
        x->waiting++;
        bool counts = batch_of(x, x->next) != CRL_NONE;
        x->unfinished += counts;
        x->result->packets += counts;
    }
    return 0;
}

// Forgets a packet that a node had no room for.
static void drop(struct intervals *x, struct line *line)
{
    struct packet *packet = &line->packet[line->first + line->given];
    x->unfinished -= batch_of(x, packet->born) != CRL_NONE;
    x->waiting--;
    x->result->dropped++;
    memmove(packet, packet + 1, (--line->count - line->given) * sizeof *packet);
}

// Gives every node the oldest packet that it does not have yet. Those that are left wait for the next slot, behind that
// one in any case.
static size_t give(struct intervals *x)
{
    size_t count = 0;
    for (uint32_t v = 0; v < x->nodes; v++) {
        struct line *line = &x->line[v];
        uint64_t holds = line->count + (x->sequence[v] != CRL_NONE);
        if (holds > x->result->queue_max) x->result->queue_max = holds;
        if (line->given == line->count) continue;
        uint32_t *word = &x->word[count * x->parts], sequence = line->packet[line->first + line->given].sequence;
        for (uint32_t part = 0; part < x->parts; part++)
            word[part] = crl_online_payload_of(&x->problem, v, part, sequence, x->options->seed);
        x->given[count++] = (struct crl_interval_packet){v, sequence, word};
        if (x->options->depth && line->given == x->options->depth) drop(x, line);
        else line->given++;
    }
    return count;
}

// Which packets the interval carries that begins now.
static int begin(struct intervals *x, struct crl_diag *diag)
{
    uint32_t count = 0, batch = batch_of(x, x->now);
    if (batch != CRL_NONE) {
        x->backlog[batch] += (double)x->waiting;
        x->begun[batch]++;
    }
    for (uint32_t v = 0; v < x->nodes; v++) {
        struct line *line = &x->line[v];
        x->sequence[v] = CRL_NONE;
        if (!line->given) continue;
        x->active[count++] = v;
        x->sequence[v] = line->packet[line->first].sequence;
        x->born[v] = line->packet[line->first].born;
        line->given--;
        line->first = --line->count ? line->first + 1 : 0;
    }
    // Where counting costs nothing, time would stand still while nobody has a packet.
    if (!count && x->result->intervals && x->now <= x->began) x->now = x->next;
    x->began = x->now;
    x->result->intervals++;
    return crl_problem_set_active(&x->problem, x->active, count, x->parts, diag);
}

// The interval is over: its packets must be at all nodes.
static void end(struct intervals *x)
{
    struct crl_diag where = {0};
    for (size_t i = 0; i < x->engine_count && x->problem.active_count; i++) {
        const char *verdict = crl_online_oracle(&x->judge, &x->engines[i].memory, &where);
        if (!strcmp(verdict, "ok") || strcmp(x->result->result, "ok")) continue;
        x->result->result = verdict;
        snprintf(x->result->text, sizeof x->result->text, "%s, interval %llu: %.200s", x->engines[i].name,
                 (unsigned long long)x->result->intervals, where.text);
    }
    for (uint32_t i = 0; i < x->problem.active_count; i++) {
        double born = x->born[x->problem.active[i]];
        uint32_t batch = batch_of(x, born);
        x->waiting--;
        if (batch == CRL_NONE) continue;
        x->unfinished--;
        x->delay[batch] += x->now - born;
        x->finished[batch]++;
    }
}

static void compare(struct intervals *x, const struct crl_interval_slot *a, const struct crl_interval_slot *b)
{
    struct crl_dynamic_result *r = x->result;
    const char *first = x->engines[0].name, *second = x->engines[1].name;
    unsigned long long slot = x->slot;
    if (a->begins != b->begins || a->counts != b->counts) {
        r->mismatches++;
        snprintf(r->text, sizeof r->text, "slot %llu: an interval begins%s in one of %s and %s only", slot,
                 a->begins == b->begins ? " or counts" : "", first, second);
    }
    for (size_t i = 0; i < (size_t)x->nodes * x->ports && !r->mismatches; i++) {
        uint32_t node = (uint32_t)(i / x->ports), port = (uint32_t)(i % x->ports);
        bool in_a = a->valid[node] >> port & 1, in_b = b->valid[node] >> port & 1;
        if (in_a == in_b && (!in_a || a->data[i] == b->data[i])) continue;
        r->mismatches++;
        snprintf(r->text, sizeof r->text, "slot %llu, node %u, port %u: %s sends %s%016llx, %s %s%016llx", slot, node,
                 port, first, in_a ? "" : "nothing, not ", (unsigned long long)a->data[i], second,
                 in_b ? "" : "nothing, not ", (unsigned long long)b->data[i]);
    }
    if (r->mismatches) r->result = "mismatch";
}

static void trace(const struct intervals *x, const struct crl_interval_slot *slot)
{
    for (uint32_t v = 0; v < x->nodes; v++)
        for (uint32_t p = 0; p < x->ports; p++)
            if (slot->valid[v] >> p & 1)
                fprintf(x->options->trace, "%llu %u %u %016llx\n", (unsigned long long)x->slot, v, p,
                        (unsigned long long)slot->data[(size_t)v * x->ports + p]);
}

static void show(struct intervals *x, const struct crl_interval_slot *slot)
{
    for (uint32_t v = 0; v < x->nodes; v++) x->held[v] = (uint32_t)x->line[v].count + (x->sequence[v] != CRL_NONE);
    const struct crl_interval_look look = {x->slot + 1, slot->begins, slot->valid, slot->data, &x->judge, x->held};
    x->options->watch(x->options->watcher, &look);
}

static void measure_slot(struct intervals *x, const struct crl_interval_slot *slot, double time)
{
    uint32_t batch = batch_of(x, x->now);
    if (batch == CRL_NONE) return;
    x->time[batch] += time;
    x->stored[batch] += (double)x->waiting * time;
    for (uint32_t v = 0; v < x->nodes && !slot->counts; v++) x->sent += __builtin_popcount(slot->valid[v]);
}

static int play_slot(struct intervals *x, struct crl_diag *diag)
{
    struct crl_interval_slot slot[2] = {0};
    if (generate(x)) return crl_fail_memory(diag);
    size_t given = give(x);
    int error = 0;
    x->result->faults = 0;
    for (size_t i = 0; i < x->engine_count && !error; i++) {
        error = x->engines[i].step(x->engines[i].self, x->given, given, &slot[i], diag);
        x->result->faults += slot[i].faults;
    }
    if (!error && x->engine_count == 2) compare(x, &slot[0], &slot[1]);
    if (!error && x->options->trace) trace(x, &slot[0]);
    if (error || x->result->mismatches) return error;
    if (slot[0].begins) {
        end(x);
        error = begin(x, diag);
    }
    double time = slot[0].counts ? x->options->tp : 1.0 / x->parts;
    if (!error && x->options->watch) show(x, &slot[0]);
    measure_slot(x, &slot[0], time);
    x->now += time;
    x->slot++;
    return error;
}

static int play_all(struct intervals *x, struct crl_diag *diag)
{
    double end = (double)(x->options->warmup + x->options->slots);
    int error = 0;
    while (!error && !strcmp(x->result->result, "ok") && (x->now < end || x->unfinished)) {
        error = play_slot(x, diag);
        if (!error && x->options->progress && !x->options->progress(x->options->user, (uint64_t)fmin(x->now, end)))
            error = crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
    }
    if (!error && x->result->dropped && !strcmp(x->result->result, "ok")) {
        x->result->result = "missing";
        snprintf(x->result->text, sizeof x->result->text, "%llu packets found no room to wait",
                 (unsigned long long)x->result->dropped);
    }
    return error;
}

static void measure(struct intervals *x)
{
    double delay[CRL_BATCHES], backlog[CRL_BATCHES], queue[CRL_BATCHES], time = 0;
    uint32_t delays = 0, backlogs = 0, queues = 0;
    for (uint32_t b = 0; b < CRL_BATCHES; b++) {
        if (x->finished[b]) delay[delays++] = x->delay[b] / (double)x->finished[b];
        if (x->begun[b]) backlog[backlogs++] = x->backlog[b] / (double)x->begun[b];
        if (x->time[b] > 0) queue[queues++] = x->stored[b] / x->time[b] / x->nodes;
        time += x->time[b];
    }
    x->result->stable = !crl_series_grows(backlog, backlogs);
    bool known = delays && x->result->stable;
    x->result->delay = known ? crl_batch_means(delay, delays) : (struct crl_estimate){NAN, NAN};
    x->result->queue = queues ? crl_batch_means(queue, queues) : (struct crl_estimate){NAN, NAN};
    if (time > 0) x->result->utilization_all = x->sent / x->parts / (time * crl_topology_links(x->problem.topology));
}

// Eqs. (11) and (14), and the rate at which packets are generated: X is what an active node adds to an interval, the
// N-th part of what all add, since without splitting time grows in steps; V is what one of nobody takes.
static int formulas(struct intervals *x, struct crl_diag *diag)
{
    double rho = x->options->rho, tp = x->options->tp;
    for (uint32_t v = 0; v < x->nodes; v++) x->active[v] = v;
    int error = crl_problem_set_active(&x->problem, x->active, x->nodes, x->parts, diag);
    double X = error ? 0 : crl_online_broadcast_bound(&x->problem, tp);
    if (!error) error = crl_problem_set_active(&x->problem, NULL, 0, x->parts, diag);
    if (error) return error;
    double V = crl_online_broadcast_bound(&x->problem, tp);
    X = (X - V) / x->nodes;
    double lambda = rho / (x->nodes * X), left = 1 - rho - lambda * V; // of the time
    x->result->limit = 1 / (1 + V / (x->nodes * X));
    x->result->bound =
        left <= 0 ? NAN
                  : (1 + rho) * (rho * X / (2 * left) + (1 - rho) * V / (2 * left) + (1 - lambda * V) * V / left) + X;
    x->rate = lambda * x->nodes;
    return 0;
}

static int open_intervals(struct intervals *x, const struct crl_topology *topology, struct crl_diag *diag)
{
    x->nodes = crl_topology_nodes(topology);
    x->ports = crl_topology_ports(topology);
    if (!crl_mesh_of(&x->judge.run.mesh, topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array", crl_topology_name(topology));
    x->parts = crl_online_parts(&x->judge.run.mesh);
    x->line = calloc(x->nodes, sizeof *x->line);
    x->active = calloc(x->nodes, sizeof *x->active);
    x->sequence = malloc(x->nodes * sizeof *x->sequence);
    x->held = malloc(x->nodes * sizeof *x->held);
    x->born = calloc(x->nodes, sizeof *x->born);
    x->given = calloc(x->nodes, sizeof *x->given);
    x->word = calloc((size_t)x->nodes * x->parts, sizeof *x->word);
    if (!x->line || !x->active || !x->sequence || !x->held || !x->born || !x->given || !x->word)
        return crl_fail_memory(diag);
    memset(x->sequence, 0xff, x->nodes * sizeof *x->sequence); // CRL_NONE: nothing is carried yet
    x->judge.problem = &x->problem;
    x->judge.sequence = x->sequence;
    x->judge.seed = x->options->seed;
    int error = crl_problem_init(&x->problem, "partial-multinode-broadcast", topology, 0, CRL_PORTS_ALL, diag);
    return error ? error : formulas(x, diag);
}

int crl_intervals_run(struct crl_dynamic_result *result, const struct crl_topology *topology,
                      const struct crl_intervals_options *o, const struct crl_intervals_engine *engines, size_t count,
                      struct crl_diag *diag)
{
    struct intervals x = {.options = o, .engines = engines, .engine_count = count, .result = result, .state = o->seed};
    *result = (struct crl_dynamic_result){.result = "ok"};
    int error = open_intervals(&x, topology, diag);
    x.next = error ? 0 : -log(uniform(&x.state)) / x.rate;
    if (!error) error = play_all(&x, diag);
    if (!error) measure(&x);
    for (uint32_t v = 0; x.line && v < x.nodes; v++) free(x.line[v].packet);
    void *arrays[] = {x.line, x.active, x.sequence, x.held, x.born, x.given, x.word};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    return error;
}
