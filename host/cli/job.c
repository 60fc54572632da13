// SPDX-License-Identifier: Apache-2.0
// The stages of the flow, as the commands use them.
#include "cli.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Which nodes a partial collective is about, and into how many parts its packets are split.
static int job_active(struct job *job, const struct options *options)
{
    uint32_t count, parts = options->parts;
    const char *name = crl_problem_name(&job->problem);
    if (!options->active && crl_problem_is_partial(&job->problem))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "which nodes are active in the %s? Say --active, as in --active 0,3,8-11 or --active random:5",
                        name);
    if (options->scheme && !strcmp(options->scheme, "split") && !options_given(options, "parts"))
        parts = crl_mini_packets(job->topology);
    if (!options->active && (parts == 1 || crl_problem_has_lines(&job->problem))) return 0;
    int error = crl_active_parse(&job->active, &count, "<active>", options->active ? options->active : "none",
                                 crl_topology_nodes(job->topology), options->seed, &job->diag);
    return error ? error : crl_problem_set_active(&job->problem, job->active, count, parts, &job->diag);
}

// Where the packets of a monotone routing go.
static int job_dests(struct job *job, const struct options *options)
{
    uint32_t count;
    char text[32];
    if (!options->to && crl_problem_routes(&job->problem))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "where do the packets of the %s go? Say --to, as in --to 2,5-7 or "
                        "--to random",
                        crl_problem_name(&job->problem));
    if (!options->to) return 0;
    snprintf(text, sizeof text, "random:%u", job->problem.active_count);
    bool random = !strcmp(options->to, "random");
    // Another seed than that of the active nodes, which would give the same nodes.
    int error = crl_active_parse(&job->dests, &count, "<to>", random ? text : options->to,
                                 crl_topology_nodes(job->topology), ~options->seed, &job->diag);
    return error ? error : crl_problem_set_dests(&job->problem, job->dests, count, &job->diag);
}

// How many packets each node of a line broadcast has.
static int job_lines(struct job *job, const struct options *options)
{
    bool halves = options->scheme && !strcmp(options->scheme, "split") && !options_given(options, "parts");
    if (!options->counts && crl_problem_has_lines(&job->problem))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "how many packets has each node? Say --counts, as in --counts 3,0,2 or --counts random:9");
    if (!options->counts && !options_given(options, "dimension")) return 0;
    int error = crl_counts_parse(&job->starts, options->counts ? options->counts : "0",
                                 crl_topology_nodes(job->topology), options->seed, &job->diag);
    return error ? error
                 : crl_problem_set_lines(&job->problem, job->starts, options->dimension - 1,
                                         halves ? 2 : options->parts, &job->diag);
}

int job_problem(struct job *job, const struct options *options, const char *algorithm)
{
    job->tp = options->tp;
    if (!options->topology)
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT, "which network? Say -t, as in -t hypercube:4");
    int error = crl_topology_parse(&job->topology, options->topology, &job->diag);
    if (error) return error;
    enum crl_ports ports = !strcmp(options->ports_name, "single") ? CRL_PORTS_SINGLE : CRL_PORTS_ALL;
    error = crl_problem_init(&job->problem, algorithm, job->topology, options->root, ports, &job->diag);
    if (!error) error = job_active(job, options);
    if (!error) error = job_dests(job, options);
    return error ? error : job_lines(job, options);
}

FILE *input_open(const char *path, struct crl_diag *diag)
{
    if (!strcmp(path, "-")) return stdin;
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file && !fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
        fclose(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!file) crl_fail(diag, CRL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    return file;
}

void input_close(FILE *file)
{
    if (file != stdin) fclose(file);
}

// Reads a schedule; says what kind of file it is not.
static int read_schedule(struct job *job, const char *path, bool relative)
{
    FILE *file = input_open(path, &job->diag);
    if (!file) return CRL_ERR_IO;
    crl_schedule_init(&job->schedule, job->topology, crl_problem_naming(&job->problem), relative);
    int error = crl_schedule_read_csv(&job->schedule, file, path, &job->diag);
    input_close(file);
    return error;
}

int job_plan(struct job *job, const struct options *options)
{
    const char *from = options->from;
    if (from) {
        job->scheme = "file";
        return read_schedule(job, from, options->relative);
    }
    // A router with fewer banks than lanes plays few schedules: take those made for it where there are any.
    uint32_t lanes = options->lanes ? options->lanes : crl_topology_ports(job->topology);
    bool direct = !options->scheme && options->banks && options->banks < lanes;
    int error = direct ? crl_algorithm_find(&job->algorithm, &job->problem, "one-bank", NULL) : 0;
    if (!direct || error) error = crl_algorithm_find(&job->algorithm, &job->problem, options->scheme, &job->diag);
    if (error) return error;
    job->scheme = job->algorithm->scheme;
    return crl_plan(&job->schedule, job->algorithm, &job->problem, &job->diag);
}

int job_check(struct job *job)
{
    return complain_rules(crl_check(&job->report, &job->schedule, &job->problem, &job->diag), &job->report, &job->diag);
}

static bool same_schedule(struct crl_schedule *a, const struct crl_schedule *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        struct crl_move x = a->moves[i], y = b->moves[i];
        if (x.slot != y.slot || x.src != y.src || x.dst != y.dst || x.origin != y.origin || x.dest != y.dest)
            return false;
    }
    return true;
}

