// SPDX-License-Identifier: Apache-2.0
// In which order the bench of an emitted fabric adds floating-point numbers: what the schedule says, not the tables.
#include "form/slots_emission.h"
#include "oracle/oracle.h"
#include <stdlib.h>

// The terms of each chunk of a part, as many lines a chunk as the longest has.
static void write_chunks(const struct emission *e, const struct crl_orders *orders, FILE *file)
{
    for (uint32_t c = 0; c < orders->chunks; c++) {
        const struct crl_terms *terms = &orders->terms[c];
        for (uint32_t i = 0; i < e->terms; i++) {
            struct crl_term none = {0}, term = i >= e->nodes && i < terms->count ? terms->term[i] : none;
            fprintf(file, "%08x%08x\n", term.came, term.held);
        }
    }
}

// Who wants no sum has that of term 0, which nobody looks at.
static void write_ends(const struct emission *e, const struct crl_orders *orders, FILE *file)
{
    for (size_t i = 0; i < (size_t)orders->chunks * e->nodes; i++)
        fprintf(file, "%08x\n", orders->ends[i] == CRL_NONE ? 0 : orders->ends[i]);
}

int write_terms(struct emission *e)
{
    typedef void write_fn(const struct emission *e, const struct crl_orders *orders, FILE *file);
    static const struct {
        const char *name;
        write_fn *write;
    } files[] = {{"tables/tb_terms.hex", write_chunks}, {"tables/tb_ends.hex", write_ends}};
    struct crl_orders orders[CARILLON_EMITTED_MAX] = {0};
    int error = 0;
    if (!e->geometry.combine || crl_geometry_op(&e->geometry) != CRL_OP_FADD) return 0;
    for (uint32_t p = 0; p < e->parts && !error; p++) {
        error =
            slots_orders(&orders[p], &slots_schedule_in(e->part[p].schedule)->schedule, e->part[p].problem, e->diag);
        for (uint32_t c = 0; c < orders[p].chunks && !error; c++)
            if (orders[p].terms[c].count > e->terms) e->terms = (uint32_t)orders[p].terms[c].count;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files && !error; i++) {
        FILE *file = crl_folder_file(e->folder, files[i].name, e->diag);
        error = file ? 0 : CRL_ERR_IO;
        for (uint32_t p = 0; p < e->parts && !error; p++) files[i].write(e, &orders[p], file);
    }
    for (uint32_t p = 0; p < e->parts; p++) slots_orders_done(&orders[p]);
    return error;
}
