// SPDX-License-Identifier: Apache-2.0
//
// A shift register.
//
// Timing: q_o is d_i of Stages edges before at which en_i was 1; with 0 it is d_i.

module crl_delay #(
  /// Bits.
  parameter int Width = 1,
  /// Edges from d_i to q_o, 0 or more.
  parameter int Stages = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,  // to 0; 1 where what is in it does not matter
  input  logic             en_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  logic [(Stages+1)*Width-1:0] steps;

  assign steps[Width-1:0] = d_i;
  assign q_o              = steps[Stages*Width +: Width];

  if (Stages == 0) begin : gen_none
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, en_i};
  end

  for (genvar i = 0; i < Stages; i++) begin : gen_step
    logic [Width-1:0] step_q;

    always_ff @(posedge clk_i) if (en_i) begin
      if (!rst_ni) step_q <= '0;
      else step_q <= steps[i*Width +: Width];
    end

    assign steps[(i+1)*Width +: Width] = step_q;
  end

endmodule
