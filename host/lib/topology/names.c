// SPDX-License-Identifier: Apache-2.0
#include "topology/names.h"
#include <stdlib.h>
#include <string.h>

bool crl_names_begins(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool crl_names_continues(int c) { return crl_names_begins(c) || (c >= '0' && c <= '9') || (c && strchr("./:-", c)); }

const char *crl_names_at(const struct crl_names *names, uint32_t node) { return names->text + names->at[node]; }

const char *crl_names_text(const struct crl_names *names, uint32_t node, char text[CRL_NODE_TEXT])
{
    if (names && node < names->count) return crl_names_at(names, node);
    snprintf(text, CRL_NODE_TEXT, "%u", node);
    return text;
}

// Where a name stands in the table, or would.
static uint32_t *slot_of(const struct crl_names *names, const char *text, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) hash = crl_mix(hash ^ (unsigned char)text[i]);
    for (uint32_t i = (uint32_t)hash & (names->slots - 1);; i = (i + 1) & (names->slots - 1)) {
        uint32_t *slot = &names->slot[i];
        if (!*slot) return slot;
        const char *name = crl_names_at(names, *slot - 1);
        if (!strncmp(name, text, length) && !name[length]) return slot;
    }
}

uint32_t crl_names_find(const struct crl_names *names, const char *text, size_t length)
{
    if (!names || !names->count) return CRL_NONE;
    return *slot_of(names, text, length) - 1; // 0 wraps to CRL_NONE
}

uint32_t crl_names_read(const struct crl_names *names, const char **text)
{
    for (size_t length = strcspn(*text, ", \t"); length; length--) {
        bool ends = (*text)[length] != '-' && crl_names_continues((unsigned char)(*text)[length]);
        uint32_t node = ends ? CRL_NONE : crl_names_find(names, *text, length);
        if (node == CRL_NONE) continue;
        *text += length;
        return node;
    }
    return CRL_NONE;
}

// Twice as many slots, at least, as there are names.
static int spread(struct crl_names *names)
{
    if (2 * (names->count + 1) <= names->slots) return 0;
    uint32_t slots = names->slots ? 2 * names->slots : 64, *old = names->slot;
    names->slot = calloc(slots, sizeof *names->slot);
    if (!names->slot) {
        names->slot = old;
        return CRL_ERR_MEMORY;
    }
    free(old);
    names->slots = slots;
    for (uint32_t v = 0; v < names->count; v++)
        *slot_of(names, crl_names_at(names, v), strlen(crl_names_at(names, v))) = v + 1;
    return 0;
}

int crl_names_add(struct crl_names *names, const char *text, size_t length)
{
    size_t from = names->text_count;
    int error = spread(names);
    if (!error) error = crl_grow((void **)&names->at, &names->room, names->count, sizeof *names->at);
    if (!error) error = CRL_APPEND(names->text, names->text_room, names->text_count, text, length);
    if (!error) error = CRL_APPEND(names->text, names->text_room, names->text_count, "", 1);
    if (error) return error;
    uint32_t *slot = slot_of(names, text, length);
    names->at[names->count++] = from;
    *slot = names->count;
    return 0;
}

int crl_names_copy(struct crl_names **copy, const struct crl_names *names)
{
    *copy = NULL;
    if (!names || !names->count) return 0;
    *copy = calloc(1, sizeof **copy);
    int error = *copy ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < names->count && !error; v++)
        error = crl_names_add(*copy, crl_names_at(names, v), strlen(crl_names_at(names, v)));
    if (!error) return 0;
    crl_names_free(*copy);
    *copy = NULL;
    return error;
}

void crl_names_done(struct crl_names *names) { CRL_FREE(names->text, names->at, names->slot); }

void crl_names_free(struct crl_names *names)
{
    if (names) crl_names_done(names);
    free(names);
}
