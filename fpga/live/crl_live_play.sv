// SPDX-License-Identifier: Apache-2.0
//
// Plays slots of a network whose nodes decide for themselves: gives each slot its own packets, from a list, and copies what it
// did into the trace. The network rests before, between and after.
//
// Timing: start_i is a pulse; playing_o covers the slots and their records. A word of the list is at own_i after the edge that
// samples own_addr_o; one with its high bit set ends a slot's packets. A network without own packets is given such
// words only, and says own_ready_i always.

module crl_live_play #(
  /// Slots that the trace holds, 2^AddrW words; words of the record of a slot, 2^RecordW.
  parameter int AddrW = 10,
  parameter int RecordW = 5,
  /// Words of the list: 2^ListW.
  parameter int ListW = 8,
  localparam int SlotW = AddrW - RecordW
) (
  input  logic               clk_i,
  input  logic               rst_ni,       // also ends a play at once

  input  logic               start_i,      // only while not playing
  input  logic               clear_i,      // only while not playing: ended_o falls
  input  logic [15:0]        slots_i,      // to be played: at most 2^SlotW are
  output logic               playing_o,
  output logic               ended_o,
  output logic [SlotW:0]     played_o,

  output logic [ListW-1:0]   own_addr_o,
  input  logic [15:0]        own_i,

  input  logic               ready_i,      // the network can begin a slot
  output logic               slot_o,
  input  logic               own_ready_i,
  output logic               own_valid_o,
  output logic [15:0]        own_data_o,

  output logic [RecordW-1:0] record_o,
  output logic               trace_we_o,
  output logic [AddrW-1:0]   trace_addr_o
);

  typedef enum logic [2:0] {Idle, Begin, Take, Look, Settle, Copy} state_t;

  state_t             state_q;
  logic [SlotW:0]     played_q;
  logic [RecordW-1:0] record_q;
  logic [ListW-1:0]   at_q;
  logic [1:0]         rest_q;
  logic               ended_q, ends;

  assign playing_o    = state_q != Idle;
  assign ended_o      = ended_q;
  assign played_o     = played_q;
  assign own_addr_o   = at_q;
  assign slot_o       = state_q == Begin && ready_i;
  assign ends         = own_i[15];
  assign own_valid_o  = state_q == Look && !ends;
  assign own_data_o   = own_i;
  assign record_o     = record_q;
  assign trace_we_o   = state_q == Copy;
  assign trace_addr_o = {played_q[SlotW-1:0], record_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      ended_q  <= 1'b0;
      played_q <= '0;
    end else begin
      case (state_q)
        Idle: begin
          if (start_i || clear_i) ended_q <= 1'b0;
          if (start_i) played_q <= '0;
          at_q     <= '0;
          if (start_i) state_q <= Begin;
        end
        Begin: begin
          rest_q   <= '0;
          record_q <= '0;
          if (ready_i) state_q <= Take;
        end
        // The word at at_q comes out of the list meanwhile.
        Take: if (own_ready_i) state_q <= Look;
        Look: begin
          at_q    <= at_q + 1'b1;
          state_q <= ends ? Settle : Take;
        end
        // Three clocks, and as many more as the network takes for the slot.
        Settle: begin
          if (!(&rest_q)) rest_q <= rest_q + 1'b1;
          if (&rest_q && ready_i) state_q <= Copy;
        end
        Copy: begin
          record_q <= record_q + 1'b1;
          if (&record_q) begin
            played_q <= played_q + 1'b1;
            state_q  <= Begin;
            if (16'(played_q) + 1'b1 >= slots_i || (&played_q[SlotW-1:0])) begin
              state_q <= Idle;
              ended_q <= 1'b1;
            end
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

endmodule
