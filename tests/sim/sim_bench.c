// SPDX-License-Identifier: Apache-2.0
/*
 * Node-cycles per second of a hypercube in which every port of every node sends in every cycle.
 *
 *   sim_bench DIMENSION [SECONDS [THREADS]]
 */
#define _POSIX_C_SOURCE 200809L
#include "crl_sim.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINK_CYCLES = 200 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const uint32_t dim = argc > 1 ? (uint32_t)atoi(argv[1]) : 3, nodes = UINT32_C(1) << dim;
    const double seconds = argc > 2 ? atof(argv[2]) : 2;
    struct crl_diag diag;
    uint32_t *source = malloc(sizeof *source * nodes * dim);
    struct crl_sim_config config = {
        .params = {.kind = CRL_SIM_NETWORK,
                   .network = {.ports = dim,
                               .lanes = dim,
                               .banks = dim,
                               .delay = 1,
                               .data_width = 32,
                               .addr_width = 9,
                               .table_depth = 256,
                               .pages = 1}},
        .nodes = nodes,
        .tables = 1,
        .source = source,
        .threads = argc > 3 ? (uint32_t)atoi(argv[3]) : 1,
    };
    static uint32_t rows[(LINK_CYCLES + 1) * ROW_WORDS_MAX];
    uint32_t row_words;
    struct crl_sim *sim;
    double start;
    uint64_t before;

    for (uint32_t n = 0; n < nodes; n++)
        for (uint32_t p = 0; p < dim; p++) source[n * dim + p] = n ^ UINT32_C(1) << p;
    start = now();
    if (crl_sim_open(&sim, &config, NULL, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    printf("open %.2f s\n", now() - start);
    row_words = ((uint32_t)crl_sim_row_bits(&config.params) + 31) / 32;
    for (uint32_t r = 0; r <= LINK_CYCLES; r++) {
        uint32_t words[ROW_WORDS_MAX];
        struct row row = {0};

        for (uint32_t p = 0; p < dim; p++) {
            row.bank[p].raddr = r;
            row.bank[p].wen = row.in[p].exp = r > 0;
            /* All three places a word can come from, and a crossing of the lanes. */
            row.bank[p].byp = r > 1 && (r + p) % 3 == 0;
            row.bank[p].dly = r > 0 && (r + p) % 3 == 1;
            row.out[p].ov = r < LINK_CYCLES;
            row.out[p].osel = (p + r) % dim;
        }
        row_pack(&config.params.network, &row, words);
        memcpy(rows + r * row_words, words, row_words * sizeof *words);
    }
    if (crl_sim_load_tables(sim, rows, LINK_CYCLES + 1, row_words)) return 1;
    start = now();
    before = crl_sim_node_cycles(sim);
    do {
        crl_sim_start(sim, LINK_CYCLES, 0);
        do {
            crl_sim_step(sim);
        } while (crl_sim_busy(sim));
        /* The last word is still on the links: nothing must be, when the next round starts. */
        crl_sim_step(sim);
    } while (now() - start < seconds);
    printf("%u nodes: %.3f M node-cycles/s%s\n", nodes,
           (double)(crl_sim_node_cycles(sim) - before) / (now() - start) * 1e-6,
           crl_sim_any_fault(sim) ? ", with faults" : "");
    crl_sim_close(sim);
    free(source);
    return 0;
}
