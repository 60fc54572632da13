// SPDX-License-Identifier: Apache-2.0
//
// Plays the tables a number of rounds: turns commands into what the network samples once a step.
//
// Timing: commands are pulses. start_o, clear_o and reset_no change only at the end of a clock with tick_i, so that each
// holds for one step of the network. playing_o covers a play from the command to two steps after its last row.

module crl_play (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        tick_i,

  input  logic        start_i,         // only while not playing
  input  logic        stop_i,          // at the end of the round
  input  logic        clear_i,
  input  logic        reset_i,         // ends a play at once
  input  logic [15:0] rounds_i,        // 0: until stopped

  output logic        start_o,
  output logic        clear_o,
  output logic        reset_no,
  input  logic        busy_i,          // rows are played

  output logic        playing_o,
  output logic        ended_o,         // a play has ended since the last start
  output logic        first_o,         // the round that is recorded
  output logic        unrecorded_o,    // later rounds have been played
  output logic [31:0] rounds_played_o
);

  typedef enum logic [2:0] {Idle, Launch, Run, Drain, Count} state_t;

  state_t      state_q;
  logic        stop_q, clear_q, reset_q, ended_q, unrecorded_q;
  logic [31:0] played_q;
  logic        last_round;

  assign playing_o       = state_q != Idle;
  assign ended_o         = ended_q;
  assign first_o         = played_q == '0;
  assign unrecorded_o    = unrecorded_q;
  assign rounds_played_o = played_q;
  assign last_round      = stop_q || (rounds_i != '0 && played_q + 1'b1 >= 32'(rounds_i));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      start_o  <= 1'b0;
      clear_o  <= 1'b0;
      reset_no <= 1'b0;
      clear_q  <= 1'b0;
      reset_q  <= 1'b1;
    end else begin
      if (clear_i) clear_q <= 1'b1;
      if (reset_i) reset_q <= 1'b1;
      if (tick_i) begin
        start_o  <= state_q == Launch && !start_o && !reset_q;
        clear_o  <= clear_q;
        reset_no <= !reset_q;
        clear_q  <= clear_i;
        reset_q  <= reset_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      stop_q       <= 1'b0;
      ended_q      <= 1'b0;
      unrecorded_q <= 1'b0;
      played_q     <= '0;
    end else if (reset_q) begin
      state_q <= Idle;
      ended_q <= ended_q || playing_o;
    end else if (start_i && !playing_o) begin
      state_q      <= Launch;
      stop_q       <= 1'b0;
      ended_q      <= 1'b0;
      unrecorded_q <= 1'b0;
      played_q     <= '0;
    end else begin
      if (stop_i) stop_q <= 1'b1;
      if (tick_i) begin
        case (state_q)
          Launch: if (start_o) state_q <= Run;
          Run:    if (!busy_i) state_q <= Drain;
          Drain:  state_q <= Count;
          Count: begin
            played_q <= played_q + 1'b1;
            if (last_round) begin
              state_q <= Idle;
              ended_q <= 1'b1;
            end else begin
              state_q      <= Launch;
              unrecorded_q <= 1'b1;
            end
          end
          default: ;
        endcase
      end
    end
  end

endmodule
