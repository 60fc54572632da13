// SPDX-License-Identifier: Apache-2.0
//
// What the engines of a node have to broadcast: which places of the memory hold packets, and which of them is next. An
// engine has two memories, of what came up and of what came down. With halves each direction passes on its own; else
// each passes on both, first what came up. In a step of broadcasting a node sends what it held when the step began.
//
// Timing: turns in the order of the engines, upward before downward; all is said of this turn, combinationally, and
// counted at its edge. Each turn is one of receiving or of sending.

module crl_online_lists #(
  /// Engines, 1 to 8.
  parameter int Dims = 2,
  /// Packets of a memory: a power of two, 2 or more.
  parameter int Depth = 256,
  /// Bits of a place.
  localparam int AddrW = $clog2(Depth),
  /// Bits of a step.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             receive_i,
  input  logic             send_i,
  input  logic             down_i,
  input  logic             spread_i,    // broadcasting
  input  logic             ends_i,      // receiving: what was sent in the last slot of a step
  input  logic             forget_i,    // sending: the memories are empty
  input  logic             fill_i,      // receiving: they hold items_i from the beginning
  input  logic [AddrW:0]   items_i,
  input  logic             halves_i,
  input  logic [AddrW:0]   limit_i,     // packets a memory may hold, at most Depth

  input  logic             valid_i,     // receiving: a packet came in
  input  logic             busy_i,      // sending: something else leaves
  input  logic             far_i,       // there are nodes in this direction

  output logic             store_o,     // receiving: it is kept, at place_o
  output logic [AddrW-1:0] place_o,
  output logic             lost_o,      // no room for it
  output logic             left_o,      // something was left over
  output logic             take_o,      // sending: the packet at next_o of memory from_down_o
  output logic             from_down_o,
  output logic [AddrW-1:0] next_o,

  input  logic [StepW:0]   which_i,     // before the first turn: {engine, down}
  output logic [AddrW:0]   held_o
);

  if (Depth < 2 || (1 << AddrW) != Depth) begin : gen_bad_depth
    crl_error_depth_must_be_a_power_of_two u_error ();
  end

  // ---- registers in turn

  localparam int A = AddrW + 1;
  localparam int Width = 3 * A + 1;
  localparam int Turns = 2 * Dims;
  logic [Turns*Width-1:0] rings;
  logic [A-1:0]           held, held_d, bound, bound_d, at, at_d; // bound: held when the step began
  logic                   other, other_d;                         // the second memory's turn has come
  logic [A-1:0]           twin_bound, up_bound, down_bound;       // of the engine's other direction
  assign {held, bound, at, other} = rings[Width-1:0];
  crl_online_ring #(
    .Width(Width),
    .Count(Turns)
  ) u_ring (
    .clk_i (clk_i),
    .rst_ni(rst_ni),
    .we_i  (receive_i || send_i),
    .turn_i(1'b1),
    .data_i({held_d, bound_d, at_d, other_d}),
    .data_o(rings)
  );

  logic [A-1:0] before_q; // of the turn before, as it was in that
  always_ff @(posedge clk_i) if (receive_i || send_i) before_q <= bound;
  assign twin_bound = down_i ? before_q : rings[Width+1+A +: A];
  assign up_bound   = down_i ? twin_bound : bound;
  assign down_bound = down_i ? bound : twin_bound;

  // ---- receiving; when a step is over the next one begins with what is held

  logic comes, room;
  assign comes   = receive_i && spread_i && valid_i;
  assign room    = held != limit_i;
  assign store_o = comes && room;
  assign lost_o  = comes && !room;
  assign place_o = held[AddrW-1:0];

  // ---- sending: one after the other, of the second memory when the first has no more

  logic up_over, other_now, over;
  assign up_over     = at == up_bound;
  assign other_now   = !halves_i && (other || up_over);
  assign over        = halves_i ? at == bound : other ? at == down_bound : up_over && down_bound == '0;
  assign take_o      = send_i && spread_i && far_i && !busy_i && !over;
  assign from_down_o = halves_i ? down_i : other_now;
  assign next_o      = (other_now && !other) ? '0 : at[AddrW-1:0];
  assign left_o      = receive_i && spread_i && ends_i && far_i && !over;

  always_comb begin
    held_d  = held + A'(store_o);
    bound_d = bound;
    at_d    = at;
    other_d = other;
    if (take_o) begin
      at_d    = {1'b0, next_o} + 1'b1;
      other_d = other_now;
    end
    if (receive_i && spread_i && ends_i) begin
      bound_d = held_d;
      at_d    = '0;
      other_d = 1'b0;
    end
    if (receive_i && fill_i) begin
      held_d  = (halves_i || !down_i) ? items_i : '0;
      bound_d = held_d;
    end
    if (send_i && forget_i) {held_d, bound_d, at_d, other_d} = '0;
  end

  // ---- before the first turn

  always_comb begin
    held_o = '0;
    for (int i = 0; i < Turns; i++) if (which_i == (StepW+1)'(i)) held_o = rings[i*Width+1+2*A +: A];
  end

endmodule
