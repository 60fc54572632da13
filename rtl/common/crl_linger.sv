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
  // Edges that count since the last 1, no more than matter.
  logic [7:0] f_since;
  logic       f_past_valid, f_same;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (!rst_ni) f_since <= 8'(Stages);
    else if (en_i && d_i) f_since <= '0;
    else if (en_i && f_since < 8'(Stages)) f_since <= f_since + 8'd1;
  end

  if (Stages > 0) begin : gen_f_was
    always_comb begin
      if (f_past_valid) c_holds: cover (q_o && !d_i);
      f_same = f_since <= 8'(Stages);
      for (int i = 0; i < Stages; i++) if (8'(i) <= f_since && gen_more.was_q[i] != (8'(i) == f_since)) f_same = 1'b0;
    end
  end else begin : gen_f_none
    assign f_same = 1'b1;
  end

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    if (f_past_valid) begin
      a_since: assert (f_same);
      a_holds: assert (q_o == (d_i || f_since < 8'(Stages)));
    end
  end
`endif

endmodule
