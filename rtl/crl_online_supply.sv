// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange, a node's own packets for one port: the digit along the port's dimension from far to near, and for
// each all digits of the other dimension if that is crossed afterwards. Half way round a ring, a packet goes up if origin
// and destination have an even sum, else down.

module crl_online_supply #(
  /// 1: the port leads down; 0: up.
  parameter int Down = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        open_i,    // the first slot: counts from the beginning
  input  logic        active_i,  // this node has packets
  input  logic        both_i,    // the other dimension is crossed afterwards
  input  logic        pop_i,     // only while valid_o

  input  logic [11:0] node_i,    // these hold while it runs
  input  logic [11:0] size_i,    // along the port
  input  logic [11:0] digit_i,
  input  logic        ring_i,
  input  logic [11:0] stride_i,
  input  logic [11:0] other_size_i,
  input  logic [11:0] other_digit_i,
  input  logic [11:0] other_stride_i,

  output logic        valid_o,   // there is a packet
  output logic [11:0] dest_o
);

  logic [11:0] hops_q, rest_q, hops, rest, open_hops, to, other;
  logic [11:0] next_hops, next_rest;
  logic        wraps;

  assign open_hops = ring_i ? size_i >> 1 : Down != 0 ? digit_i : size_i - 12'd1 - digit_i;

  // The place that `hops` and `rest` say, before it is known whether its packet goes this way.
  assign next_hops = open_i ? (active_i ? open_hops : 12'd0) : hops_q;
  assign next_rest = open_i ? 12'd0 : rest_q;

  // Whether the packet goes the other way round. Origin plus destination is odd where their difference is.
  logic half_way, half_odd, odd, other_way, one_on;
  assign half_way  = ring_i && !size_i[0] && next_hops == size_i >> 1;
  assign half_odd  = next_hops[0] & stride_i[0];
  assign odd       = half_odd ^ (both_i & (next_rest[0] ^ other_digit_i[0]) & other_stride_i[0]);
  assign other_way = half_way && odd != (Down != 0);
  // Then it is the next one's turn, of the next digit if all of this one go the other way.
  assign one_on    = both_i && other_stride_i[0] && next_rest + 12'd1 < other_size_i;
  assign hops      = other_way && !one_on ? next_hops - 12'd1 : next_hops;
  assign rest      = other_way ? (one_on ? next_rest + 12'd1 : 12'd0) : next_rest;

  assign valid_o = hops != 12'd0;
  assign to      = Down != 0 ? (digit_i >= hops ? digit_i - hops : digit_i + size_i - hops)
                        : ((13'(digit_i) + 13'(hops) >= 13'(size_i)) ? digit_i + hops - size_i : digit_i + hops);
  assign other   = both_i ? rest : other_digit_i;
  assign dest_o  = 12'(node_i + 12'((to - digit_i) * stride_i) + 12'((other - other_digit_i) * other_stride_i));

  assign wraps = !both_i || rest + 12'd1 == other_size_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hops_q <= '0;
      rest_q <= '0;
    end else if (pop_i) begin
      hops_q <= wraps ? hops - 12'd1 : hops;
      rest_q <= wraps ? 12'd0 : rest + 12'd1;
    end else begin
      hops_q <= hops;
      rest_q <= rest;
    end
  end

endmodule
