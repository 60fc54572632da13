// SPDX-License-Identifier: Apache-2.0
//
// A register of a tree (crl_stages). It stays a module of its own, because synthesis makes one of registers that hold the same.
//
// Timing: what is at d_i at an edge is at q_o after it; in reset zeros.

(* keep_hierarchy *)
module crl_stage #(
  /// Bits.
  parameter int Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  logic [Width-1:0] word_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) word_q <= '0;
    else word_q <= d_i;
  end

  assign q_o = word_q;

endmodule
