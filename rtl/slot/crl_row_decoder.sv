// SPDX-License-Identifier: Apache-2.0
//
// Takes a row apart and registers its selects; checks its parity.
//
// Timing: row_i is the table's output in time r+1 and fetched_i says that it is a row that plays. raddr_o leaves at
// once, everything else after the next edge (time r+2); a parity fault shows one edge later still.

module crl_row_decoder #(
  /// Sends and receives per cycle.
  parameter int Lanes = 4,
  /// Memories of the router.
  parameter int Banks = 4,
  /// 1: lanes have a delay register.
  parameter int Delay = 1,
  /// 1: a row carries a write address per bank.
  parameter int WaddrField = 0,
  /// Bits of a bank address.
  parameter int AddrW = 8,
  /// Bits that select an input lane for a bank.
  parameter int XW = 0,
  /// Bits that select a lane for an output.
  parameter int SW = 2,
  /// Bits that name a member of a lane's port group.
  parameter int GW = 0,
  /// Bits of a row number.
  parameter int TA = 8,
  /// Widths on the port list, where a field of no bits is one bit at 0.
  localparam int XV = (XW > 0) ? XW : 1,
  localparam int SV = (SW > 0) ? SW : 1,
  localparam int GV = (GW > 0) ? GW : 1,
  /// Bits that choose the live input for a lane; with fewer banks than lanes the outputs do that.
  localparam int BypW = (Banks < Lanes) ? 0 : 1,
  /// Bits of a row.
  localparam int RowW = 1 + Banks * (AddrW + 1 + BypW + Delay + XW + WaddrField * AddrW) + Lanes * (2 + SW + 2 * GW)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,

  input  logic                   fetched_i,
  input  logic [RowW-1:0]        row_i,
  output logic [Banks*AddrW-1:0] raddr_o,

  input  logic                   active_i,         // time r+2: fetched_i one edge later
  input  logic [TA-1:0]          row_number_i,     // time r+2
  output logic [Banks-1:0]       byp_o,
  output logic [Banks-1:0]       dly_o,
  output logic [Banks-1:0]       wen_o,
  output logic [Banks*XV-1:0]    wsel_o,
  output logic [Banks*AddrW-1:0] waddr_o,
  output logic [Lanes-1:0]       ov_o,
  output logic [Lanes*SV-1:0]    osel_o,
  output logic [Lanes*GV-1:0]    oport_o,
  output logic [Lanes-1:0]       exp_o,
  output logic [Lanes*GV-1:0]    iport_o,

  output logic                   fault_parity_o,   // sticky
  output logic [TA-1:0]          fault_row_o       // first row of bad parity; says nothing while fault_parity_o is 0
);

  localparam int BankW = AddrW + 1 + BypW + Delay + XW + WaddrField * AddrW;
  localparam int OutW  = 1 + SW + GW;
  localparam int InW   = 1 + GW;
  // First bit of each part of the row, and of each field of a bank's part.
  localparam int BankAt  = 1;
  localparam int OutAt   = BankAt + Banks * BankW;
  localparam int InAt    = OutAt + Lanes * OutW;
  localparam int BypAt   = AddrW;
  localparam int DlyAt   = BypAt + BypW;
  localparam int WenAt   = DlyAt + Delay;
  localparam int WselAt  = WenAt + 1;
  localparam int WaddrAt = WselAt + XW;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [BankW-1:0] field;
    logic             wen_q;

    assign field = row_i[BankAt + b * BankW +: BankW];
    assign raddr_o[b*AddrW +: AddrW] = field[AddrW-1:0];

    // Selects that act without a row would play the table while it is loaded.
    always_ff @(posedge clk_i) begin
      if (!rst_ni || !fetched_i) wen_q <= 1'b0;
      else wen_q <= field[WenAt];
    end

    assign wen_o[b] = wen_q;

    if (BypW != 0) begin : gen_byp
      logic byp_q;
      always_ff @(posedge clk_i) byp_q <= field[BypAt];
      assign byp_o[b] = byp_q;
    end else begin : gen_no_byp
      assign byp_o[b] = 1'b0;
    end

    if (Delay != 0) begin : gen_dly
      logic dly_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni || !fetched_i) dly_q <= 1'b0;
        else dly_q <= field[DlyAt];
      end
      assign dly_o[b] = dly_q;
    end else begin : gen_no_dly
      assign dly_o[b] = 1'b0;
    end

    if (XW > 0) begin : gen_wsel
      logic [XW-1:0] wsel_q;
      always_ff @(posedge clk_i) wsel_q <= field[WselAt +: XW];
      assign wsel_o[b*XV +: XV] = wsel_q;
    end else begin : gen_no_wsel
      assign wsel_o[b] = 1'b0;
    end

    if (WaddrField != 0) begin : gen_waddr
      logic [AddrW-1:0] waddr_q;
      always_ff @(posedge clk_i) waddr_q <= field[WaddrAt +: AddrW];
      assign waddr_o[b*AddrW +: AddrW] = waddr_q;
    end else begin : gen_row_waddr
      // A table with more rows than a page has words wraps; one with fewer uses the low words.
      assign waddr_o[b*AddrW +: AddrW] = AddrW'(row_number_i);
    end
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_lane
    logic [OutW-1:0] out;
    logic [InW-1:0]  in;
    logic            ov_q, exp_q;

    assign out = row_i[OutAt + j * OutW +: OutW];
    assign in  = row_i[InAt + j * InW +: InW];

    always_ff @(posedge clk_i) begin
      if (!rst_ni || !fetched_i) begin
        ov_q  <= 1'b0;
        exp_q <= 1'b0;
      end else begin
        ov_q  <= out[0];
        exp_q <= in[0];
      end
    end

    assign ov_o[j]  = ov_q;
    assign exp_o[j] = exp_q;

    if (SW > 0) begin : gen_osel
      logic [SW-1:0] osel_q;
      always_ff @(posedge clk_i) osel_q <= out[1 +: SW];
      assign osel_o[j*SV +: SV] = osel_q;
    end else begin : gen_no_osel
      assign osel_o[j] = 1'b0;
    end

    if (GW > 0) begin : gen_port
      logic [GW-1:0] oport_q, iport_q;
      always_ff @(posedge clk_i) begin
        oport_q <= out[1 + SW +: GW];
        iport_q <= in[1 +: GW];
      end
      assign oport_o[j*GV +: GV] = oport_q;
      assign iport_o[j*GV +: GV] = iport_q;
    end else begin : gen_no_port
      assign oport_o[j] = 1'b0;
      assign iport_o[j] = 1'b0;
    end
  end

  crl_parity #(
    .RowW(RowW),
    .TA  (TA)
  ) u_parity (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .row_i       (row_i),
    .active_i    (active_i),
    .row_number_i(row_number_i),
    .fault_o     (fault_parity_o),
    .fault_row_o (fault_row_o)
  );

