// SPDX-License-Identifier: Apache-2.0
//
// Two routers that add up, one of them in stages, play the same random rows, and get the same words: what leaves them is
// the same, so many cycles later. Rows keep to docs/formats/row.md: nothing is read in the row after the one that writes it, raddr names
// what leaves also where the first router does not look, and that is not written in the row after. Rows of floating-point numbers add one word,
// and no sum within eight rows of the one before. Now and then time stands still.
module staged #(
  parameter int Ports = 4,
  parameter int Lanes = 4,
  parameter int Banks = 4,
  parameter int Combine = 1,
  parameter int Streams = 0,
  parameter int Single = 0,
  parameter int Aligned = 0,
  localparam int WriteXbar = 1,
  localparam int Delay = 1,
  localparam int WaddrField = 1,
  localparam int Store = 1,
  localparam int AddrW = 3,
  localparam int Floats = (Combine >= 7) ? 1 : 0,
  localparam int DataW = (Floats != 0) ? 32 : 8,
  localparam int Staged = 1,
  `include "crl_row.svh"
  `include "crl_late.svh"
  localparam int Rows = 2000
);

  logic                   clk, rst_n, en, plays, acts;
  logic [RowW-1:0]        row;
  logic [2:0]             number;
  logic [Ports-1:0]       valid_in;
  logic [Ports*DataW-1:0] data_in;
  wire  [Ports-1:0]       valid[0:1];
  wire  [Ports*DataW-1:0] data[0:1];
  wire  [Lanes-1:0]       shows[0:1];
  wire  [Lanes*DataW-1:0] shown[0:1];
  logic [Banks*DataW-1:0] own;

  for (genvar i = 0; i < 2; i++) begin : gen_router
    crl_router #(
      .Ports     (Ports),
      .Lanes     (Lanes),
      .Banks     (Banks),
      .WriteXbar (1),
      .WaddrField(1),
      .Combine   (Combine),
      .Staged    (i),
      .Single    (Single * i),
      .Aligned   (Aligned * i),
      .Streams   (Streams),
      .DataW     (DataW),
      .AddrW     (AddrW),
      .TableDepth(8)
    ) u_router (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .clear_i       (1'b0),
      .en_i          (en),
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
      .own_valid_i   ({Banks{1'b1}}),
      .own_data_i    (own),
      .own_ready_o   (),
      .show_valid_o  (shows[i]),
      .show_data_o   (shown[i]),
      .fault_starved_o(),
      .fault_o       (),
      .fault_ports_o (),
      .fault_row_o   ()
    );
  end

  // What bank b wrote in the row before.
  reg              wrote[0:Banks-1];
  reg [AddrW-1:0]  wrote_at[0:Banks-1];
  // In which row it wrote a word last.
  integer          wrote_in[0:Banks-1][0:7];
  // What it wrote last, and what left.
  reg [AddrW-1:0]  last_at[0:Banks-1];
  reg [AddrW-1:0]  left_at[0:Banks-1];
  // What left the first router, in a ring.
  reg [Ports-1:0]       valid_then[0:15];
  reg [Ports*DataW-1:0] data_then[0:15];
  reg [Lanes-1:0]       shows_then[0:15];
  reg [Lanes*DataW-1:0] shown_then[0:15];
  integer r, b, j, p, at, words, wrong;

  // Numbers of a few exponents, so that sums are none of their terms; and now and then one that is none, or infinite.
  function [DataW-1:0] a_word(input integer at_random);
    reg [31:0] bits;
    begin
      bits   = $random;
      a_word = bits;
      if (Floats != 0 && Combine == 7 && (at_random & 7) != 0) a_word = {bits[31], 4'b0, {4{&bits[30:29]}}, bits[25:23] & 3'd3, bits[19:0]};
      if (Floats != 0 && Combine == 7 && (at_random & 15) == 8) a_word[30:23] = 8'hff;
    end
  endfunction
  reg [AddrW-1:0] waddr, raddr;
  reg             wen, set, fwd, flip, byp, dly;
  reg [31:0]      mask;

  task make_row;
    begin
      row = {RowW{1'b0}};
      for (b = 0; b < Banks; b = b + 1) begin
        at    = BankAt + b * BankFieldsW;
        // The first rows write all words.
        wen   = r < 8 || ($random & 1);
        waddr = (r < 8) ? r : $random;
        if (r >= 8 && waddr == left_at[b]) waddr = waddr + 1'b1;
        fwd   = r >= 8 && wrote[b] && ($random & 1);
        set   = r < 8 || (!fwd && ($random & 3) == 0);
        flip  = !set && !fwd && ($random & 1);
        if (!set && !fwd && wrote[b] && (waddr ^ flip) == wrote_at[b]) begin
          set  = 1'b1;
          flip = 1'b0;
        end
        if (Floats != 0) begin
          fwd = 1'b0;
          if (r - wrote_in[b][waddr ^ flip] < 8) {set, flip} = 2'b10;
        end
        byp   = wen && (r < 8 || ($random & 3) == 0);
        raddr = byp ? waddr : ($random & 3) == 0 ? last_at[b] : $random;
        if (!byp && wen && raddr == waddr) raddr = raddr + 1'b1;
        // Of what was written last it is told from what is here.
        dly   = !byp && raddr == last_at[b];
        row[at +: AddrW]           = raddr;
        row[at + BypAt]            = byp;
        row[at + DlyAt]            = dly;
        row[at + WenAt]            = wen;
        // At most one own word, and with Single one of links.
        mask = $random;
        if (Single != 0) mask = (mask & -mask) >> ($random & 1);
        if (Floats != 0) mask = 32'd1 << $unsigned($random) % XW;
        else if (Streams != 0) mask = (mask & ((1 << Lanes) - 1)) | ((32'd1 << Lanes << $unsigned($random) % (2 * Lanes)) & ((1 << 2 * Lanes) - 1));
        // Of streams tied to banks, the bank's own.
        if (Aligned != 0 && mask >> Lanes != 0) mask = (Floats != 0 ? 0 : mask & ((1 << Lanes) - 1)) | (32'd1 << Lanes << b % Lanes);
        row[at + WselAt +: XW]     = mask;
        row[at + WaddrAt +: AddrW] = waddr;
        row[at + SetAt]            = set;
        row[at + FwdAt]            = fwd;
        row[at + FlipAt]           = flip;
        if (wen) wrote_in[b][waddr] = r;
        wrote[b]    = wen;
        wrote_at[b] = waddr;
        last_at[b]  = wen ? waddr : last_at[b];
        left_at[b]  = raddr;
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
        if (Streams != 0) begin
          row[at + ShowAt] = $random;
          for (p = 0; p < SselW; p = p + 1) row[at + SselAt + p] = $random;
          if (SselW > 0 && Aligned != 0) row[at + SselAt +: SV] = j + Lanes * ($unsigned($random) % ((Banks - j + Lanes - 1) / Lanes));
          else if (SselW > 0) if (row[at + SselAt +: SV] >= Banks) row[at + SselAt +: SV] = 0;
        end
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
    own = 0;
    en = 1;
    words = 0;
    wrong = 0;
    for (b = 0; b < Banks; b = b + 1) for (j = 0; j < 8; j = j + 1) wrote_in[b][j] = -8;
    for (b = 0; b < Banks; b = b + 1) {wrote[b], wrote_at[b], last_at[b], left_at[b]} = 0;
    for (r = -16; r < Rows; r = r + 1) begin
      acts  = plays;
      plays = r >= 0;
      rst_n = r >= -8;
      if (r >= 0) make_row;
      for (p = 0; p < Ports; p = p + 1) data_in[p*DataW +: DataW] = a_word($random);
      for (b = 0; b < Banks; b = b + 1) own[b*DataW +: DataW] = a_word($random);
      // What is shown counts before the edge.
      #1;
      shows_then[r & 15] = shows[0];
      shown_then[r & 15] = shown[0];
      for (j = 0; j < Lanes && r > 16; j = j + 1) begin
        words = words + shows[1][j];
        if (shows[1][j] !== shows_then[(r - Late) & 15][j] ||
            (shows[1][j] && Streams != 0 && shown[1][j*DataW +: DataW] !== shown_then[(r - Late) & 15][j*DataW +: DataW])) wrong = wrong + 1;
      end
      while (r >= 0 && ($random & 3) == 0) begin
        en = 0;
        #1 clk = 1;
        #1 clk = 0;
      end
      en = 1;
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
