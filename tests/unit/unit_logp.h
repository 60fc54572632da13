// SPDX-License-Identifier: Apache-2.0
// What the tests of LogP machines share.
#ifndef UNIT_LOGP_H
#define UNIT_LOGP_H

#include "unit.h"
#include "machine/logp/plan.h"
#include "machine/logp/check.h"

struct unit_logp {
    struct crl_logp_problem problem;
    struct crl_logp_schedule schedule;
    struct crl_logp_report report;
    struct crl_diag diag;
};

static inline void logp_open(struct unit_logp *u, const char *machine, const char *name)
{
    struct crl_logp m;
    memset(u, 0, sizeof *u);
    assert_int_equal(crl_logp_parse(&m, machine, &u->diag), 0);
    assert_int_equal(crl_logp_problem_init(&u->problem, name, &m, &u->diag), 0);
}

// Plans with `scheme` (NULL: the default) and checks; the problem's numbers are set before.
static inline int logp_plan(struct unit_logp *u, const char *scheme)
{
    const struct crl_logp_algorithm *algorithm;
    assert_int_equal(crl_logp_problem_ready(&u->problem, &u->diag), 0);
    assert_int_equal(crl_logp_algorithm_find(&algorithm, &u->problem, scheme, &u->diag), 0);
    assert_int_equal(crl_logp_plan(&u->schedule, algorithm, &u->problem, &u->diag), 0);
    return crl_logp_check(&u->report, &u->schedule, &u->problem, &u->diag);
}

static inline void logp_close(struct unit_logp *u)
{
    crl_report_done(&u->report.common);
    crl_logp_schedule_done(&u->schedule);
}

static inline bool logp_found(const struct unit_logp *u, const char *id)
{
    for (size_t i = 0; i < u->report.common.count; i++)
        if (!strcmp(u->report.common.findings[i].kind->id, id)) return true;
    return false;
}

#endif
