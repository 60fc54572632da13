// SPDX-License-Identifier: Apache-2.0
// Names of nodes: node v is the v-th that was named.
#ifndef CRL_NAMES_H
#define CRL_NAMES_H

#include "base/base.h"

// Letters of a name; room for a node as people read it.
enum { CRL_NODE_NAME_MAX = 32, CRL_NODE_TEXT = CRL_NODE_NAME_MAX + 16 };

struct crl_names {
    char *text; // all of them, each with a zero behind it
    size_t text_count, text_room;
    size_t *at; // [count] where each begins
    size_t room;
    uint32_t count;
    uint32_t *slot; // [slots] a hash table of node + 1; 0: empty
    uint32_t slots;
};

// A name begins with a letter or '_'; digits, '.', '/', ':' and '-' may follow.
bool crl_names_begins(int c);
bool crl_names_continues(int c);
// The node of a name of so many letters, or CRL_NONE. Of no names (NULL) there is none.
uint32_t crl_names_find(const struct crl_names *names, const char *text, size_t length);
// The node that what stands at *text names, as far as it does up to a comma, a blank, the end or the '-' of a range:
// names may have a '-', so the longest one counts. Moves *text behind it; CRL_NONE: there is none.
uint32_t crl_names_read(const struct crl_names *names, const char **text);
// Names the next node. Returns 0 or CRL_ERR_MEMORY.
int crl_names_add(struct crl_names *names, const char *text, size_t length);
const char *crl_names_at(const struct crl_names *names, uint32_t node);
// The name of a node, or its number where it has none. Returns a text that stands in `text` or in `names`.
const char *crl_names_text(const struct crl_names *names, uint32_t node, char text[CRL_NODE_TEXT]);
// A copy, which crl_names_free frees; of NULL or no names NULL. Returns 0 or CRL_ERR_MEMORY.
int crl_names_copy(struct crl_names **copy, const struct crl_names *names);
void crl_names_done(struct crl_names *names); // what it holds
void crl_names_free(struct crl_names *names); // NULL: nothing

#endif
