// SPDX-License-Identifier: Apache-2.0
// Traces as text: `cycle node port data`, data in lower-case hex, a line a word.
#include "trace/trace.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

static bool number(const char **at, int base, uint64_t *value)
{
    char *end;
    if (!isxdigit((unsigned char)**at) || (base == 10 && !isdigit((unsigned char)**at))) return false;
    if (base == 16 && (*at)[0] == '0' && (*at)[1] == 'x') return false;
    for (const char *c = *at; isxdigit((unsigned char)*c); c++)
        if (isupper((unsigned char)*c)) return false;
    *value = strtoull(*at, &end, base);
    if (end - *at > 16) return false;
    *at = end;
    return true;
}

int crl_trace_read(FILE *file, const char *name, uint64_t *line, struct crl_word *word, struct crl_diag *diag)
{
    char text[128];
    static const char *const fields[] = {"cycle", "node", "port", "data"};
    uint64_t values[4];
    if (!fgets(text, sizeof text, file)) {
        if (ferror(file)) return crl_fail_at(diag, CRL_ERR_IO, name, *line + 1, 0, "cannot read on");
        return 0;
    }
    ++*line;
    const char *at = text;
    for (int i = 0; i < 4; i++) {
        bool good = number(&at, i == 3 ? 16 : 10, &values[i]);
        if (good && i < 3) at += good = *at == ' ';
        if (!good)
            return crl_fail_at(
                diag, CRL_ERR_PARSE, name, *line, (uint64_t)(at - text) + 1,
                "not a trace: expected 'cycle node port data', but the %s is not a number of up to 16 digits",
                fields[i]);
    }
    if (*at == '\r') at++;
    if (*at != '\n')
        return crl_fail_at(diag, CRL_ERR_PARSE, name, *line, (uint64_t)(at - text) + 1,
                           *at ? "expected the end of the line after the data" : "the file is cut off");
    if (values[1] >= UINT32_MAX || values[2] >= CRL_TRACE_PORTS_MAX)
        return crl_fail_at(diag, CRL_ERR_PARSE, name, *line, 1, "node or port out of range");
    *word = (struct crl_word){values[0], (uint32_t)values[1], (uint32_t)values[2], values[3]};
    return 1;
}

int crl_trace_write(FILE *file, const struct crl_word *word)
{
    return fprintf(file, "%" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIx64 "\n", word->cycle, word->node, word->port,
                   word->data) < 0
               ? CRL_ERR_IO
               : 0;
}
