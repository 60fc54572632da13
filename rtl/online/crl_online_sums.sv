// SPDX-License-Identifier: Apache-2.0
//
// Counting of an on-line node, and how long its broadcasts take, engine by engine. A sum is a number whose digits are
// those of a node in the engine's order of dimensions: the rank of a packet is the node it is packed to, without any
// division. Beside it go the sum modulo Dims, of which engine 0's is the class of an unsplit packet, and in words of
// DataW bits that of values (prefix).
//
// Timing: turns in the order of the engines, upward before downward; the next engine is seen after the downward one. In a
// turn of receiving, what came in is added. In a turn of sending, sum_*_o is what goes on: all that this node
// knows of before the step, and what came in where there is something behind it.

module crl_online_sums #(
  /// Engines, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit.
  parameter int DigitW = 4,
  /// Bits of a value.
  parameter int DataW = 16,
  /// Bits of a node's digits.
  localparam int NodeW = Dims * DigitW,
  /// Bits of a step.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              receive_i,  // a turn, and which
  input  logic              send_i,
  input  logic              down_i,
  input  logic              engine0_i,

  input  logic              count_i,    // counting
  input  logic              spread_i,   // broadcasting
  input  logic              open_i,     // first slot of the phase, of the step
  input  logic              first_i,
  input  logic              member_i,   // this node counts
  input  logic [DataW-1:0]  value_i,    // its value
  input  logic              short_i,    // of some engine the sum is one more
  input  logic [StepW-1:0]  step_i,
  input  logic [NodeW-1:0]  last_i,     // last digits, in the engine's order
  input  logic [DigitW-1:0] reach_i,    // longest way of a packet in this step

  input  logic              valid_i,    // something came in
  input  logic              behind_i,   // there is a node behind this one
  input  logic [NodeW-1:0]  in_i,
  input  logic [StepW-1:0]  in_rest_i,
  input  logic [DataW-1:0]  in_value_i,

  output logic [NodeW-1:0]  sum_o,
  output logic [StepW-1:0]  sum_rest_o,
  output logic [DataW-1:0]  sum_value_o,

  output logic [NodeW-1:0]  below_o,      // of this engine, of the nodes before this one
  output logic [StepW-1:0]  below_rest_o,
  output logic              none_o,       // it has counted nobody
  output logic [StepW-1:0]  total_rest_o,
  output logic [DataW-1:0]  below_value_o, // of engine 0: the values up to this node, and of all
  output logic [DataW-1:0]  total_value_o,
  output logic              ready_o        // no engine needs another slot of this step of broadcasting
);

  localparam int SumW = StepW + NodeW;

  // Modulo Dims, of two numbers below it.
  function [StepW-1:0] rest_of(input [StepW-1:0] a, input [StepW-1:0] b);
    logic [StepW:0] added;
    begin
      added   = {1'b0, a} + {1'b0, b};
      rest_of = StepW'(added >= (StepW+1)'(Dims) ? added - (StepW+1)'(Dims) : added);
    end
  endfunction

  // ---- registers in turn

  localparam int Width = 3 * SumW + 1 + (NodeW + 1) + DigitW + 1;
  /* verilator lint_off UNUSEDSIGNAL */ // those of other engines
  logic [Dims*Width-1:0] rings;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [SumW-1:0]       below, below_d, total, total_now, total_d, base, base_now; // base: total before this step
  logic                  all, all_d;             // total is that of all nodes: its digits are 0
  logic [NodeW:0]        left, left_now, left_d; // ranks there may be that no block of slots has covered
  logic [DigitW-1:0]     hop, hop_now, hop_d;    // slot of a block
  logic                  done, done_d;
  assign {below, total, base, all, left, hop, done} = rings[Width-1:0];
  crl_online_ring #(
    .Width(Width),
    .Count(Dims)
  ) u_ring (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .we_i  (receive_i || send_i),
    .turn_i(down_i),
    .data_i({below_d, total_d, base_now, all_d, left_d, hop_d, done_d}),
    .data_o(rings)
  );

  // ---- sums

  logic [SumW-1:0]  one, low, in, sum, up;
  logic             opens, adds, carry;
  /* verilator lint_off UNUSEDSIGNAL */ // there are more nodes than come before one
  logic             up_carry;
  /* verilator lint_on UNUSEDSIGNAL */
  assign opens     = send_i && count_i && open_i;
  assign adds      = receive_i && count_i && valid_i;
  assign one       = {StepW'(Dims > 1 && member_i), NodeW'(member_i)};
  assign total_now = opens ? one : total;
  assign base_now  = send_i && count_i && first_i ? total_now : base;
  assign low       = send_i ? base_now : total;
  assign in        = (send_i ? behind_i : adds) ? {in_rest_i, in_i} : '0;
  crl_digit_adder #(
    .Digits(Dims),
    .DigitW(DigitW)
  ) u_sum (
    .last_i (last_i),
    .a_i    (low[NodeW-1:0]),
    .b_i    (in[NodeW-1:0]),
    .sum_o  (sum[NodeW-1:0]),
    .carry_o(carry)
  );
  crl_digit_adder #(
    .Digits(Dims),
    .DigitW(DigitW)
  ) u_below (
    .last_i (last_i),
    .a_i    (below[NodeW-1:0]),
    .b_i    (in_i),
    .sum_o  (up[NodeW-1:0]),
    .carry_o(up_carry)
  );
  assign sum[NodeW +: StepW] = rest_of(low[NodeW +: StepW], in[NodeW +: StepW]);
  assign up[NodeW +: StepW]  = rest_of(below[NodeW +: StepW], in_rest_i);
  assign below_d = opens ? '0 : adds && !down_i ? up : below;
  assign total_d = opens ? one : adds ? sum : total;
  assign all_d   = opens ? 1'b0 : adds ? all || carry : all;

  assign {sum_rest_o, sum_o}     = sum;
  assign {below_rest_o, below_o} = below;
  assign total_rest_o            = total[NodeW +: StepW];
  assign none_o                  = total[NodeW-1:0] == '0 && !all;

  // ---- sums of values, engine 0's

  logic [DataW-1:0] below_value_q, total_value_q, base_value_q, base_value;
  assign base_value = first_i ? (open_i ? value_i : total_value_q) : base_value_q;
  always_ff @(posedge clk_i) begin
    if (opens && engine0_i) begin
      below_value_q <= value_i;
      total_value_q <= value_i;
    end else if (adds && engine0_i) begin
      total_value_q <= total_value_q + in_value_i;
      if (!down_i) below_value_q <= below_value_q + in_value_i;
    end
    if (send_i && count_i && engine0_i) base_value_q <= base_value;
  end
  assign sum_value_o   = base_value + (behind_i ? in_value_i : '0);
  assign below_value_o = below_value_q;
  assign total_value_o = total_value_q;

  // ---- a step of broadcasting takes a block of slots, as many as the longest way has hops, for every packet that a node
  // may hold: as many blocks as the ranks there may be have, rounded up, of the nodes up to this dimension

  logic ranks, last_slot, ready_q; // ranks: are left that make no whole block
  assign hop_now   = first_i ? '0 : hop;
  assign last_slot = hop_now + 1'b1 == reach_i;
  assign left_now  = first_i ? {all, total[NodeW-1:0]} | (NodeW+1)'(short_i) : left;
  logic borrow;
  always_comb begin
    ranks = 1'b0;
    for (int i = 0; i < Dims; i++) ranks = ranks || (i <= 32'(step_i) && left_now[i*DigitW +: DigitW] != '0);
    left_d = left_now;
    borrow = !ranks;
    for (int i = 0; i < Dims; i++)
      if (i <= 32'(step_i)) begin
        left_d[i*DigitW +: DigitW] = '0;
      end else if (borrow) begin
        borrow                     = left_now[i*DigitW +: DigitW] == '0;
        left_d[i*DigitW +: DigitW] = borrow ? last_i[i*DigitW +: DigitW] : left_now[i*DigitW +: DigitW] - 1'b1;
      end
    if (borrow) left_d = left_d & ~((NodeW+1)'(1) << NodeW);
    hop_d  = last_slot ? '0 : hop_now + 1'b1;
    done_d = (done && !first_i) || (last_slot && left_d == '0);
    if (!last_slot) left_d = left_now;
    if (!(send_i && spread_i && down_i)) begin
      left_d = left;
      hop_d  = hop;
      done_d = done;
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) ready_q <= 1'b0;
    else if (send_i && spread_i && down_i) ready_q <= (engine0_i || ready_q) && done_d;
  assign ready_o = ready_q;

endmodule
