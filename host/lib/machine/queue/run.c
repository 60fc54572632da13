// SPDX-License-Identifier: Apache-2.0
// A whole run: source → engines side by side → compare → measure; then the network drains.
#include "trace/trace.h"
#include "machine/queue/queue.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

struct run {
    const struct crl_queue_tables *tables;
    const struct crl_dynamic_options *options;
    const struct crl_queue_engine *engines;
    size_t count;
    struct crl_source *source;
    struct crl_meter *meter;
    struct crl_stimulus coming[CRL_AHEAD_MAX]; // those that engines have been told of, and the next one
    uint32_t told, next;
    struct crl_traffic traffic[2];
    uint64_t slot, idle; // idle: slots without a word since the last one
    bool empty;
    uint64_t mismatches;
    char text[256];
};

// The first difference between what the two engines did in this slot.
static void compare(struct run *run, size_t offers)
{
    const struct crl_traffic *a = &run->traffic[0], *b = &run->traffic[1];
    uint32_t d = run->tables->ports;
    for (uint32_t v = 0; v < run->tables->nodes; v++) {
        for (uint32_t p = d; p-- > 0;) {
            bool in_a = a->sent[v] >> p & 1, in_b = b->sent[v] >> p & 1;
            uint32_t x = a->word[(size_t)v * d + p], y = b->word[(size_t)v * d + p];
            if (in_a == in_b && (!in_a || x == y)) continue;
            char text[2][16] = {"nothing", "nothing"};
            if (in_a) snprintf(text[0], sizeof text[0], "%x", x);
            if (in_b) snprintf(text[1], sizeof text[1], "%x", y);
            if (!run->mismatches++)
                snprintf(run->text, sizeof run->text,
                         "slot %llu, node %u, port %u: the first engine sends %s, the second %s",
                         (unsigned long long)run->slot, v, p, text[0], text[1]);
        }
        if (a->delivered[v] != b->delivered[v] || a->stored[v] != b->stored[v])
            if (!run->mismatches++)
                snprintf(run->text, sizeof run->text,
                         "slot %llu, node %u: the first engine stores %u and keeps from ports %x, the second %u and %x",
                         (unsigned long long)run->slot, v, a->stored[v], a->delivered[v], b->stored[v],
                         b->delivered[v]);
    }
    bool same = a->dropped == b->dropped && a->faults == b->faults;
    for (size_t i = 0; i < offers && a->taken; i++) same &= a->taken[i] == b->taken[i];
    if (!same && !run->mismatches++)
        snprintf(run->text, sizeof run->text, "slot %llu: the engines drop or take different packets",
                 (unsigned long long)run->slot);
}

static int write_trace(const struct run *run, struct crl_diag *diag)
{
    const struct crl_queue_tables *t = run->tables;
    uint64_t first = (run->slot - 1) * t->cycles + (t->loops ? t->trees : 0);
    int error = 0;
    for (uint32_t p = t->ports; p-- > 0;)
        for (uint32_t v = 0; v < t->nodes && !error; v++) {
            if (!(run->traffic[0].sent[v] >> p & 1)) continue;
            struct crl_word word = {first + t->ports - 1 - p, v, p, run->traffic[0].word[(size_t)v * t->ports + p]};
            error = crl_trace_write(run->options->trace, &word);
        }
    return error ? crl_fail(diag, error, "cannot write the trace") : 0;
}

static int explain(const struct run *run, const struct crl_queue_engine *engine, int error, struct crl_diag *diag)
{
    if (error && engine->explain) engine->explain(engine->self, diag);
    else if (error) crl_fail(diag, error, "an engine failed in slot %llu", (unsigned long long)run->slot);
    return error;
}

static void forget(struct run *run)
{
    while (run->told) free((struct crl_own *)run->coming[--run->told].own);
    run->next = 0;
}

