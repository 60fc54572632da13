// SPDX-License-Identifier: Apache-2.0
// LogP machines: what the commands do on -t logp:…
#ifndef CRL_LOGP_CLI_H
#define CRL_LOGP_CLI_H

#include "cli.h"
#include "algorithm/logp.h"
#include "check/logp_check.h"

// As struct job.
struct logp_job {
    struct crl_logp_problem problem;
    const struct crl_logp_algorithm *algorithm; // NULL where the schedule came from a file
    const char *scheme;
    struct crl_logp_schedule schedule;
    struct crl_logp_report report;
    struct crl_diag diag;
};
bool logp_wanted(const struct options *options); // the topology is a LogP machine
int logp_job_problem(struct logp_job *job, const struct options *options, const char *algorithm);
int logp_job_plan(struct logp_job *job, const struct options *options, const char *from); // or reads `from`
int logp_job_check(struct logp_job *job);
void logp_job_done(struct logp_job *job);
json_t *logp_job_summary(const struct logp_job *job);

int logp_command_plan(const struct options *options);
int logp_command_check(const struct options *options);

#endif
