// SPDX-License-Identifier: Apache-2.0
// slim-fly:Q — 2Q² nodes of degree (3Q − 1)/2 and diameter 2, Q a prime of the form 4k + 1 (McKay, Miller, Širáň 1998;
// Besta, Hoefler 2014). Nodes x·Q + y, and Q² + m·Q + c; (x, y) and (m, c) are linked where y = mx + c, (x, y) and
// (x, y') where y − y' is a square, (m, c) and (m, c') where c − c' is none.
#include "topology/family.h"

static bool is_square(uint32_t number, uint32_t q)
{
    uint32_t root = 1;
    while (root < q && root * root % q != number) root++;
    return root < q;
}

int crl_family_slim_fly(struct crl_graph_links *links, const struct crl_family_text *text, struct crl_diag *diag)
{
    uint32_t q = 0;
    int error = crl_family_sizes(text, &q, 1, 1, diag);
    if (!error && q != 5 && q != 13 && q != 17) // 29 has nodes of 43 links
        error = crl_topology_fail(diag, text->col, "a slim fly of '%u'; must be 5, 13 or 17", q);
    for (uint32_t row = 0; row < q && !error; row++)
        for (uint32_t a = 0; a < q && !error; a++) {
            for (uint32_t b = 0; b < a && !error; b++) {
                uint32_t first = is_square(a - b, q) ? 0 : q * q; // of the half in which they are linked
                error = crl_graph_links_both(links, first + row * q + a, first + row * q + b, 1, diag);
            }
            for (uint32_t m = 0; m < q && !error; m++) // (row, a) with (m, c)
                error = crl_graph_links_both(links, row * q + a, q * q + m * q + (a + q * q - m * row) % q, 1, diag);
        }
    return error;
}
