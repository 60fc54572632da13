// SPDX-License-Identifier: Apache-2.0
#include "form/traffic.h"
#include "base/context.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

const char *carillon_traffic_columns(void)
{
    return "scheme,topology,rho,slots,warmup,seed,depth,delay,delay_ci95,queue,queue_ci95,queue_max,utilization,"
           "stable,dropped,result,rho_limit,paper_delay,formula_delay,formula_queue,bound,oblivious_bound";
}

bool crl_traffic_progress(void *user, uint64_t slot)
{
    const struct crl_traffic_point *p = user;
    if (p->context && p->context->progress)
        p->context->progress(p->context->user, "playing", slot, p->options->slots + p->warmup);
    return !crl_context_cancelled(p->context);
}

// What tells a point from others: the first columns of its line.
static void key_of(const struct crl_traffic_point *p, char *text, size_t size)
{
    const struct carillon_options *o = p->options;
    snprintf(text, size, "%s%s,%s,%.10g,%llu,%llu,%llu,%u,", p->scheme, o->blocking ? " blocking" : "", p->topology,
             p->rho, (unsigned long long)o->slots, (unsigned long long)p->warmup, (unsigned long long)o->seed,
             p->depth);
}

// A number and a comma, or the comma alone where there is none.
static void add(char *line, size_t size, double x)
{
    size_t used = strlen(line);
    if (isfinite(x)) snprintf(line + used, size - used, "%.6g,", x);
    else snprintf(line + used, size - used, ",");
}

static void write_line(struct carillon_traffic *t, const struct crl_traffic_point *point,
                       const struct crl_dynamic_result *r, const struct crl_traffic_paper *paper)
{
    char *line = t->line;
    size_t size = sizeof t->line;
    key_of(point, line, size);
    const double before[] = {r->delay.mean, r->delay.ci95,        r->queue.mean,
                             r->queue.ci95, (double)r->queue_max, r->utilization_all};
    const double after[] = {paper->limit,         paper->delay, paper->formula_delay,
                            paper->formula_queue, paper->bound, paper->oblivious_bound};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) add(line, size, before[i]);
    size_t used = strlen(line);
    snprintf(line + used, size - used, "%s,%llu,%s,", t->stable ? "true" : "false", (unsigned long long)t->dropped,
             t->result);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) add(line, size, after[i]);
    line[strlen(line) - 1] = 0;
}

static json_t *summary_of(const struct crl_traffic_point *p, const struct crl_dynamic_result *r,
                          const struct crl_traffic_paper *paper)
{
    bool counts = !isnan(paper->tp);
    json_t *s = json_object(), *dimensions = json_array();
    for (uint32_t k = 0; k < paper->dims; k++) json_array_append_new(dimensions, json_real(r->utilization[k]));
    CRL_TELL(s, {"scheme", json_string(p->scheme)}, {"topology", json_string(p->topology)},
             {"rho", json_real(paper->rho)});
    if (counts) json_object_set_new(s, "tp", json_real(paper->tp));
    CRL_TELL(s, {"slots", crl_json_number(p->options->slots)}, {"warmup", crl_json_number(p->warmup)},
             {"seed", crl_json_number(p->options->seed)}, {"engine", json_string(crl_engines_name(p->engines))},
             {"packets", crl_json_number(r->packets)});
    if (counts) json_object_set_new(s, "intervals", crl_json_number(r->intervals));
    json_object_set_new(s, "delay", crl_json_real(r->delay.mean));
    json_object_set_new(s, "delay_ci95", crl_json_real(r->delay.ci95));
    json_object_set_new(s, counts ? "bound_delay" : "delay_formula", crl_json_real(paper->formula_delay));
    json_object_set_new(s, "queue", crl_json_real(r->queue.mean));
    json_object_set_new(s, "queue_ci95", crl_json_real(r->queue.ci95));
    if (!counts) json_object_set_new(s, "queue_formula", crl_json_real(paper->formula_queue));
    json_object_set_new(s, "queue_max", crl_json_number(r->queue_max));
    json_object_set_new(s, "utilization", crl_json_real(r->utilization_all));
    if (paper->dims) json_object_set(s, "utilization_dimension", dimensions);
    CRL_TELL(s, {"rho_limit", crl_json_real(paper->limit)}, {"stable", json_boolean(r->stable)},
             {"dropped", crl_json_number(r->dropped)}, {"mismatches", crl_json_number(r->mismatches)},
             {"faults", crl_json_number(r->faults)}, {"result", json_string(r->result)});
    json_decref(dimensions);
    return s;
}

int crl_traffic_tell(struct carillon_traffic *t, const struct crl_traffic_point *point,
                     const struct crl_dynamic_result *r, const struct crl_traffic_paper *paper, struct crl_diag *diag)
{
    *t = (struct carillon_traffic){.delay = r->delay.mean,
                                   .queue = r->queue.mean,
                                   .utilization = r->utilization_all,
                                   .stable = r->stable,
                                   .dropped = r->dropped,
                                   .mismatches = r->mismatches,
                                   .faults = r->faults,
                                   .result = r->result};
    snprintf(t->text, sizeof t->text, "%s", r->text);
    write_line(t, point, r, paper);
    return crl_json_text(summary_of(point, r, paper), &t->json, diag);
}

