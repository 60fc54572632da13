// SPDX-License-Identifier: Apache-2.0
/*
 * The verilated FPGA design (module crl_board of fpga/): compiled when it is first needed, kept in the simulators'
 * cache, and clocked through one function.
 */
#ifndef CRL_VTOP_H
#define CRL_VTOP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name of the one exported function of the compiled design, and the number it must agree on. */
#define CRL_VTOP_ENTRY "crl_vtop_entry"
#define CRL_VTOP_ABI   3u

/* Bits of what goes in and what comes out at a clock edge. */
enum {
    CRL_VTOP_IN_RX = 1,
    CRL_VTOP_IN_MISO = 2,

    CRL_VTOP_OUT_TX = 1,
    CRL_VTOP_OUT_CS_N = 2,
    CRL_VTOP_OUT_SCK = 4,
    CRL_VTOP_OUT_MOSI = 8,
    CRL_VTOP_OUT_OE = 16, /* the design drives the flash's pins */

    /* Both ways: the wires of cables to other boards, of designs that have some. */
    CRL_VTOP_WIRE = 256,
    CRL_VTOP_WIRES = 4,
    CRL_VTOP_WIRE_MASK = CRL_VTOP_WIRE * ((1 << CRL_VTOP_WIRES) - 1),
};

struct crl_vtop_ops {
    unsigned abi;
    /*
     * A design as it is right after configuration; NULL when there is no memory. tables: file of the contents of its
     * table memory, as scripts/bake takes it; NULL: whatever is there at power-up. seed, not 0, decides what registers
     * and memories without initial contents hold, so that what only reset makes so is seen.
     */
    void *(*create)(const char *tables, int seed);
    void (*destroy)(void *top);
    /* One clock with these inputs; returns the outputs after it. */
    unsigned (*clock)(void *top, unsigned in);
};

#ifdef __cplusplus
}
#endif

/*
 * The compiled design of a board ("icebreaker"), or a netlist of it when netlist names a Verilog file. Building is told
 * to message. The library stays loaded for the life of the process. NULL on error, with the reason in error.
 */
const struct crl_vtop_ops *crl_vtop_load(const char *board, const char *netlist, void (*message)(const char *text),
                                         char *error, size_t error_size);

#endif
