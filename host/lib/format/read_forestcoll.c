// SPDX-License-Identifier: Apache-2.0
// ForestColl's trees in XML: a tree a root and part of its chunks, whose edges are paths over links. Nodes have names;
// numbers are taken as they are, other names are numbered in their order, with the roots first: the others are
// switches. For a reduce-scatter the trees are read towards their roots.
#include "base/base.h"
#include "format/program.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 4096, NAME_MAX_LENGTH = 64 };

struct name {
    char text[NAME_MAX_LENGTH];
    bool root;
    uint32_t number;
};
struct hop {
    uint32_t tree, from, to; // names
    uint64_t line, col;
};
struct tree {
    uint32_t root, parts; // root: a name
};

struct reading {
    struct crl_program *program;
    struct name *name;
    size_t names, name_room;
    struct tree *tree;
    size_t trees, tree_room;
    struct hop *hop;
    size_t hops, hop_room;
    struct crl_diag *diag;
};

// The name's place in the list; CRL_NONE after saying what is wrong.
static uint32_t name_of(struct crl_xml *x, const char *text, size_t length)
{
    struct reading *r = x->user;
    while (length && isspace((unsigned char)*text)) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) length--;
    if (!length || length >= NAME_MAX_LENGTH) {
        x->error = crl_xml_fail(x, "a node's name of '%zu' characters", length);
        return CRL_NONE;
    }
    for (size_t i = 0; i < r->names; i++)
        if (strlen(r->name[i].text) == length && !memcmp(r->name[i].text, text, length)) return (uint32_t)i;
    if (r->names == NODES_MAX) {
        x->error = crl_xml_fail(x, "more than %d nodes", NODES_MAX);
        return CRL_NONE;
    }
    if (crl_grow((void **)&r->name, &r->name_room, r->names, sizeof *r->name)) {
        x->error = crl_fail_memory(r->diag);
        return CRL_NONE;
    }
    r->name[r->names] = (struct name){.root = false};
    memcpy(r->name[r->names].text, text, length);
    return (uint32_t)r->names++;
}

static int open_tree(struct crl_xml *x, const char **attr)
{
    struct reading *r = x->user;
    const char *root = crl_xml_text(attr, "root");
    int64_t parts = 1;
    if (!root) return crl_xml_fail(x, "<tree> has no attribute 'root'");
    uint32_t name = name_of(x, root, strlen(root));
    if (name == CRL_NONE) return x->error;
    r->name[name].root = true;
    int error = crl_xml_number(x, "tree", attr, "nchunks", false, 1, CRL_PARTS_MAX, &parts);
    if (!error && CRL_PUSH(r->tree, r->tree_room, r->trees, (struct tree){name, (uint32_t)parts}))
        error = crl_fail_memory(r->diag);
    return error;
}

static int add_hop(struct crl_xml *x, uint32_t from, uint32_t to)
{
    struct reading *r = x->user;
    if (from == to) return crl_xml_fail(x, "a path from node '%s' to itself", r->name[from].text);
    return CRL_PUSH(r->hop, r->hop_room, r->hops, (struct hop){(uint32_t)r->trees - 1, from, to, x->line, x->col})
               ? crl_fail_memory(r->diag)
               : 0;
}

// A path names its nodes, with commas between them, and within them where they stand in brackets.
static int open_send(struct crl_xml *x, const char **attr)
{
    const char *src = crl_xml_text(attr, "src"), *dst = crl_xml_text(attr, "dst"), *path = crl_xml_text(attr, "path");
    if (!src || !dst) return crl_xml_fail(x, "<send> has no attribute '%s'", src ? "dst" : "src");
    uint32_t first = name_of(x, src, strlen(src)), last = x->error ? CRL_NONE : name_of(x, dst, strlen(dst)),
             at = first;
    if (x->error) return x->error;
    if (!path) return add_hop(x, first, last);
    int depth = 0;
    for (const char *begin = path, *p = path;; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p && (*p != ',' || depth > 0)) continue;
        uint32_t name = name_of(x, begin, (size_t)(p - begin));
        if (name == CRL_NONE) return x->error;
        if (begin == path && name != first) return crl_xml_fail(x, "the path does not begin at '%s'", src);
        if (begin != path && add_hop(x, at, name)) return CRL_ERR_PARSE;
        at = name;
        begin = p + 1;
        if (!*p) break;
    }
    return at == last ? 0 : crl_xml_fail(x, "the path does not end at '%s'", dst);
}

static int open_tag(struct crl_xml *x, const char *tag, const char **attr, uint32_t depth)
{
    if (depth == 1 && !strcmp(tag, "Algo")) return 0;
    if (depth == 2 && !strcmp(tag, "tree")) return open_tree(x, attr);
    if (depth == 3 && !strcmp(tag, "send")) return open_send(x, attr);
    return crl_xml_fail(x, "<%.40s> where it has no place", tag);
}

// ---- numbers for names

