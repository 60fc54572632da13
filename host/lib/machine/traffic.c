// SPDX-License-Identifier: Apache-2.0
#include "machine/traffic.h"
#include "base/context.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

bool crl_traffic_progress(void *user, uint64_t slot)
{
    const struct crl_traffic_point *p = user;
    if (p->context && p->context->progress)
        p->context->progress(p->context->user, "playing", slot, p->options->slots + p->warmup);
    return !crl_context_cancelled(p->context);
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
    crl_traffic_key_of(point, line, size);
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
    return crl_fail(diag, CRL_ERR_LIMIT,
                    "--rho %g is more than any network carries: about %.3g packets would wait in the end, in %.3g MiB "
                    "of memory, and there are %.3g: lower --rho or --slots",
                    p->rho, waiting, need / UNIT, left / UNIT);
}

// ---------------------------------------------------------------- statistics

// The 97.5% point of Student's t by the expansion of Cornish and Fisher; within 0.3% from 3 degrees of freedom on.
static double student(uint32_t freedom)
{
    static const double exact[] = {0, 12.706, 4.303};
    if (freedom < 3) return exact[freedom];
    double z = 1.959964, n = freedom, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

struct crl_estimate crl_batch_means(const double *mean, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) sum += mean[i];
    double average = sum / count;
    for (uint32_t i = 0; i < count; i++) squares += (mean[i] - average) * (mean[i] - average);
    if (count < 2) return (struct crl_estimate){average, NAN};
    return (struct crl_estimate){average, student(count - 1) * sqrt(squares / (count - 1) / count)};
}

bool crl_series_grows(const double *mean, uint32_t count)
{
    if (count < 8) return false;
    double n = count, middle = (n - 1) / 2, average = 0, spread = n * (n * n - 1) / 12, slope = 0;
    for (uint32_t i = 0; i < count; i++) average += mean[i] / n;
    for (uint32_t i = 0; i < count; i++) slope += (i - middle) * (mean[i] - average) / spread;
    double squares = 0, products = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        double residue = mean[i] - average - slope * (i - middle);
        squares += residue * residue;
        products += i ? residue * last : 0;
        last = residue;
    }
    // A first-order autoregression widens the error by (1 + r)/(1 − r).
    double r = squares > 0 ? fmin(fmax(products / squares, 0), 0.8) : 0;
    double error = sqrt(squares / (n - 2) / spread * (1 + r) / (1 - r));
    return slope > 4 * error && slope * n > 0.1 * average;
}
