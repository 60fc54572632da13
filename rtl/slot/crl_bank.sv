// SPDX-License-Identifier: Apache-2.0
//
// One bank of a router, in one of its forms: it keeps what arrives, or adds it up, at once or in stages.
//
// Timing: raddr_i, saddr_i and the own word are sampled at an edge; everything else counts after it (time r+2), when byp_i acts
// on value_o at once. What is written is so at the next edge. With Form 2 value_o is of 3 cycles before, or 4 if there are several inputs; with Form 3 of 9.
// An edge at which en_i is 0 changes nothing, if all other inputs stay.

module crl_bank #(
  /// 0: crl_lane, 1: crl_sum_lane, 2: crl_sum_staged, 3: crl_sum_floats.
  parameter int Form = 0,
  /// Words that arrive at a time; without sums it is one.
  parameter int Inputs = 4,
  /// With Form 2, as of crl_sum_staged: of the inputs, the first are own words; and of the others a row adds at most one.
  parameter int Own = 0,
  parameter int Single = 0,
  /// With sums: how they combine, as of crl_sum.
  parameter int Op = 0,
  /// Bits of a word.
  parameter int DataW = 16,
  /// Bits of an address within a page.
  parameter int AddrW = 8,
  /// Pages: words of a packet.
  parameter int Words = 1,
  /// Cycles of a row, as of crl_lane and crl_sum_lane.
  parameter int Beats = 1,
  /// Without sums, as of crl_lane.
  parameter int Delay = 1,
  parameter int Bypass = 1,
  parameter int Streams = 0,
  parameter int Store = 1,
  parameter int ResetBanks = 0,
  /// Bits of a page number.
  localparam int PW = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    en_i,

  input  logic [PW-1:0]           fetched_page_i, // of raddr_i and saddr_i
  input  logic [PW-1:0]           page_i,         // of waddr_i
  input  logic [Inputs*DataW-1:0] data_i,
  input  logic [Inputs-1:0]       mask_i,     // with sums: the words that are added
  input  logic                    set_i,      //   to nothing
  input  logic                    fwd_i,      //   or to the sum that was written last
  input  logic [AddrW-1:0]        saddr_i,    //   or to the one that is here
  input  logic                    wen_i,      // the word, or the sum, is written
  input  logic [AddrW-1:0]        waddr_i,    //   here

  input  logic                    byp_i,      // what is written now leaves
  input  logic                    dly_i,      // what arrived in the cycle before does; without sums: what arrives now does in the next one
  input  logic [AddrW-1:0]        raddr_i,    // else what is here
  input  logic                    own_i,      // with Streams, without sums: and the own word with it
  input  logic [DataW-1:0]        own_data_i,
  output logic [DataW-1:0]        value_o
);

  // With one word a packet there is one page, and the page is no part of an address.
  localparam int Depth = Words << AddrW;
  localparam int PlaceW = AddrW + ((Words > 1) ? PW : 0);
  logic [PlaceW-1:0] read_at, add_to, write_at;

  if (Words > 1) begin : gen_paged
    assign read_at  = {fetched_page_i, raddr_i};
    assign add_to   = {fetched_page_i, saddr_i};
    assign write_at = {page_i, waddr_i};
  end else begin : gen_flat
    logic unused_page;
    assign unused_page = &{1'b0, fetched_page_i, page_i};

    assign read_at  = raddr_i;
    assign add_to   = saddr_i;
    assign write_at = waddr_i;
  end

  if (Form == 0) begin : gen_keep
    logic unused_sum;
    assign unused_sum = &{1'b0, 1'(Op), 1'(Own), 1'(Single), data_i, mask_i, set_i, fwd_i, add_to};

    crl_lane #(
      .DataW     (DataW),
      .Depth     (Depth),
      .AddrW     (PlaceW),
      .Delay     (Delay),
      .Bypass    (Bypass),
      .Streams   (Streams),
      .Store     (Store),
      .ResetBanks(ResetBanks),
      .Pages     (Words),
      .Beats     (Beats)
    ) u_lane (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .en_i      (en_i),
      .data_i    (data_i[DataW-1:0]),
      .byp_i     (byp_i),
      .dly_i     (dly_i),
      .wen_i     (wen_i),
      .waddr_i   (write_at),
      .raddr_i   (read_at),
      .own_i     (own_i),
      .own_data_i(own_data_i),
      .value_o   (value_o)
    );
  end else if (Form == 1) begin : gen_sum
    logic unused_own;
    assign unused_own = &{1'b0, 1'(Own), 1'(Single), own_i, own_data_i};

    crl_sum_lane #(
      .Lanes(Inputs),
      .Op   (Op),
      .DataW(DataW),
      .Depth(Depth),
      .AddrW(PlaceW),
      .Beats(Beats)
    ) u_lane (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .en_i   (en_i),
      .data_i (data_i),
      .mask_i (mask_i),
      .set_i  (set_i),
      .fwd_i  (fwd_i),
      .saddr_i(add_to),
      .wen_i  (wen_i),
      .waddr_i(write_at),
      .byp_i  (byp_i),
      .dly_i  (dly_i),
      .raddr_i(read_at),
      .value_o(value_o)
    );
  end else if (Form == 2) begin : gen_staged
    logic unused_own;
    assign unused_own = &{1'b0, byp_i, dly_i, own_i, own_data_i};

    crl_sum_staged #(
      .Lanes (Inputs - Own),
      .Single(Single),
      .Own   (Own),
      .Op    (Op),
      .DataW (DataW),
      .Depth (Depth),
      .AddrW (PlaceW),
      .Beats (Beats)
    ) u_lane (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .en_i   (en_i),
      .data_i (data_i),
      .mask_i (mask_i),
      .set_i  (set_i),
      .fwd_i  (fwd_i),
      .saddr_i(add_to),
      .wen_i  (wen_i),
      .waddr_i(write_at),
      .raddr_i(read_at),
      .value_o(value_o)
    );
  end else begin : gen_floats
    logic unused_own;
    assign unused_own = &{1'b0, 1'(Op), 1'(Own), 1'(Single), byp_i, dly_i, fwd_i, own_i, own_data_i};

    crl_sum_floats #(
      .Terms(Inputs),
      .Depth(Depth),
      .AddrW(PlaceW)
    ) u_lane (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .en_i   (en_i),
      .data_i (data_i),
      .mask_i (mask_i),
      .set_i  (set_i),
      .saddr_i(add_to),
      .wen_i  (wen_i),
      .waddr_i(write_at),
      .raddr_i(read_at),
      .value_o(value_o)
    );
  end

endmodule
