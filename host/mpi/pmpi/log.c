// SPDX-License-Identifier: Apache-2.0
// What users are told, on standard error: each reason once, and how many calls were played.
#include "pmpi.h"
#include <stdarg.h>
#include <stdatomic.h>

static atomic_bool said[CRL_COLLECTIVES][CRL_REASONS];
static atomic_ullong calls[CRL_COLLECTIVES][2]; // left, played

void crl_log(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "carillon: %s\n", text);
}

void crl_log_left(enum crl_collective collective, enum crl_reason reason, const char *text)
{
    if (!atomic_exchange(&said[collective][reason], true))
        crl_log("%s is left to the MPI library: %s", crl_collective_table[collective].mpi, text);
}

void crl_count(enum crl_collective collective, bool played) { atomic_fetch_add(&calls[collective][played], 1); }

void crl_log_counts(void)
{
    for (int i = 0; i < CRL_COLLECTIVES; i++) {
        unsigned long long left = atomic_load(&calls[i][0]), played = atomic_load(&calls[i][1]);
        if (left + played) crl_log("%s: %llu played, %llu left", crl_collective_table[i].mpi, played, left);
    }
}
