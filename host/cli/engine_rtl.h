// SPDX-License-Identifier: Apache-2.0
// The RTL as a player: loads an image into a simulation of its routers, plays it, reads the memories back.
#ifndef CRL_ENGINE_RTL_H
#define CRL_ENGINE_RTL_H

#include <carillon/carillon.h>

struct engine_rtl;

struct engine_rtl_options {
    uint64_t seed;
    uint32_t threads;
    const char *wave; // file, ending in .fst or .vcd; NULL: none
};

// Builds the simulator if need be, and loads every node's own packets through its links. The image must stay alive.
int engine_rtl_new(struct engine_rtl **out, const struct crl_image *image, const struct crl_problem *problem,
                   const struct engine_rtl_options *options, struct crl_diag *diag);
void engine_rtl_free(struct engine_rtl *engine);
struct crl_player engine_rtl_player(struct engine_rtl *engine);
// After the last step: lets the pipeline run empty, notes the faults, and reads every memory out over the links.
int engine_rtl_finish(struct engine_rtl *engine, struct crl_diag *diag);
// Nodes and tables with faults; `text` says which came first.
uint64_t engine_rtl_faults(const struct engine_rtl *engine, char text[160]);
uint64_t engine_rtl_memory(void *engine, uint32_t node, uint32_t bank, uint32_t page, uint32_t addr);

#endif
