// SPDX-License-Identifier: Apache-2.0
//
// Holds a 1 for so many cycles more.
//
// Timing: q_o is 1 while d_i is, and until Stages edges at which en_i was 1 after the last one at which d_i was.

module crl_linger #(
  /// Cycles, 0 or more.
  parameter int Stages = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic en_i,
  input  logic d_i,
  output logic q_o
);

  if (Stages == 0) begin : gen_none
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, en_i};
    assign q_o = d_i;
  end else begin : gen_more
    logic [Stages-1:0] was_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) was_q <= '0;
      else if (en_i) was_q <= Stages'({was_q, d_i});
    end

    assign q_o = d_i || was_q != '0;
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  int f_since; // edges since the last 1, as far as they count
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (!rst_ni) f_since <= Stages;
    else if (en_i && d_i) f_since <= 0;
    else if (en_i && f_since < Stages) f_since <= f_since + 1;
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (f_past_valid) begin
      a_holds: assert (q_o == (d_i || f_since < Stages));
      c_holds: cover (q_o && !d_i);
    end
  end
`endif

endmodule
