// SPDX-License-Identifier: Apache-2.0
//
// The clock cycles of a slot of an on-line node. What its neighbours sent is received turn by turn, each engine in both
// directions; then it knows what this slot is for; then it sends, in the same turns: 4 Dims + 2 Stages + 1 cycles.
//
// Timing: a slot begins at an edge that samples begin_i while waiting. A turn is looked at in one cycle (receive_o, send_o;
// engine_o, down_o) and goes on in the next (*_q_o), in all it takes Stages cycles more. What was sent last is on the links
// when ready_o rises.

module crl_online_turns #(
  /// Engines, 1 to 8.
  parameter int Dims = 2,
  /// Cycles after the first that a turn takes: 1 or more.
  parameter int Stages = 1,
  /// Bits of an engine's number.
  localparam int StepW = (Dims > 1) ? $clog2(Dims) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             stop_i,     // waits again, at once
  input  logic             begin_i,    // a slot may begin; not heard in it

  output logic             ready_o,    // waits, and all words are on the links
  output logic             receive_o,
  output logic             advance_o,  // all is received: the slot's purpose is decided at this edge
  output logic             send_o,
  output logic [StepW-1:0] engine_o,
  output logic             down_o,
  output logic             receive_q_o,
  output logic             send_q_o,
  output logic [StepW-1:0] engine_q_o,
  output logic             down_q_o
);

  localparam logic [1:0] Wait = 2'd0, Receive = 2'd1, Advance = 2'd2, Send = 2'd3;

  logic [1:0]        state_q;
  logic [Stages-1:0] receiving_q, sending_q; // turns that are not over
  logic [StepW-1:0] engine_q;
  logic             down_q, last; // last: turn of its kind

  assign ready_o   = state_q == Wait && sending_q == '0;
  assign receive_o = state_q == Receive;
  assign advance_o = state_q == Advance && receiving_q == '0;
  assign send_o    = state_q == Send;
  assign engine_o  = engine_q;
  assign down_o    = down_q;
  assign receive_q_o = receiving_q[0];
  assign send_q_o    = sending_q[0];
  assign last      = down_q && engine_q == StepW'(Dims - 1);

  always_ff @(posedge clk_i) begin
    engine_q_o <= engine_q;
    down_q_o   <= down_q;
    if (!rst_ni || stop_i) begin
      state_q     <= Wait;
      engine_q    <= '0;
      down_q      <= 1'b0;
      receiving_q <= '0;
      sending_q   <= '0;
    end else begin
      receiving_q <= Stages'({receiving_q, receive_o});
      sending_q   <= Stages'({sending_q, send_o});
      case (state_q)
        Wait:    if (begin_i) state_q <= Receive;
        Receive: if (last) state_q <= Advance;
        Advance: if (advance_o) state_q <= Send;
        default: if (last) state_q <= Wait;
      endcase
      if (receive_o || send_o) begin
        down_q <= !down_q;
        if (last) engine_q <= '0;
        else if (down_q) engine_q <= engine_q + 1'b1;
      end
    end
  end

`ifdef FORMAL
  logic f_past_valid;
  initial f_past_valid = 1'b0;
  always_ff @(posedge clk_i) f_past_valid <= 1'b1;

`ifdef FORMAL_TOP_crl_online_turns
  always_comb if (!f_past_valid) assume (!rst_ni);
`endif

  // The cycles of a slot, counted.
  localparam int Last = 4 * Dims + 2 * Stages + 2; // ready again, if the next one has not begun
  logic [7:0] f_cycle, f_turn;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || stop_i || (state_q == Wait && !begin_i && sending_q == '0)) f_cycle <= '0;
    else if (state_q == Wait && begin_i) f_cycle <= 8'd1;
    else if (32'(f_cycle) < Last) f_cycle <= f_cycle + 1'b1;
  end
  assign f_turn = 8'(engine_q) * 8'd2 + 8'(down_q);

  // Turns that are over, by what is on its way.
  logic [Stages-1:0] f_receiving, f_sending;
  always_comb begin
    f_receiving = '0;
    f_sending   = '0;
    for (int i = 0; i < Stages; i++) begin
      f_receiving[i] = 32'(f_cycle) > i + 1 && 32'(f_cycle) <= 2 * Dims + i + 1;
      f_sending[i]   = 32'(f_cycle) > 2 * Dims + Stages + i + 2 && 32'(f_cycle) <= 4 * Dims + Stages + i + 2;
    end
  end
  always_comb if (f_past_valid) begin
    a_range: assert (32'(engine_q) < Dims && 32'(f_cycle) <= Last);
    a_still: assert (receive_o || send_o || f_turn == 8'd0);
    a_receive: assert (!receive_o || f_cycle == f_turn + 8'd1);
    a_drain: assert (state_q != Advance || (32'(f_cycle) > 2 * Dims && 32'(f_cycle) <= 2 * Dims + Stages + 1));
    a_advance: assert (!advance_o || 32'(f_cycle) == 2 * Dims + Stages + 1);
    a_send: assert (!send_o || 32'(f_cycle) == 32'(f_turn) + 2 * Dims + Stages + 2);
    a_wait: assert (state_q != Wait || f_cycle == 8'd0 || 32'(f_cycle) > 4 * Dims + Stages + 1);
    a_ready: assert (!ready_o || f_cycle == 8'd0 || 32'(f_cycle) == Last);
    a_receiving: assert (receiving_q == f_receiving);
    if (state_q == Send || state_q == Wait) a_sending: assert (sending_q == f_sending);
    c_turn: cover (send_q_o && down_q_o && engine_q_o == StepW'(Dims - 1));
    c_advance: cover (advance_o);
  end
  always_ff @(posedge clk_i) if (f_past_valid && $past(rst_ni && !stop_i)) begin
    a_follows: assert (receive_q_o == $past(receive_o) && send_q_o == $past(send_o));
    a_same: assert ({engine_q_o, down_q_o} == $past({engine_q, down_q}));
    c_again: cover (receive_o && $past(state_q == Wait && send_q_o));
  end
`endif

endmodule