int job_lower(struct job *job, const struct options *options)
{
    // A schedule from a file that looks the same from every node gets one table for all of them, too.
    if (!job->schedule.folded && crl_problem_is_symmetric(&job->problem)) crl_schedule_fold(&job->schedule);
    struct crl_lower_options how = {options->lanes, options->banks, options->words, options->width};
    int error = crl_lower(&job->image, &job->schedule, &job->problem, job->scheme, &how, &job->diag);
    if (error) return error;
    struct crl_schedule raised;
    error = crl_raise(&raised, &job->image, &job->problem, &job->diag);
    if (!error && !same_schedule(&raised, &job->schedule))
        error = crl_fail(&job->diag, CRL_ERR_MISMATCH,
                         "the tables do not say what the schedule says: please report this bug");
    crl_schedule_done(&raised);
    return error;
}

int job_parse_image(struct job *job, const struct options *options, FILE *file, const char *path)
{
    int error = crl_image_read(&job->image, file, path, &job->diag);
    const struct crl_image *image = &job->image;
    if (!error) error = crl_topology_parse(&job->topology, image->topology, &job->diag);
    if (!error && options->topology) {
        struct crl_topology *said;
        error = crl_topology_parse(&said, options->topology, &job->diag);
        if (!error && strcmp(crl_topology_name(said), crl_topology_name(job->topology)))
            error = crl_fail(&job->diag, CRL_ERR_ARGUMENT, "'%s' was built for %s, not for %s", path, image->topology,
                             options->topology);
        crl_topology_free(said);
    }
    if (!error)
        error = crl_problem_init(&job->problem, image->collective, job->topology, image->root,
                                 (enum crl_ports)image->port_model, &job->diag);
    bool partial = !error && crl_problem_is_partial(&job->problem);
    if (partial && image->parts)
        error = crl_problem_set_active(&job->problem, image->active, image->active_count, image->parts, &job->diag);
    if (!error && (!crl_problem_has_tables(&job->problem) || partial != (image->parts > 0) ||
                   image->nodes != crl_topology_nodes(job->topology) ||
                   image->geometry.ports != crl_topology_ports(job->topology) ||
                   (image->folded && !crl_problem_is_symmetric(&job->problem))))
        error = crl_fail_at(&job->diag, CRL_ERR_PARSE, path, 0, 0, "the image contradicts itself");
    job->scheme = image->scheme;
    return error;
}

int job_read_image(struct job *job, const struct options *options, const char *path)
{
    FILE *file = input_open(path, &job->diag);
    if (!file) return CRL_ERR_IO;
    int error = job_parse_image(job, options, file, path);
    input_close(file);
    return error;
}

bool image_has_form(const char *path, enum crl_image_form form)
{
    struct crl_container container;
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    bool has = false;
    if (!file) return false;
    if (!crl_container_read(&container, file, path, NULL)) {
        has = container.form == form;
        crl_container_done(&container);
    }
    fclose(file);
    return has;
}

// What an image already says.
static int refuse_with_image(const struct options *options, struct crl_diag *diag)
{
    static const char *const names[] = {"scheme",    "ports", "root",     "active", "parts", "to",    "counts",
                                        "dimension", "from",  "relative", "lanes",  "banks", "words", "width"};
    const char *name = options_first_given(options, names, sizeof names / sizeof *names);
    if (!name) return 0;
    return crl_fail(diag, CRL_ERR_ARGUMENT, "an image has its own '--%s'; build another one, or name an algorithm",
                    name);
}

static int plan_or_raise(struct job *job, const struct options *options)
{
    const char *name = options->operand[0];
    int error;
    if (crl_collective_known(name)) {
        error = job_problem(job, options, name);
        return error ? error : job_plan(job, options);
    }
    if (access(name, F_OK))
        return crl_fail(&job->diag, CRL_ERR_ARGUMENT,
                        "'%.80s' is neither an algorithm ('carillon list' shows them) nor a file", name);
    error = refuse_with_image(options, &job->diag);
    if (!error) error = job_read_image(job, options, name);
    return error ? error : crl_raise(&job->schedule, &job->image, &job->problem, &job->diag);
}

