// SPDX-License-Identifier: Apache-2.0
// The verilated crl_board behind the functions of top.h. Included after Verilator's output (see top.c).
#include "top.h"

#include <new>
#include <string>

namespace
{

// Wires of cables, of a design that has some.
template <class Design> auto set_wires(Design &design, unsigned in, int) -> decltype((void)design.wire_i)
{
    design.wire_i = in / CRL_VTOP_WIRE;
}
template <class Design> void set_wires(Design &, unsigned, long) {}
template <class Design> auto get_wires(const Design &design, int) -> decltype(design.wire_o + 0u)
{
    return design.wire_o * CRL_VTOP_WIRE;
}
template <class Design> unsigned get_wires(const Design &, long) { return 0; }

struct Top {
    VerilatedContext context;
    Vcrl_board design;
    Top(const char *tables, int seed) : design{with_tables(context, tables, seed)} {}
    static VerilatedContext *with_tables(VerilatedContext &context, const char *tables, int seed)
    {
        const std::string argument = std::string("+tables=") + (tables ? tables : "");
        const char *arguments[] = {"crl_board", argument.c_str()};
        context.commandArgs(tables ? 2 : 1, arguments);
        context.randReset(2);
        context.randSeed(seed);
        context.threads(1); // else it keeps helpers, which have nothing to do and do not survive fork()
        return &context;
    }
    unsigned out() const
    {
        return (design.uart_tx_o ? CRL_VTOP_OUT_TX : 0) | (design.flash_csn_o ? CRL_VTOP_OUT_CS_N : 0) |
               (design.flash_sck_o ? CRL_VTOP_OUT_SCK : 0) | (design.flash_mosi_o ? CRL_VTOP_OUT_MOSI : 0) |
               (design.flash_oe_o ? CRL_VTOP_OUT_OE : 0) | get_wires(design, 0);
    }
};

void *top_create(const char *tables, int seed)
{
    Top *top = new (std::nothrow) Top(tables, seed);
    if (!top) return nullptr;
    top->design.clk_i = 0;
    top->design.uart_rx_i = 1;
    top->design.flash_miso_i = 1;
    top->design.eval();
    return top;
}

void top_destroy(void *top) { delete static_cast<Top *>(top); }

unsigned top_clock(void *opaque, unsigned in)
{
    Top *top = static_cast<Top *>(opaque);
    top->design.uart_rx_i = !!(in & CRL_VTOP_IN_RX);
    top->design.flash_miso_i = !!(in & CRL_VTOP_IN_MISO);
    set_wires(top->design, in & CRL_VTOP_WIRE_MASK, 0);
    top->design.clk_i = 1;
    top->design.eval();
    top->design.clk_i = 0;
    top->design.eval();
    return top->out();
}

const crl_vtop_ops ops = {CRL_VTOP_ABI, top_create, top_destroy, top_clock};

} // namespace

extern "C" __attribute__((visibility("default"))) const crl_vtop_ops *crl_vtop_entry(void) { return &ops; }
