// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange, a node's own packets for one port: the digit along the port's dimension from far to near, and for
// each all digits of the dimensions that are crossed afterwards, that of the next one fastest. Half way round a ring, a
// packet goes up if the digits of its destination have an even sum, else down.
//
// Combinational: {hops, rest} say which packet is next, counting up those that go the other way; *_o are the same after
// it was sent. Digits are in the order of dimensions that begins with the port's.

module crl_online_supply #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit.
  parameter int DigitW = 4,
  /// Bits of a node's digits, of a number of dimensions.
  localparam int NodeW = Dims * DigitW,
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic              down_i,   // the port leads down
  input  logic              ring_i,   // its dimension is a ring
  input  logic [NodeW-1:0]  last_i,   // last digits
  input  logic [NodeW-1:0]  digit_i,  // those of the node
  input  logic [StepW-1:0]  later_i,  // dimensions that are crossed afterwards

  input  logic              open_i,   // begins
  input  logic              active_i, // with packets
  input  logic [DigitW-1:0] hops_i,
  /* verilator lint_off UNUSEDSIGNAL */ // digit 0, which is that of the port's dimension
  input  logic [NodeW-1:0]  rest_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic              pop_i,    // only while valid_o
  output logic [DigitW-1:0] hops_o,
  output logic [NodeW-1:0]  rest_o,

  output logic              valid_o,  // there is a packet
  output logic [NodeW-1:0]  dest_o    // to this node
);

  logic [DigitW-1:0] last, digit, half, hops_now, hops, to;
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

  // Where it goes.
  logic [DigitW:0] up;
  logic            round; // past the end of the ring
  assign up    = {1'b0, digit} + {1'b0, hops};
  assign round = down_i ? digit < hops : up > {1'b0, last};
  assign to    = digit + (down_i ? -hops : hops) + (!round ? '0 : down_i ? last + 1'b1 : ~last);
  always_comb begin
    dest_o     = digit_i;
    step       = rest;
    step_wraps = 1'b1;
    for (int j = 0; j < Dims; j++)
      if (j == 0) begin
        dest_o[j*DigitW +: DigitW] = to;
      end else if (j <= 32'(later_i)) begin
        dest_o[j*DigitW +: DigitW] = rest[j*DigitW +: DigitW];
        if (step_wraps) begin
          step_wraps = rest[j*DigitW +: DigitW] == last_i[j*DigitW +: DigitW];
          step[j*DigitW +: DigitW] = step_wraps ? '0 : rest[j*DigitW +: DigitW] + 1'b1;
        end
      end
  end
  assign hops_o = pop_i && step_wraps ? hops - 1'b1 : hops;
  assign rest_o = pop_i ? step : rest;

endmodule
