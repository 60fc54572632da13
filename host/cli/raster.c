// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG or PDF, through librsvg and cairo where the program is built with them.
#include "cli.h"
#include <string.h>

const char *raster_kind(const char *path)
{
    static const char *const kinds[] = {".png", ".pdf"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length > 4 && !strcmp(path + length - 4, kinds[i])) return kinds[i];
    return NULL;
}

#ifdef CRL_RSVG
#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <math.h>

static const double POINTS = .75, POINTS_MAX = 14400; // of a pixel; the longest side of a page that readers take
static const double SHARP = 2, SIDE_MAX = 32000, AREA_MAX = 1e8; // of a PNG: pixels for one of the picture, and limits

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

// As large as both sides may be.
static double scale_of(bool pdf, double width, double height)
{
    double side = fmax(width, height);
    return pdf ? fmin(POINTS, POINTS_MAX / side)
               : fmin(SHARP, fmin(SIDE_MAX / side, sqrt(AREA_MAX / (width * height))));
}

bool raster_can(void) { return true; }

int raster_write(const char *svg, size_t length, const char *kind, FILE *file, struct crl_diag *diag)
{
    bool pdf = !strcmp(kind, ".pdf");
    double width, height;
    GError *wrong = NULL;
    RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)svg, length, &wrong);
    if (!handle || !rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) {
        int error = fail(diag, CRL_ERR_UNSUPPORTED, "cannot draw the picture: %s", wrong ? wrong->message : "no size");
        g_clear_error(&wrong);
        if (handle) g_object_unref(handle);
        return error;
    }
    double scale = scale_of(pdf, width, height), wide = ceil(width * scale), high = ceil(height * scale);
    cairo_surface_t *surface = pdf ? cairo_pdf_surface_create_for_stream(write_bytes, file, wide, high)
                                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)wide, (int)high);
    cairo_t *cairo = cairo_create(surface);
    rsvg_handle_render_document(handle, cairo, &(RsvgRectangle){0, 0, wide, high}, &wrong);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (!status && !pdf) status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    cairo_surface_finish(surface);
    if (!status) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    g_object_unref(handle);
    int error = 0;
    if (wrong) error = fail(diag, CRL_ERR_UNSUPPORTED, "cannot draw the picture: %s", wrong->message);
    else if (status == CAIRO_STATUS_WRITE_ERROR) error = CRL_ERR_IO; // said when the file is closed
    else if (status) error = fail(diag, CRL_ERR_MEMORY, "cannot draw the picture: %s", cairo_status_to_string(status));
    g_clear_error(&wrong);
    return error;
}

#else

bool raster_can(void) { return false; }

int raster_write(const char *svg, size_t length, const char *kind, FILE *file, struct crl_diag *diag)
{
    (void)svg, (void)length, (void)file;
    return fail(diag, CRL_ERR_UNSUPPORTED, "no librsvg to make %s", kind);
}
#endif
