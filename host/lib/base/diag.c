// SPDX-License-Identifier: Apache-2.0
// Error reports: what went wrong and where.
#include "base/base.h"
#include <stdarg.h>
#include <string.h>

static int fail(struct crl_diag *diag, int code, const char *file, uint64_t line, uint64_t col, const char *format,
                va_list args)
{
    if (!diag) return code;
    memset(diag, 0, sizeof *diag);
    if (file) snprintf(diag->file, sizeof diag->file, "%s", file);
    diag->line = line;
    diag->col = col;
    vsnprintf(diag->text, sizeof diag->text, format, args);
    return code;
}

int crl_fail(struct crl_diag *diag, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(diag, code, NULL, 0, 0, format, args);
    va_end(args);
    return code;
}

int crl_fail_at(struct crl_diag *diag, int code, const char *file, uint64_t line, uint64_t col, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(diag, code, file, line, col, format, args);
    va_end(args);
    return code;
}
