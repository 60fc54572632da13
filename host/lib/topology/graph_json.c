// SPDX-License-Identifier: Apache-2.0
// msccl topologies in JSON: "links" is a matrix in which links[d][s] is the width of the link from s to d, 0 for none.
// "names", which is ours, names the nodes.
#include "base/base.h"
#include "topology/graph.h"
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

static int fail(const struct crl_graph_links *links, struct crl_diag *diag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(const struct crl_graph_links *links, struct crl_diag *diag, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return crl_fail_at(diag, CRL_ERR_PARSE, links->name, 1, 1, "%s", text); // the parser forgets where things stood
}

static int read_width(const json_t *entry, uint32_t to, uint32_t from, struct crl_graph_links *links,
                      struct crl_diag *diag)
{
    double width = json_is_number(entry) ? json_number_value(entry) : -1;
    if (width < 0) return fail(links, diag, "links[%u][%u] is not a number of links", to, from);
    if (width == 0) return 0;
    if (width > CRL_LINKS_MAX || width < 1 || width != (uint32_t)width)
        return fail(links, diag, "links[%u][%u] has a width of '%g'; must be a whole number from 1 to %d", to, from,
                    width, CRL_LINKS_MAX);
    if (to == from) return fail(links, diag, "node '%u' is linked to itself", to);
    return crl_graph_links_add(links, from, to, (uint32_t)width, (struct crl_link_time){1, 1}, diag);
}

static int read_matrix(const json_t *matrix, struct crl_graph_links *links, struct crl_diag *diag)
{
    size_t nodes = json_array_size(matrix);
    if (!json_is_array(matrix) || !nodes) return fail(links, diag, "no \"links\" matrix");
    if (nodes > CRL_GRAPH_NODES_MAX) return fail(links, diag, "'%zu' nodes; at most %d", nodes, CRL_GRAPH_NODES_MAX);
    links->nodes = (uint32_t)nodes;
    for (uint32_t to = 0; to < nodes; to++) {
        const json_t *row = json_array_get(matrix, to);
        if (!json_is_array(row) || json_array_size(row) != nodes)
            return fail(links, diag, "row '%u' of \"links\" has not '%zu' entries", to, nodes);
        for (uint32_t from = 0; from < nodes; from++) {
            int error = read_width(json_array_get(row, from), to, from, links, diag);
            if (error) return error;
        }
    }
    return 0;
}

// "names": what the nodes are called, from 0, for those who want to say it.
static int read_names(const json_t *list, struct crl_graph_links *links, struct crl_diag *diag)
{
    size_t i;
    const json_t *entry;
    if (list && (!json_is_array(list) || json_array_size(list) != links->nodes))
        return fail(links, diag, "\"names\" is not a list of '%u' names", links->nodes);
    json_array_foreach(list, i, entry)
    {
        const char *name = json_string_value(entry);
        size_t length = name ? strlen(name) : 0;
        bool good = length && length <= CRL_NODE_NAME_MAX && crl_names_begins(name[0]);
        for (size_t k = 0; k < length && good; k++) good = crl_names_continues(name[k]);
        if (!good)
            return fail(links, diag, "names[%zu] is no name: a letter, and up to 31 letters, digits, or any of _./:-",
                        i);
        if (crl_names_find(&links->names, name, length) != CRL_NONE)
            return fail(links, diag, "'%s' is the name of two nodes", name);
        if (crl_names_add(&links->names, name, length)) return crl_fail_memory(diag);
    }
    return 0;
}

// What the reader has taken from the file but not given out goes first.
static size_t feed(void *buffer, size_t size, void *reader)
{
    struct crl_reader *r = reader;
    size_t left = r->filled - r->used;
    if (!left) return fread(buffer, 1, size, r->file);
    if (left > size) left = size;
    memcpy(buffer, r->buffer + r->used, left);
    r->used += left;
    return left;
}

int crl_graph_read_json(struct crl_graph_links *links, struct crl_reader *reader, struct crl_diag *diag)
{
    json_error_t where;
    reader->used = 0; // with the first character, which was only looked at
    json_t *root = json_load_callback(feed, reader, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return crl_fail_at(diag, CRL_ERR_PARSE, links->name, where.line > 0 ? (uint64_t)where.line : 1,
                           where.column > 0 ? (uint64_t)where.column : 1, "%s", where.text);
    int error = read_matrix(json_object_get(root, "links"), links, diag);
    if (!error) error = read_names(json_object_get(root, "names"), links, diag);
    json_decref(root);
    return error;
}
