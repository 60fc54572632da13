// SPDX-License-Identifier: Apache-2.0
// How many packets a node holds between slots that it must still forward: those received in this slot or before that it
// will send in a later one. A node's own packets do not count.
#include "check/check.h"
#include <stdlib.h>

void crl_measure_buffers(struct crl_check *check)
{
    const struct crl_schedule *schedule = check->schedule;
    // In a relative schedule what is held anywhere of one packet is what one node holds of all its translates.
    uint32_t *held = calloc(schedule->folded ? 1 : crl_topology_nodes(schedule->topology), sizeof *held), most = 0;
    if (!held) {
        check->sink.out_of_memory = true;
        return;
    }
    for (size_t at = 0, end; at < schedule->count; at = end) {
        for (end = at; end < schedule->count && schedule->moves[end].slot == schedule->moves[at].slot; end++)
            if (check->marks[end] & CRL_MOVE_RELEASED) held[schedule->folded ? 0 : schedule->moves[end].src]--;
        for (size_t i = at; i < end; i++) {
            if (!(check->marks[i] & CRL_MOVE_KEPT)) continue;
            uint32_t *here = &held[schedule->folded ? 0 : schedule->moves[i].dst];
            if (++*here > most) most = *here;
        }
    }
    free(held);
    check->sink.report->buffer_packets = most;
}
