// SPDX-License-Identifier: Apache-2.0
// What the checker found, for people and for programs.
#include "cli.h"

static const char *severity(const struct crl_finding *f)
{
    return f->kind->severity == CRL_VIOLATION ? "error" : "warning";
}

// Whether a finding is about a row that does not fit the topology, rather than what follows from it.
static bool is_misfit(const struct crl_finding *f)
{
    size_t count;
    const struct crl_finding_kind *kinds = crl_finding_kinds(&count);
    return f->kind == &kinds[CRL_FINDING_RANGE_NODE] || f->kind == &kinds[CRL_FINDING_NO_LINK];
}

void print_findings(const struct crl_report *report, const char *file)
{
    enum { FEW = 5 }; // of rows that do not fit: all of them make one mistake
    size_t printed = 0;
    if (*report->misfit) fprintf(stderr, "%s: note: %s\n", file, report->misfit);
    for (size_t i = 0; i < report->count; i++) {
        const struct crl_finding *f = &report->findings[i];
        if (*report->misfit && (!is_misfit(f) || printed >= FEW)) continue;
        printed++;
        if (f->row)
            fprintf(stderr, "%s:%llu:1: %s: %s [%s]\n", file, (unsigned long long)f->row, severity(f), f->text,
                    f->kind->id);
        else fprintf(stderr, "%s: %s: %s [%s]\n", file, severity(f), f->text, f->kind->id);
    }
    uint64_t all = report->violations + report->warnings;
    if (all > printed) fprintf(stderr, "%s: … and %llu more\n", file, (unsigned long long)(all - printed));
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
