// SPDX-License-Identifier: Apache-2.0
// The one form that equal demands have: certificates name its hash, images hold it.
#include "base/base.h"
#include "demand/demand.h"

static void put_number(FILE *file, uint32_t number, bool is_default)
{
    if (is_default) fputc(',', file);
    else fprintf(file, ",%u", number);
}

// Only programs have stages, and only groups sums, so only there are columns for them.
static uint32_t columns_of(const struct crl_demands *d)
{
    bool stages = false;
    for (uint32_t i = 0; i < d->count; i++) stages |= d->demand[i].stage > 0;
    return d->sums ? 2 : stages;
}

static void put(const struct crl_demands *d, const struct crl_demand *demand, uint32_t columns, FILE *file)
{
    fprintf(file, "%s,%u,", demand->id, demand->src);
    for (uint32_t i = 0; i < demand->dst_count; i++) fprintf(file, "%s%u", i ? " " : "", demand->dst[i]);
    fprintf(file, ",%u,%u", demand->packets, demand->release);
    put_number(file, demand->deadline, demand->deadline == CRL_NONE);
    put_number(file, demand->period, !demand->period);
    fprintf(file, ",%s", demand->after == CRL_NONE ? "" : d->demand[demand->after].id);
    if (columns > 0) put_number(file, demand->stage, !demand->stage);
    if (columns > 1) put_number(file, demand->kind, demand->kind == CRL_DEMAND_MOVE);
    fputc('\n', file);
}

int crl_demands_write(const struct crl_demands *d, FILE *file, struct crl_diag *diag)
{
    static const char *const more[] = {"", ",stage", ",stage,sum"};
    uint32_t columns = columns_of(d);
    fprintf(file, "id,src,dst,packets,release,deadline,period,after%s\n", more[columns]);
    for (uint32_t i = 0; i < d->count; i++)
        if (!d->demand[i].offset) put(d, &d->demand[i], columns, file); // not what its period repeats
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "the demands cannot be written") : 0;
}

int crl_demands_hash(const struct crl_demands *d, char hex[65])
{
    CRL_OWNED char *bytes = NULL;
    size_t count = 0;
    FILE *file = open_memstream(&bytes, &count);
    int error = file ? crl_demands_write(d, file, NULL) : CRL_ERR_MEMORY;
    if (file && fclose(file)) error = CRL_ERR_MEMORY;
    if (!error) crl_sha256(bytes, count, hex);
    return error;
}
