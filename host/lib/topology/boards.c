// SPDX-License-Identifier: Apache-2.0
// Boards: which node of a network lies on which, by a grid of blocks of a product or by a file.
#include "base/base.h"
#include "topology/topology.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct crl_boards *crl_topology_boards(const struct crl_topology *t)
{
    return t->graph ? t->graph->boards : NULL;
}

uint32_t crl_topology_shared_cable(const struct crl_topology *t, uint32_t src, uint32_t dst)
{
    const struct crl_boards *b = crl_topology_boards(t);
    return !b || b->each || b->of[src] == b->of[dst] ? CRL_NONE : b->of[src] * b->count + b->of[dst];
}

// Pairs of boards that have links or, where each link is a cable, links; and whether two of them lead the same way.
static uint32_t count_cables(const struct crl_topology *t, bool *two)
{
    const struct crl_boards *b = crl_topology_boards(t);
    uint32_t cables = 0, *used = b ? calloc((size_t)b->count * b->count, sizeof *used) : NULL;
    *two = false;
    for (uint32_t v = 0; v < t->nodes && used; v++)
        for (uint32_t p = 0; p < t->ports; p++) {
            uint32_t u = crl_topology_neighbor(t, v, p), x = b->of[v], y = u == CRL_NONE ? x : b->of[u];
            if (x == y) continue;
            bool back = crl_topology_port_to(t, u, v) != CRL_NONE;
            uint32_t *links = &used[(size_t)x * b->count + y];
            *two |= ++*links > 1;
            if (b->each) cables += v < u || !back;
            else cables += *links == 1 && !used[(size_t)y * b->count + x];
        }
    free(used);
    return cables;
}

uint32_t crl_topology_cables(const struct crl_topology *t)
{
    bool two;
    return count_cables(t, &two);
}

bool crl_topology_shares_cables(const struct crl_topology *t)
{
    const struct crl_boards *b = crl_topology_boards(t);
    bool two = false;
    if (b && !b->each) count_cables(t, &two);
    return two;
}

bool crl_topology_is_cabled(const struct crl_topology *t)
{
    return crl_topology_gap_max(t) > 1 || crl_topology_shares_cables(t);
}

void crl_boards_free(struct crl_boards *b)
{
    if (!b) return;
    free(b->of);
    crl_names_done(&b->names);
    free(b);
}

static struct crl_boards *boards_new(uint32_t nodes)
{
    struct crl_boards *b = calloc(1, sizeof *b);
    if (b) b->of = malloc(sizeof *b->of * nodes);
    if (b && b->of) return b;
    free(b);
    return NULL;
}

int crl_boards_copy(struct crl_boards **out, const struct crl_boards *from, uint32_t nodes)
{
    struct crl_boards *b = *out = boards_new(nodes);
    int error = b ? 0 : CRL_ERR_MEMORY;
    for (uint32_t v = 0; v < nodes && !error; v++) b->of[v] = from->of[v];
    for (uint32_t i = 0; i < from->count && !error; i++) {
        const char *name = crl_names_at(&from->names, i);
        error = crl_names_add(&b->names, name, strlen(name));
    }
    if (b) b->count = from->count;
    if (b) b->each = from->each;
    return error;
}

// ---------------------------------------------------------------- a grid

// Numbers with 'x' between them; false where the text is something else.
static bool is_grid(const char *text, uint32_t sides[CRL_FACTORS_MAX], uint32_t *count)
{
    for (*count = 0; *count < CRL_FACTORS_MAX; text++) {
        if (!crl_topology_number(&text, &sides[(*count)++])) return false;
        if (*text != 'x') return !*text;
    }
    return false;
}

// Board by board in the order of nodes: sides that are not said are not cut.
static int make_grid(struct crl_boards *b, const struct crl_topology *of, const uint32_t *sides, uint32_t count,
                     uint64_t col, struct crl_diag *diag)
{
    char name[16];
    b->count = 1;
    if (count > of->factor_count)
        return crl_topology_fail(diag, col, "a grid of %u sides, but %s has %u%s", count, of->name, of->factor_count,
                                 of->factor_count ? "" : ": name a file with lines 'NAME: NODES'");
    for (uint32_t i = 0; i < count; b->count *= sides[i++])
        if (!sides[i] || sides[i] > of->factor[i].size || of->factor[i].size % sides[i])
            return crl_topology_fail(diag, col, "'%u' boards along a side of %u nodes, which they do not share evenly",
                                     sides[i], of->factor[i].size);
    for (uint32_t v = 0; v < of->nodes; v++) {
        b->of[v] = 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct crl_factor *f = &of->factor[i];
            b->of[v] = b->of[v] * sides[i] + v / f->stride % f->size / (f->size / sides[i]);
        }
    }
    for (uint32_t i = 0; i < b->count; i++) {
        int length = snprintf(name, sizeof name, "b%u", i);
        if (crl_names_add(&b->names, name, (size_t)length)) return crl_fail_memory(diag);
    }
    return 0;
}

