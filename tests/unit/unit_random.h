// SPDX-License-Identifier: Apache-2.0
// Random schedules that are valid, as no algorithm would make them: any shortest paths, delays, detours, rows for
// nothing.
#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include "unit.h"

enum { RANDOM_NODES = 16, RANDOM_SLOTS = 2048 };

struct random_maker {
    struct unit *u;
    uint64_t random;
    uint32_t delay;                           // a packet waits less than this many slots before it looks for a free one
    bool used[RANDOM_SLOTS][RANDOM_NODES][4]; // links
    bool sends[RANDOM_SLOTS][RANDOM_NODES], receives[RANDOM_SLOTS][RANDOM_NODES];
    uint32_t arrival[RANDOM_NODES * RANDOM_NODES][RANDOM_NODES]; // by packet and node; CRL_NONE: not there
};

// Sends packet number `packet` from src over `port` in the first free slot after it came and a random delay.
static inline void random_hop(struct random_maker *m, uint64_t packet, uint32_t src, uint32_t port)
{
    uint32_t dst = src ^ 1u << port, slot = m->arrival[packet][src] + 1 + unit_below(&m->random, m->delay + 1), origin,
             dest;
    bool single = m->u->problem.ports == CRL_PORTS_SINGLE;
    while (slot < RANDOM_SLOTS &&
           (m->used[slot][src][port] || (single && (m->sends[slot][src] || m->receives[slot][dst]))))
        slot++;
    assert_true(slot < RANDOM_SLOTS);
    m->used[slot][src][port] = m->sends[slot][src] = m->receives[slot][dst] = true;
    crl_problem_packet(&m->u->problem, packet, &origin, &dest);
    unit_add(m->u, slot, src, dst, origin, dest);
    if (m->arrival[packet][dst] > slot) m->arrival[packet][dst] = slot;
}

static inline void random_path(struct random_maker *m, uint64_t packet, uint32_t at, uint32_t dest, uint32_t ports)
{
    while (at != dest) {
        uint32_t port;
        do port = unit_below(&m->random, ports);
        while (!((at ^ dest) >> port & 1));
        if (m->arrival[packet][at ^ 1u << port] == CRL_NONE) random_hop(m, packet, at, port);
        at ^= 1u << port;
    }
}

static inline void random_tree(struct random_maker *m, uint64_t packet, uint32_t ports)
{
    for (uint32_t informed = 1; informed < 1u << ports;) {
        uint32_t v = unit_below(&m->random, 1u << ports), port = unit_below(&m->random, ports);
        if (m->arrival[packet][v] == CRL_NONE || m->arrival[packet][v ^ 1u << port] != CRL_NONE) continue;
        random_hop(m, packet, v, port);
        informed++;
    }
}

// Opens u with a random valid schedule on the d-cube, d ≤ 4. `extra` rows bring packets where they are already or are
// not wanted.
static inline void random_schedule(struct unit *u, const char *collective, uint32_t d, enum crl_ports ports,
                                   uint32_t delay, uint32_t extra, uint64_t seed)
{
    struct random_maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->random = seed;
    m->delay = delay;
    m->u = u;
    unit_open(u, collective, d, unit_below(&m->random, 1u << d), ports);
    uint64_t packets = crl_problem_packets(&u->problem);
    memset(m->arrival, 0xff, sizeof m->arrival);
    for (uint64_t k = 0; k < packets; k++) {
        uint32_t origin, dest;
        crl_problem_packet(&u->problem, k, &origin, &dest);
        m->arrival[k][origin] = 0;
        if (crl_problem_naming(&u->problem) == CRL_NAMING_PAIR) random_path(m, k, origin, dest, d);
        else random_tree(m, k, d);
    }
    while (extra) {
        uint64_t k = unit_below(&m->random, packets);
        uint32_t v = unit_below(&m->random, 1u << d);
        if (m->arrival[k][v] == CRL_NONE) continue;
        random_hop(m, k, v, unit_below(&m->random, d));
        extra--;
    }
    free(m);
    struct crl_report report;
    assert_int_equal(unit_check(u, &report), 0);
    crl_report_done(&report);
}

#endif
