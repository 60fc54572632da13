// SPDX-License-Identifier: Apache-2.0
// Who meets whom in a program: sends and receptions, signals and waits, channel by channel.
#include "base/base.h"
#include "format/program.h"
#include <stdlib.h>

static bool gives(const struct crl_step *op) { return op->kind == CRL_STEP_SEND || op->kind == CRL_STEP_SIGNAL; }
static bool takes(const struct crl_step *op) { return op->kind == CRL_STEP_RECV || op->kind == CRL_STEP_WAIT; }

struct end {
    uint32_t from, to;
    uint64_t channel;
    bool signal, taking;
    size_t op;
};

static int by_channel(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return CRL_COMPARE({x->signal, y->signal}, {x->from, y->from}, {x->to, y->to}, {x->channel, y->channel},
                       {x->taking, y->taking}, {x->op, y->op});
}

static bool same_channel(const struct end *a, const struct end *b)
{
    return a->signal == b->signal && a->from == b->from && a->to == b->to && a->channel == b->channel;
}

static int alone(const struct crl_program *p, const struct end *e, struct crl_diag *diag)
{
    static const char *const text[] = {"nobody receives this", "nobody sends this", "nobody waits for this signal",
                                       "nobody gives this signal"};
    return crl_program_fail(p, &p->op[e->op], diag, "%s", text[2 * e->signal + e->taking]);
}

// The first that is given on a channel meets the first that is taken there, and so on.
int crl_program_partners(const struct crl_program *p, size_t *partner, struct crl_diag *diag)
{
    size_t count = 0;
    CRL_OWNED struct end *end = malloc(sizeof *end * (p->ops + 1));
    if (!end) return crl_fail_memory(diag);
    for (size_t i = 0; i < p->ops; i++) {
        const struct crl_step *op = &p->op[i];
        bool taking = takes(op);
        if (!taking && !gives(op)) continue;
        end[count++] = (struct end){taking ? op->peer : op->rank,
                                    taking ? op->rank : op->peer,
                                    op->channel,
                                    op->kind == CRL_STEP_SIGNAL || op->kind == CRL_STEP_WAIT,
                                    taking,
                                    i};
    }
    qsort(end, count, sizeof *end, by_channel);
    int error = 0;
    for (size_t first = 0, next; first < count && !error; first = next) {
        size_t middle = first;
        while (middle < count && same_channel(&end[first], &end[middle]) && !end[middle].taking) middle++;
        for (next = middle; next < count && same_channel(&end[first], &end[next]);) next++;
        size_t given = middle - first, taken = next - middle, least = given < taken ? given : taken;
        for (size_t i = 0; i < least; i++) {
            partner[end[first + i].op] = end[middle + i].op;
            partner[end[middle + i].op] = end[first + i].op;
        }
        if (given != taken) error = alone(p, &end[given > taken ? first + least : middle + least], diag);
    }
    return error;
}
