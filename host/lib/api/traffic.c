// SPDX-License-Identifier: Apache-2.0
// Random broadcasts, whatever machine plays them.
#include "api/machine.h"
#include "topology/topology.h"
#include <math.h>
#include <string.h>

const char *carillon_traffic_columns(void)
{
    return "scheme,topology,rho,slots,warmup,seed,depth,delay,delay_ci95,queue,queue_ci95,queue_max,utilization,"
           "stable,dropped,result,rho_limit,paper_delay,formula_delay,formula_queue,bound,oblivious_bound";
}

void crl_traffic_key_of(const struct crl_traffic_point *p, char *text, size_t size)
{
    const struct carillon_options *o = p->options;
    snprintf(text, size, "%s%s,%s,%.10g,%llu,%llu,%llu,%u,", p->scheme, o->blocking ? " blocking" : "", p->topology,
             p->rho, (unsigned long long)o->slots, (unsigned long long)p->warmup, (unsigned long long)o->seed,
             p->depth);
}

static const struct crl_machine *machine_of(const char *scheme, struct crl_diag *diag)
{
    for (const struct crl_machine *const *f = crl_machines; *f; f++)
        if ((*f)->traffic && (*f)->traffic->knows(scheme)) return *f;
    char known[256] = "", hint[96];
    struct carillon_algorithm row;
    struct carillon_nearest nearest = {.word = scheme};
    for (const struct crl_machine *const *f = crl_machines; *f; f++)
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
                    const struct crl_machine **machine, const struct crl_context *context, const char *scheme,
                    const char *topology, double rho, const struct carillon_options *options, struct crl_diag *diag)
{
    int error = crl_options_take(own, options, diag);
    if (error) return error;
    *machine = machine_of(scheme, diag);
    if (!*machine) return CRL_ERR_ARGUMENT;
    *p = (struct crl_traffic_point){.context = context, .scheme = scheme, .topology = name, .rho = rho, .options = own};
    if (!(isfinite(rho) && (rho > 0 || (own->blocking && rho == 0))))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--rho is a load factor above 0, not '%g'", rho);
    p->engines = crl_engines_named(own->engine, CRL_ENGINE_MODEL, diag);
    if (!p->engines) return CRL_ERR_ARGUMENT;
    p->warmup = own->warmup == UINT64_MAX ? own->slots / 10 : own->warmup;
    p->depth = own->depth ? own->depth : (*machine)->traffic->depth(own, p->engines);
    return crl_topology_spelling(topology, name, diag);
}

int carillon_traffic_key(char *key, size_t size, const char *scheme, const char *topology, double rho,
                         const struct carillon_options *options, struct crl_diag *diag)
{
    struct crl_traffic_point point;
    const struct crl_machine *machine;
    struct carillon_options own;
    char name[128];
    int error = point_of(&point, name, &own, &machine, NULL, scheme, topology, rho, options, diag);
    if (!error) crl_traffic_key_of(&point, key, size);
    return error;
}

int carillon_traffic_run(struct carillon_traffic *traffic, const struct crl_context *context, const char *scheme,
                         const char *topology, double rho, const struct carillon_options *options, FILE *trace,
                         FILE *page, struct crl_diag *diag)
{
    struct crl_traffic_point point;
    const struct crl_machine *machine;
    struct carillon_options own;
    char name[128];
    int error = point_of(&point, name, &own, &machine, context, scheme, topology, rho, options, diag);
    point.trace = trace;
    point.page = page;
    *traffic = (struct carillon_traffic){0};
    if (!error) error = crl_refuse_wave(&own, point.engines, diag);
    return error ? error : machine->traffic->play(traffic, &point, diag);
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
