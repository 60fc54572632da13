// SPDX-License-Identifier: Apache-2.0
// Which devices are the boards of a plan, and which cables join them.
#include "board/cluster.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct crl_cluster *c, uint32_t board) { return crl_names_at(&c->of->names, board); }

// ---------------------------------------------------------------- devices

static int by_serial(const void *a, const void *b)
{
    const struct crl_board_found *x = a, *y = b;
    const int order = strcmp(x->serial, y->serial);
    return order ? order : strcmp(x->place, y->place);
}

// A device's name: its serial number or, where it has none, its place.
static const char *called(const struct crl_board_found *found) { return *found->serial ? found->serial : found->place; }

static int too_few(const struct crl_cluster *c, size_t devices, const char *how, struct crl_diag *diag)
{
    return crl_fail(diag, CRL_ERR_DEVICE, "the plan is for %u boards, and %zu %s: there is none for board '%s'",
                    c->of->count, devices, how, name_of(c, (uint32_t)devices));
}

static int open_one(struct crl_cluster *c, uint32_t board, const char *kind, const char *serial,
                    const struct crl_board_watch *watch, struct crl_diag *diag)
{
    struct crl_diag why = {0};
    int error = crl_board_open(&c->board[board], kind, serial, watch, &why);
    return error ? crl_fail(diag, error, "board '%s': %s", name_of(c, board), why.text) : 0;
}

static int open_all(struct crl_cluster *c, const char *kind, const struct crl_board_watch *watch, struct crl_diag *diag)
{
    CRL_OWNED struct crl_board_found *found = NULL;
    struct crl_board_found unknown = {0}; // one that could not be asked
    size_t count, fit = 0;
    int error = crl_board_list(&found, &count, diag);
    if (error) return error;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].kind) unknown = found[i];
        else if (!kind || !strcmp(found[i].kind->name, kind)) found[fit++] = found[i];
    }
    if (!count) return crl_board_none(diag);
    if (fit < c->of->count && *unknown.place) return crl_board_unknown(&unknown, diag);
    qsort(found, fit, sizeof *found, by_serial);
    if (fit < c->of->count) return too_few(c, fit, fit == 1 ? "is attached" : "are attached", diag);
    if (fit > c->of->count)
        return crl_fail(
            diag, CRL_ERR_DEVICE,
            "the plan is for %u boards, and %zu are attached: list those that are meant, as in --boards %s,%s",
            c->of->count, fit, called(&found[0]), called(&found[1]));
    for (uint32_t i = 0; i < c->of->count && !error; i++) error = open_one(c, i, kind, called(&found[i]), watch, diag);
    return error;
}

static int open_listed(struct crl_cluster *c, const char *kind, const char *devices,
                       const struct crl_board_watch *watch, struct crl_diag *diag)
{
    char name[64];
    uint32_t count = 0;
    int error = 0;
    for (const char *at = devices; !error; at++) {
        const size_t length = strcspn(at, ",");
        if (count == c->of->count)
            return crl_fail(diag, CRL_ERR_ARGUMENT, "--boards lists more devices than the plan's %u boards", count);
        if (!length || length >= sizeof name)
            return crl_fail(diag, CRL_ERR_ARGUMENT,
                            "--boards needs serial numbers, as in LV000001,LV000002, or 'all', not '%s'", devices);
        memcpy(name, at, length);
        name[length] = 0;
        error = open_one(c, count++, kind, name, watch, diag);
        at += length;
        if (!*at) break;
    }
    return error || count == c->of->count ? error : too_few(c, count, count == 1 ? "is listed" : "are listed", diag);
}

int crl_cluster_open(struct crl_cluster **out, const struct crl_topology *network, const char *kind,
                     const char *devices, const struct crl_board_watch *watch, struct crl_diag *diag)
{
    const struct crl_boards *of = crl_topology_boards(network);
    struct crl_cluster *c = *out = calloc(1, sizeof *c);
    if (!c) return crl_fail_memory(diag);
    const uint32_t nodes = crl_topology_nodes(network);
    *c = (struct crl_cluster){.network = network, .of = of};
    if (!of) {
        crl_cluster_close(c);
        *out = NULL;
        return crl_fail(diag, CRL_ERR_ARGUMENT,
                        "the plan is for one board: build it with --boards, or leave out --boards here");
    }
    c->board = calloc(of->count, sizeof(struct crl_board *));
    c->at = calloc(nodes, sizeof *c->at);
    c->far = malloc(of->count * sizeof *c->far);
    c->came = calloc((size_t)nodes * CRL_BOARD_ADDRS, sizeof *c->came);
    c->shown = calloc(nodes, sizeof *c->shown);
    int error = c->board && c->at && c->far && c->came && c->shown ? 0 : crl_fail_memory(diag);
    for (uint32_t v = 0; v < nodes && !error; v++)
        for (uint32_t u = 0; u < v; u++) c->at[v] += of->of[u] == of->of[v];
    if (!error)
        error = strcmp(devices, "all") ? open_listed(c, kind, devices, watch, diag) : open_all(c, kind, watch, diag);
    if (!error) return 0;
    crl_cluster_close(c);
    *out = NULL;
    return error;
}

void crl_cluster_close(struct crl_cluster *c)
{
    if (!c) return;
    for (uint32_t i = 0; c->board && i < c->of->count; i++) crl_board_close(c->board[i]);
    CRL_FREE(c->board, c->at, c->far, c->came, c->shown);
    free(c);
}

// ---------------------------------------------------------------- what they say

void crl_cluster_cable_text(const struct crl_board_state *s, uint32_t cable, char *text, size_t size)
{
    const struct crl_board_cable *c = &s->cable[cable];
    snprintf(text, size, "cable %u %s", cable,
             c->other    ? "leads to another plan"
             : c->reset  ? "has one end that was reset alone"
             : c->silent ? "is silent"
             : c->up     ? "is up"
                         : "is not up yet");
}

void crl_cluster_wait_text(const struct crl_board_state *s, char *text, size_t size)
{
    *text = 0;
    for (uint32_t i = s->cables; i-- > 0 && s->playing;)
        if (s->cable[i].waits || s->cable[i].held)
            snprintf(text, size, "waits for %scable %u in row %u of round %u", s->cable[i].waits ? "" : "room in ", i,
                     s->row, s->rounds + 1);
}
