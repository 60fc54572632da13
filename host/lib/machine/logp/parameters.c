// SPDX-License-Identifier: Apache-2.0
// The LogP machine: its text, and the optimal broadcast tree on it (K93 Sec. 2).
#include "base/base.h"
#include "topology/topology.h"
#include "machine/logp/problem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One parameter a bit, in the order of the table.
static const struct parameter {
    char letter;
    uint32_t least, most;
    size_t offset;
} parameters[] = {
    {'P', 1, CRL_LOGP_P_MAX, offsetof(struct crl_logp, P)},
    {'L', 0, CRL_LOGP_TIME_MAX, offsetof(struct crl_logp, L)},
    {'o', 0, CRL_LOGP_TIME_MAX, offsetof(struct crl_logp, o)},
    {'g', 1, CRL_LOGP_TIME_MAX, offsetof(struct crl_logp, g)},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

// Reads "X=number" at *at; `seen` says which came before.
static int read_parameter(struct crl_logp *machine, const char *spec, const char **at, unsigned *seen,
                          struct crl_diag *diag)
{
    uint64_t col = (uint64_t)(*at - spec) + 1;
    unsigned i = 0;
    while (i < PARAMETERS && parameters[i].letter != **at) i++;
    if (i == PARAMETERS || (*at)[1] != '=')
        return crl_topology_fail(diag, col, "expected 'P=', 'L=', 'o=' or 'g=' in '%.80s'", spec);
    if (*seen >> i & 1) return crl_topology_fail(diag, col, "'%c' is there twice in '%.80s'", **at, spec);
    *seen |= 1u << i;
    *at += 2;
    uint32_t number = 0;
    const char *digits = *at;
    if (!crl_topology_number(at, &number) || number < parameters[i].least || number > parameters[i].most)
        return crl_topology_fail(diag, (uint64_t)(digits - spec) + 1,
                                 "'%c' must be a whole number from %u to %u in '%.80s'", parameters[i].letter,
                                 parameters[i].least, parameters[i].most, spec);
    memcpy((char *)machine + parameters[i].offset, &number, sizeof number);
    return 0;
}

// What must be there, and that messages take time.
static int is_whole(const struct crl_logp *machine, const char *spec, unsigned seen, uint64_t col,
                    struct crl_diag *diag)
{
    if ((seen & 3) != 3) return crl_topology_fail(diag, col, "'%s=' is missing in '%.80s'", seen & 1 ? "L" : "P", spec);
    if (!machine->L && !machine->o)
        return crl_topology_fail(diag, col, "messages that take no time at all: L and o are 0 in '%.80s'", spec);
    return 0;
}

// The words of a line of a machine's file, up to a '#'.
static int read_line(struct crl_logp *machine, char *line, unsigned *seen, struct crl_diag *diag)
{
    line[strcspn(line, "#\r\n")] = 0;
    int error = 0;
    for (const char *at = line; !error;) {
        at += strspn(at, " \t,");
        if (!*at) break;
        error = read_parameter(machine, line, &at, seen, diag);
        if (!error && *at && !strchr(" \t,", *at))
            error = crl_topology_fail(diag, (uint64_t)(at - line) + 1, "expected a blank, ',' or the end of the line");
    }
    return error;
}

static int read_file(struct crl_logp *machine, const char *path, struct crl_diag *diag)
{
    FILE *file = crl_open(path);
    char line[256];
    unsigned seen = 0;
    uint64_t number = 0;
    int error = 0;
    if (!file) return crl_fail(diag, CRL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    while (!error && fgets(line, sizeof line, file)) {
        error = number++ ? 0 : crl_refuse_mark(line, strlen(line), path, diag);
        if (!error) error = read_line(machine, line, &seen, diag);
    }
    if (!error && ferror(file)) error = crl_topology_fail(diag, 1, "cannot read on: %s", strerror(errno));
    if (!error) error = is_whole(machine, path, seen, 1, diag);
    if (error && diag) {
        snprintf(diag->file, sizeof diag->file, "%s", path);
        diag->line = number ? number : 1;
    }
    fclose(file);
    return error;
}

int crl_logp_parse(struct crl_logp *machine, const char *spec, struct crl_diag *diag)
{
    *machine = (struct crl_logp){.g = 1};
    unsigned seen = 0;
    if (!crl_topology_is_linkless(spec)) return crl_topology_fail(diag, 1, "'%.80s' is not a LogP machine", spec);
    const char *at = spec + strcspn(spec, ":");
    if (*at++ != ':')
        return crl_topology_fail(diag, (uint64_t)(at - spec), "expected ':' after 'logp', as in 'logp:P=8,L=6'");
    if (*at >= '0' && *at <= '9' && access(at, F_OK))
        return crl_topology_fail(diag, (uint64_t)(at - spec) + 1, "expected a parameter, as in 'logp:P=8,L=6,o=2,g=4'");
    if (*at && !strchr(at, '=')) return read_file(machine, at, diag);
    for (;; at++) {
        int error = read_parameter(machine, spec, &at, &seen, diag);
        if (error) return error;
        if (!*at) break;
        if (*at != ',')
            return crl_topology_fail(diag, (uint64_t)(at - spec) + 1, "expected ',' or the end in '%.80s'", spec);
    }
    return is_whole(machine, spec, seen, (uint64_t)(at - spec) + 1, diag);
}

void crl_logp_name(const struct crl_logp *m, char text[CRL_LOGP_NAME])
{
    snprintf(text, CRL_LOGP_NAME, "logp:P=%u,L=%u,o=%u,g=%u", m->P, m->L, m->o, m->g);
}

uint32_t crl_logp_flight(const struct crl_logp *m) { return m->L + 2 * m->o; }
uint32_t crl_logp_spacing(const struct crl_logp *m) { return m->g > m->o ? m->g : m->o; }

// A node with the label of its next child: a heap of these has the next label of the tree on top.
struct sender {
    uint64_t next;
    uint32_t node;
};

static bool earlier(struct sender a, struct sender b)
{
    return a.next != b.next ? a.next < b.next : a.node < b.node; // of equal labels the elder parent's comes first
}

static void sift_down(struct sender *heap, uint32_t count, uint32_t at)
{
    struct sender moving = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && earlier(heap[child + 1], heap[child])) child++;
        if (!earlier(heap[child], moving)) break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

int crl_logp_tree(const struct crl_logp *m, uint32_t count, uint64_t *label, uint32_t *parent)
{
    uint64_t flight = crl_logp_flight(m), spacing = crl_logp_spacing(m);
    CRL_OWNED struct sender *heap = malloc(sizeof *heap * count);
    if (!heap) return CRL_ERR_MEMORY;
    label[0] = 0;
    if (parent) parent[0] = CRL_NONE;
    heap[0] = (struct sender){flight, 0};
    for (uint32_t node = 1; node < count; node++) {
        label[node] = heap[0].next;
        if (parent) parent[node] = heap[0].node;
        heap[0].next += spacing;
        sift_down(heap, node, 0);
        // The new node joins the senders.
        uint32_t at = node;
        struct sender fresh = {label[node] + flight, node};
        for (; at && earlier(fresh, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = fresh;
    }
    return 0;
}

uint64_t crl_logp_broadcast_time(const struct crl_logp *m, uint32_t count)
{
    uint64_t *label = malloc(sizeof *label * count), last = UINT64_MAX;
    if (label && !crl_logp_tree(m, count, label, NULL)) last = label[count - 1];
    free(label);
    return last;
}
