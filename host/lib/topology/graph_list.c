// SPDX-License-Identifier: Apache-2.0
// Edge lists. A link a line: 'A B' leads both ways, 'A > B' from A to B; its width and its latency in slots may follow,
// as in 'A B 2 3'. '#' begins a comment. 'nodes N' may stand before them; after 'n N' instead every line 'A B' leads
// one way. 'hosts LIST' (or 'h LIST') or 'switches LIST' says which nodes only forward.
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
};

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

// Reads the number of a node, and what blanks follow.
static int read_node(struct list *l, uint32_t *node)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    int error = crl_reader_number(r, "number of a node", node, l->diag);
    if (error) return error;
    if (*node >= NODES_MAX)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%u'; at most %d nodes", *node, NODES_MAX);
    if (!l->links->at[*node].line) l->links->at[*node] = (struct crl_named_at){line, col};
    skip_blanks(r);
    return 0;
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

// Marks 'A', or 'A-B'.
static int read_range(struct list *l)
{
    struct crl_reader *r = l->r;
    uint64_t line = r->line, col = r->col;
    uint32_t first, last;
    int error = read_node(l, &first);
    last = first;
    if (!error && r->c == '-') {
        crl_reader_next(r);
        error = read_node(l, &last);
    }
    if (error) return error;
    if (last < first)
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "the range '%u-%u' ends before it begins", first,
                           last);
    for (uint32_t v = first; v <= last; v++) {
        if (l->links->forwards[v])
            return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%u' is listed twice", v);
        l->links->forwards[v] = true;
        if (!l->links->at[v].line) l->links->at[v] = (struct crl_named_at){line, col};
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

static int read_word(struct list *l)
{
    struct crl_reader *r = l->r;
    char word[16] = "";
    uint64_t line = r->line, col = r->col;
    for (size_t i = 0; r->c >= 'a' && r->c <= 'z'; crl_reader_next(r))
        if (i + 1 < sizeof word) word[i++] = (char)r->c;
    skip_blanks(r);
    if (!strcmp(word, "n") || !strcmp(word, "nodes")) return read_nodes(l, word, line, col);
    if (!strcmp(word, "h") || !strcmp(word, "hosts") || !strcmp(word, "switches"))
        return read_roles(l, word, line, col);
    return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col,
                       "expected the number of a node, 'nodes', 'hosts' or 'switches', found '%s'", word);
}

static int read_edge(struct list *l)
{
    struct crl_reader *r = l->r;
    uint32_t end[2], width = 1, latency = 1;
    char here[16];
    uint64_t line = r->line, col = r->col;
    int error = read_node(l, &end[0]);
    bool one_way = !error && (r->c == '>' || l->directed);
    if (!error && r->c == '>') {
        crl_reader_next(r);
        skip_blanks(r);
    }
    if (!error) error = read_node(l, &end[1]);
    if (!error) error = read_number(l, "width", &width, CRL_PORTS_MAX);
    if (!error) error = read_number(l, "latency", &latency, CRL_LATENCY_MAX);
    if (error) return error;
    if (!at_end(r))
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, r->col,
                           "expected the end of the line after the edge, found %s", crl_reader_here(r, here));
    if (end[0] == end[1])
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "node '%u' is linked to itself", end[0]);
    if (!is_new(l, end[0], end[1]) || (!one_way && !is_new(l, end[1], end[0])))
        return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, col, "the edge '%u %u' is listed twice", end[0],
                           end[1]);
    error = crl_graph_links_add(l->links, end[0], end[1], width, latency, l->diag);
    return error || one_way ? error : crl_graph_links_add(l->links, end[1], end[0], width, latency, l->diag);
}

static int read_line(struct list *l)
{
    struct crl_reader *r = l->r;
    bool word = r->c >= 'a' && r->c <= 'z';
    uint64_t line = r->line;
    int error = word ? read_word(l) : read_edge(l);
    if (error || !l->said || l->links->nodes <= l->said) return error;
    uint32_t beyond = l->links->nodes - 1;
    return crl_fail_at(l->diag, CRL_ERR_PARSE, r->name, line, l->links->at[beyond].col,
                       "node '%u' is beyond the last, %u", beyond, l->said - 1);
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
    return 0;
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