`ifdef FORMAL
  // The fields that make something happen stand where the format says, and act for rows that play only.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  logic [Banks-1:0] f_write, f_keep;
  logic [Lanes-1:0] f_send, f_wait;

  for (genvar b = 0; b < Banks; b++) begin : gen_f_bank
    localparam int At = 1 + b * (AddrW + 1 + BypW + Delay + XW + WaddrField * AddrW) + AddrW + BypW;
    assign f_keep[b]  = Delay != 0 && row_i[At];
    assign f_write[b] = row_i[At + Delay];
  end

  for (genvar j = 0; j < Lanes; j++) begin : gen_f_lane
    assign f_send[j] = row_i[RowW - Lanes * (1 + GW) - (Lanes - j) * (1 + SW + GW)];
    assign f_wait[j] = row_i[RowW - (Lanes - j) * (1 + GW)];
  end

  always_ff @(posedge clk_i) if (f_past_valid) begin
    a_write: assert (wen_o == ($past(rst_ni && fetched_i) ? $past(f_write) : '0));
    a_keep: assert (dly_o == ($past(rst_ni && fetched_i) ? $past(f_keep) : '0));
    a_send: assert (ov_o == ($past(rst_ni && fetched_i) ? $past(f_send) : '0));
    a_wait: assert (exp_o == ($past(rst_ni && fetched_i) ? $past(f_wait) : '0));
    c_all: cover (&wen_o && &ov_o && &exp_o);
  end
`endif

endmodule
