// SPDX-License-Identifier: Apache-2.0
// Fabrics that hold the spares of a plan beside it: each is one schedule more, which rounds choose by its number.
#include "machine/slots/emission.h"
#include "machine/slots/spares.h"
#include <stdlib.h>
#include <string.h>

int emission_parts(struct emission *e, struct part **parts, const struct carillon_emitted *what, uint32_t count,
                   uint32_t row_stages)
{
    struct slots_image *image = (struct slots_image *)what->image; // which keeps what is planned for it
    const char *kinds = what->schedule->problem->options.spare;
    int error = 0;
    *parts = NULL;
    if (kinds && count > 1)
        error = crl_fail(e->diag, CRL_ERR_ARGUMENT, "--spare is for one algorithm: spares are further schedules");
    else if (kinds && e->loaded)
        error = crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                         "--spare is for tables that stay: with '--tables axi-lite' load a spare when it is needed");
    else if (kinds && !strcmp(kinds, "nodes") && crl_problem_sums(slots_said(what->image->problem)))
        error = crl_fail(e->diag, CRL_ERR_UNSUPPORTED,
                         "--spare nodes: without a node, sums have fewer values; '--spare links' is supported");
    else if (kinds && !image->spares) error = slots_spares_new(&image->spares, what->schedule, kinds, e->diag);
    if (!error && kinds && !image->spares->count)
        error = crl_fail(e->diag, CRL_ERR_UNSUPPORTED, "--spare: none of the failures of %s has a plan", kinds);
    if (error) return error;
    e->spare = kinds;
    e->parts = count + (kinds ? (uint32_t)image->spares->count : 0);
    e->part = *parts = calloc(e->parts, sizeof **parts);
    if (!*parts) return crl_fail_memory(e->diag);
    for (uint32_t p = 0; p < e->parts; p++) {
        const struct slots_failure *f = p < count ? NULL : &image->spares->list[p - count];
        const struct carillon_image *of = f ? f->spare.image : what[p].image;
        (*parts)[p] = (struct part){.schedule = f ? f->spare.schedule : what[p].schedule,
                                    .scheme = f ? f->scheme : slots_image_in(of)->image.scheme,
                                    .without = f ? f->name : NULL,
                                    .image = &slots_image_in(of)->image,
                                    .problem = slots_said(of->problem),
                                    .stages = row_stages};
    }
    return 0;
}

// Bits of all tables and maps of the fabric, or if equal rows are not stored once.
static uint64_t memory_of(const struct emission *e, bool whole)
{
    const struct entry_layout l = entry_layout(e);
    const uint32_t streams = e->nodes * e->geometry.streams;
    uint64_t bits = table_bits(e, whole);
    for (uint32_t i = 0; i < streams && e->axis; i++)
        bits += (uint64_t)e->map_depth * ((e->lanes[1][i] ? l.in_bits : 0) + (e->lanes[0][i] ? l.out_bits : 0));
    return bits;
}

static int measure(uint64_t *bits, uint64_t *whole, struct emission e, struct part *parts)
{
    e.lanes[0] = e.lanes[1] = NULL;
    e.keeps = NULL;
    int error = share_geometry(&e, parts);
    if (!error && e.axis) error = share_maps(&e, parts);
    if (!error) *bits = memory_of(&e, false);
    if (!error) *whole = memory_of(&e, true);
    CRL_FREE(e.lanes[0], e.lanes[1], e.keeps);
    return error;
}

int find_memory(struct emission *e, struct part *parts)
{
    struct emission own = *e;
    own.parts = 1;
    int error = measure(&e->memory_alone, &e->memory_whole, own, parts);
    return error ? error : measure(&e->memory, &e->memory_whole, *e, parts);
}

int add_spares(json_t *summary, struct emission *e, struct part *parts, size_t failures)
{
    uint64_t worst = 0;
    uint32_t rows = 0;
    int error = find_memory(e, parts);
    json_t *list = json_array();
    for (uint32_t p = 0; p < e->parts; p++) rows += parts[p].image->geometry.rows;
    for (uint32_t p = 1; p < e->parts && !error; p++) {
        const struct crl_report *r = &parts[p].schedule->report;
        error = find_times(&parts[p], e->axis, e->diag);
        json_t *one = json_pack("{s:i, s:s}", "op", (int)p, "fails", parts[p].without);
        CRL_TELL(one, {"slots", crl_json_number(r->slots)}, {"bound_slots", crl_json_number(r->bound_slots)},
                 {"rows", json_integer(parts[p].image->geometry.rows)},
                 {"cycles_end_to_end", crl_json_number(error ? 0 : end_to_end(&parts[p], e->axis))});
        json_array_append_new(list, one);
        if (r->slots > worst) worst = r->slots;
    }
    CRL_TELL(summary, {"spare", json_string(e->spare)}, {"failures", crl_json_number(failures)},
             {"spares_planned", json_integer(e->parts - 1)},
             {"spare_slots_worst", e->parts > 1 ? crl_json_number(worst) : json_null()},
             {"table_rows", json_integer(rows)}, {"memory_bits_alone", crl_json_number(e->memory_alone)},
             {"memory_bits_whole", crl_json_number(e->memory_whole)}, {"memory_bits", crl_json_number(e->memory)});
    json_object_set_new(summary, "spares", list);
    return error;
}
