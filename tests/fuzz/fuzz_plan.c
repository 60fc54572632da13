// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a plan of another tool, in the format that $FUZZ_FORMAT names. What is read is laid out and
// judged; what is found valid must survive being written and read again, in every format that has its slots.
#include "format/program.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void again(const struct carillon_schedule *schedule, const char *algorithm, const char *topology,
                  const struct carillon_options *options)
{
    static const char *const formats[] = {"msccl-xml", "mscclpp-json", "goal", "chakra"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct carillon_schedule *other;
        char *text = NULL;
        size_t length = 0;
        struct crl_diag diag;
        FILE *file = open_memstream(&text, &length);
        if (!file) abort();
        int error = carillon_schedule_write(schedule, formats[i], file, &diag);
        if (fclose(file)) abort();
        if (error && error != CRL_ERR_LIMIT) abort();
        file = fmemopen(text, length ? length : 1, "rb");
        if (!error && carillon_import(&other, NULL, algorithm, topology, options, formats[i], file, "again", &diag))
            abort();
        if (!error) carillon_schedule_free(other);
        fclose(file);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {NULL,         "multinode-broadcast", "total-exchange",
                                        "all-reduce", "reduce-scatter",      "reduce",
                                        "scan",       "broadcast",           "scatter"};
    static const char *const networks[] = {"path:2", "ring:4", "complete:4", "hypercube:3"};
    const char *format = getenv("FUZZ_FORMAT");
    if (!format) abort();
    if (size < 2) return 0;
    const char *algorithm = names[bytes[0] % (sizeof names / sizeof *names)];
    const char *topology = networks[bytes[1] % 4];
    struct carillon_options options = carillon_defaults();
    struct carillon_schedule *schedule;
    struct crl_diag diag;
    if (bytes[1] & 4) options.ports = "single";
    FILE *file = fmemopen((void *)(bytes + 2), size - 2 ? size - 2 : 1, "rb");
    if (!file) abort();
    if (!carillon_import(&schedule, NULL, algorithm, topology, &options, format, file, "fuzz", &diag)) {
        char *summary;
        if (!carillon_check(schedule, &diag)) {
            // What the file said of the problem is needed to read ours.
            if (carillon_schedule_summary(schedule, false, &summary, &diag)) abort();
            if (algorithm && !strstr(summary, "\"parts\"") && !strstr(summary, "\"chunks\""))
                again(schedule, algorithm, topology, &options);
            free(summary);
        }
        carillon_schedule_free(schedule);
    }
    fclose(file);
    return 0;
}
