// SPDX-License-Identifier: Apache-2.0
//
// Registers that are used in turn: the first one is seen and replaced; when its turn is over it goes to the end and the
// others move up. So no multiplexer chooses among them.

module crl_online_ring #(
  /// Bits of a register.
  parameter int Width = 8,
  /// Registers, 1 or more.
  parameter int Count = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,  // all become 0
  input  logic                   we_i,
  input  logic                   turn_i,  // with we_i: the first one goes to the end
  input  logic [Width-1:0]       data_i,  // what the first one becomes

  output logic [Count*Width-1:0] data_o   // the first one in the low bits
);

  logic [Width-1:0] first_d;
  assign first_d = (turn_i && Count > 1) ? Width'(data_o >> (Count > 1 ? Width : 0)) : data_i;

  for (genvar i = 0; i < Count; i++) begin : gen_register
    always_ff @(posedge clk_i) begin
      if (!rst_ni) data_o[i*Width +: Width] <= '0;
      else if (i == 0) begin
        if (we_i) data_o[i*Width +: Width] <= first_d;
      end else if (we_i && turn_i) begin
        data_o[i*Width +: Width] <= i == Count - 1 ? data_i : data_o[((i+1)%Count)*Width +: Width];
      end
    end
  end

`ifdef FORMAL
  // What is replaced in its turn is what is seen in the next one, Count turns later.
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  (* anyseq *) logic f_follow;
  logic              f_in;
  logic [Width-1:0]  f_word;
  logic [7:0]        f_turns;
  initial f_in = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in <= 1'b0;
    end else if (!f_in) begin
      f_in    <= we_i && f_follow;
      f_word  <= data_i;
      f_turns <= 8'(turn_i);
    end else if (we_i && 32'(f_turns) % Count == 0) begin
      f_in <= 1'b0;
    end else if (we_i && turn_i) begin
      f_turns <= f_turns + 1'b1;
    end
  end
`ifdef FORMAL_TOP_crl_online_ring
  always_comb if (!f_past_valid) assume (!rst_ni);
`endif
  logic [Count-1:0] f_kept;
  for (genvar i = 0; i < Count; i++) begin : gen_f
    assign f_kept[i] = (i + 32'(f_turns)) % Count != 0 || data_o[i*Width +: Width] == f_word;
  end
  always_comb if (f_past_valid && f_in) begin
    a_bound: assert (32'(f_turns) <= Count);
    a_kept: assert (&f_kept);
    c_round: cover (32'(f_turns) == Count && f_word != '0);
  end
`endif

endmodule
