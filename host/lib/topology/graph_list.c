// SPDX-License-Identifier: Apache-2.0
// Edge lists. A link a line: 'A B' leads both ways, 'A > B' from A to B; its width, its latency in slots and its gap
// may follow, as in 'A B 2 3'. '#' begins a comment. 'nodes N' may stand before them; after 'n N' instead every line 'A
// B' leads one way. 'hosts LIST' (or 'h LIST') or 'switches LIST' says which nodes only forward. Nodes are numbers, or
// names, which get numbers in the order in which they first stand there; after a line 'names A B' they are both.
#include "base/base.h"
#include "topology/graph.h"
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = CRL_GRAPH_NODES_MAX };

struct list {
    struct crl_graph_links *links;
    struct crl_reader *r;
    struct crl_diag *diag;
    uint64_t *listed; // [NODES_MAX][NODES_MAX], a bit each: which links there are
    uint32_t said;    // how many nodes the file says there are; 0: it does not
    bool directed;    // of a file that begins with 'n N': every line is a link one way
    bool hosts;       // the others of those marked are switches
    bool declared;    // there is a line 'names'
    uint64_t named_line,
        number_line; // where a node was called by a name, or by its number, for the first time; 0: none
};

struct token {
    char text[CRL_NODE_NAME_MAX + 1];
    size_t length;
    uint64_t line, col;
};

static const char words[] = "n nodes h hosts switches names";

static void skip_blanks(struct crl_reader *r)
{
    while (r->c == ' ' || r->c == '\t' || r->c == '\r') crl_reader_next(r);
    if (r->c == '#')
        while (r->c != '\n' && r->c != EOF) crl_reader_next(r);
}

static bool at_end(const struct crl_reader *r) { return r->c == '\n' || r->c == EOF; }

// Whether the link is new; notes it.
static bool is_new(struct list *l, uint32_t from, uint32_t to)
{
    size_t bit = (size_t)from * NODES_MAX + to;
    uint64_t mask = UINT64_C(1) << bit % 64;
    if (l->listed[bit / 64] & mask) return false;
    l->listed[bit / 64] |= mask;
    return true;
}

static int fail_token(const struct list *l, const struct token *t, const char *what)
{
    return crl_fail_at(l->diag, CRL_ERR_PARSE, l->r->name, t->line, t->col, "'%s' %s", t->text, what);
}

// Reads a word of the file, or a name, and what blanks follow.
static int read_token(struct list *l, struct token *t)
{
    struct crl_reader *r = l->r;
    *t = (struct token){.line = r->line, .col = r->col};
    for (; crl_names_continues(r->c) && t->length < CRL_NODE_NAME_MAX; crl_reader_next(r))
        t->text[t->length++] = (char)r->c;
    if (crl_names_continues(r->c)) return fail_token(l, t, "goes on: a name has at most 32 letters");
    skip_blanks(r);
    return 0;
}

static void set_at(struct list *l, uint32_t node, uint64_t line, uint64_t col)
{
    if (!l->links->at[node].line) l->links->at[node] = (struct crl_named_at){line, col};
}

// A name that was not there before.
static int add_name(struct list *l, const struct token *t)
{
    struct crl_names *names = &l->links->names;
    if (crl_word_among(words, t->text)) return fail_token(l, t, "begins a line of its own, so it is no name");
    if (names->count == NODES_MAX) return fail_token(l, t, "is one node too many; there can be 4096");
    if (crl_names_add(names, t->text, t->length)) return crl_fail_memory(l->diag);
    set_at(l, names->count - 1, t->line, t->col);
    if (names->count > l->links->nodes) l->links->nodes = names->count;
    return 0;
}

static int node_of(struct list *l, const struct token *t, uint32_t *node)
{
    char text[120];
    *node = crl_names_find(&l->links->names, t->text, t->length);
    if (*node != CRL_NONE) return 0;
    if (l->declared) return fail_token(l, t, "is not among the names that the line 'names' gives");
    snprintf(text, sizeof text, "is a name, and line %llu has numbers of nodes: a line 'names' can give them names",
             (unsigned long long)l->number_line);
    if (l->number_line) return fail_token(l, t, text);
    *node = l->links->names.count;
    if (!l->named_line) l->named_line = t->line;
    return add_name(l, t);
}

static int read_number_of_node(struct list *l, uint32_t *node)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    int error = crl_reader_number(r, "number of a node", node, l->diag);
    if (error) return error;
    if (l->named_line)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col,
                           "node '%u' is a number, and line %llu has names of nodes: a line 'names' allows both", *node,
                           (unsigned long long)l->named_line);
    if (*node >= NODES_MAX)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%u'; at most %d nodes", *node, NODES_MAX);
    if (!l->number_line) l->number_line = line;
    set_at(l, *node, line, col);
    skip_blanks(r);
    return 0;
}

