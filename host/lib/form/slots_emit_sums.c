// SPDX-License-Identifier: Apache-2.0
// In which order the bench of an emitted fabric adds floating-point numbers: what the schedule says, not the tables.
#include "form/slots_emission.h"
#include "oracle/oracle.h"

// The terms of each chunk of a part, as many lines a chunk as the longest has.
static void put_chunks(const struct emission *e, const struct crl_orders *orders, struct numbers *numbers)
{
    for (uint32_t c = 0; c < orders->chunks; c++) {
        const struct crl_terms *terms = &orders->terms[c];
        for (uint32_t i = 0; i < e->terms; i++) {
            struct crl_term none = {0}, term = i >= e->nodes && i < terms->count ? terms->term[i] : none;
            number_add(numbers, (uint64_t)term.came << 32 | term.held);
        }
    }
}

// Who wants no sum has that of term 0, which nobody looks at.
static void put_ends(const struct emission *e, const struct crl_orders *orders, struct numbers *numbers)
{
    for (size_t i = 0; i < (size_t)orders->chunks * e->nodes; i++)
        number_add(numbers, orders->ends[i] == CRL_NONE ? 0 : orders->ends[i]);
}

int put_terms(struct emission *e, struct list *list)
{
    struct crl_orders orders[CARILLON_EMITTED_MAX] = {0};
    struct numbers terms, ends;
    int error = 0;
    if (!e->geometry.combine || !crl_op_floats(crl_geometry_op(&e->geometry))) return 0;
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        error =
            slots_orders(&orders[p], &slots_schedule_in(e->part[p].schedule)->schedule, e->part[p].problem, e->diag);
        for (uint32_t c = 0; c < orders[p].chunks && !error; c++)
            if (orders[p].terms[c].count > e->terms) e->terms = (uint32_t)orders[p].terms[c].count;
    }
    numbers_begin(&terms, "terms", 64);
    numbers_begin(&ends, "ends", 32);
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        put_chunks(e, &orders[p], &terms);
        put_ends(e, &orders[p], &ends);
    }
    numbers_end(&terms, list);
    numbers_end(&ends, list);
    for (uint32_t p = 0; p < e->parts; p++) slots_orders_done(&orders[p]);
    return error;
}
