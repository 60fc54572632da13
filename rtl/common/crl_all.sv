// SPDX-License-Identifier: Apache-2.0
//
// Whether all of many say so, by registers that form a tree.
//
// Timing: what is at in_i at an edge is counted at all_o Stages - 1 edges after that one; without stages at once. In reset 0.

module crl_all #(
  /// Who speaks.
  parameter int Inputs = 16,
  /// Registers on the way, 0 to 8.
  parameter int Stages = 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Inputs-1:0] in_i,
  output logic              all_o
);

  `include "crl_branches.svh"

  localparam int Branches = branches(Inputs, Stages);

  if (Inputs < 1 || Stages < 0 || Stages > 8) begin : gen_bad_size
    crl_error_inputs_must_be_1_or_more_stages_0_to_8 u_error ();
  end

  for (genvar l = 0; l <= Stages; l++) begin : gen_level
    localparam int Count = level_size(Inputs, Branches, l);
    logic [Count-1:0] said;

    if (l == 0) begin : gen_inputs
      assign said = in_i;
    end else begin : gen_stages
      localparam int Before = level_size(Inputs, Branches, l - 1);
      for (genvar i = 0; i < Count; i++) begin : gen_stage
        localparam int From = i * Branches;
        localparam int Of = (From + Branches <= Before) ? Branches : Before - From;
        logic all_q;

        always_ff @(posedge clk_i) all_q <= rst_ni && (&gen_level[l-1].said[From +: Of]);

        assign said[i] = all_q;
      end
    end
  end

  assign all_o = &gen_level[Stages].said;

  // Where there are wires only.
  logic unused_clock;
  assign unused_clock = &{1'b0, clk_i, rst_ni};

`ifdef FORMAL
  logic f_past_valid;
  logic [Stages:0] f_was;
  initial f_past_valid = 1'b0;
  assign f_was[0] = &in_i;
  if (Stages > 0) begin : gen_f_was
    always_ff @(posedge clk_i) f_was[Stages:1] <= rst_ni ? f_was[Stages-1:0] : '0;
  end
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    else a_all: assert (all_o == f_was[Stages]);
    c_all: cover (f_past_valid && all_o);
  end
`endif

endmodule
