// SPDX-License-Identifier: Apache-2.0
// Schedules that took long to find, in the cache.
#ifndef CRL_RECALL_H
#define CRL_RECALL_H

#include "schedule/schedule.h"

// The name under which a schedule is kept that took long to find: by a scheme, the network, and a hash of what else
// there is to the problem.
struct crl_recall {
    const struct crl_problem *problem;
    uint64_t hash;
    char entry[64];
};
void crl_recall_name(struct crl_recall *recall, const struct crl_problem *problem, const char *scheme, uint64_t of);
// Replaces the schedule by one that was kept; false: there is none.
bool crl_recall(struct crl_schedule *schedule, const struct crl_recall *recall);
// Keeps a schedule in canonical order, if there is a cache.
void crl_recall_store(const struct crl_schedule *schedule, const struct crl_recall *recall);

#endif
