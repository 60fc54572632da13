// SPDX-License-Identifier: Apache-2.0
#include "board_session.h"

static void on_progress(void *user, const char *doing, uint64_t done, uint64_t total)
{
    struct board_session *s = user;
    if (!total) return;
    if (doing != s->doing) {
        if (s->doing) progress_end(&s->progress);
        s->doing = doing;
        progress_begin(&s->progress, doing, total);
    }
    progress_at(&s->progress, done);
}

static bool is_interrupted(void *user)
{
    (void)user;
    return signals_pending();
}

int board_session_open(struct board_session *s, const struct options *options, struct crl_diag *diag)
{
    *s = (struct board_session){.watch = {on_progress, is_interrupted, s}};
    signals_defer(true);
    int error = crl_board_open(&s->board, options->board, options->serial, &s->watch, diag);
    if (error) signals_defer(false);
    return error;
}

int board_session_close(struct board_session *s, int error, struct crl_diag *diag)
{
    if (!s->board) return error;
    crl_board_close(s->board);
    s->board = NULL;
    if (s->doing) progress_end(&s->progress);
    signals_defer(false);
    if (!error && signals_pending()) error = crl_fail(diag, CRL_ERR_INTERRUPTED, "interrupted when all was done");
    return error;
}

void board_summary(const struct board_session *s, json_t *summary)
{
    const struct crl_board_found *found = crl_board_which(s->board);
    json_object_set_new(summary, "board", json_string(found->kind->name));
    json_object_set_new(summary, "serial", json_string(*found->serial ? found->serial : found->place));
}

void board_fault_text(const struct crl_board_state *state, char *text, size_t size)
{
    static const char *const kinds[] = {"missing", "unexpected", "overrun", "parity"};
    enum { KINDS = sizeof kinds / sizeof *kinds, PARITY = 1 << (KINDS - 1) };
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