// Reads a node, and what blanks follow.
static int read_node(struct list *l, uint32_t *node)
{
    struct token token;
    if (!crl_names_begins(l->r->c)) return read_number_of_node(l, node);
    int error = read_token(l, &token);
    return error ? error : node_of(l, &token, node);
}

// Reads a number from 1 to `most`, if there is one, and what blanks follow.
static int read_number(struct list *l, const char *what, uint32_t *number, uint32_t most)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    if (r->c < '0' || r->c > '9') return 0;
    int error = crl_reader_number(r, what, number, l->diag);
    if (!error && (*number < 1 || *number > most))
        error = crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "a %s of '%u'; must be 1 to %u", what, *number,
                            most);
    skip_blanks(r);
    return error;
}

// 'nodes N', or 'n N', after which links are directed.
static int read_nodes(struct list *l, const char *word, uint64_t line, uint64_t col)
{
    struct crl_reader *r = l->r;
    char here[16];
    if (l->said || l->links->count)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "'%s' must come first, and once", word);
    l->directed = !word[1];
    col = r->col;
    int error = crl_reader_number(r, "number of nodes", &l->said, l->diag);
    if (!error && (!l->said || l->said > NODES_MAX))
        error =
            crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "'%u' nodes; must be 1 to %d", l->said, NODES_MAX);
    l->links->nodes = l->said;
    skip_blanks(r);
    if (error || at_end(r)) return error;
    return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, r->col,
                       "expected the end of the line after the number of nodes, found %s", crl_reader_here(r, here));
}

// A name, or two known ones with '-' between them.
static int read_named_range(struct list *l, uint32_t *first, uint32_t *last)
{
    struct token t;
    int error = read_token(l, &t);
    if (error) return error;
    const char *at = t.text, *end = t.text + t.length;
    *first = *last = crl_names_read(&l->links->names, &at);
    if (*first != CRL_NONE && *at == '-') {
        at++;
        *last = crl_names_read(&l->links->names, &at);
    }
    if (at == end && *first != CRL_NONE && *last != CRL_NONE) return 0;
    error = node_of(l, &t, first);
    *last = *first;
    return error;
}

static int read_numbered_range(struct list *l, uint32_t *first, uint32_t *last)
{
    int error = read_node(l, first);
    *last = *first;
    if (error || l->r->c != '-') return error;
    crl_reader_next(l->r);
    return read_node(l, last);
}

// Marks 'A', or 'A-B'.
static int read_range(struct list *l)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    uint32_t first, last;
    char text[CRL_NODE_TEXT];
    int error = (crl_names_begins(r->c) ? read_named_range : read_numbered_range)(l, &first, &last);
    if (error) return error;
    if (last < first)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "the range '%u-%u' ends before it begins", first,
                           last);
    for (uint32_t v = first; v <= last; v++) {
        if (l->links->forwards[v])
            return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%s' is listed twice",
                               crl_names_text(&l->links->names, v, text));
        l->links->forwards[v] = true;
        set_at(l, v, line, col);
    }
    if (last >= l->links->nodes) l->links->nodes = last + 1;
    return 0;
}

// 'hosts LIST', 'h LIST', 'switches LIST': numbers and ranges with blanks or commas between them.
static int read_roles(struct list *l, const char *word, uint64_t line, uint64_t col)
{
    struct crl_reader *r = l->r;
    if (l->links->forwards)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col,
                           "'%s': a second list of hosts or switches; one list says it of all nodes", word);
    l->hosts = word[0] == 'h';
    l->links->forwards = calloc(NODES_MAX, sizeof *l->links->forwards);
    if (!l->links->forwards) return crl_fail_memory(l->diag);
    int error;
    do {
        error = read_range(l);
        if (!error && r->c == ',') {
            crl_reader_next(r);
            skip_blanks(r);
        }
    } while (!error && !at_end(r));
    return error;
}

// 'names A B …': what the nodes 0, 1, … are called, or those that follow the ones that were named so before.
static int read_names(struct list *l, const struct token *word)
{
    struct crl_reader *r = l->r;
    struct token t;
    int error = 0;
    char here[16];
    if (l->named_line) return fail_token(l, word, "comes too late: nodes have names already");
    l->declared = true;
    while (!error && !at_end(r)) {
        if (!crl_names_begins(r->c))
            return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, r->line, r->col,
                               "expected a name, which begins with a letter, found %s", crl_reader_here(r, here));
        error = read_token(l, &t);
        if (!error && crl_names_find(&l->links->names, t.text, t.length) != CRL_NONE)
            error = fail_token(l, &t, "is the name of two nodes");
        if (!error) error = add_name(l, &t);
    }
    return error;
}

