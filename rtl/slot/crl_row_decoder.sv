// SPDX-License-Identifier: Apache-2.0
//
// Takes a row apart and registers its selects.
//
// Timing: row_i is the table's output in time r+1; departs_i and arrives_i say which half of it plays. raddr_o, own_o and
// take_o leave at once, everything else after the next edge (time r+2).

module crl_row_decoder #(
  `include "crl_router_form.svh"
  /// 1: a node's own words come from streams, and words for it leave on streams.
  parameter int Streams = 0,
  /// 1: lanes have banks; 0, with streams and without Delay: no word waits.
  parameter int Store = 1,
  `include "crl_row.svh"
  /// Bits of a row number.
  localparam int TA = (TableDepth > 1) ? $clog2(TableDepth) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   en_i,             // 0: the row of time r+2 stays for a cycle more; 1 while in reset

  input  logic                   departs_i,        // time r+1: the row's departures play
  input  logic                   arrives_i,        // time r+1: its arrivals do
  input  logic [RowW-1:0]        row_i,
  output logic [Banks*AddrW-1:0] raddr_o,          // time r+1
  output logic [Banks-1:0]       own_o,            // time r+1, whether it plays or not
  output logic [Banks-1:0]       take_o,           // time r+1: own_o of a row that plays, in the cycle that ends it
  output logic [Banks*AddrW-1:0] saddr_o,          // time r+1: where a sum is that is added to

  input  logic [TA-1:0]          number_i,         // of the row, in time r+2
  output logic [Banks-1:0]       byp_o,
  output logic [Banks-1:0]       dly_o,
  output logic [Banks-1:0]       wen_o,
  output logic [Banks*XV-1:0]    wsel_o,
  output logic [Banks*AddrW-1:0] waddr_o,
  output logic [Banks-1:0]       set_o,
  output logic [Banks-1:0]       fwd_o,
  output logic [Lanes-1:0]       ov_o,
  output logic [Lanes*SV-1:0]    osel_o,
  output logic [Lanes*GV-1:0]    oport_o,
  output logic [Lanes-1:0]       exp_o,
  output logic [Lanes*GV-1:0]    iport_o,
  output logic [Lanes-1:0]       show_o,
  output logic [Lanes*SV-1:0]    ssel_o            // of banks that add up: the one whose sum a stream shows
);

  // What makes something happen: for rows that play only, else a table would play while it is loaded.
  function automatic [RowW-1:0] acting(input logic departures);
    acting = '0;
    for (int b = 0; b < Banks; b++) begin
      if (Store != 0 && !departures) acting[BankAt + b * BankFieldsW + WenAt] = 1'b1;
      if (Delay != 0 && !departures) acting[BankAt + b * BankFieldsW + DlyAt] = 1'b1;
    end
    for (int j = 0; j < Lanes; j++) begin
      if (departures) acting[OutAt + j * OutFieldsW] = 1'b1;
      else acting[InAt + j * InFieldsW] = 1'b1;
      if (Streams != 0 && Staged != 0 && !departures) acting[InAt + j * InFieldsW + ShowAt] = 1'b1;
    end
  endfunction
  localparam logic [RowW-1:0] Departures = acting(1'b1);
  localparam logic [RowW-1:0] Arrivals = acting(1'b0);

  // What is shown counts once, however long time stands still; with Staged the router sees to that, later.
  function automatic [RowW-1:0] showing(input logic streams);
    showing = '0;
    for (int j = 0; j < Lanes; j++) if (streams) showing[InAt + j * InFieldsW + ShowAt] = 1'b1;
  endfunction
  localparam logic [RowW-1:0] Shows = showing(Streams != 0 && Staged == 0);

  logic [RowW-1:0] row_q;

  for (genvar i = 0; i < RowW; i++) begin : gen_bit
    always_ff @(posedge clk_i) begin
      if (Shows[i]) begin
        if (!rst_ni || !en_i || !arrives_i) row_q[i] <= 1'b0;
        else row_q[i] <= row_i[i];
      end else if (en_i) begin
        if (Departures[i] && (!rst_ni || !departs_i)) row_q[i] <= 1'b0;
        else if (Arrivals[i] && (!rst_ni || !arrives_i)) row_q[i] <= 1'b0;
        else row_q[i] <= row_i[i];
      end
    end
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    localparam int At = BankAt + b * BankFieldsW;

    assign take_o[b] = own_o[b] && departs_i && en_i;
    assign wen_o[b]  = (Store != 0) && row_q[At + WenAt];
    assign byp_o[b]  = (BypW != 0) && row_q[At + BypAt];
    assign dly_o[b]  = (Delay != 0) && row_q[At + DlyAt];

    if (Store != 0) begin : gen_raddr
      assign raddr_o[b*AddrW +: AddrW] = row_i[At +: AddrW];
    end else begin : gen_no_raddr
      assign raddr_o[b*AddrW +: AddrW] = '0;
    end

    if (XW > 0) begin : gen_wsel
      assign wsel_o[b*XV +: XV] = row_q[At + WselAt +: XW];
    end else begin : gen_no_wsel
      assign wsel_o[b] = 1'b0;
    end

    if (Store != 0 && WaddrField != 0) begin : gen_waddr
      assign waddr_o[b*AddrW +: AddrW] = row_q[At + WaddrAt +: AddrW];
    end else begin : gen_row_waddr
      // A table with more rows than a page has words wraps; one with fewer uses the low words.
      assign waddr_o[b*AddrW +: AddrW] = AddrW'(number_i);
    end
  end

  // Own words: of a bank's lane, or of a stream, for any of the banks that add up.
  for (genvar b = 0; b < Banks; b++) begin : gen_own
    if (Streams != 0 && Combine != 0 && b < Lanes) begin : gen_any
      logic [Banks-1:0] wants;
      for (genvar c = 0; c < Banks; c++) begin : gen_bank
        assign wants[c] = row_i[BankAt + c * BankFieldsW + WselAt + Lanes + b];
      end
      assign own_o[b] = |wants;
    end else if (Streams != 0 && Combine == 0) begin : gen_its
      assign own_o[b] = row_i[BankAt + b * BankFieldsW + OwnAt];
    end else begin : gen_none
      assign own_o[b] = 1'b0;
    end
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_add
    localparam int At = BankAt + b * BankFieldsW;

    assign set_o[b] = (Combine != 0) && row_q[At + SetAt];
    assign fwd_o[b] = (Combine != 0) && row_q[At + FwdAt];

    if (Combine != 0) begin : gen_saddr
      // A sum and the one that it becomes lie side by side, or in the same place.
      assign saddr_o[b*AddrW +: AddrW] = row_i[At + WaddrAt +: AddrW] ^ AddrW'(row_i[At + FlipAt]);
    end else begin : gen_no_saddr
      assign saddr_o[b*AddrW +: AddrW] = '0;
    end
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    localparam int Out = OutAt + j * OutFieldsW;
    localparam int In  = InAt + j * InFieldsW;

    assign ov_o[j]  = row_q[Out];
    assign exp_o[j] = row_q[In];

    if (Streams != 0) begin : gen_show
      assign show_o[j] = row_q[In + ShowAt];
    end else begin : gen_no_show
      assign show_o[j] = 1'b0;
    end

    if (SselW > 0) begin : gen_ssel
      assign ssel_o[j*SV +: SV] = row_q[In + SselAt +: SselW];
    end else begin : gen_no_ssel
      assign ssel_o[j*SV +: SV] = '0;
    end

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
  localparam int FBankW = Store * (AddrW + 1 + WaddrField * AddrW) + (Banks < Lanes && Combine == 0 ? 0 : 1) + Delay + XW + OwnW + AddW;
  localparam int FInW   = 1 + GW + Streams + SselW;
  localparam int FOutW  = 1 + SW + GW;

  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_comb a_row_bits: assert (RowW == 1 + Banks * FBankW + Lanes * (FOutW + FInW));

  logic [RowW-1:0] f_row_q;
  logic            f_departs_q, f_arrives_q;
  always_ff @(posedge clk_i) if (en_i) begin
    f_row_q     <= row_i;
    f_departs_q <= rst_ni && departs_i;
    f_arrives_q <= rst_ni && arrives_i;
  end
  logic f_moved_q;
  always_ff @(posedge clk_i) f_moved_q <= en_i;

  logic [Banks*AddrW-1:0] f_read_at, f_write_at;
  logic [Banks*AddrW-1:0] f_add_at;
  logic [Banks-1:0]       f_live, f_keep, f_write, f_own, f_set, f_fwd;
  logic [Banks*XV-1:0]    f_write_from;
  logic [Lanes-1:0]       f_send, f_wait, f_show;
  logic [Lanes*SV-1:0]    f_send_what, f_show_what;
  logic [Lanes*GV-1:0]    f_send_where, f_wait_where;

  for (genvar b = 0; b < Banks; b++) begin : gen_f_bank
    localparam int At = 1 + b * FBankW;
    localparam int KeepAt = At + FBankW - AddW - OwnW - Store * WaddrField * AddrW - XW - Store - Delay;

    assign f_add_at[b*AddrW +: AddrW] = (Combine != 0)
        ? row_i[At + FBankW - 3 - AddrW +: AddrW] ^ AddrW'(row_i[At + FBankW - 1]) : '0;
    assign f_set[b] = Combine != 0 && f_row_q[At + FBankW - 3];
    assign f_fwd[b] = Combine != 0 && f_row_q[At + FBankW - 2];
    assign f_read_at[b*AddrW +: AddrW]  = (Store != 0) ? row_i[At +: AddrW] : '0;
    assign f_live[b]                    = (Banks >= Lanes || Combine != 0) && f_row_q[At + Store * AddrW];
    assign f_keep[b]                    = f_arrives_q && Delay != 0 && f_row_q[KeepAt];
    assign f_write[b]                   = f_arrives_q && Store != 0 && f_row_q[KeepAt + Delay];
    assign f_write_from[b*XV +: XV]     = (XW > 0) ? f_row_q[KeepAt + Delay + Store +: XV] : '0;
    assign f_write_at[b*AddrW +: AddrW] = (Store != 0 && WaddrField != 0) ? f_row_q[At + FBankW - AddW - OwnW - AddrW +: AddrW] : AddrW'(number_i);
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_f_own
    if (Combine == 0) begin : gen_its
      assign f_own[b] = Streams != 0 && row_i[1 + (b + 1) * FBankW - 1];
    end else begin : gen_any
      always_comb begin
        f_own[b] = 1'b0;
        for (int c = 0; c < Banks; c++)
          if (Streams != 0 && b < Lanes) f_own[b] |= row_i[1 + (c + 1) * FBankW - AddW - AddrW - Lanes + (b % Lanes)];
      end
    end
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_f_lane
    localparam int Out = 1 + Banks * FBankW + j * FOutW;
    localparam int In = 1 + Banks * FBankW + Lanes * FOutW + j * FInW;

    assign f_send[j]                = f_departs_q && f_row_q[Out];
    assign f_wait[j]                = f_arrives_q && f_row_q[In];
    assign f_show[j]                = (Streams != 0) ? (f_moved_q || Staged != 0) && f_arrives_q && f_row_q[In + GW + 1] : 1'b0;
    assign f_show_what[j*SV +: SV]  = (SselW > 0) ? f_row_q[In + FInW - SV +: SV] : '0;
    assign f_send_what[j*SV +: SV]  = (SW > 0) ? f_row_q[Out + 1 +: SV] : '0;
    assign f_send_where[j*GV +: GV] = (GW > 0) ? f_row_q[Out + FOutW - GV +: GV] : '0;
    assign f_wait_where[j*GV +: GV] = (GW > 0) ? f_row_q[In + 1 +: GV] : '0;
  end

  always_comb begin
    if (!f_past_valid || !rst_ni) assume (en_i);
    a_read_at: assert (raddr_o == f_read_at);
    a_own: assert (own_o == f_own);
    a_take: assert (take_o == (departs_i && en_i ? f_own : '0));
    a_add_at: assert (saddr_o == f_add_at);
    if (f_past_valid) begin
      a_live: assert (byp_o == f_live);
      a_set: assert (set_o == f_set);
      a_fwd: assert (fwd_o == f_fwd);
      a_keep: assert (dly_o == f_keep);
      a_write: assert (wen_o == f_write);
      a_write_from: assert (wsel_o == f_write_from);
      a_write_at: assert (waddr_o == f_write_at);
      a_send: assert (ov_o == f_send);
      a_wait: assert (exp_o == f_wait);
      a_show: assert (show_o == f_show);
      a_show_what: assert (ssel_o == f_show_what);
      a_send_what: assert (osel_o == f_send_what);
      a_send_where: assert (oport_o == f_send_where);
      a_wait_where: assert (iport_o == f_wait_where);
      c_all: cover ((Store == 0 || &wen_o) && &ov_o && &exp_o);
    end
  end
`endif

endmodule
