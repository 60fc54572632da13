// SPDX-License-Identifier: Apache-2.0
// carillon front: slots of sums against the number of chunks, beside the bound.
//
// Some numbers of chunks are planned. Any other number is covered by these: a plan of more chunks leaves some out, and
// two plans may follow each other. So the slots are monotone and subadditive in the number of chunks.
#include "cli.h"
#include "table_text.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 64, CHUNKS = 256, CHUNKS_MAX = 1000000, WIDTH = 640, HEIGHT = 400, MARGIN = 48 };

struct point {
    uint32_t chunks;
    uint64_t planned, slots, bound; // planned: 0 where it is not
};
struct front {
    struct point point[POINTS]; // by their chunks
    size_t points;
    uint32_t chunks; // that are covered
    uint64_t *slots; // [chunks + 1]
    uint8_t *last;   // [chunks + 1] the point whose plan comes last
};

// ---------------------------------------------------------------- what is planned

static int read_number(char *text, const char *key, uint64_t *number)
{
    json_t *summary = text ? json_loads(text, 0, NULL) : NULL;
    *number = (uint64_t)json_integer_value(json_object_get(summary, key));
    json_decref(summary);
    free(text);
    return text ? 0 : CRL_ERR_MEMORY;
}

// The bound and, if it is to be planned, the slots of so many chunks.
static int measure(struct point *p, const struct options *options, bool plans, struct crl_diag *diag)
{
    struct options with = *options;
    struct flow flow = {0};
    char *text = NULL;
    with.flow.chunks = p->chunks;
    int error = flow_problem(&flow, &with, with.operand[0]);
    if (!error) error = carillon_problem_bound(flow.problem, &text, &flow.diag);
    if (!error) error = read_number(text, "bound_slots", &p->bound);
    if (!error && plans) error = flow_plan(&flow, &with, with.operand[0], NULL);
    if (!error && plans) error = flow_check(&flow, "<plan>");
    if (!error && plans) error = carillon_schedule_summary(flow.schedule, false, &text, &flow.diag);
    if (!error && plans) error = read_number(text, "slots", &p->planned);
    if (error) *diag = flow.diag;
    carillon_schedule_free(flow.schedule);
    carillon_problem_free(flow.problem);
    progress_end();
    return error;
}

// Plans 1, 2, 3, 4, 6, 8, 12, 16 … chunks, and as many as are asked for if these are not more.
static int plan_points(struct front *f, const struct options *options, struct crl_diag *diag)
{
    uint32_t most = f->chunks < CHUNKS ? f->chunks : CHUNKS;
    int error = 0;
    for (uint32_t chunks = 1; chunks < most && !error;
         chunks += chunks > 2 && chunks % 3 ? chunks / 2 : (chunks + 2) / 3) {
        f->point[f->points].chunks = chunks;
        error = measure(&f->point[f->points++], options, true, diag);
    }
    f->point[f->points].chunks = most;
    return error ? error : measure(&f->point[f->points++], options, true, diag);
}

// ---------------------------------------------------------------- what follows from these

static int cover(struct front *f, struct crl_diag *diag)
{
    f->slots = calloc(f->chunks + (size_t)1, sizeof *f->slots);
    f->last = calloc(f->chunks + (size_t)1, sizeof *f->last);
    if (!f->slots || !f->last) return fail(diag, CRL_ERR_MEMORY, "out of memory");
    for (uint32_t m = 1; m <= f->chunks; m++) {
        f->slots[m] = UINT64_MAX;
        for (size_t i = 0; i < f->points; i++) {
            uint32_t before = f->point[i].chunks < m ? m - f->point[i].chunks : 0;
            if (f->slots[before] + f->point[i].planned >= f->slots[m]) continue;
            f->slots[m] = f->slots[before] + f->point[i].planned;
            f->last[m] = (uint8_t)i;
        }
    }
    return 0;
}

// The plans that cover so many chunks, as in "3 x 256 + 64".
static void write_cover(const struct front *f, uint32_t chunks, char cell[TABLE_CELL])
{
    uint32_t times[POINTS] = {0};
    size_t length = 0;
    for (uint32_t m = chunks; m;) {
        uint32_t block = f->point[f->last[m]].chunks;
        times[f->last[m]]++;
        m = block < m ? m - block : 0;
    }
    for (size_t i = f->points; i-- > 0;) {
        if (!times[i] || length > TABLE_CELL - 32) continue;
        length += (size_t)snprintf(cell + length, TABLE_CELL - length, length ? " + " : "");
        if (times[i] > 1) length += (size_t)snprintf(cell + length, TABLE_CELL - length, "%u x ", times[i]);
        length += (size_t)snprintf(cell + length, TABLE_CELL - length, "%u", f->point[i].chunks);
    }
}

// ---------------------------------------------------------------- how it is shown

