// SPDX-License-Identifier: Apache-2.0
#include "dynamic_point.h"
#include "engine/engine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RTL_WAITING = 1024, // packets that may wait at a node in RTL, unless --depth says otherwise
    RTL_WAITING_MAX = 1 << 16,
    LOADS_MAX = 256,
};

static json_t *real_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static int refuse(const struct options *o)
{
    if (!o->topology) return complain_usage("which network? Say -t torus:8x8");
    if (!o->rho) return complain_usage("which load? Say --rho 0.3");
    if (!strcmp(o->engine, "board")) return complain_usage("random broadcasts are not played on a board");
    if (o->blocking || o->stall) return complain_usage("pmnb has no --blocking and no --stall");
    if (o->trace && !strcmp(o->trace, "-")) return complain_usage("--trace needs the name of a file");
    if (strcmp(o->engine, "model") && (o->depth < 1 || o->depth > RTL_WAITING_MAX))
        return complain_usage("in RTL 1 to %d packets wait at a node, not '%u'", RTL_WAITING_MAX, (unsigned)o->depth);
    return 0;
}

static int play(struct crl_intervals_result *r, const struct crl_topology *topology, const struct options *o,
                const struct crl_intervals_options *options, struct crl_diag *diag)
{
    struct crl_intervals_engine engines[2];
    struct crl_intervals_model *model = NULL;
    struct crl_engine *rtl = NULL;
    size_t count = 0;
    int error = 0;
    if (strcmp(o->engine, "model")) {
        error = crl_engine_intervals_new(&rtl, topology, options->depth, &(struct crl_engine_options){0}, diag);
        if (!error) engines[count++] = crl_engine_intervals(rtl);
    }
    if (strcmp(o->engine, "rtl") && !error) {
        error = crl_intervals_model_new(&model, topology, options->depth, options->seed, diag);
        if (!error) engines[count++] = crl_intervals_model_engine(model);
    }
    if (!error) error = crl_intervals_run(r, topology, options, engines, count, diag);
    crl_intervals_model_free(model);
    crl_engine_free(rtl);
    return error;
}

