// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a schedule of a LogP machine. What parses is judged; what is found valid must survive being
// written and read again, and can be exported.
#include "machine/logp/plan.h"
#include "machine/logp/check.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void write_and_read(struct crl_logp_schedule *schedule, const struct crl_logp_problem *problem)
{
    struct crl_logp_schedule again = {0};
    struct crl_diag diag;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file || crl_logp_write_csv(schedule, file, &diag) || fclose(file)) abort();
    file = fmemopen(text, length, "rb");
    if (!file || crl_logp_read_csv(&again, &problem->machine, file, "again", &diag)) abort();
    if (again.count != schedule->count || again.buffered != schedule->buffered) abort();
    fclose(file);
    free(text);
    crl_logp_schedule_done(&again);
    file = fopen("/dev/null", "w");
    if (!file || crl_logp_write_goal(schedule, problem, file, &diag)) abort();
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {
        "broadcast",           "k-item-broadcast", "all-to-all-broadcast", "all-to-all-personalized",
        "combining-broadcast", "summation",        "continuous-broadcast"};
    static const struct crl_logp machines[] = {{6, 2, 0, 1}, {5, 4, 1, 2}};
    struct crl_logp_problem problem;
    struct crl_logp_schedule schedule = {0};
    struct crl_logp_report report = {0};
    struct crl_diag diag;
    if (size < 2) return 0;
    if (crl_logp_problem_init(&problem, names[bytes[0] % 7], &machines[bytes[1] & 1], &diag)) abort();
    problem.full_duplex = bytes[1] & 2;
    if (problem.kind == CRL_LOGP_K_ITEM || problem.kind == CRL_LOGP_CONTINUOUS) problem.items = 3;
    if (problem.kind == CRL_LOGP_SUMMATION) problem.operands = 20;
    FILE *file = fmemopen((void *)(bytes + 2), size - 2 ? size - 2 : 1, "rb");
    if (!file) abort();
    if (!crl_logp_read_csv(&schedule, &problem.machine, file, "fuzz", &diag) &&
        !crl_logp_check(&report, &schedule, &problem, &diag))
        write_and_read(&schedule, &problem);
    crl_report_done(&report.common);
    crl_logp_schedule_done(&schedule);
    fclose(file);
    return 0;
}
