// SPDX-License-Identifier: Apache-2.0
//
// One lane: the three places in which a word that must leave can be. The live input, the input of one cycle before, or
// the bank.
//
// Timing: raddr_i is sampled at an edge, and the word counts at value_o after it if byp_i is 0. byp_i acts on value_o at
// once. wen_i writes and dly_i keeps what is at data_i, at the next edge.

module crl_lane #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Words of the bank.
  parameter int Depth = 256,
  /// Bits of the bank's address, page included.
  parameter int AddrW = 8,
  /// 1: the lane can replay the word that arrived one cycle earlier.
  parameter int Delay = 1,
  /// 1: the lane can show the live input.
  parameter int Bypass = 1
) (
  input  logic             clk_i,

  input  logic [DataW-1:0] data_i,
  input  logic             byp_i,
  input  logic             dly_i,
  input  logic             wen_i,
  input  logic [AddrW-1:0] waddr_i,
  input  logic [AddrW-1:0] raddr_i,
  output logic [DataW-1:0] value_o
);

  logic [DataW-1:0] stored, delayed;

  crl_bank #(
    .DataW(DataW),
    .Depth(Depth),
    .AddrW(AddrW)
  ) u_bank (
    .clk_i  (clk_i),
    .wen_i  (wen_i),
    .waddr_i(waddr_i),
    .wdata_i(data_i),
    .raddr_i(raddr_i),
    .rdata_o(stored)
  );

  if (Delay != 0) begin : gen_delay
    logic [DataW-1:0] delayed_q;

    // Zero when nothing is kept, by the flip-flop's own reset: the OR below then costs no select.
    always_ff @(posedge clk_i) begin
      if (!dly_i) delayed_q <= '0;
      else delayed_q <= data_i;
    end

    assign delayed = delayed_q;
  end else begin : gen_no_delay
    logic unused_dly;
    assign unused_dly = dly_i;

    assign delayed = '0;
  end

  if (Bypass != 0) begin : gen_bypass
    // One LUT4 per bit.
    assign value_o = byp_i ? data_i : (stored | delayed);
  end else begin : gen_no_bypass
    logic unused_byp;
    assign unused_byp = byp_i;

    assign value_o = stored | delayed;
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // What the file's head says of value_o, in the compiler's three cases.
  always_ff @(posedge clk_i) if (f_past_valid) begin
    if (byp_i && Bypass != 0) a_live: assert (value_o == data_i);
    else if ($past(!dly_i) || Delay == 0) a_stored: assert (value_o == stored);
    else a_delayed: assert (value_o == (stored | $past(data_i)));
  end

  if (Bypass != 0) begin : gen_f_bypass
    always_ff @(posedge clk_i) if (f_past_valid) c_live: cover (byp_i && value_o != stored);
  end

  if (Delay != 0) begin : gen_f_delay
    always_ff @(posedge clk_i) if (f_past_valid) c_delayed: cover (!byp_i && value_o != stored);
  end
`endif

endmodule
