// SPDX-License-Identifier: Apache-2.0
// Gate control lists of IEEE 802.1Qbv, as JSON that follows the names of the YANG modules ieee802-dot1q-sched and
// -sched-bridge: a switch a node, an interface a port. In a slot in which a port sends, the gate of the highest traffic
// class alone is open; else all others are. Of periodic traffic the cycle is its period.
#include "base/base.h"
#include "format/format.h"
#include <jansson.h>
#include <stdlib.h>

enum { OPEN = 1 << 7, OTHERS = OPEN - 1 };

// An entry lasts as long as the gates stay as they are.
static void add_entry(json_t *list, uint64_t slots, bool open, uint32_t slot_ns)
{
    if (!slots) return;
    json_array_append_new(list,
                          json_pack("{s:I, s:s, s:I, s:i}", "index", (json_int_t)json_array_size(list),
                                    "operation-name", "ieee802-dot1q-sched:set-gate-states", "time-interval-value",
                                    (json_int_t)(slots * slot_ns), "gate-states-value", open ? OPEN : OTHERS));
}

// `sends` has a bit for each slot of one port.
static json_t *interface(uint32_t port, const bool *sends, uint32_t slots, uint32_t slot_ns)
{
    json_t *list = json_array();
    uint32_t since = 0;
    for (uint32_t s = 1; s <= slots; s++)
        if (s == slots || sends[s] != sends[since]) {
            add_entry(list, s - since, sends[since], slot_ns);
            since = s;
        }
    return json_pack("{s:o, s:s, s:{s:{s:b, s:i, s:{s:o}, s:{s:I, s:i}, s:b}}}", "name", json_sprintf("port%u", port),
                     "type", "iana-if-type:ethernetCsmacd", "ieee802-dot1q-bridge:bridge-port",
                     "ieee802-dot1q-sched-bridge:gate-parameter-table", "gate-enabled", 1, "admin-gate-states", OTHERS,
                     "admin-control-list", "gate-control-entry", list, "admin-cycle-time", "numerator",
                     (json_int_t)((uint64_t)slots * slot_ns), "denominator", 1000000000, "config-change", 1);
}

static json_t *bridge(const struct crl_plan *plan, uint32_t node, const uint32_t *start, const uint32_t *order,
                      bool *sends, uint32_t slots)
{
    const struct crl_topology *t = plan->schedule->topology;
    json_t *interfaces = json_array();
    for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
        uint32_t to = crl_topology_neighbor(t, node, p);
        if (to == CRL_NONE) continue;
        for (uint32_t s = 0; s < slots; s++) sends[s] = false;
        for (uint32_t i = start[node]; i < start[node + 1]; i++) {
            const struct crl_move *m = &plan->schedule->moves[order[i]];
            if (m->dst == to) sends[(m->slot - 1) % slots] = true;
        }
        json_array_append_new(interfaces, interface(p, sends, slots, plan->slot_ns));
    }
    return json_pack("{s:I, s:{s:o}}", "node", (json_int_t)node, "ietf-interfaces:interfaces", "interface", interfaces);
}

static uint64_t source_key(const void *moves, uint32_t i) { return ((const struct crl_move *)moves)[i].src; }

int crl_write_gates(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    const struct crl_schedule *s = plan->schedule;
    uint32_t nodes = crl_topology_nodes(s->topology), count = (uint32_t)s->count;
    uint32_t period = s->demands ? s->demands->modulo : 0, slots = period ? period : crl_schedule_slots(s);
    if (crl_topology_latency_max(s->topology) > 1)
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "gate control lists are for links that take one slot");
    if ((uint64_t)slots * plan->slot_ns > UINT32_MAX)
        return crl_fail(diag, CRL_ERR_LIMIT, "a cycle of '%u' slots of %u ns is longer than 2^32 ns", slots,
                        plan->slot_ns);
    CRL_OWNED uint32_t *order = malloc(sizeof *order * (count + UINT64_C(1)));
    CRL_OWNED uint32_t *start = calloc(nodes + UINT64_C(1), sizeof *start);
    CRL_OWNED bool *sends = calloc(slots + UINT64_C(1), sizeof *sends);
    int error = order && start && sends ? 0 : crl_fail_memory(diag);
    for (uint32_t i = 0; i < count && !error; i++) {
        order[i] = i;
        start[s->moves[i].src + 1]++;
    }
    if (!error && crl_sort_order(order, count, source_key, s->moves, nodes)) error = crl_fail_memory(diag);
    for (uint32_t v = 0; v < nodes && !error; v++) start[v + 1] += start[v];
    if (!error) fputs("[\n", file);
    for (uint32_t v = 0; v < nodes && !error; v++) {
        json_t *one = bridge(plan, v, start, order, sends, slots);
        if (!one || json_dumpf(one, file, JSON_INDENT(1))) error = crl_fail_memory(diag);
        json_decref(one);
        fputs(v + 1 < nodes ? ",\n" : "\n]\n", file);
    }
    if (!error && ferror(file)) error = crl_fail(diag, CRL_ERR_IO, "cannot write the gate control lists");
    return error;
}
