// SPDX-License-Identifier: Apache-2.0
//
// Takes a row apart and registers its selects.
//
// Timing: row_i is the table's output in time r+1 and fetched_i says that it is a row that plays. raddr_o leaves at
// once, everything else after the next edge (time r+2).

module crl_row_decoder #(
  /// Link ports of the router.
  parameter int Ports = 4,
  /// Sends and receives per cycle.
  parameter int Lanes = 4,
  /// Memories of the router.
  parameter int Banks = 4,
  /// 1: each bank selects its input lane.
  parameter int WriteXbar = 0,
  /// 1: lanes have a delay register.
  parameter int Delay = 1,
  /// 1: a row carries a write address per bank.
  parameter int WaddrField = 0,
  /// Bits of a bank address.
  parameter int AddrW = 8,
  `include "crl_row.svh"
  /// Bits of a row number.
  parameter int TA = 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   fetched_i,
  input  logic [RowW-1:0]        row_i,
  output logic [Banks*AddrW-1:0] raddr_o,

  input  logic [TA-1:0]          number_i,         // of the row, in time r+2
  output logic [Banks-1:0]       byp_o,
  output logic [Banks-1:0]       dly_o,
  output logic [Banks-1:0]       wen_o,
  output logic [Banks*XV-1:0]    wsel_o,
  output logic [Banks*AddrW-1:0] waddr_o,
  output logic [Lanes-1:0]       ov_o,
  output logic [Lanes*SV-1:0]    osel_o,
  output logic [Lanes*GV-1:0]    oport_o,
  output logic [Lanes-1:0]       exp_o,
  output logic [Lanes*GV-1:0]    iport_o
);

  // What makes something happen: for rows that play only, else a table would play while it is loaded.
  function automatic [RowW-1:0] acting(input logic unused);
    acting = '0;
    for (int b = 0; b < Banks; b++) begin
      acting[BankAt + b * BankFieldsW + WenAt] = 1'b1;
      if (Delay != 0) acting[BankAt + b * BankFieldsW + DlyAt] = 1'b1;
    end
    for (int j = 0; j < Lanes; j++) begin
      acting[OutAt + j * OutFieldsW] = 1'b1;
      acting[InAt + j * InFieldsW]   = 1'b1;
    end
  endfunction
  localparam logic [RowW-1:0] Acting = acting(1'b0);

  logic [RowW-1:0] row_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || !fetched_i) row_q <= row_i & ~Acting;
    else row_q <= row_i;
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    localparam int At = BankAt + b * BankFieldsW;

    assign raddr_o[b*AddrW +: AddrW] = row_i[At +: AddrW];
    assign wen_o[b]                  = row_q[At + WenAt];
    assign byp_o[b]                  = (BypW != 0) && row_q[At + BypAt];
    assign dly_o[b]                  = (Delay != 0) && row_q[At + DlyAt];

    if (XW > 0) begin : gen_wsel
      assign wsel_o[b*XV +: XV] = row_q[At + WselAt +: XW];
    end else begin : gen_no_wsel
      assign wsel_o[b] = 1'b0;
    end

    if (WaddrField != 0) begin : gen_waddr
      assign waddr_o[b*AddrW +: AddrW] = row_q[At + WaddrAt +: AddrW];
    end else begin : gen_row_waddr
      // A table with more rows than a page has words wraps; one with fewer uses the low words.
      assign waddr_o[b*AddrW +: AddrW] = AddrW'(number_i);
    end
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    localparam int Out = OutAt + j * OutFieldsW;
    localparam int In  = InAt + j * InFieldsW;

    assign ov_o[j]  = row_q[Out];
    assign exp_o[j] = row_q[In];

    if (SW > 0) begin : gen_osel
      assign osel_o[j*SV +: SV] = row_q[Out + OselAt +: SW];
    end else begin : gen_no_osel
      assign osel_o[j] = 1'b0;
    end

    if (GW > 0) begin : gen_port
      assign oport_o[j*GV +: GV] = row_q[Out + OportAt +: GW];
      assign iport_o[j*GV +: GV] = row_q[In + IportAt +: GW];
    end else begin : gen_no_port
      assign oport_o[j] = 1'b0;
      assign iport_o[j] = 1'b0;
    end
  end

  // What these parameters leave out.
  logic unused_bits;
  assign unused_bits = &{1'b0, row_q, number_i};

`ifdef FORMAL
  // The fields stand where the format says, in widths worked out anew, and act for rows that play only.
  localparam int FBankW = AddrW + (Banks < Lanes ? 0 : 1) + Delay + 1 + XW + WaddrField * AddrW;
  localparam int FOutW  = 1 + SW + GW;

  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb a_row_bits: assert (RowW == 1 + Banks * FBankW + Lanes * (FOutW + 1 + GW));

  logic [RowW-1:0] f_row_q;
  logic            f_acts_q;
  always_ff @(posedge clk_i) begin
    f_row_q  <= row_i;
    f_acts_q <= rst_ni && fetched_i;
  end

  logic [Banks*AddrW-1:0] f_read_at, f_write_at;
  logic [Banks-1:0]       f_live, f_keep, f_write;
  logic [Banks*XV-1:0]    f_write_from;
  logic [Lanes-1:0]       f_send, f_wait;
  logic [Lanes*SV-1:0]    f_send_what;
  logic [Lanes*GV-1:0]    f_send_where, f_wait_where;

  for (genvar b = 0; b < Banks; b++) begin : gen_f_bank
    localparam int At = 1 + b * FBankW;
    localparam int KeepAt = At + FBankW - WaddrField * AddrW - XW - 1 - Delay;

    assign f_read_at[b*AddrW +: AddrW]  = row_i[At +: AddrW];
    assign f_live[b]                    = Banks >= Lanes && f_row_q[At + AddrW];
    assign f_keep[b]                    = f_acts_q && Delay != 0 && f_row_q[KeepAt];
    assign f_write[b]                   = f_acts_q && f_row_q[KeepAt + Delay];
    assign f_write_from[b*XV +: XV]     = (XW > 0) ? f_row_q[KeepAt + Delay + 1 +: XV] : '0;
    assign f_write_at[b*AddrW +: AddrW] = (WaddrField != 0) ? f_row_q[At + FBankW - AddrW +: AddrW] : AddrW'(number_i);
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_f_lane
    localparam int Out = 1 + Banks * FBankW + j * FOutW;
    localparam int In = 1 + Banks * FBankW + Lanes * FOutW + j * (1 + GW);

    assign f_send[j]                = f_acts_q && f_row_q[Out];
    assign f_wait[j]                = f_acts_q && f_row_q[In];
    assign f_send_what[j*SV +: SV]  = (SW > 0) ? f_row_q[Out + 1 +: SV] : '0;
    assign f_send_where[j*GV +: GV] = (GW > 0) ? f_row_q[Out + FOutW - GV +: GV] : '0;
    assign f_wait_where[j*GV +: GV] = (GW > 0) ? f_row_q[In + 1 +: GV] : '0;
  end

  always_comb begin
    a_read_at: assert (raddr_o == f_read_at);
    if (f_past_valid) begin
      a_live: assert (byp_o == f_live);
      a_keep: assert (dly_o == f_keep);
      a_write: assert (wen_o == f_write);
      a_write_from: assert (wsel_o == f_write_from);
      a_write_at: assert (waddr_o == f_write_at);
      a_send: assert (ov_o == f_send);
      a_wait: assert (exp_o == f_wait);
      a_send_what: assert (osel_o == f_send_what);
      a_send_where: assert (oport_o == f_send_where);
      a_wait_where: assert (iport_o == f_wait_where);
      c_all: cover (&wen_o && &ov_o && &exp_o);
    end
  end
`endif

endmodule
