// SPDX-License-Identifier: Apache-2.0
// What options say of runs of boards with clocks of their own, and what these did.
#include "machine/slots/slots.h"
#include <string.h>

enum { CYCLES_A_US = 100, US_MAX = 1000000 }; // clocks are of 100 MHz

static uint32_t rounds_of(const struct crl_run *run) { return run->schedule->problem->options.rounds; }

static bool skip(const char **text, char c) { return **text == c && (*text)++; }

// "5-60" or "20": cycles from 1 to 1000; NULL: none. False where it is neither.
static bool read_cable(const char *text, uint32_t *least, uint32_t *most)
{
    *least = *most = 0;
    if (!text) return true;
    if (!crl_topology_number(&text, least)) return false;
    *most = *least;
    if (skip(&text, '-') && !crl_topology_number(&text, most)) return false;
    return !*text && *least && *least <= *most && *most <= 1000;
}

static int check_round(const char *option, uint32_t round, const struct crl_run *run)
{
    if (round && round <= rounds_of(run)) return 0;
    return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--%s names round '%u', but rounds 1 to %u are played", option, round,
                    rounds_of(run));
}

// CABLE@ROUND, and +US after which the cable is good again; NULL: none.
static int read_outage(struct crl_cable_outage *out, const char *option, const char *text, const struct crl_run *run,
                       uint32_t cables)
{
    uint32_t us = 0;
    const char *at = text;
    if (!text) return 0;
    bool reads = crl_topology_number(&at, &out->cable) && skip(&at, '@') && crl_topology_number(&at, &out->round);
    if (reads && skip(&at, '+')) reads = crl_topology_number(&at, &us) && us && us <= US_MAX;
    if (!reads || *at)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT,
                        "--%s needs CABLE@ROUND, or with microseconds to %d CABLE@ROUND+US, not '%s'", option, US_MAX,
                        text);
    out->cycles = (uint64_t)us * CYCLES_A_US;
    if (out->cable >= cables)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--%s names cable '%u', but the cables are 0 to %u", option,
                        out->cable, cables - 1);
    return check_round(option, out->round, run);
}

static int find_board(uint32_t *board, const char *option, const char *text, size_t length, const struct crl_run *run)
{
    *board = crl_names_find(&crl_topology_boards(slots_said(run->image->problem)->topology)->names, text, length);
    if (*board != CRL_NONE) return 0;
    return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--%s: there is no board '%.*s'", option, (int)length, text);
}

// BOARD@ROUND; NULL: none.
static int read_reboot(struct crl_rtl_options *how, const char *text, const struct crl_run *run)
{
    const char *at = text ? strchr(text, '@') : NULL, *round = at ? at + 1 : NULL;
    if (!text) return 0;
    if (!at || !crl_topology_number(&round, &how->reboot_round) || *round)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--reboot needs BOARD@ROUND, not '%s'", text);
    int error = find_board(&how->rebooted, "reboot", text, (size_t)(at - text), run);
    return error ? error : check_round("reboot", how->reboot_round, run);
}

bool slots_own_clocks(const struct crl_run *run)
{
    const struct crl_geometry *g = &slots_image_in(run->image)->image.geometry;
    return crl_topology_boards(slots_said(run->image->problem)->topology) && g->streams;
}

int slots_boards_read(struct crl_rtl_options *how, struct crl_cable **cables, const struct crl_run *run)
{
    const struct carillon_options *o = &run->schedule->problem->options;
    *cables = NULL;
    const char *given = crl_option_given(o, "ppm cable cable-errors unplug noise reboot other-plan");
    if (given && !slots_own_clocks(run))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--%s is for --boards whose nodes have streams", given);
    if (!slots_own_clocks(run)) return 0;
    if (crl_cables_list(cables, &how->cable_count, &slots_schedule_in(run->schedule)->schedule))
        return crl_fail_memory(run->diag);
    how->cables = *cables;
    if (!read_cable(o->cable, &how->cable_least, &how->cable_most))
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--cable needs cycles from 1 to 1000, as in 5-60, not '%s'",
                        o->cable);
    if (o->cable_errors > 0.1)
        return crl_fail(run->diag, CRL_ERR_ARGUMENT, "--cable-errors needs a chance from 0 to 0.1");
    if (o->wave && run->engines & CRL_ENGINE_RTL)
        return crl_fail(run->diag, CRL_ERR_UNSUPPORTED, "--wave needs one clock, and these boards have their own");
    how->ppm = o->ppm;
    how->cable_errors = o->cable_errors;
    how->outage[1].noise = true;
    const uint32_t count = crl_rtl_cables(*cables, how->cable_count);
    int error = read_outage(&how->outage[0], "unplug", o->unplug, run, count);
    if (!error) error = read_outage(&how->outage[1], "noise", o->noise, run, count);
    if (!error) error = read_reboot(how, o->reboot, run);
    if (!error && o->other_plan) {
        how->has_stranger = true;
        error = find_board(&how->stranger, "other-plan", o->other_plan, strlen(o->other_plan), run);
    }
    return error;
}

static json_t *number_if(bool there, uint64_t number) { return there ? crl_json_number(number) : json_null(); }

void slots_boards_summary(json_t *summary, const struct carillon_image *image)
{
    const struct crl_board_times *did = &slots_image_in(image)->boards;
    const struct crl_board_wait *wait = &did->longest;
    const struct crl_boards *boards = crl_topology_boards(slots_said(image->problem)->topology);
    if (!did->played) return;
    bool timed = did->cycles_a_round > 0, waited = wait->cycles;
    CRL_TELL(summary, {"cycles_a_round", timed ? json_real(did->cycles_a_round) : json_null()},
             {"stalls", crl_json_number(did->stalls)}, {"repetitions", crl_json_number(did->repetitions)},
             {"peaks", crl_json_number(did->peak)}, {"longest_wait", crl_json_number(wait->cycles)});
    json_object_set_new(summary, "wait_board",
                        waited ? json_string(crl_names_at(&boards->names, wait->board)) : json_null());
    CRL_TELL(summary, {"wait_cable", number_if(waited, wait->cable)}, {"wait_row", number_if(waited, wait->row)},
             {"wait_round", number_if(waited, wait->round)});
}
