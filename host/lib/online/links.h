// SPDX-License-Identifier: Apache-2.0
// The links of a mesh of on-line routers: one word a slot and direction.
#ifndef CRL_LINKS_H
#define CRL_LINKS_H

#include "online/online.h"

// Both ends of the links of every node, [node · 2 dims + 2 dim + direction]. in[…] travelled in that direction.
struct crl_links {
    struct crl_online_run *run;
    struct crl_link_word *in, *out;
};
int crl_links_init(struct crl_links *links, struct crl_online_run *run);
void crl_links_done(struct crl_links *links);
struct crl_link_word *crl_links_in(const struct crl_links *links, uint32_t node, uint32_t dim, uint32_t direction);
struct crl_link_word *crl_links_out(const struct crl_links *links, uint32_t node, uint32_t dim, uint32_t direction);
// Ends the slot: what was put out comes in, and is written down. A word that leads off an array is a fault.
int crl_links_exchange(struct crl_links *links);

// The class of every node of a partial exchange, from what its neighbours tell it of who is active: the dimension along
// which its line is emptiest; balanced, such that no line has more than M^(1/d) nodes of the class that starts along
// it, M being how many are active. class_of: [nodes], zeros before.
int crl_online_classes(struct crl_links *links, const bool *active, bool balanced, uint32_t *class_of);

#endif
