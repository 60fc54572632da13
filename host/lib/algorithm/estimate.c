// SPDX-License-Identifier: Apache-2.0
#include "algorithm/estimate.h"
#include "base/memory.h"

struct crl_plan_estimate crl_plan_estimate_of(const struct crl_plan_cost *cost, uint64_t rows, uint64_t nodes,
                                              uint64_t queued)
{
    enum { ROW_NS = 60, NODE_BYTES = 512 }; // where the row does not say; distances, queues and trees
    struct crl_plan_estimate e = {.rows = rows};
    double ns = (double)rows * (cost->row_ns ? cost->row_ns : ROW_NS);
    double bytes = (double)rows * CRL_PLAN_ROW_BYTES + (double)nodes * NODE_BYTES +
                   (double)nodes * (double)nodes * cost->pair_bytes + (double)queued * cost->port_bytes;
    e.bytes = bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX;
    e.seconds = ns / 1e9 + cost->search_s;
    return e;
}

static uint64_t usable(void)
{
    uint64_t available = crl_memory_available();
    return available - available / 8;
}

bool crl_plan_fits(const struct crl_plan_estimate *e) { return e->rows < UINT32_MAX - 1 && e->bytes <= usable(); }

static const char *time_text(double seconds, char text[32])
{
    if (seconds < 600) snprintf(text, 32, "%.0f s", seconds < 1 ? 1 : seconds);
    else if (seconds < 36000) snprintf(text, 32, "%.0f min", seconds / 60);
    else snprintf(text, 32, "%.0f h", seconds / 3600);
    return text;
}

int crl_plan_refuse(const struct crl_plan_estimate *e, const char *what, const char *where, const char *advice,
                    struct crl_diag *diag)
{
    char need[32], free[32], time[32], have[64] = "a list has at most 2^32 rows";
    if (e->bytes > usable()) snprintf(have, sizeof have, "%s are free", crl_memory_text((double)usable(), free));
    return crl_fail(diag, CRL_ERR_LIMIT, "%s on %s is too large: '%llu' rows, about %s of memory and %s; %s; %s", what,
                    where, (unsigned long long)e->rows, crl_memory_text((double)e->bytes, need),
                    time_text(e->seconds, time), have, advice);
}