// ---------------------------------------------------------------- a file

struct placing {
    struct crl_boards *boards;
    const struct crl_topology *of;
    const struct crl_names *names; // of nodes
    const char *file;
    uint64_t line;
    const char *text, *at; // of the line
    struct crl_diag *diag;
};

static int fail(const struct placing *p, const char *at, const char *what)
{
    return crl_fail_at(p->diag, CRL_ERR_PARSE, p->file, p->line, (uint64_t)(at - p->text) + 1, "%s, found '%.40s'",
                       what, at);
}

static int read_node(struct placing *p, uint32_t *node)
{
    const char *at = p->at;
    if (!crl_topology_number(&p->at, node)) *node = crl_names_read(p->names, &p->at);
    return p->at == at || *node >= p->of->nodes ? fail(p, at, "expected a node of the network") : 0;
}

static int read_range(struct placing *p, uint32_t board)
{
    uint32_t first, last;
    const char *at = p->at;
    char text[CRL_NODE_TEXT];
    int error = read_node(p, &first);
    last = first;
    if (!error && *p->at == '-') {
        p->at++;
        error = read_node(p, &last);
    }
    for (uint32_t v = first; !error && v <= last; v++) {
        if (p->boards->of[v] != CRL_NONE)
            return crl_fail_at(p->diag, CRL_ERR_PARSE, p->file, p->line, (uint64_t)(at - p->text) + 1,
                               "node '%s' lies on board '%s' already", crl_names_text(p->names, v, text),
                               crl_names_at(&p->boards->names, p->boards->of[v]));
        p->boards->of[v] = board;
    }
    return error;
}

static void skip(struct placing *p, const char *what) { p->at += strspn(p->at, what); }

static int read_line(struct placing *p)
{
    struct crl_boards *b = p->boards;
    skip(p, " \t");
    if (!*p->at) return 0;
    const char *name = p->at;
    while (crl_names_continues(*p->at) && *p->at != ':') p->at++;
    size_t length = (size_t)(p->at - name);
    skip(p, " \t");
    if (!length || length > CRL_NODE_NAME_MAX || *p->at != ':') return fail(p, name, "expected 'NAME: NODES'");
    if (crl_names_find(&b->names, name, length) != CRL_NONE) return fail(p, name, "expected another board");
    if (crl_names_add(&b->names, name, length)) return crl_fail_memory(p->diag);
    p->at++;
    skip(p, " \t");
    if (!*p->at) return fail(p, p->at, "expected the nodes of the board");
    int error = 0;
    while (*p->at && !error) {
        error = read_range(p, b->count);
        skip(p, " \t,");
    }
    b->count++;
    return error;
}

static int read_file(struct placing *p, FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    int error = 0;
    memset(p->boards->of, 0xff, sizeof *p->boards->of * p->of->nodes); // CRL_NONE
    while (!error && getline(&text, &room, file) >= 0) {
        error = p->line++ ? 0 : crl_refuse_mark(text, strlen(text), p->file, p->diag);
        text[strcspn(text, "#\r\n")] = 0;
        p->text = p->at = text;
        if (!error) error = read_line(p);
    }
    free(text);
    char name[CRL_NODE_TEXT];
    for (uint32_t v = 0; v < p->of->nodes && !error; v++)
        if (p->boards->of[v] == CRL_NONE)
            error = crl_fail_at(p->diag, CRL_ERR_PARSE, p->file, p->line ? p->line : 1, 1, "node '%s' lies on no board",
                                crl_names_text(p->names, v, name));
    return error;
}

static int load(struct crl_boards *b, const char *path, const struct crl_topology *of, const struct crl_names *names,
                uint64_t col, struct crl_diag *diag)
{
    FILE *file = crl_open(path);
    if (!file) return crl_topology_fail(diag, col, "cannot read the boards '%s': %s", path, strerror(errno));
    struct placing p = {.boards = b, .of = of, .names = names, .file = path, .diag = diag};
    int error = read_file(&p, file);
    fclose(file);
    return error;
}

int crl_boards_read(struct crl_boards **out, const char *text, const struct crl_topology *of,
                    const struct crl_names *names, uint64_t col, struct crl_diag *diag)
{
    uint32_t sides[CRL_FACTORS_MAX], count;
    struct crl_boards *b = *out = boards_new(of->nodes);
    if (!b) return crl_fail_memory(diag);
    int error =
        is_grid(text, sides, &count) ? make_grid(b, of, sides, count, col, diag) : load(b, text, of, names, col, diag);
    if (!error && b->count < 2) error = crl_topology_fail(diag, col, "one board is none: say at least two");
    return error;
}
