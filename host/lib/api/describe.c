// SPDX-License-Identifier: Apache-2.0
// What a network is made of, for programs that have graphs of their own.
#include "api/machine.h"
#include "topology/names.h"
#include "topology/topology.h"
#include <stdlib.h>

static json_t *hosts_of(const struct crl_topology *t)
{
    uint32_t count;
    const uint32_t *hosts = crl_topology_hosts(t, &count);
    json_t *list = json_array();
    if (!hosts) count = crl_topology_nodes(t);
    for (uint32_t i = 0; i < count; i++) json_array_append_new(list, json_integer(hosts ? hosts[i] : i));
    return list;
}

static json_t *names_of(const struct crl_topology *t)
{
    const struct crl_names *names = crl_topology_names(t);
    if (!names || !names->count) return json_null();
    json_t *list = json_array();
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
        json_array_append_new(list, json_string(crl_names_at(names, v)));
    return list;
}

// A link of several ports counts at the first of them.
static json_t *links_of(const struct crl_topology *t)
{
    json_t *list = json_array();
    for (uint32_t v = 0; v < crl_topology_nodes(t); v++)
        for (uint32_t p = 0; p < crl_topology_ports(t); p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE || crl_topology_port_to(t, v, to) != p) continue;
            json_array_append_new(list, json_pack("[I, I, I, I]", (json_int_t)v, (json_int_t)to,
                                                  (json_int_t)crl_topology_width(t, v, to),
                                                  (json_int_t)crl_topology_link_latency(t, v, to)));
        }
    return list;
}

static int parse(struct crl_topology **out, const char *topology, struct crl_diag *diag)
{
    if (crl_topology_is_linkless(topology))
        return crl_fail(diag, CRL_ERR_UNSUPPORTED, "'%s' is a machine without links", topology);
    return crl_topology_parse(out, topology, diag);
}

int carillon_topology_describe(const char *topology, char **json, struct crl_diag *diag)
{
    struct crl_topology *t;
    *json = NULL;
    int error = parse(&t, topology, diag);
    if (error) return error;
    json_t *told =
        json_pack("{s:s, s:I, s:o, s:o, s:o}", "topology", crl_topology_name(t), "nodes",
                  (json_int_t)crl_topology_nodes(t), "hosts", hosts_of(t), "names", names_of(t), "links", links_of(t));
    crl_topology_free(t);
    return crl_json_text(told, json, diag);
}

int carillon_topology_hosts(const char *topology, uint32_t **hosts, uint32_t *count, struct crl_diag *diag)
{
    struct crl_topology *t;
    *hosts = NULL;
    *count = 0;
    int error = parse(&t, topology, diag);
    if (error) return error;
    const uint32_t *listed = crl_topology_hosts(t, count);
    if (!listed) *count = crl_topology_nodes(t);
    *hosts = malloc(sizeof **hosts * (*count + UINT64_C(1)));
    for (uint32_t i = 0; *hosts && i < *count; i++) (*hosts)[i] = listed ? listed[i] : i;
    crl_topology_free(t);
    return *hosts ? 0 : crl_fail_memory(diag);
}
