// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange, a node's own packets for one port: the digit along the port's dimension from far to near, and for
// each all digits of the dimensions that are crossed afterwards, that of the next one fastest. Half way round a ring, a
// packet goes up if the digits of its destination have an even sum, else down.
//
// {hops, rest} say which packet is next, those that go the other way counted; *_o are the same after it was sent. Digits
// are in the order of dimensions that begins with the port's.
//
// Timing: combinational, but for the destination, which follows a cycle later.

module crl_online_supply #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit.
  parameter int DigitW = 4,
  /// Bits of a node's digits, of a number of dimensions.
  localparam int NodeW = Dims * DigitW,
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic              clk_i,

  input  logic              down_i,   // the port leads down
  input  logic              ring_i,   // its dimension is a ring
  input  logic [NodeW-1:0]  last_i,   // last digits
  input  logic [NodeW-1:0]  digit_i,  // those of the node
  input  logic [StepW-1:0]  later_i,  // dimensions that are crossed afterwards

  input  logic              open_i,   // begins
  input  logic              active_i, // with packets
  input  logic [DigitW-1:0] hops_i,
  input  logic [NodeW-1:0]  rest_i,
  input  logic              pop_i,    // only while valid_o
  output logic [DigitW-1:0] hops_o,
  output logic [NodeW-1:0]  rest_o,

  output logic              valid_o,  // there is a packet
  output logic [NodeW-1:0]  dest_o    // to this node, after the edge
);

  logic [DigitW-1:0] last, digit, half, hops_now, hops;
  logic              even, to_odd; // the side is: the half is both ways; a digit there
  logic [NodeW-1:0]  rest_now, rest, after, step;
  logic              odd_now, odd_after, after_wraps, step_wraps, other_way;
  assign last   = last_i[DigitW-1:0];
  assign digit  = digit_i[DigitW-1:0];
  assign even   = last[0];
  assign half   = (last >> 1) + DigitW'(even);
  assign to_odd = digit[0] ^ half[0];

  // The packet that is asked for, before it is known whether it goes this way.
  assign hops_now = !open_i ? hops_i : !active_i ? '0 : ring_i ? half : down_i ? digit : last - digit;
  assign rest_now = open_i ? '0 : rest_i;

  // The one after it, and whether digit sums are odd. Asked half way round, where the side is even.
  always_comb begin
    after       = rest_now;
    after_wraps = 1'b1;
    odd_now     = to_odd;
    odd_after   = to_odd;
    for (int j = 1; j < Dims; j++) begin
      if (j <= 32'(later_i)) begin
        if (after_wraps) begin
          after_wraps = rest_now[j*DigitW +: DigitW] == last_i[j*DigitW +: DigitW];
          after[j*DigitW +: DigitW] = after_wraps ? '0 : rest_now[j*DigitW +: DigitW] + 1'b1;
        end
        odd_now   = odd_now ^ rest_now[j*DigitW];
        odd_after = odd_after ^ after[j*DigitW];
      end else begin
        odd_now   = odd_now ^ digit_i[j*DigitW];
        odd_after = odd_after ^ digit_i[j*DigitW];
      end
    end
  end

  // If it goes the other way round, it is the next one's turn, or that of the one after that: then the first digit has
  // become 0, and will be 1. If there is none, it is that of the next hop.
  assign other_way = ring_i && even && hops_now == half && hops_now != '0 && odd_now != down_i;
  always_comb begin
    hops = hops_now;
    rest = rest_now;
    if (other_way && after_wraps) begin
      hops = hops_now - 1'b1;
      rest = '0;
    end else if (other_way) begin
      rest = after;
      for (int j = 1; j < Dims; j++) if (j == 1 && odd_after != down_i) rest[j*DigitW +: DigitW] = DigitW'(1);
    end
  end
  assign valid_o = hops != '0;

  // The one after that.
  always_comb begin
    step       = rest;
    step_wraps = 1'b1;
    for (int j = 1; j < Dims; j++)
      if (j <= 32'(later_i) && step_wraps) begin
        step_wraps = rest[j*DigitW +: DigitW] == last_i[j*DigitW +: DigitW];
        step[j*DigitW +: DigitW] = step_wraps ? '0 : rest[j*DigitW +: DigitW] + 1'b1;
      end
  end
  assign hops_o = pop_i && step_wraps ? hops - 1'b1 : hops;
  assign rest_o = pop_i ? step : rest;

  // Where it goes, a cycle later.
  logic [DigitW-1:0] to, hops_q, last_q;
  logic [DigitW:0]   sum;
  logic [NodeW-1:0]  rest_q;
  logic [StepW-1:0]  later_q;
  logic [NodeW-1:0]  digit_q;
  logic              down_q, round; // round: past the end of the ring
  always_ff @(posedge clk_i) begin
    hops_q  <= hops;
    rest_q  <= rest;
    digit_q <= digit_i;
    last_q  <= last_i[DigitW-1:0];
    later_q <= later_i;
    down_q  <= down_i;
  end
  assign sum   = {1'b0, digit_q[DigitW-1:0]} + {1'b0, hops_q};
  assign round = down_q ? digit_q[DigitW-1:0] < hops_q : sum > {1'b0, last_q};
  assign to    = digit_q[DigitW-1:0] + (down_q ? -hops_q : hops_q) + (!round ? '0 : down_q ? last_q + 1'b1 : ~last_q);
  // Digit 0 of the rest is that of the port's dimension, and there is always one dimension.
  logic unused_rest;
  assign unused_rest = &{1'b0, rest_i[DigitW-1:0], rest_q[DigitW-1:0], later_q};
  assign dest_o[DigitW-1:0] = to;
  for (genvar j = 1; j < Dims; j++) begin : gen_dest
    assign dest_o[j*DigitW +: DigitW] = j <= 32'(later_q) ? rest_q[j*DigitW +: DigitW] : digit_q[j*DigitW +: DigitW];
  end

`ifdef FORMAL_TOP_crl_online_supply
  // Any packet there could be, {hops, digits of later dimensions}: none that goes this way is left out, and what is next
  // goes this way. Packets as numbers, in the order in which they come.
  localparam int KeyW = NodeW + 1;
  (* anyseq *) logic [DigitW-1:0] f_hops;
  (* anyseq *) logic [NodeW-1:0]  f_rest;

  function [KeyW-1:0] f_key(input [DigitW-1:0] hops, input [NodeW-1:0] rest);
    f_key = {1'b0, ~hops, {NodeW-DigitW{1'b0}}};
    for (int j = Dims - 1; j > 0; j = j - 1) f_key[(j-1)*DigitW +: DigitW] = rest[j*DigitW +: DigitW];
  endfunction

  function f_there(input [DigitW-1:0] hops, input [NodeW-1:0] rest);
    f_there = hops <= (!active_i ? DigitW'(0) : ring_i ? half : down_i ? digit : last - digit);
    for (int j = 0; j < Dims; j = j + 1)
      if (rest[j*DigitW +: DigitW] > ((j > 0 && j <= 32'(later_i)) ? last_i[j*DigitW +: DigitW] : DigitW'(0))) f_there = 1'b0;
  endfunction

  function [NodeW-1:0] f_dest(input [DigitW-1:0] hops, input [NodeW-1:0] rest);
    logic [DigitW+1:0] to, side;
    begin
      side   = {2'b00, last} + 1'b1;
      to     = down_i ? {2'b00, digit} + side - {2'b00, hops} : {2'b00, digit} + {2'b00, hops};
      f_dest = digit_i;
      f_dest[DigitW-1:0] = DigitW'(to >= side ? to - side : to);
      for (int j = 1; j < Dims; j = j + 1)
        if (j <= 32'(later_i)) f_dest[j*DigitW +: DigitW] = rest[j*DigitW +: DigitW];
    end
  endfunction

  function f_this_way(input [DigitW-1:0] hops, input [NodeW-1:0] rest);
    logic [NodeW-1:0] to;
    logic             odd;
    begin
      to  = f_dest(hops, rest);
      odd = 1'b0;
      for (int j = 0; j < Dims; j = j + 1) odd = odd ^ to[j*DigitW];
      f_this_way = !ring_i || {1'b0, hops, 1'b0} != {2'b00, last} + 1'b1 || odd == down_i;
    end
  endfunction

  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;
  always_comb begin
    assume (32'(later_i) < Dims && last != '0 && !(ring_i && last == DigitW'(1)));
    for (int j = 0; j < Dims; j = j + 1)
      assume (digit_i[j*DigitW +: DigitW] <= last_i[j*DigitW +: DigitW] && last_i[j*DigitW +: DigitW] != '0);
    assume (f_there(hops_i, rest_i) && (valid_o || !pop_i));
  end

  logic f_first, f_later; // the packet is no earlier than what is asked for; is later than what is next
  assign f_first = f_there(f_hops, f_rest) && f_hops != '0 && f_this_way(f_hops, f_rest) &&
                   f_key(f_hops, f_rest) >= f_key(hops_now, rest_now);
  assign f_later = f_there(f_hops, f_rest) && f_key(f_hops, f_rest) > f_key(hops, rest);
  always_comb begin
    a_there: assert (f_there(hops, rest) && f_there(hops_o, rest_o));
    a_this_way: assert (!valid_o || f_this_way(hops, rest));
    a_not_back: assert (f_key(hops, rest) >= f_key(hops_now, rest_now));
    a_none_left_out: assert (!f_first || (valid_o && f_key(hops, rest) <= f_key(f_hops, f_rest)));
    a_kept: assert (pop_i || {hops_o, rest_o} == {hops, rest});
    a_popped: assert (!pop_i || f_key(hops_o, rest_o) > f_key(hops, rest));
    a_next: assert (!pop_i || !f_later || f_key(hops_o, rest_o) <= f_key(f_hops, f_rest));
    c_skips_two: cover (other_way && !after_wraps && odd_after != down_i && valid_o);
    c_skips_hop: cover (other_way && after_wraps && valid_o);
    c_last: cover (pop_i && hops_o == '0);
  end
  logic [NodeW-1:0] f_dest_q;
  logic             f_valid_q;
  always_ff @(posedge clk_i) {f_valid_q, f_dest_q} <= {valid_o, f_dest(hops, rest)};
  always_comb if (f_past_valid) begin
    a_dest: assert (!f_valid_q || dest_o == f_dest_q);
    c_round: cover (f_valid_q && round && dest_o[DigitW-1:0] != '0);
  end
`endif

endmodule