static json_t *summary(const struct crl_intervals_result *r, const struct crl_topology *topology,
                       const struct options *o, const struct crl_intervals_options *options)
{
    json_t *s = json_object();
    json_object_set_new(s, "scheme", json_string("pmnb"));
    json_object_set_new(s, "topology", json_string(crl_topology_name(topology)));
    json_object_set_new(s, "rho", json_real(options->rho));
    json_object_set_new(s, "tp", json_real(options->tp));
    json_object_set_new(s, "slots", json_integer((json_int_t)o->slots));
    json_object_set_new(s, "warmup", json_integer((json_int_t)o->warmup));
    json_object_set_new(s, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(s, "engine", json_string(o->engine));
    json_object_set_new(s, "packets", json_integer((json_int_t)r->packets));
    json_object_set_new(s, "intervals", json_integer((json_int_t)r->intervals));
    json_object_set_new(s, "delay", r->stable ? real_or_null(r->delay.mean) : json_null());
    json_object_set_new(s, "delay_ci95", r->stable ? real_or_null(r->delay.ci95) : json_null());
    json_object_set_new(s, "bound_delay", real_or_null(r->bound));
    json_object_set_new(s, "queue", real_or_null(r->queue.mean));
    json_object_set_new(s, "queue_ci95", real_or_null(r->queue.ci95));
    json_object_set_new(s, "queue_max", json_integer((json_int_t)r->queue_max));
    json_object_set_new(s, "utilization", json_real(r->utilization));
    json_object_set_new(s, "rho_limit", json_real(r->limit));
    json_object_set_new(s, "stable", json_boolean(r->stable));
    json_object_set_new(s, "dropped", json_integer((json_int_t)r->dropped));
    json_object_set_new(s, "mismatches", json_integer((json_int_t)r->mismatches));
    json_object_set_new(s, "faults", json_integer((json_int_t)r->faults));
    json_object_set_new(s, "result", json_string(r->result));
    return s;
}

static void put(FILE *file, double x)
{
    if (isfinite(x)) fprintf(file, "%.6g", x);
    fputc(',', file);
}

// The columns of sweep_header; the formula is bound (11).
static void put_line(FILE *file, const struct crl_intervals_result *r, const struct crl_topology *topology,
                     const struct options *o, const struct crl_intervals_options *options)
{
    fprintf(file, "pmnb,%s,%.10g,%llu,%llu,%llu,%u,", crl_topology_name(topology), options->rho,
            (unsigned long long)o->slots, (unsigned long long)o->warmup, (unsigned long long)o->seed, options->depth);
    put(file, r->stable ? r->delay.mean : NAN);
    put(file, r->stable ? r->delay.ci95 : NAN);
    put(file, r->queue.mean);
    put(file, r->queue.ci95);
    put(file, (double)r->queue_max);
    put(file, r->utilization);
    fprintf(file, "%s,%llu,%s,", r->stable ? "true" : "false", (unsigned long long)r->dropped, r->result);
    put(file, r->limit);
    fputc(',', file);
    put(file, r->bound);
    fprintf(file, ",,\n");
}

static int judge(const struct crl_intervals_result *r, struct crl_diag *diag)
{
    if (r->mismatches) return crl_fail(diag, CRL_ERR_MISMATCH, "the engines differ: %s", r->text);
    if (r->dropped)
        return crl_fail(diag, CRL_ERR_MISMATCH, "%llu packets found no room to wait; a larger --depth holds more",
                        (unsigned long long)r->dropped);
    if (strcmp(r->result, "ok")) return crl_fail(diag, CRL_ERR_MISMATCH, "the result is %s: %s", r->result, r->text);
    if (r->faults) return crl_fail(diag, CRL_ERR_MISMATCH, "%llu nodes have faults", (unsigned long long)r->faults);
    return 0;
}

// A run of its own, or (file) a line of a sweep.
static int run_one(const struct crl_topology *topology, const struct options *o, struct crl_intervals_options *options,
                   FILE *file, struct crl_diag *diag)
{
    struct crl_intervals_result r;
    struct progress progress;
    progress_begin(&progress, "playing", o->warmup + o->slots);
    options->progress = progress_at;
    options->user = &progress;
    int error = play(&r, topology, o, options, diag);
    progress_end(&progress);
    if (error) return error;
    if (file) put_line(file, &r, topology, o, options);
    else print_summary(summary(&r, topology, o, options), o->json);
    return judge(&r, diag);
}

static int sweep_loads(const struct crl_topology *topology, const struct options *o,
                       struct crl_intervals_options *options, const double *load, size_t count, struct crl_diag *diag)
{
    struct output file = {0};
    int error = output_open(&file, o->output, diag);
    if (!error) fprintf(file.file, "%s\n", sweep_header);
    for (size_t i = 0; i < count && !error; i++) {
        options->rho = load[i];
        error = run_one(topology, o, options, file.file, diag);
    }
    return output_close(&file, error, diag);
}

int command_dynamic_intervals(const struct options *o)
{
    struct crl_intervals_options options = {.slots = o->slots, .warmup = o->warmup, .seed = o->seed, .depth = o->depth};
    struct crl_topology *topology = NULL;
    struct crl_diag diag = {0};
    struct output trace = {0};
    struct options given = *o;
    double load[LOADS_MAX];
    if (!options_given(o, "depth")) given.depth = options.depth = strcmp(o->engine, "model") ? RTL_WAITING : 0;
    int error = refuse(&given);
    if (error) return error;
    size_t count = loads_of(o->rho, load, LOADS_MAX);
    if (!count) return EXIT_USAGE;
    if ((count > 1 && !o->output) || (o->output && (o->trace || o->json || !strcmp(o->output, "-"))))
        return complain_usage("a sweep needs -o FILE.csv, and neither --trace nor --json");
    error = crl_topology_parse(&topology, o->topology, &diag);
    options.rho = load[0];
    options.tp = o->tp;
    if (!error && o->tp < 0) options.tp = 1.0 / crl_mini_packets(topology); // as played
    if (!error && o->output) {
        error = sweep_loads(topology, o, &options, load, count, &diag);
    } else if (!error) {
        if (o->trace) error = output_open(&trace, o->trace, &diag);
        options.trace = trace.file;
        if (!error) error = run_one(topology, o, &options, NULL, &diag);
        error = output_close(&trace, error, &diag);
    }
    crl_topology_free(topology);
    return complain(error, &diag);
}
