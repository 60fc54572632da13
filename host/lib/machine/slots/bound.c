// SPDX-License-Identifier: Apache-2.0
// The lower bound of a problem on links, and why it holds: the plain reasons that reach it.
#include "base/base.h"
#include "machine/slots/slots.h"

// Farthest that any packet must go: from or to the root where there is one.
static uint32_t farthest(const struct crl_problem *p)
{
    const struct crl_topology *t = p->topology;
    if (crl_problem_has_root(p)) return crl_topology_eccentricity(t, p->root, p->collective->dests == CRL_ENDS_ROOT);
    uint32_t most = 0, nodes = crl_topology_is_symmetric(t) ? 1 : crl_topology_nodes(t);
    for (uint32_t v = 0; v < nodes; v++) {
        uint32_t far = crl_topology_eccentricity(t, v, false);
        if (far > most) most = far;
    }
    return most;
}

static void add(json_t *why, uint64_t slots, uint64_t bound, json_t *text)
{
    if (slots == bound) json_array_append(why, text);
    json_decref(text);
}

// What lines of a certificate say, in words.
static json_t *explain(const struct crl_problem *p)
{
    const struct crl_certificate *c = &p->priced->reason;
    const struct crl_price *line = c->price;
    uint32_t after = UINT32_MAX, before = UINT32_MAX;
    bool alike = c->prices, ends = c->prices;
    for (size_t i = 0; i < c->prices; i++) {
        alike &= line[i].price == line->price;
        ends &= line[i].payer == line->payer && (line[i].to == line->to || line[i].from == line->from);
        if (line[i].after < after) after = line[i].after;
        if (line[i].before < before) before = line[i].before;
    }
    if (!c->prices) return json_string("a packet has so far to go that it cannot come earlier");
    if (c->prices == 1 && line->payer == CRL_PAYS_SEND && line->from != CRL_NONE)
        return json_sprintf("what must leave node %u after slot %u passes its links, and has %u slot%s to go then",
                            line->from, line->after, line->before, line->before == 1 ? "" : "s");
    if (alike && ends && (line->payer == CRL_PAYS_LINK || line->payer == CRL_PAYS_RECV) && line->to != CRL_NONE)
        return json_sprintf("what must come to node %u passes its links, sent after slot %u", line->to, after);
    if (alike)
        return json_sprintf(
            "what must pass a cut of %zu links fills them, after the first %u slots and before the last %u", c->prices,
            after, before);
    return json_sprintf("prices for %zu links or nodes, under which all packets pay more on their cheapest ways than "
                        "fewer slots can take: --certificate writes them",
                        c->prices);
}

// What takes how long with streams at least.
static void add_streams(json_t *told, const struct carillon_problem *problem)
{
    const struct crl_problem *p = slots_said(problem);
    const struct carillon_options *o = &problem->options;
    uint32_t ports = crl_topology_ports(p->topology), lanes = o->lanes ? o->lanes : ports;
    uint32_t words = o->streams * crl_slot_cycles(&(struct crl_geometry){.ports = ports, .lanes = lanes}, p->ports);
    uint64_t bound, dense, round;
    if (!o->streams || crl_problem_sums(p) || p->demands || crl_problem_bound_round(&round, p, words) ||
        crl_problem_bound_ends(&bound, p, words, 0) || crl_problem_bound_ends(&dense, p, words, round))
        return;
    CRL_TELL(told, {"streams", json_integer(o->streams)}, {"bound_period", crl_json_number(round)},
             {"bound_end_to_end", crl_json_number(bound)}, {"bound_end_to_end_as_dense", crl_json_number(dense)});
}

json_t *slots_bound(const struct carillon_problem *problem)
{
    const struct crl_problem *p = slots_said(problem);
    const struct crl_topology *t = p->topology;
    p->priced->patient = true;
    bool single = p->ports == CRL_PORTS_SINGLE, latency = crl_topology_latency_max(t) > 1;
    uint64_t bound = crl_problem_bound_slots(p), transmissions = crl_problem_bound_transmissions(p);
    uint64_t room = single ? crl_topology_nodes(t) : crl_topology_links(t);
    json_t *why = json_array();
    if (p->hosts)
        add(why, crl_bound_ends(p), bound,
            json_string(
                "what one host must get or give passes its links, of packets from afar only after they have come"));
    if (!latency && !crl_problem_is_partial(p) && !p->hosts && !p->demands) {
        uint32_t far = farthest(p);
        add(why, far, bound, json_sprintf("a packet has %u hops to go, one a slot", far));
        if (transmissions != UINT64_MAX && room)
            add(why, crl_ceil_div(transmissions, room), bound,
                json_sprintf("%llu transmissions are needed, and %llu fit into a slot",
                             (unsigned long long)transmissions, (unsigned long long)room));
        if (crl_problem_for_all(p) && !crl_problem_sums(p)) {
            uint64_t packets = crl_problem_packets(p) - p->parts, ports = crl_ports_in_use(p, 0, true);
            add(why, crl_ceil_div(packets, ports), bound,
                json_sprintf("node 0 must receive %llu packets, at most %llu a slot", (unsigned long long)packets,
                             (unsigned long long)ports));
        }
    }
    if (p->priced->slots && (!latency || crl_topology_latency_min(t) == crl_topology_latency_max(t)))
        add(why, p->priced->slots + crl_topology_latency_min(t) - 1, bound,
            json_sprintf("prices for %s, under which all packets pay more on their cheapest ways than fewer slots can "
                         "take: --certificate writes them",
                         single ? "sending and receiving at nodes" : "links"));
    if (p->priced->reason.slots) add(why, p->priced->reason.slots, bound, explain(p));
    if (p->demands && p->demands->sums)
        add(why, p->priced->flow_slots, bound,
            json_string("what spreads, or in reversed time what is added up, takes as long by itself"));
    else if (p->priced->flow_slots)
        add(why, p->priced->flow_slots, bound,
            json_sprintf("what %s %u passes a cut whose links have fewer slots for it: --certificate writes it",
                         crl_problem_sums(p) ? "is summed at others and starts from" : "must come to node",
                         p->priced->cut_off));
    if (!json_array_size(why))
        json_array_append_new(why,
                              json_string("a finer argument than counting hops, links and packets: docs/schedules.md"));
    json_t *told = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "algorithm", crl_problem_name(p), "topology",
                             crl_topology_name(t), "ports", single ? "single" : "all", "nodes",
                             crl_json_number(crl_topology_nodes(t)), "bound_slots", crl_json_number(bound),
                             "bound_transmissions", crl_json_number(transmissions), "why", why);
    if (((const struct slots_problem *)problem)->least_period)
        json_object_set_new(told, "bound_traffic_period", crl_json_number(crl_problem_bound_period(p)));
    add_streams(told, problem);
    slots_add_time(told, problem, UINT64_MAX, bound);
    return told;
}
