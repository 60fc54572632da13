// SPDX-License-Identifier: Apache-2.0
//
// Decides which class a link port serves in a slot, from the port's gate and the heads of its queues. No state, no delay.

module crl_class_select #(
  /// Link ports of the node.
  parameter int Ports = 4,
  /// Queues of a port, 1 to 10.
  parameter int Classes = 1,
  /// Bits that name a queue of a port.
  localparam int CW = (Classes > 1) ? $clog2(Classes) : 1
) (
  input  logic [2:0]               mode_i,      // 0 closed, 1 order, 2 coin first, 3 coin second, 4 position
  input  logic [3:0]               a_i,
  input  logic [3:0]               b_i,         // 15: none
  input  logic [Ports-1:0]         position_i,

  input  logic [Classes-1:0]       waits_i,     // queues that held something when the slot began
  input  logic [Classes-1:0]       coin_i,      // of their heads
  input  logic [Classes*Ports-1:0] place_i,     // of their heads: where they come from, seen from here
  input  logic                     second_i,    // what the last first coin left for the second: any,
  input  logic [CW-1:0]            second_class_i, // and of which class

  output logic                     send_o,
  output logic [CW-1:0]            class_o,
  output logic                     second_o,
  output logic [CW-1:0]            second_class_o
);

  localparam logic [2:0] Order = 3'd1, CoinFirst = 3'd2, CoinSecond = 3'd3, Position = 3'd4;

  logic          has_a, has_b, both, later;
  logic [CW-1:0] a, b, first, other;

  assign a     = CW'(a_i);
  assign b     = CW'(b_i);
  assign has_a = 32'(a_i) < Classes && waits_i[a];
  assign has_b = 32'(b_i) < Classes && waits_i[b];
  assign both  = has_a && has_b;
  assign first = has_a ? a : b;
  assign other = b;
  assign later = coin_i[first];

  always_comb begin
    send_o         = 1'b0;
    class_o        = first;
    second_o       = 1'b0;
    second_class_o = first;
    unique case (mode_i)
      Order: send_o = has_a || has_b;
      CoinFirst: begin
        send_o         = later ? both : (has_a || has_b);
        class_o        = later ? other : first;
        second_o       = later ? (has_a || has_b) : both;
        second_class_o = later ? first : other;
      end
      CoinSecond: begin
        send_o  = second_i && waits_i[second_class_i];
        class_o = second_class_i;
      end
      Position: begin
        send_o  = has_a && place_i[a*Ports +: Ports] == position_i;
        class_o = a;
      end
      default: ;
    endcase
  end

`ifdef FORMAL_TOP_crl_class_select
  // Whatever the gate says, only a queue that holds something is served, and a coin's pair is served once each.
  always_comb begin
    assume (!second_i || 32'(second_class_i) < Classes); // proved in crl_queue_server
    if (send_o) a_waits: assert (32'(class_o) < Classes && waits_i[class_o]);
    if (second_o) a_second: assert (mode_i == CoinFirst && waits_i[second_class_o]);
    if (send_o && second_o) a_each_once: assert (class_o != second_class_o || a == b);
    if (mode_i == CoinFirst && (has_a || has_b)) a_now_or_later: assert (send_o || second_o);
    c_both: cover (mode_i == CoinFirst && both && send_o && second_o && coin_i[0]);
  end
`endif

endmodule
