// SPDX-License-Identifier: Apache-2.0
// Findings: their table, and the list that a check fills.
#include "base/base.h"
#include "check/check.h"
#include <stdlib.h>
#include <string.h>

static const struct crl_finding_kind kinds[] = {
#define FINDING(name, id, severity, summary, advice) {id, severity, summary, advice},
#include "check/findings.def"
#undef FINDING
};

const struct crl_finding_kind *crl_finding_kinds(size_t *count)
{
    *count = CRL_FINDINGS;
    return kinds;
}

void crl_sink_more(struct crl_sink *sink, enum crl_finding_id id, uint64_t more)
{
    if (kinds[id].severity == CRL_VIOLATION) sink->report->violations += more;
    else sink->report->warnings += more;
}

// Room for one more finding of a kind, or NULL.
static struct crl_finding *list(struct crl_sink *sink, enum crl_finding_id id)
{
    struct crl_report *report = sink->report;
    if (sink->listed[id]++ >= CRL_FINDINGS_LISTED) return NULL;
    if (!report->findings) report->findings = malloc(sizeof *report->findings * CRL_FINDINGS_LISTED * CRL_FINDINGS);
    if (!report->findings) sink->out_of_memory = true;
    return report->findings ? &report->findings[report->count++] : NULL;
}

void crl_sink_find(struct crl_sink *sink, enum crl_finding_id id, uint64_t row, const char *format, va_list args)
{
    crl_sink_more(sink, id, 1);
    struct crl_finding *finding = list(sink, id);
    if (!finding) return;
    finding->kind = &kinds[id];
    finding->row = row;
    vsnprintf(finding->text, sizeof finding->text, format, args);
}

void crl_sink_merge(struct crl_sink *sink, const struct crl_sink *from)
{
    size_t unlisted[CRL_FINDINGS];
    memcpy(unlisted, from->listed, sizeof unlisted);
    for (size_t i = 0; i < from->report->count; i++) {
        const struct crl_finding *finding = &from->report->findings[i];
        struct crl_finding *copy = list(sink, (enum crl_finding_id)(finding->kind - kinds));
        if (copy) *copy = *finding;
        unlisted[finding->kind - kinds]--;
    }
    for (int id = 0; id < CRL_FINDINGS; id++) sink->listed[id] += unlisted[id];
    sink->report->violations += from->report->violations;
    sink->report->warnings += from->report->warnings;
    sink->out_of_memory |= from->out_of_memory;
}

static int by_row(const void *a, const void *b)
{
    const struct crl_finding *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->text, y->text);
}

int crl_sink_close(struct crl_sink *sink, struct crl_diag *diag)
{
    struct crl_report *report = sink->report;
    if (report->count) qsort(report->findings, report->count, sizeof *report->findings, by_row);
    if (sink->out_of_memory) return crl_fail_memory(diag);
    return report->violations ? CRL_ERR_RULE : 0;
}

void crl_report_done(struct crl_report *report)
{
    free(report->findings);
    report->findings = NULL;
    report->count = 0;
}
