// SPDX-License-Identifier: Apache-2.0
#include "dynamic_point.h"
#include "engine/engine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *real_or_null(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static double stall_of(const struct options *options) { return options->stall ? strtod(options->stall, NULL) : 0; }

int point_run(struct point *point, const struct options *o, FILE *trace, struct progress *progress,
              struct crl_diag *diag)
{
    struct crl_topology *topology = NULL;
    struct crl_queue_tables tables = {0};
    struct crl_queue_model *model = NULL;
    struct crl_engine_queue *rtl = NULL;
    struct crl_queue_engine engines[2];
    size_t count = 0;
    struct crl_dynamic_options options = {.rho = point->rho,
                                          .stall = stall_of(o),
                                          .slots = o->slots,
                                          .warmup = o->warmup,
                                          .seed = o->seed,
                                          .trace = trace};
    int error = crl_topology_parse(&topology, point->topology, diag);
    if (!error) error = crl_queue_build(&tables, point->scheme, topology, o->blocking, diag);
    if (!error) error = crl_queue_check(&tables, &point->limit, diag);
    if (!error && strcmp(o->engine, "model")) {
        error = crl_engine_queue_new(&rtl, &tables, o->depth, &(struct crl_engine_options){0}, diag);
        if (!error) engines[count++] = crl_engine_queue(rtl);
    }
    if (!error && strcmp(o->engine, "rtl")) {
        error = crl_queue_model_new(&model, &tables, o->depth, diag);
        if (!error) engines[count++] = crl_queue_model_engine(model);
    }
    if (!error) {
        if (progress) {
            options.progress = (void (*)(void *, uint64_t))progress_at;
            options.user = progress;
        }
        error = crl_dynamic_run(&point->result, &tables, &options, engines, count, diag);
    }
    point->d = tables.ports;
    crl_queue_model_free(model);
    crl_engine_queue_free(rtl);
    crl_queue_tables_done(&tables);
    crl_topology_free(topology);
    return error;
}

json_t *point_summary(const struct point *point, const struct options *o)
{
    const struct crl_dynamic_result *r = &point->result;
    uint32_t d = point->d;
    bool indirect = !strcmp(point->scheme->name, "indirect") && !o->blocking;
    double formula = indirect                                   ? crl_s93_indirect_delay(d, point->rho)
                     : !strcmp(point->scheme->name, "direct")   ? crl_s93_approximation(d, point->rho)
                     : !strcmp(point->scheme->name, "periodic") ? crl_s93_periodic_delay(d, point->rho)
                                                                : NAN;
    json_t *s = json_object(), *dimensions = json_array();
    for (uint32_t p = 0; p < d; p++) json_array_append_new(dimensions, json_real(r->utilization[p]));
    json_object_set_new(s, "scheme", json_string(point->scheme->name));
    json_object_set_new(s, "topology", json_string(point->topology));
    json_object_set_new(s, "rho", json_real(o->blocking ? r->load : point->rho));
    json_object_set_new(s, "slots", json_integer((json_int_t)o->slots));
    json_object_set_new(s, "warmup", json_integer((json_int_t)o->warmup));
    json_object_set_new(s, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(s, "engine", json_string(o->engine));
    json_object_set_new(s, "packets", json_integer((json_int_t)r->packets));
    json_object_set_new(s, "delay", real_or_null(r->delay.mean));
    json_object_set_new(s, "delay_ci95", real_or_null(r->delay.ci95));
    json_object_set_new(s, "delay_formula", real_or_null(formula));
    json_object_set_new(s, "queue", real_or_null(r->queue.mean));
    json_object_set_new(s, "queue_ci95", real_or_null(r->queue.ci95));
    json_object_set_new(s, "queue_formula",
                        indirect ? real_or_null(crl_s93_indirect_queue(d, point->rho)) : json_null());
    json_object_set_new(s, "queue_max", json_integer((json_int_t)r->queue_max));
    json_object_set_new(s, "utilization", json_real(r->utilization_all));
    json_object_set_new(s, "utilization_dimension", dimensions);
    json_object_set_new(s, "rho_limit", json_real(point->limit));
    json_object_set_new(s, "stable", json_boolean(r->stable));
    json_object_set_new(s, "dropped", json_integer((json_int_t)r->dropped));
    json_object_set_new(s, "mismatches", json_integer((json_int_t)r->mismatches));
    json_object_set_new(s, "faults", json_integer((json_int_t)(r->faults + r->dropped))); // an overflow is a fault
    json_object_set_new(s, "result", json_string(r->result));
    return s;
}

int point_judge(const struct point *point, struct crl_diag *diag)
{
    const struct crl_dynamic_result *r = &point->result;
    if (r->mismatches) return crl_fail(diag, CRL_ERR_MISMATCH, "the engines differ: %s", r->text);
    if (r->dropped)
        return crl_fail(diag, CRL_ERR_MISMATCH, "queues overflowed %llu times; a larger --depth holds more",
                        (unsigned long long)r->dropped);
    if (strcmp(r->result, "ok")) return crl_fail(diag, CRL_ERR_MISMATCH, "the result is %s: %s", r->result, r->text);
    if (r->faults)
        return crl_fail(diag, CRL_ERR_MISMATCH, "%llu words came where none may", (unsigned long long)r->faults);
    return 0;
}
