// SPDX-License-Identifier: Apache-2.0
// Traces of slot tables for replay pages.
#include "base/base.h"
#include "machine/replay.h"
#include "machine/slots/slots.h"

struct places {
    const struct crl_topology *topology;
    uint32_t phases, round; // link cycles a slot, and a round with the one that only takes in
};

static void place(const void *user, uint64_t step, uint32_t port, struct crl_mark *mark)
{
    const struct places *p = user;
    bool known = mark->src < crl_topology_nodes(p->topology) && port < crl_topology_ports(p->topology);
    mark->slot = (uint32_t)(step % p->round) / p->phases + 1;
    if (known) mark->dst = crl_topology_neighbor(p->topology, mark->src, port);
}

int slots_trace(const struct carillon_schedule *schedule, const struct carillon_image *image, FILE *trace,
                const char *name, bool stopped, struct crl_page *page, struct crl_diag *diag)
{
    const struct crl_problem *problem = slots_said(schedule->problem);
    const struct crl_schedule *s = &slots_schedule_in(schedule)->schedule;
    const struct crl_geometry *g = &slots_image_in(image)->image.geometry;
    struct crl_expected *expected;
    struct places places = {.topology = problem->topology};
    places.phases = problem->ports == CRL_PORTS_SINGLE ? 1 : (uint32_t)crl_ceil_div(g->ports, g->lanes);
    places.round = crl_schedule_slots(s) * places.phases + 1;
    if (g->streams) return crl_fail(diag, CRL_ERR_UNSUPPORTED, "traces of nodes with streams are not replayed");
    int error = crl_expected_new(&expected, s, problem, g, schedule->problem->options.seed, diag);
    if (error) return error;
    const struct crl_replay replay = {.player = crl_expected_player(expected),
                                      .nodes = crl_topology_nodes(problem->topology),
                                      .ports = crl_topology_ports(problem->topology),
                                      .place = place,
                                      .user = &places,
                                      .unit = "slot"};
    error = crl_replay_compare(&replay, trace, name, stopped, page, diag);
    crl_expected_free(expected);
    return error;
}
