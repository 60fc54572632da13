// SPDX-License-Identifier: Apache-2.0
// Partial multinode broadcasts one after the other: Varvarigos & Bertsekas 1994, Sec. 5. Each carries the oldest packet
// of every node that has one when it begins; what is generated meanwhile waits. All packets of an interval are counted
// as complete when it ends.
#include "algorithm/random.h"
#include "base/base.h"
#include "dynamic/statistics.h"
#include "online/online.h"
#include <carillon/online.h>
#include <math.h>
#include <stdlib.h>

struct line { // packets of a node that wait, by the time they were generated
    double *time;
    size_t capacity, first, count;
};

struct intervals {
    const struct crl_intervals_options *options;
    struct crl_problem problem;
    uint32_t nodes, *active;
    struct line *line;
    double now, next, rate;              // next: when the next packet is generated, of all nodes together
    uint64_t state, waiting, unfinished; // unfinished: that count
    double delay[CRL_BATCHES], backlog[CRL_BATCHES];
    uint64_t finished[CRL_BATCHES], begun[CRL_BATCHES];
    struct crl_intervals_result *result;
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
        if (crl_grow((void **)&line->time, &line->capacity, line->first + line->count, sizeof *line->time))
            return CRL_ERR_MEMORY;
        line->time[line->first + line->count++] = x->next;
        x->waiting++;
        bool counts = batch_of(x, x->next) != CRL_NONE;
        x->unfinished += counts;
        x->result->packets += counts;
    }
    return 0;
}

// How long an interval takes with these nodes active, as the routers play it.
static int play(struct intervals *x, uint32_t count, double *time, struct crl_diag *diag)
{
    struct crl_online_run run;
    int error = crl_problem_set_active(&x->problem, x->active, count, x->problem.parts, diag);
    if (error) return error;
    error = crl_online_broadcast(&run, &x->problem, 0, diag);
    if (!error && run.faults) error = crl_fail(diag, CRL_ERR_LIMIT, "%u packets lost on line", run.faults);
    *time = run.prefix_slots * x->options->tp + (double)(run.slots - run.prefix_slots) / x->problem.parts;
    crl_online_run_done(&run);
    return error;
}

static int interval(struct intervals *x, struct crl_diag *diag)
{
    uint32_t count = 0, batch = batch_of(x, x->now);
    double time;
    for (uint32_t v = 0; v < x->nodes; v++)
        if (x->line[v].count) x->active[count++] = v;
    if (batch != CRL_NONE) {
        x->backlog[batch] += (double)x->waiting;
        x->begun[batch]++;
    }
    int error = play(x, count, &time, diag);
    if (error) return error;
    x->now += time;
    x->result->intervals++;
    for (uint32_t i = 0; i < count; i++) {
        struct line *line = &x->line[x->active[i]];
        double born = line->time[line->first];
        uint32_t of = batch_of(x, born);
        line->first = --line->count ? line->first + 1 : 0;
        x->waiting--;
        if (of == CRL_NONE) continue;
        x->unfinished--;
        x->delay[of] += x->now - born;
        x->finished[of]++;
    }
    // Where counting costs nothing, time would stand still while nobody has a packet.
    if (time <= 0) x->now = x->next;
    return generate(x) ? crl_fail_memory(diag) : 0;
}

static int play_all(struct intervals *x, struct crl_diag *diag)
{
    double end = (double)(x->options->warmup + x->options->slots);
    int error = 0;
    while (!error && (x->now < end || x->unfinished)) {
        error = interval(x, diag);
        if (x->options->progress) x->options->progress(x->options->user, (uint64_t)fmin(x->now, end));
    }
    return error;
}

static void measure(struct intervals *x)
{
    double delay[CRL_BATCHES], backlog[CRL_BATCHES];
    uint32_t delays = 0, backlogs = 0;
    for (uint32_t b = 0; b < CRL_BATCHES; b++) {
        if (x->finished[b]) delay[delays++] = x->delay[b] / (double)x->finished[b];
        if (x->begun[b]) backlog[backlogs++] = x->backlog[b] / (double)x->begun[b];
    }
    x->result->delay = delays ? crl_batch_means(delay, delays) : (struct crl_estimate){NAN, NAN};
    x->result->stable = !crl_series_grows(backlog, backlogs);
}

int crl_intervals_run(struct crl_intervals_result *result, const struct crl_topology *topology,
                      const struct crl_intervals_options *o, struct crl_diag *diag)
{
    static const uint32_t one = 0;
    struct intervals x = {.options = o, .result = result, .state = o->seed, .nodes = crl_topology_nodes(topology)};
    struct crl_mesh mesh;
    *result = (struct crl_intervals_result){0};
    if (!crl_mesh_of(&mesh, topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "%s is neither a torus nor an array", crl_topology_name(topology));
    int error = crl_problem_init(&x.problem, "partial-multinode-broadcast", topology, 0, CRL_PORTS_ALL, diag);
    if (!error) error = crl_problem_set_active(&x.problem, NULL, 0, crl_online_parts(&mesh), diag);
    if (error) return error;
    double V = crl_online_broadcast_bound(&x.problem, o->tp), rho = o->rho;
    error = crl_problem_set_active(&x.problem, &one, 1, crl_online_parts(&mesh), diag);
    if (error) return error;
    double X = crl_online_broadcast_bound(&x.problem, o->tp) - V, lambda = rho / (x.nodes * X);
    double left = 1 - rho - lambda * V; // of the time
    result->limit = 1 / (1 + V / (x.nodes * X));
    result->bound =
        left <= 0 ? NAN
                  : (1 + rho) * (rho * X / (2 * left) + (1 - rho) * V / (2 * left) + (1 - lambda * V) * V / left) + X;
    x.rate = lambda * x.nodes;
    x.next = -log(uniform(&x.state)) / x.rate;
    x.active = calloc(x.nodes, sizeof *x.active);
    x.line = calloc(x.nodes, sizeof *x.line);
    error = x.active && x.line ? play_all(&x, diag) : crl_fail_memory(diag);
    if (!error) measure(&x);
    for (uint32_t v = 0; x.line && v < x.nodes; v++) free(x.line[v].time);
    free(x.line);
    free(x.active);
    return error;
}
