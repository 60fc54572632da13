// SPDX-License-Identifier: Apache-2.0
// The stages of the flow on a LogP machine, as the commands use them.
#include "logp_cli.h"

bool logp_wanted(const struct options *options) { return options->topology && crl_logp_named(options->topology); }

// Options that mean nothing here.
static int refuse(const struct options *options, struct crl_diag *diag)
{
    static const char *const names[] = {"ports", "root", "relative", "lanes", "banks", "threads"};
    const char *name = options_first_given(options, names, sizeof names / sizeof *names);
    return name ? crl_fail(diag, CRL_ERR_ARGUMENT, "'--%s' is not for LogP machines", name) : 0;
}

int logp_job_problem(struct logp_job *job, const struct options *options, const char *algorithm)
{
    struct crl_logp machine;
    int error = refuse(options, &job->diag);
    if (!error) error = crl_logp_parse(&machine, options->topology, &job->diag);
    if (!error) error = crl_logp_problem_init(&job->problem, algorithm, &machine, &job->diag);
    if (error) return error;
    job->problem.items = options->items;
    job->problem.time = options->time;
    job->problem.operands = options->numbers;
    job->problem.full_duplex = options->full_duplex;
    return crl_logp_problem_ready(&job->problem, &job->diag);
}

int logp_job_plan(struct logp_job *job, const struct options *options, const char *from)
{
    if (from) {
        job->scheme = "file";
        FILE *file = input_open(from, &job->diag);
        if (!file) return CRL_ERR_IO;
        int error = crl_logp_read_csv(&job->schedule, &job->problem.machine, file, from, &job->diag);
        input_close(file);
        return error;
    }
    int error = crl_logp_algorithm_find(&job->algorithm, &job->problem, options->scheme, &job->diag);
    if (error) return error;
    job->scheme = job->algorithm->scheme;
    return crl_logp_plan(&job->schedule, job->algorithm, &job->problem, &job->diag);
}

int logp_job_check(struct logp_job *job)
{
    int error = crl_logp_check(&job->report, &job->schedule, &job->problem, &job->diag);
    return complain_rules(error, &job->report.common, &job->diag);
}

void logp_job_done(struct logp_job *job)
{
    crl_report_done(&job->report.common);
    crl_logp_schedule_done(&job->schedule);
}

static json_t *is_optimal(const struct logp_job *job)
{
    const struct crl_logp_report *r = &job->report;
    const struct crl_logp_problem *p = &job->problem;
    if (r->common.violations) return json_null();
    if (p->kind == CRL_LOGP_SUMMATION)
        return json_boolean(p->operands ? r->time == crl_logp_time_for(&p->machine, p->operands)
                                        : r->operands == crl_logp_operands_in(&p->machine, r->time));
    if (p->kind == CRL_LOGP_CONTINUOUS && r->delay == crl_logp_bound_delay(p)) return json_true();
    bool shown = r->common.slots == r->common.bound_slots || job->schedule.proved_optimal;
    return shown ? json_true() : json_null();
}

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

json_t *logp_job_summary(const struct logp_job *job)
{
    const struct crl_logp_problem *p = &job->problem;
    const struct crl_logp_report *r = &job->report;
    const struct crl_report *c = &r->common;
    char machine[CRL_LOGP_NAME];
    crl_logp_name(&p->machine, machine);
    json_t *s = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o}", "algorithm", crl_logp_problem_name(p), "scheme",
        job->scheme, "topology", machine, "ports", "single", "nodes", number(p->machine.P), "slots", number(c->slots),
        "bound_slots", number(c->bound_slots), "transmissions", number(c->transmissions), "bound_transmissions",
        c->bound_transmissions == CRL_LOGP_UNBOUNDED ? json_null() : number(c->bound_transmissions), "utilization",
        c->utilization, "optimal", is_optimal(job), "buffer_packets", number(c->buffer_packets));
    if (p->items) {
        json_object_set_new(s, "items", number(p->items));
        json_object_set_new(s, "bound_single_sending", number(crl_logp_bound_single_sending(p)));
    }
    if (p->kind == CRL_LOGP_CONTINUOUS) {
        json_object_set_new(s, "delay", number(r->delay));
        json_object_set_new(s, "bound_delay", number(crl_logp_bound_delay(p)));
    }
    if (p->kind == CRL_LOGP_SUMMATION) {
        json_object_set_new(s, "time", number(r->time));
        json_object_set_new(s, "operands", number(p->operands ? p->operands : r->operands));
        json_object_set_new(s, "bound_operands", number(crl_logp_operands_in(&p->machine, r->time)));
    }
    if (job->schedule.buffered) json_object_set_new(s, "waiting", number(r->waiting));
    return s;
}
