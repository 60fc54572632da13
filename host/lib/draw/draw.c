// SPDX-License-Identifier: Apache-2.0
// A picture of a schedule, alone or as a page of its own.
#include "draw/draw.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A page without anything from outside. Its script lights up the hops of the packet under the pointer.
static void put_page(const struct drawing *d, FILE *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          file);
    crl_draw_text(d->line[0], file);
    fputs("</title>\n", file);
    fputs("<style>\n"
          ":root{color-scheme:light dark}\nbody{margin:0;background:#fff}\n"
          "svg{display:block}\nsvg.one rect[data-p]:not(.lit){opacity:.25}\n"
          "@media(prefers-color-scheme:dark){body{background:#16191d}}\n"
          "</style>\n</head>\n<body>\n",
          file);
    crl_draw_svg(d, file);
    fputs("<script>\n"
          "const svg = document.querySelector('svg'), cells = [...svg.querySelectorAll('rect[data-p]')];\n"
          "svg.addEventListener('pointerover', event => {\n"
          "  const packet = event.target.dataset.p;\n"
          "  svg.classList.toggle('one', packet !== undefined);\n"
          "  for (const cell of cells) cell.classList.toggle('lit', cell.dataset.p === packet);\n"
          "});\n"
          "svg.addEventListener('pointerleave', () => svg.classList.remove('one'));\n"
          "</script>\n</body>\n</html>\n",
          file);
}

int crl_draw(const struct crl_schedule *schedule, const struct crl_problem *problem, const char *scheme,
             enum crl_drawing form, FILE *file, struct crl_diag *diag)
{
    struct drawing drawing = {.schedule = schedule, .problem = problem, .route_keys = form == CRL_DRAW_HTML};
    int error = crl_draw_layout(&drawing, scheme, diag);
    if (!error && form == CRL_DRAW_HTML) put_page(&drawing, file);
    else if (!error) crl_draw_svg(&drawing, file);
    free(drawing.has_row);
    if (error) return error;
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the picture: %s", strerror(errno)) : 0;
}