// Tells an engine that wants to know of the next slots.
static int tell(struct run *run, const struct crl_queue_engine *engine, struct crl_diag *diag)
{
    uint64_t last = run->options->warmup + run->options->slots;
    forget(run);
    while (run->told < engine->window) {
        struct crl_stimulus *s = &run->coming[run->told];
        int error = crl_source_slot(run->source, run->slot + run->told <= last, s);
        struct crl_own *own = malloc((s->count + 1) * sizeof *own);
        if (error || !own) return crl_fail_memory(diag);
        if (s->count) memcpy(own, s->own, s->count * sizeof *own);
        s->own = own;
        run->told++;
    }
    return explain(run, engine, engine->ahead(engine->self, run->coming, run->told), diag);
}

// What comes in this slot. At most one engine looks ahead.
static int coming(struct run *run, struct crl_stimulus *stimulus, bool more, struct crl_diag *diag)
{
    int error = 0;
    for (size_t i = 0; i < run->count; i++)
        if (run->engines[i].window && run->next == run->told && !error) error = tell(run, &run->engines[i], diag);
    if (error) return error;
    if (run->told) *stimulus = run->coming[run->next++];
    else if (crl_source_slot(run->source, more, stimulus)) return crl_fail_memory(diag);
    return 0;
}

static bool nothing_comes(const struct run *run)
{
    bool nothing = !crl_source_holds(run->source);
    for (uint32_t i = run->next; i < run->told; i++) nothing &= !run->coming[i].count;
    return nothing;
}

static int play_slot(struct run *run, bool more, struct crl_diag *diag)
{
    struct crl_stimulus stimulus;
    run->slot++;
    int error = coming(run, &stimulus, more, diag);
    for (size_t i = 0; i < run->count && !error; i++) {
        const struct crl_queue_engine *e = &run->engines[i];
        error = explain(run, e, e->step(e->self, &stimulus, &run->traffic[i]), diag);
    }
    if (error) return error;
    if (run->count > 1) compare(run, stimulus.count);
    if (run->traffic[0].taken) crl_source_taken(run->source, &stimulus, run->traffic[0].taken);
    run->empty = nothing_comes(run);
    run->idle++;
    for (uint32_t v = 0; v < run->tables->nodes; v++) {
        if (run->traffic[0].stored[v]) run->empty = false;
        if (run->traffic[0].sent[v]) run->idle = 0;
    }
    error = crl_meter_slot(run->meter, &stimulus, &run->traffic[0], diag);
    if (!error && run->options->trace) error = write_trace(run, diag);
    if (run->options->watch) run->options->watch(run->options->watcher, run->slot, &run->traffic[0]);
    if (!error && run->options->progress && !run->options->progress(run->options->user, run->slot))
        error = crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted");
    return error;
}

int crl_dynamic_run(struct crl_dynamic_result *result, const struct crl_queue_tables *tables,
                    const struct crl_dynamic_options *options, const struct crl_queue_engine *engines, size_t count,
                    struct crl_diag *diag)
{
    struct run run = {.tables = tables, .options = options, .engines = engines, .count = count};
    int error = crl_source_new(&run.source, tables, options->rho, options->stall, options->seed, diag);
    if (!error) error = crl_meter_new(&run.meter, tables, options->warmup, options->slots, diag);
    uint64_t last = options->warmup + options->slots;
    while (!error && !run.mismatches && run.slot < last) error = play_slot(&run, true, diag);
    // A word moves at least once a period unless all wait for each other; stalls may make that longer.
    uint64_t patience = UINT64_C(64) * tables->period * tables->ports;
    while (!error && !run.mismatches && !(run.empty && run.slot > last) && run.idle < patience)
        error = play_slot(&run, false, diag);
    if (!error) {
        crl_meter_result(run.meter, result);
        result->mismatches = run.mismatches;
        if (run.idle >= patience && !run.empty) result->result = "deadlock";
        if (run.mismatches) {
            result->result = "mismatch";
            snprintf(result->text, sizeof result->text, "%s", run.text);
        }
    }
    forget(&run);
    crl_source_free(run.source);
    crl_meter_free(run.meter);
    return error;
}