int job_schedule(struct job *job, const struct options *options)
{
    int error = plan_or_raise(job, options);
    if (!error) error = job_check(job);
    if (error == CRL_ERR_RULE && job->report.count)
        print_findings(&job->report, options->from ? options->from : "<plan>");
    return error;
}

void job_done(struct job *job)
{
    crl_image_done(&job->image);
    crl_report_done(&job->report);
    crl_schedule_done(&job->schedule);
    crl_topology_free(job->topology);
    free(job->active);
    free(job->dests);
    free(job->starts);
}

// What an on-line algorithm takes, in slots of a whole packet, beside the bound that is proved for it.
static void add_time(json_t *summary, const struct job *job)
{
    const struct crl_problem *p = &job->problem;
    double tp = job->tp < 0 ? 1.0 / p->parts : job->tp, bound;
    uint32_t count;
    if (!job->algorithm || !crl_online_timing(job->algorithm, p, tp, &count, &bound)) return;
    if (!job->report.slots) count = 0; // nobody is active
    double time = count * tp + (double)(job->report.slots - count) / p->parts;
    json_object_set_new(summary, "count_slots", json_integer(count));
    json_object_set_new(summary, "tp", json_real(tp));
    json_object_set_new(summary, "time", json_real(time));
    json_object_set_new(summary, "bound_time", isnan(bound) ? json_null() : json_real(bound));
}

json_t *job_summary(const struct job *job)
{
    const struct crl_report *r = &job->report;
    const struct crl_problem *p = &job->problem;
    json_t *optimal = r->violations ? json_null() : r->slots == r->bound_slots ? json_true() : json_null();
    json_t *summary =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:I}", "algorithm", crl_problem_name(p),
                  "scheme", job->scheme ? job->scheme : "file", "topology", crl_topology_name(p->topology), "ports",
                  p->ports == CRL_PORTS_SINGLE ? "single" : "all", "nodes", (json_int_t)crl_topology_nodes(p->topology),
                  "slots", (json_int_t)r->slots, "bound_slots", (json_int_t)r->bound_slots, "transmissions",
                  (json_int_t)r->transmissions, "bound_transmissions", (json_int_t)r->bound_transmissions,
                  "utilization", r->utilization, "optimal", optimal, "buffer_packets", (json_int_t)r->buffer_packets);
    if (job->scheme && !strcmp(job->scheme, "one-bank"))
        json_object_set_new(summary, "bound_one_bank", json_integer((json_int_t)crl_problem_bound_one_bank(p)));
    if (crl_problem_is_partial(p)) {
        json_object_set_new(summary, "active", json_integer(p->active_count));
        json_object_set_new(summary, "parts", json_integer(p->parts));
    }
    if (crl_problem_has_lines(p)) {
        json_object_set_new(summary, "packets", json_integer((json_int_t)(crl_problem_packets(p) / p->parts)));
        json_object_set_new(summary, "line_packets", json_integer(crl_problem_line_packets(p)));
        json_object_set_new(summary, "dimension", json_integer(p->dim + 1));
        json_object_set_new(summary, "parts", json_integer(p->parts));
    }
    add_time(summary, job);
    return summary;
}

json_t *job_image_summary(const struct job *job)
{
    const struct crl_image *image = &job->image;
    const struct crl_geometry *g = &image->geometry;
    json_t *summary = job_summary(job);
    json_t *more =
        json_pack("{s:I, s:I, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "lanes", (json_int_t)g->lanes, "banks",
                  (json_int_t)g->banks, "write_xbar", (int)g->write_xbar, "delay", (int)g->delay, "waddr_field",
                  (int)g->waddr_field, "words", (json_int_t)g->words, "data_width", (json_int_t)g->data_width,
                  "addr_width", (json_int_t)g->addr_width, "rows", (json_int_t)g->rows, "row_bits",
                  (json_int_t)crl_row_bits(g), "tables", (json_int_t)image->tables);
    json_object_update(summary, more);
    json_decref(more);
    return summary;
}

int print_summary(json_t *summary, bool as_json)
{
    const char *key;
    json_t *value;
    if (as_json) {
        json_dumpf(summary, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
    } else {
        json_object_foreach(summary, key, value)
        {
            if (json_is_array(value)) continue; // lists are printed by themselves
            if (json_is_string(value)) printf("%-20s %s\n", key, json_string_value(value));
            else if (json_is_integer(value)) printf("%-20s %lld\n", key, (long long)json_integer_value(value));
            else if (json_is_real(value)) printf("%-20s %.4g\n", key, json_real_value(value));
            else printf("%-20s %s\n", key, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "unknown");
        }
    }
    json_decref(summary);
    return 0;
}
