// SPDX-License-Identifier: Apache-2.0
// The RTL as a player: loads an image into a simulation of its routers, plays it, reads the memories back.
#ifndef CRL_ENGINE_RTL_H
#define CRL_ENGINE_RTL_H

#include "algorithm/algorithm.h"
#include "check/check.h"
#include "draw/draw.h"
#include "lower/lower.h"
#include "model/model.h"
#include "oracle/oracle.h"
#include <crl_sim.h>

// ---- shared by every engine that simulates RTL

// Where the RTL and the shim lie: in $CARILLON_DATA; else in PREFIX/share/carillon if the program is
// PREFIX/bin/carillon; else (false) where the simulation library was compiled.
struct engine_sources {
    char rtl[4096], sim[4096];
};
bool engine_sources_find(struct engine_sources *sources);
// The kind of waves that a file name (NULL: none) asks for.
enum crl_sim_wave engine_wave(const char *path);
// Reports an error of the simulation, a CRL_SIM_ERR_*.
int engine_fail(int error, const char *text, struct crl_diag *diag);

// ---- routers

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
