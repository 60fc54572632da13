// SPDX-License-Identifier: Apache-2.0
// The network as a SimGrid platform: a host a node, a link a direction, and the shortest routes by Floyd's algorithm.
#include "base/base.h"
#include "format/format.h"
#include <stdlib.h>
#include <string.h>

// A decimal number and one of these units.
static bool is_quantity(const char *text, const char *units)
{
    size_t digits = strspn(text, "0123456789");
    const char *unit = text + digits;
    if (*unit == '.') {
        size_t more = strspn(unit + 1, "0123456789");
        digits += more;
        unit += more + 1;
    }
    return digits && *unit && crl_word_among(units, unit);
}

static int look_at(const struct crl_plan *plan, struct crl_diag *diag)
{
    static const char times[] = "s ms us ns ps",
                      rates[] = "Bps kBps KBps MBps GBps TBps KiBps MiBps GiBps bps kbps Mbps Gbps Tbps";
    if (!plan->latency || !plan->bandwidth)
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "what are the links like? Say --latency and --bandwidth, as in --latency 1us --bandwidth "
                        "10Gbps");
    if (!is_quantity(plan->latency, times))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--latency is a time, as in 1.5us, not '%s'", plan->latency);
    if (!is_quantity(plan->bandwidth, rates))
        return crl_fail(diag, CRL_ERR_ARGUMENT, "--bandwidth is a rate, as in 10Gbps or 1.25GBps, not '%s'",
                        plan->bandwidth);
    return 0;
}

int crl_write_platform(const struct crl_plan *plan, FILE *file, struct crl_diag *diag)
{
    const struct crl_topology *t = plan->schedule->topology;
    uint32_t nodes = crl_topology_nodes(t), ports = crl_topology_ports(t);
    int error = look_at(plan, diag);
    if (error) return error;
    fputs("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n  <zone id=\"",
          file);
    crl_write_escaped(crl_topology_name(t), file);
    fputs("\" routing=\"Floyd\">\n", file);
    for (uint32_t v = 0; v < nodes; v++) fprintf(file, "    <host id=\"node-%u\" speed=\"1Gf\"/>\n", v);
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE) continue;
            // The latency that is given is that of a link of one slot.
            char *unit;
            double latency = strtod(plan->latency, &unit) * crl_topology_latency(t, v, p);
            fprintf(file, "    <link id=\"link-%u-%u\" bandwidth=\"%s\" latency=\"%.12g%s\"/>\n", v, to,
                    plan->bandwidth, latency, unit);
        }
    for (uint32_t v = 0; v < nodes; v++)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t to = crl_topology_neighbor(t, v, p);
            if (to == CRL_NONE) continue;
            fprintf(file,
                    "    <route src=\"node-%u\" dst=\"node-%u\" symmetrical=\"NO\"><link_ctn id=\"link-%u-%u\"/>"
                    "</route>\n",
                    v, to, v, to);
        }
    fputs("  </zone>\n</platform>\n", file);
    return ferror(file) ? crl_fail(diag, CRL_ERR_IO, "cannot write the platform") : 0;
}
