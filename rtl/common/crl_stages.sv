// SPDX-License-Identifier: Apache-2.0
//
// Tells the same to many, by registers that form a tree: each of them is read by as few as the number of stages allows.
//
// Timing: what is at d_i at an edge is at each leaf Stages - 1 edges after that one; without stages there are wires. In reset zeros.

module crl_stages #(
  /// Bits.
  parameter int Width = 8,
  /// Readers.
  parameter int Leaves = 16,
  /// Registers from d_i to each of them, 0 to 8.
  parameter int Stages = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [Width-1:0]        d_i,
  output logic [Leaves*Width-1:0] q_o
);

  `include "crl_branches.svh"

  // The readers of a register.
  localparam int Branches = branches(Leaves, Stages);

  if (Width < 1 || Leaves < 1 || Stages < 0 || Stages > 8) begin : gen_bad_size
    crl_error_width_leaves_must_be_1_or_more_stages_0_to_8 u_error ();
  end

  // What level l tells; the last level's are the leaves.
  for (genvar l = 0; l <= Stages; l++) begin : gen_level
    localparam int Count = (l == 0) ? 1 : level_size(Leaves, Branches, Stages - l);
    logic [Count*Width-1:0] told;

    if (l == 0) begin : gen_root
      assign told = d_i;
    end else begin : gen_stages
      for (genvar i = 0; i < Count; i++) begin : gen_stage
        crl_stage #(
          .Width(Width)
        ) u_stage (
          .clk_i (clk_i),
          .rst_ni(rst_ni),
          .d_i   (gen_level[l-1].told[(i/Branches)*Width +: Width]),
          .q_o   (told[i*Width +: Width])
        );
      end
    end
  end

  if (Stages == 0) begin : gen_wires
    assign q_o = {Leaves{gen_level[0].told}};
  end else begin : gen_leaves
    assign q_o = gen_level[Stages].told;
  end

  // Where there are wires only.
  logic unused_clock;
  assign unused_clock = &{1'b0, clk_i, rst_ni};

`ifdef FORMAL
  // All leaves are told what the root was, so many edges ago, or zeros since a reset.
  logic f_past_valid;
  logic [(Stages+1)*Width-1:0] f_was;
  initial f_past_valid = 1'b0;
  assign f_was[Width-1:0] = d_i;
  if (Stages > 0) begin : gen_f_was
    always_ff @(posedge clk_i) f_was[(Stages+1)*Width-1:Width] <= rst_ni ? f_was[Stages*Width-1:0] : '0;
  end
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    else a_told: assert (q_o == {Leaves{f_was[Stages*Width +: Width]}});
    c_told: cover (f_past_valid && q_o != '0);
  end
`endif

endmodule
