// SPDX-License-Identifier: Apache-2.0
/* Plays hand-made tables on a simulation and keeps what was on the links. For the tests of sim/ only. */
#ifndef CRL_TEST_HARNESS_H
#define CRL_TEST_HARNESS_H

#include "crl_sim.h"
#include "rows.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>

#include <cmocka.h>

enum { NODES_MAX = 10, PORTS_MAX = 5, TIMES_MAX = 96, ROWS_MAX = 32 };

/* The links in times 0...times-1 of one play. */
struct trace {
    uint32_t times;
    uint32_t valid[TIMES_MAX][NODES_MAX];
    uint64_t data[TIMES_MAX][NODES_MAX][PORTS_MAX]; /* 0 where not valid */
    bool busy[TIMES_MAX];
};

struct net {
    struct crl_sim *sim;
    struct crl_sim_router params;
    uint32_t nodes, tables;
};

/* Three ports, each with a lane and a bank, and the Delay. */
static inline struct crl_sim_router cube_params(void)
{
    return (struct crl_sim_router){.ports = 3,
                                   .lanes = 3,
                                   .banks = 3,
                                   .delay = 1,
                                   .data_width = 32,
                                   .addr_width = 4,
                                   .table_depth = 32,
                                   .pages = 1};
}

/* Before the step of an edge: the place to inject. */
typedef void edge_function(struct net *net, int64_t edge, void *user);

static inline uint64_t word_mask(const struct net *net)
{
    return net->params.data_width == 64 ? UINT64_MAX : (UINT64_C(1) << net->params.data_width) - 1;
}

static inline void net_close(struct net *net)
{
    crl_sim_close(net->sim);
    net->sim = NULL;
}

static inline void net_open_config(struct net *net, const struct crl_sim_config *config,
                                   const struct crl_context *context)
{
    struct crl_diag diag;

    *net = (struct net){.params = config->params.network, .nodes = config->nodes, .tables = config->tables};
    if (crl_sim_open(&net->sim, config, context, &diag)) fail_msg("%s", diag.text);
}

static inline uint32_t net_row_bits(const struct net *net)
{
    return (uint32_t)crl_sim_row_bits(&(struct crl_sim_params){.kind = CRL_SIM_NETWORK, .network = net->params});
}

/* A network, wired by the harness or flat: source [nodes][ports] as of crl_sim_config; one table, or one a node. */
static inline void net_open_on(struct net *net, const struct crl_sim_router *params, uint32_t nodes,
                               const uint32_t *source, const uint32_t *lag, uint32_t tables, bool flat,
                               uint32_t threads)
{
    uint32_t node_table[NODES_MAX];
    const struct crl_sim_config config = {.params = {.kind = CRL_SIM_NETWORK, .flat = flat, .network = *params},
                                          .nodes = nodes,
                                          .tables = tables,
                                          .threads = threads,
                                          .source = source,
                                          .lag = lag,
                                          .node_table = node_table};

    for (uint32_t n = 0; n < nodes; n++) node_table[n] = tables > 1 ? n : 0;
    net_open_config(net, &config, NULL);
}

static inline void net_open(struct net *net, const struct crl_sim_router *params, uint32_t nodes,
                            const uint32_t *source, uint32_t tables, bool flat, uint32_t threads)
{
    net_open_on(net, params, nodes, source, NULL, tables, flat, threads);
}

/* A hypercube. */
static inline void net_open_cube(struct net *net, const struct crl_sim_router *params, uint32_t tables, bool flat,
                                 uint32_t threads)
{
    uint32_t source[NODES_MAX * PORTS_MAX];
    const uint32_t nodes = UINT32_C(1) << params->ports;

    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t p = 0; p < params->ports; p++) source[n * params->ports + p] = n ^ UINT32_C(1) << p;
    net_open(net, params, nodes, source, tables, flat, threads);
}

/* Packs rows for the load port: rows [tables][n_rows]. flip: a bit to turn over in row flip_row of table 0, or < 0. */
static inline void net_load(struct net *net, const struct row *rows, uint32_t n_rows, int flip, uint32_t flip_row)
{
    const uint32_t row_words = (net_row_bits(net) + 31) / 32;
    uint32_t *packed = calloc((size_t)net->tables * n_rows * row_words, sizeof *packed);

    assert_non_null(packed);
    for (uint32_t i = 0; i < net->tables * n_rows; i++) {
        uint32_t words[ROW_WORDS_MAX];

        assert_int_equal(row_pack(&net->params, &rows[i], words), net_row_bits(net));
        if (flip >= 0 && i == flip_row) words[flip / 32] ^= UINT32_C(1) << flip % 32;
        memcpy(packed + (size_t)i * row_words, words, row_words * sizeof *words);
    }
    assert_int_equal(crl_sim_load_tables(net->sim, packed, n_rows, row_words), 0);
    free(packed);
}

