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
    if (receive_i && fill_i) held_d = (halves_i || !down_i) ? items_i : '0;
    if (receive_i && (fill_i || (spread_i && ends_i))) begin
      bound_d = held_d;
      at_d    = '0;
      other_d = 1'b0;
    end
    if (send_i && forget_i) {held_d, bound_d, at_d, other_d} = '0;
  end

  // ---- before the first turn

  always_comb begin
    held_o = '0;
    for (int i = 0; i < Turns; i++) if (which_i == (StepW+1)'(i)) held_o = rings[i*Width+1+2*A +: A];
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

  // The turns, and whether the memories of the engine are being emptied.
  logic       f_down, f_forgets, f_receive_q, f_ends_q, f_fill_q;
  logic [2:0] f_kind;
  assign f_kind = {receive_i, receive_i && (ends_i && spread_i), receive_i && fill_i};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_down    <= 1'b0;
      f_forgets <= 1'b0;
    end else if (receive_i || send_i) begin
      f_down    <= !f_down;
      f_forgets <= !f_down && send_i && forget_i;
      {f_receive_q, f_ends_q, f_fill_q} <= f_kind;
    end
  end

`ifdef FORMAL_TOP_crl_online_lists
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (!(receive_i && send_i));
    assume (32'(limit_i) <= Depth && items_i <= limit_i);
    assume (!(receive_i && fill_i && held != '0)); // only what is empty
    if (receive_i || send_i) assume (down_i == f_down);
    // Both directions of an engine have the same kind of turn.
    if ((receive_i || send_i) && f_down)
      assume (f_kind == {f_receive_q, f_ends_q, f_fill_q} && (send_i && forget_i) == f_forgets);
  end
  logic [A:0] f_held_q;
  always_ff @(posedge clk_i) f_held_q <= {limit_i, halves_i};
  always_comb if (f_past_valid) assume ({limit_i, halves_i} == f_held_q);

  logic [Turns*A-1:0] f_held, f_bound, f_at;
  logic [Turns-1:0]   f_other, f_room, f_bounded, f_in_up, f_in_down;
  logic [A-1:0]       f_taken_from;
  for (genvar i = 0; i < Turns; i++) begin : gen_f
    // Register i travels down if i is odd, or even in a downward turn.
    localparam int Next = (i + 1) % Turns;
    localparam int Prev = (i + Turns - 1) % Turns;
    logic [A-1:0] up, down;
    assign {f_held[i*A +: A], f_bound[i*A +: A], f_at[i*A +: A], f_other[i]} = rings[i*Width +: Width];
    assign up           = (i % 2 != 0) == f_down ? f_bound[i*A +: A] : f_bound[Prev*A +: A];
    assign down         = (i % 2 != 0) == f_down ? f_bound[Next*A +: A] : f_bound[i*A +: A];
    assign f_room[i]    = f_held[i*A +: A] <= limit_i;
    assign f_bounded[i] = f_bound[i*A +: A] <= f_held[i*A +: A];
    assign f_in_up[i]   = f_other[i] || (i == 0 && f_down && f_forgets) ||
                          f_at[i*A +: A] <= (halves_i ? f_bound[i*A +: A] : up);
    assign f_in_down[i] = !f_other[i] || (!halves_i && ((i == 0 && f_down && f_forgets) || f_at[i*A +: A] <= down));
  end
  assign f_taken_from = from_down_o == down_i ? held : down_i ? f_held[(Turns-1)*A +: A] : f_held[A +: A];
  always_comb if (f_past_valid) begin
    a_room: assert (&f_room);
    a_bound: assert (&f_bounded);
    a_in_up: assert (&f_in_up);
    a_in_down: assert (&f_in_down);
    if (f_down && f_forgets) a_forgot: assert (rings[(Turns-1)*Width +: Width] == '0);
    if (f_down && !f_forgets) a_before: assert (before_q <= f_bound[(Turns-1)*A +: A]);
    if (f_down && !f_forgets && !halves_i && !f_other[0]) a_at_before: assert (f_at[A-1:0] <= before_q);
    if (rst_ni && take_o && !forget_i) a_taken_is_there: assert ({1'b0, next_o} < f_taken_from);
    if (store_o) a_stored_fits: assert (32'(place_o) < Depth);
    a_not_both: assert (!(store_o && lost_o));
    c_full: cover (lost_o && 32'(limit_i) == Depth);
    c_second: cover (take_o && from_down_o && !halves_i && next_o != '0);
    c_halves: cover (take_o && halves_i && down_i && next_o != '0);
    c_left: cover (left_o);
  end
`endif
`endif

endmodule
