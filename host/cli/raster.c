// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG or PDF, through librsvg and cairo where the program is built with them. They are loaded when there is
// something to draw: they and the forty libraries that they need take longer to load than most commands take.
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
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <math.h>

static const double POINTS = .75, POINTS_MAX = 14400; // of a pixel; the longest side of a page that readers take
static const double SHARP = 2, SIDE_MAX = 32000, AREA_MAX = 1e8; // of a PNG: pixels for one of the picture, and limits

// What is called of them, under the names that they have there.
#define FUNCTIONS(of)                                                                                                  \
    of(cairo_create) of(cairo_destroy) of(cairo_image_surface_create) of(cairo_pdf_surface_create_for_stream)          \
        of(cairo_status) of(cairo_status_to_string) of(cairo_surface_destroy) of(cairo_surface_finish)                 \
            of(cairo_surface_status) of(cairo_surface_write_to_png_stream) of(g_clear_error) of(g_object_unref)        \
                of(rsvg_handle_get_intrinsic_size_in_pixels) of(rsvg_handle_new_from_data)                             \
                    of(rsvg_handle_render_document)
#undef g_object_unref // a macro that has its type
static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

// Loads them, for as long as the program runs; false: they are not there.
static bool load(void)
{
    void *handle = dlopen("librsvg-2.so.2", RTLD_NOW); // and with it what it needs
    if (!handle) return false;
#define FIND(name) *(void **)&lib.name = dlsym(handle, #name);
    FUNCTIONS(FIND)
#undef FIND
#define LACKS(name) || !lib.name
    return !(false FUNCTIONS(LACKS));
#undef LACKS
}

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

int raster_refuse(const char *kind)
{
    if (load()) return 0;
    return complain_usage("librsvg, which makes %s, is not installed: name a picture .svg, or install librsvg2-2",
                          kind);
}

int raster_write(const char *svg, size_t length, const char *kind, FILE *file, struct crl_diag *diag)
{
    bool pdf = !strcmp(kind, ".pdf");
    double width, height;
    GError *wrong = NULL;
    RsvgHandle *handle = lib.rsvg_handle_new_from_data((const guint8 *)svg, length, &wrong);
    if (!handle || !lib.rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) {
        int error = fail(diag, CRL_ERR_UNSUPPORTED, "cannot draw the picture: %s", wrong ? wrong->message : "no size");
        lib.g_clear_error(&wrong);
        if (handle) lib.g_object_unref(handle);
        return error;
    }
    double scale = scale_of(pdf, width, height), wide = ceil(width * scale), high = ceil(height * scale);
    cairo_surface_t *surface = pdf ? lib.cairo_pdf_surface_create_for_stream(write_bytes, file, wide, high)
                                   : lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)wide, (int)high);
    cairo_t *cairo = lib.cairo_create(surface);
    lib.rsvg_handle_render_document(handle, cairo, &(RsvgRectangle){0, 0, wide, high}, &wrong);
    cairo_status_t status = lib.cairo_status(cairo);
    lib.cairo_destroy(cairo);
    if (!status && !pdf) status = lib.cairo_surface_write_to_png_stream(surface, write_bytes, file);
    lib.cairo_surface_finish(surface);
    if (!status) status = lib.cairo_surface_status(surface);
    lib.cairo_surface_destroy(surface);
    lib.g_object_unref(handle);
    int error = 0;
    if (wrong) error = fail(diag, CRL_ERR_UNSUPPORTED, "cannot draw the picture: %s", wrong->message);
    else if (status == CAIRO_STATUS_WRITE_ERROR) error = CRL_ERR_IO; // said when the file is closed
    else if (status)
        error = fail(diag, CRL_ERR_MEMORY, "cannot draw the picture: %s", lib.cairo_status_to_string(status));
    lib.g_clear_error(&wrong);
    return error;
}

#else

int raster_refuse(const char *kind)
{
    return complain_usage("this program was built without librsvg, which makes %s: name a picture .svg, or install "
                          "librsvg2-dev and build again",
                          kind);
}

int raster_write(const char *svg, size_t length, const char *kind, FILE *file, struct crl_diag *diag)
{
    (void)svg, (void)length, (void)file;
    return fail(diag, CRL_ERR_UNSUPPORTED, "no librsvg to make %s", kind);
}
#endif