int crl_traffic_fits(const struct crl_traffic_point *p, double packets_a_slot, struct crl_diag *diag)
{
    enum { BYTES_A_PACKET = 64, UNIT = 1 << 20 };
    double waiting = packets_a_slot * (1 - 1 / p->rho) * ((double)p->options->slots + (double)p->warmup);
    double need = waiting * BYTES_A_PACKET, left = (double)crl_memory_available();
    if (p->rho <= 1 || need <= left) return 0; // at most as much goes out as comes in
    return crl_fail(
        diag, CRL_ERR_LIMIT,
        "--rho %g is more than any network carries: about %.3g packets would wait in the end, in %.3g MiB of "
        "memory, and there are %.3g: lower --rho or --slots",
        p->rho, waiting, need / UNIT, left / UNIT);
}

static const struct crl_form *form_of(const char *scheme, struct crl_diag *diag)
{
    for (const struct crl_form *const *f = crl_forms; *f; f++)
        if ((*f)->traffic && (*f)->traffic_knows(scheme)) return *f;
    char known[256] = "", hint[96];
    struct carillon_algorithm row;
    struct carillon_nearest nearest = {.word = scheme};
    for (const struct crl_form *const *f = crl_forms; *f; f++)
        for (size_t i = 0; (*f)->traffic && (*f)->algorithm(i, &row); i++) {
            size_t used = strlen(known);
            carillon_nearest_try(&nearest, row.scheme);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", row.scheme);
        }
    crl_fail(diag, CRL_ERR_ARGUMENT, "unknown scheme '%.80s'; there are %s%s", scheme, known,
             carillon_did_you_mean(&nearest, hint));
    return NULL;
}

static int point_of(struct crl_traffic_point *p, char name[128], struct carillon_options *own,
                    const struct crl_form **form, const struct crl_context *context, const char *scheme,
                    const char *topology, double rho, const struct carillon_options *options, struct crl_diag *diag)
{
    int error = crl_options_take(own, options, diag);
    if (error) return error;
    *form = form_of(scheme, diag);
    if (!*form) return CRL_ERR_ARGUMENT;
    *p = (struct crl_traffic_point){.context = context, .scheme = scheme, .topology = name, .rho = rho, .options = own};
    if (!(isfinite(rho) && (rho > 0 || (own->blocking && rho == 0))))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--rho is a load factor above 0, not '%g'", rho);
    p->engines = crl_engines_named(own->engine, CRL_ENGINE_MODEL, diag);
    if (!p->engines) return CRL_ERR_ARGUMENT;
    p->warmup = own->warmup == UINT64_MAX ? own->slots / 10 : own->warmup;
    p->depth = own->depth ? own->depth : (*form)->traffic_depth(own, p->engines);
    return crl_form_slots.spelling(topology, name, diag);
}

int carillon_traffic_key(char *key, size_t size, const char *scheme, const char *topology, double rho,
                         const struct carillon_options *options, struct crl_diag *diag)
{
    struct crl_traffic_point point;
    const struct crl_form *form;
    struct carillon_options own;
    char name[128];
    int error = point_of(&point, name, &own, &form, NULL, scheme, topology, rho, options, diag);
    if (!error) key_of(&point, key, size);
    return error;
}

int carillon_traffic_run(struct carillon_traffic *traffic, const struct crl_context *context, const char *scheme,
                         const char *topology, double rho, const struct carillon_options *options, FILE *trace,
                         FILE *page, struct crl_diag *diag)
{
    struct crl_traffic_point point;
    const struct crl_form *form;
    struct carillon_options own;
    char name[128];
    int error = point_of(&point, name, &own, &form, context, scheme, topology, rho, options, diag);
    point.trace = trace;
    point.page = page;
    *traffic = (struct carillon_traffic){0};
    if (!error) error = crl_refuse_wave(&own, point.engines, diag);
    return error ? error : form->traffic(traffic, &point, diag);
}

int carillon_traffic_judge(const struct carillon_traffic *t, struct crl_diag *diag)
{
    if (t->mismatches) return crl_fail(diag, CRL_ERR_MISMATCH, "the engines differ: %s", t->text);
    if (t->dropped)
        return crl_fail(diag, CRL_ERR_MISMATCH, "%llu packets found no room; a larger --depth holds more",
                        (unsigned long long)t->dropped);
    if (strcmp(t->result, "ok")) return crl_fail(diag, CRL_ERR_MISMATCH, "the result is %s: %s", t->result, t->text);
    return t->faults
               ? crl_fail(diag, CRL_ERR_MISMATCH, "the routers reported %llu faults", (unsigned long long)t->faults)
               : 0;
}
