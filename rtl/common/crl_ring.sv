// SPDX-License-Identifier: Apache-2.0
//
// Passes words on a number of cycles later, through a memory.
//
// Timing: a word at d_i in one cycle is at q_o Cycles cycles later; since a reset full_o says whether one is. Cycles in which en_i is
// 0 do not count, if d_i stays.

module crl_ring #(
  /// Bits of a word.
  parameter int DataW = 16,
  /// Cycles, 2 or more.
  parameter int Cycles = 4,
  /// Bits of a place.
  localparam int AddrW = (Cycles > 1) ? $clog2(Cycles) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             en_i,    // 1 while in reset
  input  logic [DataW-1:0] d_i,
  output logic [DataW-1:0] q_o,
  output logic             full_o
);

  // The place that is written; the one behind it has the oldest word.
  logic [AddrW-1:0] at_q, behind;
  logic             full_q;

  if (Cycles < 2) begin : gen_bad_cycles
    crl_error_cycles_must_be_2_or_more u_error ();
  end

  assign behind = (at_q == AddrW'(Cycles - 1)) ? '0 : at_q + 1'b1;

  always_ff @(posedge clk_i) if (en_i) begin
    if (!rst_ni) begin
      at_q   <= '0;
      full_q <= 1'b0;
    end else begin
      at_q   <= behind;
      full_q <= full_q || behind == '0;
    end
  end

  assign full_o = full_q;

  crl_ram #(
    .DataW(DataW),
    .Depth(Cycles)
  ) u_words (
    .clk_i  (clk_i),
    .we_i   (1'b1),
    .waddr_i(at_q),
    .wdata_i(d_i),
    .re_i   (en_i),
    .raddr_i(behind),
    .rdata_o(q_o)
  );

`ifdef FORMAL
  // What went in, the last word in the low bits, and how many words since the last reset, or the beginning.
  logic [Cycles*DataW-1:0] f_was;
  logic [7:0]              f_age;
  initial f_age = '0;

  always_ff @(posedge clk_i) if (en_i) begin
    f_was <= (Cycles * DataW)'({f_was, d_i});
    if (!rst_ni) f_age <= 8'd1;
    else if (f_age != '0 && f_age != '1) f_age <= f_age + 1'b1;
  end

  always_comb begin
    if (f_age == '0 || !rst_ni) assume (!rst_ni && en_i);
    if (f_age != '0) begin
      a_full: assert (full_o == (32'(f_age) > Cycles));
      if (full_o) a_word: assert (q_o == f_was[(Cycles-1)*DataW +: DataW]);
      c_word: cover (full_o && q_o != '0);
    end
  end

  always_ff @(posedge clk_i) c_stands: cover (f_age != '0 && full_o && $past(!en_i));
`endif

endmodule
