// SPDX-License-Identifier: Apache-2.0
// What the checker found, for people and for programs.
#include "cli.h"

static const char *severity(const struct crl_finding *f)
{
    return f->kind->severity == CRL_VIOLATION ? "error" : "warning";
}

void print_findings(const struct crl_report *report, const char *file)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct crl_finding *f = &report->findings[i];
        if (f->row)
            fprintf(stderr, "%s:%llu:1: %s: %s [%s]\n", file, (unsigned long long)f->row, severity(f), f->text,
                    f->kind->id);
        else fprintf(stderr, "%s: %s: %s [%s]\n", file, severity(f), f->text, f->kind->id);
    }
    uint64_t all = report->violations + report->warnings;
    if (all > report->count) fprintf(stderr, "%s: … and %llu more\n", file, (unsigned long long)(all - report->count));
}

static json_t *findings(const struct crl_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const struct crl_finding *f = &report->findings[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:s}", "id", f->kind->id, "severity", severity(f), "row",
                                        f->row ? json_integer((json_int_t)f->row) : json_null(), "text", f->text));
    }
    return list;
}

void print_verdict(json_t *summary, const struct crl_report *report, const char *file, bool as_json)
{
    json_object_set_new(summary, "findings", findings(report));
    json_object_set_new(summary, "violations", json_integer((json_int_t)report->violations));
    json_object_set_new(summary, "warnings", json_integer((json_int_t)report->warnings));
    print_findings(report, file);
    print_summary(summary, as_json);
}

int complain_rules(int error, const struct crl_report *report, struct crl_diag *diag)
{
    if (error == CRL_ERR_RULE)
        crl_fail(diag, error, "the schedule breaks %llu rule%s", (unsigned long long)report->violations,
                 report->violations == 1 ? "" : "s");
    return error;
}
