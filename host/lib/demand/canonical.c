// SPDX-License-Identifier: Apache-2.0
// The one form that equal demands have: certificates name its hash, images hold it.
#include "base/base.h"
#include "demand/demand.h"
#include <stdlib.h>

static void put_number(FILE *file, uint32_t number, bool is_default)
{
    if (is_default) fputc(',', file);
    else fprintf(file, ",%u", number);
}

static void put(const struct crl_demands *d, const struct crl_demand *demand, FILE *file)
{
    fprintf(file, "%s,%u,", demand->id, demand->src);
    for (uint32_t i = 0; i < demand->dst_count; i++) fprintf(file, "%s%u", i ? " " : "", demand->dst[i]);
    fprintf(file, ",%u,%u", demand->packets, demand->release);
    put_number(file, demand->deadline, demand->deadline == CRL_NONE);
    put_number(file, demand->period, !demand->period);
    fprintf(file, ",%s\n", demand->after == CRL_NONE ? "" : d->demand[demand->after].id);
}

int crl_demands_write(const struct crl_demands *d, FILE *file, struct crl_diag *diag)
{
    fputs("id,src,dst,packets,release,deadline,period,after\n", file);
    for (uint32_t i = 0; i < d->count; i++)
        if (!d->demand[i].offset) put(d, &d->demand[i], file); // not what its period repeats
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "the demands cannot be written") : 0;
}

int crl_demands_hash(const struct crl_demands *d, char hex[65])
{
    char *bytes = NULL;
    size_t count = 0;
    FILE *file = open_memstream(&bytes, &count);
    int error = file ? crl_demands_write(d, file, NULL) : CRL_ERR_MEMORY;
    if (file && fclose(file)) error = CRL_ERR_MEMORY;
    if (!error) crl_sha256(bytes, count, hex);
    free(bytes);
    return error;
}
