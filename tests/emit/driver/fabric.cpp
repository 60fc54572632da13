// SPDX-License-Identifier: Apache-2.0
// What Verilator makes of the top, and no more.
#include "fabric.h"
#include "Vfirst.h"
#include "verilated.h"

static VerilatedContext context;
static Vfirst &top()
{
    static Vfirst top(&context);
    return top;
}

double sc_time_stamp() { return 0; }

void fabric_settle(struct fabric *f)
{
    Vfirst &t = top();
    t.clk_i = 0;
    t.rst_ni = f->rst_n;
    t.start_i = 0;
    t.op_i = 0;
    t.s_axil_awvalid_i = f->awvalid;
    t.s_axil_awaddr_i = f->awaddr;
    t.s_axil_wvalid_i = f->wvalid;
    t.s_axil_wdata_i = f->wdata;
    t.s_axil_wstrb_i = 15;
    t.s_axil_bready_i = f->bready;
    t.s_axil_arvalid_i = f->arvalid;
    t.s_axil_araddr_i = f->araddr;
    t.s_axil_rready_i = f->rready;
    t.s_axis_tvalid_i = f->s_tvalid;
    t.m_axis_tready_i = f->m_tready;
    for (unsigned i = 0; i < sizeof t.s_axis_tdata_i / 4; i++) t.s_axis_tdata_i[i] = f->s_tdata[i];
    t.eval();
    f->awready = t.s_axil_awready_o;
    f->wready = t.s_axil_wready_o;
    f->bvalid = t.s_axil_bvalid_o;
    f->bresp = t.s_axil_bresp_o;
    f->arready = t.s_axil_arready_o;
    f->rvalid = t.s_axil_rvalid_o;
    f->rresp = t.s_axil_rresp_o;
    f->rdata = t.s_axil_rdata_o;
    f->busy = t.busy_o;
    f->fault = t.fault_o;
    f->s_tready = t.s_axis_tready_o;
    f->m_tvalid = t.m_axis_tvalid_o;
    for (unsigned i = 0; i < sizeof t.m_axis_tdata_o / 4; i++) f->m_tdata[i] = t.m_axis_tdata_o[i];
}

void fabric_clock(void)
{
    top().clk_i = 1;
    top().eval();
}