// Roots before others, and digits as the numbers that they are.
static int by_name(const void *a, const void *b)
{
    const struct name *x = *(const struct name *const *)a, *y = *(const struct name *const *)b;
    if (x->root != y->root) return x->root ? -1 : 1;
    for (const char *p = x->text, *q = y->text;; p++, q++) {
        if (isdigit((unsigned char)*p) && isdigit((unsigned char)*q)) {
            char *after_p, *after_q;
            unsigned long long m = strtoull(p, &after_p, 10), n = strtoull(q, &after_q, 10);
            if (m != n) return m < n ? -1 : 1;
            p = after_p;
            q = after_q;
        }
        if (*p != *q) return *p < *q ? -1 : 1;
        if (!*p) return 0;
    }
}

static int number_names(struct reading *r)
{
    bool numbers = true;
    uint32_t roots = 0;
    for (size_t i = 0; i < r->names; i++) {
        const char *text = r->name[i].text;
        numbers &= strlen(text) < 6 && strspn(text, "0123456789") == strlen(text) && atoi(text) < NODES_MAX;
        roots += r->name[i].root;
    }
    struct name **order = malloc(sizeof(struct name *) * (r->names + 1));
    if (!order) return crl_fail_memory(r->diag);
    for (size_t i = 0; i < r->names; i++) order[i] = &r->name[i];
    qsort(order, r->names, sizeof *order, by_name);
    for (size_t i = 0; i < r->names; i++) order[i]->number = numbers ? (uint32_t)atoi(order[i]->text) : (uint32_t)i;
    free(order);
    r->program->ranks = roots;
    return 0;
}

// ---- trees as programs

// How many chunks each root has, all alike, and where in them those of a tree begin.
static int count_parts(struct reading *r, uint32_t *first)
{
    CRL_OWNED uint32_t *parts = calloc(r->names + 1, sizeof *parts);
    if (!parts) return crl_fail_memory(r->diag);
    int error = 0;
    for (size_t t = 0; t < r->trees; t++) {
        first[t] = parts[r->tree[t].root];
        parts[r->tree[t].root] += r->tree[t].parts;
    }
    r->program->parts = r->trees ? parts[r->tree[0].root] : 0;
    for (size_t t = 0; t < r->trees && !error; t++)
        if (parts[r->tree[t].root] != r->program->parts || r->program->parts > CRL_PARTS_MAX)
            error =
                crl_fail_at(r->diag, CRL_ERR_PARSE, r->program->file, 1, 1,
                            "root '%s' has '%u' chunks, and the first one %u; at most %d are read",
                            r->name[r->tree[t].root].text, parts[r->tree[t].root], r->program->parts, CRL_PARTS_MAX);
    return error;
}

// A hop goes on its own once the chunk is there; towards the root it waits for all that come to where it starts.
static int add_hops(struct reading *r, const uint32_t *first, bool inward)
{
    struct crl_program *p = r->program;
    int error = 0;
    size_t begin = 0, step = 0, base = 0; // of the hops of a tree; steps, and where those of the tree begin
    for (size_t i = 0; i < r->hops && !error; i++) {
        const struct hop *h = &r->hop[i];
        if (h->tree != r->hop[begin].tree) {
            begin = i;
            base = step;
        }
        uint32_t src = r->name[inward ? h->to : h->from].number, dst = r->name[inward ? h->from : h->to].number;
        uint32_t root = r->name[r->tree[h->tree].root].number;
        uint32_t parts = r->tree[h->tree].parts;
        for (uint32_t k = 0; k < parts && !error; k++, step++) {
            uint32_t packet = root * p->parts + first[h->tree] + k;
            error = crl_program_thread(p, r->diag);
            if (!error) error = crl_program_put(p, src, dst, packet, h->line, h->col, r->diag);
            for (size_t n = begin; inward && !error && n < r->hops && r->hop[n].tree == h->tree; n++)
                if (r->hop[n].from == h->to)
                    error = crl_program_depend(p, step, base + (n - begin) * parts + k, r->diag);
        }
    }
    return error;
}

int crl_read_forestcoll(struct crl_program *program, const char *text, size_t length, struct crl_diag *diag)
{
    struct reading r = {.program = program, .diag = diag};
    struct crl_xml xml = {.user = &r, .open = open_tag, .file = program->file, .diag = diag};
    // The collective that was asked for, if any.
    bool inward = !strcmp(program->collective, "reduce-scatter");
    program->by_packet = true;
    program->root = CRL_NONE;
    strcpy(program->collective, inward ? "reduce-scatter" : "multinode-broadcast");
    int error = crl_xml_read(&xml, text, length);
    if (!error && !r.hops) error = crl_fail_at(diag, CRL_ERR_PARSE, program->file, 1, 1, "there are no trees");
    CRL_OWNED uint32_t *first = calloc(r.trees + 1, sizeof *first);
    if (!error && !first) error = crl_fail_memory(diag);
    if (!error) error = number_names(&r);
    if (!error) error = count_parts(&r, first);
    if (!error) error = add_hops(&r, first, inward);
    CRL_FREE(r.name, r.tree, r.hop);
    return error;
}
