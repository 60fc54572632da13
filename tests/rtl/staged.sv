// SPDX-License-Identifier: Apache-2.0
//
// Two routers that add up, one of them in stages, play the same random rows, and get the same words: what leaves them is
// the same, so many cycles later. Rows keep to docs/formats/row.md: nothing is read in the row after the one that writes it.
module staged #(
  parameter int Ports = 4,
  parameter int Lanes = 4,
  parameter int Banks = 4,
  parameter int Combine = 1,
  localparam int WriteXbar = 1,
  localparam int Delay = 1,
  localparam int WaddrField = 1,
  localparam int Streams = 0,
  localparam int Store = 1,
  localparam int AddrW = 3,
  localparam int DataW = 8,
  `include "crl_row.svh"
  localparam int Late = (Lanes > 2) ? 2 + $clog2(Lanes) : 3,
  localparam int Rows = 2000
);

  logic                   clk, rst_n, plays, acts;
  logic [RowW-1:0]        row;
  logic [2:0]             number;
  logic [Ports-1:0]       valid_in;
  logic [Ports*DataW-1:0] data_in;
  wire  [Ports-1:0]       valid[0:1];
  wire  [Ports*DataW-1:0] data[0:1];

  for (genvar i = 0; i < 2; i++) begin : gen_router
    crl_router #(
      .Ports     (Ports),
      .Lanes     (Lanes),
      .Banks     (Banks),
      .WriteXbar (1),
      .WaddrField(1),
      .Combine   (Combine),
      .Staged    (i),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(8)
    ) u_router (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .clear_i       (1'b0),
      .en_i          (1'b1),
      .row_i         (row),
      .fetched_i     (plays),
      .skip_departs_i(1'b0),
      .skip_arrives_i(1'b0),
      .fetched_page_i(1'b0),
      .active_i      (acts),
      .number_i      (number),
      .page_i        (1'b0),
      .link_valid_i  (valid_in),
      .link_data_i   (data_in),
      .link_valid_o  (valid[i]),
      .link_data_o   (data[i]),
      .own_valid_i   ({Banks{1'b0}}),
      .own_data_i    ({Banks*DataW{1'b0}}),
      .own_ready_o   (),
      .show_valid_o  (),
      .show_data_o   (),
      .fault_starved_o(),
      .fault_o       (),
      .fault_ports_o (),
      .fault_row_o   ()
    );
  end

  // What bank b wrote in the row before.
  reg              wrote[0:Banks-1];
  reg [AddrW-1:0]  wrote_at[0:Banks-1];
  // What left the first router, in a ring.
  reg [Ports-1:0]       valid_then[0:15];
  reg [Ports*DataW-1:0] data_then[0:15];
  integer r, b, j, p, at, words, wrong;
  reg [AddrW-1:0] waddr, raddr;
  reg             wen, set, fwd, flip, dly;

  task make_row;
    begin
      row = {RowW{1'b0}};
      for (b = 0; b < Banks; b = b + 1) begin
        at    = BankAt + b * BankFieldsW;
        // The first rows write all words.
        wen   = r < 8 || ($random & 1);
        waddr = (r < 8) ? r : $random;
        raddr = $random;
        fwd   = r >= 8 && wrote[b] && ($random & 1);
        set   = r < 8 || (!fwd && ($random & 3) == 0);
        flip  = !set && !fwd && ($random & 1);
        if (!set && !fwd && wrote[b] && (waddr ^ flip) == wrote_at[b]) begin
          set  = 1'b1;
          flip = 1'b0;
        end
        dly = ($random & 3) == 0 || (wrote[b] && raddr == wrote_at[b]) || (wen && raddr == waddr);
        row[at +: AddrW]           = raddr;
        row[at + BypAt]            = ($random & 3) == 0;
        row[at + DlyAt]            = dly;
        row[at + WenAt]            = wen;
        row[at + WselAt +: XW]     = $random;
        row[at + WaddrAt +: AddrW] = waddr;
        row[at + SetAt]            = set;
        row[at + FwdAt]            = fwd;
        row[at + FlipAt]           = flip;
        wrote[b]    = wen;
        wrote_at[b] = waddr;
      end
      for (j = 0; j < Lanes; j = j + 1) begin
        at = OutAt + j * OutFieldsW;
        row[at] = $random;
        for (p = 0; p < SW; p = p + 1) row[at + OselAt + p] = $random;
        if (SW > 0) if (row[at + OselAt +: SV] >= Banks) row[at + OselAt +: SV] = 0;
        for (p = 0; p < GW; p = p + 1) row[at + OportAt + p] = $random;
        at = InAt + j * InFieldsW;
        for (p = 0; p < GW; p = p + 1) row[at + IportAt + p] = $random;
        if (GW > 0) if (row[at + IportAt +: GV] * Lanes + j >= Ports) row[at + IportAt +: GV] = 0;
      end
    end
  endtask

  initial begin
    clk = 0;
    rst_n = 0;
    plays = 0;
    acts = 0;
    row = 0;
    number = 0;
    valid_in = 0;
    data_in = 0;
    words = 0;
    wrong = 0;
    for (b = 0; b < Banks; b = b + 1) wrote[b] = 0;
    for (r = -16; r < Rows; r = r + 1) begin
      acts  = plays;
      plays = r >= 0;
      rst_n = r >= -8;
      if (r >= 0) make_row;
      for (p = 0; p < Ports; p = p + 1) data_in[p*DataW +: DataW] = $random;
      #1 clk = 1;
      #1;
      valid_then[r & 15] = valid[0];
      data_then[r & 15]  = data[0];
      // Sums of before the first row are nobody's.
      for (p = 0; p < Ports && r > 16; p = p + 1) begin
        words = words + valid[1][p];
        if (valid[1][p] !== valid_then[(r - Late) & 15][p] ||
            (valid[1][p] && data[1][p*DataW +: DataW] !== data_then[(r - Late) & 15][p*DataW +: DataW])) wrong = wrong + 1;
      end
      clk = 0;
    end
    $display("%0d words, %0d wrong", words, wrong);
    $finish;
  end
endmodule
