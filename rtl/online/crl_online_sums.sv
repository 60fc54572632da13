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
  logic [Dims*Width-1:0] rings;                 // of which those of other engines are not looked at
  logic [SumW-1:0]       below, below_d, total, total_now, total_d, base, base_now; // base: total before this step
  logic                  all, all_d;             // total is that of all nodes: its digits are 0
  logic [NodeW:0]        left, left_now, left_d; // ranks there may be that no block of slots has covered
  logic [DigitW-1:0]     hop, hop_now, hop_d;    // slot of a block
  logic                  done, done_d;
  assign {below, total, base, all, left, hop, done} = rings[Width-1:0];
  logic unused_rings;
  assign unused_rings = &{1'b0, rings};
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
  logic             unused_carry; // there are more nodes than come before one
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
    .carry_o(unused_carry)
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

`ifdef FORMAL_TOP_crl_online_sums
  // Of any engine: its sums as numbers; and while broadcasting how many blocks of slots there are still to come, and the
  // slot of the block, counted.
  localparam int F = 2 * NodeW + 2;
  (* anyconst *) logic [StepW-1:0] f_engine;
  (* anyconst *) logic [NodeW-1:0] f_lasts;  // in engine 0's order
  logic              f_past_valid;
  logic [StepW-1:0]  f_turn;                 // the engine that is seen
  logic [NodeW-1:0]  f_last;                 // in the engine's order
  logic [Dims*Width-1:0] f_turned;
  logic [SumW-1:0]   f_below_q, f_total_q, f_base_q;
  logic              f_all_q, f_done_q, f_mine;
  logic [NodeW:0]    f_left_q;
  logic [DigitW-1:0] f_hop_q;
  logic [F-1:0]      f_nodes, f_in, f_below, f_total, f_base, f_blocks, f_total_now, f_base_now, f_blocks_now;
  logic [DigitW-1:0] f_hop, f_hop_now;
  logic              f_counts, f_spreads, f_done, f_counted, f_began, f_block_ends;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  function [F-1:0] f_number(input [NodeW-1:0] digits, input [NodeW-1:0] last);
    logic [F-1:0] weight;
    begin
      f_number = '0;
      weight   = F'(1);
      for (int i = 0; i < Dims; i = i + 1) begin
        f_number = f_number + weight * F'(digits[i*DigitW +: DigitW]);
        weight   = weight * (F'(last[i*DigitW +: DigitW]) + 1'b1);
      end
    end
  endfunction
  function f_digits(input [NodeW-1:0] digits, input [NodeW-1:0] last);
    f_digits = 1'b1;
    for (int i = 0; i < Dims; i = i + 1)
      if (digits[i*DigitW +: DigitW] > last[i*DigitW +: DigitW]) f_digits = 1'b0;
  endfunction
  // In the order that begins with engine `first`'s dimension.
  function [NodeW-1:0] f_order(input [NodeW-1:0] digits, input [StepW-1:0] first);
    for (int i = 0; i < Dims; i = i + 1)
      f_order[i*DigitW +: DigitW] = DigitW'(digits >> (((32'(first) + i) % Dims) * DigitW));
  endfunction
  // Blocks for so many: rounded up, of the nodes in the dimensions up to the step's.
  function [F-1:0] f_blocks_of(input [NodeW:0] many, input [NodeW-1:0] last, input [StepW-1:0] step);
    logic [F-1:0] weight;
    logic         rest;
    begin
      f_blocks_of = '0;
      weight      = F'(1);
      rest        = 1'b0;
      for (int i = 0; i < Dims; i = i + 1)
        if (i <= 32'(step)) begin
          rest = rest || many[i*DigitW +: DigitW] != '0;
        end else begin
          f_blocks_of = f_blocks_of + weight * F'(many[i*DigitW +: DigitW]);
          weight      = weight * (F'(last[i*DigitW +: DigitW]) + 1'b1);
        end
      f_blocks_of = f_blocks_of + F'(rest) + (many[NodeW] ? weight : '0);
    end
  endfunction

  assign f_last   = f_order(f_lasts, f_engine);
  assign f_mine   = f_turn == f_engine;
  assign f_nodes  = f_number(f_last, f_last) + 1'b1;
  assign f_in     = f_number(in_i, f_last);
  assign f_turned = rings >> (((32'(f_engine) + Dims - 32'(f_turn)) % Dims) * Width);
  assign {f_below_q, f_total_q, f_base_q, f_all_q, f_left_q, f_hop_q, f_done_q} = f_turned[Width-1:0];

  assign f_counts    = f_mine && count_i;
  assign f_spreads   = f_mine && spread_i && send_i && down_i;
  assign f_total_now = send_i && open_i ? F'(member_i) : f_total;
  assign f_base_now  = send_i && first_i ? f_total_now : f_base;
  // One more than the sum, where another engine has one more.
  logic [F-1:0] f_said, f_weight;
  always_comb begin
    f_said   = f_total + F'(short_i);
    f_weight = F'(1);
    for (int i = 0; i < Dims; i++)
      if (i <= 32'(step_i)) f_weight = f_weight * (F'(f_last[i*DigitW +: DigitW]) + 1'b1);
  end
  (* anyseq *) logic [F-1:0] f_ceil; // f_said over f_weight, rounded up
  assign f_blocks_now = first_i ? f_ceil : f_blocks;
  assign f_hop_now    = first_i ? '0 : f_hop;
  assign f_block_ends = f_hop_now + 1'b1 == reach_i;

  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (32'(f_engine) < Dims && !(receive_i && send_i) && !(count_i && spread_i) && reach_i != '0);
    for (int i = 0; i < Dims; i++) assume (f_lasts[i*DigitW +: DigitW] != '0);
    assume (last_i == f_order(f_lasts, f_turn) && engine0_i == (f_turn == '0));
    assume (32'(step_i) < Dims && f_digits(in_i, last_i) && in_rest_i == StepW'(f_number(in_i, last_i) % Dims));
    assume (!(open_i && !first_i));
    // No more are counted than there are nodes, and below one there are fewer.
    if (f_counts && receive_i && valid_i) assume (f_total + f_in <= f_nodes && (down_i || f_below + f_in < f_nodes));
    if (f_counts && send_i) assume (f_base_now + (behind_i ? f_in : '0) < f_nodes);
    assume (f_ceil * f_weight >= f_said && f_ceil * f_weight < f_said + f_weight && f_ceil <= f_nodes);
    // A step begins first, after counting, has the same length throughout, and somebody has a packet.
    if (spread_i && send_i) assume (f_counted && (first_i || f_began));
    if (f_spreads && first_i) assume (f_said != '0 && f_total + F'(short_i) <= f_nodes);
    if (f_spreads && !first_i) assume (step_i == f_step && reach_i == f_reach);
  end
  logic [StepW-1:0]  f_step;
  logic [DigitW-1:0] f_reach;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_turn    <= '0;
      f_below   <= '0;
      f_total   <= '0;
      f_base    <= '0;
      f_counted <= 1'b0;
      f_began   <= 1'b0;
    end else begin
      if ((receive_i || send_i) && down_i) f_turn <= 32'(f_turn) == Dims - 1 ? '0 : f_turn + 1'b1;
      if (f_counts && send_i) begin
        f_total <= f_total_now;
        f_base  <= f_base_now;
        if (open_i) f_below <= '0;
        f_counted <= 1'b1;
        f_began   <= 1'b0;
      end else if (f_counts && receive_i && valid_i) begin
        f_total <= f_total + f_in;
        if (!down_i) f_below <= f_below + f_in;
        f_began <= 1'b0;
      end else if (f_spreads) begin
        f_began  <= 1'b1;
        f_step   <= step_i;
        f_reach  <= reach_i;
        f_hop    <= f_block_ends ? '0 : f_hop_now + 1'b1;
        f_blocks <= f_blocks_now - F'(f_block_ends && f_blocks_now != '0);
        f_done   <= f_blocks_now == '0 || (f_block_ends && f_blocks_now == F'(1));
      end
    end
  end

  always_comb if (f_past_valid) begin
    a_turn: assert (32'(f_turn) < Dims);
    a_total: assert (f_number(f_total_q[NodeW-1:0], f_last) + (f_all_q ? f_nodes : '0) == f_total);
    a_below: assert (f_number(f_below_q[NodeW-1:0], f_last) == f_below);
    a_base: assert (f_number(f_base_q[NodeW-1:0], f_last) == (f_base == f_nodes ? '0 : f_base));
    a_digits: assert (f_digits(f_total_q[NodeW-1:0], f_last) && f_digits(f_below_q[NodeW-1:0], f_last) &&
                      f_digits(f_base_q[NodeW-1:0], f_last));
    a_rests: assert (32'(f_total_q[NodeW +: StepW]) == 32'(f_total) % Dims && 32'(f_below_q[NodeW +: StepW]) == 32'(f_below) % Dims &&
                     32'(f_base_q[NodeW +: StepW]) == 32'(f_base) % Dims);
    a_bounds: assert (f_total <= f_nodes && f_below < f_nodes && f_base <= f_nodes);
    if (f_mine && count_i && send_i) begin
      a_sends: assert (f_number(sum_o, f_last) == f_base_now + (behind_i ? f_in : '0));
      a_sends_rest: assert (32'(sum_rest_o) == (32'(f_base_now) + (behind_i ? 32'(f_in) : 0)) % Dims);
    end
    if (f_mine) a_none: assert (none_o == (f_total == '0));
    if (f_began && !f_done) begin
      a_hop: assert (f_hop_q == f_hop && f_hop < f_reach);
      a_blocks: assert (f_blocks_of(f_left_q, f_last, f_step) == f_blocks && f_blocks != '0);
      // Those of the step and before only are 0 or not.
      a_left: assert (f_digits(f_left_q[NodeW-1:0] >> ((32'(f_step) + 1) * DigitW), f_last >> ((32'(f_step) + 1) * DigitW)));
    end
    if (f_began) a_done: assert (f_done_q == f_done);
    c_all: cover (f_total == f_nodes && f_below != '0);
    c_done: cover (f_began && f_done && f_total > F'(2));
    c_ready: cover (ready_o && f_began && f_total != '0);
  end
`endif

endmodule
