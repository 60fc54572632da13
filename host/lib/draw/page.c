// SPDX-License-Identifier: Apache-2.0
// The frame that all replay pages share.
#include "draw/page.h"
#include "draw/draw.h"
#include <errno.h>
#include <string.h>

// JSON inside a page: no '<' that could end the element it stands in.
static void put_json(const char *text, FILE *file)
{
    for (; *text; text++)
        if (*text == '<') fputs("\\u003c", file);
        else fputc(*text, file);
}

static void put_string(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\') fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ' || *text == '<') fprintf(file, "\\u%04x", (unsigned char)*text);
        else fputc(*text, file);
    fputc('"', file);
}

void crl_page_begin(const char *title, FILE *file)
{
    fputs(crl_page_before, file);
    crl_draw_text(title, file);
    fputs(crl_page_between, file);
}

void crl_page_open(const struct crl_page *page, const char *kind, FILE *file)
{
    const char *gap = "";
    fprintf(file, "{\"kind\":\"%s\",\"summary\":", kind);
    put_json(page->summary, file);
    fputs(",\n\"problems\":[", file);
    for (size_t i = 0; i < page->mark_count; i++, gap = ",\n") {
        fputs(gap, file);
        put_string(page->marks[i].text, file);
    }
    fputs("],\n\"marks\":[", file);
    gap = "";
    for (size_t i = 0; i < page->mark_count; i++) {
        const struct crl_mark *m = &page->marks[i];
        if (!m->slot) continue;
        fprintf(file, "%s[%u,%u,%u]", gap, m->slot, m->src, m->dst);
        gap = ",";
    }
    fputc(']', file);
}

int crl_page_end(FILE *file, struct crl_diag *diag)
{
    fputs(crl_page_after, file);
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the page: %s", strerror(errno)) : 0;
}
