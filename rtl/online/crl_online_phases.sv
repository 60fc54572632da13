// SPDX-License-Identifier: Apache-2.0
//
// What the slots of a partial all-gather are for. All nodes begin together and know the sides and the sums, so
// they end each phase and each step of it, one dimension, in the same slot.
//
//   count      the sum of the active nodes; without splitting engine 0 does it first alone, for the classes
//   pack       to the nodes whose numbers are the ranks; a slot a half
//   broadcast  along one dimension after the other, from the last to the first
//
// Timing: what is said of a slot holds from the edge that samples advance_i until the next one: while its words are sent
// and while those that were sent in it are received.

module crl_online_phases #(
  /// Dimensions, 1 to 8.
  parameter int Dims = 2,
  /// Bits of a digit.
  parameter int DigitW = 4,
  /// Bits of a step.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              stop_i,     // nothing goes on
  input  logic              start_i,
  input  logic              advance_i,

  input  logic [2:0]        mode_i,     // as in crl_online_node; these hold while it runs
  input  logic              split_i,
  input  logic              halves_i,
  input  logic [StepW-1:0]  line_i,     // dimension of lines
  input  logic [DigitW-1:0] longest_i,  // last digit of the longest side
  input  logic [DigitW-1:0] side_i,     // of dimension step_o
  input  logic              ready_i,    // no engine needs another slot of this step of broadcasting
  input  logic              nobody_i,   // engine 0 has counted no node
  input  logic [StepW-1:0]  below_i,    // its sums modulo Dims
  input  logic [StepW-1:0]  total_i,

  output logic              running_o,
  output logic [1:0]        phase_o,
  output logic              alone_o,    // engine 0 alone
  output logic              back_o,     // packing: from packed places to destinations
  output logic [StepW-1:0]  step_o,
  output logic [DigitW-1:0] slot_o,     // of a step, not of broadcasting; slots of both halves count as one
  output logic              half_o,
  output logic              first_o,    // first slot of a step
  output logic              open_o,     // first slot of a phase
  output logic              ends_o,     // last slot of a step
  output logic              begins_o,   // at this edge begins the first slot of a run
  output logic [StepW-1:0]  class_o,    // of this node's packet, if it is not split
  output logic [StepW-1:0]  rest_o      // all packets modulo Dims
);

  localparam logic [1:0] Idle = 2'd0, Count = 2'd1, Pack = 2'd2, Broadcast = 2'd3;
  localparam logic [2:0] Prefix = 3'd1, Routing = 3'd3, Lines = 3'd4, Repeat = 3'd5;

  logic       new_q; // started, but not yet in its first slot
  logic [1:0] phase, after;
  logic       whole, repeated, up, over, alone;

  assign whole     = mode_i == 3'd0 || mode_i == Repeat;
  assign repeated  = mode_i == Repeat;
  assign running_o = new_q || phase_o != Idle;

  always_comb begin
    case (phase_o)
      Count:     ends_o = slot_o + 1'b1 == (alone_o ? side_i : longest_i);
      Pack:      ends_o = slot_o + 1'b1 == (alone_o ? side_i : longest_i) && half_o == halves_i;
      Broadcast: ends_o = ready_i && mode_i != Lines;
      default:   ends_o = 1'b0;
    endcase
  end
  assign up   = (phase_o == Broadcast || back_o) ? step_o == '0 : step_o == StepW'(Dims - 1);
  assign over = new_q || (ends_o && up); // of the phase

  // The phase after this one. If nobody is active there is nothing to pack.
  always_comb begin
    case (phase_o)
      Count:   after = mode_i == Prefix ? Idle : (whole && alone_o) ? Count : Pack;
      Pack:    after = whole ? Broadcast : (mode_i == Routing && !back_o) ? Pack : Idle;
      default: after = repeated ? Count : Idle;
    endcase
    phase = after;
    if (new_q) phase = mode_i == Lines ? Broadcast : Count;
    else if (after == Pack && whole && nobody_i) phase = repeated ? Count : Idle;
  end
  assign alone    = !whole || (phase == Count && !split_i && !(phase_o == Count && alone_o && !new_q));
  assign begins_o = advance_i && over && phase == Count && (alone || split_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i) begin
      new_q   <= 1'b0;
      phase_o <= Idle;
      alone_o <= 1'b0;
      back_o  <= 1'b0;
      step_o  <= '0;
      slot_o  <= '0;
      half_o  <= 1'b0;
      first_o <= 1'b0;
      open_o  <= 1'b0;
      class_o <= '0;
      rest_o  <= '0;
    end else if (start_i) begin
      new_q   <= 1'b1;
      phase_o <= Idle;
    end else if (advance_i && running_o) begin
      new_q   <= 1'b0;
      first_o <= new_q || ends_o;
      open_o  <= over;
      half_o  <= phase_o == Pack && halves_i && !half_o;
      if (new_q || ends_o) slot_o <= '0;
      else if (phase_o != Pack || half_o == halves_i) slot_o <= slot_o + 1'b1;
      if (over) begin
        phase_o <= phase;
        alone_o <= alone;
        back_o  <= phase_o == Pack && phase == Pack && !new_q;
        step_o  <= phase == Broadcast ? (mode_i == Lines ? line_i : StepW'(Dims - 1))
                 : (phase_o == Pack && phase == Pack) ? StepW'(Dims - 1) : '0;
      end else if (ends_o) begin
        step_o <= (phase_o == Broadcast || back_o) ? step_o - 1'b1 : step_o + 1'b1;
      end
      if (over && phase_o == Count && alone_o) begin
        class_o <= below_i;
        rest_o  <= total_i;
      end
    end
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

`ifdef FORMAL_TOP_crl_online_phases
  // Held while it runs, and such as a mesh has them: no side is longer than the longest.
  always_comb begin
    if (!f_past_valid) assume (!rst_ni);
    assume (mode_i <= Repeat && longest_i != '0 && side_i != '0 && side_i <= longest_i);
    assume (32'(line_i) < Dims && !(halves_i && !split_i) && !(start_i && running_o));
  end
  logic [4+2*StepW+2*DigitW:0] f_held, f_held_q;
  logic [StepW-1:0]            f_step_q;
  assign f_held = {mode_i, split_i, halves_i, longest_i, line_i, side_i, step_o};
  always_ff @(posedge clk_i) {f_held_q, f_step_q} <= {f_held, step_o};
  always_comb if (f_past_valid && running_o) begin
    assume (f_held[4+2*StepW+2*DigitW:StepW+DigitW] == f_held_q[4+2*StepW+2*DigitW:StepW+DigitW]);
    assume (step_o != f_step_q || f_held == f_held_q);
  end
`endif

  always_comb if (f_past_valid) begin
    a_step: assert (32'(step_o) < Dims);
    a_half: assert (!half_o || phase_o == Pack);
    a_new: assert (!new_q || phase_o == Idle);
    a_open: assert (!open_o || first_o);
    a_nothing: assert (phase_o != Idle || (step_o == '0 && !half_o));
    a_mode: assert (!(new_q && stop_i) || running_o);
`ifdef FORMAL_TOP_crl_online_phases
    a_slot: assert (!(phase_o == Count || phase_o == Pack) || slot_o < (alone_o ? side_i : longest_i));
    a_half_only: assert (!half_o || halves_i);
    a_lines: assert (!(mode_i == Lines && running_o && !new_q) || phase_o == Broadcast);
    a_single: assert (!(phase_o != Idle && !whole) || alone_o);
    c_back: cover (phase_o == Pack && back_o && ends_o && up);
    c_again: cover (repeated && begins_o && phase_o == Broadcast);
    c_nobody: cover (repeated && begins_o && phase_o == Count && !split_i);
    c_classes: cover (phase_o == Broadcast && class_o != '0 && !split_i);
    c_halves: cover (phase_o == Broadcast && halves_i && mode_i == 3'd0);
`endif
  end
  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni)) begin
    if (!$past(advance_i || start_i || stop_i))
      a_holds: assert ($stable(phase_o) && $stable(step_o) && $stable(slot_o) && $stable(half_o) && $stable(first_o));
    if ($past(advance_i && ends_o && running_o && !stop_i && !start_i)) a_first: assert (first_o && slot_o == '0);
  end
`endif

endmodule
