// SPDX-License-Identifier: Apache-2.0
//
// Remembers that an own word was not there.
//
// Timing: fault_o stands from the second edge after the one at which a word was taken that was not there.

module crl_starved #(
  /// Streams.
  parameter int Streams = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,

  input  logic [Streams-1:0] valid_i,
  input  logic [Streams-1:0] ready_i,
  output logic               fault_o
);

  localparam int Pairs = (Streams + 1) / 2;

  logic [Streams-1:0] hungry;
  logic [2*Pairs-1:0] missed;
  logic [Pairs-1:0]   missed_q;
  logic               fault_q;

  assign hungry = ready_i & ~valid_i;
  assign missed = (2 * Pairs)'(hungry);

  // In two steps, because ready_i comes late.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      missed_q <= '0;
      fault_q  <= 1'b0;
    end else begin
      for (int i = 0; i < Pairs; i++) missed_q[i] <= missed[2*i +: 2] != '0;
      fault_q <= (fault_q && !clear_i) || missed_q != '0;
    end
  end

  assign fault_o = fault_q;

endmodule
