// SPDX-License-Identifier: Apache-2.0
// carillon front: slots of sums against the number of chunks, beside the bound.
#include "cli.h"
#include "table_text.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 400, MARGIN = 48 };

// A number of a point of the front.
static uint64_t at(const json_t *point, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(point, key));
}

static void write_text(const json_t *front, const char *format, FILE *file)
{
    static const char *const titles[] = {"chunks", "slots", "bound", "plans"}, *const keys[] = {"chunks", "slots",
                                                                                                "bound_slots"};
    struct table table = {.titles = titles, .columns = 4};
    const json_t *point;
    size_t i;
    json_array_foreach(front, i, point)
    {
        char(*cell)[TABLE_CELL] = table_add(&table);
        if (!cell) break;
        for (size_t k = 0; k < 3; k++) snprintf(cell[k], TABLE_CELL, "%llu", (unsigned long long)at(point, keys[k]));
        snprintf(cell[3], TABLE_CELL, "%s", json_string_value(json_object_get(point, "plans")));
    }
    table_write(&table, format, file);
    table_done(&table);
}

// A number on an axis that ends with `most`, by its logarithm.
static double along(uint64_t value, uint64_t most, double room)
{
    return most > 1 ? log((double)(value ? value : 1)) / log((double)most) * room : 0;
}

static void write_curve(const json_t *front, const char *key, const char *colour, FILE *file)
{
    const json_t *last = json_array_get(front, json_array_size(front) - 1), *point;
    size_t i;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    json_array_foreach(front, i, point)
        fprintf(file, "%.1f,%.1f ", MARGIN + along(at(point, "chunks"), at(last, "chunks"), WIDTH - 2 * MARGIN),
                HEIGHT - MARGIN - along(at(point, key), at(last, "slots"), HEIGHT - 2 * MARGIN));
    fprintf(file, "\"/>\n");
}

// Both axes are logarithmic.
static void write_picture(const json_t *front, const struct options *options, FILE *file)
{
    const json_t *last = json_array_get(front, json_array_size(front) - 1);
    const uint64_t chunks = at(last, "chunks"), slots = at(last, "slots");
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"24\">%s on %s: slots (blue) and bound (grey)</text>\n",
            WIDTH, HEIGHT, MARGIN, options->operand[0], options->topology);
    for (uint64_t x = 1; x <= chunks; x *= 2)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%llu</text>\n",
                MARGIN + along(x, chunks, WIDTH - 2 * MARGIN), HEIGHT - MARGIN + 18, (unsigned long long)x);
    for (uint64_t y = 1; y <= slots; y *= 2)
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%llu</text>\n", MARGIN - 8,
                HEIGHT - MARGIN - along(y, slots, HEIGHT - 2 * MARGIN) + 4, (unsigned long long)y);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">chunks</text>\n", WIDTH / 2, HEIGHT - 10);
    write_curve(front, "bound_slots", "#999999", file);
    write_curve(front, "slots", "#1f5fbf", file);
    fprintf(file, "</svg>\n");
}

static int show(const json_t *all, const struct options *options, struct crl_diag *diag)
{
    const char *end = options->output ? strrchr(options->output, '.') : NULL;
    const json_t *front = json_object_get(all, "front");
    struct output output = {0};
    int error = output_open(&output, options->output, diag);
    if (!error && end && !strcmp(end, ".svg")) write_picture(front, options, output.file);
    else if (!error && options->json) json_dumpf(all, output.file, JSON_INDENT(2)), fputc('\n', output.file);
    else if (!error) write_text(front, options->format, output.file);
    return output_close(&output, error, diag);
}

int command_front(struct options *options)
{
    struct crl_diag diag = {0};
    char *text = NULL;
    if (refuse_format(options->format, table_format_at)) return EXIT_USAGE;
    progress_at("planning", 0, 0);
    int error = carillon_front(&text, context(), options->operand[0], options->topology, &options->flow, &diag);
    progress_end();
    json_t *all = error ? NULL : json_loads(text, 0, NULL);
    if (!error) error = show(all, options, &diag);
    json_decref(all);
    free(text);
    return complain(error, &diag);
}