static int read_word(struct list *l, const struct token *t)
{
    if (!strcmp(t->text, "n") || !strcmp(t->text, "nodes")) return read_nodes(l, t->text, t->line, t->col);
    return !strcmp(t->text, "names") ? read_names(l, t) : read_roles(l, t->text, t->line, t->col);
}

// A link from a node that was read at `line` and `col`.
static int read_edge(struct list *l, uint32_t from, uint64_t line, uint64_t col)
{
    struct crl_reader *r = l->r;
    uint32_t end[2] = {from}, width = 1;
    struct crl_link_time time = {1, 1};
    char here[16], a[CRL_NODE_TEXT], b[CRL_NODE_TEXT];
    int error = 0;
    bool one_way = !error && (r->c == '>' || l->directed);
    if (!error && r->c == '>') {
        crl_reader_next(r);
        skip_blanks(r);
    }
    if (!error) error = read_node(l, &end[1]);
    if (!error) error = read_number(l, "width", &width, CRL_LINKS_MAX);
    if (!error) error = read_number(l, "latency", &time.latency, CRL_LATENCY_MAX);
    if (!error) error = read_number(l, "gap", &time.gap, CRL_LATENCY_MAX);
    if (error) return error;
    if (!at_end(r))
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, r->col,
                           "expected the end of the line after the edge, found %s", crl_reader_here(r, here));
    if (end[0] == end[1])
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%s' is linked to itself",
                           crl_names_text(&l->links->names, end[0], a));
    if (!is_new(l, end[0], end[1]) || (!one_way && !is_new(l, end[1], end[0])))
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "the edge '%s %s' is listed twice",
                           crl_names_text(&l->links->names, end[0], a), crl_names_text(&l->links->names, end[1], b));
    error = crl_graph_links_add(l->links, end[0], end[1], width, time, l->diag);
    return error || one_way ? error : crl_graph_links_add(l->links, end[1], end[0], width, time, l->diag);
}

// A line begins with one of the words, or with a node.
static int read_start(struct list *l)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    uint32_t from;
    struct token t = {.length = 0};
    int error = crl_names_begins(r->c) ? read_token(l, &t) : read_node(l, &from);
    if (error) return error;
    if (t.length && crl_word_among(words, t.text)) return read_word(l, &t);
    if (t.length && r->c >= '0' && r->c <= '9' && crl_names_find(&l->links->names, t.text, t.length) == CRL_NONE)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col,
                           "expected a node, 'nodes', 'hosts', 'switches' or 'names', found '%s'", t.text);
    if (t.length) error = node_of(l, &t, &from);
    return error ? error : read_edge(l, from, line, col);
}

static int read_line(struct list *l)
{
    uint64_t line = l->r->line;
    char text[CRL_NODE_TEXT];
    int error = read_start(l);
    if (error || !l->said || l->links->nodes <= l->said) return error;
    uint32_t beyond = l->links->nodes - 1;
    return crl_fail_at(l->diag, CRL_ERR_PARSE, l->r->name, line, l->links->at[beyond].col,
                       "node '%s' is beyond the last, %u", crl_names_text(&l->links->names, beyond, text), l->said - 1);
}

// With a line 'names' every node has one.
static int check_names(const struct list *l)
{
    uint32_t named = l->links->names.count;
    if (!l->declared || l->links->nodes <= named) return 0;
    struct crl_named_at at = l->links->at[named];
    return crl_fail_at(l->diag, CRL_ERR_PARSE, l->r->name, at.line ? at.line : 1, at.line ? at.col : 1,
                       "node '%u' has no name: the line 'names' has %u", named, named);
}

static int read_lines(struct list *l)
{
    for (struct crl_reader *r = l->r;;) {
        skip_blanks(r);
        if (r->c == EOF) break;
        int error = r->c == '\n' ? 0 : read_line(l);
        if (error) return error;
        if (r->c == '\n') crl_reader_next(r);
    }
    for (uint32_t v = 0; l->hosts && v < NODES_MAX; v++) l->links->forwards[v] = !l->links->forwards[v];
    return check_names(l);
}

int crl_graph_read_list(struct crl_graph_links *links, struct crl_reader *reader, struct crl_diag *diag)
{
    struct list l = {.links = links, .r = reader, .diag = diag};
    links->at = calloc(NODES_MAX, sizeof *links->at);
    l.listed = calloc((size_t)NODES_MAX * NODES_MAX / 64, sizeof *l.listed);
    int error = links->at && l.listed ? read_lines(&l) : crl_fail_memory(diag);
    free(l.listed);
    return error;
}
