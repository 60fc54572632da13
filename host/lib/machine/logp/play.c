// SPDX-License-Identifier: Apache-2.0
// Who plays the tables of LogP machines, and who judges what they end with.
#include "machine/logp/logp.h"
#include "machine/logp/play.h"
#include <stdlib.h>

enum crl_op logp_op(const struct carillon_schedule *schedule)
{
    const char *name = schedule->problem->options.op;
    return name ? crl_op_named(name) : CRL_OP_ADD;
}

static int open_expected(void **self, struct crl_run *run)
{
    return crl_logp_expected_new((struct crl_logp_expected **)self, &logp_schedule_in(run->schedule)->schedule,
                                 logp_image_in(run->image), logp_op(run->schedule), run->seed, run->diag);
}
static struct crl_player expected_player(void *self) { return crl_logp_expected_player(self); }
static void close_expected(void *self) { crl_logp_expected_free(self); }

// Words are judged as they are read back: the RTL holds a few at a time. The first bad verdict stays.
struct rtl {
    struct crl_rtl *engine;
    const struct crl_logp_image *image;
    enum crl_op op;
    uint64_t seed;
    enum carillon_result result;
    struct crl_diag where;
};

static void judge_words(void *self, struct crl_rtl *engine, uint32_t first, uint32_t count)
{
    struct rtl *rtl = self;
    if (rtl->result > CARILLON_OK) return;
    rtl->result = crl_result_named(
        crl_logp_oracle_words(rtl->image, rtl->op, rtl->seed, crl_rtl_logp_memory, engine, first, count, &rtl->where));
}

static int open_rtl(void **self, struct crl_run *run)
{
    struct rtl *rtl = *self = calloc(1, sizeof *rtl);
    if (!rtl) return crl_fail_memory(run->diag);
    *rtl = (struct rtl){.image = logp_image_in(run->image), .op = logp_op(run->schedule), .seed = run->seed};
    struct crl_rtl_options how = {.context = run->schedule->problem->context,
                                  .seed = run->seed,
                                  .wave = run->schedule->problem->options.wave,
                                  .collected = judge_words,
                                  .user = rtl};
    return crl_rtl_logp_new(&rtl->engine, rtl->image, rtl->op, &how, run->diag);
}
static struct crl_player rtl_player(void *self) { return crl_rtl_player(((struct rtl *)self)->engine); }
static int finish_rtl(void *self, struct crl_run *run)
{
    return crl_rtl_finish(((struct rtl *)self)->engine, run->diag);
}
static uint64_t rtl_faults(void *self, char text[160]) { return crl_rtl_faults(((struct rtl *)self)->engine, text); }
static void close_rtl(void *self)
{
    crl_rtl_free(((struct rtl *)self)->engine);
    free(self);
}
static enum carillon_result judge_rtl(void *self, struct crl_run *run, struct crl_diag *where)
{
    const struct rtl *rtl = self;
    (void)run;
    *where = rtl->where;
    return rtl->result;
}

static int open_model(void **self, struct crl_run *run)
{
    return crl_logp_model_new((struct crl_logp_model **)self, logp_image_in(run->image), logp_op(run->schedule),
                              run->seed, run->diag);
}
static struct crl_player model_player(void *self) { return crl_logp_model_player(self); }
static void close_model(void *self) { crl_logp_model_free(self); }
static uint64_t model_faults(void *self, char text[160])
{
    struct crl_logp_faults f = crl_logp_model_faults(self);
    snprintf(text, 160, "first at processor %u, row %u", f.processor, f.row);
    return f.missing + f.unexpected + f.hold + f.conflict + f.outside + f.parity;
}
static enum carillon_result judge_model(void *self, struct crl_run *run, struct crl_diag *where)
{
    return crl_result_named(crl_logp_oracle(logp_image_in(run->image), logp_op(run->schedule), run->seed,
                                            crl_logp_model_memory, self, where));
}

const struct crl_player_kind logp_players[] = {
    {0, "expected", open_expected, expected_player, NULL, NULL, NULL, close_expected},
    {CRL_ENGINE_RTL, "rtl", open_rtl, rtl_player, finish_rtl, rtl_faults, judge_rtl, close_rtl},
    {CRL_ENGINE_MODEL, "model", open_model, model_player, NULL, model_faults, judge_model, close_model},
    {0, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};
