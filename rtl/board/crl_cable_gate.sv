// SPDX-License-Identifier: Apache-2.0
//
// Decides when a board steps: when every word that its rows need next is there, those of streams, too, and there is room for every word
// that they send.
//
// Timing: en_o is a register: what it is told is of the next cycle, in which en_o says whether that cycle ends a row.

module crl_cable_gate #(
  /// Cables of the board.
  parameter int Cables = 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              fed_i,         // in the next cycle the acting rows have the words of streams that they need
  input  logic [Cables-1:0] needs_ahead_i, // in the next cycle the acting row needs a word of this cable
  input  logic [Cables-1:0] there_ahead_i, // and there will be one
  input  logic [Cables-1:0] sends_ahead_i, // in the next cycle a word for this cable is on the link
  input  logic [Cables-1:0] room_ahead_i,  // and there will be room for it
  output logic              en_o,          // 1 while in reset
  output logic [Cables-1:0] waits_for_o,   // for a word,
  output logic [Cables-1:0] held_by_o      // or for room, is why en_o is 0
);

  logic              en_q;
  logic [Cables-1:0] waits_q, held_q, waits_d, held_d;

  assign waits_d = needs_ahead_i & ~there_ahead_i;
  assign held_d  = sends_ahead_i & ~room_ahead_i;

  always_ff @(posedge clk_i) begin
    en_q    <= !rst_ni || (fed_i && (waits_d | held_d) == '0);
    waits_q <= waits_d & {Cables{rst_ni}};
    held_q  <= held_d & {Cables{rst_ni}};
  end

  assign en_o        = en_q;
  assign waits_for_o = waits_q;
  assign held_by_o   = held_q;

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  always_ff @(posedge clk_i) if (f_past_valid) begin
    if ($past(rst_ni)) begin
      a_waits: assert (waits_for_o == $past(needs_ahead_i & ~there_ahead_i));
      a_held: assert (held_by_o == $past(sends_ahead_i & ~room_ahead_i));
    end
    a_steps: assert (en_o == (!$past(rst_ni) || ($past(fed_i) && waits_for_o == '0 && held_by_o == '0)));
    c_waits: cover (!en_o && waits_for_o != '0 && held_by_o == '0);
  end
`endif

endmodule
