// SPDX-License-Identifier: Apache-2.0
// What each collective must achieve on a LogP machine.
#include "base/base.h"
#include "machine/logp/problem.h"
#include <string.h>

static const struct collective {
    const char *name, *alias;
    bool has_items; // the user says how many
    bool combines;
} collectives[] = {
    [CRL_LOGP_BROADCAST] = {"broadcast", NULL, false, false},
    [CRL_LOGP_K_ITEM] = {"k-item-broadcast", NULL, true, false},
    [CRL_LOGP_CONTINUOUS] = {"continuous-broadcast", NULL, true, false},
    [CRL_LOGP_ALL_TO_ALL_BROADCAST] = {"all-to-all-broadcast", "multinode-broadcast", false, false},
    [CRL_LOGP_ALL_TO_ALL_PERSONALIZED] = {"all-to-all-personalized", "total-exchange", false, false},
    [CRL_LOGP_COMBINING] = {"combining-broadcast", "all-reduce", false, true},
    [CRL_LOGP_SUMMATION] = {"summation", "reduce", false, true},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static int find(const char *name)
{
    for (int i = 0; i < COLLECTIVES; i++)
        if (!strcmp(name, collectives[i].name) || (collectives[i].alias && !strcmp(name, collectives[i].alias)))
            return i;
    return -1;
}

bool crl_logp_collective_known(const char *name) { return find(name) >= 0; }

static int fail_unknown(const char *name, struct crl_diag *diag)
{
    struct carillon_nearest nearest = {.word = name};
    char hint[96];
    for (int i = 0; i < COLLECTIVES; i++) {
        crl_nearest_try(&nearest, collectives[i].name);
        if (collectives[i].alias) crl_nearest_try(&nearest, collectives[i].alias);
    }
    return crl_fail(diag, CRL_ERR_ARGUMENT,
                    "'%.80s' is no algorithm for a LogP machine; 'carillon list' shows what there is%s", name,
                    crl_did_you_mean(&nearest, hint));
}

int crl_logp_problem_init(struct crl_logp_problem *problem, const char *name, const struct crl_logp *machine,
                          struct crl_diag *diag)
{
    int kind = find(name);
    if (kind < 0) return fail_unknown(name, diag);
    *problem = (struct crl_logp_problem){.machine = *machine, .kind = (enum crl_logp_kind)kind};
    return 0;
}

static int sum_ready(const struct crl_logp_problem *p, struct crl_diag *diag)
{
    if (!p->time && !p->operands)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "how much is to be added? Say --time T or --operands N");
    if (!p->time || !p->operands) return 0;
    uint64_t most = crl_logp_operands_in(&p->machine, p->time);
    if (most == UINT64_MAX) return crl_fail_memory(diag);
    if (p->operands > most)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "'%llu' operands cannot be added by time %u: at most %llu can",
                        (unsigned long long)p->operands, p->time, (unsigned long long)most);
    return 0;
}

int crl_logp_problem_ready(const struct crl_logp_problem *p, struct crl_diag *diag)
{
    const struct collective *c = &collectives[p->kind];
    if (c->has_items && !p->items) return crl_fail(diag, CRL_ERR_ARGUMENT, "how many items? Say --items K");
    if (!c->has_items && p->items)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--items is for broadcasts of several items, not for %s", c->name);
    if (p->kind == CRL_LOGP_SUMMATION) return sum_ready(p, diag);
    if (p->time || p->operands)
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--time and --operands are for summation, not for %s", c->name);
    if (crl_logp_items(p) >= UINT32_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "%s among %u processors has too many items", c->name, p->machine.P);
    return 0;
}

const char *crl_logp_problem_name(const struct crl_logp_problem *p) { return collectives[p->kind].name; }
bool crl_logp_combines(const struct crl_logp_problem *p) { return collectives[p->kind].combines; }

uint64_t crl_logp_items(const struct crl_logp_problem *p)
{
    uint64_t P = p->machine.P;
    switch (p->kind) {
    case CRL_LOGP_K_ITEM:
    case CRL_LOGP_CONTINUOUS: return p->items;
    case CRL_LOGP_ALL_TO_ALL_BROADCAST: return P;
    case CRL_LOGP_ALL_TO_ALL_PERSONALIZED: return P * P;
    case CRL_LOGP_COMBINING: return 2;
    default: return 1;
    }
}

bool crl_logp_item_exists(const struct crl_logp_problem *p, uint32_t item)
{
    if (item >= crl_logp_items(p)) return false;
    return p->kind != CRL_LOGP_ALL_TO_ALL_PERSONALIZED || item / p->machine.P != item % p->machine.P;
}

uint32_t crl_logp_item_origin(const struct crl_logp_problem *p, uint32_t item)
{
    if (p->kind == CRL_LOGP_ALL_TO_ALL_PERSONALIZED) return item / p->machine.P;
    return p->kind == CRL_LOGP_ALL_TO_ALL_BROADCAST ? item : 0;
}

uint64_t crl_logp_item_since(const struct crl_logp_problem *p, uint32_t item)
{
    return p->kind == CRL_LOGP_CONTINUOUS ? (uint64_t)item * crl_logp_spacing(&p->machine) : 0;
}

bool crl_logp_item_wanted(const struct crl_logp_problem *p, uint32_t item, uint32_t processor)
{
    return p->kind != CRL_LOGP_ALL_TO_ALL_PERSONALIZED || processor == item % p->machine.P;
}
