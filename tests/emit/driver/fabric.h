// SPDX-License-Identifier: Apache-2.0
// The verilated top `first` (8 nodes or fewer, a stream of 32 bits each way) for programs in C.
#ifndef FABRIC_H
#define FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Its signals, what goes in and what comes out, of the cycle that fabric_clock() ends. One bit a node in masks.
struct fabric {
    bool rst_n, awvalid, wvalid, bready, arvalid, rready;
    uint8_t awaddr, araddr;
    uint32_t wdata, s_tvalid, m_tready;
    uint32_t s_tdata[8];

    bool awready, wready, bvalid, arready, rvalid, busy, fault;
    uint8_t bresp, rresp;
    uint32_t rdata, s_tready, m_tvalid;
    uint32_t m_tdata[8];
};

// Outputs as they follow from the inputs; then the edge.
void fabric_settle(struct fabric *f);
void fabric_clock(void);

#ifdef __cplusplus
}
#endif
#endif
