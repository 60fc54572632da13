// SPDX-License-Identifier: Apache-2.0
#include "machine/board_session.h"
#include "base/context.h"
#include <stdlib.h>

int crl_board_session_open(struct crl_board_session **out, const struct crl_context *context,
                           const struct carillon_options *options, struct crl_diag *diag)
{
    struct crl_board_session *s = *out = calloc(1, sizeof *s);
    if (!s) return crl_fail_memory(diag);
    s->context = context;
    if (context) s->watch = (struct crl_board_watch){context->progress, context->cancelled, context->user};
    crl_context_hold(context, true);
    int error = crl_board_open(&s->board, options->board, options->serial, &s->watch, diag);
    if (!error) return 0;
    crl_context_hold(context, false);
    free(s);
    *out = NULL;
    return error;
}

int crl_board_session_close(struct crl_board_session **session, int error, struct crl_diag *diag)
{
    struct crl_board_session *s = *session;
    if (!s) return error;
    const struct crl_context *context = s->context;
    crl_board_close(s->board);
    free(s);
    *session = NULL;
    bool stopped = context && context->cancelled && context->cancelled(context->user);
    crl_context_hold(context, false);
    return stopped && !error ? crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted when all was done") : error;
}

const char *crl_board_session_name(const struct crl_board_session *session)
{
    return crl_board_which(session->board)->kind->name;
}

const char *crl_board_session_serial(const struct crl_board_session *session)
{
    const struct crl_board_found *found = crl_board_which(session->board);
    return *found->serial ? found->serial : found->place;
}

void crl_board_fault_text(const struct crl_board_state *state, char *text, size_t size)
{
    static const char *const kinds[] = {"missing", "unexpected", "overrun", "parity", "starved"};
    enum { KINDS = sizeof kinds / sizeof *kinds, PARITY = 1 << 3 };
    *text = 0;
    for (uint32_t v = 0; v < sizeof state->fault / sizeof *state->fault; v++) {
        uint32_t found = state->fault[v].kinds;
        if (!found) continue;
        size_t used = (size_t)snprintf(text, size, "node %u:", v);
        for (int k = 0; k < KINDS && used < size; k++)
            if (found >> k & 1) used += (size_t)snprintf(text + used, size - used, " %s", kinds[k]);
        if (used < size)
            snprintf(text + used, size - used, ", ports %x, row %u", state->fault[v].ports,
                     found & ~PARITY ? state->fault[v].row : state->fault[v].parity_row);
        return;
    }
}
