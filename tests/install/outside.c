// SPDX-License-Identifier: Apache-2.0
// A program that knows Carillon only as installed: plans, checks and counts.
#include <carillon/carillon.h>
#include <stdio.h>

int main(void)
{
    struct crl_diag diag = {0};
    struct crl_topology *topology = NULL;
    struct crl_problem problem;
    const struct crl_algorithm *algorithm;
    struct crl_schedule schedule = {0};
    struct crl_report report = {0};
    int error = crl_topology_parse(&topology, "hypercube:3", &diag);
    if (!error) error = crl_problem_init(&problem, "all-to-all", topology, 0, CRL_PORTS_ALL, &diag);
    if (!error) error = crl_algorithm_find(&algorithm, &problem, NULL, &diag);
    if (!error) error = crl_plan(&schedule, algorithm, &problem, &diag);
    if (!error) error = crl_check(&report, &schedule, &problem, &diag);
    if (error) fprintf(stderr, "outside: error %d: %s\n", error, diag.text);
    else
        printf("%s on %s: %llu slots, %llu transmissions\n", crl_problem_name(&problem), crl_topology_name(topology),
               (unsigned long long)report.slots, (unsigned long long)report.transmissions);
    crl_report_done(&report);
    crl_schedule_done(&schedule);
    crl_topology_free(topology);
    return error != 0;
}