static inline void net_play(struct net *net, uint32_t n_rows, uint32_t last_page, uint32_t times, edge_function *edge,
                            void *user, struct trace *trace)
{
    assert_true(times <= TIMES_MAX);
    memset(trace, 0, sizeof *trace);
    trace->times = times;
    assert_int_equal(crl_sim_start(net->sim, n_rows - 1, last_page), 0);
    for (uint32_t t = 0; t < times; t++) {
        const uint32_t *valid;
        const uint64_t *data;

        if (edge) edge(net, t, user);
        crl_sim_step(net->sim);
        assert_int_equal(crl_sim_edge(net->sim), t);
        valid = crl_sim_valid(net->sim);
        data = crl_sim_data(net->sim);
        trace->busy[t] = crl_sim_busy(net->sim);
        for (uint32_t n = 0; n < net->nodes; n++) {
            trace->valid[t][n] = valid[n];
            for (uint32_t p = 0; p < net->params.ports; p++)
                if (valid[n] >> p & 1) trace->data[t][n][p] = data[n * net->params.ports + p];
        }
    }
    assert_int_equal(crl_sim_status(net->sim, NULL), 0);
}

static inline void assert_no_fault(struct net *net)
{
    for (uint32_t n = 0; n < net->nodes; n++) {
        const struct crl_sim_fault f = crl_sim_node_fault(net->sim, n);

        if (f.kinds) fail_msg("node %u: fault %u, ports %u, row %u", n, f.kinds, f.ports, f.row);
    }
    assert_false(crl_sim_any_fault(net->sim));
}

static inline void assert_same_trace(const struct trace *a, const struct trace *b)
{
    assert_int_equal(a->times, b->times);
    for (uint32_t t = 0; t < a->times; t++) {
        assert_int_equal(a->busy[t], b->busy[t]);
        for (uint32_t n = 0; n < NODES_MAX; n++) {
            if (a->valid[t][n] != b->valid[t][n] || memcmp(a->data[t][n], b->data[t][n], sizeof a->data[t][n]))
                fail_msg("time %u, node %u: valid %x and %x", t, n, a->valid[t][n], b->valid[t][n]);
        }
    }
}

/* Word of bank `bank`, address `addr` of a node, over all pages; different for each, and never zero. */
static inline uint64_t own_word(const struct net *net, uint32_t node, uint32_t bank, uint32_t addr, uint32_t page)
{
    const uint64_t word = UINT64_C(0x9e3779b97f4a7c15) * (1 + node + 8 * (bank + 4 * (addr + 8 * (uint64_t)page)));

    return ((word >> 8) | 1) & word_mask(net);
}

/* ---- preload and readout, as row.md describes them ---- */

struct preload {
    uint32_t rows, bank_first;
};

static inline void preload_edge(struct net *net, int64_t edge, void *user)
{
    const struct preload *preload = user;
    const int64_t index = edge - 3; /* rows since the first, of those that act at this edge */

    if (index < 0 || index >= (int64_t)preload->rows * net->params.pages) return;
    for (uint32_t n = 0; n < net->nodes; n++)
        for (uint32_t j = 0; j < net->params.lanes && preload->bank_first + j < net->params.banks; j++)
            crl_sim_inject(net->sim, n, j,
                           own_word(net, n, preload->bank_first + j, (uint32_t)(index % preload->rows),
                                    (uint32_t)(index / preload->rows)));
}

/* Writes own_word() to addresses 0...n_rows-1 of every bank and page. Lane j hears port j. */
static inline void net_preload(struct net *net, uint32_t n_rows)
{
    static struct trace trace;

    for (uint32_t first = 0; first < net->params.banks; first += net->params.lanes) {
        static struct row rows[NODES_MAX][ROWS_MAX];
        struct preload preload = {n_rows, first};
        struct row *at = &rows[0][0];

        memset(rows, 0, sizeof rows);
        for (uint32_t t = 0; t < net->tables; t++) {
            for (uint32_t r = 0; r < n_rows; r++, at++) {
                for (uint32_t j = 0; j < net->params.lanes && first + j < net->params.banks; j++) {
                    at->in[j].exp = 1;
                    at->bank[first + j].wen = 1;
                    at->bank[first + j].wsel = j;
                    at->bank[first + j].waddr = r;
                }
            }
        }
        net_load(net, &rows[0][0], n_rows, -1, 0);
        net_play(net, n_rows, net->params.pages - 1, n_rows * net->params.pages + 5, preload_edge, &preload, &trace);
        for (uint32_t t = 0; t < trace.times; t++)
            for (uint32_t n = 0; n < net->nodes; n++) assert_int_equal(trace.valid[t][n], 0);
    }
    assert_no_fault(net);
}

/* What lies at one address of every bank: out [nodes][banks]. Sends on member 0 of lane 0's group, bank after bank. */
static inline void net_read(struct net *net, uint32_t addr, uint32_t page, uint64_t *out)
{
    static struct row rows[NODES_MAX * ROWS_MAX];
    static struct trace trace;
    const uint32_t n_rows = net->params.banks + 1, round = page * n_rows;

    memset(rows, 0, sizeof rows);
    for (uint32_t t = 0; t < net->tables; t++) {
        for (uint32_t b = 0; b < net->params.banks; b++) {
            struct row *row = &rows[t * n_rows + b];

            row->bank[b].raddr = addr;
            row->out[0].ov = 1;
            row->out[0].osel = b;
            row[1].in[0].exp = 1;
        }
    }
    net_load(net, rows, n_rows, -1, 0);
    net_play(net, n_rows, net->params.pages - 1, n_rows * net->params.pages + 4, NULL, NULL, &trace);
    for (uint32_t n = 0; n < net->nodes; n++) {
        for (uint32_t b = 0; b < net->params.banks; b++) {
            assert_int_equal(trace.valid[round + b + 3][n], 1);
            out[n * net->params.banks + b] = trace.data[round + b + 3][n][0];
        }
    }
}

#endif
