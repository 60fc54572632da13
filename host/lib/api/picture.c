// SPDX-License-Identifier: Apache-2.0
// Pictures of schedules: stills, and replay pages with what is wrong marked in them.
#include "draw/page.h"
#include "api/machine.h"
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
    bool ours = strcmp(schedule->scheme, "file") != 0; // what is spare in our own plans is no mistake of anybody's
    for (size_t i = 0; carillon_schedule_finding(schedule, i, &f); i++) {
        if (ours && !f.is_error) continue;
        struct crl_mark *mark = &page->marks[page->mark_count++];
        mark->row = f.row;
        if (f.row) snprintf(mark->text, sizeof mark->text, "row %llu: %s", (unsigned long long)f.row, f.text);
        else snprintf(mark->text, sizeof mark->text, "%s", f.text);
    }
    return 0;
}

// Writes the object of a schedule, and releases the marks.
static int draw_object(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file,
                       struct crl_diag *diag)
{
    CRL_OWNED char *summary = NULL;
    int error = crl_schedule_open(schedule, diag);
    if (!error) error = carillon_schedule_summary(schedule, false, &summary, diag);
    page->summary = summary;
    if (!error) error = schedule->machine->pictures->page(schedule, page, file, diag);
    free(page->marks);
    return error;
}

static void begin_page(const struct carillon_schedule *schedule, FILE *file)
{
    char title[256];
    json_t *summary = schedule->machine->summary(schedule);
    snprintf(title, sizeof title, "%s on %s", crl_title_of(schedule->problem),
             json_string_value(json_object_get(summary, "topology")));
    json_decref(summary);
    crl_page_begin(title, file);
}

static int draw_page(const struct carillon_schedule *schedule, struct crl_page *page, FILE *file, struct crl_diag *diag)
{
    begin_page(schedule, file);
    int error = draw_object(schedule, page, file, diag);
    return error ? error : crl_page_end(file, diag);
}

static int draw_checked(const struct carillon_schedule *schedule, FILE *file, struct crl_diag *diag)
{
    struct crl_page page = {0};
    int error = mark_findings(&page, schedule, diag);
    if (!error) return draw_object(schedule, &page, file, diag);
    free(page.marks);
    return error;
}

int carillon_draw_beside(const struct carillon_schedule *left, const struct carillon_schedule *right, FILE *file,
                         struct crl_diag *diag)
{
    begin_page(left, file);
    fputs("{\"kind\":\"beside\",\"sides\":[", file);
    int error = draw_checked(left, file, diag);
    fputs(",\n", file);
    if (!error) error = draw_checked(right, file, diag);
    fputs("]}", file);
    return error ? error : crl_page_end(file, diag);
}

// The still picture of a name (NULL: the machine's first).
static const struct crl_view *view_named(const struct carillon_schedule *schedule, const char *name,
                                         struct crl_diag *diag)
{
    char known[160] = "", hint[96];
    struct carillon_nearest nearest = {.word = name};
    for (const struct crl_view *v = schedule->machine->pictures->views; v->name; v++) {
        if (!name || !strcmp(name, v->name)) return v;
        size_t used = strlen(known);
        carillon_nearest_try(&nearest, v->name);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", v->name);
    }
    crl_fail(diag, CRL_ERR_ARGUMENT, "there is no picture '%.40s' of %s; there are %s%s", name,
             crl_title_of(schedule->problem), known, carillon_did_you_mean(&nearest, hint));
    return NULL;
}

int carillon_draw_view(const struct carillon_schedule *schedule, const struct carillon_view *view, FILE *file,
                       struct crl_diag *diag)
{
    if (!schedule->machine->pictures)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED,
                        "there are no pictures of %s; 'carillon dynamic --replay' makes a page",
                        crl_title_of(schedule->problem));
    const struct crl_view *v = view_named(schedule, view->name, diag);
    if (!v) return CRL_ERR_ARGUMENT;
    if (view->slot && !v->takes_slot)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "only --view network shows one slot, not '%s'", v->name);
    if (view->columns > 2)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "a picture is one column wide or two, not '%u'", view->columns);
    int error = crl_schedule_open(schedule, diag);
    return error ? error : v->draw(schedule, view, file, diag);
}

int carillon_draw(const struct carillon_schedule *schedule, const char *format, FILE *file, struct crl_diag *diag)
{
    if (!strcmp(format, "svg")) return carillon_draw_view(schedule, &(struct carillon_view){0}, file, diag);
    if (strcmp(format, "html")) return crl_fail(diag, CRL_ERR_ARGUMENT, "pictures are svg or html, not '%s'", format);
    if (!schedule->machine->pictures)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "there are no pages of %s; 'carillon dynamic --replay' makes one",
                        crl_title_of(schedule->problem));
    begin_page(schedule, file);
    int error = draw_checked(schedule, file, diag);
    return error ? error : crl_page_end(file, diag);
}

bool carillon_replays(const struct carillon_schedule *schedule) { return crl_player_of(schedule) != NULL; }

int carillon_draw_trace(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                        const char *name, bool stopped, FILE *file, struct crl_diag *diag)
{
    struct crl_page page = {0};
    struct crl_diag late;
    if (!carillon_replays(schedule))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "there are no replays of %s", crl_title_of(schedule->problem));
    int judged = crl_schedule_open(schedule, diag);
    if (!judged) judged = crl_player_of(schedule)->playing->trace(schedule, image, trace, name, stopped, &page, diag);
    if (judged && judged != CRL_ERR_MISMATCH) {
        free(page.marks);
        return judged;
    }
    int error = draw_page(schedule, &page, file, &late);
    if (error) *diag = late;
    return error ? error : judged;
}
