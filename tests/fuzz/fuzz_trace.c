// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as two traces, the second behind the first 0. They are compared alike from both sides, and
// each is as itself.
#include "trace/trace.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct part {
    const uint8_t *bytes;
    size_t size;
};

static int compare(struct part a, struct part b, struct carillon_difference *difference)
{
    static const char *const names[] = {"one", "other"};
    struct crl_diag diag;
    const struct part parts[] = {a, b};
    FILE *files[2];
    for (int i = 0; i < 2; i++) {
        files[i] = parts[i].size ? fmemopen((void *)parts[i].bytes, parts[i].size, "r") : fopen("/dev/null", "r");
        if (!files[i]) abort();
    }
    int error = carillon_trace_diff(difference, files, names, &diag);
    for (int i = 0; i < 2; i++) fclose(files[i]);
    return error;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
    struct part a = {bytes, end ? (size_t)(end - bytes) : size}, b = a;
    if (end) b = (struct part){end + 1, size - a.size - 1};
    struct carillon_difference there, back;
    int error = compare(a, b, &there), other = compare(b, a, &back);
    if ((error == 0) != (other == 0)) abort();
    if (error == CRL_ERR_MISMATCH && (other != error || there.words != back.words || there.cycle != back.cycle))
        abort();
    if (compare(a, a, &there) == CRL_ERR_MISMATCH) abort();
    return 0;
}
