// SPDX-License-Identifier: Apache-2.0
//
// Combine unit: two accumulators, one of what arrived (part) and one that counts the node's own value, too (total). Each
// can take an operand over or combine it with what it holds.
//
// Timing: part_o and total_o are the values with this cycle's operand in them; the registers follow at the next edge.
// What was never loaded is undefined.

module crl_combine #(
  /// Bits of a word.
  parameter int DataW = 16
) (
  input  logic             clk_i,

  input  logic [1:0]       op_i,             // as in crl_operator
  input  logic [DataW-1:0] operand_i,
  input  logic [DataW-1:0] addend_i,         // as in crl_operator
  input  logic             part_en_i,
  input  logic             part_combine_i,   // 0: part takes the operand over
  input  logic             total_en_i,
  input  logic             total_combine_i,
  output logic [DataW-1:0] part_o,
  output logic [DataW-1:0] total_o,
  output logic [DataW-1:0] part_q_o,         // the same a cycle later
  output logic [DataW-1:0] total_q_o
);

  logic [DataW-1:0] part_q, total_q, part_sum, total_sum;

  assign part_q_o  = part_q;
  assign total_q_o = total_q;

  crl_operator #(
    .DataW(DataW)
  ) u_part (
    .op_i    (op_i),
    .a_i     (part_q),
    .b_i     (operand_i),
    .addend_i(addend_i),
    .y_o     (part_sum)
  );

  crl_operator #(
    .DataW(DataW)
  ) u_total (
    .op_i    (op_i),
    .a_i     (total_q),
    .b_i     (operand_i),
    .addend_i(addend_i),
    .y_o     (total_sum)
  );

  assign part_o  = !part_en_i ? part_q : part_combine_i ? part_sum : operand_i;
  assign total_o = !total_en_i ? total_q : total_combine_i ? total_sum : operand_i;

  always_ff @(posedge clk_i) begin
    part_q  <= part_o;
    total_q <= total_o;
  end

`ifdef FORMAL
  // Against one number of its own an accumulator: the sum since it was last taken over. The operator is proved apart.
  logic             f_past_valid, f_part_known, f_total_known;
  logic [DataW-1:0] f_part, f_total;
  initial f_past_valid = 1'b0;
  initial f_part_known = 1'b0;
  initial f_total_known = 1'b0;

  always_ff @(posedge clk_i) begin
    f_past_valid <= 1'b1;
    if (part_en_i) begin
      f_part_known <= f_part_known || !part_combine_i;
      f_part       <= part_combine_i ? DataW'(f_part + operand_i) : operand_i;
    end
    if (total_en_i) begin
      f_total_known <= f_total_known || !total_combine_i;
      f_total       <= total_combine_i ? DataW'(f_total + operand_i) : operand_i;
    end
  end

  always_comb begin
    assume (op_i == 2'd0);
`ifdef FORMAL_TOP_crl_combine
    assume (addend_i == operand_i);
`else
    if (f_past_valid) a_addend: assert (addend_i == operand_i);
`endif
    if (f_part_known) a_part_held: assert (part_q == f_part);
    if (f_total_known) a_total_held: assert (total_q == f_total);
    if (addend_i == operand_i && f_part_known && part_en_i && part_combine_i) a_part_sum: assert (part_o == DataW'(f_part + operand_i));
    if (addend_i == operand_i && f_total_known && total_en_i && total_combine_i) a_total_sum: assert (total_o == DataW'(f_total + operand_i));
    if (part_en_i && !part_combine_i) a_part_load: assert (part_o == operand_i);
    if (total_en_i && !total_combine_i) a_total_load: assert (total_o == operand_i);
    c_differ: cover (f_part_known && f_total_known && part_q != total_q && part_en_i && part_combine_i);
  end
`endif

endmodule
