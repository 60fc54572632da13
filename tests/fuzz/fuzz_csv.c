// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a schedule. What parses is judged, alike by one thread and by three; what is found valid
// must also survive lowering and raising.
#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void judge_again(const struct crl_schedule *schedule, const struct crl_problem *problem,
                        const struct crl_report *report)
{
    struct crl_schedule copy;
    struct crl_report other;
    if (schedule->folded && !schedule->listed) return;
    if (crl_schedule_expand(&copy, schedule, NULL)) abort();
    crl_check_on(&other, &copy, problem, 3, NULL);
    if (other.violations != report->violations || other.warnings != report->warnings || other.count != report->count ||
        other.buffer_packets != report->buffer_packets)
        abort();
    for (size_t i = 0; i < other.count; i++)
        if (other.findings[i].row != report->findings[i].row ||
            strcmp(other.findings[i].text, report->findings[i].text))
            abort();
    crl_report_done(&other);
    crl_schedule_done(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"broadcast", "multinode-broadcast", "scatter",
                                        "gather",    "total-exchange",      "prefix",
                                        "packing",   "monotone-routing",    "line-broadcast"};
    enum { NAMES = sizeof names / sizeof *names };
    static const uint32_t active[] = {1, 2, 4, 6}, dests[] = {0, 3, 5, 7}, starts[] = {0, 2, 2, 3, 3, 3, 6, 7, 7};
    if (size < 2) return 0;
    struct crl_topology *topology;
    struct crl_problem problem;
    struct crl_schedule schedule;
    struct crl_report report = {0};
    struct crl_image image = {0};
    struct crl_diag diag;
    bool relative = bytes[0] & 1, single = bytes[0] & 2;
    struct crl_lower_options options = {.lanes = 1 + bytes[0] / 4 % 3, .words = 1, .data_width = 32};
    if (crl_topology_parse(&topology, "hypercube:3", &diag)) abort();
    if (crl_problem_init(&problem, names[bytes[1] % NAMES], topology, bytes[1] / NAMES % 8,
                         single ? CRL_PORTS_SINGLE : CRL_PORTS_ALL, &diag))
        abort();
    if ((crl_problem_is_partial(&problem) && crl_problem_set_active(&problem, active, 4, 1, &diag)) ||
        (crl_problem_routes(&problem) && crl_problem_set_dests(&problem, dests, 4, &diag)) ||
        (crl_problem_has_lines(&problem) && crl_problem_set_lines(&problem, starts, 1, 1, &diag)))
        abort();
    FILE *file = fmemopen((void *)(bytes + 2), size - 2 ? size - 2 : 1, "rb");
    if (!file) abort();
    crl_schedule_init(&schedule, topology, crl_problem_naming(&problem), relative);
    int error = crl_schedule_read_csv(&schedule, file, "fuzz", &diag);
    if (!error) {
        error = crl_check(&report, &schedule, &problem, &diag);
        if (error != CRL_ERR_ARGUMENT) judge_again(&schedule, &problem, &report);
    }
    if (!error) {
        struct crl_schedule raised;
        if (!relative) crl_schedule_fold(&schedule);
        if (crl_schedule_slots(&schedule) < 1000 && !crl_lower(&image, &schedule, &problem, "fuzz", &options, &diag)) {
            if (crl_raise(&raised, &image, &problem, &diag)) abort();
            if (raised.count != schedule.count) abort();
            crl_schedule_done(&raised);
            crl_image_done(&image);
        }
    }
    crl_report_done(&report);
    crl_schedule_done(&schedule);
    crl_topology_free(topology);
    fclose(file);
    return 0;
}
