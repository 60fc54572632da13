// SPDX-License-Identifier: Apache-2.0
#include "outcome.h"
#include <string.h>

int refuse_outputs(const struct options *options)
{
    const char *wave = options->wave;
    bool in_rtl = !strcmp(options->engine, "rtl") || !strcmp(options->engine, "both");
    if (wave &&
        (strlen(wave) < 4 || (strcmp(wave + strlen(wave) - 4, ".fst") && strcmp(wave + strlen(wave) - 4, ".vcd"))))
        return complain_usage("--wave needs a name that ends in .fst or .vcd, not '%s'", wave);
    if (wave && !in_rtl) return complain_usage("--wave needs the RTL: --engine rtl or both");
    if (options->trace && !strcmp(options->trace, "-")) return complain_usage("--trace needs the name of a file");
    return 0;
}

int outcome_play(struct outcome *outcome, const struct crl_player *players, const char *const *names, size_t count,
                 uint32_t nodes, uint32_t ports, uint64_t cycles, const struct options *options, struct crl_diag *diag)
{
    struct output trace = {0};
    struct progress progress;
    int error = options->trace ? output_open(&trace, options->trace, diag) : 0;
    progress_begin(&progress, "playing", cycles);
    if (!error)
        error = crl_compare(&outcome->compared, players, names, count, nodes, ports, trace.file, progress_at, &progress,
                            diag);
    progress_end(&progress);
    return output_close(&trace, error, diag);
}

void outcome_faults(struct outcome *outcome, uint64_t faults, const char *engine, const char *text)
{
    outcome->faults += faults;
    if (faults) fprintf(stderr, "carillon: fault: %s: %s\n", engine, text);
}

void outcome_judged(struct outcome *outcome, const char *verdict, const struct crl_diag *where)
{
    if (outcome->result && strcmp(outcome->result, "ok")) return;
    outcome->result = verdict;
    outcome->where = *where;
}

int outcome_report(const struct outcome *outcome, json_t *summary, const struct options *options, struct crl_diag *diag)
{
    const struct crl_compared *compared = &outcome->compared;
    const char *result = compared->mismatches ? "mismatch" : outcome->result;
    json_object_set_new(summary, "seed", json_integer((json_int_t)options->seed));
    json_object_set_new(summary, "engine", json_string(options->engine));
    json_object_set_new(summary, "cycles", json_integer((json_int_t)compared->cycles));
    json_object_set_new(summary, "mismatches", json_integer((json_int_t)compared->mismatches));
    json_object_set_new(summary, "faults", json_integer((json_int_t)outcome->faults));
    json_object_set_new(summary, "result", json_string(result));
    print_summary(summary, options->json);
    if (compared->mismatches) {
        fputs(compared->text, stderr);
        return crl_fail(diag, CRL_ERR_MISMATCH, "the engines do not play what the schedule says");
    }
    if (strcmp(result, "ok"))
        return crl_fail(diag, CRL_ERR_MISMATCH, "the result is %s: %s", result, outcome->where.text);
    if (outcome->faults) return crl_fail(diag, CRL_ERR_MISMATCH, "the guard reported faults");
    return 0;
}
