// SPDX-License-Identifier: Apache-2.0
#include "board/live.h"
#include "board/watch.h"

int crl_live_begin(struct crl_board *b, const char *design, struct crl_diag *diag)
{
    int error = crl_board_needs(b, crl_board_design_named(design), diag);
    return error ? error : crl_board_control(b, CRL_CONTROL_RESET, "resetting the nodes", diag);
}

int crl_live_load(struct crl_board *b, uint32_t addr, const uint16_t *words, size_t count, struct crl_diag *diag)
{
    b->uart->doing = "loading the nodes";
    return crl_link_write(&b->link, CRL_REGION_TABLES + addr, words, count, diag);
}

int crl_live_use(struct crl_board *b, struct crl_diag *diag)
{
    return crl_board_control(b, CRL_CONTROL_ADOPT, b->uart->doing, diag);
}

int crl_live_play(struct crl_board *b, const uint16_t *list, size_t count, uint32_t slots, uint16_t *record,
                  struct crl_diag *diag)
{
    static const char doing[] = "playing";
    uint16_t played = 0;
    b->uart->doing = doing;
    int error = count ? crl_link_write(&b->link, CRL_REGION_PACKETS, list, count, diag) : 0;
    if (!error) error = crl_link_set(&b->link, CRL_REG_ROUNDS, (uint16_t)slots, diag);
    if (!error) error = crl_board_control(b, CRL_CONTROL_CLEAR, doing, diag);
    if (!error) error = crl_board_start(b, diag);
    if (!error) error = crl_board_wait(b, CRL_STATUS_PLAYING | CRL_STATUS_ENDED, CRL_STATUS_ENDED, doing, diag);
    if (!error) error = crl_link_get(&b->link, CRL_REG_TRACE_CYCLES, &played, diag);
    if (!error && played != slots)
        error = crl_fail(diag, CRL_ERR_DEVICE, "the board has played %u slots, not %u", played, slots);
    b->uart->doing = "reading what the slots did";
    if (!error) error = crl_link_read(&b->link, CRL_REGION_TRACE, record, (size_t)slots * CRL_LIVE_RECORD, diag);
    return error ? error : crl_board_step(b->watch, doing, 0, 0, diag);
}
