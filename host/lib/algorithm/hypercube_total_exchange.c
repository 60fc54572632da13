// SPDX-License-Identifier: Apache-2.0
// Total exchange on the hypercube in 2^(d−1) slots with every link always busy: Bertsekas et al. 1991, Section 4.
//
// A packet with D = origin ⊕ destination crosses its differing dimensions from the highest down. Table k of the paper
// lists the order in which a node sends its own packets: column k takes the rows of table k−1 with bit k set, then e_k.
// With pos_k the position in column k, D crosses dimension k in slot (D >> k)·2^(k−1) + pos_k(D mod 2^k).
#include "algorithm/algorithm.h"
#include "base/base.h"
#include <stdlib.h>

static int plan_hypercube_total_exchange(struct crl_schedule *schedule, const struct crl_problem *problem,
                                         struct crl_diag *diag)
{
    uint32_t d = crl_topology_ports(problem->topology), strings = UINT32_C(1) << d;
    // Column k (1…d) has 2^(k−1) entries, all with highest bit k; it starts at entry[2^(k−1)].
    uint32_t *entry = calloc(strings, sizeof *entry);
    int error = entry ? 0 : CRL_ERR_MEMORY;
    for (uint32_t k = 1; k <= d && !error; k++) {
        uint32_t bit = UINT32_C(1) << (k - 1), *column = entry + bit, n = 0;
        for (uint32_t row = 0; row < bit / 2; row++)
            for (uint32_t m = 1; m < k; m++)
                if (row < UINT32_C(1) << (m - 1)) column[n++] = entry[(UINT32_C(1) << (m - 1)) + row] | bit;
        column[n++] = bit;
    }
    // Node 0 forwards across dimension k the packets of every origin that differs from it above bit k only. Slots in
    // the outer loop give the canonical order of moves.
    for (uint32_t slot = 1; !error && slot <= strings / 2; slot++)
        for (uint32_t k = 1; k <= d; k++) {
            uint32_t bit = UINT32_C(1) << (k - 1), high = (slot - 1) / bit, i = (slot - 1) % bit;
            crl_schedule_add(schedule, (struct crl_move){slot, 0, bit, high << k, entry[bit + i]});
        }
    free(entry);
    return error ? crl_fail_memory(diag) : 0;
}

const struct crl_algorithm crl_rows_hypercube_total_exchange[] = {
    {"total-exchange", "recursive", "hypercube", "2^(d-1)", "B91 Sec. 4", "every link busy in every slot",
     .ports = CRL_FOR_ALL_PORTS, .applies = crl_is_hypercube, .plan = plan_hypercube_total_exchange,
     .symmetric = crl_is_any, .claim = crl_claim_half},
    {0}};
