// SPDX-License-Identifier: Apache-2.0
// Pictures of schedules: stills, and replay pages with what is wrong marked in them.
#include "draw/page.h"
#include "form/form.h"
#include <stdlib.h>
#include <string.h>

// What the checker found, as marks that name rows. The caller frees page->marks, also after an error.
static int mark_findings(struct crl_page *page, const struct carillon_schedule *schedule, struct crl_diag *diag)
{
    const struct carillon_verdict verdict = carillon_schedule_verdict(schedule);
    struct carillon_finding f;
    page->marks = calloc(verdict.count + 1, sizeof *page->marks);
    if (!page->marks) return crl_fail_memory(diag);
    if (*verdict.misfit) snprintf(page->marks[page->mark_count++].text, sizeof page->marks->text, "%s", verdict.misfit);
    for (size_t i = 0; carillon_schedule_finding(schedule, i, &f); i++) {
        struct crl_mark *mark = &page->marks[page->mark_count++];
        mark->row = f.row;
        if (f.row) snprintf(mark->text, sizeof mark->text, "row %llu: %s", (unsigned long long)f.row, f.text);
        else snprintf(mark->text, sizeof mark->text, "%s", f.text);
    }
    return 0;
}

// Releases the marks.
static int draw_page(const struct carillon_schedule *schedule, struct crl_page *marked, FILE *file,
                     struct crl_diag *diag)
{
    struct crl_page page = *marked;
    char *summary = NULL;
    int error = carillon_schedule_summary(schedule, false, &summary, diag);
    page.summary = summary;
    if (!error) error = schedule->form->page(schedule, &page, file, diag);
    free(summary);
    free(page.marks);
    return error;
}

int carillon_draw(const struct carillon_schedule *schedule, const char *format, FILE *file, struct crl_diag *diag)
{
    struct crl_page page = {0};
    if (!strcmp(format, "html")) {
        int error = mark_findings(&page, schedule, diag);
        if (!error) return draw_page(schedule, &page, file, diag);
        free(page.marks);
        return error;
    }
    if (strcmp(format, "svg")) return crl_fail(diag, CRL_ERR_ARGUMENT, "pictures are svg or html, not '%s'", format);
    if (!schedule->form->draw)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "of schedules on %s machines there are pages (.html), no pictures",
                        schedule->form->name);
    return schedule->form->draw(schedule, file, diag);
}

bool carillon_replays(const struct carillon_schedule *schedule)
{
    return schedule->form->trace && carillon_needs_image(schedule);
}

int carillon_draw_trace(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                        const char *name, bool stopped, FILE *file, struct crl_diag *diag)
{
    struct crl_page page = {0};
    struct crl_diag late;
    if (!carillon_replays(schedule))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "traces are replayed of slot tables only");
    int judged = schedule->form->trace(schedule, image, trace, name, stopped, &page, diag);
    if (judged && judged != CRL_ERR_MISMATCH) {
        free(page.marks);
        return judged;
    }
    int error = draw_page(schedule, &page, file, &late);
    if (error) *diag = late;
    return error ? error : judged;
}
