// SPDX-License-Identifier: Apache-2.0
//
// Partial exchange, a node's own packets for one port: the digit along the port's dimension from far to near, and for
// each all digits of the dimensions that are crossed afterwards, that of the next one fastest. Half way round a ring, a
// packet goes up if the digits of its destination have an even sum, else down.

module crl_online_supply #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// The port's dimension.
  parameter int Dim = 0,
  /// 1: the port leads down; 0: up.
  parameter int Down = 0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               open_i,   // the first slot: counts from the beginning
  input  logic               active_i, // this node has packets
  input  logic [2:0]         later_i,  // dimensions that are crossed afterwards: those that follow this one, cyclically
  input  logic               pop_i,    // only while valid_o

  input  logic [11:0]        node_i,   // these hold while it runs
  input  logic [Dims*12-1:0] size_i,
  input  logic [Dims*12-1:0] digit_i,
  /* verilator lint_off UNUSEDSIGNAL */ // with one dimension, it is 1
  input  logic [Dims*12-1:0] stride_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic               ring_i,

  output logic               valid_o,  // there is a packet
  output logic [11:0]        dest_o
);

  localparam int RestW = Dims * 12; // digit j: of the j-th dimension after the port's; digit 0 is idle

  logic [11:0]      hops_q, hops, next_hops, open_hops, size, digit, half, to, along, dest;
  /* verilator lint_off UNUSEDSIGNAL */ // digit 0
  logic [RestW-1:0] rest_q, rest, next_rest, after, step;
  /* verilator lint_on UNUSEDSIGNAL */
  logic             to_odd, next_odd, after_odd, after_wraps, step_wraps, other_way;

  assign size      = size_i[Dim*12 +: 12];
  assign digit     = digit_i[Dim*12 +: 12];
  assign half      = size >> 1;
  assign open_hops = ring_i ? half : Down != 0 ? digit : size - 12'd1 - digit;

  // The place that `hops` and `rest` say, before it is known whether its packet goes this way.
  assign next_hops = !open_i ? hops_q : active_i ? open_hops : 12'd0;
  assign next_rest = open_i ? '0 : rest_q;

  // The one after it, and whether digit sums are odd. Asked half way round, where the size is even.
  assign to_odd = digit[0] ^ half[0];
  always_comb begin
    after       = next_rest;
    after_wraps = 1'b1;
    next_odd    = to_odd;
    after_odd   = to_odd;
    for (int j = 1; j < Dims; j++) begin
      if (4'(j) <= {1'b0, later_i}) begin
        if (after_wraps) begin
          after_wraps        = next_rest[j*12 +: 12] + 12'd1 == size_i[(Dim+j)%Dims*12 +: 12];
          after[j*12 +: 12]  = after_wraps ? 12'd0 : next_rest[j*12 +: 12] + 12'd1;
        end
        next_odd  = next_odd ^ next_rest[j*12];
        after_odd = after_odd ^ after[j*12];
      end else begin
        next_odd  = next_odd ^ digit_i[(Dim+j)%Dims*12];
        after_odd = after_odd ^ digit_i[(Dim+j)%Dims*12];
      end
    end
  end

  // If it goes the other way round, it is the next one's turn, or that of the one after that: then the first digit has
  // become 0, and will be 1. If there is none, it is that of the next hop.
  assign other_way = ring_i && !size[0] && next_hops == half && next_odd != (Down != 0);
  always_comb begin
    hops = next_hops;
    rest = next_rest;
    if (other_way && after_wraps) begin
      hops = next_hops - 12'd1;
      rest = '0;
    end else if (other_way) begin
      rest = after;
      for (int j = 1; j < Dims; j++) if (j == 1 && after_odd != (Down != 0)) rest[j*12 +: 12] = 12'd1;
    end
  end

  assign valid_o = hops != 12'd0;
  assign to      = Down != 0 ? (digit >= hops ? digit - hops : digit + size - hops)
                 : ((13'(digit) + 13'(hops) >= 13'(size)) ? digit + hops - size : digit + hops);
  assign along   = 12'(node_i + 12'((to - digit) * stride_i[Dim*12 +: 12]));
  always_comb begin
    dest       = along;
    step       = rest;
    step_wraps = 1'b1;
    for (int j = 1; j < Dims; j++)
      if (4'(j) <= {1'b0, later_i}) begin
        dest = 12'(dest + 12'((rest[j*12 +: 12] - digit_i[(Dim+j)%Dims*12 +: 12]) * stride_i[(Dim+j)%Dims*12 +: 12]));
        if (step_wraps) begin
          step_wraps       = rest[j*12 +: 12] + 12'd1 == size_i[(Dim+j)%Dims*12 +: 12];
          step[j*12 +: 12] = step_wraps ? 12'd0 : rest[j*12 +: 12] + 12'd1;
        end
      end
  end
  assign dest_o = dest;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hops_q <= '0;
      rest_q <= '0;
    end else begin
      hops_q <= pop_i && step_wraps ? hops - 12'd1 : hops;
      rest_q <= pop_i ? step : rest;
    end
  end

endmodule