static void write_text(const struct front *f, const char *format, FILE *file)
{
    static const char *const titles[] = {"chunks", "slots", "bound", "plans"};
    struct table table = {.titles = titles, .columns = 4};
    for (size_t i = 0; i < f->points; i++) {
        char(*cell)[TABLE_CELL] = table_add(&table);
        if (!cell) break;
        snprintf(cell[0], TABLE_CELL, "%u", f->point[i].chunks);
        snprintf(cell[1], TABLE_CELL, "%llu", (unsigned long long)f->point[i].slots);
        snprintf(cell[2], TABLE_CELL, "%llu", (unsigned long long)f->point[i].bound);
        write_cover(f, f->point[i].chunks, cell[3]);
    }
    table_write(&table, format, file);
    table_done(&table);
}

static void write_json(const struct front *f, const struct options *options, FILE *file)
{
    json_t *points = json_array();
    for (size_t i = 0; i < f->points; i++) {
        char plans[TABLE_CELL];
        write_cover(f, f->point[i].chunks, plans);
        json_array_append_new(points, json_pack("{s:I, s:I, s:I, s:s}", "chunks", (json_int_t)f->point[i].chunks,
                                                "slots", (json_int_t)f->point[i].slots, "bound_slots",
                                                (json_int_t)f->point[i].bound, "plans", plans));
    }
    json_t *all =
        json_pack("{s:s, s:s, s:o}", "algorithm", options->operand[0], "topology", options->topology, "front", points);
    json_dumpf(all, file, JSON_INDENT(2));
    fputc('\n', file);
    json_decref(all);
}

// A number on an axis that ends with `most`, by its logarithm.
static double along(uint64_t value, uint64_t most, double room)
{
    return most > 1 ? log((double)(value ? value : 1)) / log((double)most) * room : 0;
}

static void write_curve(const struct front *f, bool bound, const char *colour, FILE *file)
{
    const struct point *last = &f->point[f->points - 1];
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (const struct point *p = f->point; p <= last; p++)
        fprintf(file, "%.1f,%.1f ", MARGIN + along(p->chunks, last->chunks, WIDTH - 2 * MARGIN),
                HEIGHT - MARGIN - along(bound ? p->bound : p->slots, last->slots, HEIGHT - 2 * MARGIN));
    fprintf(file, "\"/>\n");
}

// Both axes are logarithmic.
static void write_picture(const struct front *f, const struct options *options, FILE *file)
{
    const struct point *last = &f->point[f->points - 1];
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"24\">%s on %s: slots (blue) and bound (grey)</text>\n",
            WIDTH, HEIGHT, MARGIN, options->operand[0], options->topology);
    for (uint64_t at = 1; at <= last->chunks; at *= 2)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%llu</text>\n",
                MARGIN + along(at, last->chunks, WIDTH - 2 * MARGIN), HEIGHT - MARGIN + 18, (unsigned long long)at);
    for (uint64_t at = 1; at <= last->slots; at *= 2)
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%llu</text>\n", MARGIN - 8,
                HEIGHT - MARGIN - along(at, last->slots, HEIGHT - 2 * MARGIN) + 4, (unsigned long long)at);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">chunks</text>\n", WIDTH / 2, HEIGHT - 10);
    write_curve(f, true, "#999999", file);
    write_curve(f, false, "#1f5fbf", file);
    fprintf(file, "</svg>\n");
}

static int show(const struct front *f, const struct options *options, struct crl_diag *diag)
{
    const char *end = options->output ? strrchr(options->output, '.') : NULL;
    struct output output = {0};
    int error = output_open(&output, options->output, diag);
    if (!error && end && !strcmp(end, ".svg")) write_picture(f, options, output.file);
    else if (!error && options->json) write_json(f, options, output.file);
    else if (!error) write_text(f, options->format, output.file);
    return output_close(&output, error, diag);
}

int command_front(struct options *options)
{
    struct front f = {.chunks = options->flow.chunks ? options->flow.chunks : CHUNKS};
    struct crl_diag diag = {0};
    if (refuse_format(options->format, table_format_at)) return EXIT_USAGE;
    if (f.chunks > CHUNKS_MAX) return complain_usage("a front is of up to %d chunks", CHUNKS_MAX);
    int error = plan_points(&f, options, &diag);
    if (!error) error = cover(&f, &diag);
    for (uint32_t chunks = 2 * CHUNKS; chunks < f.chunks && !error && f.points < POINTS - 1; chunks *= 2) {
        f.point[f.points].chunks = chunks;
        error = measure(&f.point[f.points++], options, false, &diag);
    }
    if (!error && f.chunks > CHUNKS) {
        f.point[f.points].chunks = f.chunks;
        error = measure(&f.point[f.points++], options, false, &diag);
    }
    for (size_t i = 0; i < f.points && !error; i++) f.point[i].slots = f.slots[f.point[i].chunks];
    if (!error) error = show(&f, options, &diag);
    free(f.slots);
    free(f.last);
    return complain(error, &diag);
}
