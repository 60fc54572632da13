// SPDX-License-Identifier: Apache-2.0
#include "dynamic_point.h"
#include <carillon/online.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static int refuse(const struct options *o, double *rho)
{
    char *end;
    if (!o->topology) return complain_usage("which network? Say -t torus:8x8");
    if (!o->rho) return complain_usage("which load? Say --rho 0.3");
    *rho = strtod(o->rho, &end);
    if (end == o->rho || *end || !(*rho > 0) || !isfinite(*rho))
        return complain_usage("--rho of pmnb needs one load factor above 0, not '%s'", o->rho);
    if (strcmp(o->engine, "model") || o->blocking || o->stall || o->output || o->trace || options_given(o, "depth"))
        return complain_usage(
            "pmnb takes --rho, --tp, --slots, --warmup, --seed and --json, and is played by the model");
    return 0;
}

int command_dynamic_intervals(const struct options *o)
{
    struct crl_intervals_options options = {.slots = o->slots, .warmup = o->warmup, .seed = o->seed};
    struct crl_intervals_result r;
    struct crl_topology *topology = NULL;
    struct crl_diag diag = {0};
    struct progress progress;
    int error = refuse(o, &options.rho);
    if (error) return error;
    error = crl_topology_parse(&topology, o->topology, &diag);
    progress_begin(&progress, "playing", o->warmup + o->slots);
    options.progress = progress_at;
    options.user = &progress;
    options.tp = o->tp;
    if (!error && o->tp < 0) options.tp = 1.0 / crl_mini_packets(topology); // as played
    if (!error) error = crl_intervals_run(&r, topology, &options, &diag);
    progress_end(&progress);
    if (!error) {
        json_t *s = json_object();
        json_object_set_new(s, "scheme", json_string("pmnb"));
        json_object_set_new(s, "topology", json_string(crl_topology_name(topology)));
        json_object_set_new(s, "rho", json_real(options.rho));
        json_object_set_new(s, "tp", json_real(options.tp));
        json_object_set_new(s, "slots", json_integer((json_int_t)o->slots));
        json_object_set_new(s, "warmup", json_integer((json_int_t)o->warmup));
        json_object_set_new(s, "seed", json_integer((json_int_t)o->seed));
        json_object_set_new(s, "packets", json_integer((json_int_t)r.packets));
        json_object_set_new(s, "intervals", json_integer((json_int_t)r.intervals));
        json_object_set_new(s, "delay", real_or_null(r.delay.mean));
        json_object_set_new(s, "delay_ci95", real_or_null(r.delay.ci95));
        json_object_set_new(s, "bound_delay", real_or_null(r.bound));
        json_object_set_new(s, "rho_limit", json_real(r.limit));
        json_object_set_new(s, "stable", json_boolean(r.stable));
        json_object_set_new(s, "result", json_string("ok"));
        print_summary(s, o->json);
    }
    crl_topology_free(topology);
    return complain(error, &diag);
}
