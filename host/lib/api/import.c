// SPDX-License-Identifier: Apache-2.0
// Schedules from the plans of other tools: the file says the collective, unless the caller does, and what each rank
// does; slots are the file's or the earliest possible.
#include "api/machine.h"
#include "format/program.h"
#include "topology/topology.h"
#include <stdlib.h>
#include <string.h>

const char *carillon_import_format_at(size_t index)
{
    size_t i = 0;
    while (i < index && crl_readings[i].name) i++;
    return crl_readings[i].name;
}

// The whole file and a NUL behind it.
static int read_text(FILE *file, const char *name, char **text, size_t *length, struct crl_diag *diag)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room + 1);
    *text = NULL;
    while (bytes) {
        used += fread(bytes + used, 1, room - used, file);
        if (used < room) break;
        char *grown = realloc(bytes, 2 * room + 1);
        if (!grown) free(bytes);
        bytes = grown;
        room *= 2;
    }
    if (!bytes) return crl_fail_memory(diag);
    bytes[used] = 0;
    *text = bytes;
    *length = used;
    if (ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, 0, 0, "cannot read on");
    const char *nul = memchr(bytes, 0, used);
    uint64_t line = 1, col = 1;
    for (const char *p = bytes; nul && p < nul; p++) {
        col++;
        if (*p == '\n') line++, col = 1;
    }
    return nul ? crl_fail_at(diag, CRL_ERR_PARSE, name, line, col, "a byte 0: this is not text")
               : crl_refuse_mark(bytes, used, name, diag);
}

static int find_reading(const struct crl_reading **out, const char *format, const char *text, size_t length,
                        const char *name, struct crl_diag *diag)
{
    for (*out = crl_readings; (*out)->name; ++*out)
        if (format ? !strcmp(format, (*out)->name) : (*out)->knows(text, length)) return 0;
    if (!format && !length) return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the file is empty");
    if (!format && (!strncmp(text, "slot,", 5) || !strncmp(text, "time,", 5)))
        return crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                           "this is a schedule already: 'carillon check' judges it, and --from takes it");
    return format ? crl_fail(diag, CRL_ERR_ARGUMENT, "unknown format '%.40s'", format)
                  : crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1,
                                "this is not a plan of a known tool; if it is one, --format names its format");
}

static int make_problem(struct carillon_problem **out, const struct crl_machine *machine,
                        const struct crl_context *context, const char *algorithm, const char *topology,
                        const struct carillon_options *options, struct crl_program *program, struct crl_diag *diag)
{
    int error = crl_problem_make(out, machine, context, options, diag);
    if (error) return error;
    error = machine->importing->parse ? machine->importing->parse(*out, algorithm, topology, program, diag)
                                      : machine->parse(*out, algorithm, topology, diag);
    return error ? error : crl_options_refuse(*out, diag);
}

int carillon_import(struct carillon_schedule **out, const struct crl_context *context, const char *algorithm,
                    const char *topology, const struct carillon_options *options, const char *format, FILE *file,
                    const char *name, struct crl_diag *diag)
{
    struct crl_program program = {.file = name, .root = CRL_NONE};
    struct carillon_problem *problem = NULL;
    const struct crl_reading *reading;
    size_t length = 0;
    char *text;
    *out = NULL;
    if (!topology) return crl_fail(diag, CRL_ERR_ARGUMENT, "which network? Say -t, as in -t hypercube:4");
    const char *asked = algorithm ? carillon_algorithm_spelled(algorithm, topology) : NULL;
    if (asked && strlen(asked) < sizeof program.collective) strcpy(program.collective, asked);
    int error = read_text(file, name, &text, &length, diag);
    if (!error) error = find_reading(&reading, format, text, length, name, diag);
    if (!error) error = reading->read(&program, text, length, diag);
    const struct crl_machine *const *m = crl_machines, *machine;
    while (!(machine = *m++)->importing || machine->linkless != crl_topology_is_linkless(topology)) continue;
    const char *said = asked ? asked : carillon_algorithm_spelled(program.collective, topology);
    if (!error && !*said && program.by_packet && machine->importing->tagged) said = machine->importing->tagged;
    if (!error && !*said)
        error = crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "the file does not say what it achieves: say -a");
    if (!error && !asked && !machine->claims(said, topology))
        error = crl_fail_at(diag, CRL_ERR_PARSE, name, 1, 1, "collective '%s' is not one of links; -a says another",
                            program.collective);
    program.owns_out = !asked || !strcmp(asked, carillon_algorithm_spelled(program.collective, topology));
    if (!error) error = make_problem(&problem, machine, context, said, topology, options, &program, diag);
    if (!error) error = crl_schedule_make(out, problem, diag);
    if (!error) {
        (*out)->scheme = "file";
        error = machine->importing->lay_out(*out, &program, diag);
    }
    carillon_problem_free(problem); // the schedule keeps it
    crl_program_done(&program);
    free(text);
    if (error) {
        carillon_schedule_free(*out);
        *out = NULL;
    }
    return error;
}

int carillon_schedule_demands(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    const struct crl_importing *importing = schedule->machine->importing;
    int error = importing && importing->demands ? importing->demands(schedule, file, diag) : CRL_ERR_UNSUPPORTED;
    return error == CRL_ERR_UNSUPPORTED ? crl_fail(diag, error, "%s has no demands", crl_title_of(schedule->problem))
                                        : error;
}
